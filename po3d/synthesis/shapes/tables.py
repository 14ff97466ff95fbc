"""Parametric tables and sofas, for training pictures only: the catalogue has 13 and 12 models of
them for training. Conventions and colours as in own_shapes.py.
"""

import numpy as np
import trimesh

from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, plate, rod, rounded, tube
from po3d.synthesis.shapes.sheets import block, board
from po3d.synthesis.shapes.turned import drum


def _outline(deep: float, wide: float, round_: bool, cut: float, random: Random) -> np.ndarray:
    """Return the view of a table top from above: an ellipse, or a rectangle with rounded or cut
    corners, at most `cut` of the depth long.
    """
    if round_:
        t = np.arange(32) * np.pi / 16
        return np.c_[deep / 2 * np.cos(t), wide / 2 * np.sin(t)]
    x, y = deep / 2, wide / 2
    corners = [(-x, -y), (x, -y), (x, y), (-x, y)]
    segments = int(random.integers(1, 4))
    return rounded(corners, random.uniform(0.01, cut) * deep, segments)


def _column(x: float, y: float, under: float, reach: float, random: Random) -> list:
    """Return a turned column at (x, y) with a disc or radial feet."""
    r, u = random.uniform(0.03, 0.08), random.uniform
    line = [(r, 0.02), (u(0.6, 1.6) * r, 0.3 * under), (u(0.6, 1.2) * r, 0.7 * under), (r, under)]
    pieces = [drum(line, 16, (x, y, 0))]
    if random.random() < 0.5:
        pieces.append(drum([(reach, 0), (reach, 0.02), (r, u(0.03, 0.07))], 24, (x, y, 0)))
        return pieces
    start = u(0.08, 0.3)
    for t in np.arange(count := int(random.integers(3, 6))) * 2 * np.pi / count:
        end = x + reach * np.cos(t), y + reach * np.sin(t), 0.02
        pieces.append(rod((x, y, start), end, 0.02, 8))
    return pieces


def _trestle(x: float, y: float, under: float, r: float, crossed: bool) -> list:
    """Return the legs of one end at y, which form an A or an X, and its rails."""
    top = x if crossed else 0.25 * x
    legs = [rod((s * x, y, r), (-s * top if crossed else s * top, y, under), r, 8) for s in (-1, 1)]
    rail = [rod((-x, y, under - r), (x, y, under - r), r, 8)]
    return legs + rail + ([] if crossed else [rod((-0.7 * x, y, 0.3), (0.7 * x, y, 0.3), r, 8)])


def _table(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(6))
    round_ = bool(random.random() < (0.6 if kind == 1 else 0.2))
    deep, wide, high = u(0.6, 1.0), u(0.8, 1.9), u(0.7, 0.78)
    if round_ and random.random() < 0.6:
        wide = deep = u(0.7, 1.2)
    thick, inset = u(0.016, 0.06), 0.2 if round_ else u(0.06, 0.13)
    under, r = high - thick, u(0.012, 0.035)
    x, y = deep / 2 - inset, wide / 2 - inset
    cut = 0.3 if kind == 1 else 0.12
    pieces = main(plate(_outline(deep, wide, round_, cut, random), thick, under))
    leg: list[trimesh.Trimesh] = []
    if kind in (0, 5):  # four legs, straight or spread, square or round
        out, square = u(0.0, 0.06), random.random() < 0.5
        for a, b in ((-x, -y), (x, -y), (x, y), (-x, y)):
            low = (a + np.sign(a) * out, b + np.sign(b) * out, 0)
            leg.append(
                block((2 * r + 0.02, 2 * r + 0.02, under), (a, b, 0))
                if square
                else tube([low, (a, b, under)], (u(0.5, 1.0) * r, r + 0.01), 8)
            )
    elif kind == 1:  # one column, or two below a long table
        ends = (-0.28 * wide, 0.28 * wide) if wide > 1.6 * deep else (0.0,)
        for b in ends:
            leg += _column(0, b, under, u(0.28, 0.42) * deep, random)
    elif kind == 2:  # trestles
        crossed = bool(random.random() < 0.4)
        for b in (-y, y):
            leg += _trestle(x, b, under, r, crossed)
        rail = u(0.25, 0.5)
        leg.append(rod((0, -y, rail), (0, y, rail), r, 8))
    elif kind == 3:  # boards as sides
        leg += [board((2 * x, 0.03, under), (0, b, under / 2)) for b in (-y, y)]
        leg.append(board((0.03, 2 * y, u(0.1, 0.4)), (-0.5 * x, 0, 0.75 * under)))
    else:  # frames of tube at both ends
        for b in (-y, y):
            line = [(x, b, under - r), (x, b, r), (-x, b, r), (-x, b, under - r)]
            leg.append(tube(line, r, 8))
        leg += [rod((a, -y, under - r), (a, y, under - r), r, 8) for a in (-x, x)]
    pieces += (
        solid("leg", pick(random, "wood", "dark", "chrome", "white"), *leg)
        if (random.random() < 0.5)
        else main(*leg)
    )
    if kind in (0, 3) and not round_:  # an apron, often with drawers
        deepness = u(0.07, 0.14)
        pieces += main(block((2 * x, 2 * y, deepness), (0, 0, under - deepness), 0.01))
        count = int(random.integers(0, 4))
        for b in (np.arange(count) - (count - 1) / 2) * 2 * y / max(count, 1):
            size = (0.02, 1.7 * y / count, 0.75 * deepness)
            pieces += painted("drawer", board(size, (x + 0.01, b, under - deepness / 2)))
            pieces += solid("knob", "chrome", ball(0.014, (x + 0.03, b, under - deepness / 2)))
    if kind == 5:  # a shelf or rails below
        low = u(0.1, 0.25)
        pieces += main(block((2 * x, 2 * y, 0.02), (0, 0, low)))
    return pieces


