"""Answers worked out again from the predictions' programs, step by step, for the page of `po3d.evaluation.report.html`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from po3d.evaluation.report.html_drawings import Drawings
from po3d.io.errors import InputError
from po3d.language.program import ProgramError
from po3d.language.programs import rooms as room_program
from po3d.language.programs import scope as scope_program
from po3d.language.programs import threedsrbench as sr_program
from po3d.language.programs.street import parse_text
from po3d.language.read.threedsrbench_reader import fit_options
from po3d.reasoning import scope_executor
from po3d.reasoning import threedsrbench_executor as sr_executor
from po3d.reasoning.grounding import ground
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.perturbations import Tip
from po3d.reasoning.questions import Prediction, Question
from po3d.reasoning.room_executor import run
from po3d.reasoning.room_margins import room_margins
from po3d.reasoning.room_planner import plan
from po3d.reasoning.room_world import World
from po3d.reasoning.scope_margins import scope_tip
from po3d.reasoning.street_margins import Flip, margins
from po3d.reasoning.threedsrbench_margins import sr_tip
from po3d.scene.index import Layout
from po3d.scene.table import Scene
from po3d.systems.rooms import framed
from po3d.systems.street import Executor

SHOWN = 0.005  # probabilities below this are left out of a step
CHANGED = "worked out again, the program gives another answer: the table or the code is not what the run had"


class StepShown(NamedTuple):
    """One step: the call, what it gave in words, the objects that it found as (view, index, probability), and its decision
    that was nearest to going the other way."""

    call: str
    words: str
    objects: tuple[tuple[int, int, float], ...] = ()
    nearest: str = ""


class Traced(NamedTuple):
    """An answer worked out again: `views` are the indices of the drawings to show, with their titles; `flip` says what
    would give another answer."""

    views: tuple[tuple[str, int], ...]
    steps: tuple[StepShown, ...] = ()
    note: str = ""
    flip: str = ""


Trace = Callable[[Question, Prediction], Traced]


def street_trace(drawings: Drawings, table: Scene | None, executor: Executor) -> Trace:
    """Traces of street programs on the table of one image."""
    view = () if table is None else (("seen from above, the camera below", drawings.add(table, "behind")),)

    def traced(q: Question, p: Prediction) -> Traced:
        if table is None or not p.program:
            return Traced(view)
        try:
            outcome = executor(parse_text(p.program), table, q.task)
        except ProgramError as error:
            return Traced(view, note=str(error))
        near = margins(parse_text(p.program), table, q.task, executor.rules)
        steps = tuple(
            StepShown(
                step.token,
                ", ".join(f"{w}{_odds(v)}" for w, v in step.values.items() if v > SHOWN),
                tuple(
                    (0, i, round(v, 2))
                    for i, v in sorted(step.objects.items(), key=lambda item: -item[1])
                    if v > SHOWN
                ),
                decided[0].text if decided else "",
            )
            for step, decided in zip(outcome.trace, near.steps)
        )
        note = "" if p.status != "ok" or outcome.answer == p.answer else CHANGED
        return Traced(view, steps, note, _flip(near.flip, near.answer, outcome.answer))

    return traced


def room_trace(drawings: Drawings, table: Scene | None, mode: str) -> Trace:
    """Traces of room programs, each with the room before and after its change in the frame of its question."""
    layouts: dict[str, tuple[Layout, int]] = {}  # by frame, with the view of the room before
    worlds: dict[
        tuple[str, str], tuple[World, int]
    ] = {}  # by frame and change, with the view of the room after

    def traced(q: Question, p: Prediction) -> Traced:
        if table is None:
            return Traced(())
        frame = q.meta.get("frame", "")
        try:
            if frame not in layouts:
                before = framed(table, frame, mode)
                layouts[frame] = Layout(before), drawings.add(before, "front")
        except InputError as error:
            return Traced((), note=str(error))
        layout, first = layouts[frame]
        views = (("the room, the front above", first),)
        change, _, asked = p.program.rpartition(" ; ")
        if not asked:
            return Traced(views)
        try:
            if (frame, change) not in worlds:
                edited = plan(layout, room_program.parse_text(change) if change else None).edited
                after = drawings.add(edited.scene, "front", edited.touched) if change else first
                worlds[frame, change] = World(edited, layout), after
            world, after = worlds[frame, change]
            question = room_program.parse_text(asked)
            outcome = run(question, world)
            near = room_margins(question, world)
        except (ExecutionFailure, ProgramError, InputError) as failure:
            return Traced(views, note=str(failure))
        views = (("after the change, the front above", after), ("before", first)) if change else views
        steps = [
            _room_step(str(call), found, world, outcome.evaluator)._replace(
                nearest=decided[0].text if decided else ""
            )
            for (call, found), decided in zip(_told(outcome), near.steps)
        ]
        same = p.status != "ok" or outcome.answer == p.answer
        return Traced(
            views, tuple(steps), "" if same else CHANGED, _flip(near.tip, near.answer, outcome.answer)
        )

    return traced


def _told(outcome: Any) -> Sequence[tuple]:
    return outcome.evaluator.steps if outcome.evaluator else ()


def _room_step(call: str, found: str | int | list[int], world: World, evaluator: Any) -> StepShown:
    if isinstance(found, str):
        return StepShown(call, found)
    members = [found] if isinstance(found, int) else found
    changed = world.present is not world.was

    def place(i: int) -> tuple[int, int, float]:
        return (0, i, 1.0) if i < world.now else (int(changed), i - world.now, 1.0)

    words = ", ".join(evaluator.describe(i) for i in members) or "none"
    return StepShown(call, words, tuple(place(i) for i in members))


def scope_trace(drawings: Drawings, seen: Callable[[Question], scope_executor.Seen] | None) -> Trace:
    """Traces of SCOPE's programs; `seen` gives the table that a question is answered from."""
    known: dict[tuple[str, ...], tuple[scope_executor.Seen, int]] = {}  # by images, with the view

    def traced(q: Question, p: Prediction) -> Traced:
        if seen is None:
            return Traced(())
        images = tuple(q.meta["images"])
        try:
            if images not in known:
                found = seen(q)
                known[images] = found, drawings.add(replace(found.table, axes=found.views[0]), "behind")
        except InputError as error:
            return Traced((), note=str(error))
        table, view = known[images]
        views = ((f"seen from above, the camera of {images[0]} below", view),)
        if not p.program:
            return Traced(views)
        try:
            program = scope_program.parse_text(p.program)
            outcome = scope_executor.run(program, table, q.meta["options"])
        except ProgramError as error:
            return Traced(views, note=str(error))
        tip = scope_tip(program, table, q.meta["options"])
        names = [o.name or o.value("name") for o in table.table.objects]
        steps = tuple(_scope_step(step, names) for step in outcome.steps)
        same = p.status != "ok" or outcome.answer == p.answer
        return Traced(views, steps, outcome.reason if same else CHANGED, "" if tip is None else tip.text)

    return traced


