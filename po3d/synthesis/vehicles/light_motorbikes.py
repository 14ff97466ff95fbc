"""Light motorbikes: dirtbike and scooter, in metres, the wheels' plane along x."""

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, painted, solid
from po3d.synthesis.shapes.primitives import ball, box, hull, loft, moved, rod, rounded, slab, tube
from po3d.synthesis.vehicles import motorbike_parts as parts
from po3d.synthesis.vehicles.two_wheelers import (
    axles,
    fender,
    handlebar,
    knobs,
    leaning,
    mirrors,
    polar,
    round_lamp,
    sample_finish,
    side,
)

Rng = np.random.Generator


def dirtbike(rng: Rng) -> list[Piece]:
    """Dirtbike: fenders far above thin knobby wheels, long fork, flat seat, number plate."""
    u = rng.uniform
    finish = sample_finish(rng)
    r_front, r_rear = u(0.33, 0.37), u(0.31, 0.345)
    rear, front = axles(u(1.4, 1.5), r_rear, r_front)
    angle = np.radians(u(61, 66))
    up = leaning(angle)
    head = front + up * u(0.72, 0.82)
    seat_z = u(0.9, 0.97)
    pivot = np.array([-0.16, u(0.42, 0.47)])
    crank = np.array([0.05, u(0.42, 0.46)])
    thick = u(0.042, 0.055)
    pieces = parts.wheel(rng, "wheel_front", front, thick, thick * 1.8, finish, spoked=True)
    pieces += parts.wheel(rng, "wheel_back", rear, thick * 1.1, thick * 2.2, finish, spoked=True)
    pieces += knobs("wheel_front", finish.tyre, front, thick * 1.8, 22)
    pieces += knobs("wheel_back", finish.tyre, rear, thick * 2.2, 20)
    pieces += parts.fork(front, head, 0.1, 0.024, finish, u(0.4, 0.55))
    pieces += parts.swingarm(rear, pivot, 0.1, finish.metal, 0.03)
    for y in (0.1, -0.1):
        neck = head - up * 0.14
        line = [
            side(neck, 0),
            side((0.1, seat_z - 0.1), y),
            side((-0.2, seat_z - 0.2), y),
            side(pivot, y),
            side((0.2, 0.3), y),
            side((0.3, 0.42), y),
            side(neck - up * 0.06, 0),
        ]
        pieces += painted("frame", tube(line, 0.02))
        pieces += painted(
            "frame",
            rod(side((-0.2, seat_z - 0.2), y), side((-0.68, seat_z - 0.06), y * 0.7), 0.016),
        )
        pieces += painted(
            "frame", rod(side(pivot + [0, 0.1], y), side((-0.6, seat_z - 0.08), y * 0.7), 0.014)
        )
    pieces += parts.shocks(pivot + [-0.12, 0.0], np.array([-0.12, seat_z - 0.22]), 0.0, finish)[:1]
    pieces += parts.engine(rng, crank, u(0.12, 0.14), finish, twin=False)
    pieces += parts.chain(rear, crank, 0.11, finish)
    pieces += parts.footrests(pivot + [0.04, -0.06], 0.13, finish, board=False)
    drop = u(0.02, 0.07)
    seat = [
        (0.26, 0.05, seat_z - 0.04, seat_z + 0.06),
        (0.1, 0.075, seat_z - 0.08, seat_z + 0.02),
        (-0.25, 0.1, seat_z - 0.09, seat_z + 0.01 - drop * 0.3),
        (-0.62, 0.085, seat_z - 0.05, seat_z + 0.035),
    ]
    pieces += solid("seat", finish.seat, hull(seat, 8, 0.7))
    reach = u(0.1, 0.15)
    tank = [
        (head[0] - 0.09, 0.06, seat_z - 0.14, seat_z + 0.03),
        (0.26, 0.13, seat_z - 0.22, seat_z + 0.07),
        (0.12, 0.13, seat_z - 0.24, seat_z + 0.05),
        (-0.06, 0.09, seat_z - 0.2, seat_z - 0.02),
    ]
    pieces += painted("gas_tank", hull(tank, 10, 0.8))
    shroud = np.array(
        [
            (0.05, seat_z - 0.05),
            (0.4, seat_z + 0.02),
            (0.45, seat_z - 0.12),
            (0.26, seat_z - 0.38),
            (0.12, seat_z - 0.25),
        ]
    )
    shroud[2:4, 0] += reach - 0.12
    panel = [
        (-0.1, seat_z - 0.12),
        (-0.62, seat_z - 0.02),
        (-0.6, seat_z - 0.14),
        (-0.3, seat_z - 0.34),
        (-0.12, seat_z - 0.3),
    ]
    plate_color = "white" if rng.random() < 0.4 else "paint"
    for y in (0.15, -0.15):
        pieces += painted("cover_front", moved(slab(shroud, 0.025, 0.006), (0, y, 0)))
        pieces += solid(
            "cover_back",
            plate_color if rng.random() < 0.5 else "paint",
            moved(slab(panel, 0.025, 0.006), (0, y * 0.85, 0)),
        )
    crown = front + up * (r_front + u(0.1, 0.16))
    pieces += painted(
        "fender_front",
        parts.blade(crown + [0.34, -0.05], crown + [-0.3, 0.02], u(0.15, 0.2), u(0.05, 0.09)),
    )
    kick = u(0.02, 0.12)
    near, far = np.array([-0.48, seat_z - 0.05]), np.array([-1.02, seat_z - 0.02 + kick])
    pieces += painted("fender_back", parts.blade(near, far, u(0.15, 0.19), 0.03))
    x, z = head + up * 0.05
    half, rise = u(0.36, 0.41), u(0.1, 0.15)
    bar = np.array(
        [
            (x, 0, z),
            (x, 0.08, z),
            (x + 0.015, 0.2, z + rise),
            (x - 0.02, half * 0.7, z + rise),
            (x - 0.08, half, z + rise - 0.01),
        ]
    )
    pieces += handlebar(bar, 0.017, finish.metal, finish.trim, 0.024)
    pieces += solid("handle_left", finish.metal, rod(bar[2], bar[2] * [1, -1, 1], 0.011, 5))
    outline = [(-0.1, -0.14), (0.1, -0.14), (0.13, 0.1), (0.05, 0.16), (-0.05, 0.16), (-0.13, 0.1)]
    plate = moved(slab(rounded(outline, 0.03), 0.025, 0.005), yaw=np.pi / 2)
    pieces += solid(
        "panel", plate_color, moved(plate, side(head + [0.11, 0.02]), pitch=-(np.pi / 2 - angle))
    )
    if rng.random() < 0.4:
        pieces += round_lamp(
            "headlight_center", side(head + [0.17, -0.06]), 0.06, 0.07, finish.trim
        )
    if rng.random() < 0.5:  # hand guards
        for sign in (1, -1):
            pieces += painted(
                "panel", ball((0.025, 0.11, 0.06), bar[-1] * [1, sign, 1] + [0.12, -0.05 * sign, 0])
            )
    y = -0.14
    up_end = np.array([-u(0.62, 0.75), seat_z - u(0.1, 0.16)])
    pipe = [
        side(crank + [0.1, 0.27], -0.03),
        side((0.36, crank[1] + 0.12), -0.1),
        side((0.3, crank[1] - 0.1), y),
        side((0.0, crank[1] + 0.02), y),
        side((-0.25, seat_z - 0.26), y),
        side(up_end, y),
    ]
    return pieces + parts.pipe("exhaust_right_s", pipe, u(0.045, 0.06), finish)


