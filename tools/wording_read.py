"""Evaluate parsers on the sentence bank with ground-truth scenes and po3d's executors.

    python -m tools.wording read dev --reader gold --reader old --reader ask
        --reader checkpoints/reader [--calibrate]

"gold" uses the annotators' programs, which tests the executors. "old" uses the benchmarks' parsers;
"ask" combines both parsers as `po3d ask` does, without an answer where it asks for clarification. A
line is correct if the answer equals the annotator's or, for an unanswerable line, if nothing is
answered. The probability of a parse is the product of those of question, change and frame; the
weights (`Weighing`) of parses with equal answers are added.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple
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
from po3d.language.read.reader import Reading as Read
from po3d.language.read.reader import logit
from po3d.language.read.reader_tokens import SORTS
from po3d.language.read.weighing import ALONE, LEAST, Evidence, Weighing
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.questions import Question
from po3d.scene.frames import axes_from_front
from po3d.scene.geometry import Camera, look_at
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene, sure
from po3d.scene.vocabulary import shape_id
from po3d.systems import orbit, photographs, rooms, street
from po3d.systems.asking import Model
from po3d.systems.choices import REFUSED, likeliest
from po3d.systems.learned import Learned, joined, second
from po3d.systems.pipeline import Executor, Pipeline, Ran, Reader, Reading, Tables, evidence, run
from po3d.systems.tables import Truth
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
NAMED = ("gold", "old", "ask")  # readers that are not checkpoints
# parts of failure reasons that annotators would answer by "nothing"
EMPTY = ("not found", "set is empty")


class Said(NamedTuple):
    """Result of a parse: the answer (REFUSED for an unanswerable line, None on failure), its
    probability, the reason for a missing answer, the program, and the evidence.
    """

    answer: str | None
    probability: float
    reason: str = ""
    program: str = ""
    evidence: Evidence = Evidence(1.0)


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
    return ObjectState(sure(**looks), (x, y, z), math.radians(thing["heading"]), (length, width, height))


def question_of(line: dict, k: int = 0) -> Question:
    """Convert a line of the bank to a question."""
    views = VIEWS if line["kind"] == "orbit" else (0.0,)
    return Question(
        str(k), line["scene"], line["question"], "6d" if line["task"] == "own" else "2d", "", line["answer"],
        options=tuple(line["options"] or ()), images=("view",), views=views,
        frame=line["frame"] or "", change=line["change"] or "",
    )  # fmt: skip


@cache
def executor_of(kind: str) -> Executor:
    known = {"street": street.EXECUTOR, "photo": photographs.EXECUTOR, "orbit": orbit.EXECUTOR}
    return rooms.Executor(samples=0) if kind == "room" else known[kind]


@cache
def own_reader_of(kind: str) -> Reader:
    """Return the benchmark's parser for a kind of scene."""
    made = {
        "room": rooms.own_reader,
        "street": street.own_reader,
        "photo": photographs.Reader,
        "orbit": orbit.Reader,
    }
    return made[kind]()


# --- parsers --------------------------------------------------------------------------------------


def readings(
    reader: str, lines: Sequence[dict], programs: Sequence[dict], scenes: Mapping[str, Scene]
) -> list[list[Said]]:
    """Return the results of the parses of each line, most likely first: several for a checkpoint,
    one for the others. `programs`: those of the annotators.
    """
    if reader == "ask":
        return [[_asked(line, k, scenes[line["scene"]])] for k, line in enumerate(lines)]
    if reader == "gold":
        return [
            [_said(line, scenes[line["scene"]], _meant(line, told))]
            for line, told in zip(lines, programs, strict=True)
        ]
    if reader == "old":
        each = (own_reader_of(line["kind"]).read([question_of(line, k)])[0] for k, line in enumerate(lines))
        return [[_said(line, scenes[line["scene"]], one)] for line, one in zip(lines, each, strict=True)]
    return list(_by_network(lines, scenes, reader))


def _by_network(lines: Sequence[dict], scenes: Mapping[str, Scene], checkpoint: str) -> Iterator[list[Said]]:
    """Parse lines about one scene together."""
    for name, same in groupby(enumerate(lines), lambda item: item[1]["scene"]):
        about, scene = list(same), scenes[name]
        learned = Learned(executor_of(about[0][1]["kind"]), checkpoint)
        questions = [question_of(line, k) for k, line in about]
        found = learned.readings(questions, Tables({"view": scene}))
        for (_, line), several in zip(about, found, strict=True):
            yield [_said(line, scene, one) for one in several]


