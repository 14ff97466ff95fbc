"""Scores on PulseCheck457, a pure function of questions and predictions.

Two scorers are in use; they differ on shapes, so tables must name the one used:

strict       lmms-eval's: equality up to case, "true" for "yes" and "03" for "3" (see `strict`)
vlmevalkit   VLMEvalKit's spatial457: any type of the right super-category counts (see `lenient`)

`vlmevalkit` reproduces upstream's code for identical texts. It compares with the spelling of
VLMEvalKit's table: the row's own if the questions come from a TSV, else the spelling written by
`po3d export` ("Yes", "road bike"). `strict` differs from lmms-eval's code in two points, listed
there.
"""

import math
from collections.abc import Callable, Sequence

from po3d.benchmarks.metrics import (
    Bootstrap,
    bootstrap,
    coefficient_of_variation,
    confusion,
    distribution,
    figure,
    rpdr,
)
from po3d.benchmarks.pulsecheck457.report import CATEGORIES
from po3d.benchmarks.scoring import comparable, failures, published_table, rows_and_mean, some
from po3d.benchmarks.superclevr.names import identifier, written
from po3d.io.errors import known
from po3d.reasoning.questions import Prediction, Question, by_id, categories_of, images_of, paired
from po3d.scene.vocabulary import COLORS, FACINGS, SHAPES, SIZES, SUPER_CATEGORIES

MEAN = "mean"  # unweighted mean of the columns
BIAS_COLUMN = "L4-3D-Pose"  # the category in which the paper measures answer bias (Tab. 4)
BIAS_VALUES: dict[str, tuple[str, ...]] = {
    "shape": SHAPES,
    "color": COLORS,
    "size": SIZES,
    "pose": FACINGS,
}

_YES, _NO = ("yes", "true", "1"), ("no", "false", "0")
_NUMBER_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_NUMBER_WORDS += ["ten"]
_ANY_COUNT = tuple("123456789")
_KIND_OF_WORD = {"addi": "car"}  # a 22nd type of Super-CLEVR that occurs in no scene
for _kind, _leaves in SUPER_CATEGORIES.items():
    _KIND_OF_WORD |= dict.fromkeys((*_leaves, _kind), _kind)


def strict(predicted: str, gold: str) -> bool:
    """Compare two answers by lmms-eval's rule: ignoring case and outer blanks, "true" and "1" equal
    yes, "false" and "0" equal no, and numbers are compared as integers ("03" equals 3).

    Two differences: ids ("articulated") and written names ("articulated bus") are equal here; and a
    count only equals a count, while upstream accepts "yes" for 1 and "no" for 0.
    """
    answer, right = (identifier(text.strip().lower()) for text in (predicted, gold))
    for words in (_YES, _NO):
        if right == words[0]:
            return answer in words
    if answer.isdecimal() and right.isdecimal():
        return int(answer) == int(right)
    return answer == right


def lenient(predicted: str, gold: str) -> bool:
    """Compare two answers by VLMEvalKit's lenient rule; `gold` in po3d's ("no") or the table's
    spelling ("No").

    "none" equals no; "0" equals no if the table has "No"; number words are accepted; any count from
    1 to 9 equals yes; and every type of the right super-category (by its first word) is correct.
    "true" does not equal yes, and "1 " not 1: blanks count.
    """
    return _as_table(predicted, written(gold))


def _as_table(predicted: str, gold: str) -> bool:
    """Apply VLMEvalKit's rule to an answer in its table's spelling."""
    if predicted.lower() == "none":
        predicted = "no"
    answer, right = predicted.lower(), gold.lower()
    if answer == right or (predicted, gold) == ("0", "No"):
        return True
    if answer in _NUMBER_WORDS and gold == str(_NUMBER_WORDS.index(answer)):
        return True
    if right == "yes" and predicted in _ANY_COUNT:
        return True
    kinds = [_KIND_OF_WORD.get(text.split(" ")[0]) for text in (answer, right)]
    return kinds[0] is not None and kinds[0] == kinds[1]


SCORERS: dict[str, Callable[[str, str], bool]] = {"strict": strict, "vlmevalkit": lenient}


def correct(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str
) -> list[bool]:
    """Return for each question whether its prediction is right; a status other than "ok" is
    wrong.
    """
    known("scorer", scorer, SCORERS)
    result = []
    for q, p in paired(questions, predictions):
        rule, gold = SCORERS[scorer], q.answer
        if scorer == "vlmevalkit" and q.table:
            rule, gold = _as_table, q.table
        result.append(p.status == "ok" and p.answer is not None and rule(p.answer, gold))
    return result


