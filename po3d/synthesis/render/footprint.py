"""Ambient shadow of a mesh on the ground below it."""

import numpy as np
from numpy.typing import NDArray

from po3d.synthesis.shapes.mesh import Mesh, spread

SIDE = 40  # texels per side of the footprint
PATCHES = 300  # number of samples of the mesh's surface


def ambient_shadow(mesh: Mesh) -> tuple[NDArray[np.uint8], float]:
    """Return the share of the sky visible from the ground around the mesh as bytes (SIDE, SIDE),
    rows along y, over the square [-reach, reach]^2 around its origin at unit scale; and `reach`.

    Each surface patch occludes the cosine-weighted solid angle it covers. Patches are treated as
    independent, and front and back of a body as one.
    """
    face, patches, normal = spread(mesh, PATCHES)
    area = np.linalg.norm(normal, axis=1) / 2
    n = normal[face] / 2 / np.maximum(area[face], 1e-12)[:, None]

    low, high = mesh.vertices.min(0), mesh.vertices.max(0)
    reach = float(np.abs([low[:2], high[:2]]).max() + 0.7 * high[2])
    t = ((np.arange(SIDE) + 0.5) / SIDE * 2 - 1) * reach
    x, y = np.float32(np.meshgrid(t, t)).reshape(2, -1, 1)
    px, py, pz = np.ascontiguousarray(patches.T, np.float32)
    dx, dy = px - x, py - y
    patch = area.sum() / PATCHES
    # a patch has finite size: limits the contribution of the nearest ones
    d2 = dx * dx + dy * dy + pz * pz + 0.5 * patch
    nx, ny, nz = n.T.astype(np.float32)
    facing = np.abs(dx * nx + dy * ny + pz * nz)
    hidden = (facing * pz / (d2 * d2)).sum(1) * (patch / np.pi / 2)
    left = np.exp(-1.3 * hidden).reshape(SIDE, SIDE)
    rim = 1 - np.clip(np.abs(t) / reach * 5 - 4, 0, 1)  # reaches 1 at the square's edge
    left = 1 - (1 - left) * np.minimum(rim[:, None], rim[None])
    return np.uint8(np.round(left * 255)), reach
