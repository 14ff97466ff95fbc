"""Export of a split with prompts for language models: identical items to those that po3d answers,
for a harness or an endpoint, in the formats listed by `po3d export --help`.
"""

import argparse
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks import choices
from po3d.benchmarks.choices import gapped, letter
from po3d.benchmarks.registry import BENCHMARKS, difficulty_options, opened
from po3d.benchmarks.twin_folder import TWIN, described
from po3d.benchmarks.vlmevalkit import cells, write_table
from po3d.evaluation.compare import read_entry, with_answers
from po3d.evaluation.harness import FORMATS, lmms_task
from po3d.evaluation.harness.vlmevalkit_results import write_results
from po3d.evaluation.report.records import data_of, described_run
from po3d.io.errors import InputError, known
from po3d.io.files import write_file, write_jsonl
from po3d.io.progress import progress
from po3d.reasoning.questions import Question, images_of, pictures
from po3d.systems.pipeline import Context
from po3d.systems.prompts import (
    DEFAULT,
    ImageFormat,
    Prompt,
    Prompter,
    PromptSetting,
    data_uri,
    encode,
    messages,
)

LONGEST = 1024  # maximum number of response tokens, for harnesses that need a limit
Query = Callable[[Question], Prompt]


class Encoded(Mapping[str, bytes]):
    """Image files by name, encoded on access and not cached."""

    def __init__(self, split: Any, names: Sequence[str], image_format: ImageFormat) -> None:
        self.split, self.image_format = split, image_format
        self.names = tuple(dict.fromkeys(names))

    def __getitem__(self, name: str) -> bytes:
        pixels: NDArray[np.uint8] = self.split.image(name)
        return encode(pixels, self.image_format)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def open_split(benchmark: str, root: str | Path | None = None, size: int | None = None) -> Any:
    """Open the first `size` images of the mini split, or of the release or twin at `root`; missing
    images of a twin are rendered on demand."""
    twin = None if root is None else twin_record(benchmark, root)
    if twin and twin.get("images") is False:
        # If labels are incomplete, open_fresh generates the rest.
        arguments = (Path(root), twin["size"], twin["seed"], twin.get("look"), 1)
        options = difficulty_options({"difficulty": twin.get("dials")})
        return BENCHMARKS[benchmark].open_fresh(*arguments, **options).first(size)
    return opened(benchmark, root, size)


def twin_record(benchmark: str, root: str | Path | None) -> Mapping[str, Any] | None:
    """Return the description of the twin at `root` or of the mini split; None for a release."""
    folder = BENCHMARKS[benchmark].mini if root is None else Path(root)
    return described(folder) if (folder / TWIN).is_file() else None


def export(
    split: Any,
    benchmark: str,
    form: str,
    out: str | Path,
    image_format: ImageFormat = "png",
    bare: bool = False,
    inline: bool = False,
    twin: Mapping[str, Any] | None = None,
    prompter: Prompter | None = None,
) -> Path:
    """Write a split in one of FORMATS below the folder `out`; return the file or folder to pass to
    the harness.

    `bare`: only the question, for a harness's own class of the benchmark (vlmevalkit). `inline`:
    images as data URIs (openai). `twin`: the description of a twin, for the data set card
    (datasets)."""
    questions = with_answers(split.questions)
    if not questions:
        raise InputError("nothing to export: no question has an answer")
    known("format", form, FORMATS)
    if (bare and form != "vlmevalkit") or (inline and form != "openai"):
        raise InputError("--bare needs --format vlmevalkit, --inline needs --format openai")
    prompter = prompter or Prompter(benchmark)
    has_no_prompt = bare or form == "datasets" or (form == "vlmevalkit" and questions[0].options)
    if prompter.setting != DEFAULT and has_no_prompt:
        raise InputError(
            "prompt settings need a format that stores the prompt: lmms-eval, openai, or "
            "vlmevalkit without options"
        )

    def query(question: Question) -> Prompt:
        return prompter.prompt(question, Context.of(split, question.image))

    names: list[str] = []
    for q in questions:
        names += pictures(q) if form in ("datasets", "vlmevalkit") else query(q).pictures
    encoded = Encoded(split, names, image_format)
    out = Path(out)
    if form == "vlmevalkit":
        return _vlmevalkit(questions, benchmark, out, encoded, bare, query)
    if form == "lmms-eval":
        return _lmms_eval(questions, benchmark, out, encoded, query)
    if form == "datasets":
        from po3d.evaluation.harness import parquet

        return parquet.write(questions, benchmark, out, encoded, _files(encoded), twin)
    return _openai(questions, benchmark, out, encoded, inline, query)


# --- VLMEvalKit -----------------------------------------------------------------------------------


