"""Sentences that describe changes of a room: moves, turns, removals, new looks, additions, replacements."""

from po3d.reasoning.room_program import Call
from po3d.synthesis.room_speaker import NEXT_TO, ON, UNDER, Speaker, mark

NUMBER_WORDS = {
    "1": "one",
    "2": "two",
    "3": "three",
    "4": "four",
    "5": "five",
    "6": "six",
    "0.5": "half a",
    "1.5": "one and a half",
}
TURNS = {
    "90": (
        "by 90 degrees",
        "90 degrees clockwise",
        "90 degrees",
        "a quarter turn clockwise",
        "by a quarter turn",
    ),
    "180": (
        "by 180 degrees",
        "180 degrees",
        "around",
        "half a turn",
        "to face the opposite direction",
        "the other way round",
    ),
}


class ChangeSpeaker(Speaker):
    def say(self, program: Call) -> str:
        text = getattr(self, f"_{program.op}")(*program.args)
        if self.chance(0.06):
            text = self.pick("imagine that ", "suppose ", "assume that ", "let's say ") + text
        return text + self.pick(".", ".", ".", "")

    def _passive(self, what: Call, past: str, base: str, tail: str) -> str:
        """ "The chair has been moved ...", "someone moved the chair ...", "move the chair ..."."""
        subject, many = self.group(what)
        tail = f" {tail}" if tail else ""
        roll = self.random.random()
        if roll < 0.7:
            be = self.pick(
                "have been" if many else "has been",
                "were" if many else "was",
                "are" if many else "is",
                "are now" if many else "is now",
            )
            return f"{subject} {be} {past}{tail}"
        if roll < 0.85:
            return f"{self.pick('someone', 'somebody', 'a person', 'the owner')} {self.pick('', 'has ')}{past} {subject}{tail}"
        if roll < 0.93:
            return f"{base} {subject}{tail}"
        return f"{self.pick('they', 'we', 'I')} {past} {subject}{tail}"

    def _move(self, what: Call, where: Call) -> str:
        verbs = [
            ("moved", "move"),
            ("relocated", "relocate"),
            ("shifted", "shift"),
            ("repositioned", "reposition"),
            ("pushed", "push"),
            ("brought", "bring"),
            ("transferred", "transfer"),
        ]
        if where.op in ("next_to", "on", "under", "amid", "corner", "wall", "centre", "spot", "at"):
            verbs += [("placed", "place"), ("put", "put")]
        past, base = verbs[int(self.random.integers(len(verbs)))]
        return self._passive(what, past, base, self.place(where))

    def place(self, where: Call) -> str:
        op, args = where.op, where.args
        to = self.pick("", "", "to ")
        if op == "next_to":
            return f"{self.pick(*NEXT_TO, 'closer to', 'to the side of')} {self.thing(args[0])}"
        if op == "on":
            return f"{self.pick('on', 'onto', 'on top of', 'onto the top of', *ON[:2])} {self.thing(args[0])}"
        if op == "under":
            return f"{self.pick(*UNDER)} {self.thing(args[0])}"
        if op == "amid":
            a, b = self.thing(args[0]), self.thing(args[1])
            return f"{to}{self.pick('between', 'in between', 'to the space between', 'midway between')} {a} and {b}"
        if op == "at":
            return f"{self.toward(args[0])} {self.thing(args[1])}"
        if op == "corner":
            words = self.pick(args[0], args[0].replace(" ", "-"))
            if words.startswith("back") and self.chance(0.2):
                words = "rear" + words[4:]
            return f"{self.pick('to', 'into', 'in')} the {words} corner{self.pick('', '', ' of the room', ' of the scene')}"
        if op == "wall":
            word = self.pick("back", "rear") if args[0] == "back" else args[0]
            return self.pick(
                f"against the {word} wall",
                f"to the {word} wall",
                f"up against the wall at the {word}",
                f"along the {word} wall",
                f"to the {word} side of the room",
                f"against the wall on the {word}",
            )
        if op == "centre":
            middle = self.pick("center", "middle", "centre")
            return f"{self.pick('to', 'in', 'into')} the {middle}{self.pick(' of the room', ' of the room', ' of the scene', '')}"
        if op == "spot":
            thing = self.thing(args[0])
            return self.pick(
                f"to where {thing} is",
                f"to where {thing} was",
                f"to the position of {thing}",
                f"to the spot of {thing}",
            )
        direction, metres = args
        word = (
            self.pick("back", "backward", "backwards")
            if direction == "back"
            else self.pick("forward", "to the front")
            if direction == "front"
            else self.pick(f"to the {direction}", f"to the {direction}", direction)
        )
        plain = self.pick("meters", "metres", "m")
        if metres == "1":
            length = self.pick("1 meter", "one meter", "a meter", "1 m", "one metre", "about one meter")
        elif metres == "0.5":
            length = self.pick("half a meter", "0.5 meters", "0.5 m", "50 centimeters")
        elif metres == "1.5":
            length = self.pick(f"1.5 {plain}", "one and a half meters")
        else:
            length = f"{self.pick(metres, NUMBER_WORDS.get(metres, metres))} {plain}"
        return self.pick(f"{length} {word}", f"{word} by {length}", f"by {length} {word}", f"{word} {length}")

    def _turn(self, what: Call, degrees: str) -> str:
        past, base = (("rotated", "rotate"), ("turned", "turn"))[int(self.random.integers(2))]
        return self._passive(what, past, base, self.pick(*TURNS[degrees]))

    def _face(self, what: Call, goal: Call) -> str:
        thing = self.thing(goal)
        past, base, tail = (
            ("turned", "turn", "to face"),
            ("rotated", "rotate", "to face"),
            ("turned", "turn", "toward"),
            ("oriented", "orient", "towards"),
            ("rotated", "rotate", "so that it faces"),
        )[int(self.random.integers(5))]
        return self._passive(what, past, base, f"{tail} {thing}")

    def _swap(self, first: Call, second: Call) -> str:
        a, b = self.thing(first), self.thing(second)
        return self.pick(
            f"{a} and {b} have swapped places",
            f"{a} has been swapped with {b}",
            f"{a} and {b} have been switched",
            f"{a} and {b} exchanged positions",
            f"{a} switched places with {b}",
            f"the positions of {a} and {b} were exchanged",
        )

    def _remove(self, what: Call) -> str:
        past, base = (
            ("removed", "remove"),
            ("taken away", "take away"),
            ("thrown away", "throw away"),
            ("taken out", "take out"),
            ("discarded", "discard"),
            ("removed", "remove"),
            ("cleared away", "clear away"),
        )[int(self.random.integers(7))]
        if self.chance(0.1):
            subject, many = self.group(what)
            return f"{subject} {'are' if many else 'is'} {self.pick('gone', 'no longer there', 'no longer in the room', 'not in the room anymore')}"
        tail = self.pick("", "", "from the room", "from the scene", "out of the room")
        if " " in past and self.chance(0.0):
            tail = ""
        return self._passive(what, past if self.chance(1.0) else base, base, tail)

    def _set(self, attribute: str, value: str, what: Call) -> str:
        subject, many = self.group(what)
        word = mark(value, self.value(value))
        has, be, was = ("have", "are", "were") if many else ("has", "is", "was")
        if attribute == "color":
            return self.pick(
                f"{subject} {has} been painted {word}", f"{subject} {was} repainted {word}", f"{subject} {be} now {word}",
                f"{subject} {has} turned {word}", f"the color of {subject} has been changed to {word}", f"the colour of {subject} is now {word}",
                f"{subject} {has} been changed to {word}", f"someone painted {subject} {word}", f"{subject} {has} been dyed {word}",
                f"the color of {subject} changed to {word}", f"paint {subject} {word}",
            )  # fmt: skip
        if attribute == "material":
            bare = mark(value, "wood" if value == "wooden" else value)
            return self.pick(
                f"{subject} {be} now made of {bare}", f"{subject} {has} become {word}", f"{subject} {be} {word} now",
                f"the material of {subject} has been changed to {bare}", f"{subject} {has} been changed to a {word} one",
                f"{subject} {has} been remade in {bare}", f"the material of {subject} is now {bare}",
            )  # fmt: skip
        if value in ("on", "off"):
            return self.pick(
                f"{subject} {has} been turned {word}",
                f"{subject} {was} switched {word}",
                f"{subject} {be} now {word}",
                f"someone turned {subject} {word}",
                f"{subject} {be} turned {word}",
            )
        if value in ("open", "closed"):
            past = mark(value, value)
            return self.pick(
                f"{subject} {be} now {past}",
                f"{subject} {be} {past} now",
                f"{subject} {has} been left {past}",
                f"{subject} {be} no longer {'closed' if value == 'open' else 'open'} but {past}",
                f"{subject} {has} become {past}",
            )
        return self.pick(
            f"{subject} {be} now {word}",
            f"{subject} {has} become {word}",
            f"{subject} {has} been made {word}",
            f"{subject} {be} {word} now",
            f"{subject} got {word}",
            f"{subject} {has} turned {word}",
        )

    def _thing(self, thing: Call, number: str) -> str:
        """ "a red wooden chair", "two new lamps"."""
        name, traits = thing.args
        many = number != "1"
        words: list[str] = []
        while traits.op == "trait":
            _, value, traits = traits.args
            words.append(mark(value, self.value(value)))
        noun = self.noun(name, many)
        new = self.pick("", "", "new ", "another ") if not many else self.pick("", "new ", "more ")
        if not many:
            adjectives = " ".join(words)
            if new == "another ":
                return f"another {adjectives} {noun}"
            bare = f"{new}{adjectives} {noun}".strip()
            first = bare.replace("\x01", "")
            letter = (
                next(
                    (c for c in first.split("\x02")[-1 if bare.startswith("new") else 1] if c.isalpha()), "x"
                )
                if "\x02" in bare
                else "x"
            )
            if bare.startswith("new"):
                letter = "n"
            return f"{'an' if letter in 'aeiou' else 'a'} {bare}"
        return f"{self.pick(number, NUMBER_WORDS[number])} {new}{' '.join(words)} {noun}"

    def _add(self, number: str, thing: Call, where: Call) -> str:
        new, place = self._thing(thing, number), self.place(where)
        many = number != "1"
        past, base = (
            ("added", "add"),
            ("placed", "place"),
            ("put", "put"),
            ("introduced", "introduce"),
            ("set up", "set up"),
            ("brought in", "bring in"),
        )[int(self.random.integers(6))]
        be = self.pick(
            "have been" if many else "has been", "were" if many else "was", "are" if many else "is"
        )
        return self.pick(
            f"{new} {be} {past} {place}", f"{new} {be} {past} {place}", f"there {'are' if many else 'is'} now {new} {place}",
            f"someone {past} {new} {place}", f"{base} {new} {place}", f"{place}, {new} {be} {past}",
            f"{new} now {'stand' if many else 'stands'} {place}",
           
        )  # fmt: skip

    def _replace(self, what: Call, thing: Call) -> str:
        subject, many = self.group(what)
        new = self._thing(thing, "1")
        if many:
            name = thing.args[0]
            words, traits = [], thing.args[1]
            while traits.op == "trait":
                _, value, traits = traits.args
                words.append(mark(value, self.value(value)))
            new = f"{' '.join(words)} {self.noun(name, True)}"
        be = self.pick(
            "have been" if many else "has been", "were" if many else "was", "are" if many else "is"
        )
        return self.pick(
            f"{subject} {be} replaced {self.pick('with', 'by')} {new}", f"{subject} {be} replaced {self.pick('with', 'by')} {new}",
            f"someone replaced {subject} with {new}", f"{new} {'have' if many else 'has'} replaced {subject}", f"replace {subject} with {new}",
            f"{subject} {be} swapped out for {new}", f"{subject} {be} exchanged for {new}", f"{subject} {be} substituted with {new}",
        )  # fmt: skip
