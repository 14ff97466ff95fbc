"""Free questions about rooms for the parser's training: any short program that people might ask, whatever its answer.

The benchmark's questions (room_questions) have sure answers and a type; these have neither, so that the parser also
reads combinations which the twin never asks: "Is anything left on the desk?", "What color is the chair closest to it?".
"""

import numpy as np

from po3d.reasoning.room_program import Call, call
from po3d.rooms import ATTRIBUTES, purposes_of
from po3d.synthesis.room_describe import CORNERS, SIDES, Teller


class FreeAsker:
    """Draws programs about one room; names and looks are those of its things."""

    def __init__(self, teller: Teller, random: np.random.Generator) -> None:
        self.teller, self.world, self.random = teller, teller.world, random
        self.now = list(self.world.times(False))

    def ask(self) -> Call | None:
        """A question program; None when a description was not found."""
        try:
            return self._ask()
        except LookupError:
            return None

    def _ask(self) -> Call:
        roll = self.random.random()
        if roll < 0.24:
            return call("count", self._set())
        if roll < 0.46:
            return call("exist", self._set())
        if roll < 0.64:
            return call("query", self._attribute(), self._object())
        if roll < 0.82:
            return call("name", self._object())
        if roll < 0.86:
            first, second = self._set(), self._set()
            return call("more", first, second)
        if roll < 0.9:
            return call("whither", self._object(), self._mark())
        if roll < 0.93:
            return call("name", call("support", self._mark()))
        if roll < 0.97:
            return call(self._pick("height", "size"), self._mark(), self._mark())
        return call("kinds", self._attribute(), self._kind())

    def _pick(self, *options: str) -> str:
        return options[int(self.random.integers(len(options)))]

    def _attribute(self) -> str:
        return self._pick("color", "color", *ATTRIBUTES)

    def _index(self) -> int:
        return int(self.random.choice(self.now))

    def _mark(self) -> Call:
        if self.random.random() < 0.2:
            return call("only", call("touched", call("all", "object")))
        found = self.teller.landmark(self._index())
        if found is None:
            raise LookupError
        return found

    def _kind(self) -> Call:
        return call("all", self.world.names[self._index()])

    def _any(self) -> Call:
        return call("all", "object")

    def _set(self) -> Call:
        """A set that one clause describes."""
        random = self.random
        kind = self._any() if random.random() < 0.55 else self._kind()
        roll = random.random()
        if roll < 0.26:
            index = self._index()
            attribute = self._attribute()
            value = self.world.value(index, attribute)
            if value is None:
                raise LookupError
            return call("having", attribute, value, kind)
        if roll < 0.46:
            return call("upon", self._mark(), kind)
        if roll < 0.56:
            return call("beside", self._mark(), kind)
        if roll < 0.64:
            return call("toward", self._pick(*SIDES), self._mark(), kind)
        if roll < 0.7:
            return call("side", self._pick(*SIDES, *CORNERS), kind)
        if roll < 0.74:
            return call("beneath", self._mark(), kind)
        if roll < 0.8:
            return call("between", self._mark(), self._mark(), kind)
        if roll < 0.92:
            return self._usable()
        return kind

    def _usable(self) -> Call:
        purposes = purposes_of(self.world.names[self._index()])
        if not purposes:
            raise LookupError
        return call("usable", self._pick(*purposes), self._any())

    def _object(self) -> Call:
        roll = self.random.random()
        if roll < 0.25:
            return call(self._pick("nearest", "nearest", "farthest"), self._mark(), self._narrow())
        if roll < 0.45:
            return call("first", self._pick(*SIDES), self._mark(), self._narrow())
        if roll < 0.65:
            return call(self._pick("largest", "smallest", "tallest"), self._set())
        if roll < 0.92:
            return call("only", self._set())
        return self._mark()

    def _narrow(self) -> Call:
        """A kind, a kind with a look, or anything."""
        roll = self.random.random()
        if roll < 0.3:
            return self._any()
        if roll < 0.75:
            return self._kind()
        value = self.world.value(self._index(), "color")
        if value is None:
            raise LookupError
        return call("having", "color", value, self._any() if roll < 0.9 else self._kind())
