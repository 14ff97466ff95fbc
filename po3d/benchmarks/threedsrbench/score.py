"""Scores on 3DSRBench, a pure function of questions and predictions.

A row is right if the answer has the content of its right option. Rows form groups, and a group is
right if all its rows are. Four protocols are in use, and published figures differ in them:

circular         the rotations of a question; a question and its mirrored version are two groups.
                 The official metric (paper, leaderboard) and VLMEvalKit's circ_eval.
vanilla          every row is a group
flip             a row and its mirrored version, per rotation (VLMEvalKit's flip_eval)
flip_circular    all rows of one annotation (VLMEvalKit's flip_circ_eval); used by some papers

All means are micro averages over groups, including those of the four main types. A group has the
category of its first row. VLMEvalKit fails on a group whose first row is missing; here the group is
scored.
"""

import itertools
import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from po3d.benchmarks.choices import letters_of
from po3d.benchmarks.metrics import Bootstrap, bootstrap_groups, figure
from po3d.benchmarks.scoring import comparable, counted, failures, published_table, row, some
from po3d.benchmarks.threedsrbench.report import LETTERS
from po3d.io.errors import known
from po3d.language.programs.threedsrbench import CATEGORY
from po3d.reasoning.grounded import TAKEN
from po3d.reasoning.questions import Prediction, Question, paired

CATEGORIES = tuple(dict.fromkeys(CATEGORY.values()))
MAIN_TYPES: dict[str, tuple[str, ...]] = {}
MAIN: dict[str, str] = {}
for _main in ("height", "location", "orientation", "multi_object"):
    MAIN_TYPES[_main] = tuple(c for c in CATEGORIES if c.startswith(_main))
    MAIN |= dict.fromkeys(MAIN_TYPES[_main], _main)
# the types that a row averages over; other rows are over all types
TYPES_OF = MAIN_TYPES | dict(zip(CATEGORIES, zip(CATEGORIES)))
VIEWPOINTS = ("common", "uncommon")
OVERALL = "overall"
SCORERS = ("circular", "vanilla", "flip", "flip_circular")
# categories whose answer changes under mirroring
SIDED = (
    "orientation_on_the_left",
    "orientation_viewpoint",
    "multi_object_viewpoint_towards_object",
)
MEASURED = {
    "real": "official photographs, circular",
    "synthetic": "official synthetic splits, circular",
}

_ARTICLE = re.compile(r"^(?:the|an?) ")
_TURN = re.compile(r"-\d+$")


# --- rows -----------------------------------------------------------------------------------------


def chosen(answer: str, options: Sequence[str], letters: Sequence[str] = LETTERS) -> int | None:
    """Return the index of the option that an answer denotes: by content, else by a single letter
    ("B", "(B)", "B."); None if there is no match. Extracting an answer from a language model's free
    text is done by `po3d import`."""
    text = _plain(answer)
    texts = list(map(_plain, options))
    if text in texts:
        return texts.index(text)
    letter = answer.strip(" .():").upper()
    return letters.index(letter) if len(letter) == 1 and letter in letters[: len(options)] else None


def _plain(text: str) -> str:
    """Normalise a text for comparison: no case, outer blanks, punctuation or article."""
    text = " ".join(text.lower().split()).strip(" .!?")
    return _ARTICLE.sub("", text)


def correct(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "circular"
) -> list[float]:
    """Return, for the first row of each group, 1 if the group is right under the protocol `scorer`,
    else 0; NaN for other rows."""
    known("scorer", scorer, SCORERS)
    hits = row_hits(questions, predictions)
    right: dict[str, bool] = {}
    for q, hit in zip(questions, hits, strict=True):
        key = group_key(q.id, scorer)
        right[key] = right.get(key, True) and hit
    # the first row of a group takes its score
    return [float(right.pop(group_key(q.id, scorer), math.nan)) for q in questions]


def row_hits(questions: Sequence[Question], predictions: Sequence[Prediction]) -> list[bool]:
    """Return for each row, independently of its group, whether its prediction is right; a status
    other than "ok" is wrong."""
    answers = _chosen_options(questions, predictions)
    return [answers.get(q.id) == _plain(q.answer or "") for q in questions]


def _chosen_options(
    questions: Sequence[Question], predictions: Sequence[Prediction]
) -> dict[str, str]:
    """Return row id -> normalised content of the chosen option, for rows whose answer is one of
    their options."""
    answers = {}
    for q, p in paired(questions, predictions):
        if p.status == "ok" and p.answer is not None:
            at = chosen(p.answer, q.options, letters_of(q))
            if at is not None:
                answers[q.id] = _plain(q.options[at])
    return answers


