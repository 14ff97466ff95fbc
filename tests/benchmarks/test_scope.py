"""SCOPE: its files, its twin, its systems and its scores."""

import json
import math
from collections import Counter
from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest

from po3d.benchmarks.scope import data as scope
from po3d.benchmarks.scope import twin as scope_twin
from po3d.benchmarks.scope import views as scope_views
from po3d.benchmarks.scope.score import TASKS, chosen, correct, published, published_rows, score
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.reasoning.questions import Prediction
from po3d.scene.geometry import Pose, rotation_z, wrap_angle
from po3d.scene.orbit import FAR, LABELS, VIEWS, group_of, turned_label
from po3d.scene.registration import rotation
from po3d.scene.table import Scene, to_json
from po3d.synthesis.multi_view.catalogue import PEOPLE, things
from po3d.synthesis.multi_view.scenes import LEAST_VISIBLE
from po3d.synthesis.splits import SPLITS
from po3d.systems.build import build_pipeline
from po3d.systems.orbit import DOMAIN, question_parser
from po3d.systems.pipeline import Context, Pipeline, oracle
from po3d.systems.scene_sources import Pictures, Truth

SIZE, SEED = 3, 21


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scope") / "twin"
    scope_twin.generate(folder, SIZE, SEED)
    return folder


@pytest.fixture(scope="module")
def split(root):
    return scope.load(root)


def orbit(tables, known_yaw=True):
    return Pipeline(tables, question_parser(), replace(DOMAIN, known_yaw=known_yaw))


def answered(split, system):
    result = []
    for name, questions in groupby(split.questions, key=lambda q: q.image):
        context = Context.of(split, name)
        result += system.answer(list(questions), context)
    return result


def gold(split):
    return [Prediction(q.id, "ok", q.answer) for q in split.questions]


# --- the twin -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "system",
    [oracle("orbit"), orbit(Truth()), orbit(Truth(), known_yaw=False)],
    ids=["oracle", "pipeline", "unknown yaw"],
)
def test_everything_is_right_on_true_tables(split, system):
    result = answered(split, system)
    wrong = [
        (q.text, p.reason or p.answer, q.answer)
        for q, p in zip(split.questions, result)
        if p.answer != q.answer
    ]
    assert wrong == []
    report = score(split.questions, result)
    assert [row["name"] for row in report["rows"]] == ["average", *TASKS]
    assert all(row["value"] == 100.0 and row["failed"] == 0 for row in report["rows"])
    cells = [cell for by_set in report["consistency"].values() for cell in by_set.values()]
    assert len(cells) == 12
    assert all(cell["consistent"] == cell["joint"] == 100.0 for cell in cells)


def test_any_number_of_workers_writes_the_same_bytes(root, tmp_path):
    scope_twin.generate(tmp_path / "two", SIZE, SEED, workers=2)
    for name in ("items.jsonl", "scenes.jsonl", "twin.json"):
        assert (tmp_path / "two" / name).read_bytes() == (root / name).read_bytes()


def test_a_finished_twin_is_left_alone_and_another_does_not_mix_with_it(root):
    before = (root / "items.jsonl").stat().st_mtime_ns
    scope_twin.generate(root, SIZE, SEED)
    assert (root / "items.jsonl").stat().st_mtime_ns == before
    with pytest.raises(InputError, match="other settings"):
        scope_twin.generate(root, SIZE, SEED + 1)
    with pytest.raises(InputError, match="unknown split"):
        scope_twin.generate(root, SIZE, SEED, split="maxi")


def test_the_other_reading_changes_cameras_and_no_answer(split, tmp_path):
    scope_twin.generate(tmp_path / "far", SIZE, SEED, reading=FAR)
    far = scope.load(tmp_path / "far")
    report = score(far.questions, answered(far, orbit(Truth())))
    assert report["rows"][0]["value"] == 100.0
    assert far.view(far.images[0]).orbit.reading == FAR


