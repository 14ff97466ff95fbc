"""Appearance of a room: a model, a paint and a finish for each object, floor, walls and light,
sampled at random.

The scene's annotations (name, colour, material) are respected; the rest varies. Colours are linear
RGB.
"""

from dataclasses import dataclass, replace

import numpy as np

from po3d.io.files import rows_beside
from po3d.scene.rooms import is_a
from po3d.scene.table import ObjectState, Scene
from po3d.synthesis.furniture.models import RoomModel, RoomModels, model_category
from po3d.synthesis.render.environment import RGB, VARIANTS, Finish, GroundStyle, RenderStyle, rgb
from po3d.synthesis.render.instances import PlacedMesh
from po3d.synthesis.render.looks import numbers, sample_look
from po3d.synthesis.splits import Split
from po3d.synthesis.top_view.shell import Shell

# For each of rooms.COLORS: its mean, and the standard deviations of log brightness and of log hue.
PAINTS: dict[str, tuple[RGB, float, float]] = {}
for _row in rows_beside(__file__, "paints.csv"):
    _spread = float(_row["bright"]), float(_row["hue"])
    PAINTS[_row["color"]] = (numbers(_row["middle"]), *_spread)
# For each of rooms.MATERIALS: lowest and highest (metallic, roughness, clearcoat), and the texture.
FINISHES: dict[str, tuple[RGB, RGB, str]] = {}
for _row in rows_beside(__file__, "finishes.csv"):
    FINISHES[_row["material"]] = numbers(_row["low"]), numbers(_row["high"]), _row["texture"]
PLAIN = FINISHES["plastic"]
UNPAINTED = (0.3, 0.3, 0.3)  # colour of our own shapes if the scene gives none
# glass of screens that are on, and of windows
SCREEN, PANE = (0.10, 0.33, 0.62), (0.55, 0.68, 0.80)
INDOORS = (0.01, 0.85)  # lowest and highest values of floors and walls
MARGIN = 1.5  # margin of the floor around the objects of a scene without an outline, metres

# kind of floor: (pattern, metres per tile, stretch), base colours
_FLOORS = {}
for _row in rows_beside(__file__, "floors.csv"):
    _colors = list(map(numbers, _row["colors"].split(";")))
    _sizes = numbers(_row["tile"]), numbers(_row["stretch"])
    _FLOORS[_row["kind"]] = (_row["patterns"].split(), *_sizes, _colors)


@dataclass(frozen=True)
class Dress:
    """Appearance of one object of the scene."""

    model: str  # key in RoomModels
    color: RGB | None  # None: the model's own colours
    finish: Finish
    stuff: str  # one of instances.STUFFS


@dataclass(frozen=True)
class RoomLook:
    """Everything in a room's picture that the scene and the camera do not determine."""

    light: RenderStyle
    shell: Shell
    dresses: tuple[Dress, ...]  # one for each object of the scene


def sample_room_look(
    scene: Scene, models: RoomModels, split: Split, random: np.random.Generator
) -> RoomLook:
    """Sample the appearance of a scene with the models of a split. Each object has its own random
    generator."""
    seeds = random.integers(2**32, size=(len(scene.objects), 4))
    dresses = []
    for state, seed in zip(scene.objects, seeds, strict=True):
        dresses.append(dress(state, models, split, np.random.default_rng(seed)))
    light, stretch = light_and_floor(random)
    return RoomLook(light, _shell(scene, stretch, random), tuple(dresses))


def dress(
    state: ObjectState, models: RoomModels, split: Split, random: np.random.Generator
) -> Dress:
    """Choose a model of the object's category with proportions close to its box, in its colour and
    material."""
    category = model_category(state.value("name"))
    model = models.pick(category, state.extent, split, random)
    low, high, stuff = FINISHES.get(_value(state, "material"), PLAIN)
    finish = Finish(*random.uniform(low, high).tolist())
    return Dress(model, room_paint(_value(state, "color"), random), finish, stuff)


def room_paint(color: str, random: np.random.Generator) -> RGB | None:
    """Return a random shade (linear RGB) of one of rooms.COLORS; None for any other word."""
    if color not in PAINTS:
        return None
    middle, bright, hue = PAINTS[color]
    paint = np.array(middle) * np.exp(random.normal(0, bright)) * np.exp(random.normal(0, hue, 3))
    return rgb(paint, 0.004, 0.9)


