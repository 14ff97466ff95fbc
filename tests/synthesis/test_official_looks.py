"""Pictures in the official looks: paints, glass, metal, parts and where a thing stands."""

import math
from collections import Counter

import numpy as np
import pytest

from po3d.benchmarks.superclevr.files import scene_from_superclevr
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.street import box_middle
from po3d.scene.vocabulary import COLORS, COLORS_RGB, ORIGIN_AHEAD, SHAPES, SIZE_SCALE
from po3d.synthesis.render.environment import Finish, Light
from po3d.synthesis.render.instances import PlacedMesh
from po3d.synthesis.render.looks import paint, sample_look
from po3d.synthesis.render.official import (
    OFFICIAL_LOOKS,
    official_finish,
    official_paint,
    sample_official_look,
)
from po3d.synthesis.render.renderer import Renderer
from po3d.synthesis.shapes.mesh import Mesh, Part
from po3d.synthesis.street.compose import compose
from po3d.synthesis.street.dataset import make_scene, mixed_look, scene_record, true_scene
from po3d.synthesis.street.layouts import sample_layout
from po3d.training.labels import street_labels
from tests.synthesis.test_render import BOX, CAMERA, MATTE, box_mesh

pytestmark = pytest.mark.render


@pytest.fixture(scope="module", params=[1, 4])
def renderer(request: pytest.FixtureRequest) -> Renderer:
    try:
        return Renderer(320, 240, samples=request.param)
    except InputError as error:
        pytest.skip(str(error))


def glass_box() -> Mesh:
    box = box_mesh((1.0, 0.4, 0.3))
    return Mesh(
        box.vertices,
        box.normals,
        box.part,
        box.faces,
        (Part("sides", "glass"), Part("top", "glass")),
    )


def at(x: float, y: float, mesh: Mesh, color: str, **more: object) -> PlacedMesh:
    return PlacedMesh(mesh, 2.0, (x, y), 0.4, paint(color), MATTE, tint=1.0, **more)


def test_one_sees_through_clear_glass_and_not_through_other_and_masks_do_not_change(
    renderer: Renderer,
) -> None:
    look = sample_official_look("superclevr", rng(0, "look"))
    behind, before = at(0, 0, BOX, "yellow"), (1.4, -1.2)
    clear, shut = (at(*before, glass_box(), "blue", window=w) for w in (0.05, 1.0))
    frames = [
        renderer.render(objects, CAMERA, look)
        for objects in ([behind, clear], [behind, shut], [behind])
    ]
    np.testing.assert_array_equal(frames[0].ids, frames[1].ids)
    hidden = (frames[0].ids == 2) & frames[2].amodal[0]
    assert hidden.sum() > 50
    visible, closed, truth = (frame.rgb[hidden].astype(float).mean(0) for frame in frames)
    assert np.abs(visible - truth).max() < 25
    assert np.abs(closed - truth).max() > 60


def test_metal_with_a_mirror_shows_the_lamps_sharper(renderer: Renderer) -> None:
    look = sample_official_look("superclevr", rng(1, "look"))
    dull, sharp = (
        renderer.render(
            [PlacedMesh(BOX, 2.0, (0, 0), h, (0.5, 0.5, 0.5), Finish(1, 0.5, 0, m))], CAMERA, look
        )
        for h in (0.4,)
        for m in (0.0, 0.9)
    )
    assert (dull.rgb != sharp.rgb)[dull.ids == 1].mean() > 0.3


@pytest.mark.parametrize("kind", OFFICIAL_LOOKS)
def test_official_pictures_are_neither_black_nor_burnt_out(renderer: Renderer, kind: str) -> None:
    for index in range(renderer.samples, renderer.samples + 3):  # each renderer has its own
        layout = sample_layout(rng(index, "layout"), 6, look=kind)
        objects, _, look = compose(layout, rng(index, "compose"))
        rgb = renderer.render(objects, CAMERA, look).rgb
        assert 30 < rgb.mean() < 225, index
        assert (rgb.min(2) >= 254).mean() < 0.05, index


def test_super_clevrs_floor_is_as_bright_as_the_official_one(renderer: Renderer) -> None:
    """Its background is 123 of 255 on the mean (14 official pictures)."""
    floors = [
        renderer.render([], CAMERA, sample_official_look("superclevr", rng(k, "floor"))).rgb
        for k in range(12)
    ]
    assert np.mean(floors) == pytest.approx(123, abs=20)


def test_paints_stay_near_their_name() -> None:
    for color in COLORS:
        sampled = np.array([official_paint("superclevr", color, rng(k, color)) for k in range(60)])
        linear = np.array(COLORS_RGB[color]) / 255
        assert np.abs(np.log(sampled.max(0) / linear)).max() < 0.5
        assert sampled.min() > 0
    blues = np.array([official_paint("hdri", "blue", rng(k, "b")) for k in range(200)])
    assert blues[:, 2].min() < 0.55 < 0.9 < blues[:, 2].max()  # from navy to sky


