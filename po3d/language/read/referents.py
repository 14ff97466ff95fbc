"""Correct how a parse distinguishes objects, using the sentence and the scene.

Examples: "the full bucket" parsed as the bucket although there are two; "the goat" parsed as the
white one of two; "which cushion" parsed as a question for a name.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial, reduce
from itertools import pairwise

from po3d.language.english import singular
from po3d.language.grammar import load
from po3d.language.lexicon import BELOW, SAME, fits, lexicon
from po3d.language.program import Call
from po3d.language.read.unspecified import at_end

Thing = Mapping[str, str | None]  # name and attributes
LOOKS = ("color", "material", "state")
PAIRED = ("swap", "query", "holds")  # operations on two objects
NAMED = ("color", "material", "size")  # attributes that a sentence names if it refers to them
STEM = 4  # common prefix of an attribute's forms, in letters: "wooden", "larger"
_WORDINGS = load("omissions", "patterns")
# nouns of the lexicon that are not kinds of objects in questions, or of all
NO_KINDS = frozenset(("thing", "object", "item", "one", "room", "wall", "side", "light", "place"))
_LIKE: dict[str, set[str]] = {}  # synonyms of attribute values
for _word, _pattern in _WORDINGS.meanings("like"):
    _LIKE.setdefault(_pattern.op, set()).add(_word)
_OTHERS = frozenset(_WORDINGS.wordings("others"))
SHORTEST = 3  # letters of the shortest attribute value considered: "on" is usually a preposition


def resolved(program: Call, sort: str, text: str, sentences: str, things: Sequence[Thing]) -> Call:
    """Correct a parsed program by its sentence and the scene: all steps of this module.

    `sort`: "question", "change" or "frame"; `text`: that sentence; `sentences`: all of the line.
    """
    program = without_redundant_looks(program, sentences, things)
    program = disambiguate(completed(program, text, things), things)
    return with_kinds(program, text, things) if sort == "question" and things else program


def completed(program: Call, text: str, things: Sequence[Thing]) -> Call:
    """Add missing attributes to ambiguous objects of a program.

    If several objects of the scene match, an attribute value that the sentence names and the
    program lacks is added where it selects one of them. `things`: all objects of the scene.
    """
    words = set(re.findall(r"[a-z]+", text.lower()))
    used = {call.args[1] for call in program.calls("filter")}

    def of(call: Call) -> Call:
        attributes = _filter_values(call.args[0]) if call.op == "unique" else None
        if not attributes or "name" not in attributes:
            return call.mapped(of)
        fit = [t for t in things if attributes.items() <= t.items()]
        return one_of(call, fit, attributes) if len(fit) > 1 else call

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
        changed = call.mapped(of)
        if call.op == "filter" and call.args[0] in NAMED and (attributes := _filter_values(call)):
            look, value, source = changed.args
            attributes.pop(look)
            if sum(_is_all(thing, attributes) for thing in things) > 1 and not is_named(value):
                return source
        return changed

    def is_named(value: str) -> bool:
        return not words.isdisjoint(_LIKE.get(value, ())) or any(
            w.startswith(value[:STEM]) for w in words
        )

    return program if words & _OTHERS else of(program)


def _is_all(thing: Thing, attributes: Mapping[str, str]) -> bool:
    return all(_is(thing, *pair) for pair in attributes.items())


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
    if program.op != "query" or program.args[0] not in ("name", "shape"):
        return program
    if (look := _look_of_pair(program.args[1])) is not None:
        return Call("query", (look, program.args[1]))
    if program.args[0] != "name" or (name := _name_of(program.args[1])) is None:
        return program
    same = [t for t in things if _is(t, "name", name)]
    for look in LOOKS if len(same) > 1 else ():
        values = [t.get(look) for t in same]
        if None not in values and len(set(values)) == len(values):
            return Call("query", (look, program.args[1]))
    return program


def _look_of_pair(chosen: Call) -> str | None:
    """Return the attribute that distinguishes two objects of one name from which one is chosen:
    "the pink chair or the orange one?"
    """
    pair = chosen.args[-1] if chosen.op == "best" else None
    if pair is None or pair.op != "group" or len(pair.args) != 2:
        return None
    if any(one.op != "unique" for one in pair.args):
        return None
    first, second = (_filter_values(one.args[0]) for one in pair.args)
    if not first or not second or first.keys() != second.keys():
        return None
    differing = dict(first.items() - second.items())
    return min(differing) if len(differing) == 1 and differing.keys() <= set(LOOKS) else None


def of_pair(program: Call, names: Sequence[str]) -> Call:
    """Return a program of a room in which no object is swapped with or measured from itself if
    exactly two objects have its name: "the two beds have swapped places".

    `names`: of all objects of the scene.
    """
    args = list(program.mapped(lambda call: of_pair(call, names)).args)
    if program.op in PAIRED and len(args) > 1 and args[-1] == args[-2]:
        first = next(args[-1].calls("unique"), None)
        kind = first and _filter_values(first.args[0])
        if kind and list(kind) == ["name"] and names.count(kind["name"]) == 2:
            args[-2:] = at_end(args[-1], "most"), at_end(args[-1], "least")
    return Call(program.op, tuple(args))


def with_kinds(program: Call, text: str, things: Sequence[Thing]) -> Call:
    """Replace the names that a parse lists for a noun of a kind by those of the scene.

    "How many animals are there?" parsed as horses counts the dogs too; "what is the biggest
    instrument?" parsed as the biggest object asks among the instruments.
    """
    kinds = _kinds(text, tuple(dict.fromkeys(t["name"] or "" for t in things)))
    for names in kinds:
        union = _union(names)

        def of(call: Call, names: Sequence[str] = names, union: Call = union) -> Call:
            listed = _listed(call)
            if listed and listed <= set(names) and not any(map(text.lower().__contains__, listed)):
                return union
            if call.op == "unique" and call.args[0].op == "filter":
                return call
            return call.mapped(of)

        changed = of(program)
        if changed == program:
            changed = _among(program, names, union)
        program = changed
    return program


def _kinds(text: str, names: Sequence[str]) -> list[list[str]]:
    """Return, for each noun of a kind in the text, the names of its objects; none for a noun that
    is itself a name or a synonym of one.
    """
    words = list(map(singular, re.findall(r"[a-z]+", text.lower())))
    result = []
    for noun in dict.fromkeys([*map(" ".join, pairwise(words)), *words]):
        if noun in NO_KINDS or noun not in lexicon().kinds:
            continue
        scores = {name: fits(noun, name) for name in filter(None, names)}
        kind = [name for name in scores if scores[name] == BELOW]
        if kind and SAME not in scores.values():
            result.append(kind)
    return result


def _union(names: Sequence[str]) -> Call:
    """Return the program of all objects with these names."""
    sets = (Call("filter", ("name", name, Call("scene"))) for name in names)
    return reduce(partial(Call.of, "union"), sets)


def _listed(call: Call) -> set[str]:
    """Return the names whose union a program is; empty if it is none."""
    if call.op == "filter" and call.args[0] == "name" and call.args[2].op == "scene":
        return {call.args[1]}
    if call.op == "union":
        parts = list(map(_listed, call.args))
        return set().union(*parts) if all(parts) else set()
    return set()


def _among(program: Call, names: Sequence[str], union: Call) -> Call:
    """Restrict a question for the name of the best of all objects to a kind, unless another object
    of the program may have been meant by it.
    """
    if program.op != "query" or program.args[0] != "name" or program.args[1].op != "best":
        return program
    best = program.args[1]
    if best.args[-1].op != "scene" or not set(names).isdisjoint(program.leaves()):
        return program
    return Call("query", ("name", Call("best", (*best.args[:-1], union))))


def _name_of(objects: Call) -> str | None:
    """Return the common name of the set from which an object is selected."""
    chain = ("unique", "best", "filter", "relate", "exclude", "same")
    while isinstance(objects, Call) and objects.op in chain:
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
