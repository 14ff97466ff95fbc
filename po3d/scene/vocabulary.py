"""The street world's words and sizes: what Super-CLEVR and PulseCheck457 (released as Spatial457) can name.

Values are data: programs carry them as arguments, networks as output classes. Extents and origin heights are the
benchmark's own model metrics (Super-CLEVR, properties_cgpart.json), turned into the object frame (x front).
"""

SUPER_CATEGORIES: dict[str, tuple[str, ...]] = {
    "car": ("suv", "wagon", "minivan", "sedan", "truck"),
    "bus": ("articulated", "regular", "double", "school"),
    "motorbike": ("chopper", "dirtbike", "scooter", "cruiser"),
    "aeroplane": ("jet", "fighter", "biplane", "airliner"),
    "bicycle": ("road", "utility", "mountain", "tandem"),
}
SHAPES: tuple[str, ...] = tuple(shape for leaves in SUPER_CATEGORIES.values() for shape in leaves)
# Super-CLEVR's 22nd type, the "regular car": in its vocabulary and questions, in none of its scenes. No network has a class
# for it, so that only true tables can hold one.
UNSEEN_SHAPES: dict[str, str] = {"addi": "car"}
PARENT: dict[str, str] = {
    **{leaf: parent for parent, leaves in SUPER_CATEGORIES.items() for leaf in leaves},
    **UNSEEN_SHAPES,
}

# What people call shapes whose id says less.
SHAPE_NAMES: dict[str, str] = {
    **{leaf: f"{leaf} bus" for leaf in SUPER_CATEGORIES["bus"]},
    **{leaf: f"{leaf} bike" for leaf in SUPER_CATEGORIES["bicycle"]},
    "suv": "SUV",
    "addi": "regular car",
}
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
    "suv": (0.874, 0.365, 0.322),
    "wagon": (0.887, 0.379, 0.263),
    "minivan": (0.860, 0.378, 0.342),
    "sedan": (0.896, 0.353, 0.269),
    "truck": (0.891, 0.355, 0.284),
    "articulated": (0.972, 0.173, 0.160),
    "regular": (0.930, 0.265, 0.256),
    "double": (0.929, 0.216, 0.301),
    "school": (0.949, 0.203, 0.241),
    "chopper": (0.869, 0.259, 0.423),
    "dirtbike": (0.829, 0.293, 0.476),
    "scooter": (0.777, 0.368, 0.510),
    "cruiser": (0.844, 0.281, 0.456),
    "jet": (0.608, 0.761, 0.226),
    "fighter": (0.754, 0.637, 0.159),
    "biplane": (0.609, 0.742, 0.280),
    "airliner": (0.726, 0.645, 0.239),
    "road": (0.858, 0.199, 0.473),
    "utility": (0.797, 0.297, 0.525),
    "mountain": (0.816, 0.318, 0.482),
    "tandem": (0.912, 0.157, 0.379),
    "addi": (0.882, 0.366, 0.296),  # not released: the mean of the cars
}

# Height of the object's origin above the ground at unit scale; the wheels stand on z = 0.
ORIGIN_HEIGHT: dict[str, float] = {
    "suv": 0.1253,
    "wagon": 0.0968,
    "minivan": 0.1623,
    "sedan": 0.1151,
    "truck": 0.1179,
    "articulated": 0.0503,
    "regular": 0.0764,
    "double": 0.1573,
    "school": 0.0672,
    "chopper": 0.1991,
    "dirtbike": 0.1877,
    "scooter": 0.2147,
    "cruiser": 0.2186,
    "jet": 0.0769,
    "fighter": 0.0546,
    "biplane": 0.1518,
    "airliner": 0.0689,
    "road": 0.2365,
    "utility": 0.2627,
    "mountain": 0.2411,
    "tandem": 0.1894,
}

# How far ahead of its origin the middle of a type's box lies, at unit scale: an official file's position is the mesh's
# origin. Measured on official meshes and voxels; suv and wagon are the mean of the other cars and what a few predictions
# say, and of three bicycles nothing is known.
ORIGIN_AHEAD: dict[str, float] = {
    "suv": -0.056,
    "wagon": -0.054,
    "minivan": -0.017,
    "sedan": -0.087,
    "truck": -0.068,
    "articulated": -0.004,
    "regular": -0.022,
    "double": 0.017,
    "school": 0.030,
    "chopper": 0.047,
    "dirtbike": 0.065,
    "scooter": -0.030,
    "cruiser": -0.039,
    "jet": -0.026,
    "fighter": -0.065,
    "biplane": -0.013,
    "airliner": -0.025,
    "road": 0.0,
    "utility": 0.0,
    "mountain": 0.0,
    "tandem": 0.0,
}


def lineage(value: str) -> tuple[str, ...]:
    """`value` and what it is a kind of: ("sedan", "car"); a value without a parent stands alone."""
    return (value, PARENT[value]) if value in PARENT else (value,)
