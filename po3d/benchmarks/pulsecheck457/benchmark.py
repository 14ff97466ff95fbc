"""The `Benchmark` declaration of PulseCheck457."""

from po3d.benchmarks.base import Benchmark, ReportTables
from po3d.benchmarks.pulsecheck457 import plots, tables
from po3d.benchmarks.pulsecheck457.data import generate, load, open_fresh, write_corrected
from po3d.benchmarks.pulsecheck457.report import FILES, write_tsv
from po3d.benchmarks.pulsecheck457.score import SCORERS, correct, score
from po3d.benchmarks.superclevr.files import street_prompt
from po3d.benchmarks.superclevr.names import written
from po3d.reasoning.questions import Question
from po3d.scene.vocabulary import FACINGS

_FOCUS = {
    "L1-Single": "Find the vehicle that is meant and read off what is asked about it.",
    "L2-Multi-obj": (
        "Compare the vehicles with each other: their types, colors and sizes, and how many there"
        " are."
    ),
    "L3-2D-Spatial": (
        "Left, right, front and behind are meant as the camera sees them; front is nearer to the"
        " camera."
    ),
    "L4-Occlusion": "Mind which vehicle hides a part of which other one from the camera.",
    "L4-3D-Pose": (
        "Mind where the nose of each vehicle points as the camera sees it: left, right, front"
        " (toward the camera) or back (away from it)."
    ),
    "L5-Collision": (
        "Imagine that the vehicle that is named drives straight ahead, or straight back, along its"
        " own heading, and mind what it would run into."
    ),
    "L5-6D-Spatial": (
        "Left, right, front and behind are meant from the perspective of the vehicle that is"
        " referred to: front is ahead of its nose, left is on its own left."
    ),
}


def prompt(question: Question) -> list[str | int]:
    """Return the prompt: instructions for the question's level, image, question, allowed words, and
    a template with two fields.
    """
    facing = f"It faces {', '.join(FACINGS[:-1])} or {FACINGS[-1]}."
    return street_prompt(question, _FOCUS.get(question.category, ""), facing)


_PROTOCOLS = {
    "strict": "an answer is right if it equals the released one, ignoring case (lmms-eval's rule)",
    "vlmevalkit": (
        "an answer is right by VLMEvalKit's rule, which accepts any type of the right"
        " super-category"
    ),
}
BENCHMARK = Benchmark(
    "pulsecheck457", "street", "images", tuple(SCORERS), correct, score, load, open_fresh,
    generate, prompt,
    generated="images",
    tables=ReportTables(False, tables.titled, tables.report_markdown, tables.report_text),
    write_harness_table=write_tsv,
    on_request=True,
    written=written,
    files=FILES,
    write_corrected=write_corrected,
    figures=plots.figures,
    title="PulseCheck457",
    protocols=_PROTOCOLS,
)  # fmt: skip