def test_answers_turn_with_the_view_and_own_ones_stay(split):
    groups: dict = {}
    for q in split.questions:
        if q.category in TASKS[:4] and not q.variant:
            groups.setdefault((q.category, q.group), {})[q.views[0]] = q
    assert len(groups) == 8 * SIZE
    for (task, _), views in groups.items():
        assert sorted(views) == list(VIEWS)
        for v, q in views.items():
            start = views[0].answer
            assert q.answer == (turned_label(start, v) if task.endswith("_ego") else start)
            assert len({group_of(option) for option in q.options}) == 1
    orders = {tuple(q.options) for q in split.questions if q.category == "consistency_ego"}
    assert len(orders) > 10


def test_updating_asks_about_the_pairs_and_views_of_consistency(split):
    query = {
        task: Counter(
            (q.image, q.views[0], q.program[q.program.index("where") :].rstrip(")"))
            for q in split.questions if q.category == task
        )
        for task in TASKS[:4]
    }  # fmt: skip
    assert query["consistency_ego"] == query["updating_ego"]
    assert query["consistency_allo"] == query["updating_allo"]


def test_directions_are_balanced():
    """From all views every direction is right equally often; in things' own frames it goes round
    with the scenes.
    """
    labels = []
    for index in range(8):
        _, questions = scope_twin.scene(index, 3, "test")
        visible = [q.answer for q in questions if q.category == "consistency_ego" and not q.variant]
        assert len(set(Counter(visible).values())) == 1
        assert set(visible) == set(LABELS)
        labels += [
            q.answer for q in questions if q.category == "consistency_allo" and q.views == (0,)
        ][::2]
    assert Counter(labels) == dict.fromkeys(LABELS, 2)


def test_what_is_queried_is_visible_and_stands_on_the_ground(split):
    for scene in split.images:
        view = split.view(scene)
        assert view.visible.shape == (8, len(view.scene))
        for o in view.scene.objects:
            assert o.position[2] == pytest.approx(o.extent[2] / 2)
        heights = {round(float(view.orbit.camera(v).position[2]), 6) for v in VIEWS}
        assert len(heights) == 1
        names = [o.name for o in view.scene.objects]
        for q in split.questions:
            if q.image == scene and q.category == "consistency_ego" and not q.variant:
                shares = view.visible[VIEWS.index(q.views[0])]
                query = [k for k, name in enumerate(names) if name and f'"{name}"' in q.program]
                assert len(query) == 2
                assert min(shares[query]) >= LEAST_VISIBLE - 1e-3


def test_a_view_shows_what_it_shows_in_its_own_world(split):
    q = next(q for q in split.questions if q.views == (90,))
    name = q.images[0]
    table, view = split.truth(name), split.view(q.image)
    assert table.image == name
    np.testing.assert_allclose(table.camera.position[:2], (0, -view.orbit.radius), atol=1e-9)
    world = view.orbit.camera(90)
    here = {o.name: table.camera.project(o.position)[0] for o in table.objects if o.name}
    for o in view.scene.objects:
        if o.name in here:
            np.testing.assert_allclose(here[o.name], world.project(o.position)[0], atol=1e-6)
    assert len(table) == int(np.sum(view.visible[2] >= scope_views.LEAST_VISIBLE_SHARE))


def test_the_things_are_many_everyday_and_split_by_model():
    table = things()
    assert len(table) >= 37
    assert all(name in table for name in PEOPLE)
    assert {ground for t in table.values() for ground in t.grounds} == {"floor", "outdoor", "table"}
    for t in table.values():
        by_split = [set(t.models_of(split)) for split in SPLITS]
        assert all(by_split)
        assert len(set.union(*by_split)) == sum(map(len, by_split))
        assert all(0.03 < max(m.extent) < 3 for m in set.union(*by_split))


# --- tables that are estimated --------------------------------------------------------------------


