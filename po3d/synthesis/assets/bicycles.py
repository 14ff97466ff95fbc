"""Bicycles: road, utility, mountain and tandem, in metres, the frame along x."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from po3d.synthesis.assets.mesh import Piece
from po3d.synthesis.assets.primitives import Array, box, hull, lathe, moved, ring, rod, slab, spoked_wheel, tube
from po3d.synthesis.assets.two_wheelers import (
    Finish, fender, handlebar, knobs, polar, round_lamp, sample_finish, side,
)  # fmt: skip

Rng = np.random.Generator


@dataclass(frozen=True)
class Frame:
    """Joints in side view (x, z), metres; the wheels have one radius and stand on z = 0."""

    rear: Array  # axles
    front: Array
    bottom: Array  # axis of the cranks
    seat: Array  # top of the seat tube
    saddle: Array
    head_low: Array  # ends of the head tube
    head_top: Array
    up: Array  # unit direction of the steering axis, up and back
    forward: Array  # square to it
    tube: float  # radius of the frame's tubes


def _frame(
    rng: Rng, radius: float, wheelbase: float, chainstay: float, bottom: float, seat_tube: float, saddle: float,
    fork: float, head_tube: float, head_angle: float, tube_radius: float,
) -> Frame:  # fmt: skip
    """The frame of these lengths (metres) and head angle (degrees to the ground)."""
    rear, front = np.array([-wheelbase / 2, radius]), np.array([wheelbase / 2, radius])
    crank = np.array([rear[0] + chainstay, bottom])
    seat_angle = np.radians(rng.uniform(70, 75))
    lean = np.array([-np.cos(seat_angle), np.sin(seat_angle)])
    t = np.radians(head_angle)
    up, forward = np.array([-np.cos(t), np.sin(t)]), np.array([np.sin(t), np.cos(t)])
    head_low = front + up * fork - forward * rng.uniform(0.03, 0.06)
    return Frame(
        rear, front, crank, crank + lean * seat_tube, crank + lean * saddle, head_low, head_low + up * head_tube, up, forward,
        tube_radius,
    )  # fmt: skip


def _wheels(frame: Frame, finish: Finish, tyre: float, spokes: int, radius: float, deep: bool = False) -> list[Piece]:
    pieces: list[Piece] = []
    for name, x in (("wheel_front", frame.front[0]), ("wheel_back", frame.rear[0])):
        pieces += spoked_wheel(name, x, radius, tyre, (finish.tyre, finish.metal), spokes, 0.05, spoke=0.006)
        if deep:
            pieces.append((name, finish.trim, moved(ring(radius - tyre * 3.2, tyre * 1.5, tyre, 20, 4), (x, 0, radius))))
    return pieces


def _triangle(frame: Frame, top_from: Array, top_to: Array) -> list[Piece]:
    """Seat tube, top tube between two given points, down tube, head tube and the two pairs of stays."""
    r = frame.tube
    pieces = [
        ("frame", "paint", rod(side(frame.bottom), side(frame.seat), r)),
        ("frame", "paint", rod(side(top_from), side(top_to), r)),
        ("frame", "paint", rod(side(frame.bottom), side(frame.head_low + frame.up * 0.03), r * 1.15)),
        ("frame", "paint", rod(side(frame.head_low - frame.up * 0.01), side(frame.head_top), r * 1.2)),
        ("frame", "paint", lathe([(0, -0.04), (r * 1.3, -0.04), (r * 1.3, 0.04), (0, 0.04)], 8)),
    ]
    pieces[-1] = ("frame", "paint", moved(pieces[-1][2], side(frame.bottom)))
    return pieces + _stays(frame, frame.bottom, top_from)


def _stays(frame: Frame, bottom: Array, top: Array) -> list[Piece]:
    pieces = []
    for y in (0.065, -0.065):
        pieces.append(("frame", "paint", rod(side(frame.rear, y), side(bottom, y * 0.4), frame.tube * 0.65, 5)))
        pieces.append(("frame", "paint", rod(side(frame.rear, y), side(top, y * 0.3), frame.tube * 0.6, 5)))
    return pieces


def _fork(frame: Frame, metal: str, travel: float = 0.0) -> list[Piece]:
    """A rigid fork whose blades bend forward to the axle or, with travel > 0, a suspension fork with thick lower legs."""
    crown = frame.head_low
    pieces: list[Piece] = []
    for y in (0.06, -0.06):
        if travel:
            top = frame.front + frame.up * (frame.up @ (crown - frame.front))
            knee = frame.front + (top - frame.front) * 0.58
            pieces.append(("fork", "paint", rod(side(frame.front, y), side(knee, y), frame.tube * 1.25)))
            pieces.append(("fork", metal, rod(side(knee, y), side(top, y), frame.tube * 0.8)))
        else:
            bend = crown + (frame.front - crown) * 0.7 - frame.forward * 0.015
            line = [side(crown, y * 0.7), side(bend, y), side(frame.front, y)]
            pieces.append(("fork", "paint", tube(line, [frame.tube * 0.85, frame.tube * 0.75, frame.tube * 0.5])))
    width = 0.15 if travel else 0.11
    angle = np.pi / 2 - np.arctan2(frame.up[1], -frame.up[0])
    pieces.append(("fork", "paint", box(0.07 if travel else 0.045, width, 0.05, side(crown + frame.forward * 0.01 * bool(travel)), pitch=-angle)))
    return pieces


def _saddle(frame: Frame, at: Array, top: Array, seat: str, metal: str, length: float, width: float) -> list[Piece]:
    """A saddle over `at` with its post from the frame's `top`."""
    x, z = at
    rear, nose = x - length * 0.5, x + length * 0.5
    stations = [
        (rear, width * 0.3, z - 0.03, z + 0.045), (rear + length * 0.14, width * 0.5, z - 0.045, z + 0.05),
        (rear + length * 0.4, width * 0.36, z - 0.03, z + 0.03), (rear + length * 0.7, width * 0.16, z - 0.02, z + 0.025),
        (nose, width * 0.09, z - 0.02, z + 0.02),
    ]  # fmt: skip
    return [("saddle", seat, hull(stations, 8)), ("saddle", metal, rod(side(top), side(at), frame.tube * 0.8))]


