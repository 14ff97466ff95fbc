"""Label audit: compare released answers with their programs, executed on ground-truth scenes. `po3d
audit --help` lists the possible verdicts.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from po3d.benchmarks.base import Erratum, Verdict
from po3d.benchmarks.registry import BENCHMARKS, benchmark_of, opened
from po3d.benchmarks.twin_folder import CORRECTED, kind_of_data
from po3d.evaluation.compare import with_answers
from po3d.io.errors import InputError
from po3d.io.files import write_json, write_jsonl
from po3d.io.text_tables import Table, text
from po3d.reasoning.questions import Question, categories_of
from po3d.systems.pipeline import Context, oracle


def audit(benchmark: str, split: Any) -> list[Erratum]:
    """Return the errata of a split, in question order; raise InputError if no question has a
    program."""
    benchmark_spec = benchmark_of(benchmark)
    questions = with_answers(split.questions)
    if not any(q.program for q in questions):
        raise InputError("no question has a program, so no answer can be checked")
    system, errata = oracle(benchmark_spec.world), []
    for q in questions:
        computed, reason = None, benchmark_spec.vouched(q)
        if not reason:
            (p,) = system.answer([q], Context(_no_image, lambda q=q: split.truth(q.image), q.image))
            if p.answer is not None and benchmark_spec.same(p.answer, q.answer):
                continue
            computed, reason = p.answer, p.reason or "another answer"
        verdict: Verdict = "left out" if computed is None else "replaced"
        if not q.program:
            verdict = "unvouched"
        about = (q.id, q.image, q.category, q.text)
        errata.append(Erratum(*about, verdict, q.answer, computed, reason))
    return errata


def _no_image() -> Any:
    raise AssertionError("an audit needs no image")


# --- the command ----------------------------------------------------------------------------------


def audit_command(arguments: argparse.Namespace) -> int:
    """Write the errata and, on request, the corrected split."""
    root = Path(arguments.data) if arguments.data else BENCHMARKS[arguments.benchmark].mini
    if arguments.corrected and Path(arguments.corrected).resolve() == root.resolve():
        raise InputError("--corrected should differ from the folder of the release")
    if arguments.corrected and (Path(arguments.corrected) / "questions").exists():
        raise InputError(f"--corrected {arguments.corrected} already contains a split")
    write_corrected = BENCHMARKS[arguments.benchmark].write_corrected
    if arguments.corrected and write_corrected is None:
        raise InputError(f"--corrected is not supported for {arguments.benchmark}")
    split = opened(arguments.benchmark, arguments.data)
    errata = audit(arguments.benchmark, split)
    write_jsonl(arguments.out, map(asdict, errata))
    print(text(errata_table(split.questions, errata)))
    print(f"\nwrote {arguments.out}")
    if arguments.corrected:
        write_corrected(split, root, {e.id: e for e in errata}, Path(arguments.corrected))
        counts = Counter(e.verdict for e in errata)
        record = {"of": kind_of_data(root), "root": str(root), "replaced": counts["replaced"]}
        record["left_out"] = counts["left out"]
        write_json(Path(arguments.corrected) / CORRECTED, record)
        print(f"wrote the corrected split to {arguments.corrected}")
    return 0


def errata_table(questions: Sequence[Question], errata: Sequence[Erratum]) -> Table:
    """Return a table of the verdicts by category."""
    verdicts = ("replaced", "left out", "unvouched")
    rows: list[list] = []
    for category in (*dict.fromkeys(categories_of(questions)), "all"):
        n = sum(category in (q.category, "all") for q in questions)
        counts = Counter(e.verdict for e in errata if category in (e.category, "all"))
        rows.append([category, n, n - counts.total(), *(counts[v] for v in verdicts)])
    return Table(("category", "questions", "agrees", *verdicts), rows, (len(rows) - 1,))
