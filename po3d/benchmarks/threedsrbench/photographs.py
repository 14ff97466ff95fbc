"""A split of 3DSRBench's form on the user's own photographs with known 3D boxes.

    labels (`box_labels`) ──► true scenes ──► possible questions ──► a balanced split

Questions, balance and answers are those of the twin (`twin`), from one view. An object is asked
about only if its name fits no other object of the picture, so pictures with one object of each kind
give most questions. Types that need other labels (no front, no second object) are left out.
"""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from po3d.benchmarks.threedsrbench.box_labels import LabelledPhotograph, read_labels
from po3d.benchmarks.threedsrbench.data import write_release
from po3d.benchmarks.threedsrbench.score import CATEGORIES
from po3d.benchmarks.threedsrbench.twin import both_sides
from po3d.benchmarks.twin_folder import holds_files
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.lexicon import fits
from po3d.language.programs.threedsrbench import PhraseCall
from po3d.language.say.threedsrbench import speak
from po3d.reasoning.questions import Question
from po3d.scene.table import Scene
from po3d.synthesis.indoor_view.questions import CategoryBalance, ViewQuestion, offers

FOLDER = "images"


def generate(
    out: str | Path,
    photographs: str | Path,
    labels: str | Path,
    size: int,
    seed: int = 0,
    margin: float = 1.0,
) -> tuple[int, int]:
    """Write a split of at most `size` photographs to the folder `out`, with copies of them.

    Return the numbers of photographs and of question rows. Raise InputError if `out` holds files,
    or if no question can be asked.
    """
    out = Path(out)
    if holds_files(out):
        raise InputError(f"{out} is not empty; choose another folder")
    labelled = read_labels(labels, photographs)
    scenes, questions = make(labelled, size, seed, margin)
    if not questions:
        raise InputError(
            f"no question can be asked about the {len(labelled)} photographs: a question needs"
            " two objects with different names, whose answer is clear of decision boundaries"
        )
    for scene in scenes:
        target = out / scene.image
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(photographs) / scene.image.removeprefix(f"{FOLDER}/"), target)
    write_release(out, questions, scenes)
    return len(scenes), len(questions)


def make(
    labelled: Sequence[LabelledPhotograph], size: int, seed: int = 0, margin: float = 1.0
) -> tuple[list[Scene], list[Question]]:
    """Return scenes and question rows of the photographs, in a random order from the seed."""
    balance = CategoryBalance()
    scenes: list[Scene] = []
    questions: list[Question] = []
    for number in rng(seed, "photographs/order").permutation(len(labelled)).tolist():
        if len(scenes) == size:
            break
        scene, clear = labelled[number]
        random = rng(seed, "photographs/asked", number)
        chosen = balance.choose(offers([scene], unique_names(scene, clear), random, margin), random)
        if not chosen:
            continue
        balance.note(chosen)
        name = f"{FOLDER}/{scene.image}"
        scenes.append(replace(scene, image=name))
        for category, item in chosen.items():
            questions += question_rows(number, scenes[-1], category, item, random)
    return scenes, questions


def unique_names(scene: Scene, rows: Sequence[int]) -> dict[int, str]:
    """Return row -> name for those of `rows` whose name fits no other object of the scene."""
    names = scene.names
    result = {}
    for k in rows:
        others = names[:k] + names[k + 1 :]
        if not any(fits(names[k], other) or fits(other, names[k]) for other in others):
            result[k] = names[k]
    return result


def question_rows(
    number: int, scene: Scene, category: str, item: ViewQuestion, random: np.random.Generator
) -> list[Question]:
    """Return a question's rows: all rotations of its options, original and mirrored."""
    names = [scene.objects[i].value("name") for i in item.rows]
    spoken = speak(PhraseCall(item.op, tuple(names)), "release", random)
    program = PhraseCall(item.op, tuple(f"#{i} {name}" for i, name in zip(item.rows, names)))
    name = f"{number:05d}{CATEGORIES.index(category):02d}p"
    return both_sides(name, category, spoken, program, scene, scene.image)
