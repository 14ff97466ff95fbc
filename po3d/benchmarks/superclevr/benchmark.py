"""Super-CLEVR (Li et al., CVPR 2023): loading the official questions and scenes, and its
`Benchmark` declaration.

  superCLEVR_questions_*.json  {"questions": [{image_filename, question, answer, question_index,
                               template_filename[, program]}]}
  superCLEVR_scenes.json       {"scenes": [...]}: true scenes; or one file per image
  images/                      or images beside the questions

Programs are read from the node lists or, if the release has none, parsed from the question text
(`wording`). Questions about object parts, which scene tables do not represent, have no program and
are reported as unparsed with that reason.
"""

import re
from pathlib import Path

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.splits import unique
from po3d.benchmarks.street_split import Folder, StreetSplit, twin_of
from po3d.benchmarks.superclevr.files import (
    StreetQuestion,
    read_answer,
    read_questions,
    stored_question,
    street_prompt,
)
from po3d.benchmarks.superclevr.names import written
from po3d.benchmarks.superclevr.score import CATEGORIES, OTHER, SCORERS, correct, score
from po3d.benchmarks.superclevr.wording import program_of
from po3d.io.errors import InputError
from po3d.language.programs.street import ProgramError
from po3d.reasoning.questions import Question

QUESTIONS = "superCLEVR_questions_*.json"
SCENES = ("superCLEVR_scenes.json", "scenes.json")
WHERE = "download: GitHub, Lizw14/Super-CLEVR, which links images, scenes and questions"
PARTS = "the question is about parts of objects, which scenes do not contain"


def load(root: str | Path, split: str = "") -> StreetSplit:
    """Load the release from the folder or question file `root`. Raise InputError saying what is
    missing and where to get it.
    """
    root = Path(root)
    files = [root] if root.is_file() else sorted(root.glob(QUESTIONS))
    files = files or sorted((root / "questions").glob(QUESTIONS))
    if not files:
        raise InputError(f"no Super-CLEVR data in {root}: expected {QUESTIONS}; {WHERE}")
    questions: list[Question] = []
    for path in files:
        records = enumerate(read_questions(path))
        questions += [_question(r, path.stem, f"{path}, question {k}") for k, r in records]
    if not questions:
        raise InputError(f"{files[0]} contains no questions")
    source = Folder(root.parent if root.is_file() else root, SCENES)
    return StreetSplit(
        split or root.name, unique(questions, root, "question_index of"), source, tuple(files)
    )


def _question(record: object, file: str, where: str) -> Question:
    index, image, text, stored, program, reason = stored_question(record, where)
    template = re.sub(r"\.json$", "", str(record.get("template_filename", "")))
    category = next((c for c in CATEGORIES if template.startswith(c)), OTHER)
    if not program and not reason:
        try:
            program = program_of(text).text()
        except ProgramError as error:
            reason = PARTS if category == "part" else str(error)
    fields = {"number": str(index), "stored": stored, "unread": reason}
    return StreetQuestion(
        f"{file}:{index}", image, text, "2d", category, read_answer(stored), program, **fields
    )


def prompt(question: Question) -> list[str | int]:
    """Return the prompt: meaning of the directions, image, question, allowed words, and a template
    with two fields.
    """
    focus = (
        "Left, right, front and behind are meant as the camera sees them; front is nearer to the"
        " camera."
    )
    return street_prompt(question, focus, "It is made of rubber (matte) or metal (shiny).")


open_fresh, generate = twin_of("po3d.benchmarks.superclevr.twin", load, SCENES[0])
BENCHMARK = Benchmark(
    "superclevr", "street", "images", SCORERS, correct, score, load, open_fresh, generate, prompt,
    generated="images",
    written=written,
    title="Super-CLEVR",
    protocols={"strict": "an answer is right when it is the released one, whatever its case"},
)  # fmt: skip
