"""Every command of README, docs and help texts can be given as it is written: the shell leaves it
alone, its options exist, and the files that it names are shipped. What somebody has to put in
stands in capitals (DIR, PHOTO.jpg, URL).
"""

import functools
import importlib
import importlib.util
import inspect
import itertools
import re
import shlex
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
from omegaconf import OmegaConf

from po3d import __main__ as po3d
from po3d.cli import main as cli
from po3d.io.config import compose
from po3d.io.errors import InputError
from po3d.io.paths import ROOT, script
from po3d.systems import general_parser
from po3d.training import beliefs
from po3d.training.recipe import Recipe

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAMS = ("po3d", "python", "pip", "pytest")
PLACEHOLDER = re.compile(r"(?:^|[^A-Za-z])[A-Z][A-Z0-9_]*(?![A-Za-z0-9])")
SPECIAL = re.compile(r"[][{}*?|<>;()$`]|(?<!&)&(?!&)")  # what a shell acts upon
SCRIPTS = {"evaluate.py": "evaluate", "train.py": "train"}
WRITTEN = ("--out", "--save", "--plot", "--corrected", "--names")  # these name what is made


class Written(NamedTuple):
    where: str
    command: str


def on_pages() -> list[Written]:
    """Command lines of fenced blocks, continued lines as one; of inline code those with options."""
    result = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        fences = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        lines = [
            line.strip() for block in fences for line in block.replace("\\\n", " ").splitlines()
        ]
        outside = re.sub(r"^```\w*\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        inline = re.findall(r"`([^`]+)`", outside)
        lines += [
            " ".join(code.split())
            for code in inline
            if re.match(r"python (?:evaluate|train)\.py ", code)
        ]
        lines += [f"python evaluate.py {code}" for code in inline if re.match(r"'?wandb=", code)]
        result += [Written(page.name, line) for line in lines if line.split(" ")[0] in PROGRAMS]
    return result


def in_help() -> list[Written]:
    """Command lines of help texts, which say after three blanks what a command is for."""
    texts = {
        f"po3d {name} --help": importlib.import_module(command.module).__doc__
        for name, command in cli.COMMANDS.items()
    }
    texts["po3d --help"] = cli.DESCRIPTION
    for name in SCRIPTS:
        source = script(SCRIPTS[name]).read_text(encoding="utf-8")
        texts[name] = source.split('"""')[1]
    result = []
    for where, text in texts.items():
        lines = [
            re.split(r"\s{3,}", line.strip())[0]
            for line in re.sub(r"\\\n\s*", "", text).splitlines()
        ]
        result += [
            Written(where, re.sub(r" \.\.\.(?= |$)", "", line))
            for line in lines
            if line.split(" ")[0] in PROGRAMS[:2] and len(line.split()) > 2
        ]
    return result


COMMANDS = sorted({*on_pages(), *in_help()})
IDS = [f"{one.where}: {one.command}" for one in COMMANDS]


def bare(command: str) -> str:
    """A command without quotations and comment."""
    return re.sub(r"\s#.*", "", re.sub(r"'[^']*'|\"[^\"]*\"", "''", command))


def parts(command: str) -> list[list[str]]:
    """The words of each program of a line."""
    words = shlex.split(command, comments=True)
    return [
        list(part) for ends, part in itertools.groupby(words, lambda word: word == "&&") if not ends
    ]


@pytest.mark.parametrize("written", COMMANDS, ids=IDS)
def test_a_documented_command_can_be_provided_as_it_is_written(written):
    if "<<" not in written.command:
        assert not SPECIAL.search(bare(written.command)), "quote what a shell would act upon"
    for words in parts(written.command):
        understood(words)
        files_exist(words)


def understood(words: list[str]) -> None:
    """The program has these options."""
    program, *supplied = words
    if program == "pip" or program.endswith("/pip"):
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
            "optional-dependencies"
        ]
        for query in re.findall(r"\[([^]]+)\]", " ".join(supplied)):
            assert set(query.split(",")) <= extras.keys()
    elif program == "python" and supplied[0] in SCRIPTS:
        composed(SCRIPTS[supplied[0]], tuple(supplied[1:]))
    elif program == "python" and supplied[0] == "-m" and supplied[1].startswith("po3d"):
        source = importlib.util.find_spec(supplied[1])
        assert source is not None
        code = Path(source.origin).read_text(encoding="utf-8")
        if "figures_command(" in code:  # the command line that two modules share
            code += inspect.getsource(beliefs.figures_command)
        assert all(f'"{flag}"' in code for flag in supplied[2:] if flag.startswith("--"))
    elif program == "po3d" and supplied and supplied[0] in (*cli.SCRIPTS, "generate"):
        composed(supplied[0], tuple(supplied[1:]))
    elif program == "po3d" and supplied:
        cli.parsed(supplied)


@functools.cache
def composed(name: str, options: tuple[str, ...]) -> None:
    if "-m" in options:  # a sweep: every one of its jobs; the launchers are other packages'
        supplied = [
            option
            for option in options
            if not option.startswith(("-m", "hydra")) and "${hydra" not in option
        ]
        each = [
            [f"{o.partition('=')[0]}={value}" for value in o.partition("=")[2].split(",")]
            for o in supplied
        ]
        for job in itertools.product(*each):
            composed(name, job)
    elif recipe := next((o.partition("=")[2] for o in options if o.startswith("recipe=")), ""):
        start = next((o.partition("=")[2] for o in options if o.startswith("start=")), "")
        supplied = [
            o for o in options if not o.startswith(("recipe=", "start=", "export=", "out="))
        ]
        content = OmegaConf.load(ROOT / "configs" / "recipe" / f"{recipe}.yaml")
        built = Recipe(OmegaConf.to_container(content), supplied, "runs", start)
        for stage in built.stages:
            built.request(stage, lambda own: OmegaConf.to_container(compose(name, own)))
    elif options != ("--help",):
        compose(name, options)


def files_exist(words: list[str]) -> None:
    """Paths are shipped, made by a command, or to be put in."""
    for before, word in itertools.pairwise(words):
        value = word.partition("=")[2] or word
        looks = re.fullmatch(
            r"[\w.~/-]*(?:/[\w.-]+|\.(?:jsonl?|jpg|png|tsv|csv|xlsx|py|tex|html|md))", value
        )
        if not looks or before in WRITTEN or word.startswith(("out=", "system.base_url", "--out=")):
            continue
        if PLACEHOLDER.search(value) or value.startswith(("outputs/", "~/", "http")):
            continue
        stands = (ROOT / value).exists() or (ROOT / f"{value}.safetensors").exists()
        assert stands, f"{value} is not shipped; what has to be put in stands in capitals"


INSTALLED = general_parser.there  # before the fixture that hides the extra from tests
ASKED = [
    one
    for one in COMMANDS
    if one.where in ("README.md", "asking.md")
    and one.command.startswith("po3d ask")
    and not PLACEHOLDER.search(bare(one.command))
]


@pytest.mark.parametrize("extra", ["with the extra reader", "without"])
@pytest.mark.parametrize("written", ASKED, ids=[one.command for one in ASKED])
def test_the_questions_of_readme_and_manual_are_answered(
    written, extra, tmp_path, monkeypatch, capsys
):
    if extra != "without" and not INSTALLED():
        pytest.skip("the extra reader is not installed")
    monkeypatch.setattr(
        general_parser, "there", (lambda *_: False) if extra == "without" else INSTALLED
    )
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    ((_, *arguments),) = parts(written.command)
    assert po3d.main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(("answer: ", '{"question"'))
    for flag, name in itertools.pairwise(arguments):
        assert flag != "--save" or (tmp_path / name).stat().st_size > 1000


def test_the_check_notices_what_a_shell_would_change():
    assert SPECIAL.search(bare("python evaluate.py wandb={project: po3d}"))
    assert SPECIAL.search(bare("python evaluate.py system=random|frequency"))
    assert not SPECIAL.search(bare("python evaluate.py 'oracle=[heading]'   # one [module]"))
    with pytest.raises(InputError):
        understood(["python", "evaluate.py", "sise=3"])
    with pytest.raises(AssertionError):
        files_exist(["po3d", "ask", "room.json"])
    assert len(ASKED) >= 8
