"""The studio's page.

viser draws the scene in 3D and passes the user's actions to a `Session`. This module has the layout
of the widgets and the drawing; the actions are in the session.
"""

import html
import http
import io
import math
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import viser
import websockets.asyncio.server

from po3d.cli.studio_session import EXAMPLES, Session
from po3d.evaluation.report.html_drawings import picture
from po3d.io.errors import InputError, visible
from po3d.io.text_tables import html as table_html
from po3d.scene.display import display_table, paint
from po3d.scene.geometry import Array, Camera
from po3d.scene.table import ObjectState
from po3d.systems.api import SHOWN, Answer

HOST = "127.0.0.1"
# Host names of this machine in a browser. The port may differ from ours if it is forwarded, so that
# of the address counts.
OWN = re.compile(r"(127\.0\.0\.1|localhost)(:\d+)?")
LIT, TAKEN = (255, 200, 0), (0, 114, 178)
BESIDE = 0.25  # offset to the left of a wide window's centre, as a fraction of the scene's width
SPREAD = 2.0  # standard deviations of the ellipse on the ground
START = "choose ..."


def serve(path: str | None, port: int) -> int:
    """Serve the page until interrupted or terminated."""
    session = Session()
    if path is None:
        session.open_example("street.jpg")
    else:
        from po3d.io.files import read_bytes

        session.open(Path(path).name, read_bytes(path, "image or scene"))
    page = StudioPage(session, port)
    try:  # before printing: a program that reads the address may terminate us at once
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        print(f"the studio runs at {page.address}; press Ctrl+C to stop it", flush=True)
        threading.Event().wait()
    except KeyboardInterrupt:
        print("stopped")
    finally:
        with redirect_stdout(io.StringIO()):  # viser prints a message, too
            page.server.stop()
    return 0


def _own_page(headers: Any) -> bool:
    """Whether a request comes from a page at the address that it is sent to."""
    hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
    return (
        len(hosts) == 1
        and OWN.fullmatch(hosts[0]) is not None
        and origins == [f"http://{hosts[0]}"]
    )


@contextmanager
def _own_origins() -> Iterator[None]:
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


