"""The documentation's site builds without a warning: every link and anchor leads somewhere, every
page is in the navigation, and every object of the reference exists.
"""

import subprocess
import sys

import pytest

from po3d.io.paths import ROOT


def test_the_site_builds_strictly(tmp_path):
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(tmp_path),
    ]
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stderr[-3000:]
    page = (tmp_path / "api" / "index.html").read_text(encoding="utf-8")
    assert "po3d.scene.table.Scene" in page
