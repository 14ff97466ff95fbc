"""Margins of rooms: what is said to flip an answer flips it, by a little more than is said and not
by a little less.
"""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from study_room import study, thing

from po3d.io.seeding import rng
from po3d.language.program import Call
from po3d.language.programs.rooms import ROOMS
from po3d.reasoning.apply_edit import plan
from po3d.reasoning.counterfactuals import margins_in
from po3d.reasoning.execute import Evaluator, run
from po3d.reasoning.rules import ROOM_RULES
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import unchanged
from po3d.scene.frames import axes_from_front
from po3d.scene.table import Scene
from po3d.synthesis.top_view.layouts import sample_room

NAMES = ("bed", "desk", "sofa", "plant", "stove", "piano")
ANY = ROOMS.parse('all("object")')
NOUNS = [f'only(all("{name}"))' for name in NAMES]


def margins(program: str, scene: Scene, change: str = ""):
    edited = plan(scene, ROOMS.parse(change)).edited if change else unchanged(scene)
    world = SceneGeometry(edited, scene)
    result = margins_in(ROOMS.parse(program), world)
    outcome = run(ROOMS.parse(program), world)
    assert (result.answer, len(result.steps)) == (
        outcome.answer,
        len(outcome.steps) + (outcome.answer is None),
    )
    return result


def answer(program: str, scene: Scene) -> str | None:
    return run(ROOMS.parse(program), SceneGeometry(unchanged(scene), scene)).answer


def spread(seed: int) -> Scene:
    """Small things on a large floor, none over another, seen in a frame turned anyhow."""
    random = rng(seed, "room margins")
    places = [(x, y) for x in (-4, -1, 2, 5) for y in (-4, -1, 2, 5)]
    chosen = random.permutation(len(places))[: len(NAMES)]
    turn = random.uniform(-math.pi, math.pi)
    objects = []
    for name, k in zip(NAMES, chosen):
        x, y = random.uniform(-1, 1, 2) + places[k]
        objects.append(
            thing(name, float(x), float(y), (0.2, 0.3, 0.4), heading=float(random.uniform(-3, 3)))
        )
    outline = ((-6, -6), (7, -6), (7, 7), (-6, 7))
    return Scene(
        tuple(objects), axes_from_front((math.cos(turn), math.sin(turn))), "gt", outline=outline
    )


A, B, C = NOUNS[:3]
PROGRAMS = [
    f"whither({A}, {B})",
    f"seen_from({A}, {B}, {C})",
    f"which_side({A})",
    f"exist(toward(front, {A}, just({B})))",
    f"exist(toward(back left, {A}, just({B})))",
    f'count(toward(right, {A}, all("object")))',
    f'name(nearest({A}, all("object")))',
    f'name(farthest({A}, all("object")))',
    f"name(nearest({A}, pair({B}, {C})))",
    'name(extreme(left, all("object")))',
    'name(extreme(back right, all("object")))',
    'count(side(front, all("object")))',
    f"exist(beside({A}, just({B})))",
    f'count(between({A}, {B}, all("object")))',
]


@pytest.mark.parametrize("program", PROGRAMS)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_a_thing_that_moves_a_little_further_than_reported_flips_the_answer(program, seed):
    scene = spread(seed)
    result = margins(program, scene)
    assume(result.answer is not None and result.flip is not None)
    assume(result.flip.nudge.metres > 0.01)
    before, after = (
        answer(program, result.flip.nudge.applied(scene, times)) for times in (1 - 1e-6, 1 + 1e-6)
    )
    assert before == result.answer
    assert after == result.flip.answer != before


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_the_nearest_that_way_and_where_it_stops_lying_there(seed):
    program, scene = f'name(first(left, {A}, all("object")))', spread(seed)
    result = margins(program, scene)
    assume(result.answer is not None and result.flip is not None)
    for margin in (m for step in result.steps for m in step if m.unit == "degrees"):
        inside = "within" in margin.text
        lying = (
            f"exist(toward(left, {A},"
            f' just(only(all("{scene.objects[margin.object].value("name")}")))))'
        )
        answers = [
            answer(lying, margin.nudge.applied(scene, times)) for times in (1 - 1e-6, 1 + 1e-6)
        ]
        assert answers == (["yes", "no"] if inside else ["no", "yes"])
    assert (
        answer(program, result.flip.nudge.applied(scene, 1 + 1e-6))
        == result.flip.answer
        != result.answer
    )


@pytest.mark.parametrize(
    "best", ["front, first, viewer", "front, most, viewer", "distance, least, viewer"]
)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_a_viewer_who_stands_in_the_room_has_margins_of_superlatives(best, seed):
    scene = spread(seed)
    frame = ", frame(room)" if "front" in best else ""
    program = Call.parse(f"query(name, best({best}{frame}, scene))")
    result = margins_in(program, SceneGeometry.of(scene, ROOM_RULES))
    assume(result.answer is not None)
    assert result.flip is not None
    assume(result.flip.nudge is not None and result.flip.nudge.metres > 0.01)
    assert result.flip.nudge.shift[2] == 0
    before, after = (
        run(program, SceneGeometry.of(result.flip.nudge.applied(scene, times), ROOM_RULES)).answer
        for times in (1 - 1e-6, 1 + 1e-6)
    )
    assert before == result.answer
    assert after == result.flip.answer != before


