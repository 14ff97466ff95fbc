"""Parametric boxes, baskets, safes and filing cabinets. Conventions and colours as in
own_shapes.py.
"""

from itertools import product

import numpy as np

from po3d.synthesis.shapes.limbs import bar, scaled, smooth
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, box, loft, moved, ring, rod, tube
from po3d.synthesis.shapes.sheets import behind, block, board, panel, tub
from po3d.synthesis.shapes.turned import disc, drum, girdle, upright, vessel


def _crate(random: Random) -> list[Piece]:
    u, deep, wide, high = random.uniform, *random.uniform((0.42, 0.5, 0.36), (0.62, 0.68, 0.64))
    rows, post, lid = int(random.integers(3, 6)), u(0.035, 0.07), random.random() < 0.55
    brace, share, thin = int(random.integers(3)), u(0.72, 0.96), 0.018
    pieces = main(
        *(
            board((post, post, high), (sx * (deep - post) / 2, sy * (wide - post) / 2, high / 2))
            for sx in (-1, 1)
            for sy in (-1, 1)
        )
    )
    tall = high / rows
    for k in range(rows):
        z = (k + 0.5) * tall
        for s in (-1, 1):
            pieces += main(board((thin, wide, tall * share), (s * (deep + thin) / 2, 0, z)))
            pieces += main(board((deep, thin, tall * share), (0, s * (wide + thin) / 2, z)))
    pieces += solid("inside", "dark", box(deep * 0.9, wide * 0.9, 0.02, (0, 0, 0.03)))
    if brace:
        for s in (-1, 1):
            slope, length = np.arctan2(high, wide) * s, np.hypot(high, wide) * 0.88
            diagonal = board((thin, length, 0.06), roll=slope)
            pieces += main(moved(diagonal, (s * (deep / 2 + 1.6 * thin), 0, high / 2)))
            slope, length = np.arctan2(high, deep) * s, np.hypot(high, deep) * 0.88
            diagonal = board((length, thin, 0.06), pitch=slope)
            pieces += main(moved(diagonal, (0, s * (wide / 2 + 1.6 * thin), high / 2)))
    if brace == 2:  # a frame around each side
        for z in (0.03, high - 0.03):
            for s in (-1, 1):
                pieces += main(
                    board((thin, wide + 0.05, 0.06), (s * (deep / 2 + 1.7 * thin), 0, z)),
                    board((deep + 0.05, thin, 0.06), (0, s * (wide / 2 + 1.7 * thin), z)),
                )
    if lid:
        many = int(random.integers(3, 6))
        for k in range(many):
            at = ((k + 0.5) * deep / many - deep / 2, 0, high + thin / 2)
            pieces += main(board((deep / many * share, wide + 0.02, thin), at))
        pieces += main(
            *(board((deep, 0.06, thin), (0, s * wide * 0.38, high + 1.4 * thin)) for s in (-1, 1))
        )
    else:
        pieces += main(
            *(board((thin, wide * 0.4, 0.05), (s * deep * 0.52, 0, high + 0.02)) for s in (-1, 1))
        )
    return pieces


