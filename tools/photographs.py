"""Measure distances and answers on photographs; fit what separates photographs from renderings.

    python -m tools.photographs known3d DIR --detector FILE   errors, order, answers by labels
    python -m tools.photographs auto NAME=DIR NAME=DIR ...    domain that `auto` detects
    python -m tools.photographs fit PHOTOGRAPHS RENDERINGS    po3d/perception/photo_statistics.json

`known3d` reads KITTI samples (NAME.png, .txt, .calib) and pictures with depth maps (NAME.jpg,
NAME.depth.png in millimetres), and draws each. Pictures and weights are the user's; nothing is
downloaded.
"""

import argparse
import io
import itertools
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.optimize import minimize

from po3d.benchmarks.threedsrbench.box_labels import kitti_projection, read_labels
from po3d.evaluation.report.draw import draw_photograph
from po3d.io.files import write_json
from po3d.io.images import exif_focal, read_image
from po3d.io.seeding import rng
from po3d.io.text_tables import Table, text
from po3d.language.lexicon import fits
from po3d.language.programs.threedsrbench import THREEDSRBENCH, PhraseCall
from po3d.perception import photo_statistics
from po3d.perception.depth_files import Intrinsics, PhotographWarning, fitted_to, read_depth
from po3d.perception.foundation import foundation
from po3d.perception.foundation_estimator import FoundationEstimator
from po3d.perception.onnx_detector import Boxes, coco_names
from po3d.reasoning.grounded import answered
from po3d.scene.table import Scene

