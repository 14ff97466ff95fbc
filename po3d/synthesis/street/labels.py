"""Visibility labels of each object (pixel counts, boxes, occlusion state), computed from masks
without a renderer.

`ids` and `amodal` must be sampled at equal points, so that an object's visible pixels are a subset
of its amodal mask. Both are clipped to the image, so parts outside the image never count as hidden.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from po3d.reasoning.rules import STREET_RULES

# Super-CLEVR-3D's rule for whole objects (its add_occlusion.py; facts of PulseCheck457,
# "Occlusion"). The threshold of the state used by questions, partly occluded, is in `Rules`.
FULL_MAX_VISIBLE_PX = 1  # with fewer visible pixels an object is fully occluded

State = Literal["none", "partial", "full"]


# (x0, y0, x1, y1): a mask's pixels span [x0, x1] x [y0, y1] in continuous pixel coordinates.
PixelBox = tuple[int, int, int, int]


@dataclass(frozen=True)
class ObjectLabel:
    """Visibility of one object in one picture."""

    visible_px: int
    amodal_px: int  # pixels of the object rendered alone
    hidden_px: int
    visible_fraction: float  # visible_px / amodal_px; 0 for an object outside the image
    state: State
    occluder: int | None  # index of the object that hides most of it; None if nothing occludes it
    visible_box: PixelBox | None
    amodal_box: PixelBox | None


def label_objects(ids: NDArray[np.uint8], amodal: NDArray[np.bool_]) -> tuple[ObjectLabel, ...]:
    """Return the occlusion label of each of N objects from the id image (H, W; 0 nothing, k + 1
    object k) and the pixels of each object rendered alone (N, H, W)."""
    return tuple(label_object(ids, mask, k) for k, mask in enumerate(amodal))


def mask_box(mask: NDArray[np.bool_]) -> PixelBox | None:
    """Return the tight box of a (H, W) mask; None if it is empty."""
    rows = np.flatnonzero(mask.any(1))
    if not len(rows):
        return None
    columns = np.flatnonzero(mask[rows[0] : rows[-1] + 1].any(0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def label_object(ids: NDArray[np.uint8], amodal: NDArray[np.bool_], index: int) -> ObjectLabel:
    """Return the label of object `index` from the id image (H, W) and its amodal mask (H, W)."""
    box = mask_box(amodal)
    if box is None:
        return ObjectLabel(0, 0, 0, 0.0, "none", None, None, None)
    x0, y0, x1, y1 = box
    inside = np.s_[y0:y1, x0:x1]
    mask = amodal[inside]
    # count of each id within the amodal mask
    counts = np.bincount(ids[inside][mask], minlength=index + 2)
    amodal_px, visible_px = int(counts.sum()), int(counts[index + 1])
    hidden_px = amodal_px - visible_px

    visible = mask_box((ids[inside] == index + 1) & mask)
    if visible is not None:
        visible = visible[0] + x0, visible[1] + y0, visible[2] + x0, visible[3] + y0

    counts[[0, index + 1]] = 0  # the ground hides nothing
    occluder = int(counts.argmax()) - 1 if counts.any() else None
    state = occlusion_state(visible_px, hidden_px) if occluder is not None else "none"
    return ObjectLabel(
        visible_px=visible_px,
        amodal_px=amodal_px,
        hidden_px=hidden_px,
        visible_fraction=visible_px / amodal_px,
        state=state,
        occluder=occluder if state != "none" else None,
        visible_box=visible,
        amodal_box=box,
    )


def occlusion_state(visible_px: int, hidden_px: int) -> State:
    """Return Super-CLEVR's state of a whole object; its "ambiguous" state (a few pixels hidden or
    visible) counts as none."""
    if visible_px < FULL_MAX_VISIBLE_PX:
        return "full"
    if min(hidden_px, visible_px) > STREET_RULES.occlusion_min_px:
        return "partial"
    return "none"
