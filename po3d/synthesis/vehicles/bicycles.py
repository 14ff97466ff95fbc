"""Bicycles: road, utility, mountain and tandem, in metres, the frame along x."""

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, painted, solid
from po3d.synthesis.shapes.primitives import box, moved, ring, rod, slab, tube
from po3d.synthesis.vehicles import bicycle_parts as parts
from po3d.synthesis.vehicles.two_wheelers import knobs, polar, sample_finish, side

Rng = np.random.Generator


def road(rng: Rng) -> list[Piece]:
    """Road bike: drop bars, thin wheels, a high saddle and nothing else."""
    u = rng.uniform
    finish, radius, tyre = sample_finish(rng), u(0.325, 0.345), u(0.012, 0.018)
    head = u(0.11, 0.19)
    frame = parts.frame(
        rng, radius, wheelbase=u(0.96, 1.02), chainstay=u(0.40, 0.42), bottom=u(0.26, 0.28),
        seat_tube=u(0.48, 0.57), saddle=u(0.68, 0.75), fork=u(0.365, 0.38), head_tube=head,
        head_angle=u(71.5, 74), tube_radius=u(0.015, 0.023),
    )  # fmt: skip
    slope = u(0.0, 0.06)
    pieces = parts.triangle(frame, frame.seat - [0, slope + 0.02], frame.head_top - frame.up * 0.03)
    pieces += parts.wheels(
        frame, finish, tyre, int(rng.integers(9, 14)), radius, deep=rng.random() < 0.25
    )
    pieces += parts.fork(frame, finish.metal) + parts.drive(rng, frame, frame.bottom, finish)
    pieces += parts.brakes(frame, radius, finish.metal)
    pieces += parts.saddle(frame, frame.saddle, frame.seat, finish, u(0.26, 0.29), u(0.13, 0.16))
    clamp, stem = parts.stem(frame, u(0.015, 0.06), u(0.08, 0.12), finish.metal)
    pieces += stem + parts.drop_bar(rng, clamp, u(0.37, 0.42), finish)
    return pieces + (parts.bottle(rng, frame, finish) if rng.random() < 0.4 else [])


def utility(rng: Rng) -> list[Piece]:
    """Utility bike: upright swept bars, mudguards, lamps, a rack or basket; step-through or diamond
    frame.
    """
    u = rng.uniform
    finish, radius, tyre = sample_finish(rng), u(0.33, 0.36), u(0.018, 0.026)
    frame = parts.frame(
        rng, radius, wheelbase=u(1.04, 1.14), chainstay=u(0.44, 0.48), bottom=u(0.27, 0.30),
        seat_tube=u(0.46, 0.54), saddle=u(0.58, 0.66), fork=u(0.39, 0.41), head_tube=u(0.16, 0.24),
        head_angle=u(66, 71), tube_radius=u(0.016, 0.021),
    )  # fmt: skip
    kind = rng.choice(["diamond", "mixte", "swan"], p=[0.25, 0.35, 0.4])
    if kind == "diamond":
        pieces = parts.triangle(frame, frame.seat - [0, 0.04], frame.head_top - frame.up * 0.03)
    else:  # the upper tube starts low at the seat tube
        low = frame.bottom + (frame.seat - frame.bottom) * u(0.3, 0.5)
        pieces = parts.triangle(frame, frame.seat - [0, 0.04], frame.seat - [0.01, 0.07])
        end = frame.head_top - frame.up * 0.04
        sag = (low + end) / 2 - (np.array([0, 0.06]) if kind == "swan" else 0)
        pieces += painted("frame", tube([side(low), side(sag), side(end)], frame.tube))
    pieces += parts.wheels(frame, finish, tyre, int(rng.integers(10, 15)), radius)
    pieces += parts.fork(frame, finish.metal) + parts.drive(rng, frame, frame.bottom, finish)
    pieces += parts.brakes(frame, radius, finish.metal)
    pieces += parts.saddle(frame, frame.saddle, frame.seat, finish, u(0.25, 0.29), u(0.19, 0.25))
    clamp, stem = parts.stem(frame, u(0.1, 0.2), u(0.03, 0.07), finish.metal)
    pieces += stem + parts.bar(clamp, u(0.54, 0.66), u(0.14, 0.26), u(0.02, 0.1), finish)
    pieces += parts.mudguards(rng, frame, radius, tyre * 2 + 0.03)
    pieces += parts.lights(rng, frame, radius, finish, frame.head_top + [0.12, -0.02])
    if rng.random() < 0.7:
        pieces += parts.carrier(frame, radius, finish.metal, u(0.34, 0.42))
    if rng.random() < 0.4:
        pieces += parts.basket(rng, frame.head_top + [0.07, -0.02], finish.trim)
    if rng.random() < 0.6:  # chain guard on the right
        a, b = frame.bottom, frame.rear
        outline = [
            b + [-0.05, -0.05],
            a + [0.06, -0.1],
            a + [0.12, -0.02],
            a + [0.09, 0.11],
            b + [-0.05, 0.07],
        ]
        guard = slab(outline, 0.016, 0.004)
        pieces += painted("chain_guard", moved(guard, (0, -0.085, 0)))
    foot = frame.bottom + [-0.1 if rng.random() < 0.5 else -0.4, -frame.bottom[1] + 0.01]
    side_stand = rod(
        side(frame.bottom * [1, 1] + (foot - frame.bottom) * [0.4, 0.1], 0.04),
        side(foot, 0.18),
        0.011,
        5,
    )
    pieces += solid("side_stand", finish.metal, side_stand)
    return pieces


