"""Buses: articulated, regular, double (decker), school. Metres, before `assemble` scales them."""

import numpy as np

from po3d.synthesis.assets.mesh import Piece
from po3d.synthesis.assets.primitives import ball, box, rod, rounded, slab, wheel


def _saloon(
    rng: np.random.Generator, back: float, front: float, width: float, height: float, low: float, decks: tuple[tuple[float, float], ...],
    panes: int, suffix: str = "",
) -> list[Piece]:  # fmt: skip
    """A box of coachwork from x = back to front with rows of windows at `decks` (sill, top)."""
    corner = rng.uniform(0.1, 0.25)
    profile = rounded([(back, low), (front, low), (front, height - 0.1), (front - 0.1, height), (back, height)], corner)
    pieces: list[Piece] = [(f"body{suffix}", "paint", slab(profile, width, 0.1, rows=2))]
    pitch = (front - back - 0.5) / panes
    gap = rng.uniform(0.08, 0.2)
    for side, word in ((1, "left"), (-1, "right")):
        for sill, top in decks:
            for k in range(panes):
                x = back + 0.25 + pitch * (k + 0.5)
                pieces.append((f"window_{word}", "glass", box(pitch - gap, 0.04, top - sill, (x, side * (width / 2), (sill + top) / 2))))
    return pieces


def _fittings(
    rng: np.random.Generator, back: float, front: float, width: float, height: float, low: float, screens: tuple[tuple[float, float], ...],
    rear: tuple[float, float],
) -> list[Piece]:  # fmt: skip
    """Windscreens, rear window, lamps, mirrors, bumpers, sign."""
    pieces: list[Piece] = []
    for sill, top in screens:
        pieces.append(("front_window", "glass", box(0.06, width * 0.86, top - sill, (front, 0, (sill + top) / 2))))
    pieces.append(("back_window", "glass", box(0.05, width * 0.7, rear[1] - rear[0], (back, 0, sum(rear) / 2))))
    pieces.append(("bumper_front", "dark", box(0.14, width * 0.95, 0.22, (front, 0, low + 0.15))))
    pieces.append(("bumper_back", "dark", box(0.14, width * 0.95, 0.22, (back, 0, low + 0.15))))
    pieces.append(("sign", "dark", box(0.08, width * 0.6, 0.26, (front, 0, screens[-1][1] + 0.18))))
    size = rng.uniform(0.12, 0.2)
    for side, word in ((1, "left"), (-1, "right")):
        pieces.append((f"headlight_{word}", "lamp", ball((0.07, size, size * 0.8), (front, side * width * 0.36, low + 0.5))))
        pieces.append((f"taillight_{word}", "tail", box(0.06, 0.18, 0.4, (back, side * width * 0.42, low + 0.75))))
        reach = front + rng.uniform(0.1, 0.35)
        mirror = (reach, side * (width / 2 + 0.1), screens[0][1] - 0.1)
        pieces.append((f"mirror_{word}", "dark", box(0.12, 0.16, 0.4, mirror)))
        pieces.append((f"mirror_{word}", "dark", rod((front - 0.1, side * (width / 2 - 0.05), screens[0][1]), mirror, 0.03, 4)))
    return pieces


def _axles(positions: list[tuple[str, float]], width: float, radius: float, double: bool = False) -> list[Piece]:
    pieces: list[Piece] = []
    for name, x in positions:
        for side, word in ((1, "left"), (-1, "right")):
            pieces.append(("arch", "dark", slab(_arch(x, radius), 0.06, rows=2).apply_translation((0, side * (width / 2 - 0.02), 0))))
            pieces += wheel(f"wheel_{name}_{word}", x, side * (width / 2 - 0.14), radius, 0.45 if double else 0.34)
    return pieces


def _arch(x: float, radius: float) -> np.ndarray:
    t = np.linspace(0, np.pi, 9)
    return np.c_[x + 1.18 * radius * np.cos(t), radius * 0.85 + 1.18 * radius * np.sin(t)]


def _doors(xs: list[float], width: float, low: float, top: float) -> list[Piece]:
    """Two-leaf doors on the right-hand side."""
    pieces: list[Piece] = []
    for x, word in zip(xs, ("front", "mid", "back")):
        for dx in (-0.3, 0.3):
            pieces.append((f"door_{word}_right", "glass", box(0.52, 0.06, top - low - 0.2, (x + dx, -width / 2, (low + top) / 2))))
        pieces.append((f"door_{word}_right", "paint", box(0.06, 0.08, top - low, (x, -width / 2, (low + top) / 2))))
    return pieces


