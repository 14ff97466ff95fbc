"""Detectors as ONNX files: the forms of their outputs, tiles, suppression, and what is refused."""

import importlib.util
import sys

import numpy as np
import pytest
from onnx_files import write_constant

from po3d.io.errors import InputError
from po3d.perception import onnx_session
from po3d.perception.onnx_detector import (
    OnnxDetector,
    class_wise_nms,
    coco_names,
    grid_cells,
    read_names,
)
from po3d.perception.onnx_session import OnnxNetwork, Port

SIDE = 64
NAMES = ("dog", "car", "cup")
PICTURE = np.zeros((100, 50, 3), np.uint8)
BOX = np.array([10.0, 20.0, 30.0, 60.0])  # in pixels of PICTURE, of a car with score 0.8
CELLS, STRIDES = grid_cells(SIDE, SIDE)
RUNTIME = any(importlib.util.find_spec(name) for name in ("openvino", "onnxruntime"))


def in_input(stretched=False, centred=False):
    """The box as centre and size in pixels of the network's input."""
    scale = np.array([SIDE / 50, SIDE / 100] if stretched else [SIDE / 100] * 2)
    offset = np.array([(SIDE - 32) / 2 if centred else 0.0, 0.0])
    low, high = BOX[:2] * scale + offset, BOX[2:] * scale + offset
    return np.concatenate([(low + high) / 2, high - low])


def yolox(raw=True):
    rows = np.zeros((1, len(CELLS), 8), np.float32)
    cell = np.flatnonzero((CELLS == [1, 2]).all(1) & (STRIDES[:, 0] == 8))[0]
    centred = in_input()
    if not raw:
        rows[0, :, :4] = SIDE / 2
        rows[0, cell, :4] = centred
    else:
        rows[0, :, 2:4] = -1.0
        rows[0, cell, :2] = centred[:2] / 8 - CELLS[cell]
        rows[0, cell, 2:4] = np.log(centred[2:] / 8)
    rows[0, cell, 4:] = 1.0, 0.01, 0.8, 0.0
    return {"output": rows}


def yolo_v5():
    rows = np.zeros((1, 3 * len(CELLS), 8), np.float32)
    rows[0, 7] = *in_input(centred=True), 0.8, 0.0, 1.0, 0.0
    return {"output0": rows}


def yolo_v8():
    rows = np.zeros((1, 7, len(CELLS)), np.float32)
    rows[0, :, 5] = *in_input(centred=True), 0.0, 0.8, 0.0
    return {"output0": rows}


def corners(centred):
    return np.concatenate([centred[:2] - centred[2:] / 2, centred[:2] + centred[2:] / 2])


def yolo_rows():
    rows = np.zeros((1, 30, 6), np.float32)
    rows[0, 0] = *corners(in_input(centred=True)), 0.8, 1
    return {"output0": rows}


def detr_rows():
    boxes, scores = np.zeros((1, 30, 4), np.float32), np.zeros((1, 30), np.float32)
    boxes[0, 3], scores[0, 3] = corners(in_input(stretched=True)), 0.8
    labels = np.zeros((1, 30), np.int64)
    labels[0, 3] = 1
    return {"labels": labels, "boxes": boxes, "scores": scores}


def detr():
    logits, boxes = np.full((1, 30, 3), -9.0, np.float32), np.zeros((1, 30, 4), np.float32)
    logits[0, 3, 1], boxes[0, 3] = np.log(4.0), in_input(stretched=True) / SIDE
    return {"logits": logits, "pred_boxes": boxes}


MASK = np.zeros((16, 16), bool)  # over the input: the lower half of the box's rows of cells
MASK[9:, :] = True


def with_coefficients(rows, first):
    """Segmentation outputs of YOLO: rows of boxes with 2 coefficients, and 2 prototypes."""
    extra = np.zeros((*rows.shape[:2], 2), np.float32)
    extra[0, first, 1] = 1.0
    prototypes = np.stack([np.ones(MASK.shape), np.where(MASK, 5.0, -5.0)])
    return np.concatenate([rows, extra], 2), prototypes[None].astype(np.float32)


def yolo_v5_masks():
    table, prototypes = with_coefficients(yolo_v5()["output0"], 7)
    return {"output0": table, "output1": prototypes}


def yolo_v8_masks():
    table, prototypes = with_coefficients(yolo_v8()["output0"].transpose(0, 2, 1), 5)
    return {"output0": table.transpose(0, 2, 1), "output1": prototypes}


def detr_masks():
    masks = np.full((1, 30, *MASK.shape), -3.0, np.float32)
    masks[0, 3] = np.where(MASK, 3.0, -3.0)
    return detr() | {"pred_masks": masks}


