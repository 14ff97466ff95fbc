"""Compare our vehicles with official ones (silhouettes, boxes), and fit warps towards them.

    python -m tools.official_forms compare DIR
        # DIR: cgparts/NAME/object.obj and binvox/NAME.binvox
    python -m tools.official_forms fit DIR
        # writes po3d/synthesis/vehicles/forms.csv and kin.csv; an hour
    python -m tools.official_forms sheet OUT.jpg          # our renderings

Only measured numbers are written, the displacements of a coarse lattice; no official mesh leaves
DIR. Silhouettes from 16 directions are rendered with both boxes scaled to the benchmark's extents,
so they compare shapes, not sizes; the boxes' proportions are compared separately.
"""

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy import ndimage
from scipy.spatial import cKDTree

from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.files import atomic_write
from po3d.scene.geometry import Camera, look_at
from po3d.scene.vocabulary import EXTENTS, SHAPES
from po3d.synthesis.render.environment import Finish
from po3d.synthesis.render.environment import direction as toward
from po3d.synthesis.render.instances import PlacedMesh
from po3d.synthesis.render.looks import sample_look
from po3d.synthesis.render.renderer import Renderer
from po3d.synthesis.shapes.mesh import Mesh, Part, assemble, boxed
from po3d.synthesis.vehicles import draw, official_types, vehicle
from po3d.synthesis.vehicles.forms import NODES, basis, displaced

Array = NDArray[np.float64]

FORMS = Path(__file__).parents[1] / "po3d" / "synthesis" / "vehicles"
SIDE = 192  # pixels per side of a silhouette
DIRECTIONS = [
    (np.pi / 8 * k, np.radians(28.0)) for k in range(16)
]  # azimuth, the benchmark camera's elevation
AROUND = [
    *((np.pi / 4 * k, np.radians(28.0)) for k in range(8)),
    *((np.pi / 4 * k, 0.0) for k in range(5)),
    *((np.pi / 2 * k + 0.4, np.radians(60.0)) for k in range(4)),
    (0.0, np.radians(89.5)),
]
QUICK = [
    *DIRECTIONS[0:9:2],
    (np.pi / 2, 0.0),
    (0.0, 0.0),
    (0.0, np.radians(89.5)),
]  # few directions, for ranking many variants
TURN = 12.0  # half the penalty of matching an edge with opposite direction, in pixels
STIFFNESS = np.geomspace(3e-2, 3e-4, 10)
REACH = np.linspace(40, 12, 10)  # pixels
CANDIDATES = range(10000, 10500)  # seeds of our generators, disjoint from those of our own forms
FITTED = 3  # number of nearest variants to which a lattice is fitted
TRIED = 48  # number of nearest variants that are warped and compared again
# splits assigned in turn, nearest variant first
KIN = ("train", "test", "train", "validation", "train", "test", "train")
KEPT_PARTS = 28
FINISH = Finish(0.0, 0.5, 0.0)


def official(folder: Path, shape: str) -> Mesh | None:
    """Return an official vehicle in our object frame at the benchmark's extents; None if the folder
    lacks it.
    """
    obj, voxels = folder / "cgparts" / shape / "object.obj", folder / "binvox" / f"{shape}.binvox"
    if obj.exists():
        points, faces = read_obj(obj)
    elif voxels.exists():
        points, faces = read_binvox(voxels)
    else:
        return None
    points = np.c_[-points[:, 2], -points[:, 0], points[:, 1]]
    low, high = points.min(0), points.max(0)
    middle = np.array([*(low + high)[:2] / 2, low[2]])
    points = (points - middle) * (np.array(EXTENTS[shape]) / (high - low))
    return _mesh(points, faces)


def proportions(folder: Path, shape: str) -> Array | None:
    """Return length, width and height of the official file, divided by its length."""
    obj = folder / "cgparts" / shape / "object.obj"
    if not obj.exists():
        return None
    x, y, z = np.ptp(read_obj(obj)[0], axis=0)
    return np.array([z, x, y]) / z


def _mesh(points: Array, faces: NDArray[np.int64]) -> Mesh:
    n = len(points)
    normals = np.tile(np.float32([0, 0, 1]), (n, 1))
    return Mesh(
        points.astype(np.float32),
        normals,
        np.zeros(n, np.uint8),
        faces.astype(np.int32),
        (Part("all", "paint"),),
    )


def read_obj(path: Path) -> tuple[Array, NDArray[np.int64]]:
    """Read vertices and triangles of a Wavefront file."""
    points, faces = [], []
    for line in path.read_text(errors="replace").splitlines():
        kind, *rest = line.split() or [""]
        if kind == "v":
            points.append([float(v) for v in rest[:3]])
        elif kind == "f":
            corners = [int(c.split("/")[0]) for c in rest]
            corners = [c - 1 if c > 0 else len(points) + c for c in corners]
            faces += [(corners[0], b, c) for b, c in itertools.pairwise(corners[1:])]
    used, faces = np.unique(np.array(faces), return_inverse=True)
    return np.array(points)[used], faces.reshape(-1, 3)


