"""Photographs: questions of twelve types about one image, with options (3DSRBench).

    text, options ──► parser ──► program with descriptions ──► grounding ──► answer ──► option

The answer is the content of an option; the benchmark maps it to a letter. Scenes come from an
estimator for images, or from open-vocabulary networks that detect the objects of the questions.
"""

import functools
import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from po3d.io.seeding import rng
from po3d.language.descriptions import describe
from po3d.language.grammar import load
from po3d.language.program import Call, ProgramError
from po3d.language.programs.threedsrbench import THREEDSRBENCH, PhraseCall, parse_text
from po3d.language.read import photograph_words
from po3d.language.read.parse import Parse
from po3d.language.read.threedsrbench_reader import fit_options, read
from po3d.reasoning.counterfactuals import Counterfactual, record
from po3d.reasoning.execute import is_support
from po3d.reasoning.grounded import LEAST, Ground, answered, nearest, rows_only, without_row
from po3d.reasoning.grounding import ground
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.questions import Question
from po3d.reasoning.rules import THREEDSRBENCH_RULES, Rules
from po3d.scene.camera import camera_pose_of
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene
from po3d.systems import scene_sources as sources
from po3d.systems.answer_options import words
from po3d.systems.domain import Domain, Execution, ParsedQuestion
from po3d.systems.estimators import Perception
from po3d.systems.explanation import Explanation, SceneFigure
from po3d.systems.general_parser import ParserMode, as_phrases, second
from po3d.systems.image_scenes import PREDICTED, ImageScenes
from po3d.systems.interfaces import QuestionParser
from po3d.systems.oracle import Module
from po3d.systems.oracle.views import VIEW_TABLES
from po3d.systems.photograph_answers import (
    as_seen,
    best_boxes,
    from_camera,
    granted,
    nearest_listed,
    nearest_of,
    refuse_unknown,
    salient,
    seen_by_camera,
    set_of,
    set_outcome,
    support_outcome,
    yes_no,
)
from po3d.systems.pipeline import Pipeline

# Modules that affect the grounding of phrases without relations.
NAMING = ("detection", *VIEW_TABLES.beliefs)
GUESS = "a guess"  # in the reason of an answer that rests on unknown headings
TURNS = 4  # headings that are tried
OF_PICTURE = re.compile(r" of (?:the|this) (?:photo(?:graph)?|picture|image)\b", re.IGNORECASE)
# Without an orientation network: flip probability 0.5, standard deviation a quarter turn's.
UNKNOWN_FLIP, UNKNOWN_HEADING = 0.49, 0.9


def question_parser(photographs: bool = False) -> QuestionParser:
    """Return the rule-based parser of texts and options. `photographs`: questions that match no
    template of the benchmark are first read by the rules for photographs (`photograph_words`)."""

    def parse(question: Question) -> Parse:
        plain = _by_words(question) if photographs and not _is_template(question) else None
        if plain is None:
            return read(question.text, question.options)
        try:
            return replace(plain, program=THREEDSRBENCH.from_core(plain.program))
        except ProgramError:  # the benchmark has no such operation
            return plain

    return QuestionParser(
        lambda questions: [ParsedQuestion(parse(q).in_core(THREEDSRBENCH)) for q in questions]
    )


def _is_template(question: Question) -> bool:
    """Whether the question matches a template of 3DSRBench or its twin; "the left side of the
    picture" is none."""
    text = question.text
    return not OF_PICTURE.search(text) and any(form.fullmatch(text) for form in _forms())


def _by_words(question: Question) -> Parse | None:
    return photograph_words.read(question.text, tuple(map(str, question.options)))


def _fit(question: Question, program: Call, rows: bool) -> Parse:
    """Return the parse of a gold program. With `rows` its objects are rows of the true scene ("#3
    chair"), else descriptions ("chair")."""
    return fitted(question, program if rows else _unnumbered(program))


def _adapted(program: Call, question: Question) -> Parse:
    two = question.options if len(question.options) == 2 else ()
    program = as_phrases(_among(program, two))
    parse = fitted(question, program)
    return Parse("ok", program) if parse.program is None else parse


def _own_wording(question: Question, reading: ParsedQuestion) -> bool:
    return _is_template(question)


