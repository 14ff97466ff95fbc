"""State and actions of the studio, without the page.

A session has a scene with its history, edits, frames, changes in words, and answers.
"""

import functools
import json
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

import numpy as np
from numpy.typing import NDArray

from po3d.io import paths
from po3d.io.errors import InputError, visible
from po3d.io.images import decode_image
from po3d.perception.depth_files import PhotographWarning
from po3d.reasoning.questions import Task
from po3d.scene.edits import Edit, Move, Remove, SetAttribute, apply
from po3d.scene.rooms import COLORS as ROOM_COLORS
from po3d.scene.table import Scene, to_json
from po3d.scene.vocabulary import COLORS, shape_name
from po3d.systems.api import Answer, Model, change, load, read_scene
from po3d.systems.domain_router import DomainRouter
from po3d.systems.prompts import encode

LARGEST = 20_000_000  # bytes of an upload
PIXELS = 16_000_000  # of an image, 48 MB decoded
UNDO_LIMIT = 100  # number of states kept for undo
PHOTOGRAPH = (
    "the image looks like a photograph; start `po3d studio --detector FILE` (docs/photographs.md)"
)
_FOLDER = paths.ROOT / "data" / "examples"
EXAMPLES = {name: _FOLDER / name for name in ("street.jpg", "street.json", "room.json")}


@dataclass(frozen=True)
class State:
    """A scene, the image it was predicted from (H, W, 3), and the last action."""

    scene: Scene
    picture: NDArray[np.uint8] | None = None
    description: str = ""


@functools.cache
def model(world: str) -> Model:
    """Return the model, loaded once, as that takes seconds."""
    return load(world) if world == "street" else load(world, scenes="ground_truth")


