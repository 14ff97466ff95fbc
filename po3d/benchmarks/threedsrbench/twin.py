"""The twin of 3DSRBench's synthetic splits: indoor views of rooms, each from a common and an
uncommon viewpoint.

  pair k: ROOMS candidate rooms, both views, all possible questions      any number of processes
  pairs in order: choose the room and questions that balance the split   one process
  last: OUT/scenes.jsonl, OUT/3dsrbench.tsv; with `images`, OUT/images/*.jpg

A twin is a pure function of its seed, split and margin, and a smaller twin is a prefix of a larger
one. Scenes and questions need no renderer: visibility is computed from boxes
(`po3d.synthesis.indoor_view.views`). Images are rendered on request, here or by `Split.image`
(`pictures`).

A view's scene has its camera (pose and lens) and the objects visible in its image. Each question is
asked in both views, with all rotations of its options and mirrored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from po3d.benchmarks.threedsrbench.data import (
    MIRROR,
    OURS,
    TWIN_FORMAT,
    PhotoQuestion,
    load,
    rotations,
    write_release,
)
from po3d.benchmarks.threedsrbench.score import CATEGORIES, LETTERS, VIEWPOINTS
from po3d.benchmarks.twin_folder import start_twin
from po3d.io.errors import InputError
from po3d.io.pools import each
from po3d.io.seeding import rng
from po3d.language.programs.threedsrbench import CATEGORY, THREEDSRBENCH, PhraseCall
from po3d.language.say.threedsrbench import Spoken, speak
from po3d.reasoning.grounded import answered, without_row
from po3d.reasoning.questions import Question
from po3d.scene.camera import mirrored
from po3d.scene.table import Scene
from po3d.synthesis.difficulty import DEFAULT, PARTLY_HIDDEN, Difficulty
from po3d.synthesis.indoor_view.phrases import phrases
from po3d.synthesis.indoor_view.questions import CategoryBalance, ViewQuestion, offers
from po3d.synthesis.indoor_view.views import VisibleView, common_view, uncommon_view, view_table
from po3d.synthesis.top_view.layouts import sample_room

WIDTH, HEIGHT = 640, 480
ROOMS = 3  # candidate rooms per pair


class TwinRoom(NamedTuple):
    """A room in both views, with the questions that can be asked."""

    number: int
    scenes: tuple[Scene, ...]  # the scene of each of VIEWPOINTS
    visible_rows: tuple[tuple[int, ...], ...]  # for each view, the room objects that are its rows
    kind: str  # type of the uncommon view
    phrases: Mapping[int, str]  # room object -> its description
    offers: tuple[ViewQuestion, ...]


def generate(
    out: str | Path,
    size: int,
    seed: int = 0,
    split: str = "test",
    images: bool = False,
    workers: int = 1,
    margin: float = 1.0,
    furniture: str | Path | None = None,
    cache: str | Path | None = None,
    difficulty: Difficulty = DEFAULT,
) -> None:
    """Write `size` pairs with their questions to the folder `out`, with images if `images` is set.

    `margin` scales the distance of answers from decision boundaries
    (`synthesis.indoor_view.questions`); `furniture`, `cache`: see `room_pictures.Studio`. An
    incomplete folder of the same twin is completed; InputError if it holds anything else.
    """
    if not 0 <= margin <= 3:
        limits = "between 0 (includes questions at the boundary) and 3"
        raise InputError(f"margin={margin!r} should be {limits}")
    out = start_twin(out, TWIN_FORMAT, size, seed, split, workers, difficulty, margin=float(margin))
    if not (out / OURS).exists():
        scenes, questions = make(size, seed, split, margin, workers, difficulty)
        write_release(out, questions, scenes)
    if images:
        # the renderer is an optional dependency
        from po3d.benchmarks.threedsrbench.pictures import Studio, draw

        twin = load(out)
        tables = [twin.truth(name) for name in twin.images if not name.endswith(MIRROR)]
        draw(out, tables, Studio(seed, split, furniture, cache, difficulty.objects), workers)


def make(
    size: int,
    seed: int = 0,
    split: str = "test",
    margin: float = 1.0,
    workers: int = 1,
    difficulty: Difficulty = DEFAULT,
) -> tuple[list[Scene], list[Question]]:
    """Return the scenes and all question rows of `size` pairs."""
    balance = CategoryBalance()
    scenes: list[Scene] = []
    questions: list[Question] = []
    work = partial(_rooms, seed, split, margin, difficulty)
    for index, rooms in enumerate(each(work, range(size), workers, "rooms", "pair")):
        random = rng(seed, f"inside asked/{split}", index)
        choices = [(room, balance.choose(room.offers, random)) for room in rooms]
        room, chosen = max(choices, key=lambda choice: balance.worth(choice[1]))
        balance.note(chosen)
        scenes += room.scenes
        for category, item in chosen.items():
            questions += question_rows(room, category, item, random)
    return scenes, questions


# --- one room -------------------------------------------------------------------------------------


def _rooms(
    seed: int, split: str, margin: float, difficulty: Difficulty, index: int
) -> list[TwinRoom]:
    numbers = range(index * ROOMS, (index + 1) * ROOMS)
    return [look(seed, number, split, margin, difficulty) for number in numbers]


def look(
    seed: int,
    number: int,
    split: str = "test",
    margin: float = 1.0,
    difficulty: Difficulty = DEFAULT,
) -> TwinRoom:
    """Return room `number` of a seed in both views; a pure function."""
    room = sample_room(seed, number, split, difficulty.objects)
    random = rng(seed, f"inside/{split}", number)
    common = common_view(room, random, WIDTH, HEIGHT)
    uncommon, kind = uncommon_view(room, common, random, WIDTH, HEIGHT)
    views = (common, uncommon)
    glimpsed = np.flatnonzero((common.area > 0) | (uncommon.area > 0)).tolist()
    clear = np.flatnonzero(common.well & uncommon.well).tolist()
    referring = phrases(room, glimpsed, clear, random)
    boxed = [_boxed(room, view) for view in views]
    offered = offers(boxed, referring, random, margin)
    if difficulty.near is not None or difficulty.occluded is not None:
        random = rng(seed, f"inside dials/{split}", number)
        near = [] if not difficulty.near else offers(boxed, referring, random, margin, near=True)
        shares = np.fmin(common.share, uncommon.share)
        hidden = frozenset(np.flatnonzero(shares < PARTLY_HIDDEN).tolist())
        offered = _of_difficulty(offered, near, hidden, difficulty, random)
    scenes = []
    for viewpoint, view in zip(VIEWPOINTS, views, strict=True):
        scenes.append(view_table(room, view, f"images/{number:06d}_{viewpoint}.jpg"))
    rows = common.visible_rows, uncommon.visible_rows
    return TwinRoom(number, tuple(scenes), rows, kind, referring, tuple(offered))


def _of_difficulty(
    clear: Sequence[ViewQuestion],
    near: Sequence[ViewQuestion],
    hidden: frozenset[int],
    difficulty: Difficulty,
    random: np.random.Generator,
) -> list[ViewQuestion]:
    """Return, for each type, the questions that `difficulty` asks for, or all available
    ones if there are none; `hidden`: objects partly occluded in a view."""
    selected: list[ViewQuestion] = []
    for category in CATEGORIES:
        items = [i for i in clear if CATEGORY[i.op] == category]
        others = [i for i in near if CATEGORY[i.op] == category]
        if difficulty.near is not None and random.random() < difficulty.near:
            items = others or items
        if difficulty.occluded is not None:
            wanted = random.random() < difficulty.occluded
            items = [i for i in items if bool(hidden.intersection(i.rows)) == wanted] or items
        selected += items
    return selected


def _boxed(room: Scene, view: VisibleView) -> Scene:
    """Return the whole room with a view's camera and image boxes."""
    objects = tuple(replace(o, box=box) for o, box in zip(room.objects, view.boxes, strict=True))
    return replace(room, objects=objects, camera=view.camera)


