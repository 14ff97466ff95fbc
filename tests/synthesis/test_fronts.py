"""Objects that orbit scenes list with a front look different from the front and from behind."""

import numpy as np
import pytest

from po3d.synthesis.furniture.libraries import FOLDER
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.multi_view.catalogue import things
from po3d.synthesis.shapes.mesh import Mesh, spread
from po3d.synthesis.shapes.own_shapes import SHAPES, shape
from po3d.synthesis.splits import OWN, OWN_VARIANTS, SPLITS

FRONTED = sorted(name for name, thing in things().items() if thing.front)
LEAST = 0.08  # the most alike have 0.10 (a man) and 0.18 (an armchair); benches without a back 0.00
CELLS, POINTS = 24, 20_000


def grid(points: np.ndarray, axes: list[int], depth: np.ndarray, part: np.ndarray) -> np.ndarray:
    """(CELLS, CELLS) part of the point of largest depth in each cell of the box's side; -1: none"""
    flat = points[:, axes] - points[:, axes].min(0)
    column, row = (flat / np.maximum(flat.max(0), 1e-9) * (CELLS - 1e-6)).astype(int).T
    cells, order = np.full(CELLS**2, -1), np.argsort(depth, kind="stable")
    cells[(row * CELLS + column)[order]] = part[order]
    return cells.reshape(CELLS, CELLS)


def front_difference(mesh: Mesh) -> float:
    """The share of cells in which the parts seen from the front differ from those seen from behind,
    or of the side view's silhouette that its mirror image lacks, whichever is larger.
    """
    face, points, _ = spread(mesh, POINTS)
    part = mesh.part[mesh.faces[face, 0]].astype(int)
    front, behind = (grid(points, [1, 2], s * points[:, 0], part) for s in (1, -1))
    side = grid(points, [0, 2], points[:, 1], 0 * part) >= 0
    mirrored = side[:, ::-1]
    parts = (front != behind).sum() / ((front >= 0) | (behind >= 0)).sum()
    return max(parts, (side != mirrored).sum() / (side | mirrored).sum())


@pytest.mark.parametrize("category", [name for name in FRONTED if name in SHAPES])
def test_an_own_shape_with_a_front_has_another_back(category: str) -> None:
    for split in SPLITS:
        for k in OWN_VARIANTS[split][:2]:
            assert front_difference(shape(category, k)[0]) > LEAST, f"{category}#{k}"


def test_a_bench_of_ours_has_no_back_and_so_no_front() -> None:
    alike = [front_difference(shape("bench", k)[0]) for k in OWN_VARIANTS["test"]]
    assert max(alike) < LEAST
    assert not things()["bench"].front


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason="needs the furniture libraries")
@pytest.mark.parametrize("category", FRONTED)
def test_a_catalogue_model_with_a_front_has_another_back(category: str) -> None:
    models = RoomModels()
    for split in SPLITS:
        for model in things()[category].models_of(split):
            if not model.name.startswith(OWN):
                assert front_difference(models.model(model.name).mesh) > LEAST, model.name
