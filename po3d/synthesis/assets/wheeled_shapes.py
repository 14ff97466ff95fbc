"""Things on wheels: bicycles, motorbikes and scooters as the streets draw them, and what is pushed, ridden by children
or played with. Lengths in metres, front +x.
"""

import numpy as np
from trimesh import Trimesh

from po3d.synthesis.assets import bicycles, cars, light_motorbikes, motorbikes
from po3d.synthesis.assets.mesh import Piece, solid
from po3d.synthesis.assets.primitives import (
    Array,
    ball,
    box,
    hull,
    lathe,
    loft,
    moved,
    ring,
    rod,
    slab,
    spoked_wheel,
    tube,
)
from po3d.synthesis.assets.room_shapes import _soft_plate, _upright
from po3d.synthesis.assets.shape_parts import (
    BRIGHT,
    CLOTH,
    METALS,
    WOODS,
    Generator,
    Palettes,
    Random,
    limb,
    mirrored,
    pick,
    scaled,
)

# What is bare on a real two-wheeler, by the start of a part's name; the rest is its frame's colour.
_BARE = {
    "saddle": "seat", "seat": "seat", "drive_chain": "dark", "crank_arm": "chrome", "pedal": "dark", "handle": "dark",
    "stem": "chrome", "brake_system": "dark", "carrier": "dark", "side_stand": "chrome", "engine": "chrome",
    "exhaust": "chrome", "shock": "dark", "footrest": "chrome", "panel": "dark", "mirror": "dark", "sissy_bar": "chrome",
    "bottle": "white", "floor": "dark",
}  # fmt: skip
SMALL = 0.84  # of a street's motorbike: those of the orbit scenes are small


def _bared(pieces: list[Piece]) -> list[Piece]:
    """Pieces of a vehicle, of which the streets may paint all, with one painted part, "frame"."""
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
            outer = np.linalg.norm(np.asarray(g.vertices)[:, [0, 2]] - middle, axis=1).max() > 0.97 * radius
            material = "tyre" if outer else "chrome"
        elif material == "paint":
            material = next((bare for start, bare in _BARE.items() if name.startswith(start)), "paint")
        bared.append(("frame" if material == "paint" else material, material, g))
    return bared


def _bicycle(random: Random) -> list[Piece]:
    kind = pick(random, "road", "utility", "mountain")
    return scaled(_bared(bicycles.MAKERS[kind](random)), random.uniform(0.75, 1.0))


def _motorbike(random: Random) -> list[Piece]:
    maker = (motorbikes.chopper, motorbikes.cruiser, light_motorbikes.dirtbike)[int(random.integers(3))]
    return scaled(_bared(maker(random)), SMALL)


def _scooter(random: Random) -> list[Piece]:
    """A motor scooter, or one that is pushed with a foot."""
    u = random.uniform
    if random.random() < 0.45:
        return scaled(_bared(light_motorbikes.scooter(random)), 0.9)
    base, r, width = u(0.5, 0.68), u(0.05, 0.1), u(0.1, 0.15)
    tall, lean, deck = u(0.72, 0.95), u(0.04, 0.12), r * 0.8 + 0.02
    front, rear = base / 2, -base / 2
    pieces = _wheel((front, 0), r, u(0.024, 0.04)) + _wheel((rear, 0), r, u(0.024, 0.04))
    pieces += solid("frame", "paint", moved(_soft_plate(base * 0.72, width, 0.025, 0, 0.03), (-0.03, 0, deck)))
    pieces += solid("grip", "paint", moved(_soft_plate(base * 0.6, width * 0.85, 0.004, 0, 0.03), (-0.04, 0, deck + 0.025)))
    pieces += solid("frame", "paint", limb([(base * 0.3, 0, deck + 0.01), (front - 0.06, 0, deck + 0.06), (front - 0.03, 0, 2 * r + 0.06)], [0.03, 0.025, 0.022], 8))
    for y in (0.03, -0.03):
        pieces += solid("frame", "paint", rod((front, y, r), (front - 0.02, y, 2 * r + 0.05), 0.011, 6), rod((rear, y, r), (rear + 0.1, y, deck + 0.01), 0.012, 6))
    foot, top = np.array([front - 0.02, 0, 2 * r + 0.02]), np.array([front - lean, 0, tall])
    pieces += solid("pole", "paint", rod(foot, top, 0.018, 8)) + solid("frame", "paint", rod(foot, foot * 0.7 + top * 0.3, 0.024, 8))
    half, rise = u(0.16, 0.23), u(-0.01, 0.04)
    bar = [(top[0], 0, tall), (top[0] - 0.02, half, tall + rise)]
    pieces += solid("pole", "paint", *mirrored(rod(*bar, 0.013, 8)))
    pieces += solid("hand", "paint", *mirrored(rod(np.multiply(bar[0], 0.5) + np.multiply(bar[1], 0.5), bar[1], 0.02, 8)))
    guard = _arch(r * 1.15, r * 1.28, 40, 150)
    pieces += solid("frame", "paint", moved(slab(guard, 0.05), (rear, 0, r)))
    if random.random() < 0.35:
        pieces += solid("hand", "paint", box(0.09, 0.16, 0.11, (top[0] + 0.06, 0, tall - 0.14)))
    return pieces