@dataclass
class Session:
    """The scene of one user. Methods raise InputError for an impossible action, and leave the state
    unchanged."""

    states: list[State] = field(default_factory=list)
    photographs: Model | None = None  # answers all images, if there is one
    notes: tuple[str, ...] = ()  # warnings about the last photograph

    @property
    def state(self) -> State:
        if not self.states:
            raise InputError("no scene is open; choose an example or open a file")
        return self.states[-1]

    @property
    def scene(self) -> Scene:
        return self.state.scene

    @property
    def world(self) -> str:
        """Domain of the questions: "rooms" if the scene has an outline, "photographs" if its
        objects have names or its image was read by `photographs`, else "street"."""
        if self.scene.outline is not None:
            return "rooms"
        read = self.photographs is not None and self.state.picture is not None
        named = self.scene.has("name")
        return "photographs" if read or named else "street"

    @property
    def colors(self) -> Sequence[str]:
        return COLORS if self.world == "street" else ROOM_COLORS

    @property
    def names(self) -> list[str]:
        """The name of each object: "bed", "desk 1"; "#3 red truck" on a street."""
        if self.world == "street":
            words = ("size", "color", "shape", "name")
            street_names = []
            for k, o in enumerate(self.scene.objects):
                values = [shape_name(o.value(a)) for a in words if a in o.beliefs]
                street_names.append(" ".join([f"#{k}", *values]))
            return street_names
        plain = self.scene.names
        totals, counts, names = Counter(plain), Counter[str](), []
        for name in plain:
            counts[name] += 1
            names.append(f"{name} {counts[name]}" if totals[name] > 1 else name)
        return names

    # --- display ----------------------------------------------------------------------------------

    def open_example(self, name: str) -> None:
        path = EXAMPLES[name]
        self.open(path.name, path.read_bytes())

    def open(self, name: str, data: bytes) -> None:
        """Open a street image, or a scene as JSON, from its bytes; `name` is only displayed."""
        display = visible(PurePath(name).name[:80]).replace("\n", "\\n") or "the file"
        if len(data) > LARGEST:
            raise InputError(
                f"{display} has {len(data):,} bytes, more than the limit of {LARGEST:,}"
            )
        if data.lstrip()[:1] == b"{":
            self._begin(State(_table(data, display), description=display))
            return
        picture = decode_image(data, display, PIXELS)
        if self.photographs is not None:
            with self._noting():
                scene = self.photographs.look(picture)
        else:
            try:
                DomainRouter({"street": lambda: model("street")}, "street").refuse_photograph(
                    picture
                )
            except InputError:
                raise InputError(PHOTOGRAPH) from None
            scene = model("street").look(picture)
        self._begin(State(scene, picture, display))

    def _begin(self, state: State) -> None:
        self.states = [state]

    # --- actions ----------------------------------------------------------------------------------

    def move(self, row: int, x: float, y: float, heading: float | None = None) -> None:
        """Move an object on the ground; `heading` in radians."""
        if not np.isfinite([x, y, heading or 0.0]).all():
            raise InputError("a position should be finite numbers")
        o = self._row(row)
        self._edit(Move(row, (x, y, o.position[2]), heading), f"{self.names[row]} moved")

    def paint(self, row: int, color: str) -> None:
        if color not in self.colors:
            raise InputError(f"unknown colour {color[:40]!r}; known: {', '.join(self.colors)}")
        self._row(row)
        self._edit(SetAttribute(row, "color", color), f"{self.names[row]} painted {color}")

    def remove(self, row: int) -> None:
        self._row(row)
        self._edit(Remove(row), f"{self.names[row]} removed")

    def say(self, sentence: str) -> None:
        """Apply a change to a room, given in words."""
        if self.world != "rooms":
            raise InputError(
                "textual changes apply to rooms; drag, paint or remove the objects of a street"
            )
        self._push(change(self.scene, sentence), sentence)

    def turn_to(self, sentence: str) -> None:
        """Set the room's frame to that of a sentence."""
        if self.world != "rooms":
            raise InputError("textual frames apply to rooms; a street uses the camera's frame")
        self._push(self.scene.in_frame(sentence), sentence)

    def undo(self) -> str:
        """Undo one step; return its description."""
        if len(self.states) < 2:
            raise InputError("there is nothing to undo")
        return self.states.pop().description

    def _row(self, row: int):
        if not 0 <= row < len(self.scene):
            raise InputError(f"there is no object {row}: the scene has {len(self.scene)}")
        return self.scene.objects[row]

    def _edit(self, edit: Edit, description: str) -> None:
        self._push(apply(self.scene, [edit]), description)

    def _push(self, scene: Scene, description: str) -> None:
        self.states = [
            *self.states[-UNDO_LIMIT:],
            replace(self.state, scene=scene, description=description),
        ]

    # --- answers ----------------------------------------------------------------------------------

    def ask(self, question: str, task: Task = "2d") -> Answer:
        if not question.strip():
            raise InputError("the question is empty")
        answer = self._answer(question.strip(), task)
        if answer.status == "unparsed":
            raise InputError(f"the question cannot be parsed: {answer.reason}")
        return answer

    def _answer(self, question: str, task: Task) -> Answer:
        """Answer on the scene; a photograph that was not edited is searched for the objects that
        the question names, and the resulting scene becomes the session's."""
        if self.world != "photographs" or self.photographs is None:
            return model(self.world).ask(self.scene, question, task=task)
        if len(self.states) > 1 or self.state.picture is None:
            return self.photographs.ask(self.scene, question, task=task)
        with self._noting():
            answer = self.photographs.ask(self.state.picture, question, task=task)
        if answer.scene is not None:
            self.states = [replace(self.state, scene=answer.scene)]
        return answer

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Within this context, warnings about the photograph become `notes`."""
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always", PhotographWarning)
            yield
        mine = [str(w.message) for w in seen if issubclass(w.category, PhotographWarning)]
        self.notes = tuple(dict.fromkeys(mine))

    def lit(self, answer: Answer, step: int) -> list[int]:
        """Return the objects that a step of an answer selected with a probability above 0.5."""
        trace = answer.explanation.outcome.trace if answer.explanation.outcome else ()
        objects = trace[step].objects if 0 <= step < len(trace) else {}
        return [k for k, p in objects.items() if p >= 0.5 and 0 <= k < len(self.scene)]

    def saved(self) -> bytes:
        """Return the scene as a file that `open` reads."""
        return json.dumps(to_json(self.scene), indent=1).encode()

    def rendered_picture(self) -> NDArray[np.uint8] | None:
        """Return the image with boxes and headings, (H, W, 3); None if the scene has no image."""
        from po3d.evaluation.report.draw import draw_photograph, draw_scene

        if self.state.picture is None:
            return None
        if self.world == "photographs":
            return np.asarray(draw_photograph(self.state.picture, self.scene))
        image = draw_scene(self.state.picture, self.scene).crop(
            (0, 0, *self.state.picture.shape[1::-1])
        )
        return np.asarray(image)

    def picture_file(self) -> bytes:
        """Return a PNG of the scene: the image beside the top view, or the top view alone."""
        from po3d.evaluation.report.draw import draw_change, draw_photograph, draw_scene
        from po3d.scene.edits import unchanged

        if self.world == "rooms":
            return encode(np.asarray(draw_change(self.states[0].scene, unchanged(self.scene))))
        draw = draw_photograph if self.world == "photographs" else draw_scene
        return encode(np.asarray(draw(self.state.picture, self.scene)))


def _table(data: bytes, name: str) -> Scene:
    """Read a scene from a file's bytes by the reader of files; errors name the user's file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.json"
        path.write_bytes(data)
        try:
            return read_scene(path)
        except InputError as error:
            raise InputError(str(error).replace(str(path), name)) from None
