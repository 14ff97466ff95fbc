"""Animals: one parametric quadruped as horse, dog, cat and rabbit; the chicken; and the rocking horse.

Lengths in metres, the nose at +x.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from po3d.synthesis.assets.mesh import Piece, solid
from po3d.synthesis.assets.primitives import Array, ball, box, moved, ring, rod, slab, tube
from po3d.synthesis.assets.shape_parts import (
    WOODS,
    Generator,
    Palettes,
    Random,
    bent,
    limb,
    mirrored,
    pick,
    scaled,
)

Point = ArrayLike


class Form(NamedTuple):
    """A quadruped's frame: joints in side view (x, z), radii, and its ends."""

    rump: tuple[float, float]
    chest: tuple[float, float]
    girth: tuple[float, float, float]  # radii of the trunk: rump, belly, chest
    head: tuple[float, float]
    skull: float  # radius
    muzzle: tuple[float, float, float]  # (forward, down) of its end from the head's middle, radius there
    leg: tuple[float, float]  # radii at the top and at the foot
    apart: float  # half distance of left and right legs
    flat: float = 1.0  # width of the trunk over its height


def _trunk(form: Form, neck: float) -> list[Piece]:
    """Body, neck and head of a standing animal; `neck` is the neck's radius at the head."""
    (rx, rz), (cx, cz), (hx, hz) = form.rump, form.chest, form.head
    r0, r1, r2 = form.girth
    body = limb([(rx, 0, rz), ((rx + cx) / 2, 0, (rz + cz) / 2 - 0.1 * r1), (cx, 0, cz)], [r0, r1, r2], 14, 4, form.flat)
    base = np.array([cx, 0, cz + 0.35 * r2])
    head = np.array([hx, 0, hz])
    stem = limb([base, (base + head) / 2 - [0, 0, 0.04 * (hz - cz)], head - [0.3 * form.skull, 0, 0]], [r2 * 0.8, (r2 * 0.8 + neck) / 2, neck], 12, 3, 0.85 * form.flat)
    return solid("coat", "paint", body, stem) + _face(form, head)


def _face(form: Form, head: Array) -> list[Piece]:
    forward, down, radius = form.muzzle
    tip = head + [forward, 0, -down]
    skull = form.skull
    pieces = solid("coat", "paint", ball((skull * 1.05, skull * 0.9, skull), head, 2))
    pieces += solid("coat", "paint", limb([head, head * 0.45 + tip * 0.55, tip], [skull * 0.85, (skull + radius) / 2.1, radius], 10, 2))
    out = (tip - head) / np.linalg.norm(tip - head)
    pieces += solid("muzzle", "paint", limb([tip - out * radius * 0.6, tip + out * radius * 0.15], [radius * 1.06, radius * 0.95], 10, 2))
    pieces += solid("nose", "paint", ball((radius * 0.4, radius * 0.5, radius * 0.35), tip + out * radius * 0.95 + [0, 0, radius * 0.45]))
    eye = ball(skull * 0.17, head + np.array([0.62, 0.68, 0.36]) * skull)
    return pieces + solid("eye", "paint", *mirrored(eye))


def _leg(points: Point, form: Form, paw: float, sides: int = 8) -> Array:
    points = np.asarray(points, float)
    top, foot = form.leg
    return limb(points, np.interp(np.linspace(0, 1, len(points)), [0, 0.45, 1], [top, foot * 1.35, foot]), sides, 3)


def _legs(random: Random, form: Form, paw: float, hock: float) -> list[Piece]:
    """Four legs in a slight stride; `hock` is how far the hind legs' joints stand out backward."""
    pieces: list[Piece] = []
    socks, step = random.random() < 0.4, random.uniform(-1, 1, 4) * hock * 0.9
    for k, (sign, fore) in enumerate([(1, True), (-1, True), (1, False), (-1, False)]):
        (x, z), y = (form.chest if fore else form.rump), sign * form.apart
        foot = np.array([x + step[k] + (0 if fore else -0.3 * hock), y, paw])
        top = np.array([x - (0.1 if fore else -0.3) * hock, y * 0.9, z - 0.15 * form.girth[2]])
        knee = (top + foot) / 2 + ([0.25 * hock, 0, 0] if fore else [0.5 * hock, 0, 0.06 * z])
        low = foot * 0.65 + knee * 0.35 - ([0, 0, 0] if fore else [0.8 * hock, 0, 0])
        pieces += solid("coat", "paint", _leg([top, knee, low, foot], form, paw))
        if socks:
            pieces += solid("patch", "paint", limb([low * 0.6 + foot * 0.4, foot], [form.leg[1] * 1.14, form.leg[1] * 1.1], 8, 1))
        pieces += solid("paw", "paint", ball((paw * 1.5, paw * 1.1, paw), foot + [paw * 0.5, 0, 0]))
    return pieces


