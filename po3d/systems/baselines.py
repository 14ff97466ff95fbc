"""Baselines that ignore the question or the depth, and replay of stored predictions.

the words of the question ──────────────► a guess        random_baseline, frequency_baseline, ...
the gold program on image boxes ────────► 2D relations   planar_baseline
a predictions file of any other model ──► its line       Replay
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.program import ProgramError
from po3d.language.programs.threedsrbench import PhraseCall, parse_text
from po3d.language.read.threedsrbench_reader import fit_options
from po3d.reasoning.grounded import rows_only, without_row
from po3d.reasoning.planar import planar
from po3d.reasoning.questions import Prediction, Question, read_predictions
from po3d.scene.table import Scene
from po3d.systems.answer_kinds import ANSWERS, queried_kind
from po3d.systems.interfaces import Context

UNREAD = "gold program"


@dataclass(frozen=True)
class Baseline:
    """A system without perception and parser."""

    answer: Callable[[Sequence[Question], Context], list[Prediction]]


def guesses(guess: Callable[[Question], tuple[str, float]]) -> Baseline:
    """Return a system that needs no image: `guess` returns an answer and its probability."""
    return Baseline(
        lambda questions, context: [Prediction(q.id, "ok", *guess(q)) for q in questions]
    )


def _uniform(answers: Sequence[str], seed: int, stage: str) -> tuple[str, float]:
    return answers[int(rng(seed, stage).integers(len(answers)))], 1 / len(answers)


def random_baseline(seed: int = 0) -> Baseline:
    """Return the uniform guess among the answers compatible with the question's wording."""
    return guesses(lambda q: _uniform(ANSWERS[queried_kind(q.text)], seed, f"random/{q.id}"))


def random_option(seed: int = 0, consistent: bool = False) -> Baseline:
    """Return the uniform guess among the options: independent for every rotation ("random" in the
    paper's table) or, if `consistent`, one content for all rotations ("random++")."""

    def guess(q: Question) -> tuple[str, float]:
        key = q.id
        if consistent:
            head, _, turn = q.id.rpartition("-")
            key = head if turn.isdecimal() else q.id
        # Sorted, as the order must not depend on the rotation.
        return _uniform(sorted(q.options), seed, f"options/{key}")

    return guesses(guess)


def frequency_baseline(training: Iterable[Question]) -> Baseline:
    """Return the most frequent training answer to questions of this category and answer type."""

    def kinds(q: Question) -> tuple[tuple, ...]:
        return (q.category, queried_kind(q.text)), ("", queried_kind(q.text))

    best = {key: _most_common(counter) for key, counter in _counts(training, kinds).items()}

    def guess(q: Question) -> tuple[str, float]:
        # Fallback: the answer type in all categories, then the first answer of that type.
        first = ANSWERS[queried_kind(q.text)][0], 0.0
        return next((best[key] for key in kinds(q) if key in best), first)

    return guesses(guess)


def frequency_answer(training: Iterable[Question]) -> Baseline:
    """Return the most frequent training answer to questions of this category and type; with
    options, the option that was most often right. SCOPE's "Frequency" baseline (the most frequent
    answer, according to the paper); the papers of Hypo3D and 3DSRBench have no such row."""
    known = _counts(training, _kinds)

    def guess(q: Question) -> tuple[str, float]:
        counts = _most_specific(known, q)
        offered = sorted(map(str, q.options)) or list(counts)
        best = min(offered, key=lambda answer: (-counts[answer], answer))
        return best, counts[best] / max(1, sum(counts[answer] for answer in offered))

    return guesses(guess)


def random_answer(training: Iterable[Question], seed: int = 0) -> Baseline:
    """Return the uniform guess among the training answers to questions of this category and type.
    Hypo3D's paper does not report this baseline."""
    known = _counts(training, _kinds)
    return guesses(
        lambda q: _uniform(sorted(_most_specific(known, q)), seed, f"random answer/{q.id}")
    )


def _counts(
    training: Iterable[Question], kinds: Callable[[Question], tuple[tuple, ...]]
) -> dict[tuple, Counter[str]]:
    """Count the training answers by kind of question; InputError without training answers."""
    counts: dict[tuple, Counter[str]] = {}
    for question in training:
        if question.answer is not None:
            for key in kinds(question):
                counts.setdefault(key, Counter())[question.answer] += 1
    if not counts:
        raise InputError(
            "this baseline needs training questions with answers; the given set has none"
        )
    return counts


def _kinds(question: Question) -> tuple[tuple, ...]:
    """Return the kinds of a question, from the most specific one to all questions."""
    types = tuple(getattr(question, "types", ()))
    return ((question.category, types), (question.category,), ())


def _most_specific(counts: Mapping[tuple, Counter[str]], question: Question) -> Counter[str]:
    return next(counts[key] for key in _kinds(question) if key in counts)


def _most_common(counter: Counter[str]) -> tuple[str, float]:
    """Return the most frequent answer and its share; ties go to the first in alphabetical order."""
    answer = min(counter, key=lambda a: (-counter[a], a))
    return answer, counter[answer] / counter.total()


class Replay:
    """The predictions in a file."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.predictions: dict[str, Prediction] = {}
        for p in read_predictions(self.path):
            if p.id in self.predictions:
                raise InputError(f"{path} has two answers to question {p.id!r}")
            self.predictions[p.id] = p

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        absent = f"{self.path.name} has no answer to this question"
        result = []
        for q in questions:
            result.append(self.predictions.get(q.id) or Prediction(q.id, "failed", reason=absent))
        return result

    def notes(self, questions: Sequence[Question]) -> list[str]:
        """Return a remark if some questions have no prediction; InputError if none has one."""
        present = sum(q.id in self.predictions for q in questions)
        message = f"{self.path} has answers to {present:,} of the {len(questions):,} questions"
        if self.predictions and not present:
            raise InputError(f"{message}; it may be for another benchmark or split")
        return [] if present == len(questions) else [f"{message}; a missing answer counts as wrong"]


def planar_baseline() -> Baseline:
    """Return the 2D baseline: the gold program on the true image boxes, without depth
    (`po3d.reasoning.planar`). It measures how much a question tests 3D. InputError if no program of
    an image is one of 3DSRBench's."""

    def answer(questions: Sequence[Question], context: Context) -> list[Prediction]:
        scene = context.truth()
        predictions = [_planar_answer(q, scene) for q in questions]
        if questions and all(p.reason.startswith(UNREAD) for p in predictions):
            raise InputError(f"system=planar supports only 3DSRBench; {predictions[0].reason}")
        return predictions

    return Baseline(answer)


def _planar_answer(q: Question, scene: Scene) -> Prediction:
    try:
        program = parse_text(q.program)
    except ProgramError as error:
        return Prediction(q.id, "failed", reason=f"{UNREAD}: {error}")
    beliefs = [rows_only(thing, scene) for thing in program.things]
    boxes = []
    for b in beliefs:
        boxes.append(scene.objects[b.index(1.0)].box if 1.0 in b else None)
    if None in boxes:
        return Prediction(
            q.id, "failed", program=program.text(), reason="an object has no image box"
        )
    answer = planar(program.op, tuple(boxes))
    named = PhraseCall(program.op, tuple(map(without_row, program.things)))
    option = fit_options(named, q.options)
    if option is None:
        return Prediction(
            q.id, "failed", program=program.text(), reason="no option matches the answer"
        )
    word = named.things[answer] if isinstance(answer, int) else answer
    return Prediction(q.id, "ok", option[word], program=program.text())
