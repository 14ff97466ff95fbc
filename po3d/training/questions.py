"""Training the street parser on a release's questions with programs, optionally mixed with
generated ones.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from po3d.benchmarks import scene_ids
from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.benchmarks.pulsecheck457.report import FILES
from po3d.benchmarks.superclevr import benchmark as superclevr
from po3d.io.errors import InputError
from po3d.language.program import ProgramError
from po3d.language.programs.street import parse_text
from po3d.reasoning.questions import Question, images_of
from po3d.training.parser import SCATTER, TOKEN_IDS, ParserData, ParserExample


def questions_of(root: str | Path) -> list[Question]:
    """Return the questions of a release of PulseCheck457 (questions/L1_single.json ...) or
    Super-CLEVR (superCLEVR_questions_*.json), or of one of their files. Raise InputError if there
    are none."""
    root = Path(root)
    names = set(map(str.lower, FILES.values()))
    if any(path.stem.lower() in names for path in (root / "questions").glob("*.json")):
        return list(pulsecheck457.load(root).questions)
    return list(superclevr.load(root).questions)


class QuestionData(ParserData):
    """Questions and programs of one or several releases `root`.

    Training uses questions on scenes of `split`, with the parts given by the release's ranges or by
    `ranges` (`po3d.benchmarks.scene_ids`). Validation uses scenes of the part val if it is not
    trained on and not empty, otherwise the last tenth of the scenes. `generated`: number of
    generated questions to add to training. Questions without a program, or with a word outside the
    parser's embedding, are omitted.
    """

    def __init__(
        self,
        root: str | Sequence[str] = "",
        split: str | Sequence[str] = "train",
        ranges: Mapping[str, str] | None = None,
        seed: int = 0,
        generated: int = 0,
        batch: int = 128,
        validation: int = 2000,
    ) -> None:
        super().__init__(seed, generated, batch, validation)
        scene_ids.wanted_parts(split)
        if not root:
            raise InputError(
                "data=questions needs data.root=DIR, the folder of a release or one of its question"
                " files"
            )
        self.save_hyperparameters()
        self._parts: tuple[list[Question], list[Question]] | None = None
        self._ids: scene_ids.Ids = {}

    def scenes(self) -> scene_ids.Ids:
        self._questions()
        return self._ids

    def _questions(self) -> tuple[list[Question], list[Question]]:
        """Return the questions for training and for validation."""
        if self._parts is None:
            h = self.hparams
            train: list[Question] = []
            held_out: list[Question] = []
            for root in [h.root] if isinstance(h.root, str) else h.root:
                wanted, others = self._divided(Path(root))
                train += wanted
                held_out += others
                own = scene_ids.scene_ids(root, images_of(wanted))
                self._ids = scene_ids.joined([self._ids, own])
            self._parts = train, held_out[: h.validation]
        return self._parts

    def _divided(self, root: Path) -> tuple[list[Question], list[Question]]:
        h = self.hparams
        wanted, questions = scene_ids.wanted_parts(h.split), questions_of(root)
        images = sorted(set(images_of(questions)))
        part = dict(zip(images, scene_ids.parts_of(root, images, h.ranges), strict=True))
        trained = [image for image in images if part[image] in wanted]
        if not trained:
            raise InputError(scene_ids.no_part(images, list(part.values()), root, wanted))
        others = [image for image in images if part[image] == "val" and "val" not in wanted]
        if not others:
            cut = max(len(trained) - max(len(trained) // 10, 1), 1)
            trained, others = trained[:cut], trained[min(cut, len(trained) - 1) :]
        trained_images, other_images = set(trained), set(others)
        train: list[Question] = []
        held_out: list[Question] = []
        for question in questions:
            if question.image in trained_images:
                train.append(question)
            if question.image in other_images:
                held_out.append(question)
        return train, held_out

    def setup(self, stage: str | None = None) -> None:
        if self.train:
            return
        train, validation = self._questions()
        self.train = self._read(train, "training", SCATTER)
        self.validation = self._read(validation, "validation", 0.0)
        if self.hparams.generated:
            self.train += self._examples("parser-train", self.hparams.generated, SCATTER)

    def _read(
        self, questions: Sequence[Question], purpose: str, scatter: float
    ) -> list[ParserExample]:
        """Return the questions as examples, and a line that counts the omitted ones. Raise
        InputError if all are omitted."""
        tokenizer = self.tokenizer()
        examples: list[ParserExample] = []
        unknown: dict[str, int] = {}
        without = 0
        for number, question in enumerate(questions):
            tokens = self._program(question)
            if tokens is None:
                without += 1
                continue
            words, odd = tokenizer(question.text)
            for word in odd:
                unknown[word] = unknown.get(word, 0) + 1
            if not odd:
                place = "questions-scatter", number, scatter
                examples.append(self.example(words, tokens, *place))
        if self.trainer is None or self.trainer.is_global_zero:
            rare = sorted(unknown, key=lambda word: (-unknown[word], word))[:5]
            words_left = f" ({', '.join(rare)})" if rare else ""
            print(
                f"questions for {purpose}: {len(examples):,} of {len(questions):,}; "
                f"{without:,} without a valid program, "
                f"{len(questions) - len(examples) - without:,} with unknown words"
                f"{words_left}"
            )
        if not examples:
            raise InputError(
                f"data.root={self.hparams.root}: none of its {len(questions):,} questions "
                "is usable for training"
            )
        return examples

    @staticmethod
    def _program(question: Question) -> list[int] | None:
        """Return the program's token ids; None without a program or if the parser's tokens cannot
        express it."""
        if not question.program:
            return None
        try:
            tokens = parse_text(question.program).texts()
        except ProgramError:
            return None
        ids = list(map(TOKEN_IDS.get, tokens))
        return None if None in ids else ids
