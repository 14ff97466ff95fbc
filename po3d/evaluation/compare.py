"""Comparison of predictions files: accuracies with intervals and, for each pair of systems, tests
of their difference. The statistics are described by `po3d compare --help`.
"""

import argparse
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.benchmarks.scoring import column
from po3d.benchmarks.twin_folder import kind_of_data
from po3d.evaluation.report.latex import latex_page
from po3d.evaluation.report.notes import Explained, data_line
from po3d.evaluation.report.records import check_data, data_of, described_run, name_of_run
from po3d.evaluation.statistics import agreement, holm, mcnemar, paired_difference
from po3d.io.errors import InputError
from po3d.io.files import finite, write_file
from po3d.io.run_names import counted
from po3d.io.runs import PREDICTIONS
from po3d.io.text_tables import Table, interval_text, markdown, text
from po3d.reasoning.questions import (
    Prediction,
    Question,
    categories_of,
    cluster,
    ids_of,
    read_predictions,
)

ABSENT = "no prediction for this question"
ONE_IMAGE = "one image"  # reason for a missing interval


class SystemEntry(NamedTuple):
    """One system's predictions, one per question, and the mismatch between file and questions."""

    name: str
    predictions: list[Prediction]
    absent: frozenset[str]  # ids of questions without a line; scored as wrong
    foreign: int  # number of lines on other questions; ignored


def with_answers(questions: Iterable[Question]) -> list[Question]:
    """Return the questions that have a gold answer."""
    return [q for q in questions if q.answer is not None]


def read_entry(path: str | Path, questions: Sequence[Question], name: str = "") -> SystemEntry:
    """Read the predictions of a file or a run's folder, in question order; raise InputError if none
    of the questions is answered."""
    path = Path(path) / PREDICTIONS if Path(path).is_dir() else Path(path)
    by_id: dict[str, Prediction] = {}
    for p in read_predictions(path):
        if p.id in by_id:
            raise InputError(f"{path} has two answers to question {p.id!r}")
        by_id[p.id] = p
    known = set(ids_of(questions))
    foreign = len(by_id.keys() - known)
    if foreign == len(by_id):
        example = f"its ids are like {next(iter(by_id))!r}" if by_id else "the file is empty"
        raise InputError(
            f"{path} has no answer to any of the {len(questions)} questions ({example}; "
            f"expected ids like {questions[0].id!r}); check --benchmark and --data"
        )
    predictions = []
    for q in questions:
        predictions.append(by_id.get(q.id) or Prediction(q.id, "failed", reason=ABSENT))
    return SystemEntry(name or _name(path), predictions, frozenset(known - by_id.keys()), foreign)


def compare(
    benchmark: Benchmark,
    questions: Sequence[Question],
    entries: Sequence[SystemEntry],
    scorer: str,
    to_first: bool = False,
    by_category: bool = False,
) -> dict:
    """Return the content of the comparison tables, in percent and JSON-serialisable:

    models      name, absent, foreign, not_ok, and `rows` as in the benchmark's report (name, n,
                failed, value, ci_low, ci_high)
    pairs       first, second, difference, ci_low, ci_high, p_bootstrap, only_first, only_second,
                p_mcnemar, p_holm (p_mcnemar adjusted over all pairs), detectable, kappa,
                shared_errors; with by_category these keys for each category, without p_holm.
                Undefined values are None; `reason` explains a missing interval
    questions, clusters, scorer
    """
    scores = [benchmark.correct(questions, e.predictions, scorer) for e in entries]
    right = np.array(scores, float)
    counted = ~np.isnan(right).any(0)
    questions_scored = list(itertools.compress(questions, counted))
    ids = set(ids_of(questions_scored))
    right = right[:, counted]
    if to_first:
        chosen = [(0, k) for k in range(1, len(entries))]
    else:
        chosen = list(itertools.combinations(range(len(entries)), 2))
    categories = np.array(categories_of(questions_scored))
    names = dict.fromkeys(categories.tolist()) if by_category else ()
    images = np.array(list(map(cluster, questions_scored)))
    pairs = []
    for i, j in chosen:
        pair = {"first": entries[i].name, "second": entries[j].name}
        pair |= _pair(right[i], right[j], images)
        pair["by_category"] = {}
        for name in names:
            own = categories == name
            pair["by_category"][name] = _pair(right[i][own], right[j][own], images[own])
        pairs.append(pair)
    for pair, p in zip(pairs, holm([pair["p_mcnemar"] for pair in pairs])):
        pair["p_holm"] = p
    return {
        "scorer": scorer,
        "scorer_name": benchmark.scorer_names.get(scorer, scorer),
        "questions": len(questions_scored),
        "clusters": len(set(images.tolist())),
        "models": [_model(e, benchmark, questions, scorer, ids) for e in entries],
        "pairs": pairs,
    }


