"""The generated twin: whole, exact, the same with any number of workers and after a kill."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from po3d.benchmarks import street_twin
from po3d.benchmarks.pulsecheck457.data import generate, load, open_fresh
from po3d.benchmarks.pulsecheck457.report import CATEGORIES, FILES
from po3d.benchmarks.registry import training_questions
from po3d.benchmarks.superclevr.nodes import program_from_nodes
from po3d.evaluation.audit import audit
from po3d.io.errors import InputError
from po3d.synthesis.street import dataset

pytestmark = pytest.mark.render

SIZE, SEED = 6, 11


def digest(root: Path) -> dict[str, str]:
    files = sorted(p for p in root.rglob("*") if p.is_file())
    return {str(p.relative_to(root)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.fixture(scope="module", autouse=True)
def small_shards():
    """Several shards for few images; workers get the number with their task."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(street_twin, "SHARD", 2)
        yield


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    root = tmp_path_factory.mktemp("twin") / "out"
    generate(root, SIZE, SEED)
    return root


def test_the_folder_has_the_releases_layout(twin):
    names = {str(p.relative_to(twin)) for p in twin.rglob("*") if p.is_file()}
    images = {f"images/superCLEVR_new_{i:06d}.jpg" for i in range(SIZE)}
    questions = {f"questions/{file}.json" for file in FILES.values()}
    assert names == images | questions | {"scenes.json", "twin.json"}


def test_the_oracle_agrees_with_every_answer(twin):
    benchmark = load(twin)
    assert {q.category for q in benchmark.questions} == set(CATEGORIES)
    assert audit("pulsecheck457", benchmark) == []
    assert benchmark.image(benchmark.images[0]).shape == (480, 640, 3)


def test_records_say_what_each_node_gives(twin):
    for file in FILES.values():
        for record in json.loads((twin / "questions" / f"{file}.json").read_text())["questions"]:
            assert record["program"][-1]["_output"] == record["answer"]
            program_from_nodes(record["program"])


def test_stored_relations_match_the_executors(twin):
    benchmark = load(twin)
    for name in benchmark.images:
        record, scene = benchmark.source.record(name), benchmark.truth(name)
        right = np.array(record["directions"]["right"][:2])
        along = scene.positions[:, :2] @ right
        stored = record["relationships"]["right"]
        assert stored == [
            [j for j in range(len(scene)) if along[j] - along[i] > 0.2] for i in range(len(scene))
        ]
        assert all(0 < v <= 1 for v in record["po3d"]["visible_fractions"])
        boxes = np.array(record["po3d"]["boxes"])
        centres = scene.camera.project(scene.positions)[0]
        inside = (centres > boxes[:, :2] - 1) & (centres < boxes[:, 2:] + 1)
        assert (inside.all(1) | (boxes.min(1) <= 0)).all()


def test_both_looks_take_turns(twin):
    benchmark = load(twin)
    looks = [benchmark.source.record(name)["po3d"]["look"] for name in benchmark.images]
    assert looks == ["studio", "outdoor"] * (SIZE // 2)


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_workers(twin, tmp_path):
    generate(tmp_path / "out", SIZE, SEED, workers=2)
    assert digest(tmp_path / "out") == digest(twin)


def test_a_killed_run_goes_on_to_the_same_bytes(twin, tmp_path, monkeypatch):
    out = tmp_path / "out"
    original, built = dataset.picture, []

    def dies(sample_scene, renderer, skies):
        if len(built) == 3:
            raise KeyboardInterrupt
        built.append(1)
        return original(sample_scene, renderer, skies)

    monkeypatch.setattr(dataset, "picture", dies)
    with pytest.raises(KeyboardInterrupt):
        generate(out, SIZE, SEED)
    assert len(list((out / "shards").iterdir())) == 1
    monkeypatch.setattr(dataset, "picture", original)
    generate(out, SIZE, SEED)
    assert digest(out) == digest(twin)


def test_a_fresh_twin_has_the_questions_scenes_and_images_of_a_saved_one(twin, tmp_path):
    fresh, folder = open_fresh(tmp_path / "labels", SIZE, SEED), load(twin)
    assert fresh.questions == folder.questions
    for name in folder.images:
        assert fresh.source.record(name) == folder.source.record(name)
    np.testing.assert_allclose(
        fresh.image(folder.images[0]).mean(), folder.image(folder.images[0]).mean(), atol=1
    )


def test_without_images_the_labels_are_the_same(twin, tmp_path):
    generate(tmp_path / "out", SIZE, SEED, images=False)
    without = digest(tmp_path / "out")
    assert without == {k: v for k, v in digest(twin).items() if not k.startswith("images")} | {
        "twin.json": without["twin.json"]
    }


def test_training_questions_come_from_other_scenes(twin):
    questions = training_questions("pulsecheck457", 3, SEED)
    assert not {q.text for q in questions} >= {q.text for q in load(twin).questions}


def test_a_folder_of_something_else_is_left_alone(twin, tmp_path):
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(InputError, match="is not empty and contains no twin"):
        generate(tmp_path, SIZE, SEED)
    with pytest.raises(InputError, match="with other settings"):
        generate(twin, SIZE, SEED + 1)
    with pytest.raises(InputError, match="unknown look 'night'; known: studio, outdoor"):
        generate(tmp_path / "x", 1, look="night")
