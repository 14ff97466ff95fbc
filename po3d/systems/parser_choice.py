"""Choice between the benchmark's own parser and the general one.

    own parse in the benchmark's wording     own parser; the general one is not consulted
    own parse missing or unsure              general parser
    own parse sure, worded otherwise         general parser if it has an answer, else the own one

`po3d ask` follows this table with SURE as the least probability of a sure parse. It gives an answer
of the general parser if its probability of being right is at least `ask_below`, or if both parsers
agree; else it abstains and offers the interpretations.

An evaluation consults the general parser less often, because a benchmark's questions follow its
templates also where the wording test does not recognise them: only where the own parse is missing,
has unknown words or a probability below LIKELY, and on estimated rooms only where it is missing.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from po3d.reasoning.questions import Question
from po3d.systems.answer_options import offered_answers

if TYPE_CHECKING:
    from po3d.systems.pipeline import Execution, ParsedQuestion

SURE = 0.9  # least probability at which a benchmark's own parse is trusted
LIKELY = 0.5  # the same in an evaluation
MISTAKE = 3.85  # cost of a wrong answer, in units of an abstention
# An answer of probability p costs (1 - p) * MISTAKE, an abstention 1: above this p the answer is
# cheaper.
ASK_BELOW = round(1 - 1 / MISTAKE, 2)


class ParserChoice(NamedTuple):
    """The selected parse, as executed; None if neither parser has a program. `differ`: whether a
    confident parse by the benchmark's parser gives another answer."""

    ran: "Execution | None"
    differ: bool = False


def choose(
    own: "Execution | None", general: "Execution | None", question: Question, alone: bool = False
) -> ParserChoice:
    """Select between the executed parses of the benchmark's and the general parser; None for a
    parser without a program. `alone`: there is only the general parser."""
    if own is None or not own.reading.sure or alone:
        return ParserChoice(None if general is not None and general.reading.unread else general)
    if general is None or general.outcome.answer is None:
        return ParserChoice(own)
    if own.outcome.answer is None:
        return ParserChoice(general)
    same = answer_of(own, question) == answer_of(general, question)
    return ParserChoice(own if same else general, differ=not same)


def answer_of(execution: "Execution", question: Question) -> str:
    """Return the answer in the wording of the question or its options."""
    return worded(execution.reading, execution.outcome.answer, question)


def worded(reading: "ParsedQuestion", answer: str, question: Question) -> str:
    """Return an answer in the wording of the question or its options; answers to programs of the
    benchmark's own parser are not changed."""
    return reading.format_answer(answer, replace(question, options=tuple(offered_answers(answer, question))))
