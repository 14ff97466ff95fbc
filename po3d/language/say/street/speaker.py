"""Says a phrase tree as a question, choosing among the templates of a grammar at random."""

from po3d.language.english import with_article
from po3d.language.program import ProgramError
from po3d.language.say.street.grammar import COMPARISONS, SPOKEN_ORDER, Ask, Link, Pair, Things
from po3d.language.say.street.phrasing import Phrasing


class Speaker(Phrasing):
    """Says one question."""

    def say(self, ask: Ask) -> str:
        links = [link for group in ask.groups for link in group.links()]
        frames = [link.args[1] for link in links if link.op == "relate"]
        opening = ""
        if (
            frames
            and all(f == "camera" for f in frames)
            and "camera" in self.grammar.opening
            and self.chance(0.35)
        ):
            self.camera_opened = True
            opening = self.fill(self.grammar.opening["camera"]) + ", "
        polite = self.grammar.opening.get("polite")
        if not opening and polite and self.chance(0.06):
            opening = self.fill(polite) + " "
        if ask.op == "equal":
            return opening + self.equal(ask)
        if ask.op in COMPARISONS:
            one, two = (self.phrase(g, "", True) for g in ask.groups)
            if self.grammar.free:
                special = self.comparison(ask)
                if special is not None:
                    return opening + special
                if self.chance(0.7):
                    contrast = self.contrast(*ask.groups)
                    if contrast is not None:
                        one, two = contrast
                        return opening + self.fill(self.grammar.ask[f"{ask.op}.contrast"], one=one, two=two)
            return opening + self.fill(self.grammar.ask[ask.op], one=one, two=two)
        key = f"query.{ask.args[0]}" if ask.op == "query" else ask.op
        return opening + self.question(key, ask.groups[0])

    def comparison(self, ask: Ask) -> str | None:
        """Counts of two collisions, or of two sides of one thing in its own view; None for others or by
        chance."""
        links = [group.source for group in ask.groups]
        if (
            isinstance(links[0], Link)
            and links[0] == links[1]
            and all(group.filters for group in ask.groups)
            and ask.groups[0].filters != ask.groups[1].filters
            and self.chance(0.85)
        ):
            forms = self.forms(links[0])
            if "be" in forms:
                one, two = (self.phrase(Things(g.filters), "", True, nested=True) for g in ask.groups)
                where = self.speak(links[0], "be", forms, True)
                return self.fill(self.grammar.ask[f"{ask.op}.common"], one=one, two=two, be=where)
        if ask.groups[0].filters != ask.groups[1].filters or not all(isinstance(k, Link) for k in links):
            return None
        things = lambda: self.phrase(Things(ask.groups[0].filters), "", True, nested=True)  # noqa: E731
        if all(k.op == "collide" for k in links) and self.chance(0.6):
            again = links[0].target == links[1].target and self.chance(0.7)
            return self.fill(
                self.grammar.ask[f"{ask.op}.collide"],
                things=things,
                one=lambda: self.phrase(links[0].target),
                two=(lambda: "it") if again else lambda: self.phrase(links[1].target),
                travel1=lambda: self.fill(self.grammar.opening[f"travel.{links[0].args[0]}"]),
                travel2=lambda: self.fill(self.grammar.opening[f"travel.{links[1].args[0]}"]),
            )
        own = all(k.op == "relate" and k.args[1] == "object" for k in links)
        if own and links[0].target == links[1].target and self.chance(0.7):
            places = [self.speak(k, "be", self.forms(k, True, True), True, True, True) for k in links]
            view = self.fill(
                self.grammar.opening["view"],
                ref=lambda: self.phrase(links[0].target, nested=True),
                its=lambda: self.phrase(links[0].target, nested=True) + "'s",
            )
            return f"{view}, " + self.fill(
                self.grammar.ask[f"{ask.op}.contrast"], one=f"{things()} {places[0]}", two=places[1]
            )
        return None

    def contrast(self, one: Things, two: Things) -> tuple[str, str] | None:
        """Two groups that differ in one thing alone: "cars left of the bus", "in front of the van"; None
        for others."""
        if isinstance(one.source, Link) and isinstance(two.source, Link) and one.filters == two.filters:
            wordings = []
            for link in (one.source, two.source):
                again = link is two.source and link.target == one.source.target and self.chance(0.6)
                forms = self.forms(link, it=again)
                if "be" not in forms:
                    return None
                wordings.append(self.speak(link, "be", forms, True, it=again))
            return f"{self.phrase(Things(one.filters), '', True, nested=True)} {wordings[0]}", wordings[1]
        if one.source is None and two.source is None and one.without("facing") == two.without("facing"):
            values = [g.value("facing") for g in (one, two)]
            if all(values):
                rest = self.phrase(one.without("facing"), "", True, nested=True)
                first, second = (self.pick(self.grammar.facing[v]) for v in values)
                return f"{rest} facing {first}", self.pick(("facing ", "")) + second
        return None

    def equal(self, ask: Ask) -> str:
        one, two = ask.groups
        attribute = ask.args[0]
        attr = lambda: self.pick(self.grammar.words[f"attr.{attribute}"])  # noqa: E731
        table = self.grammar.ask
        if self.chance(0.25):
            there = self.fill(self.grammar.opening["there"], a=lambda: self.phrase(one, "a"))
            specific = table.get(f"equal.{attribute}.it")
            templates = specific if specific and self.chance(0.3) else table["equal.it"]
            return f"{there}; " + self.fill(templates, attr=attr, two=lambda: self.phrase(two, nested=True))
        specific = table.get(f"equal.{attribute}")
        templates = specific if specific and self.chance(0.3) else table["equal"]
        second = lambda: self.phrase(two, nested=True)  # noqa: E731
        if self.grammar.free and isinstance(one.source, Link) and self.chance(0.7):
            # The second thing is the one that the first was told by, or is told by it, too.
            if two == one.source.target:
                second = "it"
                templates = [
                    t for t in templates if t.count("{two}") == 1 and "{two}'s" not in t and "{two} " not in t
                ]
            elif isinstance(two.source, Link) and two.source.target == one.source.target:
                second = lambda: self.phrase(  # noqa: E731
                    two, link=self.modifier(two.source, False, True, it=True), nested=True
                )
        return self.fill(
            templates or table["equal"], attr=attr, one=lambda: self.phrase(one, nested=True), two=second
        )

    def question(self, key: str, group: Things) -> str:
        """count, exist or query.ATTRIBUTE about one group."""
        table, opening = self.grammar.ask, self.grammar.opening
        link = group.source if isinstance(group.source, Link) else None
        if link is not None and self.chance(0.3):
            first = self.opened(link)
            if first is not None:
                clause, settled = first
                return clause + self.body(key, group, it=True, settled=settled)
        if (
            link is not None
            and link.op == "collide"
            and f"travel.{link.args[0]}" in opening
            and self.chance(0.12)
        ):
            return self.fill(opening[f"travel.{link.args[0]}"]) + ", " + self.body(key, group, settled=True)
        about = f"about.{link.op}" if link is not None else ""
        if about in opening and f"{key}.it" in table and self.chance(0.15):
            told = self.fill(
                opening[about],
                ref=lambda: self.phrase(link.target, nested=True),
                a=lambda: self.phrase(Things(group.filters), "a", nested=True),
                travel=lambda: self.fill(self.grammar.travel[link.args[0]]),
            )
            return f"{told}; " + self.fill(table[f"{key}.it"])
        if f"{key}.it" in table and self.chance(0.2):
            if self.grammar.free and self.chance(0.25):
                return self.phrase(group, "the") + ": " + self.fill(table[f"{key}.it"])
            there = self.fill(opening["there"], a=lambda: self.phrase(group, "a"))
            return f"{there}; " + self.fill(table[f"{key}.it"])
        return self.body(key, group)

    def opened(self, link: Link) -> tuple[str, bool] | None:
        """(opening clause about the reference of `link`, whether it settles viewpoint or travel)."""
        opening = self.grammar.opening
        kinds = ["there"]
        if link.op == "collide":
            kinds.append(f"if.{link.args[0]}")
        if link.op == "relate" and link.args[1] == "object":
            kinds.append("view")
        kind = self.pick([k for k in kinds if k in opening][-2:])
        if link.op == "collide" and f"if.{link.args[0]}" in opening and self.chance(0.6):
            kind = f"if.{link.args[0]}"
        if kind.startswith("if.") and f"do.{link.args[0]}" in opening and self.chance(0.12):
            kind = f"do.{link.args[0]}"
        text = self.fill(
            opening[kind],
            a=lambda: self.phrase(link.target, "a"),
            ref=lambda: self.phrase(link.target, nested=True),
            its=lambda: self.phrase(link.target, nested=True) + "'s",
        )
        return text + ("; " if kind == "there" else ", "), kind != "there"

    def body(self, key: str, group: Things, it: bool = False, settled: bool = False) -> str:
        """The question itself. The ways of saying it that fit the group are collected, then one is taken."""
        table = self.grammar.ask
        link = group.source if isinstance(group.source, Link) else None
        bare = Things(group.filters)
        ways: list[tuple[str, str]] = [("whole", "")]
        forms = {}
        if link is not None:
            forms = self.forms(link, it, settled)
            # "Does the bus hide anything?" is said of the bus alone: its filter occlusion=occluding.
            hiding = key == "exist" and not group.filters and link.op in ("occludees", "occluder")
            for form in ("be", "vp") if hiding else ("be", "vp", "inv", "gap"):
                name = f"{key}.{form}" + (".bare" if not group.filters else "")
                if form in forms and name in table:
                    ways += [(form, name)] * 2
            if link.op != "same" and key == "exist":
                ways += [
                    (form, f"exist.{form}.the") for form in ("be", "vp") if form in forms and group.filters
                ]
                ways = [w for w in ways if w[0] == "whole" or w[1] in table]
            if (
                link.op in ("aligned", "collide")
                and key == "exist"
                and group.filters
                and not it
                and not settled
            ):
                each = f"exist.{link.op}" + (f".{link.args[0]}" if link.op == "aligned" else "")
                ways += [("each", each)] * 2 if each in table else []
            if link.op == "collide" and f"{key}.crash" in table and not (group.filters or it or settled):
                ways.append(("crash", f"{key}.crash"))
        elif isinstance(group.source, Pair) and self.members_share(group) and f"{key}.members" in table:
            link = group.source.left.source
            forms = self.forms(link, it, settled)
            ways = [("members", f"{key}.members")] if "be" in forms else [("union", f"{key}.union")]
        elif isinstance(group.source, Pair):
            relations = group.source.op == "intersect" or all(
                not g.filters and isinstance(g.source, Link) for g in (group.source.left, group.source.right)
            )
            # "Things that are cars or vans left of the bus": the vans alone are left of it. "How many cars or vans left of
            # the bus" could be either, so that is not said.
            last = isinstance(group.source.right.source, Link) and group.source.left.source is None
            if not relations and f"{key}.union" in table:
                ways = [("union", f"{key}.union")] * 4
                if not (group.filters or (last and self.grammar.free)) and f"{key}.union.bare" in table:
                    ways += [("union", f"{key}.union.bare")] * 2
            elif f"{key}.pair" in table:
                ways += [("pair", f"{key}.pair")]
        elif f"{key}.near" in table:
            ways.append(("near", f"{key}.near"))
        elif f"{key}.plain" in table:
            ways.append(("plain", f"{key}.plain"))
        if (
            (
                key == "query.shape"
                and group.value("shape")
                and "query.shape.kind" in table
                and len(group.filters) > 1
            )
            and self.chance(0.3)
            and not it
            and not isinstance(group.source, Pair)
        ):
            kind = Things((("shape", group.value("shape")),))
            return self.fill(
                table["query.shape.kind"],
                noun=lambda: self.noun(kind, False),
                rest=lambda: self.phrase(group.without("shape"), nested=True),
            )
        askable = ("facing", "occlusion") if key.startswith("query") else SPOKEN_ORDER
        stated = [f for f in group.filters if f"{key}.stated" in table and f[0] in askable]
        if stated and not isinstance(group.source, Pair) and not it:
            ways += [("stated", f"{key}.stated")] * 2
        way, name = self.pick(ways)
        if way == "stated":
            return self.stated(name, group, self.pick(stated))
        if way == "whole" and f"{key}.whole" not in table:
            raise ProgramError(f"the grammar has no wording for {key}")

        def noun_phrase(article: str, plural: bool) -> str:
            wording = None
            if link is not None:
                wording = self.modifier(link, plural, self.chance(0.3), it, settled)
            return self.phrase(group, article, plural, wording)

        def bare_phrase(article: str, plural: bool) -> str:
            text = self.phrase(bare, article, plural, nested=True)
            if link is not None and link.op == "same" and self.chance(0.6):
                if article == "" and plural:
                    text = "other " + text
                elif article in ("a", "an", "any") and text.startswith(article + " "):
                    text = {"a": "another", "an": "another", "any": "any other"}[article] + text[
                        len(article) :
                    ]
            return text

        def spoken(form: str, plural: bool) -> str:
            return self.speak(link, form, forms, plural, it, settled)

        def inverted() -> str:
            definite = link.op == "collide" and group.filters and self.chance(0.35)
            if key != "exist":
                thing = ""
            elif group.filters:
                thing = self.phrase(bare, "the" if definite else self.pick(("a", "any")), nested=True)
            else:
                thing = self.pick(("anything", "something", "any object"))
            return self.speak(link, "inv", forms, False, it, settled, thing=thing)

        pair = group.source if isinstance(group.source, Pair) else None
        top = Things(group.filters)

        def alternatives(article: str, plural: bool) -> str:
            sides = (
                self.phrase(Things(g.filters), article, plural, nested=True) for g in (pair.left, pair.right)
            )
            return (" or " if key == "exist" else self.pick((" or ", " and "))).join(sides)

        return self.fill(
            table[name or f"{key}.whole"],
            things=lambda: noun_phrase("", True),
            the=lambda: noun_phrase("the", False),
            a=lambda: noun_phrase("a", False),
            any=lambda: noun_phrase("any", False),
            things0=lambda: bare_phrase("", True),
            thing0=lambda: bare_phrase("", False),
            the0=lambda: self.phrase(bare, "the", nested=True),
            a0=lambda: bare_phrase(self.pick(("a", "any")), False),
            be=lambda: spoken("be", True),
            vp=lambda: spoken("vp", not key.startswith("query")),
            gap=lambda: self.speak(link, "gap", forms, False, it, settled),
            cond=lambda: self.condition(link),
            ref=lambda: self.phrase(link.target, nested=True),
            thes=lambda: self.phrase(group, "the", nested=True) + "'s",
            travel=lambda: self.fill(self.grammar.travel[link.args[0]]),
            inv=inverted,
            ing=lambda: self.fill(self.grammar.opening[f"travel.{link.args[0]}"][:1]),
            left=lambda: self.alternative(pair.left, name) or self.members(pair.left, True),
            right=lambda: self.alternative(pair.right, name) or self.phrase(pair.right, "", True),
            a_left=lambda: self.members(pair.left, False),
            a_right=lambda: self.phrase(pair.right, "a"),
            pair=lambda: self.pair(pair, True),
            pair1=lambda: self.pair(pair, False),
            topthings=lambda: self.phrase(top, "", True),
            members=lambda: alternatives("", True),
            a_member=lambda: alternatives("a", False),
        )

    def alternative(self, group: Things, template: str) -> str:
        """A group of one colour, size or material as a predicate: "red", "made of rubber"; "" where that can't be said."""
        (first, *rest) = group.filters or ((None, None),)
        if rest or group.source is not None or template.endswith(".bare") or not self.grammar.free:
            return ""
        if first[0] not in ("size", "color", "material") or self.chance(0.5):
            return ""
        words = self.grammar.words
        return self.pick(words[first[1]] + words.get(f"material.{first[1]}", ()))

    @staticmethod
    def members_share(group: Things) -> bool:
        """Whether a group is of two kinds of things in one relation to one thing."""
        pair = group.source
        sides = (pair.left, pair.right)
        return (
            pair.op == "union"
            and not group.filters
            and all(g.filters and isinstance(g.source, Link) for g in sides)
            and pair.left.source == pair.right.source
        )

    def stated(self, name: str, group: Things, filter_: tuple[str, str]) -> str:
        """One filter as the predicate: "is the bus blue", "how many of the cars face left"."""
        attribute, value = filter_
        rest = group.without(attribute)
        grammar = self.grammar
        verb = None
        if attribute == "shape":
            one, many = self.noun(Things((filter_,)), False), self.noun(Things((filter_,)), True)
            one = with_article(one)
        elif attribute in ("facing", "occlusion"):
            key = "facing" if attribute == "facing" else f"occlusion.{value}"
            verb, plural = self.state(key, value, not name.startswith("query"))
            one = many = verb
            verb = verb if plural is None else None
        else:
            options = grammar.words[value] + grammar.words.get(f"material.{value}", ())
            one = many = self.pick(options)
        bare = not rest.filters and rest.source is None
        templates = grammar.ask[name + (".bare" if bare else "") + (".vp" if verb else "")]
        if (
            not bare
            and attribute in ("size", "color", "material")
            and f"{name}.noun" in grammar.ask
            and self.chance(0.3)
        ):
            templates = grammar.ask[f"{name}.noun"]
        elif not bare and f"{name}.{value}" in grammar.ask and self.chance(0.3):
            templates = grammar.ask[f"{name}.{value}"]
        return self.fill(
            templates,
            rest=lambda: self.phrase(rest, "the", nested=True),
            rest1=lambda: self.phrase(rest, "", nested=True),
            rests=lambda: self.phrase(rest, "", True, nested=True),
            one=one,
            many=many,
            adjective=lambda: self.pick(grammar.words[value]),
        )
