"""Meshes of the models in rooms and orbit scenes: the furniture catalogue's and our own shapes.

Every model of `po3d.synthesis.splits` was inspected in renderings from the front and from above:
after its turn, its front is +x. Models are excluded if they include parts of another object (a
computer with a keyboard, a tall cupboard with an oven), hang from a ceiling, or show a brand name.
`po3d.synthesis.splits` assigns models to splits.
"""

import functools
import hashlib
import itertools
import json
import math
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.scene.rooms import CATEGORIES, category_of
from po3d.synthesis import shapes
from po3d.synthesis.furniture.libraries import FOLDER, CatalogueEntry, read_catalogues
from po3d.synthesis.furniture.library_models import load_model
from po3d.synthesis.render.environment import RGB
from po3d.synthesis.shapes.mesh import Mesh, read_mesh, spread, write_mesh
from po3d.synthesis.shapes.own_shapes import SHAPES, TRAIN_ONLY, shape
from po3d.synthesis.splits import OWN, Split, catalogue, own_names, own_variant, split_of

OWN_CANDIDATES = (
    4  # number of our own shapes from which the one with the closest proportions is taken
)
HELD = 1500  # models in memory
MAX_FACES = 12_000  # of a rendered model; larger ones are simplified, because a room has 25 of them
GRIDS = (500, 350, 250, 180, 130, 90, 64, 48)  # cells along the longest side, finest first
FORMAT = 5  # version of the cache's files
PAINTED = 0.6  # smallest share of the surface that takes the scene's colour
# range of a shade's brightness relative to the mean of its material, once painted
BRIGHTNESS = (0.55, 1.6)
# number of surface samples, and cells per side in the view from above
SURFACE_POINTS, SURFACE_CELLS = 40_000, 48
# models whose sides would be stretched more unequally than this are used only if no better one
# exists
LOOSE = 1.9

# Rotation in degrees about +z that brings a model's front to +x, where the catalogue's own front is
# not opposite to the wall side: cribs stand with a long side to the wall, a kitchen island's end is
# rounded. Some objects of orbit scenes have their nose on a side.
TURNS = {
    "Blend Swap CC-0#babyRockingBed": 90.0,
    "Scopia#crib": 90.0,
    "Blend Swap CC-0#islandExtension": 90.0,
    "Blend Swap CC-0#caballito": 90.0,
    "Blend Swap CC-BY#toyTrain": 90.0,
    "Blend Swap CC-0#motorbike": -90.0,
    "Blend Swap CC-0#wheelbarrow": -90.0,
}


@functools.cache
def catalogue_names(category: str) -> tuple[str, ...]:
    """Return the catalogue ids of all models of a category of rooms."""
    return tuple(m.name for m in catalogue().values() if m.room == category)


def models_of(category: str, split: Split) -> tuple[str, ...]:
    """Return the names of a split's models, those of the catalogue first; splits are disjoint."""
    names = tuple(name for name in catalogue_names(category) if split_of(name) == split)
    own = category in SHAPES and (split == "train" or category not in TRAIN_ONLY)
    return names + (own_names(category, split) if own else ())


def model_category(name: str) -> str:
    """Return the category whose models represent an object of this name; box for an object without
    a category.
    """
    if name in CATEGORIES:
        return name
    category = category_of(name)
    return next((n for n in CATEGORIES if category is not None and name.endswith(n)), "box")


class RoomModel(NamedTuple):
    """A mesh with its own colours (linear, by part), and the parts that take the scene's colour:
    part -> relative brightness.
    """

    mesh: Mesh
    colors: dict[str, RGB]
    painted: dict[str, float]

    @property
    def extent(self) -> NDArray[np.float64]:
        """(3,) depth, width, height in metres."""
        return (self.mesh.vertices.max(0) - self.mesh.vertices.min(0)).astype(float)


