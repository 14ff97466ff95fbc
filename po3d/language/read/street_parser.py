"""Parser of street questions: `Parser.parse` converts texts to programs, or gives a reason."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from po3d.io.fuzzy import too_long
from po3d.language.programs.street import ANSWER_TYPES, TOKENS, from_tokens, token_types
from po3d.language.read.network_parser import NetworkParser
from po3d.language.read.parse import Parse
from po3d.language.read.seq2seq import Seq2Seq, Written
from po3d.language.read.tokenizer import Tokenizer, words_of
from po3d.language.read.type_table import TokenLanguage
from po3d.scene.vocabulary import SUPER_CATEGORIES, UNSEEN_SHAPES

KIND = "parser"
LANGUAGE = TokenLanguage(*zip(*((token, *token_types(token)) for token in TOKENS)), (ANSWER_TYPES,))
# Parses of lower probability get the status "unparsed". Chosen on
# data/natural/pulsecheck457_dev.jsonl.bz2.
LEAST_PROBABILITY = 0.5
LONGEST_QUESTION = 90  # tokens after phrases are merged; the longest training question has about 60


# Names in texts of the vehicle types that the network has no token for.
UNSEEN_NAMES = {"addi": re.compile(r"\bregular car(s?)\b", re.IGNORECASE)}


def _stand_ins(text: str) -> tuple[dict[str, str], str]:
    """Replace each unseen vehicle type by a known type of its category that the text does not name.

    Return {known: unseen} and the new text.
    """
    replaced: dict[str, str] = {}
    for shape, name in UNSEEN_NAMES.items():
        if name.search(text):
            for known in SUPER_CATEGORIES[UNSEEN_SHAPES[shape]]:
                if known not in text.lower() and known not in replaced:
                    replaced[known], text = shape, name.sub(rf"{known}\1", text)
                    break
    return replaced, text


def _renamed(parse: Parse, stood_in: dict[str, str]) -> Parse:
    """Put the unseen vehicle types back into the parse."""
    if parse.program is None or not stood_in:
        return parse
    tokens = parse.program.texts()
    for known, shape in stood_in.items():
        old, new = f"filter[shape={known}]", f"filter[shape={shape}]"
        tokens = [new if token == old else token for token in tokens]
    return replace(parse, program=from_tokens(tokens))


class Parser(NetworkParser):
    """The parser of street questions, with its tokenizer."""

    kind, language, least_probability = KIND, LANGUAGE, LEAST_PROBABILITY

    def __init__(self, network: Seq2Seq, words: Sequence[str], *args: Any, **options: Any) -> None:
        super().__init__(network, words, *args, **options)
        self.tokenizer = Tokenizer(words)

    def _prepared(
        self, text: str, sort: str
    ) -> Parse | tuple[list[int], Callable[[Written], Parse]]:
        if reason := too_long(text, sort):
            return Parse("unparsed", reason=reason)
        if not words_of(text):
            return Parse("unparsed", reason="the question is empty")
        stood_in, text = _stand_ins(text)
        words, unknown = self.tokenizer(text)
        if unknown:
            return Parse("unparsed", unknown=unknown, reason=f"unknown words: {', '.join(unknown)}")
        if not words:
            return Parse("unparsed", reason="the text contains no question")
        if len(words) > LONGEST_QUESTION:
            reason = f"the question has {len(words)} words; the limit is {LONGEST_QUESTION}"
            return Parse("unparsed", reason=reason)
        return [self.index[token] for token in words], partial(_parsed, stood_in=stood_in)


def _parsed(written: Written, stood_in: dict[str, str]) -> Parse:
    tokens, probability, _ = written
    program = from_tokens(list(map(TOKENS.__getitem__, tokens)))
    return _renamed(Parse("ok", program, probability), stood_in)
