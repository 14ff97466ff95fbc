"""Stated sizes of new objects in changes: "a vase 30 cm tall", "a 2 m wide sofa".

text ──► without_sizes ──► text that the parsers were trained on ──► program
  └────► sizes ──────────────────────────────────────────────────────► with_sizes
"""

import re
from itertools import chain

from po3d.language.grammar import load
from po3d.language.program import LEAVES, Call

_WORDINGS = load("omissions", "patterns")
_UNITS = {word: float(pattern.op) for word, pattern in _WORDINGS.meanings("unit")}
_EXTENTS = {word: pattern.op.split() for word, pattern in _WORDINGS.meanings("extent")}
_NUMBERS = chain(load("everyday").meanings("number"), _WORDINGS.meanings("amount"))
_AMOUNTS = {word: float(pattern.op) for word, pattern in _NUMBERS}


def _either(words: dict) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_FORM = (
    rf"\b(?:(\d+(?:[.,]\d+)?)[ -]?|({_either(_AMOUNTS)})[ -])"
    rf"({_either(_UNITS)})[ -]({_either(_EXTENTS)})\b"
)
_SIZE = re.compile(_FORM, re.IGNORECASE)
_PHRASE = re.compile(
    rf"(?P<comma>,)?(?: (?:that|which) (?:is|was|measures)| measuring)? ?{_FORM}"
    rf"(?:(?:,| and|, and) {_FORM})*(?(comma),?)",
    re.IGNORECASE,
)


def sizes(text: str) -> dict[str, float]:
    """Return the sizes that a text states, in metres, by extent (a leaf of the language)."""
    stated = {}
    for match in _SIZE.finditer(text):
        digits, word, unit, extent = ((part or "").lower() for part in match.groups())
        number = float(digits.replace(",", ".")) if digits else _AMOUNTS[word]
        stated |= dict.fromkeys(_EXTENTS[extent], round(number * _UNITS[unit], 3))
    return stated


def without_sizes(text: str) -> str:
    """Return the text without stated sizes: "a sofa" for "a 2 m wide sofa"."""
    return " ".join(_PHRASE.sub(" ", text).split()) if _SIZE.search(text) else text


def with_sizes(change: Call, text: str) -> Call:
    """Add the sizes that the text of a change states to its new object; the change itself if it
    has no new object, or several."""
    stated = sizes(text)
    new = [call for call in change.calls() if call.op == "thing"]
    if not stated or len(new) != 1:
        return change

    def of(call: Call) -> Call:
        if call is new[0]:
            name, traits = call.args
            for extent, metres in stated.items():
                traits = Call("trait", (extent, metres, traits))
            return Call("thing", (name, traits))
        return Call(call.op, tuple(of(a) if isinstance(a, Call) else a for a in call.args))

    return of(change)


def omits_size(text: str, change: Call) -> bool:
    """Return whether a text states sizes of a new object that the program of the change lacks."""
    calls = list(change.calls())
    sized = {c.args[0] for c in calls if c.op == "trait"} & set(LEAVES["extent"])
    return any(call.op == "thing" for call in calls) and not sized >= sizes(text).keys()