class Blurred:
    """An estimator that knows the truth but for noise along the ray, told by its covariances. A
    picture is told by its grey; each table is in a world of its own, turned anyhow, and the
    camera's angle is nowhere to be had but in it.
    """

    def __init__(self, split, sigma):
        self.sigma = sigma
        self.tables = [split.truth(name) for name in sorted(split._angles)]

    def estimate(self, pictures, focals, names):
        assert set(focals) == {1.0}
        return [self._blurred(int(picture[0, 0, 0])) for picture in pictures]

    def _blurred(self, grey):
        table, random = self.tables[grey], rng(3, "blur", grey)
        yaw = float(random.uniform(-math.pi, math.pi))
        turn, turned = rotation(yaw), rotation_z(yaw)
        objects = []
        for o in table.objects:
            ray = np.array(o.position[:2]) - table.camera.position[:2]
            scale = self.sigma * float(np.hypot(*ray)) / 6
            ray = ray / np.hypot(*ray)
            x, y = turn @ (np.array(o.position[:2]) + random.normal(0, scale) * ray)
            spread = np.zeros((3, 3))
            spread[:2, :2] = scale**2 * np.outer(turn @ ray, turn @ ray)
            heading = float(wrap_angle(o.heading + yaw))
            covariance = tuple(map(tuple, spread.tolist()))
            objects.append(
                replace(
                    o,
                    position=(float(x), float(y), o.position[2]),
                    heading=heading,
                    covariance=covariance,
                    name="",
                )
            )
        pose = table.camera.cam_T_world
        camera = replace(table.camera, cam_T_world=Pose(pose.rotation @ turned.T, pose.translation))
        return Scene(tuple(objects), {}, "predicted", camera)


def _grey_pictures(split, monkeypatch):
    names = sorted(split._angles)

    def image(self, name):
        return np.full((480, 640, 3), names.index(name), np.uint8)

    monkeypatch.setattr(type(split), "image", image)


@pytest.mark.parametrize("known_yaw", [True, False])
def test_a_perfect_eye_answers_everything_from_pictures_alone(split, monkeypatch, known_yaw):
    """Words for equal things aside, nothing but pictures, their lens and (with known yaws) the
    items' angles is used.
    """
    _grey_pictures(split, monkeypatch)
    result = answered(split, orbit(Pictures(Blurred(split, 0.0), "orbit"), known_yaw))
    report = score(split.questions, result)
    assert all(row["value"] == 100.0 for row in report["rows"]), report["rows"]


def test_estimated_views_are_fused_for_questions_on_several(split, monkeypatch):
    _grey_pictures(split, monkeypatch)
    result = answered(split, orbit(Pictures(Blurred(split, 0.6), "orbit")))
    report = score(split.questions, result)
    values = {row["name"]: row["value"] for row in report["rows"]}
    assert 60 < values["consistency_ego"] < 100
    assert values["integration_ego"] >= values["consistency_ego"]
    assert values["average"] > 75


def test_an_estimator_that_returns_the_truth_is_refused(split, monkeypatch):
    _grey_pictures(split, monkeypatch)

    class Peeking:
        def estimate(self, pictures, focals, names):
            return [split.truth(sorted(split._angles)[0])] * len(pictures)

    with pytest.raises(InputError, match="ground truth"):
        answered(split, orbit(Pictures(Peeking(), "orbit")))


def test_unknown_sources_are_refused():
    assert isinstance(build_pipeline("orbit", scenes="ground_truth").tables, Truth)
    with pytest.raises(InputError, match="unknown source of scenes"):
        build_pipeline("orbit", scenes="magic")


# --- files ----------------------------------------------------------------------------------------

ITEM = {
    "id": "1",
    "scene": "s",
    "task": "consistency_ego",
    "images": ["a.jpg"],
    "view": 93,
    "question": "Where?",
    "options": ["front", "behind", "left", "right"],
    "answer": "C",
}


