"""Parametric sinks, desks, beds, doors, windows and armchairs, for training pictures only
(`own_shapes.TRAIN_ONLY`): the catalogue has too few models of them for training. Conventions and
colours as in own_shapes.py.
"""

from itertools import product

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, box, loft, moved, rod
from po3d.synthesis.shapes.sheets import block, board, panel, soft_plate, tub
from po3d.synthesis.shapes.turned import drum, vessel


def _tap(at: tuple[float, float, float], reach: float, high: float) -> list[Piece]:
    """A tap that stands on `at` and reaches forward."""
    x, y, z = at
    pipe = rod((x, y, z), (x, y, z + high), 0.016, 8)
    spout = rod((x, y, z + high), (x + reach, y, z + 0.85 * high), 0.013, 8)
    lever = rod((x, y, z + high), (x - 0.01, y + 0.05, z + high + 0.04), 0.008, 6)
    return solid("tap", "chrome", pipe, spout, lever)


def _bowl(
    deep: float, wide: float, height: float, top: float, at: tuple[float, float], random: Random
) -> list[Piece]:
    """A basin whose rim is at the height `top`: square or round."""
    x, y = at
    if random.random() < 0.5:
        walls = tub(deep, wide, height, random.uniform(0.015, 0.04), random.uniform(0.65, 0.95))
        return main(*(moved(wall, (x, y, top - height)) for wall in walls))
    r = deep / 2
    line = [(0.35 * r, 0), (0.8 * r, 0.35 * height), (r, height)]
    pot = vessel(line, random.uniform(0.015, 0.03))
    stretched = pot.copy()
    stretched.vertices = np.asarray(pot.vertices) * (1, wide / deep, 1) + (x, y, top - height)
    return main(stretched)


