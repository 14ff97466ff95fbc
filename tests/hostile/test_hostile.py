"""Nothing that comes from outside ends in a traceback, hangs, or is answered though it is
impossible: some 1,250 hostile inputs through the library's own entry points. `python -m pytest
tests/hostile -s` prints the table of docs/safety.md.
"""

import contextlib
import functools
import io
import re
import resource
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import packed  # more families
import photographs  # noqa: F401
import pytest
import records
import run_inputs
from families import FAMILIES, REFUSED, right

from po3d.benchmarks.registry import opened
from po3d.evaluation import calibration
from po3d.evaluation.harness import imports
from po3d.io.text_tables import Table, markdown
from po3d.language.read.room_parser import RoomParser
from po3d.language.read.street_parser import Parser

# seconds of processor time for one input, and WALL by the clock, which counts what else the machine
# does
LIMIT = 10
WALL = 120
MEGABYTES = 1000  # that the process may grow by at one input
HEADER = ("kind", "inputs", "refused", "answered", "faults", "longest, s", "memory, MB more")
RAW = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)  # what a terminal would obey


class Outcome(NamedTuple):
    """What became of one input: "" when all is well, else what was wrong."""

    name: str
    code: int | None
    seconds: float
    megabytes: float
    fault: str


class Hang(BaseException):
    """An input that takes longer than LIMIT."""


@pytest.fixture(scope="module", autouse=True)
def what_is_slow_is_loaded_once():
    """The shipped parsers, which answer every question here (`__wrapped__` loads a pair that is not
    them), and the first items of a shipped split.
    """
    retained = functools.cache(lambda benchmark: opened(benchmark).first(1))

    def first(benchmark, root, size=None):
        return retained(benchmark) if root is None else opened(benchmark, root, size)

    with pytest.MonkeyPatch.context() as patch:
        for module in (imports, calibration):
            patch.setattr(module, "opened", first)
        for kind in (Parser, RoomParser):
            patch.setattr(kind, "from_checkpoint", functools.cache(kind.from_checkpoint))
        yield


@functools.cache
def outcomes(family: str) -> list[Outcome]:
    return [tried(family, *hostile) for hostile in FAMILIES[family]()]


def tried(family: str, name: str, run) -> Outcome:
    out, err, code, fault = io.StringIO(), io.StringIO(), None, ""
    start, had = time.process_time(), _most()
    before = {number: signal.signal(number, _hangs) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    signal.alarm(WALL)
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = run(Path(folder))
    except SystemExit as end:
        code = end.code
    except Hang:
        fault = f"takes more than {LIMIT} s"
    except BaseException as error:  # whatever it is, a user would see a traceback
        fault = f"{type(error).__name__}: {str(error)[:200]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        for number, handler in before.items():
            signal.signal(number, handler)
    reply = err.getvalue()
    if not fault and code not in ((2,) if family in REFUSED else (0, 1, 2)):
        fault = f"ends with {code}: {out.getvalue()[:100]!r} {reply[:100]!r}"
    if not fault and code == 2 and [line[:7] for line in reply.splitlines()][-1:] != ["error: "]:
        fault = f"is refused without a line: {reply[-200:]!r}"
    if not fault and (raw := RAW.search(out.getvalue() + reply)):
        fault = f"a raw {raw[0]!r} reaches the terminal"
    if not fault and (grown := _most() - had) > MEGABYTES:
        fault = f"takes {grown:.0f} MB"
    return Outcome(name, code, time.process_time() - start, _most() - had, fault)


def _most() -> float:
    """Megabytes that this process had at most until now."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _hangs(number, frame):
    raise Hang


@pytest.mark.parametrize("family", FAMILIES)
def test_no_traceback_no_hang_no_answer_from_what_is_impossible(family):
    wrong = [f"{o.name}: {o.fault}" for o in outcomes(family) if o.fault]
    assert not wrong, "\n".join(wrong)


def test_what_was_spoiled_was_right_before():
    result = [
        tried("questions", *hostile)  # of a family that may be answered
        for hostile in [*right(), *packed.right(), *run_inputs.right(), *records.right()]
    ]
    assert not [f"{o.name}: {o.code} {o.fault}" for o in result if o.code != 0 or o.fault]


def test_at_least_1200_inputs_of_41_families_are_tried():
    rows, total = [], 0
    for name in FAMILIES:
        result = outcomes(name)
        codes = Counter(o.code for o in result)
        faults = sum(bool(o.fault) for o in result)
        slowest, most = max(o.seconds for o in result), max(o.megabytes for o in result)
        cells = [len(result), codes[2], codes[0] + codes[1], faults, slowest, round(most)]
        rows.append([name, *cells])
        total += len(result)
    print("\n" + markdown(Table(HEADER, rows)))  # docs/safety.md
    print(f"{len(rows)} kinds, {total} inputs")
    assert len(rows) >= 41
    assert total >= 1200
