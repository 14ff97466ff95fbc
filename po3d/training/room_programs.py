"""Random programs about rooms for training the parser: questions and edits that people may phrase,
whatever the answer, and whether or not the edit is feasible.

The benchmark's questions and edits (`po3d.synthesis.top_view.questions`, `changes`) have reliable
answers. These have none, so that the parser also learns combinations that the twin never contains:
"Is anything left on the desk?", "What color is the chair closest to it?", two steps on one object,
everything of one colour. Programs are sampled from the productions in productions.txt: QUESTION and
EDIT, and the REFERRING ones, which refer to other objects ("the other one", "what else").
"""

import functools
import re
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from po3d.io.files import lines_beside
from po3d.language.programs.rooms import CLOSED, RoomCall, call, distinguishing_attribute
from po3d.scene.rooms import (
    ATTRIBUTES,
    CATEGORIES,
    COLORS,
    MATERIALS,
    PURPOSES,
    STATES,
    category_of,
    purposes_of,
)
from po3d.synthesis.top_view.describe import ANY, CORNERS, SIDES, PhraseGenerator

IT = call("only", call("touched", ANY))
SIZES = ("largest", "smallest", "tallest", "shortest", "highest", "lowest")
CHOOSING = ("nearest", "farthest", "first", "extreme", *SIZES)
LENGTHS = ("0.3", "0.5", "0.5", "0.6", "0.9", "1", "1", "1", "1.5", "2", "2", "2.5", "3")
WALL = tuple(name for name, c in CATEGORIES.items() if c.stands == "wall" and c.weight > 0)
CARRYING = tuple(name for name, c in CATEGORIES.items() if c.carries)
SMALL = tuple(name for name, c in CATEGORIES.items() if c.stands == "top")
# Symbols that stand for one of these words.
WORDS = {
    "ATTRIBUTE": ("color", "color", *ATTRIBUTES), "SIDE": SIDES, "CORNER": CORNERS,
    "PLACE": (*SIDES, *CORNERS), "PURPOSE": tuple(PURPOSES), "USE": CLOSED["purpose"],
    "LENGTH": LENGTHS, "SIZE": SIZES,
}  # fmt: skip

Argument = RoomCall | str
Values = dict[str, Argument]
# A word, symbol or name ("|" between words); for a call also its arguments.
Expression = tuple[str, "list[Expression] | None"]
# Cumulative probability, type of an edit, names with what they stand for, and the program.
Production = tuple[float, str, list[tuple[list[str], list[Expression]]], list[Expression]]
_TOKEN = re.compile(r"[\w.|]+|[(),]")
_PRODUCTION = re.compile(r" +([\d.]+) (?:(\w+): )?(.*)")


@functools.cache
def productions() -> dict[str, list[Production]]:
    """Return the productions of each symbol of productions.txt."""
    table: dict[str, list[Production]] = {}
    for line in lines_beside(__file__, "productions.txt"):
        if not line.startswith(" "):
            rows = table.setdefault(line, [])
            continue
        limit, kind, text = _PRODUCTION.fullmatch(line).groups()
        *named, program = text.split(";")
        values = []
        for part in named:
            names, _, value = part.partition("=")
            values.append((names.replace(",", " ").split(), _expressions(value)))
        rows.append((float(limit), kind or "", values, _expressions(program)))
    return table


