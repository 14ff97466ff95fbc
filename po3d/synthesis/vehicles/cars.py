"""Cars: suv, wagon, minivan, sedan and truck (a pickup).

Metres; `assemble` scales them to the exact extents.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import shapely

from po3d.io.files import rows_beside
from po3d.synthesis.shapes.mesh import Piece, painted, pick, solid
from po3d.synthesis.shapes.primitives import Array, ball, box, lathe, moved, rounded, slab, wheel

SIDES = ((1, "left"), (-1, "right"))


@dataclass(frozen=True)
class CarForm:
    """Dimensions of a type; x runs forward from the middle, z up from the ground."""

    length: float
    width: float
    height: float
    belt: float  # height of the window sill
    hood: float  # nose to the foot of the windscreen
    screen: float  # horizontal run of the windscreen
    back: float  # tail to the foot of the rear window (0: the cabin reaches the tail)
    rear_screen: float  # horizontal run of the rear window
    nose: float  # height of the front edge of the bonnet
    wheel: float  # radius
    clearance: float
    panes: int  # side windows
    bed: float = 0.0  # length of a pickup's open bed
    rails: bool = False
    spare: bool = False

    @property
    def nose_x(self) -> float:
        return self.length / 2

    @property
    def tail_x(self) -> float:
        return -self.length / 2

    @property
    def foot(self) -> float:
        """x of the windscreen's foot."""
        return self.nose_x - self.hood

    @property
    def cabin_tail(self) -> float:
        """x of the rear window's foot."""
        return self.tail_x + max(self.back, 0.05) + self.bed


@dataclass(frozen=True)
class Trim:
    """Parameters that vary within every type."""

    corner: float  # radius of the side view's corners
    tumble: float  # narrowing of the cabin towards the roof, as a fraction
    plan: float  # narrowing of the body towards nose and tail, as a fraction
    axles: tuple[float, float]  # x, front and back
    roof_depth: float  # height of the painted strip above the windows
    pillar: float  # half width of a window pillar
    rear_pillar: float
    bumper: str  # material
    bumper_size: tuple[float, float]  # depth, height
    lamp: str  # round | oblong | swept
    lamp_size: float
    tail_lamp: tuple[float, float]  # width, height
    grille: tuple[float, float]  # share of the width, height
    mirror: float
    rim: float
    disc: str  # material of the wheel discs
    moulding: str | None  # material of a strip along the doors


def sample_trim(f: CarForm, rng: np.random.Generator) -> Trim:
    u = rng.uniform
    return Trim(
        corner=u(0.04, 0.13), tumble=u(0.08, 0.22), plan=u(0.04, 0.17),
        axles=(f.nose_x - f.length * u(0.165, 0.205), f.tail_x + f.length * u(0.175, 0.225)),
        roof_depth=u(0.06, 0.13), pillar=u(0.03, 0.065), rear_pillar=u(0.04, 0.16),
        bumper=pick(rng, "paint", "paint", "dark", "chrome"),
        bumper_size=(u(0.06, 0.16), u(0.12, 0.24)), lamp=pick(rng, "round", "oblong", "swept"),
        lamp_size=u(0.8, 1.25), tail_lamp=(u(0.12, 0.34), u(0.09, 0.26)),
        grille=(u(0.3, 0.62), u(0.08, 0.22)), mirror=u(0.75, 1.25), rim=u(0.5, 0.72),
        disc=pick(rng, "chrome", "chrome", "paint", "dark"),
        moulding=rng.choice([None, None, "dark", "chrome"]),
    )  # fmt: skip


