"""Relations against objects worked out by hand, symmetries, and shapely."""

import itertools
import math
import pickle
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from shapely import affinity
from shapely.geometry import MultiPoint, Polygon

from po3d.io.errors import InputError
from po3d.language.programs.street import ALIGNMENTS
from po3d.reasoning import body_relations, relations
from po3d.reasoning.relations import NO_FACING
from po3d.reasoning.rules import ROOM_RULES, SCOPE_RULES, STREET_RULES, THREEDSRBENCH_RULES, Rules
from po3d.scene.geometry import footprint
from po3d.scene.rectangles import rectangle
from po3d.scene.street import AXES, extent
from po3d.scene.vocabulary import DIRECTIONS, FACINGS, SHAPES, SIZES

STREET = np.array([AXES[d] for d in DIRECTIONS])
RIGHT, BEHIND = np.array(AXES["right"]), np.array(AXES["behind"])


def pairs(positions, headings, extents=None, rules=STREET_RULES, axes=STREET, mask=None, xp=np):
    """The pairs of things on the last axis (..., n), whose relations have [i, j] on the first
    axes.
    """
    last = lambda a, k: a if a is None else xp.moveaxis(a, tuple(range(-k, 0)), tuple(range(k)))  # noqa: E731
    x, y = positions[..., 0], positions[..., 1]
    things = [last(a, 1) for a in (x, y, headings)]
    return relations.Pairs(*things, axes, last(extents, 2), rules, last(mask, 1), xp)


def collide(positions, headings, extents, travel, rules, mask=None):
    """(..., n, n)"""
    truth = pairs(positions, headings, extents, rules, mask=mask).truth(f"collides_{travel}")
    return np.moveaxis(truth, (0, 1), (-2, -1))


def related(positions, headings, direction, frame, rules=STREET_RULES):
    """(..., n, n)"""
    result = pairs(np.asarray(positions, float), np.asarray(headings, float), None, rules)
    return np.moveaxis(result.truth(direction, frame), (0, 1), (-2, -1))


def heading_of(pose_degree: float) -> float:
    return math.radians(140 - pose_degree)


def random_layouts(rng, scenes, n, spread=3.0):
    sizes = [extent(rng.choice(SHAPES), rng.choice(SIZES)) for _ in range(scenes * n)]
    positions = rng.uniform(-spread, spread, (scenes, n, 2))
    return (
        positions,
        rng.uniform(-math.pi, math.pi, (scenes, n)),
        np.array(sizes).reshape(scenes, n, 3),
    )


def test_camera_relations_of_objects_placed_by_hand():
    positions = [0 * RIGHT, 0.21 * RIGHT, 0.19 * RIGHT + 1.0 * BEHIND, -2.0 * RIGHT - 0.5 * BEHIND]
    right = related(positions, np.zeros(4), "right", "camera")
    assert right.tolist() == [
        [False, True, False, False],  # 0.19 is within the margin
        [False] * 4,
        [False] * 4,
        [True, True, True, False],
    ]
    assert related(positions, np.zeros(4), "behind", "camera")[0].tolist() == [
        False,
        False,
        True,
        False,
    ]
    assert related(positions, np.zeros(4), "front", "camera")[0].tolist() == [
        False,
        False,
        False,
        True,
    ]


def test_object_relations_follow_the_nose_of_the_reference():
    # A heads along +y: its front is +y, its left -x, its right +x.
    positions = [[0, 0], [1, 1], [-1, -1], [0.1, 3]]
    headings = [math.pi / 2, 0, 1, 2]
    expected = {"front": [1, 3], "behind": [2], "right": [1], "left": [2]}
    for direction, result in expected.items():
        row = related(positions, headings, direction, "object")[0]
        assert np.flatnonzero(row).tolist() == result, direction


