"""How an answer came about, for people who ask by hand (`asking`) and for the pages of reports."""

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from po3d.reasoning.margins import Margins
from po3d.reasoning.outcome import Outcome, TraceStep
from po3d.scene.edits import Edited
from po3d.scene.table import Scene


class Shown(NamedTuple):
    """A table as people are shown it, from above. Equal keys are equal tables."""

    title: str
    key: Hashable
    scene: Scene
    up: str = "behind"  # the axis that points up
    marked: frozenset[int] = frozenset()


class Explained(NamedTuple):
    """How an answer came about, on the likeliest table."""

    # The table that the question was answered on: after the change, where there is one.
    scene: Scene | None = None
    outcome: Outcome | None = None
    near: Margins | None = None  # of each step the decisions that were nearest to going the other way
    flip: str = ""  # what would give another answer
    record: Mapping[str, Any] = {}  # what JSON has of it beside the trace
    notes: tuple[str, ...] = ()  # what is said beside the program
    shown: tuple[Shown, ...] = ()
    edited: Edited | None = None  # of a room that was changed
    before: Scene | None = None
    # Rows of a trace from here on are those of the last table shown, before the change.
    past: int | None = None
    reason: str = ""  # why there is no answer, where the outcome's own reason is in the words of programs

    @property
    def steps(self) -> list[tuple[TraceStep, str]]:
        """The steps, each with its nearest decision."""
        decided = self.near.steps if self.near else ()
        trace = self.outcome.trace if self.outcome else ()
        return [
            (step, decided[k][0].text if k < len(decided) and decided[k] else "")
            for k, step in enumerate(trace)
        ]


def flipped(near: Margins, answer: str | None) -> str:
    """What would flip an answer; margins are those of the likeliest table, which may say something else, or nothing."""
    if near.flip is None:
        return ""
    if near.answer == answer:
        return near.flip.text
    if near.answer is None or near.flip.answer == answer:
        return ""
    return f"{near.flip.text} (of the likeliest table, which says {near.answer})"
