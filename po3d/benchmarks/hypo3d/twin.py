"""The twin of Hypo3D: generated rooms with a reference frame, changes of the five kinds and
questions in the paper's proportions, with answers by execution, in the official file layout.

Every room is a pure function of (seed, index), so the result does not depend on the number of
workers. There are three control sets, marked by the question's "control": *without change* (the
question about the unchanged room), *irrelevant change* (a change that does not alter the answer)
and *aligned map* (a reference frame whose front is the top of the map). For the last one, every
fifth room has a copy under another id, rotated to its reference frame, with unchanged frame,
changes and direction questions; the copies come last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from po3d.benchmarks.hypo3d.data import RoomQuestion, write_release
from po3d.benchmarks.hypo3d.inputs import write_inputs, write_plain_maps
from po3d.benchmarks.hypo3d.score import ALIGNED
from po3d.benchmarks.twin_folder import start_twin
from po3d.io.errors import InputError
from po3d.io.pools import each
from po3d.io.seeding import rng
from po3d.language.programs.rooms import ROOMS
from po3d.language.say.rooms import reworded, say_change, say_question
from po3d.reasoning.apply_edit import plan
from po3d.reasoning.execute import run
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.questions import Question
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import unchanged
from po3d.scene.frames import (
    frame,
    frame_from_text,
    frame_text_anchors,
    in_frame,
    room_centre,
    with_front,
)
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import Scene
from po3d.synthesis.difficulty import DEFAULT, Difficulty
from po3d.synthesis.splits import Split
from po3d.synthesis.top_view.changes import TYPES, sample_change
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.questions import COARSE, QUESTION_TYPES, AnsweredQuestionSampler

FORMAT = "po3d-hypo3d-twin-3"
# number of changes per room; 11 as in the release
CHANGES = {"movement": 3, "removal": 2, "attribute": 2, "addition": 2, "replacement": 2}
QUESTIONS = 2  # per change, as in the release (14,885 of 7,727)
CONTROL_SHARE = 0.1  # a question enters the control sets with 3 times this probability
ALIGNED_EVERY = 5  # one of this many rooms has an aligned copy
ANCHORS = 2  # maximum per frame
# an anchor deviates at most 35 degrees from the direction of its side
SQUARE = np.cos(np.radians(35))


def generate(
    out: str | Path,
    size: int,
    seed: int = 0,
    split: Split = "test",
    controls: bool = True,
    workers: int = 1,
    maps: bool = False,
    difficulty: Difficulty = DEFAULT,
) -> None:
    """Write `size` rooms with their questions to the folder `out`; a complete folder is left
    unchanged.

    With `maps`, plain maps are rendered too; otherwise they are rendered on demand.
    """
    out = start_twin(out, FORMAT, size, seed, split, workers, difficulty, controls=controls)
    if (out / "contextvqa.json").exists():
        return
    work = partial(room, seed=seed, split=split, controls=controls, difficulty=difficulty)
    questions: list[Question] = []
    scenes: list[Scene] = []
    anchors: dict[str, Mapping[str, str]] = {}
    turned: list[Question] = []
    copies: list[Scene] = []
    results = each(work, range(size), workers, "rooms", "room")
    for index, (scene, sides, room_questions) in enumerate(results):
        scenes.append(scene)
        anchors[scene.image] = sides
        questions += room_questions
        if controls and index % ALIGNED_EVERY == 0:
            copies.append(aligned(scene, [(name, side) for side, name in sides.items()]))
            turned += aligned_questions(copies[-1], room_questions)
    questions = [replace(q, id=f"{k:05d}") for k, q in enumerate(questions + turned)]
    anchors |= {copy.image: anchors[copy.image.removesuffix(ALIGNED)] for copy in copies}
    write_inputs(out, scenes + copies)
    if maps:
        write_plain_maps(out, scenes + copies, split=split)
    write_release(out, questions, anchors, scenes + copies)


def room(
    index: int, seed: int, split: str, controls: bool, difficulty: Difficulty = DEFAULT
) -> tuple[Scene, dict[str, str], list[Question]]:
    """Return room `index`: its scene (in the axes of the map), its anchors by side, and its
    questions without ids."""
    scene = sample_room(seed, index, split, difficulty.objects)
    random = rng(seed, f"hypo3d/{split}", index)
    anchors = sample_frame(scene, random)
    framed = frame(scene, anchors)
    questions = []
    for kind in TYPES:
        for _ in range(CHANGES[kind]):
            questions += _edit_questions(framed, kind, random, difficulty)
    sides = {side: name for name, side in anchors}
    if controls:
        questions += _controls(framed, questions, random)
    frame_words = frame_text_anchors(anchors)
    return scene, sides, [replace(q, frame=frame_words) for q in questions]


def aligned(scene: Scene, anchors: Sequence[tuple[str, str]]) -> Scene:
    """Return a copy of the room under another id, rotated about the vertical so that the front of
    its reference frame is the top of the map (+y), with the outline's corner at the origin."""
    framed = frame(scene, anchors)
    turn = float(np.pi / 2 - np.arctan2(framed.axes["front"][1], framed.axes["front"][0]))
    # walls are parallel to the axes, so this is a multiple of 90 degrees
    c, s = round(np.cos(turn)), round(np.sin(turn))
    corners = np.array(scene.outline) @ np.array([[c, s], [-s, c]])
    low = corners.min(0)
    objects = []
    for o in scene.objects:
        x, y, z = o.position
        position = (float(c * x - s * y - low[0]), float(s * x + c * y - low[1]), z)
        objects.append(replace(o, position=position, heading=float(wrap_angle(o.heading + turn))))
    outline = tuple((float(x), float(y)) for x, y in corners - low)
    return replace(scene, objects=tuple(objects), outline=outline, image=scene.image + ALIGNED)


