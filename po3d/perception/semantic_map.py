"""Labelled maps: top views of rooms with each object's name at the centre of its box.

The file, JSON beside the image or a line of a twin's semantic_maps.jsonl:

    {"format": "po3d-semantic-map-1", "image": "scene0000_00",
     "size": [640, 480],         width and height of the image, which ends at the room's walls
     "metres_per_unit": 0.01,    null if unknown
     "labels": [{"label": "bed", "center": [112.5, 300.0]}, ...]}   from the top left, y down

Any unit is possible: pixels, or metres with "metres_per_unit": 1. Maps contain names and centres
only: no sizes, headings, heights, colours, materials or states. `table` fills in sizes, headings
and heights (`po3d.perception.room_furnishing`) and leaves the rest unknown. Without a scale the
room gets the usual floor area for its objects.

Images with drawn labels are read by OCR (`read_labels`; extra "ocr").
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError, malformed
from po3d.io.fuzzy import alike
from po3d.perception.room_furnishing import furnished, usual_area
from po3d.scene.rooms import CATEGORIES, SYNONYMS
from po3d.scene.table import Scene

FORMAT = "po3d-semantic-map-1"
CONFIDENT = 0.5  # least OCR confidence of a label
ALIKE = 0.8  # least difflib ratio at which a text is taken for a misread known name
FARTHEST = 1e6  # units of a map's size and places
MARGIN = 12  # variation of an image's background in grey levels


@dataclass(frozen=True)
class SemanticMap:
    """Labels as (name, x, y) in image units from the top left, y down.

    `size`: the image's (width, height).
    """

    image: str
    size: tuple[float, float]
    labels: tuple[tuple[str, float, float], ...]
    metres_per_unit: float | None = None


def semantic_map(scene: Scene) -> SemanticMap:
    """Build the labelled map of a ground-truth scene: names and centres, in metres.

    The image is cropped to the room.

    The scene's sizes, headings, heights and attributes are not used.
    """
    corners = np.array(scene.outline) if scene.outline else scene.positions[:, :2]
    (left, bottom), (right, top) = corners.min(0).tolist(), corners.max(0).tolist()
    labels = []
    for o in scene.objects:
        x, y = round(o.position[0] - left, 3), round(top - o.position[1], 3)
        labels.append((o.value("name"), x, y))
    size = round(right - left, 3), round(top - bottom, 3)
    return SemanticMap(scene.image, size, tuple(labels), 1.0)


def table(labelled: SemanticMap) -> Scene:
    """Build the scene of a labelled map, in metres from the image's bottom left, top along +y."""
    width, height = labelled.size
    scale = labelled.metres_per_unit
    if scale is None:
        scale = math.sqrt(usual_area([name for name, _, _ in labelled.labels]) / (width * height))
    names, places = [], []
    for name, x, y in labelled.labels:
        names.append(name)
        places.append((scale * x, scale * (height - y)))
    return furnished(names, places, (scale * width, scale * height), labelled.image)


# --- JSON -----------------------------------------------------------------------------------------


def to_json(labelled: SemanticMap) -> dict:
    return {
        "format": FORMAT,
        "image": labelled.image,
        "size": list(labelled.size),
        "metres_per_unit": labelled.metres_per_unit,
        "labels": [{"label": name, "center": [x, y]} for name, x, y in labelled.labels],
    }


def from_json(record: object, where: str) -> SemanticMap:
    """Read a labelled map from a record; raise InputError if it is malformed."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError(f"{where}: not a semantic map (its 'format' should be {FORMAT!r})")
    with malformed(f"{where}: malformed semantic map"):
        width, height = map(float, record["size"])
        scale = record.get("metres_per_unit")
        scale = None if scale is None else float(scale)
        labels = []
        for item in record["labels"]:
            labels.append((str(item["label"]).strip().lower(), *map(float, item["center"])))
        image = str(record.get("image", ""))
    if any(len(label) != 3 or not label[0] for label in labels):
        raise InputError(f"{where}: every label needs a name and a 'center' of two numbers")
    lengths = [width, height] if scale is None else [width, height, scale]
    if not all(0 < n < FARTHEST for n in lengths):
        raise InputError(f"{where}: 'size' and 'metres_per_unit' should be positive, not {lengths}")
    for _, x, y in labels:
        if not (abs(x) < FARTHEST and abs(y) < FARTHEST):
            raise InputError(f"{where}: a label's 'center' is not finite, or too far away")
    return SemanticMap(image, (width, height), tuple(labels), scale)


# --- OCR ------------------------------------------------------------------------------------------


@functools.cache
def open_ocr() -> Callable[[NDArray[np.uint8]], tuple]:
    """Return RapidOCR, whose models are part of its package. InputError if it is not installed."""
    try:
        from rapidocr_onnxruntime import RapidOCR
    except ImportError:
        raise InputError(
            "labels in images need RapidOCR: pip install 'po3d[ocr]', or a JSON file "
            f"({FORMAT}) next to each image"
        ) from None
    return RapidOCR()


def read_labels(picture: NDArray[np.uint8], image: str = "") -> SemanticMap:
    """Read the labels drawn on an image (H, W, 3) into a map without a scale.

    The image is cropped to what differs from its top left pixel.

    An image without a readable label gives a map without labels.
    """
    left, top, right, bottom = _content(picture)
    texts, _ = open_ocr()(np.ascontiguousarray(picture[:, :, ::-1]))
    labels = []
    for corners, text, confidence in texts or ():
        name = known_name(text)
        if name and float(confidence) >= CONFIDENT:
            x, y = np.mean(corners, 0)
            labels.append((name, float(x) - left, float(y) - top))
    return SemanticMap(image, (float(right - left), float(bottom - top)), tuple(labels))


def known_name(text: str) -> str:
    """Normalise an OCR text to a name: lower case, letters only, known names corrected."""
    name = " ".join("".join(c if c.isalpha() else " " for c in text.lower()).split())
    return next(iter(alike(name, (*CATEGORIES, *SYNONYMS), ALIKE)), name)


def _content(picture: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Return left, top, right, bottom of the region that is not background."""
    other = (np.abs(picture.astype(int) - picture[0, 0]) > MARGIN).any(2)
    rows, columns = np.flatnonzero(other.any(1)), np.flatnonzero(other.any(0))
    if not len(rows):
        return 0, 0, picture.shape[1], picture.shape[0]
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
