"""Evaluate parsers on the sentence bank with ground-truth scenes and po3d's executors.

    python -m tools.wording read dev --reader gold --reader old --reader ask
        --reader checkpoints/reader [--calibrate]

"gold" uses the annotators' programs, which tests the executors. "old" uses the benchmarks' parsers;
"ask" combines both parsers as `po3d ask` does, without an answer where it asks for clarification;
"evaluate" as an evaluation does, which always gives the likeliest answer.
A line is correct if the answer equals the annotator's or, for an unanswerable line, if nothing is
answered. The probability of a parse is the product of those of question, change and frame; the
weights (`Weighing`) of parses with equal answers are added.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from po3d.io.checkpoint import locate
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, write_json
from po3d.language.program import Call
from po3d.language.read.reader import ParserOutput as Read
from po3d.language.read.reader import logit
from po3d.language.read.reader_tokens import SORTS
from po3d.language.read.weighing import ALONE, LEAST, ParseEvidence, Weighing
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.questions import Question
from po3d.scene.frames import axes_from_front
from po3d.scene.geometry import Camera, look_at
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene, sure
from po3d.scene.vocabulary import shape_id
from po3d.systems import orbit, photographs, rooms, street
from po3d.systems.answer_options import REFUSED, likeliest
from po3d.systems.api import Model
from po3d.systems.general_parser import GeneralQuestionParser, joined, second
from po3d.systems.interfaces import Image
from po3d.systems.parse_execution import Execution, evidence, run
from po3d.systems.pipeline import (
    Context,
    Domain,
    ImageScenes,
    ParsedQuestion,
    Pipeline,
    QuestionParser,
)
from po3d.systems.scene_sources import Truth
from tools.wording_run import Table

# strength of the regularisation of the weights in calibration, relative to a line's likelihood
PULL = 0.001
SURE = 0.9  # at this probability 19 of 20 answers should be correct
# precision, and share of lines answered wrongly, for which `coverage` is reported
SURELY, WRONG = 0.95, 0.04
# Viewer positions as the annotators were told; the viewer looks along +y.
EYES = {"photo": (0.0, 0.0, 1.5), "street": (0.0, -7.0, 2.0), "orbit": (0.0, -4.0, 1.5)}
LOOKS = ("color", "material", "state")
VIEWS = (0.0, 90.0, 180.0, 270.0)
NAMED = ("gold", "old", "ask", "evaluate")  # readers that are not checkpoints
# parts of failure reasons that annotators would answer by "nothing"
EMPTY = ("not found", "set is empty")


class ParseResult(NamedTuple):
    """Result of a parse: the answer (REFUSED for an unanswerable line, None on failure), its
    probability, the reason for a missing answer, the program, and the evidence.
    """

    answer: str | None
    probability: float
    reason: str = ""
    program: str = ""
    evidence: ParseEvidence = ParseEvidence(1.0)


class Judged(NamedTuple):
    """Result of a line: "right", "wrong" or "no answer"; whether it is answerable; the parser's
    probability; the answer.
    """

    outcome: str
    answerable: bool
    probability: float
    answer: str | None


# --- lines and scenes as po3d's types -------------------------------------------------------------


def scene_of(record: dict) -> Scene:
    """Convert a scene of the bank to a Scene."""
    things = tuple(_thing(record, k) for k in range(len(record["objects"])))
    if record["kind"] == "room":
        w, d = record["size"]
        walls = ((0.0, 0.0), (w, 0.0), (w, d), (0.0, d))
        return Scene(things, axes_from_front((0.0, 1.0)), "gt", image=record["id"], outline=walls)
    x, y, z = EYES[record["kind"]]
    camera = Camera(640, 480, 560.0, look_at((x, y, z), (x, y + 1.0, z)))
    return Scene(things, viewer_axes((0.0, 1.0)), "gt", camera, image=record["id"])


def _thing(record: dict, k: int) -> ObjectState:
    thing = record["objects"][k]
    looks = {look: thing[look] for look in LOOKS if thing[look]}
    (x, y, z), (length, width, height) = thing["at"], thing["size"]
    if record["kind"] == "street":
        size = Table(record).things[k].value("size")
        looks |= {"shape": shape_id(thing["name"])} | ({"size": size} if size else {})
    else:
        looks |= {"name": thing["name"]}
        z += height / 2
    return ObjectState(
        sure(**looks), (x, y, z), math.radians(thing["heading"]), (length, width, height)
    )


def question_of(line: dict, k: int = 0) -> Question:
    """Convert a line of the bank to a question."""
    views = VIEWS if line["kind"] == "orbit" else (0.0,)
    return Question(
        str(k),
        line["scene"],
        line["question"],
        "6d" if line["task"] == "own" else "2d",
        "",
        line["answer"],
        options=tuple(line["options"] or ()),
        images=("view",),
        views=views,
        frame=line["frame"] or "",
        change=line["change"] or "",
    )


@cache
def executor_of(kind: str) -> Domain:
    known = {"street": street.DOMAIN, "photo": photographs.DOMAIN, "orbit": orbit.DOMAIN}
    return replace(rooms.DOMAIN, samples=0) if kind == "room" else known[kind]


@cache
def benchmark_parser_of(kind: str) -> QuestionParser:
    """Return the benchmark's parser for a kind of scene."""
    builders = {
        "room": rooms.benchmark_parser,
        "street": street.benchmark_parser,
        "photo": photographs.question_parser,
        "orbit": orbit.question_parser,
    }
    return builders[kind]()


