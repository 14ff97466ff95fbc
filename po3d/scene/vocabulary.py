"""Vocabulary and sizes of street scenes: Super-CLEVR and PulseCheck457.

PulseCheck457 was released as Spatial457. Values are data: arguments of programs and output classes
of networks. Extents and origin heights are the benchmark's own model metrics (Super-CLEVR,
properties_cgpart.json), converted to the object frame (x front) in `vehicles.csv`.
"""

from po3d.io.files import rows_beside

# One row per type, in the order of network outputs. The last one is Super-CLEVR's 22nd, the
# "regular car": it is in its vocabulary and questions, but in none of its scenes. No network has a
# class for it, so only ground-truth tables can contain it; its extent is the mean of the cars.
_TYPES = {row["shape"]: row for row in rows_beside(__file__, "vehicles.csv")}
PARENT: dict[str, str] = {shape: row["kind"] for shape, row in _TYPES.items()}
UNSEEN_SHAPES: dict[str, str] = {"addi": PARENT["addi"]}
SHAPES: tuple[str, ...] = tuple(shape for shape in PARENT if shape not in UNSEEN_SHAPES)
SUPER_CATEGORIES: dict[str, tuple[str, ...]] = {}
for _shape in SHAPES:
    _kind = PARENT[_shape]
    SUPER_CATEGORIES[_kind] = (*SUPER_CATEGORIES.get(_kind, ()), _shape)
# Readable names of shapes with short ids.
SHAPE_NAMES: dict[str, str] = {}
# (length, width, height) at unit scale; multiply by SIZE_SCALE for world units.
EXTENTS: dict[str, tuple[float, float, float]] = {}
# Height of the object's origin above the ground at unit scale; the wheels stand on z = 0.
ORIGIN_HEIGHT: dict[str, float] = {}
# Offset of the box centre ahead of the origin, at unit scale: an official file's position is the
# origin of the mesh. Measured on official meshes and voxels; suv and wagon are the mean of the
# other cars and of a few predictions; for three bicycles it is unknown.
ORIGIN_AHEAD: dict[str, float] = {}
for _shape, _row in _TYPES.items():
    if _row["called"]:
        SHAPE_NAMES[_shape] = _row["called"]
    EXTENTS[_shape] = float(_row["length"]), float(_row["width"]), float(_row["height"])
    if _shape in SHAPES:
        ORIGIN_HEIGHT[_shape] = float(_row["origin_height"])
        ORIGIN_AHEAD[_shape] = float(_row["origin_ahead"])
_SHAPE_IDS = {name.lower(): shape for shape, name in SHAPE_NAMES.items()} | {"hatchback": "addi"}


def shape_name(shape: str) -> str:
    """Return the readable name of a shape or of a kind of vehicle."""
    return SHAPE_NAMES.get(shape, shape)


def shape_id(name: str) -> str:
    """Return the shape with this readable name; the lower-case name itself if there is none."""
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
# Colours without a class in any network: in ground-truth tables and programs only.
UNSEEN_COLORS: tuple[str, ...] = ()
COLORS: tuple[str, ...] = tuple(color for color in COLORS_RGB if color not in UNSEEN_COLORS)
SIZES: tuple[str, ...] = ("small", "large")
SIZE_SCALE: dict[str, float] = {"small": 1.8, "large": 3.5}  # factor on the unit-scale extents
MATERIALS: tuple[str, ...] = ("rubber", "metal")
# of one object relative to another
DIRECTIONS: tuple[str, ...] = ("left", "right", "front", "behind")
# direction of an object's front, seen from the camera
FACINGS: tuple[str, ...] = ("left", "right", "front", "back")

# The attributes of an object and their values, in network output order.
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "shape": SHAPES, "color": COLORS, "size": SIZES, "material": MATERIALS,
}  # fmt: skip
# values in ground-truth tables
VALUES: dict[str, tuple[str, ...]] = {
    **ATTRIBUTES, "shape": (*SHAPES, *UNSEEN_SHAPES), "color": (*COLORS, *UNSEEN_COLORS),
}  # fmt: skip


def lineage(value: str) -> tuple[str, ...]:
    """Return `value` and its kind: ("sedan", "car"); a value without a kind alone."""
    return (value, PARENT[value]) if value in PARENT else (value,)
