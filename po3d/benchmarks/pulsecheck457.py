"""PulseCheck457, released as Spatial457: its files, our twin of it, and the audit of its labels.

`load` reads three layouts, told apart by what is there: our twin's folder, the release's folder (images/ and
questions/*.json, with or without its scene file), and VLMEvalKit's TSV. Answers are read into po3d's words
("yes", "3", "articulated"); the stored spelling stays in `meta`. Scores:
`po3d.benchmarks.pulsecheck457_score`."""

import base64
import csv
import hashlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from po3d import shipped
from po3d.benchmarks.pulsecheck457_score import CATEGORIES, SCORERS, correct, published_rows, score
from po3d.benchmarks.superclevr import (
    identifier,
    program_from_nodes,
    read_scenes,
    scene_from_superclevr,
    surface,
)
from po3d.errors import InputError
from po3d.files import atomic_write, read_json
from po3d.images import decode_image, read_image
from po3d.question import Question, Task
from po3d.reasoning.executor import execute
from po3d.reasoning.program import ProgramError, parse_text
from po3d.reasoning.relations import DEFAULT_RULES, Rules
from po3d.scene import Scene

__all__ = [
    "SCORERS",
    "Benchmark",
    "correct",
    "generate",
    "generate_tables",
    "load",
    "open_fresh",
    "open_mini",
    "oracle_disagreements",
    "published_rows",
    "score",
    "training_questions",
    "write_tsv",
]

MINI = shipped.MINI / "pulsecheck457"
WHERE = (
    "it is on Hugging Face: dataset RyanWW/Spatial457 (images/ and questions/), "
    "or VLMEvalKit's Spatial457.tsv"
)
SCENE_FILES = ("scenes.json", "spatial457_scenes_21k.json")

# Column -> question file, and the first question_index of its band (lmms-eval tells the tasks apart by the
# bands).
FILES: dict[str, str] = dict(
    zip(
        CATEGORIES,
        ("L1_single", "L2_objects", "L3_2D_spatial", "L4_occ", "L4_pose", "L5_collision", "L5_6d_spatial"),
        strict=True,
    )
)
BANDS: dict[str, int] = dict(
    zip(CATEGORIES, (100_000, 200_000, 300_000, 400_000, 450_000, 550_000, 500_000), strict=True)
)
_CATEGORY = {name.lower(): category for category, name in FILES.items()}
_BOOLEANS = {"true": "yes", "yes": "yes", "false": "no", "no": "no"}


class Source(Protocol):
    """Where pictures and true tables come from."""

    def image(self, name: str) -> NDArray[np.uint8]: ...

    def record(self, name: str) -> Mapping | None: ...


@dataclass(frozen=True)
class Benchmark:
    """A split: its questions, and what there is to each of its images."""

    split: str
    questions: tuple[Question, ...]
    source: Source
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


# --- reading ------------------------------------------------------------------------------------------------


def open_mini() -> Benchmark:
    """The small split that po3d ships."""
    return load(MINI, "mini")


def load(root: str | Path, split: str = "") -> Benchmark:
    """The benchmark at `root`: a folder of ours or of the release, or a VLMEvalKit TSV. InputError says what
    is missing and where it is to be had."""
    root = Path(root)
    if root.is_file() and root.suffix == ".tsv":
        return _read_tsv(root, split or root.name)
    folder = root / "questions"
    if not folder.is_dir():
        raise InputError(f"no PulseCheck457 under {root}: expected {folder} or a .tsv file; {WHERE}")
    files = {path.stem.lower(): path for path in sorted(folder.glob("*.json"))}
    questions: list[Question] = []
    for category, name in FILES.items():
        if name.lower() in files:
            path = files[name.lower()]
            content = read_json(path, "question file")
            records = content.get("questions") if isinstance(content, dict) else content
            if not isinstance(records, list):
                raise InputError(f"{path} holds no list of questions")
            questions += read_records(records, category, str(path))
    if not questions:
        raise InputError(f"{folder} holds none of {', '.join(FILES.values())} (.json); {WHERE}")
    return Benchmark(split or root.name, _unique(questions, folder), _Folder(root))


