"""Patterns with alternatives in brackets, "(is|stands) {place}", read one way or another at random."""

import functools
import re

import numpy as np

_CHOICE = re.compile(r"\(([^()]*)\)")
_STROKE = re.compile(r"[(|)]")
_FIELD = re.compile(r"\{(\w+)\}")


class Phrasing:
    """Random choices among wordings."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random

    def pick(self, *options: str) -> str:
        return options[int(self.random.integers(len(options)))]

    def chance(self, p: float) -> bool:
        return bool(self.random.random() < p)

    def fill(self, pattern: str, **said: str) -> str:
        """One reading of a pattern: "(a|b|)" picks an alternative, {name} is replaced by what `said` holds."""
        pattern = self.pick(*_alternatives(pattern))
        while (found := _CHOICE.search(pattern)) is not None:
            pattern = (
                pattern[: found.start()] + self.pick(*found.group(1).split("|")) + pattern[found.end() :]
            )
        return _FIELD.sub(lambda m: said[m.group(1)], pattern)


@functools.lru_cache(maxsize=20_000)
def _alternatives(pattern: str) -> list[str]:
    """The alternatives of a pattern that is one choice as a whole, in brackets or not; else the pattern alone."""
    if pattern.startswith("(") and _closing(pattern) == len(pattern) - 1:
        pattern = pattern[1:-1]
    parts, depth, start = [], 0, 0
    for found in _STROKE.finditer(pattern):
        depth += {"(": 1, ")": -1, "|": 0}[found.group()]
        if found.group() == "|" and not depth:
            parts.append(pattern[start : found.start()])
            start = found.end()
    return [*parts, pattern[start:]]


def _closing(pattern: str) -> int:
    """Where the bracket closes that the pattern begins with."""
    depth = 0
    for found in _STROKE.finditer(pattern):
        depth += {"(": 1, ")": -1, "|": 0}[found.group()]
        if not depth:
            return found.start()
    return -1
