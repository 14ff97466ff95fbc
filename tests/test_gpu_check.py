"""The GPU check: its small version on the CPU, and what it says without a GPU."""

import re
import signal
import time

import pytest
import torch

from tools import gpu_check


def test_without_a_gpu_it_says_so_in_one_line(capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu_check.main([]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert "finds no GPU here" in printed.err


def test_the_small_version_measures_every_part(capsys, monkeypatch):
    monkeypatch.setattr(
        gpu_check.EstimatorModule, "compile", lambda self: None
    )  # minutes of compilation
    monkeypatch.setattr(gpu_check, "RENDERER", "no_renderer")  # its processes take seconds to start
    monkeypatch.setattr(gpu_check, "SMALL", {"width": 96, "height": 64})
    assert gpu_check.main(["--device", "cpu", "--seconds", "0.1", "--pictures", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = dict(line.strip("| ").split(" | ")[:2] for line in lines if line.startswith("| "))
    assert {
        "training, folder, batch 2, pictures/s",
        "training, folder, compiled, batch 2, pictures/s",
    } <= set(table)
    assert "rendering needs the extra synthesis" in table["training, online, batch 2"]
    rates = [value for name, value in table.items() if name.endswith("/s") and "online" not in name]
    assert len(rates) == 4
    assert all(float(value.replace(",", "")) > 0 for value in rates)
    assert table["attributes that differ"] == "0"
    count, total = re.fullmatch(r"(\d+) of (\d+)", table["equal answers"]).groups()
    assert count == total != "0"


def test_a_part_that_fails_or_is_too_late_is_a_row(monkeypatch):
    def fails(check):
        raise RuntimeError("CUDA\nout of memory")

    monkeypatch.setattr(gpu_check, "agreement", fails)
    check = gpu_check.Check(torch.device("cpu"), 0.1, 1, [2])
    (first, *_) = gpu_check.rows(check, 0.0)
    assert first.value == "skipped after 0 minutes"
    rows = gpu_check.rows(check, 1.0)
    assert next(rows).value == "not possible: RuntimeError: CUDA out of memory"
    rows.close()


def test_a_part_that_takes_too_long_is_stopped(monkeypatch):
    def slow(check):
        yield gpu_check.Row("begun", "1")
        time.sleep(60)

    monkeypatch.setattr(gpu_check, "agreement", slow)
    monkeypatch.setattr(gpu_check, "evaluation", slow)
    start = time.perf_counter()
    started, stopped, skipped, *_ = gpu_check.rows(
        gpu_check.Check(torch.device("cpu"), 0.1, 1, [2]), 0.01
    )
    assert time.perf_counter() - start < 30
    assert (started.value, stopped.value) == ("1", "stopped after 0.01 minutes")
    assert skipped.value == "skipped after 0.01 minutes"
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


@pytest.mark.parametrize("name", ["nonsense"])
def test_an_unknown_device_is_one_line(name, capsys):
    assert gpu_check.main(["--device", name]) == 2
    assert capsys.readouterr().err.count("\n") == 1
