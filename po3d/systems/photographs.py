"""Photographs: questions of twelve types about one image, with options (3DSRBench).

    text, options ──► parser ──► program with descriptions ──► grounding ──► answer ──► option

The answer is the content of an option; the benchmark maps it to a letter. Scenes come from an
estimator for images, or from open-vocabulary networks that detect the objects of the questions.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from po3d.language.descriptions import describe
from po3d.language.program import Call, ProgramError
from po3d.language.programs.threedsrbench import THREEDSRBENCH, PhraseCall
from po3d.language.read import photograph_words
from po3d.language.read.parse import Parse
from po3d.language.read.threedsrbench_reader import fit_options
from po3d.reasoning.counterfactuals import Counterfactual, record
from po3d.reasoning.evaluator import is_support
from po3d.reasoning.grounded import LEAST, Ground, answered, nearest, rows_only, without_row
from po3d.reasoning.grounding import ground
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.questions import Question
from po3d.reasoning.rules import THREEDSRBENCH_RULES, Rules
from po3d.scene.camera import camera_pose_of
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import Scene
from po3d.systems import photograph_reasons as reasons
from po3d.systems.answer_options import words
from po3d.systems.domain import Domain, Execution, ParsedQuestion
from po3d.systems.explanation import Explanation, SceneFigure
from po3d.systems.general_parser import as_phrases, rewritten
from po3d.systems.image_scenes import PREDICTED, ImageScenes
from po3d.systems.oracle import Module
from po3d.systems.oracle.views import VIEW_TABLES
from po3d.systems.photograph_answers import (
    as_seen,
    best_boxes,
    descriptions,
    from_camera,
    granted,
    nearest_listed,
    nearest_of,
    of_wholes,
    refuse_unknown,
    salient,
    seen_by_camera,
    set_of,
    set_outcome,
    union_of,
    yes_no,
)
from po3d.systems.photograph_grounding import mistaken, true_ground
from po3d.systems.photograph_headings import GUESS, heading_guess
from po3d.systems.photograph_parser import by_words, is_template, question_parser
from po3d.systems.photograph_scenery import ASSUMED, is_scenery, scenery_outcome
from po3d.systems.photograph_support import support_outcome

# Modules that affect the grounding of phrases without relations.
NAMING = ("detection", *VIEW_TABLES.beliefs)


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
    return is_template(question)


def _has_rule(question: Question, reading: ParsedQuestion | None = None) -> bool:
    """Whether a rule for photographs parses the question, so that the general parser is not
    needed."""
    return by_words(question) is not None


def _template_or_rule(question: Question, reading: ParsedQuestion) -> bool:
    return is_template(question) or _has_rule(question)


def _for_estimator(domain: Domain, estimator: Any) -> Domain:
    return replace(
        PHOTOGRAPHS,
        classes=tuple(getattr(estimator, "classes", ())),
        headings=any(getattr(estimator, key, None) is not None for key in ("face", "pose")),
        depth=getattr(estimator, "measure", None) is not None,
    )


def _doubt(domain: Domain, execution: Execution, scene: Scene) -> str:
    guess = GUESS in execution.outcome.reason
    if execution.reading.by == "general" and not guess:
        return f"The answer is uncertain (probability {execution.believed:.2f})"
    program = execution.reading.question.program
    using = salient(ground) if domain.classes else ground
    return reasons.doubt(program, scene, using, domain.headings, guess, domain.depth)


def _among(program: Call, options: Sequence[str]) -> Call:
    """Replace `choices` by the objects that the options name."""
    if program.op == "choices" and options:
        return union_of(tuple(map(str, options)))
    return Call(program.op, rewritten(lambda part: _among(part, options), program))


def phrases(program: Call) -> tuple[str, ...]:
    """Return the descriptions of objects in a program."""
    with suppress(ProgramError):
        return THREEDSRBENCH.spell(program).things
    return tuple(descriptions(program))


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
            there = []
            for option in map(str, question.options):
                if sum(using(option, scene)) >= LEAST:
                    there.append(option)
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
            guess := heading_guess(program, scene, using, rules, outcome)
        ):
            outcome = replace(outcome, **guess)
        return Execution(outcome, reading)

    def _by_classes(self, program: Call, scene: Scene, using: Ground, rules: Rules) -> Outcome:
        """Answer a question about the objects of a detector with a fixed list of classes."""
        classes, using = self.executor.classes, salient(using)
        assumed = scenery_outcome(program, scene, using, rules, classes)
        if assumed is not None:
            boxes = best_boxes(program, scene)
            belief = {phrase: b for phrase, b in boxes.items() if not is_scenery(phrase, classes)}
            return replace(assumed, probability=(assumed.probability or 0.0) * granted(belief))
        program = of_wholes(program, classes)
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
        if guess := heading_guess(program, scene, using, rules, outcome):
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
        if execution.outcome.reason.startswith(ASSUMED):  # the table does not decide it
            return None
        return nearest(program, self.tables.scene, execution.outcome, self.executor.rules)

    def figures(self, question: Question) -> tuple[SceneFigure, ...]:
        return (SceneFigure("seen from above, the camera below", "", _facing(self.tables.scene)),)

    def explain(self, question: Question, execution: Execution) -> Explanation:
        scene, flip = self.tables.scene, self._nearest(execution)
        record = {"margins": self.margin(question, execution)}
        text, figures = flip.text if flip else "", self.figures(question)
        reason = execution.outcome.reason
        wider = reasons.wider_classes(execution.reading.question.program, self.executor.classes)
        noted = GUESS in reason or reason.startswith(ASSUMED)
        notes = (*_camera(scene), *((reason,) if noted else ()), *wider)
        record |= {"notes": wider} if wider else {}
        why = reasons.plain(reason) if execution.outcome.answer is None else ""
        return Explanation(scene, execution.outcome, None, text, record, notes, figures, reason=why)

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
    pitch, roll = round(math.degrees(hold.pitch)), round(math.degrees(hold.roll))
    return (
        (
            f"camera: {hold.height:.2f} m high, pitch {pitch}°, roll {roll}°, focal"
            f" {lens:.2f} widths"
        ),
    )


# The module grounding (true: a description refers to its true row, if the scene has it; else to the
# best match) is beside those of the scene.
DOMAIN = Domain(
    "photographs",
    "photo",
    THREEDSRBENCH,
    THREEDSRBENCH_RULES,
    VIEW_TABLES.with_modules(grounding=Module("fraction of descriptions mistaken", of_scene=False)),
    PhotoExecutor,
    lambda domain, checkpoint, device: question_parser(domain.perceives_doubtfully),
    {
        "scenes": "predicted",
        "perception": "room_view_estimator",
        "samples": 0,
        "oracle": (),
        "flip_tta": True,
        "assume_present": True,
        "device": "cpu",
        "parser": "cascade",
    },
    headline="overall",
    grouped=True,  # a question counts as right with all its rotations
    read_fields=("text", "program"),  # rotations share their answer
    open_vocabulary=True,
    explanation_settings=(("assume_present", True),),
    own_wording=_own_wording,
    adapted=_adapted,
    fit=_fit,
    for_estimator=_for_estimator,
)
# With scenes from networks for photographs.
PHOTOGRAPHS = replace(
    DOMAIN,
    own_wording=_template_or_rule,
    refuses=_has_rule,
    perceives_doubtfully=True,
    doubts=_doubt,
)
