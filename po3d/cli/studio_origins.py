"""Connections of browsers that the studio accepts: those of its own page."""

import http
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import websockets.asyncio.server

# Host names of this machine in a browser. The port may differ from ours if it is forwarded, so that
# of the address counts.
OWN = re.compile(r"(127\.0\.0\.1|localhost)(:\d+)?")


def _own_page(headers: Any) -> bool:
    """Whether a request comes from a page at the address that it is sent to."""
    hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
    return (
        len(hosts) == 1
        and OWN.fullmatch(hosts[0]) is not None
        and origins == [f"http://{hosts[0]}"]
    )


@contextmanager
def own_origins() -> Iterator[None]:
    """Within this context, servers accept websockets only from their own page, not from other sites
    or other programs on this machine; viser has no option for it."""
    usual = websockets.asyncio.server.serve

    def serve(*args: Any, process_request: Callable[..., Any], **options: Any) -> Any:
        def checked(connection: Any, request: Any) -> Any:
            if "Upgrade" in request.headers and not _own_page(request.headers):
                return connection.respond(
                    http.HTTPStatus.FORBIDDEN, "the studio serves only its own page\n"
                )
            return process_request(connection, request)

        return usual(*args, process_request=checked, **options)

    websockets.asyncio.server.serve = serve
    try:
        yield
    finally:
        websockets.asyncio.server.serve = usual
