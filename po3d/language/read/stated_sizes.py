"""Stated sizes of new objects in changes: "a vase 30 cm tall", "a 2 m wide sofa".

text ──► without_sizes ──► text that the parsers were trained on ──► program
  └────► sizes ──────────────────────────────────────────────────────► with_sizes
"""

import re

from po3d.language.grammar import load
from po3d.language.program import LEAVES, Call

_WORDINGS = load("omissions", "patterns")
_UNITS = {word: float(op) for word, op in _WORDINGS.words("unit").items()}
_EXTENTS = {word: op.split() for word, op in _WORDINGS.words("extent").items()}
_NUMBERS = load("everyday").words("number") | _WORDINGS.words("amount")
_AMOUNTS = dict(zip(_NUMBERS, map(float, _NUMBERS.values())))


def _either(words: dict) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_FORM = (
    rf"\b(?:(\d+(?:[.,]\d+)?)[ -]?|({_either(_AMOUNTS)})[ -])"
    rf"({_either(_UNITS)})[ -]({_either(_EXTENTS)})\b"
)
_LENGTH = re.compile(
    rf"(?:(\d+(?:[.,]\d+)?) ?|({_either(_AMOUNTS)}) )({_either(_UNITS)})( and a half)?"
)
_SIZE = re.compile(_FORM, re.IGNORECASE)
_RESIZED = re.compile(rf"\b(?:{_either(_WORDINGS.wordings('become'))}) {_FORM}", re.IGNORECASE)
_NEW = re.compile(rf"\ban? (?:\w+ ){{0,2}}?{_FORM}", re.IGNORECASE)  # "a 2 m long table"
_PHRASE = re.compile(
    rf"(?P<comma>,)?(?: (?:that|which) (?:is|was|measures)| measuring)? ?{_FORM}"
    rf"(?:(?:,| and|, and) {_FORM})*(?(comma),?)",
    re.IGNORECASE,
)


def metres(text: str) -> float | None:
    """Return a length with its unit in metres, "80 cm"; None for other texts."""
    match = _LENGTH.fullmatch(text)
    if match is None:
        return None
    digits, word, unit, half = match.groups()
    number = float(digits.replace(",", ".")) if digits else _AMOUNTS[word]
    return round((number + (0.5 if half else 0)) * _UNITS[unit], 3)


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
    new = list(change.calls("thing"))
    if not stated or len(new) != 1:
        return change

    def of(call: Call) -> Call:
        if call is new[0]:
            name, traits = call.args
            for extent, metres in stated.items():
                traits = Call("trait", (extent, metres, traits))
            return Call("thing", (name, traits))
        return call.mapped(of)

    return of(change)


def omits_size(text: str, change: Call) -> bool:
    """Return whether a text states sizes of a new or a resized object that the program of the
    change lacks."""
    sized = {call.args[0] for call in change.calls("trait", "set")}.intersection(LEAVES["extent"])
    stated = any(change.calls("thing")) or _RESIZED.search(text) or _NEW.search(text)
    return bool(stated) and not sized >= sizes(text).keys()
