"""Changes and questions, drawn by seed, on the tables of rooms, photographs and orbits: planned on
a prepared world they give what they give on the bare table.

`python tests/reasoning/test_edit_triples.py COUNT FILE` writes a hash per change and each of its
eight questions, to compare two revisions bit by bit.
"""

import hashlib
import sys
from functools import cache

import numpy as np
import pytest
from test_any_table import random_call

from po3d.benchmarks.registry import BENCHMARKS
from po3d.io.seeding import rng
from po3d.language.program import ANSWERS, Call, ProgramError
from po3d.language.programs.rooms import ROOMS
from po3d.language.programs.scope import SCOPE
from po3d.language.programs.threedsrbench import THREEDSRBENCH
from po3d.reasoning.apply_edit import plan
from po3d.reasoning.execute import run
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.rules import ROOM_RULES, SCOPE_RULES, THREEDSRBENCH_RULES
from po3d.reasoning.world import SceneGeometry
from po3d.scene.frames import with_front
from po3d.scene.table import Scene

SOURCES = {
    "hypo3d": (ROOMS, ROOM_RULES),
    "3dsrbench": (THREEDSRBENCH, THREEDSRBENCH_RULES),
    "scope": (SCOPE, SCOPE_RULES),
}


@cache
def source(name: str) -> tuple[dict[str, Scene], list[tuple[str, Call | None, Call]]]:
    split, parse = BENCHMARKS[name].load(BENCHMARKS[name].mini, "mini"), SOURCES[name][0].parse
    triples = []
    for q in split.questions:
        text = getattr(q, "change_program", "")
        if q.program:
            triples.append((q.image, parse(text) if text else None, parse(q.program)))
    return {image: split.truth(image) for image, _, _ in triples}, triples


def about(call: Call, names: list[str], random: np.random.Generator) -> Call:
    if call.op == "add":  # not hundreds
        call = Call("add", (min(call.args[0], 3.0), *call.args[1:]))
    elif call.op == "trait" and isinstance(call.args[1], float):  # nor of 300 metres
        call = Call("trait", (call.args[0], min(call.args[1], 2.0), call.args[2]))
    elif call.op == "filter" and names and call.args[0] == "name":
        call = Call("filter", ("name", str(random.choice(names)), call.args[2]))
    elif call.op == "refer" and names:
        call = Call("refer", (str(random.choice(names)),))
    elif call.op == "filter" and random.random() < 0.8:
        return about(call.args[2], names, random)
    return call.mapped(lambda inner: about(inner, names, random))


def draw(index: int) -> tuple[Scene, str, Call, list[Call]]:
    random = rng(38, "edit triples", index)
    name = str(random.choice(list(SOURCES)))
    scenes, triples = source(name)
    changes = [change for _, change, _ in source("hypo3d")[1] if change]
    image, change, program = triples[random.integers(len(triples))]
    own = random.random() < 0.4
    scene = scenes[image if own else str(random.choice(list(scenes)))]
    if random.random() < 0.5:
        scene = with_front(scene, random.choice(((0.0, 1.0), (1.0, 0.0), (0.6, -0.8))))
    names = [o.value("name") for o in scene.objects if "name" in o.beliefs]
    single = [noun for noun in names if names.count(noun) == 1] or names
    if not own or change is None:
        change = about(changes[random.integers(len(changes))], single, random)
    if random.random() < 0.1:
        change = about(random_call(random, "edit"), names, random)
    programs = [program]
    for _ in range(6):
        programs.append(about(triples[random.integers(len(triples))][2], single, random))
    programs.append(about(random_call(random, str(random.choice(ANSWERS))), names, random))
    return scene, name, change, programs


def records(before: SceneGeometry, change: Call, programs: list[Call], prepared: bool) -> list[str]:
    """Return all that follows from a change, then from each question after it."""
    try:
        planned = plan(before if prepared else before.scene, change, before.rules)
    except (ExecutionFailure, ProgramError) as failure:
        return [f"{type(failure).__name__} {failure}"] * (1 + len(programs))
    edited = planned.edited
    after = before.after(edited) if prepared else SceneGeometry(edited, before.scene, before.rules)
    spots = [(thing, spot[:3], spot.blockers) for thing, spot, _ in planned.placed]
    result = [repr((planned.notes, spots, edited, edited.scene.objects))]
    for program in programs:
        outcome = run(program, after)
        result.append(repr((outcome, outcome.kind, outcome.steps)))
    return result


@pytest.mark.parametrize("part", range(4))
def test_a_prepared_world_gives_what_the_bare_table_gives(part):
    answers = 0
    for index in range(15 * part, 15 * part + 15):
        scene, name, *programs = draw(index)
        world = SceneGeometry.of(scene, SOURCES[name][1])
        result = records(world, *programs, prepared=True)
        assert result == records(world, *programs, prepared=False)
        answers += sum("'ok'" in text for text in result)
    assert answers > 20


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        for index in range(int(sys.argv[1])):
            scene, name, *programs = draw(index)
            world = SceneGeometry.of(scene, SOURCES[name][1])
            for text in records(world, *programs, prepared=True):
                print(index, name, hashlib.sha256(text.encode()).hexdigest(), file=file)