@pytest.mark.parametrize("frame", ["camera", "object"])
def test_left_and_right_swap_under_mirroring(frame):
    positions, headings, _ = random_layouts(np.random.default_rng(0), 50, 6)
    # Mirror the ground across the viewer's depth axis.
    mirrored = positions - 2 * (positions @ RIGHT)[..., None] * RIGHT
    nose = np.stack([np.cos(headings), np.sin(headings)], -1)
    nose = nose - 2 * (nose @ RIGHT)[..., None] * RIGHT
    turned = np.arctan2(nose[..., 1], nose[..., 0])
    swap = {"left": "right", "right": "left", "front": "front", "behind": "behind"}
    for direction in DIRECTIONS:
        before = related(positions, headings, direction, frame)
        assert before.any()
        np.testing.assert_array_equal(before, related(mirrored, turned, swap[direction], frame))


@pytest.mark.parametrize(
    ("degree", "label"),
    [
        (0, "back"),
        (29.999, "back"),
        (30, None),
        (30.001, None),
        (60, None),
        (60.001, "right"),
        (120, "right"),
        (120.001, None),
        (150, None),
        (150.001, "front"),
        (210, "front"),
        (210.001, None),
        (240, None),
        (240.001, "left"),
        (300, "left"),
        (300.001, None),
        (330, None),
        (330.001, "back"),
        (359.999, "back"),
    ],
)
def test_facing_windows_at_their_boundaries(degree, label):
    code = relations.facing_labels(np.array([degree], float), STREET_RULES)[0]
    assert code == (NO_FACING if label is None else FACINGS.index(label))


@pytest.mark.parametrize(
    ("degree", "label"), [(0, "back"), (90, "right"), (180, "front"), (270, "left")]
)
def test_facing_agrees_with_where_the_nose_points_in_the_picture(degree, label):
    heading = np.array([heading_of(degree)])
    nose = np.array([math.cos(heading[0]), math.sin(heading[0])])
    axis = {"back": "behind"}.get(label, label)
    assert nose @ AXES[axis] > 0.99
    degrees = relations.pose_degrees(heading, STREET, STREET_RULES)
    assert degrees == pytest.approx([degree], abs=1e-9)
    assert relations.facing_labels(degrees, STREET_RULES)[0] == FACINGS.index(label)


def test_alignment_cuts_and_boundaries():
    degrees = np.array([0.0, 44.9, 45.0, 135.0, 135.1, 180.0, 315.0, 315.1])
    headings = np.radians(140 - degrees)
    result = pairs(np.zeros((8, 2)), headings)
    result.degrees = degrees  # to the bit
    first = {how: result.truth(relation)[0] for how, relation in ALIGNMENTS.items()}
    assert np.flatnonzero(first["same"]).tolist() == [1, 7]  # not with itself
    assert np.flatnonzero(first["opposite"]).tolist() == [4, 5]
    assert np.flatnonzero(first["vertical"]).tolist() == [2, 3, 6]
    np.testing.assert_array_equal(first["parallel"], first["same"] | first["opposite"])


def sweep(position, heading, size, travel, reach=40.0, margin=0.0):
    """The swept region as shapely sees it: the hull of the widened footprint here and at the end of
    the way.
    """
    sense = 1 if travel == "forward" else -1
    size = np.array(size) + np.array([0, 2 * margin, 0])
    start = footprint(position, heading, size)
    way = sense * reach * np.array([math.cos(heading), math.sin(heading)])
    return MultiPoint(np.concatenate([start, start + way])).convex_hull


@pytest.mark.parametrize("travel", ["forward", "backward"])
@pytest.mark.parametrize("rules", [STREET_RULES, Rules(sweep_range=1.5), Rules(sweep_margin=0.3)])
def test_collisions_equal_shapely(travel, rules):
    positions, headings, extents = random_layouts(np.random.default_rng(1), 30, 6)
    hits = collide(positions, headings, extents, travel, rules)
    assert 0.05 < hits.mean() < 0.6
    reach = min(rules.sweep_range, 40.0)
    for s, i, j in itertools.product(range(30), range(6), range(6)):
        path = sweep(
            positions[s, i], headings[s, i], extents[s, i], travel, reach, rules.sweep_margin
        )
        target = Polygon(footprint(positions[s, j], headings[s, j], extents[s, j]))
        assert hits[s, i, j] == (i != j and path.intersects(target)), (s, i, j)


