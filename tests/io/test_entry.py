import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.config import CONFIGS, build, compose, run_hydra
from po3d.io.errors import InputError

GROUPS = {
    "evaluate": ("benchmark", "perception", "parser", "system", "grid", "engine"),
    "train": ("model", "data", "trainer", "experiment"),  # recipes: tests/training/test_recipe.py
}


EVALUATIONS = {"oracle_grid"}  # experiments of evaluate.py; the others are train.py's

# What an option can't be without.
NEEDS = {
    "system=replay": ["system.path=predictions.jsonl"],
    "perception=file": ["perception.path=tables.jsonl"],
    "system=lmm": ["system.base_url=http://127.0.0.1:8000/v1", "system.model=name"],
    "system=lmm_parser": ["system.base_url=http://127.0.0.1:8000/v1", "system.model=name"],
    "data=questions": ["model=street_parser"],
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
    tested = {g for groups in GROUPS.values() for g in groups} | {"recipe"}
    assert {p.name for p in CONFIGS.iterdir() if p.is_dir()} == tested


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
    assert "system=frequency|lmm|lmm_parser|oracle|planar|po3d|random|replay" in printed


def test_unknown_flag_is_refused(capsys):
    assert run_hydra(lambda config: None, "evaluate", "", ["--sytem"]) == 2
    assert "--sytem" in capsys.readouterr().err


# What folders may be called; each came as an error of hydra's lexer, or as something else than was
# typed.
NAMES = (
    "größe",
    "数据",
    "a b",
    " blank first",
    "blank last ",
    "it's",
    'a "b"',
    "R&D",
    "run#3",
    "size=2",
    "a (copy)",
    "f(x)",
    "a,b",
    "50%",
    "a;b",
    "[x",
    "{x}y",
    "x]",
    "a!b",
    "$HOME",
    "@x",
    "^",
    "`x`",
    "a:b",
    "a\\b",
    "C:\\x\\",
    "1e3",
    "007",
    "true",
    "-x",
    "a|b",
    "a*b",
    "🚗",
)
KEYS = [
    ("evaluate", "out"),
    ("evaluate", "data.root"),
    ("evaluate", "synthetic_dir"),
    ("evaluate", "parser.checkpoint"),
    ("evaluate", "benchmark.scans"),
    ("generate", "out"),
    ("generate", "skies"),
    ("train", "out"),
    ("train", "export"),
    ("train", "data.root"),
]


def composed(name: str, key: str, value: str, folder: Path) -> str:
    """What an option has when it is given on the command line."""
    choices = {
        "benchmark.scans": ["benchmark=hypo3d"],
        "data.root": ["data=shards"] * (name == "train"),
    }
    config = compose(
        name,
        [
            *choices.get(key, []),
            *(["out=x"] * (key != "out" and name == "generate")),
            f"{key}={value}",
        ],
    )
    for part in key.split("."):
        config = config[part]
    return config


@pytest.mark.parametrize(("name", "key"), KEYS)
def test_a_path_is_taken_as_it_was_typed(name, key, tmp_path):
    for folder in NAMES:
        assert composed(name, key, f"{tmp_path}/{folder}/x", tmp_path) == f"{tmp_path}/{folder}/x"


@pytest.mark.parametrize("folder", [n for n in NAMES if n[0] not in "[{"])
def test_the_name_of_a_folder_in_this_one_is_taken_as_it_was_typed(folder):
    assert compose("evaluate", [f"out={folder}"]).out == folder


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12))
def test_any_text_is(text):
    if text[0] not in "[{'\"~" and "${" not in text and text != "null":
        assert compose("evaluate", [f"parser.checkpoint={text}"]).parser.checkpoint == text


def test_home_is_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, key in KEYS:
        assert composed(name, key, "~/x", tmp_path) == f"{tmp_path}/x"
    assert compose("evaluate", ["out='~/x'"]).out == "~/x"  # quoted for hydra


def test_what_is_no_text_is_still_hydras():
    config = compose(
        "evaluate",
        ["size=3", "oracle=[heading,color]", "out=null", "benchmark=hypo3d", "wandb={project: a}"],
    )
    assert (config.size, list(config.oracle), config.out, config.benchmark.name) == (
        3,
        ["heading", "color"],
        None,
        "hypo3d",
    )
    assert config.wandb.project == "a"
    assert compose("evaluate", ["out=outputs/${benchmark.name}"]).out == "outputs/pulsecheck457"


def test_a_name_that_is_no_utf_8_is_one_line(capsys):
    name = os.fsdecode(b"out=caf\xe9")
    assert run_hydra(lambda config: None, "evaluate", "", [name]) == 2
    assert capsys.readouterr().err == "error: out='caf\\udce9' should be valid UTF-8 text\n"


def test_a_sweep_takes_lists_and_paths(monkeypatch, tmp_path):
    result = []
    monkeypatch.setattr(sys, "argv", ["evaluate.py"])
    options = ["-m", "seed=0,1", f"hydra.sweep.dir={tmp_path}", f"out={tmp_path}/größe (1)"]
    assert (
        run_hydra(lambda config: result.append((config.seed, config.out)), "evaluate", "", options)
        == 0
    )
    assert result == [(0, f"{tmp_path}/größe (1)"), (1, f"{tmp_path}/größe (1)")]


class Failing:
    """An object that cannot be built; `error`: the name of an exception."""

    def __init__(self, error: str) -> None:
        if error == "InputError":
            try:
                {}["x"]
            except KeyError as cause:
                raise InputError("no file x") from cause
        raise {"MemoryError": MemoryError, "OSError": OSError, "KeyError": KeyError}[error]("x")


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        ("InputError", InputError, "^no file x$"),
        ("MemoryError", MemoryError, "^x$"),
        ("OSError", OSError, "^x$"),
        ("KeyError", InputError, r"Failing: 'x' \(KeyError\)$"),
    ],
)
def test_an_error_of_an_object_keeps_its_class_if_it_is_of_the_machine(error, kind, message):
    with pytest.raises(kind, match=message) as result:
        build({"_target_": f"{__name__}.Failing", "error": error})
    assert type(result.value) is kind
