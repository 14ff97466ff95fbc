"""`po3d serve`: po3d as a model behind OpenAI's chat completions, by the protocol that its --help tells."""

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
from po3d.systems.chat import MODELS, Refusal, Worlds, answer, read_request

LINGER = 2.0  # seconds that a refused client has to send the rest
GRACE = 1.0  # seconds that requests under way have after SIGTERM; what is not answered then is refused
FAREWELL = 0.3  # seconds to send answers and refusals
METHODS = "GET, HEAD, POST"


@dataclass(frozen=True)
class Limits:
    """What one request, and all together, may take."""

    body: int = 32_000_000  # bytes
    seconds: float = 120.0  # for an answer, waiting included
    idle: float = 30.0  # for the client to send its request
    waiting: int = 32  # requests under way; more are sent away, so there are at most so many bodies at once
    connections: int = 128


class Server(ThreadingHTTPServer):
    """A thread for each connection, which reads and waits; one pool, which answers."""

    daemon_threads = True
    allow_reuse_address = True
    # connections that nobody has taken yet; of Python's 5 the others wait a second for another try
    request_queue_size = 128

    def __init__(
        self,
        address: tuple[str, int],
        worlds: Worlds,
        limits: Limits = Limits(),
        workers: int = 1,
        names: Collection[str] = (),
    ) -> None:
        """`names`: those under which clients may reach the server, beside localhost and IP addresses."""
        self.worlds = worlds
        self.stopped = False  # nobody should wait for an answer any more
        # of requests under way; set when there is no more to wait for
        self.waiters: set[threading.Event] = set()
        self.limits, self.started = limits, int(time.time())
        self.names = {"localhost", address[0].lower(), *(name.lower() for name in names)}
        self.pool = ThreadPoolExecutor(workers, "answer")
        self.slots = threading.BoundedSemaphore(limits.waiting)
        self.open = threading.BoundedSemaphore(limits.connections)
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, Handler)

    @property
    def base_url(self) -> str:
        """What a client is given."""
        host, port = self.server_address[:2]
        return f"http://[{host}]:{port}/v1" if ":" in str(host) else f"http://{host}:{port}/v1"

    def reached_as(self, authority: str) -> bool:
        """Whether a Host header names this server. A page of another site can make a browser ask under a name of its own
        that resolves to this machine, but not under an address."""
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
            self.shutdown_request(request)  # not even an error: whoever opens so many doesn't read
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.open.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""

    def respond(self, body: Callable[[], bytes]) -> dict:
        """The response to a request, whose body is read once there is room for it, and worked out in the pool; Refusal
        when that takes too long or too many wait."""
        if not self.slots.acquire(blocking=False):
            raise Refusal(
                503, f"{self.limits.waiting} requests are under way already; try again later", code="busy"
            )
        try:
            data = body()
            future: Future[dict] = self.pool.submit(self._work, data)
        except RuntimeError:  # the pool takes no more
            self.slots.release()
            raise _stopping() from None
        except BaseException:
            self.slots.release()
            raise
        future.add_done_callback(lambda _: self.slots.release())
        waiter = threading.Event()  # concurrent.futures.wait sleeps on where shutdown cancels a future
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
        asked = read_request(body)
        try:
            "".join((*asked.texts, asked.told.frame, asked.told.change)).encode()
        except UnicodeEncodeError:  # JSON can say it, but no reader of questions takes it
            raise Refusal(
                400, "a text has half a surrogate pair, which is no character", "messages"
            ) from None
        return answer(self.worlds, asked)

    def server_close(self) -> None:
        """Stop listening, and give up what still waits."""
        super().server_close()
        self.pool.shutdown(wait=False, cancel_futures=True)

    def give_up(self) -> None:
        """Refuse what is still under way."""
        self.stopped = True
        for waiter in list(self.waiters):
            waiter.set()

    def drained(self, seconds: float) -> bool:
        """Whether the requests under way have ended within so many seconds."""
        end = time.monotonic() + seconds
        taken = 0
        while taken < self.limits.waiting and self.slots.acquire(timeout=max(end - time.monotonic(), 0)):
            taken += 1
        self.slots.release(taken) if taken else None
        return taken == self.limits.waiting


def _stopping() -> Refusal:
    return Refusal(503, "the server is stopping", code="stopping")


