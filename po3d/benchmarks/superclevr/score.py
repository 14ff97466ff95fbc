"""Scores on Super-CLEVR, a pure function of questions and predictions. Answers are compared in
po3d's vocabulary: "Road bike" equals "road", "true" equals "yes", "03" equals "3".
"""

from collections.abc import Sequence

import numpy as np

from po3d.benchmarks.metrics import bootstrap_groups
from po3d.benchmarks.scoring import failures, row, some
from po3d.benchmarks.superclevr.files import read_answer
from po3d.io.errors import known
from po3d.reasoning.questions import Prediction, Question, categories_of, images_of, paired

# Template files, in their order; "part" asks for object parts.
CATEGORIES = ("zero_hop", "one_hop", "two_hop", "three_hop", "same_relate", "single_and")
CATEGORIES += ("single_or", "compare_integer", "comparison", "part")
OTHER = "other"  # questions without a known template
OVERALL = "overall"  # unweighted over all questions, as the paper reports
SCORERS = ("strict",)


def correct(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str
) -> list[bool]:
    """Return for each question whether its prediction is right; a status other than "ok" is
    wrong.
    """
    known("scorer", scorer, SCORERS)
    return [
        p.status == "ok" and p.answer is not None and read_answer(p.answer) == q.answer
        for q, p in paired(questions, predictions)
    ]


def score(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "strict"
) -> dict:
    """Return the content of the report, in percent and JSON-serialisable: `rows` (name, n, failed,
    value, ci_low, ci_high) of each category present and `overall`; `images`, the unit of the
    bootstrap (1000 resamples, 95 %).

    There are no published rows, because none were measured on these images.
    """
    some(questions)
    right = 100.0 * np.array(correct(questions, predictions, scorer), float)
    failed = np.array(failures(questions, predictions))
    images = images_of(questions)
    categories = np.array(categories_of(questions))
    members = {name: np.flatnonzero(categories == name) for name in (*CATEGORIES, OTHER)}
    members[OVERALL] = np.arange(len(questions))
    rows = []
    for name, own in members.items():
        if len(own):
            boot = bootstrap_groups(right, images, {name: own})
            rows.append(row(name, failed[own].tolist(), boot.value[0], boot.samples[:, 0]))
    return {
        "scorer": scorer,
        "images": len(set(images)),
        "rows": rows,
        "other_scorers": {},
        "published": [],
    }
