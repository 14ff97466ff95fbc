"""Generate 3DSRBench's questions in the release's, the paper's or our own wordings.

A question has answer options and a mapping from each answer of the program to its option.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from po3d.io.errors import known
from po3d.language.grammar import load
from po3d.language.programs.threedsrbench import PhraseCall

Style = Literal["release", "paper", "free"]
STYLES: tuple[Style, ...] = ("release", "paper", "free")


@dataclass(frozen=True)
class Spoken:
    """A question, its options in order, and the mapping answer of the program -> option."""

    text: str
    options: tuple[str, ...]
    option_of: Mapping[str, str]


def speak(program: PhraseCall, style: Style, r: np.random.Generator, wording: str = "") -> Spoken:
    """Generate a question for a program in a style, with its options in random order.

    `wording`: a template to use instead, with {0} {1} {2} for the objects. Raise InputError for an
    unknown style.
    """
    known("style", style, STYLES)
    grammar, text = load("threedsrbench"), wording.format(*program.things)
    if not wording:
        things = dict(zip("012", program.things))
        text = grammar.fill(f"{style}.{program.op}", lambda n: int(r.integers(n)), **things)
    if program.candidates:
        answers = program.answers
    else:
        sets = grammar.wordings(f"options.{style}.{program.output}")
        answers = sets[int(r.integers(len(sets)))].split("; ")
    option_of = dict(zip(program.answers, answers, strict=True))
    order = [answers[int(k)] for k in r.permutation(len(answers))]
    return Spoken(text, tuple(order), option_of)
