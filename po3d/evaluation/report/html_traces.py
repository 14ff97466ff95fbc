"""Step-by-step execution of the predictions' programs, for the page of
`po3d.evaluation.report.html`.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from po3d.evaluation.report.html_drawings import Drawings
from po3d.io.errors import InputError
from po3d.language.program import ProgramError
from po3d.reasoning.questions import Prediction, Question
from po3d.systems.explanation import Explanation, SceneFigure
from po3d.systems.parse_execution import run
from po3d.systems.pipeline import Domain, ImageScenes

LEAST_PROBABILITY = 0.005  # probabilities below this are omitted from a step
CHANGED = (
    "executed again, the program gives another answer: the scene or the code differs from the run's"
)


def traces(
    drawings: Drawings, domain: Domain, tables: ImageScenes | None
) -> Callable[[Question, Prediction], dict[str, Any]]:
    """Return a function that repeats the execution of the answers about one image on `tables`; its
    result is empty without them.

    views     titles and indices of the drawings to show
    steps     for each step the call, its result as text, the objects in its result as (view, index,
              probability), and its decision that was closest to changing
    note      a remark, ""
    flip      the counterfactual that changes the answer, ""
    """
    if tables is None:
        return lambda q, p: _record(())
    answering = domain.bind(tables)
    drawing_index: dict[Hashable, int] = {}

    def views(figures: Sequence[SceneFigure]) -> tuple[tuple[str, int], ...]:
        for figure in figures:
            if figure.key not in drawing_index:
                drawing_index[figure.key] = drawings.add(figure.scene, figure.up, figure.marked)
        result = []
        for figure in figures:
            result.append((figure.title, drawing_index[figure.key]))
        return tuple(result)

    def traced(q: Question, p: Prediction) -> dict[str, Any]:
        try:
            plain = views(answering.figures(q))
        except InputError as error:
            return _record((), note=str(error))
        if not p.program:
            return _record(plain)
        try:
            reading = domain.rebuild_parse(q, p.program)
        except ProgramError as error:
            return _record(plain, note=str(error))
        if reading.unread:
            return _record(plain, note=reading.unread)
        execution = run(answering, q, reading)
        explanation = answering.explain(q, execution)
        if explanation.outcome is None:
            return _record(plain, note=execution.outcome.reason)
        answer = explanation.outcome.answer
        answer_text = None if answer is None else reading.question.option_of.get(answer, answer)
        changed = p.status == "ok" and answer_text != p.answer
        note = CHANGED if changed else explanation.outcome.reason
        return _record(views(explanation.figures), _steps(explanation), note, explanation.flip)

    return traced


def _record(
    views: Sequence[tuple[str, int]], steps: Sequence[tuple] = (), note: str = "", flip: str = ""
) -> dict[str, Any]:
    return {"views": views, "steps": steps, "note": note, "flip": flip}


def _steps(explanation: Explanation) -> list[tuple]:
    size = len(explanation.figures[0].scene) if explanation.past is None else explanation.past

    def place(i: int) -> tuple[int, int]:
        """Return (view, row) of a trace's object; indices beyond the scene's rows are those before
        the change, if there is one."""
        return (0, i % size) if i < size or explanation.past is None else (1, i - size)

    steps = []
    for step, nearest in explanation.steps:
        objects = []
        for i, p in sorted(step.objects.items(), key=lambda item: -item[1]):
            if i >= 0 and p > LEAST_PROBABILITY:  # -1 is the viewer
                objects.append((*place(i), round(p, 2)))
        steps.append((step.token, step.text.partition(" -> ")[2], objects, nearest))
    return steps
