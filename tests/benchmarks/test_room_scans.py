"""Scanned rooms on small hand-made files, and pickles that would like to run something."""

import json
import math
import os
import pickle
import resource
import time
from collections import OrderedDict

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from po3d.benchmarks.hypo3d.inert_pickle import read_pickle
from po3d.benchmarks.hypo3d.scan_boxes import color_name, lab
from po3d.benchmarks.hypo3d.scans import embodiedscan_scenes, read_scan, rscan_scene, scannet_scene
from po3d.io.errors import InputError
from po3d.scene.edits import support
from po3d.scene.frames import frame_from_text
from po3d.scene.rooms import COLORS
from po3d.scene.table import from_json, to_json

TURN = math.radians(30)  # the scan stands askew by this much; axisAlignment sets it right
SHIFT = np.array([1.0, -2.0, 0.0])
GROUND = -0.3  # height of the floor in the file


def solid(low, high, n=12):
    """(n^3, 3) points that fill a box."""
    return np.stack(np.meshgrid(*np.linspace(low, high, n).T, indexing="ij"), -1).reshape(-1, 3)


# label, corners, colour. The desk's shorter side is along y, it stands at the wall y = 0.
ROOM = [
    ("floor", (0, 0, 0), (4, 3, 0), (120, 110, 100)),
    ("wall", (0, -0.1, 0), (4, 0, 2.5), (230, 230, 225)),
    ("ceiling", (0, 0, 2.5), (4, 3, 2.5), (230, 230, 225)),
    ("Desk ", (1, 0, 0), (2.4, 0.7, 0.75), (135, 100, 65)),
    ("coffee cup", (1.5, 0.3, 0.75), (1.6, 0.4, 0.85), (190, 60, 60)),
    ("remove", (3, 2, 0), (3.2, 2.2, 1), (0, 0, 0)),
]


def write_ply(path, points, colors=None, kind="binary_little_endian"):
    fields = [("x", "<f4"), ("y", "<f4"), ("z", "<f4")]
    if colors is not None:
        fields += [("red", "u1"), ("green", "u1"), ("blue", "u1"), ("alpha", "u1")]
    rows = np.zeros(len(points), fields)
    for axis, column in zip("xyz", points.T):
        rows[axis] = column
    if colors is not None:
        for channel, column in zip(("red", "green", "blue"), colors.T):
            rows[channel] = column
    types = {"<f4": "float", "u1": "uchar"}
    head = [
        "ply",
        f"format {kind} 1.0",
        "comment VCGLIB generated",
        f"element vertex {len(points)}",
    ]
    head += [f"property {types[t]} {name}" for name, t in fields]
    head += ["element face 1", "property list uchar int vertex_indices", "end_header"]
    face = b"\x03" + np.arange(3, dtype="<i4").tobytes()
    path.write_bytes("\n".join(head).encode() + b"\n" + rows.tobytes() + face)


def write_scannet(root, scene_id="scene0000_00", room=ROOM, colored=True):
    folder = root / scene_id
    folder.mkdir(parents=True)
    parts = [solid(low, high) for _, low, high, _ in room] + [
        np.full((3, 3), 50.0)
    ]  # stray, in no instance
    points = np.concatenate(parts) + (0, 0, GROUND)
    rotation = Rotation.from_euler("z", TURN).as_matrix()
    scanned = (points - SHIFT) @ rotation  # rotation @ scanned + SHIFT = points
    colors = [np.tile(c, (len(p), 1)) for (*_, c), p in zip(room, parts)] + [np.zeros((3, 3), int)]
    write_ply(
        folder / f"{scene_id}_vh_clean_2.ply", scanned, np.concatenate(colors) if colored else None
    )
    # two segments an instance, of numbers that say nothing
    segments = [7 * k + 100 * (np.arange(len(p)) % 2) for k, p in enumerate(parts)]
    (folder / f"{scene_id}_vh_clean_2.0.010000.segs.json").write_text(
        json.dumps({"segIndices": np.concatenate(segments).tolist()})
    )
    groups = [
        {"objectId": k, "label": label, "segments": [7 * k, 7 * k + 100]}
        for k, (label, *_) in enumerate(room)
    ]
    (folder / f"{scene_id}.aggregation.json").write_text(json.dumps({"segGroups": groups}))
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, SHIFT
    numbers = " ".join(f"{v:.9f}" for v in matrix.ravel())
    (folder / f"{scene_id}.txt").write_text(
        f"appVersionId = 23\naxisAlignment = {numbers} \nnumDepth = 5\n"
    )
    return folder


