"""Detect parses that omit a quantity, ordinal, negation, number or alternative of the sentence.

Parsers drop words that they cannot represent, so the probability of such parses is reduced. Also
detected are edits of objects that the sentence does not mention, and edits that the sentence
denies.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

from po3d.language.english import singular
from po3d.language.grammar import load
from po3d.language.program import LEAVES, Call
from po3d.language.read.stated_sizes import metres
from po3d.scene.rooms import COLORS, MATERIALS, STATES, SYNONYMS

_WORDINGS = load("omissions", "patterns")
# fmt: off
(
    DENIED, PARTLY, _ORDINAL, _NUMBERED, _NEGATION, _EVERY, _MORE_OR, _ALTERNATIVES, _NO_THING,
    _REMOVED, _ADDED, _PART, _HAS_PART, _EXCLUDED, _HYPOTHETICAL, _SECOND_QUESTION, _NONE,
    _OPPOSITE_WALL, _RESIZED, _TWO_SWAPPED, _MEASURED, _NEGATIVE, _STATE_DENIED,
) = _WORDINGS.expressions(
    "denied", "partly", "ordinal", "numbered", "negation", "every", "more_or", "alternatives",
    "no_thing", "removal", "addition", "part", "has_part", "excluded",
    "hypothetical", "second_question", "none", "opposite_wall", "resized",
    "two_swapped", "measured", "negative", "state_denied",
)
# fmt: on
_TELLING, _POINTING = map(frozenset, map(_WORDINGS.wordings, ("telling", "pointing")))
PARTS = ("some", "exclude", "group")  # operations that select some of a set, or list its members
EDITS = ("move", "turn", "face", "remove", "set", "replace")
LOOKS = ("color", "material", "size", "state")
COMPARED = ("equal", "less_than", "greater_than")
# Patterns of questions, each with a test whether the program expresses them; the first that fails
# is reported.
_OMISSION_RULES: tuple[tuple[re.Pattern, Callable[[Call, set[str]], bool]], ...] = (
    (_ORDINAL, lambda question, ops: "exclude" in ops or "first" in question.leaves()),
    (_NUMBERED, lambda _, ops: bool(ops & {*COMPARED, "some"})),
    (_NEGATION, lambda _, ops: bool(ops & {*COMPARED, "exclude"})),
    (_EVERY, lambda question, _: question.op != "exist"),
    (_NONE, lambda question, ops: bool(ops & {"exclude", "less_than"}) or _counts_none(question)),
    (_OPPOSITE_WALL, lambda question, _: "opposite" in question.leaves()),
    (_MORE_OR, lambda question, _: question.op not in COMPARED),
    (_ALTERNATIVES, lambda question, _: question.output != "bool"),
    (_NO_THING, lambda _, ops: bool(ops & {*COMPARED, "exclude"})),
)
_RELATIONS = _WORDINGS.words("relation")
_HEIGHTS = frozenset(("elevation", "height"))
# leaves of programs that express where something faces
_FACINGS = frozenset(_WORDINGS.wordings("facings"))
# operations on two objects, which have to be different
_RELATING = ("holds", "direction", "query", "compare", "relate")
_CLAUSE_END = re.compile(r"[,;.]|\b(?:and|but|then|while|after|before)\b")
_REMOVAL = re.compile(r"\b(?:removed?|gone|taken away|took away|disappeared)\b")
_EITHER = tuple(
    re.compile(rf"\b({'|'.join(words)}),? or (?:\w+ ){{0,2}}?({'|'.join(words)})\b", re.IGNORECASE)
    for words in (COLORS, MATERIALS, STATES)
)


def omitted(text: str, question: Call) -> str:
    """Describe the first part of a question that its program omits; "" if none is found."""
    if relates_itself(question):
        return "the program relates an object to itself"
    ops = {call.op for call in question.calls()}
    supposed = None if "before" in ops else _HYPOTHETICAL.search(text)
    if dropped := supposed or _SECOND_QUESTION.search(text):
        return f"the program omits {dropped[0].strip()!r}"
    asks_look = question.op == "query" and question.args[0] in LOOKS
    part = (asks_look and _PART.search(text)) or _HAS_PART.search(text)
    if part and not _names(question, part[0]):
        return f"the program omits the part {part[0]!r}"
    excluded = _EXCLUDED.search(text)
    if excluded and not all(map(partial(_names, question), excluded.groups())):
        return f"the program omits {excluded[0]!r}"
    message = set(text.lower().replace("n't", "nt").replace("-", " ").split())
    if question.op not in COMPARED and _TELLING.isdisjoint(message):
        return ""
    for word in message.intersection(_RELATIONS):
        facing = _RELATIONS[word] == "facing"
        if facing and not ops.isdisjoint(("frame", "direction")):  # a viewer who faces something
            continue
        others = _FACINGS if facing else _HEIGHTS
        if others.union([_RELATIONS[word]]).isdisjoint(question.leaves()):
            return f"the program omits {word!r}"
    for pattern, allowed in _OMISSION_RULES:
        if (match := pattern.search(text)) and not allowed(question, ops):
            return f"the program omits {match[0].strip()!r}"
    if (match := _MEASURED.search(text)) and metres(match[1].lower()) not in _numbers(question):
        return f"the program omits {match[0].strip()!r}"
    for pattern in _EITHER:
        for either in pattern.finditer(text):
            named = set(map(str.lower, either.groups()))
            if len(named) > 1 and len(named.intersection(question.leaves())) == 1:
                return f"the program reduces {either[0]!r} to one of them"
    if _compares_measures(question):
        return "the program compares different measures"
    return "the program compares an object with itself" if _compares_itself(question) else ""


def _numbers(question: Call) -> set[str | float | Call]:
    """Return the numbers with which a program compares."""
    return {call.args[0] for call in question.calls("count")}


def _counts_none(question: Call) -> bool:
    """Return whether a program compares a number with 0."""
    return any(call.args == (0,) for call in question.calls("count"))


def _names(question: Call, phrase: str) -> bool:
    """Return whether a leaf of the program has the last word of a phrase."""
    last = singular(phrase.lower().split()[-1])
    return any(last in leaf.lower() for leaf in question.leaves())


def _compares_itself(question: Call) -> bool:
    """Return whether a program compares an object with itself, or two equal alternatives."""
    if question.op in COMPARED and question.args[-1] == question.args[-2]:
        return True
    for call in question.calls():
        if call.op == "group" and len(set(call.args)) < len(call.args):
            return True
        # the nearest of two to one of them
        measured = call.op == "best" and call.args[0] == "distance"
        if measured and call.args[-1].op == "group" and call.args[2] in call.args[-1].args:
            return True
    return False


def _compares_measures(question: Call) -> bool:
    """Return whether a program compares two different measures: a volume with a length."""
    ends = [end for end in question.args if isinstance(end, Call) and end.op == "query"]
    return question.op in COMPARED and len(ends) == 2 and ends[0].args[0] != ends[1].args[0]


def relates_itself(question: Call) -> bool:
    """Return whether a program asks for the relation or direction of an object to itself: one of
    the two was misread.
    """
    for call in question.calls():
        objects = [arg for arg in call.args if isinstance(arg, Call) and arg.output == "object"]
        if call.op == "relate" and objects and Call("group", (objects[0],)) == call.args[-1]:
            return True
        if call.op in _RELATING and len(objects) > 1 and objects[0] == objects[1]:
            return True
    return False


def swaps_with_itself(change: Call) -> bool:
    """Return whether a change swaps an object with itself: one of the two was misread."""
    return any(call.args[0] == call.args[1] for call in change.calls("swap"))


def mixes_up_clauses(text: str, change: Call) -> bool:
    """Return whether the program of several edits removes an object that another clause names than
    the one that speaks of a removal, or swaps one of two of a kind with another object.
    """
    if swapped := _TWO_SWAPPED.search(text.lower()):
        kind = singular(swapped[1])
        for swap in change.calls("swap"):
            named = [_names(one, kind) for one in swap.args]
            if kind != swapped[1] and named[0] != named[1]:
                return True
    edits, removed = list(change.calls(*EDITS)), list(change.calls("remove"))
    clauses = list(filter(_REMOVAL.search, _CLAUSE_END.split(text.lower())))
    if len(edits) == 1 or len(removed) != 1 or len(clauses) != 1:
        return False
    return untold(clauses[0], removed[0])


def forgets_how_many(text: str, change: Call) -> bool:
    """Return whether the text edits some of several objects, and the program edits all."""
    if not PARTLY.search(text):
        return False
    changed = [next(_sets(call)) for call in change.calls(*EDITS)]
    ops = {part.op for part in chain.from_iterable(map(_chain, changed))}
    return bool(changed) and ops.isdisjoint(PARTS)


def omits_edit(text: str, change: Call) -> bool:
    """Return whether the text removes, adds or resizes an object, or moves it to the opposite wall,
    and the program does not: "Paint one chair and get rid of the other" parsed as two paintings.
    Also whether the text denies what the program does, or has a negative number.
    """
    ops = {call.op for call in change.calls()}
    if _NEGATIVE.search(text) or (_STATE_DENIED.search(text) and not ops.isdisjoint(EDITS)):
        return True
    if _RESIZED.search(text) and ops.isdisjoint(("replace", "add")) and not _resizes(change):
        return True
    if _OPPOSITE_WALL.search(text) and "opposite" not in change.leaves():
        return True
    removes = bool(_REMOVED.search(text)) and ops.isdisjoint(("remove", "replace", "move", "swap"))
    return removes or (bool(_ADDED.search(text)) and ops.isdisjoint(("add", "replace")))


def _resizes(change: Call) -> bool:
    """Return whether a change sets a size, or changes it by a factor."""
    sizes = LEAVES["extent"] + LEAVES["proportion"]
    return any(call.args[0] in sizes for call in change.calls("set"))


def untold(text: str, change: Call) -> bool:
    """Return whether the text does not refer to any edited object: "Hello." removes no chair."""
    tokens = re.findall("[a-z]+", text.lower())
    named = [leaf.lower() for kind, leaf in change.tokens() if kind == "text"]
    return (
        bool(named)
        and _POINTING.isdisjoint(tokens)
        and _alike(" ".join(named).split()).isdisjoint(_alike(tokens))
    )


def _alike(words: Sequence[str]) -> set[str]:
    """Return the words, their singulars, and their synonyms."""
    known = {*words, *map(singular, words)}
    others = filter(lambda name: known.issuperset(name.split()), SYNONYMS)
    return known.union(*(SYNONYMS[name].split() for name in others))


def _sets(call: Call) -> Iterator[Call]:
    return (a for a in call.args if isinstance(a, Call) and a.output == "objects")


def _chain(objects: Call) -> Iterator[Call]:
    """Yield a set and the sets that it is filtered from, without its landmarks."""
    yield objects
    for inner in _sets(objects):
        yield from _chain(inner)