# --- parsers --------------------------------------------------------------------------------------


def readings(
    reader: str, lines: Sequence[dict], programs: Sequence[dict], scenes: Mapping[str, Scene]
) -> list[list[ParseResult]]:
    """Return the results of the parses of each line, most likely first: several for a checkpoint,
    one for the others. `programs`: those of the annotators.
    """
    if reader == "ask":
        return [[_ask_result(line, k, scenes[line["scene"]])] for k, line in enumerate(lines)]
    if reader == "evaluate":
        results = (
            _evaluation_result(line, k, scenes[line["scene"]]) for k, line in enumerate(lines)
        )
        return [[result] for result in results]
    if reader == "gold":
        return [
            [_result_of(line, scenes[line["scene"]], _annotated_parse(line, record))]
            for line, record in zip(lines, programs, strict=True)
        ]
    if reader == "old":
        each = (
            benchmark_parser_of(line["kind"]).read([question_of(line, k)])[0]
            for k, line in enumerate(lines)
        )
        return [
            [_result_of(line, scenes[line["scene"]], parse)]
            for line, parse in zip(lines, each, strict=True)
        ]
    return list(_by_network(lines, scenes, reader))


def _by_network(
    lines: Sequence[dict], scenes: Mapping[str, Scene], checkpoint: str
) -> Iterator[list[ParseResult]]:
    """Parse lines about one scene together."""
    for name, same in groupby(enumerate(lines), lambda item: item[1]["scene"]):
        about, scene = list(same), scenes[name]
        learned = GeneralQuestionParser(executor_of(about[0][1]["kind"]), checkpoint)
        questions = [question_of(line, k) for k, line in about]
        candidates = learned.readings(questions, ImageScenes({"view": scene}))
        for (_, line), line_parses in zip(about, candidates, strict=True):
            yield [_result_of(line, scene, parse) for parse in line_parses]


def _annotated_parse(line: dict, record: dict) -> ParsedQuestion:
    """Return the annotators' programs of a line."""
    executor, question = executor_of(line["kind"]), question_of(line)
    read = {sort: [Read(Call.parse(record[sort]), 1.0)] for sort in SORTS if record[sort]}
    refused = {} if record["question"] else {"question": [Read(None, 1.0, "none")]}
    return joined(executor, question, refused or read)[0]


def _result_of(line: dict, scene: Scene, reading: ParsedQuestion) -> ParseResult:
    """Execute a parse."""
    question, executor = question_of(line), executor_of(line["kind"])
    answering = executor.bind_ground_truth(scene)
    if reading.unread:
        failed = Execution(Outcome("failed", None, reason=reading.unread), reading)
        return ParseResult(
            REFUSED,
            reading.probability,
            reading.unread,
            "",
            evidence(executor, answering, question, failed),
        )
    execution = run(answering, question, reading)
    outcome, parse = execution
    answer = None if outcome.answer is None else parse.format_answer(outcome.answer, question)
    about = evidence(executor, answering, question, execution)
    return ParseResult(
        answer,
        parse.probability,
        outcome.reason,
        executor.stored_text(ParsedQuestion(parse.question)),
        about,
    )