def mirrored_answer(category: str, answer: str) -> str:
    """Return the right answer on the mirror image, given that on the original."""
    if category not in SIDED:
        return answer
    return re.sub(r"\b(left|right)\b", lambda m: {"left": "right", "right": "left"}[m[0]], answer)


def group_key(qid: str, scorer: str) -> str:
    """Return the group of a row under a protocol."""
    if scorer == "vanilla":
        return qid
    if scorer == "flip":
        return qid.replace("-flip", "")
    key = _TURN.sub("", qid)
    return key if scorer == "circular" else key.removesuffix("-flip")


# --- the tables -----------------------------------------------------------------------------------


def score(
    questions: Sequence[Question], predictions: Sequence[Prediction], scorer: str = "circular"
) -> dict:
    """Return the content of the benchmark's report, in percent and JSON-serialisable; 95 %
    intervals over scenes (1000 resamples).

    rows            name, n (groups), failed, value, ci_low, ci_high: `overall`, the main types, the
                    types present (of 12), then `common` and `uncommon` if the file has viewpoints;
                    an average over fewer types than defined has "columns"
    other_scorers   the rows of the other protocols
    baselines       "random" and "random++" (one guess for all rotations): expected values
    relative_drop   from common to uncommon viewpoint: value, ci_low, ci_high; {} without them
    by_viewpoint    viewpoint -> rows
    not_found       groups answered under the assumption that an undetected object is present: n,
                    of (all groups), and their rows; {} if there are none
    consistency     percentage of groups whose rotations, and of pairs whose mirrored rows, get
                    conflicting answers; pairs without two answers are excluded
    published       the paper's rows, without averages that ours take over fewer types
    images          number of scenes, the unit of the bootstrap
    """
    known("scorer", scorer, SCORERS)
    some(questions)
    hits = row_hits(questions, predictions)
    table = _Table(questions, predictions, hits, scorer)
    rows = table.rows()
    others, by_viewpoint = {}, {}
    for other in SCORERS:
        if other != scorer:
            others[other] = _Table(questions, predictions, hits, other).rows()
    for view in VIEWPOINTS:
        of_view = [k for k, q in enumerate(questions) if q.viewpoint == view]
        if of_view:
            by_viewpoint[view] = _Table(questions, predictions, hits, scorer, of_view).rows()
    return {
        "scorer": scorer,
        "images": len({q.scene for q in questions}),
        "rows": rows,
        "other_scorers": others,
        "baselines": {"random": table.guessing(False), "random++": table.guessing(True)},
        "relative_drop": table.relative_drop(),
        "by_viewpoint": by_viewpoint,
        "not_found": _unresolved(questions, predictions, hits, scorer),
        "consistency": consistency(questions, predictions),
        "published": comparable(published_rows(), rows),
    }


def _unresolved(
    questions: Sequence[Question],
    predictions: Sequence[Prediction],
    hits: Sequence[bool],
    scorer: str,
) -> dict:
    taken = {p.id for p in predictions if p.status == "ok" and p.reason.startswith(TAKEN)}
    members, assumed = _groups(questions, range(len(questions)), scorer), []
    for rows in members.values():
        if any(questions[k].id in taken for k in rows):
            assumed.append(rows)
    if not assumed:
        return {}
    indices = sorted(itertools.chain(*assumed))
    table = _Table(questions, predictions, hits, scorer, indices)
    return {"n": len(assumed), "of": len(members), "rows": table.rows()}


def _groups(
    questions: Sequence[Question], indices: Iterable[int], scorer: str
) -> dict[str, list[int]]:
    """Return group -> those of `indices` that are its rows."""
    members: dict[str, list[int]] = {}
    for k in indices:
        members.setdefault(group_key(questions[k].id, scorer), []).append(k)
    return members


