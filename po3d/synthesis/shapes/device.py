"""Parametric speakers, radios, fans and lamps. Conventions and colours as in own_shapes.py."""

import numpy as np

from po3d.synthesis.shapes.limbs import bar, hoop, smooth, warped
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, box, moved, moved_all, ring, rod, tube
from po3d.synthesis.shapes.sheets import behind, block, board, panel
from po3d.synthesis.shapes.turned import ahead, disc, drum, upright


def _speaker(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(3))  # of a shelf, a column, or rounded
    deep, wide, high = u(0.2, 0.3), u(0.18, 0.25), u(0.3, 0.42) if kind != 1 else u(0.5, 0.85)
    x = deep / 2
    edge, bevel = (wide * u(0.2, 0.45), 0.02) if kind == 2 else (u(0.004, 0.02), 0.006)
    pieces = main(panel(wide, high, edge, deep, (-x, 0, high / 2), bevel, 4))
    if random.random() < 0.6:
        pieces += solid(
            "baffle",
            "dark",
            panel(wide * 0.92, high * 0.95, edge, 0.006, (x, 0, high / 2), 0.002, 4),
        )
    many = 2 if kind != 1 else int(random.integers(2, 5))
    cone, z = wide * u(0.34, 0.41), 0.0
    woofer = pick(random, "tyre", "dark", "cone")
    stuff = "paint" if woofer == "cone" else woofer
    heights = [cone * 1.15 + k * cone * 2.1 for k in range(many - 1)]
    heights = [h for h in heights if h + cone < high - cone * 0.9] or [cone * 1.1]
    for z in heights:
        at = (x + 0.004, 0, z)
        pieces += solid(
            "frame",
            pick(random, "chrome", "dark") if z == heights[0] else "dark",
            moved(ring(cone, 0.009, sides=28), np.add(at, (0.004, 0, 0)), yaw=np.pi / 2),
        )
        dish = [
            (0, 0),
            (cone, 0),
            (cone, 0.006),
            (cone * 0.8, 0.018),
            (cone * 0.72, 0.012),
            (cone * 0.35, 0.004),
            (0, 0.004),
        ]
        pieces += solid(woofer, stuff, ahead(dish, at, 28))
        pieces += solid(
            "cap",
            "chrome" if random.random() < 0.3 else "dark",
            moved(ball((0.012, cone * 0.34, cone * 0.34), detail=2), np.add(at, (0.004, 0, 0))),
        )
    small, top = wide * u(0.1, 0.18), min(heights[-1] + cone + 0.06, high - 0.05)
    at = (x + 0.004, 0, (top + high - 0.02) / 2 if high - top < 0.2 else top + 0.03)
    pieces += solid(
        "tweeter",
        "chrome",
        moved(ring(small, 0.006, sides=20), np.add(at, (0.003, 0, 0)), yaw=np.pi / 2),
    )
    pieces += solid("cap", "dark", moved(ball((0.012, small * 0.8, small * 0.8), detail=2), at))
    if random.random() < 0.5:
        port = (x + 0.006, u(-0.2, 0.2) * wide, 0.035)
        pieces += solid("port", "tyre", disc(0.022, 0.004, port, 16))
    pieces += solid("badge", "chrome", panel(0.05, 0.01, 0.003, 0.009, (x, 0, 0.012)))
    if random.random() < 0.5:
        pieces += solid(
            "foot",
            "tyre",
            *(
                drum([(0.014, -0.02), (0.02, 0)], 8, (i * 0.35 * deep, j * 0.35 * wide, 0))
                for i in (-1, 1)
                for j in (-1, 1)
            ),
        )
    level = high * u(0.15, 0.4)
    pieces += solid(
        "terminal", "dark", *behind(panel(0.07, 0.09, 0.006, 0.006, (x, 0, level), 0.001))
    )
    pieces += solid("post", "tail", *behind(disc(0.009, 0.022, (x, 0.018, level), 10)))
    pieces += solid("pole", "tyre", *behind(disc(0.009, 0.022, (x, -0.018, level), 10)))
    pieces += solid(
        "port", "tyre", *behind(disc(wide * u(0.1, 0.18), 0.004, (x, 0, high * 0.72), 20))
    )
    return pieces


