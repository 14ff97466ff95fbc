"""Decoding of network outputs, against formulas in NumPy, on a network with given outputs."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.seeding import rng
from po3d.perception.detection import (
    BLOCK,
    CALIBRATION,
    DUPLICATE_OVERLAP,
    RUBBER,
    SURE,
    THRESHOLD,
    _first_of_overlapping,
    described,
    detect,
    detected,
    joined,
    likely,
    network_input,
    pays_bf16,
    resize,
)
from po3d.perception.network import HEADING_BINS, MIN_LOG_SCALE, BoxOutput, Dense
from po3d.scene.geometry import wrap_angle

SIZES = {"shape": 5, "material": 2}
FITTED = {"temperature": 1.7, "sigma": 1.3, "slope": 1.4, "offset": -0.6}
NONE = {"temperature": 1, "sigma": 1, "slope": 1, "offset": 0}


def outputs(boxes, index):
    """Return the outputs of the stub for boxes (K, 4) of images (K,): a fixed function of both."""
    features = np.column_stack([boxes / 50, index, np.ones(len(boxes))])

    def values(name: str, *shape: int, scale: float = 1.0, shift: float = 0.0) -> np.ndarray:
        weights = rng(5, f"stub/{name}").normal(0, 1, (features.shape[1], *shape))
        return shift + scale * np.sin(7 * np.tensordot(features, weights, 1))

    return {
        "attributes": {name: values(name, n, scale=2) for name, n in SIZES.items()},
        "heading": values("heading", HEADING_BINS, scale=3),
        "residual": values("residual", HEADING_BINS, scale=0.3),
        "residual_scale": values("residual scale", scale=3, shift=-2),
        "points": values("points", 9, 2),
        "point_scale": values("point scale", 9, scale=6, shift=MIN_LOG_SCALE + 3),
        "embedding": values("embedding", 3),
        "extent": values("extent", 3, scale=7),
        "depth": values("depth", 2, scale=6, shift=MIN_LOG_SCALE + 3),
    }


class Stub:
    """A network with given heat (B, layers h, w) and log distances (B, 4, layers h, w)."""

    width, height = 64, 48

    def __init__(self, heat=None, sides=None, layers=1):
        self.heat, self.sides, self.layers, self.calls = heat, sides, layers, []

    def __call__(self, images):
        heat = torch.zeros(len(images), 2, 2) if self.heat is None else self.heat
        sides = torch.zeros(len(heat), 4, *heat.shape[1:]) if self.sides is None else self.sides
        empty = images.new_zeros(0)
        return Dense(heat, sides, empty, empty, 8, empty, self.layers)

    def describe(self, dense, boxes, index):
        self.calls.append(len(boxes))
        result = outputs(boxes.double().numpy(), index.double().numpy())
        floats = {
            k: torch.from_numpy(v).float().reshape(len(boxes), *v.shape[1:])
            for k, v in result.items()
            if k != "attributes"
        }
        words = {k: torch.from_numpy(v).float() for k, v in result["attributes"].items()}
        return BoxOutput(words, **floats)

    def occluder_logits(self, embedding, boxes, present):
        pairs = embedding[:, :, None, 0] - 2 * embedding[:, None, :, 1]
        pairs = pairs.masked_fill(~present[:, None], -1e4)
        return torch.cat([pairs, embedding[..., 2:]], -1)

    def hold(self, dense, log_focal):
        value = log_focal[:, None] + torch.tensor([0.1, 0.2, 0.3])
        return value, torch.tensor([MIN_LOG_SCALE - 1, 0.5, 4.0]).expand(len(value), -1)


def random_boxes(seed: int, images: int, count: int) -> torch.Tensor:
    r = rng(seed, "boxes")
    corner = r.uniform(0, 60, (images, count, 2))
    return torch.from_numpy(
        np.concatenate([corner, corner + r.uniform(2, 40, (images, count, 2))], -1)
    ).float()


def softmax(logits):
    p = np.exp(logits - logits.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


def images(count: int) -> torch.Tensor:
    return torch.zeros(count, 3, Stub.height, Stub.width)


@pytest.mark.parametrize("used", [CALIBRATION, FITTED], ids=["default", "fitted"])
def test_outputs_are_decoded_by_their_formulas(used):
    """Two images of 30 boxes, some absent, in pixels of an image of twice the network's width."""
    boxes = random_boxes(1, 2, 30)
    present = torch.from_numpy(rng(2, "present").random((2, 30)) < 0.8)
    result = described(Stub(), images(2), boxes, present, 2 * Stub.width, used)
    calibration = NONE if used is CALIBRATION else used
    own = (boxes / 2).numpy().astype(float)
    for b in range(2):
        rows = present[b].numpy()
        raw = outputs(own[b][rows], np.full(rows.sum(), float(b)))
        side, centre = own[b, rows, 2:] - own[b, rows, :2], own[b, rows].reshape(-1, 2, 2).mean(1)
        side, centre = 2 * side, 2 * centre
        close = lambda name, want, rows=rows, b=b: np.testing.assert_allclose(  # noqa: E731
            getattr(result, name)[b][rows], want, rtol=2e-4, atol=2e-5, err_msg=name
        )
        odds = calibration["slope"] * math.log((1 - 1e-6) / 1e-6) + calibration["offset"]
        close("score", 1 / (1 + math.exp(-odds)))
        assert result.score[b][~rows].eq(0).all()
        close("box", boxes[b][rows].numpy())
        for name, logits in raw["attributes"].items():
            want = softmax(logits / calibration["temperature"])
            np.testing.assert_allclose(result.probabilities[name][b][rows], want, rtol=2e-4)
        best = raw["heading"].argmax(-1)
        angle = (best + 0.5) * 2 * math.pi / HEADING_BINS
        angle += np.take_along_axis(raw["residual"], best[:, None], 1)[:, 0]
        close("alpha", wrap_angle(angle))
        deviation = math.sqrt(2) * np.exp(raw["residual_scale"])
        assert deviation.min() < 0.02
        assert deviation.max() > 1
        close("alpha_sigma", np.clip(deviation, 0.02, 1))
        bins = np.arange(HEADING_BINS)
        steps = np.abs(bins[None] - best[:, None])
        away = np.minimum(steps, HEADING_BINS - steps) > HEADING_BINS // 4
        close("flip", (softmax(raw["heading"]) * away).sum(-1))
        close("points", centre[:, None] + raw["points"] * side[:, None])
        sigma = np.exp(np.clip(raw["point_scale"], MIN_LOG_SCALE, 1)) * side.mean(-1)[:, None]
        sigma *= math.sqrt(3) * calibration["sigma"]
        assert sigma.min() < 0.3
        close("sigma", np.maximum(sigma, 0.3))
        close("extent", np.exp(np.clip(raw["extent"], -5, 3)))
        spread = math.sqrt(2) * np.exp(np.clip(raw["depth"][:, 1], MIN_LOG_SCALE, 1))
        close("depth", np.column_stack([raw["depth"][:, 0], spread]))
        pairs = raw["embedding"][:, None, 0] - 2 * raw["embedding"][None, :, 1]
        want = softmax(np.column_stack([pairs, raw["embedding"][:, 2:]]))
        columns = [*np.flatnonzero(rows), -1]
        np.testing.assert_allclose(result.occluder[b][rows][:, columns], want, rtol=2e-3, atol=1e-6)
    assert result.hold is None
    assert result.present.equal(present)
    assert result.box.is_inference()


