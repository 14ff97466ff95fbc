"""Vehicles modelled on the official shapes: the most similar variants of ours, warped by a measured
coarse lattice and then by a smooth random one.

A lattice has nodes over the unit box of a vehicle (x from tail to nose, |y| from the middle
outwards, z up); it is symmetric. forms.csv (displacements in thousandths of the extents) and
kin.csv (seeds of our variants) were measured on the official meshes (docs/log/2026-11.md, "Official
forms and looks"; the fitting program is in revision 77b4a5af). Types whose official shape could not
be measured have neither; their variants are warped at random only.
"""

import functools
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from trimesh.intersections import slice_mesh_plane

from po3d.io.files import rows_beside
from po3d.scene.vocabulary import EXTENTS
from po3d.synthesis.shapes.mesh import Piece, solid
from po3d.synthesis.shapes.primitives import box

Array = NDArray[np.float64]
Forms = Literal["own", "official"]

NODES = (7, 4, 5)  # nodes of the measured lattices along x, |y| and z
LOOSE = (4, 2, 3)  # nodes of the random lattices
# Standard deviation of a random displacement, in extents; half as much again for unmeasured types
SPREAD = 0.013
THIN = 0.15  # a piece thinner than this fraction of its second longest side is a pane
DEEP_ROOF, ROOF_HEIGHT = 0.5, (0.6, 0.95)  # share of buses; lower edge of the roof, of the height
SPLITS = ("train", "validation", "test")  # by the thousands of a variant's seed, as everywhere


def basis(unit: Array, nodes: tuple[int, ...] = NODES) -> Array:
    """Return trilinear weights (n, nodes) of points (n, 3) in units of the extents: x, y in [-1/2,
    1/2], z in [0, 1].
    """
    place = np.stack([unit[:, 0] + 0.5, 2 * np.abs(unit[:, 1]), unit[:, 2]], -1)
    weights = np.ones((len(unit), 1))
    for axis, count in enumerate(nodes):
        t = np.clip(place[:, axis], 0, 1)[:, None] * (count - 1)
        hats = np.clip(1 - np.abs(t - np.arange(count)), 0, 1)
        weights = (weights[:, :, None] * hats[:, None, :]).reshape(len(unit), -1)
    return weights


def displaced(points: Array, lattice: Array, extent: Array) -> Array:
    """Displace points (n, 3) by a lattice (*nodes, 3) in fractions of the extents; +y is
    outwards.
    """
    moved = basis(points / extent, lattice.shape[:3]) @ lattice.reshape(-1, 3)
    moved[:, 1] *= np.sign(points[:, 1])
    return points + moved * extent


@functools.cache
def measured() -> dict[str, Array]:
    """Return shape -> its measured lattice (*NODES, 3)."""
    lattices: dict[str, Array] = {}
    for row in rows_beside(__file__, "forms.csv"):
        lattice = lattices.setdefault(row["shape"], np.zeros((*NODES, 3)))
        lattice[int(row["x"]), int(row["y"]), int(row["z"])] = [
            int(row[c]) / 1000 for c in ("dx", "dy", "dz")
        ]
    return lattices


@functools.cache
def kin() -> dict[tuple[str, str], list[int]]:
    """Return (shape, split) -> seeds of our most similar variants; no seed is in two splits."""
    rows = rows_beside(__file__, "kin.csv")
    return {(row["shape"], row["split"]): list(map(int, row["seeds"].split())) for row in rows}


def nearest_seed(shape: str, seed: int) -> int:
    """Return the seed of our variant from which variant `seed` of the official shape is made."""
    seeds = kin().get((shape, SPLITS[seed // 1000 % len(SPLITS)]))
    return seeds[seed % len(seeds)] if seeds else seed


def warped(points: Array, shape: str, rng: np.random.Generator) -> Array:
    """Warp points (n, 3) at the benchmark's extents to the official shape and then at random."""
    extent = np.array(EXTENTS[shape])
    known = measured().get(shape)
    loose = rng.normal(0, SPREAD if known is not None else 1.5 * SPREAD, (*LOOSE, 3))
    loose[:, 0, :, 1] = 0  # keep the plane of symmetry
    points = points if known is None else displaced(points, known, extent)
    return displaced(points, loose, extent)


def thicker(pieces: list[Piece]) -> list[Piece]:
    """Double the thickness of glass panes, and of equally thin pieces on a bus's body, about their
    middle, so that a warp does not sink them into the surface below.
    """
    thickened: list[Piece] = []
    for name, material, piece in pieces:
        extents = piece.extents
        if material in ("glass", "white", "dark") and extents.min() < THIN * np.sort(extents)[1]:
            stretch = np.ones(3)
            stretch[extents.argmin()] = 2.0
            middle = piece.bounds.mean(0)
            piece = piece.copy()
            piece.vertices = middle + (np.asarray(piece.vertices) - middle) * stretch
        thickened.append((name, material, piece))
    return thickened


def deep_roof(pieces: list[Piece], rng: np.random.Generator) -> list[Piece]:
    """Cut the upper part of a bus's body off at a random height into the part `roof`, as official
    buses have it, in a share DEEP_ROOF of the variants.
    """
    if rng.random() >= DEEP_ROOF:
        return pieces
    top = max(piece.bounds[1, 2] for name, _, piece in pieces if name.startswith("frame"))
    height = top * rng.uniform(*ROOF_HEIGHT)
    cut: list[Piece] = []
    for name, material, piece in pieces:
        low, high = piece.bounds[:, 2]
        if not name.startswith("frame") or material != "paint" or not low < height < high:
            cut.append((name, material, piece))
            continue
        for part, up in ((name, -1.0), (name.replace("frame", "roof"), 1.0)):
            half = slice_mesh_plane(piece, (0.0, 0.0, up), (0.0, 0.0, height))
            cut += solid(part, material, half)
    return cut


def seats(pieces: list[Piece], rng: np.random.Generator) -> list[Piece]:
    """Build what is visible through a car's windows: one to three rows of seats, in the box of the
    piece `windows`.
    """
    cabin = [piece for name, _, piece in pieces if name == "windows"]
    if not cabin:
        return []
    (back, right, low), (front, left, top) = cabin[0].bounds
    width, height = left - right, top - low
    depth = 0.09 * (left - right)
    seat_pieces: list[Piece] = []
    count = max(1, int((front - back) / (0.75 * width) + rng.uniform(-0.4, 0.4)))
    tall = height * rng.uniform(0.35, 0.6)
    for x in front - (front - back) * (np.arange(count) + rng.uniform(0.5, 0.65)) / count:
        for y in (-0.22, 0.22):
            at = ((left + right) / 2 + y * width, low + tall / 2)
            seat_pieces += solid(
                "seat", "seat", box(depth, 0.3 * width, tall, (x, *at), pitch=-0.15)
            )
            seat_pieces += solid(
                "seat",
                "seat",
                box(0.7 * depth, 0.14 * width, 0.3 * tall, (x - depth, at[0], low + 1.15 * tall)),
            )
    return seat_pieces
