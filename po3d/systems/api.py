"""Interactive API: an image or scene plus a question in, an answer with its explanation out.

`po3d ask` and the Python API (`import po3d`) use the pipelines of the evaluations.
"""

import functools
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from po3d.io.deprecated_names import new_settings
from po3d.io.errors import InputError
from po3d.io.fuzzy import too_long
from po3d.io.hub import SCHEME
from po3d.io.images import Picture, pixels
from po3d.reasoning.questions import Question, Task
from po3d.scene.table import Scene
from po3d.systems.answer import Answer
from po3d.systems.answer_options import restrict_to_options, strip_prompt_template
from po3d.systems.build import build_pipeline
from po3d.systems.domain import DOMAIN_MODULES, ParsedQuestion
from po3d.systems.domain_router import (
    DomainMatch,
    DomainRouter,
    OutOfDistributionWarning,
    distances,
    nearest,
)
from po3d.systems.general_parser import MISSING
from po3d.systems.image_inputs import ImageInputs, no_truth
from po3d.systems.image_scenes import ImageScenes
from po3d.systems.interfaces import Context, PerceptionInput
from po3d.systems.parser_choice import ASK_BELOW
from po3d.systems.pipeline import Pipeline
from po3d.systems.scene_question import SceneQuestion


@dataclass(frozen=True)
class Model:
    """A pipeline for interactive use, made by `po3d.load(world)`; `world` and `options` are the
    arguments of that call."""

    pipeline: Pipeline
    world: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_pretrained(
        cls, name: str | Path, *, revision: str | None = None, **options: Any
    ) -> "Model":
        """Load a model folder, or ORG/NAME from a hub; `options` as in `load`."""
        if Path(name).is_dir():
            return load(str(name), **options)
        return load(
            f"{SCHEME}{str(name).removeprefix(SCHEME)}{f'@{revision}' if revision else ''}",
            **options,
        )

    def save_pretrained(self, folder: str | Path, *, report: str | Path | None = None) -> None:
        """Write config.json, model.safetensors and README.md, which `po3d.load(folder)` reads.
        `report`: a report.json of an evaluation of these weights; its figures go into the model
        card."""
        if not self.world:
            raise InputError("only a model created by po3d.load can be saved")
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
        """Upload the folder of `save_pretrained` to the hub repository ORG/NAME, which is created
        if missing. Return the URL of the commit."""
        from po3d.io.hub import push

        with tempfile.TemporaryDirectory() as folder:
            self.save_pretrained(folder, report=report)
            return push(
                Path(folder),
                name.removeprefix(SCHEME),
                commit_message,
                private=private,
                branch=branch,
                token=token,
            )

    def look(
        self,
        image: Picture,
        *,
        focal: float | None = None,
        metres_per_pixel: float | None = None,
        things: Sequence[str] = (),
    ) -> Scene:
        """Return the scene that the estimator predicts from an image: a file, a PIL image or (H, W,
        3) uint8 pixels.

        `focal`: focal length in widths of the image, if known. `metres_per_pixel`: scale of a
        room's map from above. `things`: objects to detect, for open-vocabulary detectors. Warns
        (OutOfDistributionWarning) about an out-of-distribution image."""
        scene, domain_match = self.look_with_match(
            image, focal=focal, metres_per_pixel=metres_per_pixel, things=things
        )
        _warn_if_unknown(domain_match)
        return scene

    def look_with_match(
        self,
        image: Picture,
        *,
        focal: float | None = None,
        metres_per_pixel: float | None = None,
        things: Sequence[str] = (),
    ) -> tuple[Scene, DomainMatch | None]:
        """Like `look`, without the warning; also return the nearest training domain, None if the
        estimator does not compute it."""
        picture, name, known = pixels(image)
        inputs = ImageInputs({name: picture}, known if focal is None else focal, metres_per_pixel)
        context = Context(lambda: picture, no_truth, name, inputs=inputs)
        (tables,) = self.pipeline.look([PerceptionInput(context, [name], things)])
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
        views: Sequence[float] = (),
        ask_below: float = ASK_BELOW,
        **looking: Any,
    ) -> Answer:
        """Answer a question about a scene, or about an image, whose scene is predicted first
        (`looking`: keyword arguments of `look`).

        `task`: reference frame of left and right on a street, the camera's ("2d") or the object's
        own ("6d"). `change`, `frame`: sentences, for rooms only. `options`: answers to choose from.
        `views`: for an orbit's table, the angles of the pictures among which a question chooses.
        `systems.parser_choice` decides which parser is used.

        An answer by the general parser, or about a predicted photograph or orbit, is returned if
        `Answer.probability` is at least `ask_below`. If it is lower, the status is "abstained":
        `Answer.understood` has the interpretations, `Answer.choices` their answers."""
        domain = self.pipeline.domain
        scene = self._checked_scene(scene, (text, change, frame), views, looking)
        fields = {
            "change": change,
            "frame": frame,
            "options": tuple(options),
            "images": ("view",),
            "views": tuple(views) or (0,),
        }
        question = strip_prompt_template(Question("asked", "", text, task, "", **fields))
        (reading,) = self.pipeline.read([question])
        reading = _restricted_to_options(reading, question)
        if reading.unread and self.pipeline.second is None:
            return Answer(text, "unparsed", reason=f"{reading.unread} ({MISSING})")
        domain_match = None
        if not isinstance(scene, Scene):
            things = domain.things([reading])
            scene, domain_match = self.look_with_match(scene, things=things, **looking)
            _warn_if_unknown(domain_match)
        about = SceneQuestion(self.pipeline, question, ImageScenes({"view": scene}), domain_match)
        return replace(about.answer(reading, ask_below), question=text)

    def _checked_scene(
        self,
        scene: Scene | Picture,
        sentences: Sequence[str],
        views: Sequence[float],
        looking: Mapping[str, Any],
    ) -> Scene | Picture:
        """Check the arguments of `ask` (`sentences`: question, change, frame); return the scene,
        read if it is a JSON file, or the image."""
        domain = self.pipeline.domain
        if not all(isinstance(sentence, str) for sentence in sentences):
            raise InputError("question, change and frame should be strings")
        for sentence, what in zip(sentences[1:], ("change", "frame")):
            if reason := too_long(sentence, what):
                raise InputError(reason)
        if any(map(str.strip, sentences[1:])) and domain.kind != "room":
            raise InputError("a textual change or frame needs a room")
        if isinstance(scene, str | Path) and Path(scene).suffix == ".json":
            scene = read_scene(scene)
        if views and (domain.kind != "orbit" or not isinstance(scene, Scene)):
            raise InputError("views are for questions about the table of an orbit")
        if isinstance(scene, Scene):
            if looking:
                raise TypeError(f"unexpected argument for a scene: {', '.join(looking)}")
            domain.checked(scene)
        return scene


