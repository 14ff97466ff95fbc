"""Base class for the splits of all benchmarks: the questions, and selection of a subset."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from po3d.io.errors import InputError
from po3d.reasoning.questions import Question, images_of
from po3d.scene.table import Scene, from_json


@dataclass(frozen=True)
class QuestionSplit:
    """The questions of a split. A subclass adds access to its images (see
    `po3d.evaluation.run.Split`)."""

    split: str
    questions: tuple[Question, ...]

    @property
    def images(self) -> tuple[str, ...]:
        """Image names in order of first appearance in the questions."""
        return tuple(dict.fromkeys(images_of(self.questions)))

    def first(self, size: int | None) -> Self:
        """Restrict the questions to the first `size` units by name; None keeps all. Raise
        InputError for a size below 1."""
        if size is not None and size < 1:
            raise InputError(f"the size {size} should be at least 1")
        units = set(sorted(set(map(self.unit_of, self.questions)))[:size])
        return replace(self, questions=tuple(q for q in self.questions if self.unit_of(q) in units))

    def unit_of(self, question: Question) -> str:
        """Return the unit that `first` counts: the question's image."""
        return question.image

    def hidden(self, name: str) -> list[float] | None:
        """Return the occluded fraction of each true object; None if unknown."""
        return None

    def notes(self) -> list[str]:
        """Return notes on this split that figures should be read with."""
        return []


def first_file(paths: Iterable[Path]) -> Path | None:
    """Return the first of the paths that is a file; None if none is."""
    for path in paths:
        if path.is_file():
            return path
    return None


def existing(paths: Iterable[Path | None]) -> list[Path]:
    """Return the paths that are files."""
    return [path for path in paths if path is not None and path.is_file()]


def unique(questions: Sequence[Question], where: Path, what: str) -> tuple[Question, ...]:
    """Return the questions as a tuple; raise InputError for a duplicate id. `what` names the id in
    the message."""
    ids_read: set[str] = set()
    for q in questions:
        if q.id in ids_read:
            raise InputError(f"{where}: the {what} {q.id!r} occurs twice")
        ids_read.add(q.id)
    return tuple(questions)


def scenes_by_image(records: Iterable[dict], where: Path) -> dict[str, Scene]:
    """Return image name -> scene of scene tables in po3d's format; `where`: their file."""
    scenes = {}
    for k, record in enumerate(records):
        scene = from_json(record, f"{where}, record {k}")
        scenes[scene.image] = scene
    return scenes
