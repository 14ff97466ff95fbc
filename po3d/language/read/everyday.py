"""Rule-based parser of everyday questions and statements in any domain, and changes of rooms.

Uses `everyday.grammar` with the names and attributes of the scene's objects.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain

from po3d.language.english import singular
from po3d.language.grammar import load
from po3d.language.lexicon import same
from po3d.language.program import Call
from po3d.language.read.by_grammar import GrammarParse, Leaf
from po3d.language.read.stated_sizes import metres
from po3d.scene.rooms import COLORS, MATERIALS, STATES

FRAMES = {"room": "room", "street": "task"}  # reference frame by domain; otherwise the camera's
LOOKS = ("color", "material", "state")
_WORD = re.compile(r"\d+[.,]\d+(?![^\W_])|[^\W_]+(?:['’-][^\W_]+)*")
_POSSESSIVE = re.compile(r"\bthe ([\w ]+)'s (height|width|depth|length|size)\b")
# "what's", "whats"; "the table that the lamp's on"
_SHORT_IS = re.compile(
    r"\b((?:what|where|which|who)(?='?s\b)|there(?='s\b)|\w+(?='s (?:on|under|above|below)\b))'?s\b"
)
_TAG = re.compile(
    r"(?<=\w)\s*[,.;:?!–—-]\s*(?:true or false|yes or no|y/n|(?:is that )?(?:true|correct|right)"
    r"|agreed?|do you agree|(?:is|are)(?:n't| not) (?:it|they|there|he|she)|no)\s*\?*\s*$"
)
# "Which desk is larger, the black or the yellow one?"
_ALTERNATIVES = re.compile(
    r"(?<=\w)\s*[,:–-]\s*(?:the )?\w+(?: one)? or (?:the )?\w+ one\s*\?*\s*$"
)

_NOTHING = re.compile(r"^(\W*(?:(?:there )?(?:is|are) (?:there )?)?)nothing\b")
LONGEST = 60  # words; the parser descends some levels a word


def read(
    text: str, kind: str, things: Sequence[Mapping[str, str | None]], form: str = "question"
) -> Call | None:
    """Parse a question, or a statement as a yes/no question, or a change (`form`); None if no rule
    matches.

    `things`: names and attributes of the scene's objects.
    """
    text = _ALTERNATIVES.sub("?", _TAG.sub("?", text.lower().replace("’", "'")))
    text = _POSSESSIVE.sub(r"the \2 of the \1", text)
    text = _NOTHING.sub(r"\1no object", _SHORT_IS.sub(r"\1 is", text))
    words = _WORD.findall(text)
    if not 0 < len(words) <= LONGEST:
        return None
    parser = GrammarParse(load("everyday"), words, _leaves(things))
    forms = [form, "seen"] if kind == "photo" and form == "question" else [form]
    for value, end in chain.from_iterable(map(parser.values, forms)):
        if end == len(words):
            return _framed(value, FRAMES.get(kind, "camera"))
    return None


def _leaves(things: Sequence[Mapping[str, str | None]]) -> dict[str, Leaf]:
    """Return the parsers of names and attribute values, the vocabulary of a scene."""
    values: dict[str, set[str]] = {}
    for look in ("name", *LOOKS):
        values[look] = {str(thing.get(look) or "").lower() for thing in things} - {""}
    leaves: dict[str, Leaf] = {"name": partial(_name, values["name"])}
    # a value of the table, or another one
    values["shade"] = values["color"].union(COLORS)
    values["stuff"] = values["material"].union(MATERIALS)
    values["condition"] = values["state"].union(STATES)
    for look in ("shade", "stuff", "condition", *LOOKS):
        leaves[look] = partial(_listed, values[look])
    leaves["metres"] = metres
    return leaves


def _listed(values: set[str], text: str) -> str:
    return text if text in values else ""


def _name(names: set[str], text: str) -> str:
    """Return the noun for a text if it matches an object of the scene, else ""."""
    one = singular(text)
    for noun in (text, one):
        if noun in names:
            return noun
    return one if any(name.endswith(f" {one}") or same(one, name) for name in names) else ""


def _framed(program: Call, whose: str) -> Call:
    """Return the program with the camera's frame replaced by the frame `whose`."""
    if program == Call("frame", ("camera",)):
        return Call("frame", (whose,))
    return program.mapped(lambda call: _framed(call, whose))