def _arch(inner: float, outer: float, start: float, end: float, steps: int = 12) -> Array:
    """A band of a circle (N, 2) from `start` to `end` degrees."""
    t = np.radians(np.linspace(start, end, steps))
    arc = np.c_[np.cos(t), np.sin(t)]
    return np.r_[outer * arc, (inner * arc)[::-1]]


def _wheel(at: tuple[float, float], radius: float, width: float, rim: float = 0.6, sides: int = 18) -> list[Piece]:
    """A tyre and a painted hub on the ground at (x, y)."""
    half = width / 2
    tread = lathe(np.multiply([(rim, -0.9), (0.92, -1), (1, -0.55), (1, 0.55), (0.92, 1), (rim, 0.9)], (radius, half)), sides)
    disc = lathe(np.multiply([(0.01, -1.1), (0.22, -1.1), (rim, -0.8), (rim, 0.8), (0.22, 1.1), (0.01, 1.1)], (radius, half)), 12)
    place = (*at, radius)
    return solid("tyre", "tyre", moved(tread, place)) + solid("hub", "paint", moved(disc, place))


def _tricycle(random: Random) -> list[Piece]:
    u = random.uniform
    front_r, rear_r, base, track = u(0.1, 0.14), u(0.06, 0.095), u(0.3, 0.38), u(0.12, 0.16)
    fat, lean = u(0.035, 0.06), u(0.03, 0.08)
    front, rear = base / 2, -base / 2
    pieces = _wheel((front, 0), front_r, fat)
    for y in (track, -track):
        pieces += _wheel((rear, y), rear_r, fat)
    pieces += solid("frame", "paint", rod((rear, -track, rear_r), (rear, track, rear_r), 0.014, 8))
    head, tall = np.array([front - lean, 0, 2 * front_r + u(0.03, 0.06)]), u(0.4, 0.5)
    low = np.array([(front + rear) / 2, 0, rear_r + u(0.03, 0.07)])
    pieces += solid("frame", "paint", limb([(rear, 0, rear_r), low, head], [0.022, 0.024, 0.022], 8))
    top = np.array([head[0] - 0.03, 0, tall])
    for y in (fat * 0.8, -fat * 0.8):
        pieces += solid("fork", "paint", rod((front, y, front_r), head + [0, y * 0.8, 0], 0.013, 7))
    pieces += solid("fork", "paint", rod(head, top, 0.018, 8), ball((0.03, fat, 0.025), head))
    half = u(0.13, 0.19)
    pieces += solid("fork", "paint", *mirrored(tube([top, top + [-0.01, half * 0.5, u(0, 0.03)], top + [-0.07, half, 0.01]], 0.012, 8)))
    pieces += solid("grip", "paint", *mirrored(rod(top + [-0.04, half * 0.75, 0.01], top + [-0.075, half * 1.03, 0.01], 0.018, 8)))
    crank = u(0, np.pi)
    for sign in (1, -1):
        end = np.array([front + 0.06 * sign * np.cos(crank), sign * (fat * 0.5 + 0.03), front_r + 0.06 * sign * np.sin(crank)])
        pieces += solid("pedal", "paint", rod((front, sign * fat * 0.5, front_r), end, 0.009, 6), box(0.05, 0.06, 0.02, end + [0, sign * 0.03, 0]))
    z = u(0.22, 0.27)
    x = rear + u(0.04, 0.08)
    pieces += solid("frame", "paint", rod((x, 0, rear_r + 0.02), (x, 0, z), 0.02, 8))
    pieces += solid("seat", "paint", ball((0.085, 0.09, 0.022), (x, 0, z), 2))
    if random.random() < 0.6:
        pieces += solid("seat", "paint", moved(ball((0.02, 0.09, u(0.06, 0.1)), (0, 0, 0.06), 2), (x - 0.075, 0, z), pitch=-0.2))
    extra = pick(random, "none", "tray", "bar", "streamers")
    if extra == "tray":
        pieces += solid("frame", "paint", hull([(rear - 0.13, 0.1, 0.1, 0.19), (rear - 0.05, 0.12, 0.08, 0.19), (rear + 0.02, 0.1, 0.1, 0.19)], 14, 0.6))
    elif extra == "bar":  # by which a grown-up pushes
        back = (rear - 0.12, 0, u(0.62, 0.75))
        pieces += solid("fork", "paint", rod((rear, 0, rear_r), back, 0.012, 7), rod((back[0], -0.1, back[2]), (back[0], 0.1, back[2]), 0.016, 8))
    elif extra == "streamers":
        pieces += solid("pedal", "paint", *mirrored(rod(top + [-0.075, half, 0.01], top + [-0.12, half * 1.15, -0.09], 0.012, 6)))
    return pieces


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
    for share, z in ((slope, 0), (1.0, deep), (1.05, deep), (1.05, deep - 0.02), (0.97, deep - 0.02), (slope * 0.95, 0.02)):
        rise = 0.16 * deep * np.maximum(c, 0) * (z > 0.05)
        rows.append(np.c_[long / 2 * share * c * (nose if z > 0.05 else 1), wide * share * s, low + z + rise])
    pieces = solid("tub", "paint", loft(rows))
    axle = long / 2 + u(0.05, 0.12)
    wheels = (0.0,) if random.random() < 0.8 else (0.16, -0.16)
    for y in wheels:
        pieces += _wheel((axle, y), r, u(0.07, 0.1), 0.55)
    hand, height = -long / 2 - u(0.5, 0.62), u(0.5, 0.62)
    spread = 0.07 if len(wheels) == 1 else 0.22
    line = [(axle, spread, r), (axle * 0.4, wide * 0.7, low - 0.02), (-floor, wide * 0.9, low - 0.01), (hand * 0.75, wide * 0.95, height - 0.06), (hand, wide * 0.95, height)]
    pieces += solid("frame", "paint", *mirrored(limb(line, u(0.015, 0.022), 8, 3)), rod((axle, -spread - 0.02, r), (axle, spread + 0.02, r), 0.014, 8))
    pieces += solid("grip", "paint", *mirrored(rod(np.multiply(line[-1], 0.75) + np.multiply(line[-2], 0.25), line[-1], 0.025, 8)))
    back = -long * u(0.28, 0.4)
    leg = tube([(back + 0.1, wide * 0.85, low - 0.01), (back, wide * 0.9, 0.015), (back - 0.14, wide * 0.9, low + 0.03)], 0.014, 7)
    pieces += solid("frame", "paint", *mirrored(leg))
    pieces += solid("frame", "paint", rod((back, -wide * 0.9, 0.05 + 0.1), (back, wide * 0.9, 0.15), 0.012, 7))
    if random.random() < 0.4:  # what is carried
        heap = ball((long * 0.42, wide * 0.85, u(0.06, 0.16)), (0.02, 0, low + deep - 0.04), 2)
        pieces += solid("load", "paint", heap)
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
        pieces += _wheel((rear, y), big, u(0.03, 0.05))
        pieces += [] if three else _wheel((front, y), r, u(0.03, 0.045))
    if three:
        pieces += _wheel((front + 0.06, 0), big * 0.9, 0.045)
    pieces += solid("frame", "paint", rod((rear, -half, big), (rear, half, big), bar, 8))
    top, back = u(0.95, 1.05), rear - u(0.1, 0.2)
    toe = (front + 0.06, 0.03, big) if three else (front, half * 0.95, r + 0.02)
    side = limb([toe, (0.02, half, hub), (rear * 0.6, half, hub + 0.22), (back + 0.06, half * 0.95, top - 0.06), (back, half * 0.9, top)], bar, 8)
    pieces += solid("frame", "paint", *mirrored(side), *mirrored(rod((rear, half, big), (0.03, half, hub), bar, 8)))
    if random.random() < 0.7:
        pieces += solid("grip", "paint", rod((back, -half * 0.92, top), (back, half * 0.92, top), 0.018, 8))
    else:
        pieces += solid("grip", "paint", *mirrored(tube([(back + 0.03, half * 0.9, top - 0.03), (back - 0.02, half * 0.9, top + 0.03), (back - 0.09, half * 0.9, top + 0.02)], 0.018, 8)))
    lie = u(0.25, 0.75)
    w = half * 0.88
    seat = [(0.2, hub - 0.03), (-0.06, hub - 0.06)]
    up = np.array([-0.06, hub - 0.06]) + 0.42 * np.array([-np.sin(lie), np.cos(lie)])
    foot = (0.27, hub - u(0.2, 0.26))
    line = np.array([foot, *seat, up])
    pieces += solid("seat", "paint", slab(np.r_[line + [0.0, 0.025], (line - [0.02, 0.02])[::-1]], 2 * w, 0.008))
    pieces += solid("pad", "paint", ball((0.1, w * 0.8, 0.03), (0.06, 0, hub - 0.01), 2), moved(ball((0.03, w * 0.75, 0.17), (0, 0, 0), 2), (line[3][0] * 0.55 + 0.02, 0, (line[3][1] + hub) / 2 + 0.02), pitch=-lie))
    cheek = slab([(0.16, hub - 0.05), (0.14, hub + 0.09), (-0.1, hub + 0.16), (-0.08, hub - 0.08)], 0.02)
    pieces += solid("seat", "paint", *mirrored(moved(cheek, (0, w, 0))))
    pieces += solid("grip", "paint", moved(rod((0, -w, 0), (0, w, 0), 0.02, 8), (0.17, 0, hub + 0.13)))
    pieces += solid("frame", "paint", rod((toe[0] - 0.03, -half * 0.6, r + 0.08), (toe[0] - 0.03, half * 0.6, r + 0.08), 0.018, 7))
    centre, radius, open_ = np.array([-0.13, hub + 0.2]), u(0.27, 0.32), u(5, 45)
    hood = _arch(radius - 0.012, radius, open_, 165) + centre
    pieces += solid("hood", "paint", slab(hood, 2 * w + 0.03))
    t = np.radians(np.linspace(open_, 165, 10))
    fan = np.r_[[centre + [-0.03, 0.04]], centre + (radius - 0.006) * np.c_[np.cos(t), np.sin(t)]]
    pieces += solid("hood", "paint", *mirrored(moved(slab(fan, 0.012), (0, w + 0.01, 0))))
    if random.random() < 0.7:
        pieces += solid("bag", "paint", hull([(-0.2, w * 0.9, 0.16, 0.3), (0.15, w * 0.9, 0.16, 0.28)], 12, 0.5))
    return pieces


