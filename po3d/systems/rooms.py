"""Rooms: questions about a room in a reference frame, after a change (Hypo3D).

Frame and change are described by sentences.

    scene ──► frame(text) ──► change(program) ──► SceneGeometry ──► question(program) ──► answer

For an uncertain scene the answer is a vote: posterior samples of the scene are drawn, and change
and question are executed in each.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

from po3d.io.errors import InputError
from po3d.language import program as core
from po3d.language.program import ProgramError
from po3d.language.programs.rooms import ROOMS
from po3d.language.read import room_style
from po3d.language.read.omissions import forgets_how_many
from po3d.language.read.parse import Parse
from po3d.language.say.rooms import is_change, is_question
from po3d.reasoning import room_samples
from po3d.reasoning.apply_edit import Planned, brought_in, plan
from po3d.reasoning.counterfactuals import margins_in, record, record_of
from po3d.reasoning.execute import Evaluator, run
from po3d.reasoning.outcome import ExecutionFailure, Outcome
from po3d.reasoning.questions import Question
from po3d.reasoning.room_samples import FramedSamples, NotBatchable, RoomSamples, applicable
from po3d.reasoning.rules import ROOM_RULES, Rules
from po3d.reasoning.votes import presupposed, vote
from po3d.reasoning.world import VIEWER, SceneGeometry
from po3d.scene.frames import axes_from_front, frame_from_text, frame_text_anchors, read_anchors
from po3d.scene.posterior import (
    KINDS,
    SAMPLE_COUNT,
    Named,
    PosteriorDraw,
    SceneSamples,
    possible,
    uncertain,
)
from po3d.scene.table import Scene
from po3d.systems import scene_sources as sources
from po3d.systems.domain import Domain, Execution, FrameMode, ParsedQuestion
from po3d.systems.estimators import Perception
from po3d.systems.explanation import Explanation, SceneFigure, flipped
from po3d.systems.general_parser import ParserMode, phrase_of, second
from po3d.systems.image_scenes import PREDICTED, TRUTH, ImageScenes, Setting
from po3d.systems.interfaces import QuestionParser, TableSource
from po3d.systems.oracle.rooms import ROOM_TABLES
from po3d.systems.parser_choice import LEAST_STYLE
from po3d.systems.pipeline import Pipeline

GivenFrame = Literal["given"]  # the scene's own axes, set before
Frame = str | core.Call  # the sentences of a frame, or its program
LOOKS = tuple(m for m in ROOM_TABLES.beliefs if m != "shape")


def question_parser(parser: Any) -> QuestionParser:
    """Return the parser of questions and changes by a `RoomParser` (`language.read`)."""

    def read(questions: Sequence[Question]) -> list[ParsedQuestion]:
        changes = list(dict.fromkeys(q.change for q in questions if q.change))
        parses = map(_checked_change, changes, parser.parse(changes, "change"))
        by_change = dict(zip(changes, parses, strict=True))
        parsed = parser.parse([q.text for q in questions], "question")
        return [
            ParsedQuestion(parse.in_core(ROOMS), by_change.get(q.change))
            for q, parse in zip(questions, parsed, strict=True)
        ]

    return QuestionParser(read, parser)


def _checked_change(text: str, parse: Parse) -> Parse:
    """Return the parse of a change, or unparsed if the text speaks of a part of the objects ("two
    of the chairs") and the program takes all of them: the rooms' dialect cannot express a part."""
    parse = parse.in_core(ROOMS)
    if parse.program is None or not forgets_how_many(text, parse.program):
        return parse
    return Parse(
        "unparsed",
        None,
        0.0,
        'the change affects a part of the objects ("two of the chairs"), which programs cannot'
        " express",
    )


def _plainly_framed(text: str) -> bool:
    """Whether there is no frame, or the frame is in the benchmark's wording."""
    try:
        return not text or bool(read_anchors(text))
    except InputError:
        return False


def framed(scene: Scene, text: str, mode: FrameMode | GivenFrame = "anchors") -> Scene:
    """Return the scene with the axes of a question's frame.

    "anchors": as the text says; without a text the scene's own axes (front = top of the map unless
    set before). "none": front = top of the map, the paper's setting without a frame. "camera":
    front = viewing direction of the scene's camera; InputError without a camera. "given": the
    scene's own axes.
    """
    if mode == "given" or (mode == "anchors" and not text):
        return scene
    if mode == "none":
        return replace(scene, axes=axes_from_front((0.0, 1.0)))
    if mode == "camera":
        if scene.camera is None:
            raise InputError(f"{scene.image}: the scene has no camera, so it has no camera frame")
        ahead = scene.camera.cam_T_world.rotation[2]
        return replace(scene, axes=axes_from_front(ahead[:2]))
    return frame_from_text(scene, text)


def framed_room(
    scene: Scene, frame: Frame, mode: FrameMode | GivenFrame, rules: Rules
) -> SceneGeometry:
    """Return the room in the frame of a question, before any change. ExecutionFailure if the
    frame's program refers to an object that is not there. In mode "camera" the viewer stands at the
    camera, else where the program says."""
    if isinstance(frame, str):
        scene = framed(scene, frame, mode)
        return SceneGeometry.of(
            scene, rules, tuple(scene.camera.position[:2].tolist()) if mode == "camera" else None
        )
    plain = Evaluator(SceneGeometry.of(framed(scene, "", mode), rules))
    axes = plain.axes(frame, VIEWER) if mode == "anchors" else plain.world.axes
    return SceneGeometry.of(replace(scene, axes=axes), rules, plain.stand(frame))


def _own_wording(question: Question, reading: ParsedQuestion) -> bool:
    """Whether Hypo3D's twin has this wording: the frame as in the dataset, question and change as
    in the twin's grammar."""
    change = reading.change
    return (
        _plainly_framed(question.frame)
        and is_question(question.text, DOMAIN.spelled(reading.question.program))
        and (change is None or is_change(question.change, DOMAIN.spelled(change.program)))
    )


def _style(question: Question) -> float:
    return min(room_style.style(text) for text in (question.text, question.change) if text)


def _in_style(question: Question, reading: ParsedQuestion) -> bool:
    framed = reading.likely and _plainly_framed(question.frame)
    return framed and _style(question) >= LEAST_STYLE


def _relevant(settings: Mapping[str, Setting], reading: ParsedQuestion) -> Mapping[str, Setting]:
    """Return the settings that affect the answer. An attribute that no program reads gets the
    setting of the others, so that it adds no uncertainty to a scene that is otherwise certain."""
    programs = [DOMAIN.spelled(p.program) for p in reading.parses]
    attributes = {text for p in programs for kind, text in p.tokens() if kind == "attribute"}
    relevant = {
        m: s for m, s in settings.items() if m not in LOOKS or ROOM_TABLES.beliefs[m] in attributes
    }
    predicted = any(relevant[m] == PREDICTED for m in ROOM_TABLES.table if m in relevant)
    return {m: relevant.get(m, PREDICTED if predicted else TRUTH) for m in settings}


class RoomExecutor:
    """Answers questions about one room; the reference frame comes from each question or, if the
    module frame is true, from the true scene."""

    def __init__(self, domain: Domain, tables: ImageScenes) -> None:
        self.domain, self.tables = domain, tables
        self._rooms: dict[Frame | None, FramedRoom] = {}  # by the true frame; None: predicted

    def room(self, frame: Frame) -> "FramedRoom":
        """Return the room in this frame."""
        domain, setting = self.domain, self.tables.setting_of("frame")
        key = None if setting == PREDICTED else frame
        if key not in self._rooms:
            scene, mode = self.tables.scene, domain.frame
            if mode == "camera" and scene.camera is None:
                scene = replace(scene, camera=self.tables.inputs.camera())
            if key is not None:
                world = framed_room(self.tables.true, frame, "anchors", domain.rules)
                scene, mode = replace(scene, axes=world.axes), "given"
                if not isinstance(setting, str):
                    scene = ROOM_TABLES.noisy(scene, "frame", setting, self.tables.seed)
            self._rooms[key] = room(scene, mode, domain.samples, domain.rules, domain.draw)
        return self._rooms[key]

    def run(self, question: Question, reading: ParsedQuestion) -> Execution:
        """Execute a reading. If the moved object is not in the room, execute the change as one that
        brings the object in."""
        frame = reading.frame or question.frame
        executor = self.room(frame)
        change = reading.change.program if reading.change else None
        outcome = executor.run(frame, change, reading.question.program)
        brought = (
            None
            if change is None or outcome.answer is not None
            else brought_in(self.domain.spelled(change))
        )
        brought = brought and ROOMS.to_core(brought)
        if brought is not None and outcome.reason.startswith("change: not found"):
            again = executor.run(frame, brought, reading.question.program)
            if again.answer is not None:
                return Execution(
                    again, reading._replace(change=replace(reading.change, program=brought))
                )
        return Execution(outcome, reading)

    def margin(self, question: Question, execution: Execution) -> dict | None:
        if not self.domain.margins:
            return None
        frame, change = execution.reading.frame or question.frame, execution.reading.change
        arguments = (frame, change.program if change else None, execution.reading.question.program)
        return self.room(frame).margin(*arguments, execution.outcome.answer)

    def figures(self, question: Question) -> tuple[SceneFigure, ...]:
        before, *_ = self.room(question.frame).likeliest(question.frame, None)
        return (
            SceneFigure(
                "top view of the room, front up", ("before", question.frame), before, "front"
            ),
        )

    def explain(self, question: Question, execution: Execution) -> Explanation:
        frame, change = execution.reading.frame or question.frame, execution.reading.change
        question = replace(question, frame=frame)
        try:
            before, planned, world = self.room(frame).likeliest(
                frame, change.program if change else None
            )
        # The frame cannot be determined; the outcome has the reason.
        except (InputError, ExecutionFailure):
            return Explanation(self.tables.scene)
        if planned is None or world is None:
            return Explanation(before)
        program, edited = execution.reading.question.program, planned.edited
        outcome, near = run(program, world), margins_in(program, world)
        spelled = self.domain.spelled
        record = {
            "change_program": str(spelled(change.program)) if change else None,
            "program": str(spelled(program)),
            "notes": list(planned.notes), "margins": record_of(near),
        }  # fmt: skip
        figures, past = self.figures(question), None
        if change:
            title, key = "top view after the change, front up", ("after", frame, change.program)
            figures = (
                SceneFigure(title, key, edited.scene, "front", edited.touched),
                figures[0]._replace(title="before"),
            )
            past = world.now if world.present is not world.was else None
        flip = flipped(near, outcome.answer)
        return Explanation(
            edited.scene, outcome, near, flip, record, planned.notes, figures, edited, before, past
        )


class FramedRoom:
    """Answers questions on one scene without uncertainty, given the frame and the programs of
    change and question. Frames and changed scenes are cached."""

    def __init__(
        self, scene: Scene, rules: Rules, mode: FrameMode | GivenFrame = "anchors"
    ) -> None:
        self.scene, self.rules, self.mode = scene, rules, mode
        self._before: dict[Frame, SceneGeometry] = {}
        self._worlds: dict[tuple[Frame, core.Call | None], SceneGeometry | ExecutionFailure] = {}

    def run(self, frame: Frame, change: core.Call | None, program: core.Call) -> Outcome:
        try:
            return run(program, self._world(frame, change))
        except (ExecutionFailure, InputError, ProgramError) as failure:
            return Outcome("failed", None, reason=str(failure))

    def margin(
        self, frame: Frame, change: core.Call | None, program: core.Call, answer: str | None
    ) -> dict | None:
        """Return how far the scene is from one with another answer."""
        return record(margins_in(program, self._world(frame, change)).flip)

    def likeliest(
        self, frame: Frame, change: core.Call | None
    ) -> tuple[Scene, Planned | None, SceneGeometry | None]:
        """Return the most probable scene in the frame, the planned change and the world after it;
        None for the latter two if the change cannot be carried out."""
        before = self._unchanged(frame)
        try:
            planned = plan(before, change)
        except ExecutionFailure:
            return before.scene, None, None
        return before.scene, planned, before.after(planned.edited)

    def _unchanged(self, frame: Frame) -> SceneGeometry:
        if frame not in self._before:
            self._before[frame] = framed_room(self.scene, frame, self.mode, self.rules)
        return self._before[frame]

    def _world(self, frame: Frame, change: core.Call | None) -> SceneGeometry:
        key = (frame, change)
        if key not in self._worlds:
            before = self._unchanged(frame)
            try:
                self._worlds[key] = before.after(plan(before, change).edited)
            except ExecutionFailure as failure:
                self._worlds[key] = ExecutionFailure(failure.kind, f"change: {failure}")
        world = self._worlds[key]
        if isinstance(world, ExecutionFailure):
            raise world
        return world


class _SampleTables:
    """The most probable table of a room, followed by its posterior samples."""

    def __init__(
        self,
        samples: SceneSamples,
        rules: Rules,
        mode: FrameMode | GivenFrame,
        like: "_SampleTables | None" = None,
    ) -> None:
        self.samples, self.rules, self.mode, self.like = samples, rules, mode, like
        self._framed: dict[str, FramedSamples] = {}

    def __len__(self) -> int:
        return len(self.samples) + 1

    @cached_property
    def rooms(self) -> list[FramedRoom]:
        """One room per table, for programs that run on each table alone."""
        tables = (self.samples.table, *self.samples.scenes())
        return [FramedRoom(table.certain(), self.rules, self.mode) for table in tables]

    @cached_property
    def arrays(self) -> RoomSamples | None:
        """All tables at once; None if they have to stay apart."""
        if self.like is None:
            return RoomSamples(self.samples) if applicable(self.samples) else None
        return None if self.like.arrays is None else RoomSamples(self.samples, self.like.arrays)

    def answers(
        self, frame: Frame, change: core.Call | None, program: core.Call
    ) -> list[str | None]:
        """Return the answer on each table; None where there is none."""
        with suppress(NotBatchable, InputError, ProgramError):
            if self.arrays is not None and isinstance(frame, str) and self.mode != "camera":
                return self._in_frame(frame).answers(change, program)
        return [room.run(frame, change, program).answer for room in self.rooms]

    def _in_frame(self, frame: str) -> FramedSamples:
        if frame not in self._framed:
            anchors = frame if self.mode == "anchors" else ""
            self._framed[frame] = room_samples.framed(
                self.arrays, anchors, lambda scene: framed_room(scene, frame, self.mode, self.rules)
            )
        return self._framed[frame]


class SampledRoom(FramedRoom):
    """An uncertain scene: the posterior samples vote."""

    # Share of the samples: if fewer give an answer, resample with the named objects present.
    ENOUGH = 0.25

    def __init__(
        self,
        scene: Scene,
        rules: Rules,
        mode: FrameMode | GivenFrame,
        count: int,
        draw: Sequence[str],
    ) -> None:
        super().__init__(scene, rules, mode)
        self.count, self.draw = count, draw
        self._likeliest = FramedRoom(scene.certain(), rules, mode)
        self._anchored: dict[Frame, tuple[Frame, list[Named]]] = {}
        self._drawn: dict[tuple[Named, ...], _SampleTables] = {}

    def run(self, frame: Frame, change: core.Call | None, program: core.Call) -> Outcome:
        frame, anchors = self._anchors(frame)
        samples = self._samples(anchors)
        majority = vote(samples.answers(frame, change, program))
        valid = 0.0 if majority is None else majority.answered / majority.worlds
        if majority is None or majority.answered < self.ENOUGH * len(samples):
            named = [n for p in (change, program) if p for n in presupposed(p)]
            granted = self._samples([*anchors, *named])
            majority = vote(granted.answers(frame, change, program)) or majority
        if majority is None:  # failed in all samples; return the reason
            return self._likeliest.run(frame, change, program)
        return Outcome("ok", majority.answer, majority.credence, majority.distribution, valid=valid)

    def margin(
        self, frame: Frame, change: core.Call | None, program: core.Call, answer: str | None
    ) -> dict | None:
        frame, _ = self._anchors(frame)
        likeliest = self._likeliest.run(frame, change, program)
        return (
            self._likeliest.margin(frame, change, program, answer)
            if likeliest.answer == answer
            else None
        )

    def likeliest(
        self, frame: Frame, change: core.Call | None
    ) -> tuple[Scene, Planned | None, SceneGeometry | None]:
        frame, _ = self._anchors(frame)
        return self._likeliest.likeliest(frame, change)

    def _anchors(self, frame: Frame) -> tuple[Frame, list[Named]]:
        """Return the frame, reduced to the anchors that were detected, and the anchors'
        descriptions."""
        if frame not in self._anchored:
            self._anchored[frame] = self._find_anchors(frame)
        return self._anchored[frame]

    def _find_anchors(self, frame: Frame) -> tuple[Frame, list[Named]]:
        frame_text = frame if self.mode == "anchors" else ""
        if not isinstance(frame_text, str):
            return frame, [Named(name) for call in frame_text.calls() if (name := phrase_of(call))]
        stated = read_anchors(frame_text) if frame_text else []
        anchors = [self._anchor(name) for name, _ in stated]
        known = [anchor for anchor, named in zip(stated, anchors) if possible(self.scene, named)]
        if known and len(known) < len(stated):  # the other anchors were not detected
            frame = frame_text_anchors(known)
        return frame, anchors

    def _anchor(self, name: str) -> Named:
        """Resolve an anchor as `frames.anchor_positions` does: drop leading adjectives that match
        no object."""
        whole = Named(name)
        while not possible(self.scene, Named(name)) and " " in name:
            name = name.partition(" ")[2]
        return Named(name) if possible(self.scene, Named(name)) else whole

    @cached_property
    def _draw(self) -> PosteriorDraw:
        return PosteriorDraw(self.scene, self.draw, self.count)

    def _samples(self, named: Sequence[Named]) -> _SampleTables:
        key = tuple(named)
        if key not in self._drawn:
            like = next(iter(self._drawn.values()), None)
            self._drawn[key] = _SampleTables(self._draw.given(named), self.rules, self.mode, like)
        return self._drawn[key]


def room(
    scene: Scene,
    mode: FrameMode | GivenFrame,
    samples: int,
    rules: Rules = ROOM_RULES,
    draw: Sequence[str] = KINDS,
) -> FramedRoom:
    """Return the room for a scene: with `samples` posterior samples if the scene is uncertain in
    one of the kinds `draw`, else its most probable scene."""
    if samples and uncertain(scene, draw):
        return SampledRoom(scene, rules, mode, samples, draw)
    return FramedRoom(scene.certain(), rules, mode)


# Modules beside the scene's: frame (true: the axes that the sentences give on the true scene, else
# on the scene at hand), edit (the program of the change; the new positions follow from the scene at
# hand) and parsing (of the question).
DOMAIN = Domain(
    "rooms",
    "room",
    ROOMS,
    ROOM_RULES,
    ROOM_TABLES,
    RoomExecutor,
    reading=("edit", "parsing"),
    headline="overall",
    read_fields=("frame",),
    explained_with=(("frame", "anchors"),),
    samples=SAMPLE_COUNT,
    draw=KINDS,
    own_wording=_own_wording,
    in_style=_in_style,
    style=_style,
    relevant=_relevant,
)


def source(
    name: str,
    flip_tta: bool = True,
    perception: Perception = "top_view_estimator",
    device: str = "cpu",
) -> TableSource:
    """Return the source of scenes of that name (`benchmark.scenes`); InputError for an unknown one.
    `perception`: estimator for maps, as the name of a shipped pair, a path without suffix or an
    object. `flip_tta`: horizontal-flip test-time augmentation. `device`: where the network runs."""
    if name == "map" and not isinstance(perception, str):
        return sources.source_of(perception, "rooms")
    return sources.source(
        name,
        ground_truth=sources.Truth(),
        semantic_map=sources.Annotated(sources.labelled_map),
        captions=sources.Annotated(sources.captions),
        map=sources.Maps(perception, flip_tta, device),
    )


def pipeline(
    scenes: str = "map",
    parser_checkpoint: str = "room_parser",
    frame: FrameMode = "anchors",
    samples: int = SAMPLE_COUNT,
    oracle: Sequence[str] = (),
    flip_tta: bool = True,
    perception: Perception = "top_view_estimator",
    device: str = "cpu",
    draw: Sequence[str] | str = KINDS,
    parser: ParserMode = "cascade",
) -> Pipeline:
    """Return the pipeline of rooms.

    `parser_checkpoint`: a shipped or given checkpoint. `oracle`: modules replaced by ground truth.
    `device`: where the networks run. `parser`: a `ParserMode`. The others as in `source` and
    `Domain`.
    """
    executor = replace(DOMAIN, frame=frame, samples=samples, draw=draw)
    table_source = source(scenes, flip_tta, perception, device)
    benchmark_reader = benchmark_parser(parser_checkpoint, device)
    return Pipeline(
        table_source, benchmark_reader, executor, tuple(oracle), second(parser, executor, device)
    )


def benchmark_parser(checkpoint: str = "room_parser", device: str = "cpu") -> QuestionParser:
    """Return the parser of a shipped or given checkpoint."""
    from po3d.io.checkpoint import locate
    from po3d.language.read.room_parser import RoomParser  # torch takes seconds to import

    return question_parser(RoomParser.from_checkpoint(locate(checkpoint), device=device))
