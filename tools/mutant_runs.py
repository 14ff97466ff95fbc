"""Run the mutants of a cosmic-ray session, each in a fork of one process.

    python -m tools.mutant_runs SESSION SECONDS TESTS...

Used by `tools.mutants`, in its copy of the tree. The tests first run once without a change; the
libraries that they import are then imported here, so that a mutant does not pay for them again.
Modules of the project are imported by each fork.
"""

import contextlib
import importlib
import json
import os
import resource
import sys
import tempfile
from pathlib import Path

import pytest

OWN = ("po3d", "tests", "tools", "evaluate", "train", "conftest")


class WithoutShrinking:
    """A plugin of pytest: hypothesis does not simplify a failing example, which takes seconds."""

    def pytest_sessionstart(self) -> None:
        with contextlib.suppress(ImportError):
            from hypothesis import Phase, settings

            phases = [Phase.explicit, Phase.generate]
            settings.register_profile("mutants", settings(), phases=phases)
            settings.load_profile("mutants")


def child_code(tests: list[str], seconds: int, names: Path | None = None) -> int:
    """Return pytest's exit code of the tests in a fork, or 1 if it takes more processor time than
    `seconds`. `names`: a file for the names of the modules that are then imported."""
    child = os.fork()
    if not child:
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider"]
            code = int(pytest.main([*options, *tests], plugins=[WithoutShrinking()]))
            if names is not None:
                names.write_text(json.dumps(sorted(sys.modules)))
        finally:
            os._exit(code)
    return 1 if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) else 0


def import_libraries(names: list[str]) -> None:
    """Import the modules that are not the project's, and neither part of a test file nor
    private.
    """
    beside = {path.stem for path in Path("tests").rglob("*.py")}
    for name in names:
        first = name.partition(".")[0]
        if first not in OWN and first not in beside and not first.startswith("_"):
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def main() -> int:
    """Run the session; return 1 if the tests fail without a change."""
    session, seconds, tests = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        names = Path(folder) / "names.json"
        if child_code(tests, 20 * seconds, names):
            print("the tests fail without a mutant", file=sys.stderr)
            return 1
        import_libraries(json.loads(names.read_text()))
    sys.dont_write_bytecode = True  # a mutant may have the size and the second of the original
    from cosmic_ray import mutating
    from cosmic_ray.work_db import WorkDB, use_db
    from cosmic_ray.work_item import TestOutcome

    def run_tests(command: str, timeout: float) -> tuple[TestOutcome, str]:
        failed = child_code(tests, seconds)
        return (TestOutcome.KILLED if failed else TestOutcome.SURVIVED), ""

    mutating.run_tests = run_tests
    with use_db(str(session), WorkDB.Mode.open) as base:
        for item in list(base.pending_work_items):
            result = mutating.mutate_and_test(item.mutations, "", seconds)
            base.set_result(item.job_id, result)
            print(result.test_outcome, file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
