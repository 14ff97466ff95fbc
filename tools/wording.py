"""Check the bank of natural sentences.

    python -m tools.wording
        checks the files: fields, scenes, duplicates
    python -m tools.wording show train --from 0 --to 19
        prints sentences with their scenes
    python -m tools.wording check train --from 0 --to 199 [--programs FILE] [--all]
        checks programs: types, and their answers
    python -m tools.wording read dev --reader old --reader reader
        accuracy of parsers, by the answers of their programs
    python -m tools.wording read test --reader old --reader reader
        the final figure: each run is logged in `readings_test.jsonl`

The folder (default data/wording) holds scenes (`tables_PART.jsonl`) and sentences about them
(`sentences_PART.jsonl`), a part each for training, development and test; its `README.md` describes
their origin and the fields. Reports invalid records (a missing field, objects that overlap or
float, an unknown scene) and sentences that occur in two parts; prints the number of sentences of
each kind. Sentences of the test part are never printed.
"""

import argparse
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_jsonl
from po3d.io.paths import ROOT
from po3d.language.program import ANSWERS, Call, ProgramError
from po3d.training.reader_pairs import left_out, records, tables
from tools.wording_run import NoAnswer, Table

PARTS = ("train", "dev", "test")
KINDS = ("room", "street", "photo", "orbit")
THING = {"name", "color", "material", "state", "size", "at", "heading"}
LINE = {"scene", "kind", "hand", "change", "frame", "task", "options", "question", "answer", "why"}
SORTS = ("question", "change", "frame")
PARSERS = ("street_parser", "room_parser")  # checkpoints of the benchmarks' parsers
# networks of readers that are not checkpoints
BOTH = (*PARSERS, "reader")
NETWORKS = {"gold": (), "old": PARSERS, "ask": BOTH, "evaluate": BOTH}
TOUCH = 0.06  # largest gap between an underside and its support, metres
OUTSIDE = 0.25  # largest overlap of a door or a window with the wall, metres


def corners(thing: dict) -> list[tuple[float, float]]:
    """Return the ground corners of an object's box, counter-clockwise."""
    (length, width, _), (x, y, _) = thing["size"], thing["at"]
    c, s = math.cos(math.radians(thing["heading"])), math.sin(math.radians(thing["heading"]))
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    return [
        (x + c * a * length / 2 - s * b * width / 2, y + s * a * length / 2 + c * b * width / 2)
        for a, b in signs
    ]


def overlap(a: dict, b: dict) -> bool:
    """Return whether two footprints overlap (by more than 2 cm)."""
    import shapely

    shared = (
        shapely.Polygon(corners(a))
        .buffer(-0.01)
        .intersection(shapely.Polygon(corners(b)).buffer(-0.01))
    )
    return not shared.is_empty


def of_scene(scene: dict) -> Iterator[str]:
    """Yield the errors of a scene."""
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
            separated = (
                a["at"][2] + a["size"][2] <= b["at"][2] + 0.03
                or b["at"][2] + b["size"][2] <= a["at"][2] + 0.03
            )
            if not separated and overlap(a, b):
                yield f"{a['name']} and {b['name']} overlap"


def of_line(line: dict, scenes: dict[str, dict]) -> Iterator[str]:
    """Yield the errors of a sentence record."""
    if set(line) != LINE:
        yield f"has the fields {sorted(line)}"
        return
    if line["scene"] not in scenes or scenes[line["scene"]]["kind"] != line["kind"]:
        yield f"is about {line['scene']}, which is no {line['kind']} of its part"
    if not line["question"].strip():
        yield "has no question"
    if line["answer"] is None and not line["why"]:
        yield "has no answer and doesn't say why"
    if (
        line["options"] is not None
        and line["answer"] is not None
        and line["answer"] not in line["options"]
    ):
        yield "has an answer that is none of its options"


def plain(line: dict) -> str:
    """Return change and question without case, punctuation and articles, for finding duplicates."""
    words = re.findall(r"[a-z0-9]+", f"{line['change'] or ''} {line['question']}".lower())
    return " ".join(w for w in words if w not in ("a", "an", "the"))


def simple(text: str) -> str:
    """Return a sentence without case and punctuation."""
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def in_training(folder: Path) -> Iterator[str]:
    """Yield lines of the training part with a sentence that also occurs in another part, unless
    excluded from training.
    """
    held_out = {
        (sort, simple(line[sort])): part
        for part in ("dev", "test")
        for line in records("sentences", part, folder)
        for sort in SORTS
        if line.get(sort)
    }
    without = left_out("train", folder)
    for n, line in enumerate(records("sentences", "train", folder)):
        for sort in SORTS:
            part = held_out.get((sort, simple(line.get(sort) or "")))
            if part and n not in without:
                yield (
                    f"train line {n + 1}: its {sort} stands in {part}, too; left_out_train.txt"
                    f" should name {n}"
                )