def by_name(scene):
    return {o.value("name"): o for o in scene.objects}


# --- ScanNet --------------------------------------------------------------------------------------


def test_scannet_gives_the_boxes_that_were_scanned(tmp_path):
    scene = scannet_scene(write_scannet(tmp_path))
    assert (scene.image, scene.source) == ("scene0000_00", "gt")
    assert scene.axes["front"] == (0, 1)
    assert [o.value("name") for o in scene.objects] == ["desk", "coffee cup"]
    desk, cup = scene.objects
    assert desk.position == pytest.approx((1.7, 0.35, 0.375), abs=0.01)
    assert desk.extent == pytest.approx(
        (0.7, 1.4, 0.75), abs=0.01
    )  # depth along y, the shorter side
    assert desk.heading == pytest.approx(math.pi / 2)  # away from the wall at y = 0
    assert (desk.value("color"), cup.value("color")) == ("brown", "red")
    assert support(scene.objects) == [None, 0]
    assert np.array(scene.outline) == pytest.approx(
        np.array([(0, 0), (4, 0), (4, 3), (0, 3)]), abs=0.01
    )
    assert from_json(json.loads(json.dumps(to_json(scene)))) == scene


def test_a_frame_text_finds_its_anchor_in_a_scanned_room(tmp_path):
    scene = frame_from_text(
        scannet_scene(write_scannet(tmp_path)), "The desk was located at the front of the scene."
    )
    assert scene.axes["front"] == pytest.approx((0, -1))


def test_stray_vertices_of_an_instance_stay_outside_its_box(tmp_path):
    folder = write_scannet(tmp_path)
    path = folder / "scene0000_00_vh_clean_2.0.010000.segs.json"
    segments = json.loads(path.read_text())["segIndices"]
    path.write_text(
        json.dumps({"segIndices": [*segments[:-3], 21, 21, 21]})
    )  # the strays to the desk
    desk = by_name(scannet_scene(folder))["desk"]
    assert desk.extent == pytest.approx((0.7, 1.4, 0.75), abs=0.01)


def test_a_mesh_without_colours_gives_names_alone(tmp_path):
    scene = scannet_scene(write_scannet(tmp_path, colored=False))
    assert [set(o.beliefs) for o in scene.objects] == [{"name"}, {"name"}]


def test_without_a_floor_the_walls_give_level_and_outline(tmp_path):
    scene = scannet_scene(write_scannet(tmp_path, room=ROOM[1:]))
    assert by_name(scene)["desk"].position[2] == pytest.approx(0.375, abs=0.01)
    assert np.array(scene.outline) == pytest.approx(
        np.array([(0, -0.1), (4, -0.1), (4, 0), (0, 0)]), abs=0.01
    )


def test_the_other_aggregation_file_is_read_unless_it_is_of_the_full_mesh(tmp_path):
    folder = write_scannet(tmp_path)
    old, new = (
        folder / "scene0000_00.aggregation.json",
        folder / "scene0000_00_vh_clean.aggregation.json",
    )
    content = json.loads(old.read_text())
    expected = scannet_scene(folder)
    old.rename(new)
    assert scannet_scene(folder) == expected
    new.write_text(
        json.dumps(content | {"segmentsFile": "scannet.scene0000_00_vh_clean.segs.json"})
    )
    with pytest.raises(InputError, match=r"segmentsFile.*full mesh"):
        scannet_scene(folder)


def _replace(name, old, new):
    def damage(folder):
        path = folder / f"scene0000_00{name}"
        path.write_bytes(path.read_bytes().replace(old, new, 1))

    return damage


