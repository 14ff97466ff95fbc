"""Detectors of a fixed list of classes as ONNX files, run by OpenVINO or ONNX Runtime.

    picture ──► whole, and tiles of wide pictures ──► network ──► boxes with class scores ──► NMS

The form of the outputs is recognised from their names and shapes (n boxes, c classes):

    yolox       (1, n, 5 + c)   raw or decoded: box centre and size, objectness, class scores
    yolo_v5     (1, n, 5 + c)   three anchors a cell, in pixels of the input
    yolo_v8     (1, 4 + c, n)   also of its successors: box centre and size, class scores
    yolo_rows   (1, n, 6)       end to end: corners, score, class index
    detr_rows   labels, boxes, scores: RT-DETR and D-FINE as their authors export them
    detr        logits, pred_boxes: RT-DETR and D-FINE as transformers' models are exported

All others are refused. No file is downloaded here.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.io.errors import InputError
from po3d.io.files import lines_beside, read_text
from po3d.perception.onnx_session import LONGEST, OnnxNetwork, check_file, run_network, session
from po3d.scene.geometry import Array

Pixels = NDArray[np.uint8]

STRIDES = (8, 16, 32)  # of YOLO's grids
TEXT = 1_000_000  # bytes of a file of class names
SIDE = 640  # input size of networks that accept any
GRAY = 114  # of the border around pictures in YOLO's inputs
LEAST = 0.03  # scores below are dropped
OVERLAP = 0.5  # IoU above which two boxes of one class are one object
WIDE = 1.8  # aspect ratio above which a picture is also cut into tiles
TILE_WIDTH = 1.25  # width of a tile in heights of the picture
MOST_TILES = 12  # of a picture
BORDER = 4  # pixels; a box that ends so close to an inner edge of a tile is cut off


class Boxes(NamedTuple):
    """Detections, in no particular order."""

    box: Array  # (n, 4) x0, y0, x1, y1 in pixels
    score: Array  # (n, classes), 0 to 1
    # (n, h, w) which points of an even grid over the picture belong to each object; None: unknown
    mask: NDArray[np.bool_] | None = None


def coco_names() -> tuple[str, ...]:
    """Return COCO's 80 class names in the order of detectors' outputs."""
    return tuple(lines_beside(__file__, "coco_names.txt"))


def read_names(path: str | Path) -> tuple[str, ...]:
    """Read class names from a text file, one a line; raise InputError if it is empty."""
    lines = read_text(path, "class names", TEXT).splitlines()
    names = tuple(
        line.strip().lower() for line in lines if line.strip() and not line.startswith("#")
    )
    if not names:
        raise InputError(f"class names {path}: no names in it")
    return names


# --- inputs and outputs ---------------------------------------------------------------------------


class Frame(NamedTuple):
    """How a picture was put into the network's input: pixels = (input - offset) / scale."""

    width: int  # of the picture
    height: int
    scale: tuple[float, float]
    offset: tuple[float, float] = (0.0, 0.0)

    def boxes(self, box: Array) -> Array:
        """Return boxes (n, 4) of the input in pixels of the picture, cut at its edges."""
        box = (box - np.tile(self.offset, 2)) / np.tile(self.scale, 2)
        return box.clip(0, np.tile([self.width, self.height], 2))


def _letterbox(picture: Pixels, width: int, height: int, centred: bool) -> tuple[Pixels, Frame]:
    """Return the picture in a gray rectangle of that size, its aspect ratio kept."""
    h, w = picture.shape[:2]
    scale = min(width / w, height / h)
    size = max(1, round(w * scale)), max(1, round(h * scale))
    small = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR))
    x, y = ((width - size[0]) // 2, (height - size[1]) // 2) if centred else (0, 0)
    canvas = np.full((height, width, 3), GRAY, np.uint8)
    canvas[y : y + size[1], x : x + size[0]] = small
    return canvas, Frame(w, h, (size[0] / w, size[1] / h), (x, y))


def _stretched(picture: Pixels, width: int, height: int) -> tuple[Pixels, Frame]:
    h, w = picture.shape[:2]
    small = np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.BILINEAR))
    return small, Frame(w, h, (width / w, height / h))


def _planes(pixels: Pixels, factor: float = 1 / 255) -> Array:
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32) * np.float32(factor)


def _corners(centred: Array) -> Array:
    """Convert boxes (n, 4) from centre and size to corners."""
    half = centred[:, 2:4] / 2
    return np.concatenate([centred[:, :2] - half, centred[:, :2] + half], 1)


