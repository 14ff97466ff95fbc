"""Small pictures of placed meshes in one pass, for comparison with crops of an image.

Many square tiles are drawn into one framebuffer and read back at once. Shading is diffuse, under
the sky and the key light of one style; there are no shadows, reflections or surroundings, and the
background has one colour. Meshes stay uploaded.
"""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from po3d.scene.geometry import Camera
from po3d.synthesis.render.device import ShaderProgram, open_context
from po3d.synthesis.render.environment import RenderStyle, lighting
from po3d.synthesis.render.instances import PlacedMesh
from po3d.synthesis.render.renderer import FAR, NEAR, clip_T_world
from po3d.synthesis.shapes.mesh import Mesh

COLUMNS, ROWS = 8, 8  # tiles per framebuffer
SUBJECT, OTHER = 1.0, 0.5  # alpha of the subject and of the others


class CropRenderer:
    """Renders square tiles under the light of one style; one per process and size."""

    def __init__(self, side: int, look: RenderStyle) -> None:
        self.side = side
        self._ctx = open_context()
        with self._ctx:
            self._program = ShaderProgram(self._ctx, "crop.vert", "crop.frag")
            size = (COLUMNS * side, ROWS * side)
            self._target = self._ctx.framebuffer(
                [self._ctx.texture(size, 4)], self._ctx.depth_renderbuffer(size)
            )
        light = lighting(look)
        gain = light.exposure * np.array(look.film.white_balance)
        ground = np.clip(light.ground * gain, 0, 1)
        self._background = (np.sqrt(ground) * (1.138 - 0.138 * ground)).tolist()
        self._light = {
            "irradiance": light.irradiance,
            "key_direction": look.key.direction,
            "key_color": look.key.color,
            "gain": gain,
        }
        self._lock = threading.Lock()
        self._meshes: dict[
            int, tuple[Mesh, Any]
        ] = {}  # the mesh is kept so that its id is not reused

    def render(
        self,
        subjects: Sequence[PlacedMesh],
        at: Sequence[int],
        backdrops: Sequence[Sequence[PlacedMesh]],
        cameras: Sequence[Camera],
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return T square pictures (T, side, side, 3) and the visible pixels of their subjects
        (T, side, side). Picture t shows subject t among the objects of backdrop `at[t]`; cameras of
        the backdrops have the size of a picture. Each backdrop is drawn once and combined with its
        subjects by depth."""
        with self._lock, self._ctx:
            there, there_depth = self._drawn(backdrops, cameras, OTHER)
            drawn = [[subject] for subject in subjects]
            pixels, depth = self._drawn(drawn, [cameras[k] for k in at], SUBJECT)
        visible = (pixels[..., 3] == round(255 * SUBJECT)) & (depth <= there_depth[at])
        return np.where(visible[..., None], pixels, there[at])[..., :3], visible

    def _drawn(
        self, objects: Sequence[Sequence[PlacedMesh]], cameras: Sequence[Camera], value: float
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Return (T, side, side, 4) pixels, with alpha `value` where there are objects, and
        (T, side, side) depths."""
        side, count = self.side, COLUMNS * ROWS
        pixels = np.zeros((len(cameras), side, side, 4), np.uint8)
        depth = np.zeros((len(cameras), side, side), np.float32)
        for start in range(0, len(cameras), count):
            part = slice(start, start + count)
            pixels[part], depth[part] = self._draw_part(objects[part], cameras[part], value)
        return pixels, depth

    def _draw_part(
        self, objects: Sequence[Sequence[PlacedMesh]], cameras: Sequence[Camera], value: float
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        import moderngl as gl

        side, rows = self.side, -(-len(cameras) // COLUMNS)
        target, program = self._target, self._program
        target.use()
        target.scissor = box = 0, 0, COLUMNS * side, rows * side
        target.clear(*self._background, 0.0, depth=1.0)
        self._ctx.enable_only(gl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        program.set(**self._light, value=value)
        for k, (camera, placed_meshes) in enumerate(zip(cameras, objects, strict=True)):
            target.viewport = k % COLUMNS * side, k // COLUMNS * side, side, side
            program.set(clip_T_world=clip_T_world(camera, NEAR, FAR), eye=camera.position)
            for placed in placed_meshes:
                program.set(world_T_object=placed.world_T_object, surfaces=placed.surfaces())
                self._uploaded(placed.mesh).render()
        raw = np.frombuffer(target.read(viewport=box, components=4), np.uint8)
        deep = np.frombuffer(
            target.read(viewport=box, components=1, attachment=-1, dtype="f4"), np.float32
        )
        return self._split(raw, rows, 4)[: len(cameras)], self._split(deep, rows, 1)[
            : len(cameras), ..., 0
        ]

    def _split(self, flat: NDArray, rows: int, channels: int) -> NDArray:
        """Return the tiles (T, side, side, channels) of a framebuffer's values."""
        grid = flat.reshape(rows, self.side, COLUMNS, self.side, channels).swapaxes(1, 2)
        return grid.reshape(-1, self.side, self.side, channels)

    def _uploaded(self, mesh: Mesh) -> Any:
        """Return the mesh's vertex array, uploaded on first use."""
        if id(mesh) not in self._meshes:
            columns = [mesh.vertices, mesh.normals, mesh.part[:, None]]
            vertices = self._ctx.buffer(np.concatenate(columns, 1, dtype=np.float32).tobytes())
            faces = self._ctx.buffer(mesh.faces.astype(np.int32).tobytes())
            layout = (vertices, "3f 3f 1f", "position", "normal", "part")
            self._meshes[id(mesh)] = mesh, self._ctx.vertex_array(self._program.gl, [layout], faces)
        return self._meshes[id(mesh)][1]
