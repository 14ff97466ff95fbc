"""Which models stand for the categories of the room world: the furniture catalogue's and our own shapes.

Every model of the table was rendered from the front and from above and looked at: its front is +x after its turn.
Left out: what has parts of another thing on it (a computer with a keyboard, a tall cupboard with an oven), hangs from
a ceiling, or names a make.

Split by model: where the catalogue has three or more models of a category, every third of the table's row is held
out; so is every third of our own shapes. Validation and test draw held-out ones alone. Categories with one or two
catalogue models are trained on all of them, and `seen` tells them apart.
"""

import hashlib
import json
import math
from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.errors import InputError
from po3d.files import atomic_write
from po3d.rooms import category_of
from po3d.synthesis.assets.furniture import FOLDER, Entry, load_model, read_catalogues
from po3d.synthesis.assets.mesh import Mesh, Part
from po3d.synthesis.assets.room_shapes import SHAPES, VARIANTS, shape
from po3d.synthesis.environment import RGB
from po3d.synthesis.splits import Split

HOLD_OUT = 3  # one model in so many is held out
HELD = 400  # models in memory
MAX_FACES = 12_000  # of a drawn model: larger ones are coarsened, a room has 25 of them
GRIDS = (500, 350, 250, 180, 130, 90, 64, 48)  # cells along the longest side, finest first
FORMAT = 4  # of the cache's files
PAINTED = 0.6  # share of the surface that takes the scene's colour, at least
BRIGHTNESS = (0.55, 1.6)  # of a shade against the mean of its material, once painted
SURFACE_POINTS, SURFACE_CELLS = 40_000, 48  # that a surface is judged by, and cells a side seen from above
LOOSE = 1.9  # a model whose sides are stretched more unequally than this gives way to better ones

_MAKERS = {"A": "Blend Swap CC-0", "B": "Blend Swap CC-BY", "K": "Kator Legaz", "S": "Scopia"}

# category | models, maker by maker (letters of _MAKERS)
_TABLE = """
chair | A oakChair plasticChair sillaBlanca chair antiqueChair chairWithCushion chair2 osakaChair thonet B cafe_set_mota_chair cafe_set_tonon_chair chairWithCushion childChair ella_chair_f plaidChair kitchenChair chair3 chair4 foldingChair K dining-chair S chair3 chair4 chair tubular_chair plastic_chair white_kitchen_chair
armchair | A armchair2 modernArmchair winchesterArmchair B armchair1 fotel armChair2 leaf_chair K mid-century-chair S armchair3 armchair armchair1 armchair2 modern_armchair rattanArmchair
office chair | A armchair designChair K office-chair S office_chair kids_desk_chair
stool | A stool stool2 foldingChair B green_stool K bar-stool S kitchen_stool bar_chair
bench | A bench pianoBench K bench
ottoman | S puff
sofa | A couch sofa2 winchesterSofa B sofa2 sofa3 couch3 K futon-couch mid-century-sofa mid-century-bench-sofa S clear_sofa simple_sofa beige_sofa_2seats beige_sofa burlap_sofa leather_sofa sofa_white_beige rattanSofa convertible-sofa-BZ-closed
bed | A bed1 bed2 bedWithTexture bed3 B juniorBed lettoCloud S bed1 iron_bed children_bed hospital-bed captains-bed
crib | A babyRockingBed S crib
table | A oakTable tableWithTablecloth table B cafe_set_mota_table cafe_set_tonon_table table K folding-table glass-dining-table S table3 table4 black_table wooden_table_office metal_glass_table round-table white_kitchen_table wooden_office_alder_table wooden_office_pear_table_rect table-on-trestles table-with-leaning-feet
coffee table | B coffeeTable S saloon_table coffee_table table_wood_and_iron living_room_table coffee-table2 rattanTable
desk | A desk lbDesk B biurko3 simpleDesk officeTable S kids_desk_table kids_wooden_desk glass_table_office desk_table
nightstand | A bedsideTable2 B bedsideTable
dresser | B dresserWithDrawers chest S changing-table
cabinet | A drawersCabinet lowerCabinet cupboard B kitchenDrawersCabinet kitchenLowerCabinet kitchenSmallLowerCabinet K filing-cabinet
bookshelf | A bookcase B bookcase K full-bookcase
shelf | A shelves verticalShelves K utility-shelving
wardrobe | A wardrobeWithSlidingDoors B wardrobe wardrobe2 S wardrobe1
closet |
counter | A islandExtension B kitchenIsland
refrigerator | A refrigerator largeFridge K fridge
washing machine | B washing_machine S clothes_washing_machine dryer_machine
oven | A oven doubleOven S small-oven
stove | B largeStove K propane-stove
sink | A washbasin sinkCabinet modernVanity B washbasin_jay_hardy kitchenSink S bathroom3 bathroom4
toilet | A toiletsUnit B toilets_unit_jay_hardy modernToilet
bathtub | B bath_jay_hardy S islandBath
radiator | A radiator1 radiator2 radiator radiator3 B modernRadiator
fireplace | S fireplace1 fireplace2
piano | B piano
plant | A decorativePlant plant orchids B mediumIndoorPlant spatifilum yuccaPlant decorativePlant spider_plant S ficus maceta bonsai-tree
floor lamp | S living_lamp
fan | A riggedFan tableFan
trash can | A dustbin K bullet-trash-can recycling-bin
box | A box crate ammoBox K trunk-large S cardboard-box open-cardboard-box
basket | S clothes-basket shopping-basket
backpack | B backpack
suitcase | A briefcase B suitcase
guitar | A electricGuitar
rug |
door | K exterior-door-01 exterior-door-02 exterior-door-03 exterior-door-05 exterior-door-07 S door puerta glass_door glassDoor2
window | K window-01 window-08 window-08-02 S turn-window window_2x1_medium_with_large_pane window_2x1_with_sliders window_2x3_regular window_2x4
curtain | S curtain
mirror |
picture |
whiteboard |
clock | A cuckooClock
tv | A led_tv S wall-flat-tv tv
monitor |
keyboard |
laptop | B laptop
printer | S inkjet_and_scanner_printer
lamp | A desklamp B lamp K pedestal-vase-lamp S desk_lamp1 desk_lamp2 little_lamp1 little_lamp2 little_lamp3 table_lamp livingroom_lamp1
microwave | B microwave
telephone | B wirelessOfficePhone3 S phone
vase | S vase1 vase2 vase3 jar vase5 old_jar
book | B book
cup | A plasticCup B coffee_cup K coffee-mug S cup
bottle | A yogurtBottle B beer_bottle K red-wine-bottle-01 S wine_bottle
pillow |
towel | S folded_clothes
"""  # noqa: E501

