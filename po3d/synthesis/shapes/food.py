"""Parametric bottles and food. Conventions and colours as in own_shapes.py."""

import numpy as np
from trimesh import Trimesh

from po3d.synthesis.shapes.limbs import smooth, warped
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, solid
from po3d.synthesis.shapes.primitives import ball, loft, moved, plate, ring, rod
from po3d.synthesis.shapes.sheets import block
from po3d.synthesis.shapes.turned import drum, upright


def _flask(line: list[tuple[float, float]], label: tuple[float, float]) -> list[Piece]:
    """A bottle of (radius, z) points with a label between two heights."""
    curve = smooth(line)
    pieces = main(upright(curve, 28))
    low, high = label
    inside = curve[(curve[:, 1] > low) & (curve[:, 1] < high)]
    side = curve[curve[:, 0] > 1e-6]
    ends = [(float(np.interp(z, side[:, 1], side[:, 0])), z) for z in label]
    sheet = np.array([ends[0], *inside, ends[1]]) + (0.0012, 0)
    return pieces + painted("label", upright([(0, low), *sheet, (0, high)], 28))


def _wine_bottle(random: Random) -> list[Piece]:
    u, r, high = random.uniform, random.uniform(0.035, 0.043), random.uniform(0.28, 0.33)
    neck, shoulder, slope = 0.0135, high * u(0.52, 0.66), high * u(0.06, 0.2)
    line = [
        (0, 0.004),
        (r * 0.9, 0),
        (r, 0.006),
        (r, shoulder * 0.5),
        (r, shoulder),
        (r * 0.96, shoulder + slope * 0.3),
        (neck * 1.2, shoulder + slope),
        (neck, shoulder + slope * 1.15),
        (neck, high - 0.004),
        (neck, high),
        (0, high),
    ]
    low = shoulder * u(0.15, 0.3)
    pieces = _flask(line, (low, low + shoulder * u(0.35, 0.6)))
    z = low + shoulder * u(0.12, 0.2)
    for k in range(int(random.integers(1, 4))):
        profile = [
            (0, z + 0.016 * k),
            (r + 0.0018, z + 0.016 * k),
            (r + 0.0018, z + 0.016 * k + u(0.003, 0.007)),
            (0, z + 0.016 * k + 0.003),
        ]
        pieces += painted("stripe", upright(profile, 28))
    hood, cork = high * u(0.09, 0.2), random.random() < 0.25
    if cork:
        pieces += painted("cork", drum([(0.0095, high - 0.01), (0.0105, high + 0.018)], 16))
    else:
        pieces += painted(
            "foil",
            drum([(neck + 0.0016, high - hood), (neck + 0.0016, high), (neck, high + 0.002)], 24),
        )
    lip = moved(ring(neck, 0.002, 0.007, sides=24), (0, 0, high - 0.01), roll=np.pi / 2)
    return pieces + painted("foil" if not cork else "main", lip)


def _bottle(random: Random) -> list[Piece]:
    u = random.uniform
    r, high, kind = u(0.033, 0.043), u(0.2, 0.29), int(random.integers(4))
    neck, body = u(0.011, 0.018), u(0.55, 0.78) * high
    if kind == 0:  # soda: waisted, ribbed
        line = [
            (0, 0.003),
            (r * 0.85, 0),
            (r, 0.012),
            (r, body * 0.3),
            (r * u(0.78, 0.9), body * 0.55),
            (r, body * 0.85),
            (r * 0.9, body),
            (neck, high * 0.9),
            (neck, high),
            (0, high),
        ]
    elif kind == 1:  # beer
        line = [
            (0, 0.002),
            (r * 0.92, 0),
            (r, 0.006),
            (r, body * 0.6),
            (r, body * 0.85),
            (neck * 1.3, body * 1.15),
            (neck, high * 0.96),
            (neck, high),
            (0, high),
        ]
    elif kind == 2:  # milk or sauce: broad, short neck
        line = [
            (0, 0.002),
            (r, 0),
            (r * 1.02, 0.008),
            (r, body),
            (r * 0.95, body * 1.1),
            (neck * 1.6, high * 0.93),
            (neck * 1.5, high),
            (0, high),
        ]
    else:  # a sports bottle with a grip
        line = [
            (0, 0.002),
            (r, 0),
            (r, 0.01),
            (r, body * 0.55),
            (r * 0.84, body * 0.62),
            (r * 0.84, body * 0.8),
            (r, body * 0.9),
            (r, body * 1.05),
            (neck * 1.6, high * 0.9),
            (neck * 1.6, high),
            (0, high),
        ]
    low = body * u(0.12, 0.3)
    pieces = _flask(line, (low, low + body * u(0.25, 0.5)))
    cap = (neck * 1.6 if kind > 1 else neck) + 0.003
    tall = u(0.012, 0.03)
    pieces += painted(
        "cap",
        drum(
            [(cap, high - tall * 0.5), (cap, high + tall * 0.4), (cap * 0.85, high + tall * 0.5)],
            18,
        ),
    )
    if kind == 3:
        profile = [
            (0, high),
            (0.008, high),
            (0.007, high + 0.035),
            (0.01, high + 0.04),
            (0, high + 0.045),
        ]
        pieces += painted("cap", upright(profile, 12))
    if kind == 0:
        for f in (0.06, 0.92):
            pieces += main(
                moved(ring(r, 0.0018, sides=24, around=4), (0, 0, body * f), roll=np.pi / 2)
            )
    return pieces


