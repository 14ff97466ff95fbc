"""Toys and figures: doll, teddy bear, snowman, toy car, toy train. Lengths in metres, front +x."""

import numpy as np

from po3d.synthesis.shapes.limbs import limb, mirrored, scaled, smooth_column, wheel_on_hub
from po3d.synthesis.shapes.mesh import Piece, Random, named, painted, pick, solid
from po3d.synthesis.shapes.people import head_of
from po3d.synthesis.shapes.primitives import (
    ball,
    box,
    lathe,
    moved,
    moved_all,
    ring,
    rod,
    slab,
    tube,
)
from po3d.synthesis.shapes.sheets import soft_plate
from po3d.synthesis.shapes.turned import upright
from po3d.synthesis.vehicles import cars


def _doll(random: Random) -> list[Piece]:
    """A rag or baby doll, sitting or standing: a large head, short limbs of cloth."""
    u = random.uniform
    sits, head = random.random() < 0.6, u(0.036, 0.046)
    low, tall = (0.018, 0.068) if sits else (0.06, 0.11)
    stations = [
        (low - 0.016, 0, 0.034, 0.04),
        (low + 0.015, 0, 0.03, 0.034),
        (tall, 0, 0.018, 0.022),
    ]
    pieces = painted("dress", smooth_column(stations, 14))
    for sign in (1, -1):
        leg = [(0.0, sign * 0.018, low), (0.045, sign * 0.026, 0.014), (0.078, sign * 0.032, 0.014)]
        if not sits:
            leg = [(0, sign * 0.015, low), (0, sign * 0.018, 0.03), (0.004, sign * 0.02, 0.012)]
        pieces += painted("skin", limb(leg, [0.014, 0.013, 0.011], 8, 2))
        toe = np.add(leg[-1], (0.004, 0, 0.004) if sits else (0.01, 0, -0.002))
        pieces += painted(
            "shoes", ball((0.012, 0.012, 0.018) if sits else (0.02, 0.012, 0.011), toe)
        )
        arm = [
            (0, sign * 0.02, tall - 0.008),
            (u(0.005, 0.03), sign * 0.042, tall - u(0.015, 0.03)),
            (u(0.01, 0.04), sign * u(0.045, 0.06), tall - u(0.0, 0.05)),
        ]
        pieces += painted("dress", limb(arm[:2], [0.012, 0.012], 8, 2))
        pieces += painted("skin", limb(arm, [0.009, 0.009, 0.01], 8, 2))
    style = pick(random, "long", "pigtails", "bun", "short", "bowl")
    top = head_of(random, 1.0, 0.0, style, False)
    top = scaled(moved_all(top, (0, 0, -0.3)), head * 1.7)  # the chin near the origin
    return pieces + moved_all(top, (0.002, 0, tall + head * 0.4))


