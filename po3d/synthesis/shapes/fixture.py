"""Parametric fireplaces, radiators, toilets and fire extinguishers. Conventions and colours as in
own_shapes.py.
"""

import numpy as np

from po3d.synthesis.shapes.limbs import bar, hoop, smooth
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import (
    ball,
    box,
    loft,
    moved,
    plate,
    ring,
    rod,
    rounded,
    slab,
    tube,
)
from po3d.synthesis.shapes.sheets import block, board, panel
from po3d.synthesis.shapes.turned import disc, drum, upright


def _fireplace(random: Random) -> list[Piece]:
    u, deep, wide, high = random.uniform, *random.uniform((0.34, 1.05, 0.95), (0.46, 1.4, 1.25))
    jamb, lintel, hood = u(0.16, 0.26), u(0.2, 0.32), random.random() < 0.3
    hearth, step, body = u(0.08, 0.2), u(0.03, 0.1), deep * u(0.6, 0.75)
    back = -deep / 2
    x, opening, top = back + body, wide - 2 * jamb, high - lintel
    pieces = main(
        *(
            block((body, jamb, high), (back + body / 2, s * (wide - jamb) / 2, 0), 0.01)
            for s in (-1, 1)
        )
    )
    arch = u(0.05, 0.16) if random.random() < 0.4 else 0.0
    under = [(opening / 2 * t, top - arch * t * t) for t in np.linspace(-1, 1, 13)]
    lintel_piece = slab([*under, (opening / 2, high), (-opening / 2, high)], body, 0.0)
    pieces += main(moved(lintel_piece, (back + body / 2, 0, 0), yaw=np.pi / 2))
    at = (back + 0.025, 0, top / 2)
    pieces += solid(
        "soot",
        "tyre",
        box(0.05, opening, top, at),
        box(body, opening, 0.02, (back + body / 2, 0, step)),
    )
    shelf = deep * u(0.85, 1.0)
    if not hood:
        size = (shelf, wide + u(0.04, 0.16), u(0.04, 0.08))
        pieces += painted("mantel", block(size, (back + shelf / 2, 0, high), 0.012, 0.014, 3))
        size = (body + 0.03, wide + 0.02, 0.03)
        pieces += painted(
            "mantel", block(size, (back + body / 2 + 0.015, 0, high - 0.03), 0.01, 0.01)
        )
    else:  # a chimney that tapers
        low, tall = (
            np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (body / 2, wide / 2),
            u(0.3, 0.6),
        )
        rings = [
            np.c_[low * (0.6 + 0.4 * (1 - t)) * (1, 1 - 0.35 * t), np.full(4, high + t * tall)]
            for t in (0.0, 0.5, 1.0)
        ]
        pieces += main(moved(loft(rings), (back + body / 2, 0, 0)))
        pieces += painted(
            "mantel",
            block((body + 0.05, wide + 0.04, 0.05), (back + body / 2 + 0.02, 0, high), 0.01),
        )
    pieces += painted("mantel", block((deep, wide + 0.06, step), (0, 0, 0), 0.01, 0.006))
    decor = int(random.integers(3))
    if decor == 0:  # panels
        for s in (-1, 1):
            pieces += main(
                panel(
                    jamb * 0.6,
                    top * 0.75,
                    0.005,
                    0.02,
                    (x, s * (wide - jamb) / 2, top * 0.52),
                    0.01,
                )
            )
        pieces += main(
            panel(opening * 0.8, lintel * 0.5, 0.005, 0.02, (x, 0, high - lintel / 2), 0.01)
        )
    elif decor == 1:  # bricks
        rows = 11
        for r in range(rows):
            z, shift = step + (r + 0.5) * (high - step - 0.05) / rows, 0.06 * (r % 2)
            for y in np.arange(-wide / 2 + 0.06 + shift, wide / 2 - 0.05, 0.125):
                if abs(y) > opening / 2 + 0.055 or z > top + 0.03:
                    pieces += painted(
                        "brick", box(0.012, 0.11, (high - step) / rows * 0.75, (x + 0.004, y, z))
                    )
    else:  # columns
        for s in (-1, 1):
            r = jamb * 0.25
            line = [
                (r * 1.4, 0),
                (r * 1.4, 0.05),
                (r, 0.08),
                (r * 0.9, top),
                (r * 1.3, top + 0.05),
                (r * 1.3, high - 0.03),
            ]
            pieces += main(drum(line, 16, (x, s * (wide - jamb) / 2, 0)))
    grate = back + body * 0.62
    for y, z in ((-0.1, 0.06), (0.1, 0.06), (0.0, 0.13)):
        log = tube(
            [
                (grate, y - 0.22, step + z),
                (grate + u(-0.03, 0.03), y + 0.2, step + z + u(-0.02, 0.02)),
            ],
            u(0.035, 0.05),
            9,
        )
        pieces += solid("log", "wood", log)
    if random.random() < 0.65:  # a fire
        for k in range(int(random.integers(4, 8))):
            tall, y = u(0.14, 0.34), u(-0.22, 0.22)
            tongue = upright(
                smooth(
                    [(0, 0), (0.05, 0.02), (0.06, tall * 0.3), (0.02, tall * 0.75), (0, tall)], 1
                ),
                8,
                (grate + 0.04, y, step + 0.08),
            )
            pieces += painted("flame" if k % 2 else "ember", tongue)
    else:
        rails = np.linspace(-opening / 2 + 0.03, opening / 2 - 0.03, 9)
        pieces += solid(
            "guard",
            "dark",
            *(rod((x + 0.02, y, step), (x + 0.02, y, top * 0.62), 0.006) for y in rails),
        )
        for f in (0.04, 0.58):
            guard = rod(
                (x + 0.02, rails[0], step + f * top), (x + 0.02, rails[-1], step + f * top), 0.008
            )
            pieces += solid("guard", "dark", guard)
    pieces += painted("mantel", box(hearth, wide * 0.9, step, (deep / 2 - hearth / 2, 0, step / 2)))
    return pieces


