"""The things of the orbit scenes: names that people say, and the 3D models that show them.

`things.csv` lists 131 models of 80 categories with their sizes in metres, from the catalogue of the Sweet Home 3D
furniture libraries (Debian package `sweethome3d-furniture`; CC0 or CC-BY-3.0, the `creator` is to be named). `model` is
the path inside its library. The models themselves are not shipped.
"""

import csv
import functools
import io
from dataclasses import dataclass
from importlib import resources

GROUNDS = {"f": "floor", "o": "outdoor", "t": "table"}
PEOPLE = ("man", "woman", "boy", "girl")
ANIMALS = ("horse", "dog", "cat", "rabbit", "chicken")
HELD_OUT = 3  # every third model of a category with so many or more is for tests alone


@dataclass(frozen=True)
class Model:
    """One 3D model; metres. `width` is across its front, `depth` along it."""

    path: str
    width: float
    depth: float
    height: float
    creator: str

    @property
    def extent(self) -> tuple[float, float, float]:
        """(length along the front, width, height)."""
        return self.depth, self.width, self.height


@dataclass(frozen=True)
class Thing:
    """A category: what it is called and where it is met."""

    name: str
    grounds: tuple[str, ...]
    front: bool  # whether one sees where its front is
    seat: bool  # whether one imagines sitting on it
    paint: bool  # whether it comes in any colour
    models: tuple[Model, ...]

    def models_of(self, split: str) -> tuple[Model, ...]:
        """The models of a split: "test" has those that training never sees, where the category has three or more."""
        if len(self.models) < HELD_OUT:
            return self.models
        return tuple(
            m for k, m in enumerate(self.models) if (k % HELD_OUT == HELD_OUT - 1) == (split == "test")
        )


@functools.cache
def things() -> dict[str, Thing]:
    """Name -> thing, in the table's order."""
    text = (resources.files("po3d.synthesis") / "things.csv").read_text(encoding="utf-8")
    grouped: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        grouped.setdefault(row["name"], []).append(row)
    result = {}
    for name, rows in grouped.items():
        first = rows[0]
        models = tuple(
            Model(r["model"], float(r["width"]), float(r["depth"]), float(r["height"]), r["creator"])
            for r in rows
        )
        flags = {flag: first[flag] == "1" for flag in ("front", "seat", "paint")}
        result[name] = Thing(name, tuple(GROUNDS[g] for g in first["grounds"]), **flags, models=models)
    return result
