"""Parametric shapes of outdoor objects, on floors and on tables.

The part "main" takes the scene's colour; `shape_palettes.csv` gives the colours of the others, and
of objects without a colour in the scene.
"""

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import Array, ball, box, loft, moved, ring, rod, slab, tube
from po3d.synthesis.shapes.sheets import facing
from po3d.synthesis.shapes.turned import UP, upright


def _barrel(random: Random) -> list[Piece]:
    """A cask of staves and hoops, or a drum of sheet metal or plastic."""
    u = random.uniform
    if random.random() < 0.65:
        end, belly, tall = u(0.27, 0.33), u(0.35, 0.41), u(0.82, 1.0)
        s = np.linspace(0, 1, 9)
        radius = end + (belly - end) * np.sin(np.pi * s)
        profile = [(0.01, 0.05), (end - 0.03, 0.05), (end - 0.03, 0.0), *zip(radius, tall * s)]
        profile += [(end - 0.03, tall), (end - 0.03, tall - 0.05), (0.01, tall - 0.05)]
        pieces = painted("wood", upright(profile, 28))
        for t in np.arange(staves := int(random.integers(12, 19))) * 2 * np.pi / staves:
            gap = np.c_[radius * np.cos(t), radius * np.sin(t), tall * s] * (1.002, 1.002, 0.985)
            pieces += painted("gap", tube(gap, 0.006, 4))
        for y in np.linspace(-end * 0.7, end * 0.7, 5):
            pieces += painted(
                "gap", box(2 * np.sqrt(end**2 - y**2) - 0.08, 0.008, 0.006, (0, y, tall - 0.05))
            )
        wide = u(0.04, 0.07)
        for share in [0.05, 0.95, *([0.25, 0.75] if random.random() < 0.7 else [0.33, 0.67])]:
            r = np.interp(share, s, radius)
            pieces += painted(
                "hoop", moved(ring(r, 0.012, wide, 28, 5), (0, 0, tall * share), roll=UP)
            )
        return pieces
    r, tall, ribs = u(0.28, 0.34), u(0.82, 0.95), int(random.integers(2, 4))
    profile = [(0.01, 0.0), (r, 0.0), (r + 0.012, 0.02), (r, 0.04)]
    for z in np.linspace(0, tall, ribs + 2)[1:-1]:
        profile += [(r, z - 0.03), (r + 0.016, z), (r, z + 0.03)]
    profile += [
        (r, tall - 0.04),
        (r + 0.012, tall - 0.02),
        (r, tall),
        (r - 0.02, tall),
        (r - 0.02, tall - 0.03),
        (0.01, tall - 0.03),
    ]
    pieces = painted("drum", upright(profile, 28))
    pieces += painted(
        "plug", upright([(0.04, tall - 0.03), (0.04, tall - 0.005), (0.01, tall - 0.005)], 10)
    )
    for z in [tall * 0.5] if random.random() < 0.5 else []:
        pieces += painted(
            "plug", upright([(r + 0.003, z - 0.09), (r + 0.004, z), (r + 0.003, z + 0.09)], 28)
        )
    return pieces