class StudioPage:
    """The widgets and the drawing of one session, shared by all browsers."""

    def __init__(self, session: Session, port: int = 8080) -> None:
        self.session, self.taken = session, None  # row of the selected object
        self.lock = threading.RLock()  # viser calls back from several threads
        # Viser prints a box around its address
        with _own_origins(), redirect_stdout(io.StringIO()):
            self.server = viser.ViserServer(HOST, port, label="po3d studio", verbose=False)
        self.address = f"http://{HOST}:{self.server.get_port()}"
        self.server.gui.configure_theme(
            control_width="large", show_logo=False, show_share_button=False
        )
        self.server.scene.set_up_direction("+z")
        # Shadows and reflections take nearly all time of a browser without a GPU: 0.5 frames a
        # second instead of 40.
        self.server.scene.configure_default_lights(cast_shadow=False)
        self.server.scene.configure_environment_map(None)
        self.server.scene.add_light_ambient("/light", intensity=1.5)
        self.handles: list[Any] = []  # handles of the drawn objects
        self.last_answer: Answer | None = None
        self._widgets()
        self.refresh(whole=True)
        self.server.on_client_connect(lambda client: self._look_from([client]))

    # --- widgets ----------------------------------------------------------------------------------

    def _widgets(self) -> None:
        gui = self.server.gui
        self.status = gui.add_markdown("")
        with gui.add_folder("Open"):
            self.example = gui.add_dropdown("example", (START, *EXAMPLES))
            self.upload = gui.add_upload_button(
                "image of a street, or a scene (JSON)", mime_type="image/*,application/json"
            )
        with gui.add_folder("Ask"):
            self.question = gui.add_text("question", "How many cars are there?")
            self.task = gui.add_dropdown("frame of left and right", ("the camera", "the object"))
            self.question_field = gui.add_button("Ask")
            self.answer = gui.add_html("")
            # Interpretations to choose from, if the system abstains.
            self.meant = [gui.add_button(str(k + 1), visible=False) for k in range(SHOWN)]
            self.steps = gui.add_dropdown("highlight", ("nothing",))
        with gui.add_folder("Change"):
            self.sentence = gui.add_text("in words", "")
            self.changed = gui.add_button("Apply change")
            self.frame = gui.add_text("front", "")
            self.framed = gui.add_button("Set front")
            self.undone = gui.add_button("Undo")
        with gui.add_folder("Thing"):
            self.thing = gui.add_dropdown("thing", (START,))
            self.color = gui.add_dropdown("colour", (START,))
            self.removed = gui.add_button("Remove")
        with gui.add_folder("Save"):
            self.save = gui.add_button("Scene (JSON)")
            self.save_picture = gui.add_button("Image (PNG)")
        with gui.add_folder("Table", expand_by_default=True):
            self.table = gui.add_html("")
        self.picture = gui.add_html("")
        self.example.on_update(self._doing(self._open_example))
        self.upload.on_upload(self._doing(self._open_upload))
        self.question_field.on_click(self._doing(self._ask))
        for k, button in enumerate(self.meant):
            button.on_click(self._doing(lambda _, k=k: self._tell(self.last_answer.choices[k])))
        self.steps.on_update(self._doing(lambda _: self._draw()))
        self.changed.on_click(
            self._doing(lambda _: self._changed(self.session.say, self.sentence.value))
        )
        self.framed.on_click(
            self._doing(lambda _: self._changed(self.session.turn_to, self.frame.value))
        )
        self.undone.on_click(self._doing(self._undo))
        self.thing.on_update(self._doing(self._take_named))
        self.color.on_update(self._doing(self._paint))
        self.removed.on_click(self._doing(self._remove))
        self.save.on_click(
            self._doing(lambda e: e.client.send_file_download("scene.json", self.session.saved()))
        )
        self.save_picture.on_click(
            self._doing(
                lambda e: e.client.send_file_download("scene.png", self.session.picture_file())
            )
        )

    def _doing(self, what: Callable[[Any], None]) -> Callable[[Any], None]:
        """Wrap a callback: show its errors instead of ending the page."""

        def callback(event: Any) -> None:
            if event.client is None:  # the widget was set by the page
                return
            with self.lock:
                try:
                    self._say("")
                    what(event)
                except InputError as error:
                    self._say(f"**{_plain(str(error))}**")
                except Exception as error:
                    self._say(
                        f"**internal error ({type(error).__name__}); the scene is unchanged**"
                    )

        return callback

    def _say(self, words: str) -> None:
        self.status.content = words

    # --- actions of the user ----------------------------------------------------------------------

    def _open_example(self, event: Any) -> None:
        if self.example.value != START:
            self.session.open_example(self.example.value)
            self.refresh(whole=True)

    def _open_upload(self, event: Any) -> None:
        self.session.open(self.upload.value.name, self.upload.value.content)
        self.refresh(whole=True)

    def _ask(self, event: Any) -> None:
        task = "6d" if self.task.value == "the object" else "2d"
        self._tell(self.session.ask(self.question.value, task))

    def _tell(self, answer: Answer) -> None:
        """Show an answer; if the system abstained, a button for each interpretation."""
        for k, button in enumerate(self.meant):
            button.visible = k < len(answer.choices)
            if button.visible:
                button.label = f"{k + 1}. {visible(answer.understood[k][0])}"
        self.answer.content = _answer_html(answer)
        self.steps.options = (
            "nothing",
            *(f"{k}. {_short(step)}" for k, step in enumerate(answer.trace, 1)),
        )
        self.last_answer = answer
        self._draw()

    def _changed(self, command: Callable[[str], None], sentence: str) -> None:
        if not sentence.strip():
            raise InputError("the sentence is empty")
        command(sentence.strip())
        self.refresh()
        self._say(_plain(sentence))

    def _undo(self, event: Any) -> None:
        undone = self.session.undo()
        self.refresh()
        self._say(f"undone: {_plain(undone)}")

    def _take_named(self, event: Any) -> None:
        names = self.session.names
        self._take(names.index(self.thing.value) if self.thing.value in names else None)

    def _paint(self, event: Any) -> None:
        if self.color.value == START:
            return
        self.session.paint(self._held(), self.color.value)
        self.refresh()

    def _remove(self, event: Any) -> None:
        self.session.remove(self._held())
        self.taken = None
        self.refresh()

    def _held(self) -> int:
        if self.taken is None:
            raise InputError("select an object first: click it, or choose its name")
        return self.taken

    def _take(self, row: int | None) -> None:
        self.taken = row
        self.refresh()

    # --- display ----------------------------------------------------------------------------------

    def refresh(self, whole: bool = False) -> None:
        """Redraw everything from the session's state; `whole`: it is another scene."""
        session = self.session
        if whole:
            self.taken, self.answer.content, self.last_answer = None, "", None
            for button in self.meant:
                button.visible = False
            self.steps.options = ("nothing",)
            rooms = session.world == "rooms"
            self.question.value = (
                "What is next to the bed?" if rooms else "How many cars are there?"
            )
            for widget in (self.sentence, self.changed, self.frame, self.framed):
                widget.visible = rooms
            self.task.visible = not rooms
        if self.taken is not None and self.taken >= len(session.scene):
            self.taken = None
        names = session.names
        self.thing.options = (START, *names)
        self.thing.value = START if self.taken is None else names[self.taken]
        self.color.options = (START, *session.colors)
        self.color.value = START
        self.table.content = (
            '<div style="overflow-x:auto;font-size:0.75em">'
            f"{table_html(display_table(session.scene), 2)}</div>"
        )
        pixels = session.rendered_picture()
        self.picture.content = ""
        if pixels is not None:
            what = f"The image, with its {len(names)} objects"
            self.picture.content = (
                f'<img alt="{what}" style="max-width:100%" src="{picture(pixels)[0]}">'
            )
        self._draw()
        if whole:
            self._look_from()

    def _draw(self) -> None:
        for handle in self.handles:
            handle.remove()
        self.handles = []
        scene, lit = self.session.scene, set(self._lit())
        for k, name in enumerate(self.session.names):
            self._draw_object(k, name, lit)
        self._draw_ground()
        self._draw_front()
        if scene.camera is not None:
            self._draw_camera(scene.camera)
        if self.taken is not None:
            self.handles.append(self._handle(self.taken))

    def _draw_object(self, k: int, name: str, lit: set[int]) -> None:
        """Draw an object's box, front, name and uncertainty; `lit`: the objects of a step."""
        o, world, reach = self.session.scene.objects[k], self.server.scene, self._reach()
        size = 0.02 * reach  # of an arrow
        middle = (*o.position[:2], o.underside + o.extent[2] / 2)
        color = paint(o)
        if k in lit:
            color = LIT
        elif k == self.taken:
            color = TAKEN
        opacity = max(0.25, o.existence) * (0.35 if lit and k not in lit else 0.9)
        box = world.add_box(
            f"/things/{k}", color, tuple(max(e, 0.01) for e in o.extent), opacity=opacity,
            wxyz=_about_z(o.heading), position=middle,
        )  # fmt: skip
        if k != self.taken:  # so that its handle can be reached
            box.on_click(self._doing(lambda event: self._take(k)))
        ahead = np.array([math.cos(o.heading), math.sin(o.heading), 0.0]) * (0.55 * o.extent[0])
        nose = np.array(middle) + ahead
        arrow = world.add_arrows(
            f"/fronts/{k}",
            np.array([[nose, np.array(middle) + ahead * 1.5]]),
            paint(o),
            shaft_radius=0.2 * size,
            head_radius=0.5 * size,
            head_length=size,
        )
        above = (*o.position[:2], o.underside + 1.15 * o.extent[2])
        label = world.add_label(f"/names/{k}", name, position=above)
        self.handles += [box, arrow, label]
        if (spread := _ellipse(o)) is not None:
            thickness = 0.004 * reach
            self.handles.append(
                world.add_line_segments(f"/spread/{k}", spread, TAKEN, thickness=thickness)
            )

    def _draw_ground(self) -> None:
        """Draw the room's walls, if known, and a grid."""
        scene, world, reach = self.session.scene, self.server.scene, self._reach()
        if scene.outline is not None:
            corners = np.array([(*p, 0.0) for p in scene.outline])
            walls = np.stack([corners, np.roll(corners, -1, 0)], 1)
            self.handles.append(
                world.add_line_segments("/walls", walls, (90, 90, 90), thickness=0.006 * reach)
            )
        grid = world.add_grid(
            "/ground",
            1.6 * reach,
            1.6 * reach,
            position=(*self._middle(), -0.002),
            cell_color=(225, 225, 225),
            section_color=(200, 200, 200),
        )
        self.handles.append(grid)

    def _draw_front(self) -> None:
        """Draw an arrow from the middle to the scene's front, with a label."""
        scene, world, reach = self.session.scene, self.server.scene, self._reach()
        front = np.array([(0.0, 0.0, 0.0), (*np.array(scene.axes["front"]) * 0.3 * reach, 0.0)])
        front[:, :2] += self._middle()
        self.handles.append(world.add_label("/front", "front", position=tuple(front[1])))
        arrow = world.add_arrows(
            "/front_arrow",
            front[None],
            (213, 94, 0),
            shaft_radius=0.004 * reach,
            head_radius=0.012 * reach,
            head_length=0.03 * reach,
        )
        self.handles.append(arrow)

    def _draw_camera(self, camera: Camera) -> None:
        frustum = self.server.scene.add_camera_frustum(
            "/camera",
            2 * math.atan(camera.height / 2 / camera.K[1][1]),
            camera.width / camera.height,
            scale=0.08 * self._reach(),
            wxyz=_quaternion(np.asarray(camera.cam_T_world.rotation).T),
            position=tuple(camera.position),
        )
        self.handles.append(frustum)

    def _handle(self, row: int) -> Any:
        """Add the handle that moves and rotates an object on the ground."""
        o = self.session.scene.objects[row]
        z = o.underside + o.extent[2] / 2
        handle = self.server.scene.add_transform_controls(
            "/handle",
            self.handle_size(row),
            active_axes=(True, True, False),
            wxyz=_about_z(o.heading),
            position=(*o.position[:2], z),
            depth_test=False,
        )
        handle.on_drag_end(self._doing(lambda event: self._drop(row, handle)))
        return handle

    def handle_size(self, row: int) -> float:
        """Return the length of a handle's arrows, which end outside the object."""
        return max(
            0.18 * self._reach(), 0.9 * float(max(self.session.scene.objects[row].extent[:2]))
        )

    def _drop(self, row: int, handle: Any) -> None:
        """Move an object to the position of its handle."""
        (x, y, _), (w, _, _, z) = map(float, handle.position), map(float, handle.wxyz)
        self.session.move(row, x, y, 2 * math.atan2(z, w))
        self.refresh()

    def _lit(self) -> list[int]:
        number = self.steps.value.partition(".")[0]
        return (
            self.session.lit(self.last_answer, int(number) - 1)
            if self.last_answer and number.isdigit()
            else []
        )

    def _ground(self) -> Array:
        points = [o.position[:2] for o in self.session.scene.objects] or [(0.0, 0.0)]
        return np.array([*points, *(self.session.scene.outline or ())], float)

    def _middle(self) -> Array:
        ground = self._ground()
        return (ground.min(0) + ground.max(0)) / 2

    def _reach(self) -> float:
        """Return the extent of the scene on the ground."""
        ground = self._ground()
        return float(max(np.ptp(ground, axis=0).max(), 1.0))

    def _look_from(self, clients: Iterable[Any] | None = None) -> None:
        """Move the cameras of the browsers (None: all): behind the viewer, from above, beside the
        panel if the window is wide enough."""
        behind = "behind" if self.session.world == "street" else "front"
        middle, back, reach = (
            self._middle(),
            -np.array(self.session.scene.axes[behind]),
            self._reach(),
        )

        def look(camera: Any, wide: bool) -> None:
            aside = middle + np.array([-back[1], back[0]]) * (BESIDE * reach * wide)
            camera.position, camera.look_at = (*(aside + 1.1 * reach * back), reach), (*aside, 0.0)

        look(self.server.initial_camera, True)
        for client in self.server.get_clients().values() if clients is None else clients:
            look(client.camera, client.camera.aspect > 1)


