"""What the report's browser shows of each image and question: a picture, tables as outlines, and the trace of the answer.

A table becomes a view: of each object its label, its colour, its outline seen from above (the viewer's right is +x, away
from the viewer is up, so -y, as on a screen) and, where there is a picture and a camera, its box in pixels. The page
draws them, so that it can light up what a step found. Traces are worked out again from the predictions' programs.
"""

import base64
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.errors import InputError
from po3d.geometry import Array, box_corners, footprint
from po3d.layout import Layout
from po3d.question import Prediction, Question
from po3d.reasoning import room_program
from po3d.reasoning.program import ProgramError, parse_text
from po3d.reasoning.room_executor import Unresolved, plan, run
from po3d.reasoning.room_world import World
from po3d.room_sources import source
from po3d.room_systems import framed
from po3d.scene import ObjectState, Scene
from po3d.systems import Context, Executor, nothing_given
from po3d.vocabulary import COLORS_RGB

WIDTH, QUALITY = 480, 62  # pixels and JPEG quality of a picture in the page
SHOWN = 0.005  # probabilities below this are left out of a step
NO_TRACE = "this program has no trace here"
CHANGED = "worked out again, the program gives another answer: the table or the code is not what the run had"
_PAINT = {"beige": (225, 210, 180), "orange": (235, 150, 70), "pink": (235, 160, 185), "white": (238, 238, 238),
          "black": (70, 70, 70)}  # fmt: skip
_PLAIN = (150, 155, 165)


class StepShown(NamedTuple):
    """One step: the call, what it gave in words, and the objects that it found as (view, index, probability)."""

    call: str
    words: str
    objects: tuple[tuple[int, int, float], ...] = ()


class Traced(NamedTuple):
    """An answer worked out again: `views` are the indices of the drawings to show, with their titles."""

    views: tuple[tuple[str, int], ...]
    steps: tuple[StepShown, ...] = ()
    note: str = ""


@dataclass
class Drawings:
    """The drawings of one image. Objects that several tables share are kept once."""

    size: tuple[int, int] | None = None  # of the picture that boxes are drawn on
    objects: list[dict] = field(default_factory=list)
    views: list[dict] = field(default_factory=list)
    _known: dict[str, int] = field(default_factory=dict)

    def add(self, scene: Scene, up: str, marked: frozenset[int] = frozenset()) -> int:
        """The index of a scene's view; `up` names the axis that points up from above, `marked` are outlined."""
        ways = np.array([scene.axes["right"], -np.array(scene.axes[up])], float)
        view = {"objects": [self._index(_drawn(o, scene, ways, self.size)) for o in scene.objects]}
        if scene.outline:
            view["outline"] = _flat(np.array(scene.outline, float) @ ways.T, 2)
        if marked:
            view["marked"] = sorted(marked)
        self.views.append(view)
        return len(self.views) - 1

    def _index(self, drawn: dict) -> int:
        key = json.dumps(drawn)
        if key not in self._known:
            self._known[key] = len(self.objects)
            self.objects.append(drawn)
        return self._known[key]


def _drawn(o: ObjectState, scene: Scene, ways: Array, size: tuple[int, int] | None) -> dict:
    nose = np.array([math.cos(o.heading), math.sin(o.heading)]) * (0.5 * o.extent[0] + 0.2)
    ground = np.array(o.position[:2], float)
    drawn = {
        "label": _label(o),
        "color": _color(o),
        "z": round(o.position[2] + o.extent[2], 2),  # what is higher is drawn later
        "foot": _flat(footprint(o.position, o.heading, o.extent) @ ways.T, 2),
        "nose": _flat(np.stack([ground, ground + nose]) @ ways.T, 2),
    }
    if o.existence < 0.995:
        drawn["p"] = round(o.existence, 2)
    if size and scene.camera is not None:
        camera = scene.camera.resized(*size)
        z = o.extent[2] / 2
        ends = np.array([(*ground, z), (*(ground + nose), z)])
        corners, depth = camera.project(np.concatenate([box_corners(o.position, o.heading, o.extent), ends]))
        if depth.min() > 0:
            drawn["box"] = _flat(corners, 1)
    return drawn


def _flat(points: Array, digits: int) -> list[float]:
    return [round(float(v), digits) for v in np.asarray(points).ravel()]


def _label(o: ObjectState) -> str:
    words = [o.value(a) for a in ("size", "color", "material", "shape", "name", "state") if a in o.beliefs]
    return " ".join(words) or o.name or "object"


def _color(o: ObjectState) -> str:
    name = o.value("color") if "color" in o.beliefs else ""
    rgb = _PAINT.get(name) or COLORS_RGB.get(name) or _PLAIN
    return "#" + "".join(f"{int(c):02x}" for c in rgb)