def _radiator(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(3))
    wide, high = u(0.65, 1.2), u(0.5, 0.72)
    deep, foot = u(0.09, 0.18), u(0.04, 0.1)
    pieces: list[Piece] = []
    if kind == 0:  # columns of cast iron
        many, pitch, round_ = round(wide / u(0.055, 0.09)), 0.0, random.random() < 0.5
        pitch = wide / many
        for k in range(many):
            y = (k + 0.5) * pitch - wide / 2
            if round_:
                for x in np.linspace(-1, 1, 2 if deep < 0.14 else 3) * (deep / 2 - pitch * 0.42):
                    pieces += main(rod((x, y, foot), (x, y, high), pitch * 0.36, 8))
                pieces += main(
                    *(
                        ball((deep / 2, pitch * 0.47, 0.035), (0, y, z), 1)
                        for z in (foot + 0.03, high - 0.02)
                    )
                )
            else:
                fin = rounded(
                    [(-deep / 2, foot), (deep / 2, foot), (deep / 2, high), (-deep / 2, high)],
                    deep * 0.3,
                    3,
                )
                pieces += main(moved(slab(fin, pitch * 0.82, pitch * 0.2), (0, y, 0)))
        for z in (foot + 0.05, high - 0.05):
            pieces += main(rod((0, -wide / 2, z), (0, wide / 2, z), 0.022, 8))
        for s in (-1, 1):
            for x in (-deep / 4, deep / 4):
                pieces += main(
                    rod(
                        (x, s * (wide - pitch) / 2, 0),
                        (x, s * (wide - pitch) / 2, foot + 0.05),
                        0.016,
                        8,
                    )
                )
    elif kind == 1:  # a panel with grooves
        pieces += main(
            panel(wide, high - foot, 0.02, deep * 0.3, (deep * 0.2, 0, (high + foot) / 2), 0.01, 3)
        )
        pieces += main(
            panel(wide, high - foot, 0.02, deep * 0.3, (-deep * 0.5, 0, (high + foot) / 2), 0.01, 3)
        )
        many = round(wide / u(0.035, 0.06))
        ribs = (np.arange(many) + 0.5) * (wide - 0.06) / many - (wide - 0.06) / 2
        broad, tall, middle = (wide - 0.06) / many * 0.6, high - foot - 0.08, (high + foot) / 2
        pieces += main(
            *(panel(broad, tall, 0.01, 0.012, (deep * 0.48, y, middle), 0.005) for y in ribs)
        )
        pieces += main(box(deep, wide, 0.01, (0, 0, high)))
        slots = np.linspace(-wide / 2 + 0.04, wide / 2 - 0.04, 18)
        pieces += solid(
            "slot", "dark", *(box(deep * 0.5, 0.018, 0.014, (0, y, high)) for y in slots)
        )
    else:  # level tubes between two risers
        many, flat = int(random.integers(7, 14)), random.random() < 0.5
        tall = (high - foot) / many
        for k in range(many):
            z = foot + (k + 0.5) * tall
            if flat:
                pieces += main(
                    panel(wide, tall * u(0.7, 0.75), tall * 0.3, 0.025, (0.01, 0, z), 0.006)
                )
            else:
                bow = deep * 0.5
                pieces += main(
                    tube(
                        [(bow * (1 - t * t), t * wide / 2, z) for t in np.linspace(-1, 1, 9)],
                        tall * 0.3,
                        8,
                    )
                )
        for s in (-1, 1):
            pieces += main(
                rod((0, s * wide * 0.46, foot - 0.01), (0, s * wide * 0.46, high), 0.02, 10)
            )
    if kind != 0:
        pieces += main(
            *(board((deep, 0.03, foot), (0, s * wide * 0.38, foot / 2)) for s in (-1, 1))
        )
    side = random.choice([-1, 1])
    pipe = [
        (0, side * wide / 2, foot + 0.05),
        (0, side * (wide / 2 + 0.05), foot + 0.05),
        (0, side * (wide / 2 + 0.05), 0),
    ]
    pieces += solid("pipe", "chrome", bar(pipe, 0.011, 8))
    z = high - 0.07 if random.random() < 0.5 else foot + 0.05
    valve = drum([(0.02, 0), (0.026, 0.05), (0.02, 0.07)], 12)
    pieces += solid(
        "valve", "white", moved(valve, (0, side * (wide / 2 + 0.005), z), roll=-side * np.pi / 2)
    )
    return pieces


