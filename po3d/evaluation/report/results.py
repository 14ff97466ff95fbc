"""A report.json as people read it: on the terminal, as report.md, and as the README's results table.

python -m po3d.evaluation.report.results OUT/report.json README.md     writes the table between the README's markers
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from po3d.benchmarks.registry import benchmark_of, counted, title, unit
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json
from po3d.io.guard import guarded
from po3d.io.naming import row_name
from po3d.io.text_tables import Table, interval_text, markdown, text

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def results_table(report: dict) -> Table:
    """Our row above the published ones, one column a category."""
    names, own = [row["name"] for row in report["rows"]], row_name(report)
    rows = _figures(report)
    if missed := report.get("not_found"):
        cells = {row["name"]: row["value"] for row in missed["rows"]}
        what = f"{own}: a thing named was not found ({missed['n']} of {missed['of']})"
        rows.append([what, *(cells.get(name) for name in names)])
    for scorer, values in report["other_scorers"].items():
        rows.append([f"{own} ({scorer})", *(row["value"] for row in values)])
    for other in report.get("beside", ()):
        rows += _figures(other)
    for name, values in report.get("baselines", {}).items():
        rows.append([f"{name} (expected)", *(row["value"] for row in values)])
    rules = (len(rows),)
    for published in report["published"]:
        rows.append([f"{published['model']} *", *(published.get(name) for name in names)])
    return Table([title(report), *map(titled, report["rows"])], rows, rules)


def _figures(report: dict) -> list[list]:
    """A run's row, and one with its intervals."""
    return [
        [f"{row_name(report)} ({report['scorer']})", *(row["value"] for row in report["rows"])],
        ["  95 % interval", *(interval_text(row) for row in report["rows"])],
    ]


def titled(row: dict) -> str:
    """A row's name; of an average over fewer columns than the published one has, how many they are."""
    return f"{row['name']} ({row['columns'][0]} of {row['columns'][1]})" if "columns" in row else row["name"]


def report_text(report: dict) -> str:
    """What the terminal shows."""
    lines = [text(results_table(report)), _footnotes(report)]
    if own := benchmark_of(report["benchmark"]).tables:
        lines.append(own.text(report))
    if report.get("rpdr"):
        lines.append(
            "RPDR (%): " + ", ".join(f"{name} {v['value']:.1f}" for name, v in report["rpdr"].items())
        )
    if report.get("perception"):
        figures = report["perception"]["all"].items()
        lines.append("perception: " + ", ".join(f"{k} {v:.4g}" for k, v in figures if v is not None))
    return "\n".join(line for line in lines if line)


def report_markdown(report: dict) -> str:
    """What OUT/report.md holds."""
    run = report["provenance"]
    lines = [
        f"# {row_name(report)} on {report['benchmark']} ({report['split']}, {counted(report)})",
        "",
        *_main_part(report),
        "",
    ]
    for key, heading in (
        ("rpdr", "RPDR (%)"),
        ("cv", "CV of predicted attributes"),
        ("perception", "Perception"),
    ):
        if report.get(key):
            lines += [
                f"## {heading}",
                "",
                markdown(Table(("figure", "value"), list(_flat(report[key]))), 3),
                "",
            ]
    lines += [
        "## Provenance",
        "",
        *(f"- {fact}" for fact in made_and_scored(run)),
        *(f"- {name}: sha256 {digest}" for name, digest in run["checkpoints"].items()),
        f"- data: {json.dumps(run['data'])}",
    ]
    return "\n".join(lines) + "\n"


def _main_part(report: dict) -> list[str]:
    """The benchmark's own tables where it has some, else the one of its columns."""
    own = benchmark_of(report["benchmark"]).tables
    page = own.markdown(report, *report.get("beside", ())) if own else ""
    if own and own.instead:
        return [page, "", *_remarks(report)]
    return [markdown(results_table(report)), "", _footnotes(report), *(["", page] if own else [])]


def _unanswered(report: dict) -> str:
    notes = [f"{k}: {v}" for k, v in report["statuses"].items() if k != "ok"]
    return f"not answered, counted as wrong: {', '.join(notes)}" if notes else ""


def _remarks(report: dict) -> list[str]:
    """What is missing of the answers and of the intervals, and what the split's files are to be noted for."""
    lines = [note for note in (_unanswered(report), no_intervals(report)) if note]
    return lines + [f"note: {note}" for note in report.get("notes", ())]


def made_and_scored(run: dict) -> list[str]:
    """By what, when and in how many sittings the predictions of a provenance were made; and scored, where that was later."""
    lines = [f"po3d {run['versions']['po3d']}, revision {run['git_revision'] or 'unknown'}, {run['date']}"]
    if later := run.get("continued"):
        lines.append(f"interrupted, continued {', '.join(sitting.get('date', '') for sitting in later)}")
    if scored := run.get("scored"):
        lines.append(f"scored later: revision {scored['git_revision'] or 'unknown'}, {scored['date']}")
    return lines


def no_intervals(report: dict) -> str:
    """Why a report has no intervals, "" where it has some."""
    if any(interval_text(row) for row in report["rows"]):
        return ""
    return (
        f"no intervals: they resample {unit(report)}, and there is {counted(report)} alone"
        if report["images"] == 1
        else ""
    )


def _footnotes(report: dict) -> str:
    lines = _remarks(report)
    if report["published"]:
        lines.append("* published, measured on the official images")
    return "\n".join(lines)


def _flat(value: dict, prefix: str = "") -> Iterator[tuple[str, float]]:
    for key, item in value.items():
        if isinstance(item, dict):
            yield from _flat(item, f"{prefix}{key} / ")
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield prefix + key, item


def into_readme(readme: str, report: dict) -> str:
    """The README's text with the results between its markers."""
    head, begin, rest = readme.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise InputError(f"the README should hold the lines {BEGIN} and {END}, in this order")
    return f"{head}{BEGIN}\n\n{markdown(results_table(report))}\n\n{_footnotes(report)}\n\n{END}{tail}"


def main(arguments: list[str]) -> int:
    """Put a report's table into a README; the exit code."""

    def run() -> None:
        if len(arguments) != 2:
            raise InputError("usage: python -m po3d.evaluation.report.results REPORT.json README.md")
        report, readme = read_json(arguments[0], "report"), Path(arguments[1])
        content = into_readme(readme.read_text(encoding="utf-8"), report)
        with atomic_write(readme) as file:
            file.write(content)

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
