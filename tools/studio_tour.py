"""Test the studio in a real browser: questions, edits, invalid files, accessibility (axe-core).

    python -m tools.studio_tour                                 everything; exit code 1 on any error
    python -m tools.studio_tour --gif studio.gif --only gif      a short recording

The page is that of `po3d studio`, served by this process so that its session can be inspected; the
browser is headless chromium with software rendering. Needs `pip install -e '.[dev]'` and chromium,
and runs from the repository's root.
"""

import argparse
import base64
import importlib.resources
import io
import json
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from viser import CameraHandle

from po3d.cli.studio_page import START, StudioPage
from po3d.cli.studio_session import Session, model

sys.path += ["tests", "tests/cli"]  # the browser, and the files that the tests upload
from headless import Browser
from test_studio import HOSTILE
from test_studio_browser import HELPERS

SIZE = (1280, 900)
PATIENCE = 20.0  # timeout of an action, seconds
PARTS = ("paint", "room", "street", "hostile", "axe", "gif")
STEP = 0.08  # length of a drag as a share of the scene
NEAREST = 3  # number of objects to drag and rotate
# the browser sends no empty file, and 20 MB do not fit into a command
UNSENT = ("nothing", "too long")
PICKING = """
window.every = selector => [...document.querySelectorAll(selector)];
window.field = words => document.getElementById(
  every("label").find(e => e.innerText === words).htmlFor);
window.shown = words => every("[role=option]").find(
  e => e.offsetParent && e.innerText === words);
"""
ROOM_CHANGES = (
    "The blue chair has been moved next to the bed.",
    "The stool has been removed.",
    "The gray lamp has been removed.",
    "The table was moved next to the wardrobe.",
    "The stool has been moved next to the sink.",
    "The monitor has been removed.",
    "The blue chair has been moved next to the dresser.",
    "The rug has been removed.",
)
ROOM_FORMS = (
    "How many {}s are there?",
    "What is next to the {}?",
    "What is to the left of the {}?",
)
ROOM_NAMES = (
    "bed",
    "wardrobe",
    "dresser",
    "sink",
    "table",
    "chair",
    "stool",
    "door",
    "nightstand",
    "radiator",
)
STREET_FORMS = (
    "How many {}s are there?",
    "Is there a {}?",
    "How many red {}s are there?",
    "How many small {}s are there?",
    "Is there a {} behind the truck?",
    "What color is the {}?",
)
STREET_NAMES = ("car", "bus", "truck", "bicycle", "airplane")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


