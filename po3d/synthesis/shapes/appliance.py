"""Parametric washing machines, ovens and refrigerators. Conventions and colours as in
own_shapes.py.
"""

import numpy as np

from po3d.synthesis.shapes.limbs import bar
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import box, moved, ring, rod, rounded, slab
from po3d.synthesis.shapes.sheets import behind, block, board, panel
from po3d.synthesis.shapes.turned import ahead, disc, drum


def _washing_machine(random: Random) -> list[Piece]:
    u, deep, wide, high = random.uniform, *random.uniform((0.5, 0.56, 0.74), (0.64, 0.64, 0.9))
    x, head, edge = deep / 2, u(0.11, 0.17), u(0.008, 0.03)
    pieces = main(block((deep, wide, high - 0.02), (0, 0, 0.02), edge, 0.008, 3))
    pieces += solid(
        "foot",
        "tyre",
        *(
            drum([(0.025, 0), (0.02, 0.025)], 10, (i, j, 0))
            for i in (-x + 0.06, x - 0.06)
            for j in (-wide / 2 + 0.06, wide / 2 - 0.06)
        ),
    )
    pieces += main(block((deep + 0.01, wide + 0.006, 0.025), (0, 0, high - 0.025), edge, 0.006, 3))
    radius, z = wide * u(0.27, 0.37), high * u(0.42, 0.48)
    rim = pick(random, "chrome", "dark", "white")
    pieces += solid(
        "frame",
        rim,
        ahead(
            [
                (radius * 0.7, 0),
                (radius, 0),
                (radius, 0.02),
                (radius * 0.92, 0.045),
                (radius * 0.7, 0.03),
            ],
            (x, 0, z),
            36,
        ),
    )
    glass = [
        (0, 0.02),
        (radius * 0.72, 0.02),
        (radius * 0.7, 0.035),
        (radius * 0.4, 0.05),
        (0, 0.055),
    ]
    pieces += solid("window", "glass", ahead(glass, (x, 0, z), 32))
    side = random.choice([-1, 1])
    pieces += solid("grip", "dark" if rim != "dark" else "chrome",
                    board((0.05, 0.03, 0.11), (x + 0.035, side * radius * 0.88, z)))  # fmt: skip
    top = high - head / 2 - 0.02
    if random.random() < 0.6:
        pieces += painted("fascia", panel(wide - 0.02, head, 0.01, 0.008, (x, 0, top), 0.003))
    drawer = u(0.13, 0.2)
    y = -side * (wide / 2 - drawer / 2 - 0.03)
    pieces += main(panel(drawer, head * 0.7, 0.01, 0.022, (x, y, top), 0.006))
    pieces += solid(
        "slot", "tyre", panel(drawer * 0.6, 0.012, 0.004, 0.025, (x, y, top - head * 0.2))
    )
    knob = u(0.026, 0.042)
    pieces += solid(
        "knob",
        pick(random, "chrome", "white", "dark"),
        disc(knob, 0.035, (x, u(-0.05, 0.05), top), 24),
    )
    spot = side * (wide / 2 - 0.12)
    pieces += solid("display", "glass", panel(0.1, 0.035, 0.004, 0.012, (x, spot, top + 0.015)))
    for k in range(int(random.integers(2, 6))):
        pieces += solid(
            "button", "chrome", disc(0.008, 0.016, (x, spot + 0.045 - 0.024 * k, top - 0.03), 10)
        )
    pieces += solid(
        "flap", "dark", panel(0.09, 0.07, 0.006, 0.004, (x, side * (wide / 2 - 0.08), 0.09))
    )
    plate = panel(wide * u(0.6, 0.85), high * u(0.45, 0.7), 0.03, 0.006, (x, 0, high * 0.5), 0.002)
    pieces += painted("plate", *behind(plate))
    spot, hang = wide * u(0.2, 0.4), u(0.03, 0.06)
    hose = [
        (-x, spot, high * 0.85),
        (-x - hang, spot, high * 0.8),
        (-x - hang, spot * 0.3, high * 0.3),
        (-x, spot * 0.2, 0.06),
    ]
    pieces += solid("hose", "dark", bar(hose, 0.012, 8, 3))
    return pieces


