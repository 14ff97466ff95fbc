"""Objects pushed on wheels: wheelbarrow, stroller, lawn mower, wheelchair. Lengths in metres, front
+x.
"""

import numpy as np

from po3d.synthesis.shapes.limbs import limb, mirrored, wheel_on_hub
from po3d.synthesis.shapes.mesh import Piece, Random, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import (
    Array,
    ball,
    box,
    hull,
    loft,
    moved,
    ring,
    rod,
    slab,
    spoked_wheel,
    tube,
)
from po3d.synthesis.shapes.sheets import soft_plate
from po3d.synthesis.shapes.turned import upright


def arch(inner: float, outer: float, start: float, end: float) -> Array:
    """Return a band of a circle (N, 2) from `start` to `end` degrees."""
    t = np.radians(np.linspace(start, end, 12))
    arc = np.c_[np.cos(t), np.sin(t)]
    return np.r_[outer * arc, (inner * arc)[::-1]]


def _wheelbarrow(random: Random) -> list[Piece]:
    """A tub on one or two wheels in front, two legs and two long handles behind."""
    u = random.uniform
    r, long, wide, deep = u(0.15, 0.21), u(0.7, 0.85), u(0.25, 0.31), u(0.18, 0.28)
    floor, low = 0.3 * long, u(0.24, 0.32)
    slope = u(0.5, 0.8)
    power, n = u(0.25, 0.7), 28
    t = (np.arange(n) + 0.5) * 2 * np.pi / n
    c, s = (np.sign(f) * np.abs(f) ** power for f in (np.cos(t), np.sin(t)))
    nose = 1 + u(0.05, 0.2) * (c > 0)
    rows = []
    for share, z in (
        (slope, 0),
        (1.0, deep),
        (1.05, deep),
        (1.05, deep - 0.02),
        (0.97, deep - 0.02),
        (slope * 0.95, 0.02),
    ):
        rise = 0.16 * deep * np.maximum(c, 0) * (z > 0.05)
        rows.append(
            np.c_[
                long / 2 * share * c * (nose if z > 0.05 else 1), wide * share * s, low + z + rise
            ]
        )
    pieces = painted("tub", loft(rows))
    axle = long / 2 + u(0.05, 0.12)
    wheels = (0.0,) if random.random() < 0.8 else (0.16, -0.16)
    for y in wheels:
        pieces += wheel_on_hub((axle, y), r, u(0.07, 0.1), 0.55)
    hand, height = -long / 2 - u(0.5, 0.62), u(0.5, 0.62)
    spread = 0.07 if len(wheels) == 1 else 0.22
    line = [
        (axle, spread, r),
        (axle * 0.4, wide * 0.7, low - 0.02),
        (-floor, wide * 0.9, low - 0.01),
        (hand * 0.75, wide * 0.95, height - 0.06),
        (hand, wide * 0.95, height),
    ]
    pieces += painted("frame", *mirrored(limb(line, u(0.015, 0.022), 8, 3)))
    pieces += painted("frame", rod((axle, -spread - 0.02, r), (axle, spread + 0.02, r), 0.014, 8))
    pieces += painted(
        "grip",
        *mirrored(
            rod(np.multiply(line[-1], 0.75) + np.multiply(line[-2], 0.25), line[-1], 0.025, 8)
        ),
    )
    back = -long * u(0.28, 0.4)
    path = [
        (back + 0.1, wide * 0.85, low - 0.01),
        (back, wide * 0.9, 0.015),
        (back - 0.14, wide * 0.9, low + 0.03),
    ]
    leg = tube(path, 0.014, 7)
    pieces += painted("frame", *mirrored(leg))
    pieces += painted(
        "frame", rod((back, -wide * 0.9, 0.05 + 0.1), (back, wide * 0.9, 0.15), 0.012, 7)
    )
    if random.random() < 0.4:  # the load
        heap = ball((long * 0.42, wide * 0.85, u(0.06, 0.16)), (0.02, 0, low + deep - 0.04), 2)
        pieces += painted("load", heap)
    return pieces


