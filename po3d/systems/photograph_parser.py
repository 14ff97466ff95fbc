"""Rule-based parser of questions about photographs."""

import functools
import re
from dataclasses import replace

from po3d.language.grammar import load
from po3d.language.program import ProgramError
from po3d.language.programs.threedsrbench import THREEDSRBENCH
from po3d.language.read import photograph_words
from po3d.language.read.parse import Parse
from po3d.language.read.threedsrbench_reader import read
from po3d.reasoning.questions import Question
from po3d.systems.domain import ParsedQuestion
from po3d.systems.interfaces import QuestionParser

OF_PICTURE = re.compile(r" of (?:the|this) (?:photo(?:graph)?|picture|image)\b", re.IGNORECASE)


def question_parser(photographs: bool = False) -> QuestionParser:
    """Return the rule-based parser of texts and options. `photographs`: questions that match no
    template of the benchmark are first read by the rules for photographs (`photograph_words`)."""

    def parse(question: Question) -> Parse:
        plain = by_words(question) if photographs and not is_template(question) else None
        if plain is None:
            return read(question.text, question.options)
        try:
            return replace(plain, program=THREEDSRBENCH.from_core(plain.program))
        except ProgramError:  # the benchmark has no such operation
            return plain

    return QuestionParser(
        lambda questions: [ParsedQuestion(parse(q).in_core(THREEDSRBENCH)) for q in questions]
    )


def is_template(question: Question) -> bool:
    """Whether the question matches a template of 3DSRBench or its twin and does not refer to the
    picture ("the left side of the picture")."""
    text = question.text
    return not OF_PICTURE.search(text) and any(form.fullmatch(text) for form in _forms())


def by_words(question: Question) -> Parse | None:
    return photograph_words.read(question.text, tuple(map(str, question.options)))


@functools.cache
def _forms() -> tuple[re.Pattern[str], ...]:
    return tuple(map(load("threedsrbench").template, ("release.", "paper.", "free.")))
