"""The things of the orbit scenes: names that people say, where they are met, and the 3D models that show them.

`things.csv` lists 80 categories with their usual sizes in metres. Their models stand in `models.csv` (see `splits`); where
the catalogue has too few, parametric shapes of our own show the category, too.
"""

import csv
import functools
import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np

from po3d.seeding import rng
from po3d.synthesis.splits import OWN_VARIANTS, Model, Split, catalogue, own_name

GROUNDS = {"f": "floor", "o": "outdoor", "t": "table"}
PEOPLE = ("man", "woman", "boy", "girl")
ANIMALS = ("horse", "dog", "cat", "rabbit", "chicken")
CATALOGUE_ONLY = (
    "chair",
    "armchair",
)  # categories with so many catalogue models that no shape of ours is needed
SCALE, SIDE = 0.12, 0.06  # deviations of the log size of our own shapes: as a whole, and of each side


@dataclass(frozen=True)
class Thing:
    """A category: what it is called and where it is met."""

    name: str
    extent: tuple[float, float, float]  # usual (length along the front, width, height), metres
    grounds: tuple[str, ...]
    front: bool  # whether one sees where its front is
    seat: bool  # whether one imagines sitting on it
    paint: bool  # whether it comes in any colour

    def models_of(self, split: Split) -> tuple[Model, ...]:
        """The models of a split, the catalogue's first; no two splits share one."""
        return _models(self.name, self.extent, split)


@functools.cache
def _models(name: str, extent: tuple[float, float, float], split: Split) -> tuple[Model, ...]:
    found: list[Model] = [m for m in catalogue().values() if m.orbit == name and m.split == split]
    if name not in CATALOGUE_ONLY:
        found += [_own(name, extent, variant) for variant in OWN_VARIANTS[split]]
    return tuple(found)


def _own(name: str, extent: Sequence[float], variant: int) -> Model:
    """One of our own shapes, about as large as its category usually is."""
    random = rng(variant, f"thing size/{name}")
    spread = random.normal(0, SCALE) + random.normal(0, SIDE, 3)
    depth, width, height = (round(float(v), 3) for v in np.asarray(extent) * np.exp(spread))
    return Model(own_name(name, variant), width, depth, height)


@functools.cache
def things() -> dict[str, Thing]:
    """Name -> thing, in the table's order."""
    text = (resources.files("po3d.synthesis") / "things.csv").read_text(encoding="utf-8")
    result = {}
    for row in csv.DictReader(io.StringIO(text)):
        extent = float(row["depth"]), float(row["width"]), float(row["height"])
        grounds = tuple(GROUNDS[g] for g in row["grounds"])
        flags = {flag: row[flag] == "1" for flag in ("front", "seat", "paint")}
        result[row["name"]] = Thing(row["name"], extent, grounds, **flags)
    return result
