"""Parts shared by bicycles and motorbikes: finish, side view, forks, chains, fenders, handlebars,
knobby tyres, lamps, mirrors.
"""

from dataclasses import dataclass

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, painted, solid
from po3d.synthesis.shapes.primitives import Array, ball, box, loft, moved, rod, tube


@dataclass(frozen=True)
class SlotMaterials:
    """Material of each part that a variant may leave unpainted."""

    tyre: str
    metal: str
    trim: str
    seat: str


def sample_finish(rng: np.random.Generator) -> SlotMaterials:
    """Sample the materials. Super-CLEVR paints two-wheelers completely, including tyres and saddle,
    and so do more than half of the variants; the others leave some parts unpainted. 70 % of all
    have painted tyres.
    """
    if rng.random() < 0.55:
        return SlotMaterials("paint", "paint", "paint", "paint")
    tyre = "paint" if rng.random() < 1 / 3 else "tyre"
    metal, trim, seat = (
        bare if rng.random() < 0.6 else "paint" for bare in ("chrome", "dark", "seat")
    )
    return SlotMaterials(tyre, metal, trim, seat)


def side(point: tuple[float, float] | Array, y: float = 0.0) -> Array:
    """Return the 3D point of a side view's (x, z), at `y`."""
    return np.array([point[0], y, point[1]])


def polar(centre: tuple[float, float] | Array, radius: float, degrees: float) -> Array:
    """Return the point (x, z) at `radius` from `centre`, `degrees` from the front over the top."""
    t = np.radians(degrees)
    return np.array([centre[0] + radius * np.cos(t), centre[1] + radius * np.sin(t)])


def axles(base: float, rear: float, front: float) -> tuple[Array, Array]:
    """Return the rear and the front axle in side view, of wheels with these radii standing on z =
    0.
    """
    return np.array([-base / 2, rear]), np.array([base / 2, front])


def leaning(angle: float) -> Array:
    """Return the unit direction (x, z) up and back, `angle` radians from the ground."""
    return np.array([-np.cos(angle), np.sin(angle)])


def telescopic_legs(
    axle: Array, top: Array, lower: float, spread: float, radii: tuple[float, float], metal: str
) -> list[Piece]:
    """Build both legs of a suspension fork, at y = +-`spread`: painted for the fraction `lower`
    from the axle, bare above.
    """
    knee = axle + (top - axle) * lower
    pieces: list[Piece] = []
    for y in (spread, -spread):
        pieces += painted("fork", rod(side(axle, y), side(knee, y), radii[0]))
        pieces += solid("fork", metal, rod(side(knee, y), side(top, y), radii[1]))
    return pieces


def chain_runs(
    front: Array, rear: Array, radii: tuple[float, float], y: float, thick: float, material: str
) -> list[Piece]:
    """Build the upper and the lower run of a chain between two sprockets of these radii (front,
    rear).
    """
    pieces: list[Piece] = []
    for sign in (1, -1):
        run = rod(
            side(front + [0, sign * radii[0]], y), side(rear + [0, sign * radii[1]], y), thick, 4
        )
        pieces += solid("drive_chain", material, run)
    return pieces


def fender(
    centre: tuple[float, float] | Array,
    radius: float,
    width: float,
    arc: tuple[float, float],
    depth: float,
):
    """Build a mudguard over an arc (degrees from the front over the top), its edges `depth` inside
    its crest.
    """
    h, sheet = width / 2, 0.012
    section = np.array(
        [
            (-depth, -h),
            (-depth * 0.3, -h * 0.85),
            (0, 0),
            (-depth * 0.3, h * 0.85),
            (-depth, h),
            (-sheet, 0),
        ]
    )
    rings = []
    for t in np.radians(np.linspace(*arc, 9)):
        r = radius + section[:, 0]
        rings.append(np.c_[centre[0] + r * np.cos(t), section[:, 1], centre[1] + r * np.sin(t)])
    return loft(rings)


def handlebar(left: Array, radius: float, bar: str, grip: str, grip_radius: float) -> list[Piece]:
    """Build both halves of a bar whose left half runs through the points `left` (P, 3) from the
    clamp to the hand; the last segment has a grip.
    """
    pieces = []
    for name, mirror in (("handle_left", (1, 1, 1)), ("handle_right", (1, -1, 1))):
        points = np.asarray(left, float) * mirror
        start = points[-1] + (points[-2] - points[-1]) * min(
            1.0, 0.14 / np.linalg.norm(points[-2] - points[-1])
        )
        pieces += [
            (name, bar, tube(points, radius)),
            (name, grip, rod(start, points[-1] * 1.002, grip_radius)),
        ]
    return pieces


def knobs(name: str, material: str, axle: Array, width: float, count: int) -> list[Piece]:
    """Build tread blocks on the tyre of a wheel on z = 0, alternately left and right."""
    radius = axle[1]
    size = 2 * np.pi * radius / count * 0.55
    pieces = []
    for k in range(count):
        t = 360 / count * k
        at = side(polar(axle, radius, t), width * (0.22 if k % 2 else -0.22))
        pieces += solid(
            name, material, box(width * 0.3, width * 0.55, size, at, pitch=-np.radians(t))
        )
    return pieces


def round_lamp(
    name: str,
    at: Array,
    radius: float,
    depth: float,
    shell: str,
    glow: str = "lamp",
    facing: int = 1,
) -> list[Piece]:
    """Build a lamp facing forward (facing 1) or backward (-1): a shell, and a disc of light at
    `at`.
    """
    at = np.asarray(at, float)
    back = at - np.array([facing * depth, 0, 0])
    lip = at + np.array([facing * depth * 0.15, 0, 0])
    shape = tube([back, (back + at) / 2, at], [radius * 0.45, radius * 0.95, radius], 8)
    return [
        (name, shell, shape),
        (name, glow, tube([at - [facing * 0.01, 0, 0], lip], [radius * 0.88, radius * 0.75], 8)),
    ]


def mirrors(
    clamp: Array, out: float, up: float, back: float, size: float, stalk: str, shell: str
) -> list[Piece]:
    """Build two mirrors on stalks that start at `clamp` (its y for the left one)."""
    pieces = []
    for name, sign in (("mirror_left", 1), ("mirror_right", -1)):
        foot = np.asarray(clamp, float) * [1, sign, 1]
        head = foot + [-back, sign * out, up]
        pieces += solid(name, stalk, rod(foot, head, 0.012, 5))
        pieces += solid(name, shell, ball((0.025, size, size * 0.65), head))
        pieces += solid(
            name, "chrome", moved(box(0.01, size * 1.3, size * 0.8), head - [0.025, 0, 0])
        )
    return pieces
