"""Aeroplanes: fighter and biplane; passenger types are in passenger_aeroplanes.py. The nose is
along x, a fuselage is about ten units long.
"""

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, painted, solid
from po3d.synthesis.shapes.primitives import (
    ball,
    box,
    hull,
    lathe,
    moved,
    rod,
    rounded,
    slab,
    tube,
    wing,
)
from po3d.synthesis.vehicles import aeroplane_parts as parts
from po3d.synthesis.vehicles.passenger_aeroplanes import airliner, jet

Rng = np.random.Generator


def fighter(rng: Rng) -> list[Piece]:
    """Fighter: a pointed nose, a bubble canopy, delta or swept wings, one or two fins, one or two
    nozzles.
    """
    u = rng.uniform
    length, half_width, depth = 10.0, u(0.5, 0.75), u(0.42, 0.55)
    gear = rng.random() < 0.45
    z = depth + (u(0.45, 0.6) if gear else 0.02)
    front, end, twin = length / 2, -length / 2, rng.random() < 0.7
    nose = u(2.4, 3.2)
    tail = 0.95 if twin else 0.75
    stations = [
        (front, 0.03, z - 0.13, z - 0.07),
        (front - 0.4, 0.13, z - 0.25, z + 0.04),
        (front - nose * 0.5, 0.32, z - 0.42, z + 0.25),
        (front - nose, 0.44, z - depth, z + 0.4),
        (0.8, half_width, z - depth, z + 0.46),
        (-2.0, half_width * 1.15, z - depth, z + 0.45),
        (-3.8, half_width * tail, z - depth * 0.85, z + 0.4),
        (end + 0.55, half_width * tail * 0.85, z - depth * 0.6, z + 0.35),
    ]
    pieces = painted("fuselage", hull(stations, 12, 0.8))
    seat = front - nose - u(-0.3, 0.2)
    glass = [
        (seat + 0.75, 0.08, z + 0.12, z + 0.22),
        (seat + 0.35, 0.24, z + 0.1, z + 0.5),
        (seat - 0.15, 0.28, z + 0.1, z + 0.66),
        (seat - 0.9, 0.24, z + 0.2, z + 0.6),
        (seat - 1.5, 0.12, z + 0.3, z + 0.48),
    ]
    pieces += solid("cockpit", "glass" if rng.random() < 0.7 else "dark", hull(glass, 10))
    bright = "chrome" if rng.random() < 0.4 else "paint"
    for name, sign in (("engine_left", 1), ("engine_right", -1)) if twin else (("engine", 0),):
        y = sign * half_width * 0.45
        flare = np.array([0.36, 0.34, 0.28, 0.2]) * (1.0 if twin else 1.15)
        pieces += solid(
            name, bright, tube([(end + x, y, z) for x in (0.8, 0.15, 0.0, -0.03)], flare, 10)
        )
        pieces += solid(
            name, "dark", tube([(end + 0.3, y, z), (end - 0.04, y, z)], flare[3] * 0.95, 8)
        )
    intake = [
        (front - nose - 0.6, z - depth * 0.9),
        (front - nose - 0.9, z + 0.2),
        (-2.2, z + 0.2),
        (-2.2, z - depth * 0.9),
    ]
    chin = not twin and rng.random() < 0.5
    for _, sign in parts.SIDES if not chin else (("", 0),):
        y, w = sign * half_width * 0.85, 0.34 if not chin else 0.6
        shape = np.array(intake) - [0, 0.25 if chin else 0.0]
        pieces += painted("intake", moved(slab(shape, w, 0.05), (0, y, 0)))
        x, low, high = shape[0][0], shape[0][1] + 0.07, shape[1][1] - 0.07
        pieces += solid(
            "intake",
            "dark",
            box(0.05, w * 0.75, high - low, (x - 0.13, y, (low + high) / 2), pitch=-0.42),
        )
    half, dihedral = u(3.9, 4.5), u(-0.15, 0.1)
    wing_z = z + u(-0.15, 0.3)
    plan = rng.choice(["delta", "swept", "trapeze"], p=[0.4, 0.3, 0.3])
    root_x, chord, sweep, tip = {
        "delta": (1.3 + u(-0.3, 0.4), u(4.4, 5.2), u(3.7, 4.3), u(0.25, 0.6)),
        "swept": (0.9 + u(-0.3, 0.3), u(2.6, 3.2), u(2.6, 3.4), u(0.9, 1.3)),
        "trapeze": (0.7 + u(-0.3, 0.3), u(3.0, 3.6), u(1.8, 2.4), u(0.8, 1.2)),
    }[str(plan)]
    inner, outer = (root_x, half_width * 0.5, wing_z), (root_x - sweep, half, wing_z + dihedral)
    pieces += parts.pair("wing", inner, outer, (chord, tip), 0.05)
    if plan != "delta" and rng.random() < 0.7:  # strakes ahead of the wing
        inner, outer = (
            (root_x + 1.7, half_width * 0.45, wing_z),
            (root_x - 0.6, half_width + 0.75, wing_z),
        )
        pieces += parts.pair("wing", inner, outer, (2.6, 0.6), 0.04)
    canards = plan == "delta" and rng.random() < 0.5
    tail_half, tail_x = u(1.9, 2.5), -2.9 + u(-0.2, 0.1)
    if canards:
        tail_x = root_x + u(1.3, 1.7)
        tail_half *= 0.75
    level = z + 0.15 * canards
    inner, outer = (tail_x, half_width * 0.5, level), (tail_x - u(1.0, 1.5), tail_half, level)
    pieces += parts.pair("tailplane", inner, outer, (1.6 - 0.3 * canards, 0.5), 0.06)
    fin, back, fin_x = u(1.1, 1.45), u(0.8, 1.3), u(-2.6, -2.2)
    if rng.random() < (0.8 if twin else 0.2):
        cant = u(0.0, 0.55)
        y = half_width * u(0.7, 0.9)
        root, top = (fin_x, y, z + 0.2), (fin_x - back, y + cant, z + 0.4 + fin)
        pieces += [("fin", m, g) for _, m, g in parts.pair("fin", root, top, (1.7, 0.75), 0.06)]
    else:
        pieces += painted(
            "fin",
            wing((fin_x + 0.2, 0, z + 0.3), (fin_x - back, 0, z + 0.6 + fin), (2.2, 0.8), 0.06),
        )
    if rng.random() < 0.5:  # missiles at the tips or under the wings
        for share in (1.0,) if rng.random() < 0.5 else (0.45, 0.7):
            x, y = root_x - sweep * share, half_width * 0.5 + (half - half_width * 0.5) * share
            lower = wing_z + dihedral * share - (0.0 if share == 1.0 else 0.22)
            for _, sign in parts.SIDES:
                line = [(x + s, sign * y, lower) for s in (0.7, 0.5, -1.1, -1.2)]
                pieces += solid(
                    "missile",
                    "white" if rng.random() < 0.3 else "paint",
                    tube(line, [0.02, 0.09, 0.09, 0.06], 6),
                )
    if gear:
        tyre = parts.tyre(rng)
        pieces += parts.gear(
            "wheel_front", (front - nose - 0.5, 0.0), z - 0.2, 0.19, tyre, twin=False
        )
        for word, sign in parts.SIDES:
            pieces += parts.gear(
                f"wheel_back_{word}",
                (-1.6, sign * (half_width + 0.2)),
                z - 0.1,
                0.24,
                tyre,
                twin=False,
            )
    return pieces


