"""Parametric kitchen machines. Conventions and colours as in own_shapes.py."""

import numpy as np

from po3d.synthesis.shapes.limbs import bar, smooth
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, box, loft, moved, ring, tube
from po3d.synthesis.shapes.sheets import block, board, panel
from po3d.synthesis.shapes.turned import disc, drum, girdle, upright, vessel


def _kettle(random: Random) -> list[Piece]:
    return [_jug_kettle, _stove_kettle, _stove_kettle, _moka][int(random.integers(4))](random)


def _jug_kettle(random: Random) -> list[Piece]:
    """Electric: a tall body on a base, a lip, a handle from top to bottom."""
    u, low, top = random.uniform, random.uniform(0.056, 0.066), random.uniform(0.038, 0.05)
    high, belly, trim = u(0.17, 0.22), low * u(0.88, 1.06), pick(random, "dark", "chrome", "dark")
    line = [
        (0, 0.016),
        (low, 0.016),
        (low, 0.03),
        (belly, high * 0.45),
        (top, high),
        (0, high + 0.002),
    ]
    pieces = main(upright(smooth(line), 28))
    pieces += solid("base", "dark", drum([(low * 1.12, 0), (low * 1.1, 0.014), (low, 0.02)], 28))
    lid = [(0, high), (top * 0.9, high), (top * 0.8, high + 0.012), (0, high + 0.016)]
    pieces += solid("base", trim, upright(lid, 24))
    pieces += solid("knob", trim, ball((0.012, 0.012, 0.008), (0, 0, high + 0.02), 2))
    lip, drop = u(0.02, 0.036), high * u(0.16, 0.35)
    cut = [[(s * top * 0.6, top * 0.6, z) for s in (-1, 1)] + [(0, top + out, z)] for z, out in
           ((high - drop, -0.004), (high - drop * 0.4, lip * 0.5), (high, lip))]  # fmt: skip
    pieces += main(loft(cut))
    reach, thick = top + u(0.04, 0.06), u(0.009, 0.013)
    grip = [
        (0, -top * 0.7, high),
        (0, -reach, high * 1.02),
        (0, -reach - 0.012, high * 0.6),
        (0, -low * 0.9, high * u(0.1, 0.3)),
    ]
    pieces += solid("grip", trim, bar(grip, thick, 10, 3))
    return pieces


def _stove_kettle(random: Random) -> list[Piece]:
    """For the stove: a broad body, a short spout, a handle over the top."""
    u, r, high = random.uniform, random.uniform(0.075, 0.09), random.uniform(0.09, 0.13)
    shoulder, trim = u(0.3, 0.75), pick(random, "dark", "wood", "chrome")
    profile = [
        (0, 0),
        (r * u(0.8, 1.0), 0),
        (r, high * 0.2),
        (r * 0.98, high * shoulder),
        (r * 0.5, high),
        (0, high),
    ]
    line = smooth(profile)
    pieces = main(upright(line, 28))
    pieces += main(
        upright(
            [
                (0, high - 0.004),
                (r * 0.48, high - 0.004),
                (r * 0.4, high + 0.008),
                (0, high + 0.012),
            ],
            24,
        )
    )
    pieces += solid("knob", trim, ball((0.013, 0.013, 0.011), (0, 0, high + 0.02), 2))
    out = smooth(
        [
            (0, r * 0.7, high * 0.45),
            (0, r * 1.05, high * 0.7),
            (0, r + u(0.02, 0.04), high * u(0.9, 1.15)),
        ]
    )
    pieces += main(tube(out, np.linspace(0.026, u(0.009, 0.013), len(out)), 10))
    rise, flat = high * u(1.55, 1.9), u(0.55, 0.95)
    grip = [
        (0, -r * 0.8, high * 0.7),
        (0, -r * flat, rise),
        (0, r * flat, rise),
        (0, r * 0.8, high * 0.7),
    ]
    pieces += solid("hoop", pick(random, "chrome", "dark"), bar(grip, 0.005, 8, 3))
    top = [
        (0, -r * flat * 0.55, rise * 0.965),
        (0, 0, rise * 0.985),
        (0, r * flat * 0.55, rise * 0.965),
    ]
    pieces += solid("grip", trim, tube(top, u(0.009, 0.013), 10))
    if random.random() < 0.6:
        pieces += solid("band", "chrome", girdle(line[1:-1], high * u(0.1, 0.3), 0.002, 0.01))
    return pieces


