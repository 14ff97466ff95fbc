"""Sentences that describe changes of a room: moves, turns, removals, new looks, additions, replacements."""

from po3d.reasoning.room_program import Call
from po3d.synthesis.room_speaker import NEXT_TO, UNDER, Speaker, mark

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


MOVES = (
    ("moved", "move"), ("moved", "move"), ("relocated", "relocate"), ("shifted", "shift"), ("repositioned", "reposition"),
    ("pushed", "push"), ("pulled", "pull"), ("dragged", "drag"), ("slid", "slide"), ("shoved", "shove"), ("rolled", "roll"),
    ("kicked", "kick"), ("brought", "bring"), ("transferred", "transfer"), ("carried", "carry"), ("hauled", "haul"),
    ("placed", "place"), ("put", "put"), ("set", "set"), ("laid", "lay"), ("stood", "stand"), ("taken", "take"), ("left", "leave"),
    ("tossed", "toss"), ("dropped", "drop"), ("parked", "park"), ("picked up and put", "pick up and put"),
)  # fmt: skip
SHIFTS = 12  # the first ones also go with a distance
REMOVALS = (
    ("removed", "remove"), ("removed", "remove"), ("taken away", "take away"), ("thrown away", "throw away"), ("taken out", "take out"),
    ("discarded", "discard"), ("cleared away", "clear away"), ("cleared out", "clear out"), ("carried out", "carry out"),
    ("hauled away", "haul away"), ("thrown out", "throw out"), ("got rid of", "get rid of"), ("sold", "sell"), ("given away", "give away"),
    ("stolen", "steal"), ("moved out", "move out"), ("donated", "donate"), ("stored away", "store away"),
)  # fmt: skip
VERBS = {  # what makes a thing so; the executor knows these words for the state
    "open": ("opened",), "closed": ("shut", "closed"), "empty": ("emptied",), "full": ("filled",), "clean": ("cleaned",),
    "broken": ("smashed",), "folded": ("folded",), "dirty": ("soiled",),
}  # fmt: skip
AMID = (
    "between",
    "in between",
    "to the space between",
    "midway between",
    "halfway between",
    "right in between",
    "to the spot between",
)
OPENINGS = (
    "imagine that", "imagine", "suppose", "suppose that", "assume that", "let's say", "say", "what if", "after", "now that", "picture this:",
    "if", "once", "since", "let's assume",
)  # fmt: skip
REASONS = (
    "to make some room", "because of the heat", "to brighten the place up", "before the party", "as guests are coming", "yesterday",
    "over the weekend", "this morning", "last night", "while cleaning up", "as part of the renovation", "in the meantime", "later",
)  # fmt: skip
TIMES = (
    "this morning", "last night", "over the weekend", "for repair", "before going to bed", "a moment ago", "today", "just now", "yesterday",
    "to make space", "for a change",
)  # fmt: skip
PEOPLE = (
    "my sister",
    "dad",
    "grandpa",
    "the kids",
    "the cleaner",
    "a friend",
    "the movers",
    "my son",
    "mom",
    "the landlord",
)