def _answer_html(answer: Answer) -> str:
    """Return an answer as HTML; all its words are untrusted text."""
    safe = lambda words: html.escape(visible(words))  # noqa: E731
    if answer.status != "ok":
        head = f"<p><b>no answer</b>: {safe(answer.reason)}</p>"
    else:
        head = (
            f"<p style='font-size:1.2em'><b>{safe(str(answer.answer))}</b> (probability"
            f" {answer.probability:.2f})</p>"
        )
    steps = "".join(f"<li>{safe(step)}</li>" for step in answer.trace)
    flip = f"<p>{safe(answer.margin)}</p>" if answer.margin else ""
    return (
        f"<div style='overflow-wrap:anywhere;font-size:0.85em'>{head}"
        f"<code>{safe(answer.program)}</code><ol>{steps}</ol>{flip}</div>"
    )


def _plain(words: str) -> str:
    """Escape words for markdown."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!<>|])", r"\\\1", visible(words))[:400]


def _short(step: str) -> str:
    return visible(step if len(step) <= 48 else f"{step[:45]}...")


def _about_z(angle: float) -> tuple[float, float, float, float]:
    return (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))


def _quaternion(rotation: Array) -> Array:
    """Return (w, x, y, z) of a rotation matrix."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(rotation).as_quat(scalar_first=True)


def _ellipse(o: ObjectState) -> Array | None:
    """Return (n, 2, 3) line segments: the ellipse of the position's uncertainty, and the fan of the
    heading's; None for a certain object."""
    covariance = np.array(o.covariance, float)
    if not covariance[:2, :2].any():
        return None
    values, vectors = np.linalg.eigh(covariance[:2, :2])
    turn = np.linspace(0, 2 * np.pi, 33)
    ring = (vectors * (SPREAD * np.sqrt(np.maximum(values, 0)))) @ np.stack(
        [np.cos(turn), np.sin(turn)]
    )
    points = np.c_[np.array(o.position[:2]) + ring.T, np.full(33, 0.01)]
    spread = SPREAD * math.sqrt(max(covariance[2, 2], 0.0))
    ends = [o.heading + s * spread for s in (-1, 1)]
    at = np.array((*o.position[:2], 0.01))
    fan = np.array(
        [[at, at + 0.75 * o.extent[0] * np.array((math.cos(a), math.sin(a), 0.0))] for a in ends]
    )
    return np.concatenate([np.stack([points[:-1], points[1:]], 1), fan])
