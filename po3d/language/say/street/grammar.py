"""Phrase trees of street programs, and the vocabulary of each style.

A street program asks about one or two groups of objects. `Things` is such a group: filters over a
source, which is the whole scene (None), the objects in a relation to one other object (`Link`), or
a combination of two groups (`GroupPair`). A `StreetGrammar` is a file of language/grammars;
po3d.language.say.street.speaker generates questions with it.

Rules that make a text unambiguous: words after a noun modify the nearest noun before them; a
viewpoint belongs to the relation whose reference it follows, or which it precedes, and to all
relations if it opens the sentence.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import starmap

import numpy as np

from po3d.language import grammar
from po3d.language.program import ProgramError
from po3d.language.programs.street import StreetProgram, from_tokens

# Order of filters in text, first word first, and in the prefix order of canonical programs.
SPOKEN_ORDER = ("size", "color", "material", "shape", "facing", "occlusion")
COMPARISONS = ("equal_integer", "less_than", "greater_than")
LINKS = ("relate", "same", "aligned", "occludees", "occluder", "collide")


@dataclass(frozen=True)
class Link:
    """The objects in relation `op` to the object described by `target`."""

    op: str
    args: tuple[str, ...]
    target: "Things"


@dataclass(frozen=True)
class GroupPair:
    """Union or intersection of two groups, in the order of the text."""

    op: str
    left: "Things"
    right: "Things"

    @property
    def sides(self) -> tuple["Things", "Things"]:
        return self.left, self.right

    @property
    def of_relations(self) -> bool:
        """Return whether both groups are defined by a relation without filters."""
        return all(not side.filters and side.link for side in self.sides)


@dataclass(frozen=True)
class Things:
    """A group: (attribute, value) filters over a source; source None is the whole scene."""

    filters: tuple[tuple[str, str], ...] = ()
    source: Link | GroupPair | None = None

    @property
    def link(self) -> Link | None:
        return self.source if isinstance(self.source, Link) else None

    @property
    def pair(self) -> GroupPair | None:
        return self.source if isinstance(self.source, GroupPair) else None

    @property
    def bare(self) -> "Things":
        """Return the filters without the source."""
        return Things(self.filters)

    def value(self, attribute: str) -> str | None:
        return next((v for a, v in self.filters if a == attribute), None)

    def without(self, attribute: str) -> "Things":
        return Things(tuple(f for f in self.filters if f[0] != attribute), self.source)

    def links(self) -> list[Link]:
        """Return every link in the group, outermost first."""
        if self.link:
            return [self.link, *self.link.target.links()]
        return self.pair.left.links() + self.pair.right.links() if self.pair else []


@dataclass(frozen=True)
class Ask:
    """A question: count, exist, query, equal or a comparison of counts, over one or two groups."""

    op: str
    args: tuple[str, ...]
    groups: tuple[Things, ...]


def analyse(program: StreetProgram) -> Ask:
    """Convert a program to a phrase tree.

    Raise ProgramError if the grammars cannot express it (equal[facing]).
    """
    steps = program.steps

    def group(k: int) -> Things:
        filters = []
        while steps[k].op == "filter":
            filters.append(steps[k].args)
            k = steps[k].inputs[0]
        step = steps[k]
        if step.op == "scene":
            source = None
        elif step.op in ("union", "intersect"):
            source = GroupPair(step.op, group(step.inputs[0]), group(step.inputs[1]))
        else:
            source = Link(step.op, step.args, below(step.inputs[0]))
        filters.sort(key=lambda f: SPOKEN_ORDER.index(f[0]))
        return Things(tuple(filters), source)

    def below(k: int) -> Things:
        """Return the input of `unique`, the only step that returns an object, or of `count`."""
        return group(steps[k].inputs[0])

    top = steps[-1]
    if top.op in ("count", "exist"):
        return Ask(top.op, (), (group(top.inputs[0]),))
    if top.op == "query":
        return Ask("query", top.args, (below(top.inputs[0]),))
    if top.op == "equal" and top.args != ("facing",):
        return Ask("equal", top.args, tuple(below(steps[k].inputs[0]) for k in top.inputs))
    if top.op in COMPARISONS:
        return Ask(top.op, (), tuple(map(below, top.inputs)))
    raise ProgramError(
        f"the grammar has no words for {top.token}; use aligned[same] for equal headings"
    )


def assemble(ask: Ask) -> StreetProgram:
    """Convert a phrase tree to its canonical program."""

    def group(things: Things) -> list[str]:
        order = sorted(things.filters, key=lambda f: SPOKEN_ORDER.index(f[0]))
        tokens = list(starmap("filter[{}={}]".format, order))
        source = things.source
        if source is None:
            return [*tokens, "scene"]
        if isinstance(source, GroupPair):
            return [*tokens, source.op, *group(source.left), *group(source.right)]
        name = f"{source.op}[{','.join(source.args)}]" if source.args else source.op
        return [*tokens, name, "unique", *group(source.target)]

    if ask.op == "query":
        return from_tokens([f"query[{ask.args[0]}]", "unique", *group(ask.groups[0])])
    if ask.op == "equal":
        side = f"query[{ask.args[0]}]", "unique"
        first, two = map(group, ask.groups)
        return from_tokens([f"equal[{ask.args[0]}]", *side, *first, *side, *two])
    if ask.op in COMPARISONS:
        first, two = map(group, ask.groups)
        return from_tokens([ask.op, "count", *first, "count", *two])
    return from_tokens([ask.op, *group(ask.groups[0])])


class TemplateChooser:
    """Random choices."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def pick(self, options: Sequence):
        return options[int(self.rng.random() * len(options))]

    def chance(self, share: float) -> bool:
        return self.rng.random() < share


class StreetGrammar:
    """The vocabulary of a style: tables of language/grammars/street_STYLE.grammar.

    `link[op]` maps a form to wordings: be (after is/are), vp (a verb phrase), gap (a clause without
    its object), inv (a question with {obj}).
    """

    def __init__(self, style: str, plural: Callable[[str], str], free: bool = False) -> None:
        self.file, self.plural = grammar.load(f"street_{style}"), plural
        # adjectives in any order, facing and occlusion before the noun, polite openings
        self.free = free
        self.nouns = self.file.table("noun.")  # shape value or "thing" -> singular nouns
        self.words = self.file.table("word.")  # other values and attribute names
        self.direction, self.facing, self.travel = map(
            self.file.table, ("direction.", "facing.", "travel.")
        )
        self.ask = self.file.table("ask.")  # "count.whole", "query.color.be" ...
        self.opening = self.file.table("opening.")  # first clauses: there, if.forward, view, camera
        self.relative = self.file.wordings("relative")  # pronouns that join a clause to its noun
        self.link: dict[str, dict[str, tuple[str, ...]]] = {}
        for key, wordings in self.file.table("link.").items():
            op, _, form = key.rpartition(".")
            self.link.setdefault(op, {})[form] = wordings


GRAMMARS = {  # the benchmark's plural of bus is "buss"
    "benchmark": StreetGrammar("benchmark", lambda noun: noun + "s"),
    "wide": StreetGrammar(
        "wide", lambda noun: noun + ("es" if noun.endswith("s") else "s"), free=True
    ),
}


def tidy(text: str) -> str:
    """Normalise spaces and punctuation, and capitalise the first letter."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s+([,;?.]|'s\b)", r"\1", text)
    return text[:1].upper() + text[1:]
