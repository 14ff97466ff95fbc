"""Parts of quadrupeds: trunk, face, legs, ears, patches."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from po3d.synthesis.shapes.limbs import limb, mirrored
from po3d.synthesis.shapes.mesh import Piece, Random, painted
from po3d.synthesis.shapes.primitives import Array, ball


class QuadrupedFrame(NamedTuple):
    """A quadruped's skeleton: joints in side view (x, z), radii, and its ends."""

    rump: tuple[float, float]
    chest: tuple[float, float]
    girth: tuple[float, float, float]  # radii of the trunk: rump, belly, chest
    head: tuple[float, float]
    skull: float  # radius
    muzzle: tuple[float, float, float]  # (forward, down) of its end from the head, radius there
    leg: tuple[float, float]  # radii at the top and at the foot
    apart: float  # half distance of left and right legs
    flat: float = 1.0  # width of the trunk over its height


def trunk(form: QuadrupedFrame, neck: float) -> list[Piece]:
    """Build body, neck and head of a standing animal; `neck` is the neck's radius at the head."""
    (rx, rz), (cx, cz), (hx, hz) = form.rump, form.chest, form.head
    r0, r1, r2 = form.girth
    line = [(rx, 0, rz), ((rx + cx) / 2, 0, (rz + cz) / 2 - 0.1 * r1), (cx, 0, cz)]
    body = limb(line, [r0, r1, r2], 14, 4, form.flat)
    base = np.array([cx, 0, cz + 0.35 * r2])
    head = np.array([hx, 0, hz])
    line = [base, (base + head) / 2 - [0, 0, 0.04 * (hz - cz)], head - [0.3 * form.skull, 0, 0]]
    stem = limb(line, [r2 * 0.8, (r2 * 0.8 + neck) / 2, neck], 12, 3, 0.85 * form.flat)
    return painted("coat", body, stem) + face(form, head)


def face(form: QuadrupedFrame, head: Array) -> list[Piece]:
    forward, down, radius = form.muzzle
    tip = head + [forward, 0, -down]
    skull = form.skull
    pieces = painted("coat", ball((skull * 1.05, skull * 0.9, skull), head, 2))
    pieces += painted(
        "coat",
        limb(
            [head, head * 0.45 + tip * 0.55, tip],
            [skull * 0.85, (skull + radius) / 2.1, radius],
            10,
            2,
        ),
    )
    out = (tip - head) / np.linalg.norm(tip - head)
    pieces += painted(
        "muzzle",
        limb(
            [tip - out * radius * 0.6, tip + out * radius * 0.15],
            [radius * 1.06, radius * 0.95],
            10,
            2,
        ),
    )
    radii = (radius * 0.4, radius * 0.5, radius * 0.35)
    pieces += painted("nose", ball(radii, tip + out * radius * 0.95 + [0, 0, radius * 0.45]))
    eye = ball(skull * 0.17, head + np.array([0.62, 0.68, 0.36]) * skull)
    return pieces + painted("eye", *mirrored(eye))


def _leg(points: ArrayLike, form: QuadrupedFrame) -> Array:
    points = np.asarray(points, float)
    top, foot = form.leg
    radii = np.interp(np.linspace(0, 1, len(points)), [0, 0.45, 1], [top, foot * 1.35, foot])
    return limb(points, radii, 8, 3)


def legs(random: Random, form: QuadrupedFrame, paw: float, hock: float) -> list[Piece]:
    """Build four legs in a slight stride; `hock` is how far the hind legs' joints are displaced
    backwards.
    """
    pieces: list[Piece] = []
    socks, step = random.random() < 0.4, random.uniform(-1, 1, 4) * hock * 0.9
    for k, (sign, fore) in enumerate([(1, True), (-1, True), (1, False), (-1, False)]):
        (x, z), y = (form.chest if fore else form.rump), sign * form.apart
        foot = np.array([x + step[k] + (0 if fore else -0.3 * hock), y, paw])
        top = np.array([x - (0.1 if fore else -0.3) * hock, y * 0.9, z - 0.15 * form.girth[2]])
        knee = (top + foot) / 2 + ([0.25 * hock, 0, 0] if fore else [0.5 * hock, 0, 0.06 * z])
        low = foot * 0.65 + knee * 0.35 - ([0, 0, 0] if fore else [0.8 * hock, 0, 0])
        pieces += painted("coat", _leg([top, knee, low, foot], form))
        if socks:
            pieces += painted(
                "patch",
                limb([low * 0.6 + foot * 0.4, foot], [form.leg[1] * 1.14, form.leg[1] * 1.1], 8, 1),
            )
        pieces += painted("paw", ball((paw * 1.5, paw * 1.1, paw), foot + [paw * 0.5, 0, 0]))
    return pieces