def readings_told(folder: Path) -> Iterator[str]:
    """Yield differences between README and the log of the test part's evaluations."""
    log, page = folder / "readings_test.jsonl", folder / "README.md"
    if log.exists() and page.exists():
        count = sum(1 for _ in read_jsonl(log, "readings"))
        if f"has been read {count} times" not in page.read_text(encoding="utf-8"):
            yield f"{page} should say that the test part has been read {count} times"


def check(folder: Path) -> tuple[list[str], dict[str, Counter]]:
    """Return errors, and the number of sentences of each kind in a part."""
    complaints, counts = [], {}
    texts: dict[str, str] = {}
    for part in PARTS:
        scenes = tables(part, folder)
        for scene in scenes.values():
            complaints += [f"{scene['id']}: {wrong}" for wrong in of_scene(scene)]
        counts[part] = Counter()
        for k, line in enumerate(records("sentences", part, folder), 1):
            complaints += [f"{part} line {k} {wrong}" for wrong in of_line(line, scenes)]
            counts[part][line.get("kind", "")] += 1
            counts[part]["no answer"] += line.get("answer") is None
            counts[part]["change"] += line.get("change") is not None
            text = plain(line)
            if texts.setdefault(text, part) != part:
                complaints.append(f"{part} line {k} stands in {texts[text]}, too")
    return [*complaints, *in_training(folder), *readings_told(folder)], counts


# --- programs -------------------------------------------------------------------------------------

# reasons why a question has no program: it is unanswerable, or the language cannot express it
NOTES = ("none", "beyond")
SAME_WORD = {
    "back": "behind",
    "before": "front",
    "ahead": "front",
    "grey": "gray",
    "true": "yes",
    "false": "no",
    "right hand": "right",
    "left hand": "left",
    "none": "nothing",
    "nobody": "nothing",
    "zero": "0",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "wooden": "wood",
    "center": "middle",
    "centre": "middle",
    "aye": "yes",
    "correct": "yes",
    "y": "yes",
    "n": "no",
    "yep": "yes",
    "nope": "no",
    "big": "large",
    "opposite": "different",
}
EMPTY = {
    "a",
    "an",
    "the",
    "of",
    "in",
    "it",
    "her",
    "him",
    "his",
    "its",
    "them",
    "me",
    "you",
    "us",
    "on",
    "at",
    "to",
    "side",
    "one",
    "same",
}
WAYS = {"front", "behind", "left", "right"}


def words(answer: str) -> frozenset[str]:
    """Return the significant words of an answer."""
    tokens = [
        SAME_WORD.get(w, w) for w in re.findall(r"[a-z0-9.]+", answer.lower().replace("'s", ""))
    ]
    return frozenset(w for w in tokens if w not in EMPTY) or frozenset(tokens)


def agrees(got: str, wanted: str) -> bool:
    """Return whether an answer matches an annotator's: words may be missing, but not directions."""
    a, b = words(got), words(wanted)
    if not a or a == b:
        return a == b
    if (a | b) & WAYS:
        return a & (WAYS | {"middle"}) == b & (WAYS | {"middle"})
    return a <= b or b <= a


def answers(line: dict, programs: dict, scene: dict, wide: bool) -> list[str]:
    """Return the correct answers of a line's programs. Raise NoAnswer if there are none."""
    table = Table(scene, line["task"], line["options"], wide)
    if programs.get("frame"):
        table.room = table.frame(Call.parse(programs["frame"]))
    if programs.get("change"):
        table.edit(Call.parse(programs["change"]))
    return table.answers(Call.parse(programs["question"]))


def judged(line: dict, programs: dict, scene: dict) -> str:
    """Return the verdict on a line, which begins with ok, differs, fails or no program."""
    kinds = {"question": ANSWERS, "change": ("edit",), "frame": ("frame",)}
    for field, kind in kinds.items():
        if (text := programs.get(field)) is not None:
            if line[field] is None:
                return f"fails ({field}: the line has none)"
            try:
                if (program := Call.parse(text)).output not in kind:
                    return f"fails ({field}: gives {program.output}, not {' or '.join(kind)})"
            except ProgramError as error:
                return f"fails ({field}: {error})"
    if programs.get("question") is None:
        note = str(programs.get("note") or "").partition(" ")[0].rstrip(":,;")
        if note not in NOTES:
            return f"fails (no program, and the note is none of {', '.join(NOTES)})"
        return f"no program ({note})" + (
            " but the hand has an answer" * (note == "none" and line["answer"] is not None)
        )
    got: list[str] = []
    why = ""
    for wide in (False, True):
        try:
            got += answers(line, programs, scene, wide)
        except NoAnswer as failure:
            why = why or str(failure)
    wanted = line["answer"]
    if wanted is None:
        return (
            f"ok (no answer: {why})"
            if why
            else f"differs (got {got[0]}, wanted none: {line['why']})"
        )
    if any(agrees(g, wanted) for g in got):
        return f"ok ({wanted})"
    if why.startswith("nothing") and words(wanted) <= {"nothing", "0", "no"}:
        return f"ok ({wanted})"
    return (
        f"differs (got {' / '.join(dict.fromkeys(g for g in got if g))}, wanted {wanted})"
        if got
        else f"fails ({why})"
    )


