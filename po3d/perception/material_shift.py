"""Calibration of material probabilities by the rendering style of the picture.

Under Super-CLEVR's lamps a path tracer gives rubber broader highlights than our renderer does, and
the network classifies it as metal. A logistic function of the picture's pooled features gives the
probability that the picture is path-traced; the log odds of rubber are raised by `shift` times this
probability. `python -m po3d.training.material_shift` fits the values and writes them into a
checkpoint's JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from po3d.io.errors import InputError
from po3d.perception.flip_tta import FlippedDense
from po3d.perception.network import Dense
from po3d.perception.ood import packed_floats, pooled, unpacked_floats
from po3d.scene.geometry import Array


@dataclass(frozen=True)
class MaterialShift:
    """Shift of the log odds of rubber as a function of pooled features (`ood.pooled`)."""

    direction: Array  # (F,)
    offset: float
    shift: float  # in pictures of the path-traced look

    def share(self, features: Array) -> Array:
        """Return the probabilities (B,) that pictures with features (B, F) are path-traced."""
        return 1 / (1 + np.exp(-np.clip(features @ self.direction + self.offset, -50, 50)))

    def log_odds(self, dense: Dense | FlippedDense, count: int) -> Tensor:
        """Return the shifts (count,) of `count` images, those of the original ones under flip
        augmentation.
        """
        maps = dense.both if isinstance(dense, FlippedDense) else dense
        images = maps.features[:count]
        # On CPUs one by one: rounding depends on the batch size.
        parts = images.split(1) if images.device.type == "cpu" else [images]
        features = torch.cat([pooled(maps._replace(features=part)) for part in parts]).double()
        direction = torch.from_numpy(self.direction).to(features)
        return self.shift * (features @ direction + self.offset).sigmoid()

    def record(self) -> dict[str, Any]:
        """Return the values for a checkpoint's JSON."""
        return {
            "direction": packed_floats(self.direction),
            "offset": self.offset,
            "shift": self.shift,
        }

    @classmethod
    def read(cls, record: Mapping[str, Any], size: int) -> Self:
        """Restore the values from `record` for `size` features; raise InputError if they are
        damaged.
        """
        try:
            direction = unpacked_floats(record["direction"])
            offset, shift = float(record["offset"]), float(record["shift"])
            if len(direction) != size or not np.isfinite([*direction, offset, shift]).all():
                raise ValueError
        except (KeyError, TypeError, ValueError):
            raise InputError("a checkpoint's material shift is damaged; fit it again") from None
        return cls(direction, offset, shift)
