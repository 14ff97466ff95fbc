"""SCOPE: one space seen from eight viewpoints. No official data is public; a release in this format
can be loaded:

  items.jsonl      one question per line (below)
  images/          the views
  scenes.jsonl     true scenes with their orbits; twins only

A line of items.jsonl:

  id         unique
  scene      id of the scene that the eight views show
  task       one of score.TASKS
  images     file names in images/: all that the question shows, in order
  view       the camera angle of each image, degrees on the circle; a number or a list
  question   its text
  options    the texts of A, B, C, D
  answer     the letter of the right option, or its text
  group      optional: id shared by a question's versions from different views; by default those
             with equal scene, task and text
  variant    optional: "paraphrase"; `of` is then the id of the original question, and the line is
             in no column
  program    optional: the ground-truth program

`Question.image` is the scene, so a system gets all questions on a scene at once and processes each
view once. An `OrbitQuestion` has its images, views and options, "group", "variant" and "of".
`ScopeSplit.image` and `ScopeSplit.truth` also accept the file name of a view and return its pixels
(rendered if a twin has no file) or the visible objects in the view's own frame, whose camera is at
-y.
Scores: `po3d.benchmarks.scope.score`.
"""

import json
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.scope.score import TASKS, chosen
from po3d.benchmarks.scope.views import IMAGES, SceneViews
from po3d.benchmarks.splits import QuestionSplit, unique
from po3d.benchmarks.twin_folder import TWIN, described
from po3d.io.errors import InputError, known
from po3d.io.files import read_jsonl, write_jsonl
from po3d.io.images import read_image
from po3d.reasoning.questions import Question
from po3d.scene.orbit import READING, VIEWS, Orbit, OrbitConvention, view_angle
from po3d.scene.table import Scene, from_json, to_json

ITEMS, SCENES = "items.jsonl", "scenes.jsonl"
TWIN_FORMAT = "po3d-scope-twin-2"
FOCAL = 1.0  # assumed focal length of a release's images, in image widths


@dataclass(frozen=True)
class OrbitQuestion(Question):
    """A question of SCOPE."""

    group: str = ""  # id shared by a question's versions from different views
    # "paraphrase" for a rewording of the item `of`, excluded from headline figures
    variant: str = ""
    of: str = ""


@dataclass(frozen=True)
class ScopeSplit(QuestionSplit):
    """Questions, and access to their scenes and views."""

    root: Path
    # furniture models for rendering a twin's missing images; None: the Debian package's
    furniture: Path | None = None
    items: Path | None = None  # the question file, if it is not ITEMS
    own_worlds: ClassVar[bool] = True  # a view's scene is in its camera's frame
    _views: dict[str, SceneViews] = field(default_factory=dict, repr=False)

    def image(self, name: str) -> NDArray[np.uint8]:
        """Return (H, W, 3) pixels of a view by its file name (rendered if a twin has no file), or
        of a scene's first view."""
        name = name if name in self._angles else self._first(name)
        path = self.root / IMAGES / name
        if path.is_file() or not (self.root / TWIN).is_file():
            return read_image(path)
        from po3d.benchmarks.scope.pictures import picture  # the renderer is an optional dependency

        scene, angle = self._angles[name]
        twin = described(self.root, TWIN_FORMAT, name)
        return picture(twin, self.view(scene), angle, self.furniture)

    def focal(self, name: str) -> float:
        """Return the focal length of a view in image widths (the camera position is to be
        estimated): a twin's own, or FOCAL for a release.
        """
        if not (self.root / SCENES).is_file():
            return FOCAL
        orbit = self.view(self._angles[name][0]).orbit
        return orbit.focal / orbit.width

    @property
    def reading(self) -> OrbitConvention:
        """The orbit convention of the views: a twin's own, else the benchmark's."""
        if not (self.root / SCENES).is_file():
            return READING
        return self.view(self.images[0]).orbit.reading

    def truth(self, name: str) -> Scene:
        """Return the ground truth of a scene, in the frame of its camera at 0 degrees, or of a
        view. Raise InputError if there is none.
        """
        if name in self._angles:
            scene, angle = self._angles[name]
            return self.view(scene).table(angle, name)
        return self.view(name).scene

    def view(self, scene: str) -> SceneViews:
        """Return the ground truth of a scene with its orbit; raise InputError if there is none."""
        if not self._views:
            self._views.update(read_views(self.root))
        if scene not in self._views:
            raise InputError(
                f"{self.split} has no true scene of {scene!r}; twins have them in {SCENES}"
                ", releases have none"
            )
        return self._views[scene]

    def inputs(self, name: str) -> "ScopeSplit":
        """Return the additional inputs of a scene: pixels and ground truth of its views, by file
        name.
        """
        return self

    def files(self) -> list[Path]:
        """Return the existing files of questions, images and scenes."""
        paths = [self.items or self.root / ITEMS, self.root / SCENES, self.root / TWIN]
        paths += [self.root / IMAGES / name for name in self._angles]
        return [path for path in paths if path.is_file()]

    @cached_property
    def _angles(self) -> Mapping[str, tuple[str, int]]:
        """File name of a view -> (scene, angle)."""
        angles = {}
        for q in self.questions:
            for name, angle in zip(q.images, q.views):
                angles[name] = (q.image, angle)
        return angles

    def _first(self, scene: str) -> str:
        angles = {name: angle for name, (own, angle) in self._angles.items() if own == scene}
        if not angles:
            raise InputError(f"{self.split} has no view of {scene!r}")
        return min(angles, key=angles.__getitem__)