def _moka(random: Random) -> list[Piece]:
    """For espresso: two cones of eight sides, foot to foot."""
    u, r, high = random.uniform, random.uniform(0.042, 0.052), random.uniform(0.14, 0.18)
    waist, middle, sides = (
        r * u(0.62, 0.75),
        high * u(0.42, 0.52),
        int(pick(random, "8", "8", "10", "24")),
    )
    lower = [(r, 0), (r, 0.006), (waist, middle)]
    upper = [(waist * 1.04, middle), (r * u(0.92, 1.05), high * 0.9)]
    pieces = main(drum(lower, sides), drum(upper, sides))
    pieces += solid(
        "collar",
        "chrome",
        moved(ring(waist, 0.005, 0.014, sides=24), (0, 0, middle), roll=np.pi / 2),
    )
    pieces += main(
        upright(
            [(0, high * 0.89), (r, high * 0.89), (r * 0.9, high * 0.93), (0, high * 0.97)], sides
        )
    )
    trim = pick(random, "dark", "dark", "wood")
    knob = upright(
        [(0, high * 0.95), (0.006, high * 0.95), (0.01, high + 0.006), (0, high + 0.01)], 12
    )
    pieces += solid("knob", trim, knob)
    lip = r + u(0.012, 0.022)
    cut = [
        [(-0.012, r * 0.75, z), (0.012, r * 0.75, z), (0, y, z)]
        for z, y in ((high * 0.68, r * 0.9), (high * 0.89, lip))
    ]
    pieces += main(loft(cut))
    grip = [
        (0, -r * 0.8, high * 0.84),
        (0, -r - 0.05, high * 0.88),
        (0, -r - 0.055, high * 0.72),
        (0, -r - 0.038, high * u(0.4, 0.55)),
    ]
    pieces += solid("grip", trim, bar(grip, u(0.006, 0.009), 10))
    return pieces


def _toaster(random: Random) -> list[Piece]:
    u, wide, deep, high = random.uniform, *random.uniform((0.24, 0.14, 0.15), (0.34, 0.2, 0.2))
    edge, side = u(0.02, 0.07), random.choice([-1, 1])
    body = panel(
        wide, high - 0.014, edge, deep, (-deep / 2, 0, high / 2 + 0.007), u(0.008, 0.03), 4
    )
    pieces = main(body)
    metal = pick(random, "chrome", "dark", "chrome")
    pieces += solid(
        "foot", "dark", block((deep * 0.92, wide * 0.94, 0.016), (0, 0, 0), 0.02, 0.004)
    )
    rows = 2 if random.random() < 0.8 else 1
    slot, long, bread = deep * 0.14, wide * u(0.62, 0.72), random.random()
    pieces += solid(
        "top",
        metal,
        block((deep * 0.66, long + 0.03, 0.006), (0, 0, high - 0.003), 0.012, 0.002, 3),
    )
    for k in range(rows):
        x = (k - (rows - 1) / 2) * deep * 0.34
        pieces += solid("slot", "tyre", box(slot, long, 0.008, (x, 0, high + 0.0015)))
        if bread < 0.5:
            out, n = u(0.025, 0.06), 1 if rows == 2 else 2
            for j in range(n):
                y = (j - (n - 1) / 2) * long * 0.5
                slice_ = panel(
                    long * 0.78 / n,
                    0.1,
                    0.025,
                    slot * 0.7,
                    (x - slot * 0.35, y, high + out - 0.05),
                    0.003,
                    3,
                )
                pieces += painted("toast", slice_)
                crumb = panel(
                    long * 0.62 / n,
                    0.085,
                    0.02,
                    slot * 0.74,
                    (x - slot * 0.37, y, high + out - 0.05),
                    0.002,
                    3,
                )
                pieces += painted("crumb", crumb)
    z = high * u(0.5, 0.75)
    pieces += solid("slot", "tyre", box(0.012, 0.004, high * 0.5, (0, side * wide / 2, high * 0.5)))
    pieces += solid(
        "lever",
        metal,
        block((0.045, 0.03, 0.014), (0, side * (wide / 2 + 0.01), z), 0.012, 0.004, 3),
    )
    turn = np.pi / 2 * side
    knob = moved(
        disc(0.016, 0.016, sides=18), (deep * 0.25, side * wide / 2, high * 0.28), yaw=turn
    )
    pieces += solid("knob", metal, knob)
    for k in range(int(random.integers(0, 4))):
        button = moved(
            disc(0.007, 0.008, sides=10),
            (-deep * 0.28, side * wide / 2, high * (0.25 + 0.12 * k)),
            yaw=turn,
        )
        pieces += solid("button", "white", button)
    if random.random() < 0.5:
        for s in (-1, 1):
            cheek = panel(deep * 0.9, (high - 0.02) * 0.96, edge * 0.5, 0.012, (0, 0, 0), 0.004, 3)
            pieces += solid(
                "cheek", "dark", moved(cheek, (0, s * wide / 2 * 0.97, high / 2), yaw=s * np.pi / 2)
            )
    return pieces


