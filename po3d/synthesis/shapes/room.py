"""Simple parametric shapes of objects in rooms for which the furniture catalogue has too few
models.

A shape consists of pieces of about real size, front +x; the renderer scales it to its box. Parts
named "main" take the scene's colour; the others keep a material's colour or one drawn with the
variant.
"""

from collections.abc import Sequence

import numpy as np
from trimesh import Trimesh

from po3d.synthesis.shapes.mesh import Generator, Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, box, moved, plate, ring, rod, rounded
from po3d.synthesis.shapes.sheets import facing, soft_plate, tub
from po3d.synthesis.shapes.turned import UP, upright


def _round_plate(depth: float, width: float, thickness: float, z: float = 0.0) -> Trimesh:
    t = np.arange(28) * 2 * np.pi / 28
    return plate(np.c_[depth / 2 * np.cos(t), width / 2 * np.sin(t)], thickness, z)


def _legs(depth: float, width: float, height: float, radius: float = 0.02) -> list[Trimesh]:
    d, w = depth / 2 - 0.04, width / 2 - 0.04
    return [rod((x, y, 0), (x, y, height), radius, 8) for x in (-d, d) for y in (-w, w)]


def _fronts(
    width: float, low: float, high: float, x: float, rows: int, columns: int, random: Random
) -> list[Piece]:
    """Drawers or doors on the plane x: panels with dark gaps around them, and handles."""
    pieces, dy, dz = [], width / columns, (high - low) / rows
    pieces += solid(
        "gap", "dark", box(0.004, width - 0.02, high - low - 0.02, (x, 0, (low + high) / 2))
    )
    handle = pick(random, "chrome", "dark", "wood")
    gap, length = random.uniform(0.008, 0.035), random.uniform(0.06, 0.25)
    for i in range(rows):
        for j in range(columns):
            y, z = (j + 0.5) * dy - width / 2, low + (i + 0.5) * dz
            pieces += main(box(0.02, dy - gap, dz - gap, (x + 0.008, y, z)))
            tall = rows < columns
            at = (x + 0.03, y + (0.35 * dy * (1 if j % 2 == 0 else -1) if tall else 0), z)
            size = (0.015, 0.02, length) if tall else (0.015, min(length, dy / 2), 0.02)
            pieces += solid("handle", handle, box(*size, at))
    return pieces


# --- on the floor and against walls ---------------------------------------------------------------


def _rug(random: Random) -> list[Piece]:
    round_, kind = random.random() < 0.3, random.integers(3)
    whole, inner = (
        (1.4, 1.9),
        (1.4 - 2 * random.uniform(0.04, 0.15), 1.9 - 2 * random.uniform(0.04, 0.15)),
    )
    sheet = _round_plate if round_ else lambda d, w, t, z: box(d, w, t, (0, 0, z + t / 2))
    pieces = painted("border", sheet(*whole, 0.014, 0.0))
    pieces += main(sheet(*inner, 0.018, 0.0))
    if kind == 0:
        for y in np.linspace(-0.6, 0.6, int(random.integers(3, 7))):
            pieces += painted("stripe", box(inner[0] * 0.7, 0.06, 0.02, (0, y, 0.01)))
    elif kind == 1:
        pieces += painted("stripe", _round_plate(0.5, 0.8, 0.02, 0.0))
        pieces += main(_round_plate(0.36, 0.6, 0.021, 0.0))
    return pieces


def _cupboard(
    depth: float, width: float, height: float, random: Random, rows: int, columns: int, legs: float
) -> list[Piece]:
    body = box(depth, width, height - legs, (0, 0, (height + legs) / 2))
    pieces = main(body)
    if legs:
        pieces += solid("legs", pick(random, "dark", "chrome", "wood"), *_legs(depth, width, legs))
    return pieces + _fronts(width, legs, height, depth / 2, rows, columns, random)


def _cupboards(
    size: tuple[float, float, float],
    rows: tuple[int, int],
    columns: tuple[int, int],
    legs: Sequence[float],
) -> Generator:
    """Return a generator of cupboards with a leg height drawn from `legs`. The ranges of rows and
    columns include their first and exclude their second value.
    """

    def make(random: Random) -> list[Piece]:
        many = int(random.integers(*rows)), int(random.integers(*columns))
        return _cupboard(*size, random, *many, random.choice(legs))

    return make


