"""Parts of bicycles, in metres: the frame in side view and everything attached to it."""

from dataclasses import dataclass

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, painted, solid
from po3d.synthesis.shapes.primitives import (
    Array,
    box,
    hull,
    lathe,
    moved,
    ring,
    rod,
    spoked_wheel,
    tube,
)
from po3d.synthesis.vehicles.two_wheelers import (
    SlotMaterials,
    axles,
    chain_runs,
    fender,
    handlebar,
    leaning,
    polar,
    round_lamp,
    side,
    telescopic_legs,
)

Rng = np.random.Generator


@dataclass(frozen=True)
class BicycleFrame:
    """Joints in side view (x, z), metres; both wheels have one radius and stand on z = 0."""

    rear: Array  # axles
    front: Array
    bottom: Array  # axis of the cranks
    seat: Array  # top of the seat tube
    saddle: Array
    head_low: Array  # ends of the head tube
    head_top: Array
    up: Array  # unit direction of the steering axis, up and back
    forward: Array  # perpendicular to it
    tube: float  # radius of the frame's tubes


def frame(
    rng: Rng,
    radius: float,
    wheelbase: float,
    chainstay: float,
    bottom: float,
    seat_tube: float,
    saddle: float,
    fork: float,
    head_tube: float,
    head_angle: float,
    tube_radius: float,
) -> BicycleFrame:
    """Compute the frame from lengths (metres) and head angle (degrees to the ground)."""
    rear, front = axles(wheelbase, radius, radius)
    crank = np.array([rear[0] + chainstay, bottom])
    lean, up = leaning(np.radians(rng.uniform(70, 75))), leaning(np.radians(head_angle))
    forward = np.array([up[1], -up[0]])
    head_low = front + up * fork - forward * rng.uniform(0.03, 0.06)
    top, seat = crank + lean * seat_tube, crank + lean * saddle
    return BicycleFrame(
        rear, front, crank, top, seat, head_low, head_low + up * head_tube, up, forward, tube_radius
    )


def wheels(
    frame: BicycleFrame,
    finish: SlotMaterials,
    tyre: float,
    spokes: int,
    radius: float,
    deep: bool = False,
) -> list[Piece]:
    pieces: list[Piece] = []
    for name, x in (("wheel_front", frame.front[0]), ("wheel_back", frame.rear[0])):
        pieces += spoked_wheel(
            name, x, radius, tyre, (finish.tyre, finish.metal), spokes, 0.05, spoke=0.006
        )
        if deep:
            pieces += solid(
                name,
                finish.trim,
                moved(ring(radius - tyre * 3.2, tyre * 1.5, tyre, 20, 4), (x, 0, radius)),
            )
    return pieces


def triangle(frame: BicycleFrame, top_from: Array, top_to: Array) -> list[Piece]:
    """Build seat tube, top tube between two given points, down tube, head tube and the two pairs of
    stays.
    """
    r = frame.tube
    shell = lathe([(0, -0.04), (r * 1.3, -0.04), (r * 1.3, 0.04), (0, 0.04)], 8)
    pieces = painted(
        "frame",
        rod(side(frame.bottom), side(frame.seat), r),
        rod(side(top_from), side(top_to), r),
        rod(side(frame.bottom), side(frame.head_low + frame.up * 0.03), r * 1.15),
        rod(side(frame.head_low - frame.up * 0.01), side(frame.head_top), r * 1.2),
        moved(shell, side(frame.bottom)),
    )
    return pieces + stays(frame, frame.bottom, top_from)


def stays(frame: BicycleFrame, bottom: Array, top: Array) -> list[Piece]:
    pieces = []
    for y in (0.065, -0.065):
        pieces += painted(
            "frame", rod(side(frame.rear, y), side(bottom, y * 0.4), frame.tube * 0.65, 5)
        )
        pieces += painted(
            "frame", rod(side(frame.rear, y), side(top, y * 0.3), frame.tube * 0.6, 5)
        )
    return pieces


