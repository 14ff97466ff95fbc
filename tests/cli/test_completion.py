"""What a shell completes."""

import shutil
import subprocess

import pytest

from po3d.cli import main as cli
from po3d.cli.completion import SHELLS
from po3d.cli.main import COMMANDS, SCRIPTS
from po3d.evaluation.harness import FORMATS

pytest.importorskip("shtab")
ASK = (
    'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_po3d; printf "%s\\n"'
    ' "${COMPREPLY[@]}"'
)


@pytest.fixture
def complete(tmp_path, capsys):
    if (bash := shutil.which("bash")) is None:
        pytest.skip("no bash on this machine")
    assert cli.main(["completion", "bash"]) == 0
    (tmp_path / "po3d.bash").write_text(capsys.readouterr().out)

    def said(*words: str) -> set[str]:
        command = [bash, "-c", ASK, "bash", str(tmp_path / "po3d.bash"), "po3d", *words]
        return set(
            subprocess.run(
                command, capture_output=True, text=True, check=True, cwd=tmp_path
            ).stdout.split()
        )

    return said


def test_bash_completes_commands_options_and_choices(complete):
    assert complete("") >= {*COMMANDS, *SCRIPTS}
    assert complete("ex") == {"export"}
    assert complete("ask", "--par") == {"--parser", "--parser-checkpoint"}
    assert complete("export", "--format", "") == {*FORMATS, "results", "release", "easi"}


def test_a_picture_is_completed_as_a_file(complete, tmp_path):
    (tmp_path / "street.jpg").touch()
    assert "street.jpg" in complete("ask", "str")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shells_script_names_every_command(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in COMMANDS)
    assert cli.main(["completion", "cmd"]) == 2
