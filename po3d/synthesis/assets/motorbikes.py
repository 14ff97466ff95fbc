"""Motorbikes: chopper, dirtbike, scooter and cruiser, in metres, the wheels' plane along x."""

import numpy as np

from po3d.synthesis.assets.mesh import Piece
from po3d.synthesis.assets.primitives import Array, ball, box, hull, lathe, loft, moved, ring, rod, rounded, slab, spoked_wheel, tube
from po3d.synthesis.assets.two_wheelers import (
    Finish, fender, handlebar, knobs, mirrors, polar, round_lamp, sample_finish, side,
)  # fmt: skip

Rng = np.random.Generator


def _wheel(rng: Rng, name: str, x: float, radius: float, thick: float, width: float, finish: Finish, spoked: bool) -> list[Piece]:
    """A wheel on z = 0 with wire spokes or a cast disc of five; with a brake disc."""
    if spoked:
        pieces = spoked_wheel(name, x, radius, thick, (finish.tyre, finish.metal), int(rng.integers(9, 13)), 0.07, spoke=0.009)[1:]
    else:
        rim = radius - thick * 1.6
        local: list[Piece] = [(name, finish.metal, lathe([(rim * 0.84, -width * 0.3), (rim, -width * 0.34), (rim, width * 0.34), (rim * 0.84, width * 0.3), (rim * 0.84, -width * 0.3)], 18))]
        local.append((name, finish.metal, lathe([(0, -0.07), (rim * 0.28, -0.06), (rim * 0.28, 0.06), (0, 0.07)], 10)))
        for k in range(5):
            t = 72 * k
            local.append((name, finish.metal, box(rim * 0.75, width * 0.3, rim * 0.17, side(polar((0, 0), rim * 0.5, t)), pitch=-np.radians(t))))
        pieces = [(n, m, moved(g, (x, 0, radius))) for n, m, g in local]
    pieces.append((name, finish.tyre, moved(ring(radius - thick, thick, width, 24, 6), (x, 0, radius))))
    disc = lathe([(0, -0.004), (radius * 0.4, -0.004), (radius * 0.4, 0.004), (0, 0.004)], 12)
    return [*pieces, (name, "chrome", moved(disc, (x, width * 0.5 + 0.01, radius)))]


def _fork(axle: Array, top: Array, spread: float, radius: float, finish: Finish, lower: float = 0.45) -> list[Piece]:
    """Two telescopic legs from the axle to `top`, thick for the share `lower`, and two yokes."""
    pieces: list[Piece] = []
    along = (top - axle) / np.linalg.norm(top - axle)
    pitch = -(np.pi / 2 - np.arctan2(along[1], -along[0]))
    for y in (spread, -spread):
        knee = axle + (top - axle) * lower
        pieces.append(("fork", "paint", rod(side(axle, y), side(knee, y), radius * 1.35)))
        pieces.append(("fork", finish.metal, rod(side(knee, y), side(top, y), radius)))
    for share in (0.8, 0.98):
        pieces.append(("fork", finish.trim, box(0.07, spread * 2 + radius * 2.4, 0.03, side(axle + (top - axle) * share), pitch=pitch)))
    return pieces


def _cylinder(foot: Array, top: Array, radius: float, material: str) -> Piece:
    """A finned cylinder with its head."""
    shares = np.array([0, 0.12, 0.13, 0.26, 0.27, 0.4, 0.41, 0.54, 0.55, 0.68, 0.69, 1.0])
    radii = np.array([0.85, 0.85, 1.15, 1.15, 0.85, 0.85, 1.15, 1.15, 0.85, 0.85, 1.2, 1.05]) * radius
    return "engine", material, tube([side(foot + (top - foot) * s) for s in shares], radii, 8)


def _engine(rng: Rng, crank: Array, size: float, finish: Finish, twin: bool) -> list[Piece]:
    """A crankcase about `crank` with gearbox, and one upright or two splayed cylinders."""
    metal = finish.metal if rng.random() < 0.6 else finish.trim
    case = lathe([(0, -size), (size * 0.75, -size), (size * 0.95, -size * 0.7), (size * 0.95, size * 0.7), (size * 0.75, size), (0, size)], 12)
    pieces: list[Piece] = [("engine", metal, moved(case, side(crank)))]
    pieces.append(("engine", metal, box(size * 1.9, size * 1.5, size * 1.2, side(crank + [-size * 1.3, 0.0]))))
    splay = np.radians(rng.uniform(20, 28)) if twin else 0.0
    for lean in (splay, -splay) if twin else (np.radians(8),):
        top = crank + np.array([np.sin(lean), np.cos(lean)]) * size * 2.55
        pieces.append(_cylinder(crank, top, size * 0.55, metal))
    if twin:  # round air cleaner on the right
        cleaner = lathe([(0, -0.035), (size * 0.6, -0.03), (size * 0.6, 0.03), (0, 0.035)], 10)
        pieces.append(("engine", finish.metal, moved(cleaner, side(crank + [0, size * 1.6], -size * 0.8))))
    return pieces