def _teddy_bear(random: Random) -> list[Piece]:
    u = random.uniform
    head, belly, muzzle, ear = u(0.066, 0.084), u(0.066, 0.085), u(0.028, 0.036), u(0.024, 0.036)
    middle = belly * 1.08
    top = middle + belly * 0.95 + head * 0.62
    pieces = painted("fur", ball((belly * 0.9, belly, belly * 1.15), (0, 0, middle), 2))
    pieces += painted("fur", ball((head * 0.92, head * u(1.0, 1.15), head), (0.012, 0, top), 2))
    pieces += painted(
        "pale", ball((muzzle, muzzle * 1.15, muzzle * 0.9), (head * 0.85, 0, top - head * 0.25), 2)
    )
    if random.random() < 0.6:
        pieces += painted(
            "pale", ball((belly * 0.4, belly * 0.68, belly * 0.8), (belly * 0.56, 0, middle), 2)
        )
    pieces += painted(
        "nose", ball((0.011, 0.014, 0.01), (head * 0.85 + muzzle, 0, top - head * 0.12))
    )
    eye = ball(0.0095, (head * 0.86, head * 0.36, top + head * 0.14))
    pieces += painted("nose", *mirrored(eye))
    at = (0.0, head * 0.82, top + head * 0.72)
    pieces += painted("fur", *mirrored(ball((ear * 0.55, ear, ear), at, 2)))
    pieces += painted(
        "pale", *mirrored(ball((ear * 0.4, ear * 0.65, ear * 0.65), np.add(at, (ear * 0.3, 0, 0))))
    )
    out, reach = u(0.035, 0.06), u(0.095, 0.125)
    if random.random() < 0.7:  # sitting
        leg = limb(
            [(0.02, belly * 0.55, 0.036), (reach, belly * 0.6 + out, 0.034)], [0.036, 0.03], 10
        )
        sole = ball((0.013, 0.031, 0.034), (reach + 0.026, belly * 0.6 + out, 0.036), 2)
    else:
        low = -u(0.03, 0.06)
        leg = limb([(0.0, belly * 0.45, 0.03), (0.012, belly * 0.5, low)], [0.038, 0.034], 10)
        sole = ball((0.046, 0.034, 0.022), (0.022, belly * 0.5, low - 0.018), 2)
    pieces += painted("fur", *mirrored(leg)) + painted("pale", *mirrored(sole))
    swing = u(-0.03, 0.06)
    arm = limb(
        [
            (0.01, belly * 0.8, middle + belly * 0.7),
            (0.03 + swing, belly + 0.045, middle + swing * 0.8),
        ],
        [0.027, 0.024],
        10,
    )
    pieces += painted("fur", *mirrored(arm))
    extra = pick(random, "none", "bow", "scarf", "shirt")
    neck = middle + belly * 0.98
    if extra == "bow":
        knot = ball((0.015, 0.032, 0.022), (belly * 0.75, 0.03, neck - 0.01), 1)
        pieces += painted("ribbon", *mirrored(knot), ball(0.014, (belly * 0.78, 0, neck - 0.01)))
    elif extra == "scarf":
        pieces += painted(
            "ribbon", moved(ring(belly * 0.62, 0.014, sides=20), (0.005, 0, neck), roll=np.pi / 2)
        )
        pieces += painted("ribbon", box(0.012, 0.03, 0.06, (belly * 0.82, 0.02, neck - 0.04)))
    elif extra == "shirt":
        rows = [
            (middle - belly * 0.35, 0, belly * 0.9, belly),
            (middle + belly * 0.1, 0, belly * 0.94, belly * 1.03),
            (neck, 0, belly * 0.55, belly * 0.62),
        ]
        pieces += painted("ribbon", smooth_column(rows, 18))
    return pieces


