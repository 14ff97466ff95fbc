"""What the machine refuses (a full disk, a folder that is not writable, a reader that is gone,
Ctrl+C): one line, and no half of a file.
"""

import contextlib
import errno
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pytest
import torch
from generators import random_scene

from po3d import __main__ as po3d
from po3d import __version__
from po3d.cli import main as cli
from po3d.io.cli_errors import guarded
from po3d.io.config import build
from po3d.io.errors import InputError
from po3d.io.paths import ROOT
from po3d.io.runs import LOCK, locked
from po3d.io.seeding import rng
from po3d.language.programs.street import parse_text
from po3d.language.read.parse import Parse
from po3d.language.read.street_parser import Parser
from po3d.scene.table import to_json


class Counts:
    """A parser that reads every question as "how many are there?"."""

    def parse(self, texts):
        return [Parse("ok", parse_text("count(scene)"), 1.0) for _ in texts]


@pytest.fixture(params=["ask", "generate", "export"])
def writing(request, tmp_path, monkeypatch):
    """A command that writes to the path that it is given."""
    monkeypatch.setattr(Parser, "from_checkpoint", lambda path, **device: Counts())
    table = tmp_path / "scene.json"
    table.write_text(json.dumps(to_json(random_scene(rng(3, "machine"), 5))))
    return {
        "ask": lambda out: ["ask", str(table), "How many?", "--save", f"{out}/answer.png"],
        "generate": lambda out: [
            "generate",
            "benchmark=scope",
            "size=1",
            "workers=1",
            "images=false",
            f"out={out}",
        ],
        "export": lambda out: [
            "export",
            "--benchmark",
            "hypo3d",
            "--format",
            "openai",
            "--out",
            str(out),
        ],
    }[request.param]


@contextlib.contextmanager
def full_after(size: int):
    """While it lasts no file of this process can grow beyond `size` bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def one_line(capfd) -> str:
    error = capfd.readouterr().err
    last = error.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert "Traceback" not in error
    return last


def test_a_full_disk_is_one_line_and_leaves_only_whole_files(writing, tmp_path, capfd):
    out = tmp_path / "out"
    with full_after(300):
        assert po3d.main(writing(out)) == 2
    assert "File too large" in one_line(capfd)
    for path in (path for path in out.rglob("*.*") if path.name != LOCK):
        json.loads(path.read_text())  # of .tmp none; what is there is whole


def test_out_below_a_file_is_one_line(writing, tmp_path, capfd):
    (tmp_path / "file").write_text("mine")
    assert po3d.main(writing(tmp_path / "file" / "out")) == 2
    assert "file" in one_line(capfd)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_that_nobody_can_write_is_one_line(writing, capfd):
    assert po3d.main(writing("/proc/po3d")) == 2
    assert "/proc/po3d" in one_line(capfd)


def test_two_generations_do_not_work_in_one_folder(tmp_path, capfd):
    command = [
        "generate",
        "benchmark=scope",
        "size=1",
        "workers=1",
        "images=false",
        f"out={tmp_path}",
    ]
    with locked(tmp_path):
        assert po3d.main(command) == 2
    assert one_line(capfd).startswith(f"error: another generation is running in {tmp_path};")
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]
    assert po3d.main(command) == 0


def refused_writing() -> None:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS), "out/report.json")


@pytest.mark.parametrize(
    "write", [refused_writing, lambda: build({"_target_": f"{__name__}.refused_writing"})]
)
def test_a_refusal_of_the_machine_names_the_file(write, capsys):
    assert guarded(write) == 2
    assert capsys.readouterr().err == "error: out/report.json: Read-only file system\n"


def test_a_defect_of_ours_is_not_reported_as_the_users(capsys):
    with pytest.raises(ZeroDivisionError):
        guarded(lambda: 1 / 0)


SCRIPT = (
    "import sys, time; from po3d.io.cli_errors import guarded; sys.exit(max(guarded(lambda: {}) for"
    " _ in range(2)))"
)


def heeding() -> None:
    """Ctrl+C is heeded, also where the tests run in the background of a shell that has it
    ignored.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(body: str, **streams) -> subprocess.Popen:
    """A script with a guarded body, which runs it twice unless the first run ends it."""
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(body)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heeding,
        **streams,
    )


