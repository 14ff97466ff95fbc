"""One question asked by hand: a picture or a table and words in, an answer with all that was worked out for it out.

`po3d ask` and the Python API (`import po3d`) use the same pipelines as evaluations do. About 400 lines: the answer, the
model and what `load` knows are one page for who reads the API.
"""

import functools
import importlib
import math
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image as Pillow

from po3d.io.errors import InputError
from po3d.io.hub import SCHEME
from po3d.io.images import exif_focal, read_image
from po3d.io.text_tables import text as table_text
from po3d.language.grammar import GrammarError
from po3d.language.program import LEAVES
from po3d.language.read.mending import Mending
from po3d.language.read.parse import Parse
from po3d.language.say.plain import say
from po3d.reasoning.questions import Question, Status, Task
from po3d.scene.display import room_table, shown_table
from po3d.scene.geometry import Camera, down
from po3d.scene.orbit import READING
from po3d.scene.table import Scene, to_json
from po3d.scene.vocabulary import shape_name
from po3d.systems.choices import narrowed, unframed
from po3d.systems.choosing import Chooser, Looked, StrangePicture, distances, nearest
from po3d.systems.explained import Explained
from po3d.systems.learned import MISSING
from po3d.systems.parser_choice import ASK_BELOW, choose, worded
from po3d.systems.pipeline import (
    WORLDS,
    Answering,
    Context,
    Image,
    Look,
    Pipeline,
    Ran,
    Reading,
    Tables,
    likeliest_of,
    run,
)

UNITS = {"volume": "m³", "bearing": "degrees"}  # of measures; of all others metres
PRESUPPOSED = 0.5  # least probability that what a question takes for granted is so: one red bus, where it says "the red bus"
NOBODY = "not understood"
SHOWN = 2  # parses that are shown where it is asked back
Picture = str | Path | Pillow.Image | np.ndarray


@dataclass(frozen=True)
class Answer:
    """An answer, or why there is none, and how it came about. Printed, it tells all of it."""

    question: str
    status: Status
    answer: str | None = None
    probability: float | None = None
    reason: str = ""
    program: str = ""
    found: Explained = field(default_factory=Explained, repr=False)
    # Where the second reader read it: the readings that were thought of, in words, each with its answer; likeliest first.
    understood: tuple[tuple[str, str | None], ...] = ()
    # Where it is asked back: what each of these would be answered, in full.
    choices: tuple["Answer", ...] = field(default=(), repr=False)
    # Misspelt words, and what they were read as.
    mended: tuple[Mending, ...] = ()
    # What the estimator took the picture for, where there was one and it can tell.
    looked: Looked | None = None

    @property
    def trace(self) -> tuple[str, ...]:
        """What each step of the program gave."""
        return self.found.outcome.steps if self.found.outcome else ()

    @property
    def margin(self) -> str:
        """The nearest change of the table that gives another answer; "" where nobody knows one."""
        return self.found.flip

    @property
    def scene(self) -> Scene | None:
        """The table that the question was answered on: after the change, where there is one."""
        return self.found.scene

    def record(self) -> dict[str, Any]:
        """Ready for JSON."""
        head = {"question": self.question, "status": self.status, "answer": self.answer}
        if self.understood:
            head["understood"] = [{"question": words, "answer": said} for words, said in self.understood]
            for one, choice in zip(head["understood"], self.choices):
                one["program"] = choice.program
        if self.mended:
            head["mended"] = dict(self.mended)
        if self.scene is None:
            return {**head, "reason": self.reason}
        return {
            **head, "probability": self.probability, "reason": self.reason, "program": self.program,
            "trace": list(self.trace), **self.found.record, "scene": to_json(self.scene),
            **({} if self.looked is None else {"picture": self.looked._asdict()}),
        }  # fmt: skip

    def __str__(self) -> str:
        if self.status == "ok":
            lines = [f"answer: {shape_name(self.answer)} (probability {self.probability:.2f})"]
        elif self.status == "abstained":
            return self._asked_back()
        else:
            lines = [f"no answer: {self.reason}"]
        lines += map(str, self.mended)
        if self.understood:
            lines.append(f"You ask: {self.understood[0][0]}")
        if self.scene is None:
            return "\n".join([lines[0], *map(str, self.mended)])
        lines += ["", f"program: {self.program}", *(f"  {note}" for note in self.found.notes)]
        lines += [f"  {step}{f'   [nearest: {near}]' if near else ''}" for step, near in self.found.steps]
        lines += [f"  {self.margin}"] * bool(self.margin)
        touched = self.found.edited.touched if self.found.edited else frozenset()
        table = room_table(self.scene, touched) if touched else shown_table(self.scene)
        seen = [] if self.looked is None else [f"  {self.looked}"]
        return "\n".join([*lines, "", *seen, table_text(table, 2)])

    def _asked_back(self) -> str:
        meant = "one of these" if len(self.understood) > 1 else "this"
        lines = [f"I am not sure what you ask ({self.reason}). Is it {meant}?", *map(str, self.mended)]
        for number, (words, said) in enumerate(self.understood, 1):
            then = "" if said is None else f"  Then the answer is: {shape_name(said)}"
            lines.append(f"  {number}. {words}{then}")
        return "\n".join(lines)


