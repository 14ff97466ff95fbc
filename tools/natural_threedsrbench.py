"""Evaluate parsing of 3DSRBench's questions and noun phrases in ordinary wording.

    python -m tools.natural_threedsrbench dev

Two banks of data/natural: wordings of questions, each filled with random described objects and
correct if the program and the meaning of every option are; and noun phrases about small scenes,
each with the rows to which it refers. A row counts as found if its belief is at least half of the
highest. Use `test` only once, at the end.
"""

import argparse
import json
import sys
from collections.abc import Sequence

from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.files import read_jsonl
from po3d.io.paths import NATURAL as BANK
from po3d.io.seeding import rng
from po3d.language.programs.threedsrbench import OPERATIONS, PhraseCall
from po3d.language.read.threedsrbench_reader import read
from po3d.language.say.threedsrbench import speak
from po3d.reasoning.grounded import LEAST
from po3d.reasoning.grounding import ground
from po3d.scene.table import from_json

REPEATS = 12  # number of times a wording is filled with random objects
PHRASES = (
    "man in grey jacket",
    'street sign that says "Lakeside AV"',
    "bus in the center",
    "person in white sweater",
    "dog without shoes",
    "arrow on the black sign",
    "red hat of the person in red in the back",
    "bookshlef",
    "TV",
    "cyclist in orange suit",
    "woman to the left of the car",
    "airport ground crew",
    "chair closest to the window",
    "couple",
    "octagonal sign",
    "potted plants",
    "fruits on the ground",
    "horse that is standing behind the fence",
)


def wordings(which: str) -> dict:
    """Return the percentage of the bank's questions parsed correctly, and the wordings that never
    are."""
    records = _bank(f"srbench_wordings_{which}.jsonl.bz2")
    right, lost = 0, []
    for record in records:
        op, wording = record["op"], record["wording"]
        matches = 0
        for k in range(REPEATS):
            r = rng(0, f"wordings/{wording}", k)
            picked = r.choice(len(PHRASES), len(OPERATIONS[op].inputs), replace=False)
            program = PhraseCall(op, tuple(PHRASES[int(i)] for i in picked))
            spoken = speak(program, "free", r, wording)
            got = read(spoken.text, spoken.options)
            matches += got.program == program and dict(got.option_of) == dict(spoken.option_of)
        right += matches
        lost += [wording] if not matches else []
    return {
        "n": len(records) * REPEATS,
        "read": 100 * right / (len(records) * REPEATS),
        "never_read": lost,
    }


def phrases(which: str) -> dict:
    """Return precision and recall of rows in percent, and the share of phrases with exactly the
    correct rows."""
    tables = {s.image: s for s in (from_json(r) for r in _bank("grounding_scenes.jsonl.bz2"))}
    both = predicted = wanted = exact = 0
    records = _bank(f"grounding_{which}.jsonl.bz2")
    for record in records:
        belief = ground(record["phrase"], tables[record["scene"]])
        rows = {i for i, p in enumerate(belief) if p >= max(LEAST, max(belief) / 2)}
        gold = set(record["rows"])
        both, predicted, wanted = both + len(rows & gold), predicted + len(rows), wanted + len(gold)
        exact += rows == gold
    return {
        "n": len(records),
        "precision": 100 * both / max(predicted, 1),
        "recall": 100 * both / wanted,
        "exact": 100 * exact / len(records),
    }


def _bank(name: str) -> list[dict]:
    records = list(read_jsonl(BANK / name, "bank"))
    if not records:
        raise InputError(f"{BANK / name} is empty")
    return records


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both banks' figures as JSON; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.natural_threedsrbench", description=__doc__.splitlines()[0]
    )
    parser.add_argument("bank", choices=("dev", "test"))
    bank = parser.parse_args(arguments).bank
    return guarded(
        lambda: print(json.dumps({"wordings": wordings(bank), "phrases": phrases(bank)}, indent=1))
    )


if __name__ == "__main__":
    sys.exit(main())
