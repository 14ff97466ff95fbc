"""The batch of rooms and photographs says what the executor says, on questions of every kind and on
programs of any kind.
"""

import numpy as np
import pytest
from study_room import study
from test_any_table import TABLES, random_call

from po3d.benchmarks.registry import BENCHMARKS
from po3d.io.seeding import rng
from po3d.language.program import ANSWERS
from po3d.language.programs.rooms import ROOMS
from po3d.language.programs.threedsrbench import OPERATIONS, THREEDSRBENCH, PhraseCall
from po3d.reasoning.apply_edit import plan
from po3d.reasoning.batched import Rows, answers, ask, pack
from po3d.reasoning.execute import QuestionInfo, run
from po3d.reasoning.rules import ROOM_RULES, SCOPE_RULES, THREEDSRBENCH_RULES
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import unchanged
from po3d.synthesis.top_view.changes import sample_change
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.questions import QUESTION_TYPES, AnsweredQuestionSampler
from po3d.systems.rooms import framed


def test_questions_about_changed_rooms_are_answered_alike():
    worlds, programs, where = [], [], []
    for k in range(6):
        scene, random = sample_room(21, k), rng(21, f"batched/{k}")
        for kind, fines in QUESTION_TYPES.items():
            change = sample_change(scene, kind, random)
            if change is None:
                continue
            worlds.append(SceneGeometry(change.planned.edited, scene))
            asker = AnsweredQuestionSampler(worlds[-1], random)
            found = [asker.ask(fine) for fine in fines]
            programs += [ROOMS.to_core(asked.program) for asked in found if asked]
            where += [len(worlds) - 1] * (len(programs) - len(where))
    tables = pack(worlds)
    single = [run(program, worlds[k]).answer for program, k in zip(programs, where)]
    assert len(single) > 100
    assert len(set(single)) > 25
    assert answers(tables, ask(programs, where, tables)) == single
    twice = ask(programs * 2, where * 2, tables)
    assert answers(tables, twice) == single * 2


def test_the_shipped_rooms_are_answered_alike():
    split = BENCHMARKS["hypo3d"].load(BENCHMARKS["hypo3d"].mini).first(3)
    worlds, programs, where, gold = [], [], [], []
    for q in split.questions:
        scene, change = framed(split.truth(q.image), q.frame), q.change_program
        worlds.append(
            SceneGeometry(plan(scene, ROOMS.parse(change) if change else None).edited, scene)
        )
        programs.append(ROOMS.parse(q.program))
        where.append(len(worlds) - 1)
        gold.append(q.answer)
    tables = pack(worlds)
    assert answers(tables, ask(programs, where, tables)) == gold


@pytest.mark.parametrize("seed", range(4))
def test_every_question_about_photographs_is_answered_alike(seed):
    random = rng(seed, "batched/photographs")
    worlds = [
        SceneGeometry.of(TABLES["orbit"](int(k)), THREEDSRBENCH_RULES)
        for k in random.integers(0, 99, 20)
    ]
    programs, where = [], []
    for _ in range(400):
        op = str(random.choice(list(OPERATIONS)))
        rows = random.choice(6, len(OPERATIONS[op].roles), replace=False)  # row 5 is in no table
        programs.append(THREEDSRBENCH.to_core(PhraseCall(op, tuple(f"#{i} thing" for i in rows))))
        where.append(int(random.integers(len(worlds))))
    words = QuestionInfo(refer=Rows(5))
    single = [run(p, worlds[k], words).answer for p, k in zip(programs, where)]
    assert None in single
    tables = pack(worlds, past=False)
    assert answers(tables, ask(programs, where, tables)) == single


@pytest.mark.parametrize("rules", [ROOM_RULES, THREEDSRBENCH_RULES, SCOPE_RULES])
def test_programs_of_any_kind_are_answered_alike(rules):
    random = np.random.default_rng(5)
    scenes = [
        study(),
        *(TABLES["orbit"](k) for k in range(3)),
        *(sample_room(3, k) for k in range(3)),
    ]
    worlds = [SceneGeometry(unchanged(scene), scene, rules) for scene in scenes]
    programs = [
        random_call(random, str(random.choice(ANSWERS)), words=("#1", "#2 chair"))
        for _ in range(1500)
    ]
    where = random.integers(0, len(worlds), len(programs)).tolist()
    single = [
        run(p, worlds[k], QuestionInfo(refer=Rows(worlds[k].now))).answer
        for p, k in zip(programs, where)
    ]
    assert sum(a is not None for a in single) > 100
    tables = pack(worlds)
    assert answers(tables, ask(programs, where, tables)) == single