def _stroller(random: Random) -> list[Piece]:
    """A seat for a child under a hood, handles behind."""
    u = random.uniform
    three = random.random() < 0.35
    half, r, big = u(0.19, 0.24), u(0.06, 0.09), u(0.075, 0.15)
    front, rear = u(0.26, 0.34), -u(0.24, 0.32)
    hub, bar = u(0.4, 0.5), u(0.011, 0.016)
    pieces: list[Piece] = []
    for y in (half, -half):
        pieces += wheel_on_hub((rear, y), big, u(0.03, 0.05))
        pieces += [] if three else wheel_on_hub((front, y), r, u(0.03, 0.045))
    if three:
        pieces += wheel_on_hub((front + 0.06, 0), big * 0.9, 0.045)
    pieces += painted("frame", rod((rear, -half, big), (rear, half, big), bar, 8))
    top, back = u(0.95, 1.05), rear - u(0.1, 0.2)
    toe = (front + 0.06, 0.03, big) if three else (front, half * 0.95, r + 0.02)
    path = [
        toe,
        (0.02, half, hub),
        (rear * 0.6, half, hub + 0.22),
        (back + 0.06, half * 0.95, top - 0.06),
        (back, half * 0.9, top),
    ]
    side = limb(path, bar, 8)
    pieces += painted(
        "frame", *mirrored(side), *mirrored(rod((rear, half, big), (0.03, half, hub), bar, 8))
    )
    if random.random() < 0.7:
        pieces += painted(
            "grip", rod((back, -half * 0.92, top), (back, half * 0.92, top), 0.018, 8)
        )
    else:
        path = [
            (back + 0.03, half * 0.9, top - 0.03),
            (back - 0.02, half * 0.9, top + 0.03),
            (back - 0.09, half * 0.9, top + 0.02),
        ]
        pieces += painted("grip", *mirrored(tube(path, 0.018, 8)))
    lie = u(0.25, 0.75)
    w = half * 0.88
    seat = [(0.2, hub - 0.03), (-0.06, hub - 0.06)]
    up = np.array([-0.06, hub - 0.06]) + 0.42 * np.array([-np.sin(lie), np.cos(lie)])
    foot = (0.27, hub - u(0.2, 0.26))
    line = np.array([foot, *seat, up])
    pieces += painted(
        "seat", slab(np.r_[line + [0.0, 0.025], (line - [0.02, 0.02])[::-1]], 2 * w, 0.008)
    )
    at = (line[3][0] * 0.55 + 0.02, 0, (line[3][1] + hub) / 2 + 0.02)
    pieces += painted("pad", ball((0.1, w * 0.8, 0.03), (0.06, 0, hub - 0.01), 2))
    pieces += painted("pad", moved(ball((0.03, w * 0.75, 0.17), (0, 0, 0), 2), at, pitch=-lie))
    cheek = slab(
        [(0.16, hub - 0.05), (0.14, hub + 0.09), (-0.1, hub + 0.16), (-0.08, hub - 0.08)], 0.02
    )
    pieces += painted("seat", *mirrored(moved(cheek, (0, w, 0))))
    pieces += painted("grip", moved(rod((0, -w, 0), (0, w, 0), 0.02, 8), (0.17, 0, hub + 0.13)))
    pieces += painted(
        "frame",
        rod(
            (toe[0] - 0.03, -half * 0.6, r + 0.08), (toe[0] - 0.03, half * 0.6, r + 0.08), 0.018, 7
        ),
    )
    centre, radius, open_ = np.array([-0.13, hub + 0.2]), u(0.27, 0.32), u(5, 45)
    hood = arch(radius - 0.012, radius, open_, 165) + centre
    pieces += painted("hood", slab(hood, 2 * w + 0.03))
    t = np.radians(np.linspace(open_, 165, 10))
    fan = np.r_[[centre + [-0.03, 0.04]], centre + (radius - 0.006) * np.c_[np.cos(t), np.sin(t)]]
    pieces += painted("hood", *mirrored(moved(slab(fan, 0.012), (0, w + 0.01, 0))))
    if random.random() < 0.7:
        pieces += painted(
            "bag", hull([(-0.2, w * 0.9, 0.16, 0.3), (0.15, w * 0.9, 0.16, 0.28)], 12, 0.5)
        )
    return pieces


def _lawn_mower(random: Random) -> list[Piece]:
    """A deck on four wheels with a motor, and a long handle behind, with or without a grass bag."""
    u = random.uniform
    long, half = u(0.5, 0.62), u(0.2, 0.25)
    front_r, rear_r = u(0.07, 0.09), u(0.08, 0.13)
    low, high, snub = 0.06, u(0.15, 0.2), u(0.5, 0.95)
    x = long / 2
    stations = [
        (-x, half * 0.85, low, high),
        (-x * 0.5, half, low, high + 0.03),
        (x * 0.4, half, low, high + 0.02),
        (x, half * snub, low, high - 0.03),
    ]
    pieces = painted("deck", hull(stations, 16, 0.45))
    for y in (half + 0.02, -half - 0.02):
        pieces += wheel_on_hub((x * 0.75, y), front_r, 0.045) + wheel_on_hub(
            (-x * 0.8, y), rear_r, 0.045
        )
    cover = pick(random, "petrol", "box", "dome")
    top = high + 0.02
    if cover == "petrol":
        pieces += painted(
            "engine", upright([(0.12, top), (0.12, top + 0.06), (0.01, top + 0.06)], 14)
        )
        pieces += painted("engine", box(0.2, 0.17, 0.07, (0.0, 0, top + 0.08)))
        pieces += painted(
            "cap",
            upright([(0.09, top + 0.11), (0.08, top + u(0.14, 0.18)), (0.01, top + 0.15)], 16),
            ball((0.05, 0.05, 0.05), (-0.09, 0.09, top + 0.09)),
        )
        pieces += painted(
            "engine", rod((0.1, -0.09, top + 0.05), (0.14, -0.14, top + 0.05), 0.03, 8)
        )
    elif cover == "box":
        stations = [
            (-0.16, half * 0.55, high - 0.02, top + u(0.1, 0.16)),
            (0.06, half * 0.6, high - 0.02, top + 0.13),
            (0.2, half * 0.4, high - 0.02, top + 0.03),
        ]
        pieces += painted("cap", hull(stations, 14, 0.55))
    else:
        pieces += painted("cap", ball((0.19, half * 0.75, u(0.1, 0.17)), (0.02, 0, high), 2))
    hand, tall, bar = -x - u(0.35, 0.5), u(0.88, 1.05), 0.013
    line = [
        (-x * 0.75, half * 0.9, high - 0.04),
        (-x - 0.15, half * 0.95, high + 0.34),
        (hand, half * u(0.8, 0.95), tall),
    ]
    pieces += painted("frame", *mirrored(limb(line, bar, 8, 3)))
    pieces += painted("frame", rod((hand, -line[2][1], tall), (hand, line[2][1], tall), bar, 8))
    pieces += painted(
        "grip", rod((hand, -line[2][1] * 0.8, tall), (hand, line[2][1] * 0.8, tall), 0.019, 8)
    )
    if random.random() < 0.5:
        pieces += painted("grip", box(0.06, 0.05, 0.1, (hand + 0.06, half * 0.8, tall - 0.08)))
    if random.random() < 0.65:
        z = high + 0.02
        stations = [
            (-x - u(0.28, 0.38), half * 0.7, z - 0.06, z + 0.13),
            (-x - 0.18, half * 0.8, z - 0.07, z + u(0.16, 0.22)),
            (-x + 0.02, half * 0.75, z - 0.05, z + 0.12),
        ]
        pieces += painted("bag", hull(stations, 14, 0.5))
    return pieces


