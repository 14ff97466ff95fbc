"""Parametric crockery. Conventions and colours as in own_shapes.py."""

import numpy as np

from po3d.synthesis.shapes.limbs import bar, scaled, smooth
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, moved, ring, tube
from po3d.synthesis.shapes.turned import drum, girdle, radius_at, upright, vessel


def _teapot(random: Random) -> list[Piece]:
    u, r, high = random.uniform, random.uniform(0.06, 0.078), random.uniform(0.1, 0.15)
    shoulder, foot, neck = u(0.4, 0.72), u(0.5, 0.85), u(0.42, 0.62)
    line = [
        (0, 0),
        (r * foot, 0),
        (r * foot, 0.006),
        (r * 0.98, high * (shoulder - 0.25)),
        (r, high * shoulder),
        (r * neck * 1.1, high * 0.94),
        (r * neck, high),
        (0, high),
    ]
    curve = smooth(line)
    pieces = main(upright(curve, 28))
    rise = u(0.01, 0.03)
    pieces += main(
        drum(
            [
                (r * neck * 1.06, high - 0.002),
                (r * neck * 0.9, high + rise * 0.6),
                (0.006, high + rise),
            ],
            24,
        )
    )
    pieces += painted("knob", ball((0.011, 0.011, u(0.008, 0.014)), (0, 0, high + rise + 0.007), 2))
    tip, lift = r + u(0.04, 0.06), high * u(0.85, 1.05)
    spout = smooth(
        [
            (0, r * 0.6, high * 0.25),
            (0, r * 1.15, high * 0.3),
            (0, r * 1.25, high * 0.7),
            (0, tip, lift),
        ]
    )
    pieces += main(tube(spout, np.linspace(0.022, 0.008, len(spout)), 10))
    if random.random() < 0.75:
        loop = u(0.03, 0.05)
        grip = [
            (0, -r * 0.75, high * 0.85),
            (0, -r - loop, high * 0.95),
            (0, -r - loop * 1.1, high * 0.35),
            (0, -r * 0.8, high * 0.2),
        ]
        pieces += main(bar(grip, u(0.006, 0.009), 10, 3))
    else:
        top = high * u(1.5, 1.75)
        grip = [(0, -r * 0.8, high * 0.8), (0, -r, top), (0, r, top), (0, r * 0.8, high * 0.8)]
        pieces += solid("hoop", pick(random, "wood", "chrome"), bar(grip, 0.006, 10, 3))
    for f in np.linspace(0.3, 0.7, int(random.integers(0, 3))):
        pieces += painted("band", girdle(curve[curve[:, 0] > 1e-6], f * high, 0.0025, 0.01))
    return pieces


def _mug(random: Random) -> list[Piece]:
    u, r, high = random.uniform, random.uniform(0.037, 0.046), random.uniform(0.085, 0.115)
    low, waist = r * u(0.75, 1.05), r * u(0.9, 1.1)
    line = smooth([(low * 0.92, 0), (low, 0.006), (waist, high * 0.5), (r, high)], 2)
    pieces = main(vessel(line, 0.004, 28))
    if random.random() < 0.85:
        drink = high * u(0.7, 0.9)
        inner = radius_at(line, drink) - 0.0035
        pieces += painted("drink", drum([(inner, drink - 0.006), (inner, drink)], 28))
    out, top, bottom = u(0.024, 0.036), high * u(0.75, 0.88), high * u(0.15, 0.3)
    side = radius_at(line, bottom), radius_at(line, top)
    if random.random() < 0.7:
        grip = [
            (side[1] - 0.002, 0, top),
            (r + out * 1.15, 0, top + 0.004),
            (r + out, 0, bottom),
            (side[0] - 0.002, 0, bottom),
        ]
    else:
        grip = [
            (side[1] - 0.002, 0, top),
            (r + out, 0, top),
            (r + out, 0, top - 0.01),
            (r + out, 0, bottom),
            (side[0] - 0.002, 0, bottom),
        ]
    pieces += main(moved(bar(grip, u(0.0045, 0.007), 10, 2), yaw=random.choice([0.0, np.pi])))
    if random.random() < 0.5:
        mark, z = int(random.integers(1, 3)), np.sort(random.uniform(0.25, 0.75, 2)) * high
        for k in range(mark):
            pieces += painted("band", girdle(line, z[k], 0.0016, u(0.006, 0.016)))
    return pieces


