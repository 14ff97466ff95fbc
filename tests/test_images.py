import io

import numpy as np
import pytest
from PIL import Image

from po3d.errors import InputError
from po3d.images import MAX_PIXELS, decode_image, read_image

PIXELS = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)


def encoded(format: str, image: Image.Image | None = None, **options) -> bytes:
    buffer = io.BytesIO()
    (image or Image.fromarray(PIXELS)).save(buffer, format, **options)
    return buffer.getvalue()


def test_lossless_formats_come_back_exactly(tmp_path):
    for format, options in (("PNG", {}), ("WEBP", {"lossless": True})):
        path = tmp_path / f"image.{format.lower()}"
        path.write_bytes(encoded(format, **options))
        np.testing.assert_array_equal(read_image(path), PIXELS)


def test_other_modes_become_rgb():
    for mode in ("L", "LA", "RGBA", "P", "1", "CMYK"):
        image = Image.fromarray(PIXELS).convert(mode)
        assert decode_image(encoded("JPEG" if mode == "CMYK" else "PNG", image), "x").shape == (48, 64, 3)


def test_exif_orientation_is_applied():
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90 degrees to see it upright
    assert decode_image(encoded("JPEG", exif=exif), "x").shape == (64, 48, 3)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("empty", b"", "empty"),
        ("text", b"not an image at all", "not a PNG"),
        ("gif", encoded("GIF"), "not a PNG"),
        ("tiff", encoded("TIFF"), "not a PNG"),
        ("torn png", encoded("PNG")[:2000], "truncated"),
        ("torn jpeg", encoded("JPEG")[:1500], "truncated"),
        ("torn webp", encoded("WEBP")[:900], "image"),
        ("deep", encoded("PNG", Image.fromarray(np.full((4, 4), 40000, np.uint16))), "8 bits"),
    ],
)
def test_what_is_no_good_image_is_refused_in_one_line(name, data, says):
    with pytest.raises(InputError, match=says) as caught:
        decode_image(data, name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pixels", [MAX_PIXELS + 8_000, 4 * MAX_PIXELS])
def test_a_bomb_is_refused_before_it_is_unpacked(pixels):
    bomb = encoded("PNG", Image.new("1", (8_000, pixels // 8_000)))
    assert len(bomb) < 200_000
    with pytest.raises(InputError, match="megapixels"):
        decode_image(bomb, "bomb")


def test_missing_and_folder_are_named(tmp_path):
    with pytest.raises(InputError, match="not found"):
        read_image(tmp_path / "none.png")
    with pytest.raises(InputError, match="folder"):
        read_image(tmp_path)
