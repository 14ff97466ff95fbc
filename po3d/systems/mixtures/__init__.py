"""Mixtures of a system's modules: some true, some predicted, some true with noise; what an oracle grid asks for.

A `Kind` says which modules a system has and answers the questions on an image for any mixture of them. A system that has one
gives it as `mixtures()`, None where nothing of it is predicted: `street`, `rooms`, `inside` (pictures) and `orbit` (views)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import Scene

TRUTH, PREDICTED = "truth", "predicted"
Setting = str | float  # TRUTH, PREDICTED, or a sigma


class Asked(Protocol):
    """One image with its questions, ready to go to another process."""

    def answers(self, settings: Sequence[Setting]) -> list[str | None]:
        """What a cell answers to each question, `settings` in the order of the kind's modules; None for no answer."""
        ...


class Kind(Protocol):
    """What can be true or predicted in a benchmark's pipeline."""

    modules: tuple[str, ...]
    units: Mapping[str, str]  # of the modules that can be noisy: what their sigma is
    headline: str  # "mean" of the categories, or "overall", of the questions
    grouped: (
        bool  # whether questions are right as a group, so that those that count for no more are asked too
    )

    def image(
        self,
        questions: Sequence[Question],
        predictions: Mapping[str, Prediction],
        predicted: Mapping[str, Scene],
        truth: Callable[[str], Scene],
        seed: int,
    ) -> Asked:
        """`predictions` by question id tell the parsed programs; tables are those of the image, or of its views.
        InputError when one was not kept (`kept_table`)."""
        ...


def kept_table(scenes: Mapping[str, Scene], name: str) -> Scene:
    """The predicted table of an image or view; InputError when there is none."""
    if name not in scenes:
        raise InputError(f"grid: there is no predicted table of {name}; the system keeps none")
    return scenes[name]
