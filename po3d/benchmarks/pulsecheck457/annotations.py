"""Photographs with annotated object poses, the source of the L4-Pose-Real items. Two formats are
supported.

SUN RGB-D: the toolbox's metadata (SUNRGBDMeta3DBB_v2.mat, MATLAB 5 to 7.2), or the same fields as
JSON lines:

  {"image": "kv1/.../0001.jpg", "K": 3x3, "Rtilt": 3x3, "width": W, "height": H,
   "objects": [{"classname": ..., "centroid": [3], "coeffs": [3], "basis": 3x3,
                "orientation": [3], "box": [x, y, w, h]}]}

Its frame: origin at the camera, x right, y forward, z up. The rows of `basis` are the box axes,
`coeffs` the half edge lengths, `orientation` the ground direction of the front. `Rtilt` maps the
tilted camera's (right, forward, up) into that frame. `box`, width and height are optional; without
`box`, the outline of the projected 3D box is used.

A folder of images with poses, e.g. converted from Objectron: beside NAME.jpg a NAME.json

  {"K": 3x3, "objects": [{"category": "chair", "rotation": 3x3, "translation": [3], "scale": [3]}]}

`rotation` has the object's axes in the camera frame as columns (x right, y down, z forward),
`translation` is the centre, `scale` the edge lengths. Objectron's camera looks along -z with y up:
`opengl` converts it. `front` and `up` name the object axes that point to the front and up.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from po3d.io.errors import InputError, known, malformed, printable
from po3d.io.files import read_json, read_jsonl
from po3d.scene.geometry import BOX_SIGNS, Array

AXES = {"+x": (0, 1), "-x": (0, -1), "+y": (1, 1), "-y": (1, -1), "+z": (2, 1), "-z": (2, -1)}
PICTURES = (".jpg", ".jpeg", ".png", ".webp")
_OPENGL = np.diag([1.0, -1.0, -1.0])  # x right, y up, z backward -> x right, y down, z forward
# x right, y down, z forward -> right, forward, up
_UPRIGHT = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
# tolerance of a rotation's orthogonality; minimum length of a projected unit vector
ORTHOGONAL, LEVEL = (1e-3, 0.1)
FARTHEST = 1e6  # metres or pixels
Box = tuple[float, float, float, float]  # x0, y0, x1, y1 in pixels


@dataclass(frozen=True)
class AnnotatedObject:
    """One annotated object."""

    name: str
    centroid: tuple[float, float, float]  # metres, centre of the box
    half: tuple[float, float, float]  # half edge lengths
    basis: tuple[tuple[float, ...], ...]  # (3, 3), rows
    front: tuple[float, float]  # ground direction (right, forward)
    box: Box | None = None


@dataclass(frozen=True)
class Photograph:
    """One image with its objects."""

    image: str
    K: Array  # (3, 3)
    tilt: Array  # (3, 3)
    things: tuple[AnnotatedObject, ...]
    size: tuple[int, int] | None = None  # width, height

    def outline(self, thing: AnnotatedObject) -> Box | None:
        """Return the object's image box (x0, y0, x1, y1): the annotated one, else that of the
        projected 3D corners, None if a corner is behind the camera. The box is not clipped to the
        image.
        """
        if thing.box is not None:
            return thing.box
        signs = (BOX_SIGNS - [0, 0, 0.5]) * 2
        corners = np.array(thing.centroid) + (signs * np.array(thing.half)) @ np.array(thing.basis)
        right, ahead, up = (corners @ self.tilt).T  # invert the tilt
        if ahead.min() <= 1e-3:
            return None
        pixels = np.stack([right, -up, ahead], -1) @ self.K.T
        u, v = (pixels[:, :2] / pixels[:, 2:]).T
        return float(u.min()), float(v.min()), float(u.max()), float(v.max())


def read_annotations(path: str | Path) -> Iterator[Photograph]:
    """Yield the photographs of a .mat or .jsonl file; an InputError names a malformed record."""
    path = Path(path)
    records = _mat_records(path) if path.suffix == ".mat" else read_jsonl(path, "annotations")
    for k, record in enumerate(records):
        with malformed(f"{path}, photograph {k}: malformed"):
            photograph = _photograph(record)
        yield photograph


def read_poses(
    folder: str | Path, opengl: bool = False, front: str = "+z", up: str = "+y"
) -> Iterator[Photograph]:
    """Yield the photographs of a folder of images with poses, sorted by name; an InputError names a
    malformed file.
    """
    folder = Path(folder)
    for name, axis in (("front", front), ("up", up)):
        known(f"axis for {name}", axis, AXES)
    if AXES[front][0] == AXES[up][0]:
        raise InputError(f"front {front} and up {up} are the same axis")
    if not folder.is_dir():
        raise InputError(f"folder of photographs not found: {folder}")
    empty = True
    for path in sorted(folder.rglob("*.json")):
        picture = next((p for s in PICTURES if (p := path.with_suffix(s)).is_file()), None)
        if picture is None:
            continue
        empty, record = False, read_json(path, "poses")
        with malformed(f"{path}: malformed"):
            things = tuple(_annotated_object(o, opengl, front, up) for o in record["objects"])
            K = _numbers(record["K"], 3, 3)
        yield Photograph(picture.relative_to(folder).as_posix(), K, np.eye(3), things)
    if empty:
        raise InputError(f"{folder} contains no image with a .json of poses next to it")


def _annotated_object(record: Mapping, opengl: bool, front: str, up: str) -> AnnotatedObject:
    """Convert a pose record to an object in the camera's (right, forward, up).

    The front direction is measured in the object's ground plane, whose normal is its up axis: in
    the image of a camera that looks down, a chair's front appears too low.
    """
    rotation = _numbers(record["rotation"], 3, 3)
    centre, edges = (_numbers(record[k], 3) for k in ("translation", "scale"))
    if np.abs(rotation.T @ rotation - np.eye(3)).max() > ORTHOGONAL:
        raise ValueError("'rotation' is not a rotation matrix")
    turn = _OPENGL if opengl else np.eye(3)
    # columns: the object's axes as right, forward, up of the camera
    axes = _UPRIGHT @ turn @ rotation
    faces, stands = (AXES[a][1] * axes[:, AXES[a][0]] for a in (front, up))
    # the camera's right and forward projected onto the object's ground plane
    ways = np.eye(3)[:2] - np.outer(stands[:2], stands)
    lengths = np.linalg.norm(ways, axis=1)
    if lengths.min() < LEVEL:
        raise ValueError("the camera looks along the object's up axis")
    toward = (ways / lengths[:, None]) @ faces
    centroid = _UPRIGHT @ turn @ centre
    rows = tuple(map(tuple, axes.T.tolist()))
    half = tuple((np.abs(edges) / 2).tolist())
    name, place = str(record["category"]), tuple(centroid.tolist())
    return AnnotatedObject(name, place, half, rows, (float(toward[0]), float(toward[1])))


def _photograph(record: Mapping) -> Photograph:
    size = (int(record["width"]), int(record["height"])) if record.get("width") else None
    K, tilt = (_numbers(record[name], 3, 3) for name in ("K", "Rtilt"))
    return Photograph(str(record["image"]), K, tilt, tuple(map(_thing, record["objects"])), size)


def _numbers(values: object, *shape: int) -> Array:
    """Return finite numbers as an array of this shape; ValueError for others."""
    array = np.array(values, float).reshape(shape)
    if not (np.abs(array) < FARTHEST).all():
        raise ValueError(f"{printable(values)} should be numbers below {FARTHEST:,.0f}")
    return array


def _thing(record: Mapping) -> AnnotatedObject:
    half = np.abs(_numbers(record["coeffs"], 3))
    basis = _numbers(record["basis"], 3, 3)
    x, y = np.array(record["orientation"], float).reshape(-1)[:2]
    if not np.isfinite([x, y]).all() or np.hypot(x, y) < 1e-9:
        raise ValueError(f"orientation {record['orientation']} is not a direction")
    box = record.get("box")
    if box is not None:
        left, top, width, height = _numbers(box, 4).tolist()
        box = (left, top, left + width, top + height)
    centroid = _numbers(record["centroid"], 3)
    place, rows = tuple(centroid.tolist()), tuple(map(tuple, basis.tolist()))
    sizes = tuple(half.tolist())
    return AnnotatedObject(str(record["classname"]), place, sizes, rows, (float(x), float(y)), box)


def _mat_records(path: Path) -> Iterator[dict]:
    from po3d.benchmarks.pulsecheck457.mat_files import metadata

    for k, entry in enumerate(np.atleast_1d(metadata(path))):
        with malformed(f"{path}, photograph {k}: malformed"):
            record = _mat_record(entry)
        yield record


def _mat_record(entry: Any) -> dict:
    image = Path(getattr(entry, "sequenceName", "")) / "image" / str(entry.rgbname)
    objects = []
    for o in np.atleast_1d(getattr(entry, "groundtruth3DBB", [])):
        fields = ("classname", "centroid", "coeffs", "basis", "orientation")
        objects.append({name: getattr(o, name) for name in fields})
    name = image.as_posix().removeprefix("SUNRGBD/")
    return {"image": name, "K": entry.K, "Rtilt": entry.Rtilt, "objects": objects}
