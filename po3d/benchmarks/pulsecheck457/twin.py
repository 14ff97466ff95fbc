"""The twin of PulseCheck457: our images and labels, its file layout, questions by its rules.

    scenes in shards, any number of processes, any order ──► OUT/shards/*.json, OUT/images/*.jpg
    all scenes, in order, one process                    ──► OUT/questions/*.json, balanced over the split
    last                                                 ──► OUT/scenes.json; the shards go

Every file is whole or absent and a pure function of the arguments, so a killed run is continued by the same
command."""

import functools
import io
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tqdm import tqdm

from po3d.benchmarks.pulsecheck457.score import CATEGORIES
from po3d.benchmarks.superclevr.files import nodes_from_program, scene_from_superclevr, surface
from po3d.benchmarks.twin_folder import claimed
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, write_json
from po3d.io.pools import pool
from po3d.io.seeding import rng
from po3d.language.say.street.language import realise
from po3d.reasoning.execute import execute
from po3d.reasoning.outcome import Outcome, TraceStep
from po3d.synthesis.difficulty import DEFAULT, Dials
from po3d.synthesis.render.official import OFFICIAL_LOOKS
from po3d.synthesis.render.photographs import Photographs
from po3d.synthesis.street.dataset import image_name, make_scene, open_renderer, picture, scene_record
from po3d.synthesis.street.layouts import LOOKS, MESHES
from po3d.synthesis.street.question_world import World
from po3d.synthesis.street.questions import COLUMNS, Balance, ask

SHARD = 10  # scenes a file
SAMPLES = 4  # smooth edges
JPEG_QUALITY = 78
FORMAT = "po3d-pulsecheck457-twin-1"


def generate(
    out: str | Path,
    size: int,
    seed: int = 0,
    look: str | None = None,
    images: bool = True,
    workers: int = 1,
    split: str = "test",
    skies: str | None = None,
    dials: Dials = DEFAULT,
) -> None:
    """Write `size` images with labels and questions into the folder `out`. `look` None: studio and outdoor in
    turn; `images` False: everything but the pictures; `skies`: a folder of photographs for the outdoor ones;
    `dials`: how hard. The bytes do not depend on `workers`."""
    check(size, look, split, workers)
    out = Path(out)
    identity = {"format": FORMAT, "size": size, "seed": seed, "look": look, "images": images, "split": split}
    if skies is not None:
        identity["skies"] = [path.name for path in Photographs.of(skies).paths]
    if dials != DEFAULT:
        identity["dials"] = dials.changed()
    description = claimed(out, identity)
    if (out / "scenes.json").exists():
        return
    open_renderer(SAMPLES)  # where there is none, that shows before anything is written
    write_json(description, identity)
    from po3d.benchmarks.pulsecheck457.data import FILES

    scenes = make_scenes(out, size, seed, look, images, workers, split, skies, dials)
    for category, records in questions(scenes, seed, dials).items():
        write_json(
            out / "questions" / f"{FILES[category]}.json", _wrapped(split, "questions", records), indent=None
        )
    write_json(out / "scenes.json", _wrapped(split, "scenes", scenes), indent=None)
    clear(out)


def clear(out: Path) -> None:
    """Remove what a finished twin does not need: shards, and what killed writers left."""
    for torn in out.glob("*/.*.tmp"):
        torn.unlink()
    shutil.rmtree(out / "shards")


def check(size: int, look: str | None, split: str, workers: int = 1) -> None:
    """InputError for what no twin of streets can be."""
    if size < 1 or workers < 1:
        raise InputError(f"size and workers should be at least 1, not {size} and {workers}")
    known = (*LOOKS, *OFFICIAL_LOOKS)
    if look is not None and look not in known:
        raise InputError(
            f"unknown look {look!r}; known: {', '.join(known)}, or null for the first two in turn"
        )
    if split not in MESHES:
        raise InputError(f"unknown split {split!r}; known: {', '.join(MESHES)}")


def _wrapped(split: str, key: str, records: Sequence[dict]) -> dict:
    return {"info": {"version": "1.0", "split": split, "generator": FORMAT}, key: list(records)}


