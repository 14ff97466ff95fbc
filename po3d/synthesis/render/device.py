"""Graphics device: OpenGL context, shader programs, and uploaded meshes."""

import contextlib
import os
from collections import OrderedDict
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from po3d.io.errors import InputError
from po3d.scene.geometry import Pose
from po3d.synthesis.render.environment import MAP_REACH
from po3d.synthesis.render.footprint import ambient_shadow
from po3d.synthesis.render.instances import MAX_PARTS, PlacedMesh
from po3d.synthesis.shapes.mesh import Mesh

# more than the 2688 variants used in training: uploading one again costs 45 ms
CACHED_MESHES = 4096


def open_context(threads: int = 0) -> Any:
    """Open a headless OpenGL 3.3 context. Raise InputError if that fails."""
    os.environ.setdefault("LP_NUM_THREADS", str(threads))
    try:
        import moderngl
    except ImportError:
        raise InputError(
            "rendering needs the package moderngl: pip install 'po3d[synthesis]'"
        ) from None
    # torchvision imports triton if installed, and then crashes if Mesa's LLVM was loaded first
    with contextlib.suppress(ImportError):
        import triton  # noqa: F401
    try:
        return moderngl.create_context(standalone=True, backend="egl", require=330)
    except Exception as error:  # type depends on the driver
        reason = str(error).splitlines()[0] if str(error) else repr(error)
        raise InputError(
            "no OpenGL 3.3 context over EGL: install the Debian packages libegl1 "
            "libegl-mesa0 libgl1-mesa-dri (or a GPU driver with EGL); message of the "
            f"driver: {reason}"
        ) from None


class ShaderProgram:
    """A linked pair of shaders from shaders/. Setting uniforms that the compiler removed has no
    effect.
    """

    def __init__(self, context: Any, vertex: str, *fragment: str, define: str = "") -> None:
        """`define`: a preprocessor symbol defined in both shaders."""
        sources = (_source(define, vertex), _source(define, *fragment))
        self.gl = context.program(vertex_shader=sources[0], fragment_shader=sources[1])
        self._uniforms = {name: self.gl[name] for name in self.gl}

    def set(self, **values: ArrayLike) -> None:
        """Set uniforms: numbers, vectors, arrays of vectors, and square matrices (row-major, as in
        numpy).
        """
        for name, value in values.items():
            uniform = self._uniforms.get(name)
            if uniform is None:
                continue
            if isinstance(value, (int, float)):
                uniform.value = value
            else:
                array = np.asarray(value, np.float32)
                square = array.ndim == 2 and uniform.array_length == 1
                uniform.write(np.ascontiguousarray(array.T if square else array).tobytes())


def _source(define: str, *names: str) -> str:
    folder = resources.files("po3d.synthesis.render") / "shaders"
    head = f"#version 330\n#define PARTS {MAX_PARTS}\n#define MAP_REACH {MAP_REACH}\n"
    head += f"#define {define}\n" if define else ""
    return head + "".join((folder / name).read_text(encoding="utf-8") for name in names)


class DeviceMesh:
    """A mesh uploaded once, for the mask program and the colour program."""

    def __init__(self, context: Any, mesh: Mesh, mask: ShaderProgram, color: ShaderProgram) -> None:
        if len(mesh.parts) > MAX_PARTS:
            raise InputError(f"a mesh has {len(mesh.parts)} parts; the limit is {MAX_PARTS}")
        self.mesh = mesh  # referenced so that its id, the cache's key, is not reused
        self.low, self.high = mesh.vertices.min(0), mesh.vertices.max(0)
        columns = [mesh.vertices, mesh.normals, mesh.part[:, None]]
        vertices = context.buffer(np.concatenate(columns, 1, dtype=np.float32).tobytes())
        faces = context.buffer(mesh.faces.astype(np.int32).tobytes())
        self.mask = context.vertex_array(mask.gl, [(vertices, "3f 16x", "position")], faces)
        layout = (vertices, "3f 3f 1f", "position", "normal", "part")
        self.color = context.vertex_array(color.gl, [layout], faces)
        shadow, self.reach = ambient_shadow(mesh)
        self.footprint = context.texture(shadow.shape[::-1], 1, shadow.tobytes(), alignment=1)
        self._owned = (self.mask, self.color, vertices, faces, self.footprint)

    def corners(self, world_T_object: NDArray[np.float64]) -> NDArray[np.float64]:
        """(8, 3) world corners of its bounding box."""
        pick = np.indices((2, 2, 2)).reshape(3, 8).T
        local = np.where(pick, self.high, self.low)
        return local @ world_T_object[:3, :3].T + world_T_object[:3, 3]

    def release(self) -> None:
        for item in self._owned:
            item.release()


@dataclass(frozen=True)
class DrawItem:
    """An object during the rendering of one picture."""

    placed: PlacedMesh
    mesh: DeviceMesh
    world_T_object: NDArray[np.float64]  # (4, 4)
    corners: NDArray[np.float64]  # (8, 3) of its box, in the world frame


class MeshCache:
    """Cache of uploaded meshes by identity; beyond CACHED_MESHES the least recently used one is
    removed.
    """

    def __init__(self, context: Any, mask: ShaderProgram, color: ShaderProgram) -> None:
        self._arguments = (context, mask, color)
        self._held: OrderedDict[int, DeviceMesh] = OrderedDict()

    def item(self, placed: PlacedMesh) -> DrawItem:
        """Return `placed` with its uploaded mesh."""
        mesh, matrix = self._upload(placed.mesh), placed.world_T_object
        return DrawItem(placed, mesh, matrix, mesh.corners(matrix))

    def _upload(self, mesh: Mesh) -> DeviceMesh:
        key = id(mesh)
        if key not in self._held:
            context, mask, color = self._arguments
            self._held[key] = DeviceMesh(context, mesh, mask, color)
            if len(self._held) > CACHED_MESHES:
                self._held.popitem(last=False)[1].release()
        self._held.move_to_end(key)
        return self._held[key]


def pose_matrix(pose: Pose) -> NDArray[np.float64]:
    """Return the (4, 4) homogeneous matrix of a pose."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = pose.rotation, pose.translation
    return matrix