def _filing_cabinet(random: Random) -> list[Piece]:
    u, rows = random.uniform, int(random.integers(2, 5))
    deep, wide, high = u(0.46, 0.56), u(0.36, 0.46), 0.2 + rows * u(0.16, 0.22)
    low, metal, grip = u(0.02, 0.07), pick(random, "chrome", "dark"), int(random.integers(3))
    pieces = main(block((deep, wide, high - low), (0, 0, low), 0.012, 0.006))
    x, tall, gap = deep / 2, (high - low - 0.04) / rows, u(0.012, 0.024)
    if random.random() < 0.4:  # on wheels
        spots = list(product((-x + 0.06, x - 0.06), (-wide / 2 + 0.06, wide / 2 - 0.06)))
        for spot in spots:
            pieces += solid(
                "castor", "tyre", ball(0.5 * low + 0.012, (*spot, 0.5 * low + 0.005), 2)
            )
    else:
        pieces += solid(
            "plinth", "dark", box(deep - 0.04, wide - 0.03, low + 0.01, (0, 0, low / 2))
        )
    pieces += solid(
        "gap", "dark", box(0.004, wide - 0.03, high - low - 0.04, (x, 0, (high + low) / 2))
    )
    for k in range(rows):
        z = low + 0.02 + (k + 0.5) * tall
        out = 0.16 * u(0.3, 1) if random.random() < 0.1 else 0.0  # a drawer pulled out
        if out:
            pieces += main(box(out, wide - 0.05, tall * 0.8, (x + out / 2, 0, z)))
        pieces += main(panel(wide - 0.04, tall - gap, 0.01, 0.02, (x + out, 0, z), 0.005))
        at, front = z + tall * u(0.1, 0.12), x + out + 0.02
        if grip == 0:
            pieces += solid(
                "handle",
                metal,
                bar(
                    [
                        (front, -0.06, at),
                        (front + 0.03, -0.06, at),
                        (front + 0.03, 0.06, at),
                        (front, 0.06, at),
                    ],
                    0.007,
                    6,
                    1,
                ),
            )
        elif grip == 1:
            pieces += solid(
                "handle", metal, panel(0.13, 0.035, 0.015, 0.022, (front, 0, at), 0.005)
            )
        else:
            pieces += solid(
                "handle", "dark", panel(wide * 0.6, 0.03, 0.012, 0.002, (front, 0, z + tall * 0.3))
            )
        pieces += solid(
            "frame", metal, panel(0.09, 0.04, 0.004, 0.004, (front, 0, z - tall * 0.14))
        )
        pieces += solid(
            "label", "white", panel(0.075, 0.028, 0.003, 0.006, (front, 0, z - tall * 0.14))
        )
    seam = panel(
        wide * u(0.7, 0.88), (high - low) * 0.86, 0.01, 0.005, (x, 0, (high + low) / 2), 0.002
    )
    slots = [
        panel(wide * 0.3, 0.008, 0.003, 0.008, (x, 0, high - 0.12 - 0.022 * k)) for k in range(3)
    ]
    pieces += main(*behind(seam)) + solid("plinth", "dark", *behind(*slots))
    return pieces + solid(
        "lock", "chrome", disc(0.012, 0.008, (x + 0.018, wide * 0.36, high - 0.04), 12)
    )


def _safe(random: Random) -> list[Piece]:
    u, deep, wide, high = random.uniform, *random.uniform((0.42, 0.42, 0.4), (0.56, 0.56, 0.62))
    edge, rim, keys = u(0.01, 0.06), u(0.03, 0.07), random.random() < 0.45
    low = pick(random, "feet", "wheels", "none")
    z0 = 0.0 if low == "none" else u(0.02, 0.05)
    pieces = main(block((deep, wide, high), (0, 0, z0), edge, 0.012, 3))
    x, mid, w, h = deep / 2, z0 + high / 2, wide - 2 * rim, high - 2 * rim
    pieces += solid("gap", "tyre", panel(w + 0.016, h + 0.016, 0.02, 0.003, (x, 0, mid)))
    pieces += main(panel(w, h, 0.015, u(0.015, 0.04), (x, 0, mid), 0.006))
    face, side = x + 0.025, 1 if random.random() < 0.5 else -1
    for z in (mid - 0.3 * h, mid + 0.3 * h):
        pieces += solid(
            "hinge",
            "chrome",
            rod(
                (x + 0.012, side * (w / 2 + 0.012), z - 0.04),
                (x + 0.012, side * (w / 2 + 0.012), z + 0.04),
                0.014,
                10,
            ),
        )
    at = (face, -side * w * u(0.1, 0.25), mid + h * u(-0.05, 0.1))
    if keys:
        pieces += solid(
            "keypad",
            "dark",
            panel(0.1, 0.13, 0.015, 0.022, (face - 0.01, at[1], mid + 0.08), 0.004),
        )
        pieces += solid(
            "display", "lamp", panel(0.07, 0.025, 0.003, 0.005, (face + 0.012, at[1], mid + 0.125))
        )
        spots = [
            (face + 0.012, at[1] + 0.026 * i, mid + 0.09 - 0.024 * j)
            for i in (-1, 0, 1)
            for j in range(3)
        ]
        pieces += solid(
            "key", "white", *(panel(0.018, 0.015, 0.004, 0.006, spot) for spot in spots)
        )
        grip = np.array((face, at[1], mid - 0.1))
        pieces += solid(
            "handle",
            "chrome",
            disc(0.03, 0.035, grip - (0.01, 0, 0)),
            rod(grip + (0.025, 0, 0), grip + (0.025, side * 0.1, -0.02), 0.011, 8),
        )
    else:
        radius, spokes = u(0.045, 0.075), int(random.integers(3, 6))
        pieces += solid("dial", "dark", disc(0.055, 0.02, (face - 0.005, at[1], mid + 0.11), 28))
        pieces += solid("knob", "chrome", disc(0.028, 0.045, (face - 0.005, at[1], mid + 0.11), 20))
        grip = np.array((face + 0.045, at[1], mid - 0.08))
        pieces += solid(
            "handle", "chrome", rod(grip - (0.06, 0, 0), grip, 0.014, 8), ball(0.022, grip, 2)
        )
        for k in range(spokes):
            t = 2 * np.pi * k / spokes + 0.3
            end = grip + (0, radius * np.cos(t), radius * np.sin(t))
            pieces += solid("handle", "chrome", rod(grip, end, 0.008), ball(0.014, end, 1))
        if random.random() < 0.5:
            pieces += solid(
                "handle", "chrome", moved(ring(radius, 0.008, sides=24), grip, yaw=np.pi / 2)
            )
    if low != "none":
        foot = [
            (i, j, z0 / 2)
            for i in (-x + 0.06, x - 0.06)
            for j in (-wide / 2 + 0.06, wide / 2 - 0.06)
        ]
        pieces += solid(
            "foot", "tyre", *(drum([(0.03, -z0 / 2), (0.03, z0 / 2)], 12, spot) for spot in foot)
        )
    return pieces