class ChangeSpeaker(Speaker):
    def say(self, program: Call) -> str:
        text = getattr(self, f"_{program.op}")(*program.args)
        roll = self.random.random()
        if roll < 0.1:
            text = f"{self.pick(*OPENINGS)} {text}"
        elif roll < 0.16:
            text = f"{self.pick(*REASONS)}, {text}"
        elif roll < 0.21:
            text = f"{text} {self.pick(*TIMES)}"
        return text + self.pick(".", ".", ".", ".", ",", "", "!")

    def _who(self) -> str:
        return self.pick(
            "someone", "somebody", "a person", "the owner", "they", "they", "we", "I", "you", *PEOPLE
        )

    def _then(self, first: Call, second: Call) -> str:
        a, b = (getattr(self, f"_{c.op}")(*c.args) for c in (first, second))
        return (
            f"{a}{self.pick(' and ', ', and ', ' and then ', ' and also ', ', then ', ' and after that ')}{b}"
        )

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
                "got",
                "gets" if not many else "get",
                "have just been" if many else "has just been",
                *(("have both been", "were both", "both got") if what.op == "pair" else ()),
            )
            return f"{subject} {be} {past}{tail}"
        if roll < 0.92:
            return f"{self._who()} {self.pick('', '', 'has ', 'have ', 'just ')}{past} {subject}{tail}"
        return f"{self.pick('', '', 'if you ', 'please ')}{base} {subject}{tail}"

    def _move(self, what: Call, where: Call) -> str:
        if where.op != "shift" and self.chance(0.14):
            subject, many = self.group(what)
            stands = self.pick("stand", "sit", "lie", "go", "end up", "live", "find a new home", "land")
            verb = self.pick(
                {"lie": "now lies", "go": "goes", "end up": "ends up", "live": "now lives"}.get(
                    stands, f"now {stands}s"
                )
                if not many and stands != "find a new home" and stands != "land"
                else f"now {stands}",
                "ended up",
                "now belongs" if not many else "now belong",
                "has found a new home" if not many else "have found a new home",
                "landed",
            )
            return f"{subject} {verb} {self.place(where)}"
        verbs = MOVES if where.op != "shift" else MOVES[:SHIFTS]
        past, base = verbs[int(self.random.integers(len(verbs)))]
        over = self.pick("", "", "", "over ") if where.op in ("next_to", "at", "corner", "wall") else ""
        return self._passive(what, past, base, over + self.place(where))

    def place(self, where: Call) -> str:
        op, args = where.op, where.args
        to = self.pick("", "", "to ")
        if op == "next_to":
            near = self.pick(
                *NEXT_TO,
                "closer to",
                "to the side of",
                "to",
                "over to",
                "right beside",
                "right by",
                "so that it is next to",
            )
            return f"{near} {self.thing(args[0])}"
        if op == "on":
            top = self.pick(
                "on", "on", "onto", "on top of", "onto the top of", "to the top of", "over to", "up on"
            )
            return f"{top} {self.thing(args[0])}"
        if op == "under":
            return f"{self.pick(*UNDER)} {self.thing(args[0])}"
        if op == "amid":
            a, b = self.thing(args[0]), self.thing(args[1])
            return f"{to}{self.pick(*AMID)} {a} and {b}"
        if op == "at":
            just = self.pick("", "", "", "right ", "just ", "directly ", "immediately ")
            return f"{just}{self.toward(args[0])} {self.thing(args[1])}"
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
            self.pick("back", "backward", "backwards", "towards the back", "to the back", "toward the rear")
            if direction == "back"
            else self.pick("forward", "to the front", "forwards", "towards the front", "toward the front")
            if direction == "front"
            else self.pick(
                f"to the {direction}",
                f"to the {direction}",
                direction,
                f"towards the {direction}",
                f"over to the {direction}",
            )
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
            f"{a} and {b} traded places",
            f"{a} traded places with {b}",
            f"{self._who()} swapped {a} and {b}",
            f"swap {a} with {b}",
            f"switch {a} with {b}",
            f"{a} changed places with {b}",
            f"{self._who()} switched {a} and {b} around",
            f"{a} is where {b} was and the other way round",
            f"{a} and {b} swapped spots",
            f"exchange {a} and {b}",
        )

    def _remove(self, what: Call) -> str:
        if self.chance(0.22):
            subject, many = self.group(what)
            be = "are" if many else "is"
            return self.pick(
                f"{subject} {be} gone", f"{subject} {be} no longer there", f"{subject} {be} no longer in the room",
                f"{subject} {be} not in the room anymore", f"{subject} {be} not here any more", f"{subject} {be} out of the room",
                f"{subject} {'have' if many else 'has'} disappeared", f"{subject} {'have' if many else 'has'} left the room",
                f"no more {subject.removeprefix('the ')}", f"{subject} went to the dump", f"{subject} {be} missing",
            )  # fmt: skip
        past, base = REMOVALS[int(self.random.integers(len(REMOVALS)))]
        tail = self.pick("", "", "", "from the room", "from the scene", "out of the room")
        return self._passive(
            what, past, base, tail if not past.endswith(("away", "out", "of", "off")) else ""
        )

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
                f"{self._who()} painted {subject} {word}", f"{self._who()} repainted {subject} and now {'they are' if many else 'it is'} {word}",
                f"{subject} {was} dyed {word}", f"{subject} {was} spray painted {word}", f"{subject} got a coat of {word} paint",
                f"{self._who()} gave {subject} a coat of {word} paint", f"{subject} {has} become {word}", f"{subject} {was} coloured {word}",
                f"{self._who()} painted {subject} in {word}", f"{subject} got painted {word}", f"{subject} changed color to {word}",
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
                f"{self._who()} switched {subject} {word}",
                f"{self._who()} turned {word} {subject}",
                f"turn {subject} {word}",
                f"{subject} got switched {word}",
            )
        if value in VERBS and self.chance(0.5):
            done = mark(value, self.pick(*VERBS[value]))
            return self.pick(
                f"{subject} {has} been {done}", f"{subject} {was} {done}", f"{self._who()} {done} {subject}", f"{subject} got {done}",
                f"{subject} {was} just {done}", f"{subject} {be} {done}",
            )  # fmt: skip
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
        if self.chance(0.12):
            words.insert(
                0,
                self.pick(
                    "tall", "big", "small", "little", "nice", "large", "tiny", "thick", "wide", "second hand"
                ),
            )
        noun = self.noun(name, many)
        if self.chance(0.04):
            noun += self.pick(" of flowers", " of the neighbours", " for guests", " from the shop")
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
            f"{new} now {self.pick('stand', 'sit') if many else self.pick('stands', 'sits', 'lies')} {place}",
            f"{self._who()} {past} {new} {place}", f"{self._who()} bought {new} and put {'them' if many else 'it'} {place}",
            f"there {'are' if many else 'is'} {new} {place} now", f"now there {'are' if many else 'is'} {new} {place}",
            f"picture {new} {place}", f"{self._who()} {self.pick('left', 'set', 'stood', 'dropped', 'parked', 'laid')} {new} {place}",
            f"{new} {be} {self.pick('set down', 'left', 'dropped', 'parked', 'stood', 'laid', 'dumped', 'delivered and put')} {place}",
            f"{new} {self.pick('appeared', 'has appeared', 'showed up')} {place}",
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
            f"{new} {'have' if many else 'has'} taken the place of {subject}", f"{subject} made way for {new}", f"{subject} gave way to {new}",
            f"{subject} had to give way to {new}", f"where {subject} was, there is {new} now", f"in place of {subject} there is now {new}",
            f"instead of {subject} there is {new}", f"{self._who()} swapped {subject} for {new}", f"{self._who()} swapped {subject} out for {new}",
            f"{self._who()} exchanged {subject} for {new}", f"{self._who()} replaced {subject} {self.pick('with', 'by')} {new}",
            f"{subject} {be} swapped for {new}", f"where {subject} used to be, {self._who()} put {new}", f"{new} stands where {subject} stood",
            f"{self._who()} traded {subject} for {new}", f"{new} {be} put in the place of {subject}", f"{subject} got replaced by {new}",
        )  # fmt: skip