def _counter(random: Random) -> list[Piece]:
    pieces = _cupboard(
        0.58, 1.6, 0.86, random, int(random.integers(1, 3)), int(random.integers(2, 5)), 0.06
    )
    top = box(0.62, 1.62, 0.04, (0.0, 0, 0.88))
    pieces += main(top)
    if random.random() < 0.5:
        basin = soft_plate(0.36, 0.5, 0.006, 0.898, 0.06)
        pieces += solid(
            "basin", pick(random, "chrome", "dark"), moved(basin, (0, random.uniform(-0.4, 0.4), 0))
        )
    if random.random() < 0.5:
        pieces += solid("splash", "white", box(0.02, 1.62, 0.06, (-0.3, 0, 0.92)))
    return pieces


def _stove(random: Random) -> list[Piece]:
    pieces = main(box(0.58, 0.6, 0.86, (0, 0, 0.43)))
    pieces += solid("top", "dark", box(0.46, 0.48, 0.02, (0, 0, 0.87)))
    metal = pick(random, "chrome", "white", "tyre")
    for x in (-0.11, 0.11):
        for y in (-0.12, 0.12):
            radius = random.uniform(0.06, 0.1)
            pieces += solid(
                "burner",
                metal,
                moved(ring(radius, 0.01, sides=16, around=4), (x, y, 0.885), roll=UP),
            )
            pieces += solid("burner", metal, upright([(0.03, 0.86), (0.03, 0.89)], 10))
    pieces += solid("door", "glass", box(0.02, 0.5, 0.4, (0.29, 0, 0.4)))
    pieces += solid("handle", "chrome", box(0.03, 0.46, 0.025, (0.32, 0, 0.64)))
    for y in np.linspace(-0.22, 0.22, 5):
        pieces += solid("knob", "tyre", box(0.03, 0.04, 0.04, (0.3, y, 0.78)))
    return pieces


def _ottoman(random: Random) -> list[Piece]:
    edge = random.uniform(0.05, 0.2)
    if random.random() < 0.5:
        pieces = main(soft_plate(0.55, 0.55, 0.3, 0.08, edge))
    else:
        waist = 0.275 - edge / 3
        pieces = main(upright([(waist, 0.08), (0.275, 0.14), (0.275, 0.34), (waist, 0.4)], 20))
    pieces += main(ball((0.24, 0.24, 0.05), (0, 0, 0.38), 2))
    return pieces + solid("legs", pick(random, "wood", "dark", "chrome"), *_legs(0.42, 0.42, 0.1))


def _floor_lamp(random: Random) -> list[Piece]:
    metal = pick(random, "chrome", "dark", "wood")
    low, top = random.uniform(0.1, 0.2), random.uniform(0.06, 0.19)
    pieces = solid("foot", metal, upright([(0.14, 0), (0.14, 0.02), (0.02, 0.04)], 20))
    pieces += solid("pole", metal, rod((0, 0, 0), (0, 0, 1.4), 0.015, 8))
    pieces += solid("bulb", "lamp", ball(0.05, (0, 0, 1.38)))
    shade = [(low, 1.25), (top, 1.55), (top - 0.01, 1.55), (low - 0.01, 1.25)]
    return pieces + main(upright(shade, 20))


def _fan(random: Random) -> list[Piece]:
    foot = random.uniform(0.12, 0.18)
    pieces = main(upright([(foot, 0), (foot, 0.03), (0.05, 0.06)], 20))
    pieces += main(rod((0, 0, 0), (0, 0, 0.9), 0.02, 8))
    pieces += main(ball((0.1, 0.06, 0.06), (-0.04, 0, 0.88)))
    for x in (0.0, 0.08):
        pieces += solid(
            "cage", "chrome", moved(ring(0.18, 0.008, sides=24, around=5), (x, 0, 0.88), yaw=UP)
        )
    for k in range(count := int(random.integers(3, 6))):
        t = 2 * np.pi * k / count
        at = (0.05, 0.09 * np.cos(t), 0.88 + 0.09 * np.sin(t))
        blade = ball((0.012, 0.085, 0.045))
        pieces += painted("blade", moved(blade, at, roll=t))
    spokes = np.linspace(0, np.pi, 7)[:-1]
    for t in spokes:
        end = np.array([0, 0.18 * np.cos(t), 0.18 * np.sin(t)])
        pieces += solid(
            "cage", "chrome", rod((0.09, 0, 0.88) - end, (0.09, 0, 0.88) + end, 0.003, 4)
        )
    return pieces


