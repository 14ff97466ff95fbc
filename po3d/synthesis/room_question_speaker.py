"""Questions about a room, one wording or another for every kind of program that asks something."""

from po3d.reasoning.room_program import Call
from po3d.synthesis.room_speaker import NEXT_TO, USES, Speaker

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


class QuestionSpeaker(Speaker):
    def say(self, program: Call) -> str:
        text = getattr(self, f"_{program.op}")(*program.args).strip()
        roll = self.random.random()
        if roll < 0.3:
            text = f"{text} {self.pick(*NOW)}"
        elif roll < 0.42:
            text = f"{self.pick('after the change', 'now', 'after this change', 'in the changed room', 'given the change')}, {text}"
        return text + self.pick("?", "?", "?", "?", "")

    def _count(self, among: Call) -> str:
        head = self.head(among, True)
        return self.pick(
            f"how many {head} are there", f"how many {head} are there in the room", f"how many {head} are in the room",
            f"what is the number of {head}", f"what is the count of {head}", f"how many {head} does the room have", f"count the {head}",
            f"what is the total number of {head}", f"how many {head} can be found", f"how many {head} remain", f"how many {head} are left",
            f"what is the current count of {head}",
        )  # fmt: skip

    def _exist(self, among: Call) -> str:
        if among.op == "obstacles":
            a, b = self.thing(among.args[0]), self.thing(among.args[1])
            by = self.pick("", " by any objects", " by anything", " by an object")
            return self.pick(
                f"is the direct path from {a} to {b} {self.pick('blocked', 'obstructed')}{by}",
                f"is there anything in the way between {a} and {b}", f"is there any obstacle on the direct path from {a} to {b}",
                f"does anything block the straight line from {a} to {b}", f"would anything be in your way if you walk straight from {a} to {b}",
                f"are there any objects blocking the way from {a} to {b}", f"is the path between {a} and {b} {self.pick('obstructed', 'blocked')}",
            )  # fmt: skip
        if among.op == "toward" and among.args[2].op == "just":
            direction, start, goal = among.args
            return self.pick(
                f"is {self.thing(goal)} {self.toward(direction)} {self.thing(start)}",
                f"does {self.thing(goal)} stand {self.toward(direction)} {self.thing(start)}",
                f"is {self.thing(goal)} located {self.toward(direction)} {self.thing(start)}",
            )
        head = self.head(among, False)
        return self.pick(
            f"is there a {head}",
            f"is there any {head}",
            f"does the room have a {head}",
            f"can you find a {head}",
        )

    def _more(self, first: Call, second: Call) -> str:
        return f"are there more {self.head(first, True)} than {self.head(second, True)}"

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
        if op in ("largest", "smallest", "tallest") or op == "extreme":
            return f"{self.pick('what is', 'which is', 'what is')} {self.thing(one)}"
        if op == "only" and args[0].op == "obstacles":
            a, b = self.both(args[0])
            return self.pick(
                f"what blocks the direct path from {a} to {b}",
                f"what is in the way between {a} and {b}",
                f"which object obstructs the direct path between {a} and {b}",
                f"what stands between {a} and {b} on the direct path",
            )
        if op == "only" and args[0].op == "usable":
            purpose, inner = args[0].args
            return (
                f"{self.pick(*WHICH)} {self.pick('in the room ', '')}{self.pick(*CAN)} {self.pick(*USES[purpose])}"
                + self._unused(inner)
            )
        if op == "only" and args[0].op == "beside" and args[0].args[1].op == "usable":
            one_, usable = args[0].args
            return (
                f"{self.pick(*WHICH)} {self.pick(*NEXT_TO)} {self.thing(one_)} {self.pick(*CAN[:3])} {self.pick(*USES[usable.args[0]])}"
                + self._unused(usable.args[1])
            )
        return f"{what} {self.thing(one)}"

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
        if op == "nearest":
            options += [
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
                f"what can be found {where}", f"what stands {where}", f"what is the nearest object {where}", f"what is located immediately {where}",
                f"which item is positioned {where}", f"name the object {where}", f"what is the closest item {where}",
            )  # fmt: skip
        return f"which {self.head(among, False)} is {where}"

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
            )
        if attribute == "material":
            return self.pick(
                f"what is {thing} made of",
                f"what material is {thing} made of",
                f"what is the material of {thing}",
                f"which material is {thing}",
                f"of what material is {thing}",
            )
        return self.pick(
            f"what is the state of {thing}",
            f"what state is {thing} in",
            f"in what state is {thing}",
            f"what condition is {thing} in",
            f"what is the condition of {thing}",
            f"what is the status of {thing}",
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
        )
        ask = self.pick(
            f"where is {c}",
            f"in which direction is {c}",
            f"on which side is {c}",
            f"where would {c} be",
            f"on which side of you is {c}",
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
        )

    def _size(self, first: Call, second: Call) -> str:
        a, b = self.thing(first), self.thing(second)
        return self.pick(
            f"is {a} larger or smaller than {b}",
            f"is {a} bigger or smaller than {b}",
            f"compared to {b}, is {a} larger or smaller",
            f"is {a} larger or smaller in size than {b}",
        )
