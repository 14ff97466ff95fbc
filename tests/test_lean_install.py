"""The core install runs every command that needs no extra: nothing that it imports needs what an
extra brings.
"""

import contextlib
import importlib.metadata
import os
import re
import subprocess
import sys

import pytest

from po3d.io.config import ROOT


def with_their_requirements(names: set[str]) -> set[str]:
    """Distributions by their names, and all that they require without an extra."""
    result: set[str] = set()
    while names - result:
        name = (names - result).pop()
        result.add(name)
        try:
            wanted = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        names |= {plain(line) for line in wanted if "extra ==" not in line}
    return result


def plain(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


@pytest.fixture(scope="module")
def lean(tmp_path_factory):
    """Variables of an environment in which Python finds the core requirements of po3d alone."""
    folder = tmp_path_factory.mktemp("lean")
    for name in with_their_requirements({"po3d"}):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            own = importlib.metadata.distribution(name)
            parts = {
                file.parts[0]
                for file in own.files or []
                if file.parts[0] not in ("..", "__pycache__")
            }
            for part in sorted(parts):
                with contextlib.suppress(
                    FileExistsError
                ):  # several distributions may share a folder
                    (folder / part).symlink_to(own.locate_file(part))
    return {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}


def run_once(lean: dict, *command: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-S", *command], capture_output=True, text=True, env=lean, cwd=ROOT
    )


def test_every_command_runs_without_extras_or_names_the_one_that_it_needs(lean):
    assert run_once(lean, "-c", "import trimesh").returncode == 1
    done = run_once(lean, "tests/lean.py")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


def test_a_fresh_twin_names_the_extra_that_it_needs_in_one_line(lean, tmp_path):
    fresh = [
        "split=fresh",
        "size=1",
        "system=random",
        "workers=1",
        f"synthetic_dir={tmp_path}",
        f"out={tmp_path}/out",
    ]
    done = run_once(lean, "evaluate.py", "benchmark=pulsecheck457", *fresh)
    assert done.returncode == 2, done.stderr[-2000:]
    assert done.stderr.splitlines()[-1].startswith("error: this needs ")
    assert done.stderr.splitlines()[-1].endswith("pip install 'po3d[synthesis]'")