def _ask_result(line: dict, k: int, scene: Scene) -> ParseResult:
    """Return the result of `po3d ask`: an answer, or none if there is none or the question is
    ambiguous.
    """
    q = question_of(line, k)
    settings = {"task": q.task, "options": q.options, "frame": q.frame, "change": q.change}
    if line["kind"] == "orbit":
        settings["views"] = VIEWS
    try:
        answer = _model(line["kind"]).ask(scene, q.text, **settings)
    except InputError as error:  # a frame for a scene that is not a room
        return ParseResult(None, 0.0, str(error))
    return ParseResult(answer.answer, answer.probability or 0.0, answer.reason, answer.program)


def _evaluation_result(line: dict, k: int, scene: Scene) -> ParseResult:
    """Return the result of an evaluation."""
    q = question_of(line, k)
    context = Context(_no_image, lambda: scene, q.images[0])
    (prediction,) = _model(line["kind"]).pipeline.answer([q], context)
    p = prediction.probability or 0.0
    return ParseResult(prediction.answer, p, prediction.reason, prediction.program)


def _no_image() -> Image:
    raise InputError("a line of the bank has no image")


@cache
def _model(kind: str) -> Model:
    executor = executor_of(kind)
    return Model(
        Pipeline(Truth(), benchmark_parser_of(kind), executor, (), second("cascade", executor))
    )


def chosen(candidates: Sequence[ParseResult], weighing: Weighing = ALONE) -> ParseResult:
    """Return the first parse with the most likely answer, or refusal, over all parses, with its
    share of the total weight.
    """
    if len(candidates) == 1:
        return candidates[0]
    k, share = likeliest(
        [candidate.answer for candidate in candidates],
        [weighing(candidate.evidence) for candidate in candidates],
    )
    return candidates[k]._replace(probability=share)


def judged(line: dict, result: ParseResult, agrees: Callable[[str, str], bool]) -> Judged:
    """Judge a line. Annotators answer "nothing" if nothing is found, and call the 22nd type of
    vehicles a hatchback.
    """
    answer = {REFUSED: None, "addi": "hatchback"}.get(result.answer, result.answer)
    wanted, p = line["answer"], result.probability
    if wanted is None:
        return Judged("right" if answer is None else "wrong", False, p, answer)
    if answer is None:
        empty = any(why in result.reason for why in EMPTY) and (
            agrees("nothing", wanted) or wanted in ("0", "no")
        )
        return Judged("right" if empty else "no answer", True, p, None)
    return Judged("right" if agrees(answer, wanted) else "wrong", True, p, answer)


# --- metrics --------------------------------------------------------------------------------------


def table_of(verdicts: Sequence[Judged], kinds: Sequence[str]) -> str:
    """Format a table by kind: correct, wrong and missing answers of answerable lines; the share of
    unanswerable lines that were answered; and the accuracy of answers with probability SURE or
    higher.
    """
    rows = [
        f"{'':8}{'n':>6}{'right':>8}{'wrong':>8}{'silent':>8}   no answer: n, answered   at p >="
        f" {SURE}: n, right"
    ]
    for kind in (*dict.fromkeys(kinds), "all"):
        part = [j for j, k in zip(verdicts, kinds, strict=True) if kind in (k, "all")]
        there, none = [j for j in part if j.answerable], [j for j in part if not j.answerable]
        right, wrong, silent = (
            _share(j.outcome == o for j in there) for o in ("right", "wrong", "no answer")
        )
        sure = [j for j in part if j.probability >= SURE and j.answer is not None]
        answered = _share(j.outcome == "wrong" for j in none)
        good = _share(j.outcome == "right" for j in sure)
        rows.append(
            f"{kind:8}{len(there):6}{right:8.1f}{wrong:8.1f}{silent:8.1f}  "
            f" {len(none):13}{answered:10.1f}   {len(sure):13}{good:7.1f}"
        )
    return "\n".join(rows)


def _share(flags: Iterable[bool]) -> float:
    """Return the percentage of true flags."""
    listed = list(flags)
    return 100 * sum(listed) / max(len(listed), 1)


def certainty(verdicts: Sequence[Judged]) -> tuple[float, float]:
    """Fit (slope, offset) of the logit of being correct as a function of the parses' logit:
    logistic regression over the answered lines, weakly regularised.
    """
    part = [j for j in verdicts if j.answer is not None]
    x = np.array([[logit(j.probability), 1.0] for j in part])
    y = np.array([float(j.outcome == "right") for j in part])
    w = np.zeros(2)
    for _ in range(50):  # Newton's method
        p = 1 / (1 + np.exp(-x @ w))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(2)
        w += np.linalg.solve(hessian, x.T @ (y - p) - 1e-3 * w)
    return float(w[0]), float(w[1])