def _drive(rng: Rng, frame: Frame, bottom: Array, finish: Finish, rear: Array | None = None, start: float | None = None) -> list[Piece]:
    """Cranks and pedals, and a chain from the chainring at `bottom` to the sprocket at `rear`."""
    rear = frame.rear if rear is None else rear
    big, small = rng.uniform(0.08, 0.11), rng.uniform(0.035, 0.055)
    start = rng.uniform(0, 360) if start is None else start
    y = -0.06  # the chain runs on the right
    pieces: list[Piece] = [
        ("drive_chain", finish.metal, moved(ring(big * 0.93, big * 0.1, 0.012, 16, 4), side(bottom, y))),
        ("drive_chain", finish.metal, box(big * 1.8, 0.008, 0.025, side(bottom, y), pitch=np.radians(start))),
        ("drive_chain", finish.metal, box(0.025, 0.008, big * 1.8, side(bottom, y), pitch=np.radians(start))),
        ("drive_chain", finish.metal, moved(lathe([(0, -0.015), (small, -0.015), (small * 0.7, 0.015), (0, 0.015)], 10), side(rear, y))),
    ]
    for sign in (1, -1):
        pieces.append(("drive_chain", finish.trim, rod(side(bottom + [0, big * sign], y), side(rear + [0, small * sign], y), 0.007, 4)))
    for leg, sign in (("left", 1), ("right", -1)):
        end = polar(bottom, 0.17, start + (180 if sign > 0 else 0))
        reach = 0.085 * sign
        pieces.append((f"crank_arm_{leg}", finish.metal, rod(side(bottom, reach * 0.6), side(end, reach), 0.014, 5)))
        pieces.append((f"pedal_{leg}", finish.trim, box(0.09, 0.085, 0.022, side(end, reach + 0.05 * sign))))
    return pieces


