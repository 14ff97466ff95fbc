"""The twin of 3DSRBench's synthetic splits: rooms from inside, each from a common and an uncommon viewpoint.

    pair k ──► ROOMS rooms, each in both views with all that can be asked of it      any number of processes
    pairs in order ──► of each the room and questions that the split lacks most      one process
    last ──► OUT/scenes.jsonl, OUT/3dsrbench.tsv; with `images`, OUT/images/*.jpg

A twin is a pure function of its seed, split and margin, and a shorter one is the beginning of a longer one. Tables and
questions need no renderer: what is seen follows from boxes (`inside_views`). Pictures are drawn when they are asked for,
here or by `Split.image` (`pictures`).

A view's table holds its camera (pose and lens) and what its picture shows. Each question is asked in both views, with all
rotations of its options and with its flipped twin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

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
from po3d.benchmarks.twin_folder import begun
from po3d.io.errors import InputError
from po3d.io.pools import each
from po3d.io.seeding import rng
from po3d.language.programs.threedsrbench import OPERATIONS, THREEDSRBENCH, PhraseCall
from po3d.language.say.threedsrbench import speak
from po3d.reasoning.questions import Question
from po3d.reasoning.readings import answered, called
from po3d.scene.camera import mirrored
from po3d.scene.table import Scene
from po3d.synthesis.difficulty import INSIDE_DEFAULT, PARTLY_HIDDEN, InsideDials
from po3d.synthesis.inside.phrases import phrases
from po3d.synthesis.inside.questions import Balance, Item, offers
from po3d.synthesis.inside.views import Seen, common_view, uncommon_view, view_table
from po3d.synthesis.rooms.layouts import sample_room

WIDTH, HEIGHT = 640, 480
ROOMS = 3  # rooms looked at for a pair


class Looked(NamedTuple):
    """A room in both views, and what can be asked of it."""

    number: int
    scenes: tuple[Scene, ...]  # the table of each of VIEWPOINTS
    shown: tuple[tuple[int, ...], ...]  # of each view the room's things that are its rows
    kind: str  # of the uncommon view
    said: Mapping[int, str]  # thing of the room -> what it is called
    offers: tuple[Item, ...]


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
    dials: InsideDials = INSIDE_DEFAULT,
) -> None:
    """Write `size` pairs with their questions into the folder `out`, and their pictures with `images`. `margin` scales
    what answers keep from their boundaries (`synthesis.inside.questions`); `furniture`, `cache`: see `room_pictures.Studio`.
    `dials`: how hard. The same folder again gets what is missing; InputError when it holds anything else."""
    if not 0 <= margin <= 3:
        raise InputError(f"margin={margin!r} should be a factor from 0 (questions at the boundary too) to 3")
    out = begun(out, TWIN_FORMAT, size, seed, split, workers, dials, margin=float(margin))
    if not (out / OURS).exists():
        scenes, questions = make(size, seed, split, margin, workers, dials)
        write_release(out, questions, scenes)
    if images:
        from po3d.benchmarks.threedsrbench.pictures import Studio, draw  # the renderer is an extra

        twin = load(out)
        tables = [twin.truth(name) for name in twin.images if not name.endswith(MIRROR)]
        draw(out, tables, Studio(seed, split, furniture, cache, dials.objects), workers)


def make(
    size: int,
    seed: int = 0,
    split: str = "test",
    margin: float = 1.0,
    workers: int = 1,
    dials: InsideDials = INSIDE_DEFAULT,
) -> tuple[list[Scene], list[Question]]:
    """The tables and all rows of questions of `size` pairs."""
    balance = Balance()
    scenes: list[Scene] = []
    questions: list[Question] = []
    for index, rooms in enumerate(
        each(partial(_rooms, seed, split, margin, dials), range(size), workers, "rooms", "pair")
    ):
        random = rng(seed, f"inside asked/{split}", index)
        choices = [(room, balance.choose(room.offers, random)) for room in rooms]
        room, chosen = max(choices, key=lambda choice: balance.worth(choice[1]))
        balance.note(chosen)
        scenes += room.scenes
        for category, item in chosen.items():
            questions += asked(room, category, item, random)
    return scenes, questions


# --- one room -----------------------------------------------------------------------------------------------


def _rooms(seed: int, split: str, margin: float, dials: InsideDials, index: int) -> list[Looked]:
    numbers = range(index * ROOMS, (index + 1) * ROOMS)
    return [look(seed, number, split, margin, dials) for number in numbers]


def look(
    seed: int, number: int, split: str = "test", margin: float = 1.0, dials: InsideDials = INSIDE_DEFAULT
) -> Looked:
    """Room `number` of a seed in both views: a pure function."""
    room = sample_room(seed, number, split, dials.objects)
    random = rng(seed, f"inside/{split}", number)
    common = common_view(room, random, WIDTH, HEIGHT)
    uncommon, kind = uncommon_view(room, common, random, WIDTH, HEIGHT)
    views = (common, uncommon)
    glimpsed = np.flatnonzero((common.area > 0) | (uncommon.area > 0)).tolist()
    said = phrases(room, glimpsed, np.flatnonzero(common.well & uncommon.well).tolist(), random)
    boxed = [_boxed(room, seen) for seen in views]
    offered = offers(boxed, said, random, margin)
    if dials.near is not None or dials.occluded is not None:
        random = rng(seed, f"inside dials/{split}", number)
        near = [] if not dials.near else offers(boxed, said, random, margin, near=True)
        hidden = frozenset(
            np.flatnonzero((common.share < PARTLY_HIDDEN) | (uncommon.share < PARTLY_HIDDEN)).tolist()
        )
        offered = _dialled(offered, near, hidden, dials, random)
    scenes = tuple(
        view_table(room, seen, f"images/{number:06d}_{viewpoint}.jpg")
        for viewpoint, seen in zip(VIEWPOINTS, views, strict=True)
    )
    return Looked(number, scenes, tuple(seen.shown for seen in views), kind, said, tuple(offered))


def _dialled(
    clear: Sequence[Item],
    near: Sequence[Item],
    hidden: frozenset[int],
    dials: InsideDials,
    random: np.random.Generator,
) -> list[Item]:
    """Of each type the questions of the kind that the dials ask for, or all that are left where there are none; `hidden`:
    things that others partly hide in a view."""
    found: list[Item] = []
    for category in CATEGORIES:
        items, others = ([i for i in of if OPERATIONS[i.op].category == category] for of in (clear, near))
        if dials.near is not None and random.random() < dials.near:
            items = others or items
        if dials.occluded is not None:
            wanted = random.random() < dials.occluded
            items = [i for i in items if bool(hidden.intersection(i.rows)) == wanted] or items
        found += items
    return found


def _boxed(room: Scene, seen: Seen) -> Scene:
    """The whole room with a view's camera and image boxes."""
    objects = tuple(replace(o, box=box) for o, box in zip(room.objects, seen.boxes, strict=True))
    return replace(room, objects=objects, camera=seen.camera)


