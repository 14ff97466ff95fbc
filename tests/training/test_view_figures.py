"""Figures of the room-view estimator: own frames, matching in the picture, what a known error
measures as, calibration.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from po3d.io.seeding import rng
from po3d.perception.room_view import ATTRIBUTES, ATTRIBUTES_ESTIMATED
from po3d.scene.camera import CameraPose, camera_pose_of, held
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import ObjectState, Scene, sure
from po3d.training.view_errors import error_shares
from po3d.training.view_errors import table as error_table
from po3d.training.view_figures import ROWS, Sight, figures, fitted, in_own_frame, matched, table

HOLD = CameraPose(1.5, -0.3, 0.2, math.pi / 2)
ALL = ROWS[0]


def truth(hold: CameraPose = HOLD, ground: tuple[float, float] = (0.0, 0.0)) -> Scene:
    camera = held(hold, 640, 480, 500.0, ground)
    r = rng(1, "view-figures")
    objects = []
    for k, name in enumerate(("chair", "chair", "sofa", "door")):
        pixel = np.array([120 + 130 * k, 240 + 20 * k])
        x, y, z = (camera.position + camera.ray(pixel) * (2.5 + 0.4 * k)).tolist()
        box = tuple(map(float, (*(pixel - 40), *(pixel + 40))))
        looks = sure(name=name, color="red", material="wooden")
        objects.append(
            ObjectState(looks, (x, y, z), float(r.uniform(-3, 3)), (0.5, 0.6, 0.7), box=box)
        )
    return Scene(tuple(objects), {}, "gt", camera)


def sight(true: Scene, predicted: Scene) -> Sight:
    log_p = {}
    for a in ATTRIBUTES_ESTIMATED:
        rows = [[o.beliefs[a].get(v, 1e-9) for v in ATTRIBUTES[a]] for o in predicted.objects]
        log_p[a] = np.log(np.array(rows))
    matches = matched(predicted, true)
    return Sight("common", true, predicted, matches, predicted.extents, log_p, (True,) * len(true))


def spread(state: ObjectState, **changes: object) -> ObjectState:
    return replace(state, covariance=((0.01, 0, 0), (0, 0.01, 0), (0, 0, 0.01)), **changes)


def test_own_frame_keeps_what_the_camera_sees():
    scene = truth(HOLD._replace(azimuth=-1.1), (3.0, -2.0))
    own = in_own_frame(scene)
    assert camera_pose_of(own.camera) == pytest.approx(HOLD)
    assert own.camera.position[:2] == pytest.approx((0, 0), abs=1e-9)
    before, after = (s.camera.project(s.positions) for s in (scene, own))
    assert after[0] == pytest.approx(before[0], abs=1e-6)
    assert after[1] == pytest.approx(before[1])
    turned = wrap_angle(own.headings - scene.headings)
    assert turned == pytest.approx(np.full(4, math.pi / 2 + 1.1))


def test_rows_are_matched_where_they_are_in_the_picture():
    true = truth()
    predicted = replace(true, objects=true.objects[::-1])
    assert matched(predicted, true) == {0: 3, 1: 2, 2: 1, 3: 0}
    far = replace(true.objects[0], position=(9.0, 1.0, 1.0))
    assert 0 not in matched(replace(true, objects=(far, *true.objects[1:])), true)


def test_figures_are_the_errors_that_were_built():
    true = truth()
    a, b, c, d = true.objects
    predicted = replace(
        true,
        objects=(
            replace(a, heading=a.heading + math.radians(10)),
            replace(b, heading=b.heading + math.pi),
            replace(c, beliefs={**c.beliefs, **sure(name="bed")}),
            replace(d, existence=0.3),
        ),
        camera=held(HOLD._replace(roll=HOLD.roll + math.radians(2)), 640, 480, 500.0),
    )
    got = figures([sight(true, predicted)], ALL)
    assert got["things"] == 4
    assert got["recall"] == 75
    assert got["precision"] == 100
    assert got["name"] == pytest.approx(200 / 3)
    assert got["color"] == 100
    assert got["yaw"] == pytest.approx(5, abs=1e-6)  # the median of 10 and 0
    assert got["flipped"] == pytest.approx(100 / 3)
    assert got["place"] == 0
    assert got["roll"] == pytest.approx(2)
    assert got["height"] == pytest.approx(0)
    assert "| inside, common | 1 | 4 | 75.0 |" in table([sight(true, predicted)])


def test_errors_are_counted_by_kind():
    true = truth()
    a, b, c, d = true.objects
    far = replace(a, position=(a.position[0], a.position[1] + 0.6, a.position[2]))
    turned = replace(b, heading=b.heading + math.pi, extent=(0.6, 0.5, 0.7 * 1.3))
    other = replace(c, beliefs={**c.beliefs, **sure(name="bed", color="blue")})
    predicted = replace(true, objects=(far, turned, other, replace(d, existence=0.3), far))
    one = sight(true, predicted)._replace(matches={0: 0, 1: 1, 2: 2, 3: 3})
    shares = error_shares([one, one])
    assert {s.kind for s in shares} == {"inside"}
    got = {s.error: (s.value, s.n) for s in shares}
    third = pytest.approx(100 / 3)
    assert got == {
        "missed": (25, 8), "added": (25, 8), "name": (third, 6), "color": (third, 6),
        "material": (0, 6), "heading": (third, 6), "position": (third, 6), "size": (third, 6),
    }  # fmt: skip
    assert [s.n for s in error_shares([one._replace(kind="orbit"), one])][:2] == [4, 4]
    assert "| inside | missed | 25.0 | 8 |" in error_table(shares)


def test_exchanged_horizontal_sides_are_no_error_of_size():
    true = truth()
    exchanged = tuple(replace(o, extent=(0.6, 0.5, 0.7)) for o in true.objects)
    shares = error_shares([sight(true, replace(true, objects=exchanged))])
    assert {s.error: s.value for s in shares}["size"] == 0


def test_a_flip_that_the_table_believes_is_undone():
    true = truth()
    turned = [replace(o, heading=o.heading + math.pi, flip=0.9) for o in true.objects]
    assert figures([sight(true, replace(true, objects=tuple(turned)))], ALL)["flipped"] == 0


def test_calibration_scales_covariances_to_the_errors():
    true, r = truth(), rng(3, "view-calibration")
    result = []
    for _ in range(60):
        objects = []
        for o in true.objects:
            x, y = np.array(o.position[:2]) + r.normal(0, 0.05, 2)
            heading = o.heading + float(r.normal(0, 0.05))
            grown = tuple((np.array(o.extent) * np.exp(r.normal(0, 0.2, 3))).tolist())
            half = dict.fromkeys(dict.fromkeys(("chair", o.value("name"))), 0.5)
            half = half if len(half) == 2 else {"chair": 1.0}
            place = (float(x), float(y), o.position[2])
            objects.append(
                spread(
                    o,
                    position=place,
                    heading=heading,
                    extent=grown,
                    beliefs={**o.beliefs, "name": half},
                )
            )
        result.append(sight(true, replace(true, objects=tuple(objects))))
    got = fitted(result)
    assert got["covariance"] == pytest.approx(
        0.25, rel=0.3
    )  # deviations of 0.05 where the table says 0.1
    assert got["extent"] == pytest.approx(0.2, rel=0.15)
    assert 0.2 < got["temperature"] < 5


def test_calibration_says_how_often_what_is_half_believed_is_there():
    true = truth()
    result = []
    for k in range(120):
        states = [spread(o, existence=0.4) for o in true.objects]
        if (
            k % 4 == 0
        ):  # every fourth view has one more that is not there: 16 of 17 detections are right
            states.append(spread(states[0], position=(9.0, 9.0, 9.0), existence=0.4))
        result.append(sight(true, replace(true, objects=tuple(states))))
    got = fitted(result)
    odds = got["slope"] * math.log(0.4 / 0.6) + got["offset"]
    assert 1 / (1 + math.exp(-odds)) == pytest.approx(16 / 17, abs=0.01)
