"""A run as one self-contained HTML file: tables, plots, and a browser of its questions.

Questions, answers and names are untrusted text. They are escaped in the markup; data are JSON in
non-executable script elements without any "<", which the page's script inserts as text. The page's
content security policy allows only this script and no network access.
"""

import base64
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from po3d.benchmarks.published import LATER, PAPER
from po3d.benchmarks.registry import scorer_name
from po3d.benchmarks.scoring import column
from po3d.evaluation.report import svg
from po3d.evaluation.report.notes import data_line
from po3d.evaluation.report.results import portable, provenance_lines
from po3d.io.errors import InputError
from po3d.io.plots import Plot, rendered
from po3d.io.run_names import row_name
from po3d.io.text_tables import Table, cell_text
from po3d.reasoning.questions import Prediction, Question, categories_of, not_ok

PAGE = Path(__file__).parent / "page"
SAMPLE = (
    "{listed:,} of the {asked:,} questions are listed below, sampled from all tasks, "
    "right and wrong; the figures above are for all questions. po3d report RUN "
    "--question ID lists specific questions, --items N lists more."
)


@dataclass(frozen=True)
class Page:
    """The content of a report. `right` has, for each system, the benchmark's `correct` value of
    each question."""

    report: Mapping[str, Any]  # as in report.json
    systems: Sequence[str]  # the run's own comes first
    tables: Sequence[tuple[str, Table]]  # titles and tables
    rows: Sequence[Sequence[Mapping]]  # the benchmark's figures of each system
    questions: Sequence[Question]  # the listed questions
    answers: Sequence[Mapping[str, Prediction]]  # of all questions of the run, by system
    right: Sequence[Sequence[float]]  # of the listed questions
    question_count: int  # number of questions of the run
    notes: Sequence[str] = ()
    trust: Mapping[str, Any] | None = None
    risk: tuple[Sequence[float], Sequence[float]] | None = None  # coverage, risk
    grid: Mapping[str, Any] | None = None
    # question id -> record of errors.jsonl
    errors: Mapping[str, Mapping] = field(default_factory=dict)
    figures: Sequence[Plot] = ()  # figures of the benchmark's paper