def _lawn_mower(random: Random) -> list[Piece]:
    """A deck on four wheels with a motor, and a long handle behind, perhaps with a bag for the grass."""
    u = random.uniform
    long, half = u(0.5, 0.62), u(0.2, 0.25)
    front_r, rear_r = u(0.07, 0.09), u(0.08, 0.13)
    low, high, snub = 0.06, u(0.15, 0.2), u(0.5, 0.95)
    x = long / 2
    pieces = solid("deck", "paint", hull([(-x, half * 0.85, low, high), (-x * 0.5, half, low, high + 0.03), (x * 0.4, half, low, high + 0.02), (x, half * snub, low, high - 0.03)], 16, 0.45))
    for y in (half + 0.02, -half - 0.02):
        pieces += _wheel((x * 0.75, y), front_r, 0.045) + _wheel((-x * 0.8, y), rear_r, 0.045)
    cover = pick(random, "petrol", "box", "dome")
    top = high + 0.02
    if cover == "petrol":
        pieces += solid("engine", "paint", _upright([(0.12, top), (0.12, top + 0.06), (0.01, top + 0.06)], 14), box(0.2, 0.17, 0.07, (0.0, 0, top + 0.08)))
        pieces += solid("cap", "paint", _upright([(0.09, top + 0.11), (0.08, top + u(0.14, 0.18)), (0.01, top + 0.15)], 16), ball((0.05, 0.05, 0.05), (-0.09, 0.09, top + 0.09)))
        pieces += solid("engine", "paint", rod((0.1, -0.09, top + 0.05), (0.14, -0.14, top + 0.05), 0.03, 8))
    elif cover == "box":
        pieces += solid("cap", "paint", hull([(-0.16, half * 0.55, high - 0.02, top + u(0.1, 0.16)), (0.06, half * 0.6, high - 0.02, top + 0.13), (0.2, half * 0.4, high - 0.02, top + 0.03)], 14, 0.55))
    else:
        pieces += solid("cap", "paint", ball((0.19, half * 0.75, u(0.1, 0.17)), (0.02, 0, high), 2))
    hand, tall, bar = -x - u(0.35, 0.5), u(0.88, 1.05), 0.013
    line = [(-x * 0.75, half * 0.9, high - 0.04), (-x - 0.15, half * 0.95, high + 0.34), (hand, half * u(0.8, 0.95), tall)]
    pieces += solid("frame", "paint", *mirrored(limb(line, bar, 8, 3)), rod((hand, -line[2][1], tall), (hand, line[2][1], tall), bar, 8))
    pieces += solid("grip", "paint", rod((hand, -line[2][1] * 0.8, tall), (hand, line[2][1] * 0.8, tall), 0.019, 8))
    if random.random() < 0.5:
        pieces += solid("grip", "paint", box(0.06, 0.05, 0.1, (hand + 0.06, half * 0.8, tall - 0.08)))
    if random.random() < 0.65:
        z = high + 0.02
        pieces += solid("bag", "paint", hull([(-x - u(0.28, 0.38), half * 0.7, z - 0.06, z + 0.13), (-x - 0.18, half * 0.8, z - 0.07, z + u(0.16, 0.22)), (-x + 0.02, half * 0.75, z - 0.05, z + 0.12)], 14, 0.5))
    return pieces


