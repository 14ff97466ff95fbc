"""Render picture sets in the official styles, and compare an estimator's results on them.

    python -m tools.official_look make --vehicles DIR --out SETS           # development: 100 scenes
    python -m tools.official_look make --split test --vehicles DIR --out SETS
        # test: 150, to be used once
    python evaluate.py data.root=SETS/development_superclevr out=RUN_A      # and development_hdri
    python -m tools.official_look figures RUN_A RUN_B
    python -m tools.official_look domain SETS/development_superclevr/images
        # what --perception auto says to each picture

The scenes are PulseCheck457's, half in each style, rendered by Cycles with the official vehicles of
the folder DIR; missing types are replaced by our own models with meshes not used in training. Half
of the scenes in the style superclevr have recoloured parts. To resume an interrupted run, repeat
the command.
"""

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from po3d.benchmarks.metrics import match, perception
from po3d.benchmarks.registry import benchmark_of
from po3d.evaluation.run import read_scenes
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.io.runs import SCENES
from po3d.io.text_tables import Table, text
from po3d.scene.table import Scene
from po3d.synthesis.render.official import OFFICIAL_LOOKS

# Split -> seed, scenes per style, meshes that replace missing official vehicles.
SETS = {"development": (9001, 50, "validation"), "test": (9002, 75, "test")}
# the column that needs them, which the files of real pictures cannot provide
MASKS = "L4-Occlusion"
DECISIONS = ("street", "warned", "another domain", "refused")  # of --perception auto
FIGURES = (
    "recall",
    "precision",
    "shape",
    "color",
    "material",
    "yaw_within_pi/36",
    "flip_rate",
    "position_median",
)


def make(arguments: argparse.Namespace) -> None:
    """Write both styles of a split below OUT."""
    seed, size, meshes = SETS[arguments.split]
    seed = seed if arguments.seed is None else arguments.seed
    blender = {"python": arguments.python, "samples": arguments.samples}
    blender |= {"bounces": arguments.bounces}
    if arguments.width != 640:
        blender |= {"width": arguments.width, "height": arguments.width * 3 // 4}
    for look in OFFICIAL_LOOKS:
        benchmark_of("pulsecheck457").generate(
            arguments.out / f"{arguments.split}_{look}",
            arguments.size or size,
            seed,
            look,
            True,
            arguments.workers,
            meshes,
            drawing={"renderer": "blender", "vehicles": arguments.vehicles, "blender": blender},
        )


def figures(runs: list[Path]) -> str:
    """Print a row for each run of `evaluate.py`, and below it the objects rendered from official
    files and from our models."""
    rows = []
    for run in runs:
        report = read_json(run / "report.json", "report")
        values = {row["name"]: row["value"] for row in report["rows"]}
        corruptions = [v for name, v in values.items() if name not in (MASKS, "mean")]
        figures_all = report["perception"].get("all")
        if not corruptions or figures_all is None:
            raise InputError(f"{run}: not a run of a po3d system with stored scenes")
        rows.append(
            (run.name, figures_all["n"], sum(corruptions) / len(corruptions), *_cells(figures_all))
        )
        if root := report["provenance"]["config"]["data"]["root"]:
            rows += _by_origin(run, root)
    return text(Table(("run", "objects", "mean of six", *FIGURES), rows))


def domain(folders: Sequence[Path]) -> str:
    """Return a row for each folder: how many of its pictures `--perception auto` takes for streets,
    takes with a warning, takes for something else, and refuses; and the OOD scores of those taken.
    """
    import po3d

    router, rows = po3d.load("auto"), []
    for folder in folders:
        paths = sorted(p for p in folder.rglob("*") if p.suffix in (".png", ".jpg"))
        counts, scores = dict.fromkeys(DECISIONS, 0), []
        for path in tqdm(paths, folder.name, leave=False):
            try:
                match = router.chosen(path)
            except InputError:
                counts["refused"] += 1
                continue
            scores.append(match.strangeness)
            counts["warned" if match.strange else "street"] += match.kind == "street"
            counts["another domain"] += match.kind != "street"
        spread = np.quantile(scores, [0.5, 0.99, 1]) if scores else [math.nan] * 3
        cells = [f"{score:.2f}" for score in spread]
        rows.append((str(folder), len(paths), *counts.values(), *cells))
    return text(Table(("pictures", "n", *DECISIONS, "score, median", "99 %", "largest"), rows))


def _cells(figures_row: Mapping[str, float | None]) -> list[str | None]:
    values = [figures_row.get(name) for name in FIGURES]
    return [None if v is None or math.isnan(v) else f"{v:.2f}" for v in values]


def _by_origin(run: Path, root: str) -> list[tuple]:
    """Return the rows of types rendered from official files, and of the others; empty if all are
    ours."""
    official = read_json(Path(root) / "twin.json", "twin description").get("vehicles")
    if not official:
        return []
    split, scenes, rows = (
        benchmark_of("pulsecheck457").load(Path(root)),
        read_scenes(run / SCENES),
        [],
    )
    for name, wanted in (("  official vehicles", True), ("  ours", False)):
        pairs = []
        for image, scene in scenes.items():
            true, guess = split.truth(image), scene.certain()
            keep = [
                j for j, o in enumerate(true.objects) if (o.value("shape") in official) == wanted
            ]
            rest = [i for i, j in sorted(match(guess, true).items()) if j in keep]
            pairs.append((_only(guess, rest), _only(true, keep)))
        overall = perception(*zip(*pairs))["all"]
        rows.append((name, overall["n"], None, *_cells({**overall, "precision": None})))
    return rows


def _only(scene: Scene, rows: Sequence[int]) -> Scene:
    return replace(scene, objects=tuple(scene.objects[i] for i in rows), occluders=None)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    make_parser = commands.add_parser("make")
    make_parser.add_argument("--split", choices=sorted(SETS), default="development")
    make_parser.add_argument(
        "--vehicles", default="", help="folder of official vehicles (default: po3d's own meshes)"
    )
    make_parser.add_argument("--out", type=Path, required=True)
    make_parser.add_argument(
        "--size", type=int, help="number of scenes per look (default: the split's scenes)"
    )
    make_parser.add_argument("--seed", type=int, help="draw the set anew (default: the split's)")
    make_parser.add_argument("--samples", type=int, default=24)
    make_parser.add_argument("--bounces", type=int, default=12)
    make_parser.add_argument("--width", type=int, default=640)
    make_parser.add_argument("--workers", type=int, default=1)
    make_parser.add_argument("--python", default="", help="a Python interpreter with bpy")
    two = commands.add_parser("figures")
    two.add_argument("runs", type=Path, nargs="+")
    pictures = commands.add_parser("domain")
    pictures.add_argument("folders", type=Path, nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "make":
        return guarded(lambda: make(arguments))
    if arguments.command == "domain":
        return guarded(lambda: print(domain(arguments.folders)))
    return guarded(lambda: print(figures(arguments.runs)))


if __name__ == "__main__":
    sys.exit(main())
