"""Who answers questions about changed rooms: the same seam as `po3d.systems.pipeline`, with a frame and a change in between.

    table ──► frame(text) ──► change(text or program) ──► World ──► question(text or program) ──► answer

`RoomOracle` runs gold programs on true tables. `RoomPipeline` reads the texts; its table comes from a source
(`po3d.systems.room_sources`).
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, get_args

from po3d.io.checkpoint import locate
from po3d.io.errors import InputError
from po3d.language.programs.rooms import Call, parse_text
from po3d.language.read.room_parser import RoomParse, RoomParser, Sort
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.perturbations import record
from po3d.reasoning.questions import Prediction, Question
from po3d.reasoning.room_executor import run
from po3d.reasoning.room_margins import room_margins
from po3d.reasoning.room_planner import Planned, brought_in, plan
from po3d.reasoning.room_world import DEFAULT_ROOM_RULES, RoomRules, World
from po3d.reasoning.votes import Vote, presupposed, vote
from po3d.scene.frames import axes_from_front, frame_from_text, frame_text_anchors, read_anchors
from po3d.scene.index import Layout
from po3d.scene.table import Scene
from po3d.scene.worlds import KINDS, WORLDS, Named, kinds, possible, uncertain, worlds
from po3d.systems.mixtures import Kind
from po3d.systems.pipeline import Context
from po3d.systems.room_sources import TRUTH, TableSource, checked, source
from po3d.systems.room_substitution import MODULES, TABLE, substitute
from po3d.systems.substitution import checked_modules

FrameMode = Literal["anchors", "none", "camera"]
Given = Literal["given"]  # the scene's own axes: somebody framed it before


class Room(Protocol):
    """Answers questions on one table from the programs of change and question."""

    def answer(self, q: Question, change: Call | None, program: Call, certainty: float = 1.0) -> Prediction:
        """A prediction whose probability is that of the answer times the `certainty` of the programs."""
        ...


class TextParser(Protocol):
    def parse(self, texts: Sequence[str], sort: Sort) -> list[RoomParse]: ...


def framed(scene: Scene, text: str, mode: FrameMode | Given = "anchors") -> Scene:
    """The scene in the frame of a question. "none" is the paper's setting without a frame: the map's top is the front.
    "camera": the front is where the camera of the scene looks; InputError when the table has no camera."""
    if mode == "given":
        return scene
    if mode == "none" or (mode == "anchors" and not text):
        return replace(scene, axes=axes_from_front((0.0, 1.0)))
    if mode == "camera":
        if scene.camera is None:
            raise InputError(f"{scene.image}: the table has no camera, so there is no camera frame")
        ahead = scene.camera.cam_T_world.rotation[2]
        return replace(scene, axes=axes_from_front(ahead[:2]))
    return frame_from_text(scene, text)


@dataclass(frozen=True)
class RoomOracle:
    """The true table and the gold programs of change and question: 100 % on a twin, or something is broken."""

    rules: RoomRules = DEFAULT_ROOM_RULES

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        answers = _Room(context.truth(), self.rules, margins=True)
        predictions = []
        for q in questions:
            predictions.append(answers.answer(q, _gold_change(q), _gold(q)))
        return predictions


@dataclass(frozen=True)
class RoomPipeline:
    """Texts read by the room parser, on the table of a source. `samples`: worlds drawn from a table that is only
    believed; 0 takes the most probable one alone. `draw`: kinds of belief (`po3d.scene.worlds`) that differ between them,
    the others have their most probable value. `oracle`: modules replaced by ground truth."""

    parser: TextParser
    table: TableSource  # TRUTH: true tables, an upper bound for perception
    frame: FrameMode = "anchors"
    samples: int = WORLDS
    rules: RoomRules = DEFAULT_ROOM_RULES
    oracle: tuple[str, ...] = ()  # of room_substitution.MODULES
    draw: tuple[str, ...] = KINDS

    def __post_init__(self) -> None:
        object.__setattr__(self, "oracle", checked_modules(self.oracle, MODULES))
        object.__setattr__(self, "draw", kinds(self.draw))
        if self.table == TRUTH and set(self.oracle) & set(TABLE):
            raise InputError(
                "oracle= replaces modules of believed tables: it needs benchmark.table=map, for one"
            )

    def mixtures(self) -> Kind | None:
        """What can be true or predicted here; None where tables or modules are true already."""
        from po3d.systems.mixtures.rooms import RoomKind

        return None if self.table == TRUTH or self.oracle else RoomKind(self)

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        scene = checked(self.table, context)
        if self.frame == "camera" and scene.camera is None:
            try:
                scene = replace(scene, camera=context.given("camera"))
            except InputError as missing:  # of this room; others may have one
                return [Prediction(q.id, "failed", reason=str(missing)) for q in questions]
        if modules := [m for m in TABLE if m in self.oracle]:
            scene = substitute(scene, context.truth(), modules)
        answering = functools.cache(functools.partial(self._room, scene, context))
        predictions = []
        for q, (change, parsed) in zip(questions, self._programs(questions), strict=True):
            if change is not None and change.program is None:
                predictions.append(Prediction(q.id, "unparsed", reason=f"change: {change.reason}"))
            elif parsed.program is None:
                predictions.append(Prediction(q.id, "unparsed", reason=parsed.reason))
            else:
                certainty = parsed.probability * (change.probability if change else 1.0)
                asked = answering(q.meta["frame"] if "frame" in self.oracle else None)
                predictions.append(
                    _answered(asked, q, change.program if change else None, parsed.program, certainty)
                )
        return predictions

    def _room(self, scene: Scene, context: Context, frame: str | None) -> Room:
        """What answers on the table; in the true frame of that text, if there is one."""
        mode: FrameMode | Given = self.frame
        if frame is not None:
            scene, mode = replace(scene, axes=framed(context.truth(), frame).axes), "given"
        return room(scene, mode, self.samples, self.rules, margins=True, draw=self.draw)

    def _programs(self, questions: Sequence[Question]) -> list[tuple[RoomParse | None, RoomParse]]:
        """As `read`, with gold programs where they are asked for."""
        found = []
        for q, (change, parsed) in zip(questions, self.read(questions), strict=True):
            if "edit" in self.oracle and q.meta["change"]:
                change = RoomParse("ok", _gold_change(q), 1.0)
            if "parsing" in self.oracle:
                parsed = RoomParse("ok", _gold(q), 1.0)
            found.append((change, parsed))
        return found

    def read(self, questions: Sequence[Question]) -> list[tuple[RoomParse | None, RoomParse]]:
        """Of each question how its change, None when there is none, and its own text were read."""
        changes = list(dict.fromkeys(q.meta["change"] for q in questions if q.meta["change"]))
        read = dict(zip(changes, self.parser.parse(changes, "change"), strict=True))
        parsed = self.parser.parse([q.text for q in questions], "question")
        return [(read.get(q.meta["change"]), one) for q, one in zip(questions, parsed, strict=True)]


def _answered(asked: Room, q: Question, change: Call | None, program: Call, certainty: float) -> Prediction:
    """The answer; where what was moved is not in the room, as if it had been brought in."""
    found = asked.answer(q, change, program, certainty)
    if change is None or found.status != "failed" or (brought := brought_in(change)) is None:
        return found
    if not found.reason.startswith("change: not found"):
        return found
    again = asked.answer(q, brought, program, certainty)
    return again if again.status == "ok" else found


def room_pipeline(
    parser: str,
    table: str,
    frame: FrameMode = "anchors",
    samples: int = WORLDS,
    oracle: Sequence[str] = (),
    mirror: bool = True,
    perception: str = "top_view_estimator",
    device: str = "cpu",
    draw: Sequence[str] | str = KINDS,
) -> RoomPipeline:
    """The pipeline of a shipped or given parser checkpoint, with the table source of that name; `oracle`: modules replaced
    by ground truth; `perception`: the maps' estimator; `mirror`: does it look in the mirror, too? `device`: where the
    networks run; `samples`, `draw`: see `RoomPipeline`."""
    if frame not in get_args(FrameMode):
        raise InputError(f"unknown frame {frame!r}; known: {', '.join(get_args(FrameMode))}")
    return RoomPipeline(
        RoomParser.from_checkpoint(locate(parser), device=device),
        source(table, mirror, perception, device),
        frame,
        samples,
        oracle=tuple(oracle),
        draw=draw,
    )


def room(
    scene: Scene,
    frame: FrameMode | Given,
    samples: int,
    rules: RoomRules = DEFAULT_ROOM_RULES,
    margins: bool = False,
    draw: Sequence[str] = KINDS,
) -> Room:
    """What answers the questions on a table: `samples` worlds drawn from it when it is uncertain in what is to be drawn,
    else the most probable one. `margins`: its predictions say how near another answer was."""
    if samples and uncertain(scene, draw):
        return _Believed(scene, rules, frame, samples, margins, draw)
    return _Room(scene.certain(), rules, frame, margins)


def _gold(question: Question) -> Call:
    if not question.program:
        raise InputError(f"question {question.id} has no gold program: an oracle needs a twin")
    return parse_text(question.program)


def _gold_change(question: Question) -> Call | None:
    return parse_text(question.meta["change_program"]) if question.meta.get("change_program") else None


class _Room:
    """One table and its changed versions; questions on the same change share the work."""

    def __init__(
        self, scene: Scene, rules: RoomRules, mode: FrameMode | Given = "anchors", margins: bool = False
    ) -> None:
        self.scene, self.rules, self.mode, self.margins = scene, rules, mode, margins
        self._layouts: dict[str, Layout] = {}  # by frame
        self._worlds: dict[tuple[str, Call | None], World | ExecutionFailure] = {}

    def answer(self, q: Question, change: Call | None, program: Call, certainty: float = 1.0) -> Prediction:
        """A prediction for question q from the programs of its change and itself."""
        text = program.text() if change is None else f"{change} ; {program}"
        try:
            outcome = run(program, self._world(q.meta["frame"], change))
        except (ExecutionFailure, InputError) as failure:
            return Prediction(q.id, "failed", program=text, reason=str(failure))
        if outcome.answer is None:
            return Prediction(q.id, "failed", program=text, reason=outcome.reason)
        margin = self.margin(q, change, program) if self.margins else None
        return Prediction(q.id, "ok", outcome.answer, certainty, text, margin=margin)

    def margin(self, q: Question, change: Call | None, program: Call) -> dict | None:
        """How near the answer to a question was to another one (`Prediction.margin`)."""
        return record(room_margins(program, self._world(q.meta["frame"], change)).tip)

    def _world(self, frame_text: str, change: Call | None) -> World:
        key = (frame_text, change)
        if key not in self._worlds:
            if frame_text not in self._layouts:
                self._layouts[frame_text] = Layout(framed(self.scene, frame_text, self.mode))
            before = self._layouts[frame_text]
            try:
                planned: Planned = plan(before, change, self.rules)
                self._worlds[key] = World(planned.edited, before, self.rules)
            except ExecutionFailure as failure:
                self._worlds[key] = ExecutionFailure(failure.kind, f"change: {failure}")
        world = self._worlds[key]
        if isinstance(world, ExecutionFailure):
            raise world
        return world


class _Believed:
    """A table with beliefs: the worlds drawn from it vote, each a `_Room` of its own."""

    ENOUGH = 0.25  # of the worlds: when fewer answer, worlds are drawn in which what is named exists

    def __init__(
        self,
        scene: Scene,
        rules: RoomRules,
        mode: FrameMode | Given,
        count: int,
        margins: bool,
        draw: Sequence[str],
    ) -> None:
        self.scene, self.rules, self.mode, self.count, self.margins = scene, rules, mode, count, margins
        self.draw = draw
        self._framed: dict[str, list[_Room]] = {}

    def answer(self, q: Question, change: Call | None, program: Call, certainty: float = 1.0) -> Prediction:
        """As `_Room.answer`; the probability is the certainty times that of the vote. A margin is that of
        the likeliest world, where that says the same."""
        text = q.meta["frame"] if self.mode == "anchors" else ""
        said = read_anchors(text) if text else []
        anchors = [self._anchor(name) for name, _ in said]
        known = [one for one, named in zip(said, anchors) if possible(self.scene, named)]
        if known and len(known) < len(said):  # the others were not seen: what was seen tells the frame
            q = replace(q, meta={**q.meta, "frame": frame_text_anchors(known)})
        if text not in self._framed:
            self._framed[text] = self._drawn(anchors)
        rooms = self._framed[text]
        found = self._vote(rooms, q, change, program)
        if found is None or found.answered < self.ENOUGH * len(rooms):
            named = [n for p in (change, program) if p for n in presupposed(p)]
            found = self._vote(self._drawn([*anchors, *named]), q, change, program) or found
        likeliest = rooms[0].answer(q, change, program, certainty)
        if found is None:
            return likeliest  # it failed, and says why
        margin = None
        if self.margins and likeliest.answer == found.answer:
            margin = rooms[0].margin(q, change, program)
        return Prediction(
            q.id, "ok", found.answer, certainty * found.credence, likeliest.program, margin=margin
        )

    def _anchor(self, name: str) -> Named:
        """An anchor as `frames.anchor_positions` reads it: leading adjectives that fit nothing are left out."""
        whole = Named(name)
        while not possible(self.scene, Named(name)) and " " in name:
            name = name.partition(" ")[2]
        return Named(name) if possible(self.scene, Named(name)) else whole

    def _drawn(self, named: Sequence[Named]) -> list[_Room]:
        """The most probable table, then the worlds."""
        drawn = worlds(self.scene, self.draw, named, self.count)
        return [_Room(world.certain(), self.rules, self.mode) for world in (self.scene, *drawn.scenes())]

    def _vote(self, rooms: Sequence[_Room], q: Question, change: Call | None, program: Call) -> Vote | None:
        return vote(room.answer(q, change, program).answer for room in rooms)