def _chain(rear: Array, crank: Array, y: float, finish: Finish) -> list[Piece]:
    """Sprocket and both runs of the chain."""
    big, small = 0.12, 0.06
    sprocket = lathe([(0, -0.008), (big, -0.008), (big, 0.008), (0, 0.008)], 12)
    pieces: list[Piece] = [("drive_chain", finish.metal, moved(sprocket, side(rear, y)))]
    for sign in (1, -1):
        pieces.append(("drive_chain", finish.trim, rod(side(rear + [0, sign * big], y), side(crank + [-0.1, sign * small], y), 0.012, 4)))
    return pieces


def _swingarm(rear: Array, pivot: Array, spread: float, material: str, radius: float = 0.025) -> list[Piece]:
    return [("frame", material, rod(side(rear, y), side(pivot, y * 0.8), radius)) for y in (spread, -spread)]


def _shocks(foot: Array, top: Array, spread: float, finish: Finish) -> list[Piece]:
    shares = np.linspace(0, 1, 9)
    radii = np.where(np.arange(9) % 2, 0.034, 0.022)
    return [("shock", finish.metal, tube([side(foot + (top - foot) * s, y) for s in shares], radii, 6)) for y in (spread, -spread)]


def _footrests(at: Array, spread: float, finish: Finish, board: bool) -> list[Piece]:
    pieces: list[Piece] = []
    for name, sign in (("footrest_left_s", 1), ("footrest_right_s", -1)):
        size = (0.3, 0.11, 0.025) if board else (0.04, 0.13, 0.03)
        pieces.append((name, finish.trim, box(*size, side(at, sign * (spread + size[1] / 2)))))
        pieces.append((name, finish.metal, rod(side(at, sign * 0.05), side(at, sign * (spread + 0.02)), 0.014, 5)))
    return pieces


def _pipe(name: str, points: Array, muffler: float, finish: Finish) -> list[Piece]:
    """An exhaust along `points`, wide for its last segment."""
    points = np.asarray(points, float)
    last = points[-2] + (points[-1] - points[-2]) * 0.08
    line = np.r_[points[:-1], [last], [points[-1] - (points[-1] - last) * 0.06], points[-1:]]
    radii = np.r_[np.full(len(points) - 1, 0.026), muffler, muffler, muffler * 0.6]
    return [(name, finish.metal, tube(line, radii, 7))]


def _screen(foot: Array, width: float, height: float, lean: float) -> Piece:
    """A curved wind screen that leans back by `lean` radians."""
    rings = []
    for s, w in ((0.0, 0.75), (0.35, 1.0), (0.8, 0.9), (1.0, 0.6)):
        y = np.linspace(-1, 1, 7) * width / 2 * w
        x = foot[0] - np.sin(lean) * height * s - 0.25 * y**2 / (width / 2)
        z = np.full(7, foot[1] + np.cos(lean) * height * s)
        front = np.c_[x, y, z]
        rings.append(np.r_[front, front[::-1] - [0.015, 0, 0]])
    return "windscreen", "glass", loft(rings)


