"""Animals: one parametric quadruped as horse, dog, cat and rabbit; a chicken; and a rocking horse.

Lengths in metres, the nose at +x.
"""

from itertools import product

import numpy as np

from po3d.synthesis.shapes.limbs import limb, mirrored, scaled
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick
from po3d.synthesis.shapes.primitives import ball, box, moved, ring, rod, slab, tube
from po3d.synthesis.shapes.quadrupeds import (
    QuadrupedFrame,
    ears,
    face,
    legs,
    patches,
    sitting_legs,
    trunk,
)


def _horse(random: Random) -> list[Piece]:
    u = random.uniform
    tall, long = u(1.05, 1.2), u(0.52, 0.66)
    hx, hz = long + u(0.38, 0.55), tall + u(0.42, 0.72)
    form = QuadrupedFrame(
        (-long, tall + 0.04),
        (long, tall),
        (u(0.27, 0.33), u(0.27, 0.34), u(0.28, 0.33)),
        (hx, hz),
        u(0.14, 0.17),
        (u(0.3, 0.4), u(0.32, 0.42), u(0.085, 0.105)),
        (u(0.14, 0.18), u(0.05, 0.065)),
        0.16,
        u(0.8, 0.95),
    )
    head = np.array([hx, 0, hz])
    pieces = trunk(form, 0.13) + legs(random, form, 0.065, 0.14)
    pieces += ears("pointed", head, form.skull, 0.2)
    crest = np.array([long * 1.0, 0, tall + 0.38])
    for t in np.linspace(0.1, 1.05, 6):
        at = crest * (1 - t) + (head + [-0.16, 0, 0.08]) * t
        pieces += painted("mane", ball((0.1, 0.045, u(0.13, 0.19)), at))
    pieces += painted("mane", ball((0.09, 0.06, 0.07), head + [0.06, 0, 0.15]))
    end = (-long - u(0.35, 0.5), 0, u(0.45, 0.75))
    line = [(-long - 0.22, 0, tall + 0.2), (-long - u(0.38, 0.46), 0, tall + 0.05), end]
    pieces += painted("mane", limb(line, [0.05, 0.085, 0.05], 8))
    if random.random() < 0.35:
        pieces += patches(random, form, int(random.integers(2, 5)))
    if random.random() < 0.5:
        blaze = head + np.array(
            [form.muzzle[0] * 0.42, 0, -form.muzzle[1] * 0.42 + form.skull * 0.72]
        )
        pieces += painted("patch", moved(ball((0.16, 0.045, 0.03)), blaze, pitch=0.85))
    if random.random() < 0.35:
        top = tall + max(form.girth) * 0.85
        pieces += painted("saddle", ball((0.26, 0.26, 0.1), (u(-0.05, 0.05), 0, top), 2))
        pieces += painted(
            "saddle", moved(ring(0.325, 0.02, 0.07, 18, 5), (0, 0, tall), yaw=np.pi / 2)
        )
    return pieces


