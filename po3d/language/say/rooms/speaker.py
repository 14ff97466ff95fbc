"""English for the things, sets and sides of a room program, with much variation."""

import numpy as np

from po3d.language.english import plural
from po3d.language.programs.rooms import SIGNATURES, Call
from po3d.language.say.rooms.phrases import (
    NEXT_TO,
    ON,
    REPAINTED,
    SAME_USE,
    SIDE_PHRASES,
    THE_NEW_ONE,
    TOUCHED,
    TOUCHED_CLAUSES,
    UNDER,
    USED_CLAUSES,
    USES,
)
from po3d.language.say.rooms.phrasing import Phrasing
from po3d.language.say.rooms.utterance import again, mark, unmarked
from po3d.scene.rooms import ANYTHING, NOUNS_OF_USE, SYNONYMS

IT = Call("only", (Call("touched", (Call("all", ("object",)),)),))
OTHER_WORDS: dict[str, list[str]] = {}
for _word, _name in SYNONYMS.items():
    if _word != _name:
        OTHER_WORDS.setdefault(_name, []).append(_word)
USE_NOUNS: dict[str, list[str]] = {}
for _word, _purpose in NOUNS_OF_USE.items():
    USE_NOUNS.setdefault(_purpose, []).append(_word)
MADE_OF = {"wooden": "wood"}
OTHER_LOOKS = {  # other words for colours, materials and states that stand where these stand
    "gray": ("grey", "grey", "greyish"), "purple": ("violet", "lilac"), "beige": ("cream", "tan"), "red": ("crimson", "scarlet"),
    "blue": ("navy", "turquoise"), "yellow": ("golden",), "pink": ("rose",), "wooden": ("oak", "wood", "timber"),
    "fabric": ("cloth", "textile", "upholstered"), "metal": ("steel", "iron", "aluminium", "brass", "metallic"),
    "paper": ("cardboard",), "ceramic": ("porcelain", "ceramics"), "closed": ("shut",), "open": ("ajar", "opened"),
    "empty": ("emptied", "unloaded"), "full": ("filled", "loaded", "stuffed", "packed"), "clean": ("spotless", "tidy", "washed"),
    "dirty": ("filthy", "grubby", "stained", "messy", "soiled"), "broken": ("damaged", "smashed", "cracked", "shattered"),
}  # fmt: skip


def reworded(program: Call, random: np.random.Generator, share: float = 0.25) -> Call:
    """The program with some names replaced by other words for them, as a speaker would say them."""
    op, args = program.op, list(program.args)
    if (
        op == "usable"
        and args[1] == Call("all", ("object",))
        and args[0] in USE_NOUNS
        and random.random() < share
    ):
        nouns = USE_NOUNS[args[0]]
        return Call("all", (nouns[int(len(nouns) * random.random() ** 2)],))
    for k, (kind, arg) in enumerate(zip(SIGNATURES[op].inputs, args)):
        if isinstance(arg, Call):
            args[k] = reworded(arg, random, share)
        elif kind == "name" and arg in OTHER_WORDS and random.random() < share:
            args[k] = OTHER_WORDS[arg][int(random.integers(len(OTHER_WORDS[arg])))]
    return Call(op, tuple(args))