def fork(frame: BicycleFrame, metal: str, travel: float = 0.0) -> list[Piece]:
    """Build a rigid fork whose blades bend forward to the axle or, with travel > 0, a suspension
    fork.
    """
    crown, spread = frame.head_low, 0.06
    if travel:
        top = frame.front + frame.up * (frame.up @ (crown - frame.front))
        radii = (frame.tube * 1.25, frame.tube * 0.8)
        pieces = telescopic_legs(frame.front, top, 0.58, spread, radii, metal)
    else:
        bend = crown + (frame.front - crown) * 0.7 - frame.forward * 0.015
        radii = [frame.tube * 0.85, frame.tube * 0.75, frame.tube * 0.5]
        pieces = []
        for y in (spread, -spread):
            line = [side(crown, y * 0.7), side(bend, y), side(frame.front, y)]
            pieces += painted("fork", tube(line, radii))
    width = 0.15 if travel else 0.11
    angle = np.pi / 2 - np.arctan2(frame.up[1], -frame.up[0])
    at = side(crown + frame.forward * 0.01 * bool(travel))
    return pieces + painted("fork", box(0.07 if travel else 0.045, width, 0.05, at, pitch=-angle))


def saddle(
    frame: BicycleFrame, at: Array, top: Array, finish: SlotMaterials, length: float, width: float
) -> list[Piece]:
    """Build a saddle over `at` with its post from the frame's `top`."""
    x, z = at
    rear, nose = x - length * 0.5, x + length * 0.5
    stations = [
        (rear, width * 0.3, z - 0.03, z + 0.045),
        (rear + length * 0.14, width * 0.5, z - 0.045, z + 0.05),
        (rear + length * 0.4, width * 0.36, z - 0.03, z + 0.03),
        (rear + length * 0.7, width * 0.16, z - 0.02, z + 0.025),
        (nose, width * 0.09, z - 0.02, z + 0.02),
    ]
    return [
        ("saddle", finish.seat, hull(stations, 8)),
        ("saddle", finish.metal, rod(side(top), side(at), frame.tube * 0.8)),
    ]


def drive(
    rng: Rng,
    frame: BicycleFrame,
    bottom: Array,
    finish: SlotMaterials,
    rear: Array | None = None,
    start: float | None = None,
) -> list[Piece]:
    """Build cranks and pedals, and a chain from the chainring at `bottom` to the sprocket at
    `rear`.
    """
    rear = frame.rear if rear is None else rear
    big, small = rng.uniform(0.08, 0.11), rng.uniform(0.035, 0.055)
    start = rng.uniform(0, 360) if start is None else start
    y = -0.06  # the chain runs on the right
    crown, at, turn = ring(big * 0.93, big * 0.1, 0.012, 16, 4), side(bottom, y), np.radians(start)
    sprocket = lathe([(0, -0.015), (small, -0.015), (small * 0.7, 0.015), (0, 0.015)], 10)
    pieces = solid("drive_chain", finish.metal, moved(crown, at))
    pieces += solid("drive_chain", finish.metal, box(big * 1.8, 0.008, 0.025, at, pitch=turn))
    pieces += solid("drive_chain", finish.metal, box(0.025, 0.008, big * 1.8, at, pitch=turn))
    pieces += solid("drive_chain", finish.metal, moved(sprocket, side(rear, y)))
    pieces += chain_runs(bottom, rear, (big, small), y, 0.007, finish.trim)
    for leg, sign in (("left", 1), ("right", -1)):
        end = polar(bottom, 0.17, start + (180 if sign > 0 else 0))
        reach = 0.085 * sign
        pieces += solid(
            f"crank_arm_{leg}",
            finish.metal,
            rod(side(bottom, reach * 0.6), side(end, reach), 0.014, 5),
        )
        pieces += solid(
            f"pedal_{leg}", finish.trim, box(0.09, 0.085, 0.022, side(end, reach + 0.05 * sign))
        )
    return pieces


