"""Vocabulary of street questions (read_street.grammar): known phrase -> network input tokens."""

from itertools import chain, product

from po3d.language.grammar import load
from po3d.scene.vocabulary import PARENT

# Shape values that are not nouns by themselves -> the benchmark's names.
_TOKENS = {
    **{shape: f"{shape}_bus" for shape in ("articulated", "regular", "double", "school")},
    **{shape: f"{shape}_bike" for shape in ("road", "utility", "mountain", "tandem")},
}
_NO_NOUNS = ("road", "utility", "mountain", "regular", "school", "double")


def plurals(phrase: str) -> set[str]:
    """Return the plurals in use, including the benchmark's "buss"."""
    if phrase.endswith(("ss", "ch", "sh", "x")):
        return {phrase + "es"}
    if phrase.endswith("s"):
        return {phrase + "s", phrase + "es", phrase + "ses"}
    if phrase.endswith("y") and phrase[-2] not in "aeiou":
        return {phrase[:-1] + "ies"}
    return {phrase + "s"}


def _of(key: str) -> dict[str, tuple[str, ...]]:
    """Return the rules `key WORD: wordings` of read_street.grammar as word -> wordings."""
    return {rule.pattern.op: rule.wordings for rule in load("read_street").of[key]}


NOUNS = _of("noun")  # shape value -> nouns
ADJECTIVES = _of("adjective")  # value -> adjectives
MISSPELT: dict[str, str] = {}
for _word, _misspellings in _of("misspelt").items():
    MISSPELT |= dict.fromkeys(_misspellings, _word)


def _noun(value: str) -> dict[str, str]:
    table = {}
    singular = set(NOUNS[value]) | (set() if value in _NO_NOUNS else {value})
    if value in PARENT:  # "sedan automobile", "road push bike"
        names = {value} if value in _NO_NOUNS else singular
        pairs = product(names, (PARENT[value], *NOUNS[PARENT[value]]))
        singular = singular.union(map(" ".join, pairs))
    for phrase in singular:
        for form in {phrase} | plurals(phrase):
            table[form] = _TOKENS.get(value, value)
            if value == "thing":
                table[f"another {form}"] = "a other thing"
    return table


def _adjective(value: str) -> dict[str, str]:
    words = (value, *ADJECTIVES[value])
    table = dict.fromkeys(words, value)
    if value in ("large", "small"):
        table |= dict.fromkeys(map("how {}".format, words), "how big")
        table |= dict.fromkeys(map("as {} as".format, words), "as big as")
    return table


def build_phrases() -> dict[str, str]:
    """Build the table phrase -> tokens (separated by spaces; "" drops the phrase)."""
    grammar = load("read_street")
    table: dict[str, str] = {}
    for rule in grammar.rules:
        value = rule.pattern.op if rule.pattern else ""
        if rule.key in ("drop", "read"):
            texts = chain.from_iterable(map(grammar.every, rule.wordings))
            table |= dict.fromkeys(texts, value)
        elif rule.key == "plain":
            table |= zip(rule.wordings, rule.wordings)
        elif rule.key == "noun":
            table |= _noun(value)
        elif rule.key == "adjective":
            table |= _adjective(value)
    return table | {"left": "left", "right": "right"}


PHRASES: dict[str, str] = build_phrases()
