"""Questions as people ask them in passing: topic first, fragments, asides, ways walked and things met, what else and which other."""

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.choices import LOOKS, Choices, chosen_among
from po3d.language.say.rooms.set_questions import ANY
from po3d.language.say.rooms.speaker import IT
from po3d.language.say.rooms.uses import WHICH, Uses
from po3d.language.say.rooms.utterance import again, mark
from po3d.scene.rooms import hangs

MEET = (
    "(bump into|run into|walk into|hit|meet|trip over|knock into|collide with|stumble over|knock over|crash into|"
    "stub my toe on|"
    "come up against|bang into|fall over)"
)
ROUND = "(get around|step around|walk around|go round|avoid|go past|get past|dodge|climb over|squeeze past|step over)"
GOING = "(going|walking|heading|running|moving|crossing the room|strolling|marching)"
GO = "(go|walk|head|run|move|stroll|cross the room|crawl|roll a ball|march|went|walked)"
STRAIGHT = "(straight|directly|in a straight line|as the crow flies|right across|without a detour|by the shortest way|in a direct line)"
LINE = "(direct line|straight line|direct way|straight path|direct path|shortest way|direct route|shortest path|beeline|way)"
MOST = {
    "largest": "(largest|biggest|bulkiest)",
    "smallest": "(smallest|littlest|tiniest)",
    "tallest": "tallest",
    "shortest": "shortest",
    "highest": "(highest|topmost|highest placed|highest up)",
    "lowest": "(lowest|lowest placed)",
}
WHO = "(I|you|one|we|somebody|anyone|a robot vacuum|a child|someone|a person)"
LIKE = {
    "color": "color|colour|very same color|same shade",
    "material": "material|stuff",
    "state": "state|condition",
}
ELSE = "(what else|what other (thing|object|item)|which other (thing|object|item|piece of furniture)|anything else, and what,|what more)"


