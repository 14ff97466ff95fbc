"""Super-CLEVR's questions read back into programs, by rule: for releases whose questions come without any.

The published wordings are few and regular, so that each can be inverted exactly: noun phrases ("small metal road bikes"), what
follows them ("that are left of the bus", "that have the same color as it"), and the questions around them. Of an opening ("There
is a bus; ...") `it` is the bus."""

import re
from collections.abc import Callable

from po3d.benchmarks.superclevr.files import surface
from po3d.language.programs.street import Program, ProgramError, from_tokens
from po3d.scene.vocabulary import COLORS, SUPER_CATEGORIES, VALUES

Tokens = list[str]  # of a program, in prefix order

_SIZES = {"large": "large", "big": "large", "small": "small", "tiny": "small"}
_MATERIALS = {"metal": "metal", "metallic": "metal", "shiny": "metal", "rubber": "rubber", "matte": "rubber"}
_NOUNS = {surface(name): name for name in (*VALUES["shape"], *SUPER_CATEGORIES)} | {"thing": "", "object": ""}
_NOUNS |= {f"{noun}s": name for noun, name in _NOUNS.items()} | {"anything": ""}
_DIRECTIONS = {
    **{f"{how} {side}{of}": side for side in ("left", "right") for how, of in (("to the", " of"), ("on the", " side of"))},
    "left of": "left", "right of": "right", "in front of": "front", "behind": "behind",
}  # fmt: skip
_ATTRIBUTES = ("size", "color", "material", "shape")
_COMPARED = {"the same as": "equal_integer", "less than": "less_than", "greater than": "greater_than"}
_WORDS = re.compile(r"[a-z]+|[;,]")


def program_of(text: str) -> Program:
    """What a question asks. ProgramError for what is none of the benchmark's wordings, or about parts of objects."""
    return from_tokens(_Reader(text).question())