def _birthday_cake(random: Random) -> list[Piece]:
    u, r, tier = random.uniform, random.uniform(0.1, 0.12), random.uniform(0.05, 0.075)
    tiers, square = 1 if random.random() < 0.65 else 2, random.random() < 0.2
    pieces = solid(
        "dish",
        "white",
        upright([(0, 0), (r * 0.6, 0), (r * 1.18, 0.006), (r * 1.2, 0.01), (0, 0.008)], 32),
    )
    z, wide = 0.008, r
    for _ in range(tiers):
        if square:
            pieces += main(
                block((2 * wide * 0.88, 2 * wide * 0.88, tier), (0, 0, z), 0.012, 0.006, 3)
            )
            icing = block(
                (1.79 * wide, 1.79 * wide, tier * 0.3), (0, 0, z + tier * 0.75), 0.014, 0.008, 3
            )
            pieces += painted("icing", icing)
        else:
            pieces += main(drum([(wide, z), (wide, z + tier * 0.9), (wide * 0.96, z + tier)], 36))
            pieces += painted(
                "cream",
                drum([(wide * 1.008, z + tier * 0.42), (wide * 1.008, z + tier * 0.52)], 36),
            )
            pieces += _dripping(wide * 1.015, z + tier, tier, random)
        blobs, size = int(random.integers(9, 17 if tiers == 1 else 11)), wide * u(0.09, 0.13)
        for t in np.arange(blobs) * 2 * np.pi / blobs:
            edge = (
                wide * 0.86
                if not square
                else wide * 0.86 * min(1 / max(abs(np.cos(t)), abs(np.sin(t))), 1.3)
            )
            rosette = [
                (0, 0),
                (size, 0),
                (size * 0.8, size * 0.6),
                (size * 0.25, size * 1.1),
                (0, size * 1.3),
            ]
            pieces += painted(
                "cream", upright(rosette, 6, (edge * np.cos(t), edge * np.sin(t), z + tier))
            )
            if blobs < 13 and not square:
                pieces += painted(
                    "cream",
                    ball(size * 0.7, (wide * np.cos(t), wide * np.sin(t), z + size * 0.4), 0),
                )
        z, wide = z + tier, wide * 0.62
    wide /= 0.62
    berries = random.random() < 0.4
    if berries:
        for t in np.arange(6) * np.pi / 3 + 0.3:
            pieces += painted(
                "berry",
                ball(0.009, (wide * 0.68 * np.cos(t), wide * 0.68 * np.sin(t), z + 0.007), 2),
            )
    many, tall = int(random.integers(1, 10)), u(0.04, 0.065)
    for k in range(many):
        t = 2 * np.pi * k / many
        d = 0.0 if many == 1 else wide * (0.45 if many < 9 else 0.5)
        x, y = d * np.cos(t), d * np.sin(t)
        pieces += painted(f"candle{k % 3}", rod((x, y, z), (x, y, z + tall), 0.0042, 8))
        flame = [(0, 0), (0.004, 0.004), (0.0045, 0.009), (0.0015, 0.018), (0, 0.021)]
        pieces += painted("flame", upright(flame, 7, (x, y, z + tall + 0.002)))
    return pieces


def _dripping(radius: float, top: float, tier: float, random: Random) -> list[Piece]:
    """Icing that runs down over the edge of a round cake."""
    runs = int(random.integers(7, 13))
    t = np.arange(48) * 2 * np.pi / 48
    deep = tier * (
        0.24
        + 0.16 * np.sin(runs * t + random.uniform(0, 6))
        + 0.08 * np.sin(3 * t + random.uniform(0, 6))
    )
    circle = np.c_[np.cos(t), np.sin(t)]
    rings = [
        np.c_[circle * radius * f, np.full(48, top) + h]
        for f, h in (
            (0.9, -deep),
            (1.0, -deep),
            (1.0, -0.004 + 0 * t),
            (0.97, 0.003 + 0 * t),
            (0.3, 0.003 + 0 * t),
        )
    ]
    return painted("icing", loft(rings))


