"""How long a text and a word may be that somebody typed, and which known word a misspelt one may be.

Every reader of texts keeps to these bounds, so that no text costs more than a question does: a repair compares a word with
thousands of others, and 20,000 letters without a blank are no word.
"""

import difflib
from collections.abc import Collection, Sequence

LONGEST_TEXT = 1000  # letters; the longest questions, changes and frames of the benchmarks have some 300
LONGEST_WORD = 40  # letters of a word, or of a name of several, that is mended
NEGATING = "un"  # before a word: as long as a slip, and no slip


def too_long(text: str, what: str) -> str:
    """Why a text is not read; "" for one that is short enough."""
    if len(text) <= LONGEST_TEXT:
        return ""
    return f"the {what} has {len(text)} letters; at most {LONGEST_TEXT} are read"


def slips(word: str, known: Collection[str]) -> set[str]:
    """The known words that `word` is one typing slip away from: a letter left out, a doubled letter too many, two neighbours
    swapped, never in its first letter. A wrong letter is no slip: "trunk" must not become "truck"."""
    if len(word) > LONGEST_WORD:
        return set()
    found = {word[:i] + c + word[i:] for i in range(1, len(word) + 1) for c in "abcdefghijklmnopqrstuvwxyz"}
    found |= {word[:i] + word[i + 1 :] for i in range(1, len(word)) if word[i] == word[i - 1]}
    found |= {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(1, len(word) - 1)}
    return (found - {word}).intersection(known)


def alike(word: str, known: Sequence[str], least: float, most: int = 1) -> list[str]:
    """Up to `most` of the known words whose likeness (difflib's ratio, 0 to 1) to `word` is at least `least`, the likest
    first; none that says the opposite ("unfolded" of "folded")."""
    if len(word) > LONGEST_WORD:
        return []
    known = [other for other in known if word != NEGATING + other and other != NEGATING + word]
    return difflib.get_close_matches(word, known, most, least)