def _sink(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(5))
    deep, wide, high = u(0.42, 0.6), u(0.5, 0.85), u(0.78, 0.9)
    back = -deep / 2
    if kind == 0:  # on a pedestal
        pieces = _bowl(deep, wide, u(0.14, 0.22), high, (0, 0), random)
        r = u(0.07, 0.12)
        pieces += main(
            drum(
                [(1.3 * r, 0), (r, 0.1), (0.8 * r, high - 0.2), (r, high - 0.12)], 20, (-0.04, 0, 0)
            )
        )
        pieces += main(block((0.1, 0.7 * wide, 0.03), (back + 0.05, 0, high - 0.02)))
        return pieces + _tap((back + 0.06, 0, high), u(0.09, 0.15), u(0.06, 0.16))
    if kind == 1:  # on a wall, its waste pipe below
        pieces = _bowl(deep, wide, u(0.12, 0.2), high, (0, 0), random)
        pieces += main(block((0.09, wide, 0.16), (back + 0.045, 0, high - 0.16)))
        pieces += solid("pipe", "chrome", rod((0, 0, high - 0.4), (0, 0, high - 0.1), 0.02, 8))
        pieces += solid("pipe", "chrome", rod((0, 0, high - 0.4), (back, 0, high - 0.4), 0.02, 8))
        return pieces + _tap((back + 0.06, 0, high), u(0.09, 0.15), u(0.06, 0.16))
    body = "paint" if kind < 4 else pick(random, "paint", "wood")
    top, basins = high - 0.04, 2 if kind == 4 and wide > 0.65 else 1
    pieces = solid("cabinet", body, block((deep - 0.04, wide - 0.02, top - 0.06), (-0.02, 0, 0.06)))
    for s in np.linspace(-0.25, 0.25, 2) if wide > 0.6 else (0.0,):
        width = 0.46 * wide if wide > 0.6 else 0.9 * wide
        pieces += solid(
            "cabinet",
            body,
            panel(
                width, top - 0.14, 0.01, 0.018, (deep / 2 - 0.04, s * wide * 0.96, top / 2 + 0.03)
            ),
        )
        pieces += solid(
            "handle", "chrome", box(0.02, 0.09, 0.012, (deep / 2, s * wide, top - 0.12))
        )
    if kind == 2:  # a bowl that stands on it
        pieces += painted("top", block((deep, wide, 0.04), (0, 0, top)))
        pieces += _bowl(
            0.75 * deep, u(0.5, 0.8) * wide, u(0.1, 0.15), high + 0.12, (0.03, 0), random
        )
        return pieces + _tap((back + 0.05, 0, high), u(0.1, 0.16), u(0.2, 0.28))
    rim, share = u(0.03, 0.08), u(0.62, 0.95)
    side = pick(random, "-1", "0", "1")
    width = (wide * share - rim * (basins + 1)) / basins
    middle = float(side) * (wide - width * basins - rim * (basins + 1)) / 2
    low = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    for k in range(basins):
        y = middle + (k - (basins - 1) / 2) * (width + rim)
        inner = low * ((deep - 2 * rim - 0.06) / 2, width / 2)
        rings = [
            np.c_[inner + (0.03, y), np.full(4, high + 0.001)],
            np.c_[inner * 0.97 + (0.03, y), np.full(4, top - 0.1)],
            np.c_[inner * 0.8 + (0.03, y), np.full(4, top - 0.12)],
        ]
        basin = loft(rings)
        pieces += solid("basin", pick(random, "chrome", "white", "tyre"), basin)
        pieces += solid("drain", "dark", drum([(0.03, 0), (0.03, 0.004)], 12, (0.03, y, high)))
    # The worktop as a frame around the basins
    left, right = (
        middle - (width * basins + rim * (basins - 1)) / 2,
        middle + (width * basins + rim * (basins - 1)) / 2,
    )
    for y0, y1 in ((-wide / 2, left), (right, wide / 2)):
        if y1 - y0 > 0.01:
            pieces += main(box(deep, y1 - y0, 0.04, (0, (y0 + y1) / 2, high - 0.02)))
    pieces += main(box(rim + 0.06, wide, 0.041, (back + (rim + 0.06) / 2, 0, high - 0.02)))
    pieces += main(box(rim, wide, 0.041, (deep / 2 - rim / 2, 0, high - 0.02)))
    if kind == 4 and abs(float(side)) and wide - (right - left) > 0.2:  # grooves of a drainer
        free = -float(side) * (wide + (right - left)) / 4 * 0.98
        for t in np.linspace(-0.06, 0.06, 5):
            pieces += solid("groove", "dark", box(deep * 0.6, 0.008, 0.004, (0.02, free + t, high)))
    return pieces + _tap((back + 0.05, middle, high), u(0.12, 0.18), u(0.1, 0.28))


