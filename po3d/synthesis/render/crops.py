"""Small pictures of placed meshes in one pass, for comparison with crops of an image.

Many square tiles are drawn into one framebuffer and read back at once. Shading is diffuse, under
the sky and the key light of one style; there are no shadows, reflections or surroundings, and the
background has one colour. Meshes stay uploaded.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.scene.geometry import Camera
from po3d.synthesis.render.device import ShaderProgram, open_context
from po3d.synthesis.render.environment import RenderStyle, lighting
from po3d.synthesis.render.instances import PlacedMesh
from po3d.synthesis.render.renderer import FAR, NEAR, clip_T_world
from po3d.synthesis.shapes.mesh import Mesh

COLUMNS, ROWS = 8, 8  # tiles per framebuffer
SUBJECT, OTHER = 1.0, 0.5  # alpha of the first object and of the others


class Tile(NamedTuple):
    """One square picture: the first object is the subject."""

    objects: Sequence[PlacedMesh]
    camera: Camera  # of the tile's size


@dataclass(frozen=True)
class TileImages:
    rgb: NDArray[np.uint8]  # (T, side, side, 3)
    subject: NDArray[np.bool_]  # (T, side, side) visible pixels of the first objects


class CropRenderer:
    """Renders square tiles under the light of one style; one per process and size."""

    def __init__(self, side: int, look: RenderStyle, threads: int = 0) -> None:
        self.side = side
        self._ctx = open_context(threads)
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

    def render(self, tiles: Sequence[Tile]) -> TileImages:
        """Return the tiles' pictures."""
        side, count = self.side, COLUMNS * ROWS
        pixels = np.zeros((len(tiles), side, side, 4), np.uint8)
        with self._lock, self._ctx:
            for start in range(0, len(tiles), count):
                part = tiles[start : start + count]
                pixels[start : start + len(part)] = self._draw_part(part)
        return TileImages(pixels[..., :3], pixels[..., 3] == round(255 * SUBJECT))

    def _draw_part(self, tiles: Sequence[Tile]) -> NDArray[np.uint8]:
        import moderngl as gl

        side, rows = self.side, -(-len(tiles) // COLUMNS)
        target, program = self._target, self._program
        target.use()
        target.scissor = box = 0, 0, COLUMNS * side, rows * side
        target.clear(*self._background, 0.0, depth=1.0)
        self._ctx.enable_only(gl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        program.set(**self._light)
        for k, tile in enumerate(tiles):
            target.viewport = k % COLUMNS * side, k // COLUMNS * side, side, side
            program.set(clip_T_world=clip_T_world(tile.camera, NEAR, FAR), eye=tile.camera.position)
            for number, placed in enumerate(tile.objects):
                program.set(
                    world_T_object=placed.world_T_object,
                    surfaces=placed.surfaces(),
                    value=OTHER if number else SUBJECT,
                )
                self._uploaded(placed.mesh).render()
        raw = np.frombuffer(target.read(viewport=box, components=4), np.uint8)
        grid = raw.reshape(rows, side, COLUMNS, side, 4).swapaxes(1, 2)
        return grid.reshape(-1, side, side, 4)[: len(tiles)]

    def _uploaded(self, mesh: Mesh) -> Any:
        """Return the mesh's vertex array, uploaded on first use."""
        if id(mesh) not in self._meshes:
            columns = [mesh.vertices, mesh.normals, mesh.part[:, None]]
            vertices = self._ctx.buffer(np.concatenate(columns, 1, dtype=np.float32).tobytes())
            faces = self._ctx.buffer(mesh.faces.astype(np.int32).tobytes())
            layout = (vertices, "3f 3f 1f", "position", "normal", "part")
            self._meshes[id(mesh)] = mesh, self._ctx.vertex_array(self._program.gl, [layout], faces)
        return self._meshes[id(mesh)][1]