def chopper(rng: Rng) -> list[Piece]:
    """A long raked fork, high ape hangers, a low stepped seat, a sissy bar, a fat back wheel."""
    finish = sample_finish(rng)
    r_front, r_rear = rng.uniform(0.31, 0.36), rng.uniform(0.29, 0.33)
    base = rng.uniform(1.65, 1.85)
    rear, front = np.array([-base / 2, r_rear]), np.array([base / 2, r_front])
    rake = np.radians(rng.uniform(40, 52))
    up = np.array([-np.cos(rake), np.sin(rake)])
    head = front + up * rng.uniform(0.66, 0.8)
    seat_z = rng.uniform(0.52, 0.6)
    seat_x = rear[0] + rng.uniform(0.38, 0.5)
    crank = np.array([rng.uniform(-0.08, 0.04), rng.uniform(0.3, 0.34)])
    thick = rng.uniform(0.09, 0.12)
    pieces = _wheel(rng, "wheel_front", front[0], r_front, rng.uniform(0.035, 0.05), 0.08, finish, rng.random() < 0.8)
    pieces += _wheel(rng, "wheel_back", rear[0], r_rear, thick * 0.75, thick * 1.9, finish, rng.random() < 0.5)
    pieces += _fork(front, head, 0.075, 0.024, finish, rng.uniform(0.25, 0.45))
    neck = head - up * 0.1
    rigid = rng.random() < 0.5
    spine = [side(neck), side((0.1, neck[1] - 0.06)), side((seat_x - 0.12, seat_z - 0.04))]
    pieces.append(("frame", "paint", tube(spine, 0.028)))
    for y in (0.11, -0.11):
        loop = [side(neck - [0.01, 0.06], y * 0.3), side((0.38, 0.22), y), side((0.25, 0.17), y), side((-0.35, 0.17), y), side(rear if rigid else (-0.4, 0.4), y * 1.1)]
        pieces.append(("frame", "paint", tube(loop, 0.021)))
        pieces.append(("frame", "paint", rod(side(rear, y * 1.1), side((seat_x - 0.1, seat_z - 0.05), y * 0.6), 0.021)))
    long, half, fat = rng.uniform(0.42, 0.55), rng.uniform(0.11, 0.15), rng.uniform(0.16, 0.22)
    nose = np.array([neck[0] - 0.03, neck[1] + 0.02])
    tail = nose - [long, rng.uniform(0.04, 0.1)]
    level = np.linspace(nose[1], tail[1], 5)
    xs = np.linspace(nose[0], tail[0], 5)
    shape = np.array([(0.35, 0.55), (0.85, 0.9), (1.0, 1.0), (0.75, 0.8), (0.25, 0.35)])
    tank = [(x, half * a, z - 0.03 - fat * 0.35 * c, z - 0.03 + fat * 0.65 * c) for x, z, (a, c) in zip(xs, level, shape)]
    pieces.append(("gas_tank", "paint", hull(tank, 10)))
    pieces += _engine(rng, crank, rng.uniform(0.13, 0.15), finish, twin=True)
    pieces += _chain(rear, crank, 0.13, finish) + _footrests(crank + [rng.uniform(0.3, 0.5), -0.05], 0.16, finish, board=False)
    rise = rng.uniform(0.02, 0.06)
    saddle = [
        (seat_x + 0.3, 0.08, seat_z - 0.02, seat_z + 0.05), (seat_x + 0.15, 0.14, seat_z - 0.05, seat_z + 0.03), (seat_x, 0.17, seat_z - 0.05, seat_z + 0.05),
        (seat_x - 0.13, 0.15, seat_z, seat_z + 0.12 + rise), (seat_x - 0.4, 0.1, seat_z + 0.07, seat_z + 0.15 + rise),
    ]  # fmt: skip
    pieces.append(("seat", finish.seat, hull(saddle, 10)))
    pieces.append(("fender_back", "paint", fender(rear, r_rear * 1.12, thick * 2.2, (45, rng.uniform(150, 185)), 0.07)))
    if rng.random() < 0.6:
        pieces.append(("fender_front", "paint", fender(front, r_front * 1.08, 0.12, (35, rng.uniform(115, 150)), 0.04)))
    sissy, lean = rng.uniform(0.36, 0.55), rng.uniform(0.1, 0.22)
    foot = np.array([seat_x - 0.42, seat_z + 0.08])
    top = foot + [-lean, sissy]
    for y in (0.1, -0.1):
        pieces.append(("sissy_bar", finish.metal, tube([side(rear + [0, 0.05], y * 1.2), side(foot, y * 1.1), side(top, y * 0.8)], 0.017)))
    pieces.append(("sissy_bar", finish.metal, rod(side(top, 0.08), side(top, -0.08), 0.017)))
    if rng.random() < 0.6:
        pieces.append(("sissy_bar", finish.seat, box(0.06, 0.17, 0.22, side(foot + (top - foot) * 0.6 + [0.03, 0]), pitch=-np.arctan2(lean, sissy))))
    ape, spread, pull = rng.uniform(0.3, 0.42), rng.uniform(0.3, 0.38), rng.uniform(0.1, 0.25)
    x, z = head
    bar = [(x, 0, z), (x, 0.1, z), (x + 0.02, spread * 0.75, z + ape * 0.75), (x - 0.02, spread * 0.85, z + ape), (x - pull, spread, z + ape * 0.95)]
    pieces += handlebar(np.array(bar), 0.018, finish.metal, finish.trim, 0.026)
    if rng.random() < 0.6:
        pieces += mirrors(np.array(bar[3]), 0.02, 0.1, 0.06, 0.06, finish.metal, finish.metal)
    pieces += round_lamp("headlight_center", side(head + [0.16, -0.13]), rng.uniform(0.075, 0.1), 0.16, finish.metal)
    pieces.append(("panel", finish.metal, moved(lathe([(0, -0.03), (0.05, -0.03), (0.05, 0.02), (0, 0.02)], 8), side(head + [0.02, 0.06]), roll=np.pi / 2)))
    tail_at = polar(rear, r_rear * 1.16, rng.uniform(140, 155))
    pieces += round_lamp("taillight_center", side(tail_at - [0.05, 0]), 0.05, 0.08, finish.metal, "tail", -1)
    low = crank[1] - 0.11
    end = rear[0] - rng.uniform(-0.15, 0.15)
    for k, start in enumerate((0.13, -0.12)):
        y = -0.2
        line = [side(crank + [start, 0.3], -0.05), side(crank + [start + 0.08, 0.16], y), side((crank[0] + start - 0.05, low + 0.09 * k), y), side((crank[0] - 0.45, low + 0.09 * k), y), side((end, low + 0.09 * k + 0.03), y)]
        pieces += _pipe("exhaust_right_s", line, 0.04, finish)
    return pieces


