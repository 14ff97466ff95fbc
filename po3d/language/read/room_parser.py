"""Parser of room edits ("The chair has been moved next to the bed") and questions.

Uses the network of the street parser with the dialect of rooms, whose names and values are spans
copied from the sentence, so unseen categories are parsed like any other. Out-of-vocabulary words
share one id, unless they resemble a known word (spelling correction).
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, repeat
from typing import Any

from po3d.io.fuzzy import alike, too_long
from po3d.language.english import KNOWN, plain, singular, words_of
from po3d.language.programs.rooms import ANSWERS, CLOSED, OPEN, SIGNATURES, from_tokens
from po3d.language.read.network_parser import NetworkParser
from po3d.language.read.parse import Parse
from po3d.language.read.room_meaning import agreeing, telling
from po3d.language.read.seq2seq import Seq2Seq, Written
from po3d.language.read.type_table import TokenLanguage
from po3d.scene.rooms import SYNONYMS

KIND = "room_parser"
UNKNOWN = 1  # id of out-of-vocabulary words
SORTS = ("question", "change")
ANYTHING = "name:*"  # "object", or no noun at all: "what is on the desk?"
LEAST_PROBABILITY = 0.3  # parses of lower probability get the status "unparsed"
LONGEST_SENTENCE = 60
SIMILAR = 0.8  # least difflib ratio of a misspelt word to the known one
SHORTEST_MISSPELT = 4
# words that are never in a name
# fmt: off
NO_NAME = frozenset([
    "the", "a", "an", "and", "or", "with", "than", "from", "that", "which", "is", "are", "was",
    "to", "s", "'s", "?", "my",
])
# fmt: on
# Questions for an amount, which are accepted only as a comparison of two objects ("how large is it
# compared to ...").
AMOUNT = re.compile(
    r"\bhow (tall|high|wide|long|deep|thick|heavy|old|far|large|big|much)\b(?!.*\bnumber\b)",
    re.IGNORECASE,
)
NOUNLESS = ("one", "ones", "everything", "anything", "something", "stuff", "whatever")
NO_OBJECTS = frozenset(("place", "spot", "space"))  # nouns that name no object of a table
NOUN_WORDS = frozenset(chain.from_iterable(map(str.split, SYNONYMS)))


_TOKENS = [(op, *signature) for op, signature in SIGNATURES.items()]
for _kind, _values in CLOSED.items():
    _TOKENS += [(f"{_kind}:{value}", (), _kind) for value in _values]
_COPIES = [f"{kind}:" for kind in OPEN]
_TOKENS += [*zip(_COPIES, repeat(()), OPEN), (ANYTHING, (), "name")]
LANGUAGE = TokenLanguage(*zip(*_TOKENS), (ANSWERS, ("edit",)), frozenset(_COPIES))


class RoomParser(NetworkParser):
    """Parser of edits and questions about rooms."""

    kind, language, sorts, least_probability = KIND, LANGUAGE, SORTS, LEAST_PROBABILITY

    def __init__(self, network: Seq2Seq, words: Sequence[str], *args: Any, **options: Any) -> None:
        super().__init__(network, words, *args, **options)
        known = {*words, *KNOWN, *NOUN_WORDS}
        self.long_words = sorted(w for w in known if len(w) >= SHORTEST_MISSPELT and w.isalpha())

    def _prepared(
        self, text: str, sort: str
    ) -> Parse | tuple[list[int], Callable[[Written], Parse]]:
        if reason := _unreadable(text, sort):
            return Parse("unparsed", reason=reason)
        written = words_of(text)
        words = list(map(self._spelt, written))
        if len(unknown := self._unknown(written, words)) > max(len(words) // 3, 1):
            reason = f"too many unknown words: {', '.join(dict.fromkeys(unknown))}"
            return Parse("unparsed", reason=reason)
        amount = AMOUNT.search(text) if sort == "question" else None
        return [self.index.get(plain(w), UNKNOWN) for w in words], partial(_parsed, words, amount)

    def _unknown(self, written: list[str], words: list[str]) -> list[str]:
        """Return the words, as written, that are out of vocabulary."""
        return [w for w, word in zip(written, words, strict=True) if plain(word) not in self.index]

    def _spelt(self, word: str) -> str:
        """Return the word with its spelling corrected."""
        if plain(word) in self.index or len(word) < SHORTEST_MISSPELT or not word.isalpha():
            return word
        # The plural of a known word is not a misspelling.
        if {word, singular(word)} & (self.index.keys() | NOUN_WORDS):
            return word
        close = alike(word, self.long_words, SIMILAR, 4)
        # Prefer anagrams: "chiar" is a chair, not a charm.
        swapped = [known for known in close if sorted(known) == sorted(word)]
        return next(iter(swapped + close), word)


def _parsed(words: list[str], amount: re.Match | None, written: Written) -> Parse:
    tokens, probability, spans = written
    texts = [_text(LANGUAGE.tokens[token], words, span) for token, span in zip(tokens, spans)]
    program = from_tokens(texts)
    if nouns := NO_OBJECTS.intersection(texts):
        return Parse("unparsed", None, probability, f"not understood: {min(nouns)}")
    if amount and program.op not in ("size", "height"):
        reason = f"not understood: {amount[0].lower()} is not a number of objects"
        return Parse("unparsed", None, probability, reason)
    return Parse("ok", telling(agreeing(program), words), probability)


def _unreadable(text: str, sort: str) -> str:
    """Return why a text is rejected before parsing; "" if it is not."""
    if reason := too_long(text, sort):
        return reason
    words = words_of(text)
    if not words or words == ["?"]:
        return f"the {sort} is empty"
    if len(words) > LONGEST_SENTENCE:
        return f"the {sort} has {len(words)} words; the limit is {LONGEST_SENTENCE}"
    return ""


def _text(token: str, words: list[str], span: list[int]) -> str:
    """Convert a token to text for `from_tokens`.

    Copied words are trimmed, and names are made singular.
    """
    if token == ANYTHING:
        return "object"
    kind, colon, value = token.partition(":")
    if not colon:
        return token
    if kind not in OPEN:
        return value
    copied = _trimmed(words[span[0] : span[1] + 1])
    if kind == "value":
        return copied
    return "object" if copied in NOUNLESS else singular(copied)


def _trimmed(words: list[str]) -> str:
    """Return the first run of words that can be part of a name; all words if there is none."""
    trimmed: list[str] = []
    for word in words:
        if word not in NO_NAME:
            trimmed.append(word)
        elif trimmed:
            break
    return " ".join(trimmed or words)