def _basket(random: Random) -> list[Piece]:
    wall, taper = 0.025, random.uniform(0.65, 0.95)
    if random.random() < 0.5:
        pieces = main(*tub(0.42, 0.45, 0.4, wall, taper))
    else:
        profile = [
            (0.01, 0),
            (0.22 * taper, 0),
            (0.22, 0.4),
            (0.22 - wall, 0.4),
            (0.22 * taper - wall, wall),
            (0.01, wall),
        ]
        pieces = main(upright(profile, 20))
    if random.random() < 0.5:
        pieces += solid(
            "handle", "wood", *(moved(ring(0.06, 0.012), (0, y, 0.4)) for y in (-0.2, 0.2))
        )
    return pieces


def _box(random: Random) -> list[Piece]:
    if random.random() < 0.5:
        flap = random.uniform(0.06, 0.17)
        pieces = main(*tub(0.38, 0.48, 0.34, 0.012, random.uniform(0.85, 1.0)))
        if random.random() < 0.6:
            for s in (-1, 1):
                lid = box(flap, 0.46, 0.008, (flap / 2, 0, 0))
                pieces += main(moved(lid, (0.19 * s, 0, 0.34), yaw=0 if s > 0 else np.pi))
        return pieces
    pieces = main(box(0.38, 0.48, 0.32, (0, 0, 0.16)))
    pieces += painted("tape", box(0.385, random.uniform(0.03, 0.09), 0.325, (0, 0, 0.163)))
    return pieces


def _trash_can(random: Random) -> list[Piece]:
    taper = random.uniform(0.65, 1.0)
    if random.random() < 0.4:
        pieces = main(*tub(0.3, 0.33, 0.45, 0.012, taper))
    else:
        profile = [
            (0.01, 0),
            (0.16 * taper, 0),
            (0.165, 0.45),
            (0.15, 0.45),
            (0.15 * taper, 0.02),
            (0.01, 0.02),
        ]
        pieces = main(upright(profile, 20))
    return pieces


def _backpack(random: Random) -> list[Piece]:
    low = random.uniform(0.15, 0.26)
    pieces = main(
        ball((0.11, 0.19, 0.23), (0, 0, 0.22), 2), box(0.16, 0.3, low, (0, 0, low / 2 + 0.02))
    )
    wide, spacing = random.uniform(0.08, 0.16), random.uniform(0.07, 0.12)
    pieces += painted("pocket", ball((0.05, wide, random.uniform(0.07, 0.12)), (0.11, 0, 0.14), 2))
    pieces += solid(
        "strap", "dark", *(moved(ring(0.14, 0.015), (-0.1, y, 0.22)) for y in (-spacing, spacing))
    )
    return pieces + solid("strap", "dark", moved(ring(0.04, 0.01), (-0.02, 0, 0.45)))


def _suitcase(random: Random) -> list[Piece]:
    radius = random.uniform(0.03, 0.12)
    outline = rounded([(-0.24, 0.05), (0.24, 0.05), (0.24, 0.65), (-0.24, 0.65)], radius)
    pieces = main(facing(outline, 0.26, -0.13))
    if random.random() < 0.5:
        grooves = [
            box(0.268, 0.012, 0.5, (0, y, 0.35))
            for y in np.linspace(-0.17, 0.17, int(random.integers(3, 7)))
        ]
    else:
        grooves = [facing(_inset(outline, share), 0.006, 0.128) for share in (0.75,)]
    pieces += solid("groove", "dark", *grooves)
    wheels = [ball(0.035, (x, y, 0.035)) for x in (-0.08, 0.08) for y in (-0.18, 0.18)]
    pieces += solid("wheel", "tyre", *wheels)
    return pieces + solid("handle", "dark", moved(ring(0.05, 0.012), (0, 0, 0.65), yaw=UP))


def _guitar(random: Random) -> list[Piece]:
    t = np.arange(36) * 2 * np.pi / 36
    waist = 1 - random.uniform(0.15, 0.3) * np.exp(-((np.cos(t) - 0.15) ** 2) / 0.05)
    outline = np.c_[0.19 * np.sin(t) * waist * (1 - 0.18 * np.cos(t)), 0.24 + 0.24 * np.cos(t)]
    pieces = main(facing(outline, 0.1, 0.0))
    hole = np.c_[0.05 * np.cos(t), 0.3 + 0.05 * np.sin(t)]
    pieces += solid("hole", "tyre", facing(hole, 0.005, 0.1))
    pieces += solid(
        "neck",
        "wood",
        box(0.03, 0.05, 0.5, (0.095, 0, 0.7)),
        box(0.03, 0.08, 0.14, (0.09, 0, 0.98)),
    )
    return pieces + solid("bridge", "dark", box(0.012, 0.12, 0.025, (0.105, 0, 0.14)))


