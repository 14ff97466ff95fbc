"""Several views fused into one table: better than the best of them, nothing lost, nothing merged
that is two.
"""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.fusion import ViewTable, fuse, joined
from po3d.scene.geometry import wrap_angle
from po3d.scene.orbit import Orbit
from po3d.scene.registration import RegisteredView, register, rotation
from po3d.scene.table import ObjectState, Scene, sure
from tools.scope_views import position_error

ORBIT = Orbit(6.0, 3.5, 0.4)
DEPTH, ACROSS, HEADING = (
    0.25,
    0.06,
    math.radians(8),
)  # noise of a view: along its ray, across it, of the heading
KINDS = ("cup", "box", "chair", "dog", "vase", "bag", "lamp", "ball")


def things(random, count=7, kinds=KINDS, apart=0.7):
    """A true table of things at least so far apart."""
    places: list = []
    while len(places) < count:
        p = random.uniform(-2.2, 2.2, 2)
        if all(math.dist(p, q) > apart for q in places):
            places.append(p)
    objects = [
        ObjectState(
            sure(name=kinds[k]),
            (*map(float, p), 0.25),
            float(random.uniform(-3, 3)),
            (0.5, 0.4, 0.5),
        )
        for k, p in enumerate(places)
    ]
    return Scene(tuple(objects), ORBIT.axes(0), "gt")


def view_of(true, angle, random, rows, noise=True):
    """The table of a view in its own world, with noise that its covariances tell, and its yaw."""
    yaw = ORBIT.reading.sense * math.radians(angle)
    eye, back, objects = np.array(ORBIT.place(angle)), rotation(-yaw), []
    for i in rows:
        o = true.objects[i]
        p = np.array(o.position[:2])
        ray = (p - eye) / np.linalg.norm(p - eye)
        across = np.array([-ray[1], ray[0]])
        covariance = np.zeros((3, 3))
        heading = o.heading - yaw
        if noise:
            p = p + random.normal(0, DEPTH) * ray + random.normal(0, ACROSS) * across
            spread = DEPTH**2 * np.outer(ray, ray) + ACROSS**2 * np.outer(across, across)
            covariance[:2, :2], covariance[2, 2] = back @ spread @ back.T, HEADING**2
            heading += random.normal(0, HEADING)
        x, y = back @ p
        objects.append(
            replace(
                o,
                position=(float(x), float(y), o.position[2]),
                heading=float(wrap_angle(heading)),
                covariance=tuple(map(tuple, covariance.tolist())),
            )
        )
    return ViewTable(Scene(tuple(objects), ORBIT.axes(0), "predicted"), yaw)


def same(fused, rows):
    """The true row of each fused object; AssertionError when one holds two different things."""
    owners = [{rows[v][i] for v, i in members} for members in fused.members]
    assert all(len(owner) == 1 for owner in owners)
    return [owner.pop() for owner in owners]


@pytest.mark.parametrize("known", [True, False], ids=["known yaw", "estimated yaw"])
def test_the_fused_table_is_more_exact_than_the_best_view(known):
    wins, gains = 0, []
    for k in range(6):
        random = rng(7, "fusion", k)
        true, angles = things(random), (0, 90, 180, 270)
        rows = [sorted(random.choice(7, 6, replace=False).tolist()) for _ in angles]
        views = [view_of(true, a, random, r) for a, r in zip(angles, rows)]
        fused = fuse(views if known else [ViewTable(v.table) for v in views])
        owners = same(fused, rows)
        assert sorted(owners) == sorted(set().union(*rows))
        error = position_error(fused.scene, true, dict(enumerate(owners))).mean()
        best = min(
            position_error(v.table, true, dict(enumerate(r))).mean() for v, r in zip(views, rows)
        )
        wins += error < best
        gains.append(error / best)
    assert wins >= 5
    assert np.mean(gains) < 0.6


def test_its_covariance_says_how_exact_it_is():
    """Squared Mahalanobis errors of fused objects average about two, their degrees of freedom."""
    squares = []
    for k in range(8):
        random = rng(8, "fusion", k)
        true, angles = things(random), (0, 90, 180, 270)
        rows = [list(range(7))] * 4
        fused = fuse([view_of(true, a, random, r) for a, r in zip(angles, rows)])
        owners = same(fused, rows)
        here = fused.scene.positions[:, :2]
        there = true.positions[owners, :2]
        for d, o in zip(here - here.mean(0) - there + there.mean(0), fused.scene.objects):
            squares.append(d @ np.linalg.solve(np.array(o.covariance)[:2, :2], d))
    assert 1.0 < np.mean(squares) < 3.0