def question_rows(
    room: TwinRoom, category: str, item: ViewQuestion, random: np.random.Generator
) -> list[Question]:
    """Return the rows of a question: in both views, each with all rotations, original and
    mirrored."""
    words = tuple(map(room.phrases.__getitem__, item.rows))
    spoken = speak(PhraseCall(item.op, words), "release", random)
    views = zip(VIEWPOINTS, room.scenes, room.visible_rows, item.answers, strict=True)
    questions = []
    for viewpoint, scene, visible_rows, answer in views:
        things = tuple(f"#{visible_rows.index(i)} {room.phrases[i]}" for i in item.rows)
        program = PhraseCall(item.op, things)
        name = f"{room.number:05d}{CATEGORIES.index(category):02d}{viewpoint[0]}"
        right = answered(THREEDSRBENCH.to_core(program), scene).answer
        if right != (program.things[answer] if isinstance(answer, int) else answer):
            raise AssertionError(f"{name}: {program} gives {right!r}, not {answer!r}")
        hold = "level" if viewpoint == VIEWPOINTS[0] else room.kind
        fields = {"viewpoint": viewpoint, "columns": {"hold": hold}}
        unit = f"{room.number:06d}"
        questions += both_sides(name, category, spoken, program, scene, unit, **fields)
    return questions


def both_sides(
    name: str,
    category: str,
    spoken: Spoken,
    program: PhraseCall,
    scene: Scene,
    unit: str,
    **fields: Any,
) -> list[Question]:
    """Return a question's rows on one image and on its mirror image, each with all rotations of its
    options; `unit`: the resampling unit, `fields`: further ones of a `PhotoQuestion`."""
    rows: list[Question] = []
    fields |= {"options": tuple(spoken.options), "scene": unit}
    flipped = mirrored(scene)
    for qid, image, table in (
        (name, scene.image, scene),
        (f"{name}-flip", scene.image + MIRROR, flipped),
    ):
        right = answered(THREEDSRBENCH.to_core(program), table).answer
        option = spoken.option_of[without_row(right)]
        row = (qid, image, spoken.text, "6d", category, option, program.text())
        letter = LETTERS[spoken.options.index(option)]
        rows += rotations(PhotoQuestion(*row, letter=letter, **fields))
    return rows