def _ears(kind: str, head: Array, skull: float, size: float) -> list[Piece]:
    """Two ears on a skull: upright triangles, hanging flaps, or long spoons."""
    base = head + np.array([-0.25, 0.55, 0.72]) * skull
    if kind == "pointed":
        ear = limb([base, base + [0, 0.12 * size, 0.55 * size], base + [0.05 * size, 0.2 * size, size]], [0.36 * size, 0.26 * size, 0.03 * size], 8, 2)
        inner = limb([base + [0.2 * size, 0.05 * size, 0.1 * size], base + [0.16 * size, 0.16 * size, 0.75 * size]], [0.17 * size, 0.05 * size], 6, 2)
        return solid("ear", "paint", *mirrored(ear)) + solid("inner", "paint", *mirrored(inner))
    if kind == "floppy":
        base = head + np.array([-0.2, 0.8, 0.45]) * skull
        ear = limb([base, base + [0, 0.35 * size, -0.15 * size], base + [0.1 * size, 0.35 * size, -size]], [0.25 * size, 0.38 * size, 0.25 * size], 8, 2)
        return solid("ear", "paint", *mirrored(ear))
    ear = limb([base, base + [-0.12 * size, 0.1 * size, 0.5 * size], base + [-0.22 * size, 0.16 * size, size]], [0.11 * size, 0.17 * size, 0.07 * size], 8, 3)
    inner = limb([base + [0.08 * size, 0.0, 0.2 * size], base + [-0.1 * size, 0.14 * size, 0.85 * size]], [0.09 * size, 0.07 * size], 6, 2)
    return solid("ear", "paint", *mirrored(ear)) + solid("inner", "paint", *mirrored(inner))


def _patches(random: Random, form: Form, count: int) -> list[Piece]:
    """Patches of another colour on the back and the flanks."""
    pieces: list[Piece] = []
    for _ in range(count):
        t, side = random.uniform(0.05, 0.95), random.uniform(-1.3, 1.3)
        at = np.array(form.rump) * (1 - t) + np.array(form.chest) * t
        r = np.interp(t, [0, 0.5, 1], form.girth)
        where = (at[0], r * np.sin(side) * form.flat * 0.6, at[1] + r * np.cos(side) * 0.55)
        pieces += solid("patch", "paint", ball((r * random.uniform(0.6, 1.0), r * 0.5 * form.flat, r * 0.52), where, 2))
    return pieces


