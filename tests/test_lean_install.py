"""The core install evaluates the shipped images: nothing that it imports needs the extras that draw twins."""

import subprocess
import sys

from po3d.io.config import ROOT

WITHOUT_EXTRAS = """
import importlib, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"trimesh", "moderngl", "mapbox_earcut", "transformers", "openpyxl"}:
            raise ModuleNotFoundError(f"{name} comes with an extra", name=name)
sys.meta_path.insert(0, Missing())
sys.path.insert(0, sys.argv[1])
for name in ("benchmarks.registry", "cli.ask", "systems.asking", "evaluation.audit", "evaluation.compare",
             "evaluation.run_report", "evaluation.trust", "evaluation.harness.export", "evaluation.harness.imports",
             "evaluation.harness.serve", "evaluation.run", "systems.pipeline", "systems.rooms", "systems.photographs",
             "systems.orbit", "perception.street", "perception.room_view", "perception.top_view"):
    importlib.import_module(f"po3d.{name}")
evaluate = importlib.import_module("evaluate")
fresh = ["split=fresh", "size=1", "system=random", "workers=1", f"twins={sys.argv[2]}", f"out={sys.argv[2]}/out"]
sys.exit(evaluate.run(fresh))
"""


def test_shipped_images_need_no_extra_and_a_fresh_twin_names_the_one_it_needs_in_one_line(tmp_path):
    command = [sys.executable, "-c", WITHOUT_EXTRAS, str(ROOT), str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 2, ran.stderr[-2000:]
    assert ran.stderr.splitlines()[-1].startswith("error: this needs "), ran.stderr[-2000:]
    assert ran.stderr.splitlines()[-1].endswith("pip install 'po3d[synthesis]'")
