"""Labelled maps, captions and cameras of rooms: which file counts, what is derived, what is
refused.
"""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from po3d.benchmarks.hypo3d.data import Hypo3DSplit, write_release
from po3d.benchmarks.hypo3d.inputs import (
    CAMERAS,
    CAPTION_FILE,
    LABELLED,
    MAP_FILE,
    MAPS,
    SCANREFER,
    SCENE_CAPTIONS,
    InputFiles,
    write_inputs,
)
from po3d.io.errors import InputError
from po3d.io.files import write_json
from po3d.perception.semantic_map import semantic_map, to_json
from po3d.synthesis.top_view.layouts import sample_room
from po3d.systems.framed_rooms import framed
from po3d.systems.pipeline import Context, PerceptionInput
from po3d.systems.scene_sources import Maps, source
from po3d.training.estimator import EstimatorModule

ROOM = sample_room(3, 0)
NAME = ROOM.image


def truth(scene_id):
    if scene_id != NAME:
        raise InputError(f"no true scene of {scene_id!r}")
    return ROOM


@pytest.fixture
def inputs(tmp_path):
    return InputFiles(tmp_path, truth)


def test_a_twins_files_hold_what_is_derived_without_them(inputs):
    derived = inputs.labelled_map(NAME), inputs.captions(NAME)
    write_inputs(inputs.root, [ROOM])
    stored = InputFiles(inputs.root, lambda name: pytest.fail("the table was looked at"))
    assert (stored.labelled_map(NAME), stored.captions(NAME)) == derived
    assert (inputs.root / MAP_FILE).is_file()
    assert set(json.loads((inputs.root / CAPTION_FILE).read_text())[NAME]) == {
        "captions",
        "objects",
    }


def test_the_json_beside_the_picture_counts_first(inputs):
    own = replace(semantic_map(ROOM), labels=(("bed", 1.0, 1.0),))
    write_inputs(inputs.root, [ROOM])
    write_json(inputs.root / LABELLED / f"{NAME}.json", to_json(own))
    assert inputs.labelled_map(NAME) == own


def test_official_captions_are_read_without_running_a_pickle(inputs):
    (inputs.root / "LLM_data").mkdir()
    (inputs.root / SCANREFER).write_bytes(
        pickle.dumps({"scene0000_00": [(3, "a bed."), (4, "a desk.")]})
    )
    write_json(inputs.root / SCENE_CAPTIONS, {"b": {"captions": ["a sofa.", "a chair."]}})
    assert inputs.captions("scene0000_00") == [("3", "a bed."), ("4", "a desk.")]
    assert inputs.captions("b") == [("0", "a sofa."), ("1", "a chair.")]
    (inputs.root / SCANREFER).write_bytes(pickle.dumps({"a": [print]}))
    with pytest.raises(InputError, match=r"rejected; .* 'builtins\.print'"):
        InputFiles(inputs.root, truth).captions("a")


@pytest.mark.parametrize(
    "content", [[], {"a": {"captions": 3}}, {"a": {}}, {"a": {"captions": ["x"], "objects": []}}]
)
def test_damaged_captions_are_one_line(inputs, content):
    write_json(inputs.root / CAPTION_FILE, content)
    with pytest.raises(InputError, match=r"captions .*expected"):
        inputs.captions("a")


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        ("labelled_map", "no labelled map"),
        ("captions", "no captions"),
        ("camera", "no camera pose"),
    ],
)
def test_what_is_neither_there_nor_derivable_is_named(inputs, ask, says):
    arguments = ("elsewhere", "") if ask == "camera" else ("elsewhere",)
    with pytest.raises(InputError, match=says):
        getattr(inputs, ask)(*arguments)


@pytest.mark.parametrize("side", ["front", "back", "left", "right"])
def test_the_camera_looks_to_the_front_from_the_middle_of_the_room(inputs, side):
    single = next(o.value("name") for o in ROOM.objects if o.value("name") == "door")
    text = f"The {single} was located at the {side} of the scene."
    camera = inputs.camera(NAME, text)
    eye = camera.cam_T_world.inverse().translation
    np.testing.assert_allclose(eye[:2], np.array(ROOM.outline[2]) / 2)
    visible = framed(replace(ROOM, camera=camera), text, "camera")
    for word, way in framed(ROOM, text).axes.items():
        np.testing.assert_allclose(visible.axes[word], way, atol=1e-9)


def test_no_frame_and_no_text_mean_the_maps_top(inputs):
    np.testing.assert_allclose(
        framed(replace(ROOM, camera=inputs.camera(NAME, "")), "", "camera").axes["front"],
        (0, 1),
        atol=1e-9,
    )


def test_every_source_gives_a_table_and_only_truth_the_truth(tmp_path):
    write_release(tmp_path, [], {}, [ROOM])
    split = Hypo3DSplit("x", (), tmp_path, {})
    context = Context.of(split, NAME)
    for name in ("ground_truth", "semantic_map", "captions"):
        ((result,),) = source("rooms", name, "top_view_estimator").tables(
            [PerceptionInput(context, [NAME])]
        )
        assert (result.source == "gt") == (name == "ground_truth")
        assert len(result) == len(ROOM)
    with pytest.raises(InputError, match="known: ground_truth, semantic_map, captions, map"):
        source("rooms", "guess", "")
    with pytest.raises(InputError, match="this image has no semantic map"):
        source("rooms", "semantic_map", "").tables(
            [PerceptionInput(Context(lambda: None, lambda: ROOM), [""])]
        )


def test_a_map_is_read_by_an_estimator(tmp_path):
    module = EstimatorModule(
        dict(backbone="resnet10t", width=128, height=128, neck=16, hidden=32), world="top_view"
    )
    module.export(tmp_path / "tiny", {}, {})
    (tmp_path / MAPS).mkdir(parents=True)
    Image.fromarray(np.full((64, 64, 3), 90, np.uint8)).save(tmp_path / MAPS / f"{NAME}.png")
    (tmp_path / MAPS / CAMERAS).write_text(json.dumps({NAME: {"metres_per_pixel": 0.1}}))
    context = Context.of(Hypo3DSplit("x", (), tmp_path, {}), NAME)
    ((result,),) = Maps(str(tmp_path / "tiny")).tables([PerceptionInput(context, [NAME])])
    assert result.source == "predicted"
    assert result.image == NAME
