"""Compare the outputs of the working tree with recorded ones: `python -m tools.gates check`.

    python -m tools.gates                              all parts; exit code 1 if something changed
    python -m tools.gates check --fast                 without the parts that run networks
    python -m tools.gates check --only predictions/scope twins
    python -m tools.gates record --only ask            a new baseline, to be explained in the commit
    python -m tools.gates list

A part is a list of items (questions, sentences, files), the texts of some columns for each
(answers, programs), and figures. tests/golden/gates.json stores 12 bits of each text (compressed
per column), which identify changed items, and one long digest of each column, which detects every
change. Rules:

    exact       any text or figure that differs counts as changed
    tolerant    a figure counts as changed if it differs by more than 0.5 points, or by more than
                one item if that is larger; other answers are counted and listed, because networks
                round differently on other machines and samples may have another order
    speed       a figure below 95 % of the recorded one; only with --bench, on the machine that
                recorded it
"""

import argparse
import base64
import bz2
import contextlib
import hashlib
import importlib.metadata
import importlib.util
import io
import itertools
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from po3d.__main__ import main as po3d
from po3d.io.checkpoint import git_revision, locate
from po3d.io.cli_errors import guarded
from po3d.io.config import compose
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, read_jsonl, sha256, write_json
from po3d.io.paths import MINI, NATURAL
from po3d.io.paths import ROOT as SHIPPED
from po3d.io.runs import LOCK
from po3d.io.seeding import rng

ROOT = Path(__file__).resolve().parents[1]
BASELINE = ROOT / "tests" / "golden" / "gates.json"
POINTS = 0.5  # tolerance of a figure of a tolerant part, percentage points
SLOWEST = 0.95  # fraction of the recorded speed
NAMED = 12  # largest number of changed items to list by name
WITHOUT_ITEMS = ("oracle", "random", "frequency", "planar")  # stored as one digest a column
DIGEST = 2  # characters of base64 per item
WHOLE = 16  # hex digits of a column's own digest
TWIN_SIZE, TWIN_SEED = 2, 3

Rule = Literal["exact", "tolerant", "speed"]
Items = Mapping[str, Mapping[str, str]]  # column -> item -> text; all columns have equal items


class Figure(NamedTuple):
    value: float
    n: int = 0  # number of items of which it is the share; 0: not a share


class Answers(NamedTuple):
    """Outputs of one part."""

    items: Items
    figures: Mapping[str, Figure] = {}


class Part(NamedTuple):
    name: str
    answers: Callable[[], Answers]
    rule: Rule = "exact"
    networks: bool = False


class Moved(NamedTuple):
    text: str
    fails: bool = True


def packed(answers: Answers) -> dict[str, Any]:
    """Return the record of a part for the baseline."""
    names = _names(answers)
    columns = {
        column: _digests(texts[name] for name in names) for column, texts in answers.items.items()
    }
    return {
        "items": len(names),
        "names": _hash("\n".join(names))[:WHOLE],
        "columns": columns,
        "figures": {name: [round(f.value, 4), f.n] for name, f in answers.figures.items()},
    }


def moved(part: Part, before: Mapping[str, Any], answers: Answers) -> list[Moved]:
    """Return the differences between a part's record and its outputs, one line each, with whether
    it fails the check."""
    after, strict = packed(answers), part.rule != "tolerant"
    changes = [
        Moved(f"{what} {', '.join(names)}")
        for what, names in (
            ("gone:", sorted(set(before["columns"]) - set(after["columns"]))),
            ("new:", sorted(set(after["columns"]) - set(before["columns"]))),
        )
        if names
    ]
    if before["names"] != after["names"]:
        changes.append(Moved(f"other items: {before['items']} before, {after['items']} now"))
    else:
        for column in sorted(set(before["columns"]) & set(after["columns"])):
            old, new = before["columns"][column], after["columns"][column]
            if old.partition(":")[0] != new.partition(":")[0]:
                which = [
                    name for name, a, b in zip(_names(answers), _each(old), _each(new)) if a != b
                ]
                changes.append(
                    Moved(f"{_count(which, after['items'])} {column} moved{_listed(which)}", strict)
                )
    return changes + _moved_figures(part.rule, before["figures"], after["figures"])