def _toilet(random: Random) -> list[Piece]:
    u, deep, wide, high = random.uniform, *random.uniform((0.6, 0.34, 0.7), (0.72, 0.4, 0.84))
    rim, tank = u(0.38, 0.43), u(0.16, 0.2)
    back = -deep / 2
    long, half, square = deep - tank * u(0.55, 0.8), wide / 2 * u(0.92, 1.0), u(0.75, 1.0)
    middle = deep / 2 - long / 2
    t = np.arange(32) * 2 * np.pi / 32
    egg = np.c_[np.sign(np.cos(t)) * np.abs(np.cos(t)) ** square * long / 2,
                np.sin(t) * half * (1 - 0.12 * np.cos(t))]  # fmt: skip

    def layer(share: float, z: float, shift: float = 0.0) -> np.ndarray:
        return np.c_[egg * share + (middle + shift, 0), np.full(len(egg), z)]

    foot, waist = u(0.5, 0.72), u(0.48, 0.66)
    heights = (
        (foot, 0, -0.06),
        (foot * 0.98, 0.03, -0.06),
        (waist, 0.14, -0.05),
        (waist * 1.1, 0.22, -0.03),
        (0.9, rim - 0.07, 0.0),
        (0.98, rim - 0.03, 0.0),
        (1.0, rim, 0.0),
    )
    bowl = [layer(*h) for h in heights]
    inside = [
        layer(0.8, rim),
        layer(0.72, rim - 0.06),
        layer(0.4, rim - 0.2),
        layer(0.25, rim - 0.22),
    ]
    pieces = main(loft([*bowl, *inside]))
    pieces += painted("water", loft([layer(0.4, rim - 0.19), layer(0.49, rim - 0.16)]))
    seat, up = random.random() < 0.7, random.random() < 0.4
    lid_part, stuff = ("main", "paint") if seat else ("lid", pick(random, "wood", "dark", "white"))
    hinge = (middle - long / 2 + 0.03, 0, rim + 0.01)
    ring_rings = [
        layer(1.02, rim + 0.003),
        layer(1.03, rim + 0.018),
        layer(0.98, rim + 0.026),
        layer(0.66, rim + 0.022),
        layer(0.64, rim + 0.003),
    ]
    pieces += solid(lid_part, stuff, hoop(ring_rings) if up else loft(ring_rings[:3]))
    cover = loft([layer(1.0, 0.0), layer(1.02, 0.01), layer(0.97, 0.024), layer(0.6, 0.03)])
    cover = moved(cover, (-hinge[0], 0, 0))
    if up:
        pieces += solid(
            lid_part, stuff, moved(cover, (hinge[0] + 0.02, 0, rim + 0.04), pitch=-np.pi / 2 - 0.08)
        )
    else:
        pieces += solid(lid_part, stuff, moved(cover, (hinge[0], 0, rim + 0.026)))
    for s in (-1, 1):
        pieces += solid("hinge", "chrome", ball(0.014, (hinge[0] + 0.01, s * 0.07, rim + 0.03), 1))
    wide_tank, top = wide * u(0.9, 1.05), high
    base = rim * u(0.55, 0.98)
    pieces += main(
        block(
            (tank, wide_tank, top - 0.03 - base),
            (back + tank / 2, 0, base),
            u(0.02, 0.06),
            0.012,
            3,
        )
    )
    size = (tank + 0.02, wide_tank + 0.02, 0.035)
    pieces += main(block(size, (back + tank / 2, 0, top - 0.035), u(0.02, 0.06), 0.012, 3))
    pieces += main(
        block((deep * 0.5, wide * 0.45, rim * 0.9), (back + deep * 0.3, 0, 0.0), 0.05, 0.01, 3)
    )
    if random.random() < 0.6:
        profile = [(0, top), (0.025, top), (0.022, top + 0.008), (0, top + 0.01)]
        pieces += solid("flush", "chrome", upright(profile, 16, (back + tank / 2, 0, 0)))
    else:
        y = wide_tank * 0.32
        pieces += solid(
            "flush",
            "chrome",
            disc(0.014, 0.02, (back + tank, y, top - 0.08), 12),
            rod(
                (back + tank + 0.018, y, top - 0.08),
                (back + tank + 0.018, y - 0.07, top - 0.09),
                0.007,
            ),
        )
    if random.random() < 0.5:
        line = [
            (back + 0.03, wide_tank / 2 - 0.03, base),
            (back + 0.03, wide_tank / 2, base - 0.1),
            (back + 0.01, wide_tank / 2, 0.15),
        ]
        pieces += solid("pipe", "chrome", bar(line, 0.008, 6))
    return pieces


