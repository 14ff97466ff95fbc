"""The room around the furniture: floor, inner faces of the walls, ceiling, and upper rims of the
walls.

Back faces are culled, so a camera above or outside the room sees inside, and one inside sees walls
and ceiling. The faces cast no shadow and occlude no object: wall-mounted objects are on their inner
side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.scene.geometry import Camera
from po3d.synthesis.render.device import ShaderProgram
from po3d.synthesis.render.environment import RGB, Lighting, RenderStyle
from po3d.synthesis.render.shadows import Shadows
from po3d.synthesis.shapes.primitives import triangles

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Shell:
    """A room's inner faces. The floor has the pattern of the style's `ground`; `stretch` turns its
    slabs into planks."""

    outline: tuple[tuple[float, float], ...]  # of the floor, counter-clockwise from above, metres
    walls: tuple[RGB, ...]  # linear colour of each edge's wall
    height: float = 2.5
    ceiling: RGB = (0.75, 0.75, 0.73)
    rim: float = 0.0  # thickness of the cut walls seen from above, metres
    rim_color: RGB = (0.5, 0.5, 0.5)
    skirting: RGB = (0.7, 0.7, 0.7)
    skirting_height: float = 0.0
    stretch: float = 1.0  # ratio of length to width of the floor's slabs
    outside: RGB = (0.0, 0.0, 0.0)  # colour of the picture outside the room, as displayed

    def __post_init__(self) -> None:
        corners = np.array(self.outline, float)
        if corners.ndim != 2 or len(corners) < 3 or not shapely.Polygon(corners).is_valid:
            raise InputError(
                f"the outline of a room should be a simple polygon, not {self.outline}"
            )
        if not shapely.LinearRing(corners).is_ccw:
            raise InputError(
                "the outline of a room should be counter-clockwise seen from above; reverse its"
                " corners"
            )
        if len(self.walls) != len(self.outline):
            raise InputError(f"{len(self.walls)} wall colours for {len(self.outline)} walls")


def floor_corners(shell: Shell, color: RGB) -> NDArray[np.float32]:
    """Return the corners (N, 11) of the floor's triangles: position, normal, metres along the face,
    linear colour."""
    outline = np.array(shell.outline, float)
    flat = outline[triangles(outline).ravel()]
    return _rows(np.c_[flat, np.zeros(len(flat))], (0, 0, 1), flat, color)


def wall_corners(shell: Shell, eye: Array) -> NDArray[np.float32]:
    """Return the corners (N, 11), as in `floor_corners`, of ceiling, walls and rims that `eye` (3,)
    sees from inside; a wall that is not drawn has no rim either."""
    outline = np.array(shell.outline, float)
    flat = outline[triangles(outline).ravel()]
    parts = [np.zeros((0, 11), np.float32)]
    if eye[2] < shell.height:
        parts.append(
            _rows(np.c_[flat, np.full(len(flat), shell.height)], (0, 0, -1), flat, shell.ceiling)
        )
    for a, b, color in zip(outline, np.roll(outline, -1, 0), shell.walls):
        length, height = float(np.linalg.norm(b - a)), shell.height
        along = (b - a) / length
        inward = np.array([-along[1], along[0]])
        if (eye[:2] - a) @ inward <= 0:
            continue
        st = np.array(
            [(0, 0), (length, 0), (length, height), (0, 0), (length, height), (0, height)], float
        )
        parts.append(_rows(np.c_[a + st[:, :1] * along, st[:, 1]], (*inward, 0), st, color))
        if shell.rim and eye[2] > height:
            p, q = a - along * shell.rim, b + along * shell.rim
            outward = -inward * shell.rim
            quad = np.array([p, q, q + outward, p, q + outward, p + outward])
            parts.append(_rows(np.c_[quad, np.full(6, height)], (0, 0, 1), quad, shell.rim_color))
    return np.concatenate(parts)


def _rows(points: Array, normal: Sequence[float], metres: Array, color: RGB) -> NDArray[np.float32]:
    ones = np.ones((len(points), 1))
    return np.hstack([points, ones * np.array(normal), metres, ones * np.array(color)]).astype(
        np.float32
    )


class ShellPainter:
    """Draws shells into the bound framebuffer."""

    def __init__(self, context: Any) -> None:
        self._ctx = context
        self._floor = ShaderProgram(
            context, "shell.vert", "film.glsl", "shell.frag", define="FLOOR"
        )
        self._walls = ShaderProgram(context, "shell.vert", "film.glsl", "shell.frag")
        self.programs = (self._floor, self._walls)

    def draw(
        self,
        shell: Shell,
        camera: Camera,
        look: RenderStyle,
        light: Lighting,
        shadows: Shadows,
        tile: Any,
    ) -> None:
        """Draw a shell. `tile` is the texture of the floor's pattern; the caller sets the film and
        the camera matrix."""
        g, key = look.ground, np.array(look.key.color) * look.key.direction[2]
        c, s = np.cos(g.angle) / g.tile, np.sin(g.angle) / g.tile
        k = 1 / shell.stretch
        self._walls.set(
            irradiance=light.irradiance,
            key_direction=look.key.direction,
            key_color=look.key.color,
            shadow_blur=shadows.blur(look),
            skirting=shell.skirting,
            skirting_height=shell.skirting_height,
        )
        shadows.bind(self._walls, 0)
        self._draw(self._walls, wall_corners(shell, camera.position))
        if camera.position[2] <= 0:
            return
        tile.use(0)
        shadows.light_map.use(1)
        self._floor.set(
            tile=0,
            light_map=1,
            tile_T_ground=np.array([[k * c, k * s, g.offset[0]], [-s, c, g.offset[1]], [0, 0, 1]]),
            light_map_T_ground=shadows.light_map_T_ground,
            sky_light=light.sky / np.pi,
            key_light=key / np.pi,
            albedo2=g.color2,
            contrast=g.contrast,
        )
        self._draw(self._floor, floor_corners(shell, g.color))

    def _draw(self, program: ShaderProgram, rows: NDArray[np.float32]) -> None:
        if not len(rows):
            return
        buffer = self._ctx.buffer(rows.tobytes())
        names, layout = [], []
        for name, count in (("position", 3), ("normal", 3), ("metres", 2), ("paint", 3)):
            if name in program.gl:
                names.append(name)
            layout.append(f"{count}f" if name in program.gl else f"{4 * count}x")
        faces = self._ctx.vertex_array(program.gl, [(buffer, " ".join(layout), *names)])
        faces.render()
        faces.release()
        buffer.release()
