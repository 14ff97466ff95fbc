"""Assignment of 3D models to splits: one rule for rooms, top views, orbit scenes, and all shipped
weights.

A model belongs to the same split wherever it is rendered. `models.csv` lists third-party models by
catalogue id of the Sweet Home 3D furniture libraries (Debian package `sweethome3d-furniture`; CC0
or CC-BY-3.0, which requires naming the `creator`), with their split, their category in rooms and in
orbit scenes, and their size in metres. Our own parametric shapes are named own/CATEGORY#k (street
vehicles own/street#k); k // 1000 determines their split. Weights are trained on "train",
calibration and constants are fitted on "val", results are reported on "test".

No mesh library is needed here: benchmarks that only read data ask for names and sizes.
"""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from po3d.io.files import rows_beside
from po3d.io.ranges import numbers_of, ranges_text

Split = Literal["train", "val", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
# Variants of our own shapes; street vehicles have their own ranges within these thousands
# (`layouts`).
OWN_VARIANTS = {"train": range(0, 32), "val": range(1000, 1008), "test": range(2000, 2008)}
OWN = "own/"
NOTHING: dict[str, Any] = {"catalogue": [], "own": {}}  # the `summary` of an empty set of models


@dataclass(frozen=True)
class AssetModel:
    """One 3D model, sizes in metres. `width` is measured across its front, `depth` along it. Models
    of models.csv also have their split, their category in rooms (`room`) and in orbit scenes
    (`orbit`), "" if none, and the `creator`."""

    name: str  # catalogue id, or own/CATEGORY#k
    width: float
    depth: float
    height: float
    split: Split | None = None
    room: str = ""
    orbit: str = ""
    creator: str = ""

    @property
    def extent(self) -> tuple[float, float, float]:
        """(length along the front, width, height)."""
        return self.depth, self.width, self.height


@functools.cache
def catalogue() -> dict[str, AssetModel]:
    """Return catalogue id -> model, in the table's order."""
    models = {}
    for row in rows_beside(__file__, "models.csv"):
        size = float(row["width"]), float(row["depth"]), float(row["height"])
        place = row["split"], row["room"], row["orbit"], row["creator"]
        models[row["model"]] = AssetModel(row["model"], *size, *place)
    return models


def own_name(category: str, variant: int) -> str:
    return f"{OWN}{category}#{variant}"


def own_variant(name: str) -> tuple[str, int]:
    """Parse the name of one of our own shapes into (category, variant). Raise ValueError for
    another name."""
    category, hash_, variant = name.removeprefix(OWN).rpartition("#")
    if not name.startswith(OWN) or not hash_:
        raise ValueError(f"{name!r} is not of the form own/CATEGORY#variant")
    return category, int(variant)


def split_of(name: str) -> Split:
    """Return the split of a model. Raise KeyError for an unknown one."""
    if not name.startswith(OWN):
        return catalogue()[name].split
    thousand = own_variant(name)[1] // 1000
    if thousand not in range(len(SPLITS)):
        raise KeyError(f"{name}: no split contains this variant")
    return SPLITS[thousand]


def own_names(category: str, split: Split) -> tuple[str, ...]:
    return tuple(own_name(category, k) for k in OWN_VARIANTS[split])


def summary(names: Iterable[str]) -> dict[str, Any]:
    """Summarise model names for a checkpoint's JSON: {"catalogue": ids, "own": {category: "0-31,
    40"}}."""
    own_variants: dict[str, list[int]] = {}
    others = []
    for name in sorted(set(names)):
        if name.startswith(OWN):
            category, variant = own_variant(name)
            own_variants.setdefault(category, []).append(variant)
        else:
            others.append(name)
    own = dict(zip(own_variants, map(ranges_text, own_variants.values()), strict=True))
    return {"catalogue": others, "own": own}


def names_of(listed: Mapping[str, Any]) -> set[str]:
    """Return the names in a summary: the inverse of `summary`."""
    names = set(listed["catalogue"])
    for category, text in listed["own"].items():
        names.update(own_name(category, variant) for variant in numbers_of(text))
    return names


def pick(models: Iterable[AssetModel], random: np.random.Generator) -> AssetModel:
    """Draw one of these models. If both kinds exist, catalogue models and our own shapes are
    equally likely."""
    third_party, own = [], []
    for model in models:
        (own if model.name.startswith(OWN) else third_party).append(model)
    groups = list(filter(None, (third_party, own)))
    group = groups[int(random.integers(len(groups)))]
    return group[int(random.integers(len(group)))]