def _table_fan(random: Random) -> list[Piece]:
    u, r, deep = random.uniform, random.uniform(0.12, 0.17), random.uniform(0.05, 0.09)
    z, foot, metal = r + u(0.06, 0.14), u(0.08, 0.13), pick(random, "chrome", "dark", "white")
    if random.random() < 0.5:
        base = upright(smooth([(0, 0), (foot, 0), (foot, 0.02), (0.03, 0.04), (0, 0.045)], 1), 28)
    else:
        base = block((foot * 1.7, foot * 2.1, 0.035), (0, 0, 0), u(0.02, 0.06), 0.012, 4)
    pieces = main(base, tube([(-0.03, 0, 0.02), (-0.05, 0, z)], [0.02, 0.016], 12))
    for y in (-0.03, 0, 0.03):
        pieces += solid("button", metal, disc(0.009, 0.008, (foot * 0.7, y, 0.028), 10))
    motor = [(0, -0.1), (0.03, -0.1), (0.05, -0.06), (0.05, -0.01), (0, 0)]
    tilt, head = u(-0.3, 0.05), []
    head += main(ahead(motor, sides=20))
    for x, share in ((0, 0.92), (deep / 2, 1.0), (deep, 0.9)):
        head += solid(
            "cage",
            metal,
            moved(ring(r * share, 0.0045, sides=36, around=5), (x, 0, 0), yaw=np.pi / 2),
        )
    if random.random() < 0.5:
        head += main(moved(ring(r, 0.009, sides=36, around=6), (deep / 2, 0, 0), yaw=np.pi / 2))
    spokes = int(random.integers(12, 25))
    for t in np.arange(spokes) * 2 * np.pi / spokes:
        c, s = np.cos(t), np.sin(t)
        front = [
            (deep + 0.008, 0.03 * c, 0.03 * s),
            (deep, r * 0.9 * c, r * 0.9 * s),
            (deep / 2, r * c, r * s),
            (0, 0.92 * r * c, 0.92 * r * s),
        ]
        head += solid("cage", metal, tube(front, 0.0022, 4))
    head += main(disc(0.036, 0.012, (deep + 0.002, 0, 0), 20))
    blades, wide, twist = int(random.integers(3, 6)), u(0.32, 0.5), u(0.3, 0.7)
    for k in range(blades):
        petal = ball((0.004, r * 0.4, r * wide), (0, r * 0.47, 0), 2)
        petal = warped(petal, lambda v: v + np.c_[twist * v[:, 2] * 0.5, 0 * v[:, :2]])
        head += painted("blade", moved(petal, (deep * 0.5, 0, 0), roll=2 * np.pi * k / blades))
    head += solid(
        "hub", "dark", ahead([(0, 0), (0.028, 0), (0.022, deep * 0.7), (0, deep * 0.75)], sides=16)
    )
    return pieces + moved_all(head, (-0.02, 0, z), pitch=tilt)


