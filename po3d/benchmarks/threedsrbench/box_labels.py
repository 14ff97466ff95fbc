"""Ground-truth scenes of photographs with annotated 3D boxes, in one of two layouts:

    KITTI     a folder with label_2/NAME.txt and calib/NAME.txt, or NAME.txt beside NAME.calib
    Omni3D    a JSON file; it covers KITTI, nuScenes, SUN RGB-D, ARKitScenes, Hypersim, Objectron

The world frame is that of `po3d.perception.foundation_estimator`: the camera is over the origin and
looks along +y, z = 0 is the ground. Gravity is the common vertical axis of the boxes.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import numpy as np

from po3d.benchmarks.splits import first_file
from po3d.io.errors import InputError, malformed, printable
from po3d.io.files import read_json, read_text
from po3d.io.images import image_size
from po3d.scene.camera import CameraPose, held
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene

PICTURES = (".png", ".jpg", ".jpeg", ".webp")
AHEAD = math.pi / 2  # azimuth of the camera
KITTI_HEIGHT = 1.65  # metres of KITTI's cameras over the road
KITTI_NAMES = {
    "Car": "car", "Van": "van", "Truck": "truck", "Tram": "tram", "Cyclist": "cyclist",
    "Pedestrian": "person", "Person_sitting": "person",
}  # fmt: skip
HIDDEN = 2  # KITTI's occlusion from which an object is largely hidden
ROTATION = 0.01  # tolerance of a rotation matrix
CUT = 0.5  # truncation above which an object is largely outside the picture
TEXT = 16_000_000  # bytes of one picture's labels or calibration
FARTHEST = 10_000.0  # metres of a position or a side
VISIBLE = 0.5  # Omni3D's visibility below which an object is largely hidden


class LabelledBox(NamedTuple):
    """A box in the camera's frame (x right, y down, z ahead), metres."""

    name: str
    center: Array  # (3,)
    extent: tuple[float, float, float]  # depth, width, height
    rotation: Array  # (3, 3) columns: front, down, and their cross product
    image_box: tuple[float, float, float, float]
    clear: bool  # visible enough to be asked about


# A true scene, whose `image` is the path below the photographs' folder, and the rows that may be
# asked about.
LabelledPhotograph = tuple[Scene, tuple[int, ...]]


def read_labels(labels: str | Path, photographs: str | Path) -> list[LabelledPhotograph]:
    """Return the ground-truth scenes of all labelled photographs in a folder.

    Labels without a photograph are skipped. Raise InputError if none is left, or for invalid
    labels.
    """
    labels, photographs = Path(labels), Path(photographs)
    if not photographs.is_dir():
        raise InputError(f"photographs={photographs} is not a folder")
    if not labels.exists():
        raise InputError(f"labels={labels} does not exist")
    result = list(_kitti(labels, photographs) if labels.is_dir() else _omni3d(labels, photographs))
    if not result:
        raise InputError(f"no photograph of {photographs} has labels in {labels} (KITTI or Omni3D)")
    return result


def scene_of(
    boxes: Sequence[LabelledBox],
    intrinsics: Array,
    size: tuple[int, int],
    image: str,
    height: float | None,
) -> Scene:
    """Build a ground-truth scene. `intrinsics` (3, 3); `height`: of the camera above the ground,
    None: above the lowest box."""
    k = np.asarray(intrinsics, float)
    if k.shape != (3, 3) or not np.isfinite(k).all() or min(k[0, 0], k[1, 1]) <= 0:
        raise ValueError(f"intrinsics {' '.join(map('{:g}'.format, k.ravel()[:9]))} are invalid")
    for box in boxes:
        _check(box)
    down = np.mean([box.rotation[:, 1] for box in boxes], 0) if boxes else np.array([0.0, 1.0, 0.0])
    if np.linalg.norm(down) < 0.1:
        raise ValueError("the boxes have no common vertical axis")
    down = down / np.linalg.norm(down)
    if height is None:
        feet = [float(down @ box.center) + box.extent[2] / 2 for box in boxes]
        height = max(feet, default=1.5)
    pitch = math.asin(float(np.clip(-down[2], -1, 1)))
    roll = math.atan2(float(down[0]), float(down[1]))
    camera = held(CameraPose(height, pitch, roll, AHEAD), *size, (k[0, 0] + k[1, 1]) / 2)
    camera = replace(camera, center=(float(k[0, 2]), float(k[1, 2])))
    to_world = camera.cam_T_world.inverse()
    objects = []
    for box in boxes:
        front = to_world.rotation @ box.rotation[:, 0]
        heading = float(wrap_angle(math.atan2(front[1], front[0])))
        place = tuple(to_world.transform(box.center).tolist())
        belief = {"name": {box.name: 1.0}}
        objects.append(ObjectState(belief, place, heading, box.extent, box=box.image_box))
    axes = viewer_axes((math.cos(AHEAD), math.sin(AHEAD)))
    return Scene(tuple(objects), axes, "gt", camera, image=image)


# --- KITTI ----------------------------------------------------------------------------------------


def _kitti(labels: Path, photographs: Path) -> Iterator[LabelledPhotograph]:
    folder = labels / "label_2" if (labels / "label_2").is_dir() else labels
    for path in sorted(folder.glob("*.txt")):
        picture = first_file(photographs / f"{path.stem}{suffix}" for suffix in PICTURES)
        calibration = first_file([labels / "calib" / path.name, path.with_suffix(".calib")])
        if picture is None:
            continue
        if calibration is None:
            neither = f"neither calib/{path.name} nor {path.stem}.calib"
            raise InputError(f"{path}: no calibration, {neither}")
        projection, size = kitti_projection(calibration), _size(picture)
        boxes = list(read_kitti(path, projection))
        scene = scene_of(boxes, projection[:, :3], size, picture.name, KITTI_HEIGHT)
        yield scene, _clear(boxes)