def picture(pixels: NDArray[np.uint8]) -> tuple[str, tuple[int, int]]:
    """A data URI of the pixels as a small JPEG, and its width and height."""
    image = Image.fromarray(np.ascontiguousarray(pixels)).convert("RGB")
    if image.width > WIDTH:
        image = image.resize((WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=QUALITY, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode("ascii"), image.size


# --- traces -------------------------------------------------------------------------------------------------


Trace = Callable[[Question, Prediction], Traced]


def street_trace(drawings: Drawings, table: Scene | None, executor: Executor) -> Trace:
    """Traces of street programs on the table of one image."""
    view = () if table is None else (("seen from above, the camera below", drawings.add(table, "behind")),)

    def traced(q: Question, p: Prediction) -> Traced:
        if table is None or not p.program:
            return Traced(view)
        try:
            outcome = executor(parse_text(p.program), table, q.task)
        except ProgramError as error:
            return Traced(view, note=str(error))
        steps = tuple(
            StepShown(
                step.token,
                ", ".join(f"{w}{_odds(v)}" for w, v in step.values.items() if v > SHOWN),
                tuple(
                    (0, i, round(v, 2))
                    for i, v in sorted(step.objects.items(), key=lambda item: -item[1])
                    if v > SHOWN
                ),
            )
            for step in outcome.trace
        )
        return Traced(view, steps, "" if p.status != "ok" or outcome.answer == p.answer else CHANGED)

    return traced


def room_trace(drawings: Drawings, table: Scene | None, mode: str) -> Trace:
    """Traces of room programs, each with the room before and after its change in the frame of its question."""
    layouts: dict[str, tuple[Layout, int]] = {}  # by frame, with the view of the room before
    worlds: dict[tuple[str, str], tuple[World, int]] = {}  # by frame and change, with the view of the room after

    def traced(q: Question, p: Prediction) -> Traced:
        if table is None:
            return Traced(())
        frame = q.meta.get("frame", "")
        try:
            if frame not in layouts:
                before = framed(table, frame, mode)
                layouts[frame] = Layout(before), drawings.add(before, "front")
        except InputError as error:
            return Traced((), note=str(error))
        layout, first = layouts[frame]
        views = (("the room, the front above", first),)
        change, _, asked = p.program.rpartition(" ; ")
        if not asked:
            return Traced(views)
        try:
            if (frame, change) not in worlds:
                edited = plan(layout, room_program.parse_text(change) if change else None).edited
                after = drawings.add(edited.scene, "front", edited.touched) if change else first
                worlds[frame, change] = World(edited, layout), after
            world, after = worlds[frame, change]
            outcome = run(room_program.parse_text(asked), world)
        except (Unresolved, ProgramError, InputError) as failure:
            return Traced(views, note=str(failure))
        views = (("after the change, the front above", after), ("before", first)) if change else views
        steps = [_room_step(str(call), found, world, outcome.evaluator) for call, found in _told(outcome)]
        same = p.status != "ok" or outcome.answer == p.answer
        return Traced(views, tuple(steps), "" if same else CHANGED)

    return traced


def _told(outcome: Any) -> Sequence[tuple]:
    return outcome.evaluator.steps if outcome.evaluator else ()


def _room_step(call: str, found: str | int | list[int], world: World, evaluator: Any) -> StepShown:
    if isinstance(found, str):
        return StepShown(call, found)
    members = [found] if isinstance(found, int) else found
    changed = world.present is not world.was

    def place(i: int) -> tuple[int, int, float]:
        return (0, i, 1.0) if i < world.now else (int(changed), i - world.now, 1.0)

    words = ", ".join(evaluator.describe(i) for i in members) or "none"
    return StepShown(call, words, tuple(place(i) for i in members))


def _plain_trace(drawings: Drawings, table: Scene | None) -> Trace:
    view = ()
    if table is not None:
        up = "front" if table.outline or "front" in table.axes and table.camera is None else "behind"
        view = (("seen from above", drawings.add(table, up)),)
    return lambda q, p: Traced(view, note=NO_TRACE if p.program else "")


def _odds(p: float) -> str:
    return "" if p > 1 - 1e-9 else f" {p:.2f}"


# --- images -------------------------------------------------------------------------------------------------


def image_record(
    split: Any,
    name: str,
    questions: Sequence[Question],
    predictions: Mapping[str, Prediction],
    kept: Scene | None,
    report: Mapping[str, Any],
) -> dict:
    """Everything that the page needs of one image: picture, size, objects, views, truth (the index of the true table's
    view), items (question id -> views, steps, note). `kept` is the table that the system handed over; without
    one the true table stands in for it, where the system used that."""
    true = _attempt(lambda: split.truth(name))
    # A room is drawn from its table; a picture is read where boxes can stand on it, or where there is nothing else.
    pixels = None if true is not None and true.camera is None else _attempt(lambda: split.image(name))
    shown = None if pixels is None else picture(pixels)
    drawings = Drawings(None if shown is None else shown[1])
    trace = _trace_of(split, name, drawings, kept, true, report)
    items = {}
    for q in questions:
        found = trace(q, predictions[q.id])
        items[q.id] = {
            "views": found.views,
            "steps": [(s.call, s.words, s.objects) for s in found.steps],
            "note": found.note,
        }
    record: dict[str, Any] = {}
    if kept is not None and true is not None and true.outline is None:
        record["truth"] = drawings.add(true, "behind")
    if shown is not None:
        record |= {"picture": shown[0], "size": shown[1]}
    return {**record, "objects": drawings.objects, "views": drawings.views, "items": items}


def _trace_of(
    split: Any, name: str, drawings: Drawings, kept: Scene | None, true: Scene | None, report: Mapping
) -> Trace:
    settings = report.get("settings") or {}
    if report["benchmark"] == "pulsecheck457":
        options = report["provenance"].get("config", {}).get("executor", {})
        executor = Executor(options.get("mode", "argmax"), options.get("samples", 64))
        return street_trace(drawings, kept or true, executor)
    if report["benchmark"] == "hypo3d":
        table = kept or _attempt(lambda: _room_table(split, name, settings.get("table", "truth")))
        return room_trace(drawings, table, settings.get("frame", "anchors"))
    return _plain_trace(drawings, kept or true)


def _room_table(split: Any, name: str, table: str) -> Scene:
    give = getattr(split, "given", None)
    given = nothing_given if give is None else lambda what: give(name, what)
    return source(table).table(
        Context(lambda: split.image(name), lambda: split.truth(name), name, given=given)
    )


def _attempt(read: Callable[[], Any]) -> Any:
    """What `read` gives, or None where the split has no such thing."""
    try:
        return read()
    except InputError:
        return None
