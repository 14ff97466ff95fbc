"""Looks, additions and replacements as people tell them in passing: a complaint first, then what was done about "it"."""

import re
from collections.abc import Callable

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.casual_phrases import APPOSITIONS, COMPLAINTS, DID, DISLIKES, PLEAS
from po3d.language.say.rooms.change_speaker import ChangeSpeaker
from po3d.language.say.rooms.speaker import MADE_OF
from po3d.language.say.rooms.utterance import again, mark
from po3d.scene.rooms import COLORS, hangs, stands_on_top

CASUAL = 0.3  # share of the sentences in these modules' own words


class CasualLooks(ChangeSpeaker):
    topic: Call | None = None  # what "it" stands for once it was named

    def _who(self) -> str:
        who = super()._who()
        return who + self.fill(DID) if who and self.chance(0.08) else who

    def group(self, program: Call) -> tuple[str, bool]:
        if self.topic is not None and program == self.topic:
            return "it", False
        subject, many = super().group(program)
        if program.op == "just" and subject.startswith("the ") and self.chance(0.05):
            subject = (
                f"the {self.pick('old', 'old', 'good old', 'same old', 'trusty', 'little old')} {subject[4:]}"
            )
        if program.op == "just" and self.chance(0.03):
            subject = f"{subject}, {self.fill(APPOSITIONS)},"
        return subject, many

    def _told_first(self, what: Call, told: Callable[[], str]) -> str | None:
        """ "The tub was leaking, so they took it away": the thing first, then the change of "it"."""
        if self.topic is not None:
            return None
        subject, many = self.group(what)
        if many or what.op != "just":
            return None
        self.topic = what
        rest = told()
        self.topic = None
        subject = subject.removeprefix("the ") if self.chance(0.08) else subject
        return self.fill(
            "{s} {c}(, so|,| so| and|, and|;|.|, and so|, which is why|, that's why| -|: so|. so|, and now|. in "
            "the end) {r}|(because|since|as|after) {s} {c}, {r}|"
            "{who} {d} {s}(, so|,| so| and|, and|;|.|, and so|, that's why| -) {r}|(you know|remember|about|as for|"
            "regarding|see|that's the thing with|"
            "concerning|you remember|oh,) {s}(?|,|:|.) {r}|{s}(?|:|;|...| -) {r}",
            s=subject, c=self.fill(COMPLAINTS), r=rest, d=self.fill(DISLIKES),
            who=self.fill("(I|we|dad|my boss|the boss|nobody|my wife|someone|they|she)"),
        )  # fmt: skip

    def _set(self, attribute: str, value: str, what: Call) -> str:
        usual = super()._set
        if self.chance(0.08) and (told := self._told_first(what, lambda: usual(attribute, value, what))):
            return told
        if not self.chance(CASUAL):
            return usual(attribute, value, what)
        subject, many = self.group(what)
        has, be = ("have", "are") if many else ("has", "is")
        they = "they" if many else "it"
        said = (
            MADE_OF.get(value, value) if attribute == "material" and self.chance(0.5) else self.value(value)
        )
        word = mark(value, said)
        bare = re.sub(r"^(the|all the|all of the|both the|both of the) ", "", subject)
        other = COLORS[int(self.random.integers(len(COLORS)))]
        forms = f"{{bare}} (now |){{w}}|{{a}}(:|,| -) (now |){{w}}|{{bare}}(:| -) {{w}}|(from now on|as of today|now) {{a}} {be} {{w}}|"
        if attribute == "color":
            forms += (
                f"{{who}} (had|has had|got|'ve had) {{a}} (painted|dyed|sprayed|repainted|recoloured|done|redone|"
                f"recovered|lacquered|finished) (in |){{w}}|"
                f"{{who}} (repainted|painted|dyed|sprayed) {{a}}(;|,|:| and| -|.) ({they} {be}|now {they} {be}|"
                f"{they} {be} now|the new colour is|{they} turned out) {{w}}|"
                f"{{a}} {has} been painted over (in |with |){{w}}|{{a}} (got|was given|{has} been given|received) "
                f"(a|another) (coat|lick|layer|splash|dash) of {{w}}( paint|)|"
                f"{PLEAS} (paint|dye|spray|make|colour|do) {{a}} {{w}}|{{a}} {be} (no longer|not|not anymore) "
                f"{other}(,| but|;) ({they} {be} |){{w}}( now|)|"
                f"(a|some) (pot|bucket|tin) of {{w}} paint and {{a}} (was done|looked new)|{{w}} "
                f"is what {{a}} {be} now|"
                f"{{a}}, (formerly|once|previously) {other}, {be} {{w}} (now|)|{{a}} came back from the (painter|"
                f"dyer|workshop) (in |){{w}}|{{a}} (got|was) dyed (in |){{w}}|"
                f"{{a}} (will|should|must|is to) be {{w}}|{{who}} (would like|wants|prefers|wanted|preferred) "
                f"{{a}} (to be |in |){{w}}(, so now {they} {be}|)"
            )  # fmt: skip
        elif attribute == "material":
            forms += (
                f"{{who}} (had|has had|got|have had) {{a}} (reupholstered|redone|remade|rebuilt|made over|covered|"
                f"recovered|refitted|done again|reworked) in {{w}}|"
                f"{{a}} (was|were|{has} been|got) (reupholstered|redone|covered|recovered|remade|rebuilt|recast|"
                f"refashioned) (in|with|from) {{w}}|"
                f"{PLEAS} (make|remake|rebuild) {{a}} (in|of|out of|from) {{w}}|{{a}} {be} {{w}} (these days|now|"
                f"through and through)|{{a}}, now (in|of|made of) {{w}}|"
                f"{{a}} now (comes|come) in {{w}}|{{w}} is what {{a}} {be} made of now"
            )
        else:
            verb = self.fill("(switch|turn|put)" if value in ("on", "off") else "(leave|make|get|keep)")
            forms += (
                f"{PLEAS} {verb} {{a}} {{w}}|{{who}} (has|had|'s) {{a}} {{w}}|with {{a}} {{w}}|{{a}} {be} (left|"
                f"kept|found|seen) {{w}}|(see|note) that {{a}} {be} {{w}}|"
                f"{{who}} (found|noticed|kept|wants|wanted|likes|left) {{a}} {{w}}|{{a}} (stayed|stays|went|goes|"
                f"turns) {{w}}|{{a}} {be} {{w}} (at the moment|for once|as of now)"
            )
            if value == "full":
                filled = mark(value, self.pick("filled", "stuffed", "packed", "loaded"))
                forms += (
                    f"|{{a}} ({has} been|was|got|{be}) {filled} with (laundry|books|old papers|apples|toys|things|"
                    f"water|clothes|"
                    f"rubbish)|{{who}} {filled} {{a}} with (laundry|books|stuff|toys)"
                )
            if value in ("on", "off"):
                forms += "|{w} (went|goes|with) {a}|{a} gets (switched|turned) {w}|{bare} {w}|{bare} {w}|"
                forms += "(switch|turn|put|flick) {w} {a}"
        return self.fill(forms, a=subject, bare=bare, w=word, who=self._who())

    def _then(self, first: Call, second: Call) -> str:
        """ "The red lamp was switched off and the blue one on": the second verb left out."""
        if first.op == second.op == "set" and first.args[0] == second.args[0] and self.chance(0.5):
            (a, a_many), (b, _) = self.group(first.args[2]), self.group(second.args[2])
            one, two = (mark(s.args[1], self.value(s.args[1])) for s in (first, second))
            was = "were" if a_many else "was"
            be = "are" if a_many else "is"
            done = {"color": "painted|dyed|sprayed|repainted", "material": "made|remade|turned"}.get(
                str(first.args[0]),
                "switched|turned" if str(first.args[1]) in ("on", "off") else "left|made|put",
            )
            return self.fill(
                f"{{a}} ({was}|gets|got|{be}|has been|{be} being) ({done}) {{v}}(,|) and {{b}} {{w}}|{{a}} {be} "
                f"(now |){{v}}(,| and|, and|;) {{b}} (is |){{w}}( now|)|"
                f"{{who}} ({done}) {{a}} {{v}}(,|) and {{b}} {{w}}|{{a}} (went|goes|turned) {{v}}(,|) and {{b}} "
                f"{{w}}|{{a}} {{v}}, {{b}} {{w}}",
                a=a, b=b, v=one, w=two, who=self._who(),
            )  # fmt: skip
        return super()._then(first, second)

    def _add(self, number: str, thing: Call, where: Call) -> str:
        if not self.chance(CASUAL + 0.1):
            return super()._add(number, thing, where)
        new = self._thing(thing, number)
        name = str(thing.args[0])
        wall = hangs(name)
        if where.op == "next_to" and wall and self.chance(0.75):
            place = self.fill(
                "(above|over|just above|right above|on the wall above|directly over|on the wall next to|on the "
                "wall by|a bit above|on the wall over) "
            )
            place += self.thing(where.args[0])
        else:
            place = self.place(where, small=stands_on_top(name))
        many = number != "1"
        have, be, s = ("have", "are", "") if many else ("has", "is", "s")
        its = "they're" if many else "it's"
        lie = (
            "hanging|hung|fixed|mounted|nailed"
            if wall
            else "standing|sitting|lying|set out|laid out|placed|left|leaning"
        )
        put = (
            "hung|put up|mounted|fixed|nailed"
            if wall
            else "put|left|stood|set|placed|laid|set out|forgot|brought|leaned|dropped"
        )
        return self.fill(
            f"{{n}} {{p}}( now|)|(new|new arrival|addition|extra|added)(:|,) {{n}}(,|) {{p}}|{{p}}(,|) {{who}}(| "
            f"has| have|'s) ({put}) {{n}}|{{who}} (|has |have )({put}) {{n}} {{p}}|"
            f"{{who}} (came home|turned up|arrived|came back|came in|returned) with {{n}}(, and|;|, which|,) {its} "
            f"(all |now |)({lie}|to be found) {{p}}|"
            f"{{who}} (was given|inherited|won|picked up|treated us to|found|made|built|borrowed) {{n}}(,|;| and|, "
            f"and) (now |){its} (now |all |)({lie}|) {{p}}|"
            f"{{n}} (are|is|{be}) (now |all |)({lie}) {{p}}( now|)|(so |)(there's|there is|there are|we have|we've "
            f"got|you'll find|we now have|I see) (now |){{n}} ({lie}) {{p}}|"
            f"(there's|there is|there are) (now |){{n}}(,| now,|) (just |right |) {{p}}|(let's have|let's put|how "
            f"about|why not have|I'd like|we need|I want|we want) {{n}} {{p}}|"
            f"{PLEAS} ({'hang' if wall else 'put'}|add|place) {{n}} {{p}}|{{p}}(,|) (there's|there is|there are|"
            f"hang{s}|stand{s}|you see|we have|I put|is|are|now stands|has been put|someone's "
            f"put|somebody left) {{n}}( now|)|{{n}} ({have} come|came|{have} moved in|{have} been "
            f"{put.split('|')[0]}|{have} gone|got {put.split('|')[0]}|moved in) {{p}}|"
            f"{{who}} (wanted|needed|missed|felt like having) {{n}}, so there {be} (now |)(one|some) {{p}}|where "
            f"there was nothing, {{n}} now stand{s} {{p}}|"
            f"the room gained {{n}}(,|) {{p}}|somebody's {{n}} {be} {{p}}",
            n=new, p=place, who=self._who(),
        ).replace("somebody's a ", "somebody's ").replace("somebody's an ", "somebody's ")  # fmt: skip

    def _replace(self, what: Call, thing: Call) -> str:
        usual = super()._replace
        same = _noun_call(what)
        if (
            same is not None
            and same.args[0] == thing.args[0]
            and thing.args[1].op == "trait"
            and what.op == "just"
            and self.chance(0.7)
        ):
            return self._renewed(what, self._one_like(thing, same))
        if not self.chance(CASUAL):
            return usual(what, thing)
        many = what.op not in ("just",)
        return usual(what, thing) if many else self._renewed(what, self._thing(thing, "1"))

    def _one_like(self, thing: Call, kind: Call) -> str:
        """ "a red one made of metal": a thing of the kind that was named before."""
        words, tail, traits = [], "", thing.args[1]
        while traits.op == "trait":
            attribute, value, traits = traits.args
            if attribute == "material" and self.chance(0.4):
                tail = self.fill(" (made of|of|made from|in|out of) ") + mark(
                    value, MADE_OF.get(value, value)
                )
            else:
                words.append(mark(value, self.value(value)))
        some = self.pick("a", "a", "a new", "another,", "this") if words else self.pick("", "a new")
        return again(f"{some} {' '.join(words)} one{tail}", kind, thing)

    def _renewed(self, what: Call, new: str) -> str:
        """What takes the place of one thing."""
        subject, _ = self.group(what)
        return self.fill(
            "in {s} 's (old |former |)(place|spot|stead) (there's|there is|stands|we have|is|there now is|now "
            "stands|hangs) {n}|{n} (now |)(occupies|has|takes|fills|holds) the "
            "(place|spot|position|former place) of {s}|where {s} (stood|was|hung|used to be|had stood) (is now|"
            "there's now|stands|we now have|now there is|you see|is) {n}|"
            "{s} (had to go|broke|{c}|is gone|was thrown out|was sold|left|was taken away|got sold|gave up)(,|;|.| "
            "and| -|, so|, and|, so that) {n} (hangs|stands|is|sits|was put|now "
            "stands|has taken over|does the job|was bought|went) (there |)(in its (stead|place|spot)|instead|there|"
            "there now|in the same place|for it)|"
            "{s} (was|has been|got|is) (replaced|swapped|exchanged|traded in|changed|upgraded) (by|with|for|to) "
            "{n}|{who} (replaced|swapped|exchanged|traded|"
            "changed|has replaced|traded in) {s} (by|with|for|to) {n}|{s}(?|,|:) it's (now |been replaced by |been "
            "swapped for |become ){n}|{n} (now |)(stands|hangs|sits|is) (in place of {s}|"
            "instead of {s}|in the place of {s}|in the spot of {s}|where {s} (was|stood|used to be|hung))|out "
            "(goes|went|with) {s}(,|) (and |)in (goes|came|comes|with) {n}|{pl} (replace|swap|exchange) {s} (with|"
            "by|for) {n}|"
            "{who} (has|had|'s) {n} (now |)(in place of|instead of|rather than) {s}|no more {b}(,|:|;) {n} instead|"
            "{n} (came|came in|arrived|was bought|was put up|was put in|got "
            "installed) (in place of|to replace|instead of|as a replacement for|as a substitute for) {s}|{n} for "
            "{s}|{n}, not {s}|instead of {s}(,|) (it's now|there stands|it is|one finds) {n}|"
            "{n} (has|have) (ousted|replaced|succeeded|pushed out|supplanted) {s}|{who} did not (want|like|need) "
            "{s}, so {who2} (got|put|bought|chose|put up|set up) {n} (instead|in its place|there)",
            s=subject, n=new, c=self.fill(COMPLAINTS), b=subject.removeprefix("the "), who=self._who() or "they",
            who2=self.fill("(they|we|I|she|he)"),
            pl=self.fill(PLEAS),
        )  # fmt: skip


def _noun_call(program: Call) -> Call | None:
    """The call that names the kind of what is changed, the last one."""
    return next((part for part in reversed(list(program.calls())) if part.op == "all"), None)


def noun_of(program: Call) -> str:
    kind = _noun_call(program)
    return kind.args[0] if kind is not None else ""
