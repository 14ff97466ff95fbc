"""Parametric Rubik's cubes and electric guitars. Conventions and colours as in own_shapes.py."""

import functools

import numpy as np

from po3d.io.files import rows_beside
from po3d.synthesis.shapes.limbs import bar, smooth_loop
from po3d.synthesis.shapes.mesh import Generator, Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import Array, ball, box, moved, moved_all, rod
from po3d.synthesis.shapes.sheets import block, facing, panel, soft_sheet
from po3d.synthesis.shapes.turned import disc


def _rubiks_cube(random: Random) -> list[Piece]:
    u, size, gap = random.uniform, 0.0185, random.uniform(0.0003, 0.0009)
    colors = list(random.permutation(["white", "yellow", "red", "orange", "blue", "green"]))
    state = int(random.integers(3))  # solved, with rotated layers, or with random colours
    share, edge, round_ = u(0.8, 0.93), u(0.0008, 0.0025), u(0.001, 0.0032)
    layer, angle = random.choice([-1, 1]), 0.0 if random.random() < 0.5 else u(0.1, 0.3)
    spun = list(map(int, random.integers(0, 4, 3)))
    pieces: list[Piece] = []
    for x in (-1, 0, 1):
        for y in (-1, 0, 1):
            for z in (-1, 0, 1):
                cell = np.array([x, y, z])
                cubie = main(
                    block((size - gap,) * 3, cell * size - (0, 0, (size - gap) / 2), edge, edge, 1)
                )
                for face in range(6):
                    way, side = face // 2, 1 if face % 2 else -1
                    if cell[way] != side:
                        continue
                    name = colors[face]
                    if state == 2:
                        name = colors[int(random.integers(6))]
                    elif state == 1 and way != 2:  # layers turned by quarters about z
                        ring_ = [1, 3, 0, 2]
                        name = colors[ring_[(ring_.index(face) + spun[z + 1]) % 4]]
                    sticker = panel(
                        size * share,
                        size * share,
                        round_,
                        0.0007,
                        (size * 0.5 - gap / 2, 0, 0),
                        0.0,
                        1,
                    )
                    yaw, pitch = (
                        ((0, np.pi)[side < 0], 0)
                        if way == 0
                        else ((side * np.pi / 2, 0) if way == 1 else (0, -side * np.pi / 2))
                    )
                    cubie += painted(str(name), moved(sticker, cell * size, yaw=yaw, pitch=pitch))
                if angle and z == layer:  # a layer in the middle of a rotation
                    cubie = moved_all(cubie, yaw=angle)
                pieces += cubie
    return pieces


@functools.cache
def _outlines(part: str) -> dict[str, Array]:
    """Return the outlines (N, 2) of (y, z) of bodies, guards and heads by name, metres, in the
    front view; a head's from the nut up.
    """
    rows = [row for row in rows_beside(__file__, "guitars.csv") if row["part"] == part]
    return {
        row["name"]: np.array(list(map(str.split, row["points"].split(";"))), float) for row in rows
    }


