"""The label audit: released answers against their own programs, run on the true tables; `po3d audit --help` says how a
question can end."""

import argparse
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from po3d.benchmarks.hypo3d import data as hypo3d
from po3d.benchmarks.hypo3d.score import exact_match
from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.benchmarks.pulsecheck457.superclevr_files import surface
from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, write_json
from po3d.io.text_tables import Table, text
from po3d.reasoning.questions import Question
from po3d.systems.pipeline import Context
from po3d.systems.rooms import RoomOracle

Verdict = Literal["replaced", "left out", "unvouched"]


@dataclass(frozen=True)
class Erratum:
    """A question whose released answer its program does not give."""

    id: str
    image: str
    category: str
    text: str
    verdict: Verdict
    released: str | None
    computed: str | None
    reason: str


def audit(benchmark: str, split: Any) -> list[Erratum]:
    """The errata of a split, in the order of its questions; InputError when no question has a program."""
    if benchmark not in _AUDITS:
        raise InputError(f"{benchmark} cannot be audited; known: {', '.join(_AUDITS)}")
    questions = [q for q in split.questions if q.answer is not None]
    if not any(q.program for q in questions):
        raise InputError("no question comes with a program, so its answer cannot be worked out")
    found = _AUDITS[benchmark](split, questions)
    errata = []
    for q in questions:
        if q.id in found:
            computed, reason = found[q.id]
            verdict: Verdict = (
                "unvouched" if not q.program else "left out" if computed is None else "replaced"
            )
            errata.append(Erratum(q.id, q.image, q.category, q.text, verdict, q.answer, computed, reason))
    return errata


def _street(split: Any, questions: Sequence[Question]) -> dict[str, tuple[str | None, str]]:
    scenes = {q.image: split.truth(q.image) for q in questions if q.program}
    known = [q for q in questions if q.program]
    found = {d.id: (d.computed, d.reason) for d in pulsecheck457.oracle_disagreements(known, scenes)}
    unknown = {q.id: (None, q.meta.get("program_error", "no program")) for q in questions if not q.program}
    return found | unknown


def _rooms(split: Any, questions: Sequence[Question]) -> dict[str, tuple[str | None, str]]:
    found: dict[str, tuple[str | None, str]] = {}
    for q in questions:
        if not q.program or (q.meta["change"] and not q.meta.get("change_program")):
            found[q.id] = (None, "no program")
            continue
        (p,) = RoomOracle().answer([q], Context(_no_image, lambda q=q: split.truth(q.image), q.image))
        if p.answer is None or not exact_match(p.answer, q.answer or ""):
            found[q.id] = (p.answer, p.reason or "another answer")
    return found


def _no_image() -> Any:
    raise AssertionError("an audit looks at no image")


_AUDITS = {"pulsecheck457": _street, "hypo3d": _rooms}


# --- the corrected split ------------------------------------------------------------------------------------


def write_corrected(benchmark: str, split: Any, root: Path, errata: Sequence[Erratum], out: Path) -> None:
    """The split with its errata corrected, in the release's layout, into the folder `out`. Its pictures stay where they
    are: `out`/images leads there."""
    verdicts = {e.id: e for e in errata}
    if benchmark == "hypo3d":
        kept = [q for q in split.questions if q.id not in verdicts or verdicts[q.id].verdict != "left out"]
        fixed = [
            replace(q, answer=verdicts[q.id].computed) if q.id in verdicts and verdicts[q.id].computed else q
            for q in kept
        ]
        names = dict.fromkeys(q.image for q in fixed)
        hypo3d.write_release(out, fixed, split.anchors, [split.truth(name) for name in names])
        return
    _write_street(root, verdicts, out)


def _write_street(root: Path, verdicts: Mapping[str, Erratum], out: Path) -> None:
    by_stem = {name.lower(): name for name in pulsecheck457.FILES.values()}
    for path in sorted((root / "questions").glob("*.json")):
        if path.stem.lower() not in by_stem:
            continue
        content = read_json(path, "question file")
        records = content["questions"] if isinstance(content, dict) else content
        kept = []
        for record in records:
            erratum = verdicts.get(f"{by_stem[path.stem.lower()]}:{int(record['question_index'])}")
            if erratum is not None and erratum.verdict == "replaced":
                record = {**record, "answer": _spelled(erratum.computed or "", record["answer"])}
            if erratum is None or erratum.verdict != "left out":
                kept.append(record)
        write_json(
            out / "questions" / path.name,
            {**content, "questions": kept} if isinstance(content, dict) else kept,
            None,
        )
    for name in pulsecheck457.SCENE_FILES:
        if (root / name).is_file():
            with open(root / name, "rb") as source, atomic_write(out / name, "wb") as file:
                shutil.copyfileobj(source, file)
    if (root / "images").is_dir() and not (out / "images").exists():
        os.symlink((root / "images").resolve(), out / "images", target_is_directory=True)


def _spelled(answer: str, released: object) -> object:
    """`answer` as the release spells its answers: "yes" is True, "True" or "Yes" where the old one is so."""
    if answer in ("yes", "no"):
        if isinstance(released, bool):
            return answer == "yes"
        if str(released).lower() in ("true", "false"):
            return "True" if answer == "yes" else "False"
        return answer.capitalize() if str(released)[:1].isupper() else answer
    if answer.isdecimal():
        return int(answer) if isinstance(released, int) and not isinstance(released, bool) else answer
    return surface(answer).capitalize() if str(released)[:1].isupper() else surface(answer)


# --- the command --------------------------------------------------------------------------------------------


def audit_command(arguments: argparse.Namespace) -> int:
    """Write the errata, and the corrected split when it is asked for."""
    root = Path(arguments.data) if arguments.data else BENCHMARKS[arguments.benchmark].mini
    if arguments.corrected and Path(arguments.corrected).resolve() == root.resolve():
        raise InputError("--corrected should be another folder than the release")
    if arguments.corrected and (Path(arguments.corrected) / "questions").exists():
        raise InputError(f"--corrected {arguments.corrected}: there is a split already")
    split = opened(arguments.benchmark, arguments.data)
    errata = audit(arguments.benchmark, split)
    with atomic_write(arguments.out) as file:
        for erratum in errata:
            file.write(json.dumps(asdict(erratum), ensure_ascii=False) + "\n")
    print(text(errata_table(split.questions, errata)))
    print(f"\nwrote {arguments.out}")
    if arguments.corrected:
        write_corrected(arguments.benchmark, split, root, errata, Path(arguments.corrected))
        print(f"wrote the corrected split to {arguments.corrected}")
    return 0


def errata_table(questions: Sequence[Question], errata: Sequence[Erratum]) -> Table:
    """By category how many questions ended how."""
    verdicts = ("replaced", "left out", "unvouched")
    rows: list[list] = []
    for category in (*dict.fromkeys(q.category for q in questions), "all"):
        n = sum(category in (q.category, "all") for q in questions)
        own = [e for e in errata if category in (e.category, "all")]
        rows.append([category, n, n - len(own), *(sum(e.verdict == v for e in own) for v in verdicts)])
    return Table(("category", "questions", "agrees", *verdicts), rows, (len(rows) - 1,))
