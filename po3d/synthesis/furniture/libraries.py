"""Third-party meshes: Sweet Home 3D's furniture libraries (.sh3f), read without unpacking to disk.

    .sh3f (a zip) -> catalogue of Entries -> OBJ, MTL and textures of one entry
        -> LibraryMesh (`library_models`): mesh and part colours

The project ships none of them; the Debian package `sweethome3d-furniture` contains 819 models, CC0
or CC-BY-3.0 (published pictures of the latter must name the `creator`). Sweet Home 3D's model axes
are x right, y up and z to the front, as seen by a person facing the object; a LibraryMesh has the
project's axes: x front, y left, z up, metres. Archives, catalogues and OBJ files are not trusted.
"""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from trimesh.resolvers import Resolver

from po3d.io.errors import InputError
from po3d.io.images import FORMATS
from po3d.synthesis.furniture import FOLDER

Array = NDArray[np.float64]

CATALOGUE = "PluginFurnitureCatalog.properties"
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)

MAX_BYTES = 64 * 2**20  # per unpacked zip member; the largest of the package is an OBJ of 9 MB
MAX_TEXTURE = 4096 * 4096  # pixels


@dataclass(frozen=True)
class CatalogueEntry:
    """One entry of a library's catalogue."""

    library: Path
    id: str  # "Scopia#bus": the maker's id, unique over libraries
    name: str
    category: str
    creator: str
    size: tuple[float, float, float]  # cm: width (left to right), depth (back to front), height
    model: str  # zip member of its OBJ
    # (9,) row-major rotation from the OBJ's axes to the model's
    rotation: tuple[float, ...] = IDENTITY


# --- catalogues -----------------------------------------------------------------------------------


def read_catalogues(folder: str | Path = FOLDER) -> dict[str, CatalogueEntry]:
    """Read the entries of all .sh3f libraries in `folder`, by id. Raise InputError if there is none
    or one is damaged.
    """
    libraries = sorted(Path(folder).glob("*.sh3f"))
    if not libraries:
        raise InputError(
            f"no furniture library (*.sh3f) in {folder}: install the Debian package"
            " sweethome3d-furniture"
        )
    return {entry.id: entry for entry in chain.from_iterable(map(read_catalogue, libraries))}


def read_catalogue(library: str | Path) -> tuple[CatalogueEntry, ...]:
    """Read the entries of one .sh3f library. Raise InputError if it is missing, not a zip, or lacks
    a value.
    """
    library = Path(library)
    with opened(library) as archive:
        text = member_bytes(archive, library, CATALOGUE).decode("latin-1")
    text = re.sub(r"\\\r?\n[ \t]*", "", text)  # Java properties: a backslash continues the line
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), text)
    rows: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        field, hash_, number = key.strip().partition("#")
        if equals and hash_ and number and field:
            rows.setdefault(number, {})[field] = value.strip()
    return tuple(_entry(library, number, row) for number, row in rows.items())


def _entry(library: Path, number: str, row: Mapping[str, str]) -> CatalogueEntry:
    try:
        size = tuple(float(row[side]) for side in ("width", "depth", "height"))
        rotation = (
            tuple(map(float, row["modelRotation"].split())) if "modelRotation" in row else IDENTITY
        )
        if len(rotation) != 9 or not np.isfinite(size + rotation).all() or min(size) <= 0:
            raise ValueError(f"size {size}, rotation {rotation}")
        return CatalogueEntry(
            library,
            row.get("id", f"{library.stem}#{number}"),
            row["name"],
            row.get("category", ""),
            row.get("creator", ""),
            size,
            row["model"].lstrip("/"),
            rotation,
        )
    except KeyError as error:
        raise InputError(
            f"furniture library {library}, entry {number}: {error.args[0]} is missing"
        ) from None
    except ValueError as error:
        raise InputError(f"furniture library {library}, entry {number}: {error}") from None


# --- zip members ----------------------------------------------------------------------------------


def opened(library: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(library)
    except FileNotFoundError:
        raise InputError(f"furniture library not found: {library}") from None
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(
            f"furniture library {library} is damaged or not a zip file ({error})"
        ) from None


def member_bytes(archive: zipfile.ZipFile, library: Path, name: str) -> bytes:
    """Return the content of a zip member. Raise InputError if it is missing, damaged or larger than
    MAX_BYTES.
    """
    where = f"furniture library {library}, member {name}"
    try:
        # zipfile unpacks no more than this
        if (size := archive.getinfo(name).file_size) > MAX_BYTES:
            raise InputError(f"{where}: {size} bytes when unpacked, the limit is {MAX_BYTES}")
        return archive.read(name)
    except KeyError:
        raise InputError(f"{where}: not in the library") from None
    except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{where}: damaged or not readable ({error})") from None


class Members(Resolver):
    """Resolver of the files beside an OBJ for trimesh, which ignores files it cannot read: `error`
    keeps the first failure.
    """

    def __init__(self, archive: zipfile.ZipFile, entry: CatalogueEntry) -> None:
        self.archive, self.entry = archive, entry
        self.error: InputError | None = None

    def get(self, name: str) -> bytes:
        """Return a file by its name as written in the OBJ or MTL. Raise OSError for a texture that
        the library lacks.
        """
        entry, texture = self.entry, not name.lower().endswith(".mtl")
        member = posixpath.normpath(
            posixpath.join(posixpath.dirname(entry.model), name.replace("\\", "/"))
        )
        where = f"furniture library {entry.library}, model {entry.model}: {name}"
        try:
            if member.startswith(("/", "..")):
                raise InputError(f"{where} is outside the library")
            if texture and member not in self.archive.namelist():
                raise FileNotFoundError(name)
            data = member_bytes(self.archive, entry.library, member)
            if texture:
                _check_texture(data, where)
            return data
        except InputError as error:
            self.error = self.error or error
            raise

    def keys(self) -> list[str]:
        return self.archive.namelist()

    def write(self, name: str, data: object) -> None:
        raise NotImplementedError("libraries are read-only")

    def namespaced(self, namespace: str) -> "Resolver":
        raise NotImplementedError("libraries have no namespaces")


def _check_texture(data: bytes, where: str) -> None:
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
        if (pixels := image.width * image.height) <= MAX_TEXTURE:
            image.load()
            return
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError):
        raise InputError(f"{where} is not a readable {', '.join(FORMATS)} image") from None
    raise InputError(f"{where} has {pixels} pixels, the limit is {MAX_TEXTURE}")
