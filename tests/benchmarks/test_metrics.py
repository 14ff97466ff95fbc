import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from generators import random_scene
from hypothesis import given
from hypothesis import strategies as st

from po3d.benchmarks import metrics
from po3d.benchmarks.metrics import (
    CLASS_COST,
    MAX_DISTANCE,
    bootstrap,
    coefficient_of_variation,
    confusion,
    distribution,
    interval,
    match,
    perception,
    rpdr,
)
from po3d.benchmarks.pulsecheck457 import score as pulsecheck457
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.street import camera
from po3d.scene.table import ObjectState, Scene, sure


def test_bootstrap_means_are_plain_means_and_the_interval_holds_them():
    generator = np.random.default_rng(0)
    values = generator.random(400) < 0.7
    clusters = [k // 5 for k in range(400)]
    groups = ["a" if k % 2 else "b" for k in range(400)]
    boot = bootstrap(values, clusters, groups, ["a", "b"])
    assert boot.value == pytest.approx([values[1::2].mean(), values[::2].mean()])
    low, high = interval(boot.samples[:, 0])
    assert low < boot.value[0] < high
    # A binomial share of 200 items: its interval is about 2 x 1.96 x sqrt(p (1 - p) / 200) wide.
    assert high - low == pytest.approx(2 * 1.96 * math.sqrt(0.7 * 0.3 / 200), rel=0.25)


def test_clusters_that_agree_within_themselves_widen_the_interval():
    right = np.repeat(np.random.default_rng(1).random(40) < 0.5, 10)
    together = bootstrap(right, np.arange(400) // 10, ["a"] * 400, ["a"])
    apart = bootstrap(right, np.arange(400), ["a"] * 400, ["a"])

    def width(boot):
        return np.subtract(*interval(boot.samples[:, 0])[::-1])

    assert width(together) > 2.5 * width(apart)


def test_bootstrap_is_seeded_and_empty_groups_are_nan():
    one = bootstrap([1, 0, 1], ["x", "y", "y"], ["a"] * 3, ["a", "b"])
    two = bootstrap([1, 0, 1], ["x", "y", "y"], ["a"] * 3, ["a", "b"])
    np.testing.assert_array_equal(one.samples, two.samples)
    assert math.isnan(one.value[1])
    assert all(map(math.isnan, interval(one.samples[:, 1])))


def test_rpdr_capped_is_the_paper_table_in_every_cell_and_plain_is_not():
    """Table 3 has four of Table 2's models, under other names."""
    accuracies = {row["model"]: row for row in pulsecheck457.published_rows()}
    names = {
        "GPT-4o": "GPT-4o",
        "GeminiPro1.5": "GeminiPro 1.5",
        "Claude3.5V S": "Claude 3.5 Sonnet",
        "Qwen2-VL-7B": "Qwen2-VL-7B-Inst.",
    }
    table = {row.pop("model"): row for row in pulsecheck457.published("rpdr")}
    assert table.keys() == names.keys()
    for model, expected in table.items():
        assert rpdr(accuracies[names[model]], capped=True) == pytest.approx(expected, abs=0.02)
    assert rpdr(accuracies["Claude 3.5 Sonnet"])["orientation_3d"] == pytest.approx(
        92.73, abs=0.005
    )
    assert rpdr(accuracies["Qwen2-VL-7B-Inst."])["orientation_3d"] == pytest.approx(
        96.61, abs=0.005
    )


@given(st.lists(st.floats(1, 100), min_size=7, max_size=7))
def test_rpdr_differs_between_the_rules_only_where_a_ratio_is_above_100(values):
    accuracy = dict(zip(pulsecheck457.CATEGORIES, values))
    plain, capped = rpdr(accuracy), rpdr(accuracy, capped=True)
    assert all(capped[name] <= min(plain[name], 100) + 1e-9 for name in plain)
    falling = dict(zip(pulsecheck457.CATEGORIES, sorted(values, reverse=True)))
    assert rpdr(falling) == pytest.approx(rpdr(falling, capped=True))


def test_rpdr_is_nan_where_a_column_lacks():
    assert math.isnan(rpdr({"L1-Single": 90.0})["multi_object"])


def test_cv_of_uniform_answers_is_zero_and_of_one_answer_is_known():
    assert coefficient_of_variation({"a": 5, "b": 5}) == 0
    assert coefficient_of_variation({"a": 8, "b": 0, "c": 0, "d": 0}) == pytest.approx(math.sqrt(3))
    assert math.isnan(coefficient_of_variation({"a": 0}))


def test_confusion_keeps_what_is_no_value_in_the_last_column():
    table = confusion(["red", "red", "blue"], ["red", None, "green"], ("red", "blue"))
    assert table.tolist() == [[1, 0, 1], [0, 0, 1]]
    assert distribution(["red", None, "red", "x"], ("red", "blue")) == {"red": 2, "blue": 0}


def scenes(n=6):
    return [
        replace(random_scene(rng(0, "metrics", i), 4 + i % 4), camera=camera()) for i in range(n)
    ]


def test_the_truth_is_perceived_perfectly():
    gt = scenes()
    figures = perception(gt, gt, [[0.0] * len(s) for s in gt])
    everything = figures["all"]
    assert everything["n"] == sum(map(len, gt))
    for name in (
        "recall",
        "precision",
        "count_exact",
        "yaw_within_pi/36",
        "shape",
        "color",
        "size",
        "material",
    ):
        assert everything[name] == 1
    for name in ("yaw_median_deg", "flip_rate", "position_median", "depth_relative_median"):
        assert everything[name] == pytest.approx(0, abs=1e-9)
    assert figures["hidden 0-20%"]["n"] == everything["n"]
    assert figures["hidden 20-50%"]["n"] == 0
    assert (
        sum(figures[k]["n"] for k in ("near (< 10)", "middle (10-12)", "far (> 12)"))
        == everything["n"]
    )


def test_turned_moved_and_missing_objects_are_distinguished():
    gt = scenes(1)
    objects = list(gt[0].objects)
    objects[0] = replace(objects[0], heading=objects[0].heading + math.pi)
    objects[1] = replace(objects[1], beliefs={**objects[1].beliefs, **sure(color="gray")})
    predicted = [replace(gt[0], objects=tuple(objects[:-1]), occluders=None)]
    result = perception(predicted, gt)["all"]
    n = len(gt[0])
    assert result["recall"] == pytest.approx((n - 1) / n)
    assert result["precision"] == 1
    assert result["count_exact"] == 0
    assert result["flip_rate"] == pytest.approx(1 / (n - 1))
    wrong = gt[0].objects[1].value("color") != "gray"
    assert result["color"] == pytest.approx(1 - wrong / (n - 1))


def row(xs, names):
    objects = [
        ObjectState(sure(name=n) if n else {}, (x, 0.0, 0.0), 0.0, (1.0, 1.0, 1.0))
        for x, n in zip(xs, names)
    ]
    return Scene(tuple(objects), scenes(1)[0].axes, "gt")


def test_a_row_beyond_the_gate_keeps_no_other_from_its_match():
    assert match(row([0.5, -20], ["", ""]), row([0, 10], ["", ""])) == {0: 0}


tables = st.lists(st.tuples(st.integers(-8, 8), st.sampled_from(["cup", "box"])), max_size=4)


@given(tables, tables)
def test_matches_are_as_many_as_the_gate_allows_and_then_the_cheapest(here, there):
    """Against every assignment there is."""
    p, g = (row([x / 10 for x, _ in side], [n for _, n in side]) for side in (here, there))

    def cost(pairs):
        apart = [abs(here[i][0] - there[j][0]) / 10 for i, j in pairs]
        if any(d > MAX_DISTANCE["name"] for d in apart):
            return None
        return -len(pairs), sum(apart) + CLASS_COST * sum(
            here[i][1] != there[j][1] for i, j in pairs
        )

    result = match(p, g)
    assert len(set(result.values())) == len(result)
    every = (
        cost(list(zip(rows, columns)))
        for k in range(min(len(here), len(there)) + 1)
        for rows in itertools.combinations(range(len(here)), k)
        for columns in itertools.permutations(range(len(there)), k)
    )
    assert cost(list(result.items())) == pytest.approx(min(c for c in every if c is not None))


def test_one_cluster_says_nothing_of_how_clusters_differ():
    boot = bootstrap([1, 0, 1, 1], ["a", "a", "a", "b"], ["x", "x", "y", "y"], ["x", "y"])
    assert boot.value.tolist() == [0.5, 1.0]
    assert np.isnan(interval(boot.samples[:, 0])).all()  # all of "x" is in one cluster
    assert interval(boot.samples[:, 1]) == (1.0, 1.0)


def test_far_rows_are_no_match_and_empty_tables_match_nothing():
    gt = scenes(1)[0]
    far = [
        replace(o, position=(o.position[0] + 50, o.position[1], o.position[2])) for o in gt.objects
    ]
    assert match(replace(gt, objects=tuple(far)), gt) == {}
    assert match(Scene((), gt.axes, "predicted"), gt) == {}
    with pytest.raises(InputError, match="1 predicted scenes but 0 true ones"):
        perception([gt], [])


def test_resamplings_are_the_same_however_many_are_sampled_at_once(monkeypatch):
    random = np.random.default_rng(0)
    values, groups = random.integers(0, 2, 90), random.integers(0, 3, 90).tolist()
    supplied = (values, random.integers(0, 20, 90).tolist(), groups, range(3), 50)
    whole = metrics.bootstrap(*supplied)
    monkeypatch.setattr(metrics, "RESAMPLES_AT_ONCE", 70)  # three at a time, and two
    parts = metrics.bootstrap(*supplied)
    np.testing.assert_array_equal(parts.samples, whole.samples)
    assert whole.samples.shape == (50, 3)
