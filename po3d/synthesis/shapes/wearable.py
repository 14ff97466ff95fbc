"""Parametric helmets, hats and handbags. Conventions and colours as in own_shapes.py."""

import numpy as np

from po3d.synthesis.shapes.limbs import bar, dome, hoop, smooth, warped
from po3d.synthesis.shapes.mesh import Piece, Random, main, named, painted, pick, solid
from po3d.synthesis.shapes.primitives import ball, box, moved, ring, rounded, tube
from po3d.synthesis.shapes.sheets import board, panel, soft_sheet
from po3d.synthesis.shapes.turned import upright

FULL = (-np.pi, np.pi)


def _full_helmet(random: Random) -> list[Piece]:
    """Motorbike helmet: a shell around the head, a visor, a chin bar on some."""
    u, long, wide, high = (
        random.uniform,
        *random.uniform((0.165, 0.125, 0.16), (0.185, 0.135, 0.175)),
    )
    radii, z, chin = (long, wide, high), u(0.11, 0.13), random.random() < 0.65
    opening = u(0.85, 1.05)  # half the width of the face's opening, radians
    low, brow = -0.75, u(0.2, 0.36)
    pieces = main(dome(radii, FULL, (brow, 1.5), 0.012, (0, 0, z), (36, 7)))
    pieces += main(
        dome(radii, (opening, 2 * np.pi - opening), (low, brow + 0.01), 0.012, (0, 0, z), (26, 6))
    )
    pieces += solid(
        "lining",
        "tyre",
        dome(np.array(radii) * 0.93, FULL, (low + 0.05, 1.4), 0.01, (0, 0, z), (24, 8)),
    )
    if chin:
        jaw = (long * u(1.02, 1.12), wide, high)
        pieces += main(
            dome(
                jaw,
                (-opening - 0.05, opening + 0.05),
                (low, -u(0.18, 0.3)),
                0.014,
                (0, 0, z),
                (18, 4),
            )
        )
        for y in (-0.025, 0.025):
            pieces += solid(
                "vent", "tyre", panel(0.03, 0.012, 0.004, 0.01, (jaw[0] * 0.86, y, z - high * 0.42))
            )
    up = random.random() < 0.25
    visor = dome(
        (long * 1.015, wide * 1.03, high * 1.01),
        (-opening - 0.12, opening + 0.12),
        (brow - 0.02, brow + 0.5) if up else (-0.34, brow + 0.06),
        0.006,
        (0, 0, z),
        (18, 5),
    )
    pieces += solid("visor", "glass", visor)
    for s in (-1, 1):
        hinge = ball(
            (0.018, 0.006, 0.018),
            (long * np.cos(opening + 0.1), s * wide * np.sin(opening + 0.1) * 1.03, z),
            2,
        )
        pieces += solid("hinge", "chrome", hinge)
    stripes = int(random.integers(3))
    for k in range(stripes):
        at = 0.0 if stripes == 1 else (k - 0.5) * 0.055
        band = dome(
            (long * 1.012, u(0.014, 0.03), high * 1.012),
            FULL,
            (brow + 0.02, 1.5),
            0.004,
            (0, at, z),
            (20, 5),
        )
        pieces += painted("stripe", band)
    rim = dome(
        (long * 1.01, wide * 1.01, high * 1.01),
        (opening, 2 * np.pi - opening),
        (low - 0.03, low + 0.04),
        0.018,
        (0, 0, z),
        (26, 1),
    )
    pieces += solid("rim", "dark", rim)
    return pieces


