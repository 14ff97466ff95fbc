"""Paths of shipped files: configs, checkpoints, the mini splits, evaluate.py and train.py.

In a checkout they are in its root; a wheel (tools/wheel.py) has them inside the package, which is
read-only.
"""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
INSTALLED = (PACKAGE / "_shipped").is_dir()
ROOT = PACKAGE / "_shipped" if INSTALLED else PACKAGE.parent
CONFIGS = ROOT / "configs"
CHECKPOINTS = ROOT / "checkpoints"
# Folder of a training's export given by a bare name.
EXPORTS = Path("checkpoints") if INSTALLED else CHECKPOINTS
MINI = ROOT / "data" / "mini"
NATURAL = ROOT / "data" / "natural"


def benchmarks() -> list[str]:
    """Return the names of the benchmarks; each has a config and a row in
    po3d.benchmarks.registry."""
    return sorted(path.stem for path in (CONFIGS / "benchmark").glob("*.yaml"))


def script(name: str) -> Path:
    """Return the path of evaluate.py ("evaluate") or train.py ("train")."""
    return ROOT / f"{name}.py"