def _wheelchair(random: Random) -> list[Piece]:
    u = random.uniform
    half, r, small = u(0.21, 0.25), u(0.27, 0.31), u(0.06, 0.09)
    seat, bar, out = u(0.47, 0.53), u(0.011, 0.015), u(0.03, 0.06)
    back, rear, front = -0.22, -u(0.12, 0.18), u(0.2, 0.26)
    pieces: list[Piece] = []
    for y in (half + out, -half - out):
        pieces += [(m, m, g) for _, m, g in spoked_wheel("wheel", rear, r, 0.017, ("tyre", "chrome"), int(random.integers(8, 15)), 0.03, y)]
        pieces += solid("chrome", "chrome", moved(ring(r * 0.9, 0.008, sides=24, around=5), (rear, y + np.sign(y) * 0.03, r)))
    for y in (half, -half):
        pieces += _wheel((front, y), small, 0.03)
    tall = u(0.86, 0.96)
    push = tube([(back, half, seat - 0.25), (back, half, tall - 0.04), (back - 0.03, half, tall), (back - 0.13, half, tall)], bar, 8)
    leg = limb([(back, half, seat - 0.02), (front - 0.05, half, seat - 0.02), (front + 0.08, half, seat - 0.1), (front + 0.16, half * 0.8, 0.13)], bar, 8)
    fork = rod((front - 0.02, half, seat - 0.03), (front, half, small), bar, 8)
    low = rod((back, half, seat - 0.24), (front - 0.02, half, seat - 0.24), bar, 8)
    pieces += solid("frame", "paint", *mirrored(push), *mirrored(leg), *mirrored(fork), *mirrored(low))
    pieces += solid("grip", "paint", *mirrored(rod((back - 0.05, half, tall), (back - 0.14, half, tall), 0.019, 8)))
    pieces += solid("seat", "paint", moved(_soft_plate(0.42, 2 * half - 0.02, u(0.025, 0.07), seat - 0.02, 0.03), (0.0, 0, 0)))
    pieces += solid("seat", "paint", box(0.025, 2 * half - 0.02, tall - seat - u(0.08, 0.2), (back, 0, (tall + seat) / 2 - 0.03)))
    pieces += solid("foot", "paint", *mirrored(box(0.14, 0.13, 0.018, (front + 0.19, half * 0.55, 0.12), pitch=-0.2)))
    if random.random() < 0.75:
        arm = seat + u(0.18, 0.23)
        pieces += solid("grip", "paint", *mirrored(box(u(0.22, 0.32), 0.045, 0.03, (-0.05, half, arm))))
        pieces += solid("frame", "paint", *mirrored(rod((0.08, half, seat), (0.08, half, arm), bar, 8)))
        if random.random() < 0.5:
            pieces += solid("guard", "paint", *mirrored(box(0.26, 0.008, arm - seat - 0.04, (-0.05, half - 0.01, (arm + seat) / 2))))
    return pieces


