"""Parse captions of Visual Spatial Reasoning ("The cup is left of the plate.") as yes/no questions.

    python -m tools.vsr vsr_half.jsonl                   accuracy of programs on 500 random captions
    python -m tools.vsr vsr_half.jsonl --size 2000 --seed 3 --wrong
        also prints captions parsed wrongly

The file has one JSON object per line with `caption` and `relation`. The correct program follows
from both by `vsr_relations.txt`, which also lists the relations that the language cannot express;
captions with these are skipped. A caption is parsed like any question about a photograph, with a
scene of its two objects.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.files import lines_beside, read_jsonl
from po3d.io.seeding import rng
from po3d.language.program import Call
from po3d.reasoning.questions import Question
from po3d.scene.geometry import Camera, look_at
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene, sure
from po3d.systems import photographs
from po3d.systems.general_parser import second
from po3d.systems.pipeline import Context, ParsedQuestion, Pipeline
from po3d.systems.scene_sources import Truth

SIZE = 0.5  # metres, of every object


class Caption(NamedTuple):
    """A caption, its relation, and the names of its two objects."""

    text: str
    relation: str
    first: str
    second: str


def relations() -> tuple[dict[str, str], dict[str, str]]:
    """Return the relations with their programs of "x" and "y", and those without a program with the
    reason."""
    programs, without = {}, {}
    for line in lines_beside(__file__, "vsr_relations.txt"):
        name, mark, rest = re.split(r" ([=-]) ", line, maxsplit=1)
        (programs if mark == "=" else without)[name] = rest
    return programs, without


def captions(path: Path, known: set[str]) -> Iterator[Caption]:
    """Yield the captions of a file. Raise InputError for a caption that does not contain its
    relation, or an unlisted relation."""
    for record in read_jsonl(path, "captions"):
        text, relation = str(record.get("caption", "")), str(record.get("relation", ""))
        if relation not in known:
            raise InputError(f"{path}: unknown relation {relation[:40]!r}")
        form = rf"The (.+?) (?:(?:is|are|has) )?{re.escape(relation)} the (.+?)\.?"
        result = re.fullmatch(form, text, re.IGNORECASE)
        if not result:
            raise InputError(f"{path}: {text[:80]!r} does not contain {relation!r}")
        yield Caption(text, relation, result[1].lower(), result[2].lower())


def table(caption: Caption) -> Scene:
    """Return a picture's scene with the two objects side by side."""
    things = tuple(
        ObjectState(sure(name=name), (x, 4.0, SIZE / 2), 0.0, (SIZE,) * 3)
        for name, x in ((caption.first, -1.0), (caption.second, 1.0))
    )
    camera = Camera(640, 480, 560.0, look_at((0.0, 0.0, 1.5), (0.0, 1.0, 1.5)))
    return Scene(things, viewer_axes((0.0, 1.0)), "gt", camera, image="caption")


def read(caption: Caption, pipeline: Pipeline) -> str:
    """Return the program that an evaluation would run; "" if the caption cannot be parsed."""
    question = Question("caption", "caption", caption.text, "2d", "")
    context = Context(lambda: None, lambda: table(caption), "caption")
    return pipeline.answer([question], context)[0].program


def wanted(caption: Caption, program: str, pipeline: Pipeline) -> str:
    """Return the correct program in the format of predictions."""
    named = {"x": caption.first, "y": caption.second}
    call = Call.parse(re.sub(r'"([xy])"', lambda m: f'"{named[m[1]]}"', program))
    question = Question("caption", "caption", caption.text, "2d", "")
    parse = pipeline.domain.adapted(call, question)
    return pipeline.domain.stored_text(ParsedQuestion(parse))


def run(path: Path, size: int, seed: int, show_wrong: bool) -> None:
    """Print the share of correct programs by relation and in total, and the relations without a
    program."""
    programs, without = relations()
    listed = list(captions(path, {*programs, *without}))
    expressible = [caption for caption in listed if caption.relation in programs]
    order = rng(seed, "vsr").permutation(len(expressible))[:size]
    executor = photographs.DOMAIN
    pipeline = Pipeline(
        Truth(), photographs.question_parser(), executor, second=second("cascade", executor)
    )
    right, sample = Counter[str](), Counter[str]()
    for k in order.tolist():
        caption = expressible[k]
        result, gold = (
            read(caption, pipeline),
            wanted(caption, programs[caption.relation], pipeline),
        )
        sample[caption.relation] += 1
        right[caption.relation] += result == gold
        if show_wrong and result != gold:
            print(f"{caption.text}\n    {result or 'not read'}\n    {gold}")
    for relation, count in sample.most_common():
        print(f"{relation:24}{right[relation]:5} of {count}")
    share = 100 * right.total() / max(sample.total(), 1)
    print(f"programs right: {right.total()} of {sample.total()} ({share:.1f} %), seed {seed}")
    counts = Counter(caption.relation for caption in listed)
    print(f"no program ({len(listed) - len(expressible)} of {len(listed)} captions):")
    for relation, reason in without.items():
        if counts[relation]:
            print(f"  {relation} ({counts[relation]}): {reason}")


def main() -> int:
    """Run the command line; return the exit code: 2 for an invalid file."""
    parser = argparse.ArgumentParser("python -m tools.vsr", description=__doc__.split("\n")[0])
    parser.add_argument("captions", type=Path)
    parser.add_argument("--size", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--wrong", action="store_true", help="also print captions parsed to another program"
    )
    a = parser.parse_args()
    return guarded(lambda: run(a.captions, a.size, a.seed, a.wrong))


if __name__ == "__main__":
    raise SystemExit(main())
