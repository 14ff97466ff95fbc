"""Photographs to tables and answers, with the real classes of transformers at tiny random sizes,
made on the spot.
"""

import csv
import importlib.util
import json
import math
import re
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from onnx_files import write_constant
from PIL import Image
from safetensors.torch import load_file, save_file

from po3d.cli import main as cli
from po3d.io.config import ROOT
from po3d.io.errors import InputError
from po3d.io.images import exif_focal
from po3d.perception import foundation_networks as networks
from po3d.perception import foundation_orientation as orientations
from po3d.perception.foundation import foundation
from po3d.perception.foundation_weights import Weights, folders
from po3d.reasoning.questions import read_predictions
from po3d.scene.table import from_json

_SPEC = importlib.util.spec_from_file_location("evaluate", ROOT / "evaluate.py")
evaluate = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(evaluate)

tiny = pytest.importorskip(
    "tiny_networks", reason="transformers is an extra: pip install 'po3d[foundation]'"
)

PIXELS = np.random.default_rng(0).integers(0, 256, (60, 90, 3), dtype=np.uint8)
QUESTION = "Which is closer to the camera, the dog or the car?"


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """Folders of all networks."""
    root = tmp_path_factory.mktemp("hub")
    for make in (
        tiny.grounding_dino,
        tiny.owlv2,
        tiny.sam3,
        tiny.depth_anything,
        tiny.depth_pro,
        tiny.orientation,
    ):
        make(root / make.__name__)
    return root


@pytest.fixture
def photo(tmp_path):
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0xA405] = 43
    path = tmp_path / "photo.jpg"
    Image.fromarray(PIXELS).save(path, exif=exif)
    return path


def settings(hub, detector="grounding_dino", depth="depth_anything"):
    named = {"detector": detector, "depth": depth, "orientation": "orientation"}
    key = {"orientation": "weights"}
    return {role: {key.get(role, "transformers"): str(hub / name)} for role, name in named.items()}


def overrides(hub, **names):
    return [
        f"perception.{role}.{key}={folder}"
        for role, node in settings(hub, **names).items()
        for key, folder in node.items()
    ]


def ask(photo, *more):
    return cli.main(["ask", str(photo), QUESTION, "--perception", "photo", *more])


# --- the whole path -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("detector", "depth"),
    [("grounding_dino", "depth_anything"), ("owlv2", "depth_pro"), ("sam3", "depth_anything")],
)
def test_ask_goes_from_a_photo_to_a_table_and_an_answer(
    hub, photo, tmp_path, capsys, detector, depth
):
    sampled = tmp_path / "drawn.png"
    choice = "perception.choice.threshold=0.0"  # random networks are sure of nothing
    options = [*overrides(hub, detector=detector, depth=depth), choice]
    code = ask(
        photo, "--json", "--save", str(sampled), *(part for o in options for part in ("--set", o))
    )
    record = json.loads(capsys.readouterr().out)
    scene = from_json(record["scene"])
    assert code == (0 if record["status"] == "ok" else 1)
    assert record["program"] == 'nearer_camera("dog", "car")'
    assert scene.source == "predicted"
    assert scene.camera.focal / scene.camera.width == pytest.approx(
        43 / 43.267 * math.hypot(90, 60) / 90, rel=1e-3
    )
    assert scene.camera.position[:2] == pytest.approx((0, 0))
    assert scene.axes["behind"] == pytest.approx((0, 1))
    assert len(scene)
    for o in scene.objects:
        assert sum(o.beliefs["name"].values()) == pytest.approx(1)
        assert min(o.extent) > 0
        assert 0 < o.existence <= 1
        np.linalg.cholesky(np.array(o.covariance))
        assert (np.array(o.box) <= (90, 60, 90, 60)).all()
    if record["status"] == "ok":
        assert record["answer"] in ("dog", "car")
    assert Image.open(sampled).size == (90, 60)


