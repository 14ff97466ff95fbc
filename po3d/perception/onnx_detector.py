"""Detectors of a fixed list of classes as ONNX files, run by OpenVINO or ONNX Runtime.

    picture ──► whole, and tiles of wide pictures ──► network ──► boxes with class scores ──► NMS

The form of the outputs is recognised from their names and shapes (n boxes, c classes):

    yolox       (1, n, 5 + c)   raw or decoded: box centre and size, objectness, class scores
    yolo_v5     (1, n, 5 + c)   three anchors a cell, in pixels of the input
    yolo_v8     (1, 4 + c, n)   also of its successors: box centre and size, class scores
    yolo_rows   (1, n, 6)       end to end: corners, score, class index
    detr_rows   labels, boxes, scores: RT-DETR and D-FINE as their authors export them
    detr        logits, pred_boxes: RT-DETR and D-FINE as transformers' models are exported
    mmdet       dets, labels, masks: RTMDet-Ins by MMDeploy
    mask_rcnn   boxes, labels, scores, masks: torchvision's, one picture

`yolo_v5` and `yolo_v8` with a second output of mask prototypes, and `detr` with `pred_masks`, give
masks, too (`onnx_masks`). All others are refused. No file is downloaded here.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.io.files import lines_beside, read_text
from po3d.perception import onnx_masks
from po3d.perception.onnx_frames import corners, letterbox, planes, stretched
from po3d.perception.onnx_session import LONGEST, OnnxNetwork, check_file, run_network, session
from po3d.scene.geometry import Array

Pixels = NDArray[np.uint8]

STRIDES = (8, 16, 32)  # of YOLO's grids
TEXT = 1_000_000  # bytes of a file of class names
SIDE = 640  # input size of networks that accept any
LEAST = 0.03  # scores below are dropped
OVERLAP = 0.5  # IoU above which two boxes of one class are one object
WIDE = 1.8  # aspect ratio above which a picture is also cut into tiles
TILE_WIDTH = 1.25  # width of a tile in heights of the picture
MOST_TILES = 12  # of a picture
# Mean and standard deviation of RTMDet's inputs, BGR.
RTMDET = np.array([103.53, 116.28, 123.675]), np.array([57.375, 57.12, 58.395])
UNBATCHED = "mask_rcnn"  # the form whose outputs have no dimension of pictures
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
        return corners(rows)
    cells, strides = grid_cells(width, height)
    size = np.exp(rows[:, 2:4].clip(max=10)) * strides
    return corners(np.concatenate([(rows[:, :2] + cells) * strides, size], 1))


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

    @property
    def _output_names(self) -> list[str]:
        return [port.name for port in self.network.outputs]

    def _form(self) -> str:
        outputs, c = self.network.outputs, len(self.names)
        names = set(self._output_names)
        if {"dets", "labels", "masks"} <= names:
            return "mmdet"
        if {"labels", "boxes", "scores", "masks"} <= names:
            return "mask_rcnn"
        if {"labels", "boxes", "scores"} <= names:
            return "detr_rows" if len(self.network.inputs) == 2 else ""
        if {"logits", "pred_boxes"} <= names:
            logits = outputs[self._output_names.index("logits")]
            return "detr" if logits.shape[-1] in (c, -1) else ""
        if len(outputs) not in (1, 2) or len(outputs[0].shape) != 3:
            return ""
        _, rows, columns = outputs[0].shape
        width, height = self.size
        cells = len(grid_cells(width, height)[0])
        if len(outputs) == 2:
            m = self.prototypes
            if m and columns == 5 + c + m and rows == 3 * cells:
                return "yolo_v5"
            return "yolo_v8" if m and rows == 4 + c + m else ""
        if columns == 6 and c != 1:
            return "yolo_rows"
        if columns == 5 + c:
            return {cells: "yolox", 3 * cells: "yolo_v5", -1: "yolox"}.get(rows, "")
        return "yolo_v8" if rows == 4 + c else ""

    @property
    def prototypes(self) -> int:
        """Number of mask prototypes in a second output (1, m, h, w); 0 without one."""
        outputs = self.network.outputs
        if len(outputs) != 2 or len(outputs[1].shape) != 4:
            return 0
        return max(0, outputs[1].shape[1])

    @property
    def has_masks(self) -> bool:
        """Whether the network gives masks."""
        by_name = not {"masks", "pred_masks"}.isdisjoint(self._output_names)
        return by_name or (self.form in ("yolo_v5", "yolo_v8") and self.prototypes > 0)

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
            boxes = self._detect(picture, x, width)
            cut = (x > 0) & (boxes.box[:, 0] < x + BORDER)
            end = x + width
            cut |= (end < picture.shape[1]) & (boxes.box[:, 2] > end - BORDER)
            mask = None if boxes.mask is None else boxes.mask[~cut]
            parts.append((boxes.box[~cut], boxes.score[~cut], mask))
        all_boxes, scores, masks = zip(*parts)
        box, score = np.concatenate(all_boxes), np.concatenate(scores)
        selected = class_wise_nms(box, score)
        mask = np.concatenate(masks)[selected] if self.has_masks else None
        return Boxes(box[selected], self._calibrated(score[selected]), mask)

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

    def _detect(self, picture: Pixels, left: int, across: int) -> Boxes:
        """Return the detections in one window, of `across` columns from `left`, with scores of at
        least LEAST. Boxes and masks are those of the picture."""
        form, (width, height) = self.form, self.size
        window = np.ascontiguousarray(picture[:, left : left + across])
        if form.startswith("detr") or form == "mask_rcnn":
            pixels, frame = stretched(window, width, height)
        else:
            centred = form not in ("yolox", "mmdet")
            pixels, frame = letterbox(window, width, height, centred)
        # YOLOX was trained on BGR pixels of 0 to 255.
        if form == "mmdet":
            inputs = planes((pixels[..., ::-1] - RTMDET[0]) / RTMDET[1], 1.0)
        else:
            inputs = planes(pixels[..., ::-1], 1.0) if form == "yolox" else planes(pixels)
        arrays = {self.network.inputs[0].name: inputs}
        if form == "detr_rows":
            arrays[self.network.inputs[1].name] = np.array([[width, height]], np.int64)
        outputs = self._outputs(form, arrays)
        box, score = self._decoded(form, outputs, width, height)
        box, sure = frame.boxes(box), score.max(1, initial=0) >= LEAST
        sure &= ((box[:, 2:] - box[:, :2]) >= 1).all(1)
        rows = np.flatnonzero(sure)
        offset = np.array([left, 0, left, 0])
        if not self.has_masks:
            return Boxes(box[rows] + offset, score[rows])
        rows = rows[class_wise_nms(box[rows], score[rows])]
        box = box[rows] + offset
        mask = onnx_masks.on_picture(
            self._masks(form, outputs, rows),
            box,
            picture.shape[1::-1],
            left,
            frame,
            (width, height),
        )
        return Boxes(box, score[rows], mask)

    def _masks(self, form: str, outputs: Sequence[Array], rows: Array) -> NDArray[np.bool_]:
        """Return the masks (k, h, w) over the network's input of some rows of boxes."""
        if form in ("yolo_v5", "yolo_v8"):
            table = outputs[0][0] if form == "yolo_v5" else outputs[0][0].T
            return onnx_masks.from_prototypes(table[rows, -self.prototypes :], outputs[1][0])
        by_name = dict(zip(self._output_names, outputs, strict=True))
        if form == "detr":
            return by_name["pred_masks"][0][rows] > 0
        masks = by_name["masks"][:, 0] if form == UNBATCHED else by_name["masks"][0]
        return masks[rows] >= onnx_masks.PROBABLE

    def _outputs(self, form: str, arrays: dict[str, Array]) -> list[Array]:
        """Run the network; InputError if it fails, or for outputs of another form than its
        description says."""
        outputs = run_network(self.network, arrays, f"detector {self.path}")
        if not all(out.dtype.kind in "uif" and np.isfinite(out).all() for out in outputs):
            raise InputError(f"detector {self.path}: its outputs are not finite")
        c, batched = len(self.names), form != UNBATCHED
        shapes = [out.shape[1:] if batched else out.shape for out in outputs]
        if not form.startswith("yolo"):
            by_name = dict(zip(self._output_names, shapes))
            first = {"detr": "pred_boxes", "mmdet": "dets"}.get(form, "boxes")
            rows = next(iter(by_name[first]), 0)
            expected = {"labels": (rows,), "scores": (rows,), "boxes": (rows, 4)}
            if form == "detr":
                expected = {"logits": (rows, c), "pred_boxes": (rows, 4)}
            elif form == "mmdet":
                expected = {"labels": (rows,), "dets": (rows, 5)}
            fine = all(by_name[name] == shape for name, shape in expected.items())
            for name in {"masks", "pred_masks"} & set(by_name):
                shape = by_name[name]
                fine &= len(shape) == (3 if batched else 4) and shape[0] == rows
                fine &= batched or shape[1:2] == (1,)
                fine &= min(shape[1:], default=0) > 0
        else:
            m = self.prototypes
            columns = {"yolo_rows": 6, "yolo_v8": 4 + c + m}.get(form, 5 + c + m)
            fine = len(shapes[0]) == 2 and shapes[0][0 if form == "yolo_v8" else 1] == columns
            if m:
                fine &= len(shapes[1]) == 3 and shapes[1][0] == m and min(shapes[1]) > 0
        if not fine or (batched and any(len(out) != 1 for out in outputs)):
            raise InputError(
                f"detector {self.path}: outputs {[list(out.shape) for out in outputs]} are not"
                f" those of {form} for {c} classes and one picture"
            )
        return outputs

    def _decoded(
        self, form: str, outputs: Sequence[Array], width: int, height: int
    ) -> tuple[Array, Array]:
        """Return boxes (n, 4) in pixels of the input, and scores (n, classes)."""
        c = len(self.names)
        if form.startswith("yolo"):
            rows = outputs[0][0].astype(float)
        else:
            pictures = outputs if form == UNBATCHED else [out[0] for out in outputs]
            by_name = dict(zip(self._output_names, pictures))
        if form == "yolox":
            if len(rows) != len(grid_cells(width, height)[0]):
                raise InputError(
                    f"detector {self.path}: {len(rows)} rows are not those of YOLOX's grids"
                )
            return yolox_boxes(rows, width, height), rows[:, 4:5] * rows[:, 5:]
        if form == "yolo_v5":
            return corners(rows), rows[:, 4:5] * rows[:, 5 : 5 + c]
        if form == "yolo_v8":
            return corners(rows.T), rows.T[:, 4 : 4 + c]
        if form == "yolo_rows":
            return rows[:, :4], self._one_class(rows[:, 5], rows[:, 4])
        if form == "mmdet":
            dets = by_name["dets"].astype(float)
            return dets[:, :4], self._one_class(by_name["labels"], dets[:, 4])
        if form in ("detr_rows", "mask_rcnn"):
            return by_name["boxes"].astype(float), self._one_class(
                by_name["labels"], by_name["scores"]
            )
        box = corners(by_name["pred_boxes"].astype(float)) * np.tile([width, height], 2)
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


def class_wise_nms(box: Array, score: Array) -> NDArray[np.intp]:
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
        torch.from_numpy(box[row].astype(np.float64)), value, torch.from_numpy(label), OVERLAP
    )
    rows = row[selected.numpy()]
    return rows[np.sort(np.unique(rows, return_index=True)[1])]
