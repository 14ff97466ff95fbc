"""Files of a paper from runs: `po3d report RUN... --paper DIR`.

  DIR/NAME-tables.tex      every table, as printed by `po3d report --latex`
  DIR/NAME-figures.tex     the figures of the benchmark's paper for this run, from DIR/figures/*.pdf
  DIR/NAME-protocol.tex    sentences on data, scoring and provenance
  DIR/main.tex             a document that includes all of these

NAME is the benchmark's, with a number if there are several runs.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from po3d.benchmarks.metrics import CONFIDENCE, RESAMPLES
from po3d.benchmarks.registry import unit
from po3d.evaluation.report.latex import latex_page, sentence
from po3d.evaluation.report.notes import data_line, official, on_twin
from po3d.evaluation.report.plots import sensitivity_plot
from po3d.evaluation.report.results import Published
from po3d.evaluation.run_report import grid_of
from po3d.evaluation.run_tables import ReportedRun, explained, run_figures
from po3d.io.errors import InputError
from po3d.io.files import write_file
from po3d.io.plots import save
from po3d.reasoning.questions import not_ok

MAIN = r"""\documentclass{article}
\usepackage[margin=2.5cm]{geometry}
\usepackage{booktabs,graphicx}
\begin{document}
%s
\end{document}
"""
FIGURES = "figures"


def write_paper(
    groups: Sequence[tuple[Path, ReportedRun]],
    out: str | Path,
    published: Published = True,
    grid: str | Path | None = None,
) -> list[Path]:
    """Write the files of the runs to the folder `out` and return their paths; raise InputError if
    it holds anything else."""
    out = Path(out)
    if out.exists() and not (out / "main.tex").is_file() and any(out.iterdir()):
        raise InputError(
            f"{out} is neither empty nor a folder of paper files; choose another folder"
        )
    written, included = [], []
    for k, (folder, run) in enumerate(groups, 1):
        name = run.report["benchmark"] + (f"-{k}" if len(groups) > 1 else "")
        result = grid_of(grid or folder, run)
        parts = {
            "protocol": protocol(run),
            "tables": latex_page(explained(run, published, result), name),
            "figures": _figures(run, out, name, result, written),
        }
        for part, content in parts.items():
            if content:
                path = out / f"{name}-{part}.tex"
                write_file(path, content + "\n")
                written.append(path)
                included.append(rf"\input{{{path.stem}}}" + r"\clearpage" * (part != "protocol"))
    write_file(out / "main.tex", MAIN % "\n".join(included))
    return [*written, out / "main.tex"]


def _figures(
    run: ReportedRun, out: Path, name: str, grid: Mapping[str, Any] | None, written: list[Path]
) -> str:
    """Write a run's figures as PDF and return the LaTeX that includes them."""
    floats = []
    for plot in run_figures(run):
        written.append(save(plot._replace(name=f"{name}-{plot.name}"), out / FIGURES, ".pdf"))
        caption = f"{run.benchmark.title}: {plot.title}. {plot.note}"
        caption += f" Measured on {data_line(run.report)}."
        floats.append(_float(written[-1], caption))
    if grid and grid["curves"]:
        path = out / FIGURES / f"{name}-sensitivity.pdf"
        sensitivity_plot(grid["curves"], grid["units"], path)
        written.append(path)
        caption = (
            "accuracy (%) against noise in one module, all else from ground truth, with 95 %"
            " intervals"
        )
        caption = f"{run.benchmark.title}: {caption}. Measured on {data_line(grid)}."
        floats.append(_float(path, caption))
    return "\n\n".join(floats)


def _float(path: Path, caption: str) -> str:
    lines = [
        r"\begin{figure}",
        r"\centering",
        r"\includegraphics[width=\linewidth,height=0.8\textheight,keepaspectratio]"
        rf"{{{FIGURES}/{path.name}}}",
        rf"\caption{{{sentence(caption)}}}",
        rf"\label{{fig:{path.stem}}}",
        r"\end{figure}",
    ]
    return "\n".join(lines)


def protocol(run: ReportedRun) -> str:
    """Return LaTeX sentences on the protocol of a run."""
    report, created = run.report, run.report["provenance"]
    rule = run.benchmark.protocols.get(report["scorer"], f"scored by the rule {report['scorer']}")
    name, query = run.entries[0].name, len(run.split.questions)
    silent = not_ok(run.entries[0].predictions)
    share = f"{100 * CONFIDENCE:g} %"
    lines = [
        f"{name} is evaluated on {data_line(report)}, {query:,} questions; {rule}.",
        f"{silent:,} {'question' if silent == 1 else 'questions'} without an answer"
        f" {'counts' if silent == 1 else 'count'} as wrong.",
    ]
    if others := [entry.name for entry in run.entries[1:]]:
        lines.append(
            f"All systems answer the same questions ({', '.join(others)}); differences "
            "are paired by question."
        )
    how = f"{RESAMPLES:,} bootstrap resamples of {unit(report)}"
    lines.append(f"Intervals are {share} percentile intervals of {how}.")
    if report["published"]:
        where = f"the benchmark's paper, measured on {official(report)}"
        line = f"Rows marked * are the figures of {where}"
        if on_twin(report["split"]):
            other = "the twin's questions are not the official ones"
            line += f"; {other}, so these rows are not comparable with ours"
        lines.append(f"{line}.")
    facts = [f"po3d {created['versions']['po3d']}"]
    facts += [f"revision {(created['git_revision'] or 'unknown')[:12]}", created["date"][:10]]
    for key, digest in created["checkpoints"].items():
        facts.append(f"weights of the {key} {digest[:12]} (sha256)")
    lines.append(f"Predictions: {', '.join(facts)}.")
    if digest := created["data"].get("sha256"):
        lines.append(f"The data's sha256 begins with {digest[:12]}.")
    return "\n".join(map(sentence, lines))
