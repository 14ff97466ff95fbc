"""Who answers questions about one space from eight viewpoints: the seam of `po3d.systems`, with views and their fusion.

    images ──► a table of each view ──┬──────────────► one view's questions
                                      └──► fuse ─────► questions on several images
    question ──► read ──► program ──► run on the table ──► one of the options

A scene's questions come together (`Question.image` is the scene), so each view is perceived once and each set of views
fused once. `Context.given("views")` gives the pixels and the true table of a view by its file name. A question on one
image is answered from that image's table alone, one on several from the fused table of those.

`ScopeOracle` runs gold programs on the scene's true table. `ScopePipeline` reads the texts; where its tables come from is
a `ViewTables`: the truth for now, an estimator of images later.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from po3d.errors import InputError
from po3d.fusion import Fused, View, fuse
from po3d.orbit import turned_axes
from po3d.parsing.scope_reader import read
from po3d.question import Prediction, Question
from po3d.reasoning.program import ProgramError
from po3d.reasoning.scope_executor import ScopeOutcome, Seen, run, single
from po3d.reasoning.scope_program import Call, parse_text
from po3d.scene import Scene
from po3d.systems import Context, Perception


class SceneViews(Protocol):
    """The views of a scene by file name: what `Context.given("views")` gives."""

    def image(self, name: str) -> NDArray[np.uint8]: ...

    def truth(self, name: str) -> Scene: ...


class ViewTables(Protocol):
    """Where the tables of views come from. Each is in its own level world and has the viewer's axes."""

    def tables(self, names: Sequence[str], context: Context) -> list[Scene]:
        """The table of each view, by file name."""
        ...


@dataclass(frozen=True)
class TrueTables:
    """What each view truly shows: an upper bound for perception, named in the report."""

    def tables(self, names: Sequence[str], context: Context) -> list[Scene]:
        views: SceneViews = context.given("views")
        return [views.truth(name) for name in names]


@dataclass(frozen=True)
class PerceivedTables:
    """What an estimator makes of the images."""

    perception: Perception

    def tables(self, names: Sequence[str], context: Context) -> list[Scene]:
        views: SceneViews = context.given("views")
        return self.perception.estimate([views.image(name) for name in names], names)


@dataclass(frozen=True)
class ScopeOracle:
    """The scene's true table and the gold programs: 100 % on a twin, or something is broken."""

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        if bare := next((q for q in questions if not q.program), None):
            raise InputError(f"question {bare.id} has no gold program: an oracle needs a twin")
        scene, predictions = context.truth(), []
        for q in questions:
            axes = tuple(turned_axes(scene.axes, v) for v in q.meta["views"])
            predictions.append(_said(q, parse_text(q.program), Seen(scene, axes)))
        return predictions


@dataclass(frozen=True)
class ScopePipeline:
    """Texts read, views perceived and fused. `known_yaw`: the angles that the items tell are used; else the views'
    turns are estimated from what they show in common."""

    source: ViewTables = TrueTables()
    known_yaw: bool = True

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        scene = _Views(questions, self.source, self.known_yaw, context)
        predictions = []
        for q in questions:
            parsed = read(q.text)
            if parsed.program is None:
                predictions.append(Prediction(q.id, "unparsed", reason=parsed.reason))
                continue
            try:
                predictions.append(_said(q, parsed.program, scene.seen(q)))
            except (InputError, ProgramError) as failure:
                predictions.append(
                    Prediction(q.id, "failed", program=parsed.program.text(), reason=str(failure))
                )
        return predictions


def scope_pipeline(table: str = "truth", known_yaw: bool = True) -> ScopePipeline:
    """The pipeline with tables from a named source."""
    if table != "truth":
        raise InputError(f"unknown table source {table!r}; known: truth")
    return ScopePipeline(TrueTables(), known_yaw)


def _said(q: Question, program: Call, seen: Seen) -> Prediction:
    outcome: ScopeOutcome = run(program, seen, q.meta["options"])
    return Prediction(
        q.id, outcome.status, outcome.answer, outcome.probability, program.text(), outcome.reason
    )


class _Views:
    """The views of one scene: each perceived once, each set of them fused once."""

    def __init__(
        self, questions: Sequence[Question], source: ViewTables, known_yaw: bool, context: Context
    ) -> None:
        names = list(dict.fromkeys(name for q in questions for name in q.meta["images"]))
        tables = source.tables(names, context)
        self.tables: Mapping[str, Scene] = dict(zip(names, tables, strict=True))
        self.known_yaw = known_yaw
        self._fused: dict[tuple[str, ...], Fused] = {}

    def seen(self, q: Question) -> Seen:
        """What a question is answered from."""
        names = tuple(q.meta["images"])
        if len(names) == 1:
            return single(self.tables[names[0]])
        fused = self.fused(names, q.meta["views"])
        return Seen(fused.scene, tuple(fused.axes(k, self.tables[n].axes) for k, n in enumerate(names)))

    def fused(self, names: tuple[str, ...], angles: Sequence[float]) -> Fused:
        if names not in self._fused:
            tables = [self.tables[name] for name in names]
            yaws = [view_yaw(t, angle) if self.known_yaw else None for t, angle in zip(tables, angles)]
            self._fused[names] = fuse([View(t, yaw) for t, yaw in zip(tables, yaws)])
        return self._fused[names]


def view_yaw(table: Scene, angle: float) -> float:
    """The turn (radians) that brings the table of the view at `angle` degrees into the world of 0 degrees, from which way
    its axes say the orbit goes. Both tables' viewers look the same way in their own worlds."""
    before, after = np.array(table.axes["front"]), np.array(turned_axes(table.axes, angle)["front"])
    return float(np.arctan2(before[0] * after[1] - before[1] * after[0], before @ after))
