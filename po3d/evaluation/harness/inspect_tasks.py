"""The benchmarks as tasks of inspect_ai: any model that it runs gets the very items that po3d answers.

    inspect eval po3d/pulsecheck457 --model openai/gpt-4o -T data=RELEASE -T size=50
    inspect eval po3d/scope --model openai-api/po3d/po3d-pulsecheck457        beside `po3d serve`

Prompts are `po3d.systems.prompts`', answers are taken from responses by `po3d.systems.answers`, and the columns of the log are
figures of the benchmark's own scorer over all samples (percent). The log viewer shows pictures, responses and what was read in them.
Needs `pip install inspect_ai`, in an environment of its own or beside po3d.
"""

from collections.abc import Callable, Sequence

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, generate

from po3d.benchmarks.registry import benchmark_of
from po3d.evaluation.harness.export import LONGEST, Encoded, open_split
from po3d.reasoning.questions import Prediction, Question, pictures
from po3d.systems.answers import predicted
from po3d.systems.prompts import data_uri, prompt


def items(benchmark: str, data: str | None = None, size: int | None = None) -> Task:
    """A task of the questions on the first `size` images of the release or twin at `data`, or of the shipped split."""
    split = open_split(benchmark, data, size)
    questions = [q for q in split.questions if q.answer is not None]
    encoded = Encoded(split, [name for q in questions for name in pictures(q)], "png")
    urls = {name: data_uri(file, "png") for name, file in encoded.items()}
    samples = [_sample(benchmark, q, [urls[name] for name in pictures(q)]) for q in questions]
    return Task(
        dataset=MemoryDataset(samples, name=f"po3d_{benchmark}"),
        solver=generate(max_tokens=LONGEST, temperature=0.0),
        scorer=answers(benchmark, questions),
    )


def _sample(benchmark: str, question: Question, urls: Sequence[str]) -> Sample:
    content = [
        ContentImage(image=urls[part]) if isinstance(part, int) else ContentText(text=part)
        for part in prompt(benchmark, question).parts
    ]
    about = {"category": question.category, "image": question.image}
    message = ChatMessageUser(content=content)
    return Sample(input=[message], target=question.answer, id=question.id, metadata=about)


def answers(benchmark: str, questions: Sequence[Question]) -> Scorer:
    """Reads each response, and scores all of them as the benchmark does."""
    own, by_id = benchmark_of(benchmark), {q.id: q for q in questions}

    @metric(name="figures")
    def figures() -> Metric:
        def computed(scores: list[SampleScore]) -> dict[str, float]:
            given = {s.sample_id: s.score for s in scores}
            asked = [q for q in questions if q.id in given]
            found = [
                Prediction(q.id, given[q.id].metadata["status"], given[q.id].answer or None) for q in asked
            ]
            rows = own.score(asked, found, own.scorers[0])["rows"]
            return {row["name"]: row["value"] for row in rows if row["value"] is not None}

        return computed

    @scorer(metrics=[figures()], name=own.scorers[0])
    def of_responses() -> Scorer:
        async def one(state: TaskState, target: Target) -> Score:
            question = by_id[str(state.sample_id)]
            found = predicted(question, state.output.completion)
            (right,) = own.correct([question], [found], own.scorers[0])
            # a row that counts with others alone is no figure by itself
            value = 0.0 if right != right else float(right)
            about = {"explanation": found.reason, "metadata": {"status": found.status}}
            return Score(value=value, answer=found.answer or "", **about)

        return one

    return of_responses()


def _task(benchmark: str) -> Callable[..., Task]:
    def made(data: str | None = None, size: int | None = None) -> Task:
        return items(benchmark, data, size)

    return task(name=benchmark)(made)


pulsecheck457, hypo3d, threedsrbench, scope, superclevr = map(
    _task, ("pulsecheck457", "hypo3d", "3dsrbench", "scope", "superclevr")
)
