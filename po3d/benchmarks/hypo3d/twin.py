"""The twin of Hypo3D: generated rooms with a world frame, changes of the five types and questions in the paper's
proportions, answers by execution, in the official files.

Every room is a pure function of (seed, index), so any number of workers writes the same bytes. Three control sets come
with it, told apart by the question's "control": *without change* (the same question about the unchanged room),
*irrelevant change* (a change that does not alter the answer) and *aligned map* (a frame whose front is the map's top).
For the last every fifth room stands there a second time under another id, turned to its frame, with the same frame,
changes and questions of direction; these come after everything else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from po3d.benchmarks.hypo3d.data import RoomQuestion, write_release
from po3d.benchmarks.hypo3d.inputs import write_inputs, write_plain_maps
from po3d.benchmarks.hypo3d.score import ALIGNED
from po3d.benchmarks.twin_folder import begun
from po3d.io.errors import InputError
from po3d.io.pools import each
from po3d.io.seeding import rng
from po3d.language.programs.rooms import ROOMS
from po3d.language.say.rooms import reworded, say_change, say_question
from po3d.reasoning.execute import run
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.plan import plan
from po3d.reasoning.questions import Question
from po3d.reasoning.world import World
from po3d.scene.edits import unchanged
from po3d.scene.frames import frame, frame_from_text, frame_text_anchors, in_frame, room_centre, with_front
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import Scene
from po3d.synthesis.difficulty import ROOM_DEFAULT, RoomDials
from po3d.synthesis.rooms.changes import TYPES, sample_change
from po3d.synthesis.rooms.layouts import sample_room
from po3d.synthesis.rooms.questions import ASKED, COARSE, Asker
from po3d.synthesis.splits import Split

FORMAT = "po3d-hypo3d-twin-3"
# of a room; 11 as in the release
CHANGES = {"movement": 3, "removal": 2, "attribute": 2, "addition": 2, "replacement": 2}
QUESTIONS = 2  # of a change, as in the release (14,885 of 7,727)
CONTROL_SHARE = 0.1  # of the questions that come back in each control set
ALIGNED_EVERY = 5  # rooms, of which one has an aligned copy
ANCHORS = 2  # of a frame, at most
SQUARE = np.cos(np.radians(35))  # an anchor points at its side at least this squarely


def generate(
    out: str | Path,
    size: int,
    seed: int = 0,
    split: Split = "test",
    controls: bool = True,
    workers: int = 1,
    maps: bool = False,
    dials: RoomDials = ROOM_DEFAULT,
) -> None:
    """Write `size` rooms with their questions into the folder `out`; the same folder again is left as it is. `maps`: draw
    the plain maps too, which else are drawn when they are asked for. `dials`: how hard."""
    out = begun(out, FORMAT, size, seed, split, workers, dials, controls=controls)
    if (out / "contextvqa.json").exists():
        return
    work = partial(room, seed=seed, split=split, controls=controls, dials=dials)
    questions: list[Question] = []
    scenes: list[Scene] = []
    anchors: dict[str, Mapping[str, str]] = {}
    turned: list[Question] = []
    copies: list[Scene] = []
    for index, (scene, sides, asked) in enumerate(each(work, range(size), workers, "rooms", "room")):
        scenes.append(scene)
        anchors[scene.image] = sides
        questions += [replace(q, id=f"{len(questions) + k:05d}") for k, q in enumerate(asked)]
        if controls and index % ALIGNED_EVERY == 0:
            copies.append(aligned(scene, [(name, side) for side, name in sides.items()]))
            turned += aligned_questions(copies[-1], asked)
    questions += [replace(q, id=f"{len(questions) + k:05d}") for k, q in enumerate(turned)]
    anchors |= {copy.image: anchors[copy.image.removesuffix(ALIGNED)] for copy in copies}
    write_inputs(out, scenes + copies)
    if maps:
        write_plain_maps(out, scenes + copies, split=split)
    write_release(out, questions, anchors, scenes + copies)


def room(
    index: int, seed: int, split: str, controls: bool, dials: RoomDials = ROOM_DEFAULT
) -> tuple[Scene, dict[str, str], list[Question]]:
    """Room `index`: its table (axes of the map), its anchors by side, and its questions without ids."""
    scene = sample_room(seed, index, split, dials.objects)
    random = rng(seed, f"hypo3d/{split}", index)
    anchors = sample_frame(scene, random)
    framed = frame(scene, anchors)
    questions = []
    for kind in TYPES:
        for _ in range(CHANGES[kind]):
            questions += _asked(framed, kind, random, dials)
    sides = {side: name for name, side in anchors}
    if controls:
        questions += _controls(framed, questions, random)
    frame_words = frame_text_anchors(anchors)
    return scene, sides, [replace(q, frame=frame_words) for q in questions]


def aligned(scene: Scene, anchors: Sequence[tuple[str, str]]) -> Scene:
    """The room under another id, turned about the vertical so that its frame's front is the map's top (+y), its
    outline's corner at the origin again."""
    framed = frame(scene, anchors)
    turn = float(np.pi / 2 - np.arctan2(framed.axes["front"][1], framed.axes["front"][0]))
    c, s = round(np.cos(turn)), round(np.sin(turn))  # walls are along the axes: a number of quarter turns
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
    """The questions of direction alone, about the aligned copy of their room: all but their room is as it was. One
    whose answer hangs on the grid of places, which does not turn with the room, is left out."""
    found = []
    for q in questions:
        if q.control or q.types != ("Direction",):
            continue
        framed = frame_from_text(copy, q.frame)
        try:
            edited = plan(framed, ROOMS.parse(q.change_program)).edited
            outcome = run(ROOMS.parse(q.program), World(edited, framed))
        except ExecutionFailure:
            continue
        if outcome.answer == q.answer:
            found.append(replace(q, image=copy.image, control="aligned map"))
    return found


