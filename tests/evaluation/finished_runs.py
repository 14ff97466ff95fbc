"""Small finished runs for the tests of the report."""

import json
from pathlib import Path

from po3d.benchmarks.registry import BENCHMARKS
from po3d.evaluation.provenance import provenance
from po3d.evaluation.report.html_items import gold_program
from po3d.evaluation.run import evaluate
from po3d.io.runs import GRID_FORMAT
from po3d.reasoning.questions import Prediction, write_predictions

READY = [name for name, source in BENCHMARKS.items() if source.mini.exists()]


class Gold:
    """Says what the questions' own answers and programs are, on the true table where there is
    one.
    """

    def __init__(self, keep: bool = False) -> None:
        self.keep = keep

    def answer(self, questions, context):
        if self.keep:
            context.on_scene(context.truth())
        return [Prediction(q.id, "ok", q.answer, 0.9, gold_program(q)) for q in questions]


def finished(folder: Path, benchmark: str, size: int, keep: bool = False):
    """Write a run of `Gold` on the first images of a shipped split; the split."""
    source = BENCHMARKS[benchmark]
    split = source.load(source.mini, "mini").first(size)
    about = {
        "benchmark": benchmark, "split": "mini", "system": "gold", "settings": {},
        "provenance": provenance({}, {}, {"root": "x", "images": size}, ""),
    }  # fmt: skip
    evaluate(source, split, Gold(keep), folder, source.scorers[0], about, {})
    return split


def other_system(path: Path, questions) -> list[Prediction]:
    """Write the predictions of a system that has every third question wrong and is silent on every
    seventh.
    """
    predictions = []
    for k, q in enumerate(questions):
        if k % 7 == 0:
            predictions.append(Prediction(q.id, "unparsed", reason="no program <b>for</b> this"))
        else:
            predictions.append(
                Prediction(q.id, "ok", "wrong" if k % 3 == 0 else q.answer, 0.5 + k % 5 / 10)
            )
    write_predictions(path, predictions)
    return predictions


def with_grid(folder: Path, benchmark: str, questions) -> dict[str, str]:
    """Write a grid of two modules beside a run, every second question blamed on one of them; module
    by question id.
    """
    blamed = {q.id: ("pose", "parsing")[k // 2 % 2] for k, q in enumerate(questions) if k % 2 == 0}
    curve = [
        {"sigma": s, "value": 100 - 40 * s, "ci_low": 95 - 40 * s, "ci_high": 100.0}
        for s in (0, 0.5, 1)
    ]
    shares = {
        "n": 9,
        "error": 3.0,
        "shares": {"pose": 1.0, "parsing": 2.0},
        "alone": {"pose": 40.0, "parsing": 60.0},
        "intervals": {"error": [1.0, 5.0], "pose": [-0.5, 2.0], "parsing": [0.5, 4.0]},
    }
    row = {"n": 9, "value": 97.0, "ci_low": 95.0, "ci_high": 99.0}
    cells = [
        {
            "name": name,
            "settings": {"pose": "truth"},
            "rows": [{"name": "L1", **row}, {"name": "mean", **row}],
        }
        for name in ("all predicted", "+ pose", "+ parsing", "all true")
    ]
    about = json.loads((folder / "report.json").read_text())
    retained = ("benchmark", "split", "system", "scorer", "images", "settings", "provenance")
    grid = {
        "format": GRID_FORMAT,
        **{key: about[key] for key in retained},
        "benchmark": benchmark,
        "attribution": {"all": shares},
        "curves": {"heading": curve},
        "units": {"heading": "degrees"},
        "cells": cells,
        "problems": [],
    }
    (folder / "grid.json").write_text(json.dumps(grid))
    lines = [
        {
            "id": i,
            "shares": {m: float(m == module) for m in ("pose", "parsing")},
            "repaired_by": [[module]],
        }
        for i, module in blamed.items()
    ]
    (folder / "errors.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return blamed
