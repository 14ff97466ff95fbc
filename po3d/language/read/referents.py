"""How a reading tells things apart, set right by the sentence and the table: "the full bucket", read as the bucket where there are two; "the
goat", read as the white one of two; "which cushion", read as a question for a name."""

import re
from collections.abc import Mapping, Sequence

from po3d.language.grammar import load
from po3d.language.program import Call

Thing = Mapping[str, str | None]  # name and looks
LOOKS = ("color", "material", "state")
NAMED = ("color", "material", "size")  # looks that sentences name where they mean them
STEM = 4  # letters that a look has in common with its other forms: "wooden", "larger"
_WORDINGS = load("omissions", "patterns")
_LIKE: dict[str, set[str]] = {}  # other words for a look
for _word, _pattern in _WORDINGS.meanings("like"):
    _LIKE.setdefault(_pattern.op, set()).add(_word)
_OTHERS = frozenset(_WORDINGS.wordings("others"))
SHORTEST = 3  # letters of a look's word: "on" is a preposition nearly always


def completed(program: Call, text: str, things: Sequence[Thing]) -> Call:
    """The program with its objects as the sentence has them: where several things of the table fit one, a look that the sentence
    names and the program doesn't tells it from the others. `things`: all there are."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    used = {call.args[1] for call in program.calls() if call.op == "filter"}

    def of(call: Call) -> Call:
        if call.op == "unique" and (told := _told_by(call.args[0])) and "name" in told:
            fit = [t for t in things if all(t.get(a) == v for a, v in told.items())]
            return one_of(call, fit, told) if len(fit) > 1 else call
        return Call(call.op, tuple(of(a) if isinstance(a, Call) else a for a in call.args))

    def one_of(call: Call, fit: Sequence[Thing], told: Mapping[str, str]) -> Call:
        for look in LOOKS:
            values = [t.get(look) for t in fit]
            for value in dict.fromkeys(values):
                if value is None or value in used or look in told or values.count(value) > 1:
                    continue
                if len(value) >= SHORTEST and value in words:
                    used.add(value)
                    return Call("unique", (Call("filter", (look, value, call.args[0])),))
        return call

    return of(program)


def as_said(program: Call, text: str, things: Sequence[Thing]) -> Call:
    """The program without the colours, materials and sizes by which it tells one of several things of the table though nothing that is asked
    names them: of two goats "the goat" is neither. What is told as the other one may be."""
    words = set(re.findall(r"[a-z]+", text.lower()))

    def of(call: Call) -> Call:
        args = tuple(of(a) if isinstance(a, Call) else a for a in call.args)
        if call.op == "filter" and call.args[0] in NAMED and (told := _told_by(call)):
            look, value, among = args
            several = [t for t in things if all(_is(t, a, v) for a, v in told.items() if a != look)]
            if len(several) > 1 and not is_named(value):
                return among
        return Call(call.op, args)

    def is_named(value: str) -> bool:
        return any(w.startswith(value[:STEM]) for w in words) or bool(words & _LIKE.get(value, set()))

    return program if words & _OTHERS else of(program)


def _is(thing: Thing, attribute: str, value: str) -> bool:
    """Whether a thing has this look, or this name, as a whole or as its last word."""
    if attribute in ("name", "shape"):
        return value in (thing["name"], (thing["name"] or "").rpartition(" ")[2])
    return thing.get(attribute) == value


def told_apart(program: Call, things: Sequence[Thing]) -> Call:
    """A question that asks which of several things of one name it is ("which cushion is on top?"), asking for the look that tells these
    apart: their name says nothing. As it is where no look is another's."""
    if program.op != "query" or program.args[0] != "name" or (name := _name_of(program.args[1])) is None:
        return program
    same = [t for t in things if _is(t, "name", name)]
    for look in LOOKS if len(same) > 1 else ():
        values = [t.get(look) for t in same]
        if None not in values and len(set(values)) == len(values):
            return Call("query", (look, program.args[1]))
    return program


def _name_of(told: Call) -> str | None:
    """The name that all things have among which one is told."""
    while isinstance(told, Call) and told.op in ("unique", "best", "filter", "relate", "exclude", "same"):
        if told.op == "filter" and told.args[0] == "name":
            return told.args[1]
        told = told.args[-1]
    return None


def _told_by(objects: Call) -> dict[str, str] | None:
    """The values that a set is told by; None where it is told by more, or in another way."""
    told = {}
    while objects.op == "filter":
        attribute, value, objects = objects.args
        told[attribute] = value
    return told if objects.op == "scene" else None
