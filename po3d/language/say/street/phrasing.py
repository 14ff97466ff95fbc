"""Generate noun phrases, relations and predicates from a grammar."""

import numpy as np

from po3d.language.program import ProgramError
from po3d.language.say.street.grammar import GroupPair, Link, StreetGrammar, TemplateChooser, Things


class Phrasing(TemplateChooser):
    """Generator of the parts of one question, with the state of its opening clause."""

    def __init__(self, grammar: StreetGrammar, rng: np.random.Generator):
        super().__init__(rng)
        self.grammar = grammar
        self.camera_opened = False  # the sentence starts with the camera's viewpoint

    def fill(self, templates, **slots) -> str:
        return self.grammar.file.expand(
            self.pick(templates), lambda n: int(self.rng.random() * n), slots
        )

    def rather(self, special, share: float, usual):
        """Return `special`, if available, with probability `share`, else `usual`."""
        return special if special and self.chance(share) else usual

    def slots(self, things: Things) -> dict:
        """Return template slots for an object at the end of the sentence."""
        ref = lambda: self.phrase(things, nested=True)  # noqa: E731
        return {"ref": ref, "its": lambda: ref() + "'s"}

    # --------------------------------------------------------------------------------- noun phrases
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
        """Generate a group as a noun phrase.

        `link`: wording of the group's link, if the caller has chosen one. `nested`: the phrase ends
        a longer one, where a reduced clause could be misread as the sentence's predicate.
        """
        free, rng = self.grammar.free, self.rng
        before, after = self.attributes(things, plural, nested)
        self.add_states(things, plural, nested, before, after)
        noun = self.noun(things, plural)
        if things.link:
            if link is None:
                link = self.modifier(things.link, plural, bool(after) or nested)
            after.append(link)
            if things.link.op == "same" and article in ("a", "any") and rng.random() < 0.7:
                article = {"a": "another", "any": "any other"}[article]
        elif things.pair:
            after.append("that " + self.pair(things.pair, plural))
        head = " ".join([*before, noun])
        nameless = free and not plural and things.value("shape") is None
        if nameless and article in ("a", "any", "another", "any other") and rng.random() < 0.4:
            other = " else" if "other" in article else ""
            head = " ".join([self.pick(("anything", "something")) + other, *before])
            article = ""
        if free and things.source is None and len(after) > 1 and rng.random() < 0.4:
            after = [*after[:-1], "and", after[-1].removeprefix("that ").removeprefix("which ")]
        if article == "a":
            article = "an" if head[0] in "aeiou" else "a"
        return " ".join(filter(None, (article, head, *after)))

    def attributes(self, things: Things, plural: bool, nested: bool) -> tuple[list[str], list[str]]:
        """Generate size, color and material: the words before the noun and those after it."""
        free, rng = self.grammar.free, self.rng
        before, after = [], []
        for attribute in ("size", "color", "material"):
            value = things.value(attribute)
            if value is None:
                continue
            if attribute == "material" and free and rng.random() < 0.2:
                words = self.pick(self.grammar.words[f"material.{value}"])
                after.append(self.clause(words, plural, nested))
            else:
                before.append(self.pick(self.grammar.words[value]))
        if free and len(before) > 1 and rng.random() < 0.15:
            before = [before[i] for i in rng.permutation(len(before))]
        return before, after

    def add_states(
        self, things: Things, plural: bool, nested: bool, before: list[str], after: list[str]
    ) -> None:
        """Add facing and occlusion to the words before or after the noun.

        "facing left left of" and "hidden behind" would be ambiguous, so these filters precede the
        noun of a group with a link.
        """
        linked = things.source is not None
        facing, occlusion = things.value("facing"), things.value("occlusion")
        if facing is not None:
            sideways = self.grammar.free and facing in ("left", "right")
            if sideways and (linked or self.chance(0.3)):
                before.insert(0, f"{facing}-facing")
            else:
                state = self.state("facing", facing, plural)
                after.append(self.clause(*state, nested or linked))
        if occlusion is not None:
            early = self.grammar.words.get(f"early.{occlusion}")
            if early and (linked or self.chance(0.4)):
                before.insert(0, self.pick(early))
            else:
                state = self.state(f"occlusion.{occlusion}", occlusion, plural)
                after.append(self.clause(*state, nested or linked))

    def state(self, key: str, value: str, plural: bool) -> tuple[str, bool | None]:
        """Return (wording, plural) of a facing or occlusion filter.

        plural is None for a verb phrase.
        """
        forms = self.grammar.link[key]
        form = self.pick(tuple(forms))
        direction = self.pick(self.grammar.facing[value]) if key == "facing" else ""
        text = self.fill(
            forms[form],
            direction=direction,
            s="" if plural else "s",
            has="have" if plural else "has",
        )
        return text, (plural if form == "be" else None)

    def clause(self, text: str, plural: bool | None, full: bool) -> str:
        """Join `text` to the noun before it: "that is ...", or reduced unless `full`."""
        pronoun = self.pick(self.grammar.relative)
        if plural is None:
            return f"{pronoun} {text}"
        return (
            text
            if not full and self.chance(0.5)
            else f"{pronoun} {'are' if plural else 'is'} {text}"
        )

    # ---------------------------------------------------------------------------------------- links
    def forms(self, link: Link, it: bool = False, settled: bool = False):
        """Return the templates of a link by form.

        `it`: its reference is a pronoun. `settled`: the opening clause has stated the viewpoint or
        the travel.
        """
        table, key, first = self.grammar.link, link.op, (*link.args, "")[0]
        short = it or link.target.source is None
        special: list[tuple[str, float]] = []  # forms with their probabilities
        if link.op == "relate":
            direction, frame = link.args
            sideways = direction in ("left", "right")
            if frame == "object" and not settled and link.target.source is None:
                special.append(
                    ("relate.object.driver" if sideways else "relate.object.ahead", 0.35)
                )
            if frame == "task" or settled or (frame == "camera" and self.camera_opened):
                key = "relate.view" if settled and "relate.view" in table else "relate"
                if sideways and short:
                    special += [("relate.has", 0.15)] if frame == "task" and not settled else []
                    special.append(("relate.it", 0.5) if it else ("relate.side", 0.15))
            else:
                key = f"relate.{frame}"
                special += [(f"{key}.side", 0.2)] if sideways and short else []
                special += [(f"{key}.near", 0.65)] if short else []
                special.append((f"{key}.{direction}", 0.4))  # "nearer to the camera than"
        elif link.op == "collide":
            if settled and not it:
                # the only forms that name the reference if the opening clause states the movement
                key = "collide.named"
            elif first == "forward" and not (settled or it):
                special.append(("collide.onward", 0.12))
        elif link.op in ("same", "aligned"):
            special += [(f"same.{first}", 0.35)] if link.op == "same" else []
            key = f"aligned.{first}" if link.op == "aligned" else key
            special += [(f"{key}.near", 0.3)] if short else []
        for name, share in special:
            if name in table and self.chance(share):
                return table[name]
        return table[key]

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
        """Generate the text of a link in one of its forms; `thing`: the object ({obj}) of an
        inverted question."""
        direction = link.args[0] if link.op == "relate" else "left"
        travel = ""
        if link.op == "collide" and not settled:
            travel = self.fill(self.grammar.travel[link.args[0]])
        words = self.grammar.words
        return self.fill(
            forms[form],
            **({"ref": "it", "its": "its"} if it else self.slots(link.target)),
            noun="it" if it else lambda: self.noun(link.target, False),
            own=direction,
            front=lambda: (
                {"front": "in front", "behind": "behind"}.get(direction)
                or self.pick(("to", "on")) + f" the {direction}"
            ),
            direction=lambda: self.pick(self.grammar.direction[direction]),
            attr=lambda: self.pick(words[f"attr.{link.args[0]}"]),
            travel=travel,
            ahead=link.args[0] if link.op == "collide" else "",
            cond="" if settled else lambda: self.condition(link, it),
            obj=thing,
            s="" if plural else "s",
            has="have" if plural else "has",
        )

    def condition(self, link: Link, it: bool = False) -> str:
        """Generate the condition of a collision, e.g. "if the bus moved forward"."""
        templates = self.grammar.travel if it else self.grammar.opening
        key = link.args[0] if it else f"if.{link.args[0]}"
        return self.fill(templates[key], **self.slots(link.target))

    def modifier(
        self, link: Link, plural: bool, full: bool, it: bool = False, settled: bool = False
    ) -> str:
        """Generate a link as a noun modifier: "left of the bus", "the jet would hit ..."."""
        forms = self.forms(link, it, settled)
        fitting = ("be", "vp", "gap") if link.target.source is None else ("be", "vp")
        form = self.pick(list(filter(forms.__contains__, fitting)) or ("gap",))
        text = self.speak(link, form, forms, plural, it, settled)
        if form == "be":
            return self.clause(text, plural, full)
        if form == "vp":
            return f"{self.pick(self.grammar.relative)} {text}"
        return (
            text if not full and self.chance(0.5) else f"{self.pick(self.grammar.relative)} {text}"
        )

    def predicate(self, group: Things, plural: bool) -> str:
        """Generate a link as a predicate: "are left of the bus", "face the same way as the jet"."""
        if group.filters or not group.link:
            raise ProgramError("intersect needs two relations without filters inside")
        forms = self.forms(group.source)
        form = self.pick(list(filter(forms.__contains__, ("be", "vp"))))
        text = self.speak(group.source, form, forms, plural)
        return f"{'are' if plural else 'is'} {text}" if form == "be" else text

    def pair(self, pair: GroupPair, plural: bool) -> str:
        """Generate a pair of groups as a predicate of their common noun."""
        if pair.op == "intersect" or pair.of_relations:
            word, both = ("and", "both ") if pair.op == "intersect" else ("or", "either ")
            texts = [self.predicate(side, plural) for side in pair.sides]
            verb = "are " if plural else "is "
            if all(t.startswith(verb) for t in texts) and self.chance(0.8):
                lead = both if self.chance(0.5) else ""
                return f"{verb}{lead}{texts[0][len(verb) :]} {word} {texts[1][len(verb) :]}"
            return f"{texts[0]} {word} {texts[1]}"
        left, right = (
            self.members(pair.left, plural),
            self.phrase(pair.right, "" if plural else "a", plural),
        )
        return (
            f"{'are' if plural else 'is'} {'either ' if self.chance(0.5) else ''}{left} or {right}"
        )

    def members(self, group: Things, plural: bool) -> str:
        """Generate the first part of a union; a nested union gives a list: "jets, cars"."""
        if group.pair and group.pair.op == "union" and not group.filters:
            return ", ".join(
                self.phrase(g, "" if plural else "a", plural) for g in group.pair.sides
            )
        return self.phrase(group, "" if plural else "a", plural)
