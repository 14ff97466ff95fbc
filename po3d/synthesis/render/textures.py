"""Procedural tileable textures: ground surfaces, clouds and distant silhouettes.

Every texture is periodic (noise is shaped in the Fourier domain) and depends only on its arguments.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from po3d.io.seeding import rng

Image = NDArray[np.float32]

GROUND_SIZE = 512
GROUNDS = ("plain", "asphalt", "concrete", "paving", "brick", "grass", "sand", "dirt", "photograph")


def noise(
    generator: np.random.Generator,
    shape: tuple[int, int],
    slope: float,
    low: float = 1,
    high: float = 1e9,
) -> Image:
    """Return periodic noise (h, w) of mean 0 and standard deviation 1; amplitude ~ frequency^-slope
    in [low, high] cycles per height, 0 elsewhere.
    """
    h, w = shape
    tall = h if h > 1 else w  # cycles are counted over the height, so that noise is isotropic
    frequency = np.hypot(np.fft.fftfreq(h)[:, None] * h, np.fft.rfftfreq(w)[None] * tall)
    amplitude = np.where(
        (frequency >= low) & (frequency <= high), np.maximum(frequency, 1) ** -slope, 0
    )
    spectrum = amplitude * np.exp(2j * np.pi * generator.random(frequency.shape))
    value = np.fft.irfft2(spectrum, s=shape)
    return ((value - value.mean()) / value.std()).astype(np.float32)


def _joints(rows: int, columns: int, shift: float, width: float) -> tuple[Image, NDArray[np.int64]]:
    """Return a slab pattern: 1 on the joints and 0 on the slabs, and each pixel's slab number."""
    t = (np.arange(GROUND_SIZE) + 0.5) / GROUND_SIZE
    v = t[:, None] * rows
    row = v.astype(int)
    u = (t[None, :] * columns + shift * (row % 2)) % columns
    edge = np.minimum(np.minimum(v % 1, 1 - v % 1) / rows, np.minimum(u % 1, 1 - u % 1) / columns)
    return np.clip(1.5 - edge / width, 0, 1).astype(np.float32), row * columns + u.astype(int)


def _patches(generator: np.random.Generator, fine: Image, blotch: Image) -> tuple[Image, Image]:
    """Return brightness and blend of a ground with arbitrary photograph-like content: strips and
    islands of light, shadow and other materials, with sharp and soft edges, over noise.
    """
    v, u = np.meshgrid(*(2 * [np.arange(GROUND_SIZE) / GROUND_SIZE]), indexing="ij")
    detail = generator.uniform(0.2, 0.6) * fine + generator.uniform(0.2, 0.6) * blotch
    blend = generator.uniform(0.0, 0.8) * blotch
    for _ in range(int(generator.integers(3, 10))):
        wave = np.zeros_like(detail)
        for _ in range(int(generator.integers(1, 4))):  # one wave makes strips, more make islands
            across, along = generator.integers(-4, 5, 2)
            wave += np.sin(2 * np.pi * (across * u + along * v + generator.random()))
        wave += generator.uniform(0, 0.3) * fine
        inside = np.clip((wave - generator.uniform(-0.5, 1.5)) / generator.uniform(0.05, 0.8), 0, 1)
        detail = detail + generator.uniform(-0.8, 0.9) * inside
        blend = blend + generator.uniform(-1.5, 1.5) * inside
    return detail.astype(np.float32), blend.astype(np.float32)


