"""The twin of Super-CLEVR: scenes of PulseCheck457's twin in Super-CLEVR's file layout, with
questions from its templates, including those on material.

  OUT/images/*.jpg, OUT/superCLEVR_scenes.json, OUT/superCLEVR_questions_twin.json (written last)

Files are written atomically and are a pure function of the arguments, so an interrupted run is
resumed by the same command.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from po3d.benchmarks.street_twin import StreetTwin, verified, write
from po3d.benchmarks.superclevr.files import question_record, scene_from_superclevr
from po3d.benchmarks.superclevr.names import surface
from po3d.io.files import write_json
from po3d.io.progress import progress
from po3d.io.seeding import rng
from po3d.language.say.street.language import realise
from po3d.synthesis.difficulty import DEFAULT, Difficulty
from po3d.synthesis.street.question_families import comparisons, objects, spatial, zero_hop
from po3d.synthesis.street.question_world import QUERIED_ATTRIBUTES, SceneBitsets
from po3d.synthesis.street.questions import Column, ask

FORMAT = "po3d-superclevr-twin-1"
QUESTIONS = 10  # per image, as in the release
LOOK = "studio"  # as in the release; outdoor objects have no material


def column(attributes: Sequence[str] = (*QUERIED_ATTRIBUTES, "material")) -> Column:
    """Return all templates except those on object parts; `attributes`: the attributes that may be
    queried.
    """
    families = {
        **zero_hop(attributes),
        **objects(attributes),
        **spatial(attributes),
        **comparisons(attributes),
    }
    return Column("2d", families, QUESTIONS, True)


WITH_MATERIAL, WITHOUT = column(), column(QUERIED_ATTRIBUTES)


def generate(out: Path, twin: StreetTwin, workers: int = 1) -> None:
    """Write images, labels and questions to the folder `out`. The result does not depend on
    `workers`.
    """
    last = out / "superCLEVR_questions_twin.json"

    def finish(scenes: list[dict], info: dict) -> None:
        write_json(out / "superCLEVR_scenes.json", {"info": info, "scenes": scenes}, indent=None)
        records = questions(scenes, twin.seed, twin.difficulty)
        write_json(last, {"info": info, "questions": records}, indent=None)

    write(out, FORMAT, twin, workers, last, finish)


def questions(scenes: Sequence[Mapping], seed: int, difficulty: Difficulty = DEFAULT) -> list[dict]:
    """Return question records in the official layout, for scene records in image order; answers are
    balanced over all of them.
    """
    balance, records = Counter(), []
    for record in progress(scenes, "asking", unit="image"):
        scene = scene_from_superclevr(record)
        random = rng(seed, "questions/superclevr", record["image_index"])
        materials = all("material" in o.beliefs for o in scene.objects)
        world = SceneBitsets(scene, "2d", materials=materials)
        templates = WITH_MATERIAL if materials else WITHOUT
        for question in ask(world, templates, balance, random, scene, difficulty):
            verified(question, scene, "2d", record["image_filename"])
            answer = {"yes": True, "no": False}.get(question.answer, surface(question.answer))
            answer = int(answer) if str(answer).isdecimal() else answer
            template = f"{question.template.partition('/')[0]}.json"
            text = realise(question.program, random, "benchmark")
            fields = (text, answer, len(records), template, question.program)
            records.append(question_record(record, *fields))
    return records
