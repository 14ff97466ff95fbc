"""Generate the main question about one group, without its opening clause."""

from po3d.language.english import with_article
from po3d.language.program import ProgramError
from po3d.language.say.street.grammar import SPOKEN_ORDER, Link, Things
from po3d.language.say.street.phrasing import Phrasing


class MainQuestionGenerator(Phrasing):
    """Generator of the main question.

    `key`: count, exist or query.ATTRIBUTE. `link`: of the group, or of both members of a union.
    `templates`: the link's, by form. `it`: the link's reference is a pronoun. `settled`: the
    opening clause has stated the viewpoint or the travel.
    """

    key: str
    group: Things
    link: Link | None
    templates: dict
    it: bool
    settled: bool

    def body(self, key: str, group: Things, it: bool = False, settled: bool = False) -> str:
        """Generate the main question, in a random one of the forms that fit the group."""
        link, pair = group.link, group.pair
        if pair and self.members_share(group) and f"{key}.members" in self.grammar.ask:
            link = pair.left.link
        self.key, self.group, self.link, self.it, self.settled = key, group, link, it, settled
        self.templates = {} if link is None else self.forms(link, it, settled)
        ways = self.ways()
        if self.names_kind():
            return self.shape_of_kind(group)
        predicates = self.predicates()
        if predicates:
            ways += [("stated", f"{key}.stated")] * 2
        way, name = self.pick(ways)
        if way == "stated":
            return self.stated(name, group, self.pick(predicates))
        if way == "whole" and f"{key}.whole" not in self.grammar.ask:
            raise ProgramError(f"the grammar has no wording for {key}")
        return self.fill(
            self.grammar.ask[name or f"{key}.whole"],
            **self.group_slots(),
            **self.link_slots(),
            **self.pair_slots(name),
        )

    def ways(self) -> list[tuple[str, str]]:
        """Return the forms that fit a question, each with its key in the grammar, the likelier ones
        repeated.
        """
        key, group, table = self.key, self.group, self.grammar.ask
        whole = [("whole", "")]
        if group.link is not None:
            return whole + self.link_ways()
        if self.link is not None:  # shared by both members
            form = "members" if "be" in self.templates else "union"
            return [(form, f"{key}.{form}")]
        if group.pair:
            return self.pair_ways()
        for form in ("near", "plain"):
            if f"{key}.{form}" in table:
                return [*whole, (form, f"{key}.{form}")]
        return whole

    def link_ways(self) -> list[tuple[str, str]]:
        """Return the forms that express the link of a group separately from its noun."""
        key, group, link, table = self.key, self.group, self.link, self.grammar.ask
        opened = self.it or self.settled
        ways: list[tuple[str, str]] = []
        # "Does the bus hide anything?" is reserved for the filter occlusion=occluding on the bus
        # itself.
        hiding = key == "exist" and not group.filters and link.op in ("occludees", "occluder")
        for form in ("be", "vp") if hiding else ("be", "vp", "inv", "gap"):
            name = f"{key}.{form}" + (".bare" if not group.filters else "")
            if form in self.templates and name in table:
                ways += [(form, name)] * 2
        if link.op != "same" and key == "exist" and group.filters:
            for form in ("be", "vp"):
                if form in self.templates and f"exist.{form}.the" in table:
                    ways.append((form, f"exist.{form}.the"))
        if link.op in ("aligned", "collide") and key == "exist" and group.filters and not opened:
            each = f"exist.{link.op}" + (f".{link.args[0]}" if link.op == "aligned" else "")
            ways += [("each", each)] * 2 if each in table else []
        if link.op == "collide" and f"{key}.crash" in table and not (group.filters or opened):
            ways.append(("crash", f"{key}.crash"))
        return ways

    def pair_ways(self) -> list[tuple[str, str]]:
        """Return the forms for the union or intersection of two groups."""
        key, group, table = self.key, self.group, self.grammar.ask
        pair = group.pair
        if pair.op == "intersect" or pair.of_relations or f"{key}.union" not in table:
            return [("whole", "")] + ([("pair", f"{key}.pair")] if f"{key}.pair" in table else [])
        ways = [("union", f"{key}.union")] * 4
        # In "things that are cars or vans left of the bus" only the vans are left of it. "How many
        # cars or vans left of the bus" is ambiguous and therefore not generated.
        last = pair.right.link and pair.left.source is None
        ambiguous = last and self.grammar.free
        if not (group.filters or ambiguous) and f"{key}.union.bare" in table:
            ways += [("union", f"{key}.union.bare")] * 2
        return ways

    def names_kind(self) -> bool:
        """Whether to ask "what kind of car": for the subtype of a group with a shape, at random."""
        key, group = self.key, self.group
        kinded = (
            key == "query.shape" and group.value("shape") and "query.shape.kind" in self.grammar.ask
        )
        # the random number is drawn before the last condition
        drawn = kinded and len(group.filters) > 1 and self.chance(0.3)
        return bool(drawn and not (self.it or group.pair))

    def shape_of_kind(self, group: Things) -> str:
        kind = Things((("shape", group.value("shape")),))
        return self.fill(
            self.grammar.ask["query.shape.kind"],
            noun=lambda: self.noun(kind, False),
            rest=lambda: self.phrase(group.without("shape"), nested=True),
        )

    def predicates(self) -> list[tuple[str, str]]:
        """Return the filters of a group that a question can state as its predicate."""
        if self.it or self.group.pair or f"{self.key}.stated" not in self.grammar.ask:
            return []
        attributes = ("facing", "occlusion") if self.key.startswith("query") else SPOKEN_ORDER
        return [filter_ for filter_ in self.group.filters if filter_[0] in attributes]

    def group_slots(self) -> dict:
        """Return the values of the template slots for the group: with its link as part of the noun
        phrase, or without."""
        group, link = self.group, self.link
        bare = group.bare

        def noun_phrase(article: str, plural: bool) -> str:
            wording = None
            if link is not None:
                wording = self.modifier(link, plural, self.chance(0.3), self.it, self.settled)
            return self.phrase(group, article, plural, wording)

        def bare_phrase(article: str, plural: bool) -> str:
            text = self.phrase(bare, article, plural, nested=True)
            if link and link.op == "same" and self.chance(0.6):
                if article == "" and plural:
                    return "other " + text
                if article in ("a", "any") and text.startswith(article + " "):
                    other = {"a": "another", "any": "any other"}[article]
                    return other + text.removeprefix(article)
            return text

        return dict(
            things=lambda: noun_phrase("", True),
            the=lambda: noun_phrase("the", False),
            a=lambda: noun_phrase("a", False),
            any=lambda: noun_phrase("any", False),
            things0=lambda: bare_phrase("", True),
            thing0=lambda: bare_phrase("", False),
            the0=lambda: self.phrase(bare, "the", nested=True),
            a0=lambda: bare_phrase(self.pick(("a", "any")), False),
            thes=lambda: self.phrase(group, "the", nested=True) + "'s",
            topthings=lambda: self.phrase(bare, "", True),
        )

    def link_slots(self) -> dict:
        """Return the values of the template slots for the group's link, its relation to another
        object."""
        link = self.link

        def spoken(form: str, plural: bool, **thing: str) -> str:
            return self.speak(link, form, self.templates, plural, self.it, self.settled, **thing)

        return dict(
            be=lambda: spoken("be", True),
            vp=lambda: spoken("vp", not self.key.startswith("query")),
            gap=lambda: spoken("gap", False),
            inv=lambda: spoken("inv", False, thing=self.inverted_subject()),
            cond=lambda: self.condition(link),
            ref=lambda: self.phrase(link.target, nested=True),
            travel=lambda: self.fill(self.grammar.travel[link.args[0]]),
            ing=lambda: self.fill(self.grammar.opening[f"travel.{link.args[0]}"][:1]),
        )

    def inverted_subject(self) -> str:
        """Generate the noun phrase inside an inverted link: "does the bus hide anything"."""
        filters = self.group.filters
        definite = self.link.op == "collide" and filters and self.chance(0.35)
        if self.key != "exist":
            return ""
        if not filters:
            return self.pick(("anything", "something", "any object"))
        article = "the" if definite else self.pick(("a", "any"))
        return self.phrase(self.group.bare, article, nested=True)

    def pair_slots(self, name: str) -> dict:
        """Return the values of the template slots for both members of a pair; `name`: key of the
        template."""
        pair = self.group.pair

        def alternatives(article: str, plural: bool) -> str:
            word = " or " if self.key == "exist" else self.pick((" or ", " and "))
            left, right = pair.sides
            first = self.phrase(left.bare, article, plural, nested=True)
            return first + word + self.phrase(right.bare, article, plural, nested=True)

        return dict(
            left=lambda: self.alternative(pair.left, name) or self.members(pair.left, True),
            right=lambda: self.alternative(pair.right, name) or self.phrase(pair.right, "", True),
            a_left=lambda: self.members(pair.left, False),
            a_right=lambda: self.phrase(pair.right, "a"),
            pair=lambda: self.pair(pair, True),
            pair1=lambda: self.pair(pair, False),
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
