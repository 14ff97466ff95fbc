"""Parser of Super-CLEVR's question templates (superclevr.grammar), for releases without
programs.
"""

import re

from po3d.language.grammar import load
from po3d.language.program import Call, call
from po3d.language.programs.street import STREET, Program, ProgramError, asking
from po3d.language.read.by_grammar import Reading

_WORDS = re.compile(r"[a-z]+|[;,]")
_IT = call("refer", "it")


def program_of(text: str) -> Program:
    """Parse a question into a program. Raise ProgramError if no template matches, or if it is about
    object parts.
    """
    reading = Reading(load("superclevr"), _WORDS.findall(text.lower()))
    try:
        for it, start in [*reading.values("opening"), (_IT, 0)]:
            for asked, end in reading.values("question", start):
                if end == len(reading.words) and _IT not in (meant := _meant(asked, it)).calls():
                    return asking(STREET.spelled(meant))
    except RecursionError:
        raise ProgramError("a thing is told by too many others") from None
    at, wording = reading.furthest
    rest = " ".join(reading.words[at : at + 6]) or "the end"
    raise ProgramError(f"none of the benchmark's wordings at {rest!r}, where {wording!r} could stand")


def _meant(asked: Call, it: Call) -> Call:
    """Replace "it" in the question by its antecedent."""
    args = (_meant(arg, it) if isinstance(arg, Call) else arg for arg in asked.args)
    return it if asked == _IT else Call(asked.op, tuple(args))
