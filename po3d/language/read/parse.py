"""What any reader makes of one text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

BEYOND = "this is more than can be worked out"  # where a reader says that no program says it


@dataclass(frozen=True)
class Parse:
    """A program, or why there is none; `status` is "failed" where there is no answer, or a gold program is absent or wrong.
    `unknown`: the words that the reader does not know; `option_of`: answer of the program -> the option that says it, where there
    are options."""

    status: Literal["ok", "unparsed", "failed"]
    program: Any | None = None  # of the reader's dialect
    probability: float = 1.0
    reason: str = ""
    unknown: tuple[str, ...] = ()
    option_of: Mapping[str, str] = field(default_factory=dict)
