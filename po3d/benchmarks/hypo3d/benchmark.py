"""What Hypo3D declares."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from po3d.benchmarks.base import Benchmark, Score, Tables, twin_of
from po3d.benchmarks.hypo3d import plots, tables
from po3d.benchmarks.hypo3d.data import load, write_corrected
from po3d.benchmarks.hypo3d.score import SCORERS, correct, exact_match, score
from po3d.reasoning.questions import Question
from po3d.synthesis.difficulty import RoomDials

NAME = "hypo3d"


def prompt(question: Question) -> list[str | int]:
    """Picture from above, where the front is, the change, the question; a word or a short phrase back."""
    frame, change = question.frame, question.change
    lines = ["The picture shows a room from above."]
    if frame:
        lines.append(f"Turn it in your mind until its sides are where this says: {frame}")
    asked = [f"Change: {change}"] if change else []
    return [
        0,
        "\n".join(lines),
        "\n".join([*asked, f"Question: {question.text}"]),
        "The picture was taken before the change: imagine the room after it. Answer with one word or a short phrase.\n"
        "Answer:",
    ]


def measures(options: Mapping[str, Any]) -> dict[str, Score]:
    """SBERT's cosine beside the score, where benchmark.sbert asks for it."""
    if not options.get("sbert"):
        return {}
    from po3d.benchmarks.hypo3d.sbert import load_encoder, sbert_score  # an optional extra

    return {"sbert": partial(sbert_score, encoder=load_encoder())}


def vouched(question: Question) -> str:
    """Why no program vouches for an answer: question and change need one each."""
    whole = question.program and (question.change_program or not question.change)
    return "" if whole else "no program"


open_fresh, generate = twin_of("po3d.benchmarks.hypo3d.twin", load, NAME, RoomDials, "maps")
_PROTOCOLS = {"official": "exact (EM) and partial match (PM) of the official metric script"}
BENCHMARK = Benchmark(
    NAME, "rooms", tables.UNIT, SCORERS, correct, score, load, open_fresh, generate, prompt, RoomDials,
    tables=Tables(True, tables.titled, tables.report_markdown, lambda report: ""),
    measures=measures,
    vouched=vouched,
    same=exact_match,
    write_corrected=write_corrected,
    # Plain maps, with true tables beside them.
    shown=(("benchmark.table=truth",), ("beside=[outputs/hypo3d-mini-po3d-true-tables]",)),
    figures=plots.figures,
    title="Hypo3D",
    protocols=_PROTOCOLS,
)  # fmt: skip
