"""Rule-based parser of everyday questions and statements in any domain, and changes of rooms.

Uses `everyday.grammar` with the names and attributes of the scene's objects.
"""

import re
from collections.abc import Mapping, Sequence

from po3d.language.english import singular
from po3d.language.grammar import Grammar, Value, load
from po3d.language.lexicon import same
from po3d.language.program import Call
from po3d.language.read.by_grammar import GrammarParse
from po3d.scene.rooms import COLORS

FRAMES = {"room": "room", "street": "task"}  # reference frame by domain; otherwise the camera's
LOOKS = ("color", "material", "state")
LONGEST_NAME = 4  # words
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
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


def read(
    text: str, kind: str, things: Sequence[Mapping[str, str | None]], form: str = "question"
) -> Call | None:
    """Parse a question, or a statement as a yes/no question, or a change (`form`); None if no rule
    matches.

    `things`: names and attributes of the scene's objects.
    """
    text = _ALTERNATIVES.sub("?", _TAG.sub("?", text.lower().replace("’", "'")))
    words = _WORD.findall(_SHORT_IS.sub(r"\1 is", text))
    if not words:
        return None
    parser = Everyday(load("everyday"), words, things)
    forms = [form, "seen"] if kind == "photo" and form == "question" else [form]
    results = (result for one in forms for result in parser.values(one))
    program = next((value for value, end in results if end == len(words)), None)
    return None if program is None else _framed(program, FRAMES.get(kind, "camera"))


class Everyday(GrammarParse):
    """Parser of one sentence, with the scene's names and attribute values as the vocabulary."""

    def __init__(
        self, grammar: Grammar, words: Sequence[str], things: Sequence[Mapping[str, str | None]]
    ) -> None:
        super().__init__(grammar, words)
        self.names = {name.lower(): None for t in things if (name := t.get("name"))}
        self.looks = {look: {str(t[look]).lower() for t in things if t.get(look)} for look in LOOKS}

    def values(self, form: str, start: int = 0) -> list[tuple[Value, int]]:
        if form == "name":
            return [(noun, end) for end in self._ends(start) if (noun := self._name(start, end))]
        if form in (*LOOKS, "shade"):  # a shade is a colour of the table, or another one
            known = self.looks["color"].union(COLORS) if form == "shade" else self.looks[form]
            runs = ((" ".join(self.words[start:end]), end) for end in self._ends(start))
            return [(run, end) for run, end in runs if run in known]
        return super().values(form, start)

    def _ends(self, start: int) -> range:
        """Return the possible ends of a name that starts at a word, longest first."""
        return range(min(start + LONGEST_NAME, len(self.words)), start, -1)

    def _name(self, start: int, end: int) -> str:
        """Return the noun for these words if it matches an object of the scene, else ""."""
        text = " ".join(self.words[start:end])
        one = singular(text)
        for noun in (text, one):
            if noun in self.names:
                return noun
        if any(name.endswith(f" {one}") for name in self.names) or any(
            same(one, name) for name in self.names
        ):
            return one
        return ""


def _framed(program: Call, whose: str) -> Call:
    """Replace the camera's frame by the frame `whose`."""
    if program == Call("frame", ("camera",)):
        return Call("frame", (whose,))
    return Call(
        program.op,
        tuple(_framed(arg, whose) if isinstance(arg, Call) else arg for arg in program.args),
    )
