"""Text tables and top views of a scene: street tables show shapes, room tables names and sizes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from po3d.io.text_tables import Table
from po3d.scene.vocabulary import COLORS_RGB, shape_name

if TYPE_CHECKING:  # the table imports this module
    from po3d.scene.table import ObjectState, Scene

# Drawing colours of room attributes that streets lack; objects without a colour are PLAIN.
_MORE_RGB = {
    "beige": (225, 210, 180), "orange": (235, 150, 70), "pink": (235, 160, 185),
    "white": (238, 238, 238), "black": (70, 70, 70),
}  # fmt: skip
PLAIN = (150, 155, 165)


def paint(o: ObjectState) -> tuple[int, int, int]:
    """Return the sRGB colour of an object in drawings."""
    name = o.value("color") if "color" in o.beliefs else ""
    return _MORE_RGB.get(name) or COLORS_RGB.get(name) or PLAIN


def describe(state: ObjectState, number: int) -> str:
    """Return a street object in words: "#3 small red rubber SUV"."""
    known = []
    for a in ("size", "color", "material", "shape"):
        if a in state.beliefs:
            known.append(shape_name(state.value(a)))
    return " ".join([f"#{number}", *known])


def display_table(scene: Scene) -> Table:
    """Return `room_table` for scenes with an outline or names, else `street_table`."""
    named = scene.outline is not None or scene.has("name")
    return room_table(scene) if named else street_table(scene)


def street_table(scene: Scene) -> Table:
    """Return attributes, positions, headings (degrees) and occluders, with their probabilities."""
    rows = []
    for i, o in enumerate(scene.objects):
        hider = ""
        if scene.occluders is not None:
            hider = ", ".join(f"{j}{_doubt(p)}" for j, p in scene.occluders[i].items() if p >= 0.05)
        values = [_value(o, attribute) for attribute in ("size", "color", "material", "shape")]
        x, y = o.position[:2]
        heading = f"{math.degrees(o.heading):.0f}{_doubt(1 - o.flip)}"
        rows.append([str(i), *values, x, y, heading, hider or None])
    header = ("#", "size", "color", "material", "shape", "x", "y", "heading", "hidden by")
    return Table(header, rows)


def room_table(scene: Scene, touched: frozenset[int] = frozenset()) -> Table:
    """Return names, attributes, positions and sizes in metres; touched objects are starred."""
    rows = []
    for i, o in enumerate(scene.objects):
        number = f"{i}{'*' if i in touched else ''}"
        looks = [o.value(a) if a in o.beliefs else None for a in ("color", "material", "state")]
        rows.append([number, o.value("name"), *looks, *o.position, *o.extent])
    header = ("#", "name", "color", "material", "state", "x", "y", "z", "depth", "width", "height")
    return Table(header, rows)


ARROWS = "→↗↑↖←↙↓↘"  # heading in the top view, every 45 degrees from the right
_WIDTH, _HEIGHT = 64, 24  # maximum size in characters; a character is twice as high as wide


def top_view(scene: Scene) -> str:
    """Return the scene from above as text: row numbers, with arrows for the headings.

    Streets have the camera at the bottom, rooms the front at the top. Of overlapping labels only
    the first is drawn.
    """
    room = scene.outline is not None
    right, up = (scene.axes[side] for side in ("right", "front" if room else "behind"))
    along = lambda p, axis: p[0] * axis[0] + p[1] * axis[1]  # noqa: E731
    points = [(along(o.position, right), along(o.position, up)) for o in scene.objects]
    corners = [(along(p, right), along(p, up)) for p in scene.outline or ()]
    xs, ys = zip(*points, *corners) if points or corners else ((0.0,), (0.0,))
    step = max((max(xs) - min(xs)) / (_WIDTH - 4), (max(ys) - min(ys)) / (_HEIGHT - 1) / 2, 1e-6)
    rows = [[" "] * _WIDTH for _ in range(round((max(ys) - min(ys)) / step / 2) + 1)]
    for k, (x, y) in enumerate(points):
        heading = scene.objects[k].heading
        nose = (math.cos(heading), math.sin(heading))
        turn = math.atan2(along(nose, up), along(nose, right))
        at = round((x - min(xs)) / step)
        word = f"{k}{ARROWS[round(turn / (math.pi / 4)) % 8]}"
        row = rows[round((max(ys) - y) / step / 2)]
        if not "".join(row[at : at + len(word)]).strip():
            row[at : at + len(word)] = word
    far, near = ("front", "") if room else ("behind", "camera")
    lines = [f"{far:-^{_WIDTH}}", *map("".join, rows), f"{near:-^{_WIDTH}}"]
    return "\n".join(map(str.rstrip, lines))


def _value(o: ObjectState, attribute: str) -> str | None:
    if attribute not in o.beliefs:
        return None
    value = o.value(attribute)
    return shape_name(value) + _doubt(o.beliefs[attribute][value])


def _doubt(p: float) -> str:
    return "" if p > 0.995 else f" {p:.2f}"
