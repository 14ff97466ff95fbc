"""Difficulty difficulty: as they are shipped they change no byte; turned, they do what they say."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from generators import random_scene
from test_evaluate import record

from po3d.benchmarks.pulsecheck457.data import load, open_fresh
from po3d.benchmarks.pulsecheck457.report import read_records
from po3d.benchmarks.pulsecheck457.twin import questions
from po3d.benchmarks.registry import BENCHMARKS, difficulty_options
from po3d.benchmarks.threedsrbench.twin import look
from po3d.evaluation.audit import audit
from po3d.evaluation.harness.export import open_split
from po3d.io.config import compose
from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.io.runs import LOCK
from po3d.io.seeding import rng
from po3d.language.programs.rooms import ROOMS
from po3d.language.programs.rooms import parse_text as parse_room
from po3d.language.programs.street import parse_text
from po3d.language.programs.threedsrbench import CATEGORY
from po3d.reasoning.apply_edit import plan
from po3d.reasoning.counterfactuals import margins, margins_in
from po3d.reasoning.world import SceneGeometry
from po3d.scene.orbit import STEP, azimuth_in, nearest_label, off
from po3d.scene.table import Scene
from po3d.synthesis.difficulty import DEFAULT, INDOOR, ORBIT, ROOM, Difficulty, difficulty_of
from po3d.synthesis.indoor_view.questions import DEGREES, METRES, NEAREST, offers
from po3d.synthesis.indoor_view.verdicts import decide, view_geometry
from po3d.synthesis.multi_view.scenes import MARGIN, sample_orbit_scene, visible_pairs
from po3d.synthesis.street.questions import NEAR
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.questions import hops_of
from po3d.systems.framed_rooms import framed

SCENES = [random_scene(rng(5, "dials", k), 7) for k in range(4)]
RECORDS = [record(scene, k) | {"split": "test"} for k, scene in enumerate(SCENES)]
GOLDEN = "d149a0e0ca537b1dee6e88ac5d91437b65f266c7afbb2766422c2e647a17dc7e"
GEOMETRIC = ("L3-2D-Spatial", "L4-3D-Pose", "L5-Collision", "L5-6D-Spatial")


def digest(result: object) -> str:
    return hashlib.sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()


def test_the_default_questions_are_those_of_before_there_were_dials():
    assert digest(questions(RECORDS, 5)) == GOLDEN
    assert (
        digest(questions(RECORDS, 5, difficulty_of({"objects": [3, 10], "near": None}))) == GOLDEN
    )


def near_share(difficulty: Difficulty) -> float:
    query = questions(RECORDS[:2], 5, difficulty)
    result = []
    for category in GEOMETRIC:
        read = read_records(query[category], category, "test")
        for q in read:
            scene = SCENES[int(q.image.split(".")[0])]
            flip = margins(parse_text(q.program), scene, q.task).flip
            result.append(flip is not None and flip.normalised <= NEAR)
    return float(np.mean(result))


def test_near_moves_the_share_of_questions_that_a_small_error_flips():
    never, often = near_share(Difficulty(near=0.0)), near_share(Difficulty(near=0.8))
    assert never < 0.05
    assert often > 0.6
    assert never < near_share(DEFAULT) < often


def test_hops_leave_chains_of_so_many_relations():
    query = questions(RECORDS, 5, Difficulty(hops=(2, 3)))
    for category in ("L3-2D-Spatial", "L5-6D-Spatial"):
        assert query[category]
        for q in read_records(query[category], category, "test"):
            assert q.program.count("relate[") in (2, 3)
    untouched = questions(RECORDS, 5)
    assert query["L1-Single"] == untouched["L1-Single"]
    assert query["L5-Collision"] == untouched["L5-Collision"]


@pytest.mark.render
@pytest.mark.slow
def test_scenes_have_as_many_objects_and_as_much_hiding_as_requested(tmp_path):
    share = {}
    for occluded in (0.0, 0.6):
        split = open_fresh(
            tmp_path / str(occluded), 2, 3, difficulty={"objects": [5, 6], "occluded": occluded}
        )
        scenes: list[Scene] = [split.truth(name) for name in split.images]
        assert {len(scene) for scene in scenes} <= {5, 6}
        share[occluded] = np.mean([bool(hider) for scene in scenes for hider in scene.occluders])
        assert audit("pulsecheck457", split) == []
    assert share[0.0] < 0.1 < 0.4 < share[0.6]
    assert read_json(tmp_path / "0.6" / "twin.json")["dials"] == {
        "objects": [5, 6],
        "occluded": 0.6,
    }
    again = open_split("pulsecheck457", tmp_path / "0.6")
    assert again.questions == load(tmp_path / "0.6").questions
    assert again.source.twin.difficulty == Difficulty((5, 6), 0.6)
    with pytest.raises(InputError, match="with other settings"):
        open_fresh(tmp_path / "0.6", 2, 3)


def test_the_shipped_config_is_the_default():
    for name in ("generate", "evaluate"):
        for benchmark, source in BENCHMARKS.items():
            config = compose(name, ["out=x", f"benchmark={benchmark}"])
            assert (
                difficulty_of(difficulty_options(config.benchmark)["difficulty"], source.difficulty)
                == DEFAULT
            )
            assert DEFAULT.tag == ""
    harder = compose(
        "generate",
        ["out=x", "benchmark.difficulty.hops=[3]", "benchmark.difficulty.objects=[8,10]"],
    )
    turned = difficulty_of(difficulty_options(harder.benchmark)["difficulty"])
    assert turned == Difficulty((8, 10), hops=(3,))
    assert difficulty_of(turned.changed()) == turned
    assert (DEFAULT.tag, turned.tag, DEFAULT.changed()) == ("", "-objects8_10-hops3", {})
    assert difficulty_options({"name": "hypo3d"}) == {}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"objects": [3]}, "a list of 2 numbers"),
        ({"objects": [5, 4]}, "two increasing numbers"),
        ({"objects": [3, 40]}, "between 1 and 14"),
        ({"occluded": 1.5}, "should be a fraction"),
        ({"near": "often"}, "should be a fraction"),
        ({"hops": [4]}, r"some of \[1, 2, 3\]"),
        ({"hops": "two"}, "a list of whole numbers"),
        ({"object": [3, 4]}, "unknown key 'object'"),
    ],
)
def test_a_dial_that_cannot_be_is_reported(options, says):
    with pytest.raises(InputError, match=says):
        difficulty_of(options)


@pytest.mark.parametrize(
    ("kind", "options", "says"),
    [
        (ROOM, {"occluded": 0.5}, "unknown key 'occluded'; known: objects, hops, near"),
        (ROOM, {"hops": [3]}, r"some of \[1, 2\]"),
        (INDOOR, {"hops": [1]}, "unknown key 'hops'; known: objects, occluded, near"),
        (INDOOR, {"objects": [2, 40]}, "between 4 and 30"),
        (ORBIT, {"objects": [3, 5]}, "between 6 and 9"),
        (ORBIT, {"near": 2}, "should be a fraction"),
    ],
)
def test_a_dial_of_another_benchmark_is_reported(kind, options, says):
    with pytest.raises(InputError, match=says):
        difficulty_of(options, kind)


# The files of tiny fresh twins without difficulty, as they were before there were any; those of hypo3d
# in the speakers' later wording.
BEFORE = {"hypo3d": "ebc0ffaf1eda326c053581ba", "scope": "67293ed341da5fe358917093"}


@pytest.mark.parametrize("benchmark", BEFORE)
def test_default_twins_are_those_of_before_there_were_dials(benchmark, tmp_path):
    config = compose("evaluate", ["out=x", f"benchmark={benchmark}"])
    BENCHMARKS[benchmark].open_fresh(
        tmp_path, 2, 3, None, 1, **difficulty_options(config.benchmark)
    )
    result = hashlib.sha256()
    for path in sorted(p for p in tmp_path.rglob("*") if p.is_file() and p.name != LOCK):
        result.update(str(path.relative_to(tmp_path)).encode() + path.read_bytes())
    assert result.hexdigest()[:24] == BEFORE[benchmark]


def test_rooms_have_as_many_things_as_requested():
    for k in range(3):
        few, many = (sample_room(3, k, objects=(n, n)) for n in (5, 18))
        things = [[o.value("name") for o in room.objects] for room in (few, many)]
        counts = [sum(name not in ("door", "window") for name in names) for names in things]
        assert counts[0] <= 5 < 9 < counts[1] <= 18


def fresh_rooms(folder, **difficulty):
    split = BENCHMARKS["hypo3d"].open_fresh(folder, 1, 5, None, 1, difficulty=difficulty)
    query = [q for q in split.questions if not q.control]
    assert len(query) > 10
    return split, query


def test_questions_about_rooms_have_so_many_hops_and_come_so_near(tmp_path):
    _, query = fresh_rooms(tmp_path / "hops", hops=[2])
    assert {hops_of(parse_room(q.program)) for q in query} == {2}
    for share in (0.0, 1.0):
        split, query = fresh_rooms(tmp_path / str(share), near=share)
        assert split.questions == BENCHMARKS["hypo3d"].load(tmp_path / str(share)).questions
        assert read_json(tmp_path / str(share) / "twin.json")["dials"] == {"near": share}
        for q in query:
            before = framed(split.truth(q.image), q.frame)
            world = SceneGeometry(plan(before, ROOMS.parse(q.change_program)).edited, before)
            result = margins_in(ROOMS.parse(q.program), world)
            assert result.answer == q.answer
            assert (result.flip is not None and result.flip.normalised <= 1) == bool(share)


def test_pairs_near_a_border_are_apart_from_the_clear_ones():
    scene = sample_orbit_scene(3, 0, objects=(9, 9))
    assert len(scene.scene) == 9
    near, clear = (visible_pairs(scene, near=flag) for flag in (True, False))
    assert near
    assert clear
    assert not set(near) & set(clear)
    ground = scene.scene.positions[:, :2]
    for pairs, least, most in ((near, 1, 10), (clear, 10, 22.5)):
        for pair in pairs:
            azimuth = azimuth_in(scene.scene.axes, ground[pair.target] - ground[pair.reference])
            left = np.degrees(STEP / 2 - off(azimuth, nearest_label(azimuth)))
            assert least - 1e-6 <= left <= most + 1e-6
    assert np.degrees(MARGIN) == pytest.approx(10)


def test_questions_from_inside_near_a_boundary_do_not_keep_the_margin():
    result = look(5, 4)
    room = sample_room(5, 4)
    boxes = {o.position: o.box for scene in result.scenes for o in scene.objects}
    views = [
        replace(
            room,
            camera=scene.camera,
            objects=tuple(replace(o, box=boxes.get(o.position)) for o in room.objects),
        )
        for scene in result.scenes
    ]
    reply = {
        i: words for i, words in result.phrases.items() if all(v.objects[i].box for v in views)
    }
    near = offers(views, reply, rng(0, "near"), near=True)
    assert near
    for item in near:
        verdicts = [decide(view_geometry(view), item.op, item.rows) for view in views]
        metres, degrees = METRES[CATEGORY[item.op]], DEGREES
        assert any(v.metres < metres or v.degrees < degrees for v in verdicts)
        assert all(
            v.metres >= NEAREST * metres and v.degrees >= NEAREST * degrees for v in verdicts
        )
