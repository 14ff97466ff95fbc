"""The executor and its batched twin against a set interpreter written from the definitions."""

import math
from dataclasses import replace

import numpy as np
import pytest
from brute_force import Fails, brute_force
from generators import random_program, random_scene

from po3d.io.errors import InputError
from po3d.language.programs.street import chain, parse_text
from po3d.reasoning.execute import execute
from po3d.reasoning.packing import pack_programs
from po3d.reasoning.rules import Rules
from po3d.reasoning.street_batched import run_batch
from po3d.reasoning.street_tables import pack_samples, pack_tables
from po3d.scene.posterior import posterior_samples
from po3d.scene.street import AXES, extent
from po3d.scene.table import ObjectState, Scene, sure
from po3d.scene.vocabulary import ATTRIBUTES


def cases(count, seed, **options):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        scene = random_scene(rng, **options)
        yield random_program(rng, scene), scene, str(rng.choice(["2d", "6d"]))


def calls(programs):
    return [program.call for program in programs]


def expected(program, scene, task):
    try:
        return brute_force(program, scene, task)
    except Fails:
        return None


def without_material(state):
    return replace(state, beliefs={a: b for a, b in state.beliefs.items() if a != "material"})


def test_every_mode_and_the_batch_equal_the_brute_force_interpreter():
    programs, scenes, tasks = map(list, zip(*cases(1500, seed=1)))
    # Some scenes say nothing of occlusion, or of materials.
    for k in range(0, len(scenes), 9):
        scenes[k] = replace(scenes[k], occluders=None)
    for k in range(4, len(scenes), 9):
        scenes[k] = replace(scenes[k], objects=tuple(map(without_material, scenes[k].objects)))

    gold = [expected(*case) for case in zip(programs, scenes, tasks)]
    answered = [a for a in gold if a is not None]
    assert len(answered) > 600
    assert len(gold) - len(answered) > 180
    assert len(set(answered)) > 30

    batch = run_batch(
        pack_tables([scene.certain() for scene in scenes]),
        pack_programs(calls(programs), range(len(scenes)), tasks),
    )
    assert batch.answers() == gold
    for k, (program, scene, task) in enumerate(zip(programs, scenes, tasks)):
        single = execute(program, scene, task)
        assert single.answer == gold[k], (program, single.reason)
        assert (single.status == "ok") == (gold[k] is not None)
        if gold[k] is None:
            assert str(batch.failure(k, scene)) == single.reason
        else:
            assert single.distribution == {gold[k]: 1.0}
        marginal = execute(program, scene, task, "marginal")
        assert marginal == single  # reasons and traces too
        if k % 5 == 0:
            sampled = execute(program, scene, task, "samples", samples=3)
            assert (sampled.answer, sampled.distribution, sampled.status) == (
                single.answer, single.distribution, single.status,
            )  # fmt: skip
            if sampled.status == "ok":
                assert sampled.trace == single.trace


def test_argmax_and_batch_agree_on_uncertain_scenes():
    programs, scenes, tasks = map(list, zip(*cases(400, seed=2, certain=False)))
    batch = run_batch(
        pack_tables([scene.certain() for scene in scenes]),
        pack_programs(calls(programs), range(len(scenes)), tasks),
    )
    for answer, program, scene, task in zip(batch.answers(), programs, scenes, tasks):
        assert execute(program, scene, task).answer == answer
        assert expected(program, scene.certain(), task) == answer


def test_many_programs_on_few_scenes_in_any_order():
    rng = np.random.default_rng(3)
    scenes = [random_scene(rng, 6) for _ in range(4)]
    where = rng.integers(0, 4, 300)
    programs = [random_program(rng, scenes[s]) for s in where]
    batch = run_batch(
        pack_tables([scene.certain() for scene in scenes]),
        pack_programs(calls(programs), where, "6d"),
    )
    assert batch.answers() == [execute(p, scenes[s], "6d").answer for p, s in zip(programs, where)]


