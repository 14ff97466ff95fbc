"""Exact match of a parser on generated questions it has not seen.

    python -m po3d.parsing.evaluate [--checkpoint street_parser] [--seed 1000] [--count 400]

prints a table: every family in both styles, with listed synonyms put in, and chains of four and five
relations (training goes to three). Exact match is on canonical programs; a question that is not parsed
counts as wrong.
"""

import argparse
import sys
import time
from collections.abc import Iterator

import numpy as np
import torch

from po3d.checkpoint import SHIPPED
from po3d.errors import InputError
from po3d.parsing.parser import Parser
from po3d.parsing.phrases import plurals
from po3d.parsing.synonyms import ADJECTIVES, NOUNS
from po3d.seeding import rng


def with_synonyms(text: str, random: np.random.Generator) -> str:
    """The text with every colour, size, material and shape word that has listed synonyms replaced by one of
    them."""
    singular = {}
    for value, variants in NOUNS.items():
        for name in {
            value,
            *(v for v in variants if v.split()[-1] in ("bus", "bike") and v.split()[0] in value),
        }:
            singular[name] = variants
    table = {name: (variants, "") for name, variants in singular.items()}
    table |= {name + "s": (variants, "s") for name, variants in singular.items()}
    table |= {value: (variants, "") for value, variants in ADJECTIVES.items()}
    words, out, k = text.rstrip("?.").split(), [], 0
    while k < len(words):
        for length in (2, 1):
            phrase = " ".join(words[k : k + length]).lower()
            bare = phrase.rstrip(",;")
            # "one" and "it" words stay; "road" alone is no noun of the language
            if bare in table and not (
                length == 1
                and bare in ("road", "utility", "mountain", "regular", "school", "double", "articulated")
            ):
                variants, ending = table[bare]
                chosen = variants[int(random.random() * len(variants))]
                if ending:
                    chosen = min(plurals(chosen))
                out.append(chosen + phrase[len(bare) :])
                k += length
                break
        else:
            out.append(words[k])
            k += 1
    return " ".join(out) + "?"


def questions(
    seed: int, family: str, style: str, count: int, synonyms: bool = False
) -> Iterator[tuple[str, str]]:
    """(text, canonical program text) pairs of one family."""
    from po3d.synthesis.language import realise, sample_program  # the language is for training and tests only

    for index in range(count):
        random = rng(seed, f"parser-evaluate-{family}-{style}", index)
        program = sample_program(random, family)
        text = realise(program, random, style)
        yield (with_synonyms(text, random) if synonyms else text), program.text()


def exact_match(
    parser: Parser, pairs: list[tuple[str, str]]
) -> tuple[float, int, list[tuple[str, str, str]]]:
    """(share right, number unparsed, the wrong ones as (text, gold, got))."""
    parses = parser.parse([text for text, _ in pairs])
    wrong = []
    for (text, gold), parse in zip(pairs, parses, strict=True):
        if parse.program is None or parse.program.text() != gold:
            wrong.append((text, gold, parse.program.text() if parse.program else f"unparsed: {parse.reason}"))
    return 1 - len(wrong) / len(pairs), sum(p.status != "ok" for p in parses), wrong


def main(arguments: list[str] | None = None) -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--checkpoint", default=str(SHIPPED / "street_parser"))
    options.add_argument("--seed", type=int, default=1000, help="training uses 0")
    options.add_argument("--count", type=int, default=400, help="questions a row")
    options.add_argument("--errors", type=int, default=0, help="wrong ones to show a row")
    chosen = options.parse_args(arguments)
    from po3d.synthesis.language import DEEP_FAMILIES, FAMILIES

    try:
        parser = Parser.from_checkpoint(chosen.checkpoint)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    rows = [(family, style, False) for style in ("benchmark", "wide") for family in FAMILIES]
    rows += [(family, "benchmark", True) for family in FAMILIES] + [
        (family, "wide", True) for family in FAMILIES
    ]
    rows += [(family, style, False) for family in DEEP_FAMILIES for style in ("benchmark", "wide")]
    totals: dict[str, list[float]] = {}
    print(f"{'family':18}{'style':12}{'exact':>8}{'unparsed':>10}")
    for family, style, synonyms in rows:
        pairs = list(questions(chosen.seed, family, style, chosen.count, synonyms))
        share, unparsed, wrong = exact_match(parser, pairs)
        name = "synonyms" if synonyms else style
        totals.setdefault(name if family in FAMILIES else family, []).append(share)
        print(f"{family:18}{name:12}{100 * share:8.2f}{unparsed:10d}", flush=True)
        for text, gold, got in wrong[: chosen.errors]:
            print(f"    {text}\n      gold {gold}\n      got  {got}")
    for name, shares in totals.items():
        print(f"{name:30}{100 * np.mean(shares):8.2f}")
    texts = [text for family in FAMILIES for text, _ in questions(chosen.seed, family, "benchmark", 300)]
    start = time.perf_counter()
    parser.parse(texts)
    speed = len(texts) / (time.perf_counter() - start)
    print(f"{len(texts)} questions at {speed:.0f} questions/s, {torch.get_num_threads()} threads")
    return 0


if __name__ == "__main__":
    sys.exit(main())
