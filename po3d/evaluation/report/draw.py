"""Drawings of scenes: boxes and headings on the image beside a top view, and rooms before and after
a change.

An object is drawn in its own colour; other colour-coded information is also encoded by shape, in
the colour-blind-safe palette of Okabe and Ito (2008). Uncertainty is translucent: an ellipse of two
standard deviations of the position and a wedge of two of the heading.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from po3d.scene.display import paint
from po3d.scene.edits import Edited
from po3d.scene.frames import in_frame
from po3d.scene.geometry import footprint
from po3d.scene.table import ObjectState, Scene

RGB = tuple[int, int, int]
# pairs of BOX_SIGNS
EDGES = (
    (0, 1),
    (2, 3),
    (4, 5),
    (6, 7),
    (0, 2),
    (2, 6),
    (6, 4),
    (4, 0),
    (1, 3),
    (3, 7),
    (7, 5),
    (5, 1),
)
ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (0, 114, 178),
    (213, 94, 0),
    (204, 121, 167),
)
BOXES = (ORANGE, SKY, GREEN, YELLOW, PURPLE, VERMILION, BLUE)  # colours of boxes on photographs
TRUTH, BLACK = (255, 255, 255), (0, 0, 0)
LINES = 60  # maximum number of grid lines on either side of the centre
GROUND, GRID, INK = (58, 60, 66), (76, 79, 86), (235, 235, 235)
FLOOR, WALL, DARK = (236, 232, 224), (90, 84, 78), (40, 40, 40)
TOUCHED, GONE = VERMILION, (120, 120, 120)
SOFT = 70  # opacity of uncertainty regions, of 255
SIDE = 560  # width and height of a room's view, in pixels
MARGIN = 34
Points = Sequence[tuple[float, float]]
ToPixels = Callable[[NDArray], list[tuple[float, float]]]  # (n, 2 or 3) ground points -> pixels


class _Sheet:
    """An image to draw on. Labels are collected and placed by `done`, inside the image and without
    overlap."""

    def __init__(self, image: Image.Image, letters: int) -> None:
        self.image = image.convert("RGB")
        self.draw = ImageDraw.Draw(self.image, "RGBA")  # RGBA mode allows translucent colours
        self.font = ImageFont.load_default(letters)
        self.labels: list[tuple[float, float, str, RGB, RGB]] = []

    def arrow(self, ends: NDArray | Points, color: RGB, width: int) -> None:
        (x0, y0), (x1, y1) = ends
        self.draw.line([(x0, y0), (x1, y1)], fill=color, width=width)
        back = math.atan2(y0 - y1, x0 - x1)
        tips = []
        for s in (0.45, -0.45):
            tips.append((x1 + 9 * math.cos(back + s), y1 + 9 * math.sin(back + s)))
        self.draw.polygon([(x1, y1), *tips], fill=color)

    def label(self, at: Sequence[float], words: str, color: RGB, ground: RGB = BLACK) -> None:
        """Add a label to be centred at `at` if possible."""
        self.labels.append((float(at[0]), float(at[1]), words, color, ground))

    def done(self) -> Image.Image:
        """Return the image with its labels; a label placed far away gets a line to its position."""
        taken: list[tuple[float, float, float, float]] = []
        for x, y, words, color, ground in self.labels:
            left, top, right, bottom = self.draw.textbbox((0, 0), words, font=self.font)
            width, height = right - left + 4, bottom - top + 4
            box = next(_room_for(x, y, width, height, self.image.size, taken), None)
            if box is None:
                continue  # no space left for labels
            taken.append(box)
            center = box[0] + width / 2, box[1] + height / 2
            if max(abs(center[0] - x), abs(center[1] - y)) > 1.5 * height + width / 2:
                self.draw.line([(x, y), center], fill=(*color, 160))
            self.draw.rectangle(box, fill=(*ground, 190))
            self.draw.text((box[0] + 2 - left, box[1] + 2 - top), words, fill=color, font=self.font)
        return self.image


def _room_for(x, y, width, height, size, taken):
    """Yield free boxes of that size inside the image, in rings around a point, nearest first."""
    for ring in range(40):
        for turn in range(max(1, 8 * min(ring, 2))):
            angle = 2 * math.pi * turn / max(1, 8 * min(ring, 2)) - math.pi / 2
            left = x - width / 2 + math.cos(angle) * ring * 0.4 * max(height, width / 2)
            top = y - height / 2 + math.sin(angle) * ring * 0.6 * height
            left, top = min(max(left, 0), size[0] - width), min(max(top, 0), size[1] - height)
            box = (left, top, left + width, top + height)
            if left >= 0 and top >= 0 and not any(_overlap(box, other) for other in taken):
                yield box


def _overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    return a[0] < b[2] and a[2] > b[0] and a[1] < b[3] and a[3] > b[1]


# --- streets and photographs ----------------------------------------------------------------------


def draw_scene(
    image: NDArray[np.uint8] | None, scene: Scene, gt: Scene | None = None
) -> Image.Image:
    """Draw a scene on its image, beside a top view with the camera at the bottom.

    The ground truth, if given, is drawn underneath in white. Without an image, only the top view is
    drawn; without a camera, the image has no overlay."""
    height = 480 if image is None else image.shape[0]
    top = _top_view(scene, gt, height)
    if image is None:
        return top
    canvas = Image.new("RGB", (image.shape[1] + height, height))
    canvas.paste(_on_image(image, scene, gt), (0, 0))
    canvas.paste(top, (image.shape[1], 0))
    return canvas


# Flip probability and variance above which a heading is unknown, and gets no arrow.
NO_HEADING = 0.49, 0.81


def draw_photograph(picture: NDArray[np.uint8], scene: Scene) -> Image.Image:
    """Draw the boxes of the scene's objects on the image, with names and known headings' arrows."""
    sheet = _Sheet(Image.fromarray(picture), max(10, picture.shape[0] // 40))
    line = max(2, picture.shape[0] // 240)
    for k, o in enumerate(scene.objects):
        if o.box is None or scene.camera is None:
            continue
        color = BOXES[k % len(BOXES)]
        sheet.draw.rectangle(o.box, outline=color, width=line)
        words = f"{k} {o.value('name')}"
        sheet.label((o.box[0] + 4 * len(words), o.box[1] + sheet.font.size), words, color)
        if o.flip > NO_HEADING[0] and o.covariance[2][2] > NO_HEADING[1]:
            continue
        front = np.array([np.cos(o.heading), np.sin(o.heading), 0.0])
        ends = np.array(o.position) + np.outer([0.0, 0.5 * o.extent[0] + 0.2], front)
        pixels, depth = scene.camera.project(ends)
        if depth.min() > 0:
            sheet.arrow(pixels.tolist(), color, line)
    return sheet.done()


def _on_image(image: NDArray[np.uint8], scene: Scene, gt: Scene | None) -> Image.Image:
    sheet = _Sheet(Image.fromarray(np.ascontiguousarray(image)), max(10, image.shape[0] // 40))
    for table, truth in ((gt, True), (scene, False)):
        if table is None or table.camera is None:
            continue
        camera = table.camera.resized(image.shape[1], image.shape[0])
        for k, o in enumerate(table.objects):
            corners, depth = camera.project(o.corners())
            ends, ends_depth = camera.project(_arrow(o))
            if depth.min() <= 0 or ends_depth.min() <= 0:
                continue  # partly behind the camera: cannot be projected
            color = TRUTH if truth else _color(o)
            width = 1 if truth else 2
            for a, b in EDGES:
                sheet.draw.line([tuple(corners[a]), tuple(corners[b])], fill=color, width=width)
            sheet.arrow(ends, color, 1 if truth else 3)
            if not truth:
                middle = (corners[:, 0].mean(), corners[:, 1].min() - sheet.font.size / 2 - 2)
                sheet.label(middle, f"{k} {_title(o)}", color)
    return sheet.done()


def _top_view(scene: Scene, gt: Scene | None, side: int) -> Image.Image:
    """Draw the ground plane, (side, side), with the viewer's "behind" up and left as in the
    image."""
    sheet = _Sheet(Image.new("RGB", (side, side), GROUND), max(10, side // 40))
    draw = sheet.draw
    right, behind = (np.array(scene.axes[name], float) for name in ("right", "behind"))
    points = np.zeros((1, 2))
    for table in (gt, scene):
        if table is not None and len(table):
            feet = footprint(table.positions, table.headings, table.extents)
            points = np.concatenate([points, feet.reshape(-1, 2)])
    reach = max(4.5, float(np.abs(np.stack([points @ right, points @ behind])).max()) + 0.3)
    scale = side / (2 * reach)

    def to_pixels(ground: NDArray) -> list[tuple[float, float]]:
        ground = np.atleast_2d(ground)[:, :2]
        x, y = side / 2 + scale * (ground @ right), side / 2 - scale * (ground @ behind)
        return list(zip(x.tolist(), y.tolist()))

    every = math.ceil(reach / LINES)  # scene units between grid lines
    for step in range(-int(reach / every), int(reach / every) + 1):
        at = side / 2 + step * every * scale
        draw.line([(at, 0), (at, side)], fill=GRID)
        draw.line([(0, at), (side, at)], fill=GRID)
    for o in scene.objects:
        _doubts(draw, o, to_pixels, _color(o))
    for table, truth in ((gt, True), (scene, False)):
        for k, o in enumerate(() if table is None else table.objects):
            color = TRUTH if truth else _color(o)
            corners = to_pixels(footprint(o.position, o.heading, o.extent))
            draw.polygon(corners, outline=color, width=1 if truth else 2)
            sheet.arrow(to_pixels(_arrow(o)), color, 1 if truth else 3)
            if not truth:
                sheet.label(to_pixels(np.array(o.position))[0], str(k), color)
    if scene.camera is not None:
        _camera(sheet, scene, to_pixels, side)
    draw.text(
        (6, side - 6), "top view, camera at the bottom", fill=INK, font=sheet.font, anchor="lb"
    )
    return sheet.done()


def _camera(sheet: _Sheet, scene: Scene, to_pixels: ToPixels, side: int) -> None:
    """Draw a wedge at the camera position, or at the image border in its direction, opening along
    its viewing direction."""
    ((x, y),) = to_pixels(np.array([scene.camera.position]))
    away = max(abs(x - side / 2), abs(y - side / 2)) / (side / 2 - 10)
    if away > 1:
        x, y = side / 2 + (x - side / 2) / away, side / 2 + (y - side / 2) / away
    # the camera's z axis in world coordinates
    look = np.asarray(scene.camera.cam_T_world.rotation)[2]
    a, b = to_pixels(np.array([[0.0, 0.0], look[:2]]))
    angle = (
        math.atan2(b[1] - a[1], b[0] - a[0]) if np.linalg.norm(look[:2]) > 1e-6 else -math.pi / 2
    )
    rays = []
    for s in (-0.45, 0.45):
        rays.append((x + 22 * math.cos(angle + s), y + 22 * math.sin(angle + s)))
    sheet.draw.polygon([(x, y), *rays], fill=(*SKY, 110), outline=SKY)
    sheet.draw.ellipse((x - 4, y - 4, x + 4, y + 4), fill=SKY, outline=BLACK)


def _doubts(draw: ImageDraw.ImageDraw, o: ObjectState, to_pixels: ToPixels, color: RGB) -> None:
    """Draw the uncertainty of position and heading, two standard deviations each, if there is
    any."""
    covariance = np.array(o.covariance, float)
    middle, turn = np.array(o.position[:2]), np.linspace(0, 2 * math.pi, 49)
    if covariance[:2, :2].any():
        values, vectors = np.linalg.eigh(covariance[:2, :2])
        circle = np.stack([np.cos(turn), np.sin(turn)], 1)
        for size in (1.0, 2.0):
            ring = circle * size * np.sqrt(values.clip(0)) @ vectors.T + middle
            draw.polygon(to_pixels(ring), fill=(*color, SOFT))
    if covariance[2, 2] > 0:
        spread = min(2 * math.sqrt(covariance[2, 2]), math.pi)
        angles = np.linspace(o.heading - spread, o.heading + spread, 25)
        rim = middle + (0.5 * o.extent[0] + 0.5) * np.stack([np.cos(angles), np.sin(angles)], 1)
        draw.polygon(to_pixels(np.vstack([middle, rim])), fill=(*color, SOFT))


def _arrow(o: ObjectState) -> NDArray:
    """Return (2, 3): from the box centre to a point beyond its front, at half its height."""
    nose = np.array([math.cos(o.heading), math.sin(o.heading)]) * (0.5 * o.extent[0] + 0.35)
    z = o.underside + o.extent[2] / 2
    return np.array([(*o.position[:2], z), (o.position[0] + nose[0], o.position[1] + nose[1], z)])


def _color(o: ObjectState) -> RGB:
    """Return the object's own colour, brightened to be visible on dark and light ground."""
    return tuple(min(255, 60 + int(0.9 * c)) for c in paint(o))  # type: ignore[return-value]


