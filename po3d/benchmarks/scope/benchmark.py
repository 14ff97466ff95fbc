"""What SCOPE declares."""

from po3d.benchmarks.base import Benchmark, Tables, twin_of
from po3d.benchmarks.choices import LETTERS, lettered
from po3d.benchmarks.scope import plots, tables
from po3d.benchmarks.scope.data import load
from po3d.benchmarks.scope.score import SCORERS, correct, score
from po3d.reasoning.questions import Question, pictures
from po3d.synthesis.difficulty import OrbitDials

NAME = "scope"


def prompt(question: Question) -> list[str | int]:
    """Picture or pictures in order, question, lettered options; a letter, or which picture, back."""
    options = question.options
    which = all("image" in option.lower() for option in options)
    choices = options if which else LETTERS[: len(options)]
    shown = range(len(pictures(question)))
    return [*shown, f"{lettered(question)}\nAnswer with exactly one of: {', '.join(choices)}."]


open_fresh, generate = twin_of("po3d.benchmarks.scope.twin", load, NAME, OrbitDials)
_PROTOCOLS = {"choice": "an answer is right when it names the right option, by letter or text"}
BENCHMARK = Benchmark(
    NAME, "orbit", "scenes", SCORERS, correct, score, load, open_fresh, generate, prompt, OrbitDials,
    generated="scenes",
    tables=Tables(False, tables.titled, tables.report_markdown, tables.report_text),
    figures=plots.figures,
    title="SCOPE",
    protocols=_PROTOCOLS,
)  # fmt: skip
