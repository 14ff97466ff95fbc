"""Views inside rooms, what things are called there, and questions that nothing simple gives
away.
"""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from po3d.io.seeding import rng
from po3d.language.programs.threedsrbench import ANSWERS, CATEGORY, OPERATIONS
from po3d.reasoning.grounding import ground
from po3d.reasoning.planar import planar
from po3d.scene.camera import CameraPose, camera_pose_of, held
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import ObjectState, Scene, sure
from po3d.synthesis.indoor_view.phrases import phrases
from po3d.synthesis.indoor_view.questions import (
    DEGREES,
    METRES,
    OF_TYPE,
    CategoryBalance,
    ViewQuestion,
    offers,
)
from po3d.synthesis.indoor_view.verdicts import decide, view_geometry
from po3d.synthesis.indoor_view.views import (
    COMMON,
    UNCOMMON,
    common_view,
    depths,
    inside,
    look_around,
    uncommon_view,
    view_table,
)
from po3d.synthesis.top_view.layouts import sample_room

SIZE = (640, 480)
OUTLINE = ((0.0, 0.0), (6.0, 0.0), (6.0, 4.0), (0.0, 4.0))
AXES = {"left": (0.0, 1.0), "right": (0.0, -1.0), "front": (-1.0, 0.0), "behind": (1.0, 0.0)}


def thing(name: str, position, extent=(0.5, 0.5, 0.5), heading=0.0, color="red") -> ObjectState:
    return ObjectState(sure(name=name, color=color), position, heading, extent)


def room(*things: ObjectState) -> Scene:
    return Scene(things, AXES, "gt", image="r", outline=OUTLINE)


@pytest.fixture(scope="module")
def pairs():
    result = []
    for k in range(12):
        scene, random = sample_room(5, k), rng(5, "views", k)
        first = common_view(scene, random, *SIZE)
        result.append((scene, first, *uncommon_view(scene, first, random, *SIZE)))
    return result


# --- views ----------------------------------------------------------------------------------------


def test_cameras_are_held_as_their_kind_says_and_stand_in_the_room(pairs):
    for scene, first, second, kind in pairs:
        for visible, ranges in ((first, COMMON), (second, UNCOMMON[kind])):
            height, pitch, roll = ranges
            hold = camera_pose_of(visible.camera)
            assert inside(scene, visible.camera)
            assert height[0] <= hold.height <= height[1]
            assert pitch[0] - 1e-6 <= math.degrees(hold.pitch) <= pitch[1] + 1e-6
            assert roll[0] - 1e-6 <= abs(math.degrees(hold.roll)) <= roll[1] + 1e-6
    assert len({kind for *_, kind in pairs}) > 1


def test_most_of_what_one_view_shows_well_the_other_shows_too(pairs):
    both = [int((first.well & second.well).sum()) for _, first, second, _ in pairs]
    assert np.mean(both) > 4
    assert min(both) >= 2


def test_a_thing_behind_another_is_hidden_and_one_behind_the_camera_not_there():
    near, far = thing("wardrobe", (3.0, 2.0, 1.0), (0.5, 2.0, 2.0)), thing("chair", (5.0, 2.0, 0.5))
    camera = held(CameraPose(1.0, 0.0, 0.0, 0.0), *SIZE, 500.0, (0.5, 2.0))
    visible = look_around(room(near, far, thing("tv", (0.1, 2.0, 1.0), (0.1, 1.0, 0.5))), camera)
    assert (visible.share[0], visible.share[1], visible.area[2]) == (1.0, 0.0, 0.0)
    assert visible.visible_rows == (0,)
    assert visible.boxes[2] is None
    assert (
        view_table(room(near, far), look_around(room(near, far), camera), "i.jpg").objects[0].box
        is not None
    )


def test_depth_of_a_ray_is_where_it_enters_the_box():
    box = thing("box", (3.0, 2.0, 1.0), (1.0, 1.0, 1.0))
    camera = held(CameraPose(1.0, 0.0, 0.0, 0.0), *SIZE, 500.0, (0.5, 2.0))
    hit = depths(room(box), camera)[0]
    assert hit[np.isfinite(hit)] == pytest.approx(2.0)  # the front face is 3.0 - 0.5 - 0.5 away
    assert np.isfinite(hit).mean() == pytest.approx((500 / 2) ** 2 / (640 * 480), abs=0.02)


