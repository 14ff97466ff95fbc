"""What the worlds of a table say together, and what a sentence takes for granted of them.

A program runs in every world. Worlds in which it fails have no vote: the answer is that of most of the others, and its
probability its share of those.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from po3d.language.program import ProgramError, Tree
from po3d.language.programs.rooms import ROOMS, SIGNATURES, Call
from po3d.scene.worlds import Named

SILENT = 0.5  # how much a world that failed counts for the answer of the others, where it is to count


class Vote(NamedTuple):
    """Votes of worlds, at least one."""

    votes: Mapping[str, int]  # most votes first
    worlds: int  # with those that failed

    @property
    def answer(self) -> str:
        return next(iter(self.votes))

    @property
    def answered(self) -> int:
        return sum(self.votes.values())

    @property
    def distribution(self) -> dict[str, float]:
        """Each answer's share of the worlds that have one."""
        return {answer: count / self.answered for answer, count in self.votes.items()}

    @property
    def credence(self) -> float:
        """The share of the answer in all worlds: one that failed speaks neither for it nor against it, so it counts half."""
        return (self.votes[self.answer] + SILENT * (self.worlds - self.answered)) / self.worlds


def vote(answers: Iterable[str | None], ties: Sequence[str] = ()) -> Vote | None:
    """The vote of worlds, each with its answer or None. Of equally frequent answers the first of `ties` wins, then the one
    that came first. None when no world answers."""
    given = list(answers)
    counts = Counter(answer for answer in given if answer is not None)
    if not counts:
        return None
    rank = {answer: k for k, answer in enumerate(dict.fromkeys([*ties, *counts]))}
    ranked = sorted(counts.items(), key=lambda item: (-item[1], rank[item[0]]))
    return Vote(dict(ranked), len(given))


def presupposed(program: Tree) -> list[Named]:
    """What a change or a question about a room takes for granted: what is changed, and every thing that is spoken of as
    one. "How many chairs are there?" takes no chair for granted."""
    try:
        spelled = program if isinstance(program, Call) else ROOMS.spelled(program)
    except ProgramError:  # rooms have no spelling for it
        return []
    return list(dict.fromkeys(_presupposed(spelled, spelled.output == "edit", ())))


def _presupposed(call: Call, granted: bool, looks: tuple[tuple[str, str], ...]) -> Iterator[Named]:
    if call.op == "all" and granted:
        yield Named(str(call.args[0]), looks)
    here = ()
    if call.op == "having":
        here = (*looks, (str(call.args[0]), str(call.args[1])))
    for arg, kind in zip(call.args, SIGNATURES[call.op].inputs):
        if isinstance(arg, Call):
            yield from _presupposed(arg, granted or kind == "object", here)
