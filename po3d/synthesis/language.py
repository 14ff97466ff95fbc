"""Programs said in English: `realise` writes a question whose one meaning is the program, in the benchmark's own
phrasing or in a much wider one; `sample_program` draws programs of every family; `canonical` sorts filters."""

from typing import Literal

import numpy as np

from po3d.reasoning.program import Program, ProgramError
from po3d.synthesis import grammar_benchmark, grammar_wide
from po3d.synthesis.grammar import (
    COMPARISONS,
    Ask,
    Grammar,
    Link,
    Pair,
    Things,
    analyse,
    assemble,
    choose,
    expand,
    tidy,
)
from po3d.synthesis.program_sampler import DEEP_FAMILIES, FAMILIES, sample_program

__all__ = ["DEEP_FAMILIES", "FAMILIES", "canonical", "realise", "sample_program"]

Style = Literal["benchmark", "wide"]
_GRAMMARS: dict[str, Grammar] = {"benchmark": grammar_benchmark.GRAMMAR, "wide": grammar_wide.GRAMMAR}


def canonical(program: Program) -> Program:
    """The program with every chain of filters in spoken order (first token first): size, color, material, shape,
    facing, occlusion. Programs that differ only there mean the same; exact match compares canonical forms."""
    try:
        return assemble(analyse(program))
    except ProgramError:  # equal[facing]: no words for it, but it may still be written by hand
        return program


def realise(program: Program, rng: np.random.Generator, style: Style = "benchmark") -> str:
    """A question that means `program`; ProgramError where the language has no words for it.

    "benchmark" keeps to the published phrasing; "wide" adds verbs, voices, clause orders and fillers.
    """
    ask = analyse(program)
    # A benchmark sentence is also plain English, so the wide language contains it.
    grammar = _GRAMMARS["benchmark" if style == "wide" and rng.random() < 0.15 else style]
    return tidy(_Speaker(grammar, rng).say(ask) + ("." if style == "wide" and rng.random() < 0.02 else "?"))


