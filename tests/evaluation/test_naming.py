"""What runs are called."""

import pytest

from po3d.benchmarks.registry import counted, title
from po3d.evaluation.report.results import report_markdown, report_text
from po3d.io.run_names import LONGEST, row_name, run_folder, settings_of
from po3d.systems.composition import system_settings

from test_results import REPORT, ROW  # isort: skip


@pytest.mark.parametrize(
    ("system", "settings", "name"),
    [
        ("po3d", {}, "po3d"),
        ("po3d", {"scenes": "predicted", "known_yaw": True}, "po3d"),
        ("po3d", {"scenes": "ground_truth", "frame": "anchors"}, "po3d, true tables"),
        ("po3d", {"scenes": "map", "frame": "none"}, "po3d, plain maps, no frame"),
        (
            "po3d",
            {"oracle": ["heading", "position"], "abstain_below": 0.5},
            "po3d, oracle: heading, position, abstains below 0.5",
        ),
        (
            "po3d",
            {"mode": "argmax", "perception": "runs/mine", "flip_tta": False},
            "po3d, perception mine, no flip augmentation, argmax",
        ),
        (
            "po3d",
            {"known_yaw": False, "assume_present": False},
            "po3d, unknown camera angles, without presuppositions",
        ),
        (
            "lmm",
            {"model": "org/M-7b", "base_url": "http://x", "temperature": 0.7},
            "org/M-7b, temperature=0.7",
        ),
        ("replay", {"path": "a/run/predictions.jsonl"}, "replay of run"),
        ("po3d", {"a_setting_of_tomorrow": 3}, "po3d, a_setting_of_tomorrow=3"),
    ],
)
def test_a_row_says_what_sets_its_run_apart(system, settings, name):
    report = REPORT | {"system": system, "settings": settings}
    assert row_name(report) == name
    assert f"\n{name} (strict)" in report_text(report)
    assert f"| {name} (strict) |" in report_markdown(report)
    assert report_markdown(report).startswith(f"# {name} on ")


def test_settings_are_those_that_differ_and_the_source_of_tables():
    default = {"name": "po3d", "scenes": "map", "mode": "marginal", "seed": 0}
    assert settings_of(default, default) == {"scenes": "map"}
    changed = settings_of({**default, "mode": "argmax", "scenes": "ground_truth"}, default, 0.5)
    assert changed == {"scenes": "ground_truth", "mode": "argmax", "abstain_below": 0.5}
    assert run_folder("hypo3d", "mini", "po3d", {"scenes": "map"}, default) == "hypo3d-mini-po3d"
    assert (
        run_folder("hypo3d", "mini", "po3d", changed, default)
        == "hypo3d-mini-po3d-true-tables-argmax-abstains-below-0.5"
    )


def test_a_sweep_over_an_estimators_options_has_a_folder_and_a_row_for_each():
    node = {"_target_": "mymod.Mine", "checkpoint": None, "alpha": 0.1}
    system = {"_target_": "po3d.x", "name": "po3d", "perception": node, "scenes": "predicted"}
    default = {"name": "po3d", "perception": None, "scenes": "predicted"}
    folders, rows = set(), set()
    sweep = [{"alpha": a} for a in (0.1, 0.2, -0.2, -2, 2)]
    sweep += [{"weights": w} for w in ("a/b.pt", "a-b.pt", "x" * 150, "x" * 151)]
    for options in sweep:
        settings = settings_of(
            system_settings({**system, "perception": {**node, **options}}), default
        )
        assert settings["perception_options"]["alpha"] == options.get("alpha", 0.1)
        folder = run_folder("scope", "mini", "po3d", settings, default)
        assert len(folder) <= LONGEST
        folders.add(folder)
        rows.add(row_name({"system": "po3d", "settings": settings}))
    assert len(folders) == len(rows) == len(sweep)
    assert "scope-mini-po3d-perception-Mine-alpha-0.2" in folders


def test_figures_are_counted_in_what_their_intervals_resample():
    report = {
        b: counted({"benchmark": b, "images": n})
        for b, n in {"pulsecheck457": 150, "hypo3d": 50, "scope": 12, "3dsrbench": 1}.items()
    }
    assert report == {
        "pulsecheck457": "150 images",
        "hypo3d": "50 rooms",
        "scope": "12 scenes",
        "3dsrbench": "1 scene",
    }
    assert title(REPORT | {"benchmark": "scope", "images": 12}) == "scope mini, n = 12 scenes"


def test_one_image_gives_no_interval_and_the_report_says_why():
    alone = REPORT | {"images": 1, "rows": [ROW | {"ci_low": None, "ci_high": None}]}
    why = "no intervals: they need several images, and there is only 1 image"
    for page in (report_text(alone), report_markdown(alone)):
        assert why in page
    assert "no intervals" not in report_text(REPORT)


def test_what_stands_beside_and_what_was_not_detected_are_rows():
    beside = REPORT | {"settings": {"scenes": "ground_truth"}}
    missed = {"n": 3, "of": 8, "rows": [ROW | {"value": 25.0}]}
    lines = report_text(REPORT | {"beside": [beside], "not_found": missed}).splitlines()
    assert any(line.startswith("po3d, true tables (strict)") for line in lines)
    (row,) = [
        line for line in lines if line.startswith("po3d: a named object was not found (3 of 8)")
    ]
    assert row.split()[-2:] == ["25.0", "-"]


def test_a_language_models_row_says_what_it_was_provided():
    plain = {"model": "m", "scenes": "none", "frame": None}
    assert row_name({"system": "lmm", "settings": plain}) == "m"
    supplied = {
        **plain,
        "frame": "camera",
        "show": "labelled",
        "change": "without",
        "style": "cot",
        "scenes": "ground_truth",
    }
    assert (
        row_name({"system": "lmm", "settings": supplied})
        == "m, true tables, camera frame, labelled maps, without the change, chain of thought"
    )
    tables = {
        **plain,
        "scenes": "predicted",
        "scenes_file": "outputs/scope-mini-po3d/scenes.jsonl",
        "show": "none",
    }
    assert (
        row_name({"system": "lmm", "settings": tables})
        == "m, no pictures, scenes of scope-mini-po3d"
    )
