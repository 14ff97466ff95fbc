"""Rooms: questions about a room in a reference frame, after a change (Hypo3D).

The frame and the change are described by sentences; `framed_rooms` answers in the changed room.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from po3d.io.errors import InputError
from po3d.language.programs.rooms import ROOMS
from po3d.language.read import room_style
from po3d.language.read.omissions import forgets_how_many
from po3d.language.read.parse import Parse
from po3d.language.say.rooms import is_change, is_question
from po3d.reasoning.apply_edit import brought_in
from po3d.reasoning.counterfactuals import margins_in, record_of
from po3d.reasoning.execute import run
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.questions import Question
from po3d.reasoning.rules import ROOM_RULES
from po3d.scene.frames import read_anchors
from po3d.scene.posterior import KINDS, SAMPLE_COUNT
from po3d.systems.domain import Domain, Execution, ParsedQuestion
from po3d.systems.explanation import Explanation, SceneFigure, flipped
from po3d.systems.framed_rooms import Frame, FramedRoom, framed_room, room
from po3d.systems.image_scenes import PREDICTED, TRUTH, ImageScenes, Setting
from po3d.systems.interfaces import QuestionParser
from po3d.systems.oracle.rooms import ROOM_TABLES
from po3d.systems.parser_choice import LEAST_STYLE

LOOKS = tuple(m for m in ROOM_TABLES.beliefs if m != "shape")


def question_parser(parser: Any) -> QuestionParser:
    """Return the parser of questions and changes by a `RoomParser` (`language.read`)."""

    def read(questions: Sequence[Question]) -> list[ParsedQuestion]:
        changes = list(dict.fromkeys(q.change for q in questions if q.change))
        parses = map(_checked_change, changes, parser.parse(changes, "change"))
        by_change = dict(zip(changes, parses, strict=True))
        parsed = parser.parse([q.text for q in questions], "question")
        result = []
        for q, parse in zip(questions, parsed, strict=True):
            result.append(ParsedQuestion(parse.in_core(ROOMS), by_change.get(q.change)))
        return result

    return QuestionParser(read, parser)


def _checked_change(text: str, parse: Parse) -> Parse:
    """Return the parse of a change, or unparsed if the text refers to some of the objects ("two of
    the chairs") and the program takes all of them: the rooms' dialect cannot express a part."""
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


def _own_wording(question: Question, reading: ParsedQuestion) -> bool:
    """Whether Hypo3D's twin has this wording: the frame as in the dataset, question and change as
    in the twin's grammar."""
    change = reading.change
    return (
        _plainly_framed(question.frame)
        and is_question(question.text, DOMAIN.in_notation(reading.question.program))
        and (change is None or is_change(question.change, DOMAIN.in_notation(change.program)))
    )


def _style(question: Question) -> float:
    result = []
    for text in (question.text, question.change):
        if text:
            result.append(room_style.style(text))
    return min(result)


def _in_style(question: Question, reading: ParsedQuestion) -> bool:
    framed = reading.likely and _plainly_framed(question.frame)
    return framed and _style(question) >= LEAST_STYLE


def _relevant(settings: Mapping[str, Setting], reading: ParsedQuestion) -> Mapping[str, Setting]:
    """Return the settings that affect the answer. An attribute that no program reads gets the
    setting of the others, so that it adds no uncertainty to a scene that is otherwise certain."""
    programs = [DOMAIN.in_notation(p.program) for p in reading.parses]
    attributes = set()
    for p in programs:
        for kind, text in p.tokens():
            if kind == "attribute":
                attributes.add(text)
    relevant = {}
    for m, s in settings.items():
        if m not in LOOKS or ROOM_TABLES.beliefs[m] in attributes:
            relevant[m] = s
    predicted = any(relevant[m] == PREDICTED for m in ROOM_TABLES.table if m in relevant)
    result = {}
    for m in settings:
        result[m] = relevant.get(m, PREDICTED if predicted else TRUTH)
    return result


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
        """Execute a parse. If the moved object is not in the room, execute the change as one that
        brings the object in."""
        frame = reading.frame or question.frame
        executor = self.room(frame)
        change = reading.change.program if reading.change else None
        outcome = executor.run(frame, change, reading.question.program)
        brought = (
            None
            if change is None or outcome.answer is not None
            else brought_in(self.domain.in_notation(change))
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
        notation = self.domain.in_notation
        record = {
            "change_program": str(notation(change.program)) if change else None,
            "program": str(notation(program)),
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
    lambda domain, checkpoint, device: benchmark_parser(checkpoint, device),
    {
        "scenes": "map",
        "parser_checkpoint": "room_parser",
        "frame": "anchors",
        "samples": SAMPLE_COUNT,
        "oracle": (),
        "flip_tta": True,
        "perception": "top_view_estimator",
        "device": "cpu",
        "draw": KINDS,
        "parser": "cascade",
    },
    reading=("edit", "parsing"),
    headline="overall",
    read_fields=("frame",),
    explanation_settings=(("frame", "anchors"),),
    samples=SAMPLE_COUNT,
    draw=KINDS,
    own_wording=_own_wording,
    in_style=_in_style,
    style=_style,
    relevant=_relevant,
)


def benchmark_parser(checkpoint: str = "room_parser", device: str = "cpu") -> QuestionParser:
    """Return the parser of a shipped or given checkpoint."""
    from po3d.io.checkpoint import locate
    from po3d.language.read.room_parser import RoomParser  # torch takes seconds to import

    return question_parser(RoomParser.from_checkpoint(locate(checkpoint), device=device))
