"""Pictures from files nobody vouches for: an allow-list of formats and a cap before decoding."""

import io
import math
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from po3d.errors import InputError

FORMATS = ("PNG", "JPEG", "WEBP")
_TURNED = (5, 6, 7, 8)  # EXIF orientations of a picture that is stored on its side
MAX_PIXELS = 50_000_000  # 150 MB decoded; read from the header, so a bomb is refused before it is unpacked


class ImageError(InputError):
    """A picture that is missing, damaged or refused: of one image of a benchmark, not of the whole run."""


def read_image(path: str | Path) -> NDArray[np.uint8]:
    """(H, W, 3) sRGB pixels of an image file; ImageError when it is missing, truncated, huge or no image."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ImageError(f"image not found: {path}") from None
    except IsADirectoryError:
        raise ImageError(f"image is a folder, not a file: {path}") from None
    except OSError as error:
        raise ImageError(f"image can't be read: {path} ({error.strerror})") from None
    return decode_image(data, str(path))


def exif_focal(path: str | Path) -> float | None:
    """The focal length in widths of the upright picture that a photograph's EXIF tells by its equivalent on 35 mm film (by
    the diagonals, as CIPA has it); None without one. Of a cropped picture it is wrong."""
    try:
        with Image.open(path, formats=FORMATS) as image:
            exif = image.getexif()
            width, height = image.size
            focal = float(exif.get_ifd(0x8769).get(0xA405, 0))  # the EXIF block: FocalLengthIn35mmFilm
            turned = exif.get(0x0112, 1) in _TURNED
    except (OSError, SyntaxError, ValueError, TypeError, ZeroDivisionError):
        return None
    if not 1 <= focal <= 10_000:
        return None
    return focal / math.hypot(36, 24) * math.hypot(width, height) / (height if turned else width)


def image_size(source: str | Path | bytes) -> tuple[int, int] | None:
    """Width and height of the upright picture in a file or in encoded bytes, of which the head is enough; None where
    they can't be told."""
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


def decode_image(data: bytes, where: str, max_pixels: int = MAX_PIXELS) -> NDArray[np.uint8]:
    """(H, W, 3) sRGB pixels of an encoded image; `where` names it in the ImageError. Upright by its EXIF
    orientation, the first frame of an animation, transparency dropped."""
    if not data:
        raise ImageError(f"image {where} is empty (0 bytes)")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own cap is stricter
            image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError:
        raise ImageError(
            f"image {where} has more than {MAX_PIXELS // 10**6} megapixels; scale it down first"
        ) from None
    except UnidentifiedImageError:
        raise ImageError(f"image {where} is not a {', '.join(FORMATS[:-1])} or {FORMATS[-1]} image") from None
    except (OSError, SyntaxError, ValueError) as error:  # Pillow raises all three on a damaged header
        raise ImageError(f"image {where} is damaged ({error})") from None
    width, height = image.size
    if width * height > max_pixels:
        raise ImageError(
            f"image {where} has {width} x {height} = {width * height / 1e6:.0f} megapixels; "
            f"at most {max_pixels // 10**6} are read, scale it down first"
        )
    if image.mode.startswith(("I", "F")):
        raise ImageError(
            f"image {where} has more than 8 bits a channel (mode {image.mode}); convert it to 8 bits"
        )
    try:
        return np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise ImageError(f"image {where} is truncated or damaged ({error})") from None
