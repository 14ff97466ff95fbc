"""Motorbikes, in metres, the wheels' plane along x: chopper and cruiser; light_motorbikes.py has
the others.
"""

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, painted, solid
from po3d.synthesis.shapes.primitives import box, hull, lathe, moved, rod, rounded, slab, tube
from po3d.synthesis.vehicles import motorbike_parts as parts
from po3d.synthesis.vehicles.light_motorbikes import dirtbike, scooter
from po3d.synthesis.vehicles.two_wheelers import (
    axles,
    fender,
    handlebar,
    leaning,
    mirrors,
    polar,
    round_lamp,
    sample_finish,
    side,
)

Rng = np.random.Generator


def chopper(rng: Rng) -> list[Piece]:
    """Chopper: a long raked fork, ape hangers, a low stepped seat, a sissy bar, a wide back
    wheel.
    """
    u = rng.uniform
    finish = sample_finish(rng)
    r_front, r_rear = u(0.31, 0.36), u(0.29, 0.33)
    rear, front = axles(u(1.75, 1.98), r_rear, r_front)
    up = leaning(np.radians(u(37, 50)))
    head = front + up * u(0.52, 0.6) / up[1]
    seat_z = u(0.52, 0.6)
    seat_x = rear[0] + u(0.38, 0.5)
    crank = np.array([u(-0.08, 0.04), u(0.3, 0.34)])
    thick = u(0.09, 0.12)
    pieces = parts.wheel(
        rng, "wheel_front", front, u(0.035, 0.05), 0.08, finish, rng.random() < 0.8
    )
    pieces += parts.wheel(
        rng, "wheel_back", rear, thick * 0.75, thick * 1.9, finish, rng.random() < 0.5
    )
    pieces += parts.fork(front, head, 0.075, 0.024, finish, u(0.25, 0.45))
    neck = head - up * 0.1
    rigid = rng.random() < 0.5
    spine = [side(neck), side((0.1, neck[1] - 0.06)), side((seat_x - 0.12, seat_z - 0.04))]
    pieces += painted("frame", tube(spine, 0.028))
    for y in (0.11, -0.11):
        loop = [
            side(neck - [0.01, 0.06], y * 0.3),
            side((0.38, 0.22), y),
            side((0.25, 0.17), y),
            side((-0.35, 0.17), y),
            side(rear if rigid else (-0.4, 0.4), y * 1.1),
        ]
        pieces += painted("frame", tube(loop, 0.021))
        pieces += painted(
            "frame", rod(side(rear, y * 1.1), side((seat_x - 0.1, seat_z - 0.05), y * 0.6), 0.021)
        )
    long, half, fat = u(0.42, 0.55), u(0.11, 0.15), u(0.16, 0.22)
    nose = np.array([neck[0] - 0.03, neck[1] + 0.02])
    tail = nose - [long, u(0.04, 0.1)]
    level = np.linspace(nose[1], tail[1], 5)
    xs = np.linspace(nose[0], tail[0], 5)
    shape = np.array([(0.35, 0.55), (0.85, 0.9), (1.0, 1.0), (0.75, 0.8), (0.25, 0.35)])
    tank = [
        (x, half * a, z - 0.03 - fat * 0.35 * c, z - 0.03 + fat * 0.65 * c)
        for x, z, (a, c) in zip(xs, level, shape)
    ]
    pieces += painted("gas_tank", hull(tank, 10))
    pieces += parts.engine(rng, crank, u(0.13, 0.15), finish, twin=True)
    pieces += parts.chain(rear, crank, 0.13, finish)
    pieces += parts.footrests(np.array([0.36, 0.24]), 0.16, finish, board=False)
    rise = u(0.02, 0.06)
    saddle = [
        (seat_x + 0.3, 0.08, seat_z - 0.02, seat_z + 0.05),
        (seat_x + 0.15, 0.14, seat_z - 0.05, seat_z + 0.03),
        (seat_x, 0.17, seat_z - 0.05, seat_z + 0.05),
        (seat_x - 0.13, 0.15, seat_z, seat_z + 0.12 + rise),
        (seat_x - 0.4, 0.1, seat_z + 0.07, seat_z + 0.15 + rise),
    ]
    pieces += solid("seat", finish.seat, hull(saddle, 10))
    pieces += painted(
        "fender_back", fender(rear, r_rear * 1.12, thick * 2.2, (45, u(150, 185)), 0.07)
    )
    if rng.random() < 0.6:
        pieces += painted(
            "fender_front", fender(front, r_front * 1.08, 0.12, (35, u(115, 150)), 0.04)
        )
    sissy, lean = u(0.36, 0.55), u(0.1, 0.22)
    foot = np.array([seat_x - 0.42, seat_z + 0.08])
    top = foot + [-lean, sissy]
    for y in (0.1, -0.1):
        rail = tube(
            [side(rear + [0, 0.05], y * 1.2), side(foot, y * 1.1), side(top, y * 0.8)], 0.017
        )
        pieces += solid("sissy_bar", finish.metal, rail)
    pieces += solid("sissy_bar", finish.metal, rod(side(top, 0.08), side(top, -0.08), 0.017))
    if rng.random() < 0.6:
        pad = box(
            0.06,
            0.17,
            0.22,
            side(foot + (top - foot) * 0.6 + [0.03, 0]),
            pitch=-np.arctan2(lean, sissy),
        )
        pieces += solid("sissy_bar", finish.seat, pad)
    ape, spread, pull = u(0.3, 0.42), u(0.3, 0.38), u(0.1, 0.25)
    x, z = head
    bar = [
        (x, 0, z),
        (x, 0.1, z),
        (x + 0.02, spread * 0.75, z + ape * 0.75),
        (x - 0.02, spread * 0.85, z + ape),
        (x - pull, spread, z + ape * 0.95),
    ]
    pieces += handlebar(np.array(bar), 0.018, finish.metal, finish.trim, 0.026)
    if rng.random() < 0.6:
        pieces += mirrors(np.array(bar[3]), 0.02, 0.1, 0.06, 0.06, finish.metal, finish.metal)
    pieces += round_lamp(
        "headlight_center", side(head + [0.16, -0.13]), u(0.075, 0.1), 0.16, finish.metal
    )
    profile = [(0, -0.03), (0.05, -0.03), (0.05, 0.02), (0, 0.02)]
    pieces += solid(
        "panel", finish.metal, moved(lathe(profile, 8), side(head + [0.02, 0.06]), roll=np.pi / 2)
    )
    tail_at = polar(rear, r_rear * 1.16, u(140, 155))
    pieces += round_lamp(
        "taillight_center", side(tail_at - [0.05, 0]), 0.05, 0.08, finish.metal, "tail", -1
    )
    low = crank[1] - 0.11
    end = rear[0] - u(-0.15, 0.15)
    for k, start in enumerate((0.13, -0.12)):
        y = -0.2
        line = [
            side(crank + [start, 0.3], -0.05),
            side(crank + [start + 0.08, 0.16], y),
            side((crank[0] + start - 0.05, low + 0.09 * k), y),
            side((crank[0] - 0.45, low + 0.09 * k), y),
            side((end, low + 0.09 * k + 0.03), y),
        ]
        pieces += parts.pipe("exhaust_right_s", line, 0.04, finish)
    return pieces


