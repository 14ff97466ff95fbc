"""Photographs with ONNX detectors, depth files and size priors: `po3d ask`, marks of guesses,
refusals.
"""

import importlib.util
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from onnx_files import write_constant
from PIL import Image
from test_size_priors import FOCAL, HEIGHT, THINGS, WIDTH, image_box

from po3d.cli import main as cli
from po3d.io.errors import InputError
from po3d.perception import photo_statistics
from po3d.perception.depth_files import PhotographWarning
from po3d.perception.foundation import foundation, parse_known
from po3d.perception.foundation_estimator import FoundationEstimator
from po3d.perception.onnx_detector import Boxes, coco_names
from po3d.systems import photographs
from po3d.systems.api import Model
from po3d.systems.domain_router import is_photograph
from po3d.systems.pipeline import Pipeline
from po3d.systems.scene_sources import Estimated

NAMES = coco_names()
PIXELS = np.full((HEIGHT, WIDTH, 3), 128, np.uint8)
DISPLAYED = (THINGS[0], THINGS[2], THINGS[3])  # a person, a car, a chair
needs_runtime = pytest.mark.skipif(
    not any(importlib.util.find_spec(name) for name in ("openvino", "onnxruntime")),
    reason="no runtime: pip install 'po3d[openvino]'",
)


def boxes(picture=None):
    score = np.full((len(DISPLAYED), len(NAMES)), 0.001)
    for k, (name, *_) in enumerate(DISPLAYED):
        score[k, NAMES.index(name)] = 0.9
    return Boxes(np.array([image_box(*thing) for thing in DISPLAYED]), score)


def model(**changes):
    estimator = replace(FoundationEstimator(boxes, None, None, classes=NAMES), **changes)
    source = Estimated(estimator, "photographs")
    return Model(Pipeline(source, photographs.question_parser(), photographs.DOMAIN))


def ask(question, **changes):
    return model(**changes).ask(PIXELS, question, focal=FOCAL / WIDTH)


def test_questions_are_answered_from_boxes_and_usual_sizes():
    answer = ask("Which is closer to the camera, the person or the car?")
    assert (answer.status, answer.answer) == ("ok", "person")
    assert answer.probability > 0.9
    assert (
        ask("Which is closer to the camera, the man or the sofa?").status == "failed"
    )  # no sofa is detected
    for o, (_, x, y, _) in zip(answer.scene.objects, DISPLAYED, strict=True):
        assert o.position[0] == pytest.approx(x, abs=0.4)
        assert o.position[1] == pytest.approx(y, rel=0.12)
        assert (o.flip, o.covariance[2][2] > 0.8) == (0.5, True)


def test_an_answer_that_rests_on_an_unknown_heading_is_marked_as_a_guess():
    for question in (
        (
            "If I stand at the person's position facing where it is facing, is the car on the left"
            " or right of me?"
        ),
        "Which side of the person is facing the camera?",
    ):
        guess = ask(question)
        assert guess.answer is not None
        assert guess.probability <= 0.5
        assert "a guess: the heading of the person is unknown" in str(guess)
    assert "a guess" not in str(ask("Which is closer to the camera, the person or the car?"))


def test_known_headings_are_no_guess():
    facing = lambda crops: [photo_facing() for _ in crops]  # noqa: E731
    answer = ask("Which side of the person is facing the camera?", face=facing)
    assert "a guess" not in str(answer)


def photo_facing():
    from po3d.perception.foundation_orientation import Facing

    return Facing(0.0, 0.1, 0.0, 0.1, 0.02)


def test_one_known_height_scales_a_depth_map_and_a_thing_that_is_not_there_is_refused():
    v = np.arange(HEIGHT) + 0.5 - HEIGHT / 2
    depth = np.full((HEIGHT, WIDTH), 8.0)
    depth[v > 150] = np.minimum(8.0, 1.5 * FOCAL / v[v > 150])[:, None]
    Depth = type("Depth", (), {"metres": depth, "focal": None})
    plain = ask(
        "Which is closer to the camera, the person or the car?", measure=lambda *_: Depth
    ).scene
    known = ask(
        "Which is closer to the camera, the person or the car?",
        measure=lambda *_: Depth,
        known=("person", 2 * plain.objects[0].extent[2]),
    ).scene
    np.testing.assert_allclose(known.objects[1].position, 2 * np.array(plain.objects[1].position))
    assert known.camera.position[2] == pytest.approx(2 * plain.camera.position[2])
    with pytest.raises(InputError, match="no 'mug' is detected"):
        ask("Which is closer to the camera, the person or the car?", known=("mug", 0.1))


