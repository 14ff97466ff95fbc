"""Parametric presents, vases and candles. Conventions and colours as in own_shapes.py."""

import numpy as np

from po3d.synthesis.shapes.limbs import bar, smooth, warped
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, box, moved, ring, rod, tube
from po3d.synthesis.shapes.sheets import block, board, panel
from po3d.synthesis.shapes.turned import disc, drum, girdle, upright, vessel


def _gift(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(4))  # cube, flat, tall, round
    deep, wide = u(0.16, 0.22), u(0.19, 0.26)
    high = (u(0.15, 0.2), u(0.08, 0.11), u(0.22, 0.28), u(0.12, 0.2))[kind]
    band, lid = u(0.018, 0.04), random.random() < 0.55
    cover, tall = (
        ("lid", u(0.25, 0.4) * high) if random.random() < 0.4 else ("main", u(0.18, 0.3) * high)
    )
    pieces: list[Piece] = []
    if kind == 3:
        r = (deep + wide) / 4
        pieces += main(drum([(r, 0), (r, high)], 36))
        if lid:
            top = [
                (0, high - tall),
                (r * 1.05, high - tall),
                (r * 1.05, high),
                (r * 1.02, high + 0.005),
                (0, high + 0.005),
            ]
            pieces += painted(cover, upright(top, 36))
        deep = wide = 2 * r
    else:
        pieces += main(block((deep, wide, high), (0, 0, 0), 0.003, 0.002, 3))
        if lid:
            pieces += painted(
                cover,
                block(
                    (deep * 1.06, wide * 1.06, tall + 0.005), (0, 0, high - tall), 0.003, 0.002, 3
                ),
            )
    out = 1.075 if lid else 1.012
    top, shift = (
        high + (0.007 if lid else 0.002),
        0.0 if kind == 3 or random.random() < 0.7 else u(-0.25, 0.25) * wide,
    )
    if kind != 3:
        pieces += painted("ribbon", box(deep * out, band, top, (0, shift, top / 2)))
        if random.random() < 0.85:
            pieces += painted("ribbon", box(band, wide * out, top, (0, 0, top / 2)))
    else:
        for t in (0.0, np.pi / 2):
            pieces += painted(
                "ribbon", moved(box(deep * 1.055, band, top + 0.001, (0, 0, top / 2)), yaw=t)
            )
    spots = int(random.integers(3)) if kind != 3 else 0
    if spots:  # wrapping paper with dots or stripes
        dots = [
            (y, z)
            for y in np.linspace(-0.38, 0.38, 4) * wide
            for z in np.linspace(0.14, 0.62, 3) * high
            if abs(y - shift) > band / 2 + 0.012
        ]
        for y, z in dots:
            size = 0.011
            mark = (
                disc(size, 0.0025, (deep / 2, y, z), 8)
                if spots == 1
                else panel(0.008, high * 0.3, 0.003, 0.0025, (deep / 2, y, z), segs=1)
            )
            pieces += painted("dot", mark, moved(mark, yaw=np.pi))
        for x, z in [
            (x, z)
            for x in np.linspace(-0.36, 0.36, 4) * deep
            for z in np.linspace(0.14, 0.62, 3) * high
            if abs(x) > band / 2 + 0.012
        ]:
            mark = (
                disc(0.011, 0.0025, (wide / 2, x, z), 8)
                if spots == 1
                else panel(0.008, high * 0.3, 0.003, 0.0025, (wide / 2, x, z), segs=1)
            )
            pieces += painted("dot", moved(mark, yaw=np.pi / 2), moved(mark, yaw=-np.pi / 2))
    loops, size = int(random.integers(2, 7)), u(0.035, 0.055)
    middle = (0, shift, top)
    for k in range(loops):
        loop = moved(ring(size * 0.62, 0.0022, band * 0.8, sides=16, around=6), (size * 0.62, 0, 0))
        loop = warped(loop, lambda v: v * (1.15, 1, 0.62) + (0, 0, 0.006))
        loop = moved(loop, pitch=-u(0.2, 0.6))
        pieces += painted(
            "ribbon",
            moved(loop, middle, yaw=2 * np.pi * k / loops + (0 if loops > 2 else np.pi / 2) + 0.2),
        )
    pieces += painted("ribbon", ball((0.014, 0.014, 0.011), (0, shift, top + 0.012), 2))
    for s in (-1, 1):
        tail = board((size * 1.3, band * 0.7, 0.002), (size * 0.75, 0, 0.004), pitch=0.05)
        pieces += painted(
            "ribbon",
            moved(tail, middle, yaw=s * u(0.3, 0.7) + (np.pi if random.random() < 0.4 else 0)),
        )
    if random.random() < 0.3:
        tag = moved(
            block((0.05, 0.028, 0.002), (0, 0, 0), 0.006, 0.0005),
            (u(-0.3, 0.3) * deep, 0.25 * wide, top),
            yaw=u(0, 3),
        )
        pieces += solid("tag", "white", tag)
    return pieces


