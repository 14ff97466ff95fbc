"""Balls for games. Lengths in metres."""

import numpy as np
from trimesh import Trimesh

from po3d.synthesis.shapes.mesh import Piece, Random, named, painted, pick
from po3d.synthesis.shapes.primitives import Array, ball, loft, moved, moved_all, ring, tube
from po3d.synthesis.shapes.turned import UP, upright


def _patch(direction: Array, outline: Array, radius: float) -> Trimesh:
    """Build a patch on a ball of `radius`: its outline (N, 2) in tangents of the angle around
    `direction`.
    """
    direction = direction / np.linalg.norm(direction)
    u = np.cross(direction, (0.3, 0.5, 0.8))
    u /= np.linalg.norm(u)
    v = np.cross(direction, u)
    rows = []
    for share, height in ((1.0, 0.96), (1.0, 1.012), (0.6, 1.012), (0.2, 1.012)):
        p = direction + share * (outline[:, :1] * u + outline[:, 1:] * v)
        rows.append(p / np.linalg.norm(p, axis=1, keepdims=True) * radius * height)
    return loft(rows)


def _turned(pieces: list[Piece], random: Random, radius: float) -> list[Piece]:
    """Rotate a ball's pieces at random and place it on the ground."""
    yaw, pitch, roll = random.uniform(-np.pi, np.pi, 3)
    return moved_all(pieces, (0, 0, radius), yaw=yaw, pitch=pitch, roll=roll)


def _basketball(random: Random) -> list[Piece]:
    u = random.uniform
    r, seam, cut = u(0.11, 0.125), u(0.0016, 0.0034), u(0.55, 0.85)
    pieces = painted("ball", ball(r, detail=3))
    for turn in ({"roll": 0.0}, {"roll": UP}):
        pieces += painted("seam", moved(ring(r, seam, sides=40, around=5), **turn))
    for s in (1, -1):
        bow = ring(r * np.sin(cut), seam, sides=36, around=5)
        pieces += painted("seam", moved(bow, (s * r * np.cos(cut), 0, 0), yaw=UP))
    if random.random() < 0.6:
        t = np.arange(16) * np.pi / 8
        size = u(0.12, 0.25)
        for way in ((0.6, 0.6, 0.6), (-0.6, -0.6, 0.6)):
            pieces += painted(
                "label",
                _patch(np.array(way), np.c_[size * np.cos(t), size * u(0.4, 1) * np.sin(t)], r),
            )
    if random.random() < 0.25:  # two colours
        for s in (1, -1):
            cap = [
                (np.sin(a) * r * 1.006, np.cos(a) * r * 1.006)
                for a in np.linspace(0.01, cut - 0.02, 7)
            ]
            lid = upright([*cap, (0.01, cap[-1][1])], 28)
            pieces += painted("second", moved(lid, pitch=s * UP))
    return _turned(pieces, random, r)


def _soccer_ball(random: Random) -> list[Piece]:
    """White with twelve dark pentagons, or with stars or bows of colour."""
    u = random.uniform
    r, size = u(0.1, 0.115), u(0.34, 0.42)
    kind = pick(random, "pentagons", "pentagons", "pentagons", "stars", "bows")
    pieces = painted("ball", ball(r, detail=3))
    golden = (1 + 5**0.5) / 2
    ways = [
        np.array(p)
        for a in (-1, 1)
        for b in (-golden, golden)
        for p in ((0, a, b), (a, b, 0), (b, 0, a))
    ]
    t = np.arange(20) * np.pi / 10
    edge = np.cos(np.pi / 5) / np.cos((t % (2 * np.pi / 5)) - np.pi / 5)
    if kind == "stars":
        edge = edge * (0.75 + 0.35 * np.cos(5 * t))
    turn, stretch = u(0, 2 * np.pi), (2.0, 0.45) if kind == "bows" else (1.0, 1.0)
    outline = (
        size
        * np.c_[edge * np.cos(t) * stretch[0], edge * np.sin(t) * stretch[1]]
        * (0.8 if kind == "bows" else 1)
    )
    c, s = np.cos(turn), np.sin(turn)
    for k, way in enumerate(ways):
        name = "second" if kind != "pentagons" and k % 3 == 0 else "panel"
        pieces += painted(name, _patch(way, outline @ np.array([[c, s], [-s, c]]), r))
    if kind == "pentagons":  # seams from pentagon to pentagon
        for i, a in enumerate(ways):
            for b in ways[:i]:
                if np.linalg.norm(a - b) < 2.1:
                    line = np.array([a * (1 - w) + b * w for w in np.linspace(0.28, 0.72, 5)])
                    line *= r / np.linalg.norm(line, axis=1, keepdims=True)
                    pieces += painted("seam", tube(line, u(0.001, 0.002), 4))
    return _turned(pieces, random, r)


SHAPES = named(_basketball, _soccer_ball)
