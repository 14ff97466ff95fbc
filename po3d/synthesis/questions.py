"""Questions on a scene: the seven tasks of PulseCheck457, as programs whose answer is known and balanced.

The families are the benchmark's own templates (zero_hop, same_relate, ... collision). A family draws a
program with its answer from a scene; what it draws already keeps the benchmark's constraints: references are
unique, filters and relations are needed, the attribute asked for is not told. For every question several
candidates are drawn and the one with the rarest answer so far in its family is kept; the number of draws is
bounded, so no scene can stall the generator."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from po3d.question import Task
from po3d.reasoning import relations
from po3d.reasoning.program import Program, from_tokens
from po3d.reasoning.relations import NO_FACING, Rules
from po3d.scene import Scene
from po3d.vocabulary import COLORS, DIRECTIONS, FACINGS, MATERIALS, PARENT, SHAPES, SIZES

Phrase = tuple[
    tuple[str, str], ...
]  # (attribute, value) pairs in slot order: facing, size, color, material, shape
Tokens = list[str]

SLOTS = ("facing", "size", "color", "material", "shape")
ASKED = ("shape", "color", "size")  # what queries ask for; PulseCheck457 never asks for a material
TRIVIAL = 0.1  # share of relations that the target's description would not need (Super-CLEVR's generator)
CANDIDATES = 6  # valid draws a question is chosen from
TRIES = 40  # draws a family may spend on one question


class Draw(NamedTuple):
    """A program in prefix tokens, with the answer that the family computed."""

    tokens: Tokens
    answer: str


@dataclass(frozen=True)
class Drawn:
    """One question before it has words."""

    template: str
    program: Program
    answer: str


class World:
    """A certain scene as bit sets: bit i stands for object i."""

    def __init__(self, scene: Scene, task: Task, rules: Rules | None = None, materials: bool = False) -> None:
        rules = rules or Rules()
        self.size = len(scene)
        self.all = (1 << self.size) - 1
        positions, headings = scene.positions, scene.headings
        axes = np.array([scene.axes[d] for d in DIRECTIONS])
        degrees = relations.pose_degrees(headings, axes, rules)
        labels = relations.facing_labels(degrees, rules)
        self.value: dict[str, list[str | None]] = {
            "facing": [None if k == NO_FACING else FACINGS[k] for k in labels],
            **{a: [o.value(a) for o in scene.objects] for a in ASKED},
        }
        if materials:
            self.value["material"] = [
                o.value("material") if "material" in o.beliefs else None for o in scene.objects
            ]
        self.slots = tuple(a for a in SLOTS if a in self.value and a != "facing")
        frame = "camera" if task == "2d" else "object"
        bicycle = np.array([PARENT[v] == "bicycle" for v in self.value["shape"]])
        matrices = {
            **{
                f"relate[{d},task]": relations.relate(positions, headings, axes, d, frame, rules, bicycle)
                for d in DIRECTIONS
            },
            **{
                f"aligned[{h}]": relations.aligned(degrees, h, rules)
                for h in ("same", "opposite", "vertical")
            },
            **{
                f"collide[{t}]": relations.collide(positions, headings, scene.extents, t, rules)
                for t in ("forward", "backward")
            },
        }
        if rules.aligned_needs_label:
            for how in ("same", "opposite", "vertical"):
                matrices[f"aligned[{how}]"] &= (labels != NO_FACING)[:, None]
        for attribute in ("size", "color", "material", "shape"):
            if attribute in self.value:
                v = np.array(self.value[attribute], object)
                matrices[f"same[{attribute}]"] = (v[:, None] == v[None, :]) & ~np.eye(self.size, dtype=bool)
        hides = np.zeros((self.size, self.size), bool)
        for j, belief in enumerate(scene.occluders or ()):
            for i, p in belief.items():
                hides[i, j] = p > 0.5
        matrices["occludees"], matrices["occluder"] = hides, hides.T
        self.relation = {
            key: [bits(np.flatnonzero(row)) for row in matrix] for key, matrix in matrices.items()
        }
        self.occluded = bits(np.flatnonzero(hides.any(0)))
        self._masks: dict[Phrase, int] = {}
        self._phrases: dict[tuple[int, tuple[str, ...]], list[Phrase]] = {}

    def mask(self, phrase: Phrase) -> int:
        """The objects that a phrase describes."""
        if phrase not in self._masks:
            self._masks[phrase] = bits(
                i for i in range(self.size) if all(self._is(i, a, v) for a, v in phrase)
            )
        return self._masks[phrase]

    def _is(self, i: int, attribute: str, value: str) -> bool:
        own = self.value[attribute][i]
        return own == value or (attribute == "shape" and PARENT[own] == value)

    def phrases(self, i: int, untold: Sequence[str] = ()) -> list[Phrase]:
        """Every phrase that fits object i and does not tell the attributes `untold`; the empty one ("thing")
        first."""
        key = (i, tuple(untold))
        if key not in self._phrases:
            choices: list[list[tuple[tuple[str, str], ...]]] = []
            for attribute in self.slots:
                own = self.value[attribute][i]
                options: list[tuple[tuple[str, str], ...]] = [()]
                if attribute not in untold and own is not None:
                    options.append(((attribute, own),))
                    if attribute == "shape":
                        options.append((("shape", PARENT[own]),))
                choices.append(options)
            phrases: list[Phrase] = [()]
            for options in choices:
                phrases = [p + o for p in phrases for o in options]
            self._phrases[key] = phrases
        return self._phrases[key]


def bits(indices: Sequence[int] | Iterator[int]) -> int:
    """The bit set of some indices."""
    total = 0
    for i in indices:
        total |= 1 << int(i)
    return total


def members(mask: int) -> list[int]:
    """The indices of a bit set, ascending."""
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def _one(rng: np.random.Generator, options: Sequence):
    return options[int(rng.integers(len(options)))]


def _narrow(tokens: Tokens, phrase: Phrase) -> Tokens:
    """The filters of a phrase around a set, in slot order."""
    for attribute, value in phrase:
        tokens = [f"filter[{attribute}={value}]", *tokens]
    return tokens


def _subsets(phrase: Phrase) -> Iterator[Phrase]:
    """Every phrase with one word less."""
    return combinations(phrase, len(phrase) - 1) if phrase else iter(())


# --- pieces: they return None when the scene has nothing of the kind ----------------------------------------


def _reference(
    world: World,
    rng: np.random.Generator,
    among: int | None = None,
    minimal: bool = False,
    untold: Sequence[str] = (),
) -> tuple[Tokens, int] | None:
    """unique(filters(scene)) and the object it names, one of `among`. `minimal`: no word could be left
    out."""
    candidates = members(world.all if among is None else among)
    if not candidates:
        return None
    i = _one(rng, candidates)
    fit = [p for p in world.phrases(i, untold) if p and world.mask(p) == 1 << i]
    if minimal:
        fit = [p for p in fit if all(world.mask(s) != 1 << i for s in _subsets(p))]
    if not fit:
        return None
    return ["unique", *_narrow(["scene"], _one(rng, fit))], i


def _target(
    world: World,
    rng: np.random.Generator,
    tokens: Tokens,
    within: int,
    untold: Sequence[str] = (),
    avoid: int = 0,
    strict: bool = False,
    minimal: bool = False,
) -> tuple[Tokens, int] | None:
    """unique(filters(`tokens`)) and the one object of `within` that it names.

    `strict`: the description fits other objects of the scene too, so the relation is needed; else that holds
    in 90 %."""
    candidates = members(within & ~avoid)
    if not candidates:
        return None
    i = _one(rng, candidates)
    fit = [p for p in world.phrases(i, untold) if world.mask(p) & within == 1 << i]
    if strict or rng.random() >= TRIVIAL:
        fit = [p for p in fit if world.mask(p) != 1 << i]
    if minimal:
        fit = [p for p in fit if all(world.mask(s) & within != 1 << i for s in _subsets(p))]
    if not fit:
        return None
    return ["unique", *_narrow(tokens, _one(rng, fit))], i


def _some(
    world: World, rng: np.random.Generator, within: int, untold: Sequence[str] = (), related: bool = True
) -> tuple[Phrase, int] | None:
    """A phrase for counting and its objects in `within`: half of the time one that is there, else one that
    may be absent."""
    present = members(within)
    if present and rng.random() < 0.5:
        phrase = _one(rng, world.phrases(_one(rng, present), untold))
    elif rng.random() < 0.5:
        phrase = _one(rng, world.phrases(_one(rng, range(world.size)), untold))
    else:
        phrase = _invented(world, rng, untold)
    if not phrase and not related:
        return None
    found = world.mask(phrase)
    if related and found & within == found and found and rng.random() >= TRIVIAL:
        return None
    return phrase, found & within


def _invented(world: World, rng: np.random.Generator, untold: Sequence[str]) -> Phrase:
    """One to three words drawn from the whole vocabulary."""
    values = {
        "size": SIZES,
        "color": COLORS,
        "material": MATERIALS,
        "shape": SHAPES + tuple(dict.fromkeys(PARENT.values())),
    }
    slots = [a for a in world.slots if a not in untold]
    if not slots:
        return ()
    kept = sorted(rng.permutation(len(slots))[: rng.integers(1, len(slots) + 1)])
    return tuple((slots[k], _one(rng, values[slots[k]])) for k in kept)


def _relation(rng: np.random.Generator) -> str:
    return f"relate[{_one(rng, DIRECTIONS)},task]"


def _chain(world: World, rng: np.random.Generator, hops: int) -> tuple[Tokens, int] | None:
    """A set reached by `hops` relations from a unique object, and its members."""
    start = _reference(world, rng)
    if start is None:
        return None
    tokens, i = start
    visited = 1 << i
    for hop in range(hops):
        key = _relation(rng)
        tokens, reached = [key, *tokens], world.relation[key][i]
        if hop == hops - 1:
            return tokens, reached
        step = _target(world, rng, tokens, reached, avoid=visited)
        if step is None:
            return None
        tokens, i = step
        visited |= 1 << i
    return None


def _finish(
    world: World,
    rng: np.random.Generator,
    tokens: Tokens,
    within: int,
    kind: str,
    untold: Sequence[str] = (),
    related: bool = True,
    strict: bool = False,
    minimal: bool = False,
) -> Draw | None:
    """The question itself about the set `within`: count, exist, or a query of an attribute."""
    if kind in ("count", "exist"):
        some = _some(world, rng, within, untold, related)
        if some is None:
            return None
        phrase, found = some
        answer = str(found.bit_count()) if kind == "count" else ("yes" if found else "no")
        return Draw([kind, *_narrow(tokens, phrase)], answer)
    if related:
        target = _target(world, rng, tokens, within, (*untold, kind), strict=strict, minimal=minimal)
    else:
        target = _reference(world, rng, within, minimal, (*untold, kind))
    if target is None:
        return None
    tokens, i = target
    value = world.value[kind][i]
    return None if value is None else Draw([f"query[{kind}]", *tokens], value)


Maker = Callable[[World, np.random.Generator], Draw | None]


def _zero_hop(kind: str) -> Maker:
    return lambda world, rng: _finish(world, rng, ["scene"], world.all, kind, related=False)


def _same(attribute: str, kind: str, narrowed: bool) -> Maker:
    def make(world: World, rng: np.random.Generator) -> Draw | None:
        start = _reference(world, rng)
        if start is None:
            return None
        tokens, i = start
        key = f"same[{attribute}]"
        within = world.relation[key][i]
        if not narrowed:
            return Draw(
                [kind, key, *tokens],
                str(within.bit_count()) if kind == "count" else ("yes" if within else "no"),
            )
        return _finish(world, rng, [key, *tokens], within, kind, untold=(attribute,))

    return make


def _either(narrowing: str | None) -> Maker:
    """How many [size|color|shape] things are NPs or NPs."""

    def make(world: World, rng: np.random.Generator) -> Draw | None:
        untold = () if narrowing is None else (narrowing,)
        both = [_some(world, rng, world.all, untold, related=False) for _ in range(2)]
        if None in both:
            return None
        (p, a), (q, b) = both
        if not (a or b) or (a and b and a | b in (a, b)):  # one alternative says it all
            return None
        tokens, found = ["union", *_narrow(["scene"], p), *_narrow(["scene"], q)], a | b
        if narrowing is not None:
            own = [v for v in world.value[narrowing] if v is not None]
            value = _one(rng, own)
            tokens, found = (
                [f"filter[{narrowing}={value}]", *tokens],
                found & world.mask(((narrowing, value),)),
            )
        return Draw(["count", *tokens], str(found.bit_count()))

    return make


def _hops(hops: int, kind: str) -> Maker:
    def make(world: World, rng: np.random.Generator) -> Draw | None:
        reached = _chain(world, rng, hops)
        return None if reached is None else _finish(world, rng, *reached, kind)

    return make


def _both(kind: str) -> Maker:
    """What is R2 the NP2 and R the NP."""

    def make(world: World, rng: np.random.Generator) -> Draw | None:
        a, b = _chain(world, rng, 1), _chain(world, rng, 1)
        if (
            a is None or b is None or a[1] & b[1] in (a[1], b[1])
        ):  # one of the two relations would not be needed
            return None
        return _finish(world, rng, ["intersect", *a[0], *b[0]], a[1] & b[1], kind)

    return make


def _or_related(first: str, second: str) -> Maker:
    """How many things are NPs (R the NP) or NPs (R2 the NP2)."""

    def make(world: World, rng: np.random.Generator) -> Draw | None:
        sides = [_counted(world, rng, how) for how in (first, second)]
        if None in sides:
            return None
        (a, found_a), (b, found_b) = sides
        if not (found_a or found_b) or (found_a and found_b and found_a | found_b in (found_a, found_b)):
            return None
        return Draw(["count", "union", *a, *b], str((found_a | found_b).bit_count()))

    return make


def _counted(world: World, rng: np.random.Generator, how: str) -> tuple[Tokens, int] | None:
    """A described set, "plain" or "related" to an object."""
    tokens, within = ["scene"], world.all
    if how == "related":
        reached = _chain(world, rng, 1)
        if reached is None:
            return None
        tokens, within = reached
    some = _some(world, rng, within, related=how == "related")
    if some is None or not some[0]:
        return None
    return _narrow(tokens, some[0]), some[1]


def _compare_counts(op: str, second: str) -> Maker:
    def make(world: World, rng: np.random.Generator) -> Draw | None:
        sides = [_counted(world, rng, how) for how in ("related", second)]
        if None in sides:
            return None
        (a, found_a), (b, found_b) = sides
        if a == b:
            return None
        x, y = found_a.bit_count(), found_b.bit_count()
        truth = {"equal_integer": x == y, "less_than": x < y, "greater_than": x > y}[op]
        return Draw([op, "count", *a, "count", *b], "yes" if truth else "no")

    return make


def _compare_values(attribute: str, first: str, second: str) -> Maker:
    def make(world: World, rng: np.random.Generator) -> Draw | None:
        sides = []
        for how in (first, second):
            if how == "plain":
                side = _reference(world, rng, untold=(attribute,))
            else:
                reached = _chain(world, rng, 1)
                side = reached and _target(world, rng, *reached, untold=(attribute,))
            if side is None:
                return None
            sides.append(side)
        (a, i), (b, j) = sides
        if i == j:
            return None
        truth = world.value[attribute][i] == world.value[attribute][j]
        query = f"query[{attribute}]"
        return Draw([f"equal[{attribute}]", query, *a, query, *b], "yes" if truth else "no")

    return make


def _occluded(kind: str) -> Maker:
    """What is the a of the NP that is occluded."""

    def make(world: World, rng: np.random.Generator) -> Draw | None:
        tokens = ["filter[occlusion=occluded]", "scene"]
        return _finish(world, rng, tokens, world.occluded, kind, strict=True, minimal=True)

    return make


def _related_query(keys: Sequence[str], kind: str) -> Maker:
    """What is the a of the NP that stands in a relation to the NP2, the relation being needed."""

    def make(world: World, rng: np.random.Generator) -> Draw | None:
        key = _one(rng, keys)
        start = _reference(world, rng, bits(i for i, r in enumerate(world.relation[key]) if r), minimal=True)
        if start is None:
            return None
        tokens, i = start
        return _finish(world, rng, [key, *tokens], world.relation[key][i], kind, strict=True, minimal=True)

    return make


def _facing(world: World, rng: np.random.Generator) -> Draw | None:
    """Which direction the NP is facing."""
    faced = bits(i for i, v in enumerate(world.value["facing"]) if v is not None)
    return _finish(world, rng, ["scene"], faced, "facing", related=False, minimal=True)


def _which_faces(kind: str) -> Maker:
    """What is the a of the NP which faces to the <direction>."""

    def make(world: World, rng: np.random.Generator) -> Draw | None:
        value = _one(rng, FACINGS)
        tokens = [f"filter[facing={value}]", "scene"]
        return _finish(world, rng, tokens, world.mask((("facing", value),)), kind, strict=True, minimal=True)

    return make


def _collision(kind: str) -> Maker:
    def make(world: World, rng: np.random.Generator) -> Draw | None:
        key = f"collide[{_one(rng, ('forward', 'backward'))}]"
        start = _reference(world, rng)
        if start is None:
            return None
        tokens, i = start
        return _finish(world, rng, [key, *tokens], world.relation[key][i], kind)

    return make


_KINDS = ("count", "exist", *ASKED)
_ZERO_HOP: dict[str, Maker] = {f"zero_hop/{k}": _zero_hop(k) for k in _KINDS}
_OBJECTS: dict[str, Maker] = {
    **{f"same_relate/{a}/{k}": _same(a, k, False) for a in ASKED for k in ("exist", "count")},
    **{f"same_relate/{a}/{k}_of": _same(a, k, True) for a in ASKED for k in ("exist", "count")},
    **{f"same_relate/{a}/{k}": _same(a, k, True) for a in ASKED for k in ASKED if k != a},
    "single_or/count": _either(None),
    **{f"single_or/{a}": _either(a) for a in ASKED},
}
_SPATIAL: dict[str, Maker] = {
    **{
        f"{name}/{k}": _hops(n, k)
        for n, name in ((1, "one_hop"), (2, "two_hop"), (3, "three_hop"))
        for k in _KINDS
    },
    **{f"single_and/{k}": _both(k) for k in ("count", *ASKED)},
    "single_or/related_plain": _or_related("related", "plain"),
    "single_or/plain_related": _or_related("plain", "related"),
    "single_or/related_related": _or_related("related", "related"),
    **{
        f"compare_integer/{op}/{second}": _compare_counts(op, second)
        for op in ("equal_integer", "less_than", "greater_than")
        for second in ("plain", "related")
    },
    **{
        f"comparison/{a}/{x}_{y}": _compare_values(a, x, y)
        for a in ASKED
        for x, y in (("related", "plain"), ("plain", "related"), ("related", "related"))
    },
}
_OCCLUSION: dict[str, Maker] = {
    **{f"occlusion/{k}": _occluded(k) for k in ASKED},
    **{f"occlusion_by/{r}/{k}": _related_query((r,), k) for r in ("occludees", "occluder") for k in ASKED},
}
_POSE: dict[str, Maker] = {
    "pose/facing": _facing,
    **{f"pose/{k}": _which_faces(k) for k in ASKED},
    **{
        f"pose_relate/{h}/{k}": _related_query((f"aligned[{h}]",), k)
        for h in ("same", "opposite", "vertical")
        for k in ASKED
    },
}
_COLLISION: dict[str, Maker] = {f"collision/{k}": _collision(k) for k in _KINDS}


class Column(NamedTuple):
    """One of the benchmark's question files."""

    task: Task
    families: dict[str, Maker]
    per_image: int


