"""Aeroplanes: jet (business jet), fighter, biplane, airliner. Metres, before `assemble` scales them."""

import numpy as np

from po3d.synthesis.assets.mesh import Piece
from po3d.synthesis.assets.primitives import ball, box, hull, moved, rod, slab, wheel, wing


def _gear(spots: list[tuple[str, float, float, float]], radius: float) -> list[Piece]:
    """Legs with wheels at (name, x, y, height of the leg's top)."""
    pieces: list[Piece] = []
    for name, x, y, top in spots:
        pieces.append((name, "chrome", rod((x, y, radius), (x, y, top), radius * 0.25)))
        pieces += wheel(name, x, y if y else 1e-3, radius, radius * 0.7)
    return pieces


def _pair(name: str, material: str, root: tuple, tip: tuple, chord: tuple[float, float], thick: float) -> list[Piece]:
    """A wing on either side, mirrored."""
    pieces: list[Piece] = []
    for side, word in ((1, "left"), (-1, "right")):
        a, b = ((x, side * y, z) for x, y, z in (root, tip))
        pieces.append((f"{name}_{word}", material, wing(a, b, chord, thick)))
    return pieces


def _windows(x0: float, x1: float, count: int, half: float, z: float, size: float) -> list[Piece]:
    return [
        (f"window_{word}", "glass", box(size, 0.06, size, (x, side * half, z)))
        for side, word in ((1, "left"), (-1, "right"))
        for x in np.linspace(x0, x1, count)
    ]


def _nacelle(name: str, x: float, y: float, z: float, length: float, radius: float) -> list[Piece]:
    body = hull([(x - length / 2, radius * 0.55, z - radius * 0.55, z + radius * 0.55), (x, radius, z - radius, z + radius),
                 (x + length * 0.4, radius, z - radius, z + radius), (x + length / 2, radius * 0.85, z - radius * 0.85, z + radius * 0.85)], 10)  # fmt: skip
    return [(name, "paint", body), (name, "dark", ball((0.05 * length, radius * 0.75, radius * 0.75), (x + length / 2, y * 0, z)))] if not y else [
        (name, "paint", moved(body, (0, y, 0))), (name, "dark", ball((0.05 * length, radius * 0.75, radius * 0.75), (x + length / 2, y, z)))]  # fmt: skip