def _snowman(random: Random) -> list[Piece]:
    u = random.uniform
    three = random.random() < 0.7
    radii = [u(0.3, 0.38), u(0.22, 0.27), u(0.15, 0.19)] if three else [u(0.32, 0.4), u(0.19, 0.25)]
    pieces: list[Piece] = []
    z, centres = 0.0, []
    for k, r in enumerate(radii):
        z += r * (0.85 if k == 0 else 0.72)
        dent = ball((r, r * u(0.95, 1.05), r * u(0.9, 1.0)), (0, 0, z), 3)
        dent.vertices = np.asarray(dent.vertices) * (
            1 + 0.015 * random.normal(size=(len(dent.vertices), 1)) * (1, 1, 0)
        )
        pieces += painted("snow", dent)
        centres.append(z)
        z += r * 0.72
    head, top = radii[-1], centres[-1]
    nose = u(0.12, 0.26)
    line = [
        (head * 0.85, 0, top),
        (head * 0.9 + nose / 2, 0, top),
        (head * 0.9 + nose, 0, top - 0.01),
    ]
    pieces += painted("nose", tube(line, [0.035, 0.022, 0.004], 8))
    eye = ball(0.024, (head * 0.86, head * 0.38, top + head * 0.33))
    pieces += painted("coal", *mirrored(eye))
    for t in np.linspace(-0.5, 0.5, 5):
        pieces += painted(
            "coal", ball(0.014, (head * 0.88, head * t, top - head * (0.5 - 0.5 * t * t)))
        )
    body, low = radii[-2], centres[-2]
    for t in np.linspace(-0.5, 0.6, int(random.integers(2, 5))):
        pieces += painted("coal", ball(0.026, (body * np.cos(t), 0, low + body * np.sin(t))))
    if random.random() < 0.75:
        rise = u(-0.05, 0.25)
        shoulder, hand = (
            np.array([0, body * 0.8, low + body * 0.3]),
            np.array([0.08, body + u(0.15, 0.3), low + body * 0.3 + rise]),
        )
        arm = tube([shoulder, (shoulder + hand) / 2 + [0, 0, 0.03], hand], [0.018, 0.014, 0.01], 6)
        twig = rod(hand * 0.8 + shoulder * 0.2, hand + [0.03, -0.05, 0.08], 0.008, 5)
        pieces += solid("twig", "wood", *mirrored(arm), *mirrored(twig))
    neck = top - head * 0.85
    if random.random() < 0.65:
        pieces += painted(
            "scarf", moved(ring(head * 0.82, 0.05, sides=22), (0, 0, neck), roll=np.pi / 2)
        )
        end = box(
            0.04, 0.09, u(0.15, 0.28), (head * 0.8 + 0.03, u(-0.1, 0.1), neck - 0.1), pitch=-0.2
        )
        pieces += painted("scarf", end)
    crown = top + head * 0.8
    hat = pick(random, "top", "bucket", "bobble", "none")
    if hat == "top":
        brim, tall = head * u(1.0, 1.3), u(0.14, 0.28)
        profile = [
            (brim, crown),
            (brim, crown + 0.025),
            (head * 0.72, crown + 0.03),
            (head * 0.76, crown + tall),
            (0.01, crown + tall),
        ]
        pieces += painted("hat", upright(profile, 20))
        pieces += painted(
            "scarf",
            upright(
                [(head * 0.74, crown + 0.03), (head * 0.745, crown + 0.08), (0.01, crown + 0.085)],
                20,
            ),
        )
    elif hat == "bucket":
        pieces += painted(
            "hat",
            upright(
                [(head * 0.95, crown - 0.02), (head * 0.66, crown + 0.18), (0.01, crown + 0.18)], 20
            ),
        )
    elif hat == "bobble":
        profile = [
            (head * 1.0, crown - 0.06),
            (head * 0.9, crown + 0.02),
            (head * 0.5, crown + 0.12),
            (0.01, crown + 0.16),
        ]
        pieces += painted("hat", upright(profile, 20), ball(0.05, (0, 0, crown + 0.17)))
    return pieces


