"""Fit the calibration of answers on a validation twin and write it into an estimator's checkpoint.

    po3d generate benchmark=hypo3d split=val size=60 seed=900102 out=TWIN
    python evaluate.py benchmark=hypo3d data.root=TWIN perception.checkpoint=PAIR out=RUN
    python -m po3d.evaluation.answer_calibration RUN PAIR

Later predictions with PAIR on this domain have the calibrated probabilities; answers stay the same.
Fitting again composes with the calibration that the run used.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.evaluation.calibration import answered, calibration_error
from po3d.evaluation.compare import read_entry, with_answers
from po3d.io.checkpoint import locate
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError, malformed
from po3d.io.files import read_json, write_json
from po3d.scene.answer_calibration import AnswerCalibration, log_odds
from po3d.scene.geometry import Array
from po3d.systems import domain as domains

FEWEST = 200  # answers


def fit(probabilities: Array, right: Array, mode: str) -> AnswerCalibration:
    """Return the slope and offset that minimise the negative log-likelihood of the answers'
    correctness (n,); InputError for too few answers."""
    if len(right) < FEWEST or len(set(right.tolist())) < 2:
        raise InputError(
            f"{len(right)} answers; a fit needs at least {FEWEST}, right ones and wrong ones"
        )
    x = np.array(list(map(log_odds, probabilities)))

    def loss(line: Array) -> float:
        z = np.exp(line[0]) * x + line[1]  # the slope is positive, so that no order changes
        return float(np.mean(np.logaddexp(0, z) - right * z))

    log_slope, offset = minimize(loss, [0.0, 0.0]).x
    return AnswerCalibration(float(np.exp(log_slope)), float(offset), mode)


def belief_mode(config: Mapping[str, Any]) -> str:
    """Return `Domain.belief_mode` of a run with the default executor; InputError for any other."""
    executor, domain = config["executor"], config["benchmark"]["domain"]
    if changed := [f"executor.{k}={v}" for k, v in executor.items() if v is not None]:
        raise InputError(
            f"the run has {', '.join(changed)}; fit on a run with the default executor"
        )
    if domain == "street":
        return "marginal"
    return domains.domain(domain).belief_mode


def fit_run(run: str | Path, pair: str) -> dict[str, Any]:
    """Fit on a run over a validation twin, write the result into the JSON of the checkpoint pair,
    and return the figures. InputError for a run of another split or with other weights."""
    path = Path(run) / "run.json"
    with malformed(f"{path} is not the description of a run"):
        about = read_json(path, "description of a run")["about"]
        config, modules = about["provenance"]["config"], about["provenance"]["modules"]
        root = Path(config["data"]["root"] or ".")
    with malformed(f"{root / 'twin.json'} is not the description of a twin"):
        split = read_json(root / "twin.json", "description of a twin").get("split")
    if split not in ("val", "validation"):
        raise InputError(f"{root} is from the split {split!r}; fit on a validation twin alone")
    path = locate(pair).with_suffix(".json")
    record = read_json(path, "checkpoint")
    if record["sha256"] != modules["perception"].get("sha256"):
        raise InputError(f"{run} was made with other weights than {pair}")
    benchmark, mode = BENCHMARKS[config["benchmark"]["name"]], belief_mode(config)
    questions = with_answers(opened(benchmark.name, str(root)).questions)
    entry = read_entry(str(Path(run) / "predictions.jsonl"), questions)
    p, right, _ = answered(benchmark, questions, entry.predictions, benchmark.scorers[0])
    line = fit(p, right, mode)
    domain = config["benchmark"]["domain"]
    before = modules["perception"].get("answers", {}).get(domain)
    composed = line.after(None if before is None else AnswerCalibration(**before))
    record["config"].setdefault("answers", {})[domain] = composed._asdict()
    write_json(path, record)
    after = list(map(line.calibrated, p))
    return {
        "answers": len(after),
        "slope": composed.slope,
        "offset": composed.offset,
        "mode": mode,
        "ece_before": calibration_error(p, right),
        "ece_after": calibration_error(after, right),
    }


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        "python -m po3d.evaluation.answer_calibration",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", help="folder of an evaluation on a validation twin")
    parser.add_argument("pair", help="checkpoint pair: a shipped name or a path without suffix")
    arguments = parser.parse_args()

    def run() -> None:
        figures = fit_run(arguments.run, arguments.pair)
        print(", ".join(f"{k} {v:.4g}" if k != "mode" else v for k, v in figures.items()))

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main())