def mmdet():
    dets, labels = np.zeros((1, 20, 5), np.float32), np.zeros((1, 20), np.int64)
    dets[0, 2], labels[0, 2] = [*corners(in_input()), 0.8], 1
    masks = np.zeros((1, 20, *MASK.shape), np.float32)
    masks[0, 2] = MASK
    return {"dets": dets, "labels": labels, "masks": masks}


def mask_rcnn():
    one = {name: value[0] for name, value in detr_rows().items()}
    masks = np.zeros((30, 1, *MASK.shape), np.float32)
    masks[3, 0] = 0.9 * MASK
    return one | {"masks": masks}


FORMS = {
    "yolox": yolox(), "yolox decoded": yolox(raw=False), "yolo_v5": yolo_v5(), "yolo_v8": yolo_v8(),
    "yolo_rows": yolo_rows(), "detr_rows": detr_rows(), "detr": detr(), "mmdet": mmdet(),
    "mask_rcnn": mask_rcnn(), "yolo_v5 masks": yolo_v5_masks(), "yolo_v8 masks": yolo_v8_masks(),
    "detr masks": detr_masks(),
}  # fmt: skip
MASKED = [form for form in FORMS if "mask" in form or form == "mmdet"]


def stub(outputs, inputs=None, calls=None):
    """A session that gives these outputs."""
    two = {"labels", "boxes"} <= set(outputs) and "masks" not in outputs
    ports = inputs or {"images": (1, 3, SIDE, SIDE), **({"sizes": (1, 2)} if two else {})}

    def run(arrays):
        if calls is not None:
            calls.append(arrays)
        return list(outputs.values())

    named = tuple(Port(name, shape) for name, shape in ports.items())
    return lambda _: OnnxNetwork(named, tuple(Port(n, v.shape) for n, v in outputs.items()), run)


def detector(outputs, **options):
    return OnnxDetector(
        "x.onnx", options.pop("names", NAMES), open_session=stub(outputs), **options
    )


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_box_in_pixels_of_the_picture(form):
    result = detector(FORMS[form])
    boxes = result(PICTURE)
    assert result.form == form.partition(" ")[0]
    np.testing.assert_allclose(boxes.box, [BOX], atol=0.1)
    assert boxes.score[0].argmax() == 1
    assert boxes.score[0, 1] == pytest.approx(0.8, abs=1e-3)


@pytest.mark.parametrize("form", MASKED)
def test_masks_cover_the_object_on_a_grid_over_the_picture(form):
    (mask,) = detector(FORMS[form])(PICTURE).mask
    assert mask.shape == (100, 50)  # one point a pixel
    inside = np.zeros_like(mask)
    # The mask begins at row 9 of 16 of the input, whose 64 pixels are the picture's 100.
    inside[round(100 * 9 / 16) : 60, 10:30] = True
    assert (mask == inside).mean() > 0.99
    assert detector(yolox())(PICTURE).mask is None


@pytest.mark.parametrize("form", MASKED)
def test_masks_of_another_shape_than_described_are_refused(form):
    right = FORMS[form]
    name = next(n for n in ("masks", "pred_masks", "output1") if n in right)
    for wrong in (right[name][:, :-1], right[name][..., :0], right[name][0]):
        if form == "mask_rcnn":
            wrong = right[name][:-1] if wrong.ndim == 4 else wrong
        with pytest.raises(InputError, match="outputs"):
            running({**right, name: wrong}, right)(PICTURE)


def test_masks_of_tiles_are_in_place():
    wide = np.zeros((100, 300, 3), np.uint8)
    boxes = detector(FORMS["mmdet"])(wide)
    assert len(boxes.mask) == len(boxes.box) > 1
    columns, rows = boxes.mask.shape[2], boxes.mask.shape[1]
    display = [
        k for k, mask in enumerate(boxes.mask) if mask.any()
    ]  # the rest is below the picture
    assert len(display) >= 2
    for box, mask in zip(boxes.box[display], boxes.mask[display], strict=True):
        y, x = np.nonzero(mask)
        assert box[0] <= x.min() * 300 / columns + 1
        assert x.max() * 300 / columns <= box[2]
        assert box[1] <= y.min() * 100 / rows + 1
        assert y.max() * 100 / rows <= box[3]