def brakes(frame: BicycleFrame, radius: float, metal: str) -> list[Piece]:
    """Build callipers above the tyres."""
    top = frame.front + (frame.head_low - frame.front) * (
        radius * 1.03 / np.linalg.norm(frame.head_low - frame.front)
    )
    stay = frame.seat - frame.rear
    back = frame.rear + stay * (radius * 1.05 / np.linalg.norm(stay))
    return [
        ("brake_system", metal, box(0.04, 0.09, 0.06, side(p)))
        for p in (top + frame.forward * 0.03, back)
    ]


def bottle(rng: Rng, frame: BicycleFrame, finish: SlotMaterials) -> list[Piece]:
    """Build a bottle on the down tube."""
    along = frame.head_low - frame.bottom
    along /= np.linalg.norm(along)
    normal = np.array([-along[1], along[0]])
    foot = frame.bottom + along * rng.uniform(0.16, 0.26) + normal * (frame.tube + 0.035)
    line = [side(foot + along * d) for d in (0, 0.13, 0.15, 0.19)]
    return solid("bottle", finish.trim, tube(line, [0.034, 0.034, 0.02, 0.018], 8))


def stem(frame: BicycleFrame, rise: float, reach: float, metal: str) -> tuple[Array, list[Piece]]:
    """Build the clamp of the bar, `rise` along the steering axis above the head tube and `reach` in
    front of it.
    """
    neck = frame.head_top + frame.up * rise
    clamp = neck + np.array([reach, 0.012])
    return clamp, [
        (
            "stem",
            metal,
            rod(side(frame.head_top), side(neck + frame.up * 0.012), frame.tube * 0.85),
        ),
        ("stem", metal, rod(side(neck), side(clamp), frame.tube * 0.8)),
    ]


def drop_bar(rng: Rng, clamp: Array, width: float, finish: SlotMaterials) -> list[Piece]:
    half, reach, drop = width / 2, rng.uniform(0.08, 0.11), rng.uniform(0.11, 0.15)
    side_view = [
        (0, 0),
        (0, 0),
        (reach * 0.7, -0.005),
        (reach, -drop * 0.3),
        (reach * 0.8, -drop * 0.8),
        (reach * 0.3, -drop),
        (-0.05, -drop * 1.02),
    ]
    y = [0.0, half * 0.88, half, half * 1.0, half * 1.02, half * 1.04, half * 1.05]
    left = np.array([[clamp[0] + x, v, clamp[1] + z] for (x, z), v in zip(side_view, y)])
    pieces = handlebar(
        left, 0.015, finish.metal if rng.random() < 0.4 else "paint", finish.trim, 0.017
    )
    for sign in (1, -1):  # brake hoods and levers
        hood = np.array([clamp[0] + reach, half * sign, clamp[1] + 0.02])
        cover = tube([hood - [0.05, 0, 0.02], hood, hood + [0.02, 0, 0.04]], 0.016, 5)
        pieces += solid("brake_system", finish.trim, cover)
        pieces += solid("brake_system", finish.metal, rod(hood, hood + [0.02, 0, -0.09], 0.008, 4))
    return pieces


def bar(
    clamp: Array, width: float, back: float, rise: float, finish: SlotMaterials, levers: bool = True
) -> list[Piece]:
    """Build a bar that rises beside the clamp and sweeps `back` to the hands: flat if small,
    upright if large.
    """
    half = width / 2
    line = [
        (0, 0, 0),
        (0, 0.06, rise * 0.2),
        (0.012, half * 0.4, rise * 0.9),
        (-back * 0.25, half * 0.75, rise),
        (-back, half, rise * 0.92),
    ]
    left = np.array([[clamp[0] + x, y, clamp[1] + z] for x, y, z in line])
    pieces = handlebar(left, 0.014, finish.metal, finish.trim, 0.02)
    for sign in (1, -1) if levers else ():
        a, b = (left[-2] * [1, sign, 1], left[-1] * [1, sign, 1])
        pieces += solid(
            "brake_system",
            finish.metal,
            rod(a + [0.03, 0, -0.01], (a + b) / 2 + [0.045, 0, -0.02], 0.008, 4),
        )
    return pieces


