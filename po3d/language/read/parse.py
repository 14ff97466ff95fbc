"""The result of a parser for one text."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from po3d.language.dialects import Dialect
from po3d.language.program import Tree

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
    program: Tree | None = None
    probability: float = 1.0
    reason: str = ""
    unknown: tuple[str, ...] = ()
    option_of: Mapping[str, str] = field(default_factory=dict)

    def in_core(self, dialect: Dialect) -> "Parse":
        """Return the parse with its program, a tree of the dialect, as a call of the language."""
        if self.program is None:
            return self
        return replace(self, program=dialect.to_core(self.program))
