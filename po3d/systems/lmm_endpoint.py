"""Client of an OpenAI-compatible endpoint: single requests, with a timeout and a size limit."""

import contextlib
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from po3d.io.errors import InputError

LARGEST = 16_000_000  # bytes of a response
LONGEST_WAIT = 60.0  # maximal seconds between two tries
LOOPBACK = ("127.0.0.1", "localhost", "::1")  # hosts that are never reached through a proxy
STOPS = (401, 403, 404)  # errors that apply to all requests: key, rights, model or path
BUSY = (408, 409, 425, 429)  # retried, as are 5xx


class EndpointError(Exception):
    """The endpoint does not answer this request. `wait`: seconds until a retry may succeed, if it
    is busy, failing or unreachable; None if it rejects the request."""

    def __init__(self, reason: str, wait: float | None = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True)
class Endpoint:
    """A chat completions endpoint. `key` is left out of its repr and of every message."""

    base_url: str
    key: str = ""
    timeout: float = 120.0  # seconds for a whole response

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                f"base_url={self.base_url!r} should be a URL such as "
                "http://127.0.0.1:8000/v1, without /chat/completions"
            )
        if parts.username or parts.password:
            raise InputError(
                "base_url contains a password; pass the key in an environment variable"
                " (key_env=NAME)"
            )

    def __repr__(self) -> str:
        return f"Endpoint({self.base_url!r})"

    def chat(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send one request; return the response, its finish_reason and usage (prompt_tokens,
        completion_tokens, as reported by the endpoint). Raises EndpointError, or InputError for
        errors that apply to all requests."""
        url = self.base_url.rstrip("/") + "/chat/completions"
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": "po3d",
        }
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
        end = time.monotonic() + self.timeout
        try:
            opener = _DIRECT if urlsplit(url).hostname in LOOPBACK else _OPENER
            with opener.open(request, timeout=self.timeout) as response:
                data = _read(response, end)
        except urllib.error.HTTPError as error:
            with error:
                raise self._error(error) from None
        except (OSError, http.client.HTTPException) as error:  # URLError and timeouts are OSErrors
            raise EndpointError(
                f"{url}: {self._clean(getattr(error, 'reason', None) or error or 'no answer')}"
            ) from None
        try:
            choice = json.loads(data)["choices"][0]
            content = choice["message"].get("content") or ""
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise EndpointError(
                f"{url}: the response is not a chat completion: {self._clean(data[:200])}"
            ) from None
        if isinstance(content, list):
            texts = []
            for part in content:
                if isinstance(part, dict):
                    texts.append(str(part.get("text", "")))
            content = "".join(texts)
        usage = json.loads(data).get("usage")
        return {
            "response": str(content),
            "finish_reason": str(choice.get("finish_reason") or ""),
            "usage": usage if isinstance(usage, dict) else {},
        }

    def _error(self, error: urllib.error.HTTPError) -> Exception:
        try:
            body = error.read(2000)
        except (OSError, http.client.HTTPException):
            body = b""
        with contextlib.suppress(ValueError, LookupError, TypeError, RecursionError):
            body = json.loads(body)["error"]["message"]
        what = f"{error.url} says {error.code}: {self._clean(body) or error.reason}"
        if error.code in STOPS:
            return InputError(what + "; check base_url, model and the variable named by key_env")
        if error.code in BUSY or error.code >= 500:
            return EndpointError(what, _seconds(error.headers.get("Retry-After")))
        if 300 <= error.code < 400:
            return InputError(
                f"{what}; redirects are not followed, so set"
                f" base_url={error.headers.get('Location')}"
            )
        return EndpointError(what, None)

    def _clean(self, value: object) -> str:
        """Return an endpoint's message on one line, with the key masked."""
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        text = " ".join(text.split())[:300]
        return text.replace(self.key, "***") if self.key else text


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Blocks redirects, which would send the key to another host."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)
_DIRECT = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}))


def _read(response: http.client.HTTPResponse, end: float) -> bytes:
    """Read the body: at most LARGEST bytes, until `end` on the monotonic clock."""
    parts, size = [], 0
    while part := response.read1(65536):
        parts.append(part)
        size += len(part)
        if size > LARGEST:
            raise EndpointError(f"the response has more than {LARGEST:,} bytes", None)
        if time.monotonic() > end:
            raise TimeoutError("the response took longer than the timeout")
    return b"".join(parts)


def _seconds(header: str | None) -> float:
    """Return Retry-After in seconds; 0 for its other form, a date."""
    try:
        return max(0.0, float(header or 0))
    except ValueError:
        return 0.0