def _horse(random: Random) -> list[Piece]:
    u = random.uniform
    tall, long = u(1.05, 1.2), u(0.52, 0.66)
    hx, hz = long + u(0.38, 0.55), tall + u(0.42, 0.72)
    form = Form(
        (-long, tall + 0.04), (long, tall), (u(0.27, 0.33), u(0.27, 0.34), u(0.28, 0.33)), (hx, hz), u(0.14, 0.17),
        (u(0.3, 0.4), u(0.32, 0.42), u(0.085, 0.105)), (u(0.14, 0.18), u(0.05, 0.065)), 0.16, u(0.8, 0.95),
    )  # fmt: skip
    head = np.array([hx, 0, hz])
    pieces = _trunk(form, 0.13) + _legs(random, form, 0.065, 0.14)
    pieces += _ears("pointed", head, form.skull, 0.2)
    crest = np.array([long * 1.0, 0, tall + 0.38])
    for t in np.linspace(0.1, 1.05, 6):
        at = crest * (1 - t) + (head + [-0.16, 0, 0.08]) * t
        pieces += solid("mane", "paint", ball((0.1, 0.045, u(0.13, 0.19)), at))
    pieces += solid("mane", "paint", ball((0.09, 0.06, 0.07), head + [0.06, 0, 0.15]))
    end = (-long - u(0.35, 0.5), 0, u(0.45, 0.75))
    pieces += solid("mane", "paint", limb([(-long - 0.22, 0, tall + 0.2), (-long - u(0.38, 0.46), 0, tall + 0.05), end], [0.05, 0.085, 0.05], 8))
    if random.random() < 0.35:
        pieces += _patches(random, form, int(random.integers(2, 5)))
    if random.random() < 0.5:
        blaze = head + np.array([form.muzzle[0] * 0.42, 0, -form.muzzle[1] * 0.42 + form.skull * 0.72])
        pieces += solid("patch", "paint", moved(ball((0.16, 0.045, 0.03)), blaze, pitch=0.85))
    if random.random() < 0.35:
        top = tall + max(form.girth) * 0.85
        pieces += solid("saddle", "paint", ball((0.26, 0.26, 0.1), (u(-0.05, 0.05), 0, top), 2))
        pieces += solid("saddle", "paint", moved(ring(0.325, 0.02, 0.07, 18, 5), (0, 0, tall), yaw=np.pi / 2))
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
    form = Form(
        rump, chest, (deep * u(0.8, 0.95) * (1.15 if sits else 1), deep * u(0.8, 1.0), deep * 1.1), (hx, hz), skull,
        (snout, snout * u(0.15, 0.4), skull * u(0.45, 0.6)), (u(0.045, 0.058), u(0.022, 0.034)), deep * 0.62, u(0.85, 1.0),
    )  # fmt: skip
    head = np.array([hx, 0, hz])
    pieces = _trunk(form, skull * 0.75)
    pieces += _sitting_legs(form) if sits else _legs(random, form, form.leg[1], 0.05)
    pieces += _ears(pick(random, "pointed", "floppy", "floppy"), head, skull, u(0.085, 0.13))
    start = np.array([rump[0] - form.girth[0] * 0.7, 0, rump[1] + (-0.07 if sits else form.girth[0] * 0.6)])
    kind, bush = pick(random, "up", "curl", "down"), u(0.018, 0.04)
    if sits:
        way = [(-0.1, -0.01), (-0.2, u(0.0, 0.12))]
    else:
        way = {"up": [(-0.1, 0.1), (-0.14, 0.24)], "curl": [(-0.1, 0.12), (-0.0, 0.17)], "down": [(-0.1, -0.02), (-0.14, -0.14)]}[kind]
    tail = [start, *(start + [x, 0, max(z, 0.025 - start[2])] for x, z in way)]
    pieces += solid("coat", "paint", limb(tail, [0.022, bush, bush * 0.6], 8))
    if random.random() < 0.5:
        pieces += _patches(random, form, int(random.integers(1, 5)))
    if random.random() < 0.6:
        pieces += solid("patch", "paint", ball((0.05, deep * 0.6, deep * 0.75), (chest[0] + deep * 0.75, 0, chest[1] + 0.01), 2))
    if random.random() < 0.6:
        neck = np.array([chest[0], 0, chest[1] + 0.35 * deep]) * 0.42 + head * 0.58
        pieces += solid("collar", "paint", moved(ring(skull * 1.02, 0.012, 0.035, 18, 5), neck, roll=np.pi / 2, pitch=0.7))
    return pieces