def _blender(random: Random) -> list[Piece]:
    u, base, jar = random.uniform, random.uniform(0.1, 0.16), random.uniform(0.18, 0.25)
    r, waist = u(0.068, 0.085), u(0.045, 0.056)
    if random.random() < 0.5:
        body = upright(
            smooth(
                [(0, 0), (r, 0), (r, base * 0.25), (waist, base * 0.9), (waist, base), (0, base)], 2
            ),
            24,
        )
    else:
        body = block((2 * r, 2 * r * 0.92, base), (0, 0, 0), 0.03, 0.02, 3)
    pieces = main(body)
    pieces += solid(
        "collar", "dark", drum([(waist * 0.95, base - 0.005), (waist * 0.9, base + 0.02)], 24)
    )
    z, top = base + 0.015, waist * u(1.15, 1.55)
    sides = int(pick(random, "4", "8", "24", "24"))
    jar_line = [(waist * 0.8, z), (waist * 0.9, z + 0.03), (top, z + jar)]
    pieces += painted("jar", moved(drum(jar_line, sides), yaw=np.pi / sides))
    pieces += painted(
        "jar",
        moved(ring(top * 0.96, 0.004, sides=24, around=4), (0, 0, z + jar - 0.008), roll=np.pi / 2),
    )
    if random.random() < 0.6:  # something in it
        f = u(0.35, 0.75)
        inner = waist * 0.9 + (top - waist * 0.9) * f + 0.002
        line = [
            (0, z + 0.01),
            (waist * 0.9 + 0.0015, z + 0.03),
            (inner, z + jar * f),
            (0, z + jar * f + 0.001),
        ]
        pieces += painted("juice", moved(upright(line, sides), yaw=np.pi / sides))
    cap = z + jar
    lid = drum(
        [(top * 1.03, cap), (top, cap + 0.02), (0.028, cap + 0.024), (0.024, cap + 0.042)], 24
    )
    pieces += solid("lid", "dark", lid)
    grip = [
        (-top * 0.85, 0, cap - 0.015),
        (-top - 0.045, 0, cap - 0.02),
        (-top - 0.035, 0, z + jar * 0.3),
        (-waist * 0.8, 0, z + 0.03),
    ]
    pieces += solid("grip", "dark", bar(grip, u(0.008, 0.011), 10))
    x = r if sides == 4 else r * 0.96
    if random.random() < 0.55:
        pieces += solid("knob", "chrome", disc(0.024, 0.022, (x * 0.88, 0, base * 0.42), 20))
    else:
        many = int(random.integers(3, 6))
        for y in (np.arange(many) - (many - 1) / 2) * 0.021:
            pieces += solid(
                "button", "white", panel(0.016, 0.022, 0.004, 0.03, (x * 0.72, y, base * 0.4))
            )
    pieces += solid("trim", "chrome", drum([(r * 1.02, 0.004), (r * 1.02, 0.014)], 24))
    for t in (0, np.pi / 2):
        pieces += solid("blade", "chrome", board((0.06, 0.012, 0.003), (0, 0, z + 0.025), yaw=t))
    return pieces


