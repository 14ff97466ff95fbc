"""The tables of settings in docs/lmm.md: each paper has its tables, and a command of the page
runs.
"""

from tools.lmm_settings import MODEL, commands, run_one, running

PAPERS = {
    "benchmark=hypo3d": ("system.show=labelled", "benchmark.frame=camera", "system.change=without"),
    "benchmark=3dsrbench": (
        "system.style=boxes",
        "system.consistent=true",
        "data.root=RELEASE/rotated",
    ),
    "benchmark=scope": ("system.style=ego_to_allo", "system.style=cot", "system=frequency"),
    "python evaluate.py system=": ("scorer=vlmevalkit", "system=random", "system=frequency"),
    "po3d": ("pose-real answer", "pose-real score", "export --benchmark 3dsrbench"),
}


def test_every_paper_has_its_settings():
    listed = commands()
    assert len(listed) >= 35
    for part, settings in PAPERS.items():
        own = [command for command in listed if part in command]
        for setting in settings:
            assert any(setting in command for command in own), (part, setting)
    for command in listed:
        if "system=lmm " in command:
            assert "system.base_url=URL system.model=NAME" in command


def test_a_command_of_the_page_runs_against_the_endpoint(tmp_path):
    (command,) = [c for c in commands() if "benchmark=superclevr system=lmm " in c]
    with running() as url:
        code, row = run_one(command, 1, tmp_path, url)
    assert code == 0
    assert row.startswith(f"{MODEL}: zero_hop 100.0")
