"""The twin of 3DSRBench's synthetic splits: closed under the oracle, the same by any number of
workers, read back.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.benchmarks.threedsrbench import data as srbench
from po3d.benchmarks.threedsrbench.benchmark import open_fresh
from po3d.benchmarks.threedsrbench.score import (
    CATEGORIES,
    VIEWPOINTS,
    consistency,
    mirrored_answer,
    score,
)
from po3d.benchmarks.threedsrbench.twin import generate, look, make, question_rows
from po3d.evaluation.run import by_image, predict
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.camera import camera_pose_of, mirrored
from po3d.scene.geometry import wrap_angle
from po3d.systems.baselines import planar_baseline
from po3d.systems.build import build_pipeline
from po3d.systems.pipeline import Context, oracle

SIZE, SEED = 8, 3


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    return open_fresh(tmp_path_factory.mktemp("twins") / "t", SIZE, SEED)


def answered(system, split, out) -> list:
    return predict(split, system, out, {"system": type(system).__name__})


def plain(questions):
    return [q for q in questions if "-" not in q.id]


def test_the_oracle_is_right_in_every_type_from_both_viewpoints(twin, tmp_path):
    report = score(twin.questions, answered(oracle("photographs"), twin, tmp_path / "o"))
    assert {row["name"] for row in report["rows"]} >= {*CATEGORIES, *VIEWPOINTS}
    assert all(row["value"] == 100 for row in report["rows"])
    assert report["relative_drop"]["value"] == 0
    assert report["consistency"]["flip"]["value"] == report["consistency"]["circular"]["value"] == 0


def test_read_texts_on_true_tables_are_nearly_always_right(twin, tmp_path):
    system = build_pipeline("photographs", scenes="ground_truth")
    report = score(twin.questions, answered(system, twin, tmp_path / "p"))
    assert report["rows"][0]["value"] >= 98


def test_the_flat_picture_is_worth_no_more_than_a_guess(twin, tmp_path):
    rows = score(twin.questions, answered(planar_baseline(), twin, tmp_path / "f"))["rows"]
    for row in rows:
        if row["name"] in CATEGORIES and row["n"] >= 14:
            four = row["name"].endswith(("orientation_viewpoint", "towards_object"))
            assert (
                abs(row["value"] / 100 - (0.25 if four else 0.5)) * row["n"] <= 8
            )  # 2 a view and operation


def test_each_question_is_queried_in_both_views_with_all_rotations_and_flipped(twin):
    by_text = Counter((q.scene, q.text, q.viewpoint) for q in twin.questions)
    for (scene, text, _), count in by_text.items():
        assert by_text[scene, text, "common"] == by_text[scene, text, "uncommon"] == count
        assert count in (4, 8)  # two or four rotations, twice
    by_id = {q.id: q for q in twin.questions}
    for q in plain(twin.questions):
        flip = by_id[f"{q.id}-flip"]
        assert flip.answer == mirrored_answer(q.category, q.answer)
        assert flip.image == q.image + srbench.MIRROR


def test_tables_hold_camera_and_lens_and_are_upright_or_not(twin):
    for name in twin.images:
        table = twin.truth(name)
        hold = camera_pose_of(table.camera)
        assert (table.camera.width, table.camera.height) == (640, 480)
        assert 300 < table.camera.focal < 560
        if "_common" in name:
            assert hold.roll == pytest.approx(0, abs=1e-6)
            assert 1.4 < hold.height < 1.8
        assert all(o.box is not None for o in table.objects)
        assert twin.inputs(name).focal(name) == table.camera.focal / 640


def test_a_shorter_twin_is_the_beginning_of_a_longer_one_with_any_workers(tmp_path):
    generate(tmp_path / "one", 2, SEED, workers=1)
    generate(tmp_path / "two", 2, SEED, workers=2)
    for name in (srbench.OURS, srbench.SCENES):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    scenes, questions = make(1, SEED)
    back = srbench.load(tmp_path / "one")
    assert [(q.id, q.text, q.answer) for q in questions] == [
        (q.id, q.text, q.answer) for q in back.questions[: len(questions)]
    ]
    assert np.allclose(back.truth(scenes[1].image).positions, scenes[1].positions)


def test_other_settings_do_not_mix(tmp_path):
    generate(tmp_path, 1, SEED)
    before = (tmp_path / srbench.OURS).stat().st_mtime_ns
    generate(tmp_path, 1, SEED)
    assert (tmp_path / srbench.OURS).stat().st_mtime_ns == before
    with pytest.raises(InputError, match="other settings"):
        generate(tmp_path, 1, SEED, margin=0.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 0}, "at least 1"),
        ({"split": "some"}, "unknown split"),
        ({"margin": 9}, "margin=9 should be between 0"),
    ],
)
def test_wrong_settings_are_refused(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        generate(tmp_path / "t", **({"size": 1} | change))


def test_a_wrong_answer_would_be_noticed():
    room = look(SEED, 0)
    item = next(i for i in room.offers if i.op == "in_front_of")
    other = {"in front of": "behind", "behind": "in front of"}[item.answers[0]]
    with pytest.raises(AssertionError, match=r"not .(behind|in front of)."):
        question_rows(
            room, "orientation_in_front_of", item._replace(answers=(other, other)), rng(0, "t")
        )


def test_a_view_without_a_file_needs_models_to_be_rendered(twin, tmp_path):
    bare = replace(twin, furniture=tmp_path)
    with pytest.raises(InputError, match="furniture"):
        bare.image(twin.images[0])


def turned(scene, degrees):
    """Return the scene with noise on its headings, drawn by the image's name."""
    random = rng(0, f"test noise/{scene.image}")
    errors = np.radians(degrees) * random.normal(size=len(scene))
    objects = [
        replace(o, heading=float(wrap_angle(o.heading + error)))
        for o, error in zip(scene.objects, errors)
    ]
    return replace(scene, objects=tuple(objects))


