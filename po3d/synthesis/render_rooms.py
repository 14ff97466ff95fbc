"""Render a set of room pictures for training or evaluation.

    python -m po3d.synthesis.render_rooms --out DIR

Needs the synthesis extra and the furniture libraries (Debian package sweethome3d-furniture). To
resume an interrupted run, start it again with the same arguments. See
`po3d.synthesis.top_view.top_views` (--kind top) and `po3d.synthesis.view_sets` (--kind inside,
orbit) for the content of a set.
"""

import argparse
import sys
from pathlib import Path
from typing import get_args

from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.synthesis import view_sets
from po3d.synthesis.furniture.libraries import FOLDER
from po3d.synthesis.picture_sets import PictureSpec, generate
from po3d.synthesis.splits import Split
from po3d.synthesis.top_view import top_views


def main() -> int:
    """Run the command line; return the exit code."""
    arguments = argparse.ArgumentParser(
        "python -m po3d.synthesis.render_rooms", description=(__doc__ or "").split("\n")[0]
    )
    arguments.add_argument("--out", type=Path, required=True, help="folder of the set")
    arguments.add_argument("--kind", choices=("top", *get_args(view_sets.Kind)), default="top")
    arguments.add_argument("--count", type=int, default=4000, help="pictures")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--split", choices=get_args(Split), default="train")
    arguments.add_argument(
        "--size", type=int, default=top_views.SIZE, help="image size of --kind top, in pixels"
    )
    arguments.add_argument(
        "--samples",
        type=int,
        choices=(1, 4),
        default=1,
        help="samples per pixel: 1, or 4 for antialiasing",
    )
    arguments.add_argument(
        "--furniture", default=str(FOLDER), help="folder of the furniture libraries (.sh3f)"
    )
    arguments.add_argument(
        "--cache", type=Path, help="cache folder for loaded models, created if missing"
    )
    arguments.add_argument("--workers", type=int, default=1, help="processes")
    a = arguments.parse_args()

    def checked() -> None:
        if a.count < 1 or a.seed < 0 or a.size < 32 or a.workers < 1:
            raise InputError(
                f"--count {a.count} and --workers {a.workers} should be at least 1, "
                f"--seed {a.seed} at least 0, --size {a.size} at least 32"
            )
        if a.kind == "top":
            spec: PictureSpec = top_views.SetSpec(a.seed, a.split, a.count, a.size, a.samples)
        else:
            spec = view_sets.ViewSpec(a.kind, a.seed, a.split, a.count, a.samples)
        count = generate(a.out, spec, a.furniture, a.cache, a.workers)
        print(f"{a.out}: {count} images rendered, {a.count - count} already existed")

    return guarded(checked)


if __name__ == "__main__":
    sys.exit(main())