def _fire_extinguisher(random: Random) -> list[Piece]:
    u, r, high = random.uniform, random.uniform(0.06, 0.088), random.uniform(0.36, 0.5)
    dome = r * u(0.5, 0.95)
    line = [
        (r * 0.85, 0.012),
        (r, 0.04),
        (r, high - dome),
        (r * 0.9, high - dome * 0.45),
        (r * 0.55, high - dome * 0.08),
        (0.022, high),
        (0.022, high + 0.02),
    ]
    pieces = main(drum(line, 28))
    pieces += solid("foot", "tyre", drum([(r * 0.97, 0), (r * 0.97, 0.03)], 24))
    z = high + 0.02
    pieces += solid(
        "valve",
        "chrome",
        drum([(0.026, z - 0.02), (0.026, z), (0.018, z + 0.01), (0.018, z + 0.045)], 14),
    )
    # levers to the one side, the hose to the other
    rise, grip = u(0.02, 0.05), u(0.09, 0.13)
    pieces += solid(
        "lever", "dark", tube([(0, -0.02, z + 0.035), (0, grip, z + 0.03)], [0.014, 0.011], 8)
    )
    lever = [(0, -0.02, z + 0.05), (0, 0.03, z + 0.055 + rise), (0, grip * 1.05, z + 0.06 + rise)]
    part, stuff = [("lever", "dark"), ("valve", "chrome"), ("pin", "paint")][
        int(random.integers(3))
    ]
    pieces += solid(part, stuff, bar(lever, 0.011, 8, 1))
    pieces += solid("gauge", "white", disc(0.022, 0.02, (0.012, 0, z + 0.015), 16))
    pieces += painted("pin", moved(ring(0.018, 0.004, sides=14), (0.0, 0.03, z + 0.075)))
    out, hang, sweep = r + u(0.03, 0.09), high * u(0.08, 0.45), u(-0.04, 0.05)
    hose = [
        (0, -0.02, z + 0.02),
        (0, -out * 0.7, z + 0.05),
        (sweep, -out * 1.15, z - 0.05),
        (sweep, -out, hang + 0.16),
        (sweep, -out * 0.95, hang + 0.12),
    ]
    pieces += solid("hose", "tyre", bar(hose, u(0.009, 0.013), 10, 3))
    mouth = u(0.016, 0.045)
    horn = [(mouth, hang), (mouth * 0.6, hang + 0.08), (0.014, hang + 0.13)]
    pieces += solid("horn", "dark", drum(horn, 14, (sweep, -out * 0.95, 0)))
    label_low, tall = high * u(0.25, 0.4), high * u(0.22, 0.35)
    pieces += _wrapped("label", r, label_low, tall, u(0.9, 1.6))
    pieces += _wrapped("print", r + 0.0015, label_low + tall * 0.6, tall * 0.18, 0.7)
    for level in (0.15, 0.86)[: int(random.integers(0, 3))]:
        zz = high * level - (0.05 if level > 0.5 else 0)
        pieces += solid(
            "band",
            pick(random, "chrome", "dark"),
            drum([(r + 0.003, zz), (r + 0.003, zz + 0.018)], 24),
        )
    return pieces


def _wrapped(name: str, radius: float, low: float, tall: float, half_angle: float) -> list[Piece]:
    """A label of material paint around an upright cylinder, its middle to the front."""
    t = np.linspace(-half_angle, half_angle, 13)
    arc = np.c_[np.cos(t), np.sin(t)]
    outline = np.r_[arc * (radius + 0.002), arc[::-1] * (radius - 0.003)]
    return painted(name, plate(outline, tall, low))


SHAPES = named(_fireplace, _radiator, _toilet, _fire_extinguisher)