def _sitting_legs(form: Form) -> list[Piece]:
    (cx, cz), (rx, rz) = form.chest, form.rump
    foot, y = form.leg[1], form.apart
    front = limb([(cx + 0.02, y, cz - 0.04), (cx + 0.035, y * 1.02, cz * 0.45), (cx + 0.045, y * 1.05, foot)], [form.leg[0], foot * 1.2, foot], 8)
    reach = (cx - rx) * 0.75
    thigh = ball((form.girth[0] * 0.85, form.girth[0] * 0.5, form.girth[0] * 0.9), (rx + 0.35 * reach, y * 1.35, rz * 0.85), 2)
    shin = limb([(rx + 0.1 * reach, y * 1.6, foot), (rx + reach, y * 1.65, foot)], [foot, foot], 8, 2)
    paw = ball((foot * 1.6, foot * 1.1, foot), (cx + 0.045 + foot * 0.6, y * 1.05, foot))
    toe = ball((foot * 1.5, foot * 1.15, foot), (rx + reach + foot * 0.5, y * 1.65, foot))
    return solid("coat", "paint", *mirrored(front), *mirrored(thigh), *mirrored(shin)) + solid("paw", "paint", *mirrored(paw), *mirrored(toe))


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
    form = Form(
        rump, chest, (0.075 * slim if sits else 0.062 * slim, 0.066 * slim, 0.06 * slim), (hx, hz), skull,
        (skull * u(0.7, 0.85), skull * 0.32, skull * 0.42), (0.03, u(0.017, 0.021)), 0.036, u(0.85, 1.0),
    )  # fmt: skip
    head = np.array([hx, 0, hz])
    pieces = _trunk(form, skull * 0.72) + (_sitting_legs(form) if sits else _legs(random, form, 0.018, 0.03))
    pieces += _ears("pointed", head, skull, u(0.058, 0.078))
    thick, x = u(0.013, 0.026), rump[0] - form.girth[0] * 0.75
    if sits and random.random() < 0.5:  # wound around the feet
        tail = [(x, 0, 0.03), (x + 0.02, -0.1, 0.025), (x + 0.13, -0.125, 0.022), (x + 0.2, -0.09, 0.022)]
    elif sits:
        tail = [(x, 0, 0.03), (x - 0.1, 0.02, 0.025), (x - 0.17, 0.07 * u(-1, 1), u(0.025, 0.1))]
    elif random.random() < 0.6:
        tail = [(x, 0, rump[1] + 0.02), (x - 0.07, 0, rump[1] + 0.06), (x - 0.06, 0.02, rump[1] + 0.18), (x - u(0.0, 0.13), 0.03, rump[1] + 0.25)]
    else:
        tail = [(x, 0, rump[1] + 0.02), (x - 0.1, 0, rump[1] - 0.03), (x - 0.2, 0, rump[1] - 0.09), (x - 0.27, 0, rump[1] - u(0.0, 0.09))]
    pieces += solid("coat", "paint", limb(tail, thick, 8))
    pieces += solid("patch" if random.random() < 0.5 else "coat", "paint", limb([tail[-1], np.multiply(tail[-1], 0.8) + np.multiply(tail[-2], 0.2)], thick * 1.06, 8, 1))
    coat = pick(random, "stripes", "patches", "bib", "plain")
    if coat == "stripes":
        for t in np.linspace(0.1, 0.9, int(random.integers(4, 7))):
            at = np.array(rump) * (1 - t) + np.array(chest) * t
            r = np.interp(t, [0, 0.5, 1], form.girth)
            band = moved(ring(r * 0.98, r * 0.08, 0.014, 16, 4), (at[0], 0, at[1] - (0.1 * r if 0.2 < t < 0.8 else 0)), yaw=np.pi / 2, pitch=-0.9 if sits else 0)
            band.vertices = np.asarray(band.vertices) * (1, form.flat, 1)
            pieces += solid("patch", "paint", band)
    elif coat == "patches":
        pieces += _patches(random, form, int(random.integers(2, 5)))
    if coat in ("bib", "patches"):
        pieces += solid("pale", "paint", ball((0.03, 0.036, 0.06), (chest[0] + 0.045 * slim, 0, chest[1] - 0.01), 2))
    if random.random() < 0.4:
        at = np.array([chest[0], 0, chest[1] + 0.02]) * 0.4 + head * 0.6
        pieces += solid("collar", "paint", moved(ring(skull * 0.9, 0.008, 0.02, 16, 5), at - [0.006, 0, 0.01], roll=np.pi / 2, pitch=0.3 if sits else 0.8))
    return pieces