@pytest.mark.parametrize(
    "rules",
    [
        Rules(aligned_needs_label=False, margin_2d=0.5, margin_6d=0.05),
        Rules(sweep_margin=0.1, facing_window_deg=40),
        Rules(facing_zero_deg=100),
    ],
)
def test_batch_and_single_follow_other_rules_alike(rules):
    programs, scenes, tasks = map(list, zip(*cases(300, seed=4)))
    packed = (
        pack_tables([scene.certain() for scene in scenes]),
        pack_programs(calls(programs), range(len(scenes)), tasks),
    )
    answers = run_batch(*packed, rules).answers()
    assert answers == [
        execute(p, s, t, rules=rules).answer for p, s, t in zip(programs, scenes, tasks)
    ]
    assert answers != run_batch(*packed).answers()


def car(color="red", shape="sedan", size="large", x=0.0, y=0.0, heading=0.0, **fields):
    beliefs = sure(color=color, shape=shape, size=size, material="rubber")
    return ObjectState(beliefs, (x, y, 0.0), heading, tuple(extent(shape, size)), **fields)


def scene_of(*objects, occluders=None):
    return Scene(tuple(objects), AXES, "gt", None, occluders)


def test_hypernyms_match_their_leaves_and_answers_stay_leaves():
    scene = scene_of(car(shape="articulated"), car(shape="double"), car(shape="sedan"))
    assert execute(parse_text("count(filter[shape=bus](scene))"), scene).answer == "2"
    named = "query[shape](unique(filter[shape=bus](filter[shape=articulated](scene))))"
    assert execute(parse_text(named), scene).answer == "articulated"
    assert (
        execute(parse_text("count(same[shape](unique(filter[shape=car](scene))))"), scene).answer
        == "0"
    )


def test_the_task_decides_whose_left_is_intended_unless_the_program_says_it():
    # B lies to the right of the picture; A's nose points away to the left, so B is behind A.
    right = np.array(AXES["right"])
    heading = math.atan2(-right[1], -right[0])
    scene = scene_of(car("red", heading=heading), car("blue", x=2 * right[0], y=2 * right[1]))

    def ask(direction, frame, task):
        text = f"exist(relate[{direction},{frame}](unique(filter[color=red](scene))))"
        return execute(parse_text(text), scene, task).answer

    assert ask("right", "task", "2d") == "yes"
    assert ask("right", "task", "6d") == "no"
    assert ask("behind", "task", "6d") == "yes"
    assert ask("behind", "object", "2d") == "yes"
    assert ask("right", "camera", "6d") == "yes"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "query[color](unique(filter[color=green](filter[shape=car](scene))))",
            "step 3 unique: the set is empty (filter[color=green] over 2 objects)",
        ),
        (
            "query[color](unique(scene))",
            "step 1 unique: the set has 3 objects (scene over 3 objects)",
        ),
        (
            "query[facing](unique(filter[color=blue](scene)))",
            "step 3 query[facing]: the object faces",
        ),
        (
            "count(aligned[same](unique(filter[color=blue](scene))))",
            "step 3 aligned[same]: the object",
        ),
        ("count(filter[occlusion=occluded](scene))", "the scene has no occlusion"),
        (
            "count(occluder(unique(filter[color=blue](scene))))",
            "step 3 occluder: the scene has no occlusion",
        ),
        ("count(filter[material=metal](scene))", "the scene has no material"),
    ],
)
@pytest.mark.parametrize("mode", ["argmax", "marginal", "samples"])
def test_failures_say_what_was_wrong(text, reason, mode):
    between = math.radians(140 - 45)
    scene = scene_of(car("red"), car("blue", heading=between), car("gray", shape="school"))
    if "material" in text:
        scene = replace(scene, objects=(scene.objects[0], without_material(scene.objects[1])))
    outcome = execute(parse_text(text), scene, mode=mode)
    assert (outcome.status, outcome.answer, outcome.probability) == ("failed", None, None)
    assert reason.split(" (")[0] in outcome.reason
    if mode != "samples":
        assert reason in outcome.reason