class Understood(NamedTuple):
    """A parse in words, its answer, and the parse as it was run."""

    words: str
    answer: str | None
    ran: Ran


@dataclass(frozen=True)
class Model:
    """A pipeline for asking by hand: `po3d.load(world)` makes one, and `world` and `options` are what it was given."""

    pipeline: Pipeline
    world: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None, **options: Any) -> "Model":
        """A model folder's, or of ORG/NAME on a hub; `options` as of `load`."""
        if Path(name).is_dir():
            return load(str(name), **options)
        return load(
            f"{SCHEME}{str(name).removeprefix(SCHEME)}{f'@{revision}' if revision else ''}", **options
        )

    def save_pretrained(self, folder: str | Path, *, report: str | Path | None = None) -> None:
        """Write config.json, model.safetensors and README.md, which `po3d.load(folder)` reads; `report`: a report.json of an
        evaluation of these weights, whose figures the card then holds."""
        if not self.world:
            raise InputError("only a model that po3d.load made can be saved")
        from po3d.systems import hub

        hub.save(self.world, self.options, Path(folder), report)

    def push_to_hub(
        self,
        name: str,
        *,
        commit_message: str = "A model of po3d",
        private: bool | None = None,
        branch: str | None = None,
        token: str | None = None,
        report: str | Path | None = None,
    ) -> str:
        """Put the folder of `save_pretrained` on a hub as ORG/NAME, made if need be; the commit's address."""
        from po3d.io.hub import push

        with tempfile.TemporaryDirectory() as folder:
            self.save_pretrained(folder, report=report)
            return push(
                Path(folder), name.removeprefix(SCHEME), commit_message, private=private, branch=branch, token=token
            )  # fmt: skip

    def look(
        self,
        image: Picture,
        *,
        focal: float | None = None,
        metres_per_pixel: float | None = None,
        things: Sequence[str] = (),
    ) -> Scene:
        """The table of a picture: a file, a PIL image or (H, W, 3) uint8 pixels. `focal`: its focal length in widths of the
        picture, where it is known; `metres_per_pixel` of a room's map from above; `things` to look for, for networks that are told.
        A picture that is like none that the estimator knows gets a StrangePicture warning."""
        scene, looked = self.seen(image, focal=focal, metres_per_pixel=metres_per_pixel, things=things)
        _warned(looked)
        return scene

    def seen(
        self,
        image: Picture,
        *,
        focal: float | None = None,
        metres_per_pixel: float | None = None,
        things: Sequence[str] = (),
    ) -> tuple[Scene, Looked | None]:
        """As `look`, without a warning, and what the estimator takes the picture for, where it can tell."""
        picture, name, known = pixels(image)
        given = Given({name: picture}, known if focal is None else focal, metres_per_pixel)
        context = Context(lambda: picture, no_truth, name, inputs=given)
        (tables,) = self.pipeline.look([Look(context, [name], things)])
        return tables.scene, nearest(distances(self.pipeline.tables, picture))

    def ask(
        self,
        scene: Scene | Picture,
        text: str,
        *,
        task: Task = "2d",
        change: str = "",
        frame: str = "",
        options: Sequence[str] = (),
        ask_below: float = ASK_BELOW,
        **looking: Any,
    ) -> Answer:
        """The answer to a question about a table, or about a picture, which is looked at (`looking`: as `look` takes it). `task`:
        whose left and right is meant on a street, the camera's (2d) or the object's own (6d); `change`, `frame`: of a room, in
        words; `options` to choose from. Which parser answers is said in `systems.parser_choice`. An answer by the general parser is given
        when it is right with at least the probability `ask_below`; else, and where the two parsers answer differently, the status is
        "abstained": `Answer.understood` says what may be meant, `Answer.choices` has the answers."""
        executor, second = self.pipeline.executor, self.pipeline.second
        if not all(isinstance(said, str) for said in (text, change, frame)):
            raise InputError("a question, a change and a frame are texts")
        if (change.strip() or frame.strip()) and executor.kind != "room":
            raise InputError("only a room can be changed, or put in a frame, in words")
        if isinstance(scene, str | Path) and Path(scene).suffix == ".json":
            scene = read_scene(scene)
        if isinstance(scene, Scene):
            if looking:
                raise TypeError(f"a table is not looked at: unexpected {', '.join(looking)}")
            executor.checked(scene)
        own = {
            "change": change,
            "frame": frame,
            "options": tuple(options),
            "images": ("view",),
            "views": (0,),
        }
        question = unframed(Question("asked", "", text, task, "", **own))
        (reading,) = self.pipeline.read([question])
        reading = self._offering(reading, question)
        if reading.unread and second is None:
            return Answer(text, "unparsed", reason=f"{reading.unread} ({MISSING})")
        looked = None
        if not isinstance(scene, Scene):
            scene, looked = self.seen(scene, things=executor.things([reading]), **looking)
            _warned(looked)
        tables = Tables({"view": scene})
        answering = executor.on(tables)
        ran = None if reading.unread else run(answering, question, reading)
        several: Sequence[Reading] = []
        differ = False
        if self._consults(question, ran):
            (several,) = self.pipeline.reread([question], tables)
            general = likeliest_of(second, answering, question, several) if several else None
            ran, differ = choose(ran, general, question, second.alone)
            if ran is None:
                read = general.reading if general else reading
                return Answer(text, read.status if read.unread else "unparsed", reason=read.unread or NOBODY)
        if reason := ran.reading.unread:
            return Answer(text, ran.reading.status, reason=reason, mended=ran.reading.mended)
        ran = self._settled(question, tables, ran)
        reason = self._doubt(ran, question, scene, differ, ask_below) if ask_below > 0 else ""
        if not reason:
            return replace(self._answer(question, tables, ran, looked), question=text)
        found = [reading, *several]
        kept = [r for r in found if not r.unread and not self.pipeline.omitted(r, question)]
        meant = self._understood(answering, question, kept or found)
        shown = ([one for one in meant if one.answer is not None] or meant)[:SHOWN]
        return Answer(
            text, "abstained", None, ran.believed, reason,
            understood=tuple((one.words, one.answer) for one in shown),
            choices=tuple(self._answer(question, tables, one.ran, looked) for one in shown),
            mended=next((r.mended for r in several), ()), looked=looked,
        )  # fmt: skip

    def _consults(self, question: Question, own: Ran | None) -> bool:
        """Whether the general parser reads a question: where the pipeline's rule says so, or the own parser has no answer."""
        if own is None or own.outcome.answer is None:
            return self.pipeline.second is not None
        return self.pipeline.consults(question, own.reading)

    def _settled(self, question: Question, tables: Tables, ran: Ran) -> Ran:
        """The outcome on the likeliest table alone, where what the question takes for granted is hardly so."""
        sure = self.pipeline.executor.surely()
        if not 0 < ran.outcome.valid < PRESUPPOSED or sure is self.pipeline.executor:
            return ran
        return run(sure.on(tables), question, ran.reading)

    def _answer(self, question: Question, tables: Tables, ran: Ran, looked: Looked | None) -> Answer:
        """The answer of a parse that was run on a table, and how it came about."""
        executor = self.pipeline.executor
        answering = executor.on(tables)
        outcome, read = ran
        said = None if outcome.answer is None else self._said(read, outcome.answer, question)
        understood = self._understood(answering, question, [read]) if read.by == "learned" else ()
        found = answering.explained(question, ran)
        return Answer(
            question.text,
            "failed" if said is None else "ok",
            said,
            None if outcome.probability is None else ran.believed,
            found.reason or outcome.reason,
            executor.text(read),
            found,
            tuple((one.words, one.answer) for one in understood),
            mended=read.mended,
            looked=looked,
        )

    def _doubt(self, ran: Ran, question: Question, scene: Scene, differ: bool, ask_below: float) -> str:
        """Why a question is asked back in place of the answer; "" where it is not."""
        read = ran.reading
        learned = read.by == "learned"
        if learned and (
            left_out := self._mistaken(read, question, scene) or self.pipeline.omitted(read, question)
        ):
            return left_out
        if not learned or ran.outcome.answer is None or ran.believed >= ask_below:
            return ""
        if differ:
            return "it can be read in two ways"
        return f"probability {math.floor(100 * ran.believed) / 100:.2f}, below {ask_below:g}"

    def _offering(self, reading: Reading, question: Question) -> Reading:
        """What was read, asking for one of the directions that the question offers. Benchmarks may offer two of eight that are right."""
        if reading.asked.program is None:
            return reading
        asked = narrowed(meant := self.pipeline.executor.meaning(reading.asked.program), question)
        return reading if asked == meant else reading._replace(asked=replace(reading.asked, program=asked))

    def _mistaken(self, reading: Reading, question: Question, scene: Scene) -> str:
        """What in a change the second reader seems to have taken for something else: a thing that is not there for one that is."""
        executor = self.pipeline.executor
        noun = executor.absent(question.change, scene)
        changed = "" if reading.change is None else str(executor.meaning(reading.change.program))
        return f"there is no {noun}" if noun and f'"{noun}"' not in changed else ""

    def _understood(
        self, answering: Answering, question: Question, readings: Sequence[Reading]
    ) -> "list[Understood]":
        """What the readings say in words, likeliest first, with their answers: of those with one answer the first alone."""
        found: list[Understood] = []
        for reading in readings:
            words = "" if reading.unread else " ".join(map(self._words, reversed(reading.parses)))
            if not words or words in (one.words for one in found):
                continue
            ran = run(answering, question, reading)
            answer = ran.outcome.answer
            said = None if answer is None else self._said(reading, answer, question)
            if said not in (one.answer for one in found):
                found.append(Understood(words, said, ran))
        return found

    def _said(self, reading: Reading, answer: str, question: Question) -> str:
        """An answer by the option that says it; an amount with its unit, but for streets, whose sizes are those of toys."""
        executor = self.pipeline.executor
        program = executor.meaning(reading.asked.program)
        what = program.args[0] if program.op == "query" else ""
        if what not in LEAVES["measure"] or question.options or executor.kind == "street":
            return worded(reading, answer, question)
        return f"{float(answer):.2f} {UNITS.get(what, 'm')}"

    def _words(self, parse: Parse) -> str:
        program = self.pipeline.executor.meaning(parse.program)
        try:
            return say(program)
        except GrammarError:
            return str(program)


