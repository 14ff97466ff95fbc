"""`po3d serve`: po3d as a model behind OpenAI's chat completions, for harnesses and clients.

    po3d serve --port 8457
    GET  /v1/models               the models below
    POST /v1/chat/completions     the last user message: images as data URIs, and a question in
                                  the text; further inputs in the field "po3d", beside messages

    po3d-pulsecheck457-2d     left and right are the camera's
    po3d-pulsecheck457-6d     left and right are the object's own
    po3d-pulsecheck457        the object's own if the words around the question mention a
                              perspective, else the camera's
    po3d-hypo3d               rooms' maps; "Change: .." and "Frame: .." lines, or po3d.change,
                              po3d.frame; po3d.metres_per_pixel
    po3d-3dsrbench            images of rooms; po3d.focal, in widths of the image
    po3d-scope                1 to 8 images from an orbit, with their angles in the text or in
                              po3d.views
    po3d                      the image selects the model, if it is in the training domain of one
                              of them

The question is the line after "Question:", else the last line, else the last sentence, that ends in
a question mark and can be parsed. The answer is in the template {'Reasoning': .., 'Answer': ..} if
the message asks for it, else alone; the field "po3d" of the response has status, probability,
program and reason.

Nothing is downloaded or stored. The server listens on 127.0.0.1 by default. Requests that are too
large, too long, too many at once or malformed are rejected with a JSON error that has the reason,
as are requests from pages of other sites, or for host names that are not the server's. GET /health
reports the status; after SIGTERM, running requests have one second to finish.
"""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument("--port", type=int, default=8457, help="the port; 0 selects a free one")
    text = (
        "an additional host name of the server, besides localhost and IP addresses; may be repeated"
    )
    parser.add_argument("--name", action="append", default=[], metavar="HOST", help=text)
    parser.add_argument(
        "--mode",
        choices=("argmax", "marginal", "samples"),
        default="marginal",
        help="uncertainty of the scene, as in `po3d ask`; argmax is for true scenes",
    )
    parser.add_argument(
        "--workers", type=int, default=1, help="number of answers computed in parallel (default: 1)"
    )
    text = "time limit of an answer (default: 120)"
    parser.add_argument("--timeout", type=float, default=120.0, metavar="SECONDS", help=text)
    text = "maximum size of a request (default: 32)"
    parser.add_argument("--max-megabytes", type=float, default=32.0, metavar="MB", help=text)
    parser.add_argument(
        "--perception-checkpoint", default="street_estimator", metavar="NAME_OR_PATH"
    )
    parser.add_argument("--parser-checkpoint", default="street_parser", metavar="NAME_OR_PATH")
    parser.add_argument("--room-parser-checkpoint", default="room_parser", metavar="NAME_OR_PATH")
