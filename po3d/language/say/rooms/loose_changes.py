"""Changes told by the way: amid random talk (room_clauses), as the end of a small story, with what led to them."""

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.casual_changes import CasualChanges
from po3d.language.say.rooms.casual_looks import noun_of
from po3d.language.say.rooms.casual_phrases import PUT, WIPED, paired
from po3d.language.say.rooms.change_speaker import ACTIVE, MOVES, REMOVALS
from po3d.language.say.rooms.loose_things import LooseThings
from po3d.language.say.rooms.utterance import mark
from po3d.scene.rooms import hangs, stands_on_top

ABOUT, STORY, SOMEBODY, RELATIVE = 0.14, 0.1, 0.12, 0.05  # shares of what is said in this module's words
_MORE_PUT = (
    *PUT,
    *paired("carried off,carry off|taken over,take over|hauled over,haul over|whisked over,whisk over"),
)
_PUT = "|".join(past for past, _ in _MORE_PUT)
_HANDLED = (
    "unscrewed|measured|lifted|wrapped up|checked|taken apart|picked up|loosened|untied|weighed|inspected|photographed|tested|"
    "admired|grabbed|pulled out|tipped over|repaired|labelled|insured|discussed"
)
_AT_LAST = "(|||finally |at last |now |again |then |already |simply |also )"


