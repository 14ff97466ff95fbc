"""The `po3d` command, also as `python -m po3d`."""

import sys
from collections.abc import Sequence

from po3d.io.cli_errors import guarded


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0, 1 (no answer), 2 (invalid input)."""
    code = 0

    def command() -> None:
        nonlocal code
        from po3d.cli import main as cli  # slow import; guarded against Ctrl+C, too

        code = cli.main(argv)

    return guarded(command) or code


if __name__ == "__main__":
    sys.exit(main())
