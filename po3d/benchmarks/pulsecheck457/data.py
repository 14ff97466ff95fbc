"""PulseCheck457, released as Spatial457: its files, our twin of it, and its release with corrected labels.

`load` reads three layouts, told apart by what is there: our twin's folder, the release's folder (images/ and
questions/*.json, with or without its scene file), and VLMEvalKit's TSV. Answers are read into po3d's words
("yes", "3", "articulated"); the stored spelling stays in `meta`. Scores:
`po3d.benchmarks.pulsecheck457.score`."""

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.base import Erratum
from po3d.benchmarks.pulsecheck457.report import BANDS, FILES, read_answer, read_records, read_tsv, unique
from po3d.benchmarks.pulsecheck457.score import SCORERS, correct, published_rows, score
from po3d.benchmarks.superclevr.files import read_scenes, scene_from_superclevr, surface
from po3d.io import shipped
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, write_json
from po3d.io.images import image_size, read_image
from po3d.reasoning.questions import Question
from po3d.scene.street import shape_note
from po3d.scene.table import Scene

__all__ = [
    "BANDS",
    "FILES",
    "SCORERS",
    "Benchmark",
    "correct",
    "generate",
    "generate_tables",
    "load",
    "open_fresh",
    "open_mini",
    "published_rows",
    "read_answer",
    "read_records",
    "score",
    "training_questions",
    "write_corrected",
]

MINI = shipped.MINI / "pulsecheck457"
WHERE = (
    "it is on Hugging Face: dataset RyanWW/Spatial457 (images/ and questions/), "
    "or VLMEvalKit's Spatial457.tsv"
)
SCENE_FILES = ("scenes.json", "spatial457_scenes_21k.json")
TWIN = "twin.json"


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
class Benchmark:
    """A split: its questions, and what there is to each of its images."""

    split: str
    questions: tuple[Question, ...]
    source: Source
    read: tuple[Path, ...] = ()  # the files that the questions come from
    remarks: tuple[str, ...] = ()  # what is to be said of these files
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
                    f"{SCENE_FILES[1]} have"
                )
            self._scenes[name] = replace(scene_from_superclevr(record), image=name)
        return self._scenes[name]

    def hidden(self, name: str) -> list[float] | None:
        """Of each true object the share that others hide; None where it isn't stored."""
        stored = (self.source.record(name) or {}).get("po3d", {}).get("visible_fractions")
        return None if stored is None else [1 - v for v in stored]

    def first(self, size: int | None) -> "Benchmark":
        """The questions on the first `size` images by name; None keeps all."""
        kept = set(sorted(self.images)[:size])
        return replace(self, questions=tuple(q for q in self.questions if q.image in kept))

    @property
    def images(self) -> tuple[str, ...]:
        """Names, by first appearance in the questions."""
        return tuple(dict.fromkeys(q.image for q in self.questions))

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


# --- reading ------------------------------------------------------------------------------------------------


def open_mini() -> Benchmark:
    """The small split that po3d ships."""
    return load(MINI, "mini")


def load(root: str | Path, split: str = "") -> Benchmark:
    """The benchmark at `root`: a folder of ours or of the release, or a VLMEvalKit TSV. InputError says what
    is missing and where it is to be had."""
    root = Path(root)
    if root.is_file() and root.suffix.lower() == ".tsv":
        asked, inline = read_tsv(root)
        return Benchmark(split or root.name, asked, inline, (root,))
    folder = root / "questions"
    if not folder.is_dir():
        raise InputError(f"no PulseCheck457 under {root}: expected {folder} or a .tsv file; {WHERE}")
    files = _question_files(folder)
    questions: list[Question] = []
    for category, path in files.items():
        content = read_json(path, "question file")
        records = content.get("questions") if isinstance(content, dict) else content
        if not isinstance(records, list):
            raise InputError(f"{path} holds no list of questions")
        questions += read_records(records, category, str(path))
    if not questions:
        raise InputError(f"{folder} holds none of {', '.join(FILES.values())} (.json); {WHERE}")
    read = tuple(files.values())
    return Benchmark(
        split or root.name, unique(questions, folder), _Folder(root), read, _remarks(folder, files)
    )


def _question_files(folder: Path) -> dict[str, Path]:
    """Column -> its file, of those that are there."""
    found: dict[str, Path] = {}
    for category, name in FILES.items():
        paths = [path for path in sorted(folder.glob("*.json")) if path.stem.lower() == name.lower()]
        if len(paths) > 1:
            raise InputError(f"{folder} holds {paths[0].name} and {paths[1].name}: which of them is meant?")
        if paths:
            found[category] = paths[0]
    return found


def _remarks(folder: Path, files: Mapping[str, Path]) -> tuple[str, ...]:
    """What is to be said of a folder whose files are not the benchmark's seven."""
    missing = [f"{name}.json" for category, name in FILES.items() if category not in files]
    unknown = [path.name for path in sorted(folder.glob("*.json")) if path not in files.values()]
    remarks = []
    if missing:
        remarks.append(f"{folder.name}/ lacks {', '.join(missing)}: these columns are left out")
    if unknown:
        verb = "is none" if len(unknown) == 1 else "are none"
        remarks.append(
            f"{folder.name}/: {', '.join(unknown)} {verb} of the benchmark's seven files, not read"
        )
    return tuple(remarks)


