"""Build step for wheels: copies files from the top of the repository to po3d/_shipped in the wheel,
which setuptools' build_py cannot do. po3d/io/paths.py finds either location. An sdist has them at
its top.
"""

import shutil
import subprocess
from pathlib import Path

from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent
PATTERNS = (
    "evaluate.py",
    "train.py",
    "configs/**/*.yaml",
    "checkpoints/*.json",
    "checkpoints/*.safetensors",
    "data/mini/**/*",
    "data/examples/*",
    "data/natural/*",
)
FOLDER = "po3d/_shipped"
REVISION = "revision"  # the commit of the wheel, for the provenance in reports


def shipped() -> list[str]:
    """Return the paths of all non-package files in the wheel, relative to the repository."""
    paths = {path for pattern in PATTERNS for path in ROOT.glob(pattern) if path.is_file()}
    return sorted(str(path.relative_to(ROOT)) for path in paths)


class BuildPy(build_py):
    """build_py, followed by copying the shipped files; an editable install uses those of the
    checkout."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib, FOLDER)
        shutil.rmtree(target, ignore_errors=True)  # files of an earlier build that no longer exist
        for name in shipped():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
        (target / REVISION).write_text(_revision(), encoding="utf-8")

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), *shipped(), "tools/wheel.py"]

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        ours = [] if self.editable_mode else [*shipped(), REVISION]
        return [
            *super().get_outputs(include_bytecode),
            *(str(Path(self.build_lib, FOLDER, n)) for n in ours),
        ]


def _revision() -> str:
    """Return the commit, with "+" if files differ from it; "" outside a git checkout."""
    command = [
        "git",
        "-C",
        str(ROOT),
        "describe",
        "--match=",
        "--always",
        "--abbrev=40",
        "--dirty=+",
    ]
    if not (ROOT / ".git").exists():  # a repository around an unpacked sdist would not be ours
        return ""
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""
