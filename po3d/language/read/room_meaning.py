"""Corrections of room programs where the intended meaning differs from the literal parse."""

import re
from collections.abc import Sequence

from po3d.language.english import plain
from po3d.language.programs.rooms import SIGNATURES, RoomCall, distinguishing_attribute
from po3d.scene.rooms import NOUNS_OF_USE, attribute_of, category_of

# words that ask for an attribute
LOOKS = frozenset(["color", "material", "state", "condition", "made", "painted"])
_NEAR = re.compile(
    r"\b(next|beside|besides|by|near|nearer|nearest|nearby|adjacent|close|closer|closest|alongside|along|vicinity|side|sides|"
    r"within|against|touching|neighbou?r\w*|towards?|company|joins?|joined|with|right up to)\b"
)


def agreeing(program: RoomCall) -> RoomCall:
    """Correct the attributes of filters by their values: "running" is a state, "oak" a material."""
    args = list(program.mapped(agreeing).args)
    kinds = SIGNATURES[program.op].inputs
    if kinds[:2] == ("attribute", "value") and (attribute := attribute_of(args[1])) is not None:
        args[0] = attribute
    return RoomCall(program.op, tuple(args))


def telling(program: RoomCall, words: Sequence[str] = ()) -> RoomCall:
    """Rewrite a program to its intended meaning.

    - A choice between two objects of a kind asks for the distinguishing attribute ("is the red or
      the blue chair nearer?": a colour). A choice between two kinds, or among objects of a purpose
      ("seats"), asks for a name unless an attribute is requested.
    - "ones" take the kind named before: "more black chairs than red ones".
    - A question for an attribute that is already given asks for a name ("of the red things, which
      is nearest?").
    - A small object moved "to the desk" is put on it.
    """
    op, args = program.op, program.args
    if op == "move" and words:
        return _laid(program, words)
    if op == "more":
        first, second = (list(arg.calls("all"))[-1] for arg in args)
        if second.args == ("object",) != first.args and args[1].op == "having":
            return RoomCall("more", (args[0], _with_noun(args[1], first)))
    if op == "name" and isinstance(args[0].args[-1], RoomCall) and args[0].args[-1].op == "pair":
        looks = distinguishing_attribute(args[0].args[-1])
        return program if looks is None else RoomCall("query", (looks, args[0]))
    about_looks = not LOOKS.isdisjoint(map(plain, words))
    if op == "query" and args[1].args and isinstance(source := args[1].args[-1], RoomCall):
        if source.op == "pair" and not about_looks:
            looks = distinguishing_attribute(source)
            return (
                RoomCall("name", args[1:]) if looks is None else RoomCall("query", (looks, args[1]))
            )
        if args[1].op != "only" and _known_look(args[0], source):
            return RoomCall("name", args[1:])
    if (
        op == "query"
        and args[1].op != "only"
        and args[1].args[-1:]
        and _of_use(args[1].args[-1])
        and not about_looks
    ):
        return RoomCall("name", args[1:])
    return program


def _laid(move: RoomCall, words: Sequence[str]) -> RoomCall:
    """Put a small object moved "to the desk", without a word of nearness, on top of it."""
    what, where = move.args
    if where.op != "next_to" or _NEAR.search(" ".join(words)):
        return move
    if _stands(what) != "top" or _stands(where.args[0]) not in ("floor", "back"):
        return move
    return RoomCall("move", (what, RoomCall("on", where.args)))


def _stands(program: RoomCall) -> str:
    """Return where objects of a set's kind stand (`rooms.Category`); "" for an unlisted kind."""
    kinds = list(program.calls("all"))
    category = category_of(kinds[-1].args[0] if kinds else "")
    return category.stands if category is not None else ""


def _known_look(attribute: RoomCall | str, source: RoomCall) -> bool:
    """Return whether a set is filtered by this attribute."""
    while source.op == "having":
        if source.args[0] == attribute:
            return True
        source = source.args[2]
    return False


def _of_use(source: RoomCall | str) -> bool:
    """Return whether a set is defined by a purpose: "seats", "light sources"."""
    return isinstance(source, RoomCall) and source.op == "all" and source.args[0] in NOUNS_OF_USE


def _with_noun(source: RoomCall, kind: RoomCall) -> RoomCall:
    """Replace the kind of a filtered set."""
    return (
        RoomCall("having", (*source.args[:2], _with_noun(source.args[2], kind)))
        if source.op == "having"
        else kind
    )
