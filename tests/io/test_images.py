import io
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from po3d.io.errors import InputError
from po3d.io.images import MAX_PIXELS, decode_image, read_image

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
        assert decode_image(encoded("JPEG" if mode == "CMYK" else "PNG", image), "x").shape == (
            48,
            64,
            3,
        )


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


MEASURE = """
import re, sys
from pathlib import Path
from po3d.io.images import read_image
for path in sys.argv[1:]:
    shape = read_image(path).shape[:2]
    status = Path("/proc/self/status").read_text()  # ru_maxrss begins with what the parent process had
    print(*shape, int(re.search(r"VmHWM:\\s*(\\d+)", status)[1]) // 1024)
"""


def large(format: str, mode: str, size: tuple[int, int], folder, **options):
    path = folder / f"{format}-{mode}-{len(options)}"
    tile = Image.fromarray(PIXELS).convert(mode)
    Image.Image.save(tile.resize(size, Image.Resampling.NEAREST), path, format, **options)
    return path


def test_49_megapixels_are_built_smaller_within_500_megabytes(tmp_path):
    """Of the kinds that take most, one after the other in one process, whose peak is what the worst
    of them takes.
    """
    side = (7000, 7000)
    paths = [
        large("JPEG", "RGB", side, tmp_path, progressive=True),
        large("PNG", "RGBA", side, tmp_path, compress_level=1),
        large("WEBP", "RGB", (4400, 4500), tmp_path, method=0),
    ]
    outcome = subprocess.run(
        [sys.executable, "-c", MEASURE, *map(str, paths)],
        capture_output=True,
        text=True,
        check=True,
    )
    for line in outcome.stdout.splitlines():
        height, width, peak = map(int, line.split())
        assert 0.8 < height / width < 1.2
        assert 4e6 < height * width <= 12.6e6
        assert peak < 500, outcome.stdout


@pytest.mark.parametrize(
    ("format", "mode"), [("PNG", "RGB"), ("PNG", "RGBA"), ("PNG", "P"), ("JPEG", "RGB")]
)
def test_a_large_picture_is_the_small_one_and_upright(format, mode, monkeypatch):
    monkeypatch.setattr("po3d.io.images.LARGE", 64 * 48 / 2)
    smooth = Image.fromarray(PIXELS).resize((6, 4)).resize((640, 480), Image.Resampling.BICUBIC)
    exif = Image.Exif()
    exif[0x0112] = 6
    small = decode_image(encoded(format, smooth.resize((64, 48)).convert(mode), exif=exif), "x")
    assert small.shape in ((32, 24, 3), (64 // 2, 48 // 2, 3))
    whole = decode_image(
        encoded(format, smooth.resize((64, 48)).convert(mode), exif=exif), "x", whole=True
    )
    assert whole.shape == (64, 48, 3)
    means = whole.reshape(32, 2, 24, 2, 3).mean((1, 3))
    assert np.abs(small - means).mean() < 12


@pytest.mark.parametrize("format", ["PNG", "WEBP"])
def test_an_animation_is_refused_and_says_how_many_frames_it_has(format):
    frames = [Image.fromarray(PIXELS), Image.fromarray(255 - PIXELS)]
    with pytest.raises(InputError, match="an animation of 2 frames"):
        decode_image(encoded(format, frames[0], save_all=True, append_images=frames[1:]), "x")