def disagreement(scenes, questions, degrees) -> dict:
    """Percentages of questions whose flipped twin has another answer, "overall" and by type, with
    independent noise of `degrees` on the headings of the picture and of its flip.
    """
    scenes_by_image = {scene.image: scene for scene in scenes}
    predictions = []
    for name, group in by_image(questions).items():
        scene = scenes_by_image[name.removesuffix(srbench.MIRROR)]
        if name.endswith(srbench.MIRROR):
            scene = replace(mirrored(scene), image=name)
        noisy = turned(scene, degrees)
        context = Context(None, lambda noisy=noisy: noisy, name)
        predictions += oracle("photographs").answer(group, context)
    flips = {}
    for name in ("overall", *CATEGORIES):
        chosen = [q for q in questions if name in ("overall", q.category)]
        if chosen:
            flips[name] = consistency(chosen, predictions)["flip"]
    return flips


def test_noise_within_the_margins_rarely_turns_an_answer(twin):
    scenes = [twin.truth(name) for name in twin.images if not name.endswith(srbench.MIRROR)]
    first = [q for q in twin.questions if not q.id[-1].isdecimal()]
    result = disagreement(scenes, first, 5.0)
    assert result["overall"]["n"] == len(plain(twin.questions))
    assert result["overall"]["value"] <= 2
    assert result["height_higher"]["value"] == 0
    assert disagreement(scenes, first, 0.0)["overall"]["value"] == 0
    assert disagreement(scenes, first, 60.0)["orientation_on_the_left"]["value"] > 10


def test_the_shipped_split_has_its_pictures():
    split = opened("3dsrbench")
    assert BENCHMARKS["3dsrbench"].scorers[0] == "circular"
    assert {q.category for q in split.questions} == set(CATEGORIES)
    sizes = [p.stat().st_size for p in split.root.rglob("*") if p.is_file()]
    assert sum(sizes) <= 6e6
    name = split.images[0]
    picture = split.image(name)
    assert picture.shape == (480, 640, 3)
    assert picture.std() > 10
    assert np.array_equal(split.image(name + srbench.MIRROR), picture[:, ::-1])
    for image in {q.image for q in split.questions if srbench.MIRROR not in q.image}:
        assert (split.root / image).is_file()


def test_an_unknown_source_of_tables_is_refused():
    with pytest.raises(InputError, match="known: ground_truth"):
        build_pipeline("photographs", scenes="photograph")
