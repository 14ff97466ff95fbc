"""Settings of every test: the same hypothesis examples on each run, and markers for what needs more
than a CPU.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "po3d",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
settings.load_profile("po3d")

if (
    "PYTEST_XDIST_WORKER" in os.environ
):  # before torch is imported: processes share the cores, so none takes them all
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // processes)))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "render: needs EGL, which the synthesis extra and Mesa bring"
    )
    config.addinivalue_line("markers", "slow: more than ten seconds")
    config.addinivalue_line(
        "markers", "harness: needs lmms-eval or inspect_ai, which have environments of their own"
    )
    config.addinivalue_line(
        "markers", "browser: opens pages in chromium (the Debian package), skipped without it"
    )


@pytest.fixture(autouse=True)
def own_readers_alone(monkeypatch):
    """Tests say themselves when the second reader reads: it may be installed or not."""
    monkeypatch.setattr("po3d.systems.general_parser.there", lambda checkpoint="": False)
