"""Streets: questions about one image of vehicles (PulseCheck457, Super-CLEVR)."""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from po3d.language.grammar import load
from po3d.language.program import Call
from po3d.language.programs.street import ANSWER_TYPES, STREET
from po3d.language.read.parse import Parse
from po3d.language.say.plain import set_phrase
from po3d.reasoning.counterfactuals import margins, record, record_of
from po3d.reasoning.execute import execute
from po3d.reasoning.outcome import LEAST_PROBABILITY, Outcome
from po3d.reasoning.packing import OCCLUSION, steps
from po3d.reasoning.questions import Question
from po3d.reasoning.rules import STREET_RULES
from po3d.scene.rooms import ANYTHING
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES, SUPER_CATEGORIES, shape_id, shape_name
from po3d.systems.domain import Domain, Execution, ParsedImage, ParsedQuestion
from po3d.systems.explanation import Explanation, SceneFigure, flipped
from po3d.systems.image_scenes import PREDICTED, ImageScenes, Setting
from po3d.systems.interfaces import QuestionParser
from po3d.systems.oracle.street import STREET_TABLES

# Modules that geometric relations read; poses are sampled jointly.
POSES = ("position", "depth", "heading", "camera", "shape")


def question_parser(parser: Any) -> QuestionParser:
    """Return the parser of questions by a `po3d.language.read.street_parser.Parser`."""

    def read(questions: Sequence[Question]) -> list[ParsedQuestion]:
        parses = parser.parse([q.text for q in questions])
        return [ParsedQuestion(parse.in_core(STREET)) for parse in parses]

    return QuestionParser(read, parser)


@dataclass(frozen=True)
class StreetExecutor:
    """Answers the questions on one scene."""

    domain: Domain
    scene: Scene
    # Outcomes computed in a batch, by question.
    known: Mapping[str, Outcome] = field(default_factory=dict)

    def run(self, question: Question, reading: ParsedQuestion) -> Execution:
        if question.id in self.known:
            return Execution(self.known[question.id], reading)
        domain, program = self.domain, reading.question.program
        mode = "samples" if domain.mode == "marginal" and not steps(program) else domain.mode
        settings = (mode, domain.rules, domain.samples, domain.seed)
        return Execution(execute(program, self.scene, question.task, *settings), reading)

    def margin(self, question: Question, execution: Execution) -> dict | None:
        if not self.domain.margins:
            return None
        near = margins(
            execution.reading.question.program, self.scene, question.task, self.domain.rules
        )
        # Margins are computed on the most probable scene; drop them if its answer differs.
        return record(near.flip) if near.answer == execution.outcome.answer else None

    def figures(self, question: Question) -> tuple[SceneFigure, ...]:
        return (SceneFigure("top view, camera at the bottom", "", self.scene),)

    def explain(self, question: Question, execution: Execution) -> Explanation:
        outcome, program = execution.outcome, execution.reading.question.program
        near = margins(program, self.scene, question.task, self.domain.rules)
        record = {
            "task": question.task, "distribution": dict(outcome.distribution),
            "trace": list(map(asdict, outcome.trace)), "margins": record_of(near),
        }  # fmt: skip
        flip, figures = flipped(near, outcome.answer), self.figures(question)
        why = _reason(outcome, program)
        notes = _kinds(outcome)
        return Explanation(
            self.scene, outcome, near, flip, record, notes=notes, figures=figures, reason=why
        )


def _bind(domain: Domain, tables: ImageScenes) -> StreetExecutor:
    return StreetExecutor(domain, tables.scene)


def _batch(domain: Domain, parsed_images: Sequence[ParsedImage]) -> list[StreetExecutor]:
    """In mode marginal all answers are computed in one batch (`street_batched`)."""
    scenes = [tables.scene for tables, _, _ in parsed_images]
    known: list[dict[str, Outcome]] = [{} for _ in scenes]
    if domain.mode == "marginal":
        from po3d.reasoning.street_batched import outcomes  # torch takes seconds to import

        items = []
        for k, (_, questions, readings) in enumerate(parsed_images):
            for question, reading in zip(questions, readings, strict=True):
                if reading.question.program is not None and steps(reading.question.program):
                    items.append((reading.question.program, k, question.task, question.id))
        programs = [item[:3] for item in items]
        results = outcomes(scenes, programs, domain.rules, domain.samples, domain.seed)
        for (_, k, _, name), outcome in zip(items, results, strict=True):
            known[k][name] = outcome
    result = []
    for one in zip(scenes, known, strict=True):
        result.append(StreetExecutor(domain, *one))
    return result


