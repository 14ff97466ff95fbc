"""Plants in pots, cacti, rocks, stone lanterns and dog houses. Lengths in metres."""

import numpy as np
from numpy.typing import ArrayLike
from trimesh import Trimesh

from po3d.synthesis.shapes.limbs import limb
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import Array, ball, box, loft, moved, rod, slab, tube
from po3d.synthesis.shapes.sheets import facing, soft_plate, tub
from po3d.synthesis.shapes.turned import upright


def _blade(points: ArrayLike, widths: ArrayLike, thick: float = 0.12) -> Trimesh:
    """Build a leaf along a curve (P, 3) that runs outwards from the z axis: flat across, `thick` as
    a fraction of its half width.
    """
    points, widths = np.asarray(points, float), np.asarray(widths, float)
    out = points[-1] - points[0]
    across = np.cross((0, 0, 1.0), out if np.hypot(*out[:2]) > 1e-6 else (1.0, 0, 0))
    across /= np.linalg.norm(across)
    along = np.gradient(points, axis=0)
    normal = np.cross(along, across)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    side, face = across * widths[:, None], normal * widths[:, None] * thick
    return loft(np.stack([points + side, points + face, points - side, points - face], 1))


def _pot(random: Random, radius: float, height: float) -> list[Piece]:
    """A pot with soil up to nearly its rim."""
    taper, kind = random.uniform(0.6, 0.95), pick(random, "rim", "smooth", "bowl", "square")
    if kind == "square":
        pieces = painted("pot", *tub(1.8 * radius, 1.8 * radius, height, 0.1 * radius, taper))
        return pieces + painted(
            "soil", box(1.55 * radius, 1.55 * radius, 0.1 * height, (0, 0, 0.82 * height))
        )
    shares = {
        "rim": [(taper, 0), (0.9, 0.78), (1, 0.78), (1, 1), (0.85, 1), (0.8, 0.75), (0.05, 0.75)],
        "smooth": [(taper, 0), (1, 1), (0.9, 1), (0.85, 0.8), (0.05, 0.8)],
        "bowl": [
            (0.7 * taper, 0),
            (1.05, 0.45),
            (0.95, 0.85),
            (1, 1),
            (0.88, 1),
            (0.85, 0.8),
            (0.05, 0.8),
        ],
    }
    profile = [(0.01, 0.0), *((radius * across, height * up) for across, up in shares[kind])]
    pieces = painted("pot", upright(profile, 22))
    if random.random() < 0.3:
        pieces += painted(
            "soil",
            upright([(radius * 1.15, 0), (radius * 1.2, 0.05 * height), (0.01, 0.05 * height)], 20),
        )
    soil = upright(
        [(radius * 0.86, 0.7 * height), (radius * 0.84, 0.86 * height), (0.01, 0.88 * height)], 20
    )
    return pieces + painted("soil", soil)