def _dog(random: Random) -> list[Piece]:
    u = random.uniform
    sits = random.random() < 0.4
    tall = u(0.2, 0.42) if sits or random.random() < 0.75 else u(0.12, 0.16)
    long = u(0.2, 0.27)
    deep = u(0.085, 0.12)
    skull, snout = u(0.075, 0.095), u(0.09, 0.16)
    chest = (long, tall + 0.06)
    rump = (-long, tall + 0.05)
    if sits:
        tall = max(tall, 0.26)
        chest, rump = (0.1, tall + 0.1), (-u(0.1, 0.16), 0.13)
    hx, hz = chest[0] + u(0.1, 0.16), chest[1] + u(0.17, 0.26)
    form = QuadrupedFrame(
        rump,
        chest,
        (deep * u(0.8, 0.95) * (1.15 if sits else 1), deep * u(0.8, 1.0), deep * 1.1),
        (hx, hz),
        skull,
        (snout, snout * u(0.15, 0.4), skull * u(0.45, 0.6)),
        (u(0.045, 0.058), u(0.022, 0.034)),
        deep * 0.62,
        u(0.85, 1.0),
    )
    head = np.array([hx, 0, hz])
    pieces = trunk(form, skull * 0.75)
    pieces += sitting_legs(form) if sits else legs(random, form, form.leg[1], 0.05)
    pieces += ears(pick(random, "pointed", "floppy", "floppy"), head, skull, u(0.085, 0.13))
    start = np.array(
        [rump[0] - form.girth[0] * 0.7, 0, rump[1] + (-0.07 if sits else form.girth[0] * 0.6)]
    )
    kind, bush = pick(random, "up", "curl", "down"), u(0.018, 0.04)
    if sits:
        way = [(-0.1, -0.01), (-0.2, u(0.0, 0.12))]
    else:
        way = {
            "up": [(-0.1, 0.1), (-0.14, 0.24)],
            "curl": [(-0.1, 0.12), (-0.0, 0.17)],
            "down": [(-0.1, -0.02), (-0.14, -0.14)],
        }[kind]
    tail = [start, *(start + [x, 0, max(z, 0.025 - start[2])] for x, z in way)]
    pieces += painted("coat", limb(tail, [0.022, bush, bush * 0.6], 8))
    if random.random() < 0.5:
        pieces += patches(random, form, int(random.integers(1, 5)))
    if random.random() < 0.6:
        pieces += painted(
            "patch",
            ball((0.05, deep * 0.6, deep * 0.75), (chest[0] + deep * 0.75, 0, chest[1] + 0.01), 2),
        )
    if random.random() < 0.6:
        neck = np.array([chest[0], 0, chest[1] + 0.35 * deep]) * 0.42 + head * 0.58
        pieces += painted(
            "collar",
            moved(ring(skull * 1.02, 0.012, 0.035, 18, 5), neck, roll=np.pi / 2, pitch=0.7),
        )
    return pieces


def _cat(random: Random) -> list[Piece]:
    u = random.uniform
    sits = random.random() < 0.5
    skull = u(0.055, 0.066)
    if sits:
        chest, rump = (0.055, u(0.19, 0.23)), (-u(0.045, 0.075), 0.085)
        hx, hz = chest[0] + u(0.03, 0.055), chest[1] + u(0.12, 0.145)
    else:
        tall = u(0.18, 0.24)
        chest, rump = (u(0.13, 0.17), tall), (-u(0.14, 0.18), tall + 0.01)
        hx, hz = chest[0] + u(0.07, 0.1), chest[1] + u(0.08, 0.13)
    slim = u(0.85, 1.2)
    form = QuadrupedFrame(
        rump,
        chest,
        (0.075 * slim if sits else 0.062 * slim, 0.066 * slim, 0.06 * slim),
        (hx, hz),
        skull,
        (skull * u(0.7, 0.85), skull * 0.32, skull * 0.42),
        (0.03, u(0.017, 0.021)),
        0.036,
        u(0.85, 1.0),
    )
    head = np.array([hx, 0, hz])
    pieces = trunk(form, skull * 0.72) + (
        sitting_legs(form) if sits else legs(random, form, 0.018, 0.03)
    )
    pieces += ears("pointed", head, skull, u(0.058, 0.078))
    thick, x = u(0.013, 0.026), rump[0] - form.girth[0] * 0.75
    if sits and random.random() < 0.5:  # wound around the feet
        tail = [
            (x, 0, 0.03),
            (x + 0.02, -0.1, 0.025),
            (x + 0.13, -0.125, 0.022),
            (x + 0.2, -0.09, 0.022),
        ]
    elif sits:
        tail = [(x, 0, 0.03), (x - 0.1, 0.02, 0.025), (x - 0.17, 0.07 * u(-1, 1), u(0.025, 0.1))]
    elif random.random() < 0.6:
        tail = [
            (x, 0, rump[1] + 0.02),
            (x - 0.07, 0, rump[1] + 0.06),
            (x - 0.06, 0.02, rump[1] + 0.18),
            (x - u(0.0, 0.13), 0.03, rump[1] + 0.25),
        ]
    else:
        tail = [
            (x, 0, rump[1] + 0.02),
            (x - 0.1, 0, rump[1] - 0.03),
            (x - 0.2, 0, rump[1] - 0.09),
            (x - 0.27, 0, rump[1] - u(0.0, 0.09)),
        ]
    pieces += painted("coat", limb(tail, thick, 8))
    pieces += painted(
        "patch" if random.random() < 0.5 else "coat",
        limb(
            [tail[-1], np.multiply(tail[-1], 0.8) + np.multiply(tail[-2], 0.2)], thick * 1.06, 8, 1
        ),
    )
    coat = pick(random, "stripes", "patches", "bib", "plain")
    if coat == "stripes":
        for t in np.linspace(0.1, 0.9, int(random.integers(4, 7))):
            at = np.array(rump) * (1 - t) + np.array(chest) * t
            r = np.interp(t, [0, 0.5, 1], form.girth)
            band = moved(
                ring(r * 0.98, r * 0.08, 0.014, 16, 4),
                (at[0], 0, at[1] - (0.1 * r if 0.2 < t < 0.8 else 0)),
                yaw=np.pi / 2,
                pitch=-0.9 if sits else 0,
            )
            band.vertices = np.asarray(band.vertices) * (1, form.flat, 1)
            pieces += painted("patch", band)
    elif coat == "patches":
        pieces += patches(random, form, int(random.integers(2, 5)))
    if coat in ("bib", "patches"):
        pieces += painted(
            "pale", ball((0.03, 0.036, 0.06), (chest[0] + 0.045 * slim, 0, chest[1] - 0.01), 2)
        )
    if random.random() < 0.4:
        at = np.array([chest[0], 0, chest[1] + 0.02]) * 0.4 + head * 0.6
        collar = moved(
            ring(skull * 0.9, 0.008, 0.02, 16, 5),
            at - [0.006, 0, 0.01],
            roll=np.pi / 2,
            pitch=0.3 if sits else 0.8,
        )
        pieces += painted("collar", collar)
    return pieces