def test_what_only_one_view_has_survives():
    random = rng(9, "fusion")
    true = things(random)
    rows = [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5], [0, 1, 2, 6]]
    fused = fuse([view_of(true, a, random, r) for a, r in zip((45, 135, 225, 315), rows)])
    owners = same(fused, rows)
    assert sorted(owners) == list(range(7))
    alone = [len(fused.members[owners.index(k)]) for k in (3, 4, 5, 6)]
    assert alone == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "rows",
    [[[0, 1, 2, 3]] * 4, [[0, 2, 3], [1, 2, 3], [0, 2, 3], [1, 2, 3]]],
    ids=["together", "never together"],
)
def test_two_equal_things_stay_two(rows):
    for k in range(5):
        random = rng(10, "fusion", k)
        true = things(random, 4, ("cup", "cup", "box", "chair"), apart=6 * DEPTH)
        fused = fuse([view_of(true, a, random, r) for a, r in zip((0, 90, 180, 270), rows)])
        assert sorted(same(fused, rows)) == [0, 1, 2, 3]


def test_true_views_give_the_true_table_without_doubt():
    random = rng(11, "fusion")
    true = things(random)
    rows = [[0, 1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]]
    for known in (True, False):
        views = [view_of(true, a, random, r, noise=False) for a, r in zip((0, 135, 225), rows)]
        fused = fuse(views if known else [ViewTable(v.table) for v in views])
        owners = same(fused, rows)
        np.testing.assert_allclose(
            fused.scene.positions[:, :2], true.positions[owners, :2], atol=1e-6
        )
        assert not any(np.any(o.covariance) for o in fused.scene.objects)
        turned = fused.axes(2, views[2].table.axes)
        np.testing.assert_allclose(turned["front"], ORBIT.axes(225)["front"], atol=1e-6)


def test_the_order_of_the_views_matters_little():
    random = rng(12, "fusion")
    true = things(random)
    views = [view_of(true, a, random, range(7)) for a in (0, 90, 180, 270)]
    first = fuse(views).scene
    again = fuse([views[0], *views[:0:-1]]).scene
    match = {
        next(i for i, o in enumerate(again.objects) if o.beliefs == p.beliefs): j
        for j, p in enumerate(first.objects)
    }
    assert position_error(again, first, match).max() < 0.02


def test_a_view_with_nothing_in_common_is_left_out_and_says_so():
    random = rng(13, "fusion")
    true = things(random)
    views = [view_of(true, 0, random, [0, 1]), view_of(true, 90, random, [2, 3])]
    fused = fuse([ViewTable(v.table) for v in views])
    assert fused.members == (((0, 0),), ((0, 1),))  # of views that fit as many, the first
    assert fused.placed[1] is None
    assert fused.axes(0, views[0].table.axes) == views[0].table.axes
    with pytest.raises(InputError, match="view 2 shares no object"):
        fused.axes(1, views[1].table.axes)


@pytest.mark.parametrize("known", [True, False], ids=["known yaw", "estimated yaw"])
@settings(max_examples=6)
@given(st.integers(0, 1000), st.integers(0, 3), st.booleans())
def test_a_view_that_fits_nowhere_costs_nothing_wherever_it_stands(known, seed, at, empty):
    """Odd: of other things. The others give the very table that they give without it, and where the
    yaws are known it has its axes: it is turned like its neighbours.
    """
    random = rng(seed, "odd view")
    true, others = things(random), things(random, 5, ("tree", "car", "bus", "truck", "bench"))
    angles = (0, 90, 180, 270)
    views = [view_of(true, a, random, range(7)) for a in angles]
    views[at] = view_of(others, angles[at], random, [] if empty else range(5))
    if not known:
        views = [ViewTable(v.table) for v in views]
    rest = [k for k in range(4) if k != at]
    fused, alone = fuse(views), fuse([views[k] for k in rest])
    assert fused.scene == alone.scene
    assert fused.placed[at] is None
    assert fused.members == tuple(tuple((rest[v], i) for v, i in rows) for rows in alone.members)
    for k, v in zip(rest, range(3)):
        assert fused.axes(k, views[k].table.axes) == alone.axes(v, views[k].table.axes)
    if known:
        far = fused.axes(at, views[at].table.axes)
        base = fused.axes(rest[0], views[rest[0]].table.axes)
        turn = ORBIT.reading.sense * math.radians(angles[at] - angles[rest[0]])
        for side in far:
            np.testing.assert_allclose(far[side], rotation(turn) @ base[side], atol=1e-9)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))), ids=str)
def test_views_join_by_way_of_others_in_any_order(order):
    """A chain: each view has two things in common with the next, and none with the one after
    that.
    """
    random = rng(15, "fusion")
    true, rows = things(random, 8), [[0, 1, 2], [1, 2, 3, 4], [3, 4, 5, 6], [5, 6, 7]]
    rows = [rows[k] for k in order]
    fused = fuse([view_of(true, 90 * k, random, rows[i], noise=False) for i, k in enumerate(order)])
    assert all(fused.placed)
    assert sorted(same(fused, rows)) == list(range(8))


def test_an_empty_first_view_leaves_the_world_to_another():
    table = Scene(things(rng(16, "fusion")).objects, ORBIT.axes(0), "predicted")
    empty = replace(table, objects=())
    for views in ([ViewTable(empty), ViewTable(table)], [ViewTable(table), ViewTable(empty)]):
        fused = fuse(views).scene
        np.testing.assert_array_equal(fused.positions, table.positions)
        np.testing.assert_allclose(fused.headings, table.headings)
    assert len(fuse([ViewTable(empty), ViewTable(empty)]).scene) == 0


