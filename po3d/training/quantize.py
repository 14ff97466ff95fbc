"""Halve a checkpoint pair by storing its matrices as int8, with one scale per channel; those of the
occluder head take 2 bits if no label trained it.

    python -m po3d.training.quantize NAME OUT

To measure the loss in accuracy, evaluate the new pair like any other (`perception.checkpoint=OUT`).
"""

import argparse
import sys
from pathlib import Path

from po3d.io.checkpoint import compact, description, locate
from po3d.io.cli_errors import guarded
from po3d.perception.room_view import KIND as ROOM_VIEW
from po3d.perception.top_view import KIND as TOP_VIEW

OCCLUDER_MATRICES = ("pair_in.weight", "pair_out.1.weight")


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
        source = locate(a.checkpoint)
        untrained = (
            OCCLUDER_MATRICES if description(source)["kind"] in (ROOM_VIEW, TOP_VIEW) else ()
        )
        path = compact(source, a.out, lambda name: 2 if name in untrained else 8)
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")

    return guarded(written)


if __name__ == "__main__":
    sys.exit(main())