def _expressions(text: str) -> list[Expression]:
    """Parse a list of expressions separated by commas."""
    opened: list[list[Expression]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            arguments: list[Expression] = []
            opened[-1][-1] = (opened[-1][-1][0], arguments)
            opened.append(arguments)
        elif token == ")":
            opened.pop()
        elif token != ",":
            opened[-1].append((token, None))
    return opened[0]


class RoomPrograms:
    """Samples programs about one room; names and attributes are mostly those of its objects. A
    method named like a symbol samples it; LookupError if an object has no short description."""

    def __init__(self, teller: PhraseGenerator, random: np.random.Generator, symbol: str) -> None:
        """`symbol`: QUESTION, EDIT, REFERRING_QUESTION or REFERRING_EDIT of productions.txt."""
        self.teller, self.world, self.random, self.symbol = teller, teller.world, random, symbol
        self.indices = list(self.world.times(False))
        self.latest = "object"  # the most recently sampled name

    def sample(self) -> tuple[str, RoomCall] | None:
        """Return (type, program), the type "" for a question; None if no description was found."""
        try:
            kind, (program,) = self._produce(self.symbol, {})
        except LookupError:
            return None
        return kind, program

    def several(self, tries: int) -> list[tuple[str, RoomCall]]:
        """Sample this many programs, without those for which no description was found."""
        samples = []
        for _ in range(tries):
            if (sample := self.sample()) is not None:
                samples.append(sample)
        return samples

    def some(self, symbol: str, values: Values | None = None) -> list[Argument]:
        """Sample a symbol; `values`: the values of the names in its productions."""
        if symbol in WORDS:
            return [self._pick(*WORDS[symbol])]
        if symbol in productions():
            return self._produce(symbol, values or {})[1]
        sampled = getattr(self, symbol.lower())()
        return list(sampled) if isinstance(sampled, tuple) else [sampled]

    def one(self, symbol: str) -> RoomCall:
        (program,) = self.some(symbol)
        return program

    def _produce(self, symbol: str, values: Values) -> tuple[str, list[Argument]]:
        rows = productions()[symbol]
        roll = self.random.random() if len(rows) > 1 else 0.0
        _, kind, named, program = rows[bisect_right([row[0] for row in rows], roll)]
        values = dict(values)
        for names, expressions in named:
            values.update(zip(names, self._all(expressions, values), strict=True))
        return kind, self._all(program, values)

    def _all(self, expressions: Sequence[Expression], values: Values) -> list[Argument]:
        result: list[Argument] = []
        for word, arguments in expressions:
            if arguments is not None:
                result.append(self._call(word, arguments, values))
            elif word in values:
                result.append(values[word])
            elif word.isupper():
                result += self.some(word, values)
            else:
                result.append(self._word(word))
        return result

    def _call(self, word: str, arguments: Sequence[Expression], values: Values) -> RoomCall:
        op = self.some(word)[0] if word.isupper() else self._word(word)
        args = self._all(arguments, values)
        if op == "about":
            return question_about(*args)
        return self.look(*args) if op == "look" else call(op, *args)

    def _word(self, words: str) -> str:
        options = words.split("|")
        return options[0] if len(options) == 1 else self._pick(*options)

    def _pick(self, *options: str) -> str:
        return options[int(self.random.integers(len(options)))]

    def _index(self) -> int:
        return int(self.random.choice(self.indices))

    def _listed(self) -> str:
        """Sample the name of any category."""
        self.latest = self._pick(*CATEGORIES)
        return self.latest

    # --- symbols: objects and sets ----------------------------------------------------------------

    def any(self) -> RoomCall:
        return ANY

    def it(self) -> RoomCall:
        return IT

    def kind(self) -> RoomCall:
        if self.random.random() < 0.75:
            self.latest = self.world.names[self._index()]
        else:
            self._listed()
        return self.last()

    def last(self) -> RoomCall:
        return call("all", self.latest)

    def value(self) -> tuple[str, str]:
        """Sample an attribute and a value of it."""
        if self.random.random() < 0.4:
            if self.random.random() < 0.7:
                return "color", self._pick(*COLORS)
            return "material", self._pick(*MATERIALS)
        index, attribute = self._index(), self._pick(*WORDS["ATTRIBUTE"])
        value = self.world.value(index, attribute)
        if value is None:
            raise LookupError
        return attribute, value

    def color_or_material(self) -> tuple[str, str]:
        attribute = self._pick("color", "material")
        return attribute, self._pick(*{"color": COLORS, "material": MATERIALS}[attribute])

    def mark(self) -> RoomCall:
        """Sample an object given by its name, or name and one attribute."""
        if self.random.random() < 0.3:
            kind = self.kind()
            if self.random.random() < 0.6:
                kind = call("having", *self.value(), kind)
            return call("only", kind)
        index = self._index()
        mark = self.teller.landmark(index)
        if mark is None:
            raise LookupError
        self.latest = self.world.names[index]
        return mark

    def alike(self) -> tuple[RoomCall, RoomCall]:
        """Sample two objects of one name that differ in their attributes."""
        kind = self.kind()
        attribute = self._pick("color", "color", "material")
        values = {"color": COLORS, "material": MATERIALS}[attribute]
        a, b = self.random.permutation(len(values))[:2]
        first, second = values[a], values[b]
        phrase = call("having", attribute, first, kind)
        if self.random.random() < 0.2:
            if attribute == "material":
                phrase = call("having", "color", self._pick(*COLORS), kind)
            else:
                phrase = call("having", "material", self._pick(*MATERIALS), phrase)
        return call("only", phrase), call("only", call("having", attribute, second, kind))

    def usable(self) -> RoomCall:
        purposes = tuple(PURPOSES)
        if self.random.random() < 0.5:
            purposes = purposes_of(self.world.names[self._index()])
        if not purposes:
            raise LookupError
        return call("usable", self._pick(*purposes), ANY)

    # --- symbols: questions -----------------------------------------------------------------------

    def query_chosen(self) -> RoomCall:
        """Sample a question about an object among those of a name by place or size; sometimes among
        two that are named."""
        share = self.random.random()
        source = call("pair", *self.alike()) if share < 0.5 else self.kind()
        if share > 0.92:
            source = call("touched", ANY)
        (phrase,) = self.some("AMONG", {"source": source})
        source = phrase.args[-1]
        looks = distinguishing_attribute(source) if source.op == "pair" else None
        looks = looks or self._pick("color", "color", "color", "material", "state")
        return call("query", looks, phrase)

    def ways(self) -> RoomCall:
        ends = self.some("ENDS")
        path, roll = call("obstacles", *ends), self.random.random()
        if roll < 0.15:
            return call("exist", call("touched", path))
        if roll < 0.2 and ends[0] == ends[1]:
            return call("closer_now", *ends)
        if roll < 0.27:
            return call("query", *self.some("ATTRIBUTE"), call("only", path))
        if roll < 0.33:
            return call("name", call("nearest", ends[0], path))
        if roll < 0.4:
            attribute = self.some("ATTRIBUTE")
            return call("exist", call("same", *attribute, ends[0], call("just", ends[1])))
        return call("exist", path) if roll < 0.65 else call("name", call("only", path))

    # --- symbols: edits ---------------------------------------------------------------------------

    def look(self, what: RoomCall) -> RoomCall:
        """Sample another colour, material or state of some objects."""
        attribute = self._pick("color", "color", "material", "state", "state", "state")
        values = {"color": COLORS, "material": MATERIALS, "state": STATES}[attribute]
        if attribute == "state":
            category = category_of(self.latest)
            values = category.states if category is not None and category.states else values
        return call("set", attribute, self._pick(*values), what)

    def new(self) -> RoomCall:
        traits = call("plain")
        if self.random.random() < 0.5:
            traits = call("trait", "color", self._pick(*COLORS), traits)
        if self.random.random() < 0.3:
            traits = call("trait", "material", self._pick(*MATERIALS), traits)
        return call("thing", self._listed(), traits)

    def move_to_another(self) -> RoomCall:
        """Sample a move onto the other table, or next to the other object of a name."""
        thing = self.mark()
        place = self._pick("on", "on", "next_to")
        base = call("support", thing) if place == "on" else thing
        kind = call("all", self._pick(*CARRYING)) if place == "on" else self.last()
        target = call(place, call("only", call("other", base, kind)))
        return call("move", call("just", thing), target)

    def add_to_wall(self) -> RoomCall:
        """Sample the addition of an object that stands at walls."""
        traits = self.new().args[1]
        thing = RoomCall("thing", (self._pick(*WALL), traits))
        if self.random.random() < 0.7:
            return call("add", "1", thing, call("next_to", self.one("THING")))
        return call("add", "1", thing, call("wall", self._pick(*SIDES)))

    def add_several(self) -> RoomCall:
        number = self._pick("1", "1", "2", "2", "3", "4", "4", "5")
        new = self.new()
        if self.random.random() < 0.4:
            new = RoomCall("thing", (self._pick(*SMALL), new.args[1]))
        return call("add", number, new, self.one("SOMEWHERE"))

    def replace_by_own_kind(self) -> RoomCall:
        """Sample the replacement of an object by another of its name with other traits."""
        what, traits = self.mark(), self.new().args[1]
        if traits.op == "plain":
            traits = call("trait", "color", self._pick(*COLORS), traits)
        name = next(part for part in reversed(list(what.calls())) if part.op == "all").args[0]
        return call("replace", call("just", what), RoomCall("thing", (name, traits)))

    def set_two(self) -> RoomCall:
        """Sample different values of one attribute for two objects."""
        if self.random.random() < 0.6:
            first, second = self.alike()
        else:
            first, second = self.mark(), self.mark()
        attribute = self._pick("state", "state", "color", "material")
        switched = self.random.random() < 0.7  # drawn for every attribute
        states = ("on", "off") if switched else ("open", "closed")
        values = {"state": states, "color": COLORS, "material": MATERIALS}[attribute]
        a, b = self.random.permutation(len(values))[:2]
        return call(
            "then",
            call("set", attribute, values[a], call("just", first)),
            call("set", attribute, values[b], call("just", second)),
        )


def question_about(phrase: RoomCall) -> RoomCall:
    """Return the question whose answer identifies an object: its name, or, if it is chosen among
    objects of one name, the attribute that distinguishes it: "which chair is nearest?", "is the red
    or the blue chair nearer?"."""
    source = phrase.args[-1]
    nouns = [part for part in source.calls() if part.op == "all"]
    if phrase.op not in CHOOSING or nouns[-1] == ANY:
        return call("name", phrase)
    if source.op != "pair":
        return call("query", "color", phrase)
    looks = distinguishing_attribute(source)
    return call("name", phrase) if looks is None else call("query", looks, phrase)
