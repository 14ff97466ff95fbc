"""Difficulty dials: as they are shipped they change no byte; turned, they do what they say."""

import hashlib
import json

import numpy as np
import pytest
from generators import random_scene
from test_evaluate import record

from po3d.benchmarks import pulsecheck457
from po3d.benchmarks.pulsecheck457 import load, open_fresh, oracle_disagreements
from po3d.benchmarks.pulsecheck457_twin import questions
from po3d.benchmarks.registry import dials_in
from po3d.entry import compose
from po3d.errors import InputError
from po3d.files import read_json
from po3d.integrations.export import open_split
from po3d.reasoning.margins import margins
from po3d.reasoning.program import parse_text
from po3d.scene import Scene
from po3d.seeding import rng
from po3d.synthesis.dials import DEFAULT, Dials, dials_of
from po3d.synthesis.questions import NEAR

SCENES = [random_scene(rng(5, "dials", k), 7) for k in range(4)]
RECORDS = [record(scene, k) | {"split": "test"} for k, scene in enumerate(SCENES)]
GOLDEN = "d149a0e0ca537b1dee6e88ac5d91437b65f266c7afbb2766422c2e647a17dc7e"
GEOMETRIC = ("L3-2D-Spatial", "L4-3D-Pose", "L5-Collision", "L5-6D-Spatial")


def digest(found: object) -> str:
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def test_the_default_questions_are_those_of_before_there_were_dials():
    assert digest(questions(RECORDS, 5)) == GOLDEN
    assert digest(questions(RECORDS, 5, dials_of({"objects": [3, 10], "near": None}))) == GOLDEN


def near_share(dials: Dials) -> float:
    asked = questions(RECORDS[:2], 5, dials)
    found = []
    for category in GEOMETRIC:
        read = pulsecheck457.read_records(asked[category], category, "test")
        for q in read:
            scene = SCENES[int(q.image.split(".")[0])]
            flip = margins(parse_text(q.program), scene, q.task).flip
            found.append(flip is not None and flip.normalised <= NEAR)
    return float(np.mean(found))


def test_near_moves_the_share_of_questions_that_a_small_error_flips():
    never, often = near_share(Dials(near=0.0)), near_share(Dials(near=0.8))
    assert never < 0.05
    assert often > 0.6
    assert never < near_share(DEFAULT) < often


def test_hops_leave_chains_of_so_many_relations():
    asked = questions(RECORDS, 5, Dials(hops=(2, 3)))
    for category in ("L3-2D-Spatial", "L5-6D-Spatial"):
        assert asked[category]
        for q in pulsecheck457.read_records(asked[category], category, "test"):
            assert q.program.count("relate[") in (2, 3)
    untouched = questions(RECORDS, 5)
    assert asked["L1-Single"] == untouched["L1-Single"]
    assert asked["L5-Collision"] == untouched["L5-Collision"]


@pytest.mark.render
@pytest.mark.slow
def test_scenes_have_as_many_objects_and_as_much_hiding_as_asked_for(tmp_path):
    share = {}
    for occluded in (0.0, 0.6):
        split = open_fresh(tmp_path / str(occluded), 2, 3, dials={"objects": [5, 6], "occluded": occluded})
        scenes: list[Scene] = [split.truth(name) for name in split.images]
        assert {len(scene) for scene in scenes} <= {5, 6}
        share[occluded] = np.mean([bool(hider) for scene in scenes for hider in scene.occluders])
        assert oracle_disagreements(split.questions, {n: split.truth(n) for n in split.images}) == []
    assert share[0.0] < 0.1 < 0.4 < share[0.6]
    assert read_json(tmp_path / "0.6" / "twin.json")["dials"] == {"objects": [5, 6], "occluded": 0.6}
    again = open_split("pulsecheck457", tmp_path / "0.6")
    assert again.questions == load(tmp_path / "0.6").questions
    assert again.source.dials == Dials((5, 6), 0.6)
    with pytest.raises(InputError, match="made with other settings"):
        open_fresh(tmp_path / "0.6", 2, 3)


def test_the_shipped_config_is_the_default():
    for name in ("generate", "evaluate"):
        config = compose(name, ["out=x"])
        assert dials_of(dials_in(config.benchmark)["dials"]) == DEFAULT
    harder = compose("generate", ["out=x", "benchmark.dials.hops=[3]", "benchmark.dials.objects=[8,10]"])
    turned = dials_of(dials_in(harder.benchmark)["dials"])
    assert turned == Dials((8, 10), hops=(3,))
    assert dials_of(turned.changed()) == turned
    assert (DEFAULT.tag, turned.tag, DEFAULT.changed()) == ("", "-objects8_10-hops3", {})
    assert dials_in({"name": "hypo3d"}) == {}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"objects": [3]}, "a list of 2 numbers"),
        ({"objects": [5, 4]}, "two numbers that rise"),
        ({"objects": [3, 40]}, "1 to 14"),
        ({"occluded": 1.5}, "should be a share"),
        ({"near": "often"}, "should be a share"),
        ({"hops": [4]}, r"some of \[1, 2, 3\]"),
        ({"hops": "two"}, "a list of whole numbers"),
        ({"object": [3, 4]}, "unknown key 'object'"),
    ],
)
def test_a_dial_that_cannot_be_is_said(options, says):
    with pytest.raises(InputError, match=says):
        dials_of(options)
