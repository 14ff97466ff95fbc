"""Who answers 3DSRBench: the same seam as `po3d.systems.pipeline`, with options.

    text, options ──► reader ──► program over described things ──► rows by grounding ──► answer ──► its option

Every system answers with the content of an option; which letter that is, is the benchmark's business. `SrOracle` runs
gold programs on true tables. `SrPipeline` reads the texts; its table comes from an estimator of pictures or of
photographs, or is the true one, an upper bound for perception that the report names. `SrPlanar` and `SrRandom` show what no understanding is worth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.program import ProgramError
from po3d.language.programs.threedsrbench import SrProgram, parse_text
from po3d.language.read.threedsrbench_reader import SrReading, fit_options, read
from po3d.reasoning.grounding import ground
from po3d.reasoning.planar import planar
from po3d.reasoning.questions import Prediction, Question
from po3d.reasoning.threedsrbench_executor import Ground, called, rows_only, run
from po3d.reasoning.threedsrbench_geometry import DEFAULT_SR_RULES, SrRules
from po3d.reasoning.threedsrbench_margins import sr_margin
from po3d.scene.table import Scene
from po3d.systems.mixtures import Kind
from po3d.systems.pipeline import Context, perceived
from po3d.systems.substitution import checked_modules
from po3d.systems.view_substitution import TABLE, Mixed, substitute

MODULES = (*TABLE, "grounding", "parsing")  # what can be true: the tables', which rows are meant, programs


class Tables(Protocol):
    """Makes the table of a picture from its context; `things`: the descriptions that its questions name. `true`: is it the
    truth, asked for by name?"""

    true: ClassVar[bool]

    def table(self, context: Context, things: Sequence[str]) -> Scene: ...


class ViewEstimator(Protocol):
    """Turns pictures with their focal lengths (in widths of the picture) into level tables with the camera where the picture
    was taken. `po3d.perception.room_view.RoomViewEstimator` is one."""

    def estimate(
        self,
        pictures: Sequence[NDArray[np.uint8]],
        focals: Sequence[float],
        names: Sequence[str] | None = None,
    ) -> list[Scene]: ...


@dataclass(frozen=True)
class TrueTables:
    """What each picture truly shows: an upper bound for perception, named in the report."""

    true: ClassVar[bool] = True

    def table(self, context: Context, things: Sequence[str]) -> Scene:
        return context.truth()


@dataclass(frozen=True)
class PictureTables:
    """What an estimator makes of the picture and its focal length; nothing else of the camera is used."""

    estimator: ViewEstimator
    true: ClassVar[bool] = False

    def table(self, context: Context, things: Sequence[str]) -> Scene:
        (scene,) = self.estimator.estimate([context.image()], [context.given("focal")], [context.name])
        return _kept(scene, context)


class PhotoEstimator(Protocol):
    """The same for photographs, whose focal length may be unknown (None), by networks that are told what to look for.
    `po3d.perception.foundation.FoundationEstimator` is one."""

    def estimate(
        self,
        pictures: Sequence[NDArray[np.uint8]],
        focals: Sequence[float | None],
        names: Sequence[str] | None = None,
        things: Sequence[str] = (),
    ) -> list[Scene]: ...


@dataclass(frozen=True)
class PhotoTables:
    """What networks make of a photograph that look for what its questions name. Of the camera they get the focal length
    where the benchmark knows it."""

    estimator: PhotoEstimator
    true: ClassVar[bool] = False

    def table(self, context: Context, things: Sequence[str]) -> Scene:
        focals = [context.given("known_focal")]
        (scene,) = self.estimator.estimate([context.image()], focals, [context.name], things)
        return _kept(scene, context)


def _kept(scene: Scene, context: Context) -> Scene:
    context.keep(perceived(scene, context.name))
    return scene


@dataclass(frozen=True)
class SrOracle:
    """The true table and the gold program: 100 % on a twin, or something is broken."""

    rules: SrRules = DEFAULT_SR_RULES

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        scene = context.truth()
        predictions = []
        for q in questions:
            if not q.program:
                raise InputError(f"question {q.id} has no gold program: an oracle needs a twin")
            try:
                program = parse_text(q.program)
            except ProgramError as error:
                predictions.append(Prediction(q.id, "failed", reason=f"gold program: {error}"))
                continue
            named = SrProgram(program.op, tuple(map(called, program.things)))
            fitted = fit_options(named, q.meta["options"])
            said = fitted and {answer: fitted[called(answer)] for answer in program.answers}
            predictions.append(_answered(q, program, said, scene, rows_only, self.rules))
        return predictions


@dataclass(frozen=True)
class SrPipeline:
    """Texts read by rules, descriptions grounded in the table of a source. `assume_present`: a question takes for granted that
    what it names is there, so a thing that was not found is taken for an unlikely row, and the prediction says so; else the question fails."""

    tables: Tables  # TrueTables: an upper bound for perception
    rules: SrRules = DEFAULT_SR_RULES
    samples: int = 0  # draws of the table's poses for the probability of an answer
    oracle: tuple[str, ...] = ()  # modules replaced by ground truth: MODULES
    assume_present: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "oracle", checked_modules(self.oracle, MODULES))

    def mixtures(self) -> Kind | None:
        """What can be true or predicted here; None where tables or modules are true already."""
        from po3d.systems.mixtures.inside import SrKind

        return None if self.tables.true or self.oracle else SrKind(self)

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        reader = gold_reading if "parsing" in self.oracle else reading
        readings = [reader(q) for q in questions]
        programs = [got.program for got in readings if got.program is not None]
        things = tuple(dict.fromkeys(thing for program in programs for thing in program.things))
        scene = self.tables.table(context, things)
        if not self.tables.true:
            perceived(scene, context.name)
        mixed = self.mixed(scene, context)
        predictions = []
        for q, got in zip(questions, readings, strict=True):
            if got.program is None:
                predictions.append(Prediction(q.id, "unparsed", reason=got.reason))
            else:
                said = dict(got.option_of)
                using = true_ground(q, context.truth(), mixed) if "grounding" in self.oracle else ground
                how = (self.rules, self.samples, self.assume_present)
                predictions.append(_answered(q, got.program, said, mixed.scene, using, *how))
        return predictions

    def mixed(self, scene: Scene, context: Context) -> Mixed:
        """The table with modules replaced; as it is without any."""
        modules = [m for m in self.oracle if m != "parsing"]
        if not modules:
            return Mixed(scene, ())
        mixed = substitute(scene, context.truth(), modules)
        context.keep(mixed.scene)
        return mixed


def reading(question: Question) -> SrReading:
    """What the reader makes of a question's text and options."""
    return read(question.text, question.meta["options"])


