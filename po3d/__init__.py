"""po3d: a scene is a table, a question is a program, the answer is the program's result on the
table.

    model = po3d.load("street")                      # or "rooms", "photographs", "orbit"
    scene = model.look("street.jpg")                 # or a PIL image, or (H, W, 3) pixels
    model.ask(scene, "How many cars are to the left of the red bus?")

    room = po3d.read_scene("room.json").in_frame("The door is at the front.")
    po3d.change(room, "The red chair was moved next to the bed.")

Modules are imported on first use.
"""

import importlib
from typing import TYPE_CHECKING, Any

from po3d.io import deprecated_names

if TYPE_CHECKING:
    from po3d.io.errors import InputError
    from po3d.scene.table import ObjectState, Scene
    from po3d.systems.api import Answer, Model, change, load, read_scene
    from po3d.systems.pipeline import Pipeline

deprecated_names.install()

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "InputError",
    "Model",
    "ObjectState",
    "Pipeline",
    "Scene",
    "change",
    "load",
    "read_scene",
]
_HOMES = {
    "InputError": "po3d.io.errors",
    "ObjectState": "po3d.scene.table",
    "Scene": "po3d.scene.table",
    "Pipeline": "po3d.systems.pipeline",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'po3d' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES.get(name, "po3d.systems.api")), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
