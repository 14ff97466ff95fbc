"""One parametric standing person in clothes, as man, woman, boy and girl.

Lengths are fractions of the height until `person` scales them; the face is at +x.
"""

from typing import NamedTuple

import numpy as np

from po3d.synthesis.shapes.limbs import column, limb, mirrored, scaled, smooth_column
from po3d.synthesis.shapes.mesh import Generator, Piece, Random, painted, pick
from po3d.synthesis.shapes.primitives import Array, ball, moved, moved_all, rod, tube
from po3d.synthesis.shapes.turned import upright


class Build(NamedTuple):
    """Proportions of men, women and children."""

    height: tuple[float, float]  # metres
    head: tuple[float, float]  # height of the head, as a share
    shoulder: tuple[float, float]  # half widths
    hip: tuple[float, float]
    waist: tuple[float, float]
    bust: float
    hair: tuple[str, ...]
    lower: tuple[str, ...]


MAN = Build(
    (1.68, 1.92), (0.128, 0.14), (0.108, 0.13), (0.082, 0.094), (0.078, 0.105), 0.0,
    ("short", "short", "bald", "cap", "afro", "hat"), ("trousers", "trousers", "shorts"),
)  # fmt: skip


WOMAN = Build(
    (1.58, 1.76), (0.13, 0.142), (0.094, 0.106), (0.086, 0.104), (0.062, 0.078), 0.022,
    ("long", "long", "bob", "bun", "ponytail"), ("trousers", "skirt", "dress", "dress"),
)  # fmt: skip


BOY = Build(
    (1.1, 1.55), (0.155, 0.19), (0.096, 0.11), (0.078, 0.088), (0.07, 0.085), 0.0,
    ("short", "bowl", "cap", "afro"), ("trousers", "shorts", "shorts"),
)  # fmt: skip


GIRL = Build(
    (1.1, 1.52), (0.155, 0.19), (0.088, 0.1), (0.078, 0.088), (0.066, 0.08), 0.0,
    ("long", "pigtails", "ponytail", "bun"), ("dress", "dress", "skirt", "trousers"),
)  # fmt: skip


def person(random: Random, build: Build) -> list[Piece]:
    """Build a standing person, in metres."""
    u = random.uniform
    shoulder, hip, waist = u(*build.shoulder), u(*build.hip), u(*build.waist)
    child = build.head[0] > 0.15
    head, crotch = u(*build.head), u(0.44, 0.47) if child else u(0.465, 0.49)
    depth = u(0.058, 0.075) + max(0.0, waist - 0.09)
    lower, hair = pick(random, *build.lower), pick(random, *build.hair)
    neck = 1 - head - u(0.005, 0.02)
    pieces = _torso(random, shoulder, hip, waist, depth, crotch, neck, build.bust, lower)
    pieces += _lower(random, lower, hip, waist, depth, crotch)
    pieces += _arms(random, shoulder, hip, neck, depth, lower)
    pieces += head_of(random, head, neck, hair, build is MAN)
    if child and random.random() < 0.3 and hair not in ("long", "ponytail"):
        pieces += painted("bag", ball((0.05, 0.075, 0.095), (-depth - 0.03, 0, neck - 0.14), 2))
    return scaled(pieces, u(*build.height))


def _torso(
    random: Random,
    shoulder: float,
    hip: float,
    waist: float,
    depth: float,
    crotch: float,
    neck: float,
    bust: float,
    lower: str,
) -> list[Piece]:
    chest = (crotch + 2.6 * neck) / 3.6
    middle = (crotch + neck) / 2 - 0.015
    belly = random.uniform(0, 0.02)
    rows = [
        (crotch - 0.01, 0, depth * 0.8, hip * 0.85),
        (crotch + 0.05, 0, depth * 1.02, hip),
        (middle, belly / 2, depth * 0.88 + belly, waist),
        (chest, bust / 3, depth + bust / 2, (shoulder + waist) / 2 + 0.008),
        (neck - 0.055, -0.005, depth * 0.92, shoulder * 0.95),
        (neck - 0.02, -0.008, depth * 0.62, shoulder * 0.6),
        (neck + 0.005, -0.008, 0.036, 0.036),
    ]
    top = "dress" if lower == "dress" else "shirt"
    pieces = painted(top, smooth_column(rows, 18))
    kind = pick(random, "plain", "jacket", "stripes", "badge")
    if kind == "jacket" and lower != "dress":
        wide = [(z, x - 0.004, d * 1.1, w * 1.05) for z, x, d, w in rows[:-1]]
        wide[0] = (
            crotch - random.uniform(0.0, 0.2) * (lower != "shorts"),
            0,
            depth * 1.1,
            hip * 1.04,
        )
        pieces += painted("jacket", smooth_column(wide, 18))
        front = depth * 1.16 + bust
        pieces += painted("shirt", column([
            (middle - 0.05, front - 0.03, 0.03, 0.008), (chest, front - 0.028, 0.03, 0.026),
            (neck - 0.03, depth * 0.55, 0.03, 0.04),
        ], 8))  # fmt: skip
    elif kind == "stripes":
        many = int(random.integers(1, 4))
        for z in np.linspace(middle, chest + 0.02, many):
            levels, columns = [z - 0.012, z + 0.012], np.array(rows).T
            x, d, w = (np.interp(levels, columns[0], column_) for column_ in columns[1:])
            pieces += painted("stripe", column(np.c_[levels, x, d * 1.05, w * 1.05], 18))
    elif kind == "badge":
        at = (depth * 0.85 + bust / 2, 0, chest)
        pieces += painted(
            "stripe", ball((0.02, random.uniform(0.02, 0.05), random.uniform(0.02, 0.04)), at)
        )
    return pieces


