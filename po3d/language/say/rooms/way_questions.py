"""Questions for ways, sides, heights, sizes and looks."""

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.phrases import NEEDS
from po3d.language.say.rooms.speaker import Speaker
from po3d.language.say.rooms.utterance import again


class WayQuestions(Speaker):
    def _query(self, attribute: str, one: Call) -> str:
        thing = self.thing(one)
        if one.op == "nearest" and self.chance(0.15):
            words = {"color": "(color|colour)", "material": "material", "state": "(state|condition)"}[
                attribute
            ]
            return self.fill(
                f"{{m}} (ended up|is|stands|lies|is now) (nearest|closest) to (one of the (two |three |"
                f"){{h}}|a {{one}})(;|.|,|:) what (is the {words} of (that one|it)|{words} (is|"
                f"has) (that one|it|that {{one2}}))",
                m=self.thing(one.args[0]), h=self.head(one.args[1], True), one=self.head(one.args[1], False), one2=
                    "one",
            )  # fmt: skip
        if attribute == "color":
            return self.fill(
                "(what|which) (color|colour) (is|does|has) {a}( have|)|(what is|what's|tell me|name|"
                "what would be|give me) the (color|colour) of {a}|{a} (has|is) (what|which) (color|colour)|"
                "in (which|what) (color|colour) (does|is) {a}( come|)|"
                "what is {a}'s (color|colour)|(what|which) (color|colour) (would|will|"
                "do you see when you look at|do you think) {a} (be|have|is|has)|how is {a} (colored|"
                "coloured|painted)|of (what|which) (color|colour) is {a}|{a} is what color|"
                "the (color|colour) of {a} is (what|now what)|what (color|colour) did {a} (end up|become)",
                a=thing,
            )  # fmt: skip
        if attribute == "material":
            return self.fill(
                "(what|what material|which material) (is|'s|would) {a} (actually |really |)(be |)(made of|"
                "made from|made out of|built from)|(what is|what's|tell me|name) the material of {a}|"
                "(which|what) material (is|does|has) {a}( consist of|)|of (what|which) material is {a}( made|)|"
                "(what|which) (stuff|substance) is {a} made of|what does {a} consist of|"
                "from what (material |)is {a} made|the material of {a} is what|{a} is made of what|"
                "what is {a}'s material",
                a=thing,
            )  # fmt: skip
        value_pairs = "(open or closed|closed or open|on or off|empty or full|full or empty|clean or dirty|dirty or clean)"
        return self.fill(
            "(what is|what's|tell me|name|describe) the (state|condition|status) of {a}|(what|"
            "which) (state|condition) (is|does|would|will) {a} (in|have|be in)|in (what|which) (state|"
            "condition) is {a}|how is {a}|(what|which) (state|condition|status) has {a}|"
            "what is {a}'s (state|condition)|"
            f"(is {{a}} {value_pairs}|{value_pairs}(, |: )(which one is {{a}}|which is {{a}}|what is {{a}}|"
            f"how is {{a}})|{{a}}(:|,) {value_pairs}|(would you say|do you find) {{a}} is {value_pairs}|"
            f"is {{a}} now {value_pairs})",
            a=thing,
        )  # fmt: skip

    def _whither(self, start: Call, goal: Call) -> str:
        a, b = self.thing(start), self.thing(goal)
        need = self._need(goal)
        return need + self.fill(
            "(which|what) (direction|way) (should|do|must|would|will|shall|have|can) (you|I|one|"
            "we) (have to |)(move|go|walk|head|take|turn|to go|set off|travel|set out) (in |"
            ")from {a} (to reach|to get to|to|in order to reach|towards|to go to|to find|to arrive at) {b}|"
            "(in|on) (which|what) (direction|side) from {a} (is|lies|would be) {b}|(in|on) (which|"
            "what) (direction|side) (is|lies|would be|will be|do I find|do you find) {b} (|seen |as seen |"
            "viewed |when seen )from {a}|(what is|what's|describe|tell me) the (relative |"
            ")position of {b} (to|relative to|with respect to|in relation to|compared to) {a}|"
            "where (is|'s|would|will|has|does) {b} (be |ended up |lie |stand |located |positioned |placed |"
            "now |)(relative to|in relation to|with respect to|compared to|compared with|from|as seen from|"
            "seen from) {a}|(which|what) (way|direction) (leads|is it|goes) from {a} to {b}|"
            "from {a}, (in |)(which|what) (direction|way) (is|lies|do I walk to|do I go to|"
            "must I go to reach|do you walk to reach|would be|would I go to reach) {b}|on (which|"
            "what) side of {a} (is|does|do you find|would you find|stands|lies|will) {b}( stand| lie| be|)|"
            "(which|what) direction is {b} (from|in relation to|of|relative to) {a}|"
            "(to get|to go|to walk|getting|going|walking|in order to get) from {a} to {b}, (which|what|"
            "in which|in what) (direction|way) (should|do|must|would) (you|I|one) (go|walk|head|have to go|"
            "move)|(standing|sitting|starting|being) at {a}, (which|what|in which|in what) (direction|"
            "way) (leads to|is|do I go to reach|must I walk to get to|would I have to set off to reach) {b}|"
            "to (reach|get to) {b} (from {a}|when I am at {a}|if I start at {a}|starting at {a}), (which|"
            "what|in which|in what) (way|direction) (do|must|should|would) (you|I) (go|walk|head|take)|"
            "(in relation|relative|compared|with respect) to {a}, where (is|does|has|would|will) {b}( lie|"
            " ended up| be| stand|)|"
            "where does {b} (lie|stand|sit) (from|relative to|in relation to) {a}|(starting|coming|seen|"
            "leaving|walking|going|viewed) from {a}, (which|what) (way|direction) (to|is|leads to) {b}|(if|"
            "when) (I|you) (walk|go|head|move|travel) from {a} to {b}, (which|what|in which|"
            "in what) (direction|way) (am I going|do I go|is that|are you heading|do you go)|"
            "(which|what) (direction|way) do I go if I (get up from|leave|start at|head from|stand up from|"
            "walk away from) {a} (and|to) (head for|go to|walk to|head to|reach|head) {b}|where (is|"
            "do I find) {b} if (you|I) (start|stand|am|set off) (from|at) {a}|(which|what) (direction|"
            "way) would (you|I) walk (to get |)from {a} to (get to |){b}|"
            "is {b} (now |)(on the left or on the right|to the left or to the right|to the left or right|"
            "left or right|in front or behind|on the left or right) of {a}|(which|"
            "what) side of {a} is {b} on|is {b} in front of or behind {a}|{b} is (in which direction|"
            "on which side|where) (from|of) {a}|"
            "I (am|stand|sit) at {a} (and want|and I want|and would like) to (go|walk|get) to {b}(:|;|,|"
            ".) (which|what) (way|direction)( do I go| is that|)|(how|where) do I (have to |)(go|"
            "walk) from {a} to (get to |reach |){b}, in (which|what) direction|(when I am|if I sit|"
            "if I stand|sitting) at {a}, in (which|what) direction (is|would I have to walk to) {b}|"
            "(which|what) way is {b} from {a}",
            a=a, b=b,
        )  # fmt: skip

    def _need(self, goal: Call) -> str:
        """Now and then, why somebody wants to get there."""
        if not self.chance(0.06):
            return ""
        return self.fill(
            f"({'|'.join(NEEDS.values())}|I want to go there|let me see|one more thing|"
            f"the phone rings|somebody rings)(:|;|,|.) "
        )

    def _seen_from(self, stand: Call, facing: Call, target: Call) -> str:
        a, b, c = self.thing(stand), self.thing(facing), self.thing(target)
        at = "(at|by|next to|beside|right by|right at|near|in front of|there by|at the side of)"
        here = self.fill(
            f"(if|when|suppose|suppose that|imagine|assume|say|provided) (you|I|someone) (stand|"
            f"are standing|am standing|are|is|position yourself|sit) {at} {{a}} (and|, and|while|,|"
            f") (facing|face|look at|looking at|looking towards|look towards|turn to|am facing|are facing|"
            f"are looking at|look toward) {{b}}|"
            f"(standing|being|positioned|sitting|waiting) {at} {{a}} (and|, and|while|,|) (facing|"
            f"looking at|looking towards|turned towards|turned to|gazing at|watching) {{b}}|"
            f"from {{a}}, (with (your|my) eyes on|looking at|facing|looking towards|turned to|"
            f"when facing) {{b}}|from where {{a}} is, (with (your|my) eyes on|looking at|facing|"
            f"looking towards) {{b}}|"
            f"you (are|stand) {at} {{a}} (and|,) (look|looking|facing|and face|face) (at|towards|) {{b}}|"
            f"(when|if) you (stand|are) {at} {{a}} with {{b}} in front of (you|me)|(facing|looking at|"
            f"looking towards) {{b}} from {{a}}|with {{b}} in front of (you|me), standing {at} {{a}}|"
            f"I (stand|am|am standing) {at} {{a}} (and|,) (look at|facing|looking at|face) {{b}}|"
            f"looking from {{a}} (to|at|towards) {{b}}|someone {at} {{a}} (looks at|faces|is facing) {{b}}",
            a=a, b=b,
        )  # fmt: skip
        ask = self.fill(
            "(where|in which direction|in what direction|on which side|on what side|which way) (is|would|"
            "will|'s|lies|do you see|do I see|would you see|would I find|can I find|can I see|do I find|"
            "must I look for|do I have to turn to see|should I look to see) {c}( be|)|"
            "on which side of (you|me|them) (is|would|will|do you find) {c}( be|)|"
            "where (is|would be|will be) {c} (from you|from me|relative to you|from your point of view|"
            "as you see it)|where (would|will|does) {c} (be|lie|appear|stand)|(where|"
            "in which direction) (can|could|would|will) (you|I|they) (see|find|spot|be seeing) {c}|(what|"
            "which) direction is {c} in",
            c=c,
        )  # fmt: skip
        return self.fill("{h}(,|:|;|.|, then) {k}|{k} {h}|{h}, {k}", h=here, k=ask)

    def _which_side(self, one: Call) -> str:
        return self.fill(
            "(on|at) (which|what) side of the room (is|does|stands|will) {a}( stand| be| end up|)|(which|"
            "what) side of the (room|scene) is {a} (on|at)|in (which|what) (part|area|corner or side|"
            "corner|region) of the room (is|do you find|would I find|stands) {a}( located| placed|)|"
            "where in the room (is|do you find|has|would you look for|stands|do I find|can I find) {a}|"
            "where did {a} end up in the room|(which|what) (part|area) of the room is {a} in|(in|at|"
            "on) (which|what) (end|side|part) of the room (did|does|has) {a} (end up|stand|land|ended up)|"
            "seen from the middle of the room, where is {a}|where (is|does) {a} (located |stand |placed |"
            ")in the room|whereabouts in the room is {a}",
            a=self.thing(one),
        )  # fmt: skip

    def _height(self, first: Call, second: Call) -> str:
        a, b = self.thing(first), self.thing(second)
        return self.fill(
            "(is|would|will|was) {a} (be |now |then |)(positioned |placed |located |up |)(higher or lower|"
            "higher up or lower down|higher or lower down|lower or higher|up higher or down lower|"
            "above or below, higher or lower) (than|compared to|relative to|in comparison with) {b}( does| is|)|"
            "(does|would|did|will) {a} (stand|end up|sit|hang|lie|be) (higher or lower|lower or higher|"
            "higher up or lower down) than {b}( does| is|)|(compared to|compared with|relative to|"
            "in comparison with|in relation to|next to) {b}, (is|would|will) {a} (be |placed |positioned |"
            ")(higher or lower|higher up or lower down|lower or higher)|"
            "what is the height of {a} compared to {b}, higher or lower|(if|when) you compare {a} (with|"
            "to) {b}, is (it|{a2}) (higher or lower|higher up or lower down|lower or higher)|"
            "is {a} higher than {b} or lower|(which|what) (position|height) does {a} have compared (to|"
            "with) {b}, higher or lower|"
            "{a}(:|,) (higher or lower|lower or higher) than {b}|is {a} (above or below|"
            "below or above) the (height|level) of {b}(, higher or lower|)|(would you say|"
            "do you think) (that |){a} is (placed |)(higher or lower|lower or higher) than {b}|"
            "(higher or lower|lower or higher) than {b}(:|,) (where|how|what) is {a}|"
            "(higher or lower|lower or higher): (how|where) is {a} (compared to|relative to) {b}|"
            "has {a} been placed (higher or lower|lower or higher) than {b}|is the (position|place|"
            "spot) of {a} (higher or lower|lower or higher) than (that of |){b}",
            a=a, b=b, a2=again("it", first, first),
        )  # fmt: skip

    def _size(self, first: Call, second: Call) -> str:
        return self.fill(
            "(is|would|will|was) {a} (be |)(larger or smaller|bigger or smaller|smaller or larger|"
            "smaller or bigger) (in size |)(than|compared to|compared with|in comparison with) {b}( is|)|"
            "(compared to|compared with|next to|in comparison with|relative to) {b}, (is|would) {a} (be |"
            ")(larger or smaller|bigger or smaller|smaller or larger)|"
            "(would you|do you|can we) call {a} (larger or smaller|bigger or smaller) than {b}|"
            "is {a} (bigger|larger) than {b} or smaller|{a}(:|,) (larger or smaller|bigger or smaller|"
            "smaller or larger) than {b}|(if|when) you compare {a} (with|to) {b}, is (it|"
            "{a2}) (larger or smaller|bigger or smaller)|"
            "(larger or smaller|bigger or smaller) than {b}(:|,) (how|what) is {a}|(does|"
            "would) {a} take up (more or less) space than {b}, (is it |)(larger or smaller|"
            "bigger or smaller)|(would you say|do you think) (that |){a} is (larger or smaller|"
            "bigger or smaller) than {b}|how (big|large) is {a} (compared|"
            "in comparison) to {b}, (larger or smaller|bigger or smaller)",
            a=self.thing(first), b=self.thing(second), a2=again("it", first, first),
        )  # fmt: skip

    def _higher(self, first: Call, second: Call) -> str:
        return self.fill(
            "(is|would|will) {a} (be |now |)(placed |positioned |)(higher|higher up|further up|"
            "at a greater height) than {b}( is|)|(does|would) {a} (stand|sit|hang|lie|end up) (higher|"
            "higher up) than {b}( does|)|"
            "(would you say|is it true) (that |){a} is higher than {b}|{a} is higher than {b}, (right|"
            "yes or no|true)",
            a=self.thing(first),
            b=self.thing(second),
        )

    def _larger(self, first: Call, second: Call) -> str:
        return self.fill(
            "(is|would|will) {a} (be |now |)(larger|bigger|larger in size) than {b}( is|)|(does|"
            "would) {a} take up more space than {b}|(would you say|is it true) (that |){a} is (larger|"
            "bigger) than {b}|{a} is (bigger|larger) than {b}, (right|yes or no|true)",
            a=self.thing(first),
            b=self.thing(second),
        )
