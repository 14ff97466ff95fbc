"""The scene table: attribute probabilities and a pose distribution per object.

Relations (left of, collides, faces ...) are computed on demand and never stored, so an edit or a
change of reference frame is a function `Scene -> Scene` and no derived value can become stale.
Occlusion is the one stored relation: it is observed in the image and cannot be derived from the
table. An edit drops it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from po3d.io.errors import InputError
from po3d.io.text_tables import html, text
from po3d.scene.answer_calibration import AnswerCalibration
from po3d.scene.display import display_table
from po3d.scene.frames import frame_from_text
from po3d.scene.geometry import Array, Camera, Pose, box_corners, wrap_angle

Source = Literal["gt", "predicted", "edited"]
FORMAT = "po3d-scene-1"
ROWS = 50  # number of rows shown in a notebook


@dataclass(frozen=True)
class ObjectState:
    """One object: a probability per attribute value, and a pose with its covariance."""

    beliefs: Mapping[str, Mapping[str, float]]  # attribute -> value -> probability
    position: tuple[float, float, float]  # position of the origin in world coordinates
    heading: float  # azimuth of the object's front (x) axis, radians
    extent: tuple[float, float, float]  # length, width, height
    covariance: tuple[tuple[float, ...], ...] = ((0.0,) * 3,) * 3  # (3, 3) over (x, y, heading)
    flip: float = 0.0  # probability that the heading is off by pi
    existence: float = 1.0  # probability that the object exists
    box: tuple[float, float, float, float] | None = None  # amodal box x0, y0, x1, y1 in pixels
    name: str = ""

    def value(self, attribute: str) -> str:
        """Return the most probable value of an attribute; KeyError if there is none."""
        belief = self.beliefs[attribute]
        return next(iter(belief)) if len(belief) == 1 else max(belief, key=belief.__getitem__)

    @property
    def underside(self) -> float:
        """Height of the bottom of the box above the ground, metres.

        A position is the centre of the box, except for the vehicles of street scenes (objects
        with a `shape`): there it is the origin of the mesh, and every vehicle stands on the
        ground.
        """
        return 0.0 if "shape" in self.beliefs else self.position[2] - self.extent[2] / 2

    def corners(self) -> Array:
        """Return the (8, 3) world corners of the box in the order of geometry.BOX_SIGNS."""
        return box_corners(self.position, self.heading, self.extent) + (0.0, 0.0, self.underside)


class ObjectPose(NamedTuple):
    """The pose of one object, as a pose module returns it
    (`po3d.systems.separate_modules`)."""

    heading: float  # azimuth of the object's front in the world, radians
    position: tuple[float, float] | None = None  # x, y in the world; None: that of the detection
    # (3, 3) over (x, y, heading); None: that of the detection
    covariance: tuple[tuple[float, ...], ...] | None = None
    flip: float = 0.0  # probability that the heading is off by pi


@dataclass(frozen=True)
class Scene:
    """Objects, the axes of the reference frame on the ground, and the observed occlusions."""

    objects: tuple[ObjectState, ...]
    # Unit ground vectors of left, right, front and behind from the viewer's perspective.
    axes: Mapping[str, tuple[float, float]]
    source: Source
    camera: Camera | None = None
    # For each object: index of its dominant occluder -> probability. The remainder to 1 is the
    # probability of "not occluded".
    occluders: tuple[Mapping[int, float], ...] | None = None
    image: str = ""
    # floor of a room, counter-clockwise from above
    outline: tuple[tuple[float, float], ...] | None = None
    # of answers from a predicted scene; None: their probabilities are not recalibrated
    answer_calibration: AnswerCalibration | None = None

    def __post_init__(self) -> None:
        if self.occluders is not None and len(self.occluders) != len(self.objects):
            raise InputError(
                f"scene has {len(self.objects)} objects but {len(self.occluders)} occluder entries"
            )

    def __repr__(self) -> str:
        return f"Scene({len(self)} objects, source={self.source!r}, image={self.image!r})"

    def __str__(self) -> str:
        return text(display_table(self), 2)

    def _repr_html_(self) -> str:
        """Return an HTML table of the first ROWS rows, for notebooks."""
        table = display_table(self)
        more = f"<p>and {len(self) - ROWS} more</p>" if len(self) > ROWS else ""
        return html(table._replace(rows=table.rows[:ROWS]), 2) + more

    def __len__(self) -> int:
        return len(self.objects)

    def in_frame(self, text: str) -> "Scene":
        """Return a room scene with the axes defined by a text: "The door is at the front.".

        Raise InputError if the text is not a string, an object has no name, or an anchor is
        missing.
        """
        if not isinstance(text, str) or not self.named:
            raise InputError("a textual frame needs a room, whose objects have names")
        return frame_from_text(self, text)

    def moved(
        self, row: int, left: float = 0.0, front: float = 0.0, up: float = 0.0, turn: float = 0.0
    ) -> "Scene":
        """Return the scene after object `row` is moved along the axes of the scene and turned.

        `left`, `front` and `up` are metres (scene units on a street); `turn` is in degrees,
        counter-clockwise from above. Objects that rest on the moved object move with it. Raise
        InputError if the row does not exist or a value is not finite.
        """
        from po3d.scene.edits import Move, apply  # imported here: importing shapely takes 0.1 s

        if not isinstance(row, int) or not -len(self) <= row < len(self):
            raise InputError(f"no object {row!r}: the scene has objects 0 to {len(self) - 1}")
        if not all(map(math.isfinite, (left, front, up, turn))):
            raise InputError("positions and rotations should be finite numbers")
        o, (a, b) = self.objects[row], (self.axes["left"], self.axes["front"])
        x, y = (p + left * u + front * v for p, u, v in zip(o.position, a, b))
        heading = float(wrap_angle(o.heading + math.radians(turn)))
        return apply(self, [Move(row % len(self), (x, y, o.position[2] + up), heading)])

    @property
    def positions(self) -> Array:
        """(n, 3) world positions."""
        return np.array([o.position for o in self.objects], float).reshape(-1, 3)

    @property
    def headings(self) -> Array:
        """(n,) headings, radians."""
        return np.array([o.heading for o in self.objects], float)

    @property
    def extents(self) -> Array:
        """(n, 3) length, width, height."""
        return np.array([o.extent for o in self.objects], float).reshape(-1, 3)

    def belief(self, attribute: str, values: tuple[str, ...]) -> Array:
        """Return (n, len(values)) probabilities.

        Raise InputError if an object has no `attribute`, or a value that is not in `values`.
        """
        table = np.zeros((len(self.objects), len(values)))
        column = dict(zip(values, range(len(values))))
        for i, state in enumerate(self.objects):
            if attribute not in state.beliefs:
                raise InputError(f"object {i} of the scene has no {attribute}")
            for value, p in state.beliefs[attribute].items():
                if value not in column:
                    what = f"unknown {attribute} {value!r}; known: {', '.join(values)}"
                    raise InputError(f"object {i}: {what}")
                table[i, column[value]] = p
        return table

    @property
    def names(self) -> list[str]:
        """The most probable name of each object, in scenes whose objects have names."""
        return [o.value("name") for o in self.objects]

    def has(self, attribute: str) -> bool:
        """Return whether an object has beliefs in an attribute."""
        return any(attribute in o.beliefs for o in self.objects)

    @property
    def named(self) -> bool:
        """Whether every object has a name."""
        return all("name" in o.beliefs for o in self.objects)

    @property
    def present(self) -> tuple[int, ...]:
        """Indices of the objects that `certain` keeps: existence probability of at least 0.5."""
        return tuple(i for i, o in enumerate(self.objects) if o.existence >= 0.5)

    @property
    def _sure(self) -> bool:
        """Whether the table has no uncertainty at all."""
        for o in self.objects:
            if o.existence != 1.0 or o.flip or o.covariance != _NO_SPREAD:
                return False
            if not all(map(_is_sure, o.beliefs.values())):
                return False
        return all(map(_is_sure, filter(None, self.occluders or ())))

    def subset(self, rows: Sequence[int]) -> "Scene":
        """Return the table reduced to these rows, in this order; dropped rows occlude nothing."""
        occluders = None if self.occluders is None else occluders_of_rows(self.occluders, rows)
        return replace(self, objects=tuple(self.objects[i] for i in rows), occluders=occluders)

    def certain(self) -> "Scene":
        """Return the table with the mode of each distribution and without covariance.

        Objects with an existence probability below 0.5 are dropped.
        """
        if self._sure:
            return self
        keep = self.present
        objects = tuple(_mode(self.objects[i]) for i in keep)
        occluders = None
        if self.occluders is not None:
            occluders = tuple(_dominant(self.occluders[i], keep) for i in keep)
        return replace(self, objects=objects, occluders=occluders)


_NO_SPREAD = ((0.0,) * 3,) * 3


def _is_sure(belief: Mapping[Any, float]) -> bool:
    return len(belief) == 1 and 1.0 in belief.values()


def _mode(state: ObjectState) -> ObjectState:
    """Return the object with the mode of each distribution and without covariance."""
    beliefs = {a: {state.value(a): 1.0} for a in state.beliefs}
    heading = state.heading
    if state.flip > 0.5:
        heading = float(wrap_angle(heading + math.pi))
    certain = {"covariance": _NO_SPREAD, "flip": 0.0, "existence": 1.0}
    return replace(state, beliefs=beliefs, heading=heading, **certain)


def occluders_of_rows(
    occluders: Sequence[Mapping[int, float]], rows: Sequence[int]
) -> tuple[dict[int, float], ...]:
    """Return the occluders of some rows by their new indices; the other rows occlude nothing."""
    new, reindexed = dict(zip(rows, range(len(rows)))), []
    for i in rows:
        reindexed.append({new[j]: p for j, p in occluders[i].items() if j in new})
    return tuple(reindexed)


def _dominant(belief: Mapping[int, float], keep: Sequence[int]) -> dict[int, float]:
    """Return the most probable of "not occluded" and the kept occluders, with probability 1; by its
    index in `keep`."""
    best = max(filter(keep.__contains__, belief), key=belief.__getitem__, default=None)
    if best is None or belief[best] <= 1.0 - sum(belief.values()):
        return {}
    return {keep.index(best): 1.0}


def sure(**attributes: str) -> dict[str, dict[str, float]]:
    """Return attribute probabilities of one certain value each: sure(color="red")."""
    return {name: {value: 1.0} for name, value in attributes.items()}


# --- JSON -----------------------------------------------------------------------------------------


def to_json(scene: Scene, exact: bool = False) -> dict:
    """Return a JSON-ready record, which `from_json` reads back.

    Headings are written in degrees, which may round the last digit; with `exact`, the radians are
    written too where the conversion is not exact.
    """
    record: dict = {
        "format": FORMAT,
        "source": scene.source,
        "image": scene.image,
        "axes": {k: list(v) for k, v in scene.axes.items()},
        "objects": [_object_to_json(o, exact) for o in scene.objects],
    }
    if scene.occluders is not None:
        record["occluders"] = [{str(j): p for j, p in belief.items()} for belief in scene.occluders]
    if scene.outline is not None:
        record["outline"] = list(map(list, scene.outline))
    if scene.answer_calibration is not None:
        record["answer_calibration"] = scene.answer_calibration._asdict()
    if scene.camera is not None:
        c = scene.camera
        record["camera"] = {
            "width": c.width,
            "height": c.height,
            "focal": c.focal,
            "center": list(c.principal),
            "cam_R_world": c.cam_T_world.rotation.tolist(),
            "cam_t_world": c.cam_T_world.translation.tolist(),
        }
    return record


def from_json(record: object, where: str = "scene") -> Scene:
    """Read a record written by `to_json`; InputError names the missing or invalid field.

    Valid records are defined by `po3d.io.scene_schemas.SceneTable`.
    """
    from po3d.io.scene_schemas import SceneTable  # imported here: importing pydantic takes 0.1 s
    from po3d.io.schemas import checked

    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError(f"{where}: not a scene file (its 'format' should be {FORMAT!r})")
    table = checked(SceneTable, record, where)
    count = len(table.objects)
    for i, belief in enumerate(table.occluders or ()):
        if wrong := [j for j in belief if j >= count or j == i]:
            problem = f"{wrong[0]} is not another object; valid indices are 0 to {count - 1}"
            raise InputError(f"{where}: occluders[{i}]: {problem}")
    if table.occluders is not None and len(table.occluders) != count:
        raise InputError(f"{where}: {len(table.occluders)} occluder entries for {count} objects")
    camera = None
    if (c := table.camera) is not None:
        pose = Pose(np.array(c.cam_R_world, float), np.array(c.cam_t_world, float))
        camera = Camera(c.width, c.height, c.focal, pose, c.center)
    objects = []
    for o in table.objects:
        heading = _heading(o.heading_deg, o.heading, where)
        doubts, pose = (o.covariance, o.flip, o.existence), (o.position, heading, o.extent)
        objects.append(ObjectState(o.beliefs, *pose, *doubts, o.box, o.name))
    fit = table.answer_calibration
    if fit is not None:
        fit = AnswerCalibration(fit.slope, fit.offset, fit.mode)
    observed = (table.occluders, table.image, table.outline, fit)
    return Scene(tuple(objects), table.axes, table.source, camera, *observed)


def _heading(degrees: float, radians: float | None, where: str) -> float:
    """Return a heading in radians; InputError if the two given values contradict each other."""
    if radians is not None and math.degrees(radians) != degrees:
        raise InputError(
            f"{where}: heading_deg={degrees} and heading={radians} differ; give only one of them"
        )
    return math.radians(degrees) if radians is None else radians


def _object_to_json(o: ObjectState, exact: bool) -> dict:
    degrees = math.degrees(o.heading)
    return {
        "name": o.name,
        "beliefs": {a: dict(b) for a, b in o.beliefs.items()},
        "position": list(o.position),
        "heading_deg": degrees,
        **({"heading": o.heading} if exact and math.radians(degrees) != o.heading else {}),
        "extent": list(o.extent),
        "covariance": list(map(list, o.covariance)),
        "flip": o.flip,
        "existence": o.existence,
        "box": None if o.box is None else list(o.box),
    }
