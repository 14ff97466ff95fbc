"""The renderer's input for one object: mesh, pose, and materials of its parts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.scene.geometry import rotation_z
from po3d.synthesis.render.environment import RGB, Finish
from po3d.synthesis.shapes.mesh import Mesh

MAX_PARTS = 64  # per mesh: the length of an array in object.vert

STUFFS = ("", "wood", "fabric", "leather")  # in the order of object.frag

# Materials of parts that are not painted: base colour (linear), finish, and brightness relative to
# the paint on a toy of one colour (windows must stay visible, otherwise front and back look alike).
SURFACES: dict[str, tuple[RGB, Finish, float]] = {
    "glass": ((0.02, 0.025, 0.03), Finish(0.0, 0.06, 1.0), 0.3),
    "tyre": ((0.02, 0.02, 0.02), Finish(0.0, 0.85, 0.0), 0.6),
    "chrome": ((0.65, 0.65, 0.65), Finish(1.0, 0.15, 0.0), 1.0),
    "dark": ((0.03, 0.03, 0.03), Finish(0.0, 0.6, 0.0), 0.5),
    "lamp": ((0.75, 0.75, 0.70), Finish(0.0, 0.15, 1.0), 1.0),
    "tail": ((0.45, 0.02, 0.02), Finish(0.0, 0.2, 1.0), 0.7),
    "white": ((0.75, 0.75, 0.75), Finish(0.0, 0.5, 0.0), 1.0),
    "wood": ((0.30, 0.16, 0.07), Finish(0.0, 0.5, 0.0), 0.8),
    "seat": ((0.06, 0.04, 0.03), Finish(0.0, 0.7, 0.0), 0.7),
}


CLEAR_SHADE = 0.2  # strength of the paint's tint on what is seen through transparent glass


@dataclass(frozen=True)
class PlacedMesh:
    """A painted mesh in the world; it stands on the ground unless `z` raises it."""

    mesh: Mesh
    scale: float
    position: tuple[float, float]  # ground x, y of the mesh's origin
    heading: float
    color: RGB
    finish: Finish
    colors: Mapping[str, RGB] = field(default_factory=dict)  # parts with another paint, by name
    # how far glass, tyres ... take on the paint: 0 for a vehicle, 1 for a toy of one colour
    tint: float = 0.0
    z: float = 0.0  # height of the mesh's origin
    # along the mesh's own axes, in addition to `scale`
    stretch: tuple[float, float, float] = (1.0, 1.0, 1.0)
    stuff: str = ""  # one of STUFFS: the texture of painted parts, drawn indoors only
    # Finishes of parts in `colors` that differ from `finish`
    finishes: Mapping[str, Finish] = field(default_factory=dict)
    even: bool = False  # tinted parts are as bright as the paint
    window: float = 1.0  # opacity of glass; transparent below 1, in streets

    @property
    def world_T_object(self) -> NDArray[np.float64]:
        """(4, 4), including scale."""
        matrix = np.eye(4)
        matrix[:3, :3] = rotation_z(self.heading) * self.scale * np.array(self.stretch)
        matrix[:3, 3] = *self.position, self.z
        return matrix

    @property
    def world_N_object(self) -> NDArray[np.float64]:
        """(3, 3) transform of the mesh's normals to the world, up to their length."""
        return rotation_z(self.heading) / np.array(self.stretch)

    def surfaces(self) -> NDArray[np.float32]:
        """(2 * MAX_PARTS, 4), two rows per part: base colour, metallic; roughness, clearcoat, stuff
        (streets: the finish's mirror), transparency.
        """
        known = {part.name for part in self.mesh.parts}
        if unknown := sorted(set(self.colors) - known):
            raise InputError(f"colours for unknown parts {unknown}; the mesh has {sorted(known)}")
        table = np.zeros((MAX_PARTS, 8), np.float32)
        paint = np.array(
            (*self.color, self.finish.metallic, self.finish.roughness, self.finish.clearcoat)
        )
        for row, part in zip(table, self.mesh.parts):
            row[:6] = paint
            row[6] = self.finish.mirror
            if self.stuff:
                row[6] = STUFFS.index(self.stuff) if part.material == "paint" else 0
            if part.name in self.colors:
                part_finish = self.finishes.get(part.name, self.finish)
                row[:3] = self.colors[part.name]
                row[3:7] = (
                    part_finish.metallic,
                    part_finish.roughness,
                    part_finish.clearcoat,
                    row[6] if self.stuff else part_finish.mirror,
                )
            elif part.material != "paint":
                base, part_finish, shade = SURFACES[part.material]
                shade = 1.0 if self.even else shade
                real = np.array(
                    (*base, part_finish.metallic, part_finish.roughness, part_finish.clearcoat)
                )
                toy = paint * (shade, shade, shade, 1, 1, 1)
                row[:6] = (1 - self.tint) * real + self.tint * toy
                if part.material == "glass" and self.window < 1:
                    row[:3] *= CLEAR_SHADE
                    row[7] = 1 - self.window
        return table.reshape(-1, 4)