def _car(f: CarForm, rng: np.random.Generator) -> list[Piece]:
    t = sample_trim(f, rng)

    def taper(v: Array) -> Array:
        """Narrow the body towards nose and tail."""
        v[:, 1] *= 1 - t.plan * np.minimum(np.abs(v[:, 0] / f.nose_x), 1) ** 4
        return v

    def lean(v: Array) -> Array:
        """Narrow the cabin towards the roof as well."""
        v[:, 1] *= 1 - t.tumble * np.clip((v[:, 2] - f.belt) / (f.height - f.belt), 0, 1)
        return taper(v)

    pieces = _body(f, t, rng, taper) + _cabin(f, t, rng, lean) + _doors(f, t, taper) + _ends(f, t)
    for x, end in zip(t.axles, ("front", "back")):
        for side, word in SIDES:
            y = side * (f.width / 2 * (1 - t.plan * abs(x / f.nose_x) ** 4) - 0.1)
            pieces += wheel(f"{end}_{word}_wheel", x, y, f.wheel, 0.22, t.rim, disc=t.disc)
    if f.bed:
        pieces += _bed(f, t, rng, taper)
    if f.rails:
        length = (f.foot - f.screen - f.cabin_tail - f.rear_screen) * rng.uniform(0.7, 0.95)
        x, y = (
            (f.foot - f.screen + f.cabin_tail + f.rear_screen) / 2,
            f.width / 2 * (1 - t.tumble) * rng.uniform(0.8, 0.92),
        )
        for side in (1, -1):
            pieces += solid(
                "roof_rack", "dark", box(length, 0.05, 0.05, (x, side * y, f.height + 0.06))
            )
            for end in (-0.45, 0.45):
                pieces += solid(
                    "roof_rack",
                    "dark",
                    box(0.08, 0.05, 0.08, (x + end * length, side * y, f.height + 0.02)),
                )
    if f.spare:
        at = (f.tail_x - 0.03, rng.uniform(-0.2, 0.2), f.belt - 0.12)
        profile = [(0, -0.09), (0.3, -0.09), (0.34, 0), (0.3, 0.09), (0, 0.09)]
        pieces += solid("spare_wheel", "tyre", moved(lathe(profile, 14), at, yaw=np.pi / 2))
    return pieces


def _cut_arches(shape: shapely.Polygon, f: CarForm, t: Trim) -> Array:
    """Return the largest piece of a side view without the wheel arches."""
    for x in t.axles:
        shape = shape.difference(shapely.Point(x, f.wheel).buffer(f.wheel * 1.15, quad_segs=4))
    parts = shape.geoms if shape.geom_type == "MultiPolygon" else [shape]
    return np.array(max(parts, key=lambda g: g.area).exterior.coords)[:-1]


def _body(
    f: CarForm, t: Trim, rng: np.random.Generator, taper: Callable[[Array], Array]
) -> list[Piece]:
    front, tail, low, foot = f.nose_x, f.tail_x, f.clearance, f.foot
    rake, kick = rng.uniform(0.02, 0.2), rng.uniform(0.0, 0.12)  # tilt of nose and tail
    deck = f.belt + (rng.uniform(-0.06, 0.06) if f.back else 0.0)
    bonnet = [
        (front - rake, f.nose),
        (foot + 0.3 * f.hood, f.nose + (f.belt - f.nose) * rng.uniform(0.75, 1.0)),
        (foot, f.belt),
    ]
    lower = [
        (tail + kick + 0.05, low),
        (front - 0.2, low),
        (front, low + 0.14),
        (front - 0.3 * rake, f.nose - 0.12),
        *bonnet,
    ]
    lower += [(tail + f.back, f.belt)] if f.back else []
    lower += [(tail + kick, deck), (tail, deck - 0.2), (tail, low + 0.2)]
    shape = shapely.Polygon(rounded(lower, t.corner))
    if f.bed:
        shape = shape.intersection(shapely.box(f.cabin_tail - 0.1, 0, front + 1, 9))
    pieces = painted(
        "frame", slab(_cut_arches(shape, f, t), f.width, t.corner * 0.85, taper, rows=4)
    )
    pieces += solid(
        "underbody", "dark", box(f.length * 0.84, f.width * 0.72, 0.3, (0, 0, low + 0.18))
    )
    # Panels slightly in front of the body, so that they can have another colour.
    (x0, z0), (x1, z1), (x2, z2) = bonnet
    crown = [
        (x0 - 0.1, z0 - 0.04),
        (x0 - 0.06, z0 + 0.018),
        (x1, z1 + 0.018),
        (x2 + 0.02, z2 + 0.018),
        (x2 + 0.02, z2 - 0.06),
    ]
    pieces += painted("hood", slab(crown, f.width * rng.uniform(0.62, 0.8), 0.01, taper, rows=3))
    if rng.uniform() < 0.25:
        pieces += painted(
            "hood", slab(np.add(crown, (0, 0.03)), f.width * rng.uniform(0.25, 0.45), 0.02, taper)
        )
    if f.back > 0.3:
        lid = [(tail + kick + 0.1, deck - 0.05), (tail + f.back - 0.04, f.belt - 0.05),
        (tail + f.back - 0.04, f.belt + 0.018),
               (tail + kick + 0.1, deck + 0.018)]  # fmt: skip
        pieces += painted("trunk", slab(lid, f.width * 0.72, 0.01, taper, rows=3))
    elif not f.bed:
        height = f.belt - low - 0.4
        pieces += painted(
            "trunk", box(0.06, f.width * 0.68, height, (tail - 0.005, 0, f.belt - 0.1 - height / 2))
        )
    return pieces