def _brakes(frame: Frame, radius: float, metal: str) -> list[Piece]:
    """Callipers above the tyres."""
    top = frame.front + (frame.head_low - frame.front) * (radius * 1.03 / np.linalg.norm(frame.head_low - frame.front))
    back = polar(frame.rear, radius * 1.03, 78)
    return [("brake_system", metal, box(0.04, 0.09, 0.06, side(p))) for p in (top + frame.forward * 0.03, back)]


def _bottle(rng: Rng, frame: Frame, finish: Finish) -> list[Piece]:
    """A bottle on the down tube."""
    along = frame.head_low - frame.bottom
    along /= np.linalg.norm(along)
    normal = np.array([-along[1], along[0]])
    foot = frame.bottom + along * rng.uniform(0.16, 0.26) + normal * (frame.tube + 0.035)
    line = [side(foot + along * d) for d in (0, 0.13, 0.15, 0.19)]
    return [("bottle", finish.trim, tube(line, [0.034, 0.034, 0.02, 0.018], 8))]


def _stem(frame: Frame, rise: float, reach: float, metal: str) -> tuple[Array, list[Piece]]:
    """The clamp of the bar, `rise` along the steering axis above the head tube and `reach` in front of it."""
    neck = frame.head_top + frame.up * rise
    clamp = neck + np.array([reach, 0.012])
    return clamp, [
        ("stem", metal, rod(side(frame.head_top), side(neck + frame.up * 0.012), frame.tube * 0.85)),
        ("stem", metal, rod(side(neck), side(clamp), frame.tube * 0.8)),
    ]


def _drop_bar(rng: Rng, clamp: Array, width: float, finish: Finish) -> list[Piece]:
    half, reach, drop = width / 2, rng.uniform(0.08, 0.11), rng.uniform(0.11, 0.15)
    side_view = [(0, 0), (0, 0), (reach * 0.7, -0.005), (reach, -drop * 0.3), (reach * 0.8, -drop * 0.8), (reach * 0.3, -drop), (-0.05, -drop * 1.02)]
    y = [0.0, half * 0.88, half, half * 1.0, half * 1.02, half * 1.04, half * 1.05]
    left = np.array([[clamp[0] + x, v, clamp[1] + z] for (x, z), v in zip(side_view, y)])
    pieces = handlebar(left, 0.015, finish.metal if rng.random() < 0.4 else "paint", finish.trim, 0.017)
    for sign in (1, -1):  # brake hoods and levers
        hood = np.array([clamp[0] + reach, half * sign, clamp[1] + 0.02])
        pieces.append(("brake_system", finish.trim, tube([hood - [0.05, 0, 0.02], hood, hood + [0.02, 0, 0.04]], 0.016, 5)))
        pieces.append(("brake_system", finish.metal, rod(hood, hood + [0.02, 0, -0.09], 0.008, 4)))
    return pieces


def _bar(clamp: Array, width: float, back: float, rise: float, finish: Finish, levers: bool = True) -> list[Piece]:
    """A bar that rises beside the clamp and sweeps `back` to the hands: flat for small, upright for large values."""
    half = width / 2
    line = [(0, 0, 0), (0, 0.06, rise * 0.2), (0.012, half * 0.4, rise * 0.9), (-back * 0.25, half * 0.75, rise), (-back, half, rise * 0.92)]
    left = np.array([[clamp[0] + x, y, clamp[1] + z] for x, y, z in line])
    pieces = handlebar(left, 0.014, finish.metal, finish.trim, 0.02)
    for sign in (1, -1) if levers else ():
        a, b = (left[-2] * [1, sign, 1], left[-1] * [1, sign, 1])
        pieces.append(("brake_system", finish.metal, rod(a + [0.03, 0, -0.01], (a + b) / 2 + [0.045, 0, -0.02], 0.008, 4)))
    return pieces