def test_trace_names_objects_of_the_provided_scene():
    ghost = car("green", existence=0.1)
    objects = ghost, car("red", shape="school"), car("blue", shape="truck")
    scene = scene_of(*objects, occluders=({}, {2: 1.0}, {}))
    outcome = execute(
        parse_text("query[shape](unique(occluder(unique(filter[color=red](scene)))))"), scene
    )
    assert outcome.answer == "truck"
    tokens = [step.token for step in outcome.trace]
    assert tokens == ["scene", "filter[color=red]", "unique", "occluder", "unique", "query[shape]"]
    assert [dict(step.objects) for step in outcome.trace[:5]] == [
        {1: 1.0, 2: 1.0}, {1: 1.0}, {1: 1.0}, {2: 1.0}, {2: 1.0},
    ]  # fmt: skip
    assert outcome.trace[1].text == "filter[color=red] -> 1 of 2: #1 large red rubber school bus"
    assert outcome.trace[5].text == "query[shape] -> truck"


# --- uncertainty ----------------------------------------------------------------------------------


def soft_pair(p_red: float, q_red: float) -> Scene:
    """Two cars whose colours are red with these probabilities, else blue."""
    colors = ({"red": p, "blue": 1 - p} for p in (p_red, q_red))
    a, b = (replace(car(), beliefs={**car().beliefs, "color": color}) for color in colors)
    return scene_of(a, replace(b, existence=0.9))


def test_marginals_worked_out_by_hand():
    scene = soft_pair(0.8, 0.3)
    red = "filter[color=red](scene)"
    q, r = 0.8, 0.3 * 0.9
    counted = execute(parse_text(f"count({red})"), scene, mode="marginal").distribution
    assert counted == pytest.approx(
        {"0": (1 - q) * (1 - r), "1": q * (1 - r) + r * (1 - q), "2": q * r}
    )
    exists = execute(parse_text(f"exist({red})"), scene, mode="marginal")
    assert (exists.answer, exists.probability) == ("yes", pytest.approx(1 - (1 - q) * (1 - r)))
    one = q * (1 - r) + r * (1 - q)
    query = execute(parse_text(f"query[color](unique({red}))"), scene, mode="marginal")
    weight = q * (1 - r) / one
    assert query.valid == pytest.approx(one)
    assert query.distribution["red"] == pytest.approx(weight * 0.8 + (1 - weight) * 0.3)


def test_samples_keep_what_marginals_forget():
    # The only red car is red: marginals lose the tie between the filter and the question.
    text = parse_text("query[color](unique(filter[color=red](scene)))")
    sampled = execute(text, soft_pair(0.8, 0.3), mode="samples", samples=400)
    assert sampled.distribution == {"red": 1.0}
    assert sampled.valid == pytest.approx(0.8 * 0.73 + 0.27 * 0.2, abs=0.08)


def test_pose_uncertainty_becomes_probability():
    right = np.array(AXES["right"])
    spread = ((0.04, 0, 0), (0, 0.04, 0), (0, 0, 0))  # 0.2 in x and y
    scene = scene_of(car("red"), car("blue", x=0.3 * right[0], y=0.3 * right[1], covariance=spread))
    program = parse_text("exist(relate[right,camera](unique(filter[color=red](scene))))")
    truth = 0.5 * (1 + math.erf(0.1 / 0.2 / math.sqrt(2)))  # the mean is 0.1 beyond the margin
    for mode in ("marginal", "samples"):
        outcome = execute(program, scene, mode=mode, samples=4000)
        assert outcome.distribution["yes"] == pytest.approx(truth, abs=0.03), mode
        assert execute(program, scene, mode=mode, samples=4000) == outcome  # the seed decides


def test_a_flip_turns_the_facing_around():
    scene = scene_of(car("red", heading=math.radians(140), flip=0.3))
    program = chain(("scene",), ("unique",), ("query", "facing"))
    for mode in ("marginal", "samples"):
        outcome = execute(program, scene, mode=mode, samples=3000)
        assert outcome.distribution == pytest.approx({"back": 0.7, "front": 0.3}, abs=0.03)
    assert execute(program, scene).distribution == {"back": 1.0}