def check_programs(
    folder: Path, part: str, path: Path | None, first: int, last: int | None, everything: bool
) -> None:
    """Print the errors of a part's programs, and how many are correct. Raise InputError for an
    invalid file.
    """
    scenes = tables(part, folder)
    lines = records("sentences", part, folder)
    counts: Counter = Counter()
    for record in read_jsonl(path, "programs") if path else records("programs", part, folder):
        n = record.get("n")
        if not isinstance(n, int) or not 0 <= n < len(lines):
            raise InputError(
                f"n is {n!r}, which is not a line of sentences_{part}.jsonl (0 to {len(lines) - 1})"
            )
        if n < first or (last is not None and n > last):
            continue
        verdict = judged(lines[n], record, scenes[lines[n]["scene"]])
        counts[verdict.partition(" (")[0]] += 1
        if (
            everything
            or not verdict.startswith(("ok", "no program"))
            or verdict.endswith("has an answer")
        ):
            print(f"{n}: {verdict}")
            print(
                "    "
                + " | ".join(str(lines[n][f]) for f in ("scene", "change", "frame", "question"))
            )
            print(
                "    "
                + json.dumps(
                    {k: record.get(k) for k in ("change", "frame", "question") if record.get(k)}
                )
            )
    print(", ".join(f"{v} {k}" for k, v in counts.most_common()))


def show(folder: Path, part: str, first: int, last: int | None) -> None:
    """Print lines of a part with their scenes, for writing programs."""
    scenes = tables(part, folder)
    lines = records("sentences", part, folder)
    last_scene: str | None = None
    for n, line in enumerate(lines[: len(lines) if last is None else last + 1]):
        if n < first:
            continue
        if line["scene"] != last_scene:
            scene, last_scene = scenes[line["scene"]], line["scene"]
            print(f"\n== {last_scene}: {scene['about']} {scene.get('size', '')}")
            for o in Table(scene).things:
                looks = ", ".join(w for w in (o.color, o.material, o.state, o.value("size")) if w)
                print(f"  {o.name} ({looks}) at {o.at} size {o.size} heading {o.heading:g}")
        fields = [
            f"{f.upper()[0]}: {line[f]}" for f in ("change", "frame", "task", "options") if line[f]
        ]
        answer = line["answer"] or f"none ({line['why']})"
        print(f"{n} " + " | ".join([*fields, f"Q: {line['question']}", f"A: {answer}"]))


def read(
    folder: Path, part: str, readers: Sequence[str], out: Path | None, calibrate: bool
) -> None:
    """Print the results of parsers on a part. `out`: a folder for each parser's outputs;
    `calibrate`: fit the last one's certainty.
    """
    from po3d.io.checkpoint import locate
    from po3d.language.read.reader import GeneralParser
    from tools import wording_read as reading

    if part == "test" and (out is not None or calibrate):
        raise InputError("the test part is read for its figures alone: no --out, no --calibrate")
    scenes = {name: reading.scene_of(scene) for name, scene in tables(part, folder).items()}
    lines, programs = records("sentences", part, folder), records("programs", part, folder)
    for name in readers:
        network = None if name in reading.NAMED else GeneralParser.from_checkpoint(locate(name))
        candidates = reading.readings(name, lines, programs, scenes)

        if network is not None and calibrate and name == readers[-1]:
            network.weighing = reading.calibrated(lines, candidates, agrees)
        chosen = [
            reading.chosen(item, *([] if network is None else [network.weighing]))
            for item in candidates
        ]
        outcomes = [reading.judged(*item, agrees) for item in zip(lines, chosen, strict=True)]
        if network is not None and calibrate and name == readers[-1]:
            network.certainty = reading.certainty(reading.by_others(lines, candidates, agrees))
            reading.keep_certainty(name, network.certainty, network.weighing)
        if network is not None:
            outcomes = [j._replace(probability=network.certain(j.probability)) for j in outcomes]
        kinds = [line["kind"] for line in lines]
        figures = f"{reading.table_of(outcomes, kinds)}\n{reading.coverage(outcomes)}"
        print(f"{name} on {part}\n{figures}")
        if part == "test":
            log_reading(folder / "readings_test.jsonl", name, figures)
        if out is not None:
            reading.write(out / f"{Path(name).name}_{part}.jsonl", lines, chosen, outcomes)


