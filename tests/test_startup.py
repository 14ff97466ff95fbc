"""What is imported when: a command's help must come at once, so what takes long to import must not
be imported for it.
"""

import subprocess
import sys

import pytest

from po3d.benchmarks.registry import BENCHMARKS
from po3d.cli.main import COMMANDS, SCRIPTS
from po3d.io.paths import ROOT, benchmarks

SLOW = {  # seconds each, or brings what takes seconds
    "torch",
    "torchvision",
    "timm",
    "pytorch_lightning",
    "transformers",
    "safetensors",
    "scipy",
    "pandas",
    "matplotlib",
    "shapely",
    "wandb",
    "trimesh",
    "moderngl",
    "openpyxl",
    "pyarrow",
    "pydantic",
    "tqdm",
    "PIL",
    "inflect",
    "typeguard",
}
CONFIGS = {"hydra", "omegaconf", "antlr4", "yaml"}
IMPORTED = """
import contextlib, io, sys
try:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(sys.argv[1])
except SystemExit as ended:
    assert not ended.code, ended.code
assert "--help" not in sys.argv[1] or "po3d" in printed.getvalue()
print(*sys.modules)
"""


def imported(code: str) -> set[str]:
    """The modules that are there when a fresh Python has run `code`."""
    command = [sys.executable, "-c", IMPORTED, code]
    outcome = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert outcome.returncode == 0, outcome.stderr[-2000:]
    return set(outcome.stdout.split())


def helped(*command: str) -> set[str]:
    return imported(f"from po3d.__main__ import main; sys.exit(main({[*command, '--help']!r}))")


def test_the_package_alone_is_python_alone():
    assert {name for name in imported("import po3d") if name.startswith(("po3d", "numpy"))} == {
        "po3d",
        "po3d.io",
        "po3d.io.deprecated_names",
    }


def test_the_help_of_po3d_imports_no_command():
    ours = {name for name in helped() if name.startswith("po3d.")}
    assert ours == {
        "po3d.__main__",
        "po3d.cli",
        "po3d.cli.main",
        "po3d.io",
        "po3d.io.errors",
        "po3d.io.cli_errors",
        "po3d.io.deprecated_names",
    }


@pytest.mark.parametrize("command", [*COMMANDS, *SCRIPTS])
def test_help_imports_nothing_slow(command):
    slow = (
        SLOW - {"PIL"} if command == "ask" else SLOW if command in COMMANDS else SLOW - {"pydantic"}
    )
    assert helped(command) & (slow | (CONFIGS if command in COMMANDS else set())) == set()


@pytest.mark.parametrize(
    "name", ["compare", "run_report", "audit", "calibration", "harness.export", "harness.imports"]
)
def test_what_runs_no_network_imports_none(name):
    """Each with all that the benchmarks declare."""
    benchmarks = "from po3d.benchmarks.registry import BENCHMARKS; list(BENCHMARKS.values())"
    networks = {"torch", "torchvision", "timm", "transformers", "safetensors", "pytorch_lightning"}
    assert imported(f"import po3d.evaluation.{name}; {benchmarks}") & networks == set()


def test_tables_can_be_read_and_edited_without_a_network_library():
    code = (
        "import po3d; po3d.read_scene('data/examples/room.json').in_frame('The door is at the"
        " front.').moved(0, left=1)"
    )
    assert (
        imported(code) & (SLOW - {"tqdm", "pydantic", "scipy", "shapely", "PIL", "inflect"})
        == set()
    )


def test_the_options_name_every_benchmark_there_is():
    assert benchmarks() == sorted(BENCHMARKS)


def test_a_room_is_queried_without_what_only_others_need():
    code = (
        "from po3d.__main__ import main; sys.exit(main(['ask', 'data/examples/room.json', 'How many"
        " beds are there?', '--parser', 'benchmark']))"
    )
    brought = imported(code.replace("sys.exit(", "assert not ("))
    assert (
        brought
        & {"scipy.optimize", "timm", "torchvision", "pytorch_lightning", "matplotlib", "pandas"}
        == set()
    )


@pytest.mark.parametrize(
    "text", ["How many windows are there?", "how many things r there i could sit on"]
)
def test_an_answer_about_a_table_needs_no_compiler_and_no_trainer(text):
    """torch's compiler takes seconds to import, and is for nothing here."""
    command = ["ask", "data/examples/room.json", text]
    result = imported(f"from po3d.__main__ import main; sys.exit(main({command!r}))")
    unwanted = {
        "torch._dynamo",
        "sympy",
        "pytorch_lightning",
        "transformers",
        "timm",
        "torchvision",
    }
    assert result & unwanted == set()


def test_a_question_about_a_street_imports_no_other_domain():
    question = ["ask", "data/examples/street.json", "How many cars are there?"]
    there = imported(f"from po3d.__main__ import main; sys.exit(main({question!r}))")
    other = {"po3d.systems.rooms", "po3d.systems.photographs", "po3d.perception.foundation"}
    assert not there & (other | {"torchvision", "timm", "pytorch_lightning", "trimesh", "moderngl"})
