"""po3d export: what a harness reads, done here by the harness's own rules, comes back through po3d
import.
"""

import ast
import base64
import csv
import importlib.util
import itertools
import json
import re
import shlex
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from endpoints import orbit, picture, room, street
from finished_runs import finished
from PIL import Image

from po3d.benchmarks.pulsecheck457 import benchmark
from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.benchmarks.threedsrbench import data as srbench
from po3d.benchmarks.threedsrbench.data import PhotoQuestion
from po3d.cli import main as cli
from po3d.evaluation.harness.export import export, open_split
from po3d.evaluation.harness.harness_files import iterate_rows
from po3d.io.errors import InputError
from po3d.io.images import decode_image
from po3d.reasoning.questions import Prediction, pictures, write_predictions
from po3d.systems.prompts import encode, prompt

csv.field_size_limit(sys.maxsize)


BUILT = {"pulsecheck457": street, "hypo3d": room, "scope": orbit}


@pytest.fixture(params=sorted(BUILT))
def release(request, tmp_path):
    root = tmp_path / "release"
    BUILT[request.param](root)
    return SimpleNamespace(name=request.param, root=root, split=opened(request.param, root))


def answered(questions):
    """Two of three right, and what a model would write for it; letters where there are options."""
    reply, predictions = {}, []
    for k, q in enumerate(questions):
        options = q.options
        answer = (
            q.answer
            if k % 3
            else options[options.index(q.answer) - 1]
            if options
            else "purple rain"
        )
        predictions.append(Prediction(q.id, "ok", answer))
        written = "ABCD"[options.index(answer)] if options and k % 2 else answer
        reply[q.id] = f"The answer is {written}." if k % 5 else written
    return reply, predictions


def written(release, out, form, *options):
    command = ["export", "--benchmark", release.name, "--data", str(release.root), "--format", form]
    assert cli.main([*command, "--out", str(out), *options]) == 0


def imported(release, path, tmp_path, predictions):
    """Imports a harness's file, which has to score as the predictions do."""
    out = tmp_path / "imported.jsonl"
    code = cli.main(
        [
            "import",
            str(path),
            "--benchmark",
            release.name,
            "--data",
            str(release.root),
            "--out",
            str(out),
        ]
    )
    assert code == 0
    sidecar = json.loads(out.with_name(out.name + ".import.json").read_text())
    lists = ("missing", "unmatched", "duplicates", "other_gold")
    assert {name: sidecar[name] for name in lists} == {name: [] for name in lists}
    module = BENCHMARKS[release.name]
    scorer = module.scorers[0]
    expected = module.score(release.split.questions, predictions, scorer)["rows"]
    result = {row["name"]: row["value"] for row in sidecar["scores"][scorer]}
    assert result == pytest.approx({row["name"]: row["value"] for row in expected}, nan_ok=True)
    assert len(set(result.values())) > 1 or 0 < next(iter(result.values())) < 100
    return sidecar


def vlmevalkit_rows(path):
    """A table as the harness reads it: an image cell of at most 64 characters names another row's
    index, one in brackets is a list.
    """
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    by_index = {row["index"]: row["image"] for row in rows}
    assert len(by_index) == len(rows)
    for row in rows:
        assert int(row["index"]) >= 0
        cell = row["image"] if len(row["image"]) > 64 else by_index[row["image"]]
        row["image"] = ast.literal_eval(cell) if cell.startswith("[") else [cell]
        if len(row["image"]) > 1:
            assert len(set(ast.literal_eval(row["image_path"]))) == len(row["image"])
    return rows


def test_a_vlmevalkit_table_has_the_same_pixels_and_scores_the_same(release, tmp_path):
    written(release, tmp_path / "out", "vlmevalkit")
    rows = vlmevalkit_rows(tmp_path / "out" / f"po3d_{release.name}.tsv")
    by_id = {q.id: q for q in release.split.questions}
    assert [row["qid"] for row in rows] == list(by_id)
    for row in rows:
        q = by_id[row["qid"]]
        assert q.text in row["question"]
        for name, cell in zip(pictures(q), row["image"], strict=True):
            pixels = decode_image(base64.b64decode(cell), name)
            assert np.array_equal(pixels, release.split.image(name))
        if options := q.options:
            assert [row[letter] for letter in "ABCD"] == list(options)
            assert row[row["answer"]] == q.answer
    reply, predictions = answered(release.split.questions)
    path = tmp_path / f"model_po3d_{release.name}.tsv"
    columns = [c for c in rows[0] if c != "image"]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(
            file, [*columns, "prediction"], delimiter="\t", extrasaction="ignore"
        )
        writer.writeheader()
        writer.writerows([row | {"prediction": reply[row["qid"]]} for row in rows])
    imported(release, path, tmp_path, predictions)