def _desk(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(5))
    deep, wide, high, thick = u(0.52, 0.82), u(0.95, 1.7), u(0.7, 0.77), u(0.02, 0.045)
    leg = pick(random, "chrome", "dark", "wood", "white")
    pieces = main(block((deep, wide, thick), (0, 0, high - thick), u(0.005, 0.08), 0.006))
    under = high - thick
    drawers = {0: (), 1: (1,), 2: (-1, 1), 3: (pick(random, "-1", "1"),), 4: ()}[kind]
    for side in map(float, drawers):
        width = u(0.34, 0.44)
        y = side * (wide / 2 - width / 2 - 0.03)
        pieces += main(block((deep - 0.06, width, under - 0.05), (0, y, 0.05)))
        rows = int(random.integers(2, 5))
        for k in range(rows):
            z = 0.06 + (k + 0.5) * (under - 0.08) / rows
            pieces += main(
                panel(
                    width - 0.02,
                    (under - 0.08) / rows - 0.012,
                    0.004,
                    0.016,
                    (deep / 2 - 0.03, y, z),
                )
            )
            pieces += solid(
                "handle",
                pick(random, "chrome", "dark"),
                box(0.02, 0.1, 0.012, (deep / 2 - 0.005, y, z)),
            )
    ends = [s for s in (-1, 1) if s not in list(map(float, drawers))]
    for s in ends:
        y = s * (wide / 2 - 0.05)
        if kind == 4:  # a board at each end
            pieces += main(board((deep - 0.04, 0.025, under), (0, y, under / 2)))
        else:
            x, r = deep / 2 - 0.05, u(0.015, 0.03)
            legs = [rod((sx, y, 0), (sx, y, under), r, 8) for sx in (-x, x)]
            pieces += solid("leg", leg, *legs)
            if random.random() < 0.4:
                pieces += solid("leg", leg, rod((-x, y, 0.08), (x, y, 0.08), r * 0.8, 8))
    if random.random() < 0.6:
        pieces += main(board((0.02, wide - 0.1, u(0.15, 0.4)), (-deep / 2 + 0.06, 0, under - 0.22)))
    if random.random() < 0.3:  # a shelf at the back
        shelf, tall = u(0.16, 0.26), u(0.12, 0.4)
        x = -deep / 2 + shelf / 2
        pieces += main(board((shelf, wide * u(0.6, 1.0), 0.02), (x, 0, high + tall)))
        for y in np.linspace(-0.28, 0.28, int(random.integers(2, 5))) * wide:
            pieces += main(board((shelf, 0.02, tall), (x, y, high + tall / 2)))
    elif random.random() < 0.3:  # a pad to write on
        pieces += painted("pad", soft_plate(deep * 0.5, wide * u(0.35, 0.5), 0.006, high, 0.02))
    return pieces


def _bed(random: Random) -> list[Piece]:
    u = random.uniform
    double = random.random() < 0.6
    deep, wide = u(1.9, 2.2), u(1.35, 1.95) if double else u(0.85, 1.15)
    low, mattress = u(0.12, 0.3), u(0.14, 0.26)
    head, foot = u(0.25, 0.65), random.choice([0.0, u(0.05, 0.3)])
    back, frame = -deep / 2, pick(random, "box", "rails", "none")
    pieces: list[Piece] = []
    if frame == "box":
        pieces += main(block((deep, wide, low), (0, 0, 0), u(0.005, 0.06), 0.006))
    elif frame == "rails":
        for s in (-1, 1):
            pieces += main(board((deep, 0.035, 0.16), (0, s * (wide / 2 - 0.02), low - 0.04)))
    posts = list(product((-deep / 2 + 0.04, deep / 2 - 0.04), (-wide / 2 + 0.04, wide / 2 - 0.04)))
    pieces += main(*(rod((x, y, 0), (x, y, low + 0.02), u(0.02, 0.04), 8) for x, y in posts))
    top = low + mattress
    style = int(random.integers(3))
    if style == 0:
        pieces += main(block((0.06, wide, top + head), (back + 0.03, 0, 0), 0.01))
    elif style == 1:  # soft
        pieces += main(block((0.12, wide + 0.06, top + head), (back + 0.06, 0, 0), 0.05, 0.03, 3))
    else:  # bars
        pieces += main(
            *(
                rod((back + 0.03, y, low), (back + 0.03, y, top + head), 0.012, 6)
                for y in np.linspace(-wide / 2 + 0.03, wide / 2 - 0.03, 9)
            )
        )
        pieces += main(
            rod((back + 0.03, -wide / 2, top + head), (back + 0.03, wide / 2, top + head), 0.02, 8)
        )
    if foot:
        pieces += main(block((0.05, wide, top + foot * 0.4), (deep / 2 - 0.025, 0, 0), 0.01))
    pieces += painted(
        "mattress", block((deep - 0.14, wide - 0.06, mattress), (0.02, 0, low), 0.06, 0.04, 3)
    )
    pillows = 2 if double else 1
    size = u(0.34, 0.46), min(0.72, (wide - 0.2) / pillows * u(0.8, 0.98))
    for k in range(pillows):
        y = (k - (pillows - 1) / 2) * (wide - 0.12) / pillows
        pieces += painted(
            "pillow",
            ball((size[0] / 2, size[1] / 2, 0.08), (back + 0.16 + size[0] / 2, y, top + 0.03), 2),
        )
    if random.random() < 0.85:
        start = u(0.15, 0.5) * deep
        length = deep - start - 0.06
        cover = block(
            (length, wide + u(-0.04, 0.05), mattress * 0.7 + 0.03),
            (deep / 2 - 0.04 - length / 2, 0, top - mattress * 0.7),
            0.05,
            0.03,
            3,
        )
        pieces += painted("blanket", cover)
        if random.random() < 0.5:
            fold = (deep / 2 - 0.04 - length + 0.1, 0, top + 0.02)
            pieces += painted("fold", block((0.24, wide + 0.04, 0.03), fold, 0.02, 0.01))
        if random.random() < 0.3:
            throw = (deep / 2 - u(0.25, 0.5), 0, top + 0.02)
            pieces += painted("throw", block((u(0.25, 0.5), wide + 0.06, 0.02), throw, 0.02, 0.006))
    return pieces


