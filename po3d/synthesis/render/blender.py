"""Rendering of street scenes with Blender's Cycles in the two official styles; slow, but produced
like the official pictures.

Masks and labels come from our own renderer, with equal meshes and poses; this module only renders
the picture. Blender runs in a separate process (blender_worker.py) under the interpreter `python`,
so that its module `bpy` and the numpy version it requires need not be compatible with po3d. Equal
input gives equal bytes on one machine, for any number of threads.
"""

import atexit
import functools
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.io.images import read_image
from po3d.io.seeding import rng
from po3d.scene.geometry import Camera
from po3d.synthesis.render.environment import RGB, Finish
from po3d.synthesis.render.instances import SURFACES, PlacedMesh
from po3d.synthesis.render.official import OFFICIAL_LOOKS, STUDIO
from po3d.synthesis.shapes.mesh import Mesh

MISSING = (
    "Blender's module bpy is missing: `python -m venv BL && BL/bin/pip install 'bpy>=4.2,<5'`"
    " (Python 3.11), then blender.python=BL/bin/python"
)

# Super-CLEVR's lamps and sun: position, power in watts (sun: per square metre), colour, size (sun:
# angle).
_LAMPS = (
    ((6.447, -2.905, 4.258), 78.54, (1.0, 0.932, 0.817), 0.5),
    ((-4.671, -4.014, 3.011), 23.56, (0.762, 0.818, 1.0), 0.5),
    ((-1.169, 2.646, 5.816), 39.27, (1.0, 1.0, 1.0), 1.0),
)
_LAMP_JITTER = 1.0  # per axis, in world units
_SUN = ((11.66, -5.48, 24.98), 0.45, 0.2)
_FLOOR = 0.8  # albedo
TEXTURES = ("vstripped", "checkered", "stripped", "dotted")
TEXTURED = 0.1  # share of vehicles
# time limit for starting and for reading a file; a .blend may never finish loading
_SECONDS = 120.0


@dataclass(frozen=True)
class BlenderOptions:
    """Options of Blender. `python`: an interpreter with bpy, "" for the current one; `threads` per
    process, 0 for all; `seconds`: time limit per picture.
    """

    python: str = ""
    width: int = 640
    height: int = 480
    samples: int = 64
    denoise: bool = True
    bounces: int = 12
    threads: int = 1
    seconds: float = 600.0


class Blender:
    """A Blender process. Use as a context manager, or through `open_blender`."""

    def __init__(self, python: str = "") -> None:
        worker = Path(__file__).with_name("blender_worker.py")
        command = [python or sys.executable, str(worker)]
        self._folder = tempfile.TemporaryDirectory(prefix="po3d-blender-")
        self._files: dict[int, tuple[Mesh, Path]] = {}
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": ""}, text=True, encoding="utf-8",
            )  # fmt: skip
        except OSError as error:
            self._folder.cleanup()
            raise InputError(
                f"blender.python={python} cannot be started: {error.strerror}"
            ) from None
        hello = self._answer(_SECONDS)
        if "missing" in hello:
            self.close()
            raise InputError(MISSING)

    def __enter__(self) -> "Blender":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Terminate the process."""
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def ask(self, request: dict, seconds: float = _SECONDS) -> object:
        """Return the worker's answer. Raise a one-line InputError if there is none, or none in
        time; the process is then terminated.
        """
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise InputError("the Blender process has exited") from None
        answer = self._answer(seconds)
        if "error" in answer:
            raise InputError(f"Blender: {answer['error']}")
        return answer["ok"]

    def draw(
        self,
        objects: Sequence[PlacedMesh],
        camera: Camera,
        look: str,
        seed: int,
        options: BlenderOptions,
        skies: str | None = None,
    ) -> NDArray[np.uint8]:
        """Render `objects` in one of OFFICIAL_LOOKS to (height, width, 3) sRGB; `seed` determines
        the lights. `skies`: a folder of .exr photographs that replace Blender's eight.
        """
        if look not in OFFICIAL_LOOKS:
            raise InputError(
                f"Blender supports the looks {' and '.join(OFFICIAL_LOOKS)}, not {look!r}"
            )
        generator = rng(seed, "cycles")
        lights = _studio(generator) if look == STUDIO else _street(generator, skies)
        out = Path(self._folder.name) / "picture.png"
        self.ask(
            {
                "do": "draw",
                "out": str(out),
                "width": options.width,
                "height": options.height,
                "samples": options.samples,
                "denoise": options.denoise,
                "bounces": options.bounces,
                "threads": options.threads or os.cpu_count() or 1,
                "seed": int(generator.integers(2**31 - 1)),
                "camera": {"matrix": camera_matrix(camera), "lens": camera.focal / camera.width},
                **lights,
                "objects": [self._object(o, look, generator) for o in objects],
            },
            options.seconds,
        )  # fmt: skip
        return read_image(out)

    def _object(self, o: PlacedMesh, look: str, generator: np.random.Generator) -> dict:
        matrix = o.world_T_object.tolist()
        return {**self._mesh(o.mesh), "matrix": matrix, "materials": _materials(o, look, generator)}

    def _mesh(self, mesh: Mesh) -> dict:
        """Return the mesh's file, written on first use."""
        if id(mesh) not in self._files:
            path = Path(self._folder.name) / f"{len(self._files)}.mesh"
            with open(path, "wb") as file:
                file.write(np.ascontiguousarray(mesh.vertices, "<f4").tobytes())
                file.write(np.ascontiguousarray(mesh.faces, "<i4").tobytes())
                file.write(np.ascontiguousarray(mesh.part[mesh.faces[:, 0]], "<i4").tobytes())
            self._files[id(mesh)] = mesh, path
        return {
            "mesh": str(self._files[id(mesh)][1]),
            "vertices": len(mesh.vertices),
            "triangles": len(mesh.faces),
        }

    def _answer(self, seconds: float) -> dict:
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(seconds, give_up)
        timer.daemon = True
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        if late.is_set():
            raise InputError(f"Blender did not answer within {seconds:g} s and was terminated")
        if not line:
            raise InputError(f"the Blender process exited with code {self._process.wait()}")
        return json.loads(line)