def _moved_figures(
    rule: Rule, before: Mapping[str, list], after: Mapping[str, list]
) -> list[Moved]:
    changes = []
    for name in dict.fromkeys([*before, *after]):
        if name not in before or name not in after:
            changes.append(Moved(f"{name}: {'new' if name in after else 'gone'}"))
            continue
        (old, n), (new, m) = before[name], after[name]
        if rule == "speed":
            if new < SLOWEST * old:
                changes.append(Moved(f"{name} {old:,.1f} -> {new:,.1f} ({100 * new / old:.1f} %)"))
        elif (old, n) != (new, m):
            allowed = max(POINTS, 100 / n if n else 0) + 1e-9
            counted = f" of {n} -> {m}" if n != m else ""
            fails = rule == "exact" or n != m or abs(new - old) > allowed
            changes.append(Moved(f"{name} {old:.1f} -> {new:.1f}{counted}", fails))
    return changes


def _names(answers: Answers) -> list[str]:
    return sorted(next(iter(answers.items.values()), {}))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _digests(texts: Iterable[str]) -> str:
    """Return the digest of all texts, a colon, and a short digest of each."""
    hashed = [hashlib.sha256(text.encode()).digest() for text in texts]
    whole = hashlib.sha256(b"".join(hashed)).hexdigest()[:WHOLE]
    return f"{whole}:{''.join(base64.urlsafe_b64encode(h[:3]).decode()[:DIGEST] for h in hashed)}"


def _each(digests: str) -> list[str]:
    short = digests.partition(":")[2]
    return [short[k : k + DIGEST] for k in range(0, len(short), DIGEST)]


def _count(which: Sequence[str], items: int) -> str:
    # two texts may share a short digest
    return f"{len(which)} of {items}" if which else f"some of {items}"


def _listed(which: Sequence[str]) -> str:
    more = f" and {len(which) - NAMED} more" if len(which) > NAMED else ""
    return f": {', '.join(which[:NAMED])}{more}" if which else ""


# --- the parts ---


def predictions(options: Sequence[str]) -> Answers:
    """Return answers, programs and figures of one run of evaluate.py."""
    with tempfile.TemporaryDirectory() as folder:
        return _evaluated([*options, f"out={folder}/run"], Path(folder) / "run")


def _evaluated(options: Sequence[str], out: Path) -> Answers:
    spec = importlib.util.spec_from_file_location("evaluate", ROOT / "evaluate.py")
    evaluate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(evaluate)
    with contextlib.redirect_stderr(io.StringIO()):  # notes, which a check need not repeat
        evaluate.main(compose("evaluate", options), quiet=True)
    records = {r["id"]: r for r in read_jsonl(out / "predictions.jsonl", "predictions file")}
    items = {"answers": {name: f"{r['status']} {r['answer']}" for name, r in records.items()}}
    if any(r["program"] for r in records.values()):
        items["programs"] = {name: r["program"] for name, r in records.items()}
    rows = read_json(out / "report.json", "report")["rows"]
    rated = [row for row in rows if row["value"] is not None]
    return Answers(items, {row["name"]: Figure(row["value"], row["n"]) for row in rated})


def twin(benchmark: str) -> Answers:
    """Return the files of a small fresh twin without pictures, and the oracle's figures on it."""
    with tempfile.TemporaryDirectory() as folder:
        size = [
            f"size={TWIN_SIZE}",
            f"seed={TWIN_SEED}",
            f"synthetic_dir={folder}/twins",
            "workers=1",
        ]
        options = [
            f"benchmark={benchmark}",
            "system=oracle",
            "split=fresh",
            *size,
            f"out={folder}/run",
        ]
        answers = _evaluated(options, Path(folder) / "run")
        (root,) = Path(folder, "twins").iterdir()
        files = sorted(p for p in root.rglob("*") if p.is_file() and p.name != LOCK)
        return Answers(
            {"files": {str(p.relative_to(root)): sha256(p) for p in files}}, answers.figures
        )


