"""Object categories of orbit scenes: names, the grounds on which they occur, and their 3D models.

`things.csv` lists 80 categories with typical sizes in metres. Their models are listed in
`models.csv` (see `splits`); categories with too few catalogue models also use our own parametric
shapes.
"""

import functools
from dataclasses import dataclass

from po3d.io.files import rows_beside
from po3d.synthesis.splits import OWN_VARIANTS, AssetModel, Split, catalogue, own_name, own_names

GROUNDS = {"f": "floor", "o": "outdoor", "t": "table"}
PEOPLE = ("man", "woman", "boy", "girl")
# Categories with enough catalogue models, so that none of our own shapes is needed
CATALOGUE_ONLY = ("chair", "armchair")
OWN_SIZES = "own_sizes.csv"


@dataclass(frozen=True)
class CatalogueCategory:
    """A category of objects."""

    name: str
    extent: tuple[float, float, float]  # typical (length along the front, width, height), metres
    grounds: tuple[str, ...]
    front: bool  # whether its front is distinguishable
    seat: bool  # whether one can imagine sitting on it
    paint: bool  # whether it may have any colour

    def models_of(self, split: Split) -> tuple[AssetModel, ...]:
        """Return the models of a split, those of the catalogue first; splits are disjoint."""
        return _models(self.name, split)


@functools.cache
def _models(name: str, split: Split) -> tuple[AssetModel, ...]:
    models: list[AssetModel] = [
        m for m in catalogue().values() if m.orbit == name and m.split == split
    ]
    if name not in CATALOGUE_ONLY:
        for variant in own_names(name, split):
            depth, width, height = own_sizes()[variant]
            models.append(AssetModel(variant, width, depth, height))
    return tuple(models)


@functools.cache
def own_sizes() -> dict[str, tuple[float, float, float]]:
    """Return the (depth, width, height) in metres of our own shapes by name; `tools/own_sizes.py`
    writes the table, in millimetres, with the variants of a category and a split in one row.
    """
    sizes = {}
    for row in rows_beside(__file__, OWN_SIZES):
        variants = OWN_VARIANTS[row["split"]]
        for k, size in zip(variants, row["sizes"].split(";"), strict=True):
            depth, width, height = (int(side) / 1000 for side in size.split())
            sizes[own_name(row["category"], k)] = (depth, width, height)
    return sizes


@functools.cache
def things() -> dict[str, CatalogueCategory]:
    """Return name -> category, in the table's order."""
    result = {}
    for row in rows_beside(__file__, "things.csv"):
        extent = float(row["depth"]), float(row["width"]), float(row["height"])
        grounds = tuple(GROUNDS[g] for g in row["grounds"])
        flags = {flag: row[flag] == "1" for flag in ("front", "seat", "paint")}
        result[row["name"]] = CatalogueCategory(row["name"], extent, grounds, **flags)
    return result