def _model(
    entry: SystemEntry,
    benchmark: Benchmark,
    questions: Sequence[Question],
    scorer: str,
    scored: Set[str],
) -> dict:
    """Return a system's figures; `scored`: the ids of the questions that the scorer counts."""
    return {
        "name": entry.name,
        "absent": len(entry.absent),
        "foreign": entry.foreign,
        "not_ok": sum(p.status != "ok" and p.id in scored for p in entry.predictions),
        "rows": finite(benchmark.score(questions, entry.predictions, scorer)["rows"]),
    }


def _pair(a: np.ndarray, b: np.ndarray, images: np.ndarray) -> dict:
    """Compare two systems by the correctness of their answers, (n,); `images` (n,) are the clusters
    of the bootstrap."""
    difference = paired_difference(a, b, images.tolist())
    only_first, only_second, p = mcnemar(a, b)
    kappa, shared = agreement(a, b)
    return {
        "n": len(images),
        "difference": _number(100 * difference.value),
        "ci_low": _number(100 * difference.low),
        "ci_high": _number(100 * difference.high),
        "p_bootstrap": _number(difference.p),
        "reason": ONE_IMAGE if len(set(images.tolist())) == 1 else difference.reason,
        "only_first": only_first,
        "only_second": only_second,
        "p_mcnemar": p,
        "detectable": _number(100 * difference.detectable),
        "kappa": _number(kappa),
        "shared_errors": _number(100 * shared),
    }


def accuracy_table(result: dict) -> Table:
    """Return a table with one row per system, its 95 % intervals below, and a column for each
    figure of the benchmark."""
    names = column(result["models"][0]["rows"], "name")
    none = f"none: {ONE_IMAGE}" if result["clusters"] == 1 else None
    rows: list[list] = []
    for model in result["models"]:
        rows.append([model["name"], model["not_ok"], *column(model["rows"], "value")])
        intervals = [interval_text(row, True) or none for row in model["rows"]]
        rows.append(["  95 % interval", None, *intervals])
    sizes = (counted(result[key], key) for key in ("questions", "clusters"))
    title = ", ".join((_scorer(result), *sizes))
    return Table([title, "no answer", *names], rows)


def _scorer(result: dict) -> str:
    return result.get("scorer_name", result["scorer"])


def pair_table(result: dict) -> Table:
    """Return a table with one row per pair of systems, followed by its categories if compared."""
    header = ["first - second", "difference", "95 %", "p (bootstrap)", "only first", "only second"]
    header += ["p (McNemar)", "p (Holm)", "detectable", "kappa", "shared errors %"]
    rows: list[list] = []
    for pair in result["pairs"]:
        rows.append([f"{pair['first']} - {pair['second']}", *_cells(pair)])
        for name, own in pair["by_category"].items():
            rows.append([f"  {name}", *_cells(own)])
    return Table(header, rows)


def _cells(pair: dict) -> list:
    kappa = None if pair["kappa"] is None else f"{pair['kappa']:.2f}"
    return [
        None if pair["difference"] is None else f"{pair['difference']:+.1f}",
        interval_text(pair, True) or f"none: {pair['reason']}",
        _p(pair["p_bootstrap"]),
        pair["only_first"],
        pair["only_second"],
        _p(pair["p_mcnemar"]),
        _p(pair["p_holm"]) if "p_holm" in pair else None,
        pair["detectable"],
        kappa,
        pair["shared_errors"],
    ]


def _p(p: float | None) -> str | None:
    if p is None:
        return None
    if p < 1e-16:
        return "<1e-16"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}"


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _name(path: Path) -> str:
    """Return a display name: the file's stem, or for an evaluation run the name in its report."""
    if path.name != PREDICTIONS:
        return path.stem
    return name_of_run(path.parent) or path.resolve().parent.name


# --- the command ----------------------------------------------------------------------------------


