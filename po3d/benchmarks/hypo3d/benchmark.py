"""The `Benchmark` declaration of Hypo3D."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from po3d.benchmarks.base import Benchmark, Picture, ReportTables, Score, twin_of
from po3d.benchmarks.hypo3d import plots, tables
from po3d.benchmarks.hypo3d.data import load, write_corrected
from po3d.benchmarks.hypo3d.inputs import CAMERA_VIEW, LABELS
from po3d.benchmarks.hypo3d.score import SCORERS, correct, exact_match, score
from po3d.reasoning.questions import Question
from po3d.synthesis.difficulty import ROOM

NAME = "hypo3d"


INPUT_NOTES = {
    "picture": "The picture shows a room from above.",
    "labelled": "The picture shows a room from above, with the name of each thing written on it.",
    "captions": "These sentences describe the things in a room:",
    "none": "The question is about a room that you are not shown.",
}


def prompt(
    question: Question,
    show: str = "picture",
    frame: str = "anchors",
    change: str = "with",
    captions: Sequence[str] = (),
) -> list[str | int]:
    """Return the prompt: the room in one of the paper's input forms, its front, the change and the
    question; the answer is a short phrase."""
    lines = [INPUT_NOTES[show], *captions]
    if frame == "anchors" and question.frame:
        lines.append(f"Turn it in your mind until its sides are where this says: {question.frame}")
    parts: list[str | int] = []
    if show in ("picture", "labelled"):
        parts.append(0 if show == "picture" else Picture(question.image + LABELS))
    parts.append("\n".join(lines))
    if frame == "camera":
        parts.append(Picture(question.image + CAMERA_VIEW))
        parts.append(
            "This view was taken from the middle of the room. What it shows is the room's front"
            " side."
        )
    stated = change == "with" and bool(question.change)
    change_part = [f"Change: {question.change}"] if stated else []
    parts.append("\n".join([*change_part, f"Question: {question.text}"]))
    before = "All of this is from before the change: imagine the room after it. " if stated else ""
    parts.append(f"{before}Answer with one word or a short phrase.\nAnswer:")
    return parts


def measures(options: Mapping[str, Any]) -> dict[str, Score]:
    """Return the additional measures: the SBERT cosine if benchmark.sbert is set."""
    if not options.get("sbert"):
        return {}
    from po3d.benchmarks.hypo3d.sbert import load_encoder, sbert_score  # an optional extra

    return {"sbert": partial(sbert_score, encoder=load_encoder())}


def vouched(question: Question) -> str:
    """Return why no program verifies the released answer ("" if one does); both question and change
    need a program."""
    whole = question.program and (question.change_program or not question.change)
    return "" if whole else "no program"


open_fresh, generate = twin_of("po3d.benchmarks.hypo3d.twin", load, NAME, ROOM, "maps")
_PROTOCOLS = {
    "official": (
        "exact match (EM) and partial match (PM) by the rules of the paper's metric_compute.py"
    )
}
BENCHMARK = Benchmark(
    NAME, "rooms", tables.UNIT, SCORERS, correct, score, load, open_fresh, generate, prompt,
    ROOM,
    tables=ReportTables(True, tables.titled, tables.report_markdown, lambda report: ""),
    prompt_settings={
        "show": tuple(INPUT_NOTES),
        "frame": ("anchors", "none", "camera"),
        "change": ("with", "without"),
    },
    measures=measures,
    vouched=vouched,
    same=exact_match,
    write_corrected=write_corrected,
    # Plain maps, compared with ground-truth scenes.
    default_runs=(
        ("benchmark.scenes=ground_truth",),
        ("compare_to=[outputs/hypo3d-mini-po3d-true-tables]",),
    ),
    figures=plots.figures,
    title="Hypo3D",
    scorer_names={"official": "paper's script"},
    protocols=_PROTOCOLS,
)  # fmt: skip