def _coffee_maker(random: Random) -> list[Piece]:
    u, wide, deep, high = random.uniform, *random.uniform((0.16, 0.23, 0.26), (0.22, 0.3, 0.36))
    edge, foot, head = u(0.01, 0.05), u(0.03, 0.05), high * u(0.2, 0.28)
    tower, x = deep * u(0.32, 0.4), deep / 2
    pieces = main(block((deep, wide, foot), (0, 0, 0), edge, 0.006, 3))
    pieces += main(
        block((tower, wide, high - head * 0.5), (-x + tower / 2, 0, 0), min(edge, 0.03), 0.006, 3)
    )
    reach = deep * u(0.84, 0.98)
    pieces += main(block((reach, wide, head), (-x + reach / 2, 0, high - head), edge, 0.01, 3))
    pot, jug = (x - deep * 0.31, 0.0), high - head - foot - 0.03
    r = min(deep * 0.3, wide * 0.44)
    pieces += solid("plate", "dark", drum([(r, foot), (r, foot + 0.006)], 24, (*pot, 0)))
    z = foot + 0.006
    kind = pick(random, "jug", "jug", "steel", "cup")
    if kind == "cup":
        line = [(r * 0.45, z), (r * 0.5, z + 0.01), (r * 0.6, z + jug * 0.6)]
        pieces += solid("cup", "white", vessel(line, 0.004, 20, (*pot, 0)))
        cup = moved(
            ring(0.02, 0.005, sides=14), (pot[0], pot[1] + r * 0.62, z + jug * 0.32), yaw=np.pi / 2
        )
        pieces += solid("cup", "white", cup)
        pieces += solid(
            "spout",
            "chrome",
            drum([(0.012, high - head - 0.04), (0.02, high - head)], 12, (*pot, 0)),
        )
    else:
        belly = [
            (r * 0.8, z),
            (r * 0.96, z + jug * 0.28),
            (r * 0.92, z + jug * 0.5),
            (r * 0.6, z + jug * 0.82),
            (r * 0.62, z + jug * 0.9),
        ]
        f = u(0.25, 0.55)
        fill = [(r * 0.815, z - 0.0002), (r * 0.975, z + jug * 0.28), (r * 0.97, z + jug * f)]
        pieces += solid(
            "glass" if kind == "jug" else "steel",
            "paint" if kind == "jug" else "chrome",
            drum(belly, 28, (*pot, 0)),
        )
        if kind == "jug":
            pieces += painted("coffee", drum(fill, 28, (*pot, 0)))
        pieces += solid(
            "lid", "dark", drum([(r * 0.66, z + jug * 0.88), (r * 0.6, z + jug)], 20, (*pot, 0))
        )
        turn = random.choice([-0.9, 0.0, 0.9])
        grip = np.array(
            [
                (r * 0.55, 0, z + jug * 0.9),
                (r * 1.35, 0, z + jug * 0.9),
                (r * 1.3, 0, z + jug * 0.4),
                (r * 0.9, 0, z + jug * 0.3),
            ]
        )
        pieces += solid("grip", "dark", moved(bar(grip, 0.009, 10), (*pot, 0), yaw=turn))
    face = -x + reach
    pieces += solid(
        "fascia",
        pick(random, "chrome", "dark"),
        panel(wide * 0.7, head * 0.6, 0.008, 0.005, (face, 0, high - head / 2), 0.001),
    )
    if random.random() < 0.5:
        pieces += solid(
            "display", "lamp", panel(0.05, 0.018, 0.003, 0.008, (face, 0, high - head * 0.42))
        )
    for y in np.linspace(-0.24, 0.24, int(random.integers(1, 4))) * wide:
        pieces += solid("button", "white", disc(0.008, 0.012, (face, y, high - head * 0.68), 12))
    if random.random() < 0.5:
        gauge = moved(
            panel(0.02, high * 0.4, 0.008, 0.003, (0, 0, 0)),
            (-x + tower / 2, wide / 2, high * 0.45),
            yaw=np.pi / 2,
        )
        pieces += solid("gauge", "glass", gauge)
    return pieces


SHAPES = named(_kettle, _toaster, _blender, _coffee_maker)