class Speaker(Phrasing):
    """Phrases for one sentence about a room; `kind` is the type of the change, which colours words like "the new chair"."""

    asks = True  # whether this speaker asks; a change speaker states

    def __init__(self, random: np.random.Generator, kind: str) -> None:
        super().__init__(random)
        self.kind = kind
        self.before: Call | None = None  # a thing that "it" stands for when it comes again

    # --- nouns ------------------------------------------------------------------------------------------------------

    def noun(self, name: str, many: bool = False) -> str:
        if name in ANYTHING:
            if many:
                return self.pick("objects", "objects", "items", "things", "things", "pieces of furniture")
            return self.pick("object", "object", "item", "thing", "thing", "piece of furniture")
        return mark(name, plural(name) if many else name)

    def head(self, program: Call, many: bool) -> str:
        """A set without article: "red chairs next to the table"."""
        op, args = program.op, program.args
        if op == "all":
            return self.noun(args[0], many)
        if op == "having":
            return self._having(*args, many)
        if op == "lacking":
            return self._lacking(*args, many)
        if op == "either":
            return f"{self.head(args[0], many)} {'and' if many else 'or'} {self.head(args[1], many)}"
        *_, inner = args
        if op == "touched":
            if self.chance(0.25):
                clause = TOUCHED_CLAUSES[self.kind]
                if self.kind == "attribute":
                    clause += "|" + REPAINTED
                return f"{self.head(inner, many)} {self.fill(f'({clause})')}"
            return f"{self.fill(f'({TOUCHED[self.kind]})')} {self.head(inner, many)}"
        base = self.head(inner, many)
        that = "(that are|which are) " if many else "(that is|which is|that's) "
        if self.chance(0.7):
            that = ""
        if op == "side":
            return f"{base} {self.fill(that)}{self.side(args[0])}"
        if op == "beside":
            return f"{base} {self.fill(that + NEXT_TO)} {self.thing(args[0])}"
        if op == "upon":
            extra = (
                self.pick("", "that stands ", "that lies ", "that sits ", "that stood ")
                if not many and not that
                else ""
            )
            return f"{base} {extra}{self.fill(that + (ON if not extra else '(on|on top of)'))} {self.thing(args[0])}"
        if op == "beneath":
            return f"{base} {self.fill(that + UNDER)} {self.thing(args[0])}"
        if op == "toward":
            return f"{base} {self.fill(that)}{self.toward(args[0])} {self.thing(args[1])}"
        if op == "between":
            return f"{base} {self.fill(that)}{self.pick('between', 'in between')} {self.thing(args[0])} and {self.thing(args[1])}"
        if op == "other":
            but = self.fill(
                "(other than|except|except for|besides|apart from|but|not counting|aside from|"
                "without|excluding)"
            )
            return f"{base} {but} {self.thing(args[0])}"
        if op == "usable" and args[0] in USED_CLAUSES and self.chance(0.2):
            return f"{base} {self.fill(USED_CLAUSES[args[0]])}"
        if op == "usable":
            can = "(that can be used|used|you can use|that one can use|which can be used|meant|that could be used|that I can use|suitable)"
            return f"{base} {self.fill(can)} {self.fill(USES[args[0]])}"
        if op == "same":
            have = "have" if many else "has"
            return f"{base} {self.pick('with the same', 'of the same', f'that {have} the same')} {args[0]} as {self.thing(args[1])}"
        if op == "same_use":
            return f"{base} {self.fill(SAME_USE)} {self.thing(args[0])}"
        raise ValueError(f"no words for {program}")

    def _having(self, attribute: str, value: str, inner: Call, many: bool) -> str:
        if inner.op == "having" and {attribute, inner.args[0]} == {"color", "material"} and self.chance(0.2):
            looks = {attribute: value, inner.args[0]: inner.args[1]}
            color, material = (mark(looks[a], self.value(looks[a])) for a in ("color", "material"))
            return f"{self.head(inner.args[2], many)} {self.pick('in', 'in', 'of', 'made of')} {color} {material}"
        base = self.head(inner, many)
        word = mark(value, self.value(value))
        be = "are" if many else "is"
        if value in ("on", "off"):
            return self.fill(
                f"({base} that {be} (switched |turned |still |currently |)(switched |turned |){word}|"
                f"{base} (switched|turned) {word}|{base} (that's|which's) {word}|"
                f"(switched|turned) {word} {base})"
            )
        if attribute == "material" and self.chance(0.3):
            stuff = mark(value, MADE_OF.get(value, value))
            return self.fill(f"{base} (made of|made from|of|made out of|that {be} made of) {stuff}")
        if attribute != "material" and not self.asks and self.chance(0.12):
            was = "were" if many else "was"
            return self.fill(
                f"({base} that {was} {word}|{base}, which {was} {word},|"
                f"{base} that used to be {word}|{base} which {was} {word})"
            )
        if attribute == "color" and self.chance(0.14):
            return self.fill(
                f"({base} that {be} {word}|{base} which {be} {word}|{base} that's {word}|"
                f"{word} colored {base}|{base} in {word})"
            )
        if attribute == "state" and self.chance(0.4):
            return self.fill(
                f"{base} (that {be} |which {be} |that (stand|stood|stands) |that {be} still |){word}"
            )
        return f"{word} {base}"

    def _lacking(self, attribute: str, value: str, inner: Call, many: bool) -> str:
        base, word = self.head(inner, many), mark(value, self.value(value))
        be = "are" if many else "is"
        patterns = [
            f"{base} that {be} not {word}",
            f"{base} that {be}n't {word}",
            f"{base} which {be} not {word}",
            f"non {word} {base}",
        ]
        if attribute == "color":
            patterns.append(f"{base} of (a color|a colour|colors) other than {word}")
        return self.fill(self.pick(*patterns))

    def value(self, value: str) -> str:
        if value in OTHER_LOOKS and self.chance(0.4 if value == "gray" else 0.08):
            return self.pick(*OTHER_LOOKS[value])
        return str(value)

    def thing(self, program: Call) -> str:
        """A thing with its article: "the chair closest to the bed"."""
        op, args = program.op, program.args
        if self.before is not None and program == self.before:
            return again("it", self.before, program)
        if op == "was":
            return self._was(args[0])
        if op == "just":
            return self.thing(args[0])
        if op == "only":
            return self._only(args[0])
        if op in ("nearest", "farthest"):
            return self._nearest(op, *args)
        if op == "first":
            near = self.fill("(first |nearest |closest |)")
            just = self.pick("", "", "directly ", "immediately ", "right ")
            return f"the {near}{self.head(args[2], False)} {just}{self.toward(args[0])} {self.thing(args[1])}"
        if op == "extreme":
            return self._extreme(args[0], args[1])
        if op == "support":
            return self.fill(
                "(what {a} (is|rests|stands|lies) on|the thing under {a}|the thing {a} (is|rests|stands) on|"
                "the {n} (that {a} (is|stands|lies|sits|was put|was placed) on|{a} (is|stands|was put) on|under "
                "{a}|with {a} on it))",
                a=self.thing(args[0]), n=self.pick("desk", "table", "cabinet", "bed", "counter", "shelf", "dresser", "furniture"),
            )  # fmt: skip
        return self._sized(op, args[0])

    def _only(self, among: Call) -> str:
        if among.op == "touched" and among.args[0] == IT.args[0].args[0]:
            if self.chance(0.65):
                return self.pick("it", "it", "it", "that", "this")
            return self.fill(f"({THE_NEW_ONE[self.kind]})")
        if among.op == "obstacles":
            return self.fill("(the thing|whatever|what) (blocks|is on) the (direct|straight) (path|way|"
                "line) from {a} to {b}",
                             a=self.thing(among.args[0]), b=self.thing(among.args[1]))  # fmt: skip
        head = self.head(among, False)
        if self.asks and self.kind == "removal" and self.chance(0.1):
            return self.fill(
                "(the {h} (that (is left|we still have|remains|stayed|we kept|is still here|stays|'s left|we did not touch|"
                "is still there)|we have left|still here|left over|we are left with|still in the room)|the (remaining|last|"
                "only|surviving) {h})",
                h=head,
            )
        if self.chance(0.04):
            return self.pick(f"that {head}", f"this {head}", f"that {head}")
        if self.asks and self.chance(0.02):
            return self.pick(f"where the {head} is now", f"where the {head} is", f"the {head}'s new place")
        if self.chance(0.04):
            return self.pick("my ", "our ", "your ", "their ") + head
        return f"the {head}"

    def _nearest(self, op: str, one: Call, among: Call) -> str:
        thing = self.thing(one)
        if among.op == "other" and among.args[0].op == op and among.args[0].args[0] == one:
            head = self.head(among.args[1], False)
            if op == "nearest":
                return self.fill(
                    "the (second|next) (closest|nearest) {h} to {a}|the {h} (second|"
                    "next) (closest|nearest) to {a}",
                    h=head,
                    a=thing,
                )
            return self.fill(
                "the second (farthest|furthest) {h} from {a}|the {h} second (farthest|furthest) from {a}",
                h=head,
                a=thing,
            )
        head = self.head(among, False)
        if op == "nearest":
            return self.fill(
                "(the {h} (|that is |that's |which is |)(closest to|nearest to|nearest|"
                "the closest to|closest to)|the (closest|nearest) {h} to) {a}",
                h=head,
                a=thing,
            )
        return self.fill("(the {h} (|that is |that's |which is |)|the )(farthest|furthest|farthest away|"
            "furthest away|most distant) (|)from {a}", h=head, a=thing) \
            if self.chance(0.8) else self.fill("the (farthest|furthest|most distant) {h} from {a}", h=head, a=thing)  # fmt: skip

    def _sized(self, op: str, among: Call) -> str:
        head, heads = self.head(among, False), self.head(among, True)
        words = {"largest": "(largest|biggest)", "smallest": "(smallest|tiniest|littlest)", "tallest":
            "tallest", "shortest": "shortest",
                 "highest": "(highest|topmost|most elevated|uppermost)", "lowest": "(lowest|bottommost)"}[op]  # fmt: skip
        more = {
            "largest": "(larger|bigger)",
            "smallest": "smaller",
            "tallest": "taller",
            "shortest": "shorter",
            "highest": "higher",
            "lowest": "lower",
        }[op]
        plainly = {
            "largest": "(big|large|huge)",
            "smallest": "(small|little|tiny)",
            "tallest": "tall",
            "shortest": "(short|low)",
        }.get(op, words)
        roll = self.random.random()
        if roll < 0.1:
            return self.fill("the {m} of the two {h}", m=self.fill(more), h=heads)
        if roll < 0.15:
            return f"the {self.fill(more)} {head}"
        if roll < 0.3:
            return f"the {self.fill(plainly)} {head}"
        if roll < 0.36:
            return self.fill("the {w} (of the|of all the|of all|among the) {h}", w=self.fill(words), h=heads)
        return f"the {self.fill(words)} {head}"

    def _extreme(self, side: str, among: Call) -> str:
        head = self.head(among, False)
        most = {
            "left": "leftmost",
            "right": "rightmost",
            "front": "(frontmost|foremost)",
            "back": "(rearmost|backmost)",
        }[side]
        word = self.pick("back", "rear") if side == "back" else side
        return self.fill(
            f"(the {most} {{h}}|the {most} {{h}}|the {{h}} (farthest|furthest) (to|toward|"
            f"towards) the {word}|the {{h}} (closest|nearest) to the {word} "
            f"(side|wall|edge) (of the room|)|the {{h}} (on|at) the far {word}|the {{h}} that is (furthest|"
            f"farthest) to the {word}|"
            f"the {{h}} furthest toward the {word} (of the room|side|)|the {{h}} closest to the {word})",
            h=head,
        )

    def _was(self, inner: Call) -> str:
        if self.kind in ("removal", "replacement"):
            if inner == IT and self.chance(0.4):
                return self.fill(
                    "(the (gap|space|hole|spot) (that |)it (leaves|left) (behind|)|(the place |"
                    ")where it (was|used to be|stood|had been)|its (old|former) (place|spot|position)|"
                    "the spot (where |)it (stood|occupied)|where that used to be)"
                )
            if inner.op == "only":
                head = self.head(inner.args[0], False)
                if inner.args[0].op == "touched":
                    gone = (
                        head
                        if self.kind == "removal"
                        else head.replace("new ", "replaced ").replace("brand ", "")
                    )
                    for word in ("replacement ", "newly placed ", "substituted ", "substitute "):
                        gone = gone.replace(word, self.pick("replaced ", "former ", "old "))
                    gone = (
                        gone.replace("that came instead", "that was replaced")
                        .replace("in its place", "away")
                        .replace(" there", " away")
                    )
                    return f"the {gone}"
                if self.chance(0.6):
                    word = (
                        "(removed|former|original|missing|vanished)"
                        if self.kind == "removal"
                        else "(replaced|old|former|original)"
                    )
                    return f"the {self.fill(word)} {head}"
            return self.fill(
                "((the place |the spot |)where {a} (was|used to be|stood|had been|stood before|"
                "used to stand|was standing)|the (spot|gap|space|place) left by {a}|"
                "the place {a} used to occupy|where {a} was (before|))",
                a=self.thing(inner),
            )
        return self.fill(
            "(the (original|former|previous|old) (position|location|place|spot) of {a}|"
            "where {a} was (before|originally|)|(the place |)where {a} used to be|"
            "(the place |)where {a} (stood|had been) (before|))",
            a=self.thing(inner),
        )

    # --- places and groups ------------------------------------------------------------------------------------------

    def toward(self, direction: str) -> str:
        return self.fill(SIDE_PHRASES[direction])

    def side(self, direction: str) -> str:
        if " " in direction:
            word = self.corner(direction)
            return self.fill(
                "(in|at) the {w} (corner|corner of the room|of the room|corner|part of the room)", w=word
            )
        word = self.pick("back", "rear") if direction == "back" else direction
        return self.fill(
            "((on|at) the {w} (side|side of the room|of the room|)|in the {w} (part|area|half) of the room|"
            "(at|on) the {w} (side |)of the scene|"
            "(by|along|against|at|near) the {w} wall|toward the {w} of the room|at the {w} (end|"
            "edge) of the room)",
            w=word,
        )

    def corner(self, direction: str) -> str:
        words = self.pick(
            direction, direction, direction.replace(" ", "-"), " ".join(reversed(direction.split()))
        )
        return words.replace("back", "rear") if self.chance(0.15) else words

    def both(self, pair: Call) -> tuple[str, str]:
        """The two things of a pair."""
        first = self.thing(pair.args[0])
        self.before = pair.args[0] if self.chance(0.8) else None
        second = self.thing(pair.args[1])
        self.before = None
        return first, second

    def group(self, program: Call) -> tuple[str, bool]:
        """A set as a subject, and whether it is plural: "the chair", "all the chairs", "the lamp and the tv"."""
        op, args = program.op, program.args
        if op == "just":
            return self.thing(args[0]), False
        if op == "pair":
            a, b = self.both(program)
            return self.fill(
                "({a} and {b}|{a} and {b}|both {a} and {b}|{a} as well as {b}|"
                "{a} together with {b}|{a}, along with {b},|{a} plus {b})",
                a=a,
                b=b,
            ), True
        if op == "either":
            a, b = self.group(args[0])[0], self.group(args[1])[0]
            return self.fill("{a} (and|as well as|along with|together with|and also) {b}", a=a, b=b), True
        if op == "other":
            return self._all_but(*args), True
        if _kindless(program):
            return self._everything(program)
        head = self.head(program, True)
        if self.chance(0.2):
            return self.fill("(every|each|every single) {h}", h=self.head(program, False)), False
        return self.fill(
            "(all|all the|all of the|the|every one of the|both|both of the|the two|both the|all three|"
            "the three|each of the|the two|any) {h}",
            h=head,
        ), True

    def _all_but(self, keep: Call, kind: Call) -> str:
        return self.fill(
            "((all|all the|all of the) {h} (except|but|except for|other than|apart from|save for|bar) {a}|"
            "every {one} (except|but|other than|apart from) {a}|"
            "(apart from|except for|with the exception of) {a}, all (the|of the|) {h}|"
            "everything but {a} among the {h})",
            a=self.thing(keep), h=self.head(kind, True), one=self.head(kind, False),
        )  # fmt: skip

    def _everything(self, program: Call) -> tuple[str, bool]:
        """ "Everything red", "all the things on the table"."""
        op, args = program.op, program.args
        if op == "having" and self.chance(0.6):
            word = mark(args[1], self.value(args[1]))
            if args[1] in ("on", "off"):
                return self.fill("everything that (is|was) (switched |turned |){w}", w=word), False
            return self.fill(
                "(everything|anything|whatever is|everything that is|everything that was|all that is) {w}",
                w=word,
            ), False
        if op == "upon" and self.chance(0.7):
            return self.fill(
                "(everything|everything that (is|was|stood|lay)|all that (is|was|stood)|whatever (is|was|"
                "stood)|all the stuff|anything) (on|on top of) {a}", a=self.thing(args[0])
            ), False  # fmt: skip
        return self.fill("(all|all the|all of the|the) {h}", h=self.head(program, True)), True


def _kindless(program: Call) -> bool:
    """Whether a set has no noun of its own."""
    return (
        program.op != "all"
        and isinstance(program.args[-1], Call)
        and program.args[-1] == Call("all", ("object",))
    )


def article(words: str) -> str:
    """The words with "a" or "an" before them."""
    return f"{'an' if unmarked(words).strip()[:1].lower() in 'aeiou' else 'a'} {words}"
