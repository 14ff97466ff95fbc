"""Buses: articulated, regular, double (decker), school.

Metres; `assemble` scales them to the exact extents.
"""

from dataclasses import dataclass

import numpy as np

from po3d.synthesis.shapes.mesh import Piece, painted, pick, solid
from po3d.synthesis.shapes.primitives import Array, ball, box, moved, rod, rounded, slab, wheel

SIDES = ((1, "left"), (-1, "right"))
Deck = tuple[float, float]  # z of the windows' sill and top


@dataclass(frozen=True)
class Coach:
    """The body shared by all types, and its parameters that vary within every type."""

    back: float  # x of the tail
    front: float  # x of the windscreen's foot
    width: float
    height: float
    low: float  # clearance of the skirt
    decks: tuple[Deck, ...]
    corner: float  # radius of the side view's corners
    crown: float  # height of the roof's middle above its edges
    rake: float  # horizontal run of the windscreen
    pillar: float  # between two panes
    door_side: int  # -1 right, 1 left
    wheel: float  # radius
    disc: str  # materials
    bumper: str
    stripe: str | None
    mirror: float  # size

    def nose(self, z: float) -> float:
        """Return x of the front at height z: upright to the lowest sill, then raked."""
        sill = self.decks[0][0]
        return self.front - self.rake * max(z - sill, 0) / (self.height - sill)


def _coach(
    rng: np.random.Generator,
    length: float,
    width: float,
    height: float,
    low: float,
    decks: tuple[Deck, ...],
    nose: float = 0.0,
) -> Coach:
    """Sample a coach of `length`, of which the engine's bonnet takes `nose`."""
    u = rng.uniform
    return Coach(
        -length / 2,
        length / 2 - nose,
        width,
        height,
        low,
        decks,
        corner=u(0.06, 0.28),
        crown=u(0.0, 0.14),
        rake=u(0.0, 0.3),
        pillar=u(0.05, 0.24),
        door_side=-1 if u() < 0.75 else 1,
        wheel=u(0.44, 0.54),
        disc=pick(rng, "chrome", "dark", "paint"),
        bumper=pick(rng, "dark", "paint", "chrome"),
        stripe=rng.choice([None, None, "white", "dark"]),
        mirror=u(0.8, 1.3),
    )


def _section(
    c: Coach,
    rng: np.random.Generator,
    back: float,
    front: float,
    panes: int,
    nose: bool = True,
    suffix: str = "",
) -> list[Piece]:
    """Build the body from x = back to front with roof and side windows; with `nose` its front is
    raked.
    """

    u = rng.uniform

    def arch(v: Array) -> Array:
        v[:, 2] -= (
            c.crown
            * np.clip(2 * v[:, 2] / c.height - 1, 0, 1)
            * (2 * np.abs(v[:, 1]) / c.width) ** 3
        )
        return v

    sill, top = c.decks[0][0], c.height
    face = (
        [(front, c.low), (front, sill), (front - c.rake, top)]
        if nose
        else [(front, c.low), (front, top)]
    )
    profile = rounded([(back, c.low), *face, (back, top)], c.corner)
    pieces = painted(f"frame{suffix}", slab(profile, c.width, min(0.1, c.corner), arch, rows=6))
    inset = c.rake + 0.35 if nose else 0.15
    cover = [
        (back + 0.3, top - 0.2),
        (front - inset, top - 0.2),
        (front - inset - 0.1, top + 0.03),
        (back + 0.4, top + 0.03),
    ]
    pieces += painted(f"roof{suffix}", slab(cover, c.width * u(0.7, 0.86), 0.03, arch, rows=4))
    ends = (back + 0.25, front - (c.rake + 0.2 if nose else 0.2))
    pitch = (ends[1] - ends[0]) / panes
    for side, word in SIDES:
        for sill, top in c.decks:
            for k in range(panes):
                at = (ends[0] + pitch * (k + 0.5), side * c.width / 2, (sill + top) / 2)
                pieces += solid(
                    f"window_{word}", "glass", box(pitch - c.pillar, 0.03, top - sill, at)
                )
    if c.stripe:
        z = u(c.low + 0.3, c.decks[0][0] - 0.1)
        pieces += solid(
            f"stripe{suffix}",
            c.stripe,
            box(
                front - back - 0.3, c.width + 0.02, u(0.05, 0.14), ((front + back) / 2 - 0.05, 0, z)
            ),
        )
    return pieces


