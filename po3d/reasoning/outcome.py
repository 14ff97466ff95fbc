"""What running a program gives: an answer with how it came about, or why there is none."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

Kind = Literal["not found", "ambiguous", "unknown", "close call", "unparsed"]


class ExecutionFailure(Exception):
    """Why a program has no answer on a scene; str() is one line. Its `kind`: what is named is not there ("not found") or could be
    any of several ("ambiguous"), the scene does not tell ("unknown"), a small change of the scene would alter the answer ("close
    call": only who asks for clear answers says so), or nobody could read it ("unparsed")."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(kind, message)
        self.kind = kind

    def __str__(self) -> str:
        return self.args[1]


class Told(Protocol):
    """An interpreter that remembers what each step gave."""

    def told(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Outcome:
    """The answer of a program, or why there is none."""

    status: Literal["ok", "failed"]
    answer: str | None
    probability: float | None = None  # of the answer, given that the program has one
    distribution: Mapping[str, float] = field(default_factory=dict)  # over all answers, most probable first
    reason: str = ""  # why there is none, or what the answer takes for granted
    trace: tuple = ()  # what each step found, up to the one that failed: lines, or records with a `text`
    valid: float = 0.0  # probability that the program has an answer
    kind: Kind | None = None  # of failure
    rows: tuple[int, ...] = ()  # the objects that the program's phrases were taken to mean
    metres: float = (
        math.inf
    )  # the least change of a length that would alter the answer, where that was worked out
    degrees: float = math.inf  # and of an angle
    evaluator: Told | None = field(default=None, repr=False, compare=False)  # who worked it out

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """What each step gave, a line each."""
        return self.evaluator.told() if self.evaluator else tuple(map(str, self.trace))


def failed(failure: ExecutionFailure, reason: str = "", **more) -> Outcome:
    """The outcome of a program that failed; `reason`: what is said of it instead of the failure's own words."""
    return Outcome("failed", None, reason=reason or str(failure), kind=failure.kind, **more)
