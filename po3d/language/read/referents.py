"""Correct how a parse distinguishes objects, using the sentence and the scene.

Examples: "the full bucket" parsed as the bucket although there are two; "the goat" parsed as the
white one of two; "which cushion" parsed as a question for a name.
"""

import re
from collections.abc import Mapping, Sequence

from po3d.language.grammar import load
from po3d.language.program import Call

Thing = Mapping[str, str | None]  # name and attributes
LOOKS = ("color", "material", "state")
NAMED = ("color", "material", "size")  # attributes that a sentence names if it refers to them
STEM = 4  # common prefix of an attribute's forms, in letters: "wooden", "larger"
_WORDINGS = load("omissions", "patterns")
_LIKE: dict[str, set[str]] = {}  # synonyms of attribute values
for _word, _pattern in _WORDINGS.meanings("like"):
    _LIKE.setdefault(_pattern.op, set()).add(_word)
_OTHERS = frozenset(_WORDINGS.wordings("others"))
SHORTEST = 3  # letters of the shortest attribute value considered: "on" is usually a preposition


def completed(program: Call, text: str, things: Sequence[Thing]) -> Call:
    """Add missing attributes to ambiguous objects of a program.

    If several objects of the scene match, an attribute value that the sentence names and the
    program lacks is added where it selects one of them. `things`: all objects of the scene.
    """
    words = set(re.findall(r"[a-z]+", text.lower()))
    used = {call.args[1] for call in program.calls() if call.op == "filter"}

    def of(call: Call) -> Call:
        if (
            call.op == "unique"
            and (attributes := _filter_values(call.args[0]))
            and "name" in attributes
        ):
            fit = [t for t in things if all(t.get(a) == v for a, v in attributes.items())]
            return one_of(call, fit, attributes) if len(fit) > 1 else call
        return Call(call.op, tuple(of(a) if isinstance(a, Call) else a for a in call.args))

    def one_of(call: Call, fit: Sequence[Thing], attributes: Mapping[str, str]) -> Call:
        for look in LOOKS:
            values = [t.get(look) for t in fit]
            for value in dict.fromkeys(values):
                if value is None or value in used or look in attributes or values.count(value) > 1:
                    continue
                if len(value) >= SHORTEST and value in words:
                    used.add(value)
                    return Call("unique", (Call("filter", (look, value, call.args[0])),))
        return call

    return of(program)


def without_redundant_looks(program: Call, text: str, things: Sequence[Thing]) -> Call:
    """Remove colours, materials and sizes that distinguish objects but are not in the text.

    With two goats in the scene, "the goat" is ambiguous. Programs are left unchanged if the text
    contrasts objects ("the other one").
    """
    words = set(re.findall(r"[a-z]+", text.lower()))

    def of(call: Call) -> Call:
        args = tuple(of(a) if isinstance(a, Call) else a for a in call.args)
        if call.op == "filter" and call.args[0] in NAMED and (attributes := _filter_values(call)):
            look, value, source = args
            candidates = [
                t for t in things if all(_is(t, a, v) for a, v in attributes.items() if a != look)
            ]
            if len(candidates) > 1 and not is_named(value):
                return source
        return Call(call.op, args)

    def is_named(value: str) -> bool:
        return any(w.startswith(value[:STEM]) for w in words) or bool(
            words & _LIKE.get(value, set())
        )

    return program if words & _OTHERS else of(program)


def _is(thing: Thing, attribute: str, value: str) -> bool:
    """Return whether an object has this attribute value, or this name (or last word of it)."""
    if attribute in ("name", "shape"):
        return value in (thing["name"], (thing["name"] or "").rpartition(" ")[2])
    return thing.get(attribute) == value


def disambiguate(program: Call, things: Sequence[Thing]) -> Call:
    """Rewrite a question for the name of one of several equally named objects.

    Example: "which cushion is on top?".

    It then asks for an attribute whose values distinguish them. Unchanged if there is none.
    """
    if (
        program.op != "query"
        or program.args[0] != "name"
        or (name := _name_of(program.args[1])) is None
    ):
        return program
    same = [t for t in things if _is(t, "name", name)]
    for look in LOOKS if len(same) > 1 else ():
        values = [t.get(look) for t in same]
        if None not in values and len(set(values)) == len(values):
            return Call("query", (look, program.args[1]))
    return program


def _name_of(objects: Call) -> str | None:
    """Return the common name of the set from which an object is selected."""
    while isinstance(objects, Call) and objects.op in (
        "unique",
        "best",
        "filter",
        "relate",
        "exclude",
        "same",
    ):
        if objects.op == "filter" and objects.args[0] == "name":
            return objects.args[1]
        objects = objects.args[-1]
    return None


def _filter_values(objects: Call) -> dict[str, str] | None:
    """Return the filter values that define a set; None if it is defined in any other way."""
    attributes = {}
    while objects.op == "filter":
        attribute, value, objects = objects.args
        attributes[attribute] = value
    return attributes if objects.op == "scene" else None