@pytest.mark.parametrize(
    "condition",
    [
        "color=red",
        "shape=car",
        "facing=left",
        "occlusion=occluded",
        "occlusion=occluding",
        "occlusion=unoccluded",
    ],
)
def test_soft_modes_agree_on_each_object_of_a_filter(condition):
    program = parse_text(f"count(filter[{condition}](scene))")
    rng = np.random.default_rng(5)
    for _ in range(3):
        scene = random_scene(rng, 5, certain=False)
        marginal = execute(program, scene, mode="marginal", samples=4000).trace[1].objects
        sampled = execute(program, scene, mode="samples", samples=4000).trace[1].objects
        assert [marginal.get(i, 0) for i in range(5)] == pytest.approx(
            [sampled.get(i, 0) for i in range(5)], abs=0.04
        )


def test_samples_of_nothing_are_the_most_probable_table():
    for program, scene, task in cases(200, seed=8, certain=False):
        exact = execute(program, scene, task, "argmax")
        sampled = execute(program, scene, task, "samples", samples=2, draw=())
        assert (sampled.status, sampled.answer) == (exact.status, exact.answer)


def test_soft_modes_never_leave_the_simplex():
    for program, scene, task in cases(300, seed=6, certain=False):
        for mode in ("marginal", "samples"):
            outcome = execute(program, scene, task, mode, samples=16)
            if outcome.status == "failed":
                assert outcome.reason.startswith("step ")
                continue
            assert sum(outcome.distribution.values()) == pytest.approx(1)
            assert min(outcome.distribution.values()) >= 0
            assert outcome.probability == max(outcome.distribution.values())
            assert outcome.probability == outcome.distribution[outcome.answer]
            assert 0 < outcome.valid <= 1 + 1e-9
            assert len(outcome.trace) == len(program.steps)


def test_sampled_tables_follow_the_beliefs():
    scene = random_scene(np.random.default_rng(7), 5, certain=False)
    samples = posterior_samples(scene, count=6000)
    tables = pack_samples(samples)
    (poses,) = tables.groups
    np.testing.assert_allclose(
        tables.exists[:, :5].mean(0), [o.existence for o in scene.objects], atol=0.03
    )
    for attribute, values in ATTRIBUTES.items():
        frequency = tables.looks[attribute][:, :5, : len(values)].mean(0)
        np.testing.assert_allclose(frequency, scene.belief(attribute, values), atol=0.03)
    centred = np.stack([poses.x[..., 0], poses.y[..., 0]], -1) - scene.positions[:, None, :2]
    for i, o in enumerate(scene.objects):
        np.testing.assert_allclose(np.cov(centred[i].T), np.array(o.covariance)[:2, :2], atol=0.01)
        for j, p in (scene.occluders[i] or {}).items():
            hidden = (tables.hidden[:, i, j] * tables.exists[:, i]).mean()
            assert hidden == pytest.approx(p * o.existence * scene.objects[j].existence, abs=0.03)


def test_bad_arguments_are_named():
    program, scene = parse_text("count(scene)"), scene_of(car())
    with pytest.raises(InputError, match="mode 'guess'"):
        execute(program, scene, mode="guess")
    with pytest.raises(InputError, match="task '3d'"):
        execute(program, scene, task="3d")
    with pytest.raises(InputError, match="samples"):
        execute(program, scene, mode="samples", samples=0)
    with pytest.raises(InputError, match="refer to 2 scenes, but the batch has 1"):
        run_batch(pack_tables([scene]), pack_programs([program.call], [1]))
    with pytest.raises(InputError, match="should be equal"):
        pack_programs([program.call], [0, 0])
    with pytest.raises(InputError, match="negative"):
        pack_programs([program.call], [-1])


def test_no_mode_limits_the_number_of_objects():
    scene = scene_of(*[car()] * 70)
    for mode in ("argmax", "marginal", "samples"):
        assert execute(parse_text("count(scene)"), scene, mode=mode, samples=2).answer == "70"


def test_empty_batches_and_empty_scenes():
    empty = scene_of(occluders=())
    assert run_batch(pack_tables([empty]), pack_programs([], [])).answers() == []
    program = parse_text("count(scene)")
    assert run_batch(pack_tables([empty]), pack_programs([program.call], [0])).answers() == ["0"]
    for mode in ("argmax", "marginal", "samples"):
        assert execute(program, empty, mode=mode).answer == "0"
