"""Parametric seats and coffee tables. Conventions and colours as in own_shapes.py."""

import itertools

import numpy as np
from trimesh import Trimesh

from po3d.synthesis.shapes.limbs import bar, hoop, smooth, warped
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, box, lathe, moved, ring, rod, rounded, tube
from po3d.synthesis.shapes.sheets import block, board, panel
from po3d.synthesis.shapes.turned import disc, drum, upright


def _office_chair(random: Random) -> list[Piece]:
    u, metal = random.uniform, pick(random, "chrome", "dark", "dark")
    seat, reach, thick = u(0.42, 0.5), u(0.26, 0.32), u(0.05, 0.1)
    pieces: list[Piece] = []
    for k in range(5):
        t = 2 * np.pi * k / 5
        x, y = reach * np.cos(t), reach * np.sin(t)
        pieces += solid("base", metal, tube([(0, 0, 0.12), (x, y, 0.075)], [0.03, 0.016], 8))
        castor = lathe([(0, -0.022), (0.03, -0.022), (0.03, 0.022), (0, 0.022)], 10)
        pieces += solid("castor", "tyre", moved(castor, (x, y, 0.03), yaw=t + u(0, 3)))
    pieces += solid(
        "base", metal, upright([(0.035, 0.07), (0.035, 0.24), (0.022, 0.25), (0.022, seat)], 12)
    )
    width, edge = u(0.44, 0.52), u(0.05, 0.2)
    pieces += main(block((width, width, thick), (0.03, 0, seat), edge, thick * 0.35, 3))
    tall, wide, gap = u(0.34, 0.56), width * u(0.78, 1.0), u(0.06, 0.16)
    frame = random.random() < 0.4  # a mesh back in a frame
    curl, lean, base = u(0.1, 0.45), u(0.04, 0.2), seat + thick + gap
    back = panel(
        wide,
        tall,
        0.08 if frame else u(0.05, 0.2),
        u(0.035, 0.07),
        (-0.22, 0, base + tall / 2),
        0.014,
        3,
    )

    def bend(v: np.ndarray) -> np.ndarray:
        return v + np.c_[curl * v[:, 1] ** 2 * 2 - lean * (v[:, 2] - base), 0 * v[:, :2]]

    pieces += painted("net" if frame else "main", warped(back, bend))
    if frame:
        loop = _frame(wide, tall, (-0.2, base + tall / 2))
        pieces += main(warped(loop, bend))
    spine = [
        (-0.05, 0, seat - 0.02),
        (-0.3, 0, seat),
        (-0.28, 0, base),
        (-0.25 - lean * tall / 2, 0, base + tall / 2),
    ]
    pieces += solid("base", metal, bar(spine, 0.025))
    if random.random() < 0.35:
        head = panel(wide * 0.6, 0.13, 0.06, 0.05, (-0.23, 0, base + tall + 0.1), 0.014)
        pieces += main(warped(head, bend))
        pieces += solid(
            "base",
            metal,
            rod(
                (-0.21 - lean * tall, 0, base + tall - 0.1),
                (-0.22 - lean * tall, 0, base + tall + 0.1),
                0.02,
            ),
        )
    if random.random() < 0.7:
        arm, y, loop = seat + thick + u(0.14, 0.22), width / 2 + 0.04, random.random() < 0.4
        for s in (-y, y):
            pieces += solid("arm", "dark", block((u(0.22, 0.26), 0.06, 0.03), (0.0, s, arm), 0.025))
            feet = [(0.02, s * 0.6, seat), (0.02, s, seat), (0.02, s, arm)]
            if loop:
                feet = [(0.14, s, seat), (0.14, s, arm), (-0.12, s, arm), (-0.16, s, seat + 0.06)]
            pieces += solid("arm", "dark", bar(feet, 0.018))
    return pieces


def _frame(width: float, height: float, at: tuple[float, float]) -> Trimesh:
    """A rounded rectangular hoop facing the front, around (x, z) `at`."""
    y, z = width / 2, height / 2
    line = rounded([(-y, -z), (y, -z), (y, z), (-y, z)], 0.08, 4)
    rings = []
    t = np.arange(6) * 2 * np.pi / 6
    for p in line:
        out = p / np.linalg.norm(p)
        section = np.outer(np.cos(t), [1, 0, 0]) + np.outer(np.sin(t), [0, *out])
        rings.append(section * 0.018 + (at[0], p[0], at[1] + p[1]))
    return hoop(rings)