def test_parallel_and_perpendicular_sweeps_of_boxes_worked_out_by_hand():
    # A at the origin heads along +x, 2 long and 1 wide; its path is |y| <= 0.5, x >= -1.
    positions = np.array([[0, 0], [5, 0.9], [5, 1.1], [-5, 0], [3, 1.4]])
    headings = np.array([0, 0, math.pi, 0, math.pi / 2])
    extents = np.array([[2.0, 1.0]] * 5)
    forward = collide(positions, headings, extents, "forward", STREET_RULES)[0]
    assert forward.tolist() == [False, True, False, False, True]
    backward = collide(positions, headings, extents, "backward", STREET_RULES)[0]
    assert backward.tolist() == [False, False, False, True, False]
    # The wide path reaches the third one too; a short way reaches nothing.
    wide = collide(positions, headings, extents, "forward", Rules(sweep_margin=0.2))[0]
    assert wide.tolist() == [False, True, True, False, True]
    short = collide(positions, headings, extents, "forward", Rules(sweep_range=1.0))[0]
    assert not short.any()


def all_relations(positions, headings, extents, axes, xp):
    """Each with its name; [i, j, ...]."""
    result = pairs(positions, headings, extents, axes=axes, xp=xp)
    yield "facing", result.facings
    for direction, frame in itertools.product(DIRECTIONS, ("camera", "object")):
        yield (direction, frame), result.truth(direction, frame)
    for relation in (*relations.ALIGNED, "collides_forward", "collides_backward"):
        yield relation, result.truth(relation)


def test_torch_and_numpy_agree_and_further_dimensions_broadcast():
    arrays = random_layouts(np.random.default_rng(3), 12, 5)
    many = list(all_relations(*arrays, STREET, np))
    tensors = list(all_relations(*map(torch.from_numpy, arrays), torch.from_numpy(STREET), torch))
    for (name, a), (_, b) in zip(many, tensors, strict=True):
        np.testing.assert_array_equal(a, b.numpy(), str(name))
    for s in range(12):
        for (_, a), (_, b) in zip(
            many, all_relations(*(x[s] for x in arrays), STREET, np), strict=True
        ):
            np.testing.assert_array_equal(a[..., s], b)


def test_a_distance_is_the_way_to_the_border():
    """What is moved by as much as it is within a direction, or by as much as a turn is within an
    alignment, is on the border.
    """
    positions, headings, extents = random_layouts(np.random.default_rng(6), 1, 6)
    result = pairs(positions[0], headings[0], extents[0])
    axes = {"camera": lambda i, d: STREET[DIRECTIONS.index(d)]}
    turn = {"front": 0, "left": math.pi / 2, "behind": math.pi, "right": -math.pi / 2}
    axes["object"] = lambda i, d: np.array(
        [f(headings[0, i] + turn[d]) for f in (math.cos, math.sin)]
    )
    for (direction, frame), i in itertools.product(itertools.product(DIRECTIONS, axes), range(6)):
        spare = result.spare(direction, frame)[i]
        for j in set(range(6)) - {i}:
            moved = positions[0].copy()
            moved[j] -= spare[j] * axes[frame](i, direction)
            there = pairs(moved, headings[0], extents[0]).spare(direction, frame)[i, j]
            assert there == pytest.approx(0, abs=1e-6)  # the axes have seven digits


@pytest.mark.parametrize("rules", [STREET_RULES, Rules(sweep_range=2.5, sweep_margin=0.1)])
def test_how_deep_a_footprint_is_in_a_sweep_is_how_far_it_may_shrink(rules):
    """Pulled in by the distance on all sides, the footprint and the strip meet no more; by a little
    less they do.
    """
    positions, headings, extents = random_layouts(np.random.default_rng(7), 25, 5)
    for travel in ("forward", "backward"):
        spare = pairs(positions, headings, extents, rules).spare(f"collides_{travel}")
        deep = [(i, j, s) for i, j, s in np.argwhere(spare > 0) if i != j]
        assert len(deep) > 50
        for i, j, s in deep:
            target = Polygon(footprint(positions[s, j], headings[s, j], extents[s, j]))
            path = sweep(
                positions[s, i],
                headings[s, i],
                extents[s, i],
                travel,
                min(rules.sweep_range, 40.0),
                rules.sweep_margin,
            )
            ways = [np.array([math.cos(h), math.sin(h)]) for h in headings[s, [i, j]]]
            ways = [
                sense * w
                for way in ways
                for w in (way, way @ [[0, 1], [-1, 0]])
                for sense in (1, -1)
            ]
            out = [
                not path.intersects(affinity.translate(target, *(w * (spare[i, j, s] + 1e-6))))
                for w in ways
            ]
            retained = [
                path.intersects(affinity.translate(target, *(w * (spare[i, j, s] - 1e-6))))
                for w in ways
            ]
            assert any(out)
            assert all(retained)