def _frame(wide: float, high: float, deep: float, beam: float, sill: bool) -> list[Piece]:
    """A frame that faces the front, its middle at x = 0."""
    pieces = main(*(box(deep, beam, high, (0, s * (wide - beam) / 2, high / 2)) for s in (-1, 1)))
    pieces += main(box(deep, wide, beam, (0, 0, high - beam / 2)))
    return pieces + (main(box(deep, wide, beam, (0, 0, beam / 2))) if sill else [])


def _door(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(4))
    wide, high, deep, beam = u(0.8, 1.05), u(1.98, 2.12), u(0.1, 0.2), u(0.04, 0.09)
    pieces = _frame(wide, high, deep, beam, False)
    inner, tall = wide - 2 * beam, high - beam
    x = u(-0.3, 0.3) * deep
    if kind == 3:  # of glass
        for s in (-1, 1):
            pieces += main(box(0.04, 0.1, tall, (x, s * (inner - 0.1) / 2, tall / 2)))
        pieces += main(
            *(box(0.04, inner, h, (x, 0, z)) for h, z in ((0.2, 0.1), (0.1, tall - 0.05)))
        )
        pieces += solid(
            "pane", "glass", box(0.015, inner - 0.15, tall - 0.25, (x, 0, tall / 2 + 0.04))
        )
    else:
        pieces += main(box(0.04, inner, tall, (x, 0, tall / 2)))
    if kind in (1, 2):  # panels on both sides
        rows, columns = int(random.integers(2, 4)), kind
        for k in range(rows * columns):
            row, column = divmod(k, columns)
            z = 0.1 + (row + 0.5) * (tall - 0.2) / rows
            y = ((column + 0.5) / columns - 0.5) * (inner - 0.12)
            size = (0.06, (inner - 0.12) / columns - 0.06, (tall - 0.2) / rows - 0.08)
            pieces += painted("panel", box(*size, (x, y, z)))
    side = random.choice([-1, 1])
    at = (x, side * (inner / 2 - 0.08), 1.02)
    pieces += solid("handle", "chrome", rod((x - 0.07, *at[1:]), (x + 0.07, *at[1:]), 0.012, 8))
    for d in (-0.07, 0.07):
        pieces += solid(
            "handle",
            "chrome",
            rod((x + d, at[1], at[2]), (x + d, at[1] - side * 0.11, at[2]), 0.01, 8),
        )
    return pieces