def _bowl(random: Random) -> list[Piece]:
    u, r, high = random.uniform, random.uniform(0.17, 0.22), random.uniform(0.11, 0.2)
    foot, belly, oval = (
        r * u(0.32, 0.5),
        u(0.8, 1.02),
        1.0 if random.random() < 0.6 else u(0.75, 0.9),
    )
    profile = [
        (foot, 0),
        (foot, 0.012),
        (foot * 1.05, 0.016),
        (r * 0.75 * belly, high * 0.3),
        (r * 0.95 * belly, high * 0.65),
        (r, high),
    ]
    line = smooth(profile)
    wall = u(0.008, 0.016)
    pieces = main(vessel(line, wall, 36))
    if random.random() < 0.6:
        pieces += main(
            moved(ring(r - wall / 2, wall * 0.8, sides=36), (0, 0, high), roll=np.pi / 2)
        )
    if random.random() < 0.5:
        pieces += painted("band", girdle(line, high * u(0.6, 0.85), 0.003, 0.02, 36))
    filled = int(random.integers(4))
    if filled == 1:  # soup
        z = high * 0.7
        radius = radius_at(line, z) - wall * 0.9
        pieces += painted("soup", drum([(radius, z - 0.01), (radius, z)], 36))
    elif filled == 2:  # fruit
        for k in range(int(random.integers(4, 8))):
            t, size = 2.4 * k, u(0.036, 0.05)
            at = (
                (r * 0.4 * np.cos(t), r * 0.4 * np.sin(t), high * 0.55 + 0.02 * (k % 2))
                if k
                else (0, 0, high * 0.85)
            )
            pieces += painted(f"fruit{k % 3}", ball((size, size, size * u(0.85, 1.05)), at, 2))
    return scaled(pieces, (1.0, oval, 1.0))


def _cup(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(3))
    r, high = u(0.036, 0.046), u(0.075, 0.115)
    if kind == 0:  # a beaker, some with a lid and a straw
        low, wall = r * u(0.66, 0.9), 0.003
        rows = [
            (low, 0),
            (low + 0.25 * (r - low), high * 0.3),
            (r * 0.98, high * 0.94),
            (r + 0.002, high * 0.95),
            (r + 0.002, high),
        ]
        pieces = main(vessel(rows, wall, 28))
        if random.random() < 0.5:
            pieces += painted(
                "lid",
                drum([(r + 0.004, high), (r + 0.004, high + 0.006), (r * 0.85, high + 0.012)], 28),
            )
            if random.random() < 0.6:
                path = [(0, 0, high * 0.5), (0.004, 0, high + 0.035), (0.02, 0.01, high + 0.055)]
                pieces += painted("straw", bar(path, 0.003, 8, 1))
        for z in (0.35, 0.6)[: int(random.integers(0, 3))]:
            pieces += painted("band", girdle(rows, z * high, 0.0015, u(0.004, 0.02)))
        return pieces
    round_ = kind == 1
    high *= 0.72 if round_ else 0.9
    foot = r * u(0.45, 0.6) if round_ else r * u(0.75, 0.95)
    belly = r * u(0.85, 1.0)
    line = smooth([(foot, 0), (foot, 0.006), (belly, high * 0.35), (r, high)])
    pieces = main(vessel(line, 0.003, 28))
    z = high * u(0.7, 0.88)
    inner = radius_at(line, z) - 0.0025
    pieces += painted("drink", drum([(inner, z - 0.004), (inner, z)], 24))
    loop, a, b = u(0.018, 0.026), high * u(0.75, 0.9), high * u(0.25, 0.4)
    grip = [
        (0, r * 0.93, a),
        (0, r + loop, a + 0.003),
        (0, r + loop * 0.8, b),
        (0, radius_at(line, b) - 0.001, b),
    ]
    pieces += main(bar(grip, u(0.003, 0.0045), 8))
    if random.random() < 0.6:  # a saucer
        w = r * u(1.35, 1.6)
        dish = [
            (foot * 1.1, -0.004),
            (w * 0.8, 0.0),
            (w, 0.008),
            (w * 0.98, 0.011),
            (foot * 1.2, 0.002),
        ]
        pieces += main(drum(dish, 28))
    return pieces


SHAPES = named(_teapot, _mug, _bowl, _cup)
