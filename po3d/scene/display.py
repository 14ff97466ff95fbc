"""A scene table as people read it: the table of a street, which tells shapes, or of a room, which tells names and sizes."""

import math

from po3d.io.text_tables import Table
from po3d.scene.table import ObjectState, Scene
from po3d.scene.vocabulary import COLORS_RGB, shape_name

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


ARROWS = "→↗↑↖←↙↓↘"  # headings on the page, every 45 degrees from the right
_WIDTH, _HEIGHT = 64, 24  # letters at most; a letter is twice as high as wide


def top_view(scene: Scene) -> str:
    """The scene from above in letters: a row's number where its thing stands, an arrow for where its front points. On a street the
    camera is below, in a room the front is above. Of things in one place the first is shown."""
    room = scene.outline is not None
    right, up = (scene.axes[side] for side in ("right", "front" if room else "behind"))
    along = lambda p, axis: p[0] * axis[0] + p[1] * axis[1]  # noqa: E731
    shown = [(along(o.position, right), along(o.position, up)) for o in scene.objects]
    corners = [(along(p, right), along(p, up)) for p in scene.outline or ()]
    xs, ys = zip(*shown, *corners) if shown or corners else ((0.0,), (0.0,))
    step = max((max(xs) - min(xs)) / (_WIDTH - 4), (max(ys) - min(ys)) / (_HEIGHT - 1) / 2, 1e-6)
    rows = [[" "] * _WIDTH for _ in range(round((max(ys) - min(ys)) / step / 2) + 1)]
    for k, (x, y) in enumerate(shown):
        heading = scene.objects[k].heading
        nose = (math.cos(heading), math.sin(heading))
        turn = math.atan2(along(nose, up), along(nose, right))
        at = round((x - min(xs)) / step)
        word = f"{k}{ARROWS[round(turn / (math.pi / 4)) % 8]}"
        row = rows[round((max(ys) - y) / step / 2)]
        if not "".join(row[at : at + len(word)]).strip():
            row[at : at + len(word)] = word
    edge = "front" if room else "behind"
    lines = [
        f"{edge:-^{_WIDTH}}",
        *("".join(row) for row in rows),
        "-" * _WIDTH if room else f"{'camera':-^{_WIDTH}}",
    ]
    return "\n".join(line.rstrip() for line in lines)


def _value(o: ObjectState, attribute: str) -> str | None:
    if attribute not in o.beliefs:
        return None
    value = o.value(attribute)
    return shape_name(value) + _doubt(o.beliefs[attribute][value])


def _doubt(p: float) -> str:
    return "" if p > 0.995 else f" {p:.2f}"