def test_metal_is_metal_and_rubber_is_not() -> None:
    rubber, metal = (official_finish("superclevr", m, rng(0, m)) for m in ("rubber", "metal"))
    assert (rubber.metallic, metal.metallic) == (0.0, 1.0)
    assert metal.mirror > 0 == rubber.mirror


@pytest.mark.parametrize("kind", OFFICIAL_LOOKS)
def test_a_position_is_the_origins_and_the_box_stands_ahead_of_it(kind: str) -> None:
    layout = sample_layout(rng(4, "layout"), 10, look=kind)
    objects, _, _ = compose(layout, rng(0, "compose"))
    for o, placed in zip(layout.objects, objects):
        offset = np.subtract(placed.position, (o.x, o.y))
        ahead = offset @ (math.cos(o.heading), math.sin(o.heading))
        assert ahead == pytest.approx(ORIGIN_AHEAD[o.shape] * SIZE_SCALE[o.size], abs=1e-9)
        assert np.linalg.norm(offset) == pytest.approx(abs(ahead), abs=1e-9)
    assert set(ORIGIN_AHEAD) == set(SHAPES)
    assert box_middle("sedan", "large", (1.0, 2.0), math.pi / 2) == pytest.approx(
        (1.0, 2.0 - 0.087 * 3.5)
    )


def test_half_of_super_clevrs_layouts_have_recoloured_parts_and_no_street_has() -> None:
    toys = [sample_layout(rng(i, "layout"), 6, look="superclevr") for i in range(100)]
    share = np.mean([any(o.parts for o in layout.objects) for layout in toys])
    assert share == pytest.approx(0.5, abs=0.15)
    streets = [sample_layout(rng(i, "layout"), 6, look="hdri") for i in range(20)]
    assert not any(o.parts for layout in streets for o in layout.objects)


def test_the_label_is_the_bodys_colour_and_parts_have_materials_of_their_own() -> None:
    try:
        renderer = Renderer(640, 480)
    except InputError as error:
        pytest.skip(str(error))
    parts: Counter = Counter()
    for index in range(5):
        built = make_scene(3, index, "train", renderer, "superclevr")
        record = scene_record(built, index, "train")
        scene = scene_from_superclevr(record)
        for o, placed, state, report in zip(
            built.layout.objects, built.objects, scene.objects, record["objects"]
        ):
            assert (state.value("color"), state.value("material")) == (o.color, o.material)
            assert report["3d_coords"][:2] == [o.x, o.y]
            assert set(report["parts"]) == set(placed.colors) == set(placed.finishes)
            assert placed.tint == 1.0
            parts.update(list(placed.colors))
        truth = true_scene(built, index)
        assert [o.beliefs for o in truth.objects] == [o.beliefs for o in scene.objects]
        assert [o.box for o in truth.objects] == [o.box for o in scene.objects]
        assert (truth.occluders, truth.image) == (scene.occluders, scene.image)
        for direct, stored in zip(street_labels(truth), street_labels(scene), strict=True):
            assert direct.tobytes() == stored.tobytes()
    assert {"roof", "hood", "trunk"} & set(parts)
    assert not {"underbody", "grille", "windows"} & set(parts)


def test_equal_seeds_give_equal_official_scenes() -> None:
    for kind in OFFICIAL_LOOKS:
        one, two = (
            compose(sample_layout(rng(1, "l"), 5, look=kind), rng(2, "c")) for _ in range(2)
        )
        assert [p.color for p in one[0]] == [p.color for p in two[0]]
        assert one[2] == two[2]


def test_a_mixture_draws_looks_by_their_weights() -> None:
    sampled = Counter(
        mixed_look(0, i, {"studio": 1, "superclevr": 3, "outdoor": 0}) for i in range(400)
    )
    assert set(sampled) == {"studio", "superclevr"}
    assert sampled["superclevr"] / 400 == pytest.approx(0.75, abs=0.07)
    for wrong in ({"noir": 1.0}, {"studio": -1.0, "hdri": 2.0}, {"studio": 0.0}):
        with pytest.raises(InputError, match="expected weights"):
            mixed_look(0, 0, wrong)
    with pytest.raises(InputError, match="noir"):
        sample_official_look("noir", rng(0, "x"))


def test_official_lamps_stand_where_super_clevr_has_them() -> None:
    looks = [sample_official_look("superclevr", rng(k, "lamps")) for k in range(50)]
    key = np.mean([look.fills[0].direction for look in looks], 0)
    assert key == pytest.approx(np.array((6.447, -2.905, 4.258)) / 8.255, abs=0.06)
    assert all(isinstance(look.key, Light) and look.key.direction[2] > 0.5 for look in looks)
    assert sample_look("outdoor", rng(0, "x")).kind == "outdoor"
