"""Pictures of placed meshes with exact masks, rendered headless (moderngl over EGL).

The passes of a picture: shadow map, light map of the ground (soft key shadow and ambient shadows),
ids and depth, colour where the depth agrees, then each object alone for its amodal mask. Ids, depth
and amodal masks are sampled at the pixel centres, independent of the number of colour samples. Row
0 of every buffer is the top row of the picture: the projection flips y, not the read-back. Equal
input gives equal bytes with one driver.

`indoors` renderers draw rooms: objects that are raised, stretched and textured, and the Shell
around them.

Without a GPU, Mesa's llvmpipe renders with LP_NUM_THREADS threads per process. The environment
variable takes precedence; otherwise the first Renderer of a process sets it to 0: all in the
calling thread.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from po3d.io.errors import InputError
from po3d.scene.geometry import Camera
from po3d.synthesis.render.device import (
    DrawItem,
    MeshCache,
    ShaderProgram,
    open_context,
    pose_matrix,
)
from po3d.synthesis.render.environment import LEVEL_SIZES, Lighting, RenderStyle, lighting
from po3d.synthesis.render.instances import PlacedMesh
from po3d.synthesis.render.shadows import Shadows
from po3d.synthesis.render.surroundings import PatternTextures, StreetPainter
from po3d.synthesis.street.labels import ObjectLabel, label_objects
from po3d.synthesis.top_view.shell import Shell, ShellPainter

__all__ = ["PlacedMesh", "RenderedFrame", "Renderer"]

Array = NDArray[np.float64]

NEAR, FAR = 0.2, 400.0  # world units
GRAIN_DEVIATION = 40.0  # of the noise picture, in bytes
MAX_OBJECTS = 254  # ids are bytes


@dataclass(frozen=True)
class RenderedFrame:
    """A picture and the masks of N objects."""

    ids: NDArray[np.uint8]  # (H, W): 0 nothing, k + 1 object k
    amodal: NDArray[np.bool_]  # (N, H, W): the pixels of each object rendered alone
    rgb: NDArray[np.uint8] | None = None  # (H, W, 3) sRGB; None if only the masks are rendered

    @functools.cached_property
    def labels(self) -> tuple[ObjectLabel, ...]:
        """The occlusion label of each object: pixel counts, boxes, what hides it."""
        return label_objects(self.ids, self.amodal)

    @property
    def visible(self) -> Array:
        """(N,) visible fraction of each object's pixels; 0 outside the picture."""
        return np.array([label.visible_fraction for label in self.labels])


