"""How a room looks: a model, a paint and a finish for each thing, floor, walls and light, drawn at random.

What the scene says (name, colour, material) decides; the rest varies. Colours are linear RGB.
"""

from dataclasses import dataclass, replace

import numpy as np

from po3d.io.files import rows_beside
from po3d.scene.rooms import is_a
from po3d.scene.table import ObjectState, Scene
from po3d.synthesis.furniture.models import RoomModel, RoomModels, drawn_category
from po3d.synthesis.render.environment import RGB, VARIANTS, Finish, Ground, Look, numbers, rgb, sample_look
from po3d.synthesis.render.instances import Placed
from po3d.synthesis.rooms.shell import Shell
from po3d.synthesis.splits import Split

# Of rooms.COLORS: the middle of each name, and the deviation of log brightness and of log hue around it.
PAINTS: dict[str, tuple[RGB, float, float]] = {
    row["color"]: (numbers(row["middle"]), float(row["bright"]), float(row["hue"]))
    for row in rows_beside(__file__, "paints.csv")
}
# Of rooms.MATERIALS: lowest and highest (metallic, roughness, clearcoat), and the texture.
FINISHES: dict[str, tuple[RGB, RGB, str]] = {
    row["material"]: (numbers(row["low"]), numbers(row["high"]), row["texture"])
    for row in rows_beside(__file__, "finishes.csv")
}
PLAIN = FINISHES["plastic"]
UNPAINTED = (0.3, 0.3, 0.3)  # of our own shapes, where the scene names no colour
SCREEN, PANE = (0.10, 0.33, 0.62), (0.55, 0.68, 0.80)  # glass of what is switched on, and of windows
INDOORS = (0.01, 0.85)  # lowest and highest of floors and walls
MARGIN = 1.5  # metres of floor around the things of a scene without an outline

# kind of floor: (pattern, metres a tile, stretch), base colours
_FLOORS = {
    row["kind"]: (
        row["patterns"].split(), numbers(row["tile"]), numbers(row["stretch"]),
        [numbers(color) for color in row["colors"].split(";")],
    )
    for row in rows_beside(__file__, "floors.csv")
}  # fmt: skip


@dataclass(frozen=True)
class Dress:
    """What stands for one thing of the scene."""

    model: str  # of RoomModels
    color: RGB | None  # None: the model's own colours
    finish: Finish
    stuff: str  # of placed.STUFFS


@dataclass(frozen=True)
class RoomLook:
    """Everything in a room's picture that the scene and the camera leave open."""

    light: Look
    shell: Shell
    dresses: tuple[Dress, ...]  # one for each of the scene's objects


def sample_room_look(scene: Scene, models: RoomModels, split: Split, random: np.random.Generator) -> RoomLook:
    """A random look for a scene, with the models of a split. Each thing is dressed by a generator of its own."""
    seeds = random.integers(2**32, size=(len(scene.objects), 4))
    dresses = tuple(
        dress(state, models, split, np.random.default_rng(seed)) for state, seed in zip(scene.objects, seeds)
    )
    light, stretch = light_and_floor(random)
    return RoomLook(light, _shell(scene, stretch, random), dresses)


def dress(state: ObjectState, models: RoomModels, split: Split, random: np.random.Generator) -> Dress:
    """A model of the thing's category whose proportions come near its box, in its colour and material."""
    category = drawn_category(state.value("name"))
    model = models.pick(category, state.extent, split, random)
    low, high, stuff = FINISHES.get(_value(state, "material"), PLAIN)
    finish = Finish(*(float(v) for v in random.uniform(low, high)))
    return Dress(model, room_paint(_value(state, "color"), random), finish, stuff)


def room_paint(color: str, random: np.random.Generator) -> RGB | None:
    """Linear RGB of one of rooms.COLORS, varied; None for any other word."""
    if color not in PAINTS:
        return None
    middle, bright, hue = PAINTS[color]
    paint = np.array(middle) * np.exp(random.normal(0, bright)) * np.exp(random.normal(0, hue, 3))
    return rgb(paint, 0.004, 0.9)


def _value(state: ObjectState, attribute: str) -> str:
    return state.value(attribute) if attribute in state.beliefs else ""


def placed(state: ObjectState, model: RoomModel, dress: Dress) -> Placed:
    """The thing as the renderer takes it: its model fills its box."""
    colors = dict(model.colors)
    if dress.color is not None:
        for part, bright in model.painted.items():
            colors[part] = rgb(np.array(dress.color) * bright, 0.002, 0.95)
    glass = _glass(state)
    if glass is not None:
        colors |= {part.name: glass for part in model.mesh.parts if part.material == "glass"}
    stretch = np.array(state.extent) / model.extent
    x, y, middle = state.position
    return Placed(
        model.mesh, 1.0, (x, y), state.heading, dress.color or UNPAINTED, dress.finish, colors,
        z=middle - state.extent[2] / 2, stretch=tuple(stretch.tolist()), stuff=dress.stuff,
    )  # fmt: skip


def _glass(state: ObjectState) -> RGB | None:
    name = state.value("name")
    if is_a(name, "window"):
        return PANE
    lit = any(is_a(name, noun) for noun in ("tv", "monitor", "laptop")) and _value(state, "state") == "on"
    return SCREEN if lit else None


def light_and_floor(random: np.random.Generator) -> tuple[Look, float]:
    """Studio light, as lamps and windows give it, on an indoor floor; and the stretch of its slabs."""
    look = sample_look("studio", random)
    kind = str(random.choice(list(_FLOORS), p=[0.45, 0.3, 0.25]))
    patterns, tile, stretch, bases = _FLOORS[kind]
    base = np.array(bases[int(random.integers(len(bases)))]) * np.exp(random.normal(0, 0.2))
    base = base * np.exp(random.normal(0, 0.06, 3))
    second = base * np.exp(random.normal(-0.1, 0.15))
    ground = Ground(
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


def wall_colors(count: int, darkest: float, odd: float, random: np.random.Generator) -> tuple[RGB, ...]:
    """Of one colour, mostly a pale one, that is `darkest` or lighter; a share `odd` of rooms has one wall of another."""
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
