"""English for the things and sets of a room program, with much variation and a record of where names stand.

Names and values are open text that the parser copies, so a sentence is made of marked pieces: `Leaf` is a name or value
with its number in the program's prefix order, `finish` takes the marks out and says which words each leaf became.
"""

import re
from typing import NamedTuple

import numpy as np

from po3d.english import plural, words_of
from po3d.reasoning.room_program import OPEN, SIGNATURES, Call
from po3d.rooms import ANYTHING, SYNONYMS

_MARK = re.compile("\x01(\\d+)\x02([^\x03]*)\x03")
OTHER_WORDS: dict[str, list[str]] = {}
for _word, _name in SYNONYMS.items():
    if _word != _name:
        OTHER_WORDS.setdefault(_name, []).append(_word)


class Leaf(str):
    """A name or value of a program with its number in prefix order."""

    number: int


class Said(NamedTuple):
    """A sentence, its words, and for each leaf of the program its span of words (start, end); None for unsaid ones."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int] | None, ...]


def numbered(program: Call) -> Call:
    """The same program with numbered leaves."""
    count = 0

    def copy(part: Call) -> Call:
        nonlocal count
        args: list[Call | str] = []
        for kind, arg in zip(SIGNATURES[part.op].inputs, part.args):
            if isinstance(arg, Call):
                args.append(copy(arg))
            elif kind in OPEN:
                leaf = Leaf(arg)
                leaf.number = count
                count += 1
                args.append(leaf)
            else:
                args.append(arg)
        return Call(part.op, tuple(args))

    return copy(program)


def mark(leaf: str, said: str) -> str:
    return f"\x01{leaf.number}\x02{said}\x03" if isinstance(leaf, Leaf) else said


def finish(sentence: str, leaves: int) -> Said:
    """The sentence without marks, with a capital, and the spans of its leaves."""
    spans: list[tuple[int, int] | None] = [None] * leaves
    text, at = "", 0
    for found in _MARK.finditer(sentence):
        text += sentence[at : found.start()]
        start = len(words_of(text))
        text += found.group(2)
        number = int(found.group(1))
        if spans[number] is None:
            spans[number] = (start, start + len(words_of(found.group(2))))
        at = found.end()
    text = (
        re.sub(r" +", " ", text + sentence[at:])
        .strip()
        .replace(" ,", ",")
        .replace(" .", ".")
        .replace(" ?", "?")
    )
    return Said(text[:1].upper() + text[1:], tuple(words_of(text)), tuple(spans))


def reworded(program: Call, random: np.random.Generator, share: float = 0.12) -> Call:
    """The program with some names replaced by other words for them, as a speaker would say them."""
    args: list[Call | str] = []
    for kind, arg in zip(SIGNATURES[program.op].inputs, program.args):
        if isinstance(arg, Call):
            arg = reworded(arg, random, share)
        elif kind == "name" and arg in OTHER_WORDS and random.random() < share:
            arg = OTHER_WORDS[arg][int(random.integers(len(OTHER_WORDS[arg])))]
        args.append(arg)
    return Call(program.op, tuple(args))


SIDE_PHRASES = {
    "left": (
        "to the left of",
        "left of",
        "on the left of",
        "on the left side of",
        "on the left hand side of",
        "west of",
    ),
    "right": (
        "to the right of",
        "right of",
        "on the right of",
        "on the right side of",
        "on the right hand side of",
        "east of",
    ),
    "front": ("in front of", "to the front of", "before", "ahead of", "directly in front of"),
    "back": ("behind", "in back of", "to the back of", "at the back of", "directly behind", "to the rear of"),
}
NEXT_TO = (
    "next to",
    "beside",
    "by",
    "near",
    "adjacent to",
    "right next to",
    "close to",
    "alongside",
    "in the vicinity of",
)
ON = ("on", "on top of", "sitting on", "lying on", "placed on", "resting on", "upon", "atop")
UNDER = ("under", "underneath", "below", "beneath", "directly below", "directly under")
USE_NOUNS = {
    "sitting": "seat", "sleeping": "place to sleep", "lighting": "light source", "storage": "piece of storage furniture",
    "decoration": "decorative thing", "music": "musical instrument", "cooking": "cooking appliance",
}  # fmt: skip
SAME_USE = (
    "with a similar function to", "with the same purpose as", "that can be used like", "that serves the same purpose as",
    "that provides functionality similar to",
)  # fmt: skip
USES = {
    "sitting": (
        "for sitting",
        "to sit on",
        "as a seat",
        "for someone to sit down",
        "to take a seat",
        "to rest your legs",
        "to sit down on",
    ),
    "sleeping": ("for sleeping", "to sleep on", "to sleep in", "to take a nap"),
    "storage": (
        "for storage",
        "to store things",
        "to keep things in",
        "for storing items",
        "to put things away",
    ),
    "lighting": (
        "for lighting",
        "to light up the room",
        "as a light source",
        "for illumination",
        "to give us light",
        "to see better in the dark",
        "for light",
    ),
    "washing": (
        "to wash your hands",
        "for cleaning oneself",
        "for washing",
        "to wash",
        "to get things clean",
        "for washing up",
    ),
    "drying": ("for drying", "to dry oneself", "to dry off"),
    "cooking": ("for cooking", "to cook", "to prepare food", "to heat food"),
    "cooling": ("to keep food cold", "to cool down", "for cooling", "to cool things", "to keep cool"),
    "heating": ("for heating", "to heat the room", "for warmth", "to warm up the room"),
    "printing": ("for printing", "to print documents", "to print"),
    "typing": ("for typing", "to type"),
    "viewing": ("for viewing", "to watch videos", "for watching movies", "to display images"),
    "reflection": ("for reflection", "to look at oneself", "to check your appearance"),
    "telling time": ("for telling time", "to tell the time", "to know what time it is"),
    "reading": ("for reading", "to read"),
    "drinking": ("for drinking", "to drink from", "to drink"),
    "waste": (
        "to throw rubbish into",
        "for throwing things away",
        "for waste",
        "to throw trash away",
        "to dispose of rubbish",
        "for garbage",
    ),
    "calling": ("for calling", "to call someone", "to make a call"),
    "music": ("for music", "to make music", "to play music on"),
    "carrying": ("for carrying", "to carry belongings", "for travel"),
    "decoration": ("for decoration", "to decorate the room", "as decoration"),
    "writing": ("for writing", "to write on"),
    "eating": ("for eating", "to eat at", "for dining", "to have a meal at"),
    "working": ("for working", "to work at", "to do office work"),
}
TOUCHED = {
    "movement": ("moved", "relocated", "repositioned", "displaced", "shifted"),
    "addition": ("new", "added", "newly added", "newly placed", "extra"),
    "removal": ("removed", "missing", "taken away"),
    "replacement": ("new", "replacement", "newly placed", "substituted"),
    "attribute": ("changed", "altered", "modified", "updated"),
}


class Speaker:
    """Phrases for one sentence about a room; `kind` is the type of the change, which colours words like "the new chair"."""

    def __init__(self, random: np.random.Generator, kind: str) -> None:
        self.random, self.kind = random, kind

    def pick(self, *options: str) -> str:
        return options[int(self.random.integers(len(options)))]

    def chance(self, p: float) -> bool:
        return bool(self.random.random() < p)

    # --- nouns ------------------------------------------------------------------------------------------------------

    def noun(self, name: str, many: bool = False) -> str:
        if name in ANYTHING:
            word = self.pick("object", "object", "item", "thing", "piece of furniture")
            return (
                word.replace("piece", "pieces")
                if many and "piece" in word
                else plural(word)
                if many
                else word
            )
        return mark(name, plural(name) if many else name)

    def head(self, program: Call, many: bool) -> str:
        """A set without article: "red chairs next to the table"."""
        op, args = program.op, program.args
        if op == "all":
            return self.noun(args[0], many)
        *_, inner = args
        if op == "having":
            return self._having(*args, many)
        if op == "touched":
            word = self.pick(*TOUCHED[self.kind])
            return f"{word} {self.head(args[0], many)}"
        base = self.head(inner, many)
        that = (
            self.pick("that is ", "which is ", "that's ")
            if not many
            else self.pick("that are ", "which are ")
        )
        if self.chance(0.75):
            that = ""
        if op == "side":
            return f"{base} {that}{self.side(args[0])}"
        if op == "beside":
            return f"{base} {that}{self.pick(*NEXT_TO)} {self.thing(args[0])}"
        if op == "upon":
            return f"{base} {that}{self.pick(*ON)} {self.thing(args[0])}"
        if op == "beneath":
            return f"{base} {that}{self.pick(*UNDER)} {self.thing(args[0])}"
        if op == "toward":
            return f"{base} {that}{self.toward(args[0])} {self.thing(args[1])}"
        if op == "between":
            return f"{base} {that}{self.pick('between', 'in between')} {self.thing(args[0])} and {self.thing(args[1])}"
        if op == "other":
            return f"{base} {self.pick('other than', 'except', 'except for', 'besides', 'apart from')} {self.thing(args[0])}"
        if (
            op == "usable"
            and args[0] in USE_NOUNS
            and args[1] == Call("all", ("object",))
            and self.chance(0.4)
        ):
            return plural(USE_NOUNS[args[0]]) if many else USE_NOUNS[args[0]]
        if op == "usable":
            can = self.pick(
                "that can be used", "used", "you can use", "that one can use", "which can be used", "meant"
            )
            return f"{base} {can} {self.pick(*USES[args[0]])}"
        if op == "same":
            have = "have" if many else "has"
            return f"{base} {self.pick('with the same', 'of the same', f'that {have} the same')} {args[0]} as {self.thing(args[1])}"
        if op == "same_use":
            return f"{base} {self.pick(*SAME_USE)} {self.thing(args[0])}"
        raise ValueError(f"no words for {program}")

    def _having(self, attribute: str, value: str, inner: Call, many: bool) -> str:
        base = self.head(inner, many)
        word = mark(value, self.value(value))
        be = "are" if many else "is"
        if attribute == "material" and self.chance(0.3):
            return f"{base} made of {mark(value, value.removesuffix('en') if value == 'wooden' else value)}"
        if attribute == "color" and self.chance(0.12):
            return f"{base} {self.pick('that ' + be, 'which ' + be)} {word}"
        if (attribute == "state" and self.chance(0.4)) or value in ("on", "off"):
            if value in ("on", "off"):
                return f"{base} that {be} {self.pick('', 'switched ', 'turned ')}{word}"
            return f"{base} that {be} {word}"
        return f"{word} {base}"

    def value(self, value: str) -> str:
        return "grey" if value == "gray" and self.chance(0.4) else value

    def thing(self, program: Call) -> str:
        """A thing with its article: "the chair closest to the bed"."""
        op, args = program.op, program.args
        if op == "was":
            return self._was(args[0])
        if op == "only":
            inner = args[0]
            if self.chance(0.04):
                head = self.head(inner, False)
                return self.pick(f"where the {head} is now", f"the {head}'s new place", f"that {head}")
            if inner.op == "touched" and inner.args[0] == Call("all", ("object",)) and self.chance(0.6):
                return self.pick("it", "it", "that")
            return f"the {self.head(inner, False)}"
        if op == "just":
            return self.thing(args[0])
        if op in ("nearest", "farthest"):
            close = self.pick("closest to", "nearest to", "nearest", "closest to")
            far = self.pick(
                "farthest from",
                "furthest from",
                "furthest away from",
                "farthest away from",
                "most distant from",
            )
            words = close if op == "nearest" else far
            joint = self.pick("", "", "that is ")
            return f"the {self.head(args[1], False)} {joint}{words} {self.thing(args[0])}"
        if op == "first":
            return f"the {self.pick('first ', 'nearest ', 'closest ')}{self.head(args[2], False)} {self.toward(args[0])} {self.thing(args[1])}"
        if op == "extreme":
            return self._extreme(args[0], args[1])
        size = {
            "largest": ("largest", "biggest"),
            "smallest": ("smallest", "tiniest"),
            "tallest": ("tallest",),
            "highest": ("highest", "topmost", "most elevated"),
            "lowest": ("lowest",),
        }[op]
        return f"the {self.pick(*size)} {self.head(args[0], False)}"

    def _extreme(self, side: str, among: Call) -> str:
        head = self.head(among, False)
        most = {
            "left": ("leftmost",),
            "right": ("rightmost",),
            "front": ("frontmost", "foremost"),
            "back": ("rearmost", "backmost"),
        }
        far = self.pick(
            "farthest to the", "furthest to the", "closest to the", "nearest to the", "furthest toward the"
        )
        far = far.replace(
            "to the", "to the" if side in ("left", "right") or "est to" in far else "toward the"
        )
        rest = self.pick(
            "",
            " side",
            " of the room",
            " side of the room",
            " wall" if "clos" in far or "near" in far else "",
        )
        return (
            f"the {self.pick(*most[side])} {head}" if self.chance(0.45) else f"the {head} {far} {side}{rest}"
        )

    def _was(self, inner: Call) -> str:
        if self.kind in ("removal", "replacement"):
            it = Call("only", (Call("touched", (Call("all", ("object",)),)),))
            if inner == it and self.chance(0.4):
                return self.pick(
                    "the gap it leaves behind", "the place where it was", "where it was", "where it used to be", "its old place",
                    "the spot where it stood", "the space it left", "the gap that it leaves",
                )  # fmt: skip
            if inner.op == "only":
                head = self.head(inner.args[0], False)
                if inner.args[0].op == "touched":
                    gone = head if self.kind == "removal" else head.replace("new ", "replaced ")
                    for word in ("replacement ", "newly placed ", "substituted "):
                        gone = gone.replace(word, self.pick("replaced ", "former ", "old "))
                    return f"the {gone}"
                word = (
                    self.pick("removed", "former", "original")
                    if self.kind == "removal"
                    else self.pick("replaced", "old", "former", "original")
                )
                if self.chance(0.6):
                    return f"the {word} {head}"
            thing = self.thing(inner)
            return self.pick(
                f"the place where {thing} was",
                f"where {thing} used to be",
                f"where {thing} stood before",
                f"the spot left by {thing}",
                f"the place {thing} used to occupy",
            )
        thing = self.thing(inner)
        return self.pick(
            f"the original position of {thing}", f"the original location of {thing}", f"where {thing} was before",
            f"the place where {thing} used to be", f"where {thing} was originally", f"the former spot of {thing}",
            f"the previous location of {thing}",
        )  # fmt: skip

    # --- places and directions --------------------------------------------------------------------------------------

    def toward(self, direction: str) -> str:
        return self.pick(*SIDE_PHRASES[direction])

    def side(self, direction: str) -> str:
        if " " in direction:
            words = self.pick(
                direction,
                direction.replace(" ", "-"),
                "rear" + direction[4:] if direction.startswith("back") else direction,
            )
            return self.pick(
                f"in the {words} corner",
                f"in the {words} corner of the room",
                f"in the {words} of the room",
                f"at the {words} corner of the room",
            )
        word = self.pick("back", "rear") if direction == "back" else direction
        return self.pick(
            f"on the {word} side of the room", f"at the {word} of the room", f"on the {word} side", f"in the {word} part of the room",
            f"at the {word} side of the scene", f"in the {word} area of the room", f"at the {word} of the scene",
        )  # fmt: skip

    def both(self, pair: Call) -> tuple[str, str]:
        """The two things of a pair."""
        return self.thing(pair.args[0]), self.thing(pair.args[1])

    def group(self, program: Call) -> tuple[str, bool]:
        """A set as a subject, and whether it is plural: "the chair", "all the chairs", "the lamp and the tv"."""
        if program.op == "just":
            return self.thing(program.args[0]), False
        if program.op == "pair":
            a, b = self.both(program)
            return self.pick(f"{a} and {b}", f"both {a} and {b}"), True
        if program.op == "other":
            keep, kind = program.args
            nouns = self.head(kind, True)
            if self.chance(0.3):
                return f"apart from {self.thing(keep)}, all the {nouns}", True
            return self.pick(
                f"all {nouns} except",
                f"all the {nouns} but",
                f"every {self.head(kind, False)} except",
                f"all {nouns} except for",
                f"all of the {nouns} other than",
            ) + f" {self.thing(keep)}", True
        head = self.head(program, True)
        if self.chance(0.25):
            every = f"every {self.head(program, False)}"
            return self.pick(
                f"both {head}", f"both of the {head}", f"the two {head}", f"both the {head}", every
            ), True
        return self.pick(
            f"all {head}", f"all the {head}", f"all of the {head}", f"the {head}", f"every one of the {head}"
        ), True
