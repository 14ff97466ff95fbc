import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from generators import random_scene

from po3d.benchmarks.superclevr.files import read_scenes, scene_from_superclevr
from po3d.benchmarks.superclevr.names import identifier, surface
from po3d.benchmarks.superclevr.nodes import nodes_from_program, program_from_nodes
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.program import ProgramError
from po3d.language.programs.street import parse_text
from po3d.scene.street import AXES, camera, origin_height
from po3d.scene.vocabulary import SHAPES
from po3d.synthesis.street.question_world import SceneBitsets
from po3d.synthesis.street.questions import COLUMNS, ask


def record(**extra):
    """A scene in the released layout, seen by the camera with jitter (0.3, -0.2, 0.1)."""
    objects = [
        {
            "shape": "truck",
            "size": "small",
            "color": "red",
            "material": "rubber",
            "rotation": 0.0,
            "3d_coords": [0.5, 1.0, origin_height("truck", "small")],
            "parts": {},
        },
        {
            "shape": "road",
            "size": "large",
            "color": "cyan",
            "material": None,
            "rotation": 30.0,
            "3d_coords": [-2.0, 0.0, origin_height("road", "large")],
            "parts": {},
        },
        {
            "shape": "articulated",
            "size": "large",
            "color": "blue",
            "material": "metal",
            "rotation": 275.0,
            "3d_coords": [2.5, -1.5, origin_height("articulated", "large")],
            "parts": {},
        },
    ]
    view = camera((0.3, -0.2, 0.1))
    for o in objects:
        pixel, depth = view.project(o["3d_coords"])
        o["pixel_coords"] = [[round(pixel[0]), round(pixel[1]), float(depth)], [640, 480]]
    return {"image_filename": "superCLEVR_new_000000.png", "objects": objects, **extra}


def test_a_handwritten_object_comes_out_in_our_conventions():
    scene = scene_from_superclevr(record())
    truck, bicycle, bus = scene.objects
    assert truck.heading == pytest.approx(
        math.pi / 2
    )  # rotation 0: a car's nose points along world +y
    assert bicycle.heading == pytest.approx(math.radians(30))  # a bicycle's along +x
    assert bus.heading == pytest.approx(math.radians(275 + 90 - 360))
    assert truck.position == pytest.approx((0.5, 1.0, 0.1179 * 1.8))
    assert truck.extent == pytest.approx((0.891 * 1.8, 0.355 * 1.8, 0.284 * 1.8))
    assert truck.value("material") == "rubber"
    assert "material" not in bicycle.beliefs  # the realistic objects of PulseCheck457 have none
    assert scene.source == "gt"
    assert scene.axes == AXES
    assert scene.occluders is None


def test_the_camera_is_fitted_to_rounded_pixels_and_exact_depths():
    scene = scene_from_superclevr(record())
    pixels, depth = scene.camera.project(scene.positions)
    stored = np.array([o["pixel_coords"][0] for o in record()["objects"]])
    assert np.abs(pixels - stored[:, :2]).max() < 1
    np.testing.assert_allclose(depth, stored[:, 2], atol=2e-3)
    np.testing.assert_allclose(scene.camera.position, camera((0.3, -0.2, 0.1)).position, atol=0.05)


def test_without_pixels_the_camera_is_the_nominal_one():
    bare = record()
    for o in bare["objects"]:
        del o["pixel_coords"]
    np.testing.assert_allclose(scene_from_superclevr(bare).camera.position, camera().position)


def test_blenders_matrix_gives_the_exact_camera():
    view = camera((0.3, -0.2, 0.1))
    world_R_cam = view.cam_T_world.rotation.T
    matrix = np.eye(4)
    matrix[:3, :3] = world_R_cam @ np.diag([1, -1, -1])  # Blender looks along -z, y up
    matrix[:3, 3] = view.position
    result = scene_from_superclevr(record(matrix_world=matrix.tolist())).camera
    points = np.random.default_rng(0).normal(size=(5, 3))
    np.testing.assert_allclose(result.project(points)[0], view.project(points)[0])


def test_occluders_need_a_state_and_an_occluder():
    occlusion = {
        "0": {"obj": [1, "", "True", "2"], "hood": [2, "", "True"]},
        "1": {"obj": [0, "", "False"]},
        "2": {"obj": [1, "", "False"]},  # hidden by the image's edge: nobody occludes it
    }
    assert scene_from_superclevr(record(occlusion=occlusion)).occluders == ({2: 1.0}, {}, {})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"shape": "tank"},
            "scene superCLEVR_new_000000.png: object 1: unknown shape 'tank'; known: suv",
        ),
        ({"rotation": "north"}, r"objects\[1\].rotation: 'north' should be a number"),
        ({"3d_coords": [1.0]}, r"the field 'objects\[1\].3d_coords\[1\]' is missing"),
    ],
)
def test_a_bad_record_is_named(change, says):
    bad = record()
    bad["objects"][1] |= change
    with pytest.raises(InputError, match=says):
        scene_from_superclevr(bad)


