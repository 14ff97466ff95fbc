"""Exact match of a parser on held-out generated questions.

    python -m po3d.training.parser_evaluation [--checkpoint street_parser] [--seed 1000]
        [--count 400]

prints a table: every family in both styles, each also with words replaced by listed synonyms, and
chains of four and five relations (training has up to three). Programs are compared in canonical
form; a parse failure counts as wrong.
"""

import argparse
import itertools
import sys
import time
from collections.abc import Iterator

import numpy as np
import torch

from po3d.io.checkpoint import locate
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.read.phrases import ADJECTIVES, NOUNS, plurals
from po3d.language.read.street_parser import Parser
from po3d.language.say.street.grammar import GRAMMARS
from po3d.language.say.street.language import DEEP_FAMILIES, FAMILIES, realise, sample_program


def _replacements() -> dict[str, tuple[str, ...]]:
    """Return a map from each word of the language (with plurals) to the listed synonyms of its
    value."""
    table: dict[str, tuple[str, ...]] = {}
    for value, names in GRAMMARS["wide"].nouns.items():
        many = tuple(min(plurals(noun)) for noun in NOUNS[value])
        for name in names:
            table[name] = NOUNS[value]
            table |= dict.fromkeys(plurals(name), many)
    for value, variants in ADJECTIVES.items():
        table |= dict.fromkeys((value, *GRAMMARS["benchmark"].words.get(value, ())), variants)
    return table


_REPLACEMENTS = _replacements()


def with_synonyms(text: str, random: np.random.Generator) -> str:
    """Replace every shape, colour, size and material word of the text by a listed synonym."""
    words = text.lower().rstrip("?.").split()
    out: list[str] = []
    while words:
        for length in (2, 1):
            phrase = " ".join(words[:length])
            variants = _REPLACEMENTS.get(phrase.rstrip(",;"))
            if variants:
                variant = variants[int(random.random() * len(variants))]
                out.append(variant + phrase[len(phrase.rstrip(",;")) :])
                words = words[length:]
                break
        else:
            out.append(words.pop(0))
    return " ".join(out) + "?"


def questions(
    seed: int, family: str, style: str, count: int, synonyms: bool = False
) -> Iterator[tuple[str, str]]:
    """Return (text, canonical program text) pairs of one family."""
    for index in range(count):
        random = rng(seed, f"parser-evaluate-{family}-{style}", index)
        program = sample_program(random, family)
        text = realise(program, random, style)
        yield (with_synonyms(text, random) if synonyms else text), program.text()


def exact_match(
    parser: Parser, pairs: list[tuple[str, str]]
) -> tuple[float, int, list[tuple[str, str, str]]]:
    """Return the fraction correct, the number of parse failures, and the errors as (text, gold
    program, prediction)."""
    wrong, unparsed = [], 0
    for (text, gold), parse in zip(pairs, parser.parse([text for text, _ in pairs]), strict=True):
        unparsed += parse.status != "ok"
        program = parse.program.text() if parse.program else f"unparsed: {parse.reason}"
        if program != gold:
            wrong.append((text, gold, program))
    return 1 - len(wrong) / len(pairs), unparsed, wrong


def main(arguments: list[str] | None = None) -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--checkpoint",
        default="street_parser",
        help="name of a shipped checkpoint, or a path without suffix",
    )
    options.add_argument(
        "--seed",
        type=int,
        default=1000,
        help="seed of the questions; training used seeds below 100",
    )
    options.add_argument("--count", type=int, default=400, help="number of questions per row")
    options.add_argument("--errors", type=int, default=0, help="number of errors to print per row")
    chosen = options.parse_args(arguments)
    try:
        parser = Parser.from_checkpoint(locate(chosen.checkpoint))
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    styles = ("benchmark", "wide")
    rows = []
    for name, synonyms in (("{}", False), ("{}, synonyms", True)):
        for style, family in itertools.product(styles, FAMILIES):
            rows.append((name.format(style), family, style, synonyms))
    for family, style in itertools.product(DEEP_FAMILIES, styles):
        rows.append((f"{style}, {family}", family, style, False))
    totals: dict[str, list[float]] = {}
    print(f"{'set':24}{'family':18}{'exact %':>8}{'unparsed':>10}")
    for name, family, style, synonyms in rows:
        pairs = list(questions(chosen.seed, family, style, chosen.count, synonyms))
        share, unparsed, wrong = exact_match(parser, pairs)
        totals.setdefault(name, []).append(share)
        print(f"{name:24}{family:18}{100 * share:8.2f}{unparsed:10d}", flush=True)
        for text, gold, got in wrong[: chosen.errors]:
            print(f"    {text}\n      gold {gold}\n      pred {got}")
    for name, shares in totals.items():
        print(f"{name:42}{100 * np.mean(shares):8.2f}")
    texts: list[str] = []
    for family in FAMILIES:
        texts += [text for text, _ in questions(chosen.seed, family, "benchmark", 300)]
    start = time.perf_counter()
    parser.parse(texts)
    speed = len(texts) / (time.perf_counter() - start)
    print(f"{len(texts)} questions, {speed:.0f} per second, {torch.get_num_threads()} threads")
    return 0


if __name__ == "__main__":
    sys.exit(main())