def _plant(random: Random) -> list[Piece]:
    """A pot with arching leaves, upright swords, a bush, a small tree or flowers."""
    u = random.uniform
    radius, height = u(0.1, 0.15), u(0.14, 0.26)
    kind = pick(random, "arching", "broad", "swords", "bush", "tree", "flowers")
    pieces, top = _pot(random, radius, height), height * 0.85
    size = u(0.85, 1.2)
    if kind in ("arching", "broad", "flowers"):
        many = {
            "arching": random.integers(14, 24),
            "broad": random.integers(9, 15),
            "flowers": random.integers(10, 16),
        }[kind]
        wide = {"arching": u(0.018, 0.03), "broad": u(0.05, 0.075), "flowers": u(0.025, 0.045)}[
            kind
        ]
        for k in range(int(many)):
            pieces += main(
                _leaf(random, k * 2.4, u(0.17, 0.3) * size, u(0.2, 0.42) * size, top, wide)
            )
        if kind == "flowers":
            for k in range(int(random.integers(4, 10))):
                t, r, z = k * 2.4 + 0.5, u(0.05, 0.17), top + u(0.22, 0.36)
                head = np.array([r * np.cos(t), r * np.sin(t), z])
                pieces += painted("stem", rod((0, 0, top), head, 0.006, 5))
                pieces += painted("flower", ball((0.04, 0.04, 0.028), head))
                pieces += painted("heart", ball(0.016, head + [0, 0, 0.022]))
    elif kind == "swords":
        for k in range(int(random.integers(7, 13))):
            t, r, tall = k * 2.4, radius * u(0.1, 0.6), u(0.3, 0.6) * size
            foot = np.array([r * np.cos(t), r * np.sin(t), top - 0.02])
            tip = foot + [
                0.35 * tall * np.cos(t) * u(0.3, 1),
                0.35 * tall * np.sin(t) * u(0.3, 1),
                tall,
            ]
            line = [foot, foot * 0.6 + tip * 0.4, foot * 0.2 + tip * 0.8, tip]
            pieces += main(_blade(line, [0.022, 0.034, 0.024, 0.002], 0.25))
    else:
        trunk = u(0.2, 0.4) if kind == "tree" else 0.06
        crown, low = u(0.14, 0.2) * size, top + trunk
        line = [
            (0, 0, top - 0.02),
            (u(-0.03, 0.03), u(-0.03, 0.03), top + trunk / 2),
            (0, 0, low + crown * 0.6),
        ]
        pieces += painted("trunk", limb(line, [0.022, 0.016, 0.012], 8, 2))
        for k in range(int(random.integers(5, 10))):
            way = np.array([np.cos(k * 2.4), np.sin(k * 2.4), 0]) * crown * u(0.3, 0.75)
            puff = _rough(random, crown * u(0.45, 0.7), 0.12)
            pieces += painted(
                "main" if k % 3 else "shade", moved(puff, way + [0, 0, low + crown * u(0.2, 1.1)])
            )
        for k in range(18):
            t, z = k * 2.4, low + crown * u(0.0, 1.4)
            root = np.array([np.cos(t), np.sin(t), 0]) * crown * 0.75 + [0, 0, z]
            tip = root + np.array([np.cos(t), np.sin(t), u(-0.4, 0.5)]) * 0.09
            pieces += main(_blade([root, (root + tip) / 2, tip], [0.012, 0.03, 0.002]))
    return pieces


def _leaf(random: Random, turn: float, out: float, rise: float, z: float, wide: float) -> Trimesh:
    """A leaf that rises from the pot and bends over."""
    t, droop = turn + random.normal(0, 0.2), random.uniform(0.1, 0.75)
    s = np.array([0.0, 0.3, 0.55, 0.8, 1.0])
    r = out * (0.15 + 0.85 * s)
    r[0] = 0.01
    height = rise * (1.6 * s - (0.6 + droop) * s**2)
    points = np.c_[r * np.cos(t), r * np.sin(t), z + height]
    return _blade(points, wide * np.array([0.25, 0.75, 1.0, 0.7, 0.05]))


def _rough(random: Random, radius: float, amount: float) -> Trimesh:
    """A lumpy ball."""
    mesh = ball(radius, detail=2)
    v = np.asarray(mesh.vertices)
    waves = random.normal(size=(5, 3)) * 3 / radius
    bumps = np.sin(v @ waves.T + random.uniform(0, 6, 5)).sum(1)
    mesh.vertices = v * (1 + amount / 2 * bumps[:, None])
    return mesh


def _ribbed(line: ArrayLike, radii: ArrayLike, ribs: int, deep: float) -> Trimesh:
    """An upright limb of a cactus with ribs along it."""
    line, radii = np.asarray(line, float), np.asarray(radii, float)
    t = np.arange(2 * ribs) * np.pi / ribs
    star = np.where(np.arange(2 * ribs) % 2, 1 - deep, 1.0)
    return loft(
        [
            np.c_[p[0] + r * star * np.cos(t), p[1] + r * star * np.sin(t), np.full(2 * ribs, p[2])]
            for p, r in zip(line, radii)
        ]
    )


