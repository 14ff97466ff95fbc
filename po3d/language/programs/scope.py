"""The typed program language of SCOPE: where things are for a camera, for a thing, for an imagined observer.

    where(thing("cup"), thing("phone"), camera)                                  spatial consistency, egocentric
    where(thing("rock"), thing("man"), own(thing("man")))                        ... allocentric
    turned("90", thing("cup"), thing("phone"), where(...))                       spatial updating, both
    which_view("left", thing("cup"), thing("phone"))                             spatial integration, egocentric
    name(nearest(toward("behind", thing("man"))))                                ... allocentric

One signature table; a call can't be made with arguments of other types. Leaves are quoted: names are open text,
directions and angles are closed lists.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from po3d.language.programs.street import ProgramError
from po3d.scene.orbit import LABELS


class Signature(NamedTuple):
    inputs: tuple[str, ...]
    output: str


SIGNATURES: dict[str, Signature] = {
    "thing": Signature(("noun",), "object"),
    "toward": Signature(("direction", "object"), "object"),  # the one that way, as the object itself has it
    "nearest": Signature(("object",), "object"),  # among those that may be the answer
    "camera": Signature((), "frame"),
    "own": Signature(("object",), "frame"),
    "where": Signature(("object", "object", "frame"), "label"),  # the first, from the second
    "turned": Signature(
        ("angle", "object", "object", "label"), "label"
    ),  # the observer goes about their middle
    "which_view": Signature(("direction", "object", "object"), "view"),
    "name": Signature(("object",), "word"),
}
ANGLES = ("45", "90", "135", "180", "225", "270", "315")
CLOSED: dict[str, tuple[str, ...]] = {"direction": LABELS, "angle": ANGLES}
OPEN = ("noun",)
ANSWERS = ("label", "view", "word")


@dataclass(frozen=True)
class Call:
    """One operation on its arguments: calls, or the text of a leaf. Construction checks the types."""

    op: str
    args: tuple["Call | str", ...] = ()

    def __post_init__(self) -> None:
        if self.op not in SIGNATURES:
            raise ProgramError(f"unknown operation {self.op!r}; known: {', '.join(SIGNATURES)}")
        wanted = SIGNATURES[self.op].inputs
        if len(wanted) != len(self.args):
            raise ProgramError(f"{self.op} takes {len(wanted)} arguments, got {len(self.args)}")
        for kind, arg in zip(wanted, self.args):
            if kind in CLOSED or kind in OPEN:
                if (
                    not isinstance(arg, str)
                    or not arg
                    or '"' in arg
                    or (kind in CLOSED and arg not in CLOSED[kind])
                ):
                    known = f"; known: {', '.join(CLOSED[kind])}" if kind in CLOSED else ""
                    raise ProgramError(f"{self.op}: {arg!r} is no {kind}{known}")
            elif not isinstance(arg, Call) or arg.output != kind:
                raise ProgramError(f"{self.op} takes {kind}, got {arg}")

    @property
    def output(self) -> str:
        return SIGNATURES[self.op].output

    def text(self) -> str:
        """where(thing("cup"), thing("phone"), camera); `parse_text` reads it back."""
        spelled = (a.text() if isinstance(a, Call) else f'"{a}"' for a in self.args)
        return f"{self.op}({', '.join(spelled)})" if self.args else self.op

    def __str__(self) -> str:
        return self.text()


def call(op: str, *args: "Call | str") -> Call:
    """Call(op, args) without the tuple."""
    return Call(op, args)


CAMERA = Call("camera")
_LEXEME = re.compile(r'\s*(?:"([^"]+)"|([a-z_]+)|([(),]))\s*')


def parse_text(text: str) -> Call:
    """The program of the spelling that `Call.text` writes; ProgramError when it is none."""
    lexemes = _lexemes(text)
    program = _read(lexemes, text)
    if not isinstance(program, Call) or program.output not in ANSWERS:
        raise ProgramError(f"this asks nothing: {text!r}")
    if next(lexemes, None) is not None:
        raise ProgramError(f"left over after the program: {text!r}")
    return program


def _lexemes(text: str) -> Iterator[tuple[str, str]]:
    """(kind, text) with the kinds leaf, word and mark."""
    at = 0
    while at < len(text):
        match = _LEXEME.match(text, at)
        if not match:
            raise ProgramError(f"can't read the program at {text[at : at + 20]!r}")
        at = match.end()
        leaf, word, mark = match.groups()
        yield ("leaf", leaf) if leaf else ("word", word) if word else ("mark", mark)


def _read(lexemes: Iterator[tuple[str, str]], text: str) -> "Call | str":
    kind, word = next(lexemes, ("end", ""))
    if kind == "leaf":
        return word
    if kind != "word" or word not in SIGNATURES:
        raise ProgramError(f"an operation should stand where {text!r} has {word!r}")
    args = []
    for k in range(len(SIGNATURES[word].inputs)):
        _expect(lexemes, "," if k else "(", text)
        args.append(_read(lexemes, text))
    if args:
        _expect(lexemes, ")", text)
    return Call(word, tuple(args))


def _expect(lexemes: Iterator[tuple[str, str]], mark: str, text: str) -> None:
    if next(lexemes, None) != ("mark", mark):
        raise ProgramError(f"{mark!r} is missing in {text!r}")
