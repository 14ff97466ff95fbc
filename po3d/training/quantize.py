"""Halve a checkpoint pair by storing its matrices as int8, with one scale per channel.

    python -m po3d.training.quantize NAME OUT

To measure the loss in accuracy, evaluate the new pair like any other (`perception.checkpoint=OUT`).
"""

import argparse
import sys
from pathlib import Path

from po3d.io.checkpoint import compact, locate
from po3d.io.cli_errors import guarded


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        "python -m po3d.training.quantize", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "checkpoint", help="a path without suffix, or the name of a shipped checkpoint"
    )
    parser.add_argument("out", type=Path, help="path of the new checkpoint, without suffix")
    a = parser.parse_args()

    def written() -> None:
        path = compact(locate(a.checkpoint), a.out)
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")

    return guarded(written)


if __name__ == "__main__":
    sys.exit(main())