def _cycle_helmet(random: Random) -> list[Piece]:
    """Bicycle helmet: ribs with openings between them, a strap."""
    u, long, wide, high = (
        random.uniform,
        *random.uniform((0.165, 0.115, 0.125), (0.185, 0.13, 0.15)),
    )
    lining = dome(
        (long * 0.95, wide * 0.94, high * 0.93), FULL, (0.05, 1.5), 0.015, (0, 0, 0), (32, 7)
    )
    pieces = solid("lining", "tyre", lining)
    ribs, thick = int(random.integers(2, 4)), u(0.011, 0.016)
    for k in np.linspace(-1, 1, 2 * ribs + 1):
        t = np.linspace(0.1, np.pi - 0.1, 15)
        across = wide * 0.92 * k * 0.8
        lift = np.sqrt(max(1 - (0.8 * k) ** 2, 0.1))
        path = np.c_[
            long * np.cos(t) * (0.9 + 0.1 * lift),
            across * (0.6 + 0.4 * np.sin(t)),
            high * lift * np.sin(t),
        ]
        pieces += main(tube(path, thick * (0.8 + 0.4 * np.sin(t)), 8))
    pieces += main(dome((long, wide, high), FULL, (-0.08, u(0.14, 0.25)), 0.02, (0, 0, 0), (36, 3)))
    pieces += main(dome((long, wide, high), FULL, (1.25, 1.55), 0.02, (0, 0, 0), (20, 2)))
    if random.random() < 0.5:
        peak = dome(
            (long * 1.3, wide * 0.9, 0.05),
            (-0.9, 0.9),
            (-0.1, 0.3),
            0.01,
            (-0.01, 0, 0.01),
            (14, 2),
        )
        pieces += solid("peak", "dark", peak)
    strap = [
        (0.03, -wide * 0.9, 0),
        (0.02, -0.05, -0.09),
        (0.02, 0.05, -0.09),
        (0.03, wide * 0.9, 0),
    ]
    pieces += solid("strap", "dark", bar(strap, 0.005, 6))
    return pieces + solid("strap", "tail", board((0.02, 0.03, 0.018), (0.02, 0, -0.086)))


def _hard_hat(random: Random) -> list[Piece]:
    """Hard hat: a dome with ridges and a brim."""
    u, long, wide, high = random.uniform, *random.uniform((0.135, 0.11, 0.13), (0.15, 0.122, 0.155))
    pieces = main(dome((long, wide, high), FULL, (0.0, 1.55), 0.006, (0, 0, 0), (36, 9)))
    peak = u(1.22, 1.4)
    t = np.arange(36) * 2 * np.pi / 36
    out = 1.1 + (peak - 1.1) * np.maximum(np.cos(t), 0) ** 1.5
    circle = np.c_[long * np.cos(t), wide * np.sin(t)]
    droop = -0.012 * np.maximum(np.cos(t), 0)
    rings = [
        np.c_[circle * 0.97, 0.003 + 0 * t],
        np.c_[circle * out[:, None], droop + 0.002],
        np.c_[circle * out[:, None], droop - 0.004],
        np.c_[circle * 0.97, -0.005 + 0 * t],
    ]
    pieces += main(hoop(rings))
    for k in range(int(random.integers(1, 4))):
        y = (0.0, 0.035, -0.035)[k]
        line = np.linspace(0.35, np.pi - 0.35, 13)
        h = high * np.sqrt(1 - (y / wide) ** 2)
        pieces += main(
            tube(np.c_[long * np.cos(line), np.full(13, y), h * np.sin(line)], u(0.006, 0.01), 8)
        )
    badge = moved(
        panel(0.045, 0.035, 0.008, 0.006, (0, 0, 0)), (long * 0.9, 0, high * 0.38), pitch=-0.5
    )
    pieces += solid("badge", "white", badge)
    strap = [(0.02, -wide, 0), (0.02, -0.05, -0.08), (0.02, 0.05, -0.08), (0.02, wide, 0)]
    return pieces + solid("strap", "dark", bar(strap, 0.004, 6))


def _helmet(random: Random) -> list[Piece]:
    return [_full_helmet, _full_helmet, _cycle_helmet, _hard_hat][int(random.integers(4))](random)


