"""Programs as sentences, and checks of grammar files.

    po3d language say 'count(filter(color, "red", filter(name, "chair", scene)))'
                                        the plainest sentence for a program
    po3d language say PROGRAM -n 5      up to five
    po3d language check                 errors in a file of language/grammars

The exit code is 1 if `check` finds an error.
"""

import argparse

WORDINGS = 50  # samples drawn to find that many different sentences


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="say|check", required=True)
    say = what.add_parser("say", help="print a program as sentences")
    say.add_argument("program", help="a program in the syntax of docs/programs.md")
    say.add_argument("-n", type=int, default=1, help="maximum number of sentences to print")
    what.add_parser("check", help="check the grammar files; prints one error per line")


def run(arguments: argparse.Namespace) -> int:
    return _say(arguments.program, arguments.n) if arguments.what == "say" else _check()


def _say(text: str, number: int) -> int:
    import numpy as np

    from po3d.io.errors import InputError
    from po3d.language.grammar_file import GrammarError
    from po3d.language.program import Call, ProgramError
    from po3d.language.say.plain import say

    try:
        program = Call.parse(text)
        random = np.random.default_rng(0)
        sentences = [
            say(program),
            *(say(program, random) for _ in range(WORDINGS if number > 1 else 0)),
        ]
    except (ProgramError, GrammarError) as error:
        raise InputError(str(error)) from None
    print(*list(dict.fromkeys(sentences))[: max(number, 1)], sep="\n")
    return 0


def _check() -> int:
    from po3d.language.grammar_check import everything

    faults = everything()
    print(*(faults or ["no errors in the grammar files"]), sep="\n")
    return bool(faults)
