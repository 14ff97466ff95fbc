"""Parametric cupboards, shelves, cribs and pianos. Conventions and colours as in own_shapes.py."""

import itertools

import numpy as np

from po3d.synthesis.shapes.limbs import bar, smooth
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, box, moved, rod, slab
from po3d.synthesis.shapes.sheets import block, board, panel
from po3d.synthesis.shapes.turned import disc, drum, vessel


def _crib(random: Random) -> list[Piece]:
    u, deep, wide, high = random.uniform, *random.uniform((0.62, 1.1, 0.85), (0.78, 1.32, 1.08))
    post, bars, rail = u(0.03, 0.055), int(random.integers(9, 16)), u(0.035, 0.06)
    ends = pick(random, "bars", "board", "arched")
    low, side = u(0.14, 0.3), high * u(0.76, 0.95)
    x, y = deep / 2 - post / 2, wide / 2 - post / 2
    pieces: list[Piece] = []
    for sx in (-x, x):
        for sy in (-y, y):
            pieces += main(
                block((post, post, high if ends != "arched" else side), (sx, sy, 0.0), 0.01)
            )
            if random.random() < 0.5:
                pieces += main(ball(post * 0.6, (sx, sy, side + post), 1))
        for z in (low, side - rail / 2):
            pieces += main(board((0.025, wide - post, rail), (sx, 0, z)))
        for t in np.linspace(-y, y, bars + 2)[1:-1]:
            pieces += main(rod((sx, t, low), (sx, t, side - 0.02), 0.009, 6))
    for sy in (-y, y):
        if ends == "bars":
            for z in (low, high - rail):
                pieces += main(board((deep - post, 0.025, rail), (0, sy, z)))
            for t in np.linspace(-x, x, bars // 2 + 2)[1:-1]:
                pieces += main(rod((t, sy, low), (t, sy, high - rail), 0.009, 6))
        else:
            arch = 0.12 if ends == "arched" else 0.0
            top = [(t * x, side + arch * (1 - t * t)) for t in np.linspace(1, -1, 11)]
            pieces += main(moved(slab([(-x, low), (x, low), *top], 0.025, 0.004), (0, sy, 0)))
    bed = low + u(0.06, 0.2)
    pieces += painted(
        "mattress", block((deep - 0.07, wide - 0.07, 0.11), (0, 0, bed - 0.1), 0.04, 0.02, 3)
    )
    pieces += painted("pillow", ball((deep * 0.3, 0.13, 0.05), (0, y - 0.2, bed + 0.02), 2))
    if random.random() < 0.6:
        length = wide * u(0.35, 0.55)
        pieces += painted(
            "blanket",
            block((deep - 0.06, length, 0.03), (0, length / 2 - y + 0.03, bed), 0.02, 0.01),
        )
    if random.random() < 0.4:
        pieces += main(board((deep - post, wide - post, 0.1), (0, 0, low - 0.02)))
    return pieces


def _door(
    width: float, height: float, at: tuple[float, float, float], style: int, hinge: float, grip: str
) -> list[Piece]:
    """Build a door facing the front: flat, framed, with panels, slats, or a mirror; `at` is its
    middle.
    """
    x, y, z = at
    pieces = main(panel(width, height, 0.004, 0.022, at, 0.004))
    face, rim = x + 0.02, 0.16 * min(width, height)
    if style == 1:
        for k in (-1, 1):
            tall = height / 2 - rim * 1.2
            spot = (face, y, z + k * (tall / 2 + rim * 0.3))
            pieces += painted("groove", panel(width - 2 * rim, tall, 0.004, 0.003, spot))
            pieces += main(panel(width - 2 * rim - 0.03, tall - 0.03, 0.01, 0.012, spot, 0.008))
    elif style == 2:
        pieces += solid(
            "mirror", "chrome", panel(width - rim, height - rim, 0.004, 0.005, (face, y, z))
        )
    elif style == 3:
        for k in np.linspace(-0.42, 0.42, 14) * height:
            slat = board((0.02, width - 1.4 * rim, height * 0.045), pitch=0.5)
            pieces += main(moved(slat, (face, y, z + k)))
    elif style == 4:
        many = 5
        lines = [
            panel(0.006, height - 0.02, 0.002, 0.004, (face, y + (k / many - 0.5) * width, z))
            for k in range(1, many)
        ]
        pieces += painted("groove", *lines)
    side = y - hinge * (width / 2 - 0.05)
    if grip == "bar":
        pieces += solid(
            "handle",
            "chrome",
            bar(
                [
                    (face, side, z - 0.12),
                    (face + 0.04, side, z - 0.12),
                    (face + 0.04, side, z + 0.12),
                    (face, side, z + 0.12),
                ],
                0.009,
                6,
                1,
            ),
        )
    else:
        pieces += solid("handle", grip, disc(0.02, 0.035, (face, side, z), 12))
    return pieces


def _wardrobe(random: Random) -> list[Piece]:
    u, deep, high = random.uniform, random.uniform(0.52, 0.64), random.uniform(1.8, 2.15)
    doors, style = int(random.integers(2, 5)), int(random.integers(5))
    grip = pick(random, "bar", "chrome", "wood", "dark")
    wide = doors * u(0.36, 0.5)
    low, drawers = u(0.05, 0.12), u(0.0, 1.0) < 0.45
    pieces = main(block((deep, wide, high - low), (0, 0, low), 0.01, 0.006))
    crown = int(random.integers(3))
    if crown:
        pieces += main(
            block((deep + 0.05, wide + 0.08, 0.05), (0.01, 0, high - 0.04), 0.012, 0.012, 3)
        )
    if crown == 2:  # a gable
        top = [(wide * 0.42 * t, high + 0.12 * (1 - t * t)) for t in np.linspace(1, -1, 13)]
        gable = slab([(-wide * 0.42, high), (wide * 0.42, high), *top[1:-1]], 0.03, 0.004)
        pieces += main(moved(gable, (deep / 2, 0, 0), yaw=np.pi / 2))
    if random.random() < 0.5:
        pieces += main(box(deep - 0.04, wide - 0.02, low + 0.01, (0, 0, low / 2)))
    else:
        x, y = deep / 2 - 0.05, wide / 2 - 0.06
        feet = [(i, j, 0) for i in (-x, x) for j in (-y, y)]
        pieces += main(*(drum([(0.02, 0), (0.035, low)], 10, foot) for foot in feet))
    x, base = deep / 2, low + (0.32 * u(0.7, 1.2) if drawers else 0.02)
    pieces += solid(
        "gap", "tyre", box(0.004, wide - 0.03, high - low - 0.07, (x, 0, (high + low - 0.03) / 2))
    )
    across = (wide - 0.04) / doors
    tall = high - 0.07 - base
    mirrored = int(random.integers(doors)) if random.random() < 0.35 else -1
    for k in range(doors):
        at = (x, (k + 0.5) * across - (wide - 0.04) / 2, base + tall / 2)
        look = 2 if k == mirrored else (0 if style == 2 else style)
        pieces += _door(across - 0.01, tall - 0.01, at, look, 1.0 if k % 2 else -1.0, grip)
    if drawers:
        many = max(1, doors // 2)
        for k in range(many):
            span = (wide - 0.04) / many
            at = (x, (k + 0.5) * span - (wide - 0.04) / 2, (base + low + 0.01) / 2)
            pieces += main(panel(span - 0.01, base - low - 0.02, 0.004, 0.022, at, 0.004))
            for s in (-0.25, 0.25):
                pieces += solid(
                    "handle",
                    "chrome" if grip == "bar" else grip,
                    disc(0.018, 0.035, (x + 0.02, at[1] + s * span, at[2]), 12),
                )
    return pieces


def _books(
    y: float, width: float, z: float, height: float, deep: float, x: float, random: Random
) -> list[Piece]:
    """Build a row of books on a board from y to y + width: upright with the last ones leaning, or a
    few lying.
    """
    u, pieces, end = random.uniform, [], y + width
    while y < end - 0.015:
        if end - y > 0.3 and random.random() < 0.06:  # a horizontal pile
            top = z
            for _ in range(int(random.integers(2, 5))):
                thick = u(0.02, 0.045)
                pieces += painted(
                    f"book{random.integers(6)}",
                    box(deep * 0.8, 0.22, thick, (x, y + 0.12, top + thick / 2)),
                )
                top += thick
            y += 0.25
            continue
        thick, tall = min(u(0.022, 0.055), end - y), height * u(0.62, 0.92)
        volume = box(deep * u(0.7, 0.9), thick * 0.94, tall, (0, 0, tall / 2))
        lean = 0.25 if random.random() < 0.04 else 0.0
        pieces += painted(
            f"book{random.integers(6)}", moved(volume, (x, y + thick / 2, z), roll=-lean)
        )
        y += thick + lean * tall * 0.8
    return pieces


def _case(
    deep: float, wide: float, rows: int, columns: int, high: float, random: Random
) -> tuple[list[Piece], list[tuple[float, float, float, float]]]:
    """Return the boards of a bookcase and its bays: (lowest y, width, z of the board, clear
    height).
    """
    thick, low = random.uniform(0.018, 0.035), random.choice([0.0, random.uniform(0.05, 0.1)])
    y = wide / 2 - thick / 2
    pieces = main(*(board((deep, thick, high), (0, s * y, high / 2)) for s in (-1, 1)))
    if random.random() < 0.7:
        pieces += main(
            box(0.008, wide - thick, high - low, (-deep / 2 + 0.004, 0, (high + low) / 2))
        )
    levels = np.linspace(low, high - thick, rows + 1)
    for z in levels:
        pieces += main(board((deep, wide - thick, thick), (0, 0, z + thick / 2)))
    if low:
        pieces += main(box(0.02, wide - thick, low, (deep / 2 - 0.03, 0, low / 2)))
    walls = np.linspace(-y, y, columns + 1)
    for w in walls[1:-1]:
        pieces += main(board((deep, thick, high - low), (0, w, (high + low) / 2)))
    shares = [(a + thick / 2, b - a - thick) for a, b in itertools.pairwise(walls)]
    bays = [
        (*share, a + thick, b - a - thick)
        for a, b in itertools.pairwise(levels)
        for share in shares
    ]
    return pieces, bays


def _ornament(y: float, z: float, height: float, random: Random) -> list[Piece]:
    """A pot, a box or a ball on a board."""
    kind, size = int(random.integers(3)), random.uniform(0.05, 0.09)
    if kind == 0:
        tall = min(height * 0.8, random.uniform(0.12, 0.25))
        line = smooth(
            [(size * 0.5, 0), (size, tall * 0.4), (size * 0.35, tall * 0.8), (size * 0.5, tall)], 1
        )
        return painted("pot", vessel(line, 0.008, 14, (0, y, z)))
    if kind == 1:
        return painted("carton", block((0.2, 2 * size, min(height * 0.7, 0.16)), (0, y, z), 0.01))
    return painted("pot", ball(size, (0, y, z + size), 2))


def _bookshelf(random: Random) -> list[Piece]:
    u, columns = random.uniform, int(random.integers(1, 3))
    deep, wide, high, rows = u(0.28, 0.38), u(0.75, 1.1), u(1.5, 2.0), int(random.integers(4, 7))
    pieces, bays = _case(deep, wide, rows, columns, high, random)
    fill = u(0.45, 0.65) if random.random() < 0.5 else u(0.9, 1.0)  # half filled, or full
    for y, width, z, height in bays:
        share = float(np.clip(fill + random.normal(0, 0.15), 0, 1)) if fill < 0.8 else fill
        if share > 0.12:
            start = 0.0 if random.random() < 0.7 else (1 - share) * width
            pieces += _books(
                y + start, width * share, z, height, deep - 0.05, u(-0.02, 0.01), random
            )
        if share < 0.6 and random.random() < 0.6:
            pieces += _ornament(
                y + width * (0.85 if not start or share <= 0.12 else 0.12), z, height, random
            )
    if random.random() < 0.35:  # doors below
        y, width, z, height = -wide / 2, wide, bays[0][2], bays[0][3]
        for s in (-1, 1):
            at = (deep / 2 - 0.005, s * wide * 0.235, z + height / 2)
            pieces += _door(wide * 0.46, height, at, 1, float(s), "chrome")
    return pieces


def _shelf(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(3))
    deep, wide, high, rows = u(0.3, 0.42), u(0.68, 0.95), u(0.85, 1.35), int(random.integers(2, 5))
    pieces: list[Piece] = []
    bays: list[tuple[float, float, float, float]]
    if kind == 0:  # cubes
        pieces, bays = _case(deep, wide, rows, int(random.integers(1, 4)), high, random)
    else:
        metal, thick, radius = (
            pick(random, "chrome", "dark", "wood"),
            u(0.02, 0.04),
            u(0.011, 0.018),
        )
        levels = np.linspace(
            u(0.06, 0.16), high - (thick if kind == 1 else u(0.02, 0.12)), rows + 1
        )
        pieces += main(*(block((deep, wide, thick), (0, 0, z), 0.015, 0.004, 5) for z in levels))
        x, y = deep / 2 - 0.02, wide / 2 - 0.02
        leg = "main" if random.random() < 0.4 else "post"
        stuff = "paint" if leg == "main" else metal
        for i in (-x, x):
            for j in (-y, y):
                post = (
                    rod((i, j, 0), (i, j, high), radius, 14)
                    if kind == 1
                    else board((0.035, 0.035, high), (i, j, high / 2))
                )
                pieces += solid(leg, stuff, post)
        if random.random() < 0.6:
            cross = [
                rod((-x, -y, levels[0]), (-x, y, levels[-1]), 0.006),
                rod((-x, y, levels[0]), (-x, -y, levels[-1]), 0.006),
            ]
            pieces += solid(leg, stuff, *cross)
        bays = [(-y, 2 * y, a + thick, b - a - thick) for a, b in itertools.pairwise(levels)]
    for y, width, z, height in bays:
        what = int(random.integers(4))
        if what == 0:
            pieces += _books(
                y + 0.02, width * u(0.2, 0.5), z, min(height, 0.3), deep - 0.08, 0.0, random
            )
        elif what == 1:
            pieces += _ornament(y + width * u(0.3, 0.7), z, height, random)
        elif what == 2:
            basket = block(
                (deep * 0.8, width * u(0.4, 0.8), height * u(0.45, 0.7)),
                (0, y + width / 2, z),
                0.03,
                0.01,
                3,
            )
            pieces += painted("carton", basket)
    return pieces


def _piano(random: Random) -> list[Piece]:
    u, deep, wide, high = random.uniform, *random.uniform((0.56, 1.38, 1.0), (0.68, 1.52, 1.28))
    case, cheek, bed = deep * u(0.5, 0.6), u(0.035, 0.06), u(0.58, 0.64)
    back = -deep / 2
    pieces = main(block((case, wide, high - 0.03), (back + case / 2, 0, 0), 0.01, 0.006))
    pieces += main(
        block((case + 0.03, wide + 0.02, 0.03), (back + case / 2 + 0.01, 0, high - 0.03), 0.012)
    )
    face, front = back + case, deep / 2
    shelf = front - face
    pieces += main(board((shelf, wide, 0.09), (face + shelf / 2, 0, bed)))
    cheeks = [
        board(
            (shelf * 0.95, cheek, 0.17), (face + shelf * 0.475, s * (wide - cheek) / 2, bed + 0.09)
        )
        for s in (-1, 1)
    ]
    pieces += main(*cheeks)
    if random.random() < 0.75:  # legs under the keys
        for s in (-1, 1):
            at = (front - 0.06, s * (wide / 2 - 0.05), 0)
            if random.random() < 0.5:
                line = [
                    (0.02, 0),
                    (0.025, 0.08),
                    (0.04, 0.14),
                    (0.03, 0.3),
                    (0.045, bed - 0.1),
                    (0.045, bed - 0.04),
                ]
                pieces += main(drum(line, 14, at))
            else:
                pieces += main(board((0.06, 0.06, bed), (at[0], at[1], bed / 2)))
    else:
        for s in (-1, 1):
            pieces += main(
                board((shelf, 0.04, bed), (face + shelf / 2, s * (wide / 2 - 0.02), bed / 2))
            )
    foot = [board((deep * 0.98, 0.07, 0.06), (0, s * (wide / 2 - 0.05), 0.03)) for s in (-1, 1)]
    pieces += main(*foot)
    keys, top, long = wide - 2 * cheek - 0.06, bed + 0.045, shelf * 0.55
    start = front - 0.025 - long
    many = 36
    pitch = keys / many
    for k in range(many):
        y = keys / 2 - (k + 0.5) * pitch
        pieces += solid(
            "ivory", "white", box(long, pitch * 0.92, 0.02, (start + long / 2, y, top + 0.01))
        )
        if k % 7 not in (2, 6):
            ebony = box(
                long * 0.62, pitch * 0.55, 0.018, (start + long * 0.31, y - pitch / 2, top + 0.028)
            )
            pieces += solid("ebony", "tyre", ebony)
    lid = u(0.25, 0.5) if random.random() < 0.7 else 0.0
    fall = board((0.02, keys + 0.05, 0.14), (0, 0, 0.07), pitch=-lid)
    pieces += main(moved(fall, (start - 0.01, 0, top + 0.02)))
    rest, wide_rest = bed + 0.26, wide * u(0.35, 0.75)
    if random.random() < 0.75:  # the music desk, with a sheet on some
        desk = board((0.015, wide_rest, 0.2), pitch=-0.2)
        pieces += main(moved(desk, (face + 0.035, 0, min(rest, high - 0.12))))
        if random.random() < 0.6:
            sheet = [
                board((0.006, 0.17, 0.22), (0.012, s * 0.088, 0.03), pitch=-0.2) for s in (-1, 1)
            ]
            for s in sheet:
                pieces += solid(
                    "sheet", "white", moved(s, (face + 0.04, 0, min(rest, high - 0.12)))
                )
    inset = u(0.06, 0.2)
    pieces += main(panel(wide - 2 * inset, bed * 0.62, 0.01, 0.014, (face, 0, bed * 0.5), 0.008))
    for k in range(int(random.integers(2, 4))):
        pieces += solid(
            "pedal", "chrome", block((0.1, 0.03, 0.015), (face + 0.05, (k - 1) * 0.08, 0.05), 0.014)
        )
    return pieces


SHAPES = named(_crib, _wardrobe, _bookshelf, _shelf, _piano)
