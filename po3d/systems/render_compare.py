"""A second look at streets: the likeliest forms and directions of a vehicle are drawn, and what looks most like the picture gains.

A hypothesis is a shape and a heading: the one that was seen, or the opposite. Each is fitted to the image points that were seen
(`perception/fit.py`), drawn by our renderer on a plain floor, with what stands near it, and compared with the picture around its box in
two ways that know no colour: how gradients are directed, cell by cell (histograms of oriented gradients, Dalal and Triggs 2005), and
whether the picture has edges where the drawing has its outline. A hypothesis's likelihood is the exponential of both, weighted; its
prior is what the network believes. What the network is sure of is not drawn and stays as it is.
"""

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import binary_dilation, gaussian_filter, uniform_filter

from po3d.perception.detection import Detections
from po3d.perception.fit import Fit, wrapped
from po3d.perception.street import fitted, transferred
from po3d.scene.geometry import BOX_SIGNS, Camera
from po3d.scene.street import FOCAL, HEIGHT, WIDTH, camera
from po3d.scene.vocabulary import COLORS, COLORS_RGB, SHAPES, SIZE_SCALE, SIZES
from po3d.synthesis.render.environment import Film, Finish, Look, rgb, to_linear
from po3d.synthesis.render.instances import Placed
from po3d.synthesis.render.official import STUDIO, sample_official_look
from po3d.synthesis.render.renderer import Renderer
from po3d.synthesis.vehicles import Forms, vehicle

Array = NDArray[np.float32]
Pixels = NDArray[np.uint8]

# Chosen on development sets, see docs/results.md.
GRADIENTS, OUTLINE = 30.0, 20.0  # nats of log likelihood that an agreement of 1 is worth
MOST = 6  # hypotheses a vehicle
WORTH = 0.01  # of the likeliest one's probability; what has less is not drawn
# Forms and seeds of meshes that training draws from, too; of a hypothesis the one that is more similar counts.
MESHES: tuple[tuple[Forms, int], ...] = (("official", 1), ("own", 1))
PAINT, TINT = Finish(0.0, 0.6, 0.1), 0.4

SIDE = 112  # pixels of the square in which picture and drawing are compared
MARGIN = 1.35  # its side, in longer sides of the box
CELL, BINS = 7, 8  # pixels along a cell's sides, directions
CELLS = SIDE // CELL
# Pixels, down and to the right, by which a drawing may be off.
SHIFTS = np.stack(np.meshgrid(*[np.arange(-4, 5, 2)] * 2, indexing="ij"), -1).reshape(-1, 2)
AROUND = 4  # pixels about a drawn vehicle whose gradients count
FAINT = 4.0  # a gradient that is hardly one, bytes a pixel
STRONGEST = 0.4  # of a histogram's values after it is normalised
RIM = 0.15  # slope of the smoothed mask from which a pixel is on the outline
LEAST = 30  # pixels that have to be seen of a drawn vehicle

# Point k of a box that is turned round is where point TURNED[k] was: corners in the order of BOX_SIGNS, and the centre.
TURNED = [*(int(np.flatnonzero((s * (-1, -1, 1) == BOX_SIGNS).all(1))[0]) for s in BOX_SIGNS), 8]


class Hypothesis(NamedTuple):
    row: int  # the object
    shape: int
    opposite: bool


class RenderCompare:
    """Detections of streets' pictures after a look at drawings of what they could be."""

    @torch.inference_mode()
    def __call__(self, pictures: Sequence[Pixels], found: Detections) -> Detections:
        """`found` of (H, W, 3) uint8 pictures with other beliefs in shapes and directions; where the opposite direction is now the
        likelier one, heading and image points are turned. RenderError where nothing can be drawn."""
        found = found.of([leaf.clone() for leaf in found.leaves()])
        for b, picture in enumerate(pictures):
            one = _picture(found, b)
            if hypotheses := _hypotheses(one):
                _weigh(one, hypotheses, _log_likelihoods(picture, one, hypotheses))
        return found


def _picture(found: Detections, b: int) -> Detections:
    """Picture `b` alone; what is written there is in `found`."""
    return found.of(leaf[b : b + 1] for leaf in found.leaves())


def _joint(found: Detections) -> NDArray[np.float64]:
    """(N, shapes, 2) probabilities of each shape in the seen and in the opposite direction, of one picture."""
    flip = found.flip[0, :, None, None].cpu().numpy()
    return found.probabilities["shape"][0, :, :, None].cpu().numpy() * np.concatenate([1 - flip, flip], 2)