def _cardboard_box(random: Random) -> list[Piece]:
    u, deep, wide, high = random.uniform, *random.uniform((0.3, 0.4, 0.2), (0.5, 0.62, 0.45))
    pieces: list[Piece] = []
    if random.random() < 0.5:  # open, its flaps hang out
        pieces += main(*tub(deep, wide, high, 0.008, 1.0))
        pieces += painted(
            "inside", box(deep - 0.03, wide - 0.03, 0.01, (0, 0, u(0.01, 0.4) * high + 0.01))
        )
        for k, (across, out, yaw) in enumerate(
            (
                (wide, deep, 0),
                (deep, wide, np.pi / 2),
                (wide, deep, np.pi),
                (deep, wide, -np.pi / 2),
            )
        ):
            length, droop = 0.45 * min(deep, wide) * u(0.9, 1.05), u(-1.0, 0.9) + (k % 2) * 0.15
            bits = int(random.integers(4, 7))  # corrugated board, slightly bowed
            line = np.linspace(0, length, bits * 4)
            rings = [
                np.array(
                    [
                        (x, -across / 2 + 0.004, z),
                        (x, across / 2 - 0.004, z),
                        (x, across / 2 - 0.004, z + 0.007),
                        (x, -across / 2 + 0.004, z + 0.007),
                    ]
                )
                for x, z in zip(line, -0.3 * line**2)
            ]
            flap = moved(moved(loft(rings), pitch=droop), (out / 2 - 0.004, 0, high - 0.004))
            pieces += main(moved(flap, yaw=yaw))
        pieces += painted("tape", box(deep + 0.002, 0.05, high * 0.25, (0, 0, high * 0.125)))
        return pieces
    pieces += main(block((deep, wide, high), (0, 0, 0), 0.012, 0.006, 4))
    pieces += main(*(board((deep - 0.01, wide / 2 - 0.004, 0.008), (0, s * wide / 4, high + 0.002))
                                       for s in (-1, 1)))  # fmt: skip
    tape, hang = u(0.045, 0.07), u(0.04, 0.12)
    pieces += painted(
        "tape",
        box(deep + 0.002, tape, 0.01, (0, 0, high + 0.004)),
        *(box(0.004, tape, hang, (s * deep / 2, 0, high - hang / 2)) for s in (-1, 1)),
    )
    if random.random() < 0.7:
        at = (u(-0.2, 0.2) * deep, u(0.22, 0.3) * wide * random.choice([-1, 1]), high + 0.006)
        pieces += solid("label", "white", block((deep * 0.25, wide * 0.2, 0.003), at, 0.004, 0.001))
        pieces += solid(
            "print",
            "dark",
            *(
                box(deep * 0.02, wide * 0.15, 0.004, (at[0] + d * deep, at[1], high + 0.0085))
                for d in (-0.06, 0, 0.06)
            ),
        )
    if random.random() < 0.6:  # holes for hands
        for s in (-1, 1):
            hole = panel(0.09, 0.03, 0.014, 0.004, (deep / 2, 0, high * 0.7), segs=4)
            pieces += solid("hole", "tyre", moved(hole, yaw=0 if s > 0 else np.pi))
    mark = panel(0.07, 0.1, 0.005, 0.003, (deep / 2, -wide * 0.32, high * 0.35), segs=4)
    pieces += solid("print", "dark", mark, moved(mark, yaw=np.pi))
    arrows = [
        rod(
            (deep / 2 + 0.002, wide * 0.3 + d, high * 0.2),
            (deep / 2 + 0.002, wide * 0.3 + d, high * 0.4),
            0.006,
        )
        for d in (-0.025, 0.025)
    ]
    return pieces + solid("print", "dark", *arrows, *(moved(a, yaw=np.pi) for a in arrows))


