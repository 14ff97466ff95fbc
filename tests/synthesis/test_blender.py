"""Blender as a renderer: same bytes for same input, what stands where our masks say, parts in their
colours, one line for what fails.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.street import camera
from po3d.synthesis.render import blender
from po3d.synthesis.render.blender import MISSING, Blender, BlenderOptions
from po3d.synthesis.render.environment import Finish
from po3d.synthesis.render.instances import PlacedMesh
from po3d.synthesis.render.renderer import Renderer
from po3d.synthesis.street.drawing import Drawing, drawing_of
from tests.synthesis.test_render import BOX

OPTIONS = BlenderOptions(width=64, height=48, samples=4)
VIEW = camera().resized(64, 48)


@pytest.fixture(scope="module")
def process() -> Iterator[Blender]:
    try:
        with Blender() as result:
            yield result
    except InputError as error:
        pytest.skip(str(error))


def boxes(**more: object) -> list[PlacedMesh]:
    matt = Finish(0, 0.6, 0)
    return [
        PlacedMesh(BOX, 3.5, (0.0, 0.0), 0.4, (0.7, 0.02, 0.02), matt, **more),
        PlacedMesh(BOX, 3.5, (2.5, -1.0), 1.9, (0.02, 0.02, 0.8), matt),
    ]


@pytest.mark.parametrize("look", ["superclevr", "hdri"])
def test_same_scene_same_bytes_for_any_number_of_threads(process: Blender, look: str) -> None:
    one = process.draw(boxes(), VIEW, look, 5, OPTIONS)
    two = process.draw(
        boxes(), VIEW, look, 5, BlenderOptions(width=64, height=48, samples=4, threads=2)
    )
    np.testing.assert_array_equal(one, two)
    assert (process.draw(boxes(), VIEW, look, 6, OPTIONS) != one).any()
    assert 20 < one.mean() < 235


@pytest.mark.render
def test_vehicles_stand_where_our_masks_say(process: Blender) -> None:
    try:
        ids = Renderer(64, 48).render_masks(boxes(), VIEW).ids
    except InputError as error:
        pytest.skip(str(error))
    rgb = process.draw(
        boxes(), VIEW, "superclevr", 1, BlenderOptions(width=64, height=48, samples=16)
    ).astype(int)
    red = rgb[..., 0] > rgb[..., 2] + 40
    blue = rgb[..., 2] > rgb[..., 0] + 40
    for mask, number in ((red, 1), (blue, 2)):
        mine = ids == number
        assert (mask & mine).sum() / (mask | mine).sum() > 0.75


def test_a_recoloured_part_has_its_own_colour(process: Blender) -> None:
    plain = process.draw(boxes(), VIEW, "superclevr", 1, OPTIONS).astype(int)
    name = BOX.parts[-1].name
    painted = process.draw(
        boxes(colors={name: (0.02, 0.7, 0.02)}), VIEW, "superclevr", 1, OPTIONS
    ).astype(int)
    green = [(p[..., 1] > np.maximum(p[..., 0], p[..., 2]) + 30).sum() for p in (plain, painted)]
    assert green[0] == 0 < green[1]


def test_blender_knows_two_looks(process: Blender) -> None:
    with pytest.raises(InputError, match="superclevr and hdri"):
        process.draw(boxes(), VIEW, "studio", 1, OPTIONS)


def test_without_bpy_one_line_says_what_to_install(tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    bare.chmod(0o755)
    with pytest.raises(InputError) as error:
        Blender(str(bare))
    assert str(error.value) == MISSING
    assert "\n" not in MISSING
    with pytest.raises(InputError, match="cannot be started"):
        Blender(str(tmp_path / "nowhere"))


def test_a_broken_blend_ends_in_one_line(process: Blender, tmp_path: Path) -> None:
    broken = tmp_path / "car_sedan.blend"
    broken.write_bytes(rng(0, "noise").bytes(2000))
    with pytest.raises(InputError) as error:
        process.ask({"do": "read", "file": str(broken), "out": str(tmp_path / "out"), "most": 10})
    assert "\n" not in str(error.value)
    assert process.draw(boxes(), VIEW, "superclevr", 1, OPTIONS).shape == (48, 64, 3)  # it goes on


def test_a_picture_that_never_ends_is_dropped(tmp_path: Path) -> None:
    hanging = tmp_path / "python"
    hanging.write_text("#!/bin/sh\necho '{}'\nexec sleep 600\n")
    hanging.chmod(0o755)
    with Blender(str(hanging)) as process:
        with pytest.raises(InputError, match="did not answer within"):
            process.draw(boxes(), VIEW, "superclevr", 1, replace(OPTIONS, seconds=0.2))
        with pytest.raises(InputError, match=r"the Blender process (has )?exited"):
            process.ask({"do": "read"})


@pytest.mark.parametrize(
    "given", [{"renderer": "crayon"}, {"renderer": "blender"}, {"vehicles": "somewhere"}]
)
def test_what_cannot_be_rendered_in_look_studio(given: dict) -> None:
    with pytest.raises(InputError):
        drawing_of(given).check("studio")


def test_options_are_checked() -> None:
    assert drawing_of(None) == Drawing()
    assert Drawing().identity() == {}
    for blend in ({"samples": 0}, {"rays": 4}, {"width": 100, "height": 100}, {"seconds": 0}):
        with pytest.raises(InputError):
            drawing_of({"renderer": "blender", "blender": blend})
    drawing = drawing_of(
        {"renderer": "blender", "blender": {"samples": 8, "threads": 0, "seconds": 5.5}}
    )
    assert drawing.identity()["blender"]["samples"] == 8
    assert not {"threads", "seconds"} & set(
        drawing.identity()["blender"]
    )  # they don't change the pictures


def test_lamps_keep_within_a_unit_of_their_official_places() -> None:
    for k in range(20):
        lamps = blender._studio(rng(k, "lamps"))["lamps"]
        for lamp, (place, *_) in zip(lamps, blender._LAMPS):
            assert np.abs(np.subtract(lamp["place"], place)).max() <= 1
        assert lamps[-1]["kind"] == "SUN"
