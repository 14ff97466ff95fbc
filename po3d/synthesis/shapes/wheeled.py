"""Ridden vehicles: bicycles, motorbikes and motor scooters from the street scenes, and kick
scooters, tricycles and skateboards. Lengths in metres, front +x.
"""

import numpy as np
from trimesh import Trimesh

from po3d.synthesis.shapes.limbs import limb, mirrored, scaled, wheel_on_hub
from po3d.synthesis.shapes.mesh import Piece, Random, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, box, hull, lathe, loft, moved, rod, slab, tube
from po3d.synthesis.shapes.pushed import arch
from po3d.synthesis.shapes.sheets import soft_plate
from po3d.synthesis.shapes.turned import upright
from po3d.synthesis.vehicles import bicycles, light_motorbikes, motorbikes

# Prefixes of the names of parts that are unpainted on a real two-wheeler; the others have the
# frame's colour.
_BARE = {
    "saddle": "seat",
    "seat": "seat",
    "drive_chain": "dark",
    "crank_arm": "chrome",
    "pedal": "dark",
    "handle": "dark",
    "stem": "chrome",
    "brake_system": "dark",
    "carrier": "dark",
    "side_stand": "chrome",
    "engine": "chrome",
    "exhaust": "chrome",
    "shock": "dark",
    "footrest": "chrome",
    "panel": "dark",
    "mirror": "dark",
    "sissy_bar": "chrome",
    "bottle": "white",
    "floor": "dark",
}


SMALL = 0.84  # size relative to a street's motorbike: those of the orbit scenes are small


def _bared(pieces: list[Piece]) -> list[Piece]:
    """Return a street vehicle's pieces with a single paintable part, "frame".

    Painted parts of wheels become tyres or chrome.
    """
    wheels = {name for name, _, _ in pieces if name.startswith("wheel")}
    reach = {}
    for wheel in wheels:
        points = np.concatenate([g.vertices for name, _, g in pieces if name == wheel])
        middle = (points.min(0) + points.max(0)) / 2
        reach[wheel] = middle[[0, 2]], np.ptp(points[:, 2]) / 2
    bared: list[Piece] = []
    for name, material, g in pieces:
        if material == "paint" and name in wheels:
            middle, radius = reach[name]
            outer = (
                np.linalg.norm(np.asarray(g.vertices)[:, [0, 2]] - middle, axis=1).max()
                > 0.97 * radius
            )
            material = "tyre" if outer else "chrome"
        elif material == "paint":
            material = next(
                (bare for start, bare in _BARE.items() if name.startswith(start)), "paint"
            )
        bared.append(("frame" if material == "paint" else material, material, g))
    return bared


def _bicycle(random: Random) -> list[Piece]:
    kind = pick(random, "road", "utility", "mountain")
    return scaled(_bared(bicycles.MAKERS[kind](random)), random.uniform(0.75, 1.0))


def _motorbike(random: Random) -> list[Piece]:
    maker = (motorbikes.chopper, motorbikes.cruiser, light_motorbikes.dirtbike)[
        int(random.integers(3))
    ]
    return scaled(_bared(maker(random)), SMALL)