def scooter(rng: Rng) -> list[Piece]:
    """Scooter: small wheels, a leg shield, a step-through floor, a bulky rear body under the
    seat.
    """
    u = rng.uniform
    finish = sample_finish(rng)
    radius, thick = u(0.2, 0.26), u(0.05, 0.065)
    rear, front = axles(u(1.22, 1.34), radius, radius)
    up = leaning(np.radians(63))
    shield_top, wide = u(0.8, 0.9), u(0.36, 0.48)
    floor, seat_z = u(0.27, 0.34), u(0.72, 0.8)
    sporty = rng.random() < 0.4
    head = front + up * ((shield_top + 0.08 - radius) / up[1])
    pieces = parts.wheel(rng, "wheel_front", front, thick, thick * 2, finish, spoked=False)
    pieces += parts.wheel(rng, "wheel_back", rear, thick, thick * 2, finish, spoked=False)
    for y in (0.09, -0.09):
        pieces += solid(
            "fork",
            finish.metal,
            rod(side(front, y), side(front + up * (radius + 0.16), y * 0.8), 0.025),
        )
    pieces += solid("fork", finish.metal, rod(side(front + up * radius), side(head), 0.035))
    arc = (20, u(135, 165))
    fender_front = fender(front, radius * 1.16, u(0.17, 0.24), arc, radius * u(0.25, 0.5))
    pieces += painted("fender_front", fender_front)
    foot_x, thickness = front[0] - radius - u(0.1, 0.15), u(0.04, 0.09)
    lean = head[0] - 0.0
    shield = []
    for s, w in (
        (0.0, 0.7),
        (0.15, 0.85),
        (0.45, 1.0),
        (0.8, 0.9 if sporty else 0.98),
        (1.0, 0.45),
    ):
        half = wide / 2 * w
        x, z = foot_x + (lean - foot_x) * s, floor - 0.08 + (shield_top - floor + 0.08) * s
        y = np.array([-1, -0.6, 0, 0.6, 1]) * half
        bulge = np.array([0, 0.6, 1, 0.6, 0]) * (thickness + (0.1 if s > 0.3 else 0.03))
        outer = np.c_[x + bulge, y, np.full(5, z)]
        shield.append(np.r_[outer, np.c_[outer[::-1, 0] * 0 + x - 0.03, y[::-1], np.full(5, z)]])
    pieces += painted("cover_front", loft(shield))
    outline = [
        (foot_x + 0.06, floor - 0.09),
        (foot_x + 0.05, floor),
        (-0.16, floor),
        (-0.2, floor - 0.12),
        (-0.1, floor - 0.15),
    ]
    pieces += painted("floor", slab(rounded(outline, 0.02), wide * 0.86, 0.02))
    pieces += solid(
        "floor",
        finish.trim,
        box(foot_x + 0.1, wide * 0.7, 0.012, ((foot_x - 0.1) / 2, 0, floor + 0.006)),
    )
    fat, tail_z = u(0.17, 0.24), u(0.5, 0.62)
    end = rear[0] - radius - u(0.02, 0.12)
    body = [
        (-0.02, fat * 0.55, floor - 0.08, seat_z - 0.14),
        (-0.12, fat * 0.8, floor - 0.1, seat_z - 0.05),
        (-0.35, fat, radius + 0.08, seat_z - 0.04),
        (-0.62, fat * 1.02, radius + 0.09, seat_z - 0.04),
        (-0.82, fat * 0.8, tail_z - 0.12, seat_z - 0.04),
        (end, fat * 0.35, tail_z, seat_z - 0.08),
    ]
    if sporty:
        body[4] = (-0.82, fat * 0.65, tail_z, seat_z)
        body[5] = (end, fat * 0.3, tail_z + 0.1, seat_z + 0.01)
    pieces += painted("cover_back", hull(body, 12, 0.75))
    split = u(0.02, 0.07)
    seat = [
        (0.02, 0.08, seat_z - 0.09, seat_z - 0.02),
        (-0.1, 0.13, seat_z - 0.06, seat_z + 0.02),
        (-0.4, 0.15, seat_z - 0.06, seat_z + 0.03),
        (-0.5, 0.14, seat_z - 0.06, seat_z + 0.03 + split),
        (-0.85, 0.11, seat_z - 0.06, seat_z + 0.02 + split),
    ]
    pieces += solid("seat", finish.seat, hull(seat, 10, 0.8))
    pieces += painted("fender_back", fender(rear, radius * 1.15, 0.16, (60, 190), 0.06))
    stations = [
        (rear[0] - 0.1, 0.05, radius - 0.09, radius + 0.1),
        (rear[0] + 0.15, 0.09, radius - 0.1, radius + 0.12),
        (rear[0] + 0.42, 0.1, radius - 0.08, radius + 0.1),
    ]
    pieces += solid("engine", finish.trim, hull(stations, 8, 0.7))
    outline = [(-0.12, -0.07), (0.4, -0.06), (0.4, 0.09), (-0.12, 0.08)]
    pieces += solid(
        "drive_chain",
        finish.trim,
        moved(slab(rounded(outline, 0.04), 0.07, 0.015), side(rear, 0.14)),
    )
    line = [
        side(rear + [0.45, -0.06], -0.08),
        side(rear + [0.3, -0.07], -0.15),
        side(rear + [0.15, 0.0], -0.16),
        side(rear + [-0.22, 0.06], -0.17),
    ]
    pieces += parts.pipe("exhaust_left_s", line, 0.055, finish)
    x, z = head
    half, lift = u(0.29, 0.35), u(0.06, 0.13)
    bar = np.array(
        [
            (x, 0, z),
            (x, 0.06, z + lift * 0.6),
            (x - 0.02, half * 0.55, z + lift),
            (x - 0.12, half, z + lift),
        ]
    )
    pieces += handlebar(bar, 0.022, finish.metal, finish.trim, 0.03)
    nacelle = [
        (x - 0.12, 0.09, z, z + lift + 0.05),
        (x, 0.17, z - 0.04, z + lift + 0.08),
        (x + 0.09, 0.12, z - 0.02, z + lift + 0.05),
    ]
    pieces += painted("panel", hull(nacelle, 8, 0.8))
    if sporty or rng.random() < 0.3:  # lamps in the shield
        for y in (0.09, -0.09):
            glow = ball((0.04, 0.08, 0.05), side((lean + thickness + 0.06, shield_top - 0.16), y))
            pieces += solid("headlight_center", "lamp", glow)
    else:
        pieces += round_lamp(
            "headlight_center", side((x + 0.14, z + lift * 0.55)), u(0.07, 0.09), 0.1, "paint"
        )
    pieces += mirrors(
        bar[2] * [1, 0.9, 1],
        u(0.1, 0.2),
        u(0.14, 0.26),
        0.02,
        u(0.06, 0.08),
        finish.metal,
        finish.trim,
    )
    glow = box(0.03, 0.14, 0.06, side((end - 0.005, (body[-1][2] + body[-1][3]) / 2)))
    pieces += solid("taillight_center", "tail", glow)
    pieces += solid(
        "license_plate",
        "white",
        box(0.012, 0.16, 0.12, side(polar(rear, radius * 1.2, 158)), pitch=-0.4),
    )
    extra = rng.choice(["none", "box", "rack", "screen"], p=[0.4, 0.25, 0.2, 0.15])
    if extra in ("box", "rack"):
        rack_z = seat_z + 0.06
        for y in (0.09, -0.09):
            line = [side((-0.72, seat_z), y), side((-0.8, rack_z), y), side((end - 0.1, rack_z), y)]
            pieces += solid("carrier", finish.metal, tube(line, 0.012, 5))
        for bar_x in (-0.85, end - 0.09):
            pieces += solid(
                "carrier",
                finish.metal,
                rod((bar_x, 0.09, rack_z), (bar_x, -0.09, rack_z), 0.012, 5),
            )
    if extra == "box":
        outline = [(-0.16, 0), (0.15, 0), (0.17, 0.14), (0.1, 0.26), (-0.14, 0.26), (-0.18, 0.14)]
        case = slab(rounded(outline, 0.03), 0.36, 0.03)
        pieces += painted("carrier", moved(case, side((end + 0.02, seat_z + 0.07))))
    if extra == "screen":
        pieces += parts.screen(np.array([x + 0.08, z + lift]), u(0.34, 0.44), u(0.26, 0.4), 0.35)
    return pieces