def _lower(
    random: Random, lower: str, hip: float, waist: float, depth: float, crotch: float
) -> list[Piece]:
    u = random.uniform
    stride, spacing, loose = u(-0.06, 0.06), u(0.85, 1.15), u(0.9, 1.2)
    pieces: list[Piece] = []
    hem = {
        "trousers": 0.05,
        "shorts": u(0.27, 0.36),
        "skirt": u(0.16, 0.34),
        "dress": u(0.1, 0.34),
    }[lower]
    for sign in (1, -1):
        y = sign * hip * 0.52
        top, ankle = (
            np.array([0, y, crotch + 0.01]),
            np.array([-0.012 + sign * stride / 2, y * spacing, 0.04]),
        )
        knee = (top + ankle) / 2 + [0.012, 0, 0.005]
        bare = [0.046, 0.034, 0.022]
        pieces += painted(
            "trousers" if lower == "trousers" else "skin",
            limb(
                [top, knee, ankle],
                np.multiply(bare, (1.08, 1.15 * loose, 1.4 * loose))
                if lower == "trousers"
                else bare,
            ),
        )
        if lower == "shorts":
            share = (crotch - hem) / (crotch - 0.04)
            pieces += painted(
                "trousers",
                tube(
                    [top, top + (ankle - top) * share / 2, top + (ankle - top) * share],
                    [0.05, 0.052 * loose, 0.053 * loose],
                    10,
                ),
            )
        line = [
            ankle + [-0.012, 0, -0.018],
            ankle + [0.04, sign * 0.006, -0.02],
            ankle + [0.085, sign * 0.012, -0.025],
        ]
        foot = limb(line, [0.021, 0.024, 0.017], 8, 2)
        pieces += painted("shoes", foot)
    if lower in ("trousers", "shorts"):
        low = [
            (crotch - 0.02, 0, depth * 0.75, hip * 0.8),
            (crotch + 0.05, 0, depth * 1.06, hip * 1.03),
        ]
        pieces += painted(
            "trousers", column([*low, (crotch + u(0.07, 0.1), 0, depth * 1.02, hip * 0.99)], 18)
        )
    else:
        flare = u(1.05, 1.9)
        top = (crotch + 0.12, 0.004, depth * 0.98, waist * 1.04)
        middle = (crotch + 0.04, 0, depth * 1.12, hip * 1.05)
        end = (hem, 0, max(0.07, depth * 1.05) * flare, hip * flare)
        pieces += painted(
            "skirt" if lower == "skirt" else "dress", smooth_column([end, middle, top], 20)
        )
    return pieces


def _arms(
    random: Random, shoulder: float, hip: float, neck: float, depth: float, lower: str
) -> list[Piece]:
    u = random.uniform
    both = pick(random, "down", "down", "hips", "crossed", "folded", "apart", "apart")
    sleeve = pick(random, "long", "short", "short")
    cloth = "dress" if lower == "dress" else "shirt"
    pieces: list[Piece] = []
    for sign in (1, -1):
        pose = pick(random, "down", "wave", "forward", "hips", "down") if both == "apart" else both
        start = np.array([-0.005, sign * shoulder * 0.9, neck - 0.05])
        elbow, wrist = _arm(pose, sign, start, hip, depth, u)
        pieces += painted(
            "skin" if sleeve == "short" else cloth,
            limb([start, elbow, wrist], [0.026, 0.022, 0.018]),
        )
        middle = start + (elbow - start) * u(0.55, 0.85)
        pieces += painted(cloth, limb([start, middle], [0.033, 0.03]))
        out = (wrist - elbow) / np.linalg.norm(wrist - elbow)
        pieces += painted("skin", limb([wrist, wrist + out * 0.045], [0.017, 0.02], 8, 1))
    return pieces


