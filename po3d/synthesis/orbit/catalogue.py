"""The things of the orbit scenes: names that people say, where they are met, and the 3D models that show them.

`things.csv` lists 80 categories with their usual sizes in metres. Their models stand in `models.csv` (see `splits`); where
the catalogue has too few, parametric shapes of our own show the category, too.
"""

import functools
from dataclasses import dataclass

from po3d.io.files import rows_beside
from po3d.synthesis.splits import Model, Split, catalogue, own_names

GROUNDS = {"f": "floor", "o": "outdoor", "t": "table"}
PEOPLE = ("man", "woman", "boy", "girl")
# Categories with so many catalogue models that no shape of ours is needed
CATALOGUE_ONLY = ("chair", "armchair")
OWN_SIZES = "own_sizes.csv"


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
        return _models(self.name, split)


@functools.cache
def _models(name: str, split: Split) -> tuple[Model, ...]:
    found: list[Model] = [m for m in catalogue().values() if m.orbit == name and m.split == split]
    if name not in CATALOGUE_ONLY:
        for own in own_names(name, split):
            depth, width, height = own_sizes()[own]
            found.append(Model(own, width, depth, height))
    return tuple(found)


@functools.cache
def own_sizes() -> dict[str, tuple[float, float, float]]:
    """Name of one of our own shapes -> its (depth, width, height) in metres (`tools/own_sizes.py` writes the table)."""
    return {
        row["name"]: (float(row["depth"]), float(row["width"]), float(row["height"]))
        for row in rows_beside(__file__, OWN_SIZES)
    }


@functools.cache
def things() -> dict[str, Thing]:
    """Name -> thing, in the table's order."""
    result = {}
    for row in rows_beside(__file__, "things.csv"):
        extent = float(row["depth"]), float(row["width"]), float(row["height"])
        grounds = tuple(GROUNDS[g] for g in row["grounds"])
        flags = {flag: row[flag] == "1" for flag in ("front", "seat", "paint")}
        result[row["name"]] = Thing(row["name"], extent, grounds, **flags)
    return result
