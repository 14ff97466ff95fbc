"""Training data from free sentences, each with a restatement in the generated language.

    python -m tools.wording_stories scenes room --seed 301 --number 36 --out FOLDER/scenes_1
        writes FILE.txt (for people) and FILE.json
    python -m tools.wording_stories read FOLDER --reader reader
    python -m tools.wording_gather FOLDER --out data/wording/stories_train.jsonl.bz2

Writers get the scenes and the patterns of generated sentences (those of `po3d language say` only:
others may be parsed wrongly) and write said_K.jsonl about scenes_K.json: {"scene": number, "voice":
who, "change": [free sentence, restatement], "frame": [...], "question": [...], "options": [...]},
with some of the three sentences, as one person says them together. Each restatement must be
understandable alone; "Nothing changed." and "No answer." are allowed. `read` parses the
restatements and writes the reliable ones as prompts_K.jsonl and written_K.jsonl.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from po3d.io.checkpoint import locate
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, read_jsonl, write_json
from po3d.io.seeding import rng
from po3d.language.program import Call
from po3d.language.read.reader import GeneralParser, ParserOutput
from po3d.language.read.reader_tokens import REFUSALS, ParserInput, Sort
from po3d.scene.vocabulary import COLORS, MATERIALS, SIZES
from po3d.training.reader_tables import LENGTHS, with_things
from tools.wording_programs import Random, names_by_use, pick, synthetic_room
from tools.wording_run import NoAnswer, Table

NOTHING = ("Nothing changed.", "No answer.")  # restatements without a program
# Smallest probability of a parse; of one that can be executed; and of one that can be executed and
# is AHEAD times as likely as the next.
SURE, RUNS, LIKELY, AHEAD = 0.8, 0.35, 0.2, 1.5
APART = 1.1  # smallest distance between toy vehicles, metres
# probabilities: a photograph shows two objects of one name; an object's colour is given
TWICE, COLORED = 0.4, 0.45
LOOKS = ("color", "material", "state", "size")
FACING = ("left", "right", "front", "back")


def scene(kind: str, random: Random) -> dict:
    """Return a scene in the bank's format, with attributes as words."""
    if kind == "room":
        return {"kind": kind, **synthetic_room(random)}
    if kind == "photo":
        return {"kind": kind, "objects": photographed(random)}
    things: list[dict] = []
    while len(things) < 5 or (random.random() < 0.75 and len(things) < 8):
        x, y = round(float(random.uniform(-3, 3)), 1), round(float(random.uniform(-2.5, 2.5)), 1)
        if all((x - t["at"][0]) ** 2 + (y - t["at"][1]) ** 2 > APART**2 for t in things):
            looks = {
                "size": pick(random, SIZES),
                "color": pick(random, COLORS),
                "material": pick(random, MATERIALS),
            }
            name = (
                things[0]["name"]
                if len(things) == 1 and random.random() < 0.6
                else pick(random, tuple(LENGTHS))
            )
            things.append({"name": name, **looks, "at": [x, y, 0.0], "facing": pick(random, FACING)})
    return {"kind": kind, "objects": things}


def photographed(random: Random) -> list[dict]:
    """Return the objects of a photograph: people or animals, up to two vehicles, others; objects of
    equal name have colours.
    """
    names = names_by_use()
    household = [name for use in ("seat", "floor", "small", "wall") for name in names[use]]
    chosen = [*_some(random, names["who"], 3), *_some(random, names["vehicle"], int(random.integers(3)))]
    chosen += [*_some(random, names["outdoors"], int(random.integers(3))), *_some(random, household, 3)]
    if random.random() < TWICE:
        chosen.append(chosen[-1])
    plain = [name in names["who"] or random.random() > COLORED for name in chosen]
    return [
        {"name": name} | ({} if bare and chosen.count(name) == 1 else {"color": pick(random, COLORS)})
        for name, bare in zip(chosen, plain, strict=True)
    ]