def street_parses(bank: str) -> Answers:
    """Return the programs of a bank's questions about streets; "" for those outside the
    language."""
    from po3d.language.read.street_parser import Parser

    texts = [record["question"] for record in _bank(bank)]
    parses = Parser.from_checkpoint(locate("street_parser")).parse(texts)
    return Answers({"programs": _numbered(str(p.program or "") for p in parses)})


def room_parses(bank: str) -> Answers:
    """Return the programs of a bank's edits and questions about rooms."""
    from po3d.language.read.room_parser import RoomParser

    records, parser = _bank(bank), RoomParser.from_checkpoint(locate("room_parser"))
    changes = parser.parse([r["change"] for r in records], "change")
    questions = parser.parse([r["question"] for r in records], "question")
    parsed = {"changes": changes, "programs": questions}
    return Answers(
        {
            column: _numbered(str(p.program or "") for p in parses)
            for column, parses in parsed.items()
        }
    )


def wordings(bank: str) -> Answers:
    """Return the parses of a bank's wordings of 3DSRBench's questions, each filled with random
    objects."""
    from po3d.language.programs.threedsrbench import OPERATIONS, PhraseCall
    from po3d.language.read.threedsrbench_reader import read
    from po3d.language.say.threedsrbench import speak
    from tools.natural_threedsrbench import PHRASES

    lines = []
    for record in _bank(bank):
        r = rng(0, f"gates/{record['wording']}")
        things = r.choice(len(PHRASES), len(OPERATIONS[record["op"]].inputs), replace=False)
        program = PhraseCall(record["op"], tuple(PHRASES[int(i)] for i in things))
        spoken = speak(program, "free", r, record["wording"])
        got = read(spoken.text, spoken.options)
        lines.append(f"{got.program} {sorted(dict(got.option_of).items())}")
    return Answers({"programs": _numbered(lines)})


def groundings(bank: str) -> Answers:
    """Return the rows of a scene to which a bank's noun phrases refer: those with at least half of
    the highest belief."""
    from po3d.reasoning.grounding import ground
    from po3d.scene.table import from_json

    tables = {s.image: s for s in map(from_json, _bank("grounding_scenes"))}
    beliefs = [ground(record["phrase"], tables[record["scene"]]) for record in _bank(bank)]
    return Answers(
        {"rows": _numbered(str([i for i, p in enumerate(b) if p >= max(b) / 2]) for b in beliefs)}
    )


def _bank(name: str) -> list[dict]:
    return list(read_jsonl(NATURAL / f"{name}.jsonl.bz2", "bank"))


def _numbered(texts: Iterable[str]) -> dict[str, str]:
    return {f"{k:04d}": text for k, text in enumerate(texts)}


EXAMPLES = ROOT / "data" / "examples"
STREETS = MINI / "pulsecheck457" / "images"
# Input, question, further arguments. A file with a colon and a number is that record of the file.
ASK_EXAMPLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (f"{EXAMPLES}/street.jpg", "How many cars are to the left of the red bus?", ()),
    (
        f"{EXAMPLES}/street.jpg",
        "What is left of the red bus?",
        ("--task", "6d", "--mode", "argmax"),
    ),
    (f"{EXAMPLES}/street.json", "What color is the chopper?", ()),
    (f"{EXAMPLES}/street.json", "Are there more cars than bicycles?", ("--mode", "samples")),
    (f"{EXAMPLES}/street.json", "Why is the sky blue?", ()),
    (f"{STREETS}/superCLEVR_new_000000.jpg", "How many things are behind the largest vehicle?", ()),
    (
        f"{STREETS}/superCLEVR_new_000003.jpg",
        "Is there a bus that is occluded?",
        ("--mode", "samples"),
    ),
    (f"{MINI}/pulsecheck457/scenes.json:2", "What shape is the small thing?", ("--task", "6d")),
    (
        f"{EXAMPLES}/room.json",
        "What is to the left of the bed now?",
        (
            "--frame",
            "The door is at the front of the room.",
            "--change",
            "The blue chair has been moved next to the bed.",
        ),
    ),
    (f"{EXAMPLES}/room.json", "What colour is the chair closest to the window?", ()),
    (
        f"{MINI}/hypo3d/scenes.jsonl:0",
        "What is closest to the rug?",
        ("--change", "The plant has been removed."),
    ),
    (f"{MINI}/hypo3d/scenes.jsonl:7", "Is the wardrobe bigger than the dresser?", ()),
)


