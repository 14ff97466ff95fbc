"""What the benchmarks mean differently by one operation: a value of `Rules` for each, the constants of its ground truth with
where they come from. Everything else about the language is the same for all.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from po3d.io.errors import InputError
from po3d.language.program import DIRECTIONS


@dataclass(frozen=True)
class Rules:
    """The constants of a ground truth; the defaults are PulseCheck457's and, for what it never asks, ours. Lengths are the
    table's (streets: units, else metres), angles degrees."""

    # --- directions of one object from another

    # Where "left of" begins: beyond a line through the reference ("half plane"), or within a cone about the direction; what
    # stands over or under the reference is in no cone.
    region: Literal["half plane", "cone"] = "half plane"
    # j is left of i when its origin is more than this further left (Super-CLEVR compute_all_relationships,
    # eps 0.2; reproduces every stored relation of the released sample scenes).
    margin_2d: float = 0.2
    # The same in the object's own frame (Spatial457 get_direction_6d). Its eps is unpublished; 2D's assumed.
    margin_6d: float = 0.2
    # On either side of a direction; half of it for combined ones ("front left"). What lies "most squarely" in a direction,
    # also a combined one, is within the whole of it: a quarter of the circle (SCOPE).
    cone: float = 45.0
    # "Front" of a bicycle in the object's frame is its nose. False: its left side, which is what comes out of
    # upstream's helper when it is given a bicycle's uncorrected rotation.
    bicycle_front_is_nose: bool = True

    # --- headings

    # Facing (Super-CLEVR-3D add_pose): pose_degree = 140 - heading, so a nose at azimuth 140 points away from
    # the camera. 140 belongs to the street world's axes; in a scene with other axes the zero turns with them.
    facing_zero_deg: float = 140.0
    # Half width of the windows:
    # back [0, 30) or (330, 360), right (60, 120], front (150, 210], left (240, 300].
    facing_window_deg: float = 30.0
    # Alignment (question engine, pose_relate): angle between the noses below 45 is same, above 135 opposite,
    # else vertical.
    aligned_same_deg: float = 45.0
    aligned_opposite_deg: float = 135.0
    # The object compared with must itself have a facing label; the others need not.
    aligned_needs_label: bool = True

    # --- what is hidden, what is run into

    # Partly occluded: more hidden and more visible pixels than this (Super-CLEVR-3D add_occlusion). Read by
    # synthesis/street/labels.py.
    occlusion_min_px: int = 15
    # Collision: the footprint swept along +-heading. The labels' maker is unpublished: the plain reading.
    sweep_margin: float = 0.0  # added to each side of the footprint's width
    sweep_range: float = math.inf  # how far the object travels
    first_hit_only: bool = False  # only the nearest of what is hit

    # --- near, over, under, between: Hypo3D and 3DSRBench publish no thresholds, these are ours

    # Two things are next to each other when the gap between their boxes is at most this share of their size, the mean of
    # their longest edges ("sizes"): people judge by size, half a metre between chairs or three metres between buses. Or
    # when their footprints, neither over the other, are at most so many metres apart ("metres").
    next_to: float = 0.5
    next_to_in: Literal["sizes", "metres"] = "sizes"
    # Who says "left of me": looks through the table's camera, or stands in the room, which has none.
    viewer: Literal["camera", "stands"] = "camera"
    # How far one thing is from another: between middles, along the ground or in space; from a camera always in space.
    distance: Literal["ground", "space"] = "ground"
    # Near a thing means beside it, not on it, where there is a choice.
    beside_first: bool = False
    # A thing is directly above another when the middle of one is over the other's footprint and its underside is not
    # below the other's middle: a lamp over a table, not a chair pushed under it. The slack lets a table stand on a rug.
    above_slack: float = 0.05
    # "Under": the other is directly above it ("directly"); or its middle is lower, and either's is within the other's footprint
    # ("lower").
    under: Literal["directly", "lower"] = "directly"
    side: float = 1 / 3  # of the room's length that counts as one of its sides
    between: float = 0.6  # off the line from one to the other
    path: float = 0.2  # half the width of a direct path
    step_over: float = 0.05  # what is itself flatter blocks no path, wherever it is
    head: float = 1.6  # what hangs higher blocks no path

    # --- tables and answers

    # Whether a table may tell something of some things alone; else an attribute that one object lacks is unknown.
    open_table: bool = False
    unit: Literal["m", "units"] = "units"  # of the table's lengths
    # What a distance from a border is divided by to compare it with others: the median errors of the shipped street estimator
    # (position and yaw, docs/results.md), and for pixels the benchmark's own threshold.
    typical: Mapping[str, float] = field(
        default_factory=lambda: {"units": 0.1, "degrees": 2.0, "pixels": 15.0, "%": 15.0}, hash=False
    )
    # How answers are spelled: what is asked (a kind of sectors, a relation, a measure) -> the language's word -> the
    # benchmark's.
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    dialect: Literal["street", "rooms", "scope", "calls"] = (
        "street"  # in whose spelling traces tell their steps
    )

    def __post_init__(self) -> None:
        if not 0 <= self.facing_window_deg <= 45:
            raise InputError(f"facing_window_deg should lie in [0, 45], not {self.facing_window_deg}")
        if self.aligned_same_deg > self.aligned_opposite_deg:
            cuts = f"{self.aligned_same_deg} exceeds aligned_opposite_deg {self.aligned_opposite_deg}"
            raise InputError(f"aligned_same_deg {cuts}")

    def said(self, asked: str, word: str) -> str:
        """An answer as the benchmark spells it."""
        return self.words.get(asked, {}).get(word, word)


STREET_RULES = Rules()
# About the median errors of the shipped estimator of rooms (docs/room_views.md). Angles are compared by the lengths that they
# mean where a thing stands.
_METRES = {"unit": "m", "typical": {"m": 0.3, "degrees": 15.0, "%": 15.0, "pixels": 15.0}}
ROOM_RULES = Rules(
    region="cone",
    next_to_in="metres",
    viewer="stands",
    aligned_needs_label=False,
    beside_first=True,
    under="lower",
    open_table=True,
    **_METRES,
    dialect="rooms",
    words={"eight": {d: d.replace("behind", "back").replace("_", " ") for d in DIRECTIONS}},
)
THREEDSRBENCH_RULES = Rules(
    region="cone",
    distance="space",
    # A right angle is what people call different, so 45 degrees itself still is the same, and parallel.
    aligned_same_deg=math.nextafter(45.0, 90.0),
    aligned_opposite_deg=math.nextafter(135.0, 90.0),
    aligned_needs_label=False,
    open_table=True,
    **_METRES,
    dialect="calls",
    words={
        "next_to": {"yes": "next to each other", "no": "far away from each other"},
        "parallel": {"yes": "parallel", "no": "perpendicular"},
        "same_direction": {"yes": "same or similar directions", "no": "very different directions"},
        "front_or_behind": {"front": "in front of", "behind": "behind"},
        "left_or_right": {"left": "on the left", "right": "on the right"},
        "four": {"behind": "back"},
    },
)
SCOPE_RULES = Rules(
    region="cone",
    aligned_needs_label=False,
    open_table=True,
    **_METRES,
    dialect="scope",
    words={"eight": {d: d.replace("_", "-") for d in DIRECTIONS}},
)
