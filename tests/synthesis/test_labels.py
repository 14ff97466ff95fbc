"""The occlusion rule on masks drawn by hand and at random."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.synthesis.street.labels import label_object, label_objects, mask_box

Rectangle = tuple[int, int, int, int]


def painted(rectangles: list[Rectangle], size: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Rectangles (x0, y0, x1, y1), each nearer to the camera than the one before."""
    ids, amodal = np.zeros((size, size), np.uint8), np.zeros((len(rectangles), size, size), bool)
    for k, (x0, y0, x1, y1) in enumerate(rectangles):
        ids[y0:y1, x0:x1] = k + 1
        amodal[k, y0:y1, x0:x1] = True
    return ids, amodal


@st.composite
def rectangle(draw: st.DrawFn) -> Rectangle:
    x0, y0 = draw(st.integers(0, 39)), draw(st.integers(0, 39))
    return x0, y0, draw(st.integers(x0, 40)), draw(st.integers(y0, 40))


def test_half_hidden_object_is_partly_occluded_by_the_object_in_front() -> None:
    label = label_objects(*painted([(0, 0, 10, 10), (5, 0, 20, 10)]))[0]
    assert (label.state, label.occluder) == ("partial", 1)
    assert (label.visible_px, label.amodal_px, label.hidden_px, label.visible_fraction) == (
        50,
        100,
        50,
        0.5,
    )
    assert (label.visible_box, label.amodal_box) == ((0, 0, 5, 10), (0, 0, 10, 10))


@pytest.mark.parametrize(
    ("cover", "state"),
    [
        ((0, 0, 3, 5), "none"),  # 15 hidden: not more than 15
        ((0, 0, 4, 4), "partial"),  # 16 hidden
        ((0, 0, 10, 9), "none"),  # 10 visible, the rule's ambiguous middle
        ((0, 0, 10, 10), "full"),
    ],
)
def test_states_change_at_the_published_thresholds(cover: Rectangle, state: str) -> None:
    assert label_objects(*painted([(0, 0, 10, 10), cover]))[0].state == state


def test_occluder_is_the_object_that_hides_most() -> None:
    label = label_objects(*painted([(0, 0, 20, 10), (0, 0, 4, 10), (10, 0, 18, 10)]))[0]
    assert label.occluder == 2


def test_an_occluder_that_is_itself_hidden_does_not_count() -> None:
    label = label_objects(*painted([(0, 0, 20, 10), (0, 0, 18, 10), (0, 0, 17, 10)]))[0]
    assert label.occluder == 2


def test_image_border_hides_nothing() -> None:
    label = label_objects(*painted([(0, 0, 3, 40)]))[0]
    assert (label.state, label.occluder, label.visible_fraction) == ("none", None, 1.0)


def test_object_outside_the_image_has_an_empty_label() -> None:
    label = label_objects(*painted([(5, 5, 5, 5), (0, 0, 9, 9)]))[0]
    assert (label.amodal_px, label.state, label.amodal_box, label.visible_fraction) == (
        0,
        "none",
        None,
        0.0,
    )


@given(st.lists(rectangle(), min_size=1, max_size=6))
def test_labels_agree_with_counting_over_the_whole_image(rectangles: list[Rectangle]) -> None:
    ids, alone = painted(rectangles)
    for k, (label, amodal) in enumerate(zip(label_objects(ids, alone), alone)):
        visible = amodal & (ids == k + 1)
        hidden_by = [
            int((amodal & (ids == j + 1)).sum()) * (j != k) for j in range(len(rectangles))
        ]
        assert label.visible_px == visible.sum()
        assert label.hidden_px == amodal.sum() - visible.sum() == sum(hidden_by)
        assert label.visible_box == mask_box(visible)
        assert (label.occluder is None) == (label.state == "none")
        if label.occluder is not None:
            assert hidden_by[label.occluder] == max(hidden_by) > 0
        if label.state == "full":
            assert label.visible_px == 0
        if label.state == "partial":
            assert min(label.visible_px, label.hidden_px) > 15


@given(st.lists(rectangle(), min_size=2, max_size=5))
def test_the_nearest_object_is_never_occluded(rectangles: list[Rectangle]) -> None:
    ids, alone = painted(rectangles)
    last = len(rectangles) - 1
    assert label_object(ids, alone[last], last).state == "none"