def _some(random: Random, names: Sequence[str], number: int) -> list[str]:
    return [names[k] for k in random.choice(len(names), number, replace=False)]


def words(thing: dict) -> list[str]:
    """Return an object's name and attributes, as in the parser's input."""
    return [thing["name"], *(w for look in LOOKS if isinstance(w := thing.get(look), str) and w)]


def scene_text(number: int, scene: dict) -> str:
    """Format a scene for people."""
    lines = [f"\n== scene {number}: {scene['kind']}"]
    for thing in scene["objects"]:
        name, *looks = words(thing)
        place = f" at x {thing['at'][0]:.1f} y {thing['at'][1]:.1f}" if "at" in thing else ""
        if (rest := _below(thing, scene["objects"])) or thing.get("facing"):
            place += f", on the {rest}" if rest else f", points {thing['facing']}"
        lines.append(f"{' '.join((*looks, name))}{place}")
    return "\n".join(lines)


def _below(thing: dict, things: Sequence[dict]) -> str:
    """Return what an object of a room stands on, "" for the floor."""
    if len(thing.get("at", ())) < 3 or not isinstance(thing.get("size"), list) or thing["at"][2] < 0.05:
        return ""
    x, y, z = thing["at"]
    for other in things:
        (length, width, height), (u, v, low) = other["size"], other["at"]
        if (
            other is not thing
            and abs(low + height - z) < 0.06
            and max(abs(u - x), abs(v - y)) < max(length, width) / 2
        ):
            return other["name"]
    return "wall"


def runs(scene: dict, sort: str, program: Call, after: str | None = None) -> bool:
    """Return whether a program can be executed on a room, after the edit `after`; always true for
    other kinds of scenes.
    """
    if scene["kind"] != "room":
        return True
    table = Table(scene, wide=True)
    try:
        if after and after not in REFUSALS:
            table.edit(Call.parse(after))
        {"change": table.edit, "frame": table.frame, "question": table.answers}[sort](program)
    except (NoAnswer, KeyError, TypeError, ValueError, IndexError):
        return False
    return True


def agreed_program(
    scene: dict, sort: str, readings: Sequence[ParserOutput], after: str | None = None
) -> str | None:
    """Return the program of a restatement from its parses, most likely first; None if they are not
    reliable.
    """
    first, *rest = readings
    if first.program is None:
        return None
    p, following = first.probability, rest[0].probability if rest else 0.0
    likely = p > RUNS or (p > LIKELY and p > AHEAD * following)
    return first.program.text() if p > SURE or (likely and runs(scene, sort, first.program, after)) else None


def read(folder: Path, reader: GeneralParser) -> Counter:
    """Write prompts and wordings beside the writers' files; return counts of kept and rejected
    sentences.
    """
    counts: Counter = Counter()
    for path in sorted(folder.glob("said_*.jsonl")):
        scenes = read_json(folder / path.name.replace("said", "scenes").replace(".jsonl", ".json"), "scenes")
        lines = list(read_jsonl(path, "stories"))
        plain = [_plain(line, sort, scenes, path) for line in lines for sort in _sorts(line, path)]
        parses = iter(reader.together(plain))
        prompts: list[dict] = []
        voices: list[dict] = []
        for line in lines:
            scene = scenes[line["scene"]]
            programs = understood(line, scene, {sort: next(parses)[sort] for sort in _sorts(line, path)})
            counts.update(f"{sort}, {'kept' if text else 'not sure'}" for sort, text in programs.items())
            if any(programs.values()):
                table = f"story-{path.stem.removeprefix('said_')}-{line['scene']}"
                prompt, voice = written(line, scene, programs)
                prompts.append({"n": len(prompts), "table": table} | prompt)
                voices.append({"n": len(voices)} | voice)
        for what, records in (("prompts", prompts), ("written", voices)):
            with atomic_write(path.with_name(path.name.replace("said", what))) as file:
                file.writelines(json.dumps(record) + "\n" for record in records)
    return counts


