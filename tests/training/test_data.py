"""Training data read from a folder in Super-CLEVR's layout: the shipped mini split is one."""

import math
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from po3d.benchmarks.pulsecheck457.data import open_mini
from po3d.io.config import ROOT, build, compose
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.geometry import wrap_angle
from po3d.scene.street import AXES, CAMERA_POSITION, camera, extent
from po3d.scene.table import ObjectState, Scene, sure
from po3d.scene.vocabulary import COLORS, SHAPES
from po3d.training.data import StreetData, WithFlip
from po3d.training.labels import mirrored_street, street_labels
from po3d.training.samplers import collate_pictures
from po3d.training.street_scenes import CachedScenes, FolderScenes

MINI = ROOT / "data" / "mini" / "pulsecheck457"


def test_a_folder_gives_the_images_and_labels_of_its_scenes():
    scenes = FolderScenes(MINI, 320, 240)
    item = scenes[3]
    truth = open_mini().truth(scenes.records[3][1]["image_filename"])
    n = len(truth)
    assert item["image"].shape == (240, 320, 3)
    assert item["present"].sum() == n
    assert [SHAPES[k] for k in item["shape"][:n]] == [o.value("shape") for o in truth.objects]
    assert [COLORS[k] for k in item["color"][:n]] == [o.value("color") for o in truth.objects]
    centre = np.array([*truth.objects[0].position[:2], truth.objects[0].extent[2] / 2])
    np.testing.assert_allclose(item["points"][0, 8], truth.camera.project(centre)[0], atol=1.5)


def test_the_superclevr_config_splits_a_folder_for_validation():
    config = compose(
        "train", ["data=superclevr", f"data.root={MINI}", "data.split=test", "data.validation=10"]
    )
    data = build(dict(config.data))
    data.setup("fit")
    assert (len(data.train), len(data.validation)) == (2 * 140, 10)  # each in the mirror, too
    batch = collate_pictures([data.train[0], data.train[1]])
    assert batch["image"].shape == (2, 3, 480, 640)


def test_several_folders_are_read_one_after_the_other(tmp_path):
    config = compose(
        "train",
        ["data=superclevr", f"data.root=[{MINI},{MINI}]", "data.split=test", "data.validation=10"],
    )
    data = build(dict(config.data))
    data.setup("fit")
    one, both = FolderScenes(MINI, 64, 48), data.train.scenes.dataset
    assert len(both) == 2 * len(one)
    assert both.records[len(one) :] == one.records
    with pytest.raises(InputError, match=r"no scene records in .*other"):
        FolderScenes([str(MINI), str(tmp_path / "other")], 64, 48)


def test_labels_of_the_mirror_image_are_those_of_the_mirrored_scene():
    """The mirror stands in the vertical plane through the nominal camera and the middle of the
    scene.
    """
    r = rng(0, "mirrored-street")
    across = np.array([-CAMERA_POSITION[1], CAMERA_POSITION[0]]) / np.hypot(*CAMERA_POSITION[:2])
    axis = math.atan2(CAMERA_POSITION[1], CAMERA_POSITION[0])
    objects, mirrored = [], []
    for shape in ("sedan", "jet", "dirtbike"):
        place, heading = r.uniform(-3, 3, 2), r.uniform(-3, 3)
        state = ObjectState(
            sure(shape=shape), (*place, 0.3), heading, tuple(extent(shape, "small"))
        )
        there = place - 2 * (place @ across) * across
        objects.append(state)
        mirrored.append(replace(state, position=(*there, 0.3), heading=2 * axis - heading))
    here, there = (
        street_labels(Scene(tuple(o), AXES, "gt", camera())) for o in (objects, mirrored)
    )
    got = mirrored_street(here)
    np.testing.assert_allclose(got.points[:3], there.points[:3], atol=1e-3)
    np.testing.assert_allclose(wrap_angle(got.alpha[:3] - there.alpha[:3]), 0, atol=1e-5)
    np.testing.assert_array_equal(got.shape, there.shape)


def test_every_scene_comes_as_it_is_and_in_the_mirror():
    scenes = FolderScenes(MINI, 64, 48)
    item, mirror = (WithFlip(scenes)[k] for k in (6, 7))
    np.testing.assert_array_equal(item["image"], scenes[3]["image"])
    np.testing.assert_array_equal(mirror["image"], item["image"][:, ::-1])
    n = item["present"].sum()
    np.testing.assert_allclose(
        mirror["points"][:n, 8, 0], 640 - item["points"][:n, 8, 0], atol=1e-3
    )


@dataclass
class Numbered:
    """Scenes whose pictures say their number, and how often they were made."""

    size: int = 40
    width: int = 8
    height: int = 6

    def __post_init__(self) -> None:
        Numbered.made = []

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> dict:
        Numbered.made.append(index)
        labels = street_labels(Scene((), AXES, "gt", camera()))
        return {
            "image": np.full((self.height, self.width, 3), index, np.uint8),
            **labels._replace(alpha=labels.alpha + index)._asdict(),
        }


def test_retained_scenes_are_built_once_for_all_who_read_them_and_leave_when_their_rounds_are_over(
    tmp_path,
):
    scenes = Numbered()
    one, other = (CachedScenes(scenes, tmp_path, visits=2, chunk=4) for _ in range(2))
    for index in (3, 0, 3, 5):
        for reader in (one, other):
            item = reader[index]
            assert (item["image"] == index).all()
            assert (item["alpha"] == index).all()
            item["image"][:] = 99  # the kept one stays as it is
    assert Numbered.made == [3, 0, 5]
    for index in range(8, 40):
        one[index]
    left = sorted(int(path.stem) for path in one.folder.glob("*.rows"))
    assert left == list(range(left[0], 10))
    assert len(left) <= 2 * 2


def test_what_a_killed_process_left_half_built_is_built_again(tmp_path):
    retained = CachedScenes(Numbered(), tmp_path, visits=1, chunk=4)
    retained[1]
    retained.open[0]["whole"][1] = False
    assert (CachedScenes(Numbered(), tmp_path, visits=1, chunk=4)[1]["image"] == 1).all()
    assert Numbered.made == [1]


def test_the_folder_s_pictures_are_mixed_in_by_their_share():
    options = [
        "data=online",
        f"data.root={MINI}",
        "data.split=test",
        "data.share=0.25",
        "data.replay=3",
        "data.replay_dir=unused",
        "data.chunk=100",
    ]
    data = build(dict(compose("train", options).data))
    data.validation = None
    data.trainer = SimpleNamespace(
        max_steps=10, global_step=0, accumulate_grad_batches=1, global_rank=0, world_size=1
    )
    data.read_training()
    numbers = np.array([n for part in data.train_stream() for n in part]) // 2
    assert (numbers < 150).mean() == pytest.approx(0.25, abs=0.05)
    assert data.train_samples().scenes[149]["present"].any()


def test_wrong_sources_are_refused():
    with pytest.raises(InputError, match=r"data\.root"):
        StreetData(source="superclevr")
    with pytest.raises(InputError, match="not one of"):
        StreetData(source="moon")
    with pytest.raises(InputError, match=r"data\.replay_dir"):
        StreetData(source="online", replay=2)
    with pytest.raises(InputError, match=r"data\.share"):
        StreetData(source="online", share=1.5)