@dataclass(frozen=True)
class Given:
    """What comes with pictures of somebody's own, by their names, as a benchmark's inputs have it."""

    pictures: Mapping[str, Image]
    lens: float | None = None
    scale: float | None = None
    reading: Any = READING

    @property
    def picture(self) -> Image:
        return next(iter(self.pictures.values()))

    def image(self, name: str) -> Image:
        return self.pictures[name]

    def known_focal(self) -> float | None:
        return self.lens

    def focal(self, name: str = "") -> float:
        """What is assumed where nobody knows: some 53 degrees across."""
        return self.lens or 1.0

    def top_view(self) -> "Given":
        return self

    @property
    def camera(self) -> Camera:
        """That of a map, which looks straight down on the world's origin."""
        if self.scale is None:
            raise InputError("a map needs its scale: metres_per_pixel=0.01, for one")
        return down(0.0, 0.0, self.scale, *self.picture.shape[1::-1])


def pixels(image: Picture) -> tuple[Image, str, float | None]:
    """(H, W, 3) pixels, a name, and the focal length that the file tells."""
    if isinstance(image, str | Path):
        return read_image(image), Path(image).name, exif_focal(image)
    values = np.asarray(image.convert("RGB") if isinstance(image, Pillow.Image) else image)
    if values.ndim != 3 or values.shape[2] != 3 or values.dtype != np.uint8:
        raise InputError(f"pixels should be (H, W, 3) of uint8, not {values.shape} of {values.dtype}")
    return values, "picture", None