def _has_rule(question: Question, reading: ParsedQuestion | None = None) -> bool:
    """Whether a rule for photographs reads the question: the general parser would only replace what
    the detector does not know."""
    return _by_words(question) is not None


def _template_or_rule(question: Question, reading: ParsedQuestion) -> bool:
    return _is_template(question) or _has_rule(question)


@functools.cache
def _forms() -> tuple[re.Pattern[str], ...]:
    return tuple(map(load("threedsrbench").template, ("release.", "paper.", "free.")))


def _among(program: Call, options: Sequence[str]) -> Call:
    """Replace `choices` by the objects that the options name."""
    if program.op == "choices" and options:
        named = [Call("refer", (str(option),)) for option in options]
        groups = (Call("group", tuple(named[k : k + 2])) for k in range(0, len(named), 2))
        return functools.reduce(lambda a, b: Call("union", (a, b)), groups)
    return Call(
        program.op, tuple(_among(a, options) if isinstance(a, Call) else a for a in program.args)
    )


def phrases(program: Call) -> tuple[str, ...]:
    """Return the descriptions of objects in a program."""
    with suppress(ProgramError):
        return THREEDSRBENCH.spell(program).things
    return tuple(str(call.args[0]) for call in program.calls() if call.op == "refer")


def _unnumbered(program: Call) -> Call:
    """Return a program of 3DSRBench without the rows in its descriptions."""
    tree = THREEDSRBENCH.from_core(program)
    return THREEDSRBENCH.to_core(PhraseCall(tree.op, tuple(map(without_row, tree.things))))


def fitted(question: Question, program: Call) -> Parse:
    """Return a program with the option of each of its answers; failed if the options do not fit.
    Options are not compared with a program that 3DSRBench's notation cannot express."""
    try:
        tree = THREEDSRBENCH.from_core(program)
    except ProgramError:
        return Parse("ok", program)
    named = PhraseCall(tree.op, tuple(map(without_row, tree.things)))
    option = fit_options(named, question.options)
    if option is None:
        options = ", ".join(question.options)
        return Parse("failed", reason=f"no option in {options} matches an answer of {tree.text()}")
    return Parse(
        "ok", program, option_of={answer: option[without_row(answer)] for answer in tree.answers}
    )


