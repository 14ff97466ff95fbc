"""The `Benchmark` declaration of SCOPE."""

from po3d.benchmarks.base import Benchmark, ReportTables, twin_of
from po3d.benchmarks.choices import LETTERS, lettered
from po3d.benchmarks.scope import plots, tables
from po3d.benchmarks.scope.data import load
from po3d.benchmarks.scope.score import SCORERS, correct, score
from po3d.reasoning.questions import Question, pictures
from po3d.synthesis.difficulty import ORBIT

NAME = "scope"


EGO_STEPS = (
    "Work in three steps.\n1. Each picture by itself: find both objects and say how the one lies to"
    " the other as this camera sees it. What is lower in the picture and hides others is nearer;"
    " note whether the statement is true there.\n2. If more than one picture is left, put all four"
    " views together into one layout of the scene, and keep the picture that agrees with it.\n3."
    " Give the one picture in which the statement is true."
)
ALLO_STEPS = (
    "A person stands in the middle of the scene and faces the camera at 0°. Work in three"
    " steps.\n1. Each picture by itself: find the person, and list what is before them, behind"
    " them, to their left and to their right as this camera sees it. What is behind them may be"
    " hidden in some pictures.\n2. Put all pictures together into one map around the person, seen"
    " from above, with the directions that the person has: front at 0°, right at 90°, behind at"
    " 180°, left at 270°.\n3. Find on the map what is behind the person, and which of the choices"
    " is nearest to it."
)
STEPS = {"integration_ego": EGO_STEPS, "integration_allo": ALLO_STEPS}


def prompt(question: Question, style: str = "plain") -> list[str | int]:
    """Return the prompt: image(s) in order, and the question with lettered options; the answer is a
    letter, or the image.

    Style "ego_to_allo" adds the steps of the paper's Table 3, which exist for the integration tasks
    only.
    """
    options = question.options
    which = all("image" in option.lower() for option in options)
    choices = options if which else LETTERS[: len(options)]
    image_indices = range(len(pictures(question)))
    steps = STEPS.get(question.category) if style == "ego_to_allo" else None
    lines = [
        lettered(question),
        *([steps] if steps else []),
        f"Answer with exactly one of: {', '.join(choices)}.",
    ]
    return [*image_indices, "\n".join(lines)]


open_fresh, generate = twin_of("po3d.benchmarks.scope.twin", load, NAME, ORBIT)
_PROTOCOLS = {"choice": "an answer is right if it names the right option, by letter or text"}
BENCHMARK = Benchmark(
    NAME, "orbit", "scenes", SCORERS, correct, score, load, open_fresh, generate, prompt,
    ORBIT,
    generated="scenes",
    prompt_settings={"style": ("plain", "cot", "ego_to_allo")},
    tables=ReportTables(False, tables.titled, tables.report_markdown, tables.report_text),
    figures=plots.figures,
    title="SCOPE",
    protocols=_PROTOCOLS,
)  # fmt: skip
