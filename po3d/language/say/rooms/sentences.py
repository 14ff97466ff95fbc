"""Sentences for room programs: context changes and questions, in many wordings (active and passive, clause order, fillers).

`say_change` and `say_question` are pure functions of (program, kind of change, random); both give back the sentence
and where its names stand (room_marks.Said). `loosely` adds what only training needs: random talk around what is said, and the
constructions of people who tell it by the way. Answer words follow the benchmark: "front left", "yes", a number, a name.
"""

import numpy as np

from po3d.language.programs.rooms import OPEN, Call
from po3d.language.say.rooms.casual_changes import CasualChanges
from po3d.language.say.rooms.loose_changes import LooseChanges
from po3d.language.say.rooms.loose_questions import LooseQuestions
from po3d.language.say.rooms.question_speaker import QuestionSpeaker
from po3d.language.say.rooms.utterance import Said, finish, numbered


def say_change(program: Call, kind: str, random: np.random.Generator, loosely: bool = False) -> Said:
    """A sentence that describes a change program of type `kind` (movement, removal ...)."""
    speaker = LooseChanges if loosely else CasualChanges
    return finish(speaker(random, kind).say(numbered(program)), _leaves(program))


def say_question(program: Call, kind: str, random: np.random.Generator, loosely: bool = False) -> Said:
    """A question for a question program after a change of type `kind`."""
    speaker = LooseQuestions if loosely else QuestionSpeaker
    return finish(speaker(random, kind).say(numbered(program)), _leaves(program))


def _leaves(program: Call) -> int:
    return sum(kind in OPEN for kind, _ in program.tokens())
