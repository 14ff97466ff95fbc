"""Oracle grid: answers of a pipeline with modules true, predicted, or true with noise.

A cell of the grid gives each of the domain's modules a setting. Its scenes are mixed accordingly,
its programs gold or parsed, and the questions answered as in any pipeline. An answer depends only
on the modules that its program reads (`Domain.relevant`), so cells share most of their work.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import Scene
from po3d.systems.domain import Domain, ParsedQuestion, SceneExecutor
from po3d.systems.image_scenes import PREDICTED, ImageScenes, Setting
from po3d.systems.input_errors import BadImageCounter
from po3d.systems.oracle import lost_texts
from po3d.systems.parse_execution import run
from po3d.systems.pipeline import Pipeline, views_of


@dataclass
class Answers:
    """The answers of grid cells to one image's questions. `predicted`, `truth`: scenes by picture,
    the image's true one last; `read`, `gold`: parsed and gold programs of each question."""

    domain: Domain
    predicted: Mapping[str, Scene]
    truth: Mapping[str, Scene]
    questions: Sequence[Question]
    read: Sequence[ParsedQuestion]
    gold: Sequence[ParsedQuestion]
    seed: int = 0
    _answers: dict[Hashable, str | None] = field(default_factory=dict)
    _answering: dict[Hashable, SceneExecutor] = field(default_factory=dict)
    _memo: dict = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        pipeline: Pipeline,
        questions: Sequence[Question],
        predictions: Mapping[str, Prediction],
        predicted: Mapping[str, Scene],
        truth: Callable[[str], Scene],
        seed: int,
    ) -> "Answers":
        """Collect one image's scenes, questions and parses; the result can be sent to another
        process.

        `predictions` by question id provide the parsed programs. Questions without one are parsed
        again: the prediction does not record whether change or question was parsed. InputError if
        the run did not store a scene."""
        image, domain = questions[0].image, pipeline.domain
        read: list[ParsedQuestion | None] = []
        for q in questions:
            prediction = predictions.get(q.id)
            program = prediction.program if prediction else ""
            read.append(domain.rebuild_parse(q, program) if program else None)
        lacking = [q for q, parsed in zip(questions, read) if parsed is None]
        again = iter(pipeline.reader.read(lacking))
        scenes, true = {}, {}
        for name in views_of(questions) or [image]:
            if name not in predicted:
                raise InputError(
                    f"grid: no predicted scene for {name}; the system does not provide its scenes"
                )
            scenes[name], true[name] = predicted[name], truth(name)
        if image not in true:
            true[image] = truth(image)
        read = [next(again) if parsed is None else parsed for parsed in read]
        return cls(domain, scenes, true, questions, read, list(map(domain.gold, questions)), seed)

    def answers(self, settings: Sequence[Setting]) -> list[str | None]:
        """Return a cell's answer to each question, None for no answer; `settings` in the order of
        the domain's modules."""
        named = dict(zip(self.domain.modules, settings))
        reading = {m: named.pop(m) for m in self.domain.reading}
        gone = {m: self._lost(m, setting) for m, setting in reading.items()}
        true = []
        for m in reading:
            if reading[m] != PREDICTED:
                true.append(m)
        before, self._answering = self._answering, {}
        results = []
        for k, (q, read, gold) in enumerate(zip(self.questions, self.read, self.gold)):
            mixed = read.mixed(gold, true)
            if mixed.unread or any(gone[m][k] for m in gone):
                results.append(None)
                continue
            relevant = tuple(self.domain.relevant(named, mixed).items())
            programs = (mixed.question.program, mixed.change and mixed.change.program)
            key = (self.domain.read_values(q), q.task, programs, relevant)
            if key not in self._answers:
                # Cells with equal scenes are adjacent: keep the state of the last cell.
                if relevant not in self._answering:
                    self._answering[relevant] = before.get(relevant) or self._on(dict(relevant))
                self._answers[key] = run(self._answering[relevant], q, mixed).outcome.answer
            elif relevant in before:
                self._answering[relevant] = before[relevant]
            answer = self._answers[key]
            results.append(None if answer is None else mixed.question.option_of.get(answer, answer))
        return results

    def tables(self, settings: Mapping[str, Setting]) -> ImageScenes:
        """Return the scenes of a cell."""
        known = ImageScenes(self.predicted, self.truth, settings, seed=self.seed, memo=self._memo)
        return self.domain.mixed(known)

    def _on(self, settings: Mapping[str, Setting]) -> SceneExecutor:
        return self.domain.bind(self.tables(settings))

    def _lost(self, module: str, setting: Setting) -> list[bool]:
        """Whether noise removes each question's text of that kind; equal texts are removed
        together."""
        if isinstance(setting, str):
            return [False] * len(self.questions)
        return lost_texts(module, self.questions, setting, self.seed)


def mixer(system: Any) -> Pipeline | None:
    """Return the pipeline of a system whose true and predicted modules can be combined; None if it
    has no predicted scenes and modules."""
    if isinstance(system, BadImageCounter):
        system = system.system
    if not getattr(system, "all_predicted", False):
        return None
    if (frame := system.domain.frame) != "anchors":
        raise InputError(f"the grid of rooms needs benchmark.frame=anchors, not {frame}")
    return system
