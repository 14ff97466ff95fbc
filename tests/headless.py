"""A headless chromium over its debugging pipe: pages are opened, asked and photographed, and what
they complain of is kept.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60  # seconds for one answer


def executable() -> str | None:
    """The browser's path, None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A browser of its own profile; `with` ends it."""

    def __init__(
        self, profile: Path, width: int = 1280, height: int = 900, draws: bool = False
    ) -> None:
        """`draws`: with WebGL in software."""
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        software = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        flags = [
            "--headless=new",
            "--no-sandbox",
            *(software if draws else ["--disable-gpu"]),
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--hide-scrollbars",
            "--remote-debugging-pipe",
            f"--window-size={width},{height}",
            f"--user-data-dir={profile}",
            "about:blank",
        ]
        pipes = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", pipes, executable(), *flags],
            pass_fds=(theirs_in, theirs_out),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._read, self._count, self._session = b"", 0, None
        self.events: list[dict] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self._session = None
        try:
            self.call("Browser.close")
            self._process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def call(self, method: str, **parameters: object) -> dict:
        """The result of one command; RuntimeError when the browser refuses it or is gone."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while (answer := self._message(deadline)).get("id") != self._count:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _message(self, deadline: float) -> dict:
        while b"\0" not in self._read:
            if not select.select([self._in], [], [], max(0, deadline - time.monotonic()))[0]:
                raise RuntimeError("the browser does not answer")
            if not (more := os.read(self._in, 1 << 16)):
                raise RuntimeError("the browser is gone")
            self._read += more
        message, _, self._read = self._read.partition(b"\0")
        return json.loads(message)

    def open(self, address: str) -> None:
        """Open an address and wait until it is loaded; earlier events are forgotten."""
        self._load("about:blank")  # so that another fragment is another page
        self._load(address)

    def _load(self, address: str) -> None:
        self.events.clear()
        self.call("Page.navigate", url=address)
        deadline = time.monotonic() + PATIENCE
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._message(deadline))

    def ask(self, expression: str) -> object:
        """The value of a JavaScript expression in the page."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def key(self, key: str) -> None:
        """Press and let go of a key."""
        self.call(
            "Input.dispatchKeyEvent",
            type="keyDown",
            key=key,
            **({"text": key} if len(key) == 1 else {}),
        )
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self, path: Path) -> None:
        """A PNG of the whole page."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def complaints(self) -> list[str]:
        """Errors and warnings of the console since the page was opened: exceptions, refused
        scripts, failed loads.
        """
        self.call(
            "Runtime.evaluate", expression="0"
        )  # what was said until now has come when this has
        result = []
        for event in self.events:
            about, method = event.get("params", {}), event.get("method")
            if method == "Runtime.exceptionThrown":
                result.append(
                    about["exceptionDetails"].get("exception", {}).get("description", "exception")
                )
            elif method == "Runtime.consoleAPICalled" and about["type"] in (
                "error",
                "warning",
                "assert",
            ):
                result.append(f"console.{about['type']}: {about['args']}")
            elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
                result.append(about["entry"]["text"])
        return result

    def fetched(self) -> list[str]:
        """Addresses that were asked for since the page was opened, without data: ones."""
        query = [
            e["params"]["request"]["url"]
            for e in self.events
            if e.get("method") == "Network.requestWillBeSent"
        ]
        return [url for url in query if not url.startswith("data:")]
