"""Answers about one room, given the frame and the programs of change and question.

    scene ──► frame(text) ──► change(program) ──► SceneGeometry ──► question(program) ──► answer

For an uncertain scene the answer is a vote: posterior samples of the scene are drawn, and change
and question are executed in each.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Literal

from po3d.io.errors import InputError
from po3d.language import program as core
from po3d.language.program import ProgramError
from po3d.reasoning import room_samples
from po3d.reasoning.apply_edit import Planned, plan
from po3d.reasoning.counterfactuals import margins_in, record
from po3d.reasoning.execute import Evaluator, run
from po3d.reasoning.outcome import ExecutionFailure, Outcome
from po3d.reasoning.room_samples import FramedSamples, NotBatchable, RoomSamples, applicable
from po3d.reasoning.rules import ROOM_RULES, Rules
from po3d.reasoning.votes import presupposed, vote
from po3d.reasoning.world import VIEWER, SceneGeometry
from po3d.scene.frames import axes_from_front, frame_from_text, frame_text_anchors, read_anchors
from po3d.scene.posterior import KINDS, Named, PosteriorDraw, SceneSamples, possible, uncertain
from po3d.scene.table import Scene
from po3d.systems.domain import FrameMode
from po3d.systems.general_parser import phrase_of

GivenFrame = Literal["given"]  # the scene's own axes, set before
Frame = str | core.Call  # the sentences of a frame, or its program


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
    frame's program refers to an object that is not there. The viewer stands at the camera in mode
    "camera", else at the position given by the program."""
    if isinstance(frame, str):
        scene = framed(scene, frame, mode)
        return SceneGeometry.of(
            scene, rules, tuple(scene.camera.position[:2].tolist()) if mode == "camera" else None
        )
    plain = Evaluator(SceneGeometry.of(framed(scene, "", mode), rules))
    axes = plain.axes(frame, VIEWER) if mode == "anchors" else plain.world.axes
    return SceneGeometry.of(replace(scene, axes=axes), rules, plain.stand(frame))


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
        """All tables as arrays; None if programs must run on each table separately."""
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
            named = presupposed(change) if change else ()
            granted = self._samples([*anchors, *named, *presupposed(program)])
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
            return frame, list(map(Named, filter(None, map(phrase_of, frame_text.calls()))))
        stated = read_anchors(frame_text) if frame_text else []
        anchors, known = [], []
        for name, side in stated:
            anchors.append(self._anchor(name))
            if possible(self.scene, anchors[-1]):
                known.append((name, side))
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