def _meant(line: dict, told: dict) -> Reading:
    """Return the annotators' programs of a line."""
    executor, question = executor_of(line["kind"]), question_of(line)
    read = {sort: [Read(Call.parse(told[sort]), 1.0)] for sort in SORTS if told[sort]}
    refused = {} if told["question"] else {"question": [Read(None, 1.0, "none")]}
    return joined(executor, question, refused or read)[0]


def _said(line: dict, scene: Scene, reading: Reading) -> Said:
    """Execute a parse."""
    question, answering = question_of(line), executor_of(line["kind"]).exactly(scene)
    if reading.unread:
        failed = Ran(Outcome("failed", None, reason=reading.unread), reading)
        return Said(REFUSED, reading.probability, reading.unread, "", evidence(answering, question, failed))
    ran = run(answering, question, reading)
    outcome, meant = ran
    answer = None if outcome.answer is None else meant.said(outcome.answer, question)
    about = evidence(answering, question, ran)
    return Said(answer, meant.probability, outcome.reason, str(meant.asked.program), about)


def _asked(line: dict, k: int, scene: Scene) -> Said:
    """Return the result of `po3d ask`: an answer, or none if there is none or the question is
    ambiguous.
    """
    q = question_of(line, k)
    how = {"task": q.task, "options": q.options, "frame": q.frame, "change": q.change}
    try:
        said = _model(line["kind"]).ask(scene, q.text, **how)
    except InputError as error:  # a frame for a scene that is not a room
        return Said(None, 0.0, str(error))
    return Said(said.answer, said.probability or 0.0, said.reason, said.program)


@cache
def _model(kind: str) -> Model:
    executor = executor_of(kind)
    return Model(Pipeline(Truth(), own_reader_of(kind), executor, (), second("both", executor)))


def chosen(several: Sequence[Said], weighing: Weighing = ALONE) -> Said:
    """Return the first parse with the most likely answer, or refusal, over all parses, with its
    share of the total weight.
    """
    if len(several) == 1:
        return several[0]
    k, share = likeliest([one.answer for one in several], [weighing(one.evidence) for one in several])
    return several[k]._replace(probability=share)


def judged(line: dict, said: Said, agrees: Callable[[str, str], bool]) -> Judged:
    """Judge a line. Annotators answer "nothing" if nothing is found, and call the 22nd type of
    vehicles a hatchback.
    """
    answer = {REFUSED: None, "addi": "hatchback"}.get(said.answer, said.answer)
    wanted, p = line["answer"], said.probability
    if wanted is None:
        return Judged("right" if answer is None else "wrong", False, p, answer)
    if answer is None:
        empty = any(why in said.reason for why in EMPTY) and (
            agrees("nothing", wanted) or wanted in ("0", "no")
        )
        return Judged("right" if empty else "no answer", True, p, None)
    return Judged("right" if agrees(answer, wanted) else "wrong", True, p, answer)


# --- metrics --------------------------------------------------------------------------------------


def table_of(found: Sequence[Judged], kinds: Sequence[str]) -> str:
    """Format a table by kind: correct, wrong and missing answers of answerable lines; the share of
    unanswerable lines that were answered; and the accuracy of answers with probability SURE or
    higher.
    """
    rows = [
        f"{'':8}{'n':>6}{'right':>8}{'wrong':>8}{'silent':>8}   no answer: n, answered   at p >= {SURE}: n, right"
    ]
    for kind in (*dict.fromkeys(kinds), "all"):
        part = [j for j, k in zip(found, kinds, strict=True) if kind in (k, "all")]
        there, none = [j for j in part if j.answerable], [j for j in part if not j.answerable]
        right, wrong, silent = (
            _share(j.outcome == o for j in there) for o in ("right", "wrong", "no answer")
        )
        sure = [j for j in part if j.probability >= SURE and j.answer is not None]
        answered = _share(j.outcome == "wrong" for j in none)
        good = _share(j.outcome == "right" for j in sure)
        rows.append(
            f"{kind:8}{len(there):6}{right:8.1f}{wrong:8.1f}{silent:8.1f}   {len(none):13}{answered:10.1f}   {len(sure):13}{good:7.1f}"
        )
    return "\n".join(rows)


def _share(flags: Iterable[bool]) -> float:
    """Return the percentage of true flags."""
    listed = list(flags)
    return 100 * sum(listed) / max(len(listed), 1)