def test_a_release_needs_no_fields_of_ours(tmp_path):
    (tmp_path / "items.jsonl").write_text(json.dumps(ITEM) + "\n")
    split = scope.load(tmp_path)
    (q,) = split.questions
    assert (q.answer, q.image, q.views, q.group) == ("left", "s", (90,), "s/consistency_ego/Where?")
    with pytest.raises(InputError, match="no true scene"):
        split.truth("s")
    with pytest.raises(InputError, match="not found"):
        split.image("a.jpg")
    with pytest.raises(InputError, match="no gold program"):
        oracle("orbit").answer(split.questions, Context(lambda: None, lambda: None))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"task": "magic"}, "unknown task"),
        ({"question": ""}, "'question' is missing"),
        ({"options": ["left"]}, "options"),
        ({"options": ["left", "left"]}, "options"),
        ({"answer": "Z"}, "not among the options"),
        ({"view": [0, 90]}, "equal length"),
        ({"view": "north"}, r"view\[0\]: 'north' should be a number"),
        ({"images": ["../a.jpg"]}, "without folders"),
    ],
)
def test_bad_items_are_named(tmp_path, change, said):
    (tmp_path / "items.jsonl").write_text(json.dumps(ITEM | change) + "\n")
    with pytest.raises(InputError, match=said) as failure:
        scope.load(tmp_path)
    assert "line 1" in str(failure.value)


def test_missing_and_empty_files_are_named(tmp_path):
    with pytest.raises(InputError, match=r"expected items\.jsonl"):
        scope.load(tmp_path)
    (tmp_path / "items.jsonl").write_text(json.dumps(ITEM) + "\n" + json.dumps(ITEM) + "\n")
    with pytest.raises(InputError, match="occurs twice"):
        scope.load(tmp_path)


def test_what_is_written_is_read_back(split, tmp_path):
    scope.write_release(tmp_path, split.questions, [split.view(name) for name in split.images])
    again = scope.load(tmp_path, split.split)
    assert again.questions == split.questions
    for name in again.images:
        assert to_json(again.truth(name)) == to_json(split.truth(name))
        assert again.view(name).orbit == split.view(name).orbit


# --- scores ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "option"),
    [
        ("left", "left"),
        ("Left.", "left"),
        ("B", "behind"),
        ("(b)", "behind"),
        ("D. right", "right"),
        ("up", None),
        ("E", None),
        ("", None),
    ],
)
def test_answers_are_letters_or_texts(answer, option):
    assert chosen(answer, ["front", "behind", "left", "right"]) == option


def _question(split, task):
    return [q for q in split.questions if q.category == task and not q.variant]


def test_consistency_asks_for_agreement_and_joint_for_truth(split):
    """One pair seen from eight views: right but for one diagonal view, then wrong alike from
    all.
    """
    own = [q for q in _question(split, "consistency_ego") if q.group.endswith("/0")][:8]
    right = {q.id: q.answer for q in own}
    slip = next(q for q in own if q.views == (135,))
    once = [
        Prediction(i, "ok", a)
        for i, a in (right | {slip.id: turned_label(slip.answer, 180)}).items()
    ]
    cells = score(own, once)["consistency"]["consistency_ego"]
    assert [cells[s]["consistent"] for s in ("orthogonal", "diagonal", "all")] == [100.0, 0.0, 0.0]
    assert [cells[s]["joint"] for s in ("orthogonal", "diagonal", "all")] == [100.0, 0.0, 0.0]
    alike = [Prediction(i, "ok", turned_label(a, 90)) for i, a in right.items()]
    cells = score(own, alike)["consistency"]["consistency_ego"]
    assert (cells["all"]["consistent"], cells["all"]["joint"]) == (100.0, 0.0)
    silent = [Prediction(i, "unparsed") for i in right]
    assert score(own, silent)["consistency"]["consistency_ego"]["all"]["consistent"] == 0.0
    del right[slip.id]
    most = [Prediction(i, "ok", a) for i, a in right.items()]
    cells = score([q for q in own if q is not slip], most)["consistency"]["consistency_ego"]
    assert cells == {"orthogonal": {"n": 1, "consistent": 100.0, "joint": 100.0}}


