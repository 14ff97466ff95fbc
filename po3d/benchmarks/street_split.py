"""Splits of street scenes, PulseCheck457's and Super-CLEVR's: questions, pictures, and Super-CLEVR's scene records."""

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.splits import QuestionSplit
from po3d.benchmarks.superclevr.files import read_scenes, scene_from_superclevr
from po3d.benchmarks.twin_folder import TWIN
from po3d.io.errors import InputError
from po3d.io.images import image_size, read_image
from po3d.io.runs import locked
from po3d.scene.street import shape_note
from po3d.scene.table import Scene
from po3d.synthesis.difficulty import dials_of


class Source(Protocol):
    """Where pictures and true tables come from."""

    def image(self, name: str) -> NDArray[np.uint8]: ...

    def record(self, name: str) -> Mapping | None: ...


@runtime_checkable
class Stored(Source, Protocol):
    """One whose pictures are stored, not rendered."""

    def size(self, name: str) -> tuple[int, int] | None:
        """(width, height) of a picture; None where it can't be told."""
        ...

    def files(self, names: Iterable[str]) -> list[Path]:
        """What the pictures of these names and their tables are read from, as far as it is there."""
        ...


@dataclass(frozen=True)
class Split(QuestionSplit):
    """A split: its questions, and what there is to each of its images."""

    source: Source
    read: tuple[Path, ...] = ()  # the files that the questions come from
    remarks: tuple[str, ...] = ()  # what is to be said of these files
    scene_file: str = "superCLEVR_scenes.json"  # where a release has its true scenes
    _scenes: dict[str, Scene] = field(default_factory=dict, repr=False)

    def image(self, name: str) -> NDArray[np.uint8]:
        """(H, W, 3) pixels, read or rendered now."""
        return self.source.image(name)

    def truth(self, name: str) -> Scene:
        """The true table; InputError when the split has none."""
        if name not in self._scenes:
            record = self.source.record(name)
            if record is None:
                raise InputError(
                    f"{self.split} has no true scene of {name!r}: only the twin and a release with "
                    f"{self.scene_file} have"
                )
            self._scenes[name] = replace(scene_from_superclevr(record), image=name)
        return self._scenes[name]

    def hidden(self, name: str) -> list[float] | None:
        """Of each true object the share that others hide; None where it isn't stored."""
        stored = (self.source.record(name) or {}).get("po3d", {}).get("visible_fractions")
        return None if stored is None else [1 - v for v in stored]

    def files(self) -> list[Path]:
        """What questions, pictures and tables are read from, as far as it is there."""
        stored = self.source.files(self.images) if isinstance(self.source, Stored) else []
        return [*self.read, *(path for path in stored if path not in self.read)]

    def notes(self) -> list[str]:
        """What a reader of figures on this split should know: files that are missing or were not read, and pictures
        that are not of the benchmark's shape."""
        sizes: list[tuple[str, tuple[int, int]]] = []
        if isinstance(self.source, Stored):
            sizes = [(name, size) for name in self.images if (size := self.source.size(name))]
        note = shape_note(sizes)
        return [*self.remarks, *([note] if note else [])]


class Folder:
    """images/, or pictures beside the questions, and, where there is one, a scene file of one of these names."""

    def __init__(self, root: Path, scene_files: Sequence[str]) -> None:
        self.root, self.scene_files = root, scene_files
        self._records: dict[str, Mapping] | None = None

    def image(self, name: str) -> NDArray[np.uint8]:
        return read_image(self.path(name))

    def size(self, name: str) -> tuple[int, int] | None:
        return image_size(self.path(name))

    def files(self, names: Iterable[str]) -> list[Path]:
        own = [path for name in names for path in (self.path(name), self._alone(name))]
        paths = (self._scene_file(), self.root / TWIN, *own)
        return [path for path in paths if path is not None and path.is_file()]

    def path(self, name: str) -> Path:
        """Where a picture is, or should be."""
        path = self.root / "images" / name
        if not path.is_file():  # question files keep the .png names even where the images were packed as JPEG
            others = [*(path.with_suffix(s) for s in (".jpg", ".png", ".webp")), self.root / name]
            path = next((p for p in others if p.is_file()), path)
        return path

    def record(self, name: str) -> Mapping | None:
        if self._records is None:
            path = self._scene_file()
            stored = [] if path is None else read_scenes(path)
            self._records = {Path(str(r.get("image_filename"))).stem: r for r in stored}
        found, alone = self._records.get(Path(name).stem), self._alone(name)
        return read_scenes(alone)[0] if found is None and alone.is_file() else found

    def _alone(self, name: str) -> Path:
        """Where a picture's scene may stand in a file of its own."""
        return self.root / f"{Path(name).stem}.json"

    def _scene_file(self) -> Path | None:
        return next((self.root / f for f in self.scene_files if (self.root / f).is_file()), None)


def twin_of(
    module: str, load: Callable[[Path], Split], scene_file: str = ""
) -> tuple[Callable[..., Split], Callable[..., None]]:
    """`open_fresh` and `generate` of a twin of streets. `module` holds it, loaded when a twin is made; `load` reads its folder, in which
    `scene_file` has its scenes; "" where a release has them."""

    def open_fresh(
        folder: str | Path,
        size: int,
        seed: int,
        look: str | None = None,
        workers: int = 1,
        dials: Mapping[str, Any] | None = None,
    ) -> Split:
        from po3d.benchmarks.street_twin import StreetTwin, Tables

        maker = importlib.import_module(module)
        twin = StreetTwin(size, seed, look or maker.LOOK, images=False, dials=dials_of(dials))
        with locked(folder, "generation", wait=True):
            maker.generate(Path(folder), twin, workers)
        source = Tables(twin, {r["image_filename"]: r for r in read_scenes(Path(folder) / scene_file)})
        made = load(folder)  # its pictures may be missing: they are rendered
        return replace(made, split=f"fresh, seed {seed}", source=source, read=tuple(made.files()))

    def generate(
        out: str | Path,
        size: int,
        seed: int = 0,
        look: str | None = None,
        images: bool = True,
        workers: int = 1,
        split: str = "test",
        skies: str | None = None,
        dials: Mapping[str, Any] | None = None,
        drawing: Mapping[str, Any] | None = None,
    ) -> None:
        from po3d.benchmarks.street_twin import StreetTwin
        from po3d.synthesis.street.drawing import drawing_of

        maker, how = importlib.import_module(module), drawing_of(drawing)
        look = look or maker.LOOK
        twin = StreetTwin(size, seed, look, images, split, skies, dials_of(dials), how)
        maker.generate(Path(out), twin, workers)

    return open_fresh, generate
