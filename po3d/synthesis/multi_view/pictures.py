"""Rendering of orbit scenes with the models that they name, on a floor, outdoors, or on a table.

    OrbitScene ─► dressed (adds table, paints, floor, walls, light) ─► rendered from eight angles

The world frame of a rendered scene is the room's: z = 0 is its floor, or the ground outdoors.
Objects on a table are `lift` metres higher than in the orbit scene, and the table is an additional
last row. All eight views share one appearance; everything is a pure function of (seed, split,
index).

The cameras look down by more than 30 degrees, so even their highest ray points down: a picture
shows floor and walls, never a ceiling or the sky, which only provides light.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from po3d.io.seeding import rng
from po3d.scene.geometry import Array, Camera
from po3d.scene.orbit import VIEWS, Orbit
from po3d.scene.rooms import COLORS
from po3d.scene.table import ObjectState, Scene, sure
from po3d.synthesis.multi_view.scenes import OrbitScene, sample_orbit_scene
from po3d.synthesis.render.environment import RGB, Finish
from po3d.synthesis.render.looks import sample_look
from po3d.synthesis.render.renderer import RenderedFrame
from po3d.synthesis.splits import split_of
from po3d.synthesis.top_view.looks import Dress, RoomLook, light_and_floor, room_paint, wall_colors
from po3d.synthesis.top_view.pictures import RoomRenderer
from po3d.synthesis.top_view.shell import Shell

# Catalogue tables whose flat top is at full height and fills their box. They have the splits of
# rooms.
TABLES = (
    "Blend Swap CC-0#table",
    "Blend Swap CC-BY#table",
    "Kator Legaz#folding-table",
    "Scopia#table4",
    "Scopia#black_table",
    "Scopia#wooden_table_office",
    "Scopia#white_kitchen_table",
    "Scopia#wooden_office_pear_table_rect",
    "Scopia#table-on-trestles",
    "Scopia#table-with-leaning-feet",
)
TABLE_HEIGHT = (0.68, 0.78)  # metres
RIM = (0.04, 0.2)  # margin of the table around its objects, metres
# distance from the farthest camera to the walls, metres
BEYOND = {"floor": (0.8, 5.0), "table": (0.8, 3.5)}
OPEN = 45.0  # extent of the outdoor ground, metres: more than the cameras see
HEADROOM = 0.4  # height of the walls above the cameras, metres
# (metallic, roughness, clearcoat), lowest and highest: for painted objects, and for objects in
# their own colours
PAINTED: tuple[RGB, RGB] = ((0.0, 0.3, 0.0), (0.15, 0.8, 0.5))
OWN: tuple[RGB, RGB] = ((0.0, 0.5, 0.0), (0.0, 0.9, 0.15))


@dataclass(frozen=True)
class StyledScene:
    """An orbit scene ready for rendering."""

    scene: Scene  # in the room's world frame, without a camera; a table is the last row
    look: RoomLook
    orbit: Orbit
    lift: float  # height of the orbit scene's ground above the room's floor, metres

    def camera(self, angle: float) -> Camera:
        """Return the orbit's camera at `angle` degrees, in the room's world frame."""
        camera = self.orbit.camera(angle)
        pose = camera.cam_T_world
        down = pose.rotation @ np.array([0.0, 0.0, self.lift])
        return replace(camera, cam_T_world=replace(pose, translation=pose.translation - down))

    def view(self, angle: float) -> Scene:
        """Return the scene with the camera and axes of `angle` degrees."""
        return replace(self.scene, camera=self.camera(angle), axes=self.orbit.axes(angle))


def dressed(orbit_scene: OrbitScene, split: str, random: np.random.Generator) -> StyledScene:
    """Give an orbit scene a random appearance. Each object has its own random generator, so that an
    additional object does not change the others.
    """
    seeds = random.integers(2**32, size=(len(orbit_scene.scene), 2))
    dresses = []
    for state, path, seed in zip(orbit_scene.scene.objects, orbit_scene.models, seeds):
        dresses.append(_dress(state, path, np.random.default_rng(seed)))
    objects, lift = orbit_scene.scene.objects, 0.0
    if orbit_scene.ground == "table":
        table, dress = _table(objects, split, random)
        lift = table.extent[2]
        raised = (replace(o, position=(*o.position[:2], o.position[2] + lift)) for o in objects)
        objects = (*raised, table)
        dresses.append(dress)
    scene = replace(orbit_scene.scene, objects=tuple(objects), camera=None)
    if orbit_scene.ground == "outdoor":
        light = sample_look("outdoor", random)
        shell = _open()
    else:
        light, stretch = light_and_floor(random)
        shell = _hall(orbit_scene, lift, stretch, random)
    return StyledScene(scene, RoomLook(light, shell, tuple(dresses)), orbit_scene.orbit, lift)


def styled_scene(orbit_scene: OrbitScene, seed: int, index: int, split: str) -> StyledScene:
    """Return scene `index` of a seed, whose sampled scene is `orbit_scene`, with its appearance."""
    return dressed(orbit_scene, split, rng(seed, f"orbit look/{split}", index))


@functools.lru_cache(4)
def _sampled(seed: int, index: int, split: str) -> StyledScene:
    return styled_scene(sample_orbit_scene(seed, index, split), seed, index, split)


def orbit_view(seed: int, split: str, index: int) -> tuple[Scene, RoomLook]:
    """Return view `index` of an endless set for `RoomRenderer.shoot`: scene index // 8 from the
    angle 45 (index % 8) degrees. The scene has the view's camera and axes; the world frame is
    common to all eight views.
    """
    scene = _sampled(seed, index // len(VIEWS), split)
    return scene.view(VIEWS[index % len(VIEWS)]), scene.look


def draw_views(
    renderer: RoomRenderer, scene: StyledScene, angles: Sequence[int] = VIEWS
) -> list[RenderedFrame]:
    """Render the views with masks, by angle; the renderer must have the orbit's image size."""
    result = []
    for angle in angles:
        result.append(renderer.shoot(scene.scene, scene.camera(angle), scene.look, amodal=True))
    return result


