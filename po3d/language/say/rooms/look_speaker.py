"""Sentences about new looks and states, new things, and things in the place of others."""

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.phrases import NEXT_TO, PEOPLE
from po3d.language.say.rooms.speaker import MADE_OF, Speaker, article
from po3d.language.say.rooms.utterance import mark
from po3d.scene.rooms import COLORS, MATERIALS

NUMBER_WORDS = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six"}
# How a state comes about: what was done to {a}; {w} is the word for the state that the executor knows.
DONE = {
    "open": "opened|open", "closed": "shut|closed", "empty": "emptied|drained|unloaded", "full":
        "filled|loaded|stuffed", "clean":
    "cleaned|washed|scrubbed|wiped|polished", "dirty": "soiled|stained|muddied", "broken":
        "smashed|broken|damaged|cracked|shattered|wrecked", "folded": "folded",
}  # fmt: skip
AFTER_DONE = {
    "empty": "( out| completely|)",
    "full": "( up| to the brim| to the top|)",
    "clean": "( down| thoroughly|)",
    "folded": "( up| neatly|)",
    "open": "( wide|)",
}
HAPPENED = {
    "open": "{a} (was|has been|is) (left|standing) {w}|{who} (left|forgot to close and left) {a} {w}|"
        "{a} (stands|swung|is standing|flew) {w}|{who} (swung|threw|pushed|pulled) {a} {w}|the (drawers|"
        "lid|wings) of {a} (are|were left) {w}|{who} left the (drawers|lid) of {a} {w}",
    "closed": "{who} (pulled|pushed|slammed|swung) {a} {w}|{a} (fell|was slammed|was pulled|stays) {w}|"
        "{a} is no longer open but {w}|{a} (was open, but|used to be open, but) now it is {w}",
    "empty": "there is {nothing} (left |)in {a} (any more|now|)|{who} (drank|ate|used|took) (from|"
        "out of) {a} until {nothing} was left in it|{who} took everything out of {a}, so it is {w}|"
        "{a} has {nothing} in it (any more|now|)|{a} is no longer full but {w}",
    "full": "{who} (put|packed|stuffed) (things|books|stuff|water) into {a} until it was {w}|"
        "{a} is no longer empty but {w}|{a} (was|has been) (packed|stuffed) until it was {w}|{a}, (once|"
        "formerly) empty, is {w} now",
    "clean": "{who} (wiped|scrubbed|washed|cleaned) {a} until it was {w}|{a} (was|got|has been) (wiped|"
        "scrubbed|washed|swept) {w}|{a} (was|has been|got) (scrubbed|wiped|washed|"
        "cleaned) until it was {w}|{who} (got|made|wiped|scrubbed|licked) {a} {w}|"
        "{a} is no longer dirty but {w}|{a} is {w} again",
    "dirty": "{who} {spilled} (coffee|juice|soup|wine|milk|paint) (on|over|all over) {a}|"
        "{a} is no longer clean but {w}|{who} (made|got) {a} {w}|{a} got all {w}|{who} left {a} {w}",
    "broken": "{who} {broke} {a}|{a} {broke}|{a} fell (down|over|) and is {w} now|{a} (got|is) {w}|"
        "{who} dropped {a} and now it is {w}",
    "folded": "{a} (lies|is lying|is) {w} (now|)|{who} left {a} {w}|{a} lies there {w}",
    "on": "{a} (has been|was|got|is) (turned|switched|powered) {w}|{who} (turned|switched|flipped|"
        "powered) {a} {w}|{who} (turned|switched) {w} {a}|(turn|switch) (on purpose |){a} {w}|(turn|"
        "switch) {w} {a}|{a} is (now |back |){w} (now|again|)|{a} is no longer off but {w}|"
        "{a} is {running} (now|)|{who} left {a} {w}|{a} was left {w}",
    "off": "{a} (has been|was|got|is) (turned|switched|powered) {w}|{who} (turned|switched|flipped|"
        "shut) {a} {w}|{who} (turned|switched) {w} {a}|(turn|switch) {a} {w}|(turn|switch) {w} {a}|"
        "{a} is (now |){w} (now|again|)|{a} is no longer on but {w}|{a} (was|got|has been) {unplugged}|"
        "{who} {unplugged} {a}|{a} went {w}",
}  # fmt: skip
BY_OTHER_WORD = {
    "nothing": "nothing",
    "spilled": "spilled",
    "broke": "broke",
    "running": "(running|lit|working)",
    "unplugged": "unplugged",
}
EXTRAS = (
    "(tall|big|small|little|large|tiny|thick|wide|second hand|round|square|long|low|high|narrow|old|used|"
    "colorful|flowering|fluffy|matching|similar|"
    "stylish|lovely|huge|short|sleek|soft|folding|free standing)"
)


