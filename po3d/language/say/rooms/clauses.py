"""What people say around a change or a question without telling anything about the room: clauses made at random from
tables of everyday words, so that a parser learns to read past any of them instead of knowing some by heart."""

from po3d.language.say.rooms.phrasing import Phrasing

_KIN = (
    "mother|father|mum|dad|gran|granny|grandpa|aunt|uncle|sister|brother|cousin|wife|husband|son|daughter|nephew|niece|"
    "partner|flatmate|roommate|friend|neighbour|boss|landlord|landlady|tenant|colleague|assistant|teacher|cleaner|painter|"
    "plumber|electrician|carpenter|decorator|student|patient|guest|visitor|customer|baby|toddler|cat|dog|kitten|puppy|"
    "parrot|in-laws|children|kids|twins|grandchildren|movers|workmen|builders|firemen|police"
)
_STUFF = (  # nouns of everyday life, hardly one of them a thing of these rooms
    "coffee|tea|soup|cake|bread|cheese|sugar|juice|wine|beer|ketchup|chocolate|breakfast|lunch|dinner|supper|meal|recipe|"
    "ink|paint|glue|dust|mud|sand|snow|rain|wind|smoke|steam|water|soap|shampoo|candle|match|socket|plug|cable|wire|"
    "battery|switch|screw|nail|hinge|handle|knob|lock|key|drill|hammer|ladder|toolbox|rope|tape|string|needle|button|"
    "fingerprint|scratch|crack|hole|stain|spill|leak|puddle|smell|noise|draught|shadow|glare|sun|moon|view|air|heat|"
    "party|wedding|birthday|holiday|weekend|visit|meeting|interview|lesson|homework|exam|deadline|job|shift|concert|film|"
    "game|match|puzzle|story|letter|parcel|bill|receipt|magazine|newspaper|map|calendar|ticket|passport|"
    "money|bargain|present|surprise|mistake|idea|plan|promise|joke|dream|headache|cold|knee|toe|elbow|back|foot|hand|"
    "shoes|socks|coat|scarf|hat|gloves|glasses|umbrella|laundry|blanket|sheet|duvet|toys|ball|drum|violin|bicycle|skis|"
    "school|office|shop|market|museum|garden|kitchen|hallway|cellar|attic|garage|balcony|street|station|airport|village|"
    "flood|fire|storm|burglary|renovation|inspection|delivery|sale|auction|insurance|internet|signal|password|radio|"
    "flowers|tulips|roses|herbs|leaves|moths|mice|ants|spiders|fish|hamster|feathers|crumbs|apples|bananas|oranges|"
    "space|room|order|quiet|privacy|comfort|exercise|sleep|rest|peace|fun|attention|help|advice|trouble|chaos|damage"
)
_LIKE = (
    "new|old|awful|terrible|lovely|nice|pretty|ugly|heavy|light-hearted|cheap|expensive|wobbly|squeaky|sticky|slippery|"
    "cramped|crowded|gloomy|stuffy|cosy|noisy|quiet|draughty|damp|chilly|warm|hot|cold|bare|boring|cheerful|fancy|modern|"
    "antique|rusty|faded|worn|torn|chipped|crooked|dangerous|safe|handy|useful|useless|pointless|awkward|practical|"
    "comfortable|uncomfortable|tidy|untidy|late|early|busy|tired|bored|happy|sad|angry|sick|allergic|pregnant|drunk|"
    "nervous|proud|sorry|grateful|famous|strange|weird|perfect|ridiculous|impossible|difficult|easy|fine|wrong|right"
)
_DO = (  # base, past
    "see,saw|hear,heard|smell,smelled|find,found|lose,lost|miss,missed|need,needed|want,wanted|like,liked|love,loved|"
    "hate,hated|enjoy,enjoyed|forget,forgot|remember,remembered|buy,bought|sell,sold|order,ordered|win,won|inherit,inherited|"
    "borrow,borrowed|return,returned|collect,collected|deliver,delivered|bring home,brought home|fix,fixed|mend,mended|"
    "break,broke|drop,dropped|spill,spilled|scratch,scratched|kick,kicked|hit,hit|bump into,bumped into|"
    "trip over,tripped over|step on,stepped on|wash,washed|wipe,wiped|scrub,scrubbed|polish,polished|dust,dusted|"
    "sweep,swept|vacuum,vacuumed|fold,folded|pack,packed|unpack,unpacked|hide,hid|lock,locked|"
    "unscrew,unscrewed|measure,measured|check,checked|reach,reached|grab,grabbed|carry,carried|feed,fed|water,watered|"
    "cook,cooked|bake,baked|roast,roasted|eat,ate|drink,drank|taste,tasted|read,read|write,wrote|draw,drew|paint,painted|"
    "study,studied|practise,practised|play,played|watch,watched|record,recorded|visit,visited|meet,met|invite,invited|"
    "call,called|ask,asked|tell,told|thank,thanked|teach,taught|help,helped|follow,followed|celebrate,celebrated|"
    "plan,planned|finish,finished|start,started|change,changed|try,tried|use,used|save,saved|spend,spent|waste,wasted|"
    "ruin,ruined|damage,damaged|cover,covered|protect,protected|block,blocked|attract,attracted|catch,caught|chase,chased|"
    "chew,chewed|steal,stole|sort out,sorted out|think about,thought about|wait for,waited for|look for,looked for|"
    "complain about,complained about|get used to,got used to|deal with,dealt with|pay for,paid for|get ready for,got ready for"
)
_MANNER = (
    "today|tonight|tomorrow|yesterday|again|at last|all day|every day|all the time|in peace|in the dark|at night|"
    "by accident|on purpose|for hours|at work|at home|in town|next week|last month|after school|before noon|"
    "in a hurry|properly|better|more easily|without any help|for the first time|as usual|as well|for free|in the rain|"
    "when I was little|these days|anyway|once more|from here|every single time|while I can"
)
_DOINGS = tuple(tuple(pair.split(",")) for pair in _DO.split("|"))
_NAMES = (
    "Sarah|Paul|Lisa|Kevin|Nina|Omar|Yuki|Carlos|Ingrid|Priya|Mehmet|Chloe|Otto|Grace|Ivan|Fatima|Leo|Ruth"
)


