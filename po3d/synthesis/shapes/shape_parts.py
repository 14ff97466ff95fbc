"""What the shapes of people, animals and outdoor things share: limbs, bodies around a line, palettes."""

import csv
import functools
import io
from collections.abc import Callable, Mapping
from importlib import resources

import numpy as np
from numpy.typing import ArrayLike
from trimesh import Trimesh

from po3d.synthesis.render.environment import RGB, to_linear
from po3d.synthesis.shapes.mesh import Mesh, Piece, solid
from po3d.synthesis.shapes.primitives import Array, lathe, loft, moved, tube

Random = np.random.Generator
Generator = Callable[[Random], list[Piece]]
Palettes = Mapping[str, str]  # part -> sRGB colours that are usual for it, six hexadecimal digits each

JITTER, TINT = 0.13, 0.05  # deviations of the logarithm of a palette's colour: all channels, each channel


@functools.cache
def palettes() -> dict[str, Palettes]:
    """Category -> part -> usual colours, from `shape_palettes.csv`."""
    text = (resources.files("po3d.synthesis.shapes") / "shape_palettes.csv").read_text(encoding="utf-8")
    table: dict[str, dict[str, str]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        table.setdefault(row["category"], {})[row["part"]] = row["colors"]
    return dict(table)


def palette_colors(mesh: Mesh, palettes: Palettes, random: Random) -> dict[str, RGB]:
    """A linear colour for each of the palettes' parts that the mesh has."""
    names = {part.name for part in mesh.parts}
    colors: dict[str, RGB] = {}
    for name, words in palettes.items():
        choice, light, tint = (
            random.choice(words.split()),
            random.normal(0, JITTER),
            random.normal(0, TINT, 3),
        )
        srgb = np.array([int(choice[k : k + 2], 16) for k in (0, 2, 4)]) / 255
        r, g, b = np.clip(to_linear(srgb) * np.exp(light + tint), 0.004, 0.85)
        if name in names:  # drawn for all parts, so that a part more or less leaves the others' colours
            colors[name] = (float(r), float(g), float(b))
    return colors


def muted(random: Random) -> RGB:
    """Any colour, mostly without much of it; linear."""
    grey = random.uniform(0.05, 0.7)
    r, g, b = np.clip(grey * np.exp(random.normal(0, random.choice([0.1, 0.6]), 3)), 0.02, 0.85)
    return float(r), float(g), float(b)


def pick(random: Random, *words: str, p: ArrayLike | None = None) -> str:
    """One of the words."""
    return str(random.choice(words, p=p))


def limb(points: ArrayLike, radii: ArrayLike, sides: int = 10, steps: int = 3, flat: float = 1.0) -> Trimesh:
    """A smooth round limb with round ends through `points` (P, 3), of one radius a point; `flat` stretches it across
    y about y = 0."""
    points = np.asarray(points, float)
    knots = np.c_[points, np.broadcast_to(np.asarray(radii, float), len(points))]
    curve = _through(knots, steps) if len(knots) > 2 else np.linspace(knots[0], knots[1], steps + 1)
    first, last = _cap(curve[0], curve[1])[::-1], _cap(curve[-1], curve[-2])
    line = np.concatenate([first, curve, last])
    mesh = tube(line[:, :3], line[:, 3], sides)
    mesh.vertices = np.asarray(mesh.vertices) * (1, flat, 1)
    return mesh


def _cap(end: Array, inner: Array) -> Array:
    """Two stations (2, 4) beyond the end of a limb, that round it off."""
    out = (end - inner)[:3]
    out = out / max(np.linalg.norm(out), 1e-9)
    turns = np.radians([50.0, 82.0])
    return np.c_[end[:3] + np.outer(end[3] * np.sin(turns), out), end[3] * np.cos(turns)]


def _through(knots: Array, steps: int) -> Array:
    """A Catmull-Rom curve through (P, D) knots, `steps` stations between two."""
    padded = np.concatenate([2 * knots[:1] - knots[1:2], knots, 2 * knots[-1:] - knots[-2:-1]])
    a, b, c, d = (padded[k : len(padded) - 3 + k, None] for k in range(4))
    t = np.arange(steps)[None, :, None] / steps
    curve = b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    curve = np.concatenate([curve.reshape(-1, knots.shape[1]), knots[-1:]])
    curve[:, 3:] = np.maximum(curve[:, 3:], 1e-4)
    return curve


def column(stations: ArrayLike, sides: int = 16, square: float = 1.0) -> Trimesh:
    """An upright body through `stations` (S, 4) of (z, x of its middle, half depth, half width): elliptic for
    square = 1, closer to a box towards 0."""
    t = (np.arange(sides) + 0.5) * 2 * np.pi / sides
    c, s = (np.sign(f) * np.abs(f) ** square for f in (np.cos(t), np.sin(t)))
    rows = np.asarray(stations, float)
    return loft([np.c_[x + d * c, w * s, np.full(sides, z)] for z, x, d, w in rows])


def bent(stations: ArrayLike, sides: int = 16, steps: int = 3) -> Trimesh:
    """A `column` with a smooth outline."""
    return column(_through(np.asarray(stations, float), steps), sides)


def mirrored(mesh: Trimesh) -> list[Trimesh]:
    """A mesh at the left, and its mirror image at the right."""
    other = Trimesh(np.asarray(mesh.vertices) * (1, -1, 1), np.asarray(mesh.faces)[:, ::-1], process=False)
    return [mesh, other]


def scaled(pieces: list[Piece], factor: float | ArrayLike) -> list[Piece]:
    """Pieces enlarged about the origin, by one factor or one an axis."""
    return [
        (name, material, Trimesh(np.asarray(m.vertices) * factor, np.asarray(m.faces), process=False))
        for name, material, m in pieces
    ]


def wheel_on_hub(
    at: tuple[float, float], radius: float, width: float, rim: float = 0.6, sides: int = 18
) -> list[Piece]:
    """A tyre and a painted hub on the ground at (x, y)."""
    half = width / 2
    tread = lathe(
        np.multiply([(rim, -0.9), (0.92, -1), (1, -0.55), (1, 0.55), (0.92, 1), (rim, 0.9)], (radius, half)),
        sides,
    )
    disc = lathe(
        np.multiply(
            [(0.01, -1.1), (0.22, -1.1), (rim, -0.8), (rim, 0.8), (0.22, 1.1), (0.01, 1.1)], (radius, half)
        ),
        12,
    )
    place = (*at, radius)
    return solid("tyre", "tyre", moved(tread, place)) + solid("hub", "paint", moved(disc, place))
