"""The surroundings of a street: the ground's disc, and the wall with skyline and sky around it."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from po3d.scene.geometry import Camera
from po3d.synthesis.render import textures as patterns
from po3d.synthesis.render.device import ShaderProgram
from po3d.synthesis.render.environment import Lighting, RenderStyle
from po3d.synthesis.render.shadows import Shadows

CORNERS = 96  # of the disc


class PatternTextures:
    """Textures of the patterns, each created on first use."""

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx
        self._textures: dict[tuple, Any] = {}
        self._photograph: tuple[Any, Any] = (None, None)

    def ground(self, kind: str, variant: int) -> Any:
        return self._texture(("ground", kind, variant), lambda: patterns.ground(kind, variant))

    def skyline(self, variant: int) -> Any:
        return self._texture(("skyline", variant), lambda: patterns.skyline(variant), around=False)

    def clouds(self, variant: int) -> Any:
        return self._texture(
            ("clouds", variant), lambda: np.uint8(patterns.clouds(variant) * 255)[..., None]
        )

    def photograph(self, pixels: NDArray[np.float32]) -> Any:
        """Return the texture of a photographed sky; only the most recent one is kept."""
        if self._photograph[0] is not pixels:
            height, width, _ = pixels.shape
            texture = self._ctx.texture((width, height), 3, pixels.tobytes(), dtype="f4")
            self._photograph = (pixels, texture)
        return self._photograph[1]

    def _texture(
        self, key: tuple, make: Callable[[], NDArray[np.uint8]], around: bool = True
    ) -> Any:
        """Return the texture of the pixels (H, W, channels); `around`: repeat it vertically."""
        if key not in self._textures:
            import moderngl as gl

            pixels = make()
            height, width, channels = pixels.shape
            texture = self._ctx.texture((width, height), channels, pixels.tobytes(), alignment=1)
            texture.build_mipmaps()
            texture.filter = gl.LINEAR_MIPMAP_NEAREST, gl.LINEAR
            texture.repeat_y = around
            self._textures[key] = texture
        return self._textures[key]


class StreetPainter:
    """Draws the surroundings of a street."""

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx
        self._ground = ShaderProgram(ctx, "ground.vert", "film.glsl", "ground.frag")
        self._wall = ShaderProgram(ctx, "ground.vert", "film.glsl", "wall.frag")
        disc, wall = [], []
        for a, b in itertools.pairwise(np.linspace(0, 2 * np.pi, CORNERS + 1)):
            disc += [(a, 0, 0), (a, 1, 0), (b, 1, 0)]
            for low, high in ((0, 1), (1, 8)):
                wall += [(a, 1, low), (b, 1, low), (b, 1, high)]
                wall += [(a, 1, low), (b, 1, high), (a, 1, high)]
        self._disc, self._cylinder = self._polar(self._ground, disc), self._polar(self._wall, wall)

    @property
    def programs(self) -> tuple[ShaderProgram, ShaderProgram]:
        return self._ground, self._wall

    def _polar(self, program: ShaderProgram, corners: list[tuple[float, float, float]]) -> Any:
        buffer = self._ctx.buffer(np.array(corners, np.float32).tobytes())
        return self._ctx.vertex_array(program.gl, [(buffer, "3f", "polar")])

    def draw(
        self,
        camera: Camera,
        look: RenderStyle,
        light: Lighting,
        shadows: Shadows,
        textures: PatternTextures,
    ) -> None:
        """Draw ground and wall into the current target."""
        g, back, key = look.ground, look.backdrop, np.array(look.key.color) * look.key.direction[2]
        c, s = np.cos(g.angle) / g.tile, np.sin(g.angle) / g.tile
        # the camera is inside
        distance = max(back.distance, 1.2 * float(np.hypot(*camera.position[:2])))
        rise = (back.height or 0.5 * back.distance) / back.distance
        # Ground and wall fade into one colour where they meet, as on a photographer's cove.
        far = 1 / (1 + (distance / g.pool_radius) ** 2)
        lit = np.array(g.color) * (light.sky + key) / np.pi * (1 - g.falloff + g.falloff * far)
        edge = 0.75 * lit + 0.25 * np.array(look.sky.horizon) if back.height else lit
        frame = {
            "distance_": distance,
            "wall_height": rise * distance,
            "tile_T_ground": np.array([[c, s, g.offset[0]], [-s, c, g.offset[1]], [0, 0, 1]]),
            "light_map_T_ground": shadows.light_map_T_ground,
        }
        textures.ground(g.kind, g.variant).use(0)
        shadows.light_map.use(1)
        self._ground.set(
            **frame,
            tile=0,
            light_map=1,
            albedo=g.color,
            albedo2=g.color2,
            contrast=g.contrast,
            sky_light=light.sky / np.pi,
            key_light=key / np.pi,
            pool=(*g.pool, 1 / g.pool_radius**2, g.falloff),
            edge=edge,
            edge_scale=1 / distance**2,
        )
        self._disc.render()
        textures.skyline(back.variant).use(0)
        textures.clouds(look.sky.cloud_variant).use(1)
        if look.sky.hdri is not None:
            textures.photograph(look.sky.hdri).use(3)
        self._wall.set(
            **frame,
            skyline=0,
            clouds=1,
            hdri=3,
            edge=edge,
            silhouette=back.color,
            horizon=look.sky.horizon,
            zenith=look.sky.zenith,
            cloud=look.sky.cloud,
            cloud_cover=look.sky.cloud_cover,
            rise=rise,
            has_skyline=float(back.height > 0),
            has_hdri=float(look.sky.hdri is not None),
        )
        self._cylinder.render()
