"""Sentences that describe changes of a room: moves, turns, swaps, removals and steps one after the other; what is said
about new looks and new things is in room_look_speaker."""

import re

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.look_speaker import LookSpeaker
from po3d.language.say.rooms.phrases import AFTERTHOUGHTS, FROM, OPENINGS, OUTSIDE, REASONS, TALK, TIMES, TOLD
from po3d.language.say.rooms.speaker import IT
from po3d.language.say.rooms.utterance import again, shortened
from po3d.scene.rooms import CATEGORIES, stands_on_top

TURNS = {
    "45": "(by |)45 degrees (clockwise|)|(by |)forty five degrees (clockwise|)|an eighth of a turn clockwise",
    "90": "through (90|ninety) degrees(,|) (clockwise|)( seen from above| looking down on it| if you look down|)|"
        "(by |)90 degrees (clockwise|)|(by |)ninety degrees (clockwise|)|(by |)a quarter turn (clockwise|"
        ")|clockwise by 90 degrees|to the right by 90 degrees|a quarter turn to the right",
    "180": "(by |)180 degrees|through (180|a hundred and eighty) degrees|(right |)around|(by |)half a turn|to face the (opposite|other) (direction|"
        "way)|the other way (round|around)|back to front|so that it faces the other way|completely round",
    "270": "through (90|ninety) degrees(,|) (counterclockwise|anticlockwise)( seen from above| looking down on it|)|"
        "(by |)90 degrees (counterclockwise|anticlockwise)|(by |)a quarter turn (counterclockwise|"
        "anticlockwise|to the left)|counterclockwise by 90 degrees|270 degrees (clockwise|)|"
        "to the left by 90 degrees",
}  # fmt: skip
# Past and base form of verbs that say where a thing goes; the first SHIFTS also go with a distance.
MOVES = (
    ("moved", "move"), ("moved", "move"), ("relocated", "relocate"), ("shifted", "shift"), ("repositioned",
        "reposition"),
    ("pushed", "push"), ("pulled", "pull"), ("dragged", "drag"), ("slid", "slide"), ("shoved", "shove"), (
        "rolled", "roll"),
    ("kicked", "kick"), ("nudged", "nudge"), ("scooted", "scoot"), ("carried", "carry"), ("brought", "bring"), (
        "transferred", "transfer"),
    ("hauled", "haul"), ("placed", "place"), ("put", "put"), ("set", "set"), ("laid", "lay"), ("stood",
        "stand"), ("taken", "take"),
    ("left", "leave"), ("tossed", "toss"), ("dropped", "drop"), ("parked", "park"), ("picked up and put",
        "pick up and put"),
    ("positioned", "position"), ("leaned", "lean"), ("thrown", "throw"), ("set down", "set down"), (
        "put down", "put down"), ("stuck", "stick"),
    ("rearranged", "rearrange"), ("carried over", "carry over"), ("given a new place", "give a new place to"), (
        "stored", "store"), ("lifted", "lift"),
)  # fmt: skip
SHIFTS = 16
ACTIVE = {"taken": "took", "given a new place": "gave a new place to", "thrown": "threw", "stolen": "stole",
    "thrown away": "threw away",
          "thrown out": "threw out", "taken away": "took away", "taken out": "took out", "given away":
              "gave away", "taken off": "took off"}  # fmt: skip