def read_records(records: Iterable[Mapping], category: str, where: str) -> list[Question]:
    """The questions of one official file."""
    questions = []
    for k, record in enumerate(records):
        try:
            index, image = int(record["question_index"]), str(record["image_filename"])
            text, stored = str(record["question"]), record["answer"]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{where}, question {k}: missing or malformed field ({error!r})") from None
        meta = {"answer": str(stored), "question_index": index}
        program = ""
        if record.get("program"):
            try:
                program = program_from_nodes(_nodes(record["program"])).text()
            except ProgramError as error:
                meta["program_error"] = str(error)
        questions.append(_question(category, index, image, text, str(stored), program, meta))
    return questions


def read_answer(stored: str) -> str:
    """A stored answer in po3d's words: "True" -> "yes", "Road Bike" -> "road", "03" -> "3"."""
    text = " ".join(stored.strip().lower().split())
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    return str(int(text)) if text.isdecimal() else identifier(text)


def _question(
    category: str, index: int, image: str, text: str, stored: str, program: str, meta: dict
) -> Question:
    task: Task = "6d" if category == "L5-6D-Spatial" else "2d"
    name = f"{FILES[category]}:{index}"
    return Question(name, image, text, task, category, read_answer(stored), program, meta)


def _nodes(stored: Sequence | Mapping) -> Sequence[Mapping]:
    """A node list; the Hugging Face loader turns it into a mapping of lists."""
    if isinstance(stored, Mapping):
        return [dict(zip(stored, values)) for values in zip(*stored.values(), strict=True)]
    return stored


def _unique(questions: list[Question], where: Path) -> tuple[Question, ...]:
    seen: set[str] = set()
    for q in questions:
        if q.id in seen:
            raise InputError(f"{where}: the question_index of {q.id} stands twice")
        seen.add(q.id)
    return tuple(questions)