def jet(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    r, z = u(0.95, 1.15), u(1.7, 1.9)
    nose, tail = 7.0, -7.0
    pieces: list[Piece] = [("body", "paint", hull([
        (tail, 0.12, z + 0.45, z + 0.75), (-4.2, r * 0.75, z - r * 0.45, z + r * 0.95), (-2, r, z - r, z + r), (3.5, r, z - r, z + r),
        (5.4, r * 0.8, z - r * 0.9, z + r * 0.6), (6.5, r * 0.42, z - r * 0.65, z + r * 0.02), (nose, 0.06, z - r * 0.42, z - r * 0.25)], 14))]  # fmt: skip
    span, sweep, chord = u(8.0, 8.8), u(1.6, 3.4), u(2.6, 3.3)
    pieces += _pair("wing", "paint", (u(0.4, 1.2), r * 0.5, z - r * 0.75), (-sweep, span, z - r * 0.75 + u(0.2, 0.7)), (chord, chord * 0.4), 0.13)
    if u() < 0.7:
        pieces += [(f"winglet_{w}", "paint", wing((-sweep, s * span, z - r * 0.4), (-sweep - 1.0, s * (span + 0.15), z + 0.7), (chord * 0.38, 0.4), 0.1))
                   for s, w in ((1, "left"), (-1, "right"))]  # fmt: skip
    top = z + u(2.8, 3.3)
    pieces.append(("fin", "paint", wing((-4.4, 0, z + 0.5), (-6.5, 0, top), (2.6, 1.5), 0.1)))
    pieces += _pair("tail", "paint", (-6.3, 0.0, top - 0.1), (-7.2, u(2.6, 3.2), top), (1.5, 0.8), 0.1)
    for side, word in ((1, "left"), (-1, "right")):
        pieces += _nacelle(f"engine_{word}", u(-3.9, -3.5), side * (r + 0.55), z + 0.45, 2.5, u(0.48, 0.6))
        pieces.append((f"engine_{word}", "paint", box(1.2, 0.7, 0.15, (-3.7, side * (r + 0.1), z + 0.4))))
    pieces.append(("cockpit", "glass", hull([(4.9, r * 0.72, z + 0.1, z + r * 0.8), (5.6, r * 0.62, z + 0.05, z + r * 0.62), (6.1, r * 0.4, z, z + 0.25)], 10)))
    pieces += _windows(-1.8, 3.4, int(rng.integers(5, 8)), r * 0.98, z + 0.22, 0.42)
    pieces += _gear([("gear_front", 5.0, 0.0, z - 0.5), ("gear_left", -0.8, 1.8, z - 0.6), ("gear_right", -0.8, -1.8, z - 0.6)], 0.36)
    return pieces


def airliner(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    r, z, half = u(1.9, 2.15), u(3.6, 4.0), 18.0
    pieces: list[Piece] = [("body", "paint", hull([
        (-half, 0.25, z + 0.9, z + 1.5), (-half * 0.62, r * 0.85, z - r * 0.6, z + r), (-half * 0.4, r, z - r, z + r), (half * 0.72, r, z - r, z + r),
        (half * 0.86, r * 0.82, z - r * 0.88, z + r * 0.7), (half * 0.96, r * 0.42, z - r * 0.62, z + r * 0.1), (half, 0.1, z - r * 0.35, z - r * 0.15)], 14))]  # fmt: skip
    span, sweep = u(15.6, 16.4), u(6.0, 9.0)
    lead, dihedral = u(4.0, 6.0), u(0.8, 2.0)
    root, tip = np.array([lead, r * 0.5, z - r * 0.7]), np.array([lead - sweep, span, z - r * 0.7 + dihedral])
    pieces += _pair("wing", "paint", tuple(root), tuple(tip), (u(6.0, 7.5), u(1.6, 2.2)), 0.11)
    top = z + u(5.5, 6.3)
    pieces.append(("fin", "paint", wing((-half * 0.62, 0, z + r * 0.6), (-half * 0.93, 0, top), (5.5, 2.2), 0.1)))
    pieces += _pair("tail", "paint", (-half * 0.72, 0.3, z + 0.8), (-half * 0.95, u(5.5, 6.5), z + 1.4), (3.6, 1.5), 0.1)
    engines = (0.33, 0.6) if u() < 0.4 else (0.36,)
    size = u(1.0, 1.35) if len(engines) == 1 else u(0.85, 1.0)
    for share in engines:
        at = root + (tip - root) * share
        for side, word in ((1, "left"), (-1, "right")):
            pieces += _nacelle(f"engine_{word}", at[0] + 1.1, side * at[1], at[2] - size * 0.95, u(3.6, 4.4), size)
            pieces.append((f"engine_{word}", "paint", box(2.2, 0.3, 0.8, (at[0] - 0.3, side * at[1], at[2] - 0.25))))
    pieces.append(("cockpit", "glass", hull([(half * 0.84, r * 0.74, z + 0.5, z + r * 0.74), (half * 0.91, r * 0.58, z + 0.3, z + r * 0.5)], 10)))
    for side, word in ((1, "left"), (-1, "right")):
        strip = box(half * 1.15, 0.06, 0.32, (half * 0.12, side * r * 0.985, z + 0.45))
        pieces.append((f"window_{word}", "glass" if u() < 0.6 else "dark", strip))
        for x in (half * 0.78, -half * 0.5):
            pieces.append((f"door_{word}", "dark", box(0.12, 0.08, 1.7, (x, side * r * 0.97, z + 0.1))))
    pieces += _gear([("gear_front", half * 0.75, 0.0, z - 1), ("gear_left", -0.8, 3.0, z - 1), ("gear_right", -0.8, -3.0, z - 1)], 0.7)
    return pieces


def fighter(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    z, half = u(1.9, 2.1), 9.0
    pieces: list[Piece] = [("body", "paint", hull([
        (-half * 0.86, 1.1, z - 0.5, z + 0.5), (-half * 0.4, 1.4, z - 0.75, z + 0.7), (0, 1.35, z - 0.85, z + 0.75), (half * 0.4, 0.8, z - 0.6, z + 0.75),
        (half * 0.66, 0.5, z - 0.4, z + 0.55), (half * 0.84, 0.28, z - 0.2, z + 0.3), (half, 0.03, z - 0.02, z + 0.04)], 12))]  # fmt: skip
    twin = u() < 0.65
    delta = u() < 0.5
    span = 7.3
    if delta:
        pieces += _pair("wing", "paint", (half * u(0.2, 0.32), 0.9, z), (-half * u(0.5, 0.62), span, z + u(-0.2, 0.15)), (half * 0.95, 1.3), 0.045)
        if u() < 0.6:
            pieces += _pair("canard", "paint", (half * 0.52, 0.5, z + 0.25), (half * 0.34, 2.4, z + 0.35), (1.6, 0.5), 0.07)
    else:
        pieces += _pair("wing", "paint", (half * u(0.1, 0.2), 1.0, z + 0.1), (-half * u(0.22, 0.36), span, z), (half * u(0.5, 0.6), 1.5), 0.06)
        pieces += _pair("tail", "paint", (-half * 0.6, 1.0, z), (-half * 0.92, u(3.4, 4.2), z - 0.05), (2.8, 1.1), 0.06)
    top = z + u(2.4, 2.8)
    if twin:
        lean = u(0.2, 0.9)
        pieces += _pair("fin", "paint", (-half * 0.44, 1.0, z + 0.5), (-half * 0.82, 1.0 + lean, top), (3.0, 1.3), 0.06)
    else:
        pieces.append(("fin", "paint", wing((-half * 0.35, 0, z + 0.6), (-half * 0.84, 0, top + 0.4), (3.8, 1.4), 0.06)))
    pieces.append(("cockpit", "glass", ball((half * u(0.16, 0.2), 0.42, 0.55), (half * u(0.48, 0.55), 0, z + 0.55), 2)))
    for side, word in ((1, "left"), (-1, "right")):
        pieces.append((f"intake_{word}", "dark", box(0.3, 0.5, 0.75, (half * 0.26, side * 1.05, z - 0.15))))
        pieces.append((f"intake_{word}", "paint", box(half * 0.4, 0.6, 0.95, (half * 0.05, side * 1.1, z - 0.15))))
        nozzle = (-half * 0.9, side * 0.55 if twin else 0.0, z)
        pieces.append((f"engine_{word}", "dark", hull([(nozzle[0] - 0.5, 0.42, z - 0.42, z + 0.42), (nozzle[0] + 0.8, 0.55, z - 0.5, z + 0.5)], 10).apply_translation((0, nozzle[1], 0))))
        if u() < 0.6:
            y = side * u(3.6, 5.2)
            pieces.append((f"missile_{word}", "white", rod((-half * 0.28, y, z - 0.35), (half * 0.05, y, z - 0.35), 0.13)))
            pieces.append((f"missile_{word}", "paint", box(0.9, 0.1, 0.35, (-half * 0.15, y, z - 0.15))))
    pieces += _gear([("gear_front", half * 0.45, 0.0, z - 0.3), ("gear_left", -half * 0.2, 1.5, z - 0.3), ("gear_right", -half * 0.2, -1.5, z - 0.3)], 0.42)
    return pieces


def biplane(rng: np.random.Generator) -> list[Piece]:
    u = rng.uniform
    length, z = 7.2, 1.45
    nose, tail = length / 2, -length / 2
    pieces: list[Piece] = [("body", "paint", hull([
        (tail, 0.1, z + 0.15, z + 0.4), (-1.4, 0.34, z - 0.25, z + 0.42), (0, 0.48, z - 0.45, z + 0.5), (nose - 1.2, 0.52, z - 0.5, z + 0.52),
        (nose - 0.35, 0.5, z - 0.48, z + 0.5)], 12))]  # fmt: skip
    pieces.append(("engine", rng.choice(["chrome", "paint", "dark"]), hull([(nose - 0.6, 0.58, z - 0.56, z + 0.58), (nose - 0.3, 0.56, z - 0.54, z + 0.56), (nose - 0.12, 0.4, z - 0.38, z + 0.4)], 12)))
    turn = u(0, np.pi)
    for k in range(int(rng.integers(2, 4))):
        blade = slab([(-0.04, 0.05), (0.05, 0.05), (0.06, 0.6), (0.02, 1.0), (-0.04, 0.6)], 0.16)
        pieces.append(("propeller", rng.choice(["wood", "dark"]), moved(blade, (nose - 0.05, 0, z), roll=turn + 2 * np.pi * k / 2)))
    pieces.append(("propeller", "paint", ball((0.2, 0.14, 0.14), (nose, 0, z))))
    chord, span, gap, stagger = u(1.15, 1.4), 4.5, u(1.25, 1.5), u(0.0, 0.5)
    low, high = z - 0.42, z - 0.42 + gap
    lead = nose - u(1.2, 1.5)
    for name, x, zz, s, up in (("lower", lead - stagger, low, span * u(0.86, 1.0), u(0.05, 0.25)), ("upper", lead, high, span, u(0.0, 0.15))):
        pieces += _pair(f"wing_{name}", "paint", (x, 0.0, zz), (x - u(0, 0.2), s, zz + up), (chord, chord * u(0.75, 1.0)), 0.11)
    for side in (1, -1):
        for y in (span * u(0.6, 0.72), 0.45):
            for dx in (-0.25, -chord + 0.3):
                foot = (lead - stagger + dx, side * y, low + 0.05) if y > 1 else (lead + dx, side * 0.35, z + 0.4)
                pieces.append(("strut", rng.choice(["wood", "paint", "dark"]), rod(foot, (lead + dx, side * y, high + 0.03), 0.045)))
        pieces.append(("wire", "chrome", rod((lead - 0.5, side * 0.5, low), (lead - 0.5, side * span * 0.66, high), 0.02, 4)))
        pieces.append(("wire", "chrome", rod((lead - 0.5, side * 0.4, high), (lead - 0.5, side * span * 0.66, low + 0.1), 0.02, 4)))
    pieces += _pair("tail", "paint", (tail + 1.0, 0.0, z + 0.3), (tail + 0.5, u(1.3, 1.6), z + 0.32), (0.95, 0.5), 0.07)
    pieces.append(("fin", "paint", wing((tail + 1.1, 0, z + 0.3), (tail + 0.35, 0, z + u(1.1, 1.35)), (1.05, 0.55), 0.08)))
    seats = int(rng.integers(1, 3))
    for k in range(seats):
        x = -0.1 - 0.95 * k
        pieces.append(("cockpit", "seat", ball((0.34, 0.28, 0.1), (x, 0, z + 0.48))))
        pieces.append(("windscreen", "glass", box(0.04, 0.42, 0.24, (x + 0.4, 0, z + 0.6), pitch=-0.4)))
    for side, word in ((1, "left"), (-1, "right")):
        pieces += wheel(f"wheel_{word}", lead - 0.35, side * 0.85, 0.36, 0.16)
        for dx in (0.25, -0.45):
            pieces.append((f"gear_{word}", "paint", rod((lead - 0.35 + dx, side * 0.35, z - 0.4), (lead - 0.35, side * 0.8, 0.36), 0.045)))
    pieces.append(("wheel_back", "dark", rod((tail + 0.4, 0, z + 0.1), (tail + 0.15, 0, 0.35), 0.05)))
    return pieces


MAKERS = {"jet": jet, "fighter": fighter, "biplane": biplane, "airliner": airliner}
