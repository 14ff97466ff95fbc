"""`po3d ask` on rooms: a table, a frame, a change and a question in words, and what each was taken to mean."""

import json
from dataclasses import dataclass

from po3d.io.errors import InputError
from po3d.io.text_tables import text
from po3d.language.programs.rooms import Call
from po3d.language.read.room_parser import RoomParser
from po3d.reasoning.outcome import ExecutionFailure, Outcome
from po3d.reasoning.room_executor import run
from po3d.reasoning.room_margins import RoomMargins, as_record, room_margins
from po3d.reasoning.room_planner import Planned, plan
from po3d.reasoning.room_world import World
from po3d.scene.display import room_table
from po3d.scene.edits import unchanged
from po3d.scene.table import Scene, to_json
from po3d.systems.rooms import framed


@dataclass(frozen=True)
class RoomAnswer:
    """Everything that was worked out for one question."""

    before: Scene
    planned: Planned
    change: Call | None
    question: Call
    probability: float
    outcome: Outcome
    margins: RoomMargins


def ask_room(scene: Scene, question: str, frame: str, change: str, parser: RoomParser) -> RoomAnswer:
    """InputError when the frame, the change or the question can't be read, or the change doesn't fit the room."""
    before = framed(scene, frame)
    edit, certainty = None, 1.0
    if change:
        (parsed,) = parser.parse([change], "change")
        if parsed.program is None:
            raise InputError(f"the change is unparsed: {parsed.reason}")
        edit, certainty = parsed.program, parsed.probability
    (asked,) = parser.parse([question], "question")
    if asked.program is None:
        raise InputError(f"the question is unparsed: {asked.reason}")
    try:
        planned = plan(before, edit) if edit else Planned(unchanged(before))
    except ExecutionFailure as failure:
        raise InputError(f"the change can't be made in this room: {failure}") from None
    world = World(planned.edited, before)
    outcome, near = run(asked.program, world), room_margins(asked.program, world)
    return RoomAnswer(before, planned, edit, asked.program, certainty * asked.probability, outcome, near)


def as_text(answer: RoomAnswer) -> str:
    """Answer, programs, trace and the edited table."""
    outcome, near = answer.outcome, answer.margins
    lines = [
        f"answer: {outcome.answer} (probability {answer.probability:.2f})"
        if outcome.status == "ok"
        else f"no answer: {outcome.reason}",
        "",
        *([f"change: {answer.change}"] if answer.change else []),
        *(f"  {note}" for note in answer.planned.notes),
        f"question: {answer.question}",
        *(
            f"  {step}{f'   [nearest: {decided[0].text}]' if decided else ''}"
            for step, decided in zip(outcome.steps, near.steps)
        ),
        *([f"  {near.tip.text}"] if near.tip else []),
        "",
        text(room_table(answer.planned.edited.scene, answer.planned.edited.touched), 2),
    ]
    return "\n".join(lines)


def as_json(answer: RoomAnswer, question: str) -> str:
    record = {
        "question": question,
        "status": answer.outcome.status,
        "answer": answer.outcome.answer,
        "probability": answer.probability,
        "reason": answer.outcome.reason,
        "change_program": str(answer.change) if answer.change else None,
        "program": str(answer.question),
        "notes": list(answer.planned.notes),
        "trace": list(answer.outcome.steps),
        "margins": as_record(answer.margins),
        "scene": to_json(answer.planned.edited.scene),
    }
    return json.dumps(record, ensure_ascii=False)
