"""Questions amid random talk (room_clauses), and in the loose constructions of people who have something to do."""

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.casual_questions import MEET, ROUND, STRAIGHT
from po3d.language.say.rooms.casual_ways import LOOKING, WHERE
from po3d.language.say.rooms.choices import LOOKS
from po3d.language.say.rooms.loose_things import LooseThings
from po3d.language.say.rooms.question_speaker import QuestionSpeaker
from po3d.language.say.rooms.set_questions import ANY
from po3d.language.say.rooms.speaker import IT
from po3d.language.say.rooms.uses import WHICH, gerund
from po3d.language.say.rooms.utterance import again, mark

ABOUT, LOOSE = 0.07, 0.12  # shares of questions amid talk, and of those in this module's words
_WITH = (
    "use|dust|clean|water|fetch|check|repair|see|inspect|wipe|look at|admire|pick up|sit at|reach|switch on|open|close|find|"
    "get something from|have a look at|put something on|take a picture of|lean on"
)
_AT = "using|loading|dusting|cleaning|repairing|working at|standing at|sitting at|waiting by|leaning on|busy at|stretched out on|beside"


class LooseQuestions(QuestionSpeaker, LooseThings):
    def say(self, program: Call) -> str:
        text = super().say(program)
        return self.talk.around(text.rstrip("?. ")) + self.pick("?", "") if self.chance(ABOUT) else text

    def _whither(self, start: Call, goal: Call) -> str:
        """ "Which way do I go from the chair to water the plant?"."""
        if not self.chance(LOOSE):
            return super()._whither(start, goal)
        return self.fill(
            "(which|what|in which|in what) (way|direction) (do|would|should|must|will) (I|you|one|we) (need to |have to |) (go|walk|"
            "turn|head|set off) (from {a} |)(to|in order to|if I want to|when I want to) {v} {b} (if I start at {a}|from {a}|"
            "starting at {a}|coming from {a}|when I am at {a})|from {a}, (which|what) (way|direction) (is it|do I go) to {v} {b}|"
            "(I am|I'm|I was) {g} {a}(.|;|,) (which|what) (way|direction) (do I go|is it|would I go) to {v} {b}|"
            "(leaving|starting from|getting up from) {a} to {v} {b}, (which|what) (way|direction) (do|should|would) I (go|take|walk)|"
            "{k} {d} (at|by|near) {a} and (wants|needs|would like) to {v} {b}(.|:|;|,) (which|what) (way|direction)( is it| is that|)",
            a=self.thing(start), b=self.thing(goal), v=self.fill(f"({_WITH})"), g=self.fill(f"({_AT})"),
            k=self.talk.somebody(), d=self.talk.deed(past=True),
        ).replace("from the from", "from")  # fmt: skip

    def _seen_from(self, stand: Call, facing: Call, target: Call) -> str:
        """ "While loading the washing machine I glance at the window. Where is the chair from there?"."""
        if not self.chance(LOOSE):
            return super()._seen_from(stand, facing, target)
        a, b, c = self.thing(stand), self.thing(facing), self.thing(target)
        at = self.fill(f"({_AT})") if self.chance(0.6) else f"{gerund(self.talk.deed())} (at|by|near)"
        here = self.fill(
            f"(while|as|when|after|suppose) (I'm|I am|you are|someone is|) {at} {{a}}(,|) (I|you) (glance|look|turn|stare|gaze|peer) "
            f"(over |round |up |)(at|to|towards) {{b}}|{at} {{a}}(,| and) {LOOKING} {{b}}|(I|you|we) {{d}} (at|by) {{a}}(,| and|, and) "
            f"(look at|face|watch|turn towards) {{b}}|(from|sitting at|at) {{a}}, "
            f"(with {{b}} (ahead|ahead of me|in front of me|opposite)|eyes on {{b}})",
            a=a, b=b, d=self.talk.deed(),
        )  # fmt: skip
        there = self.fill("(|| from there| from here| then| as I see it| from that spot)")
        return self.fill("{h}(.|,|;|. so|:) {k}{t}|{k}{t}(,|) {h}", h=here, k=self.fill(WHERE, c=c), t=there)

    def _name(self, one: Call) -> str:
        """ "Of the red things, which one is nearest to the bed?"."""
        op, args = one.op, one.args
        if op == "nearest" and args[1].op == "obstacles":
            return self._first_met(args[0], args[1])
        told = op in ("nearest", "farthest") and args[1].op in ("having", "upon", "side", "usable", "lacking")
        if not told or not self.chance(0.35):
            return super()._name(one)
        near = "(nearest|nearest to|closest to|next to|the closest to|the nearest one to)"
        if op == "farthest":
            near = "(farthest|furthest|farthest away|the one farthest) from"
        return self.fill(
            f"(of|among|out of|looking at|from|taking) (all |)the {{h}}( in here| here|)(,|:) (which|which one|what|which of "
            f"them|which thing) "
            f"(is|'s|stands|lies|would be) {near} {{a}}|(which|what|which one) of (all |)the {{h}} (is|'s|stands|lies|would be) "
            f"{near} {{a}}|"
            f"(which|what) {{k}} (is|'s|stands|lies|would be) {near} {{a}}",
            h=self.head(args[1], True), k=self.head(args[1], False), a=self.thing(args[0]),
        )  # fmt: skip

    def _first_met(self, start: Call, path: Call) -> str:
        """ "Going in a beeline from the bed to the cabinet, what's the first thing I come up against?"."""
        way, _ = self._ends(*path.args)
        text = self.fill(
            "(going|walking|moving|if I go|when one walks|rolling a ball) {s} {w}(,|:|) (what is|what's|which is|name) the "
            "(first|nearest) (thing|object|"
            "obstacle|item) (|that |)(I|you|one) {m}|{w} (what|which thing|what object) (do|would|will) (I|you|one) {m} "
            "first|(what|which thing) (is|"
            "stands) first in (my|the) way {s} {w}",
            s=self.fill(STRAIGHT), w=way, m=self.fill(self.pick(MEET, ROUND)),
        )  # fmt: skip
        return text + again("", path.args[0], start)

    def _what_lies(self, direction: str, start: Call, among: Call) -> str:
        """ "Looking from the basket towards the front, what comes first?"."""
        if among != ANY or not self.chance(LOOSE):
            return super()._what_lies(direction, start, among)
        to = {"back": "(back|rear)"}.get(direction, direction)
        return self.fill(
            f"(looking|facing|going|walking|heading|moving|pointing|seen) (from {{a}} |)(to|towards|toward) the {to} (of the "
            f"room |side |wall |)"
            "(from {a}|away from {a}|starting at {a}|standing at {a})(,|:|;|.) {k}|"
            f"from {{a}} (straight |directly |right |) (to|towards) the {to}(,|:|;) {{k}}|{{k}} (if|when|once) (I|you|one) "
            f"(look|go|walk|head) from {{a}} "
            f"(to|towards|in the direction of) the {to}|(the |)(first|nearest|next|closest) (thing|object|item) (you come "
            f"to|you meet|I find|I reach|to be "
            "found|one sees|there is|) (directly |straight |right |) {p}|(the |)(first|next|closest) (thing|object) {p}",
            a=self.thing(start), p=f"{self.toward(direction)} {self.thing(start)}",
            k=self.fill(
                "(what|which thing|which object) (comes first|is the (first|next|nearest|closest) (thing|object|one|piece of "
                "furniture)( straight ahead| "
                "I come to| I see| there|)|do (I|you) (come to|reach|meet|get to) first|is first|comes next|is next)"
            ),
        ).replace("(from", "from")  # fmt: skip

    def _ways(self, asked: str, placed: str, way: str, gap: str) -> str:
        """ "I would like to go from the bed to the desk in a straight line. Am I going to bump into something?"."""
        if not self.chance(0.25):
            return super()._ways(asked, placed, way, gap)
        meet, who = self.fill(self.pick(MEET, ROUND)), self.fill("(I|you|we|one)")
        be = {"I": "am", "one": "is"}.get(who, "are")
        ask = self.fill(asked, w=self.fill(WHICH), who=who, meet=meet, them=self.fill("(me|you|one|us)"))
        if self.chance(0.4):
            going_to = self.fill(f"{be} {who} (going to|bound to|likely to|about to) {meet}")
            if "something" in ask or "anything" in ask or ask.startswith(("is ", "would ", "does ", "will ")):
                ask = self.fill("{g} (something|anything|anything at all|an obstacle)", g=going_to)
            else:
                ask = self.fill("(what|which thing|what thing|what's the first thing) {g}", g=going_to)
        told = self.fill(
            "(I|we|you) (would like to|want to|have to|am going to|need to|must|will|might|decide to) {go} {s} {w}|(I|we|you) "
            "{go} {w} {s}|(my|our|your) way "
            "(goes|leads) {s} {w}|somebody {gos} {s} {w}|(let's say|say|suppose|imagine) (I|you|we) {go} {s} {w}|{w}(,|) "
            "(I|you|we) {go} {s}",
            go=self.fill("(go|walk|run|move|head|cross the room)"), gos=self.fill("(walks|runs|goes)"), s=self.fill(STRAIGHT), w=way,
        )  # fmt: skip
        return self.fill("{t}(.|.|,|;|:| and|, and) {k}", t=told, k=ask)

    def _measured(self, first: Call, second: Call, more: str, less: str, up: str, usual) -> str:
        """ "Larger or smaller than the suitcase?", of what the change was about."""
        if first != IT or not self.chance(0.35):
            return super()._measured(first, second, more, less, up, usual)
        either = self.pick(f"{more} or {less}", f"{less} or {more}")
        return self.fill(
            "(and |so |) {k} {u} than {b}|(is it|would you call it|and is that) {k} {u} (than|compared to) {b}|"
            "{k}(,|) (compared to|next to|than) {b}",
            k=either,
            u=up,
            b=self.thing(second),
        )

    def _that_one(self, among: Call) -> str:
        op, args = among.op, among.args
        if op == "obstacles" and args[0] != IT and self.chance(0.06):
            return self.fill(
                "if {a} (was|were|is|gets) (rolled|pushed|slid|thrown|kicked|dragged|moved) (straight |directly |) (to|towards|at|all "
                "the way to) {b}, what (would|will|does) it (crash into|hit|meet|bump into|knock over|run into|touch)",
                a=self.thing(args[0]),
                b=self.thing(args[1]),
            )
        if op == "obstacles" and self.chance(0.1):
            way, _ = self._ends(*args)
            return self.fill("(something|a thing|one thing|some object) (is|stands|blocks me|is standing) in (the|my|your) way {w}(.|:|;|,) "
                "(what|which|what "
                "is it|name it|what would that be)", w=way)  # fmt: skip
        if op == "other" and args[1].op == "upon" and self.chance(0.3):
            one, shared = args
            thing = "(object|thing|item)" if shared.args[1] == ANY else self.head(shared.args[1], False)
            return self.fill(
                f"(what|which {thing}) (is sharing|shares|has to share) {{t}} with {{a}}|(what|which {thing}) (keeps|is keeping) {{a}} "
                f"company on {{t}}|{{a}} (is on|shares) {{t}} (with|together with|along with|next to) what( else| other {thing})",
                t=self.thing(shared.args[0]), a=self.thing(one),
            )  # fmt: skip
        if op == "usable" and args[1] == ANY and self.chance(0.1):
            do, with_ = self.doing(args[0])
            return self.lack(args[0], 0.6) + self.fill(
                "(what|which thing|which of these|what here|which thing here|what in here) (could|can|would|will|should) "
                "(I|you|one|we) (turn "
                "to|use|go to|switch on|make use of|pick|try) (to|in order to|if I want to) {d} {w}|(which|what) (thing |)(in "
                "here|here|of all "
                "this) (could|can|would) (be used to|help me to|help to|help somebody) {d} {w}",
                d=do, w=with_,
            )  # fmt: skip
        if op == "having" and self.chance(0.2):
            return self.fill(
                "(only one|one|a single|just one) (thing|object|item|piece of furniture) (in the room |here |in here "
                "|)(is|looks|remains|stays|is still) "
                "{v}( now|)(.|:|;|,|...) (which|what|which one|what is it|name it)|(what|which thing|which object|which piece "
                "of furniture) is the "
                "(only one|only thing|only object|one thing|sole thing) (that |which |)(is |remains |stays |is still |looks |){v}|"
                "(of|among|out of|taking) (all the|the|all) (things|objects|pieces) (here|in here|), (which|which one|what) is {v}|"
                "(which|what) (one|thing|object) (of them all |of them |)(is|happens to be) {v}",
                v=mark(args[1], self.value(args[1])),
            )
        return super()._that_one(among)

    def _supporting(self, one: Call) -> str:
        """ "I'd love something to read. What do I pick it up from?"."""
        if one.op == "only" and one.args[0].op == "usable" and self.chance(0.25):
            do, with_ = self.doing(one.args[0].args[0])
            return self.fill(
                "(I'd (like|love)|I want|I need|I'm looking for|we could do with|give me) (something|a thing|anything) to {d} "
                "{w}(.|;|,|:| and) "
                "(what|which piece of furniture|what piece of furniture|which thing) (do|can|could|would|should) I (pick|take|get|lift|"
                "fetch|grab) it (up |)(from|off)",
                d=do, w=with_,
            )  # fmt: skip
        return super()._supporting(one)

    def _query(self, attribute: str, one: Call) -> str:
        """ "A chair is in my way from the door to the bin. Which colour is it?"."""
        if one.op != "only" or one.args[0].op != "obstacles":
            return super()._query(attribute, one)
        way, gap = self._ends(*one.args[0].args)
        look = self.fill(LOOKS[attribute])
        thing = self.fill("(something|a thing|the thing|an object|whatever|what|the object|the one thing)")
        there = self.fill(
            "(is|stands|lies|blocks me|is standing) (in (my|the|your) (way|path) {w}|on the (straight |direct |)(line|way|path) ({w}|{g}))",
            w=way, g=gap,
        )  # fmt: skip
        if thing.startswith(("the", "what")):
            there = there if thing.startswith("what") else f"that {there}"
            return self.fill(
                "(what|which) {l} (is|has|does) {t} {p}( have|)|{l} of {t} {p}",
                l=look,
                t=thing,
                p=there,
            )
        return self.fill(
            "{t} {p}(.|;|:|,) (what|which) {l} (is|has|does) (it|that)( have|)|{t} {p}(.|;|,) {l}",
            l=look,
            t=thing,
            p=there,
        )

    def _alike(self, first: Call, attribute: str, second: Call) -> str:
        """ "Do the sink and the toilet have the same colour?"."""
        look = {"color": self.pick("color", "colour")}.get(attribute, attribute)
        a, b = self.thing(first), self.thing(second)
        return self.fill(
            "(do|did|would) {a} and {b} (now |still |both |)(have|share|come in) (the same|one|an identical) {l}|(are|is) {a} "
            "(and|as) {b} (now |still |both |)"
            "(of |in |) the same {l}|(is|has) {a} (now |still |)(of |) the same {l} as {b}|does {a} (match|have the same {l} "
            "as) {b}( in {l}|)|(does|is) the {l} of "
            "{a} (match|the same as|equal to) (that|the one) of {b}|{a} and {b}(:|,) (same|the same) {l}",
            a=a, b=b, l=look,
        )  # fmt: skip

    def _exist(self, among: Call) -> str:
        """ "Any other things that are still dirty?"."""
        if among.op == "same" and among.args[2].op == "just":
            return self._alike(among.args[1], among.args[0], among.args[2].args[0])
        if among.op in ("having", "usable", "upon", "beside", "side", "lacking") and self.chance(LOOSE):
            return self.fill(
                "(any|any other|any more|are there any|are there any more|is there any|would there be any|no|still any|do I see any) {h}"
                "(| left| at all| around| in here| here| anywhere)",
                h=self.head(among, True),
            )
        return super()._exist(among)

    def _count(self, among: Call) -> str:
        if not self.chance(LOOSE):
            return super()._count(among)
        kind = self.head(among, True)
        if among.op == "having" and self.chance(0.5):
            word = mark(among.args[1], self.value(among.args[1]))
            return self.fill(
                "how many (other |more |) {h} (remain|stay|are still|are now|are left|happen to be|do you see that are) {w}",
                h=self.head(among.args[2], True),
                w=word,
            )
        return self.fill(
            "(the |)(number|total|total number|count|sum) of {h}|(what|how high|how large) is the (number|count) of {h}|"
            "{h}(:|,| -) how many|{h}, (can you count them|how many are there|how many does that make)|count {h}|"
            "(I|we|you) (have|see|count|find) how many {h}|how many {h} (did they leave behind|remain|are left|stay|stayed|do "
            "we still have|are still there|are not gone|could you count|have we got left|did not go)",
            h=kind,
        )
