"""Generate a question from a phrase tree with random templates of a grammar."""

from po3d.language.english import with_article
from po3d.language.program import ProgramError
from po3d.language.say.street.grammar import COMPARISONS, SPOKEN_ORDER, Ask, Link, Things
from po3d.language.say.street.phrasing import Phrasing


class QuestionGenerator(Phrasing):
    """Generator of one question."""

    def say(self, ask: Ask) -> str:
        links = [link for group in ask.groups for link in group.links()]
        frames = [link.args[1] for link in links if link.op == "relate"]
        opening = ""
        if set(frames) == {"camera"} and "camera" in self.grammar.opening and self.chance(0.35):
            self.camera_opened = True
            opening = self.fill(self.grammar.opening["camera"]) + ", "
        polite = self.grammar.opening.get("polite")
        if not opening and polite and self.chance(0.06):
            opening = self.fill(polite) + " "
        if ask.op == "equal":
            return opening + self.equal(ask)
        if ask.op in COMPARISONS:
            first, two = (self.phrase(g, "", True) for g in ask.groups)
            if self.grammar.free:
                special = self.comparison(ask)
                if special is not None:
                    return opening + special
                if self.chance(0.7):
                    contrast = self.contrast(*ask.groups)
                    if contrast is not None:
                        first, two = contrast
                        return opening + self.fill(
                            self.grammar.ask[f"{ask.op}.contrast"], one=first, two=two
                        )
            return opening + self.fill(self.grammar.ask[ask.op], one=first, two=two)
        key = f"query.{ask.args[0]}" if ask.op == "query" else ask.op
        return opening + self.question(key, ask.groups[0])

    def comparison(self, ask: Ask) -> str | None:
        """Generate a special form of a comparison of counts, or return None.

        Special forms exist for two kinds of objects in one relation, two collisions, and two sides
        of one object in its own frame; some are skipped at random.
        """
        links, kinds = [g.link for g in ask.groups], [g.filters for g in ask.groups]
        if (
            links[0]
            and links[0] == links[1]
            and all(kinds)
            and kinds[0] != kinds[1]
            and self.chance(0.85)
        ):
            forms = self.forms(links[0])
            if "be" in forms:
                first, two = (self.phrase(g.bare, "", True, nested=True) for g in ask.groups)
                where = self.speak(links[0], "be", forms, True)
                return self.fill(self.grammar.ask[f"{ask.op}.common"], one=first, two=two, be=where)
        if kinds[0] != kinds[1] or not all(links):
            return None
        things = lambda: self.phrase(Things(kinds[0]), "", True, nested=True)  # noqa: E731
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
        about_objects = all(k.op == "relate" and k.args[1] == "object" for k in links)
        if about_objects and links[0].target == links[1].target and self.chance(0.7):
            places = [
                self.speak(k, "be", self.forms(k, True, True), True, True, True) for k in links
            ]
            view = self.fill(self.grammar.opening["view"], **self.slots(links[0].target))
            return f"{view}, " + self.fill(
                self.grammar.ask[f"{ask.op}.contrast"], one=f"{things()} {places[0]}", two=places[1]
            )
        return None

    def contrast(self, group: Things, two: Things) -> tuple[str, str] | None:
        """Generate two groups differing in one property: "cars left of the bus", "behind the van".

        Return None for other groups.
        """
        if group.link and two.link and group.filters == two.filters:
            wordings = []
            for link in (group.link, two.link):
                again = link is two.link and link.target == group.link.target and self.chance(0.6)
                forms = self.forms(link, it=again)
                if "be" not in forms:
                    return None
                wordings.append(self.speak(link, "be", forms, True, it=again))
            return f"{self.phrase(group.bare, '', True, nested=True)} {wordings[0]}", wordings[1]
        if (
            group.source is None
            and two.source is None
            and group.without("facing") == two.without("facing")
        ):
            values = [g.value("facing") for g in (group, two)]
            if all(values):
                rest = self.phrase(group.without("facing"), "", True, nested=True)
                first, second = (self.pick(self.grammar.facing[v]) for v in values)
                return f"{rest} facing {first}", self.pick(("facing ", "")) + second
        return None

    def equal(self, ask: Ask) -> str:
        first, two = ask.groups
        attribute = ask.args[0]
        attr = lambda: self.pick(self.grammar.words[f"attr.{attribute}"])  # noqa: E731
        table = self.grammar.ask
        if self.chance(0.25):
            there = self.fill(self.grammar.opening["there"], a=lambda: self.phrase(first, "a"))
            templates = self.rather(table.get(f"equal.{attribute}.it"), 0.3, table["equal.it"])
            return f"{there}; " + self.fill(
                templates, attr=attr, two=lambda: self.phrase(two, nested=True)
            )
        templates = self.rather(table.get(f"equal.{attribute}"), 0.3, table["equal"])
        second = lambda: self.phrase(two, nested=True)  # noqa: E731
        if self.grammar.free and first.link and self.chance(0.7):
            # The second object may be the reference of the first, or share its reference.
            if two == first.link.target:
                second = "it"
                templates = [
                    t
                    for t in templates
                    if t.count("{two}") == 1 and "{two}'s" not in t and "{two} " not in t
                ]
            elif two.link and two.link.target == first.link.target:
                second = lambda: self.phrase(  # noqa: E731
                    two, link=self.modifier(two.link, False, True, it=True), nested=True
                )
        return self.fill(
            templates or table["equal"],
            attr=attr,
            one=lambda: self.phrase(first, nested=True),
            two=second,
        )

    def question(self, key: str, group: Things) -> str:
        """Generate count, exist or query.ATTRIBUTE about one group."""
        table, opening = self.grammar.ask, self.grammar.opening
        link = group.link
        if link and self.chance(0.3):
            clause, settled = self.opened(link)
            return clause + self.body(key, group, it=True, settled=settled)
        travel = f"travel.{link.args[0]}" if link and link.op == "collide" else ""
        if travel in opening and self.chance(0.12):
            return self.fill(opening[travel]) + ", " + self.body(key, group, settled=True)
        about = f"about.{link.op}" if link else ""
        if about in opening and f"{key}.it" in table and self.chance(0.15):
            statement = self.fill(
                opening[about],
                **self.slots(link.target),
                a=lambda: self.phrase(group.bare, "a", nested=True),
                travel=lambda: self.fill(self.grammar.travel[link.args[0]]),
            )
            return f"{statement}; " + self.fill(table[f"{key}.it"])
        if f"{key}.it" in table and self.chance(0.2):
            if self.grammar.free and self.chance(0.25):
                return self.phrase(group, "the") + ": " + self.fill(table[f"{key}.it"])
            there = self.fill(opening["there"], a=lambda: self.phrase(group, "a"))
            return f"{there}; " + self.fill(table[f"{key}.it"])
        return self.body(key, group)

    def opened(self, link: Link) -> tuple[str, bool]:
        """Generate an opening clause about the reference of `link`.

        Return the clause, and whether it states the viewpoint or the travel.
        """
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
            opening[kind], a=lambda: self.phrase(link.target, "a"), **self.slots(link.target)
        )
        return text + ("; " if kind == "there" else ", "), kind != "there"

    def body(self, key: str, group: Things, it: bool = False, settled: bool = False) -> str:
        """Generate the main question, in a random one of the forms that fit the group."""
        table = self.grammar.ask
        link, pair, bare = group.link, group.pair, group.bare
        ways: list[tuple[str, str]] = [("whole", "")]
        forms = {}
        if link is not None:
            forms = self.forms(link, it, settled)
            # "Does the bus hide anything?" is reserved for the filter occlusion=occluding on the
            # bus itself.
            hiding = key == "exist" and not group.filters and link.op in ("occludees", "occluder")
            for form in ("be", "vp") if hiding else ("be", "vp", "inv", "gap"):
                name = f"{key}.{form}" + (".bare" if not group.filters else "")
                if form in forms and name in table:
                    ways += [(form, name)] * 2
            if link.op != "same" and key == "exist":
                ways += [
                    (form, f"exist.{form}.the")
                    for form in ("be", "vp")
                    if form in forms and group.filters
                ]
                ways = [w for w in ways if w[0] == "whole" or w[1] in table]
            if (
                link.op in ("aligned", "collide")
                and key == "exist"
                and group.filters
                and not (it or settled)
            ):
                each = f"exist.{link.op}" + (f".{link.args[0]}" if link.op == "aligned" else "")
                ways += [("each", each)] * 2 if each in table else []
            if (
                link.op == "collide"
                and f"{key}.crash" in table
                and not (group.filters or it or settled)
            ):
                ways.append(("crash", f"{key}.crash"))
        elif pair and self.members_share(group) and f"{key}.members" in table:
            link = pair.left.link
            forms = self.forms(link, it, settled)
            ways = [("members", f"{key}.members")] if "be" in forms else [("union", f"{key}.union")]
        elif pair:
            relations = pair.op == "intersect" or pair.of_relations
            # In "things that are cars or vans left of the bus" only the vans are left of it. "How
            # many cars or vans left of the bus" is ambiguous and therefore not generated.
            last = pair.right.link and pair.left.source is None
            if not relations and f"{key}.union" in table:
                ways = [("union", f"{key}.union")] * 4
                if (
                    not (group.filters or (last and self.grammar.free))
                    and f"{key}.union.bare" in table
                ):
                    ways += [("union", f"{key}.union.bare")] * 2
            elif f"{key}.pair" in table:
                ways += [("pair", f"{key}.pair")]
        elif f"{key}.near" in table:
            ways.append(("near", f"{key}.near"))
        elif f"{key}.plain" in table:
            ways.append(("plain", f"{key}.plain"))
        kinded = key == "query.shape" and group.value("shape") and "query.shape.kind" in table
        if kinded and len(group.filters) > 1 and self.chance(0.3) and not (it or pair):
            kind = Things((("shape", group.value("shape")),))
            return self.fill(
                table["query.shape.kind"],
                noun=lambda: self.noun(kind, False),
                rest=lambda: self.phrase(group.without("shape"), nested=True),
            )
        askable = ("facing", "occlusion") if key.startswith("query") else SPOKEN_ORDER
        stated = [f for f in group.filters if f"{key}.stated" in table and f[0] in askable]
        if stated and not (it or pair):
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
            if link and link.op == "same" and self.chance(0.6):
                if article == "" and plural:
                    return "other " + text
                if article in ("a", "any") and text.startswith(article + " "):
                    return {"a": "another", "any": "any other"}[article] + text.removeprefix(
                        article
                    )
            return text

        def spoken(form: str, plural: bool) -> str:
            return self.speak(link, form, forms, plural, it, settled)

        def inverted() -> str:
            definite = link.op == "collide" and group.filters and self.chance(0.35)
            if key != "exist":
                thing = ""
            elif group.filters:
                thing = self.phrase(
                    bare, "the" if definite else self.pick(("a", "any")), nested=True
                )
            else:
                thing = self.pick(("anything", "something", "any object"))
            return self.speak(link, "inv", forms, False, it, settled, thing=thing)

        def alternatives(article: str, plural: bool) -> str:
            sides = (self.phrase(side.bare, article, plural, nested=True) for side in pair.sides)
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
            topthings=lambda: self.phrase(bare, "", True),
            members=lambda: alternatives("", True),
            a_member=lambda: alternatives("a", False),
        )

    def alternative(self, group: Things, template: str) -> str:
        """Generate a one-filter group as an adjective: "red", "made of rubber".

        Return "" if that is not possible, and at random.
        """
        (first, *rest) = group.filters or ((None, None),)
        if rest or group.source is not None or template.endswith(".bare") or not self.grammar.free:
            return ""
        if first[0] not in ("size", "color", "material") or self.chance(0.5):
            return ""
        words = self.grammar.words
        return self.pick(words[first[1]] + words.get(f"material.{first[1]}", ()))

    @staticmethod
    def members_share(group: Things) -> bool:
        """Return whether a group consists of two kinds of objects in one relation to one object."""
        left, right = group.pair.sides
        shared = left.filters and right.filters and left.link and left.link == right.link
        return bool(group.pair.op == "union" and not group.filters and shared)

    def stated(self, name: str, group: Things, filter_: tuple[str, str]) -> str:
        """Generate a question with one filter as the predicate: "is the bus blue"."""
        attribute, value = filter_
        rest = group.without(attribute)
        grammar = self.grammar
        verb = None
        if attribute == "shape":
            single, many = self.noun(Things((filter_,)), False), self.noun(Things((filter_,)), True)
            single = with_article(single)
        elif attribute in ("facing", "occlusion"):
            key = "facing" if attribute == "facing" else f"occlusion.{value}"
            verb, plural = self.state(key, value, not name.startswith("query"))
            single = many = verb
            verb = verb if plural is None else None
        else:
            options = grammar.words[value] + grammar.words.get(f"material.{value}", ())
            single = many = self.pick(options)
        bare = rest == Things()
        templates = grammar.ask[name + (".bare" if bare else "") + (".vp" if verb else "")]
        if not bare:
            noun = (
                grammar.ask.get(f"{name}.noun")
                if attribute in ("size", "color", "material")
                else None
            )
            special = self.rather(noun, 0.3, None) or self.rather(
                grammar.ask.get(f"{name}.{value}"), 0.3, None
            )
            templates = special or templates
        return self.fill(
            templates,
            rest=lambda: self.phrase(rest, "the", nested=True),
            rest1=lambda: self.phrase(rest, "", nested=True),
            rests=lambda: self.phrase(rest, "", True, nested=True),
            one=single,
            many=many,
            adjective=lambda: self.pick(grammar.words[value]),
        )
