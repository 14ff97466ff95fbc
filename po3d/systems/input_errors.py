"""Wrapper of a system that continues after unreadable images (`benchmark.on_bad_image=count`).

The questions on a missing or damaged image become failed predictions, counted as wrong; their
reason begins with MARK, so that the report can list them. Of several views of a scene only the
questions on unreadable ones are lost.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from po3d.io.images import ImageError
from po3d.reasoning.questions import Prediction, Question, by_id
from po3d.systems.interfaces import (
    Context,
    ImageQuestions,
    PendingPredictions,
    System,
    all_answers,
    at_once,
)

MARK = "unreadable image: "
MISSING = "no scene: "  # an image without a scene in the file of perception=file
NAMED = 3  # number of reasons in a note
T = TypeVar("T")


def note(questions: Sequence[Question], predictions: Sequence[Prediction]) -> str | None:
    """Return a remark on the numbers of lost images and questions, with the first reasons; None if
    there are none."""
    image, parts = {q.id: q.image for q in questions}, []
    for mark, what in ((MARK, "cannot read"), (MISSING, "no scene for")):
        lost = []
        for p in predictions:
            if p.reason.startswith(mark):
                lost.append(p)
        if not lost:
            continue
        reasons = list(dict.fromkeys(p.reason.removeprefix(mark) for p in lost))
        which = "; ".join(reasons[:NAMED]) + ("; ..." if len(reasons) > NAMED else "")
        images = len({image[p.id] for p in lost})
        parts.append(
            f"{what} {images} image{'s' * (images > 1)}: {len(lost)} questions failed and "
            f"count as wrong ({which})"
        )
    return "; ".join(parts) or None


@dataclass(frozen=True)
class BadImageCounter:
    """The system, with unreadable images counted as failures instead of ending the run."""

    system: System

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        lost, predictions = _attempt(
            lambda subset: self.system.answer(subset, context), questions, context
        )
        return _in_order(questions, lost, predictions or [])

    def answers(self, batch: Sequence[ImageQuestions]) -> list[list[Prediction]]:
        try:
            return all_answers(self.system, batch)
        except ImageError:  # one image of the batch is unreadable
            return [self.answer(*image) for image in batch]

    @property
    def at_once(self) -> int:
        return at_once(self.system)

    @property
    def ahead(self) -> int:
        """Number of images in flight; 0 unless the system is an asynchronous system."""
        return getattr(self.system, "ahead", 0)

    def begin(self, questions: Sequence[Question], context: Context) -> PendingPredictions:
        lost, pending = _attempt(
            lambda subset: self.system.begin(subset, context), questions, context
        )
        return _Rest(questions, lost, pending)


@dataclass(frozen=True)
class _Rest:
    """Predictions in progress, merged with the failed ones."""

    questions: Sequence[Question]
    lost: Mapping[str, Prediction]
    pending: PendingPredictions | None

    def result(self) -> list[Prediction]:
        return _in_order(
            self.questions, self.lost, [] if self.pending is None else self.pending.result()
        )

    def cancel(self) -> object:
        return None if self.pending is None else self.pending.cancel()


def _attempt(
    ask: Callable[[Sequence[Question]], T], questions: Sequence[Question], context: Context
) -> tuple[dict[str, Prediction], T | None]:
    """Return failed predictions for the questions on unreadable images, and the result of `ask` for
    the others."""
    try:
        return {}, ask(questions)
    except ImageError as error:
        if missing := set(error.unlisted):  # perception=file
            why = {}
            for q in questions:
                if own := list(filter(missing.__contains__, q.images or (q.image,))):
                    why[q.id] = f"{MISSING}{', '.join(own)}"
        else:
            bad = _on_bad_views(questions, context) or {q.id: str(error) for q in questions}
            why = {name: f"{MARK}{reason}" for name, reason in bad.items()}
    lost = {}
    for name, reason in why.items():
        lost[name] = Prediction(name, "failed", reason=reason)
    rest = []
    for q in questions:
        if q.id not in lost:
            rest.append(q)
    more, predictions = _attempt(ask, rest, context) if rest else ({}, None)
    return lost | more, predictions


def _on_bad_views(questions: Sequence[Question], context: Context) -> dict[str, str]:
    """Return question id -> error of an unreadable view; {} for questions on the image itself."""
    known: dict[str, str] = {}
    result = {}
    for q in questions:
        for name in q.images:
            if name not in known:
                known[name] = ""
                try:
                    context.inputs.image(name)
                except ImageError as error:
                    known[name] = str(error)
            if known[name]:
                result[q.id] = known[name]
    return result


def _in_order(
    questions: Sequence[Question], lost: Mapping[str, Prediction], predictions: Sequence[Prediction]
) -> list[Prediction]:
    known = {**lost, **by_id(predictions)}
    return [known[q.id] for q in questions]
