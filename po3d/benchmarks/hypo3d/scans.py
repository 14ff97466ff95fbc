"""Hypo3D's rooms from the annotated scans of ScanNet, 3RScan and EmbodiedScan.

  scannet_scene(folder)        ScanNet: <id>_vh_clean_2.ply, <id>_vh_clean_2.0.010000.segs.json,
                               <id>.aggregation.json and <id>.txt, as listed in the ScanNet readme
  rscan_scene(path, scene_id)  3RScan: semseg.v2.json, oriented boxes
  embodiedscan_scenes(path)    EmbodiedScan: embodiedscan_infos_{train,val}.pkl, 9 numbers per box
  read_scan(path)              any of these, or a folder of them

Boxes are converted to scenes by `po3d.benchmarks.hypo3d.scan_boxes`. Names are the annotators'
labels in lower case. Only ScanNet has colours.
"""

import math
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.hypo3d.inert_pickle import read_pickle
from po3d.benchmarks.hypo3d.scan_boxes import InstanceBox, box, color_name, numbers, room
from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.scene.geometry import Array
from po3d.scene.table import Scene

__all__ = ["embodiedscan_scenes", "read_scan", "rscan_scene", "scannet_scene"]

MESH, SEGMENTS = "_vh_clean_2.ply", "_vh_clean_2.0.010000.segs.json"
AGGREGATION = ".aggregation.json"
BOXES = "semseg.v2.json"
EXPECTED = (
    f"a ScanNet folder (<id>{MESH}), a 3RScan folder ({BOXES}), an EmbodiedScan .pkl, or a folder"
    " of them"
)
ROBUST = (1, 99)  # percentiles of an instance's vertices that its box spans, to exclude outliers
MAX_VERTICES = 20_000_000  # ScanNet's decimated meshes have about 1e5
MAX_JSON = 512 * 2**20  # bytes
MAX_HEADER = 200  # lines, and bytes per line


def read_scan(path: str | Path, only: Collection[str] | None = None) -> dict[str, Scene]:
    """Return scene id -> ground truth from a scene's folder or file, or from a folder of scene
    folders and info files.

    A scene folder takes precedence over an info file. `only`: the scene ids wanted; others may not
    be read. Raise InputError if there is no scan.
    """
    path = Path(path)
    if path.is_file() and path.suffix == ".pkl":
        return _selected(embodiedscan_scenes(path), only)
    if path.is_file() and path.suffix == ".json":
        return _selected({_name(path.parent): rscan_scene(path, _name(path.parent))}, only)
    if not path.exists():
        raise InputError(f"scan not found: {path}; expected {EXPECTED}")
    scenes = _selected(_scene_of(path), only)
    if scenes is None and path.is_dir():
        for child in sorted(path.iterdir(), key=lambda p: (p.is_file(), p)):
            loaded = None
            if child.is_file() and child.suffix == ".pkl":
                loaded = _selected(embodiedscan_scenes(child), only)
            elif child.is_dir():
                loaded = _scene_of(child) if only is None or child.name in only else {}
            if loaded is not None:
                scenes = loaded | (scenes or {})
    if scenes is None:
        raise InputError(f"no scan in {path}; expected {EXPECTED}")
    return scenes


def _scene_of(folder: Path) -> dict[str, Scene] | None:
    """Return the scene of a scene folder; None if it is not one."""
    if folder.is_dir() and any(folder.glob(f"*{MESH}")):
        scene = scannet_scene(folder)
        return {scene.image: scene}
    if (folder / BOXES).is_file():
        return {_name(folder): rscan_scene(folder / BOXES, _name(folder))}
    return None


def _selected(
    scenes: dict[str, Scene] | None, only: Collection[str] | None
) -> dict[str, Scene] | None:
    if scenes is None or only is None:
        return scenes
    return {scene_id: scene for scene_id, scene in scenes.items() if scene_id in only}


def _name(folder: Path) -> str:
    return folder.resolve().name