def read_binvox(path: Path) -> tuple[Array, NDArray[np.int64]]:
    """Return the outer faces of the filled voxels as triangles."""
    head, _, raw = path.read_bytes().partition(b"data\n")
    words = head.split()
    side = int(words[words.index(b"dim") + 1])
    pairs = np.frombuffer(raw, np.uint8).reshape(-1, 2)
    filled = np.repeat(pairs[:, 0], pairs[:, 1]).reshape(side, side, side).astype(bool)  # x, z, y
    filled = np.pad(filled.transpose(0, 2, 1), 1)
    points, faces = [], []
    for axis in range(3):
        for step in (1, -1):
            visible = np.argwhere(filled & ~np.roll(filled, -step, axis))
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            corner = visible + 0.5 + np.eye(3)[axis] * step / 2
            start = 4 * sum(len(p) // 4 for p in points)
            points.append(
                np.stack(
                    [
                        corner + a * u / 2 + b * v / 2
                        for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
                    ],
                    1,
                ).reshape(-1, 3)
            )
            quads = start + 4 * np.arange(len(visible))[:, None]
            faces.append(np.concatenate([quads + [0, 1, 2], quads + [0, 2, 3]]))
    return np.concatenate(points), np.concatenate(faces)


# --- comparing ------------------------------------------------------------------------------------


def _item(mesh: Mesh) -> list[PlacedMesh]:
    return [PlacedMesh(mesh, 1.0, (0.0, 0.0), 0.0, (0.5, 0.5, 0.5), FINISH)]


class Views:
    """Silhouettes and outline points of meshes, seen from all around."""

    def __init__(self) -> None:
        self.renderer = Renderer(SIDE, SIDE)
        self.look = sample_look("studio", np.random.default_rng(0))

    def outline(self, mesh: Mesh, shape: str, direction: tuple[float, float]) -> "Outline":
        camera = self.camera(shape, *direction)
        frame = self.renderer.render(_item(mesh), camera, self.look, depth=True, amodal=False)
        return Outline(frame.ids > 0, frame.depth, camera)

    def camera(self, shape: str, azimuth: float, elevation: float) -> Camera:
        reach = float(np.linalg.norm(EXTENTS[shape]))
        toward = np.array(
            [
                np.cos(elevation) * np.cos(azimuth),
                np.cos(elevation) * np.sin(azimuth),
                np.sin(elevation),
            ]
        )
        centre = np.array([0, 0, EXTENTS[shape][2] / 2])
        return Camera(SIDE, SIDE, SIDE * 5.4, look_at(centre + 6 * reach * toward, centre))

    def silhouettes(
        self, mesh: Mesh, shape: str, directions: Sequence[tuple[float, float]] = DIRECTIONS
    ) -> NDArray[np.bool_]:
        """Return silhouettes (directions, SIDE, SIDE)."""
        item = _item(mesh)
        return np.stack(
            [self.renderer.render_masks(item, self.camera(shape, *d)).ids > 0 for d in directions]
        )


def iou(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    """Return the mean intersection over union over the directions."""
    return float(((a & b).sum((1, 2)) / (a | b).sum((1, 2))).mean())


# --- fitting --------------------------------------------------------------------------------------


class Outline:
    """A silhouette's edge in one view: pixels, outward directions and, for our meshes, positions in
    the world.
    """

    def __init__(self, mask: NDArray[np.bool_], depth: Array, camera: Camera) -> None:
        soft = ndimage.gaussian_filter(mask.astype(float), 1.5)
        edge = mask & ~ndimage.binary_erosion(mask)
        rows, columns = np.nonzero(edge)
        down, right = np.gradient(soft)
        outward = -np.stack([right[rows, columns], down[rows, columns]], -1)
        self.outward = outward / np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-9)
        self.pixels = np.stack([columns + 0.5, rows + 0.5], -1)
        self.depth = depth[rows, columns]
        local = np.c_[
            (self.pixels - camera.principal) / camera.focal * self.depth[:, None], self.depth
        ]
        self.points = camera.cam_T_world.inverse().transform(local)
        self.features = np.c_[self.pixels, TURN * self.outward]


def _smoothness() -> Array:
    """Return (R, N) rows with second differences of a lattice along each axis, and first
    differences with a lower weight.
    """
    index = np.arange(np.prod(NODES)).reshape(NODES)
    rows = []
    for axis, count in enumerate(NODES):
        for order, weight in (([1, -2, 1], 1.0), ([1, -1], 0.3)):
            for k in range(count - len(order) + 1):
                picked = [np.take(index, k + j, axis).ravel() for j in range(len(order))]
                for nodes in zip(*picked):
                    row = np.zeros(index.size)
                    row[list(nodes)] = np.array(order) * weight
                    rows.append(row)
    return np.array(rows)


def fit(views: Views, meshes: list[Mesh], target: Mesh, shape: str) -> Array:
    """Fit displacements (*NODES, 3), as fractions of the extents, that align the outlines of
    several variants with the official ones in all views. Iterated least squares on nearest edges of
    similar direction, in both directions, with a smoothness penalty that is relaxed step by step.
    """
    extent = np.array(EXTENTS[shape])
    smooth, count = _smoothness(), int(np.prod(NODES))
    penalty = np.kron(np.eye(3), smooth.T @ smooth)
    still = np.arange(count).reshape(NODES)[:, 0].ravel() + count  # y on the plane of symmetry
    penalty[still, still] += 1e3
    goals = [views.outline(target, shape, d) for d in AROUND]
    trees = [cKDTree(goal.features) for goal in goals]
    lattice = np.zeros((*NODES, 3))
    for stiff, reach in zip(STIFFNESS, REACH):
        normal, right, rows_total = np.zeros((3 * count, 3 * count)), np.zeros(3 * count), 0
        for mesh in meshes:
            now = warped(mesh, lattice, extent)
            origin = cKDTree(now.vertices)
            for direction, goal, tree in zip(AROUND, goals, trees):
                outline = views.outline(now, shape, direction)
                if not len(outline.pixels):
                    continue
                camera = views.camera(shape, *direction)
                there, to = tree.query(outline.features)
                back, of = cKDTree(outline.features).query(goal.features)
                first, second = there < reach, back < reach
                ours = np.concatenate([np.flatnonzero(first), of[second]])
                theirs = np.concatenate([to[first], np.flatnonzero(second)])
                shift = (
                    (goal.pixels[theirs] - outline.pixels[ours])
                    * outline.depth[ours, None]
                    / camera.focal
                )
                vertex = origin.query(outline.points[ours])[1]
                before = mesh.vertices[vertex].astype(float)  # position before the displacement
                already = (displaced(before, lattice, extent) - before) / extent
                weights = basis(before / extent)
                for k in range(2):  # along the picture's x and y
                    axis = camera.cam_T_world.rotation[k] * extent
                    axis_y = axis[1] * np.sign(before[:, 1])
                    rows = np.concatenate(
                        [weights * axis[0], weights * axis_y[:, None], weights * axis[2]], 1
                    )
                    wanted = shift[:, k] + already @ axis
                    normal += rows.T @ rows
                    right += rows.T @ wanted
                    rows_total += len(rows)
        scale = np.mean(extent) ** 2
        solution = np.linalg.solve(
            normal / rows_total / scale + stiff * penalty + 1e-7 * np.eye(3 * count),
            right / rows_total / scale,
        )
        lattice = solution.reshape(3, count).T.reshape(*NODES, 3)
    return lattice


def warped(mesh: Mesh, lattice: Array, extent: Array) -> Mesh:
    """Displace the mesh by a lattice and scale it back to its box."""
    points = boxed(displaced(mesh.vertices.astype(float), lattice, extent), extent)
    return replace(mesh, vertices=points.astype(np.float32))


def unwarped(shape: str, seed: int) -> Mesh:
    """Return the mesh to warp: a variant of ours, or the mean shape of an official type."""
    if shape in official_types.MAKERS:
        return assemble(
            official_types.MAKERS[shape](np.random.default_rng(seed), varies=0.0),
            EXTENTS[shape],
            np.asarray,
        )
    return assemble(draw(shape, seed), EXTENTS[shape], np.asarray)


def measure(views: Views, target: Mesh, shape: str) -> tuple[Array, list[int], float]:
    """Return a type's lattice, rounded as in the file, the seeds of the nearest variants under it,
    and their mean IoU.
    """
    if shape in official_types.MAKERS:  # modelled on the official one: any variant will do
        lattice, _, mean = refine(views, target, shape, list(range(8)))
        return lattice, [], mean
    quick = views.silhouettes(target, shape, QUICK)
    scores = {
        k: iou(quick, views.silhouettes(unwarped(shape, k), shape, QUICK)) for k in CANDIDATES
    }
    best = sorted(scores, key=scores.get, reverse=True)[:TRIED]
    return refine(views, target, shape, best)


def refine(
    views: Views, target: Mesh, shape: str, best: list[int]
) -> tuple[Array, list[int], float]:
    """Compute the result of `measure` from seeds sorted by similarity."""
    extent, truth = np.array(EXTENTS[shape]), views.silhouettes(target, shape)
    for _ in range(2):  # the second iteration uses the variants that fit best after the first warp
        lattice = np.round(
            fit(views, [unwarped(shape, k) for k in best[:FITTED]], target, shape), 3
        )
        after = {
            k: iou(truth, views.silhouettes(warped(unwarped(shape, k), lattice, extent), shape))
            for k in best
        }
        best = sorted(best, key=after.get, reverse=True)
    return lattice, best[:KEPT_PARTS], float(np.mean([after[k] for k in best[:KEPT_PARTS]]))


def write(lattices: dict[str, tuple[Array, list[int]]]) -> None:
    with atomic_write(FORMS / "forms.csv") as file:
        file.write("shape,x,y,z,dx,dy,dz\n")
        for shape, (lattice, _) in lattices.items():
            for node in np.ndindex(*NODES):
                move = np.round(lattice[node] * 1000).astype(int)
                if move.any():
                    file.write(",".join(map(str, (shape, *node, *move))) + "\n")
    with atomic_write(FORMS / "kin.csv") as file:
        file.write("shape,split,seeds\n")
        for shape, (_, seeds) in lattices.items():
            for split in sorted(set(KIN)) if seeds else ():
                seeds_of_split = [
                    str(k) for k, to in zip(seeds, itertools.cycle(KIN)) if to == split
                ]
                file.write(f"{shape},{split},{' '.join(seeds_of_split)}\n")


def compare(views: Views, folder: Path) -> None:
    """Print each type's mean IoU of 16 training variants, our own and of official form, and its
    proportions.
    """
    print(
        "shape        ours  official  best  proportions (length, width, height against the table)"
    )
    for shape in SHAPES:
        target = official(folder, shape)
        if target is None:
            continue
        truth = views.silhouettes(target, shape)
        own_scores, near = (
            [iou(truth, views.silhouettes(vehicle(shape, k, forms), shape)) for k in range(16)]
            for forms in ("own", "official")
        )
        sides = proportions(folder, shape)
        table = np.array(EXTENTS[shape]) / EXTENTS[shape][0]
        ratios = "-" if sides is None else " ".join(f"{v:+.3f}" for v in sides / table - 1)
        print(
            f"{shape:12s} {np.mean(own_scores):.3f} {np.mean(near):.3f} {max(near):.3f}  {ratios}",
            flush=True,
        )


def sheet(path: Path) -> None:
    """Render two variants of every type in its official form, each from two sides."""
    width, height, rows = 180, 128, []
    look = sample_look("studio", np.random.default_rng(5))
    look = replace(look, film=replace(look.film, exposure=0.0, noise=0.0))
    with Renderer(width, height, samples=4) as renderer:
        for shape in SHAPES:
            middle, row = np.array([0, 0, EXTENTS[shape][2] / 2]), []
            for seed, azimuth in itertools.product((4, 17), (0.7, 2.4)):
                eye = middle + 1.9 * toward(azimuth, 0.5)
                camera = Camera(width, height, width * 1.8, look_at(eye, middle))
                item = PlacedMesh(
                    vehicle(shape, seed, "official"),
                    1.0,
                    (0.0, 0.0),
                    0.0,
                    (0.3, 0.07, 0.05),
                    FINISH,
                )
                row.append(renderer.render([item], camera, look, amodal=False).rgb)
            named = Image.fromarray(np.concatenate(row, 1))
            ImageDraw.Draw(named).text((4, 3), shape, fill=(255, 255, 255))
            rows.append(np.asarray(named))
    rows += [np.full_like(rows[0], 128)] * (len(rows) % 2)
    half = len(rows) // 2
    with atomic_write(path, "wb") as file:
        columns = [np.concatenate(rows[:half]), np.concatenate(rows[half:])]
        Image.fromarray(np.concatenate(columns, 1)).save(file, "JPEG", quality=82)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("compare", "fit", "sheet"))
    parser.add_argument(
        "folder", type=Path, help="folder of the official files; for `sheet` the image to write"
    )
    options = parser.parse_args()
    if options.what == "sheet":
        return sheet(options.folder)
    known = {s: m for s in SHAPES if (m := official(options.folder, s)) is not None}
    if not known:
        raise InputError(
            f"{options.folder} contains none of the vehicles: cgparts/NAME/object.obj or"
            " binvox/NAME.binvox"
        )
    views = Views()
    if options.what == "fit":
        lattices = {}
        for shape, target in known.items():
            lattice, seeds, mean = measure(views, target, shape)
            lattices[shape] = lattice, seeds
            print(f"{shape:12s} {mean:.3f}", flush=True)
        write(lattices)
    compare(views, options.folder)


if __name__ == "__main__":
    raise SystemExit(guarded(main))