def _rabbit(random: Random) -> list[Piece]:
    """A crouching rabbit, ears up, back or hanging."""
    u = random.uniform
    rump, chest, skull = u(0.085, 0.105), u(0.06, 0.075), u(0.05, 0.06)
    upright = random.random() < 0.3
    cx, cz = (0.1, 0.17) if upright else (0.115, 0.085)
    pieces = solid("coat", "paint", limb([(-0.07, 0, rump), ((cx - 0.05) / 2, 0, (rump + cz) / 2 + 0.02), (cx, 0, cz)], [rump, (rump + chest) / 2, chest], 14, 4, 0.85))
    hx, hz = cx + u(0.035, 0.075), cz + u(0.08, 0.115)
    form = Form((0, 0), (0, 0), (0, 0, 0), (hx, hz), skull, (skull * 0.95, skull * 0.4, skull * 0.5), (0, 0), 0)
    head = np.array([hx, 0, hz])
    pieces += _face(form, head) + solid("coat", "paint", limb([(cx, 0, cz), head], [chest * 0.9, skull * 0.85], 10, 2))
    kind = pick(random, "long", "long", "long", "long", "floppy")
    pieces += _ears(kind, head, skull, u(0.11, 0.19) if kind == "long" else u(0.075, 0.1))
    pieces += solid("pale", "paint", ball(u(0.026, 0.04), (-0.07 - rump * 0.97, 0, rump * 0.75), 2))
    thigh = ball((0.075, 0.035, 0.07), (-0.05, rump * 0.62, 0.07), 2)
    foot = limb([(-0.07, rump * 0.7, 0.018), (0.035, rump * 0.75, 0.016)], [0.018, 0.017], 8, 1)
    pieces += solid("coat", "paint", *mirrored(thigh)) + solid("paw", "paint", *mirrored(foot))
    fore = limb([(cx + 0.01, 0.032, cz - 0.02), (cx + 0.03, 0.032, 0.014 if not upright else cz - 0.07)], [0.024, 0.014], 8, 2)
    pieces += solid("coat", "paint", *mirrored(fore))
    pieces += solid("paw", "paint", *mirrored(ball((0.022, 0.014, 0.013), (cx + 0.04, 0.032, 0.013 if not upright else cz - 0.08))))
    if random.random() < 0.4:
        pieces += _patches(random, Form((-0.08, rump), (cx, cz), (rump, rump * 0.95, chest), (0, 0), 0, (0, 0, 0), (0, 0), 0, 0.85), 3)
    if random.random() < 0.5:
        pieces += solid("pale", "paint", ball((0.04, 0.045, 0.05), (cx + 0.025, 0, cz - 0.02), 2))
    return pieces


def _chicken(random: Random) -> list[Piece]:
    u = random.uniform
    stout, leg, cock = u(0.085, 0.11), u(0.09, 0.14), random.random() < 0.35
    z = leg + stout * 0.8
    neck = np.array([0.11, 0, z + u(0.15, 0.2) + 0.05 * cock])
    pieces = solid("feather", "paint", limb([(-0.07, 0, z + 0.02), (0, 0, z), (0.06, 0, z + 0.03)], [stout * 0.7, stout, stout * 0.8], 12, 4, u(0.8, 0.95)))
    pieces += solid("neck", "paint", limb([(0.055, 0, z + 0.05), (0.085, 0, (z + neck[2]) / 2 + 0.02), neck], [stout * 0.72, 0.045, 0.033], 10))
    pieces += solid("neck", "paint", ball((0.038, 0.032, 0.034), neck + [0.008, 0, 0.008], 2))
    pieces += solid("beak", "paint", tube([neck + [0.035, 0, 0.005], neck + [0.08, 0, -0.008]], [0.016, 0.002], 8))
    for k in range(count := int(random.integers(3, 6))):
        at = neck + [0.035 - 0.065 * k / (count - 1), 0, 0.042 + 0.012 * np.sin(np.pi * k / (count - 1))]
        pieces += solid("comb", "paint", ball((0.016, 0.007, u(0.018, 0.026) + 0.01 * cock), at))
    pieces += solid("comb", "paint", *mirrored(ball((0.009, 0.007, 0.02), neck + [0.036, 0.01, -0.034])))
    pieces += solid("eye", "paint", *mirrored(ball(0.007, neck + [0.022, 0.028, 0.014])))
    rise, many = u(0.06, 0.16) + 0.1 * cock, int(random.integers(3, 6))
    for k, side in enumerate(np.linspace(-0.5, 0.5, many)):
        root, up = np.array([-0.09, side * 0.05, z + 0.05]), 1 - abs(side)
        feather = [root, root + [-0.06, side * 0.03, rise * 0.7 * up], root + [-u(0.09, 0.13), side * 0.07, rise * up * (0.6 if cock else 1)]]
        pieces += solid("tail", "paint", limb(feather, [0.03, 0.032, 0.014], 8, 2))
    wing = limb([(0.045, stout * 0.78, z + 0.035), (-0.03, stout * 0.86, z + 0.015), (-0.11, stout * 0.72, z + 0.02)], [0.035, 0.042, 0.014], 8)
    wing.vertices = np.asarray(wing.vertices) * (1, 0.8, 1) + (0, 0.012, 0)
    pieces += solid("wing", "paint", *mirrored(wing))
    step = u(-0.03, 0.03)
    for sign in (1, -1):
        x, y = 0.005 + sign * step, sign * 0.04
        pieces += solid("beak", "paint", limb([(0, y, z - stout * 0.6), (x - 0.015, y, leg * 0.55), (x, y, 0.008)], [0.026, 0.011, 0.009], 6, 2))
        for toe in ((0.05, -0.025), (0.058, 0.0), (0.05, 0.025), (-0.03, 0.0)):
            pieces += solid("beak", "paint", rod((x, y, 0.008), (x + toe[0], y + toe[1], 0.006), 0.006, 5))
    return pieces


