"""Programs for training the parser that everyday sentences need, but `free_questions` and
`free_changes` seldom contain: which of two objects of one name, the other one, what else, what it
was before, directions between two objects of one name, objects for a purpose; swaps of two objects
of one name, moves onto the other table, a new object of the same name.
"""

from po3d.language.programs.rooms import CLOSED, RoomCall, call, distinguishing_attribute
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS, PURPOSES
from po3d.synthesis.top_view.describe import ANY, CORNERS, SIDES
from po3d.synthesis.top_view.free_changes import EditSampler
from po3d.synthesis.top_view.free_questions import IT, SIZES, QuestionSampler

WALL = tuple(name for name, c in CATEGORIES.items() if c.stands == "wall" and c.weight > 0)
CARRYING = tuple(name for name, c in CATEGORIES.items() if c.carries)
SMALL = tuple(name for name, c in CATEGORIES.items() if c.stands == "top")
PURPOSE = CLOSED["purpose"]


class ReferringQuestionSampler(QuestionSampler):
    """Samples question programs that refer to other objects: "the other one", "what else"."""

    def _ask(self) -> RoomCall:
        roll = self.random.random()
        if roll < 0.22:
            phrase = self._chosen()
            looks = (
                distinguishing_attribute(phrase.args[-1]) if phrase.args[-1].op == "pair" else None
            )
            return call(
                "query", looks or self._pick("color", "color", "color", "material", "state"), phrase
            )
        if roll < 0.32:
            return self._of_the_other()
        if roll < 0.4:
            return call("name", call("only", call("other", self._it_or_mark(), self._where())))
        if roll < 0.44:
            like = IT if self.random.random() < 0.5 else self._it_or_mark()
            return call("name", call("only", call("same", self._attribute(), like, ANY)))
        if roll < 0.49:
            return call("query", self._attribute(), call("support", self._it_or_mark()))
        if roll < 0.53:
            return call("query", self._attribute(), call("was", self._it_or_touched()))
        if roll < 0.57:
            return call("fits", self._thing(), call("was", self._it_or_touched()))
        if roll < 0.68:
            return self._ways()
        if roll < 0.84:
            usable = call("usable", self._pick(*PURPOSES), ANY)
            if self.random.random() < 0.08:
                return call("name", call("support", call("only", usable)))
            return (
                call("name", call("only", usable))
                if self.random.random() < 0.75
                else call("exist", usable)
            )
        if roll < 0.87:
            return call(
                "whither",
                *((IT, self._mark()) if self.random.random() < 0.7 else (self._mark(), IT)),
            )
        if roll < 0.91:
            return call("seen_from", self._it_or_mark(), *self._two())
        if roll < 0.94:
            phrase = call("only", call("touched", self._kind()))
            return call(
                self._pick("size", "height"),
                phrase,
                call("only", call("other", phrase, self._kind_of_last())),
            )
        if roll < 0.945:
            phrase, kind = call("only", call("touched", self._kind())), self._kind_of_last()
            rival = call("only", call("upon", self._mark(), kind))
            return call(self._pick("size", "height", "higher", "larger"), phrase, rival)
        if roll < 0.96:
            return call(self._pick("higher", "larger", "size", "height"), *self._two())
        if roll < 0.98:
            return call("count", call("other", self._it_or_mark(), self._kind_of_last()))
        return call(
            "name", call(self._pick(*SIZES), ANY if self.random.random() < 0.5 else self._where())
        )

    def _it_or_touched(self) -> RoomCall:
        return IT if self.random.random() < 0.6 else call("only", call("touched", self._kind()))

    def _chosen(self) -> RoomCall:
        """Sample an object among those of a name by place or size; sometimes among two that are
        named.
        """
        random = self.random.random()
        source = call("pair", *self._alike()) if random < 0.5 else self._kind()
        if random > 0.92:
            source = call("touched", ANY)
        roll = self.random.random()
        if roll < 0.42:
            return call(
                self._pick("nearest", "nearest", "nearest", "farthest"), self._it_or_mark(), source
            )
        if roll < 0.54:
            return call("first", self._pick(*SIDES), self._it_or_mark(), source)
        if roll < 0.75:
            return call("extreme", self._pick(*SIDES), source)
        return call(self._pick(*SIZES), source)

    def _of_the_other(self) -> RoomCall:
        kind = self._kind()
        anchor = IT if self.random.random() < 0.5 else call("only", call("touched", kind))
        if self.random.random() < 0.2:
            anchor = self._alike()[0]
            kind = self._kind_of_last()
        return call("query", self._attribute(), call("only", call("other", anchor, kind)))

    def _where(self) -> RoomCall:
        """Sample the set of a "what else" question."""
        roll, rest = self.random.random(), ANY if self.random.random() < 0.85 else self._kind()
        if roll < 0.5:
            base = call("support", IT) if self.random.random() < 0.35 else self._mark()
            return call("upon", base, rest)
        if roll < 0.75:
            values = {"color": COLORS, "material": MATERIALS}
            attribute = self._pick("color", "material")
            return call("having", attribute, self._pick(*values[attribute]), rest)
        if roll < 0.85:
            return call("beside", self._mark(), rest)
        if roll < 0.93:
            return call("usable", self._pick(*PURPOSE), ANY)
        return call("side", self._pick(*SIDES, *CORNERS), rest)

    def _ways(self) -> RoomCall:
        if self.random.random() < 0.15:
            phrase = call("only", self._kind())
            ends = (phrase, phrase)
        else:
            ends = (self._it_or_mark(), self._mark())
        path = call("obstacles", *ends)
        roll = self.random.random()
        if roll < 0.15:
            return call("exist", call("touched", path))
        if roll < 0.2 and ends[0] == ends[1]:
            return call("closer_now", *ends)
        if roll < 0.27:
            return call("query", self._attribute(), call("only", path))
        if roll < 0.33:
            return call("name", call("nearest", ends[0], path))
        if roll < 0.4:
            return call("exist", call("same", self._attribute(), ends[0], call("just", ends[1])))
        return call("exist", path) if roll < 0.65 else call("name", call("only", path))


