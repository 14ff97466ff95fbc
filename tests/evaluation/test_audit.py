"""po3d audit: spoiled labels are found, and the corrected split is right."""

import json
import shutil

import pytest

from po3d.benchmarks.hypo3d import data as hypo3d
from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.benchmarks.registry import opened
from po3d.benchmarks.twin_folder import kind_of_data
from po3d.cli import main as cli
from po3d.evaluation.audit import audit
from po3d.io.errors import InputError

RETAINED = {f"superCLEVR_new_00000{k}.jpg" for k in range(3)}


@pytest.fixture
def release(tmp_path):
    """Three images of the mini split; the first question of each column is spoiled in its own
    way.
    """
    root = tmp_path / "release"
    (root / "questions").mkdir(parents=True)
    (root / "images").symlink_to(pulsecheck457.MINI / "images")
    content = json.loads((pulsecheck457.MINI / "scenes.json").read_text())
    content["scenes"] = [s for s in content["scenes"] if s["image_filename"] in RETAINED]
    (root / "scenes.json").write_text(json.dumps(content))
    for path in (pulsecheck457.MINI / "questions").glob("*.json"):
        content = json.loads(path.read_text())
        content["questions"] = [r for r in content["questions"] if r["image_filename"] in RETAINED]
        (root / "questions" / path.name).write_text(json.dumps(content))
    return root


def spoil(release, file, k, **changes):
    path = release / "questions" / f"{file}.json"
    content = json.loads(path.read_text())
    record = content["questions"][k]
    before = dict(record)
    record.update(changes)
    path.write_text(json.dumps(content))
    return f"{file}:{record['question_index']}", before


def answers(root):
    return {q.id: q.answer for q in pulsecheck457.load(root).questions}


def test_a_twin_has_no_errata():
    assert audit("pulsecheck457", opened("pulsecheck457").first(5)) == []
    assert audit("hypo3d", opened("hypo3d").first(2)) == []


def test_spoiled_labels_are_detected_and_corrected(release, tmp_path, capsys):
    right = answers(release)
    wrong, _ = spoil(release, "L1_single", 0, answer="purple rain")
    nothing = [{"type": "scene", "inputs": []}]
    for word, value in (("color", "cyan"), ("color", "brown")):  # nothing has two colours
        nothing.append(
            {"type": f"filter_{word}", "inputs": [len(nothing) - 1], "value_inputs": [value]}
        )
    nothing.append({"type": "unique", "inputs": [2]})
    nothing.append({"type": "query_shape", "inputs": [3]})
    nothing = [{"value_inputs": [], **n} for n in nothing]
    void, _ = spoil(release, "L2_objects", 0, program=nothing)
    dark, _ = spoil(release, "L4_occ", 0, program=None)
    errata, corrected = tmp_path / "errata.jsonl", tmp_path / "corrected"
    assert (
        cli.main(
            ["audit", "--data", str(release), "--out", str(errata), "--corrected", str(corrected)]
        )
        == 0
    )
    result = {r["id"]: r for r in map(json.loads, errata.read_text().splitlines())}
    assert {i: r["verdict"] for i, r in result.items()} == {
        wrong: "replaced",
        void: "left out",
        dark: "unvouched",
    }
    assert (result[wrong]["released"], result[wrong]["computed"]) == ("purple rain", right[wrong])
    assert "the set is empty" in result[void]["reason"]
    assert answers(corrected) == {i: a for i, a in right.items() if i != void}
    printed = capsys.readouterr().out
    assert "replaced" in printed
    again = pulsecheck457.load(corrected)
    assert (kind_of_data(release), kind_of_data(corrected)) == ("release", "corrected")
    shutil.copy(pulsecheck457.MINI / "twin.json", release)  # now the split is a twin
    options = ["--out", str(errata), "--corrected", str(tmp_path / "of_twin")]
    assert cli.main(["audit", "--data", str(release), *options]) == 0
    assert kind_of_data(tmp_path / "of_twin") == "twin"
    assert again.image(again.questions[0].image).ndim == 3
    left = {e.id: e.verdict for e in audit("pulsecheck457", again)}
    assert left == {dark: "unvouched"}
    record = json.loads((corrected / "questions" / "L1_single.json").read_text())["questions"][0]
    assert type(record["answer"]) is str


@pytest.mark.parametrize("spelling", [True, "True", "Yes", "yes"])
def test_a_corrected_answer_is_written_as_the_release_spells(release, tmp_path, spelling):
    yes = next(i for i, a in answers(release).items() if a == "no" and i.startswith("L2_objects"))
    path = release / "questions" / "L2_objects.json"
    content = json.loads(path.read_text())
    k = [r["question_index"] for r in content["questions"]].index(int(yes.split(":")[1]))
    spoil(release, "L2_objects", k, answer=spelling)
    out = [str(tmp_path / "e.jsonl"), "--corrected", str(tmp_path / "c")]
    assert cli.main(["audit", "--data", str(release), "--out", *out]) == 0
    record = json.loads((tmp_path / "c" / "questions" / "L2_objects.json").read_text())[
        "questions"
    ][k]
    assert record["answer"] == {True: False, "True": "False", "Yes": "No", "yes": "no"}[spelling]
    assert type(record["answer"]) is type(spelling)


def test_rooms_are_corrected_too(tmp_path):
    split = opened("hypo3d").first(2)
    q = split.questions[0]
    spoiled = [
        q.__class__(**{**vars(o), "answer": "purple rain"}) if o is q else o
        for o in split.questions
    ]
    hypo3d.write_release(
        tmp_path / "rooms", spoiled, split.anchors, [split.truth(n) for n in split.images]
    )
    out, corrected = tmp_path / "errata.jsonl", tmp_path / "corrected"
    arguments = ["--benchmark", "hypo3d", "--data", str(tmp_path / "rooms"), "--out", str(out)]
    assert cli.main(["audit", *arguments, "--corrected", str(corrected)]) == 0
    (record,) = map(json.loads, out.read_text().splitlines())
    assert (record["id"], record["computed"], record["verdict"]) == (q.id, q.answer, "replaced")
    fixed = {o.id: o.answer for o in hypo3d.load(corrected).questions}
    assert fixed == {o.id: o.answer for o in split.questions}


def test_what_cannot_be_audited_is_reported(release, tmp_path, capsys):
    for path in (release / "questions").iterdir():
        content = json.loads(path.read_text())
        content["questions"] = [
            {k: v for k, v in r.items() if k != "program"} for r in content["questions"]
        ]
        path.write_text(json.dumps(content))
    out = ["--out", str(tmp_path / "e.jsonl")]
    assert cli.main(["audit", "--data", str(release), *out]) == 2
    assert "no question has a program" in capsys.readouterr().err
    assert cli.main(["audit", "--data", str(release), "--corrected", str(release), *out]) == 2
    assert "differ from the folder of the release" in capsys.readouterr().err
    with pytest.raises(InputError, match="unknown benchmark"):
        audit("other", None)