def calibrated(
    lines: Sequence[dict],
    candidates: Sequence[Sequence[ParseResult]],
    agrees: Callable[[str, str], bool],
) -> Weighing:
    """Fit the weights that maximise the likelihood of correct answers, over lines with at least one
    correct parse; weakly regularised towards using the probabilities alone.
    """
    samples = [
        (
            np.array(
                [
                    [math.log(max(candidate.evidence.probability, LEAST)), *candidate.evidence[1:]]
                    for candidate in each
                ],
                float,
            ),
            np.array([judged(line, candidate, agrees).outcome == "right" for candidate in each]),
        )
        for line, each in zip(lines, candidates, strict=True)
    ]
    samples = [(features, good) for features, good in samples if good.any()]
    alone = np.array(astuple(ALONE))

    def loss(weights: np.ndarray) -> float:
        missed = sum(
            logsumexp(features @ weights) - logsumexp((features @ weights)[good])
            for features, good in samples
        )
        return missed / max(len(samples), 1) + PULL * float(((weights - alone) ** 2).sum())

    return Weighing(*(round(float(w), 3) for w in minimize(loss, alone).x))


def by_others(
    lines: Sequence[dict],
    candidates: Sequence[Sequence[ParseResult]],
    agrees: Callable[[str, str], bool],
) -> list[Judged]:
    """Return the results of each annotator's lines with weights fitted to the other annotators'
    lines (cross-validation), to avoid overconfidence.
    """
    weighed = {
        hand: calibrated(
            *zip(
                *(item for item in zip(lines, candidates, strict=True) if item[0]["hand"] != hand)
            ),
            agrees,
        )
        for hand in {line["hand"] for line in lines}
    }
    results = (
        chosen(each, weighed[line["hand"]]) for line, each in zip(lines, candidates, strict=True)
    )
    return [judged(*item, agrees) for item in zip(lines, results, strict=True)]


def write(
    path: Path, lines: Sequence[dict], results: Sequence[ParseResult], outcomes: Sequence[Judged]
) -> None:
    """Write one record per line: the sentences, the program, the result."""
    with atomic_write(path) as file:
        for line, result, outcome in zip(lines, results, outcomes, strict=True):
            fields = {k: line[k] for k in ("kind", *SORTS, "options", "answer")} | outcome._asdict()
            record = {
                **fields,
                "answer": line["answer"],
                "said": result.answer,
                "reason": result.reason,
            }
            file.write(json.dumps({**record, "program": result.program}, ensure_ascii=False) + "\n")


def coverage(verdicts: Sequence[Judged]) -> str:
    """Return the share of lines answered, in order of confidence, at precision SURELY, and with
    WRONG of all lines answered wrongly.
    """
    lines = []
    for what, answered in (
        (f"{SURELY:.0%} of the answers right", _surest(verdicts, surely=True)),
        (f"{WRONG:.0%} of all lines answered wrongly", _surest(verdicts)),
    ):
        least = answered[-1].probability if answered else 1.0
        share = len(answered) / max(len(verdicts), 1)
        lines.append(f"{what}: {share:.1%} of all lines answered, those at p >= {least:.3f}")
    return "\n".join(lines)


def _surest(verdicts: Sequence[Judged], surely: bool = False) -> list[Judged]:
    """Return the longest list of the most confident answers with at most WRONG of all lines wrong;
    or with precision of at least SURELY.
    """
    answered = sorted((j for j in verdicts if j.answer is not None), key=lambda j: -j.probability)
    right = np.cumsum([j.outcome == "right" for j in answered])
    number = np.arange(1, len(answered) + 1)
    fits = right >= SURELY * number if surely else number - right <= WRONG * len(verdicts)
    return answered[: int(np.flatnonzero(fits)[-1]) + 1] if fits.any() else []


def keep_certainty(path: str, certainty: tuple[float, float], weighing: Weighing) -> None:
    """Write the certainty, and the weighing for which it was fitted, into a checkpoint's JSON."""
    record = locate(path).with_suffix(".json")
    about = read_json(record, "description of a checkpoint")
    about["config"]["certainty"] = [round(value, 4) for value in certainty]
    about["config"]["weighing"] = asdict(weighing)
    write_json(record, about)