def test_options_say_the_answer_and_bad_ones_are_refused(hub, photo, capsys):
    arguments = [part for o in overrides(hub) for part in ("--set", o)]
    assert ask(photo, *arguments, "--option", "the car", "--option", "the dog", "--json") in (0, 1)
    assert json.loads(capsys.readouterr().out)["answer"] in ("the car", "the dog", None)
    above = [
        "ask",
        str(photo),
        "Is the dog directly above the car?",
        "--perception",
        "photo",
        *arguments,
    ]
    assert cli.main([*above, "--option", "maybe", "--option", "never"]) == 2
    assert "matches an answer" in capsys.readouterr().err


def test_the_benchmark_goes_through_on_a_folder_of_photographs(hub, tmp_path, capsys):
    (tmp_path / "release").mkdir()
    Image.fromarray(PIXELS).save(tmp_path / "release" / "a.png")
    columns = ["qid", "question", "A", "B", "answer", "category", "image_path"]
    with open(tmp_path / "release" / "3dsrbench.tsv", "w", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(columns)
        for qid, a, b in (("Q1", "dog", "car"), ("Q1-1", "car", "dog"), ("Q1-flip", "dog", "car")):
            writer.writerow((qid, QUESTION, a, b, "A", "location_closer_to_camera", "a.png"))
    arguments = [
        "benchmark=3dsrbench",
        "perception=foundation",
        f"data.root={tmp_path / 'release'}",
        *overrides(hub),
    ]
    assert evaluate.run([*arguments, f"out={tmp_path / 'out'}"]) == 0
    result = list(read_predictions(tmp_path / "out" / "predictions.jsonl"))
    assert len(result) == 3
    assert {p.program for p in result} == {'nearer_camera("dog", "car")'}
    scenes = [
        json.loads(line) for line in (tmp_path / "out" / "scenes.jsonl").read_text().splitlines()
    ]
    assert [s["image"] for s in scenes] == ["a.png", "a.png#flip"]
    capsys.readouterr()
    assert (
        evaluate.run(
            [
                "benchmark=pulsecheck457",
                *arguments[1:2],
                *overrides(hub),
                f"out={tmp_path / 'other'}",
            ]
        )
        == 2
    )
    assert "perception=shipped" in capsys.readouterr().err


# --- weights --------------------------------------------------------------------------------------


def test_missing_weights_are_one_line_that_names_them_all_and_says_how_to_get_them(
    photo, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    assert ask(photo) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert "hf download IDEA-Research/grounding-dino-base" in line
    assert "hf download depth-anything/Depth-Anything-V2-Metric-Outdoor-Small-hf" in line
    assert "orientation: ./weights/orient-anything-large is not a folder" in line


def test_a_folder_of_pickles_is_refused(hub, photo, tmp_path, capsys):
    folder = tmp_path / "pickled"
    folder.mkdir()
    weights = load_file(hub / "depth_anything" / "model.safetensors")
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / "config.json").write_text((hub / "depth_anything" / "config.json").read_text())
    options = [
        *overrides(hub)[:1],
        f"perception.depth.transformers={folder}",
        "perception.orientation=null",
    ]
    assert ask(photo, *(part for o in options for part in ("--set", o))) == 2
    assert (
        "contains pickles (pytorch_model.bin), which are not supported" in capsys.readouterr().err
    )


@pytest.mark.parametrize("name", ["no such/na me", "../elsewhere", "nothing"])
def test_a_name_that_is_neither_folder_nor_hub_name_is_reported_so(name):
    with pytest.raises(InputError, match=re.escape(f"depth: {name} is n")):
        folders([Weights("depth", name)])


def test_a_sharded_folder_needs_all_its_parts(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    (tmp_path / "model-1.safetensors").touch()
    with pytest.raises(InputError, match=r"has no model-2\.safetensors"):
        folders([Weights("depth", str(tmp_path))])
    (tmp_path / "model-2.safetensors").touch()
    assert folders([Weights("depth", str(tmp_path))]) == {"depth": tmp_path}


def test_networks_of_another_kind_relative_depth_and_holes_are_refused(hub, tmp_path):
    with pytest.raises(InputError, match="known: grounding-dino"):
        networks.Detector(hub / "depth_pro")
    with pytest.raises(InputError, match="relative depth"):
        networks.DepthMap(tiny.depth_anything(tmp_path / "relative", "relative"))
    holed = tiny.depth_anything(tmp_path / "holed")
    weights = load_file(holed / "model.safetensors")
    save_file(dict(list(weights.items())[1:]), holed / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match="lack 1 tensors"):
        networks.DepthMap(holed)


def test_weights_in_half_precision_are_read_as_single(hub, tmp_path):
    folder = tiny.depth_pro(tmp_path / "half")
    weights = load_file(folder / "model.safetensors")
    save_file(
        {k: v.half() for k, v in weights.items()}, folder / "model.safetensors", {"format": "pt"}
    )
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"dtype": "float16"}))
    result, expected = (
        networks.DepthMap(folder)(PIXELS),
        networks.DepthMap(hub / "depth_pro")(PIXELS),
    )
    assert result.focal == pytest.approx(expected.focal, rel=0.02)


