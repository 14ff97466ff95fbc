"""Photographs: questions of twelve types about one image, with options (3DSRBench).

    text, options ──► parser ──► program with descriptions ──► grounding ──► answer ──► option

The answer is the content of an option; the benchmark maps it to a letter. Scenes come from an
estimator for images, or from open-vocabulary networks that detect the objects of the questions.
"""

import functools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from po3d.io.seeding import rng
from po3d.language.descriptions import describe
from po3d.language.grammar import load
from po3d.language.program import Call, ProgramError
from po3d.language.programs.threedsrbench import THREEDSRBENCH, PhraseCall, parse_text
from po3d.language.read.parse import Parse
from po3d.language.read.threedsrbench_reader import fit_options, read
from po3d.reasoning.grounding import ground
from po3d.reasoning.margins import Flip, record
from po3d.reasoning.questions import Question
from po3d.reasoning.readings import LEAST, Ground, answered, called, nearest, rows_only
from po3d.reasoning.rules import THREEDSRBENCH_RULES, Rules
from po3d.scene.camera import hold_of
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import Scene
from po3d.systems import pipeline as parts
from po3d.systems import tables as sources
from po3d.systems.choices import words
from po3d.systems.estimators import Perception
from po3d.systems.explained import Explained, Shown
from po3d.systems.learned import Which, as_phrases, second
from po3d.systems.pipeline import PREDICTED, Pipeline, Ran, Reading, Tables
from po3d.systems.view_substitution import VIEW_TABLES

# Modules that affect the grounding of phrases without relations.
NAMING = ("detection", *VIEW_TABLES.beliefs)


@dataclass(frozen=True)
class Reader:
    """Rule-based parser of texts and options."""

    def read(self, questions: Sequence[Question]) -> list[Reading]:
        return [Reading(read(q.text, q.options)) for q in questions]


@dataclass(frozen=True)
class Executor(parts.Executor):
    """Executor of photographs; descriptions are grounded in the scene.

    `samples`: posterior samples of the poses, for the probability of an answer. `assume_present`:
    treat an undetected object of the question as present, as an improbable row, and say so in the
    prediction; else the question fails.

    Modules beside the scene's: grounding (true: a description refers to its true row, if the scene
    has it; else to the best match) and parsing.
    """

    rules: Rules = THREEDSRBENCH_RULES
    samples: int = 0
    assume_present: bool = True

    substitution = VIEW_TABLES
    modules: ClassVar[tuple[str, ...]] = (*VIEW_TABLES.table, "grounding", "parsing")
    units: ClassVar[Mapping[str, str]] = {**VIEW_TABLES.units, "grounding": "share of descriptions mistaken"}
    headline: ClassVar[str] = "overall"
    kind = "photo"
    dialect = THREEDSRBENCH
    grouped: ClassVar[bool] = True  # a question counts as right with all its rotations

    @classmethod
    def explaining(cls, options: Mapping[str, Any]) -> "Executor":
        return cls(assume_present=options.get("assume_present", True))

    def gold(self, question: Question, rows: bool = False) -> Reading:
        """Return the gold program, whose objects are rows or descriptions."""
        gold = self.gold_parse(question.program)
        if gold.program is None:
            return Reading(gold)
        named = PhraseCall(gold.program.op, tuple(map(called, gold.program.things)))
        return Reading(fitted(question, gold.program if rows else named))

    def told(self, question: Question, text: str) -> Reading:
        return Reading(fitted(question, parse_text(text)))

    def things(self, readings: Sequence[Reading]) -> Sequence[str]:
        programs = [r.asked.program for r in readings if r.asked.program is not None]
        return tuple(dict.fromkeys(thing for program in programs for thing in program.things))

    def heard(self, program: Call, question: Question) -> PhraseCall | Call:
        two = question.options if len(question.options) == 2 else ()
        return super().heard(as_phrases(_among(program, two)), question)

    def heard_parse(self, program: Call, question: Question) -> Parse:
        found = self.heard(program, question)
        parse = fitted(question, found) if isinstance(found, PhraseCall) else Parse("ok", found)
        return Parse("ok", THREEDSRBENCH.meant(found)) if parse.program is None else parse

    def own_wording(self, question: Question, reading: Reading) -> bool:
        """Whether the question matches a template of 3DSRBench or its twin."""
        return any(form.fullmatch(question.text) for form in _forms())

    def of(self, question: Question) -> tuple[str, str]:
        return question.text, question.program  # rotations share their answer

    def on(self, tables: Tables) -> "Photograph":
        return Photograph(self, tables)