class Renderer:
    """Renders pictures of one size. Use as a context manager; one per process, size and number of
    samples.
    """

    def __init__(
        self, width: int = 640, height: int = 480, samples: int = 1, indoors: bool = False
    ) -> None:
        """`samples`: 1 is fast, 4 anti-aliases the colour picture; `indoors`: render rooms."""
        if samples not in (1, 4):
            raise InputError(f"samples={samples} should be 1 (fast) or 4 (antialiased)")
        self.width, self.height, self.samples, self.indoors = width, height, samples, indoors
        self._range = (NEAR, FAR)
        self._ctx = open_context()
        with self._ctx:
            self._make_programs()
            self._make_targets()
            self._shadows = Shadows(self._ctx)
        self._meshes = MeshCache(self._ctx, self._mask, self._object)
        self._textures = PatternTextures(self._ctx)

    def __enter__(self) -> "Renderer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the device's resources."""
        self._ctx.release()

    def render(
        self,
        objects: Sequence[PlacedMesh],
        camera: Camera,
        look: RenderStyle,
        shell: Shell | None = None,
        amodal: bool = True,
        near_far: tuple[float, float] = (NEAR, FAR),
    ) -> RenderedFrame:
        """Render the picture and the masks of `objects`.

        With a `shell`, which only an `indoors` renderer supports, the surroundings are a room.
        Without `amodal` there are no amodal masks (N = 0). Anything outside the depth range
        `near_far` along the optical axis is clipped.
        """
        if self.indoors != (shell is not None):
            raise InputError("a room's shell needs a renderer with indoors=True, and vice versa")
        self._range = near_far
        with self._ctx:
            items, clip = self._prepare(objects, camera)
            light = lighting(look)
            self._shadows.draw(items, look, self._draw_masks)
            self._draw_ids(items, clip)
            rgb = self._draw_color(items, camera, clip, look, light, shell)
            ids = self._read(self._ids)
            alone = self._draw_amodal(items if amodal else [], camera, clip)
        if look.film.blur:
            radius = look.film.blur * self.width / 640
            rgb = np.asarray(Image.fromarray(rgb).filter(ImageFilter.GaussianBlur(radius)))
        return RenderedFrame(ids, alone, rgb)

    def render_masks(self, objects: Sequence[PlacedMesh], camera: Camera) -> RenderedFrame:
        """Render only the masks; their bytes are equal to those of `render`."""
        self._range = (NEAR, FAR)
        with self._ctx:
            items, clip = self._prepare(objects, camera)
            self._draw_ids(items, clip)
            return RenderedFrame(self._read(self._ids), self._draw_amodal(items, camera, clip))

    # --- set-up ---

    def _make_programs(self) -> None:
        self._mask = ShaderProgram(self._ctx, "mask.vert", "mask.frag")
        define = "INDOORS" if self.indoors else ""
        self._object = ShaderProgram(
            self._ctx, "object.vert", "film.glsl", "object.frag", define=define
        )
        if self.indoors:
            self._shell = ShellPainter(self._ctx)
        else:
            self._street = StreetPainter(self._ctx)

    def _make_targets(self) -> None:
        import moderngl as gl

        self._gl, ctx, size = gl, self._ctx, (self.width, self.height)
        self._depth_texture = ctx.depth_texture(size)
        self._ids = ctx.framebuffer([ctx.texture(size, 1)], self._depth_texture)
        self._alone = ctx.framebuffer([ctx.texture(size, 1)])
        self._bytes: Any = None  # all amodal masks of a picture
        picture = ctx.texture(size, 4)
        self._picture = ctx.framebuffer([picture], self._depth_texture)
        if not self.indoors:  # if glass is transparent, the colour pass has its own depth buffer
            self._layers = ctx.framebuffer([picture], ctx.depth_renderbuffer(size))
        if self.samples > 1:
            rgba = ctx.renderbuffer(size, 4, samples=self.samples)
            self._smooth = ctx.framebuffer(
                [rgba], ctx.depth_renderbuffer(size, samples=self.samples)
            )
        self._reflections = ctx.texture((LEVEL_SIZES[0],) * 2, 3, dtype="f2")
        self._reflections.build_mipmaps(0, len(LEVEL_SIZES) - 1)
        self._reflections.repeat_x = self._reflections.repeat_y = False
        grain = np.random.Generator(np.random.Philox(0)).normal(128, GRAIN_DEVIATION, (256, 256, 3))
        self._grain = ctx.texture((256, 256), 3, np.uint8(np.clip(grain, 0, 255)).tobytes())

    # --- passes ---

    def _prepare(
        self, objects: Sequence[PlacedMesh], camera: Camera
    ) -> tuple[list[DrawItem], Array]:
        if (camera.width, camera.height) != (self.width, self.height):
            raise InputError(
                f"the camera is {camera.width}x{camera.height}, but the renderer "
                f"{self.width}x{self.height}; make them equal (Camera.resized)"
            )
        if len(objects) > MAX_OBJECTS:
            raise InputError(f"{len(objects)} objects in one image; the limit is {MAX_OBJECTS}")
        return list(map(self._meshes.item, objects)), clip_T_world(camera, *self._range)

    def _draw_masks(self, items: Sequence[DrawItem], clip_T_world: Array) -> None:
        self._mask.set(clip_T_world=clip_T_world)
        for number, item in enumerate(items, 1):
            self._mask.set(world_T_object=item.world_T_object, value=number / 255)
            item.mesh.mask.render()

    def _draw_ids(self, items: Sequence[DrawItem], clip: Array) -> None:
        self._ids.use()
        self._ids.clear(depth=1.0)
        self._ctx.enable_only(self._gl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        self._draw_masks(items, clip)

    def _draw_amodal(
        self, items: Sequence[DrawItem], camera: Camera, clip: Array
    ) -> NDArray[np.bool_]:
        amodal = np.zeros((len(items), self.height, self.width), bool)
        boxes = [_window(item.corners, camera) for item in items]
        starts = np.cumsum([0] + [max(x1 - x0, 0) * max(y1 - y0, 0) for x0, y0, x1, y1 in boxes])
        if not starts[-1]:
            return amodal
        if self._bytes is None or self._bytes.size < starts[-1]:
            self._bytes = self._ctx.buffer(reserve=max(int(starts[-1]), self.width * self.height))
        self._ctx.enable_only(self._gl.NOTHING)
        self._alone.use()
        for item, (x0, y0, x1, y1), start, end in zip(items, boxes, starts, starts[1:]):
            if start < end:
                box = x0, y0, x1 - x0, y1 - y0
                self._alone.scissor = box
                self._alone.clear()
                self._draw_masks([item], clip)
                self._alone.read_into(
                    self._bytes, viewport=box, components=1, alignment=1, write_offset=int(start)
                )
        self._alone.scissor = None
        # Read all at once: each read waits for all preceding commands.
        pixels = np.frombuffer(self._bytes.read(int(starts[-1])), np.uint8)
        for mask, (x0, y0, x1, y1), start, end in zip(amodal, boxes, starts, starts[1:]):
            if start < end:
                mask[y0:y1, x0:x1] = pixels[start:end].reshape(y1 - y0, x1 - x0) != 0
        return amodal

    def _draw_color(
        self,
        items: Sequence[DrawItem],
        camera: Camera,
        clip: Array,
        look: RenderStyle,
        light: Lighting,
        shell: Shell | None,
    ) -> NDArray[np.uint8]:
        around = (self._shell if self.indoors else self._street).programs
        for program in (self._object, *around):
            program.set(clip_T_world=clip, grain=2, **self._film(look, light))
        self._grain.use(2)
        self._ctx.enable_only(self._gl.DEPTH_TEST)
        outside = shell.outside if shell else (0.0, 0.0, 0.0)
        clear = not self.indoors and any(item.placed.window < 1 for item in items)
        if self.samples > 1 or clear:
            target = self._smooth if self.samples > 1 else self._layers
            target.use()
            target.clear(*outside, depth=1.0)
            self._ctx.depth_func = "<"
        else:  # the ids' depth is already there: each pixel is shaded once
            self._picture.use()
            self._picture.depth_mask = False
            self._picture.clear(*outside)
            self._ctx.depth_func = "=="
        self._draw_objects(items, camera, look, light, layer=int(clear))
        self._ctx.depth_func = "<"
        if shell:
            tile = self._textures.ground(look.ground.kind, look.ground.variant)
            self._shell.draw(shell, camera, look, light, self._shadows, tile)
        else:
            self._street.draw(camera, look, light, self._shadows, self._textures)
        if clear:
            self._ctx.enable(self._gl.BLEND)
            self._ctx.blend_func = self._gl.SRC_ALPHA, self._gl.ONE_MINUS_SRC_ALPHA
            target.depth_mask = False
            panes = [item for item in items if item.placed.window < 1]
            self._draw_objects(panes, camera, look, light, layer=2)
            target.depth_mask = True
        if self.samples > 1:
            self._ctx.copy_framebuffer(self._picture, self._smooth)
        return self._read(self._picture)

    def _draw_objects(
        self,
        items: Sequence[DrawItem],
        camera: Camera,
        look: RenderStyle,
        light: Lighting,
        layer: int = 0,
    ) -> None:
        """Draw the objects. `layer` 0: everything; 1: opaque parts; 2: transparent parts."""
        ground = look.ground
        for level, pixels in enumerate(light.reflections):
            self._reflections.write(pixels.astype(np.float16).tobytes(), level=level)
        self._reflections.use(3)
        self._shadows.bind(self._object, 0)
        self._object.set(
            eye=camera.position,
            irradiance=light.irradiance,
            key_direction=look.key.direction,
            key_color=look.key.color,
            key_spread=0.5 * np.tan(look.key.radius),
            shadow_blur=self._shadows.blur(look),
            reflections=3,
            layer=layer,
            pool=(*ground.pool, 1 / ground.pool_radius**2, ground.falloff * ground.near),
        )
        for item in items:
            self._object.set(
                world_T_object=item.world_T_object,
                world_N_object=item.placed.world_N_object,
                metres=item.placed.scale * np.array(item.placed.stretch),
                height=item.corners[:, 2].max(),
                surfaces=item.placed.surfaces(),
            )
            item.mesh.color.render()

    def _film(self, look: RenderStyle, light: Lighting) -> dict[str, Any]:
        film, shift = look.film, look.film.noise_seed * np.array([37, 101])
        half = np.array([self.width, self.height]) / 2
        return {
            "gain": light.exposure * np.array(film.white_balance),
            "curve": (film.knee, film.contrast, film.saturation, film.vignette),
            "frame": (*half, 1 / (half @ half)),
            "grain_shift": (*(shift % 256), film.noise / GRAIN_DEVIATION),
        }

    # --- reading back ---

    def _read(self, target: Any, box: tuple[int, int, int, int] | None = None) -> NDArray[np.uint8]:
        """Read a colour attachment, or a box of it: (H, W) for one channel, (H, W, 3) for a
        picture.
        """
        x0, y0, x1, y1 = box or (0, 0, self.width, self.height)
        shape = (y1 - y0, x1 - x0)
        if target is self._picture:
            raw = target.read(components=4)
            return np.ascontiguousarray(np.frombuffer(raw, np.uint8).reshape(*shape, 4)[..., :3])
        raw = target.read(viewport=(x0, y0, x1 - x0, y1 - y0), components=1, alignment=1)
        return np.frombuffer(raw, np.uint8).reshape(shape)


def clip_T_world(camera: Camera, near: float, far: float) -> Array:
    """Return the (4, 4) OpenGL projection; clip y points down, so that row 0 of a buffer is the top
    of the picture.
    """
    (cx, cy), w, h = camera.principal, camera.width, camera.height
    clip_T_cam = np.zeros((4, 4))
    clip_T_cam[0, [0, 2]] = 2 * camera.focal / w, 2 * cx / w - 1
    clip_T_cam[1, [1, 2]] = 2 * camera.focal / h, 2 * cy / h - 1
    clip_T_cam[2, 2:] = (far + near) / (far - near), -2 * far * near / (far - near)
    clip_T_cam[3, 2] = 1
    return clip_T_cam @ pose_matrix(camera.cam_T_world)


def _window(corners: Array, camera: Camera) -> tuple[int, int, int, int]:
    """Return the pixels (x0, y0, x1, y1) that a box of world corners (8, 3) can cover; the whole
    picture if it extends behind the camera.
    """
    pixels, depth = camera.project(corners)
    if depth.min() <= NEAR:
        return 0, 0, camera.width, camera.height
    limit = np.array([camera.width, camera.height])
    x0, y0 = np.clip(np.floor(pixels.min(0)) - 1, 0, limit).astype(int)
    x1, y1 = np.clip(np.ceil(pixels.max(0)) + 1, 0, limit).astype(int)
    return int(x0), int(y0), int(x1), int(y1)