def _rocking_horse(random: Random) -> list[Piece]:
    """A toy horse on two runners; the scene's colour is its body's."""
    u = random.uniform
    seat, long, boards = u(0.27, 0.33), u(0.15, 0.18), random.random() < 0.5
    hx, hz = long + u(0.05, 0.1), seat + u(0.15, 0.2)
    t = np.radians(np.linspace(-u(34, 42), u(34, 42), 15))
    bow = u(0.5, 0.62)
    line = np.c_[bow * np.sin(t), bow * (1 - np.cos(t))]
    runner = slab(np.r_[line, (line + [0, u(0.03, 0.045)])[::-1]], 0.025)
    across = u(0.1, 0.125)
    pieces = solid("runner", "paint", *(moved(runner, (0, y, 0)) for y in (across, -across)))
    for x in (-0.22, 0.22):
        z = bow * (1 - np.cos(np.arcsin(x / bow))) + 0.03
        pieces += solid("runner", "paint", box(0.04, 2 * across, 0.02, (x, 0, z)))
    if boards:  # cut out of boards
        outline = [(-long - 0.05, seat - 0.05), (long - 0.02, seat - 0.05), (long + 0.05, seat), (hx + 0.02, hz - 0.08), (hx + 0.11, hz - 0.07),
                   (hx + 0.13, hz - 0.02), (hx + 0.05, hz + 0.06), (hx, hz + 0.11), (hx - 0.05, hz + 0.06), (long - 0.07, seat + 0.05), (-long - 0.03, seat + 0.05)]  # fmt: skip
        pieces += solid("main", "paint", slab(outline, 0.05, 0.008), box(2 * long, 0.15, 0.04, (-0.02, 0, seat + 0.04)))
    else:
        form = Form((-long, seat), (long, seat), (0.075, 0.07, 0.078), (hx, hz), 0.055, (0.09, 0.06, 0.034), (0, 0), 0, 0.95)
        pieces += [("main" if n in ("coat", "muzzle") else n, m, g) for n, m, g in _trunk(form, 0.045)]
        pieces += [("main", m, g) for _, m, g in _ears("pointed", np.array([hx, 0, hz]), 0.05, 0.055)]
    for x, sign in [(x, s) for x in (-1, 1) for s in (1, -1)]:
        foot = (x * (long + 0.06), sign * across, 0.05 + 0.02)
        pieces += solid("main", "paint", limb([(x * (long - 0.02), sign * 0.045, seat), foot], [0.034, 0.024], 8, 2))
    crest = np.array([long + 0.0, 0, seat + 0.1])
    for s in np.linspace(0, 1, 6):
        pieces += solid("mane", "paint", ball((0.032, 0.034, 0.045), crest * (1 - s) + np.array([hx - 0.045, 0, hz + 0.06]) * s))
    pieces += solid("mane", "paint", limb([(-long - 0.06, 0, seat + 0.03), (-long - 0.13, 0, seat + 0.02), (-long - 0.15, 0, seat - u(0.07, 0.14))], [0.02, 0.034, 0.016], 8))
    pieces += solid("saddle", "paint", ball((0.1, 0.08, 0.03), (-0.03, 0, seat + 0.072), 2))
    if random.random() < 0.5:
        pieces += solid("saddle", "paint", ball((0.03, 0.085, u(0.06, 0.1)), (-long + 0.01, 0, seat + 0.11)))
    pieces += solid("grip", "paint", rod((hx - 0.02, -0.11, hz - 0.005), (hx - 0.02, 0.11, hz - 0.005), 0.013, 8))
    return scaled(pieces, (1, 0.95, 1))


