"""What a reading is worth: its likelihood, and what sentence and program have in common.

A small network points beside a name now and then, forgets a colour or writes one thing twice, and is as sure as ever. A few counts tell
such readings from the others of the same sentence; their weights are found on development sentences.
"""

import math
import re
from collections.abc import Mapping

from po3d.language.program import Call
from po3d.language.read.reader_tokens import Asked, Sort, cleaned, in_singular
from po3d.scene.rooms import COLORS

_WORD = re.compile(r"[^\W_]+")
_SPELLED = {"grey": "gray"}


def features(
    asked: Asked, sort: Sort, program: Call | None, refusal: str, probability: float
) -> dict[str, float]:
    """Of one reading of a sentence: `likelihood` (its logarithm); `forgotten`, names of the table that the sentence says in full and the
    program doesn't have, and `plain`, looks likewise; `twice`, operations with the same thing twice; `none` and `beyond`, refusals."""
    found = {"likelihood": math.log(max(probability, 1e-9)), refusal: 1.0}
    if program is None:
        return found
    words = _words(getattr(asked, sort))
    names, looks, twice = set(), set(), 0
    for call in program.calls():
        if call.signature.inputs[:1] == ("attribute",) and isinstance(call.args[1], str):
            (names if call.args[0] in ("name", "shape") else looks).add(call.args[1].lower())
        elif call.op == "thing":
            names.add(str(call.args[0]).lower())
        parts = [str(arg) for arg in call.args if isinstance(arg, Call) and arg.args]
        twice += len(set(parts)) < len(parts)
    said = [cut for name in asked.names if _within(cut := _words(name), words)]
    longest = [cut for cut in said if not any(cut != other and _within(cut, other) for other in said)]
    have = [_words(name) for name in names]
    seen = looks | {word for name in have for word in name}
    colors = {word for word in words if word in COLORS or word in asked.looks}
    return found | {
        "forgotten": float(sum(cut not in have for cut in longest)),
        "plain": float(len(colors - seen)),
        "twice": float(twice),
    }


def shares(weights: Mapping[str, float], each: list[dict[str, float]]) -> list[float]:
    """The probability of each of a sentence's readings, by their features."""
    scores = [sum(weights.get(name, 0.0) * value for name, value in one.items()) for one in each]
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    return [power / sum(powers) for power in powers]


def _words(text: str) -> list[str]:
    """Its words in the singular."""
    found = _WORD.findall(cleaned(text).lower())
    return [in_singular(_SPELLED.get(word, word)) for word in found]


def _within(part: list[str], whole: list[str]) -> bool:
    return any(whole[k : k + len(part)] == part for k in range(len(whole) - len(part) + 1))