@dataclass(frozen=True)
class PhotoExecutor:
    """Answers questions on one image's scene."""

    executor: Domain
    tables: ImageScenes

    def run(self, question: Question, reading: ParsedQuestion) -> Execution:
        executor, program = self.executor, reading.question.program
        # A gold program refers to objects by rows.
        described = phrases(program)
        rows = bool(described) and all(phrase.startswith("#") for phrase in described)
        using = rows_only if rows else self.ground(question)
        # The benchmark's own words ("parallel") are options; users also ask yes/no questions.
        plain = all(words(str(option)) <= {"yes", "no"} for option in question.options)
        rules = replace(executor.rules, words={}) if plain else executor.rules
        arguments = {"samples": executor.samples, "assume_present": executor.assume_present}
        scene = self.tables.scene
        if any(call.op == "choices" for call in program.calls()):
            there = [
                option
                for option in map(str, question.options)
                if sum(using(option, scene)) >= LEAST
            ]
            program = _among(program, there)
        if executor.classes and scene.source == "predicted":
            outcome = self._by_classes(program, scene, using, rules)
            own_view = photograph_words.VIEWPOINT.search(question.text)
            if GUESS in outcome.reason and not own_view and (viewed := from_camera(program)):
                # People who name no point of view mean their own.
                outcome = self._by_classes(viewed, scene, using, rules)
            return Execution(outcome, reading)
        outcome = answered(program, scene, using, rules, **arguments)
        if outcome.answer is not None and (
            guess := _heading_guess(program, scene, using, rules, outcome)
        ):
            outcome = replace(outcome, **guess)
        return Execution(outcome, reading)

    def _by_classes(self, program: Call, scene: Scene, using: Ground, rules: Rules) -> Outcome:
        """Answer a question about the objects of a detector with a fixed list of classes."""
        classes, using = self.executor.classes, salient(using)
        refuse_unknown(program, classes)
        if set_of(program):
            return set_outcome(program, scene, classes)
        belief = best_boxes(program, scene)
        program, side = yes_no(program)
        if nearest_of(program):
            program = nearest_listed(program, scene, using, classes)
        elif program.op == "query" and program.args[0] == "name" and is_support(program.args[1]):
            return support_outcome(program, scene, using)
        if seen_by_camera(program):
            scene = as_seen(scene)
        if side or not self.executor.rules.words:
            rules = replace(rules, words={})
        arguments = {
            "samples": self.executor.samples,
            "assume_present": self.executor.assume_present,
        }
        outcome = answered(program, scene, using, rules, **arguments)
        if outcome.answer is None:
            return outcome
        if guess := _heading_guess(program, scene, using, rules, outcome):
            outcome = replace(outcome, **guess)
        answer = without_row(outcome.answer)
        if side:
            answer = "yes" if outcome.answer == side else "no"
        probability = (outcome.probability or 0.0) * granted(belief)
        return replace(outcome, answer=answer, probability=probability)

    def ground(self, question: Question) -> Ground:
        setting = self.tables.setting_of("grounding")
        using = self._ground_phrase if setting == PREDICTED else true_ground(question, self.tables)
        return using if isinstance(setting, str) else mistaken(using, setting, self.tables.seed)

    def margin(self, question: Question, execution: Execution) -> dict | None:
        flip_record = record(self._nearest(execution))
        return flip_record and flip_record | {
            "answer": without_row(flip_record["answer"] or "") or None
        }

    def _nearest(self, execution: Execution) -> Counterfactual | None:
        program = execution.reading.question.program
        return nearest(program, self.tables.scene, execution.outcome, self.executor.rules)

    def figures(self, question: Question) -> tuple[SceneFigure, ...]:
        return (SceneFigure("seen from above, the camera below", "", _facing(self.tables.scene)),)

    def explain(self, question: Question, execution: Execution) -> Explanation:
        scene, flip = self.tables.scene, self._nearest(execution)
        record = {"margins": self.margin(question, execution)}
        text, figures = flip.text if flip else "", self.figures(question)
        reason = execution.outcome.reason
        notes = (*_camera(scene), *((reason,) if GUESS in reason else ()))
        return Explanation(scene, execution.outcome, None, text, record, notes, figures)

    def _ground_phrase(self, phrase: str, scene: Scene) -> Sequence[float]:
        """Return `grounding.ground`, cached for scenes with equal settings of the modules that
        provide names."""
        description = describe(phrase)
        if description.relations or description.ranks:
            return ground(phrase, scene)
        key = (*map(self.tables.setting_of, NAMING), phrase)
        if key not in self.tables.memo:
            self.tables.memo[key] = ground(phrase, scene)
        return self.tables.memo[key]


def _heading_guess(
    program: Call, scene: Scene, using: Ground, rules: Rules, outcome: Outcome
) -> dict[str, Any]:
    """Return the changes of an outcome that rests on headings which nothing determines; {} if it
    does not. Its probability is at most the share of four headings that give the answer.
    """
    unknown = [k for k, o in enumerate(scene.objects) if _heading_unknown(o)]
    if scene.source != "predicted" or not unknown:
        return {}

    def answers(rows: Sequence[int]) -> list[str | None]:
        """Return the answers with these rows' headings turned by quarters."""
        scenes = (_turned(scene, rows, k) for k in range(TURNS))
        return [answered(program, turned, using, rules).answer for turned in scenes]

    share = answers(unknown).count(outcome.answer) / TURNS
    if share == 1:
        return {}
    asked = [k for k in unknown if k in outcome.rows]
    deciding = [k for k in asked if answers([k]).count(outcome.answer) < TURNS] or asked
    turned = sorted({f"the {scene.objects[k].value('name')}" for k in deciding})
    reason = f"{GUESS}: nothing tells the heading of {' and '.join(turned) or 'an object'}"
    probability = min(outcome.probability or 1.0, max(share, 1 / TURNS))
    return {"reason": "; ".join(filter(None, (outcome.reason, reason))), "probability": probability}


def _heading_unknown(o: ObjectState) -> bool:
    """Whether both directions are equally probable, and the angle is as uncertain as it can be."""
    return o.flip > UNKNOWN_FLIP and o.covariance[2][2] > UNKNOWN_HEADING**2


