"""Benchmarks stay in their folders: what is shared asks none of them by name, and no system for its
class.
"""

import ast
import importlib
import subprocess
import sys
import threading
import time

import pytest

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.registry import BENCHMARKS, MODULES, benchmark_of
from po3d.io.errors import InputError
from po3d.io.paths import ROOT
from po3d.io.runs import LOCK, locked

SHARED = [
    path
    for path in (*(ROOT / "po3d").rglob("*.py"), ROOT / "evaluate.py", ROOT / "train.py")
    if path.parent.parent != ROOT / "po3d" / "benchmarks"
    and path
    != ROOT / "po3d" / "training" / "data.py"  # a source of training data is called superclevr, too
]
SYSTEMS = ("Pipeline", "System", "Oracle", "Eager", "Lmm", "Baseline", "Replay")


def test_what_is_shared_asks_no_benchmark_by_name_and_no_system_for_its_class():
    assert len(SHARED) > 200
    for path in SHARED:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare | ast.match_case):
                named = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)} & set(
                    MODULES
                )
                assert not named, f"{path} asks for {named}"
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "isinstance"
            ):
                query = [n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)]
                assert not any(name.endswith(SYSTEMS) for name in query), f"{path}:{node.lineno}"


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
        "import sys, po3d.benchmarks.registry; print([m for m in sys.modules if"
        f" m.startswith('po3d.') and m.endswith('.data') or m in {meshes}])"
    )
    assert (
        subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True).stdout
        == "[]\n"
    )
    with pytest.raises(InputError, match="unknown benchmark 'other'; known: hypo3d, pulsecheck457"):
        benchmark_of("other")


@pytest.mark.parametrize("name", ["pulsecheck457", "scope"])
def test_a_fresh_twin_is_built_by_one_at_a_time(name, tmp_path, monkeypatch):
    twin, maker = tmp_path / "twin", importlib.import_module(f"po3d.benchmarks.{name}.twin")
    generate = maker.generate

    def alone(*how, **more):
        with pytest.raises(InputError, match="another evaluation"), locked(twin):
            pass
        generate(*how, **more)

    monkeypatch.setattr(maker, "generate", alone)
    assert benchmark_of(name).open_fresh(twin, 1, 0).questions


def test_who_waits_for_a_folder_has_it_when_the_other_is_done(tmp_path):
    held, visible = threading.Event(), []

    def hold():
        with locked(tmp_path):
            held.set()
            time.sleep(0.3)
            visible.append("done")

    other = threading.Thread(target=hold)
    other.start()
    held.wait()
    with locked(tmp_path, wait=True):
        assert visible == ["done"]
    other.join()


def test_a_twin_in_a_folder_that_cannot_be_written_is_read(tmp_path, monkeypatch):
    built = benchmark_of("scope").open_fresh(tmp_path, 1, 0)
    (tmp_path / LOCK).unlink()
    monkeypatch.setattr("os.access", lambda *_: False)
    assert benchmark_of("scope").open_fresh(tmp_path, 1, 0).questions == built.questions
    assert not (tmp_path / LOCK).exists()
