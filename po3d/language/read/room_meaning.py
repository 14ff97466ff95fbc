"""Corrections of room programs where the intended meaning differs from the literal parse."""

import re
from collections.abc import Sequence

from po3d.language.english import plain
from po3d.language.programs.rooms import SIGNATURES, Call, told_apart
from po3d.scene.rooms import NOUNS_OF_USE, attribute_of, category_of

# words that ask for an attribute
LOOKS = frozenset(["color", "material", "state", "condition", "made", "painted"])
_NEAR = re.compile(
    r"\b(next|beside|besides|by|near|nearer|nearest|nearby|adjacent|close|closer|closest|alongside|along|vicinity|side|sides|"
    r"within|against|touching|neighbou?r\w*|towards?|company|joins?|joined|with|right up to)\b"
)


def agreeing(program: Call) -> Call:
    """Correct the attributes of filters by their values: "running" is a state, "oak" a material."""
    args = [agreeing(arg) if isinstance(arg, Call) else arg for arg in program.args]
    kinds = SIGNATURES[program.op].inputs
    if kinds[:2] == ("attribute", "value") and (told := attribute_of(args[1])) is not None:
        args[0] = told
    return Call(program.op, tuple(args))


def telling(program: Call, words: Sequence[str] = ()) -> Call:
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
        first, second = ([part for part in arg.calls() if part.op == "all"][-1] for arg in args)
        if second.args == ("object",) != first.args and args[1].op == "having":
            return Call("more", (args[0], _with_noun(args[1], first)))
    if op == "name" and isinstance(args[0].args[-1], Call) and args[0].args[-1].op == "pair":
        looks = told_apart(args[0].args[-1])
        return program if looks is None else Call("query", (looks, args[0]))
    looked_at = bool(LOOKS & {plain(w) for w in words})
    if op == "query" and args[1].args and isinstance(among := args[1].args[-1], Call):
        if among.op == "pair" and not looked_at:
            looks = told_apart(among)
            return Call("name", args[1:]) if looks is None else Call("query", (looks, args[1]))
        if args[1].op != "only" and _known_look(args[0], among):
            return Call("name", args[1:])
    if (
        op == "query"
        and args[1].op != "only"
        and args[1].args[-1:]
        and _of_use(args[1].args[-1])
        and not looked_at
    ):
        return Call("name", args[1:])
    return program


def _laid(move: Call, words: Sequence[str]) -> Call:
    """Put a small object moved "to the desk", without a word of nearness, on top of it."""
    what, where = move.args
    if where.op != "next_to" or _NEAR.search(" ".join(words)):
        return move
    if _stands(what) != "top" or _stands(where.args[0]) not in ("floor", "back"):
        return move
    return Call("move", (what, Call("on", where.args)))


def _stands(program: Call) -> str:
    """Return where objects of a set's kind stand (`rooms.Category`); "" for an unlisted kind."""
    name = next((part.args[0] for part in reversed(list(program.calls())) if part.op == "all"), "")
    category = category_of(name)
    return category.stands if category is not None else ""


def _known_look(attribute: Call | str, among: Call) -> bool:
    """Return whether a set is filtered by this attribute."""
    while among.op == "having":
        if among.args[0] == attribute:
            return True
        among = among.args[2]
    return False


def _of_use(among: Call | str) -> bool:
    """Return whether a set is defined by a purpose: "seats", "light sources"."""
    return isinstance(among, Call) and among.op == "all" and among.args[0] in NOUNS_OF_USE


def _with_noun(among: Call, kind: Call) -> Call:
    """Replace the kind of a filtered set."""
    return (
        Call("having", (*among.args[:2], _with_noun(among.args[2], kind))) if among.op == "having" else kind
    )