def _hat(random: Random) -> list[Piece]:
    u, kind = random.uniform, int(random.integers(5))  # fedora, bowler, top hat, straw, cowboy
    long, wide = u(0.1, 0.115), u(0.085, 0.097)
    high = (u(0.11, 0.13), u(0.1, 0.125), u(0.14, 0.19), u(0.08, 0.11), u(0.12, 0.15))[kind]
    brim = (u(0.05, 0.075), u(0.035, 0.05), u(0.04, 0.055), u(0.08, 0.12), u(0.085, 0.11))[kind]
    curl = (u(0.0, 0.02), u(0.015, 0.03), u(0.01, 0.02), u(-0.03, 0.0), u(0.05, 0.09))[kind]
    profile = {  # (share of the radius, share of the height)
        0: [(1, 0), (0.98, 0.5), (0.86, 0.88), (0.7, 1.0), (0.3, 0.95), (0, 0.9)],
        1: [(1, 0), (0.99, 0.4), (0.85, 0.78), (0.5, 0.97), (0, 1)],
        2: [(1, 0), (0.92, 0.5), (u(0.98, 1.12), 0.98), (0.95, 1), (0, 1)],
        3: [(1, 0), (0.97, 0.6), (0.85, 0.92), (0.5, 1), (0, 1)],
        4: [(1, 0), (0.95, 0.5), (0.8, 0.95), (0.6, 1.0), (0.25, 0.88), (0, 0.84)],
    }[kind]
    crown = upright(np.array([(0, 0), *smooth(profile, 1 if kind == 2 else 2)]), 36)
    pinch = u(0.1, 0.22) if kind in (0, 4) else 0.0

    def shaped(v: np.ndarray) -> np.ndarray:
        front = np.maximum(v[:, 0], 0) ** 2 * v[:, 2]
        y = v[:, 1] * wide * (1 - 1.6 * pinch * front)
        return np.c_[v[:, 0] * long, y, v[:, 2] * high * (1 + 0.1 * pinch * v[:, 0])]

    pieces = main(warped(crown, shaped))
    t = np.arange(40) * 2 * np.pi / 40
    rise = curl * np.sin(t) ** 2 - (curl * 0.4 if kind in (0, 4) else 0.0) * np.cos(t) ** 2
    if kind == 3:
        rise = curl + 0.012 * np.sin(int(random.integers(2, 5)) * t + u(0, 6))
    stations = []
    for f, thick in (
        (0.0, 0.002),
        (0.35, 0.002),
        (0.7, 0.002),
        (1.0, 0.002),
        (1.0, -0.002),
        (0.7, -0.002),
        (0.35, -0.002),
        (0.0, -0.002),
    ):
        r = np.c_[
            (long * 0.97 + brim * f) * np.cos(t),
            (wide * 0.97 + brim * f * (0.85 if kind in (0, 1, 2) else 1.0)) * np.sin(t),
        ]
        stations.append(np.c_[r, rise * f**1.6 + thick])
    pieces += main(hoop(stations))
    if kind in (1, 2):  # a bound edge
        edge = np.c_[
            (long * 0.97 + brim) * np.cos(t), (wide * 0.97 + brim * 0.85) * np.sin(t), rise
        ]
        s = np.arange(6) * 2 * np.pi / 6
        tangent = np.c_[np.cos(t), np.sin(t), 0 * t]
        rings = [
            p + 0.004 * (np.outer(np.cos(s), n) + np.outer(np.sin(s), [0, 0, 1]))
            for p, n in zip(edge, tangent)
        ]
        pieces += painted("band", hoop(rings))
    tall = u(0.02, 0.045)
    band = [
        np.c_[long * f * np.cos(t), wide * f * np.sin(t), np.full(40, z)]
        for f, z in ((1.02, 0.003), (1.015, tall), (0.9, tall), (0.9, 0.003))
    ]
    pieces += painted("band", hoop(band))
    if random.random() < 0.5:
        side = wide * 1.02
        bow = [(s * 0.022, side + 0.004, tall / 2) for s in (-1, 1)]
        pieces += painted("band", *(ball((0.022, 0.006, tall * 0.42), at, 2) for at in bow))
        pieces += painted("band", ball((0.007, 0.009, 0.009), (0, side + 0.004, tall / 2), 1))
    elif kind in (0, 4) and random.random() < 0.4:
        line = [
            (0.02, wide * 1.02, tall * 0.5),
            (0.0, wide * 1.06, tall + 0.04),
            (-0.03, wide * 1.08, tall + 0.08),
        ]
        feather = tube(line, [0.003, 0.009, 0.001], 6)
        pieces += painted("feather", feather)
    return pieces


