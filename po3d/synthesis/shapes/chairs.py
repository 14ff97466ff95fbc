"""Parametric chairs, for training pictures only: the catalogue has 18 models for training, and the
fronts of chairs are mistaken most often. Conventions and colours as in own_shapes.py.
"""

import numpy as np
import trimesh

from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import loft, rod, tube
from po3d.synthesis.shapes.sheets import block


def _leaning(low: float, high: float, wide: float, thick: float, lean: float) -> trimesh.Trimesh:
    """A board whose lower edge is at x = 0 and whose upper edge is `lean` behind it."""
    ring = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (thick / 2, wide / 2)
    return loft([np.c_[ring - (lean * t, 0), np.full(4, low + t * (high - low))] for t in (0, 1)])


def _chair(random: Random) -> list[Piece]:
    u, legs, style = random.uniform, int(random.integers(3)), int(random.integers(4))
    deep, wide, seat, high = u(0.38, 0.5), u(0.38, 0.5), u(0.41, 0.48), u(0.76, 1.05)
    x, y, r, lean = deep / 2 - 0.02, wide / 2 - 0.02, u(0.011, 0.024), u(0.0, 0.14)
    material = pick(random, "main", "chrome", "dark", "wood")
    frame: list[trimesh.Trimesh] = []
    for s in (-y, y):
        if legs == 0:  # four, spread or straight
            out = u(0.0, 0.05)
            frame += [rod((q + np.sign(q) * out, s, 0), (q, s, seat), r, 8) for q in (-x, x)]
        elif legs == 1:  # a cantilever
            frame.append(tube([(x, s, seat - r), (x, s, r), (-x, s, r)], r, 8))
        else:  # skids
            line = [(x - 0.04, s, seat), (x, s, r), (-x, s, r), (-x + 0.04, s, seat)]
            frame.append(tube(line, r, 8))
        frame.append(rod((-x, s, seat - 0.03), (-x - lean, s, high), r, 8))
    ends = {0: (0.15, 0.22), 1: (r, r), 2: (seat - 0.06, seat - 0.06)}[legs]
    if legs or random.random() < 0.5:
        frame.append(rod((-x, -y, ends[0]), (-x, y, ends[0]), 0.8 * r, 8))
    if random.random() < 0.3:  # arms
        at = seat + u(0.18, 0.26)
        back = -x - lean * (at - seat) / (high - seat)
        for s in (-y - r, y + r):
            frame.append(tube([(back, s, at), (x - 0.04, s, at), (x - 0.02, s, seat - 0.02)], r, 8))
    pieces = main(block((deep, wide, u(0.02, 0.05)), (0, 0, seat - 0.01), u(0.01, 0.08)))
    pieces += main(*frame) if material == "main" else solid("frame", material, *frame)

    def board(low: float, top: float, thick: float = 0.018) -> trimesh.Trimesh:
        a, b = ((z - seat) / (high - seat) for z in (low, top))
        return _leaning(low, top, 2 * y, thick, lean * (b - a)).apply_translation(
            (-x - lean * a, 0, 0)
        )

    start = seat + u(0.04, 0.3) * (high - seat)
    if style == 0:  # one board or cushion
        pieces += main(board(start, high, u(0.015, 0.06)))
    elif style == 1:  # rungs
        edges = np.linspace(start, high, 2 * int(random.integers(2, 5)))
        pieces += main(*(board(a, b) for a, b in edges.reshape(-1, 2)))
    else:  # a rail on bars, or a narrow middle board
        rail = high - u(0.05, 0.12)
        pieces += main(board(rail, high))
        q = lean * (rail - seat) / (high - seat)
        count = int(random.integers(3, 7)) if style == 2 else 1
        thick = 0.009 if style == 2 else 0.05
        for s in np.linspace(-0.7 * y, 0.7 * y, count) if count > 1 else (0.0,):
            pieces += main(rod((-x, s, seat), (-x - q, s, rail), thick, 8))
    if random.random() < 0.4:
        pieces += painted("cushion", block((deep - 0.04, wide - 0.04, 0.04), (0, 0, seat), 0.04))
    return pieces


SHAPES = named(_chair)