@pytest.mark.skipif(not RUNTIME, reason="no runtime: pip install 'po3d[openvino]'")
@pytest.mark.parametrize("form", ["yolox", "detr_rows", "yolo_v8 masks", "mask_rcnn"])
def test_a_file_is_run_by_the_installed_runtime(form, tmp_path):
    inputs = {
        "images": (1, 3, SIDE, SIDE),
        **({"orig_target_sizes": (1, 2)} if form == "detr_rows" else {}),
    }
    path = write_constant(tmp_path / "tiny.onnx", inputs, FORMS[form])
    boxes = OnnxDetector(path, NAMES)(PICTURE)
    np.testing.assert_allclose(boxes.box, [BOX], atol=0.1)
    assert (boxes.mask is not None) == (form in MASKED)


@pytest.mark.skipif(not RUNTIME, reason="no runtime: pip install 'po3d[openvino]'")
def test_a_broken_file_is_one_line(tmp_path):
    (tmp_path / "broken.onnx").write_bytes(b"no network")
    with pytest.raises(InputError, match=r"broken\.onnx can't be loaded") as raised:
        OnnxDetector(tmp_path / "broken.onnx")(PICTURE)
    assert "\n" not in str(raised.value)


def test_unknown_outputs_and_classes_are_refused():
    for outputs in (
        {"out": np.zeros((1, 9, 9), np.float32)},
        {"a": np.zeros((4,)), "b": np.zeros((2,))},
    ):
        with pytest.raises(InputError, match="of no known form for 3 classes"):
            detector(outputs)(PICTURE)
    with pytest.raises(InputError, match="no known form for 6 classes"):
        detector(yolox(), names=NAMES * 2)(PICTURE)
    rows = yolo_rows()
    rows["output0"][0, 0, 5] = 7
    with pytest.raises(InputError, match="class 7, but 3 names"):
        detector(rows)(PICTURE)
    rows["output0"][0, 0, 0] = np.nan
    with pytest.raises(InputError, match="not finite"):
        detector(rows)(PICTURE)


def running(outputs, claimed=None, inputs=None):
    """A detector whose network gives other outputs than it claims; an exception is raised."""

    def run(arrays):
        if isinstance(outputs, Exception):
            raise outputs
        return list(outputs.values())

    claimed = {name: value.shape for name, value in (claimed or outputs).items()}
    ports = {"images": (1, 3, SIDE, SIDE)} if inputs is None else inputs
    network = OnnxNetwork(
        tuple(Port(*port) for port in ports.items()),
        tuple(Port(*port) for port in claimed.items()),
        run,
    )
    return OnnxDetector("x.onnx", NAMES, open_session=lambda _: network)


@pytest.mark.parametrize("form", FORMS)
def test_outputs_of_another_form_than_described_are_refused(form):
    right = FORMS[form]
    inputs = {"images": (1, 3, SIDE, SIDE), **({"sizes": (1, 2)} if form == "detr_rows" else {})}
    (name, value), *_ = right.items()
    for wrong in (
        value[0],
        np.concatenate([value, value]),
        value[:, :-1] if form.startswith("yolo_v8") else value[..., :-1],
        value.astype(str),
        np.full(value.shape, np.inf, np.float32),
        value.ravel()[:0],
        np.float32(1),
    ):
        with pytest.raises(InputError, match="outputs"):
            running({**right, name: np.asarray(wrong)}, right, inputs)(PICTURE)


def test_a_network_that_fails_or_is_too_large_is_one_line():
    class OwnError(Exception):
        """As runtimes have them."""

    with pytest.raises(InputError, match=r"x\.onnx can't be run \(no memory\)"):
        running(OwnError("no\nmemory"), yolox())(PICTURE)
    for shape in ((1, 3, 100_000, 100_000), (1, 5, 64, 64), (3, 64, 64)):
        with pytest.raises(InputError, match="sides of at most 4096"):
            running(yolox(), inputs={"images": shape})(PICTURE)
    with pytest.raises(InputError, match="sides of at most 4096"):
        running(yolox(), inputs={})(PICTURE)


def test_an_extremely_wide_picture_has_few_tiles():
    result = detector(yolox())
    windows = list(result._windows(np.zeros((1, 30_000, 3), np.uint8)))
    assert len(windows) == 13
    assert windows[-1] == (29_999, 1)


