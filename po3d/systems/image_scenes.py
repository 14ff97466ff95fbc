"""The scenes of an image, and which of their modules are predicted, ground truth or noisy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from po3d.io.errors import InputError
from po3d.scene.table import Scene

TRUTH, PREDICTED = "truth", "predicted"
Setting = str | float  # of a module: TRUTH, PREDICTED, or the size of the noise on the truth


class MissingInputs:
    """Inputs of an image that has no extra inputs: any access raises InputError."""

    def __getattr__(self, what: str) -> Any:
        if what.startswith("__"):
            raise AttributeError(what)
        raise InputError(f"this image has no {what.replace('_', ' ')}")


MISSING_INPUTS = MissingInputs()


@dataclass(frozen=True)
class ImageScenes:
    """The scenes of an image by picture name, and which of their modules are ground truth."""

    views: Mapping[str, Scene]
    # True scenes by picture name, the image itself last; empty unless a module is ground truth.
    truth: Mapping[str, Scene] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)  # of modules; absent: predicted
    # For scenes with true modules: the row of the true scene for each row, None if unmatched.
    rows: Mapping[str, Sequence[int | None]] = field(default_factory=dict)
    seed: int = 0  # of the noise
    inputs: Any = MISSING_INPUTS
    whole: bool = False  # whether the scene is that of all pictures, by their angles
    memo: dict = field(default_factory=dict, repr=False)  # cache shared between module settings

    @property
    def scene(self) -> Scene:
        """The scene of an image with a single picture."""
        (scene,) = self.views.values()
        return scene

    @property
    def true(self) -> Scene:
        """The true scene of the image."""
        return next(reversed(self.truth.values()))

    def setting_of(self, module: str) -> Setting:
        return self.settings.get(module, PREDICTED)