def regular(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    length, width, height, low = u(10.5, 12), 2.9, u(2.9, 3.2), u(0.32, 0.42)
    back, front, sill, top = -length / 2, length / 2, u(1.25, 1.5), height - u(0.45, 0.65)
    pieces = _saloon(rng, back, front, width, height, low, ((sill, top),), int(rng.integers(5, 9)))
    pieces += _fittings(rng, back, front, width, height, low, ((u(1.1, 1.3), top),), (sill + 0.1, top))
    pieces += _axles([("front", front - u(2.2, 2.8)), ("back", back + u(2.6, 3.2))], width, 0.5)
    pieces += _doors([front - 0.9, u(-0.6, 0.6)][: int(rng.integers(1, 3))], width, low, top)
    if u() < 0.6:
        pieces.append(("roof_unit", "paint", box(u(1.5, 3), 1.6, 0.25, (u(-3, 2), 0, height + 0.1))))
    return pieces


def articulated(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    length, width, height, low = 18.0, 3.0, u(2.7, 2.95), u(0.32, 0.4)
    back, front, sill, top = -length / 2, length / 2, u(1.2, 1.45), height - u(0.4, 0.6)
    joint = u(-1.6, 0.6)
    pieces = _saloon(rng, joint + 0.55, front, width, height, low, ((sill, top),), int(rng.integers(5, 8)))
    pieces += _saloon(rng, back, joint - 0.55, width, height, low, ((sill, top),), int(rng.integers(4, 7)), "_rear")
    folds = int(rng.integers(4, 7))
    for k in range(folds):
        x = joint - 0.5 + (k + 0.5) / folds
        pieces.append(("bellows", "dark", box(0.6 / folds, width * 0.94, height - low - 0.2, (x, 0, (height + low) / 2))))
    pieces.append(("bellows", "dark", box(1.1, width * 0.86, height - low - 0.3, (joint, 0, (height + low) / 2))))
    pieces += _fittings(rng, back, front, width, height, low, ((u(1.0, 1.25), top),), (sill + 0.1, top))
    pieces += _axles([("front", front - u(2.3, 2.8)), ("mid", joint + u(1.4, 2.2)), ("back", back + u(2.8, 3.6))], width, 0.5)
    pieces += _doors([front - 0.9, joint + 3.6, joint - 2.2], width, low, top)
    return pieces


def double(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    length, width, height, low = 10.8, 2.5, u(3.3, 3.55), u(0.3, 0.38)
    back, front = -length / 2, length / 2
    lower, upper = (u(1.0, 1.15), u(1.75, 1.9)), (u(2.3, 2.45), height - u(0.25, 0.4))
    pieces = _saloon(rng, back, front, width, height, low, (lower, upper), int(rng.integers(5, 9)))
    pieces += _fittings(rng, back, front, width, height, low, ((u(0.95, 1.1), 1.9), upper), upper)
    pieces.append(("band", rng.choice(["paint", "white", "dark"]), box(length * 0.98, width + 0.03, 0.1, (0, 0, 2.12))))
    pieces += _axles([("front", front - u(2.3, 2.7)), ("back", back + u(2.1, 2.6))], width, 0.48)
    pieces += _doors([front - 0.85], width, low, lower[1] + 0.1)
    return pieces


def school(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    length, width, height, low = 10.5, 2.25, u(2.6, 2.8), u(0.45, 0.55)
    back, front = -length / 2, length / 2
    hood = u(1.2, 1.7)
    foot, sill, top = front - hood, u(1.45, 1.6), height - u(0.35, 0.5)
    pieces = _saloon(rng, back, foot, width, height, low, ((sill, top),), int(rng.integers(7, 11)))
    bonnet = rounded([(foot - 0.1, low), (front, low), (front, u(1.15, 1.3)), (foot - 0.1, u(1.4, 1.55))], 0.12)
    pieces.append(("hood", "paint", slab(bonnet, width * u(0.7, 0.85), 0.12, rows=2)))
    for side in (1, -1):
        pieces.append(("fender", "paint", ball((0.75, 0.3, 0.45), (front - 0.85, side * width * 0.4, 0.75))))
        pieces.append((f"stripe_{side}", "dark", box(length - hood - 0.2, 0.03, 0.08, ((back + foot) / 2, side * width / 2, low + 0.45))))
    pieces.append(("grille", "dark", box(0.06, width * 0.4, 0.4, (front, 0, low + 0.5))))
    pieces.append(("front_window", "glass", box(0.06, width * 0.84, top - sill, (foot, 0, (sill + top) / 2))))
    pieces.append(("back_window", "glass", box(0.05, width * 0.6, 0.6, (back, 0, (sill + top) / 2))))
    pieces.append(("bumper_front", "dark", box(0.16, width * 0.95, 0.22, (front + 0.02, 0, low + 0.05))))
    pieces.append(("bumper_back", "dark", box(0.16, width * 0.95, 0.22, (back - 0.02, 0, low + 0.05))))
    for side, word in ((1, "left"), (-1, "right")):
        pieces.append((f"headlight_{word}", "lamp", ball((0.08, 0.14, 0.14), (front, side * width * 0.3, low + 0.55))))
        pieces.append((f"taillight_{word}", "tail", box(0.06, 0.2, 0.2, (back, side * width * 0.4, low + 0.6))))
        pieces.append((f"mirror_{word}", "dark", box(0.1, 0.18, 0.3, (front - 0.5, side * width * 0.49, 1.75))))
        pieces.append((f"mirror_{word}", "dark", rod((front - 0.6, side * width * 0.36, 1.3), (front - 0.5, side * width * 0.48, 1.7), 0.03, 4)))
    pieces += _axles([("front", front - 0.95), ("back", back + u(2.6, 3.3))], width, 0.5)
    pieces += _doors([foot - 0.5], width, low, top)
    for x in (back + 0.6, foot - 0.6):
        pieces.append(("warning_light", "tail", box(0.2, 0.7, 0.1, (x, 0, height + 0.03))))
    return pieces


MAKERS = {"articulated": articulated, "regular": regular, "double": double, "school": school}