REMOVALS = (
    ("removed", "remove"), ("removed", "remove"), ("taken away", "take away"), ("thrown away", "throw away"), (
        "taken out", "take out"),
    ("discarded", "discard"), ("cleared away", "clear away"), ("cleared out", "clear out"), ("carried out",
        "carry out"),
    ("hauled away", "haul away"), ("thrown out", "throw out"), ("got rid of", "get rid of"), ("sold", "sell"), (
        "given away", "give away"),
    ("stolen", "steal"), ("moved out", "move out"), ("donated", "donate"), ("stored away", "store away"), (
        "disposed of", "dispose of"),
    ("carried away", "carry away"), ("picked up", "pick up"), ("eliminated", "eliminate"), ("put away",
        "put away"), ("lent", "lend"),
    ("cleared", "clear"), ("recycled", "recycle"), ("scrapped", "scrap"), ("carted off", "cart off"), (
        "packed up", "pack up"), ("dismantled", "dismantle"),
)  # fmt: skip
AMID = (
    "(between|in between|right between|to the space between|midway between|halfway between|"
    "half way between|right in between|to the spot between|"
    "into the gap between|so that it is (right |)(in |)between|in the middle between|exactly between|"
    "somewhere between)"
)
LENGTHS = {
    "0.3": "(30 (centimeters|cm|centimetres)|a foot|one foot|0.3 (meters|m))",
    "0.5": "(half a meter|half a metre|0.5 meters|0.5 m|50 centimeters|50 cm|50 centimetres|"
    "fifty centimeters|a half meter|half a meter)",
    "0.6": "(two feet|2 feet|60 cm|60 centimeters|0.6 m|2 ft)",
    "0.9": "(three feet|3 feet|a yard|one yard|90 cm|3 ft)",
    "1": "(1 meter|one meter|a meter|1 m|one metre|a metre|about one meter|100 cm|a full meter|"
    "one full metre|roughly a metre|1 metre)",
    "1.5": "(1.5 (meters|metres|m)|one and a half (meters|metres)|150 cm|a meter and a half|a metre and a half)",
    "2": "(2 (meters|metres|m)|two (meters|metres)|200 cm|a couple of meters)",
    "2.5": "(2.5 (meters|metres|m)|two and a half (meters|metres)|250 cm)",
    "3": "(3 (meters|metres|m)|three (meters|metres))",
}
WAYS = {
    "back": "(back|backward|backwards|towards the back|to the back|toward the rear|to the rear|"
    "toward the back of the room|further back|in the direction of the back wall)",
    "front": "(forward|to the front|forwards|towards the front|toward the front|further forward|"
    "to the front of the room|in the direction of the front|forward)",
    "left": "(to the left|to the left|left|towards the left|over to the left|leftward|further left|"
    "leftwards|to its left|in the left direction)",
    "right": "(to the right|to the right|right|towards the right|over to the right|rightward|further right|"
    "rightwards|to its right|in the right direction)",
}


