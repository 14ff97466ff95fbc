"""Question families, one for each template of the benchmark. A family samples a program with its
answer from a scene, or None if sampling fails.
"""

import itertools
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from po3d.scene.vocabulary import FACINGS
from po3d.synthesis.street.question_pieces import Draw, PhraseSampler, answer, narrow
from po3d.synthesis.street.question_world import QUERIED_ATTRIBUTES, bits

Maker = Callable[[PhraseSampler], Draw | None]


def _zero_hop(kind: str, pieces: PhraseSampler) -> Draw | None:
    return pieces.finish(["scene"], pieces.world.all, kind, related=False)


def _same(attribute: str, kind: str, narrowed: bool, pieces: PhraseSampler) -> Draw | None:
    start = pieces.reference()
    if start is None:
        return None
    tokens, i = start
    key = f"same[{attribute}]"
    within = pieces.world.relation[key][i]
    if not narrowed:
        return [kind, key, *tokens], answer(kind, within)
    return pieces.finish([key, *tokens], within, kind, untold=(attribute,))


def _one_side_tells_all(a: int, b: int) -> bool:
    """Return whether a union is degenerate: both sets are empty, or one contains the other."""
    return not (a or b) or bool(a and b and a | b in (a, b))


def _either(narrowing: str | None, pieces: PhraseSampler) -> Draw | None:
    """Build "How many [size|color|shape] things are NPs or NPs"."""
    untold = () if narrowing is None else (narrowing,)
    first = pieces.some(pieces.world.all, untold, related=False)
    second = pieces.some(pieces.world.all, untold, related=False)
    if first is None or second is None:
        return None
    (p, a), (q, b) = first, second
    if _one_side_tells_all(a, b):
        return None
    tokens, mask = ["union", *narrow(["scene"], p), *narrow(["scene"], q)], a | b
    if narrowing is not None:
        value = pieces.pick(list(filter(None, pieces.world.value[narrowing])))
        phrase = ((narrowing, value),)
        tokens, mask = narrow(tokens, phrase), mask & pieces.world.mask(phrase)
    return ["count", *tokens], str(mask.bit_count())


def _hops(hops: int, kind: str, pieces: PhraseSampler) -> Draw | None:
    reached = pieces.chain(hops)
    return None if reached is None else pieces.finish(*reached, kind)


def _both(kind: str, pieces: PhraseSampler) -> Draw | None:
    """Build "What is R2 the NP2 and R the NP"."""
    a, b = pieces.chain(1), pieces.chain(1)
    if a is None or b is None:
        return None
    if a[1] & b[1] in (a[1], b[1]):  # one of the two relations would be redundant
        return None
    return pieces.finish(["intersect", *a[0], *b[0]], a[1] & b[1], kind)


def _or_related(first: str, second: str, pieces: PhraseSampler) -> Draw | None:
    """Build "How many things are NPs (R the NP) or NPs (R2 the NP2)"."""
    side, other = pieces.counted(first), pieces.counted(second)
    if side is None or other is None:
        return None
    (a, mask_a), (b, mask_b) = side, other
    if _one_side_tells_all(mask_a, mask_b):
        return None
    return ["count", "union", *a, *b], str((mask_a | mask_b).bit_count())


def _compare_counts(op: str, second: str, first: str, pieces: PhraseSampler) -> Draw | None:
    side, other = pieces.counted(first), pieces.counted(second)
    if side is None or other is None:
        return None
    (a, mask_a), (b, mask_b) = side, other
    if a == b:
        return None
    x, y = mask_a.bit_count(), mask_b.bit_count()
    truth = {"equal_integer": x == y, "less_than": x < y, "greater_than": x > y}[op]
    return [op, "count", *a, "count", *b], "yes" if truth else "no"


def _compare_values(attribute: str, first: str, second: str, pieces: PhraseSampler) -> Draw | None:
    sides = []
    for kind in (first, second):
        if kind == "plain":
            side = pieces.reference(untold=(attribute,))
        else:
            reached = pieces.chain(1)
            side = reached and pieces.target(*reached, untold=(attribute,))
        if side is None:
            return None
        sides.append(side)
    (a, i), (b, j) = sides
    if i == j:
        return None
    truth = pieces.world.value[attribute][i] == pieces.world.value[attribute][j]
    query = f"query[{attribute}]"
    return [f"equal[{attribute}]", query, *a, query, *b], "yes" if truth else "no"


def _occluded(kind: str, pieces: PhraseSampler) -> Draw | None:
    """Build "What is the a of the NP that is occluded"."""
    tokens = ["filter[occlusion=occluded]", "scene"]
    return pieces.finish(tokens, pieces.world.occluded, kind, strict=True, minimal=True)


def _related_query(key: str, kind: str, pieces: PhraseSampler) -> Draw | None:
    """Build "What is the a of the NP that stands in a relation to the NP2", where the relation is
    needed."""
    related = pieces.world.relation[key]
    start = pieces.reference(bits(np.flatnonzero(related)), minimal=True)
    if start is None:
        return None
    tokens, i = start
    return pieces.finish([key, *tokens], related[i], kind, strict=True, minimal=True)