# Degrees about +z that bring a model's front to +x, where the catalogue's own front isn't what stands against walls:
# cribs stand with a long side to the wall, a kitchen island's end is rounded.
# Of the orbit scenes' things: their noses point to a side.
TURNS = {
    "Blend Swap CC-0#babyRockingBed": 90.0, "Scopia#crib": 90.0, "Blend Swap CC-0#islandExtension": 90.0,
    "Blend Swap CC-0#caballito": 90.0, "Blend Swap CC-BY#toyTrain": 90.0, "Blend Swap CC-0#motorbike": -90.0,
    "Blend Swap CC-0#wheelbarrow": -90.0,
}  # fmt: skip


def _read() -> dict[str, tuple[str, ...]]:
    table = {}
    for line in _TABLE.strip().splitlines():
        category, words = (part.strip() for part in line.split("|"))
        ids, maker = [], ""
        for word in words.split():
            if word in _MAKERS:
                maker = _MAKERS[word]
            else:
                ids.append(f"{maker}#{word}")
        table[category] = tuple(ids)
    return table


CATALOGUE: dict[str, tuple[str, ...]] = _read()  # category -> catalogue ids


def own_shapes(category: str) -> tuple[str, ...]:
    """Names of our own shapes of a category: "own/rug#0" ..."""
    return tuple(f"own/{category}#{k}" for k in range(VARIANTS)) if category in SHAPES else ()


def seen(category: str) -> bool:
    """Whether a category's catalogue models are too few to hold one out: training sees all of them."""
    return 0 < len(CATALOGUE[category]) < HOLD_OUT


def models_of(category: str, split: Split) -> tuple[str, ...]:
    """Names of the models that a split draws from; KeyError for an unknown category."""
    names: list[str] = []
    for row in (CATALOGUE[category], own_shapes(category)):
        if len(row) < HOLD_OUT:
            names += row
        else:
            held = [name for k, name in enumerate(row) if k % HOLD_OUT == HOLD_OUT - 1]
            names += held if split != "train" else [name for name in row if name not in held]
    return tuple(names)


