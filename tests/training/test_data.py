"""Training data read from a folder in Super-CLEVR's layout: the shipped mini split is one."""

import numpy as np
import pytest

from po3d.benchmarks.pulsecheck457 import open_mini
from po3d.entry import ROOT, build, compose
from po3d.errors import InputError
from po3d.training.data import FolderScenes, StreetData, collate
from po3d.vocabulary import COLORS, SHAPES

MINI = ROOT / "data" / "mini" / "pulsecheck457"


def test_a_folder_gives_the_images_and_labels_of_its_scenes():
    scenes = FolderScenes(MINI, 320, 240)
    item = scenes[3]
    truth = open_mini().truth(scenes.records[3]["image_filename"])
    n = len(truth)
    assert item["image"].shape == (240, 320, 3)
    assert item["present"].sum() == n
    assert [SHAPES[k] for k in item["shape"][:n]] == [o.value("shape") for o in truth.objects]
    assert [COLORS[k] for k in item["color"][:n]] == [o.value("color") for o in truth.objects]
    centre = np.array([*truth.objects[0].position[:2], truth.objects[0].extent[2] / 2])
    np.testing.assert_allclose(item["points"][0, 8], truth.camera.project(centre)[0], atol=1.5)


def test_the_superclevr_config_splits_a_folder_for_validation():
    config = compose("train", ["data=superclevr", f"data.root={MINI}", "data.validation=10"])
    data = build(dict(config.data))
    data.setup("fit")
    assert (len(data.train), len(data.validation)) == (140, 10)
    batch = collate([data.train[0], data.train[1]])
    assert batch["image"].shape == (2, 3, 480, 640)


def test_wrong_sources_are_refused():
    with pytest.raises(InputError, match=r"data\.root"):
        StreetData(source="superclevr")
    with pytest.raises(InputError, match="not one of"):
        StreetData(source="moon")
