"""Reading of untrusted image files.

Formats are restricted, the size is limited before decoding, and large images are scaled down.
"""

import io
import math
import os
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from po3d.io.errors import InputError, visible
from po3d.io.files import read_bytes

FORMATS = ("PNG", "JPEG", "WEBP")
_TURNED = (5, 6, 7, 8)  # EXIF orientations by 90 degrees, with width and height swapped
LARGEST_FILE = 2**28  # bytes of a file, more than those of MAX_PIXELS uncompressed pixels
# Checked in the header, so that a decompression bomb is rejected before decoding.
MAX_PIXELS = 50_000_000
# Formats that are decoded whole, with several copies: within 500 MB of memory.
MAX_PIXELS_WHOLE = {"WEBP": 20_000_000}
# Formats with animations; several images in a phone's JPEG are one image in several sizes.
ANIMATED = ("PNG", "WEBP")
LARGE = 12_000_000  # pixels; networks use a twentieth of them
STRIP = 1_000_000  # pixels scaled down at a time


Picture = str | Path | Image.Image | np.ndarray  # an image file, or its pixels


class ImageError(InputError):
    """An image that is missing, damaged or rejected: an error of one image of a benchmark, not of
    the run. `unlisted`: names of images without a scene in a file of scenes."""

    def __init__(self, message: str, unlisted: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.unlisted = tuple(unlisted)


def read_image(path: str | Path, whole: bool = False) -> NDArray[np.uint8]:
    """Return (H, W, 3) sRGB pixels of an image file, as `decode_image`; ImageError if it is
    missing, truncated, too large or not an image."""
    try:
        data = read_bytes(path, "image", LARGEST_FILE)
    except InputError as error:
        raise ImageError(str(error)) from None
    return decode_image(data, str(path), whole=whole)


def exif_focal(path: str | Path) -> float | None:
    """Return the focal length in widths of the upright image, from the 35 mm equivalent in EXIF (by
    diagonals, as CIPA defines it); None if absent. It is wrong for a cropped image."""
    if not os.path.isfile(path):  # a pipe is read only once
        return None
    try:
        with Image.open(path, formats=FORMATS) as image:
            exif = image.getexif()
            width, height = image.size
            # The EXIF block: FocalLengthIn35mmFilm
            focal = float(exif.get_ifd(0x8769).get(0xA405, 0))
            turned = exif.get(0x0112, 1) in _TURNED
    except (OSError, SyntaxError, ValueError, TypeError, ZeroDivisionError):
        return None
    if not 1 <= focal <= 10_000:
        return None
    return focal / math.hypot(36, 24) * math.hypot(width, height) / (height if turned else width)


def image_size(source: str | Path | bytes) -> tuple[int, int] | None:
    """Return width and height of the upright image in a file or in encoded bytes, of which the
    header suffices; None if they cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(
                io.BytesIO(source) if isinstance(source, bytes) else source, formats=FORMATS
            ) as image:
                turned = image.getexif().get(0x0112, 1) in _TURNED
                return image.size[::-1] if turned else image.size
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None


def decode_image(
    data: bytes, where: str, max_pixels: int = MAX_PIXELS, whole: bool = False
) -> NDArray[np.uint8]:
    """Return (H, W, 3) sRGB pixels of an encoded image; `where` names it in errors. The EXIF
    orientation is applied, transparency dropped. An image of more than LARGE pixels is reduced by
    an integer factor while it is read, unless `whole`, for uses that depend on pixel coordinates.
    """
    where = visible(where)
    if not data:
        raise ImageError(f"image {where} is empty (0 bytes)")
    try:
        with warnings.catch_warnings():
            # Our own limit is stricter
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError:
        raise ImageError(
            f"image {where} has more than {MAX_PIXELS // 10**6} megapixels; reduce its size"
        ) from None
    except UnidentifiedImageError:
        raise ImageError(
            f"image {where} is not a {', '.join(FORMATS[:-1])} or {FORMATS[-1]} image"
        ) from None
    # Pillow raises all three for a damaged header.
    except (OSError, SyntaxError, ValueError) as error:
        raise ImageError(f"image {where} is damaged ({error})") from None
    width, height = image.size
    largest = min(max_pixels, MAX_PIXELS_WHOLE.get(image.format or "", max_pixels))
    if width * height > largest:
        raise ImageError(
            f"image {where} has {width} x {height} = {width * height / 1000000.0:.0f}"
            f" megapixels; the limit is {largest // 10**6}"
            f"{'' if largest == max_pixels else f' for {image.format}'}; reduce its size"
        )
    if image.mode.startswith(("I", "F")):
        raise ImageError(
            f"image {where} has more than 8 bits per channel (mode {image.mode}); convert it to 8"
            " bits"
        )
    if image.format in ANIMATED and getattr(image, "n_frames", 1) > 1:
        raise ImageError(
            f"image {where} is an animation of {image.n_frames} frames; save one frame as an image"
        )
    try:
        upright = ImageOps.exif_transpose(image if whole else _scaled(image))
        return np.asarray(upright.convert("RGB"))
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise ImageError(f"image {where} is truncated or damaged ({error})") from None


def _scaled(image: Image.Image) -> Image.Image:
    """Reduce an image to about LARGE pixels at most."""
    factor = math.ceil(math.sqrt(image.width * image.height / LARGE))
    if factor == 1:
        return image
    drafted = image.draft(None, (max(image.width // 2, 1), max(image.height // 2, 1)))
    # a JPEG is decoded at half its size, 12.5 megapixels at most
    return image if drafted else _reduced(image, factor)


def _reduced(image: Image.Image, factor: int) -> Image.Image:
    """Return the RGB image at 1 / `factor`, made in strips: a whole RGB copy would double the
    memory."""
    strip = factor * max(1, STRIP // (image.width * factor))
    size = (-(-image.width // factor), -(-image.height // factor))
    small = Image.new("RGB", size)
    for top in range(0, image.height, strip):
        part = image.crop((0, top, image.width, min(top + strip, image.height)))
        small.paste(part.convert("RGB").reduce(factor), (0, top // factor))
    small.info["exif"] = image.getexif().tobytes()
    return small


def jpeg(pixels: NDArray[np.uint8], quality: int) -> bytes:
    """Encode (H, W, 3) pixels as a JPEG."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=quality, optimize=True)
    return file.getvalue()


def pixels(image: Picture) -> tuple[NDArray[np.uint8], str, float | None]:
    """Return (H, W, 3) uint8 pixels, a name, and the focal length in EXIF, None if absent."""
    if isinstance(image, str | Path):
        return read_image(image), Path(image).name, exif_focal(image)
    values = np.asarray(image.convert("RGB") if isinstance(image, Image.Image) else image)
    if values.ndim != 3 or values.shape[2] != 3 or values.dtype != np.uint8:
        raise InputError(
            f"pixels should be an array of shape (H, W, 3) and dtype uint8, not {values.shape}"
            f" of {values.dtype}"
        )
    return values, "picture", None