class _Reader:
    """Reads one question from the left; `at` is the word that comes next."""

    def __init__(self, text: str) -> None:
        self.words, self.at = _WORDS.findall(text.lower()), 0
        self.it: Tokens | None = None  # the one thing that the opening tells of

    # --- words ---------------------------------------------------------------------------------------------

    def take(self, *phrases: str) -> str | None:
        """The longest of the phrases, if one comes next."""
        for phrase in sorted(phrases, key=len, reverse=True):
            words = phrase.split()
            if self.words[self.at : self.at + len(words)] == words:
                self.at += len(words)
                return phrase
        return None

    def need(self, *phrases: str) -> str:
        """One of the phrases; ProgramError when none comes next."""
        found = self.take(*phrases)
        if found is None:
            rest = " ".join(self.words[self.at : self.at + 6]) or "the end"
            raise ProgramError(
                f"none of the benchmark's wordings at {rest!r}, where {phrases[0]!r} could stand"
            )
        return found

    def either(self, *readings: Callable[[], Tokens]) -> Tokens:
        """The first reading that reads the rest of the question; ProgramError of the one that came furthest."""
        start, failures = self.at, []
        for reading in readings:
            self.at = start
            try:
                tokens = reading()
                if self.at == len(self.words):
                    return tokens
                self.need("the end of the question")
            except ProgramError as error:
                failures.append((self.at, error))
        raise max(failures, key=lambda failure: failure[0])[1]

    # --- things --------------------------------------------------------------------------------------------

    def phrase(self) -> Tokens:
        """The filters of a noun phrase, the last one first."""
        self.take("other", "another")
        found: Tokens = []
        for attribute, values in (
            ("size", _SIZES),
            ("color", dict.fromkeys(COLORS)),
            ("material", _MATERIALS),
        ):
            if word := self.take(*values):
                found.insert(0, f"filter[{attribute}={values[word] or word}]")
        noun = _NOUNS[self.need(*_NOUNS)]
        self.take("else")
        return [f"filter[shape={noun}]", *found] if noun else found

    def one(self) -> Tokens:
        """One thing: "the bus that is left of the car", "it"."""
        if self.it is not None and self.take("it"):
            return self.it
        self.need("the", "a", "an", "another")
        return ["unique", *self.things()]

    def things(self) -> Tokens:
        """A noun phrase with what follows it."""
        filters = self.phrase()
        start = self.at
        links = (f"{who} {verb}" for who in ("that", "which") for verb in ("is", "are", "has", "have"))
        linked = self.take(*links) is not None
        said = linked or self.words[self.at : self.at + 1] in (["of"], ["made"])
        if said and (same := self.same()):
            return [*filters, *same]
        if related := self.related():
            return [*filters, *related]
        self.at = start
        return [*filters, "scene"]

    def same(self) -> Tokens | None:
        """ "(of|made of) the same color as it"."""
        start = self.at
        self.take("of", "made of")
        if self.take("the same") and (attribute := self.take(*_ATTRIBUTES)) and self.take("as"):
            return [f"same[{attribute}]", *self.one()]
        self.at = start
        return None

    def related(self) -> Tokens | None:
        """ "left of the bus", "both left of the bus and behind the car"."""
        self.take("both")
        side = self.take(*_DIRECTIONS)
        if side is None:
            return None
        first = [f"relate[{_DIRECTIONS[side]},task]", *self.one()]
        start = self.at
        joined = self.take("and", "and is", "and are", "and that is", "and that are")
        if joined and (other := self.take(*_DIRECTIONS)):
            return ["intersect", *first, f"relate[{_DIRECTIONS[other]},task]", *self.one()]
        self.at = start
        return first

    # --- questions -----------------------------------------------------------------------------------------

    def question(self) -> Tokens:
        if self.take("there is a", "there is an", "there is another"):
            self.it = ["unique", *self.things()]
            self.need(";", ",")
        return self.either(
            self.how_many,
            self.how_many_so,
            self.is_there,
            self.what,
            self.told_of,
            self.compared,
            self.numbers,
            self.more,
        )

    def how_many(self) -> Tokens:
        self.need("how many", "what number of")
        filters = self.phrase()
        self.need("are there", "are", "have")
        if same := self.same():
            return ["count", *filters, *same]
        self.take("that are")
        if related := self.related():
            return ["count", *filters, *related]
        if self.at == len(self.words):
            return ["count", *filters, "scene"]
        self.take("either")
        first = self.things()
        self.need("or")
        return ["count", *filters, "union", *first, *self.things()]

    def how_many_so(self) -> Tokens:
        """ "How many buses that are left of it are there"."""
        self.need("how many", "what number of")
        found = self.things()
        self.need("are there")
        return ["count", *found]

    def is_there(self) -> Tokens:
        self.need("are there any", "is there a", "is there an", "is there any", "is there", "are any")
        found = self.things()
        self.take("visible")
        return ["exist", *found]

    def what(self) -> Tokens:
        """ "What color is the bus", "how big is it", "what is it made of"."""
        if self.take("how big is"):
            return ["query[size]", *self.one()]
        self.need("what")
        if attribute := self.take(*_ATTRIBUTES):
            self.need("is")
            return [f"query[{attribute}]", *self.one()]
        self.need("is")
        if attribute := self.take(*(f"{the} {a}" for the in ("the", "its") for a in (*_ATTRIBUTES, "name"))):
            the, _, attribute = attribute.replace("name", "shape").partition(" ")
            if the == "its" and self.it is not None:
                return [f"query[{attribute}]", *self.it]
            self.need("of")
            return [f"query[{attribute}]", *self.one()]
        thing = self.one()
        self.need("made of")
        self.take("what material")
        return ["query[material]", *thing]

    def told_of(self) -> Tokens:
        """ "The bus is what color", "it is made of what material"."""
        thing = self.one()
        asked = self.need(*(f"{verb} what {a}" for verb in ("is", "has", "is made of") for a in _ATTRIBUTES))
        return [f"query[{asked.rpartition(' ')[2]}]", *thing]

    def compared(self) -> Tokens:
        """Are two things of one size: "Is its size the same as the bus", "do the bus and the car have the same size"."""
        verb = self.need("is", "are", "do", "does")
        if verb == "is" and (told := self.take(*(f"{t} {a}" for t in ("its", "the") for a in _ATTRIBUTES))):
            the, _, attribute = told.partition(" ")
            first = self.it if the == "its" else None
            if first is None:
                self.need("of")
                first = self.one()
            self.need("the same as")
            self.take(f"the {attribute} of", "that of")
            return self.equal(attribute, first, self.one())
        first = self.one()
        second = self.one() if self.take("and") else None
        self.take("have", "made of", "of")
        self.need("the same")
        attribute = self.need(*_ATTRIBUTES)
        if second is None:
            self.need("as")
            second = self.one()
        return self.equal(attribute, first, second)

    def equal(self, attribute: str, first: Tokens, second: Tokens) -> Tokens:
        query = f"query[{attribute}]"
        return [f"equal[{attribute}]", query, *first, query, *second]

    def numbers(self) -> Tokens:
        """ "Is the number of buses less than the number of cars"."""
        self.need("is the number of")
        first = self.things()
        op = _COMPARED[self.need(*_COMPARED)]
        self.need("the number of")
        return [op, "count", *first, "count", *self.things()]

    def more(self) -> Tokens:
        """ "Are there more buses than cars", "are there an equal number of buses and cars"."""
        self.need("are there")
        how = self.need("more", "fewer", "the same number of", "an equal number of")
        first = self.things()
        op = {"more": "greater_than", "fewer": "less_than"}.get(how, "equal_integer")
        self.need("and" if op == "equal_integer" else "than")
        return [op, "count", *first, "count", *self.things()]
