"""Several sights of one thing made one, against Bayes' rule written out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.scene.fusion import ViewTable, joined
from po3d.scene.geometry import wrap_angle
from po3d.scene.registration import EPSILON, FLOOR, TURN_FLOOR, RegisteredView, rotation
from po3d.scene.table import ObjectState, Scene
from tools.scope_views import position_error

AXES = {"left": (0.0, 1.0), "right": (0.0, -1.0), "front": (-1.0, 0.0), "behind": (1.0, 0.0)}
HERE = RegisteredView(0.0, (0.0, 0.0), {}, 0.0)


def sight(
    x=0.0, y=0.0, z=0.3, heading=0.0, spread=((0.04, 0.01), (0.01, 0.09)), turn=0.04, **more
) -> ObjectState:
    covariance = np.zeros((3, 3))
    covariance[:2, :2], covariance[2, 2] = spread, turn
    state = {"beliefs": {"name": {"cup": 1.0}}, "extent": (0.4, 0.3, 0.5)} | more
    return ObjectState(
        state.pop("beliefs"),
        (x, y, z),
        heading,
        state.pop("extent"),
        tuple(map(tuple, covariance.tolist())),
        **state,
    )


def one(*sights: ObjectState, placed=None) -> ObjectState:
    views = [ViewTable(Scene((s,), AXES, "predicted")) for s in sights]
    placed = placed or [HERE] * len(sights)
    return joined(views, placed, [[(k, 0) for k in range(len(sights))]]).scene.objects[0]


def test_places_sizes_and_heights_are_weighted_by_their_information():
    near = sight(
        0.0, 0.0, 0.2, spread=((0.01, 0.0), (0.0, 0.25)), extent=(0.4, 0.3, 0.5), existence=0.5
    )
    far = sight(
        0.3, 0.5, 0.8, spread=((0.16, 0.06), (0.06, 0.04)), extent=(0.8, 0.6, 0.25), existence=0.8
    )
    both = [np.array(s.covariance)[:2, :2] + FLOOR**2 * np.eye(2) for s in (near, far)]
    a, b = map(np.linalg.inv, both)
    result = one(near, far)
    np.testing.assert_allclose(result.position[:2], np.linalg.solve(a + b, b @ [0.3, 0.5]))
    np.testing.assert_allclose(np.array(result.covariance)[:2, :2], np.linalg.inv(a + b))
    share = np.trace(b) / (np.trace(a) + np.trace(b))
    assert result.position[2] == pytest.approx(0.2 + share * 0.6)
    np.testing.assert_allclose(result.extent, [0.4 * 2**share, 0.3 * 2**share, 0.5 * 0.5**share])
    assert result.existence == pytest.approx(1 - 0.5 * 0.2)
    assert result.box is None


def test_three_sights_are_as_sure_as_three_and_an_only_one_as_sure_as_it_was():
    single = sight(1.0, 2.0)
    assert one(single) == single
    result = one(single, single, single)
    np.testing.assert_allclose(result.position, single.position)
    np.testing.assert_allclose(
        np.array(result.covariance)[:2, :2],
        (np.array(single.covariance)[:2, :2] + FLOOR**2 * np.eye(2)) / 3,
    )
    assert result.covariance[2][2] == pytest.approx((0.04 + TURN_FLOOR**2) / 3)


def test_true_sights_stay_certain_and_one_unsure_sight_makes_the_mean_unsure():
    true = sight(spread=np.zeros((2, 2)), turn=0.0)
    assert not np.any(one(true, true).covariance)
    assert np.all(np.linalg.eigvalsh(np.array(one(true, sight()).covariance)) > 0)


def test_only_true_views_make_a_true_table():
    def source(*letters: str) -> str:
        # joined here, as a text read from a file is another object than a constant
        views = [ViewTable(Scene((sight(),), AXES, "".join(word))) for word in letters]
        groups = [[(k, 0) for k in range(len(views))]]
        return joined(views, [HERE] * len(views), groups).scene.source

    assert source("gt") == source("gt", "gt") == "gt"
    assert source("gt", "predicted") == source("predicted", "gt") == "predicted"


def test_a_sight_is_turned_and_shifted_into_the_world_with_its_covariance():
    placed = RegisteredView(0.7, (1.0, -2.0), {}, 0.0)
    result = one(sight(0.5, 0.2, heading=3.0), placed=[placed])
    turn = rotation(0.7)
    np.testing.assert_allclose(result.position, [*(turn @ [0.5, 0.2] + [1, -2]), 0.3])
    np.testing.assert_allclose(
        np.array(result.covariance)[:2, :2], turn @ np.array([[0.04, 0.01], [0.01, 0.09]]) @ turn.T
    )
    assert result.covariance[2][2] == pytest.approx(0.04)
    assert result.heading == pytest.approx(float(wrap_angle(3.7)))


def test_the_first_name_that_there_is_is_retained():
    assert one(sight(), sight(name="the blue one"), sight(name="mine")).name == "the blue one"
    assert one(sight(), sight()).name == ""


@given(
    st.floats(-3, 3),
    st.lists(st.tuples(st.booleans(), st.floats(0.002, 0.998)), min_size=2, max_size=4),
)
def test_flips_are_weighed_by_bayes_rule(heading, sights):
    """Each sight has the heading or its opposite, and says how probably it is flipped."""
    forward = math.prod(p if turned else 1 - p for turned, p in sights)
    backward = math.prod(1 - p if turned else p for turned, p in sights)
    wrong = min(forward, backward) / (forward + backward)
    result = one(
        *(sight(heading=float(wrap_angle(heading + math.pi * t)), flip=p) for t, p in sights)
    )
    assert result.flip == pytest.approx(wrong, abs=1e-9)
    off = abs(float(wrap_angle(result.heading - heading)))
    if wrong < 0.499:
        assert off == pytest.approx(0.0 if forward > backward else math.pi, abs=1e-6)


def test_sights_that_know_of_no_flip_decide_by_majority():
    ahead, back = sight(heading=0.2), sight(heading=float(wrap_angle(0.2 + math.pi)))
    assert one(ahead, ahead).flip == 0.0
    retained = one(back, ahead, ahead)
    assert (retained.flip, retained.heading) == (0.0, pytest.approx(0.2))
    assert one(ahead, back).flip == 0.5  # nobody knows
    assert one(ahead, sight(heading=0.2, flip=0.1)).flip == pytest.approx(
        EPSILON * 0.1 / (EPSILON * 0.1 + (1 - EPSILON) * 0.9)
    )


def test_headings_are_weighted_on_the_circle():
    sure, vague = (sight(heading=h, turn=t - TURN_FLOOR**2) for h, t in ((3.1, 0.01), (-3.0, 0.04)))
    mean = 4 * np.exp(1j * 3.1) + np.exp(-1j * 3.0)
    assert one(sure, vague).heading == pytest.approx(float(np.angle(mean)))
    assert one(sure, vague).covariance[2][2] == pytest.approx(1 / (100 + 25))


@pytest.mark.parametrize(
    "sureness", [{"turn": 0.01, "flip": 0.2}, {"turn": 0.05, "flip": 0.1}], ids=["variance", "flip"]
)
def test_sights_are_turned_to_the_side_of_the_surest(sureness):
    """60 degrees off is the same side, 120 the other: their mean is the surest one's heading."""
    vague = {"turn": 0.05 if sureness["turn"] == 0.01 else 0.02, "flip": 0.2}
    result = one(
        sight(heading=math.radians(60), **vague),
        sight(heading=0.0, **sureness),
        sight(heading=math.radians(120), **vague),
    )
    assert result.heading == pytest.approx(0.0, abs=1e-9)


