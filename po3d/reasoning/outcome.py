"""What running a program gives: an answer with how it came about, or why there is none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from po3d.scene.vocabulary import shape_name

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


@dataclass(frozen=True)
class TraceStep:
    """What one step found. Sets and objects fill `objects`, numbers and words fill `values`."""

    token: str  # the step as the benchmark spells it
    kind: str  # what it gives: a set, an object, or a kind of answer
    objects: Mapping[int, float]  # index in the scene -> probability of being in the set, or the object
    values: Mapping[str, float]  # value -> probability
    text: str  # one line to read

    def __str__(self) -> str:
        return self.text


SHOWN = 5e-3  # probabilities below this are left out of a trace's text


def of_objects(
    token: str, kind: str, chances: Mapping[int, float], among: int, describe: Callable[[int], str]
) -> TraceStep:
    """The record of a step that gave a set of objects, or ("object") one, each as probably as `chances` say."""
    likely = sorted((i for i, p in chances.items() if p > SHOWN), key=lambda i: (-chances[i], i))
    words = ", ".join(f"{describe(i)}{_odds(chances[i])}" for i in likely)
    if kind == "set":
        words = f"{sum(chances.values()):.3g} of {among}" + (f": {words}" if words else "")
    return TraceStep(token, kind, chances, {}, f"{token} -> {words}")


def of_values(token: str, kind: str, values: Mapping[str, float]) -> TraceStep:
    """The record of a step that gave a value, most probable first."""
    said = shape_name if kind == "shape" else str
    words = ", ".join(f"{said(w)}{_odds(q)}" for w, q in values.items() if q > SHOWN)
    return TraceStep(token, kind, {}, values, f"{token} -> {words}")


def _odds(p: float) -> str:
    return "" if p > 1 - 1e-9 else f" {p:.2f}"


@dataclass(frozen=True)
class Outcome:
    """The answer of a program, or why there is none."""

    status: Literal["ok", "failed"]
    answer: str | None
    probability: float | None = None  # of the answer, given that the program has one
    distribution: Mapping[str, float] = field(default_factory=dict)  # over all answers, most probable first
    reason: str = ""  # why there is none, or what the answer takes for granted
    valid: float = 0.0  # probability that the program has an answer, over what was drawn or weighed
    kind: Kind | None = None  # of failure
    rows: tuple[int, ...] = ()  # the objects that the program's phrases were taken to mean
    told: Callable[[], Sequence[TraceStep]] = field(
        default=tuple, repr=False, compare=False
    )  # makes the trace

    @cached_property
    def trace(self) -> tuple[TraceStep, ...]:
        """What each step found, up to the one that failed; made when it is asked for, which takes longer than the answer."""
        return tuple(self.told())

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """The trace, a line each."""
        return tuple(map(str, self.trace))


def failed(failure: ExecutionFailure, reason: str = "", **more) -> Outcome:
    """The outcome of a program that failed; `reason`: what is said of it instead of the failure's own words."""
    return Outcome("failed", None, reason=reason or str(failure), kind=failure.kind, **more)