def _vlmevalkit(
    questions: Sequence[Question],
    benchmark: str,
    out: Path,
    encoded: Encoded,
    bare: bool,
    query: Query,
) -> Path:
    path = out / f"po3d_{benchmark}.tsv"
    own = BENCHMARKS[benchmark]
    if own.write_harness_table is not None and (bare or not own.on_request):
        own.write_harness_table(path, questions, encoded)
    else:
        _write_table(path, questions, benchmark, encoded, bare, query)
    return path


def _write_table(
    path: Path,
    questions: Sequence[Question],
    benchmark: str,
    encoded: Encoded,
    bare: bool,
    query: Query,
) -> None:
    """Write the harness's custom data: with columns A to D a multiple choice whose prompt it
    builds, else the question is the whole prompt.

    Several images are lists and need names in image_path."""
    multi_image = any(len(pictures(q)) > 1 for q in questions)
    columns = ["index", "qid", "image", "question", *choices.columns(questions)]
    columns += ["answer", "category", *(["image_path"] if multi_image else [])]

    def row(k: int, q: Question) -> dict[str, Any]:
        values = {**cells(BENCHMARKS[benchmark], q, k), "image": pictures(q)}
        if not bare and not q.options:
            one = query(q)
            values |= {"question": one.text, "image": list(one.pictures)}
        if multi_image:
            paths = []
            for name in pictures(q):
                paths.append(_file_name(name, encoded.image_format))
            values["image_path"] = str(paths)
        return values

    rows = (row(k, q) for k, q in enumerate(progress(questions, "exporting")))
    write_table(path, columns, rows, encoded)


# --- lmms-eval ------------------------------------------------------------------------------------


def _lmms_eval(
    questions: Sequence[Question], benchmark: str, out: Path, encoded: Encoded, query: Query
) -> Path:
    files = _write_images(out, encoded)
    write_jsonl(out / "data.jsonl", (_doc(q, query(q), benchmark, files) for q in questions))
    write_file(out / "po3d_task.py", Path(lmms_task.__file__).read_text(encoding="utf-8"))
    folder, name = out.resolve(), f"po3d_{benchmark}"
    task = Path(lmms_task.__file__).with_suffix(".yaml").read_text(encoding="utf-8").format(
        name=name, folder=folder, data=json.dumps(str(folder / "data.jsonl"), ensure_ascii=False),
        module="po3d_task", tokens=LONGEST,
    )  # fmt: skip
    write_file(out / f"{name}.yaml", task)
    return out / f"{name}.yaml"


def _doc(q: Question, query: Prompt, benchmark: str, files: Mapping[str, str]) -> dict[str, Any]:
    """Return a line of data.jsonl, as documented in `lmms_task`."""
    names = [files[name] for name in query.pictures]
    parts = []
    for part in query.parts:
        if isinstance(part, int):
            parts.append({"type": "image", "value": names[part]})
        else:
            parts.append({"type": "text", "value": part})
    return {
        "id": q.id,
        "question": query.text,
        "parts": parts,
        "images": names,
        **answer_fields(q, benchmark),
    }


def answer_fields(q: Question, benchmark: str) -> dict[str, Any]:
    """Return the right answer as text and as a letter, the options, and the category."""
    return {
        "answer": BENCHMARKS[benchmark].written(q.answer),
        "letter": letter(q) if q.options else "",
        "options": gapped(q),
        "category": q.category,
    }


# --- OpenAI messages ------------------------------------------------------------------------------


def _openai(
    questions: Sequence[Question],
    benchmark: str,
    out: Path,
    encoded: Encoded,
    inline: bool,
    query: Query,
) -> Path:
    path, urls = out / "messages.jsonl", {} if inline else _write_images(out, encoded)

    def rows() -> Iterator[dict[str, Any]]:
        latest = urls  # questions on one image are mostly contiguous
        for q in progress(questions, "exporting"):
            one = query(q)
            names = one.pictures
            if inline:
                form = encoded.image_format
                latest = {n: latest.get(n) or data_uri(encoded[n], form) for n in names}
            content = messages(one, [latest[n] for n in names])
            fields = answer_fields(q, benchmark)
            row = {"id": q.id, "messages": content}
            for key in ("answer", "category", *(("options", "letter") if q.options else ())):
                row[key] = fields[key]
            yield row

    write_jsonl(path, rows())
    return path


# --- shared helpers -------------------------------------------------------------------------------


def _file_name(name: str, image_format: ImageFormat) -> str:
    """Return a file name without folders for an image; special characters become their code."""
    stem = re.sub(r"\.(?:png|jpe?g|webp)(?=#|$)", "", name, flags=re.IGNORECASE)
    safe = re.sub(r"[^A-Za-z0-9._-]", lambda m: f"_{ord(m[0]):x}_", stem)
    return safe + (".png" if image_format == "png" else ".jpg")


