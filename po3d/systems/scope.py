"""Who answers questions about one space from eight viewpoints: the seam of `po3d.systems.pipeline`, with views and their fusion.

    images ──► a table of each view ──┬──────────────► one view's questions
                                      └──► fuse ─────► questions on several images
    question ──► read ──► program ──► run on the table ──► one of the options

A scene's questions come together (`Question.image` is the scene), so each view is perceived once and each set of views
fused once. `Context.given("views")` gives the pixels and the true table of a view by its file name. A question on one
image is answered from that image's table alone, one on several from the fused table of those.

`ScopeOracle` runs gold programs on the scene's true table. `ScopePipeline` reads the texts; where its tables come from is
a `ViewTables`, by name (`benchmark.table`): "truth", or "picture", what an estimator makes of each image alone.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.language.program import Call, ProgramError
from po3d.language.programs.scope import SCOPE, parse_text
from po3d.language.read.scope_reader import ScopeParse, read
from po3d.reasoning.perturbations import record
from po3d.reasoning.questions import Prediction, Question
from po3d.reasoning.scope_executor import Seen, run, single
from po3d.reasoning.scope_margins import scope_tip
from po3d.scene.fusion import Fused, View, fuse
from po3d.scene.orbit import Reading, sense_of, turned_axes, viewer_axes
from po3d.scene.table import Scene
from po3d.systems.mixtures import Kind
from po3d.systems.pipeline import Context, perceived
from po3d.systems.substitution import checked_modules
from po3d.systems.view_substitution import TABLE, Mixed, substitute, truly_fused

MODULES = (*TABLE, "fusion", "parsing")  # what can be true of it: the tables', where views lie, programs


class SceneViews(Protocol):
    """The views of a scene by file name: what `Context.given("views")` gives."""

    def image(self, name: str) -> NDArray[np.uint8]: ...

    def truth(self, name: str) -> Scene: ...

    def focal(self, name: str) -> float: ...

    @property
    def reading(self) -> Reading: ...


class ViewEstimator(Protocol):
    """Turns pictures with their focal lengths (in widths of the picture) into tables, each level, in a world of its own,
    with the camera where the picture was taken. `po3d.perception.room_view.RoomViewEstimator` is one."""

    def estimate(self, pictures: Sequence[NDArray[np.uint8]], focals: Sequence[float]) -> list[Scene]: ...


class ViewTables(Protocol):
    """Where the tables of views come from. Each is in its own level world and has the viewer's axes. `true`: are they the
    truth, asked for by name?"""

    true: ClassVar[bool]

    def tables(self, names: Sequence[str], context: Context) -> list[Scene]:
        """The table of each view, by file name."""
        ...


@dataclass(frozen=True)
class TrueTables:
    """What each view truly shows: an upper bound for perception, named in the report."""

    true: ClassVar[bool] = True

    def tables(self, names: Sequence[str], context: Context) -> list[Scene]:
        views: SceneViews = context.given("views")
        return [views.truth(name) for name in names]


@dataclass(frozen=True)
class PictureTables:
    """What an estimator makes of the images. Nothing else of a view is used: neither its angle nor its camera's pose."""

    estimator: ViewEstimator
    true: ClassVar[bool] = False

    def tables(self, names: Sequence[str], context: Context) -> list[Scene]:
        views: SceneViews = context.given("views")
        pictures, focals = [views.image(name) for name in names], [views.focal(name) for name in names]
        found = self.estimator.estimate(pictures, focals)
        tables = [_as_seen(scene, name, views.reading) for scene, name in zip(found, names, strict=True)]
        for table in tables:
            context.keep(table)
        return tables