def ask_outputs() -> Answers:
    """Return the output of `po3d ask --json`."""
    items: dict[str, dict[str, str]] = {"answers": {}, "programs": {}, "traces": {}, "records": {}}
    with tempfile.TemporaryDirectory() as folder:
        for k, (source, question, more) in enumerate(ASK_EXAMPLES, 1):
            path, output = _input(source, Path(folder) / f"{k}.json"), io.StringIO()
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
                code = po3d(["ask", str(path), question, "--json", "--parser", "benchmark", *more])
            record = json.loads(output.getvalue() or "{}")
            name = f"{k:02d}"
            items["answers"][name] = f"{code} {record.get('status')} {record.get('answer')}"
            items["programs"][name] = str(record.get("program"))
            items["traces"][name] = json.dumps(_rounded(record.get("trace")))
            items["records"][name] = json.dumps(_rounded(record), sort_keys=True)
    return Answers(items)


def _input(source: str, copy: Path) -> Path:
    """Return the input file; one record of a file of many is copied to its own file."""
    name, _, number = source.partition(":")
    if not number:
        return Path(name)
    if name.endswith(".jsonl"):
        record = next(itertools.islice(read_jsonl(name, "scene file"), int(number), None))
    else:
        record = read_json(name, "scene file")["scenes"][int(number)]
    write_json(copy, record)
    return copy


def _rounded(value: Any) -> Any:
    """Round floats to three digits: further digits depend on the networks' rounding."""
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    return float(f"{value:.3g}") if isinstance(value, float) else value


def speeds() -> Answers:
    """Return the figures of `python -m tools.bench`, units per second."""
    from tools.bench import figures

    return Answers({}, {f.name: Figure(f.ours) for f in figures()})


def parts() -> list[Part]:
    """Return all parts, those without networks first. This uses only evaluate.py's options and
    files, so that trees with other modules can be compared."""
    result = []
    for benchmark, systems in BENCHMARKS.items():
        for name, (rule, networks, options) in systems.items():
            work = partial(predictions, [f"benchmark={benchmark}", *options.split()])
            result.append(Part(f"predictions/{benchmark}/{name}", work, rule, networks))
    for kind, names in BANKS.items():
        result += [
            Part(f"parses/{n}", partial(kind, n), networks=kind in (street_parses, room_parses))
            for n in names
        ]
    result += [Part(f"twins/{name}", partial(twin, name)) for name in BENCHMARKS]
    result += [
        Part(f"ask/{len(ASK_EXAMPLES)}", ask_outputs, networks=True),
        Part("bench", speeds, "speed", True),
    ]
    return sorted(result, key=lambda p: p.networks)


