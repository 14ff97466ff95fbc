"""The street world's words and sizes: what Super-CLEVR and PulseCheck457 (released as Spatial457) can name.

Values are data: programs carry them as arguments, networks as output classes. Extents and origin heights are the
benchmark's own model metrics (Super-CLEVR, properties_cgpart.json), turned into the object frame (x front); they stand in `vehicles.csv`.
"""

from po3d.io.files import rows_beside

# A row a type, in the order of network outputs. The last one is Super-CLEVR's 22nd, the "regular car": in its vocabulary and questions,
# in none of its scenes. No network has a class for it, so that only true tables can hold one; its extent is the mean of the cars.
_TYPES = {row["shape"]: row for row in rows_beside(__file__, "vehicles.csv")}
PARENT: dict[str, str] = {shape: row["kind"] for shape, row in _TYPES.items()}
UNSEEN_SHAPES: dict[str, str] = {"addi": PARENT["addi"]}
SHAPES: tuple[str, ...] = tuple(shape for shape in PARENT if shape not in UNSEEN_SHAPES)
SUPER_CATEGORIES: dict[str, tuple[str, ...]] = {
    kind: tuple(shape for shape in SHAPES if PARENT[shape] == kind) for kind in dict.fromkeys(PARENT.values())
}
# What people call shapes whose id says less.
SHAPE_NAMES: dict[str, str] = {shape: row["called"] for shape, row in _TYPES.items() if row["called"]}
_SHAPE_IDS = {name.lower(): shape for shape, name in SHAPE_NAMES.items()} | {"hatchback": "addi"}


def shape_name(shape: str) -> str:
    """A shape, or a kind of vehicles, in the words of people."""
    return SHAPE_NAMES.get(shape, shape)


def shape_id(name: str) -> str:
    """The shape that people call so; the name itself where it is none's."""
    return _SHAPE_IDS.get(name.lower(), name.lower())


COLORS_RGB: dict[str, tuple[int, int, int]] = {
    "gray": (87, 87, 87),
    "red": (173, 35, 35),
    "blue": (42, 75, 215),
    "green": (29, 105, 20),
    "brown": (129, 74, 25),
    "purple": (129, 38, 192),
    "cyan": (41, 208, 208),
    "yellow": (255, 238, 51),
}
COLORS: tuple[str, ...] = tuple(COLORS_RGB)
SIZES: tuple[str, ...] = ("small", "large")
SIZE_SCALE: dict[str, float] = {"small": 1.8, "large": 3.5}  # factor on the unit-scale extents
MATERIALS: tuple[str, ...] = ("rubber", "metal")
DIRECTIONS: tuple[str, ...] = ("left", "right", "front", "behind")  # of one object to another
FACINGS: tuple[str, ...] = ("left", "right", "front", "back")  # where a nose points, seen from the camera

# The attributes of an object and their values, in network output order.
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "shape": SHAPES,
    "color": COLORS,
    "size": SIZES,
    "material": MATERIALS,
}
VALUES: dict[str, tuple[str, ...]] = {
    **ATTRIBUTES,
    "shape": (*SHAPES, *UNSEEN_SHAPES),
}  # what true tables can hold

# (length, width, height) at unit scale; multiply by SIZE_SCALE for world units.
EXTENTS: dict[str, tuple[float, float, float]] = {
    shape: (float(row["length"]), float(row["width"]), float(row["height"])) for shape, row in _TYPES.items()
}
# Height of the object's origin above the ground at unit scale; the wheels stand on z = 0.
ORIGIN_HEIGHT: dict[str, float] = {shape: float(_TYPES[shape]["origin_height"]) for shape in SHAPES}
# How far ahead of its origin the middle of a type's box lies, at unit scale: an official file's position is the mesh's
# origin. Measured on official meshes and voxels; suv and wagon are the mean of the other cars and what a few predictions
# say, and of three bicycles nothing is known.
ORIGIN_AHEAD: dict[str, float] = {shape: float(_TYPES[shape]["origin_ahead"]) for shape in SHAPES}


def lineage(value: str) -> tuple[str, ...]:
    """`value` and what it is a kind of: ("sedan", "car"); a value without a parent stands alone."""
    return (value, PARENT[value]) if value in PARENT else (value,)
