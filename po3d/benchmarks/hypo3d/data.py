"""Hypo3D: questions about rooms after a hypothetical change. Reads and writes the official files.

  contextvqa.json, or hypo3d.json        {scene_id: [change, ...]}; a change has its questions
  "Axis Definition.xlsx", or             the anchors at front, back, left and right of each room;
  axis_definition.xlsx or .csv           the CSV needs no spreadsheet reader
  2D_VLM_data/top_view_no_label_rotated  {scene_id}.png: top view of each room
  scenes.json, or scenes.jsonl           true scenes in po3d's format; not part of the release
  labelled maps and captions             see `po3d.benchmarks.hypo3d.inputs`

`Question.image` is the scene id; a `RoomQuestion` has the text of its change, the description of
its reference frame (`frame`) and `types` (Scale, Direction, Semantic). In a twin's files, questions
may also have "program", "change_program", "fine" and "control". Scores:
`po3d.benchmarks.hypo3d.score`.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.base import Erratum
from po3d.benchmarks.hypo3d.inputs import InputFiles, RoomInputs
from po3d.benchmarks.hypo3d.scans import read_scan
from po3d.benchmarks.hypo3d.score import ALIGNED, CATEGORIES
from po3d.benchmarks.splits import QuestionSplit, first_file, scenes_by_image, unique
from po3d.benchmarks.twin_folder import TWIN
from po3d.io.errors import InputError, known
from po3d.io.files import atomic_write, read_json, read_jsonl, write_json, write_jsonl
from po3d.io.tables import table_rows
from po3d.language.programs.rooms import SIDES
from po3d.reasoning.questions import Prediction, Question, images_of, paired
from po3d.scene.frames import frame_text_anchors
from po3d.scene.table import Scene, from_json, to_json

QUESTION_FILES = ("contextvqa.json", "hypo3d.json")
AXIS_FILES = ("axis_definition.csv", "Axis Definition.xlsx", "axis_definition.xlsx")
SCENES = "scenes.jsonl"
SCENE_FILES = (SCENES, "scenes.json")
EXTRAS = ("change_program", "fine", "control")  # optional fields of a question
WHERE = (
    "download: GitHub, MatchLab-Imperial/Hypo3D (the question file is provided through the form"
    " linked there)"
)

Anchors = Mapping[str, str]  # side -> the anchor object there; sides without an anchor are omitted


def frame_text(anchors: Anchors) -> str:
    """Return the description of the reference frame in the benchmark's wording; "" without
    anchors."""
    return frame_text_anchors([(anchors[side], side) for side in SIDES if anchors.get(side)])


@dataclass(frozen=True)
class RoomQuestion(Question):
    """A question of Hypo3D."""

    types: tuple[str, ...] = ()  # question types: Scale, Direction, Semantic
    fine: str = ""  # fine-grained type, if given by a twin
    control: str = ""  # name of the control set, which is excluded from headline figures


@dataclass(frozen=True)
class Hypo3DSplit(QuestionSplit):
    """Questions, and access to their rooms."""

    root: Path
    anchors: Mapping[str, Anchors]  # by scene id
    # annotated scans (see scans.read_scan), source of ground truth for rooms without stored scenes
    scans: Path | None = None
    # furniture models for rendering missing maps; None: the Debian package's
    furniture: Path | None = None
    _scenes: dict[str, Scene] = field(default_factory=dict, repr=False)

    def frame(self, scene_id: str) -> str:
        """Return the description of the room's reference frame; "" if the release has none."""
        return frame_text(self.anchors.get(scene_id, {}))

    def image(self, scene_id: str) -> NDArray[np.uint8]:
        """Return (H, W, 3) pixels of the room's top view; for NAME#labelled its labelled map, for
        NAME#camera the view to its front.

        Raise InputError if there is neither an image nor a ground-truth scene.
        """
        if "#" in scene_id:
            return self.inputs(scene_id.partition("#")[0]).image(scene_id)
        return self._files.picture(scene_id)

    def truth(self, scene_id: str) -> Scene:
        """Return the ground truth of the unchanged room; raise InputError if there is none."""
        if not self._scenes:
            if self.scans is not None:
                self._scenes.update(read_scan(self.scans, only=self.images))
            self._scenes.update(_read_scenes(self.root))
        if scene_id not in self._scenes:
            scans = "benchmark.scans=DIR to a folder of ScanNet, 3RScan or EmbodiedScan files"
            where = f"the official release has none (set {scans}); twins have them in {SCENES}"
            raise InputError(f"{self.split} has no true scene of {scene_id!r}: {where}")
        return self._scenes[scene_id]

    def inputs(self, scene_id: str) -> RoomInputs:
        """Return the additional inputs of a room: sources for its scene or reference frame."""
        return RoomInputs(self._files, scene_id, self.frame(scene_id))

    def files(self) -> list[Path]:
        """Return the existing files of questions, inputs and scenes, without `scans`."""
        names = (QUESTION_FILES, AXIS_FILES, SCENE_FILES, [TWIN])
        paths = filter(None, map(partial(_first_there, self.root), names))
        return [*paths, *self._files.files(self.images)]

    def notes(self) -> list[str]:
        """Return notes on this split: rooms without an axis definition."""
        bare = [name for name in self.images if not self.anchors.get(name)]
        if not bare:
            return []
        rooms = f"{len(bare)} of {len(self.images)} rooms"
        names = ", ".join(bare[:3]) + (", ..." if len(bare) > 3 else "")
        return [f"{rooms} have no axis definition, so their front is undefined ({names})"]

    @cached_property
    def _files(self) -> InputFiles:
        return InputFiles(self.root, self.truth, self.furniture)

    def unit_of(self, question: Question) -> str:
        """Return the unit that `first` counts: the room, or the original room of an aligned
        copy."""
        return question.image.removesuffix(ALIGNED)