def _as_seen(scene: Scene, name: str, reading: Reading) -> Scene:
    """An estimated table with the axes of who looks through its camera."""
    if scene.camera is None:
        raise AssertionError(f"the estimator gave a table of {name!r} without its camera")
    return replace(scene, image=name, axes=viewer_axes(scene.camera.cam_T_world.rotation[2, :2], reading))


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
    turns are estimated from what they show in common. `oracle` names modules replaced by ground truth: MODULES.
    `samples`: worlds that vote on each answer; 0: the table itself answers, its probability is worked out to first order."""

    source: ViewTables  # TrueTables: an upper bound for perception
    known_yaw: bool = True
    oracle: tuple[str, ...] = ()
    samples: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "oracle", checked_modules(self.oracle, MODULES))

    def mixtures(self) -> Kind | None:
        """What can be true or predicted here; None where tables or modules are true already."""
        from po3d.systems.mixtures.orbit import ScopeKind

        return None if self.source.true or self.oracle else ScopeKind(self)

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        scene = self.perceive(questions, context)
        predictions = []
        for q in questions:
            parsed = gold_reading(q) if "parsing" in self.oracle else read(q.text)
            if parsed.program is None:
                predictions.append(Prediction(q.id, "unparsed", reason=parsed.reason))
                continue
            try:
                predictions.append(_said(q, parsed.program, scene.seen(q), self.samples))
            except (InputError, ProgramError) as failure:
                predictions.append(
                    Prediction(q.id, "failed", program=SCOPE.text(parsed.program), reason=str(failure))
                )
        return predictions

    def perceive(self, questions: Sequence[Question], context: Context) -> "SceneTables":
        """The tables of all views that the questions show."""
        names = tuple(dict.fromkeys(name for q in questions for name in q.meta["images"]))
        found = dict(zip(names, self.source.tables(names, context), strict=True))
        if not self.source.true:
            for name, table in found.items():
                perceived(table, name)
        modules = [m for m in self.oracle if m != "parsing"]
        if not modules:
            return SceneTables(found, self.known_yaw)
        views: SceneViews = context.given("views")
        shown = {name: views.truth(name) for name in names}
        mixed = {name: substitute(found[name], shown[name], modules) for name in names}
        for table in mixed.values():
            context.keep(table.scene)
        return mixed_tables(mixed, self.known_yaw, "fusion" in modules, shown, context.truth)


def gold_reading(question: Question) -> ScopeParse:
    """The gold program of a question."""
    if not question.program:
        return ScopeParse(None, "there is no gold program")
    try:
        return ScopeParse(parse_text(question.program))
    except ProgramError as error:
        return ScopeParse(None, f"gold program: {error}")


TABLES = ("truth", "picture")


def scope_pipeline(
    table: str,
    known_yaw: bool = True,
    perception: str = "room_view_estimator",
    oracle: Sequence[str] = (),
    mirror: bool = True,
    device: str = "cpu",
    samples: int = 0,
) -> ScopePipeline:
    """The pipeline with tables from a named source; `perception`: the name of a shipped pair that looks at pictures, or a
    path without suffix; `oracle`: modules replaced by ground truth; `mirror`: does it look in the mirror, too?
    `device`: where it does; `samples`: see `ScopePipeline`."""
    if table not in TABLES:
        raise InputError(f"unknown table source {table!r}; known: {', '.join(TABLES)}")
    modules = checked_modules(oracle, MODULES)
    if table == "truth":
        if modules:
            raise InputError("oracle= replaces modules of pictures' tables: it needs benchmark.table=picture")
        return ScopePipeline(TrueTables(), known_yaw, samples=samples)
    from po3d.perception.room_view import (
        RoomViewEstimator,  # torch takes seconds to import: only who looks at pictures pays
    )

    tables = PictureTables(RoomViewEstimator.named(perception, mirror, device))
    return ScopePipeline(tables, known_yaw, modules, samples)


def _said(q: Question, program: Call, seen: Seen, samples: int = 0) -> Prediction:
    how = (program, seen, q.meta["options"])
    outcome = run(*how, samples)
    margin = None
    if not samples or run(*how).answer == outcome.answer:  # the margin is that of the table
        margin = record(scope_tip(*how))
    return Prediction(
        q.id, outcome.status, outcome.answer, outcome.probability, SCOPE.text(program), outcome.reason, margin
    )


Fuse = Callable[[tuple[str, ...], Sequence[float]], Fused]  # of views by name and angle (degrees)


class SceneTables:
    """The tables of one scene's views by name, each set of them fused once: by registration, or by `joined`."""

    def __init__(self, tables: Mapping[str, Scene], known_yaw: bool, joined: Fuse | None = None) -> None:
        self.tables, self.known_yaw = tables, known_yaw
        self.fuse = joined or self._registered
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
            self._fused[names] = self.fuse(names, angles)
        return self._fused[names]

    def _registered(self, names: tuple[str, ...], angles: Sequence[float]) -> Fused:
        tables = [self.tables[name] for name in names]
        yaws = [view_yaw(t, angle) if self.known_yaw else None for t, angle in zip(tables, angles)]
        return fuse([View(t, yaw) for t, yaw in zip(tables, yaws)])


def mixed_tables(
    mixed: Mapping[str, Mixed],
    known_yaw: bool,
    fused: bool,
    shown: Mapping[str, Scene],
    whole: Callable[[], Scene],
) -> SceneTables:
    """The tables of views with modules replaced, and where `fused`, made one as they truly are. `shown`, `whole`: the true
    tables of the views and of all things."""

    def joined(names: tuple[str, ...], angles: Sequence[float]) -> Fused:
        return truly_fused([mixed[n] for n in names], [shown[n] for n in names], angles, whole())

    return SceneTables({n: m.scene for n, m in mixed.items()}, known_yaw, joined if fused else None)


def view_yaw(table: Scene, angle: float) -> float:
    """The turn (radians) that brings the table of the view at `angle` degrees into one world for all views, from where its
    viewer looks and which way its axes say the orbit goes. Tables may lie in their worlds as they like."""
    x, y = table.axes["front"]
    return math.remainder(sense_of(table.axes) * math.radians(angle) - math.atan2(y, x), 2 * math.pi)
