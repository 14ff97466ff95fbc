"""Tokenise street questions: lower case, phrases of the synonym table, typo correction."""

import re
from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import chain

from po3d.io.fuzzy import slips
from po3d.language.grammar import load
from po3d.language.read.phrases import MISSPELT, PHRASES

_APOSTROPHES = str.maketrans("\u2018\u2019`", "'''")
_WORDINGS = load("read_street", "patterns")
_CONTRACTIONS: list[tuple[re.Pattern[str], str]] = []
for _rule in _WORDINGS.of["undone"]:
    _pattern = re.compile(_WORDINGS.with_pieces(_rule.wordings[0]))
    _CONTRACTIONS.append((_pattern, _rule.pattern.op))
_NEGATIVE, _TAG, _UNIVERSAL = map(_WORDINGS.expression, ("negative", "tag", "universal"))
_WORD = re.compile(r"'s|[a-z0-9]+")
SHORTEST_REPAIR = 5  # letters; too many shorter English words are one edit apart


def words_of(text: str) -> list[str]:
    """Return the words of a text, with "'s" separated."""
    text = text.lower().translate(_APOSTROPHES).replace("+", " plus ").replace("&", " and ")
    text = _NEGATIVE.sub(r"\1 ", _TAG.sub("", text))
    if "'" in text:
        for pattern, replacement in _CONTRACTIONS:
            text = pattern.sub(replacement, text)
    return _WORD.findall(text)


class Tokenizer:
    """Tokenizer that matches the longest phrase first.

    A word in no phrase is corrected if all known words one edit away have the same meaning, else it
    is unknown. Tokens outside `vocabulary`, if given, are unknown too.
    """

    def __init__(
        self, vocabulary: Collection[str] | None = None, phrases: Mapping[str, str] = PHRASES
    ):
        self.vocabulary = None if vocabulary is None else frozenset(vocabulary)
        self._phrases = phrases  # not copied: the table has more than 100,000 phrases
        by_first: dict[str, set[int]] = {}
        for phrase in phrases:
            by_first.setdefault(phrase.partition(" ")[0], set()).add(phrase.count(" ") + 1)
        # First word -> lengths of its phrases, longest first.
        self._lengths = {word: sorted(lengths, reverse=True) for word, lengths in by_first.items()}

    @cached_property
    def words(self) -> frozenset[str]:
        """Return every single word of the phrases."""
        return frozenset(chain.from_iterable(map(str.split, self._phrases)))

    def repaired(self, word: str) -> str:
        """Return the word with its spelling corrected."""
        if word in MISSPELT:
            return MISSPELT[word]
        if len(word) < SHORTEST_REPAIR or word in self.words:
            return word
        near = slips(word, self.words)
        if len(set(map(self._phrases.get, near, near))) == 1:
            return min(near)
        return word

    def __call__(self, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the input tokens of the network, and the unknown words."""
        universal = _UNIVERSAL.match(text.lower())
        if universal:
            return (), (universal[1],)
        words = list(map(self.repaired, words_of(text)))
        tokens: list[str] = []
        unknown: list[str] = []
        position = 0
        while position < len(words):
            for length in self._lengths.get(words[position], ()):
                phrase = words[position : position + length]
                meaning = self._phrases.get(" ".join(phrase))
                if meaning is None:
                    continue
                ids = meaning.split()
                if self.vocabulary is not None and not self.vocabulary.issuperset(ids):
                    unknown.extend(phrase)
                else:
                    tokens.extend(ids)
                position += length
                break
            else:
                unknown.append(words[position])
                position += 1
        return tuple(tokens), tuple(dict.fromkeys(unknown))
