"""Sentences about rooms to programs: changes ("The chair has been moved next to the bed") and questions.

The same network as for streets with the room language, whose names and values are spans copied from the sentence: a
thing never seen in training is read like any other. Words that are not in the vocabulary count as one unknown word,
unless they look like a misspelt known one.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from po3d.io.spelling import alike, too_long
from po3d.language.english import KNOWN, plain, singular, words_of
from po3d.language.programs.rooms import ANSWERS, CLOSED, OPEN, SIGNATURES, from_tokens
from po3d.language.read.parse import Parse
from po3d.language.read.room_meaning import agreeing, telling
from po3d.language.read.seq2seq import Language, NetworkParser, Seq2Seq, Written
from po3d.scene.rooms import SYNONYMS

KIND = "room_parser"
UNKNOWN = 1  # id of a word that training did not have
SORTS = ("question", "change")
ANYTHING = "name:*"  # "object", or no noun at all: "what is on the desk?"
LEAST_PROBABILITY = 0.3  # below it the parser says "unparsed"
LONGEST_SENTENCE = 60
SIMILAR = 0.8  # of a misspelt word to the known one (difflib's ratio)
SHORTEST_MISSPELT = 4
NO_NAME = frozenset([
    "the", "a", "an", "and", "or", "with", "than", "from", "that", "which", "is", "are", "was", "to", "s", "'s", "?", "my",
])  # never in a name  # fmt: skip
# What asks for an amount, which only a comparison of two things is read for ("how large is it compared to ...").
AMOUNT = re.compile(
    r"\bhow (tall|high|wide|long|deep|thick|heavy|old|far|large|big|much)\b(?!.*\bnumber\b)", re.IGNORECASE
)
NOUNLESS = ("one", "ones", "everything", "anything", "something", "stuff", "whatever")
NOUN_WORDS = frozenset(word for noun in SYNONYMS for word in noun.split())


_TOKENS = [
    *((op, signature.inputs, signature.output) for op, signature in SIGNATURES.items()),
    *((f"{kind}:{value}", (), kind) for kind, values in CLOSED.items() for value in values),
    *((f"{kind}:", (), kind) for kind in OPEN),
    (ANYTHING, (), "name"),
]
LANGUAGE = Language(*zip(*_TOKENS), (ANSWERS, ("edit",)), frozenset(f"{kind}:" for kind in OPEN))


class RoomParser(NetworkParser):
    """The parser of changes and questions of rooms."""

    kind, language, sorts, least_probability = KIND, LANGUAGE, SORTS, LEAST_PROBABILITY

    def __init__(self, network: Seq2Seq, words: Sequence[str], *args: Any, **options: Any) -> None:
        super().__init__(network, words, *args, **options)
        known = {*words, *KNOWN, *NOUN_WORDS}
        self.long_words = sorted(w for w in known if len(w) >= SHORTEST_MISSPELT and w.isalpha())

    def _prepared(self, text: str, sort: str) -> Parse | tuple[list[int], Callable[[Written], Parse]]:
        if reason := _unreadable(text, sort):
            return Parse("unparsed", reason=reason)
        written = words_of(text)
        words = [self._spelt(word) for word in written]
        if len(unknown := self._unknown(written, words)) > max(len(words) // 3, 1):
            reason = f"too many unknown words: {', '.join(dict.fromkeys(unknown))}"
            return Parse("unparsed", reason=reason)
        amount = AMOUNT.search(text) if sort == "question" else None
        return [self.index.get(plain(w), UNKNOWN) for w in words], partial(_parsed, words, amount)

    def _unknown(self, written: list[str], words: list[str]) -> list[str]:
        """The words, as they were written, that training did not have."""
        return [w for w, word in zip(written, words, strict=True) if plain(word) not in self.index]

    def _spelt(self, word: str) -> str:
        """The word, or the known one that it misspells."""
        if plain(word) in self.index or len(word) < SHORTEST_MISSPELT or not word.isalpha():
            return word
        # Nor is the plural of a known word a mistake.
        if {word, singular(word)} & (self.index.keys() | NOUN_WORDS):
            return word
        close = alike(word, self.long_words, SIMILAR, 4)
        # "chiar" is the chair, not a charm.
        swapped = [known for known in close if sorted(known) == sorted(word)]
        return next(iter(swapped + close), word)


def _parsed(words: list[str], amount: re.Match | None, written: Written) -> Parse:
    probability = written.probability
    texts = [_text(LANGUAGE.tokens[t], words, span) for t, span in zip(written.tokens, written.spans)]
    program = from_tokens(texts)
    if amount and program.op not in ("size", "height"):
        reason = f"not understood: {amount[0].lower()}, which is no number of things"
        return Parse("unparsed", None, probability, reason)
    return Parse("ok", telling(agreeing(program), words), probability)


def _unreadable(text: str, sort: str) -> str:
    """Why a text is no sentence to read, before any of its words is looked at; "" for one that is."""
    if reason := too_long(text, sort):
        return reason
    words = words_of(text)
    if not words or words == ["?"]:
        return f"the {sort} is empty"
    if len(words) > LONGEST_SENTENCE:
        return f"the {sort} has {len(words)} words; at most {LONGEST_SENTENCE} are read"
    return ""


def _text(token: str, words: list[str], span: list[int]) -> str:
    """A token as `from_tokens` reads it: operations and closed leaves by their text, copies by their words."""
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
    """The first run of words that may stand in a name; all of them when there is none."""
    found: list[str] = []
    for word in words:
        if word not in NO_NAME:
            found.append(word)
        elif found:
            break
    return " ".join(found or words)