def _turned(scene: Scene, rows: Sequence[int], quarters: int) -> Scene:
    objects = list(scene.objects)
    for k in rows:
        objects[k] = replace(objects[k], heading=objects[k].heading + quarters * math.pi / 2)
    return replace(scene, objects=tuple(objects))


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
    hold, lens = camera_pose_of(scene.camera), scene.camera.focal / scene.camera.width
    pitch, roll = math.degrees(hold.pitch), math.degrees(hold.roll)
    return (
        (
            f"camera: {hold.height:.2f} m high, pitch {pitch:.0f}°, roll {roll:.0f}°, focal"
            f" {lens:.2f} widths"
        ),
    )


def true_ground(question: Question, tables: ImageScenes) -> Ground:
    """Return the grounding by the gold program; a description that is not in it is grounded in the
    true scene."""
    try:
        things = parse_text(question.program).things if question.program else ()
    except ProgramError:
        things = ()
    truth, (rows,) = tables.true, tables.rows.values()
    referents = {without_row(thing): rows_only(thing, truth) for thing in things}
    row_of = {j: k for k, j in enumerate(rows) if j is not None}

    def grounded(phrase: str, scene: Scene) -> list[float]:
        beliefs = [0.0] * len(scene)
        for j, belief in enumerate(referents.get(phrase) or ground(phrase, truth)):
            if j in row_of:
                beliefs[row_of[j]] = belief
        return beliefs

    return grounded


def mistaken(using: Ground, sigma: float, seed: int = 0) -> Ground:
    """Return a grounding in which a share `sigma` of the descriptions refers to another object; an
    error is shared by all questions with that description."""

    def grounded(phrase: str, scene: Scene) -> list[float]:
        beliefs = list(using(phrase, scene))
        changed, other = rng(seed, f"noise/grounding/{scene.image}/{phrase}").random(2)
        if changed >= sigma or len(beliefs) < 2 or not any(beliefs):
            return beliefs
        likeliest = beliefs.index(max(beliefs))
        taken = [k for k in range(len(beliefs)) if k != likeliest][int(other * (len(beliefs) - 1))]
        beliefs[likeliest], beliefs[taken] = beliefs[taken], beliefs[likeliest]
        return beliefs

    return grounded


# The module grounding (true: a description refers to its true row, if the scene has it; else to the
# best match) is beside those of the scene.
DOMAIN = Domain(
    "photographs",
    "photo",
    THREEDSRBENCH,
    THREEDSRBENCH_RULES,
    VIEW_TABLES.with_modules(grounding=Module("fraction of descriptions mistaken", of_scene=False)),
    PhotoExecutor,
    headline="overall",
    grouped=True,  # a question counts as right with all its rotations
    read_fields=("text", "program"),  # rotations share their answer
    open_vocabulary=True,
    explanation_settings=(("assume_present", True),),
    own_wording=_own_wording,
    adapted=_adapted,
    fit=_fit,
)
# With scenes from networks for photographs.
PHOTOGRAPHS = replace(
    DOMAIN, own_wording=_template_or_rule, refuses=_has_rule, perceives_doubtfully=True
)


def pipeline(
    scenes: str = "predicted",
    perception: Perception = "room_view_estimator",
    samples: int = 0,
    oracle: Sequence[str] = (),
    flip_tta: bool = True,
    assume_present: bool = True,
    device: str = "cpu",
    parser: ParserMode = "cascade",
) -> Pipeline:
    """Return the pipeline of photographs.

    `scenes`: source of scenes, "predicted" or "ground_truth". `perception`: name of a shipped
    checkpoint pair, a path without suffix or an estimator. `oracle`: modules replaced by ground
    truth. `flip_tta`: horizontal-flip test-time augmentation of the shipped pair. `device`: where
    the network runs. `parser`: a `ParserMode`. The others as in `Domain`. InputError for an
    unknown source or module.
    """
    photos = scenes == "predicted" and not isinstance(perception, str)
    classes = tuple(getattr(perception, "classes", ())) if photos else ()
    executor = replace(
        PHOTOGRAPHS if photos else DOMAIN,
        samples=samples,
        assume_present=assume_present,
        classes=classes,
    )
    table_source = sources.source("photographs", scenes, perception, flip_tta, device)
    return Pipeline(
        table_source,
        question_parser(photos),
        executor,
        tuple(oracle),
        second(parser, executor, device),
    )
