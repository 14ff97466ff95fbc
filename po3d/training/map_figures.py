"""Evaluate a top-view estimator, after calibrating it if asked.

    python -m po3d.training.map_figures CHECKPOINT SET... [--calibrate]

A SET is a folder of maps (`python -m po3d.synthesis.render_rooms --kind top --split val`). With
--calibrate, the temperature and the existence probabilities are first fitted on these maps and
written into the checkpoint's JSON, with the activation ranges that `device=openvino` needs; the
weights stay unchanged. Prints a table with a row for all
objects and one for each kind of support; the columns are those of `metrics.perception`.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from po3d.benchmarks.metrics import MAX_DISTANCE, match, perception
from po3d.io.files import read_json
from po3d.io.progress import progress
from po3d.perception.top_view import ATTRIBUTES, TopViewEstimator
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.rooms import CATEGORIES
from po3d.scene.table import Scene
from po3d.training import beliefs
from po3d.training.picture_folders import map_folder

BATCH = 4
STANDS = ("floor", "back", "wall", "flat", "top")
COLUMNS = ("things", "recall", "precision", "count_exact", "name", "color", "material", "turned")


# A predicted scene, its ground truth, and by attribute the log probabilities (n, values) of the
# predicted rows, over all values.
Pair = tuple[Scene, Scene, dict[str, Array]]


def pairs(estimator: TopViewEstimator, folders: Sequence[str | Path]) -> list[Pair]:
    """Return predicted and ground-truth scenes of all maps of the sets."""
    result = []
    for folder in folders:
        count = read_json(Path(folder) / "set.json", "set of maps")["count"]
        maps = map_folder(folder, 0, estimator.once.width)
        for start in progress(range(0, count, BATCH), "estimating", unit="batch"):
            part = range(start, min(start + BATCH, count))
            pictures = list(map(maps.picture, part))
            detections = estimator.detect(pictures)
            for b, k in enumerate(part):
                true, there = maps.truth(k)[0], detections.present[b]
                table = estimator.scene(detections, b, pictures[b], true.camera, true.image)
                log_p = {}
                for a in ATTRIBUTES:
                    log_p[a] = np.log(np.maximum(detections.probabilities[a][b, there], 1e-12))
                result.append((table, true, log_p))
    return result


def strongest_first(predicted: Scene, true: Scene) -> dict[int, int]:
    """Match predicted rows to ground-truth rows greedily: in descending order of existence
    probability, each takes the nearest unmatched object within `metrics.MAX_DISTANCE`. Weaker
    duplicate detections stay unmatched."""
    result: dict[int, int] = {}
    if not len(predicted) or not len(true):
        return result
    away = np.linalg.norm(predicted.positions[:, None, :2] - true.positions[None, :, :2], axis=-1)
    for i in np.argsort([-o.existence for o in predicted.objects], kind="stable").tolist():
        j = int(away[i].argmin())
        if away[i, j] <= MAX_DISTANCE["name"]:
            result[i] = j
            away[:, j] = math.inf
    return result


def fitted(result: Sequence[Pair]) -> dict[str, float]:
    """Fit temperature, slope and offset (`po3d.training.beliefs`) to uncalibrated predictions."""
    evidence = beliefs.CalibrationEvidence()
    for predicted, true, log_p in result:
        matches = strongest_first(predicted, true)
        evidence.add(predicted, matches)
        for i, j in matches.items():
            state = true.objects[j]
            for a, values in ATTRIBUTES.items():
                if a in state.beliefs and state.value(a) in values:
                    evidence.words.append((log_p[a][i], values.index(state.value(a))))
    return {
        "temperature": beliefs.temperature(evidence.words),
        **beliefs.existence(evidence.score, evidence.there),
    }


def calibrate(checkpoint: str | Path, folders: Sequence[str | Path]) -> dict[str, float]:
    """Fit on maps of the validation split and write the result into the checkpoint's JSON."""
    folders = [beliefs.for_fitting(folder, "set.json") for folder in folders]
    estimator = TopViewEstimator.from_checkpoint(checkpoint)
    estimator.calibration = dict(estimator.defaults)
    calibration = fitted(pairs(estimator, folders))
    beliefs.write(checkpoint, "calibration", lambda _: calibration)
    beliefs.write_ranges(checkpoint, estimator, beliefs.first_pictures(folders, "rooms"))
    return calibration


def figures(matches: Sequence[Pair]) -> dict[str, dict[str, float]]:
    """Return the metrics COLUMNS by row: "all", and each kind of support that occurs. Precision and
    count_exact refer to whole scenes; turned is the fraction of matched objects with a heading
    error above 90 degrees."""
    predictions, truths, _ = zip(*matches, strict=True)
    text = perception(predictions, truths)["all"]
    whole = dict.fromkeys(COLUMNS, math.nan) | text
    whole = {c: whole[c] for c in COLUMNS} | {"things": text["n"], "turned": text["flip_rate"]}
    rows: dict[str, list[dict[str, float]]] = {}
    for predicted, true, _ in matches:
        certain = predicted.certain()
        row_of = {j: i for i, j in match(certain, true).items()}
        for j, state in enumerate(true.objects):
            right = dict.fromkeys(("name", "color", "material", "turned"), math.nan)
            if j in row_of:
                other = certain.objects[row_of[j]]
                for a in ATTRIBUTES.keys() & state.beliefs.keys():
                    right[a] = float(other.value(a) == state.value(a))
                turn = abs(wrap_angle(other.heading - state.heading))
                right["turned"] = float(turn > math.pi / 2)
            stands = CATEGORIES[state.value("name")].stands
            rows.setdefault(stands, []).append(right | {"recall": float(j in row_of)})
    result = {"all": whole}
    for stands in STANDS:
        if own := rows.get(stands):
            result[stands] = {"things": len(own)}
            for column in own[0]:
                values = np.array([row[column] for row in own])
                values = values[~np.isnan(values)]
                result[stands][column] = float(values.mean()) if len(values) else math.nan
    return result


def table(result: Sequence[Pair]) -> str:
    """Format the metrics as a Markdown table; fractions in percent."""
    lines = ["| | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for title, text in figures(result).items():
        cells = [title, str(text["things"])]
        for column in COLUMNS[1:]:
            share = text.get(column, math.nan)
            cells.append(f"{100 * share:.1f}" if math.isfinite(share) else "")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    """Run the command line; return the exit code."""

    def measured(checkpoint: str, folders: Sequence[str]) -> str:
        return table(pairs(TopViewEstimator.from_checkpoint(checkpoint), folders))

    return beliefs.figures_command("map_figures", __doc__ or "", "maps", calibrate, measured)


if __name__ == "__main__":
    raise SystemExit(main())
