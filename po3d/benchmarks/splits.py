"""What splits of all benchmarks have in common: their questions, and which of them are asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from po3d.io.errors import InputError
from po3d.reasoning.questions import Question


@dataclass(frozen=True)
class QuestionSplit:
    """The questions of a split. A subclass has what there is to each of their images (`po3d.evaluation.run.Split`)."""

    split: str
    questions: tuple[Question, ...]

    @property
    def images(self) -> tuple[str, ...]:
        """Names, by first appearance in the questions."""
        return tuple(dict.fromkeys(q.image for q in self.questions))

    def first(self, size: int | None) -> Self:
        """The questions on the first `size` units by name; None keeps all. InputError for a size below 1."""
        if size is not None and size < 1:
            raise InputError(f"the size {size} should be at least 1")
        kept = set(sorted({self.unit_of(q) for q in self.questions})[:size])
        return replace(self, questions=tuple(q for q in self.questions if self.unit_of(q) in kept))

    def unit_of(self, question: Question) -> str:
        """What `first` counts: the question's image."""
        return question.image

    def hidden(self, name: str) -> list[float] | None:
        """Of each true object the share that others hide; None where that is not known."""
        return None

    def notes(self) -> list[str]:
        """What a reader of figures on this split should know."""
        return []


def unique(questions: Sequence[Question], where: Path, what: str) -> tuple[Question, ...]:
    """The questions; InputError when two have one name, which the file calls `what`."""
    seen: set[str] = set()
    for q in questions:
        if q.id in seen:
            raise InputError(f"{where}: the {what} {q.id!r} stands twice")
        seen.add(q.id)
    return tuple(questions)