def _roof_units(
    c: Coach, rng: np.random.Generator, xs: tuple[tuple[float, float], ...]
) -> list[Piece]:
    """Build air conditioning, tanks or hatches, each somewhere between a pair of x."""
    u = rng.uniform
    pieces: list[Piece] = []
    for low, high in xs:
        if u() < 0.65:
            length = u(0.25, 0.6) * (high - low)
            height = rng.choice([0.1, 0.22, 0.3])
            x = u(low + length / 2, high - length / 2)
            at = (x, 0, c.height + 0.02)
            pieces += painted("roof_unit", box(length, c.width * u(0.4, 0.7), 2 * height, at))
    return pieces


def _screen(c: Coach, deck: Deck, name: str) -> Piece:
    sill, top = deck
    lower, upper = c.nose(sill), c.nose(top)
    side_view = [
        (lower - 0.1, sill),
        (lower + 0.025, sill),
        (upper + 0.025, top),
        (upper - 0.1, top),
    ]
    return name, "glass", slab(side_view, c.width * 0.87, 0.01)


def _ends(
    c: Coach, rng: np.random.Generator, screens: tuple[Deck, ...], rear: Deck | None
) -> list[Piece]:
    """Build windscreens, rear window, destination sign, lamps, bumpers, plates, and mirrors on
    arms.
    """
    u = rng.uniform
    back, front, width, low = c.back, c.front, c.width, c.low
    pieces = [
        _screen(c, deck, name)
        for deck, name in zip(screens, ("front_window", "upper_front_window"))
    ]
    if rear:
        back_window = box(0.04, width * u(0.6, 0.82), rear[1] - rear[0], (back, 0, sum(rear) / 2))
        pieces += solid("back_window", "glass", back_window)
    z = screens[0][1] + 0.14
    if z < c.height - 0.12:
        pieces += solid(
            "sign", "dark", box(0.1, width * u(0.5, 0.75), 0.2, (c.nose(z) - 0.02, 0, z))
        )
    depth, tall = u(0.08, 0.2), u(0.18, 0.3)
    pieces += solid(
        "bumper_front", c.bumper, box(depth, width * 0.96, tall, (front, 0, low + 0.12))
    )
    pieces += solid("bumper_back", c.bumper, box(depth, width * 0.96, tall, (back, 0, low + 0.12)))
    pieces += solid(
        "license_plate_front", "white", box(0.03, 0.5, 0.12, (front + depth / 2, 0, low + 0.14))
    )
    pieces += solid("license_plate_back", "white", box(0.04, 0.5, 0.12, (back, 0, low + 0.55)))
    pieces += solid(
        "grille", "dark", box(0.04, width * u(0.25, 0.45), u(0.1, 0.25), (front, 0, low + 0.45))
    )
    pieces += solid(
        "engine_cover", "dark", box(0.04, width * u(0.4, 0.6), u(0.2, 0.35), (back, 0, low + 0.88))
    )
    size, red = u(0.12, 0.2), u(0.25, 0.55)
    reach, drop = u(0.12, 0.4), u(0.0, 0.25)
    for side, word in SIDES:
        radii = (0.07, size * u(1, 1.6), size)
        pieces += solid(
            f"headlight_{word}", "lamp", ball(radii, (front, side * width * 0.37, low + 0.45))
        )
        pieces += solid(
            f"taillight_{word}",
            "tail",
            box(0.06, 0.18, red, (back, side * width * 0.43, low + 0.65)),
        )
        root = np.array([c.nose(screens[0][1]) - 0.05, side * (width / 2 - 0.06), screens[0][1]])
        mirror = np.array([front + reach, side * (width / 2 + 0.08), screens[0][1] - drop - 0.2])
        pieces += solid(
            f"mirror_{word}", "dark", box(0.1, 0.16 * c.mirror, 0.38 * c.mirror, mirror)
        )
        pieces += solid(f"mirror_{word}", "dark", rod(root, np.add(mirror, (0, 0, 0.15)), 0.03, 4))
    return pieces


def _axles(c: Coach, positions: tuple[tuple[str, float], ...]) -> list[Piece]:
    t = np.linspace(0, np.pi, 9)
    arch = c.wheel * 1.18 * np.c_[np.cos(t), np.sin(t)]
    pieces: list[Piece] = []
    for name, x in positions:
        for side, word in SIDES:
            opening = moved(
                slab(np.add(arch, (x, c.wheel * 0.9)), 0.06), (0, side * (c.width / 2 - 0.02), 0)
            )
            pieces += solid(f"arch_{name}_{word}", "dark", opening)
            pieces += wheel(
                f"wheel_{name}_{word}", x, side * (c.width / 2 - 0.14), c.wheel, 0.34, disc=c.disc
            )
    length = c.front - c.back
    pieces += solid(
        "underbody",
        "dark",
        box(length * 0.94, c.width * 0.8, 0.3, ((c.front + c.back) / 2, 0, c.low + 0.08)),
    )
    return pieces


