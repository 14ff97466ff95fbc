"""A scene table as people read it: the table of a street, which tells shapes, or of a room, which tells names and sizes."""

import math

from po3d.io.text_tables import Table
from po3d.scene.table import ObjectState, Scene
from po3d.scene.vocabulary import COLORS_RGB

# Colours of rooms that streets do not have, as drawings show them; what has no colour is PLAIN.
_MORE_RGB = {
    "beige": (225, 210, 180),
    "orange": (235, 150, 70),
    "pink": (235, 160, 185),
    "white": (238, 238, 238),
    "black": (70, 70, 70),
}
PLAIN = (150, 155, 165)


def paint(o: ObjectState) -> tuple[int, int, int]:
    """The sRGB colour in which a drawing shows an object."""
    name = o.value("color") if "color" in o.beliefs else ""
    return _MORE_RGB.get(name) or COLORS_RGB.get(name) or PLAIN


def shown_table(scene: Scene) -> Table:
    """The one of the two that the scene is for."""
    named = scene.outline is not None or any("name" in o.beliefs for o in scene.objects)
    return room_table(scene) if named else street_table(scene)


def street_table(scene: Scene) -> Table:
    """Looks, places and who hides whom; probabilities where there is doubt, headings in degrees."""
    rows = []
    for i, o in enumerate(scene.objects):
        hider = ""
        if scene.occluders is not None:
            hider = ", ".join(f"{j}{_doubt(p)}" for j, p in scene.occluders[i].items() if p >= 0.05)
        values = [_value(o, attribute) for attribute in ("size", "color", "material", "shape")]
        x, y = o.position[:2]
        rows.append(
            [str(i), *values, x, y, f"{math.degrees(o.heading):.0f}{_doubt(1 - o.flip)}", hider or None]
        )
    return Table(("#", "size", "color", "material", "shape", "x", "y", "heading", "hidden by"), rows)


def room_table(scene: Scene, touched: frozenset[int] = frozenset()) -> Table:
    """Names, looks, places and sizes in metres; what a change touched has a star."""
    rows = []
    for i, o in enumerate(scene.objects):
        looks = [o.value(a) if a in o.beliefs else None for a in ("color", "material", "state")]
        rows.append([f"{i}{'*' if i in touched else ''}", o.value("name"), *looks, *o.position, *o.extent])
    return Table(("#", "name", "color", "material", "state", "x", "y", "z", "depth", "width", "height"), rows)


def _value(o: ObjectState, attribute: str) -> str | None:
    if attribute not in o.beliefs:
        return None
    value = o.value(attribute)
    return value + _doubt(o.beliefs[attribute][value])


def _doubt(p: float) -> str:
    return "" if p > 0.995 else f" {p:.2f}"
