"""Pictures of placed meshes with exact masks, rendered headless (moderngl over EGL).

On a machine without a GPU, Mesa's llvmpipe draws. It starts LP_NUM_THREADS threads per process (read when the first
Renderer is made; set here from `threads` unless the environment has it): 1 or 0 is right when several processes
render, the number of cores when one does.

One picture is: shadow map, light map of the ground (soft key shadow and ambient shadows), ids and depth, colour where
the depth agrees, then each object alone for its amodal mask. Ids, depth and amodal masks are sampled at the pixel
centres, whatever the number of colour samples. Row 0 of every buffer is the top row of the picture: the projection
flips y, not the read-back. Equal input gives equal bytes on one driver.
"""

import os
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.errors import InputError
from po3d.geometry import Camera, look_at, rotation_z
from po3d.synthesis import patterns
from po3d.synthesis.assets.mesh import Mesh
from po3d.synthesis.environment import MAP_REACH, RGB, Finish, Lighting, Look, lighting
from po3d.synthesis.footprint import ambient_shadow
from po3d.synthesis.labels import Masks

MAX_PARTS = 64  # of one mesh, as the shaders' array is fixed
NEAR, FAR = 0.2, 400.0  # world units
SHADOW_SIZE = 1024
CACHED_MESHES = 256

# What a part is made of where it isn't painted: base colour (linear), metallic, roughness, clearcoat.
SURFACES: dict[str, tuple[RGB, Finish]] = {
    "glass": ((0.02, 0.025, 0.03), Finish(0.0, 0.06, 1.0)),
    "tyre": ((0.02, 0.02, 0.02), Finish(0.0, 0.85, 0.0)),
    "chrome": ((0.65, 0.65, 0.65), Finish(1.0, 0.15, 0.0)),
    "dark": ((0.03, 0.03, 0.03), Finish(0.0, 0.6, 0.0)),
    "lamp": ((0.75, 0.75, 0.70), Finish(0.0, 0.15, 1.0)),
    "tail": ((0.45, 0.02, 0.02), Finish(0.0, 0.2, 1.0)),
    "white": ((0.75, 0.75, 0.75), Finish(0.0, 0.5, 0.0)),
    "wood": ((0.30, 0.16, 0.07), Finish(0.0, 0.5, 0.0)),
    "seat": ((0.06, 0.04, 0.03), Finish(0.0, 0.7, 0.0)),
}


class RenderError(InputError):
    """No picture can be made on this machine, and what to install."""


@dataclass(frozen=True)
class Placed:
    """A mesh in the world: standing on the ground, painted."""

    mesh: Mesh
    scale: float
    position: tuple[float, float]  # ground x, y of the mesh's origin
    heading: float
    color: RGB
    finish: Finish
    colors: Mapping[str, RGB] = field(default_factory=dict)  # parts painted otherwise, by name
    tint: float = 0.0  # how far glass, tyres and the rest take on the paint: 0 a real vehicle, 1 a toy all in one colour


@dataclass(frozen=True)
class Frame(Masks):
    """A picture and its labels."""

    rgb: NDArray[np.uint8]  # (H, W, 3)
    depth: NDArray[np.float32] | None  # (H, W) along the optical axis; inf where no object is


class _Uploaded(NamedTuple):
    """A mesh on the device. `mesh` keeps the cache's key, its id, from being given to another."""

    mesh: Mesh
    color: object
    mask: object
    footprint: object
    reach: float  # half side of the footprint's square, unit scale
    low: NDArray[np.float32]  # (3,) bounds
    high: NDArray[np.float32]
    owned: tuple

    def release(self) -> None:
        for item in self.owned:
            item.release()


def surfaces(placed: Placed) -> NDArray[np.float32]:
    """(MAX_PARTS, 8) of each part: base colour, metallic, roughness, clearcoat, two unused."""
    unknown = set(placed.colors) - {part.name for part in placed.mesh.parts}
    if unknown:
        raise InputError(
            f"colours for parts {sorted(unknown)} that the mesh lacks; it has {[p.name for p in placed.mesh.parts]}"
        )
    table = np.zeros((MAX_PARTS, 8), np.float32)
    paint, finish = np.array(placed.color), np.array((1.0, 1.0, 1.0))
    own = np.array([placed.finish.metallic, placed.finish.roughness, placed.finish.clearcoat])
    for row, part in zip(table, placed.mesh.parts):
        if part.name in placed.colors:
            color, finish = np.array(placed.colors[part.name]), own
        elif part.material == "paint":
            color, finish = paint, own
        else:
            base, kind = SURFACES[part.material]
            fixed = np.array([kind.metallic, kind.roughness, kind.clearcoat])
            color = (1 - placed.tint) * np.array(base) + placed.tint * paint
            finish = (1 - placed.tint) * fixed + placed.tint * own
        row[:3], row[3:6] = color, finish
    return table


