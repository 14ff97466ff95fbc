"""A system that goes on where a picture is missing or damaged (`benchmark.on_bad_image=count`).

The questions that show such a picture become failed predictions, counted as wrong, whose reason begins with MARK; so the
report can name them. Of several views of a scene only the questions on the bad ones are lost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from po3d.io.images import ImageError
from po3d.reasoning.questions import Prediction, Question
from po3d.systems.pipeline import Begun, Context, Posed, System, all_answers, at_once

if TYPE_CHECKING:
    from po3d.systems.mixtures import Mixtures

MARK = "bad picture: "
MISSING = "no table: "  # of pictures that perception=file has none of
NAMED = 3  # bad pictures whose reasons a note gives
T = TypeVar("T")


def note(questions: Sequence[Question], predictions: Sequence[Prediction]) -> str | None:
    """How many images and questions were lost, and of which the reasons; None when none were."""
    image, parts = {q.id: q.image for q in questions}, []
    for mark, what in ((MARK, "bad pictures of"), (MISSING, "no tables of")):
        lost = [p for p in predictions if p.reason.startswith(mark)]
        if not lost:
            continue
        reasons = list(dict.fromkeys(p.reason.removeprefix(mark) for p in lost))
        which = "; ".join(reasons[:NAMED]) + ("; ..." if len(reasons) > NAMED else "")
        images = len({image[p.id] for p in lost})
        parts.append(
            f"{what} {images} image{'s' * (images > 1)}: {len(lost)} questions failed, counted as wrong ({which})"
        )
    return "; ".join(parts) or None


@dataclass(frozen=True)
class Counting:
    """The system with bad pictures counted instead of ending the run."""

    system: System

    def mixtures(self) -> "Mixtures | None":
        """What the oracle grid can mix of the system."""
        return self.system.mixtures() if hasattr(self.system, "mixtures") else None

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        lost, found = _attempt(lambda asked: self.system.answer(asked, context), questions, context)
        return _in_order(questions, lost, found or [])

    def answers(self, posed: Sequence[Posed]) -> list[list[Prediction]]:
        try:
            return all_answers(self.system, posed)
        except ImageError:  # of one of them
            return [self.answer(*image) for image in posed]

    @property
    def at_once(self) -> int:
        return at_once(self.system)

    @property
    def ahead(self) -> int:
        """0 where the system is not `Eager`."""
        return getattr(self.system, "ahead", 0)

    def begin(self, questions: Sequence[Question], context: Context) -> Begun:
        lost, begun = _attempt(lambda asked: self.system.begin(asked, context), questions, context)
        return _Rest(questions, lost, begun)


@dataclass(frozen=True)
class _Rest:
    """The answers under way, and those that were lost."""

    questions: Sequence[Question]
    lost: Mapping[str, Prediction]
    begun: Begun | None

    def result(self) -> list[Prediction]:
        return _in_order(self.questions, self.lost, [] if self.begun is None else self.begun.result())

    def cancel(self) -> object:
        return None if self.begun is None else self.begun.cancel()


def _attempt(
    ask: Callable[[Sequence[Question]], T], questions: Sequence[Question], context: Context
) -> tuple[dict[str, Prediction], T | None]:
    """Failed predictions for the questions whose pictures can't be read, and what `ask` gives for the others."""
    try:
        return {}, ask(questions)
    except ImageError as error:
        if missing := set(getattr(error, "names", ())):  # of a file of tables
            shown = {q.id: [n for n in q.images or (q.image,) if n in missing] for q in questions}
            why = {name: f"{MISSING}{', '.join(own)}" for name, own in shown.items() if own}
        else:
            bad = _on_bad_views(questions, context) or {q.id: str(error) for q in questions}
            why = {name: f"{MARK}{reason}" for name, reason in bad.items()}
    lost = {name: Prediction(name, "failed", reason=reason) for name, reason in why.items()}
    rest = [q for q in questions if q.id not in lost]
    more, found = _attempt(ask, rest, context) if rest else ({}, None)
    return lost | more, found


def _on_bad_views(questions: Sequence[Question], context: Context) -> dict[str, str]:
    """Question id -> why one of its views can't be read; {} for questions on the image itself."""
    names = dict.fromkeys(n for q in questions for n in q.images)
    views = context.inputs if names else None
    bad: dict[str, str] = {}
    for name in names:
        try:
            views.image(name)
        except ImageError as error:
            bad[name] = str(error)
    return {q.id: bad[n] for q in questions for n in q.images if n in bad}


def _in_order(
    questions: Sequence[Question], lost: Mapping[str, Prediction], found: Sequence[Prediction]
) -> list[Prediction]:
    known = {**lost, **{p.id: p for p in found}}
    return [known[q.id] for q in questions]