def visible_shares(shots: Sequence[RenderedFrame], count: int) -> tuple[Array, Array]:
    """Return two arrays (views, count) for the first `count` rows, computed from masks: the visible
    fraction of each, and the fraction of the picture that its whole silhouette covers.
    """
    visible = np.array([shot.visible[:count] for shot in shots])
    area = np.array([shot.amodal[:count].mean((1, 2)) for shot in shots])
    return visible, area


# --- parts of an appearance -----------------------------------------------------------------------


def _dress(state: ObjectState, path: str, random: np.random.Generator) -> Dress:
    """Return the named model, painted if the scene gives a colour."""
    color = room_paint(state.value("color"), random) if "color" in state.beliefs else None
    low, high = OWN if color is None else PAINTED
    return Dress(path, color, Finish(*map(float, random.uniform(low, high))), "")


def _table(
    objects: Sequence[ObjectState], split: str, random: np.random.Generator
) -> tuple[ObjectState, Dress]:
    """Return a table with random orientation that carries all objects."""
    names = [name for name in TABLES if split_of(name) == split]
    heading = float(random.uniform(-math.pi, math.pi))
    c, s = math.cos(heading), math.sin(heading)
    # along its own axes
    points = np.array([o.position[:2] for o in objects]) @ np.array([[c, -s], [s, c]])
    reach = np.array([math.hypot(*o.extent[:2]) / 2 for o in objects])[:, None]
    low, high = (points - reach).min(0), (points + reach).max(0)
    rims = random.uniform(*RIM, (2, 2))
    low, high = low - rims[0], high + rims[1]
    x, y = (low + high) / 2
    height = float(random.uniform(*TABLE_HEIGHT))
    depth, width = (high - low).tolist()
    state = ObjectState(
        sure(name="table"), (float(c * x - s * y), float(s * x + c * y), height / 2), heading,
        (depth, width, height), name="table",
    )  # fmt: skip
    color = room_paint(str(random.choice(COLORS)), random) if random.random() < 0.4 else None
    finish = Finish(*map(float, random.uniform(*PAINTED)))
    return state, Dress(str(random.choice(names)), color, finish, "")


def _hall(
    orbit_scene: OrbitScene, lift: float, stretch: float, random: np.random.Generator
) -> Shell:
    """Build four walls around all cameras, higher than these."""
    out = orbit_scene.orbit.radius + random.uniform(*BEYOND[orbit_scene.ground], 4)
    turn = random.uniform(-math.pi, math.pi)
    corners = np.array([(-out[0], -out[1]), (out[2], -out[1]), (out[2], out[3]), (-out[0], out[3])])
    c, s = math.cos(turn), math.sin(turn)
    outline = tuple((float(c * x - s * y), float(s * x + c * y)) for x, y in corners)
    return Shell(
        outline,
        wall_colors(4, 0.3, 0.3, random),
        height=max(2.6, orbit_scene.orbit.height + lift + HEADROOM),
        skirting=(float(random.uniform(0.1, 0.8)),) * 3,
        skirting_height=float(random.choice([0.0, random.uniform(0.05, 0.12)])),
        stretch=stretch,
    )


def _open() -> Shell:
    """Build ground without visible walls."""
    turns = np.arange(16) * 2 * math.pi / 16
    outline = tuple((OPEN * math.cos(t), OPEN * math.sin(t)) for t in turns.tolist())
    return Shell(outline, ((0.3, 0.3, 0.3),) * 16, height=20.0, stretch=1.0)