def grid_cells(width: int, height: int) -> tuple[Array, Array]:
    """Return the cells (n, 2) of YOLOX's grids, and their strides (n, 1)."""
    cells, strides = [], []
    for stride in STRIDES:
        y, x = np.mgrid[: height // stride, : width // stride]
        cells.append(np.stack([x.ravel(), y.ravel()], 1))
        strides.append(np.full((x.size, 1), stride))
    return np.concatenate(cells), np.concatenate(strides)


def yolox_boxes(rows: Array, width: int, height: int) -> Array:
    """Return the boxes (n, 4) in input pixels of YOLOX's outputs, raw or decoded.

    Raw centres are offsets from grid cells, a few units at most; raw sizes are logarithms and may
    be negative.
    """
    rows = rows.astype(float)
    raw = float(rows[:, 2:4].min()) < 0 or float(np.abs(rows[:, :2]).max()) < width / 4
    if not raw:
        return _corners(rows)
    cells, strides = grid_cells(width, height)
    size = np.exp(rows[:, 2:4].clip(max=10)) * strides
    return _corners(np.concatenate([(rows[:, :2] + cells) * strides, size], 1))


class OnnxDetector:
    """Detector of a fixed list of classes.

    `names`: class names in the order of the network's outputs; None: COCO's. `temperature`: scores'
    log odds are divided by it, to calibrate them. `tiles`: also run on tiles of wide pictures.
    `open_session` loads the file, on the first picture.
    """

    def __init__(
        self,
        path: str | Path,
        names: Sequence[str] | None = None,
        temperature: float = 1.0,
        tiles: bool = True,
        open_session: Callable[[str | Path], OnnxNetwork] = session,
    ) -> None:
        if not (math.isfinite(temperature) and temperature > 0):
            raise InputError(f"perception.detector.temperature={temperature} should be above 0")
        self.path, self.temperature, self.tiles, self._open = (
            Path(path),
            temperature,
            tiles,
            open_session,
        )
        self.names = tuple(names) if names else coco_names()

    def check_file(self) -> None:
        """Raise InputError if the file is missing or has another kind of name."""
        check_file(self.path, "detector", "docs/photographs.md")

    @cached_property
    def network(self) -> OnnxNetwork:
        return self._open(self.path)

    @cached_property
    def form(self) -> str:
        """The form of the outputs, as in the module's description; InputError for another one."""
        form = self._form()
        if not form:
            shapes = ", ".join(f"{port.name} {list(port.shape)}" for port in self.network.outputs)
            raise InputError(
                f"detector {self.path}: outputs {shapes} are of no known form for {len(self.names)}"
                " classes (docs/photographs.md lists the forms; perception.detector.names=FILE"
                " sets classes)"
            )
        return form

    def _form(self) -> str:
        outputs, c = self.network.outputs, len(self.names)
        names = {port.name for port in outputs}
        if {"labels", "boxes", "scores"} <= names:
            return "detr_rows" if len(self.network.inputs) == 2 else ""
        if {"logits", "pred_boxes"} <= names:
            (logits,) = (port for port in outputs if port.name == "logits")
            return "detr" if logits.shape[-1] in (c, -1) else ""
        if len(outputs) != 1 or len(outputs[0].shape) != 3:
            return ""
        _, rows, columns = outputs[0].shape
        if columns == 6 and c != 1:
            return "yolo_rows"
        if columns == 5 + c:
            width, height = self.size
            cells = len(grid_cells(width, height)[0])
            return {cells: "yolox", 3 * cells: "yolo_v5", -1: "yolox"}.get(rows, "")
        return "yolo_v8" if rows == 4 + c else ""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the network's input."""
        shape = self.network.inputs[0].shape if self.network.inputs else ()
        if len(shape) != 4 or shape[1] not in (3, -1) or max(shape) > LONGEST:
            raise InputError(
                f"detector {self.path}: input {list(shape)} should be (1, 3, height, width), with"
                f" sides of at most {LONGEST}"
            )
        return tuple(side if side > 0 else SIDE for side in (shape[3], shape[2]))

    def __call__(self, picture: Pixels) -> Boxes:
        """Return boxes (n, 4) of a picture (H, W, 3) with scores (n, classes)."""
        parts = []
        for x, width in self._windows(picture):
            boxes = self._detect(np.ascontiguousarray(picture[:, x : x + width]))
            box = boxes.box + np.array([x, 0, x, 0])
            cut = (x > 0) & (box[:, 0] < x + BORDER)
            end = x + width
            cut |= (end < picture.shape[1]) & (box[:, 2] > end - BORDER)
            parts.append(Boxes(box[~cut], boxes.score[~cut]))
        box = np.concatenate([part.box for part in parts])
        score = np.concatenate([part.score for part in parts])
        kept = class_wise_nms(box, score)
        return Boxes(box[kept], self._calibrated(score[kept]))

    def _windows(self, picture: Pixels) -> Iterator[tuple[int, int]]:
        """Yield left edge and width of the whole picture and of its tiles."""
        height, width = picture.shape[:2]
        yield 0, width
        if not self.tiles or width < WIDE * height:
            return
        tile = round(TILE_WIDTH * height)
        count = min(math.ceil((width - tile) / (0.6 * tile)) + 1, MOST_TILES)
        for x in np.linspace(0, width - tile, count).round().astype(int):
            yield int(x), tile

    def _calibrated(self, score: Array) -> Array:
        if self.temperature == 1:
            return score
        p = score.clip(1e-6, 1 - 1e-6)
        return np.where(score > 0, 1 / (1 + (1 / p - 1) ** (1 / self.temperature)), 0.0)

    def _detect(self, picture: Pixels) -> Boxes:
        """Return the detections in one window with scores of at least LEAST."""
        form, (width, height) = self.form, self.size
        if form.startswith("detr"):
            pixels, frame = _stretched(picture, width, height)
        else:
            pixels, frame = _letterbox(picture, width, height, centred=form != "yolox")
        # YOLOX was trained on BGR pixels of 0 to 255.
        inputs = _planes(pixels[..., ::-1], 1.0) if form == "yolox" else _planes(pixels)
        arrays = {self.network.inputs[0].name: inputs}
        if form == "detr_rows":
            arrays[self.network.inputs[1].name] = np.array([[width, height]], np.int64)
        outputs = self._outputs(form, arrays)
        box, score = self._decoded(form, outputs, width, height)
        box, sure = frame.boxes(box), score.max(1, initial=0) >= LEAST
        sure &= ((box[:, 2:] - box[:, :2]) >= 1).all(1)
        return Boxes(box[sure], score[sure])

    def _outputs(self, form: str, arrays: dict[str, Array]) -> list[Array]:
        """Run the network; InputError if it fails, or for outputs of another form than its
        description says."""
        outputs = run_network(self.network, arrays, f"detector {self.path}")
        if not all(out.dtype.kind in "uif" and np.isfinite(out).all() for out in outputs):
            raise InputError(f"detector {self.path}: its outputs are not finite")
        c, shapes = len(self.names), [out.shape[1:] for out in outputs]
        if form.startswith("detr"):
            by_name = {port.name: shape for port, shape in zip(self.network.outputs, shapes)}
            rows = next(iter(by_name["boxes" if form == "detr_rows" else "pred_boxes"]), 0)
            expected = {"labels": (rows,), "scores": (rows,), "boxes": (rows, 4)}
            if form == "detr":
                expected = {"logits": (rows, c), "pred_boxes": (rows, 4)}
            fine = all(by_name[name] == shape for name, shape in expected.items())
        else:
            columns = {"yolo_rows": 6, "yolo_v8": 4 + c}.get(form, 5 + c)
            fine = len(shapes[0]) == 2 and shapes[0][0 if form == "yolo_v8" else 1] == columns
        if not fine or any(len(out) != 1 for out in outputs):
            raise InputError(
                f"detector {self.path}: outputs {[list(out.shape) for out in outputs]} are not"
                f" those of {form} for {c} classes and one picture"
            )
        return outputs

    def _decoded(
        self, form: str, outputs: Sequence[Array], width: int, height: int
    ) -> tuple[Array, Array]:
        """Return boxes (n, 4) in pixels of the input, and scores (n, classes)."""
        if form.startswith("detr"):
            by_name = {port.name: out[0] for port, out in zip(self.network.outputs, outputs)}
        else:
            rows = outputs[0][0].astype(float)
        if form == "yolox":
            if len(rows) != len(grid_cells(width, height)[0]):
                raise InputError(
                    f"detector {self.path}: {len(rows)} rows are not those of YOLOX's grids"
                )
            return yolox_boxes(rows, width, height), rows[:, 4:5] * rows[:, 5:]
        if form == "yolo_v5":
            return _corners(rows), rows[:, 4:5] * rows[:, 5:]
        if form == "yolo_v8":
            return _corners(rows.T), rows.T[:, 4:]
        if form == "yolo_rows":
            return rows[:, :4], self._one_class(rows[:, 5], rows[:, 4])
        if form == "detr_rows":
            return by_name["boxes"].astype(float), self._one_class(
                by_name["labels"], by_name["scores"]
            )
        box = _corners(by_name["pred_boxes"].astype(float)) * np.tile([width, height], 2)
        return box, 1 / (1 + np.exp(-by_name["logits"].astype(float).clip(-50, 50)))

    def _one_class(self, label: Array, score: Array) -> Array:
        label = label.astype(int)
        if len(label) and not 0 <= label.min() <= label.max() < len(self.names):
            raise InputError(
                f"detector {self.path} gives class {label.max()}, but {len(self.names)} names are"
                " known; set perception.detector.names"
            )
        result = np.zeros((len(label), len(self.names)))
        result[np.arange(len(label)), label] = score.clip(0, 1)
        return result


def class_wise_nms(box: Array, score: Array, overlap: float = OVERLAP) -> NDArray[np.intp]:
    """Return the indices of boxes (n, 4) that are kept for at least one class, best first.

    Greedy non-maximum suppression for each class on its scores, of (n, classes), above LEAST.
    """
    import torch
    from torchvision.ops import batched_nms

    row, label = np.nonzero(score >= LEAST)
    if len(row) == 0:
        return row
    value = torch.from_numpy(score[row, label].astype(np.float64))
    selected = batched_nms(
        torch.from_numpy(box[row].astype(np.float64)), value, torch.from_numpy(label), overlap
    )
    rows = row[selected.numpy()]
    return rows[np.sort(np.unique(rows, return_index=True)[1])]