def cruiser(rng: Rng) -> list[Piece]:
    """Cruiser: deep fenders over thick wheels, broad tank, wide swept bars, low seat, two-sided
    exhausts.
    """
    u = rng.uniform
    finish = sample_finish(rng)
    r_front, r_rear = u(0.31, 0.34), u(0.31, 0.34)
    rear, front = axles(u(1.56, 1.7), r_rear, r_front)
    up = np.array([-np.cos(np.radians(u(57, 62))), 0.0])
    up[1] = np.sqrt(1 - up[0] ** 2)
    head = front + up * u(0.6, 0.68)
    thick, seat_z = u(0.075, 0.095), u(0.6, 0.68)
    crank = np.array([u(0.02, 0.1), u(0.33, 0.37)])
    cast = rng.random() < 0.6
    pieces = parts.wheel(rng, "wheel_front", front, thick, thick * 1.7, finish, not cast)
    pieces += parts.wheel(rng, "wheel_back", rear, thick, thick * 2.0, finish, not cast)
    pieces += parts.fork(front, head, 0.12, 0.034, finish, u(0.4, 0.6))
    pieces += parts.swingarm(rear, np.array([-0.3, 0.33]), 0.13, finish.metal)
    skirt = u(0.08, 0.16)
    pieces += painted(
        "fender_front", fender(front, r_front * 1.09, thick * 2.2, (u(15, 40), u(165, 190)), skirt)
    )
    pieces += painted(
        "fender_back", fender(rear, r_rear * 1.12, thick * 2.7, (35, u(175, 200)), skirt + 0.05)
    )
    for y in (0.12, -0.12):
        loop = [
            side(head - up * 0.1, 0),
            side((0.42, 0.25), y),
            side((0.3, 0.17), y),
            side((-0.35, 0.18), y),
            side((-0.38, seat_z - 0.08), y),
        ]
        pieces += painted("frame", tube(loop, 0.022))
    pieces += painted(
        "frame",
        tube(
            [side(head - up * 0.08), side((0.1, seat_z + 0.05)), side((-0.6, seat_z - 0.06))], 0.035
        ),
    )
    pieces += parts.engine(rng, crank, u(0.15, 0.17), finish, twin=True)
    pieces += parts.chain(rear, crank, 0.15, finish)
    pieces += parts.shocks(rear + [0.06, 0.08], np.array([-0.55, seat_z - 0.02]), 0.16, finish)
    long, half, fat = u(0.52, 0.62), u(0.15, 0.19), u(0.24, 0.3)
    nose, low = head[0] - 0.05, seat_z + 0.0
    tank = [
        (nose, half * 0.5, low + fat * 0.35, low + fat * 0.85),
        (nose - long * 0.2, half * 0.92, low + fat * 0.02, low + fat),
        (nose - long * 0.45, half, low - fat * 0.05, low + fat),
        (nose - long * 0.8, half * 0.7, low, low + fat * 0.7),
        (nose - long, half * 0.35, low, low + fat * 0.35),
    ]
    pieces += painted("gas_tank", hull(tank, 12, 0.85))
    pieces += solid(
        "panel", finish.metal, box(0.2, 0.07, 0.03, (nose - long * 0.35, 0, low + fat + 0.005))
    )
    x0, plush = nose - long + 0.12, u(0.02, 0.09)
    seat = [
        (x0, 0.09, seat_z - 0.04, seat_z + 0.07),
        (x0 - 0.2, 0.19, seat_z - 0.07, seat_z + 0.06),
        (x0 - 0.36, 0.2, seat_z - 0.07, seat_z + 0.07),
        (x0 - 0.44, 0.16, seat_z - 0.04, seat_z + 0.12 + plush),
        (x0 - 0.76, 0.12, seat_z - 0.02, seat_z + 0.13 + plush),
    ]
    pieces += solid("seat", finish.seat, hull(seat, 10, 0.85))
    x, z = head + up * 0.06
    width, pull, rise = u(0.36, 0.42), u(0.2, 0.34), u(0.06, 0.16)
    bar = np.array(
        [
            (x, 0, z),
            (x, 0.08, z),
            (x + 0.03, width * 0.5, z + rise),
            (x - pull * 0.3, width * 0.88, z + rise),
            (x - pull, width, z + rise * 0.8),
        ]
    )
    pieces += handlebar(bar, 0.02, finish.metal, finish.trim, 0.028)
    pieces += mirrors(bar[3], 0.0, u(0.1, 0.15), 0.05, u(0.06, 0.08), finish.metal, finish.metal)
    lamp = head + [0.17, -0.06]
    pieces += round_lamp(
        "headlight_center",
        side(lamp),
        u(0.1, 0.125),
        0.18,
        "paint" if rng.random() < 0.5 else finish.metal,
    )
    if rng.random() < 0.6:
        for name, y in (("headlight_left", 0.19), ("headlight_right", -0.19)):
            pieces += round_lamp(name, side(lamp + [-0.05, -0.08], y), 0.055, 0.1, finish.metal)
        crossbar = rod(
            side(lamp + [-0.1, -0.08], 0.19), side(lamp + [-0.1, -0.08], -0.19), 0.014, 5
        )
        pieces += solid("headlight_center", finish.metal, crossbar)
    if rng.random() < 0.55:
        pieces += parts.screen(lamp + [-0.06, 0.12], u(0.42, 0.55), u(0.34, 0.46), 0.35)
    bags = rng.random() < 0.45
    if bags:
        outline = rounded(
            [(-0.28, -0.16), (0.26, -0.16), (0.28, 0.08), (0.2, 0.16), (-0.24, 0.16), (-0.3, 0.02)],
            0.05,
        )
        for y in (0.27, -0.27):
            pieces += painted(
                "cover_back", moved(slab(outline, 0.17, 0.04), side(rear + [-0.02, 0.17], y))
            )
    if rng.random() < 0.4:
        top = np.array([x0 - 0.86, seat_z + u(0.34, 0.44)])
        for y in (0.12, -0.12):
            pieces += solid(
                "backrest",
                finish.metal,
                rod(side((x0 - 0.72, seat_z - 0.02), y), side(top, y * 0.8), 0.018),
            )
        pieces += solid(
            "backrest", finish.seat, box(0.07, 0.22, 0.17, side(top - [-0.03, 0.06]), pitch=-0.2)
        )
    tail_x = rear[0] - r_rear * 1.02
    for name, y in (("taillight_left", 0.12), ("taillight_right", -0.12)):
        pieces += round_lamp(
            name, side((tail_x - 0.02, r_rear * 1.7), y), 0.045, 0.08, finish.metal, "tail", -1
        )
    pieces += solid(
        "license_plate",
        "white",
        box(0.012, 0.18, 0.12, side((tail_x - 0.08, r_rear * 1.4)), pitch=-0.2),
    )
    pieces += parts.footrests(crank + [0.3, -0.12], 0.17, finish, board=rng.random() < 0.6)
    both, end = rng.random() < 0.6, rear[0] - u(0.05, 0.3)
    for name, start, sign in (
        ("exhaust_right_s", 0.16, -1),
        ("exhaust_left_s" if both else "exhaust_right_s", -0.13, 1 if both else -1),
    ):
        rank = 0.1 if not both and start < 0 else 0.0
        y, z = sign * 0.22, 0.2 + rank
        line = [
            side(crank + [start, 0.34], 0.06 * sign),
            side(crank + [start + 0.07, 0.18], y),
            side((crank[0] + start - 0.05, z), y),
            side((-0.3, z), y),
            side((end, z + 0.02), y),
        ]
        pieces += parts.pipe(name, line, u(0.05, 0.06), finish)
    return pieces


MAKERS = {"chopper": chopper, "dirtbike": dirtbike, "scooter": scooter, "cruiser": cruiser}
