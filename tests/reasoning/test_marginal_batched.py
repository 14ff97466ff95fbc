"""Marginal answers against probabilities multiplied by hand, one object and one draw at a time; and
whatever else is in the batch.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from generators import random_program, random_scene

from po3d.reasoning.packing import meaning, pack_programs, steps
from po3d.reasoning.relations import ALIGNED, holds_at
from po3d.reasoning.rules import STREET_RULES
from po3d.reasoning.street_batched import outcomes, run_batch
from po3d.reasoning.street_tables import POSES_STAGE, pack_tables
from po3d.reasoning.world import SceneGeometry
from po3d.scene.posterior import posterior_samples
from po3d.scene.vocabulary import FACINGS, UNSEEN_SHAPES, VALUES, lineage


class Fails(Exception):
    """The program has no answer."""


def by_hand(program, scene, task, rules=STREET_RULES):
    """(answer -> probability, probability of an answer), by the definitions; relations as each
    world of the table has them.
    """
    n, valid = len(scene), 1.0
    exists = [o.existence for o in scene.objects]
    sampled = posterior_samples(scene, ("pose", "flip"), count=64, seed=0, stage=POSES_STAGE)
    tables = [SceneGeometry.of(w, rules) for w in sampled.scenes()]
    hidden = np.zeros((n, n))
    for i, belief in enumerate(scene.occluders or ()):
        for j, p in belief.items():
            hidden[i, j] = p

    def share(holds):
        return sum(map(holds, tables)) / len(tables)

    def known(attribute):
        if any(attribute not in o.beliefs for o in scene.objects):
            raise Fails
        return [o.beliefs[attribute] for o in scene.objects]

    def occlusion():
        if scene.occluders is None:
            raise Fails
        return hidden

    def facing(i, value):
        return share(lambda w: w.facings[i] == value)

    def given(weights):
        nonlocal valid
        total = float(sum(weights))
        valid *= total
        if valid < 1e-6:
            raise Fails
        return [w / total for w in weights]

    def so(i, attribute, value):
        if attribute == "facing":
            return facing(i, value)
        if attribute == "occlusion":
            hides = occlusion()
            occluded = sum(hides[i, j] * exists[j] for j in range(n))
            occluding = 1 - np.prod([1 - exists[j] * hides[j, i] for j in range(n)])
            return {"occluded": occluded, "unoccluded": 1 - occluded, "occluding": occluding}[value]
        return sum(p for v, p in known(attribute)[i].items() if value in lineage(v))

    def leads(step, i, j):
        """How probably i leads to j."""
        if step.words == ("occluded_by",):
            return occlusion()[j, i]
        if step.words == ("occluding",):
            return occlusion()[i, j]
        if i == j:
            return 0.0
        if step.call.op == "same":
            a, b = (known(step.words[0])[k] for k in (i, j))
            return sum(p * b.get(v, 0.0) for v, p in a.items())
        key = meaning(step.call.op, step.words, task)[1]
        holds = lambda w: i != j and holds_at(w.spare(*key)[i][j], key[0])  # noqa: E731
        if not (step.words[0] in ALIGNED and rules.aligned_needs_label):
            return share(holds)
        labelled = [w for w in tables if w.facings[i] is not None]
        return sum(map(holds, labelled)) / max(len(labelled), 1)

    def run(step, first=None, second=None):
        op, args = step.call.op, step.words
        if op == "scene":
            return [1.0] * n
        if op == "filter":
            if args[0] in VALUES:
                known(args[0])
            elif args[0] == "occlusion":
                occlusion()
            return [p * so(i, *args) for i, p in enumerate(first)]
        if op == "unique":
            q = [p * e for p, e in zip(first, exists)]
            return given([q[i] * np.prod([1 - q[j] for j in range(n) if j != i]) for i in range(n)])
        if op in ("union", "intersect"):
            return [
                1 - (1 - a) * (1 - b) if op == "union" else a * b for a, b in zip(first, second)
            ]
        if op == "count":
            counts = [1.0]
            for q in (p * e for p, e in zip(first, exists)):
                counts = [a * (1 - q) + b * q for a, b in zip([*counts, 0.0], [0.0, *counts])]
            return dict(enumerate(counts))
        if op == "exist":
            none = float(np.prod([1 - p * e for p, e in zip(first, exists)]))
            return {"no": none, "yes": 1 - none}
        if op == "query":
            values = FACINGS if args[0] == "facing" else VALUES[args[0]]
            of = facing if args[0] == "facing" else lambda i, v: known(args[0])[i].get(v, 0.0)
            value = [sum(p * of(i, v) for i, p in enumerate(first)) for v in values]
            return dict(zip(values, given(value) if args[0] == "facing" else value))
        if op in ("equal", "less_than", "greater_than"):
            holds = {"less_than": lambda a, b: a < b, "greater_than": lambda a, b: a > b}.get(
                op, lambda a, b: a == b
            )
            pairs = product(first.items(), second.items())
            yes = float(sum(p * q for (a, p), (b, q) in pairs if holds(a, b)))
            return {"no": 1 - yes, "yes": yes}
        if args[0] in ALIGNED and rules.aligned_needs_label:
            first = given([p * sum(facing(i, f) for f in FACINGS) for i, p in enumerate(first)])
        if n:
            leads(step, 0, n - 1)  # fails here when the table does not tell it
        return [sum(p * leads(step, i, j) for i, p in enumerate(first)) for j in range(n)]

    done = []
    try:
        for step in steps(program):
            done.append(run(step, *(done[k] for k in step.inputs)))
    except Fails:
        return None, 0.0
    total = sum(done[-1].values())
    return {str(word): p / total for word, p in done[-1].items() if p > 0}, valid


def ask_question(seed, count=300, tables=25, objects=range(0, 9), **options):
    random = np.random.default_rng(seed)
    scenes = [
        random_scene(random, int(random.choice(list(objects))), certain=k % 5 == 0, **options)
        for k in range(tables)
    ]
    where = random.integers(0, tables, count).tolist()
    programs = [random_program(random, scenes[k]).call for k in where]
    return scenes, list(zip(programs, where, random.choice(["2d", "6d"], count).tolist()))


def batch(scenes, items, rules=STREET_RULES):
    programs, where, tasks = zip(*items)
    return run_batch(pack_tables(scenes), pack_programs(programs, where, tasks), rules)


@pytest.mark.parametrize(
    "rules", [STREET_RULES, replace(STREET_RULES, aligned_needs_label=False, sweep_range=2.0)]
)
def test_a_batch_is_what_is_multiplied_by_hand(rules):
    scenes, items = ask_question(1)
    # Some tables say nothing of occlusion, or of materials; one has a shape that no network knows.
    scenes[3] = replace(scenes[3], occluders=None)
    blind = [
        replace(o, beliefs={k: b for k, b in o.beliefs.items() if k != "material"})
        for o in scenes[7].objects
    ]
    scenes[7] = replace(scenes[7], objects=(*scenes[7].objects[:-1], *blind[-1:]))
    rare = [
        replace(o, beliefs={**o.beliefs, "shape": {next(iter(UNSEEN_SHAPES)): 1.0}})
        for o in scenes[6].objects
    ]
    scenes[6] = replace(scenes[6], objects=tuple(rare))
    answered = 0
    for (program, k, task), mine in zip(items, outcomes(scenes, items, rules)):
        distribution, valid = by_hand(program, scenes[k], task, rules)
        assert (mine.answer is None) == (distribution is None), (program, mine.reason)
        if distribution is None:
            assert mine.reason.startswith("step ")
            continue
        answered += 1
        assert mine.valid == pytest.approx(valid, abs=1e-9)
        assert mine.probability == max(mine.distribution.values())
        for word in mine.distribution.keys() | distribution.keys():
            one, other = mine.distribution.get(word, 0.0), distribution.get(word, 0.0)
            assert one == pytest.approx(other, abs=1e-9), (program, word)
    assert 50 < answered < len(items)


def test_what_else_is_in_the_batch_changes_no_bit():
    scenes, items = ask_question(9, count=120, tables=12, objects=[2, 5, 11, 17, 33])
    together = outcomes(scenes, items)
    for (program, k, task), mine in zip(items, together):
        (alone,) = outcomes([scenes[k]], [(program, 0, task)])
        assert alone == mine, program
        assert alone.trace == mine.trace


def test_distributions_are_those_of_outcomes():
    scenes, items = ask_question(2, count=60)
    result = batch(scenes, items)
    for p, outcome in enumerate(outcomes(scenes, items)):
        assert result.distribution(p) == (outcome.distribution or None)
