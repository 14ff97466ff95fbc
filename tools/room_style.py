"""Fit the test of the rooms' wording (`po3d.language.read.room_style`).

    python -m tools.room_style [--older FOLDER ...] [--held FOLDER]

Generated sentences are those of the twin and of the room parser's training generator, with seeds of
their own; `--older` adds twins in Hypo3D's layout that earlier generators made, as the shipped
split is one (its generator is that of revision 3f01096; made with split "train"). People's
sentences are
those of the bank's training part. Prints the share of the bank's development part and of `--held`
that is taken for generated.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from po3d.benchmarks.hypo3d.twin import room
from po3d.io.files import atomic_write
from po3d.io.seeding import rng
from po3d.language.read.room_style import BITS, FILE, STEP, features, style
from po3d.training.reader_pairs import records
from po3d.training.room_parser import sentences

SEED, ROOMS = 31337, 60  # of the generated sentences
PEOPLE = 25_000  # sentences of the bank
PULL = 0.05  # regularisation of the weights, relative to the likelihood of one sentence


def generated() -> list[str]:
    """Return sentences of today's generators."""
    texts = [pair.text for pair in sentences(SEED, "train", ROOMS, 1, 1)]
    for index in range(ROOMS):
        _, _, questions = room(index, SEED + 1, "train", False)
        texts += [text for q in questions for text in (q.text, q.change) if text]
    return list(dict.fromkeys(texts))


def of_folder(folder: Path) -> list[str]:
    """Return the sentences of a folder in Hypo3D's layout."""
    rooms = json.loads((folder / "contextvqa.json").read_text(encoding="utf-8"))
    texts: list[str] = []
    for change in (change for changes in rooms.values() for change in changes):
        texts += [
            change["context_change"],
            *(one["question"] for one in change["questions_answers"]),
        ]
    return list(dict.fromkeys(filter(None, texts)))


def people(part: str) -> list[str]:
    """Return the bank's questions and changes about rooms, for the training part also reworded."""
    lines = records("sentences", part)
    used = [line for line in lines if line["kind"] == "room"]
    if part == "train":
        used += [line for line in records("reworded", part) if lines[line["n"]]["kind"] == "room"]
    texts = (line.get(sort) for line in used for sort in ("question", "change"))
    return list(dict.fromkeys(filter(None, texts)))


def fitted(ours: list[str], theirs: list[str]) -> np.ndarray:
    """Return the weights of the hashes and the offset; both classes count the same."""
    rows = [[*features(text)] for text in (*ours, *theirs)]
    lengths = [len(row) for row in rows]
    values = np.repeat(np.array(lengths, float) ** -0.5, lengths)
    ends = np.cumsum([0, *lengths])
    x = csr_matrix((values, np.concatenate(rows), ends), shape=(len(rows), 1 << BITS))
    sign = np.repeat([1.0, -1.0], [len(ours), len(theirs)])
    share = np.repeat([0.5 / len(ours), 0.5 / len(theirs)], [len(ours), len(theirs)]) * len(rows)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (x @ weights[:-1] + weights[-1])
        slope = -sign * share / (1 + np.exp(margin))
        pull = PULL * np.append(weights[:-1], 0.0)
        value = float(share @ np.logaddexp(0, -margin)) + 0.5 * float(pull @ weights)
        return value, np.append(x.T @ slope, slope.sum()) + pull

    return minimize(loss, np.zeros((1 << BITS) + 1), jac=True, method="L-BFGS-B").x


def taken(texts: Iterable[str], least: float) -> float:
    return float(np.mean([style(text) >= least for text in texts]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--older", type=Path, nargs="*", default=[], metavar="FOLDER")
    parser.add_argument("--held", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    theirs = people("train")
    order = rng(SEED, "room style", 0).permutation(len(theirs))[:PEOPLE]
    ours = [*generated(), *(text for folder in arguments.older for text in of_folder(folder))]
    weights = fitted(ours, [theirs[k] for k in order])
    with atomic_write(FILE, "wb") as file:
        np.save(file, np.clip(np.round(weights / STEP), -127, 127).astype(np.int8))
    for what, texts in (
        ("development part", people("dev")),
        ("held", arguments.held and of_folder(arguments.held)),
    ):
        if texts:
            print(
                what,
                len(texts),
                {least: round(taken(texts, least), 3) for least in (-1.0, -0.5, 0.0, 0.5)},
            )


if __name__ == "__main__":
    main()
