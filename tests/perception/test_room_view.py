"""Views to tables: labels in any pose and in the mirror, an exact lift of exact outputs, and a tiny
training.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.perception import room_view
from po3d.perception.detection import Detections
from po3d.perception.room_view import ATTRIBUTES, HEIGHT, NAMES, WIDTH, RoomViewEstimator, lifted
from po3d.perception.view_fit import fit_view
from po3d.scene.camera import CameraPose, camera_pose_of, held, mirrored
from po3d.scene.geometry import wrap_angle
from po3d.scene.orbit import viewer_axes
from po3d.scene.rooms import CATEGORIES
from po3d.scene.table import ObjectState, Scene, sure
from po3d.training.estimator import EstimatorModule
from po3d.training.losses import losses, total
from po3d.training.ranks import Draws
from po3d.training.view_labels import mirrored_labels, view_labels

TINY = dict(backbone="resnet10t", width=128, height=96, neck=16, hidden=32)
FOCAL = 0.8  # widths of the picture


def scene_of(hold: CameraPose, seed: int = 0, ground: tuple[float, float] = (0.0, 0.0)) -> Scene:
    """Four things of rooms before a camera, three of them on the floor."""
    r = rng(seed, "room-view-test")
    camera = held(hold, WIDTH, HEIGHT, FOCAL * WIDTH, ground)
    states = []
    for name in ("chair", "washing machine", "man", "lamp"):
        extent = r.uniform(0.3, 0.8, 3)
        pixel = r.uniform((0.25 * WIDTH, 0.3 * HEIGHT), (0.75 * WIDTH, 0.8 * HEIGHT))
        x, y, z = camera.position + camera.ray(pixel) * r.uniform(2.5, 4.0)
        z = max(z, extent[2] / 2 + 0.1) if name == "lamp" else extent[2] / 2
        looks = sure(name=name, color="red") | (sure(material="wooden") if name == "chair" else {})
        x0, y0 = np.clip(pixel - 30, 0, (WIDTH, HEIGHT))
        box = (float(x0), float(y0), float(x0 + 60), float(y0 + 60))
        place = (float(x), float(y), float(z))
        states.append(
            ObjectState(looks, place, float(r.uniform(-3, 3)), tuple(extent.tolist()), box=box)
        )
    return Scene(tuple(states), viewer_axes((1.0, 0.0)), "gt", camera, image="view")


def labels_of(scene: Scene):
    return view_labels(scene, [1.0] * len(scene), [10_000] * len(scene))


def exact(scene: Scene) -> tuple[Detections, list[int]]:
    """What a perfect network says of the scene, and the scene's row of each detection."""
    labels = labels_of(scene)
    n = int(labels.present.sum())
    rows = np.argsort(scene.camera.project(scene.positions)[1], kind="stable").tolist()

    def one_hot(attribute: str) -> np.ndarray:
        return np.eye(len(ATTRIBUTES[attribute]))[getattr(labels, attribute)[:n]][None]

    def sure_of(values: np.ndarray) -> np.ndarray:
        return np.stack([values, np.full(values.shape, 0.02)], -1)

    result = Detections(
        np.ones((1, n)), labels.box[None, :n], {a: one_hot(a) for a in ATTRIBUTES},
        labels.alpha[None, :n].astype(float), np.full((1, n), 0.05), np.zeros((1, n)),
        labels.points[None, :n].astype(float), np.ones((1, n, 9)), np.zeros((1, n, n + 1)),
        labels.extent[None, :n].astype(float), sure_of(labels.log_depth[None, :n].astype(float)),
        sure_of(labels.hold[None].astype(float)),
    )  # fmt: skip
    return result, rows