def _rabbit(random: Random) -> list[Piece]:
    """A crouching rabbit, ears up, back or hanging."""
    u = random.uniform
    rump, chest, skull = u(0.085, 0.105), u(0.06, 0.075), u(0.05, 0.06)
    upright = random.random() < 0.3
    cx, cz = (0.1, 0.17) if upright else (0.115, 0.085)
    line = [(-0.07, 0, rump), ((cx - 0.05) / 2, 0, (rump + cz) / 2 + 0.02), (cx, 0, cz)]
    pieces = painted("coat", limb(line, [rump, (rump + chest) / 2, chest], 14, 4, 0.85))
    hx, hz = cx + u(0.035, 0.075), cz + u(0.08, 0.115)
    form = QuadrupedFrame(
        (0, 0),
        (0, 0),
        (0, 0, 0),
        (hx, hz),
        skull,
        (skull * 0.95, skull * 0.4, skull * 0.5),
        (0, 0),
        0,
    )
    head = np.array([hx, 0, hz])
    pieces += face(form, head)
    pieces += painted("coat", limb([(cx, 0, cz), head], [chest * 0.9, skull * 0.85], 10, 2))
    kind = pick(random, "long", "long", "long", "long", "floppy")
    pieces += ears(kind, head, skull, u(0.11, 0.19) if kind == "long" else u(0.075, 0.1))
    pieces += painted("pale", ball(u(0.026, 0.04), (-0.07 - rump * 0.97, 0, rump * 0.75), 2))
    thigh = ball((0.075, 0.035, 0.07), (-0.05, rump * 0.62, 0.07), 2)
    foot = limb([(-0.07, rump * 0.7, 0.018), (0.035, rump * 0.75, 0.016)], [0.018, 0.017], 8, 1)
    pieces += painted("coat", *mirrored(thigh)) + painted("paw", *mirrored(foot))
    line = [(cx + 0.01, 0.032, cz - 0.02), (cx + 0.03, 0.032, 0.014 if not upright else cz - 0.07)]
    fore = limb(line, [0.024, 0.014], 8, 2)
    pieces += painted("coat", *mirrored(fore))
    pieces += painted(
        "paw",
        *mirrored(
            ball((0.022, 0.014, 0.013), (cx + 0.04, 0.032, 0.013 if not upright else cz - 0.08))
        ),
    )
    if random.random() < 0.4:
        pieces += patches(
            random,
            QuadrupedFrame(
                (-0.08, rump),
                (cx, cz),
                (rump, rump * 0.95, chest),
                (0, 0),
                0,
                (0, 0, 0),
                (0, 0),
                0,
                0.85,
            ),
            3,
        )
    if random.random() < 0.5:
        pieces += painted("pale", ball((0.04, 0.045, 0.05), (cx + 0.025, 0, cz - 0.02), 2))
    return pieces


