"""Generate a question from a phrase tree with random templates of a grammar."""

from itertools import chain

from po3d.language.say.street.grammar import COMPARISONS, Ask, Link, Things
from po3d.language.say.street.main_question import MainQuestionGenerator


def _may_say_it(template: str) -> bool:
    """Return whether "it" can stand for the second object of a template."""
    return template.count("{two}") == 1 and "{two}'s" not in template and "{two} " not in template


class QuestionGenerator(MainQuestionGenerator):
    """Generator of one question."""

    def say(self, ask: Ask) -> str:
        links = chain.from_iterable(group.links() for group in ask.groups)
        frames = {link.args[1] for link in links if link.op == "relate"}
        opening = ""
        if frames == {"camera"} and "camera" in self.grammar.opening and self.chance(0.35):
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
            places = []
            for k in links:
                places.append(self.speak(k, "be", self.forms(k, True, True), True, True, True))
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
                templates = list(filter(_may_say_it, templates))
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