def mountain(rng: Rng) -> list[Piece]:
    """Mountain bike: wide flat bars, thick knobby tyres, a suspension fork, a sloping top tube;
    with or without rear suspension.
    """
    u = rng.uniform
    finish, radius, tyre = sample_finish(rng), u(0.335, 0.37), u(0.028, 0.038)
    frame = parts.frame(
        rng, radius, wheelbase=u(1.08, 1.18), chainstay=u(0.43, 0.45), bottom=u(0.30, 0.34),
        seat_tube=u(0.38, 0.46), saddle=u(0.55, 0.68), fork=u(0.46, 0.50), head_tube=u(0.1, 0.13),
        head_angle=u(65, 70), tube_radius=u(0.02, 0.028),
    )  # fmt: skip
    head = frame.head_top - frame.up * 0.03
    if rng.random() < 0.4:  # rear suspension: a rocker and a shock in front of the seat tube
        pivot = frame.bottom + (frame.seat - frame.bottom) * 0.6 - [0.05, 0]
        pieces = parts.triangle(frame, frame.seat - [0, 0.03], head)[:5] + parts.stays(
            frame, frame.bottom + [0, 0.05], pivot
        )
        mount = frame.bottom + (frame.head_low - frame.bottom) * 0.38
        shock = np.array([side(pivot + (mount - pivot) * s) for s in (0, 0.2, 0.4, 0.6, 0.8, 1)])
        pieces += solid("shock", finish.metal, tube(shock, [0.03, 0.02, 0.03, 0.02, 0.03, 0.02], 6))
    else:
        pieces = parts.triangle(frame, frame.seat - [0, u(0.02, 0.06)], head)
    pieces += parts.wheels(frame, finish, tyre, int(rng.integers(9, 13)), radius)
    pieces += knobs("wheel_front", finish.tyre, frame.front, tyre * 2, 28)
    pieces += knobs("wheel_back", finish.tyre, frame.rear, tyre * 2, 28)
    pieces += parts.fork(frame, finish.metal, travel=0.1) + parts.drive(
        rng, frame, frame.bottom, finish
    )
    pieces += parts.saddle(frame, frame.saddle, frame.seat, finish, u(0.26, 0.29), u(0.14, 0.18))
    clamp, stem = parts.stem(frame, u(0.02, 0.06), u(0.04, 0.09), finish.metal)
    pieces += stem + parts.bar(clamp, u(0.64, 0.76), u(0.02, 0.07), u(0.0, 0.05), finish)
    if rng.random() < 0.5:  # disc brakes on the left
        for axle in (frame.front, frame.rear):
            pieces += solid(
                "brake_system",
                finish.metal,
                moved(ring(0.075, 0.014, 0.008, 14, 4), side(axle, 0.05)),
            )
    else:
        pieces += parts.brakes(frame, radius, finish.metal)
    return pieces + (parts.bottle(rng, frame, finish) if rng.random() < 0.3 else [])


