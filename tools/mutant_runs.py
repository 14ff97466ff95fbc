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
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

OWN = ("po3d", "tests", "tools", "evaluate", "train", "conftest")


class QuickFailure:
    """A plugin of pytest: tests that failed for earlier mutants run first, then those of each file
    by their duration; hypothesis does not simplify a failing example, which takes seconds.

    `failures`: number of mutants that a test detected; `seconds`: duration of a test without a
    mutant. Both are by node id.
    """

    def __init__(self, failures: Mapping[str, int], seconds: Mapping[str, float]) -> None:
        self.failures, self.seconds = failures, seconds
        self.failed = ""
        self.durations: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        files = list(dict.fromkeys(item.path for item in items))
        place = {path: k for k, path in enumerate(files)}

        def order(item: pytest.Item) -> tuple[int, int, float]:
            name = item.nodeid
            return -self.failures.get(name, 0), place[item.path], self.seconds.get(name, 0.0)

        items.sort(key=order)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        before = self.durations.get(report.nodeid, 0.0)
        self.durations[report.nodeid] = before + report.duration
        if report.failed:
            self.failed = report.nodeid

    def pytest_sessionstart(self) -> None:
        with contextlib.suppress(ImportError):
            from hypothesis import Phase, settings

            phases = [Phase.explicit, Phase.generate]
            settings.register_profile("mutants", settings(), phases=phases)
            settings.load_profile("mutants")


class Outcome(NamedTuple):
    """What a child process reports of its tests."""

    failed: str  # node id of the test that failed; "" for none
    durations: dict[str, float]  # seconds by node id
    modules: list[str]  # imported modules


def child_outcome(
    tests: list[str], seconds: int, failures: Mapping[str, int], known: Mapping[str, float]
) -> tuple[int, Outcome]:
    """Run the tests in a fork; return pytest's exit code, or 1 if they take more processor time
    than `seconds`, and their outcome. `failures`, `known`: see `QuickFailure`."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "outcome.json"
        child = os.fork()
        if not child:
            code = 1
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.dup2(null, 2)
                options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider"]
                plugin = QuickFailure(failures, known)
                code = int(pytest.main([*options, *tests], plugins=[plugin]))
                outcome = plugin.failed, plugin.durations, sorted(sys.modules)
                written.write_text(json.dumps(outcome))
            finally:
                os._exit(code)
        code = 1 if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) else 0
        content = json.loads(written.read_text()) if written.exists() else ("", {}, [])
        return code, Outcome(*content)


def import_libraries(names: list[str]) -> None:
    """Import the modules that are not the project's, and neither part of a test file nor
    private."""
    beside = {path.stem for path in Path("tests").rglob("*.py")}
    for name in names:
        first = name.partition(".")[0]
        if first not in OWN and first not in beside and not first.startswith("_"):
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def main() -> int:
    """Run the session; return 1 if the tests fail without a change."""
    session, seconds, tests = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    code, first = child_outcome(tests, 20 * seconds, {}, {})
    if code:
        print(f"the tests fail without a mutant {first.failed}", file=sys.stderr)
        return 1
    import_libraries(first.modules)
    sys.dont_write_bytecode = True  # a mutant may have the size and the second of the original
    from cosmic_ray import mutating
    from cosmic_ray.work_db import WorkDB, use_db
    from cosmic_ray.work_item import TestOutcome

    failures: Counter[str] = Counter()

    def run_tests(command: str, timeout: float) -> tuple[TestOutcome, str]:
        code, outcome = child_outcome(tests, seconds, failures, first.durations)
        failures.update([outcome.failed] if outcome.failed else [])
        return (TestOutcome.KILLED if code else TestOutcome.SURVIVED), ""

    mutating.run_tests = run_tests
    with use_db(str(session), WorkDB.Mode.open) as base:
        for item in list(base.pending_work_items):
            result = mutating.mutate_and_test(item.mutations, "", seconds)
            base.set_result(item.job_id, result)
            print(result.test_outcome, file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
