"""The twin of Hypo3D: exact under the oracle, deterministic, in the paper's proportions, with its
control sets.
"""

import hashlib
from collections import Counter
from itertools import groupby

import numpy as np
import pytest

from po3d.benchmarks.hypo3d import data as hypo3d
from po3d.benchmarks.hypo3d import twin as hypo3d_twin
from po3d.benchmarks.hypo3d.score import ALIGNED, score
from po3d.io.errors import InputError
from po3d.scene.frames import in_frame, room_centre, wall_azimuth
from po3d.synthesis.splits import SPLITS
from po3d.synthesis.top_view import top_views
from po3d.synthesis.top_view.changes import TYPES
from po3d.synthesis.top_view.questions import COARSE, QUESTION_TYPES
from po3d.systems.framed_rooms import framed
from po3d.systems.pipeline import Context, oracle

SIZE, SEED = 4, 21


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hypo3d") / "twin"
    hypo3d_twin.generate(folder, SIZE, SEED)
    return folder


@pytest.fixture(scope="module")
def split(root):
    return hypo3d.load(root)


def predictions(split, system):
    result = []
    for name, questions in groupby(split.questions, key=lambda q: q.image):
        result += system.answer(
            list(questions), Context(lambda: None, lambda name=name: split.truth(name), name)
        )
    return result


def test_the_oracle_is_exactly_right(split):
    result = predictions(split, oracle("rooms"))
    assert [(q.id, p.answer) for q, p in zip(split.questions, result)] == [
        (q.id, q.answer) for q in split.questions
    ]
    report = score(split.questions, result, "official")
    assert all(row["value"] == 100.0 for row in report["rows"])


def test_irrelevant_changes_alter_no_answer(split):
    irrelevant = [q for q in split.questions if q.control == "irrelevant change"]
    assert irrelevant
    unchanged = [hypo3d_twin.replace(q, change="", change_program="") for q in irrelevant]
    system = oracle("rooms")
    for q, bare in zip(irrelevant, unchanged):
        context = Context(lambda: None, lambda q=q: split.truth(q.image), q.image)
        assert (
            system.answer([q], context)[0].answer
            == system.answer([bare], context)[0].answer
            == q.answer
        )


def test_any_number_of_workers_writes_the_same_bytes(root, tmp_path):
    hypo3d_twin.generate(tmp_path / "two", SIZE, SEED, workers=2)

    def digest(folder):
        return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir()}

    assert digest(root) == digest(tmp_path / "two")


def test_questions_are_of_the_papers_types(split):
    plain = [q for q in split.questions if not q.control]
    for q in plain:
        assert q.fine in QUESTION_TYPES[q.category]
        assert q.types == COARSE[q.fine]
    changes = Counter(kind for _, kind, _ in {(q.image, q.category, q.change) for q in plain})
    assert set(changes) == set(TYPES)
    assert max(changes, key=changes.__getitem__) == "movement"


def test_the_frame_turns_the_room(split):
    for name in split.images:
        scene = framed(split.truth(name), split.frame(name))
        assert split.frame(name)
        (x, y), (u, v) = scene.axes["front"], scene.axes["left"]
        assert (u, v) == pytest.approx((-y, x))
    assert (
        len(
            {
                tuple(round(c) for c in framed(split.truth(n), split.frame(n)).axes["front"])
                for n in split.images
            }
        )
        > 1
    )


def test_aligned_copies_come_after_everything_else(split):
    """Without them the twin is what its rooms give, ids and all."""
    ordered = sorted(split.questions, key=lambda q: q.id)  # the file has those of a change together
    plain = [q for q in ordered if q.control != "aligned map"]
    rooms = [hypo3d_twin.room(k, SEED, "test", True) for k in range(SIZE)]
    query = [q for _, _, questions in rooms for q in questions]
    assert [q.id for q in ordered] == [f"{k:05d}" for k in range(len(ordered))]
    assert ordered[: len(plain)] == plain
    reply = lambda q: (q.image, q.category, q.text, q.answer, q.program, q.change)  # noqa: E731
    assert [reply(q) for q in plain] == [reply(q) for q in query]
    assert list(split.images)[:SIZE] == [scene.image for scene, _, _ in rooms]
    assert list(split.images)[SIZE:] == [rooms[0][0].image + ALIGNED]


def test_an_aligned_copy_is_the_same_room_whose_front_is_the_maps_top(split):
    turned = [q for q in split.questions if q.control == "aligned map"]
    assert turned
    assert {tuple(q.types) for q in turned} == {("Direction",)}
    for name in {q.image for q in turned}:
        room, copy = split.truth(name.removesuffix(ALIGNED)), split.truth(name)
        assert split.frame(name) == split.frame(room.image)
        front = framed(copy, split.frame(name)).axes["front"]
        assert front == pytest.approx((0, 1), abs=1e-9)
        before, after = framed(room, split.frame(name)), framed(copy, split.frame(name))
        ground = [in_frame(s.positions[:, :2] - room_centre(s), s.axes) for s in (before, after)]
        assert ground[0] == pytest.approx(ground[1], abs=1e-9)
        assert wall_azimuth(copy) == pytest.approx(0, abs=1e-9)
        assert min(min(corner) for corner in copy.outline) == 0
    pairs = score(split.questions, predictions(split, oracle("rooms")), "official")["pairs"]
    assert pairs["aligned"]["aligned"]["n"] == pairs["aligned"]["non-aligned"]["n"] == len(turned)
    assert pairs["aligned"]["aligned"]["em"]["value"] == 100


@pytest.mark.parametrize("index", range(8))
def test_aligned_twice_is_aligned_once(index):
    scene, sides, query = hypo3d_twin.room(index, SEED, "test", False)
    anchors = [(name, side) for side, name in sides.items()]
    once = hypo3d_twin.aligned(scene, anchors)
    twice = hypo3d_twin.aligned(once, anchors)
    assert twice.positions == pytest.approx(once.positions)
    assert twice.headings == pytest.approx(once.headings)
    assert all(q.image == once.image for q in hypo3d_twin.aligned_questions(once, query))


def test_another_twin_in_the_folder_is_left_alone(root):
    with pytest.raises(InputError, match="other settings"):
        hypo3d_twin.generate(root, SIZE, SEED + 1)
    with pytest.raises(InputError, match="at least 1"):
        hypo3d_twin.generate(root, 0, SEED)


@pytest.mark.parametrize("split", SPLITS)
def test_maps_show_the_models_of_the_twins_split(tmp_path, monkeypatch, split):
    """What is fitted on a validation twin has seen no model that figures are made on."""
    visible = []

    def drawn(scene, furniture=None, split="test"):
        visible.append(split)
        return np.zeros((64, 64, 3), np.uint8), top_views.top_camera(scene, 64, 64)

    monkeypatch.setattr(top_views, "map_of", drawn)
    hypo3d_twin.generate(tmp_path / split, 1, SEED, split, controls=False, maps=True)
    assert visible == [split]