@functools.lru_cache(maxsize=64)
def ground(kind: str, variant: int) -> NDArray[np.uint8]:
    """Return a tile (512, 512, 3) of one of GROUNDS: brightness around 128, blend towards the
    second colour, marks.
    """
    g = rng(variant, f"ground/{kind}")
    size = (GROUND_SIZE, GROUND_SIZE)
    blotch, fine = noise(g, size, 1.6, 1, 24), noise(g, size, 0.4, 24)
    mark = np.zeros(size, np.float32)
    if kind == "plain":
        detail, blend = 0.15 * blotch, 0 * blotch
    elif kind == "asphalt":
        specks = np.maximum(noise(g, size, 0.0, 60) - 1.6, 0)
        detail, blend = 0.35 * fine + 0.35 * blotch + 0.8 * specks, 0.3 * blotch
        if variant % 2:  # a lane line, worn, dashed or not
            x = np.arange(GROUND_SIZE) / GROUND_SIZE
            line = np.abs(x - 0.5) < g.uniform(0.008, 0.02)
            dash = (x < g.uniform(0.4, 0.7)) if g.random() < 0.5 else x >= 0
            mark = (line[None] & dash[:, None]) * np.clip(0.8 - 0.35 * fine, 0, 1)
    elif kind in ("concrete", "paving", "brick"):
        rows, columns, shift = {
            "concrete": (2, 2, 0.0),
            "paving": (6, 6, 0.0),
            "brick": (16, 8, 0.5),
        }[kind]
        if kind == "paving" and variant % 2:
            shift = 0.5
        joint, slab = _joints(rows, columns, shift, g.uniform(0.0015, 0.004))
        tone = g.normal(size=rows * columns).astype(np.float32)[slab]
        uneven = 0.15 if kind == "concrete" else 0.45
        detail = 0.25 * fine + 0.3 * blotch + uneven * tone - 1.6 * joint
        blend = 0.5 * tone + 0.3 * blotch
    elif kind == "grass":
        blades = noise(g, size, 0.2, 40) + 0.8 * noise(g, size, 0.8, 12, 80)
        detail, blend = 0.6 * blades + 0.3 * blotch, 0.8 * blotch + 0.4 * blades
    elif kind == "sand":
        t = np.arange(GROUND_SIZE) / GROUND_SIZE
        ripples = np.sin(
            2 * np.pi * (int(g.integers(8, 20)) * t[:, None] + 2 * t[None]) + 2.5 * blotch
        )
        detail, blend = 0.25 * fine + 0.35 * blotch + g.uniform(0, 0.5) * ripples, 0.4 * blotch
    elif kind == "dirt":
        lumps = noise(g, size, 0.9, 8)
        stones = np.maximum(noise(g, size, 0.6, 20, 90) - 1.7, 0)
        detail, blend = 0.5 * lumps + 0.4 * blotch + 0.9 * stones, 0.7 * blotch
    elif kind == "photograph":
        detail, blend = _patches(g, fine, blotch)
    else:
        raise ValueError(f"unknown ground {kind!r}: one of {', '.join(GROUNDS)}")
    tile = np.stack([0.5 + 0.16 * detail, 0.5 + 0.25 * blend, mark], -1)
    return np.uint8(np.clip(tile, 0, 1) * 255)


@functools.lru_cache(maxsize=32)
def clouds(variant: int) -> Image:
    """Return cloud thickness (128, 256) in [0, 1], periodic, half of it below 0.5."""
    g = rng(variant, "clouds")
    field = noise(g, (128, 256), 1.7, 2)
    return np.clip(0.5 + 0.25 * field, 0, 1).astype(np.float32)


@functools.lru_cache(maxsize=32)
def skyline(variant: int) -> NDArray[np.uint8]:
    """Return a wall (128, 1024, 2) around the scene, bottom row first: coverage of soft
    silhouettes, and their shade.

    Even variants are trees, odd ones buildings among trees.
    """
    g = rng(variant, "skyline")
    h, w = 128, 1024
    v = (np.arange(h)[:, None] + 0.5) / h
    ragged = noise(g, (1, w), 0.7, 2)[0]
    height = np.clip(0.22 + 0.07 * noise(g, (1, w), 1.5, 1, 12)[0] + 0.03 * ragged, 0.04, 0.8)
    soft = g.uniform(0.015, 0.06)  # the far field is out of focus
    cover = np.clip((height - v) / soft + 0.5, 0, 1)
    shade = 0.45 + 0.12 * noise(g, (h, w), 1.1, 4) - 0.25 * (1 - v / height)
    if variant % 2:
        u = np.arange(w)
        for _ in range(int(g.integers(8, 24))):
            left, width, top = g.integers(w), g.integers(20, 110), g.uniform(0.2, 0.75)
            inside = ((u - left) % w < width)[None] & (v < top)
            floors = (v * g.uniform(30, 60)) % 1 < 0.5
            columns = ((u - left) * g.uniform(0.08, 0.2))[None] % 1 < 0.6
            face = g.uniform(0.3, 0.9) - g.uniform(0.05, 0.25) * (floors & columns)
            shade, cover = np.where(inside, face, shade), np.where(inside, 1, cover)
        kernel = np.ones(5) / 5
        shade = np.apply_along_axis(
            lambda r: np.convolve(np.pad(r, 2, "wrap"), kernel, "valid"), 1, shade
        )
        cover = np.apply_along_axis(
            lambda r: np.convolve(np.pad(r, 2, "wrap"), kernel, "valid"), 1, cover
        )
    return np.uint8(np.clip(np.stack([cover, shade], -1), 0, 1) * 255)
