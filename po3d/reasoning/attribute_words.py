"""Matching of attribute values to a word, for one table and for many tables at once.

Matches are tried in this order, the later ones only if no object has the exact word: the word
itself (or a shape of that kind), a synonym, and a value that is more or less specific ("light blue"
for "blue").
"""

from collections.abc import Callable, Collection, Sequence

import numpy as np

from po3d.scene.rooms import VALUE_WORDS
from po3d.scene.vocabulary import PARENT


class NotBatchable(Exception):
    """A program that must be run table by table; str() gives the reason."""


def matching(
    values: Sequence[str | None], text: str, known: Callable[[], Collection[str]]
) -> list[bool]:
    """Return which values (None: none) match a word. `known` gives all values of the table."""
    match = [_is_exact(v, text) for v in values]
    if any(match) or not values:
        return match
    wanted, none = VALUE_WORDS.get(text, text), [False] * len(values)
    match = [_is_similar(v, wanted) for v in values]
    if any(match):
        return none if text in known() else match
    if " " in text and text in known():
        return none
    return [v is not None and _shade(wanted, VALUE_WORDS.get(v, v)) for v in values]


def _is_exact(value: str | None, text: str) -> bool:
    return value == text or PARENT.get(value) == text


def _is_similar(value: str | None, wanted: str) -> bool:
    return value is not None and wanted in (value, VALUE_WORDS.get(value, value), PARENT.get(value))


def _shade(one: str, other: str) -> bool:
    """Whether one of two attribute words is the other with a modifier before it."""
    return one.endswith(f" {other}") or other.endswith(f" {one}")


def fit_codes(codes: np.ndarray, values: Sequence[str], text: str) -> np.ndarray:
    """Return which codes match a word among all values of their row, as `matching`.

    NotBatchable if a value is a shade of the word, as then the matches depend on the candidates.
    """
    wanted, exact, similar = VALUE_WORDS.get(text, text), [], []
    for value in values:
        if _shade(wanted, VALUE_WORDS.get(value, value)):
            raise NotBatchable(f"shades of {text} are not batched")
        exact.append(_is_exact(value, text))
        similar.append(_is_similar(value, wanted))
    exact = np.array([*exact, False])[codes]
    return np.where(exact.any(1)[:, None], exact, np.array([*similar, False])[codes])