class RoomModels:
    """Models by name, loaded on first use; the HELD most recently used ones stay in memory.

    `folder` holds the furniture libraries; `cache` (created if missing) holds one file for each
    loaded model. Without a cache, every process reads the OBJ files and generates our own shapes
    itself.
    """

    def __init__(self, folder: str | Path = FOLDER, cache: str | Path | None = None) -> None:
        self._entries = read_catalogues(folder)
        if missing := sorted(set(catalogue()) - set(self._entries)):
            raise InputError(f"the furniture libraries in {folder} lack {', '.join(missing)}")
        self._cache = None if cache is None else Path(cache)
        self._held: OrderedDict[str, RoomModel] = OrderedDict()

    def model(self, name: str) -> RoomModel:
        """Return a model by its catalogue id, or one of our own by own/CATEGORY#k. Raise InputError
        if the libraries lack it.
        """
        if name not in self._held:
            self._held[name] = self._load(name)
            if len(self._held) > HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(name)
        return self._held[name]

    def pick(
        self,
        category: str,
        extent: tuple[float, float, float],
        split: Split,
        random: np.random.Generator,
    ) -> str:
        """Return the name of a random model for a box of `extent` (depth, width, height) with
        similar proportions. If both kinds exist, catalogue models and our own shapes are equally
        likely.
        """
        names = models_of(category, split)
        others, own_models = {}, []
        for name in names:
            if name.startswith(OWN):
                own_models.append(name)
            else:
                others[name] = _unequal(extent, catalogue()[name].extent)
        limit = (
            LOOSE if own_models else max(LOOSE, sorted(others.values())[min(1, len(others) - 1)])
        )
        fitting = [name for name, unequal in others.items() if unequal <= limit]
        if own_models and (not fitting or random.random() < 0.5):
            drawn = random.integers(len(own_models), size=OWN_CANDIDATES)
            return min(
                map(own_models.__getitem__, drawn),
                key=lambda name: max(LOOSE, _unequal(extent, self.model(name).extent)),
            )
        return fitting[int(random.integers(len(fitting)))]

    def _load(self, name: str) -> RoomModel:
        if name.startswith(OWN):
            key, make = _key(_own_version(), name), functools.partial(_own, name)
        elif name in self._entries:
            entry, turn = self._entries[name], TURNS.get(name, 0.0)
            facts = (
                FORMAT,
                MAX_FACES,
                PAINTED,
                entry.id,
                entry.size,
                turn,
                entry.library.stat().st_size,
            )
            key, make = _key(*facts), functools.partial(_prepared, entry, turn)
        else:
            raise InputError(f"the furniture libraries lack the model {name!r}")
        if self._cache is None:
            return make()
        path = self._cache / f"{key}.npz"
        if path.exists():
            return _read_npz(path)
        model = make()
        _write_npz(path, model)
        return model


def _unequal(extent: Sequence[float], other: Sequence[float]) -> float:
    """Return how unequally the sides are stretched from one box to the other: the largest factor
    over the smallest.
    """
    return float(np.exp(np.ptp(np.log(np.asarray(extent) / np.asarray(other)))))


def _own(name: str) -> RoomModel:
    mesh, colors = shape(*own_variant(name))
    return RoomModel(mesh, colors, {"main": 1.0})


def _prepared(entry: CatalogueEntry, turn: float) -> RoomModel:
    model = load_model(entry, math.radians(turn))
    mesh = coarsened(model.mesh)
    return RoomModel(mesh, dict(model.colors), painted_parts(mesh, dict(model.colors)))


def painted_parts(mesh: Mesh, colors: dict[str, RGB]) -> dict[str, float]:
    """Return the parts that take the scene's colour: whole materials, the most conspicuous first,
    until they cover PAINTED of the surface and of the view from above. Glass counts only if it
    dominates the view from above: a table top, but not a screen. The shades of a textured material
    keep their brightness relative to its mean.
    """
    area, above = _shares(mesh)
    materials: dict[str, list[int]] = {}
    for k, part in enumerate(mesh.parts):
        if part.name in colors or above[k] > 0.5:
            material, _, shade = part.name.rpartition(".")
            base = material if shade.isdigit() and material in colors else part.name
            materials.setdefault(base, []).append(k)
    weight = area + above
    candidates = list(itertools.chain(*materials.values()))
    goal = PAINTED * np.array([area[candidates].sum(), above[candidates].sum()])
    painted: dict[str, float] = {}
    covered = np.zeros(2)
    for parts in sorted(materials.values(), key=lambda ks: -weight[ks].sum()):
        if (covered >= goal).all():
            break
        covered += area[parts].sum(), above[parts].sum()
        bright = np.array([np.mean(colors.get(mesh.parts[k].name, (0.5, 0.5, 0.5))) for k in parts])
        mean = float((bright * weight[parts]).sum() / max(weight[parts].sum(), 1e-12))
        for k, value in zip(parts, bright):
            painted[mesh.parts[k].name] = float(np.clip(value / max(mean, 1e-6), *BRIGHTNESS))
    return painted