def _scope_step(step: str, names: Sequence[str]) -> StepShown:
    call, _, words = step.partition(" = ")
    found = names.index(words) if names.count(words) == 1 else None
    return StepShown(call, words, () if found is None else ((0, found, 1.0),))


def sr_trace(drawings: Drawings, table: Scene | None) -> Trace:
    """Traces of 3DSRBench's programs on the table of one image."""
    view = ()
    if table is not None:
        view = (("seen from above, the camera below", drawings.add(_facing(table), "behind")),)

    def traced(q: Question, p: Prediction) -> Traced:
        if table is None or not p.program:
            return Traced(view)
        try:
            program = sr_program.parse_text(p.program)
        except ProgramError as error:
            return Traced(view, note=str(error))
        gold = all(thing.startswith("#") for thing in program.things)  # gold programs name rows
        outcome = sr_executor.run(program, table, sr_executor.rows_only if gold else ground)
        steps = []
        for k, step in enumerate(outcome.steps):
            call, _, words = step.partition(" = ")
            steps.append(
                StepShown(call, words, ((0, outcome.rows[k], 1.0),) if k < len(outcome.rows) else ())
            )
        named = sr_program.SrProgram(program.op, tuple(map(sr_executor.called, program.things)))
        options = fit_options(named, q.meta["options"]) or {}
        said = options.get(sr_executor.called(outcome.answer or ""))
        same = p.status != "ok" or said is None or said == p.answer
        tip = sr_tip(program, table, outcome)
        return Traced(
            view, tuple(steps), outcome.reason if same else CHANGED, "" if tip is None else tip.text
        )

    return traced


def _facing(table: Scene) -> Scene:
    """The table with the axes of its camera's viewer; tables of rooms come with those of the room."""
    if table.camera is None:
        return table
    ahead = table.camera.cam_T_world.rotation[2, :2]
    x, y = (float(v) for v in ahead / np.linalg.norm(ahead))
    return replace(table, axes={"front": (-x, -y), "behind": (x, y), "left": (-y, x), "right": (y, -x)})


def _flip(tip: Tip | Flip | None, likeliest: str | None, answer: str | None) -> str:
    """What would flip the answer; margins are those of the likeliest table, which may say something else."""
    if tip is None:
        return ""
    return (
        tip.text
        if likeliest == answer
        else f"the likeliest table says {likeliest or 'nothing'}, which {tip.text}"
    )


def _odds(p: float) -> str:
    return "" if p > 1 - 1e-9 else f" {p:.2f}"
