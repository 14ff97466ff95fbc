"""Parts of motorbikes, in metres: wheels, forks, engines, exhausts, mudguards."""

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, solid
from po3d.synthesis.shapes.primitives import (
    Array,
    box,
    lathe,
    loft,
    moved,
    ring,
    rod,
    spoked_wheel,
    tube,
)
from po3d.synthesis.vehicles.two_wheelers import (
    SlotMaterials,
    chain_runs,
    polar,
    side,
    telescopic_legs,
)

Rng = np.random.Generator


def wheel(
    rng: Rng,
    name: str,
    axle: Array,
    thick: float,
    width: float,
    finish: SlotMaterials,
    spoked: bool,
) -> list[Piece]:
    """Build a wheel on z = 0 with wire spokes or a cast disc of five; with a brake disc."""
    x, radius = axle
    if spoked:
        pieces = spoked_wheel(
            name,
            x,
            radius,
            thick,
            (finish.tyre, finish.metal),
            int(rng.integers(9, 13)),
            0.07,
            spoke=0.009,
        )[1:]
    else:
        rim = radius - thick * 1.6
        profile = [
            (rim * 0.84, -width * 0.3),
            (rim, -width * 0.34),
            (rim, width * 0.34),
            (rim * 0.84, width * 0.3),
            (rim * 0.84, -width * 0.3),
        ]
        local: list[Piece] = solid(name, finish.metal, lathe(profile, 18))
        local += solid(
            name,
            finish.metal,
            lathe([(0, -0.07), (rim * 0.28, -0.06), (rim * 0.28, 0.06), (0, 0.07)], 10),
        )
        for k in range(5):
            t = 72 * k
            at = side(polar((0, 0), rim * 0.5, t))
            local += solid(
                name,
                finish.metal,
                box(rim * 0.75, width * 0.3, rim * 0.17, at, pitch=-np.radians(t)),
            )
        pieces = [(n, m, moved(g, (x, 0, radius))) for n, m, g in local]
    pieces += solid(
        name, finish.tyre, moved(ring(radius - thick, thick, width, 24, 6), (x, 0, radius))
    )
    disc = lathe([(0, -0.004), (radius * 0.4, -0.004), (radius * 0.4, 0.004), (0, 0.004)], 12)
    return [*pieces, (name, "chrome", moved(disc, (x, width * 0.5 + 0.01, radius)))]


def fork(
    axle: Array,
    top: Array,
    spread: float,
    radius: float,
    finish: SlotMaterials,
    lower: float = 0.45,
) -> list[Piece]:
    """Build two telescopic legs from the axle to `top`, thick for the fraction `lower`, and two
    yokes.
    """
    along = (top - axle) / np.linalg.norm(top - axle)
    pitch = -(np.pi / 2 - np.arctan2(along[1], -along[0]))
    pieces = telescopic_legs(axle, top, lower, spread, (radius * 1.35, radius), finish.metal)
    for share in (0.8, 0.98):
        at = side(axle + (top - axle) * share)
        pieces += solid(
            "fork", finish.trim, box(0.07, spread * 2 + radius * 2.4, 0.03, at, pitch=pitch)
        )
    return pieces


def cylinder(foot: Array, top: Array, radius: float, material: str) -> list[Piece]:
    """Build a finned cylinder with its head."""
    shares = np.array([0, 0.12, 0.13, 0.26, 0.27, 0.4, 0.41, 0.54, 0.55, 0.68, 0.69, 1.0])
    radii = (
        np.array([0.85, 0.85, 1.15, 1.15, 0.85, 0.85, 1.15, 1.15, 0.85, 0.85, 1.2, 1.05]) * radius
    )
    return solid(
        "engine", material, tube([side(foot + (top - foot) * s) for s in shares], radii, 8)
    )


def engine(rng: Rng, crank: Array, size: float, finish: SlotMaterials, twin: bool) -> list[Piece]:
    """Build a crankcase about `crank` with gearbox, and one upright or two splayed cylinders."""
    metal = finish.metal if rng.random() < 0.6 else finish.trim
    profile = [
        (0, -size),
        (size * 0.75, -size),
        (size * 0.95, -size * 0.7),
        (size * 0.95, size * 0.7),
        (size * 0.75, size),
        (0, size),
    ]
    case = lathe(profile, 12)
    pieces = solid("engine", metal, moved(case, side(crank)))
    pieces += solid(
        "engine", metal, box(size * 1.9, size * 1.5, size * 1.2, side(crank + [-size * 1.3, 0.0]))
    )
    splay = np.radians(rng.uniform(20, 28)) if twin else 0.0
    for lean in (splay, -splay) if twin else (np.radians(8),):
        top = crank + np.array([np.sin(lean), np.cos(lean)]) * size * 2.55
        pieces += cylinder(crank, top, size * 0.55, metal)
    if twin:  # round air cleaner on the right
        cleaner = lathe([(0, -0.035), (size * 0.6, -0.03), (size * 0.6, 0.03), (0, 0.035)], 10)
        pieces += solid(
            "engine", finish.metal, moved(cleaner, side(crank + [0, size * 1.6], -size * 0.8))
        )
    return pieces


