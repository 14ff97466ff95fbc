"""Length limits for texts and words from users, and known words similar to a misspelt one.

All parsers of texts apply these limits, which bound the cost of a question: a correction compares a
word with thousands of others.
"""

import difflib
import string
from collections.abc import Collection, Sequence

# Characters; the longest questions, changes and frames of the benchmarks have some 300.
LONGEST_TEXT = 1000
LONGEST_WORD = 40  # characters of a word, or of a name of several words, that is corrected
NEGATING = "un"  # prefixes that look like a slip and negate the word


def too_long(text: str, what: str) -> str:
    """Return why a text is rejected; "" if it is short enough."""
    if len(text) <= LONGEST_TEXT:
        return ""
    return f"the {what} has {len(text)} characters; the limit is {LONGEST_TEXT}"


def slips(word: str, known: Collection[str]) -> set[str]:
    """Return the known words at one typing slip from `word`: a missing letter, a doubled letter, or
    two swapped neighbours, never in the first letter. Substitutions are excluded: "trunk" must not
    become "truck"."""
    if len(word) > LONGEST_WORD:
        return set()
    variants: set[str] = set()
    for i in range(1, len(word) + 1):
        head, tail = word[:i], word[i:]
        variants.update(head + letter + tail for letter in string.ascii_lowercase)
        if tail and tail[0] == head[-1]:
            variants.add(head + tail[1:])
        if len(tail) > 1:
            variants.add(head + tail[1] + tail[0] + tail[2:])
    return (variants - {word}).intersection(known)


def alike(word: str, known: Sequence[str], least: float, most: int = 1) -> list[str]:
    """Return up to `most` of the known words whose similarity to `word` (difflib's ratio, 0 to 1)
    is at least `least`, most similar first; without opposites ("unfolded" of "folded")."""
    if len(word) > LONGEST_WORD:
        return []
    candidates = []
    for other in known:
        if word != NEGATING + other and other != NEGATING + word:
            candidates.append(other)
    return difflib.get_close_matches(word, candidates, most, least)
