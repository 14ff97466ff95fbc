"""Questions which of several like things it is, answered by a look: "Which bed is closer to it, the red or the blue one?"."""

from po3d.language.programs.rooms import Call, told_apart
from po3d.language.say.rooms.speaker import Speaker
from po3d.language.say.rooms.utterance import again, mark

LOOKS = {"color": "(color|colour)", "material": "material", "state": "(state|condition)"}
MORE = {  # what is asked, of one among several
    "largest": "(larger|bigger|the larger|the bigger|the larger one|the bigger one|larger in size|largest|the biggest)",
    "smallest": "(smaller|the smaller|the smaller one|smallest|the smallest|the littler one)",
    "tallest": "(taller|the taller|the taller one|tallest|the tallest)",
    "shortest": "(shorter|less tall|the shorter one|shortest|the lower one in height)",
    "highest": "(higher|higher up|hung higher|placed higher|further up|highest|highest up|the higher one|mounted higher)",
    "lowest": "(lower|lower down|hung lower|placed lower|further down|lowest|the lower one|nearer to the floor)",
}  # fmt: skip
VERBS = {
    "largest": "takes up more space|is bigger",
    "smallest": "takes up less space|needs less room",
    "tallest": "rises higher|is taller|reaches higher",
    "shortest": "is shorter|rises less high",
    "highest": "hangs higher|sits higher|is higher up",
    "lowest": "hangs lower|sits lower|is lower down",
}
SIDEWARD = {
    "left": "(further to the left|further left|more to the left|the left one|the left hand one|leftmost|furthest left|"
    "on the far left|nearer to the left wall|the one on the left|nearest the left side|further over to the left)",
    "right": "(further to the right|further right|more to the right|the right one|the right hand one|rightmost|furthest right|"
    "on the far right|nearer to the right wall|the one on the right|nearest the right side|further over to the "
    "right)",
    "front": "(further to the front|further forward|more to the front|the front one|furthest forward|nearer to the front|"
    "frontmost|closer to the front wall|the one in front|nearest the front)",
    "back": "(further to the back|further back|more to the back|the back one|the rear one|furthest back|rearmost|"
    "nearer to the back wall|the one at the back|nearest the back|nearer to the rear)",
}  # fmt: skip
CHOOSING = ("nearest", "farthest", "first", "extreme", *MORE)


def chosen_among(one: Call) -> Call | None:
    """The set from which an object is chosen by place or size."""
    among = one.args[-1] if one.op in CHOOSING else None
    return among if isinstance(among, Call) else None


class Choices(Speaker):
    def _choice(self, attribute: str, one: Call) -> str:
        """A question for the `attribute` of `one`, which is chosen among its like."""
        among = one.args[-1]
        if among.op == "pair":
            return self._alternatives(one)
        kind, kinds = self.head(among, False), self.head(among, True)
        if among.op == "touched" and among.args[0].args == ("object",):
            kinds = kind = ""
            which = self.fill("which (one |)of (them|these|these two|the two|those|those two|the things)")
            return f"{which} {self._predicate(one)}{self._by(attribute)}"
        which = self.fill(
            "(which {h}|which of the {hs}|which one of the {hs}|which of the two {hs}|(of|out of|among) the (two |"
            "three |) {hs}, which"
            " (one |)|what {h}|(of|out of) (all |)the {hs}, which( {h2}|)|which of (these|those|our|all the) {hs})",
            h=kind, hs=kinds, h2="of them",
        )  # fmt: skip
        tail = self._by(attribute)
        return f"{which} {self._predicate(one)}{tail}"

    def _by(self, attribute: str) -> str:
        """What about the thing is wanted."""
        word = self.fill(LOOKS[attribute])
        if attribute == "color" and self.chance(0.55):
            return ""
        return self.fill(
            "(, by {w}|, {w} wise|(?|;|.) (answer with|name|give|tell me|say) (its|the) {w}|, and (what|which) {w} "
            "is (it|that)|(;|?|,) "
            "what (is its {w}|{w} is it|{w} does it have)|(;|?|,) I mean its {w}|: {w}|, the {w} please|(;|?) just "
            "the {w})",
            w=word,
        )

    def _alternatives(self, one: Call) -> str:
        first, second = one.args[-1].args
        predicate = self._predicate(one)
        simple = all(t.args[0].args[2].op == "all" for t in (first, second))
        if simple and told_apart(one.args[-1]) and self.chance(0.5):
            kind, other = first.args[0].args[2], second.args[0].args[2]
            a, b = (mark(t.args[0].args[1], self.value(t.args[0].args[1])) for t in (first, second))
            ones = self.fill(
                "(the {a} one or the {b} one|the {a} or the {b} one|the {a} or the {b}|{a} or {b}|the {a} one or "
                "the {b}|"
                "the one that's {a} or the {b} one)",
                a=a, b=b,
            )  # fmt: skip
            asked = self.fill(
                "((which|what) {h} {p}(,|:| -|) {o}|(which|which one) of the (two |){hs} {p}(,|:|;) {o}|(of|out "
                "of) the (two |)"
                "{hs}, (which|which one) {p}(,|:) {o}|which {p} of the (two |){hs}(,|:) {o})",
                h=self.head(kind, False), hs=self.head(kind, True), p=predicate, o=ones,
            )  # fmt: skip
            return asked + again("", kind, other)
        one_, two = self.thing(first), self.thing(second)
        return self.fill(
            "((which|which one|what|which of the two|which of them) {p}(,|:|;|) {a} or {b}|(of|out of|between|"
            "comparing|looking at) "
            "{a} and {b}, (which|which one|which of them|what) {p}|{a} or {b}(,|:|;) (which|which one|what) {p}|"
            "is it {a} or {b} that {p}|(say|tell me) which {p}, {a} or {b})",
            a=one_, b=two, p=predicate,
        )  # fmt: skip

    def _predicate(self, one: Call) -> str:
        """ "is closer to the bed", "stands furthest back"."""
        op, args = one.op, one.args
        be = self.fill(
            "(is|is|is|'s|would be|will be|is now|stands|lies|sits|ended up|has ended up|comes|do you find|was left)"
        )
        if op in MORE:
            if self.chance(0.25):
                return self.fill(VERBS[op])
            be = self.fill("(is|is|'s|would be|is now|would you say is)")
            return f"{be} {self.fill(MORE[op])}"
        if op == "extreme":
            return f"{be} {self.fill(SIDEWARD[args[0]])}"
        if op == "first":
            near = self.fill(
                "(directly |right |immediately |just |straight |nearest |closest |first |next |)"
            )
            return f"{be} {near}{self.toward(args[0])} {self.thing(args[1])}"
        goal = self.thing(args[0])
        if op == "nearest" and self.chance(0.2):
            return self.fill(
                "(would|does|is) {a} (be |stand |lie |come to stand |) (nearest|closest|closer|nearer) to",
                a=goal,
            )
        if op == "nearest":
            return self.fill(
                "{be} (closer to|nearer to|closest to|nearest to|the closest to|the nearest to|nearest|the closer "
                "one to|closer|"
                "the nearer to|the next to) {a}", be=be, a=goal,
            ).replace("the next to", "nearest to").replace("closer the", "closer to the")  # fmt: skip
        return self.fill(
            "{be} (farther from|further from|farthest from|further away from|furthest from|most distant from|"
            "farther away from|"
            "the furthest from) {a}", be=be, a=goal,
        )  # fmt: skip