def _skateboard(random: Random) -> list[Piece]:
    """A deck with upturned ends on four small wheels: popsicle, pintail or cruiser."""
    u = random.uniform
    half, wide, kick = u(0.36, 0.43), u(0.092, 0.11), u(0.018, 0.05)
    kind, r = pick(random, "popsicle", "popsicle", "pintail", "cruiser"), u(0.025, 0.034)
    x = half * np.r_[-1.0, -0.985, -0.95, -0.88, -0.78, np.linspace(-0.68, 0.68, 5), 0.78, 0.88, 0.95, 0.985, 1.0]
    s = np.abs(x) / half
    round_ = np.sqrt(np.maximum(1 - np.maximum((s - 0.75) / 0.25, 0) ** 2, 0.002))
    body = {"popsicle": round_, "pintail": np.where(x < 0, np.cos(s * 1.45), round_ * np.cos(s * 0.5)), "cruiser": round_ * np.where(x < 0, 1 - 0.25 * s, 1)}[kind]
    y = wide * np.maximum(body, 0.04)
    up = (kick * np.clip((s - 0.65) / 0.35, 0, 1) ** 1.3) * (1 if kind != "pintail" else 0.2)
    z, thick = 2 * r + 0.035 + up, 0.012

    def sheet(low: float, high: float, share: float) -> Trimesh:
        return loft([np.array([(a, -b * share, c + low), (a, b * share, c + low), (a, b * share, c + high), (a, -b * share, c + high)]) for a, b, c in zip(x * share**0.3, y, z)])

    pieces = solid("deck", "paint", sheet(0, thick, 1.0)) + solid("top", "paint", sheet(thick - 0.002, thick + 0.002, u(0.9, 0.98)))
    for axle in (half * u(0.58, 0.66), -half * u(0.58, 0.66)):
        pieces += solid("metal", "chrome", rod((axle, -wide, r), (axle, wide, r), 0.007, 7), box(0.05, 0.06, 0.03, (axle, 0, r + 0.022)), box(0.08, 0.055, 0.01, (axle, 0, 2 * r + 0.03)))
        for y0 in (wide * 0.82, -wide * 0.82):
            roll = lathe([(0.008, -0.018), (r * 0.85, -0.018), (r, -0.008), (r, 0.008), (r * 0.85, 0.018), (0.008, 0.018)], 14)
            pieces += solid("wheel", "paint", moved(roll, (axle, y0, r)))
        for dx, dy in ((0.025, 0.022), (0.025, -0.022), (-0.025, 0.022), (-0.025, -0.022)):
            pieces += solid("metal", "chrome", box(0.008, 0.008, 0.006, (axle + dx, dy, 2 * r + 0.035 + thick)))
    mark = pick(random, "stripe", "bands", "dots", "none")
    flat, at = 2 * r + 0.035 + thick + 0.002, half * 0.5
    if mark == "stripe":
        pieces += solid("mark", "paint", box(2 * at, u(0.02, 0.08), 0.002, (0, u(-0.02, 0.02), flat)))
    elif mark == "bands":
        pieces += solid("mark", "paint", *(box(0.035, 1.8 * wide, 0.002, (k, 0, flat)) for k in np.linspace(-at, at, int(random.integers(2, 5)))))
    elif mark == "dots":
        pieces += solid("mark", "paint", *(_upright([(u(0.02, 0.04), flat), (0.01, flat + 0.002)], 14) for _ in range(1)))
    return pieces