def _cactus(random: Random) -> list[Piece]:
    """A pot with a column, a saguaro with arms, a round cactus, a cluster or prickly-pear pads."""
    u = random.uniform
    radius, height = u(0.042, 0.056), u(0.05, 0.085)
    pieces, top = _pot(random, radius, height), height * 0.84
    kind = pick(random, "saguaro", "round", "cluster", "pads", "column")
    ribs, deep = int(random.integers(8, 13)), u(0.12, 0.25)
    tips: list[Array] = []

    def stalk(x: float, y: float, low: float, tall: float, r: float) -> None:
        s = np.array([0, 0.25, 0.6, 0.85, 0.95, 1.0])
        line, radii = (
            np.c_[np.full(6, x), np.full(6, y), low + tall * s],
            r * np.array([0.8, 1, 1, 0.82, 0.5, 0.1]),
        )
        pieces.extend(main(_ribbed(line, radii, ribs, deep)))
        tips.append(np.array([x, y, low + tall]))
        for k in range(ribs):
            t = 2 * np.pi * k / ribs
            for share in np.linspace(0.15, 0.85, max(3, int(tall / 0.03))):
                at = (x + r * np.cos(t), y + r * np.sin(t), low + tall * share)
                pieces.extend(painted("spine", box(0.005, 0.005, 0.005, at, yaw=t)))

    if kind == "round":
        r = u(0.042, 0.058)
        stalk(0, 0, top - 0.01, 1.7 * r, r)
    elif kind == "cluster":
        for k in range(int(random.integers(3, 6))):
            t, out = k * 2.4, radius * u(0.25, 0.6)
            stalk(out * np.cos(t), out * np.sin(t), top - 0.01, u(0.06, 0.14), u(0.016, 0.022))
    elif kind == "pads":
        for k in range(int(random.integers(4, 7))):
            grown = k > 1
            x, y, z = (
                u(-0.012, 0.012),
                (0.022 * (-1) ** k if not grown else u(-0.05, 0.05)),
                top + (0.035 if not grown else u(0.08, 0.115)),
            )
            pad = ball((0.013, u(0.026, 0.034), u(0.036, 0.046)), detail=2)
            pieces += main(moved(pad, (x, y, z), yaw=u(-0.4, 0.4), roll=-4 * y))
            for _ in range(7):
                pieces += painted(
                    "spine",
                    box(0.028, 0.004, 0.004, (x, y + u(-0.018, 0.018), z + u(-0.022, 0.022))),
                )
            tips.append(np.array([x, y, z + 0.042]))
    else:
        tall, r = u(0.13, 0.2), u(0.02, 0.03)
        stalk(0, 0, top - 0.01, tall, r)
        for k in range(int(random.integers(1, 3)) if kind == "saguaro" else 0):
            sign, z, out = (-1) ** k, top + tall * u(0.25, 0.5), r + u(0.02, 0.032)
            line = [
                (0, 0, z - 0.01),
                (0, sign * out * 0.85, z),
                (0, sign * out, z + 0.02),
                (0, sign * out, z + u(0.045, 0.075)),
            ]
            arm = limb(line, 0.6 * r, 10)
            pieces += main(arm)
    for tip in tips:
        if random.random() < 0.45:
            pieces += painted("flower", ball((0.013, 0.013, 0.009), tip))
    return pieces


def _rock(random: Random) -> list[Piece]:
    """A boulder broken along planes, perhaps a smaller one beside it."""
    u = random.uniform
    pieces = painted(
        "stone", _boulder(random, np.array([u(0.2, 0.3), u(0.22, 0.36), u(0.16, 0.28)]), (0, 0))
    )
    if random.random() < 0.35:
        at = (u(-0.15, 0.15), random.choice([-1, 1]) * u(0.2, 0.3))
        pieces += painted("stone", _boulder(random, u(0.08, 0.14, 3), at))
    if random.random() < 0.3:
        pieces += painted(
            "moss", moved(_rough(random, 0.12, 0.1), (u(-0.05, 0.05), u(-0.1, 0.1), 0.02))
        )
    return pieces