def _cabin(
    f: CarForm, t: Trim, rng: np.random.Generator, lean: Callable[[Array], Array]
) -> list[Piece]:
    """Build the glass as one block, with painted roof and pillars on it."""
    tail, foot, top = f.cabin_tail, f.foot, f.height
    back, front = tail + f.rear_screen, foot - f.screen  # ends of the roof
    glass = [
        (tail, f.belt - 0.03),
        (foot + 0.05, f.belt - 0.03),
        (front, top - 0.06),
        (front - 0.2, top),
        (back + 0.15, top),
        (back, top - 0.05),
    ]
    pieces = solid("windows", "glass", slab(glass, f.width - 0.12, 0.05, lean))
    drop, crown = t.roof_depth, rng.uniform(0.0, 0.05)  # the roof is higher in its middle
    roof = [
        (back - 0.06, top - drop),
        (front + 0.05, top - drop),
        (front - 0.06, top - 0.01),
        (front - 0.28, top + 0.015),
        ((back + front) / 2, top + 0.015 + crown),
        (back + 0.15, top + 0.015),
        (back - 0.02, top - 0.03),
    ]
    pieces += painted("roof", slab(roof, f.width - 0.05, 0.05, lean, rows=3))
    lines = [((foot + 0.03, f.belt - 0.02), (front + 0.01, top - 0.04), t.pillar)]
    lines.append(
        ((tail + t.rear_pillar, f.belt - 0.02), (back + t.rear_pillar, top - 0.04), t.rear_pillar)
    )
    if f.bed and tail + 0.5 < front:
        lines[1] = ((tail + 0.15, f.belt - 0.02), (back + 0.12, top - 0.04), 0.14)
    for k in range(1, f.panes):
        x = front - (front - back) * (k / f.panes) ** 0.9
        lines.append(((x, f.belt - 0.02), (x, top - 0.04), t.pillar))
    for (x0, z0), (x1, z1), half in lines:
        strip = [(x0 - half, z0), (x0 + half, z0), (x1 + half, z1), (x1 - half, z1)]
        for side, word in SIDES:
            pillar = moved(slab(strip, 0.1), (0, side * (f.width / 2 - 0.095), 0))
            pillar.vertices = lean(np.array(pillar.vertices))
            pieces += painted(f"{word}_frame", pillar)
    if f.bed:  # the wall behind the seats, below and beside the rear window
        outline = [
            (tail - 0.02, f.belt - 0.1),
            (tail + 0.04, f.belt - 0.1),
            (tail + 0.04, f.belt + 0.08),
            (tail - 0.02, f.belt + 0.08),
        ]
        wall = slab(outline, f.width - 0.12, 0, lean)
        pieces += painted("frame", wall)
    return pieces