beliefs = st.dictionaries(st.sampled_from(["red", "blue", "gray"]), st.floats(0.05, 1), min_size=1)


@given(st.lists(beliefs, min_size=2, max_size=3))
def test_beliefs_of_independent_sights_multiply(told):
    result = one(
        *(sight(beliefs={"color": belief}) for belief in told),
        sight(beliefs={"name": {"cup": 1.0}}),
    ).beliefs
    values = {v for belief in told for v in belief}
    product = {v: math.prod(max(belief.get(v, 0.0), EPSILON) for belief in told) for v in values}
    if len(values) == 1:
        product = dict.fromkeys(values, 1.0)
    assert result["color"] == pytest.approx(
        {v: p / sum(product.values()) for v, p in product.items()}
    )
    assert result["name"] == {"cup": 1.0}


def test_what_is_certain_small_or_askew_is_weighed_as_it_is():
    wrong = one(
        sight(heading=0.2, flip=1.0), sight(heading=0.2, flip=0.1)
    )  # certainly flipped, to EPSILON
    assert wrong.heading == pytest.approx(0.2 - math.pi)
    back = sight(heading=float(wrap_angle(0.2 + math.pi)))
    assert one(sight(heading=0.2), back).heading == pytest.approx(
        0.2
    )  # as likely as not: the first says
    assert one(sight(heading=0.0), sight(heading=math.radians(70))).heading == pytest.approx(
        math.radians(35)
    )
    tiny = sight(extent=(0.005, 0.005, 0.002))
    np.testing.assert_allclose(one(tiny, tiny).extent, tiny.extent)


def test_two_places_err_by_their_distance_and_one_by_nothing():
    def table(*xs):
        return Scene(tuple(sight(x) for x in xs), AXES, "predicted")

    np.testing.assert_allclose(
        position_error(table(0.0, 1.0), table(5.0, 6.5), {0: 0, 1: 1}), [0.25, 0.25]
    )
    assert position_error(table(0.0), table(3.0), {0: 0}).tolist() == [0.0]
    assert position_error(table(), table(3.0), {}).tolist() == []