def drawn_category(name: str) -> str:
    """The category whose models are drawn for a thing of this name; a box for a thing without any."""
    if name in CATALOGUE:
        return name
    category = category_of(name)
    return next((n for n in CATALOGUE if category is not None and name.endswith(n)), "box")


class RoomModel(NamedTuple):
    """A mesh with its own colours (linear, by part), and what the scene's colour paints: part -> relative brightness."""

    mesh: Mesh
    colors: dict[str, RGB]
    painted: dict[str, float]

    @property
    def extent(self) -> NDArray[np.float64]:
        """(3,) depth, width, height in metres."""
        return (self.mesh.vertices.max(0) - self.mesh.vertices.min(0)).astype(float)


class RoomModels:
    """Models by name, loaded when first asked for; the HELD last used stay in memory.

    `folder` holds the furniture libraries, `cache` (made when missing) one file for each loaded catalogue model, written
    whole; without it, every process reads the OBJ files anew."""

    def __init__(self, folder: str | Path = FOLDER, cache: str | Path | None = None) -> None:
        self._entries = read_catalogues(folder)
        wanted = {name for row in CATALOGUE.values() for name in row}
        if missing := sorted(wanted - set(self._entries)):
            raise InputError(f"the furniture libraries in {folder} lack {', '.join(missing)}")
        self._ids = {entry.model: name for name, entry in self._entries.items()}
        self._cache = None if cache is None else Path(cache)
        self._held: OrderedDict[str, RoomModel] = OrderedDict()

    def model(self, name: str) -> RoomModel:
        """A catalogue model by its id or the path of its OBJ inside its library, or one of our own by
        "own/category#variant"; InputError when the libraries lack it."""
        if name not in self._held:
            self._held[name] = self._own(name) if name.startswith("own/") else self._load(name)
            if len(self._held) > HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(name)
        return self._held[name]

    def pick(
        self, category: str, extent: tuple[float, float, float], split: Split, random: np.random.Generator
    ) -> str:
        """The name of a model for a box of `extent` (depth, width, height), among those whose proportions come near."""
        names = models_of(category, split)
        unequal = []
        for name in names:
            ratio = np.log(np.array(extent) / self._extent(name))
            unequal.append(float(np.exp(np.ptp(ratio))))
        limit = max(LOOSE, sorted(unequal)[min(1, len(names) - 1)])
        fitting = [name for name, u in zip(names, unequal) if u <= limit]
        return fitting[int(random.integers(len(fitting)))]

    def _extent(self, name: str) -> NDArray[np.float64]:
        if name.startswith("own/"):
            return self.model(name).extent
        width, depth, height = self._entries[name].size
        turned = abs(TURNS.get(name, 0.0)) == 90.0
        return np.array([width, depth, height] if turned else [depth, width, height]) / 100

    def _own(self, name: str) -> RoomModel:
        category, _, variant = name.removeprefix("own/").partition("#")
        mesh, colors = shape(category, int(variant))
        return RoomModel(mesh, colors, {"main": 1.0})

    def _load(self, name: str) -> RoomModel:
        name = self._ids.get(name, name)
        if name not in self._entries:
            raise InputError(f"the furniture libraries lack the model {name!r}")
        entry, turn = self._entries[name], TURNS.get(name, 0.0)
        if self._cache is None:
            return _prepared(entry, turn)
        path = self._cache / f"{_key(entry, turn)}.npz"
        if path.exists():
            return _read_npz(path)
        made = _prepared(entry, turn)
        _write_npz(path, made)
        return made


def _prepared(entry: Entry, turn: float) -> RoomModel:
    model = load_model(entry, math.radians(turn))
    mesh = coarsened(model.mesh)
    return RoomModel(mesh, dict(model.colors), painted_parts(mesh, dict(model.colors)))


