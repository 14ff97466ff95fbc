"""Distributed evaluation: each image is answered by a worker process that has its own system."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from po3d.evaluation.run import Answered, Answers, Split
from po3d.io.errors import InputError
from po3d.io.ray_engine import Ray
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import Scene
from po3d.systems.input_errors import MARK
from po3d.systems.interfaces import System
from po3d.systems.pipeline import Context

ImageTask = tuple[str, Sequence[Question]]  # an image's name and its questions


@dataclass
class Work:
    """The task of a worker: answer the questions on an image. The system is built on first use."""

    make: Callable[[], System]
    split: Split  # without questions, which are sent with each image
    # Number of torch threads, if torch is used; another number would change floating-point sums.
    threads: int | None
    system: System | None = None

    def __call__(self, task: ImageTask) -> tuple[list[Scene], list[Prediction]]:
        name, questions = task
        if self.system is None:
            if self.threads is not None:
                import torch

                torch.set_num_threads(self.threads)
            self.system = self.make()
        scenes: list[Scene] = []
        split = replace(self.split, questions=tuple(questions))
        return scenes, self.system.answer(questions, Context.of(split, name, scenes.append))


def spread(engine: Ray, make: Callable[[], System]) -> Answers:
    """Return the `answers` argument of `predict` for an engine whose workers build their systems
    with `make`. Questions on images that no worker could process get the status "failed"."""

    def answers(split: Any, system: System, images: Iterable[ImageTask]) -> Iterator[Answered]:
        if getattr(system, "ahead", 0):
            raise InputError(
                "engine=ray supports systems that compute locally; for a remote service "
                "use system.concurrency"
            )
        torch = sys.modules.get("torch")  # None for systems without torch
        work = Work(make, replace(split, questions=()), torch and torch.get_num_threads())
        tasks = list(images)
        for (name, questions), (scenes, predictions) in zip(
            tasks, engine.each(work, tasks, _lost), strict=True
        ):
            yield name, questions, scenes, predictions

    return answers


def _lost(task: ImageTask, why: str) -> tuple[list[Scene], list[Prediction]]:
    return [], [Prediction(q.id, "failed", reason=f"{MARK}{task[0]}: {why}") for q in task[1]]
