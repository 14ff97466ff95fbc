"""The `po3d` command.

Each subcommand is a module with a docstring (its help), `add_arguments`, and `run` unless FUNCTIONS
has it. Slow imports are in `run`, and a module is imported only if its subcommand is used, so that
--help and errors in the options appear at once.
"""

import argparse
import importlib
import sys
from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple, NoReturn

from po3d import __version__
from po3d.io.cli_errors import guarded
from po3d.io.deprecated_names import new_command
from po3d.io.errors import InputError, printable

SCRIPTS = {  # name -> help; their options, --help included, are hydra's
    "evaluate": "answer a benchmark's questions and score them: evaluate.py",
    "train": "train an estimator or a parser: train.py",
}


class Command(NamedTuple):
    help: str  # one line
    module: str
    extra: str = ""  # required extra of pyproject.toml


COMMANDS = {
    "ask": Command("answer one question", "po3d.cli.ask"),
    "generate": Command(
        "make a synthetic twin of a benchmark: images, scenes, questions",
        "po3d.cli.generate",
        "synthesis",
    ),
    "check-estimator": Command(
        "check an external estimator before evaluating it", "po3d.cli.check_estimator"
    ),
    "audit": Command("check released answers against their programs", "po3d.cli.audit"),
    "compare": Command("compare systems, with significance tests", "po3d.cli.compare"),
    "doctor": Command("check the installation and how to fix it", "po3d.cli.doctor"),
    "export": Command("export a split for LMM harnesses and endpoints", "po3d.cli.export"),
    "import": Command("convert an LMM's results from a harness and score them", "po3d.cli.imports"),
    "language": Command("print programs as sentences; check grammar files", "po3d.cli.language"),
    "pose-real": Command("make, answer and score the L4-Pose-Real items", "po3d.cli.pose_real"),
    "report": Command("write a run's HTML report, or print its tables", "po3d.cli.report"),
    "serve": Command("serve po3d behind an OpenAI-compatible API", "po3d.cli.serve"),
    "studio": Command("open an interactive 3D viewer in the browser", "po3d.cli.studio", "studio"),
    "calibration": Command("calibration and selective prediction", "po3d.cli.calibration"),
}
FUNCTIONS = {  # of the commands whose module has options only: the function that runs it
    "audit": "po3d.evaluation.audit:audit_command",
    "calibration": "po3d.evaluation.calibration:calibration_command",
    "compare": "po3d.evaluation.compare:compare_command",
    "export": "po3d.evaluation.harness.export:export_command",
    "import": "po3d.evaluation.harness.imports:import_command",
    "pose-real": "po3d.evaluation.pose_real:pose_real_command",
    "report": "po3d.evaluation.report_command:report_command",
    "serve": "po3d.evaluation.harness.serve:serve_command",
}
DESCRIPTION = """\
Answer questions about traffic scenes and rooms. An estimator turns the image into a scene table, a
parser turns the question into a program, and an executor runs the program on the table, also after
a change described in a sentence.

  po3d ask data/examples/street.jpg "How many cars are left of the red bus?" --save answer.png
  po3d ask data/examples/street.json "What color is the chopper?" --json
  po3d ask PHOTO.jpg "Which is closer to the camera, the dog or the car?" --perception photo
  po3d ask data/examples/room.json "What is to the left of the bed now?" \\
           --frame "The door is at the front of the room." \\
           --change "The blue chair has been moved next to the bed." --save change.png
  po3d generate benchmark=pulsecheck457 size=1000 seed=7 out=DIR
  po3d export --benchmark pulsecheck457 --format openai --out DIR
  po3d serve --port 8457
  po3d import MODEL_Spatial457.xlsx --benchmark pulsecheck457 --data RELEASE --out YOURS.jsonl
  po3d compare MINE.jsonl YOURS.jsonl --benchmark pulsecheck457 --data RELEASE
  po3d calibration MINE.jsonl --benchmark pulsecheck457
  po3d report RUN --with YOURS.jsonl
  po3d pose-real score ITEMS RUN
  po3d check-estimator mymod.Mine
  po3d audit --benchmark pulsecheck457 --data RELEASE --out errata.jsonl
  po3d doctor
  po3d studio
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0, 1 (no answer), 2 (invalid input)."""
    code, words = 0, new_command(sys.argv[1:] if argv is None else argv)

    def command() -> None:
        nonlocal code
        for word in words:
            if "\0" in word:
                raise InputError(f"the argument {printable(word)} contains a NUL character")
        if words[:1] and words[0] in SCRIPTS:
            from po3d.io.config import run_script

            run_script(words[0], words[1:])
        arguments = parsed(words)
        code = arguments.run(arguments)

    return guarded(command, in_json="--json" in words) or code


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; see {self.prog} --help")


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of the command in `given[0]`, with its function as `run`; InputError for
    invalid ones."""
    return parser_of(arguments[:1]).parse_args(arguments)


def parser_of(wanted: Collection[str]) -> argparse.ArgumentParser:
    """Return the parser of the command line; commands in `wanted` are imported and get their
    options."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = _Arguments("po3d", description=DESCRIPTION, formatter_class=raw)
    parser.add_argument("--version", action="version", version=f"po3d {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Arguments)
    for name, help in SCRIPTS.items():
        commands.add_parser(name, help=help)
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=command.help, formatter_class=raw)
        if name in wanted:
            module = importlib.import_module(command.module)
            subparser.description = module.__doc__
            module.add_arguments(subparser)
            run = partial(_call, FUNCTIONS[name]) if name in FUNCTIONS else module.run
            subparser.set_defaults(run=run)
    return parser


def _call(function: str, arguments: argparse.Namespace) -> int:
    module, name = function.split(":")
    return getattr(importlib.import_module(module), name)(arguments)


if __name__ == "__main__":
    sys.exit(main())
