"""The studio in a real browser: open, ask, highlight, change, take, paint, undo, a file that is
none.
"""

import base64
import signal
import subprocess
import sys
import time

import pytest
from headless import Browser, executable

viser = pytest.importorskip("viser", reason="pip install 'po3d[studio]'")

from po3d.cli import studio_page  # noqa: E402
from po3d.cli.studio_drawing import about_z  # noqa: E402
from po3d.cli.studio_session import EXAMPLES, Session  # noqa: E402

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        executable() is None, reason="no chromium on this machine: apt-get install chromium"
    ),
]
PATIENCE = 60
HELPERS = """
window.button = words => [...document.querySelectorAll("button")].find(b => b.innerText.trim() === words).click();
window.type = (n, words) => {
  const fields = [...document.querySelectorAll("input")].filter(e =>
    e.type === "text" && e.offsetParent && !(e.labels || []).length && !e.value.startsWith("ws:"));
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(fields[n], words);
  fields[n].dispatchEvent(new Event("input", {bubbles: true})); };
window.upload = (name, data) => {
  const input = document.querySelector("input[type=file]"), files = new DataTransfer();
  files.items.add(new File([Uint8Array.from(atob(data), c => c.charCodeAt(0))], name));
  input.files = files.files; input.dispatchEvent(new Event("change", {bubbles: true})); };
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    session = Session()
    session.open_example("room.json")
    built = studio_page.StudioPage(session, 0)
    with Browser(tmp_path_factory.mktemp("profile"), draws=True) as browser:
        browser.open(built.address)
        until(lambda: "Apply change" in browser.ask("document.body.innerText"))
        browser.ask(HELPERS)
        yield built, browser
    built.server.stop()


def until(done):
    """Wait for what the page answers in its own time."""
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.1)


def said(browser) -> str:
    return browser.ask("document.body.innerText")


def test_a_room_is_queried_changed_and_put_back(page):
    built, browser = page
    session = built.session
    browser.ask("type(0, 'How many desks are there?')")
    until(lambda: built.question.value == "How many desks are there?")
    browser.ask("button('Ask')")
    until(lambda: "(probability 1.00)" in said(browser))
    assert len(built.last_answer.trace) >= 2
    desks = [k for k, name in enumerate(session.names) if name.startswith("desk")]
    built.steps.value = built.steps.options[1]
    assert built._lit() == desks
    before = session.scene
    browser.ask("type(1, 'The blue chair has been moved next to the bed.')")
    until(lambda: built.sentence.value.startswith("The blue"))
    browser.ask("button('Apply change')")
    until(lambda: session.scene is not before)
    browser.ask("button('Undo')")
    until(lambda: session.scene is before)
    browser.ask("button('Undo')")
    until(lambda: "nothing to undo" in said(browser))


def test_what_is_dragged_stays_where_it_is_dropped(page):
    """What the browser calls when the mouse lets go of the handle."""
    built, _ = page
    row = built.session.names.index("bed")
    built._take(row)
    handle = built.drawing.handles[-1]
    handle.position, handle.wxyz = (1.25, 2.5, 0.3), about_z(1.0)

    built._drop(row, handle)
    moved = built.session.scene.objects[row]
    assert (*moved.position[:2], moved.heading) == pytest.approx((1.25, 2.5, 1.0))
    built.session.undo()
    built._take(None)


def test_files_come_through_the_page_and_bad_ones_leave_it_as_it_was(page):
    built, browser = page
    before = built.session.state
    for name, data in (
        ("evil.svg", b"<svg onload='alert(1)'/>"),
        ("x.png", b"\x89PNG\r\n\x1a\n" + bytes(9)),
        ("y.json", b'{"format": 1}'),
    ):
        built._say("")
        browser.ask(f"upload({name!r}, {base64.b64encode(data).decode()!r})")
        until(lambda: built.status.content)
        assert built.session.state is before
    data = EXAMPLES["street.json"].read_bytes()
    browser.ask(f"upload('street.json', {base64.b64encode(data).decode()!r})")
    until(lambda: built.session.world == "street")
    until(lambda: "frame of left and right" in said(browser))
    assert "Apply change" not in said(browser)
    assert all(
        "THREE." in complaint for complaint in browser.complaints()
    )  # what its 3D library warns of


def test_pages_of_other_sites_get_no_connection(page):
    import asyncio

    from websockets.asyncio.client import connect
    from websockets.exceptions import InvalidStatus

    address = page[0].address.replace("http", "ws")

    async def refused(origin: str | None, **headers: str) -> bool:
        try:
            async with connect(
                address,
                origin=origin,
                open_timeout=10,
                subprotocols=["viser-v" + viser.__version__],
                additional_headers=headers,
            ):
                return False
        except InvalidStatus as error:
            return error.response.status_code == 403

    assert asyncio.run(refused("http://evil.example"))
    assert asyncio.run(refused("http://localhost.evil.example"))
    assert asyncio.run(refused("http://localhost:1"))  # another program's page on this machine
    assert asyncio.run(refused("http://127.0.0.1"))
    assert asyncio.run(refused("https" + page[0].address.removeprefix("http")))
    assert asyncio.run(refused("null"))
    assert asyncio.run(refused(None))
    assert not asyncio.run(refused(page[0].address))


def test_it_says_where_it_is_and_ends_when_it_is_stopped():
    command = [sys.executable, "-m", "po3d", "studio", "data/examples/room.json", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        reply = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        out, error = process.communicate(timeout=60)
    assert reply.startswith("the studio runs at http://127.0.0.1:"), (reply, error)
    assert (out, error, process.returncode) == ("stopped\n", "", 0)
