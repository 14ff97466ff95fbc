"""Interactive API: an image or scene plus a question in, an answer with its explanation out.

`po3d ask` and the Python API (`import po3d`) use the pipelines of the evaluations.
"""

import functools
import importlib
import inspect
import math
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from po3d.io.deprecated_names import new_settings
from po3d.io.errors import InputError
from po3d.io.hub import SCHEME
from po3d.io.images import Picture, pixels
from po3d.io.text_tables import text as table_text
from po3d.language.english import singular, words_of
from po3d.language.grammar import GrammarError
from po3d.language.program import LEAVES
from po3d.language.read.mending import Mending
from po3d.language.read.parse import Parse
from po3d.language.say.plain import say
from po3d.reasoning.questions import Question, Status, Task
from po3d.scene.display import display_table, room_table
from po3d.scene.index import SceneIndex
from po3d.scene.rooms import CATEGORIES, SYNONYMS
from po3d.scene.table import Scene, to_json
from po3d.scene.vocabulary import shape_name
from po3d.systems.answer_options import restrict_to_options, strip_prompt_template
from po3d.systems.domain import DOMAIN_MODULES, Execution, ParsedQuestion, SceneExecutor
from po3d.systems.domain_router import (
    DomainMatch,
    DomainRouter,
    OutOfDistributionWarning,
    distances,
    nearest,
)
from po3d.systems.explanation import Explanation
from po3d.systems.general_parser import MISSING
from po3d.systems.image_inputs import ImageInputs, no_truth
from po3d.systems.image_scenes import ImageScenes
from po3d.systems.interfaces import Context, PerceptionInput
from po3d.systems.parser_choice import ASK_BELOW, choose, worded
from po3d.systems.pipeline import Pipeline, calibrated, likeliest_of, run

UNITS = {"volume": "m³", "bearing": "degrees"}  # units of measures; of all others metres
# Threshold on `Outcome.valid`, the probability of presuppositions (that there is one red bus).
PRESUPPOSED = 0.5
NOBODY = "not understood"
SHOWN = 2  # number of interpretations offered when the system abstains