def _boulder(random: Random, size: Array, at: tuple[float, float]) -> Trimesh:
    mesh = ball(1.0, detail=3)
    v = np.asarray(mesh.vertices)
    count = int(random.integers(9, 26))
    planes = random.normal(size=(count, 3))
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    reach = random.uniform(0.62, 0.95, count) / np.maximum(v @ planes.T, 0.05)
    radius = np.minimum(reach.min(1), 1.0)[:, None]
    grain = np.sin(v @ (random.normal(size=(6, 3)) * 5).T + random.uniform(0, 6, 6)).sum(1)[:, None]
    v = v * radius * (1 + random.uniform(0.0, 0.022) * grain) * size
    v[:, 2] = np.maximum(v[:, 2], -random.uniform(0.3, 0.55) * size[2])
    mesh.vertices = v - [0, 0, v[:, 2].min()] + (*at, 0)
    return mesh


def _stone_lantern(random: Random) -> list[Piece]:
    """A Japanese lantern: foot or legs, platform, firebox with windows, roof, finial."""
    u = random.uniform
    sides, turned = int(random.choice([4, 6, 8])), u(0, np.pi)
    roof, body, wide = u(0.15, 0.19), u(0.075, 0.1), u(0.12, 0.15)

    def stone(profile: list[tuple[float, float]], n: int = sides) -> list[Piece]:
        return painted("stone", moved(upright(profile, n), yaw=turned))

    pieces: list[Piece] = []
    if random.random() < 0.4:  # on legs
        z, legs = u(0.16, 0.24), int(random.choice([3, 4, 6]))
        for k in range(legs):
            t = turned + 2 * np.pi * k / legs
            foot, knee = (
                np.array([np.cos(t), np.sin(t)]) * u(0.15, 0.18),
                np.array([np.cos(t), np.sin(t)]) * 0.13,
            )
            pieces += painted(
                "stone",
                tube([(*foot, 0), (*knee, z * 0.6), (*(knee * 0.6), z)], [0.03, 0.034, 0.045], 6),
            )
        pieces += stone(
            [(0.02, z - 0.02), (wide * 0.8, z - 0.02), (wide, z + 0.03), (0.02, z + 0.03)]
        )
    else:
        z, shaft = u(0.28, 0.42), u(0.05, 0.07)
        pieces += stone([(wide, 0), (wide, 0.04), (wide * 0.7, 0.08), (0.02, 0.08)])
        pieces += stone(
            [(shaft, 0.06), (shaft * u(0.85, 1.05), z / 2), (shaft, z), (0.02, z)],
            int(random.choice([sides, 16])),
        )
        if random.random() < 0.5:
            pieces += stone(
                [(shaft * 1.25, z / 2 - 0.02), (shaft * 1.3, z / 2), (shaft * 1.25, z / 2 + 0.02)],
                16,
            )
        pieces += stone([(shaft, z - 0.05), (wide * 0.95, z), (wide, z + 0.03), (0.02, z + 0.03)])
    low, tall = z + 0.03, u(0.1, 0.15)
    pieces += stone([(body, low), (body, low + tall), (0.02, low + tall)])
    apothem = body * np.cos(np.pi / sides)
    for k in range(sides):
        t = turned + 2 * np.pi * (k + 0.5) / sides
        pane = box(
            0.012,
            2 * body * np.sin(np.pi / sides) * 0.62,
            tall * 0.66,
            (apothem, 0, low + tall / 2),
        )
        pieces += painted("window", moved(pane, yaw=t))
    eave, peak = low + tall, low + tall + u(0.07, 0.15)
    up = u(0.0, 0.02)
    edge, middle = eave + up, (eave + peak) / 2 + 0.012
    tiles = [(body, eave - 0.005), (roof, edge), (roof, edge + 0.022), (roof * 0.45, middle)]
    pieces += stone([*tiles, (0.035, peak), (0.01, peak)])
    turning = [
        (0.03, peak - 0.01),
        (0.045, peak + 0.02),
        (0.02, peak + 0.05),
        (0.002, peak + u(0.07, 0.1)),
    ]
    pieces += painted("stone", upright(turning, 10))
    if random.random() < 0.3:
        pieces += painted(
            "moss", ball((roof * 0.4, roof * 0.4, 0.03), (0.06, -0.03, (eave + peak) / 2 + 0.01), 2)
        )
    return pieces