def test_a_reader_that_is_gone_ends_the_program_quietly():
    reader, writer = os.pipe()
    os.close(reader)
    for body in ("print('x')", "print('x' * 100_000)", "(print('x'), sys.exit(0))"):
        script = started(body, stdout=writer)
        assert script.communicate()[1] == ""
        assert script.returncode == 141
    os.close(writer)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_output_that_does_not_fit_is_one_line():
    with open("/dev/full", "w") as full:
        script = started("print('x')", stdout=full)
        error = script.communicate()[1]
    assert script.returncode == 2
    assert error.splitlines()[0] == "error: No space left on device"
    assert "Traceback" not in error


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize(("body", "code"), [("print('x')", 0), ("open('/missing')", 2)])
def test_a_closed_output_changes_no_exit_code(closed, body, code):
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(SCRIPT.format(body))} {closed}"
    ended = subprocess.run(
        command,
        shell=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert ended.returncode == code
    reply = "error: /missing: No such file or directory\n" * 2
    assert ended.stderr == (reply if code and "2>" not in closed else "")


def test_a_letter_that_the_output_has_not_is_replaced(monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    script = started("print('\u2196 north')", stdout=subprocess.PIPE)
    assert script.communicate() == ("? north\n" * 2, "")
    assert script.returncode == 0


def test_ctrl_c_ends_the_program_in_one_line():
    script = started("(print('ready', flush=True), time.sleep(60))", stdout=subprocess.PIPE)
    assert script.stdout.readline() == "ready\n"
    script.send_signal(signal.SIGINT)
    output, error = script.communicate(timeout=30)
    assert (script.returncode, output, error) == (
        130,
        "",
        "interrupted; run the same command again to resume\n",
    )


POOLED = """
import sys, time
from pathlib import Path
from po3d.io.cli_errors import guarded
from po3d.io.pools import pool
def work(path):
    Path(path).touch()
    time.sleep(60)
def main():
    with pool(2) as processes:
        list(processes.map(work, sys.argv[1:]))
if __name__ == "__main__":
    sys.exit(guarded(main))
"""


def test_ctrl_c_is_reported_once_by_a_program_with_workers(tmp_path):
    (tmp_path / "pooled.py").write_text(POOLED)
    start = [tmp_path / "a", tmp_path / "b"]
    script = subprocess.Popen(
        [sys.executable, tmp_path / "pooled.py", *start],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heeding,
    )
    for _ in range(600):
        if all(path.exists() for path in start):
            break
        time.sleep(0.1)
    os.killpg(script.pid, signal.SIGINT)  # as a terminal does: all of them get it
    error = script.communicate(timeout=30)[1]
    assert (script.returncode, error) == (
        130,
        "interrupted; run the same command again to resume\n",
    )


def test_the_command_line_guards_what_it_imports(monkeypatch, capsys):
    def interrupted(argv):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    with pytest.raises(SystemExit) as ended:
        po3d.main([])
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted; run the same command again to resume\n"


def test_bad_input_keeps_its_line(capsys):
    def refuse() -> None:
        raise InputError("two\nlines")

    assert guarded(refuse) == 2
    assert capsys.readouterr().err == "error: two lines\n"


def test_the_version_is_reported(capsys):
    with pytest.raises(SystemExit) as ended:
        po3d.main(["--version"])
    assert not ended.value.code
    assert capsys.readouterr().out == f"po3d {__version__}\n"


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        np._core._exceptions._ArrayMemoryError((1 << 40,), np.dtype(float)),
        RuntimeError(
            "[enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate"
            " memory: you tried ..."
        ),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB."),
        RuntimeError("can't start new thread"),
        BrokenProcessPool(
            "A process in the process pool was terminated abruptly while the future was running or"
            " pending."
        ),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        ImportError("libtorch_cpu.so: failed to map segment from shared object"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_no_memory_is_one_line(error, capsys):
    def work():
        raise error

    assert guarded(work) == 2
    reply = capsys.readouterr().err
    assert reply.startswith("error: out of memory; free some memory, or reduce workers=")
    assert reply.count("\n") == 1


def test_other_runtime_and_import_errors_are_defects():
    for error in (RuntimeError("shape mismatch"), ImportError("cannot import name 'x'")):

        def work(error=error):
            raise error

        with pytest.raises(type(error)):
            guarded(work)


@pytest.mark.parametrize("megabytes", [150, 700, 1200])
def test_a_limit_of_memory_is_one_line(megabytes, tmp_path):
    command = (
        f"ulimit -v {megabytes * 1024}; exec {sys.executable} -m po3d evaluate benchmark=hypo3d"
        f" size=1 out={tmp_path}/out"
    )
    outcome = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert outcome.returncode in (0, 2), outcome.stderr[-500:]
    assert "Traceback" not in outcome.stderr
    if outcome.returncode:
        assert outcome.stderr.splitlines()[-1].startswith("error: out of memory; ")


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_a_folder_that_can_not_be_written_names_the_option(code, monkeypatch, tmp_path):
    def refused(*args, **options):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(Path, "mkdir", refused)
    with (
        pytest.raises(InputError, match=r"is not writable .*; choose another folder: out=DIR"),
        locked(tmp_path / "out"),
    ):
        pass