PLY, SEGS, AGG = "_vh_clean_2.ply", "_vh_clean_2.0.010000.segs.json", ".aggregation.json"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / f"scene0000_00{PLY}").unlink(), "one mesh"),
        (lambda f: (f / f"scene0000_00{SEGS}").unlink(), "segment file not found"),
        (lambda f: (f / f"scene0000_00{AGG}").unlink(), "aggregation file not found"),
        (lambda f: (f / "scene0000_00.txt").unlink(), r"scan info .*missing"),
        (
            lambda f: (f / "scene0000_00.txt").write_text("numDepth = 5\n"),
            "'axisAlignment' is missing",
        ),
        (
            lambda f: (f / "scene0000_00.txt").write_text("axisAlignment = 1 0 0\n"),
            "16 finite numbers",
        ),
        (
            lambda f: (f / "scene0000_00.txt").write_text("axisAlignment =" + " 2" * 16),
            "not a rigid transform",
        ),
        (
            lambda f: (f / f"scene0000_00{SEGS}").write_text('{"segIndices": [1, 2]}'),
            "has 2 entries",
        ),
        (lambda f: (f / f"scene0000_00{SEGS}").write_text('{"segIndices": [1.5]}'), "integers"),
        (lambda f: (f / f"scene0000_00{SEGS}").write_text('{"segIndices": [[1], 2]}'), "integers"),
        (lambda f: (f / f"scene0000_00{SEGS}").write_text("[" * 100_000), "segment file"),
        (lambda f: (f / f"scene0000_00{AGG}").write_text("[]"), "JSON object"),
        (
            lambda f: (f / f"scene0000_00{AGG}").write_text('{"segGroups": [{}]}'),
            r"segGroups\[0\]: 'label'",
        ),
        (
            lambda f: (f / f"scene0000_00{AGG}").write_text(
                '{"segGroups": [{"label": "a", "segments": 3}]}'
            ),
            r"segGroups\[0\]: 'segments'",
        ),
        (
            lambda f: (f / f"scene0000_00{AGG}").write_text(
                '{"segGroups": [{"label": "a", "segments": [3]}]}'
            ),
            "no vertex",
        ),
        (lambda f: (f / f"scene0000_00{PLY}").write_bytes(b"solid"), "not a PLY"),
        (lambda f: (f / f"scene0000_00{PLY}").write_bytes(b"ply\n" * 10**6), "not a PLY"),
        (lambda f: os.truncate(f / f"scene0000_00{PLY}", 5000), "truncated"),
        (_replace(PLY, b"binary_little_endian", b"binary_big_endian"), "binary_little_endian"),
        (_replace(PLY, b"element vertex 1", b"element vertex 999999999991"), "20000000"),
        (_replace(PLY, b"element vertex 1", b"element vertex -1"), "'element vertex'"),
        (_replace(PLY, b"element vertex", b"element corner"), "first 'element'"),
        (_replace(PLY, b"property float z", b"property float y"), "x, y, z"),
        (_replace(PLY, b"property float z", b"property list uchar int z"), "x, y, z"),
        (
            _replace(PLY, b"end_header\n", b"end_header\n\xff\xff\xff\x7f"),
            "coordinate that is not finite",
        ),
        (
            _replace(PLY, b"end_header\n", b"end_header\n" + np.float32(2e6).tobytes() * 4),
            "exceeds 1,000,000",
        ),
    ],
)
def test_a_damaged_scannet_folder_is_one_clear_line(tmp_path, damage, message):
    folder = write_scannet(tmp_path)
    damage(folder)
    with pytest.raises(InputError, match=message) as caught:
        scannet_scene(folder)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


# --- 3RScan ---------------------------------------------------------------------------------------


def obb(label, centre, lengths, rotation=None):
    """`rotation`: (3, 3), its columns the box's axes."""
    axes = np.eye(3) if rotation is None else np.asarray(rotation)
    box = {
        "centroid": list(centre),
        "axesLengths": list(lengths),
        "normalizedAxes": axes.T.ravel().tolist(),
    }
    return {"objectId": 1, "label": label, "segments": [1], "obb": box}


def write_rscan(root, groups, scene_id="0a4b8ef6-a83a-21f2-8672-dce34dd0d7ca"):
    folder = root / scene_id
    folder.mkdir(parents=True)
    path = folder / "semseg.v2.json"
    path.write_text(json.dumps({"scan_id": scene_id, "segGroups": groups}))
    return path


