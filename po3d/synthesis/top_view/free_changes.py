"""Free edits of rooms for training the parser: edits that people may phrase but the twin does not
contain.

Only the words and the program matter here, not whether the edit is feasible. Includes two steps on
one object, an object with its load, everything of one colour, all objects of a name at a place,
swaps of two objects of one name, and objects identified by size.
"""

from po3d.language.programs.rooms import RoomCall, call
from po3d.scene.rooms import COLORS, MATERIALS, STATES, category_of
from po3d.synthesis.top_view.describe import ANY, CORNERS, SIDES
from po3d.synthesis.top_view.free_questions import IT, RoomSampler

LENGTHS = ("0.3", "0.5", "0.5", "0.6", "0.9", "1", "1", "1", "1.5", "2", "2", "2.5", "3")


class EditSampler(RoomSampler):
    """Samples edit programs about one room, each with its type."""

    def change(self) -> tuple[str, RoomCall] | None:
        """Sample (type, program); None if no description was found."""
        try:
            return self._change()
        except LookupError:
            return None

    def _change(self) -> tuple[str, RoomCall]:
        roll = self.random.random()
        if roll < 0.3:
            return "movement", call("move", self._targets(), self._place())
        if roll < 0.36:
            return "movement", call(
                "move",
                call("just", self._thing()),
                call("shift", self._pick(*SIDES), self._pick(*LENGTHS)),
            )
        if roll < 0.41:
            return "movement", call("swap", *self._alike())
        if roll < 0.44:
            return "movement", call("turn", self._targets(), self._pick("45", "90", "180", "270"))
        if roll < 0.58:
            return "removal", call("remove", self._targets())
        if roll < 0.63:
            mark = self._mark()
            load = call("upon", mark, ANY if self.random.random() < 0.7 else self._kind())
            return "removal", call("then", call("remove", load), call("remove", call("just", mark)))
        if roll < 0.76:
            return "attribute", self._look(self._targets())
        if roll < 0.82:
            number = self._pick("1", "1", "1", "2", "2", "3")
            return "addition", call("add", number, self._new(), self._place())
        if roll < 0.88:
            return "replacement", call("replace", self._targets(), self._new())
        first = call("move", call("just", self._mark()), self._place())
        return "movement", call(
            "then",
            first,
            self._look(call("just", IT))
            if self.random.random() < 0.7
            else call("turn", call("just", IT), self._pick("90", "180")),
        )

    def _targets(self) -> RoomCall:
        roll = self.random.random()
        if roll < 0.3:
            return call("just", self._thing())
        if roll < 0.4:
            return self._kind()
        if roll < 0.5:
            return call("pair", self._mark(), self._thing())
        if roll < 0.55:
            return call("pair", *self._alike())
        if roll < 0.58:
            mark = self._mark()
            return call(
                "pair",
                mark,
                call(
                    "only",
                    call(self._pick("upon", "upon", "beside", "beneath"), mark, self._kind()),
                ),
            )
        if roll < 0.66:
            return call(
                "other",
                self._alike()[0] if self.random.random() < 0.6 else self._mark(),
                self._kind_of_last(),
            )
        if roll < 0.72:
            return call("either", self._kind(), self._kind())
        if roll < 0.8:
            return call("having", *self._value(), ANY)
        return self._set()

    def _look(self, what: RoomCall) -> RoomCall:
        attribute = self._pick("color", "color", "material", "state", "state", "state")
        values = {"color": COLORS, "material": MATERIALS, "state": STATES}[attribute]
        if attribute == "state":
            category = category_of(self.last)
            values = category.states if category is not None and category.states else values
        return call("set", attribute, self._pick(*values), what)

    def _new(self) -> RoomCall:
        traits = call("plain")
        if self.random.random() < 0.5:
            traits = call("trait", "color", self._pick(*COLORS), traits)
        if self.random.random() < 0.3:
            traits = call("trait", "material", self._pick(*MATERIALS), traits)
        return call("thing", self._listed(), traits)

    def _place(self) -> RoomCall:
        roll = self.random.random()
        if roll < 0.3:
            return call("next_to", self._thing())
        if roll < 0.5:
            return call("on", self._thing())
        if roll < 0.65:
            return call("at", self._pick(*SIDES), self._thing())
        if roll < 0.72:
            return call(
                "amid",
                *(self._alike() if self.random.random() < 0.4 else (self._mark(), self._mark())),
            )
        if roll < 0.82:
            return call("corner", self._pick(*CORNERS))
        if roll < 0.88:
            return call("wall", self._pick(*SIDES))
        if roll < 0.92:
            return call("centre")
        if roll < 0.96:
            return call("under", self._mark())
        return call("spot", self._mark())
