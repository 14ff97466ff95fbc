"""The twin of PulseCheck457: generated images and labels in its file layout, with questions from
its templates.

  scenes in shards, any number of processes, any order -> OUT/shards/*.json, OUT/images/*.jpg
  all scenes, in order, one process                    -> OUT/questions/*.json, balanced
  last                                                 -> OUT/scenes.json; shards are removed

Files are written atomically and are a pure function of the arguments, so an interrupted run is
resumed by the same command.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from po3d.benchmarks.pulsecheck457.report import BANDS, CATEGORIES, FILES
from po3d.benchmarks.street_twin import StreetTwin, verified, write
from po3d.benchmarks.superclevr.files import question_record, scene_from_superclevr
from po3d.benchmarks.superclevr.names import surface
from po3d.io.files import write_json
from po3d.io.progress import progress
from po3d.io.seeding import rng
from po3d.language.say.street.language import realise
from po3d.reasoning.outcome import TraceStep
from po3d.synthesis.difficulty import DEFAULT, Difficulty
from po3d.synthesis.street.question_world import SceneBitsets
from po3d.synthesis.street.questions import COLUMNS, ask

FORMAT = "po3d-pulsecheck457-twin-1"
LOOK = None  # alternate studio and outdoor


def generate(out: Path, twin: StreetTwin, workers: int = 1) -> None:
    """Write images, labels and questions to the folder `out`. The result does not depend on
    `workers`.
    """

    def finish(scenes: list[dict], info: dict) -> None:
        for category, records in questions(scenes, twin.seed, twin.difficulty).items():
            path = out / "questions" / f"{FILES[category]}.json"
            write_json(path, {"info": info, "questions": records}, indent=None)
        write_json(out / "scenes.json", {"info": info, "scenes": scenes}, indent=None)

    write(out, FORMAT, twin, workers, out / "scenes.json", finish)


# --- questions ------------------------------------------------------------------------------------


def questions(
    scenes: Sequence[Mapping], seed: int, difficulty: Difficulty = DEFAULT
) -> dict[str, list[dict]]:
    """Return category -> question records in the official layout, for scene records in image order.

    Runs sequentially, because answers are balanced over the whole split.
    """
    result: dict[str, list[dict]] = {category: [] for category in CATEGORIES}
    balance = {category: Counter() for category in CATEGORIES}
    for record in progress(scenes, "asking", unit="image"):
        scene = scene_from_superclevr(record)
        worlds = {task: SceneBitsets(scene, task) for task in ("2d", "6d")}
        for category in CATEGORIES:
            column, balanced = COLUMNS[category], balance[category]
            random = rng(seed, f"questions/{category}", record["image_index"])
            world = worlds[column.task]
            for question in ask(world, column, balanced, random, scene, difficulty):
                outcome = verified(question, scene, column.task, record["image_filename"])
                index = BANDS[category] + len(result[category])
                outputs = [str(_output(step)) for step in outcome.trace]
                text = realise(question.program, random, "benchmark")
                fields = (text, _written(question.answer), index, question.template)
                row = question_record(record, *fields, question.program, outputs)
                result[category].append(row)
    return result


def _written(answer: str) -> str:
    """Spell an answer like the release."""
    return {"yes": "True", "no": "False"}.get(answer, surface(answer))


def _output(step: TraceStep) -> object:
    """Return the output of a step as the release stores it: object indices, numbers or words."""
    if step.kind == "set":
        return sorted(step.objects)
    if step.kind == "object":
        return next(iter(step.objects))
    return _written(next(iter(step.values)))