def _facing(pieces: PhraseSampler) -> Draw | None:
    """Build "Which direction is the NP facing"."""
    faced = bits(i for i, v in enumerate(pieces.world.value["facing"]) if v is not None)
    return pieces.finish(["scene"], faced, "facing", related=False, minimal=True)


def _which_faces(kind: str, pieces: PhraseSampler) -> Draw | None:
    """Build "What is the a of the NP which faces to the <direction>"."""
    value = pieces.pick(FACINGS)
    tokens, mask = [f"filter[facing={value}]", "scene"], pieces.world.mask((("facing", value),))
    return pieces.finish(tokens, mask, kind, strict=True, minimal=True)


def _collision(kind: str, pieces: PhraseSampler) -> Draw | None:
    key = f"collide[{pieces.pick(('forward', 'backward'))}]"
    start = pieces.reference()
    if start is None:
        return None
    tokens, i = start
    return pieces.finish([key, *tokens], pieces.world.relation[key][i], kind)


def zero_hop(attributes: Sequence[str]) -> dict[str, Maker]:
    """Return families on one described set; `attributes`: the attributes that queries ask for."""
    return {f"zero_hop/{k}": partial(_zero_hop, k) for k in ("count", "exist", *attributes)}


def objects(attributes: Sequence[str]) -> dict[str, Maker]:
    """Return families on several objects that need no geometry."""
    families: dict[str, Maker] = {}
    for a, k in itertools.product(attributes, ("exist", "count")):
        families[f"same_relate/{a}/{k}"] = partial(_same, a, k, False)
    for a, k in itertools.product(attributes, ("exist", "count")):
        families[f"same_relate/{a}/{k}_of"] = partial(_same, a, k, True)
    for a, k in itertools.permutations(attributes, 2):
        families[f"same_relate/{a}/{k}"] = partial(_same, a, k, True)
    families["single_or/count"] = partial(_either, None)
    return families | {f"single_or/{a}": partial(_either, a) for a in attributes}


def spatial(attributes: Sequence[str]) -> dict[str, Maker]:
    """Return families with directions: chains, intersections, unions, comparisons."""
    families: dict[str, Maker] = {}
    for n, name in ((1, "one_hop"), (2, "two_hop"), (3, "three_hop")):
        for k in ("count", "exist", *attributes):
            families[f"{name}/{k}"] = partial(_hops, n, k)
    families |= {f"single_and/{k}": partial(_both, k) for k in ("count", *attributes)}
    pairs = (("related", "plain"), ("plain", "related"), ("related", "related"))
    for x, y in pairs:
        families[f"single_or/{x}_{y}"] = partial(_or_related, x, y)
    for op in ("equal_integer", "less_than", "greater_than"):
        for second in ("plain", "related"):
            family = partial(_compare_counts, op, second, "related")
            families[f"compare_integer/{op}/{second}"] = family
    for a, (x, y) in itertools.product(attributes, pairs):
        families[f"comparison/{a}/{x}_{y}"] = partial(_compare_values, a, x, y)
    return families


def comparisons(attributes: Sequence[str]) -> dict[str, Maker]:
    """Return families that compare two described sets or objects without a relation, as in
    Super-CLEVR."""
    families: dict[str, Maker] = {}
    for op in ("equal_integer", "less_than", "greater_than"):
        family = partial(_compare_counts, op, "plain", "plain")
        families[f"compare_integer/{op}/both_plain"] = family
    for a in attributes:
        families[f"comparison/{a}/plain_plain"] = partial(_compare_values, a, "plain", "plain")
    return families


ZERO_HOP, OBJECTS = zero_hop(QUERIED_ATTRIBUTES), objects(QUERIED_ATTRIBUTES)
SPATIAL = spatial(QUERIED_ATTRIBUTES)
OCCLUSION: dict[str, Maker] = {f"occlusion/{k}": partial(_occluded, k) for k in QUERIED_ATTRIBUTES}
for _relation, _k in itertools.product(("occludees", "occluder"), QUERIED_ATTRIBUTES):
    OCCLUSION[f"occlusion_by/{_relation}/{_k}"] = partial(_related_query, _relation, _k)
POSE: dict[str, Maker] = {
    "pose/facing": _facing,
    **{f"pose/{k}": partial(_which_faces, k) for k in QUERIED_ATTRIBUTES},
}
for _heading, _k in itertools.product(("same", "opposite", "vertical"), QUERIED_ATTRIBUTES):
    POSE[f"pose_relate/{_heading}/{_k}"] = partial(_related_query, f"aligned[{_heading}]", _k)
COLLISION: dict[str, Maker] = {
    f"collision/{k}": partial(_collision, k) for k in ("count", "exist", *QUERIED_ATTRIBUTES)
}