def test_image_boxes_hold_the_projections_of_what_is_inside_the_picture(pairs):
    for scene, first, second, _ in pairs:
        for visible in (first, second):
            for i in np.flatnonzero(visible.well):
                (x, y), _ = visible.camera.project(scene.positions[i])
                x0, y0, x1, y1 = visible.boxes[i]
                assert 0 <= x0 < x < x1 <= SIZE[0]
                assert 0 <= y0 < y < y1 <= SIZE[1]


def test_a_view_is_a_pure_function_of_room_and_generator():
    scene = sample_room(5, 0)
    one, two = (common_view(scene, rng(1, "v"), *SIZE) for _ in range(2))
    assert np.array_equal(one.area, two.area)
    assert one.boxes == two.boxes


# --- phrases --------------------------------------------------------------------------------------


def test_a_phrase_is_detected_again_and_means_its_thing_alone(pairs):
    reply = result = 0
    for k, (scene, first, second, _) in enumerate(pairs):
        well = np.flatnonzero(first.well & second.well).tolist()
        glimpsed = np.flatnonzero((first.area > 0) | (second.area > 0)).tolist()
        for visible in (first, second):
            table = view_table(scene, visible, "i")
            for i, phrase in phrases(scene, glimpsed, well, rng(5, "said", k)).items():
                belief = ground(phrase, table)
                reply += 1
                result += int(np.argmax(belief)) == visible.visible_rows.index(i)
    assert reply > 60
    assert result / reply >= 0.98


def test_things_that_could_be_taken_for_each_other_get_no_phrase():
    two = room(
        thing("chair", (1.0, 1.0, 0.5)),
        thing("armchair", (2.0, 1.0, 0.5)),
        thing("lamp", (3.0, 1.0, 0.5)),
    )
    assert set(phrases(two, (0, 1, 2), (0, 1, 2), rng(0, "p"))) == {2}
    report = replace(
        two,
        objects=(
            two.objects[0],
            replace(two.objects[1], beliefs=sure(name="armchair", color="green")),
            two.objects[2],
        ),
    )
    assert phrases(report, (0, 1, 2), (0, 1), rng(0, "p")) == {0: "red chair", 1: "green armchair"}


# --- questions ------------------------------------------------------------------------------------


def boxed(scene: Scene, visible) -> Scene:
    objects = tuple(replace(o, box=box) for o, box in zip(scene.objects, visible.boxes))
    return replace(scene, objects=objects, camera=visible.camera)


@pytest.fixture(scope="module")
def offered(pairs):
    result = []
    for k, (scene, first, second, _) in enumerate(pairs):
        well = np.flatnonzero(first.well & second.well).tolist()
        reply = {i: f"thing {i}" for i in well}
        views = [boxed(scene, first), boxed(scene, second)]
        result.append((views, offers(views, reply, rng(5, "asked", k)), reply))
    return result


def test_answers_keep_their_distance_from_every_boundary_in_both_views(offered):
    for views, items, _ in offered:
        for item in items:
            for scene, answer, flat in zip(views, item.answers, item.flat):
                verdict = decide(view_geometry(scene), item.op, item.rows)
                assert verdict.answer == answer
                assert verdict.degrees >= DEGREES
                assert verdict.metres >= METRES[CATEGORY[item.op]]
                boxes = tuple(scene.objects[i].box for i in item.rows)
                assert flat == (planar(item.op, boxes) == answer)


def test_without_margins_more_can_be_queried(offered):
    for k, (views, items, reply) in enumerate(offered[:3]):
        assert len(offers(views, reply, rng(5, "asked", k), margin=0.0)) > len(items)