class _Functions(yaml.SafeLoader):
    """Loads !function module.name from beside the YAML file, as lmms-eval does."""


def _function(loader, node):
    module, name = loader.construct_scalar(node).split(".")
    spec = importlib.util.spec_from_file_location(module, _Functions.folder / f"{module}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return getattr(loaded, name)


_Functions.add_constructor("!function", _function)


def test_an_lmms_eval_task_is_whole_and_its_samples_score_the_same(release, tmp_path):
    out = tmp_path / "a task"
    written(release, out, "lmms-eval")
    _Functions.folder = out
    task = yaml.load((out / f"po3d_{release.name}.yaml").read_text(), _Functions)
    assert task["task"] == f"po3d_{release.name}"
    with open(task["dataset_kwargs"]["data_files"]["test"]) as file:
        docs = [json.loads(line) for line in file]
    reply, predictions = answered(release.split.questions)
    samples = tmp_path / f"20260101_samples_po3d_{release.name}.jsonl"
    results = []
    with open(samples, "w") as file:
        for k, (doc, q) in enumerate(zip(docs, release.split.questions, strict=True)):
            visuals, text = task["doc_to_visual"](doc), task["doc_to_text"](doc)
            (message,) = task["doc_to_messages"](doc)
            display = [np.asarray(p["url"]) for p in message["content"] if p["type"] == "image"]
            for name, one, other in zip(pictures(q), visuals, display, strict=True):
                assert np.array_equal(np.asarray(one), release.split.image(name))
                assert np.array_equal(other, release.split.image(name))
            assert q.text in text
            assert "\n".join(p["text"] for p in message["content"] if p["type"] == "text") == text
            metric = task["process_results"](doc, [reply[q.id]])
            results.append(metric["po3d_quick"])
            record = {
                "doc_id": k,
                "input": text,
                "target": doc[task["doc_to_target"]],
                "filtered_resps": reply[q.id],
            }
            file.write(json.dumps(record | metric) + "\n")
    (metric,) = task["metric_list"]
    assert metric["metric"] == "po3d_quick"
    right = BENCHMARKS[release.name].correct(
        release.split.questions, predictions, BENCHMARKS[release.name].scorers[0]
    )
    if not np.isnan(right).any():
        assert metric["aggregation"](results) == pytest.approx(100 * np.mean(right))
    sidecar = imported(release, samples, tmp_path, predictions)
    assert sidecar["harness"]["column"] == "score"


def test_our_answers_as_a_vlmevalkit_file_score_the_same(release, tmp_path):
    """Its rows are the table's, and so is the index; letters where there are options, silence where
    there is none.
    """
    questions = release.split.questions
    _, predictions = answered(questions)
    predictions = [p if k % 4 else Prediction(p.id, "abstained") for k, p in enumerate(predictions)]
    write_predictions(tmp_path / "mine.jsonl", predictions)
    written(
        release,
        tmp_path,
        "results",
        "--predictions",
        str(tmp_path / "mine.jsonl"),
        "--model",
        "po3d-1.0",
    )
    path = tmp_path / f"po3d-1.0_po3d_{release.name}.xlsx"
    written(release, tmp_path / "out", "vlmevalkit")
    table = vlmevalkit_rows(tmp_path / "out" / f"po3d_{release.name}.tsv")
    rows = [row.cells for row in list(iterate_rows(path))]
    assert [str(row["index"]) for row in rows] == [row["index"] for row in table]
    assert [row["answer"] for row in rows] == [row["answer"] for row in table]
    for row, q, p in zip(rows, questions, predictions, strict=True):
        reply = row["prediction"] or ""
        if p.status != "ok":
            assert reply == ""
        elif options := q.options:
            assert reply == "ABCD"[options.index(p.answer)]
        elif release.name == "pulsecheck457":  # as VLMEvalKit's Spatial457 class takes it out
            (result,) = re.findall(r"Answer': '(.*?)'", reply)
            assert result.lower() == p.answer.replace("_", " ")
        else:
            assert reply.lower() == p.answer.lower()
    imported(release, path, tmp_path, predictions)


def test_a_runs_answers_are_exported_on_its_own_questions(tmp_path, capsys):
    finished(tmp_path / "run", "scope", 1)
    out = ["--format", "results", "--predictions", str(tmp_path / "run"), "--out", str(tmp_path)]
    assert cli.main(["export", *out, "--size", "1"]) == 0
    assert "(0 empty)" in capsys.readouterr().out
    assert (tmp_path / "po3d_po3d_scope.xlsx").is_file()
    assert cli.main(["export", *out, "--benchmark", "hypo3d"]) == 2
    assert "is a run of scope, not of --benchmark hypo3d" in capsys.readouterr().err


@pytest.mark.parametrize("inline", [False, True])
def test_openai_messages_show_the_same_pixels_and_score_the_same(release, tmp_path, inline):
    out = tmp_path / "out"
    written(release, out, "openai", *(["--inline"] if inline else []))
    with open(out / "messages.jsonl") as file:
        rows = [json.loads(line) for line in file]
    reply, predictions = answered(release.split.questions)
    for row, q in zip(rows, release.split.questions, strict=True):
        (message,) = row["messages"]
        urls = [p["image_url"]["url"] for p in message["content"] if p["type"] == "image_url"]
        for name, url in zip(pictures(q), urls, strict=True):
            data = base64.b64decode(url.split("base64,")[1]) if inline else (out / url).read_bytes()
            assert np.array_equal(decode_image(data, name), release.split.image(name))
    assert (out / "images").exists() is not inline
    path = tmp_path / "model.jsonl"
    path.write_text(
        "".join(json.dumps({"id": row["id"], "response": reply[row["id"]]}) + "\n" for row in rows)
    )
    imported(release, path, tmp_path, predictions)


def test_a_bare_street_table_is_read_back_as_a_split(tmp_path):
    street(tmp_path / "release")
    split = opened("pulsecheck457", tmp_path / "release")
    path = export(split, "pulsecheck457", "vlmevalkit", tmp_path / "out", bare=True)
    again = opened("pulsecheck457", path)
    assert [(q.id, q.text, q.answer) for q in again.questions] == [
        (q.id, q.text, q.answer) for q in split.questions
    ]
    assert np.array_equal(
        again.image(again.questions[0].image), split.image(split.questions[0].image)
    )


def test_3dsrbench_rows_keep_their_qids_and_letters(tmp_path):
    names = ["train2017/000000000001.jpg", "train2017/000000000001.jpg#flip"]
    questions = [
        PhotoQuestion(
            qid,
            name,
            "Which side of the bus is facing the camera?",
            "6d",
            "orientation_viewpoint",
            "left",
            "",
            ("front", "left", "back", "right"),
            letter="B",
            index=str(k),
        )
        for k, (qid, name) in enumerate(zip(["AAAAAAAA", "AAAAAAAA-flip"], names))
    ]
    split = srbench.ThreeDSRBenchSplit(
        "made",
        tuple(questions),
        tmp_path,
        {n: encode(np.asarray(picture(k))) for k, n in enumerate(names)},
    )
    rows = vlmevalkit_rows(export(split, "3dsrbench", "vlmevalkit", tmp_path / "v"))
    assert [(row["qid"], row["answer"], row["B"]) for row in rows] == [
        (q.id, "B", "left") for q in questions
    ]
    export(split, "3dsrbench", "lmms-eval", tmp_path / "l")
    docs = [json.loads(line) for line in (tmp_path / "l" / "data.jsonl").read_text().splitlines()]
    assert len({doc["images"][0] for doc in docs}) == 2
    assert [doc["letter"] for doc in docs] == ["B", "B"]
    for doc, name in zip(docs, names):
        assert np.array_equal(
            np.asarray(Image.open(tmp_path / "l" / doc["images"][0])), split.image(name)
        )


def test_prompts_never_depend_on_the_answer(release):
    for q in release.split.questions:
        other = replace(q, answer="something else", program="")
        assert prompt(release.name, q) == prompt(release.name, other)
        numbers = [part for part in prompt(release.name, q).parts if isinstance(part, int)]
        assert numbers == list(range(len(pictures(q))))


def test_a_twin_without_pictures_is_rendered(tmp_path, monkeypatch):
    root = tmp_path / "twin"
    root.mkdir()
    (root / "twin.json").write_text(
        json.dumps({"format": "a twin", "size": 7, "seed": 3, "look": "studio", "images": False})
    )
    query = []

    def open_fresh(*arguments):
        query.append(arguments)
        return opened("pulsecheck457")

    monkeypatch.setattr(benchmark, "BENCHMARK", replace(benchmark.BENCHMARK, open_fresh=open_fresh))
    assert len(open_split("pulsecheck457", root, 2).images) == 2
    assert query == [(root, 7, 3, "studio", 1)]


def test_wrong_options_are_one_line(tmp_path, capsys):
    command = [
        "export",
        "--benchmark",
        "pulsecheck457",
        "--size",
        "1",
        "--out",
        str(tmp_path / "out"),
    ]
    for options, reply in (
        (["--format", "openai", "--bare"], "--bare needs"),
        (["--format", "pickle"], "invalid choice"),
        (["--format", "openai", "--model", "mine"], "--model needs --format results"),
        (["--format", "results"], "--format results and --predictions FILE need each other"),
        (
            ["--format", "openai", "--predictions", "x"],
            "--format results and --predictions FILE need each other",
        ),
        (
            ["--format", "results", "--predictions", "x", "--model", "../x"],
            "'../x' is not valid in a file name",
        ),
        (["--format", "openai", "--size", "0"], "size 0 should be at least 1"),
        (["--format", "openai", "--data", str(tmp_path / "nowhere")], "no PulseCheck457 data in"),
    ):
        assert cli.main([*command, *options]) == 2
        error = capsys.readouterr().err
        assert reply in error
        assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="no prompt for 'other'"):
        prompt("other", opened("pulsecheck457").questions[0])