def asked(room: Looked, category: str, item: Item, random: np.random.Generator) -> list[Question]:
    """The rows of a question: in both views, each with all rotations, and flipped."""
    spoken = speak(PhraseCall(item.op, tuple(room.said[i] for i in item.rows)), "release", random)
    questions = []
    for viewpoint, scene, shown, answer in zip(
        VIEWPOINTS, room.scenes, room.shown, item.answers, strict=True
    ):
        program = PhraseCall(item.op, tuple(f"#{shown.index(i)} {room.said[i]}" for i in item.rows))
        name = f"{room.number:05d}{CATEGORIES.index(category):02d}{viewpoint[0]}"
        hold = "level" if viewpoint == VIEWPOINTS[0] else room.kind
        for ending, image, table in (
            ("", scene.image, scene),
            ("-flip", scene.image + MIRROR, mirrored(scene)),
        ):
            right = answered(THREEDSRBENCH.meant(program), table).answer
            if not ending and right != (program.things[answer] if isinstance(answer, int) else answer):
                raise AssertionError(f"{name}: {program} is {right!r}, not {answer!r}")
            option = spoken.option_of[called(right)]
            own = {"scene": f"{room.number:06d}", "viewpoint": viewpoint, "columns": {"hold": hold}}
            own |= {"letter": LETTERS[spoken.options.index(option)], "options": tuple(spoken.options)}
            row = (name + ending, image, spoken.text, "6d", category, option, program.text())
            questions += rotations(PhotoQuestion(*row, **own))
    return questions
