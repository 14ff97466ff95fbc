"""Step-by-step execution of the predictions' programs, for the page of
`po3d.evaluation.report.html`.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from po3d.evaluation.report.html_drawings import Drawings
from po3d.io.errors import InputError
from po3d.language.program import ProgramError
from po3d.reasoning.questions import Prediction, Question
from po3d.systems.explanation import Explanation, SceneFigure
from po3d.systems.pipeline import Domain, ImageScenes, run

LEAST_PROBABILITY = 0.005  # probabilities below this are omitted from a step
CHANGED = (
    "executed again, the program gives another answer: the scene or the code differs from the run's"
)


class StepFigure(NamedTuple):
    """One step: the call, its result as text, the objects in its result as (view, index,
    probability), and its decision that was closest to changing."""

    call: str
    words: str
    objects: tuple[tuple[int, int, float], ...] = ()
    nearest: str = ""


class Traced(NamedTuple):
    """A repeated execution: `views` are titles and indices of the drawings to show; `flip` is the
    counterfactual that changes the answer."""

    views: tuple[tuple[str, int], ...]
    steps: tuple[StepFigure, ...] = ()
    note: str = ""
    flip: str = ""


def traces(
    drawings: Drawings, domain: Domain, tables: ImageScenes | None
) -> Callable[[Question, Prediction], Traced]:
    """Return a function that repeats the execution of the answers about one image on `tables`; its
    result is empty without them."""
    if tables is None:
        return lambda q, p: Traced(())
    answering = domain.bind(tables)
    drawing_index: dict[Hashable, int] = {}

    def views(figures: Sequence[SceneFigure]) -> tuple[tuple[str, int], ...]:
        for figure in figures:
            if figure.key not in drawing_index:
                drawing_index[figure.key] = drawings.add(figure.scene, figure.up, figure.marked)
        return tuple((figure.title, drawing_index[figure.key]) for figure in figures)

    def traced(q: Question, p: Prediction) -> Traced:
        try:
            plain = views(answering.figures(q))
        except InputError as error:
            return Traced((), note=str(error))
        if not p.program:
            return Traced(plain)
        try:
            reading = domain.rebuild_parse(q, p.program)
        except ProgramError as error:
            return Traced(plain, note=str(error))
        if reading.unread:
            return Traced(plain, note=reading.unread)
        execution = run(answering, q, reading)
        explanation = answering.explain(q, execution)
        if explanation.outcome is None:
            return Traced(plain, note=execution.outcome.reason)
        answer = explanation.outcome.answer
        answer_text = None if answer is None else reading.question.option_of.get(answer, answer)
        changed = p.status == "ok" and answer_text != p.answer
        note = CHANGED if changed else explanation.outcome.reason
        return Traced(views(explanation.figures), _steps(explanation), note, explanation.flip)

    return traced


def _steps(explanation: Explanation) -> tuple[StepFigure, ...]:
    size = len(explanation.figures[0].scene) if explanation.past is None else explanation.past

    def place(i: int) -> tuple[int, int]:
        """Return (view, row) of a trace's object; indices beyond the scene's rows are those before
        the change, if there is one."""
        return (0, i % size) if i < size or explanation.past is None else (1, i - size)

    steps = []
    for step, nearest in explanation.steps:
        likely = sorted(step.objects.items(), key=lambda item: -item[1])
        # -1 is the viewer
        likely = [(i, p) for i, p in likely if i >= 0 and p > LEAST_PROBABILITY]
        objects = tuple((*place(i), round(p, 2)) for i, p in likely)
        steps.append(StepFigure(step.token, step.text.partition(" -> ")[2], objects, nearest))
    return tuple(steps)