def test_turning_world_and_axes_together_changes_nothing():
    positions, headings, extents = random_layouts(np.random.default_rng(4), 20, 6)
    before = list(all_relations(positions, headings, extents, STREET, np))
    for angle in (0.3, 2.0, -2.9):
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        after = all_relations(
            positions @ turn.T + [0.7, -5], headings + angle, extents, STREET @ turn.T, np
        )
        for (name, a), (_, b) in zip(before, after, strict=True):
            np.testing.assert_array_equal(a, b, str(name))


def test_padding_is_never_hit():
    positions = np.array([[0.0, 0], [2, 0], [4, 0]])
    extents = np.ones((3, 2))
    mask = np.array([True, False, True])
    hits = collide(positions, np.zeros(3), extents, "forward", STREET_RULES, mask)
    assert hits.tolist() == [[False, False, True], [False] * 3, [False] * 3]


@pytest.mark.parametrize("bad", [{"facing_window_deg": 60}, {"aligned_same_deg": 140}])
def test_rules_that_contradict_themselves_are_refused(bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        Rules(**bad)


def test_the_constants_of_the_ground_truth_are_those_that_are_cited():
    cited = {
        "margin_2d": 0.2,
        "margin_6d": 0.2,
        "facing_zero_deg": 140.0,
        "facing_window_deg": 30.0,
        "aligned_same_deg": 45.0,
        "aligned_opposite_deg": 135.0,
        "aligned_needs_label": True,
        "occlusion_min_px": 15,
        "sweep_margin": 0.0,
        "sweep_range": math.inf,
    }
    assert cited.items() <= asdict(STREET_RULES).items()
    ours = {
        "next_to": 0.5,
        "side": 1 / 3,
        "between": 0.6,
        "path": 0.2,
        "step_over": 0.05,
        "head": 1.6,
    }
    for rules in (ROOM_RULES, THREEDSRBENCH_RULES, SCOPE_RULES):
        assert ours.items() <= asdict(rules).items()
        assert rules.cone == (90.0 if rules is THREEDSRBENCH_RULES else 45.0)
        assert pickle.loads(pickle.dumps(rules)) == rules  # they go to other processes
    for window in (0, 45):
        assert Rules(facing_window_deg=window).facing_window_deg == window
    assert Rules(aligned_same_deg=90, aligned_opposite_deg=90).aligned_same_deg == 90


@pytest.mark.parametrize(("frame", "way"), [("camera", tuple(RIGHT)), ("object", (0.0, -1.0))])
def test_each_frame_has_its_own_margin_and_must_exceed_it(frame, way):
    """Objects along +x: right is the street's right, or -y."""
    for step, default in ((0.19, False), (0.21, True)):
        result = related([(0, 0), np.multiply(way, step)], [0, 0], "right", frame)
        assert result[0, 1] == default
    for margin_2d, margin_6d in ((0.5, 0.1), (0.1, 0.5)):
        rules = Rules(margin_2d=margin_2d, margin_6d=margin_6d)
        result = related([(0, 0), np.multiply(way, 0.3)], [0, 0], "right", frame, rules)
        assert result[0, 1] == ((margin_2d if frame == "camera" else margin_6d) == 0.1)


def test_what_is_exactly_the_margin_ahead_is_not_ahead():
    rules = Rules(margin_6d=0.5)
    assert not related([(0, 0), (0.5, 0)], [0, 0], "front", "object", rules)[0, 1]
    assert related([(0, 0), (0.5, 0)], [0, 0], "front", "object", Rules(margin_6d=0.49))[0, 1]


@pytest.mark.parametrize(
    ("place", "hit"),
    [
        ((-2.0, 0.0), True),
        ((-2.01, 0.0), False),
        ((3.0, 1.0), True),
        ((3.0, -1.0), True),
        ((3.0, 1.01), False),
        ((6.0, 0.0), True),
        ((6.01, 0.0), False),
    ],
)
def test_touching_counts_on_every_side_of_the_sweep(place, hit):
    """A box of 2 x 1 that travels 4 ahead: from -1 to 5, half a unit to each side."""
    positions, extents = np.array([(0.0, 0.0), place]), np.array([[2.0, 1.0]] * 2)
    result = collide(positions, np.zeros(2), extents, "forward", Rules(sweep_range=4.0))
    assert result[0, 1] == hit


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.0, -2.5])
@pytest.mark.parametrize(
    ("along", "off", "inside"),
    [
        (2, 0, 0.6),
        (2, 0.5, 0.1),
        (2, -0.5, 0.1),
        (2, 0.7, -0.1),
        (2, -0.7, -0.1),
        (0.3, 0, -0.1),
        (3.7, 0, -0.1),
        (0.5, 0, 0.1),
        (6, 0, -2.4),
    ],
)
def test_what_is_between_two_things_is_near_the_line_and_not_at_its_ends(along, off, inside, turn):
    """Two things 4 m apart, a third so far along the line and beside it: 0.6 m off the line, a
    tenth of it from either end.
    """
    assert ROOM_RULES.between == 0.6
    c, s = math.cos(turn), math.sin(turn)

    def at(x, y):
        return SimpleNamespace(right=1.5 + c * x - s * y, front=-0.5 + s * x + c * y)

    a, b, i = at(0, 0), at(4, 0), at(along, off)
    assert body_relations.between(a, b, i, ROOM_RULES) == pytest.approx(inside)
    assert body_relations.between(b, a, i, ROOM_RULES) == pytest.approx(inside)
    assert body_relations.between(a, a, i, ROOM_RULES) == -math.inf


