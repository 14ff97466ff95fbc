"""Questions drawn from scenes: true, to the benchmark's rules, balanced, and never stalling."""

from collections import Counter

import numpy as np
import pytest
from brute_force import brute_force
from generators import random_scene

from po3d.io.seeding import rng
from po3d.language.say.street.language import realise
from po3d.reasoning.execute import execute
from po3d.synthesis.street.question_world import SceneBitsets, members
from po3d.synthesis.street.questions import COLUMNS, ask

SCENES = [random_scene(rng(0, "questions-test", i), 3 + i % 8) for i in range(40)]


def drawn(column, scenes=SCENES):
    balance = Counter()
    task = COLUMNS[column].task
    return [
        (scene, q)
        for i, scene in enumerate(scenes)
        for q in ask(
            SceneBitsets(scene, task), COLUMNS[column], balance, rng(1, f"ask/{column}", i)
        )
    ]


@pytest.fixture(scope="module")
def questions():
    return {column: drawn(column) for column in COLUMNS}


@pytest.mark.parametrize("column", COLUMNS)
def test_every_answer_is_what_the_executors_say(questions, column):
    task = COLUMNS[column].task
    for scene, q in questions[column]:
        assert execute(q.program, scene, task).answer == q.answer
        assert brute_force(q.program, scene, task) == q.answer


@pytest.mark.parametrize("column", COLUMNS)
def test_every_program_has_words(questions, column):
    for k, (_, q) in enumerate(questions[column]):
        assert realise(q.program, rng(0, "words", k), "benchmark").endswith("?")


@pytest.mark.parametrize("column", COLUMNS)
def test_no_scene_is_queried_more_than_its_share_or_twice_the_same(questions, column):
    by_scene = Counter()
    texts = {}
    for scene, q in questions[column]:
        by_scene[id(scene)] += 1
        texts.setdefault(id(scene), []).append(q.program.text())
    assert max(by_scene.values()) <= COLUMNS[column].per_image
    assert all(len(set(t)) == len(t) for t in texts.values())


@pytest.mark.parametrize("column", ["L1-Single", "L2-Multi-obj", "L3-2D-Spatial", "L5-6D-Spatial"])
def test_the_plain_columns_are_filled_and_use_every_template(questions, column):
    assert len(questions[column]) == COLUMNS[column].per_image * len(SCENES)
    assert {q.template for _, q in questions[column]} == set(COLUMNS[column].families)


def test_what_is_queried_is_not_reported(questions):
    for column in questions:
        for _, q in questions[column]:
            last = q.program.steps[-1]
            if (
                last.op == "query"
            ):  # the words right before the query describe the object asked about
                step = q.program.steps[last.inputs[0]]
                while step.op in ("unique", "filter"):
                    assert step.op == "unique" or step.args[0] != last.args[0]
                    step = q.program.steps[step.inputs[0]]


@pytest.mark.parametrize("column", ["L4-Occlusion", "L4-3D-Pose"])
def test_occlusion_and_facing_are_needed_for_the_answer(questions, column):
    """The object asked about can't be found by its words alone."""
    for scene, q in questions[column]:
        if q.template == "pose/facing":
            continue
        world = SceneBitsets(scene, "2d")
        phrase = []
        step = q.program.steps[-1]
        while step.op in ("query", "unique", "filter"):
            if step.op == "filter" and step.args[0] not in ("facing", "occlusion"):
                phrase.append(step.args)
            step = q.program.steps[step.inputs[0]]
        assert len(members(world.mask(tuple(phrase)))) > 1


def test_answers_are_balanced_within_a_template(questions):
    for column, query in questions.items():
        sizes = Counter(q.answer for _, q in query if q.answer in ("small", "large"))
        assert min(sizes.values()) > 0.6 * max(sizes.values())
        yes = Counter(q.answer for _, q in query if q.template.split("/")[-1].startswith("exist"))
        if yes:
            assert abs(yes["yes"] - yes["no"]) <= 0.25 * sum(yes.values()), column


def test_questions_are_a_pure_function_of_the_seed():
    assert drawn("L3-2D-Spatial", SCENES[:5]) == drawn("L3-2D-Spatial", SCENES[:5])


def test_a_scene_without_occlusion_has_no_occlusion_question():
    scene = random_scene(rng(0, "bare"), 5, occlusion=False)
    assert ask(SceneBitsets(scene, "2d"), COLUMNS["L4-Occlusion"], Counter(), rng(0, "ask")) == []


def test_equal_objects_leave_nothing_to_refer_to_and_stall_nothing():
    scene = random_scene(rng(0, "twins"), 4)
    twins = type(scene)((scene.objects[0],) * 4, scene.axes, "gt", None, ({},) * 4)
    for column in COLUMNS:
        for q in ask(
            SceneBitsets(twins, COLUMNS[column].task), COLUMNS[column], Counter(), rng(0, "ask")
        ):
            assert execute(q.program, twins, COLUMNS[column].task).answer == q.answer


def test_materials_are_reported_when_wanted():
    world = SceneBitsets(SCENES[7], "2d", materials=True)
    programs = [
        q.program.text()
        for k in range(20)
        for q in ask(world, COLUMNS["L2-Multi-obj"], Counter(), np.random.default_rng(k))
    ]
    assert any("material=" in text for text in programs)
