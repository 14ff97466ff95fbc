"""Questions in English to programs: `Parser.parse` reads a list of texts and says what it can't read."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from po3d.io import checkpoint
from po3d.io.devices import device_of
from po3d.io.spelling import too_long
from po3d.language.programs.street import TOKENS, from_tokens
from po3d.language.read.parse import Parse
from po3d.language.read.seq2seq import Seq2Seq, Written, restored, street_language
from po3d.language.read.tokenizer import Tokenizer, words_of
from po3d.scene.vocabulary import SUPER_CATEGORIES, UNSEEN_SHAPES

KIND = "parser"
# Below it the parser says "unparsed". Chosen on data/natural/pulsecheck457_dev.jsonl.
LEAST_PROBABILITY = 0.5
LONGEST_QUESTION = 90  # tokens after phrases are merged; the longest training question has about 60


# What texts call the types that the network has no word for.
UNSEEN_NAMES = {"addi": re.compile(r"\bregular car(s?)\b", re.IGNORECASE)}


def _stand_ins(text: str) -> tuple[dict[str, str], str]:
    """The text with a known type of the same category, which it does not name, for each unknown one; {known: unknown}."""
    found: dict[str, str] = {}
    for shape, name in UNSEEN_NAMES.items():
        if name.search(text):
            leaves = SUPER_CATEGORIES[UNSEEN_SHAPES[shape]]
            known = next((leaf for leaf in leaves if leaf not in text.lower() and leaf not in found), None)
            if known is not None:
                found[known], text = shape, name.sub(rf"{known}\1", text)
    return found, text


def _renamed(parse: Parse, stood_in: dict[str, str]) -> Parse:
    """The parse with the unknown types in their places again."""
    if parse.program is None or not stood_in:
        return parse
    names = {f"filter[shape={known}]": f"filter[shape={shape}]" for known, shape in stood_in.items()}
    return replace(parse, program=from_tokens([names.get(t, t) for t in parse.program.texts()]))


class Parser:
    """The tokenizer and the network of one checkpoint."""

    def __init__(
        self,
        network: Seq2Seq,
        words: Sequence[str],
        least_probability: float = LEAST_PROBABILITY,
        record: dict | None = None,
        device: str = "cpu",
    ):
        self.network = network.eval().to(device_of(device))
        self.index = {word: k for k, word in enumerate(words)}
        self.tokenizer = Tokenizer(words)
        self.least_probability = least_probability
        self.record = record or {}

    @classmethod
    def from_checkpoint(cls, path: str | Path, **options) -> "Parser":
        """The parser of a checkpoint pair; InputError when there is none, it is not whole or was trained on other words."""
        weights, record = checkpoint.load(path, KIND)
        words = record["config"]["words"]
        network = restored(words, street_language(), record["config"]["network"], weights, path)
        return cls(network, words, record=record, **options)

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """One Parse for each text, in order."""
        parses: list[Parse | None] = [None] * len(texts)
        ready: list[tuple[int, list[int]]] = []
        stood_in: dict[int, dict[str, str]] = {}
        for number, text in enumerate(texts):
            if reason := too_long(text, "question"):
                parses[number] = Parse("unparsed", reason=reason)
                continue
            if not words_of(text):
                parses[number] = Parse("unparsed", reason="the question is empty")
                continue
            stood_in[number], text = _stand_ins(text)
            read = self.tokenizer(text)
            if read.unknown:
                listed = ", ".join(read.unknown)
                parses[number] = Parse("unparsed", unknown=read.unknown, reason=f"unknown words: {listed}")
            elif not read.tokens:
                parses[number] = Parse("unparsed", reason="the text asks nothing")
            elif len(read.tokens) > LONGEST_QUESTION:
                reason = f"the question has {len(read.tokens)} words; at most {LONGEST_QUESTION} are read"
                parses[number] = Parse("unparsed", reason=reason)
            else:
                ready.append((number, [self.index[token] for token in read.tokens]))
        for (number, _), written in zip(ready, self.network.read([ids for _, ids in ready]), strict=True):
            parses[number] = _renamed(self._parsed(written), stood_in[number])
        return parses

    def _parsed(self, written: Written) -> Parse:
        least, probability = self.least_probability, written.probability
        if probability < least:
            reason = f"not understood: the best program has probability {probability:.2f}, below {least}"
            return Parse("unparsed", None, probability, reason)
        return Parse("ok", from_tokens([TOKENS[k] for k in written.tokens]), probability)
