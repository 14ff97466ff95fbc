"""Real skies: equirectangular high-dynamic-range photographs for the outdoor styles of street
scenes.

    under_sky(look, folder of .exr and .npy files, seed): the style with a photograph as sky

The project ships none. Poly Haven and other collections offer CC0 .exr files; 1k (1024 x 512) is
sufficient.
"""

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from po3d.io.arrays import read_npy
from po3d.io.errors import InputError
from po3d.io.images import MAX_PIXELS
from po3d.io.seeding import rng
from po3d.synthesis.render.environment import Light, RenderStyle, direction

Photograph = NDArray[np.float32]  # (H, 2 H, 3) linear radiance, top row +z, middle column world +x

SUFFIXES = (".exr", ".npy")
# multiple of the median radiance above which a pixel belongs to the shadow-casting light
SUN = 20.0
# elevation range of that light, such that shadows fall into the picture
LOWEST, HIGHEST = np.radians(13.0), np.radians(80.0)
# smallest irradiance of that light relative to the sky's: an overcast sky also has a brighter side
FAINTEST = 0.1
LUMINANCE = np.array((0.2126, 0.7152, 0.0722))
BALANCE = 0.8  # share of the light's tint that the camera's white balance removes
CACHE_SIZE = 2  # photographs in memory


def photographs_in(folder: str | Path) -> list[Path]:
    """List the photographs of a folder, sorted by name. Raise InputError if there are none."""
    paths = sorted(p for p in Path(folder).glob("*") if p.suffix.lower() in SUFFIXES)
    if not paths:
        raise InputError(f"no photographs ({', '.join(SUFFIXES)}) in {folder}")
    return paths


def under_sky(look: RenderStyle, folder: str | Path, seed: int) -> RenderStyle:
    """Return an outdoor style with a photograph of a folder, chosen by `seed` and rotated at
    random; its brightest region becomes the shadow-casting light. A studio style is returned
    unchanged.
    """
    paths = photographs_in(folder)
    if look.kind not in ("outdoor", "hdri"):
        return look
    random = rng(seed, "photograph")
    sky = read_photograph(paths[random.integers(len(paths))])
    sky = np.roll(sky, int(random.integers(sky.shape[1])), axis=1)
    sky, key = split_sun(sky, look.key.radius)
    return replace(
        look, sky=replace(look.sky, hdri=sky), key=key, backdrop=replace(look.backdrop, height=0.0)
    )


@functools.lru_cache(CACHE_SIZE)
def read_photograph(path: Path) -> Photograph:
    """Read the radiance of an equirectangular .exr or .npy file. Raise InputError if it cannot be
    read or has another shape.
    """
    if path.suffix.lower() == ".exr":
        image = _read_exr(path)
    else:
        image = read_npy(path, "photograph", 4 * MAX_PIXELS)
    if (
        image.ndim != 3
        or image.shape[2] < 3
        or image.shape[1] != 2 * image.shape[0]
        or not len(image)
    ):
        raise InputError(f"photograph {path} has shape {image.shape}: expected (H, 2 H, 3)")
    if image.shape[0] * image.shape[1] > MAX_PIXELS:
        raise InputError(
            f"photograph {path} has {image.shape[0] * image.shape[1]} pixels, the limit is"
            f" {MAX_PIXELS}"
        )
    image = np.nan_to_num(image[..., :3].astype(np.float32), posinf=6e4)
    if image.max() <= 0:
        raise InputError(f"photograph {path} is black")
    return np.maximum(image, 0)


def _read_exr(path: Path) -> NDArray[np.floating]:
    try:
        import OpenEXR
    except ImportError:
        raise InputError(
            f"photograph {path}: .exr files need OpenEXR: pip install 'po3d[hdri]'"
        ) from None
    try:
        with OpenEXR.File(str(path)) as file:
            channels = {name: channel.pixels for name, channel in file.channels().items()}
    except Exception as error:  # C++ errors have many types
        raise InputError(f"photograph {path} cannot be read as OpenEXR ({error})") from None
    for name in ("RGB", "RGBA"):
        if name in channels:
            return channels[name]
    raise InputError(
        f"photograph {path} has the channels {', '.join(sorted(channels))}: expected RGB"
    )


def split_sun(sky: Photograph, radius: float) -> tuple[Photograph, Light]:
    """Split a photograph into a version without its brightest pixels, and a light of angular
    `radius` (radians) with the irradiance of these pixels, in the brightest direction; its
    elevation is clipped to LOWEST to HIGHEST.

    The light is white (compressed files preserve a sun's energy but not its colour), and both are
    white-balanced so that open ground is lit nearly grey, as by a camera.
    """
    height, width, _ = sky.shape
    elevation = np.pi / 2 - (np.arange(height) + 0.5) / height * np.pi
    azimuth = (0.5 - (np.arange(width) + 0.5) / width) * 2 * np.pi
    area = (np.cos(elevation) * (np.pi / height) ** 2)[:, None]  # steradians per pixel
    up = elevation > 0
    brightness = sky @ np.float32(LUMINANCE)
    ceiling = max(SUN * float(np.median(brightness[up])), float(brightness[up].mean()))
    clipped = sky * np.minimum(1, ceiling / np.maximum(brightness, 1e-9))[..., None].astype(
        np.float32
    )
    taken = float((np.maximum(brightness - ceiling, 0) * area)[up].sum())
    diffuse = (clipped * (area * np.sin(elevation)[:, None])[..., None])[up].sum(0).sum(0)
    strength = max(taken, FAINTEST * float(diffuse @ LUMINANCE))
    row, column = np.unravel_index(brightness[up].argmax(), brightness[up].shape)
    toward = direction(azimuth[column], np.clip(elevation[row], LOWEST, HIGHEST))
    total = diffuse + strength * toward[2]
    tint = (total / (total @ LUMINANCE)) ** BALANCE
    light = Light(tuple(toward.tolist()), tuple((strength / tint).tolist()), radius)
    return (clipped / tint).astype(np.float32), light
