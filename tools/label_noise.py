"""Effect of decision margins on 3DSRBench's twin.

    python -m tools.label_noise --size 100 --seed 1

Gold programs run on ground-truth scenes with normal noise on the headings, drawn independently for
the flipped image. Without margins, the answers to a question and its flipped twin often disagree
although neither is wrong. Prints the share of disagreements by the margin that the questions keep;
1 is the twin's own (`po3d.synthesis.indoor_view.questions`).
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from po3d.benchmarks.threedsrbench.data import MIRROR
from po3d.benchmarks.threedsrbench.score import CATEGORIES, consistency
from po3d.benchmarks.threedsrbench.twin import make
from po3d.evaluation.run import by_image
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.reasoning.questions import Question
from po3d.scene.camera import mirrored
from po3d.scene.table import Scene
from po3d.systems.oracle.views import VIEW_TABLES
from po3d.systems.pipeline import Context, oracle


class Disagreement(NamedTuple):
    """Percentage of pairs of a question and its flipped twin with disagreeing answers, and the
    number of pairs.
    """

    percent: float
    pairs: int


def disagreement(
    scenes: Sequence[Scene], questions: Sequence[Question], degrees: float, seed: int = 0
) -> dict[str, Disagreement]:
    """Return the disagreement "overall" and by type, with noise of `degrees` (standard deviation)
    on every heading.
    """
    tables = {scene.image: scene for scene in scenes}
    predictions = []
    for name, group in groupby(by_image(questions), key=lambda q: q.image):
        bare = name.removesuffix(MIRROR)
        true = tables[bare] if bare == name else replace(mirrored(tables[bare]), image=name)
        table = VIEW_TABLES.noisy(
            true, "heading", degrees, seed
        )  # drawn by the image's name: independent for the flipped image
        predictions += oracle("photographs").answer(
            list(group), Context(_no_picture, lambda table=table: table, name)
        )
    results = {}
    for name in ("overall", *CATEGORIES):
        category_questions = [q for q in questions if name in ("overall", q.category)]
        if category_questions:
            flips = consistency(category_questions, predictions)["flip"]
            results[name] = Disagreement(flips["value"], int(flips["n"]))
    return results


def _no_picture():
    raise InputError("the oracle needs no image")


def main() -> int:
    """Run the command line; return the exit code."""
    arguments = argparse.ArgumentParser(
        "python -m tools.label_noise", description=(__doc__ or "").split("\n")[0]
    )
    arguments.add_argument("--size", type=int, default=100, help="number of pairs of views")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument(
        "--degrees", type=float, default=5.0, help="standard deviation of the heading noise"
    )
    arguments.add_argument("--margins", type=float, nargs="+", default=[1.0, 0.0])
    arguments.add_argument(
        "--workers", type=int, default=1, help="number of processes that generate the twins"
    )
    a = arguments.parse_args()

    def checked() -> None:
        if a.size < 1 or a.seed < 0 or a.workers < 1 or a.degrees < 0 or min(a.margins) < 0:
            raise InputError(
                "--size and --workers should be at least 1, --seed, --degrees and --margins at"
                " least 0"
            )
        columns = []
        for margin in a.margins:
            scenes, questions = make(a.size, a.seed, margin=margin, workers=a.workers)
            columns.append(
                disagreement(
                    scenes,
                    [q for q in questions if q.id.count("-") == q.id.count("-flip")],
                    a.degrees,
                )
            )
        print(
            f"{'percent of flips that disagree, margins x':<42}"
            + "".join(f"{m:>10g}" for m in a.margins)
        )
        for name in columns[0]:
            print(
                f"{name:<42}"
                + "".join(f"{c[name].percent:>10.1f}" if name in c else " " * 10 for c in columns)
            )

    return guarded(checked)


if __name__ == "__main__":
    sys.exit(main())
