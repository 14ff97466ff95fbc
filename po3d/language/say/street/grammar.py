"""Programs as phrase trees, and the templates that a speaker fills.

A program of the street world asks about one or two groups of things. `Things` is such a group: filters over a
source, which is the whole scene (None), what stands in a relation to one other thing (`Link`), or two groups
put together (`Pair`). A `Grammar` is a table of templates; po3d.language.say.street.speaker says a question with it:

    "[how many|what number of] {things} are there"     brackets choose, braces are filled in

What makes a text mean one program: what follows a noun describes the nearest noun before it; words
about the viewpoint go with the relation whose reference they follow, or which they precede, and with all
relations where they open the sentence.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from po3d.language.program import ProgramError
from po3d.language.programs.street import Program, from_tokens

# The order in which filters are named, first spoken first: also the prefix order of canonical programs.
SPOKEN_ORDER = ("size", "color", "material", "shape", "facing", "occlusion")
COMPARISONS = ("equal_integer", "less_than", "greater_than")
LINKS = ("relate", "same", "aligned", "occludees", "occluder", "collide")


@dataclass(frozen=True)
class Link:
    """What stands in relation `op` to the one thing that `target` describes."""

    op: str
    args: tuple[str, ...]
    target: "Things"


@dataclass(frozen=True)
class Pair:
    """union or intersect of two groups, in spoken order."""

    op: str
    left: "Things"
    right: "Things"


@dataclass(frozen=True)
class Things:
    """A group: (attribute, value) filters over a source; None is the whole scene."""

    filters: tuple[tuple[str, str], ...] = ()
    source: Link | Pair | None = None

    def value(self, attribute: str) -> str | None:
        return next((v for a, v in self.filters if a == attribute), None)

    def without(self, attribute: str) -> "Things":
        return Things(tuple(f for f in self.filters if f[0] != attribute), self.source)

    def links(self) -> list[Link]:
        """Every link in the group, outermost first."""
        if isinstance(self.source, Link):
            return [self.source, *self.source.target.links()]
        if isinstance(self.source, Pair):
            return self.source.left.links() + self.source.right.links()
        return []


@dataclass(frozen=True)
class Ask:
    """A question: count, exist, query, equal or a comparison of counts, over one or two groups."""

    op: str
    args: tuple[str, ...]
    groups: tuple[Things, ...]


def analyse(program: Program) -> Ask:
    """The phrase tree of a program; ProgramError for one that the language can't say (equal[facing])."""
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
            source = Pair(step.op, group(step.inputs[0]), group(step.inputs[1]))
        else:
            source = Link(step.op, step.args, single(step.inputs[0]))
        filters.sort(key=lambda f: SPOKEN_ORDER.index(f[0]))
        return Things(tuple(filters), source)

    def single(k: int) -> Things:
        return group(steps[k].inputs[0])  # the only step that gives an object is unique

    top = steps[-1]
    if top.op in ("count", "exist"):
        return Ask(top.op, (), (group(top.inputs[0]),))
    if top.op == "query":
        return Ask("query", top.args, (single(top.inputs[0]),))
    if top.op == "equal" and top.args != ("facing",):
        return Ask("equal", top.args, tuple(single(steps[i].inputs[0]) for i in top.inputs))
    if top.op in COMPARISONS:
        return Ask(top.op, (), tuple(group(steps[i].inputs[0]) for i in top.inputs))
    raise ProgramError(
        f"the language has no words for {top.token}; same headings are asked with aligned[same]"
    )


def assemble(ask: Ask) -> Program:
    """The canonical program of a phrase tree."""

    def group(things: Things) -> list[str]:
        order = sorted(things.filters, key=lambda f: SPOKEN_ORDER.index(f[0]))
        tokens = [f"filter[{a}={v}]" for a, v in order]
        source = things.source
        if source is None:
            return [*tokens, "scene"]
        if isinstance(source, Pair):
            return [*tokens, source.op, *group(source.left), *group(source.right)]
        name = f"{source.op}[{','.join(source.args)}]" if source.args else source.op
        return [*tokens, name, "unique", *group(source.target)]

    if ask.op == "query":
        return from_tokens([f"query[{ask.args[0]}]", "unique", *group(ask.groups[0])])
    if ask.op == "equal":
        sides = [[f"query[{ask.args[0]}]", "unique", *group(g)] for g in ask.groups]
        return from_tokens([f"equal[{ask.args[0]}]", *sides[0], *sides[1]])
    if ask.op in COMPARISONS:
        return from_tokens([ask.op, *(t for g in ask.groups for t in ("count", *group(g)))])
    return from_tokens([ask.op, *group(ask.groups[0])])


# ----------------------------------------------------------------------------------------------------
# templates
Slots = Mapping[str, str | Callable[[], str]]


@cache
def _compile(template: str) -> tuple:
    """Nested tuples: ("seq", parts...) and ("alt", options...) over text and ("slot", name)."""
    pieces = re.findall(r"[\[\]|]|\{[a-z_0-9]+\}|[^\[\]|{}]+", template)
    position = 0

    def options(closing: bool) -> tuple:
        nonlocal position
        found, parts = [], []
        while position < len(pieces):
            piece = pieces[position]
            position += 1
            if piece == "[":
                parts.append(options(True))
            elif piece == "]" and closing:
                return ("alt", *found, ("seq", *parts))
            elif piece == "|":
                found.append(("seq", *parts))
                parts = []
            else:
                parts.append(("slot", piece[1:-1]) if piece[0] == "{" else piece)
        return ("alt", *found, ("seq", *parts)) if found else ("seq", *parts)

    return options(False)


def choose(rng: np.random.Generator, options: Sequence):
    return options[int(rng.random() * len(options))]


def expand(template: str, rng: np.random.Generator, slots: Slots) -> str:
    """`template` with every bracket decided and every slot filled."""

    def say(node) -> str:
        if isinstance(node, str):
            return node
        kind = node[0]
        if kind == "seq":
            return "".join(map(say, node[1:]))
        if kind == "alt":
            return say(choose(rng, node[1:]))
        value = slots[node[1]]
        return value if isinstance(value, str) else value()

    return say(_compile(template))


@dataclass(frozen=True)
class Grammar:
    """The words and templates of one style. `link[op]` maps a form to templates:
    be (after is/are), vp (a verb phrase), gap (a clause without its object), inv (a question with {obj}).
    """

    nouns: Mapping[str, tuple[str, ...]]  # shape value or "thing" -> singular nouns
    plural: Callable[[str], str]
    words: Mapping[str, tuple[str, ...]]  # other values and attribute names -> words
    direction: Mapping[str, tuple[str, ...]]  # relate: direction -> "left of", ...
    facing: Mapping[str, tuple[str, ...]]  # facing filter: direction -> "to the left", ...
    travel: Mapping[str, tuple[str, ...]]  # "if it moves forward"
    link: Mapping[str, Mapping[str, tuple[str, ...]]]
    ask: Mapping[str, tuple[str, ...]]  # "count.whole", "query.color.be", ... -> templates
    opening: Mapping[str, tuple[str, ...]]  # there, if.forward, view, camera -> first clauses
    relative: tuple[str, ...]  # pronouns that join a clause to its noun
    free: bool = False  # adjectives in any order, facing and occlusion before the noun, polite openings


def tidy(text: str) -> str:
    """One blank between words, none before punctuation, a capital at the start."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s+([,;?.]|'s\b)", r"\1", text)
    return text[:1].upper() + text[1:]
