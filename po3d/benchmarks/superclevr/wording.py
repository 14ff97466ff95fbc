"""Parser of Super-CLEVR's question templates (superclevr.grammar), for releases without
programs.
"""

import re

from po3d.language.grammar import load
from po3d.language.program import Call, call
from po3d.language.programs.street import STREET, ProgramError, StreetProgram, asking
from po3d.language.read.by_grammar import GrammarParse

_WORDS = re.compile(r"[a-z]+|[;,]")
_IT = call("refer", "it")


def program_of(text: str) -> StreetProgram:
    """Parse a question into a program. Raise ProgramError if no template matches, or if it is about
    object parts.
    """
    reading = GrammarParse(load("superclevr"), _WORDS.findall(text.lower()))
    try:
        for it, start in [*reading.values("opening"), (_IT, 0)]:
            for question, end in reading.values("question", start):
                if (
                    end == len(reading.words)
                    and _IT not in (core := _resolve_it(question, it)).calls()
                ):
                    return asking(STREET.from_core(core))
    except RecursionError:
        raise ProgramError("the description of an object refers to too many others") from None
    at, wording = reading.furthest
    rest = " ".join(reading.words[at : at + 6]) or "the end"
    raise ProgramError(
        f"no wording of the benchmark matches at {rest!r}, where {wording!r} would be possible"
    )


def _resolve_it(question: Call, it: Call) -> Call:
    """Replace "it" in the question by its antecedent."""
    args = (_resolve_it(arg, it) if isinstance(arg, Call) else arg for arg in question.args)
    return it if question == _IT else Call(question.op, tuple(args))