def _handbag(random: Random) -> list[Piece]:
    u, wide, high, deep = random.uniform, *random.uniform((0.24, 0.13, 0.09), (0.33, 0.19, 0.14))
    top, edge, narrow = wide * u(0.62, 1.08), u(0.012, 0.05), u(0.2, 0.75)
    corners = [(-wide / 2, 0.004), (wide / 2, 0.004), (top / 2, high), (-top / 2, high)]
    body = soft_sheet(rounded(corners, min(edge, 0.3 * high), 4), deep)

    def taper(v: np.ndarray) -> np.ndarray:
        share = 1 - (1 - narrow) * np.clip(v[:, 2] / high, 0, 1)
        belly = 1 + 0.12 * np.sin(np.pi * np.clip(v[:, 2] / high, 0, 1))
        return np.c_[v[:, 0] * share * belly, v[:, 1:]]

    pieces = main(warped(body, taper))
    front = deep / 2 * (1 - (1 - narrow) * 0.5) * 1.1
    metal = pick(random, "gold", "chrome", "gold")
    stuff = "paint" if metal == "gold" else metal
    style = int(random.integers(3))
    if style == 0:  # a flap with a clasp
        drop = high * u(0.4, 0.65)
        face = [
            (-top / 2 * 1.01, high + 0.004),
            (-top * 0.46, high - drop),
            (top * 0.46, high - drop),
            (top / 2 * 1.01, high + 0.004),
        ]
        outline = rounded(face, 0.03, 4)
        flap = warped(soft_sheet(outline, deep * 1.03), taper)
        pieces += painted("flap", flap)
        at = (deep / 2 * (1 - (1 - narrow) * (1 - drop / high)) * 1.14, 0, high - drop + 0.012)
        pieces += solid(metal, stuff, panel(0.035, 0.028, 0.006, 0.012, at, 0.003))
    elif style == 1:  # a zip and a pocket
        pieces += solid(metal, stuff, box(0.008, top * 0.9, 0.006, (0, 0, high + 0.002)))
        for s in (-1, 1):
            pocket = moved(
                panel(wide * 0.55, high * 0.45, 0.02, 0.012, (0, 0, 0), 0.004, 3),
                (front, 0, high * 0.36),
                pitch=-0.12,
            )
            pieces += main(moved(pocket, yaw=0 if s > 0 else np.pi))
    else:  # a frame with a kiss lock
        bow = high + 0.006 * np.cos(np.linspace(-1.5, 1.5, 9))
        pieces += solid(
            metal, stuff, tube(np.c_[np.zeros(9), np.linspace(-top / 2, top / 2, 9), bow], 0.006, 8)
        )
        pieces += solid(
            metal, stuff, *(ball(0.01, (0.006 * s, 0.008 * s, high + 0.018), 2) for s in (-1, 1))
        )
    if random.random() < 0.5:  # bands at the foot
        face = [
            (-wide / 2 * 1.006, 0),
            (wide / 2 * 1.006, 0),
            (wide / 2 * 0.995, high * 0.16),
            (-wide / 2 * 0.995, high * 0.16),
        ]
        foot = rounded(face, 0.008, 2)
        pieces += painted("trim", warped(soft_sheet(foot, deep * 1.02), taper))
    rise, half, thick = high * u(0.2, 0.55), top * u(0.22, 0.4), u(0.0045, 0.008)
    grips = (-1, 1) if random.random() < 0.6 else (0,)
    for s in grips:
        x = s * deep / 2 * narrow * 0.9
        path = [
            (x, -half, high * 0.86 if s else high),
            (x, -half, high + rise * 0.7),
            (x * 0.7, 0, high + rise * 1.25),
            (x, half, high + rise * 0.7),
            (x, half, high * 0.86 if s else high),
        ]
        pieces += painted("trim", bar(path, thick, 8, 3))
        for d in (-half, half):
            pieces += solid(
                metal,
                stuff,
                moved(ring(0.011, 0.003, sides=14), (x, d, high * 0.9 if s else high + 0.006)),
            )
    for i in (-1, 1):
        for j in (-1, 1):
            pieces += solid(metal, stuff, ball(0.006, (i * deep * 0.36, j * wide * 0.4, 0.002), 1))
    return pieces


SHAPES = named(_helmet, _hat, _handbag)