def _files(encoded: Encoded) -> dict[str, str]:
    """Return a unique file name for each image."""
    files = {name: _file_name(name, encoded.image_format) for name in encoded}
    if len(set(files.values())) < len(files):
        files = {name: f"{k:06d}_{file}" for k, (name, file) in enumerate(files.items())}
    return files


def _write_images(out: Path, encoded: Encoded) -> dict[str, str]:
    """Write images/ below `out`; return name -> path relative to `out`."""
    files = {name: f"images/{file}" for name, file in _files(encoded).items()}
    for name, file in progress(files.items(), "images"):
        write_file(out / file, encoded[name])
    return files


# --- the command ----------------------------------------------------------------------------------


def export_command(arguments: argparse.Namespace) -> int:
    """Write the files and print how to use them."""
    if (arguments.format in ("results", "easi")) is (arguments.predictions is None):
        form = "easi" if arguments.format == "easi" else "results"
        raise InputError(f"--format {form} and --predictions FILE need each other")
    forms = {"bare": "vlmevalkit", "inline": "openai"}
    for option, form in (forms | {"model": "results or easi", "dataset": "results"}).items():
        if getattr(arguments, option) and arguments.format not in form.split(" or "):
            raise InputError(f"--{option} needs --format {form}")
    _from_run(arguments)
    if arguments.format == "release":
        _release(arguments)
        return 0
    split = open_split(arguments.benchmark, arguments.data, arguments.size)
    if arguments.format == "results":
        return _results(arguments, split)
    if arguments.format == "easi":
        from po3d.evaluation.harness.easi import easi_command

        return easi_command(arguments, split)
    setting = PromptSetting(*(getattr(arguments, name) for name in PromptSetting._fields))
    prompter = Prompter(arguments.benchmark, setting, arguments.scenes_file)
    path = export(
        split,
        arguments.benchmark,
        arguments.format,
        arguments.out,
        arguments.image_format,
        arguments.bare,
        arguments.inline,
        twin_record(arguments.benchmark, arguments.data),
        prompter,
    )
    print(f"wrote {len(split.questions)} questions to {path}")
    same = ["--benchmark", arguments.benchmark]
    for option in ("data", "size"):
        if (value := getattr(arguments, option)) is not None:
            same += [f"--{option}", str(value)]
    print(f"to score a model's answers: po3d import RESULTS {shlex.join(same)} --out FILE.jsonl")
    return 0


def _from_run(arguments: argparse.Namespace) -> None:
    """Fill in benchmark, data and size: the options, by default those of the run of
    --predictions."""
    paths = [arguments.predictions] if arguments.predictions else []
    own = data_of(paths, arguments.benchmark, arguments.data, arguments.size)
    about = described_run(paths[0]) if paths else None
    if about and about["benchmark"] != own.benchmark:
        raise InputError(
            f"{paths[0]} is a run of {about['benchmark']}, not of --benchmark {own.benchmark}"
        )
    arguments.benchmark, arguments.data, arguments.size = own.benchmark, own.root, own.size


def _release(arguments: argparse.Namespace) -> None:
    """Write a release with all rotations and flips: its table and images, with mirrored images for
    flip rows."""
    own = BENCHMARKS[arguments.benchmark]
    if own.augmented is None or arguments.data is None:
        raise InputError(
            "--format release needs a benchmark with rotations and flips, and --data "
            "FILE with its raw annotations or table"
        )
    split, out = own.augmented(Path(arguments.data)).first(arguments.size), Path(arguments.out)
    encoded = Encoded(split, images_of(split.questions), arguments.image_format)
    files = _write_images(out, encoded)
    questions = [replace(q, image=files[q.image]) for q in split.questions]
    own.write_release(out, questions)
    flips = sum("-flip" in q.id for q in questions)
    print(f"wrote {len(questions)} rows, {flips} of them flipped, and {len(files)} images to {out}")
    if not flips:
        note = "the table has no flipped rows and is not a raw annotation, so only rotations"
        print(f"note: {note} were made")
    data = f"benchmark={arguments.benchmark} data.root={shlex.quote(str(out))}"
    print(f"evaluate: python evaluate.py {data} ...")


def _results(arguments: argparse.Namespace, split: Any) -> int:
    model, dataset = arguments.model or "po3d", arguments.dataset or f"po3d_{arguments.benchmark}"
    for name in (model, dataset):
        if not re.fullmatch(r"[\w.-]+", name) or name.startswith("."):
            raise InputError(
                f"{name!r} is not valid in a file name; use letters, digits, dots and dashes"
            )
    path = Path(arguments.out) / f"{model}_{dataset}.xlsx"
    entry = read_entry(arguments.predictions, split.questions)
    silent = write_results(path, arguments.benchmark, split.questions, entry.predictions)
    print(f"wrote {len(split.questions)} answers ({silent} empty) to {path}")
    return 0
