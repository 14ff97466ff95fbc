"""Benchmark-specific constants of the operations: one `Rules` value per benchmark, with sources.

All other semantics of the language are shared by all benchmarks.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from po3d.io.errors import InputError
from po3d.language.program import DIRECTIONS


@dataclass(frozen=True)
class Rules:
    """The constants of a benchmark's ground truth.

    Defaults are those of PulseCheck457, or our own for relations that it does not have. Lengths
    are in units of the table (streets: scene units, else metres), angles in degrees.
    """

    # --- directions of one object from another

    # Region of "left of": beyond a line through the reference ("half plane"), or a cone about the
    # direction ("cone"). An object stacked with the reference is in no cone.
    region: Literal["half plane", "cone"] = "half plane"
    # j is left of i if its origin is more than this further left (Super-CLEVR
    # compute_all_relationships, eps 0.2; reproduces every stored relation of the released sample
    # scenes).
    margin_2d: float = 0.2
    # Margin in the object's own frame (Spatial457 get_direction_6d). Its eps is unpublished; the 2D
    # value is assumed.
    margin_6d: float = 0.2
    # Half angle of a cone; half of it for combined directions ("front left"). The object "most
    # squarely" in a direction, also a combined one, must be within the full half angle: a quarter
    # of the circle (SCOPE).
    cone: float = 45.0

    # --- headings

    # Facing (Super-CLEVR-3D add_pose): pose_degree = 140 - heading, so an object with heading 140
    # faces away from the camera. 140 belongs to the axes of the street world; for other axes the
    # zero rotates with them.
    facing_zero_deg: float = 140.0
    # Half width of the windows:
    # back [0, 30) or (330, 360), right (60, 120], front (150, 210], left (240, 300].
    facing_window_deg: float = 30.0
    # Alignment (question engine, pose_relate): an angle between the headings below 45 is same,
    # above 135 opposite, else vertical.
    aligned_same_deg: float = 45.0
    aligned_opposite_deg: float = 135.0
    # The reference object must have a facing label; the others need not.
    aligned_needs_label: bool = True

    # --- occlusion and collision

    # Partly occluded: more hidden and more visible pixels than this (Super-CLEVR-3D add_occlusion).
    # Used by synthesis/street/labels.py.
    occlusion_min_px: int = 15
    # Collision: the footprint swept along +-heading. The label generator is unpublished; this is
    # the plain reading.
    sweep_margin: float = 0.0  # added to each side of the footprint's width
    sweep_range: float = math.inf  # how far the object travels

    # --- near, over, under, between: our choice, as Hypo3D and 3DSRBench publish no thresholds

    # Two objects are next to each other if the gap between their boxes is at most this fraction of
    # the mean of their longest edges ("sizes": people judge by size, half a metre between chairs or
    # three metres between buses), or if their footprints are not stacked and at most this many
    # metres apart ("metres").
    next_to: float = 0.5
    next_to_in: Literal["sizes", "metres"] = "sizes"
    # Viewer of "left of me": behind the table's camera, or standing in the room, which has no
    # camera.
    viewer: Literal["camera", "stands"] = "camera"
    # Distance between centres, on the ground or in space; from a camera always in space.
    distance: Literal["ground", "space"] = "ground"
    # Whether "near" prefers objects beside the reference over objects stacked with it.
    beside_first: bool = False
    # An object is directly above another if the centre of one is within the other's footprint and
    # its bottom is not below the other's centre: a lamp over a table, not a chair pushed under it.
    # The slack lets a table stand on a rug.
    above_slack: float = 0.05
    # Largest distance of such a centre from the footprint in the relation "above", metres: a
    # picture on the wall behind a sofa hangs above it.
    above_aside: float = 0.0
    # "Under": the other object is directly above ("directly"); or the centre is lower and the
    # centre of one is within the other's footprint ("lower").
    under: Literal["directly", "lower"] = "directly"
    side: float = 1 / 3  # fraction of the room's length that counts as a side
    between: float = 0.6  # largest distance from the connecting line
    path: float = 0.2  # half width of a direct path
    step_over: float = 0.05  # objects at most this high never block a path
    head: float = 1.6  # objects whose bottom is at least this high never block a path

    # --- tables and answers

    # Whether attributes may be missing for some objects; else one missing value makes the attribute
    # unknown for all.
    open_table: bool = False
    unit: Literal["m", "units"] = "units"  # of the table's lengths
    # Scales that make margins in different units comparable: the median errors of the shipped
    # street estimator (position and yaw, docs/results.md), and for pixels the benchmark's own
    # threshold.
    typical: Mapping[str, float] = field(
        default_factory=lambda: {"units": 0.1, "degrees": 2.0, "%": 15.0}, hash=False
    )
    # Spelling of answers: queried category (sectors, relation, measure) -> word of the core
    # language -> benchmark's word.
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)
    dialect: Literal["street", "rooms", "scope", "calls"] = "street"  # spelling of trace steps

    def __post_init__(self) -> None:
        if not 0 <= self.facing_window_deg <= 45:
            raise InputError(
                f"facing_window_deg should be in [0, 45], not {self.facing_window_deg}"
            )
        if self.aligned_same_deg > self.aligned_opposite_deg:
            cuts = (
                f"{self.aligned_same_deg} exceeds aligned_opposite_deg {self.aligned_opposite_deg}"
            )
            raise InputError(f"aligned_same_deg {cuts}")

    def spell(self, sectors: str, word: str) -> str:
        """Return an answer in the benchmark's spelling."""
        return self.words.get(sectors, {}).get(word, word)


STREET_RULES = Rules()
# Approximate median errors of the shipped room estimator (docs/room_views.md). Angles are compared
# by the lengths that they subtend at an object's distance.
_METRES = {"unit": "m", "typical": {"m": 0.3, "degrees": 15.0, "%": 15.0}}
ROOM_RULES = Rules(
    region="cone",
    next_to_in="metres",
    viewer="stands",
    aligned_needs_label=False,
    beside_first=True,
    above_aside=0.15,
    under="lower",
    open_table=True,
    **_METRES,
    dialect="rooms",
    words={"eight": {d: d.replace("behind", "back").replace("_", " ") for d in DIRECTIONS}},
)
THREEDSRBENCH_RULES = Rules(
    # "Is the car on her left?": half of the ground, as "left or right?" in the benchmark
    region="cone",
    cone=90.0,
    distance="space",
    # People call a right angle different; so 45 degrees exactly still counts as same and parallel.
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
