"""Print a script for shell completion of po3d's commands and options.

    po3d completion bash          to be kept as ~/.local/share/bash-completion/completions/po3d
    po3d completion zsh           to be kept as _po3d in a folder of $fpath
    po3d completion fish          to be kept as ~/.config/fish/completions/po3d.fish

Needs `pip install 'po3d[shell]'` to write the script, not to use it.
"""

import argparse

SHELLS = ("bash", "zsh", "fish")
# Metavars of files and folders.
FILES = {"FILE", "PICTURE", "IMAGE_OR_SCENE", "PREDICTIONS", "NAME_OR_PATH", "RESULTS"}
FOLDERS = {"DIR", "ROOT", "RUN"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS)


def run(arguments: argparse.Namespace) -> int:
    from po3d.cli.main import COMMANDS, parser_of
    from po3d.io.cli_errors import needed

    shtab = needed("shtab", "shell", "completion needs")
    parser = parser_of(COMMANDS)
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    for action in (a for command in commands.choices.values() for a in command._actions):
        if action.metavar in FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar in FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    print(shtab.complete(parser, arguments.shell))
    return 0