def _mudguards(rng: Rng, frame: Frame, radius: float, width: float, front_arc: tuple[float, float] = (-10, 115)) -> list[Piece]:
    low = rng.uniform(-25, 5)
    pieces: list[Piece] = [
        ("fender_front", "paint", fender(frame.front, radius * 1.07, width, (front_arc[0], front_arc[1] + low * 0.4 + 40), 0.03)),
        ("fender_back", "paint", fender(frame.rear, radius * 1.07, width, (55 + low * 0.3, 185 - low), 0.03)),
    ]
    for y in (width / 2, -width / 2):
        for name, axle, t in (("fender_front", frame.front, 120), ("fender_back", frame.rear, 150)):
            pieces.append((name, "paint", rod(side(axle, y), side(polar(axle, radius * 1.05, t), y), 0.006, 4)))
    return pieces


def _lights(rng: Rng, frame: Frame, radius: float, finish: Finish, lamp_at: Array) -> list[Piece]:
    pieces = round_lamp("headlight_center", side(lamp_at), rng.uniform(0.035, 0.06), 0.09, finish.metal)
    at = polar(frame.rear, radius * 1.12, rng.uniform(140, 165))
    return [*pieces, ("rearlight", "tail", box(0.03, 0.07, 0.05, side(at)))]


def _carrier(frame: Frame, radius: float, metal: str, length: float) -> list[Piece]:
    """A luggage rack over the back wheel."""
    x0, x1, z = frame.rear[0] - length * 0.62, frame.rear[0] + length * 0.38, radius * 2.14
    pieces: list[Piece] = [("carrier", metal, rod((x0, y, z), (x1, y, z), 0.009, 5)) for y in (-0.065, 0, 0.065)]
    pieces += [("carrier", metal, rod((x, -0.065, z), (x, 0.065, z), 0.009, 5)) for x in (x0, (x0 + x1) / 2, x1)]
    for y in (-0.065, 0.065):
        pieces += [("carrier", metal, rod(side(frame.rear, y), (x, y, z), 0.008, 5)) for x in (x0 + 0.06, x1 - 0.1)]
    return pieces


def _basket(rng: Rng, at: Array, metal: str) -> list[Piece]:
    """A wire basket whose back stands at `at`."""
    depth, width, height = rng.uniform(0.2, 0.28), rng.uniform(0.3, 0.4), rng.uniform(0.18, 0.25)
    x, z = at
    pieces: list[Piece] = [("basket", metal, box(depth * 0.85, width * 0.85, 0.012, (x + depth / 2, 0, z)))]

    def corner(sx: float, sy: float, level: float) -> Array:
        grow = 0.85 + 0.15 * level
        return np.array([x + depth / 2 + sx * depth / 2 * grow, sy * width / 2 * grow, z + height * level])

    around = [(-1, -1), (0, -1), (1, -1), (1, -0.34), (1, 0.34), (1, 1), (0, 1), (-1, 1), (-1, 0.34), (-1, -0.34)]
    pieces += [("basket", metal, rod(corner(*c, 0), corner(*c, 1), 0.006, 4)) for c in around]
    for level in (0.35, 0.7, 1.0):
        for a, b in zip(around[::1], around[1:] + around[:1]):
            if (a[0] == b[0]) != (a[1] == b[1]):
                pieces.append(("basket", metal, rod(corner(*a, level), corner(*b, level), 0.011 if level == 1 else 0.006, 4)))
    return pieces