def _toy_car(random: Random) -> list[Piece]:
    """A car of wood or plastic, chunky; or a street's car, squeezed."""
    u = random.uniform
    if random.random() < 0.4:
        kind = pick(random, *cars.MAKERS)
        pieces = [("body" if m == "paint" else n, m, g) for n, m, g in cars.MAKERS[kind](random)]
        points = np.concatenate([np.asarray(g.vertices) for _, _, g in pieces])
        return scaled(pieces, np.array([u(0.21, 0.28), u(0.11, 0.135), u(0.09, 0.125)]) / np.ptp(points, axis=0))
    half, wide, r = u(0.11, 0.14), u(0.045, 0.056), u(0.024, 0.034)
    low, hood, roof = r * 0.7, r + u(0.025, 0.04), r + u(0.068, 0.092)
    kind = pick(random, "saloon", "pickup", "roadster", "van")
    a, b, c = {"saloon": (0.35, -0.55, -0.8), "pickup": (0.45, -0.0, -0.05), "roadster": (0.1, -0.2, -0.3), "van": (0.75, -0.95, -1.0)}[kind]
    slant = u(0.1, 0.25)
    pieces = solid("body", "paint", slab([(-half, low), (half, low), (half, hood * 0.85), (half * 0.9, hood), (-half, hood)], 2 * wide, 0.006))
    if kind == "roadster":
        pieces += solid("glass", "glass", box(0.006, 1.7 * wide, 0.03, (half * 0.2, 0, hood + 0.014), pitch=-0.35))
        pieces += solid("cabin", "paint", box(0.02, 1.6 * wide, 0.05, (-half * 0.35, 0, hood + 0.014)))
        pieces += solid("hub", "paint", moved(ring(0.014, 0.003, sides=12, around=5), (half * 0.05, wide * 0.4, hood + 0.014), yaw=np.pi / 2))
    else:
        cabin = [(c * half, hood), ((a + slant) * half, hood), (a * half, roof), (b * half, roof)]
        pieces += solid("cabin", "paint", slab(cabin, 1.84 * wide, 0.006))
        pane = np.array([(c * half * 0.93, hood + 0.006), ((a + slant * 0.6) * half, hood + 0.006), (a * half * 0.92, roof - 0.01), (b * half * 0.95, roof - 0.01)])
        pieces += solid("glass", "glass", slab(pane, 1.87 * wide))
        wind = (hood + roof) / 2
        pieces += solid("glass", "glass", box(0.004, 1.5 * wide, (roof - hood) * 0.6, ((a + slant / 2) * half + 0.002, 0, wind), pitch=-np.arctan2(slant * half, roof - hood)))
    if kind == "pickup":
        for y in (wide * 0.92, -wide * 0.92):
            pieces += solid("cabin", "paint", box(half * 0.9, 0.008, 0.025, (-half * 0.55, y, hood + 0.01)))
    for x in (half * 0.62, -half * 0.62):
        for y in (wide + 0.004, -wide - 0.004):
            pieces += _wheel((x, y), r, 0.024, u(0.45, 0.65))
    lamp = ball((0.008, 0.011, 0.011), (half, wide * 0.62, hood * 0.72))
    pieces += solid("lamp", "lamp", *mirrored(lamp)) + solid("bumper", "paint", box(0.012, 2 * wide, 0.014, (half + 0.003, 0, low + 0.008)))
    if random.random() < 0.4:
        pieces += solid("bumper", "paint", box(1.8 * half, 0.02, 0.003, (0, 0, hood)), box(0.5 * half, 0.02, 0.004, (b * half * 0.3, 0, roof if kind != "roadster" else hood)))
    return pieces