def _wheelchair(random: Random) -> list[Piece]:
    u = random.uniform
    half, r, small = u(0.21, 0.25), u(0.27, 0.31), u(0.06, 0.09)
    seat, bar, out = u(0.47, 0.53), u(0.011, 0.015), u(0.03, 0.06)
    back, rear, front = -0.22, -u(0.12, 0.18), u(0.2, 0.26)
    pieces: list[Piece] = []
    for y in (half + out, -half - out):
        pieces += [
            (m, m, g)
            for _, m, g in spoked_wheel(
                "wheel", rear, r, 0.017, ("tyre", "chrome"), int(random.integers(8, 15)), 0.03, y
            )
        ]
        push_rim = moved(ring(r * 0.9, 0.008, sides=24, around=5), (rear, y + np.sign(y) * 0.03, r))
        pieces += solid("chrome", "chrome", push_rim)
    for y in (half, -half):
        pieces += wheel_on_hub((front, y), small, 0.03)
    sport = random.random() < 0.3  # with a low back and no handles to push
    tall = u(0.7, 0.78) if sport else u(0.86, 0.96)
    push = [
        (back, half, seat - 0.25),
        (back, half, tall - 0.04),
        (back - 0.03, half, tall),
        (back - 0.13, half, tall),
    ]
    push = tube(push[:2] if sport else push, bar, 8)
    line = [
        (back, half, seat - 0.02),
        (front - 0.05, half, seat - 0.02),
        (front + 0.08, half, seat - 0.1),
        (front + 0.16, half * 0.8, 0.13),
    ]
    leg = limb(line, bar, 8)
    fork = rod((front - 0.02, half, seat - 0.03), (front, half, small), bar, 8)
    low = rod((back, half, seat - 0.24), (front - 0.02, half, seat - 0.24), bar, 8)
    pieces += painted("frame", *mirrored(push), *mirrored(leg), *mirrored(fork), *mirrored(low))
    if not sport:
        grip = rod((back - 0.05, half, tall), (back - 0.14, half, tall), 0.019, 8)
        pieces += painted("grip", *mirrored(grip))
    pieces += painted(
        "seat",
        moved(soft_plate(0.42, 2 * half - 0.02, u(0.025, 0.07), seat - 0.02, 0.03), (0.0, 0, 0)),
    )
    pieces += painted(
        "seat",
        box(
            0.025,
            2 * half - 0.02,
            (tall - seat) * u(0.55, 0.85),
            (back, 0, (tall + seat) / 2 - 0.01),
        ),
    )
    pieces += painted(
        "foot", *mirrored(box(0.14, 0.13, 0.018, (front + 0.19, half * 0.55, 0.12), pitch=-0.2))
    )
    if random.random() < 0.75:
        arm = seat + u(0.18, 0.23)
        pieces += painted("grip", *mirrored(box(u(0.22, 0.32), 0.045, 0.03, (-0.05, half, arm))))
        pieces += painted("frame", *mirrored(rod((0.08, half, seat), (0.08, half, arm), bar, 8)))
        if random.random() < 0.5:
            at = (-0.05, half - 0.01, (arm + seat) / 2)
            pieces += painted("guard", *mirrored(box(0.26, 0.008, arm - seat - 0.04, at)))
    return pieces


SHAPES = named(_wheelbarrow, _stroller, _lawn_mower, _wheelchair)
