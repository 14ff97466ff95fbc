"""The same model responses scored by po3d and by other projects' own code, for the table "Verified
against" of docs/lmm.md.

    python -m tools.verify_scorers                          what is installed
    python -m tools.verify_scorers --vlmevalkit PYTHON      also VLMEvalKit

Responses are made for the shipped splits from a seed: right, wrong, or none, written as the prompt
asks ("plain") or in the styles of chatty models ("chatty"). lmms-eval's functions are loaded from
the installed package; run this in the environment of the extra "harness". PYTHON is the interpreter
of an environment with VLMEvalKit (`pip install ms-vlmeval`), whose evaluators run there
(tools/vlmevalkit_scores.py). Exit code 1 if a figure on plain responses differs by more than 0.05
points.
"""

import argparse
import csv
import importlib.metadata
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from po3d.benchmarks.choices import by_letter
from po3d.benchmarks.hypo3d.score import exact_match, partial_match
from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.io.cli_errors import guarded
from po3d.io.config import ROOT
from po3d.io.errors import InputError
from po3d.io.files import read_json, read_jsonl
from po3d.io.seeding import rng
from po3d.io.text_tables import Table, markdown
from po3d.reasoning.questions import Question
from po3d.systems.answers import predicted

RIGHT, WRONG = 0.6, 0.9  # shares: right below the first, wrong below the second, else no answer
CHATTY = (
    "The answer is ({}).",
    "**{}**",
    "Let me look. The object is close.\n\nAnswer: {}",
    "<think>Maybe.</think>{}",
    "{}.",
    "The correct option is {}.",
    "\\boxed{{{}}}",
    "I would say {}, as the rest does not fit.",
)
LEVELS = {  # category -> VLMEvalKit's name
    "L1-Single": "L1_single",
    "L2-Multi-obj": "L2_objects",
    "L3-2D-Spatial": "L3_2d_spatial",
    "L4-Occlusion": "L4_occ",
    "L4-3D-Pose": "L4_pose",
    "L5-6D-Spatial": "L5_6d_spatial",
    "L5-Collision": "L5_collision",
}
TOLERANCE = 0.05  # percentage points
NO_ANSWER = "I cannot tell."


def answers_of(questions: Sequence[Question]) -> list[str | None]:
    """Return an answer for each question, in words: the gold one, another one, or None."""
    pools: dict[str, list[str]] = {}
    for q in questions:
        pools.setdefault(q.category, []).append(str(q.answer))
    result: list[str | None] = []
    for q in questions:
        draw = rng(37, f"verify/{q.id}")
        share = draw.random()
        others = [a for a in q.options or pools[q.category] if a != q.answer]
        other = others[int(draw.integers(len(others)))] if others else None
        if share < RIGHT:
            result.append(str(q.answer))
        else:
            result.append(other if share < WRONG else None)
    return result


def letter(question: Question, answer: str) -> str:
    """Return the letter of an option."""
    return next(one for one, text in by_letter(question).items() if text == answer)


def styled(text: str | None, question: Question, chatty: bool, plain: str) -> str:
    """Return a response that gives an answer; `plain` is the form that the prompt asks for."""
    if text is None:
        return NO_ANSWER
    style = CHATTY[int(rng(38, question.id).integers(len(CHATTY)))] if chatty else plain
    return style.format(text)


def module(path: Path) -> ModuleType:
    """Load a Python file as a module of its own."""
    spec = importlib.util.spec_from_file_location(path.parent.name.replace("3d", "d"), path)
    assert spec is not None
    assert spec.loader is not None
    result = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(result)
    return result


def lmms_eval(task: str) -> ModuleType | None:
    """Return the utils.py of a task of the installed lmms-eval; None without the package."""
    spec = importlib.util.find_spec("lmms_eval")
    if spec is None or not spec.submodule_search_locations:
        return None
    return module(Path(spec.submodule_search_locations[0]) / "tasks" / task / "utils.py")


Row = tuple[str, str, str, int, float, float, int]


PROTOCOLS = {  # scorer -> VLMEvalKit's name
    "vanilla": "vanilla",
    "flip": "flip_eval",
    "circular": "circ_eval",
    "flip_circular": "flip_circ_eval",
}


def vlmevalkit(python: Path, name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the result of VLMEvalKit's evaluator `name` on question rows with `prediction`."""
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / f"{name}.tsv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t")
            writer.writeheader()
            writer.writerows(rows)
        script = Path(__file__).with_name("vlmevalkit_scores.py")
        result = subprocess.run([python, script, work], capture_output=True, text=True, cwd=work)
        if result.returncode:
            raise InputError(f"{python} {script.name}: {result.stderr.strip()[-300:]}")
        return dict(read_json(path.with_suffix(".json"), "scores of VLMEvalKit"))