def make_scenes(
    out: Path,
    size: int,
    seed: int,
    look: str | None,
    images: bool,
    workers: int,
    split: str,
    skies: str | None,
    dials: Dials,
) -> list[dict]:
    """All scene records in order; shards that exist are not made again."""
    shards = [(k, out / "shards" / f"{k:05d}.json") for k in range(-(-size // SHARD))]
    make = functools.partial(
        _make_shard,
        shard=SHARD,
        out=out,
        size=size,
        seed=seed,
        look=look,
        images=images,
        split=split,
        skies=skies,
        dials=dials,
    )
    todo = [k for k, path in shards if not path.exists()]
    with _mapper(min(workers, len(todo))) as mapped:
        bar = tqdm(
            mapped(make, todo),
            "rendering",
            len(shards),
            initial=len(shards) - len(todo),
            unit="shard",
            delay=1,
        )
        for _ in bar:
            pass
    return [record for _, path in shards for record in read_json(path, "shard")]


class _mapper:
    """A context that gives a `map`: of this process for one worker, else of a pool."""

    def __init__(self, workers: int) -> None:
        self.pool = pool(workers) if workers > 1 else None

    def __enter__(self) -> Callable[..., Iterator]:
        return map if self.pool is None else self.pool.map

    def __exit__(self, *_: object) -> None:
        if self.pool is not None:
            self.pool.shutdown(cancel_futures=True)


def _make_shard(
    k: int,
    shard: int,
    out: Path,
    size: int,
    seed: int,
    look: str | None,
    images: bool,
    split: str,
    skies: str | None,
    dials: Dials,
) -> None:
    """Images and records of shard k; its file, written last, says that it is complete."""
    renderer = open_renderer(SAMPLES)
    records = []
    for index in range(k * shard, min((k + 1) * shard, size)):
        made = make_scene(seed, index, split, renderer, _look(look, index), dials)
        if images:
            with atomic_write(out / "images" / image_name(index), "wb") as file:
                file.write(encode(picture(made, renderer, skies)))
        records.append(scene_record(made, index, split))
    write_json(out / "shards" / f"{k:05d}.json", records, indent=None)


def encode(image: NDArray[np.uint8]) -> bytes:
    """JPEG bytes of (H, W, 3) pixels."""
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "JPEG", quality=JPEG_QUALITY, optimize=True)
    return buffer.getvalue()


# --- questions ----------------------------------------------------------------------------------------------


def questions(scenes: Sequence[Mapping], seed: int, dials: Dials = DEFAULT) -> dict[str, list[dict]]:
    """Column -> question records in the official layout, on scene records in image order. Sequential by
    nature: answers are balanced over the whole split."""
    from po3d.benchmarks.pulsecheck457.data import BANDS

    result: dict[str, list[dict]] = {category: [] for category in CATEGORIES}
    balance = {category: Balance() for category in CATEGORIES}
    bar = tqdm(scenes, "asking", unit="image", delay=1)
    for record in bar:
        scene = scene_from_superclevr(record)
        worlds = {task: World(scene, task) for task in ("2d", "6d")}
        for category in CATEGORIES:
            task = COLUMNS[category].task
            generator = rng(seed, f"questions/{category}", record["image_index"])
            for drawn in ask(worlds[task], COLUMNS[category], balance[category], generator, scene, dials):
                outcome = execute(drawn.program, scene, task)
                if outcome.answer != drawn.answer:
                    raise AssertionError(
                        f"{record['image_filename']}: {drawn.program} is {outcome.answer!r} "
                        f"({outcome.reason}) to the executor but {drawn.answer!r} to the generator"
                    )
                index = BANDS[category] + len(result[category])
                text = realise(drawn.program, generator, "benchmark")
                result[category].append(
                    {
                        "split": record["split"],
                        "image_filename": record["image_filename"],
                        "image_index": record["image_index"],
                        "question": text,
                        "answer": _written(drawn.answer),
                        "question_index": index,
                        "template_filename": drawn.template,
                        "program": nodes_from_program(drawn.program, _outputs(outcome)),
                    }
                )
    return result


def _written(answer: str) -> str:
    """An answer as the release spells it."""
    return {"yes": "True", "no": "False"}.get(answer, surface(answer))


def _outputs(outcome: Outcome) -> list[str]:
    return [str(_output(step)) for step in outcome.trace]


def _output(step: TraceStep) -> object:
    """What a step gives, as the release stores it: object indices, numbers, words."""
    if step.kind == "set":
        return sorted(step.objects)
    if step.kind == "object":
        return next(iter(step.objects))
    return _written(next(iter(step.values)))


# --- in memory ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tables:
    """A twin without files; a source of pictures and true scene records."""

    seed: int
    split: str
    look: str | None
    scenes: dict[str, dict]  # image name -> record
    questions: dict[str, list[dict]] = field(default_factory=dict)
    dials: Dials = DEFAULT

    def image(self, name: str) -> NDArray[np.uint8]:
        index = self.scenes[name]["image_index"]
        renderer = open_renderer(SAMPLES)
        look = _look(self.look, index)
        return picture(make_scene(self.seed, index, self.split, renderer, look, self.dials), renderer)

    def record(self, name: str) -> dict | None:
        return self.scenes.get(name)


def _look(look: str | None, index: int) -> str:
    return look or LOOKS[index % len(LOOKS)]


def tables(
    seed: int, size: int, split: str = "test", look: str | None = None, dials: Dials = DEFAULT
) -> Tables:
    """The scenes and questions that `generate` with the same seed writes; only masks are rendered."""
    check(size, look, split)
    renderer = open_renderer(SAMPLES)
    records = [
        scene_record(make_scene(seed, index, split, renderer, _look(look, index), dials), index, split)
        for index in tqdm(range(size), "rendering masks", unit="image", delay=1)
    ]
    asked = questions(records, seed, dials)
    return Tables(seed, split, look, {r["image_filename"]: r for r in records}, asked, dials)