def test_a_turn_below_the_margin_changes_no_answer(offered):
    turned = math.radians(DEGREES - 1)
    for views, items, _ in offered:
        scene = views[0]
        moved = replace(
            scene,
            objects=tuple(
                replace(o, heading=float(wrap_angle(o.heading + turned))) for o in scene.objects
            ),
        )
        for item in items:
            if CATEGORY[item.op].startswith("orientation"):
                assert decide(view_geometry(moved), item.op, item.rows).answer == item.answers[0]


def test_what_a_thing_is_named_never_says_where_it_is():
    scene = room(
        thing("desk", (2.0, 2.0, 0.4), (0.8, 1.6, 0.8)),
        thing("lamp", (2.0, 2.0, 1.0), (0.2, 0.2, 0.4)),
    )
    camera = held(CameraPose(1.6, -0.2, 0.0, 0.0), *SIZE, 500.0, (0.2, 2.0))
    views = [boxed(scene, look_around(scene, camera))] * 2
    plain = offers(views, {0: "desk", 1: "lamp"}, rng(0, "a"))
    assert {item.op for item in plain} >= {"higher", "above"}
    assert not [
        i for i in offers(views, {0: "desk", 1: "lamp on the desk"}, rng(0, "a")) if len(i.rows) > 1
    ]


def test_a_balance_keeps_answers_even_and_the_flat_picture_guessing():
    balance, random = CategoryBalance(), rng(0, "balance")
    query: dict[str, list[ViewQuestion]] = {op: [] for op in OPERATIONS}
    for _ in range(400):
        rooms = []
        for op, signature in OPERATIONS.items():
            words = ANSWERS.get(signature.output, (0, 1))
            for word in words:
                if random.random() < (
                    0.9 if word == words[0] else 0.5
                ):  # the first answer is the frequent one
                    flat = tuple(
                        (random.random(2) < 0.75).tolist()
                    )  # and the flat picture mostly right
                    rooms.append(ViewQuestion(op, (0, 1), (word, word), flat))
        chosen = balance.choose(rooms, random)
        balance.note(chosen)
        for category, item in chosen.items():
            assert item.op in OF_TYPE[category]
            query[item.op].append(item)
    for op, items in query.items():
        counts = Counter(item.answers[0] for item in items)
        words = ANSWERS.get(OPERATIONS[op].output, ())
        assert len(items) > 40
        for word in words:
            assert counts[word] == pytest.approx(len(items) / len(words), abs=2)
        if op != "side_to_camera":
            for view in (0, 1):
                right = sum(item.flat[view] for item in items)
                assert right == pytest.approx(len(items) / max(len(words), 2), abs=2)


# --- the flat picture -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "boxes", "answer"),
    [
        ("higher", ((0, 0, 10, 10), (0, 20, 10, 30)), 0),
        ("lower", ((0, 0, 10, 10), (0, 20, 10, 30)), 1),
        ("nearer_camera", ((0, 0, 10, 50), (0, 20, 10, 30)), 0),
        ("above", ((0, 0, 10, 10), (2, 20, 12, 30)), "yes"),
        ("above", ((0, 0, 10, 10), (40, 20, 60, 30)), "no"),
        ("underneath", ((0, 0, 10, 10), (2, 20, 12, 30)), "no"),
        ("next_to", ((0, 0, 10, 10), (14, 0, 24, 10)), "next to each other"),
        ("next_to", ((0, 0, 10, 10), (40, 0, 50, 10)), "far away from each other"),
        ("closer_to", ((0, 0, 10, 10), (20, 0, 30, 10), (90, 0, 99, 10)), 1),
        ("farther_from", ((0, 0, 10, 10), (20, 0, 30, 10), (90, 0, 99, 10)), 2),
        ("side_to", ((0, 0, 10, 10), (40, 5, 50, 15)), "right"),
        ("on_the_left", ((50, 0, 60, 10), (0, 0, 10, 10)), "on the left"),
        ("parallel", ((0, 0, 30, 10), (0, 0, 40, 10)), "parallel"),
    ],
)  # fmt: skip
def test_the_flat_picture_is_read_as_people_would(op, boxes, answer):
    assert planar(op, boxes) == answer
