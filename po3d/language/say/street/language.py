"""Generate street questions and programs.

`realise` generates an unambiguous question for a program, in the benchmark's wording or a much
wider one; `sample_program` samples programs of every family; `canonical` sorts filters.
"""

from typing import Literal

import numpy as np

from po3d.language.program import ProgramError
from po3d.language.programs.street import StreetProgram
from po3d.language.say.street.grammar import GRAMMARS, analyse, assemble, tidy
from po3d.language.say.street.program_sampler import DEEP_FAMILIES, FAMILIES, sample_program
from po3d.language.say.street.speaker import QuestionGenerator

__all__ = ["DEEP_FAMILIES", "FAMILIES", "canonical", "realise", "sample_program"]

Style = Literal["benchmark", "wide"]


def canonical(program: StreetProgram) -> StreetProgram:
    """Sort every chain of filters: size, color, material, shape, facing, occlusion.

    Programs that differ only in this order are equivalent; exact match compares canonical forms.
    """
    try:
        return assemble(analyse(program))
    except ProgramError:  # equal[facing] cannot be generated, but an annotator may write it
        return program


def realise(program: StreetProgram, rng: np.random.Generator, style: Style = "benchmark") -> str:
    """Generate a question that means `program`.

    "benchmark" uses the published wordings; "wide" adds verbs, voices, clause orders and fillers.
    Raise ProgramError if the grammars cannot express the program.
    """
    ask = analyse(program)
    # The wide style includes the benchmark's wordings.
    grammar = GRAMMARS["benchmark" if style == "wide" and rng.random() < 0.15 else style]
    return tidy(
        QuestionGenerator(grammar, rng).say(ask)
        + ("." if style == "wide" and rng.random() < 0.02 else "?")
    )
