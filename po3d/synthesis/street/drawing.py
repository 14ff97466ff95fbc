"""Rendering of a twin's pictures: by our renderer or by Blender, with our vehicles or official
ones. Masks and labels always come from our renderer.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError, known
from po3d.synthesis.official_vehicles import OfficialVehicles, opened
from po3d.synthesis.render import blender
from po3d.synthesis.render.blender import BlenderOptions
from po3d.synthesis.render.official import OFFICIAL_LOOKS
from po3d.synthesis.render.renderer import Renderer
from po3d.synthesis.street import dataset
from po3d.synthesis.street.dataset import RenderableScene

RENDERERS = ("own", "blender")


@dataclass(frozen=True)
class Drawing:
    """Renderer and vehicles of a twin. `vehicles`: a folder of official models
    (`official_vehicles`), "" for our own only; they are used in the official styles."""

    renderer: str = "own"
    vehicles: str = ""
    blender: BlenderOptions = field(default_factory=BlenderOptions)

    def check(self, look: str | None) -> None:
        """Raise a one-line InputError for what cannot be rendered here."""
        known("renderer", self.renderer, RENDERERS)
        if self.vehicles and look not in OFFICIAL_LOOKS:
            raise InputError(f"vehicles=DIR needs look={' or look='.join(OFFICIAL_LOOKS)}")
        if self.renderer == "blender":
            blender.check(look, self.blender.python)

    def identity(self) -> dict:
        """Return what distinguishes its pictures from others, for a twin's description; empty for
        our own renderer and vehicles."""
        identity: dict = {}
        if self.renderer == "blender":
            identity["blender"] = asdict(self.blender)
            for name in ("python", "threads", "seconds"):
                del identity["blender"][name]
        official = self.official()
        if official is not None:
            identity["vehicles"] = list(official.shapes)
        return identity

    def official(self) -> OfficialVehicles | None:
        """Return the official vehicles, read once per process."""
        return opened(self.vehicles, self.blender.python) if self.vehicles else None

    def picture(
        self, scene: RenderableScene, renderer: Renderer, skies: str | None = None
    ) -> NDArray[np.uint8]:
        """Render a scene to (H, W, 3) sRGB; `skies` as in `dataset.picture`."""
        if self.renderer == "own":
            return dataset.picture(scene, renderer, skies)
        process, layout = blender.open_blender(self.blender.python), scene.layout
        return process.draw(
            scene.objects, scene.camera, layout.look, layout.look_seed, self.blender, skies
        )


OURS = Drawing()


def drawing_of(settings: Mapping[str, Any] | None) -> Drawing:
    """Return the Drawing of a twin's settings: its fields, with the options of Blender as a mapping
    under "blender". None: po3d's own renderer and vehicles. InputError for unknown or
    invalid options."""
    if settings is None:
        return OURS
    options = dict(settings.get("blender") or {})
    unknown = set(options) - {f.name for f in fields(BlenderOptions)}
    if unknown:
        raise InputError(f"unknown options {sorted(unknown)} of blender")
    numbers = dict(options)
    for name in ("python", "denoise", "seconds"):
        numbers.pop(name, None)
    for name, value in numbers.items():
        if type(value) is not int or value < (name != "threads"):
            raise InputError(f"the options of blender should be positive integers, not {numbers}")
    seconds = options.get("seconds", 1)
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or seconds <= 0:
        raise InputError(f"blender.seconds should be positive, not {seconds!r}")
    if {"width", "height"} <= set(options) and 3 * options["width"] != 4 * options["height"]:
        raise InputError(
            "blender.width and blender.height should have the ratio 4:3, not "
            f"{options['width']} x {options['height']}"
        )
    return Drawing(
        settings.get("renderer", "own"), settings.get("vehicles") or "", BlenderOptions(**options)
    )
