"""Sentences for room programs: context changes and questions, in many wordings (active and passive, clause order, fillers).

`say_change` and `say_question` are pure functions of (program, kind of change, random); both give back the sentence
and where its names stand (room_marks.Said). Answer words follow the benchmark: "front left", "yes", a number, a name.
"""

import numpy as np

from po3d.reasoning.room_program import OPEN, Call
from po3d.synthesis.room_casual_changes import CasualChanges
from po3d.synthesis.room_marks import Said, finish, numbered
from po3d.synthesis.room_question_speaker import QuestionSpeaker


def say_change(program: Call, kind: str, random: np.random.Generator) -> Said:
    """A sentence that describes a change program of type `kind` (movement, removal ...)."""
    numbered_program = numbered(program)
    text = CasualChanges(random, kind).say(numbered_program)
    return finish(text, _leaves(program))


def say_question(program: Call, kind: str, random: np.random.Generator) -> Said:
    """A question for a question program after a change of type `kind`."""
    return finish(QuestionSpeaker(random, kind).say(numbered(program)), _leaves(program))


def _leaves(program: Call) -> int:
    return sum(kind in OPEN for kind, _ in program.tokens())
