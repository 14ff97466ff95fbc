"""Which of two parsers answers a question: the benchmark's own, or the general one. The same rule for `po3d ask` and evaluations.

    own parse in the benchmark's own wording     the own parser answers; the general one is not consulted
    own parse missing or unsure (SURE)           the general parser answers
    own parse sure, worded otherwise             the general parser answers where it has an answer, else the own one

An evaluation takes that answer. `po3d ask` gives an answer of the general parser where it is right with at least the probability
`ask_below`, or where both parsers answer the same, and else asks back.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from po3d.reasoning.questions import Question
from po3d.systems.choices import offering

if TYPE_CHECKING:
    from po3d.systems.pipeline import Ran, Reading

SURE = 0.9  # least probability of a parse by a benchmark's own parser that is believed
MISTAKE = 3.85  # what a wrong answer costs, in questions that are asked back
# An answer of probability p costs (1 - p) * MISTAKE, a question back 1: from here on the answer is cheaper.
ASK_BELOW = round(1 - 1 / MISTAKE, 2)


class Choice(NamedTuple):
    """The parse that counts, as it was run; None where neither parser has a program. `differ`: whether a sure parse by the own parser
    has another answer."""

    ran: "Ran | None"
    differ: bool = False


def choose(own: "Ran | None", general: "Ran | None", question: Question, alone: bool = False) -> Choice:
    """What counts of the parses of a question by the two parsers, each run on the table; None for a parser that has no program.
    `alone`: the general parser is the only one that there is."""
    if own is None or not own.reading.sure or alone:
        return Choice(None if general is not None and general.reading.unread else general)
    if general is None or general.outcome.answer is None:
        return Choice(own)
    if own.outcome.answer is None:
        return Choice(general)
    same = answer_of(own, question) == answer_of(general, question)
    return Choice(own if same else general, differ=not same)


def answer_of(ran: "Ran", question: Question) -> str:
    """The answer as the question's options, or its own words, say it."""
    return worded(ran.reading, ran.outcome.answer, question)


def worded(reading: "Reading", answer: str, question: Question) -> str:
    """An answer as an option, or the question's own words, say it; a benchmark's answers to its own parser's programs stay as they are."""
    return reading.said(answer, replace(question, options=tuple(offering(answer, question))))