def _oven(random: Random) -> list[Piece]:
    u, tall = random.uniform, random.random() < 0.55  # free-standing with a hob, or built in
    deep, wide, high = u(0.5, 0.62), u(0.56, 0.64), u(0.82, 0.92) if tall else u(0.54, 0.64)
    x, bar_z, low = deep / 2, u(0.09, 0.14), u(0.1, 0.2) if tall else 0.03
    metal, glass_share = pick(random, "chrome", "dark", "chrome"), u(0.5, 0.85)
    pieces = main(block((deep, wide, high), (0, 0, 0), 0.012, 0.006))
    door = high - bar_z - low - 0.03
    mid = low + 0.01 + door / 2
    pieces += solid("gap", "tyre", panel(wide - 0.01, high - 0.03, 0.01, 0.004, (x, 0, high / 2)))
    front, stuff = (
        ("main", "paint") if random.random() < 0.5 else ("door", pick(random, "glass", "dark"))
    )
    pieces += solid(front, stuff, panel(wide - 0.02, door - 0.01, 0.012, 0.035, (x, 0, mid), 0.008))
    window = panel(
        wide * glass_share, door * u(0.45, 0.7), 0.02, 0.006, (x + 0.033, 0, mid - 0.02), 0.002, 3
    )
    pieces += solid("window", "glass", window)
    z, span = mid + door / 2 - 0.05, wide * u(0.34, 0.44)
    grip = [(x + 0.03, -span, z), (x + 0.085, -span, z), (x + 0.085, span, z), (x + 0.03, span, z)]
    pieces += solid("handle", metal, bar(grip, u(0.009, 0.015), 8, 1))
    fascia, cover = (
        ("main", "paint") if random.random() < 0.5 else ("fascia", pick(random, "dark", "chrome"))
    )
    top = high - bar_z / 2 - 0.01
    pieces += solid(
        fascia, cover, panel(wide - 0.02, bar_z - 0.01, 0.008, 0.025, (x, 0, top), 0.004)
    )
    knobs, clock = int(random.integers(2, 7)), random.random() < 0.7
    spots = np.linspace(-1, 1, knobs) * wide * u(0.36, 0.42)
    for y in spots:
        if not (clock and abs(y) < 0.09):
            pieces += solid(
                "knob",
                metal if cover != metal else "white",
                ahead(
                    [(0, 0), (0.022, 0), (0.022, 0.012), (0.016, 0.03), (0, 0.03)],
                    (x + 0.023, y, top),
                    14,
                ),
            )
    if clock:
        pieces += solid(
            "display", "glass", panel(0.13, bar_z * 0.45, 0.004, 0.006, (x + 0.023, 0, top))
        )
        for y in (-0.03, -0.012, 0.012, 0.03):
            pieces += solid("digits", "lamp", box(0.002, 0.012, 0.02, (x + 0.03, y, top)))
    if tall:
        pieces += main(panel(wide - 0.02, low - 0.03, 0.01, 0.03, (x, 0, low / 2 + 0.01), 0.006))
        pieces += solid(
            "hob", "tyre", block((deep - 0.05, wide - 0.04, 0.012), (0, 0, high), 0.02, 0.003)
        )
        for i in (-0.13, 0.12):
            for j in (-0.14, 0.14):
                r = u(0.07, 0.1)
                plate_ = [(r, 0), (r, 0.01), (r * 0.85, 0.014)]
                pieces += solid("hotplate", "dark", drum(plate_, 20, (i, j, high + 0.01)))
                rim = moved(
                    ring(r, 0.005, sides=20, around=4), (i, j, high + 0.016), roll=np.pi / 2
                )
                pieces += solid("rim", "chrome", rim)
        if random.random() < 0.4:
            pieces += main(board((0.03, wide, 0.08), (-x + 0.015, 0, high + 0.04)))
    else:
        for k in range(2):
            pieces += solid(
                "vent", "dark", box(0.004, wide * 0.7, 0.006, (x + 0.003, 0, 0.01 + 0.01 * k))
            )
    back = panel(wide * 0.86, high * 0.7, 0.01, 0.006, (x, 0, high * 0.48), 0.002)
    slots = [
        panel(wide * 0.5, 0.008, 0.003, 0.009, (x, 0, high * 0.62 + 0.025 * k))
        for k in range(int(random.integers(3, 7)))
    ]
    pieces += painted("back", *behind(back)) + solid("vent", "dark", *behind(*slots))
    return pieces


