"""Sample random programs of every family, and of combinations in annotators' questions.

No scene is needed.
"""

from collections.abc import Callable

import numpy as np

from po3d.language.programs.street import FILTER_VALUES, StreetProgram
from po3d.language.say.street.grammar import (
    COMPARISONS,
    Ask,
    GroupPair,
    Link,
    TemplateChooser,
    Things,
    assemble,
)
from po3d.scene.vocabulary import DIRECTIONS, SHAPES, SUPER_CATEGORIES

_ALIGNMENTS = ("same", "same", "opposite", "opposite", "vertical", "vertical", "parallel")
_ATTRIBUTES = ("shape", "color", "size", "material")


class _Sampler(TemplateChooser):
    def __init__(self, rng: np.random.Generator, max_hops: int, materials: bool):
        super().__init__(rng)
        self.max_hops = max_hops
        self.materials = materials
        self.attributes = _ATTRIBUTES if materials else _ATTRIBUTES[:3]

    def filters(
        self, least: int = 1, skip: tuple[str, ...] = (), rich: float = 0.0
    ) -> tuple[tuple[str, str], ...]:
        """Sample at least `least` filters on different attributes.

        `rich`: probability of an additional facing or occlusion filter.
        """
        shares = {
            "size": 0.35,
            "color": 0.5,
            "material": 0.3 if self.materials else 0.0,
            "shape": 0.75,
        }
        while True:
            chosen = [a for a, share in shares.items() if a not in skip and self.chance(share)]
            if len(chosen) >= least:
                break
        if rich and self.chance(rich):
            extra = self.pick(("facing", "occlusion"))
            if extra not in skip:
                chosen.append(extra)
        return tuple(zip(chosen, map(self.value, chosen)))

    def value(self, attribute: str) -> str:
        if attribute == "shape":
            return self.pick(SHAPES) if self.chance(0.6) else self.pick(tuple(SUPER_CATEGORIES))
        return self.pick(FILTER_VALUES[attribute])

    def things(self, source=None, least: int = 1, **options) -> Things:
        return Things(self.filters(least, **options), source)

    def link(self, op: str, target: Things) -> Link:
        args: tuple[str, ...] = ()
        if op == "relate":
            frame = "task" if self.chance(0.74) else self.pick(("camera", "object"))
            args = (self.pick(DIRECTIONS), frame)
        elif op == "same":
            args = (self.pick(self.attributes),)
        elif op == "aligned":
            args = (self.pick(_ALIGNMENTS),)
        elif op == "collide":
            args = (self.pick(("forward", "backward")),)
        return Link(op, args, target)

    def related(
        self, op: str = "relate", hops: int = 1, rich: float = 0.0, least: int = 0, skip=()
    ) -> Things:
        """Sample a group in relation `op` to an object at the end of hops - 1 "relate" links."""
        target = self.things(rich=rich)
        for _ in range(hops - 1):
            target = Things(
                self.filters(0 if self.chance(0.15) else 1), self.link("relate", target)
            )
        return Things(
            self.filters(least if self.chance(0.25) else 1, skip=skip), self.link(op, target)
        )

    def head(self, make: Callable[[int, tuple[str, ...]], Things], facing: float = 0.08) -> Ask:
        """Sample a count, exist or query question about a group.

        `make(least, skipped)` samples a group with at least `least` filters, none of them on the
        `skipped` attributes.
        """
        op = self.pick(("count", "exist", "query", "query"))
        if op != "query":
            return Ask(op, (), (make(0, ()),))
        attribute = "facing" if self.chance(facing) else self.pick(self.attributes)
        group = make(0, (attribute,))
        if attribute == "shape" and self.chance(0.35):
            super_category = ("shape", self.pick(tuple(SUPER_CATEGORIES)))
            group = Things((*group.without("shape").filters, super_category), group.source)
        return Ask("query", (attribute,), (group,))

    # ----------------------------------------------------------------------------------------------
    # families
    def zero_hop(self) -> Ask:
        return self.head(lambda least, skip: self.things(least=1, skip=skip), facing=0.0)

    def single_or(self) -> Ask:
        skip = self.pick(
            (("size",), ("color",), ("shape",), ("material",) if self.materials else (), (), ())
        )
        first = self.things()
        if self.chance(0.18):
            first = Things((), GroupPair("union", first, self.things()))
        pair = GroupPair("union", first, self.things())
        top = Things(tuple(zip(skip, map(self.value, skip))), pair)
        return Ask("count" if self.chance(0.75) else "exist", (), (top,))

    def same_relate(self) -> Ask:
        def make(least, skip):
            group = self.related("same", 2 if self.chance(0.1) else 1, least=least, skip=skip)
            return group.without(group.source.args[0])

        return self.head(make, facing=0.0)

    def hops(self, number: int) -> Ask:
        return self.head(lambda least, skip: self.related("relate", number, least=least, skip=skip))

    def _bare(self) -> Things:
        op = self.pick(("relate",) * 5 + ("aligned", "occludees", "collide", "same"))
        hops = 2 if self.chance(0.2) else 1
        return Things((), self.related(op, hops).source)

    def single_and(self) -> Ask:
        pair = GroupPair("intersect", self._bare(), self._bare())
        return self.head(
            lambda least, skip: Things(self.filters(least, skip=skip), pair), facing=0.0
        )

    def relation_or(self) -> Ask:
        if self.chance(0.4):
            pair = GroupPair("union", self._bare(), self._bare())
            return Ask(self.pick(("count", "exist")), (), (self.things(pair, least=0),))
        sides = [
            self.related(least=1),
            self.related(least=1) if self.chance(0.6) else self.things(),
        ]
        if self.chance(0.3):
            sides.reverse()
        top = () if self.chance(0.5) else self.filters(1, skip=("shape", "material"))
        return Ask(
            self.pick(("count", "count", "exist")), (), (Things(top, GroupPair("union", *sides)),)
        )

    def _side(self, related: bool) -> Things:
        if not related:
            return self.things(rich=0.12)
        op = self.pick(("relate",) * 7 + ("aligned", "occludees", "collide"))
        return self.related(op, 2 if self.chance(0.15) else 1, least=1)

    def _sides(self) -> tuple[Things, Things]:
        layout = self.pick(((True, False), (False, True), (True, True), (False, False)))
        return self._side(layout[0]), self._side(layout[1])

    def compare_integer(self) -> Ask:
        first, two = self._sides()
        if self.chance(0.25):  # equal filters, with two different facings or relations
            filters = () if self.chance(0.3) else first.filters
            if self.chance(0.3):
                remaining = Things(filters).without("facing").without("occlusion").filters
                ways = self.rng.permutation(FILTER_VALUES["facing"])[:2]
                first, two = (Things((*remaining, ("facing", str(way)))) for way in ways)
            else:
                target = self.things()
                other = target if self.chance(0.5) else self.things()
                op = self.pick(("relate", "relate", "relate", "collide"))
                links = [self.link(op, target), self.link(op, other)]
                if op == "relate" and target == other and self.chance(0.4):
                    links = [Link("relate", (link.args[0], "object"), target) for link in links]
                first, two = Things(filters, links[0]), Things(filters, links[1])
        return Ask(self.pick(COMPARISONS), (), (first, two))

    def comparison(self) -> Ask:
        attribute = self.pick(self.attributes)
        groups = []
        for group in self._sides():
            group = group.without(attribute) if self.chance(0.8) else group
            groups.append(group if group.filters else Things((("shape", "car"),), group.source))
        return Ask("equal", (attribute,), tuple(groups))

    def pose(self) -> Ask:
        if self.chance(0.5):
            hops = self.pick((0, 0, 0, 1, 2))
            return Ask(
                "query", ("facing",), (self.related("relate", hops) if hops else self.things(),)
            )

        def make(least, skip):
            group = self.things(least=least, skip=skip)
            return Things((*group.filters, ("facing", self.value("facing"))))

        return self.head(make, facing=0.0)

    def pose_relate(self) -> Ask:
        return self.head(lambda least, skip: self.related("aligned", least=least, skip=skip))

    def occlusion(self) -> Ask:
        def make(least, skip):
            group = self.things(least=least, skip=skip)
            state = self.pick(("occluded", "occluded", "occluding", "unoccluded"))
            return Things((*group.filters, ("occlusion", state)))

        return self.head(make)

    def occlusion_by(self) -> Ask:
        op = self.pick(("occludees", "occluder"))
        return self.head(
            lambda least, skip: self.related(
                op, 2 if self.chance(0.15) else 1, least=least, skip=skip
            )
        )

    def collision(self) -> Ask:
        hops = 2 if self.chance(0.2) else 1
        return self.head(lambda least, skip: self.related("collide", hops, least=least, skip=skip))

    def shared(self) -> Ask:
        """Sample two groups related to one object.

        Examples: "cars or vans left of it", "more cars than vans left of it", "has the object that
        hides it its colour".
        """
        op = self.pick(("relate",) * 5 + ("occludees", "occluder", "aligned", "collide"))
        source = self.related(op, 2 if self.chance(0.1) else 1).source
        kind = self.pick(("union", "union", "compare", "equal"))
        if kind == "union":
            sides = (self.things(source), self.things(source))
            return Ask(
                self.pick(("count", "count", "exist")),
                (),
                (Things((), GroupPair("union", *sides)),),
            )
        if kind == "compare":
            return Ask(self.pick(COMPARISONS), (), (self.things(source), self.things(source)))
        attribute = self.pick(self.attributes)
        first = Things(self.filters(0 if self.chance(0.5) else 1, skip=(attribute,)), source)
        second = source.target.without(attribute)
        if not second.filters or (op == "relate" and self.chance(0.5)):
            link = self.link("relate", source.target)
            second = Things(self.filters(0 if self.chance(0.5) else 1, skip=(attribute,)), link)
        elif second != source.target:
            first = Things(first.filters, Link(source.op, source.args, second))
        groups = (first, second) if self.chance(0.75) else (second, first)
        return Ask("equal", (attribute,), groups)

    def verification(self) -> Ask:
        op = self.pick(
            ("", "", "relate", "relate", "relate", "aligned", "occludees", "occluder", "collide")
        )
        if not op:
            return Ask("exist", (), (self.things(least=2, rich=0.5),))
        hops = self.pick((1, 1, 1, 2))
        return Ask("exist", (), (self.related(op, hops, least=1, rich=0.1),))

    def mixed(self) -> Ask:
        def make(least, skip):
            group = self.things(rich=0.4)
            collided = False  # two travels in one chain are hard to express clearly
            for _ in range(self.pick((1, 1, 2, 2, 3)[: 2 * self.max_hops - 1])):
                op = self.pick(
                    ("relate", "relate", "aligned", "occludees", "occluder", "same")
                    + ("collide",) * (not collided)
                )
                collided |= op == "collide"
                link = self.link(op, group)
                group = Things(
                    self.filters(0 if self.chance(0.25) else 1, skip=skip, rich=0.25), link
                )
                if op == "same":
                    group = group.without(link.args[0])
            return group

        return self.head(make)


