"""A scene table as a picture: boxes and heading arrows on the image, beside a view from above."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from po3d.scene.geometry import footprint
from po3d.scene.table import ObjectState, Scene
from po3d.scene.vocabulary import COLORS_RGB

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
)  # BOX_SIGNS
BOXES = ("red", "lime", "cyan", "yellow", "magenta", "orange", "white", "deepskyblue")  # of photographs
TRUTH = (255, 255, 255)
LINES = 60  # of the ground's grid on either side of the middle, at most
GROUND, GRID, INK = (58, 60, 66), (76, 79, 86), (235, 235, 235)


def draw_scene(image: NDArray[np.uint8] | None, scene: Scene, gt: Scene | None = None) -> Image.Image:
    """The image with the table drawn on it, beside a top view with the camera's side at the bottom. The
    true scene, when given, lies under it in white. Without an image only the top view is drawn; without a
    camera the image stays bare."""
    height = 480 if image is None else image.shape[0]
    top = _top_view(scene, gt, height)
    if image is None:
        return top
    canvas = Image.new("RGB", (image.shape[1] + height, height))
    canvas.paste(_on_image(image, scene, gt), (0, 0))
    canvas.paste(top, (image.shape[1], 0))
    return canvas


def draw_photograph(picture: NDArray[np.uint8], scene: Scene) -> Image.Image:
    """The picture with the boxes of the table's things, their names, and arrows out of their fronts."""
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    line = max(2, picture.shape[0] // 240)
    font = ImageFont.load_default(max(10, picture.shape[0] // 40))
    for k, o in enumerate(scene.objects):
        if o.box is None or scene.camera is None:
            continue
        color = BOXES[k % len(BOXES)]
        draw.rectangle(o.box, outline=color, width=line)
        draw.text((o.box[0] + line, o.box[1] + line), f"{k} {o.value('name')}", fill=color, font=font)
        front = np.array([np.cos(o.heading), np.sin(o.heading), 0.0])
        ends = np.array(o.position) + np.outer([0.0, 0.5 * o.extent[0] + 0.2], front)
        pixels, depth = scene.camera.project(ends)
        if depth.min() > 0:
            draw.line([tuple(p) for p in pixels.tolist()], fill=color, width=2 * line)
    return image


def _on_image(image: NDArray[np.uint8], scene: Scene, gt: Scene | None) -> Image.Image:
    picture = Image.fromarray(np.ascontiguousarray(image)).convert("RGB")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(max(10, image.shape[0] // 40))
    for table, truth in ((gt, True), (scene, False)):
        if table is None or table.camera is None:
            continue
        camera = table.camera.resized(image.shape[1], image.shape[0])
        for k, o in enumerate(table.objects):
            corners, depth = camera.project(o.corners())
            ends, ends_depth = camera.project(_arrow(o))
            if depth.min() <= 0 or ends_depth.min() <= 0:
                continue  # reaches behind the camera: there is no picture of it
            color = TRUTH if truth else _color(o)
            for a, b in EDGES:
                draw.line([tuple(corners[a]), tuple(corners[b])], fill=color, width=1 if truth else 2)
            _draw_arrow(draw, ends, color, 1 if truth else 3)
            if not truth:
                _label(draw, corners.min(0), f"{k} {_title(o)}", color, font)
    return picture


def _top_view(scene: Scene, gt: Scene | None, side: int) -> Image.Image:
    """(side, side) picture of the ground plane, the viewer's "behind" upward, left as on the image."""
    picture = Image.new("RGB", (side, side), GROUND)
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(max(10, side // 40))
    right, behind = (np.array(scene.axes[name], float) for name in ("right", "behind"))
    tables = [table for table in (gt, scene) if table is not None and len(table)]
    points = np.concatenate(
        [footprint(t.positions, t.headings, t.extents).reshape(-1, 2) for t in tables] or [np.zeros((1, 2))]
    )
    reach = max(4.5, float(np.abs(np.stack([points @ right, points @ behind])).max()) + 0.3)
    scale = side / (2 * reach)

    def to_pixels(ground: NDArray) -> list[tuple[float, float]]:
        ground = np.atleast_2d(ground)[:, :2]
        return [(side / 2 + scale * float(p @ right), side / 2 - scale * float(p @ behind)) for p in ground]

    every = math.ceil(reach / LINES)  # scene units between lines
    for step in range(-int(reach / every), int(reach / every) + 1):
        at = side / 2 + step * every * scale
        draw.line([(at, 0), (at, side)], fill=GRID)
        draw.line([(0, at), (side, at)], fill=GRID)
    for table, truth in ((gt, True), (scene, False)):
        for k, o in enumerate(() if table is None else table.objects):
            color = TRUTH if truth else _color(o)
            corners = to_pixels(footprint(o.position, o.heading, o.extent))
            draw.polygon(corners, outline=color, width=1 if truth else 2)
            _draw_arrow(draw, np.array(to_pixels(_arrow(o))), color, 1 if truth else 3)
            if not truth:
                _label(draw, np.add(to_pixels(np.array(o.position))[0], 4), str(k), color, font)
                _ellipse(draw, o, to_pixels, color)
    draw.text((6, side - 6), "seen from above, the camera below", fill=INK, font=font, anchor="lb")
    return picture


def _ellipse(draw: ImageDraw.ImageDraw, o: ObjectState, to_pixels, color: tuple[int, int, int]) -> None:
    """The two-sigma contour of the position, when there is any doubt about it."""
    covariance = np.array(o.covariance, float)[:2, :2]
    if not covariance.any():
        return
    values, vectors = np.linalg.eigh(covariance)
    turn = np.linspace(0, 2 * math.pi, 33)
    circle = np.stack([np.cos(turn), np.sin(turn)], 1) * 2 * np.sqrt(values.clip(0))
    draw.line(to_pixels(circle @ vectors.T + np.array(o.position[:2])), fill=color, width=1)


def _arrow(o: ObjectState) -> NDArray:
    """(2, 3) from the middle of the box to a little past its nose, at half its height."""
    nose = np.array([math.cos(o.heading), math.sin(o.heading)]) * (0.5 * o.extent[0] + 0.35)
    z = o.underside + o.extent[2] / 2
    return np.array([(*o.position[:2], z), (o.position[0] + nose[0], o.position[1] + nose[1], z)])


def _draw_arrow(draw: ImageDraw.ImageDraw, ends: NDArray, color: tuple[int, int, int], width: int) -> None:
    (x0, y0), (x1, y1) = ends
    draw.line([(x0, y0), (x1, y1)], fill=color, width=width)
    back = math.atan2(y0 - y1, x0 - x1)
    tips: Sequence = [(x1 + 9 * math.cos(back + s), y1 + 9 * math.sin(back + s)) for s in (0.45, -0.45)]
    draw.polygon([(x1, y1), *tips], fill=color)


def _label(draw: ImageDraw.ImageDraw, at: NDArray, words: str, color: tuple[int, int, int], font) -> None:
    x, y = float(at[0]), max(0.0, float(at[1]) - font.size - 2)
    draw.rectangle(draw.textbbox((x, y), words, font=font), fill=(0, 0, 0))
    draw.text((x, y), words, fill=color, font=font)


def _color(o: ObjectState) -> tuple[int, int, int]:
    """The object's own colour, lifted so that it shows on dark and on light ground."""
    rgb = COLORS_RGB.get(o.value("color"), INK) if "color" in o.beliefs else INK
    return tuple(min(255, 60 + int(0.9 * c)) for c in rgb)  # type: ignore[return-value]


def _title(o: ObjectState) -> str:
    return " ".join(o.value(a) for a in ("color", "shape", "name") if a in o.beliefs) or o.name
