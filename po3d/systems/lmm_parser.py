"""`system=lmm_parser`: a language model writes the program, po3d's executor runs it on the scene.

    python evaluate.py system=lmm_parser system.base_url=URL system.model=NAME \\
        system.scenes=ground_truth
    python evaluate.py system=lmm_parser ... \\
        system.scenes=predicted system.scenes_file=OUT/scenes.jsonl

The prompt has the language of the benchmark's programs (`po3d/language/programs`), two or three
examples, and the question with its options or its change, but no image. The program is parsed and
type-checked; one that cannot be executed is returned to the model once, with the reason. If the
second one cannot be executed either, the question is "unparsed": it counts as wrong, and as
malformed in the report.
"""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import yaml

from po3d.benchmarks.choices import lettered
from po3d.benchmarks.registry import BENCHMARKS
from po3d.io.errors import InputError
from po3d.language.programs.street import ARGUMENTS
from po3d.language.read.parse import Parse
from po3d.reasoning.questions import Prediction, Question
from po3d.systems import pipeline
from po3d.systems.domain import ParsedQuestion, SceneExecutor
from po3d.systems.domain import domain as domain_of
from po3d.systems.image_scenes import ImageScenes
from po3d.systems.interfaces import Context
from po3d.systems.lmm import Finish, Lmm
from po3d.systems.prompts import Prompt, predicted_tables

_LINE = re.compile(
    r"^[\s*`>-]*(program|change)[*`\s]*:[*`\s]*(.+?)[`*\s]*$", re.IGNORECASE | re.MULTILINE
)


@dataclass(eq=False, repr=False)
class LmmParser(Lmm):
    """A System whose parser is the model behind an endpoint; the executor runs on true or predicted
    scenes."""

    scenes: str = "predicted"
    mode: str | None = None  # mode of the street executor; None: marginal
    samples: int | None = None  # None: 64

    def __post_init__(self, log: Any) -> None:
        for name, value in {"show": "picture", "change": "with", "style": "plain"}.items():
            if getattr(self, name) != value:
                raise InputError(
                    f"{name}={getattr(self, name)!r} has no effect on system=lmm_parser, which"
                    " sends no image"
                )
        if self.scenes not in ("predicted", "ground_truth"):
            raise InputError(
                f"scenes={self.scenes!r} of system=lmm_parser should be predicted or ground_truth"
            )
        super().__post_init__(log)
        self.world = BENCHMARKS[self.benchmark].world
        self.domain = domain_of(self.world)
        if self.world == "street":
            self.domain = replace(
                self.domain, mode=self.mode or "marginal", samples=self.samples or 64
            )
        elif (self.mode, self.samples) != (None, None):
            raise InputError(
                "executor.mode and executor.samples apply to streets; they have no "
                f"effect on {self.benchmark}"
            )
        if self.world == "rooms" and self.frame not in (None, "anchors"):
            if self.scenes == "ground_truth":
                raise InputError(
                    f"frame={self.frame} needs scenes=predicted: true scenes have the anchors'"
                    " frame"
                )
            self.domain = replace(self.domain, frame=self.frame)
        # Executors cache results shared by the questions on one image.
        self.running = threading.Lock()

    def asked(self, question: Question, context: Context) -> Prompt:
        return Prompt((language(self.world), english_question(question)))

    def finishing(
        self, questions: Sequence[Question], context: Context
    ) -> Callable[[Question], Finish]:
        """Return, for each question, the function that turns a response into a prediction; the
        questions share one executor."""
        answering = self._answering(questions, context)
        return lambda question: lambda record, ask: self._finish(question, answering, record, ask)

    @property
    def measures(self) -> dict[str, Callable[..., dict[str, Any]]]:
        return {**super().measures, "programs": self.programs}

    def programs(
        self, questions: Sequence[Question], predictions: Sequence[Prediction]
    ) -> dict[str, int]:
        """Return the numbers of programs written, returned once, and finally not executable."""
        written, again = set(), set()
        for record in self.records(questions):
            written.add(record["id"])
            if record.get("messages", 1) > 1:
                again.add(record["id"])
        malformed = sum(p.status == "unparsed" for p in predictions)
        return {"written": len(written), "sent_back": len(again), "malformed": malformed}

    def _answering(self, questions: Sequence[Question], context: Context) -> SceneExecutor:
        if self.scenes == "ground_truth":
            return self.domain.bind_ground_truth(context.truth())
        views: dict[str, Any] = {}
        for question in questions:
            result = predicted_tables(question, self.prompter.predicted, self.scenes_file)
            views |= dict(zip(question.images or (question.image,), result, strict=True))
        return self.domain.bind(ImageScenes(views, inputs=context.inputs))

    def _finish(
        self,
        question: Question,
        answering: SceneExecutor,
        record: Mapping[str, Any],
        ask: Callable[[list[dict]], dict],
    ) -> Prediction:
        reading = self._read(question, record["response"])
        if reading.unread:
            again = _words()["repair"].format(reason=reading.unread)
            more = [
                {"role": "assistant", "content": record["response"]},
                {"role": "user", "content": again},
            ]
            reading = self._read(question, ask(more)["response"])
        if reading.unread:
            return Prediction(
                question.id, "unparsed", reason=f"malformed program: {reading.unread}"
            )
        with self.running:
            return pipeline.predicted(self.domain, answering, question, reading)

    def _read(self, question: Question, response: str) -> ParsedQuestion:
        """Parse and type-check the programs of a response; a missing or malformed one has the
        reason."""
        result = {name.lower(): text for name, text in _LINE.findall(response)}
        lines = []
        for line in response.splitlines():
            if line.strip(" `"):
                lines.append(line)
        if not result and len(lines) == 1:
            result["program"] = lines[0].strip(" `")
        absent = []
        for n in ("program", *(["change"] if question.change else [])):
            if not result.get(n):
                absent.append(n)
        if absent:
            return ParsedQuestion(Parse("unparsed", reason=f"no line begins with '{absent[0]}:'"))
        own = replace(
            question, program=result["program"], change_program=result.get("change", ""), unread=""
        )
        try:
            reading = self.domain.gold(own, rows=self.scenes == "ground_truth")
        except (InputError, RecursionError) as error:
            return ParsedQuestion(Parse("unparsed", reason=str(error)))
        if not reading.unread:
            return reading
        return ParsedQuestion(
            Parse("unparsed", reason=reading.unread.replace("gold program: ", ""))
        )


