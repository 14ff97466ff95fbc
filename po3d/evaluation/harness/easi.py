"""A run in the shape that EASI's leaderboard takes: results for each question, overall figures, and
the exact settings (`po3d export --format easi`).

  OUT/easi_results.json                   the payload: model, scores and subScores, in percent
  OUT/easi_results.zip                    the files below
  OUT/MODEL/MODEL_DATASET_result.xlsx     a row per question: VLMEvalKit's columns, the prediction,
                                          the extracted answer, hit
  OUT/MODEL/MODEL_DATASET_acc.csv         a row per protocol, as fractions; EASI reads the first one
  OUT/MODEL/MODEL_DATASET_settings.json   run.json's description of the run, data, scorer, versions

docs/lmm.md states which parts follow EASI's code and which are a guess.
"""

import argparse
import csv
import io
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from po3d import __version__
from po3d.benchmarks.registry import BENCHMARKS
from po3d.benchmarks.twin_folder import kind_of_data
from po3d.evaluation.compare import read_entry, with_answers
from po3d.evaluation.harness.vlmevalkit_results import write_results
from po3d.evaluation.report.records import described_run
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, sha256, write_file, write_json
from po3d.io.runs import PREDICTIONS
from po3d.reasoning.questions import Prediction, Question

# Benchmark -> its key in EASI and the dataset's name in VLMEvalKit; only these are on the
# leaderboard.
EASI = {"3dsrbench": ("3dsrbench", "3DSRBench")}
# VLMEvalKit's names of 3DSRBench's protocols, in the order of its file; EASI reads the first row
SETTINGS = {
    "3dsrbench": dict(
        vanilla="vanilla", flip="flip_eval", circular="circ_eval", flip_circular="flip_circ_eval"
    )
}
HEADLINES = ("overall", "mean", "average")
UNKNOWN = ("modelType", "precision", "weightType", "baseModel")  # the submitter knows them
EPOCH = (1980, 1, 1, 0, 0, 0)  # dates in the archive, so that equal files give an equal archive


def write_easi(
    out: str | Path,
    model: str,
    benchmark: str,
    questions: Sequence[Question],
    predictions: Sequence[Prediction],
    about: Mapping[str, Any],
    data: str,
) -> list[Path]:
    """Write the files of a run and return their paths. `model`: "org/name"; `predictions`: one per
    question; `about`: the description of the run in run.json, {} if unknown; `data`: what the
    questions are, in words. Raise InputError if `out` holds other files."""
    out, own = Path(out), BENCHMARKS[benchmark]
    if out.exists() and not (out / "easi_results.json").is_file() and any(out.iterdir()):
        raise InputError(
            f"{out} is not empty and holds no easi_results.json; choose another folder"
        )
    key, dataset = EASI.get(benchmark, (benchmark, own.title))
    settings = SETTINGS.get(benchmark, {})
    first = next(iter(settings), own.scorers[0])
    score = own.score(questions, predictions, first)
    by_scorer = {first: score["rows"], **score["other_scorers"]}
    name = model.rpartition("/")[2]
    stem = out / name / f"{name}_{dataset}"
    hits = own.correct(questions, predictions, first)
    by_id = {p.id: (p, hit) for p, hit in zip(predictions, hits, strict=True)}

    def extracted(q: Question) -> str | None:
        prediction = by_id[q.id][0]
        return prediction.answer if prediction.status == "ok" else ""

    def hit(q: Question) -> int | str:
        value = by_id[q.id][1]
        return "" if math.isnan(value) else int(value)

    parts = ("result.xlsx", "acc.csv", "settings.json")
    files = [stem.with_name(f"{stem.name}_{part}") for part in parts]
    columns = {"extracted": extracted, "hit": hit}
    write_results(files[0], benchmark, questions, predictions, columns)
    write_file(files[1], _accuracies(by_scorer, settings))
    description = {
        "model": model,
        "dataset": dataset,
        "data": data,
        "questions": len(questions),
        "scorer": first,
        "rule": own.protocols.get(first, ""),
        "po3d": __version__,
        "results_sha256": sha256(files[0]),
        "run": dict(about),
    }
    write_json(files[2], description)
    rows = {row["name"]: row["value"] for row in by_scorer[first]}
    write_json(out / "easi_results.json", _payload(model, key, rows, about, data, description))
    _archive(out / "easi_results.zip", files, name)
    return [out / "easi_results.json", out / "easi_results.zip", *files]