def _radio(random: Random) -> list[Piece]:
    u, wide, deep = random.uniform, random.uniform(0.24, 0.36), random.uniform(0.075, 0.11)
    high, kind = wide * u(0.5, 0.72), int(random.integers(3))  # with one speaker, two, or slats
    x, edge, metal = deep / 2, u(0.006, 0.05), pick(random, "chrome", "dark", "white")
    pieces = main(panel(wide, high, edge, deep, (-x, 0, high / 2 + 0.008), 0.008, 4))
    pieces += solid(
        "foot",
        "tyre",
        *(board((deep * 0.8, 0.02, 0.012), (0, s * wide * 0.38, 0.006)) for s in (-1, 1)),
    )
    z = high / 2 + 0.008
    grille = pick(random, "dark", "net", "chrome")
    stuff = "paint" if grille == "net" else grille
    if kind == 1:
        r = min(high * 0.33, wide * 0.19)
        centres = [(s * wide * 0.28, z - high * 0.06) for s in (-1, 1)]
    else:
        side = random.choice([-1, 1])
        r = min(high * u(0.3, 0.4), wide * 0.26)
        centres = [(side * (wide / 2 - r - 0.02), z)]
    if kind < 2:
        for y, h in centres:
            pieces += solid(grille, stuff, disc(r, 0.006, (x, y, h), 28))
            pieces += solid(
                "trim", metal, moved(ring(r, 0.005, sides=28), (x + 0.003, y, h), yaw=np.pi / 2)
            )
            for f in (0.35, 0.68):
                pieces += solid(
                    "trim",
                    metal,
                    moved(ring(r * f, 0.002, sides=20, around=4), (x + 0.006, y, h), yaw=np.pi / 2),
                )
        free, middle = (
            (wide * 0.3, 0.0)
            if kind == 1
            else (wide - 2 * r - 0.06, -centres[0][0] / abs(centres[0][0]) * (r + 0.005))
        )
    else:
        many = int(random.integers(6, 12))
        for k in range(many):
            size = (0.008, wide * 0.48, high * 0.6 / many * 0.55)
            pieces += solid(
                grille,
                stuff,
                board(size, (x + 0.002, wide * 0.2, z + high * (0.6 * (k + 0.5) / many - 0.3))),
            )
        free, middle = wide * 0.38, -wide * 0.26
    scale = z + high * 0.2
    pieces += solid(
        "dial", "lamp", panel(free, high * u(0.18, 0.28), 0.006, 0.005, (x, middle, scale), 0.001)
    )
    pieces += painted(
        "needle", box(0.008, 0.004, high * 0.16, (x + 0.003, middle + u(-0.35, 0.35) * free, scale))
    )
    for f in np.linspace(-0.4, 0.4, 7):
        pieces += solid(
            "print", "dark", box(0.007, 0.002, 0.008, (x + 0.003, middle + f * free, scale - 0.006))
        )
    knobs = int(random.integers(2, 4))
    for y in np.linspace(-0.36, 0.36, knobs) * free:
        knob = disc(
            min(0.024, free * 0.13) * u(0.8, 1.1), 0.022, (x, middle + y, z - high * 0.22), 18
        )
        pieces += solid("knob", metal, knob)
    if random.random() < 0.7:
        rise, half = high * u(0.16, 0.32), wide * u(0.3, 0.45)
        grip = [(0, -half, high), (0, -half, high + rise), (0, half, high + rise), (0, half, high)]
        pieces += solid("handle", pick(random, "chrome", "dark", "wood"), bar(grip, 0.0075, 8))
    if random.random() < 0.6:
        s = random.choice([-1, 1])
        base, reach, lean = np.array([-x * 0.7, s * wide * 0.42, high]), u(0.08, 0.2), u(0.0, 1.0)
        tip = base + reach * np.array([0, -s * np.sin(lean), np.cos(lean)])
        line = [base, (base + tip) / 2, tip]
        pieces += solid(
            "aerial", "chrome", tube(line, [0.004, 0.003, 0.002], 6), ball(0.005, tip, 1)
        )
    return pieces