class ReferringEditSampler(EditSampler):
    """Samples edits that refer to other objects (swaps, moves, replacements), with their types."""

    def _change(self) -> tuple[str, RoomCall]:
        roll = self.random.random()
        if roll < 0.1:
            phrase = call("only", self._kind())
            return "movement", call("swap", phrase, phrase)
        if roll < 0.2:
            return "movement", self._move_to_another()
        if roll < 0.3:
            what = call("just", call("only", self._kind()))
            return "movement", call("move", what, call("on", call("only", self._kind())))
        if roll < 0.42:
            return "addition", self._add_to_wall()
        if roll < 0.6:
            return "addition", self._add_several()
        if roll < 0.75:
            return "replacement", self._replace_by_own_kind()
        if roll < 0.82:
            return "replacement", call("replace", call("just", self._thing()), self._new())
        if roll < 0.92:
            return "attribute", self._set_two()
        return "attribute", self._look(
            call("just", self._thing()) if self.random.random() < 0.6 else self._targets()
        )

    def _move_to_another(self) -> RoomCall:
        """Sample a move onto the other table, or next to the other object of a name."""
        thing = self._mark()
        place = self._pick("on", "on", "next_to")
        base = call("support", thing) if place == "on" else thing
        kind = call("all", self._pick(*CARRYING)) if place == "on" else self._kind_of_last()
        return call(
            "move", call("just", thing), call(place, call("only", call("other", base, kind)))
        )

    def _add_to_wall(self) -> RoomCall:
        """Sample the addition of an object that stands at walls."""
        new = self._new()
        thing = RoomCall("thing", (self._pick(*WALL), new.args[1]))
        if self.random.random() < 0.7:
            return call("add", "1", thing, call("next_to", self._thing()))
        return call("add", "1", thing, call("wall", self._pick(*SIDES)))

    def _add_several(self) -> RoomCall:
        number = self._pick("1", "1", "2", "2", "3", "4", "4", "5")
        new = self._new()
        if self.random.random() < 0.4:
            new = RoomCall("thing", (self._pick(*SMALL), new.args[1]))
        return call("add", number, new, self._somewhere())

    def _replace_by_own_kind(self) -> RoomCall:
        """Sample the replacement of an object by another of its name with other traits."""
        what = self._mark()
        traits = self._new().args[1]
        if traits.op == "plain":
            traits = call("trait", "color", self._pick(*COLORS), traits)
        new = RoomCall("thing", (_kind_named(what), traits))
        return call("replace", call("just", what), new)

    def _set_two(self) -> RoomCall:
        """Sample different values of one attribute for two objects."""
        if self.random.random() < 0.6:
            first, second = self._alike()
        else:
            first, second = self._mark(), self._mark()
        attribute = self._pick("state", "state", "color", "material")
        switched = self.random.random() < 0.7  # drawn for every attribute
        values = {
            "state": ("on", "off") if switched else ("open", "closed"),
            "color": COLORS,
            "material": MATERIALS,
        }[attribute]
        a, b = self.random.permutation(len(values))[:2]
        return call(
            "then",
            call("set", attribute, values[a], call("just", first)),
            call("set", attribute, values[b], call("just", second)),
        )

    def _somewhere(self) -> RoomCall:
        if self.random.random() < 0.2:
            phrase = call("only", self._kind())
            return call("amid", phrase, phrase)
        return self._place()


def _kind_named(phrase: RoomCall) -> str:
    return next(part for part in reversed(list(phrase.calls())) if part.op == "all").args[0]
