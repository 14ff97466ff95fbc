"""The step of a wheel's build that setuptools' build_py lacks: what stands at the top of the repository, so that a checkout
is easy to read, goes to po3d/_shipped in the wheel. po3d/io/shipped.py finds either. An sdist carries it at its top."""

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
REVISION = "revision"  # the commit that the wheel was built from, for the provenance of its reports


def shipped() -> list[str]:
    """The paths, below the repository, of all files that go into the wheel beside the package."""
    found = {path for pattern in PATTERNS for path in ROOT.glob(pattern) if path.is_file()}
    return sorted(str(path.relative_to(ROOT)) for path in found)


class BuildPy(build_py):
    """build_py, then the shipped files; an editable install has them in the checkout and gets none."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib, FOLDER)
        shutil.rmtree(target, ignore_errors=True)  # an earlier build's, of files that are gone now
        for name in shipped():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
        (target / REVISION).write_text(_revision(), encoding="utf-8")

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), *shipped(), "tools/wheel.py"]

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        ours = [] if self.editable_mode else [*shipped(), REVISION]
        return [*super().get_outputs(include_bytecode), *(str(Path(self.build_lib, FOLDER, n)) for n in ours)]


def _revision() -> str:
    """The commit, with "+" when files differ from it; "" outside a git checkout."""
    command = ["git", "-C", str(ROOT), "describe", "--match=", "--always", "--abbrev=40", "--dirty=+"]
    if not (ROOT / ".git").exists():  # a repository around an unpacked sdist would not be ours
        return ""
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""
