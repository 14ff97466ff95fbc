"""Evaluate the room parser on human-written text: `python -m tools.natural_rooms dev`.

Use `test` only once, at the end. The bank (data/natural/) contains hand-written edits and questions
about generated rooms with expected answers. The texts are parsed, run on the ground-truth scenes,
and scored by Hypo3D's official exact match.
"""

import argparse
from collections import Counter, defaultdict

from po3d.benchmarks.hypo3d.score import exact_match
from po3d.io.cli_errors import guarded
from po3d.io.files import read_jsonl, write_json
from po3d.io.paths import NATURAL as BANK
from po3d.reasoning.questions import Question
from po3d.scene.table import from_json
from po3d.systems.build import build_pipeline
from po3d.systems.pipeline import Context

ROOMS = ("hypo3d_rooms.jsonl.bz2", "hypo3d_rooms2.jsonl.bz2", "hypo3d_rooms3.jsonl.bz2")


def run(split: str, checkpoint: str, out: str) -> None:
    """Print the shares of correct, unparsed, failed and wrong answers; for the development part
    also the failures."""
    items = list(read_jsonl(BANK / f"hypo3d_{split}.jsonl.bz2", "natural question bank"))
    rooms = {
        r["image"]: from_json(r)
        for name in ROOMS
        for r in read_jsonl(BANK / name, "rooms of the bank")
    }
    system = build_pipeline("rooms", scenes="ground_truth", parser_checkpoint=checkpoint)
    rows = []
    for k, item in enumerate(items):
        q = Question(
            str(k),
            item["room"],
            item["question"],
            "2d",
            item["change_type"],
            item["answer"],
            change=item["change"],
            frame=item["frame"],
        )
        context = Context(lambda: None, lambda item=item: rooms[item["room"]], item["room"])
        (prediction,) = system.answer([q], context)
        right = prediction.status == "ok" and exact_match(prediction.answer, item["answer"])
        outcome = "right" if right else "wrong" if prediction.status == "ok" else prediction.status
        rows.append({**item, "outcome": outcome, "prediction": prediction})
    outcomes = ("right", "wrong", "unparsed", "failed")
    print(f"{'fine type':28} {'n':>4}" + "".join(f" {o + ' %':>10}" for o in outcomes))
    groups: dict[str, list[dict]] = defaultdict(list)
    for row in rows:
        for name in (row["fine"], f"change: {row['change_type']}", "all"):
            groups[name].append(row)
    for name in sorted(groups, key=lambda n: (n == "all", n)):
        count = Counter(row["outcome"] for row in groups[name])
        n = len(groups[name])
        print(f"{name:28} {n:4}" + "".join(f" {100 * count[o] / n:10.1f}" for o in outcomes))
    if split != "test":  # the test part is not printed
        for row in rows:
            if row["outcome"] != "right":
                p = row["prediction"]
                print(f"\n{row['outcome']}: {row['change']} | {row['question']}")
                print(f"  gold {row['answer']}: {row['change_program']} ; {row['program']}")
                print(f"  pred {p.answer}: {p.program} {p.reason}")
    if out:
        write_json(out, {"split": split, "outcomes": [row["outcome"] for row in rows]})


def main() -> int:
    arguments = argparse.ArgumentParser(
        prog="python -m tools.natural_rooms", description=__doc__.split("\n")[0]
    )
    arguments.add_argument("split", choices=("dev", "dev2", "dev3", "test"))
    arguments.add_argument(
        "--checkpoint", default="room_parser", help="name of a shipped checkpoint, or a path"
    )
    arguments.add_argument("--out", default="", help="JSON file to write with all outcomes")
    a = arguments.parse_args()
    return guarded(lambda: run(a.split, a.checkpoint, a.out))


if __name__ == "__main__":
    raise SystemExit(main())