def _clear(boxes: Sequence[LabelledBox]) -> tuple[int, ...]:
    return tuple(k for k, box in enumerate(boxes) if box.clear)


def kitti_projection(path: Path) -> Array:
    """Return the projection matrix (3, 4) of the left colour camera, P2."""
    for line in read_text(path, "calibration", TEXT).splitlines():
        if not line.startswith("P2:"):
            continue
        try:
            projection = np.array(list(map(float, line[3:].split()))).reshape(3, 4)
        except ValueError as error:
            raise InputError(f"calibration {path} can't be read ({error})") from None
        k, finite = projection[:, :3], np.isfinite(projection).all()
        if not finite or min(k[0, 0], k[1, 1]) <= 0 or np.linalg.matrix_rank(k) < 3:
            raise InputError(f"calibration {path}: P2 is not a projection matrix")
        return projection
    raise InputError(f"calibration {path} has no line P2:")


def read_kitti(path: Path, projection: Array) -> Iterator[LabelledBox]:
    """Yield the named objects of a label file; boxes are moved to the colour camera's frame."""
    shift = np.linalg.solve(projection[:, :3], projection[:, 3])
    for number, line in enumerate(read_text(path, "labels", TEXT).splitlines(), 1):
        parts = line.split()
        if not parts or parts[0] not in KITTI_NAMES:
            continue
        try:
            cut, hidden, _, *numbers = map(float, parts[1:15])
            x0, y0, x1, y1, height, width, length, x, y, z, turn = numbers
            c, s = math.cos(turn), math.sin(turn)
            rotation = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
            center = np.array([x, y - height / 2, z]) + shift
            clear = cut <= CUT and hidden < HIDDEN
            extent, corners = (length, width, height), (x0, y0, x1, y1)
            box = LabelledBox(KITTI_NAMES[parts[0]], center, extent, rotation, corners, clear)
            _check(box)
        except ValueError:
            raise InputError(f"{path}, line {number} is not a KITTI label: {line[:80]!r}") from None
        yield box


def _check(box: LabelledBox) -> None:
    """Raise ValueError unless the box has a finite position, positive side lengths and a rotation
    matrix."""
    numbers = np.concatenate([box.center, box.extent, box.image_box])
    if box.center.shape != (3,) or len(box.image_box) != 4 or not np.isfinite(numbers).all():
        raise ValueError(f"the box of {box.name!r} is not finite")
    if not 0 < min(box.extent) <= max(box.extent) < FARTHEST > abs(box.center).max():
        raise ValueError(f"the box of {box.name!r} has invalid side lengths or an invalid position")
    if not np.abs(box.rotation.T @ box.rotation - np.eye(3)).max() < ROTATION:
        raise ValueError(f"the box of {box.name!r} has no rotation matrix")


# --- Omni3D ---------------------------------------------------------------------------------------


def _omni3d(path: Path, photographs: Path) -> Iterator[LabelledPhotograph]:
    record = read_json(path, "labels")
    with malformed(f"labels {path} are no Omni3D file"):
        of_image: dict[Any, list[Mapping[str, Any]]] = {}
        for annotation in record["annotations"]:
            of_image.setdefault(annotation["image_id"], []).append(annotation)
        images = list(record["images"])
    for image in images:
        which = image.get("id") if isinstance(image, dict) else image
        with malformed(f"labels {path}: image {printable(which)} is broken"):
            photograph = _omni3d_photograph(image, of_image.get(image["id"], ()), photographs)
        if photograph is not None:
            yield photograph


def _omni3d_photograph(
    image: Mapping[str, Any], annotations: Sequence[Mapping[str, Any]], photographs: Path
) -> LabelledPhotograph | None:
    """Convert an image's record; None if the picture is missing or no box is valid."""
    path = PurePath(str(image["file_path"]))
    inside = not path.is_absolute() and ".." not in path.parts  # else files outside are copied
    names = [path, path.name] if inside else [path.name]
    picture = first_file(photographs / name for name in names)
    boxes = list(filter(None, map(_omni3d_box, annotations)))
    if picture is None or not boxes:
        return None
    intrinsics = np.array(image["K"], float)
    relative = picture.relative_to(photographs).as_posix()
    scene = scene_of(boxes, intrinsics, _size(picture), relative, None)
    return scene, _clear(boxes)


def _omni3d_box(annotation: Mapping[str, Any]) -> LabelledBox | None:
    """Convert an annotation; None without a valid 3D box. Fronts are the boxes' x axes."""
    if not annotation.get("valid3D", True) or annotation.get("behind_camera", False):
        return None
    width, height, length = map(float, annotation["dimensions"])
    rotation = np.array(annotation["R_cam"], float).reshape(3, 3)
    corners = None
    for key in ("bbox2D_tight", "bbox2D_trunc", "bbox2D_proj"):
        if annotation.get(key) and annotation[key][0] != -1:
            corners = annotation[key]
            break
    if min(width, height, length) <= 0 or corners is None:
        return None
    visible, cut = annotation.get("visibility", 1), annotation.get("truncation", 0)
    clear = not (0 <= visible < VISIBLE) and cut <= CUT
    name = str(annotation["category_name"]).lower()
    center = np.array(annotation["center_cam"], float)
    extent = (length, width, height)
    return LabelledBox(name, center, extent, rotation, tuple(map(float, corners)), clear)


def _size(picture: Path) -> tuple[int, int]:
    size = image_size(picture)
    if size is None:
        raise InputError(f"picture {picture} can't be read")
    return size
