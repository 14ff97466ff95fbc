"""Baselines that ignore the question or the depth, and replay of stored predictions.

the words of the question ──────────────► a guess        RandomBaseline, FrequencyBaseline, ...
the gold program on image boxes ────────► 2D relations   Planar
a predictions file of any other model ──► its line       Replay
"""

from collections import Counter
from collections.abc import Iterable, Sequence
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
from po3d.systems.pipeline import Context

UNREAD = "gold program"


@dataclass(frozen=True)
class RandomBaseline:
    """A uniform guess among the answers compatible with the question's wording."""

    seed: int = 0

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        predictions = []
        for question in questions:
            answers = ANSWERS[queried_kind(question.text)]
            pick = int(rng(self.seed, f"random/{question.id}").integers(len(answers)))
            predictions.append(Prediction(question.id, "ok", answers[pick], 1 / len(answers)))
        return predictions


class FrequencyBaseline:
    """The most frequent training answer to questions of this category and answer type."""

    def __init__(self, training: Iterable[Question]) -> None:
        counts: dict[tuple[str, str], Counter[str]] = {}
        for question in training:
            if question.answer is not None:
                kind = queried_kind(question.text)
                for key in ((question.category, kind), ("", kind)):
                    counts.setdefault(key, Counter())[question.answer] += 1
        if not counts:
            raise InputError(
                "the frequency baseline needs training questions with answers; the given set has"
                " none"
            )
        self.best = {key: _most_common(counter) for key, counter in counts.items()}

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        predictions = []
        for question in questions:
            kind = queried_kind(question.text)
            # Fallback: the answer type in all categories, then the first answer of that type.
            answer, share = self.best.get((question.category, kind)) or self.best.get(
                ("", kind), (ANSWERS[kind][0], 0.0)
            )
            predictions.append(Prediction(question.id, "ok", answer, share))
        return predictions


class TrainingAnswers:
    """Counts of training answers by category and type of question; InputError without training
    answers."""

    def __init__(self, training: Iterable[Question]) -> None:
        self.counts: dict[tuple, Counter[str]] = {}
        for question in training:
            if question.answer is not None:
                for key in _kinds(question):
                    self.counts.setdefault(key, Counter())[question.answer] += 1
        if not self.counts:
            raise InputError(
                "this baseline needs training questions with answers; the given set has none"
            )

    def of(self, question: Question) -> Counter[str]:
        """Return the counts of the most specific kind that occurs in training."""
        return next(self.counts[key] for key in _kinds(question) if key in self.counts)


class FrequencyAnswer(TrainingAnswers):
    """The most frequent training answer to questions of this category and type; with options, the
    option that was most often right. SCOPE's "Frequency" baseline (the most frequent answer,
    according to the paper); the papers of Hypo3D and 3DSRBench have no such row."""

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        predictions = []
        for question in questions:
            counts = self.of(question)
            offered = sorted(map(str, question.options)) or list(counts)
            best = min(offered, key=lambda answer: (-counts[answer], answer))
            share = counts[best] / max(1, sum(counts[answer] for answer in offered))
            predictions.append(Prediction(question.id, "ok", best, share))
        return predictions


class RandomAnswer(TrainingAnswers):
    """A uniform guess among the training answers to questions of this category and type. Hypo3D's
    paper does not report this baseline."""

    def __init__(self, training: Iterable[Question], seed: int = 0) -> None:
        super().__init__(training)
        self.seed = seed

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        predictions = []
        for question in questions:
            answers = sorted(self.of(question))
            pick = int(rng(self.seed, f"random answer/{question.id}").integers(len(answers)))
            predictions.append(Prediction(question.id, "ok", answers[pick], 1 / len(answers)))
        return predictions


def _kinds(question: Question) -> tuple[tuple, ...]:
    """Return the kinds of a question, from the most specific one to all questions."""
    types = tuple(getattr(question, "types", ()))
    return ((question.category, types), (question.category,), ())


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
        return [
            self.predictions.get(q.id) or Prediction(q.id, "failed", reason=absent)
            for q in questions
        ]

    def notes(self, questions: Sequence[Question]) -> list[str]:
        """Return a remark if some questions have no prediction; InputError if none has one."""
        present = sum(q.id in self.predictions for q in questions)
        message = f"{self.path} has answers to {present:,} of the {len(questions):,} questions"
        if self.predictions and not present:
            raise InputError(f"{message}; it may be for another benchmark or split")
        return [] if present == len(questions) else [f"{message}; a missing answer counts as wrong"]


@dataclass(frozen=True)
class Planar:
    """2D baseline: the gold program on the true image boxes, without depth
    (`po3d.reasoning.planar`). It measures how much a question tests 3D. InputError if no program of
    an image is one of 3DSRBench's."""

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        scene = context.truth()
        predictions = [self._answer(q, scene) for q in questions]
        if questions and all(p.reason.startswith(UNREAD) for p in predictions):
            raise InputError(f"system=planar supports only 3DSRBench; {predictions[0].reason}")
        return predictions

    @staticmethod
    def _answer(q: Question, scene: Scene) -> Prediction:
        try:
            program = parse_text(q.program)
        except ProgramError as error:
            return Prediction(q.id, "failed", reason=f"{UNREAD}: {error}")
        beliefs = [rows_only(thing, scene) for thing in program.things]
        boxes = [scene.objects[b.index(1.0)].box if 1.0 in b else None for b in beliefs]
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


@dataclass(frozen=True)
class RandomOption:
    """A uniform guess among the options: independent for every rotation ("random" in the paper's
    table) or, if `consistent`, one content for all rotations ("random++")."""

    seed: int = 0
    consistent: bool = False

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        predictions = []
        for q in questions:
            options = sorted(q.options)  # the order does not depend on the rotation
            key = q.id
            if self.consistent:
                head, _, turn = q.id.rpartition("-")
                key = head if turn.isdecimal() else q.id
            pick = int(rng(self.seed, f"options/{key}").integers(len(options)))
            predictions.append(Prediction(q.id, "ok", options[pick], 1 / len(options)))
        return predictions


def _most_common(counter: Counter[str]) -> tuple[str, float]:
    """Return the most frequent answer and its share; ties go to the first in alphabetical order."""
    answer = min(counter, key=lambda a: (-counter[a], a))
    return answer, counter[answer] / counter.total()
