"""Training views from folders: pictures, labels, mirrors, and a few steps of training on them."""

import numpy as np
import pytest
from PIL import Image

from po3d.io.errors import InputError
from po3d.io.files import write_json
from po3d.io.seeding import rng
from po3d.scene.camera import Hold, held
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene, sure, to_json
from po3d.training.data import WithMirror
from po3d.training.estimator import EstimatorModule
from po3d.training.rendered import RoomViewData, ViewFolder
from po3d.training.run import train
from po3d.training.view_labels import ViewLabels, mirrored_labels

COUNTS = {"inside": 2, "orbit": 1}


def write_view(folder, k: int) -> None:
    camera = held(Hold(1.4, -0.2, 0.1 * k, 0.3), 640, 480, 500.0)
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
    plain = ViewFolder(folder, 2, 64, 48)
    both = WithMirror(plain, ViewLabels, mirrored_labels)
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
    trainer = dict(accelerator="cpu", max_steps=2, max_epochs=-1, limit_val_batches=1, log_every_n_steps=1)
    module = EstimatorModule(network, world="room_view", seed=3)
    metrics = train(
        module, data, tmp_path / "out", {}, trainer, str(tmp_path / "pair"), ema=0.0, save_every=2
    )
    assert np.isfinite(metrics["val"])
    assert {"val/hold", "val/depth"} <= metrics.keys()
    assert (tmp_path / "pair.safetensors").exists()


@pytest.mark.parametrize("views", [None, {"inside": 3}, {"inside": 3, "orbit": 0}])
def test_counts_of_both_kinds_are_needed(views):
    with pytest.raises(InputError, match="inside, orbit"):
        RoomViewData(views=views, validation=COUNTS)
