"""Official vehicle models, read from a user's own checkout of the official generators; po3d does
not ship them.

Two layouts are supported, at any depth below the folder: Super-CLEVR's CATEGORY_SHAPE.blend, whose
materials name the parts (SHAPE.PART.MATERIAL.WORD), and CGPart's SHAPE/object.obj with one
COLOR.mtl per colour. A .blend is preferred for toys of one colour, a material file for painted
vehicles. Files are not trusted: scripts in a .blend are not run, sizes are limited, and a damaged
file raises a one-line error.

An .obj does not name parts. The parts that Super-CLEVR recolours are cut out by their approximate
position (regions.csv: ranges in lengths, widths and heights of the box; if `side_low` is 0, the
absolute value of the side is used).
"""

import functools
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import trimesh
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.io.files import rows_beside
from po3d.scene.vocabulary import COLORS, EXTENTS, PARENT, SHAPES
from po3d.synthesis.render.blender import open_blender
from po3d.synthesis.render.environment import RGB
from po3d.synthesis.shapes.mesh import Mesh, assemble

Array = NDArray[np.float64]

MOST_BYTES = 300_000_000  # bytes per file
MOST_TRIANGLES = 2_000_000
MOST_MATERIALS = 400  # per file
MOST_PARTS = 60  # per mesh; the materials of smallest surface are merged
CLEAR = 0.9  # a material with lower opacity is glass
SIZE_TOLERANCE = 0.03  # relative tolerance of a box against the table
# relative to the box; corners closer than this are identical when searching for duplicate faces
SAME = 1e-5


class Material(NamedTuple):
    part: str  # "" if the file does not name it
    color: RGB  # linear RGB
    clear: bool
    painted: bool  # takes the vehicle's colour in the coloured files


class Soup(NamedTuple):
    """A vehicle as read: x forward, y left, z up, with arbitrary origin and unit."""

    points: Array  # (V, 3)
    triangles: NDArray[np.int64]  # (F, 3)
    material: NDArray[np.int64]  # (F,)
    materials: tuple[Material, ...]


OfficialVehicle = tuple[Mesh, dict[str, RGB]]  # with the colours of parts that keep their own


class OfficialVehicles:
    """The official models of the 21 types found in a folder."""

    def __init__(self, folder: str | Path, python: str = "") -> None:
        """`python`: an interpreter with bpy, for .blend files."""
        self.folder, self.python = Path(folder), python
        if not self.folder.is_dir():
            raise InputError(f"vehicles={folder} is not a folder")
        self.blends: dict[str, Path] = {}
        self.objects: dict[str, Path] = {}
        for path in sorted(self.folder.rglob("*.blend")):
            shape = path.stem.rpartition("_")[2]
            if shape in SHAPES:
                self.blends.setdefault(shape, path)
        for path in sorted(self.folder.rglob("object.obj")):
            if path.parent.name in SHAPES:
                self.objects.setdefault(path.parent.name, path)
        if not self.shapes:
            raise InputError(
                f"{folder} contains no vehicles: neither CATEGORY_SHAPE.blend nor SHAPE/object.obj"
            )
        self.get = functools.lru_cache(maxsize=None)(self._get)

    @property
    def shapes(self) -> tuple[str, ...]:
        """Return the types found."""
        return tuple(s for s in SHAPES if s in self.blends or s in self.objects)

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(s for s in SHAPES if s not in self.shapes)

    def _get(self, shape: str, toy: bool) -> OfficialVehicle | None:
        """Return the vehicle at unit scale, centred like our own models; None if the folder lacks
        it. A `toy` has one colour and recolourable parts; otherwise, parts that are not painted
        keep their colours.
        """
        first, second = (self.blends, self.objects) if toy else (self.objects, self.blends)
        path = first.get(shape) or second.get(shape)
        if path is None:
            return None
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB")
        soup = _read_blend(path, self.python) if path.suffix == ".blend" else _read_object(path)
        if len(soup.triangles) > MOST_TRIANGLES:
            raise InputError(f"{path} has more than {MOST_TRIANGLES} triangles")
        soup = _once(_facing(soup, shape, path))
        return _toy(soup, shape) if toy else _painted(soup, shape)


@functools.cache
def opened(folder: str, python: str = "") -> OfficialVehicles:
    """Return the official vehicles of a folder, cached per process."""
    return OfficialVehicles(folder, python)


# --- files ----------------------------------------------------------------------------------------


