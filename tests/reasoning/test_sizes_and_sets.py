"""Changes of size, the wall opposite, the floor, and relations between sets."""

import pytest
from study_room import study, thing

from po3d.language.program import Call
from po3d.language.say.plain import say
from po3d.reasoning.apply_edit import plan
from po3d.reasoning.evaluator import Evaluator
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.rules import ROOM_RULES
from po3d.reasoning.world import SceneGeometry
from po3d.scene.table import Scene


def one(name):
    return f'unique(filter(name, "{name}", scene))'


def answer(question, change="", scene=None):
    world = SceneGeometry.of(scene or study(), ROOM_RULES)
    if change:
        world = world.after(plan(world, Call.parse(change)).edited)
    return Evaluator(world).answer(Call.parse(question))


@pytest.mark.parametrize(
    ("change", "question", "meant"),
    [
        (f"set(taller, 2, group({one('bed')}))", f"query(height, {one('bed')})", "1"),
        (f"set(tall, 0.9, group({one('bed')}))", f"query(elevation, {one('bed')})", "0.45"),
        (f"set(wide, 3, group({one('bed')}))", f"query(width, {one('bed')})", "3"),
        (f"set(long, 3, group({one('desk')}))", f"query(width, {one('desk')})", "3"),
        (f"set(bigger, 0.5, group({one('desk')}))", f"query(length, {one('desk')})", "0.7"),
        # what stands on it rises with its top, what hangs keeps its middle
        (f"set(taller, 2, group({one('desk')}))", f"query(elevation, {one('lamp')})", "1.7"),
        (f"set(taller, 2, group({one('picture')}))", f"query(elevation, {one('picture')})", "1.6"),
    ],
)
def test_an_object_is_resized(change, question, meant):
    assert answer(question, change) == meant


@pytest.mark.parametrize(
    "change",
    [
        "set(taller, 0, {})",
        "set(wide, 1000, {})",
        f'add(1, thing("sofa", trait(wide, 315, plain)), place(next_to, {one("bed")}))',
    ],
)
def test_impossible_sizes_are_refused(change):
    with pytest.raises(ExecutionFailure, match="no object has a size"):
        answer("count(scene)", change.format(f"group({one('bed')})"))


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ('count(relate(supporting, any, scene, filter(name, "desk", scene)))', "1"),
        ('count(relate(supporting, none, scene, filter(name, "desk", scene)))', "0"),
        ('count(relate(supporting, any, filter(name, "chair", scene), scene))', "0"),
        (
            'count(relate(next_to, any, filter(name, "desk", scene), filter(name, "office'
            ' chair", scene)))',
            "1",
        ),
        ('count(filter(side, "floor", scene))', "5"),
        ('count(filter(side, "wall", scene))', "1"),
    ],
)
def test_sets_are_related_to_sets(question, meant):
    assert answer(question) == meant


def test_the_wall_opposite():
    behind = thing("stove", 0.5, -2.7, heading=1.57)
    scene = study()
    scene = Scene((*scene.objects, behind), scene.axes, "gt", outline=scene.outline)
    assert answer(f"query(name, unique(relate(opposite, {one('picture')}, scene)))", "", scene) == (
        "stove"
    )
    moved = f"move(group({one('picture')}), place(opposite, {one('picture')}))"
    assert answer(f"query(side, {one('picture')})", moved) == "back"
    open_scene = Scene(scene.objects, scene.axes, "gt")
    with pytest.raises(ExecutionFailure, match="no wall opposite"):
        answer(f"count(relate(opposite, {one('picture')}, scene))", "", open_scene)


def test_between_takes_two_objects():
    with pytest.raises(ExecutionFailure, match="unknown place"):
        answer("count(scene)", f"move(group({one('box')}), place(between, {one('bed')}))")


def test_an_object_moved_next_to_one_on_furniture_stands_on_it_or_on_the_floor():
    support = f"query(name, unique(relate(supporting, {one('box')}, scene)))"
    moved = f"move(group({one('box')}), place(next_to, {one('lamp')}))"
    assert answer(support, moved) == "desk"
    objects = list(study().objects)
    objects[6] = thing("box", 0.0, 0.0, (0.55, 0.6, 0.3))
    objects[2] = thing("lamp", 2.0, 0.0, (0.6, 1.3, 0.4), z=0.95)
    crowded = Scene(tuple(objects), study().axes, "gt", outline=study().outline)
    assert answer(support, moved, crowded) == "floor"


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (f"set(wider, 2, group({one('bed')}))", "The bed has been made 2 times as wide."),
        (
            f"set(tall, 0.9, group({one('bed')}))",
            "The height of the bed has been changed to 0.9 metres.",
        ),
        (
            'count(relate(supporting, none, scene, filter(name, "desk", scene)))',
            "How many desks carrying no thing are there?",
        ),
    ],
)
def test_they_have_plain_words(program, words):
    assert say(Call.parse(program)) == words