def _vase(random: Random) -> list[Piece]:
    u, high = random.uniform, random.uniform(0.26, 0.46)
    belly, at, neck, lip = u(0.075, 0.13), u(0.25, 0.72), u(0.025, 0.06), u(0.04, 0.085)
    foot, kind = u(0.04, 0.075), int(random.integers(5))
    if kind == 3:  # a slender one, wide at the mouth
        line = [
            (foot, 0),
            (foot, 0.008),
            (foot * 0.7, high * 0.15),
            (foot * 0.9, high * 0.6),
            (lip * 1.1, high),
        ]
    elif kind == 2:  # a cylinder or a square
        line = [
            (belly * 0.55, 0),
            (belly * 0.57, 0.01),
            (belly * u(0.5, 0.72), high * 0.5),
            (belly * u(0.5, 0.75), high),
        ]
    else:
        line = [
            (foot, 0),
            (foot, 0.01),
            (belly, high * (at - 0.15)),
            (belly, high * (at + 0.05)),
            (neck, high * min(at + 0.25, 0.92)),
            (neck, high * 0.95),
            (max(lip, neck), high),
        ]
    sides = int(pick(random, "32", "32", "32", "8", "6"))
    curve = smooth(line, 2 if sides > 10 else 3)
    body = vessel(curve[np.r_[True, np.diff(curve[:, 1]) > 1e-4]], 0.006, sides)
    twist, flutes = (
        (u(-1.2, 1.2), 0.0) if sides < 10 else (0.0, float(pick(random, "0", "0", "0.05")))
    )

    def turned(v: np.ndarray) -> np.ndarray:
        t = twist * v[:, 2] / high
        swell = 1 + flutes * np.cos(8 * np.arctan2(v[:, 1], v[:, 0]))
        x, y = v[:, 0] * swell, v[:, 1] * swell
        return np.c_[x * np.cos(t) - y * np.sin(t), x * np.sin(t) + y * np.cos(t), v[:, 2]]

    pieces = main(warped(body, turned))
    if sides > 10 and not flutes:
        for z in np.sort(random.uniform(0.15, 0.9, int(random.integers(0, 4)))) * high:
            pieces += painted("band", girdle(curve, z, 0.0025, u(0.006, 0.02), 32))
    if kind < 2 and random.random() < 0.3:  # two handles
        z = high * min(at + 0.25, 0.92)
        for s in (-1, 1):
            grip = [
                (0, s * neck * 0.9, high * 0.93),
                (0, s * (neck + 0.05), high * 0.95),
                (0, s * (belly * 0.85 + 0.02), z - high * 0.08),
                (0, s * belly * 0.9, z - high * 0.17),
            ]
            pieces += main(bar(grip, 0.008, 8))
    return pieces


def _candle(random: Random) -> list[Piece]:
    return [_pillar, _taper, _jar_candle, _branched][int(random.integers(4))](random)


def _flame(
    at: np.ndarray | tuple[float, float, float], random: Random, size: float = 1.0
) -> list[Piece]:
    """A wick, usually with a flame."""
    x, y, z = at
    pieces = solid("wick", "tyre", rod((x, y, z - 0.004), (x, y, z + 0.01), 0.0016, 5))
    if random.random() < 0.8:
        drop = np.array([(0, 0), (0.006, 0.005), (0.008, 0.012), (0.004, 0.026), (0, 0.036)]) * size
        pieces += painted("flame", upright(smooth(drop, 1), 10, (x, y, z + 0.006)))
    return pieces


def _wax(r: float, low: float, high: float, at: tuple[float, float], random: Random) -> list[Piece]:
    """A candle with a molten top, and drips on its sides."""
    line = [
        (0, low),
        (r, low),
        (r, high - 0.1 * r),
        (r * 0.9, high),
        (r * 0.75, high - 0.12 * r),
        (0, high - 0.15 * r),
    ]
    pieces = main(upright(line, 24, (*at, 0)))
    for _ in range(int(random.integers(0, 6))):
        t, long = random.uniform(0, 6.3), (high - low) * random.uniform(0.12, 0.45)
        x, y = at[0] + r * 0.97 * np.cos(t), at[1] + r * 0.97 * np.sin(t)
        path = [(x, y, high - 0.1 * r), (x, y, high - 0.6 * long), (x, y, high - long)]
        pieces += main(tube(path, [0.1 * r, 0.13 * r, 0.18 * r], 7))
    return pieces


def _pillar(random: Random) -> list[Piece]:
    u, count = random.uniform, int(pick(random, "1", "1", "1", "3"))
    r = u(0.032, 0.048) if count == 1 else 0.026
    pieces = solid(
        "dish",
        pick(random, "dark", "wood", "chrome"),
        upright([(0, 0), (0.05, 0), (u(0.06, 0.075), 0.008), (0.058, 0.012), (0, 0.008)], 32),
    )
    for k in range(count):
        t = 2 * np.pi * k / count
        at = (0.0, 0.0) if count == 1 else (0.034 * np.cos(t), 0.034 * np.sin(t))
        high = u(0.09, 0.19)
        pieces += _wax(r, 0.006, high, at, random) + _flame((*at, high - 0.1 * r), random)
    if random.random() < 0.3 and count == 1:
        pieces += painted(
            "band", moved(ring(r, 0.002, 0.02, sides=24), (0, 0, 0.05), roll=np.pi / 2)
        )
    return pieces