def _bathtub(random: Random) -> list[Piece]:
    wall = random.uniform(0.06, 0.12)
    pieces = main(*tub(0.8, 1.6, 0.58, wall, random.uniform(0.8, 1.0)))
    y = random.choice([-0.72, 0.72])
    pieces += solid("tap", "chrome", rod((-0.3, y, 0.58), (-0.3, y, 0.68), 0.02))
    pieces += solid("tap", "chrome", rod((-0.3, y, 0.68), (-0.15, y, 0.66), 0.018))
    return pieces


def _bench(random: Random) -> list[Piece]:
    if random.random() < 0.5:
        rows = np.linspace(-0.16, 0.16, int(random.integers(2, 6)))
        boards = [box(0.3 / len(rows), 1.2, 0.04, (x, 0, 0.43)) for x in rows]
        pieces = main(*boards)
    else:
        pieces = main(soft_plate(0.44, 1.2, random.uniform(0.05, 0.12), 0.36, 0.04))
    legs = _legs(0.4, random.uniform(0.8, 1.2), 0.4, random.uniform(0.015, 0.04))
    return pieces + solid("legs", pick(random, "wood", "dark", "chrome"), *legs)


# --- on walls -------------------------------------------------------------------------------------


def _panel_outline(width: float, height: float, random: Random, round_share: float) -> np.ndarray:
    if random.random() < round_share:
        t = np.arange(28) * 2 * np.pi / 28
        return np.c_[width / 2 * np.cos(t), height / 2 + height / 2 * np.sin(t)]
    return np.array([(-width / 2, 0), (width / 2, 0), (width / 2, height), (-width / 2, height)])


def _inset(outline: np.ndarray, share: float) -> np.ndarray:
    middle = (outline.min(0) + outline.max(0)) / 2
    return middle + (outline - middle) * share


def _mirror(random: Random) -> list[Piece]:
    outline = _panel_outline(0.7, 0.9, random, 0.4)
    pieces = main(facing(outline, 0.045, 0.0))
    return pieces + solid(
        "glass", "chrome", facing(_inset(outline, random.uniform(0.8, 0.92)), 0.006, 0.044)
    )


def _picture(random: Random) -> list[Piece]:
    outline = _panel_outline(0.6, 0.5, random, 0.0)
    pieces = solid(
        "frame", pick(random, "wood", "dark", "white", "chrome"), facing(outline, 0.035, 0.0)
    )
    canvas = random.uniform(0.82, 0.94)
    pieces += main(facing(_inset(outline, canvas), 0.004, 0.034))
    for k in range(int(random.integers(1, 5))):
        spot = _inset(_panel_outline(0.6, 0.5, random, 0.5), random.uniform(0.1, 0.35))
        spot = spot + random.uniform(-0.12, 0.12, 2)
        pieces += painted(f"spot{k}", facing(spot, 0.002, 0.038))
    return pieces


def _whiteboard(random: Random) -> list[Piece]:
    outline = _panel_outline(1.4, 0.95, random, 0.0)
    pieces = solid("frame", pick(random, "chrome", "wood", "dark"), facing(outline, 0.02, 0.0))
    pieces += main(facing(_inset(outline, random.uniform(0.93, 0.98)), 0.004, 0.019))
    for k in range(int(random.integers(0, 4))):
        line = rod(
            (0.024, -0.4, 0.3 + 0.13 * k),
            (0.024, random.uniform(0, 0.4), 0.32 + 0.13 * k),
            0.006,
            4,
        )
        pieces += painted("ink", line)
    return pieces + solid(
        "tray", "chrome", box(0.04, random.uniform(0.3, 1.2), 0.015, (0.02, 0, 0.02))
    )


def _clock(random: Random) -> list[Piece]:
    outline = _panel_outline(0.32, 0.32, random, 0.7)
    pieces = main(facing(outline, 0.045, 0.0))
    pieces += solid(
        "face", "white", facing(_inset(outline, random.uniform(0.75, 0.9)), 0.006, 0.043)
    )
    for length, t in zip((0.11, 0.075), random.uniform(0, 2 * np.pi, 2)):
        end = (0.052, length * np.sin(t), 0.16 + length * np.cos(t))
        pieces += solid("hand", "tyre", rod((0.052, 0, 0.16), end, 0.006, 4))
    return pieces


