"""A small room whose answers can be checked by eye."""

import math

from po3d.scene.frames import axes_from_front
from po3d.scene.table import ObjectState, Scene, sure


def thing(
    name: str,
    x: float,
    y: float,
    size=(0.5, 0.5, 0.8),
    z: float | None = None,
    heading=0.0,
    **looks: str,
):
    return ObjectState(
        sure(name=name, **looks), (x, y, size[2] / 2 if z is None else z), heading, size
    )


def study() -> Scene:
    """Seen from above with the front up: a bed on the left, a desk with a lamp on the right,
    chairs, a high picture.
    """
    objects = (
        thing("bed", -2.0, 0.0, (2.0, 1.5, 0.5), color="white"),
        thing("desk", 2.0, 0.0, (0.7, 1.4, 0.75), color="brown", material="wooden"),
        thing("lamp", 2.0, 0.2, (0.2, 0.2, 0.4), z=0.95, color="red", state="on"),
        thing("office chair", 1.2, 0.0, color="black"),
        thing("chair", -2.0, 2.2, color="red"),
        thing("picture", 0.0, 2.95, (0.04, 0.6, 0.5), z=1.6, heading=-math.pi / 2, color="blue"),
        thing("box", 0.0, 0.0, (0.4, 0.4, 0.3)),
    )
    return Scene(
        objects, axes_from_front((0, 1)), "gt", outline=((-3, -3), (3, -3), (3, 3), (-3, 3))
    )
