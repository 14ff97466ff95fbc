"""Ambiguous references in changes: a change of one of several objects without saying which
("Somebody took one of the chairs."), and descriptions that fit several objects ("the diploma" of
two).

A question whose answer depends on the choice has no answer.
"""

from po3d.language.program import Call
from po3d.language.read.omissions import EDITS

ROOM = Call("frame", ("room",))
UNSPECIFIED = "the answer depends on an object that the change does not specify"


def at_end(program: Call, sense: str) -> Call:
    """Return the program with each `unique` replaced by a choice among the matching objects: the
    leftmost (`sense` "most") or rightmost ("least") one."""
    changed = program.mapped(lambda call: at_end(call, sense))
    if program.op == "unique":
        return Call("best", ("left", sense, ROOM, *changed.args))
    return changed


def choices(change: Call) -> list[Call]:
    """Return two versions of a change: "one of" a set replaced by its leftmost and by its rightmost
    object; [] if the change has no such set."""
    changes = [_chosen(change, "most"), _chosen(change, "least")]
    return [] if changes == [change, change] else changes


def _chosen(change: Call, sense: str) -> Call:
    args = []
    for arg in change.args:
        if isinstance(arg, Call) and arg.output == "edit":
            arg = _chosen(arg, sense)
        elif (
            change.op in EDITS and isinstance(arg, Call) and (arg.op, *arg.args[:1]) == ("some", 1)
        ):
            arg = Call("group", (Call("best", ("left", sense, ROOM, arg.args[1])),))
        args.append(arg)
    return Call(change.op, tuple(args))