def _refrigerator(random: Random) -> list[Piece]:
    u, deep, wide, high = random.uniform, *random.uniform((0.58, 0.58, 1.4), (0.74, 0.9, 1.9))
    kind, grip = int(random.integers(4)), pick(random, "chrome", "dark", "white")
    retro = kind == 0 and random.random() < 0.6
    low, thick, edge = u(0.03, 0.07), u(0.05, 0.09), 0.08 if retro else u(0.006, 0.03)
    body = deep - thick
    if retro:
        outline = rounded(
            [(-wide / 2, low), (wide / 2, low), (wide / 2, high), (-wide / 2, high)], edge, 4
        )
        pieces = main(moved(slab(outline, body, 0.01), (-thick / 2, 0, 0), yaw=np.pi / 2))
    else:
        pieces = main(block((body, wide, high - low), (-thick / 2, 0, low), 0.01, 0.006))
    pieces += solid(
        "grille", "dark", box(body - 0.04, wide - 0.04, low + 0.01, (-thick / 2, 0, low / 2))
    )
    x = deep / 2 - thick
    pieces += solid(
        "seal",
        "tyre",
        panel(wide - 0.02, high - low - 0.02, edge, 0.006, (x - 0.002, 0, (low + high) / 2)),
    )
    split = {0: 0.0, 1: u(0.62, 0.75), 2: u(0.33, 0.45), 3: 0.0}[kind] * (high - low)
    doors: list[tuple[float, float, float, float]] = []  # (y, width, lowest z, highest z)
    if kind == 3:
        share = u(0.4, 0.5) * wide
        doors = [(wide / 2 - share / 2, share, low, high), (-share / 2, wide - share, low, high)]
    elif split:
        doors = [(0, wide, low, low + split), (0, wide, low + split, high)]
    else:
        doors = [(0, wide, low, high)]
    side = random.choice([-1, 1])
    for k, (y, w, a, b) in enumerate(doors):
        pieces += main(
            panel(w - 0.012, b - a - 0.012, edge, thick, (x + 0.004, y, (a + b) / 2), 0.012, 4)
        )
        face, span = deep / 2 + 0.003, min(u(0.25, 0.5), 0.6 * (b - a))
        hand = (
            y - side * (w / 2 - 0.06) if kind != 3 else y + (-1 if k == 0 else 1) * (w / 2 - 0.05)
        )
        z = (a + b) / 2 if not split else (b - 0.08 - span / 2 if k == 0 else a + 0.08 + span / 2)
        line = [
            (face, hand, z - span / 2),
            (face + 0.05, hand, z - span / 2),
            (face + 0.05, hand, z + span / 2),
            (face, hand, z + span / 2),
        ]
        pieces += solid("handle", grip, bar(line, u(0.009, 0.016), 8, 1))
    face = deep / 2 + 0.002
    if kind == 3 and random.random() < 0.7:  # water and ice
        y = doors[0][0]
        pieces += solid(
            "dispenser", "tyre", panel(0.2, 0.32, 0.015, 0.008, (face, y, high * 0.62), 0.003)
        )
        pieces += solid(
            "tray", "chrome", board((0.03, 0.16, 0.02), (face + 0.01, y, high * 0.62 - 0.14))
        )
        pieces += solid(
            "display", "lamp", panel(0.12, 0.04, 0.004, 0.01, (face, y, high * 0.62 + 0.11))
        )
    elif random.random() < 0.5:
        pieces += solid("badge", "chrome", panel(0.12, 0.02, 0.006, 0.006, (face, 0, high - 0.1)))
    for k in range(int(random.integers(0, 5))):  # magnets and notes
        at = (face, u(-0.2, 0.2) * wide, high * u(0.6, 0.85))
        pieces += painted(f"note{k % 2}", panel(u(0.03, 0.09), u(0.03, 0.1), 0.003, 0.005, at))
    if random.random() < 0.5:
        pieces += solid(
            "hinge",
            "dark",
            block((0.08, 0.05, 0.02), (x + 0.03, side * (wide / 2 - 0.05), high), 0.01),
        )
    coils, tall = int(random.integers(6, 13)), high - low
    level = np.linspace(low + tall * 0.28, low + tall * 0.9, coils)
    rods = [
        rod((-deep / 2 - 0.012, -wide * 0.4, z), (-deep / 2 - 0.012, wide * 0.4, z), 0.006)
        for z in level
    ]
    pieces += solid("coil", "tyre", *rods)
    pieces += solid(
        "grille", "dark", box(0.02, wide * 0.9, tall * 0.18, (-deep / 2, 0, low + tall * 0.1))
    )
    return pieces


SHAPES = named(_washing_machine, _oven, _refrigerator)