def test_flips_are_outvoted():
    o = ObjectState(sure(name="dog"), (0.0, 0.0, 0.3), 0.4, (0.8, 0.3, 0.6), flip=0.3)
    base = ObjectState(sure(name="box"), (1.0, 0.5, 0.3), 0.0, (0.8, 0.3, 0.6))
    wrong = replace(o, heading=float(wrap_angle(0.4 + math.pi)), flip=0.4)
    scenes = [Scene((dog, base), ORBIT.axes(0), "predicted") for dog in (wrong, o, o)]
    fused = fuse([ViewTable(s, 0.0) for s in scenes]).scene
    assert abs(float(wrap_angle(fused.objects[0].heading - 0.4))) < 1e-6
    assert fused.objects[0].flip < 0.3


def test_a_table_registers_onto_itself_turned():
    random = rng(14, "fusion")
    true = things(random)
    view = view_of(true, 115, random, range(7), noise=False)
    result = register(true, view.table)
    assert result.matches == {k: k for k in range(7)}
    assert abs(float(wrap_angle(result.yaw - view.yaw))) < 1e-9
    np.testing.assert_allclose(
        result.points(view.table.positions[:, :2]), true.positions[:, :2], atol=1e-9
    )


def test_no_views_is_an_input_error():
    with pytest.raises(InputError, match="no views"):
        fuse([])


def test_doubtful_names_still_say_who_is_who():
    """Two things side by side, each rather what it is; the other table has them nearer to the wrong
    one.
    """

    def table(first, second):
        def one(x, y, **names):
            spread = ((0.09, 0.0, 0.0), (0.0, 0.09, 0.0), (0.0, 0.0, 0.1))
            return ObjectState({"name": names}, (x, y, 0.2), 0.0, (0.3, 0.3, 0.4), spread)

        anchors = (one(2.0, 1.0, dog=1.0), one(-2.0, 0.5, chair=1.0))
        soft = (one(first, 0.0, cup=0.8, box=0.2), one(second, 0.0, box=0.8, cup=0.2))
        return Scene((*soft, *anchors), ORBIT.axes(0), "predicted")

    result = register(table(0.0, 0.3), table(0.2, 0.1), 0.0)
    assert result is not None
    assert result.matches == {0: 0, 1: 1, 2: 2, 3: 3}


def test_each_view_is_laid_anew_onto_all_others_together():
    """Views in a ring, each with two things in common with the next: laid one onto another, the
    last would bear the error of all (0.148 on average of these).
    """
    rows, errors = [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7], [6, 7, 0, 1]], []
    for k in range(8):
        random = rng(17, "again", k)
        true = things(random, 8)
        fused = fuse([view_of(true, a, random, r) for a, r in zip((0, 90, 180, 270), rows)])
        errors.append(position_error(fused.scene, true, dict(enumerate(same(fused, rows)))).mean())
    assert np.mean(errors) < 0.138


def test_a_first_view_without_a_yaw_is_the_one_that_the_others_are_turned_against():
    random = rng(18, "fusion")
    true = things(random)
    views = [view_of(true, a, random, range(7)) for a in (0, 90, 180)]
    assert views[0].yaw == 0
    expected = fuse(views)
    assert fuse([ViewTable(views[0].table), *views[1:]]) == expected
    assert expected.turns == (0.0, *(pytest.approx(float(wrap_angle(v.yaw))) for v in views[1:]))
    shifted = [replace(v, yaw=v.yaw + 0.7) for v in views]  # only the turns against the first count
    np.testing.assert_allclose(fuse(shifted).scene.positions, expected.scene.positions, atol=1e-6)


def test_joined_views_lie_in_the_first_ones_world_unless_reported():
    one = ObjectState(sure(name="cup"), (1.0, 0.0, 0.2), 0.1, (0.3, 0.3, 0.4))
    tables = [
        Scene((one,), ORBIT.axes(a), source, image=f"{a}.jpg")
        for a, source in ((0, "gt"), (90, "predicted"))
    ]
    placed = [
        RegisteredView(0.0, (0.0, 0.0), {}, 0.0),
        RegisteredView(math.pi / 2, (1.0, 2.0), {}, 0.0),
    ]
    for start in (0, 1):
        fused = joined([ViewTable(t) for t in tables], placed, [[(0, 0)], [(1, 0)]], start)
        assert (fused.scene.axes, fused.scene.image) == (tables[start].axes, tables[start].image)
        np.testing.assert_allclose(fused.scene.positions, [[1, 0, 0.2], [1, 3, 0.2]], atol=1e-12)
        np.testing.assert_allclose(fused.scene.headings, [0.1, 0.1 + math.pi / 2])
        assert (fused.turns, fused.scene.source) == ((0.0, math.pi / 2), "predicted")
    assert joined([ViewTable(tables[0])], placed[:1], [[(0, 0)]]).scene.image == "0.jpg"
    assert joined([ViewTable(tables[0])], placed[:1], [[(0, 0)]]).scene.source == "gt"
