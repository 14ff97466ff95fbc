"""Types whose official vehicle is of another kind than ours: a propeller airliner as jet, a
forward-swept fighter, a slim biplane, a sports motorbike as cruiser, a step-through tandem. Each is
sampled around proportions measured on silhouettes, and then warped by a lattice (forms.py).
"""

from collections.abc import Callable

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, painted, solid
from po3d.synthesis.shapes.primitives import (
    Array,
    ball,
    box,
    hull,
    moved_all,
    rod,
    rounded,
    slab,
    tube,
    wing,
)
from po3d.synthesis.vehicles import aeroplane_parts as plane
from po3d.synthesis.vehicles import bicycle_parts as bicycle
from po3d.synthesis.vehicles import motorbike_parts as motorbike
from po3d.synthesis.vehicles.two_wheelers import (
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
VARIES = 0.04  # relative standard deviation of a proportion


def _around(rng: Rng, varies: float) -> Callable[[float], float]:
    return lambda value: value * float(np.exp(varies * rng.normal()))


def jet(rng: Rng, varies: float = VARIES) -> list[Piece]:
    """Jet: an airliner with two propellers, low straight wings, nacelles in front of them, a low
    tail, a fin with a fillet.
    """
    u, tyre = _around(rng, varies), plane.tyre(rng)
    radius, z = u(0.57), u(1.4)
    body, stations = plane.body(
        10.0, radius, z, u(1.6), u(3.4), rng.uniform(0.0, 0.3), rng.uniform(0.3, 0.6), blunt=0.6
    )
    pieces = body + plane.cockpit(stations, 5 - u(0.75), 0.6, 0.4)
    pitch = u(0.55)
    pieces += plane.windows(stations, np.arange(3.4, -2.6, -pitch), (pitch * 0.5, 0.26), 0.3)
    pieces += painted("door_left_s", box(0.42, 0.06, radius * 1.2, (-2.9, radius * 0.96, z + 0.1)))
    low, half, rise = z - 0.6 * radius, u(6.26), rng.uniform(0.25, 0.6)
    root, tip = (u(1.45), 0.0, low), (u(1.2), half, low + rise)
    pieces += plane.pair("wing", root, tip, (u(1.6), u(0.5)), 0.13)
    out, front, thick = u(1.65), u(2.6), u(0.34)
    for word, sign in plane.SIDES:
        at = np.array([front, sign * out, low + rise * out / half + rng.uniform(-0.05, 0.1)])
        nacelle = [(front - s, 0, 0) for s in (0.0, 0.15, 0.8, 1.6, 2.4, 3.0)]
        line = np.add(nacelle, at * (0, 1, 1))
        pieces += painted(
            f"engine_{word}", tube(line, np.array([0.75, 0.95, 1.0, 0.85, 0.55, 0.1]) * thick, 10)
        )
        pieces += solid(
            f"engine_{word}",
            "dark",
            tube([line[0] + (0.01, 0, 0), line[0] - (0.1, 0, 0)], thick * 0.6, 10),
        )
        pieces += plane.propeller(rng, at, u(0.88), int(rng.integers(3, 5)))
        pieces += plane.gear(f"wheel_back_{word}", (front - u(1.6), sign * out), at[2], 0.25, tyre)
    pieces += plane.gear("wheel_front", (u(3.9), 0.0), z - 0.7 * radius, 0.2, tyre)
    top, back, chord = u(3.75), -u(3.85), u(2.3)
    pieces += painted(
        "fin", wing((-4.85 + chord, 0, z + 0.6 * radius), (back, 0, top), (chord, u(0.95)), 0.08)
    )
    fillet = [(-1.2, z + 0.85 * radius), (-4.0, z + 0.3), (-4.2, z + u(1.05)), (-2.9, z + u(0.72))]
    pieces += painted("fin", slab(fillet, 0.08))
    tail_z = z + rng.uniform(0.2, 0.6)
    pieces += plane.pair(
        "tailplane", (-u(3.6), 0.0, tail_z), (-u(4.0), u(2.36), tail_z + 0.2), (u(1.35), 0.75), 0.09
    )
    return pieces


def fighter(rng: Rng, varies: float = VARIES) -> list[Piece]:
    """Fighter: a long nose with canards, a broad flat body, forward-swept wings, two canted fins
    and nozzles.
    """
    u = _around(rng, varies)
    nose = [
        (3.78, 0.02, 0.33, 0.37),
        (3.2, 0.12, 0.27, 0.46),
        (2.4, 0.22, 0.22, 0.62),
        (1.5, u(0.27), 0.2, 0.76),
        (0.6, u(0.27), 0.18, 0.74),
        (-0.4, 0.2, 0.3, 0.72),
        (-1.5, 0.06, 0.4, 0.68),
    ]
    pieces = painted("fuselage", hull(nose, 12))
    glass = [
        (2.2, 0.05, 0.5, 0.6),
        (1.8, 0.16, 0.5, 0.86),
        (1.4, 0.18, 0.5, u(0.96)),
        (0.8, 0.14, 0.5, 0.88),
        (0.1, 0.05, 0.55, 0.72),
    ]
    pieces += solid("cockpit", "glass" if rng.random() < 0.7 else "dark", hull(glass, 10))
    wide = u(1.05)
    body = [
        (0.9, 0.2, 0.25, 0.55),
        (0.3, 0.55, 0.08, 0.6),
        (0.0, 0.8, 0.02, 0.62),
        (-1.0, wide, 0.0, 0.68),
        (-2.7, wide * 0.97, 0.15, 0.66),
        (-3.3, 0.6, 0.3, 0.55),
    ]
    pieces += painted("fuselage", hull(body, 14, 0.7))
    for _, sign in plane.SIDES:
        pieces += painted("intake", box(1.6, 0.45, 0.4, (-0.5, sign * 0.62, 0.22)))
        pieces += solid("intake", "dark", box(0.05, 0.38, 0.32, (0.31, sign * 0.62, 0.22)))
    root = (-u(1.1), 0.8, 0.36)
    pieces += plane.pair(
        "wing",
        root,
        (-0.35 + rng.normal(0, 0.2), u(3.18), rng.uniform(0.2, 0.45)),
        (u(1.75), u(0.55)),
        0.05,
    )
    pieces += plane.pair(
        "canard", (u(1.6), 0.25, 0.5), (u(0.75), u(1.15), 0.55), (0.95, 0.25), 0.06
    )
    pieces += plane.pair(
        "tailplane", (-2.55, 0.85, 0.4), (-u(3.5), u(1.62), 0.35), (0.9, 0.25), 0.06
    )
    out, top = u(0.68), u(1.59)
    for word, sign in plane.SIDES:
        fin = wing(
            (-2.25, sign * out, 0.55), (-u(3.25), sign * (out + u(0.27)), top), (1.4, 0.42), 0.06
        )
        pieces += painted("fin", fin)
        line = [(x, sign * out, 0.62) for x in (-1.7, -2.1, -3.2, -3.62, -3.65)]
        pieces += painted(f"engine_{word}", tube(line, [0.05, 0.17, 0.19, 0.18, 0.15], 10))
        pieces += solid(
            f"engine_{word}",
            "dark",
            tube([(-3.5, sign * out, 0.62), (-3.66, sign * out, 0.62)], 0.14, 8),
        )
        if rng.random() < 0.7:
            for y in (1.4, 1.85):
                rocket = [(x, sign * y, 0.18) for x in (0.25, 0.1, -0.9, -1.0)]
                pieces += painted("missile", tube(rocket, [0.02, 0.06, 0.06, 0.04], 6))
    return pieces


def biplane(rng: Rng, varies: float = VARIES) -> list[Piece]:
    """Biplane: wings of equal chord over a slim body, a large propeller, small wheels under the
    nose; like the official one it is tilted onto its left wheel.
    """
    u, tyre = _around(rng, varies), plane.tyre(rng)
    z, half = u(1.45), u(3.7)
    body = [
        (2.75, 0.2, z - 0.25, z + 0.2),
        (2.3, 0.36, z - 0.4, z + 0.36),
        (1.0, u(0.38), z - 0.42, z + 0.42),
        (-0.5, 0.33, z - 0.4, z + 0.38),
        (-2.0, 0.18, z - 0.2, z + 0.3),
        (-2.95, 0.05, z, z + 0.22),
    ]
    pieces = painted("fuselage", hull(body, 12, rng.uniform(0.65, 1.0)))
    pieces += plane.propeller(
        rng, np.array([2.72, 0.0, z]), u(0.95), 2 if rng.random() < 0.6 else 3
    )
    top, low, chord, front = u(2.22), u(0.97), u(1.25), u(1.56)
    share = rng.uniform(0.68, 0.82)
    for level, reach, rise in (
        (top, half, rng.uniform(-0.05, 0.1)),
        (low, half * share, rng.uniform(-0.05, 0.15)),
    ):
        near, end = (
            (front, reach * 0.9, level + 0.9 * rise),
            (front - 0.3 * chord, reach, level + rise),
        )
        pieces += plane.pair("wing", (front, 0.0, level), near, (chord, chord), 0.1)
        pieces += plane.pair("wing", near, end, (chord, chord * 0.45), 0.1)
    places = (0.7,) if rng.random() < 0.5 else (0.45, 0.75)
    for _, sign in plane.SIDES:
        for s in places:
            for dx in (0.2, 0.7):
                x, y = front - dx * chord, sign * s * half * share
                pieces += painted("strut", rod((x, y, low), (x, y, top), 0.04, 5))
        for dx in (0.2, 0.7):
            x = front - dx * chord
            pieces += painted("strut", rod((x, sign * 0.2, z + 0.3), (x, sign * 0.4, top), 0.04, 5))
        out = sign * u(0.5)
        pieces += plane.gear("wheel_front", (u(1.4), out), z - 0.2, 0.28, tyre, twin=False)
        pieces += painted(
            "wheel_front", rod((1.0, sign * 0.25, z - 0.3), (1.4, out, 0.32), 0.05, 5)
        )
    pieces += painted("fin", wing((-1.9, 0, z + 0.1), (-u(2.3), 0, z + u(0.85)), (1.1, 0.6), 0.07))
    pieces += plane.pair(
        "tailplane", (-1.9, 0.0, z + 0.15), (-2.05, u(1.38), z + 0.15), (1.05, 0.7), 0.07
    )
    pieces += solid("cockpit", "dark", ball((0.34, 0.24, 0.14), (-0.1, 0, z + 0.38)))
    pieces += solid("cockpit", "glass", box(0.03, 0.4, 0.22, (0.3, 0, z + 0.48), pitch=-0.45))
    pieces += painted("wheel_back", rod((-2.5, 0, z), (-2.8, 0, z - u(0.5)), 0.06, 5))
    askew = -rng.uniform(0.1, 0.18)
    return moved_all(pieces, roll=askew)


def cruiser(rng: Rng, varies: float = VARIES) -> list[Piece]:
    """Cruiser: a sports motorbike with a full fairing, low bars behind a screen, a high tail,
    raised silencers.
    """
    u, finish = _around(rng, varies), sample_finish(rng)
    front, rear = np.array([u(0.744), 0.31]), np.array([-u(0.70), 0.31])
    thick = rng.uniform(0.06, 0.075)
    pieces = motorbike.wheel(rng, "wheel_front", front, thick, 0.13, finish, False)
    pieces += motorbike.wheel(rng, "wheel_back", rear, thick, 0.19, finish, False)
    pieces += motorbike.fork(front, np.array([0.42, 0.92]), 0.1, 0.028, finish)
    pieces += motorbike.swingarm(rear, np.array([-0.2, 0.42]), 0.12, finish.metal, 0.035)

    def narrow(v: Array) -> Array:
        v[:, 1] *= 1 - 0.55 * np.clip((v[:, 0] - 0.45) / 0.45, 0, 1) ** 2
        v[:, 1] *= 1 - 0.35 * np.clip((0.35 - v[:, 2]) / 0.2, 0, 1)
        return v

    screen = u(1.13)
    fairing = [
        (0.897, 0.726),
        (0.871, 0.904),
        (0.566, screen - 0.01),
        (0.485, screen),
        (0.5, 1.03),
        (0.35, 0.88),
        (-0.21, 0.73),
        (-0.23, 0.32),
        (-0.39, 0.19),
        (-0.39, 0.15),
        (0.41, u(0.142)),
        (0.434, 0.345),
        (0.6, 0.625),
        (0.83, 0.676),
    ]
    pieces += painted("cover_front", slab(rounded(fairing, 0.02), u(0.5), 0.06, narrow, rows=5))
    glass = [
        (0.6, screen - 0.07),
        (0.47, screen + 0.01),
        (0.44, screen - 0.02),
        (0.5, screen - 0.12),
    ]
    pieces += solid("windscreen", "glass", slab(glass, 0.34, 0.02, narrow, rows=3))
    tank = [
        (0.36, 0.1, 0.72, 0.9),
        (0.2, 0.2, 0.72, u(0.97)),
        (0.0, 0.21, 0.7, u(0.99)),
        (-0.15, 0.16, 0.7, 0.93),
        (-0.26, 0.1, 0.7, 0.83),
    ]
    pieces += painted("gas_tank", hull(tank, 12, 0.85))
    saddle = [
        (-0.18, 0.09, 0.72, 0.84),
        (-0.35, 0.15, 0.72, 0.86),
        (-0.55, 0.14, 0.74, 0.88),
        (-0.66, 0.1, 0.78, 0.99),
    ]
    pieces += solid("seat", finish.seat, hull(saddle, 10, 0.85))
    high = u(1.06)
    tail = [(-0.36, 0.78), (-0.6, high - 0.07), (-1.02, high), (-0.85, 0.86), (-0.56, 0.72)]

    def taper(v: Array) -> Array:
        v[:, 1] *= 1 - 0.6 * np.clip((-0.6 - v[:, 0]) / 0.4, 0, 1)
        return v

    pieces += painted("cover_back", slab(tail, u(0.27), 0.04, taper, rows=4))
    pieces += motorbike.engine(rng, np.array([0.05, 0.36]), 0.15, finish, twin=False)
    pieces += motorbike.chain(rear, np.array([-0.05, 0.4]), 0.11, finish)
    end = np.array([-u(0.98), u(0.74)])
    both = rng.random() < 0.75
    for name, sign in (("exhaust_right_s", -1), ("exhaust_left_s", 1))[: 1 + both]:
        line = [
            side((0.1, 0.22), 0.1 * sign),
            side((-0.3, 0.28), 0.18 * sign),
            side((-0.42, 0.45), 0.23 * sign),
            side(end, 0.24 * sign),
        ]
        pieces += motorbike.pipe(name, np.array(line), u(0.065), finish)
    pieces += painted(
        "fender_front",
        fender(front, 0.335, 0.15, (rng.uniform(20, 40), rng.uniform(140, 165)), 0.05),
    )
    pieces += painted("fender_back", fender(rear, 0.34, 0.2, (60, 120), 0.04))
    bar = np.array([(0.42, 0, 0.95), (0.43, 0.1, 0.95), (0.42, 0.2, 0.96), (0.36, 0.33, 0.94)])
    pieces += handlebar(bar, 0.016, finish.metal, finish.trim, 0.022)
    pieces += mirrors(np.array([0.56, 0.16, 1.03]), 0.16, 0.05, 0.05, 0.07, finish.metal, "paint")
    for name, y in (("headlight_left", 0.07), ("headlight_right", -0.07)):
        pieces += solid(name, "lamp", ball((0.06, 0.06, 0.05), (0.86, y, 0.83)))
    pieces += round_lamp(
        "taillight_center", side((-0.97, high - 0.06)), 0.04, 0.06, "paint", "tail", -1
    )
    pieces += solid("license_plate", "white", box(0.012, 0.16, 0.11, side((-0.9, 0.8)), pitch=-0.4))
    pieces += solid("panel", finish.trim, box(0.05, 0.2, 0.08, side((0.47, 1.0)), pitch=-0.5))
    return pieces + motorbike.footrests(np.array([-0.28, 0.36]), 0.16, finish, board=False)


def tandem(rng: Rng, varies: float = VARIES) -> list[Piece]:
    """Tandem: a frame without top tubes, swept tubes from the head down to a long low one, upright
    bars.
    """
    u, finish = _around(rng, varies), sample_finish(rng)
    radius, tyre, r = u(0.342), rng.uniform(0.018, 0.028), rng.uniform(0.018, 0.026)
    front, rear, low = np.array([1.0, radius]), np.array([-1.0, radius]), u(0.16)
    first, two = np.array([0.08, low]), np.array([-u(0.53), low + 0.01])  # cranks, front and rear
    head_low, head_top = np.array([0.83, u(0.7)]), np.array([0.77, u(0.93)])
    up = leaning(np.radians(72))
    frame = bicycle.BicycleFrame(
        rear,
        front,
        two,
        two + [-0.1, 0.6],
        two + [-0.11, u(0.66)],
        head_low,
        head_top,
        up,
        np.array([up[1], -up[0]]),
        r,
    )
    seat, saddle = first + [0.06, 0.45], first + [0.07, u(0.53)]
    neck = (head_low + head_top) / 2
    pieces: list[Piece] = []
    for line, thick in (
        ([head_low, (0.6, 0.45), (0.34, 0.22), first, two], 1.2),
        ([neck, (0.62, 0.55), (0.36, 0.32), first + [0.0, 0.13]], 1.0),
        ([first, seat], 1.0),
        ([first + [0.01, 0.2], two + [-0.03, 0.17]], 1.0),
        ([two, frame.seat], 1.0),
        ([first + [-0.04, 0.0], first + [-0.14, u(0.68)]], 1.0),
        ([head_low - up * 0.01, head_top], 1.2),
    ):
        pieces += painted("frame", tube(list(map(side, line)), r * thick))
    pieces += bicycle.stays(frame, two, two + [-0.07, 0.4])
    pieces += bicycle.wheels(frame, finish, tyre, int(rng.integers(10, 15)), radius)
    pieces += bicycle.fork(frame, finish.metal)
    start = rng.uniform(0, 360)
    pieces += bicycle.drive(rng, frame, two, finish, start=start)
    pieces += bicycle.drive(rng, frame, first, finish, rear=two, start=start)
    for at, top in ((frame.saddle, frame.seat), (saddle, seat)):
        pieces += bicycle.saddle(frame, at, top, finish, u(0.28), u(0.19))
    width, sweep = u(0.42), u(0.24)
    clamp, stem = bicycle.stem(frame, u(0.1), 0.02, finish.metal)
    pieces += stem + bicycle.bar(clamp, width, sweep, u(0.1), finish)
    rear_clamp = first + [-0.14, u(0.7)]
    pieces += bicycle.bar(rear_clamp, width, sweep, u(0.08), finish, levers=False)
    if rng.random() < 0.9:
        pieces += bicycle.mudguards(rng, frame, radius, tyre * 2 + 0.04)
        pieces += solid(
            "rearlight", "tail", box(0.04, 0.06, 0.05, side(polar(rear, radius * 1.14, 165)))
        )
    return pieces


MAKERS = {"jet": jet, "fighter": fighter, "biplane": biplane, "cruiser": cruiser, "tandem": tandem}
