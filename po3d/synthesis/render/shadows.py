"""Shadows of one picture: a depth map from the key light, and a map of the light reaching the
ground.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from po3d.scene.geometry import look_at
from po3d.synthesis.render.device import DrawItem, ShaderProgram, pose_matrix
from po3d.synthesis.render.environment import RenderStyle

Array = NDArray[np.float64]
DrawMasks = Callable[[Sequence[DrawItem], Array], None]

SHADOW_SIZE = 1024
SOFT_LIGHT = 0.06  # radians; shadows of a wider key light need fewer texels and more samples
LIGHT_MAPS = {"hard": (384, 4), "soft": (176, 32)}  # texels per side, shadow samples per texel
STANDS = 0.05  # height above the ground up to which an object casts an ambient shadow
LOWEST_LIGHT = 0.15  # sine of the elevation below which shadows are not stretched further


class Shadows:
    """Shadow maps, rendered for each picture by `draw` and used by the colour pass through `bind`
    and `light_map`.
    """

    def __init__(self, context: Any) -> None:
        import moderngl as gl

        self._gl, self._ctx = gl, context
        self._light = ShaderProgram(context, "light_map.vert", "light_map.frag")
        self._stamp = ShaderProgram(context, "light_map.vert", "stamp.frag")
        self._light_quad = context.vertex_array(self._light.gl, [])
        self._stamp_quad = context.vertex_array(self._stamp.gl, [])
        self._depth = context.depth_texture((SHADOW_SIZE, SHADOW_SIZE))
        self._depth.repeat_x = self._depth.repeat_y = False
        self._depth.compare_func = "<="
        self._depth.filter = gl.LINEAR, gl.LINEAR
        self._target = context.framebuffer([], self._depth)
        self._maps = {}
        for name, (side, _) in LIGHT_MAPS.items():
            texture = context.texture((side, side), 2)
            texture.repeat_x = texture.repeat_y = False
            self._maps[name] = context.framebuffer([texture])

    def draw(self, items: Sequence[DrawItem], look: RenderStyle, draw_masks: DrawMasks) -> None:
        """Render the maps. `draw_masks(items, clip_T_world)` draws the objects' triangles into the
        bound framebuffer.
        """
        corners = np.concatenate([item.corners for item in items]) if items else np.zeros((1, 3))
        toward = np.array(look.key.direction)
        toward[2] = max(toward[2], LOWEST_LIGHT)
        self._draw_depth(items, corners, toward, draw_masks)
        self._draw_light_map(items, corners, toward, look.key.radius)

    def bind(self, program: ShaderProgram, unit: int) -> None:
        """Bind the depth map to texture unit `unit` of `program`."""
        self._depth.use(unit)
        program.set(shadow_T_world=self._shadow_T_world, shadow_map=unit)

    @property
    def texel(self) -> float:
        """Return the world units covered by one texel of the depth map."""
        return self.side / SHADOW_SIZE

    def blur(self, look: RenderStyle) -> float:
        """Return the width by which shadow edges on objects are softened, in shadow map
        coordinates.
        """
        return max(0.3 * np.tan(look.key.radius), 0.7 * self.texel) / self.side

    def _draw_depth(
        self, items: Sequence[DrawItem], corners: Array, toward: Array, draw_masks: DrawMasks
    ) -> None:
        middle = corners.mean(0)
        up = (0, 1, 0) if abs(toward[1]) < 0.9 * np.linalg.norm(toward) else (1, 0, 0)
        light_T_world = look_at(middle + toward, middle, up)
        light_corners = light_T_world.transform(corners)
        low, high = light_corners.min(0), light_corners.max(0)
        # The border stays empty: lookups outside the map return lit.
        self.side = float(max(high[0] - low[0], high[1] - low[1], 1.0) * 1.04)
        clip_T_light = np.diag([2 / self.side, 2 / self.side, 2 / (high[2] - low[2] + 0.2), 1.0])
        clip_T_light[:3, 3] = -clip_T_light.diagonal()[:3] * (low + high) / 2
        clip_T_world = clip_T_light @ pose_matrix(light_T_world)
        shadow_T_clip = np.diag([0.5, 0.5, 0.5, 1.0])
        shadow_T_clip[:3, 3] = 0.5
        self._shadow_T_world = shadow_T_clip @ clip_T_world
        self._target.use()
        self._target.clear(depth=1.0)
        self._ctx.enable_only(self._gl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        draw_masks(items, clip_T_world)

    def _draw_light_map(
        self, items: Sequence[DrawItem], corners: Array, toward: Array, radius: float
    ) -> None:
        gl = self._gl
        size = "soft" if radius > SOFT_LIGHT else "hard"
        target = self._maps[size]
        self.light_map = target.color_attachments[0]
        covered = [corners[:, :2] - corners[:, 2:] * (toward[:2] / toward[2])]
        standing = [item for item in items if item.placed.z <= STANDS]
        for item in standing:
            reach = item.mesh.reach * item.placed.scale * max(item.placed.stretch) * np.sqrt(2)
            covered.append(np.array(item.placed.position) + reach * np.array([[-1, -1], [1, 1]]))
        blur = np.tan(radius) * 0.7 * corners[:, 2].max()
        covered = np.concatenate(covered)
        low, high = covered.min(0) - blur - 0.1, covered.max(0) + blur + 0.1
        center, half = (low + high) / 2, (high - low) / 2
        self.light_map_T_ground = np.concatenate([0.5 / half, 0.5 - 0.5 * center / half])
        ground_T_map = np.concatenate([half, center])

        target.use()
        self._ctx.enable_only(gl.NOTHING)
        self.bind(self._light, 0)
        reach = max(blur, 0.7 * self.texel) / self.side
        taps = LIGHT_MAPS[size][1]
        self._light.set(map_T_unit=np.eye(3), ground_T_map=ground_T_map, reach=reach, taps=taps)
        self._light_quad.render(gl.TRIANGLE_STRIP, 4)
        self._ctx.enable(gl.BLEND)
        self._ctx.blend_func = gl.DST_COLOR, gl.ZERO
        self._stamp.set(ground_T_map=ground_T_map, footprint=0)
        map_T_ground = np.diag([1 / half[0], 1 / half[1], 1.0])
        map_T_ground[:2, 2] = -center / half
        for item in standing:
            ground_T_unit = np.eye(3)
            ground_T_unit[:2, :2] = item.world_T_object[:2, :2] * item.mesh.reach
            ground_T_unit[:2, 2] = item.placed.position
            self._stamp.set(map_T_unit=map_T_ground @ ground_T_unit)
            item.mesh.footprint.use(0)
            self._stamp_quad.render(gl.TRIANGLE_STRIP, 4)
