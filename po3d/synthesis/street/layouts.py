"""Random layouts of street scenes by the published rules of Super-CLEVR and PulseCheck457.

A layout is pure data, sampled without a renderer: objects, camera jitter, and kind and seed of the
rendering style. Rules (Super-CLEVR, image_generation): 3-10 objects, x and y in U(-3, 3), rotation
in U(0, 360) degrees, uniform shapes, colours, sizes and materials. An object is accepted if its
footprint, scaled by 1.1, intersects no other; after 150 rejections of one object the scene is
restarted.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from po3d.io.errors import known
from po3d.scene.geometry import Array
from po3d.scene.street import CAMERA_JITTER, SPREAD, extent, heading_from_rotation
from po3d.scene.vocabulary import COLORS, EXTENTS, MATERIALS, SHAPES, SIZE_SCALE, SIZES
from po3d.synthesis.render.official import OFFICIAL_LOOKS, STUDIO

if TYPE_CHECKING:  # meshes need an extra, which reading a benchmark does not require
    from po3d.synthesis.vehicles.forms import Forms

Split = Literal["train", "validation", "test"]
LookKind = Literal["studio", "outdoor", "superclevr", "hdri"]

MIN_OBJECTS, MAX_OBJECTS = 3, 10
FOOTPRINT_MARGIN = 1.1  # scale of both footprints in the placement test
MAX_RETRIES = 150
# Largest number of recoloured parts per object in the studio style (Super-CLEVR); outdoors there
# are none
MAX_PARTS = 3
LOOKS: tuple[LookKind, ...] = ("studio", "outdoor")  # styles of the twin
# styles with toys: one colour, rubber or metal, with recoloured parts
TOYS: tuple[LookKind, ...] = ("studio", "superclevr")
# centre (x, y), heading, half length and half width
Footprint = tuple[float, float, float, float, float]
OWN_FORMS: tuple["Forms", ...] = ("own",)
# in official styles two of three vehicles have the official shape
FORMS: tuple["Forms", ...] = ("own", "official", "official")
PLAIN = 0.5  # share of Super-CLEVR-like layouts without recoloured parts
# Share of a Super-CLEVR-like object's recoloured parts that are a whole region: a bed, a roof with
# its sides, all doors of a side, up to half of the vehicle's pixels
WHOLE_REGION = 0.35

# Mesh variants by split: no mesh of the test images is used in training.
TRAIN_MESHES, VALIDATION_MESHES, TEST_MESHES = range(0, 64), range(1000, 1016), range(2000, 2032)
MESHES = {"train": TRAIN_MESHES, "validation": VALIDATION_MESHES, "test": TEST_MESHES}


@dataclass(frozen=True)
class PartPaint:
    """A recoloured part. `slot` in [0, 1) selects one of the parts of the object's mesh; with
    `region`, one of its large parts with all parts of the same region (parts.csv)."""

    slot: float
    color: str
    material: str
    region: bool = False


@dataclass(frozen=True)
class LayoutObject:
    """One vehicle. Its height above the ground follows from shape and size."""

    shape: str
    color: str
    size: str
    material: str
    # in the position that is annotated: the box centre, in official styles the official mesh's
    # origin
    x: float
    y: float
    heading: float  # azimuth of the nose, radians
    mesh_seed: int
    parts: tuple[PartPaint, ...] = ()
    forms: "Forms" = "own"  # family of meshes of which `mesh_seed` selects a variant


@dataclass(frozen=True)
class Layout:
    """A scene before rendering."""

    objects: tuple[LayoutObject, ...]
    jitter: tuple[float, float, float]  # added to the camera's nominal position
    look: LookKind
    look_seed: int

    @property
    def extents(self) -> Array:
        """(n, 3) length, width, height in world units."""
        return np.array([extent(o.shape, o.size) for o in self.objects]).reshape(-1, 3)


def sample_layout(
    rng: np.random.Generator,
    count: int | None = None,
    split: Split = "train",
    look: LookKind | None = None,
) -> Layout:
    """Sample a layout of `count` objects (None: uniform in 3..10) with meshes of the split."""
    known("split", split, MESHES)
    count = int(rng.integers(MIN_OBJECTS, MAX_OBJECTS + 1)) if count is None else count
    look = look or LOOKS[rng.integers(len(LOOKS))]
    families = FORMS if look in OFFICIAL_LOOKS else OWN_FORMS
    recolored = look == "studio" or (look == STUDIO and rng.random() >= PLAIN)
    objects: list[LayoutObject] = []
    taken: list[Footprint] = []
    refused = 0
    while len(objects) < count:
        candidate = _sample_object(rng, MESHES[split], recolored, families, look == STUDIO)
        rectangle = _enlarged(candidate)
        if any(overlapping(rectangle, other) for other in taken):
            refused += 1
            if refused > MAX_RETRIES:
                objects, taken, refused = [], [], 0
            continue
        taken.append(rectangle)
        objects.append(candidate)
        refused = 0
    jitter = rng.uniform(-CAMERA_JITTER, CAMERA_JITTER, 3)
    return Layout(tuple(objects), tuple(jitter.tolist()), look, int(rng.integers(2**31)))


def _sample_object(
    rng: np.random.Generator,
    meshes: range,
    recolored: bool,
    families: tuple["Forms", ...],
    regions: bool,
) -> LayoutObject:
    shape, color = SHAPES[rng.integers(len(SHAPES))], COLORS[rng.integers(len(COLORS))]
    size, material = SIZES[rng.integers(len(SIZES))], MATERIALS[rng.integers(len(MATERIALS))]
    x, y = rng.uniform(-SPREAD, SPREAD, 2)
    heading = heading_from_rotation(shape, rng.uniform(0.0, 360.0))
    parts: list[PartPaint] = []
    if recolored:
        others = [c for c in COLORS if c != color]
        for _ in range(rng.integers(MAX_PARTS + 1)):
            slot, other = float(rng.random()), others[rng.integers(len(others))]
            part_material = MATERIALS[rng.integers(len(MATERIALS))]
            region = regions and bool(rng.random() < WHOLE_REGION)
            parts.append(PartPaint(slot, other, part_material, region))
    forms = families[rng.integers(len(families))] if len(families) > 1 else families[0]
    mesh = meshes[rng.integers(len(meshes))]
    place = float(x), float(y), heading
    return LayoutObject(shape, color, size, material, *place, mesh, tuple(parts), forms)


def _enlarged(o: LayoutObject) -> Footprint:
    length, width, _ = EXTENTS[o.shape]
    scale = SIZE_SCALE[o.size] * FOOTPRINT_MARGIN / 2
    return o.x, o.y, o.heading, length * scale, width * scale


def overlapping(a: Footprint, b: Footprint) -> bool:
    """Return whether two rectangles intersect, by the separating axis theorem; in plain Python
    numbers, because it is called hundreds of times."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    if math.hypot(dx, dy) > math.hypot(*a[3:]) + math.hypot(*b[3:]):
        return False
    c, s = abs(math.cos(b[2] - a[2])), abs(math.sin(b[2] - a[2]))
    for first, other in ((a, b), (b, a)):
        _, _, heading, length, width = first
        _, _, _, other_length, other_width = other
        ux, uy = math.cos(heading), math.sin(heading)
        if abs(dx * ux + dy * uy) > length + other_length * c + other_width * s:
            return False
        if abs(dy * ux - dx * uy) > width + other_length * s + other_width * c:
            return False
    return True