def _toy_train(random: Random) -> list[Piece]:
    """An engine and up to three wagons of coloured wood."""
    u = random.uniform
    wide, r, z = u(0.026, 0.034), u(0.014, 0.019), u(0.02, 0.026)
    engine, count, gap = u(0.09, 0.12), int(random.integers(0, 4)), u(0.01, 0.018)
    boiler, cab = u(0.019, 0.026), u(0.03, 0.04)
    pieces: list[Piece] = solid("base", "paint", box(engine, 2 * wide, 0.014, (-engine / 2, 0, z)))
    front = z + 0.007
    pieces += solid("engine", "paint", moved(lathe([(0.002, -engine + cab), (boiler, -engine + cab), (boiler, -0.012), (boiler * 0.8, -0.006), (0.002, -0.006)], 16), (0, 0, front + boiler * 0.9), yaw=-np.pi / 2))
    rise = u(0.045, 0.06)
    pieces += solid("cab", "paint", box(cab, 1.9 * wide, rise, (-engine + cab / 2, 0, front + rise / 2)))
    pieces += solid("roof", "paint", moved(_soft_plate(cab + 0.014, 2.3 * wide, 0.007, 0, 0.006), (-engine + cab / 2, 0, front + rise)))
    pieces += solid("window", "dark", box(cab * 0.5, 1.93 * wide, rise * 0.35, (-engine + cab / 2, 0, front + rise * 0.65)))
    top = front + 1.9 * boiler
    flare, x = u(0.007, 0.013), -0.022
    pieces += solid("chimney", "paint", moved(_upright([(0.007, top - 0.012), (0.007, top + 0.012), (flare, top + u(0.018, 0.03)), (0.004, top + 0.018)], 12), (x, 0, 0)))
    if random.random() < 0.7:
        pieces += solid("chimney", "paint", ball((0.009, 0.009, 0.01), (x - 0.025, 0, top)))
    if random.random() < 0.6:
        pieces += solid("lamp", "lamp", ball((0.005, 0.008, 0.008), (-0.002, 0, front + boiler)))
    pieces += solid("roof", "paint", slab([(0.0, z - 0.014), (0.018, z - 0.014), (0.0, z + 0.008)], 1.5 * wide))
    pieces += _rolling(-engine / 2, engine, wide, r, int(random.integers(2, 4)))
    start = -engine
    for k in range(count):
        long = u(0.055, 0.085)
        middle = start - gap - long / 2
        pieces += solid("hook", "dark", rod((start + 0.005, 0, z), (start - gap - 0.005, 0, z), 0.004, 6))
        pieces += solid("base", "paint", box(long, 2 * wide, 0.012, (middle, 0, z)))
        colour, load = f"wagon{k}", pick(random, "tub", "logs", "closed", "blocks")
        if load == "tub":
            for s in (1, -1):
                pieces += solid(colour, "paint", box(long * 0.95, 0.007, 0.026, (middle, s * wide * 0.85, front + 0.012)), box(0.007, 1.8 * wide, 0.026, (middle + s * long * 0.45, 0, front + 0.012)))
        elif load == "logs":
            for y, h in ((-0.5, 0), (0.5, 0), (0, 1)):
                pieces += solid(colour, "paint", rod((middle - long * 0.45, y * wide, front + 0.011 + 0.018 * h), (middle + long * 0.45, y * wide, front + 0.011 + 0.018 * h), 0.011, 10))
        elif load == "closed":
            pieces += solid(colour, "paint", box(long * 0.9, 1.8 * wide, 0.036, (middle, 0, front + 0.018)))
            pieces += solid("roof", "paint", moved(_soft_plate(long, 2.1 * wide, 0.006, 0, 0.006), (middle, 0, front + 0.036)))
        else:
            for x in (-0.25, 0.25):
                pieces += solid(f"block{x}", "paint", box(long * 0.4, 1.5 * wide, u(0.02, 0.04), (middle + x * long, 0, front + 0.014)))
        pieces += _rolling(middle, long, wide, r * 0.9, 2)
        start = middle - long / 2
    return pieces


