"""The families of questions, one a template of the benchmark. A family draws a program with its answer from a
scene; it is None when the draw comes to nothing."""

from collections.abc import Callable, Sequence

import numpy as np

from po3d.scene.vocabulary import FACINGS
from po3d.synthesis.street import question_pieces as pieces
from po3d.synthesis.street.question_pieces import Draw
from po3d.synthesis.street.question_world import ASKED, World, bits

Maker = Callable[[World, np.random.Generator], Draw | None]


def _zero_hop(kind: str) -> Maker:
    return lambda world, rng: pieces.finish(world, rng, ["scene"], world.all, kind, related=False)


def _same(attribute: str, kind: str, narrowed: bool) -> Maker:
    def make(world: World, rng: np.random.Generator) -> Draw | None:
        start = pieces.reference(world, rng)
        if start is None:
            return None
        tokens, i = start
        key = f"same[{attribute}]"
        within = world.relation[key][i]
        if not narrowed:
            return Draw([kind, key, *tokens], pieces.answer(kind, within))
        return pieces.finish(world, rng, [key, *tokens], within, kind, untold=(attribute,))

    return make


def _one_side_tells_all(a: int, b: int) -> bool:
    """Whether of two alternatives neither is there, or one holds the other."""
    return not (a or b) or bool(a and b and a | b in (a, b))


def _either(narrowing: str | None) -> Maker:
    """How many [size|color|shape] things are NPs or NPs."""

    def make(world: World, rng: np.random.Generator) -> Draw | None:
        untold = () if narrowing is None else (narrowing,)
        both = [pieces.some(world, rng, world.all, untold, related=False) for _ in range(2)]
        if None in both:
            return None
        (p, a), (q, b) = both
        if _one_side_tells_all(a, b):
            return None
        tokens, found = ["union", *pieces.narrow(["scene"], p), *pieces.narrow(["scene"], q)], a | b
        if narrowing is not None:
            value = pieces.pick(rng, [v for v in world.value[narrowing] if v is not None])
            phrase = ((narrowing, value),)
            tokens, found = pieces.narrow(tokens, phrase), found & world.mask(phrase)
        return Draw(["count", *tokens], str(found.bit_count()))

    return make


def _hops(hops: int, kind: str) -> Maker:
    def make(world: World, rng: np.random.Generator) -> Draw | None:
        reached = pieces.chain(world, rng, hops)
        return None if reached is None else pieces.finish(world, rng, *reached, kind)

    return make


def _both(kind: str) -> Maker:
    """What is R2 the NP2 and R the NP."""

    def make(world: World, rng: np.random.Generator) -> Draw | None:
        a, b = pieces.chain(world, rng, 1), pieces.chain(world, rng, 1)
        if a is None or b is None:
            return None
        if a[1] & b[1] in (a[1], b[1]):  # one of the two relations would not be needed
            return None
        return pieces.finish(world, rng, ["intersect", *a[0], *b[0]], a[1] & b[1], kind)

    return make


def _or_related(first: str, second: str) -> Maker:
    """How many things are NPs (R the NP) or NPs (R2 the NP2)."""

    def make(world: World, rng: np.random.Generator) -> Draw | None:
        sides = [pieces.counted(world, rng, how) for how in (first, second)]
        if None in sides:
            return None
        (a, found_a), (b, found_b) = sides
        if _one_side_tells_all(found_a, found_b):
            return None
        return Draw(["count", "union", *a, *b], str((found_a | found_b).bit_count()))

    return make


def _compare_counts(op: str, second: str, first: str = "related") -> Maker:
    def make(world: World, rng: np.random.Generator) -> Draw | None:
        sides = [pieces.counted(world, rng, how) for how in (first, second)]
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
                side = pieces.reference(world, rng, untold=(attribute,))
            else:
                reached = pieces.chain(world, rng, 1)
                side = reached and pieces.target(world, rng, *reached, untold=(attribute,))
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
        return pieces.finish(world, rng, tokens, world.occluded, kind, strict=True, minimal=True)

    return make