class ChangeSpeaker(LookSpeaker):
    def say(self, program: Call) -> str:
        """The marked sentence of a numbered change program."""
        told = (
            self.fill(f"({TOLD})(,|) (and|so (I|we|they|she)|and then|and so I) ")
            if self.chance(0.05)
            else ""
        )
        self.nobody = bool(told)
        text = told + getattr(self, f"_{program.op}")(*program.args)
        roll = self.random.random() if not told else 1.0
        if roll < 0.13:
            text = f"{self.fill(OPENINGS)} {text}"
        elif roll < 0.19:
            text = f"{self.fill(REASONS)}, {text}"
        elif roll < 0.26:
            text = f"{text} {self.fill(TIMES)}"
        elif roll < 0.36:
            talk = self.fill(TALK)
            text = self.fill(
                "{talk}(;|,|.| -| and| and now|, and|, so|, so now|, that is why|.) {text}|(because|since|"
                "as|after|now that|when|the moment) {talk}, {text}|"
                "{text} (because|since|as|when|after) {talk}",
                talk=talk, text=text,
            )  # fmt: skip
        if self.chance(0.05):
            text = f"{text}{self.pick('.', ';', ' -', ',')} {self.fill(AFTERTHOUGHTS)}"
        return shortened(text + self.pick(".", ".", ".", ".", ",", "", "!", " ..."), self.random)

    def _then(self, first: Call, second: Call) -> str:
        if first.op == second.op == "remove":
            told = self._with_load(first.args[0], second.args[0])
            if told is not None:
                return told
        a = getattr(self, f"_{first.op}")(*first.args)
        self.nobody = self.nobody or self.chance(0.35)
        b = getattr(self, f"_{second.op}")(*second.args)
        return a + self.fill("( and |, and | and then | and also |, then | and after that |. then |. |; |"
            ", while |. in addition, |. after that |. also, | before )") + b \
            if not self._after(second) else f"{b} {self.pick('after', 'once')} {a}"  # fmt: skip

    def _after(self, second: Call) -> bool:
        """Whether the second step is told first; not when it speaks of "it"."""
        return self.chance(0.06) and IT not in second.calls()

    def _with_load(self, first: Call, second: Call) -> str | None:
        """ "The table was removed along with everything on it": first what is on it, then the thing itself."""
        if first.op != "upon" or second.op != "just" or first.args[0] != second.args[0]:
            return None
        thing = self.thing(second.args[0])
        it = again(self.pick("it", "it", "top of it"), second.args[0], first.args[0])
        what = (
            "everything"
            if first.args[1] == Call("all", ("object",))
            else f"the {self.head(first.args[1], True)}"
        )
        load = self.fill("({w} on|{w} that (was|stood) on|{w} standing on) {it}", w=what, it=it)
        past, base = REMOVALS[int(self.random.integers(len(REMOVALS)))]
        return self.fill(
            "{a} (was|has been|got|is) {past} (along with|together with|with|and so was|including) {load}|"
            "{who} {active} {a} (and|along with|together with|with) {load}|"
            "{a} is gone,? (and so is|along with|with) {load}|{base} {a} (and|along with|"
            "together with) {load}|{a} and {load} (were|have been|are) {past}",
            a=thing, past=past, base=base, load=load, who=self._who(), active=ACTIVE.get(past, past),
        ).replace(",?", self.pick(",", ""))  # fmt: skip

    def _passive(self, what: Call, past: str, base: str, tail: str) -> str:
        """ "The chair has been moved ...", "someone moved the chair ...", "move the chair ..."."""
        subject, many = self.group(what)
        tail = f" {tail}" if tail else ""
        have, be, was = ("have", "are", "were") if many else ("has", "is", "was")
        pronoun = ("they", "them") if many else ("it", "it")
        both = f"|{have} both been|{was} both|both got" if what.op == "pair" else ""
        been = self.fill(
            f"({have} been|{was}|{have} been|{was}|{be}|{be} now|got|{have} just been|"
            f"{was} just|{be} being|{have} now been{both})"
        )
        active = ACTIVE.get(past, past)
        roll = self.random.random()
        if roll < 0.52:
            return f"{subject} {been} {past}{tail}"
        if roll < 0.6:  # the thing first, then what became of it
            return self.fill(
                "({s}? {it} {been} {past}{t}|{s}: {past}{t}|(as for|regarding|about|look at|take|you know|"
                "remember) {s}(,|:|.|?) {it} {been} {past}{t}|{s}, {it} {been} {past}{t})",
                s=subject, it=pronoun[0], been=been, past=past, t=tail,
            )  # fmt: skip
        if roll < 0.84:
            who = self._who()
            form = self.fill("(|||has |have |just |already )")
            if form in ("has ", "have "):
                active = past
            if self.chance(0.18):
                plan = self.fill(
                    "decided to|wanted to|had to|managed to|will|is going to|would like to|plans to|would|did|tries to|chose to"
                )
                return f"{who} {plan} {base} {subject}{tail}"
            if self.chance(0.06):
                return f"{who} grabbed {subject} and {active} {pronoun[1]}{tail}"
            if past == "got rid of" and form:
                form = ""
            return f"{who} {form}{active} {subject}{tail}"
        if roll < 0.92:
            return self.fill("(|||please |if you |if I |if we |let's |let us |I |we |you |now |go and |"
                "could you |I'd like to |you should |can you |we should |try to |I will |I want you to )") + f"{base} {subject}{tail}"  # fmt: skip
        ing = _ing(base)
        if roll < 0.96:
            return f"{self.fill('(after|by|imagine|picture|suppose|think of|consider|what about|how about)')} {ing} {subject}{tail}"
        return f"{self.fill('(what if|imagine|suppose|say|if)')} {subject} {'were' if many else 'was'} {past}{tail}"

    def _move(self, what: Call, where: Call) -> str:
        if where.op == "shift":
            past, base = MOVES[int(self.random.integers(SHIFTS))]
            return self._passive(what, past, base, self.place(where))
        small = _small(what)
        source = ""
        if self.chance(0.08):
            nouns = [n for n in CATEGORIES if n != "door"]
            source = self.fill(FROM, noun=nouns[int(self.random.integers(len(nouns)))]) + self.pick(
                " ", " ", " and "
            )
        if self.chance(0.2):
            return self._stands(what, self.place(where, small))
        past, base = MOVES[int(self.random.integers(len(MOVES)))]
        if source.endswith(" and "):
            subject, many = self.group(what)
            it = "them" if many else "it"
            first, then_ = self.pick(("take", "put"), ("pick", "place"), ("lift", "set"), ("move", "leave"))
            said = {
                "take": "took",
                "pick": "picked",
                "lift": "lifted",
                "move": "moved",
                "put": "put",
                "place": "placed",
                "set": "set",
                "leave": "left",
            }
            place = self.place(where, small)
            source = source.removesuffix(" and ")
            up = " up" if first == "pick" else ""
            return self.fill(
                "{first} {s}{up} {source} and {then} {it} {place}|"
                "{who} {did}{up} {s} {source} and {put} {it} {place}|"
                "{s} (was|has been|were) {done}{up} {source} and {put} {place}",
                first=first, then=then_, s=subject, source=source, it=it, place=place, who=self._who(), did=said[first], put=said[then_], up=up,
                done="taken" if first == "take" else said[first],
            )  # fmt: skip
        over = (
            self.pick("", "", "", "over ", "back ") if where.op in ("next_to", "at", "corner", "wall") else ""
        )
        return self._passive(what, past, base, source + over + self.place(where, small))

    def _stands(self, what: Call, place: str) -> str:
        """ "The chair now stands next to the bed", "the new place of the chair is next to the bed"."""
        subject, many = self.group(what)
        s = "" if many else "s"
        have, be = ("have", "are") if many else ("has", "is")
        return self.fill(
            f"({{a}} (now |)(stand{s}|sit{s}|rest{s}|hang{s}|live{s}|belong{s}|end{s} up|"
            f"go{'' if many else 'es'}|{'lie' if many else 'lies'}) {{p}}( now|)|"
            f"{{a}} (ended up|landed|went|goes|{have} ended up|{have} moved|moved|{have} gone|will go|"
            f"will stand|{be} now|{be} now standing|{be} now sitting|travelled) {{p}}|"
            f"{{a}} (found|{have} found|got|{have} got|was given|received) a new (home|place|spot|"
            f"position) {{p}}|"
            f"the new (home|place|spot|position|location) of {{a}} is {{p}}|{{p}} (is|stands|sits|"
            f"you find) {{a}} now|"
            f"{{a}} {be} no longer where (it was|they were|it used to be) but {{p}}|"
            f"we now find {{a}} {{p}}|you will find {{a}} {{p}} now|"
            f"{{a}} {have} (a new home|its new place) {{p}}|{{a}} (should|could|might) (stand|go|be) {{p}}|"
            f"I want {{a}} (to stand|to be|to go|) {{p}})",
            a=subject, p=place,
        )  # fmt: skip

    def place(self, where: Call, small: bool = False) -> str:
        """Where something goes; `small` things are brought "over to" a table and so put on it."""
        op, args = where.op, where.args
        to = self.pick("", "", "to ")
        if op == "next_to":
            near = (
                "closer to|to the side of|so that it is next to|within reach of|right up to|side by side with|"
                "up against|to a spot near|as close as possible to|near"
            )
            if not small and self.chance(0.25):
                return f"{self.pick('to', 'over to', 'over to', 'across to', 'up to')} {self.thing(args[0])}"
            return f"{self.next_to() if self.chance(0.75) else self.fill(near)} {self.thing(args[0])}"
        if op == "on":
            if self.chance(0.05):
                noun = tuple(CATEGORIES)[int(self.random.integers(len(CATEGORIES)))]
                return (
                    f"{self.pick('beside', 'next to', 'near', 'behind')} the {noun}, on {self.thing(args[0])}"
                )
            if self.chance(0.05):
                noun = tuple(CATEGORIES)[int(self.random.integers(len(CATEGORIES)))]
                near = self.pick(
                    "beside", "next to", "near", "behind", "to the left of", "right by", "in front of"
                )
                return f"{self.pick('on', 'on top of', 'onto')} {self.thing(args[0])}, {near} the {noun}"
            if small and self.chance(0.25):
                return f"{self.pick('to', 'over to', 'over to', 'across to')} {self.thing(args[0])}"
            return self.fill(
                "(on|on|onto|on top of|onto the top of|to the top of|up on|up onto|over onto|"
                "upon|atop|on to) "
            ) + self.thing(args[0])
        if op == "under":
            return self.fill(
                "(under|underneath|below|beneath|directly below|directly under|right under|in under) "
            ) + self.thing(args[0])
        if op == "amid":
            return (
                f"{to}{self.fill(AMID)} {self.thing(args[0])} and {self.thing(args[1])}".replace(
                    "to so that", "so that"
                )
                .replace("to to", "to")
                .replace("to into", "into")
            )
        if op == "at":
            just = self.fill("(|||right |just |directly |immediately |so that it is |so it stands )")
            return f"{just}{self.toward(args[0])} {self.thing(args[1])}"
        if op == "corner":
            return self.fill(
                "(to|into|in|over in|over to) the {w} (corner|corner|corner of the room|corner of the scene)",
                w=self.corner(args[0]),
            )
        if op == "wall":
            word = self.pick("back", "rear") if args[0] == "back" else args[0]
            return self.fill(
                "(against|to|along|up to|up against|by|at|over to|next to|close to) the {w} wall|"
                "up against the wall at the {w}|(to|on|at|over to) the {w} side of the room|"
                "against the wall (on|at) the {w}|to the wall on the {w} (side|)",
                w=word,
            )
        if op == "centre":
            return self.fill(
                "(to|in|into|at|right in) the (center|middle|centre)(| of the room|"
                " of the room| of the scene| of the floor)"
            )
        if op == "spot":
            thing = self.thing(args[0])
            if args[0].op == "was":
                return thing if thing.startswith("where") else self.fill("(to|in|into) ") + thing
            return self.fill("to (where {a} (is|was|stands|stood)|the (position|spot|place) of {a})", a=thing)
        direction, metres = args
        return self.fill(
            "({l} {d}|{d} by {l}|by {l} {d}|{d} {l}|{l} {d}|some {l} {d})",
            l=self.fill(LENGTHS[metres]),
            d=self.fill(WAYS[direction]),
        )

    def _turn(self, what: Call, degrees: str) -> str:
        past, base = (("rotated", "rotate"), ("turned", "turn"), ("spun", "spin"), ("pivoted", "pivot"))[
            min(int(self.random.integers(6)) // 2, 3)
        ]
        return self._passive(what, past, base, self.fill(TURNS[degrees]))

    def _face(self, what: Call, goal: Call) -> str:
        past, base, tail = (
            ("turned", "turn", "to face"), ("rotated", "rotate", "to face"), ("turned", "turn",
                "(toward|towards)"), ("oriented", "orient", "towards"),
            ("rotated", "rotate", "so that it faces"), ("turned", "turn", "so that it (faces|looks at|"
                "looks towards)"), ("pointed", "point", "(at|towards)"),
            ("turned around", "turn around", "to look at"), ("rotated", "rotate", "towards"),
        )[int(self.random.integers(9))]  # fmt: skip
        return self._passive(what, past, base, f"{self.fill(tail)} {self.thing(goal)}")

    def _swap(self, first: Call, second: Call) -> str:
        return self.fill(
            "({a} and {b} (have |)(swapped|switched|exchanged|traded|changed) (places|positions|spots)|"
            "{a} (has been|was|got|is) (swapped|switched) with {b}|"
            "{a} (swapped|switched|traded|exchanged|changed|swaps|trades|has swapped|has traded) (places|"
            "positions|spots) with {b}|"
            "{a} and {b} (have been|were|got|are) (switched|swapped|interchanged) (around|)|the (positions|"
            "places|locations) of {a} and {b} (were|have been|are) (exchanged|swapped|switched|interchanged)|"
            "{who} (swapped|switched|exchanged) {a} (and|with) {b} (around|)|(swap|switch|exchange|"
            "interchange|trade) {a} (with|and) {b}|"
            "{a} is where {b} was and the other way round|{a} now stands where {b} (was|"
            "stood) and vice versa|{who} (swapped|switched) the (places|positions) of {a} and {b}|"
            "{who} made {a} and {b} (swap|switch|trade) places|{a} takes the place of {b} and vice versa|"
            "{a} went where {b} was, and {b2} went where {a2} was)",
            a=self.thing(first), b=self.thing(second), who=self._who(), a2=again("it", first, first), b2=
                "the other",
        )  # fmt: skip

    def _remove(self, what: Call) -> str:
        if what.op == "upon" and what.args[1] == Call("all", ("object",)) and self.chance(0.35):
            return self.fill(
                "({a} (was|has been|got|is|is now) (cleared|cleared off|emptied of everything|"
                "cleared completely)|{who} cleared (off |){a}|clear (off |){a}|"
                "nothing is (left |)on {a} (any more|anymore|)|there is nothing (left |)on {a} (any more|"
                "anymore|)|{who} took everything off {a})",
                a=self.thing(what.args[0]), who=self._who(),
            )  # fmt: skip
        if self.chance(0.38):
            return self._gone(what)
        past, base = REMOVALS[int(self.random.integers(len(REMOVALS)))]
        tail = self.fill("(||||from the room|from the scene|out of the room|from here|from the set)")
        if past.endswith(("away", "out", "of", "off", "up")):
            tail = ""
        elif past in ("removed", "moved out", "carried away", "picked up") and self.chance(0.2):
            tail = self.fill(OUTSIDE)
        return self._passive(what, past, base, tail)

    def _gone(self, what: Call) -> str:
        """Removal without a word for removing: "The sofa is gone", "we no longer have a tv"."""
        if what.op == "pair" and self.chance(0.45):
            a, b = self.both(what)
            return self.fill(
                "({a} is (gone|missing|no longer here), and so is {b}|{a} is gone and {b} (too|as well)|"
                "{a} (was|has been) (removed|taken away|thrown out|sold), and so (was|has) {b}|"
                "neither {a} nor {b} is (here|there|in the room) (any more|now|)|(both|"
                ") {a} and {b} are (gone|missing|out of the room|no longer there)|{a} left, and {b} (too|"
                "with it)|"
                "{a}? gone. {b}? gone too|no more {an}, no more {bn})",
                a=a, b=b, an=a.removeprefix("the "), bn=b.removeprefix("the "),
            )  # fmt: skip
        subject, many = self.group(what)
        have, be, was = ("have", "are", "were") if many else ("has", "is", "was")
        it = "them" if many else "it"
        they = "they are" if many else "it is"
        return self.fill(
            f"{{a}} {be} (gone|missing|no longer there|no longer in the room|no longer here|"
            f"not in the room anymore|not here any more|out of the room|nowhere to be seen|"
            f"not there any longer|no more|out of sight|absent|gone now)|"
            f"{{a}} ({have} disappeared|{have} left the room|vanished|{have} gone|{have} been out|"
            f"went missing|left|no longer exist{'' if many else 's'})|"
            f"(no more {{bare}}|no {{bare}} any more|there {be} no {{bare}} (any more|anymore|any longer|"
            f"now)|we no longer have {{a}}|we don't have {{a}} any more|without {{a}}|"
            f"picture the room without {{a}}|the room without {{a}}|"
            f"if {{a}} {'were' if many else 'was'} (gone|not there)|say goodbye to {{a}}|the room (has |"
            f")lost {{a}})|"
            f"{{a}} (went to|{was} taken to|{have} been taken to|{was} sent to|ended up in|"
            f"now belong{'' if many else 's'} to) (the dump|the repair shop|a neighbour|charity|the garage|"
            f"the attic|the cellar|another room|the laundry|the wash)(|, so {they} (gone|not here any more|"
            f"no longer here))|"
            f"{{who}} (gave|sold|lent|donated|handed) {{a}} (to|on to) (a neighbour|my brother|a friend|"
            f"charity|somebody|the school|my aunt)(|, so {they} gone)|"
            f"{{a}} (finally |)(broke|died|fell apart|wore out|got too old) (so|and) (we got rid of {it}|"
            f"we threw {it} out|I threw {it} away|{they} gone (now|)|we removed {it}|{it} had to go)|"
            f"{{who}} (carried|took|moved|brought|dragged|put|pushed) {{a}} {OUTSIDE}|"
            f"{{a}} {be} (being repaired|at the repair shop|in another room now|in the basement now)|"
            f"{{a}} (had to go|{was} in the way and had to go|did not survive)|{{a}} found (a new owner|"
            f"a new home elsewhere)",
            a=subject, bare=re.sub(r"^(the|all the|all of the|both the|both of the|every|each) ", "", subject), who=self._who(),
        )  # fmt: skip


def _small(what: Call) -> bool:
    """Whether what is moved is small enough to be put on furniture."""
    for part in what.calls():
        if part.op == "all":
            return stands_on_top(part.args[0])
    return False


def _ing(base: str) -> str:
    """The gerund of a verb: "moving", "putting away"."""
    verb, space, rest = base.partition(" ")
    doubled = {"put", "set", "drag", "get", "rid", "drop", "swap", "spin", "slip", "stop"}
    stem = verb + verb[-1] if verb in doubled else verb[:-1] if verb.endswith("e") and verb != "see" else verb
    return f"{stem}ing{space}{rest}"
