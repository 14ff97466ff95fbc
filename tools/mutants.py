"""Mutation testing with cosmic-ray: does any test fail when a module is changed?

    pip install cosmic-ray
    python -m tools.mutants po3d/scene/edits.py tests/scene/test_edits.py --sample 40 --seed 43

Prints how many of a sample of mutants the tests kill, and the survivors as diffs. Works on a copy
of the tree, because cosmic-ray changes files in place. Each mutant takes a run of its tests and the
import of the project's modules; libraries are imported once (`tools.mutant_runs`).
"""

import argparse
import ast
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from po3d.io.cli_errors import guarded, needed
from po3d.io.errors import InputError
from po3d.io.paths import ROOT

COPIED = ("po3d", "tests", "tools", "evaluate.py", "train.py", "pyproject.toml")
LINKED = ("configs", "checkpoints", "data", "docs", "README.md")  # tests do not write to these
CONFIG = """\
[cosmic-ray]
module-path = "{module}"
timeout = {timeout}
test-command = "none, see tools.mutant_runs"
[cosmic-ray.distributor]
name = "local"
"""


def annotated(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the beginning and the end (line, column) of each type annotation."""
    annotations: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign | ast.arg):
            annotations.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            annotations.append(node.returns)
    return [
        ((part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset))
        for part in annotations
        if part is not None
    ]


def sampled(session: Path, count: int, seed: int, source: str = "") -> int:
    """Keep `count` random mutants in a session, chosen by seed; return their original number.

    Mutants of type annotations in `source` are left out: they end the import, or do nothing.
    """
    order = "operator_name, start_pos_row, start_pos_col, occurrence, operator_args"
    places = annotated(source)
    with sqlite3.connect(session) as base:
        rows = list(
            base.execute(
                "select job_id, start_pos_row, start_pos_col from mutation_specs order by " + order
            )
        )
        known = [job for job, *at in rows if not any(a <= tuple(at) <= b for a, b in places)]
        kept = set(random.Random(seed).sample(known, min(count, len(known))))
        left_out = [(job,) for job, *_ in rows if job not in kept]
        for table in ("mutation_specs", "work_items"):
            base.executemany(f"delete from {table} where job_id = ?", left_out)
    return len(known)


def outcomes(session: Path) -> tuple[int, list[str]]:
    """Return the number of killed mutants, and the diffs of the survivors."""
    with sqlite3.connect(session) as base:
        rows = list(base.execute("select test_outcome, diff from work_results"))
    alive = [diff for outcome, diff in rows if outcome == "SURVIVED"]
    return len(rows) - len(alive), alive


def measured(
    module: str, tests: list[str], count: int, seed: int, timeout: int, select: str = ""
) -> tuple[int, int, list[str]]:
    """Return (number of mutants, number killed, diffs of survivors) of a sample."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, root / name)
        for name in LINKED:
            (root / name).symlink_to(ROOT / name)
        settings = CONFIG.format(module=module, timeout=timeout)
        (root / "mutants.toml").write_text(settings, encoding="utf-8")
        session = root / "mutants.sqlite"
        run = [sys.executable, "-m", "cosmic_ray.cli"]
        own = {**os.environ, "PYTHONPATH": str(root)}
        subprocess.run([*run, "init", "mutants.toml", session.name], cwd=root, env=own, check=True)
        there = sampled(session, count, seed, (root / module).read_text(encoding="utf-8"))
        executed = [sys.executable, "-m", "tools.mutant_runs", session.name, str(timeout), *tests]
        executed += ["-k", select] if select else []
        if subprocess.run(executed, cwd=root, env=own, check=False).returncode:
            raise InputError(f"{' '.join(tests)} should pass without a mutant")
        return there, *outcomes(session)


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser("python -m tools.mutants", description=__doc__.split("\n")[0])
    parser.add_argument("module", help="a source file of po3d")
    parser.add_argument("tests", nargs="+", help="test files that should detect the mutants")
    parser.add_argument(
        "--select", default="", metavar="NAMES", help="tests of the files: pytest -k"
    )
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--timeout", type=int, default=60, help="limit per mutant, in seconds of processor time"
    )
    inputs = parser.parse_args()

    def run() -> None:
        needed("cosmic_ray", "dev", "mutation tests need", " (pip install cosmic-ray)")
        for path in (inputs.module, *inputs.tests):
            if not (ROOT / path).is_file():
                raise InputError(f"{path} is not a file of the project")
        there, killed, alive = measured(
            inputs.module, inputs.tests, inputs.sample, inputs.seed, inputs.timeout, inputs.select
        )
        tried = killed + len(alive)
        print(*alive, sep="\n")
        print(
            f"{inputs.module}: {killed} of {tried} mutants killed"
            f" ({100 * killed / max(tried, 1):.1f} %), drawn from {there}"
        )

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main())