def certainty(found: Sequence[Judged]) -> tuple[float, float]:
    """Fit (slope, offset) of the logit of being correct as a function of the parses' logit:
    logistic regression over the answered lines, weakly regularised.
    """
    part = [j for j in found if j.answer is not None]
    x = np.array([[logit(j.probability), 1.0] for j in part])
    y = np.array([float(j.outcome == "right") for j in part])
    w = np.zeros(2)
    for _ in range(50):  # Newton's method
        p = 1 / (1 + np.exp(-x @ w))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(2)
        w += np.linalg.solve(hessian, x.T @ (y - p) - 1e-3 * w)
    return float(w[0]), float(w[1])


def calibrated(
    lines: Sequence[dict], several: Sequence[Sequence[Said]], agrees: Callable[[str, str], bool]
) -> Weighing:
    """Fit the weights that maximise the likelihood of correct answers, over lines with at least one
    correct parse; weakly regularised towards using the probabilities alone.
    """
    told = [
        (
            np.array(
                [[math.log(max(one.evidence.probability, LEAST)), *one.evidence[1:]] for one in each], float
            ),
            np.array([judged(line, one, agrees).outcome == "right" for one in each]),
        )
        for line, each in zip(lines, several, strict=True)
    ]
    told = [(seen, good) for seen, good in told if good.any()]
    alone = np.array(astuple(ALONE))

    def loss(weights: np.ndarray) -> float:
        missed = sum(logsumexp(seen @ weights) - logsumexp((seen @ weights)[good]) for seen, good in told)
        return missed / max(len(told), 1) + PULL * float(((weights - alone) ** 2).sum())

    return Weighing(*(round(float(w), 3) for w in minimize(loss, alone).x))


def by_others(
    lines: Sequence[dict], several: Sequence[Sequence[Said]], agrees: Callable[[str, str], bool]
) -> list[Judged]:
    """Return the results of each annotator's lines with weights fitted to the other annotators'
    lines (cross-validation), to avoid overconfidence.
    """
    weighed = {
        hand: calibrated(
            *zip(*(one for one in zip(lines, several, strict=True) if one[0]["hand"] != hand)), agrees
        )
        for hand in {line["hand"] for line in lines}
    }
    found = (chosen(each, weighed[line["hand"]]) for line, each in zip(lines, several, strict=True))
    return [judged(*one, agrees) for one in zip(lines, found, strict=True)]


def write(path: Path, lines: Sequence[dict], found: Sequence[Said], outcomes: Sequence[Judged]) -> None:
    """Write one record per line: the sentences, the program, the result."""
    with atomic_write(path) as file:
        for line, said, outcome in zip(lines, found, outcomes, strict=True):
            told = {k: line[k] for k in ("kind", *SORTS, "options", "answer")} | outcome._asdict()
            record = {**told, "answer": line["answer"], "said": said.answer, "reason": said.reason}
            file.write(json.dumps({**record, "program": said.program}, ensure_ascii=False) + "\n")


def coverage(found: Sequence[Judged]) -> str:
    """Return the share of lines answered, in order of confidence, at precision SURELY, and with
    WRONG of all lines answered wrongly.
    """
    told = []
    for what, answered in (
        (f"{SURELY:.0%} of the answers right", _surest(found, surely=True)),
        (f"{WRONG:.0%} of all lines answered wrongly", _surest(found)),
    ):
        least = answered[-1].probability if answered else 1.0
        share = len(answered) / max(len(found), 1)
        told.append(f"{what}: {share:.1%} of all lines answered, those at p >= {least:.3f}")
    return "\n".join(told)


def _surest(found: Sequence[Judged], surely: bool = False) -> list[Judged]:
    """Return the longest list of the most confident answers with at most WRONG of all lines wrong;
    or with precision of at least SURELY.
    """
    answered = sorted((j for j in found if j.answer is not None), key=lambda j: -j.probability)
    right = np.cumsum([j.outcome == "right" for j in answered])
    number = np.arange(1, len(answered) + 1)
    fits = right >= SURELY * number if surely else number - right <= WRONG * len(found)
    return answered[: int(np.flatnonzero(fits)[-1]) + 1] if fits.any() else []


def keep_certainty(path: str, found: tuple[float, float], weighing: Weighing) -> None:
    """Write the certainty, and the weighing for which it was fitted, into a checkpoint's JSON."""
    record = locate(path).with_suffix(".json")
    about = read_json(record, "description of a checkpoint")
    about["config"]["certainty"] = [round(value, 4) for value in found]
    about["config"]["weighing"] = asdict(weighing)
    write_json(record, about)
