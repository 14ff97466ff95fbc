"""Questions and statements that are read by rule, whatever world they are about: `everyday.grammar`, with the names and looks of the table."""

import re
from collections.abc import Mapping, Sequence

from po3d.language.english import singular
from po3d.language.grammar import Grammar, Value, load
from po3d.language.lexicon import same
from po3d.language.program import Call
from po3d.language.read.by_grammar import Reading

FRAMES = {
    "room": "room",
    "street": "task",
}  # whose left and right is meant, by kind of world; else the camera's
LOOKS = ("color", "material", "state")
LONGEST_NAME = 4  # words
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def read(text: str, kind: str, things: Sequence[Mapping[str, str | None]]) -> Call | None:
    """The program of a question, or of a statement as the question whether it is so; None where no rule reads all of it. `things`: names
    and looks of the table's."""
    words = _WORD.findall(text.lower())
    found = Everyday(load("everyday"), words, things).values("question") if words else []
    program = next((value for value, end in found if end == len(words)), None)
    return None if program is None else _framed(program, FRAMES.get(kind, "camera"))


class Everyday(Reading):
    """Reads one sentence. Names and looks are what the table has."""

    def __init__(
        self, grammar: Grammar, words: Sequence[str], things: Sequence[Mapping[str, str | None]]
    ) -> None:
        super().__init__(grammar, words)
        self.names = {name.lower(): None for t in things if (name := t.get("name"))}
        self.looks = {look: {str(t[look]).lower() for t in things if t.get(look)} for look in LOOKS}

    def values(self, form: str, start: int = 0) -> list[tuple[Value, int]]:
        if form == "name":
            return [(noun, end) for end in self._ends(start) if (noun := self._name(start, end))]
        if form in LOOKS:
            runs = ((" ".join(self.words[start:end]), end) for end in self._ends(start))
            return [(run, end) for run, end in runs if run in self.looks[form]]
        return super().values(form, start)

    def _ends(self, start: int) -> range:
        """Where a name that begins at a word may end, the longest first."""
        return range(min(start + LONGEST_NAME, len(self.words)), start, -1)

    def _name(self, start: int, end: int) -> str:
        """What the table calls what these words name; "" where it has nothing of that name."""
        said = " ".join(self.words[start:end])
        one = singular(said)
        for noun in (said, one):
            if noun in self.names:
                return noun
        if any(name.endswith(f" {one}") for name in self.names) or any(
            same(one, name) for name in self.names
        ):
            return one
        return ""


def _framed(program: Call, whose: str) -> Call:
    """The program with its camera's frames as the world's."""
    if program == Call("frame", ("camera",)):
        return Call("frame", (whose,))
    return Call(
        program.op, tuple(_framed(arg, whose) if isinstance(arg, Call) else arg for arg in program.args)
    )
