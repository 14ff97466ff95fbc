"""Reading PulseCheck457's question files and VLMEvalKit's TSV as `Question`s.

  questions/<file>.json   {"questions": [...]} or only the list: question_index, image_filename,
                          question, answer, program
  *.tsv                   index, image (base64, or the index of the row that has it), question,
                          answer, category

The category of a question follows from its file or its `category` cell; without that column, from
the range of its question_index, as in lmms-eval. If a program is not a supported node list, the
question has no program and `Question.unread` gives the reason; any other missing, malformed or
unknown value raises InputError with file and row.
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.splits import unique
from po3d.benchmarks.superclevr.files import (
    StreetQuestion,
    field_text,
    read_answer,
    stored_question,
)
from po3d.benchmarks.superclevr.names import written
from po3d.benchmarks.vlmevalkit import POINTER, write_table
from po3d.io.errors import InputError
from po3d.io.images import ImageError, decode_image, image_size
from po3d.io.tables import table_rows
from po3d.reasoning.questions import Question, Task

# Category -> question file, and the first question_index of its range (lmms-eval identifies tasks
# by these ranges).
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
_CATEGORY = {file.lower(): category for category, file in FILES.items()}
_CATEGORY |= {category.lower(): category for category in FILES}
_FIELDS = ("index", "image", "question", "answer", "category")
_HEAD = 65_536  # number of base64 characters (48 kB) decoded to find an image's size


# --- question files -------------------------------------------------------------------------------


def read_records(records: Iterable[Mapping], category: str, where: str) -> list[Question]:
    """Return the questions of one official file. `where`: its name in error messages; a question
    whose program cannot be parsed keeps the reason.
    """
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
    fields = {"number": str(index), "stored": stored, **more}
    return StreetQuestion(name, image, text, task, category, read_answer(stored), program, **fields)


# --- VLMEvalKit's TSV -----------------------------------------------------------------------------


class Inline:
    """Source of images embedded in a table as base64; it has no scene records."""

    def __init__(self, images: dict[str, str], path: Path) -> None:
        self.images, self.path = images, path

    def image(self, name: str) -> NDArray[np.uint8]:
        """Return (H, W, 3) pixels; raise ImageError if the cell is not an image."""
        try:
            data = base64.b64decode(self.images[name], validate=True)
        except ValueError as error:
            raise ImageError(f"image {name} is not valid base64 ({error})") from None
        return decode_image(data, name)

    def size(self, name: str) -> tuple[int, int] | None:
        """Return (width, height); None if unreadable."""
        try:
            return image_size(base64.b64decode(self.images[name][:_HEAD]))
        except ValueError:
            return None

    def record(self, name: str) -> None:
        return None

    def files(self, names: Iterable[str]) -> list[Path]:
        """Return the table's path."""
        return [self.path]


def read_tsv(path: Path) -> tuple[tuple[Question, ...], Inline]:
    """Read the questions and images of a TSV."""
    rows = list(table_rows(path, "Spatial457 table"))
    if not rows or not set(_FIELDS[:4]) <= set(rows[0]):
        raise InputError(
            f"{path} is not a Spatial457 table: its columns should be {', '.join(_FIELDS)}"
        )
    cells = {row["index"]: row["image"] for row in rows}
    images: dict[str, str] = {}
    questions = []
    for k, row in enumerate(rows):
        where = f"{path}, row {k}"
        cell = row["image"] if len(row["image"]) > POINTER else cells.get(row["image"], "")
        if len(cell) <= POINTER or not row["index"].isdecimal():
            raise InputError(
                f"{where}: index {row['index']!r} is not a number, or its image is missing from the"
                " file"
            )
        name = hashlib.sha256(cell.encode()).hexdigest()[:16]
        images[name] = cell
        index = int(row["index"])
        category = _category(row.get("category", ""), index, where)
        text, answer = field_text(row, "question", where), field_text(row, "answer", where)
        questions.append(_question(category, index, name, text, answer, "", table=answer))
    return unique(questions, path, "question_index of"), Inline(images, path)


def _category(cell: str, index: int, where: str) -> str:
    """Return the category of a row."""
    name = cell.strip().lower()
    if name in _CATEGORY:
        return _CATEGORY[name]
    if name:
        raise InputError(f"{where}: unknown category {cell!r}; known: {', '.join(FILES.values())}")
    if index < min(BANDS.values()):
        raise InputError(
            f"{where}: no category, and the index {index} is not a question_index from which it"
            " follows"
        )
    return max((c for c in CATEGORIES if BANDS[c] <= index), key=BANDS.__getitem__)


def write_tsv(
    path: str | Path, questions: Iterable[Question], encoded: Mapping[str, bytes]
) -> None:
    """Write questions in VLMEvalKit's TSV format; `encoded` holds each image's file content."""
    rows = []
    for q in questions:
        cells = (q.number, (q.image,), q.text, written(q.answer or ""), FILES[q.category])
        rows.append(dict(zip(_FIELDS, cells)))
    write_table(path, _FIELDS, rows, encoded)