def gold_reading(question: Question) -> SrReading:
    """The gold program with its things as they are described, not by their rows."""
    if not question.program:
        return SrReading("unparsed", reason="there is no gold program")
    try:
        program = parse_text(question.program)
    except ProgramError as error:
        return SrReading("unparsed", reason=f"gold program: {error}")
    program = SrProgram(program.op, tuple(map(called, program.things)))
    said = fit_options(program, question.meta["options"])
    if said is None:
        return SrReading("unparsed", reason=f"the options fit no answer of {program}")
    return SrReading("ok", program, said)


def true_ground(question: Question, truth: Scene, mixed: Mixed) -> Ground:
    """Descriptions as the gold program has them; one that it has not means what it means on the true table."""
    try:
        things = parse_text(question.program).things if question.program else ()
    except ProgramError:
        things = ()
    meant = {called(thing): rows_only(thing, truth) for thing in things}
    row_of = mixed.row_of

    def grounded(phrase: str, scene: Scene) -> list[float]:
        found = [0.0] * len(scene)
        for j, belief in enumerate(meant.get(phrase) or ground(phrase, truth)):
            if j in row_of:
                found[row_of[j]] = belief
        return found

    return grounded


TABLES = ("truth", "picture")


def sr_pipeline(
    table: str,
    perception: str = "room_view_estimator",
    samples: int = 0,
    photographs: PhotoEstimator | None = None,
    oracle: Sequence[str] = (),
    mirror: bool = True,
    assume_present: bool = True,
    device: str = "cpu",
) -> SrPipeline:
    """The pipeline with tables from a named source; `perception`: the name of a shipped pair that looks at pictures, or a
    path without suffix; `photographs`: who looks at them instead; `oracle`: modules replaced by ground truth; `mirror`:
    does the shipped pair look in the mirror, too? `device`: where it does; `assume_present`: see `SrPipeline`. InputError for an unknown source or
    module."""
    if table not in TABLES:
        raise InputError(f"unknown table source {table!r}; known: {', '.join(TABLES)}")
    modules = checked_modules(oracle, MODULES)
    if table == "truth":
        if modules:
            raise InputError("oracle= replaces modules of pictures' tables: it needs benchmark.table=picture")
        return SrPipeline(TrueTables(), samples=samples)
    how = {"samples": samples, "oracle": modules, "assume_present": assume_present}
    if photographs is not None:
        return SrPipeline(PhotoTables(photographs), **how)
    from po3d.perception.room_view import RoomViewEstimator  # torch takes seconds to import

    return SrPipeline(PictureTables(RoomViewEstimator.named(perception, mirror, device)), **how)