# Sampling weights of the families in training.
FAMILIES: dict[str, float] = {
    "zero_hop": 1.0,
    "single_or": 0.7,
    "same_relate": 1.0,
    "one_hop": 1.2,
    "two_hop": 1.2,
    "three_hop": 1.4,
    "single_and": 0.9,
    "relation_or": 0.6,
    "compare_integer": 1.0,
    "comparison": 1.0,
    "shared": 0.9,
    "pose": 0.8,
    "pose_relate": 0.8,
    "occlusion": 0.7,
    "occlusion_by": 0.8,
    "collision": 1.3,
    "verification": 1.2,
    "mixed": 1.4,
}
DEEP_FAMILIES = ("four_hop", "five_hop")  # deeper than any training question
_HOPS = {"one_hop": 1, "two_hop": 2, "three_hop": 3, "four_hop": 4, "five_hop": 5}


def sample_program(
    rng: np.random.Generator, task_family: str, max_hops: int = 3, materials: bool = True
) -> StreetProgram:
    """Sample a canonical program of a family of FAMILIES or DEEP_FAMILIES.

    `max_hops`: limits the links per chain in "mixed"; `materials`: False excludes materials, as in
    PulseCheck457. Raise ValueError for an unknown family.
    """
    sampler = _Sampler(rng, max_hops, materials)
    if task_family in _HOPS:
        return assemble(sampler.hops(_HOPS[task_family]))
    if task_family not in FAMILIES:
        raise ValueError(
            f"unknown family {task_family!r}; known: {', '.join([*FAMILIES, *DEEP_FAMILIES])}"
        )
    return assemble(getattr(sampler, task_family)())
