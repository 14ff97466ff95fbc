"""Maps to tables: labels that turn with their picture, the outline, decoding of exact points, and a
tiny training.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.perception.detection import Detections, _first_of_overlapping
from po3d.perception.network import Dense, boxes_at, peaks
from po3d.perception.top_view import ATTRIBUTES, WIDTH, TopViewEstimator, outline
from po3d.scene.frames import axes_from_front
from po3d.scene.geometry import Camera, look_at, wrap_angle
from po3d.scene.table import ObjectState, Scene, sure
from po3d.training.estimator import EstimatorModule
from po3d.training.labels import quarter_turned, room_labels
from po3d.training.losses import heat_loss, losses, own_boxes, total
from po3d.training.ranks import Draws

TINY = dict(backbone="resnet10t", width=128, height=128, neck=16, hidden=32)


def camera(centre=(2.0, 1.5), metres_per_pixel=0.01) -> Camera:
    x, y = centre
    return Camera(WIDTH, WIDTH, 200 / metres_per_pixel, look_at((x, y, 200), (x, y, 0), (0, 1, 0)))


def room(seed: int = 0, turned: float = 0.0) -> Scene:
    """Four things in a room of 4 x 3 m; the whole turned by `turned` about the room's middle."""
    r = rng(seed, "top-view-test")
    centre = np.array([2.0, 1.5])
    c, s = np.cos(turned), np.sin(turned)
    states = []
    for name in ("bed", "chair", "desk", "lamp"):
        x, y = np.array([[c, -s], [s, c]]) @ (r.uniform((0.6, 0.6), (3.4, 2.4)) - centre) + centre
        extent = r.uniform(0.3, 0.9, 3)
        heading = float(wrap_angle(r.uniform(-3, 3) + turned))
        looks = sure(name=name, color="red", material="wooden")
        states.append(
            ObjectState(looks, (float(x), float(y), extent[2] / 2), heading, tuple(extent.tolist()))
        )
    walls = ((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0))
    return Scene(
        tuple(states), axes_from_front((0.0, 1.0)), "gt", camera(), image="room", outline=walls
    )


@pytest.mark.parametrize("quarters", range(4))
def test_labels_turn_as_the_room_does(quarters):
    turned = quarter_turned(room_labels(room(), [1] * 4), quarters)
    expected = room_labels(room(turned=quarters * np.pi / 2), [1] * 4)
    assert turned.points[:4] == pytest.approx(expected.points[:4], abs=1e-3)
    assert wrap_angle(turned.alpha - expected.alpha)[:4] == pytest.approx(np.zeros(4), abs=1e-5)
    assert (turned.name == expected.name).all()


def test_what_is_hidden_is_not_requested():
    labels = room_labels(room(), [1.0, 0.05, 0.5, 0.2])
    assert labels.present.sum() == 3
    assert ATTRIBUTES["name"][labels.name[1]] == "desk"


def exact(scene: Scene) -> Detections:
    """What a perfect network says of the scene."""
    labels = room_labels(scene, [1] * len(scene))
    n = len(scene)

    def one_hot(attribute: str) -> np.ndarray:
        return np.eye(len(ATTRIBUTES[attribute]))[getattr(labels, attribute)[:n]][None]

    points = labels.points[None, :n].astype(float)
    box = np.concatenate([points[:, :, :8].min(2), points[:, :, :8].max(2)], -1)
    return Detections(
        np.ones((1, n)),
        box,
        {a: one_hot(a) for a in ATTRIBUTES},
        labels.alpha[None, :n].astype(float),
        np.full((1, n), 0.1),
        np.zeros((1, n)),
        points,
        np.ones((1, n, 9)),
        np.zeros((1, n, n + 1)),
        labels.extent[None, :n].astype(float),
    )


def picture_of(scene: Scene) -> np.ndarray:
    """White outside, gray floor."""
    picture = np.full((WIDTH, WIDTH, 3), 255, np.uint8)
    corners = scene.camera.project([(*corner, 0.0) for corner in scene.outline])[0]
    (x0, y0), (x1, y1) = corners.min(0).round().astype(int), corners.max(0).round().astype(int)
    picture[y0:y1, x0:x1] = 120
    return picture