class _Folder:
    """images/ and, where there is one, a scene file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._records: dict[str, Mapping] | None = None

    def image(self, name: str) -> NDArray[np.uint8]:
        path = self.root / "images" / name
        if not path.is_file():  # question files keep the .png names even where the images were packed as JPEG
            others = [path.with_suffix(s) for s in (".jpg", ".png", ".webp")]
            path = next((p for p in others if p.is_file()), path)
        return read_image(path)

    def record(self, name: str) -> Mapping | None:
        if self._records is None:
            path = next((self.root / f for f in SCENE_FILES if (self.root / f).is_file()), None)
            stored = [] if path is None else read_scenes(path)
            self._records = {Path(str(r.get("image_filename"))).stem: r for r in stored}
        return self._records.get(Path(name).stem)


# --- VLMEvalKit's TSV ---------------------------------------------------------------------------------------

_POINTER = 64  # an image cell this short is the index of the row that has the image (VLMEvalKit's rule)
_FIELDS = ("index", "image", "question", "answer", "category")


class _Inline:
    """Images that came as base64 in a table."""

    def __init__(self, images: dict[str, str]) -> None:
        self.images = images

    def image(self, name: str) -> NDArray[np.uint8]:
        try:
            data = base64.b64decode(self.images[name], validate=True)
        except ValueError as error:
            raise InputError(f"image {name} is no base64 ({error})") from None
        return decode_image(data, name)

    def record(self, name: str) -> None:
        return None


def _read_tsv(path: Path, split: str) -> Benchmark:
    csv.field_size_limit(sys.maxsize)  # images are far above the default
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    if not rows or not set(_FIELDS[:4]) <= set(rows[0]):
        raise InputError(f"{path} is no Spatial457 table: its columns should be {', '.join(_FIELDS)}")
    cells = {row["index"]: row["image"] for row in rows}
    images: dict[str, str] = {}
    questions = []
    for k, row in enumerate(rows):
        cell = row["image"] if len(row["image"]) > _POINTER else cells.get(row["image"], "")
        if not cell or not row["index"].isdecimal():
            raise InputError(
                f"{path}, row {k}: index {row['index']!r} is no number or its image is nowhere in the file"
            )
        name = hashlib.sha256(cell.encode()).hexdigest()[:16]
        images[name] = cell
        index = int(row["index"])
        category = _CATEGORY.get((row.get("category") or "").lower()) or _band(index)
        meta = {"answer": row["answer"], "question_index": index}
        questions.append(_question(category, index, name, row["question"], row["answer"], "", meta))
    return Benchmark(split, _unique(questions, path), _Inline(images))


def _band(index: int) -> str:
    """The column that an index belongs to."""
    return max((c for c in CATEGORIES if BANDS[c] <= index or c == CATEGORIES[0]), key=BANDS.__getitem__)


def write_tsv(benchmark: Benchmark, path: str | Path, encoded: Mapping[str, bytes]) -> None:
    """The split as VLMEvalKit reads it; `encoded` holds each image's file content. Only the first row of an
    image carries it, the others point there."""
    carrier: dict[str, str] = {}
    with atomic_write(path) as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(_FIELDS)
        for q in benchmark.questions:
            index = str(q.meta["question_index"])
            cell = carrier.get(q.image) or base64.b64encode(encoded[q.image]).decode()
            carrier.setdefault(q.image, index)
            answer = surface(q.answer or "")
            answer = answer.capitalize() if answer in ("yes", "no") else answer
            writer.writerow((index, cell, q.text, answer, FILES[q.category]))


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
    """Write the twin: `po3d.benchmarks.pulsecheck457_twin.generate`; `dials`: the fields of `synthesis.dials.Dials`
    that differ from the benchmark's own."""
    from po3d.benchmarks import pulsecheck457_twin
    from po3d.synthesis.dials import dials_of

    pulsecheck457_twin.generate(out, size, seed, look, images, workers, split, skies, dials_of(dials))


def generate_tables(seed: int, size: int, split: str = "test", look: str | None = None) -> Benchmark:
    """A twin in memory: true tables and questions; its pictures are rendered when asked for."""
    from po3d.benchmarks import pulsecheck457_twin

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
    from po3d.benchmarks import pulsecheck457_twin
    from po3d.synthesis.dials import dials_of

    turned = dials_of(dials)
    pulsecheck457_twin.generate(folder, size, seed, look, images=False, workers=workers, dials=turned)
    scenes = {record["image_filename"]: record for record in read_scenes(folder)}
    source = pulsecheck457_twin.Tables(seed, "test", look, scenes, dials=turned)
    return Benchmark(f"fresh, seed {seed}", load(folder).questions, source)


def training_questions(size: int, seed: int) -> list[Question]:
    """Questions on `size` scenes that share no mesh with any test scene, for baselines that learn from
    answers."""
    return list(generate_tables(seed, size, "train").questions)


# --- audit --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Disagreement:
    """A question whose stored answer is not what its program gives on the true table."""

    id: str
    stored: str | None
    computed: str | None  # None when the program has no answer
    reason: str


def oracle_disagreements(
    questions: Iterable[Question], scenes: Mapping[str, Scene], rules: Rules = DEFAULT_RULES
) -> list[Disagreement]:
    """The label audit: every question whose gold program, run on the true scene of its image, does not give
    its stored answer. Questions without a program are listed too: nothing can vouch for them."""
    found = []
    for q in questions:
        if not q.program:
            found.append(Disagreement(q.id, q.answer, None, q.meta.get("program_error", "no gold program")))
            continue
        if q.image not in scenes:
            raise InputError(f"question {q.id}: there is no true scene of {q.image!r}")
        outcome = execute(parse_text(q.program), scenes[q.image], q.task, rules=rules)
        if outcome.answer != q.answer:
            found.append(Disagreement(q.id, q.answer, outcome.answer, outcome.reason or "another answer"))
    return found
