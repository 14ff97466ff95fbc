"""Rendering styles of the official pictures, sampled around measured lights, paints and finishes.

"superclevr": Super-CLEVR's studio, a black world with three lamps and a weak sun over a pale floor.
"hdri": PulseCheck457's streets, lit by photographs that also texture the ground. Both are rendered
by the fast renderer; colours are linear RGB.
"""

import functools
from dataclasses import replace

import numpy as np

from po3d.io.errors import InputError
from po3d.io.files import rows_beside
from po3d.scene.vocabulary import COLORS_RGB
from po3d.synthesis.render.environment import (
    EXPOSED_WHITE,
    RGB,
    Array,
    Backdrop,
    Film,
    Finish,
    Light,
    RenderStyle,
    Sky,
    rgb,
)
from po3d.synthesis.render.looks import plain_ground, sample_look

OFFICIAL_LOOKS = ("superclevr", "hdri")
STUDIO = OFFICIAL_LOOKS[0]

# Super-CLEVR's lamps: position, irradiance at the world's origin on a surface facing it, colour;
# its sun.
_LAMPS: tuple[tuple[RGB, float, RGB], ...] = (
    ((6.447, -2.905, 4.258), 0.29, (1.0, 0.932, 0.817)),
    ((-4.671, -4.014, 3.011), 0.13, (0.762, 0.818, 1.0)),
    ((-1.169, 2.646, 5.816), 0.23, (1.0, 1.0, 1.0)),
)
_LAMP_JITTER = 1.0  # per axis, in world units
_SUN, _SUN_STRENGTH = (0.415, -0.195, 0.889), 0.45
_FLOOR = 0.8  # albedo
PAINTED = 0.65  # share of grounds that look as if textured with a photograph
PHOTOGRAPHS = 24  # number of these patterns
DIMMED = 0.92  # factor for the whole picture that accounts for the shadows of several lamps


def sample_official_look(kind: str, rng: np.random.Generator) -> RenderStyle:
    """Sample one of OFFICIAL_LOOKS."""
    if kind == STUDIO:
        return _superclevr(rng)
    if kind == "hdri":
        return _hdri(rng)
    raise InputError(f"unknown look {kind!r}: choose {' or '.join(OFFICIAL_LOOKS)}")


def _superclevr(rng: np.random.Generator) -> RenderStyle:
    """Sample the studio: lights, then the floor and its light, then the film."""
    lamps = tuple(_jittered_lamp(*lamp, rng) for lamp in _LAMPS)
    sun = _light(
        np.array(_SUN) + rng.normal(0, 0.15, 3),
        _SUN_STRENGTH * np.exp(rng.normal(0, 0.3)),
        (1, 1, 1),
        rng.uniform(0.05, 0.2),
    )
    world = rng.uniform(0, 0.03) if rng.random() < 0.7 else rng.uniform(0.03, 0.2)
    cove = rng.uniform(0.1, 0.36)  # the floor is a sheet that rises far away
    white = _SUN_STRENGTH * _SUN[2] + sum(s * p[2] / np.linalg.norm(p) for p, s, _ in _LAMPS)
    # It is brighter near the key lamp; the middle of the floor has the light computed above.
    falloff, radius = float(rng.uniform(0.25, 0.5)), float(rng.uniform(2.5, 4.0))
    pool = (float(rng.normal(4.3, 0.8)), float(rng.normal(-2.8, 0.8)))
    white /= 1 - falloff + falloff / (1 + (pool[0] ** 2 + pool[1] ** 2) / radius**2)
    floor = rgb(_FLOOR * np.exp(rng.normal(0, 0.12)) * (1 + rng.uniform(-0.03, 0.03, 3)), 0, 0.95)
    ground = plain_ground(floor, 0.08, rng)
    ground = replace(ground, falloff=falloff, pool=pool, pool_radius=radius, near=True)
    return RenderStyle(
        kind=STUDIO,
        key=sun,
        fills=lamps,
        sky=Sky(zenith=rgb(np.full(3, world)), horizon=rgb(np.full(3, world + cove))),
        ground=ground,
        backdrop=Backdrop(distance=60.0, color=rgb(np.array(floor) * 0.2), height=0.0),
        film=_studio_film(white, rng),
    )


def _light(place: Array, strength: float, color: RGB, radius: float) -> Light:
    distance = float(np.linalg.norm(place))
    return Light(rgb(place / distance), rgb(np.array(color) * strength), radius)


def _jittered_lamp(place: RGB, strength: float, color: RGB, rng: np.random.Generator) -> Light:
    """Sample a lamp near a place; it is brighter if it is nearer to the world's origin."""
    moved = np.array(place) + rng.uniform(-_LAMP_JITTER, _LAMP_JITTER, 3)
    nearer = float(np.sum(np.square(place)) / np.sum(np.square(moved)))
    brightness = strength * nearer * np.exp(rng.normal(0, 0.2))
    return _light(moved, brightness, color, rng.uniform(0.05, 0.15))


