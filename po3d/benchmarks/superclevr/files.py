"""Super-CLEVR's file formats: scene and question records.

Super-CLEVR, Super-CLEVR-3D and PulseCheck457 (Spatial457) share this layout: degrees, Blender's
camera, `rotation` instead of a heading. Conversions in both directions are here, in `nodes`
(programs) and in `names`; records of generated scenes are written by
`po3d.synthesis.street.dataset.scene_record`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from po3d.benchmarks.superclevr.names import identifier, surface
from po3d.benchmarks.superclevr.nodes import nodes_from_program, program_from_nodes
from po3d.io.errors import InputError, printable, visible
from po3d.io.files import read_json
from po3d.language.program import ProgramError
from po3d.language.programs.street import StreetProgram
from po3d.reasoning.questions import Question
from po3d.scene.geometry import Array, Camera, Pose
from po3d.scene.street import (
    AXES,
    CAMERA_JITTER,
    FOCAL,
    HEIGHT,
    WIDTH,
    camera,
    extent,
    heading_from_rotation,
)
from po3d.scene.table import FORMAT, ObjectState, Scene, from_json, sure
from po3d.scene.vocabulary import COLORS, SHAPES, SIZES, VALUES

if TYPE_CHECKING:
    from po3d.io.scene_schemas import Hidden, Vehicle


@dataclass(frozen=True)
class StreetQuestion(Question):
    """A question of PulseCheck457 or Super-CLEVR."""

    stored: str = ""  # the right answer as stored in the release
    table: str = ""  # the right answer in VLMEvalKit's table, if read from there


_BOOLEANS = {"true": "yes", "yes": "yes", "false": "no", "no": "no"}

# Blender's camera looks along -z with y up; ours along +z with y down
_BLENDER = np.diag([1.0, -1.0, -1.0])
_PIXEL_SD, _DEPTH_SD = 0.3, 1e-3  # stored pixels are rounded, stored depths are not


def street_prompt(question: Question, focus: str, also: str) -> list[str | int]:
    """Return the prompt: instructions (`focus`), image, question, allowed words (`also`: those of a
    further attribute), and a template with two fields.
    """
    shapes = ", ".join(map(surface, SHAPES))
    return [
        f"The picture shows vehicles standing on the ground. {focus}".rstrip(),
        0,
        f"Question: {question.text}",
        (
            f"A vehicle's type is one of: {shapes}. Its color is one of: {', '.join(COLORS)}. Its"
            f" size is {' or '.join(SIZES)}. {also}\nThe answer is one of these words, or a whole"
            " number from 0 to 10 where the question is how many, or Yes or No where it is whether"
            " something is so. When in doubt give the likeliest answer.\nSay briefly why, then the"
            " answer, in this template: {'Reasoning': '<why>', 'Answer': '<answer>'}"
        ),
    ]


# --- questions ------------------------------------------------------------------------------------


def read_answer(stored: str) -> str:
    """Convert a stored answer to po3d's vocabulary: "True" -> "yes", "Road Bike" -> "road", "03" ->
    "3".
    """
    text = " ".join(stored.strip().lower().split())
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    return str(int(text)) if text.isdecimal() else identifier(text)


def read_questions(path: Path) -> list:
    """Read the records of a question file: {"questions": [...]} or only the list."""
    content = read_json(path, "question file")
    records = content.get("questions") if isinstance(content, dict) else content
    if not isinstance(records, list):
        raise InputError(f"{path} does not contain a list of questions")
    return records


def stored_question(record: object, where: str) -> tuple[int, str, str, str, str, str]:
    """Return the number, image, text and stored answer in a record of a question file, its program
    ("" if missing or not supported), and why that is not supported ("" if it is). Raise InputError
    for missing or malformed fields.
    """
    if not isinstance(record, Mapping):
        raise InputError(f"{where}: a question should be an object, not {type(record).__name__}")
    index, image = _question_index(record, where), _stored_image(record, where)
    text, answer = field_text(record, "question", where), field_text(record, "answer", where)
    return (index, image, text, answer, *_stored_program(record))


def question_record(
    scene: Mapping, text: str, answer: object, index: int, template: str, program: StreetProgram,
    outputs: Sequence[object] | None = None,
) -> dict:  # fmt: skip
    """Return a question record in the official layout for a scene record; `outputs`: see
    `nodes_from_program`.
    """
    about = {key: scene[key] for key in ("split", "image_filename", "image_index")}
    about |= {"question": text, "answer": answer, "question_index": index}
    nodes = nodes_from_program(program, outputs)
    return {**about, "template_filename": template, "program": nodes}


def _question_index(record: Mapping, where: str) -> int:
    """Return the number of a question in its file."""
    value = record.get("question_index")
    try:
        if isinstance(value, bool) or int(value) != float(value):
            raise ValueError
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{where}: missing or malformed field question_index ({value!r}); expected an integer"
        ) from None


def field_text(record: Mapping, field: str, where: str) -> str:
    """Return a field as text: a word, number or boolean; null and blank raise InputError."""
    value = record.get(field)
    if not isinstance(value, str | int | float) or value != value or not str(value).strip():
        raise InputError(f"{where}: missing or malformed field {field} ({str(value)[:40]!r})")
    return str(value)


def _nodes(stored: object) -> Sequence[Mapping]:
    """Return a node list; the Hugging Face loader converts it to a mapping of lists. ProgramError
    for anything else.
    """
    if isinstance(stored, Mapping):
        columns = list(stored.values())
        if not all(isinstance(c, list) and len(c) == len(columns[0]) for c in columns):
            raise ProgramError("the columns are not lists of equal length")
        return [dict(zip(stored, values)) for values in zip(*columns, strict=True)]
    if not isinstance(stored, list):
        raise ProgramError(
            f"expected a list of nodes, got {type(stored).__name__} {str(stored)[:40]!r}"
        )
    return stored


def _stored_image(record: Mapping, where: str) -> str:
    """Return the image name of a question; raise InputError for a path outside the release's
    folder.
    """
    image = field_text(record, "image_filename", where)
    if PurePosixPath(image).is_absolute() or ".." in PurePosixPath(image).parts:
        raise InputError(f"{where}: the path of image {image!r} leads out of the folder")
    return image


def _stored_program(record: Mapping) -> tuple[str, str]:
    """Return the program of a question and the reason if it is not supported; both "" if the record
    has none.
    """
    if not record.get("program"):
        return "", ""
    try:
        return program_from_nodes(_nodes(record["program"])).text(), ""
    except ProgramError as error:
        return "", str(error)


# --- scenes ---------------------------------------------------------------------------------------


def read_scenes(root: str | Path) -> list[dict]:
    """Read the scene records of a folder (scenes.json, or scenes/*.json) or of one file, in image
    order.
    """
    root = Path(root)
    if root.is_file():
        files = [root]
    elif (root / "scenes.json").is_file():
        files = [root / "scenes.json"]
    else:
        files = sorted((root / "scenes").glob("*.json"))
    if not files:
        raise InputError(f"no scene records in {root}: expected scenes.json or scenes/*.json")
    records: list[dict] = []
    for file in files:
        content = read_json(file, "scene file")
        scenes = content.get("scenes", [content]) if isinstance(content, dict) else content
        for record in scenes if isinstance(scenes, list) else [None]:
            if not isinstance(record, dict) or "objects" not in record:
                raise InputError(
                    f"{file} contains no Super-CLEVR scenes: each needs the field 'objects'"
                )
            records.append(record)
    return sorted(records, key=lambda r: str(r.get("image_filename", "")))


def scene_from_superclevr(record: Mapping) -> Scene:
    """Convert a scene record to a ground-truth scene; an InputError names what is missing or
    unknown.

    The camera comes from `matrix_world`, else it is fitted to `pixel_coords`, else it is the
    nominal one. Occluders and boxes are set if the record has them.
    """
    from po3d.io.scene_schemas import VehicleScene  # importing pydantic takes 0.1 s
    from po3d.io.schemas import checked

    vehicle_scene = checked(VehicleScene, record, f"scene {_name(record)}")
    where, count = f"scene {_name(record)}", len(vehicle_scene.objects)
    boxes = vehicle_scene.po3d.boxes or (None,) * count
    if len(boxes) != count:
        raise InputError(f"{where}: {len(boxes)} boxes for {count} objects")
    objects = []
    for i, (o, box) in enumerate(zip(vehicle_scene.objects, boxes)):
        objects.append(_object(o, f"{where}: object {i}", box))
    if vehicle_scene.matrix_world is not None:
        view = _camera_from_blender(vehicle_scene.matrix_world)
    else:
        view = _fitted_camera(vehicle_scene.objects)
    occluders = None
    if vehicle_scene.occlusion is not None:
        occluders = _occluders(vehicle_scene.occlusion, count, where)
    return Scene(tuple(objects), AXES, "gt", view, occluders, vehicle_scene.image_filename)


def _name(record: object) -> str:
    name = record.get("image_filename", "?") if isinstance(record, Mapping) else "?"
    return visible(str(name)[:100])


def _object(o: "Vehicle", where: str, box: tuple[float, float, float, float] | None) -> ObjectState:
    shape = identifier(o.shape)
    values = {"shape": shape, "color": o.color, "size": o.size, "material": o.material}
    # PulseCheck457's realistic objects have no material.
    values = {a: v for a, v in values.items() if not (a == "material" and v in (None, "None"))}
    for attribute, value in values.items():
        if value not in VALUES[attribute]:
            raise InputError(
                f"{where}: unknown {attribute} {printable(value)}; known:"
                f" {', '.join(VALUES[attribute])}"
            )
    heading = heading_from_rotation(shape, o.rotation)
    size = tuple(map(float, extent(shape, values["size"])))
    return ObjectState(sure(**values), o.coords, heading, size, box=box)


def _camera_from_blender(matrix: Sequence[Sequence[float]]) -> Camera:
    world_T_blender = np.asarray(matrix, float)
    world_R_cam = world_T_blender[:3, :3] @ _BLENDER
    eye = world_T_blender[:3, 3]
    return Camera(WIDTH, HEIGHT, FOCAL, Pose(world_R_cam.T, -world_R_cam.T @ eye))


def _fitted_camera(objects: Sequence["Vehicle"]) -> Camera:
    """Fit the three jitter parameters of the benchmark's camera to the stored pixels and depths of
    the object origins.
    """
    with_pixels = [o for o in objects if o.pixel_coords is not None]
    if not with_pixels:
        return camera()
    origins = np.array([o.coords for o in with_pixels], float)
    stored = np.array([o.pixel_coords[0] for o in with_pixels], float)

    def residuals(jitter: Array) -> Array:
        pixels, depth = camera(jitter).project(origins)
        return np.concatenate(
            [(pixels - stored[:, :2]).ravel() / _PIXEL_SD, (depth - stored[:, 2]) / _DEPTH_SD]
        )

    bound = CAMERA_JITTER + 1e-3
    from scipy.optimize import least_squares  # takes 0.25 s to import

    return camera(least_squares(residuals, np.zeros(3), bounds=(-bound, bound)).x)


def _occluders(
    stored: Mapping[str, "Hidden"], count: int, where: str
) -> tuple[dict[int, float], ...]:
    """Return the dominant occluder of each object. An entry is {"obj": [state, mask, flag,
    occluder's index]}.
    """
    occluders: list[dict[int, float]] = []
    for i in range(count):
        entry = stored[str(i)].obj if str(i) in stored else (0,)
        try:
            hider = int(entry[3]) if int(entry[0]) > 0 and len(entry) > 3 else None
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"{where}: occlusion.{i}: {printable(list(entry))} should give state and occluder"
            ) from None
        if hider is not None and (not 0 <= hider < count or hider == i):
            raise InputError(
                f"{where}: occlusion.{i}: {hider} is not another object; valid indices are 0 to"
                f" {count - 1}"
            )
        occluders.append({} if hider is None else {hider: 1.0})
    return tuple(occluders)


def read_scene(path: str | Path) -> Scene:
    """Read one scene from a JSON file: po3d's format, one Super-CLEVR scene, or a Super-CLEVR file
    with one scene.
    """
    record = read_json(path, "scene file")
    if isinstance(record, dict) and record.get("format") == FORMAT:
        return from_json(record, str(path))
    if (
        not isinstance(record, dict)
        or "format" in record
        or not {"objects", "scenes"} & set(record)
    ):
        raise InputError(
            f"{path}: a scene should be in po3d's format ({FORMAT}) or Super-CLEVR's "
            "(objects, or scenes with one entry)"
        )
    records = read_scenes(path)
    if len(records) != 1:
        raise InputError(
            f"{path} contains {len(records)} scenes; a file with a single scene is needed"
        )
    return scene_from_superclevr(records[0])