def _related_query(keys: Sequence[str], kind: str) -> Maker:
    """What is the a of the NP that stands in a relation to the NP2, the relation being needed."""

    def make(world: World, rng: np.random.Generator) -> Draw | None:
        key = pieces.pick(rng, keys)
        start = pieces.reference(
            world, rng, bits(i for i, r in enumerate(world.relation[key]) if r), minimal=True
        )
        if start is None:
            return None
        tokens, i = start
        return pieces.finish(
            world, rng, [key, *tokens], world.relation[key][i], kind, strict=True, minimal=True
        )

    return make


def _facing(world: World, rng: np.random.Generator) -> Draw | None:
    """Which direction the NP is facing."""
    faced = bits(i for i, v in enumerate(world.value["facing"]) if v is not None)
    return pieces.finish(world, rng, ["scene"], faced, "facing", related=False, minimal=True)


def _which_faces(kind: str) -> Maker:
    """What is the a of the NP which faces to the <direction>."""

    def make(world: World, rng: np.random.Generator) -> Draw | None:
        value = pieces.pick(rng, FACINGS)
        tokens = [f"filter[facing={value}]", "scene"]
        return pieces.finish(
            world, rng, tokens, world.mask((("facing", value),)), kind, strict=True, minimal=True
        )

    return make


def _collision(kind: str) -> Maker:
    def make(world: World, rng: np.random.Generator) -> Draw | None:
        key = f"collide[{pieces.pick(rng, ('forward', 'backward'))}]"
        start = pieces.reference(world, rng)
        if start is None:
            return None
        tokens, i = start
        return pieces.finish(world, rng, [key, *tokens], world.relation[key][i], kind)

    return make


def zero_hop(asked: Sequence[str]) -> dict[str, Maker]:
    """Questions on one described set; `asked`: the attributes that queries ask for."""
    return {f"zero_hop/{k}": _zero_hop(k) for k in ("count", "exist", *asked)}


def objects(asked: Sequence[str]) -> dict[str, Maker]:
    """Questions on several objects that need no geometry."""
    return {
        **{f"same_relate/{a}/{k}": _same(a, k, False) for a in asked for k in ("exist", "count")},
        **{f"same_relate/{a}/{k}_of": _same(a, k, True) for a in asked for k in ("exist", "count")},
        **{f"same_relate/{a}/{k}": _same(a, k, True) for a in asked for k in asked if k != a},
        "single_or/count": _either(None),
        **{f"single_or/{a}": _either(a) for a in asked},
    }


def spatial(asked: Sequence[str]) -> dict[str, Maker]:
    """Questions with directions: chains, both and either of two, comparisons."""
    return {
        **{
            f"{name}/{k}": _hops(n, k)
            for n, name in ((1, "one_hop"), (2, "two_hop"), (3, "three_hop"))
            for k in ("count", "exist", *asked)
        },
        **{f"single_and/{k}": _both(k) for k in ("count", *asked)},
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
            for a in asked
            for x, y in (("related", "plain"), ("plain", "related"), ("related", "related"))
        },
    }


def comparisons(asked: Sequence[str]) -> dict[str, Maker]:
    """Comparisons of two described sets or objects without a relation, which Super-CLEVR has, too."""
    return {
        **{
            f"compare_integer/{op}/both_plain": _compare_counts(op, "plain", "plain")
            for op in ("equal_integer", "less_than", "greater_than")
        },
        **{f"comparison/{a}/plain_plain": _compare_values(a, "plain", "plain") for a in asked},
    }


ZERO_HOP, OBJECTS, SPATIAL = zero_hop(ASKED), objects(ASKED), spatial(ASKED)
OCCLUSION: dict[str, Maker] = {
    **{f"occlusion/{k}": _occluded(k) for k in ASKED},
    **{f"occlusion_by/{r}/{k}": _related_query((r,), k) for r in ("occludees", "occluder") for k in ASKED},
}
POSE: dict[str, Maker] = {
    "pose/facing": _facing,
    **{f"pose/{k}": _which_faces(k) for k in ASKED},
    **{
        f"pose_relate/{h}/{k}": _related_query((f"aligned[{h}]",), k)
        for h in ("same", "opposite", "vertical")
        for k in ASKED
    },
}
COLLISION: dict[str, Maker] = {f"collision/{k}": _collision(k) for k in ("count", "exist", *ASKED)}