def test_errors_of_updating_are_distinguished(split):
    own = _question(split, "updating_ego")
    q90 = next(q for q in own if "Rotate 90°" in q.text)
    q180 = next((q for q in own if "Rotate 180°" in q.text), None)
    start = turned_label(q90.answer, -90)
    kinds = {
        q90.answer: "correct", start: "no rotation", turned_label(start, -90): "wrong direction",
        turned_label(start, 180): "wrong direction", turned_label(start, 270): "wrong direction",
    }  # fmt: skip
    kinds[turned_label(start, 180)] = "wrong angle"
    for label, kind in kinds.items():
        result = score([q90], [Prediction(q90.id, "ok", label)])["updating_errors"]
        assert result[group_of(q90.answer)]["90"][kind] == 1, label
    assert (
        score([q90], [Prediction(q90.id, "failed")])["updating_errors"][group_of(q90.answer)]["90"][
            "no answer"
        ]
        == 1
    )
    if q180 is not None:
        back = turned_label(q180.answer, -180)
        assert (
            score([q180], [Prediction(q180.id, "ok", back)])["updating_errors"][group_of(back)][
                "180"
            ]["no rotation"]
            == 1
        )


def test_paraphrases_count_beside_the_columns(split):
    result = [replace(p, answer=None, status="failed") if "/p" in p.id else p for p in gold(split)]
    questions = [replace(q, answer="".join(list(q.answer))) for q in split.questions]
    report = score(questions, result)
    assert report["rows"][0]["value"] == 100.0
    assert report["paraphrase"]["average"] == {
        "n": len(split.questions) // 2, "template": 100.0, "paraphrase": 0.0, "delta": -100.0,
    }  # fmt: skip
    right = correct(split.questions, result)
    assert sum(math.isnan(r) for r in right) == len(split.questions) // 2
    assert {r for r in right if not math.isnan(r)} == {1.0}


def test_blind_answers_show_what_consistency_leaves_out(split):
    report = score(split.questions, gold(split))
    cells = report["baseline_consistency"]
    assert cells["a quarter turn off"]["consistency_ego"]["all"]["consistent"] == 100.0
    assert cells["a quarter turn off"]["consistency_ego"]["all"]["joint"] == 0.0
    assert cells["always front"]["consistency_allo"]["all"]["consistent"] == 100.0
    assert cells["always front"]["consistency_ego"]["all"]["consistent"] == 0.0
    accuracy = {row["name"]: row["value"] for row in report["baselines"]["always front"]}
    assert accuracy["consistency_ego"] == 25.0
    quarter = {row["name"]: row["value"] for row in report["baselines"]["a quarter turn off"]}
    assert quarter["average"] == 0.0


def test_matrices_and_directions_count_every_answer(split):
    report = score(split.questions, gold(split))
    for matrices in report["confusion"].values():
        for table in matrices.values():
            counts = np.array(table)
            assert np.all(counts == np.diag(np.diag(counts[:, :4])) @ np.eye(4, 5))
    for both in report["directions"].values():
        assert both["gold"] == both["answered"]


def test_scoring_refuses_what_it_can_not_score(split):
    with pytest.raises(InputError, match="no questions"):
        score([], [])
    with pytest.raises(InputError, match="unknown scorer"):
        score(split.questions, gold(split), "magic")
    with pytest.raises(InputError, match="unknown task"):
        score([replace(split.questions[0], category="x")], gold(split))


def test_the_papers_average_is_the_mean_of_its_six_tasks():
    rows = published_rows()
    assert len(rows) == 30
    for row in rows:
        assert abs(row["average"] - sum(row[t] for t in TASKS) / 6) < 0.35, row["model"]
    human = published("scene_consistency")[0]
    assert (human["accuracy"], human["all_8_view"]) == (97.72, 87.5)