def test_a_perfect_network_gives_the_true_table(monkeypatch):
    scene = room()
    monkeypatch.setattr(TopViewEstimator, "detect", lambda self, pictures: exact(scene))
    estimator = TopViewEstimator(TopViewEstimator.build(**TINY))
    (predicted,) = estimator.estimate([picture_of(scene)], [scene.camera], ["room"])
    floor = [
        i for i, o in enumerate(scene.objects) if o.value("name") != "lamp"
    ]  # the lamp belongs on something
    assert predicted.positions[floor] == pytest.approx(scene.positions[floor], abs=1e-3)
    assert predicted.headings == pytest.approx(scene.headings, abs=1e-5)
    assert predicted.extents == pytest.approx(scene.extents, abs=1e-5)
    assert [o.value("name") for o in predicted.objects] == ["bed", "chair", "desk", "lamp"]
    assert np.array(sorted(predicted.outline)) == pytest.approx(
        np.array(sorted(scene.outline)), abs=0.03
    )


def test_rows_that_are_hardly_there_are_left_out(monkeypatch):
    scene = room()
    result = exact(scene)
    result = result._replace(score=np.array([[1.0, 0.5, 0.02, 0.005]]))
    monkeypatch.setattr(TopViewEstimator, "detect", lambda self, pictures: result)
    estimator = TopViewEstimator(TopViewEstimator.build(**TINY))
    (predicted,) = estimator.estimate([picture_of(scene)], [scene.camera], ["room"])
    assert [o.existence for o in predicted.objects] == [1.0, 0.5, 0.02]


def test_an_outline_with_six_corners():
    picture = np.zeros((WIDTH, WIDTH, 3), np.uint8)
    picture[100:400, 100:300] = 90
    picture[250:400, 300:450] = 90
    corners = np.array(outline(picture, camera((0, 0))))
    assert len(corners) == 6
    x, y = corners.T
    area = 0.5 * float(
        (x * np.roll(y, -1) - y * np.roll(x, -1)).sum()
    )  # positive: counter-clockwise
    assert area == pytest.approx((300 * 200 + 150 * 150) * 1e-4, rel=0.02)


def test_a_room_with_a_narrow_passage_has_an_outline():
    """Moved inwards to look for the walls' rim, the border of such a room falls into two parts."""
    picture = np.zeros((WIDTH, WIDTH, 3), np.uint8)
    picture[100:400, 100:220] = 90
    picture[100:400, 260:400] = 90
    picture[240:250, 220:260] = 90
    corners = np.array(outline(picture, camera((0, 0))))
    assert np.ptp(corners, 0) == pytest.approx((3.0, 3.0), abs=0.1)


def test_an_empty_picture_has_no_outline():
    assert outline(np.zeros((WIDTH, WIDTH, 3), np.uint8), camera()) is None


def test_a_picture_of_another_size_than_its_camera_is_an_error():
    estimator = TopViewEstimator(TopViewEstimator.build(**TINY))
    with pytest.raises(InputError, match="should be square and equal"):
        estimator.estimate([np.zeros((100, 120, 3), np.uint8)], [camera()])


def test_training_lowers_the_loss_and_a_pair_is_read_again(tmp_path):
    torch.manual_seed(0)
    net = TopViewEstimator.build(**TINY)
    scenes = [room(k) for k in range(2)]
    labels = [room_labels(scene, [1] * 4) for scene in scenes]
    batch = {
        k: torch.from_numpy(np.stack([getattr(l, k) for l in labels])) for k in labels[0]._fields
    }
    images = torch.rand(2, 3, 128, 128, generator=torch.Generator().manual_seed(1))
    optimizer = torch.optim.AdamW(net.parameters(), 2e-3)
    history = []
    for step in range(25):
        loss = total(losses(net, images, batch, Draws(step, "test", 0), WIDTH))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(float(loss.detach()))
    assert np.mean(history[-5:]) < history[0] - 2

    module = EstimatorModule(TINY, world="top_view")
    module.export(tmp_path / "maps", {}, {})
    again = TopViewEstimator.from_checkpoint(tmp_path / "maps")
    scene = scenes[0]
    assert all(s.source == "predicted" for s in again.estimate([picture_of(scene)], [scene.camera]))