def _toy_car(random: Random) -> list[Piece]:
    """A chunky car of wood or plastic, or a shortened street car."""
    u = random.uniform
    if random.random() < 0.4:
        kind = pick(random, *cars.MAKERS)
        pieces = [("body" if m == "paint" else n, m, g) for n, m, g in cars.MAKERS[kind](random)]
        points = np.concatenate([np.asarray(g.vertices) for _, _, g in pieces])
        return scaled(
            pieces,
            np.array([u(0.21, 0.28), u(0.11, 0.135), u(0.09, 0.125)]) / np.ptp(points, axis=0),
        )
    half, wide, r = u(0.11, 0.14), u(0.045, 0.056), u(0.024, 0.034)
    low, hood, roof = r * 0.7, r + u(0.025, 0.04), r + u(0.068, 0.092)
    kind = pick(random, "saloon", "pickup", "roadster", "van")
    a, b, c = {
        "saloon": (0.35, -0.55, -0.8),
        "pickup": (0.45, -0.0, -0.05),
        "roadster": (0.1, -0.2, -0.3),
        "van": (0.75, -0.95, -1.0),
    }[kind]
    slant = u(0.1, 0.25)
    outline = [(-half, low), (half, low), (half, hood * 0.85), (half * 0.9, hood), (-half, hood)]
    pieces = painted("body", slab(outline, 2 * wide, 0.006))
    if kind == "roadster":
        pieces += solid(
            "glass",
            "glass",
            box(0.006, 1.7 * wide, 0.03, (half * 0.2, 0, hood + 0.014), pitch=-0.35),
        )
        pieces += painted("cabin", box(0.02, 1.6 * wide, 0.05, (-half * 0.35, 0, hood + 0.014)))
        hub = moved(
            ring(0.014, 0.003, sides=12, around=5),
            (half * 0.05, wide * 0.4, hood + 0.014),
            yaw=np.pi / 2,
        )
        pieces += painted("hub", hub)
    else:
        cabin = [(c * half, hood), ((a + slant) * half, hood), (a * half, roof), (b * half, roof)]
        pieces += painted("cabin", slab(cabin, 1.84 * wide, 0.006))
        pane = np.array(
            [
                (c * half * 0.93, hood + 0.006),
                ((a + slant * 0.6) * half, hood + 0.006),
                (a * half * 0.92, roof - 0.01),
                (b * half * 0.95, roof - 0.01),
            ]
        )
        pieces += solid("glass", "glass", slab(pane, 1.87 * wide))
        wind = (hood + roof) / 2
        glass = box(
            0.004,
            1.5 * wide,
            (roof - hood) * 0.6,
            ((a + slant / 2) * half + 0.002, 0, wind),
            pitch=-np.arctan2(slant * half, roof - hood),
        )
        pieces += solid("glass", "glass", glass)
    if kind == "pickup":
        for y in (wide * 0.92, -wide * 0.92):
            pieces += painted(
                "cabin", box(half * 0.9, 0.008, 0.025, (-half * 0.55, y, hood + 0.01))
            )
    for x in (half * 0.62, -half * 0.62):
        for y in (wide + 0.004, -wide - 0.004):
            pieces += wheel_on_hub((x, y), r, 0.024, u(0.45, 0.65))
    lamp = ball((0.008, 0.011, 0.011), (half, wide * 0.62, hood * 0.72))
    pieces += solid("lamp", "lamp", *mirrored(lamp))
    pieces += painted("bumper", box(0.012, 2 * wide, 0.014, (half + 0.003, 0, low + 0.008)))
    if random.random() < 0.4:
        pieces += painted(
            "bumper",
            box(1.8 * half, 0.02, 0.003, (0, 0, hood)),
            box(0.5 * half, 0.02, 0.004, (b * half * 0.3, 0, roof if kind != "roadster" else hood)),
        )
    return pieces