def _read_blend(path: Path, python: str) -> Soup:
    with tempfile.TemporaryDirectory(prefix="po3d-blend-") as folder:
        out = Path(folder) / "mesh"
        try:
            mesh_data = open_blender(python).ask(
                {"do": "read", "file": str(path.resolve()), "out": str(out), "most": MOST_TRIANGLES}
            )
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        data = out.read_bytes()
    count, faces = mesh_data["vertices"], mesh_data["triangles"]
    if not faces:
        raise InputError(f"{path} contains no mesh")
    points = np.frombuffer(data, "<f4", 3 * count).reshape(-1, 3).astype(float)
    triangles = np.frombuffer(data, "<i4", 3 * faces, 12 * count).reshape(-1, 3).astype(int)
    numbers = np.frombuffer(data, "<i4", faces, 12 * (count + faces)).astype(int)
    materials = []
    for m in mesh_data["materials"]:
        words = m["name"].split(".")
        part = words[1] if len(words) >= 4 and words[0] in SHAPES else ""
        materials.append(Material(part, tuple(m["color"]), m["clear"], not m["clear"]))
    return Soup(
        np.c_[points[:, 1], -points[:, 0], points[:, 2]], triangles, numbers, tuple(materials)
    )


def _read_object(path: Path) -> Soup:
    points: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    numbers: list[int] = []
    names: dict[str, int] = {}
    current = names.setdefault("", 0)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                kind, _, rest = line.partition(" ")
                if kind == "v":
                    points.append(list(map(float, rest.split()[:3])))
                elif kind == "usemtl":
                    current = names.setdefault(_base(rest.strip()), len(names))
                elif kind == "f":
                    corners = []
                    for word in rest.split():
                        c = int(word.partition("/")[0])
                        corners.append(c - 1 if c > 0 else len(points) + c)
                    for k in range(1, len(corners) - 1):
                        triangles.append((corners[0], corners[k], corners[k + 1]))
                        numbers.append(current)
                    if len(triangles) > MOST_TRIANGLES or len(names) > MOST_MATERIALS:
                        raise InputError(f"{path} has too many triangles or materials")
        v, faces = np.array(points, float).reshape(-1, 3), np.array(triangles, int).reshape(-1, 3)
        if not len(faces) or faces.min() < 0 or faces.max() >= len(v) or not np.isfinite(v).all():
            raise ValueError("no faces, or faces with missing vertices")
    except (ValueError, OSError) as error:
        raise InputError(f"{path} is not a readable .obj file ({error})") from None
    known = {color: _read_materials(path.with_name(f"{color}.mtl")) for color in COLORS}
    materials = [_among(name, list(filter(None, known.values()))) for name in names]
    if not any(materials[k].painted for k in set(numbers)):  # the texture images are not available
        materials = [m._replace(painted=not m.clear) for m in materials]
    return Soup(np.c_[-v[:, 2], -v[:, 0], v[:, 1]], faces, np.array(numbers), tuple(materials))


def _base(name: str) -> str:
    """Strip the number that Blender appends to copies from a material's name."""
    return re.sub(r"\.\d{3}$", "", name)


def _read_materials(path: Path) -> dict[str, tuple[RGB, float]]:
    """Read material -> (colour, opacity); empty if the file does not exist."""
    if not path.is_file():
        return {}
    materials: dict[str, tuple[RGB, float]] = {}
    name = ""
    try:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            kind, _, rest = line.strip().partition(" ")
            if kind == "newmtl":
                name = _base(rest.strip())
                materials[name] = (0.8, 0.8, 0.8), 1.0
            elif kind == "Kd" and name:
                r, g, b = map(float, rest.split()[:3])
                materials[name] = (r, g, b), materials[name][1]
            elif kind == "d" and name:
                materials[name] = materials[name][0], float(rest.split()[0])
    except (ValueError, IndexError) as error:
        raise InputError(f"{path} is not a readable .mtl file ({error})") from None
    return materials


def _among(name: str, files: Sequence[dict[str, tuple[RGB, float]]]) -> Material:
    """Return the material `name`, given the materials of each file in which a vehicle is stored in
    another colour. It is the vehicle's paint if its colour differs between the files, or if no file
    has it, and glass if it is transparent.
    """
    entries = [file[name] for file in files if name in file]
    if not entries:
        return Material("", (0.8, 0.8, 0.8), False, True)
    colors = np.array([color for color, _ in entries])
    clear = entries[0][1] < CLEAR
    return Material(
        "", entries[0][0], clear, not clear and bool(np.ptp(colors, axis=0).max() > 0.02)
    )


# --- meshes ---------------------------------------------------------------------------------------