# --- reading --------------------------------------------------------------------------------------


def load(root: str | Path, split: str = "") -> Hypo3DSplit:
    """Load the benchmark from the folder `root`; raise InputError saying what is missing and where
    to get it."""
    root = Path(root)
    path = _first_there(root, QUESTION_FILES)
    if path is None:
        expected = f"expected {' or '.join(QUESTION_FILES)}; {WHERE}"
        raise InputError(f"no Hypo3D data in {root}: {expected}")
    axes = _first_there(root, AXIS_FILES)
    if axes is None:
        expected = f"expected {' or '.join(AXIS_FILES)}; {WHERE}"
        raise InputError(f"{root} has no axis definitions: {expected}")
    anchors = _read_axes(axes)
    questions = [_question(*record, anchors) for record in _records(path)]
    if not questions:
        raise InputError(f"{path} contains no questions")
    return Hypo3DSplit(split or root.name, unique(questions, path, "question_id"), root, anchors)


def _first_there(root: Path, names: Iterable[str]) -> Path | None:
    return first_file(map(root.joinpath, names))


def _records(path: Path) -> Iterator[tuple[str, dict, dict, str]]:
    """Yield scene id, change, question and location of each question of the official JSON file."""
    content = read_json(path, "question file")
    if not isinstance(content, dict):
        expected = "expected {scene_id: [change, ...]}"
        raise InputError(f"{path} is not a Hypo3D question file: {expected}")
    for scene_id, changes in content.items():
        if not isinstance(changes, list):
            raise InputError(f"{path}, scene {scene_id}: expected a list of changes")
        if Path(scene_id).name != scene_id:
            raise InputError(f"{path}: the scene id {scene_id!r} is not valid as a file name")
        for k, change in enumerate(changes):
            where = f"{path}, scene {scene_id}, change {k}"
            records = change.get("questions_answers") if isinstance(change, dict) else None
            if not isinstance(records, list) or not set(map(type, records)) <= {dict}:
                raise InputError(f"{where}: 'questions_answers' should be a list of questions")
            for n, record in enumerate(records):
                yield scene_id, change, record, f"{where}, question {n}"


def _question(
    scene_id: str, change: dict, record: dict, where: str, anchors: Mapping[str, Anchors]
) -> Question:
    def get(part: dict, key: str) -> str:
        value = part.get(key)
        if value is None:
            raise InputError(f"{where}: the field {key!r} is missing")
        if not isinstance(value, str | int | float) or value != value:
            expected = f"should be a string, not {str(value)[:40]!r}"
            raise InputError(f"{where}: the field {key!r} {expected}")
        return str(value)

    name, text = get(record, "question_id"), get(record, "question")
    answer = get(record, "answer")
    for key, value in (("question", text), ("answer", answer)):
        if not value.strip():
            raise InputError(f"{where}: the field {key!r} is empty")
    types = tuple(map(str.capitalize, get(record, "question_type").split()))
    category = _category(get(change, "change_type"), where)
    described = get(change, "context_change")
    fields = {"change": described, "frame": frame_text(anchors.get(scene_id, {})), "types": types}
    fields |= {key: str(record[key]) for key in EXTRAS if record.get(key)}
    program = str(record.get("program") or "")
    return RoomQuestion(name, scene_id, text, "2d", category, answer, program, **fields)


