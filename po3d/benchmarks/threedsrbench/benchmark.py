"""The `Benchmark` declaration of 3DSRBench."""

from typing import Any

from po3d.benchmarks.base import Benchmark, twin_of
from po3d.benchmarks.choices import lettered
from po3d.benchmarks.threedsrbench.data import augmented, load, write_release, write_vlmevalkit
from po3d.benchmarks.threedsrbench.score import SCORERS, correct, score
from po3d.reasoning.questions import Question
from po3d.synthesis.difficulty import INDOOR

NAME = "3dsrbench"


BOXES = (
    "First give the 3D bounding box of each object that the question is about: center, size and"
    " heading in the camera's frame, in metres and degrees. Then answer from these boxes, in a last"
    " line of its own that begins with 'Answer:' and has the letter of the right option."
)


def prompt(question: Question, style: str = "plain") -> list[str | int]:
    """Return the prompt: image, and the question with lettered options; the answer is a letter.
    Style "boxes" asks for 3D boxes first (the paper's Gemini-2.0-Flash-bbox, in one message)."""
    last = BOXES if style == "boxes" else "Give the letter of the right option and nothing else."
    return [0, f"{lettered(question)}\n{last}"]


def generate_on_photographs(*args: Any, **options: Any) -> tuple[int, int]:
    """Write a split on the user's own photographs; see `photographs.generate`."""
    from po3d.benchmarks.threedsrbench import photographs

    return photographs.generate(*args, **options)


open_fresh, generate = twin_of("po3d.benchmarks.threedsrbench.twin", load, NAME, INDOOR)
_PROTOCOLS = {
    "circular": (
        "a question is right if all rotations of its options are answered right "
        "(CircularEval, the official figure)"
    ),
    "vanilla": "every row counts separately (no CircularEval)",
    "flip": "a row is right if it and its mirror image are answered right (FlipEval)",
    "flip_circular": (
        "a question is right if all its rotations and mirror images are answered right"
    ),
}
BENCHMARK = Benchmark(
    NAME, "photographs", "scenes", SCORERS, correct, score, load, open_fresh, generate, prompt,
    INDOOR,
    prompt_settings={"style": ("plain", "cot", "boxes")},
    augmented=augmented,
    write_release=write_release,
    write_harness_table=write_vlmevalkit,  # VLMEvalKit formats the options itself
    generate_on_photographs=generate_on_photographs,
    title="3DSRBench",
    protocols=_PROTOCOLS,
)  # fmt: skip