def dirtbike(rng: Rng) -> list[Piece]:
    """High everything: fenders far above thin knobby wheels, long fork, flat seat, number plate, upswept exhaust."""
    finish = sample_finish(rng)
    r_front, r_rear = rng.uniform(0.33, 0.37), rng.uniform(0.31, 0.345)
    base = rng.uniform(1.4, 1.5)
    rear, front = np.array([-base / 2, r_rear]), np.array([base / 2, r_front])
    angle = np.radians(rng.uniform(61, 66))
    up = np.array([-np.cos(angle), np.sin(angle)])
    head = front + up * rng.uniform(0.72, 0.82)
    seat_z = rng.uniform(0.9, 0.97)
    pivot = np.array([-0.16, rng.uniform(0.42, 0.47)])
    crank = np.array([0.05, rng.uniform(0.42, 0.46)])
    spoked = True
    thick = rng.uniform(0.042, 0.055)
    pieces = _wheel(rng, "wheel_front", front[0], r_front, thick, thick * 1.8, finish, spoked)
    pieces += _wheel(rng, "wheel_back", rear[0], r_rear, thick * 1.1, thick * 2.2, finish, spoked)
    pieces += knobs("wheel_front", finish.tyre, front[0], r_front, thick * 1.8, 22) + knobs("wheel_back", finish.tyre, rear[0], r_rear, thick * 2.2, 20)
    pieces += _fork(front, head, 0.1, 0.024, finish, rng.uniform(0.4, 0.55)) + _swingarm(rear, pivot, 0.1, finish.metal, 0.03)
    for y in (0.1, -0.1):
        neck = head - up * 0.14
        pieces.append(("frame", "paint", tube([side(neck, 0), side((0.1, seat_z - 0.1), y), side((-0.2, seat_z - 0.2), y), side(pivot, y), side((0.2, 0.3), y), side((0.3, 0.42), y), side(neck - up * 0.06, 0)], 0.02)))
        pieces.append(("frame", "paint", rod(side((-0.2, seat_z - 0.2), y), side((-0.68, seat_z - 0.06), y * 0.7), 0.016)))
        pieces.append(("frame", "paint", rod(side(pivot + [0, 0.1], y), side((-0.6, seat_z - 0.08), y * 0.7), 0.014)))
    pieces += _shocks(pivot + [-0.12, 0.0], np.array([-0.12, seat_z - 0.22]), 0.0, finish)[:1]
    pieces += _engine(rng, crank, rng.uniform(0.12, 0.14), finish, twin=False) + _chain(rear, crank, 0.11, finish)
    pieces += _footrests(pivot + [0.04, -0.06], 0.13, finish, board=False)
    drop = rng.uniform(0.02, 0.07)
    seat = [(0.26, 0.05, seat_z - 0.04, seat_z + 0.06), (0.1, 0.075, seat_z - 0.08, seat_z + 0.02), (-0.25, 0.1, seat_z - 0.09, seat_z + 0.01 - drop * 0.3), (-0.62, 0.085, seat_z - 0.05, seat_z + 0.035)]
    pieces.append(("seat", finish.seat, hull(seat, 8, 0.7)))
    reach = rng.uniform(0.1, 0.15)
    tank = [(head[0] - 0.09, 0.06, seat_z - 0.14, seat_z + 0.03), (0.26, 0.13, seat_z - 0.22, seat_z + 0.07), (0.12, 0.13, seat_z - 0.24, seat_z + 0.05), (-0.06, 0.09, seat_z - 0.2, seat_z - 0.02)]
    pieces.append(("gas_tank", "paint", hull(tank, 10, 0.8)))
    shroud = np.array([(0.05, seat_z - 0.05), (0.4, seat_z + 0.02), (0.45, seat_z - 0.12), (0.26, seat_z - 0.38), (0.12, seat_z - 0.25)])
    shroud[2:4, 0] += reach - 0.12
    panel = [(-0.1, seat_z - 0.12), (-0.62, seat_z - 0.02), (-0.6, seat_z - 0.14), (-0.3, seat_z - 0.34), (-0.12, seat_z - 0.3)]
    plate_color = "white" if rng.random() < 0.4 else "paint"
    for y in (0.15, -0.15):
        pieces.append(("cover_front", "paint", moved(slab(shroud, 0.025, 0.006), (0, y, 0))))
        pieces.append(("cover_back", plate_color if rng.random() < 0.5 else "paint", moved(slab(panel, 0.025, 0.006), (0, y * 0.85, 0))))
    crown = front + up * (r_front + rng.uniform(0.1, 0.16))
    pieces.append(("fender_front", "paint", _blade(crown + [0.34, -0.05], crown + [-0.3, 0.02], rng.uniform(0.15, 0.2), rng.uniform(0.05, 0.09))))
    kick = rng.uniform(0.02, 0.12)
    pieces.append(("fender_back", "paint", _blade(np.array([-0.48, seat_z - 0.05]), np.array([-1.02, seat_z - 0.02 + kick]), rng.uniform(0.15, 0.19), 0.03)))
    x, z = head + up * 0.05
    half, rise = rng.uniform(0.36, 0.41), rng.uniform(0.1, 0.15)
    bar = np.array([(x, 0, z), (x, 0.08, z), (x + 0.015, 0.2, z + rise), (x - 0.02, half * 0.7, z + rise), (x - 0.08, half, z + rise - 0.01)])
    pieces += handlebar(bar, 0.017, finish.metal, finish.trim, 0.024)
    pieces.append(("handle_left", finish.metal, rod(bar[2], bar[2] * [1, -1, 1], 0.011, 5)))
    plate = moved(slab(rounded([(-0.1, -0.14), (0.1, -0.14), (0.13, 0.1), (0.05, 0.16), (-0.05, 0.16), (-0.13, 0.1)], 0.03), 0.025, 0.005), yaw=np.pi / 2)
    pieces.append(("panel", plate_color, moved(plate, side(head + [0.11, 0.02]), pitch=-(np.pi / 2 - angle))))
    if rng.random() < 0.4:
        pieces += round_lamp("headlight_center", side(head + [0.17, -0.06]), 0.06, 0.07, finish.trim)
    if rng.random() < 0.5:  # hand guards
        for sign in (1, -1):
            pieces.append(("panel", "paint", ball((0.025, 0.11, 0.06), bar[-1] * [1, sign, 1] + [0.12, -0.05 * sign, 0])))
    y = -0.14
    up_end = np.array([-rng.uniform(0.62, 0.75), seat_z - rng.uniform(0.1, 0.16)])
    pipe = [side(crank + [0.1, 0.27], -0.03), side((0.36, crank[1] + 0.12), -0.1), side((0.3, crank[1] - 0.1), y), side((0.0, crank[1] + 0.02), y), side((-0.25, seat_z - 0.26), y), side(up_end, y)]
    return pieces + _pipe("exhaust_right_s", pipe, rng.uniform(0.045, 0.06), finish)


