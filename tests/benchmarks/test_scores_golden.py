"""Every figure of a score, of the same answers as ever: what changes here changes published
numbers.

PYTHONPATH=. python tests/benchmarks/test_scores_golden.py      writes the files anew, to be read as a diff
"""

import itertools
import json
import math
import sys
from pathlib import Path

import pytest

from po3d.benchmarks.pulsecheck457.score import lenient
from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.benchmarks.threedsrbench import score as srbench_score
from po3d.io.files import atomic_write
from po3d.io.seeding import rng
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.vocabulary import SUPER_CATEGORIES

GOLDEN = Path(__file__).parents[1] / "golden"
IMAGES = {"pulsecheck457": 3, "hypo3d": 9, "3dsrbench": 8, "scope": 4}  # of the shipped splits
LONG = ("published", "published_consistency")  # tables: their ends say enough


def answered(q: Question, k: int) -> Prediction:
    """Right, wrong (one of the options, or a word of another answer), nonsense, or nothing."""
    draw = rng(11, "golden scores", k).random()
    if draw < 0.65:
        return Prediction(q.id, "ok", str(q.answer))
    if draw < 0.85:
        options = [o for o in q.options or ("yes", "no", "1", "left", "red") if o != q.answer]
        return Prediction(q.id, "ok", options[k % len(options)])
    if draw < 0.9:
        return Prediction(q.id, "ok", "well, it depends")
    return Prediction(q.id, ("failed", "unparsed", "abstained")[k % 3], q.answer if k % 2 else None)


def figures(name: str) -> dict:
    """The scores of all settings as JSON, rounded."""
    module, questions = BENCHMARKS[name], opened(name).first(IMAGES[name]).questions
    predictions = [answered(q, k) for k, q in enumerate(questions)]
    result = {}
    for scorer in module.scorers:
        report = module.score(questions, predictions, scorer)
        report |= {
            key: [report[key][0], report[key][-1], len(report[key])]
            for key in LONG
            if key in report
        }
        right = module.correct(questions, predictions, scorer)
        report["correct"] = "".join("-" if math.isnan(r) else "01"[int(r)] for r in right)
        result[scorer] = _rounded(report)
        if scorer != module.scorers[0]:  # the rest is the same
            result[scorer] = {key: result[scorer][key] for key in ("scorer", "rows", "correct")}
    return result


def _rounded(value):
    if isinstance(value, dict):
        return {str(k): _rounded(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(v) for v in value]
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 6)
    return value


@pytest.mark.parametrize("name", IMAGES)
def test_scores_are_what_they_were(name):
    """Keys may be added; what was there stays, to the sixth digit."""
    expected = json.loads((GOLDEN / f"scores_{name}.json").read_text(encoding="utf-8"))
    result = figures(name)
    assert result.keys() == expected.keys()
    for scorer, old in expected.items():
        assert _common(result[scorer], old) == old


def _common(new, old):
    """What `new` has of the keys of `old`, at every depth."""
    if isinstance(new, dict) and isinstance(old, dict):
        return {key: _common(new[key], old[key]) for key in old if key in new}
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        return [_common(a, b) for a, b in zip(new, old)]
    return new


def test_vlmevalkits_leniencies_hold_for_every_word():
    words = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    for k, word in enumerate(words):
        assert lenient(word, str(k))
        assert not lenient(word, str(k + 1))
    for count in "123456789":
        assert lenient(count, "yes")
    assert not any(lenient(count, "yes") for count in ("10", "0", "", "12"))
    kinds = {shape: kind for kind, leaves in SUPER_CATEGORIES.items() for shape in leaves}
    for reply, right in itertools.product(kinds, kinds):
        assert lenient(reply, right) == (kinds[reply] == kinds[right]), (reply, right)
    for kind in SUPER_CATEGORIES:
        assert lenient(kind, next(s for s in kinds if kinds[s] == kind))
    assert lenient("addi", "suv")  # Super-CLEVR's 22nd type, a car


def test_3dsrbench_tells_no_figures_of_what_is_not_there():
    questions = [q for q in opened("3dsrbench").first(1).questions if q.viewpoint == "common"][:1]
    supplied = [Prediction(questions[0].id, "ok", questions[0].answer)]
    report = srbench_score.score(questions, supplied)
    assert list(report["by_viewpoint"]) == ["common"]
    assert report["consistency"] == {
        "circular": {"n": 0, "value": 0.0},
        "flip": {"n": 0, "value": 0.0},
    }
    assert srbench_score.correct(questions, supplied) == [1.0]  # in the official setting
    assert srbench_score.chosen("XB", ["a", "b"]) is None


if __name__ == "__main__":
    for benchmark in sys.argv[1:] or IMAGES:
        with atomic_write(GOLDEN / f"scores_{benchmark}.json") as file:
            file.write(
                json.dumps(
                    figures(benchmark), ensure_ascii=False, indent=None, separators=(",", ":")
                )
                + "\n"
            )