def _hypotheses(found: Detections) -> list[Hypothesis]:
    """Those worth drawing; none of objects that have a single one."""
    joint = _joint(found)
    made = []
    for row in np.flatnonzero(found.present[0].cpu().numpy()):
        flat = joint[row].ravel()
        worth = [k for k in np.argsort(-flat)[:MOST] if flat[k] >= WORTH * flat.max()]
        if len(worth) > 1:
            made += [Hypothesis(int(row), int(k) // 2, bool(k % 2)) for k in worth]
    return made


def _weigh(found: Detections, hypotheses: Sequence[Hypothesis], log_likelihood: NDArray[np.float64]) -> None:
    """Beliefs of one picture after drawings were compared, in place: the drawn hypotheses of an object share what they had together."""
    joint = _joint(found)
    for row in {h.row for h in hypotheses}:
        own = [k for k, h in enumerate(hypotheses) if h.row == row]
        at = [hypotheses[k].shape for k in own], [int(hypotheses[k].opposite) for k in own]
        prior = joint[row][at]
        now = prior * np.exp(log_likelihood[own] - log_likelihood[own].max())
        joint[row][at] = now * prior.sum() / now.sum()
        found.probabilities["shape"][0, row] = torch.from_numpy(joint[row].sum(1)).to(found.flip)
        found.flip[0, row] = float(joint[row][:, 1].sum())
        if found.flip[0, row] > 0.5:
            _turn(found, row)


def _turn(found: Detections, row: int) -> None:
    """The object of one picture the other way round, in place."""
    found.flip[0, row] = 1 - found.flip[0, row]
    found.alpha[0, row] = wrapped(found.alpha[0, row] + np.pi)
    found.points[0, row] = found.points[0, row, TURNED]
    found.sigma[0, row] = found.sigma[0, row, TURNED]


def _log_likelihoods(
    picture: Pixels, found: Detections, hypotheses: Sequence[Hypothesis]
) -> NDArray[np.float64]:
    """(H,) how well a drawing of each hypothesis agrees with the picture, up to a constant."""
    drawing = _Drawing(found, _fits(found, hypotheses))
    views = {row: View.of(picture, drawing.squares[row]) for row in {h.row for h in hypotheses}}
    return np.array(
        [
            max(views[h.row].log_likelihood(*drawing.of(h, k, *mesh)) for mesh in MESHES)
            for k, h in enumerate(hypotheses, 1)
        ]
    )


# --- drawings -----------------------------------------------------------------------------------------------


def _fits(found: Detections, hypotheses: Sequence[Hypothesis]) -> Fit:
    """The joint fit of one picture as it was seen, and then with each hypothesis in place of what was seen; arrays."""
    many = found.of([leaf.repeat_interleave(1 + len(hypotheses), 0) for leaf in found.leaves()])
    for k, h in enumerate(hypotheses, 1):
        belief = many.probabilities["shape"][k, h.row]
        belief.zero_()
        belief[h.shape] = 1.0
        if h.opposite:
            _turn(_picture(many, k), h.row)
    return transferred(fitted(many))


class _Drawing:
    """Draws hypotheses of one picture's objects. `squares` (N, 4): around boxes, x0, y0, x1, y1 in pixels of the 640 x 480 picture."""

    def __init__(self, found: Detections, fit: Fit) -> None:
        self.fit, self.camera = fit, camera(fit.jitter[0])
        words = {a: found.probabilities[a][0].argmax(-1).tolist() for a in ("shape", "size", "color")}
        self.shapes = words["shape"]
        self.scales = [SIZE_SCALE[SIZES[k]] for k in words["size"]]
        self.paints = [rgb(to_linear(np.array(COLORS_RGB[COLORS[k]]) / 255)) for k in words["color"]]
        self.there = np.flatnonzero(found.score[0].cpu().numpy() >= 0.5)
        self.boxes = box = found.box[0].cpu().numpy()
        middle, side = (box[:, :2] + box[:, 2:]) / 2, MARGIN * (box[:, 2:] - box[:, :2]).max(1, keepdims=True)
        self.squares = np.concatenate([middle - side / 2, middle + side / 2], 1)

    def of(self, h: Hypothesis, at: int, forms: Forms, seed: int) -> tuple[Pixels, NDArray[np.bool_]]:
        """(SIDE, SIDE, 3) the drawing of a hypothesis that stands in the fit at `at`, in its object's square, with what was seen
        about it; (SIDE, SIDE) where the object is."""
        x0, y0, x1, y1 = self.squares[h.row]
        scale = SIDE / (x1 - x0)
        centre = (WIDTH / 2 - x0) * scale, (HEIGHT / 2 - y0) * scale
        view = Camera(SIDE, SIDE, FOCAL * scale, self.camera.cam_T_world, centre)
        left, top, right, bottom = self.boxes.T
        inside = (left < x1) & (right > x0) & (top < y1) & (bottom > y0)
        others = [
            self._placed(j, self.shapes[j], 0, *MESHES[0]) for j in self.there if inside[j] and j != h.row
        ]
        objects = [self._placed(h.row, h.shape, at, forms, seed), *others]
        frame = _renderer().render(objects, view, _look(), amodal=False)
        return frame.rgb, frame.ids == 1

    def _placed(self, row: int, shape: int, at: int, forms: Forms, seed: int) -> Placed:
        x, y = self.fit.position[at, row].tolist()
        mesh, heading = vehicle(SHAPES[shape], seed, forms), float(self.fit.heading[at, row])
        return Placed(mesh, self.scales[row], (x, y), heading, self.paints[row], PAINT, tint=TINT)


@functools.cache
def _renderer() -> Renderer:
    """This process's renderer of squares."""
    return Renderer(SIDE, SIDE)


@functools.cache
def _look() -> Look:
    """A studio's lamps and a plain floor, without noise."""
    look = sample_official_look(STUDIO, np.random.default_rng(3))
    return replace(look, film=Film(exposure=-0.3))


# --- comparing ----------------------------------------------------------------------------------------------


class View(NamedTuple):
    """What of a picture drawings are compared with, in one square."""

    histograms: Array  # (S, BINS, CELLS, CELLS) at each of SHIFTS
    gradient: Array  # (2, SIDE, SIDE) down and to the right; a strong one is 1 long

    @classmethod
    def of(cls, picture: Pixels, square: NDArray[np.float64]) -> "View":
        """`square`: x0, y0, x1, y1 in pixels of the picture at 640 x 480; beyond the border it is black."""
        height, width, _ = picture.shape
        corners = (square.reshape(2, 2) * (width / WIDTH, height / HEIGHT)).ravel().tolist()
        cut = Image.fromarray(picture).transform(
            (SIDE, SIDE), Image.Transform.EXTENT, tuple(corners), Image.Resampling.BICUBIC
        )
        gradient = _gradient(np.asarray(cut))
        pooled = uniform_filter(_by_direction(gradient), (0, CELL, CELL))
        middles = np.arange(CELLS) * CELL + CELL // 2
        at = np.clip(SHIFTS[:, :, None] + middles, 0, SIDE - 1)  # (S, 2, CELLS)
        cells = np.stack([pooled[:, y][:, :, x] for y, x in at])
        strong = np.percentile(np.hypot(*gradient), 90) + FAINT
        return cls(_normalised(cells), gradient / strong)

    def log_likelihood(self, drawn: Pixels, mask: NDArray[np.bool_]) -> float:
        """How well a drawing (SIDE, SIDE, 3) of a vehicle at `mask` (SIDE, SIDE) agrees with the picture; 0 where too little of the
        vehicle is seen."""
        if mask.sum() < LEAST:
            return 0.0
        return GRADIENTS * self.gradients_agree(drawn, mask) + OUTLINE * self.outline_agrees(mask)

    def gradients_agree(self, drawn: Pixels, mask: NDArray[np.bool_]) -> float:
        """The cosine between both histograms about the vehicle, at the best shift."""
        histograms = _normalised(_in_cells(_by_direction(_gradient(drawn))))
        share = _in_cells(binary_dilation(mask, iterations=AROUND))
        both = (share * self.histograms * histograms).sum((1, 2, 3))
        norm = (share * self.histograms**2).sum((1, 2, 3)) * (share * histograms**2).sum()
        return float((both / np.sqrt(norm + 1e-9)).max())

    def outline_agrees(self, mask: NDArray[np.bool_]) -> float:
        """The mean strength, at most 1, of the picture's edges along the outline, at the best shift."""
        normal = np.stack(np.gradient(gaussian_filter(mask.astype(np.float32), 1)))
        length = np.hypot(*normal)
        at = np.argwhere(length > RIM)  # (P, 2)
        y, x = np.clip(at + SHIFTS[:, None], 0, SIDE - 1).transpose(2, 0, 1)  # (S, P)
        unit = (normal / np.maximum(length, RIM))[:, at[:, 0], at[:, 1]]
        along = np.abs((self.gradient[:, y, x] * unit[:, None]).sum(0))
        return float(np.minimum(along, 1).mean(1).max())


def _gradient(pixels: Pixels) -> Array:
    """(2, SIDE, SIDE) down and to the right: of each pixel's channel that changes most."""
    both = np.stack(np.gradient(gaussian_filter(pixels.astype(np.float32), (1, 1, 0)), axis=(0, 1)))
    strongest = (both**2).sum(0).argmax(-1)
    return np.take_along_axis(both, strongest[None, :, :, None], -1)[..., 0]


def _by_direction(gradient: Array) -> Array:
    """(BINS, SIDE, SIDE) a gradient's length, shared by the two nearest of BINS directions; its sign does not count."""
    turn = np.arctan2(*gradient) / np.pi * BINS - np.arange(BINS)[:, None, None]
    off = np.abs((turn + BINS / 2) % BINS - BINS / 2)
    return np.hypot(*gradient) * np.clip(1 - off, 0, 1).astype(np.float32)


def _in_cells(values: NDArray) -> Array:
    """(..., CELLS, CELLS) means of values (..., SIDE, SIDE)."""
    blocks = values.reshape(*values.shape[:-2], CELLS, CELL, CELLS, CELL)
    return blocks.mean((-1, -3), dtype=np.float32)


def _normalised(cells: Array) -> Array:
    """Histograms (..., BINS, CELLS, CELLS) against what is around each cell."""
    square = (cells**2).sum(-3)
    around = uniform_filter(square, (0,) * (square.ndim - 2) + (3, 3))
    return np.minimum(cells / (np.sqrt(np.maximum(around, 0)) + FAINT)[..., None, :, :], STRONGEST)
