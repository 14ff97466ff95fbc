"""Questions about sets: how many, is there any, are there more, does it fit, is it closer than before."""

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.phrases import ASKS, NEEDS, NEXT_TO, USES
from po3d.language.say.rooms.speaker import Speaker, article
from po3d.language.say.rooms.utterance import again, mark

ANY = Call("all", ("object",))


class SetQuestions(Speaker):
    def _count(self, among: Call) -> str:
        if among.op in ("upon", "having", "beside", "usable") and self.chance(0.5):
            return self._count_of(among)
        if among.op == "either" and self.chance(0.6):
            a, b = self.head(among.args[0], True), self.head(among.args[1], True)
            return self.fill("how many {a} and {b} (are there|do we have|does the room have|"
                "are in the room) (in total|together|altogether|taken together|combined)|"
                             "how many {a} plus how many {b}, in total|"
                             "counting {a} and {b} together, how many are there", a=a, b=b)  # fmt: skip
        head = self.head(among, True)
        return self.fill(
            "how many {h} (are there|are there in the room|are in the room|does the room have|can be found|"
            "remain|are left|do we have|are still there|are there in total|do you count|"
            "does that leave|will be left|can you see|are there altogether|does that make|would there be|"
            "do you see in here|are still in the room|do I have|can I count|are to be found|"
            "have we got|will there be|would remain|would be left|stay|are around|does the room still have|"
            "does it leave us with|will I find|exist|do I see|are present|would I count|"
            "are we left with|have remained|can one find in the room|could you find)|how many {h} (|in all|"
            "all together)|"
            "what (is|'s|would be|will be) the (number|count|total|total number|current count|"
            "current number|new number|amount|quantity) of {h}|count (the|all|all the|) {h}|"
            "that (makes|leaves|leaves us with) how many {h}|counting (everything|"
            "them all), how many {h} are there|(give|tell) me the number of {h}|the number of {h} is (what|"
            "now what)|"
            "how many (of the|) {h} are (left|there|still there|around|remaining)|"
            "how high is the number of {h}|there are how many {h}|the total of {h} (is|would be)",
            h=head,
        )

    def _count_of(self, among: Call) -> str:
        """ "How many things does the desk carry?", "How many doors stand open?"."""
        *where, kind = among.args
        if among.op == "usable":
            use, head = self.fill(USES[where[0]]), self.head(kind, True)
            return self.fill(
                "how many {h} (in here|in the room|) (can be used|could be used|are there|can I use|"
                "could I use|do we have|are meant|serve) {u}|"
                "how many {h} (can|could) (you|I|one) use {u}|how many {h} {u} (are there|are left|"
                "do we have|does the room offer|remain|does the room have|are still here)|"
                "how many (choices|options|ways) (are there|do we have|do I have) {u}"
                + ("|how many (people|guests|persons) (could|can) (still |)(sit|sit down)(| in here|"
                    ", one per seat| on their own seat)|how many people find a seat (in here|)" if where[0] ==
                        "sitting" else ""),
                h=head, u=use,
            )  # fmt: skip
        head = self.head(kind, True)
        if among.op in ("upon", "beside"):
            thing = self.thing(where[0])
            left = "what is left" if kind == ANY else f"the {head} left"
            if among.op == "beside":
                return self.fill("how many {h} (are|stand|are there|do you find|can be found|are placed|"
                    "are standing) " + NEXT_TO + " {a}|how many {h} does {a} have (next to|beside|near) it", h=head, a=thing)  # fmt: skip
            return self.fill(
                "how many {h} (does {a} (carry|hold|support|have on it|have on top|bear)|are (still |now |"
                "left |)(left on|on|lying on|on top of|standing on|resting on|sitting on|placed on|"
                "stacked on) {a}|"
                "do you (see|find|count) on {a}|(lie|sit|rest|stand|remain|stay) on {a}|(are there|"
                "will there be|can be found) on (top of |){a})|count {left} on (top of |){a}|"
                "(that leaves|that makes|leaving|so there are) how many {h} on {a}|"
                "how many {h} does that (leave|make) on {a}|how many {h} (are on|does that make on) {a} in total|"
                "what is the number of {h} on {a}|(on top of|on) {a}, how many {h} (are there|are left|"
                "remain|do you see)|how many {h} (were|are|will be) left on {a}|"
                "{a} (carries|holds|has) how many {h}|how (crowded|full) is {a}, I mean how many {h} are on it",
                h=head, a=thing, left=left,
            )  # fmt: skip
        word = mark(where[1], self.value(where[1]))
        turned = self.pick("switched ", "turned ", "") if where[1] in ("on", "off") else ""
        if kind == ANY and self.chance(0.3):
            head = self.pick("of them", "objects", "things", "of the things in here", "items")
        return self.fill(
            f"how many {{h}} (are|are still|are now|stand|remain|stay|would be|will be|happen to be|look|"
            f"count as|are left) {turned}{{w}}( in there| in here| in the room|)|"
            f"how many {{w}} {{h}} does that (leave us with|leave|make|give)|"
            f"how many {{h}} are there (that are|which are) {turned}{{w}}|how many {{w}} {{h}} (are left|"
            f"are there|remain|do you count|do we have|can you see)|how many (of the|of all the|"
            f"out of all the) {{h}} are {turned}{{w}}|"
            f"(counting|of|out of|looking at|among) all (the |){{h}}, how many (are|"
            f"are still) {turned}{{w}}|how many {{h}} (are|do you count that are|"
            f"can you see that are) (still |){turned}{{w}}|"
            f"(counting|looking at) everything( in the room|), how many {{h}} (are|stand|"
            f"are still) {turned}{{w}}",
            h=head, w=word,
        )  # fmt: skip

    def _exist(self, among: Call) -> str:
        if among.op == "obstacles":
            return self._blocked(among)
        if among.op == "toward" and among.args[2].op == "just":
            direction, start, goal = among.args
            return self.fill(
                "(is|is now|would|will) {b} (located |placed |standing |positioned |be |){d} {a}|(does|"
                "would) {b} (stand|lie|end up|sit) {d} {a}|"
                "(is it true|is it right|is it the case|would you say) that {b} is {d} {a}|"
                "is {b} to be found {d} {a}|{b} is {d} {a}, (right|correct|true|yes or no)|"
                "do you find {b} {d} {a}",
                b=self.thing(goal), a=self.thing(start), d=self.toward(direction),
            )  # fmt: skip
        if among.op in ("upon", "beneath", "having", "usable", "beside", "between", "toward") and self.chance(
            0.55
        ):
            return self._is_any(among)
        head, heads = self.head(among, False), self.head(among, True)
        return self.fill(
            "(is|was) there (a|any|still a|still any|at least one|already a|even one|"
            "a single) {h}( in here| in the room|)|(does|will) the room (still |)(have|contain|hold) (a|"
            "any) {h}|can (you|I|one) (find|see|spot) (a|any) {h}|"
            "do (you|I|we) (still |)(see|have|find) (a|any) {h}|is any {h} (there|left|around)|"
            "are there (any|still|still any|any more) {hs}( left| in here| in the room|)|would (you|"
            "I) (find|see) (a|any) {h}|"
            "do any {hs} remain|have we (still |)got (a|any) {h}|would you say there is (a|any) {h}|"
            "is it true that there is (a|still a) {h}|(are any|any) {hs} left|will there be (a|any) {h} (left|)|"
            "(does|did) any {h} remain|would you say there's {ah}",
            h=head, hs=heads, ah=article(head),
        ).replace(f"a {head}", article(head))  # fmt: skip

    def _blocked(self, among: Call) -> str:
        a, b = self.thing(among.args[0]), self.thing(among.args[1])
        return self.fill(
            "(is|would|will) the (direct|straight|shortest|straight line) (path|way|line|"
            "route) (from {a} to {b}|between {a} and {b}) (be |)(blocked|obstructed|"
            "barred)( by any objects| by anything| by an object| by something|)|"
            "is (there |)(anything|something|any obstacle|any object|an obstacle) (in the way|standing|"
            "in the direct path|on the direct path|on the straight line|on the way) (between {a} and {b}|"
            "from {a} to {b})|"
            "(does|would|will) (anything|something|any object|any furniture) (block|obstruct|stand in|"
            "be in|get in) (the |)(straight line|way|direct path|direct line|path) (between {a} and {b}|"
            "from {a} to {b})|"
            "(would|will) (anything|something) be in (your|my|the) way (if|when) (you|I) (walk|"
            "go) straight from {a} to {b}|is (anything|something|any object) (blocking|"
            "obstructing) the (straight |direct |)(line|path|way|route) (between {a} and {b}|from {a} to {b})|"
            "if (you|I|one) (walk|walked|go|went) (straight|directly|"
            "in a straight line) from {a} to {b}, (will|would|do) (you|I|one) (still |)(bump into|run into|"
            "hit|meet|collide with|trip over) (something|anything)|"
            "(walking|going) (in a straight line|straight|directly) from {a} to {b}, (would|do|will) (you|"
            "I) (run into|bump into|hit) (something|anything)|(would|does|will) (something|"
            "anything) stop me from (walking|going) straight from {a} to {b}|"
            "do (you|I) (bump into|hit|run into) (anything|something) (going|walking|when I go|"
            "when walking) (straight|directly) from {a} to {b}|are there any (objects|obstacles|"
            "things) (blocking|in|on) the (way|path|direct path) (from {a} to {b}|between {a} and {b})|"
            "can (something|anything) be found on the direct path from {a} to {b}|does (something|"
            "anything) stand (between {a} and {b} on the straight path|in the way between {a} and {b}|"
            "in the way from {a} to {b})|"
            "(would|do) (I|you) have to (walk|step|go) around (something|anything) (to get|"
            "on the way) from {a} to {b}",
            a=a, b=b,
        )  # fmt: skip

    def _is_any(self, among: Call) -> str:
        """ "Is anything left on the desk?", "Is there anything to sit on?", "Is anything still switched on?"."""
        *where, kind = among.args
        if among.op == "usable":
            use = self.fill(USES[where[0]])
            need = self.fill(f"({NEEDS[where[0]]}(;|,|.|:) |||)") if where[0] in NEEDS else ""
            return need + self.fill(
                "(is there|is there still|is there now|will there be) (anything|something) (here |in here |"
                "left |)({u}|that can be used {u}|one can use {u})|is there (any way|a way|anything|"
                "something) {u}( in this room| in here|)|"
                "(do|will) (we|I|you) (still |)have (something|anything) {u}|(can|could) (I|you|"
                "we) (still |)find (anything|something) {u}( in this room| in here|)|is (anything|"
                "something) (there|left) {u}|"
                "(can|could) (you|I|one|we|anybody) (still |)use (anything|something) (in here |)({u}|"
                "in this room {u})|does the room (still |)(have|offer) (anything|something) {u}|"
                "have we got (anything|something) {u}",
                u=use,
            )  # fmt: skip
        general = kind == ANY
        if among.op == "having":
            word = mark(where[1], self.value(where[1]))
            turned = self.pick("switched ", "turned ", "") if where[1] in ("on", "off") else ""
            noun = (
                self.pick("anything", "something", "any of it")
                if general
                else self.fill(
                    "(any {h}|a {h}|one of the {hs}|any of the {hs})",
                    h=self.head(kind, False),
                    hs=self.head(kind, True),
                )
            )
            plurals = self.head(kind, True)
            return self.fill(
                f"(is|is there) {{n}} (still |now |already |){turned}{{w}}( in here| in this room|"
                f" in the room|)|{{n}} (still |){turned}{{w}} in (this room|here)|"
                f"is there {{n}} that is (still |){turned}{{w}}|"
                f"do any of the {{hs}} (count as|look|remain|seem|stay) {{w}}|(are|will) any (of the |"
                f"){{hs}} (still |be |){turned}{{w}}|would you (still |)(call|say) {{n}} (is |){{w}}|"
                f"does {{n}} (remain|stay|look) {turned}{{w}}|"
                f"(is|would|are) the {{h}} (still |now |be |){turned}{{w}}|is it (still |now |"
                f"){turned}{{w}}, the {{h}}|would you (still |)call the {{h}} {{w}}|(can|do) you (see|find|"
                f"spot) {{n}} that is {turned}{{w}}|"
                f"do any of the {{hs}} still need (a hand|something), i.e. are {{w}}|"
                f"is the {{h}} {turned}{{w}} (or not|any more|by now|)",
                n=noun, w=word, hs=plurals, h=self.head(kind, False),
            )  # fmt: skip
        place = self._place_of(among)
        noun = (
            self.pick("anything", "something", "any object", "anything at all")
            if general
            else self.fill(
                "(any {h}|a {h}|one of the {hs})", h=self.head(kind, False), hs=self.head(kind, True)
            )
        )
        return self.fill(
            "is {n} (still |now |left |placed |standing |lying |){p}|is there (still |now |already |"
            "){n} (left |lying |standing |placed |){p}|(do|would|can) (you|I) (see|find|have) {n} {p}|"
            "(does|would) {n} (stand|lie|remain|sit) {p}|"
            "would you say there's {n} {p}|{n} left {p}|is {n} to be found {p}",
            n=noun, p=place,
        )  # fmt: skip

    def _place_of(self, among: Call) -> str:
        """Where the things of a set are: "on the desk", "between the bed and the door"."""
        op, args = among.op, among.args
        if op == "toward":
            return f"{self.toward(args[0])} {self.thing(args[1])}"
        if op == "between":
            return self.fill("(between|in between) {a} and {b}", a=self.thing(args[0]), b=self.thing(args[1]))
        words = {"upon": "(on|on top of)", "beneath": "(under|below|underneath|beneath)", "beside": NEXT_TO}[
            op
        ]
        return f"{self.fill(words)} {self.thing(args[0])}"

    def _more(self, first: Call, second: Call) -> str:
        if first.op == second.op == "upon" and first.args[1] == second.args[1]:
            a, b = self.thing(first.args[0]), self.thing(second.args[0])
            head = self.head(first.args[1], True)
            them = again("", first.args[1], second.args[1])
            return self.fill(
                "(are there|do you see|do we have) (still |now |)more {h} on {a} than on {b}{t}|"
                "does {a} (still |now |)(have|carry|hold) more {h} (on it |on top |)than {b}{t}|"
                "are more {h} on {a} than on {b}{t}|do more {h} (stand|lie|rest) on {a} than on {b}{t}|"
                "is the number of {h} on {a} larger than on {b}{t}",
                h=head, a=a, b=b, t=them,
            )  # fmt: skip
        return self.fill(
            "(are there|do we have|will there be|do you see|have we got) (still |now |)more {a} than {b}|"
            "does the room have more {a} than {b}|do (the |){a} outnumber (the |){b}|"
            "is the number of {a} (larger|higher|greater) than (the number|that) of {b}|"
            "are (the |){a} more numerous than (the |){b}|more {a} than {b}, (right|yes or no)",
            a=self.head(first, True), b=self.head(second, True),
        )  # fmt: skip

    def _fits(self, thing: Call, where: Call) -> str:
        a, b = self.thing(thing), self.thing(where)
        if not b.startswith(("where", "the place", "the spot", "the gap", "the space", "the hole", "its ")):
            b = self.fill(
                "(the |)(space|gap|hole|spot) (left|made free|left behind) by {b}|the (place|spot|space|"
                "former place|old spot) of {b}|"
                "the (area|place|spot|space|gap) where {b} (was|stood|used to be|had been)|the (space|"
                "place|area) (that |){b} (occupied|took up|leaves|left|filled)|"
                "the gap that {b} (leaves|left) behind|the room that {b} took up",
                b=b,
            )  # fmt: skip
        where_ = b.startswith("where")
        into = "" if where_ else self.fill("(in|into|in|in|within) ")
        options = (
            "(can|could|would|will|does|might) {a} (fit|be placed|fit well|be squeezed|have room|be put|"
            "stand|go|find room|find space) {i}{b}|(can|could) (you|I|we|one) (fit|squeeze|put|place|get|"
            "move) {a} {i}{b}|"
            "if (I|you|we) (put|placed|moved) {a} {i}{b}, (will|would|does) it fit|(I'd like|I want|"
            "we plan) to (put|place|move) {a} {i}{b}(.|;|:|,) (will|would|does) it fit|"
            "is {a} (small enough|not too big|too small or right) to (fit|go|be placed) {i}{b}|"
            "would there be (enough |)(space|room) for {a} {i}{b}|(is|will) there (be |)(enough |)(room|"
            "space) for {a} {i}{b}|"
            "{i}{b}, (would|could|can|does|will) {a} fit|do you think {a} (fits|would fit|will fit) {i}{b}|"
            "is there (enough|sufficient) (room|space) {i}{b} for {a}|(would|will) it be possible to (put|"
            "fit|place) {a} {i}{b}|"
            "suppose (I|we) (put|move) {a} {i}{b}: does it fit|{a} {i}{b}: does (it|that) fit"
        )
        if not where_:
            options += "|is {b} (large|big|wide) enough (for {a}|to hold {a}|to take {a})|"
            options += "(does|would) {b} have room for {a}|(does|would|can) {b} (accommodate|take|hold) {a}"
        return self.fill(options, a=a, b=b, i=into)

    def _closer_now(self, first: Call, second: Call) -> str:
        return self.fill(
            "(is|will|would) {a} (be |)(now |)(closer to|nearer to|nearer) {b} (than before|"
            "than it was before|than it used to be|than it was before the change|than earlier|now|"
            "than previously|than it was|)|"
            "(did|does) {a} (get|come|move|end up) (closer|nearer) to {b}( than before|)|has {a} (come|"
            "moved|got|gotten) (closer|nearer) to {b}|"
            "is the distance (from {a} to {b}|between {a} and {b}) (shorter|smaller|less) (than before|now|"
            "than it was)|(does|did) (that|this|the change) (bring|take|get|move) {a} (any |)(closer|"
            "nearer) to {b}|"
            "is {a} less far from {b} than (it used to be|before)|are {a} and {b} (closer together|"
            "closer to each other|nearer to each other) (than before|now)|(did|"
            "has) the distance between {a} and {b} (shrink|become shorter|decrease|get smaller)|"
            "compared to before, is {a} (closer|nearer) to {b}",
            a=self.thing(first), b=self.thing(second),
        )  # fmt: skip

    def _kinds(self, attribute: str, among: Call) -> str:
        words = {"color": "(colors|colours|colors)", "material": "materials", "state": "(states|conditions)"}[
            attribute
        ]
        return self.fill(
            f"how many (different|distinct|various|) {words} (of {{h}} are there|do the {{h}} have|"
            f"of {{h}} (are in the room|do you see)|can be found among the {{h}}|do (all |)the {{h}} come in)|"
            f"what is the number of (different|distinct) {words} (among|of) the {{h}}|"
            f"in how many (different |){words} do the {{h}} come|count the (different |){words} of the {{h}}",
            h=self.head(among, True),
        )

    def _asks(self, purpose: str) -> str:
        """A question after what serves a purpose."""
        need = self.fill(f"({NEEDS[purpose]}(;|,|.|:) |||)") if purpose in NEEDS else ""
        if purpose in ASKS and self.chance(0.35):
            return need + self.fill(f"({'|'.join(ASKS[purpose])})(| in here| in this room|)")
        use = self.fill(USES[purpose])
        return need + self.fill(
            "(what|which object|which item|what item|which thing|which piece of furniture|"
            "what object) (in the room |in here |here |)(can be used|could be used|may be used|can (you|I|"
            "we) use|could (one|I|you) use|is used|is|is meant|serves|is good|is there|would you use|"
            "is suitable|would do|is made|is useful) {u}|"
            "(what|which thing) (can|could|would|should|shall) (I|you|we|one) use {u}|if I want (something|"
            ") {u}, what (is there|can I use|should I use)|what is there {u}|what would serve {u}|"
            "(name|tell me|show me|find) (the|an|some) (object|thing|item) {u}|(where|what) (should|would|"
            "can) I (turn to|go to|use) {u}|(to|for) (what|which object) (should|would) I turn {u}|"
            "I (want|would like|'d like|need) (something |){u}(;|,|.|:) what (can I use|is there|"
            "could I use|would you suggest|do I take)|what do (we|I|you) have {u}",
            u=use,
        )  # fmt: skip
