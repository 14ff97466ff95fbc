"""PulseCheck457's question files and VLMEvalKit's TSV of it, as `Question`s.

    questions/<file>.json   {"questions": [...]} or the list alone: question_index, image_filename, question, answer, program
    *.tsv                   index, image (base64, or the index of the row that has it), question, answer, category

A row's column is what its file or its `category` says; a TSV without categories is read by the bands of question_index,
as lmms-eval does. A program that is no node list of ours leaves its question without one, and `Question.unread`
says why; anything else that is missing, malformed or unknown is an InputError with file and row."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.splits import unique
from po3d.benchmarks.superclevr.files import StreetQuestion, field_text, read_answer, stored_question, written
from po3d.benchmarks.vlmevalkit import POINTER, write_table
from po3d.io.errors import InputError
from po3d.io.images import ImageError, decode_image, image_size
from po3d.io.tables import table_rows
from po3d.reasoning.questions import Question, Task

# Column -> question file, and the first question_index of its band (lmms-eval tells the tasks apart by the
# bands).
_COLUMNS = {
    "L1-Single": ("L1_single", 100_000),
    "L2-Multi-obj": ("L2_objects", 200_000),
    "L3-2D-Spatial": ("L3_2D_spatial", 300_000),
    "L4-Occlusion": ("L4_occ", 400_000),
    "L4-3D-Pose": ("L4_pose", 450_000),
    "L5-Collision": ("L5_collision", 550_000),
    "L5-6D-Spatial": ("L5_6d_spatial", 500_000),
}
CATEGORIES = tuple(_COLUMNS)
FILES = {category: file for category, (file, _) in _COLUMNS.items()}
BANDS = {category: band for category, (_, band) in _COLUMNS.items()}
_CATEGORY = {name.lower(): category for category, file in FILES.items() for name in (file, category)}
_FIELDS = ("index", "image", "question", "answer", "category")
_HEAD = 65_536  # characters of base64 in which a picture's size is found: 48 kB


# --- question files -----------------------------------------------------------------------------------------


def read_records(records: Iterable[Mapping], category: str, where: str) -> list[Question]:
    """The questions of one official file."""
    questions = []
    for k, record in enumerate(records):
        *stored, reason = stored_question(record, f"{where}, question {k}")
        questions.append(_question(category, *stored, unread=reason))
    return questions


def _question(
    category: str, index: int, image: str, text: str, stored: str, program: str, **more: str
) -> StreetQuestion:
    task: Task = "6d" if category == "L5-6D-Spatial" else "2d"
    name = f"{FILES[category]}:{index}"
    own = {"number": str(index), "stored": stored, **more}
    return StreetQuestion(name, image, text, task, category, read_answer(stored), program, **own)


# --- VLMEvalKit's TSV ---------------------------------------------------------------------------------------


class Inline:
    """Images that came as base64 in a table; they bring no true tables."""

    def __init__(self, images: dict[str, str], path: Path) -> None:
        self.images, self.path = images, path

    def image(self, name: str) -> NDArray[np.uint8]:
        """(H, W, 3) pixels; ImageError for a cell that is no picture."""
        try:
            data = base64.b64decode(self.images[name], validate=True)
        except ValueError as error:
            raise ImageError(f"image {name} is no base64 ({error})") from None
        return decode_image(data, name)

    def size(self, name: str) -> tuple[int, int] | None:
        """(width, height); None where it can't be told."""
        try:
            return image_size(base64.b64decode(self.images[name][:_HEAD]))
        except ValueError:
            return None

    def record(self, name: str) -> None:
        return None

    def files(self, names: Iterable[str]) -> list[Path]:
        """The one file."""
        return [self.path]


def read_tsv(path: Path) -> tuple[tuple[Question, ...], Inline]:
    """The questions of a TSV, and its images."""
    rows = list(table_rows(path, "Spatial457 table"))
    if not rows or not set(_FIELDS[:4]) <= set(rows[0]):
        raise InputError(f"{path} is no Spatial457 table: its columns should be {', '.join(_FIELDS)}")
    cells = {row["index"]: row["image"] for row in rows}
    images: dict[str, str] = {}
    questions = []
    for k, row in enumerate(rows):
        where = f"{path}, row {k}"
        cell = row["image"] if len(row["image"]) > POINTER else cells.get(row["image"], "")
        if len(cell) <= POINTER or not row["index"].isdecimal():
            raise InputError(
                f"{where}: index {row['index']!r} is no number or its image is nowhere in the file"
            )
        name = hashlib.sha256(cell.encode()).hexdigest()[:16]
        images[name] = cell
        index = int(row["index"])
        category = _category(row.get("category", ""), index, where)
        text, answer = field_text(row, "question", where), field_text(row, "answer", where)
        questions.append(_question(category, index, name, text, answer, "", table=answer))
    return unique(questions, path, "question_index of"), Inline(images, path)


def _category(cell: str, index: int, where: str) -> str:
    """The column that a row is of."""
    name = cell.strip().lower()
    if name in _CATEGORY:
        return _CATEGORY[name]
    if name:
        raise InputError(f"{where}: unknown category {cell!r}; known: {', '.join(FILES.values())}")
    if index < min(BANDS.values()):
        raise InputError(
            f"{where}: there is no category, and the index {index} is no question_index that would tell it"
        )
    return max((c for c in CATEGORIES if BANDS[c] <= index), key=BANDS.__getitem__)


def write_tsv(path: str | Path, questions: Iterable[Question], encoded: Mapping[str, bytes]) -> None:
    """Questions as VLMEvalKit reads them; `encoded` holds each image's file content."""
    cells = ((q.number, (q.image,), q.text, written(q.answer or ""), FILES[q.category]) for q in questions)
    write_table(path, _FIELDS, (dict(zip(_FIELDS, row)) for row in cells), encoded)