def _fire_hydrant(random: Random) -> list[Piece]:
    u = random.uniform
    r, body, dome = u(0.095, 0.12), u(0.42, 0.52), u(0.1, 0.16)
    foot, bell = r * u(1.35, 1.6), r * u(1.2, 1.4)
    base = [(0.01, 0), (foot, 0), (foot, 0.045), (r * 1.05, 0.05), (r, 0.1), (r, body)]
    pieces = main(
        upright([*base, (bell, body + 0.01), (bell, body + 0.05), (0.01, body + 0.05)], 20)
    )
    top, s = body + 0.05, np.linspace(0, 1, 6)
    cap = "cap" if random.random() < 0.5 else "main"
    pieces += painted(
        cap,
        upright(
            [*zip(bell * 0.95 * np.cos(s * 1.35), top + dome * np.sin(s * UP)), (0.01, top + dome)],
            20,
        ),
    )
    profile = [
        (0.035, top + dome - 0.02),
        (0.03, top + dome + u(0.04, 0.07)),
        (0.01, top + dome + 0.06),
    ]
    pieces += painted(cap, upright(profile, 6))
    for k in range(bolts := int(random.integers(6, 11))):
        t = 2 * np.pi * k / bolts
        for radius, z in ((foot * 0.88, 0.05), (bell * 0.9, top)):
            pieces += painted(
                "bolt", box(0.022, 0.022, 0.03, (radius * np.cos(t), radius * np.sin(t), z), yaw=t)
            )
    level, big = body * u(0.66, 0.8), u(0.055, 0.075)
    out = r + u(0.055, 0.085)
    nozzles = [(90, 0.045), (-90, 0.045)] + ([(0, big)] if random.random() < 0.8 else [])
    for degrees, size in nozzles:
        arm = rod((0, 0, 0), (out, 0, 0), size, 14)
        lid = rod(
            (out - 0.015, 0, 0),
            (out + 0.025, 0, 0),
            size * 1.22,
            8 if random.random() < 0.5 else 14,
        )
        nut = rod((out + 0.02, 0, 0), (out + 0.055, 0, 0), 0.02, 5)
        at, t = (0, 0, level), np.radians(degrees)
        pieces += main(moved(arm, at, yaw=t))
        pieces += painted("cap", moved(lid, at, yaw=t), moved(nut, at, yaw=t))
    if random.random() < 0.4:
        z = body * 0.35
        pieces += painted(
            "cap", upright([(r * 1.02, z - 0.03), (r * 1.03, z), (r * 1.02, z + 0.03)], 20)
        )
    return pieces


def _traffic_cone(random: Random) -> list[Piece]:
    u = random.uniform
    tall, low, tip, base = u(0.55, 0.78), u(0.115, 0.15), u(0.022, 0.035), u(0.17, 0.2)
    material = ("foot", "paint") if random.random() < 0.4 else ("cone", "paint")
    kind = pick(random, "square", "round", "eight")
    sides = {"square": 4, "round": 24, "eight": 8}[kind]
    reach = base / np.cos(np.pi / sides)
    foot = upright([(reach, 0), (reach, 0.025), (reach * 0.93, 0.04), (0.01, 0.04)], sides)
    pieces = solid(*material, moved(foot, yaw=np.pi / sides))
    profile = [
        (low, 0.03),
        (tip, tall),
        (tip * 0.6, tall),
        (tip * 0.55, tall - 0.03),
        (0.002, tall - 0.03),
    ]
    pieces += painted("cone", upright(profile, 24))
    bands = int(random.integers(0, 4)) or int(random.integers(0, 3))
    wide = u(0.07, 0.16) / max(1, bands) ** 0.5
    for k in range(bands):
        z = 0.12 + (tall - 0.3) * (k + 0.8) / (bands + 0.3)
        r0, r1 = np.interp([z, z + wide], [0.03, tall], [low, tip]) + 0.003
        pieces += painted(
            "band", upright([(r0 - 0.01, z), (r0, z), (r1, z + wide), (r1 - 0.01, z + wide)], 24)
        )
    return pieces