def _curtain(random: Random) -> list[Piece]:
    waves, gap = int(random.integers(4, 13)), random.choice([0.0, random.uniform(0.2, 0.5)])
    fold = random.uniform(0.03, 0.05)
    pieces = solid(
        "rod",
        pick(random, "chrome", "dark", "wood"),
        rod((0, -0.6, 1.56), (0, 0.6, 1.56), 0.015, 8),
    )
    halves = [(-0.55, -gap / 2), (gap / 2, 0.55)]
    for a, b in halves:
        y = np.linspace(a, b, waves * 6 + 1)
        x = fold * np.cos((y - a) / (b - a) * 2 * np.pi * waves)
        front, back = np.c_[x + 0.006, y], np.c_[x - 0.006, y][::-1]
        pieces += main(plate(np.r_[front, back], 1.55))
    return pieces


# --- on furniture ---------------------------------------------------------------------------------


def _pillow(random: Random) -> list[Piece]:
    square = random.uniform(0.45, 0.75)
    cushion = ball(1.0, detail=3)
    v = np.asarray(cushion.vertices)
    flat = np.sign(v) * np.abs(v) ** np.array([square, square, 0.9])
    grip = 1 - 0.35 * np.minimum(np.abs(flat[:, :1] * flat[:, 1:2]), 1)
    cushion.vertices = flat * np.c_[np.ones((len(v), 2)), grip] * (0.21, 0.25, 0.08)
    return main(cushion)


def _towel(random: Random) -> list[Piece]:
    pieces: list[Piece] = []
    for k in range(count := int(random.integers(2, 5))):
        shift = random.normal(0, 0.008, 2)
        layer = moved(soft_plate(0.34, 0.44, 0.075 / count, k * 0.08 / count, 0.01), (*shift, 0))
        pieces += main(layer)
    y = random.uniform(0.1, 0.18)
    return pieces + painted("stripe", box(0.345, 0.03, 0.081, (0, y, 0.041)))


def _book(random: Random) -> list[Piece]:
    pages = box(0.22, 0.165, 0.03, (0, 0.003, 0.02))
    pieces = solid("pages", "white", pages)
    cover = [box(0.24, 0.18, 0.005, (0, 0, z)) for z in (0.0025, 0.0375)]
    pieces += main(*cover, box(0.24, 0.005, 0.04, (0, -0.0875, 0.02)))
    label = box(
        random.uniform(0.03, 0.08),
        random.uniform(0.06, 0.13),
        0.002,
        (random.uniform(-0.06, 0.06), 0, 0.041),
    )
    return pieces + painted("label", label)


def _keyboard(random: Random) -> list[Piece]:
    pieces = main(soft_plate(0.17, 0.44, 0.016, 0.0, random.uniform(0.004, 0.03)))
    keys = pick(random, "tyre", "white", "dark")
    rows, many, size = (
        int(random.integers(4, 7)),
        int(random.integers(11, 17)),
        random.uniform(0.7, 0.9),
    )
    deep = 0.14 / rows
    for row in range(rows):
        columns = many if row else 6
        pitch = 0.4 / columns
        for k in range(columns):
            at = (0.07 - (row + 0.5) * deep, (k + 0.5) * pitch - 0.2, 0.018)
            pieces += solid("keys", keys, box(deep * size, pitch * size, 0.01, at))
    return pieces


def _monitor(random: Random) -> list[Piece]:
    metal = pick(random, "dark", "chrome", "tyre", "white")
    pieces = main(box(0.03, 0.54, 0.33, (0, 0, 0.275)))
    rim, wide = random.uniform(0.01, 0.03), random.uniform(0.18, 0.34)
    pieces += solid(
        "screen", "glass", box(0.006, 0.54 - 2 * rim, 0.33 - 2 * rim, (0.016, 0, 0.278))
    )
    pieces += solid("stand", metal, box(0.03, random.uniform(0.03, 0.1), 0.16, (-0.03, 0, 0.1)))
    foot = (
        _round_plate(0.18, wide, 0.012)
        if random.random() < 0.5
        else soft_plate(0.18, wide, 0.012, 0, 0.02)
    )
    return pieces + solid("stand", metal, foot)