def _payload(
    model: str,
    key: str,
    rows: Mapping[str, float | None],
    about: Mapping[str, Any],
    data: str,
    description: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the content of easi_results.json; `rows`: figures by name, `key`: EASI's name of the
    benchmark."""
    overall = next((rows[n] for n in HEADLINES if n in rows), None)
    scores = {}
    for n, v in rows.items():
        if n not in HEADLINES:
            scores[n] = _rounded(v)
    count, scorer = description["questions"], description["scorer"]
    return {
        "modelName": model,
        **dict.fromkeys(UNKNOWN, ""),
        "revision": about.get("provenance", {}).get("git_revision", ""),
        "backend": f"po3d {__version__}",
        "remarks": f"{data}, {count} rows; 100 x mean of {scorer}",
        "scores": {key: _rounded(overall)},
        "subScores": {key: scores},
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _accuracies(
    by_scorer: Mapping[str, Sequence[Mapping[str, Any]]], settings: Mapping[str, str]
) -> str:
    """Return acc.csv: a row per protocol, the headline under "Overall" and the other figures under
    their names, as fractions."""
    order = list(filter(by_scorer.__contains__, settings)) or list(by_scorer)
    headline, names = None, []
    for r in by_scorer[order[0]]:
        if headline is None and r["name"] in HEADLINES:
            headline = r["name"]
        else:
            names.append(r["name"])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["setting", *(["Overall"] if headline else []), *names])
    for scorer in order:
        values = {r["name"]: r["value"] for r in by_scorer[scorer]}
        figures = list(map(values.get, ([headline] if headline else []) + names))
        shares = ["" if value is None else value / 100 for value in figures]
        writer.writerow([settings.get(scorer, scorer), *shares])
    return text.getvalue()


def _archive(path: Path, files: Sequence[Path], folder: str) -> None:
    with (
        atomic_write(path, "wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for one in sorted(files):
            archive.writestr(
                zipfile.ZipInfo(f"{folder}/{one.name}", EPOCH),
                one.read_bytes(),
                zipfile.ZIP_DEFLATED,
            )


def described_data(kind: str, benchmark: str) -> str:
    """Describe in words the data of the questions. `kind`: as returned by `kind_of_data`."""
    title = BENCHMARKS[benchmark].title
    if kind == "twin":
        return f"po3d's twin of {title}, not the benchmark's images"
    return f"the release of {title}" + ", with labels corrected by po3d" * (kind == "corrected")


def easi_command(arguments: argparse.Namespace, split: Any) -> int:
    """Write the files for EASI of the answers to a split, and print what is missing in them."""
    model = arguments.model or "po3d/po3d"
    if not re.fullmatch(r"[\w-][\w.-]*/[\w-][\w.-]*", model):
        raise InputError(f"--model {model} should be ORG/NAME, of letters, digits, dots and dashes")
    path, benchmark = Path(arguments.predictions), arguments.benchmark
    path = path / PREDICTIONS if path.is_dir() else path
    questions = with_answers(split.questions)
    predictions = read_entry(path, questions).predictions
    about = described_run(path) or {}
    kind = kind_of_data(Path(arguments.data or BENCHMARKS[benchmark].mini))
    data = described_data(kind, benchmark)
    for written in write_easi(arguments.out, model, benchmark, questions, predictions, about, data):
        print(f"wrote {written}")
    notes = []
    if benchmark not in EASI:
        notes.append(f"{benchmark} is not on EASI's leaderboard; the files have its format")
    if kind != "release":
        notes.append(f"the figures are of {data}: do not submit them")
    if not about:
        notes.append(
            "no run.json beside the predictions; add the settings of the run to settings.json"
        )
    for note in notes:
        print(f"note: {note}")
    print(f"fill in before a submission: {', '.join(UNKNOWN)} in easi_results.json")
    return 0
