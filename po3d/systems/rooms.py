"""Rooms: questions about a room in a frame that a sentence defines, after a change that another describes (Hypo3D).

    table ──► frame(text) ──► change(text or program) ──► World ──► question(text or program) ──► answer

A table that is only believed answers by vote: worlds are drawn from it, in each of which change and question are worked out.

Above 400 lines: frame, change, vote and what is told of them are one world's, and each needs the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal, Protocol, get_args

from po3d.io.errors import InputError, known
from po3d.language import program as core
from po3d.language.english import singular, words_of
from po3d.language.program import ProgramError
from po3d.language.programs.rooms import ROOMS, Call, parse_text
from po3d.language.read.omissions import forgets_how_many
from po3d.language.read.parse import Parse
from po3d.language.say.rooms import is_change, is_question
from po3d.reasoning.execute import Evaluator, run
from po3d.reasoning.margins import margins_in, record, record_of
from po3d.reasoning.outcome import ExecutionFailure, Outcome
from po3d.reasoning.plan import Planned, brought_in, plan
from po3d.reasoning.questions import Question
from po3d.reasoning.rules import ROOM_RULES, Rules
from po3d.reasoning.votes import Vote, presupposed, vote
from po3d.reasoning.world import VIEWER, World
from po3d.scene.frames import axes_from_front, frame_from_text, frame_text_anchors, read_anchors
from po3d.scene.index import Layout
from po3d.scene.rooms import CATEGORIES, SYNONYMS
from po3d.scene.table import Scene
from po3d.scene.worlds import KINDS, WORLDS, Named, kinds, possible, uncertain, worlds
from po3d.systems import pipeline as parts
from po3d.systems import tables as sources
from po3d.systems.estimators import Perception
from po3d.systems.explained import Explained, Shown, flipped
from po3d.systems.learned import Which, phrase_of, second
from po3d.systems.pipeline import PREDICTED, TRUTH, Pipeline, Ran, Reading, Setting, Tables
from po3d.systems.room_substitution import ROOM_TABLES

Sort = Literal["question", "change"]
FrameMode = Literal["anchors", "none", "camera"]
Given = Literal["given"]  # the scene's own axes: somebody framed it before
Frame = str | core.Call  # the sentences of a frame, or its program
LOOKS = tuple(m for m in ROOM_TABLES.beliefs if m != "shape")


class TextParser(Protocol):
    """Turns texts into programs; `po3d.language.read.room_parser.RoomParser` is one."""

    def parse(self, texts: Sequence[str], sort: Sort) -> list[Parse]: ...


@dataclass(frozen=True)
class Reader:
    parser: TextParser

    def read(self, questions: Sequence[Question]) -> list[Reading]:
        changes = list(dict.fromkeys(q.change for q in questions if q.change))
        read = dict(zip(changes, map(_kept, changes, self.parser.parse(changes, "change")), strict=True))
        parsed = self.parser.parse([q.text for q in questions], "question")
        return [Reading(one, read.get(q.change)) for q, one in zip(questions, parsed, strict=True)]


def _kept(text: str, parse: Parse) -> Parse:
    """What was read in a change; unread where it takes all of the things that the text says a part of: the rooms' own spelling has no
    word for a part."""
    if parse.program is None or not forgets_how_many(text, ROOMS.meant(parse.program)):
        return parse
    return Parse("unparsed", None, 0.0, "how many of them it is about was not understood")


def _plainly_framed(text: str) -> bool:
    """Whether a frame is none, or is told as the benchmark tells them."""
    try:
        return not text or bool(read_anchors(text))
    except InputError:
        return False


def framed(scene: Scene, text: str, mode: FrameMode | Given = "anchors") -> Scene:
    """The scene in the frame of a question; without one, in its own: the map's top is the front, where nobody put it in another.
    "none" is the paper's setting without a frame: the map's top.
    "camera": the front is where the camera of the scene looks; InputError when the table has no camera."""
    if mode == "given" or (mode == "anchors" and not text):
        return scene
    if mode == "none":
        return replace(scene, axes=axes_from_front((0.0, 1.0)))
    if mode == "camera":
        if scene.camera is None:
            raise InputError(f"{scene.image}: the table has no camera, so there is no camera frame")
        ahead = scene.camera.cam_T_world.rotation[2]
        return replace(scene, axes=axes_from_front(ahead[:2]))
    return frame_from_text(scene, text)


def seen_from(scene: Scene, frame: Frame, mode: FrameMode | Given, rules: Rules) -> World:
    """The room in the frame of a question, to which nothing happened yet; ExecutionFailure where a program of a frame names what is
    not there. In mode "camera" who asks stands there, else where the program says."""
    if isinstance(frame, str):
        scene = framed(scene, frame, mode)
        return World.of(scene, rules, tuple(scene.camera.position[:2].tolist()) if mode == "camera" else None)
    plain = Evaluator(World.of(framed(scene, "", mode), rules))
    axes = plain.axes(frame, VIEWER) if mode == "anchors" else plain.world.axes
    return World.of(replace(scene, axes=axes), rules, plain.stand(frame))


@dataclass(frozen=True)
class Executor(parts.Executor):
    """`samples`: worlds drawn from a table that is only believed; 0 takes the most probable one alone. `draw`: kinds of belief
    (`po3d.scene.worlds`) that differ between them, the others have their most probable value.

    Modules beside the table's: frame (true: the axes that the sentences give on the true table; else on the table at hand),
    edit (the program of the change; where it puts things follows from the table at hand) and parsing (of the question)."""

    frame: FrameMode = "anchors"
    samples: int = WORLDS
    rules: Rules = ROOM_RULES
    draw: tuple[str, ...] = KINDS
    margins: bool = True  # predictions say how near another answer was

    substitution = ROOM_TABLES
    modules: ClassVar[tuple[str, ...]] = (*ROOM_TABLES.table, "frame", "edit", "parsing")
    reading: ClassVar[tuple[str, ...]] = ("edit", "parsing")
    headline: ClassVar[str] = "overall"
    kind = "room"
    dialect = ROOMS

    def __post_init__(self) -> None:
        object.__setattr__(self, "draw", kinds(self.draw))
        known("frame", self.frame, get_args(FrameMode))

    @classmethod
    def explaining(cls, options: Mapping[str, Any]) -> "Executor":
        return cls(options.get("frame", "anchors"), samples=0)

    def absent(self, text: str, scene: Scene) -> str:
        called, words = Layout(scene).called, [singular(w) for w in words_of(text)]
        nouns = [" ".join(pair) for pair in pairwise(words)] + words
        return next((n for n in nouns if (n in CATEGORIES or n in SYNONYMS) and not called(n)), "")

    def own_wording(self, question: Question, reading: Reading) -> bool:
        """Whether Hypo3D's twin says it so: the frame in the dataset's sentences, question and change in those of its grammar."""
        change = reading.change
        return (
            _plainly_framed(question.frame)
            and is_question(question.text, reading.asked.program)
            and (change is None or is_change(question.change, change.program))
        )

    def text(self, reading: Reading) -> str:
        asked = reading.asked.program.text()
        return asked if reading.change is None else f"{reading.change.program} ; {asked}"

    def gold(self, question: Question, rows: bool = False) -> Reading:
        change = question.change_program
        told = self.gold_parse(change) if change or question.change else None
        return Reading(self.gold_parse(question.program), told)

    def told(self, question: Question, text: str) -> Reading:
        change, _, asked = text.rpartition(" ; ")
        return Reading(Parse("ok", parse_text(asked)), Parse("ok", parse_text(change)) if change else None)

    def of(self, question: Question) -> str:
        return question.frame

    def relevant(self, settings: Mapping[str, Setting], reading: Reading) -> Mapping[str, Setting]:
        """Looks that no program asks for are as the rest is, so that a table without any other doubt has none of these either."""
        programs = [p.program for p in reading.parses]
        asked = {text for p in programs for kind, text in p.tokens() if kind == "attribute"}
        kept = {m: s for m, s in settings.items() if m not in LOOKS or ROOM_TABLES.beliefs[m] in asked}
        rest = PREDICTED if any(kept[m] == PREDICTED for m in ROOM_TABLES.table if m in kept) else TRUTH
        return {m: kept.get(m, rest) for m in settings}

    def mixable(self) -> None:
        if self.frame != "anchors":
            raise InputError(f"the grid of rooms needs benchmark.frame=anchors, not {self.frame}")

    def on(self, tables: Tables) -> "Rooms":
        return Rooms(self, tables)

    def exactly(self, truth: Scene) -> "Rooms":
        return replace(self, frame="anchors", samples=0).on(Tables({truth.image: truth}))


class Rooms:
    """What answers on one table: in the frame of the questions' sentences on it, or in that of the true table."""

    def __init__(self, executor: Executor, tables: Tables) -> None:
        self.executor, self.tables = executor, tables
        self._rooms: dict[Frame | None, Room] = {}  # by a true frame

    def room(self, frame: Frame) -> "Room":
        """What answers on the table in this frame."""
        executor, how = self.executor, self.tables.how("frame")
        key = None if how == PREDICTED else frame
        if key not in self._rooms:
            scene, mode = self.tables.scene, executor.frame
            if mode == "camera" and scene.camera is None:
                scene = replace(scene, camera=self.tables.inputs.camera())
            if key is not None:
                world = seen_from(self.tables.true, frame, "anchors", executor.rules)
                scene, mode = replace(scene, axes=world.axes), "given"
                if not isinstance(how, str):
                    scene = ROOM_TABLES.noisy(scene, "frame", how, self.tables.seed)
            self._rooms[key] = room(scene, mode, executor.samples, executor.rules, executor.draw)
        return self._rooms[key]

    def run(self, question: Question, reading: Reading) -> Ran:
        """The outcome; where what was moved is not in the room, as if it had been brought in."""
        frame = reading.frame or question.frame
        asked = self.room(frame)
        change = reading.change.program if reading.change else None
        outcome = asked.run(frame, change, reading.asked.program)
        brought = None if change is None or outcome.answer is not None else brought_in(change)
        if brought is not None and outcome.reason.startswith("change: not found"):
            again = asked.run(frame, brought, reading.asked.program)
            if again.answer is not None:
                return Ran(again, reading._replace(change=replace(reading.change, program=brought)))
        return Ran(outcome, reading)

    def margin(self, question: Question, ran: Ran) -> dict | None:
        if not self.executor.margins:
            return None
        frame, change = ran.reading.frame or question.frame, ran.reading.change
        how = (frame, change.program if change else None, ran.reading.asked.program)
        return self.room(frame).margin(*how, ran.outcome.answer)

    def shown(self, question: Question) -> tuple[Shown, ...]:
        before, *_ = self.room(question.frame).likeliest(question.frame, None)
        return (Shown("the room, the front above", ("before", question.frame), before, "front"),)

    def explained(self, question: Question, ran: Ran) -> Explained:
        frame, change = ran.reading.frame or question.frame, ran.reading.change
        question = replace(question, frame=frame)
        try:
            before, planned, world = self.room(frame).likeliest(frame, change.program if change else None)
        except (InputError, ExecutionFailure):  # the frame can't be told, as the outcome says
            return Explained(self.tables.scene)
        if planned is None or world is None:
            return Explained(before)
        program, edited = ran.reading.asked.program, planned.edited
        asked = ROOMS.meant(program)
        outcome, near = run(asked, world), margins_in(asked, world)
        record = {
            "change_program": str(change.program) if change else None, "program": str(program),
            "notes": list(planned.notes), "margins": record_of(near),
        }  # fmt: skip
        shown, past = self.shown(question), None
        if change:
            title, key = "after the change, the front above", ("after", frame, change.program)
            shown = (
                Shown(title, key, edited.scene, "front", edited.touched),
                shown[0]._replace(title="before"),
            )
            past = world.now if world.present is not world.was else None
        flip = flipped(near, outcome.answer)
        return Explained(
            edited.scene, outcome, near, flip, record, planned.notes, shown, edited, before, past
        )