def _toy_train(random: Random) -> list[Piece]:
    """An engine and up to three wagons of coloured wood."""
    u = random.uniform
    wide, r, z = u(0.026, 0.034), u(0.014, 0.019), u(0.02, 0.026)
    engine, count, gap = u(0.09, 0.12), int(random.integers(0, 4)), u(0.01, 0.018)
    boiler, cab = u(0.019, 0.026), u(0.03, 0.04)
    pieces = painted("base", box(engine, 2 * wide, 0.014, (-engine / 2, 0, z)))
    front = z + 0.007
    profile = [
        (0.002, -engine + cab),
        (boiler, -engine + cab),
        (boiler, -0.012),
        (boiler * 0.8, -0.006),
        (0.002, -0.006),
    ]
    pieces += painted(
        "engine", moved(lathe(profile, 16), (0, 0, front + boiler * 0.9), yaw=-np.pi / 2)
    )
    rise = u(0.045, 0.06)
    pieces += painted("cab", box(cab, 1.9 * wide, rise, (-engine + cab / 2, 0, front + rise / 2)))
    roof = moved(
        soft_plate(cab + 0.014, 2.3 * wide, 0.007, 0, 0.006), (-engine + cab / 2, 0, front + rise)
    )
    pieces += painted("roof", roof)
    window = box(cab * 0.5, 1.93 * wide, rise * 0.35, (-engine + cab / 2, 0, front + rise * 0.65))
    pieces += solid("window", "dark", window)
    top = front + 1.9 * boiler
    flare, x = u(0.007, 0.013), -0.022
    profile = [
        (0.007, top - 0.012),
        (0.007, top + 0.012),
        (flare, top + u(0.018, 0.03)),
        (0.004, top + 0.018),
    ]
    pieces += painted("chimney", moved(upright(profile, 12), (x, 0, 0)))
    if random.random() < 0.7:
        pieces += painted("chimney", ball((0.009, 0.009, 0.01), (x - 0.025, 0, top)))
    if random.random() < 0.6:
        pieces += solid("lamp", "lamp", ball((0.005, 0.008, 0.008), (-0.002, 0, front + boiler)))
    pieces += painted(
        "roof", slab([(0.0, z - 0.014), (0.018, z - 0.014), (0.0, z + 0.008)], 1.5 * wide)
    )
    pieces += _rolling(-engine / 2, engine, wide, r, int(random.integers(2, 4)))
    start = -engine
    for k in range(count):
        long = u(0.055, 0.085)
        middle = start - gap - long / 2
        pieces += solid(
            "hook", "dark", rod((start + 0.005, 0, z), (start - gap - 0.005, 0, z), 0.004, 6)
        )
        pieces += painted("base", box(long, 2 * wide, 0.012, (middle, 0, z)))
        colour, load = f"wagon{k}", pick(random, "tub", "logs", "closed", "blocks")
        if load == "tub":
            for s in (1, -1):
                pieces += painted(
                    colour,
                    box(long * 0.95, 0.007, 0.026, (middle, s * wide * 0.85, front + 0.012)),
                    box(0.007, 1.8 * wide, 0.026, (middle + s * long * 0.45, 0, front + 0.012)),
                )
        elif load == "logs":
            for y, h in ((-0.5, 0), (0.5, 0), (0, 1)):
                end, level = long * 0.45, front + 0.011 + 0.018 * h
                log = rod(
                    (middle - end, y * wide, level), (middle + end, y * wide, level), 0.011, 10
                )
                pieces += painted(colour, log)
        elif load == "closed":
            pieces += painted(
                colour, box(long * 0.9, 1.8 * wide, 0.036, (middle, 0, front + 0.018))
            )
            pieces += painted(
                "roof",
                moved(soft_plate(long, 2.1 * wide, 0.006, 0, 0.006), (middle, 0, front + 0.036)),
            )
        else:
            for block, x in enumerate((-0.25, 0.25)):
                pieces += painted(
                    f"block{block}",
                    box(
                        long * 0.4, 1.5 * wide, u(0.02, 0.04), (middle + x * long, 0, front + 0.014)
                    ),
                )
        pieces += _rolling(middle, long, wide, r * 0.9, 2)
        start = middle - long / 2
    return pieces


def _rolling(middle: float, long: float, wide: float, r: float, axles: int) -> list[Piece]:
    """Wheels of a wagon: discs with a knob."""
    disc = [
        (0.001, -0.004),
        (r, -0.004),
        (r, 0.004),
        (r * 0.35, 0.004),
        (r * 0.3, 0.008),
        (0.001, 0.008),
    ]
    pieces: list[Piece] = []
    for x in middle + long * np.linspace(-0.34, 0.34, axles):
        wheel = moved(lathe(disc, 14), (x, wide + 0.004, r))
        pieces += painted("wheel", *mirrored(wheel))
    return pieces


SHAPES = named(_doll, _teddy_bear, _snowman, _toy_car, _toy_train)