def score(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "strict"
) -> dict:
    """Return the content of the benchmark's report, in percent and JSON-serialisable:

    rows            name, n, failed, value, ci_low, ci_high for each category present, and their
                    `mean` (with "columns" if it covers fewer than the seven categories)
    other_scorers   the rows of the other scorer
    rpdr            the four abilities with their intervals (value, ci_low, ci_high)
    rpdr_capped     RPDR with each ratio capped at 100 %, as in the paper's Table 3
    cv              coefficient of variation of predictions and truth on L4-3D-Pose, by attribute
    distribution    counts of these answers by value
    confusion       rows ground truth, columns predictions, the last column for other answers
    published       the paper's rows, measured on the official images; without their mean if
                    ours covers fewer categories
    images          number of images, the unit of the bootstrap (1000 resamples, 95 %)
    """
    some(questions)
    present = set(categories_of(questions))
    names = [c for c in CATEGORIES if c in present]
    boot = _boot(questions, predictions, scorer, names)
    rows, others = _rows(boot, questions, predictions, names), {}
    for other in SCORERS:
        if other != scorer:
            boot_of_other = _boot(questions, predictions, other, names)
            others[other] = _rows(boot_of_other, questions, predictions, names)
    return {
        "scorer": scorer,
        "images": len(set(images_of(questions))),
        "rows": rows,
        "other_scorers": others,
        "rpdr": _rpdr(boot, names),
        "rpdr_capped": _rpdr(boot, names, capped=True),
        **_bias(questions, predictions),
        "published": comparable(published_rows(), rows),
    }


def _boot(
    questions: Sequence[Question],
    predictions: Sequence[Prediction],
    scorer: str,
    names: Sequence[str],
) -> Bootstrap:
    values = [100.0 * right for right in correct(questions, predictions, scorer)]
    return bootstrap(values, images_of(questions), categories_of(questions), names)


def _rows(
    boot: Bootstrap,
    questions: Sequence[Question],
    predictions: Sequence[Prediction],
    names: Sequence[str],
) -> list[dict]:
    failed = failures(questions, predictions)
    rows, mean = rows_and_mean(boot, questions, failed, names, MEAN, len(CATEGORIES))
    return [*rows, mean]


def _rpdr(
    boot: Bootstrap, names: Sequence[str], capped: bool = False
) -> dict[str, dict[str, float]]:
    point = rpdr(dict(zip(names, boot.value)), capped)
    samples = [rpdr(dict(zip(names, row)), capped) for row in boot.samples]
    figures = {}
    for ability, value in point.items():
        if not math.isnan(value):  # else a category is missing
            figures[ability] = figure(value, [s[ability] for s in samples])
    return figures


def _bias(questions: Sequence[Question], predictions: Sequence[Prediction]) -> dict[str, dict]:
    """Compute distributions, CV and confusion of the answers to the query questions of
    BIAS_COLUMN.
    """
    predicted = by_id(predictions)
    cv: dict[str, dict[str, float]] = {"predicted": {}, "gold": {}}
    counts: dict[str, dict] = {}
    confused: dict[str, dict] = {}
    for attribute, values in BIAS_VALUES.items():
        subset = [q for q in questions if q.category == BIAS_COLUMN and q.answer in values]
        if not subset:
            continue
        gold, answers = [q.answer for q in subset], []
        for q in subset:
            answer = predicted[q.id].answer
            answers.append(None if answer is None else identifier(answer.strip().lower()))
        counts[attribute] = {}
        for side, words in (("predicted", answers), ("gold", gold)):
            table = distribution(words, values)
            counts[attribute][side] = table
            if any(table.values()):
                cv[side][attribute] = coefficient_of_variation(table)
        table = confusion(gold, answers, values).tolist()
        confused[attribute] = {"values": list(values), "counts": table}
    for side in cv.values():
        if side:
            side["average"] = sum(side.values()) / len(side)
    return {"cv": cv if counts else {}, "distribution": counts, "confusion": confused}


def published(table: str) -> list[dict]:
    """Return a table of the paper: rpdr (Tab. 3) or cv (Tab. 4)."""
    return published_table(__file__, f"pulsecheck457_{table}")


def published_rows() -> list[dict]:
    """Return Table 2 of the paper, measured on the official images: model, the categories and their
    mean.
    """
    rows = []
    for record in published_table(__file__, "pulsecheck457"):
        values = {name: record[name] for name in CATEGORIES}
        rows.append({"model": record["model"], **values, MEAN: sum(values.values()) / len(values)})
    return rows