def test_margins_of_a_room_that_one_can_work_out_by_eye():
    lamp, bed, desk = (f'only(all("{name}"))' for name in ("lamp", "bed", "desk"))
    chairs = margins(f'name(nearest({desk}, all("chair")))', study())
    gap = math.hypot(4, 2.2) - 0.8
    assert (chairs.flip.answer, chairs.flip.unit) == ("chair", "m")
    assert chairs.flip.distance < gap  # the desk itself has less far to go than the other chair
    ((chair,),) = (
        [m for m in step if "being the nearest" in m.text] for step in chairs.steps if step
    )
    assert (chair.distance, chair.nudge.metres) == (pytest.approx(-gap), pytest.approx(gap))
    assert chair.text.endswith("3.77 m from being the nearest to desk (to the back right)")
    way = margins(f"whither({bed}, {desk})", study())
    assert (way.answer, way.flip.unit, way.flip.distance) == (
        "right",
        "degrees",
        pytest.approx(22.5),
    )
    assert way.flip.nudge.metres == pytest.approx(4 * math.sin(math.radians(22.5)))
    high = margins(f"height({lamp}, {bed})", study())
    assert (high.flip.answer, high.flip.distance) == ("lower", pytest.approx(0.7))
    large = margins(f"larger({bed}, {desk})", study())
    assert (large.flip.answer, large.flip.unit) == ("no", "%")
    assert large.flip.distance == pytest.approx(100 * (1.5 / (0.7 * 1.4 * 0.75) - 1))
    tall = margins('name(tallest(pair(only(all("box")), only(all("desk")))))', study())
    assert (tall.answer, tall.flip.answer, tall.flip.distance) == (
        "desk",
        "box",
        pytest.approx(0.45),
    )
    fits = margins(f'fits(only(all("box")), {bed})', study())
    assert (fits.flip.answer, fits.flip.distance) == ("no", pytest.approx(1.1))
    path = margins(f"exist(obstacles({bed}, {desk}))", study())
    assert (path.answer, path.flip) == (
        "yes",
        None,
    )  # the box and the office chair: no one alone clears it
    free = margins(f'exist(obstacles({bed}, only(having(color, "red", all("chair")))))', study())
    assert (free.answer, free.flip.answer) == ("no", "yes")


def test_what_hangs_on_names_alone_has_no_margin():
    assert margins('count(all("chair"))', study()).flip is None


def test_what_is_not_detected_says_what_would_be():
    program = 'name(only(beside(only(all("box")), all("chair"))))'
    result = margins(program, study())
    assert (result.answer, result.flip.answer) == (None, "office chair")
    assert result.flip.distance == pytest.approx(1.2 - 0.2 - 0.25 - 0.5)
    assert answer(program, result.flip.nudge.applied(study(), 1 + 1e-6)) == "office chair"


def test_the_change_moves_things_before_margins_are_measured():
    bed, chair = 'only(all("bed"))', 'only(having(color, "red", all("chair")))'
    change = 'move(having(color, "red", all("chair")), shift(back, 2))'
    now = margins(f"closer_now({chair}, {bed})", study(), change)
    assert (now.answer, now.flip.answer, now.flip.unit) == ("yes", "no", "m")
    assert now.flip.distance == pytest.approx(2.0, abs=0.02)


def test_every_question_of_random_rooms_has_margins_in_order():
    for k in range(3):
        scene = sample_room(5, k)
        names = [o.value("name") for o in scene.objects]
        single = [n for n in names if names.count(n) == 1][:2]
        a, b = (f'only(all("{n}"))' for n in single)
        for program in (
            f"whither({a}, {b})",
            f'name(largest(beside({a}, all("object"))))',
            f'count(toward(left, {b}, all("object")))',
            f"exist(obstacles({a}, {b}))",
        ):
            result = margins(program, scene)
            for step in result.steps:
                assert [m.normalised for m in step] == sorted(m.normalised for m in step)
                assert all(m.normalised >= 0 and m.text for m in step)


def test_a_comparison_with_before_of_an_object_from_before_has_no_margin():
    chair, bed = 'only(having(color, "red", all("chair")))', 'only(all("bed"))'
    change = 'move(having(color, "red", all("chair")), shift(back, 2))'
    result = margins(f"closer_now(was({chair}), {bed})", study(), change)
    assert (result.answer, result.flip) == (None, None)


@pytest.mark.parametrize(
    ("stand", "nearest"), [((2.0, 2.9), "picture"), ((-2.9, -2.9), "bed"), (None, "office chair")]
)
def test_edits_of_three_steps_keep_where_the_viewer_stands(stand, nearest):
    steps = (
        Call("remove", (ROOMS.parse('just(only(all("box")))'),)),
        Call("remove", (ROOMS.parse('just(only(all("lamp")))'),)),
        Call(
            "remove", (Call("group", (Call("best", ("distance", "least", Call("viewer"), ANY)),)),)
        ),
    )
    change = Call("then", (steps[0], Call("then", steps[1:])))
    edited = plan(SceneGeometry.of(study(), ROOM_RULES, stand), change).edited
    names = [o.value("name") for o in study().objects]
    left = [o.value("name") for o in edited.scene.objects]
    assert sorted(left) == sorted(set(names) - {"box", "lamp", nearest})


def test_a_trace_names_an_object_from_before_the_change():
    """Rows of a trace are those of a larger table; an object from before has none."""
    change = 'move(having(color, "red", all("chair")), shift(back, 2))'
    world = SceneGeometry(plan(study(), ROOMS.parse(change)).edited, study())
    evaluator = Evaluator(world, trace=True)
    evaluator.value(
        ROOMS.parse('whither(was(only(having(color, "red", all("chair")))), only(all("bed")))')
    )
    steps = evaluator.trace_steps(numbers=range(100, 100 + world.now))
    assert any("(before)" in str(step) for step in steps)
