"""Calibration of answers: fitted on validation runs, attached to scenes, applied by pipelines."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.evaluation.answer_calibration import FEWEST, fit, fit_run
from po3d.io.errors import InputError
from po3d.scene.answer_calibration import LEAST, AnswerCalibration
from po3d.scene.table import from_json, to_json
from po3d.systems.pipeline import ImageScenes, calibrated

ROOM = Path(__file__).resolve().parents[2] / "data" / "examples" / "room.json"
LINE = AnswerCalibration(0.8, 0.9, "samples=64")
PROBABILITIES = st.floats(0.0, 1.0)
LINES = st.builds(
    AnswerCalibration, st.floats(0.1, 5.0), st.floats(-3.0, 3.0), st.just("samples=64")
)


@pytest.fixture(scope="module")
def room():
    return from_json(json.loads(ROOM.read_text(encoding="utf-8")))


@given(LINES, PROBABILITIES, PROBABILITIES)
def test_calibration_keeps_the_order_of_answers(line, p, q):
    low, high = sorted((line.calibrated(p), line.calibrated(q)))
    assert 0 <= low <= high <= 1
    assert (line.calibrated(min(p, q)), line.calibrated(max(p, q))) == (low, high)


@given(st.floats(LEAST, 1 - LEAST))
def test_a_slope_of_one_without_offset_changes_nothing(p):
    assert AnswerCalibration(1.0, 0.0, "").calibrated(p) == pytest.approx(p, abs=1e-9)


@given(LINES, LINES, st.floats(0.01, 0.99))
def test_a_later_calibration_composes_with_an_earlier_one(first, second, p):
    once = first.calibrated(p)
    if LEAST < once < 1 - LEAST:  # beyond, probabilities are clipped in between
        together = second.after(first).calibrated(p)
        assert together == pytest.approx(second.calibrated(once), abs=1e-6)
    assert second.after(None) == second


def test_the_fit_finds_a_known_distortion():
    random = np.random.default_rng(5)
    stated = random.uniform(0.05, 0.95, 20_000)
    right = (random.random(20_000) < [LINE.calibrated(p) for p in stated]).astype(float)
    line = fit(stated, right, "samples=64")
    assert line.slope == pytest.approx(LINE.slope, abs=0.05)
    assert line.offset == pytest.approx(LINE.offset, abs=0.05)


def test_a_fit_needs_enough_answers_of_both_kinds():
    few = np.full(FEWEST - 1, 0.5)
    with pytest.raises(InputError, match=f"{FEWEST - 1} answers; a fit needs at least {FEWEST}"):
        fit(few, few > 1, "samples=64")
    many = np.full(FEWEST, 0.5)
    with pytest.raises(InputError, match="right ones and wrong ones"):
        fit(many, np.ones(FEWEST), "samples=64")


def test_scenes_keep_their_calibration_in_files(room):
    scene = replace(room, source="predicted", answer_calibration=LINE)
    assert from_json(json.loads(json.dumps(to_json(scene)))).answer_calibration == LINE
    assert "answer_calibration" not in to_json(replace(scene, answer_calibration=None))
    record = to_json(scene)
    record["answer_calibration"]["slope"] = -1
    with pytest.raises(InputError, match="slope"):
        from_json(record)


def test_only_answers_of_the_fitted_mode_from_predicted_modules_are_calibrated(room):
    scene = replace(room, source="predicted", answer_calibration=LINE)
    scenes = ImageScenes({"a": scene})
    assert calibrated(0.6, scenes, "samples=64") == LINE.calibrated(0.6) != 0.6
    assert calibrated(0.6, scenes, "samples=0") == 0.6
    assert calibrated(0.6, replace(scenes, settings={"color": "truth"}), "samples=64") == 0.6
    assert calibrated(0.6, ImageScenes({"a": room}), "samples=64") == 0.6


def run_folder(folder, split, sha256, **executor):
    """A run folder with what `fit_run` reads before the predictions."""
    root = folder / "twin"
    root.mkdir(parents=True)
    (root / "twin.json").write_text(json.dumps({"split": split}))
    config = {
        "benchmark": {"name": "hypo3d", "domain": "rooms"},
        "executor": {"mode": None, "samples": None, **executor},
        "data": {"root": str(root)},
    }
    provenance = {"config": config, "modules": {"perception": {"sha256": sha256}}}
    (folder / "run.json").write_text(json.dumps({"about": {"provenance": provenance}}))
    return folder


def test_a_fit_refuses_test_splits_and_runs_of_other_weights(tmp_path):
    with pytest.raises(InputError, match="from the split 'fresh'"):
        fit_run(run_folder(tmp_path / "a", "fresh", "0"), "top_view_estimator")
    with pytest.raises(InputError, match="other weights than top_view_estimator"):
        fit_run(run_folder(tmp_path / "b", "val", "0"), "top_view_estimator")


def test_log_odds_are_finite_at_the_ends():
    assert all(math.isfinite(LINE.calibrated(p)) for p in (0.0, 1.0))
