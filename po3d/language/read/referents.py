"""Correct how a parse distinguishes objects, using the sentence and the scene.

Examples: "the full bucket" parsed as the bucket although there are two; "the goat" parsed as the
white one of two; "which cushion" parsed as a question for a name.
"""

import re
from collections.abc import Mapping, Sequence

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
# nouns of the lexicon that are no kinds of objects in questions, or of all
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
    values = [_filter_values(one.args[0]) if one.op == "unique" else None for one in pair.args]
    first, second = values
    if not first or not second or first.keys() != second.keys():
        return None
    differing = [look for look in first if first[look] != second[look]]
    return differing[0] if len(differing) == 1 and differing[0] in LOOKS else None


def of_pair(program: Call, names: Sequence[str]) -> Call:
    """Return a program of a room in which no object is swapped with or measured from itself if
    exactly two objects have its name: "the two beds have swapped places".

    `names`: of all objects of the scene.
    """
    args = [of_pair(a, names) if isinstance(a, Call) else a for a in program.args]
    if program.op in PAIRED and len(args) > 1 and args[-1] == args[-2]:
        first = next((c.args[0] for c in args[-1].calls() if c.op == "unique"), None)
        kind = first and _filter_values(first)
        if kind and list(kind) == ["name"] and names.count(kind["name"]) == 2:
            args[-2:] = (at_end(args[-1], sense) for sense in ("most", "least"))
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
            return Call(call.op, tuple(of(a) if isinstance(a, Call) else a for a in call.args))

        changed = of(program)
        if changed == program:
            changed = _among(program, names, union)
        program = changed
    return program


def _kinds(text: str, names: Sequence[str]) -> list[list[str]]:
    """Return, for each noun of a kind in the text, the names of its objects; none for a noun that
    is itself a name or a synonym of one.
    """
    words = [singular(word) for word in re.findall(r"[a-z]+", text.lower())]
    nouns = [" ".join(words[k : k + n]) for n in (2, 1) for k in range(len(words) - n + 1)]
    result = []
    for noun in dict.fromkeys(nouns):
        if noun in NO_KINDS or noun not in lexicon().kinds:
            continue
        scores = {name: fits(noun, name) for name in names if name}
        if SAME not in scores.values():
            result.append([name for name, score in scores.items() if score == BELOW])
    return [kind for kind in result if kind]


def _union(names: Sequence[str]) -> Call:
    """Return the program of all objects with these names."""
    first, *rest = (Call("filter", ("name", name, Call("scene"))) for name in names)
    for other in rest:
        first = Call("union", (first, other))
    return first


def _listed(call: Call) -> set[str]:
    """Return the names whose union a program is; empty if it is none."""
    if call.op == "filter" and call.args[0] == "name" and call.args[2].op == "scene":
        return {call.args[1]}
    if call.op == "union":
        parts = [_listed(part) for part in call.args]
        return set().union(*parts) if all(parts) else set()
    return set()


def _among(program: Call, names: Sequence[str], union: Call) -> Call:
    """Restrict a question for the name of the best of all objects to a kind, unless another object
    of the program may have been meant by it.
    """
    if program.op != "query" or program.args[0] != "name" or program.args[1].op != "best":
        return program
    best = program.args[1]
    mentioned = {str(arg) for call in program.calls() for arg in call.args}
    if best.args[-1].op != "scene" or mentioned & set(names):
        return program
    return Call("query", ("name", Call("best", (*best.args[:-1], union))))


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