def world_T_object(placed: Placed) -> NDArray[np.float64]:
    """(4, 4), scale included."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotation_z(placed.heading) * placed.scale
    matrix[:2, 3] = placed.position
    return matrix


def clip_T_world(camera: Camera) -> NDArray[np.float64]:
    """(4, 4) OpenGL projection whose clip y points down, so that row 0 of a buffer is the top of the picture."""
    (cx, cy), w, h = camera.principal, camera.width, camera.height
    clip_T_cam = np.zeros((4, 4))
    clip_T_cam[0, [0, 2]] = 2 * camera.focal / w, 2 * cx / w - 1
    clip_T_cam[1, [1, 2]] = 2 * camera.focal / h, 2 * cy / h - 1
    clip_T_cam[2, 2:] = (FAR + NEAR) / (FAR - NEAR), -2 * FAR * NEAR / (FAR - NEAR)
    clip_T_cam[3, 2] = 1
    return clip_T_cam @ _matrix(camera.cam_T_world.rotation, camera.cam_T_world.translation)


def _matrix(rotation: NDArray, translation: NDArray) -> NDArray[np.float64]:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, translation
    return matrix


def _bytes(matrix: NDArray) -> bytes:
    return np.ascontiguousarray(np.asarray(matrix).T, np.float32).tobytes()


class Renderer:
    """Draws pictures of one size. Use as a context manager, one per process and size."""

    def __init__(self, width: int = 640, height: int = 480, samples: int = 1, threads: int = 1) -> None:
        """`samples` 1 is the fast one, 4 smooths edges (colour only)."""
        if samples not in (1, 4):
            raise InputError(f"samples={samples} is not supported: 1 (fast) or 4 (smooth edges)")
        os.environ.setdefault("LP_NUM_THREADS", str(threads))
        self.width, self.height, self.samples = width, height, samples
        self._ctx = _context()
        self._meshes: OrderedDict[int, _Uploaded] = OrderedDict()
        self._tiles: dict[tuple, object] = {}
        with self._ctx:
            self._programs()
            self._targets()

    def __enter__(self) -> "Renderer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the device's memory back."""
        self._ctx.release()

    # --- set-up --------------------------------------------------------------------------------------------------

    def _programs(self) -> None:
        def source(*names: str) -> str:
            folder = resources.files("po3d.synthesis") / "shaders"
            head = f"#version 330\n#define PARTS {MAX_PARTS}\n#define MAP_REACH {MAP_REACH}\n"
            return head + "".join((folder / name).read_text(encoding="utf-8") for name in names)

        def program(vertex: str, *fragment: str) -> object:
            return self._ctx.program(vertex_shader=source(vertex), fragment_shader=source(*fragment))

        self._mask = program("mask.vert", "mask.frag")
        self._object = program("object.vert", "film.glsl", "object.frag")
        self._ground = program("ground.vert", "film.glsl", "ground.frag")
        self._wall = program("ground.vert", "film.glsl", "wall.frag")
        self._light = program("light_map.vert", "light_map.frag")
        self._stamp = program("light_map.vert", "stamp.frag")
        self._light_quad = self._ctx.vertex_array(self._light, [])
        self._stamp_quad = self._ctx.vertex_array(self._stamp, [])
        corner = np.linspace(0, 2 * np.pi, 97)
        disc = [(a, r, 0) for a, b in zip(corner, corner[1:]) for a, r in ((0, 0), (a, 1), (b, 1))]
        wall = [
            (t, 1, z) for a, b in zip(corner, corner[1:]) for low, high in ((0, 1), (1, 8))
            for t, z in ((a, low), (b, low), (b, high), (a, low), (b, high), (a, high))
        ]  # fmt: skip
        self._disc = self._polar(self._ground, disc)
        self._cylinder = self._polar(self._wall, wall)

    def _polar(self, program: object, corners: list) -> object:
        return self._ctx.vertex_array(program, [(self._ctx.buffer(np.array(corners, "f4").tobytes()), "3f", "polar")])

    def _targets(self) -> None:
        import moderngl

        ctx, size = self._ctx, (self.width, self.height)
        linear, nearest = (moderngl.LINEAR, moderngl.LINEAR), (moderngl.NEAREST, moderngl.NEAREST)
        depth = ctx.depth_texture(size)
        self._ids = ctx.framebuffer([ctx.texture(size, 1)], depth)
        self._amodal = ctx.framebuffer([ctx.texture(size, 1)])
        self._picture = ctx.framebuffer([ctx.texture(size, 4)], depth)
        if self.samples > 1:
            rgba = ctx.renderbuffer(size, 4, samples=self.samples)
            self._smooth = ctx.framebuffer([rgba], ctx.depth_renderbuffer(size, samples=self.samples))
        shadow = ctx.depth_texture((SHADOW_SIZE, SHADOW_SIZE))
        shadow.repeat_x = shadow.repeat_y = False
        self._shadow = ctx.framebuffer([], shadow)
        self._compare = ctx.sampler(repeat_x=False, repeat_y=False, filter=linear, compare_func="<=")
        self._plain = ctx.sampler(repeat_x=False, repeat_y=False, filter=nearest, compare_func="")
        self._light_maps = {}
        for side in (LIGHT_MAP_HARD, LIGHT_MAP_SOFT):
            texture = ctx.texture((side, side), 2)
            texture.repeat_x = texture.repeat_y = False
            self._light_maps[side] = ctx.framebuffer([texture])
        self._reflections = ctx.texture((64, 64), 3, dtype="f2")
        self._reflections.build_mipmaps(0, 4)
        self._reflections.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        self._reflections.repeat_x = self._reflections.repeat_y = False
        grain = np.random.Generator(np.random.Philox(0)).normal(128, 40, (256, 256, 3))
        self._grain = ctx.texture((256, 256), 3, np.uint8(np.clip(grain, 0, 255)).tobytes())
        self._no_hdri = ctx.texture((1, 1), 3, bytes(3))