def _doors(f: CarForm, t: Trim, taper: Callable[[Array], Array]) -> list[Piece]:
    pieces: list[Piece] = []
    low, front = f.clearance + 0.1, f.foot - 0.08
    roof = f.foot - f.screen - f.cabin_tail - f.rear_screen
    middle = f.foot - f.screen - roof * (0.5 if f.panes > 2 else 0.55)
    spans = [("front", max(middle, f.cabin_tail + 0.1), front)]  # name, x from and to
    back = max(f.cabin_tail + 0.1, t.axles[1] + 0.7 * f.wheel)
    if f.panes > 1 and middle - back > 0.4:
        spans.append(("back", back, middle - 0.04))
    for side, word in SIDES:
        for end, x0, x1 in spans:
            outline = _cut_arches(shapely.box(x0, low, x1, f.belt - 0.04), f, t)
            panel = moved(slab(outline, 0.05), (0, side * (f.width / 2 - 0.012), 0))
            panel.vertices = taper(np.array(panel.vertices))
            pieces += painted(f"{end}_{word}_door", panel)
            place = (x0 + 0.18, side * (f.width / 2 + 0.01), f.belt - 0.14)
            pieces += solid(f"{end}_{word}_door_handle", "chrome", box(0.16, 0.05, 0.035, place))
        if t.moulding:
            x0, x1 = t.axles[1] + 1.2 * f.wheel, t.axles[0] - 1.2 * f.wheel
            z = f.clearance + (f.belt - f.clearance) * 0.45
            place = ((x0 + x1) / 2, side * (f.width / 2 + 0.01), z)
            pieces += solid(f"{word}_moulding", t.moulding, box(x1 - x0, 0.04, 0.07, place))
        at = np.array([f.foot - 0.12, side * (f.width / 2 + 0.05), f.belt + 0.07])
        pieces += painted(f"{word}_mirror", ball(np.array([0.07, 0.11, 0.075]) * t.mirror, at))
    return pieces


def _ends(f: CarForm, t: Trim) -> list[Piece]:
    """Build lamps, grille, bumpers and plates."""
    half, low, front, tail = f.width / 2 * (1 - t.plan), f.clearance, f.nose_x, f.tail_x
    depth, height = t.bumper_size
    lamp_z = f.nose - 0.13
    grille_width = min(f.width * t.grille[0], 2 * half * 0.5)
    pieces: list[Piece] = [
        ("grille", "dark", box(0.08, grille_width, t.grille[1], (front - 0.02, 0, lamp_z - 0.03))),
        ("front_bumper", t.bumper, box(depth, half * 2 * 0.98, height, (front, 0, low + 0.14))),
        ("back_bumper", t.bumper, box(depth, half * 2 * 0.98, height, (tail, 0, low + 0.18))),
        ("front_license_plate", "white", box(0.03, 0.5, 0.11, (front + depth / 2, 0, low + 0.15))),
        ("back_license_plate", "white", box(0.04, 0.5, 0.12, (tail - 0.03, 0, low + 0.36))),
    ]
    radii = {
        "round": (0.07, 0.12, 0.12),
        "oblong": (0.07, 0.19, 0.08),
        "swept": (0.24, 0.13, 0.07),
    }[t.lamp]
    width, tall = t.tail_lamp
    for side, word in SIDES:
        at = (
            front - (0.2 if t.lamp == "swept" else 0.03),
            side * half * (0.9 if t.lamp == "swept" else 0.78),
            lamp_z,
        )
        lamp = ball(np.array(radii) * (1, t.lamp_size, t.lamp_size), (0, 0, 0))
        pieces += solid(
            f"{word}_head_light",
            "lamp",
            moved(lamp, at, yaw=-0.35 * side if t.lamp == "swept" else 0.0),
        )
        red = box(
            0.1,
            width,
            tall,
            (tail + 0.02, side * (half - width / 2 - 0.03), f.belt - 0.14 - tall / 2),
        )
        pieces += solid(f"{word}_tail_light", "tail", red)
    return pieces