@functools.cache
def _forms() -> tuple[re.Pattern[str], ...]:
    return tuple(map(load("threedsrbench").template, ("release.", "paper.", "free.")))


def _among(program: Call, options: Sequence[str]) -> Call:
    """Replace `choices` by the objects that the options name."""
    if program.op == "choices" and options:
        named = [Call("refer", (str(option),)) for option in options]
        groups = (Call("group", tuple(named[k : k + 2])) for k in range(0, len(named), 2))
        return functools.reduce(lambda a, b: Call("union", (a, b)), groups)
    return Call(program.op, tuple(_among(a, options) if isinstance(a, Call) else a for a in program.args))


def fitted(question: Question, program: PhraseCall) -> Parse:
    """Return a program with the option of each of its answers; failed if the options do not fit."""
    named = PhraseCall(program.op, tuple(map(called, program.things)))
    said = fit_options(named, question.options)
    if said is None:
        options = ", ".join(question.options)
        return Parse("failed", reason=f"the options {options} fit no answer of {program.text()}")
    return Parse("ok", program, option_of={answer: said[called(answer)] for answer in program.answers})


@dataclass(frozen=True)
class Photograph:
    """Answers questions on one image's scene."""

    executor: Executor
    tables: Tables

    def run(self, question: Question, reading: Reading) -> Ran:
        own, program = self.executor, reading.asked.program
        # A gold program refers to objects by rows.
        rows = isinstance(program, PhraseCall) and all(thing.startswith("#") for thing in program.things)
        using = rows_only if rows else self.ground(question)
        # The benchmark's own words ("parallel") are options; users also ask yes/no questions.
        plain = all(words(str(option)) <= {"yes", "no"} for option in question.options)
        rules = replace(own.rules, words={}) if plain else own.rules
        how = {"samples": own.samples, "assume_present": own.assume_present}
        scene, asked = self.tables.scene, THREEDSRBENCH.meant(program)
        if any(call.op == "choices" for call in asked.calls()):
            there = [option for option in map(str, question.options) if sum(using(option, scene)) >= LEAST]
            asked = _among(asked, there)
        outcome = answered(asked, scene, using, rules, **how)
        return Ran(outcome, reading)

    def ground(self, question: Question) -> Ground:
        how = self.tables.how("grounding")
        using = self._meant if how == PREDICTED else true_ground(question, self.tables)
        return using if isinstance(how, str) else mistaken(using, how, self.tables.seed)

    def margin(self, question: Question, ran: Ran) -> dict | None:
        found = record(self._nearest(ran))
        return found and found | {"answer": called(found["answer"] or "") or None}

    def _nearest(self, ran: Ran) -> Flip | None:
        program = THREEDSRBENCH.meant(ran.reading.asked.program)
        return nearest(program, self.tables.scene, ran.outcome, self.executor.rules)

    def shown(self, question: Question) -> tuple[Shown, ...]:
        return (Shown("seen from above, the camera below", "", _facing(self.tables.scene)),)

    def explained(self, question: Question, ran: Ran) -> Explained:
        scene, flip = self.tables.scene, self._nearest(ran)
        record = {"margins": self.margin(question, ran)}
        text, shown = flip.text if flip else "", self.shown(question)
        return Explained(scene, ran.outcome, None, text, record, _camera(scene), shown)

    def _meant(self, phrase: str, scene: Scene) -> Sequence[float]:
        """Like `grounding.ground`, cached for scenes with equal settings of the naming modules."""
        said = describe(phrase)
        if said.relations or said.ranks:
            return ground(phrase, scene)
        key = (*map(self.tables.how, NAMING), phrase)
        if key not in self.tables.memo:
            self.tables.memo[key] = ground(phrase, scene)
        return self.tables.memo[key]


