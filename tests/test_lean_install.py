"""The core install evaluates the shipped images: nothing that it imports needs the extras that draw twins."""

import subprocess
import sys

from po3d.entry import ROOT

WITHOUT_EXTRAS = """
import importlib, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"trimesh", "moderngl", "mapbox_earcut", "transformers", "openpyxl"}:
            raise ModuleNotFoundError(f"{name} comes with an extra")
sys.meta_path.insert(0, Missing())
sys.path.insert(0, sys.argv[1])
for name in ("benchmarks.registry", "cli", "evaluation", "systems.pipeline", "systems.rooms", "systems.sr",
             "systems.scope", "perception.estimator", "perception.room_view", "perception.top_view"):
    importlib.import_module(f"po3d.{name}")
importlib.import_module("evaluate")
"""


def test_what_evaluates_shipped_images_imports_without_the_extras():
    ran = subprocess.run([sys.executable, "-c", WITHOUT_EXTRAS, str(ROOT)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-2000:]
