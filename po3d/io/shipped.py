"""What po3d ships beside its code: configs, checkpoints, the mini splits, evaluate.py and train.py. In a checkout they stand
at its top; a wheel (tools/wheel.py) carries them inside the package, where nothing is ever written."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
INSTALLED = (PACKAGE / "_shipped").is_dir()
ROOT = PACKAGE / "_shipped" if INSTALLED else PACKAGE.parent
CONFIGS = ROOT / "configs"
CHECKPOINTS = ROOT / "checkpoints"
EXPORTS = Path("checkpoints") if INSTALLED else CHECKPOINTS  # where a training's bare export name goes
MINI = ROOT / "data" / "mini"
NATURAL = ROOT / "data" / "natural"


def benchmarks() -> list[str]:
    """The names of the benchmarks: each has a config, and a row of po3d.benchmarks.registry."""
    return sorted(path.stem for path in (CONFIGS / "benchmark").glob("*.yaml"))


def script(name: str) -> Path:
    """The file of evaluate.py ("evaluate") or train.py ("train")."""
    return ROOT / f"{name}.py"