def _taper(random: Random) -> list[Piece]:
    u, stand, tall = random.uniform, random.uniform(0.05, 0.2), random.uniform(0.14, 0.24)
    metal, foot = pick(random, "chrome", "dark", "brass", "wood"), u(0.04, 0.056)
    stuff = "paint" if metal == "brass" else metal
    waist, bead = u(0.007, 0.011), u(0.012, 0.024)
    line = [
        (foot, 0),
        (foot, 0.006),
        (waist * 1.6, 0.022),
        (waist, stand * 0.45),
        (bead, stand * 0.6),
        (waist, stand * 0.72),
        (0.018, stand),
        (0.03, stand + 0.008),
        (0.016, stand + 0.006),
        (0.016, stand + 0.024),
    ]
    pieces = solid(metal, stuff, drum(line, 24))
    if random.random() < 0.4:  # a ring to carry it by
        pieces += solid(
            metal,
            stuff,
            moved(ring(0.02, 0.004, sides=16), (foot + 0.012, 0, 0.018), roll=np.pi / 2),
        )
    high = stand + 0.02 + tall
    pieces += main(
        tube([(0, 0, stand + 0.01), (0, 0, high - 0.02), (0, 0, high)], [0.0125, 0.010, 0.0075], 14)
    )
    for _ in range(int(random.integers(0, 4))):
        t = u(0, 6.3)
        x, y = 0.0105 * np.cos(t), 0.0105 * np.sin(t)
        pieces += main(
            tube(
                [(x * 0.8, y * 0.8, high - 0.004), (x, y, high - tall * u(0.15, 0.4))],
                [0.002, 0.004],
                6,
            )
        )
    return pieces + _flame((0, 0, high), random)


def _jar_candle(random: Random) -> list[Piece]:
    u, r, high = random.uniform, random.uniform(0.038, 0.052), random.uniform(0.08, 0.13)
    pieces = painted(
        "jar",
        vessel([(r * 0.9, 0), (r, 0.008), (r, high * 0.7), (r * u(0.85, 1.1), high)], 0.003, 32),
    )
    fill = high * u(0.5, 0.72)
    pieces += main(
        upright([(0, 0.006), (r * 0.95, 0.006), (r * 0.93, fill), (0, fill - 0.003)], 28)
    )
    pieces += main(drum([(r * 1.012, 0.012), (r * 1.012, fill * 0.92)], 32))
    pieces += solid(
        "label",
        "white",
        warped(
            panel(r * 1.2, fill * 0.5, 0.003, 0.002, (0, 0, fill * 0.5)),
            lambda v: np.c_[
                np.sqrt(np.maximum((r * 1.02) ** 2 - v[:, 1] ** 2, 0)) + v[:, 0], v[:, 1:]
            ],
        ),
    )
    return pieces + _flame((0, 0, fill), random)


def _branched(random: Random) -> list[Piece]:
    u, high, reach = random.uniform, random.uniform(0.18, 0.26), random.uniform(0.055, 0.075)
    arms, metal = int(random.integers(2, 5)), pick(random, "chrome", "dark", "brass")
    stuff, foot = "paint" if metal == "brass" else metal, u(0.045, 0.06)
    line = [
        (foot, 0),
        (foot, 0.008),
        (0.012, 0.025),
        (0.008, high * 0.5),
        (0.015, high * 0.55),
        (0.008, high * 0.62),
        (0.008, high),
        (0.02, high + 0.006),
    ]
    pieces = solid(metal, stuff, drum(line, 20))
    ends = [(0.0, 0.0, high)]
    turn = 0.0 if arms > 2 else np.pi / 2
    for t in turn + np.arange(arms) * 2 * np.pi / arms:
        x, y, z = reach * np.cos(t), reach * np.sin(t), high * u(0.86, 0.9)
        path = [
            (0, 0, high * 0.55),
            (x * 0.6, y * 0.6, high * 0.45),
            (x, y, high * 0.55),
            (x, y, z),
        ]
        pieces += solid(metal, stuff, bar(path, 0.005, 8))
        pieces += solid(
            metal,
            stuff,
            upright([(0, z - 0.004), (0.018, z), (0.02, z + 0.006), (0, z + 0.004)], 16, (x, y, 0)),
        )
        ends.append((x, y, z))
    tall = u(0.1, 0.17)
    for x, y, z in ends:
        pieces += main(tube([(x, y, z), (x, y, z + tall)], [0.0105, 0.0085], 12))
        pieces += _flame((x, y, z + tall), random, 0.9)
    return pieces


SHAPES = named(_gift, _vase, _candle)
