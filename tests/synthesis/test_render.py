"""The renderer against geometry.py: what it draws is where the camera says it is."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.geometry import Camera, Pose, box_corners, look_at
from po3d.scene.vocabulary import COLORS
from po3d.synthesis.render.environment import Finish, Light, RenderStyle, direction, lighting
from po3d.synthesis.render.instances import SURFACES, PlacedMesh
from po3d.synthesis.render.looks import paint, sample_finish, sample_look
from po3d.synthesis.render.renderer import RenderedFrame, Renderer
from po3d.synthesis.shapes.mesh import Mesh, Part
from po3d.synthesis.street.labels import mask_box

pytestmark = pytest.mark.render

CAMERA = Camera(320, 240, 350.0, look_at((7.48, -6.51, 5.34), (0, 0, 0)))
MATTE = Finish(0.0, 0.8, 0.0)


def box_mesh(extent: tuple[float, float, float], outward: bool = True) -> Mesh:
    """A box on z = 0 of two parts, its sides and its top and bottom."""
    normals, vertices, faces, part = [], [], [], []
    for axis in range(3):
        for sign in (1.0, -1.0):
            n, u = np.zeros(3), np.zeros(3)
            n[axis], u[(axis + 1) % 3] = sign, 1.0
            v = np.cross(n, u)
            corners = n + np.array([-u - v, u - v, u + v, v - u])
            order = [[0, 1, 2], [0, 2, 3]] if outward else [[0, 2, 1], [0, 3, 2]]
            faces += (np.array(order) + len(vertices)).tolist()
            vertices += (corners / 2 * extent + (0, 0, extent[2] / 2)).tolist()
            normals += [n if outward else -n] * 4
            part += [int(axis == 2)] * 4
    return Mesh(
        np.array(vertices, np.float32),
        np.array(normals, np.float32),
        np.array(part, np.uint8),
        np.array(faces, np.int32),
        (Part("sides", "paint"), Part("top", "paint")),
    )


BOX = box_mesh((1.0, 0.4, 0.3))


def placed(
    x: float, y: float, heading: float = 0.4, mesh: Mesh = BOX, color: str = "red", **more: object
) -> PlacedMesh:
    return PlacedMesh(mesh, 2.0, (x, y), heading, paint(color), MATTE, **more)


SCENE = (placed(0, 0), placed(1.2, -0.9, 2.0, color="cyan"), placed(-2, 1.5, -1.0, color="yellow"))


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    try:
        built = Renderer(320, 240)
    except InputError as error:
        pytest.skip(str(error))
    return built


def look(kind: str = "studio", index: int = 0) -> RenderStyle:
    return sample_look(kind, rng(0, "look", index))


@pytest.mark.parametrize("heading", [0.0, 0.7, -2.5])
def test_mask_box_equals_the_projected_corners(renderer: Renderer, heading: float) -> None:
    item = placed(0.5, -0.3, heading)
    pixels, _ = CAMERA.project(box_corners(item.position, heading, (2.0, 0.8, 0.6)))
    box = mask_box(renderer.render_masks([item], CAMERA).amodal[0])
    np.testing.assert_allclose(box, [*pixels.min(0), *pixels.max(0)], atol=1.0)


def test_visible_pixels_lie_inside_the_amodal_masks_and_equal_them_alone(
    renderer: Renderer,
) -> None:
    masks = renderer.render_masks(SCENE, CAMERA)
    for k, item in enumerate(SCENE):
        assert not ((masks.ids == k + 1) & ~masks.amodal[k]).any()
        alone = renderer.render_masks([item], CAMERA)
        np.testing.assert_array_equal(alone.ids == 1, masks.amodal[k])
    np.testing.assert_array_equal(masks.ids > 0, masks.amodal.any(0))


def test_nearer_object_occludes(renderer: Renderer) -> None:
    toward = np.array(CAMERA.position[:2]) / np.linalg.norm(CAMERA.position[:2])
    near = placed(*(1.0 * toward), heading=float(np.arctan2(*toward[::-1]) + np.pi / 2))
    far = placed(0, 0, heading=near.heading)
    back, front = renderer.render_masks([far, near], CAMERA).labels
    assert (back.state, back.occluder, front.state) == ("partial", 1, "none")


@pytest.mark.parametrize("samples", [1, 4])
def test_equal_input_gives_equal_bytes_in_any_order_of_pictures(
    renderer: Renderer, samples: int
) -> None:
    with Renderer(320, 240, samples=samples) as other:
        first = other.render(SCENE, CAMERA, look("outdoor", 3))
        other.render(SCENE[:1], CAMERA, look("studio", 1))
        again = other.render(SCENE, CAMERA, look("outdoor", 3))
    np.testing.assert_array_equal(first.rgb, again.rgb)
    np.testing.assert_array_equal(first.amodal, again.amodal)
    masks = renderer.render_masks(SCENE, CAMERA)  # of a renderer with another number of samples
    np.testing.assert_array_equal(first.ids, masks.ids)
    np.testing.assert_array_equal(first.amodal, masks.amodal)


def test_smoothing_changes_edges_only(renderer: Renderer) -> None:
    still = look()
    with Renderer(320, 240, samples=4) as smooth:
        difference = np.abs(
            smooth.render(SCENE, CAMERA, still).rgb.astype(int) - _rgb(renderer, still)
        )
    assert np.median(difference) == 0
    assert difference.mean() < 2


def _rgb(renderer: Renderer, still: RenderStyle) -> np.ndarray:
    return renderer.render(SCENE, CAMERA, still).rgb.astype(int)


def test_masks_do_not_depend_on_the_winding(renderer: Renderer) -> None:
    """Both windings are drawn, since thin parts are seen from both sides: only the volume's sign
    tells a mesh that is inside out, and this helper's meshes have the right one.
    """
    inside_out = box_mesh((1.0, 0.4, 0.3), outward=False)
    assert _volume(BOX) == pytest.approx(0.12, rel=1e-5)
    assert _volume(inside_out) == pytest.approx(-0.12, rel=1e-5)
    masks = [renderer.render_masks([placed(0, 0, mesh=m)], CAMERA).ids for m in (BOX, inside_out)]
    np.testing.assert_array_equal(*masks)


def _volume(mesh: Mesh) -> float:
    a, b, c = mesh.vertices[mesh.faces].astype(float).transpose(1, 0, 2)
    return float((np.cross(a, b) * c).sum() / 6)


@pytest.mark.parametrize("kind", ["studio", "outdoor"])
def test_colours_stay_tellable_under_every_look(renderer: Renderer, kind: str) -> None:
    """The colour name nearest in hue to the mean of the pixels is the painted one, for nearly all
    looks.
    """
    right = 0
    cases = [
        (index, color)
        for index in range(6)
        for color in ("red", "blue", "green", "yellow", "cyan", "purple")
    ]
    for index, color in cases:
        g = rng(0, "color", index)
        item = PlacedMesh(BOX, 2.0, (0.0, 0.0), 0.4, paint(color, g), MATTE)
        frame = renderer.render([item], CAMERA, look(kind, index))
        mean = frame.rgb[frame.ids == 1].mean(0)
        right += _nearest(mean) == color
    assert right >= 0.9 * len(cases)


def _nearest(rgb: np.ndarray) -> str:
    def hue(values: np.ndarray) -> np.ndarray:
        return values / np.linalg.norm(values)

    colors = [c for c in COLORS if c not in ("gray", "brown")]  # told apart by tone, not by hue
    display = {c: hue(np.array(paint(c)) ** (1 / 2.2)) for c in colors}
    return min(colors, key=lambda c: float(np.linalg.norm(display[c] - hue(rgb))))


def test_a_recoloured_part_shows_its_own_colour(renderer: Renderer) -> None:
    frame = renderer.render([placed(0, 0, colors={"top": paint("green")})], CAMERA, look())
    pixel, _ = CAMERA.project(np.array([0.0, 0.0, 0.6]))
    r, g, b = frame.rgb[int(pixel[1]), int(pixel[0])].astype(int)
    assert g > r + 20
    assert g > b + 20


@pytest.mark.parametrize(
    "azimuth", [0.85, 0.85 - np.pi]
)  # from the left and the right of the picture
def test_shadow_falls_away_from_the_light(renderer: Renderer, azimuth: float) -> None:
    toward = direction(azimuth, 0.5)
    sunny = replace(look("outdoor"), key=Light(tuple(toward), (3.0, 3.0, 3.0), 0.01))
    with_box = renderer.render([placed(0, 0)], CAMERA, sunny)
    empty = renderer.render([], CAMERA, sunny)
    darker = (empty.rgb.astype(int).sum(2) - with_box.rgb.astype(int).sum(2) > 30) & (
        with_box.ids == 0
    )
    rows, columns = np.nonzero(darker)
    ground = CAMERA.at_height(np.stack([columns + 0.5, rows + 0.5], -1), 0.0)
    length = ground @ -direction(azimuth, 0.0)
    assert len(rows) > 200
    assert length.mean() > 0.3
    top = box_corners((0, 0), 0.4, (2.0, 0.8, 0.6))[1::2]
    tip = (top - toward * (top[:, 2:] / toward[2])) @ -direction(azimuth, 0.0)
    assert length.max() == pytest.approx(tip.max(), abs=0.1)  # about two pixels


def test_pictures_are_neither_black_nor_burnt_out(renderer: Renderer) -> None:
    for kind in ("studio", "outdoor"):
        for index in range(8):
            rgb = renderer.render(SCENE, CAMERA, look(kind, index)).rgb
            assert 35 < rgb.mean() < 215, (kind, index)
            assert (rgb.min(2) >= 254).mean() < 0.05, (kind, index)


def test_object_behind_or_beside_the_camera_has_an_empty_mask(renderer: Renderer) -> None:
    masks = renderer.render_masks([placed(30, -30), placed(0, 0)], CAMERA)
    assert masks.amodal[0].sum() == 0
    assert masks.amodal[1].any()


def test_empty_scene_is_only_ground(renderer: Renderer) -> None:
    frame = renderer.render([], CAMERA, look("outdoor"))
    assert isinstance(frame, RenderedFrame)
    assert frame.amodal.shape == (0, 240, 320)
    assert not frame.ids.any()
    assert Image.fromarray(frame.rgb).getextrema()[0][1] > 30


def test_wrong_input_is_named(renderer: Renderer) -> None:
    with pytest.raises(InputError, match=r"640x480.*320x240"):
        renderer.render_masks([], Camera(640, 480, 700.0, Pose(np.eye(3), np.zeros(3))))
    with pytest.raises(InputError, match=r"wing.*sides"):
        renderer.render([placed(0, 0, colors={"wing": (1, 0, 0)})], CAMERA, look())
    with pytest.raises(InputError, match="samples=3"):
        Renderer(32, 24, samples=3)
    with pytest.raises(InputError, match="moonlit"):
        sample_look("moonlit", rng(0, "x"))


def test_light_of_a_look_is_finite_and_exposes_white_ground() -> None:
    for kind in ("studio", "outdoor"):
        for index in range(20):
            one = look(kind, index)
            light = lighting(one)
            assert all(
                np.isfinite(level).all() and (level >= 0).all() for level in light.reflections
            )
            up = light.sky + np.array(one.key.color) * one.key.direction[2]
            display = (
                float(up @ (0.2126, 0.7152, 0.0722))
                / np.pi
                * light.exposure
                * 2.0**-one.film.exposure
            )
            assert display == pytest.approx(0.92, rel=1e-5)


def test_every_mesh_material_has_a_surface_and_finishes_differ() -> None:
    from po3d.synthesis.shapes.mesh import MATERIALS

    assert set(MATERIALS) == {*SURFACES, "paint"}
    assert (
        sample_finish("metal", rng(0, "f")).metallic
        > 0.8
        > sample_finish("rubber", rng(0, "f")).metallic
    )


def test_networks_can_be_loaded_after_a_picture_was_rendered() -> None:
    try:
        Renderer(16, 12)
    except InputError as error:
        pytest.skip(str(error))
    code = (
        "from po3d.synthesis.render.device import open_context; open_context(1); import"
        " torchvision.ops.roi_align"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=120).returncode == 0