def test_scenes_are_read_from_a_file_a_folder_and_a_folder_of_files(tmp_path):
    first, second = record(), record() | {"image_filename": "superCLEVR_new_000001.png"}
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "scenes.json").write_text(json.dumps({"info": {}, "scenes": [second, first]}))
    (tmp_path / "b" / "scenes").mkdir(parents=True)
    for k, r in enumerate((first, second)):
        (tmp_path / "b" / "scenes" / f"{k}.json").write_text(json.dumps(r))
    expected = [first, second]
    assert read_scenes(tmp_path / "a") == expected
    assert read_scenes(tmp_path / "a" / "scenes.json") == expected
    assert read_scenes(tmp_path / "b") == expected
    with pytest.raises(
        InputError, match=r"no scene records in .*: expected scenes.json or scenes/"
    ):
        read_scenes(tmp_path)


def test_written_names_and_ids_are_inverse():
    assert surface("articulated") == "articulated bus"
    assert surface("road") == "road bike"
    assert surface("sedan") == "sedan"
    assert [identifier(surface(s)) for s in SHAPES] == list(SHAPES)


@pytest.mark.parametrize("column", COLUMNS)
def test_nodes_and_programs_are_inverse_on_every_column(column):
    for i in range(6):
        scene = random_scene(rng(0, "nodes", i), 8)
        for q in ask(
            SceneBitsets(scene, COLUMNS[column].task),
            COLUMNS[column],
            Counter(),
            rng(0, f"nodes/{column}", i),
        ):
            nodes = nodes_from_program(q.program)
            assert program_from_nodes(nodes) == q.program
            assert all(set(node) == {"type", "inputs", "value_inputs"} for node in nodes)


def test_nodes_are_written_as_the_release_spells_them():
    program = parse_text(
        "count(filter[color=blue](filter[size=large](collide[backward](unique(filter[shape=bus]"
        "(filter[size=small](scene)))))))"
    )
    kinds = [(n["type"], n["value_inputs"]) for n in nodes_from_program(program)]
    assert kinds == [
        ("scene", []),
        ("filter_size", ["small"]),
        ("filter_shape", ["bus"]),
        ("unique", []),
        ("relate", ["backward"]),
        ("filter_size", ["large"]),
        ("filter_color", ["blue"]),
        ("count", []),
    ]


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("query[facing](unique(filter[shape=road](scene)))", "query_pose", []),
        ("count(filter[facing=left](scene))", "filter_pose", ["left_pose"]),
        ("count(filter[occlusion=occluded](scene))", "filter_occludee", []),
        ("count(aligned[vertical](unique(scene)))", "vertical_pose", []),
        ("count(occludees(unique(scene)))", "relate_occluding", []),
        ("count(occluder(unique(scene)))", "relate_occluded", []),
        ("exist(same[shape](unique(scene)))", "same_shape", []),
    ],
)
def test_each_official_word(text, kind, values):
    program = parse_text(text)
    nodes = nodes_from_program(program)
    assert {"type": kind, "value_inputs": values}.items() <= {
        k: v for n in nodes if n["type"] == kind for k, v in n.items()
    }.items()
    assert program_from_nodes(nodes) == program


def test_written_shape_names_and_shared_nodes_are_understood():
    nodes = [
        {"type": "scene", "inputs": [], "value_inputs": []},
        {"type": "filter_shape", "inputs": [0], "value_inputs": ["road bike"]},
        {"type": "filter_color", "inputs": [0], "value_inputs": ["red"]},
        {"type": "union", "inputs": [1, 2], "value_inputs": []},
        {"type": "count", "inputs": [3], "value_inputs": [], "_output": "2"},
    ]
    assert (
        program_from_nodes(nodes).text()
        == "count(union(filter[shape=road](scene), filter[color=red](scene)))"
    )


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ([], "empty node list"),
        (
            [{"type": "partquery_color", "inputs": [], "value_inputs": []}],
            "partquery_color is about parts of objects",
        ),
        ([{"type": "scene"}], "node 0 is malformed"),
        (
            [{"type": "count", "inputs": [0], "value_inputs": []}],
            "node 0: its inputs .* are not earlier nodes",
        ),
    ],
)
def test_other_nodes_are_refused(nodes, says):
    with pytest.raises(ProgramError, match=says):
        program_from_nodes(nodes)


def test_what_the_release_can_not_say_is_refused():
    for text in (
        "count(relate[left,camera](unique(scene)))",
        "count(aligned[parallel](unique(scene)))",
    ):
        with pytest.raises(ProgramError, match="the official node list cannot express"):
            nodes_from_program(parse_text(text))


def test_a_read_scene_answers_relations_like_the_stored_ones():
    """The released rule for left of: further than 0.2 along the stored axis."""
    from po3d.reasoning.execute import execute

    scene = replace(scene_from_superclevr(record()), occluders=({}, {}, {}))
    right = np.array(AXES["right"])
    along = scene.positions[:, :2] @ right
    truth = sum(along[j] - along[0] > 0.2 for j in (1, 2))
    program = parse_text("count(relate[right,task](unique(filter[shape=truck](scene))))")
    assert execute(program, scene).answer == str(truth)