def _hamburger(random: Random) -> list[Piece]:
    u, r = random.uniform, random.uniform(0.05, 0.06)
    base = u(0.012, 0.018)
    pieces = main(
        upright(smooth([(0, 0), (r * 0.9, 0), (r, base * 0.4), (r * 0.97, base), (0, base)], 1), 32)
    )
    z = base
    layers = [
        "patty",
        *(["cheese"] if random.random() < 0.75 else []),
        *(["tomato"] if random.random() < 0.7 else []),
        "lettuce",
    ]
    if random.random() < 0.3:
        layers = ["patty", "cheese", *layers]
    if random.random() < 0.4:
        layers = ["lettuce", *[name for name in layers if name != "lettuce"]]
    for name in layers:
        if name == "patty":
            tall = u(0.012, 0.018)
            profile = [
                (0, z),
                (r * 0.95, z),
                (r * 1.04, z + tall / 2),
                (r * 0.95, z + tall),
                (0, z + tall),
            ]
            lumps = upright(smooth(profile, 1), 36)
            wave, phase = u(0.01, 0.03), u(0, 6)
            lumps = warped(
                lumps,
                lambda v, w=wave, f=phase: (
                    v
                    * np.c_[
                        np.repeat(
                            1 + w * np.sin(9 * np.arctan2(v[:, 1], v[:, 0]) + f)[:, None], 2, 1
                        ),
                        np.ones(len(v)),
                    ]
                ),
            )
            pieces += painted("patty", lumps)
        elif name == "cheese":
            tall = 0.003
            pieces += painted("cheese", _drooping(r * 0.98, z, tall, u(0, np.pi / 2)))
        elif name == "tomato":
            tall = 0.006
            for t in (0.4, 2.5, 4.6):
                at = (0.45 * r * np.cos(t), 0.45 * r * np.sin(t), z)
                pieces += painted(
                    "tomato", drum([(r * 0.55, 0), (r * 0.57, 0.003), (r * 0.55, 0.006)], 20, at)
                )
        else:
            tall, waves = 0.005, int(random.integers(9, 15))
            pieces += painted("lettuce", _frill(r * u(1.05, 1.15), z + 0.003, 0.005, waves))
        z += tall
    dome = u(0.026, 0.038)
    t = np.linspace(0, np.pi / 2, 8)
    bun = [
        (0, z),
        (r * 0.95, z),
        *np.c_[r * 1.02 * np.cos(t) ** 0.75, z + 0.005 + dome * np.sin(t)],
    ]
    pieces += main(upright(bun, 32))
    seeds = int(random.integers(0, 3)) * 18
    for k in range(seeds):
        a, f = 2.4 * k, 0.85 * np.sqrt((k + 0.5) / max(seeds, 1))
        angle = np.arccos(f ** (1 / 0.75))
        at = (
            r * 1.02 * f * np.cos(a),
            r * 1.02 * f * np.sin(a),
            z + 0.005 + dome * np.sin(angle) + 0.0004,
        )
        pieces += painted("seed", moved(ball((0.0026, 0.0016, 0.0012), detail=0), at, yaw=a))
    if random.random() < 0.2:
        place = (0, 0, z + dome + 0.03)
        pieces += solid(
            "stick", "wood", rod((0, 0, z), (0, 0, z + dome + 0.03), 0.0012), ball(0.004, place, 1)
        )
    return pieces


def _drooping(half: float, z: float, thick: float, turn: float) -> Trimesh:
    """A square slice whose corners hang down."""
    side = np.linspace(-half, half, 7)[:-1]
    end = np.full(len(side), half)
    edge = np.c_[[*side, *end, *-side, *-end], [*-end, *side, *end, *-side]]
    sheet = plate(edge, thick, z)
    far = 0.9 * half

    def droop(v: np.ndarray) -> np.ndarray:
        out = np.maximum(np.hypot(v[:, 0], v[:, 1]) - far, 0)
        return np.c_[v[:, :2] * (1 - 0.45 * out / half)[:, None], v[:, 2] - 0.9 * out]

    return moved(warped(sheet, droop), yaw=turn)


def _frill(radius: float, z: float, thick: float, waves: int) -> Trimesh:
    """A leaf with a wavy rim."""
    t = np.arange(waves * 5) * 2 * np.pi / (waves * 5)
    rings = []
    for f, h in (
        (0.5, -0.5),
        (0.85, -0.5),
        (1.0, -0.3),
        (1.02, 0.0),
        (1.0, 0.3),
        (0.85, 0.5),
        (0.5, 0.5),
    ):
        swing = thick * 0.9 * np.sin(waves * t) * max(f - 0.7, 0) / 0.3
        rr = radius * f * (1 + 0.03 * np.cos(waves * t + 1) * (f > 0.9))
        rings.append(np.c_[rr * np.cos(t), rr * np.sin(t), z + h * thick * 0.5 + swing])
    return loft(rings)


SHAPES = named(_wine_bottle, _bottle, _birthday_cake, _hamburger)