def _title(o: ObjectState) -> str:
    return " ".join(o.value(a) for a in ("color", "shape", "name") if a in o.beliefs) or o.name


# --- rooms ----------------------------------------------------------------------------------------


def draw_change(before: Scene, edited: Edited) -> Image.Image:
    """Draw two views side by side, with the front of the changed scene's reference frame up in
    both.

    Objects touched by the change have a thick outline, moved objects an arrow from their old
    position, removed objects a cross."""
    axes, after = edited.scene.axes, edited.scene
    moved = {}
    for old, new in edited.index.items():
        if old < len(before):
            was, here = before.objects[old].position[:2], after.objects[new].position[:2]
            if math.dist(was, here) > 0.02:
                moved[new] = was
    gone = edited.touched_before.difference(edited.index)
    views = [
        _view(before, axes, edited.touched_before, "before", {}, gone),
        _view(after, axes, edited.touched, "after", moved, frozenset()),
    ]
    canvas = Image.new("RGB", (2 * SIDE + MARGIN, SIDE), "white")
    canvas.paste(views[0], (0, 0))
    canvas.paste(views[1], (SIDE + MARGIN, 0))
    return canvas


def _view(
    scene: Scene, axes, touched: frozenset[int], title: str, moved, gone: frozenset[int]
) -> Image.Image:
    """Draw one view; `moved`: old positions of moved objects, `gone`: removed objects."""
    sheet = _Sheet(Image.new("RGB", (SIDE, SIDE), "white"), 13)
    draw = sheet.draw
    ground = np.array(scene.outline) if scene.outline else scene.positions[:, :2]
    framed = in_frame(ground, axes)
    low, high = framed.min(0), framed.max(0)
    scale = (SIDE - 2 * MARGIN) / max(float((high - low).max()), 1e-6)

    def pixels(points: NDArray) -> list[tuple[float, float]]:
        right, front = (in_frame(np.asarray(points)[:, :2], axes) - (low + high) / 2).T * scale
        return list(zip((SIDE / 2 + right).tolist(), (SIDE / 2 - front).tolist()))

    if scene.outline:
        draw.polygon(pixels(ground), fill=FLOOR, outline=WALL, width=4)
    for k in sorted(range(len(scene)), key=lambda i: scene.objects[i].position[2]):
        o, thick = scene.objects[k], k in touched
        corners = pixels(footprint(o.position, o.heading, o.extent))
        draw.polygon(
            corners, fill=paint(o), outline=TOUCHED if thick else DARK, width=4 if thick else 1
        )
        _doubts(draw, o, pixels, BLUE)
        if k in gone:
            draw.line([corners[0], corners[2]], fill=GONE, width=3)
            draw.line([corners[1], corners[3]], fill=GONE, width=3)
        sheet.label(pixels(np.array([o.position]))[0], o.value("name"), DARK, (255, 255, 255))
    for k, was in moved.items():
        here, size = np.array(scene.objects[k].position[:2]), max(scene.objects[k].extent[:2])
        way = here - was
        # ends at the object's edge, beside its label
        here = here - way * min(0.6 * size / np.linalg.norm(way), 0.5)
        sheet.arrow(pixels(np.array([was, here])), TOUCHED, 3)
        ((x, y),) = pixels(np.array([was]))
        draw.ellipse((x - 5, y - 5, x + 5, y + 5), outline=TOUCHED, width=2)
    draw.text((SIDE / 2, 3), title, fill=DARK, anchor="ma", font=sheet.font)
    sheet.arrow([(SIDE - 52, 28), (SIDE - 52, 5)], BLUE, 3)  # marks the front
    draw.text((SIDE - 42, 10), "front", fill=BLUE, font=sheet.font)
    return sheet.done()
