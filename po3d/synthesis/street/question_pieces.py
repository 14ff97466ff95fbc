"""What questions are put together from: references, targets, chains of relations, and the question itself.
The pieces are drawn; they are None when the scene has nothing of the kind."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from po3d.scene.vocabulary import COLORS, DIRECTIONS, MATERIALS, PARENT, SHAPES, SIZES
from po3d.synthesis.street.question_world import Phrase, World, members

Tokens = list[str]

TRIVIAL = 0.1  # share of relations that the target's description would not need (Super-CLEVR's generator)


class Draw(NamedTuple):
    """A program in prefix tokens, with the answer that the family computed."""

    tokens: Tokens
    answer: str


def pick(rng: np.random.Generator, options: Sequence):
    """One of some options, all equally likely."""
    return options[int(rng.integers(len(options)))]


def narrow(tokens: Tokens, phrase: Phrase) -> Tokens:
    """The filters of a phrase around a set, in slot order."""
    for attribute, value in phrase:
        tokens = [f"filter[{attribute}={value}]", *tokens]
    return tokens


def _subsets(phrase: Phrase) -> Iterator[Phrase]:
    """Every phrase with one word less."""
    return combinations(phrase, len(phrase) - 1) if phrase else iter(())


def reference(
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
    i = pick(rng, candidates)
    fit = [p for p in world.phrases(i, untold) if p and world.mask(p) == 1 << i]
    if minimal:
        fit = [p for p in fit if all(world.mask(s) != 1 << i for s in _subsets(p))]
    if not fit:
        return None
    return ["unique", *narrow(["scene"], pick(rng, fit))], i


def target(
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
    i = pick(rng, candidates)
    fit = [p for p in world.phrases(i, untold) if world.mask(p) & within == 1 << i]
    if strict or rng.random() >= TRIVIAL:
        fit = [p for p in fit if world.mask(p) != 1 << i]
    if minimal:
        fit = [p for p in fit if all(world.mask(s) & within != 1 << i for s in _subsets(p))]
    if not fit:
        return None
    return ["unique", *narrow(tokens, pick(rng, fit))], i


def some(
    world: World, rng: np.random.Generator, within: int, untold: Sequence[str] = (), related: bool = True
) -> tuple[Phrase, int] | None:
    """A phrase for counting and its objects in `within`: half of the time one that is there, else one that
    may be absent."""
    present = members(within)
    if present and rng.random() < 0.5:
        phrase = pick(rng, world.phrases(pick(rng, present), untold))
    elif rng.random() < 0.5:
        phrase = pick(rng, world.phrases(pick(rng, range(world.size)), untold))
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
    return tuple((slots[k], pick(rng, values[slots[k]])) for k in kept)


def _relation(rng: np.random.Generator) -> str:
    return f"relate[{pick(rng, DIRECTIONS)},task]"


def chain(world: World, rng: np.random.Generator, hops: int) -> tuple[Tokens, int] | None:
    """A set reached by `hops` relations from a unique object, and its members."""
    start = reference(world, rng)
    if start is None:
        return None
    tokens, i = start
    visited = 1 << i
    for hop in range(hops):
        key = _relation(rng)
        tokens, reached = [key, *tokens], world.relation[key][i]
        if hop == hops - 1:
            return tokens, reached
        step = target(world, rng, tokens, reached, avoid=visited)
        if step is None:
            return None
        tokens, i = step
        visited |= 1 << i
    return None


def answer(kind: str, found: int) -> str:
    """What count or exist says of a set."""
    return str(found.bit_count()) if kind == "count" else ("yes" if found else "no")


def finish(
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
        described = some(world, rng, within, untold, related)
        if described is None:
            return None
        phrase, found = described
        return Draw([kind, *narrow(tokens, phrase)], answer(kind, found))
    if related:
        named = target(world, rng, tokens, within, (*untold, kind), strict=strict, minimal=minimal)
    else:
        named = reference(world, rng, within, minimal, (*untold, kind))
    if named is None:
        return None
    tokens, i = named
    value = world.value[kind][i]
    return None if value is None else Draw([f"query[{kind}]", *tokens], value)


def counted(world: World, rng: np.random.Generator, how: str) -> tuple[Tokens, int] | None:
    """A described set, "plain" or "related" to an object."""
    tokens, within = ["scene"], world.all
    if how == "related":
        reached = chain(world, rng, 1)
        if reached is None:
            return None
        tokens, within = reached
    described = some(world, rng, within, related=how == "related")
    if described is None or not described[0]:
        return None
    return narrow(tokens, described[0]), described[1]
