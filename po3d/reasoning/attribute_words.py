"""Which attribute values match a word, for one table and for many tables at once.

Matches are tried in order, and a later one only if no object has the exact word: the word itself
(or a shape of that kind), a synonym, and a value that is more or less specific ("light blue" for
"blue").
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
    match = [v == text or PARENT.get(v) == text for v in values]
    if any(match) or not values:
        return match
    wanted = VALUE_WORDS.get(text, text)
    match = [v is not None and wanted in (v, VALUE_WORDS.get(v, v), PARENT.get(v)) for v in values]
    if any(match):
        return [False] * len(values) if text in known() else match
    if " " in text and text in known():
        return [False] * len(values)
    return [v is not None and _shade(wanted, VALUE_WORDS.get(v, v)) for v in values]


def _shade(one: str, other: str) -> bool:
    """Whether one of two attribute words is the other with a modifier before it."""
    return one.endswith(f" {other}") or other.endswith(f" {one}")


def fit_codes(codes: np.ndarray, values: Sequence[str], text: str) -> np.ndarray:
    """Return which codes match a word among all values of their row, as `matching`.

    NotBatchable if a value is a shade of the word, as then the matches depend on the candidates.
    """
    wanted, plain = VALUE_WORDS.get(text, text), [VALUE_WORDS.get(v, v) for v in values]
    if any(_shade(wanted, v) for v in plain):
        raise NotBatchable(f"shades of {text}")
    exact = np.array([*(v == text or PARENT.get(v) == text for v in values), False])[codes]
    similar = [wanted in (v, p, PARENT.get(v)) for v, p in zip(values, plain)]
    return np.where(exact.any(1)[:, None], exact, np.array([*similar, False])[codes])