class _Speaker:
    """Says one question; holds what the opening clause has already settled."""

    def __init__(self, grammar: Grammar, rng: np.random.Generator):
        self.grammar = grammar
        self.rng = rng
        self.camera_opened = False  # the sentence began with the camera's viewpoint

    def pick(self, options):
        return choose(self.rng, options)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def fill(self, templates, **slots) -> str:
        return expand(self.pick(templates), self.rng, slots)

    # ------------------------------------------------------------------------------------------- noun phrases
    def noun(self, things: Things, plural: bool) -> str:
        noun = self.pick(self.grammar.nouns[things.value("shape") or "thing"])
        return self.grammar.plural(noun) if plural else noun

    def phrase(
        self,
        things: Things,
        article: str = "the",
        plural: bool = False,
        link: str | None = None,
        nested: bool = False,
    ) -> str:
        """The group as a noun phrase. `link` is the wording of its link where the caller has one; `nested` says
        that the phrase ends a longer one, so that reduced clauses could be taken for the sentence's predicate."""
        free, rng = self.grammar.free, self.rng
        before, after = [], []
        for attribute in ("size", "color", "material"):
            value = things.value(attribute)
            if value is None:
                continue
            if attribute == "material" and free and rng.random() < 0.2:
                after.append(self.clause(self.pick(self.grammar.words[f"material.{value}"]), plural, nested))
            else:
                before.append(self.pick(self.grammar.words[value]))
        if free and len(before) > 1 and rng.random() < 0.15:
            before = [before[i] for i in rng.permutation(len(before))]
        linked = things.source is not None
        facing, occlusion = things.value("facing"), things.value("occlusion")
        # "facing left left of" and "hidden behind" would read as something else: such filters go first.
        if facing is not None:
            if free and (facing in ("left", "right") and (linked or rng.random() < 0.3)):
                before.insert(0, f"{facing}-facing")
            else:
                after.append(self.clause(*self.state("facing", facing, plural), nested or linked))
        if occlusion is not None:
            early = self.grammar.words.get(f"early.{occlusion}")
            if early and (linked or rng.random() < 0.4):
                before.insert(0, self.pick(early))
            else:
                after.append(
                    self.clause(*self.state(f"occlusion.{occlusion}", occlusion, plural), nested or linked)
                )
        noun = self.noun(things, plural)
        if isinstance(things.source, Link):
            after.append(
                link if link is not None else self.modifier(things.source, plural, bool(after) or nested)
            )
            if things.source.op == "same" and article in ("a", "any") and rng.random() < 0.7:
                article = {"a": "another", "any": "any other"}[article]
        elif isinstance(things.source, Pair):
            after.append("that " + self.pair(things.source, plural))
        head = " ".join([*before, noun])
        if (
            article in ("a", "any", "another", "any other")
            and free
            and things.value("shape") is None
            and not plural
        ):
            if rng.random() < 0.4:
                other = " else" if "other" in article else ""
                head = " ".join([self.pick(("anything", "something")) + other, *before])
                article = ""
        if article == "a":
            article = "an" if head[0] in "aeiou" else "a"
        return " ".join(part for part in (article, head, *after) if part)

    def state(self, key: str, value: str, plural: bool) -> tuple[str, bool | None]:
        """(wording, plural) of a facing or occlusion filter; plural is None for a verb phrase."""
        forms = self.grammar.link[key]
        form = self.pick(tuple(forms))
        direction = self.pick(self.grammar.facing[value]) if key == "facing" else ""
        text = self.fill(
            forms[form], direction=direction, s="" if plural else "s", has="have" if plural else "has"
        )
        return text, (plural if form == "be" else None)

    def clause(self, text: str, plural: bool | None, full: bool) -> str:
        """`text` joined to the noun before it: "that is ...", or reduced to itself unless `full`."""
        pronoun = self.pick(self.grammar.relative)
        if plural is None:
            return f"{pronoun} {text}"
        return text if not full and self.chance(0.5) else f"{pronoun} {'are' if plural else 'is'} {text}"

    # -------------------------------------------------------------------------------------------------- links
    def forms(self, link: Link, it: bool = False, settled: bool = False):
        """The templates by form for a link; `it`: its reference is the pronoun, `settled`: the opening clause has
        said the viewpoint or the travel."""
        table, key = self.grammar.link, link.op
        if link.op == "aligned":
            key = f"aligned.{link.args[0]}"
        if link.op == "same":
            specific = table.get(f"same.{link.args[0]}")
            if specific and self.chance(0.35):
                return specific
        if link.op == "relate":
            direction, frame = link.args
            if frame == "task" or settled or (frame == "camera" and self.camera_opened):
                key = "relate"
                side = direction in ("left", "right") and table.get("relate.it" if it else "relate.side")
                if side and (it or link.target.source is None) and self.chance(0.5 if it else 0.15):
                    return side
                if settled and table.get("relate.view"):
                    return table["relate.view"]
            else:
                key = f"relate.{frame}"
                near = table.get(key + ".near")
                side = direction in ("left", "right") and table.get(key + ".side")
                if side and (it or link.target.source is None) and self.chance(0.2):
                    return side
                if near and (it or link.target.source is None) and self.chance(0.65):
                    return near
                if frame == "camera" and direction in ("front", "behind") and f"{key}.{direction}" in table:
                    if self.chance(0.4):
                        return table[f"{key}.{direction}"]
        near = table.get(f"{key}.near") if link.op in ("same", "aligned") else None
        return near if near and (it or link.target.source is None) and self.chance(0.3) else table[key]

    def speak(
        self,
        link: Link,
        form: str,
        forms,
        plural: bool,
        it: bool = False,
        settled: bool = False,
        thing: str = "",
    ) -> str:
        """One form of a link in words. `thing` is the {obj} of an inverted question."""
        direction = link.args[0] if link.op == "relate" else "left"
        travel = ""
        if link.op == "collide" and not settled:
            travel = self.fill(self.grammar.travel[link.args[0]])
        words = self.grammar.words
        return self.fill(
            forms[form],
            ref="it" if it else lambda: self.phrase(link.target, nested=True),
            noun="it" if it else lambda: self.noun(link.target, False),
            its="its" if it else lambda: self.phrase(link.target, nested=True) + "'s",
            own=direction,
            front=lambda: (
                {"front": "in front", "behind": "behind"}.get(direction)
                or self.pick(("to", "on")) + f" the {direction}"
            ),
            direction=lambda: self.pick(self.grammar.direction[direction]),
            attr=lambda: self.pick(words[f"attr.{link.args[0]}"]),
            travel=travel,
            cond="" if settled else lambda: self.condition(link, it),
            obj=thing,
            s="" if plural else "s",
            has="have" if plural else "has",
            itself="itself",
        )

    def condition(self, link: Link, it: bool = False) -> str:
        """ "if the bus moved forward" of a collision."""
        templates = self.grammar.travel if it else self.grammar.opening
        key = link.args[0] if it else f"if.{link.args[0]}"
        return self.fill(templates[key], ref=lambda: self.phrase(link.target, nested=True))

    def modifier(self, link: Link, plural: bool, full: bool, it: bool = False, settled: bool = False) -> str:
        """The link as what follows a noun: "left of the bus", "that faces ...", "the jet would hit ..."."""
        forms = self.forms(link, it, settled)
        usable = [
            f
            for f in ("be", "vp", "gap")
            if f in forms and not (f == "gap" and link.target.source is not None)
        ]
        form = self.pick(usable or ("gap",))
        text = self.speak(link, form, forms, plural, it, settled)
        if form == "be":
            return self.clause(text, plural, full)
        if form == "vp":
            return f"{self.pick(self.grammar.relative)} {text}"
        return text if not full and self.chance(0.5) else f"{self.pick(self.grammar.relative)} {text}"

    def predicate(self, group: Things, plural: bool) -> str:
        """A bare link as a predicate with its verb: "are left of the bus", "face the same way as the jet"."""
        if group.filters or not isinstance(group.source, Link):
            raise ProgramError("intersect is said of two relations, without filters inside")
        forms = self.forms(group.source)
        form = self.pick([f for f in ("be", "vp") if f in forms])
        text = self.speak(group.source, form, forms, plural)
        return f"{'are' if plural else 'is'} {text}" if form == "be" else text

    def pair(self, pair: Pair, plural: bool) -> str:
        """Two groups as a predicate of their common noun."""
        relations = all(not g.filters and isinstance(g.source, Link) for g in (pair.left, pair.right))
        if pair.op == "intersect" or relations:
            word = "and" if pair.op == "intersect" else "or"
            texts = [self.predicate(g, plural) for g in (pair.left, pair.right)]
            both = {"and": "both ", "or": "either "}[word]
            verb = "are " if plural else "is "
            if all(t.startswith(verb) for t in texts) and self.chance(0.8):
                lead = both if self.chance(0.5) else ""
                return f"{verb}{lead}{texts[0][len(verb) :]} {word} {texts[1][len(verb) :]}"
            return f"{texts[0]} {word} {texts[1]}"
        left, right = self.members(pair.left, plural), self.phrase(pair.right, "" if plural else "a", plural)
        return f"{'are' if plural else 'is'} {'either ' if self.chance(0.5) else ''}{left} or {right}"

    def members(self, group: Things, plural: bool) -> str:
        """The first part of a union; a union in it is a list: "jets, cars" before "or buses"."""
        if isinstance(group.source, Pair) and group.source.op == "union" and not group.filters:
            parts = (group.source.left, group.source.right)
            return ", ".join(self.phrase(g, "" if plural else "a", plural) for g in parts)
        return self.phrase(group, "" if plural else "a", plural)

    # ---------------------------------------------------------------------------------------------- questions
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
            if self.grammar.free and self.chance(0.7):
                one, two = self.contrast(*ask.groups) or (one, two)
            return opening + self.fill(self.grammar.ask[ask.op], one=one, two=two)
        key = f"query.{ask.args[0]}" if ask.op == "query" else ask.op
        return opening + self.question(key, ask.groups[0])

    def contrast(self, one: Things, two: Things) -> tuple[str, str] | None:
        """Two groups that differ in one thing alone: "cars left of the bus", "in front of the van"; None for others."""
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
        return self.fill(
            templates,
            attr=attr,
            one=lambda: self.phrase(one, nested=True),
            two=lambda: self.phrase(two, nested=True),
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
            if link.op == "collide" and f"{key}.crash" in table and not (group.filters or it or settled):
                ways.append(("crash", f"{key}.crash"))
        elif isinstance(group.source, Pair):
            relations = group.source.op == "intersect" or all(
                not g.filters and isinstance(g.source, Link) for g in (group.source.left, group.source.right)
            )
            if not relations and f"{key}.union" in table:
                ways = [("union", f"{key}.union")] * 4
                if not group.filters and f"{key}.union.bare" in table:
                    ways += [("union", f"{key}.union.bare")] * 2
            elif f"{key}.pair" in table:
                ways += [("pair", f"{key}.pair")]
        elif f"{key}.plain" in table:
            ways.append(("plain", f"{key}.plain"))
        if (
            key == "query.shape"
            and group.value("shape")
            and "query.shape.kind" in table
            and len(group.filters) > 1
        ):
            if self.chance(0.3) and not it and not isinstance(group.source, Pair):
                kind = Things((("shape", group.value("shape")),))
                return self.fill(
                    table["query.shape.kind"],
                    noun=lambda: self.noun(kind, False),
                    rest=lambda: self.phrase(group.without("shape"), nested=True),
                )
        askable = (
            ("facing", "occlusion")
            if key.startswith("query")
            else ("size", "color", "material", "shape", "facing", "occlusion")
        )
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
            inv=inverted,
            left=lambda: self.members(pair.left, True),
            right=lambda: self.phrase(pair.right, "", True),
            a_left=lambda: self.members(pair.left, False),
            a_right=lambda: self.phrase(pair.right, "a"),
            pair=lambda: self.pair(pair, True),
            pair1=lambda: self.pair(pair, False),
            topthings=lambda: self.phrase(top, "", True),
        )

    def stated(self, name: str, group: Things, filter_: tuple[str, str]) -> str:
        """One filter as the predicate: "is the bus blue", "how many of the cars face left"."""
        attribute, value = filter_
        rest = group.without(attribute)
        grammar = self.grammar
        verb = None
        if attribute == "shape":
            one, many = self.noun(Things((filter_,)), False), self.noun(Things((filter_,)), True)
            one = f"{'an' if one[0] in 'aeiou' else 'a'} {one}"
        elif attribute in ("facing", "occlusion"):
            key = "facing" if attribute == "facing" else f"occlusion.{value}"
            verb, plural = self.state(key, value, not name.startswith("query"))
            one = many = verb
            verb = verb if plural is None else None
        else:
            options = grammar.words[value] + grammar.words.get(f"material.{value}", ())
            one = many = self.pick(options)
        if not rest.filters and rest.source is None:
            name += ".bare"
        templates = grammar.ask[name + (".vp" if verb else "")]
        return self.fill(
            templates,
            rest=lambda: self.phrase(rest, "the", nested=True),
            rest1=lambda: self.phrase(rest, "", nested=True),
            rests=lambda: self.phrase(rest, "", True, nested=True),
            one=one,
            many=many,
        )