def _mailbox(random: Random) -> list[Piece]:
    """A box on a post that opens at the front: round or slanting top, or a box without a post."""
    u = random.uniform
    half, deep, side = u(0.08, 0.1), u(0.38, 0.5), u(0.1, 0.16)
    kind = pick(random, "round", "round", "gable", "pillar")
    if kind == "pillar":
        w, d, tall = u(0.14, 0.17), u(0.13, 0.16), u(0.75, 0.95)
        t = np.linspace(0, np.pi, 11)
        outline = np.r_[
            [(-d, 0.1), (d, 0.1)], np.c_[d * np.cos(t), tall - d + d * u(0.5, 1.0) * np.sin(t)]
        ]
        pieces = main(slab(outline, 2 * w, 0.012))
        pieces += solid("slot", "dark", box(0.02, 1.3 * w, 0.035, (d, 0, tall - d - 0.04)))
        pieces += painted("label", box(0.012, 1.1 * w, 0.14, (d, 0, tall - d - u(0.2, 0.3))))
        legs = [
            box(0.03, 0.03, 0.12, (x, y, 0.06))
            for x in (-d + 0.03, d - 0.03)
            for y in (-w + 0.03, w - 0.03)
        ]
        return pieces + painted("post", *legs)
    post, low = u(0.025, 0.05), u(0.5, 0.65)
    if kind == "round":
        t = np.linspace(0, np.pi, 25)
        outline = np.r_[
            [(-half, 0.0), (half, 0.0)], np.c_[half * np.cos(t), side + half * np.sin(t)]
        ]
    else:
        outline = np.array(
            [(-half, 0.0), (half, 0.0), (half, side), (0, side + u(0.07, 0.11)), (-half, side)]
        )
    outline = outline + [0, low]
    middle = outline.mean(0)
    pieces = main(facing(outline, deep, -deep / 2))
    pieces += painted("door", facing(middle + (outline - middle) * 1.06, 0.018, deep / 2))
    knob = ball((0.02, 0.014, 0.014), (deep / 2 + 0.025, 0, outline[:, 1].max() - 0.03))
    pieces += painted("knob", knob)
    height, sign = u(0.08, 0.14), random.choice([-1, 1])
    raised, x, y = random.random() < 0.6, u(-0.02, 0.12), sign * (half + 0.008)
    stick = (
        box(0.025, 0.012, height, (0, 0, height / 2))
        if raised
        else box(height, 0.012, 0.025, (-height / 2, 0, 0))
    )
    flag = (
        box(0.07, 0.012, 0.05, (-0.025, 0, height))
        if raised
        else box(0.05, 0.012, 0.07, (-height, 0, 0.025))
    )
    pieces += painted("flag", *(moved(g, (x, y, low + side * 0.6)) for g in (stick, flag)))
    round_ = random.random() < 0.3
    stand = (
        rod((0, 0, 0), (0, 0, low), post * 0.9, 10)
        if round_
        else box(2 * post, 2 * post, low, (0, 0, low / 2))
    )
    pieces += painted("post", stand, box(deep * 0.7, half * 1.5, 0.02, (0, 0, low - 0.005)))
    if random.random() < 0.4:
        brace = rod((0, 0, low - 0.2), (deep * 0.32, 0, low - 0.01), post * 0.5, 6)
        pieces += painted("post", brace)
    return pieces


def _deck_chair(random: Random) -> list[Piece]:
    """Two crossed frames and a hanging cloth (the scene's colour), plain, striped or slatted."""
    u = random.uniform
    half, top, low = u(0.27, 0.33), u(0.78, 0.95), u(0.26, 0.36)
    head, foot = np.array([-u(0.5, 0.62), top]), np.array([u(0.5, 0.62), low])
    bar = u(0.017, 0.026)
    pieces: list[Piece] = []
    back_ground, front_ground = np.array([u(0.3, 0.45), 0.0]), np.array([-u(0.35, 0.55), 0.0])

    def beam(a: Array, b: Array, y: float) -> list[Piece]:
        middle, along = (a + b) / 2, b - a
        long = np.hypot(*along)
        at = (middle[0], y, middle[1])
        return painted(
            "frame", box(long, 1.3 * bar, 2 * bar, at, pitch=-np.arctan2(along[1], along[0]))
        )

    for s in (1, -1):
        pieces += beam(back_ground + [0, bar], head, s * half)
        pieces += beam(front_ground + [0, bar], foot, s * (half - 2 * bar))
    for (x, z), w in (
        (head, half),
        (foot, half - 2 * bar),
        (back_ground + [0, bar], half),
        (front_ground + [0, bar], half - 2 * bar),
    ):
        pieces += painted("frame", rod((x, -w, z), (x, w, z), bar * 0.9, 8))
    s, sag = np.linspace(0, 1, 14), u(0.16, 0.26)
    line = (
        np.outer(1 - s, head)
        + np.outer(s, foot)
        - np.c_[np.zeros(14), sag * 4 * s * (1 - s) * (0.6 + 0.7 * s)]
    )
    cloth = half - 3.2 * bar
    if random.random() < 0.25:  # wooden slats
        for x, z in line[::1]:
            pieces += main(box(0.055, 2 * cloth, 0.018, (x, 0, z), pitch=u(0.2, 0.9)))
    else:
        pieces += main(slab(np.r_[line + [0, 0.006], (line - [0, 0.006])[::-1]], 2 * cloth))
        for y in (
            np.linspace(-cloth, cloth, int(random.integers(3, 8)))[1:-1]
            if random.random() < 0.5
            else []
        ):
            stripe = slab(np.r_[line + [0, 0.009], (line - [0, 0.009])[::-1]], cloth * 0.13)
            pieces += painted("stripe", moved(stripe, (0, y, 0)))
    if random.random() < 0.4:
        for y in (-half - 0.02, half + 0.02):
            pieces += painted("frame", box(0.55, 0.05, 0.025, (-0.08, y, low + 0.24)))
            pieces += painted("frame", rod((0.12, y, low + 0.24), (0.18, y, 0.13), bar * 0.7))
    if random.random() < 0.4:
        pieces += painted(
            "pillow", ball((0.09, cloth * 0.8, 0.05), (line[1][0] + 0.03, 0, line[1][1] + 0.04), 2)
        )
    return pieces