def _stool(random: Random) -> list[Piece]:
    u, high, wide = random.uniform, random.uniform(0.44, 0.8), random.uniform(0.3, 0.42)
    kind, metal = int(random.integers(3)), pick(random, "chrome", "dark", "wood")
    thick, round_ = u(0.03, 0.09), kind == 1 or random.random() < 0.6
    if round_:
        r = wide / 2
        soft = [
            (0, high - thick),
            (r * 0.9, high - thick),
            (r, high - thick * 0.6),
            (r, high - thick * 0.35),
        ]
        pieces = main(upright([*soft, (r * 0.9, high), (0, high + u(-0.01, 0.012))], 28))
    else:
        pieces = main(block((wide, wide * u(0.85, 1.2), thick), (0, 0, high - thick), u(0.01, 0.08),
                                              thick * 0.3, 3))  # fmt: skip
    if kind == 1:  # on a column
        foot = wide * u(0.42, 0.56)
        pieces += solid(
            "leg",
            metal,
            upright(
                [
                    (0, 0),
                    (foot, 0),
                    (foot, 0.015),
                    (0.06, 0.035),
                    (0.025, 0.06),
                    (0.025, high - thick),
                ],
                24,
            ),
        )
        if high > 0.6:
            pieces += solid(
                "leg",
                metal,
                moved(ring(wide * 0.36, 0.009, sides=24), (0, 0, high * 0.38), roll=np.pi / 2),
            )
            pieces += solid(
                "leg",
                metal,
                rod((0, -wide * 0.36, high * 0.38), (0, wide * 0.36, high * 0.38), 0.009),
            )
        return pieces
    count, splay, radius = int(random.integers(3, 5)), u(0.9, 1.3), u(0.011, 0.024)
    turn = np.pi / 4 if count == 4 else 0.0
    level, feet = u(0.2, 0.45) * high, []
    for k in range(count):
        t = turn + 2 * np.pi * k / count
        d = np.array([np.cos(t), np.sin(t), 0]) * wide * 0.4 * (1.0 if round_ else 1.15)
        top, low = d * 0.9 + (0, 0, high - thick), d * splay
        pieces += solid(
            "main" if metal == "wood" else "leg",
            "paint" if metal == "wood" else metal,
            tube([low, (low + top) / 2, top], [radius * u(0.7, 1), radius * 1.1, radius], 14),
        )
        feet.append(low + (top - low) * level / high)
    for a, b in zip(feet, feet[1:] + feet[:1]):
        pieces += solid("rail", metal, rod(a, b, radius * 0.7, 8))
    return pieces


def _coffee_table(random: Random) -> list[Piece]:
    u, high, thick = random.uniform, random.uniform(0.4, 0.5), random.uniform(0.02, 0.06)
    wide, deep, kind = u(0.85, 1.3), u(0.5, 0.7), int(random.integers(5))
    oval, metal = random.random() < 0.35, pick(random, "chrome", "dark", "wood")
    edge = 0.49 * deep if oval else u(0.005, 0.06)
    z, glass = high - thick, random.random() < 0.2
    if glass:
        pieces = solid(
            "pane",
            "glass",
            block((deep - 0.06, wide - 0.06, thick + 0.004), (0, 0, z), edge, 0.004, 5),
        )
        pieces += main(block((deep, wide, thick), (0, 0, z), edge, 0.004, 5))
    else:
        pieces = main(block((deep, wide, thick), (0, 0, z), edge, 0.3 * thick, 5))
    x, y = deep / 2 - u(0.04, 0.1), wide / 2 - u(0.05, 0.12) - (0.12 if oval else 0)
    leg, radius, splay = "main" if random.random() < 0.5 else "legs", u(0.018, 0.035), u(0.9, 1.12)
    stuff = "paint" if leg == "main" else metal
    corners = list(itertools.product((-x, x), (-y, y)))
    if kind == 0:  # round legs, splayed
        pieces += solid(
            leg,
            stuff,
            *(
                tube(
                    [(a * splay, b * splay, 0), (a * 0.9, b * 0.95, z)], [radius * 0.6, radius], 12
                )
                for a, b in corners
            ),
        )
    elif kind == 1:  # square legs and an apron
        side = u(0.04, 0.08)
        pieces += solid(leg, stuff, *(block((side, side, z), (a, b, 0), 0.006) for a, b in corners))
        apron = u(0.05, 0.1)
        pieces += solid(
            leg, stuff, *(board((0.02, 2 * y, apron), (s, 0, z - apron / 2)) for s in (-x, x))
        )
        pieces += solid(
            leg, stuff, *(board((2 * x, 0.02, apron), (0, s, z - apron / 2)) for s in (-y, y))
        )
    elif kind == 2:  # sledges of tube
        for s in (-y, y):
            path = [(-x, s, z), (-x, s, 0.01), (x, s, 0.01), (x, s, z)]
            pieces += solid(
                leg, stuff, *(rod(a, b, radius * 0.6, 8) for a, b in itertools.pairwise(path))
            )
    elif kind == 3:  # sides of board
        pieces += solid(leg, stuff, *(block((2 * x, 0.035, z), (0, s, 0), 0.01) for s in (-y, y)))
    else:  # one foot
        foot = u(0.3, 0.42) * deep
        pieces += solid(
            leg,
            stuff,
            upright(
                [(0, 0), (foot, 0), (foot, 0.02), (0.07, 0.06), (0.06, z - 0.04), (foot * 0.8, z)],
                28,
            ),
        )
    if kind != 4:
        pad = [(0.02, -0.008), (0.024, 0), (0.02, 0.01)]
        pieces += solid("pad", "tyre", *(drum(pad, 12, (a, b, 0)) for a, b in corners))
    if kind != 4 and random.random() < 0.5:
        level = u(0.08, 0.2)
        pieces += main(block((2 * x, 2 * y, 0.02), (0, 0, level), min(edge, 0.1), 0.005, 3))
    if kind in (1, 3) and random.random() < 0.5:
        many = int(random.integers(1, 3))
        front, span = 0.11, 2 * y / many
        pieces += main(box(2 * x - 0.02, 2 * y, front, (0, 0, z - front / 2)))
        for k in range(many):
            at = (x - 0.01, (k + 0.5) * span - y, z - front / 2)
            pieces += main(panel(span - 0.02, front - 0.02, 0.005, 0.025, at, 0.003))
            pieces += solid("knob", metal, disc(0.016, 0.03, np.add(at, (0.02, 0, 0)), 12))
    if random.random() < 0.3:
        pieces += main(*(rod((-a, -y, 0.1), (a, y, 0.1), 0.012) for a in (-x, x)))
    return pieces