def _arms(kind: int, deep: float, wide: float, thick: float, top: float, leg: str) -> list[Piece]:
    """Return both arms of a sofa: blocks, rolled, sloping to the front, or of wood."""
    pieces: list[Piece] = []
    for y in (-(wide - thick) / 2, (wide - thick) / 2):
        if kind == 3:
            ends = [rod((x, y, 0), (x, y, top), 0.025, 8) for x in (0.42 * deep, -0.42 * deep)]
            pieces += solid("arm", leg, *ends, board((0.92 * deep, 0.07, 0.03), (0, y, top)))
            continue
        pieces += main(block((0.96 * deep, thick, top - 0.08), (0, y, 0.08), 0.04, 0.04, 3))
        if kind == 1:
            line = [(-0.45 * deep, y, top), (0.48 * deep, y, top)]
            pieces += main(rod(*line, 0.62 * thick, 14))
        elif kind == 2:
            size = (0.7 * deep, thick, 0.12)
            pieces += main(board(size, (-0.1 * deep, y, top - 0.02), pitch=0.22))
    return pieces


def _sofa(random: Random) -> list[Piece]:
    u, kind, seats = random.uniform, int(random.integers(5)), int(random.integers(2, 4))
    deep, seat, high, back = u(0.76, 0.98), u(0.36, 0.46), u(0.7, 0.98), u(0.14, 0.24)
    thick = 0.07 if kind == 3 else (0.0 if kind == 4 else u(0.09, 0.24))  # kind 4 has no arms
    wide = seats * u(0.54, 0.7) + 2 * thick
    leg, foot = pick(random, "wood", "dark", "chrome"), u(0.03, 0.15)
    pieces: list[Piece] = []
    for x in (-0.42 * deep, 0.42 * deep):
        for y in (-0.46 * wide, 0.46 * wide):
            pieces += solid("leg", leg, rod((x, y, 0), (x, y, foot + 0.03), u(0.015, 0.03), 8))
    inner, base = wide - 2 * thick, seat - u(0.12, 0.18)
    pieces += main(block((0.96 * deep, wide - 0.6 * thick, base - foot), (0, 0, foot), 0.03))
    if kind < 4:
        pieces += _arms(kind, deep, wide, thick, seat + u(0.1, 0.26), leg)
    rear = -deep / 2 + back / 2
    size = (0.7 * back, inner if kind == 3 else wide - 0.6 * thick, high - foot - 0.06)
    pieces += main(block(size, (rear - 0.1 * back, 0, foot), 0.04, 0.04, 3))
    long_, side = u(0.4, 0.65), int(random.integers(-1, 2))  # side 0: no chaise
    side = side if random.random() < 0.5 else 0
    split = 1 if random.random() < 0.2 else seats  # cushions
    own = random.random() < 0.25  # cushions in a colour of their own
    lean = u(0.05, 0.3)
    for k in range(split):
        y, w = (k - (split - 1) / 2) * inner / split, inner / split - 0.012
        more = long_ if side and k == (split - 1) * (side > 0) and split > 1 else 0.0
        front = (deep - back + more, w, seat - base + 0.02)
        cushions = [block(front, ((back + more) / 2, y, base), 0.05, 0.04, 3)]
        if more:
            pieces += main(block((more, w, base - foot), ((deep + more) / 2, y, foot), 0.03))
        tall = high - seat + u(-0.08, 0.06)
        cushions.append(
            board((0.75 * back, w, tall), (rear + 0.3 * back, y, seat + tall / 2), pitch=-lean)
        )
        pieces += painted("cushion", *cushions) if own else main(*cushions)
    for _ in range(int(random.integers(0, 4))):  # pillows
        r, y = u(0.15, 0.22), u(-0.42, 0.42) * inner
        at = (-deep / 2 + 1.3 * back + 0.05, y, seat + r)
        pieces += painted("pillow", ball((0.07, r, r), at, 2))
    return pieces


SHAPES = named(_table, _sofa)