def _umbrella(random: Random) -> list[Piece]:
    """A folded umbrella on its tip, its canopy loose or wound, with a crook or a knob."""
    u = random.uniform
    tall, loose, folds = u(0.5, 0.6), u(0.075, 0.17), int(random.integers(7, 11))
    low, deep = u(0.05, 0.09), u(0.18, 0.4)
    t = np.arange(4 * folds) * np.pi / (2 * folds)
    wave = 1 - deep * (0.5 - 0.5 * np.cos(folds * t))
    rows, widest = [], u(0.7, 0.9)
    for s in np.array([0.0, 0.12, 0.3, 0.5, 0.7, 0.85, 1.0, 0.97]):
        full = np.interp(s, [0, widest, 1], [0.06, 1, u(0.8, 1.05)])
        twist = t + 0.9 * s * (1 - loose * 4)
        radius = (loose * full * wave if s != 0.97 else np.full_like(t, 0.014)) + 0.008
        rows.append(
            np.c_[radius * np.cos(twist), radius * np.sin(twist), np.full_like(t, low + tall * s)]
        )
    pieces = main(loft(rows))
    if loose < 0.11:
        z = low + tall * u(0.45, 0.65)
        pieces += painted("band", moved(ring(loose * 0.85, 0.01, 0.03, 20, 5), (0, 0, z), roll=UP))
    top = low + tall + u(0.1, 0.16)
    pieces += painted("stick", rod((0, 0, 0.03), (0, 0, top), 0.009, 8))
    pieces += painted(
        "stick", tube([(0, 0, 0), (0, 0, 0.03), (0, 0, low + 0.03)], [0.004, 0.009, 0.012], 8)
    )
    handle = pick(random, "crook", "crook", "knob", "bar")
    if handle == "crook":
        bow = u(0.035, 0.055)
        a = np.linspace(0, np.pi * u(1.0, 1.25), 11)
        hook = np.c_[bow - bow * np.cos(a), np.zeros(11), top + bow * np.sin(a)]
        pieces += painted("handle", tube(np.r_[[(0, 0, top - 0.09)], hook], 0.014, 8))
    elif handle == "knob":
        pieces += painted("handle", ball((0.024, 0.024, 0.034), (0, 0, top + 0.01), 2))
        pieces += painted("handle", rod((0, 0, top - 0.1), (0, 0, top), 0.016, 10))
    else:
        pieces += painted(
            "handle", rod((0, 0, top - 0.12), (0, 0, top + 0.03), u(0.016, 0.024), 10)
        )
    return pieces


SHAPES = named(_barrel, _fire_hydrant, _traffic_cone, _mailbox, _deck_chair, _umbrella)