def _window(random: Random) -> list[Piece]:
    u = random.uniform
    wide, high, deep, beam = u(0.6, 1.9), u(0.9, 1.5), u(0.1, 0.2), u(0.04, 0.08)
    pieces = _frame(wide, high, deep, beam, True)
    wings = 1 if wide < 0.8 else int(random.integers(1, 4))
    x, width = u(-0.25, 0.25) * deep, (wide - 2 * beam) / wings
    for k in range(wings):
        y, rim = (k + 0.5) * width - (wide - 2 * beam) / 2, u(0.04, 0.06)
        for s in (-1, 1):
            pieces += main(
                box(0.05, rim, high - 2 * beam, (x, y + s * (width - rim) / 2, high / 2))
            )
            pieces += main(
                box(0.05, width, rim, (x, y, high / 2 + s * (high - 2 * beam - rim) / 2))
            )
        pieces += solid(
            "pane", "glass", box(0.012, width - rim, high - 2 * beam - rim, (x, y, high / 2))
        )
        if random.random() < 0.35:
            for z in np.linspace(0, high, int(random.integers(3, 5)))[1:-1]:
                pieces += main(box(0.03, width, 0.02, (x, y, z)))
    if random.random() < 0.6:
        reach = u(0.03, 0.14)
        pieces += painted(
            "sill", box(reach, wide + u(0.0, 0.1), 0.025, (deep / 2 + reach / 2, 0, 0.012))
        )
    pieces += solid("handle", "chrome", box(0.04, 0.02, 0.1, (x + 0.04, 0, high / 2)))
    return pieces


def _armchair(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(3))
    deep, wide, seat = u(0.72, 0.92), u(0.66, 0.9), u(0.36, 0.46)
    high, arm, thick = u(0.76, 1.02), u(0.16, 0.26), u(0.08, 0.18)
    back = u(0.12, 0.2)
    leg = pick(random, "wood", "dark", "chrome")
    feet = [(sx * (deep / 2 - 0.06), sy * (wide / 2 - 0.06)) for sx in (-1, 1) for sy in (-1, 1)]
    pieces: list[Piece] = []
    if kind < 2:
        pieces += solid("leg", leg, *(rod((x, y, 0), (x, y, 0.12), 0.02, 8) for x, y in feet))
        pieces += main(block((deep - 0.02, wide - 0.02, seat - 0.2), (0, 0, 0.1), 0.04, 0.02, 3))
        pieces += main(
            block((back, wide, high - 0.1), (-deep / 2 + back / 2, 0, 0.1), 0.05, 0.04, 3)
        )
        for s in (-1, 1):
            at = (0.02, s * (wide - thick) / 2, 0.1)
            pieces += main(block((deep - 0.04, thick, seat + arm - 0.1), at, 0.04, 0.05, 3))
            if kind == 1:  # rolled arms
                y = s * (wide - thick) / 2
                low, end = (-deep / 2 + back, y, seat + arm), (deep / 2 - 0.02, y, seat + arm)
                pieces += main(rod(low, end, thick * 0.6, 14))
        inside = wide - 2 * thick
    else:  # a wooden frame with cushions
        for s in (-1, 1):
            y = s * (wide / 2 - 0.03)
            ends = [
                rod((x, y, 0), (x, y, seat + arm), 0.022, 8)
                for x in (-deep / 2 + 0.08, deep / 2 - 0.06)
            ]
            pieces += solid("leg", leg, *ends)
            pieces += solid("arm", leg, board((deep - 0.08, 0.07, 0.03), (0.02, y, seat + arm)))
        pieces += solid("leg", leg, board((deep - 0.1, wide - 0.08, 0.04), (0, 0, seat - 0.16)))
        lean = board(
            (0.1, wide - 0.1, high - seat), (-deep / 2 + 0.1, 0, (high + seat) / 2), pitch=-0.12
        )
        pieces += main(lean)
        inside = wide - 0.1
    cushion = (deep - back - 0.02, inside - 0.01, u(0.1, 0.16))
    pieces += main(block(cushion, (back / 2 + 0.01, 0, seat - cushion[2] + 0.02), 0.04, 0.04, 3))
    if random.random() < 0.4:
        size = u(0.18, 0.22)
        pieces += painted(
            "cushion",
            ball((0.07, size, size), (-deep / 2 + back + 0.07, u(-0.08, 0.08), seat + size), 2),
        )
    return pieces


SHAPES = named(_sink, _desk, _bed, _door, _window, _armchair)
