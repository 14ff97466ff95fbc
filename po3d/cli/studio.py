"""A page in the browser: an image, its scene as a table and in 3D; questions, changes, undo.

    po3d studio                              opens with a shipped example; http://127.0.0.1:8080
    po3d studio data/examples/room.json      with a scene of yours, or an image
    po3d studio PHOTO.jpg --detector FILE    with a photograph

Click an object to select it: drag it by its handle, rotate, paint or remove it. Type a change ("The
blue chair has been moved next to the bed."), define the front, ask a question, and see each step
with its objects highlighted. Undo reverts one change. The server listens on this machine only,
loads nothing from the network and opens no file named by a page. Needs `pip install
'po3d[studio]'`.
"""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        nargs="?",
        metavar="IMAGE_OR_SCENE",
        help="the image or scene to open (default: a shipped example)",
    )
    parser.add_argument(
        "--detector",
        metavar="FILE",
        help="images are photographs: a detector as an ONNX file (docs/photographs.md)",
    )
    parser.add_argument(
        "--pose",
        metavar="FILE",
        help="photographs: a pose network, for the facing of people (docs/photographs.md)",
    )
    parser.add_argument(
        "--port",
        type=int,
        default=8080,
        help="the port, or the next free one; 0 selects any (default: 8080)",
    )


def run(arguments: argparse.Namespace) -> int:
    from po3d.io.cli_errors import needed
    from po3d.io.errors import InputError

    if not 0 <= arguments.port < 65536:
        raise InputError("--port should be between 0 and 65535")
    if arguments.pose and not arguments.detector:
        raise InputError("--pose is for photographs; give --detector FILE, too")
    needed("viser", "studio", "the studio needs")
    from po3d.cli.studio_page import serve

    return serve(arguments.input, arguments.port, arguments.detector, arguments.pose)