def test_3rscan_takes_the_axis_closest_to_z_for_the_height(tmp_path):
    # local x = world up, local y = width, local z = depth, turned by 30 degrees about world z
    turn = Rotation.from_euler("z", TURN).as_matrix()
    axes = turn @ np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    path = write_rscan(
        tmp_path,
        [
            obb("floor", (0, 0, -1.2), (6, 5, 0.1), turn),
            obb("Sofa", turn @ (-2, 0, 0) + (0, 0, -0.8), (0.8, 2.0, 0.9), axes),
        ],
    )
    scene = rscan_scene(path, "room")
    (sofa,) = scene.objects
    assert sofa.value("name") == "sofa"
    assert set(sofa.beliefs) == {"name"}
    assert sofa.extent == pytest.approx((0.9, 2.0, 0.8))
    assert sofa.heading == pytest.approx(TURN)  # towards the middle
    assert sofa.position == pytest.approx((*(turn @ (-2, 0, 0))[:2], 0.4))
    expected = (turn[:2, :2] @ np.array([(-3, -2.5), (3, -2.5), (3, 2.5), (-3, 2.5)]).T).T
    assert np.array(scene.outline) == pytest.approx(expected)


def test_headings_point_to_the_middle_of_the_room_on_every_side(tmp_path):
    groups = [obb("floor", (5, 5, 0), (8, 8, 0))]
    for k in range(4):
        a = k * math.pi / 2 + 0.1
        centre = (5 + 3 * math.cos(a), 5 + 3 * math.sin(a), 0.5)
        groups.append(obb("shelf", centre, (0.3, 1, 1), Rotation.from_euler("z", a).as_matrix()))
    scene = rscan_scene(write_rscan(tmp_path, groups), "room")
    inwards = np.array([5, 5]) - scene.positions[:, :2]
    heads = np.stack([np.cos(scene.headings), np.sin(scene.headings)], -1)
    assert heads == pytest.approx(inwards / np.linalg.norm(inwards, axis=1, keepdims=True))


def test_turning_the_file_turns_the_table(tmp_path):
    def table(folder, angle):
        turn = Rotation.from_euler("z", angle).as_matrix()
        groups = [
            obb(label, turn @ centre, lengths, turn @ Rotation.from_euler("z", own).as_matrix())
            for label, centre, lengths, own in [
                ("floor", (0.2, 0.1, 0), (5, 4, 0), 0.0),
                ("bed", (1.2, 1, 0.3), (2, 1.5, 0.6), 0.1),
                ("lamp", (-1, 1, 0.6), (0.3, 0.4, 1.2), 1.0),
            ]
        ]
        return rscan_scene(write_rscan(tmp_path / folder, groups), "room")

    plain, turned = table("a", 0.0), table("b", 0.4)
    assert turned.extents == pytest.approx(plain.extents)
    assert np.cos(turned.headings - plain.headings - 0.4) == pytest.approx(np.ones(2))


def test_a_flat_thing_gets_a_volume(tmp_path):
    scene = rscan_scene(write_rscan(tmp_path, [obb("poster", (0, 0, 1), (0, 1, 1))]), "room")
    assert min(scene.objects[0].extent) > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"obb": None}, "'obb' is missing"),
        ({"label": 3}, "'label'"),
        ({"obb": {"centroid": [0, 0]}}, "the centre|the axes"),
        (obb("a", (0, 0, math.nan), (1, 1, 1)), "the centre should be 3 finite"),
        (obb("a", (0, 0, 10**400), (1, 1, 1)), "the centre should be 3 finite"),
        (obb("a", (0, 0, 0), (1, -1, 1)), "negative"),
        (obb("a", (0, 0, 0), (1, 1, 1), np.ones((3, 3))), "the axes are not orthonormal"),
        (obb("a", (0, 0, 0), ("1", 1, 1)), "the lengths"),
    ],
)
def test_a_damaged_3rscan_file_is_one_clear_line(tmp_path, change, message):
    path = write_rscan(
        tmp_path, [obb("a", (0, 0, 0), (1, 1, 1)), obb("b", (0, 0, 0), (1, 1, 1)) | change]
    )
    with pytest.raises(InputError, match=message) as caught:
        rscan_scene(path, "room")
    assert "\n" not in str(caught.value)
    assert f"{path}, segGroups[1]" in str(caught.value)