def _value(state: ObjectState, attribute: str) -> str:
    return state.value(attribute) if attribute in state.beliefs else ""


def placed(state: ObjectState, model: RoomModel, dress: Dress) -> PlacedMesh:
    """Convert an object to the renderer's input: its model scaled to its box."""
    colors = dict(model.colors)
    if dress.color is not None:
        for part, bright in model.painted.items():
            colors[part] = rgb(np.array(dress.color) * bright, 0.002, 0.95)
    glass = _glass(state)
    if glass is not None:
        for part in model.mesh.parts:
            if part.material == "glass":
                colors[part.name] = glass
    stretch = np.array(state.extent) / model.extent
    x, y, middle = state.position
    return PlacedMesh(
        model.mesh, 1.0, (x, y), state.heading, dress.color or UNPAINTED, dress.finish, colors,
        z=middle - state.extent[2] / 2, stretch=tuple(stretch.tolist()), stuff=dress.stuff,
    )  # fmt: skip


def _glass(state: ObjectState) -> RGB | None:
    name = state.value("name")
    if is_a(name, "window"):
        return PANE
    screen = is_a(name, "tv") or is_a(name, "monitor") or is_a(name, "laptop")
    return SCREEN if screen and _value(state, "state") == "on" else None


def light_and_floor(random: np.random.Generator) -> tuple[RenderStyle, float]:
    """Return indoor lighting in the studio style with an indoor floor, and the stretch of its
    slabs."""
    look = sample_look("studio", random)
    kind = str(random.choice(list(_FLOORS), p=[0.45, 0.3, 0.25]))
    patterns, tile, stretch, bases = _FLOORS[kind]
    base = np.array(bases[int(random.integers(len(bases)))]) * np.exp(random.normal(0, 0.2))
    base = base * np.exp(random.normal(0, 0.06, 3))
    second = base * np.exp(random.normal(-0.1, 0.15))
    ground = GroundStyle(
        kind=str(random.choice(patterns)),
        variant=int(random.integers(VARIANTS)),
        color=rgb(base, *INDOORS),
        color2=rgb(second, *INDOORS),
        contrast=float(random.uniform(0.3, 1.0)),
        tile=float(random.uniform(*tile)),
        angle=float(random.integers(4) * np.pi / 2),
        offset=tuple(random.uniform(0, 1, 2).tolist()),
    )
    return replace(look, ground=ground), float(random.uniform(*stretch))


def wall_colors(
    count: int, darkest: float, odd: float, random: np.random.Generator
) -> tuple[RGB, ...]:
    """Sample wall colours: usually one pale colour, no darker than `darkest`; a share `odd` of
    rooms has one wall in another colour."""
    tint = np.exp(random.normal(0, 0.05 if random.random() < 0.6 else 0.35, 3))
    walls = [rgb(random.uniform(darkest, 0.8) * tint, *INDOORS)] * count
    if random.random() < odd:
        walls[int(random.integers(count))] = rgb(random.uniform(0.05, 0.7, 3), *INDOORS)
    return tuple(walls)


def _shell(scene: Scene, stretch: float, random: np.random.Generator) -> Shell:
    outline = scene.outline or _around(scene)
    walls = wall_colors(len(outline), 0.35, 0.25, random)
    top = max((o.position[2] + o.extent[2] / 2 for o in scene.objects), default=0.0)
    grey = float(random.choice([0.0, 1.0, random.uniform(0.1, 0.9)]))
    return Shell(
        tuple(outline),
        walls,
        height=max(2.5, top + 0.05),
        rim=float(random.choice([0.0, random.uniform(0.04, 0.15)])),
        rim_color=(float(random.uniform(0.05, 0.8)),) * 3,
        skirting=(float(random.uniform(0.1, 0.8)),) * 3,
        skirting_height=float(random.choice([0.0, random.uniform(0.05, 0.12)])),
        stretch=stretch,
        outside=(grey, grey, grey),
    )


def _around(scene: Scene) -> tuple[tuple[float, float], ...]:
    points = scene.positions[:, :2] if scene.objects else np.zeros((1, 2))
    reach = MARGIN + float(np.linalg.norm(scene.extents[:, :2], axis=1).max(initial=0)) / 2
    (x0, y0), (x1, y1) = (points.min(0) - reach).tolist(), (points.max(0) + reach).tolist()
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)
