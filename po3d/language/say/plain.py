"""Plain sentences for any program of the language, in the wordings of plain.grammar."""

import numpy as np

from po3d.language.grammar import load, spaced
from po3d.language.program import DIRECTIONS, Call, Tree

_FACTS = {"number": lambda value: not isinstance(value, Tree), "direction": lambda value: value in DIRECTIONS}


def say(program: Call, random: np.random.Generator | None = None) -> str:
    """A question or a change in words, the plainest wording when there is no generator; GrammarError for what asks and changes
    nothing."""
    form = "edit" if program.output == "edit" else "question"
    pick = (lambda n: 0) if random is None else lambda n: int(random.integers(n))
    text = load("plain").say(form, program, pick, _FACTS).text()
    text = spaced(text.rstrip(", ")).replace(", ,", ",")
    return text[:1].upper() + text[1:] + ("." if form == "edit" else "?")