class Room:
    """Answers questions on one table from the sentences of the frame and the programs of change and question. The table and its changed
    versions are certain; questions on the same change share the work."""

    def __init__(self, scene: Scene, rules: Rules, mode: FrameMode | Given = "anchors") -> None:
        self.scene, self.rules, self.mode = scene, rules, mode
        self._before: dict[Frame, World] = {}
        self._worlds: dict[tuple[Frame, Call | None], World | ExecutionFailure] = {}

    def run(self, frame: Frame, change: Call | None, program: Call) -> Outcome:
        try:
            return run(ROOMS.meant(program), self._world(frame, change))
        except (ExecutionFailure, InputError, ProgramError) as failure:
            return Outcome("failed", None, reason=str(failure))

    def margin(self, frame: Frame, change: Call | None, program: Call, answer: str | None) -> dict | None:
        """How near the answer was to another one, of the likeliest world, where that gives it, too."""
        return record(margins_in(ROOMS.meant(program), self._world(frame, change)).flip)

    def likeliest(self, frame: Frame, change: Call | None) -> tuple[Scene, Planned | None, World | None]:
        """The most probable table in the frame, what a change makes of it, and both; None where it can't be made."""
        before = self._unchanged(frame)
        try:
            planned = plan(before, change and ROOMS.meant(change))
        except ExecutionFailure:
            return before.scene, None, None
        return before.scene, planned, before.after(planned.edited)

    def _unchanged(self, frame: Frame) -> World:
        if frame not in self._before:
            self._before[frame] = seen_from(self.scene, frame, self.mode, self.rules)
        return self._before[frame]

    def _world(self, frame: Frame, change: Call | None) -> World:
        key = (frame, change)
        if key not in self._worlds:
            before = self._unchanged(frame)
            try:
                self._worlds[key] = before.after(plan(before, change and ROOMS.meant(change)).edited)
            except ExecutionFailure as failure:
                self._worlds[key] = ExecutionFailure(failure.kind, f"change: {failure}")
        world = self._worlds[key]
        if isinstance(world, ExecutionFailure):
            raise world
        return world


