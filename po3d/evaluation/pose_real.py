"""The command `po3d pose-real make|answer|score`: L4-Pose-Real from photographs to result table."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from po3d.benchmarks.metrics import CONFIDENCE, RESAMPLES
from po3d.benchmarks.published import PAPER
from po3d.benchmarks.pulsecheck457 import pose_real
from po3d.benchmarks.pulsecheck457.annotations import read_annotations, read_poses
from po3d.benchmarks.pulsecheck457.pose_real import CATEGORY, PoseRealSplit
from po3d.evaluation.compare import gaps, read_entries
from po3d.evaluation.provenance import data_digest, provenance
from po3d.evaluation.report.latex import latex_page
from po3d.evaluation.report.notes import Explained
from po3d.evaluation.run import predict
from po3d.io.checkpoint import git_revision
from po3d.io.errors import InputError
from po3d.io.runs import locked
from po3d.io.text_tables import Table, decimals, figure_rows, markdown, text
from po3d.reasoning.questions import Question, not_ok, pictures
from po3d.scene.vocabulary import FACINGS
from po3d.systems.baselines import random_option
from po3d.systems.interfaces import System
from po3d.systems.pipeline import Context
from po3d.systems.prompts import Prompt

NOTE = (
    "*: published in the paper (Table 5) on its own items, which are not released, so the images"
    " differ."
)


def pose_real_command(arguments: argparse.Namespace) -> int:
    """Run one of the three subcommands."""
    return {"make": _make, "answer": _answer, "score": _score}[arguments.work](arguments)


def _make(arguments: argparse.Namespace) -> int:
    if arguments.annotations is not None:
        photographs = read_annotations(arguments.annotations)
    else:
        axes = arguments.opengl, arguments.front, arguments.up
        photographs = read_poses(arguments.pictures, *axes)
    count = pose_real.generate(photographs, arguments.pictures, arguments.items)
    print(f"{count} items in {arguments.items}")
    return 0


# --- answering ------------------------------------------------------------------------------------


def _answer(arguments: argparse.Namespace) -> int:
    split = pose_real.load(arguments.items)
    settings = {
        "lmm": {"base_url": arguments.url, "model": arguments.model},
        "orientation": {"weights": arguments.weights},
        "random": {"seed": arguments.seed},
    }[arguments.system]
    for key, value in settings.items():
        if value is None:
            option = {"base_url": "url"}.get(key, key)
            raise InputError(f"--system {arguments.system} needs --{option}")
    system = _system(arguments, split)
    digest = data_digest(arguments.items, split)
    data = {"root": arguments.items, "sha256": digest, "images": len(split.images)}
    about = {
        "benchmark": CATEGORY,
        "split": split.split,
        "system": arguments.system,
        "settings": settings,
        "provenance": provenance({}, {}, data, git_revision()),
    }
    own = {"name": arguments.system, **settings}
    identity = {"benchmark": CATEGORY, "system": own, "data": data}
    with locked(arguments.out):
        predictions = predict(split, system, arguments.out, identity, about=about)
    silent = not_ok(predictions)
    print(f"{len(predictions)} answers in {arguments.out}, {silent} of them missing")
    return 0


def _system(arguments: argparse.Namespace, split: PoseRealSplit) -> System:
    if arguments.system == "random":
        return random_option(arguments.seed)
    if arguments.system == "lmm":
        from po3d.systems.lmm import Lmm

        log = Path(arguments.out) / "usage.jsonl"
        return Lmm(
            CATEGORY, arguments.url, arguments.model, arguments.key_env, log, prompts=_prompt
        )
    from po3d.systems.facing import BoxFacing, orientation_network

    network = orientation_network(arguments.weights, arguments.device)
    return BoxFacing(network, split.photo, split.box)


def _prompt(question: Question, context: Context) -> Prompt:
    return Prompt(tuple(pose_real.prompt(question)), tuple(pictures(question)))


# --- scoring --------------------------------------------------------------------------------------


def _score(arguments: argparse.Namespace) -> int:
    split = pose_real.load(arguments.items)
    entries = read_entries(arguments.runs, arguments.names, split.questions, "runs")
    reports = {}
    for e in entries:
        reports[e.name] = pose_real.score(split.questions, e.predictions)
    if arguments.form == "json":
        print(json.dumps(reports, indent=1, ensure_ascii=False))
        return 0
    table, notes = score_table(reports), [*_notes(split, reports), *gaps(entries)]
    if arguments.form == "latex":
        title = f"{CATEGORY}: accuracy (%) and bias (CV)"
        print(latex_page([Explained(title, table, notes)], "pose-real"))
        return 0
    spelling = {"text": text, "markdown": markdown}[arguments.form]
    print("\n\n".join([spelling(table), "\n".join(notes)]))
    return 0


def score_table(reports: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return a table: each system with its interval, the ground truth's CV, then the paper's Table
    5."""
    rows: list[list] = []
    for name, report in reports.items():
        (row,) = report["rows"]
        figures, ends = figure_rows(name, [row])
        sides = list(map(report["by_direction"].get, FACINGS))
        rows.append([*figures, decimals(report["cv"]["predicted"]), row["failed"], *sides])
        rows.append([*ends, *[None] * (2 + len(FACINGS))])
    first = next(iter(reports.values()))
    rows.append(["ground truth", None, decimals(first["cv"]["gold"]), *[None] * (1 + len(FACINGS))])
    ours = len(rows)
    for row in first["published"]:
        cells = [row[CATEGORY], decimals(row["cv"]), *[None] * (1 + len(FACINGS))]
        rows.append([f"{row['model']}{PAPER}", *cells])
    return Table(("model", "accuracy", "CV", "no answer", *FACINGS), rows, (ours,))


def _notes(split: PoseRealSplit, reports: Mapping[str, Mapping[str, Any]]) -> list[str]:
    report = next(iter(reports.values()))
    photos = f"{len(split.questions):,} items on {report['images']:,} photographs"
    return [
        f"Rows without a mark: measured on {photos} of {split.split}, made from annotated poses.",
        NOTE,
        (
            f"Intervals: {100 * CONFIDENCE:g} %, bootstrap over photographs ({RESAMPLES:,}"
            " resamples); columns by direction: accuracy (%)."
        ),
    ]