def biplane(rng: Rng) -> list[Piece]:
    """Biplane: two wings one above the other with struts and wires, a propeller, a tail wheel, open
    cockpits.
    """
    u = rng.uniform
    length = 7.0
    radius, axis = u(0.46, 0.56), u(1.45, 1.65)
    radial, tyre = rng.random() < 0.6, parts.tyre(rng)
    nose, end, z = 2.2, 2.2 - length + 0.5, axis
    stations = [
        (nose, radius * 0.95, z - radius, z + radius * 0.9),
        (1.2, radius, z - radius * 1.02, z + radius * 0.98),
        (-0.4, radius * 0.9, z - radius * 0.95, z + radius),
        (-2.0, radius * 0.55, z - radius * 0.5, z + radius * 0.75),
        (end + 0.3, radius * 0.2, z - radius * 0.05, z + radius * 0.55),
        (end, 0.05, z + 0.1, z + radius * 0.4),
    ]
    pieces = painted("fuselage", hull(stations, 12, u(0.65, 1.0)))
    if radial:
        cowl = [(nose + s, 0, z) for s in (-0.25, -0.1, 0.3, 0.42, 0.44)]
        pieces += solid(
            "engine",
            "paint" if rng.random() < 0.6 else "chrome",
            tube(cowl, np.array([1.0, 1.13, 1.12, 0.95, 0.7]) * radius, 14),
        )
        pieces += solid(
            "engine", "dark", tube([(nose + 0.3, 0, z), (nose + 0.46, 0, z)], radius * 0.72, 12)
        )
        for k in range(7):
            t = 2 * np.pi * k / 7
            a, b = (
                np.array([nose + 0.46, r * np.cos(t), z + r * np.sin(t)])
                for r in (0.08, radius * 0.66)
            )
            pieces += solid("engine", "chrome", rod(a, b, 0.06, 5))
        hub = np.array([nose + 0.5, 0, z])
    else:
        form = [
            (nose - 0.1, radius * 0.9, z - radius * 0.95, z + radius * 0.85),
            (nose + 0.5, radius * 0.6, z - radius * 0.7, z + radius * 0.55),
            (nose + 0.62, radius * 0.4, z - radius * 0.5, z + radius * 0.4),
        ]
        pieces += painted("engine", hull(form, 10, 0.7))
        for _, sign in parts.SIDES:
            pipe = rod(
                (nose + 0.3, sign * radius * 0.75, z),
                (nose - 0.6, sign * radius * 1.05, z - 0.15),
                0.05,
                5,
            )
            pieces += solid("engine", "chrome", pipe)
        hub = np.array([nose + 0.6, 0, z])
    pieces += parts.propeller(rng, hub, u(0.85, 1.1), 2 if rng.random() < 0.6 else 3)
    half, chord, gap = u(3.9, 4.5), u(1.2, 1.5), u(1.35, 1.65)
    stagger, sweep, short = u(0.0, 0.6), u(0.0, 0.4), u(0.82, 1.0)
    low_z, low_x = z - radius * u(0.7, 0.9), u(0.9, 1.2)
    up_z, up_x, rise_low, rise_up = low_z + gap, low_x + stagger, u(0.1, 0.3), u(0.0, 0.2)
    for x, y_end, level, rise in (
        (low_x, half * short, low_z, rise_low),
        (up_x, half, up_z, rise_up),
    ):
        # Full chord up to 88 % of the span, then rounded off.
        near = (x - sweep * 0.88, y_end * 0.88, level + rise * 0.88)
        pieces += parts.pair("wing", (x, 0.0, level), near, (chord, chord * 0.97), 0.1)
        pieces += parts.pair(
            "wing",
            near,
            (x - sweep - chord * 0.22, y_end, level + rise),
            (chord * 0.97, chord * 0.5),
            0.1,
        )
    stations_y = (0.68,) if rng.random() < 0.65 else (0.42, 0.78)
    strut = "paint" if rng.random() < 0.6 else "wood"
    inner = 0.14
    for share in stations_y:
        for _, sign in parts.SIDES:
            for dx in (-0.2, -0.75):
                y = sign * share * half * short
                low = (low_x + dx * chord - sweep * share, y, low_z + rise_low * share)
                high = (up_x + dx * chord - sweep * share, y, up_z + rise_up * share)
                pieces += solid("strut", strut, rod(low, high, 0.045, 5))
            for s0, s1 in ((inner, share), (share, inner)):
                low = (
                    low_x - 0.45 * chord - sweep * s0,
                    sign * s0 * half * short,
                    low_z + rise_low * s0,
                )
                high = (
                    up_x - 0.45 * chord - sweep * s1,
                    sign * s1 * half * short,
                    up_z + rise_up * s1,
                )
                pieces += solid("strut", "chrome", rod(low, high, 0.014, 4))
    for _, sign in parts.SIDES:
        for dx in (-0.2, -0.7):
            x = up_x + dx * chord
            low, high = (x, sign * radius * 0.6, z + radius * 0.7), (x, sign * 0.5, up_z)
            pieces += solid("strut", strut, rod(low, high, 0.04, 5))
    for x in (-0.55, 0.35)[: 1 if rng.random() < 0.5 else 2]:
        pieces += solid(
            "cockpit", "dark", ball((0.36, radius * 0.62, 0.14), (x, 0, z + radius * 0.92))
        )
        pieces += solid(
            "cockpit",
            "glass",
            box(0.03, radius * 1.0, 0.26, (x + 0.4, 0, z + radius * 1.05), pitch=-0.45),
        )
    fin = u(0.95, 1.25)
    face = [
        (end + 1.0, z + radius * 0.5),
        (end + 0.25, z + fin),
        (end - 0.2, z + fin * 1.08),
        (end - 0.5, z + fin * 0.75),
        (end - 0.42, z + 0.12),
        (end + 0.1, z + 0.05),
    ]
    outline = rounded(face, 0.1)
    pieces += painted("fin", slab(outline, 0.08, 0.02))
    tail_half, tail_chord = u(1.25, 1.6), u(0.85, 1.05)
    root, tip = (end + 0.75, 0.0, z + radius * 0.35), (end + 0.35, tail_half, z + radius * 0.35)
    pieces += parts.pair("tailplane", root, tip, (tail_chord, tail_chord * 0.65), 0.08)
    rolling, track, gear_x = u(0.32, 0.42), u(0.75, 0.95), u(1.2, 1.5)
    spats = rng.random() < 0.3
    for _, sign in parts.SIDES:
        pieces += parts.gear(
            "wheel_front", (gear_x, sign * track), rolling + 0.05, rolling, tyre, twin=False
        )
        for dx in (0.35, -0.55):
            high, low = (
                (gear_x + dx, sign * radius * 0.6, z - radius * 0.8),
                (gear_x, sign * track * 0.9, rolling),
            )
            pieces += solid("wheel_front", strut, rod(high, low, 0.05, 5))
        if spats:
            spat = ball(
                (rolling * 1.5, rolling * 0.55, rolling * 0.85),
                (gear_x - 0.08, sign * track, rolling * 1.15),
            )
            pieces += painted("wheel_front", spat)
    pieces += solid(
        "wheel_front", strut, rod((gear_x, track, rolling), (gear_x, -track, rolling), 0.04, 5)
    )
    back = np.array([end + 0.35, 0.0, z - radius * u(0.3, 0.6)])  # axis of the tail wheel
    pieces += solid("wheel_back", "chrome", rod(back, (end + 0.5, 0, z + 0.1), 0.05, 5))
    pieces += solid(
        "wheel_back",
        tyre,
        moved(lathe([(0, -0.06), (0.14, -0.05), (0.14, 0.05), (0, 0.06)], 8), back),
    )
    if rng.random() < 0.2:  # level, as in flight
        return pieces
    # Parked on its tail wheel: everything rotates about the main axle until the tail wheel is on
    # the ground.
    reach = np.hypot(gear_x - back[0], back[2] - rolling)
    squat = np.arctan2(back[2] - rolling, gear_x - back[0]) + np.arcsin((rolling - 0.14) / reach)
    c, s = np.cos(squat), np.sin(squat)
    turn = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
    axle = np.array([gear_x, 0, rolling])
    for _, _, piece in pieces:
        piece.vertices = (np.asarray(piece.vertices) - axle) @ turn.T + axle
    return pieces


MAKERS = {"jet": jet, "fighter": fighter, "biplane": biplane, "airliner": airliner}
