"""Training views from folders: pictures, labels, mirrors, and a few steps of training on them."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from po3d.io.errors import InputError
from po3d.io.files import write_json
from po3d.io.seeding import rng
from po3d.scene.camera import CameraPose, held
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene, sure, to_json
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.top_views import top_camera
from po3d.training.data import WithFlip
from po3d.training.estimator import EstimatorModule
from po3d.training.picture_folders import view_folder
from po3d.training.rendered import RoomViewData, TopViewData
from po3d.training.run import train
from po3d.training.view_labels import ViewLabels, mirrored_labels

COUNTS = {"inside": 2, "orbit": 1}


def write_view(folder, k: int) -> None:
    camera = held(CameraPose(1.4, -0.2, 0.1 * k, 0.3), 640, 480, 500.0)
    objects = []
    for name, pixel in (("chair", (200, 300)), ("man", (420, 260))):
        x, y, z = (camera.position + camera.ray(np.array(pixel)) * 3.0).tolist()
        looks, box = (
            sure(name=name, color="red"),
            (pixel[0] - 50.0, pixel[1] - 60.0, pixel[0] + 50.0, pixel[1] + 60.0),
        )
        objects.append(ObjectState(looks, (x, y, z), 0.5 + k, (0.4, 0.5, 0.9), box=box))
    scene = Scene(tuple(objects), viewer_axes((1.0, 0.0)), "gt", camera, image=f"{k:06d}.jpg")
    rgb = rng(k, "room-views-test").integers(0, 255, (480, 640, 3)).astype(np.uint8)
    folder.mkdir(parents=True, exist_ok=True)
    Image.fromarray(rgb).save(folder / f"{k:06d}.jpg")
    record = {
        "scene": to_json(scene),
        "camera": "any",
        "visible": [1.0, 0.8],
        "pixels": [9000, 9000],
        "models": ["own/bed#1", "Scopia#cat"],
    }
    write_json(folder / f"{k:06d}.json", record)


@pytest.fixture
def cache(tmp_path):
    for kind, count in COUNTS.items():
        for split, seed in (("train", 3), ("val", 4)):
            for k in range(count):
                write_view(tmp_path / f"{kind}_{split}_seed{seed}" / "views", k)
    return tmp_path


def test_every_view_comes_as_it_is_and_in_the_mirror(cache):
    folder = cache / "inside_train_seed3"
    plain = view_folder(folder, 2, 64, 48)
    both = WithFlip(plain, ViewLabels, mirrored_labels)
    assert (len(both), len(plain)) == (4, 2)
    for k in range(2):
        item, mirror = both[2 * k], both[2 * k + 1]
        assert item["image"].shape == (48, 64, 3)
        assert np.array_equal(item["image"], plain[k]["image"])
        assert np.array_equal(mirror["image"], item["image"][:, ::-1])
        assert item["present"].sum() == 2
        assert mirror["points"][:2, 8, 0] == pytest.approx(640 - item["points"][:2, 8, 0], abs=1e-3)
        assert mirror["hold"][0] == pytest.approx(-item["hold"][0])


def test_it_trains_from_folders_and_writes_a_pair(cache, tmp_path):
    network = dict(backbone="resnet10t", width=128, height=96, neck=16, hidden=32)
    data = RoomViewData(str(cache), COUNTS, COUNTS, width=128, height=96, batch=2, seed=3)
    data.prepare_data = lambda: None  # what would be rendered is there
    trainer = dict(
        accelerator="cpu", max_steps=2, max_epochs=-1, limit_val_batches=1, log_every_n_steps=1
    )
    module = EstimatorModule(network, world="room_view", seed=3)
    metrics = train(
        module, data, tmp_path / "out", {}, trainer, str(tmp_path / "pair"), ema=0.0, save_every=2
    )
    assert np.isfinite(metrics["val"])
    assert {"val/hold", "val/depth", "val/recall"} <= metrics.keys()
    assert (tmp_path / "pair.safetensors").exists()


class Saying:
    """An estimator that says these tables."""

    def __init__(self, tables):
        self.tables = tables

    def estimate(self, pictures, cameras):
        assert all(
            p.shape[:2] == (c.height, c.width) for p, c in zip(pictures, cameras, strict=True)
        )
        return self.tables


def test_rooms_from_above_have_figures_of_tables(tmp_path):
    """Of the true tables full ones; and the network that begins says something."""
    room = sample_room(5, 0, "validation")
    camera = top_camera(room, 512, 512)
    pixels = [camera.project(np.array([o.position]))[0][0] for o in room.objects]
    boxes = [(x - 9, y - 9, x + 9, y + 9) for x, y in pixels]
    objects = tuple(replace(o, box=box) for o, box in zip(room.objects, boxes, strict=True))
    scene = replace(room, objects=objects, camera=camera, image="000000.jpg")
    for split, seed in (("train", 3), ("val", 4)):
        rooms = tmp_path / f"top_views_{split}_seed{seed}" / "rooms"
        rooms.mkdir(parents=True)
        Image.fromarray(np.full((512, 512, 3), 90, np.uint8)).save(rooms / "000000.jpg")
        record = {"scene": to_json(scene), "visible": [1.0] * len(objects), "models": []}
        write_json(rooms / "000000.json", record)
    data = TopViewData(str(tmp_path), 1, 1, width=64, batch=1, seed=3)
    data.setup("fit")
    result = data.judged(Saying([scene]), 5)
    assert result.figures["recall"] == result.figures["name_accuracy"] == 1
    network = dict(backbone="test_resnet", width=64, height=64, neck=8, hidden=16)
    module = EstimatorModule(network, world="top_view").eval()
    assert 0 <= data.judged(module.estimator(), 5).figures["recall"] <= 1


@pytest.mark.parametrize("views", [None, {"inside": 3}, {"inside": 3, "orbit": 0}])
def test_counts_of_both_kinds_are_needed(views):
    with pytest.raises(InputError, match="inside, orbit"):
        RoomViewData(views=views, validation=COUNTS)