class _Folder:
    """images/ and, where there is one, a scene file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._records: dict[str, Mapping] | None = None

    def image(self, name: str) -> NDArray[np.uint8]:
        return read_image(self._path(name))

    def size(self, name: str) -> tuple[int, int] | None:
        return image_size(self._path(name))

    def files(self, names: Iterable[str]) -> list[Path]:
        paths = (_scene_file(self.root), self.root / TWIN, *(self._path(name) for name in names))
        return [path for path in paths if path is not None and path.is_file()]

    def _path(self, name: str) -> Path:
        path = self.root / "images" / name
        if not path.is_file():  # question files keep the .png names even where the images were packed as JPEG
            others = [path.with_suffix(s) for s in (".jpg", ".png", ".webp")]
            path = next((p for p in others if p.is_file()), path)
        return path

    def record(self, name: str) -> Mapping | None:
        if self._records is None:
            path = _scene_file(self.root)
            stored = [] if path is None else read_scenes(path)
            self._records = {Path(str(r.get("image_filename"))).stem: r for r in stored}
        return self._records.get(Path(name).stem)


def _scene_file(root: Path) -> Path | None:
    return next((root / f for f in SCENE_FILES if (root / f).is_file()), None)


# --- the twin: made by the renderer, an extra, so imported when asked for -----------------------------------


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
) -> None:
    """Write the twin: `po3d.benchmarks.pulsecheck457.twin.generate`; `dials`: the fields of `synthesis.dials.Dials`
    that differ from the benchmark's own."""
    from po3d.benchmarks.pulsecheck457 import twin as pulsecheck457_twin
    from po3d.synthesis.difficulty import dials_of

    pulsecheck457_twin.generate(out, size, seed, look, images, workers, split, skies, dials_of(dials))


def generate_tables(seed: int, size: int, split: str = "test", look: str | None = None) -> Benchmark:
    """A twin in memory: true tables and questions; its pictures are rendered when asked for."""
    from po3d.benchmarks.pulsecheck457 import twin as pulsecheck457_twin

    twin = pulsecheck457_twin.tables(seed, size, split, look)
    questions = [
        q for category, records in twin.questions.items() for q in read_records(records, category, "the twin")
    ]
    return Benchmark(f"fresh seed {seed}", tuple(questions), twin)


def open_fresh(
    folder: str | Path,
    size: int,
    seed: int,
    look: str | None = None,
    workers: int = 1,
    dials: Mapping[str, Any] | None = None,
) -> Benchmark:
    """The twin of a seed: labels and questions are kept in `folder` (made or completed now), its pictures are
    rendered when asked for. `dials` as of `generate`."""
    from po3d.benchmarks.pulsecheck457 import twin as pulsecheck457_twin
    from po3d.synthesis.difficulty import dials_of

    turned = dials_of(dials)
    pulsecheck457_twin.generate(folder, size, seed, look, images=False, workers=workers, dials=turned)
    scenes = {record["image_filename"]: record for record in read_scenes(folder)}
    source = pulsecheck457_twin.Tables(seed, "test", look, scenes, dials=turned)
    made = load(folder)  # its pictures may be missing: they are rendered
    return replace(made, split=f"fresh, seed {seed}", source=source, read=tuple(made.files()))


def training_questions(size: int, seed: int) -> list[Question]:
    """Questions on `size` scenes that share no mesh with any test scene, for baselines that learn from
    answers."""
    return list(generate_tables(seed, size, "train").questions)


# --- corrected ----------------------------------------------------------------------------------------------


def write_corrected(split: Benchmark, root: Path, errata: Mapping[str, Erratum], out: Path) -> None:
    """The release with its errata corrected, in its layout, into the folder `out`. Its pictures stay where they are:
    `out`/images leads there."""
    by_stem = {name.lower(): name for name in FILES.values()}
    for path in sorted((root / "questions").glob("*.json")):
        if path.stem.lower() not in by_stem:
            continue
        content = read_json(path, "question file")
        records = content["questions"] if isinstance(content, dict) else content
        kept = []
        for record in records:
            erratum = errata.get(f"{by_stem[path.stem.lower()]}:{int(record['question_index'])}")
            if erratum is not None and erratum.verdict == "replaced":
                record = {**record, "answer": _spelled(erratum.computed or "", record["answer"])}
            if erratum is None or erratum.verdict != "left out":
                kept.append(record)
        write_json(
            out / "questions" / path.name,
            {**content, "questions": kept} if isinstance(content, dict) else kept,
            None,
        )
    for name in SCENE_FILES:
        if (root / name).is_file():
            with open(root / name, "rb") as source, atomic_write(out / name, "wb") as file:
                shutil.copyfileobj(source, file)
    if (root / "images").is_dir() and not (out / "images").exists():
        os.symlink((root / "images").resolve(), out / "images", target_is_directory=True)


def _spelled(answer: str, released: object) -> object:
    """`answer` as the release spells its answers: "yes" is True, "True" or "Yes" where the old one is so."""
    if answer in ("yes", "no"):
        if isinstance(released, bool):
            return answer == "yes"
        if str(released).lower() in ("true", "false"):
            return "True" if answer == "yes" else "False"
        return answer.capitalize() if str(released)[:1].isupper() else answer
    if answer.isdecimal():
        return int(answer) if isinstance(released, int) and not isinstance(released, bool) else answer
    return surface(answer).capitalize() if str(released)[:1].isupper() else surface(answer)
