"""Test whether a sentence about a room has the generated wording of Hypo3D's twin, or a person's.

A logistic regression on hashed word n-grams, with nouns, colours and materials masked, so that the
result depends on the wording and not on the objects: `rooms.style.npy`, fitted by `python -m
tools.room_style` on generated sentences and the sentence bank's training part. Unlike `say.retold`,
it also accepts wordings that the grammar no longer contains.
"""

import functools
import math
import re
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from po3d.language import lexicon
from po3d.language.english import singular
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS, STATES, SYNONYMS

FILE = Path(lexicon.__file__).parent / "grammars" / "rooms.style.npy"
BITS = 13  # of a hash
LONGEST = 3  # words of an n-gram
STEP = 1 / 16  # of a stored weight, int8
MASK, START, END = "_", "^", "$"
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[?!.,;:]+")
# Words that are nouns or states elsewhere, but carry a sentence's wording.
_WORDING = frozenset(
    ["on", "off", "in", "up", "down", "right", "left", "front", "back", "thing", "object"]
)


def style(text: str) -> float:
    """Return the log odds that the text is generated rather than written by a person."""
    hashes = [*features(text)]
    weights = _weights()
    return float(weights[hashes].sum() / math.sqrt(len(hashes)) + weights[-1])


def features(text: str) -> Iterator[int]:
    """Yield the hashes of the n-grams of a text, each once."""
    words = [START, *_masked(text), END]
    runs: list[str] = []
    for n in range(LONGEST):
        runs += map(" ".join, zip(*(words[k:] for k in range(n + 1))))
    yield from dict.fromkeys(zlib.crc32(run.encode()) % (1 << BITS) for run in runs)


def _masked(text: str) -> Iterator[str]:
    """Yield the words; a run of nouns and attribute values becomes MASK, a number "0"."""
    before = ""
    for word in _TOKEN.findall(text.lower().replace("\u2019", "'")):
        if word in _masked_words() or singular(word) in _masked_words():
            word = MASK
        if not word == before == MASK:
            yield "0" if word.isdigit() else word
        before = word


@functools.cache
def _masked_words() -> frozenset[str]:
    names = chain(lexicon.lexicon().kinds, CATEGORIES, SYNONYMS, COLORS, MATERIALS, STATES)
    return frozenset(chain.from_iterable(map(str.split, names))) - _WORDING


@functools.cache
def _weights() -> NDArray[np.float32]:
    """Return the weight of each hash, and the offset."""
    return np.load(FILE, allow_pickle=False).astype(np.float32) * STEP
