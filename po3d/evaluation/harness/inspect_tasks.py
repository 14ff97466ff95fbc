"""The benchmarks as inspect_ai tasks, with items identical to those that po3d answers.

  inspect eval po3d/pulsecheck457 --model openai/gpt-4o -T data=RELEASE -T size=50
  inspect eval po3d/scope --model openai-api/po3d/po3d-pulsecheck457        beside `po3d serve`

Prompts come from `po3d.systems.prompts`, answers are extracted by `po3d.systems.answers`, and the
log's metrics are those of the benchmark's own scorer over all samples (percent). The log viewer
shows images, responses and extracted answers. Needs `pip install inspect_ai`, in a separate
environment or beside po3d.
"""

from collections.abc import Callable, Sequence

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, generate

from po3d.benchmarks.registry import benchmark_of
from po3d.evaluation.compare import with_answers
from po3d.evaluation.harness.export import LONGEST, Encoded, open_split
from po3d.reasoning.questions import Prediction, Question, by_id, pictures
from po3d.systems.answers import predicted
from po3d.systems.prompts import data_uri, prompt


def items(benchmark: str, data: str | None = None, size: int | None = None) -> Task:
    """Return a task of the questions on the first `size` images of the release or twin at `data`,
    or of the shipped split."""
    split = open_split(benchmark, data, size)
    questions = with_answers(split.questions)
    names: list[str] = []
    for q in questions:
        names += pictures(q)
    encoded, samples = Encoded(split, names, "png"), []
    urls = {name: data_uri(file, "png") for name, file in encoded.items()}
    for q in questions:
        samples.append(_sample(benchmark, q, [urls[name] for name in pictures(q)]))
    return Task(
        dataset=MemoryDataset(samples, name=f"po3d_{benchmark}"),
        solver=generate(max_tokens=LONGEST, temperature=0.0),
        scorer=answers(benchmark, questions),
    )


def _sample(benchmark: str, question: Question, urls: Sequence[str]) -> Sample:
    content: list[ContentImage | ContentText] = []
    for part in prompt(benchmark, question).parts:
        image = isinstance(part, int)
        content.append(ContentImage(image=urls[part]) if image else ContentText(text=part))
    about = {"category": question.category, "image": question.image}
    message = ChatMessageUser(content=content)
    return Sample(input=[message], target=question.answer, id=question.id, metadata=about)


def answers(benchmark: str, questions: Sequence[Question]) -> Scorer:
    """Return a scorer that extracts the answer of each response, with metrics computed by the
    benchmark over all responses."""
    benchmark_spec, known = benchmark_of(benchmark), by_id(questions)

    @metric(name="figures")
    def figures() -> Metric:
        def computed(scores: list[SampleScore]) -> dict[str, float]:
            result = {s.sample_id: s.score for s in scores}
            subset = []
            for q in questions:
                if q.id in result:
                    subset.append(q)
            predictions = []
            for q in subset:
                one = result[q.id]
                predictions.append(Prediction(q.id, one.metadata["status"], one.answer or None))
            rows = benchmark_spec.score(subset, predictions, benchmark_spec.scorers[0])["rows"]
            result = {}
            for row in rows:
                if row["value"] is not None:
                    result[row["name"]] = row["value"]
            return result

        return computed

    @scorer(metrics=[figures()], name=benchmark_spec.scorers[0])
    def of_responses() -> Scorer:
        async def score_response(state: TaskState, target: Target) -> Score:
            question = known[str(state.sample_id)]
            prediction = predicted(question, state.output.completion)
            (right,) = benchmark_spec.correct([question], [prediction], benchmark_spec.scorers[0])
            # NaN: the row is only scored as part of a group
            value = 0.0 if right != right else float(right)
            about = {"explanation": prediction.reason, "metadata": {"status": prediction.status}}
            return Score(value=value, answer=prediction.answer or "", **about)

        return score_response

    return of_responses()


def _task(benchmark: str) -> Callable[..., Task]:
    def build_task(data: str | None = None, size: int | None = None) -> Task:
        return items(benchmark, data, size)

    return task(name=benchmark)(build_task)


pulsecheck457, hypo3d, threedsrbench, scope, superclevr = map(
    _task, ("pulsecheck457", "hypo3d", "3dsrbench", "scope", "superclevr")
)