class Timed(io.RawIOBase):
    """What a client sends, until a deadline: one that sends a byte now and then holds no thread for long."""

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
        """One request, whose head has so long to come."""
        self.sent.within(self.server.limits.idle)
        super().handle_one_request()

    def parse_request(self) -> bool:
        """Whether the request is one that may be answered; else it has been refused."""
        if not super().parse_request():
            return False
        host = self.headers.get("Host", "")
        if not self.server.reached_as(host):
            self._refuse(
                Refusal(403, f"no server of the name {host[:80]!r} is here; `po3d serve --name` adds it")
            )
            return False
        origin = self.headers.get("Origin")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            self._refuse(Refusal(403, "pages of other sites are not answered"))
            return False
        return True

    def do_HEAD(self) -> None:
        """As GET, without the body."""
        self.do_GET()

    def do_GET(self) -> None:
        """The models, all or one; whether the server is well."""
        path = self.path.split("?")[0].rstrip("/")
        models = {
            name: {"id": name, "object": "model", "created": self.server.started, "owned_by": "po3d"}
            for name in MODELS
        }
        if path == "/health":
            self._send(200, {"status": "ok"})
        elif path == "/v1/models":
            self._send(200, {"object": "list", "data": list(models.values())})
        elif path.startswith("/v1/models/") and path.split("/")[-1] in models:
            self._send(200, models[path.split("/")[-1]])
        else:
            self._refuse(
                Refusal(404, f"nothing is at GET {path[:80]}; known: /v1/models, POST /v1/chat/completions")
            )

    def do_POST(self) -> None:
        """An answer."""
        try:
            if self.path.split("?")[0].rstrip("/") != "/v1/chat/completions":
                raise Refusal(404, f"nothing is at POST {self.path[:80]}; known: /v1/chat/completions")
            self._send(200, self.server.respond(self._body))
        except Refusal as refusal:
            self._refuse(refusal)
        except InputError as error:
            self._refuse(Refusal(400, str(error)))
        except TimeoutError:
            self._refuse(Refusal(408, f"the request did not come within {self.server.limits.idle:g} seconds"))
        except ConnectionError:
            self.close_connection = True
        except Exception as error:  # a fault of ours is an answer too, and the server stays up
            self.log_error("%r", error)
            self._refuse(Refusal(500, f"po3d failed on this request ({type(error).__name__})"))

    def _body(self) -> bytes:
        kind = self.headers.get("Content-Type", "").split(";")[0].strip().lower()
        if kind != "application/json":  # what a web page may send unasked is of another type
            raise Refusal(415, "Content-Type should be application/json")
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdecimal():
            raise Refusal(411, "Content-Length is missing; bodies in chunks are not read")
        if len(length) > 4000:  # of more digits int() makes no number
            raise Refusal(413, f"Content-Length has {len(length):,} digits")
        if int(length) > self.server.limits.body:
            raise Refusal(413, f"the body has {int(length):,} bytes, more than {self.server.limits.body:,}")
        self.sent.within(self.server.limits.idle)
        data = self.rfile.read(int(length))
        if len(data) < int(length):
            raise ConnectionError("the client went away")
        return data

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the protocol itself refuses: JSON too, not http.server's page."""
        self.request_version = self.protocol_version  # else a malformed request gets no status line
        if int(code) == 501:
            code, message = 405, f"the method should be one of {METHODS}"
        self._refuse(Refusal(int(code), message or "the request is malformed"))

    def _refuse(self, refusal: Refusal) -> None:
        self.close_connection = True  # a body may be left unread
        self._send(refusal.status, refusal.as_json())
        # Closing on unread data resets the connection, and the client may lose the error: let it finish.
        end, left = time.monotonic() + LINGER, 2 * self.server.limits.body
        self.sent.within(LINGER)
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            while left > 0 and time.monotonic() < end and (part := self.rfile.read1(65536)):
                left -= len(part)

    def _send(self, status: int, value: dict) -> None:
        # a refusal may show half a pair
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
        """Requests are not written down; faults are."""


# --- the command --------------------------------------------------------------------------------------------


def serve_command(arguments: argparse.Namespace) -> int:
    """Serve until interrupted or told to stop; requests under way then have GRACE seconds."""
    if not 0 <= arguments.port < 65536 or arguments.workers < 1:
        raise InputError("--port should be 0 to 65535, --workers at least 1")
    if not (0 < arguments.timeout < math.inf and 0 < arguments.max_megabytes < math.inf):
        raise InputError("--timeout and --max-megabytes should be above 0")
    from po3d.systems import orbit, photographs, rooms, street

    streets = street.pipeline(arguments.perception_checkpoint, arguments.parser_checkpoint, arguments.mode)
    worlds = Worlds(
        {
            "street": lambda: streets,
            "rooms": lambda: rooms.pipeline(parser=arguments.room_parser_checkpoint),
            "photographs": photographs.pipeline,
            "orbit": orbit.pipeline,
        }
    )
    limits = Limits(int(arguments.max_megabytes * 1e6), arguments.timeout)
    try:
        server = Server((arguments.host, arguments.port), worlds, limits, arguments.workers, arguments.name)
    except OSError as error:
        raise InputError(
            f"can't listen on {arguments.host}:{arguments.port} ({error.strerror or error})"
        ) from None
    with server:
        print(f"serving {', '.join(MODELS)} at {server.base_url}", flush=True)
        if not ipaddress.ip_address(str(server.server_address[0]).split("%")[0]).is_loopback:
            print("note: whoever reaches this machine can ask; there is no key", flush=True)
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
        os._exit(0)  # Python would wait for the threads that still answer
    return 0
