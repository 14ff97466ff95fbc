"""Random scenes and random well-typed programs, shared by the tests."""

import math
from collections.abc import Mapping
from functools import cache

import numpy as np

from po3d.language.program import Signature, Tree
from po3d.language.programs.street import (
    ANSWER_TYPES,
    ARGUMENTS,
    FILTER_VALUES,
    OPERATIONS,
    Step,
    StreetProgram,
)
from po3d.scene.street import AXES, extent, origin_height
from po3d.scene.table import ObjectState, Scene, sure
from po3d.scene.vocabulary import ATTRIBUTES

LINKS = [
    row.op for row in OPERATIONS if row.signature == (("object",), "set")
]  # from an object to a set


def random_scene(
    rng: np.random.Generator,
    count: int | None = None,
    certain: bool = True,
    occlusion: bool = True,
    axes: Mapping[str, tuple[float, float]] = AXES,
) -> Scene:
    """A street scene of `count` objects (None: 0..10). Not certain: soft beliefs, poses with
    covariance, flips and existence.
    """
    n = int(rng.integers(0, 11)) if count is None else count
    objects, occluders = [], []
    for i in range(n):
        truth = {a: str(rng.choice(values)) for a, values in ATTRIBUTES.items()}
        x, y, heading = *rng.uniform(-3, 3, 2), rng.uniform(-math.pi, math.pi)
        z = origin_height(truth["shape"], truth["size"])
        size = tuple(extent(truth["shape"], truth["size"]))
        pose = {"position": (x, y, z), "heading": heading, "extent": size}
        others = [j for j in range(n) if j != i]
        hidden = bool(others) and rng.random() < 0.4
        if certain:
            objects.append(ObjectState(sure(**truth), **pose))
            occluders.append({int(rng.choice(others)): 1.0} if hidden else {})
            continue
        beliefs = {a: dict(zip(v, rng.dirichlet([0.3] * len(v)))) for a, v in ATTRIBUTES.items()}
        root = rng.normal(size=(3, 3)) * [[0.1], [0.1], [0.2]]
        objects.append(
            ObjectState(
                beliefs,
                **pose,
                covariance=tuple(map(tuple, root @ root.T)),
                flip=rng.uniform(0, 0.2),
                existence=rng.uniform(0.4, 1.0),
            )
        )
        occluders.append({int(rng.choice(others)): rng.uniform(0, 1)} if hidden else {})
    visible = tuple(occluders) if occlusion else None
    return Scene(tuple(objects), axes, "gt" if certain else "predicted", None, visible)


def random_program(
    rng: np.random.Generator, scene: Scene | None = None, depth: int = 4
) -> StreetProgram:
    """A well-typed program with at most `depth` relations in a row. With a scene, most objects that
    it names are described by their true attributes, so that most programs have an answer.
    """

    def add(op: str, args: tuple[str, ...] = (), *inputs: StreetProgram) -> StreetProgram:
        return StreetProgram(Step(op, args).token, inputs)

    def pick(op: str) -> tuple[str, ...]:
        arguments = ARGUMENTS[op]
        return arguments[int(rng.integers(len(arguments)))]

    def some_filter(source: StreetProgram) -> StreetProgram:
        attribute = str(rng.choice(list(FILTER_VALUES)))
        return add("filter", (attribute, str(rng.choice(FILTER_VALUES[attribute]))), source)

    def some_set(left: int) -> StreetProgram:
        kind = rng.choice(["scene", "filter", "relation", "pair"], p=[0.2, 0.35, 0.35, 0.1])
        if kind == "scene" or left <= 0:
            return add("scene")
        if kind == "filter":
            return some_filter(some_set(left - 1))
        if kind == "pair":
            first, second = some_set(left - 1), some_set(left - 1)
            return add(str(rng.choice(["union", "intersect"])), (), first, second)
        op = str(rng.choice(["relate", *LINKS]))
        args = pick(op)
        return add(op, args, some_object(left - 1))

    def some_object(left: int) -> StreetProgram:
        if scene is None or not len(scene) or rng.random() < 0.15:
            return add("unique", (), some_set(left))
        named, source = scene.objects[int(rng.integers(len(scene)))], add("scene")
        for attribute in rng.permutation([a for a in ATTRIBUTES if a in named.beliefs]):
            source = add("filter", (str(attribute), named.value(str(attribute))), source)
        return add("unique", (), source)

    def value(kind: str, left: int) -> StreetProgram:
        if kind == "integer":
            return add("count", (), some_set(left))
        if kind == "boolean":
            op = str(rng.choice(["exist", "equal", "equal_integer", "less_than", "greater_than"]))
            if op == "exist":
                return add("exist", (), some_set(left))
            args = pick(op)
            wanted = args[0] if op == "equal" else "integer"
            first, second = value(wanted, left - 1), value(wanted, left - 1)
            return add(op, args, first, second)
        return add("query", (kind,), some_object(left))

    return value(str(rng.choice(ANSWER_TYPES)), depth)


TEXTS = ("cup", "#3 brown chair", 'a "quoted" name', "back\\slash", "Stühle, (zwei)", "7")


def random_tree(rng: np.random.Generator, tree: type[Tree], output: str, depth: int = 6) -> Tree:
    """A well-typed program of any language that gives `output`, with at most some `depth` calls in
    each other.
    """
    language = tree.language
    fitting = [
        (op, s)
        for op, several in language.signatures.items()
        for s in several
        if s.output == output
    ]
    if depth <= 0:  # what ends soonest
        height = _heights(tree)
        least = min(height[op, s] for op, s in fitting)
        fitting = [(op, s) for op, s in fitting if height[op, s] == least]
    op, signature = fitting[int(rng.integers(len(fitting)))]

    def arg(kind: str) -> Tree | str | float:
        if kind not in language.leaves:
            return random_tree(rng, tree, kind, depth - 1)
        if language.leaves[kind] is float:
            return float(rng.choice([0, 0.5, 2, 90]))
        words = TEXTS if language.leaves[kind] is str else language.leaves[kind]
        return str(words[int(rng.integers(len(words)))])

    return tree(op, tuple(map(arg, signature.inputs)))


@cache
def _heights(tree: type[Tree]) -> dict[tuple[str, Signature], float]:
    """How many calls each signature stands over at least."""
    language, height = tree.language, {}
    signatures = [(op, s) for op, several in language.signatures.items() for s in several]
    least: dict[str, float] = dict.fromkeys(language.leaves, 0.0)
    for _ in range(len(signatures)):
        for op, s in signatures:
            height[op, s] = 1 + max((least.get(kind, math.inf) for kind in s.inputs), default=0)
            least[s.output] = min(least.get(s.output, math.inf), height[op, s])
    return height