def mudguards(rng: Rng, frame: BicycleFrame, radius: float, width: float) -> list[Piece]:
    low = rng.uniform(-25, 5)
    arcs = (-10, 115 + low * 0.4 + 40), (55 + low * 0.3, 185 - low)
    pieces = painted("fender_front", fender(frame.front, radius * 1.07, width, arcs[0], 0.03))
    pieces += painted("fender_back", fender(frame.rear, radius * 1.07, width, arcs[1], 0.03))
    for y in (width / 2, -width / 2):
        for name, axle, t in (("fender_front", frame.front, 120), ("fender_back", frame.rear, 150)):
            pieces += painted(
                name, rod(side(axle, y), side(polar(axle, radius * 1.05, t), y), 0.006, 4)
            )
    return pieces


def lights(
    rng: Rng, frame: BicycleFrame, radius: float, finish: SlotMaterials, lamp_at: Array
) -> list[Piece]:
    pieces = round_lamp(
        "headlight_center", side(lamp_at), rng.uniform(0.035, 0.06), 0.09, finish.metal
    )
    at = polar(frame.rear, radius * 1.12, rng.uniform(140, 165))
    return [*pieces, ("rearlight", "tail", box(0.03, 0.07, 0.05, side(at)))]


def carrier(frame: BicycleFrame, radius: float, metal: str, length: float) -> list[Piece]:
    """Build a luggage rack over the back wheel."""
    x0, x1, z = frame.rear[0] - length * 0.62, frame.rear[0] + length * 0.38, radius * 2.14
    pieces: list[Piece] = [
        ("carrier", metal, rod((x0, y, z), (x1, y, z), 0.009, 5)) for y in (-0.065, 0, 0.065)
    ]
    pieces += [
        ("carrier", metal, rod((x, -0.065, z), (x, 0.065, z), 0.009, 5))
        for x in (x0, (x0 + x1) / 2, x1)
    ]
    for y in (-0.065, 0.065):
        pieces += [
            ("carrier", metal, rod(side(frame.rear, y), (x, y, z), 0.008, 5))
            for x in (x0 + 0.06, x1 - 0.1)
        ]
    return pieces


def basket(rng: Rng, at: Array, metal: str) -> list[Piece]:
    """Build a wire basket whose back is at `at`."""
    depth, width, height = rng.uniform(0.2, 0.28), rng.uniform(0.3, 0.4), rng.uniform(0.18, 0.25)
    x, z = at
    pieces = solid("basket", metal, box(depth * 0.85, width * 0.85, 0.012, (x + depth / 2, 0, z)))

    def corner(sx: float, sy: float, level: float) -> Array:
        grow = 0.85 + 0.15 * level
        return np.array(
            [x + depth / 2 + sx * depth / 2 * grow, sy * width / 2 * grow, z + height * level]
        )

    half = [(-1, -1), (0, -1), (1, -1), (1, -0.34), (1, 0.34)]
    around = half + [(-x, -y) for x, y in half]
    pieces += [("basket", metal, rod(corner(*c, 0), corner(*c, 1), 0.006, 4)) for c in around]
    for level in (0.35, 0.7, 1.0):
        for a, b in zip(around, around[1:] + around[:1]):
            if (a[0] == b[0]) != (a[1] == b[1]):
                pieces += solid(
                    "basket",
                    metal,
                    rod(corner(*a, level), corner(*b, level), 0.011 if level == 1 else 0.006, 4),
                )
    return pieces