def test_a_head_of_another_width_is_refused(tmp_path):
    folder = tiny.orientation(tmp_path / "wide", rotations=360)
    assert abs(orientations.Orientation(folder)([PIXELS])[0].rotation) <= math.pi
    save_file(orientations.head(9, 902).state_dict(), folder / orientations.HEAD)
    with pytest.raises(InputError, match="does not fit"):
        orientations.Orientation(folder)


# --- what networks say ----------------------------------------------------------------------------


def test_scores_of_phrases_are_those_of_their_own_tokens(hub):
    detector = networks.Detector(hub / "grounding_dino")
    text, spans = networks.sentence(["dog", "stop sign"])
    assert text == "dog. stop sign."
    tokens = detector.processor.tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
    of_tokens = np.array([[0.9, 0.8, 0.1, 0.2, 0.6, 0.1, 0.9]])  # [CLS] dog . stop sign . [SEP]
    np.testing.assert_allclose(networks.of_phrases(of_tokens, tokens, spans), [[0.8, 0.4]])


def test_more_phrases_than_a_prompt_holds_are_queried_in_parts(hub):
    phrases = [
        "dog",
        "car",
        "person",
        "sofa",
        "bed",
        "chair",
        "stop sign",
    ] * 2  # 24 tokens hold about eight of them
    result = networks.Detector(hub / "grounding_dino", phrases_at_once=14)(PIXELS, phrases)
    assert result.score.shape[1] == len(phrases)
    assert ((result.score > 0).sum(1) <= 7).all()  # each box was asked about a part
    assert (result.score > 0).any(0).all()


def test_owlv2_boxes_are_in_the_pixels_of_the_unpadded_picture(hub):
    detector = networks.Detector(hub / "owlv2")
    visible = {}
    detector.model = lambda **inputs: (
        visible.update(inputs)
        or Boxed(logits=torch.zeros(1, 1, 1), pred_boxes=torch.tensor([[[0.5, 0.25, 0.5, 0.25]]]))
    )
    detector.model.config = Configured("owlv2")
    np.testing.assert_allclose(
        detector(PIXELS, ["dog"]).box, [[22.5, 11.25, 67.5, 33.75]], atol=1e-4
    )
    assert visible["pixel_values"].shape[-1] == visible["pixel_values"].shape[-2]


def test_sam3_gives_masks_for_the_boxes_of_each_phrase(hub):
    result = networks.detector(hub / "sam3")
    assert isinstance(result, networks.Segmenter)
    boxes = result(PIXELS, ["dog", "stop sign", "car " * 40])
    assert boxes.score.shape == (len(boxes.box), 3)
    assert ((boxes.score > 0).sum(1) == 1).all()  # each box was asked about one phrase
    assert (boxes.score > 0).any(0).all()
    assert boxes.mask.dtype == bool
    assert boxes.mask.shape == (len(boxes.box), 16, 16)
    assert (boxes.box <= (90, 60, 90, 60)).all()
    assert isinstance(networks.detector(hub / "owlv2"), networks.Detector)


@dataclass
class Boxed:
    logits: torch.Tensor
    pred_boxes: torch.Tensor


@dataclass
class Configured:
    model_type: str

    @property
    def text_config(self):
        return self

    max_position_embeddings = 16