def tandem(rng: Rng) -> list[Piece]:
    """Tandem: two saddles, two bars and two pairs of cranks on one long frame."""
    u = rng.uniform
    finish, radius, tyre = sample_finish(rng), u(0.33, 0.35), u(0.014, 0.024)
    gap = u(0.66, 0.76)
    frame = parts.frame(
        rng, radius, wheelbase=u(1.0, 1.06) + gap, chainstay=u(0.42, 0.45), bottom=u(0.27, 0.29),
        seat_tube=u(0.46, 0.54), saddle=u(0.6, 0.68), fork=u(0.37, 0.39), head_tube=u(0.13, 0.2),
        head_angle=u(71, 74), tube_radius=u(0.017, 0.023),
    )  # fmt: skip
    shift = np.array([gap, 0.0])
    bottom, seat, saddle, r = (
        frame.bottom + shift,
        frame.seat + shift,
        frame.saddle + shift,
        frame.tube,
    )
    head = frame.head_top - frame.up * 0.03
    pieces: list[Piece] = []
    step_through = rng.random() < 0.3  # of the rear rider
    rear_top = (
        frame.bottom + (frame.seat - frame.bottom) * 0.62
        if step_through
        else frame.seat - [0, 0.03]
    )
    for a, b, scale in (
        (frame.bottom, frame.seat, 1),
        (bottom, seat, 1),
        (frame.bottom, bottom, 1.15),
        (bottom, frame.head_low + frame.up * 0.03, 1.1),
        (seat - [0, 0.03], head, 1),
        (rear_top, seat - [0, 0.03], 1),
        (frame.head_low - frame.up * 0.01, frame.head_top, 1.2),
    ):
        pieces += painted("frame", rod(side(a), side(b), r * scale))
    if rng.random() < 0.6:  # the long diagonal
        pieces += painted("frame", rod(side(head - [0, 0.05]), side(frame.bottom), r * 0.8))
    pieces += parts.stays(frame, frame.bottom, frame.seat - [0, 0.03])
    pieces += parts.wheels(frame, finish, tyre, int(rng.integers(10, 15)), radius)
    pieces += parts.fork(frame, finish.metal)
    start = u(0, 360)
    pieces += parts.drive(rng, frame, frame.bottom, finish, start=start)
    pieces += parts.drive(rng, frame, bottom, finish, rear=frame.bottom, start=start)
    saddle_size = u(0.26, 0.29), u(0.15, 0.21)
    for at, top in ((frame.saddle, frame.seat), (saddle, seat)):
        pieces += parts.saddle(frame, at, top, finish, *saddle_size)
    clamp, stem = parts.stem(frame, u(0.03, 0.1), u(0.06, 0.11), finish.metal)
    width = u(0.38, 0.44)
    if rng.random() < 0.4:
        pieces += stem + parts.drop_bar(rng, clamp, width, finish)
    else:
        pieces += stem + parts.bar(clamp, width, u(0.08, 0.2), u(0.0, 0.06), finish)
    # the second bar is mounted on the front rider's seat post
    rear_clamp = saddle + [-u(0.1, 0.16), -0.05]
    pieces += solid("stem", finish.metal, rod(side(saddle - [0, 0.08]), side(rear_clamp), r * 0.75))
    pieces += parts.bar(rear_clamp, width, u(0.1, 0.2), u(0.02, 0.1), finish, levers=False)
    if rng.random() < 0.75:
        pieces += parts.mudguards(rng, frame, radius, tyre * 2 + 0.03)
        pieces += solid(
            "rearlight", "tail", box(0.03, 0.06, 0.05, side(polar(frame.rear, radius * 1.12, 150)))
        )
    return pieces + (parts.carrier(frame, radius, finish.metal, 0.36) if rng.random() < 0.3 else [])


MAKERS = {"road": road, "utility": utility, "mountain": mountain, "tandem": tandem}