# --- EmbodiedScan ---------------------------------------------------------------------------------

CATEGORIES = {"floor": 4, "chair": 0, "TV stand": 9}


def info(convert=list, sample="scannet/scene0001_00"):
    boxes = [
        (4, [1, 1, 0.05, 4, 6, 0.1, 0, 0, 0]),
        (0, [1, 2.5, 0.5, 0.4, 0.6, 0.9, 0.3, 0.0, 0.0]),
        (
            9,
            [0, 0, 0.4, 0.5, 0.8, 1.4, 0.2, 0.05, math.pi / 2],
        ),  # its own x looks down, its z sideways
    ]
    instances = [
        {
            "bbox_label_3d": convert([label])[0],
            "bbox_id": k,
            "bbox_3d": convert(list(map(float, box))),
        }
        for k, (label, box) in enumerate(boxes)
    ]
    record = {
        "sample_idx": sample,
        "instances": instances,
        "images": [{"cam2global": convert([1.0, 2.0])}],
    }
    return {
        "metainfo": {"categories": CATEGORIES, "DATASET": "EmbodiedScan"},
        "data_list": [record],
    }


def write_pickle(path, content, protocol=4):
    path.write_bytes(pickle.dumps(content, protocol))
    return path


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "convert", [list, np.array, lambda v: np.array(v).astype(">f8" if len(v) > 1 else ">i8")]
)
def test_embodiedscan_gives_the_boxes_of_its_nine_numbers(tmp_path, convert, protocol):
    scenes = embodiedscan_scenes(write_pickle(tmp_path / "infos.pkl", info(convert), protocol))
    assert list(scenes) == ["scene0001_00"]
    scene = scenes["scene0001_00"]
    assert (scene.image, scene.source) == ("scene0001_00", "gt")
    chair, stand = scene.objects
    assert (chair.value("name"), stand.value("name")) == ("chair", "tv stand")
    assert chair.position == pytest.approx((1, 2.5, 0.45))
    assert chair.extent == pytest.approx((0.4, 0.6, 0.9))
    assert chair.heading == pytest.approx(0.3 - math.pi)  # the sense that points to (1, 1)
    axes = Rotation.from_euler("ZXY", [0.2, 0.05, math.pi / 2]).as_matrix()
    assert stand.extent == pytest.approx((0.8, 1.4, 0.5))  # own y, z and x
    assert math.cos(stand.heading - math.atan2(axes[1, 1], axes[0, 1])) == pytest.approx(1)
    assert np.array(scene.outline) == pytest.approx(np.array([(-1, -2), (3, -2), (3, 4), (-1, 4)]))


@pytest.mark.parametrize(
    ("sample", "scene_id"),
    [
        ("3rscan/0a4b8ef6", "0a4b8ef6"),
        ("matterport3d/17D/region0", "matterport3d/17D/region0"),
        ("x", "x"),
    ],
)
def test_scene_ids_are_those_of_hypo3d(tmp_path, sample, scene_id):
    assert list(embodiedscan_scenes(write_pickle(tmp_path / "i.pkl", info(sample=sample)))) == [
        scene_id
    ]