def _arm(pose: str, sign: int, start: Array, hip: float, depth: float, u) -> tuple[Array, Array]:
    """Return elbow and wrist."""
    if pose == "hips":
        return start + [-0.03, sign * u(0.08, 0.11), -0.125], np.array(
            [depth * 0.5, sign * hip * 1.1, start[2] - 0.25]
        )
    if pose == "crossed":
        return start + [0.03, sign * 0.035, -0.155], np.array(
            [depth + 0.045, -sign * 0.04, start[2] - 0.11 - 0.015 * sign]
        )
    if pose == "folded":
        return start + [0.0, sign * 0.045, -0.15], np.array(
            [depth + 0.04, sign * 0.015, start[2] - 0.27]
        )
    if pose == "wave":
        return start + [0.02, sign * 0.15, -u(0.0, 0.06)], start + [
            0.04,
            sign * u(0.15, 0.22),
            0.12,
        ]
    if pose == "forward":
        return start + [0.02, sign * 0.03, -0.16], start + [
            0.16,
            sign * 0.02,
            -0.14 + u(-0.03, 0.05),
        ]
    a, b = u(0.08, 0.4), u(0.05, 0.45)
    elbow = start + 0.165 * np.array([-0.1, sign * np.sin(a), -np.cos(a)])
    return elbow, elbow + 0.145 * np.array([np.sin(b), sign * np.sin(a) * 0.5, -np.cos(b)])


def head_of(random: Random, size: float, neck: float, style: str, beard: bool) -> list[Piece]:
    """Build neck, face and hair: in units of the head's height relative to its middle, then moved
    to the neck.
    """
    u = random.uniform
    wide = u(0.36, 0.42)
    pieces = painted("skin", ball((0.42, wide, 0.5), (0, 0, 0), 2))
    pieces += painted("skin", rod((-0.08, 0, -0.85), (-0.02, 0, -0.2), 0.23, 10))
    pieces += painted("skin", ball((0.09, 0.06, 0.09), (0.42, 0, -0.05)))
    pieces += painted("skin", *(ball((0.06, 0.04, 0.1), (0, s * wide, -0.02)) for s in (1, -1)))
    pieces += painted("eye", *(ball((0.05, 0.065, 0.05), (0.375, s * 0.15, 0.06)) for s in (1, -1)))
    pieces += painted("mouth", ball((0.05, 0.12, 0.035), (0.36, 0, -0.26)))
    cap = ball((0.48, wide * 1.13, 0.45), (-0.08, 0, 0.12), 2)
    back = u(0.8, 1.5)
    if style != "bald":
        pieces += painted("hair", cap)
    if style in ("long", "bob"):
        fall = back if style == "long" else 0.5
        rows = [
            (0.25, -0.1, 0.4, wide * 1.12),
            (-0.1, -0.2, 0.3, wide * 1.25),
            (-0.4, -0.24, 0.22, wide * 1.2),
            (-fall, -0.3, 0.14, wide * u(0.6, 1.1)),
        ]
        pieces += painted("hair", smooth_column(rows[::-1], 14, 2))
    elif style == "bun":
        pieces += painted("hair", ball(u(0.17, 0.26), (u(-0.5, -0.25), 0, u(0.3, 0.6)), 2))
    elif style == "ponytail":
        pieces += painted(
            "hair",
            limb([(-0.45, 0, 0.25), (-0.72, 0, 0.1), (-0.66, 0, -back * 0.7)], [0.1, 0.16, 0.06]),
        )
    elif style == "pigtails":
        tail = limb(
            [(-0.1, wide, 0.1), (-0.12, wide + 0.25, 0.0), (-0.1, wide + 0.3, -u(0.4, 0.9))],
            [0.08, 0.14, 0.06],
        )
        pieces += painted("hair", *mirrored(tail))
    elif style == "afro":
        puff = u(0.5, 0.68)
        pieces += painted("hair", ball((puff, puff, puff * 0.9), (-0.14, 0, 0.2), 2))
    elif style == "bowl":
        hair = column(
            [
                (-0.05, -0.12, 0.4, wide * 1.15),
                (0.2, -0.04, 0.46, wide * 1.2),
                (0.45, -0.05, 0.3, 0.28),
            ],
            14,
        )
        pieces += painted("hair", hair)
    elif style in ("cap", "hat"):
        profile = [
            (0.46, 0.14),
            (0.45, 0.36),
            (0.3, 0.56 if style == "cap" else 0.62),
            (0.02, 0.6 if style == "cap" else 0.62),
        ]
        crown = upright(profile, 14)
        pieces += painted("hat", moved(crown, (-0.05, 0, 0)))
        brim = (
            ball((0.36, 0.38, 0.04), (0.42, 0, 0.18))
            if style == "cap"
            else ball((0.78, 0.72, 0.05), (-0.05, 0, 0.17), 2)
        )
        pieces += painted("hat", brim)
    elif style == "bald":
        stations = [
            (-0.3, -0.2, 0.22, wide * 0.95),
            (0.0, -0.15, 0.31, wide * 1.06),
            (0.16, -0.15, 0.29, wide * 1.02),
        ]
        pieces += painted("hair", column(stations, 14))
    if beard and random.random() < 0.35:
        pieces += painted("hair", ball((0.2, wide * 0.9, 0.26), (0.2, 0, -0.34)))
    return moved_all(scaled(pieces, size), (0.012, 0, neck + size * 0.5))


SHAPES: dict[str, Generator] = {
    "man": lambda random: person(random, MAN),
    "woman": lambda random: person(random, WOMAN),
    "boy": lambda random: person(random, BOY),
    "girl": lambda random: person(random, GIRL),
}
