"""`po3d language`: programs as sentences, and checks of grammar files."""

import pytest

from po3d.cli.main import main


def test_a_program_is_reported_in_words(capsys):
    program = 'count(filter(color, "red", filter(name, "chair", scene)))'
    assert main(["language", "say", program]) == 0
    assert capsys.readouterr().out == "How many red chairs are there?\n"
    assert main(["language", "say", program, "-n", "3"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "How many red chairs are there?"


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("count(chair", "unbalanced"),
        ("chairs", "unknown operation"),
        ("scene", "no wording for: question scene"),
    ],
)
def test_what_is_no_question_or_change_ends_in_one_line(capsys, program, reason):
    assert main(["language", "say", program]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert reason in line


def test_the_shipped_files_are_in_order(capsys):
    assert main(["language", "check"]) == 0
    assert capsys.readouterr().out == "no errors in the grammar files\n"
