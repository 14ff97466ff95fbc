"""Building blocks of questions: references, targets, chains of relations, and the final operation.
Each is sampled and is None if the scene has no match.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from po3d.scene.vocabulary import COLORS, DIRECTIONS, MATERIALS, PARENT, SHAPES, SIZES
from po3d.synthesis.street.question_world import Phrase, SceneBitsets, members

Tokens = list[str]
Draw = tuple[Tokens, str]  # a program in prefix tokens, with the answer computed by its family

# share of relations that the target's description would not need (Super-CLEVR's generator)
TRIVIAL = 0.1


def narrow(tokens: Tokens, phrase: Phrase) -> Tokens:
    """Wrap a set in the filters of a phrase, in slot order."""
    for attribute, value in phrase:
        tokens = [f"filter[{attribute}={value}]", *tokens]
    return tokens


def _subsets(phrase: Phrase) -> Iterator[Phrase]:
    """Return every phrase with one word removed."""
    return combinations(phrase, len(phrase) - 1) if phrase else iter(())


def answer(kind: str, mask: int) -> str:
    """Return the answer of count or exist for a set."""
    if kind == "count":
        return str(mask.bit_count())
    return "yes" if mask else "no"


class PhraseSampler:
    """Samples building blocks for one scene with one generator."""

    def __init__(self, world: SceneBitsets, rng: np.random.Generator) -> None:
        self.world, self.rng = world, rng

    def pick(self, options: Sequence):
        """Draw one of the options uniformly."""
        return options[int(self.rng.integers(len(options)))]

    def reference(
        self, within: int | None = None, minimal: bool = False, untold: Sequence[str] = ()
    ) -> tuple[Tokens, int] | None:
        """Return unique(filters(scene)) and the object it refers to, one of `within`. `minimal`: no
        word is redundant."""
        candidates = members(self.world.all if within is None else within)
        if not candidates:
            return None
        i = self.pick(candidates)
        fit = []
        for phrase in self.world.phrases(i, untold):
            if phrase and self._refers(phrase, i, self.world.all, minimal):
                fit.append(phrase)
        if not fit:
            return None
        return ["unique", *narrow(["scene"], self.pick(fit))], i

    def _refers(self, phrase: Phrase, i: int, within: int, minimal: bool) -> bool:
        """Return whether a phrase refers to object i alone among those of `within`; `minimal`: and
        no shorter one does."""
        if self.world.mask(phrase) & within != 1 << i:
            return False
        return not minimal or all(
            self.world.mask(shorter) & within != 1 << i for shorter in _subsets(phrase)
        )

    def target(
        self,
        tokens: Tokens,
        within: int,
        untold: Sequence[str] = (),
        avoid: int = 0,
        strict: bool = False,
        minimal: bool = False,
    ) -> tuple[Tokens, int] | None:
        """Return unique(filters(`tokens`)) and the one object of `within` that it refers to.

        `strict`: the description alone matches several objects of the scene, so the relation is
        needed; otherwise this holds with probability 90 %.
        """
        candidates = members(within & ~avoid)
        if not candidates:
            return None
        i = self.pick(candidates)
        needed = strict or self.rng.random() >= TRIVIAL
        fit = []
        for phrase in self.world.phrases(i, untold):
            alone = needed and self.world.mask(phrase) == 1 << i
            if not alone and self._refers(phrase, i, within, minimal):
                fit.append(phrase)
        if not fit:
            return None
        return ["unique", *narrow(tokens, self.pick(fit))], i

    def some(
        self, within: int, untold: Sequence[str] = (), related: bool = True
    ) -> tuple[Phrase, int] | None:
        """Return a phrase for counting and its matches in `within`. In half of the cases the phrase
        describes an object in the set, otherwise it may match nothing."""
        present = members(within)
        if present and self.rng.random() < 0.5:
            phrase = self.pick(self.world.phrases(self.pick(present), untold))
        elif self.rng.random() < 0.5:
            phrase = self.pick(self.world.phrases(self.pick(range(self.world.size)), untold))
        else:
            phrase = self._invented(untold)
        if not phrase and not related:
            return None
        mask = self.world.mask(phrase)
        if related and mask & within == mask and mask and self.rng.random() >= TRIVIAL:
            return None
        return phrase, mask & within

    def _invented(self, untold: Sequence[str]) -> Phrase:
        """Return a phrase of one to three words drawn from the whole vocabulary."""
        categories = tuple(dict.fromkeys(PARENT.values()))
        values = {"size": SIZES, "color": COLORS, "material": MATERIALS}
        values["shape"] = SHAPES + categories
        slots = [a for a in self.world.slots if a not in untold]
        if not slots:
            return ()
        positions = sorted(self.rng.permutation(len(slots))[: self.rng.integers(1, len(slots) + 1)])
        return tuple((slots[k], self.pick(values[slots[k]])) for k in positions)

    def _relation(self) -> str:
        return f"relate[{self.pick(DIRECTIONS)},task]"

    def chain(self, hops: int) -> tuple[Tokens, int] | None:
        """Return a set reached by `hops` relations from a unique object, and its members."""
        start = self.reference()
        if start is None:
            return None
        tokens, i = start
        visited = 1 << i
        for hop in range(hops):
            key = self._relation()
            tokens, reached = [key, *tokens], self.world.relation[key][i]
            if hop == hops - 1:
                return tokens, reached
            step = self.target(tokens, reached, avoid=visited)
            if step is None:
                return None
            tokens, i = step
            visited |= 1 << i
        return None

    def finish(
        self,
        tokens: Tokens,
        within: int,
        kind: str,
        untold: Sequence[str] = (),
        related: bool = True,
        strict: bool = False,
        minimal: bool = False,
    ) -> Draw | None:
        """Return the complete question about the set `within`: count, exist, or a query of an
        attribute."""
        if kind in ("count", "exist"):
            described = self.some(within, untold, related)
            if described is None:
                return None
            phrase, mask = described
            return [kind, *narrow(tokens, phrase)], answer(kind, mask)
        if related:
            named = self.target(tokens, within, (*untold, kind), strict=strict, minimal=minimal)
        else:
            named = self.reference(within, minimal, (*untold, kind))
        if named is None:
            return None
        tokens, i = named
        value = self.world.value[kind][i]
        return None if value is None else ([f"query[{kind}]", *tokens], value)

    def counted(self, kind: str) -> tuple[Tokens, int] | None:
        """Return a described set, "plain" or "related" to an object."""
        tokens, within = ["scene"], self.world.all
        if kind == "related":
            reached = self.chain(1)
            if reached is None:
                return None
            tokens, within = reached
        described = self.some(within, related=kind == "related")
        if described is None or not described[0]:
            return None
        return narrow(tokens, described[0]), described[1]
