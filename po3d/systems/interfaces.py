"""What a system gets and returns, and the interfaces of the pipeline's stages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import Scene
from po3d.systems.domain import ParsedQuestion
from po3d.systems.image_scenes import MISSING_INPUTS

Image = NDArray[np.uint8]  # (H, W, 3)


@dataclass(frozen=True)
class Context:
    """One image of a benchmark; its parts are read or rendered on access."""

    image: Callable[[], Image]
    truth: Callable[[], Scene]  # the true scene; only for oracles
    name: str = ""
    # Called by a system with each scene that it used; the evaluation compares it with the truth.
    on_scene: Callable[[Scene], None] = lambda scene: None
    # Further inputs of the benchmark: a room's map and captions, a focal length, an orbit's views.
    inputs: Any = MISSING_INPUTS

    @classmethod
    def of(
        cls, split: Any, name: str, on_scene: Callable[[Scene], None] = lambda scene: None
    ) -> "Context":
        """Return the context of the image `name` of a benchmark's split."""
        inputs = split.inputs(name) if hasattr(split, "inputs") else MISSING_INPUTS
        return cls(lambda: split.image(name), lambda: split.truth(name), name, on_scene, inputs)

    def picture(self, name: str) -> Image:
        """Return the pixels of the image, or of one of its views."""
        return self.image() if name == self.name else self.inputs.image(name)

    def true(self, name: str) -> Scene:
        """Return the true scene of the image, or of one of its views."""
        return self.truth() if name == self.name else self.inputs.truth(name)


def perceived(scene: Scene, name: str) -> Scene:
    """Return the scene that perception predicted for the image `name`; InputError if it is the
    ground truth. Only an oracle, or a pipeline whose configuration names the true scenes as its
    source, may use the ground truth."""
    if scene.source == "gt":
        raise InputError(
            f"perception returned ground truth for {name!r}; only an Oracle may use it"
        )
    return scene


ImageQuestions = tuple[Sequence[Question], Context]  # the questions on an image


class System(Protocol):
    """Answers the questions on one image, in their order. Optional members:

    measures            values for the report beside the score, by name
    notes(questions)    remarks for the report on these questions
    answers(batch)      one list of predictions per image, of several images per call, preferably
                        `at_once`; the answers do not depend on the batch
    begin(questions, context)   `PendingPredictions`, of a system that waits on I/O and keeps up to
                        `ahead` images in flight; it reads all that it needs from the context before
                        it returns
    """

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]: ...


def at_once(system: System) -> int:
    """Return the preferred batch size of a system, in images."""
    return getattr(system, "at_once", 1)


def all_answers(system: System, batch: Sequence[ImageQuestions]) -> list[list[Prediction]]:
    """Return one list of predictions per image; in one call if the system has `answers`."""
    if hasattr(system, "answers"):
        return system.answers(batch)
    return [system.answer(*image) for image in batch]


class PendingPredictions(Protocol):
    """Predictions in progress: a future."""

    def result(self) -> list[Prediction]: ...

    def cancel(self) -> object: ...


class PerceptionInput(NamedTuple):
    """Input of perception for one image."""

    context: Context
    names: Sequence[str]  # names of the image itself, or of those views that the questions refer to
    things: Sequence[str] = ()  # object names in the questions


class TableSource(Protocol):
    """Returns the scenes of images. `true`: whether they are the ground truth."""

    true: ClassVar[bool] = False

    def tables(self, looks: Sequence[PerceptionInput]) -> Sequence[Sequence[Scene]]:
        """Return, for each image, one scene per name. InputError if an input is missing."""
        ...


@dataclass(frozen=True)
class QuestionParser:
    """The parser of a benchmark's wording: `read` returns one parse per question. `parser`: its
    network, for provenance; None for rules."""

    read: Callable[[Sequence[Question]], Sequence[ParsedQuestion]]
    parser: Any = None