def _facing(table: Scene) -> Scene:
    """Return the scene with the axes of its camera's viewer; the true scenes of rooms have the
    room's axes."""
    if table.camera is None:
        return table
    return replace(table, axes=viewer_axes(table.camera.cam_T_world.rotation[2, :2]))


def _camera(scene: Scene) -> tuple[str, ...]:
    """Return a line on the camera's height, pitch, roll and focal length."""
    if scene.camera is None:
        return ()
    hold, lens = hold_of(scene.camera), scene.camera.focal / scene.camera.width
    pitch, roll = math.degrees(hold.pitch), math.degrees(hold.roll)
    return (
        f"camera: {hold.height:.2f} m high, pitch {pitch:.0f}°, roll {roll:.0f}°, focal {lens:.2f} widths",
    )


def true_ground(question: Question, tables: Tables) -> Ground:
    """Return the grounding by the gold program; a description that is not in it is grounded in the
    true scene."""
    try:
        things = parse_text(question.program).things if question.program else ()
    except ProgramError:
        things = ()
    truth, (rows,) = tables.true, tables.rows.values()
    meant = {called(thing): rows_only(thing, truth) for thing in things}
    row_of = {j: k for k, j in enumerate(rows) if j is not None}

    def grounded(phrase: str, scene: Scene) -> list[float]:
        found = [0.0] * len(scene)
        for j, belief in enumerate(meant.get(phrase) or ground(phrase, truth)):
            if j in row_of:
                found[row_of[j]] = belief
        return found

    return grounded


def mistaken(using: Ground, sigma: float, seed: int = 0) -> Ground:
    """Return a grounding in which a share `sigma` of the descriptions refers to another object; an
    error is shared by all questions with that description."""

    def grounded(phrase: str, scene: Scene) -> list[float]:
        found = list(using(phrase, scene))
        changed, other = rng(seed, f"noise/grounding/{scene.image}/{phrase}").random(2)
        if changed >= sigma or len(found) < 2 or not any(found):
            return found
        meant = found.index(max(found))
        taken = [k for k in range(len(found)) if k != meant][int(other * (len(found) - 1))]
        found[meant], found[taken] = found[taken], found[meant]
        return found

    return grounded


EXECUTOR = Executor()


def pipeline(
    table: str = "picture",
    perception: Perception = "room_view_estimator",
    samples: int = 0,
    oracle: Sequence[str] = (),
    mirror: bool = True,
    assume_present: bool = True,
    device: str = "cpu",
    reader: Which = "both",
) -> Pipeline:
    """Return the pipeline of photographs.

    `table`: source of scenes, "truth" or "picture". `perception`: name of a shipped checkpoint
    pair, a path without suffix or an estimator. `oracle`: modules replaced by ground truth.
    `mirror`: horizontal-flip test-time augmentation of the shipped pair. `device`: where the
    network runs. `reader`: the benchmark's parser, the general one, or both (`learned`). The others
    as in `Executor`. InputError for an unknown source or module.
    """
    executor = Executor(samples=samples, assume_present=assume_present)
    made = view_source(table, perception, mirror, device, "photographs")
    return Pipeline(made, Reader(), executor, tuple(oracle), second(reader, executor, device))


def view_source(
    table: str, perception: Perception, mirror: bool, device: str, domain: Literal["photographs", "orbit"]
) -> parts.TableSource:
    """Return the source of scenes of that name, for images or views."""
    if table != "picture":
        return sources.source(table, truth=sources.Truth(), picture=sources.Truth())
    if not isinstance(perception, str):
        return sources.source_of(perception, domain)
    from po3d.perception.room_view import RoomViewEstimator  # importing torch takes seconds

    views = sources.OrbitViews if domain == "orbit" else sources.Views
    return views(RoomViewEstimator.named(perception, mirror, device))