def _scooter(random: Random) -> list[Piece]:
    """A motor scooter, or a kick scooter."""
    u = random.uniform
    if random.random() < 0.45:
        return scaled(_bared(light_motorbikes.scooter(random)), 0.9)
    base, r, width = u(0.5, 0.68), u(0.05, 0.1), u(0.1, 0.15)
    tall, lean, deck = u(0.72, 0.95), u(0.04, 0.12), r * 0.8 + 0.02
    front, rear = base / 2, -base / 2
    pieces = wheel_on_hub((front, 0), r, u(0.024, 0.04)) + wheel_on_hub(
        (rear, 0), r, u(0.024, 0.04)
    )
    pieces += painted(
        "frame", moved(soft_plate(base * 0.72, width, 0.025, 0, 0.03), (-0.03, 0, deck))
    )
    pieces += painted(
        "grip",
        moved(soft_plate(base * 0.6, width * 0.85, 0.004, 0, 0.03), (-0.04, 0, deck + 0.025)),
    )
    line = [
        (base * 0.3, 0, deck + 0.01),
        (front - 0.06, 0, deck + 0.06),
        (front - 0.03, 0, 2 * r + 0.06),
    ]
    pieces += painted("frame", limb(line, [0.03, 0.025, 0.022], 8))
    for y in (0.03, -0.03):
        pieces += painted("frame", rod((front, y, r), (front - 0.02, y, 2 * r + 0.05), 0.011, 6))
        pieces += painted("frame", rod((rear, y, r), (rear + 0.1, y, deck + 0.01), 0.012, 6))
    foot, top = np.array([front - 0.02, 0, 2 * r + 0.02]), np.array([front - lean, 0, tall])
    pieces += painted("pole", rod(foot, top, 0.018, 8))
    pieces += painted("frame", rod(foot, foot * 0.7 + top * 0.3, 0.024, 8))
    half, rise = u(0.16, 0.23), u(-0.01, 0.04)
    bar = [(top[0], 0, tall), (top[0] - 0.02, half, tall + rise)]
    pieces += painted("pole", *mirrored(rod(*bar, 0.013, 8)))
    pieces += painted(
        "hand", *mirrored(rod(np.multiply(bar[0], 0.5) + np.multiply(bar[1], 0.5), bar[1], 0.02, 8))
    )
    guard = arch(r * 1.15, r * 1.28, 40, 150)
    pieces += painted("frame", moved(slab(guard, 0.05), (rear, 0, r)))
    if random.random() < 0.35:
        pieces += painted("hand", box(0.09, 0.16, 0.11, (top[0] + 0.06, 0, tall - 0.14)))
    return pieces


def _tricycle(random: Random) -> list[Piece]:
    u = random.uniform
    front_r, rear_r, base, track = u(0.1, 0.14), u(0.06, 0.095), u(0.3, 0.38), u(0.12, 0.16)
    fat, lean = u(0.035, 0.06), u(0.03, 0.08)
    front, rear = base / 2, -base / 2
    pieces = wheel_on_hub((front, 0), front_r, fat)
    for y in (track, -track):
        pieces += wheel_on_hub((rear, y), rear_r, fat)
    pieces += painted("frame", rod((rear, -track, rear_r), (rear, track, rear_r), 0.014, 8))
    head, tall = np.array([front - lean, 0, 2 * front_r + u(0.03, 0.06)]), u(0.4, 0.5)
    low = np.array([(front + rear) / 2, 0, rear_r + u(0.03, 0.07)])
    pieces += painted("frame", limb([(rear, 0, rear_r), low, head], [0.022, 0.024, 0.022], 8))
    top = np.array([head[0] - 0.03, 0, tall])
    for y in (fat * 0.8, -fat * 0.8):
        pieces += painted("fork", rod((front, y, front_r), head + [0, y * 0.8, 0], 0.013, 7))
    pieces += painted("fork", rod(head, top, 0.018, 8), ball((0.03, fat, 0.025), head))
    half = u(0.13, 0.19)
    pieces += painted(
        "fork",
        *mirrored(
            tube([top, top + [-0.01, half * 0.5, u(0, 0.03)], top + [-0.07, half, 0.01]], 0.012, 8)
        ),
    )
    pieces += painted(
        "grip",
        *mirrored(
            rod(top + [-0.04, half * 0.75, 0.01], top + [-0.075, half * 1.03, 0.01], 0.018, 8)
        ),
    )
    crank = u(0, np.pi)
    for sign in (1, -1):
        end = np.array(
            [
                front + 0.06 * sign * np.cos(crank),
                sign * (fat * 0.5 + 0.03),
                front_r + 0.06 * sign * np.sin(crank),
            ]
        )
        pieces += painted("pedal", rod((front, sign * fat * 0.5, front_r), end, 0.009, 6))
        pieces += painted("pedal", box(0.05, 0.06, 0.02, end + [0, sign * 0.03, 0]))
    z = u(0.22, 0.27)
    x = rear + u(0.04, 0.08)
    pieces += painted("frame", rod((x, 0, rear_r + 0.02), (x, 0, z), 0.02, 8))
    pieces += painted("seat", ball((0.085, 0.09, 0.022), (x, 0, z), 2))
    if random.random() < 0.6:
        pieces += painted(
            "seat",
            moved(ball((0.02, 0.09, u(0.06, 0.1)), (0, 0, 0.06), 2), (x - 0.075, 0, z), pitch=-0.2),
        )
    extra = pick(random, "none", "tray", "bar", "streamers")
    if extra == "tray":
        stations = [
            (rear - 0.13, 0.1, 0.1, 0.19),
            (rear - 0.05, 0.12, 0.08, 0.19),
            (rear + 0.02, 0.1, 0.1, 0.19),
        ]
        pieces += painted("frame", hull(stations, 14, 0.6))
    elif extra == "bar":  # handle for an adult to push
        back = (rear - 0.12, 0, u(0.62, 0.75))
        pieces += painted("fork", rod((rear, 0, rear_r), back, 0.012, 7))
        pieces += painted("fork", rod((back[0], -0.1, back[2]), (back[0], 0.1, back[2]), 0.016, 8))
    elif extra == "streamers":
        pieces += painted(
            "pedal",
            *mirrored(rod(top + [-0.075, half, 0.01], top + [-0.12, half * 1.15, -0.09], 0.012, 6)),
        )
    return pieces


