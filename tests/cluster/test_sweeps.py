"""Sweeps (-m) run by hydra's own launchers."""

import json
import os
import subprocess
import sys

import pytest

from po3d.io.paths import ROOT

SCRIPT = """
import json, os, sys
from pathlib import Path
from po3d.io.config import run_hydra
from po3d.io.errors import InputError

def main(config):
    if config.seed == 3:
        raise InputError("three is no seed")
    Path(config.out).write_text(json.dumps([config.seed, config.size, os.getpid(), os.getcwd()]))

if __name__ == "__main__":
    sys.exit(run_hydra(main, "generate", "", sys.argv[1:]))
"""


def swept(folder, *options):
    (folder / "script.py").write_text(SCRIPT)
    command = [sys.executable, "script.py", "-m", *options, f"hydra.sweep.dir={folder}/sweep"]
    retained = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        command, cwd=folder, env=retained, capture_output=True, text=True, timeout=300
    )


@pytest.mark.parametrize("launcher", ["basic", "joblib", "submitit_local"])
def test_every_combination_is_run_where_the_command_was_provided(launcher, tmp_path):
    pytest.importorskip({"basic": "hydra", "joblib": "joblib"}.get(launcher, "submitit"))
    options = [f"hydra/launcher={launcher}", "seed=1,2", "size=5", "out=out-${seed}"]
    done = swept(tmp_path, *options)
    assert done.returncode == 0, done.stderr[-2000:]
    result = [json.loads((tmp_path / f"out-{seed}").read_text()) for seed in (1, 2)]
    assert [(seed, size, folder) for seed, size, _, folder in result] == [
        (k, 5, str(tmp_path)) for k in (1, 2)
    ]
    if launcher == "submitit_local":
        assert result[0][2] != result[1][2]  # processes of their own


def test_a_job_that_fails_is_reported_and_is_the_exit_code(tmp_path):
    done = swept(tmp_path, "seed=1,3,2", "out=out-${seed}")
    assert done.returncode == 1
    assert "error: three is no seed" in done.stderr
    assert (tmp_path / "out-2").is_file()  # the others are run all the same
