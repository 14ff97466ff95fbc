"""Orbits: questions about one scene from eight viewpoints (SCOPE).

    images ──► a scene of each view ──┬──────────────► one view's questions
                                      └──► fuse ─────► questions on several images
    question ──► parser ──► program ──► executor ──► one of the options

A scene's questions are answered together (`Question.image` is the scene), so perception runs once
per view and fusion once per set of views. A question on one image is answered on that view's scene
alone, a question on several on their fused scene.
"""

import functools
import math
import re
from collections.abc import Sequence
from dataclasses import replace

from po3d.language.grammar import load
from po3d.language.program import Call
from po3d.language.programs.scope import SCOPE
from po3d.language.read.parse import Parse
from po3d.language.read.scope_reader import read
from po3d.reasoning.counterfactuals import margins_in, record
from po3d.reasoning.questions import Question
from po3d.reasoning.rules import SCOPE_RULES
from po3d.reasoning.views import ViewEvidence, nearest, run, single
from po3d.reasoning.world import SceneGeometry
from po3d.scene.fusion import Fused, ViewTable, fuse
from po3d.scene.orbit import sense_of, turned_axes
from po3d.scene.table import Scene
from po3d.systems.domain import Domain, Execution, ParsedQuestion
from po3d.systems.explanation import Explanation, SceneFigure, flipped
from po3d.systems.general_parser import as_phrases
from po3d.systems.image_scenes import PREDICTED, ImageScenes
from po3d.systems.interfaces import QuestionParser
from po3d.systems.oracle import Module, SubstitutedScene
from po3d.systems.oracle.views import VIEW_TABLES, truly_fused


def question_parser() -> QuestionParser:
    """Return the rule-based parser."""
    return QuestionParser(lambda questions: [ParsedQuestion(read(q.text)) for q in questions])


def _own_wording(question: Question, reading: ParsedQuestion) -> bool:
    """Whether the question matches a template of SCOPE or its twin."""
    return any(form.fullmatch(question.text) for form in _forms())


def _adapted(program: Call, question: Question) -> Parse:
    return Parse("ok", as_phrases(program))


@functools.cache
def _forms() -> tuple[re.Pattern[str], ...]:
    return tuple(map(load("scope").template, ("paper.", "ours.")))


class OrbitExecutor:
    """Answers questions on the views of one scene; each set of views is fused once."""

    def __init__(self, domain: Domain, tables: ImageScenes) -> None:
        self.domain, self.tables = domain, tables
        self._fused: dict[tuple[str, ...], Fused] = {}

    def run(self, question: Question, reading: ParsedQuestion) -> Execution:
        arguments = (reading.question.program, self.evidence(question), question.options)
        return Execution(run(*arguments, self.domain.samples), reading)

    def margin(self, question: Question, execution: Execution) -> dict | None:
        arguments = (execution.reading.question.program, self.evidence(question), question.options)
        if self.domain.samples and run(*arguments).answer != execution.outcome.answer:
            return None  # the margin is that of the most probable scene
        return record(nearest(*arguments))

    def figures(self, question: Question) -> tuple[SceneFigure, ...]:
        evidence = self.evidence(question)
        scene = (
            replace(evidence.table, axes=evidence.views[0]) if evidence.views else evidence.table
        )
        title = f"seen from above, the camera of {question.images[0]} below"
        return (SceneFigure(title, tuple(question.images), scene),)

    def explain(self, question: Question, execution: Execution) -> Explanation:
        program, evidence, outcome = (
            execution.reading.question.program,
            self.evidence(question),
            execution.outcome,
        )
        near = margins_in(
            program,
            SceneGeometry.of(evidence.table, SCOPE_RULES),
            evidence.question_info(question.options),
        )
        record, figures = {"margins": self.margin(question, execution)}, self.figures(question)
        return Explanation(
            evidence.table, outcome, near, flipped(near, outcome.answer), record, figures=figures
        )

    def evidence(self, question: Question) -> ViewEvidence:
        """Return the scene and viewers from which a question is answered."""
        if self.tables.whole:
            return _from_angles(self.tables.scene, question.views)
        names = tuple(question.images)
        if len(names) == 1 and len(question.views) > 1:
            return _from_angles(self.tables.views[names[0]], question.views)
        if len(names) == 1:
            return single(self.tables.views[names[0]])
        if names not in self._fused:
            self._fused[names] = self._joined(names, question.views)
        fused, views = self._fused[names], self.tables.views
        return ViewEvidence(
            fused.scene, tuple(fused.axes(k, views[n].axes) for k, n in enumerate(names))
        )

    def _joined(self, names: tuple[str, ...], angles: Sequence[float]) -> Fused:
        tables = self.tables
        if tables.setting_of("fusion") != PREDICTED:
            mixed = [SubstitutedScene(tables.views[n], tuple(tables.rows[n])) for n in names]
            return truly_fused(mixed, [tables.truth[n] for n in names], angles, tables.true)
        joined = []
        for name, angle in zip(names, angles):
            view = tables.views[name]
            joined.append(ViewTable(view, view_yaw(view, angle) if self.domain.known_yaw else None))
        return fuse(joined)


def _from_angles(scene: Scene, angles: Sequence[float]) -> ViewEvidence:
    """Return a scene as seen by cameras at these angles of its orbit."""
    return ViewEvidence(scene, tuple(turned_axes(scene.axes, angle) for angle in angles))


def view_yaw(table: Scene, angle: float) -> float:
    """Return the rotation about z (radians) from the world of the view at `angle` degrees into the
    common world of all views. It is derived from the axes of the view: where its viewer looks, and
    the direction of the orbit; the orientation of the view's own world is arbitrary."""
    x, y = table.axes["front"]
    return math.remainder(
        sense_of(table.axes) * math.radians(angle) - math.atan2(y, x), 2 * math.pi
    )


# The module fusion (true: true relative poses of the views and true identities of their objects;
# else the views at hand are registered) is beside those of the views' scenes.
DOMAIN = Domain(
    "orbit",
    "orbit",
    SCOPE,
    SCOPE_RULES,
    VIEW_TABLES.with_modules(fusion=Module(of_scene=False)),
    OrbitExecutor,
    lambda domain, checkpoint, device: question_parser(),
    {
        "scenes": "predicted",
        "known_yaw": True,
        "perception": "room_view_estimator",
        "oracle": (),
        "flip_tta": True,
        "device": "cpu",
        "samples": 0,
        "parser": "cascade",
    },
    read_fields=("images", "options"),
    core_lengths=True,
    explanation_settings=(("known_yaw", True),),
    own_wording=_own_wording,
    adapted=_adapted,
)
