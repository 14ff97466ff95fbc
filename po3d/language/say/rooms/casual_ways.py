"""Questions in passing about ways, sides seen from a place, heights, sizes and what would fit."""

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.speaker import IT, Speaker
from po3d.language.say.rooms.utterance import again

POSE = "(standing|sitting|at|seated|on my feet|waiting|stood|right|parked|resting|positioned|lying|here)"
AT = "(at|by|next to|beside|on|near|in front of|right by|right at|on top of|where)"
LOOKING = (
    "(facing|looking at|looking straight at|looking towards|looking over at|turned to|turned towards|with my face to|"
    "with my eyes on|staring at|with my nose towards|gazing at|looking in the direction of|pointing at|my face "
    "turned to|watching)"
)
WHERE = (
    "(where (is|'s|are|would be|do I (see|have|find)|will be|might be|would you (see|find)|lies|should I look for) "
    "{c}|(on|to) (which|what) "
    "(side|hand) (do I have|is|of me is|lies|would be|do I find|do I see) {c}|(which|what) (way|direction|side) "
    "(is|'s|must I turn to see|do I "
    "turn for|would I look for|do I look to see|should I look to find) {c}|is {c} (on|to) (my|the) (left or right|"
    "left or my right|right or left|"
    "left or on my right|left hand side or my right)|is {c} (in front of|ahead of) (me|you) or behind( me| you|)|"
    "in (which|what) direction "
    "(is|do I (see|find)|would I (see|find)|must I look for|will I see) {c}|where (relative to|in relation to|from|"
    "with respect to) (me|you|there) is {c}|"
    "how is {c} placed|{c} is where( then|)|{c} is on which side( of me|)|where would that put {c}|where does that "
    "leave {c})"
)


