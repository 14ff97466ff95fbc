"""Question patterns of 3DSRBench, in the order in which they are tried.

Source: grammars/threedsrbench.patterns, whose abbreviations (capitals, <phrases>) are expanded
here.
"""

import functools
import itertools
import re

from po3d.language.grammar import load

_WORDINGS = load("threedsrbench", "patterns")
_SHORTHAND = _WORDINGS.shorthand()
_WORD = re.compile(r"\b(" + "|".join(sorted(_SHORTHAND, key=len, reverse=True)) + r")\b")


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern of PATTERNS as a regular expression; compiling all takes 0.1 s."""
    pattern = _WORDINGS.with_pieces(pattern)
    pattern = re.sub(" ?SEPOR", r"SEP(?:is it )?OR", pattern).replace("SEP", _SHORTHAND["SEP"])
    for _ in range(2):  # abbreviations may contain abbreviations
        pattern = _WORD.sub(lambda m: _WORDINGS.with_pieces(_SHORTHAND[m[1]]), pattern)
    # group names must be unique, and a description may occur in several alternatives
    count = itertools.count()
    pattern = re.sub(r"\(\?P<(\w+)>", lambda m: f"(?P<{m[1]}{next(count)}>", pattern)
    return re.compile(pattern, re.IGNORECASE)


OPENING, TAIL, POLITE, TRAILER, CAMERA, ARTICLE, LED = _WORDINGS.expressions(
    "opening", "tail", "polite", "trailer", "viewer", "article", "led"
)
PARTED, GROUND = map(_WORDINGS.expression, ("parted", "ground"))
# Words required by the questions of each operation: a fast test that skips most patterns.
KEYS: dict[str, re.Pattern[str]] = {}
for _rule in _WORDINGS.of["needs"]:
    KEYS[_rule.pattern.op] = re.compile(rf"\b(?:{_rule.wordings[0]})\b", re.IGNORECASE)
PATTERNS: list[tuple[str, str]] = []
for _rule in _WORDINGS.of["asks"]:
    PATTERNS += zip(itertools.repeat(_rule.pattern.op), _rule.wordings)
# For each answer type, the pattern of the options that express each answer.
CHOICE_WORDS: dict[str, dict[str, re.Pattern[str]]] = {}
for _rule in _WORDINGS.of["option"]:
    _type, ((_answer, *_),) = _rule.pattern.op, _rule.pattern.args
    CHOICE_WORDS.setdefault(_type, {})[_answer] = re.compile(_rule.wordings[0])