def _json(path: Path, what: str) -> dict:
    """Read a JSON object; raise InputError if the file has none or is larger than MAX_JSON."""
    if path.is_file() and path.stat().st_size > MAX_JSON:
        raise InputError(f"{what} {path} is larger than the limit of {MAX_JSON >> 20} MiB")
    content = read_json(path, what)
    if not isinstance(content, dict):
        raise InputError(f"{what} {path} should contain a JSON object")
    return content


def _groups(content: dict, what: str, path: Path) -> Iterator[tuple[str, dict]]:
    """Yield location and record of each of 'segGroups'."""
    groups = content.get("segGroups")
    if not isinstance(groups, list):
        raise InputError(f"{what} {path}: 'segGroups' should be a list of instances")
    for k, group in enumerate(groups):
        where = f"{what} {path}, segGroups[{k}]"
        if not isinstance(group, dict) or not isinstance(group.get("label"), str):
            raise InputError(f"{where}: 'label' should be a string")
        yield where, group


# --- ScanNet --------------------------------------------------------------------------------------


def scannet_scene(folder: str | Path) -> Scene:
    """Return the room of a ScanNet scene folder, in its axis-aligned frame (<id>.txt); `image` is
    the id of its files.

    An instance is the axis-aligned box from the 1st to the 99th percentile of its vertices;
    instances without vertices are omitted. If the mesh has colours, an instance's colour is the
    name nearest to their mean (scan_boxes.color_name). Floor level is the median height of the
    floor's vertices. An InputError names the file and the missing field.
    """
    folder = Path(folder)
    meshes = sorted(folder.glob(f"*{MESH}"))
    if len(meshes) != 1:
        raise InputError(f"{folder} should contain one mesh <id>{MESH}, not {len(meshes)}")
    scene_id = meshes[0].name.removesuffix(MESH)
    points, colors = _vertices(meshes[0])
    align = _axis_alignment(folder / f"{scene_id}.txt")
    points = points @ align[:3, :3].T + align[:3, 3]
    path = folder / f"{scene_id}{SEGMENTS}"
    stored = _json(path, "segment file").get("segIndices")
    segments = _integers(stored, f"segment file {path}: 'segIndices'")
    if len(segments) != len(points):
        counts = f"{len(segments)} entries, but the mesh has {len(points)} vertices"
        raise InputError(f"segment file {path}: 'segIndices' has {counts}")
    path = folder / f"{scene_id}{AGGREGATION}"
    if not path.is_file() and (other := folder / f"{scene_id}_vh_clean{AGGREGATION}").is_file():
        path = other
    content = _json(path, "aggregation file")
    if str(content.get("segmentsFile", "")).endswith("_vh_clean.segs.json"):
        problem = "its 'segmentsFile' refers to the full mesh"
        raise InputError(f"aggregation file {path}: {problem}; required: {scene_id}{AGGREGATION}")
    boxes = []
    for where, group in _groups(content, "aggregation file", path):
        mine = np.isin(segments, _integers(group.get("segments"), f"{where}: 'segments'"))
        if mine.any():
            own_colors = None if colors is None else colors[mine]
            boxes.append(_instance(group["label"], points[mine], own_colors))
    if not boxes:
        raise InputError(f"aggregation file {path}: no vertex of the mesh is in any of 'segGroups'")
    return room(scene_id, boxes)


def _instance(label: str, points: Array, colors: Array | None) -> InstanceBox:
    """Return the box of an instance's vertices (n, 3), with the name of their mean sRGB value
    (`colors` (n, 3))."""
    label = " ".join(label.lower().split())
    low, high = np.percentile(points, ROBUST, axis=0)
    if label == "floor":
        low[2] = high[2] = np.median(points[:, 2])
    word = None if colors is None else color_name(colors.mean(0, dtype=float))
    return InstanceBox(label, (low + high) / 2, np.eye(3), high - low, word)


