"""Parts of aeroplanes: bodies, paired surfaces, windows, engines, gear, propellers; nose along
x.
"""

from collections.abc import Iterable

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, painted, pick, solid
from po3d.synthesis.shapes.primitives import (
    Array,
    box,
    hull,
    lathe,
    moved,
    rod,
    rounded,
    slab,
    tube,
    wing,
)

Rng = np.random.Generator
SIDES = (("left", 1), ("right", -1))


def pair(
    name: str, root: tuple, tip: tuple, chord: tuple[float, float], thick: float
) -> list[Piece]:
    """Build the left and the right surface from a left `root` to a left `tip` (leading edges)."""
    pieces: list[Piece] = []
    for word, sign in SIDES:
        surface = wing(
            np.multiply(root, (1, sign, 1)), np.multiply(tip, (1, sign, 1)), chord, thick
        )
        pieces += painted(f"{name}_{word}", surface)
    return pieces


def body(
    length: float,
    radius: float,
    height: float,
    nose: float,
    tail: float,
    droop: float,
    rise: float,
    sides: int = 14,
    blunt: float = 0.5,
) -> tuple[list[Piece], Array]:
    """Build a round fuselage centred on z = `height`, from x = length / 2 backwards; return it with
    its stations (x, half width, low, high). The nose (length `nose`) droops and the tail cone
    (length `tail`) rises, by fractions of it.
    """
    front, end = length / 2, -length / 2
    stations = []
    for s in (0.0, 0.06, 0.2, 0.45, 0.75, 1.0):  # fraction of the nose cone, from the tip backwards
        r = radius * max(np.sin(np.pi / 2 * s) ** blunt, 0.04)
        centre = height - droop * radius * (1 - s) ** 2
        stations.append((front - nose * s, r, centre - r, centre + r))
    for s in (0.0, 0.3, 0.65, 0.9, 1.0):
        r = radius * (1 - s**1.6 * 0.9)
        centre = height + rise * radius * s**1.5
        stations.append((end + tail * (1 - s), r, centre - r, centre + r))
    return painted("fuselage", hull(stations, sides)), np.array(stations)


def windows(
    stations: Array, xs: Iterable[float], size: tuple[float, float], level: float
) -> list[Piece]:
    """Build panes on both sides of a round fuselage, `level` (fraction of the radius) above its
    axis.
    """
    pieces: list[Piece] = []
    table = stations[::-1]
    for x in xs:
        r = np.interp(x, table[:, 0], table[:, 1])
        z = np.interp(x, table[:, 0], (table[:, 2] + table[:, 3]) / 2) + level * r
        y = r * np.sqrt(1 - level**2)
        for _, sign in SIDES:
            pane = box(size[0], r * 0.05, size[1], (x, sign * y, z), roll=sign * np.arcsin(level))
            pieces += solid("window", "dark", pane)
    return pieces


def cockpit(stations: Array, x: float, length: float, level: float = 0.45) -> list[Piece]:
    """Build a dark wrap-around windscreen on the nose, from x backwards over `length`."""
    table = stations[::-1]
    rings = []
    for s, top in ((0.0, 1.05), (0.5, 0.98), (1.0, 0.7)):  # extends into the roof behind
        at = x - length * s
        r, low, high = (np.interp(at, table[:, 0], table[:, k]) for k in (1, 2, 3))
        middle = (low + high) / 2
        rings.append(
            (at, r * (1.0 + 0.02), middle + r * (level - 0.25 * (s - 0.5)), middle + r * top)
        )
    return solid("cockpit", "dark", hull(rings, 10, 0.8))


def engine(name: str, front: Array, length: float, radius: float) -> list[Piece]:
    """Build a nacelle along -x from the middle of its intake: a dark intake, a fan hub and a bright
    exhaust.
    """
    x, y, z = front
    profile = [(0.0, 0.82), (-0.04, 0.95), (-0.2, 1.0), (-0.6, 0.95), (-0.85, 0.75), (-0.86, 0.5)]
    shell = tube([(x + s * length, y, z) for s, _ in profile], [radius * r for _, r in profile], 12)
    fan = tube([(x + 0.01 * length, y, z), (x - 0.1 * length, y, z)], radius * 0.76, 12)
    hub = tube(
        [(x + 0.05 * length, y, z), (x - 0.1 * length, y, z)], [radius * 0.05, radius * 0.28], 8
    )
    cone = tube([(x - 0.8 * length, y, z), (x - length, y, z)], [radius * 0.5, radius * 0.3], 8)
    pieces = (
        painted(name, shell) + solid("propeller", "dark", fan) + solid("propeller", "chrome", hub)
    )
    return pieces + solid(name, "chrome", cone)


def gear(
    name: str, at: tuple[float, float], top: float, radius: float, tyre: str, twin: bool = True
) -> list[Piece]:
    """Build a leg from height `top` to one or two wheels at (x, y) on z = 0."""
    x, y = at
    pieces = solid(name, "chrome", rod((x, y, top), (x, y, radius), radius * 0.3, 5))
    profile = [(0, -0.4), (0.7, -0.4), (1.0, -0.2), (1.0, 0.2), (0.7, 0.4), (0, 0.4)]
    disc = lathe(np.multiply(profile, radius), 10)
    for dy in (0.5, -0.5) if twin else (0.0,):
        pieces += solid(name, tyre, moved(disc, (x, y + dy * radius, radius)))
    return pieces


def propeller(rng: Rng, hub: Array, radius: float, blades: int) -> list[Piece]:
    """Build blades and a spinner in front of `hub`."""
    x, y, z = hub
    pieces = painted(
        "propeller",
        tube([(x + s, y, z) for s in (-0.02, 0.1, 0.22, 0.3)], [0.16, 0.15, 0.09, 0.02], 8),
    )
    outline = rounded(
        [
            (-0.06, 0.0),
            (0.06, 0.0),
            (0.1, 0.5),
            (0.08, 0.95),
            (0.0, 1.0),
            (-0.08, 0.95),
            (-0.1, 0.5),
        ],
        0.03,
    )
    blade = slab(np.multiply(outline, (1.0, radius)), 0.035, 0.0)
    start = rng.uniform(0, 2 * np.pi)
    material = "paint" if rng.random() < 0.6 else pick(rng, "wood", "dark")
    for k in range(blades):
        turned = moved(moved(blade, yaw=np.pi / 2 - 0.35), roll=start + 2 * np.pi * k / blades)
        pieces += solid("propeller", material, moved(turned, (x + 0.09, y, z)))
    return pieces


def tyre(rng: Rng) -> str:
    return "paint" if rng.random() < 0.7 else "tyre"