class CasualWays(Speaker):
    """Put before the other wordings, like CasualQuestions."""

    def _seen_from(self, stand: Call, facing: Call, target: Call) -> str:
        if self.chance(0.5):
            return super()._seen_from(stand, facing, target)
        a, b, c = self.thing(stand), self.thing(facing), self.thing(target)
        at = self.fill(AT)
        who = self.fill("(I|I|you|we|someone|one)")
        be = {"I": "am", "someone": "is", "one": "is"}.get(who, "are")
        at = self.pick("at", "by") if at == "where" else at
        here = self.fill(
            "({who} {be} {pose} {at} {a} {look} {b}|{who} {be} {at} {a} {look} {b}|(once|when|while|if|suppose|say|"
            "imagine|as soon as|let's say) "
            "{who} {be} {pose} {at} {a} (and|,|) {look} {b}|(once|when|while|if|suppose) {who} {be} {at} {a} (and|"
            ",|) {look} {b}|{pose} {at} {a}"
            "(,| and|) {look} {b}|(my|your) (back|side) is to {a} and {who} {be} {look} {b}|{who} (go|stand|sit|"
            "walk over) {at} {a} and (look|turn|face|"
            "look straight|look over) (at|to|towards) {b}|{look} {b} from {a}|(with|having) {b} (straight ahead|"
            "right ahead|before me|in front of me|"
            "ahead of me)(,| and|) {pose} {at} {a}|place yourself {at} {a}(,| and) (look|face|turn) (at|to|"
            "towards) {b}|{a} is where {who} {be}(,|;|.) {who} "
            "{be} {look} {b}|{at} {a}, {look} {b}|(take|have) a seat {at} {a}(,| and) (look|face|turn) (at|to|"
            "towards) {b})",
            who=who, be=be, pose=self.fill(POSE), at=at, a=a, b=b, look=self.fill(LOOKING),
        )  # fmt: skip
        ask = self.fill(WHERE, c=c)
        return self.fill(
            "{h}(,|.|;|:|. then|, and|, so) {k}|{h}(,|.|;|:|. so|. now) {k}|{k}(,|) {h}", h=here, k=ask
        )

    def _whither(self, start: Call, goal: Call) -> str:
        if self.chance(0.6):
            return super()._whither(start, goal)
        b = self.thing(goal)
        there = start == IT and self.chance(0.6)
        a = (
            self.pick("there", "there", "here", "its new place", "that spot", "its place")
            if there
            else self.thing(start)
        )
        return self.fill(
            "(which|what) (way|direction) (do I|do you|should I|must one|would I) (head|go|turn|walk) (for|to get "
            "to|to reach|"
            "to|towards) {b} (if|when) (I|you) (am|are|stand|start) (beside|at|next to|by|near) {a}|(if|when) (I|"
            "you) (am|are|"
            "stand|start) (beside|at|next to|by|near) {a}, (which|what) (way|direction) (is|to|do I go for|do I go "
            "to) {b}|"
            "(which|what) (way|direction) is (it|{b}) (from {a} to {b}|from {a})|(which|what) (way|direction) is "
            "it from {a} (to|over to|towards) {b}|"
            "(which|what) (way|direction) (do I (face|look|turn|point|have to look) (to see {b} |for {b} |towards "
            "{b} |))from {a} to (see|get to|reach) {b}|"
            "where (is|'s|would be|do I find|would I find|lies|am I to look for) {b} (from {a}|when (I am|seen|"
            "looking|viewed) from {a}|as seen from {a})|"
            "from {a}(,|) (where|which way|in what direction|in which direction|on which side|which direction) (is|"
            "'s|would|do I go for|do I find|lies|"
            "must I go for) {b}( be|)|I (am|stand|leave|start|set off|sit) (at |from |by |){a}(.|;|,|:) (which|"
            "what) (way|direction) (to|is|leads to|takes me to) {b}|"
            "(how|where) do I get (from {a} to {b}|to {b} from {a})(,|:|;) (which|what|in which) (way|direction)|"
            "(which|what) way would {b} be from {a}|"
            "(on|to) (which|what) side of {a} (is|'s|lies|would) {b}( be|)|(which|what) (way|direction) (should|"
            "must|would|do|does) (I|one|you|somebody) (set off|turn|head|go) "
            "(at|from) {a} (for|to get to|to reach|towards|if I want to get to) {b}|{b}(:|,) (which|what|in what) "
            "(way|direction) (is it |is that |)from {a}|"
            "from {a} to {b}(:|,) (which|what) (way|direction)|(I|somebody|you) (want|need|wants|have) to (go|get) "
            "to {b} from {a}(.|;|,|:) (which|what) (way|direction)( is that|)",
            a=a, b=b,
        )  # fmt: skip

    def _height(self, first: Call, second: Call) -> str:
        return self._measured(
            first, second, "higher", "lower", self.fill("(|||up|off the floor|down)"), super()._height
        )

    def _size(self, first: Call, second: Call) -> str:
        return self._measured(first, second, self.pick("larger", "bigger"), "smaller", "", super()._size)

    def _measured(self, first: Call, second: Call, more: str, less: str, up: str, usual) -> str:
        rival = second.args[0] if second.op == "only" else second
        if self.chance(0.65) and not (rival.op == "other" and rival.args[0] == first):
            return usual(first, second)
        a = self.thing(first)
        if rival.op == "other" and rival.args[0] == first:  # compared to the other one of its kind
            b = again(
                self.fill("the (other|second|other|remaining) {h}", h=self.head(rival.args[1], False)),
                first,
                rival.args[0],
            )
        else:
            b = self.thing(second)
        kinds = [f"{more} or {less}", f"{less} or {more}", f"{more}, or {less}"]
        return self.fill(
            "(compared to|compared with|next to|beside|put against|as against|set against|measured against|in "
            "comparison to|against) {b}(,|) (is|would|does) {a} "
            "(be |rather |look |) {k}|(is|'s|would|does) {a} (be |look |now |actually |the one |){k} {u} (than|"
            "compared to|compared with|next to|beside|in "
            "comparison with) {b}( is|)|(is|would) {a} (be |)the {m} one or the {l} one (of|compared to|next to|"
            "when compared with) {b}|{a} (is|would be) {k} "
            "(than|compared to|compared with) {b}|{k}(,|:|;) (what is|how is|where is) {a} (compared to|next to|"
            "against|as against) {b}|"
            "{a} (against|versus|compared to|next to) {b}(:|,|;) {k}|(is|'s) {a} {m} {u} than {b}(,| is|) or (is "
            "it |rather |){l}",
            a=a, b=b, k=self.pick(*kinds), m=more, l=less, u=up,
        )  # fmt: skip

    def _higher(self, first: Call, second: Call) -> str:
        if self.chance(0.6):
            return super()._higher(first, second)
        return self.fill(
            "(does|would|did) {a} (hang|sit|stand|be|lie|rest|end up|get) (higher|further up|higher up) (up |)than "
            "{b}( does| is|)|(is|was|'s) {a} (hung|"
            "mounted|fixed|put|sitting|hanging|standing|positioned|up) (higher|higher up|further up) than {b}( is|"
            ")|(is|would) {a} (be |)(above the height of|"
            "further from the floor than|further up than|nearer to the ceiling than|closer to the ceiling than) "
            "{b}|is {a} the higher (one |)of the two, "
            "(compared to|next to) {b}|{a} (is|hangs|sits) higher than {b}, (isn't it|doesn't it|am I right)",
            a=self.thing(first), b=self.thing(second),
        )  # fmt: skip

    def _larger(self, first: Call, second: Call) -> str:
        if self.chance(0.6):
            return super()._larger(first, second)
        return self.fill(
            "(is|was|'s) {a} (any |a bit |much |even |actually |)(bigger|larger) than {b}( is|)|(does|would) {a} "
            "(need|take|fill|occupy) more (space|room) than {b}( "
            "does|)|(is|would) {a} (be |)(the bigger|the larger)( one|) (compared to|next to|of the two, against) "
            "{b}|{a} (is|looks) (bigger|larger) than {b}, "
            "(isn't it|doesn't it|am I right)|(compared to|next to) {b}, is {a} (bigger|larger|the bigger one)",
            a=self.thing(first), b=self.thing(second),
        )  # fmt: skip

    def _fits(self, thing: Call, where: Call) -> str:
        if where.op != "was" or self.chance(0.5):
            return super()._fits(thing, where)
        a, one = self.thing(thing), where.args[0]
        gone = one == IT
        it = self.pick("it", "it", "that") if gone else self.thing(one)
        space = self.fill(
            "(the (free|freed|empty|cleared|vacant|vacated|open|now empty|newly free) (space|spot|place|area|room|"
            "floor)|the (space|room|spot|area|place|gap|hole|floor) "
            "(it|that) (leaves|left|took up|gave up|freed|used to take up|stood on|needed|had)( behind|)|(its|the) "
            "(old|former|previous|own|original) (space|spot|place|"
            "position)|there|there|its space|the same (space|spot|place)|its place)" if gone else
            "({i} 's (old |former |previous |own |original |)(space|spot|place|room|position)|the (space|room|spot|"
            "area|place|gap|hole) (that |)({i} (leaves|left|took up|freed|"
            "gave up|used to take up|stood in|needed|occupied|has left))( behind|)|the (free|empty|freed|vacated|"
            "vacant) (space|spot|place|area) (of|left by|that was) {i}|where "
            "{i} (was|stood|used to be|used to stand|has been))",
            i=it,
        )  # fmt: skip
        into = "" if space.startswith(("where", "there")) else self.fill("(in|into|within|in|on) ")
        return self.fill(
            "(would|could|will|can|does|might|should) {a} (have |) (fit|go|gone|be put|stand|stood|be squeezed|"
            "fitted|find room|work|be placed|be moved) {i}{s}|(could|"
            "can|would|might) (I|one|you|we|they) (squeeze|fit|get|put|move|push|stand|place|cram|set) {a} {i}{s}|"
            "is there (enough |)(room|space) for {a} {i}{s}|"
            "(would|will|is) there (be |)(enough |)(room|space) {i}{s} for {a}|(is|would) {s} (be |)(large|big|"
            "wide|roomy) enough for {a}|"
            "(is|would) {a} (be |)(small enough|not too big) (for|to go into) {s}|{s}(:|,) (would|does|will|could) "
            "{a} fit (in |)|"
            "(would|does|will) {s} (do for|suffice for|take|hold|accommodate|have room for) {a}|suppose (I|we) "
            "want {a} {i}{s}(:|,) (would|will|does) it fit|"
            "how about {a} {i}{s}(:|,|;) (would|will|does) (it|that) fit",
            a=a, s=space, i=into,
        )  # fmt: skip

    def _closer_now(self, first: Call, second: Call) -> str:
        if first != second and self.chance(0.7):
            return super()._closer_now(first, second)
        if first == second:
            both = self.fill("(the two|both|the) {h}", h=self.head(first.args[0], True)) + again(
                "", first, second
            )
        else:
            both = self.fill("{a} and {b}", a=self.thing(first), b=self.thing(second))
        return self.fill(
            "(are|have) {x} (now |moved |come |got |)(closer together|closer to each other|nearer to one another|"
            "closer) (than before|than they were|now|)|(is|has) "
            "(there less|the) (distance|space) between {x} (smaller|shrunk|less|shorter|become smaller)( than "
            "before| now|)|did (that|it) bring {x} closer( together|)",
            x=both,
        )  # fmt: skip