# KITTI's names in COCO's words
COCO = {"van": "car", "tram": "train", "cyclist": "person"}
OVERLAP = 0.5  # IoU at which a detection is a labelled object
CLEAR = 0.1  # least relative difference of two distances, and least lateral distance in depths
NYU_FOCAL = 519 / 640  # widths
QUESTIONS = ("nearer_camera", "higher", "left")
CROPS = 6  # of each photograph, for `fit`
STRENGTH = 0.03  # inverse of the L2 penalty


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="what", required=True)
    measure = commands.add_parser("known3d")
    measure.add_argument("folder", type=Path)
    measure.add_argument("--detector", required=True, metavar="FILE")
    measure.add_argument("--draw", type=Path, metavar="DIR")
    auto = commands.add_parser("auto")
    auto.add_argument("pictures", nargs="+", metavar="NAME=DIR")
    auto.add_argument("--most", type=int, default=1000, metavar="N")
    fit = commands.add_parser("fit")
    fit.add_argument("photographs", type=Path)
    fit.add_argument("renderings", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", PhotographWarning)
    if options.what == "known3d":
        known3d(options.folder, options.detector, options.draw)
    elif options.what == "auto":
        decisions(dict(item.split("=", 1) for item in options.pictures), options.most)
    else:
        fit_statistics(options.photographs, options.renderings)
    return 0


# --- known 3D -------------------------------------------------------------------------------------


def known3d(folder: Path, detector: str, draw: Path | None) -> None:
    """Print distance errors and the share of right answers, with numbers and intervals."""
    errors: dict[str, list[float]] = {}
    answers: dict[tuple[str, str], list[bool]] = {}
    detected: dict[str, list[bool]] = {}
    for name, truth, predictions in _cases(folder, detector):
        for source, scene in predictions.items():
            pairs = matched(truth, scene)
            detected.setdefault(source, []).extend(k in pairs for k in range(len(truth)))
            for k, row in pairs.items():
                errors.setdefault(source, []).append(abs(_away(scene, row) / _away(truth, k) - 1))
            for question, right in _answers(truth, scene, pairs):
                answers.setdefault((source, question), []).append(right)
            if draw is not None:
                draw.mkdir(parents=True, exist_ok=True)
                file = next(
                    p for p in folder.iterdir() if p.stem == name and p.suffix in (".png", ".jpg")
                )
                draw_photograph(read_image(file), scene).save(
                    draw / f"{name}_{source.replace(' ', '_')}.png"
                )
    rows = []
    for source, values in errors.items():
        low, high = _interval(values)
        share = f"{sum(detected[source])} of {len(detected[source])}"
        rows.append(
            [
                source,
                share,
                len(values),
                f"{100 * np.median(values):.1f} %",
                f"{low:.1f} to {high:.1f} %",
            ]
        )
    print(
        text(Table(("boxes, depth", "objects found", "n", "median error", "95 % interval"), rows))
    )
    rows = []
    for (source, question), right in sorted(answers.items()):
        low, high = wilson(sum(right), len(right))
        rows.append(
            [
                source,
                question,
                f"{sum(right)} of {len(right)}",
                f"{100 * low:.0f} to {100 * high:.0f} %",
            ]
        )
    print(text(Table(("boxes, depth", "question", "right", "95 % interval"), rows)))


def _cases(folder: Path, detector: str) -> Iterator[tuple[str, Scene, dict[str, Scene]]]:
    """Yield name, true scene, and scene by source of boxes and depth."""
    for scene, _ in read_labels(folder, folder) if any(folder.glob("*.calib")) else ():
        name = Path(scene.image).stem
        picture = read_image(folder / scene.image)
        k = kitti_projection(folder / f"{name}.calib")[:, :3]
        lens = float(k[0, 0]), (float(k[0, 2]), float(k[1, 2]))
        settings = {"detector, priors": {"intrinsics": lens}, "detector, no lens": {}}
        scenes = {key: _seen(picture, detector, **more) for key, more in settings.items()}
        scenes["labels, priors"] = _seen(picture, detector, labelled=scene, intrinsics=lens)
        yield name, scene, scenes
    for path in sorted(folder.glob("*.depth.png")):
        name = path.name.removesuffix(".depth.png")
        file = folder / f"{name}.jpg"
        picture = read_image(file)
        focal = exif_focal(file) or NYU_FOCAL
        measured = _seen(picture, detector, depth=path, focal=focal)
        yield name, measured, {"detector, priors": _seen(picture, detector, focal=focal)}


def _seen(
    picture: np.ndarray,
    detector: str,
    labelled: Scene | None = None,
    depth: Path | None = None,
    focal: float | None = None,
    intrinsics: Intrinsics | None = None,
) -> Scene:
    estimator: FoundationEstimator = foundation({"onnx": detector})
    changes: dict = {"intrinsics": intrinsics}
    if depth is not None:
        metres = read_depth(depth)
        changes["measure"] = lambda small, _: _Measured(
            fitted_to(metres, small.shape[1], small.shape[0], depth)
        )
    if labelled is not None:
        changes["detect"] = lambda small: _labelled_boxes(
            labelled, picture.shape[1] / small.shape[1]
        )
    (scene,) = replace(estimator, **changes).estimate([picture], [focal])
    return scene


class _Measured:
    focal = None

    def __init__(self, metres: np.ndarray) -> None:
        self.metres = metres


def _labelled_boxes(truth: Scene, scale: float) -> Boxes:
    names = coco_names()
    score = np.zeros((len(truth), len(names)))
    for k, o in enumerate(truth.objects):
        name = o.value("name")
        score[k, names.index(COCO.get(name, name))] = 1.0
    return Boxes(np.array([o.box for o in truth.objects]) / scale, score)


def matched(truth: Scene, scene: Scene) -> dict[int, int]:
    """Return true row -> predicted row of the best overlapping box of a fitting name."""
    result: dict[int, int] = {}
    for k, o in enumerate(truth.objects):
        overlaps = [_overlap(o.box, p.box) if _same(o, p) else 0.0 for p in scene.objects]
        if overlaps and max(overlaps) >= OVERLAP:
            result[k] = int(np.argmax(overlaps))
    return result


def _same(o: object, p: object) -> bool:
    name, other = o.value("name"), p.value("name")
    return max(fits(name, other), fits(COCO.get(name, name), other), fits(other, name)) > 0


def _overlap(a: Sequence[float], b: Sequence[float]) -> float:
    shared = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(
        0.0, min(a[3], b[3]) - max(a[1], b[1])
    )
    areas = [(c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)]
    return shared / max(sum(areas) - shared, 1e-9)


def _away(scene: Scene, row: int) -> float:
    return float(np.linalg.norm(np.array(scene.objects[row].position) - scene.camera.position))


def _answers(truth: Scene, scene: Scene, pairs: dict[int, int]) -> Iterator[tuple[str, bool]]:
    """Yield question and whether its answer on the prediction is that on the true scene, for pairs
    of objects that clearly differ.
    """
    for i, j in itertools.combinations(sorted(pairs), 2):
        a, b = _away(truth, i), _away(truth, j)
        first, second = truth.objects[i].position, truth.objects[j].position
        if abs(a - b) > CLEAR * min(a, b):
            yield (
                "closer",
                _says(truth, i, j, "nearer_camera")
                == _says(scene, pairs[i], pairs[j], "nearer_camera"),
            )
        if abs(first[2] - second[2]) > 0.25:
            yield (
                "higher",
                _says(truth, i, j, "higher") == _says(scene, pairs[i], pairs[j], "higher"),
            )
        if abs(first[0] - second[0]) > CLEAR * min(a, b):
            one, two = (scene.objects[pairs[k]].position[0] for k in (i, j))
            yield "left or right", (one < two) == (first[0] < second[0])


def _says(scene: Scene, i: int, j: int, op: str) -> bool:
    """Whether the answer to a question of two rows is the first one."""
    program = PhraseCall(op, (f"#{i} one", f"#{j} two"))
    return answered(THREEDSRBENCH.to_core(program), scene).answer == f"#{i} one"


def _interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the bootstrap interval of the median, in per cent."""
    r = rng(0, "photographs/interval")
    draws = r.choice(np.array(values), (2000, len(values)))
    low, high = np.quantile(np.median(draws, 1), [0.025, 0.975])
    return 100 * float(low), 100 * float(high)


def wilson(right: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval of a share."""
    centre = (right + z * z / 2) / (count + z * z)
    half = z / (count + z * z) * (right * (count - right) / count + z * z / 4) ** 0.5
    return max(0.0, centre - half), min(1.0, centre + half)


# --- photographs and renderings -------------------------------------------------------------------


def decisions(folders: dict[str, str], most: int) -> None:
    """Print what `auto` takes the pictures of each folder for."""
    import po3d
    from po3d.io.errors import InputError

    router, rows = po3d.load("auto"), []
    for name, folder in folders.items():
        kinds: dict[str, int] = {}
        paths = _pictures(Path(folder))[:most]
        for path in paths:
            try:
                kind = router.chosen(path).kind
            except InputError as error:
                kind = "photograph" if "photograph" in str(error) else "refused"
            kinds[kind] = kinds.get(kind, 0) + 1
        rows.append([name, len(paths), ", ".join(f"{k} {v}" for k, v in sorted(kinds.items()))])
    print(text(Table(("pictures", "n", "auto takes for"), rows)))


def _pictures(folder: Path) -> list[Path]:
    suffixes = (".jpg", ".png", ".jpeg")
    return [p for p in sorted(folder.rglob("*")) if p.suffix in suffixes and ".depth" not in p.name]


def fit_statistics(photographs: Path, renderings: Sequence[Path]) -> None:
    """Fit the logistic regression to random crops of photographs and to renderings."""
    rows, labels = [], []
    for number, path in enumerate(_pictures(photographs)):
        with Image.open(path) as image:
            image.draft("RGB", (1600, 1200))
            pixels = np.asarray(image.convert("RGB"))
        r = rng(0, "photographs/crops", number)
        for k in range(CROPS):
            rows.append(photo_statistics.features(_compressed(_crop(pixels, r, whole=k == 0), r)))
            labels.append(1)
    for folder in renderings:
        for number, path in enumerate(_pictures(folder)):
            pixels, r = read_image(path), rng(0, f"photographs/{folder.name}", number)
            rows.append(
                photo_statistics.features(_compressed(pixels, r) if r.random() < 0.5 else pixels)
            )
            labels.append(0)
    weights = logistic(np.array(rows), np.array(labels))
    record = {}
    for key, values in zip(("mean", "spread", "weight"), weights):
        record[key] = np.round(values, 5).tolist()
    target = Path(photo_statistics.__file__).with_suffix(".json")
    write_json(target, record | {"bias": round(weights[3], 5)})
    print(
        f"{sum(labels)} crops of photographs, {len(labels) - sum(labels)} renderings: wrote"
        f" {target.name}"
    )


def _crop(pixels: np.ndarray, r: np.random.Generator, whole: bool) -> np.ndarray:
    height, width = pixels.shape[:2]
    w = min(width, height * 4 / 3) * (1.0 if whole else r.uniform(0.35, 0.9))
    h = min(height, w * r.choice([0.67, 0.75, 1.0]))
    x, y = r.uniform(0, width - w), r.uniform(0, height - h)
    return pixels[int(y) : int(y + h), int(x) : int(x + w)]


def _compressed(pixels: np.ndarray, r: np.random.Generator) -> np.ndarray:
    """Return the picture at a random size, compressed as JPEG."""
    image = Image.fromarray(pixels)
    scale = min(1.0, r.uniform(300, 800) / max(image.size))
    image = image.resize(
        tuple(max(1, round(side * scale)) for side in image.size), Image.Resampling.BILINEAR
    )
    file = io.BytesIO()
    image.save(file, "JPEG", quality=int(r.integers(60, 98)))
    return np.asarray(Image.open(file).convert("RGB"))


def logistic(
    rows: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Fit an L2-regularised logistic regression with equal weight for both labels; return what
    `photo_statistics.shipped` returns."""
    mean, spread = rows.mean(0), rows.std(0) + 1e-6
    z = ((rows - mean) / spread).clip(-photo_statistics.LIMIT, photo_statistics.LIMIT)
    sign = 2.0 * labels - 1
    weight = np.where(labels == 1, 0.5 / labels.sum(), 0.5 / (1 - labels).sum()) * len(labels)

    def loss(unknown: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (z @ unknown[:-1] + unknown[-1])
        slope = -weight * sign / (1 + np.exp(margin))
        penalty = unknown[:-1] @ unknown[:-1] / (2 * STRENGTH)
        gradient = np.append(z.T @ slope + unknown[:-1] / STRENGTH, slope.sum())
        return float(weight @ np.logaddexp(0, -margin) + penalty), gradient

    result = minimize(
        loss, np.zeros(z.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 500}
    )
    return mean, spread, result.x[:-1], float(result.x[-1])


if __name__ == "__main__":
    sys.exit(main())