def _blade(front: Array, back: Array, width: float, sag: float):
    """A plastic mudguard blade between two points of the side view, bulging upwards, narrower at its ends."""
    rings = []
    for s in np.linspace(0, 1, 6):
        centre = front + (back - front) * s + [0, sag * np.sin(np.pi * s)]
        half = width / 2 * (0.55 + 0.45 * np.sin(np.pi * (0.15 + 0.7 * s)))
        section = [(-half, -0.035), (-half * 0.6, 0.01), (half * 0.6, 0.01), (half, -0.035), (half * 0.6, -0.014), (-half * 0.6, -0.014)]
        rings.append([(centre[0], y, centre[1] + z) for y, z in section])
    return loft(rings)


def scooter(rng: Rng) -> list[Piece]:
    """Small wheels, a leg shield, a step-through floor, a bulky rear body under the seat."""
    finish = sample_finish(rng)
    radius, thick = rng.uniform(0.2, 0.26), rng.uniform(0.05, 0.065)
    base = rng.uniform(1.22, 1.34)
    rear, front = np.array([-base / 2, radius]), np.array([base / 2, radius])
    up = np.array([-np.cos(np.radians(63)), np.sin(np.radians(63))])
    shield_top, wide = rng.uniform(0.8, 0.9), rng.uniform(0.36, 0.48)
    floor, seat_z = rng.uniform(0.27, 0.34), rng.uniform(0.72, 0.8)
    sporty = rng.random() < 0.4
    head = front + up * ((shield_top + 0.08 - radius) / up[1])
    pieces = _wheel(rng, "wheel_front", front[0], radius, thick, thick * 2, finish, False) + _wheel(rng, "wheel_back", rear[0], radius, thick, thick * 2, finish, False)
    for y in (0.09, -0.09):
        pieces.append(("fork", finish.metal, rod(side(front, y), side(front + up * (radius + 0.16), y * 0.8), 0.025)))
    pieces.append(("fork", finish.metal, rod(side(front + up * radius), side(head), 0.035)))
    arc = (20, rng.uniform(135, 165))
    pieces.append(("fender_front", "paint", fender(front, radius * 1.16, rng.uniform(0.17, 0.24), arc, radius * rng.uniform(0.25, 0.5))))
    foot_x, thickness = front[0] - radius - rng.uniform(0.1, 0.15), rng.uniform(0.04, 0.09)
    lean = head[0] - 0.0
    shield = []
    for s, w in ((0.0, 0.7), (0.15, 0.85), (0.45, 1.0), (0.8, 0.9 if sporty else 0.98), (1.0, 0.45)):
        half = wide / 2 * w
        x, z = foot_x + (lean - foot_x) * s, floor - 0.08 + (shield_top - floor + 0.08) * s
        y = np.array([-1, -0.6, 0, 0.6, 1]) * half
        bulge = np.array([0, 0.6, 1, 0.6, 0]) * (thickness + (0.1 if s > 0.3 else 0.03))
        outer = np.c_[x + bulge, y, np.full(5, z)]
        shield.append(np.r_[outer, np.c_[outer[::-1, 0] * 0 + x - 0.03, y[::-1], np.full(5, z)]])
    pieces.append(("cover_front", "paint", loft(shield)))
    pieces.append(("floor", "paint", slab(rounded([(foot_x + 0.06, floor - 0.09), (foot_x + 0.05, floor), (-0.16, floor), (-0.2, floor - 0.12), (-0.1, floor - 0.15)], 0.02), wide * 0.86, 0.02)))
    pieces.append(("floor", finish.trim, box(foot_x + 0.1, wide * 0.7, 0.012, ((foot_x - 0.1) / 2, 0, floor + 0.006))))
    fat, tail_z = rng.uniform(0.17, 0.24), rng.uniform(0.5, 0.62)
    end = rear[0] - radius - rng.uniform(0.02, 0.12)
    body = [
        (-0.02, fat * 0.55, floor - 0.08, seat_z - 0.14), (-0.12, fat * 0.8, floor - 0.1, seat_z - 0.05), (-0.35, fat, radius + 0.08, seat_z - 0.04),
        (-0.62, fat * 1.02, radius + 0.09, seat_z - 0.04), (-0.82, fat * 0.8, tail_z - 0.12, seat_z - 0.04), (end, fat * 0.35, tail_z, seat_z - 0.08),
    ]  # fmt: skip
    if sporty:
        body[4] = (-0.82, fat * 0.65, tail_z, seat_z)
        body[5] = (end, fat * 0.3, tail_z + 0.1, seat_z + 0.01)
    pieces.append(("cover_back", "paint", hull(body, 12, 0.75)))
    split = rng.uniform(0.02, 0.07)
    seat = [(0.02, 0.08, seat_z - 0.09, seat_z - 0.02), (-0.1, 0.13, seat_z - 0.06, seat_z + 0.02), (-0.4, 0.15, seat_z - 0.06, seat_z + 0.03), (-0.5, 0.14, seat_z - 0.06, seat_z + 0.03 + split), (-0.85, 0.11, seat_z - 0.06, seat_z + 0.02 + split)]
    pieces.append(("seat", finish.seat, hull(seat, 10, 0.8)))
    pieces.append(("fender_back", "paint", fender(rear, radius * 1.15, 0.16, (60, 190), 0.06)))
    pieces.append(("engine", finish.trim, hull([(rear[0] - 0.1, 0.05, radius - 0.09, radius + 0.1), (rear[0] + 0.15, 0.09, radius - 0.1, radius + 0.12), (rear[0] + 0.42, 0.1, radius - 0.08, radius + 0.1)], 8, 0.7)))
    pieces.append(("drive_chain", finish.trim, moved(slab(rounded([(-0.12, -0.07), (0.4, -0.06), (0.4, 0.09), (-0.12, 0.08)], 0.04), 0.07, 0.015), side(rear, 0.14))))
    pieces += _pipe("exhaust_left_s", [side(rear + [0.45, -0.06], -0.08), side(rear + [0.3, -0.07], -0.15), side(rear + [0.15, 0.0], -0.16), side(rear + [-0.22, 0.06], -0.17)], 0.055, finish)
    x, z = head
    half, lift = rng.uniform(0.29, 0.35), rng.uniform(0.06, 0.13)
    bar = np.array([(x, 0, z), (x, 0.06, z + lift * 0.6), (x - 0.02, half * 0.55, z + lift), (x - 0.12, half, z + lift)])
    pieces += handlebar(bar, 0.022, finish.metal, finish.trim, 0.03)
    nacelle = [(x - 0.12, 0.09, z, z + lift + 0.05), (x, 0.17, z - 0.04, z + lift + 0.08), (x + 0.09, 0.12, z - 0.02, z + lift + 0.05)]
    pieces.append(("panel", "paint", hull(nacelle, 8, 0.8)))
    if sporty or rng.random() < 0.3:  # lamps in the shield
        for y in (0.09, -0.09):
            pieces.append(("headlight_center", "lamp", ball((0.04, 0.08, 0.05), side((lean + thickness + 0.06, shield_top - 0.16), y))))
    else:
        pieces += round_lamp("headlight_center", side((x + 0.14, z + lift * 0.55)), rng.uniform(0.07, 0.09), 0.1, "paint")
    pieces += mirrors(bar[2] * [1, 0.9, 1], rng.uniform(0.1, 0.2), rng.uniform(0.14, 0.26), 0.02, rng.uniform(0.06, 0.08), finish.metal, finish.trim)
    pieces.append(("taillight_center", "tail", box(0.03, 0.14, 0.06, side((end - 0.005, body[-1][2] + 0.09)))))
    pieces.append(("license_plate", "white", box(0.012, 0.16, 0.12, side((end + 0.02, tail_z - 0.1)), pitch=0.3)))
    extra = rng.choice(["none", "box", "rack", "screen"], p=[0.4, 0.25, 0.2, 0.15])
    if extra in ("box", "rack"):
        rack_z = seat_z + 0.06
        for y in (0.09, -0.09):
            pieces.append(("carrier", finish.metal, tube([side((-0.72, seat_z), y), side((-0.8, rack_z), y), side((end - 0.1, rack_z), y)], 0.012, 5)))
        for bar_x in (-0.85, end - 0.09):
            pieces.append(("carrier", finish.metal, rod((bar_x, 0.09, rack_z), (bar_x, -0.09, rack_z), 0.012, 5)))
    if extra == "box":
        case = slab(rounded([(-0.16, 0), (0.15, 0), (0.17, 0.14), (0.1, 0.26), (-0.14, 0.26), (-0.18, 0.14)], 0.03), 0.36, 0.03)
        pieces.append(("carrier", "paint", moved(case, side((end + 0.02, seat_z + 0.07)))))
    if extra == "screen":
        pieces.append(_screen(np.array([x + 0.08, z + lift]), rng.uniform(0.34, 0.44), rng.uniform(0.26, 0.4), 0.35))
    return pieces