@dataclass(frozen=True)
class Answer:
    """An answer with its explanation, or the reason why there is none. `print` shows all of it."""

    question: str
    status: Status
    answer: str | None = None
    probability: float | None = None
    reason: str = ""
    program: str = ""
    explanation: Explanation = field(default_factory=Explanation, repr=False)
    # Interpretations by the general parser, most probable first: each as a sentence, with its
    # answer.
    understood: tuple[tuple[str, str | None], ...] = ()
    # If the status is "abstained": the full answer for each interpretation.
    choices: tuple["Answer", ...] = field(default=(), repr=False)
    # Corrected spelling errors: word, correction.
    mended: tuple[Mending, ...] = ()
    # Nearest training domain of the image, if the estimator detects out-of-distribution images.
    domain_match: DomainMatch | None = None

    @property
    def trace(self) -> tuple[str, ...]:
        """The result of each step of the program."""
        return self.explanation.outcome.steps if self.explanation.outcome else ()

    @property
    def margin(self) -> str:
        """The smallest change of the scene that changes the answer; "" if unknown."""
        return self.explanation.flip

    @property
    def scene(self) -> Scene | None:
        """The scene on which the question was answered: after the change, if there is one."""
        return self.explanation.scene

    def record(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        head = {"question": self.question, "status": self.status, "answer": self.answer}
        if self.understood:
            head["understood"] = [
                {"question": words, "answer": answer_text} for words, answer_text in self.understood
            ]
            for one, choice in zip(head["understood"], self.choices):
                one["program"] = choice.program
        if self.mended:
            head["mended"] = dict(self.mended)
        if self.scene is None:
            return {**head, "reason": self.reason}
        return {
            **head, "probability": self.probability, "reason": self.reason, "program": self.program,
            "trace": list(self.trace), **self.explanation.record, "scene": to_json(self.scene),
            **({} if self.domain_match is None else {"picture": self.domain_match._asdict()}),
        }  # fmt: skip

    def __str__(self) -> str:
        if self.status == "ok":
            lines = [f"answer: {shape_name(self.answer)} (probability {self.probability:.2f})"]
        elif self.status == "abstained" and self.scene is None:
            return self._clarification()
        else:
            lines = [f"no answer: {self.reason}"]
            if self.status == "abstained" and self.choices and self.choices[0].answer:
                likeliest = self.choices[0]
                probability = self.probability or likeliest.probability or 0.0
                lines.append(f"likeliest: {likeliest.answer} (probability {probability:.2f})")
        lines += map(str, self.mended)
        if self.understood:
            lines.append(f"Understood as: {self.understood[0][0]}")
        if self.scene is None:
            return "\n".join([lines[0], *map(str, self.mended)])
        lines += ["", f"program: {self.program}", *(f"  {note}" for note in self.explanation.notes)]
        lines += [
            f"  {step}{f'   [nearest: {near}]' if near else ''}"
            for step, near in self.explanation.steps
        ]
        lines += [f"  {self.margin}"] * bool(self.margin)
        touched = self.explanation.edited.touched if self.explanation.edited else frozenset()
        table = room_table(self.scene, touched) if touched else display_table(self.scene)
        domain_lines = [] if self.domain_match is None else [f"  {self.domain_match}"]
        return "\n".join([*lines, "", *domain_lines, table_text(table, 2)])

    def _clarification(self) -> str:
        several = len(self.understood) > 1
        problem, choice_phrase = (
            ("ambiguous", "one of the following") if several else ("unclear", "this")
        )
        lines = [
            f"The question is {problem} ({self.reason}). Did you mean {choice_phrase}?",
            *map(str, self.mended),
        ]
        for number, (words, answer) in enumerate(self.understood, 1):
            then = "" if answer is None else f"  Answer: {shape_name(answer)}"
            lines.append(f"  {number}. {words}{then}")
        return "\n".join(lines)


class Understood(NamedTuple):
    """An interpretation as a sentence, its answer, and the executed parse."""

    words: str
    answer: str | None
    ran: Execution


class _Choice(NamedTuple):
    """The chosen parse of a question, executed (None: not executable)."""

    execution: Execution | None
    reading: ParsedQuestion
    alternatives: Sequence[ParsedQuestion] = ()  # parses of the general parser
    differ: bool = False  # two parsers gave different answers


@dataclass(frozen=True)
class Model:
    """A pipeline for interactive use, made by `po3d.load(world)`; `world` and `options` are the
    arguments of that call."""

    pipeline: Pipeline
    world: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_pretrained(
        cls, name: str | Path, *, revision: str | None = None, **options: Any
    ) -> "Model":
        """Load a model folder, or ORG/NAME from a hub; `options` as in `load`."""
        if Path(name).is_dir():
            return load(str(name), **options)
        return load(
            f"{SCHEME}{str(name).removeprefix(SCHEME)}{f'@{revision}' if revision else ''}",
            **options,
        )

    def save_pretrained(self, folder: str | Path, *, report: str | Path | None = None) -> None:
        """Write config.json, model.safetensors and README.md, which `po3d.load(folder)` reads.
        `report`: a report.json of an evaluation of these weights; its figures go into the model
        card."""
        if not self.world:
            raise InputError("only a model created by po3d.load can be saved")
        from po3d.systems import hub

        hub.save(self.world, self.options, Path(folder), report)

    def push_to_hub(
        self,
        name: str,
        *,
        commit_message: str = "A model of po3d",
        private: bool | None = None,
        branch: str | None = None,
        token: str | None = None,
        report: str | Path | None = None,
    ) -> str:
        """Upload the folder of `save_pretrained` to the hub repository ORG/NAME, which is created
        if missing. Return the URL of the commit."""
        from po3d.io.hub import push

        with tempfile.TemporaryDirectory() as folder:
            self.save_pretrained(folder, report=report)
            return push(
                Path(folder),
                name.removeprefix(SCHEME),
                commit_message,
                private=private,
                branch=branch,
                token=token,
            )

    def look(
        self,
        image: Picture,
        *,
        focal: float | None = None,
        metres_per_pixel: float | None = None,
        things: Sequence[str] = (),
    ) -> Scene:
        """Return the scene that the estimator predicts from an image: a file, a PIL image or (H, W,
        3) uint8 pixels.

        `focal`: focal length in widths of the image, if known. `metres_per_pixel`: scale of a
        room's map from above. `things`: objects to detect, for open-vocabulary detectors. Warns
        (OutOfDistributionWarning) about an out-of-distribution image.
        """
        scene, domain_match = self.look_with_match(
            image, focal=focal, metres_per_pixel=metres_per_pixel, things=things
        )
        _warn_if_unknown(domain_match)
        return scene

    def look_with_match(
        self,
        image: Picture,
        *,
        focal: float | None = None,
        metres_per_pixel: float | None = None,
        things: Sequence[str] = (),
    ) -> tuple[Scene, DomainMatch | None]:
        """Like `look`, without the warning; also return the nearest training domain, None if the
        estimator does not compute it."""
        picture, name, known = pixels(image)
        inputs = ImageInputs({name: picture}, known if focal is None else focal, metres_per_pixel)
        context = Context(lambda: picture, no_truth, name, inputs=inputs)
        (tables,) = self.pipeline.look([PerceptionInput(context, [name], things)])
        return tables.scene, nearest(distances(self.pipeline.tables, picture))

    def ask(
        self,
        scene: Scene | Picture,
        text: str,
        *,
        task: Task = "2d",
        change: str = "",
        frame: str = "",
        options: Sequence[str] = (),
        views: Sequence[float] = (),
        ask_below: float = ASK_BELOW,
        **looking: Any,
    ) -> Answer:
        """Answer a question about a scene, or about an image, whose scene is predicted first
        (`looking`: keyword arguments of `look`).

        `task`: reference frame of left and right on a street, the camera's ("2d") or the object's
        own ("6d"). `change`, `frame`: sentences, for rooms only. `options`: answers to choose from.
        `views`: for an orbit's table, the angles of the pictures among which a question chooses.
        `systems.parser_choice` decides which parser is used.

        An answer by the general parser, or about a predicted photograph or orbit, is returned if
        `Answer.probability` is at least `ask_below`. If it is lower, the status is "abstained":
        `Answer.understood` has the interpretations, `Answer.choices` their answers.
        """
        executor = self.pipeline.executor
        scene = self._checked_scene(scene, (text, change, frame), views, looking)
        fields = {
            "change": change,
            "frame": frame,
            "options": tuple(options),
            "images": ("view",),
            "views": tuple(views) or (0,),
        }
        question = strip_prompt_template(Question("asked", "", text, task, "", **fields))
        (reading,) = self.pipeline.read([question])
        reading = self._restricted_to_options(reading, question)
        if reading.unread and self.pipeline.second is None:
            return Answer(text, "unparsed", reason=f"{reading.unread} ({MISSING})")
        domain_match = None
        if not isinstance(scene, Scene):
            things = executor.things([reading])
            scene, domain_match = self.look_with_match(scene, things=things, **looking)
            _warn_if_unknown(domain_match)
        tables = ImageScenes({"view": scene})
        choice = self._choose_parse(question, reading, tables)
        execution, read = choice.execution, choice.reading
        if execution is None:
            status = read.status if read.unread else "unparsed"
            return Answer(text, status, reason=read.unread or NOBODY)
        if read.unread:
            return Answer(text, read.status, reason=read.unread, mended=read.mended)
        execution = self._settled(question, tables, execution)
        probability = self._probability(execution, tables)
        reason = self._doubt(execution, question, scene, choice.differ, probability, ask_below)
        if reason:
            parses = [reading, *choice.alternatives]
            answer = self._abstained(question, tables, parses, execution, reason, domain_match)
        else:
            answer = self._answer(question, tables, execution, domain_match)
        return replace(answer, question=text)

    def _checked_scene(
        self,
        scene: Scene | Picture,
        sentences: Sequence[str],
        views: Sequence[float],
        looking: Mapping[str, Any],
    ) -> Scene | Picture:
        """Check the arguments of `ask` (`sentences`: question, change, frame); return the scene,
        read if it is a JSON file, or the image.
        """
        executor = self.pipeline.executor
        if not all(isinstance(sentence, str) for sentence in sentences):
            raise InputError("question, change and frame should be strings")
        if any(sentence.strip() for sentence in sentences[1:]) and executor.kind != "room":
            raise InputError("a textual change or frame needs a room")
        if isinstance(scene, str | Path) and Path(scene).suffix == ".json":
            scene = read_scene(scene)
        if views and (executor.kind != "orbit" or not isinstance(scene, Scene)):
            raise InputError("views are for questions about the table of an orbit")
        if isinstance(scene, Scene):
            if looking:
                raise TypeError(f"unexpected argument for a scene: {', '.join(looking)}")
            executor.checked(scene)
        return scene

    def _choose_parse(
        self, question: Question, reading: ParsedQuestion, tables: ImageScenes
    ) -> _Choice:
        """Execute the parse `reading`, or the general parser's likeliest one if that is preferred.

        Alternatives are compared on one scene; only the chosen one runs on all samples.
        """
        executor, second = self.pipeline.executor, self.pipeline.second
        answering = executor.bind(tables)
        execution = None if reading.unread else run(answering, question, reading)
        if not self._consults(question, execution):
            return _Choice(execution, execution.reading if execution else reading)
        ranking = executor.ranking().bind(tables)
        (alternatives,) = self.pipeline.reread([question], tables)
        general = None
        if alternatives:
            general = likeliest_of(second, executor, ranking, question, alternatives)
        own = None if execution is None else run(ranking, question, reading)
        execution, differ = choose(own, general, question, second.alone, executor.style(question))
        if execution is None:
            return _Choice(None, general.reading if general else reading)
        read = execution.reading
        if alternatives and executor.sampled(tables) and not read.unread:
            execution = run(answering, question, read)
        return _Choice(execution, read, alternatives, differ)

    def _abstained(
        self,
        question: Question,
        tables: ImageScenes,
        parses: Sequence[ParsedQuestion],
        execution: Execution,
        reason: str,
        domain_match: DomainMatch | None,
    ) -> Answer:
        """Return an abstention with up to SHOWN interpretations; `parses`: the benchmark parser's,
        then those of the general parser.
        """
        executor = self.pipeline.executor
        ranking, answering = executor.ranking().bind(tables), executor.bind(tables)
        remaining = [r for r in parses if not r.unread and not self.pipeline.omitted(r, question)]
        candidates = self._interpretations(ranking, question, remaining or parses)
        candidates = [one for one in candidates if one.answer is not None] or candidates
        candidates = candidates[:SHOWN]
        if executor.sampled(tables):
            shown = [one.ran.reading for one in candidates]
            candidates = self._interpretations(answering, question, shown) or candidates
        choices = tuple(self._answer(question, tables, one.ran, domain_match) for one in candidates)
        answer = Answer(
            question.text,
            "abstained",
            None,
            self._probability(execution, tables),
            reason,
            understood=tuple((one.words, one.answer) for one in candidates),
            choices=choices,
            mended=next((r.mended for r in parses[1:]), ()),
            domain_match=domain_match,
        )
        if choices and self.pipeline.executor.perceives_doubtfully:  # what is seen, for the user
            return replace(answer, program=choices[0].program, explanation=choices[0].explanation)
        return answer

    def _consults(self, question: Question, own: Execution | None) -> bool:
        """Whether the general parser is consulted: by the pipeline's rule, or because the
        benchmark's parser gives no answer."""
        final = own is not None and self.pipeline.executor.refuses(question)
        if (own is None or own.outcome.answer is None) and not final:
            return self.pipeline.second is not None
        return self.pipeline.consults(question, own.reading)

    def _settled(self, question: Question, tables: ImageScenes, execution: Execution) -> Execution:
        """Return the outcome on the most probable scene alone if the question's presuppositions are
        improbable (below PRESUPPOSED)."""
        sure = self.pipeline.executor.argmax()
        if not 0 < execution.outcome.valid < PRESUPPOSED or sure is self.pipeline.executor:
            return execution
        return run(sure.bind(tables), question, execution.reading)

    def _answer(
        self,
        question: Question,
        tables: ImageScenes,
        execution: Execution,
        match: DomainMatch | None,
    ) -> Answer:
        """Return the answer of an executed parse, with its explanation."""
        executor = self.pipeline.executor
        answering = executor.bind(tables)
        outcome, read = execution
        text = None if outcome.answer is None else self._answer_text(read, outcome.answer, question)
        understood = (
            self._interpretations(answering, question, [read]) if read.by == "general" else ()
        )
        result = answering.explain(question, execution)
        return Answer(
            question.text,
            "failed" if text is None else "ok",
            text,
            None if outcome.probability is None else self._probability(execution, tables),
            result.reason or outcome.reason,
            executor.stored_text(read),
            result,
            tuple((one.words, one.answer) for one in understood),
            mended=read.mended,
            domain_match=match,
        )

    def _probability(self, execution: Execution, tables: ImageScenes) -> float:
        """Return the probability that the answer is right, by the calibration of the estimator
        that predicted the scene; 0 without an answer. It is printed, and compared with
        `ask_below`."""
        if execution.outcome.answer is None:
            return 0.0
        return calibrated(execution.believed, tables, self.pipeline.executor.belief_mode)

    def _doubt(
        self,
        execution: Execution,
        question: Question,
        scene: Scene,
        differ: bool,
        probability: float,
        ask_below: float,
    ) -> str:
        """Return the reason for abstaining; "" if the answer is given."""
        if ask_below <= 0:
            return ""
        read = execution.reading
        learned = read.by == "general"
        if learned and (
            left_out := self._likely_mistaken(read, question, scene)
            or self.pipeline.omitted(read, question)
        ):
            return left_out
        settled = not (learned or differ or self.pipeline.executor.perceives_doubtfully)
        if settled or execution.outcome.answer is None or probability >= ask_below:
            return ""
        if differ:
            return "the question has two interpretations"
        if cause := self.pipeline.executor.doubt(execution, scene):
            return cause
        return f"probability {math.floor(100 * probability) / 100:.2f}, below {ask_below:g}"

    def _restricted_to_options(self, reading: ParsedQuestion, question: Question) -> ParsedQuestion:
        """Narrow the program to the directions that the question offers: benchmarks may offer two
        of eight, of which one is right."""
        if reading.question.program is None:
            return reading
        program = reading.question.program
        restricted = restrict_to_options(program, question)
        return (
            reading
            if restricted == program
            else reading._replace(question=replace(reading.question, program=restricted))
        )

    def _likely_mistaken(self, reading: ParsedQuestion, question: Question, scene: Scene) -> str:
        """Detect an object of the change that the scene lacks and that the general parser replaced
        by another one; return the reason for abstaining, "" if none."""
        noun = absent(question.change, scene) if question.change else ""
        changed = "" if reading.change is None else str(reading.change.program)
        return f"there is no {noun} in the scene" if noun and f'"{noun}"' not in changed else ""

    def _interpretations(
        self, answering: SceneExecutor, question: Question, readings: Sequence[ParsedQuestion]
    ) -> "list[Understood]":
        """Return the interpretations as sentences with their answers, most probable first. Of
        several with one answer only the first is kept."""
        interpretations: list[Understood] = []
        for reading in readings:
            words = "" if reading.unread else " ".join(map(self._words, reversed(reading.parses)))
            if not words or words in (one.words for one in interpretations):
                continue
            execution = run(answering, question, reading)
            answer = execution.outcome.answer
            answer_text = None if answer is None else self._answer_text(reading, answer, question)
            if answer_text not in (one.answer for one in interpretations):
                interpretations.append(Understood(words, answer_text, execution))
        return interpretations

    def _answer_text(self, reading: ParsedQuestion, answer: str, question: Question) -> str:
        """Return an answer as the matching option; a measure with its unit, except on streets,
        whose vehicles have the size of toys."""
        executor = self.pipeline.executor
        program = reading.question.program
        what = program.args[0] if program.op == "query" else ""
        if what not in LEAVES["measure"] or question.options or executor.kind == "street":
            return worded(reading, answer, question)
        return f"{float(answer):.2f} {UNITS.get(what, 'm')}"

    def _words(self, parse: Parse) -> str:
        program = parse.program
        try:
            return say(program)
        except GrammarError:
            return str(program)


def absent(text: str, scene: Scene) -> str:
    """Return a category that the text names and the room lacks; "" if there is none."""
    has_name, words = SceneIndex(scene).rows_named, [singular(w) for w in words_of(text)]
    nouns = [" ".join(pair) for pair in pairwise(words)] + words
    return next((n for n in nouns if (n in CATEGORIES or n in SYNONYMS) and not has_name(n)), "")


def _warn_if_unknown(domain_match: DomainMatch | None) -> None:
    if domain_match is not None and domain_match.strange:
        warnings.warn(str(domain_match), OutOfDistributionWarning, stacklevel=3)


# --- public API (`import po3d`) -------------------------------------------------------------------


def load(world: str = "street", **options: Any) -> Model | DomainRouter:
    """Return the model of a domain: "street", "rooms", "photographs" or "orbit"; "auto" selects the
    domain by the image. A saved model is loaded from its folder, or from hf://ORG/NAME (@REVISION)
    on a hub.

    `options` are keyword arguments of the domain's `pipeline`, such as device="cuda" or
    scenes="ground_truth"; with "auto" they apply to every domain.
    """
    options = new_settings(options, warn=True)
    if world == "auto":
        return DomainRouter(
            {
                name: functools.cache(functools.partial(load, name, **options))
                for name in DOMAIN_MODULES
            }
        )
    if world not in DOMAIN_MODULES:
        if not isinstance(world, str) or (
            not world.startswith(SCHEME) and not Path(world).is_dir()
        ):
            raise InputError(
                f"unknown world {world!r}; known: {', '.join(DOMAIN_MODULES)}, auto, a model"
                " folder, hf://ORG/NAME"
            )
        from po3d.systems.hub import opened

        world, stored = opened(world)
        options = {**stored, **options}
    pipeline = importlib.import_module(DOMAIN_MODULES[world]).pipeline
    accepted = inspect.signature(pipeline).parameters
    for name in options:
        if name not in accepted:
            raise InputError(f"unknown option {name!r} of {world}; known: {', '.join(accepted)}")
    return Model(pipeline(**options), world, options)


def read_scene(path: str | Path) -> Scene:
    """Read a scene from a JSON file: po3d's format, a Super-CLEVR scene, or a Super-CLEVR file with
    one scene."""
    from po3d.benchmarks.superclevr import files

    return files.read_scene(path)


def change(scene: Scene, text: str) -> Scene:
    """Return the room after a change: change(scene, "The red chair was moved next to the bed.").
    InputError if the sentence cannot be parsed or the change cannot be carried out."""
    from po3d.language.programs.rooms import ROOMS
    from po3d.reasoning.apply_edit import plan
    from po3d.reasoning.outcome import ExecutionFailure

    if not isinstance(text, str) or any("name" not in o.beliefs for o in scene.objects):
        raise InputError("a textual change needs a room, whose objects have names")
    (parse,) = _room_parser().parse([text], "change")
    if parse.program is None:
        raise InputError(f"the change cannot be parsed: {parse.reason}")
    try:
        return plan(scene, ROOMS.to_core(parse.program)).edited.scene
    except ExecutionFailure as failure:
        raise InputError(f"the change cannot be applied to this room: {failure}") from None


@functools.cache
def _room_parser() -> Any:
    from po3d.systems.rooms import benchmark_parser

    return benchmark_parser().parser