def test_a_data_set_has_each_item_with_its_pictures_and_says_what_it_is(release, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    written(release, tmp_path / "set", "datasets")
    table = parquet.read_table(tmp_path / "set" / "data" / "test-00000-of-00001.parquet")
    rows = {row["id"]: row for row in table.to_pylist()}
    query = [q for q in release.split.questions if q.answer is not None]
    assert sorted(rows) == sorted(q.id for q in query)
    for q in query:
        row = rows[q.id]
        assert row["question"] == q.text
        assert row["prompt"] == prompt(release.name, q).text
        assert row["options"] == list(q.options)
        assert not q.options or row["options"]["ABCD".index(row["letter"])] == q.answer
        for name, stored in zip(pictures(q), row["images"], strict=True):
            np.testing.assert_array_equal(
                decode_image(stored["bytes"], name, 10**7), release.split.image(name)
            )
    images = [row["image"] for row in table.to_pylist()]
    assert (
        sum(a != b for a, b in itertools.pairwise(images)) == len(set(images)) - 1
    )  # each stands together
    head = yaml.safe_load((tmp_path / "set" / "README.md").read_text().split("---\n")[1])
    ours = (release.root / "twin.json").is_file()
    assert head["license"] == (
        "apache-2.0" if ours else "other"
    )  # a release is not ours to license
    assert (
        list(json.loads(table.schema.metadata[b"huggingface"])["info"]["features"])
        == table.column_names
    )


def test_datasets_loads_a_data_set_offline(release, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    export(release.split, release.name, "datasets", tmp_path / "set", twin={"seed": 7})
    rows = datasets.load_dataset(
        str(tmp_path / "set"), split="test", cache_dir=str(tmp_path / "cache")
    )
    q = next(q for q in release.split.questions if q.id == rows[0]["id"])
    np.testing.assert_array_equal(
        np.asarray(rows[0]["images"][0]), release.split.image(pictures(q)[0])
    )
    card = (tmp_path / "set" / "README.md").read_text()
    assert "license: apache-2.0" in card
    assert '{"seed": 7}' in card


def test_the_command_that_an_export_prints_scores_its_questions(release, tmp_path, capsys):
    size = str(max(1, len(release.split.images) // 2))
    written(release, tmp_path / "out", "openai", "--size", size)
    hint = capsys.readouterr().out.split("po3d import ")[1].split("\n")[0]
    assert f"--size {size}" in hint
    with open(tmp_path / "out" / "messages.jsonl") as file:
        rows = [json.loads(line) for line in file]
    answers = tmp_path / "model.jsonl"
    answers.write_text(
        "".join(json.dumps({"id": r["id"], "response": r["answer"]}) + "\n" for r in rows)
    )
    out = tmp_path / "imported.jsonl"
    command = shlex.split(hint.replace("RESULTS", str(answers)).replace("FILE.jsonl", str(out)))
    assert cli.main(["import", *command]) == 0
    sidecar = json.loads(out.with_name(out.name + ".import.json").read_text())
    assert sidecar["missing"] == []
    assert sum(sidecar["matched_by"].values()) == len(rows)
