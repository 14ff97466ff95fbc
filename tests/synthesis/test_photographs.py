"""Photographs of real skies: reading, the sun taken apart from the sky, and the pictures under
them.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.synthesis.render.looks import sample_look
from po3d.synthesis.render.photographs import (
    LUMINANCE,
    photographs_in,
    read_photograph,
    split_sun,
    under_sky,
)
from po3d.synthesis.street.dataset import make_scene, open_renderer, picture


def sky(row: int = 10, column: int = 50, sun: float = 500.0) -> np.ndarray:
    """(32, 64, 3) a bluish sky over brown ground, with a sun of one pixel."""
    image = np.full((32, 64, 3), (0.3, 0.4, 0.6), np.float32)
    image[16:] = (0.2, 0.15, 0.1)
    image[row, column] = sun
    return image


@given(st.integers(1, 13), st.integers(0, 63), st.floats(50, 5000))
def test_the_sun_is_where_the_brightest_pixel_is_and_nothing_bright_stays(row, column, strength):
    clipped, light = split_sun(sky(row, column, strength), 0.02)
    azimuth = (0.5 - (column + 0.5) / 64) * 2 * np.pi
    along = np.array(light.direction[:2]) / np.hypot(*light.direction[:2])
    assert along == pytest.approx([np.cos(azimuth), np.sin(azimuth)])
    assert np.linalg.norm(light.direction) == pytest.approx(1)
    assert clipped.max() < 25


def test_the_light_keeps_the_energy_that_the_sky_loses():
    image = sky(sun=2000.0)
    clipped, light = split_sun(image, 0.02)
    elevation = np.pi / 2 - (np.arange(32) + 0.5) / 32 * np.pi
    area = (np.cos(elevation) * (np.pi / 32) ** 2)[:, None]
    before = (image @ LUMINANCE * area)[:16].sum()
    # balancing keeps the luminance of the whole, not of each part: compare within a few percent
    after = (clipped @ LUMINANCE * area)[:16].sum() + np.array(light.color) @ LUMINANCE
    assert after == pytest.approx(before, rel=0.05)


def test_a_studio_has_no_sky(tmp_path):
    np.save(tmp_path / "a.npy", sky())
    look = sample_look("studio", rng(0, "look"))
    assert under_sky(look, tmp_path, 1) is look


def test_the_same_seed_gives_the_same_sky_and_another_seed_another(tmp_path):
    np.save(tmp_path / "a.npy", sky())
    look = sample_look("outdoor", rng(0, "look"))
    one, same, other = (under_sky(look, tmp_path, seed) for seed in (1, 1, 2))
    assert (one.sky.hdri == same.sky.hdri).all()
    assert one.key == same.key
    assert one.key.direction != other.key.direction


def test_open_exr_is_read(tmp_path):
    OpenEXR = pytest.importorskip("OpenEXR", reason="the extra hdri is not installed")
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    with OpenEXR.File(header, {"RGB": sky()}) as file:
        file.write(str(tmp_path / "a.exr"))
    assert read_photograph(tmp_path / "a.exr") == pytest.approx(sky())


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.npy", b"no array", "can't be read as a .npy"),
        ("b.exr", b"no picture", "cannot be read as OpenEXR"),
        ("c.npy", np.ones((4, 4, 3)), "expected"),
        ("d.npy", np.zeros((4, 8, 3)), "black"),
        ("e.npy", np.array([{}], object), "can't be read"),
    ],
)
def test_a_file_that_is_no_photograph_is_named(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content) if isinstance(content, bytes) else np.save(path, content)
    with pytest.raises(InputError, match=message):
        read_photograph(path)


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no photographs"):
        photographs_in(tmp_path)


def test_a_picture_under_a_photograph_is_another_and_repeatable(tmp_path):
    np.save(tmp_path / "a.npy", sky())
    renderer = open_renderer()
    built = make_scene(0, 0, "train", renderer, "outdoor")
    plain, one, again = (picture(built, renderer, s) for s in (None, str(tmp_path), str(tmp_path)))
    assert (one == again).all()
    assert np.abs(one.astype(int) - plain).mean() > 2
