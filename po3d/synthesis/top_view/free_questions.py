"""Free questions about rooms for training the parser: short programs that people might ask,
whatever the answer.

The benchmark's questions (`po3d.synthesis.top_view.questions`) have reliable answers and a type.
These have neither, so that the parser also learns combinations that the twin never contains:
"Is anything left on the desk?", "What color is the chair closest to it?".
"""

import numpy as np

from po3d.language.programs.rooms import RoomCall, call, distinguishing_attribute
from po3d.scene.rooms import ATTRIBUTES, CATEGORIES, COLORS, MATERIALS, PURPOSES, purposes_of
from po3d.synthesis.top_view.describe import ANY, CORNERS, SIDES, PhraseGenerator

IT = call("only", call("touched", ANY))
SIZES = ("largest", "smallest", "tallest", "shortest", "highest", "lowest")
CHOOSING = ("nearest", "farthest", "first", "extreme", *SIZES)


class RoomSampler:
    """Samples objects, names and sets of one room; names and attributes are mostly those of its
    objects. Raises LookupError if an object has no short description.
    """

    def __init__(self, teller: PhraseGenerator, random: np.random.Generator) -> None:
        self.teller, self.world, self.random = teller, teller.world, random
        self.now = list(self.world.times(False))
        self.last = "object"  # the most recently sampled name

    def _pick(self, *options: str) -> str:
        return options[int(self.random.integers(len(options)))]

    def _attribute(self) -> str:
        return self._pick("color", "color", *ATTRIBUTES)

    def _index(self) -> int:
        return int(self.random.choice(self.now))

    def _listed(self) -> str:
        """Sample the name of any category."""
        self.last = self._pick(*CATEGORIES)
        return self.last

    def _name(self) -> str:
        self.last = (
            self.world.names[self._index()] if self.random.random() < 0.75 else self._listed()
        )
        return self.last

    def _kind(self) -> RoomCall:
        return call("all", self._name())

    def _kind_of_last(self) -> RoomCall:
        return call("all", self.last)

    def _value(self) -> tuple[str, str]:
        """Sample an attribute and a value of it."""
        if self.random.random() < 0.4:
            return (
                ("color", self._pick(*COLORS))
                if self.random.random() < 0.7
                else ("material", self._pick(*MATERIALS))
            )
        index, attribute = self._index(), self._attribute()
        value = self.world.value(index, attribute)
        if value is None:
            raise LookupError
        return attribute, value

    def _mark(self) -> RoomCall:
        """Sample an object given by its name, or name and one attribute."""
        if self.random.random() < 0.3:
            kind = self._kind()
            return call(
                "only", call("having", *self._value(), kind) if self.random.random() < 0.6 else kind
            )
        index = self._index()
        mark = self.teller.landmark(index)
        if mark is None:
            raise LookupError
        self.last = self.world.names[index]
        return mark

    def _alike(self) -> tuple[RoomCall, RoomCall]:
        """Sample two objects of one name that differ in their attributes."""
        kind = self._kind()
        attribute = self._pick("color", "color", "material")
        values = {"color": COLORS, "material": MATERIALS}[attribute]
        first, second = (values[k] for k in self.random.permutation(len(values))[:2])
        phrase = call("having", attribute, first, kind)
        if self.random.random() < 0.2:
            phrase = (
                call("having", "color", self._pick(*COLORS), kind)
                if attribute == "material"
                else call("having", "material", self._pick(*MATERIALS), phrase)
            )
        return call("only", phrase), call("only", call("having", attribute, second, kind))

    def _thing(self) -> RoomCall:
        """Sample an object, usually given by name and attribute, sometimes by two attributes, a
        size or a relation.
        """
        roll = self.random.random()
        if roll < 0.55:
            return self._mark()
        if roll < 0.7:
            kind = self._kind()
            return call(
                "only", call("having", *self._value(), call("having", *self._value(), kind))
            )
        if roll < 0.82:
            kind = (
                self._kind()
                if self.random.random() < 0.7
                else call("having", *self._value(), self._kind())
            )
            return call(self._pick("largest", "smallest", "tallest", "tallest", "shortest"), kind)
        if roll < 0.87:
            kind, mark = self._kind(), self._mark()
            return call("nearest", mark, call("other", call("nearest", mark, kind), kind))
        return self._related()

    def _related(self) -> RoomCall:
        """Sample an object given by its position."""
        roll, kind = self.random.random(), self._kind()
        if roll < 0.25:
            return call("only", call("side", self._pick(*SIDES, *CORNERS), kind))
        if roll < 0.45:
            return call("only", call("upon", self._mark(), kind))
        if roll < 0.6:
            return call("only", call("beside", self._mark(), kind))
        if roll < 0.75:
            return call("nearest", self._mark(), kind)
        if roll < 0.85:
            return call("extreme", self._pick(*SIDES), kind)
        return call("only", call("toward", self._pick(*SIDES), self._mark(), kind))

    def _set(self) -> RoomCall:
        """Sample a set described by one clause."""
        random = self.random
        kind = ANY if random.random() < 0.5 else self._kind()
        roll = random.random()
        if roll < 0.26:
            return call("having", *self._value(), kind)
        if roll < 0.31:
            return call("lacking", *self._value(), kind)
        if roll < 0.47:
            return call("upon", self._mark(), kind)
        if roll < 0.56:
            return call("beside", self._mark(), kind)
        if roll < 0.63:
            return call("toward", self._pick(*SIDES), self._mark(), kind)
        if roll < 0.69:
            return call("side", self._pick(*SIDES, *CORNERS), kind)
        if roll < 0.73:
            return call("beneath", self._mark(), kind)
        if roll < 0.79:
            return call("between", self._mark(), self._mark(), kind)
        if roll < 0.9:
            return self._usable()
        return kind

    def _usable(self) -> RoomCall:
        purposes = (
            purposes_of(self.world.names[self._index()])
            if self.random.random() < 0.5
            else tuple(PURPOSES)
        )
        if not purposes:
            raise LookupError
        return call("usable", self._pick(*purposes), ANY)


