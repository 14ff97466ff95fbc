"""Results of executing a program: an answer with its trace, or the reason of a failure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from po3d.scene.vocabulary import shape_name

Kind = Literal["not found", "ambiguous", "unknown", "close call", "unparsed"]


class ExecutionFailure(Exception):
    """A program has no answer on a scene; str() is one line.

    `kind` is "not found" (no object matches a description), "ambiguous" (several do), "unknown"
    (the scene lacks the information), "close call" (a small change of the scene would change the
    answer; raised by strict evaluators only) or "unparsed". `of_scene`: the scene has no values of
    an attribute, whatever the set of objects.
    """

    def __init__(self, kind: Kind, message: str, of_scene: bool = False) -> None:
        super().__init__(kind, message)
        self.kind, self.of_scene = kind, of_scene

    def __str__(self) -> str:
        return self.args[1]


@dataclass(frozen=True)
class TraceStep:
    """The result of one step: `objects` for sets and objects, `values` for numbers and words."""

    token: str  # the step in the benchmark's spelling
    kind: str  # type of the result: "set", "object", or a kind of answer
    # index in the scene -> probability of being in the set, or of being the object
    objects: Mapping[int, float]
    values: Mapping[str, float]  # value -> probability
    text: str  # one line for display

    def __str__(self) -> str:
        return self.text


LEAST_PROBABILITY = 5e-3  # smaller probabilities are omitted from the text of a trace


def of_objects(
    token: str, kind: str, chances: Mapping[int, float], count: int, describe: Callable[[int], str]
) -> TraceStep:
    """Return the trace step of a set of objects, or of one object, with probabilities `chances`."""
    parts = []
    for i in sorted(chances, key=lambda i: (-chances[i], i)):
        if chances[i] > LEAST_PROBABILITY:
            parts.append(f"{describe(i)}{_odds(chances[i])}")
    words = ", ".join(parts)
    if kind == "set":
        words = f"{sum(chances.values()):.3g} of {count}" + (f": {words}" if words else "")
    return TraceStep(token, kind, chances, {}, f"{token} -> {words}")


def of_values(token: str, kind: str, values: Mapping[str, float]) -> TraceStep:
    """Return the trace step of a value with its distribution, most probable first."""
    name_of_value = shape_name if kind == "shape" else str
    parts = []
    for value, p in values.items():
        if p > LEAST_PROBABILITY:
            parts.append(f"{name_of_value(value)}{_odds(p)}")
    return TraceStep(token, kind, {}, values, f"{token} -> {', '.join(parts)}")


def _odds(p: float) -> str:
    return "" if p > 1 - 1e-9 else f" {p:.2f}"


@dataclass(frozen=True)
class Outcome:
    """The answer of a program, or the reason why there is none."""

    status: Literal["ok", "failed"]
    answer: str | None
    probability: float | None = None  # of the answer, given that the program has one
    # over all answers, most probable first
    distribution: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""  # reason of a failure, or what the answer presupposes
    valid: float = 0.0  # probability that the program has an answer, over the samples
    kind: Kind | None = None  # kind of failure
    rows: tuple[int, ...] = ()  # rows that the program's phrases denote
    make_trace: Callable[[], Sequence[TraceStep]] = field(
        default=tuple, repr=False, compare=False
    )  # builds the trace

    @cached_property
    def trace(self) -> tuple[TraceStep, ...]:
        """The result of each step up to the one that failed; computed on first access."""
        return tuple(self.make_trace())

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """The lines of the trace."""
        return tuple(map(str, self.trace))


def failed(failure: ExecutionFailure, reason: str = "", **more) -> Outcome:
    """Return the outcome of a failed program; `reason` replaces the failure's own message."""
    return Outcome("failed", None, reason=reason or str(failure), kind=failure.kind, **more)