def _skateboard(random: Random) -> list[Piece]:
    """A deck with upturned ends on four small wheels: popsicle, pintail or cruiser."""
    u = random.uniform
    half, wide, kick = u(0.36, 0.43), u(0.092, 0.11), u(0.018, 0.05)
    kind, r = pick(random, "popsicle", "popsicle", "pintail", "cruiser"), u(0.025, 0.034)
    x = (
        half
        * np.r_[
            -1.0,
            -0.985,
            -0.95,
            -0.88,
            -0.78,
            np.linspace(-0.68, 0.68, 5),
            0.78,
            0.88,
            0.95,
            0.985,
            1.0,
        ]
    )
    s = np.abs(x) / half
    round_ = np.sqrt(np.maximum(1 - np.maximum((s - 0.75) / 0.25, 0) ** 2, 0.002))
    body = {
        "popsicle": round_,
        "pintail": np.where(x < 0, np.cos(s * 1.45), round_ * np.cos(s * 0.5)),
        "cruiser": round_ * np.where(x < 0, 1 - 0.25 * s, 1),
    }[kind]
    y = wide * np.maximum(body, 0.04)
    up = (kick * np.clip((s - 0.65) / 0.35, 0, 1) ** 1.3) * (1 if kind != "pintail" else 0.2)
    z, thick = 2 * r + 0.035 + up, 0.012

    def sheet(low: float, high: float, share: float) -> Trimesh:
        section = [(-1, low), (1, low), (1, high), (-1, high)]
        return loft(
            [
                [(a, s * b * share, c + up) for s, up in section]
                for a, b, c in zip(x * share**0.3, y, z)
            ]
        )

    pieces = painted("deck", sheet(0, thick, 1.0))
    pieces += painted("top", sheet(thick - 0.002, thick + 0.002, u(0.9, 0.98)))
    tread = [(r * 0.85, -0.018), (r, -0.008), (r, 0.008), (r * 0.85, 0.018)]
    roll = lathe([(0.008, -0.018), *tread, (0.008, 0.018)], 14)
    for axle in (half * u(0.58, 0.66), -half * u(0.58, 0.66)):
        pieces += solid("metal", "chrome", rod((axle, -wide, r), (axle, wide, r), 0.007, 7))
        pieces += solid("metal", "chrome", box(0.05, 0.06, 0.03, (axle, 0, r + 0.022)))
        pieces += solid("metal", "chrome", box(0.08, 0.055, 0.01, (axle, 0, 2 * r + 0.03)))
        for y0 in (wide * 0.82, -wide * 0.82):
            pieces += painted("wheel", moved(roll, (axle, y0, r)))
        for dx, dy in ((0.025, 0.022), (0.025, -0.022), (-0.025, 0.022), (-0.025, -0.022)):
            pieces += solid(
                "metal", "chrome", box(0.008, 0.008, 0.006, (axle + dx, dy, 2 * r + 0.035 + thick))
            )
    mark = pick(random, "stripe", "bands", "dot", "none")
    flat, at = 2 * r + 0.035 + thick + 0.002, half * 0.5
    if mark == "stripe":
        pieces += painted("mark", box(2 * at, u(0.02, 0.08), 0.002, (0, u(-0.02, 0.02), flat)))
    elif mark == "bands":
        for k in np.linspace(-at, at, int(random.integers(2, 5))):
            pieces += painted("mark", box(0.035, 1.8 * wide, 0.002, (k, 0, flat)))
    elif mark == "dot":
        pieces += painted("mark", upright([(u(0.02, 0.04), flat), (0.01, flat + 0.002)], 14))
    return pieces


SHAPES = named(_bicycle, _motorbike, _scooter, _tricycle, _skateboard)