def in_own_frame(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """Positions and headings when the camera stands over the origin and looks along +y."""
    hold = camera_pose_of(scene.camera)
    turn = math.pi / 2 - hold.azimuth
    c, s = math.cos(turn), math.sin(turn)
    ground = (scene.positions[:, :2] - scene.camera.position[:2]) @ np.array([[c, s], [-s, c]])
    return np.c_[ground, scene.positions[:, 2]], wrap_angle(scene.headings + turn)


holds = st.builds(
    CameraPose,
    st.floats(0.3, 2.4),
    st.floats(-0.9, 0.1),
    st.floats(-0.75, 0.75),
    st.floats(-3.1, 3.1),
)


@settings(max_examples=15, deadline=None)
@given(holds, st.integers(0, 50))
def test_exact_outputs_give_the_exact_table_however_the_camera_is_held(hold, seed):
    scene = scene_of(hold, seed, (1.5, -2.0))
    result, rows = exact(scene)
    if len(rows) != result.score.shape[1]:  # a floor thing that this camera does not frame
        return
    table = lifted(result, 0, FOCAL, (HEIGHT, WIDTH))
    positions, headings = in_own_frame(scene)
    assert table.positions == pytest.approx(positions[rows], abs=0.01)
    for k, row in enumerate(rows):
        turn, extent = float(wrap_angle(table.headings[k] - headings[row])), scene.extents[row]
        if scene.objects[row].value("name") == "lamp":  # any of its sides may be its front
            quarters = round(turn / (math.pi / 2))
            turn -= quarters * math.pi / 2
            extent = extent[[1, 0, 2]] if quarters % 2 else extent
        assert turn == pytest.approx(0, abs=0.01)
        assert table.extents[k] == pytest.approx(extent, rel=0.01)
    got = camera_pose_of(table.camera)
    assert (got.roll, got.pitch, got.height) == pytest.approx(
        (hold.roll, hold.pitch, hold.height), abs=0.01
    )
    assert got.azimuth == pytest.approx(math.pi / 2)


def test_the_floor_mends_what_a_depth_gets_wrong():
    scene = scene_of(CameraPose(1.5, -0.3, 0.2, 0.4), seed=3)
    result, rows = exact(scene)
    result.depth[0, 0] += (0.25, 0.3)  # 28 % too far, and the network knows that it is not sure
    result.points[...] += rng(0, "room-view-noise").normal(0, 1.0, result.points.shape)
    table = lifted(result, 0, FOCAL, (HEIGHT, WIDTH))
    positions, _ = in_own_frame(scene)
    assert np.linalg.norm(table.positions - positions[rows], axis=1).max() < 0.15


def test_a_picture_of_another_size_and_shape_gives_the_same_places():
    scene = scene_of(CameraPose(1.5, -0.3, 0.1, 0.4), seed=5)
    result, _ = exact(scene)
    square = result._replace(
        points=(result.points - (0, HEIGHT / 2)) * (1, HEIGHT / WIDTH) * 1.0 + (0, HEIGHT / 2)
    )
    expected = lifted(result, 0, FOCAL, (HEIGHT, WIDTH))
    got = lifted(square, 0, FOCAL, (300, 300))  # a square picture, squeezed into the network's 4:3
    assert got.positions == pytest.approx(expected.positions, abs=1e-6)
    assert (got.camera.width, got.camera.height, got.camera.focal) == (300, 300, FOCAL * 300)


def test_deviations_are_stretched_like_the_points(monkeypatch):
    result, _ = exact(scene_of(CameraPose(1.5, -0.3, 0.1, 0.4), seed=5))
    observed = []
    monkeypatch.setattr(
        room_view, "fit_view", lambda o, azimuth: observed.append(o) or fit_view(o, azimuth)
    )
    for shape in ((HEIGHT, WIDTH), (300, 300)):
        lifted(result, 0, FOCAL, shape)
    plain, square = observed
    assert (plain.sigma == result.sigma[0][..., None]).all()
    assert square.points == pytest.approx(plain.points * (1, WIDTH / HEIGHT))
    assert square.sigma == pytest.approx(plain.sigma * (1, WIDTH / HEIGHT))


def test_labels_of_the_mirror_image():
    scene = scene_of(CameraPose(1.5, -0.3, 0.3, 0.4), seed=1)
    got, expected = mirrored_labels(labels_of(scene)), labels_of(mirrored(scene))
    n = int(expected.present.sum())
    assert n == got.present.sum() >= 3
    for name, value in expected._asdict().items():
        if name == "alpha":
            assert wrap_angle(got.alpha - value)[:n] == pytest.approx(np.zeros(n), abs=1e-5)
        else:
            rows = slice(n) if len(value.shape) and len(value) == len(expected.present) else ...
            assert getattr(got, name)[rows] == pytest.approx(value[rows], abs=1e-2), name


def test_labels_say_what_the_table_says():
    scene = scene_of(CameraPose(1.4, -0.2, 0.3, 1.0), seed=2)
    labels = labels_of(scene)
    n = int(labels.present.sum())
    depth = scene.camera.project(scene.positions)[1]
    rows = np.argsort(depth)[:n]
    assert [NAMES[k] for k in labels.name[:n]] == [scene.objects[i].value("name") for i in rows]
    assert labels.log_depth[:n] == pytest.approx(np.log(depth[rows] / FOCAL), abs=1e-5)
    assert labels.hold == pytest.approx((0.3, -0.2, math.log(1.4)), abs=1e-5)
    resting = [scene.objects[i].value("name") == "lamp" for i in rows]
    assert labels.rests[:n].tolist() == [int(above) for above in resting]
    assert (
        (labels.material[:n] >= 0) == [scene.objects[i].value("name") == "chair" for i in rows]
    ).all()


def test_the_front_of_a_symmetric_thing_is_the_side_away_from_the_viewer():
    scene = scene_of(CameraPose(1.4, -0.2, 0.0, 1.0), seed=2)
    (row,) = [i for i, o in enumerate(scene.objects) if o.value("name") == "lamp"]
    expected = labels_of(scene)
    for quarters in range(4):
        lamp, (x, y, z) = scene.objects[row], scene.objects[row].extent
        turned = replace(
            lamp,
            heading=float(wrap_angle(lamp.heading + quarters * math.pi / 2)),
            extent=(y, x, z) if quarters % 2 else (x, y, z),
        )
        objects = tuple(turned if i == row else o for i, o in enumerate(scene.objects))
        got = labels_of(replace(scene, objects=objects))
        assert got.points == pytest.approx(expected.points, abs=1e-2)
        assert got.alpha == pytest.approx(expected.alpha, abs=1e-5)
        k = int(np.flatnonzero(got.name == NAMES.index("lamp"))[0])
        assert abs(got.alpha[k]) <= math.pi / 4 + 1e-6


def test_what_is_hidden_tiny_or_outside_is_not_requested():
    scene = scene_of(CameraPose(1.4, -0.2, 0.0, 1.0), seed=2)
    assert labels_of(scene).present.sum() == 4
    assert view_labels(scene, [1, 0.05, 1, 1], [10_000] * 4).present.sum() == 3
    assert view_labels(scene, [1] * 4, [10_000, 10_000, 50, 10_000]).present.sum() == 3
    away = Scene(
        scene.objects,
        scene.axes,
        "gt",
        held(CameraPose(1.4, -0.2, 0.0, -2.0), WIDTH, HEIGHT, 500.0),
    )
    assert view_labels(away, [1] * 4, [10_000] * 4).present.sum() == 0


def test_names_are_those_of_rooms_and_of_orbit_scenes():
    from po3d.synthesis.multi_view.catalogue import things

    assert set(NAMES) == {*CATEGORIES, *things()}
    assert list(NAMES) == sorted(NAMES)
    assert not set(room_view.OUTSIDE) & set(CATEGORIES)


def test_an_untrained_network_estimates_and_trains():
    torch.manual_seed(0)
    module = EstimatorModule(TINY, world="room_view")
    scene = scene_of(CameraPose(1.4, -0.2, 0.1, 1.0), seed=2)
    labels = {
        k: torch.from_numpy(np.asarray(v))[None] for k, v in labels_of(scene)._asdict().items()
    }
    image = torch.rand(1, 3, 96, 128)
    optimiser = torch.optim.Adam(module.net.parameters(), 3e-3)
    values = []
    for _ in range(12):
        terms = losses(module.net, image, labels, Draws(0, "test", 0), WIDTH)
        optimiser.zero_grad()
        total(terms).backward()
        optimiser.step()
        values.append(float(total(terms).detach()))
    assert {"depth", "hold", "extent", "rests"} <= terms.keys()
    assert all(p.grad is not None for name, p in module.net.named_parameters() if "hold" in name)
    assert values[-1] < 0.7 * values[0]


def test_estimates_are_scenes_with_cameras():
    torch.manual_seed(0)
    net = RoomViewEstimator.build(**TINY)
    torch.nn.init.constant_(
        net.dense.bias[:1], 0.5
    )  # an untrained network that sees things everywhere
    picture = rng(0, "room-view-picture").integers(0, 255, (120, 160, 3)).astype(np.uint8)
    estimator = RoomViewEstimator(net)
    (scene,) = estimator.estimate([picture], [FOCAL], ["a.jpg"])
    assert (scene.source, scene.image) == ("predicted", "a.jpg")
    assert len(scene) > 0
    assert (scene.camera.width, scene.camera.height, scene.camera.focal) == (160, 120, FOCAL * 160)
    assert scene.camera.position[:2] == pytest.approx((0, 0))
    assert scene.axes["front"] == pytest.approx((0, -1))
    assert np.isfinite(scene.positions).all()
    assert all(set(o.beliefs) == {"name", "color", "material"} for o in scene.objects)
    eigen = [np.linalg.eigvalsh(np.array(o.covariance)).min() for o in scene.objects]
    assert min(eigen) > 0
    assert estimator.estimate([], []) == []
    with pytest.raises(InputError, match="focal length of 0"):
        estimator.estimate([picture], [0.0], ["a.jpg"])


def test_a_checkpoint_comes_back(tmp_path):
    torch.manual_seed(0)
    module = EstimatorModule(TINY, world="room_view")
    module.export(tmp_path / "view", {}, {}, {"extent": 0.2})
    again = RoomViewEstimator.from_checkpoint(tmp_path / "view")
    assert again.calibration["extent"] == 0.2
    trained = RoomViewEstimator.from_checkpoint(tmp_path / "view", plain=True).once.state_dict()
    for key, value in module.net.state_dict().items():
        assert torch.equal(trained[key].half(), value.half()), key
    with pytest.raises(InputError):
        RoomViewEstimator.from_checkpoint(tmp_path / "none")