class Tour:
    """One page in one browser, with a list of its errors."""

    def __init__(self, page: StudioPage, browser: Browser) -> None:
        self.page, self.browser, self.session = page, browser, page.session
        self.wrong: list[str] = []
        self.done: Counter[str] = Counter()
        self.start = time.monotonic()

    def until(self, happened: Callable[[], object], what: str) -> bool:
        """Wait for an asynchronous change of the page; on a timeout record an error and return
        False.
        """
        end = time.monotonic() + PATIENCE
        while not happened():
            if time.monotonic() > end:
                self.wrong.append(f"{what}: nothing happened")
                return False
            time.sleep(0.03)
        return True

    def open(self) -> float:
        """Open the page; return the seconds until the widgets and the scene's canvas are
        visible.
        """
        start = time.perf_counter()
        self.browser.open(self.page.address)
        ready = "document.querySelector('canvas') && document.body.innerText.includes('Undo')"
        self.until(lambda: self.browser.ask(ready), "opening")
        self.browser.ask(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(()"
            " => 0)"
        )
        took = time.perf_counter() - start
        self.browser.ask(HELPERS + PICKING)
        self.settle()
        self.until(lambda: self.page.server.get_clients(), "connecting")
        self.browser.ask(
            "document.querySelectorAll('.mantine-Notification-closeButton').forEach(b => b.click())"
        )
        return took

    def frames(self) -> float:
        """Wait for two frames, after which earlier changes are visible; return the milliseconds."""
        frames = (
            "requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - at)))"
        )
        return self.browser.ask(
            f"new Promise(done => {{ const at = performance.now(); {frames} }})"
        )

    def settle(self) -> None:
        """Wait until frames are fast: with software rendering the first ones take seconds to
        compile.
        """
        end = time.monotonic() + PATIENCE
        while self.frames() > 200 and time.monotonic() < end:
            pass

    def act(
        self, kind: str, what: str, does: Callable[[], object], happened: Callable[[], object]
    ) -> None:
        """Perform one action; a refusal, an exception or no reaction is an error."""
        self.page._say("")
        try:
            does()
        except RuntimeError as error:
            self.wrong.append(f"{kind} {what}: {str(error)[:200]}")
            return
        refused = lambda: self.page.status.content.startswith("**")  # noqa: E731
        if self.until(lambda: happened() or refused(), f"{kind} {what}"):
            if refused():
                self.wrong.append(f"{kind} {what}: {self.page.status.content}")
            else:
                self.done[kind] += 1
                print(
                    f"\r{sum(self.done.values()):4d} actions,"
                    f" {time.monotonic() - self.start:4.0f} s",
                    end="",
                    file=sys.stderr,
                )

    def type(self, number: int, widget, words: str) -> None:
        self.browser.ask(f"type({number}, {json.dumps(words)})")
        self.until(lambda: widget.value == words, f"typing {words!r}")

    def press(self, button: str) -> None:
        self.browser.ask(f"button({json.dumps(button)})")

    def choose(self, label: str, option: str) -> None:
        self.browser.ask(f"field({json.dumps(label)}).click()")
        self.until(lambda: self.browser.ask(f"!!shown({json.dumps(option)})"), f"option {option}")
        self.browser.ask(f"shown({json.dumps(option)}).click()")

    def question(self, words: str) -> None:
        before = self.page.last_answer
        self.type(0, self.page.question, words)
        self.act(
            "question",
            words,
            lambda: self.press("Ask"),
            lambda: self.page.last_answer is not before,
        )
        if self.page.last_answer is not before and self.page.last_answer.status != "ok":
            self.done["question without an answer"] += 1

    def changed(self) -> Callable[[], bool]:
        before = self.session.scene
        return lambda: self.session.scene is not before

    def say(self, words: str) -> None:
        self.type(1, self.page.sentence, words)
        self.act("said", words, lambda: self.press("Apply change"), self.changed())

    def undo(self) -> None:
        if len(self.session.states) < 2:
            self.wrong.append("undo: there is nothing to undo")
            return
        before = self.session.states[-2].scene
        self.act("undo", "", lambda: self.press("Undo"), lambda: self.session.scene is before)

    def take(self, row: int) -> None:
        if self.page.taken != row:
            self.choose("thing", self.session.names[row])
            self.until(lambda: self.page.taken == row, "taking")
            time.sleep(0.3)  # the handle is drawn after the page received the selection
            self.frames()

    def paint(self, row: int, color: str) -> None:
        self.take(row)
        self.act("colour", color, lambda: self.choose("colour", color), self.changed())

    def camera(self) -> CameraHandle:
        return next(iter(self.page.server.get_clients().values())).camera

    def at(self, point: np.ndarray) -> np.ndarray:
        """Return a scene point's position on the screen, in pixels."""
        camera = self.camera()
        ahead = camera.look_at - camera.position
        ahead = ahead / np.linalg.norm(ahead)
        right = np.cross(ahead, (0, 0, 1.0))
        right /= np.linalg.norm(right)
        x, y, z = np.array([right, np.cross(ahead, right), ahead]) @ (point - camera.position)
        width, height = self.browser.ask("[innerWidth, innerHeight]")
        return (
            np.array([width, height]) / 2
            + height / 2 / math.tan(camera.fov / 2) * np.array([x, y]) / z
        )

    def mouse(self, kind: str, at: np.ndarray, pressed: bool) -> None:
        self.browser.call(
            "Input.dispatchMouseEvent",
            type=kind,
            x=float(at[0]),
            y=float(at[1]),
            buttons=int(pressed),
            button="none" if kind == "mouseMoved" and not pressed else "left",
            clickCount=1,
        )
        self.frames()

    def path(self, row: int, turns: bool, step: float, t: float) -> np.ndarray:
        """Return the mouse position after the fraction `t` of a drag: along the arrow of an
        object's handle that looks longer, or along its arc.
        """
        o, size = self.session.scene.objects[row], self.page.handle_size(row)

        def at(angle: float, far: float) -> np.ndarray:
            way = np.array([math.cos(o.heading + angle), math.sin(o.heading + angle), 0])
            return self.at(np.array([*o.position[:2], o.underside + o.extent[2] / 2]) + far * way)

        if turns:
            return at(math.pi / 4 + 0.6 * t, 0.65 * size)
        arrow = max((0.0, math.pi / 2), key=lambda a: float(np.linalg.norm(at(a, size) - at(a, 0))))
        return at(arrow, 0.85 * size + t * step * self.page.drawing.reach)

    def drag(
        self, row: int, turns: bool, step: float, between: Callable[[], None] = lambda: None
    ) -> None:
        """Move a selected object by one of its arrows, by the fraction `step` of the scene, or
        rotate it by its arc.
        """
        self.take(row)

        def does() -> None:
            self.mouse("mouseMoved", self.path(row, turns, step, 0), False)
            self.mouse("mousePressed", self.path(row, turns, step, 0), True)
            for t in np.linspace(0, 1, 7)[1:]:
                self.mouse("mouseMoved", self.path(row, turns, step, t), True)
                if t > 0.4:
                    between()
            self.mouse("mouseReleased", self.path(row, turns, step, 1), False)

        self.act("turned" if turns else "dragged", self.session.names[row], does, self.changed())

    def reachable(self) -> list[int]:
        """Return the objects whose handle is on the screen and not covered by the side panel."""
        edge = self.browser.ask("field('thing').getBoundingClientRect().left") - 150

        def clear(row: int) -> bool:
            points = [self.path(row, turns, STEP, t) for turns in (False, True) for t in (0, 1)]
            return all(60 < p[0] < edge and 60 < p[1] < SIZE[1] - 60 for p in points)

        return [k for k in range(len(self.session.scene.objects)) if clear(k)]

    def unhidden(self) -> list[int]:
        """Return the nearest reachable objects whose handle has free space around it, so that no
        wall or other object covers it.
        """
        objects = self.session.scene.objects

        def free(row: int) -> bool:
            o, size = objects[row], self.page.handle_size(row)
            others = [
                q
                for k, q in enumerate(objects)
                if k != row and q.underside + q.extent[2] > o.underside + 0.1
            ]
            away = [
                math.dist(o.position[:2], q.position[:2]) - max(q.extent[:2]) / 2 for q in others
            ]
            return min(away, default=size) > 0.9 * size

        near = lambda row: float(np.linalg.norm(self.camera().position - objects[row].position))  # noqa: E731
        candidates = [k for k in self.reachable() if free(k)] or self.reachable()
        return sorted(candidates, key=near)[:NEAREST]  # no object is in front of these

    def example(self, name: str) -> None:
        before = self.session.states
        if self.page.example.value == name:
            self.choose("example", START)
        self.choose("example", name)
        self.until(lambda: self.session.states is not before, f"opening {name}")
        self.settle()

    def world(self, name: str, questions: list[str], changes: tuple[str, ...]) -> None:
        """Alternate 30 questions and 30 edits."""
        self.example(name)
        for words in changes:
            self.say(words)
            self.undo()
        edits = 30 - 2 * len(changes)
        for k in range(edits):
            rows, free = self.reachable(), self.unhidden()
            row = rows[(k // 2) % len(rows)]
            match k % 6:
                case 0 | 3:
                    self.drag(free[k % len(free)], False, STEP)
                case 1 | 4 if k % 12 < 6:
                    self.drag(free[k % len(free)], True, 0)
                case 5:
                    self.undo()
                case _:
                    held = self.session.scene.objects[row].value("color")
                    self.paint(row, next(c for c in self.session.colors[k % 3 :] if c != held))
        for words in questions:
            self.question(words)

    def hostile(self) -> None:
        before = self.session.state
        for name, data in HOSTILE.items():
            if name in UNSENT:
                continue
            self.page._say("")
            self.browser.ask(f"upload('evil.png', {base64.b64encode(data).decode()!r})")
            if self.until(lambda: self.page.status.content, name):
                unchanged = self.session.state is before
                refused = (
                    self.page.status.content.startswith("**")
                    and "failed" not in self.page.status.content
                )
                if unchanged and refused:
                    self.done["hostile upload refused"] += 1
                else:
                    self.wrong.append(
                        f"hostile {name}: {self.page.status.content}; scene kept: {unchanged}"
                    )

    def accessible(self) -> None:
        """Return violations of WCAG 2.1 A and AA; only those in po3d's own markup are errors, the
        widgets are viser's.
        """
        axe = importlib.resources.files("axe_core_python") / "axe.min.js"
        self.browser.call("Runtime.evaluate", expression=axe.read_text(encoding="utf-8"))
        violations = self.browser.ask(
            f"axe.run(document, {{runOnly: {TAGS}}}).then(r => r.violations.map(v => [v.id,"
            " v.nodes.map(n => n.html)]))"
        )
        for rule, nodes in violations:
            own_nodes = [
                n
                for n in nodes
                if "mantine" not in n and not n.startswith("<label for") and "m_" not in n
            ]
            print(
                f"  axe {rule}: {len(nodes) - len(own_nodes)} in viser's widgets, {len(own_nodes)}"
                " in ours"
            )
            self.wrong += [f"axe {rule}: {n[:200]}" for n in own_nodes]

    def record(self, path: Path) -> None:
        """Record asking, dragging, a spoken edit and undo as an animation."""
        frames: list[Image.Image] = []
        times: list[int] = []

        def shoot(milliseconds: int = 250, wait: float = 0.5) -> None:
            time.sleep(wait)
            shot = base64.b64decode(self.browser.call("Page.captureScreenshot")["data"])
            frame = Image.open(io.BytesIO(shot)).convert("RGB")
            frames.append(
                frame.resize(
                    (640, round(640 * frame.height / frame.width)), Image.Resampling.LANCZOS
                )
            )
            times.append(milliseconds)

        self.example("room.json")
        shoot(1200)
        self.question("How many desks are there?")
        shoot(1000)
        self.choose("highlight", self.page.steps.options[1])
        shoot(1500, 1)
        self.choose("highlight", "nothing")
        self.say("The blue chair has been moved next to the bed.")
        shoot(1800, 1)
        self.drag(self.session.names.index("table"), False, 0.2, lambda: shoot(250, 0.2))
        shoot(1200, 1)
        self.undo()
        shoot(1000, 1)
        self.undo()
        shoot(1500, 1)
        together = Image.fromarray(np.concatenate([np.asarray(f)[::2, ::2] for f in frames]))
        # one palette for all frames, to avoid flickering
        palette = together.quantize(128, dither=Image.Dither.NONE)
        few = [f.quantize(palette=palette, dither=Image.Dither.NONE) for f in frames]
        few[0].save(
            path, save_all=True, append_images=few[1:], duration=times, loop=0, optimize=True
        )
        print(f"{path}: {len(few)} frames, {path.stat().st_size / 1000:.0f} kB")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gif", type=Path, help="record the page as an animation to this file")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, default=PARTS, help="parts to run (default: all)"
    )
    arguments = parser.parse_args(argv)
    parts = arguments.only
    session = Session()
    session.open_example("room.json")
    for world in ("street", "rooms"):
        model(world)
    page = StudioPage(session, 0)
    with (
        tempfile.TemporaryDirectory() as folder,
        Browser(Path(folder), *SIZE, draws=True) as browser,
    ):
        tour = Tour(page, browser)
        took = [tour.open() for _ in range(5 if "paint" in parts else 1)]
        first = "performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"
        print(
            f"first paint: cold {took[0]:.2f} s, again {', '.join(f'{t:.2f}' for t in took[1:])} s"
        )
        print(f"  the browser's own first contentful paint of the last: {browser.ask(first):.2f} s")
        start = time.perf_counter()
        if "room" in parts:
            tour.world(
                "room.json", [f.format(n) for n in ROOM_NAMES for f in ROOM_FORMS], ROOM_CHANGES
            )
        if "street" in parts:
            tour.world("street.jpg", [f.format(n) for n in STREET_NAMES for f in STREET_FORMS], ())
        if "hostile" in parts:
            tour.hostile()
        if "axe" in parts:
            tour.accessible()
        if arguments.gif:
            tour.record(arguments.gif)
        tour.wrong += [
            c for c in browser.complaints() if "THREE." not in c and "GL Driver" not in c
        ]
        print(f"{time.perf_counter() - start:.0f} s of use")
    page.server.stop()
    for kind, count in tour.done.items():
        print(f"{count:4d} {kind}")
    print(
        "\n".join(
            ["errors: none"] if not tour.wrong else [f"errors: {len(tour.wrong)}", *tour.wrong]
        )
    )
    return int(bool(tour.wrong))


if __name__ == "__main__":
    sys.exit(main())
