"""Street tables as padded arrays of probabilities: the tables of the batched executor.

    pack_tables(scenes) ─► Tables      uncertain or certain scenes; poses as samples
    pack_samples(samples) ─► Tables    posterior samples of one scene, each a certain table

A certain table has probabilities of 0 and 1 only and one sample of its poses.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.reasoning.packing import VALUES
from po3d.scene.geometry import Array
from po3d.scene.posterior import SceneSamples, occluder_table, uncertain
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES, DIRECTIONS

PAD = 16  # tables are padded to multiples of this many objects
POSES_STAGE = "executor.poses"  # random stream of the poses
# Objects times samples whose relations are computed at once on a CPU: more exceed its caches, fewer
# are many small operations.
PAIRS = 1 << 16


@dataclass(frozen=True, eq=False)
class Tables:
    """S tables padded to n objects, with pose samples in `groups`.

    A group has tables with equally many objects.
    """

    exists: Tensor  # (S, n) existence probability, 0 for padding
    mask: Tensor  # (S, n) objects of the set `scene`; False for padding
    looks: dict[str, Tensor]  # attribute -> (S, n, values)
    # (S, n, n) probability that j is the dominant occluder of i, given that j exists
    hidden: Tensor
    # attribute or "occlusion" -> (S,) whether the table has it for every object
    has_attribute: dict[str, Tensor]
    gaps: bool  # whether any table lacks any of them
    most: int  # largest number of objects of a table
    groups: tuple["Poses", ...]

    def __len__(self) -> int:
        return len(self.exists)


@dataclass(frozen=True, eq=False)
class Poses:
    """Pose samples of G tables with n objects each, in the axis order of `relations.Pairs`."""

    rows: Tensor  # (G,) indices of the tables
    x: Tensor  # (n, G, samples); float32, or float64 for certain tables
    y: Tensor
    headings: Tensor
    axes: Tensor  # (4, 2, G, 1)
    extents: Tensor  # (n, 2, G, 1)
    mask: Tensor | None = None  # (n, G, 1) the objects that exist; None: any may


def width(scene: Scene) -> int:
    """Return the padded number of objects of a table."""
    return max(1, -(-len(scene) // PAD)) * PAD


def pack_tables(
    scenes: Sequence[Scene], samples: int = 64, seed: int = 0, device: str | torch.device = "cpu"
) -> Tables:
    """Pack the probabilities of tables, with `samples` samples of their poses.

    The random numbers of a table depend only on its number of objects and the seed.
    """
    s, pad = len(scenes), max(map(width, scenes), default=PAD)
    exists, mask = np.zeros((s, pad)), np.zeros((s, pad), bool)
    looks, known = _columns(s, pad)
    hidden = np.zeros((s, pad, pad))
    alike: dict[tuple[int, bool, bool], list[int]] = {}
    for k, scene in enumerate(scenes):
        n = len(scene)
        exists[k, :n], mask[k, :n] = [o.existence for o in scene.objects], True
        for attribute in ATTRIBUTES:
            try:
                looks[attribute][k, :n] = scene.belief(attribute, VALUES[attribute])
            except InputError:  # reported when a program reads the attribute
                known[attribute][k] = False
        known["occlusion"][k] = scene.occluders is not None
        hidden[k, :n, :n] = occluder_table(scene)[:, :-1]
        if n:
            key = n, uncertain(scene, ("pose", "flip")), uncertain(scene, ("pose",))
            alike.setdefault(key, []).append(k)
    at_once = PAIRS if torch.device(device).type == "cpu" else PAIRS * 4096
    groups = []
    for (n, varies, moved), rows in alike.items():
        count = samples if varies else 0
        size = max(1, at_once // (n * n * max(count, 1)))
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            groups.append(_poses([scenes[k] for k in part], part, count, moved, seed, device))
    most = max(map(len, scenes), default=0)
    return _tables(exists, mask, looks, hidden, known, most, tuple(groups), device)


def _columns(s: int, pad: int) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return `looks` and `has_attribute` of `Tables`: no values, all known."""
    looks, known = {}, {"occlusion": np.ones(s, bool)}
    for attribute in ATTRIBUTES:
        looks[attribute] = np.zeros((s, pad, len(VALUES[attribute])))
        known[attribute] = np.ones(s, bool)
    return looks, known