def _rolling(middle: float, long: float, wide: float, r: float, axles: int) -> list[Piece]:
    """Wheels of a wagon: discs with a knob."""
    disc = [(0.001, -0.004), (r, -0.004), (r, 0.004), (r * 0.35, 0.004), (r * 0.3, 0.008), (0.001, 0.008)]
    pieces: list[Piece] = []
    for x in middle + long * np.linspace(-0.34, 0.34, axles):
        wheel = moved(lathe(disc, 14), (x, wide + 0.004, r))
        pieces += solid("wheel", "paint", *mirrored(wheel))
    return pieces


SHAPES: dict[str, Generator] = {
    "bicycle": _bicycle, "motorbike": _motorbike, "scooter": _scooter, "tricycle": _tricycle, "wheelbarrow": _wheelbarrow,
    "stroller": _stroller, "lawn mower": _lawn_mower, "wheelchair": _wheelchair, "skateboard": _skateboard,
    "toy car": _toy_car, "toy train": _toy_train,
}  # fmt: skip
_GRIPS = "1a1b1d 2a2b2e 4a3a2e"
PALETTES: dict[str, Palettes] = {
    "bicycle": {"frame": BRIGHT + " 1c1d20 2b2d31 9aa0a6 5a7a8a 6a2c2c"},
    "motorbike": {"frame": "1a1b1e 9c1f1c 1d3f8a e0701a 2f6b3c c9c6bf 5a1a24 e8c020 2b2d31"},
    "scooter": {"frame": BRIGHT + " 9aa0a6 c9cccf a8d0c4", "grip": _GRIPS, "pole": METALS + " c9cccf", "hand": _GRIPS + " c8201e 1d4fae", "hub": METALS + " f4f1e8 c8201e"},
    "tricycle": {"frame": BRIGHT, "fork": BRIGHT + " c9cccf", "seat": BRIGHT, "grip": BRIGHT + " 1a1b1d", "pedal": BRIGHT + " 2a2b2e", "hub": BRIGHT + " c9cccf f4f1e8"},
    "wheelbarrow": {
        "tub": "2f6b3c 8a8d90 b3262a 1f4e79 e0901a 5c6064 a9794a 3a6a4a", "frame": METALS + " 3a5a3c a9794a", "grip": _GRIPS + " b3262a 2f6b3c", "hub": METALS + " c9302a e0b020",
        "load": "4a3422 6a5238 4f7a35 8a8782 d9b070",
    },
    "stroller": {"frame": METALS + " 1c1d20", "seat": CLOTH, "pad": CLOTH, "hood": CLOTH, "grip": _GRIPS, "bag": "22242a 3a3d44 6a6660", "hub": METALS},
    "lawn mower": {
        "deck": "b3262a 2f7d3a e0701a 1f3f6a 2b2d31 e0b020", "engine": "1c1d20 3a3d42 8a8d90", "cap": "1c1d20 b3262a 2f7d3a e0901a c9c6bf", "frame": METALS + " 1c1d20",
        "grip": _GRIPS, "bag": "1c1d20 3a3d42 2f4a35 5a5d60", "hub": "f4f1e8 e0b020 b3262a 8a8d90",
    },
    "wheelchair": {"frame": METALS + " 1c1d20 c9cccf 1d3f8a 9c1f1c", "seat": "1a1b1e 23304a 2b2d31 5a1f24 2f4a3a", "grip": _GRIPS, "foot": "1c1d20 8a8d90", "guard": "1c1d20 8a8d90 23304a", "hub": METALS},
    "skateboard": {"deck": WOODS + " c8201e 1d4fae", "top": "1a1b1d 232428 2a2b30 7a2b2b 1f3f5a c9a06c", "wheel": BRIGHT + " f4f1e8 f4f1e8", "mark": BRIGHT},
    "toy car": {"body": BRIGHT + " d9b07a c9a06c e8701a", "cabin": BRIGHT + " d9b07a 7d5230", "hub": BRIGHT + " c9cccf d9b07a", "bumper": BRIGHT + " c9cccf 7d5230"},
    "toy train": {
        "base": WOODS + " d9b07a 22252a", "engine": BRIGHT, "cab": BRIGHT, "roof": BRIGHT, "chimney": BRIGHT, "wheel": BRIGHT + " 22252a", "wagon0": BRIGHT, "wagon1": BRIGHT,
        "wagon2": BRIGHT, "block-0.25": BRIGHT, "block0.25": BRIGHT,
    },
}  # fmt: skip
