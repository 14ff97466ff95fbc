"""Splits of street scenes (PulseCheck457 and Super-CLEVR): questions, images, and Super-CLEVR scene
records.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.splits import QuestionSplit, existing, first_file
from po3d.benchmarks.superclevr.files import read_scenes, scene_from_superclevr
from po3d.benchmarks.twin_folder import TWIN
from po3d.io.errors import InputError
from po3d.io.images import image_size, read_image
from po3d.io.runs import locked
from po3d.scene.street import shape_note
from po3d.scene.table import Scene
from po3d.synthesis.difficulty import difficulty_of


class Source(Protocol):
    """Provides images and scene records, stored or rendered."""

    def image(self, name: str) -> NDArray[np.uint8]: ...

    def record(self, name: str) -> Mapping | None: ...

    def size(self, name: str) -> tuple[int, int] | None:
        """Return (width, height) of an image; None if it is unreadable, or not stored."""
        ...

    def files(self, names: Iterable[str]) -> list[Path]:
        """Return the existing files that the named images and their records are read from."""
        ...


@dataclass(frozen=True)
class StreetSplit(QuestionSplit):
    """A split of street scenes."""

    source: Source
    read: tuple[Path, ...] = ()  # the question files
    remarks: tuple[str, ...] = ()  # notes on these files
    scene_file: str = "superCLEVR_scenes.json"  # the release's file of true scenes
    _scenes: dict[str, Scene] = field(default_factory=dict, repr=False)

    def image(self, name: str) -> NDArray[np.uint8]:
        """Return (H, W, 3) pixels, read or rendered on demand."""
        return self.source.image(name)

    def truth(self, name: str) -> Scene:
        """Return the ground-truth scene; raise InputError if the split has none."""
        if name not in self._scenes:
            record = self.source.record(name)
            if record is None:
                where = f"only twins and releases with {self.scene_file} have"
                raise InputError(f"{self.split} has no true scene of {name!r}: {where}")
            self._scenes[name] = replace(scene_from_superclevr(record), image=name)
        return self._scenes[name]

    def hidden(self, name: str) -> list[float] | None:
        """Return the occluded fraction of each true object; None if it is not stored."""
        stored = (self.source.record(name) or {}).get("po3d", {}).get("visible_fractions")
        return None if stored is None else [1 - v for v in stored]

    def files(self) -> list[Path]:
        """Return the existing files of questions, images and scenes."""
        return list(dict.fromkeys([*self.read, *self.source.files(self.images)]))

    def notes(self) -> list[str]:
        """Return notes on this split: missing or skipped files, and images of another aspect ratio
        than the benchmark's."""
        sizes = []
        for name in self.images:
            if size := self.source.size(name):
                sizes.append((name, size))
        note = shape_note(sizes)
        return [*self.remarks, *([note] if note else [])]


class Folder:
    """Images in images/ or beside the questions, and optionally a scene file with one of these
    names."""

    def __init__(self, root: Path, scene_files: Sequence[str]) -> None:
        self.root, self.scene_files = root, scene_files
        self._records: dict[str, Mapping] | None = None

    def image(self, name: str) -> NDArray[np.uint8]:
        return read_image(self.path(name))

    def size(self, name: str) -> tuple[int, int] | None:
        return image_size(self.path(name))

    def files(self, names: Iterable[str]) -> list[Path]:
        paths = [self._scene_file(), self.root / TWIN]
        for name in names:
            paths += [self.path(name), self._alone(name)]
        return existing(paths)

    def path(self, name: str) -> Path:
        """Return the path of an image, whether or not it exists."""
        path = self.root / "images" / name
        # question files keep the .png names even if the images were converted to JPEG
        others = map(path.with_suffix, (".jpg", ".png", ".webp"))
        return first_file([path, *others, self.root / name]) or path

    def record(self, name: str) -> Mapping | None:
        if self._records is None:
            path = self._scene_file()
            self._records = {}
            for record in [] if path is None else read_scenes(path):
                self._records[Path(str(record.get("image_filename"))).stem] = record
        record, alone = self._records.get(Path(name).stem), self._alone(name)
        return read_scenes(alone)[0] if record is None and alone.is_file() else record

    def _alone(self, name: str) -> Path:
        """Return the path of the scene file of a single image, whether or not it exists."""
        return self.root / f"{Path(name).stem}.json"

    def _scene_file(self) -> Path | None:
        return first_file(map(self.root.joinpath, self.scene_files))


def twin_of(
    module: str, load: Callable[[Path], StreetSplit], scene_file: str = ""
) -> tuple[Callable[..., StreetSplit], Callable[..., None]]:
    """Return `open_fresh` and `generate` for a twin of street scenes.

    `module` is the name of the twin's module, imported on first use; `load` reads its folder;
    `scene_file` is the name of its scene file there, "" where a release stores them.
    """

    def open_fresh(
        folder: str | Path,
        size: int,
        seed: int,
        look: str | None = None,
        workers: int = 1,
        difficulty: Mapping[str, Any] | None = None,
    ) -> StreetSplit:
        from po3d.benchmarks.street_twin import StreetTwin, UnsavedTwin

        maker = importlib.import_module(module)
        options = {"images": False, "difficulty": difficulty_of(difficulty)}
        twin = StreetTwin(size, seed, look or maker.LOOK, **options)
        with locked(folder, "generation", wait=True):
            maker.generate(Path(folder), twin, workers)
        records = read_scenes(Path(folder) / scene_file)
        source = UnsavedTwin(twin, {record["image_filename"]: record for record in records})
        split = load(folder)  # images may be missing: they are rendered on demand
        return replace(split, split=f"fresh, seed {seed}", source=source, read=tuple(split.files()))

    def generate(
        out: str | Path,
        size: int,
        seed: int = 0,
        look: str | None = None,
        images: bool = True,
        workers: int = 1,
        split: str = "test",
        skies: str | None = None,
        difficulty: Mapping[str, Any] | None = None,
        drawing: Mapping[str, Any] | None = None,
    ) -> None:
        from po3d.benchmarks.street_twin import StreetTwin
        from po3d.synthesis.street.drawing import drawing_of

        maker, drawing_options = importlib.import_module(module), drawing_of(drawing)
        look = look or maker.LOOK
        twin = StreetTwin(
            size, seed, look, images, split, skies, difficulty_of(difficulty), drawing_options
        )
        maker.generate(Path(out), twin, workers)

    return open_fresh, generate