def aligned_questions(copy: Scene, questions: Sequence[Question]) -> list[Question]:
    """Return the questions of the single type Direction for the aligned copy of their room; only
    the room changes. Questions whose answer depends on the placement grid, which is not rotated,
    are omitted."""
    aligned = []
    for q in questions:
        if q.control or q.types != ("Direction",):
            continue
        framed = frame_from_text(copy, q.frame)
        try:
            edited = plan(framed, ROOMS.parse(q.change_program)).edited
            outcome = run(ROOMS.parse(q.program), SceneGeometry(edited, framed))
        except ExecutionFailure:
            continue
        if outcome.answer == q.answer:
            aligned.append(replace(q, image=copy.image, control="aligned map"))
    return aligned


def sample_frame(scene: Scene, random: np.random.Generator) -> list[tuple[str, str]]:
    """Sample one or two anchors (name, side) that define a reference frame; the front is a random
    wall."""
    front = random.integers(4) * np.pi / 2
    target = with_front(scene, (np.cos(front), np.sin(front)))
    away = in_frame(scene.positions[:, :2] - room_centre(scene), target.axes)
    names = scene.names
    sides = {"front": (0, 1), "back": (0, -1), "right": (1, 0), "left": (-1, 0)}
    anchors: dict[str, str] = {}
    for i in random.permutation(len(names)).tolist():
        distance = float(np.hypot(*away[i]))
        if names.count(names[i]) > 1 or distance < 0.8:
            continue
        for side, way in sides.items():
            if away[i] @ np.array(way) / distance >= SQUARE and side not in anchors:
                candidate = [*((n, s) for s, n in anchors.items()), (names[i], side)]
                if _means(scene, candidate, target):
                    anchors[side] = names[i]
        if len(anchors) == ANCHORS or (anchors and random.random() < 0.5):
            break
    # no unique object is in the direction of a side: take any that defines the frame
    if not anchors:
        for i, name in enumerate(names):
            for side in sides:
                if away[i] @ np.array(sides[side]) > 0 and _means(scene, [(name, side)], target):
                    return [(name, side)]
        raise AssertionError(f"room {scene.image} has no anchor")
    order = {side: k for k, side in enumerate(sides)}
    return sorted(((name, side) for side, name in anchors.items()), key=lambda a: order[a[1]])


def _means(scene: Scene, anchors: list[tuple[str, str]], target: Scene) -> bool:
    try:
        front = frame(scene, anchors).axes["front"]
    except InputError:
        return False
    return bool(np.allclose(front, target.axes["front"], atol=1e-6))


def _edit_questions(
    framed: Scene, kind: str, random: np.random.Generator, difficulty: Difficulty
) -> list[Question]:
    """Return one change of a kind with its questions."""
    change = sample_change(framed, kind, random)
    if change is None:
        return []
    program, planned = change
    spoken = reworded(program, random)
    described = say_change(spoken, kind, random)
    world = SceneGeometry(planned.edited, framed)
    asker = AnsweredQuestionSampler(world, random, difficulty.hops)
    questions: list[Question] = []
    for fine in random.permutation(QUESTION_TYPES[kind]).tolist():
        near = None if difficulty.near is None else bool(random.random() < difficulty.near)
        question = asker.ask(fine, near=near)
        if question is None:
            continue
        program, answer = question
        program = reworded(program, random)
        # A synonym of a name may match more objects.
        if run(ROOMS.to_core(program), asker.world).answer != answer:
            continue
        text = say_question(program, kind, random).text
        fields = {"change": described.text, "change_program": spoken.text()}
        fields |= {"types": COARSE[fine], "fine": fine}
        row = ("", framed.image, text, "2d", kind, answer, program.text())
        questions.append(RoomQuestion(*row, **fields))
        if len(questions) == QUESTIONS:
            break
    return questions


def _controls(
    framed: Scene, questions: list[Question], random: np.random.Generator
) -> list[Question]:
    """Return the control questions of a room, derived from some of its questions."""
    world = SceneGeometry(unchanged(framed), framed)
    controls = []
    for q in questions:
        if random.random() >= 3 * CONTROL_SHARE:
            continue
        try:
            outcome = run(ROOMS.parse(q.program), world)
        except ExecutionFailure:
            continue
        if outcome.status != "ok":  # it refers to something that only exists after the change
            continue
        if outcome.answer == q.answer:
            controls.append(replace(q, control="irrelevant change"))
        still = {"change": "", "change_program": "", "control": "without change"}
        controls.append(replace(q, answer=outcome.answer, **still))
    return controls
