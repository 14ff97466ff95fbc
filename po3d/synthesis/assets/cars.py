"""Cars: suv, wagon, minivan, sedan and truck (a pickup). Metres, before `assemble` scales them to the exact extents."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import shapely

from po3d.synthesis.assets.mesh import Piece
from po3d.synthesis.assets.primitives import Array, ball, box, moved, rounded, slab, wheel


@dataclass(frozen=True)
class CarForm:
    """What tells one car from another; x runs forward from the middle, z up from the ground."""

    length: float
    width: float
    height: float
    belt: float  # height of the window sill
    hood: float  # length of the engine compartment, nose to windscreen foot
    screen: float  # horizontal run of the windscreen
    back: float  # tail to the foot of the rear window (0: the roof runs to the tail)
    rear_screen: float  # horizontal run of the rear window
    nose: float  # height of the front edge of the bonnet
    wheel: float
    clearance: float
    pillars: int  # window panes a side
    bed: float = 0.0  # length of a pickup's open bed
    rails: bool = False
    spare: bool = False


def _car(form: CarForm, rng: np.random.Generator) -> list[Piece]:
    f = form
    front, tail, low = f.length / 2, -f.length / 2, f.clearance
    axles = (front - 0.18 * f.length - rng.uniform(-0.05, 0.05), tail + 0.2 * f.length + rng.uniform(-0.05, 0.05))
    foot = front - f.hood
    deck = f.belt + rng.uniform(-0.02, 0.06)
    lower = [
        (tail + 0.04, low), (front - 0.12, low), (front, low + 0.12), (front, f.nose - 0.12), (front - 0.12, f.nose),
        (foot, f.belt), (tail + f.back, f.belt), (tail + 0.04, deck), (tail, deck - 0.12), (tail, low + 0.14),
    ]  # fmt: skip
    shape = shapely.Polygon(rounded(lower, 0.05))
    for x in axles:
        shape = shape.difference(shapely.Point(x, f.wheel).buffer(f.wheel * 1.14, quad_segs=4))
    if shape.geom_type == "MultiPolygon":
        shape = max(shape.geoms, key=lambda g: g.area)
    outline = np.array(shape.exterior.coords)[:-1]
    tumble = rng.uniform(0.1, 0.2)
    plan = rng.uniform(0.06, 0.14)

    def lean(v: Array) -> Array:
        """The cabin narrows toward the roof."""
        v[:, 1] *= 1 - tumble * np.clip((v[:, 2] - f.belt) / (f.height - f.belt), 0, 1)
        return v

    def taper(v: Array) -> Array:
        """The body narrows toward nose and tail."""
        v[:, 1] *= 1 - plan * np.abs(v[:, 0] / (f.length / 2)) ** 4
        return v

    pieces: list[Piece] = [("body", "paint", slab(outline, f.width, 0.07, taper, rows=4))]
    cabin_tail = tail + max(f.back, 0.05) + (f.bed if f.bed else 0.0)
    top = f.height
    cabin = [
        (cabin_tail, f.belt - 0.02), (foot + 0.06, f.belt - 0.02), (foot - f.screen, top - 0.06), (foot - f.screen - 0.2, top),
        (cabin_tail + f.rear_screen + 0.15, top), (cabin_tail + f.rear_screen, top - 0.05),
    ]  # fmt: skip
    pieces.append(("cabin", "glass", slab(cabin, f.width - 0.12, 0.05, lean, rows=2)))
    roof = [
        (cabin_tail + f.rear_screen - 0.02, top - 0.1), (foot - f.screen + 0.02, top - 0.1), (foot - f.screen - 0.1, top - 0.01),
        (foot - f.screen - 0.25, top + 0.015), (cabin_tail + f.rear_screen + 0.1, top + 0.015),
    ]  # fmt: skip
    pieces.append(("roof", "paint", slab(roof, f.width - 0.06, 0.04, lean, rows=2)))
    pieces += _pillars(f, foot, cabin_tail, lean)
    half = f.width / 2
    for side, word in ((1, "left"), (-1, "right")):
        for x, end in zip(axles, ("front", "back")):
            pieces += wheel(f"wheel_{end}_{word}", x, side * (half - 0.1), f.wheel, 0.22)
        middle = foot - f.screen - (foot - f.screen - cabin_tail) * 0.35
        spans = [("front", middle, foot - 0.1)]
        if f.pillars > 1:
            spans.append(("back", max(cabin_tail + 0.35, axles[1] + f.wheel), middle))
        for end, x0, x1 in spans:
            if x1 - x0 < 0.3:
                continue
            height = f.belt - low - 0.14
            door = box(x1 - x0 - 0.04, 0.03, height, ((x0 + x1) / 2, side * (half * 0.985), low + 0.1 + height / 2))
            pieces.append((f"door_{end}_{word}", "paint", door))
            pieces.append((f"handle_{end}_{word}", "chrome", box(0.16, 0.05, 0.035, (x0 + 0.2, side * half, f.belt - 0.12))))
        pieces.append((f"mirror_{word}", "paint", ball((0.07, 0.11, 0.08), (foot - 0.12, side * (half + 0.04), f.belt + 0.08))))
        lamp = rng.uniform(0.14, 0.22)
        pieces.append((f"headlight_{word}", "lamp", ball((0.08, lamp, 0.08), (front - 0.08, side * half * 0.68, f.nose - 0.14))))
        pieces.append((f"taillight_{word}", "tail", box(0.08, 0.2, 0.16, (tail + 0.03, side * half * 0.76, f.belt - 0.16))))
    pieces.append(("grille", "dark", box(0.06, f.width * 0.42, 0.14, (front - 0.02, 0, f.nose - 0.2))))
    pieces.append(("bumper_front", "paint", box(0.12, f.width * 0.88, 0.16, (front - 0.04, 0, low + 0.2))))
    pieces.append(("bumper_back", "paint", box(0.12, f.width * 0.9, 0.16, (tail + 0.04, 0, low + 0.22))))
    pieces.append(("underbody", "dark", box(f.length * 0.8, f.width * 0.75, 0.2, (0, 0, low + 0.12))))
    if f.rails:
        for side in (1, -1):
            rail = box((foot - f.screen - cabin_tail) * 0.75, 0.05, 0.06, ((foot - f.screen + cabin_tail) / 2, side * half * 0.62, top + 0.05))
            pieces.append(("rails", "dark", rail))
    if f.spare:
        pieces.append(("spare_wheel", "dark", box(0.14, 0.55, 0.55, (tail - 0.05, 0, f.belt - 0.12))))
    if f.bed:
        pieces += _bed(f, tail, cabin_tail)
    return pieces


def _pillars(f: CarForm, foot: float, cabin_tail: float, lean: Callable[[Array], Array]) -> list[Piece]:
    """The painted frame between the panes: screen pillars and uprights, both sides."""
    top = f.height - 0.04
    lines = [((foot + 0.04, f.belt), (foot - f.screen + 0.02, top)), ((cabin_tail + 0.04, f.belt), (cabin_tail + f.rear_screen + 0.04, top))]
    roof0, roof1 = cabin_tail + f.rear_screen, foot - f.screen
    for k in range(1, f.pillars + 1):
        x = roof1 - (roof1 - roof0) * k / (f.pillars + 0.4)
        lines.append(((x, f.belt), (x, top)))
    pieces: list[Piece] = []
    for (x0, z0), (x1, z1) in lines:
        strip = [(x0 - 0.05, z0), (x0 + 0.05, z0), (x1 + 0.05, z1), (x1 - 0.05, z1)]
        for side in (1, -1):
            pillar = moved(slab(strip, 0.1), (0, side * (f.width / 2 - 0.09), 0))
            pillar.vertices = lean(np.array(pillar.vertices))
            pieces.append(("pillars", "paint", pillar))
    return pieces


def _bed(f: CarForm, tail: float, cabin_tail: float) -> list[Piece]:
    """The walls and dark floor of a pickup's bed, on top of the body's belt."""
    half, depth = f.width / 2, 0.26
    x, length = (tail + cabin_tail) / 2, cabin_tail - tail
    z = f.belt + depth / 2 - 0.03
    pieces: list[Piece] = [("trunk", "dark", box(length - 0.1, f.width - 0.2, 0.04, (x, 0, f.belt + 0.02)))]
    for side in (1, -1):
        pieces.append(("bed_side", "paint", box(length, 0.08, depth, (x, side * (half - 0.08), z))))
    pieces.append(("tailgate", "paint", box(0.08, f.width - 0.1, depth, (tail + 0.05, 0, z))))
    return pieces


def suv(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    return _car(CarForm(4.7, 1.9, 1.78 + u(-0.05, 0.06), 1.08 + u(-0.04, 0.06), 1.25 + u(-0.12, 0.12), u(0.3, 0.6), 0.0, u(0.12, 0.4),
                        1.0 + u(-0.05, 0.06), u(0.36, 0.41), u(0.3, 0.36), int(rng.integers(2, 4)), rails=u() < 0.6, spare=u() < 0.35), rng)  # fmt: skip


def wagon(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    return _car(CarForm(4.8, 1.85, 1.45 + u(-0.03, 0.04), 0.92 + u(-0.03, 0.04), 1.35 + u(-0.12, 0.12), u(0.5, 0.8), 0.0, u(0.25, 0.6),
                        0.8 + u(-0.05, 0.05), u(0.31, 0.36), u(0.18, 0.24), 3, rails=u() < 0.5), rng)  # fmt: skip


def minivan(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    return _car(CarForm(4.8, 1.95, 1.85 + u(-0.05, 0.05), 1.05 + u(-0.05, 0.05), 0.75 + u(-0.15, 0.15), u(0.75, 1.1), 0.0, u(0.1, 0.3),
                        0.86 + u(-0.06, 0.06), u(0.32, 0.37), u(0.2, 0.26), 3, rails=u() < 0.3), rng)  # fmt: skip


def sedan(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    return _car(CarForm(4.75, 1.83, 1.42 + u(-0.04, 0.04), 0.92 + u(-0.03, 0.04), 1.3 + u(-0.15, 0.15), u(0.5, 0.8), 0.75 + u(-0.15, 0.2),
                        u(0.4, 0.75), 0.78 + u(-0.05, 0.05), u(0.31, 0.35), u(0.18, 0.23), 2), rng)  # fmt: skip


def truck(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    double_cab = u() < 0.4
    bed = u(1.25, 1.5) if double_cab else u(1.8, 2.2)
    return _car(CarForm(5.2, 1.95, 1.72 + u(-0.06, 0.08), 1.0 + u(-0.04, 0.05), 1.35 + u(-0.15, 0.15), u(0.4, 0.6), 0.0, u(0.06, 0.2),
                        0.95 + u(-0.05, 0.05), u(0.37, 0.42), u(0.3, 0.38), 2 if double_cab else 1, bed=bed), rng)  # fmt: skip


MAKERS = {"suv": suv, "wagon": wagon, "minivan": minivan, "sedan": sedan, "truck": truck}
