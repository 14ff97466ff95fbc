"""Answer the questions about 60 COCO photographs (data/photographs/README.md) with `po3d ask`'s
model.

    python -m tools.photograph_bank PHOTOGRAPHS --detector FILE.onnx [--pose FILE] [--part dev]
        [--out FILE]

PHOTOGRAPHS is a folder with COCO's files. An answer is right if it equals the annotators' one
without articles and case, or if one of them ends with the other as a word ("dining table",
"table"). No answer, or a question asked back, is "abstained"; it is right for a question that the
photograph cannot answer.
"""

import argparse
import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from po3d.cli import ask, ask_model
from po3d.io.cli_errors import guarded
from po3d.io.files import atomic_write, read_jsonl
from po3d.io.images import read_image
from po3d.io.paths import ROOT
from po3d.io.text_tables import Table, text
from tools.photographs import wilson

BANK = ROOT / "data" / "photographs" / "coco_questions.jsonl.bz2"
PARTS = ("all", "dev", "held_out")
ANSWERABLE = {True: "answerable", False: "unanswerable"}
ARTICLES = ("the ", "a ", "an ", "his ", "her ", "its ")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("photographs", type=Path)
    parser.add_argument("--detector", required=True, metavar="FILE")
    parser.add_argument("--pose", metavar="FILE", help="a pose network for the facing of people")
    parser.add_argument("--part", choices=PARTS, default="all")
    parser.add_argument("--out", type=Path, metavar="ANSWERS.jsonl")
    options = parser.parse_args()
    given = ["--detector", options.detector, *(["--pose", options.pose] if options.pose else [])]
    return guarded(lambda: run(options.photographs, given, options.out, options.part))


def part_of(records: list[dict], part: str) -> list[dict]:
    """Return the questions of a part: pictures 0 to 2 of every six, by file name, are "dev"."""
    pictures = sorted({record["image"] for record in records})
    dev = {picture for k, picture in enumerate(pictures) if k % 6 < 3}
    return [r for r in records if part == "all" or (r["image"] in dev) == (part == "dev")]


def run(photographs: Path, given: Sequence[str], out: Path | None, part: str = "all") -> None:
    """Print the shares of right, wrong and abstained answers by type of question. `given`: options
    of `po3d ask`."""
    arguments = argparse.ArgumentParser()
    ask.add_arguments(arguments)
    model, results, started = None, [], time.monotonic()
    warnings.simplefilter("ignore")
    for record in part_of(list(read_jsonl(BANK, "question bank")), part):
        path = photographs / record["image"]
        if model is None:
            words = ["--perception", "photo", *given, str(path), record["question"]]
            model = ask_model.model_of(arguments.parse_args(words), None, read_image(path))
            started = time.monotonic()
        answer = model.ask(path, record["question"], options=record["options"] or ())
        given_answer = answer.answer if answer.status == "ok" else None
        result = {
            key: getattr(answer, key) for key in ("status", "reason", "probability", "program")
        }
        result |= {"predicted": given_answer, "outcome": outcome(given_answer, record["answer"])}
        result["likeliest"] = answer.choices[0].answer if answer.choices else answer.answer
        results.append(record | result)
    if out is not None:
        with atomic_write(out) as file:
            file.writelines(json.dumps(r, ensure_ascii=False) + "\n" for r in results)
    seconds = (time.monotonic() - started) / max(len(results), 1)
    print(summary(results))
    print(f"{seconds:.2f} s a question, without loading")


def outcome(predicted: str | None, answer: str | None) -> str:
    """Return "right", "wrong" or "abstained"."""
    if predicted is None:
        return "right" if answer is None else "abstained"
    if answer is None:
        return "wrong"
    return "right" if same(predicted, answer) else "wrong"


def same(one: str, other: str) -> bool:
    """Whether two answers are equal without articles and case, or one ends with the other."""
    a, b = plain(one), plain(other)
    return a == b or a.endswith(" " + b) or b.endswith(" " + a)


def plain(answer: str) -> str:
    words = answer.strip().strip(".").casefold()
    for article in ARTICLES:
        words = words.removeprefix(article)
    return words


def summary(results: list[dict]) -> str:
    """Return the table by type of question."""
    rows = []
    for kind in ("all", *ANSWERABLE.values(), *sorted({r["type"] for r in results})):
        chosen = [
            r for r in results if kind in ("all", r["type"], ANSWERABLE[r["answer"] is not None])
        ]
        counts = Counter(r["outcome"] for r in chosen)
        low, high = wilson(counts["right"], len(chosen))
        shares = [f"{100 * counts[o] / len(chosen):.1f}" for o in ("right", "wrong", "abstained")]
        rows.append([kind, len(chosen), *shares, f"{100 * low:.0f} to {100 * high:.0f}"])
    return text(
        Table(("questions", "n", "right %", "wrong %", "abstained %", "95 % of right"), rows)
    )


if __name__ == "__main__":
    sys.exit(main())
