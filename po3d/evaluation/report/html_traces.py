"""Answers worked out again from the predictions' programs, step by step, for the page of `po3d.evaluation.report.html`."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from po3d.evaluation.report.html_drawings import Drawings
from po3d.io.errors import InputError
from po3d.language.program import ProgramError
from po3d.language.programs import rooms as room_program
from po3d.language.programs import scope as scope_program
from po3d.language.programs import threedsrbench as sr_program
from po3d.language.programs.street import parse_text
from po3d.language.read.threedsrbench_reader import fit_options
from po3d.reasoning import readings
from po3d.reasoning.execute import run
from po3d.reasoning.grounding import ground
from po3d.reasoning.margins import Margins, margins, margins_in
from po3d.reasoning.outcome import ExecutionFailure, Outcome
from po3d.reasoning.plan import plan
from po3d.reasoning.questions import Prediction, Question
from po3d.reasoning.rules import SCOPE_RULES
from po3d.reasoning.views import Seen
from po3d.reasoning.views import run as run_on_views
from po3d.reasoning.world import World
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
        note = "" if p.status != "ok" or outcome.answer == p.answer else CHANGED
        return Traced(view, _steps(outcome, near), note, _flip(near, outcome))

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
        frame = q.frame
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
                edited = plan(layout, room_program.ROOMS.parse(change) if change else None).edited
                after = drawings.add(edited.scene, "front", edited.touched) if change else first
                worlds[frame, change] = World(edited, layout), after
            world, after = worlds[frame, change]
            question = room_program.ROOMS.parse(asked)
            outcome, near = run(question, world), margins_in(question, world)
        except (ExecutionFailure, ProgramError, InputError) as failure:
            return Traced(views, note=str(failure))
        views = (("after the change, the front above", after), ("before", first)) if change else views
        same = p.status != "ok" or outcome.answer == p.answer
        steps = _steps(outcome, near, world)
        return Traced(views, steps, "" if same else CHANGED, _flip(near, outcome))

    return traced


def _steps(
    outcome: Outcome, near: Margins | None = None, world: World | None = None
) -> tuple[StepShown, ...]:
    """A trace's steps with the decision of each that was nearest. `world`: of a change, whose things are in two views."""
    changed = world is not None and world.present is not world.was

    def place(i: int) -> tuple[int, int]:
        return (0, i) if world is None or i < world.now else (int(changed), i - world.now)

    decided = near.steps if near else ()
    found = []
    for k, step in enumerate(outcome.trace):
        likely = sorted(step.objects.items(), key=lambda item: -item[1])
        objects = tuple((*place(i), round(p, 2)) for i, p in likely if p > SHOWN)
        nearest = decided[k][0].text if k < len(decided) and decided[k] else ""
        found.append(StepShown(step.token, step.text.partition(" -> ")[2], objects, nearest))
    return tuple(found)


def scope_trace(drawings: Drawings, seen: Callable[[Question], Seen] | None) -> Trace:
    """Traces of SCOPE's programs; `seen` gives the table that a question is answered from."""
    known: dict[tuple[str, ...], tuple[Seen, int]] = {}  # by images, with the view

    def traced(q: Question, p: Prediction) -> Traced:
        if seen is None:
            return Traced(())
        images = tuple(q.images)
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
            outcome = run_on_views(program, table, q.options)
        except ProgramError as error:
            return Traced(views, note=str(error))
        near = margins_in(program, World.of(table.table, SCOPE_RULES), table.asked(q.options))
        same = p.status != "ok" or outcome.answer == p.answer
        note = outcome.reason if same else CHANGED
        return Traced(views, _steps(outcome, near), note, _flip(near, outcome))

    return traced


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
        asked = sr_program.THREEDSRBENCH.meant(program)
        outcome = readings.answered(asked, table, readings.rows_only if gold else ground)
        named = sr_program.SrProgram(program.op, tuple(map(readings.called, program.things)))
        options = fit_options(named, q.options) or {}
        said = options.get(readings.called(outcome.answer or ""))
        same = p.status != "ok" or said is None or said == p.answer
        flip = readings.nearest(asked, table, outcome)
        note = outcome.reason if same else CHANGED
        return Traced(view, _steps(outcome), note, "" if flip is None else flip.text)

    return traced


def _facing(table: Scene) -> Scene:
    """The table with the axes of its camera's viewer; tables of rooms come with those of the room."""
    if table.camera is None:
        return table
    ahead = table.camera.cam_T_world.rotation[2, :2]
    x, y = (float(v) for v in ahead / np.linalg.norm(ahead))
    return replace(table, axes={"front": (-x, -y), "behind": (x, y), "left": (-y, x), "right": (y, -x)})


def _flip(near: Margins, outcome: Outcome) -> str:
    """What would flip the answer; margins are those of the likeliest table, which may say something else."""
    if near.flip is None:
        return ""
    if near.answer == outcome.answer:
        return near.flip.text
    return f"the likeliest table says {near.answer or 'nothing'}, which {near.flip.text}"