def _tables(
    exists: Array,
    mask: Array,
    looks: dict[str, Array],
    hidden: Array,
    known: dict[str, Array],
    most: int,
    groups: tuple["Poses", ...],
    device: str | torch.device = "cpu",
) -> Tables:
    """Return tables from arrays."""
    tensor = lambda array: torch.from_numpy(array).to(device)  # noqa: E731
    values = {attribute: tensor(p) for attribute, p in looks.items()}
    has_attribute = {attribute: tensor(k) for attribute, k in known.items()}
    gaps = not np.all(list(known.values()))
    whole, there, hides = map(tensor, (exists, mask, hidden))
    return Tables(whole, there, values, hides, has_attribute, gaps, most, groups)


def _poses(
    scenes: Sequence[Scene],
    rows: list[int],
    samples: int,
    moved: bool,
    seed: int,
    device: str | torch.device,
) -> Poses:
    """Return pose samples of tables that share random numbers, drawn as in `posterior_samples`.

    `samples` 0: the poses are certain.
    """
    n = len(scenes[0])
    pose = np.stack([np.column_stack([s.positions[:, :2], s.headings]) for s in scenes])[:, None]
    if samples:
        random = rng(seed, POSES_STAGE)
        objects = list(itertools.chain.from_iterable(s.objects for s in scenes))
        if moved:
            covariance = np.array([o.covariance for o in objects], float)
            size, axis = np.linalg.eigh(covariance.reshape(len(scenes), n, 3, 3))
            root = axis * np.sqrt(np.maximum(size, 0))[..., None, :]
            noise = root[:, None] @ random.standard_normal((samples, n, 3))[..., None]
            pose = pose + noise[..., 0]
        flip = np.array([o.flip for o in objects]).reshape(len(scenes), n)
        flipped = random.random((samples, n)) < flip[:, None]
        pose = np.concatenate([np.broadcast_to(pose, (*flipped.shape, 3))[..., :2],
                               pose[..., 2:] + np.pi * flipped[..., None]], -1)  # fmt: skip
    parts = (
        *pose.transpose(3, 2, 0, 1),
        np.stack(list(map(_axes, scenes)), -1)[..., None],
        np.stack([s.extents[:, :2] for s in scenes], -1)[..., None],
    )
    kind = np.float32 if samples else np.float64
    tensors = (torch.from_numpy(np.ascontiguousarray(a, kind)).to(device) for a in parts)
    return Poses(torch.tensor(rows, device=device), *tensors)


def _axes(scene: Scene) -> Array:
    """Return the (4, 2) axes of a scene in the order of DIRECTIONS."""
    return np.array([scene.axes[d] for d in DIRECTIONS], float)


def pack_samples(samples: SceneSamples) -> Tables:
    """Pack posterior samples of one table; objects keep their indices."""
    scene, (count, n) = samples.table, samples.exists.shape
    pad, present = width(scene), samples.exists
    exists, hidden = np.zeros((count, pad)), np.zeros((count, pad, pad))
    exists[:, :n] = present
    looks, known = _columns(count, pad)
    known["occlusion"][:] = samples.occluder is not None
    for attribute in ATTRIBUTES:
        try:
            scene.belief(attribute, VALUES[attribute])
        except InputError:  # an object has no such attribute, or an unknown value
            known[attribute] = ~present.any(1)
            continue
        if n:
            code = list(map(VALUES[attribute].index, samples.values[attribute]))
            one_hot = np.eye(len(VALUES[attribute]))[code]
            looks[attribute][:, :n] = one_hot[samples.looks[attribute]]
    if samples.occluder is not None:
        sample, i = np.nonzero(present & (samples.occluder >= 0))
        hidden[sample, i, samples.occluder[sample, i]] = 1.0
    x, y = np.moveaxis(samples.positions, -1, 0)
    tensors = []
    for array in (x, y, samples.headings, present):
        tensors.append(torch.from_numpy(np.ascontiguousarray(array.T)[..., None]))
    axes = torch.from_numpy(_axes(scene))[..., None, None]
    extents = torch.from_numpy(scene.extents[:, :2].copy())[..., None, None]
    poses = Poses(torch.arange(count), *tensors[:3], axes, extents, tensors[3])
    return _tables(exists, exists > 0, looks, hidden, known, n, (poses,) if n else ())
