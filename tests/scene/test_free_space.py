"""Footprints, floors and the search for free places against shapely and against looking at every
candidate.
"""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from po3d.scene import rectangles
from po3d.scene.edits import SetAttribute, footprint, trace
from po3d.scene.floor import SLACK, Floor
from po3d.scene.frames import axes_from_front
from po3d.scene.free_space import FREE, Candidates, cheapest_free, least_overlap
from po3d.scene.index import SceneIndex
from po3d.scene.placement import Place, resolve
from po3d.scene.rectangles import Rectangle
from po3d.scene.table import ObjectState, Scene, sure

SQUARE = ((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0))
L_SHAPE = ((0.0, 0.0), (4.0, 0.0), (4.0, 1.6), (2.2, 1.6), (2.2, 3.0), (0.0, 3.0))
QUARTERS = st.integers(0, 3).map(lambda k: k * math.pi / 2)
headings = st.one_of(QUARTERS, st.floats(-math.pi, math.pi))
sizes = st.floats(0.03, 1.5)


def at(x: float, y: float, heading: float, depth: float, width: float) -> Rectangle:
    return Rectangle(x, y, math.cos(heading), math.sin(heading), depth / 2, width / 2)


rectangle = st.builds(at, st.floats(-0.5, 4.5), st.floats(-0.5, 3.5), headings, sizes, sizes)


def shape(p: Rectangle) -> shapely.Polygon:
    return shapely.Polygon(p.corners)


def turned(outline, angle: float):
    c, s = math.cos(angle), math.sin(angle)
    return tuple((x * c - y * s, x * s + y * c) for x, y in outline)