def _facing(soup: Soup, shape: str, path: Path) -> Soup:
    """Rotate the vehicle to face +x; bicycles are stored sideways. Raise InputError if the box does
    not match the table.
    """
    points = soup.points[np.unique(soup.triangles)]
    box, wanted = np.ptp(points, axis=0), np.array(EXTENTS[shape])
    if PARENT[shape] == "bicycle" and box[1] > box[0]:
        soup = soup._replace(points=np.c_[-soup.points[:, 1], soup.points[:, 0], soup.points[:, 2]])
        box = box[[1, 0, 2]]
    unit = box / box.max() * wanted.max()
    if np.abs(unit / wanted - 1).max() > SIZE_TOLERANCE:
        form = "{:.3f} x {:.3f} x {:.3f}".format
        raise InputError(f"{path}: its box is {form(*unit)}, a {shape}'s is {form(*wanted)}")
    return soup


def _once(soup: Soup) -> Soup:
    """Remove duplicate faces: prefer painted, then named, then opaque ones."""
    _, point = np.unique(
        np.round(soup.points / np.ptp(soup.points) / SAME), axis=0, return_inverse=True
    )
    keys = np.sort(point.reshape(-1)[soup.triangles], axis=1)
    value = np.array([4 * m.painted + 2 * bool(m.part) + (not m.clear) for m in soup.materials])
    order = np.argsort(-value[soup.material], kind="stable")
    _, first = np.unique(keys[order], axis=0, return_index=True)
    keep = np.sort(order[first])
    return soup._replace(triangles=soup.triangles[keep], material=soup.material[keep])


def _toy(soup: Soup, shape: str) -> OfficialVehicle:
    parts, see_through, named = [], [], False
    for m in soup.materials:
        parts.append(m.part or "frame")
        see_through.append(m.clear)
        named |= bool(m.part)
    names = np.array(parts, object)[soup.material]
    clear = np.array(see_through)[soup.material]
    if not named:
        names = _regions(soup, shape, names)
    return _assembled(soup, shape, names, np.where(clear, "glass", "paint")), {}


def _regions(soup: Soup, shape: str, names: NDArray) -> NDArray:
    low, size = soup.points.min(0), np.ptp(soup.points, axis=0)
    middle = (soup.points[soup.triangles].mean(1) - low) / size - (0.5, 0.5, 0.0)
    names = names.copy()
    for row in _region_table(PARENT[shape]):
        ahead, side, up = middle[:, 0], middle[:, 1], middle[:, 2]
        side = np.abs(side) if row["side_low"] == "0" else side
        inside = names == "frame"
        for value, axis in ((ahead, "ahead"), (side, "side"), (up, "up")):
            inside = (
                inside
                & (value >= float(row[f"{axis}_low"]))
                & (value <= float(row[f"{axis}_high"]))
            )
        names[inside] = row["part"]
    return names


@functools.cache
def _region_table(category: str) -> list[dict[str, str]]:
    return [row for row in rows_beside(__file__, "regions.csv") if row["category"] == category]


def _painted(soup: Soup, shape: str) -> OfficialVehicle:
    area = np.zeros(len(soup.materials))
    corners = soup.points[soup.triangles]
    faces = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    np.add.at(area, soup.material, faces)
    order = np.argsort(-area)[:MOST_PARTS]
    unpainted = {}
    for k in order.tolist():
        if not soup.materials[k].painted:
            unpainted[k] = f"material_{k}"
    parts, stuffs = [], []
    for k, m in enumerate(soup.materials):
        parts.append("body" if m.painted else unpainted.get(k, "rest"))
        stuffs.append("paint" if m.painted else "glass" if m.clear else "dark")
    names, stuff = np.array(parts, object), np.array(stuffs)
    mesh = _assembled(soup, shape, names[soup.material], stuff[soup.material])
    colors = {}
    for k, name in unpainted.items():
        if not soup.materials[k].clear:
            colors[name] = soup.materials[k].color
    parts = {part.name for part in mesh.parts}
    return mesh, {name: color for name, color in colors.items() if name in parts}


def _assembled(soup: Soup, shape: str, names: NDArray, stuff: NDArray) -> Mesh:
    pieces = []
    for name, material in sorted(set(zip(names, stuff))):
        faces = soup.triangles[(names == name) & (stuff == material)]
        pieces.append((name, material, trimesh.Trimesh(soup.points, faces, process=False)))
        pieces[-1][2].remove_unreferenced_vertices()
    return assemble(pieces, EXTENTS[shape])
