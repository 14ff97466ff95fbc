"""Benchmarks stay in their folders: what is shared asks none of them by name, and no system for its class."""

import ast
import subprocess
import sys
import threading
import time

import pytest

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.registry import BENCHMARKS, MODULES, benchmark_of
from po3d.io.errors import InputError
from po3d.io.runs import LOCK, locked
from po3d.io.shipped import ROOT

SHARED = [
    path
    for path in (*(ROOT / "po3d").rglob("*.py"), ROOT / "evaluate.py", ROOT / "train.py")
    if path.parent.parent != ROOT / "po3d" / "benchmarks"
    and path != ROOT / "po3d" / "training" / "data.py"  # a source of training data is called superclevr, too
]
SYSTEMS = ("Pipeline", "System", "Oracle", "Eager", "Lmm", "Baseline", "Replay")


def test_what_is_shared_asks_no_benchmark_by_name_and_no_system_for_its_class():
    assert len(SHARED) > 200
    for path in SHARED:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare | ast.match_case):
                named = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)} & set(MODULES)
                assert not named, f"{path} asks for {named}"
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "isinstance"
            ):
                asked = [n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)]
                assert not any(name.endswith(SYSTEMS) for name in asked), f"{path}:{node.lineno}"


@pytest.mark.parametrize("name", MODULES)
def test_a_row_holds_a_benchmark_of_its_name(name):
    own = BENCHMARKS[name]
    assert isinstance(own, Benchmark)
    assert (own.name, benchmark_of(name)) == (name, own)
    assert own.mini.is_dir()
    assert own.scorers


def test_the_registry_loads_no_benchmark_and_a_stranger_is_refused():
    meshes = "('trimesh', 'moderngl')"  # an extra that opening a benchmark does not need
    loaded = (
        "import sys, po3d.benchmarks.registry;"
        f" print([m for m in sys.modules if m.startswith('po3d.') and m.endswith('.data') or m in {meshes}])"
    )
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True).stdout == "[]\n"
    with pytest.raises(InputError, match="unknown benchmark 'other'; known: hypo3d, pulsecheck457"):
        benchmark_of("other")


@pytest.mark.parametrize("name", ["pulsecheck457", "scope"])
def test_a_fresh_twin_is_made_by_one_at_a_time(name, tmp_path):
    twin, held, found = tmp_path / "twin", threading.Event(), []

    def hold():
        with locked(twin):
            held.set()
            time.sleep(0.3)
            found.extend(path.name for path in twin.iterdir())

    other = threading.Thread(target=hold)
    other.start()
    held.wait()
    made = benchmark_of(name).open_fresh(twin, 1, 0)
    assert found == [LOCK]
    assert made.questions
    other.join()