def _restricted_to_options(reading: ParsedQuestion, question: Question) -> ParsedQuestion:
    """Narrow the program to the directions that the question offers: benchmarks may offer two of
    eight, of which one is right."""
    program = reading.question.program
    if program is None:
        return reading
    restricted = restrict_to_options(program, question)
    if restricted == program:
        return reading
    return reading._replace(question=replace(reading.question, program=restricted))


def _warn_if_unknown(domain_match: DomainMatch | None) -> None:
    if domain_match is not None and domain_match.strange:
        warnings.warn(str(domain_match), OutOfDistributionWarning, stacklevel=3)


# --- public API (`import po3d`) -------------------------------------------------------------------


def load(world: str = "street", **options: Any) -> Model | DomainRouter:
    """Return the model of a domain: "street", "rooms", "photographs" or "orbit"; "auto" selects the
    domain by the image. A saved model is loaded from its folder, or from hf://ORG/NAME (@REVISION)
    on a hub.

    `options`, such as device="cuda" or scenes="ground_truth", are those of `build_pipeline`; with
    "auto" they apply to every domain."""
    options = new_settings(options, warn=True)
    if world == "auto":
        loaders = {}
        for name in DOMAIN_MODULES:
            loaders[name] = functools.cache(functools.partial(load, name, **options))
        return DomainRouter(loaders)
    if world not in DOMAIN_MODULES:
        if not isinstance(world, str) or (
            not world.startswith(SCHEME) and not Path(world).is_dir()
        ):
            raise InputError(
                f"unknown world {world!r}; known: {', '.join(DOMAIN_MODULES)}, auto, a model"
                " folder, hf://ORG/NAME"
            )
        from po3d.systems.hub import opened

        world, stored = opened(world)
        options = {**stored, **options}
    return Model(build_pipeline(world, **options), world, options)


def read_scene(path: str | Path) -> Scene:
    """Read a scene from a JSON file: po3d's format, a Super-CLEVR scene, or a Super-CLEVR file with
    one scene."""
    from po3d.benchmarks.superclevr import files

    return files.read_scene(path)


def change(scene: Scene, text: str) -> Scene:
    """Return the room after a change: change(scene, "The red chair was moved next to the bed.").
    InputError if the sentence cannot be parsed or the change cannot be carried out."""
    from po3d.language.programs.rooms import ROOMS
    from po3d.reasoning.apply_edit import plan
    from po3d.reasoning.outcome import ExecutionFailure

    if not isinstance(text, str) or not scene.named:
        raise InputError("a textual change needs a room, whose objects have names")
    (parse,) = _room_parser().parse([text], "change")
    if parse.program is None:
        raise InputError(f"the change cannot be parsed: {parse.reason}")
    try:
        return plan(scene, ROOMS.to_core(parse.program)).edited.scene
    except ExecutionFailure as failure:
        raise InputError(f"the change cannot be applied to this room: {failure}") from None


@functools.cache
def _room_parser() -> Any:
    from po3d.systems.rooms import benchmark_parser

    return benchmark_parser().parser