def cruiser(rng: Rng) -> list[Piece]:
    """Heavy: deep fenders over thick wheels, broad tank, wide swept bars, low seat, two-sided exhausts."""
    finish = sample_finish(rng)
    r_front, r_rear = rng.uniform(0.31, 0.34), rng.uniform(0.31, 0.34)
    base = rng.uniform(1.56, 1.7)
    rear, front = np.array([-base / 2, r_rear]), np.array([base / 2, r_front])
    up = np.array([-np.cos(np.radians(rng.uniform(57, 62))), 0.0])
    up[1] = np.sqrt(1 - up[0] ** 2)
    head = front + up * rng.uniform(0.6, 0.68)
    thick, seat_z = rng.uniform(0.075, 0.095), rng.uniform(0.6, 0.68)
    crank = np.array([rng.uniform(0.02, 0.1), rng.uniform(0.33, 0.37)])
    cast = rng.random() < 0.6
    pieces = _wheel(rng, "wheel_front", front[0], r_front, thick, thick * 1.7, finish, not cast) + _wheel(rng, "wheel_back", rear[0], r_rear, thick, thick * 2.0, finish, not cast)
    pieces += _fork(front, head, 0.12, 0.034, finish, rng.uniform(0.4, 0.6)) + _swingarm(rear, np.array([-0.3, 0.33]), 0.13, finish.metal)
    skirt = rng.uniform(0.08, 0.16)
    pieces.append(("fender_front", "paint", fender(front, r_front * 1.09, thick * 2.2, (rng.uniform(15, 40), rng.uniform(165, 190)), skirt)))
    pieces.append(("fender_back", "paint", fender(rear, r_rear * 1.12, thick * 2.7, (35, rng.uniform(175, 200)), skirt + 0.05)))
    for y in (0.12, -0.12):
        loop = [side(head - up * 0.1, 0), side((0.42, 0.25), y), side((0.3, 0.17), y), side((-0.35, 0.18), y), side((-0.38, seat_z - 0.08), y)]
        pieces.append(("frame", "paint", tube(loop, 0.022)))
    pieces.append(("frame", "paint", tube([side(head - up * 0.08), side((0.1, seat_z + 0.05)), side((-0.6, seat_z - 0.06))], 0.035)))
    pieces += _engine(rng, crank, rng.uniform(0.15, 0.17), finish, twin=True) + _chain(rear, crank, 0.15, finish)
    pieces += _shocks(rear + [0.06, 0.08], np.array([-0.55, seat_z - 0.02]), 0.16, finish)
    long, half, fat = rng.uniform(0.52, 0.62), rng.uniform(0.15, 0.19), rng.uniform(0.24, 0.3)
    nose, low = head[0] - 0.05, seat_z + 0.0
    tank = [(nose, half * 0.5, low + fat * 0.35, low + fat * 0.85), (nose - long * 0.2, half * 0.92, low + fat * 0.02, low + fat), (nose - long * 0.45, half, low - fat * 0.05, low + fat), (nose - long * 0.8, half * 0.7, low, low + fat * 0.7), (nose - long, half * 0.35, low, low + fat * 0.35)]
    pieces.append(("gas_tank", "paint", hull(tank, 12, 0.85)))
    pieces.append(("panel", finish.metal, box(0.2, 0.07, 0.03, (nose - long * 0.35, 0, low + fat + 0.005))))
    x0, plush = nose - long + 0.12, rng.uniform(0.02, 0.09)
    seat = [(x0, 0.09, seat_z - 0.04, seat_z + 0.07), (x0 - 0.2, 0.19, seat_z - 0.07, seat_z + 0.06), (x0 - 0.36, 0.2, seat_z - 0.07, seat_z + 0.07), (x0 - 0.44, 0.16, seat_z - 0.04, seat_z + 0.12 + plush), (x0 - 0.76, 0.12, seat_z - 0.02, seat_z + 0.13 + plush)]
    pieces.append(("seat", finish.seat, hull(seat, 10, 0.85)))
    x, z = head + up * 0.06
    width, pull, rise = rng.uniform(0.36, 0.42), rng.uniform(0.2, 0.34), rng.uniform(0.06, 0.16)
    bar = np.array([(x, 0, z), (x, 0.08, z), (x + 0.03, width * 0.5, z + rise), (x - pull * 0.3, width * 0.88, z + rise), (x - pull, width, z + rise * 0.8)])
    pieces += handlebar(bar, 0.02, finish.metal, finish.trim, 0.028)
    pieces += mirrors(bar[3], 0.0, rng.uniform(0.1, 0.15), 0.05, rng.uniform(0.06, 0.08), finish.metal, finish.metal)
    lamp = head + [0.17, -0.06]
    pieces += round_lamp("headlight_center", side(lamp), rng.uniform(0.1, 0.125), 0.18, "paint" if rng.random() < 0.5 else finish.metal)
    if rng.random() < 0.6:
        for name, y in (("headlight_left", 0.19), ("headlight_right", -0.19)):
            pieces += round_lamp(name, side(lamp + [-0.05, -0.08], y), 0.055, 0.1, finish.metal)
        pieces.append(("headlight_center", finish.metal, rod(side(lamp + [-0.1, -0.08], 0.19), side(lamp + [-0.1, -0.08], -0.19), 0.014, 5)))
    if rng.random() < 0.55:
        pieces.append(_screen(lamp + [-0.06, 0.12], rng.uniform(0.42, 0.55), rng.uniform(0.34, 0.46), 0.35))
    bags = rng.random() < 0.45
    if bags:
        outline = rounded([(-0.28, -0.16), (0.26, -0.16), (0.28, 0.08), (0.2, 0.16), (-0.24, 0.16), (-0.3, 0.02)], 0.05)
        for y in (0.27, -0.27):
            pieces.append(("cover_back", "paint", moved(slab(outline, 0.17, 0.04), side(rear + [-0.02, rng.uniform(0.17, 0.17)], y))))
    if rng.random() < 0.4:
        top = np.array([x0 - 0.86, seat_z + rng.uniform(0.34, 0.44)])
        for y in (0.12, -0.12):
            pieces.append(("backrest", finish.metal, rod(side((x0 - 0.72, seat_z - 0.02), y), side(top, y * 0.8), 0.018)))
        pieces.append(("backrest", finish.seat, box(0.07, 0.22, 0.17, side(top - [-0.03, 0.06]), pitch=-0.2)))
    tail_x = rear[0] - r_rear * 1.02
    for name, y in (("taillight_left", 0.12), ("taillight_right", -0.12)):
        pieces += round_lamp(name, side((tail_x - 0.02, r_rear * 1.7), y), 0.045, 0.08, finish.metal, "tail", -1)
    pieces.append(("license_plate", "white", box(0.012, 0.18, 0.12, side((tail_x - 0.08, r_rear * 1.4)), pitch=-0.2)))
    pieces += _footrests(crank + [0.3, -0.12], 0.17, finish, board=rng.random() < 0.6)
    both, end = rng.random() < 0.6, rear[0] - rng.uniform(0.05, 0.3)
    for name, start, sign in (("exhaust_right_s", 0.16, -1), ("exhaust_left_s" if both else "exhaust_right_s", -0.13, 1 if both else -1)):
        rank = 0.1 if not both and start < 0 else 0.0
        y, z = sign * 0.22, 0.2 + rank
        line = [side(crank + [start, 0.34], 0.06 * sign), side(crank + [start + 0.07, 0.18], y), side((crank[0] + start - 0.05, z), y), side((-0.3, z), y), side((end, z + 0.02), y)]
        pieces += _pipe(name, line, rng.uniform(0.05, 0.06), finish)
    return pieces


MAKERS = {"chopper": chopper, "dirtbike": dirtbike, "scooter": scooter, "cruiser": cruiser}