def painted_parts(mesh: Mesh, colors: dict[str, RGB]) -> dict[str, float]:
    """The parts that take the scene's colour: whole materials, the most conspicuous first, until they cover PAINTED of the
    surface and of what is seen from above. Glass counts only where it is most of what is seen from above: a table top,
    no screen. The shades of a textured material keep their brightness against its mean."""
    area, above = _shares(mesh)
    materials: dict[str, list[int]] = {}
    for k, part in enumerate(mesh.parts):
        if part.name in colors or above[k] > 0.5:
            material, _, shade = part.name.rpartition(".")
            base = material if shade.isdigit() and material in colors else part.name
            materials.setdefault(base, []).append(k)
    weight = area + above
    candidates = [k for parts in materials.values() for k in parts]
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
    """Of each part, the share of the surface and of what is seen from above."""
    corners = mesh.vertices[mesh.faces].astype(float)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    part = mesh.part[mesh.faces[:, 0]]
    k = np.arange(SURFACE_POINTS)
    face = np.searchsorted(np.cumsum(area), (k + 0.5) / SURFACE_POINTS * area.sum()).clip(0, len(area) - 1)
    u, v = (k[:, None] * np.array([0.7548777, 0.5698403]) % 1).T  # R2 sequence
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    a, b, c = corners[face].transpose(1, 0, 2)
    points = a + u[:, None] * (b - a) + v[:, None] * (c - a)
    low, size = points[:, :2].min(0), np.maximum(np.ptp(points[:, :2], axis=0), 1e-9)
    column, row = ((points[:, :2] - low) / size * (SURFACE_CELLS - 1e-6)).astype(int).T
    order = np.argsort(points[:, 2], kind="stable")
    top = np.full(SURFACE_CELLS**2, -1)
    top[(row * SURFACE_CELLS + column)[order]] = part[face][
        order
    ]  # the highest point of a cell is written last
    count = len(mesh.parts)
    above = np.bincount(top[top >= 0], minlength=count).astype(float)
    return np.bincount(part, area, count) / max(area.sum(), 1e-12), above / above.sum()


def coarsened(mesh: Mesh, most: int = MAX_FACES) -> Mesh:
    """The mesh with at most about `most` triangles: what lies in one cell of the finest grid that suffices moves to one
    place, so that no gap opens; vertices there that share a part and look the same way become one."""
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
        kept = (at[:, 0] != at[:, 1]) & (at[:, 1] != at[:, 2]) & (at[:, 0] != at[:, 2])
        faces = np.unique(group[mesh.faces[kept]], axis=0)
        if len(faces) <= most:
            break
    vertices = _means(mesh.vertices, np.unique(place, return_inverse=True)[1].reshape(-1))[first]
    normals = _means(mesh.normals, group)[first]
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    shrunk = vertices.min(0), vertices.max(0)  # means lie inside: give the box back
    vertices = low + (vertices - shrunk[0]) * ((high - low) / np.maximum(shrunk[1] - shrunk[0], 1e-9))
    return Mesh(
        vertices.astype(np.float32),
        normals.astype(np.float32),
        mesh.part[first],
        faces.astype(np.int32),
        mesh.parts,
    )


def _means(values: NDArray[np.float32], group: NDArray[np.int64]) -> NDArray[np.float64]:
    """(V, 3) the mean over each vertex's group."""
    count = np.bincount(group)
    return np.stack([(np.bincount(group, values[:, k]) / count)[group] for k in range(3)], 1)


# --- cache --------------------------------------------------------------------------------------------------


def _key(entry: Entry, turn: float) -> str:
    facts = (FORMAT, MAX_FACES, PAINTED, entry.id, entry.size, turn, entry.library.stat().st_size)
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:20]


def _write_npz(path: Path, model: RoomModel) -> None:
    words = {
        "parts": [[part.name, part.material] for part in model.mesh.parts],
        "colors": model.colors,
        "painted": model.painted,
    }
    mesh = model.mesh
    with atomic_write(path, "wb") as file:
        np.savez(
            file, vertices=mesh.vertices, normals=mesh.normals, part=mesh.part, faces=mesh.faces,
            words=np.frombuffer(json.dumps(words).encode(), np.uint8),
        )  # fmt: skip


def _read_npz(path: Path) -> RoomModel:
    try:
        with np.load(path, allow_pickle=False) as data:
            words = json.loads(data["words"].tobytes())
            arrays = [data[name] for name in ("vertices", "normals", "part", "faces")]
        parts = tuple(Part(*pair) for pair in words["parts"])
        colors = {name: tuple(color) for name, color in words["colors"].items()}
        return RoomModel(Mesh(*arrays, parts), colors, words["painted"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"cached model {path} can't be read ({error}): delete it") from None