def threedsrbench(chatty: bool, kit: Path | None) -> list[Row]:
    """Compare the four protocols of 3DSRBench with lmms-eval's and VLMEvalKit's."""
    theirs = lmms_eval("3dsrbench")
    questions = opened("3dsrbench").questions
    own = BENCHMARKS["3dsrbench"]
    predictions, results, table = [], [], []
    for q, answer in zip(questions, answers_of(questions), strict=True):
        response = styled(None if answer is None else letter(q, answer), q, chatty, "{}")
        predictions.append(predicted(q, response))
        doc = {"index": q.id, "qid": q.id, "answer": q.letter, "category": q.category}
        if theirs is not None:
            results.append(theirs.process_results(doc, [response])["vanilla_accuracy"])
        options = dict.fromkeys("ABCD", "") | by_letter(q)
        table.append(
            {**doc, "index": len(table), "question": q.text, **options, "prediction": response}
        )
    hits = own.correct(questions, predictions, "vanilla")
    rows: list[Row] = []

    def compared(version: str, figures: Mapping[str, float], right: Sequence[float]) -> None:
        differ = sum(bool(hit) != bool(one) for hit, one in zip(hits, right, strict=True))
        for scorer, upstream in figures.items():
            ours = own.score(questions, predictions, scorer)["rows"][0]
            rows.append((version, "3DSRBench", scorer, ours["n"], ours["value"], upstream, differ))

    if theirs is not None:
        version = f"lmms-eval {importlib.metadata.version('lmms_eval')}"
        aggregates = {
            name: 100 * getattr(theirs, f"aggregate_{name}_accuracy")(results) for name in PROTOCOLS
        }
        compared(version, aggregates, [one["score"] for one in results])
    if kit is not None:
        result = vlmevalkit(kit, "3DSRBench", table)
        figures = {scorer: result["figures"][name] for scorer, name in PROTOCOLS.items()}
        right = [result["hits"][str(k)] for k in range(len(table))]
        compared(f"VLMEvalKit ({result['version']})", figures, right)
    return rows


def spatial457(chatty: bool, kit: Path | None) -> list[Row]:
    """Compare PulseCheck457's two scorers with lmms-eval's and VLMEvalKit's, over all questions."""
    questions, own = opened("pulsecheck457").questions, BENCHMARKS["pulsecheck457"]
    plain = "{{'Reasoning': 'seen', 'Answer': '{}'}}"
    responses = []
    for q, answer in zip(questions, answers_of(questions), strict=True):
        text = None if answer is None else own.written(answer)
        responses.append(styled(text, q, chatty, plain))
    predictions = [predicted(q, response) for q, response in zip(questions, responses, strict=True)]
    rows: list[Row] = []

    def compared(version: str, scorer: str, theirs: Sequence[bool]) -> None:
        ours = own.correct(questions, predictions, scorer)
        differ = sum(bool(a) != b for a, b in zip(ours, theirs, strict=True))
        n = len(questions)
        figures = 100 * sum(ours) / n, 100 * sum(theirs) / n
        rows.append((version, "PulseCheck457 (Spatial457)", scorer, n, *figures, differ))

    if (theirs := lmms_eval("spatial457")) is not None:

        def lmms(q: Question, response: str) -> bool:
            doc: dict[str, Any] = {
                "answer": own.written(q.answer),
                "category": q.category,
                "question_index": 0,
            }
            return theirs.spatial457_process_results(doc, [response])["spatial457_accuracy"][
                "is_correct"
            ]

        judged = [lmms(q, response) for q, response in zip(questions, responses, strict=True)]
        compared(f"lmms-eval {importlib.metadata.version('lmms_eval')}", "strict", judged)
    if kit is not None:
        table = [
            {
                "index": k,
                "question": q.text,
                "answer": own.written(q.answer),
                "category": LEVELS[q.category],
                "prediction": response,
            }
            for k, (q, response) in enumerate(zip(questions, responses, strict=True))
        ]
        result = vlmevalkit(kit, "Spatial457", table)
        right = [result["hits"][str(k)] for k in range(len(table))]
        compared(f"VLMEvalKit ({result['version']})", "vlmevalkit", right)
    return rows


def hypo3d() -> list[Row]:
    """Compare EM and PM with the recorded output of the paper's metric_compute.py."""
    records = list(read_jsonl(ROOT / "tests" / "golden" / "hypo3d_metric.jsonl", "golden file"))
    rows: list[Row] = []
    for name, ours in (("em", exact_match), ("pm", partial_match)):
        values = [float(ours(r["pred"], r["ref"])) for r in records]
        theirs = [float(r[name]) for r in records]
        differ = sum(abs(a - b) > 1e-6 for a, b in zip(values, theirs, strict=True))
        n = len(records)
        figures = 100 * sum(values) / n, 100 * sum(theirs) / n
        rows.append(("metric_compute.py, recorded", "Hypo3D", name.upper(), n, *figures, differ))
    return rows


def main(arguments: Sequence[str]) -> int:
    """Print the table; return 1 if a figure on plain responses differs."""
    parser = argparse.ArgumentParser("verify_scorers", description=__doc__.split("\n\n")[0])
    parser.add_argument("--vlmevalkit", type=Path, metavar="PYTHON")
    options = parser.parse_args(arguments)
    rows, failed = [], False
    for chatty in (False, True):
        measured = [
            *threedsrbench(chatty, options.vlmevalkit),
            *spatial457(chatty, options.vlmevalkit),
            *([] if chatty else hypo3d()),
        ]
        for version, benchmark, scorer, n, ours, theirs, differ in measured:
            failed |= not chatty and abs(ours - theirs) > TOLERANCE
            kind = "chatty" if chatty else "plain"
            rows.append(
                [version, benchmark, scorer, kind, n, f"{ours:.2f}", f"{theirs:.2f}", differ]
            )
    header = (
        "rules of",
        "benchmark",
        "scorer",
        "responses",
        "n",
        "ours",
        "theirs",
        "rows that differ",
    )
    print(markdown(Table(header, rows)))
    return int(failed)


if __name__ == "__main__":
    code = 0

    def command() -> None:
        global code
        code = main(sys.argv[1:])

    sys.exit(guarded(command) or code)
