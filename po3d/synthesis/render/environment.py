"""Rendering styles: everything in a picture that is not geometry (lights, sky, ground, film).
`looks`, `official` and `top_view.looks` sample them.

Colours are linear RGB; directions point from the scene towards the light, in the world frame (z
up). Irradiances are relative: a style is exposed so that white ground in the open is nearly white,
then shifted by `Film.exposure` stops.
"""

import functools
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from po3d.synthesis.render import textures as patterns

Array = NDArray[np.float64]
RGB = tuple[float, float, float]
Kind = Literal["studio", "outdoor", "superclevr", "hdri"]  # the last two are sampled by official.py

VARIANTS = 6  # of each ground, cloud field and skyline: few enough to be generated once per process
EXPOSED_WHITE = 0.92  # linear value of white ground in the open
LEVEL_SIZES = (64, 32, 16, 8, 4)  # sizes of the reflection maps, one for each roughness 0, 1/4 .. 1
# the map holds directions d with |d.xy / (1 + d.z)| up to this: some below the horizon
MAP_REACH = 1.35


def to_linear(srgb: ArrayLike) -> Array:
    """Convert sRGB values in [0, 1] to linear ones."""
    c = np.asarray(srgb, float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def rgb(values: ArrayLike, low: float = -np.inf, high: float = np.inf) -> RGB:
    """Clip three values and return them as Python numbers."""
    r, g, b = np.clip(np.asarray(values, float), low, high).tolist()
    return r, g, b


@dataclass(frozen=True)
class Finish:
    """Reflectance of a painted surface; all values in [0, 1]."""

    metallic: float
    roughness: float
    clearcoat: float
    mirror: float = 0.0  # weight of a second, sharp lobe; streets only


@dataclass(frozen=True)
class Light:
    """A disc of light on the sky dome."""

    direction: RGB  # unit vector
    color: RGB  # irradiance at normal incidence
    radius: float  # angular radius, radians


@dataclass(frozen=True)
class Sky:
    zenith: RGB  # radiance
    horizon: RGB
    glow: float = 0.0  # radiance of the air around the key light
    cloud: RGB = (0.0, 0.0, 0.0)
    cloud_cover: float = 0.0  # in [0, 1]
    cloud_variant: int = 0
    # (H, 2 H, 3) photograph that replaces the other fields
    hdri: NDArray[np.float32] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class GroundStyle:
    kind: str  # one of patterns.GROUNDS
    variant: int
    color: RGB  # albedo
    color2: RGB  # albedo of its blotches and slabs
    contrast: float
    tile: float  # world units per tile
    angle: float
    offset: tuple[float, float]
    falloff: float = 0.0  # 0 for even light; towards 1 the light concentrates around `pool`
    pool: tuple[float, float] = (0.0, 0.0)
    pool_radius: float = 10.0
    near: bool = False  # the pool also lights the objects in it, as nearby lamps do


@dataclass(frozen=True)
class Backdrop:
    """Background where the ground ends: a wall with the skyline, below the sky."""

    distance: float  # from the world's origin
    color: RGB  # of the silhouettes; with height 0 the wall is the sky's horizon
    height: float  # of the skyline picture
    variant: int = 0


@dataclass(frozen=True)
class Film:
    """Conversion from radiance to bytes."""

    exposure: float = 0.0  # stops
    white_balance: RGB = (1.0, 1.0, 1.0)
    knee: float = 0.8  # higher linear values are compressed towards 1
    contrast: float = 1.0
    saturation: float = 1.0
    vignette: float = 0.0  # share of light lost in the corners
    noise: float = 0.0  # standard deviation, in bytes
    noise_seed: int = 0
    blur: float = 0.0  # in pixels at width 640


@dataclass(frozen=True)
class RenderStyle:
    kind: Kind
    key: Light  # the only light that casts a shadow
    fills: tuple[Light, ...]
    sky: Sky
    ground: GroundStyle
    backdrop: Backdrop
    film: Film


class Lighting(NamedTuple):
    """A style's light in the representation of the shaders."""

    irradiance: NDArray[np.float32]  # (9, 3) spherical harmonics of everything except the key light
    sky: Array  # (3,) irradiance of open ground without the key light
    reflections: tuple[NDArray[np.float32], ...]  # a (s, s, 3) map for each of LEVEL_SIZES
    ground: Array  # (3,) radiance reflected by the ground
    exposure: float


def direction(azimuth: ArrayLike, elevation: ArrayLike) -> Array:
    """Return unit vectors (..., 3)."""
    azimuth, elevation = np.asarray(azimuth, float), np.asarray(elevation, float)
    c = np.cos(elevation)
    return np.stack([c * np.cos(azimuth), c * np.sin(azimuth), np.sin(elevation) + 0 * azimuth], -1)


def radiance(look: RenderStyle, d: Array, ground: ArrayLike) -> Array:
    """Return the radiance (N, 3) seen from the origin in unit directions d (N, 3), without the key
    light; `ground` is the radiance of the ground.
    """
    z = d[:, 2]
    if look.sky.hdri is not None:
        h, w, _ = look.sky.hdri.shape
        row = np.clip(np.arccos(np.clip(z, -1, 1)) / np.pi * h, 0, h - 1).astype(int)
        column = np.clip((0.5 - np.arctan2(d[:, 1], d[:, 0]) / (2 * np.pi)) * w, 0, w - 1).astype(
            int
        )
        sky = look.sky.hdri[row, column].astype(float)
    else:
        sky = _procedural_sky(look, d)
    for light in look.fills:
        peak = np.array(light.color) / (np.pi * np.sin(light.radius) ** 2)
        angle = np.arccos(np.clip(d @ np.array(light.direction), -1, 1))
        sky += _smoothstep(1.2, 0.8, angle / light.radius)[:, None] * peak
    return sky + _smoothstep(0.02, -0.02, z)[:, None] * (np.asarray(ground) - sky)


def _procedural_sky(look: RenderStyle, d: Array) -> Array:
    sky, z = look.sky, np.clip(d[:, 2], 0, 1)
    value = np.array(sky.horizon) + (z**0.6)[:, None] * (
        np.array(sky.zenith) - np.array(sky.horizon)
    )
    if sky.glow:
        toward = np.maximum(d @ np.array(look.key.direction), 0)
        value += (sky.glow * (0.3 * toward**6 + toward**60))[:, None] * np.array(look.key.color)
    if sky.cloud_cover:
        field_ = patterns.clouds(sky.cloud_variant)
        h, w = field_.shape
        u = d[:, :2] / (z + 0.25)[:, None]
        thickness = field_[(u[:, 1] * 40).astype(int) % h, (u[:, 0] * 40).astype(int) % w]
        cover = _smoothstep(-0.12, 0.12, thickness - (1 - sky.cloud_cover))
        value += cover[:, None] * (np.array(sky.cloud) - value)
    if look.backdrop.height:
        rise = look.backdrop.height / look.backdrop.distance
        value += _smoothstep(0.5 * rise, 0.2 * rise, z)[:, None] * (
            np.array(look.backdrop.color) - value
        )
    return value


def _smoothstep(low: float, high: float, x: Array) -> Array:
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def map_directions(size: int) -> Array:
    """Return the unit directions (size * size, 3) of a reflection map's texels, rows along y: a
    paraboloid map.
    """
    t = ((np.arange(size) + 0.5) / size * 2 - 1) * MAP_REACH
    x, y = np.meshgrid(t, t)
    r2 = x * x + y * y
    return np.stack([2 * x, 2 * y, 1 - r2], -1).reshape(-1, 3) / (1 + r2).reshape(-1, 1)


# Factor of each harmonic in the irradiance of a surface (Ramamoorthi and Hanrahan 2001).
COSINE_LOBE = np.array([np.pi] + [2 * np.pi / 3] * 3 + [np.pi / 4] * 5)


def _basis(d: Array) -> Array:
    """Return the real spherical harmonics (N, 9) of unit directions (N, 3)."""
    x, y, z = d.T
    basis = [
        0.282095 + 0 * x,
        0.488603 * y,
        0.488603 * z,
        0.488603 * x,
        1.092548 * x * y,
        1.092548 * y * z,
    ]
    basis += [0.315392 * (3 * z * z - 1), 1.092548 * x * z, 0.546274 * (x * x - y * y)]
    return np.stack(basis, 1)


@functools.cache
def _transport() -> tuple[Array, Array, list[NDArray[np.float32]]]:
    """Return sample directions (S, 3), and linear maps from their radiance to the shaders' input:
    (9, S) to harmonics, and (s * s, S) to each reflection level except the first.
    """
    n = 2048
    k = np.arange(n) + 0.5
    samples = direction(k * np.pi * (3 - np.sqrt(5)), np.arcsin(1 - 2 * k / n))
    blurs = []
    for level, size in enumerate(LEVEL_SIZES[1:], 1):
        roughness = level / (len(LEVEL_SIZES) - 1)
        # a Phong lobe about as wide as GGX's of this roughness
        power = max(1 / max(roughness, 0.3) ** 4, 1)
        weight = np.maximum(map_directions(size) @ samples.T, 0) ** power
        blurs.append((weight / weight.sum(1, keepdims=True)).astype(np.float32))
    return samples, (_basis(samples) * COSINE_LOBE).T * (4 * np.pi / n), blurs


def lighting(look: RenderStyle) -> Lighting:
    """Compute the lighting of a style, with one bounce off its ground."""
    samples, harmonics, blurs = _transport()
    up = _basis(np.array([[0.0, 0.0, 1.0]]))[0]
    key = np.array(look.key.color) * look.key.direction[2]
    open_sky = up @ (harmonics @ radiance(look, samples, (0, 0, 0)))
    total = open_sky + key
    ground = np.array(look.ground.color) * total / np.pi
    sky = radiance(look, samples, ground)
    first = radiance(look, map_directions(LEVEL_SIZES[0]), ground)
    levels = [first.astype(np.float32)] + [blur @ sky.astype(np.float32) for blur in blurs]
    return Lighting(
        irradiance=(harmonics @ sky).astype(np.float32),
        sky=open_sky,
        reflections=tuple(level.reshape(s, s, 3) for level, s in zip(levels, LEVEL_SIZES)),
        ground=ground,
        exposure=EXPOSED_WHITE
        * np.pi
        / float(total @ (0.2126, 0.7152, 0.0722))
        * 2.0**look.film.exposure,
    )
