"""A page in the browser: a picture, its table, the scene in 3D; ask, change, drag, undo.

    po3d studio                              opens with a shipped example; http://127.0.0.1:8080
    po3d studio data/examples/room.json      with a table of yours, or a picture

Click a thing to take it: drag it by its handle, turn it, paint it, remove it. Say a change ("The blue chair has been moved next to
the bed."), say where the front is, ask a question, and see each step with its things lit up. Undo goes back one change.
It listens on this machine alone, fetches nothing and opens no file that a page names. Needs `pip install 'po3d[studio]'`.
"""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input", nargs="?", metavar="IMAGE_OR_SCENE", help="what to begin with; default: a shipped example"
    )
    parser.add_argument(
        "--port", type=int, default=8080, help="the next free one is taken; 0: any (default: 8080)"
    )


def run(arguments: argparse.Namespace) -> int:
    from po3d.io.errors import InputError
    from po3d.io.guard import needed

    if not 0 <= arguments.port < 65536:
        raise InputError("--port should be 0 to 65535")
    needed("viser", "studio", "the studio needs")
    from po3d.cli.studio_page import serve

    return serve(arguments.input, arguments.port)