def test_a_thing_on_another_has_a_layer_of_its_own():
    labels = room_labels(room(), [1] * 4)
    assert labels.layer[:4].tolist() == [
        0,
        0,
        0,
        1,
    ]  # bed, chair, desk; the lamp belongs on something
    net = TopViewEstimator.build(**TINY, layers=2).eval()
    assert net.config["layers"] == 2
    assert "layers" not in TopViewEstimator.build(**TINY).config
    with torch.no_grad():
        net.dense.weight.zero_()
        dense = net(torch.rand(1, 3, 128, 128, generator=torch.Generator().manual_seed(0)))
    h, w = dense.features.shape[-2:]
    assert dense.heat.shape == (1, 2 * h, w)
    assert dense.box.shape == (1, 4, 2 * h, w)
    dense.heat.fill_(-9)
    same, other = 5 * w + 6, (h + 5) * w + 6  # one place in both layers
    border = (h - 1) * w, h * w  # neighbours in memory, not in the picture
    for cell, value in zip((same, other, *border), (4.0, 3.0, 2.0, 1.0)):
        dense.heat.view(-1)[cell] = value
    cells, scores = peaks(dense.heat, 8, dense.layers)
    assert cells[0, :4].tolist() == [same, other, *border]
    boxes = boxes_at(dense, cells)
    torch.testing.assert_close(boxes[0, 0], boxes[0, 1])
    assert boxes[0, 3, 1] < dense.stride  # the top row
    layer = cells // (h * w)
    stands = _first_of_overlapping(boxes, scores, 0.5, layer)
    assert stands[0, :4].tolist() == [True] * 4
    assert _first_of_overlapping(boxes, scores, 0.5)[0, :2].tolist() == [True, False]


def test_two_things_at_one_place_are_both_learned():
    """One layer has one peak for two centres on a cell; two layers have one each."""
    scene = room()
    desk, lamp = scene.objects[2:]
    on_top = replace(lamp, position=(*desk.position[:2], desk.position[2] + 0.5))
    labels = room_labels(replace(scene, objects=(desk, on_top)), [1, 1])
    batch = {k: torch.from_numpy(getattr(labels, k)[None]) for k in labels._fields}
    points = batch["points"] / 4
    boxes = torch.cat([points[:, :, :8].amin(2), points[:, :, :8].amax(2)], -1)
    for layers, positives in ((1, 1), (2, 2)):
        heat = torch.zeros(1, layers * 32, 32)
        none = torch.zeros(1)
        dense = Dense(heat, torch.zeros(1, 4, layers * 32, 32), none, none, 4, none, layers)
        layer = batch["layer"].clamp(min=0) % layers
        term = heat_loss(dense, points[:, :, 8], boxes, batch["present"], layer)
        assert term.rows == positives
        own, _ = own_boxes(dense, points[:, :, 8], boxes, layer)
        torch.testing.assert_close(own[0, 0], own[0, 1])


def test_layers_begin_as_copies_and_other_worlds_refuse_them(tmp_path):
    EstimatorModule(TINY, world="top_view").export(tmp_path / "one", {}, {})
    two = EstimatorModule(TINY | {"layers": 2}, world="top_view", init_from=str(tmp_path / "one"))
    first, second = two.net.dense.weight.split(5)
    torch.testing.assert_close(first, second)
    two.export(tmp_path / "two", {}, {})
    assert TopViewEstimator.from_checkpoint(tmp_path / "two").once.layers == 2
    with pytest.raises(InputError, match="labels of world=street have one layer"):
        EstimatorModule(TINY | {"layers": 2})


def test_fitting_tensors_of_another_world_are_the_start(tmp_path):
    street = EstimatorModule(TINY)
    street.export(tmp_path / "street", {}, {})
    module = EstimatorModule(TINY, world="top_view", init_from=str(tmp_path / "street"))
    name = next(
        n for n, p in street.net.named_parameters() if n.startswith("backbone") and p.ndim == 4
    )
    torch.testing.assert_close(
        dict(module.net.named_parameters())[name],
        dict(street.net.named_parameters())[name],
        atol=1e-3,
        rtol=1e-2,
    )
    wider = EstimatorModule(TINY | {"hidden": 16}, init_from=str(tmp_path / "street"))
    assert wider.net.trunk[0].weight.shape[0] == 16  # what doesn't fit begins anew
    torch.testing.assert_close(
        dict(wider.net.named_parameters())[name], dict(module.net.named_parameters())[name]
    )
