"""Fit picture statistics for out-of-distribution detection, and measure its decisions.

    python -m tools.domain fit street=DIR,DIR rooms=DIR orbit=DIR map=DIR [--only NAME]
        into the JSON of the shipped checkpoints; streets in all four looks
    python -m tools.domain figures NAME=DIR NAME=DIR ... [--photographs DIR]
        a table: estimators by kinds, share refused

Each DIR is searched for .jpg and .png files; `--most N` takes the first N of each name. `figures`
adds three kinds of noise from a seed, and four random crops of 4:3 from each photograph. Fit and
figures need pictures with different seeds and models.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from po3d.io import checkpoint
from po3d.io.files import read_json, write_json
from po3d.io.images import read_image
from po3d.io.seeding import rng
from po3d.io.text_tables import Table, text
from po3d.perception.estimator import NetworkEstimator
from po3d.perception.ood import FeatureDistribution
from po3d.perception.room_view import RoomViewEstimator
from po3d.perception.street import StreetEstimator
from po3d.perception.top_view import TopViewEstimator

# checkpoint -> its in-domain kinds
ESTIMATORS: dict[str, tuple[type[NetworkEstimator], tuple[str, ...]]] = {
    "street_estimator": (StreetEstimator, ("street",)),
    "room_view_estimator": (RoomViewEstimator, ("rooms", "orbit")),
    "top_view_estimator": (TopViewEstimator, ("map",)),
}
CROPS = 4  # per photograph
NOISY = 120  # pictures of noise
SIZE = (480, 640, 3)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("fit", "figures"))
    parser.add_argument("pictures", nargs="+", metavar="NAME=DIR[,DIR]")
    parser.add_argument("--photographs", type=Path, metavar="DIR")
    parser.add_argument("--most", type=int, default=10_000, metavar="N")
    parser.add_argument("--only", choices=tuple(ESTIMATORS), help="fit this checkpoint alone")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    paths = {}
    for named in options.pictures:
        name, _, dirs = named.partition("=")
        paths[name] = _pictures(dirs.split(","), options.most)
    if options.what == "fit":
        fit(paths, [options.only] if options.only else list(ESTIMATORS))
    else:
        figures(paths, options.photographs, options.seed)
    return 0


def _pictures(folders: list[str], most: int) -> list[Path]:
    paths = [
        p for f in folders for p in sorted(Path(f).rglob("*")) if p.suffix in (".jpg", ".png")
    ][:most]
    if not paths:
        sys.exit(f"no image in {', '.join(folders)}")
    return paths


def fit(paths: dict[str, list[Path]], names: list[str]) -> None:
    """Fit the statistics of each kind against all others, and write them into the JSON of the
    checkpoints `names`."""
    for name in names:
        estimator_class, kinds = ESTIMATORS[name]
        path = checkpoint.locate(name).with_suffix(".json")
        record, estimator = read_json(path, "checkpoint"), estimator_class.named(name)
        features = {}
        for kind, pictures in paths.items():
            rows = [estimator.features(read_image(path)) for path in pictures]
            features[kind] = np.concatenate(rows)
        domains = {}
        for kind in kinds:
            others = np.concatenate([f for other, f in features.items() if other != kind])
            domains[kind] = FeatureDistribution.of(features[kind], others).record()
        record["config"]["domains"] = domains
        write_json(path, record)
        print(
            f"{name}: {', '.join(kinds)}; images:"
            f" {', '.join((f'{len(f)} {k}' for k, f in features.items()))}"
        )


def figures(paths: dict[str, list[Path]], photographs: Path | None, seed: int) -> None:
    """Print, for each name, the share of pictures that each estimator rejects, and the domain
    chosen by auto."""
    estimators = [estimator_class.named(name) for name, (estimator_class, _) in ESTIMATORS.items()]
    rows = []
    for name, pictures in _all(paths, photographs, seed):
        kinds, best = [], []
        for picture in pictures:
            scores: dict[str, float] = {}
            for estimator in estimators:
                scores |= estimator.ood_score(picture)
            kinds.append(scores)
            nearest = min(scores, key=scores.__getitem__)
            best.append(nearest if scores[nearest] <= 1 else "none")
        refused = {k: np.mean([scores[k] > 1 for scores in kinds]) for k in kinds[0]}
        taken = {k: best.count(k) / len(best) for k in (*refused, "none")}
        shares = [f"{100 * v:.1f}" for v in refused.values()]
        rows.append(
            [
                name,
                len(kinds),
                *shares,
                ", ".join(f"{k} {100 * v:.0f}" for k, v in taken.items() if v),
            ]
        )
    heads = [f"{kind} refuses" for _, kinds in ESTIMATORS.values() for kind in kinds]
    print(text(Table(("pictures", "n", *heads, "auto takes for"), rows)))


def _all(
    paths: dict[str, list[Path]], photographs: Path | None, seed: int
) -> Iterator[tuple[str, Iterator[np.ndarray]]]:
    for name, files in paths.items():
        yield name, map(read_image, files)
    if photographs:
        yield "photographs", crops(_pictures([str(photographs)], 10_000), seed)
    yield "noise", (noise(k, seed) for k in range(NOISY))


def crops(paths: list[Path], seed: int) -> Iterator[np.ndarray]:
    """Yield CROPS crops of 4:3 of each picture; the first has the largest possible size."""
    for path in paths:
        pixels, r = read_image(path), rng(seed, f"domain/{path.name}")
        height, width = pixels.shape[:2]
        for k in range(CROPS):
            w = min(width, height * 4 / 3) * (r.uniform(0.5, 0.9) if k else 1.0)
            x, y = r.uniform(0, width - w), r.uniform(0, max(height - w * 3 / 4, 0))
            yield pixels[int(y) : int(y + w * 3 / 4), int(x) : int(x + w)]


def noise(k: int, seed: int) -> np.ndarray:
    """Return picture k of noise: independent pixels, soft blobs of a few cells, or one colour, in
    turn."""
    r = rng(seed, "domain/noise", k)
    if k % 3 == 0:
        return r.integers(0, 256, SIZE, dtype=np.uint8)
    if k % 3 == 1:
        cells = r.integers(0, 256, (*r.integers(3, 40, 2), 3), dtype=np.uint8)
        return np.array(Image.fromarray(cells).resize(SIZE[1::-1], Image.Resampling.BICUBIC))
    return np.array(np.broadcast_to(r.integers(0, 256, 3, dtype=np.uint8), SIZE))


if __name__ == "__main__":
    sys.exit(main())
