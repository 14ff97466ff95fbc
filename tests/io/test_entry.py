import pytest

from po3d.io.config import CONFIGS, compose, run_hydra
from po3d.io.errors import InputError

GROUPS = {
    "evaluate": ("benchmark", "perception", "parser", "system", "grid", "engine"),
    "train": ("model", "data", "trainer", "experiment"),
}


EVALUATIONS = {"oracle_grid"}  # experiments of evaluate.py; the others are train.py's

# What an option can't be without.
NEEDS = {
    "system=replay": ["system.path=predictions.jsonl"],
    "perception=file": ["perception.path=tables.jsonl"],
    "system=lmm": ["system.base_url=http://127.0.0.1:8000/v1", "system.model=name"],
    "data=language": ["model=street_parser"],
    "model=street_parser": ["data=language"],
    "data=room_sentences": ["model=room_parser"],
    "model=room_parser": ["data=room_sentences"],
    "data=top_views": ["model=top_view_estimator"],
    "data=sentences": ["model=reader"],
    "model=reader": ["data=sentences"],
}


@pytest.mark.parametrize(
    ("name", "override"),
    [
        (name, f"{group}={option.stem}")
        for name, groups in GROUPS.items()
        for group in groups
        for option in sorted((CONFIGS / group).glob("*.yaml"))
        if option.stem not in EVALUATIONS
    ]
    + [("evaluate", f"+experiment={stem}") for stem in sorted(EVALUATIONS)],
)
def test_every_config_composes(name, override):
    assert compose(name, [override, *NEEDS.get(override, [])])


def test_every_group_is_tested():
    assert {p.name for p in CONFIGS.iterdir() if p.is_dir()} == {
        g for groups in GROUPS.values() for g in groups
    }


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("sistem=po3d", "did you mean system"),
        ("executor.moda=argmax", "did you mean executor.mode"),
        ("zzz=1", "known: benchmark"),
        ("system=nobody", "Available options in 'system'"),
        ("system=replay", "system.path"),
        ("oracle=[", "no viable alternative"),
        ("out", "key=value"),
    ],
)
def test_a_wrong_override_is_one_line_and_exit_code_2(override, says, capsys):
    with pytest.raises(InputError, match=says.replace("[", r"\[")):
        compose("evaluate", [override])
    assert run_hydra(lambda config: None, "evaluate", "", [override]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith("error: ")


@pytest.mark.parametrize(
    ("experiment", "says"),
    [
        ("street_parsr", "Available options in 'experiment':.* street_parser"),
        ("oracle_grid", "override 'grid'"),
    ],
)
def test_an_experiment_that_train_does_not_have_is_one_line(experiment, says):
    with pytest.raises(InputError, match=f"{experiment}.*{says}"):
        compose("train", [f"experiment={experiment}"])


def test_help_lists_options_and_choices(capsys):
    assert run_hydra(lambda config: None, "evaluate", "What it does.", ["--help"]) == 0
    printed = capsys.readouterr().out
    assert "What it does." in printed
    assert "system=frequency|lmm|oracle|planar|po3d|random|replay" in printed


def test_unknown_flag_is_refused(capsys):
    assert run_hydra(lambda config: None, "evaluate", "", ["--sytem"]) == 2
    assert "--sytem" in capsys.readouterr().err
