"""Scores of VLMEvalKit's own evaluators, for `tools.verify_scorers`.

    PYTHON tools/vlmevalkit_scores.py WORK        PYTHON of an environment with the package vlmeval

Needs nothing of po3d, whose requirements conflict with the package's. Reads WORK/NAME.tsv (the
columns of a question table, and `prediction`) for each evaluator NAME, and writes WORK/NAME.json:
the version, `hits` by index, and `figures` in percent. Nothing is downloaded: the evaluators are
built without their tables of questions, and there is no judge model.
"""

import json
import sys
from importlib import metadata
from pathlib import Path


def spatial457(path: Path) -> dict:
    """Return the result of the class Spatial457."""
    from vlmeval.dataset import spatial457 as module

    if not callable(module.tqdm):  # ms-vlmeval 0.0.20 calls the module
        module.tqdm = module.tqdm.tqdm
    evaluator = module.Spatial457.__new__(module.Spatial457)
    evaluator.dataset_utils = module.Spatial457_utils()
    result = evaluator.evaluate(str(path))
    hits = {str(row["index"]): bool(row["correct"]) for row in result["answers"]}
    return {"hits": hits, "figures": {"score": 100 * result["score"]}}


def threedsrbench(path: Path) -> dict:
    """Return the result of the class _3DSRBench, with exact matching."""
    import pandas
    from vlmeval.dataset.image_mcq import _3DSRBench

    evaluator = _3DSRBench.__new__(_3DSRBench)
    evaluator.data = pandas.read_csv(path, sep="\t", keep_default_na=False)
    evaluator.dataset_name = "3DSRBench"
    table = evaluator.evaluate(str(path), nproc=1)
    rows = pandas.read_excel(next(path.parent.glob(f"{path.stem}*_result.xlsx")))
    hits = {str(index): bool(hit) for index, hit in zip(rows["index"], rows["hit"], strict=True)}
    figures = zip(table["setting"], table["Overall"], strict=True)
    return {"hits": hits, "figures": {name: 100 * float(value) for name, value in figures}}


EVALUATORS = {"Spatial457": spatial457, "3DSRBench": threedsrbench}
PACKAGES = ("vlmeval", "ms-vlmeval")  # names of the distribution on the index


def version() -> str:
    """Return the distribution's name and version."""
    for name in PACKAGES:
        try:
            return f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue
    return "unknown"


def main(work: Path) -> None:
    """Write the results of all evaluators whose table is there."""
    for name, evaluate in EVALUATORS.items():
        path = work / f"{name}.tsv"
        if path.is_file():
            result = {"version": version(), **evaluate(path)}
            path.with_suffix(".json").write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