def _shares(mesh: Mesh) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return each part's share of the surface and of the view from above."""
    face, points, normals = spread(mesh, SURFACE_POINTS)
    area, part = np.linalg.norm(normals, axis=1), mesh.part[mesh.faces[:, 0]]
    low, size = points[:, :2].min(0), np.maximum(np.ptp(points[:, :2], axis=0), 1e-9)
    column, row = ((points[:, :2] - low) / size * (SURFACE_CELLS - 1e-6)).astype(int).T
    order = np.argsort(points[:, 2], kind="stable")
    top = np.full(SURFACE_CELLS**2, -1)
    # The highest point of a cell is written last
    top[(row * SURFACE_CELLS + column)[order]] = part[face][order]
    count = len(mesh.parts)
    above = np.bincount(top[top >= 0], minlength=count).astype(float)
    return np.bincount(part, area, count) / max(area.sum(), 1e-12), above / above.sum()


def coarsened(mesh: Mesh, most: int = MAX_FACES) -> Mesh:
    """Simplify the mesh to about `most` triangles: all vertices in a cell of the finest sufficient
    grid move to one place, so that no gap opens; vertices there with equal part and similar normals
    are merged.
    """
    if len(mesh.faces) <= most:
        return mesh
    low, high = mesh.vertices.min(0), mesh.vertices.max(0)
    side = np.abs(mesh.normals).argmax(1)
    facing = 2 * side + (mesh.normals[np.arange(len(side)), side] > 0)
    for cells in GRIDS:
        cell = ((mesh.vertices - low) / (high - low).max() * (cells - 1)).astype(np.int64)
        place = (cell[:, 0] * 512 + cell[:, 1]) * 512 + cell[:, 2]
        _, first, group = np.unique(
            place * 1024 + mesh.part * 8 + facing, return_index=True, return_inverse=True
        )
        group = group.reshape(-1)
        at = place[mesh.faces]
        nondegenerate = (at[:, 0] != at[:, 1]) & (at[:, 1] != at[:, 2]) & (at[:, 0] != at[:, 2])
        faces = np.unique(group[mesh.faces[nondegenerate]], axis=0)
        if len(faces) <= most:
            break
    vertices = _means(mesh.vertices, np.unique(place, return_inverse=True)[1].reshape(-1))[first]
    normals = _means(mesh.normals, group)[first]
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    shrunk = vertices.min(0), vertices.max(0)  # averaging shrinks the mesh: restore the box
    vertices = low + (vertices - shrunk[0]) * (
        (high - low) / np.maximum(shrunk[1] - shrunk[0], 1e-9)
    )
    return Mesh(
        vertices.astype(np.float32),
        normals.astype(np.float32),
        mesh.part[first],
        faces.astype(np.int32),
        mesh.parts,
    )


def _means(values: NDArray[np.float32], group: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the mean over each vertex's group, (V, 3)."""
    count = np.bincount(group)
    return np.stack([(np.bincount(group, values[:, k]) / count)[group] for k in range(3)], 1)


# --- cache ----------------------------------------------------------------------------------------


def _key(*facts: object) -> str:
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:20]


@functools.cache
def _own_version() -> str:
    """Return a version that changes with the code of our own shapes."""
    files = sorted(p for p in Path(shapes.__file__).parent.iterdir() if p.suffix in (".py", ".csv"))
    return _key(FORMAT, *(hashlib.sha256(p.read_bytes()).hexdigest() for p in files))


def _write_npz(path: Path, model: RoomModel) -> None:
    words = json.dumps({"colors": model.colors, "painted": model.painted})
    write_mesh(path, model.mesh, words=np.frombuffer(words.encode(), np.uint8))


def _read_npz(path: Path) -> RoomModel:
    try:
        with np.load(path, allow_pickle=False) as data:
            words = json.loads(data["words"].tobytes())
        colors = {name: tuple(color) for name, color in words["colors"].items()}
        return RoomModel(read_mesh(path), colors, words["painted"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"cached model {path} cannot be read ({error}); delete it") from None