def _own_wording(question: Question, reading: ParsedQuestion) -> bool:
    """Whether all words belong to the vocabulary of Super-CLEVR's and PulseCheck457's templates,
    and the parser is confident."""
    return reading.sure and _words_in(question.text) <= _benchmark_words()


def _in_style(question: Question, reading: ParsedQuestion) -> bool:
    """Whether all words belong to the templates, and the parser is not sure, but likely right."""
    likely = reading.likely and not reading.sure
    return likely and _words_in(question.text) <= _benchmark_words()


@functools.cache
def _benchmark_words() -> frozenset[str]:
    """Return the words of the benchmarks' templates, nouns in singular and plural."""
    words = load("street_benchmark").vocabulary() | load("superclevr").vocabulary()
    return words | {f"{word}s" for word in words}


def _words_in(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.lower()))


def _kinds(outcome: Outcome) -> tuple[str, ...]:
    """Return a note for each super-category in the trace that is wider than the everyday word:
    "car" does not include trucks in everyday use."""
    lines = []
    for kind, shapes in SUPER_CATEGORIES.items():
        *names, last = map(shape_name, shapes)
        if kind not in last and any(f"shape={kind}]" in step.text for step in outcome.trace):
            lines.append(f"{kind} includes {', '.join(names)} and {last}")
    return tuple(lines)


def _reason(outcome: Outcome, program: Call) -> str:
    """Return the reason for a failed `unique` step in plain words; "" for other outcomes."""
    if outcome.kind not in ("not found", "ambiguous") or not steps(program):
        return ""
    step = steps(program)[len(outcome.trace)]
    if step.call.op != "unique":
        return ""
    things = set_phrase(step.call.args[0])
    likely = []
    for p in outcome.trace[step.inputs[0]].objects.values():
        if p > LEAST_PROBABILITY:
            likely.append(p)
    if not likely:
        return f"not found: there are no {things} in the scene"
    return f"ambiguous: there are {len(likely)} {things}, not one"


def _by_shape(program: Call) -> Call:
    """Rewrite names and everyday shape names as shapes of the street vocabulary."""
    args = tuple(_by_shape(a) if isinstance(a, Call) else a for a in program.args)
    if program.op in ("filter", "exclude") and args[0] in ("name", "shape") and len(args) == 3:
        if args[1] in ANYTHING:
            return args[2]
        return Call(program.op, ("shape", shape_id(str(args[1])), args[2]))
    return Call(program.op, tuple("shape" if a == "name" else a for a in args))


def reads(program: Call) -> frozenset[str]:
    """Return the modules, parsing aside, that affect a program's answer; all of them if it is not a
    chain of street steps."""
    street_steps = steps(program)
    if not street_steps:
        return frozenset(STREET_TABLES.table)
    needed = {"detection"}
    for step in street_steps:
        needed |= set(step.words) & set(ATTRIBUTES)
        if step.words and step.words[0] in OCCLUSION:
            needed.add("occlusion")
        elif "facing" in step.words or step.call.op == "relate":
            needed |= set(POSES)
        if step.words and step.words[0].startswith("collides"):
            needed.add("size")
    return frozenset(needed)


def _relevant(settings: Mapping[str, Setting], reading: ParsedQuestion) -> Mapping[str, Setting]:
    needed = reads(reading.question.program)
    return {m: s if m in needed else PREDICTED for m, s in settings.items()}


def _adapted(program: Call, question: Question) -> Parse:
    return Parse("ok", _by_shape(program))


DOMAIN = Domain(
    "street",
    "street",
    STREET,
    STREET_RULES,
    STREET_TABLES,
    _bind,
    lambda domain, checkpoint, device: benchmark_parser(checkpoint, device),
    {
        "perception": "street_estimator",
        "parser_checkpoint": "street_parser",
        "mode": "marginal",
        "samples": 64,
        "seed": 0,
        "oracle": (),
        "device": "cpu",
        "margins": False,
        "flip_tta": True,
        "parser": "cascade",
        "refine": "auto",
        "modules": None,
    },
    noun="shape",
    read_fields=("task",),
    answer_types=ANSWER_TYPES,
    explanation_settings=(("mode", "marginal"), ("samples", 64)),
    mode="argmax",
    samples=64,
    margins=False,
    own_wording=_own_wording,
    in_style=_in_style,
    adapted=_adapted,
    relevant=_relevant,
    batch=_batch,
)


def benchmark_parser(checkpoint: str = "street_parser", device: str = "cpu") -> QuestionParser:
    """Return the parser of a shipped or given checkpoint."""
    from po3d.io.checkpoint import locate
    from po3d.language.read.street_parser import Parser

    return question_parser(Parser.from_checkpoint(locate(checkpoint), device=device))