def _chicken(random: Random) -> list[Piece]:
    u = random.uniform
    stout, leg, cock = u(0.085, 0.11), u(0.09, 0.14), random.random() < 0.35
    z = leg + stout * 0.8
    neck = np.array([0.11, 0, z + u(0.15, 0.2) + 0.05 * cock])
    line = [(-0.07, 0, z + 0.02), (0, 0, z), (0.06, 0, z + 0.03)]
    pieces = painted("feather", limb(line, [stout * 0.7, stout, stout * 0.8], 12, 4, u(0.8, 0.95)))
    line = [(0.055, 0, z + 0.05), (0.085, 0, (z + neck[2]) / 2 + 0.02), neck]
    pieces += painted("neck", limb(line, [stout * 0.72, 0.045, 0.033], 10))
    pieces += painted("neck", ball((0.038, 0.032, 0.034), neck + [0.008, 0, 0.008], 2))
    pieces += painted(
        "beak", tube([neck + [0.035, 0, 0.005], neck + [0.08, 0, -0.008]], [0.016, 0.002], 8)
    )
    for k in range(count := int(random.integers(3, 6))):
        at = neck + [
            0.035 - 0.065 * k / (count - 1),
            0,
            0.042 + 0.012 * np.sin(np.pi * k / (count - 1)),
        ]
        pieces += painted("comb", ball((0.016, 0.007, u(0.018, 0.026) + 0.01 * cock), at))
    pieces += painted("comb", *mirrored(ball((0.009, 0.007, 0.02), neck + [0.036, 0.01, -0.034])))
    pieces += painted("eye", *mirrored(ball(0.007, neck + [0.022, 0.028, 0.014])))
    rise, many = u(0.06, 0.16) + 0.1 * cock, int(random.integers(3, 6))
    for side in np.linspace(-0.5, 0.5, many):
        root, up = np.array([-0.09, side * 0.05, z + 0.05]), 1 - abs(side)
        feather = [
            root,
            root + [-0.06, side * 0.03, rise * 0.7 * up],
            root + [-u(0.09, 0.13), side * 0.07, rise * up * (0.6 if cock else 1)],
        ]
        pieces += painted("tail", limb(feather, [0.03, 0.032, 0.014], 8, 2))
    wing = limb(
        [
            (0.045, stout * 0.78, z + 0.035),
            (-0.03, stout * 0.86, z + 0.015),
            (-0.11, stout * 0.72, z + 0.02),
        ],
        [0.035, 0.042, 0.014],
        8,
    )
    wing.vertices = np.asarray(wing.vertices) * (1, 0.8, 1) + (0, 0.012, 0)
    pieces += painted("wing", *mirrored(wing))
    step = u(-0.03, 0.03)
    for sign in (1, -1):
        x, y = 0.005 + sign * step, sign * 0.04
        line = [(0, y, z - stout * 0.6), (x - 0.015, y, leg * 0.55), (x, y, 0.008)]
        pieces += painted("beak", limb(line, [0.026, 0.011, 0.009], 6, 2))
        for toe in ((0.05, -0.025), (0.058, 0.0), (0.05, 0.025), (-0.03, 0.0)):
            pieces += painted("beak", rod((x, y, 0.008), (x + toe[0], y + toe[1], 0.006), 0.006, 5))
    return pieces