def render(page: Page, images: Iterable[tuple[str, Mapping]]) -> str:
    """Return the HTML of a page; `images` yields names and `html_items.image_record`s and is
    consumed lazily."""
    report = page.report
    names, blocks = [], []
    for k, (name, record) in enumerate(images):
        names.append(name)
        blocks.append(data_block(f"image-{k}", record))
    blocks.append(data_block("index", _index(page, names)))
    script = (PAGE / "report.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    n, listed = page.question_count, len(page.questions)
    scorer = scorer_name(report["benchmark"], report["scorer"])
    cards = "\n".join(_table_card(title, table) for title, table in page.tables)
    sample = "" if listed == n else _note(SAMPLE.format(listed=listed, asked=n))
    parts = {
        "title": escape(f"{row_name(report)} on {report['benchmark']}"),
        "subtitle": escape(f"{data_line(report)}, {n} questions; scorer: {scorer}"),
        "headline": _headline(page),
        "style": (PAGE / "report.css").read_text(encoding="utf-8"),
        "tables": cards + "".join(map(_note, page.notes)),
        "plots": _plots(page),
        "sample": sample,
        "provenance": _provenance(report),
        "data": "\n".join(blocks),
        "script": script,
        "script_hash": f"sha256-{digest}",
    }
    return Template((PAGE / "report.html").read_text(encoding="utf-8")).substitute(parts)


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def data_block(name: str, value: object) -> str:
    """Serialise a value as JSON in a non-executable script element; the content cannot close the
    element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return f'<script type="application/json" id="{escape(name)}">{text}</script>'


def _table_card(title: str, table: Table) -> str:
    """Return a table in a card that scrolls, also by keyboard."""
    head = f"<h3>{escape(title)}</h3>" if title else ""
    name = escape(title or str(table.header[0]), quote=True)
    return (
        '<div class="card table" role="region" tabindex="0"'
        f' aria-label="{name}">{head}{table_html(table)}</div>'
    )


def table_html(table: Table) -> str:
    """Return the HTML of a table, styled by the marks of `report.results` in the first cell (two
    spaces: an interval; star or dagger: published)."""
    header = "".join(f'<th scope="col">{escape(h)}</th>' for h in table.header)
    lines = [f"<table><thead><tr>{header}</tr></thead><tbody>"]
    for k, row in enumerate(table.rows):
        first = str(row[0])
        following = str(table.rows[k + 1][0]) if k + 1 < len(table.rows) else ""
        kinds = ["rule"] if k in table.rules else []
        if first.startswith("  "):
            kinds.append("interval")
        elif first.endswith((PAPER, LATER)):
            kinds.append("published")
        elif following.startswith("  "):
            kinds.append("ours")
        cells = "".join(f"<td>{escape(cell_text(c))}</td>" for c in row)
        lines.append(f'<tr class="{" ".join(kinds)}">{cells}</tr>')
    return "".join([*lines, "</tbody></table>"])


def _index(page: Page, images: Sequence[str]) -> dict:
    categories = list(dict.fromkeys(categories_of(page.questions)))
    place = {name: k for k, name in enumerate(images)}
    items = []
    for k, q in enumerate(page.questions):
        answers = []
        for predictions, right in zip(page.answers, page.right):
            p = predictions[q.id]
            probability = None if p.probability is None else round(p.probability, 4)
            hit = None if math.isnan(right[k]) else int(right[k])
            answers.append((p.answer, p.status, probability, hit))
        error = page.errors.get(q.id)
        blame = None
        if error:
            shares = {}
            for name, v in error["shares"].items():
                if v:
                    shares[name] = round(v, 3)
            blame = {"shares": shares, "repaired_by": error["repaired_by"]}
        category = categories.index(q.category)
        items.append((q.id, place[q.image], category, q.text, q.answer, answers, blame))
    return {"systems": page.systems, "categories": categories, "images": images, "items": items}


def _headline(page: Page) -> str:
    """Return the headline figure, the number of missing answers, and the calibration error."""
    rows = {row["name"]: row for row in page.rows[0]}
    name = next((n for n in ("mean", "overall") if n in rows), page.rows[0][0]["name"])
    row = rows[name]
    figures = [] if row["value"] is None else [(f"{row['value']:.1f} %", name)]
    silent = not_ok(page.answers[0].values())
    figures.append((str(silent), "unanswered"))
    if page.trust:
        figures.append((f"{page.trust['ece']:.3f}", "calibration error"))
    result = []
    for value, what in figures:
        result.append(f"<div><b>{escape(value)}</b><span>{escape(what)}</span></div>")
    return "".join(result)


def _plots(page: Page) -> str:
    names, published = set(column(page.rows[0], "name")), page.report["published"]
    accuracy = svg.intervals(list(zip(page.systems, page.rows)), published)
    dots = any(names & set(p) for p in published)
    note = "Faint dots are published results." if dots else ""
    cards = [("Accuracy with 95 % intervals", "wide", _legend(page.systems) + accuracy, note)]
    if page.trust:
        ece = (
            f"Expected calibration error {page.trust['ece']:.3f}; the area of a dot is "
            "proportional to its number of answers."
        )
        cards.append(("Reliability", "", svg.reliability(page.trust), ece))
    if page.risk and page.trust:
        within = []
        for level, point in page.trust["coverage_at"].items():
            coverage = f"{100 * point['coverage']:.1f} % of the questions"
            within.append(f"{coverage} can be answered at {100 * float(level):g} % risk")
        note = "; ".join(within) + "."
        cards.append(("Risk and coverage", "", svg.risk_coverage(*page.risk), note))
    if page.grid:
        note = (
            "Shapley shares of the error rate, in percentage points; they add up to the error rate."
        )
        cards.append(("Error attribution", "full", svg.shares(page.grid["attribution"]), note))
        if page.grid["curves"]:
            curves = ""
            for name, plot in svg.noise_curves(page.grid["curves"], page.grid["units"]):
                curves += f"<div><h3>{escape(name)}</h3>{plot}</div>"
            title = "Sensitivity to noise in one module, all else from ground truth"
            cards.append((title, "full", f'<div class="curves">{curves}</div>', ""))
    for plot in page.figures:
        cards.append((plot.title, "full", _picture(plot), plot.note))
    page = ""
    for title, kind, plot, note in cards:
        below = _note(note) if note else ""
        page += f'<div class="card {kind}"><h3>{escape(title)}</h3>{plot}{below}</div>'
    return f'<div class="plots">{page}</div>'


def _picture(plot: Plot) -> str:
    """Return a matplotlib figure as an embedded image, or a note if matplotlib is not installed."""
    try:
        content = rendered(plot.size, plot.draw, ".svg")
    except InputError as error:
        return _note(str(error))
    uri = f"data:image/svg+xml;base64,{base64.b64encode(content).decode('ascii')}"
    width = f"{plot.size[0]:g}in"
    alt = escape(f"{plot.title}. {plot.note}", quote=True)
    return f'<img class="figure" style="width: {width}" src="{uri}" alt="{alt}">'


def _legend(systems: Sequence[str]) -> str:
    if len(systems) < 2:
        return ""
    entries = ""
    for k, name in enumerate(systems):
        dot = f'<circle cx="6" cy="6" r="5" class="s{k % svg.SERIES}"/>'
        entries += f'<span><svg viewBox="0 0 12 12">{dot}</svg>{escape(name)}</span>'
    return f'<div class="legend">{entries}</div>'


def _provenance(report: Mapping[str, Any]) -> str:
    run = report["provenance"]
    facts = []
    for k, fact in enumerate(provenance_lines(run)):
        facts.append(("made by" if k == 0 else "later", fact))
    for name, digest in run["checkpoints"].items():
        facts.append((f"{name} checkpoint", f"sha256 {digest}"))
    for key, value in run["data"].items():
        facts.append((f"data {key}", str(portable(value))))
    for name, value in (report.get("settings") or {}).items():
        facts.append((name, str(portable(value))))
    facts.append(("versions", ", ".join(f"{k} {v}" for k, v in run["versions"].items())))
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts) + "</dl>"