class BelievedRoom(Room):
    """A table with beliefs: the worlds drawn from it vote."""

    ENOUGH = 0.25  # of the worlds: when fewer answer, worlds are drawn in which what is named exists

    def __init__(
        self, scene: Scene, rules: Rules, mode: FrameMode | Given, count: int, draw: Sequence[str]
    ) -> None:
        super().__init__(scene, rules, mode)
        self.count, self.draw = count, draw
        self._framed: dict[Frame, list[Room]] = {}

    def run(self, frame: Frame, change: Call | None, program: Call) -> Outcome:
        frame, anchors, rooms = self._rooms(frame)
        found = self._vote(rooms, frame, change, program)
        valid = 0.0 if found is None else found.answered / found.worlds
        if found is None or found.answered < self.ENOUGH * len(rooms):
            named = [n for p in (change, program) if p for n in presupposed(p)]
            found = self._vote(self._drawn([*anchors, *named]), frame, change, program) or found
        if found is None:
            return rooms[0].run(frame, change, program)  # it failed, and says why
        return Outcome("ok", found.answer, found.credence, found.distribution, valid=valid)

    def margin(self, frame: Frame, change: Call | None, program: Call, answer: str | None) -> dict | None:
        frame, _, rooms = self._rooms(frame)
        likeliest = rooms[0].run(frame, change, program)
        return rooms[0].margin(frame, change, program, answer) if likeliest.answer == answer else None

    def likeliest(self, frame: Frame, change: Call | None) -> tuple[Scene, Planned | None, World | None]:
        frame, _, rooms = self._rooms(frame)
        return rooms[0].likeliest(frame, change)

    def _rooms(self, frame: Frame) -> tuple[Frame, list[Named], list[Room]]:
        """The frame that what was seen can tell, what it names, and the worlds."""
        told = frame if self.mode == "anchors" else ""
        if isinstance(told, str):
            said = read_anchors(told) if told else []
            anchors = [self._anchor(name) for name, _ in said]
            known = [one for one, named in zip(said, anchors) if possible(self.scene, named)]
            if known and len(known) < len(said):  # the others were not seen
                frame = frame_text_anchors(known)
        else:
            anchors = [Named(name) for call in told.calls() if (name := phrase_of(call))]
        if told not in self._framed:
            self._framed[told] = self._drawn(anchors)
        return frame, anchors, self._framed[told]

    def _anchor(self, name: str) -> Named:
        """An anchor as `frames.anchor_positions` reads it: leading adjectives that fit nothing are left out."""
        whole = Named(name)
        while not possible(self.scene, Named(name)) and " " in name:
            name = name.partition(" ")[2]
        return Named(name) if possible(self.scene, Named(name)) else whole

    def _drawn(self, named: Sequence[Named]) -> list[Room]:
        """The most probable table, then the worlds."""
        drawn = worlds(self.scene, self.draw, named, self.count)
        return [Room(world.certain(), self.rules, self.mode) for world in (self.scene, *drawn.scenes())]

    def _vote(self, rooms: Sequence[Room], frame: Frame, change: Call | None, program: Call) -> Vote | None:
        return vote(room.run(frame, change, program).answer for room in rooms)