def test_a_box_does_not_depend_on_the_boxes_beside_it():
    """Boxes are processed in blocks of one size, whose results are those of all at once."""
    boxes, net = random_boxes(3, 3, BLOCK - 5), Stub()
    present = torch.from_numpy(rng(4, "present").random(boxes.shape[:2]) < 0.7)
    present[2] = False
    whole = described(net, images(3), boxes, present, Stub.width, CALIBRATION)
    assert set(net.calls) == {BLOCK}
    assert len(net.calls) == -(-int(present.sum()) // BLOCK)
    none = Stub()
    alone = described(none, images(1), boxes[2:], present[2:], Stub.width, CALIBRATION)
    assert none.calls == [BLOCK]
    assert not alone.present.any()
    for b in range(2):
        # the stub's outputs depend on an image's number, which is 0 alone
        if b == 0:
            own = described(Stub(), images(1), boxes[:1], present[:1], Stub.width, CALIBRATION)
            for a, c in zip(own.leaves(), whole.leaves()):
                assert torch.equal(a[0], c[0])


def heat_of(peaks, shape=(1, 6, 8)):
    heat = torch.full(shape, -9.0)
    for (row, column), p in peaks.items():
        heat[0, row, column] = math.log(p / (1 - p))
    return heat


def test_detections_are_the_strongest_peaks_above_the_threshold_in_order():
    strong = {(1, 1): 0.6, (1, 5): 0.9, (4, 2): 0.3, (4, 6): 0.14}
    net = Stub(heat_of(strong), torch.full((1, 4, 6, 8), math.log(4.0)))
    result = detect(net, images(1), 2 * Stub.width, 7, CALIBRATION)
    np.testing.assert_allclose(result.score, [[0.9, 0.6, 0.3]], rtol=1e-5)
    want = [[2 * (8 * c + 4 - 4), 2 * (8 * r + 4 - 4)] for r, c in ((1, 5), (1, 1), (4, 2))]
    np.testing.assert_allclose(result.box[0, :, :2], want, rtol=1e-5)
    np.testing.assert_allclose(result.box[0, :, 2:], np.array(want) + 16, rtol=1e-5)
    assert result.occluder.shape == (1, 3, 4)
    np.testing.assert_allclose(result.occluder.sum(-1), 1, rtol=1e-5)
    few = detect(net, images(1), Stub.width, 2, CALIBRATION)
    np.testing.assert_allclose(few.score, [[0.9, 0.6]], rtol=1e-5)
    low = detect(net, images(1), Stub.width, 7, CALIBRATION, threshold=0.1)
    np.testing.assert_allclose(low.score, [[0.9, 0.6, 0.3, 0.14]], rtol=1e-5)
    fitted = detect(net, images(1), Stub.width, 7, FITTED)
    odds = FITTED["slope"] * np.log(result.score / (1 - result.score)) + FITTED["offset"]
    np.testing.assert_allclose(fitted.score, 1 / (1 + np.exp(-odds)), rtol=1e-4)
    assert THRESHOLD == 0.15


def test_one_place_in_two_layers_is_two_detections():
    heat = heat_of({(1, 1): 0.6, (7, 1): 0.8}, (1, 12, 8))
    sides = torch.full((1, 4, 12, 8), math.log(4.0))
    result = detect(Stub(heat, sides, layers=2), images(1), Stub.width, 5, CALIBRATION)
    np.testing.assert_allclose(result.score, [[0.8, 0.6]], rtol=1e-5)
    np.testing.assert_array_equal(result.box[0, 0], result.box[0, 1])


@pytest.mark.parametrize("packed", [True, False])
def test_packed_or_not_the_detections_are_the_same(packed):
    net = Stub(heat_of({(1, 1): 0.6, (4, 5): 0.9}), torch.full((1, 4, 6, 8), 1.5))
    usual = detect(net, images(1), Stub.width, 5, CALIBRATION)
    other = detect(net, images(1), Stub.width, 5, CALIBRATION, packed=packed)
    for a, b in zip(usual.leaves(), other.leaves()):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert net.calls[0] == BLOCK
    assert net.calls[1] == (BLOCK if packed else 5)


def test_the_camera_pose_has_deviations_of_its_laplace_scales():
    net = Stub(heat_of({(1, 1): 0.6}))
    result = detect(net, images(1), 64, 3, CALIBRATION, log_focal=torch.tensor([0.5]))
    np.testing.assert_allclose(result.hold[0, :, 0], [0.6, 0.7, 0.8], rtol=1e-6)
    scales = np.exp([MIN_LOG_SCALE, 0.5, 1.0])
    np.testing.assert_allclose(result.hold[0, :, 1], math.sqrt(2) * scales, rtol=1e-6)


def test_the_material_shift_is_added_to_the_log_odds_of_rubber_of_each_image():
    boxes, present = random_boxes(6, 2, 4), torch.ones(2, 4, dtype=torch.bool)
    shift = SimpleNamespace(log_odds=lambda dense, count: torch.tensor([0.7, -1.1])[:count])
    before, after = (
        described(Stub(), images(2), boxes, present, 64, CALIBRATION, material_shift=s)
        for s in (None, shift)
    )
    logs = [d.probabilities["material"].log() for d in (before, after)]
    moved = (logs[1] - logs[1].flip(-1)) - (logs[0] - logs[0].flip(-1))
    np.testing.assert_allclose(moved[..., RUBBER], [[0.7] * 4, [-1.1] * 4], atol=1e-5)
    assert before.probabilities["shape"].equal(after.probabilities["shape"])


@given(st.integers(0, 10_000), st.integers(1, 7), st.booleans())
def test_duplicates_are_those_of_a_loop_over_pairs(seed, count, layered):
    r = rng(seed, "duplicates")
    boxes = random_boxes(seed, 1, 1).repeat(1, count, 1)
    boxes += torch.from_numpy(r.uniform(0, 4, (1, count, 4))).float()
    scores = torch.from_numpy(r.choice([0.05, 0.2, 0.5, 0.9], (1, count))).float()
    layer = torch.from_numpy(r.integers(0, 2, (1, count))) if layered else None
    retained = _first_of_overlapping(boxes, scores, 0.15, layer)[0].tolist()
    for i, (x0, y0, x1, y1) in enumerate(boxes[0].tolist()):
        duplicate = False
        for j, (u0, v0, u1, v1) in enumerate(boxes[0].tolist()):
            if layered and layer[0, i] != layer[0, j]:
                continue
            shared = max(min(x1, u1) - max(x0, u0), 0) * max(min(y1, v1) - max(y0, v0), 0)
            union = (x1 - x0) * (y1 - y0) + (u1 - u0) * (v1 - v0) - shared
            duplicate |= shared / union > DUPLICATE_OVERLAP and scores[0, j] > scores[0, i]
        assert retained[i] == (scores[0, i] > 0.15 and not duplicate)


def test_the_limit_of_overlap_and_the_threshold_are_not_exceeded_by_what_equals_them():
    boxes = torch.tensor([[[0.0, 0, 4, 4], [0, 0, 4, 3], [9, 9, 10, 10], [0, 0, 4, 2.9]]])
    scores = torch.tensor([[0.9, 0.8, 0.5, 0.7]])
    # IoU 12 / 16 = DUPLICATE_OVERLAP is no duplicate; 11.6 / 12 is one
    assert _first_of_overlapping(boxes, scores, 0.5).tolist() == [[True, True, False, False]]
    apart = torch.tensor([[[0.0, 0, 4, 4], [6, 6, 10, 10]]])
    flat = torch.tensor([[[3.0, 3, 3, 3], [3, 3, 3, 3]]])  # no area: no overlap
    for pair in (apart, flat):
        assert _first_of_overlapping(pair, torch.tensor([[0.9, 0.8]]), 0.1).all()


def test_batches_are_joined_in_order_and_trimmed_to_the_fullest_image():
    boxes = random_boxes(8, 3, 6)
    present = torch.zeros(3, 6, dtype=torch.bool)
    present[0, :2], present[2, :4] = True, True
    focal = torch.tensor([0.1, 0.2, 0.3])
    net = Stub(torch.full((3, 2, 2), -9.0))
    parts = [
        described(Stub(), images(n), boxes[s], present[s], 64, CALIBRATION)
        for n, s in ((2, slice(0, 2)), (1, slice(2, 3)))
    ]
    whole = joined(parts)
    assert whole.box.shape == (3, 6, 4)
    assert whole.hold is None
    assert torch.equal(whole.box[2], parts[1].box[0])
    trimmed = whole.arrays()
    assert trimmed.box.shape == (3, 4, 4)
    assert trimmed.occluder.shape == (3, 4, 5)
    assert trimmed.probabilities["shape"].shape == (3, 4, 5)
    np.testing.assert_array_equal(trimmed.occluder[..., :4], whole.occluder[:, :4, :4])
    np.testing.assert_array_equal(trimmed.occluder[..., 4], whole.occluder[:, :4, -1])
    np.testing.assert_array_equal(trimmed.depth, whole.depth[:, :4])
    held = detected(net, images(3), 64, 3, CALIBRATION, log_focal=focal)
    assert held.score.is_inference()
    assert held.arrays().box.shape == (3, 1, 4)  # without objects: one row of padding
    np.testing.assert_array_equal(held.arrays().hold, held.hold)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(lambda p: sum(p) > 0))
