"""Moves, swaps and removals as people tell them in passing: requests, fragments, small talk, the two of a kind."""

import re

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.casual_looks import CASUAL, CasualLooks, noun_of
from po3d.language.say.rooms.casual_phrases import ASIDES, ENDS, PLEAS, PUT, STORIES, WIPED
from po3d.language.say.rooms.change_speaker import MOVES, REMOVALS
from po3d.language.say.rooms.utterance import again
from po3d.scene.rooms import CATEGORIES, stands_on_top


class CasualChanges(CasualLooks):
    moved: Call | None = None  # the thing whose move is told: "the other table" is other than its own

    def say(self, program: Call) -> str:
        text = super().say(program)
        roll = self.random.random()
        if roll < 0.07:
            text = f"{self.fill(ASIDES)} {text}"
        elif roll < 0.12:
            text = f"{text.rstrip('.!,; ')}, {self.fill(ENDS)}{self.pick('.', '!', '')}"
        elif roll < 0.15:
            text = f"{self.fill(STORIES)}{self.fill('(, and|.|;|, so| and so| -|, and now|:)')} {text}"
        return text

    def thing(self, program: Call) -> str:
        if self.moved is not None and program.op == "only" and program.args[0].op == "other":
            one, among = program.args[0].args
            named = one.args[0] if one.op == "support" else one
            if named == self.moved:
                return again(f"the other {self.head(among, False)}", named, one)
        return super().thing(program)

    def _remove(self, what: Call) -> str:
        usual = super()._remove
        if self.chance(0.1) and (told := self._told_first(what, lambda: usual(what))):
            return told
        if not self.chance(CASUAL):
            return usual(what)
        past, base = WIPED[int(self.random.integers(len(WIPED)))]
        if self.chance(0.5):
            return self._passive(what, past, base, "")
        if self.chance(0.25):
            past, base = REMOVALS[int(self.random.integers(len(REMOVALS)))]
        subject, many = self.group(what)
        have, be, was = ("have", "are", "were") if many else ("has", "is", "was")
        bare = re.sub(r"^(the|all the|all of the|both the|both of the) ", "", subject)
        they, them = ("they", "them") if many else ("it", "it")
        return self.fill(
            f"{{a}} (had to go|went|{be} history|got the boot|{have} had {'their' if many else 'its'} day|{be} out|"
            f"{was} the first to go|{be} off to the (dump|tip)|"
            f"didn't survive|{have} to go|must go|can go|{be} no longer ours|{be} with the neighbours now|went out "
            f"of the window|went on the (bonfire|skip))|"
            f"{PLEAS} {{base}} {{a}}|no {{bare}} (here |)(any more|now|anymore|these days)|out (went|goes|with) "
            f"{{a}}|away (went|goes|with) {{a}}|"
            f"{{who}} (took|carried|wheeled|dragged|walked off with|made off with|ran off with|left with|came for|"
            f"sent for|picked up|gave up|parted with) {{a}}(| yesterday|"
            f" and {they} {have} not come back)|{{who}} (gave|sold|lent|handed|passed|left) {{a}} to (a neighbour|"
            f"the neighbours|a friend|charity|my sister|"
            f"a student|someone else|the museum|an antique dealer)|{{who}} came (for|to fetch|to collect|to get|to "
            f"pick up) {{a}}(, and {they} {be} gone|, so {they} {be} "
            f"gone| and took {them} away|, and now {they} {be} gone)|{{bare}} gone|{{bare}}(:|,) (gone|removed|out|"
            f"sold|no more|missing)|"
            f"{{a}} {be} (out |now |standing |)(on the (street|pavement|kerb|lawn|porch|landing|balcony)|in the "
            f"(attic|garage|"
            f"cellar|skip|van|shed|hall|dustbin|recycling)|at the (tip|dump|auction|charity shop|neighbours))( now|)|"
            f"the (room|place|flat) (is|will be|has been|was) (rid of|without|missing|freed of) {{a}}|(someone|"
            f"somebody|they) (has|have) had {{a}} (removed|taken away|"
            f"taken out|collected)|{{who}} had {{a}} (removed|taken away|collected|picked up|destroyed)|{{a}} "
            f"{have} been (taken from us|gone since yesterday)",
            a=subject, bare=bare, base=base, who=self._who(),
        )  # fmt: skip

    def _move(self, what: Call, where: Call) -> str:
        if what.op == "just":
            self.moved = what.args[0]
        try:
            return self._moving(what, where)
        finally:
            self.moved = None

    def _moving(self, what: Call, where: Call) -> str:
        usual = super()._move
        if self.chance(0.08) and (told := self._told_first(what, lambda: usual(what, where))):
            return told
        if where.op == "shift" or not self.chance(CASUAL):
            return usual(what, where)
        small = stands_on_top(str(noun_of(what)))
        past, base = (PUT, PUT, MOVES)[int(self.random.integers(3))][int(self.random.integers(len(PUT)))]
        if self.chance(0.35):
            return self._passive(what, past, base, self.place(where, small))
        subject, many = self.group(what)
        have, be = ("have", "are") if many else ("has", "is")
        it = self.pick("them", "them both" if what.op == "pair" else "them") if many else "it"
        nouns = [n for n in CATEGORIES if n != "door"]
        return self.fill(
            f"{PLEAS} ({{base}} {{a}} {{p}}|{{base}} {{a}} {{p}} for me)|{{a}} ({have} gone|{have} now gone|"
            f"{'go' if many else 'goes'}|"
            f"{have} been|{'move' if many else 'moves'}|{be} to go|{be} off|{have} found "
            f"{'their' if many else 'its'} way|{have} ended up|wound up|finished up|"
            f"{have} settled|{be} back|came to rest|now {'live' if many else 'lives'}|"
            f"{'want' if many else 'wants'} to be|belong{'' if many else 's'}) {{p}}|"
            f"{{p}} (goes|went|is where I want|is where {{who}} put|now stands|belongs|with) {{a}}|{{a}}(:|,| -) "
            f"{{p}}( now|)|{{a}} {{p}}|"
            f"{{p}}(, |: | - )that's where {{a}} (went|{be}|{'belong' if many else 'belongs'}|{be} now)|"
            f"(take|get|lift|pick up|grab|fetch) {{a}} (off|from|down from|away from|out of) the {{n}} and (put|"
            f"set|place|leave|stand|pop) {it} {{p}}|"
            f"{{who}} (took|got|lifted|grabbed|fetched) {{a}} (off|from|down from|away from) the {{n}} and (put|"
            f"set|placed|left|stood) {it} {{p}}|"
            f"{{who}} (has|had|got) {{a}} ({past}|moved|put|placed|set|brought) {{p}}|{{a}} {be} (best|better|more "
            f"useful|happier|nicer) {{p}}(, so that is where {it} went|)|"
            f"(I'd like|I want|we want|we need|I'd love|let's have|let us have|can I have|could we have) {{a}} {{p}}|"
            f"(the new (place|home|spot) for|a new home for) {{a}}(:| is| was found) {{p}}|from now on {{a}} "
            f"{'stand' if many else 'stands'} {{p}}",
            a=subject, p=self.place(where, small), base=base, who=self._who(), n=nouns[int(self.random.integers(len(nouns)))],
        ).replace("it went", "it went")  # fmt: skip

    def place(self, where: Call, small: bool = False) -> str:
        op, args = where.op, where.args
        if op in ("amid", "spot") and len(args) == 2 and args[0] == args[1]:
            kinds = self.head(args[0].args[0], True)
            return self.fill(
                "(between|in between|right between|halfway between|in the gap between|into the space between|"
                "midway between|in the middle between) "
                "(the two|both|the two|the) {h}",
                h=kinds,
            ) + again("", *args)
        if op == "corner" and self.chance(0.3):
            depth, side = args[0].split()
            depth = self.pick("back", "rear") if depth == "back" else depth
            return self.fill(
                "(in|into|to) (the corner (at the {d}|in the {d}|at the {d} of the room)(,|) on the {s}( side|)|"
                "the {d} corner(,|) (on the|to the) {s}( side| hand side|)|"
                "the {s} hand corner at the {d}|the {s} corner (at|in) the {d}|the corner on the {s}(,|) (at|in) "
                "the {d}|the {d} {s} hand corner|the {s} {d} corner)",
                d=depth, s=side,
            )  # fmt: skip
        if op == "on" and small and self.chance(0.15):
            return self.fill(
                "(over onto|over on|over to|across to|up onto|on to|down on|back on|back onto|right on) "
            ) + self.thing(args[0])
        return super().place(where, small)

    def _swap(self, first: Call, second: Call) -> str:
        if first == second:
            kinds, kind = self.head(first.args[0], True), self.head(first.args[0], False)
            return self.fill(
                "(the two|both|both of the|the) {h} (have |)(swapped|traded|changed|switched|exchanged) (places|"
                "positions|spots|round|around|over)|(the two|both) {h} "
                "(were|have been|got|are) (swapped|switched|exchanged|interchanged)( round| around| over|)|{who} "
                "(swapped|switched|exchanged|changed) (the two|both|"
                "the) {h}( round| around| over|)|(swap|switch|exchange|interchange) (the two|both|the) {h}( round| "
                "around| over| with each other|)|{pl} (swap|switch) "
                "the two {h}|(each|either) {k} (is|stands|went) where the other (one |)(was|stood)|let the two {h} "
                "(trade|swap) places|the {k}s have been swapped",
                h=kinds, k=kind, who=self._who(), pl=self.fill(PLEAS),
            ).replace(f"{kind}s", kinds) + again("", first, second)  # fmt: skip
        if not self.chance(CASUAL):
            return super()._swap(first, second)
        return self.fill(
            "(put|move|place|set|stand|take) {a} (where {b} (is|was|stands|stood)|to the (place|spot) of {b})(,|) "
            "and {b} (where {a} (was|is|stood)|to the (place|spot) of {a})|"
            "{a} (went|goes|has gone|moved|is|stands|was put|ended up|now stands|was moved) where {b} (was|stood|"
            "had been|used to be)(,|) and {b} (where {a} (was|stood|had been|"
            "used to be)|the other way round)|{pl} (swap|switch|exchange) {a} (and|with) {b}( round| over|)|{a} "
            "for {b}, {b} for {a}|{a} and {b}(:|,) (swapped|places swapped)|"
            "{a} (took|takes|got|now has) (the place|the spot) of {b}(,| while|;| and) {b} (took|takes|got|now "
            "has) (the place|the spot) of {a}|{who} put {a} where {b} (was|stood) and "
            "{b} where {a} (was|stood)|{a} and {b} (now |)(stand|sit|are) in each other's (place|spot)|(a swap|"
            "swap places)(:|,) {a} (and|with) {b}",
            a=self.thing(first), b=self.thing(second), who=self._who(), pl=self.fill(PLEAS),
        )  # fmt: skip
