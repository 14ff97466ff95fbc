"""The studio's page.

viser draws the scene in 3D and passes the user's actions to a `Session`. This module has the layout
of the widgets and the drawing; the actions are in the session.
"""

import html
import io
import math
import re
import signal
import threading
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import viser

from po3d.cli.ask_model import SAMPLES
from po3d.cli.studio_drawing import SceneDrawing, about_z
from po3d.cli.studio_origins import own_origins
from po3d.cli.studio_session import EXAMPLES, Session
from po3d.evaluation.report.html_drawings import picture
from po3d.io.errors import InputError, visible
from po3d.io.text_tables import html as table_html
from po3d.scene.display import display_table
from po3d.systems.api import Answer, load
from po3d.systems.scene_question import INTERPRETATIONS

HOST = "127.0.0.1"
BESIDE = 0.25  # offset to the left of a wide window's centre, as a fraction of the scene's width
START = "choose ..."
FIRST = {  # question of each domain
    "street": "How many cars are there?",
    "rooms": "What is next to the bed?",
    "photographs": "How many people are there?",
}


def serve(path: str | None, port: int, detector: str | None = None, pose: str | None = None) -> int:
    """Serve the page until interrupted or terminated. `detector`, `pose`: network files for
    photographs."""
    session = Session()
    if detector is not None:
        from po3d.perception.foundation import foundation

        looks = foundation({"onnx": detector}, orientation={"pose": pose})
        session.photographs = load("photographs", perception=looks, samples=SAMPLES)
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


class StudioPage:
    """The widgets and the drawing of one session, shared by all browsers."""

    def __init__(self, session: Session, port: int = 8080) -> None:
        self.session, self.taken = session, None  # row of the selected object
        self.lock = threading.RLock()  # viser calls back from several threads
        # Viser prints a box around its address
        with own_origins(), redirect_stdout(io.StringIO()):
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
        self.drawing = SceneDrawing(self.server.scene, session.scene)
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
                "image, or a scene (JSON)", mime_type="image/*,application/json"
            )
        with gui.add_folder("Ask"):
            self.question = gui.add_text("question", "How many cars are there?")
            self.task = gui.add_dropdown("frame of left and right", ("the camera", "the object"))
            self.question_field = gui.add_button("Ask")
            self.answer = gui.add_html("")
            # Interpretations to choose from, if the system abstains.
            self.interpretations = [
                gui.add_button(str(k + 1), visible=False) for k in range(INTERPRETATIONS)
            ]
            self.steps = gui.add_dropdown("highlight", ("nothing",))
        self.picture = gui.add_html("")
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
        self.example.on_update(self._doing(self._open_example))
        self.upload.on_upload(self._doing(self._open_upload))
        self.question_field.on_click(self._doing(self._ask))
        for k, button in enumerate(self.interpretations):
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
        answer = self.session.ask(self.question.value, task)
        if self.session.world == "photographs":
            self.refresh()  # the question's things are searched for
        self._tell(answer)

    def _tell(self, answer: Answer) -> None:
        """Show an answer; if the system abstained, a button for each interpretation."""
        for k, button in enumerate(self.interpretations):
            button.visible = k < len(answer.choices) and answer.scene is None
            if button.visible:
                button.label = f"{k + 1}. {visible(answer.understood[k][0])}"
        self.answer.content = _answer_html(answer, self.session.notes)
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
            for button in self.interpretations:
                button.visible = False
            self.steps.options = ("nothing",)
            rooms = session.world == "rooms"
            self.question.value = FIRST[session.world]
            for widget in (self.sentence, self.changed, self.frame, self.framed):
                widget.visible = rooms
            self.task.visible = session.world == "street"
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
        self.drawing.clear()
        scene, lit = self.session.scene, set(self._lit())
        self.drawing = SceneDrawing(self.server.scene, scene)
        for k, name in enumerate(self.session.names):
            box = self.drawing.box(k, name, lit, self.taken)
            if k != self.taken:  # so that its handle can be reached
                box.on_click(self._doing(lambda event, k=k: self._take(k)))
        self.drawing.ground()
        self.drawing.front()
        if scene.camera is not None:
            self.drawing.camera(scene.camera)
        if self.taken is not None:
            self.drawing.handles.append(self._handle(self.taken))

    def _handle(self, row: int) -> Any:
        """Add the handle that moves and rotates an object on the ground."""
        o = self.session.scene.objects[row]
        z = o.underside + o.extent[2] / 2
        handle = self.server.scene.add_transform_controls(
            "/handle",
            self.handle_size(row),
            active_axes=(True, True, False),
            wxyz=about_z(o.heading),
            position=(*o.position[:2], z),
            depth_test=False,
        )
        handle.on_drag_end(self._doing(lambda event: self._drop(row, handle)))
        return handle

    def handle_size(self, row: int) -> float:
        """Return the length of a handle's arrows, which end outside the object."""
        return max(
            0.18 * self.drawing.reach, 0.9 * float(max(self.session.scene.objects[row].extent[:2]))
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

    def _look_from(self, clients: Iterable[Any] | None = None) -> None:
        """Place the cameras of the browsers (None: all) above and behind the viewer, shifted
        sideways past the panel if the window is wide enough."""
        behind = "front" if self.session.world == "rooms" else "behind"
        middle, back, reach = (
            self.drawing.middle,
            -np.array(self.session.scene.axes[behind]),
            self.drawing.reach,
        )

        def look(camera: Any, wide: bool) -> None:
            aside = middle + np.array([-back[1], back[0]]) * (BESIDE * reach * wide)
            camera.position, camera.look_at = (*(aside + 1.1 * reach * back), reach), (*aside, 0.0)

        look(self.server.initial_camera, True)
        for client in self.server.get_clients().values() if clients is None else clients:
            look(client.camera, client.camera.aspect > 1)


def _answer_html(answer: Answer, notes: Iterable[str] = ()) -> str:
    """Return an answer as HTML, with notes on its image; all its words are untrusted text."""
    safe = lambda words: html.escape(visible(words))  # noqa: E731
    if answer.status != "ok":
        head = f"<p><b>no answer</b>: {safe(answer.reason)}</p>"
        if answer.scene is not None and answer.choices and answer.choices[0].answer:
            likeliest = answer.choices[0]
            head += (
                f"<p>likeliest: {safe(likeliest.answer)} (probability"
                f" {likeliest.probability or 0:.2f})</p>"
            )
    else:
        head = (
            f"<p style='font-size:1.2em'><b>{safe(str(answer.answer))}</b> (probability"
            f" {answer.probability:.2f})</p>"
        )
    about = (*answer.explanation.notes, *notes)
    head += "".join(f"<p style='margin:0.3em 0'>{safe(note)}</p>" for note in about)
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