class QuestionSampler(RoomSampler):
    """Samples question programs about one room."""

    def ask(self) -> RoomCall | None:
        """Sample a question program; None if no description was found."""
        try:
            return self._ask()
        except LookupError:
            return None

    def _ask(self) -> RoomCall:
        roll = self.random.random()
        if roll < 0.19:
            return call("count", self._counted())
        if roll < 0.35:
            return call("exist", self._set())
        if roll < 0.5:
            return call("query", self._attribute(), self._object())
        if roll < 0.66:
            return question_about(self._object())
        if roll < 0.73:
            anchor = IT if self.random.random() < 0.6 else self._thing()
            return question_about(
                call(
                    self._pick("nearest", "nearest", "farthest"), anchor, call("pair", *self._two())
                )
            )
        if roll < 0.75:
            sizes = ("highest", "lowest", "largest", "largest", "smallest", "tallest", "shortest")
            return question_about(call(self._pick(*sizes), call("pair", *self._two())))
        if roll < 0.78:
            return self._more()
        if roll < 0.84:
            return call("whither", *self._two())
        if roll < 0.86:
            return call("name", call("support", self._it_or_mark()))
        if roll < 0.89:
            return call(self._pick("height", "height", "size", "higher", "larger"), *self._two())
        if roll < 0.92:
            return call("seen_from", self._it_or_mark(), *self._two())
        if roll < 0.94:
            return call("fits", self._thing(), call("was", self._it_or_mark()))
        if roll < 0.96:
            return call("closer_now", *self._two())
        if roll < 0.98:
            return call("exist", call("obstacles", *self._two()))
        return call("kinds", self._attribute(), self._kind())

    def _it_or_mark(self) -> RoomCall:
        if self.random.random() < 0.4:
            return IT if self.random.random() < 0.7 else call("only", call("touched", self._kind()))
        return self._mark()

    def _two(self) -> tuple[RoomCall, RoomCall]:
        """Sample two objects to compare."""
        if self.random.random() < 0.3:
            return self._alike()
        first, second = self._it_or_mark(), self._thing()
        return (first, second) if self.random.random() < 0.6 else (second, first)

    def _more(self) -> RoomCall:
        if self.random.random() < 0.5:
            kind, (first, second) = self._kind(), self._two()
            return call("more", call("upon", first, kind), call("upon", second, kind))
        first, second = self._set(), self._set()
        return call("more", first, second)

    def _counted(self) -> RoomCall:
        roll = self.random.random()
        if roll < 0.7:
            return self._set()
        if roll < 0.8:
            return call("either", self._kind(), self._kind())
        if roll < 0.9:
            keep = self._it_or_mark()
            return call("other", keep, self._kind_of_last() if self.random.random() < 0.6 else ANY)
        return call("having", *self._value(), call("having", *self._value(), self._kind()))

    def _object(self) -> RoomCall:
        roll = self.random.random()
        if roll < 0.2:
            return call(
                self._pick("nearest", "nearest", "farthest"), self._it_or_mark(), self._narrow()
            )
        if roll < 0.4:
            return call("first", self._pick(*SIDES), self._it_or_mark(), self._narrow())
        if roll < 0.55:
            return call(self._pick("largest", "smallest", "tallest", "shortest"), self._set())
        if roll < 0.72:
            return call("only", self._set())
        if roll < 0.78:
            return call("only", call("usable", self._pick(*PURPOSES), ANY))
        return self._it_or_mark() if roll < 0.88 else self._thing()

    def _narrow(self) -> RoomCall:
        """Sample a name, a name with an attribute, a purpose, or any object."""
        roll = self.random.random()
        if roll < 0.35:
            return ANY
        if roll < 0.7:
            return self._kind()
        if roll < 0.78:
            return self._usable()
        return call("having", *self._value(), ANY if roll < 0.92 else self._kind())


def question_about(phrase: RoomCall) -> RoomCall:
    """Return the question whose answer identifies an object: its name, or, if it is chosen among
    objects of one name, the attribute that distinguishes it: "which chair is nearest?", "is the red
    or the blue chair nearer?".
    """
    source = phrase.args[-1]
    if phrase.op not in CHOOSING or _kind_of(source) == ANY:
        return call("name", phrase)
    if source.op != "pair":
        return call("query", "color", phrase)
    looks = distinguishing_attribute(source)
    return call("name", phrase) if looks is None else call("query", looks, phrase)


def _kind_of(source: RoomCall) -> RoomCall:
    """Return the last noun of a set, which names its members."""
    return [part for part in source.calls() if part.op == "all"][-1]