@needs_runtime
def test_the_points_of_a_detectors_mask_are_the_object(tmp_path):
    """A person behind a fence that fills most of the box: with masks the depth is the person's."""
    side, cells = 64, 84
    rows = np.zeros((1, 4 + 80 + 1, cells), np.float32)
    rows[0, :4, 5], rows[0, 4, 5], rows[0, 84, 5] = (32, 36, 40, 40), 0.9, 1.0
    prototype = np.full((1, 1, 16, 16), -1.0, np.float32)
    prototype[0, 0, :, 7:9] = 1.0  # columns 28 to 36 of the input
    ports, outputs = {"images": (1, 3, side, side)}, {"output0": rows, "output1": prototype}
    with_masks = write_constant(tmp_path / "masks.onnx", ports, outputs)
    without = write_constant(tmp_path / "boxes.onnx", ports, {"output0": rows[:, :84]})
    v = np.arange(side) + 0.5 - side / 2
    depth = np.where(v[:, None] > 0, 1.5 * side / np.maximum(v, 1e-6)[:, None], 50.0)
    depth = np.minimum(depth, 50.0) * np.ones((side, side))
    depth[16:56, 12:52] = 4.0  # the fence
    depth[16:56, 28:36] = 6.0
    np.save(tmp_path / "depth.npy", depth)
    picture = np.full((side, side, 3), 90, np.uint8)
    away = {}
    for path in (with_masks, without):
        estimator = foundation({"onnx": str(path)}, {"file": str(tmp_path / "depth.npy")})
        (scene,) = estimator.estimate([picture], [1.0])
        away[path.stem] = scene.objects[0].position[1]
    assert away["masks"] == pytest.approx(6.2, abs=0.3)  # of its centre
    assert away["boxes"] == pytest.approx(4.2, abs=0.3)


def test_known_sizes_are_parsed():
    assert parse_known("mug: 0.1 m") == parse_known("Mug:0.1") == ("mug", 0.1)
    for text in (
        "mug",
        "mug: tall",
        ": 1 m",
        "mug: -1",
        "mug: inf",
        "mug: nan",
        "mug: 1e-320",
        "mug: 2000",
    ):
        with pytest.raises(InputError, match="should be a thing and its height"):
            parse_known(text)


def test_settings_that_contradict_each_other_are_refused(tmp_path):
    (tmp_path / "x.onnx").touch()
    onnx = {"onnx": str(tmp_path / "x.onnx")}
    for detector, depth, words in (
        ({**onnx, "transformers": "a/b"}, None, "given twice: transformers= and onnx="),
        (onnx, {"transformers": "a/b", "file": "d.npy"}, "given twice: transformers= and file="),
        (onnx, {"unit": 0.1}, "is for perception.depth.file"),
        ({"temperature": 2.0}, None, "temperature is for perception.detector.onnx"),
        (onnx, "deep", "should be none, or give transformers= or file="),
    ):
        with pytest.raises(InputError, match=words):
            foundation(detector, depth)
    estimator = foundation(
        {**onnx, "transformers": None}, {"transformers": None, "file": None}, {"weights": None}
    )
    assert (estimator.measure, estimator.face) == (None, None)
    assert estimator.version == "detector x.onnx, depth size priors, orientation none"


@pytest.fixture
def files(tmp_path):
    """A photograph, and a detector of end-to-end rows that sees SHOWN in it."""
    result, side = boxes(), 640
    rows = np.zeros((1, 20, 6), np.float32)
    scale = side / WIDTH
    for k, box in enumerate(result.box):
        rows[0, k] = (
            *(box * scale + [0, (side - HEIGHT * scale) / 2] * 2),
            0.9,
            result.score[k].argmax(),
        )
    write_constant(tmp_path / "tiny.onnx", {"images": (1, 3, side, side)}, {"out": rows})
    noise = np.random.default_rng(0).integers(0, 256, PIXELS.shape, dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "photo.jpg")
    k = {"fx": FOCAL, "fy": FOCAL, "cx": WIDTH / 2, "cy": HEIGHT / 2}
    (tmp_path / "k.json").write_text(json.dumps(k))
    np.save(tmp_path / "depth.npy", np.full((HEIGHT, WIDTH), 5.0))
    return tmp_path


QUESTION = "Which is closer to the camera, the person or the car?"


@needs_runtime
def test_ask_takes_detector_lens_depth_and_known_size(files, capsys):
    photo = str(files / "photo.jpg")
    options = [
        "--detector",
        str(files / "tiny.onnx"),
        "--intrinsics",
        str(files / "k.json"),
        "--json",
    ]
    assert cli.main(["ask", photo, QUESTION, *options]) == 0  # auto: noise is of no domain
    record = json.loads(capsys.readouterr().out)
    assert record["answer"] == "person"
    assert record["scene"]["objects"][0]["position"][1] == pytest.approx(THINGS[0][2], rel=0.12)
    assert cli.main(["ask", photo, QUESTION, *options, "--known", "person: 0.81 m"]) == 0
    assert json.loads(capsys.readouterr().out)["scene"]["objects"][0]["extent"][2] == pytest.approx(
        0.81, rel=0.05
    )
    assert cli.main(["ask", photo, QUESTION, *options, "--depth", str(files / "depth.npy")]) in (
        0,
        1,
    )
    by_depth = json.loads(capsys.readouterr().out)["scene"]["objects"]
    assert by_depth[0]["position"][1] == pytest.approx(5.0, abs=0.3)