def test_a_known_lens_sets_the_depth_of_a_network_that_guesses_it(hub):
    depth = networks.DepthMap(hub / "depth_pro")
    own = depth(PIXELS)
    twice = depth(PIXELS, 2 * own.focal)
    np.testing.assert_allclose(twice.metres, 2 * own.metres)
    assert networks.DepthMap(hub / "depth_anything")(PIXELS).focal is None


def test_outputs_of_the_orientation_head_mean_angles():
    logits = torch.full((360 + 180 + 180 + 2,), -20.0)
    for at in (90, 360 + 120, 540 + 80):
        logits[at] = 20.0
    logits[-2:] = torch.tensor([20.0, -20.0])
    facing = orientations.decoded(logits)
    assert np.degrees([facing.azimuth, facing.polar, facing.rotation]) == pytest.approx(
        [90, 30, -10]
    )
    assert facing.flip == pytest.approx(0, abs=1e-6)
    logits[-2:] = torch.tensor([-20.0, 20.0])
    assert orientations.decoded(logits).flip == pytest.approx(0.5)


def test_v2_tells_the_order_of_symmetry_and_then_which_fronts_are_equal():
    for order in (1, 2, 4, 0):
        logits = np.full(900, -9.0)
        angle = np.radians(np.arange(360) - 40)
        logits[:360] = -2 + (4 * np.cos(order * angle) if order else 0)
        logits[360 + 120], logits[540 + 170] = 9.0, 9.0
        facing = orientations.decoded_v2(logits)
        assert facing.symmetry == order
        assert np.degrees([facing.polar, facing.rotation]) == pytest.approx([30, -10])
        if order in (1, 2):
            assert np.degrees(facing.azimuth) % (360 / order) == pytest.approx(40, abs=1)
            assert facing.flip == pytest.approx({1: 0, 2: 0.5}[order], abs=0.02)
        else:
            assert (facing.flip, facing.sigma) == (0.5, pytest.approx(math.pi / 12**0.5))


@pytest.mark.skipif(
    not any(map(importlib.util.find_spec, ("openvino", "onnxruntime"))), reason="no ONNX runtime"
)
def test_v2_as_a_file_puts_the_symmetry_into_the_table(hub, tmp_path):
    logits = np.full((1, 900), -9.0, np.float32)
    logits[0, [10, 190]] = 9.0
    path = write_constant(tmp_path / "v2.onnx", {"image": (1, 3, 28, 28)}, {"angles": logits})
    supplied = settings(hub) | {"orientation": {"onnx": str(path)}}
    estimator = foundation(**supplied, choice={"threshold": 0.0})
    (scene,) = estimator.estimate([PIXELS], [None], things=["dog"])
    assert {o.value("symmetry") for o in scene.objects} == {"2"}
    assert {o.flip for o in scene.objects} == {0.5}
    assert "orientation v2.onnx" in estimator.version
    with pytest.raises(
        InputError, match=r"orientation .*none\.onnx is not a file; docs/foundation"
    ):
        foundation(**settings(hub) | {"orientation": {"onnx": str(tmp_path / "none.onnx")}})
    wrong = write_constant(
        tmp_path / "wrong.onnx", {"image": (1, 3, 28, 28)}, {"angles": logits[:, :50]}
    )
    with pytest.raises(InputError, match="gives 50 numbers; Orient Anything V2 gives 900"):
        orientations.OrientationV2(wrong)([PIXELS])


class Aggregator(torch.nn.Module):
    """Tokens of V2's aggregator by layer: (batch, views, tokens, width)."""

    def __init__(self, width=32, patch=7):
        super().__init__()
        self.patches = torch.nn.Conv2d(3, width, patch, patch)
        self.query, self.value = torch.nn.Linear(width, width), torch.nn.Linear(width, width)
        self.first = torch.nn.Parameter(torch.zeros(1, 1, width))

    def forward(self, images):
        batch, views = images.shape[:2]
        rows = self.patches(images.flatten(0, 1)).flatten(2).transpose(1, 2)
        rows = torch.cat([self.first.expand(len(rows), -1, -1), rows], 1)
        tokens = (self.query(rows) @ rows.transpose(1, 2)).softmax(-1) @ self.value(rows)
        return [tokens.unflatten(0, (batch, views))], 1


