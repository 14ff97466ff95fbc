"""Visibility of a scene's objects from a camera before rendering: silhouettes of their boxes.

A box covers more than its object, so visible fractions are underestimated, and a scene accepted
here is also accepted by its masks. For rendered pictures, masks decide.
"""

import numpy as np
import shapely

from po3d.scene.geometry import Array, Camera, box_corners
from po3d.scene.table import Scene


def silhouettes(scene: Scene, camera: Camera) -> tuple[np.ndarray, Array]:
    """Return the silhouettes of the boxes as n polygons on the image plane (pixels), and the depths
    (n,) of their centres. A box that extends behind the camera gives an empty polygon.
    """
    corners = box_corners(scene.positions, scene.headings, scene.extents)
    pixels, depth = camera.project(corners)
    hulls = shapely.convex_hull(shapely.multipoints(pixels))
    hulls[depth.min(axis=1) <= 0] = shapely.Polygon()
    return hulls, camera.project(scene.positions)[1]


def visible_shares(scene: Scene, camera: Camera) -> tuple[Array, Array]:
    """Return two arrays (n,): the fraction of each box that is inside the image and not hidden by a
    nearer box, and its whole area as a fraction of the image.
    """
    hulls, depth = silhouettes(scene, camera)
    frame = shapely.box(0, 0, camera.width, camera.height)
    area = shapely.area(hulls)
    shares, nearer = np.zeros(len(hulls)), shapely.Polygon()
    for i in np.argsort(depth, kind="stable"):
        if area[i] > 0:
            shares[i] = (
                shapely.area(shapely.intersection(hulls[i], frame).difference(nearer)) / area[i]
            )
            nearer = shapely.union(nearer, hulls[i])
    return shares, area / (camera.width * camera.height)