def _studio_film(white: float, rng: np.random.Generator) -> Film:
    """Sample the film; `white`: radiosity of a white floor."""
    return Film(
        # White ground then has its radiance as value, as in Blender's standard view.
        exposure=float(np.log2(DIMMED * white / np.pi / EXPOSED_WHITE) + rng.normal(0, 0.18)),
        white_balance=rgb(1 + rng.normal(0, 0.02, 3)),
        knee=float(rng.uniform(0.75, 0.95)),
        contrast=float(rng.uniform(0.95, 1.08)),
        saturation=float(rng.uniform(0.93, 1.08)),
        noise=float(rng.uniform(0.5, 2.5)),
        noise_seed=int(rng.integers(256)),
        blur=float(rng.uniform(0.3, 0.7)) if rng.random() < 0.3 else 0.0,
    )


def _hdri(rng: np.random.Generator) -> RenderStyle:
    """Sample an outdoor style with softer and brighter skies, whose ground looks like a coarse
    photograph.
    """
    base = sample_look("outdoor", rng)
    soft = rng.uniform(0.0, 1.0)  # strength of the light that casts a shadow
    key = replace(
        base.key,
        color=rgb(np.array(base.key.color) * soft),
        radius=float(max(base.key.radius, rng.uniform(0.01, 0.2))),
    )
    tone = np.exp(rng.uniform(np.log(0.08), np.log(0.75))) * (1 + rng.uniform(-0.1, 0.1, 3))
    ground_color = np.array(base.ground.color) / max(base.ground.color) * tone.mean()
    first = tone + rng.uniform(0, 0.7) * (ground_color - tone)
    painted = rng.random() < PAINTED
    spread = rng.normal(0, 0.4 if painted else 0.25) + rng.normal(0, 0.2 if painted else 0.1, 3)
    ground = replace(
        base.ground,
        kind="photograph" if painted else base.ground.kind,
        variant=int(rng.integers(PHOTOGRAPHS)) if painted else base.ground.variant,
        color=rgb(first, 0.02, 0.85),
        color2=rgb(first * np.exp(spread), 0.02, 0.7),
        contrast=(
            float(rng.uniform(0.4, 1.2))
            if painted
            else base.ground.contrast * float(rng.uniform(0.2, 1.0))
        ),
        tile=float(rng.uniform(6, 24)) if painted else base.ground.tile * float(rng.uniform(1, 4)),
    )
    film = replace(
        base.film, exposure=float(rng.uniform(-0.7, 0.5)), noise=float(rng.uniform(0, 2))
    )
    return replace(base, kind="hdri", key=key, ground=ground, film=film)


@functools.cache
def _paints() -> dict[str, Array]:
    """Return colour -> linear paints (n, 3) of PulseCheck457's coloured vehicles."""
    rows: dict[str, list[list[float]]] = {}
    for row in rows_beside(__file__, "paints.csv"):
        paint = [float(row["red"]), float(row["green"]), float(row["blue"])]
        rows.setdefault(row["color"], []).append(paint)
    return {color: np.array(values) for color, values in rows.items()}


def official_paint(kind: str, color: str, rng: np.random.Generator) -> RGB:
    """Return linear RGB of a colour's name in an official style. Super-CLEVR passes c / 255 to the
    shader without conversion, which is paler than the sRGB colour; darker powers of it are sampled
    as well. PulseCheck457's files have several paints for each name.
    """
    if kind == STUDIO:
        power = 1.0 if rng.random() < 0.6 else rng.uniform(1.0, 1.6)
        linear = (np.array(COLORS_RGB[color]) / 255) ** power
    else:
        known = _paints()[color]
        first, two = known[rng.integers(len(known), size=2)]
        linear = first + (two - first) * rng.uniform(0, 1) * (rng.random() < 0.5)
    linear = linear * np.exp(rng.normal(0, 0.06)) * np.exp(rng.normal(0, 0.04, 3))
    return rgb(linear, 0.002, 1.0)


def official_finish(kind: str, material: str, rng: np.random.Generator) -> Finish:
    """Sample Super-CLEVR's rubber (diffuse under a Beckmann gloss of roughness 0.59) or metal (60 %
    of a lobe of roughness 0.45 and 40 % of one of 0.1, without a diffuse one), randomised around
    these; outdoors anything from matt to lacquer.
    """
    if kind != STUDIO:
        return Finish(
            float(rng.uniform(0, 0.25)), float(rng.uniform(0.3, 0.9)), float(rng.uniform(0, 1))
        )
    if material == "rubber":
        return Finish(0.0, float(rng.uniform(0.5, 0.85)), float(rng.uniform(0, 0.15)))
    return Finish(1.0, float(rng.uniform(0.38, 0.52)), 0.0, float(rng.uniform(0.25, 0.55)))
