"""Report of a run beside published rows and other systems, as HTML, LaTeX or Markdown (`po3d
report`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.evaluation.calibration import answered, risk_coverage, trust
from po3d.evaluation.compare import SystemEntry, compare, distinct, gaps, read_entry, with_answers
from po3d.evaluation.report.html import Page, render
from po3d.evaluation.report.html_items import ITEMS, image_record, sample_questions
from po3d.evaluation.report.latex import latex_page
from po3d.evaluation.report.notes import Explained, table_notes
from po3d.evaluation.report.records import about_run, check_data, read_errors, read_grid
from po3d.evaluation.report.results import Published, no_intervals, unanswered
from po3d.evaluation.run import by_image, read_scenes
from po3d.evaluation.run_tables import ReportedRun, run_figures, run_tables
from po3d.io.errors import InputError
from po3d.io.files import write_file
from po3d.io.progress import progress
from po3d.io.run_names import row_name
from po3d.io.runs import GRID, HTML, PREDICTIONS, SCENES
from po3d.io.text_tables import Table, markdown
from po3d.reasoning.questions import by_id, ids_of


def read_run(
    folder: str | Path,
    others: Sequence[str] = (),
    names: Sequence[str] = (),
    data: str | None = None,
) -> ReportedRun:
    """Read a run's report and predictions, and those of other systems; raise InputError if they are
    on other questions."""
    folder = Path(folder)
    about = about_run(folder)
    name = about["benchmark"]
    root = data or (None if about["split"] == "mini" else about["provenance"]["data"]["root"])
    split = _answered_split(opened(name, root), folder / PREDICTIONS)
    questions = tuple(with_answers(split.questions))
    split = replace(split, questions=questions, **_folders(about["provenance"]))
    if not questions:
        raise InputError("the questions have no gold answers, so there is nothing to report")
    if len(names) not in (0, len(others)):
        raise InputError(f"--names has {len(names)} names for {len(others)} files of --with")
    entries = [read_entry(folder / PREDICTIONS, questions, row_name(about))]
    for path, name in zip(others, names or [""] * len(others)):
        check_data(about, path)
        entries.append(read_entry(path, questions, name))
    entries = distinct(entries, [None, *others])
    entries = [e._replace(name=_part(e, len(questions))) for e in entries]
    benchmark = BENCHMARKS[about["benchmark"]]
    compared = compare(benchmark, questions, entries, about["scorer"], to_first=True)
    if "rows" not in about:
        about |= benchmark.score(questions, entries[0].predictions, about["scorer"])
        about["statuses"] = dict(Counter(p.status for p in entries[0].predictions))
    return ReportedRun(about, benchmark, split, entries, compared)


def _part(entry: SystemEntry, questions: int) -> str:
    """Return the system's name, with a remark if its file covers only part of the questions
    (missing ones count as wrong)."""
    if not entry.absent:
        return entry.name
    count = questions - len(entry.absent)
    return f"{entry.name}, answers to {count:,} of {questions:,} questions"


def _answered_split(split: Any, predictions: Path) -> Any:
    """Restrict the split to the images that the run covers (a run may use the first few only)."""
    absent = read_entry(predictions, split.questions).absent
    images = set()
    for q in split.questions:
        if q.id not in absent:
            images.add(q.image)
    return replace(split, questions=tuple(q for q in split.questions if q.image in images))


def _folders(provenance: Mapping[str, Any]) -> dict[str, Path]:
    """Return the existing folders that the run read besides the questions: room scans, furniture
    models."""
    options = provenance.get("config", {}).get("benchmark") or {}
    folders = {}
    for key in ("scans", "furniture"):
        if options.get(key) and Path(options[key]).exists():
            folders[key] = Path(options[key])
    return folders


# --- the page -------------------------------------------------------------------------------------


def run_page(
    run: ReportedRun,
    folder: str | Path,
    grid: str | Path | None = None,
    items: int = ITEMS,
    ids: Sequence[str] = (),
    published: Published = True,
) -> str:
    """Return the HTML page of a run.

    `grid` is the folder of its oracle grid, by default the run's own. `items` limits the number of
    questions listed (see `html_items.listed`); `ids` selects them instead, InputError for an
    unknown id. `published`: see `results_table`."""
    folder, grid = Path(folder), Path(grid or folder)
    questions = run.split.questions
    scorer, answers, right = run.report["scorer"], [], []
    for entry in run.entries:
        answers.append(by_id(entry.predictions))
        right.append(np.array(run.benchmark.correct(questions, entry.predictions, scorer), float))
    chosen = _chosen(questions, right[0].tolist(), items, ids)
    listed_questions = [questions[k] for k in chosen]
    figures, risk = None, None
    try:
        counted = answered(run.benchmark, questions, run.entries[0].predictions, scorer)
        figures = trust(*counted)
        risk = risk_coverage(*counted)[1:]
    except InputError:  # no answers or no probabilities: nothing to plot
        pass
    cells, errors = _grid(grid, listed_questions, run.report["benchmark"])
    tables = run_tables(run, published, cells)
    page = Page(
        run.report,
        [entry.name for entry in run.entries],
        tables,
        [model["rows"] for model in run.compared["models"]],
        listed_questions,
        answers,
        [own[chosen].tolist() for own in right],
        len(questions),
        _page_notes(run, tables),
        figures,
        risk,
        cells,
        errors,
        run_figures(run),
    )
    return render(page, _images(run, folder, listed_questions, answers))


def _page_notes(run: ReportedRun, tables: Sequence[tuple[str, Table]]) -> list[str]:
    """Return the notes on the run, and those of all tables of its page, each once."""
    report = run.report
    notes = [unanswered(report), *(f"note: {note}" for note in report.get("notes") or ())]
    notes.append(no_intervals(report))
    lines: dict[str, None] = {}
    for _, table in tables:
        lines |= dict.fromkeys(table_notes(report, table))
    marked = any(line.startswith("Rows without a mark") for line in lines)
    for line in lines:
        if not (marked and line.startswith("Measured on")):
            notes.append(line)
    return [*filter(None, notes), *gaps(run.entries)]


def _chosen(
    questions: Sequence, right: Sequence[float], items: int, ids: Sequence[str]
) -> list[int]:
    if items < 1:
        raise InputError(f"--items {items} should be at least 1")
    if not ids:
        return sample_questions(questions, right, items)
    place, chosen = {q.id: k for k, q in enumerate(questions)}, set()
    for name in ids:
        if name not in place:
            raise InputError(f"the run has no question {name!r}")
        chosen.add(place[name])
    return sorted(chosen)


def write_page(
    run: ReportedRun,
    folder: str | Path,
    out: str | Path | None = None,
    grid: str | Path | None = None,
    **which: Any,
) -> Path:
    """Write `run_page` to a file, by default FOLDER/report.html, and return its path. `which`:
    `items`, `ids`, `published`."""
    path = Path(out or Path(folder) / HTML)
    write_file(path, run_page(run, folder, grid, **which))
    return path


def log_to_wandb(folder: str | Path, options: Mapping[str, Any]) -> None:
    """Log a finished run's tables, figures and HTML page (also written to FOLDER/report.html) to
    wandb; `options` are passed to wandb.init. Offline unless WANDB_MODE is set."""
    import os

    os.environ.setdefault("WANDB_MODE", "offline")
    import wandb  # slow to import

    run = read_run(folder)
    page = write_page(run, folder)
    defaults = {"name": Path(folder).name, "job_type": "evaluate"}
    with wandb.init(
        **{"dir": str(folder), "config": run.report["provenance"]["config"], **defaults, **options}
    ) as log:
        for title, table in run_tables(run):
            rows = list(map(list, table.rows))
            log.log({title: wandb.Table(list(table.header), rows, allow_mixed_types=True)})
        log.log({"report": wandb.Html(str(page), inject=False)})
        log.summary.update({row["name"]: row["value"] for row in run.report["rows"]})


def grid_of(folder: str | Path, run: ReportedRun) -> dict[str, Any] | None:
    """Read the oracle grid in a folder; None if there is none, InputError if it is of another
    benchmark."""
    return _grid(Path(folder), (), run.report["benchmark"])[0]


def _grid(folder: Path, questions: Sequence, benchmark: str) -> tuple[Any, dict[str, dict]]:
    """Return the oracle grid of a folder and its errors by question id; (None, {}) if there is
    none."""
    if not (folder / GRID).is_file():
        return None, {}
    grid = read_grid(folder / GRID)
    if grid["benchmark"] != benchmark:
        raise InputError(f"{folder / GRID} is not an oracle grid of {benchmark}")
    known, errors = set(ids_of(questions)), {}
    for record in read_errors(folder):
        if record["id"] in known:
            errors[record["id"]] = record
    return grid, errors


def _images(
    run: ReportedRun, folder: Path, questions: Sequence, answers: Sequence[Mapping]
) -> Iterator[tuple[str, dict]]:
    names = set()
    for q in questions:
        names.update((q.image, *q.images))
    stored_scenes = read_scenes(folder / SCENES, names) if (folder / SCENES).is_file() else {}
    for name, own in progress(by_image(questions).items(), "drawing", unit="image"):
        yield name, image_record(run.split, name, own, answers, stored_scenes, run.report)


# --- the command ----------------------------------------------------------------------------------


def _markdown(tables: Sequence[Explained], benchmark: str) -> str:
    parts = []
    for one in tables:
        parts += [f"## {one.title}", markdown(one.table)]
        for note in one.notes:
            parts.append("\\" * note.startswith("*") + note)
    return "\n\n".join(parts)


SPELLINGS = {"latex": latex_page, "markdown": _markdown}