def _lamp(random: Random) -> list[Piece]:
    u, wide, high = random.uniform, random.uniform(0.1, 0.17), random.uniform(0.36, 0.52)
    kind, foot, tall = (
        int(random.integers(5)),
        random.uniform(0.055, 0.09),
        random.uniform(0.14, 0.23),
    )
    shade_low = high - tall
    stand = pick(random, "chrome", "wood", "dark", "body", "body")
    stuff = "paint" if stand == "body" else stand
    if kind == 0:  # a slim pole
        line = [
            (0, 0),
            (foot, 0),
            (foot, 0.012),
            (0.012, 0.025),
            (0.009, shade_low + tall * 0.5),
            (0, shade_low + tall * 0.5),
        ]
    elif kind == 1:  # a jar
        b = u(0.055, 0.1)
        profile = [
            (0, 0),
            (b * 0.6, 0),
            (b * 0.6, 0.015),
            (b, shade_low * 0.4),
            (b * 0.75, shade_low * 0.75),
            (0.018, shade_low * 0.88),
            (0.012, shade_low + 0.05),
            (0, shade_low + 0.05),
        ]
        line = smooth(profile)
    elif kind == 2:  # turned balls
        n = int(random.integers(2, 5))
        t = np.linspace(0.02, shade_low, 10 * n)
        r = (
            0.016
            + u(0.02, 0.045) * np.abs(np.sin((t - 0.02) / (shade_low - 0.02) * n * np.pi)) ** 0.6
        )
        line = [
            (0, 0),
            (foot, 0),
            (foot, 0.02),
            *np.c_[r, t],
            (0.01, shade_low + 0.06),
            (0, shade_low + 0.06),
        ]
    elif kind == 3:  # a cone
        line = [
            (0, 0),
            (foot * 1.1, 0),
            (foot * 1.1, 0.01),
            (0.02, shade_low * 0.9),
            (0.01, shade_low + 0.05),
            (0, shade_low + 0.05),
        ]
    else:  # three legs
        line = [
            (0, shade_low * 0.75),
            (0.02, shade_low * 0.75),
            (0.025, shade_low * 0.85),
            (0.01, shade_low + 0.04),
            (0, shade_low + 0.04),
        ]
    pieces = solid(stand, stuff, upright(line, 24))
    if kind == 4:
        for t in np.arange(3) * 2 * np.pi / 3 + 0.3:
            end = np.array([np.cos(t), np.sin(t), 0]) * foot * 1.25
            pieces += solid(stand, stuff, tube([end, (0, 0, shade_low * 0.8)], [0.008, 0.011], 8))
    top = wide * random.choice([0.35, 0.6, 0.8, 1.0])
    form = int(random.integers(4))
    span = np.linspace(0, 1, 6)
    if form == 0:
        radius = wide + (top - wide) * span
    elif form == 1:  # a dome
        radius = wide * np.sqrt(np.maximum(1 - (span * 0.93) ** 2, 0.05))
    elif form == 2:  # a bell
        radius = wide + (top * 0.6 - wide) * np.sqrt(span)
    else:  # a ball of paper or milk glass
        radius = wide * 0.9 * np.sqrt(np.maximum(1 - (1.7 * span - 0.85) ** 2, 0.05))
    z = shade_low + span * tall
    outer = np.c_[radius, z]
    if form == 3:
        shade = upright([(0, z[0]), *outer, (0, z[-1])], 28)
    else:
        sides, fold = (56, 0.95) if form != 1 and random.random() < 0.4 else (28, 1.0)  # pleated
        ripple = np.where(np.arange(sides) % 2, fold, 1.0)
        t = np.arange(sides) * 2 * np.pi / sides
        walls = [*outer, *((outer - (0.004, 0))[::-1])]
        shade = hoop(
            [
                np.c_[r * ripple * np.cos(t), r * ripple * np.sin(t), np.full(sides, h)]
                for r, h in walls
            ]
        )
    pieces += main(shade)
    if form != 3:
        pieces += solid(
            "bulb", "lamp", ball((0.028, 0.028, 0.036), (0, 0, shade_low + tall * 0.45), 2)
        )
        ends = radius[-1] * np.array([(1, 0), (-0.5, 0.87), (-0.5, -0.87)])
        pieces += solid(
            "finial",
            "chrome",
            *(rod((0, 0, high - 0.01), (*end, high - 0.005), 0.002, 4) for end in ends),
        )
        at = (0, 0, high)
        pieces += solid(
            "finial",
            "chrome",
            rod((0, 0, shade_low), (0, 0, high - 0.005), 0.004),
            ball(0.008, at, 1),
        )
    if form in (0, 2) and random.random() < 0.5:
        for k in (0, -1):
            pieces += painted(
                "trim", moved(ring(radius[k], 0.005, sides=28), (0, 0, z[k]), roll=np.pi / 2)
            )
    return pieces


SHAPES = named(_speaker, _table_fan, _radio, _lamp)
