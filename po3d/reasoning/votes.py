"""Votes of posterior samples, and the presuppositions of programs.

A program runs on every sample. Samples on which it fails have no vote: the answer is the most
frequent one of the others, and its probability its share of those.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from po3d.language.program import ProgramError, Tree
from po3d.language.programs.rooms import ROOMS, SIGNATURES, RoomCall
from po3d.reasoning.outcome import Outcome, TraceStep
from po3d.scene.posterior import Named

SILENT = 0.5  # weight of a failed sample in `Vote.credence`


class Vote(NamedTuple):
    """Votes of at least one posterior sample."""

    votes: Mapping[str, int]  # most frequent first
    worlds: int  # number of samples, including failed ones

    @property
    def answer(self) -> str:
        """The most frequent answer."""
        return next(iter(self.votes))

    @property
    def answered(self) -> int:
        """Number of samples with an answer."""
        return sum(self.votes.values())

    @property
    def distribution(self) -> dict[str, float]:
        """Share of each answer among the samples with an answer."""
        return {answer: count / self.answered for answer, count in self.votes.items()}

    def outcome(self, make_trace: Callable[[], Sequence[TraceStep]]) -> Outcome:
        """Return the outcome of a program whose samples gave this vote."""
        shares = self.distribution
        valid = self.answered / self.worlds
        return Outcome(
            "ok", self.answer, shares[self.answer], shares, valid=valid, make_trace=make_trace
        )

    @property
    def credence(self) -> float:
        """Share of the answer among all samples; a failed sample counts half."""
        return (self.votes[self.answer] + SILENT * (self.worlds - self.answered)) / self.worlds


def vote(answers: Iterable[str | None], ties: Sequence[str] = ()) -> Vote | None:
    """Return the vote of samples, each with an answer or None.

    Ties go to the first of `ties`, then to the answer that came first. None if no sample has an
    answer.
    """
    answer_list = list(answers)
    counts = Counter(answer_list)
    del counts[None]
    if not counts:
        return None
    order = [answer for answer in dict.fromkeys([*ties, *counts]) if answer in counts]
    ranked = sorted(order, key=lambda answer: -counts[answer])
    return Vote({answer: counts[answer] for answer in ranked}, len(answer_list))


def presupposed(program: Tree) -> list[Named]:
    """Return the objects that an edit or a question about a room presupposes.

    These are the edited objects and all objects referred to as a single one. "How many chairs are
    there?" presupposes none.
    """
    try:
        room_program = program if isinstance(program, RoomCall) else ROOMS.from_core(program)
    except ProgramError:  # rooms have no spelling for it
        return []
    return list(dict.fromkeys(_presupposed(room_program, room_program.output == "edit", ())))


def _presupposed(
    call: RoomCall, granted: bool, looks: tuple[tuple[str, str], ...]
) -> Iterator[Named]:
    if call.op == "all" and granted:
        yield Named(str(call.args[0]), looks)
    here = ()
    if call.op == "having":
        here = (*looks, (str(call.args[0]), str(call.args[1])))
    for arg, kind in zip(call.args, SIGNATURES[call.op].inputs):
        if isinstance(arg, RoomCall):
            yield from _presupposed(arg, granted or kind == "object", here)
