"""Step-by-step execution of the predictions' programs, for the page of
`po3d.evaluation.report.html`.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from po3d.evaluation.report.html_drawings import Drawings
from po3d.io.errors import InputError
from po3d.language.program import ProgramError
from po3d.reasoning.questions import Prediction, Question
from po3d.systems.explained import Explained, Shown
from po3d.systems.pipeline import Executor, Tables, run

SHOWN = 0.005  # probabilities below this are omitted from a step
CHANGED = "worked out again, the program gives another answer: the table or the code is not what the run had"


class StepShown(NamedTuple):
    """One step: the call, its result as text, the objects in its result as (view, index,
    probability), and its decision that was closest to changing.
    """

    call: str
    words: str
    objects: tuple[tuple[int, int, float], ...] = ()
    nearest: str = ""


class Traced(NamedTuple):
    """A repeated execution: `views` are titles and indices of the drawings to show; `flip` is the
    counterfactual that changes the answer.
    """

    views: tuple[tuple[str, int], ...]
    steps: tuple[StepShown, ...] = ()
    note: str = ""
    flip: str = ""


def traces(
    drawings: Drawings, executor: Executor, tables: Tables | None
) -> Callable[[Question, Prediction], Traced]:
    """Return a function that repeats the execution of the answers about one image on `tables`; its
    result is empty without them.
    """
    if tables is None:
        return lambda q, p: Traced(())
    answering = executor.on(tables)
    drawn: dict[Hashable, int] = {}

    def views(shown: Sequence[Shown]) -> tuple[tuple[str, int], ...]:
        for one in shown:
            if one.key not in drawn:
                drawn[one.key] = drawings.add(one.scene, one.up, one.marked)
        return tuple((one.title, drawn[one.key]) for one in shown)

    def traced(q: Question, p: Prediction) -> Traced:
        try:
            plain = views(answering.shown(q))
        except InputError as error:
            return Traced((), note=str(error))
        if not p.program:
            return Traced(plain)
        try:
            reading = executor.told(q, p.program)
        except ProgramError as error:
            return Traced(plain, note=str(error))
        if reading.unread:
            return Traced(plain, note=reading.unread)
        ran = run(answering, q, reading)
        found = answering.explained(q, ran)
        if found.outcome is None:
            return Traced(plain, note=ran.outcome.reason)
        answer = found.outcome.answer
        said = None if answer is None else reading.asked.option_of.get(answer, answer)
        note = found.outcome.reason if p.status != "ok" or said == p.answer else CHANGED
        return Traced(views(found.shown), _steps(found), note, found.flip)

    return traced


def _steps(found: Explained) -> tuple[StepShown, ...]:
    size = len(found.shown[0].scene) if found.past is None else found.past

    def place(i: int) -> tuple[int, int]:
        """Return (view, row) of a trace's object; indices beyond the scene's rows are those before
        the change, if there is one.
        """
        return (0, i % size) if i < size or found.past is None else (1, i - size)

    shown = []
    for step, nearest in found.steps:
        likely = sorted(step.objects.items(), key=lambda item: -item[1])
        # -1 is the viewer
        objects = tuple((*place(i), round(p, 2)) for i, p in likely if i >= 0 and p > SHOWN)
        shown.append(StepShown(step.token, step.text.partition(" -> ")[2], objects, nearest))
    return tuple(shown)