# --- rectangles -----------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(rectangle, rectangle)
def test_overlap_and_distance_of_a_pair_are_those_of_shapely(p, q):
    assert rectangles.overlap(p, q) == pytest.approx(shape(p).intersection(shape(q)).area, abs=1e-9)
    assert rectangles.distance(p, q) == pytest.approx(shape(p).distance(shape(q)), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(rectangle, st.tuples(*[st.floats(-1, 5)] * 4))
def test_the_way_to_a_line_is_that_of_shapely(p, ends):
    start, end = ends[:2], ends[2:]
    line = shapely.LineString([start, end])
    assert rectangles.from_segment(p, start, end) == pytest.approx(
        shape(p).distance(line), abs=1e-9
    )
    assert rectangles.holds(p, *start) == shape(p).buffer(1e-9).covers(shapely.Point(start)) or (
        shape(p).exterior.distance(shapely.Point(start)) < 1e-8
    )


def grid() -> tuple[np.ndarray, np.ndarray]:
    return (np.arange(14) * 0.31)[:, None], (np.arange(11) * 0.29)[None]


@settings(max_examples=40, deadline=None)
@given(rectangle, rectangle)
def test_gaps_on_a_grid_are_those_of_each_pair(box, other):
    x, y = grid()
    each = [[rectangles.distance(box._replace(x=a, y=b), other) for b in y[0]] for a in x[:, 0]]
    np.testing.assert_allclose(rectangles.gaps(x, y, box, other), each, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(rectangle, rectangle)
def test_overlapping_is_never_wrong_and_misses_little(box, other):
    x, y = grid()
    area = np.array(
        [[rectangles.overlap(box._replace(x=a, y=b), other) for b in y[0]] for a in x[:, 0]]
    )
    reply = rectangles.overlapping(x, y, box, other, FREE)
    assert not (reply & (area < FREE - 1e-12)).any()
    if rectangles.aligned(box, other):
        assert (reply | (area < FREE + 1e-12)).all()
    elif min(box.a, box.b, other.a, other.b) > 0.05:
        assert (reply | (area < 0.05)).all()


# --- floors ---------------------------------------------------------------------------------------

floors = st.builds(
    lambda outline, angle: Floor(turned(outline, angle)),
    st.sampled_from([SQUARE, L_SHAPE]),
    headings,
)


@settings(max_examples=80, deadline=None)
@given(floors, rectangle)
def test_what_is_outside_a_floor_is_that_of_shapely(floor, box):
    wanted = shape(box).difference(shapely.Polygon(floor.outline).buffer(SLACK)).area
    assert floor.outside(box) == pytest.approx(
        wanted, abs=2e-6
    )  # the rounded corners of the buffer


@settings(max_examples=80, deadline=None)
@given(floors, rectangle)
def test_places_named_beyond_the_floor_are(floor, box):
    x, y = grid()
    out = np.array([[floor.outside(box._replace(x=a, y=b)) for b in y[0]] for a in x[:, 0]])
    assert not (floor.beyond(x, y, box, FREE) & (out < FREE - 2e-6)).any()
    span = floor.span(box, FREE)
    if span is not None:
        retained = (x >= span[0]) & (x <= span[1]) & (y >= span[2]) & (y <= span[3])
        assert (out[~retained] >= FREE - 1e-9).all()


@settings(max_examples=80, deadline=None)
@given(floors, rectangle)
def test_a_floor_surrounds_nothing_that_stands_out(floor, box):
    half_x, half_y = rectangles.reach_x(box), rectangles.reach_y(box)
    if floor.surrounds(box.x, box.y, half_x, half_y):
        assert floor.outside(box) < 1e-9


def test_a_floor_of_four_square_corners_is_a_rectangle_however_it_is_turned():
    for angle in (0.0, 0.4, math.pi / 2, 3.0):
        assert Floor(turned(SQUARE, angle)).rectangle is not None
    assert Floor(L_SHAPE).rectangle is None
    assert Floor(((0, 0), (4, 0), (4, 3), (1, 3))).rectangle is None


def test_a_shifted_thing_stops_at_the_wall():
    box = at(2.0, 1.5, 0.0, 1.0, 1.0)
    for floor in (Floor(SQUARE), Floor((*SQUARE, (0.0, 1.0)))):  # by arithmetic, by shapely
        assert floor.part_inside(box, (1.4, 0.0)) == 1.0
        assert floor.part_inside(box, (2.0, 0.0)) == pytest.approx(0.75)
        assert (
            floor.part_inside(box._replace(x=9.0), (0.1, 0.0)) == 1.0
        )  # nowhere inside: as asked for


# --- the search -----------------------------------------------------------------------------------


def thing(
    x: float, y: float, heading: float, depth: float, width: float, name: str = "box"
) -> ObjectState:
    return ObjectState(sure(name=name), (x, y, 0.5), heading, (depth, width, 1.0))


things = st.builds(
    thing, st.floats(0, 4), st.floats(0, 3), headings, st.floats(0.06, 1.2), st.floats(0.06, 1.2)
)


@settings(max_examples=120, deadline=None)
@given(
    st.lists(things, max_size=7),
    st.one_of(st.none(), floors.map(lambda f: Floor(f.outline))),
    st.tuples(st.floats(0.06, 1.0), st.floats(0.06, 1.0)),
    st.lists(headings, min_size=1, max_size=2),
    st.integers(0, 2**32 - 1),
)
def test_the_search_finds_what_looking_at_every_candidate_finds(states, floor, size, turns, seed):
    random = np.random.default_rng(seed)
    obstacles = SceneIndex(Scene(tuple(states), axes_from_front((0, 1)), "gt")).things
    x, y = grid()
    groups = [(x, y, random.integers(0, 40, (x.size, y.size)) / 8, h) for h in turns]  # with ties
    groups.append(
        (random.uniform(0, 4, 20), random.uniform(0, 3, 20), random.uniform(0, 5, 20), turns[0])
    )
    every = []
    for gx, gy, cost, heading in groups:
        for a, b, c in zip(*(part.ravel() for part in np.broadcast_arrays(gx, gy, cost))):
            box = at(float(a), float(b), heading, *size)
            wrong = sum(rectangles.overlap(box, o.box) for o in obstacles)
            every.append((wrong + (floor.outside(box) if floor else 0.0), float(c), box))
    if any(abs(wrong - FREE) < 1e-9 for wrong, _, _ in every):
        return  # rounding decides
    free = [(c, k) for k, (wrong, c, _) in enumerate(every) if wrong < FREE]
    result = cheapest_free(
        [Candidates(a, b, c.copy(), h) for a, b, c, h in groups], size, obstacles, floor
    )
    if not free:
        assert result is None
        least = min(wrong for wrong, _, _ in every)
        candidates = [Candidates(a, b, c, h) for a, b, c, h in groups]
        assert least_overlap(candidates, size, obstacles, floor)[1] == pytest.approx(
            least, abs=2e-6
        )
        return
    best = every[min(free)[1]][2]
    x, y, heading, _ = result
    assert (x, y, math.cos(heading)) == (best.x, best.y, best.c)


def test_the_least_overlap_does_not_depend_on_earlier_searches():
    boxes = [
        thing(0.3 + 0.5 * k, 0.5 + 0.3 * (k % 3), 0.2 * k, 1.2, 1.1 - 0.1 * k) for k in range(6)
    ]
    obstacles = SceneIndex(Scene(tuple(boxes), axes_from_front((0, 1)), "gt")).things
    x, y = grid()
    cost = np.hypot(x - 1.0, y - 1.0)
    for floor in (None, Floor(L_SHAPE), Floor(SQUARE)):
        for some in (obstacles, obstacles[1:], obstacles[:3], obstacles[::-1], []):
            spot, wrong = least_overlap([Candidates(x, y, cost, 0.3)], (0.9, 1.6), some, floor)
            box = shape(at(*spot[:2], 0.3, 0.9, 1.6))
            area = box.difference(floor.allowed).area if floor else 0.0
            area += sum(box.intersection(shape(o.box)).area for o in some)
            assert wrong == pytest.approx(area, abs=1e-9)


def test_a_full_room_says_so_and_takes_the_least_overlap():
    wardrobe = thing(0.5, 0.5, 0.0, 0.98, 0.98, "wardrobe")
    small = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    scene = Scene((wardrobe,), axes_from_front((0, 1)), "gt", outline=small)
    spot = resolve(scene, thing(0, 0, 0.0, 0.4, 0.4), Place("beside", (wardrobe,)))
    assert spot.crowded
    assert not resolve(scene, thing(0, 0, 0.0, 0.4, 0.4), Place("on", (wardrobe,))).crowded


@pytest.mark.parametrize("kind", ["beside", "wall", "corner", "centre"])
def test_a_place_is_free_in_rooms_of_any_shape(kind):
    sofa = thing(0.6, 0.6, 0.3, 0.9, 1.0, "sofa")
    for outline in (None, SQUARE, L_SHAPE, turned(L_SHAPE, 0.5), turned(SQUARE, 0.5)):
        middle = np.mean(outline or SQUARE, 0)
        there = thing(*middle, 0.3, 0.9, 1.0, "sofa")
        scene = Scene((sofa, there), axes_from_front((0, 1)), "gt", outline=outline)
        new = thing(0.0, 0.0, 0.0, 0.4, 0.5, "chair")
        objects = (there,) if kind == "beside" else ()
        direction = {"wall": "left", "corner": "back left"}.get(kind, "")
        spot = resolve(scene, new, Place(kind, objects, direction))
        assert not spot.crowded
        box = at(*spot.position[:2], spot.heading, 0.4, 0.5)
        assert rectangles.overlap(box, footprint(there)) < FREE
        if outline:
            assert Floor(outline).outside(box) < FREE


# --- layouts --------------------------------------------------------------------------------------


def test_the_layout_of_a_changed_scene_is_that_of_the_scene_alone():
    scene = Scene(
        (thing(1, 1, 0.0, 1, 1), thing(2, 2, 1.0, 1, 1, "chair")),
        axes_from_front((1, 1)),
        "gt",
        outline=SQUARE,
    )
    before = SceneIndex(scene)
    assert before.rows_named("chair") == [1]
    renamed = trace(scene, [SetAttribute(0, "name", "chair")]).scene
    after, alone = SceneIndex(renamed, before), SceneIndex(renamed)
    assert after.things == alone.things
    assert after.rows_named("chair") == alone.rows_named("chair") == [0, 1]
    assert before.rows_named("chair") == [1]
    assert after.things[1] is before.things[1]  # taken over
    elsewhere = SceneIndex(
        Scene(scene.objects, axes_from_front((0, 1)), "gt"), before
    )  # another frame: nothing is
    assert elsewhere.things[0].front == pytest.approx(1.0)
