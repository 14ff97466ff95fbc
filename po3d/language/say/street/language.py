"""Programs said in English: `realise` writes a question whose one meaning is the program, in the
benchmark's own phrasing or in a much wider one; `sample_program` draws programs of every family;
`canonical` sorts filters."""

from typing import Literal

import numpy as np

from po3d.language.program import ProgramError
from po3d.language.programs.street import Program
from po3d.language.say.street.grammar import GRAMMARS, analyse, assemble, tidy
from po3d.language.say.street.program_sampler import DEEP_FAMILIES, FAMILIES, sample_program
from po3d.language.say.street.speaker import Speaker

__all__ = ["DEEP_FAMILIES", "FAMILIES", "canonical", "realise", "sample_program"]

Style = Literal["benchmark", "wide"]


def canonical(program: Program) -> Program:
    """The program with every chain of filters in spoken order (first token first): size, color, material,
    shape, facing, occlusion. Programs that differ only there mean the same; exact match compares canonical
    forms."""
    try:
        return assemble(analyse(program))
    except ProgramError:  # equal[facing]: no words for it, but it may still be written by hand
        return program


def realise(program: Program, rng: np.random.Generator, style: Style = "benchmark") -> str:
    """A question that means `program`; ProgramError where the language has no words for it.

    "benchmark" keeps to the published phrasing; "wide" adds verbs, voices, clause orders and fillers.
    """
    ask = analyse(program)
    # A benchmark sentence is also plain English, so the wide language contains it.
    grammar = GRAMMARS["benchmark" if style == "wide" and rng.random() < 0.15 else style]
    return tidy(Speaker(grammar, rng).say(ask) + ("." if style == "wide" and rng.random() < 0.02 else "?"))
