"""SCOPE's diagnostic tables: consistency and joint accuracy, updating errors, directions,
paraphrases, and blind baselines. Published figures, marked with *, are below ours.
"""

from collections.abc import Callable, Sequence

from po3d.benchmarks.scope.score import ERRORS, SINGLE, VIEW_SETS
from po3d.io.run_names import row_name
from po3d.io.text_tables import Cell, Table, markdown, text
from po3d.scene.orbit import GROUPS, LABELS

FOOTNOTE = (
    "consistent: the answers from all views of a set agree (the paper's C(S)), right or "
    "wrong; joint: all are right"
)


def consistency_table(report: dict, *others: dict, named: bool = False) -> Table:
    """Return C(S) and joint accuracy by task over orthogonal, diagonal and all views, of the report
    and of others on the same questions; then blind baselines and the paper's Table 7 (egocentric).
    `named`: rows of a single report begin with the system's name, too.
    """
    header = ["consistent / joint (%)", "questions"]
    for name in VIEW_SETS:
        header += [name, "joint"]
    rows = []
    for one in (report, *others):
        name = f"{row_name(one)}, " if named or others else ""
        rows += [_consistency_row(f"{name}{task}", one["consistency"].get(task)) for task in SINGLE]
    ours = len(rows)
    for name, cells in report["baseline_consistency"].items():
        for task in SINGLE[:2]:
            rows.append(_consistency_row(f"{name}, {task}", cells.get(task)))
    theirs = len(rows)
    for row in report["published_consistency"]:
        cells: list[Cell] = [f"{row['model']} *", None]
        for key in ("orthogonal_4_view", "diagonal_4_view", "all_8_view"):
            cells += [row[key], None]
        rows.append(cells)
    return Table(header, rows, (ours, theirs))


def _consistency_row(name: str, cells: dict | None) -> list[Cell]:
    cells = cells or {}
    row: list[Cell] = [name, max((c["n"] for c in cells.values()), default=None)]
    for views in VIEW_SETS:
        row += [cells.get(views, {}).get(key) for key in ("consistent", "joint")]
    return row


def confusion_table(report: dict, task: str, group: str) -> Table:
    """Return a confusion matrix: rows ground truth, columns predictions, in percent of a row."""
    labels = GROUPS[group]
    rows = []
    for label, counts in zip(labels, report["confusion"][task][group]):
        total = sum(counts)
        rows.append([label, total, *(100 * c / total if total else None for c in counts)])
    return Table((f"{task}, {group} (%)", "n", *labels, "none"), rows)


def direction_table(report: dict) -> Table:
    """Return the distributions of predicted and true directions by task."""
    rows = []
    for task, both in report["directions"].items():
        for name, counts in both.items():
            rows.append([f"{task}, {name}", *(counts[label] for label in LABELS)])
    return Table(("directions", *LABELS), rows)


def updating_table(report: dict) -> Table:
    """Return the kinds of errors in egocentric updating, in percent, by group and angle."""
    rows = []
    for group, angles in report["updating_errors"].items():
        for angle, counts in angles.items():
            total = sum(counts.values())
            rows.append(
                [f"{group}, {angle}°", total, *(100 * counts[kind] / total for kind in ERRORS)]
            )
    return Table(("egocentric updating (%)", "n", *ERRORS), rows)


def paraphrase_table(report: dict) -> Table:
    """Return the accuracy in the benchmark's wording and in paraphrases."""
    rows = []
    for name, c in report["paraphrase"].items():
        rows.append([name, c["n"], c["template"], c["paraphrase"], c["delta"]])
    return Table(("paraphrase (%)", "n", "template", "paraphrase", "change"), rows)


def report_text(report: dict) -> str:
    """Return the tables printed in the terminal below the main one."""
    return _page(report, text, "", short=True)


def titled(report: dict, *others: dict) -> list[tuple[str, Table]]:
    """Return titles and tables for the HTML page."""
    title = (
        "consistency over the views of a scene (Table 7): one answer from all views; joint: all are"
        " right"
    )
    return [(title, consistency_table(report, *others, named=True))]


def report_markdown(report: dict, *others: dict) -> str:
    """Return all tables as Markdown with headings; `others` are ignored."""
    return _page(report, markdown, "## ", short=False)


def _page(report: dict, spelling: Callable[..., str], heading: str, short: bool) -> str:
    titled = [("Consistency", [consistency_table(report)])]
    if report["paraphrase"]:
        titled.append(("Natural paraphrases", [paraphrase_table(report)]))
    if not short:
        matrices = []
        for task in report["confusion"]:
            matrices += [confusion_table(report, task, group) for group in GROUPS]
        titled += [
            ("Errors of updating", [updating_table(report)]),
            ("Directions", [direction_table(report)]),
            ("Relational confusion", matrices),
        ]
    parts: list[str] = []
    for title, tables in titled:
        parts += filter(None, _section(heading, title, tables, spelling))
    return "\n\n".join(parts)


def _section(
    heading: str, title: str, tables: Sequence[Table], spelling: Callable[..., str]
) -> list[str]:
    note = FOOTNOTE if title == "Consistency" else ""
    return [f"{heading}{title}" if heading else "", *map(spelling, tables), note]
