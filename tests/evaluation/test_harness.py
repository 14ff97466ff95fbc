"""po3d in lmms-eval, the real package: its own environment, `pip install 'po3d[harness]'`, then
`pytest -m harness`.
"""

import json
import os
import subprocess
import sys

import pytest
from endpoints import Known, of_streets, orbit, room, served, street

from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.cli import main as cli
from po3d.evaluation.harness.export import export
from po3d.reasoning.questions import Prediction, write_predictions

pytest.importorskip(
    "lmms_eval",
    reason="lmms-eval is not here: its environment is its own, pip install 'po3d[harness]'",
)
pytestmark = pytest.mark.harness


def lmms_eval(tasks, names, out, model, **settings):
    """The samples file of each task, from the harness's own command."""
    command = [
        sys.executable,
        "-m",
        "lmms_eval",
        "--model",
        model,
        "--tasks",
        ",".join(f"po3d_{n}" for n in names),
        "--model_args",
        ",".join(f"{k}={v}" for k, v in settings.items()),
        "--include_path",
        str(tasks),
        "--log_samples",
        "--output_path",
        str(out),
        "--batch_size",
        "1",
    ]
    home = {
        "HF_HOME": str(out / "home"),
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "OPENAI_API_KEY": "none",
    }
    done = subprocess.run(
        command, env={**os.environ, **home}, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-4000:]
    result = {}
    for name in names:
        (result[name],) = out.rglob(f"*_samples_po3d_{name}.jsonl")
    (results,) = out.rglob("*_results.json")
    return result, json.loads(results.read_text())["results"], done.stdout + done.stderr


def scores(name, root, samples, out):
    """Our own scores of a samples file, all of whose rows have to be found; and the harness's
    figure.
    """
    command = ["import", str(samples), "--benchmark", name, "--data", str(root), "--out", str(out)]
    assert cli.main(command) == 0
    sidecar = json.loads(out.with_name(out.name + ".import.json").read_text())
    lists = ("missing", "unmatched", "duplicates", "other_gold")
    assert {k: sidecar[k] for k in lists} == {k: [] for k in lists}
    rows = sidecar["scores"][BENCHMARKS[name].scorers[0]]
    return {row["name"]: row["value"] for row in rows}


def releases(root):
    """A small release of each benchmark with a mini split, with pictures of noise."""
    built = {"pulsecheck457": street(root / "pulsecheck457", every=6)}
    return built | {"hypo3d": room(root / "hypo3d"), "scope": orbit(root / "scope")}


def wrong(question):
    options = question.options
    return options[options.index(question.answer) - 1] if options else "paisley"


def test_our_answers_score_in_the_harness_as_they_do_here(tmp_path):
    """A predictions file of three benchmarks as the harness's model `po3d`: the very scores of the
    file.
    """
    roots, answers = releases(tmp_path), []
    for name, root in roots.items():
        split = opened(name, root)
        export(split, name, "lmms-eval", tmp_path / "tasks" / name)
        answers += [
            (
                Prediction(q.id, "ok", q.answer if k % 3 else wrong(q))
                if k % 5
                else Prediction(q.id, "abstained")
            )
            for k, q in enumerate(split.questions)
        ]
    write_predictions(tmp_path / "mine.jsonl", answers)
    result, results, _ = lmms_eval(
        tmp_path / "tasks",
        list(roots),
        tmp_path / "out",
        "po3d",
        predictions=tmp_path / "mine.jsonl",
    )
    by_id = {p.id: p for p in answers}
    for name, root in roots.items():
        module, questions = BENCHMARKS[name], opened(name, root).questions
        scorer = module.scorers[0]
        expected = module.score(questions, [by_id[q.id] for q in questions], scorer)["rows"]
        expected = {row["name"]: row["value"] for row in expected}
        assert scores(name, root, result[name], tmp_path / f"{name}.jsonl") == pytest.approx(
            expected, nan_ok=True
        )
        (figure,) = (v for k, v in results[f"po3d_{name}"].items() if k.startswith("po3d_quick,"))
        assert 30 < figure < 80


def test_the_harness_asks_po3d_serve_through_its_own_openai_model(tmp_path):
    """Its client, its prompts' order of parts, its pictures: the networks that know everything stay
    right.
    """
    root = street(tmp_path / "release", every=6)
    export(opened("pulsecheck457", root), "pulsecheck457", "lmms-eval", tmp_path / "tasks")
    known = Known(root)
    with served(of_streets(known, known)) as server:
        result, results, _ = lmms_eval(
            tmp_path / "tasks", ["pulsecheck457"], tmp_path / "out", "openai",
            base_url=server.base_url, model_version="po3d-pulsecheck457", api_key="none",
        )  # fmt: skip
    assert set(
        scores("pulsecheck457", root, result["pulsecheck457"], tmp_path / "a.jsonl").values()
    ) == {100.0}
    assert results["po3d_pulsecheck457"]["po3d_quick,none"] == 100.0


def test_the_model_alone_looks_at_the_pictures(tmp_path):
    """The shipped networks on pictures of the mini split: what the harness gets is what the
    pipeline says.
    """
    from po3d.systems.build import build_pipeline
    from po3d.systems.pipeline import Context

    root = street(tmp_path / "release", images=1, every=12)
    split = opened("pulsecheck457", root)
    export(split, "pulsecheck457", "lmms-eval", tmp_path / "tasks")
    result, _, _ = lmms_eval(
        tmp_path / "tasks", ["pulsecheck457"], tmp_path / "out", "po3d", mode="argmax"
    )
    with open(result["pulsecheck457"]) as file:
        reply = [json.loads(line)["filtered_resps"] for line in file]
    image = split.image(split.questions[0].image)
    street_pipeline = build_pipeline("street", mode="argmax")
    local = street_pipeline.answer(split.questions, Context(lambda: image, lambda: None, ""))
    assert len(reply) == len(local) > 3
    for response, p in zip(reply, local, strict=True):
        response = response if isinstance(response, str) else response[0]
        answer = (p.answer or "").replace("_", " ")
        expected = f"'Answer': '{answer}'" if p.status == "ok" else "i cannot answer this: "
        assert expected in response.lower().replace("'answer'", "'Answer'")