SHAPES: dict[str, Generator] = {
    "horse": _horse, "dog": _dog, "cat": _cat, "rabbit": _rabbit, "chicken": _chicken,
    "rocking horse": _rocking_horse,
}  # fmt: skip
_HIDE = "1c1917 5a3a22 8a5a30 b98a52 d9c09a eeeae2 7c7670 3b2a20"
PALETTES: dict[str, Palettes] = {
    "horse": {
        "coat": "6a3d20 8a5128 3a2417 1d1a18 a87a4a d8cfc0 8c8883 b8783c", "mane": "1a1512 3a2618 e0d2b4 cfc9c0 5a3a22 241c18",
        "ear": "6a3d20 3a2417 1d1a18", "inner": "4a3028 7a5a4c", "muzzle": "2a2220 5a4238 8a7a72 3a2c26", "nose": "1a1614", "eye": "140f0d",
        "paw": "2a2522 4a3f36 15120f", "patch": "f2efe8 e8e2d6", "saddle": "4a2a18 7a4a26 1c1a19 5e2f22",
    },
    "dog": {
        "coat": _HIDE + " c98a3c a9622c", "ear": "3b2a20 1c1917 8a5a30 5a3a22 b98a52", "inner": "c99a90 8a5a50", "muzzle": "1f1b19 e8dfd0 8a5a30 c9a878 3b2a20",
        "nose": "120f0e", "eye": "120d0a", "paw": "f0ece4 5a3a22 b98a52 1c1917 8a5a30", "patch": "f4f1ea 1c1917 5a3a22 e8ddc8",
        "collar": "c8201e 1d4fae 2f9e44 f2b705 22252a",
    },
    "cat": {
        "coat": "c9803a d99a55 1c1b1a 8d8a86 6f6a64 e9e4da d2bd9c 5f4a38 a09486", "ear": "3a2e26 8d8a86 c9803a 1c1b1a", "inner": "d9a59a c98a80",
        "muzzle": "f0ebe2 e8d8c4 d9cbb8", "nose": "b86a64 2a2020", "eye": "3c5c1e 8a7a1a 14100c", "paw": "f2eee6 c9803a 8d8a86 1c1b1a",
        "patch": "2a2420 8a4a1e 4a4038 1a1817 f2eee6", "pale": "f6f3ee ede6da", "collar": "c8201e 1d4fae e2559b f2b705",
    },
    "rabbit": {
        "coat": "a08a70 8a8078 f2eee8 6a5440 c9a67c 2c2725 d8cbb8", "ear": "a08a70 8a8078 f2eee8 6a5440", "inner": "e0b0a6 d09a90", "muzzle": "f2ece2 d8cbb8 c9b8a0",
        "nose": "c98880 5a4440", "eye": "1a1210 7a2020", "paw": "f2ece2 c9b8a0 a08a70", "patch": "f4f0ea 4a3a30 8a6a4a", "pale": "f8f6f2 f0eae0",
    },
    "chicken": {
        "feather": "f2ede2 a8622c 7a3f1c 2a211c d9a860 8a8178", "neck": "f2ede2 c98a3c a8622c 3a2a20 e0c080", "wing": "e8e0d0 8a4e22 5a3018 1f1a18 c08a4a",
        "tail": "1c2a26 2a211c f0eadc 7a3f1c 1a1c22", "comb": "c81e1e b01818 d8342c", "beak": "e8a020 d98a1a e0b040", "eye": "120d0a",
    },
    "rocking horse": {
        "runner": WOODS + " b03a2e 1f4e79 e8e4da", "mane": "2a1d16 e8d8b0 5a3a22 c98b2b f2efe8", "saddle": "8c2323 1f3f7a 4a2a18 2f6d44 e0a526",
        "grip": WOODS, "eye": "120d0a", "nose": "2a1c16",
    },
}  # fmt: skip