def chain(rear: Array, crank: Array, y: float, finish: SlotMaterials) -> list[Piece]:
    """Build the sprocket and both runs of the chain."""
    big, small = 0.12, 0.06
    sprocket = lathe([(0, -0.008), (big, -0.008), (big, 0.008), (0, 0.008)], 12)
    pieces = solid("drive_chain", finish.metal, moved(sprocket, side(rear, y)))
    return pieces + chain_runs(rear, crank - [0.1, 0], (big, small), y, 0.012, finish.trim)


def swingarm(
    rear: Array, pivot: Array, spread: float, material: str, radius: float = 0.025
) -> list[Piece]:
    return [
        ("frame", material, rod(side(rear, y), side(pivot, y * 0.8), radius))
        for y in (spread, -spread)
    ]


def shocks(foot: Array, top: Array, spread: float, finish: SlotMaterials) -> list[Piece]:
    shares = np.linspace(0, 1, 9)
    radii = np.where(np.arange(9) % 2, 0.034, 0.022)
    return [
        ("shock", finish.metal, tube([side(foot + (top - foot) * s, y) for s in shares], radii, 6))
        for y in (spread, -spread)
    ]


def footrests(at: Array, spread: float, finish: SlotMaterials, board: bool) -> list[Piece]:
    pieces: list[Piece] = []
    for name, sign in (("footrest_left_s", 1), ("footrest_right_s", -1)):
        size = (0.3, 0.11, 0.025) if board else (0.04, 0.13, 0.03)
        pieces += solid(name, finish.trim, box(*size, side(at, sign * (spread + size[1] / 2))))
        pieces += solid(
            name,
            finish.metal,
            rod(side(at, sign * 0.05), side(at, sign * (spread + 0.02)), 0.014, 5),
        )
    return pieces


def pipe(name: str, points: Array, muffler: float, finish: SlotMaterials) -> list[Piece]:
    """Build an exhaust along `points`, wide for its last segment."""
    points = np.asarray(points, float)
    last = points[-2] + (points[-1] - points[-2]) * 0.08
    line = np.r_[points[:-1], [last], [points[-1] - (points[-1] - last) * 0.06], points[-1:]]
    radii = np.r_[np.full(len(points) - 1, 0.026), muffler, muffler, muffler * 0.6]
    return solid(name, finish.metal, tube(line, radii, 7))


def screen(foot: Array, width: float, height: float, lean: float) -> list[Piece]:
    """Build a curved wind screen that leans back by `lean` radians."""
    rings = []
    for s, w in ((0.0, 0.75), (0.35, 1.0), (0.8, 0.9), (1.0, 0.6)):
        y = np.linspace(-1, 1, 7) * width / 2 * w
        x = foot[0] - np.sin(lean) * height * s - 0.25 * y**2 / (width / 2)
        z = np.full(7, foot[1] + np.cos(lean) * height * s)
        front = np.c_[x, y, z]
        rings.append(np.r_[front, front[::-1] - [0.015, 0, 0]])
    return solid("windscreen", "glass", loft(rings))


def blade(front: Array, back: Array, width: float, sag: float):
    """Build a plastic mudguard between two points of the side view, bulging upwards, narrower at
    its ends.
    """
    rings = []
    for s in np.linspace(0, 1, 6):
        centre = front + (back - front) * s + [0, sag * np.sin(np.pi * s)]
        half = width / 2 * (0.55 + 0.45 * np.sin(np.pi * (0.15 + 0.7 * s)))
        section = [
            (-half, -0.035),
            (-half * 0.6, 0.01),
            (half * 0.6, 0.01),
            (half, -0.035),
            (half * 0.6, -0.014),
            (-half * 0.6, -0.014),
        ]
        rings.append([(centre[0], y, centre[1] + z) for y, z in section])
    return loft(rings)