def _category(change_type: str, where: str) -> str:
    """Return the kind of change: "movement" for "Object Movement Change" or "Movement Change"."""
    matches = [word for word in change_type.lower().split() if word in CATEGORIES]
    if len(matches) != 1:
        expected = f"should contain one of {', '.join(CATEGORIES)}"
        raise InputError(f"{where}: change_type {change_type!r} {expected}")
    return matches[0]


def _read_axes(path: Path) -> dict[str, dict[str, str]]:
    """Read scene id -> anchors from a table with the columns scene_id, Front, Back, Left and
    Right."""
    anchors = {}
    needed = ("scene_id", *SIDES)
    for row in table_rows(path, "axis definition", "hypo3d", columns=needed, sheet="Sheet1"):
        cells = {}
        for name, cell in row.items():
            cells[name.strip().lower()] = "" if cell is None else str(cell).strip()
        if cells["scene_id"]:
            anchors[cells["scene_id"]] = {side: cells[side] for side in SIDES if cells[side]}
    return anchors


def _read_scenes(root: Path) -> dict[str, Scene]:
    path = _first_there(root, SCENE_FILES)
    if path is None:
        return {}
    if path.suffix == ".jsonl":
        return scenes_by_image(read_jsonl(path, "scene file"), path)
    stored = read_json(path, "scene file")
    if isinstance(stored, list):
        return scenes_by_image(stored, path)
    if not isinstance(stored, dict):
        expected = "a list of scene tables, or {scene_id: table}"
        raise InputError(f"scene file {path} should be {expected}")
    scenes = {}
    for name, record in stored.items():
        scenes[name] = replace(from_json(record, f"{path}, {name}"), image=name)
    return scenes


# --- writing --------------------------------------------------------------------------------------


def write_release(
    folder: str | Path,
    questions: Sequence[Question],
    anchors: Mapping[str, Anchors],
    scenes: Iterable[Scene] = (),
) -> None:
    """Write questions, axes and true scenes (identified by their `image`) in the format of `load`.

    Loading returns the questions in order if those of a room and of a change are contiguous. Files
    are written atomically; the question file is written last, so its presence marks a complete
    folder.
    """
    folder = Path(folder)
    write_jsonl(folder / SCENE_FILES[0], map(to_json, scenes), compact=True)
    with atomic_write(folder / AXIS_FILES[0]) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("scene_id", *map(str.capitalize, SIDES)))
        for scene_id, sides in anchors.items():
            for side in sorted(sides):
                known("side", side, SIDES, f"scene {scene_id}: ")
            writer.writerow((scene_id, *[sides.get(side, "") for side in SIDES]))
    write_json(folder / QUESTION_FILES[0], _layout(questions, {}))


def _layout(questions: Sequence[Question], answers: Mapping[str, str]) -> dict[str, list[dict]]:
    """Return the official JSON; `answers` (by question id) are stored as "predicted_answer"."""
    content: dict[str, dict[tuple[str, str], dict]] = {}
    for q in questions:
        changes, key = content.setdefault(q.image, {}), (q.category, q.change)
        if key not in changes:
            kind = f"Object {q.category.capitalize()} Change"
            described = {"context_change": q.change, "change_type": kind}
            changes[key] = {**described, "questions_answers": []}
        record = {"question_id": q.id, "question": q.text, "answer": q.answer}
        record["question_type"] = " ".join(q.types)
        for name in ("program", *EXTRAS):
            if getattr(q, name):
                record[name] = getattr(q, name)
        if q.id in answers:
            record["predicted_answer"] = answers[q.id]
        changes[key]["questions_answers"].append(record)
    return {scene_id: list(changes.values()) for scene_id, changes in content.items()}


def write_corrected(
    split: Hypo3DSplit, root: Path, errata: Mapping[str, Erratum], out: Path
) -> None:
    """Write the release with its errata corrected, in the format of `write_release`."""
    fixed = []
    for q in split.questions:
        erratum = errata.get(q.id)
        if erratum is not None and erratum.computed:
            q = replace(q, answer=erratum.computed)
        if erratum is None or erratum.verdict != "left out":
            fixed.append(q)
    names = dict.fromkeys(images_of(fixed))
    write_release(out, fixed, split.anchors, list(map(split.truth, names)))


# --- official result files: the question file with "predicted_answer" -----------------------------


def write_results(
    path: str | Path, questions: Sequence[Question], predictions: Iterable[Prediction]
) -> None:
    """Write predictions as an official result file for metric_compute.py; a status other than "ok"
    gives an empty answer."""
    answers = {}
    for q, p in paired(questions, predictions):
        answers[q.id] = (p.answer or "") if p.status == "ok" else ""
    write_json(path, _layout(questions, answers))