def test_likely_values_are_those_above_the_limit_and_the_best(weights):
    p = np.array(weights) / sum(weights)
    values = [f"v{k}" for k in range(len(p))]
    result = likely(p, values)
    assert result.keys() == {v for v, x in zip(values, p) if x >= SURE or x == p.max()}
    assert sum(result.values()) == pytest.approx(1)
    rest = sum(p[values.index(v)] for v in result)
    assert result == pytest.approx({v: p[values.index(v)] / rest for v in result})


def test_the_limit_of_likely_values_is_a_thousandth():
    assert likely(np.array([0.998, 0.001, 0.001]), "abc").keys() == {"a", "b", "c"}
    assert likely(np.array([0.9982, 0.0009, 0.0009]), "abc") == {"a": 1.0}
    assert likely(np.array([0.0004, 0.0005]), "ab") == {"b": 1.0}


def test_images_are_resized_to_the_network_with_antialiasing():
    rows = np.zeros((480, 640, 3), np.uint8)
    rows[:, 320:] = 200
    small = network_input(rows, Stub())
    assert small.shape == (Stub.height, Stub.width, 3)
    assert small[0, 0, 0] == 0
    assert small[0, -1, 0] == 200
    stripes = np.zeros((480, 640, 3), np.uint8)
    stripes[:, ::2] = 200
    assert abs(resize(stripes, 64, 48).astype(int) - 100).max() <= 5
    same = resize(rows, 640, 480)
    assert np.array_equal(same, rows)
    same[0, 0] = 9
    assert rows[0, 0, 0] == 0  # a copy
    assert not pays_bf16(torch.device("cpu"))
