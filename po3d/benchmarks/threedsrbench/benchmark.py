"""What 3DSRBench declares."""

from po3d.benchmarks.base import Augmentation, Benchmark, Harness, twin_of
from po3d.benchmarks.choices import lettered
from po3d.benchmarks.threedsrbench.data import augmented, load, write_release, write_vlmevalkit
from po3d.benchmarks.threedsrbench.score import SCORERS, correct, score
from po3d.reasoning.questions import Question
from po3d.synthesis.difficulty import InsideDials

NAME = "3dsrbench"


def prompt(question: Question) -> list[str | int]:
    """Picture, question, lettered options; a letter back."""
    return [0, f"{lettered(question)}\nGive the letter of the right option and nothing else."]


open_fresh, generate = twin_of("po3d.benchmarks.threedsrbench.twin", load, NAME, InsideDials)
BENCHMARK = Benchmark(
    NAME, "photographs", "scenes", SCORERS, correct, score, load, open_fresh, generate, prompt, InsideDials,
    augmentation=Augmentation(augmented, write_release),
    harness=Harness(bare=False, write=write_vlmevalkit),  # VLMEvalKit words the options itself
)  # fmt: skip