def english_question(question: Question) -> str:
    """Return the question as it stands in the prompt, below the language."""
    words = _words()
    lines = [f"Change: {question.change}"] if question.change else []
    lines.append(lettered(question) if question.options else f"Question: {question.text}")
    return "\n".join([*lines, words["ask_change" if question.change else "ask"]])


@cache
def _words() -> dict[str, Any]:
    file = resources.files("po3d.systems") / "parser_prompt.yaml"
    return yaml.safe_load(file.read_text(encoding="utf-8"))


@cache
def language(world: str) -> str:
    """Return the prompt's description of a domain's programs: signatures, words, examples."""
    words = _words()
    own = words[world]
    rules = (resources.files("po3d.language") / "programs" / f"{own['file']}.txt").read_text(
        encoding="utf-8"
    )
    leaves = (resources.files("po3d.language") / "leaves.txt").read_text(encoding="utf-8")
    attributes = next(line for line in leaves.splitlines() if line.startswith("attribute "))
    arguments = []
    for op, values in ARGUMENTS.items():
        if values != ((),):
            sign = "=" if op == "filter" else ","
            arguments.append(f"{op}: {' '.join(map(sign.join, values))}")
    stated = own["vocabulary"].format(
        arguments="; ".join(arguments), attributes=", ".join(attributes.split()[1:])
    )
    examples = []
    for text, change, program, *edit in own["examples"]:
        lines = [f"Change: {change}"] if change else []
        lines.append(f"Question: {text}")
        lines += [f"change: {edit[0]}"] if edit else []
        examples.append("\n".join([*lines, f"program: {program}"]))
    return "\n\n".join([words["intro"], rules.strip(), stated, "Examples", *examples])