class _Table:
    """Groups of rows under one protocol; `only`: indices of the questions, by default all."""

    def __init__(
        self,
        questions: Sequence[Question],
        predictions: Sequence[Prediction],
        hits: Sequence[bool],
        scorer: str,
        only: Sequence[int] | None = None,
    ) -> None:
        failed = failures(questions, predictions)
        members = _groups(questions, range(len(questions)) if only is None else only, scorer)
        self.groups: list[list[Question]] = []
        self.right, self.failed = np.zeros((2, len(members)), bool)
        order = (OVERALL, *MAIN_TYPES, *CATEGORIES, *VIEWPOINTS)
        columns: dict[str, list[int]] = {name: [] for name in order}
        for number, rows in enumerate(members.values()):
            self.groups.append(list(map(questions.__getitem__, rows)))
            self.right[number] = all(map(hits.__getitem__, rows))
            self.failed[number] = any(map(failed.__getitem__, rows))
            first = questions[rows[0]]
            for name in (OVERALL, MAIN[first.category], first.category, first.viewpoint):
                columns.setdefault(name, []).append(number)
        self.columns = {name: columns[name] for name in order if columns[name]}

    def _boot(self, names: Sequence[str]) -> Bootstrap:
        scenes = [rows[0].scene for rows in self.groups]
        groups = {name: self.columns[name] for name in names}
        return bootstrap_groups(100.0 * self.right, scenes, groups)

    def rows(self) -> list[dict]:
        boot = self._boot(tuple(self.columns))
        result = []
        for column, (name, indices) in enumerate(self.columns.items()):
            failed = self.failed[indices].tolist()
            figures = row(name, failed, boot.value[column], boot.samples[:, column])
            types = len({self.groups[k][0].category for k in indices})
            result.append(counted(figures, types, len(TYPES_OF.get(name, CATEGORIES))))
        return result

    def guessing(self, consistent: bool) -> list[dict]:
        """Return the expected accuracy of guessing: one of k options per rotation group
        (`consistent`) or per row. A mirrored row is a different image, so it is guessed separately.
        """
        expected = np.full(len(self.groups), 100.0)
        for k, rows in enumerate(self.groups):
            guessed, chance = set(), 1.0
            for q in rows:
                key = group_key(q.id, "circular" if consistent else "vanilla")
                if key not in guessed:
                    chance *= 1 / len(q.options)
                guessed.add(key)
            expected[k] *= chance
        figures = []
        for name, indices in self.columns.items():
            value = float(np.mean(expected[indices]))
            figures.append({"name": name, "n": len(indices), "value": value})
        return figures

    def relative_drop(self) -> dict[str, float]:
        if not all(v in self.columns for v in VIEWPOINTS):
            return {}
        boot = self._boot(VIEWPOINTS)
        with np.errstate(divide="ignore", invalid="ignore"):
            drops = 100 * (boot.samples[:, 1] / boot.samples[:, 0] - 1)
            value = 100 * (boot.value[1] / boot.value[0] - 1)
        return figure(value, drops[np.isfinite(drops)])


def consistency(
    questions: Sequence[Question], predictions: Sequence[Prediction]
) -> dict[str, dict[str, float]]:
    """Return the percentage of conflicting answers, right or wrong, over comparable ones:
    "circular" between the rotations of a question, "flip" between a row and its mirrored version
    (with left and right swapped)."""
    answers = _chosen_options(questions, predictions)
    turns: dict[str, set[str]] = {}
    sizes: dict[str, int] = {}
    flips = []
    for q in questions:
        if q.id in answers:
            key = group_key(q.id, "circular")
            turns.setdefault(key, set()).add(answers[q.id])
            sizes[key] = sizes.get(key, 0) + 1
        base = group_key(q.id, "flip")
        if base != q.id and q.id in answers and base in answers:
            flips.append(mirrored_answer(q.category, answers[base]) != answers[q.id])
    rotated = [len(turns[key]) > 1 for key, size in sizes.items() if size > 1]
    shares = {}
    for name, conflicts in (("circular", rotated), ("flip", flips)):
        value = 100 * float(np.mean(conflicts)) if conflicts else 0.0
        shares[name] = {"n": len(conflicts), "value": value}
    return shares


# --- published ------------------------------------------------------------------------------------


def published_rows() -> list[dict]:
    """Return Tables 2, 3 (vision encoders) and 4 of the paper: model, the columns that match
    `score`'s rows, "measured_on".

    Table 4's `relative_drop` is recomputed: the paper prints -32.2 for Gemini-1.5-Pro, but 59.9 to
    49.5 is -17.4.
    """
    rows = []
    for table in ("3dsrbench_real", "3dsrbench_vision_encoders"):
        for record in published_table(__file__, table):
            record.pop("family", None)
            rows.append({**record, "measured_on": MEASURED["real"]})
    for record in published_table(__file__, "3dsrbench_synthetic"):
        row: dict = {"model": f"{record['model']}, synthetic"}
        by_viewpoint: dict[str, dict] = {}
        for view in VIEWPOINTS:
            by_viewpoint[view] = {n: record[f"{view}_{n}"] for n in (OVERALL, *MAIN_TYPES)}
            row[view] = by_viewpoint[view][OVERALL]
        row |= {"relative_drop": record["relative_drop_percent"], "by_viewpoint": by_viewpoint}
        rows.append(row | {"measured_on": MEASURED["synthetic"]})
    return rows
