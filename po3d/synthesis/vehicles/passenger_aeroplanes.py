"""Passenger aeroplanes: airliner and business jet. A fuselage is ten units long, the nose along
x.
"""

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, painted
from po3d.synthesis.shapes.primitives import ball, box, moved, slab, wing
from po3d.synthesis.vehicles import aeroplane_parts as parts

Rng = np.random.Generator


def airliner(rng: Rng) -> list[Piece]:
    """Airliner: a long tube with rows of windows, swept low wings, two or four engines under them,
    a tall swept fin.
    """
    u = rng.uniform
    length, radius = 10.0, u(0.46, 0.62)
    ground = u(0.5, 0.7)
    z, tyre = ground + radius, parts.tyre(rng)
    body, stations = parts.body(
        length, radius, z, u(1.1, 1.6), u(2.8, 3.6), u(0.05, 0.25), u(0.45, 0.65)
    )
    pieces = body + parts.cockpit(stations, length / 2 - 0.35, 0.5)
    pitch = u(0.3, 0.42)
    xs = np.arange(length / 2 - 1.6, -length / 2 + 2.6, -pitch)
    pieces += parts.windows(stations, xs, (pitch * 0.55, radius * 0.22), u(0.15, 0.3))
    if rng.random() < 0.25:  # the upper deck of a jumbo
        pieces += parts.windows(stations, xs[: len(xs) // 2], (pitch * 0.55, radius * 0.18), 0.66)
    for word, x in (
        ("left", length / 2 - 1.25),
        ("right", length / 2 - 1.25),
        ("left", -length / 2 + 2.9),
        ("right", -length / 2 + 2.9),
    ):
        sign = 1 if word == "left" else -1
        pieces += painted(
            f"door_{word}_s",
            box(0.26, 0.06, radius * 0.8, (x, sign * radius * 0.975, z + radius * 0.1)),
        )
    half, sweep, dihedral = u(4.2, 4.8), u(2.0, 2.9), u(0.3, 0.6)
    root_x, chord, tip = u(0.9, 1.6), u(1.8, 2.3), u(0.4, 0.65)
    root_z = z - radius * u(0.55, 0.75)
    kink = 0.35  # the trailing edge is straighter inboard
    a, b = (root_x, 0.0, root_z), (root_x - sweep, half, root_z + dihedral)
    middle = tuple(np.add(a, np.multiply(np.subtract(b, a), kink)))
    chord_kink = tip + (chord - tip) * 0.55
    pieces += parts.pair("wing", a, middle, (chord, chord_kink), 0.13)
    pieces += parts.pair("wing", middle, b, (chord_kink, tip), 0.11)
    if rng.random() < 0.5:  # winglets
        up = u(0.3, 0.55)
        pieces += parts.pair(
            "wing", b, (b[0] - tip * 0.6, half + 0.12, b[2] + up), (tip, tip * 0.4), 0.1
        )
    thick, long = u(0.26, 0.36), u(1.0, 1.35)
    places = (0.33,) if rng.random() < 0.65 else (0.3, 0.58)
    for share in places:
        x, y, wz = np.add(a, np.multiply(np.subtract(b, a), share))
        front = np.array([x + long * 0.55, y, wz - thick * 1.15])
        for word, sign in parts.SIDES:
            at = front * [1, sign, 1]
            pieces += parts.engine(
                f"engine_{word}", at, long, thick if share == places[0] else thick * 0.9
            )
            pylon = [
                (at[0] - long * 0.15, at[2] + thick * 0.8),
                (at[0] - long * 0.9, at[2] + thick * 0.6),
                (at[0] - long * 1.1, wz),
                (at[0] - long * 0.5, wz + 0.05),
            ]
            pieces += painted(f"engine_{word}", moved(slab(pylon, 0.09), (0, at[1], 0)))
    fin, fin_x = u(1.5, 1.9), -length / 2 + u(1.7, 2.0)
    back = u(1.1, 1.5)
    top = z + radius * 0.8
    pieces += painted(
        "fin", wing((fin_x, 0, top - 0.2), (fin_x - back, 0, top + fin), (1.6, 0.65), 0.1)
    )
    low = rng.random() < 0.92
    tail_half = u(1.5, 1.9)
    tail_z = z + radius * 0.55 if low else top + fin - 0.1
    tail_x = -length / 2 + 1.35 if low else fin_x - back + 0.15
    pieces += parts.pair(
        "tailplane",
        (tail_x, 0.0, tail_z),
        (tail_x - 0.95, tail_half, tail_z + 0.15),
        (1.15, 0.45),
        0.1,
    )
    pieces += parts.gear("wheel_front", (length / 2 - 1.6, 0.0), z - radius * 0.8, 0.17, tyre)
    for word, sign in parts.SIDES:
        pieces += parts.gear(f"wheel_back_{word}", (root_x - 1.5, sign * 0.75), root_z, 0.23, tyre)
    return pieces


def jet(rng: Rng) -> list[Piece]:
    """Business jet: short round fuselage, round windows, low wings, engines beside the tail, a
    T-tail.
    """
    u = rng.uniform
    length, radius = 10.0, u(0.55, 0.72)
    ground = u(0.5, 0.75)
    z, tyre = ground + radius, parts.tyre(rng)
    body, stations = parts.body(
        length, radius, z, u(1.9, 2.7), u(3.2, 4.2), u(0.3, 0.55), u(0.3, 0.55), blunt=u(0.6, 0.85)
    )
    pieces = body + parts.cockpit(stations, length / 2 - u(0.9, 1.2), 0.75, 0.4)
    count = int(rng.integers(4, 8))
    first = length / 2 - u(2.9, 3.3)
    pieces += parts.windows(stations, first - np.arange(count) * 0.52, (0.27, 0.26), 0.3)
    pieces += painted(
        "door_left_s",
        box(0.5, 0.06, radius * 1.1, (length / 2 - 2.45, radius * 0.95, z + radius * 0.1)),
    )
    half, sweep, dihedral = u(5.4, 6.4), u(0.4, 2.2), u(0.25, 0.6)
    root_x, chord, tip = u(0.4, 1.0) + 0.2 * sweep, u(1.7, 2.2), u(0.65, 0.95)
    root_z = z - radius * u(0.6, 0.8)
    a, b = (root_x, 0.0, root_z), (root_x - sweep, half, root_z + dihedral)
    pieces += parts.pair("wing", a, b, (chord, tip), 0.13)
    ending = rng.choice(["none", "winglet", "tank"], p=[0.35, 0.45, 0.2])
    if ending == "winglet":
        pieces += parts.pair(
            "wing", b, (b[0] - 0.4, half + 0.15, b[2] + u(0.4, 0.7)), (tip, tip * 0.45), 0.1
        )
    elif ending == "tank":
        for word, sign in parts.SIDES:
            pieces += painted(
                f"wing_{word}", ball((1.0, 0.17, 0.17), (b[0] - 0.3, sign * half, b[2]))
            )
    long, thick = u(1.7, 2.2), u(0.33, 0.42)
    if rng.random() < 0.75:  # beside the tail
        x, y, ez = u(-1.6, -1.2), radius * 0.75 + thick + 0.15, z + radius * u(0.35, 0.55)
        for word, sign in parts.SIDES:
            pieces += parts.engine(f"engine_{word}", np.array([x, sign * y, ez]), long, thick)
            pieces += painted(
                f"engine_{word}", box(long * 0.5, y, 0.12, (x - long * 0.45, sign * y * 0.5, ez))
            )
    else:  # on the wings, as on light twins: jets or propellers
        share, turbo = u(0.26, 0.34), rng.random() < 0.5
        x, y, wz = np.add(a, np.multiply(np.subtract(b, a), share))
        for word, sign in parts.SIDES:
            at = np.array([x + long * 0.5, sign * y, wz + (0.1 if turbo else -thick * 0.6)])
            pieces += parts.engine(f"engine_{word}", at, long, thick * 0.85)
            if turbo:
                pieces += parts.propeller(rng, at, 0.85, int(rng.integers(3, 5)))
    fin, back, fin_x = u(1.5, 1.9), u(0.9, 1.5), -length / 2 + u(2.1, 2.5)
    top = z + radius * 0.75
    pieces += painted(
        "fin", wing((fin_x, 0, top - 0.2), (fin_x - back, 0, top + fin), (1.9, 1.0), 0.1)
    )
    level = rng.choice([1.0, 0.5, 0.0], p=[0.7, 0.15, 0.15])  # T-tail, cruciform, low
    tail_z, tail_x, tail_half = (
        top - 0.1 + level * fin,
        fin_x - 0.25 - back * level + 0.15,
        u(1.7, 2.3),
    )
    pieces += parts.pair(
        "tailplane",
        (tail_x, 0.0, tail_z),
        (tail_x - u(0.4, 0.8), tail_half, tail_z + 0.08),
        (1.05, 0.5),
        0.1,
    )
    pieces += parts.gear("wheel_front", (length / 2 - 2.0, 0.0), z - radius * 0.7, 0.2, tyre)
    for word, sign in parts.SIDES:
        pieces += parts.gear(
            f"wheel_back_{word}", (root_x - 1.2, sign * 1.1), root_z + 0.1, 0.24, tyre, twin=False
        )
    return pieces
