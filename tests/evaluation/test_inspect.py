"""The tasks of inspect_ai, run by the real package: `pip install 'po3d[inspect]'`, then `pytest -m
harness`.
"""

import pytest

inspect_ai = pytest.importorskip("inspect_ai", reason="pip install 'po3d[inspect]'")

from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402

from po3d.benchmarks.registry import BENCHMARKS, opened  # noqa: E402
from po3d.evaluation.harness import inspect_tasks  # noqa: E402
from po3d.reasoning.questions import Prediction, pictures  # noqa: E402

pytestmark = pytest.mark.harness


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_logs_figures_are_the_benchmarks_own(name, tmp_path):
    task = getattr(inspect_tasks, {"3dsrbench": "threedsrbench"}.get(name, name))(size=1)
    split = opened(name).first(1)
    questions = [q for q in split.questions if q.answer is not None]
    assert [(s.id, s.target) for s in task.dataset] == [(q.id, q.answer) for q in questions]
    display = [part for part in task.dataset[0].input[0].content if part.type == "image"]
    assert len(display) == len(pictures(questions[0])) > 0
    answers = [q.answer if k % 3 else "No answer" for k, q in enumerate(questions)]
    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in answers]
    outputs = [output.model_copy(update={"usage": usage}) for output in outputs]
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(
        task, model=model, log_dir=str(tmp_path), display="none", max_connections=1
    )
    assert log.status == "success"
    expected = [
        Prediction(q.id, "ok", q.answer) if k % 3 else Prediction(q.id, "abstained")
        for k, q in enumerate(questions)
    ]
    rows = BENCHMARKS[name].score(questions, expected, BENCHMARKS[name].scorers[0])["rows"]
    figures = {row["name"]: pytest.approx(row["value"]) for row in rows if row["value"] is not None}
    assert {key: result.value for key, result in log.results.scores[0].metrics.items()} == figures
    assert {s.scores[log.results.scores[0].scorer].metadata["status"] for s in log.samples} == {
        "ok",
        "abstained",
    }


def test_the_tasks_are_detected_by_name():
    from importlib.metadata import entry_points

    (result,) = [e for e in entry_points(group="inspect_ai") if e.name == "po3d"]
    assert result.value == "po3d.evaluation.harness.inspect_tasks"
