"""The twin of SCOPE: generated scenes, their eight views, and the six tasks in the paper's wording
and paraphrased, with answers computed from the geometry.

With `images`, the views are rendered (`pictures`) and visibility is computed from their masks,
otherwise from boxes; missing images are rendered on demand. Every scene is a pure function of
(seed, index), so the result does not depend on the number of workers. Each scene has:

  consistency, updating   2 pairs per perspective, each asked from all eight views; updating uses
                          the pairs and views of consistency
  integration             egocentric 2 pairs x 2 sets of four views, allocentric 2 sets (if there is
                          a person)

and a paraphrase of each question (`variant`). Answers are computed from observer positions, whereas
the systems execute programs on scenes, so that each verifies the other.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from po3d.benchmarks.scope.data import ITEMS, TWIN_FORMAT, OrbitQuestion, write_release
from po3d.benchmarks.scope.score import VIEW_SETS
from po3d.benchmarks.scope.views import SceneViews, image_name, scene_name
from po3d.benchmarks.twin_folder import start_twin
from po3d.io.pools import each
from po3d.io.seeding import rng
from po3d.language.program import Call
from po3d.language.programs.scope import CAMERA, SCOPE, call
from po3d.language.say.scope import IMAGES, say
from po3d.reasoning.questions import Question
from po3d.scene.orbit import (
    GROUPS,
    READING,
    VIEWS,
    Axes,
    OrbitConvention,
    azimuth_in,
    group_of,
    nearest_label,
    own_axes,
    turned_axes,
)
from po3d.synthesis.difficulty import DEFAULT, Difficulty
from po3d.synthesis.multi_view.scenes import (
    OrbitScene,
    ReferencePair,
    choices,
    sample_orbit_scene,
    visible_pairs,
)

TURNS = (90, 180, 270)
PAIRS = 2  # per scene, in the camera frame
STANDING = "standing human"


def generate(
    out: str | Path,
    size: int,
    seed: int = 0,
    split: str = "test",
    workers: int = 1,
    reading: OrbitConvention = READING,
    images: bool = False,
    furniture: str | Path | None = None,
    cache: str | Path | None = None,
    difficulty: Difficulty = DEFAULT,
) -> None:
    """Write `size` scenes with their questions to the folder `out`, with images if `images` is set;
    a complete folder is left unchanged.

    `furniture`, `cache`: see `pictures.Studio`; `difficulty`: the difficulty.
    """
    settings = {"reading": reading.name, "images": images}
    out = start_twin(out, TWIN_FORMAT, size, seed, split, workers, difficulty, **settings)
    if (out / ITEMS).exists():
        return
    pictures = out if images else None
    if images:
        # the renderer is an optional dependency
        from po3d.benchmarks.scope import pictures as drawing

        studio = drawing.Studio(seed, split, furniture, cache, difficulty.objects)
        drawing.draw(out, size, studio, reading, workers)
    questions: list[Question] = []
    views: list[SceneViews] = []
    work = partial(
        scene, seed=seed, split=split, reading=reading, pictures=pictures, difficulty=difficulty
    )
    for view, scene_questions in each(work, range(size), workers, "scenes", "scene"):
        views.append(view)
        questions += scene_questions
    write_release(out, questions, views)
    if images:
        shutil.rmtree(out / drawing.MASKS)


def scene(
    index: int,
    seed: int,
    split: str,
    reading: OrbitConvention = READING,
    pictures: Path | None = None,
    difficulty: Difficulty = DEFAULT,
) -> tuple[SceneViews, list[Question]]:
    """Return scene `index` and its questions; `pictures`: the folder of its rendered views."""
    orbit_scene = sample_orbit_scene(seed, index, split, reading, difficulty.objects)
    if pictures is not None:
        from po3d.benchmarks.scope.pictures import with_rendered_visibility

        orbit_scene = with_rendered_visibility(orbit_scene, pictures, index)
    name = scene_name(index)
    random = rng(seed, f"scope/{split}", index)
    asker = _QuestionSampler(orbit_scene, name, index, random, difficulty)
    rest = orbit_scene.orbit, orbit_scene.visible, orbit_scene.ground, orbit_scene.models
    view = SceneViews(replace(orbit_scene.scene, image=name), *rest)
    return view, asker.questions()


@dataclass
class _QuestionSampler:
    """Generates all questions about one scene."""

    orbit_scene: OrbitScene
    name: str
    index: int
    random: np.random.Generator
    difficulty: Difficulty

    def questions(self) -> list[Question]:
        questions: list[Question] = []
        for k, pair in enumerate(self.pairs()):
            questions += self.ask_egocentric(pair, k)
        for k, pair in enumerate(self.orbit_scene.own_pairs):
            questions += self.ask_own_frame(pair, k)
        if ranked := choices(self.orbit_scene):
            questions += self.nearest(ranked)
        return questions

    def pairs(self) -> list[ReferencePair]:
        """Choose the pairs of the camera frame, with different objects if possible."""
        chosen: list[ReferencePair] = []
        for _ in range(PAIRS):
            taken = [{p.target, p.reference} for p in chosen]
            others = [p for p in self.offered() if {p.target, p.reference} not in taken]
            if others:
                chosen.append(others[int(self.random.integers(len(others)))])
        return chosen

    def offered(self) -> list[ReferencePair]:
        """Return the candidate pairs: those that `difficulty` asks for, if there are
        any.
        """
        near, pairs = self.difficulty.near, []
        if near is not None and self.random.random() < near:
            pairs = visible_pairs(self.orbit_scene, near=True)
        return pairs or visible_pairs(self.orbit_scene)

    # --- one view ---------------------------------------------------------------------------------

    def ask_egocentric(self, pair: ReferencePair, k: int) -> list[Question]:
        """Ask about a pair from the camera, from an imagined camera, and as a choice among four
        images.
        """
        a, b = self.nouns(pair)
        program = call("where", a, b, CAMERA)
        turn = TURNS[(self.index + k) % 3]
        orbit = self.orbit_scene.orbit
        stay = {v: self.label(orbit.axes(v), pair) for v in VIEWS}
        gone = {v: self.label(turned_axes(orbit.axes(v), turn), pair) for v in VIEWS}
        questions = self.around("consistency_ego", k, program, stay)
        questions += self.around("updating_ego", k, call("turned", str(turn), a, b, program), gone)
        for n, (which, views) in enumerate(list(VIEW_SETS.items())[:2]):
            right = (self.index + 2 * k + n) % 4
            program = call("which_view", stay[views[right]], a, b)
            words = int(self.random.integers(2**31))
            questions += self.ask(
                "integration_ego", f"{k}-{which}", program, views, IMAGES, IMAGES[right], words
            )
        return questions

    def ask_own_frame(self, pair: ReferencePair, k: int) -> list[Question]:
        """Ask about a pair in the reference object's own frame, for the camera and an imagined
        observer.
        """
        a, b = self.nouns(pair)
        label = self.label(own_axes(self.orbit_scene.scene.objects[pair.reference].heading), pair)
        program = call("where", a, b, call("own", b))
        turn = TURNS[(self.index + k + 1) % 3]
        sitting = pair.reference in self.orbit_scene.seats
        same = dict.fromkeys(VIEWS, label)
        turned = call("turned", str(turn), b, a, program)
        return [
            *self.around("consistency_allo", k, program, same, sitting),
            *self.around("updating_allo", k, turned, same, sitting),
        ]

    def around(
        self, task: str, k: int, program: Call, labels: dict[int, str], sitting: bool = False
    ) -> list[Question]:
        """Ask one question from all views, with identical wording."""
        questions = []
        words = int(self.random.integers(2**31))
        for v in VIEWS:
            group = GROUPS[group_of(labels[v])]
            options = [group[i] for i in self.random.permutation(4)]
            questions += self.ask(task, str(k), program, (v,), options, labels[v], words, sitting)
        return questions

    # --- four views -------------------------------------------------------------------------------

    def nearest(self, ranked: Sequence[int]) -> list[Question]:
        """Ask for the object nearest to the area behind the person, for either set of four
        views.
        """
        program = call("name", call("nearest", call("toward", "behind", call("thing", STANDING))))
        names = self.orbit_scene.names
        questions = []
        for n, (which, views) in enumerate(list(VIEW_SETS.items())[:2]):
            others = [names[ranked[1 + i]] for i in self.random.permutation(len(ranked) - 1)[:3]]
            right = (self.index + 2 * n) % 4
            options = [*others[:right], names[ranked[0]], *others[right:]]
            words = int(self.random.integers(2**31))
            answer = names[ranked[0]]
            questions += self.ask("integration_allo", which, program, views, options, answer, words)
        return questions

    def ask(
        self,
        task: str,
        which: str,
        program: Call,
        views: Sequence[int],
        options: Sequence[str],
        answer: str,
        words: int,
        sitting: bool = False,
    ) -> list[Question]:
        """Return the question in the paper's wording and its paraphrase; `words` seeds the
        wording.
        """
        group = f"{self.name}/{task}/{which}"
        key = f"{group}/{views[0]}"
        fields = {
            "images": tuple(image_name(self.name, v) for v in views), "views": tuple(views),
            "options": tuple(options), "group": group,
        }  # fmt: skip
        frame = "2d" if task.endswith("_ego") else "6d"
        row, questions = (frame, task, answer, SCOPE.text(program)), []
        for ending, random, more in (
            ("", None, {}),
            ("/p", rng(words, "words"), {"variant": "paraphrase", "of": key}),
        ):
            text = say(program, task, random, sitting, views, options)
            questions.append(OrbitQuestion(key + ending, self.name, text, *row, **fields, **more))
        return questions

    def label(self, axes: Axes, pair: ReferencePair) -> str:
        ground = self.orbit_scene.scene.positions[:, :2]
        return nearest_label(azimuth_in(axes, ground[pair.target] - ground[pair.reference]))

    def nouns(self, pair: ReferencePair) -> tuple[Call, Call]:
        target, reference = (self.orbit_scene.names[i] for i in (pair.target, pair.reference))
        return call("thing", target), call("thing", reference)