def compare_command(arguments: argparse.Namespace) -> int:
    """Print or write the comparison tables of the named files."""
    runs = list(filter(None, map(described_run, arguments.files)))
    data = data_of(
        arguments.files, arguments.benchmark, arguments.data, arguments.size, arguments.scorer
    )
    name, root, size = data.benchmark, data.root, data.size
    questions = with_answers(opened(name, root, size).questions)
    if not questions:
        raise InputError("the questions have no gold answers, so nothing can be compared")
    entries = read_entries(arguments.files, arguments.names, questions, "files")
    for path in arguments.files:
        if runs:
            check_data(runs[0], path)
    notes = gaps(entries)
    if data.from_run:
        where = f"the first {counted(size, BENCHMARKS[name].unit)}"
        notes.append(f"compared on {where}, as in the smallest run; --size sets another size")
    if arguments.common:
        questions, entries = _common(questions, entries)
        notes.append(f"compared on the {len(questions)} questions with a prediction in every file")
    benchmark = BENCHMARKS[name]
    scorer = data.scorer or benchmark.scorers[0]
    result = compare(
        benchmark, questions, entries, scorer, arguments.to_first, arguments.by_category
    )
    described = {
        "benchmark": name,
        "split": "mini" if root is None else kind_of_data(Path(root)),
        "images": result["clusters"],
    }
    page = _page({**result, "notes": notes}, arguments.form, described)
    if arguments.out:
        write_file(arguments.out, page + "\n")
        print(f"wrote {arguments.out}")
    else:
        print(page)
    return 0


def read_entries(
    files: Sequence[str], names: str, questions: Sequence[Question], what: str
) -> list[SystemEntry]:
    """Return the predictions of several files; `names`: the systems' names, separated by commas; ""
    for the file names. `what` names the files in the error."""
    titles = names.split(",") if names else [""] * len(files)
    if len(titles) != len(files):
        raise InputError(f"--names has {len(titles)} names for {len(files)} {what}")
    entries = []
    for path, title in zip(files, titles):
        entries.append(read_entry(path, questions, title.strip()))
    return distinct(entries, files)


def gaps(entries: Sequence[SystemEntry]) -> list[str]:
    """Return notes on entries with missing or additional lines."""
    notes = []
    for e in entries:
        if e.absent or e.foreign:
            other = f"{e.foreign} predictions for other questions"
            notes.append(f"{e.name}: {len(e.absent)} questions without a prediction, {other}")
    return notes


def distinct(entries: Sequence[SystemEntry], files: Sequence[str | None]) -> list[SystemEntry]:
    """Rename entries that share a name to their file paths; an entry without a file keeps its
    name."""
    names = [e.name for e in entries]
    result = []
    for entry, file in zip(entries, files):
        twice = file and names.count(entry.name) > 1
        result.append(entry._replace(name=str(file)) if twice else entry)
    return result


def _common(
    questions: list[Question], entries: list[SystemEntry]
) -> tuple[list[Question], list[SystemEntry]]:
    absent = frozenset().union(*(e.absent for e in entries))
    common = []
    for q in questions:
        if q.id not in absent:
            common.append(q)
    if not common:
        raise InputError("--common: no question has a prediction in every file")
    reduced = []
    for e in entries:
        predictions = []
        for p in e.predictions:
            if p.id not in absent:
                predictions.append(p)
        reduced.append(e._replace(predictions=predictions))
    return common, reduced


STATISTICS = (
    "Difference: first minus second, in percentage points, with its 95 % interval "
    "(paired bootstrap, 10,000 resamples of {unit}); McNemar: exact test, adjusted by "
    "Holm over the pairs shown; detectable: the smallest difference found with 80 % "
    "power at the 5 % level, given the number of {unit}; kappa: agreement of the errors."
)


def _page(result: dict, form: str, data: Mapping[str, Any]) -> str:
    if form == "json":
        return json.dumps(result, indent=1, ensure_ascii=False)
    tables = [accuracy_table(result), *([pair_table(result)] if result["pairs"] else [])]
    if form == "latex":
        return latex_page(_explained(result, tables, data), f"compare-{data['benchmark']}")
    return "\n\n".join([*map({"markdown": markdown}.get(form, text), tables), *result["notes"]])


def _explained(result: dict, tables: Sequence[Table], data: Mapping[str, Any]) -> list[Explained]:
    """Return the tables for LaTeX, with the title cell of the terminal's first column moved into
    the caption."""
    query = f"{result['questions']:,} questions, scorer: {_scorer(result)}"
    where = f"Measured on {data_line(data)}: {query}."
    titles = ("Accuracy (%) with 95 % intervals", "Paired differences")
    headed = (tables[0]._replace(header=("system", *tables[0].header[1:])), *tables[1:])
    notes = (result["notes"], [STATISTICS.format(unit=BENCHMARKS[data["benchmark"]].unit)])
    parts = zip(titles, headed, notes)
    return [Explained(title, table, [where, *own]) for title, table, own in parts]