def _doors(c: Coach, xs: tuple[float, ...], top: float) -> list[Piece]:
    """Build doors with two glazed leaves, from the front of the bus."""
    pieces: list[Piece] = []
    side, y = {1: "left", -1: "right"}[c.door_side], c.door_side * c.width / 2
    for x, word in zip(xs, ("front", "mid", "back")):
        middle, height = (c.low + top) / 2, top - c.low - 0.1
        pieces += painted(
            f"door_{word}_{side}", box(1.24, 0.07, height + 0.06, (x, y, middle + 0.03))
        )
        for dx in (-0.3, 0.3):
            at = (x + dx, y, middle + 0.03)
            pieces += solid(
                f"door_window_{word}_{side}", "glass", box(0.46, 0.1, height - 0.18, at)
            )
    return pieces


def regular(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    height, low = u(2.85, 3.15), u(0.28, 0.42)
    top = height - u(0.35, 0.6)
    length = u(10.4, 11.4)
    c = _coach(rng, length, 2.85, height, low, ((u(1.2, 1.5), top),))
    pieces = _section(c, rng, c.back, c.front, int(rng.integers(4, 9)))
    pieces += _ends(c, rng, ((u(1.05, 1.35), top),), (u(1.4, 1.6), top) if u() < 0.8 else None)
    pieces += _axles(
        c, (("front", c.front - length * u(0.17, 0.25)), ("back", c.back + length * u(0.22, 0.3)))
    )
    pieces += _doors(c, (c.front - 0.95 - c.rake, u(-0.8, 0.6))[: int(rng.integers(1, 3))], top)
    return pieces + _roof_units(c, rng, ((c.back + 0.6, -0.3), (0.3, c.front - 1.2)))


def articulated(rng: np.random.Generator) -> list[Piece]:
    """Articulated bus: two rigid sections joined by dark bellows."""
    u = rng.uniform
    height, low = u(2.65, 2.95), u(0.26, 0.4)
    top = height - u(0.35, 0.55)
    c = _coach(rng, 17.6, 2.9, height, low, ((u(1.15, 1.4), top),))
    joint, half = u(-2.0, 0.6), u(0.4, 0.7)
    pieces = _section(c, rng, joint + half, c.front, int(rng.integers(4, 8)))
    pieces += _section(
        c, rng, c.back, joint - half, int(rng.integers(3, 7)), nose=False, suffix="_rear"
    )
    middle = (height + low) / 2
    folds = int(rng.integers(4, 7))
    for k in range(folds):
        x = joint - half + 2 * half * (k + 0.5) / folds
        pieces += solid(
            "bellows",
            "dark",
            box(1.2 * half / folds, c.width * 0.96, height - low - 0.12, (x, 0, middle)),
        )
    pieces += solid(
        "bellows",
        "dark",
        box(2 * half + 0.1, c.width * 0.88, height - low - 0.24, (joint, 0, middle)),
    )
    pieces += _ends(c, rng, ((u(1.0, 1.25), top),), (u(1.3, 1.5), top) if u() < 0.8 else None)
    front, mid, back = c.front - u(2.2, 2.9), joint + half + u(1.0, 1.8), c.back + u(2.6, 3.8)
    pieces += _axles(c, (("front", front), ("mid", mid), ("back", back)))
    pieces += _doors(
        c, (c.front - 0.95 - c.rake, joint + half + u(2.9, 3.6), joint - half - u(1.2, 2.0)), top
    )
    return pieces + _roof_units(c, rng, ((c.back + 0.6, joint - 1), (joint + 1, c.front - 1)))


def double(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    height, low = u(3.4, 3.65), u(0.26, 0.38)
    lower, upper = (u(0.95, 1.15), u(1.75, 1.92)), (u(2.3, 2.55), height - u(0.22, 0.4))
    length = u(10.3, 11.2)
    c = _coach(rng, length, 2.3, height, low, (lower, upper))
    pieces = _section(c, rng, c.back, c.front, int(rng.integers(5, 9)))
    pieces += _ends(c, rng, ((u(0.9, 1.1), lower[1] + 0.05), upper), upper if u() < 0.8 else lower)
    pieces += solid("band", pick(rng, "paint", "white", "dark"), box(length - c.rake - 0.1,
    c.width + 0.03, u(0.06, 0.14),
                   (-c.rake / 2, 0, (lower[1] + upper[0]) / 2)))  # fmt: skip
    pieces += _axles(
        c, (("front", c.front - length * u(0.17, 0.26)), ("back", c.back + length * u(0.18, 0.27)))
    )
    return pieces + _doors(
        c, (c.front - 0.9 - c.rake / 2, u(-1, 1))[: int(rng.integers(1, 3))], lower[1] + 0.06
    )


def school(rng: np.random.Generator) -> list[Piece]:
    """School bus: a box of small windows behind an engine bonnet, with warning lights on the roof's
    corners.
    """
    u = rng.uniform
    height, low, length, hood = u(2.5, 2.75), u(0.42, 0.56), u(9.6, 10.6), u(1.2, 1.85)
    sill, top = u(1.38, 1.58), height - u(0.3, 0.48)
    c = _coach(rng, length, 2.15, height, low, ((sill, top),), hood)
    nose = length / 2
    pieces = _section(c, rng, c.back, c.front, int(rng.integers(7, 12)))
    pieces.append(_screen(c, (sill - 0.02, top), "front_window"))
    pieces += solid(
        "back_window",
        "glass",
        box(0.04, c.width * u(0.55, 0.75), top - sill, (c.back, 0, (sill + top) / 2)),
    )
    pieces += painted(
        "door_back",
        box(0.05, c.width * 0.42, sill - low - 0.1, (c.back - 0.01, 0, (sill + low) / 2)),
    )
    tip, rise, share = u(1.05, 1.25), u(1.3, 1.5), u(0.62, 0.85)
    bonnet = rounded(
        [(c.front - 0.2, low), (nose, low), (nose - u(0, 0.15), tip), (c.front - 0.2, rise)], 0.1
    )

    def narrow(v: Array) -> Array:
        v[:, 1] *= 1 - 0.2 * np.clip((v[:, 0] - c.front) / hood, 0, 1)
        return v

    pieces += painted("hood", slab(bonnet, c.width * share, 0.1, narrow))
    axle = nose - u(0.7, 1.0)
    half = c.width * share * 0.4
    pieces += solid(
        "grille", "dark", box(0.06, half * u(0.8, 1.2), tip - low - 0.3, (nose, 0, (tip + low) / 2))
    )
    pieces += solid(
        "bumper_front",
        "dark",
        box(u(0.1, 0.24), c.width * 0.95, 0.22, (nose + 0.04, 0, low + 0.04)),
    )
    pieces += solid(
        "bumper_back",
        "dark",
        box(u(0.1, 0.2), c.width * 0.95, 0.22, (c.back - 0.02, 0, low + 0.06)),
    )
    rails = [
        (z, u(0.05, 0.09)) for z in np.linspace(low + 0.3, sill - 0.12, int(rng.integers(1, 4)))
    ]
    arm = u(0.2, 0.7)
    for side, word in SIDES:
        pieces += painted(
            f"fender_{word}", ball((u(0.65, 0.8), 0.34, 0.42), (axle, side * c.width * 0.38, 0.72))
        )
        at = (nose - 0.02, side * (half - 0.1), tip - 0.28)
        pieces += solid(f"headlight_{word}", "lamp", ball((0.08, 0.13, 0.13), at))
        pieces += solid(
            f"taillight_{word}",
            "tail",
            box(0.06, 0.2, 0.22, (c.back, side * c.width * 0.4, low + 0.55)),
        )
        mirror = np.array([c.front + arm, side * c.width * 0.5, sill + 0.2])
        pieces += solid(f"mirror_{word}", "dark", box(0.1, 0.18 * c.mirror, 0.3 * c.mirror, mirror))
        pieces += solid(
            f"mirror_{word}",
            "dark",
            rod((c.front - 0.1, side * c.width * 0.42, sill + 0.3), mirror, 0.03, 4),
        )
        for z, tall in rails:
            at = ((c.back + c.front) / 2, side * c.width / 2, z)
            pieces += solid(f"rub_rail_{word}", "dark", box(c.front - c.back - 0.2, 0.03, tall, at))
    pieces += _axles(c, (("front", axle), ("back", c.back + length * u(0.24, 0.33))))
    pieces += _doors(c, (c.front - 0.75 - c.rake,), top)
    for x, word in ((c.back + 0.35, "back"), (c.front - c.rake - 0.4, "front")):
        for side in (1, -1):
            pieces += solid(
                f"warning_light_{word}",
                "tail",
                box(0.2, 0.4, 0.14, (x, side * c.width * 0.24, height)),
            )
    if u() < 0.6:
        stop = moved(
            slab(rounded([(-0.22, 0), (0.22, 0), (0.22, 0.4), (-0.22, 0.4)], 0.12), 0.05),
            (c.front - 2, -c.door_side * (c.width / 2 + 0.04), sill - 0.5),
        )
        pieces += solid("stop_sign", "tail", stop)
    return pieces


MAKERS = {"articulated": articulated, "regular": regular, "double": double, "school": school}
