"""Generate the main question about one group, without its opening clause."""

from typing import NamedTuple

from po3d.language.english import with_article
from po3d.language.program import ProgramError
from po3d.language.say.street.grammar import SPOKEN_ORDER, Link, Things
from po3d.language.say.street.phrasing import Phrasing


class MainQuestion(NamedTuple):
    """A question about one group, without its opening clause."""

    key: str  # count, exist or query.ATTRIBUTE
    group: Things
    link: Link | None  # of the group, or of both members of a union
    forms: dict  # the link's templates by form
    it: bool  # the link's reference is a pronoun
    settled: bool  # the opening clause has stated the viewpoint or the travel


class MainQuestionGenerator(Phrasing):
    """Generator of the main question."""

    def body(self, key: str, group: Things, it: bool = False, settled: bool = False) -> str:
        """Generate the main question, in a random one of the forms that fit the group."""
        link, pair = group.link, group.pair
        if pair and self.members_share(group) and f"{key}.members" in self.grammar.ask:
            link = pair.left.link
        forms = {} if link is None else self.forms(link, it, settled)
        main = MainQuestion(key, group, link, forms, it, settled)
        ways = self.ways(main)
        if self.names_kind(main):
            return self.shape_of_kind(group)
        predicates = self.predicates(main)
        if predicates:
            ways += [("stated", f"{key}.stated")] * 2
        way, name = self.pick(ways)
        if way == "stated":
            return self.stated(name, group, self.pick(predicates))
        if way == "whole" and f"{key}.whole" not in self.grammar.ask:
            raise ProgramError(f"the grammar has no wording for {key}")
        return self.fill(
            self.grammar.ask[name or f"{key}.whole"],
            **self.group_slots(main),
            **self.link_slots(main),
            **self.pair_slots(main, name),
        )

    def ways(self, main: MainQuestion) -> list[tuple[str, str]]:
        """Return the forms that fit a question, each with its key in the grammar, the likelier ones
        repeated.
        """
        key, group, table = main.key, main.group, self.grammar.ask
        whole = [("whole", "")]
        if group.link is not None:
            return whole + self.link_ways(main)
        if main.link is not None:  # shared by both members
            form = "members" if "be" in main.forms else "union"
            return [(form, f"{key}.{form}")]
        if group.pair:
            return self.pair_ways(main)
        for form in ("near", "plain"):
            if f"{key}.{form}" in table:
                return [*whole, (form, f"{key}.{form}")]
        return whole

    def link_ways(self, main: MainQuestion) -> list[tuple[str, str]]:
        """Return the forms that express the link of a group separately from its noun."""
        key, group, link, table = main.key, main.group, main.link, self.grammar.ask
        opened = main.it or main.settled
        ways: list[tuple[str, str]] = []
        # "Does the bus hide anything?" is reserved for the filter occlusion=occluding on the bus
        # itself.
        hiding = key == "exist" and not group.filters and link.op in ("occludees", "occluder")
        for form in ("be", "vp") if hiding else ("be", "vp", "inv", "gap"):
            name = f"{key}.{form}" + (".bare" if not group.filters else "")
            if form in main.forms and name in table:
                ways += [(form, name)] * 2
        if link.op != "same" and key == "exist" and group.filters:
            for form in ("be", "vp"):
                if form in main.forms and f"exist.{form}.the" in table:
                    ways.append((form, f"exist.{form}.the"))
        if link.op in ("aligned", "collide") and key == "exist" and group.filters and not opened:
            each = f"exist.{link.op}" + (f".{link.args[0]}" if link.op == "aligned" else "")
            ways += [("each", each)] * 2 if each in table else []
        if link.op == "collide" and f"{key}.crash" in table and not (group.filters or opened):
            ways.append(("crash", f"{key}.crash"))
        return ways

    def pair_ways(self, main: MainQuestion) -> list[tuple[str, str]]:
        """Return the forms for the union or intersection of two groups."""
        key, group, table = main.key, main.group, self.grammar.ask
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

    def names_kind(self, main: MainQuestion) -> bool:
        """Whether to ask "what kind of car": for the subtype of a group with a shape, at random."""
        key, group = main.key, main.group
        kinded = (
            key == "query.shape" and group.value("shape") and "query.shape.kind" in self.grammar.ask
        )
        # the random number is drawn before the last condition
        drawn = kinded and len(group.filters) > 1 and self.chance(0.3)
        return bool(drawn and not (main.it or group.pair))

    def shape_of_kind(self, group: Things) -> str:
        kind = Things((("shape", group.value("shape")),))
        return self.fill(
            self.grammar.ask["query.shape.kind"],
            noun=lambda: self.noun(kind, False),
            rest=lambda: self.phrase(group.without("shape"), nested=True),
        )

    def predicates(self, main: MainQuestion) -> list[tuple[str, str]]:
        """Return the filters of a group that a question can state as its predicate."""
        if main.it or main.group.pair or f"{main.key}.stated" not in self.grammar.ask:
            return []
        attributes = ("facing", "occlusion") if main.key.startswith("query") else SPOKEN_ORDER
        return [filter_ for filter_ in main.group.filters if filter_[0] in attributes]

    def group_slots(self, main: MainQuestion) -> dict:
        """Return the slots for the group: with its link as part of the noun phrase, or bare."""
        group, link = main.group, main.link
        bare = group.bare

        def noun_phrase(article: str, plural: bool) -> str:
            wording = None
            if link is not None:
                wording = self.modifier(link, plural, self.chance(0.3), main.it, main.settled)
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

    def link_slots(self, main: MainQuestion) -> dict:
        """Return the slots for the link of the group."""
        link = main.link

        def spoken(form: str, plural: bool, **thing: str) -> str:
            return self.speak(link, form, main.forms, plural, main.it, main.settled, **thing)

        return dict(
            be=lambda: spoken("be", True),
            vp=lambda: spoken("vp", not main.key.startswith("query")),
            gap=lambda: spoken("gap", False),
            inv=lambda: spoken("inv", False, thing=self.inverted_subject(main)),
            cond=lambda: self.condition(link),
            ref=lambda: self.phrase(link.target, nested=True),
            travel=lambda: self.fill(self.grammar.travel[link.args[0]]),
            ing=lambda: self.fill(self.grammar.opening[f"travel.{link.args[0]}"][:1]),
        )

    def inverted_subject(self, main: MainQuestion) -> str:
        """Generate the noun phrase inside an inverted link: "does the bus hide anything"."""
        filters = main.group.filters
        definite = main.link.op == "collide" and filters and self.chance(0.35)
        if main.key != "exist":
            return ""
        if not filters:
            return self.pick(("anything", "something", "any object"))
        article = "the" if definite else self.pick(("a", "any"))
        return self.phrase(main.group.bare, article, nested=True)

    def pair_slots(self, main: MainQuestion, name: str) -> dict:
        """Return the slots for both members of a pair; `name`: key of the template."""
        pair = main.group.pair

        def alternatives(article: str, plural: bool) -> str:
            word = " or " if main.key == "exist" else self.pick((" or ", " and "))
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
