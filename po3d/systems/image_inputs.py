"""Inputs of images from the user, without a benchmark."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from po3d.io.errors import InputError, printable
from po3d.scene.geometry import Camera, down
from po3d.scene.orbit import READING
from po3d.scene.table import Scene
from po3d.systems.interfaces import Image

LARGEST = 1000.0  # of a focal length in widths of the image, and of metres per pixel


@dataclass(frozen=True)
class ImageInputs:
    """Inputs of images from the user, with the interface of a benchmark's inputs; `pictures` by
    name."""

    pictures: Mapping[str, Image]
    lens: float | None = None
    scale: float | None = None
    reading: Any = READING

    def __post_init__(self) -> None:
        for name, value in (("focal", self.lens), ("metres_per_pixel", self.scale)):
            if value is not None and not 0 < value < LARGEST:
                raise InputError(
                    f"{name}={printable(value)} should be a number between 0 and {LARGEST:,.0f}"
                )

    def image(self, name: str) -> Image:
        return self.pictures[name]

    def known_focal(self) -> float | None:
        return self.lens

    def focal(self, name: str = "") -> float:
        """Focal length in widths of the image; 1.0 (a field of view of 53 degrees) if unknown."""
        return self.lens or 1.0

    def top_view(self) -> tuple[Image, Camera]:
        """Return a map and its camera: orthographic, straight down on the world's origin."""
        if self.scale is None:
            raise InputError("a top-view map needs its scale, for example metres_per_pixel=0.01")
        picture = next(iter(self.pictures.values()))
        return picture, down(0.0, 0.0, self.scale, *picture.shape[1::-1])


def no_truth() -> Scene:
    raise InputError("an image has no ground truth")