def _changed(**instance):
    content = info()
    content["data_list"][0]["instances"][1] |= instance
    return content


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "'metainfo'"),
        ({"metainfo": {"categories": {}}, "data_list": 3}, "'data_list'"),
        (info() | {"data_list": [{"instances": []}]}, r"data_list\[0\]: 'sample_idx'"),
        (info() | {"data_list": [{"sample_idx": "scannet/a"}]}, r"\(scannet/a\): 'instances'"),
        (info() | {"data_list": [{"sample_idx": "a", "instances": []}] * 2}, "occurs twice"),
        (_changed(bbox_label_3d=77), r"instances\[1\]: 'bbox_label_3d' '77'"),
        (_changed(bbox_label_3d=[]), "'bbox_label_3d'"),
        (_changed(bbox_3d=[1, 2, 3]), r"instances\[1\]: 'bbox_3d' should be 9"),
        (_changed(bbox_3d=[math.inf] * 9), "'bbox_3d' should be 9"),
        (_changed(bbox_3d=np.zeros((3, 3))), "'bbox_3d' should be 9"),
    ],
)
def test_a_damaged_info_file_is_one_clear_line(tmp_path, content, message):
    path = write_pickle(tmp_path / "infos.pkl", content)
    with pytest.raises(InputError, match=message) as caught:
        embodiedscan_scenes(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


# --- pickles --------------------------------------------------------------------------------------


class Runs:
    def __init__(self, call, *args):
        self.call, self.args = call, args

    def __reduce__(self):
        return self.call, self.args


TWICE = b"".join(bytes([104, k, 104, k, 0x86, 0x94]) for k in range(40))


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x04\x8f(" + b")\x94" + TWICE + b"\x90.",  # in a set: 2**40 steps to its hash
        b"\x80\x04}" + b")\x94" + TWICE + b"Ns.",  # as a key
        b"\x80\x04(" + b")\x94" + TWICE + b"\x91.",  # in a frozen set
        b"\x80\x04]r\xff\xff\xff\x7f.",  # at place 2**31 of the memo, which takes 34 GB
        b"\x80\x04\x96\xff\xff\xff\xff\x0f\x00\x00\x00.",  # an array of bytes that are not there
    ],
)
def test_a_pickle_that_takes_much_for_its_size_is_refused(tmp_path, data):
    (tmp_path / "a.pkl").write_bytes(data)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises(
        InputError, match=r"rejected; loading it takes far more|not a readable pickle"
    ) as caught:
        read_pickle(tmp_path / "a.pkl")
    assert time.monotonic() - start < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_would_run_a_command_runs_nothing(tmp_path, protocol):
    mark = tmp_path / "it ran"
    bomb = Runs(os.system, f"touch '{mark}'")
    path = write_pickle(tmp_path / "infos.pkl", info() | {"extra": bomb}, protocol)
    with pytest.raises(
        InputError, match=r"rejected; the pickle refers to '(posix|nt)\.system'"
    ) as caught:
        embodiedscan_scenes(path)
    assert not mark.exists()
    assert "\n" not in str(caught.value)
    pickle.loads(path.read_bytes())  # the control: without the refusal it would have run
    assert mark.exists()


@pytest.mark.parametrize(
    ("data", "asked"),
    [
        (pickle.dumps(Runs(eval, "1")), "builtins.eval"),
        (pickle.dumps(Runs(getattr, "a", "upper")), "builtins.getattr"),
        (pickle.dumps(np.load), "numpy.load"),
        (pickle.dumps(Runs(bytearray, 10**12)), "builtins.bytearray"),
        (b"\x80\x04\x8c\x05numpy\x8c\x0ctestingos.os\x93.", "numpy.testingos.os"),
        (b"\x80\x04\x8c\x05numpy\x8c\x0edtype.__init__\x93.", "numpy.dtype.__init__"),
        (b"cos\nsystem\n(S'true'\ntR.", "os.system"),
        (b"(S'true'\nios\nsystem\n.", "os.system"),
        (b"c" + b"a" * 5000 + b"\nsystem\n.", "a" * 80),
    ],
)
def test_any_other_name_is_refused_and_named(tmp_path, data, asked):
    path = tmp_path / "a.pkl"
    path.write_bytes(data)
    with pytest.raises(InputError, match="refused") as caught:
        read_pickle(path)
    assert f"'{asked}'" in str(caught.value)
    assert len(str(caught.value)) < 300 + len(str(path))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no pickle",
        pickle.dumps(info())[:-20],
        pickle.dumps(np.array([None, "a"])),  # an array of objects
        pickle.dumps(np.array(["a", "b"])),
        pickle.dumps(Runs(np.dtype, "O")),
        b"cnumpy\nndarray\n(tR(I1\n(I2\ntNI00\nS'x'\ntb.",
        b"\x80\x02cnumpy\ndtype\n}X\x04\x00\x00\x00_keyX\x04\x00\x00\x00evils\x86b(tR.",
        b"\x80\x04P1\n.",
        b"\x80\x02\x82\x01.",
    ],
)
def test_what_is_no_plain_data_is_an_input_error(tmp_path, data):
    path = tmp_path / "a.pkl"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"not a readable pickle|rejected") as caught:
        read_pickle(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_data_comes_back_as_it_was(tmp_path, protocol):
    arrays = [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)),
        np.array(True),
    ]
    content = {
        "a": [1, -2.5, "é", None, True, b"", b"\xff\x00", (1,), {2, 3}],
        4: OrderedDict(x=1),
        "n": np.float32(0.5),
    }
    got = read_pickle(write_pickle(tmp_path / "a.pkl", [content, arrays], protocol))
    assert got[0] == content
    assert [a.tolist() for a in got[1]] == [a.tolist() for a in arrays]