def _bed(
    f: CarForm, t: Trim, rng: np.random.Generator, taper: Callable[[Array], Array]
) -> list[Piece]:
    """Build a pickup's open bed: walls, tailgate, floor and wheel housings."""
    tail, end, half, low = f.tail_x, f.cabin_tail, f.width / 2, f.clearance
    top = f.belt + rng.uniform(-0.04, 0.08)
    floor = top - rng.uniform(0.4, 0.54)
    inside = pick(rng, "paint", "paint", "dark")
    middle, length = (tail + end) / 2, end - tail
    side_view = shapely.Polygon(
        [
            (tail + 0.03, low + 0.16),
            (end, low + 0.02),
            (end, f.belt),
            (end - 0.1, top),
            (tail + 0.03, top),
        ]
    )
    outline = _cut_arches(side_view, f, t)
    pieces = solid("trunk", inside, box(length - 0.02, f.width - 0.2, 0.08, (middle, 0, floor)))
    rim = f.wheel * 2.15 - floor
    for side, word in SIDES:
        wall = moved(slab(outline, 0.1, 0.02), (0, side * (half - 0.05), 0))
        wall.vertices = taper(np.array(wall.vertices))
        pieces += painted(f"{word}_bed_side", wall)
        if rim > 0.04:
            housing = box(
                f.wheel * 2, 0.26, rim, (t.axles[1], side * (half - 0.22), floor + rim / 2)
            )
            pieces += solid("trunk", inside, housing)
    width = f.width * (1 - t.plan)
    pieces += painted(
        "tailgate",
        box(0.08, width - 0.06, top - floor + 0.22, (tail + 0.05, 0, (top + floor - 0.22) / 2)),
    )
    pieces += painted(
        "frame", box(0.1, width - 0.06, floor - low, (tail + 0.06, 0, (floor + low) / 2))
    )
    return pieces


@functools.cache
def _types() -> dict[str, dict[str, str]]:
    """Return type -> its row of cars.csv: a number, the ends of a range, or several whole numbers;
    probabilities of rails and spares.
    """
    return {row["type"]: row for row in rows_beside(__file__, "cars.csv")}


def _typical(name: str, rng: np.random.Generator) -> list[Piece]:
    """Sample a car of a type in cars.csv from its ranges, in the order of the columns."""
    row = _types()[name]
    dimensions: dict[str, float | int | bool] = {}
    for column in list(row)[1:]:
        numbers = list(map(float, row[column].split()))
        if column == "panes":
            dimensions[column] = int(rng.choice(list(map(int, numbers))))
        elif column in ("rails", "spare"):
            dimensions[column] = bool(numbers) and rng.uniform() < numbers[0]
        else:
            dimensions[column] = rng.uniform(*numbers) if len(numbers) > 1 else numbers[0]
    return _car(CarForm(**dimensions), rng)


def truck(rng: np.random.Generator) -> list[Piece]:
    """Pickup: upright, or low like a coupé utility, with one or two rows of seats."""
    u = rng.uniform
    low, two_rows = u() < 0.45, u() < 0.35
    return _car(
        CarForm(
            length=5.0,
            width=1.8,
            height=u(1.46, 1.56) if low else u(1.6, 1.78),
            belt=u(0.92, 1.0) if low else u(1.0, 1.14),
            hood=u(1.15, 1.6),
            screen=u(0.35, 0.7),
            back=0.0,
            rear_screen=u(0.15, 0.5) if low else u(0.03, 0.18),
            nose=u(0.8, 0.9) if low else u(0.92, 1.06),
            wheel=u(0.32, 0.37) if low else u(0.37, 0.43),
            clearance=u(0.2, 0.27) if low else u(0.3, 0.4),
            panes=2 if two_rows else 1,
            bed=u(1.2, 1.5) if two_rows else u(1.65, 2.1),
        ),
        rng,
    )


MAKERS = {
    **{name: functools.partial(_typical, name) for name in ("suv", "wagon", "minivan", "sedan")},
    "truck": truck,
}
# Wider ranges of the types whose official shape could not be measured; used by the official family:
# off-roaders, crossovers and fastbacks, of short and long bonnet.
WIDE_MAKERS = {name: functools.partial(_typical, f"{name}_wide") for name in ("suv", "wagon")}