def _laptop(random: Random) -> list[Piece]:
    tilt = random.uniform(0.15, 0.5)
    pieces = main(soft_plate(0.24, 0.34, 0.016, 0.0, 0.012))
    pieces += solid("keys", "tyre", box(0.1, 0.3, 0.004, (-0.03, 0, 0.017)))
    pieces += solid("pad", "dark", box(0.055, 0.1, 0.003, (0.075, 0, 0.017)))
    lid = moved(box(0.01, 0.34, 0.22, (0, 0, 0.11)), (-0.115, 0, 0.012), pitch=-tilt)
    screen = moved(box(0.004, 0.31, 0.19, (0.006, 0, 0.115)), (-0.115, 0, 0.012), pitch=-tilt)
    return [*pieces, *main(lid), *solid("screen", "glass", screen)]


def _tv(random: Random) -> list[Piece]:
    pieces = main(box(0.05, 1.0, 0.57, (0, 0, 0.335)))
    rim, wide = random.uniform(0.01, 0.04), random.uniform(0.2, 0.45)
    pieces += solid("screen", "glass", box(0.006, 1 - 2 * rim, 0.57 - 2 * rim, (0.026, 0, 0.337)))
    if random.random() < 0.5:
        pieces += solid(
            "foot",
            "tyre",
            box(0.14, 2 * wide, 0.015, (0, 0, 0.0075)),
            box(0.03, 0.1, 0.06, (0, 0, 0.03)),
        )
    else:
        pieces += solid(
            "foot", "dark", *(box(0.14, 0.03, 0.05, (0, y, 0.025)) for y in (-wide, wide))
        )
    return pieces


def _microwave(random: Random) -> list[Piece]:
    pieces = main(box(0.36, 0.5, 0.29, (0, 0, 0.155)))
    share = random.uniform(0.26, 0.36)
    pieces += solid(
        "door", "glass", box(0.01, share, random.uniform(0.16, 0.25), (0.182, 0.06, 0.155))
    )
    pieces += solid("panel", "dark", box(0.008, 0.1, 0.24, (0.181, -0.19, 0.155)))
    pieces += solid("handle", "chrome", box(0.025, 0.015, 0.2, (0.195, -0.12, 0.155)))
    return pieces + solid("feet", "tyre", *_legs(0.34, 0.46, 0.015))


def _printer(random: Random) -> list[Piece]:
    height = random.uniform(0.16, 0.28)
    pieces = main(soft_plate(0.36, 0.45, height, 0.0, random.uniform(0.01, 0.04)))
    pieces += solid("lid", pick(random, "dark", "white"), soft_plate(0.22, 0.3, 0.02, height, 0.01))
    pieces += solid("slot", "tyre", box(0.02, 0.3, 0.05, (0.175, 0, height * 0.45)))
    pieces += solid("paper", "white", box(0.1, 0.22, 0.006, (0.2, 0, height * 0.4)))
    return pieces + solid("panel", "glass", box(0.05, 0.12, 0.008, (0.14, 0.1, height + 0.02)))


def _telephone(random: Random) -> list[Piece]:
    pieces = main(soft_plate(0.18, 0.2, 0.04, 0.0, random.uniform(0.01, 0.06)))
    bar = [
        box(0.17, random.uniform(0.03, 0.06), 0.03, (0, 0.065, 0.075)),
        *(ball((0.03, 0.03, 0.03), (x, 0.065, 0.06)) for x in (-0.07, 0.07)),
    ]
    pieces += solid("receiver", pick(random, "tyre", "dark", "white"), *bar)
    keys = [
        box(0.016, 0.018, 0.01, (0.05 - 0.026 * i, -0.06 + 0.027 * j, 0.043))
        for i in range(4)
        for j in range(3)
    ]
    return pieces + solid("keys", "white", *keys)


SHAPES: dict[str, Generator] = {
    "closet": _cupboards((0.55, 1.1, 1.95), (1, 2), (2, 4), (0.0, 0.06)),
    "cabinet": _cupboards((0.45, 0.8, 0.9), (1, 3), (1, 3), (0, 0.1)),
    "nightstand": _cupboards((0.45, 0.5, 0.56), (1, 4), (1, 2), (0.0, 0.12, 0.2)),
    "dresser": _cupboards((0.52, 1.2, 0.81), (3, 5), (1, 4), (0, 0.1)),
    **named(
        _rug,
        _counter,
        _stove,
        _ottoman,
        _floor_lamp,
        _fan,
        _basket,
        _box,
        _trash_can,
        _backpack,
        _suitcase,
        _guitar,
        _bathtub,
        _bench,
        _mirror,
        _picture,
        _whiteboard,
        _clock,
        _curtain,
        _pillow,
        _towel,
        _book,
        _keyboard,
        _monitor,
        _laptop,
        _tv,
        _microwave,
        _printer,
        _telephone,
    ),
}