def weights_of(reader: str) -> dict[str, str]:
    """Return the hash of the weights of each network that a parser uses: its own, and the
    benchmarks' parsers.
    """
    from po3d.io.checkpoint import digest, locate

    names = NETWORKS.get(reader, (reader,))
    return {Path(name).name: digest(locate(name)) for name in names}


def log_reading(path: Path, reader: str, figures: str) -> None:
    """Append an evaluation on the test part to the log: date, parser with hashes of weights and
    code, results.
    """
    from po3d.io.checkpoint import git_revision

    earlier = list(read_jsonl(path, "readings")) if path.exists() else []
    created = {"weights": weights_of(reader), "git": git_revision()}
    record = {
        "date": f"{date.today()}",
        "reader": Path(reader).name,
        **created,
        "figures": figures.splitlines(),
    }
    with atomic_write(path) as file:
        file.writelines(json.dumps(r, ensure_ascii=False) + "\n" for r in [*earlier, record])
    print(f"reading {len(earlier) + 1} of the test part: {path}")


def blind(folder: Path, part: str) -> tuple[int, int]:
    """Return, for the lines of a part that a second annotator answered blindly, on how many both
    agree, and their number.
    """
    lines = records("sentences", part, folder)
    second = {r["n"]: r["answer"] for r in records("blind", part, folder)}
    pairs = [(lines[n]["answer"], answer) for n, answer in second.items()]
    same = sum(
        a is None and b is None if a is None or b is None else agrees(a, b) or agrees(b, a)
        for a, b in pairs
    )
    return same, len(pairs)


def main() -> int:
    """Run the command line; return the exit code: 2 on errors."""
    parser = argparse.ArgumentParser("python -m tools.wording", description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "data" / "wording")
    commands = parser.add_subparsers(dest="command")
    programs = commands.add_parser(
        "check", help="type-check programs, run them, compare with the annotators' answers"
    )
    programs.add_argument("part", choices=PARTS)
    programs.add_argument("--programs", type=Path, help="instead of the folder's: a chunk")
    programs.add_argument("--from", dest="first", type=int, default=0)
    programs.add_argument("--to", dest="last", type=int, default=None)
    programs.add_argument("--all", action="store_true", help="print right lines, too")
    commands.add_parser("blind", help="how often a second hand gives the first one's answer")
    listed = commands.add_parser("show", help="print sentences with their tables")
    listed.add_argument("part", choices=("train", "dev"))
    listed.add_argument("--from", dest="first", type=int, default=0)
    listed.add_argument("--to", dest="last", type=int, default=None)
    tried = commands.add_parser(
        "read", help="read sentences, run the programs, compare the answers"
    )
    tried.add_argument("part", choices=PARTS)
    tried.add_argument(
        "--reader",
        action="append",
        required=True,
        help=(
            "gold (the annotators' programs), old (the readers of benchmarks' wording), ask (as"
            " `po3d ask`), or a checkpoint; repeat it"
        ),
    )
    tried.add_argument("--out", type=Path, help="a folder for what each reader read")
    tried.add_argument(
        "--calibrate",
        action="store_true",
        help="find on this part how certain the last reader is, and write it into its description",
    )
    a = parser.parse_args()

    def run() -> None:
        if a.command == "check":
            check_programs(a.folder, a.part, a.programs, a.first, a.last, a.all)
            return
        if a.command == "blind":
            for part in PARTS:
                same, count = blind(a.folder, part)
                print(f"{part}: {same} of {count} ({100 * same / count:.1f} %)")
            return
        if a.command == "show":
            show(a.folder, a.part, a.first, a.last)
            return
        if a.command == "read":
            read(a.folder, a.part, a.reader, a.out, a.calibrate)
            return
        complaints, counts = check(a.folder)
        for part, part_counts in counts.items():
            kinds = ", ".join(f"{part_counts[k]} {k}" for k in KINDS)
            total = sum(part_counts[k] for k in KINDS)
            print(
                f"{part}: {total} sentences ({kinds}), {part_counts['change']} with a change,"
                f" {part_counts['no answer']} without answer"
            )
        if complaints:
            raise InputError(f"{len(complaints)} complaints:\n" + "\n".join(complaints[:40]))

    return guarded(run)


if __name__ == "__main__":
    raise SystemExit(main())
