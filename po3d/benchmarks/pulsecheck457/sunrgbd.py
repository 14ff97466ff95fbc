"""SUN RGB-D's annotations: photographs with oriented 3D boxes of named things.

Read from the toolbox's metadata (SUNRGBDMeta3DBB_v2.mat, MATLAB 5 to 7.2) or from the same fields as JSON lines:

    {"image": "kv1/.../0001.jpg", "K": 3x3, "Rtilt": 3x3, "width": W, "height": H,
     "objects": [{"classname": ..., "centroid": [3], "coeffs": [3], "basis": 3x3, "orientation": [3], "box": [x, y, w, h]}]}

Its frame: the camera at the origin, x right, y ahead, z up; `basis` rows are a box's axes, `coeffs` half its edges,
`orientation` the ground direction of its front. `Rtilt` takes the tilted camera's (right, ahead, up) into that frame.
`box`, width and height may lack: a missing box is the outline of the projected 3D box.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from po3d.io.errors import InputError
from po3d.io.files import read_json, read_jsonl
from po3d.scene.geometry import BOX_SIGNS, Array

META = "SUNRGBDMeta"
Box = tuple[float, float, float, float]  # x0, y0, x1, y1 in pixels


@dataclass(frozen=True)
class Thing:
    """One annotated thing."""

    name: str
    centroid: tuple[float, float, float]  # metres
    half: tuple[float, float, float]  # of its edges
    basis: tuple[tuple[float, ...], ...]  # (3, 3), rows
    front: tuple[float, float]  # ground direction (right, ahead)
    box: Box | None = None


@dataclass(frozen=True)
class Photograph:
    """One image with its things."""

    image: str
    K: Array  # (3, 3)
    tilt: Array  # (3, 3)
    things: tuple[Thing, ...]
    size: tuple[int, int] | None = None  # width, height

    def outline(self, thing: Thing) -> Box | None:
        """The box around a thing in the image: the annotated one, else that of its corners; None when it reaches behind
        the camera. Not clipped to the image."""
        if thing.box is not None:
            return thing.box
        signs = (BOX_SIGNS - [0, 0, 0.5]) * 2
        corners = np.array(thing.centroid) + (signs * np.array(thing.half)) @ np.array(thing.basis)
        right, ahead, up = (corners @ self.tilt).T  # the tilt undone
        if ahead.min() <= 1e-3:
            return None
        pixels = np.stack([right, -up, ahead], -1) @ self.K.T
        u, v = (pixels[:, :2] / pixels[:, 2:]).T
        return float(u.min()), float(v.min()), float(u.max()), float(v.max())


def read_annotations(path: str | Path) -> Iterator[Photograph]:
    """The photographs of a .mat or .jsonl file, or of a folder of poses; InputError says which record is wrong."""
    path = Path(path)
    if path.is_dir():
        yield from _posed(path)
        return
    records = _mat_records(path) if path.suffix == ".mat" else read_jsonl(path, "annotations")
    for k, record in enumerate(records):
        try:
            yield _photograph(record)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{path}, photograph {k}: malformed ({type(error).__name__}: {error})") from None


def _posed(folder: Path) -> Iterator[Photograph]:
    """Pictures with a JSON file of poses each, as sets like Objectron's can be written: see docs/pose_real.md."""
    files = sorted(path for path in folder.rglob("*.json"))
    if not files:
        raise InputError(f"{folder} holds no .json files with poses")
    camera_R = np.array(
        [[1, 0, 0], [0, 0, 1], [0, -1, 0]], float
    )  # (right, down, ahead) to (right, ahead, up)
    for path in files:
        record = read_json(path, "poses")
        try:
            objects = [
                {
                    "classname": o["name"],
                    "centroid": camera_R @ np.array(o["translation"], float).reshape(3),
                    "coeffs": np.array(o["size"], float).reshape(3) / 2,
                    "basis": (camera_R @ np.array(o["rotation"], float).reshape(3, 3)).T,
                    "orientation": (camera_R @ np.array(o["rotation"], float).reshape(3, 3))[:, 0],
                }
                for o in record["objects"]
            ]
            image = (path.parent / record["image"]).relative_to(folder).as_posix()
            yield _photograph({"image": image, "K": record["K"], "Rtilt": np.eye(3), "objects": objects})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{path}: malformed poses ({type(error).__name__}: {error})") from None


def _photograph(record: Mapping) -> Photograph:
    size = (int(record["width"]), int(record["height"])) if record.get("width") else None
    K, tilt = (np.array(record[name], float).reshape(3, 3) for name in ("K", "Rtilt"))
    return Photograph(str(record["image"]), K, tilt, tuple(_thing(o) for o in record["objects"]), size)


def _thing(record: Mapping) -> Thing:
    half = np.abs(np.array(record["coeffs"], float)).reshape(3)
    basis = np.array(record["basis"], float).reshape(3, 3)
    x, y = np.array(record["orientation"], float).reshape(-1)[:2]
    if not np.isfinite([x, y]).all() or np.hypot(x, y) < 1e-9:
        raise ValueError(f"orientation {record['orientation']} points nowhere")
    box = record.get("box")
    if box is not None:
        left, top, width, height = (float(v) for v in box)
        box = (left, top, left + width, top + height)
    centroid = np.array(record["centroid"], float).reshape(3)
    return Thing(
        str(record["classname"]),
        tuple(centroid.tolist()),
        tuple(half.tolist()),
        tuple(map(tuple, basis.tolist())),
        (float(x), float(y)),
        box,
    )


def _mat_records(path: Path) -> Iterator[dict]:
    from scipy.io import loadmat  # a second to import, and only this file needs it

    if not path.is_file():
        raise InputError(f"annotations not found: {path}")
    try:
        content = loadmat(path, squeeze_me=True, struct_as_record=False, variable_names=[META])
    except NotImplementedError:
        raise InputError(f"{path} is in MATLAB's 7.3 format; save it with -v7") from None
    except Exception as error:  # a damaged file raises whatever zlib, struct and scipy raise
        raise InputError(f"{path} is no readable .mat file ({type(error).__name__}: {error})") from None
    if META not in content:
        raise InputError(f"{path} holds no {META}")
    for entry in np.atleast_1d(content[META]):
        found = np.atleast_1d(getattr(entry, "groundtruth3DBB", []))
        image = Path(getattr(entry, "sequenceName", "")) / "image" / str(entry.rgbname)
        yield {
            "image": image.as_posix().removeprefix("SUNRGBD/"),
            "K": entry.K,
            "Rtilt": entry.Rtilt,
            "objects": [
                {
                    name: getattr(o, name)
                    for name in ("classname", "centroid", "coeffs", "basis", "orientation")
                }
                for o in found
            ],
        }