def _rocking_horse(random: Random) -> list[Piece]:
    """A toy horse on two runners; its body has the scene's colour."""
    u = random.uniform
    seat, long, boards = u(0.27, 0.33), u(0.15, 0.18), random.random() < 0.5
    hx, hz = long + u(0.05, 0.1), seat + u(0.15, 0.2)
    t = np.radians(np.linspace(-u(34, 42), u(34, 42), 15))
    bow = u(0.5, 0.62)
    line = np.c_[bow * np.sin(t), bow * (1 - np.cos(t))]
    runner = slab(np.r_[line, (line + [0, u(0.03, 0.045)])[::-1]], 0.025)
    across = u(0.1, 0.125)
    pieces = painted("runner", *(moved(runner, (0, y, 0)) for y in (across, -across)))
    for x in (-0.22, 0.22):
        z = bow * (1 - np.cos(np.arcsin(x / bow))) + 0.03
        pieces += painted("runner", box(0.04, 2 * across, 0.02, (x, 0, z)))
    if boards:  # cut out of boards
        outline = [
            (-long - 0.05, seat - 0.05),
            (long - 0.02, seat - 0.05),
            (long + 0.05, seat),
            (hx + 0.02, hz - 0.08),
            (hx + 0.11, hz - 0.07),
            (hx + 0.13, hz - 0.02),
            (hx + 0.05, hz + 0.06),
            (hx, hz + 0.11),
            (hx - 0.05, hz + 0.06),
            (long - 0.07, seat + 0.05),
            (-long - 0.03, seat + 0.05),
        ]
        pieces += main(
            slab(outline, 0.05, 0.008), box(2 * long, 0.15, 0.04, (-0.02, 0, seat + 0.04))
        )
    else:
        girth, muzzle = (0.075, 0.07, 0.078), (0.09, 0.06, 0.034)
        form = QuadrupedFrame(
            (-long, seat), (long, seat), girth, (hx, hz), 0.055, muzzle, (0, 0), 0, 0.95
        )
        pieces += [
            ("main" if n in ("coat", "muzzle") else n, m, g) for n, m, g in trunk(form, 0.045)
        ]
        pieces += [
            ("main", m, g) for _, m, g in ears("pointed", np.array([hx, 0, hz]), 0.05, 0.055)
        ]
    for x, sign in product((-1, 1), (1, -1)):
        foot = (x * (long + 0.06), sign * across, 0.05 + 0.02)
        pieces += main(limb([(x * (long - 0.02), sign * 0.045, seat), foot], [0.034, 0.024], 8, 2))
    crest = np.array([long + 0.0, 0, seat + 0.1])
    for s in np.linspace(0, 1, 6):
        pieces += painted(
            "mane",
            ball((0.032, 0.034, 0.045), crest * (1 - s) + np.array([hx - 0.045, 0, hz + 0.06]) * s),
        )
    path = [
        (-long - 0.06, 0, seat + 0.03),
        (-long - 0.13, 0, seat + 0.02),
        (-long - 0.15, 0, seat - u(0.07, 0.14)),
    ]
    pieces += painted("mane", limb(path, [0.02, 0.034, 0.016], 8))
    pieces += painted("saddle", ball((0.1, 0.08, 0.03), (-0.03, 0, seat + 0.072), 2))
    if random.random() < 0.5:
        pieces += painted(
            "saddle", ball((0.03, 0.085, u(0.06, 0.1)), (-long + 0.01, 0, seat + 0.11))
        )
    pieces += painted(
        "grip", rod((hx - 0.02, -0.11, hz - 0.005), (hx - 0.02, 0.11, hz - 0.005), 0.013, 8)
    )
    return scaled(pieces, (1, 0.95, 1))


SHAPES = named(_horse, _dog, _cat, _rabbit, _chicken, _rocking_horse)