@needs_runtime
def test_without_a_lens_the_common_doubt_is_a_note(files, capsys):
    assert (
        cli.main(
            ["ask", str(files / "photo.jpg"), QUESTION, "--detector", str(files / "tiny.onnx")]
        )
        == 0
    )
    assert (
        "note: without a depth map, distances are derived from usual object sizes"
        in capsys.readouterr().err
    )


def test_a_missing_detector_and_two_lenses_are_one_line(files, capsys):
    photo = str(files / "photo.jpg")
    assert cli.main(["ask", photo, QUESTION, "--detector", str(files / "no.onnx")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "no.onnx is not a file" in line
    both = ["--perception", "photo", "--focal", "1.0", "--intrinsics", str(files / "k.json")]
    assert cli.main(["ask", photo, QUESTION, *both]) == 2
    assert "--focal and --intrinsics both give the lens" in capsys.readouterr().err


def test_a_lens_of_another_size_of_picture_is_refused():
    with pytest.raises(InputError, match="belong to another image size"):
        ask(QUESTION, intrinsics=(700.0, (1500.0, 300.0)))


def test_a_wrong_unit_of_a_depth_file_is_a_warning(tmp_path):
    np.save(tmp_path / "d.npy", np.full((HEIGHT, WIDTH), 5000.0))
    onnx = tmp_path / "x.onnx"
    onnx.touch()
    estimator = replace(
        foundation({"onnx": str(onnx)}, {"file": str(tmp_path / "d.npy")}),
        detect=lambda picture: boxes(),
    )
    with pytest.warns(PhotographWarning, match="check the unit"):
        estimator.estimate([PIXELS], [FOCAL / WIDTH])


# --- photographs and renderings -------------------------------------------------------------------


def test_shipped_renderings_are_no_photographs():
    from po3d.io.images import read_image
    from po3d.io.paths import MINI

    for folder in ("pulsecheck457/images", "superclevr/images", "3dsrbench/images", "scope/images"):
        for path in sorted((MINI / folder).glob("*.jpg"))[:5]:
            assert not is_photograph(read_image(path), 0.5), path


def test_fine_texture_and_noise_speak_for_a_photograph():
    r = np.random.default_rng(0)
    cells = r.integers(0, 256, (75, 100, 3)).repeat(4, 0).repeat(4, 1)
    rough = (0.6 * cells + r.integers(0, 100, (300, 400, 3))).clip(0, 255).astype(np.uint8)
    assert photo_statistics.photograph_score(rough) > 0
    assert is_photograph(rough, 1.0)
    assert (
        photo_statistics.features(np.zeros((3, 5, 3), np.uint8)).shape
        == photo_statistics.shipped()[0].shape
    )
    assert math.isfinite(photo_statistics.photograph_score(np.zeros((9, 900, 3), np.uint8)))


def test_outside_of_every_domain_less_evidence_is_needed(monkeypatch):
    monkeypatch.setattr(photo_statistics, "photograph_score", lambda picture: 0.0)
    picture = np.zeros((9, 9, 3), np.uint8)
    assert not is_photograph(picture, 1.0)
    assert is_photograph(picture, 1.01)
    assert not is_photograph(picture, 0.2)


def test_auto_refuses_a_photograph_that_the_networks_would_take(monkeypatch):
    import po3d
    from po3d.io.paths import MINI
    from po3d.perception.street import StreetEstimator
    from po3d.systems import domain_router

    street = MINI / "pulsecheck457" / "images" / "superCLEVR_new_000003.jpg"
    auto = po3d.load("auto")
    assert auto.chosen(street).kind == "street"
    monkeypatch.setattr(domain_router, "is_photograph", lambda picture, ood_score: True)
    named = domain_router.DomainRouter(auto.builders, "street")  # --perception street
    assert auto.chosen(street).kind == "street"  # vehicles are recognised
    named.refuse_photograph(street)
    monkeypatch.setattr(StreetEstimator, "recognises", lambda self, picture: False)
    with pytest.raises(InputError, match="looks like a photograph"):
        auto.chosen(street)
    with pytest.raises(InputError, match="looks like a photograph"):
        named.refuse_photograph(street)
    monkeypatch.setattr(domain_router, "is_photograph", lambda picture, ood_score: False)
    named.refuse_photograph(street)