# The benchmark's columns in its order.
COLUMNS: dict[str, Column] = {
    "L1-Single": Column("2d", _ZERO_HOP, 2),
    "L2-Multi-obj": Column("2d", _OBJECTS, 5),
    "L3-2D-Spatial": Column("2d", _SPATIAL, 5),
    "L4-Occlusion": Column("2d", _OCCLUSION, 5),
    "L4-3D-Pose": Column("2d", _POSE, 5),
    "L5-Collision": Column("2d", _COLLISION, 5),
    "L5-6D-Spatial": Column("6d", _SPATIAL, 5),
}


@dataclass
class Balance:
    """How often each template was used and each of its answers given, over the images so far."""

    uses: Counter[str] = field(default_factory=Counter)
    answers: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def keep(self, template: str, draws: Sequence[Draw]) -> Draw:
        """The draw with the rarest answer so far; the first of equals."""
        counts = self.answers[template]
        best = min(draws, key=lambda d: counts[d.answer])
        counts[best.answer] += 1
        self.uses[template] += 1
        return best


def ask(world: World, column: str, balance: Balance, rng: np.random.Generator) -> list[Drawn]:
    """Up to the column's number of questions on one scene, no program twice; fewer where the scene has no
    more to ask."""
    families, wanted = COLUMNS[column].families, COLUMNS[column].per_image
    questions: list[Drawn] = []
    asked: set[str] = set()
    shuffled = [list(families)[k] for k in rng.permutation(len(families))]
    for template in sorted(shuffled, key=lambda t: balance.uses[t]) * 2:
        if len(questions) == wanted:
            break
        draws: list[Draw] = []
        for _ in range(TRIES):
            draw = families[template](world, rng)
            if draw is not None and " ".join(draw.tokens) not in asked:
                draws.append(draw)
                if len(draws) == CANDIDATES:
                    break
        if not draws:
            continue
        best = balance.keep(template, draws)
        asked.add(" ".join(best.tokens))
        questions.append(Drawn(template, from_tokens(best.tokens), best.answer))
    return questions