def test_onnx_runtime_runs_where_openvino_is_not_installed(tmp_path, monkeypatch):
    class Node:
        def __init__(self, name, shape):
            self.name, self.shape = name, shape

    class InferenceSession:
        def __init__(self, path, providers):
            assert providers == ["CPUExecutionProvider"]

        def get_inputs(self):
            return [Node("images", ["batch", 3, SIDE, SIDE])]

        def get_outputs(self):
            return [Node("output", [1, len(CELLS), 8])]

        def run(self, names, arrays):
            return [yolox()["output"]]

    module = type(importlib)("onnxruntime")
    module.InferenceSession = InferenceSession
    monkeypatch.setitem(sys.modules, "onnxruntime", module)
    there, find_spec = {"onnxruntime"}, importlib.util.find_spec

    def found_spec(name, *package):
        return name in there if name in ("openvino", "onnxruntime") else find_spec(name, *package)

    monkeypatch.setattr(importlib.util, "find_spec", found_spec)
    result = OnnxDetector("x.onnx", NAMES)
    np.testing.assert_allclose(result(PICTURE).box, [BOX], atol=0.1)
    assert result.network.inputs == (Port("images", (-1, 3, SIDE, SIDE)),)
    there.clear()
    with pytest.raises(InputError, match="needs openvino or onnxruntime"):
        OnnxDetector("x.onnx", NAMES).network  # noqa: B018


@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("openvino", "onnxruntime")),
    reason="both runtimes are needed",
)
@pytest.mark.parametrize("form", FORMS)
def test_both_runtimes_give_the_same_boxes(form, tmp_path):
    ports = {"images": (1, 3, SIDE, SIDE), **({"sizes": (1, 2)} if form == "detr_rows" else {})}
    path = write_constant(tmp_path / "net.onnx", ports, FORMS[form])
    first, second = (
        OnnxDetector(path, NAMES, open_session=load)(PICTURE)
        for load in (onnx_session._openvino, onnx_session._onnxruntime)
    )
    np.testing.assert_allclose(first.box, second.box, atol=1e-4)
    np.testing.assert_allclose(first.score, second.score, atol=1e-6)


def test_endless_class_names_end():
    with pytest.raises(InputError, match="larger than the limit"):
        read_names("/dev/zero")


def test_files_that_are_not_there_or_no_networks_are_refused(tmp_path):
    for name, words in (("none.onnx", "is not a file"), ("net.pt", "should end in .onnx or .xml")):
        with pytest.raises(InputError, match=words):
            OnnxDetector(tmp_path / name).check_file()
    with pytest.raises(InputError, match="temperature=0 should be above 0"):
        OnnxDetector("x.onnx", temperature=0)
    (tmp_path / "names.txt").write_text("# mine\nDog\n\ncar\n")
    assert read_names(tmp_path / "names.txt") == ("dog", "car")
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(InputError, match="no names"):
        read_names(tmp_path / "empty.txt")
    assert (len(coco_names()), coco_names()[79]) == (80, "toothbrush")


def test_yolox_gets_bgr_and_the_others_rgb_of_one():
    red = np.zeros((SIDE, SIDE, 3), np.uint8)
    red[..., 0] = 255
    for outputs, expected in ((yolox(), (0, 0, 255)), (yolo_v8(), (1, 0, 0))):
        calls = []
        OnnxDetector("x.onnx", NAMES, open_session=stub(outputs, calls=calls))(red)
        assert tuple(calls[0]["images"][0, :, 5, 5]) == expected


def test_suppression_is_per_class():
    box = np.array([[0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 9, 10], [50, 50, 60, 60]], float)
    score = np.array([[0.9, 0.0], [0.5, 0.0], [0.0, 0.4], [0.3, 0.0]])
    assert class_wise_nms(box, score).tolist() == [0, 2, 3]
    assert len(class_wise_nms(box, np.zeros((4, 2)))) == 0


def test_wide_pictures_are_cut_into_tiles_whose_cut_boxes_are_dropped():
    calls = []
    wide = np.zeros((100, 300, 3), np.uint8)
    tiled = OnnxDetector("x.onnx", NAMES, open_session=stub(yolo_v8(), calls=calls))
    tiled(wide)
    assert len(calls) == 5  # the whole picture and four tiles
    windows = list(tiled._windows(wide))
    assert windows[0] == (0, 300)
    assert (windows[1], windows[-1]) == ((0, 125), (175, 125))
    at_edge = yolo_v8()
    at_edge["output0"][0, :4, 5] = (
        SIDE - 3,
        SIDE / 2,
        6,
        20,
    )  # ends at the right edge of every window
    result = OnnxDetector("x.onnx", NAMES, open_session=stub(at_edge))(wide)
    assert (result.box[:, 2] > 295).all()  # only where the picture ends, too
    assert (
        len(OnnxDetector("x.onnx", NAMES, tiles=False, open_session=stub(at_edge))(wide).box) == 1
    )


def test_a_temperature_changes_scores_and_not_their_order():
    plain, soft = (detector(yolox(), temperature=t)(PICTURE).score[0] for t in (1.0, 2.0))
    assert soft[1] == pytest.approx(1 / (1 + 0.25**0.5), abs=1e-3)
    assert (plain.argsort() == soft.argsort()).all()
    assert soft[2] == 0
