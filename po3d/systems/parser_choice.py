"""Choice between the benchmark's own parser and the general one.

    own parse in the benchmark's wording     own parser; the general one is not consulted
    own parse missing or without an answer   general parser
    both have an answer, and differ          rooms: the more probable one (`own_is_right`);
                                             elsewhere the general parser
    general parser without an answer         own parser if its parse is sure, else none

`po3d ask` and evaluations follow the same table. An evaluation takes the chosen answer. `po3d ask`
gives it if both parsers agree, or if the calibrated probability that it prints is at least
`ask_below`; else it abstains and offers the interpretations.
"""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from po3d.reasoning.questions import Question
from po3d.systems.answer_options import named_in, offered_answers

if TYPE_CHECKING:
    from po3d.systems.domain import Execution, ParsedQuestion

SURE = 0.9  # least probability at which a benchmark's own parse is trusted
LIKELY = 0.5  # the same for a sentence that is worded like the benchmark's (`Domain.in_style`)
LEAST_STYLE = -0.5  # least log odds of such a sentence (`language.read.room_style`)
# Least calibrated probability of an answer that `po3d ask` gives: of least cost on the development
# part of the bank if a wrong answer costs 3.85 abstentions.
ASK_BELOW = 0.76
# Log odds that the own parser is right where the two differ: offset, logit of the own parse's
# probability, logit of the general one's, style. Fitted on 102 differing answers: the bank's
# development part, and rooms of the generator that made the shipped split, with another seed.
OFFSET, OWN, GENERAL, STYLE = 1.36, 0.51, -0.85, 0.35
LEAST = 1e-4  # distance of a probability from 0 and 1 in its logit


def choose(
    own: "Execution | None",
    general: "Execution | None",
    question: Question,
    alone: bool = False,
    style: float | None = None,
) -> "tuple[Execution | None, bool]":
    """Select between the executed parses of the benchmark's and the general parser; None for a
    parser without a program, and for the selection if neither has one. Also return whether the
    other parser has a different answer that is credible as well. `alone`: there is only the general
    parser. `style`: how much the sentences are worded like the benchmark's, log odds; None if the
    domain has no such test."""
    refused = general is not None and bool(general.reading.unread)
    if (
        alone
        or own is None
        or not (own.reading.sure or (style is not None and general is not None))
    ):
        return None if refused else general, False
    if general is None or (general.outcome.answer is None and not (refused and style is not None)):
        return own if own.reading.sure else general, False
    if own.outcome.answer is None:
        return None if refused else general, False
    if not refused and answer_of(own, question) == answer_of(general, question):
        return own if own.reading.sure else general, False
    p = 0.0
    if style is not None:
        p = own_is_right(own.reading.probability, general.reading.probability, style)
    if p < 0.5:
        return None if refused else general, own.reading.sure and not refused
    reading = own.reading
    parse = replace(reading.question, probability=p)
    change = reading.change and replace(reading.change, probability=1.0)
    return own._replace(reading=reading._replace(question=parse, change=change)), True


def own_is_right(own: float, general: float, style: float) -> float:
    """Return the probability that the benchmark's parser is right where the two answers differ."""
    odds = OFFSET + OWN * logit(own) + GENERAL * logit(general) + STYLE * style
    return 1 / (1 + math.exp(-odds))


def logit(p: float) -> float:
    """Return log(p / (1 - p)), with p clipped to [LEAST, 1 - LEAST]."""
    p = min(max(p, LEAST), 1 - LEAST)
    return math.log(p / (1 - p))


def answer_of(execution: "Execution", question: Question) -> str:
    """Return the answer in the wording of the question or its options."""
    return worded(execution.reading, execution.outcome.answer, question)


def worded(reading: "ParsedQuestion", answer: str, question: Question) -> str:
    """Return an answer in the wording of the question or its options."""
    options = offered_answers(answer, question) or named_in(question, answer)
    return reading.format_answer(answer, replace(question, options=tuple(options)))