def _laundry_basket(random: Random) -> list[Piece]:
    u, high, top, low = random.uniform, *random.uniform((0.42, 0.23, 0.17), (0.7, 0.3, 0.23))
    oblong, kind = random.choice([1.0, 1.0, u(1.2, 1.5)]), int(random.integers(3))
    line = smooth([(low, 0), (low + (top - low) * u(0.3, 0.8), high * 0.5), (top, high)])
    pieces: list[Piece] = []
    if kind == 0:  # slats and hoops: one sees through
        many, hoops = int(random.integers(16, 30)), int(random.integers(3, 6))
        for t in np.arange(many) * 2 * np.pi / many:
            path = np.c_[line[:, 0] * np.cos(t), line[:, 0] * np.sin(t), line[:, 1]]
            pieces += main(tube(path[:: len(path) // 3], u(0.007, 0.009), 5))
        for z in np.linspace(0.02, 0.99, hoops) * high:
            pieces += main(girdle(line, z, 0.013, 0.035, around=5))
        pieces += main(drum([(low, 0), (low, 0.02)], 28))
    else:  # woven: rings on rings, or a bag on a frame
        rows = int(random.integers(10, 18)) if kind == 1 else 5
        z = np.linspace(0, 1, 4 * rows + 1) * high
        bulge = (0.008 if kind == 1 else 0.004) * np.sin(np.arange(len(z)) * np.pi / 2)
        outer = np.c_[np.interp(z, line[:, 1], line[:, 0]) + bulge, z]
        pieces += main(vessel(outer[::2] if kind == 1 else outer, 0.02, 28))
        pieces += painted("rim", moved(ring(top, 0.016, sides=28), (0, 0, high), roll=np.pi / 2))
    cloth, fill = int(random.integers(2, 6)), high * u(0.75, 0.95)
    r = np.interp(fill, line[:, 1], line[:, 0]) * 0.8
    lid = kind == 1 and random.random() < 0.4
    if lid:
        pieces += main(
            upright(
                [
                    (0, high),
                    (top + 0.02, high),
                    (top + 0.02, high + 0.025),
                    (top * 0.5, high + 0.06),
                    (0, high + 0.065),
                ],
                28,
            )
        )
        pieces += painted("rim", ball(0.03, (0, 0, high + 0.075), 2))
    else:
        pieces += painted(
            "cloth0",
            upright([(0, fill - 0.06), (r * 1.05, fill - 0.06), (r, fill - 0.03), (0, fill)], 16),
        )
        for k in range(cloth):
            t = 2 * np.pi * k / cloth + u(0, 0.8)
            at = (0.5 * r * np.cos(t), 0.5 * r * np.sin(t), fill - 0.02)
            pieces += painted(f"cloth{k % 3}", ball((0.55 * r, 0.5 * r, u(0.04, 0.1)), at, 2))
    for s in (-1, 1):
        grip = [
            (-0.07, s * top, high - 0.01),
            (-0.06, s * (top + 0.03), high + 0.06),
            (0.06, s * (top + 0.03), high + 0.06),
            (0.07, s * top, high - 0.01),
        ]
        pieces += painted("rim", bar(grip, 0.011, 6))
    return scaled(pieces, (1.0, oblong, 1.0))


SHAPES = named(_crate, _filing_cabinet, _safe, _cardboard_box, _laundry_basket)