def understood(line: dict, scene: dict, read: Mapping[Sort, Sequence[ParserOutput]]) -> dict[Sort, str]:
    """Return the programs of a line's restatements from their parses, "" if unreliable."""
    programs: dict[Sort, str] = {}
    for sort, readings in read.items():
        after = programs.get("change") if sort == "question" else None
        known = "none" if line[sort][1] in NOTHING else agreed_program(scene, sort, readings, after)
        programs[sort] = known or ""
    return programs


def written(line: dict, scene: dict, programs: Mapping[Sort, str]) -> tuple[dict, dict]:
    """Return a prompt for the last of a line's sentences with a known program, with the other
    sentences beside it, and its wording.
    """
    first = [sort for sort in programs if programs[sort]][-1]
    sentences = {sort: " ".join(line[sort][0].split()) for sort in programs}
    prompt = {
        "kind": scene["kind"],
        "things": [words(t) for t in scene["objects"]],
        "sort": first,
        "says": line[first][1],
        "program": programs[first],
        "options": [str(o) for o in line.get("options") or ()],
        "beside": [[sort, sentences[sort], text] for sort, text in programs.items() if sort != first],
    }
    return prompt, {"voice": line.get("voice", ""), "says": sentences[first]}


ORDER: tuple[Sort, ...] = ("change", "frame", "question")  # in the order of speaking


def _sorts(line: dict, path: Path) -> list[Sort]:
    """Return the kinds of a line's sentences. Raise InputError for an invalid line."""
    sorts = [sort for sort in ORDER if line.get(sort)]
    whole = all(
        isinstance(line[sort], list) and [type(t) for t in line[sort]] == [str, str] for sort in sorts
    )
    if not sorts or not whole:
        raise InputError(f"{path}: {json.dumps(line)[:80]} is nothing said about a scene")
    return sorts


def _plain(line: dict, sort: Sort, scenes: Sequence[dict], path: Path) -> ParserInput:
    if not isinstance(line.get("scene"), int) or not 0 <= line["scene"] < len(scenes):
        raise InputError(f"{path}: {json.dumps(line)[:80]} is nothing said about a scene")
    scene = scenes[line["scene"]]
    options = tuple(str(o) for o in line.get("options") or ())
    inputs = ParserInput(
        kind=scene["kind"], options=options if sort == "question" else (), **{sort: line[sort][1]}
    )
    return with_things(inputs, [words(t) for t in scene["objects"]])


def main() -> int:
    """Run the command line; return the exit code: 2 on errors."""
    parser = argparse.ArgumentParser(
        "python -m tools.wording_stories", description=(__doc__ or "").split("\n")[0]
    )
    commands = parser.add_subparsers(dest="command", required=True)
    scenes_parser = commands.add_parser("scenes", help="made-up scenes to write about")
    scenes_parser.add_argument("kind", choices=("room", "street", "photo"))
    scenes_parser.add_argument("--seed", type=int, required=True)
    scenes_parser.add_argument("--number", type=int, default=36)
    scenes_parser.add_argument("--out", type=Path, required=True, help="without its ending")
    read_parser = commands.add_parser("read", help="the programs of what was written")
    read_parser.add_argument("folder", type=Path)
    read_parser.add_argument("--reader", default="reader")
    a = parser.parse_args()

    def run() -> None:
        if a.command == "read":
            counts = read(a.folder, GeneralParser.from_checkpoint(locate(a.reader)))
            print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
            return
        records = [scene(a.kind, rng(a.seed, "stories", k)) for k in range(a.number)]
        write_json(a.out.with_suffix(".json"), records)
        with atomic_write(a.out.with_suffix(".txt")) as file:
            file.write("\n".join(scene_text(k, record) for k, record in enumerate(records)) + "\n")

    return guarded(run)


if __name__ == "__main__":
    raise SystemExit(main())