class Clauses(Phrasing):
    """Random clauses; `say` puts some around a sentence."""

    def clause(self) -> str:
        """ "my aunt wanted to bake a cake", "it was far too noisy in there", "there is hardly any light"."""
        roll = self.random.random()
        if roll < 0.3:
            would = self.fill(
                "(could not|couldn't|wanted to|had to|needed to|tried to|planned to|would love to|has to|have to|can now|"
                "can finally|can't|cannot|will|might|like to|is going to|are going to|was about to|used to|hope to|"
                "promised to|keep forgetting to|didn't|don't|does not|never)"
            )
            return f"{self.somebody()} {would} {self.deed()}"
        if roll < 0.55:
            return f"{self.somebody()} {self.fill('(|||just |has |have |had |never |always |once |already |finally )')}{self.deed(past=True)}"
        if roll < 0.8:
            what = self.fill(
                f"(it|it|it|that|this|everything|the {{n}}|the place|the room|{_KIN_AND_I})", n=self.noun()
            )
            end = (
                self.fill(
                    "(|in here|in there|for me|for us|over there|like that|that way|these days|at night|to me|up there)"
                )
                if self.chance(0.6)
                else f"to {self.deed()}"
            )
            be = "(is|was|'s|looked|looks|seemed|felt|got|has become|is getting|will be|would be|had been)"
            return self.fill(
                f"{{w}} {be} (|too |far too |so |rather |quite |very |a bit |a little |really |much too |no longer ){{a}} {{e}}",
                w=what, a=self.fill(f"({_LIKE})"), e=end,
            ).replace("I is", "I am").replace("I was", "I was")  # fmt: skip
        if roll < 0.9:
            return self.fill(
                "there (is|was|'s|will be|has been|were|are) (no|not enough|hardly any|a lot of|some|too much|always|still "
                "some|a|another|so much|plenty of) {n} {e}",
                n=self.noun(),
                e=self.fill(
                    "(|in here|in the house|around here|there|for {k}|nearby|everywhere)", k=self.somebody()
                ),
            )
        return self.fill(
            "the {n} (is|was|kept|keeps|needs|needed|got|started|must be|will be) (coming|going|breaking|falling off|here|"
            "over|missing|gone|{a}|in {m}|a {o}|the {o}|for {k})",
            n=self.noun(), a=self.fill(f"({_LIKE})"), m="trouble", o=self.noun(), k=self.somebody(),
        )  # fmt: skip

    def deed(self, past: bool = False) -> str:
        """ "bake a cake for the party"."""
        base, done = _DOINGS[int(self.random.integers(len(_DOINGS)))]
        what = self.fill(
            "(a {n}|the {n}|my {n}|some {n}|{n}|our {n}|his {n}|her {n}|their {n}|the {a} {n}|a {a} {n}|me|"
            "something|anything|everything|people)",
            n=self.noun(),
            a=self.fill(f"({_LIKE})"),
        )
        text = f"{done if past else base} {what}"
        if self.chance(0.25):
            text += f" {self.fill('(for|with|without|near|from|after|before|during|because of)')} {self.fill('(the|my|a|our)')} {self.noun()}"
        if self.chance(0.3):
            text += f" {self.fill(f'({_MANNER})')}"
        return text

    def noun(self) -> str:
        return self.fill(f"({_STUFF})")

    def somebody(self) -> str:
        return self.fill(
            f"(I|I|I|we|we|you|they|he|she|nobody|somebody|everyone|people|{_KIN_AND_I}|{_NAMES})"
        )

    def purpose(self) -> str:
        """ "to make room for the drum", "so that my uncle can sleep"."""
        if self.chance(0.5):
            return self.fill("(to|to|in order to|so as to|so as not to|just to) {d}", d=self.deed())
        return self.fill(
            "so (that |){k} (can|could|does not|won't|will|has to|would) {d}",
            k=self.somebody(),
            d=self.deed(),
        )

    def beside(self, text: str) -> str:
        """A stated change with a clause before or after it."""
        clause = self.clause()
        roll = self.random.random()
        if roll < 0.28:
            return self.fill(
                "{c}(, so|, so|. so|;|.|.|, and so|, that's why|, which is why| -|:|, and|, but|, therefore|!) {t}", c=clause, t=text
            )  # fmt: skip
        if roll < 0.45:
            return self.fill(
                "(because|since|as|now that|after|when|whenever|before|although|seeing that) {c}, {t}",
                c=clause,
                t=text,
            )
        if roll < 0.55:
            return f"{self.purpose()}, {text}"
        text = text.rstrip(".!,; ")
        if roll < 0.72:
            return self.fill(
                "{t}(,|) (because|since|as|so|so now|and now|where|before|after|although|even though|whenever|while|when|"
                "otherwise|and) {c}",
                c=clause, t=text,
            )  # fmt: skip
        if roll < 0.86:
            return f"{text}{self.pick('', '', ',')} {self.purpose()}"
        return self.fill("{t}(.|.|;|!| -|:| ...) {c}", c=clause, t=text)

    def around(self, question: str) -> str:
        """A question with a clause before or after it."""
        clause = self.clause()
        return self.fill(
            "{c}(.|.|.|, so|;|, and|, but|:|!| -) {q}|(now that|since|because|as|if|when|before|after|seeing that) {c}, {q}|"
            "{q}(, because| because|, since|;|?|? I ask because|, now that| now that|.| -) {c}",
            c=clause,
            q=question,
        )

    def relative(self) -> str:
        """What is said of a thing and tells it from no other: "which my aunt bought in a hurry"."""
        return self.fill(
            "which {k} (always |never |once |){d}|the one {k} {d}|which was (always |so |rather |far too |quite ){a}|"
            "{a} as (it was|ever)|the {a} one|that (old|silly|lovely) thing",
            k=self.somebody(), d=self.deed(past=True), a=self.fill(f"({_LIKE})"),
        )  # fmt: skip


_KIN_AND_I = "|".join(f"{whose} {k}" for k in _KIN.split("|") for whose in ("my", "the"))