def road(rng: Rng) -> list[Piece]:
    """Drop bars, thin wheels, a high saddle and nothing else."""
    finish, radius, tyre = sample_finish(rng), rng.uniform(0.325, 0.345), rng.uniform(0.012, 0.018)
    head = rng.uniform(0.11, 0.19)
    frame = _frame(
        rng, radius, rng.uniform(0.96, 1.02), rng.uniform(0.40, 0.42), rng.uniform(0.26, 0.28), rng.uniform(0.48, 0.57),
        rng.uniform(0.68, 0.75), rng.uniform(0.365, 0.38), head, rng.uniform(71.5, 74), rng.uniform(0.015, 0.023),
    )  # fmt: skip
    slope = rng.uniform(0.0, 0.06)
    pieces = _triangle(frame, frame.seat - [0, slope + 0.02], frame.head_top - frame.up * 0.03)
    pieces += _wheels(frame, finish, tyre, int(rng.integers(9, 14)), radius, deep=rng.random() < 0.25)
    pieces += _fork(frame, finish.metal) + _drive(rng, frame, frame.bottom, finish) + _brakes(frame, radius, finish.metal)
    pieces += _saddle(frame, frame.saddle, frame.seat, finish.seat, finish.metal, rng.uniform(0.26, 0.29), rng.uniform(0.13, 0.16))
    clamp, stem = _stem(frame, rng.uniform(0.015, 0.06), rng.uniform(0.08, 0.12), finish.metal)
    pieces += stem + _drop_bar(rng, clamp, rng.uniform(0.37, 0.42), finish)
    return pieces + (_bottle(rng, frame, finish) if rng.random() < 0.4 else [])


def utility(rng: Rng) -> list[Piece]:
    """Upright swept bars, mudguards, lamps, a rack or basket; step-through or diamond frame."""
    finish, radius, tyre = sample_finish(rng), rng.uniform(0.33, 0.36), rng.uniform(0.018, 0.026)
    frame = _frame(
        rng, radius, rng.uniform(1.04, 1.14), rng.uniform(0.44, 0.48), rng.uniform(0.27, 0.30), rng.uniform(0.46, 0.54),
        rng.uniform(0.58, 0.66), rng.uniform(0.39, 0.41), rng.uniform(0.16, 0.24), rng.uniform(66, 71), rng.uniform(0.016, 0.021),
    )  # fmt: skip
    kind = rng.choice(["diamond", "mixte", "swan"], p=[0.25, 0.35, 0.4])
    if kind == "diamond":
        pieces = _triangle(frame, frame.seat - [0, 0.04], frame.head_top - frame.up * 0.03)
    else:  # the upper tube starts low at the seat tube
        low = frame.bottom + (frame.seat - frame.bottom) * rng.uniform(0.3, 0.5)
        pieces = _triangle(frame, frame.seat - [0, 0.04], frame.seat - [0.01, 0.07])
        end = frame.head_top - frame.up * 0.04
        sag = (low + end) / 2 - (np.array([0, 0.06]) if kind == "swan" else 0)
        pieces.append(("frame", "paint", tube([side(low), side(sag), side(end)], frame.tube)))
    pieces += _wheels(frame, finish, tyre, int(rng.integers(10, 15)), radius)
    pieces += _fork(frame, finish.metal) + _drive(rng, frame, frame.bottom, finish) + _brakes(frame, radius, finish.metal)
    pieces += _saddle(frame, frame.saddle, frame.seat, finish.seat, finish.metal, rng.uniform(0.25, 0.29), rng.uniform(0.19, 0.25))
    clamp, stem = _stem(frame, rng.uniform(0.1, 0.2), rng.uniform(0.03, 0.07), finish.metal)
    pieces += stem + _bar(clamp, rng.uniform(0.54, 0.66), rng.uniform(0.14, 0.26), rng.uniform(0.02, 0.1), finish)
    pieces += _mudguards(rng, frame, radius, tyre * 2 + 0.03) + _lights(rng, frame, radius, finish, frame.head_top + [0.12, -0.02])
    if rng.random() < 0.7:
        pieces += _carrier(frame, radius, finish.metal, rng.uniform(0.34, 0.42))
    if rng.random() < 0.4:
        pieces += _basket(rng, frame.head_top + [0.07, -0.02], finish.trim)
    if rng.random() < 0.6:  # chain guard on the right
        a, b = frame.bottom, frame.rear
        outline = [b + [-0.05, -0.05], a + [0.06, -0.1], a + [0.12, -0.02], a + [0.09, 0.11], b + [-0.05, 0.07]]
        guard = slab(outline, 0.016, 0.004)
        pieces.append(("chain_guard", "paint", moved(guard, (0, -0.085, 0))))
    foot = frame.bottom + [-0.1 if rng.random() < 0.5 else -0.4, -frame.bottom[1] + 0.01]
    pieces.append(("side_stand", finish.metal, rod(side(frame.bottom * [1, 1] + (foot - frame.bottom) * [0.4, 0.1], 0.04), side(foot, 0.18), 0.011, 5)))
    return pieces


