"""Questions about a room, one wording or another for every kind of program that asks something."""

from po3d.reasoning.room_program import Call
from po3d.synthesis.room_speaker import NEXT_TO, USES, Speaker, mark

WHICH = ("what", "which object", "which item", "what item")
CAN = ("can be used", "could be used", "may be used", "can you use", "could one use", "is used")
CLOSE = ("closest to", "nearest to", "near", "close to")
NOW = (
    "now",
    "now",
    "after the change",
    "after this change",
    "at present",
    "in the changed room",
    "currently",
    "in the updated scene",
)


OPENINGS = (
    "so", "and", "then", "well", "tell me", "I wonder", "can you tell me", "in that case", "with that", "say", "I'd like to know:",
    "quick question:",
    "could you tell me", "ok,",
)  # fmt: skip
PLAIN = ("objects", "items", "things", "pieces of furniture")
ENDINGS = (
    "then",
    "in the end",
    "after that",
    "in here",
    "in this room",
    "would you say",
    "please",
    "still",
    "afterwards",
    "do you think",
)


class QuestionSpeaker(Speaker):
    def say(self, program: Call) -> str:
        text = getattr(self, f"_{program.op}")(*program.args).strip()
        roll = self.random.random()
        if roll < 0.25:
            text = f"{text} {self.pick(*NOW)}"
        elif roll < 0.35:
            text = f"{self.pick(*NOW)}, {text}"
        elif roll < 0.45:
            text = f"{self.pick(*OPENINGS)} {text}"
        elif roll < 0.5:
            text = f"{text} {self.pick(*ENDINGS)}"
        return text + self.pick("?", "?", "?", "?", "")

    def _count(self, among: Call) -> str:
        if among.op in ("upon", "having") and self.chance(0.4):
            return self._count_of(among)
        head = self.head(among, True)
        return self.pick(
            f"how many {head} are there", f"how many {head} are there in the room", f"how many {head} are in the room",
            f"what is the number of {head}", f"what is the count of {head}", f"how many {head} does the room have", f"count the {head}",
            f"what is the total number of {head}", f"how many {head} can be found", f"how many {head} remain", f"how many {head} are left",
            f"what is the current count of {head}",
            f"how many {head} do we have", f"how many {head} are still there", f"how many {head} are there in total",
            f"how many {head} do you count",
            f"how many {head} does that leave", f"how many {head} will be left", f"how many {head} can you see",
            f"how many {head} are there altogether",
            f"how many {head} does that make", f"that makes how many {head}", f"how many {head} would there be",
            f"how many {head} do you see in here",
            f"what's the number of {head}", f"how many {head} are still in the room", f"counting everything, how many {head} are there",
            f"how many {head}",
        )  # fmt: skip

    def _exist(self, among: Call) -> str:
        if among.op == "obstacles":
            a, b = self.thing(among.args[0]), self.thing(among.args[1])
            by = self.pick("", " by any objects", " by anything", " by an object")
            return self.pick(
                f"is the direct path from {a} to {b} {self.pick('blocked', 'obstructed')}{by}",
                f"is there anything in the way between {a} and {b}", f"is there any obstacle on the direct path from {a} to {b}",
                f"does anything block the straight line from {a} to {b}", f"would anything be in your way if you walk straight from {a} to {b}",
                f"is the straight path from {a} to {b} blocked", f"is the straight way from {a} to {b} {self.pick('blocked', 'obstructed')}",
                f"is anything in the way between {a} and {b}", f"does anything stand in the way between {a} and {b}",
                f"is anything blocking the straight line between {a} and {b}", f"is the straight path between {a} and {b} blocked",
                f"if you walk straight from {a} to {b}, will you bump into something",
                f"does something stand between {a} and {b} on the straight path",
                f"walking in a straight line from {a} to {b}, would you run into something", f"is there an obstacle between {a} and {b}",
                f"would something stop me from walking straight from {a} to {b}", f"is something standing on the straight line from {a} to {b}",
                f"can something be found on the direct path from {a} to {b}", f"do you bump into anything going straight from {a} to {b}",
                f"are there any objects blocking the way from {a} to {b}",
                f"is the path between {a} and {b} {self.pick('obstructed', 'blocked')}",
            )  # fmt: skip
        if among.op == "toward" and among.args[2].op == "just":
            direction, start, goal = among.args
            return self.pick(
                f"is {self.thing(goal)} {self.toward(direction)} {self.thing(start)}",
                f"does {self.thing(goal)} stand {self.toward(direction)} {self.thing(start)}",
                f"is {self.thing(goal)} located {self.toward(direction)} {self.thing(start)}",
            )
        if among.op in ("upon", "beneath", "having", "usable") and self.chance(0.5):
            return self._is_any(among)
        head = self.head(among, False)
        return self.pick(
            f"is there a {head}",
            f"is there any {head}",
            f"does the room have a {head}",
            f"can you find a {head}",
            f"is there still a {head}",
            f"is there still any {head}",
            f"do you see a {head}",
            f"is any {head} there",
            f"are there any {self.head(among, True)}",
            f"are there still {self.head(among, True)}",
            f"is there a {head} in here",
        )

    def _count_of(self, among: Call) -> str:
        """ "How many things does the desk carry?", "How many doors stand open?"."""
        *where, kind = among.args
        head = self.head(kind, True)
        if among.op == "upon":
            thing = self.thing(where[0])
            left = "what is left" if head in PLAIN else f"the {head} left"
            return self.pick(
                f"how many {head} does {thing} carry", f"how many {head} are left on {thing}", f"count {left} on {thing}",
                f"how many {head} does that leave on {thing}", f"how many {head} are still on {thing}", f"count {left} on top of {thing}",
                f"how many {head} are lying on {thing}", f"how many {head} are on top of {thing}", f"how many {head} does {thing} have on it",
            )  # fmt: skip
        word = mark(where[1], self.value(where[1]))
        return self.pick(
            f"how many {head} are {word}", f"how many {head} are still {word}", f"how many {head} stand {word}", f"how many {head} remain {word}",
            f"how many {word} {head} does that leave us with", f"how many {head} are there that are {word}", f"how many {word} {head} are left",
            f"how many of the {head} are {word}", f"counting all {head}, how many are {word}", f"how many {head} are still {word} in there",
        )  # fmt: skip

    def _is_any(self, among: Call) -> str:
        """ "Is anything left on the desk?", "Is there anything to sit on?", "Is anything still switched on?"."""
        if among.op == "usable":
            use = self.pick(*USES[among.args[0]])
            way = (
                self.pick("is there any way", "is there a way")
                if use.startswith("to ")
                else "is there something"
            )
            return self.pick(
                f"is there anything {use}", f"is there still anything {use}", f"is there something {use}", f"{way} {use}",
                f"do we still have something {use}", f"can I find anything {use} in this room", f"is anything there {use}",
            )  # fmt: skip
        *where, kind = among.args
        general = kind == Call("all", ("object",))
        noun = self.pick("anything", "something") if general else f"any {self.head(kind, False)}"
        if among.op == "having":
            word = mark(where[1], self.value(where[1]))
            turned = self.pick("switched ", "turned ", "") if where[1] in ("on", "off") else ""
            plurals = self.head(kind, True)
            return self.pick(
                f"is {noun} {turned}{word}", f"is {noun} still {turned}{word}", f"{noun} still {turned}{word} in this room",
                f"is there {noun} that is {turned}{word}", f"do any of the {plurals} count as {word}", f"are any {plurals} {turned}{word}",
                f"are any of the {plurals} still {turned}{word}", f"would you still call {noun} {word}",
            )  # fmt: skip
        words = {
            "upon": ("on", "on top of", "left on", "lying on"),
            "beneath": ("under", "below", "underneath"),
        }[among.op]
        place = f"{self.pick(*words)} {self.thing(where[0])}"
        return self.pick(
            f"is {noun} {place}",
            f"is there {noun} {place}",
            f"is there still {noun} {place}",
            f"do you see {noun} {place}",
        )

    def _more(self, first: Call, second: Call) -> str:
        a, b = self.head(first, True), self.head(second, True)
        return self.pick(
            f"are there more {a} than {b}", f"does the room have more {a} than {b}", f"do {a} outnumber {b}"
        )

    def _fits(self, thing: Call, where: Call) -> str:
        a = self.thing(thing)
        b = self.thing(where)
        spot = (
            b
            if b.startswith(("where", "the place", "the spot"))
            else self.pick(
                f"the space left by {b}",
                f"the place of {b}",
                f"the spot of {b}",
                f"the space of {b}",
                f"the area where {b} was",
                f"the space that {b} occupied",
                f"the gap left by {b}",
                f"the gap where {b} was",
                f"the space where {b} used to be",
                f"the spot where {b} stood",
                f"the place where {b} was",
                f"the gap that {b} leaves behind",
                f"the room that {b} took up",
            )
        )
        if spot.startswith("where"):
            return self.pick(
                f"could {a} fit {spot}",
                f"would {a} fit {spot}",
                f"can {a} be placed {spot}",
                f"does {a} fit {spot}",
            )
        return self.pick(
            f"can {a} fit in {spot}",
            f"would {a} fit into {spot}",
            f"is {spot} large enough for {a}",
            f"could {a} fit into {spot}",
            f"does {a} fit in {spot}",
            f"is there enough room for {a} in {spot}",
            f"is {a} small enough to fit in {spot}",
            f"can I squeeze {a} into {spot}",
            f"is there enough room in {spot} for {a}",
            f"would {a} have room in {spot}",
            f"will {a} fit into {spot}",
            f"could {a} be put into {spot}",
            f"if I put {a} in {spot}, will it fit",
            f"does {spot} have room for {a}",
            f"can you put {a} in {spot}",
            f"would there be enough space for {a} in {spot}",
        )

    def _closer_now(self, first: Call, second: Call) -> str:
        a, b = self.thing(first), self.thing(second)
        return self.pick(
            f"is {a} closer to {b} than before",
            f"is {a} nearer to {b} than it was before",
            f"did {a} get closer to {b}",
            f"has {a} come closer to {b}",
            f"is {a} closer to {b} than it was before the change",
            f"is the distance from {a} to {b} shorter than before",
            f"does that bring {a} any closer to {b}",
            f"is {a} nearer {b} than before",
            f"did {a} come nearer to {b}",
            f"is {a} now closer to {b}",
            f"has {a} moved closer to {b}",
            f"is {a} less far from {b} than it used to be",
            f"are {a} and {b} closer together than before",
        )

    def _name(self, one: Call) -> str:
        op, args = one.op, one.args
        if op in ("nearest", "farthest") and args[1].op == "pair":
            return self._nearer_of(op, args[0], args[1])
        if op == "first":
            return self._what_lies(*args)
        what = self.pick(
            "what is", "which object is", "which item is", "what object is", "what item is", "which thing is"
        )
        if op in ("nearest", "farthest") and args[1] == Call("all", ("object",)):
            close = (
                ("closest to", "nearest to", "closest to", "the closest to", "the nearest object to")
                if op == "nearest"
                else ("farthest from", "furthest from", "the farthest from", "furthest away from")
            )
            if op == "nearest" and self.chance(0.35):
                thing = self.thing(args[0])
                return self.pick(
                    f"what does {thing} stand closest to", f"what is the nearest thing to {thing}", f"which object is {thing} closest to",
                    f"what is {thing} nearest to", f"what's {thing}'s closest neighbour", f"name the object closest to {thing}",
                )  # fmt: skip
            return f"{what} {self.pick(*close)} {self.thing(args[0])}"
        if op in ("nearest",) and args[1].op == "usable":
            purpose, inner = args[1].args
            return (
                f"{self.pick(*WHICH)} {self.pick(*CAN)} {self.pick(*USES[purpose])} {self.pick(*CLOSE)} {self.thing(args[0])}"
                + self._unused(inner)
            )
        if op in ("nearest",) and args[1].op == "same_use":
            like, _ = args[1].args
            a, b = self.thing(like), self.thing(args[0])
            return self.pick(
                f"what item closest to {b} provides functionality similar to {a}", f"which object nearest to {b} serves the same purpose as {a}",
                f"what is the closest object to {b} that can be used like {a}", f"which item nearest to {b} has a similar function to {a}",
            )  # fmt: skip
        if op in ("highest", "lowest", "largest", "smallest", "tallest") and args[0].op == "pair":
            a, b = self.both(args[0])
            word = {"highest": ("higher", "placed higher", "positioned higher"), "lowest": ("lower", "placed lower", "positioned lower"),
                    "largest": ("larger", "bigger"), "smallest": ("smaller",), "tallest": ("taller",)}[op]  # fmt: skip
            return self.pick(
                f"which is {self.pick(*word)}, {a} or {b}",
                f"which one is {self.pick(*word)}, {a} or {b}",
                f"what is {self.pick(*word)}: {a} or {b}",
                f"between {a} and {b}, which is {self.pick(*word)}",
                f"is {a} or {b} {self.pick(*word)}",
            )
        if op in ("largest", "smallest", "tallest", "highest", "lowest") and self.chance(0.5):
            among = args[0]
            size = {"largest": ("largest", "biggest"), "smallest": ("smallest", "littlest"), "tallest": ("tallest",), "highest": ("highest",),
                    "lowest": ("lowest",)}[op]  # fmt: skip
            many, single, word = self.head(among, True), self.head(among, False), self.pick(*size)
            return self.pick(
                f"which {single} is the {word}", f"out of all the {many}, which one is the {word}", f"of the {many}, which is the {word}",
                f"of all {many}, what is the {word}", f"what's the {word} {single}", f"among the {many}, what is the {word} one",
                f"which of the {many} is the {word}",
            )  # fmt: skip
        if op in ("largest", "smallest", "tallest", "highest", "lowest") or op == "extreme":
            return f"{self.pick('what is', 'which is', 'what is', 'name')} {self.thing(one)}"
        if op == "support":
            thing = self.thing(args[0])
            return self.pick(
                f"what is {thing} resting on", f"what does {thing} stand on", f"what is {thing} on", f"what is under {thing}",
                f"on what does {thing} sit", f"what is {thing} lying on", f"what is {thing} standing on", f"what holds {thing}",
            )  # fmt: skip
        if op == "only" and args[0].op in ("upon", "beneath", "between") and self.chance(0.6):
            return self._what_is_there(args[0])
        if op == "only" and args[0].op == "obstacles":
            a, b = self.both(args[0])
            return self.pick(
                f"what blocks the direct path from {a} to {b}",
                f"what is in the way between {a} and {b}",
                f"which object obstructs the direct path between {a} and {b}",
                f"what stands between {a} and {b} on the direct path",
                f"what would you bump into walking straight from {a} to {b}",
                f"what blocks the straight line between {a} and {b}",
                f"which object stands in the way between {a} and {b}",
            )
        if op == "only" and args[0].op == "usable":
            purpose, inner = args[0].args
            use = self.pick(*USES[purpose])
            return (
                self.pick(
                    f"{self.pick(*WHICH)} {self.pick('in the room ', '')}{self.pick(*CAN)} {use}", f"what could I use {use}",
                    f"what can I use {use}",
                    f"which thing in here is {use}", f"what in the room would you use {use}", f"if I want something {use}, what is there",
                    f"what is there {use}", f"what would serve {use}",
                )
                + self._unused(inner)
            )  # fmt: skip
        if op == "only" and args[0].op == "beside" and args[0].args[1].op == "usable":
            one_, usable = args[0].args
            return (
                f"{self.pick(*WHICH)} {self.pick(*NEXT_TO)} {self.thing(one_)} {self.pick(*CAN[:3])} {self.pick(*USES[usable.args[0]])}"
                + self._unused(usable.args[1])
            )
        return f"{what} {self.thing(one)}"

    def _what_is_there(self, among: Call) -> str:
        """ "What is on the desk?": the set said as a place."""
        *things, kind = among.args
        noun = "" if kind == Call("all", ("object",)) else self.head(kind, False)
        words = {
            "upon": ("on", "on top of"),
            "beneath": ("under", "underneath", "below"),
            "between": ("between", "in between"),
        }[among.op]
        where = f"{self.pick(*words)} {' and '.join(self.thing(t) for t in things)}"
        if noun:
            return self.pick(f"which {noun} is {where}", f"what {noun} is {where}")
        return self.pick(
            f"what is {where}", f"what is standing {where}", f"what stands {where}", f"what do you find {where}", f"what is there {where}",
            f"which object is {where}", f"what lies {where}",
        )  # fmt: skip

    def _unused(self, inner: Call) -> str:
        """A set of things that the wording already covers."""
        return "" if inner == Call("all", ("object",)) else f" among the {self.head(inner, True)}"

    def _nearer_of(self, op: str, one: Call, pair: Call) -> str:
        mark_, (a, b) = self.thing(one), self.both(pair)
        close = (
            self.pick("closer to", "nearer to")
            if op == "nearest"
            else self.pick("farther from", "further from", "farther away from", "further away from")
        )
        here = self.pick(
            f"when you are {self.pick('next to', 'standing at', 'at', 'beside')}",
            "if you stand next to",
            "standing next to",
            "if you are at",
        )
        options = [
            f"which is {close} {mark_}, {a} or {b}", f"what is {close} {mark_}: {a} or {b}", f"is {a} or {b} {close} {mark_}",
            f"is {mark_} {close} {a} or {b}", f"between {a} and {b}, which is {close} {mark_}", f"which one is {close} {mark_}: {a} or {b}",
            f"which object is {close} {mark_}, {a} or {b}", f"are you {close} {a} or {b} {here} {mark_}",
        ]  # fmt: skip
        options += [
            f"is it {a} or {b} that is {close} {mark_}", f"what's {close} {mark_}: {a} or {b}", f"what's {close} {mark_}, {a} or {b}",
            f"is {mark_} {close} {a} or to {b}", f"which one is {mark_} {close}: {a} or {b}", f"which is {mark_} {close}, {a} or {b}",
            f"of {a} and {b}, which one is {close} {mark_}", f"would you say {mark_} is {close} {a} or {b}",
            f"what is {mark_} {close}, {a} or {b}",
            f"who is {close} {mark_}, {a} or {b}", f"{here} {mark_}, are you {close} {a} or {b}",
            f"{here} {mark_}, which is {close.removesuffix(' to')}, {a} or {b}",
            f"seen from {mark_}, which is {close.split()[0]}: {a} or {b}", f"does {mark_} end up {close} {a} or {b}",
        ]  # fmt: skip
        if op == "nearest":
            options += [
                f"which would be the shorter way from {mark_}, to {a} or to {b}",
                f"is it shorter from {mark_} to {a} or to {b}",
                f"which direct distance is shorter: from {mark_} to {a} or to {b}",
                f"which distance is shorter, from {mark_} to {a} or from there to {b}",
            ]
        else:
            options += [f"which direct distance is longer: from {mark_} to {a} or to {b}"]
        return self.pick(*options)

    def _what_lies(self, direction: str, start: Call, among: Call) -> str:
        where = f"{self.toward(direction)} {self.thing(start)}"
        if among == Call("all", ("object",)):
            return self.pick(
                f"what is {where}", f"what is directly {where}", f"what item is directly {where}", f"which object is {where}",
                f"what object is located {where}",
                f"what can be found {where}", f"what stands {where}", f"what is the nearest object {where}",
                f"what is located immediately {where}",
                f"which item is positioned {where}", f"name the object {where}", f"what is the closest item {where}",
                f"what do you find directly {where}", f"what's immediately {where}", f"what's right {where}", f"what would be directly {where}",
                f"what's the nearest thing {where}", f"what is the first thing {where}", f"straight {where} there is what",
                f"what do you see {where}",
                f"what is just {where}", f"which thing is next {where}", f"what's directly {where}", f"what can I grab {where}",
                *self._sided(direction, start),
            )  # fmt: skip
        return f"which {self.head(among, False)} is {where}"

    def _sided(self, direction: str, start: Call) -> tuple[str, ...]:
        """ "What does the bed have to its left?", "What's on its left?"."""
        thing = self.thing(start)
        side = {"left": "left", "right": "right", "front": "front", "back": "back"}[direction]
        behind = {"front": "in front of it", "back": "behind it"}.get(direction, f"to its {side}")
        own = "its" if thing == "it" else f"{thing}'s"
        if side in ("front", "back"):
            return (f"what does {thing} have {behind}", f"what does {thing} have right {behind}")
        return (
            f"what does {thing} have {behind}",
            f"what's on {own} {side}",
            f"what is directly to {own} {side}",
            f"what is to {own} {side}",
        )

    def _query(self, attribute: str, one: Call) -> str:
        thing = self.thing(one)
        if attribute == "color":
            return self.pick(
                f"what color is {thing}",
                f"what is the color of {thing}",
                f"which color does {thing} have",
                f"what colour is {thing}",
                f"what is the colour of {thing}",
                f"tell me the color of {thing}",
                f"what's the color of {thing}",
                f"{thing} has what color",
                f"in which color does {thing} come",
                f"what is {thing}'s color",
                f"which color is {thing}",
                f"what color does {thing} have",
                f"what's the colour of {thing}",
            )
        if attribute == "material":
            return self.pick(
                f"what is {thing} made of",
                f"what material is {thing} made of",
                f"what is the material of {thing}",
                f"which material is {thing}",
                f"of what material is {thing}",
                f"what's {thing} made of",
                f"what is {thing} actually made of",
                f"what is {thing} made from",
                f"which material is {thing} made of",
            )
        return self.pick(
            f"what is the state of {thing}",
            f"what state is {thing} in",
            f"in what state is {thing}",
            f"what condition is {thing} in",
            f"what is the condition of {thing}",
            f"what is the status of {thing}",
            f"what's the state of {thing}",
            f"what state does {thing} have",
            f"how is {thing}",
            f"in which state is {thing}",
            f"which condition is {thing} in",
            f"what is {thing}'s state",
        )

    def _kinds(self, attribute: str, among: Call) -> str:
        head = self.head(among, True)
        word = {"color": ("color", "colour"), "material": ("material",), "state": ("state", "condition")}[
            attribute
        ]
        words = self.pick(*word) + "s"
        return self.pick(
            f"how many different {words} of {head} are there",
            f"how many different {words} do the {head} have",
            f"how many {words} of {head} are in the room",
            f"what is the number of different {words} among the {head}",
            f"how many distinct {words} of {head} are there",
        )

    def _whither(self, start: Call, goal: Call) -> str:
        a, b = self.thing(start), self.thing(goal)
        return self.pick(
            f"which direction should you move from {a} to reach {b}", f"in which direction is {b} from {a}",
            f"what is the relative position of {b} to {a}",
            f"what direction do you go from {a} to get to {b}", f"where is {b} relative to {a}", f"where is {b} located in relation to {a}",
            f"which way do I go from {a} to {b}", f"what is the position of {b} relative to {a}",
            f"in what direction do you have to walk from {a} to {b}",
            f"from {a}, in which direction is {b}", f"on which side of {a} is {b}", f"which direction is {b} from {a}",
            f"what direction is {b} in relation to {a}",
            f"to get from {a} to {b}, which direction should you go", f"standing at {a}, which direction leads to {b}",
            f"to reach {b} from {a}, which way do you go", f"which way do I have to go from {a} to get to {b}", f"from {a}, which way is {b}",
            f"which direction do I go if I head from {a} to {b}", f"in relation to {a}, where is {b}", f"relative to {a}, where is {b}",
            f"in what direction would I have to set off from {a} to reach {b}", f"which way must I go from {a} to reach {b}",
            f"where does {b} lie from {a}", f"from {a}, in which direction do I walk to {b}", f"starting from {a}, which way to {b}",
            f"if I walk from {a} to {b}, which direction am I going", f"where is {b} as seen from {a} in the room's frame",
            f"what direction would you walk to get from {a} to {b}", f"where is {b} if you start from {a}",
            f"which way would I walk from {a} to get to {b}",
            f"is {b} on the left or on the right of {a}" if self.chance(0.3) else f"which side of {a} is {b} on",
        )  # fmt: skip

    def _seen_from(self, stand: Call, facing: Call, target: Call) -> str:
        a, b, c = self.thing(stand), self.thing(facing), self.thing(target)
        here = self.pick(
            f"if you stand at {a} facing {b}",
            f"when you are standing next to {a} and facing {b}",
            f"if you are at {a} and look towards {b}",
            f"standing at {a} and looking at {b}",
            f"when standing by {a} facing {b}",
            f"if I stand at {a} and face {b}",
            f"when I'm standing at {a} and looking at {b}",
            f"if you stand by {a} and face {b}",
            f"suppose you stand by {a} and face {b}",
            f"from {a}, with your eyes on {b}",
            f"standing right by {a} and facing {b}",
            f"you are at {a} and look at {b}",
            f"if you stand next to {a} looking towards {b}",
            f"when you stand at {a} with {b} in front of you",
            f"facing {b} from {a}",
        )
        ask = self.pick(
            f"where is {c}",
            f"in which direction is {c}",
            f"on which side is {c}",
            f"where would {c} be",
            f"on which side of you is {c}",
            f"where do you see {c}",
            f"where will {c} be",
            f"where's {c}",
            f"in which direction do you see {c}",
            f"where is {c} from you",
        )
        return self.pick(f"{here}, {ask}", f"{ask} {here}")

    def _which_side(self, one: Call) -> str:
        thing = self.thing(one)
        return self.pick(
            f"on which side of the room is {thing}",
            f"which side of the room is {thing} on",
            f"in which part of the room is {thing}",
            f"where in the room is {thing}",
            f"in which area of the room is {thing} located",
            f"which side of the scene is {thing} on",
            f"which part of the room is {thing} in",
            f"where in the room do you find {thing}",
            f"in which corner or side of the room is {thing}",
            f"where did {thing} end up in the room",
        )

    def _height(self, first: Call, second: Call) -> str:
        a, b = self.thing(first), self.thing(second)
        return self.pick(
            f"is {a} higher or lower than {b}",
            f"is {a} positioned higher or lower than {b}",
            f"is {a} placed higher or lower than {b}",
            f"is {a} above or below the height of {b}, higher or lower",
            f"does {a} stand higher or lower than {b}",
            f"compared to {b}, is {a} higher or lower",
            f"compared with {b}, is {a} higher or lower",
            f"relative to {b}, is {a} higher or lower",
            f"is {a} higher up or lower down than {b}",
            f"is {a} up higher or down lower than {b}",
            f"does {a} end up higher or lower than {b}",
            f"would {a} be higher or lower than {b}",
            f"what is the height of {a} compared to {b}, higher or lower",
            f"if you compare {a} with {b}, is it higher or lower",
            f"is {a} higher than {b} or lower",
            f"which position does {a} have compared to {b}, higher or lower",
            f"{a}: higher or lower than {b}",
        )

    def _size(self, first: Call, second: Call) -> str:
        a, b = self.thing(first), self.thing(second)
        return self.pick(
            f"is {a} larger or smaller than {b}",
            f"is {a} bigger or smaller than {b}",
            f"compared to {b}, is {a} larger or smaller",
            f"is {a} larger or smaller in size than {b}",
            f"would you call {a} larger or smaller than {b}",
            f"compared with {b}, is {a} bigger or smaller",
            f"is {a} bigger than {b} or smaller",
            f"{a}: larger or smaller than {b}",
            f"next to {b}, is {a} larger or smaller",
        )
