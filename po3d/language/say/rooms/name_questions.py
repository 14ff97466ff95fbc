"""Questions for the name of a thing: what is closest, on the desk, the largest, of use, in the way."""

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.phrases import NEXT_TO, USES
from po3d.language.say.rooms.set_questions import ANY, SetQuestions
from po3d.scene.rooms import category_of

WHAT = "(what|which object|which item|what object|what item|which thing|which piece of furniture)"


class NameQuestions(SetQuestions):
    def _name(self, one: Call) -> str:
        op, args = one.op, one.args
        if op in ("nearest", "farthest"):
            if args[1].op == "pair":
                return self._nearer_of(op, *args)
            if args[1].op == "usable" and op == "nearest" and self.chance(0.6):
                return self._useful_near(*args)
            if args[1].op == "same_use" and op == "nearest":
                return self._alike_near(*args)
            if args[1] == ANY:
                return self._neighbour(op, args[0])
        if op == "first":
            return self._what_lies(*args)
        if op in ("highest", "lowest", "largest", "smallest", "tallest", "shortest"):
            if args[0].op == "pair":
                return self._which_of_two(op, args[0])
            if self.chance(0.6):
                return self._most(op, args[0])
        if op == "support":
            return self._supporting(args[0])
        if op == "only":
            return self._that_one(args[0])
        return self.fill(
            f"({WHAT} is|what's|name|tell me the name of|what do you call|what kind of thing is) {{a}}",
            a=self.thing(one),
        )

    def _that_one(self, among: Call) -> str:
        if (
            among.op in ("upon", "beneath", "between", "beside")
            and among.args[-1].op != "usable"
            and self.chance(0.7)
        ):
            return self._what_is_there(among)
        if among.op == "obstacles":
            return self.fill(
                f"{WHAT} (blocks|obstructs|is blocking|is on|would block|is obstructing) the (direct |"
                f"straight |)(path|line|way) (from {{a}} to {{b}}|between {{a}} and {{b}})|{WHAT} (is|"
                f"stands|lies|would be) in the way (between {{a}} and {{b}}|from {{a}} to {{b}})|"
                "what (would|will|do) (you|I) (bump into|run into|hit) (walking|going|when walking|"
                "if you walk) straight from {a} to {b}|what stands between {a} and {b} on the (direct|"
                "straight) path",
                a=self.thing(among.args[0]), b=self.thing(among.args[1]),
            )  # fmt: skip
        if among.op == "usable" and among.args[1] == ANY:
            return self._asks(among.args[0])
        if among.op == "beside" and among.args[1].op == "usable" and among.args[1].args[1] == ANY:
            near, usable = among.args
            return self.fill(
                f"{WHAT} {NEXT_TO} {{a}} (can be used|could be used|may be used|is|can I use|could you use|"
                f"is used|would you use) {{u}}|{WHAT} (can|could) (I|you) use {{u}} {NEXT_TO} {{a}}|"
                f"{WHAT} {{u}} (is|stands|do you find) {NEXT_TO} {{a}}|{NEXT_TO} {{a}}, what (can be used|"
                f"can I use|is there) {{u}}",
                a=self.thing(near), u=self.fill(USES[usable.args[0]]),
            )  # fmt: skip
        return self.fill(f"({WHAT} is|what's|name|tell me the name of) {{a}}", a=self._only(among))

    def _neighbour(self, op: str, one: Call) -> str:
        thing = self.thing(one)
        if op == "farthest":
            return self.fill(
                f"{WHAT} (is|lies|stands|would be) (|the )(farthest|furthest|farthest away|"
                f"furthest away) from {{a}}|what is {{a}} (farthest|furthest) (away |)from|"
                "name the (object|thing|item) (farthest|furthest) (away |)from {a}|what (object|"
                "item) has the (largest|greatest) distance (from|to) {a}",
                a=thing,
            )  # fmt: skip
        return self.fill(
            f"{WHAT} (is|is the|stands|lies|would be|comes|sits) (closest to|nearest to|closest to|"
            f"nearest) {{a}}|{WHAT} (does|would) {{a}} (stand|be|end up|lie|sit) (closest|nearest) to|"
            f"what (is|'s|would be) the (nearest|closest) (object|thing|item|piece of furniture) to {{a}}|"
            f"{WHAT} is {{a}} (closest|nearest) to|(what's|what is|who is) {{a}}'s (closest|"
            f"nearest) (neighbour|neighbor|object)|name the (object|thing|item) (closest|nearest) to {{a}}|"
            "what is the (immediate|closest|nearest) (neighbour|neighbor) of {a}|what (object|item|thing|"
            ") is right (next to|beside) {a}|which (object|thing) has the (smallest|shortest) distance to {a}|"
            "what do (you|I) find (closest|nearest) to {a}|what (would|could) (you|I) (reach|"
            "touch) first from {a}",
            a=thing,
        )  # fmt: skip

    def _useful_near(self, one: Call, usable: Call) -> str:
        use = self.fill(USES[usable.args[0]])
        tail = "" if usable.args[1] == ANY else f" among the {self.head(usable.args[1], True)}"
        return self.fill(
            f"{WHAT} (can be used|could be used|may be used|can you use|could one use|is used|"
            f"can I use) {{u}} (closest to|nearest to|near|close to) {{a}}|"
            f"{WHAT} {{u}} is (closest|nearest) to {{a}}|(what is|what's|name) the (closest|"
            f"nearest) (object|thing|item) to {{a}} (that can be used |)({{u}}|{{u}})|"
            f"(starting from|from|standing at|near) {{a}}, what is the (closest|nearest) (thing|"
            f"object) {{u}}|{WHAT} (closest|nearest) to {{a}} (can be used|is|could I use|can you use) {{u}}",
            a=self.thing(one), u=use,
        ) + tail  # fmt: skip

    def _alike_near(self, one: Call, same: Call) -> str:
        return self.fill(
            f"(what item|which object|{WHAT}) (closest|"
            f"nearest) to {{b}} (provides functionality similar to|serves the same purpose as|"
            f"has a similar function to|can be used like|does the same job as) {{a}}|"
            "what is the (closest|nearest) (object|item|thing) to {b} (that can be used like|"
            "with the same purpose as|with a similar function to) {a}|"
            f"{WHAT} (serves the same purpose as|can be used like|could replace|"
            f"could stand in for) {{a}} and is (closest|nearest) to {{b}}",
            a=self.thing(same.args[0]), b=self.thing(one),
        )  # fmt: skip

    def _which_of_two(self, op: str, pair: Call) -> str:
        a, b = self.both(pair)
        word = {"highest": "(higher|placed higher|positioned higher|higher up|at a greater height|"
            "located higher)", "lowest": "(lower|placed lower|positioned lower|lower down|nearer to the floor)",
                "largest": "(larger|bigger|larger in size|the larger one|the bigger one|greater in size)",
                    "smallest": "(smaller|smaller in size|the smaller one)", "tallest":
                        "(taller|the taller one|taller in height)",
                "shortest": "(shorter|the shorter one|less tall)"}[op]  # fmt: skip
        verb = {
            "largest": "takes up more space",
            "smallest": "takes up less space",
            "tallest": "rises higher",
            "highest": "sits higher",
            "lowest": "sits lower",
            "shortest": "rises less high",
        }[op]
        return self.fill(
            "(which|which one|what|which of the two|which of them|which object|which of these|who) (is|'s|"
            "would be|is now) {w}(,|:|;) {a} or {b}|(which|what|which one) {v}(,|:) {a} or {b}|"
            "(between|of|out of|comparing|looking at) {a} and {b}, (which|which one|what|"
            "which of them) (is|would be) {w}|is {a} or {b} {w}|is it {a} or {b} that is {w}|"
            "{a} or {b}(,|:|;) (which|which one|what) is {w}|{a} or {b}: {w}|(tell me|"
            "say) which is {w}, {a} or {b}|which is {w}: is it {a} or {b}|(if you compare|"
            "when you compare) {a} (and|with) {b}, which (one |)is {w}",
            a=a, b=b, w=self.fill(word), v=verb,
        )  # fmt: skip

    def _most(self, op: str, among: Call) -> str:
        word = {"largest": "(largest|biggest|bulkiest)", "smallest": "(smallest|littlest|tiniest)",
            "tallest": "tallest", "shortest": "shortest", "highest": "(highest|topmost|placed highest)",
                "lowest": "(lowest|placed lowest)"}[op]  # fmt: skip
        return self.fill(
            "(which|what) {one} (is|would be|is now) the {w}|(out of|of|among|looking at|"
            "considering) (all |)(the |){h}, (which|which one|what|which one of them) (is|'s|"
            "would be) (the |){w}( one|)|"
            "(what|which) (is|'s|would be|is now) the {w} (of the {h}|{one}|{one}|among the {h}|"
            "of all {h})|which (one |)of the {h} (is|would be) (the |){w}|name the {w} (of the {h}|{one})|"
            "(tell me|show me) (the {w} {one}|which {one} is (the |){w})|the {w} {one} is what|"
            "of all (the |){h}, (which|what) is (the |){w}( one|)",
            one=self.head(among, False), h=self.head(among, True), w=self.fill(word),
        )  # fmt: skip

    def _supporting(self, one: Call) -> str:
        kind = [part for part in one.calls() if part.op == "all"][-1]
        category = category_of(str(kind.args[0]))
        if (
            category is not None and category.stands != "top" and self.chance(0.9)
        ):  # what is under a table is no support
            return self.fill(
                "(what|which piece of furniture|which object) (is|'s) {a} (resting on|standing on|placed on|supported by)|"
                "(what|which object) (does|would) {a} (stand|rest) on|on what (does|would) {a} (stand|rest)|{a} (stands|rests) "
                "on what|(what|which object) (holds|carries|supports|bears) {a}|(what|which thing) did {a} end up on",
                a=self.thing(one),
            )
        return self.fill(
            "(what|which piece of furniture|which object) (is|'s) {a} (resting on|lying on|standing on|"
            "sitting on|placed on|on|on top of|supported by)|(what|which object) (does|would) {a} (stand|"
            "rest|lie|sit) on|what (is|'s) (under|underneath|below|directly under) {a}|"
            "on what (does|would) {a} (sit|stand|rest|lie)|(what|which object|"
            "which piece of furniture) (holds|carries|supports|is supporting|bears) {a}|"
            "where did {a} land, I mean what is it (resting|lying|standing) on|"
            "on top of what (is|does) {a} (placed|lying|rest|stand)|(what|which thing) did {a} end up on|"
            "{a} (is|stands|rests|lies) on what|where does {a} (lie|stand|rest), on what",
            a=self.thing(one),
        )  # fmt: skip

    def _what_is_there(self, among: Call) -> str:
        """ "What is on the desk?": the set said as a place."""
        place = self._place_of(among)
        if among.args[-1] != ANY:
            return self.fill(
                "(which|what) {n} (is|stands|lies|do you find) {p}|(name|tell me) the {n} {p}",
                n=self.head(among.args[-1], False),
                p=place,
            )
        return self.fill(
            f"{WHAT} (is|is standing|stands|lies|is lying|can be found|is there|sits|is located|is placed|"
            f"do you (find|see)|would be|rests|has been put|is now) {{p}}|what's {{p}}|(name|"
            f"tell me) (the thing|what is|what stands|the object) {{p}}|what is there {{p}}|{{p}}(,|"
            f") (there is|you find|is) what",
            p=place,
        )  # fmt: skip

    def _nearer_of(self, op: str, one: Call, pair: Call) -> str:
        mark_, (a, b) = self.thing(one), self.both(pair)
        close = (
            "(closer|nearer|closer|less far away)"
            if op == "nearest"
            else "(farther|further|farther away|further away|more distant)"
        )
        to, close = "to" if op == "nearest" else "from", self.fill(close)
        if close == "less far away":
            to = "from"
        here = self.fill(
            "(when (you are|I'm) (next to|standing at|at|beside|by)|if (you stand|I stand|"
            "I am|you are) (next to|at|by|beside)|standing (next to|at|by)|if you are at|(standing|being|"
            "sitting) (right |)(at|by|next to|beside))"
        )
        options = (
            "(which|which one|what|which object|which item|who|which of the two|which of them|"
            "which thing) (is|'s|would be|lies|stands|is now) {c} {to} {m}(,|:|;) {a} or {b}|"
            "is {a} or {b} {c} {to} {m}|(is|will|would) {m} (be |then |now |){c} {to} {a} or ({to} |){b}|"
            "(between|of|out of|comparing) {a} and {b}, (which|which one|what|which of them) (is|would be|"
            "lies) {c} {to} {m}|{h} {m}, are (you|we) {c} {to} {a} or (to |){b}|are (you|"
            "we) {c} {to} {a} or {b} {h} {m}|"
            "is it {a} or {b} that is {c} {to} {m}|(which|which one|what|which of the two) (is|"
            "would) {m} (be |){c} {to}(,|:) {a} or {b}|which (one|of them|)'s {m} {c} {to}(:|,) {a} or {b}|"
            "would you say (that |){m} is {c} {to} {a} or (to |){b}|would you say (that |)(it's|"
            "it is) {a} or {b} that is {c} {to} {m}|"
            "{h} {m}, (which is|what is|which one is|what's) {c}(,|:) {a} or {b}|(seen|looking|measured|"
            "starting) from {m}, (which|what) is {c}(:|,) {a} or {b}|(does|did) {m} (end up|stand|"
            "come to stand|lie) {c} {to} {a} or (to |){b}|"
            "{a} or {b}(,|:|;) (which|what|which one) is {c} {to} {m}|(what|which) is {c}(,|"
            ":) {a} or {b}, (seen|measured|starting) from {m}|does {a} or {b} (lie|stand|come) {c} {to} {m}|"
            "{c} {to} {m}: {a} or {b}|{m} is {c} {to} {a} or {b}|(tell me|"
            "say) which is {c} {to} {m}, {a} or {b}|is {m} {c} {to} {a}, or (is it {c} |){to} {b}|"
            "(and |)which of (these|the two) is {c} {to} {m}: {a} or {b}"
        )
        if op == "nearest":
            options += (
                "|(which would be|which is|what is|what's) the shorter (way|path|walk|"
                "distance) from {m}( then|)(,|:) to {a} or to {b}|(is it|would it be|"
                "is the way) shorter from {m} to {a} or to {b}|which (direct |)distance is shorter(:|"
                ",) from {m} to {a} or to {b}|"
                "which distance is shorter, from {m} to {a} or from there to {b}|(what|which) (would|do|"
                "could) I (reach|get to) (first|sooner|faster) from {m}, {a} or {b}|"
                "is {m} nearer {a} or {b}|which way is shorter from {m}, to {a} or to {b}"
            )
        else:
            options += "|which (direct |)distance is longer(:|,) from {m} to {a} or to {b}|"
            options += "(what|which) is the longer (way|walk) from {m}, to {a} or to {b}"
        if self.chance(0.1):
            a, b = a.removeprefix("the "), b.removeprefix("the ")
        return self.fill(options, m=mark_, a=a, b=b, c=close, to=to, h=here)

    def _what_lies(self, direction: str, start: Call, among: Call) -> str:
        if among != ANY:
            return self.fill(
                "(which|what) {n} (is|is located|stands|do you find|lies) (directly |right |immediately |"
                "){p}|(what|which) is the (closest|nearest|first) {n} {p}|name the {n} (directly |right |){p}",
                n=self.head(among, False), p=f"{self.toward(direction)} {self.thing(start)}",
            )  # fmt: skip
        thing = self.thing(start)
        if self.chance(0.2):
            return self._sided(direction, thing)
        return self.fill(
            f"{WHAT} (is|is located|stands|can be found|is positioned|would be|is placed|is to be found|"
            f"lies|comes|do you (find|see)|would you (find|see|meet)|do I (see|find)) (|directly |"
            f"immediately |right |just |first |straight ){{p}}|"
            "what's (directly |immediately |right |just |) {p}|(what|which) (is|'s|would be) the (nearest|"
            "closest|first|next) (object|thing|item|piece of furniture) {p}|name the (object|thing|"
            "item) (directly |right |immediately |){p}|"
            "(directly|straight|immediately|right) {p} (there is (now |)what|what is there|you find what)|"
            "(what|which thing) is next {p}|(what|which object) (can|could|would) I (grab|touch|reach|"
            "be able to grab) {p}(, closest to it|)|"
            "{p}, (what|which object) (is|comes|do you find) (first|closest|nearest|)",
            p=f"{self.toward(direction)} {thing}",
        )  # fmt: skip

    def _sided(self, direction: str, thing: str) -> str:
        """ "What does the bed have to its left?", "What's on its left?"."""
        own = "its" if thing == "it" else f"{thing}'s"
        if direction in ("front", "back"):
            where = "in front of it" if direction == "front" else "behind it"
            return self.fill(f"(what|which object) (does|would) {{a}} have (right |directly |immediately |"
                f"){where}|what has {{a}} (right |directly |){where}", a=thing)  # fmt: skip
        return self.fill(
            f"what (does|would) {{a}} have (directly |right |)(to|on) its {direction}( side|)|(what's|"
            f"what is|which object is|what stands) (directly |immediately |right |)(on|"
            f"to) {{o}} {direction}( side| hand side|)|"
            f"(what|which object) (is|would be) {{o}} {direction} (hand |)(neighbour|neighbor)",
            a=thing, o=own,
        )  # fmt: skip