def mountain(rng: Rng) -> list[Piece]:
    """Wide flat bars, thick knobby tyres, a suspension fork, a sloping top tube; with or without rear suspension."""
    finish, radius, tyre = sample_finish(rng), rng.uniform(0.335, 0.37), rng.uniform(0.028, 0.038)
    frame = _frame(
        rng, radius, rng.uniform(1.08, 1.18), rng.uniform(0.43, 0.45), rng.uniform(0.30, 0.34), rng.uniform(0.38, 0.46),
        rng.uniform(0.55, 0.68), rng.uniform(0.46, 0.50), rng.uniform(0.1, 0.13), rng.uniform(65, 70), rng.uniform(0.02, 0.028),
    )  # fmt: skip
    head = frame.head_top - frame.up * 0.03
    if rng.random() < 0.4:  # rear suspension: a rocker and a shock in front of the seat tube
        pivot = frame.bottom + (frame.seat - frame.bottom) * 0.6 - [0.05, 0]
        pieces = _triangle(frame, frame.seat - [0, 0.03], head)[:5] + _stays(frame, frame.bottom + [0, 0.05], pivot)
        mount = frame.bottom + (frame.head_low - frame.bottom) * 0.38
        shock = np.array([side(pivot + (mount - pivot) * s) for s in (0, 0.2, 0.4, 0.6, 0.8, 1)])
        pieces.append(("shock", finish.metal, tube(shock, [0.03, 0.02, 0.03, 0.02, 0.03, 0.02], 6)))
    else:
        pieces = _triangle(frame, frame.seat - [0, rng.uniform(0.02, 0.06)], head)
    pieces += _wheels(frame, finish, tyre, int(rng.integers(9, 13)), radius)
    for name, x in (("wheel_front", frame.front[0]), ("wheel_back", frame.rear[0])):
        pieces += knobs(name, finish.tyre, x, radius, tyre * 2, 20)
    pieces += _fork(frame, finish.metal, travel=0.1) + _drive(rng, frame, frame.bottom, finish)
    pieces += _saddle(frame, frame.saddle, frame.seat, finish.seat, finish.metal, rng.uniform(0.26, 0.29), rng.uniform(0.14, 0.18))
    clamp, stem = _stem(frame, rng.uniform(0.02, 0.06), rng.uniform(0.04, 0.09), finish.metal)
    pieces += stem + _bar(clamp, rng.uniform(0.64, 0.76), rng.uniform(0.02, 0.07), rng.uniform(0.0, 0.05), finish)
    if rng.random() < 0.5:  # disc brakes on the left
        for axle in (frame.front, frame.rear):
            pieces.append(("brake_system", finish.metal, moved(ring(0.075, 0.014, 0.008, 14, 4), side(axle, 0.05))))
    else:
        pieces += _brakes(frame, radius, finish.metal)
    return pieces + (_bottle(rng, frame, finish) if rng.random() < 0.3 else [])