class LookSpeaker(Speaker):
    """What the change speaker says of looks, additions and replacements."""

    asks = False
    nobody = False  # whether the one who did it was said before: "I was bored and painted the plant"

    def _who(self) -> str:
        return "" if self.nobody else self.fill(PEOPLE)

    def next_to(self) -> str:
        return self.fill(NEXT_TO)

    def place(self, where: Call, small: bool = False) -> str:
        raise NotImplementedError

    def _set(self, attribute: str, value: str, what: Call) -> str:
        subject, many = self.group(what)
        has, be, was = ("have", "are", "were") if many else ("has", "is", "was")
        word, who = mark(value, self.value(value)), self._who()
        if attribute == "color":
            other = COLORS[int(self.random.integers(len(COLORS)))]
            it_is = "they are" if many else "it is"
            return self.fill(
                f"{{a}} ({has} been|{was}|got|{be}|{has} just been|{be} now) (painted|repainted|dyed|"
                f"colored|coloured|spray painted|recolored|sprayed|tinted) {{w}}|"
                f"{{a}} ({be}|{be} now|{has} become|became|turned|{has} turned|went|will be|would be|"
                f"{has} gone) {{w}}( now|)|"
                f"the (color|colour) of {{a}} (has been changed|changed|was changed|is changed|went|"
                f"switched|has turned) (from {other} |)to {{w}}|"
                f"the (color|colour) of {{a}} is now {{w}}|{{a}} {has} been changed (from {other} |"
                f")to {{w}}|{{a}} {be} not {other} (any more|anymore) but {{w}}|"
                f"{{who}} (painted|repainted|dyed|colored|spray painted|sprayed|recolored) {{a}} (in |"
                f"){{w}}|{{who}} (painted|repainted|dyed) {{a}} and now {it_is} {{w}}|"
                f"{{a}} got a (fresh |new |)(coat|layer|lick) of {{w}} paint|{{who}} gave {{a}} a (fresh |"
                f")(coat|layer|lick) of {{w}} paint|{{a}} got (a {{w}} finish|some {{w}} paint|a {{w}} cover)|"
                f"(paint|make|color|repaint|dye) {{a}} {{w}}|{{a}} (changed|{has} changed) (color|colour|"
                f"its color) (from {other} |)to {{w}}|"
                f"{{a}} used to be {other}(, but| and) (now |){it_is} (now |){{w}}|"
                f"{{a}} {be} {{w}} instead of {other}|the (upholstery|surface|paint|cover) of {{a}} (was|"
                f"has been) (dyed|painted|changed to) {{w}}|"
                f"{{who}} (made|turned) {{a}} {{w}}|{{who}} changed the (color|colour) of {{a}} to {{w}}|"
                f"{{a}} now (comes|shines) in {{w}}|what if {{a}} {was} {{w}}|"
                f"(painting|dyeing) {{a}} {{w}}|{{w}} is the new (color|colour) of {{a}}|"
                f"{{a}} wear{'' if many else 's'} {{w}} now|{{who}} (wants|wanted|decided) to paint {{a}} {{w}}",
                a=subject, w=word, who=who,
            )  # fmt: skip
        if attribute == "material":
            bare, other = (
                mark(value, MADE_OF.get(value, value)),
                MATERIALS[int(self.random.integers(len(MATERIALS)))],
            )
            return self.fill(
                f"{{a}} (is|{be} now|will be|would be|{be}) made (out |)of {{m}} (now|)|"
                f"{{a}} ({has} become|turned|became|{has} turned) {{w}}|{{a}} {be} (now |){{w}} (now|)|"
                f"the material of {{a}} (has been changed|changed|was changed) (from {other} |)to {{m}}|"
                f"{{a}} ({has} been|{was}) changed (in|)to a {{w}} one|"
                f"{{a}} ({has} been|{was}) (remade|rebuilt|made anew|redone) (in|out of|from) {{m}}|"
                f"the material of {{a}} is now {{m}}|{{a}} {be} not {other} any more but {{w}}|"
                f"{{a}} (consists|is built) of {{m}} now|{{who}} (remade|rebuilt) {{a}} (in|out of|"
                f"from) {{m}}|imagine {{a}} were made of {{m}}|{{who}} (made|turned) {{a}} {{w}}",
                a=subject, w=word, m=bare, who=who,
            )  # fmt: skip
        if value in ("on", "off") or (value in HAPPENED and not many and self.chance(0.35)):
            others = {key: mark(value, self.fill(said)) for key, said in BY_OTHER_WORD.items()}
            return self.fill(HAPPENED[value], a=subject, w=word, who=who, **others)
        if value in DONE and self.chance(0.6):
            done, how = mark(value, self.fill(f"({DONE[value]})")), self.fill(AFTER_DONE.get(value, ""))
            return self.fill(
                f"{{a}} ({has} been|{was}|got|{was} just|{has} just been|{be}|{be} being) {{d}}{{h}}|"
                f"{{a}} ({has} been|{was}|got|{be}) {{d}}{{h}}|{{who}} (|||has |just ){{d}} {{a}}{{h}}|"
                f"{{a}}: {{d}}{{h}}",
                a=subject,
                d=done,
                h=how,
                who=who,
            )
        return self.fill(
            f"{{a}} ({be} now|{has} become|{has} been made|{be}|got|{has} turned|became|{be} left|"
            f"{was} left|will be|would be|{was} made|turned|{be} all|gets) {{w}}|{{a}} {be} {{w}} now|"
            f"now {{a}} {be} {{w}}|"
            f"the (state|condition) of {{a}} (is now|has changed to|changed to|was changed to) {{w}}|"
            f"{{who}} (made|left|got) {{a}} {{w}}|make {{a}} {{w}}",
            a=subject,
            w=word,
            who=who,
        )

    def _thing(self, thing: Call, number: str, plainly: bool = False) -> str:
        """ "a red wooden chair", "two new lamps"; `plainly`: without article or number."""
        name, traits = thing.args
        many = number != "1"
        words: list[str] = []
        tail = ""
        while traits.op == "trait":
            attribute, value, traits = traits.args
            if attribute == "material" and self.chance(0.25):
                tail = self.fill(" (made of|of|made from) ") + mark(value, MADE_OF.get(value, value))
            else:
                words.append(mark(value, self.value(value)))
        if self.chance(0.15):
            words.insert(0, self.fill(EXTRAS))
        noun = self.noun(name, many) + tail
        if self.chance(0.05):
            noun += self.fill(
                " (of flowers|of the neighbours|for guests|from the shop|from IKEA|"
                "with flowers|that matches the curtains|for my mother|with wheels|from the attic)"
            )
        phrase = " ".join([*words, noun])
        if plainly:
            return phrase
        if many:
            some = {
                "2": "(2|two|two|two|a pair of|a couple of|two more|another two|two new|two additional|"
                "two extra)",
                "3": "(3|three|three|three more|three new|another three)",
            }
            return f"{self.fill(some.get(number, f'({number}|{NUMBER_WORDS[number]})'))} {phrase}"
        roll = self.random.random()
        if roll < 0.07:
            return f"another {phrase}"
        if roll < 0.12:
            return f"{self.fill('(one more|a second|an extra|an additional|some|one)')} {phrase}"
        if roll < 0.15:
            return f"{self.pick('my', 'his', 'her', 'their', 'our')} {phrase}"
        return article(f"new {phrase}" if self.chance(0.2) else phrase)

    def _add(self, number: str, thing: Call, where: Call) -> str:
        new, place = self._thing(thing, number), self.place(where)
        many = number != "1"
        have, be, was = ("have", "are", "were") if many else ("has", "is", "was")
        it, s = ("them", "") if many else ("it", "s")
        lives = "they live" if many else "it lives"
        stands = "they stand" if many else "it stands"
        return self.fill(
            f"{{n}} ({have} been|{was}|{be}|{have} just been|{be} now|got|{be} being|will be) (added|"
            f"placed|put|introduced|set up|brought in|set|installed|left|set down|dropped|parked|stood|"
            f"laid|dumped|stationed|positioned|put up|squeezed in|delivered and put|leaned|arranged) {{p}}|"
            f"there (is|are) (now |){{n}} {{p}}( now|)|there's (now |){{n}} (sitting |standing |lying |"
            f"){{p}}( now|)|now there (is|are|'s) {{n}} {{p}}|"
            f"{{who}} (added|placed|put|introduced|set up|brought in|left|set|stood|dropped|parked|laid|"
            f"stuck|leaned|installed|has put|has placed|just put|forgot|deposited|positioned|hung|"
            f"propped) {{n}} {{p}}|"
            f"(add|place|put|bring in|set up|leave|set|imagine|picture|introduce|install|"
            f"stand) {{n}} {{p}}|{{p}}(,|) (there (is|are) (now |){{n}}|{{n}} {be} (added|placed|put|brought in|set up|introduced)|"
            f"{{who}} put {{n}}|(stands|sits) {{n}} now|you (now |)(see|find) {{n}})|"
            f"{{n}} (now |)(stand{s}|sit{s}|rest{s}|{'lie' if many else 'lies'}|live{s}|"
            f"hang{s}) {{p}} (now|)|{{who}} (bought|got|ordered|fetched|found|brought|received) {{n}} (and|"
            f", and) (put {it}|{lives}|{stands}|placed {it}|set {it} up|left {it}|{it} went) {{p}} (now|)|"
            f"(picture|imagine|suppose there is|say there is|think of|what if there was|"
            f"assume there is) {{n}} (sitting |standing |lying |placed |){{p}}|"
            f"{{n}} ({have} |)(appeared|showed up|arrived|joined the room|turned up|popped up) {{p}}|"
            f"{{who}} (want|wants|would like|plan|decided|'d like|decided) to (put|stand|place|have|add|"
            f"set up) {{n}} {{p}}|"
            f"{{p}} is {{n}}|the room got {{n}}(,|) {{p}}|(I'd like to|let us|let's|we should|you should|"
            f"we will|I will|go and) (stand|put|place|add|leave) {{n}} {{p}}|"
            f"{{n}} {have} been brought in and (left|placed|put) {{p}}|{{who}} (brought in|bought|"
            f"got) {{n}} and (left|put|placed|set|parked) {it} {{p}}|"
            f"{{n}} found (a|its) (home|place) {{p}}|we have {{n}} {{p}} now|the room now has {{n}} {{p}}|"
            f"(adding|placing|putting) {{n}} {{p}}",
            n=new, p=place, who=self._who(),
        )  # fmt: skip

    def _replace(self, what: Call, thing: Call) -> str:
        subject, many = self.group(what)
        new = self._thing(thing, "2", plainly=True) if many else self._thing(thing, "1")
        have, be, was = ("have", "are", "were") if many else ("has", "is", "was")
        it = "them" if many else "it"
        their = "their" if many else "its"
        return self.fill(
            f"{{a}} ({have} been|{was}|{be}|got|{be} now|{have} just been|will be) replaced (with|by|by|"
            f"with) {{n}}|{{a}} ({have} been|{was}|{be}|got) (swapped|swapped out|exchanged|traded|"
            f"substituted|traded in|changed) (for|with|by|for) {{n}}|"
            f"{{who}} (replaced|swapped|exchanged|traded|substituted|swapped out|has replaced|has swapped|"
            f"just replaced) {{a}} (with|for|by) {{n}}|{{who}} (swapped|traded|switched|"
            f"changed) {{a}} (out |)for {{n}}|"
            f"{{n}} {have} (replaced|taken the place of|taken over from|superseded) {{a}}|{{n}} (took|"
            f"takes|is taking) the place of {{a}}|(replace|exchange|substitute|swap) {{a}} (with|for|by) {{n}}|"
            f"{{a}} (made|had to make|{have} made|makes) way for {{n}}|{{a}} (gave|had to give|"
            f"{have} given) way to {{n}}|{{a}} (made|had to make) (room|space) for {{n}}|"
            f"where {{a}} (was|stood|used to be|used to stand|had been|were)(, | )(there is {{n}} now|"
            f"there is now {{n}}|they put {{n}}|{{who}} put {{n}}|{{n}} now stands|now stands {{n}}|"
            f"{{n}} stands now|we have {{n}} now|you now find {{n}})|"
            f"(in place|in the place|instead|in lieu) of {{a}}(,|) there (is|is now|are) {{n}} (now|)|"
            f"there is {{n}} (now |)(instead|in place|in lieu) of {{a}}|instead of {{a}}(,|) (we have|"
            f"there's|you now see|they put) {{n}}|"
            f"{{n}} (now |)(stands|is|sits|stand) (where {{a}} (stood|was|used to be)|in place of {{a}}|"
            f"instead of {{a}})|{{n}} {be} put in the place of {{a}}|"
            f"{{a}} ({was}|{have} been|{be}) (removed|taken out|taken away|thrown out|carried out)(,| and|"
            f", and) {{n}} (was|has been|is) (put|placed|set|set up) (in {their} place|there instead|there|"
            f"in {their} spot|instead)|"
            f"{{who}} (threw out|got rid of|sold|removed|took away|gave away) {{a}} and (put|placed|got|"
            f"set up|bought|installed) {{n}} (instead|in {their} place|there|in the same spot)|"
            f"{{a}} {have} (become|turned into|been turned into|been upgraded to|been changed to|"
            f"been changed into|been transformed into) {{n}}|{{a}} (became|turned into) {{n}}|"
            f"{{a}} out, {{n}} in|"
            f"{{who}} put {{n}} (in the place of|where|instead of) {{a}}|"
            f"{{a}} {be} no longer there; {{n}} stands (there|in {their} place) (now|instead)|"
            f"the place of {{a}} (was taken|is now taken|has been taken) by {{n}}|"
            f"{{a}} {was} taken (out|away) to make room for {{n}}|(replacing|swapping) {{a}} (with|"
            f"for) {{n}}|{{a}} {be} gone and {{n}} (stands|is) (there|in {their} place) (now|instead)|"
            f"put {{n}} in place of {{a}}|"
            f"{{who}} (upgraded|changed) {{a}} (to|into) {{n}}|"
            f"{{who}} took {{a}} away and {it} was replaced by {{n}}",
            a=subject, n=new, who=self._who(),
        ).replace(" instead of where", " where")  # fmt: skip
