"""The result of a parser for one text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

BEYOND = (  # reason if no program expresses the text
    "the question is too complex for the program language"
)


@dataclass(frozen=True)
class Parse:
    """A program, or the reason why there is none.

    `status` is "failed" if there is no answer, or a ground-truth program is absent or wrong.
    `unknown`: words outside the parser's vocabulary. `option_of`: answer of the program -> the
    answer option that expresses it, if there are options.
    """

    status: Literal["ok", "unparsed", "failed"]
    program: Any | None = None  # of the parser's dialect
    probability: float = 1.0
    reason: str = ""
    unknown: tuple[str, ...] = ()
    option_of: Mapping[str, str] = field(default_factory=dict)