class CasualQuestions(Choices, Uses):
    """Put before the other wordings: each method says the program in its own way, or leaves it to them."""

    def _query(self, attribute: str, one: Call) -> str:
        among = chosen_among(one)
        if among is not None and (
            among.op == "pair" or self.chance(0.7 if among.op in ("all", "touched") else 0.4)
        ):
            return self._choice(attribute, one)
        if one.op == "only" and one.args[0].op == "other" and self.chance(0.75):
            return self._the_other(attribute, one.args[0])
        if one.op == "support" and self.chance(0.7):
            return self._seen_on(attribute, self._bearer(one.args[0]))
        if one.op == "was" and self.kind in ("removal", "replacement", "attribute") and self.chance(0.5):
            return self._past(attribute, one.args[0])
        shown = one.args[0] if one.op == "only" else one
        if shown.op in ("upon", "beside", "toward", "side", "between", "having") and self.chance(0.15):
            return self.fill(
                "(there's|there is|I see|you can see|we have|you see) (a|the|one|this) {h}(.|;|,|:) (and |)((what|"
                "which) {w} "
                "(is|has|does) (it|that)( have|)|what's its {w}|tell me its {w}|what {w} would you say it is)",
                h=self.head(shown, False),
                w=self.fill(LOOKS[attribute]),
            )
        if self.chance(0.3):
            return self._seen_on(attribute, self.thing(one))
        return super()._query(attribute, one)

    def _seen_on(self, attribute: str, thing: str) -> str:
        word = self.fill(LOOKS[attribute])
        made = {
            "color": "what (colour|color) (does it have|has it got|is it painted in|did it turn out)|is it light or dark, I mean its colour",
            "material": "what is (it|that) made (of|from|out of)|what stuff is it made of",
            "state": "is (it|that) (on or off|open or closed|full or empty|clean or dirty)|what state is it in",
        }[attribute]
        values = {
            "color": (
                "red or blue",
                "white or black",
                "green or brown",
                "dark or light",
                "grey or beige",
                "yellow or pink",
            ),
            "material": (
                "wooden or metal",
                "plastic or metal",
                "leather or fabric",
                "glass or ceramic",
                "wood or plastic",
            ),
            "state": (
                "on or off",
                "off or on",
                "open or closed",
                "open or shut",
                "full or empty",
                "clean or dirty",
                "empty or full",
            ),
        }[attribute]
        return self.fill(
            f"{{a}}(,|:|;| -) (what|which) {{w}} (is|'s|does|has) (it|that)( have|)|{{a}}(:|,|;| -) {{w}}|{{w}} of "
            f"{{a}}|"
            f"(and |)(as for |){{a}}(,|:) ({made})|(what|which) {{w}} 's {{a}}|(what is|what's) {{a}}, {{w}} wise|"
            f"(what|which) {{w}} (has|"
            f"does) {{a}} (got|have)|(is|'s) {{a}} {{v}}|{{a}}(,|:|;) (is (that|it) |){{v}}|(what|which) {{w}} "
            f"would (you|one) say {{a}} (is|has)|"
            f"(what|which) is the {{w}} of {{a}}|{{v}}(,|:|;) (what|which) is {{a}}|(I|we) (forget|forgot|wonder "
            f"about|can not see)(,| -|:) what {{w}} "
            f"(is|was) {{a}}( again|)",
            a=thing, w=word, v=self.pick(*values),
        )  # fmt: skip

    def _the_other(self, attribute: str, other: Call) -> str:
        """ "And the other chair, what's that made of?"."""
        one, among = other.args
        if one != IT and one != Call("only", (Call("touched", (among,)),)):
            thing = self.fill(
                "the {h} (other than|that is not|besides|apart from) {a}",
                h=self.head(among, False),
                a=self.thing(one),
            )
            return self._seen_on(attribute, thing)
        thing = self.fill("the (other|second|other|remaining|untouched|other) {h}", h=self.head(among, False))
        if one != IT:
            thing = again(thing, among, one.args[0].args[0])
        if self.chance(0.4):
            return self._seen_on(attribute, thing)
        return self.fill(
            "(and |)what about {a}(, |: |; )(what|which) {w} (is|has) (it|that)|(and |)(what|which) {w} (is|does|"
            "has) {a}( have|)|"
            "(and |)(in|of) (what|which) {w} is {a}|{a} is (in |)(what|which) {w}",
            a=thing, w=self.fill(LOOKS[attribute]),
        )  # fmt: skip

    def _bearer(self, one: Call) -> str:
        """What a thing rests on, in words."""
        return self.fill(
            "(the (thing|piece of furniture|object) (that has {a} on it|that {a} (is|stands|lies|sits|rests|was "
            "put|was placed) on|"
            "under {a}|that (holds|carries|supports|bears) {a}|on which {a} (stands|lies|is|sits|rests)|(below|"
            "beneath|underneath) {a}|"
            "with {a} on (it|top))|what {a} (is|stands|lies|sits|was put) on|whatever (carries|holds) {a})",
            a=self.thing(one),
        )

    def _past(self, attribute: str, one: Call) -> str:
        """ "What colour was the old one?"."""
        word = self.fill(LOOKS[attribute])
        if one == IT:
            old = self.pick("old", "former", "previous", "original", "first")
            thing = self.fill(
                "(the {o} one|the one (before|that was there before|they took away|that is gone|we had|that used "
                "to be there)|it|it|that)",
                o=old,
            )
        else:
            thing = self.fill("(|the (old|former|previous|original) {h}|the {h} (that was there|we had before|from before)|{a})",
                h=self.head(one.args[0], False), a=self.thing(one)) or self.thing(one)  # fmt: skip
        before = self.fill(
            "(|||before|originally|once|at first|before the change|back then|previously|until then)"
        )
        if attribute == "material" and self.chance(0.4):
            return self.fill("what (was|had been) {a} made (of|from|out of) {b}", a=thing, b=before)
        return self.fill(
            "(what|which) {w} (was|did|had) {a} {b}|what (was|used to be|had been) the {w} of {a} {b}|(in |of "
            ")(what|which) {w} was {a} {b}|"
            "{a} (was|had been|used to be) (what|which) {w} {b}|(what|which) {w} did {a} (have|use to have|use to "
            "be) {b}",
            a=thing, w=word, b=before,
        )  # fmt: skip

    def _most(self, op: str, among: Call) -> str:
        seen = self.fill(
            "(that you can see|in here|you can see|around|in sight|in the whole room|here|of all|there is|that we "
            "have|in this place)"
        )
        if among == ANY and self.chance(0.4):
            one = self.fill("(thing|object|item|piece of furniture)")
            return self.fill(
                "(what is|what's|what would be|which is|name|tell me|show me|point out) the {w} {o}( {s}|)|of "
                "everything {s}, what is (the |){w}|"
                "(what|which {o}) {s} is (the |){w}",
                w=self.fill(MOST[op]), o=one, s=seen,
            )  # fmt: skip
        return super()._most(op, among)

    # --- names ------------------------------------------------------------------------------------------------------

    def _that_one(self, among: Call) -> str:
        op, args = among.op, among.args
        if op == "usable" and args[1] == ANY and self.chance(0.55):
            return self.used_for(args[0])
        if op == "obstacles" and self.chance(0.65):
            return self._met(*args)
        if op == "other" and args[1].op in ("upon", "having", "beside", "usable", "side"):
            return self._what_else(*args)
        if op == "same":
            return self._same_look(*args)
        if op == "upon" and args[1] == ANY and self.chance(0.25):
            return self.fill(
                "is (there |)(something|anything) (lying |standing |)(on|on top of) {a}, and (if so, |)what( is it|)|"
                "(what|which thing) (has|does) {a} (have |got |carry |hold )(on it|on top|)|{a} has what on it",
                a=self.thing(args[0]),
            )
        return super()._that_one(among)

    def _supporting(self, one: Call) -> str:
        if one.op == "only" and one.args[0].op == "usable" and self.chance(0.6):
            do, _ = self.doing(one.args[0].args[0])
            return self.fill(
                "on (what|which piece of furniture|which thing) (do|can|could|would|will) (I|you|one|we) find "
                "(something|the thing|"
                "what I need|what one needs) to {do}|(what|which piece of furniture) (holds|carries|supports) (the "
                "thing to|something to|"
                "what one uses to) {do}|what (is|stands|lies) (the thing to|what one uses to) {do} on",
                do=do,
            )
        return super()._supporting(one)

    def _what_else(self, one: Call, among: Call) -> str:
        op, args = among.op, among.args
        inner = args[-1]
        what = (
            self.fill(ELSE)
            if inner == ANY
            else self.fill("(what|which) other {h}", h=self.head(inner, False))
        )
        if op == "having":
            text = self.fill(
                "{w} (in here |in the room |here |)(is|'s|looks|would be|comes in|happens to be) {v}|{w} {v} (is "
                "there|do we have|is in the room)",
                w=what, v=mark(args[1], self.value(args[1])),
            )  # fmt: skip
        elif op == "usable":
            do, with_ = self.doing(args[0])
            text = self.fill("{w} (can|could|might) (I|one|you|we) {do} {on}|{w} (is there|do we have|is left) to {do} {on}",
                w=what, do=do, on=with_)  # fmt: skip
        else:
            if op == "side":
                place = self.side(args[0])
            elif args[0] == Call("support", (IT,)):
                place = self.fill(
                    "(on there|there|on it|next to it there|up there|on the same thing|where it is)"
                )
            else:
                place = self._place_of(among)
            text = self.fill(
                "{w} (is|'s|would be|stands|lies|sits|can be found|do you (see|find)|would be standing|is lying|is "
                "standing|rests|"
                "is there|has been put) {p}|{p}, {w} (is there|do you find|can you see)",
                w=what, p=place,
            )  # fmt: skip
        if one == IT and op == "upon" and self.chance(0.7):
            return text
        but = self.fill(
            "(apart from|besides|other than|except|except for|not counting|in addition to|aside from) {a}",
            a=self.thing(one),
        )
        return self.fill("{b}(,|) {t}|{t}(,|) {b}", b=but, t=text)

    def _same_look(self, attribute: str, like: Call, among: Call) -> str:
        word = self.fill(f"({LIKE[attribute]})")
        what = (
            self.fill(ELSE)
            if among == ANY
            else self.fill("(what|which) other {h}", h=self.head(among, False))
        )
        if self.chance(0.4):
            what = (
                self.fill(WHICH) if among == ANY else self.fill("(what|which) {h}", h=self.head(among, False))
            )
        return self.fill(
            "{w} (in here |in the room |)(has|has got|shares|comes in|is of|is in) (the same|that same|that very|"
            "exactly the same|"
            "the very same) {k} (as|with|like) {a}|{w} (shares|has|matches|matches in) the {k} (of|with) {a}|{w} "
            "(matches|goes with) {a} "
            "in {k}|{w} is (the same|of the same) {k} as {a}|(like {a}, |just like {a}, ){w} has (that|the same|"
            "this) {k}",
            w=what, k=word, a=self.thing(like),
        )  # fmt: skip

    # --- ways -------------------------------------------------------------------------------------------------------

    def _ends(self, first: Call, second: Call) -> tuple[str, str]:
        """ "from the bed to the door", "between the bed and the door"."""
        if first == second:  # the two of a kind
            kinds = self.head(first.args[0], True)
            one = again("", first, second)
            kind = self.head(first.args[0], False)
            return (
                self.fill(
                    "from (one {k} to the other|one of the {ks} to the other|the one {k} to the other)",
                    k=kind,
                    ks=kinds,
                )
                + one,
                self.fill("between (the two|both|the|the two) {ks}", ks=kinds) + one,
            )
        a, b = self.thing(first), self.thing(second)
        return (
            self.fill("from {a} (to|to|over to|across to|up to|towards) {b}", a=a, b=b),
            self.fill("between {a} and {b}", a=a, b=b),
        )

    def _met(self, first: Call, second: Call) -> str:
        """What one meets on a straight way."""
        way, gap = self._ends(first, second)
        return self._ways(
            "({w} (must|would|do|will|should|could|might|shall) {who} (have to |) {meet}|{w} (is|stands|lies|would "
            "be|will be|gets|would stand) "
            "(right |) in (the|my|your|one's|his|their) way|{w} (blocks|would block|stops|would stop) {them}|{w} "
            "(do|must|would) {who} need to "
            "{meet}|what would {who} {meet}|what is there to {meet})",
            "{w} (is|stands|lies|stood|would be|'s standing|'s|sits|is found|is located|is placed) (on|in|right in|"
            "right on|in the middle of|across|along) the "
            f"{LINE} ({{way}}|{{gap}})",
            way, gap,
        )  # fmt: skip

    def _blocked(self, among: Call) -> str:
        if self.chance(0.4):
            return super()._blocked(among)
        way, gap = self._ends(*among.args)
        return self._ways(
            "((would|do|will|should|must|could|might) {who} (have to |need to |) {meet} (something|anything|an "
            "obstacle|anything at all|any object)|"
            "(is|would) (there be |there |)(something|anything|an obstacle|any object) (be |)in (the|my|your|"
            "one's) way|(does|would|will) "
            "(something|anything) (stop|block|be blocking|stand in front of|get in the way of) {them}|(is|would) "
            "{them} (be |)(blocked|"
            "stopped|obstructed)( by something| by anything|)|is there (something|anything) to {meet})",
            "(is|does|would|stands|lies|is there) (something|anything|any object|an obstacle|something or other) "
            "(stand |be |lie |standing |lying |placed |)(on|"
            f"in|right in|right on|in the middle of|across) the {LINE} ({{way}}|{{gap}})|is the {LINE} ({{way}}|"
            f"{{gap}}) (blocked|obstructed|"
            "occupied|barred|taken)( by something| by anything|)",
            way, gap,
        )  # fmt: skip

    def _ways(self, asked: str, placed: str, way: str, gap: str) -> str:
        who = self.fill(WHO)
        them = self.fill("(me|you|one|somebody|us|a robot vacuum)")
        meet = self.fill(self.pick(MEET, ROUND))
        straight = self.fill(STRAIGHT)
        ask = self.fill(asked, w=self.fill(WHICH), who=who, meet=meet, them=them)
        if self.chance(0.3):
            return self.fill(placed, w=self.fill(WHICH), way=way, gap=gap)
        going = self.fill(
            f"({GOING} {{s}} {{way}}|{GOING} {{way}} {{s}}|when (I |you |){GO} {{s}} {{way}}|if {who} {GO} {{s}} "
            f"{{way}}|{GO} {{s}} "
            f"{{way}} and|on the {LINE} {{way}}|(to get|getting|to go|in order to get) {{s}} {{way}}|{GO} {{way}} "
            f"{{s}} and|on (my|your|the) way {{s}} "
            f"{{way}}|suppose {who} {GO} {{s}} {{way}})",
            s=straight, way=way,
        )  # fmt: skip
        if going.endswith(" and"):
            return f"{going} {ask}" if self.chance(0.5) else f"{going.removesuffix(' and')}, {ask}"
        return self.fill("{g}(,|,|:|) {k}|{k} {g}|{k} {g}", g=going, k=ask)

    def _exist(self, among: Call) -> str:
        op, args = among.op, among.args
        if op == "touched" and args[0].op == "obstacles":
            way, gap = self._ends(*args[0].args)
            return self.fill(
                "(is|would|will|does|did) (it|it|that|this|the new one|the thing) (now |be |stand |lie |get |) "
                "(right |)in (the|my|your|one's|anybody's) "
                "way (of (somebody|someone|anyone|a person) |)(going|walking|when going|if I walk|if one goes|when "
                "walking) (straight|"
                "directly|in a straight line|) {w}|(does|would) (it|that|this) (block|obstruct|stand on|lie on|"
                "bar) the {l} ({w}|{g})|"
                "(is|stands) (it|that) (on|in|across) the {l} ({w}|{g})|(is|would) the {l} ({w}|{g}) (be |)blocked "
                "by (it|that)|"
                "(do|would|must) I (have to |)(walk|step|get|go) around it (going|to get) (straight |){w}",
                w=way, g=gap, l=self.fill(LINE),
            )  # fmt: skip
        if op == "usable" and args[1] == ANY and self.chance(0.55):
            return self.any_used_for(args[0])
        return super()._exist(among)

    def _count(self, among: Call) -> str:
        kind = [part for part in among.calls() if part.op == "all"][-1]
        if among.op in ("all", "having") and hangs(str(kind.args[0])) and self.chance(0.3):
            return self.fill(
                "how many {h} (are|hang|are hanging|are there|do you see|can be seen) on the walls( altogether|)|"
                "how many {h} "
                "(are up|hang here|are fixed to the walls)|(what is|what's) the number of {h} on the walls",
                h=self.head(among, True),
            )
        if among.op == "upon" and self.chance(0.25):
            head, thing = self.head(among.args[1], True), self.thing(among.args[0])
            return self.fill(
                "what (is|'s|would be) the (number|total|total number) of {h} (it has on it, {a}|{a} has on it|{a} "
                "carries|on top of {a})|"
                "how many {h} (does|do|would) {a} have (on it|on top|standing on it|lying on it|on it in total)|"
                "(in total|altogether|all in "
                "all)(,|) how many {h} are on {a}|{a}(:|,) how many {h} (are on it|does it carry|has it got on it)|"
                "how many {h} (does that make|"
                "would that be|is that|is it|would it make) on {a} (in total|altogether|in all|)",
                h=head, a=thing,
            )  # fmt: skip
        if among.op == "other" and self.chance(0.5):
            one, inner = among.args
            head, thing = self.head(inner, True), self.thing(one)
            return self.fill(
                "how many {h} (are there|have we got|do we have|are in here|does the room have|can you count)(,|) "
                "(leaving {a} out of it|"
                "leaving out {a}|if you leave out {a}|not including {a}|minus {a}|if we ignore {a}|without "
                "counting {a}|{a} aside|"
                "if {a} does not count|not counting {a}|ignoring {a})|(leaving {a} out of it|leaving out {a}|not "
                "including {a}|ignoring {a}|"
                "besides {a}|apart from {a}|{a} aside|next to {a}), how many (other |more |){h} (are there|have we "
                "got|do we have|"
                "remain|are left)|how many other {h} (are there|have we got|do we have)(| besides {a}| apart from "
                "{a})",
                h=head, a=thing,
            )  # fmt: skip
        return super()._count(among)