@dataclass(frozen=True)
class SrPlanar:
    """The gold program on the true image boxes, as if the picture were flat (`reasoning.sr_planar`): what a question is
    worth as a test of 3D."""

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        scene = context.truth()
        return [self._answer(q, scene) for q in questions]

    @staticmethod
    def _answer(q: Question, scene: Scene) -> Prediction:
        try:
            program = parse_text(q.program)
        except ProgramError as error:
            return Prediction(q.id, "failed", reason=f"gold program: {error}")
        beliefs = [rows_only(thing, scene) for thing in program.things]
        boxes = [scene.objects[b.index(1.0)].box if 1.0 in b else None for b in beliefs]
        if None in boxes:
            return Prediction(q.id, "failed", program=program.text(), reason="a thing without an image box")
        answer = planar(program.op, tuple(boxes))
        named = SrProgram(program.op, tuple(map(called, program.things)))
        said = fit_options(named, q.meta["options"])
        if said is None:
            return Prediction(q.id, "failed", program=program.text(), reason="the options fit no answer")
        word = named.things[answer] if isinstance(answer, int) else answer
        return Prediction(q.id, "ok", said[word], program=program.text())


@dataclass(frozen=True)
class SrRandom:
    """A uniform guess among the options: anew for every rotation ("random" in the paper's table) or, `consistent`, the same
    content for all of them ("random++")."""

    seed: int = 0
    consistent: bool = False

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        predictions = []
        for q in questions:
            options = sorted(q.meta["options"])  # in every rotation the same
            key = q.id
            if self.consistent:
                head, _, turn = q.id.rpartition("-")
                key = head if turn.isdecimal() else q.id
            pick = int(rng(self.seed, f"options/{key}").integers(len(options)))
            predictions.append(Prediction(q.id, "ok", options[pick], 1 / len(options)))
        return predictions


def _answered(
    q: Question,
    program: SrProgram,
    option_of: dict[str, str] | None,
    scene: Scene,
    using: Ground,
    rules: SrRules,
    samples: int = 0,
    assume_present: bool = True,
) -> Prediction:
    """One program on one table, its answer as the option that says it."""
    text = program.text()
    if option_of is None:
        reason = f"the options {', '.join(q.meta['options'])} fit no answer of {text}"
        return Prediction(q.id, "failed", program=text, reason=reason)
    outcome = run(program, scene, using, rules, samples, assume_present=assume_present)
    if outcome.answer is None:
        return Prediction(q.id, "failed", program=text, reason=outcome.reason)
    margin = sr_margin(program, scene, outcome, rules)
    said = option_of[outcome.answer]
    return Prediction(q.id, "ok", said, outcome.probability, text, outcome.reason, margin)