@functools.cache
def open_blender(python: str = "") -> Blender:
    """Return this process's Blender."""
    blender = Blender(python)
    atexit.register(blender.close)
    return blender


def check(look: str | None, python: str = "") -> None:
    """Raise a one-line InputError if Blender is missing or cannot render `look`."""
    if look not in OFFICIAL_LOOKS:
        raise InputError(
            f"renderer=blender supports look={' and look='.join(OFFICIAL_LOOKS)}, not {look}"
        )
    if not python and importlib.util.find_spec("bpy") is None:
        raise InputError(MISSING)
    open_blender(python)


# --- requests to the worker -----------------------------------------------------------------------


def camera_matrix(view: Camera) -> list[list[float]]:
    """Return Blender's camera-to-world matrix; its camera looks along -z with y up."""
    world_T_cam, matrix = view.cam_T_world.inverse(), np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = (
        world_T_cam.rotation * (1.0, -1.0, -1.0),
        world_T_cam.translation,
    )
    return matrix.tolist()


def _studio(generator: np.random.Generator) -> dict:
    lamps = []
    for place, energy, color, size in _LAMPS:
        at = (np.array(place) + generator.uniform(-_LAMP_JITTER, _LAMP_JITTER, 3)).tolist()
        lamp = {"kind": "AREA", "place": at, "energy": energy, "color": color, "size": size}
        lamps.append(lamp)
    place, energy, angle = _SUN
    lamps.append(
        {"kind": "SUN", "place": place, "energy": energy, "color": (1, 1, 1), "angle": angle}
    )
    return {
        "lamps": lamps,
        "world": {"color": (0, 0, 0)},
        "ground": {"kind": "sheet", "albedo": [_FLOOR] * 3},
        "clamp": 0.0,
    }


def _street(generator: np.random.Generator, skies: str | None) -> dict:
    """Return light and ground from a photograph. Photographs differ in brightness by a factor of a
    thousand, so each is scaled to a sampled irradiance of open ground and a sampled mean albedo.
    """
    if skies is None:
        names: list[str] = []  # those of Blender
    else:
        names = [str(path.resolve()) for path in sorted(Path(skies).glob("*.exr"))]
        if not names:
            raise InputError(f"{skies} contains no .exr images")
    return {
        "lamps": [],
        "world": {
            "files": names,
            "pick": int(generator.integers(2**31 - 1)),
            "turn": float(generator.uniform(-np.pi, np.pi)),
            "light": float(np.exp(generator.uniform(np.log(0.55), np.log(1.5)))),
        },
        "ground": {
            "kind": "photograph",
            "height": float(generator.uniform(3, 8)),
            "albedo": float(np.exp(generator.uniform(np.log(0.12), np.log(0.65)))),
            "roughness": float(generator.uniform(0.6, 1.0)),
            "specular": float(generator.uniform(0.0, 0.5)),
        },
        "clamp": 10.0,
    }


def _materials(o: PlacedMesh, look: str, generator: np.random.Generator) -> list[dict]:
    """Return one material for each part of the mesh."""
    toy = look == STUDIO
    texture = str(generator.choice(TEXTURES)) if toy and generator.random() < TEXTURED else ""
    second = (np.array(o.color) * generator.uniform(0.2, 0.6)).tolist()

    def surface(color: RGB, finish: Finish, print_: bool) -> dict:
        surface_values = {"color": list(map(float, color))}
        if not toy:
            return surface_values | {
                "kind": "surface",
                "metallic": finish.metallic,
                "roughness": finish.roughness,
                "coat": finish.clearcoat,
            }
        surface_values["kind"] = "metal" if finish.metallic > 0.5 else "rubber"
        return surface_values | (
            {"texture": texture, "second": second} if texture and print_ else {}
        )

    materials = []
    for part in o.mesh.parts:
        if part.name in o.colors:
            materials.append(
                surface(o.colors[part.name], o.finishes.get(part.name, o.finish), False)
            )
        elif part.material == "paint":
            materials.append(surface(o.color, o.finish, True))
        elif part.material == "glass" and o.window < 1:
            pane = list(map(float, o.color))
            materials.append({"kind": "pane", "color": pane, "opacity": o.window})
        elif o.tint:
            _, _, shade = SURFACES[part.material]
            color = np.array(o.color) * (1.0 if o.even else shade)
            materials.append(surface(tuple(color), o.finish, False))
        else:
            base, part_finish, _ = SURFACES[part.material]
            materials.append(surface(base, part_finish, False))
    return materials
