"""What a camera sees of a scene table before there is a picture: boxes for silhouettes.

A box covers more than its thing, so shares of the visible are too low rather than too high, and a scene that passes
here passes on its masks. Where pictures are rendered, masks decide."""

import numpy as np
import shapely

from po3d.scene.geometry import Array, Camera, box_corners
from po3d.scene.table import Scene


def silhouettes(scene: Scene, camera: Camera) -> tuple[np.ndarray, Array]:
    """(n,) polygons of the boxes on the image plane, pixels, and (n,) depths of their centres. A box that reaches
    behind the camera is an empty polygon."""
    corners = box_corners(scene.positions, scene.headings, scene.extents)
    pixels, depth = camera.project(corners)
    hulls = shapely.convex_hull(shapely.multipoints(pixels))
    hulls[depth.min(axis=1) <= 0] = shapely.Polygon()
    return hulls, camera.project(scene.positions)[1]


def visible_shares(scene: Scene, camera: Camera) -> tuple[Array, Array]:
    """(n,) the share of each box that is inside the image and hidden by no nearer box, and (n,) its whole area as a
    share of the image."""
    hulls, depth = silhouettes(scene, camera)
    frame = shapely.box(0, 0, camera.width, camera.height)
    area = shapely.area(hulls)
    shares, nearer = np.zeros(len(hulls)), shapely.Polygon()
    for i in np.argsort(depth, kind="stable"):
        if area[i] > 0:
            shares[i] = shapely.area(shapely.intersection(hulls[i], frame).difference(nearer)) / area[i]
            nearer = shapely.union(nearer, hulls[i])
    return shares, area / (camera.width * camera.height)