class LooseChanges(CasualChanges, LooseThings):
    def say(self, program: Call) -> str:
        text = super().say(program)
        return self.talk.beside(text) if self.chance(ABOUT) else text

    def _who(self) -> str:
        who = super()._who()
        if not who or not self.chance(SOMEBODY):
            return who
        if self.chance(0.3):
            return f"{self.fill('(whoever|someone who|the one who|the person who|those who)')} {self.talk.deed(past=True)}"
        return self.talk.somebody()

    def _teller(self) -> str:
        """Who did it, unless that was said before."""
        return "" if self.nobody else self.talk.somebody()

    def group(self, program: Call) -> tuple[str, bool]:
        subject, many = super().group(program)
        if program.op == "just" and subject.startswith(("the ", "that ", "my ")) and self.chance(RELATIVE):
            here = "in the middle of the floor|over there|you see there|with all the {n}|next to the {n}|by the {n}"
            subject = (
                f"{subject}, {self.talk.relative()},"
                if self.chance(0.6)
                else self.fill(f"{{s}} ({here})", s=subject, n=self.talk.noun())
            )
        return subject, many

    def _set(self, attribute: str, value: str, what: Call) -> str:
        """ "I wiped the crumbs off the table, so it is clean"."""
        if not self.chance(STORY):
            return super()._set(attribute, value, what)
        subject, many = self.group(what)
        they, be = ("they", "are") if many else ("it", "is")
        word = mark(value, self.value(value))
        if value in ("on", "off"):
            word = self.fill("(|switched |turned )") + word
        if value == "clean" and self.chance(0.4):
            return self.fill(
                "{k} (gave|finally gave|has given) {a} a (good|quick|thorough|long overdue|proper) "
                "(wipe|scrub|clean|wash|dusting|polish|rub down)(, so| and|,|;|, and now) {t} {be} {w}( now| again|)",
                k=self._teller(), a=subject, t=they, be=be, w=word,
            )  # fmt: skip
        return self.fill(
            f"{{k}} {{d}} (on|off|from|around|in|at|under|for) {{a}}(, so| so| and|, and| until|;|, that's why|.) {they} "
            f"({be}|'s|{be} now|went|turned out|got|{be} all) {{l}}{{w}}( now|)|"
            f"{{a}} (was|has been|had to be|needed to be) {{x}}(, so| and|, and|;| until) {they} ({be}|{be} now|turned) {{w}}|"
            f"{{a}} (needed|wanted|had) {{o}}(, so| and|, and|;) (now |){they} {be} {{l}}{{w}}|"
            f"{{c}}(, so|;|, and|.) {{k}} (left|wanted|got|made|had|kept) {{a}} {{w}}",
            k=self._teller(), d=self.talk.deed(past=True), a=subject, l=self.fill(_AT_LAST), w=word, x=self._handled(),
            o=self.fill("(a|some|the) ") + self.talk.noun(), c=self.talk.clause(),
        )  # fmt: skip

    def _handled(self, gone: bool = False) -> str:
        """What was done to a thing on the way and changed nothing that is told of it: "measured and lifted"; before a
        thing is `gone`, its state counts no more."""
        done = _HANDLED + ("|emptied|cleaned|washed|polished|unplugged|folded|packed|dusted" if gone else "")
        return self.fill(f"({done}|{done}, {done}|{done} and {done}|carefully {done}|{done} from the wall)")

    def _remove(self, what: Call) -> str:
        if not self.chance(STORY):
            return super()._remove(what)
        subject, many = self.group(what)
        they, be, was = ("they", "are", "were") if many else ("it", "is", "was")
        past, base = (WIPED, REMOVALS)[int(self.random.integers(2))][int(self.random.integers(len(REMOVALS)))]
        return self.fill(
            f"{{a}} ({was}|has been|got|had been) {{x}}(,|) and (then |finally |){past}|{{a}} ({was}|got) {{x}}(;|.|, then) "
            f"{they} (left us|{be} gone|{was} {past}|{be} not here any more|{be} no longer here)|"
            f"{{a}} {be} (in|at|on|with|on the way to) (the|my|a) {{n}}(, so|;|.| and|, which means) {they} ({be}|'re|'s) (not|no "
            f"longer) (in the room|here|there|with us|in here)( any more|)|{{a}}, {{r}}, {be} (no longer (there|here)|gone|no more|{past})|"
            f"{{k}} {{d}} and (had to|decided to|was able to|could) {base} {{a}}|{{k}} {{past}} {{a}} {{p}}|"
            f"{{a}} was (broken|damaged|dirty|worn out|cracked|filthy|wet|mouldy|stuck)(, so|, and so|;|, that's why) (out {they} went|"
            f"{they} had to go|{{k}} {{past}} {they}|away {they} went)|"
            f"{{past}} {{a}} (on eBay|at the market|to a collector|for a good price|for a few coins|to {{k}}|at the auction|last {{n}})|"
            f"(we|they|I) (can|could|must|had to) {base} {{a}} {{p}}|{{a}} (finally |at last |){{was}} (cleared away|moved "
            f"out|{past}) {{p}}",
            a=subject, x=self._handled(gone=True), n=self.talk.noun(), k=self._teller(), d=self.talk.deed(past=True),
            r=self.talk.relative(), p=self.talk.purpose(), past=ACTIVE.get(past, past), was=was,
        )  # fmt: skip

    def _moving(self, what: Call, where: Call) -> str:
        if where.op == "shift" or not self.chance(STORY):
            return super()._moving(what, where)
        subject, many = self.group(what)
        was, it = ("were", "them") if many else ("was", "it")
        past, base = (_MORE_PUT, MOVES)[int(self.random.integers(2))][int(self.random.integers(len(PUT)))]
        return self.fill(
            f"{{a}} ({was}|has been|got) {{x}}(,|) and (then |finally |){past} {{p}}|{{k}} {{d}} and ({past}|put|moved|left) {{a}} {{p}}|"
            f"{{k}} (took|got|picked up|fetched|grabbed|collected) {{a}}(,| and) {{d}} and ({past}|put|left) {it} {{p}}|"
            f"{{a}} ({was}|has been) {past} {{p}} {{u}}|{{k}} {past} {{a}} {{p}} {{u}}|{{k}}, {{r}}, {past} {{a}} {{p}}|"
            f"(whoever|someone who|the person who|the one who) (was using|was reading|used|borrowed|had|needed|was carrying|took) {{a}} "
            f"(left|put|forgot|dropped|set|placed) {it} {{p}}|"
            f"{{u}}, {{k}} (had to|decided to|went to|chose to) {base} {{a}} {{p}}",
            a=subject, x=self._handled(), k=self._teller(), d=self.talk.deed(past=True), u=self.talk.purpose(),
            r=self.talk.relative(), p=self.place(where, stands_on_top(str(noun_of(what)))),
        )  # fmt: skip

    def place(self, where: Call, small: bool = False) -> str:
        if where.op == "on" and self.chance(0.06):
            return self.fill(
                "(with|next to|among|beside|together with) the (other (stuff|things|bits|papers)|rest|{n}) on {a}",
                n=self.talk.noun(),
                a=self.thing(where.args[0]),
            )
        if where.op == "on" and small and self.chance(0.05):
            return f"{self.pick('over', 'across', 'over the top of', 'over the back of')} {self.thing(where.args[0])}"
        return super().place(where, small)

    def _thing(self, thing: Call, number: str, plainly: bool = False) -> str:
        phrase = super()._thing(thing, number, plainly)
        if self.chance(0.06):
            phrase += self.fill(
                " (of {n}|with {n}|for {k}|full of {n}|with a {n})",
                n=self.talk.noun(),
                k=self.talk.somebody(),
            )
        return phrase

    def _add(self, number: str, thing: Call, where: Call) -> str:
        """ "Whoever was here last left two dirty cups on the table"."""
        name = str(thing.args[0])
        if hangs(name) or not self.chance(STORY):
            return super()._add(number, thing, where)
        new, place = (
            self._thing(thing, number),
            self.place(where, stands_on_top(name)),
        )
        it, be = ("them", "are") if number != "1" else ("it", "is")
        return self.fill(
            f"{{k}} ({_PUT}|left|forgot|dropped|left behind|set down|put down|deposited) {{n}} {{p}}|{{k}} {{d}} and ({_PUT}|left|forgot) "
            f"{{n}} {{p}}|{{k}} (bought|found|made|got|brought home|fetched|was given|ordered|borrowed) {{n}} (and {{d}}|{{u}})(, and|;|.) "
            f"(now |)(it's|{be}|put {it}|stood {it}|left {it}|it {be}) {{p}}|{{k}} ({_PUT}|left) (my|his|her|their) {{b}} {{p}} {{u}}|"
            f"{{n}} (was|were|has been|have been|got) ({_PUT}|stacked|piled up|thrown|tossed|hung up|arranged) {{p}}|{{n}} {be} "
            f"(now |){{p}}(,|) {{u}}|{{u}}, {{k}} (put|set up|placed|added) {{n}} {{p}}",
            k=self._teller(), d=self.talk.deed(past=True), n=new, p=place,
            u=self.talk.purpose(), b=self._thing(thing, number, plainly=True),
        )  # fmt: skip
