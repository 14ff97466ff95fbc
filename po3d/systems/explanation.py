"""Explanation of an answer, for the interactive API (`api`) and the pages of reports."""

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from po3d.reasoning.counterfactuals import Margins
from po3d.reasoning.outcome import Outcome, TraceStep
from po3d.scene.edits import Edited
from po3d.scene.table import Scene


class SceneFigure(NamedTuple):
    """A scene to display from above. Equal keys mean equal scenes."""

    title: str
    key: Hashable
    scene: Scene
    up: str = "behind"  # the axis that points up in the drawing
    marked: frozenset[int] = frozenset()


class Explanation(NamedTuple):
    """Explanation of an answer, on the most probable scene."""

    # The scene on which the question was answered: after the change, if there is one.
    scene: Scene | None = None
    outcome: Outcome | None = None
    near: Margins | None = None  # the closest decisions of each step
    flip: str = ""  # the smallest change of the scene that changes the answer
    record: Mapping[str, Any] = {}  # further fields of the JSON record
    notes: tuple[str, ...] = ()  # lines printed below the program
    figures: tuple[SceneFigure, ...] = ()
    edited: Edited | None = None  # for a room after a change
    before: Scene | None = None
    # In a trace, rows from this index on belong to the last scene of `shown`, before the change.
    past: int | None = None
    reason: str = ""  # why there is no answer, if plainer than the outcome's reason

    @property
    def steps(self) -> list[tuple[TraceStep, str]]:
        """The steps, each with its closest decision ("" if there is none)."""
        decided = self.near.steps if self.near else ()
        trace = self.outcome.trace if self.outcome else ()
        result = []
        for k, step in enumerate(trace):
            result.append((step, decided[k][0].text if k < len(decided) and decided[k] else ""))
        return result


def flipped(near: Margins, answer: str | None) -> str:
    """Describe the smallest change of the scene that changes the answer; "" if none is known.

    `near`: the decisions on the most probable scene. If the answer on that scene is not `answer`,
    the text says so. The result is also "" if that scene has no answer, or if the change leads to
    `answer`.
    """
    if near.flip is None:
        return ""
    if near.answer == answer:
        return near.flip.text
    if near.answer is None or near.flip.answer == answer:
        return ""
    return f"{near.flip.text} (for the most probable scene, whose answer is {near.answer})"