def _axis_alignment(path: Path) -> Array:
    """Read (4, 4) `axisAlignment` from a scene's text file, 16 numbers in row order:
    aligned_T_scan."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"scan info {path} is missing or not a text file") from None
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip() == "axisAlignment":
            try:
                values = list(map(float, value.split()))
            except ValueError:
                values = []
            matrix = numbers(values, 16, f"scan info {path}", "'axisAlignment'").reshape(4, 4)
            turn, last = matrix[:3, :3], matrix[3] - (0, 0, 0, 1)
            if np.abs(turn @ turn.T - np.eye(3)).max() > 0.02 or np.abs(last).max() > 1e-3:
                raise InputError(f"scan info {path}: 'axisAlignment' is not a rigid transform")
            return matrix
    raise InputError(
        f"scan info {path}: the field 'axisAlignment' is missing (ScanNet's test scans have none)"
    )


def _integers(values: object, what: str) -> NDArray[np.int64]:
    """Convert a JSON list of integers to (n,)."""
    try:
        array = np.asarray(values if isinstance(values, list) else None)
    except ValueError:  # a ragged list
        array = np.asarray(None)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InputError(f"{what} should be a list of integers")
    return array.astype(np.int64)


# --- PLY ------------------------------------------------------------------------------------------

_PLY_NAMES = (
    ("char", "uchar", "short", "ushort", "int", "uint", "float", "double"),
    ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"),
)
_PLY_CODES = ("<i1", "<u1", "<i2", "<u2", "<i4", "<u4", "<f4", "<f8")
_PLY_TYPES = dict(zip(_PLY_NAMES[0] + _PLY_NAMES[1], _PLY_CODES * 2, strict=True))


def _vertices(path: Path) -> tuple[Array, NDArray[np.uint8] | None]:
    """Read (n, 3) points and (n, 3) sRGB values (or None) of a binary little-endian PLY; faces are
    skipped."""
    try:
        with open(path, "rb") as file:
            count, layout = _ply_header(file, path)
            left = os.fstat(file.fileno()).st_size - file.tell()
            if count * layout.itemsize > left:
                problem = f"{count} vertices do not fit into its last {left} bytes"
                raise InputError(f"mesh {path} is truncated: {problem}")
            rows = np.fromfile(file, layout, count)
    except OSError as error:
        raise InputError(f"mesh {path} cannot be read ({error.strerror})") from None
    points = np.stack([rows[axis] for axis in "xyz"], -1).astype(float)
    if not np.isfinite(points).all() or np.abs(points).max(initial=0.0) > 1e6:
        problem = "a vertex has a coordinate that is not finite or exceeds 1,000,000"
        raise InputError(f"mesh {path}: {problem}")
    channels = []
    for color in ("red", "green", "blue"):
        if color not in layout.names or layout[color] != np.uint8:
            return points, None
        channels.append(rows[color])
    return points, np.stack(channels, -1)


def _ply_header(file: BinaryIO, path: Path) -> tuple[int, np.dtype]:
    """Return the number of vertices and their layout; raise InputError unless they are the first
    element."""
    lines: list[list[str]] = []
    while len(lines) < MAX_HEADER and (lines[-1:] != [["end_header"]]):
        line = file.readline(MAX_HEADER)
        if not line.endswith(b"\n"):
            break
        lines.append(line.decode("ascii", "replace").split())
    if lines[:1] != [["ply"]] or lines[-1:] != [["end_header"]]:
        raise InputError(f"mesh {path} is not a PLY file")
    if ["format", "binary_little_endian", "1.0"] not in lines:
        raise InputError(f"mesh {path}: its 'format' should be binary_little_endian 1.0")
    starts = [k for k, words in enumerate(lines) if words[:1] == ["element"]]
    if not starts or lines[starts[0]][1:2] != ["vertex"]:
        problem = "the first 'element' of a scan's mesh should be its vertices"
        raise InputError(f"mesh {path}: {problem}")
    end = starts[1] if len(starts) > 1 else len(lines)
    count = lines[starts[0]][2:]
    if len(count) != 1 or not count[0].isdecimal() or not 0 < int(count[0]) <= MAX_VERTICES:
        expected = f"between 1 and {MAX_VERTICES}, not {count[:1]}"
        raise InputError(f"mesh {path}: 'element vertex' should be {expected}")
    layout: dict[str, str] = {}
    scalars = True  # of known types, each once
    for words in lines[starts[0] : end]:
        if words[:1] == ["property"]:
            known = len(words) == 3 and words[1] in _PLY_TYPES and words[2] not in layout
            scalars = scalars and known
            if known:
                layout[words[2]] = _PLY_TYPES[words[1]]
    if not scalars or not {"x", "y", "z"} <= layout.keys():
        expected = "x, y, z, and only scalar properties of known types"
        raise InputError(f"mesh {path}: a vertex should have {expected}")
    return int(count[0]), np.dtype(list(layout.items()))


# --- 3RScan and EmbodiedScan ----------------------------------------------------------------------


def rscan_scene(path: str | Path, scene_id: str) -> Scene:
    """Read the room of a 3RScan semseg.v2.json.

    Each instance has "obb" with "centroid", "axesLengths" and "normalizedAxes" (one axis after the
    other). The world's z is up; the height axis varies between boxes and is the one closest to z.
    """
    path = Path(path)
    boxes = []
    for where, group in _groups(_json(path, "box file"), "box file", path):
        obb = group.get("obb")
        if not isinstance(obb, dict):
            raise InputError(f"{where}: the field 'obb' is missing")
        fields = (obb.get("centroid"), obb.get("normalizedAxes"), obb.get("axesLengths"))
        boxes.append(box(group["label"], *fields, f"{where}, obb"))
    return room(scene_id, boxes)


def embodiedscan_scenes(path: str | Path) -> dict[str, Scene]:
    """Read the rooms of an EmbodiedScan info file, by scene id.

    As in Hypo3D, ids such as "scannet/scene0001_00" and "3rscan/<uuid>" lose their first part;
    Matterport regions keep all parts. A box is its centre, lengths along its own x, y, z, and Euler
    angles about its own Z, X, Y in this order, in radians: axes = columns of Rz @ Rx @ Ry
    (EmbodiedScan, structures/bbox_3d/euler_box3d.py). The pickle is read without executing code.
    """
    path = Path(path)
    content = read_pickle(path, "info file")
    content = content if isinstance(content, dict) else {}
    info, listed = content.get("metainfo"), content.get("data_list")
    categories = info.get("categories") if isinstance(info, dict) else None
    if not isinstance(categories, dict) or not isinstance(listed, list):
        expected = "'metainfo' with 'categories', and the list 'data_list'"
        raise InputError(f"info file {path} should contain {expected}")
    names, scenes = {}, {}
    for name, number in categories.items():
        if isinstance(number, int):
            names[number] = name
    for k, record in enumerate(listed):
        where = f"info file {path}, data_list[{k}]"
        sample = record.get("sample_idx") if isinstance(record, dict) else None
        if not isinstance(sample, str) or not sample:
            expected = "a string such as 'scannet/scene0001_00'"
            raise InputError(f"{where}: 'sample_idx' should be {expected}")
        instances = record.get("instances")
        if not isinstance(instances, list) or not set(map(type, instances)) <= {dict}:
            raise InputError(f"{where} ({sample}): 'instances' should be a list of boxes")
        boxes = []
        for n, instance in enumerate(instances):
            boxes.append(_nine(instance, names, f"{where} ({sample}), instances[{n}]"))
        collection, _, scene_id = sample.partition("/")
        scene_id = scene_id if collection in ("scannet", "3rscan") and scene_id else sample
        if scene_id in scenes:
            raise InputError(f"{where}: the scene {scene_id!r} occurs twice")
        scenes[scene_id] = room(scene_id, boxes)
    return scenes


def _nine(instance: dict, names: dict, where: str) -> InstanceBox:
    label = instance.get("bbox_label_3d")
    if not isinstance(label, int) or label not in names:
        problem = f"{str(label)[:20]!r} is not one of the file's categories"
        raise InputError(f"{where}: 'bbox_label_3d' {problem}")
    values = numbers(instance.get("bbox_3d"), 9, where, "'bbox_3d'")
    (ca, cb, cc), (sa, sb, sc) = map(math.cos, values[6:]), map(math.sin, values[6:])
    z = np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    x = np.array([[1, 0, 0], [0, cb, -sb], [0, sb, cb]])
    y = np.array([[cc, 0, sc], [0, 1, 0], [-sc, 0, cc]])
    return box(names[label], values[:3], (z @ x @ y).T.ravel(), values[3:6], where)