def _dog_house(random: Random) -> list[Piece]:
    """A hut with a gable or a slanting roof and a dark arch in its front."""
    u = random.uniform
    deep, wide, wall = u(0.65, 0.85), u(0.52, 0.66), u(0.34, 0.46)
    rise, over, thick = u(0.16, 0.3), u(0.05, 0.1), u(0.02, 0.035)
    front, low = deep / 2, u(0.03, 0.07)
    pieces = painted("trim", box(deep + 0.04, wide + 0.04, low, (0, 0, low / 2)))
    gable = random.random() < 0.75
    top = low + wall
    if gable:
        outline = np.array(
            [(-wide / 2, low), (wide / 2, low), (wide / 2, top), (0, top + rise), (-wide / 2, top)]
        )
        pieces += painted("wall", facing(outline, deep, -front))
        slope = np.hypot(wide / 2, rise)
        tilt, courses = np.arctan2(rise, wide / 2), int(random.integers(1, 6))
        long = (slope + over + 0.03) / courses
        for side in (1, -1):
            for k in range(courses):  # each slightly above the one below
                out, step = (k + 0.5) * long - 0.025, 0.004 * (courses - 1 - k)
                at = (
                    0,
                    side * out * np.cos(tilt),
                    top + rise - out * np.sin(tilt) + thick * 0.6 + step,
                )
                sheet = box(deep + 2 * over, long + 0.006, thick, (0, 0, 0))
                pieces += painted("roof", moved(sheet, at, roll=-side * tilt))
        pieces += painted(
            "trim", box(deep + 2 * over + 0.01, 0.05, 0.03, (0, 0, top + rise + thick))
        )
    else:
        back = top - rise * 0.6
        pieces += painted(
            "wall", slab([(-front, low), (front, low), (front, top), (-front, back)], wide)
        )
        tilt = np.arctan2(top - back, deep)
        roof = moved(
            box(deep + 2 * over, wide + 2 * over, thick),
            (0, 0, (top + back) / 2 + thick),
            pitch=-tilt,
        )
        pieces += painted("roof", roof)
    joints = np.linspace(low, top if gable else back, int(random.integers(3, 7)))[1:-1]
    for z in joints:  # between the boards
        pieces += painted("joint", box(deep + 0.006, wide + 0.006, 0.008, (0, 0, z)))
    half, door = wide * u(0.2, 0.27), wall * u(0.45, 0.6)
    t = np.linspace(0, np.pi, 21)
    arch = np.r_[
        [(-half, 0.0), (half, 0.0)], np.c_[half * np.cos(t), door + half * u(0.4, 1.0) * np.sin(t)]
    ] + [0, low + 0.01]
    grown = np.mean(arch, axis=0) + (arch - np.mean(arch, axis=0)) * 1.16
    pieces += painted("trim", facing(grown, 0.014, front))
    pieces += solid("hole", "dark", facing(arch, 0.008, front + 0.01))
    if random.random() < 0.5:
        sign = soft_plate(0.09, 0.26, 0.015, 0, 0.02)
        pieces += painted(
            "sign",
            moved(sign, (front + 0.02, 0, top + (0.03 if gable else -0.03)), pitch=np.pi / 2),
        )
    return pieces


SHAPES = named(_plant, _cactus, _rock, _stone_lantern, _dog_house)