def sample_frame(scene: Scene, random: np.random.Generator) -> list[tuple[str, str]]:
    """(name, side) of one or two anchors that define a frame; the front is a random wall."""
    front = random.integers(4) * np.pi / 2
    target = with_front(scene, (np.cos(front), np.sin(front)))
    away = in_frame(scene.positions[:, :2] - room_centre(scene), target.axes)
    names = [o.value("name") for o in scene.objects]
    sides = {"front": (0, 1), "back": (0, -1), "right": (1, 0), "left": (-1, 0)}
    found: dict[str, str] = {}
    for i in random.permutation(len(names)).tolist():
        distance = float(np.hypot(*away[i]))
        if names.count(names[i]) > 1 or distance < 0.8:
            continue
        for side, way in sides.items():
            if away[i] @ np.array(way) / distance >= SQUARE and side not in found:
                candidate = [*((n, s) for s, n in found.items()), (names[i], side)]
                if _means(scene, candidate, target):
                    found[side] = names[i]
        if len(found) == ANCHORS or (found and random.random() < 0.5):
            break
    if not found:  # no squarely placed single thing: take the best that defines the frame at all
        for i, name in enumerate(names):
            for side in sides:
                if away[i] @ np.array(sides[side]) > 0 and _means(scene, [(name, side)], target):
                    return [(name, side)]
        raise AssertionError(f"room {scene.image} has no anchor")
    order = {side: k for k, side in enumerate(sides)}
    return sorted(((name, side) for side, name in found.items()), key=lambda a: order[a[1]])


def _means(scene: Scene, anchors: list[tuple[str, str]], target: Scene) -> bool:
    try:
        return bool(np.allclose(frame(scene, anchors).axes["front"], target.axes["front"], atol=1e-6))
    except InputError:
        return False


def _asked(framed: Scene, kind: str, random: np.random.Generator, dials: RoomDials) -> list[Question]:
    """One change of a kind and its questions."""
    change = sample_change(framed, kind, random)
    if change is None:
        return []
    spoken = reworded(change.program, random)
    described = say_change(spoken, kind, random)
    asker = Asker(World(change.planned.edited, framed), random, dials.hops)
    questions: list[Question] = []
    for fine in random.permutation(ASKED[kind]).tolist():
        near = None if dials.near is None else bool(random.random() < dials.near)
        asked = asker.ask(fine, near=near)
        if asked is None:
            continue
        program = reworded(asked.program, random)
        # Another word for a thing may mean more things.
        if run(ROOMS.meant(program), asker.world).answer != asked.answer:
            continue
        text = say_question(program, kind, random).text
        own = {"change": described.text, "change_program": spoken.text(), "types": COARSE[fine], "fine": fine}
        row = ("", framed.image, text, "2d", kind, asked.answer, program.text())
        questions.append(RoomQuestion(*row, **own))
        if len(questions) == QUESTIONS:
            break
    return questions


def _controls(framed: Scene, questions: list[Question], random: np.random.Generator) -> list[Question]:
    """The control sets of a room, from some of its questions."""
    world = World(unchanged(framed), framed)
    found = []
    for q in questions:
        if random.random() >= 3 * CONTROL_SHARE:
            continue
        try:
            outcome = run(ROOMS.parse(q.program), world)
        except ExecutionFailure:
            continue
        if outcome.status != "ok":  # it speaks of what only the change brought about
            continue
        if outcome.answer == q.answer:
            found.append(replace(q, control="irrelevant change"))
        still = {"change": "", "change_program": "", "control": "without change"}
        found.append(replace(q, answer=outcome.answer, **still))
    return found
