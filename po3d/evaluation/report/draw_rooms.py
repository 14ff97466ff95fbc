"""Rooms from above as pictures: before and after a change, the frame's front at the top."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from po3d.scene.edits import Edited
from po3d.scene.frames import in_frame
from po3d.scene.geometry import footprint
from po3d.scene.table import ObjectState, Scene

SIDE = 560  # pixels of a view
MARGIN = 34
FLOOR, WALL, INK, TOUCHED, GONE = (236, 232, 224), (90, 84, 78), (40, 40, 40), (214, 64, 36), (150, 150, 150)
PAINT = {
    "white": (250, 250, 250), "black": (60, 60, 60), "gray": (150, 150, 150), "brown": (150, 105, 70), "red": (214, 70, 60),
    "blue": (80, 120, 205), "green": (95, 165, 90), "yellow": (235, 205, 80), "orange": (235, 150, 70), "pink": (235, 160, 185),
    "purple": (150, 100, 175), "beige": (225, 210, 180),
}  # fmt: skip
PLAIN = (205, 205, 210)


def draw_change(before: Scene, edited: Edited) -> Image.Image:
    """Two views side by side; what the change touched is outlined in red. Both have the frame of the changed scene."""
    axes = edited.scene.axes
    views = [
        _view(before, axes, edited.touched_before, "before"),
        _view(edited.scene, axes, edited.touched, "after"),
    ]
    canvas = Image.new("RGB", (2 * SIDE + MARGIN, SIDE), "white")
    canvas.paste(views[0], (0, 0))
    canvas.paste(views[1], (SIDE + MARGIN, 0))
    return canvas


def _view(scene: Scene, axes, touched: frozenset[int], title: str) -> Image.Image:
    image = Image.new("RGB", (SIDE, SIDE), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(13)
    ground = np.array(scene.outline) if scene.outline else scene.positions[:, :2]
    framed = in_frame(ground, axes)
    low, high = framed.min(0), framed.max(0)
    scale = (SIDE - 2 * MARGIN) / max(float((high - low).max()), 1e-6)

    def pixels(points: NDArray) -> list[tuple[float, float]]:
        right, front = (in_frame(points, axes) - (low + high) / 2).T * scale
        return list(zip((SIDE / 2 + right).tolist(), (SIDE / 2 - front).tolist()))

    if scene.outline:
        draw.polygon(pixels(ground), fill=FLOOR, outline=WALL, width=4)
    for k in sorted(range(len(scene)), key=lambda i: scene.objects[i].position[2]):
        _thing(draw, scene.objects[k], pixels, k in touched, font)
    draw.text((SIDE / 2, 4), f"{title} (front)", fill=INK, anchor="ma", font=font)
    return image


def _thing(draw: ImageDraw.ImageDraw, o: ObjectState, pixels, touched: bool, font) -> None:
    corners = pixels(footprint(o.position, o.heading, o.extent))
    color = PAINT.get(o.value("color"), PLAIN) if "color" in o.beliefs else PLAIN
    draw.polygon(corners, fill=color, outline=TOUCHED if touched else INK, width=4 if touched else 1)
    ((x, y),) = pixels(np.array([o.position[:2]]))
    dark = sum(color) < 330
    draw.text((x, y), o.value("name"), fill="white" if dark else INK, anchor="mm", font=font)