def _pouf(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(4))
    wide, high = u(0.75, 0.95), u(0.42, 0.62)
    if kind == 0:  # a cushion sewn of lobes
        lobes, depth = int(random.integers(6, 13)), u(0.03, 0.08)
        body = upright(
            smooth(
                [(0, 0), (0.3, 0), (0.48, 0.12), (0.5, 0.5), (0.46, 0.88), (0.28, 1), (0, 0.93)]
            ),
            6 * lobes,
        )

        def bend(v: np.ndarray) -> np.ndarray:
            t = np.arctan2(v[:, 1], v[:, 0])
            swell = 1 - depth * np.abs(np.cos(lobes * t / 2)) ** 6
            return v * np.c_[swell, swell, np.ones(len(v))] * (wide, wide, high)

        pieces = main(warped(body, bend))
        return pieces + painted("button", ball((0.04, 0.04, 0.02), (0, 0, 0.935 * high), 2))
    if kind == 1:  # a drum with bands
        r, soft = wide / 2, u(0.03, 0.1)
        side = [
            (r - soft, 0),
            (r, soft),
            (r * u(0.98, 1.05), high / 2),
            (r, high - soft),
            (r - soft, high),
        ]
        pieces = main(upright(smooth([(0, 0), *side, (0, high + 0.02)]), 32))
        for z in np.linspace(0.15, 0.85, int(random.integers(1, 4))) * high:
            pieces += painted(
                "band", moved(ring(r * 1.005, 0.012, sides=32), (0, 0, z), roll=np.pi / 2)
            )
        return pieces
    if kind == 2:  # a cube with piping
        soft, high = u(0.04, 0.12), high * 0.95
        pieces = main(block((wide, wide, high), (0, 0, 0), soft, min(soft, 0.06), 4))
        pieces += painted(
            "piping", block((wide + 0.012, wide + 0.012, 0.016), (0, 0, high - 0.1), soft, 0.004, 4)
        )
        return pieces + painted("button", ball((0.03, 0.03, 0.012), (0, 0, high), 2))
    # a bag of beans, sunk in
    lean, nape = u(0.05, 0.2), u(0.15, 0.28)
    profile = [
        (0, 0),
        (0.42, 0),
        (0.5, 0.15),
        (0.47, 0.4),
        (nape + 0.1, 0.75),
        (nape / 2, 1.0),
        (0, 1.0),
    ]
    body = upright(smooth(profile, 3), 28)
    lumps = random.uniform(0, 2 * np.pi, 3)

    def slump(v: np.ndarray) -> np.ndarray:
        t = np.arctan2(v[:, 1], v[:, 0])
        swell = 1 + 0.03 * (np.sin(2 * t + lumps[0]) + np.sin(5 * t + lumps[1] + 4 * v[:, 2]))
        return (
            v * np.c_[swell, swell, np.ones(len(v))] * (wide, wide, high * 1.1)
            - np.c_[lean * v[:, 2] ** 2, 0 * v[:, :2]]
        )

    top = moved(
        ring(nape * wide / 2.6, 0.018, sides=16), (-lean * 0.9, 0, high * 1.06), roll=np.pi / 2
    )
    return main(warped(body, slump)) + painted("piping", top)


SHAPES = named(_office_chair, _stool, _coffee_table, _pouf)