def _electric_guitar(random: Random) -> list[Piece]:
    u, kind = random.uniform, pick(random, *_outlines("body"))
    outline = _outlines("body")[kind] * (u(0.88, 1.06), u(0.88, 1.05)) * (random.choice([-1, 1]), 1)
    outline = smooth_loop(outline, 2 if kind != "arrow" else 1)
    thick = u(0.036, 0.05)
    body = soft_sheet(outline, thick)
    guitar = main(body)
    x = thick / 2
    if kind != "arrow" and random.random() < 0.7:
        guard = _outlines("guard")["guard"]
        guitar += painted(
            "guard", facing(smooth_loop(guard * (u(0.8, 1.0), u(0.9, 1.0))), 0.004, x - 0.001)
        )
    pickups = int(random.integers(1, 4))
    wide_ones = random.random() < 0.5
    for z in np.linspace(0.17, 0.31, 3)[[[1], [0, 2], [0, 1, 2]][pickups - 1]]:
        tall = 0.036 if wide_ones else 0.018
        guitar += solid(
            "pickup",
            pick(random, "tyre", "chrome") if wide_ones else "tyre",
            panel(0.085, tall, 0.007, 0.012, (x, 0, z), 0.002),
        )
        guitar += solid(
            "pole",
            "chrome",
            *(disc(0.0035, 0.0145, (x, y, z), 8) for y in np.linspace(-0.03, 0.03, 6)),
        )
    guitar += solid("bridge", "chrome", panel(0.09, 0.03, 0.004, 0.016, (x, 0, 0.115), 0.003))
    for k in range(int(random.integers(2, 5))):
        guitar += solid(
            "knob",
            pick(random, "white", "dark"),
            disc(0.012, 0.018, (x, 0.085 + 0.02 * (k % 2), 0.05 + 0.032 * k), 14),
        )
    top, long = float(outline[:, 1].max()), u(0.98, 1.04)
    neck_low, nut = 0.32, long - 0.14
    sheet = [(-0.026, neck_low), (0.026, neck_low), (0.021, nut), (-0.021, nut)]
    face = [(-0.024, min(0.34, top)), (0.024, min(0.34, top)), (0.02, nut), (-0.02, nut)]
    guitar += painted("neck", moved(facing(np.array(face), 0.022, 0), (x - 0.016, 0, 0)))
    guitar += painted("fingerboard", facing(np.array(sheet), 0.006, x + 0.005))
    frets = nut - (nut - 0.115) * (1 - 0.5 ** (np.arange(1, 20) / 12))
    guitar += solid(
        "fret",
        "chrome",
        *(box(0.004, 0.045, 0.0025, (x + 0.011, 0, z)) for z in frets if z > neck_low + 0.01),
    )
    for k in (2, 4, 6, 8, 11):
        guitar += solid(
            "dot", "white", disc(0.005, 0.0015, (x + 0.0105, 0, (frets[k] + frets[k - 1]) / 2), 8)
        )
    head = pick(random, "six", "three", "arrow")
    side = random.choice([-1, 1])
    shape = _outlines("head")[head] + (0, nut)
    headstock = facing(smooth_loop(shape * (side, 1), 1), 0.015, 0)
    color = "main" if random.random() < 0.5 else "neck"
    guitar += painted(color, moved(headstock, (x - 0.012, 0, 0)))
    for k in range(6):
        y, z = (
            (side * 0.05, nut + 0.03 + 0.022 * k)
            if head != "three"
            else ((k % 2 * 2 - 1) * 0.055, nut + 0.04 + 0.035 * (k // 2))
        )
        radii = (0.006, 0.012, 0.008)
        guitar += solid(
            "tuner",
            "chrome",
            ball(radii, (x - 0.006, y, z), 1),
            disc(0.005, 0.012, (x, y * 0.5, z), 8),
        )
    strings = np.linspace(-0.016, 0.016, 6)
    guitar += solid(
        "string",
        "chrome",
        *(rod((x + 0.016, y * 1.5, 0.115), (x + 0.013, y, nut + 0.02), 0.0009, 3) for y in strings),
    )
    lean, low = u(0.16, 0.3), u(0.07, 0.13)
    return moved_all(guitar, (0.03, 0, low), pitch=-lean) + _stand(low, lean, random)


def _stand(low: float, lean: float, random: Random) -> list[Piece]:
    """Tubes that hold a leaning guitar by its foot and its neck."""
    half, reach, thick = (
        random.uniform(0.1, 0.15),
        random.uniform(0.1, 0.16),
        random.uniform(0.008, 0.011),
    )
    back = -0.06 - 0.5 * np.tan(lean)
    tall = random.random() < 0.5
    head = np.array(
        [
            -0.035 - (0.62 if tall else 0.3) * np.sin(lean) - 0.02,
            0,
            low + (0.62 if tall else 0.3) * np.cos(lean),
        ]
    )
    paths = [
        [
            (0.0, s * 0.02, low - 0.012),
            (0.0, s * half, 0.012),
            (reach * 0.55, s * half * 1.05, 0.01),
        ]
        for s in (-1, 1)
    ]
    paths += [
        [(0.0, 0, low - 0.012), (-0.05, 0, low), tuple(head)],
        [tuple(head * (1, 1, 0.75)), (back - 0.03, 0, 0.01)],
    ]
    pieces = solid("stand", "dark", *(bar(path, thick, 8, 1) for path in paths))
    for s in (-1, 1):
        arm = [
            (0.0, s * 0.0, low - 0.012),
            (0.0, s * 0.09, low - 0.012),
            (0.075, s * 0.09, low - 0.014),
            (0.08, s * 0.09, low + 0.02),
        ]
        pieces += solid("stand", "dark", bar(arm, thick, 8, 1))
        fork = [tuple(head), tuple(head + (0, s * 0.045, 0)), tuple(head + (0.07, s * 0.045, 0.02))]
        pieces += solid("stand", "dark", bar(fork, thick * 0.8, 8, 1))
    return pieces


SHAPES: dict[str, Generator] = {"rubik's cube": _rubiks_cube, **named(_electric_guitar)}
