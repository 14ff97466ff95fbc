"""Compare our fast renderer with Cycles per object: mean colour (CIEDE2000) and luminance.

    po3d generate benchmark=pulsecheck457 renderer=blender look=superclevr
        split=validation size=40 seed=77 out=DIR
    python -m tools.look_calibration DIR
        # renders equal scenes in our mean style, prints the medians

Lamps are jittered between pictures in both; ours are at their mean positions.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import ndimage

from po3d.benchmarks.twin_folder import described
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.images import read_image
from po3d.scene.vocabulary import MATERIALS
from po3d.synthesis.render.environment import to_linear
from po3d.synthesis.render.official import OFFICIAL_LOOKS, sample_official_look
from po3d.synthesis.render.renderer import Renderer
from po3d.synthesis.street.dataset import image_name, make_scene, open_renderer

Array = NDArray[np.float64]

LEAST = 100  # smallest number of pixels of an object, without its rim, for a mean colour
XYZ = np.array(
    [[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]]
)  # of linear sRGB
WHITE = np.array([0.9505, 1.0, 1.089])


class Middle:
    """A random generator with the interface of numpy's that always returns the middle of the
    range.
    """

    def uniform(
        self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: int | None = None
    ) -> ArrayLike:
        return self._sized((np.asarray(low) + np.asarray(high)) / 2, size)

    def normal(
        self, mean: ArrayLike = 0.0, deviation: ArrayLike = 1.0, size: int | None = None
    ) -> ArrayLike:
        return self._sized(np.asarray(mean, float), size)

    def random(self) -> float:
        return 0.5

    def integers(self, *_: int) -> int:
        return 0

    @staticmethod
    def _sized(value: Array, size: int | None) -> Array:
        return value if size is None else np.broadcast_to(value, size).copy()


def lab(rgb: Array) -> Array:
    """Return CIE L*a*b* (D65) of an sRGB colour in [0, 255]."""
    xyz = to_linear(np.asarray(rgb) / 255) @ XYZ / WHITE
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def ciede2000(first: Array, two: Array) -> float:
    """Return the colour difference of two L*a*b* colours (Sharma, Wu, Dalal 2005)."""
    (l1, a1, b1), (l2, a2, b2) = first, two
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25.0**7))
    c1, c2 = np.hypot(stretch * a1, b1), np.hypot(stretch * a2, b2)
    h1, h2 = np.degrees(np.arctan2((b1, b2), (stretch * a1, stretch * a2))) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    hue = h1 + turn / 2 if c1 * c2 else h1 + h2
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    weight = 1 - 0.17 * np.cos(np.radians(hue - 30)) + 0.24 * np.cos(np.radians(2 * hue))
    weight += 0.32 * np.cos(np.radians(3 * hue + 6)) - 0.2 * np.cos(np.radians(4 * hue - 63))
    d_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    d_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    d_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * weight)
    blue = np.radians(60 * np.exp(-(((hue % 360 - 275) / 25) ** 2)))
    mixed = -2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7)) * np.sin(blue)
    return float(np.sqrt(d_light**2 + d_chroma**2 + d_hue**2 + mixed * d_chroma * d_hue))


def differences(folder: Path) -> Iterator[tuple[str, str, float, float]]:
    """Yield (material, colour, CIEDE2000, ratio of our luminance to Cycles') for every object with
    enough visible pixels; for the floor, material and colour are empty.
    """
    twin = described(folder)
    kind = twin["look"]
    if kind not in OFFICIAL_LOOKS or twin.get("vehicles"):
        raise InputError(
            f"{folder} should contain po3d's vehicles in one of the looks"
            f" {', '.join(OFFICIAL_LOOKS)}"
        )
    look, renderers = sample_official_look(kind, Middle()), {}
    for index in range(twin["size"]):
        picture = read_image(folder / "images" / image_name(index)).astype(float)
        height, width = picture.shape[:2]
        if (width, height) not in renderers:
            renderers[width, height] = Renderer(width, height, samples=4)
        scene = make_scene(twin["seed"], index, twin["split"], open_renderer(1), kind)
        camera = scene.camera.resized(width, height)
        frame = renderers[width, height].render(scene.objects, camera, look, amodal=False)
        names = [("", ""), *((o.material, o.color) for o in scene.layout.objects)]
        for number, name in enumerate(names):
            mask = ndimage.binary_erosion(frame.ids == number)
            if mask.sum() >= LEAST:
                mean_picture, two = (p[mask].mean(0) for p in (picture, frame.rgb.astype(float)))
                bright, ours = (
                    (to_linear(p[mask] / 255) @ XYZ[:, 1]).mean() for p in (picture, frame.rgb)
                )
                yield *name, ciede2000(lab(mean_picture), lab(two)), ours / bright


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    rows_all = list(differences(parser.parse_args().folder))
    kinds = {
        "all": lambda m: m in MATERIALS,
        **{m: m.__eq__ for m in MATERIALS},
        "floor": lambda m: not m,
    }
    for name, of in kinds.items():
        rows = np.array([row[2:] for row in rows_all if of(row[0])]).reshape(-1, 2)
        if len(rows):
            off = np.median(np.abs(rows[:, 1] - 1))
            difference, ratio = np.median(rows, 0)
            print(
                f"{name:7s} n {len(rows):4d}  dE2000 {difference:.2f}  luminance {ratio:.3f}, off"
                f" by {off:.3f}"
            )


if __name__ == "__main__":
    raise SystemExit(guarded(main))
