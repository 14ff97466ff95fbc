"""The clauses of 3DSRBench's questions as patterns, in the order in which they are tried: grammars/threedsrbench.patterns, whose
abbreviations (capitals, <pieces>) are spelled out here."""

import itertools
import re

from po3d.language.grammar import load

_WORDINGS = load("threedsrbench", "patterns")
_SHORTHAND = {word.upper(): pattern for word, (pattern,) in _WORDINGS.table("word.").items()}
_WORD = re.compile(r"\b(" + "|".join(sorted(_SHORTHAND, key=len, reverse=True)) + r")\b")


def _compiled(pattern: str) -> re.Pattern[str]:
    pattern = _WORDINGS.spelled(pattern)
    pattern = re.sub(" ?SEPOR", r"SEP(?:is it )?OR", pattern).replace("SEP", _SHORTHAND["SEP"])
    for _ in range(2):  # abbreviations hold abbreviations
        pattern = _WORD.sub(lambda m: _WORDINGS.spelled(_SHORTHAND[m[1]]), pattern)
    count = itertools.count()  # a description may stand in several alternatives; names of groups are unique
    pattern = re.sub(r"\(\?P<(\w+)>", lambda m: f"(?P<{m[1]}{next(count)}>", pattern)
    return re.compile(pattern, re.IGNORECASE)


OPENING, TAIL, POLITE, TRAILER, CAMERA, ARTICLE, LED = (
    _WORDINGS.expression(key, re.IGNORECASE)
    for key in ("opening", "tail", "polite", "trailer", "viewer", "article", "led")
)
PARTED, GROUND = map(_WORDINGS.expression, ("parted", "ground"))
# A word without which no question asks for the operation: most patterns are skipped for its lack.
KEYS: dict[str, re.Pattern[str]] = {
    rule.pattern.op: re.compile(rf"\b(?:{rule.wordings[0]})\b", re.IGNORECASE)
    for rule in _WORDINGS.of["needs"]
}
PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (rule.pattern.op, _compiled(wording)) for rule in _WORDINGS.of["asks"] for wording in rule.wordings
)
# Of each type of answer, how an option says it.
CHOICE_WORDS: dict[str, dict[str, re.Pattern[str]]] = {}
for _rule in _WORDINGS.of["option"]:
    _type, ((_answer, *_),) = _rule.pattern.op, _rule.pattern.args
    CHOICE_WORDS.setdefault(_type, {})[_answer] = re.compile(_rule.wordings[0])