@pytest.mark.parametrize("turn", [0.0, 0.7, -2.5])
@pytest.mark.parametrize(
    ("beside", "low", "by"),
    [
        (0.2, 1.0, 0.3),
        (0.45, 1.0, 0.05),
        (0.6, 1.0, -0.1),
        (0.0, 0.5, 0.1),
        (0.0, 0.35, -0.05),
        (0.0, 2.0, 0.5),
    ],
)
def test_what_is_over_another_is_above_its_middle_and_its_ground(beside, low, by, turn):
    """A small thing so far from the middle of a table of 1 m x 2 m x 0.8 m, its underside at a
    height.
    """
    rules = replace(ROOM_RULES, above_slack=0.0)
    c, s = math.cos(turn), math.sin(turn)
    table = SimpleNamespace(box=rectangle((1.0, 2.0, c, s, 0.5, 1.0)), low=0.0, z=0.4)
    small = SimpleNamespace(
        box=rectangle((1.0 + c * beside, 2.0 + s * beside, 1.0, 0.0, 0.05, 0.05)),
        low=low,
        z=low + 0.1,
    )
    assert body_relations.over(small, table, rules) == pytest.approx(by)
    limited_by_height = beside == 0 and low < 1
    slack = replace(rules, above_slack=0.02)
    assert body_relations.over(small, table, slack) == pytest.approx(by + 0.02 * limited_by_height)


@pytest.mark.parametrize(("aside", "above"), [(0.0, True), (0.14, True), (0.16, False)])
def test_a_picture_hangs_above_the_sofa_that_stands_before_its_wall(aside, above):
    sofa = SimpleNamespace(box=rectangle((0.0, 0.0, 1.0, 0.0, 0.4, 1.0)), low=0.0, z=0.4)
    box = rectangle((0.4 + aside, 0.2, 1.0, 0.0, 0.01, 0.3))
    picture = SimpleNamespace(box=box, low=1.2, z=1.5)
    relation = body_relations.BODIES["above"]
    assert (relation.spare((sofa,), picture, ROOM_RULES, body_relations.Floats) > 0) is above
    assert relation.reach(ROOM_RULES) == ROOM_RULES.above_aside
