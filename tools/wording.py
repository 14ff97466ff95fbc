"""Check the bank of natural sentences: `python -m tools.wording [FOLDER]`.

The folder (default data/wording) holds scenes as tables (`tables_PART.jsonl`) and sentences about them (`sentences_PART.jsonl`), a
part for training, development and test; `README.md` there says how they came to be and what the fields mean. Complains of what
can't be so (a field that is missing, things that overlap or float, a scene that nobody has) and of sentences that stand in two
parts; prints how many there are of each kind. Sentences of the test part are never printed.
"""

import argparse
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from po3d.io.errors import InputError
from po3d.io.files import read_jsonl
from po3d.io.guard import guarded
from po3d.io.shipped import ROOT

PARTS = ("train", "dev", "test")
KINDS = ("room", "street", "photo", "orbit")
THING = {"name", "color", "material", "state", "size", "at", "heading"}
LINE = {"scene", "kind", "hand", "change", "frame", "task", "options", "question", "answer", "why"}
TOUCH = 0.06  # metres between an underside and what it rests on
OUTSIDE = 0.25  # metres that a door or a window may stand in the wall


def corners(thing: dict) -> list[tuple[float, float]]:
    """The ground corners of a thing's box, counter-clockwise."""
    (length, width, _), (x, y, _) = thing["size"], thing["at"]
    c, s = math.cos(math.radians(thing["heading"])), math.sin(math.radians(thing["heading"]))
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    return [
        (x + c * a * length / 2 - s * b * width / 2, y + s * a * length / 2 + c * b * width / 2)
        for a, b in signs
    ]


def overlap(a: dict, b: dict) -> bool:
    """Whether two boxes share ground (more than 2 cm)."""
    import shapely

    shared = shapely.Polygon(corners(a)).buffer(-0.01).intersection(shapely.Polygon(corners(b)).buffer(-0.01))
    return not shared.is_empty


def of_scene(scene: dict) -> Iterator[str]:
    """What is wrong with a scene."""
    things = scene["objects"]
    for k, thing in enumerate(things):
        if set(thing) != THING:
            yield f"thing {k} has the fields {sorted(thing)}"
            return
    if scene["kind"] == "room":
        width, depth = scene["size"]
        for thing in things:
            inside = all(
                -OUTSIDE <= x <= width + OUTSIDE and -OUTSIDE <= y <= depth + OUTSIDE
                for x, y in corners(thing)
            )
            if not inside:
                yield f"{thing['name']} stands outside the room"
    if scene["kind"] in ("street", "orbit"):
        for a, b in itertools.combinations(things, 2):
            apart = (
                a["at"][2] + a["size"][2] <= b["at"][2] + 0.03
                or b["at"][2] + b["size"][2] <= a["at"][2] + 0.03
            )
            if not apart and overlap(a, b):
                yield f"{a['name']} and {b['name']} overlap"


def of_line(line: dict, scenes: dict[str, dict]) -> Iterator[str]:
    """What is wrong with a sentence."""
    if set(line) != LINE:
        yield f"has the fields {sorted(line)}"
        return
    if line["scene"] not in scenes or scenes[line["scene"]]["kind"] != line["kind"]:
        yield f"is about {line['scene']}, which is no {line['kind']} of its part"
    if not line["question"].strip():
        yield "has no question"
    if line["answer"] is None and not line["why"]:
        yield "has no answer and doesn't say why"
    if line["options"] is not None and line["answer"] is not None and line["answer"] not in line["options"]:
        yield "has an answer that is none of its options"


def plain(line: dict) -> str:
    """Change and question without case, punctuation and articles: equal for sentences that are the same."""
    words = re.findall(r"[a-z0-9]+", f"{line['change'] or ''} {line['question']}".lower())
    return " ".join(w for w in words if w not in ("a", "an", "the"))


def check(folder: Path) -> tuple[list[str], dict[str, Counter]]:
    """Complaints, and how many sentences of each kind a part has."""
    complaints, counts = [], {}
    seen: dict[str, str] = {}
    for part in PARTS:
        scenes = {s["id"]: s for s in read_jsonl(folder / f"tables_{part}.jsonl", "scenes")}
        for scene in scenes.values():
            complaints += [f"{scene['id']}: {wrong}" for wrong in of_scene(scene)]
        counts[part] = Counter()
        for k, line in enumerate(read_jsonl(folder / f"sentences_{part}.jsonl", "sentences"), 1):
            complaints += [f"{part} line {k} {wrong}" for wrong in of_line(line, scenes)]
            counts[part][line.get("kind", "")] += 1
            counts[part]["no answer"] += line.get("answer") is None
            counts[part]["change"] += line.get("change") is not None
            text = plain(line)
            if seen.setdefault(text, part) != part:
                complaints.append(f"{part} line {k} stands in {seen[text]}, too")
    return complaints, counts


def main() -> int:
    """The exit code: 2 where something is wrong."""
    parser = argparse.ArgumentParser("python -m tools.wording", description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "data" / "wording")
    a = parser.parse_args()

    def run() -> None:
        complaints, counts = check(a.folder)
        for part, found in counts.items():
            kinds = ", ".join(f"{found[k]} {k}" for k in KINDS)
            total = sum(found[k] for k in KINDS)
            print(
                f"{part}: {total} sentences ({kinds}), {found['change']} with a change, {found['no answer']} without answer"
            )
        if complaints:
            raise InputError(f"{len(complaints)} complaints:\n" + "\n".join(complaints[:40]))

    return guarded(run)


if __name__ == "__main__":
    raise SystemExit(main())