# System -> rule, whether it runs networks, options of evaluate.py.
BENCHMARKS: dict[str, dict[str, tuple[Rule, bool, str]]] = {
    "pulsecheck457": {
        "oracle": ("exact", False, "system=oracle"),
        "random": ("exact", False, "system=random"),
        "frequency": ("exact", False, "system=frequency"),
        "po3d-argmax": ("exact", True, "executor.mode=argmax"),
        "po3d-marginal": ("tolerant", True, "executor.mode=marginal"),
        "po3d-samples": ("tolerant", True, "executor.mode=samples"),
    },
    "hypo3d": {
        "oracle": ("exact", False, "system=oracle"),
        "po3d-truth": ("exact", True, "benchmark.scenes=ground_truth"),
        "po3d-map": ("tolerant", True, "benchmark.scenes=map"),
        "po3d-map-argmax": ("exact", True, "benchmark.scenes=map executor.samples=0"),
        "po3d-semantic_map": ("tolerant", True, "benchmark.scenes=semantic_map"),
        "po3d-captions": ("tolerant", True, "benchmark.scenes=captions"),
    },
    "3dsrbench": {
        "oracle": ("exact", False, "system=oracle"),
        "planar": ("exact", False, "system=planar"),
        "random": ("exact", False, "system=random"),
        "po3d-truth": ("exact", False, "benchmark.scenes=ground_truth"),
        "po3d-picture": ("tolerant", True, "benchmark.scenes=predicted"),
    },
    "scope": {
        "oracle": ("exact", False, "system=oracle"),
        "po3d-truth": ("exact", False, "benchmark.scenes=ground_truth"),
        "po3d-picture": ("tolerant", True, "benchmark.scenes=predicted"),
    },
}
BANKS: dict[Callable[[str], Answers], Sequence[str]] = {
    wordings: ("srbench_wordings_dev", "srbench_wordings_test"),
    groundings: ("grounding_dev", "grounding_test"),
    street_parses: ("pulsecheck457_dev", "pulsecheck457_dev2", "pulsecheck457_test"),
    room_parses: ("hypo3d_dev", "hypo3d_dev2", "hypo3d_dev3", "hypo3d_test"),
}


# --- command line ---


def chosen(all_parts: Sequence[Part], arguments: argparse.Namespace) -> list[Part]:
    """Return the parts selected on the command line. Raise InputError for a name without a
    match."""
    selected = [p for p in all_parts if not (arguments.fast and p.networks)]
    selected = [p for p in selected if not (arguments.networks and not p.networks)]
    if not arguments.only:
        return [p for p in selected if p.rule != "speed" or arguments.bench]
    for name in arguments.only:
        if not any(_fits(p, name) for p in all_parts):
            raise InputError(
                f"unknown part {name!r}; known: {', '.join(p.name for p in all_parts)}"
            )
    return [p for p in selected if any(_fits(p, name) for name in arguments.only)]


def _fits(part: Part, name: str) -> bool:
    """Return whether `name` is the part's name, a prefix of it up to a slash, or a pattern with
    stars that matches it."""
    return fnmatch(part.name, name) or part.name.startswith(f"{name.rstrip('/')}/")


class Clock:
    """Remaining time, estimated from the recorded CPU seconds of the parts."""

    def __init__(self, seconds: Sequence[float]) -> None:
        self.left, self.began, self.done = list(seconds), time.monotonic(), 0.0

    def next(self) -> str:
        """Return the remaining time as text; call it before each part."""
        slow = (time.monotonic() - self.began) / self.done if self.done else 1.0
        left = slow * sum(self.left)
        self.done += self.left.pop(0)
        return f"about {left / 60:.0f} min left" if left >= 90 else f"about {left:.0f} s left"


