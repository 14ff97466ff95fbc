"""`po3d serve`: po3d as a model with OpenAI's chat completions API, as described by its --help."""

import argparse
import contextlib
import io
import ipaddress
import json
import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from po3d.io.errors import InputError
from po3d.systems.chat import MODELS, DomainPipelines, Refusal, answer, read_request

LINGER = 2.0  # seconds that a refused client has to finish sending
GRACE = 1.0  # seconds that pending requests have after SIGTERM before they are refused
FAREWELL = 0.3  # seconds to send the last answers and refusals
METHODS = "GET, HEAD, POST"


@dataclass(frozen=True)
class Limits:
    """Limits of single requests and of all requests together."""

    body: int = 32_000_000  # bytes
    seconds: float = 120.0  # until the answer, including queueing
    idle: float = 30.0  # for the client to send its request
    # maximum number of pending requests, and thus of bodies in memory; others are refused
    waiting: int = 32
    connections: int = 128


class Server(ThreadingHTTPServer):
    """HTTP server: one thread per connection reads and waits, one pool computes answers."""

    daemon_threads = True
    allow_reuse_address = True
    # Pending connections; with Python's default of 5, further ones retry after a second.
    request_queue_size = 128

    def __init__(
        self,
        address: tuple[str, int],
        worlds: DomainPipelines,
        limits: Limits = Limits(),
        workers: int = 1,
        names: Collection[str] = (),
    ) -> None:
        """Start the server; `names` are host names accepted in addition to localhost and IP
        addresses."""
        self.worlds = worlds
        self.stopped = False  # waiting for answers is aborted
        # events of pending requests; set to end the waiting
        self.waiters: set[threading.Event] = set()
        self.limits, self.started = limits, int(time.time())
        self.names = {"localhost", address[0].lower(), *map(str.lower, names)}
        self.pool = ThreadPoolExecutor(workers, "answer")
        self.slots = threading.BoundedSemaphore(limits.waiting)
        self.open = threading.BoundedSemaphore(limits.connections)
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, Handler)

    @property
    def base_url(self) -> str:
        """The URL to be configured in clients."""
        host, port = self.server_address[:2]
        return f"http://[{host}]:{port}/v1" if ":" in str(host) else f"http://{host}:{port}/v1"

    def reached_as(self, authority: str) -> bool:
        """Return whether a Host header names this server.

        Protects against DNS rebinding: a page of another site can make a browser send requests
        under a host name that resolves to this machine, but not under an IP address."""
        try:
            host = urlsplit(f"//{authority}").hostname or ""
        except ValueError:
            return False
        if host in self.names:
            return True
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return True

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self.open.acquire(blocking=False):
            # without an error response: such a client is not expected to read it
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.open.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore disconnected clients."""

    def respond(self, body: Callable[[], bytes]) -> dict:
        """Return the response to a request, computed in the pool; the body is read once there is
        capacity.

        Raise Refusal if it takes too long or too many requests are pending."""
        if not self.slots.acquire(blocking=False):
            busy = f"{self.limits.waiting} requests are already in progress; try again later"
            raise Refusal(503, busy, code="busy")
        try:
            data = body()
            future: Future[dict] = self.pool.submit(self._work, data)
        except RuntimeError:  # the pool is shut down
            self.slots.release()
            raise _stopping() from None
        except BaseException:
            self.slots.release()
            raise
        future.add_done_callback(lambda _: self.slots.release())
        # concurrent.futures.wait would not return for futures cancelled by shutdown
        waiter = threading.Event()
        self.waiters.add(waiter)
        future.add_done_callback(lambda _: waiter.set())
        if not self.stopped:
            waiter.wait(self.limits.seconds)
        self.waiters.discard(waiter)
        if future.done():
            try:
                return future.result()
            except CancelledError:
                raise _stopping() from None
        future.cancel()
        if self.stopped:
            raise _stopping()
        raise Refusal(503, f"no answer within {self.limits.seconds:g} seconds", code="timeout")

    def _work(self, body: bytes) -> dict:
        request = read_request(body)
        try:
            "".join((*request.texts, request.extras["frame"], request.extras["change"])).encode()
        except UnicodeEncodeError:  # valid JSON, but not encodable for the parsers
            raise Refusal(400, "a string contains a lone surrogate", "messages") from None
        return answer(self.worlds, request)

    def server_close(self) -> None:
        """Stop listening and cancel queued requests."""
        super().server_close()
        self.pool.shutdown(wait=False, cancel_futures=True)

    def give_up(self) -> None:
        """Refuse all pending requests."""
        self.stopped = True
        for waiter in list(self.waiters):
            waiter.set()

    def drained(self, seconds: float) -> bool:
        """Return whether all pending requests end within `seconds`."""
        end = time.monotonic() + seconds
        taken = 0
        while taken < self.limits.waiting:
            if not self.slots.acquire(timeout=max(end - time.monotonic(), 0)):
                break
            taken += 1
        if taken:
            self.slots.release(taken)
        return taken == self.limits.waiting


def _stopping() -> Refusal:
    return Refusal(503, "the server is stopping", code="stopping")


class Timed(io.RawIOBase):
    """A client's stream with a deadline for the whole request, so that slow clients do not block
    threads."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.deadline = connection, float("inf")

    def within(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.connection.settimeout(left)
        return self.connection.recv_into(buffer)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "po3d", ""

    def setup(self) -> None:
        super().setup()
        self.sent = Timed(self.connection)
        self.rfile = io.BufferedReader(self.sent)

    def handle_one_request(self) -> None:
        """Handle one request, with a deadline for its header."""
        self.sent.within(self.server.limits.idle)
        super().handle_one_request()

    def parse_request(self) -> bool:
        """Return whether the request may be answered; otherwise a refusal has been sent."""
        if not super().parse_request():
            return False
        host = self.headers.get("Host", "")
        if not self.server.reached_as(host):
            unknown = f"unknown host name {host[:80]!r}; add it with `po3d serve --name`"
            self._refuse(Refusal(403, unknown))
            return False
        origin = self.headers.get("Origin")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            self._refuse(Refusal(403, "requests from pages of other sites are refused"))
            return False
        return True

    def do_HEAD(self) -> None:
        """Same as GET, without the body."""
        self.do_GET()

    def do_GET(self) -> None:
        """Return the list of models, one model, or the health status."""
        path = self.path.split("?")[0].rstrip("/")
        shared = {"object": "model", "created": self.server.started, "owned_by": "po3d"}
        models = {name: {"id": name, **shared} for name in MODELS}
        if path == "/health":
            self._send(200, {"status": "ok"})
        elif path == "/v1/models":
            self._send(200, {"object": "list", "data": list(models.values())})
        elif path.startswith("/v1/models/") and path.split("/")[-1] in models:
            self._send(200, models[path.split("/")[-1]])
        else:
            known = "/v1/models, POST /v1/chat/completions"
            self._refuse(Refusal(404, f"not found: GET {path[:80]}; known: {known}"))

    def do_POST(self) -> None:
        """Return an answer."""
        try:
            if self.path.split("?")[0].rstrip("/") != "/v1/chat/completions":
                raise Refusal(404, f"not found: POST {self.path[:80]}; known: /v1/chat/completions")
            self._send(200, self.server.respond(self._body))
        except Refusal as refusal:
            self._refuse(refusal)
        except InputError as error:
            self._refuse(Refusal(400, str(error)))
        except TimeoutError:
            seconds = f"{self.server.limits.idle:g} seconds"
            self._refuse(Refusal(408, f"the request was not received within {seconds}"))
        except ConnectionError:
            self.close_connection = True
        # an internal error is reported to the client, and the server keeps running
        except Exception as error:
            self.log_error("%r", error)
            self._refuse(Refusal(500, f"internal error ({type(error).__name__})"))

    def _body(self) -> bytes:
        kind = self.headers.get("Content-Type", "").split(";")[0].strip().lower()
        if kind != "application/json":  # a web page cannot send this type without a CORS preflight
            raise Refusal(415, "Content-Type should be application/json")
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdecimal():
            raise Refusal(411, "Content-Length is missing; chunked bodies are not supported")
        if len(length) > 4000:  # int() rejects longer numbers
            raise Refusal(413, f"Content-Length has {len(length):,} digits")
        if int(length) > (most := self.server.limits.body):
            large = f"the body has {int(length):,} bytes, more than the limit of {most:,}"
            raise Refusal(413, large)
        self.sent.within(self.server.limits.idle)
        data = self.rfile.read(int(length))
        if len(data) < int(length):
            raise ConnectionError("the client disconnected")
        return data

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send protocol errors as JSON instead of http.server's HTML."""
        # otherwise a malformed request gets no status line
        self.request_version = self.protocol_version
        if int(code) == 501:
            code, message = 405, f"the method should be one of {METHODS}"
        self._refuse(Refusal(int(code), message or "the request is malformed"))

    def _refuse(self, refusal: Refusal) -> None:
        self.close_connection = True  # the body may be unread
        self._send(refusal.status, refusal.as_json())
        # Closing a connection with unread data resets it, and the client may lose the error: read
        # the rest first.
        end, left = time.monotonic() + LINGER, 2 * self.server.limits.body
        self.sent.within(LINGER)
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            while left > 0 and time.monotonic() < end and (part := self.rfile.read1(65536)):
                left -= len(part)

    def _send(self, status: int, value: dict) -> None:
        # a refusal may quote half a surrogate pair
        data = json.dumps(value, ensure_ascii=False).encode(errors="replace")
        self.connection.settimeout(self.server.limits.idle)
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            if status == 503:
                self.send_header("Retry-After", "1")
            if status == 405:
                self.send_header("Allow", METHODS)
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)
        except OSError:
            self.close_connection = True

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Do not log requests; errors are logged."""


# --- the command ----------------------------------------------------------------------------------


def serve_command(arguments: argparse.Namespace) -> int:
    """Serve until interrupted or terminated; pending requests then have GRACE seconds."""
    if not 0 <= arguments.port < 65536 or arguments.workers < 1:
        raise InputError("--port should be between 0 and 65535, --workers at least 1")
    if not (0 < arguments.timeout < math.inf and 0 < arguments.max_megabytes < math.inf):
        raise InputError("--timeout and --max-megabytes should be positive")
    from po3d.systems.build import build_pipeline

    streets = build_pipeline(
        "street",
        perception=arguments.perception_checkpoint,
        parser_checkpoint=arguments.parser_checkpoint,
        mode=arguments.mode,
    )
    room_parser = arguments.room_parser_checkpoint
    worlds = DomainPipelines(
        {
            "street": lambda: streets,
            "rooms": lambda: build_pipeline("rooms", parser_checkpoint=room_parser),
            "photographs": lambda: build_pipeline("photographs"),
            "orbit": lambda: build_pipeline("orbit"),
        }
    )
    limits = Limits(int(arguments.max_megabytes * 1e6), arguments.timeout)
    try:
        server = Server(
            (arguments.host, arguments.port), worlds, limits, arguments.workers, arguments.name
        )
    except OSError as error:
        raise InputError(
            f"cannot listen on {arguments.host}:{arguments.port} ({error.strerror or error})"
        ) from None
    with server:
        print(f"serving {', '.join(MODELS)} at {server.base_url}", flush=True)
        if not ipaddress.ip_address(str(server.server_address[0]).split("%")[0]).is_loopback:
            note = "the server has no access control: anyone who can reach this machine can use it"
            print(f"note: {note}", flush=True)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("stopping", flush=True)
    drained = server.drained(GRACE)
    if not drained:
        server.give_up()
    time.sleep(FAREWELL)
    if not drained:
        sys.stdout.flush()
        os._exit(0)  # the interpreter would wait for threads that are still computing
    return 0
