"""Room programs: their spellings, hand-made answers, named failures, and the geometry under random
rooms.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from study_room import study, thing

from po3d.io.seeding import rng
from po3d.language.program import Call, ProgramError
from po3d.language.programs.rooms import DIRECTIONS, from_tokens, parse_text
from po3d.language.programs.rooms import ROOMS as LANGUAGE
from po3d.reasoning.apply_edit import plan
from po3d.reasoning.execute import run
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import unchanged
from po3d.scene.frames import with_front
from po3d.scene.rooms import CATEGORIES
from po3d.scene.table import ObjectState, Scene
from po3d.synthesis.top_view.changes import TYPES, sample_change
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.questions import QUESTION_TYPES, AnsweredQuestionSampler

ROOMS = [sample_room(11, k) for k in range(5)]


def ask(program: str, scene: Scene | None = None, change: str = ""):
    before = scene or study()
    edited = plan(before, LANGUAGE.parse(change)).edited if change else unchanged(before)
    return run(LANGUAGE.parse(program), SceneGeometry(edited, before))


BED, DESK, LAMP = 'only(all("bed"))', 'only(all("desk"))', 'only(all("lamp"))'


@pytest.mark.parametrize(
    ("program", "answer"),
    [
        ('count(all("chair"))', "2"),  # an office chair is a chair
        ('count(all("object"))', "7"),
        ('count(having(color, "red", all("object")))', "2"),
        (f'name(nearest({DESK}, all("chair")))', "office chair"),
        (f"whither({BED}, {DESK})", "right"),
        (f"whither({DESK}, {BED})", "left"),
        (f'whither({DESK}, only(having(color, "red", all("chair"))))', "front left"),
        (f'name(first(right, {BED}, all("object")))', "box"),
        (f"exist(obstacles({BED}, {DESK}))", "yes"),
        (f'exist(obstacles({BED}, only(having(color, "red", all("chair")))))', "no"),
        (f'name(only(upon({DESK}, all("object"))))', "lamp"),
        (f"name(support({LAMP}))", "desk"),
        ('name(support(only(all("box"))))', "floor"),
        ('name(support(only(all("picture"))))', "wall"),
        (f"height({LAMP}, {BED})", "higher"),
        (f"query(material, {DESK})", "wooden"),
        ('kinds(color, all("chair"))', "2"),
        (f"which_side({BED})", "left"),
        ('which_side(only(all("picture")))', "front"),
        (f"seen_from({BED}, {DESK}, only(all(\"picture\")))", "front left"),
        ('count(usable(sitting, all("object")))', "2"),
        (f"size({BED}, {DESK})", "larger"),
        (f"fits(only(all(\"box\")), {BED})", "yes"),
        (f"fits({BED}, only(all(\"box\")))", "no"),
        ('name(extreme(right, all("chair")))', "office chair"),
        (f'count(beside({DESK}, all("object")))', "1"),
        ('more(all("chair"), all("bed"))', "yes"),
    ],
)  # fmt: skip
def test_questions_about_a_study(program, answer):
    outcome = ask(program)
    assert (outcome.status, outcome.answer) == ("ok", answer), outcome


@pytest.mark.parametrize(
    ("change", "program", "answer"),
    [
        (f"move(just({LAMP}), on({BED}))", f"name(support({LAMP}))", "bed"),
        (f"move(just({DESK}), corner(back left))", f"which_side({DESK})", "back left"),
        (f"move(just({DESK}), corner(back left))", f"name(support({LAMP}))", "desk"),
        (f"move(just({BED}), shift(right, 1))", f"closer_now({BED}, {DESK})", "yes"),
        (f"remove(just({DESK}))", f"name(support({LAMP}))", "floor"),
        (f"remove(just({DESK}))", 'count(all("object"))', "6"),
        (f"remove(just({DESK}))", f"whither({BED}, was({DESK}))", "right"),
        ('remove(all("chair"))', 'count(all("chair"))', "0"),
        (
            f'set(color, "green", just({LAMP}))',
            'query(color, only(touched(all("object"))))',
            "green",
        ),
        (
            f'add(2, thing("stool", plain), next_to({BED}))',
            f'count(beside({BED}, all("stool")))',
            "2",
        ),
        (
            f'replace(just({BED}), thing("sofa", trait(color, "gray", plain)))',
            'query(color, only(all("couch")))',
            "gray",
        ),
        (f"swap({DESK}, {BED})", f"whither({BED}, {DESK})", "left"),
        (
            f'move(just(only(all("box"))), amid({DESK}, {BED}))',
            f'count(between({DESK}, {BED}, all("box")))',
            "1",
        ),
        (
            f'then(remove(just({LAMP})), add(1, thing("vase", plain), on({DESK})))',
            f'name(only(upon({DESK}, all("object"))))',
            "vase",
        ),
        ('set(color, "red", all("chair"))', 'kinds(color, all("chair"))', "1"),
        (
            'remove(other(only(having(color, "red", all("chair"))), all("chair")))',
            'query(color, only(all("chair")))',
            "red",
        ),
    ],
)
def test_questions_about_a_changed_study(change, program, answer):
    outcome = ask(program, change=change)
    assert (outcome.status, outcome.answer) == ("ok", answer), outcome


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ('query(color, only(all("piano")))', "not found: there are no pianos"),
        ('query(color, only(all("chair")))', "ambiguous: there are 2 chairs, not one"),
        (f"query(state, {BED})", "unknown: the scene has no state of bed"),
        ('name(largest(all("piano")))', "not found"),
    ],
)
def test_what_cannot_be_answered_says_why(program, reason):
    outcome = ask(program)
    assert (outcome.status, outcome.answer) == ("failed", None)
    assert reason in outcome.reason


def test_several_of_a_kind_mean_the_one_that_changed():
    change = 'set(color, "green", just(nearest(only(all("desk")), all("chair"))))'
    assert ask('query(color, only(all("chair")))', change=change).answer == "green"


@pytest.mark.parametrize(
    ("noun", "category"), [("futon", "sofa"), ("credenza", "cabinet"), ("pew", "bench")]
)
def test_a_new_thing_has_the_typical_size_of_its_kind(noun, category):
    known = CATEGORIES[category]
    change = Call.parse(f'add(1, thing("{noun}", plain), place(centre))')
    new = plan(ROOMS[0], change).edited.scene.objects[-1]
    assert new.extent == (known.depth, known.width, known.height)


def test_a_change_of_what_is_not_there_is_unresolved():
    with pytest.raises(ExecutionFailure, match="there are no pianos"):
        plan(study(), LANGUAGE.parse('remove(just(only(all("piano"))))'))


@pytest.mark.parametrize(
    "text", ["count", "count(all(bed))", "sing(all)", 'count(all("bed")', 'toward(up, all("bed"))']
)
def test_what_is_no_program_is_refused(text):
    with pytest.raises(ProgramError):
        parse_text(text)


# --- generated rooms ------------------------------------------------------------------------------

cases = st.tuples(
    st.sampled_from(range(len(ROOMS))), st.sampled_from(TYPES), st.integers(0, 10_000)
)


def draw(case):
    room, kind, seed = case
    random = rng(seed, "test-rooms", room)
    change = sample_change(ROOMS[room], kind, random)
    if change is None:
        return None
    world = SceneGeometry(change[1].edited, ROOMS[room])
    asker = AnsweredQuestionSampler(world, random)
    query = [q for fine in QUESTION_TYPES[kind] if (q := asker.ask(fine, tries=6))]
    return ROOMS[room], change, world, query


@settings(max_examples=25, deadline=None)
@given(cases)
def test_programs_survive_both_spellings(case):
    if (sampled := draw(case)) is None:
        return
    _, change, _, query = sampled
    for program in (change[0], *(program for program, _ in query)):
        assert parse_text(program.text()) == program
        assert from_tokens([text for _, text in program.tokens()]) == program


@settings(max_examples=20, deadline=None)
@given(cases, st.floats(-math.pi, math.pi))
def test_turning_the_world_and_the_frame_together_changes_no_answer(case, angle):
    """Frame invariance: a rotation of all positions and headings with the axes leaves every answer
    as it was.
    """
    if (sampled := draw(case)) is None:
        return
    _, _, world, query = sampled
    turned = SceneGeometry(_Turned(world.edited, angle), _turn(world.before, angle), world.rules)
    for program, answer in query:
        assert run(LANGUAGE.to_core(program), turned).answer == answer, program


def _turn(scene: Scene, angle: float) -> Scene:
    c, s = math.cos(angle), math.sin(angle)
    rotation = np.array([(c, -s), (s, c)])

    def spin(point):
        return tuple((rotation @ np.array(point[:2])).tolist()) + tuple(point[2:])

    objects = tuple(
        ObjectState(o.beliefs, spin(o.position), o.heading + angle, o.extent) for o in scene.objects
    )
    outline = tuple(spin(corner) for corner in scene.outline)
    turned = Scene(objects, scene.axes, scene.source, outline=outline)
    return with_front(turned, spin(scene.axes["front"]))


def _Turned(edited, angle):
    return type(edited)(
        _turn(edited.scene, angle), edited.origin, edited.touched, edited.touched_before
    )


@settings(max_examples=25, deadline=None)
@given(cases)
def test_changes_are_feasible_and_deterministic(case):
    if (sampled := draw(case)) is None:
        return
    scene, change, _, _ = sampled
    again = plan(scene, LANGUAGE.to_core(change[0]))
    assert again.edited.scene == change[1].edited.scene
    assert not any("no free place" in note for note in again.notes)
    low, high = np.array(scene.outline).min(0), np.array(scene.outline).max(0)
    position = again.edited.scene.positions[:, :2]
    assert (position > low - 0.3).all()
    assert (position < high + 0.3).all()


def test_the_eight_directions_go_round_clockwise():
    scene = study()
    for k, direction in enumerate(DIRECTIONS):
        angle = math.pi / 2 - k * math.pi / 4
        far = thing("vase", 2 * math.cos(angle), 2 * math.sin(angle))
        room = Scene((thing("box", 0, 0), far), scene.axes, "gt", outline=scene.outline)
        assert ask('whither(only(all("box")), only(all("vase")))', room).answer == direction