def tandem(rng: Rng) -> list[Piece]:
    """Two saddles, two bars and two pairs of cranks on one long frame."""
    finish, radius, tyre = sample_finish(rng), rng.uniform(0.33, 0.35), rng.uniform(0.014, 0.024)
    gap = rng.uniform(0.66, 0.76)
    frame = _frame(
        rng, radius, rng.uniform(1.0, 1.06) + gap, rng.uniform(0.42, 0.45), rng.uniform(0.27, 0.29), rng.uniform(0.46, 0.54),
        rng.uniform(0.6, 0.68), rng.uniform(0.37, 0.39), rng.uniform(0.13, 0.2), rng.uniform(71, 74), rng.uniform(0.017, 0.023),
    )  # fmt: skip
    shift = np.array([gap, 0.0])
    bottom, seat, saddle, r = frame.bottom + shift, frame.seat + shift, frame.saddle + shift, frame.tube
    head = frame.head_top - frame.up * 0.03
    pieces: list[Piece] = []
    step_through = rng.random() < 0.3  # of the rear rider
    rear_top = frame.bottom + (frame.seat - frame.bottom) * 0.62 if step_through else frame.seat - [0, 0.03]
    for a, b, scale in (
        (frame.bottom, frame.seat, 1), (bottom, seat, 1), (frame.bottom, bottom, 1.15), (bottom, frame.head_low + frame.up * 0.03, 1.1),
        (seat - [0, 0.03], head, 1), (rear_top, seat - [0, 0.03], 1), (frame.head_low - frame.up * 0.01, frame.head_top, 1.2),
    ):  # fmt: skip
        pieces.append(("frame", "paint", rod(side(a), side(b), r * scale)))
    if rng.random() < 0.6:  # the long diagonal
        pieces.append(("frame", "paint", rod(side(head - [0, 0.05]), side(frame.bottom), r * 0.8)))
    pieces += _stays(frame, frame.bottom, frame.seat - [0, 0.03])
    pieces += _wheels(frame, finish, tyre, int(rng.integers(10, 15)), radius) + _fork(frame, finish.metal)
    start = rng.uniform(0, 360)
    pieces += _drive(rng, frame, frame.bottom, finish, start=start) + _drive(rng, frame, bottom, finish, rear=frame.bottom, start=start)
    saddle_size = rng.uniform(0.26, 0.29), rng.uniform(0.15, 0.21)
    for at, top in ((frame.saddle, frame.seat), (saddle, seat)):
        pieces += _saddle(frame, at, top, finish.seat, finish.metal, *saddle_size)
    clamp, stem = _stem(frame, rng.uniform(0.03, 0.1), rng.uniform(0.06, 0.11), finish.metal)
    width = rng.uniform(0.38, 0.44)
    if rng.random() < 0.4:
        pieces += stem + _drop_bar(rng, clamp, width, finish)
    else:
        pieces += stem + _bar(clamp, width, rng.uniform(0.08, 0.2), rng.uniform(0.0, 0.06), finish)
    rear_clamp = saddle + [-rng.uniform(0.1, 0.16), -0.05]  # the second bar hangs on the front rider's seat post
    pieces.append(("stem", finish.metal, rod(side(saddle - [0, 0.08]), side(rear_clamp), r * 0.75)))
    pieces += _bar(rear_clamp, width * 0.95, rng.uniform(0.08, 0.2), rng.uniform(0.0, 0.06), finish, levers=False)
    if rng.random() < 0.75:
        pieces += _mudguards(rng, frame, radius, tyre * 2 + 0.03)
        pieces.append(("rearlight", "tail", box(0.03, 0.06, 0.05, side(polar(frame.rear, radius * 1.12, 150)))))
    return pieces + (_carrier(frame, radius, finish.metal, 0.36) if rng.random() < 0.3 else [])


MAKERS = {"road": road, "utility": utility, "mountain": mountain, "tandem": tandem}