class OneCrop(torch.nn.Module):
    """The wrapper of docs/foundation.md, around a network of V2's interface at a tiny size."""

    def __init__(self):
        super().__init__()
        self.aggregator, self.ref_sampler = Aggregator(), torch.nn.Linear(32, 900)

    def forward(self, image):
        tokens, _ = self.aggregator(image[None])
        return self.ref_sampler(tokens[-1][:, 0, 0])


def test_a_network_of_v2s_interface_is_converted_and_gives_the_same_angles(tmp_path):
    openvino = pytest.importorskip("openvino")
    torch.manual_seed(0)
    network = OneCrop().eval()
    converted = openvino.convert_model(network, example_input=torch.zeros(1, 3, 28, 28))
    converted.reshape([1, 3, 28, 28])
    openvino.save_model(converted, tmp_path / "v2.xml", compress_to_fp16=False)
    crop = np.random.default_rng(0).integers(0, 255, (28, 28, 3), np.uint8)
    (facing,) = orientations.OrientationV2(tmp_path / "v2.xml")([crop])
    pixels = torch.tensor(crop.transpose(2, 0, 1)[None] / 255, dtype=torch.float32)
    with torch.inference_mode():
        expected = orientations.decoded_v2(network(pixels)[0].double().numpy())
    assert facing.symmetry == expected.symmetry
    assert facing[:5] == pytest.approx(expected[:5], abs=1e-3)


def test_weights_with_the_names_that_dinov2_was_published_with_are_read(hub, tmp_path):
    folder = tiny.orientation(tmp_path / "published")
    renamed = {
        re.sub(
            r"attention\.([qkv])_proj",
            lambda m: f"attention.attention.{dict(q='query', k='key', v='value')[m[1]]}",
            k,
        ).replace("attention.o_proj", "attention.output.dense"): v
        for k, v in load_file(folder / "model.safetensors").items()
    }
    assert any("attention.query" in name for name in renamed)
    expected = orientations.Orientation(folder)([PIXELS])
    save_file(renamed, folder / "model.safetensors", {"format": "pt"})
    assert orientations.Orientation(folder)([PIXELS]) == expected


# --- settings -------------------------------------------------------------------------------------


def test_a_lens_comes_from_exif_and_else_from_the_field_of_view(photo, tmp_path, hub):
    assert exif_focal(photo) == pytest.approx(43 / 43.267 * math.hypot(90, 60) / 90, rel=1e-3)
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0xA405] = 43
    exif[0x0112] = 6  # shown on its side
    Image.fromarray(PIXELS).save(tmp_path / "turned.jpg", exif=exif)
    assert exif_focal(tmp_path / "turned.jpg") == pytest.approx(
        43 / 43.267 * math.hypot(90, 60) / 60, rel=1e-3
    )
    plain = tmp_path / "plain.png"
    Image.fromarray(PIXELS).save(plain)
    assert exif_focal(plain) is None
    estimator = foundation(**settings(hub), field_of_view=90.0)
    (scene,) = estimator.estimate([PIXELS.transpose(1, 0, 2)], [None], things=["dog"])
    assert scene.camera.focal == pytest.approx(45)  # half of the longer side


def test_nothing_to_look_for_and_wrong_settings_are_input_errors(hub):
    with pytest.raises(InputError, match="nothing to detect"):
        foundation(**settings(hub)).estimate([PIXELS], [None])
    with pytest.raises(InputError, match="between 0 and 1"):
        foundation(**settings(hub), choice={"threshold": 3})


def test_photographs_and_tables_are_not_mixed_up(photo, tmp_path, capsys):
    table = tmp_path / "scene.json"
    table.write_text("{}")
    assert cli.main(["ask", str(table), QUESTION, "--perception", "photo"]) == 2
    assert cli.main(["ask", str(photo), QUESTION, "--perception", "street", "--option", "dog"]) == 2
    assert "--option applies to rooms, orbit, photo" in capsys.readouterr().err