def room(
    scene: Scene,
    mode: FrameMode | Given,
    samples: int,
    rules: Rules = ROOM_RULES,
    draw: Sequence[str] = KINDS,
) -> Room:
    """What answers on a table: `samples` worlds drawn from it when it is uncertain in what is to be drawn, else the most
    probable one."""
    if samples and uncertain(scene, draw):
        return BelievedRoom(scene, rules, mode, samples, draw)
    return Room(scene.certain(), rules, mode)


EXECUTOR = Executor()


def source(
    name: str, mirror: bool = True, perception: Perception = "top_view_estimator", device: str = "cpu"
) -> parts.TableSource:
    """The source of tables of that name (`benchmark.table`); InputError for an unknown one. `perception`: a map's estimator, the
    name of a shipped pair, a path without suffix or an object; `mirror`: does it look in the mirror, too? `device`: where it does."""
    if name == "map" and not isinstance(perception, str):
        return sources.source_of(perception, "rooms")
    return sources.source(
        name,
        truth=sources.Truth(),
        semantic_map=sources.LabelledMaps(),
        captions=sources.Captions(),
        map=sources.Maps(perception, mirror, device),
    )


def pipeline(
    table: str = "map",
    parser: str = "room_parser",
    frame: FrameMode = "anchors",
    samples: int = WORLDS,
    oracle: Sequence[str] = (),
    mirror: bool = True,
    perception: Perception = "top_view_estimator",
    device: str = "cpu",
    draw: Sequence[str] | str = KINDS,
    reader: Which = "both",
) -> Pipeline:
    """The pipeline of a shipped or given parser checkpoint with a source of tables; `oracle`: modules replaced by ground truth;
    `device`: where the networks run; `reader`: of the benchmark's wording, of anybody's, or both (`learned`); the others as of `source`
    and `Executor`."""
    executor = Executor(frame, samples, draw=draw)
    made = source(table, mirror, perception, device)
    own = own_reader(parser, device)
    return Pipeline(made, own, executor, tuple(oracle), second(reader, executor, device))


def own_reader(checkpoint: str = "room_parser", device: str = "cpu") -> Reader:
    """The reader of a shipped or given checkpoint."""
    from po3d.io.checkpoint import locate
    from po3d.language.read.room_parser import RoomParser  # torch takes seconds to import

    return Reader(RoomParser.from_checkpoint(locate(checkpoint), device=device))