def run(all_parts: Sequence[Part], arguments: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    baseline = recorded(arguments.baseline)
    picked = chosen(all_parts, arguments)
    if arguments.command == "list":
        for part in picked:
            notes = [
                part.rule,
                *["networks"] * part.networks,
                *["not recorded"] * (part.name not in baseline),
            ]
            print(f"{part.name:36} {', '.join(notes)}")
        return 0
    versions = {"revision": git_revision()[:10], "torch": importlib.metadata.version("torch")}
    clock, failed = Clock([baseline.get(p.name, {}).get("seconds", 30) for p in picked]), []
    for number, part in enumerate(picked, 1):
        print(f"[{number}/{len(picked)}] {part.name}, {clock.next()}", file=sys.stderr, flush=True)
        began = time.process_time()
        try:
            answers = part.answers()
        except Exception as error:  # continue with the other parts
            changes = [Moved(f"does not run: {type(error).__name__}: {error}")]
        else:
            if arguments.command == "record":
                record = {
                    **packed(answers),
                    **versions,
                    "seconds": round(time.process_time() - began),
                }
                baseline = recorded(arguments.baseline) | {part.name: record}
                _write(arguments.baseline, baseline)
                continue
            changes = [Moved("not recorded")]
            if part.name in baseline:
                changes = moved(part, baseline[part.name], answers)
        for line in changes:
            print(
                f"{part.name}: {line.text}{'' if line.fails else ' (within tolerance)'}", flush=True
            )
        failed += [part.name] if any(line.fails for line in changes) else []
    if arguments.command == "check":
        stale = sorted(set(baseline) - {p.name for p in all_parts})
        for name in stale:
            print(f"{name}: recorded, but there is no such part")
        failed += stale
        torches = {baseline[p.name]["torch"] for p in picked if p.name in baseline} - {
            versions["torch"]
        }
        if failed and torches:
            print(
                f"note: recorded with torch {', '.join(torches)}; current version:"
                f" {versions['torch']}",
                file=sys.stderr,
            )
    summary = f", {len(failed)} moved" if arguments.command == "check" else ""
    print(f"{len(picked)} parts{summary}")
    return 1 if failed else 0


def recorded(path: Path) -> dict[str, Any]:
    """Return the baseline of a file as `packed` returns its parts; {} without a file."""
    baseline = read_json(path, "baseline") if path.exists() else {}
    stored = [digests for record in baseline.values() for digests in record["columns"].values()]
    items = {}
    for whole, colon, packed_items in (digests.partition(":") for digests in stored):
        if colon:
            items[whole] = bz2.decompress(base64.b85decode(packed_items)).decode()
    for record in baseline.values():
        wholes = {
            column: digests.partition(":")[0] for column, digests in record["columns"].items()
        }
        record["columns"] = {
            column: f"{whole}:{items.get(whole, '')}" for column, whole in wholes.items()
        }
    return baseline


def _compressed(columns: Mapping[str, str], written: set[str]) -> dict[str, str]:
    """Return digests of columns with the items' compressed. Columns whose long digest is in
    `written` are stored without items; the others' are added to `written`."""
    result = {}
    for column, digests in columns.items():
        whole, _, items = digests.partition(":")
        result[column] = whole
        if whole not in written:
            result[column] += f":{base64.b85encode(bz2.compress(items.encode())).decode()}"
            written.add(whole)
    return result


def _write(path: Path, baseline: Mapping[str, Any]) -> None:
    """Write JSON atomically with one line per key of a part, figures separate from digests, for
    readable diffs."""
    written: set[str] = set()
    columns = {}
    for name in sorted(baseline):
        digests = baseline[name]["columns"]
        if name.rpartition("/")[2] in WITHOUT_ITEMS:
            columns[name] = {c: text.partition(":")[0] for c, text in digests.items()}
        else:
            columns[name] = _compressed(digests, written)
    baseline = {name: {**baseline[name], "columns": columns[name]} for name in columns}
    blocks = []
    for name, entries in baseline.items():
        lines = [f"  {json.dumps(key)}: {json.dumps(entry)}" for key, entry in entries.items()]
        blocks.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    with atomic_write(path) as file:
        file.write("{\n" + ",\n".join(blocks) + "\n}\n")


def main(argv: Sequence[str] | None = None, all_parts: Sequence[Part] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m tools.gates", description=__doc__.split("\n")[0])
    parser.add_argument("command", nargs="?", choices=("check", "record", "list"), default="check")
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help="parts, prefixes such as twins, or patterns with *",
    )
    networks = parser.add_mutually_exclusive_group()
    networks.add_argument("--fast", action="store_true", help="skip parts that run networks")
    networks.add_argument("--networks", action="store_true", help="skip parts that run no network")
    parser.add_argument("--bench", action="store_true", help="also measure speeds")
    parser.add_argument("--baseline", type=Path, default=BASELINE, metavar="FILE")
    arguments = parser.parse_args(argv)

    code = 0

    def command() -> None:
        nonlocal code
        if SHIPPED != ROOT:
            raise InputError(f"expected po3d from {ROOT}, but it is imported from {SHIPPED}")
        code = run(parts() if all_parts is None else all_parts, arguments)

    return guarded(command) or code


if __name__ == "__main__":
    os.environ.setdefault("TQDM_DISABLE", "1")  # the parts print their own progress bars
    sys.exit(main())