# --- colours --------------------------------------------------------------------------------------


def test_lab_of_known_colours():
    # the values every colour-science text gives for sRGB red and mid grey (CIE 15, D65)
    assert lab((255, 0, 0)) == pytest.approx((53.24, 80.09, 67.20), abs=0.05)
    assert lab((119, 119, 119)) == pytest.approx((50.03, 0, 0), abs=0.05)
    assert lab([(255, 255, 255), (0, 0, 0)]) == pytest.approx(
        np.array([(100, 0, 0), (0, 0, 0)]), abs=0.02
    )


@pytest.mark.parametrize(
    ("rgb", "word"),
    [
        ((240, 238, 230), "white"),
        ((40, 38, 36), "black"),
        ((120, 120, 125), "gray"),
        ((130, 95, 60), "brown"),
        ((170, 40, 40), "red"),
        ((60, 90, 160), "blue"),
        ((50, 110, 60), "green"),
        ((220, 200, 60), "yellow"),
        ((220, 120, 30), "orange"),
        ((220, 140, 160), "pink"),
        ((110, 60, 130), "purple"),
        ((220, 200, 160), "beige"),
    ],
)
def test_colours_get_the_word_that_people_use(rgb, word):
    assert color_name(rgb) == word


def test_every_colour_word_has_a_colour():
    assert {color_name(c) for c in np.random.default_rng(0).integers(0, 256, (3000, 3))} == set(
        COLORS
    )


# --- telling the formats apart --------------------------------------------------------------------


def test_read_scan_tells_the_formats_apart(tmp_path):
    folder = write_scannet(tmp_path / "scannet")
    boxes = write_rscan(tmp_path / "3rscan", [obb("bed", (0, 0, 0.3), (2, 1.5, 0.6))], "uuid")
    infos = write_pickle(tmp_path / "infos.pkl", info())
    assert read_scan(folder) == {"scene0000_00": scannet_scene(folder)}
    assert read_scan(boxes) == read_scan(boxes.parent) == {"uuid": rscan_scene(boxes, "uuid")}
    assert read_scan(infos) == embodiedscan_scenes(infos)


def test_read_scan_gathers_a_folder_and_prefers_its_scene_folders(tmp_path):
    write_scannet(tmp_path, "scene0001_00")
    write_rscan(tmp_path, [obb("bed", (0, 0, 0.3), (2, 1.5, 0.6))], "uuid")
    content = info()
    content["data_list"] += info(sample="3rscan/other")["data_list"]
    write_pickle(tmp_path / "infos.pkl", content)
    (tmp_path / "notes").mkdir()
    scenes = read_scan(tmp_path)
    assert set(scenes) == {"scene0001_00", "uuid", "other"}
    assert "desk" in by_name(scenes["scene0001_00"])
    assert all(scene.image == scene_id for scene_id, scene in scenes.items())


def test_read_scan_reads_only_what_is_wanted(tmp_path):
    write_scannet(tmp_path, "scene0001_00")
    broken = write_scannet(tmp_path, "scene0002_00")
    (broken / "scene0002_00.txt").unlink()
    assert set(read_scan(tmp_path, only=("scene0001_00",))) == {"scene0001_00"}
    with pytest.raises(InputError, match=r"scene0002_00\.txt"):
        read_scan(tmp_path)


def test_what_is_no_scan_says_what_would_be_one(tmp_path):
    (tmp_path / "a.txt").write_text("")
    for path in (tmp_path, tmp_path / "a.txt", tmp_path / "absent"):
        with pytest.raises(InputError, match=r"ScanNet folder.*3RScan.*EmbodiedScan"):
            read_scan(path)