def sitting_legs(form: QuadrupedFrame) -> list[Piece]:
    (cx, cz), (rx, rz) = form.chest, form.rump
    foot, y = form.leg[1], form.apart
    front = limb(
        [
            (cx + 0.02, y, cz - 0.04),
            (cx + 0.035, y * 1.02, cz * 0.45),
            (cx + 0.045, y * 1.05, foot),
        ],
        [form.leg[0], foot * 1.2, foot],
        8,
    )
    reach = (cx - rx) * 0.75
    thigh = ball(
        (form.girth[0] * 0.85, form.girth[0] * 0.5, form.girth[0] * 0.9),
        (rx + 0.35 * reach, y * 1.35, rz * 0.85),
        2,
    )
    shin = limb(
        [(rx + 0.1 * reach, y * 1.6, foot), (rx + reach, y * 1.65, foot)], [foot, foot], 8, 2
    )
    paw = ball((foot * 1.6, foot * 1.1, foot), (cx + 0.045 + foot * 0.6, y * 1.05, foot))
    toe = ball((foot * 1.5, foot * 1.15, foot), (rx + reach + foot * 0.5, y * 1.65, foot))
    return painted("coat", *mirrored(front), *mirrored(thigh), *mirrored(shin)) + painted(
        "paw", *mirrored(paw), *mirrored(toe)
    )


def ears(kind: str, head: Array, skull: float, size: float) -> list[Piece]:
    """Build two ears on a skull: upright triangles, hanging flaps, or long spoons."""
    base = head + np.array([-0.25, 0.55, 0.72]) * skull
    if kind == "pointed":
        line = [base, base + [0, 0.12 * size, 0.55 * size], base + [0.05 * size, 0.2 * size, size]]
        ear = limb(line, [0.36 * size, 0.26 * size, 0.03 * size], 8, 2)
        line = [
            base + [0.2 * size, 0.05 * size, 0.1 * size],
            base + [0.16 * size, 0.16 * size, 0.75 * size],
        ]
        inner = limb(line, [0.17 * size, 0.05 * size], 6, 2)
        return painted("ear", *mirrored(ear)) + painted("inner", *mirrored(inner))
    if kind == "floppy":
        base = head + np.array([-0.2, 0.8, 0.45]) * skull
        line = [
            base,
            base + [0, 0.35 * size, -0.15 * size],
            base + [0.1 * size, 0.35 * size, -size],
        ]
        ear = limb(line, [0.25 * size, 0.38 * size, 0.25 * size], 8, 2)
        return painted("ear", *mirrored(ear))
    line = [
        base,
        base + [-0.12 * size, 0.1 * size, 0.5 * size],
        base + [-0.22 * size, 0.16 * size, size],
    ]
    ear = limb(line, [0.11 * size, 0.17 * size, 0.07 * size], 8, 3)
    line = [base + [0.08 * size, 0.0, 0.2 * size], base + [-0.1 * size, 0.14 * size, 0.85 * size]]
    inner = limb(line, [0.09 * size, 0.07 * size], 6, 2)
    return painted("ear", *mirrored(ear)) + painted("inner", *mirrored(inner))


def patches(random: Random, form: QuadrupedFrame, count: int) -> list[Piece]:
    """Build patches of another colour on the back and the flanks."""
    pieces: list[Piece] = []
    for _ in range(count):
        t, side = random.uniform(0.05, 0.95), random.uniform(-1.3, 1.3)
        at = np.array(form.rump) * (1 - t) + np.array(form.chest) * t
        r = np.interp(t, [0, 0.5, 1], form.girth)
        where = (at[0], r * np.sin(side) * form.flat * 0.6, at[1] + r * np.cos(side) * 0.55)
        pieces += painted(
            "patch", ball((r * random.uniform(0.6, 1.0), r * 0.5 * form.flat, r * 0.52), where, 2)
        )
    return pieces