# --- reading --------------------------------------------------------------------------------------


def load(root: str | Path, split: str = "") -> ScopeSplit:
    """Load the benchmark from the folder or items file `root`; raise InputError if something is
    missing or malformed.
    """
    root = Path(root)
    path = root if root.is_file() else root / ITEMS
    if not path.is_file():
        twin = "po3d generate benchmark=scope size=100 seed=1 out=DIR"
        note = f"there is no public release, make a twin: {twin}"
        raise InputError(f"no SCOPE data in {root}: expected {ITEMS}; {note}")
    records = enumerate(read_jsonl(path, "items file"), 1)
    questions = [_question(record, f"{path}, line {number}") for number, record in records]
    if not questions:
        raise InputError(f"{path} contains no questions")
    questions = unique(questions, path, "id")
    return ScopeSplit(split or path.parent.name, questions, path.parent, items=path)


def _question(record: object, where: str) -> Question:
    from po3d.io.schemas import ScopeItem, checked  # importing pydantic takes 0.1 s

    if not isinstance(record, dict):
        raise InputError(f"{where}: an item should be an object with id, scene, task ...")
    for key in ("id", "scene", "task", "images", "view", "question", "options", "answer"):
        if record.get(key) in (None, "", []):
            raise InputError(f"{where}: the field {key!r} is missing")
    checked(ScopeItem, record, where)
    task = str(record["task"])
    known("task", task, TASKS, f"{where}: ")
    options, images = list(map(str, record["options"])), record["images"]
    views = record["view"] if isinstance(record["view"], list) else [record["view"]]
    texts = set(map(str.strip, options))
    if len(options) < 2 or "" in texts or len(texts) < len(options):
        value = json.dumps(record["options"])[:60]
        raise InputError(f"{where}: 'options' should be a list of distinct strings, not {value}")
    if len(images) != len(views):
        raise InputError(f"{where}: 'images' and 'view' should be lists of equal length")
    if any(Path(name).name != name for name in images):
        value = json.dumps(images)[:60]
        raise InputError(f"{where}: 'images' should be file names without folders, not {value}")
    answer = chosen(str(record["answer"]), options)
    if answer is None:
        raise InputError(f"{where}: the answer {record['answer']!r} is not among the options")
    text, scene = str(record["question"]), str(record["scene"])
    fields = {
        "images": tuple(images),
        "views": tuple(map(view_angle, views)),
        "options": tuple(options),
        "group": str(record.get("group") or f"{scene}/{task}/{text}"),
    }
    fields |= {key: str(record[key]) for key in ("variant", "of") if record.get(key)}
    frame = "2d" if task.endswith("_ego") else "6d"
    program = str(record.get("program") or "")
    return OrbitQuestion(str(record["id"]), scene, text, frame, task, answer, program, **fields)


def read_views(root: str | Path) -> dict[str, SceneViews]:
    """Read scene -> ground truth, orbit and visibilities; {} if the folder has none."""
    path = Path(root) / SCENES
    views = {}
    for number, record in enumerate(read_jsonl(path, "scene file") if path.is_file() else (), 1):
        where = f"{path}, line {number}"
        scene = from_json(record, where)
        try:
            visible = np.array(record.get("visible", []), float)
        except (TypeError, ValueError, OverflowError):
            visible = np.zeros(0)
        if visible.shape != (len(VIEWS), len(scene)):
            raise InputError(
                f"{where}: 'visible' should be {len(VIEWS)} lists of {len(scene)} fractions"
            )
        models = record.get("models", [])
        if not isinstance(models, list):
            raise InputError(f"{where}: 'models' should be a list of names")
        orbit = Orbit.from_json(record.get("orbit") or {}, where)
        views[scene.image] = SceneViews(
            scene, orbit, visible, str(record.get("ground", "")), tuple(map(str, models))
        )
    return views


# --- writing --------------------------------------------------------------------------------------


def write_release(
    folder: str | Path, questions: Sequence[Question], views: Iterable[SceneViews] = ()
) -> None:
    """Write questions and true scenes in the format of `load`; the items file is written last."""
    write_jsonl(Path(folder) / SCENES, map(_view, views))
    write_jsonl(Path(folder) / ITEMS, map(_item, questions))


def _view(view: SceneViews) -> dict:
    return to_json(view.scene) | {
        "ground": view.ground, "orbit": view.orbit.to_json(), "models": list(view.models),
        "visible": np.round(view.visible, 3).tolist(),
    }  # fmt: skip


def _item(q: Question) -> dict:
    options, views = q.options, q.views
    record = {
        "id": q.id, "scene": q.image, "task": q.category, "images": q.images,
        "view": views[0] if len(views) == 1 else views, "question": q.text, "options": options,
        "answer": string.ascii_uppercase[options.index(q.answer)], "group": q.group,
    }  # fmt: skip
    record |= {key: value for key in ("variant", "of") if (value := getattr(q, key))}
    return record | ({"program": q.program} if q.program else {})
