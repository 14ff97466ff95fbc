"""Many marginal answers at once are the single ones: on random tables and programs, whatever else is in the batch."""

from dataclasses import replace

import numpy as np
import pytest
from generators import random_program, random_scene

from po3d.reasoning.execute import execute
from po3d.reasoning.marginal_batched import marginal_batch, pack_beliefs
from po3d.reasoning.packing import pack_programs
from po3d.reasoning.rules import STREET_RULES


def asked(seed, count=300, tables=25, objects=range(1, 12)):
    random = np.random.default_rng(seed)
    scenes = [
        random_scene(random, int(random.choice(list(objects))), certain=k % 5 == 0) for k in range(tables)
    ]
    where = random.integers(0, tables, count).tolist()
    programs = [random_program(random, scenes[k]) for k in where]
    return scenes, programs, where, random.choice(["2d", "6d"], count).tolist()


def batch(scenes, programs, where, tasks, rules=STREET_RULES):
    return marginal_batch(pack_beliefs(scenes), pack_programs(programs, where, tasks), rules)


@pytest.mark.parametrize("rules", [STREET_RULES, replace(STREET_RULES, aligned_needs_label=False)])
@pytest.mark.parametrize("seed", range(4))
def test_every_program_says_what_it_says_alone(seed, rules):
    scenes, programs, where, tasks = asked(seed)
    found = batch(scenes, programs, where, tasks, rules)
    answered = 0
    for p, (program, k, task) in enumerate(zip(programs, where, tasks)):
        alone = execute(program, scenes[k], task, "marginal", rules)
        mine = found.distribution(p)
        assert (mine is None) == (alone.answer is None), program
        if mine is None:
            continue
        answered += 1
        assert abs(float(found.valid[p]) - alone.valid) < 1e-9
        for word in mine.keys() | alone.distribution.keys():
            assert abs(mine.get(word, 0.0) - alone.distribution.get(word, 0.0)) < 1e-9, (program, word)
    assert 50 < answered < len(programs)


def test_what_else_is_in_the_batch_changes_no_bit():
    scenes, programs, where, tasks = asked(9, count=120, tables=12)
    together = batch(scenes, programs, where, tasks)
    for k in range(12):
        own = [p for p in range(len(programs)) if where[p] == k]
        alone = batch([scenes[k]], [programs[p] for p in own], [0] * len(own), [tasks[p] for p in own])
        for row, p in enumerate(own):
            assert alone.distribution(row) == together.distribution(p), programs[p]