def _warned(looked: Looked | None) -> None:
    if looked is not None and looked.strange:
        warnings.warn(str(looked), StrangePicture, stacklevel=3)


def no_truth() -> Scene:
    raise InputError("a picture comes without a true table")


# --- what `import po3d` offers --------------------------------------------------------------------------------


def load(world: str = "street", **options: Any) -> Model | Chooser:
    """What looks at pictures of a world and answers questions about them: "street", "rooms", "photographs" or "orbit"; "auto", where
    the picture tells which; or a model that somebody saved: its folder, or hf://ORG/NAME (@REVISION) on a hub. `options` are those of
    the world's `pipeline`, such as device="cuda" or table="truth"; of "auto", those of all."""
    if world == "auto":
        return Chooser({name: functools.cache(functools.partial(load, name, **options)) for name in WORLDS})
    if world not in WORLDS:
        if not isinstance(world, str) or (not world.startswith(SCHEME) and not Path(world).is_dir()):
            raise InputError(
                f"unknown world {world!r}; known: {', '.join(WORLDS)}, auto, a model folder, hf://ORG/NAME"
            )
        from po3d.systems.hub import opened

        world, kept = opened(world)
        options = {**kept, **options}
    return Model(importlib.import_module(WORLDS[world]).pipeline(**options), world, options)


def read_scene(path: str | Path) -> Scene:
    """The scene table of a JSON file: ours, one Super-CLEVR scene, or a Super-CLEVR file with one."""
    from po3d.benchmarks.superclevr import files

    return files.read_scene(path)


def change(scene: Scene, text: str) -> Scene:
    """The room after a change in words: "The red chair was moved next to the bed."; InputError when it can't be read or made."""
    from po3d.language.programs.rooms import ROOMS
    from po3d.reasoning.outcome import ExecutionFailure
    from po3d.reasoning.plan import plan

    if not isinstance(text, str) or any("name" not in o.beliefs for o in scene.objects):
        raise InputError("a change is a text about things of a room, which have names")
    (parse,) = _room_parser().parse([text], "change")
    if parse.program is None:
        raise InputError(f"the change is unparsed: {parse.reason}")
    try:
        return plan(scene, ROOMS.meant(parse.program)).edited.scene
    except ExecutionFailure as failure:
        raise InputError(f"the change can't be made in this room: {failure}") from None


@functools.cache
def _room_parser() -> Any:
    from po3d.systems.rooms import own_reader

    return own_reader().parser
