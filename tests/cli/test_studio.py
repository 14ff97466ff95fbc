"""The studio's session: what its page does, without a page."""

import html
import io
import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from po3d.cli import main as cli
from po3d.cli import studio_session
from po3d.cli.studio_session import EXAMPLES, Session
from po3d.io.errors import InputError
from po3d.perception.foundation_estimator import FoundationEstimator
from po3d.perception.onnx_detector import Boxes
from po3d.systems import domain_router
from po3d.systems.api import load


def opened(name: str) -> Session:
    session = Session()
    session.open_example(name)
    return session


def png(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("L", (width, height)).save(file, "PNG")
    return file.getvalue()


def bomb() -> bytes:
    """The head of a picture of 60,000 x 60,000 pixels."""
    data = bytearray(png(8, 8))
    data[16:24] = (60_000).to_bytes(4, "big") * 2
    return bytes(data)


TABLE = json.loads(EXAMPLES["room.json"].read_text())
HOSTILE = {
    "nothing": b"",
    "text": b"hello",
    "html": b"<html><script>alert(1)</script></html>",
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
    "svg that includes a file": b"<svg><image href='file:///etc/passwd'/></svg>",
    "half a PNG": png(64, 64)[:40],
    "a PNG of too many pixels": bomb(),
    "a PNG of no pixels": png(8, 8).replace((8).to_bytes(4, "big"), (0).to_bytes(4, "big"), 1),
    "a pickle": b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94.",
    "a zip": b"PK\x03\x04" + bytes(60),
    "a GIF's head": b"GIF89a" + bytes(4),
    "a TIFF's head": b"II*\x00" + bytes(20),
    "an empty object": b"{}",
    "JSON that ends": b'{"format": "po3d-scene-1", "objects": [',
    "JSON too deep": b'{"a":' * 5000,
    "a list": b"[1, 2]",
    "another format": b'{"format": "po3d-scene-9", "objects": []}',
    "objects of text": b'{"format": "po3d-scene-1", "objects": "all", "axes": {}}',
    "numbers that are none": json.dumps(
        {**TABLE, "objects": [{**TABLE["objects"][0], "position": [1, "x", 2]}]}
    ).encode(),
    "not a number": json.dumps(
        {**TABLE, "objects": [{**TABLE["objects"][0], "position": [float("nan")] * 3}]}
    ).encode(),
    "an object without a place": json.dumps({**TABLE, "objects": [{"name": "x"}]}).encode(),
    "a negative size": json.dumps(
        {**TABLE, "objects": [{**TABLE["objects"][0], "extent": [-1, 1, 1]}]}
    ).encode(),
    "beliefs that are texts": json.dumps(
        {**TABLE, "objects": [{**TABLE["objects"][0], "beliefs": {"name": "door"}}]}
    ).encode(),
    "two scenes": b'{"scenes": [{"objects": []}, {"objects": []}]}',
    "digits without end": b'{"format": "po3d-scene-1", "objects": [' + b"9" * 100_000 + b"]}",
    "too long": b"{" + b" " * (studio_session.LARGEST + 1),
    "UTF-16": '{"format": "po3d-scene-1"}'.encode("utf-16"),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused_and_the_scene_stays(data):
    session = opened("room.json")
    before = session.state
    with pytest.raises(InputError) as refused:
        session.open("../../etc/passwd\n.png", data)
    assert len(str(refused.value).splitlines()) == 1
    assert "/tmp" not in str(refused.value)
    assert session.state is before


EDITS = st.lists(
    st.one_of(
        st.tuples(
            st.just("move"),
            st.integers(0, 99),
            st.floats(-3, 9),
            st.floats(-3, 9),
            st.floats(-3.1, 3.1),
        ),
        st.tuples(st.just("paint"), st.integers(0, 99), st.integers(0, 99)),
        st.tuples(st.just("remove"), st.integers(0, 99)),
    ),
    max_size=8,
)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["room.json", "street.json"]), EDITS)
def test_undo_takes_back_exactly_what_was_done(name, edits):
    session = opened(name)
    states = [session.scene]
    for what, row, *more in edits:
        row %= max(len(session.scene), 1)
        if what == "paint":
            more = [session.colors[more[0] % len(session.colors)]]
        getattr(session, what)(row, *more)
        states.append(session.scene)
        if what == "move":
            o = session.scene.objects[row]
            assert (*o.position[:2], o.heading) == pytest.approx(tuple(more))
        if what == "paint":
            assert session.scene.objects[row].value("color") == more[0]
    for state in reversed(states):
        assert session.scene is state
        if state is not states[0]:
            session.undo()
    with pytest.raises(InputError, match="nothing to undo"):
        session.undo()


def test_what_cant_be_done_is_refused_in_a_line_and_changes_nothing():
    session, empty = opened("street.json"), Session()
    before = session.state
    for refused in (
        lambda: session.move(99, 0, 0),
        lambda: session.move(-1, 0, 0),
        lambda: session.move(0, float("nan"), 0),
        lambda: session.paint(0, "invisible"),
        lambda: session.remove(99),
        lambda: session.say("The bus was moved."),
        lambda: session.turn_to("The door is at the front."),
        lambda: session.ask(" "),
        lambda: empty.ask("How many?"),
    ):
        with pytest.raises(InputError):
            refused()
    assert session.state is before


def test_a_room_is_changed_in_words_turned_and_queried():
    session = opened("room.json")
    chair = session.names.index("chair")
    session.say("The blue chair has been moved next to the bed.")
    assert session.scene.objects[chair].position != session.states[0].scene.objects[chair].position
    session.turn_to("The door is at the front of the room.")
    answer = session.ask("How many desks are there?")
    assert answer.answer == "2"
    desks = [k for k, name in enumerate(session.names) if name.startswith("desk")]
    assert session.lit(answer, 0) == desks
    assert session.undo() == "The door is at the front of the room."
    with pytest.raises(InputError, match="the change cannot be applied to this room"):
        session.say("Colourless green ideas sleep furiously.")


def test_a_picture_becomes_a_table_and_a_saved_table_is_opened_again():
    session = opened("street.jpg")
    assert session.scene.source == "predicted"
    assert session.rendered_picture().shape == session.state.picture.shape
    answer = session.ask("How many cars are there?")
    assert len(session.lit(answer, 1)) == int(answer.answer)
    again = Session()
    again.open("scene.json", session.saved())
    assert again.names == session.names
    for one, other in zip(again.scene.objects, session.scene.objects, strict=True):
        assert (*one.position, one.heading) == pytest.approx((*other.position, other.heading))
    assert again.rendered_picture() is None
    assert Image.open(io.BytesIO(session.picture_file())).size[1] == session.state.picture.shape[0]
    assert np.asarray(Image.open(io.BytesIO(opened("room.json").picture_file()))).std() > 1


# --- photographs ----------------------------------------------------------------------------------


def photograph() -> Session:
    """A session whose detector always sees a person and a dog."""
    box = np.array([[20.0, 20.0, 60.0, 100.0], [80.0, 70.0, 120.0, 100.0]])
    boxes = Boxes(box, np.array([[0.9, 0.0], [0.0, 0.8]]))
    estimator = FoundationEstimator(lambda _: boxes, None, None, classes=("person", "dog"))
    model = load("photographs", perception=estimator, parser="benchmark")
    session = Session(photographs=model)
    session.open("photo.png", png(160, 120))
    return session


def test_a_photograph_is_displayed_and_answered_with_the_reason_of_an_abstention():
    session = photograph()
    assert session.world == "photographs"
    assert session.names == ["person", "dog"]
    assert session.rendered_picture().shape == (120, 160, 3)
    assert session.picture_file()[:4] == b"\x89PNG"
    assert session.ask("How many people are there?").answer == "1"
    assert session.ask("Is the dog to the left of the person?").answer == "no"
    view = "From the perspective of the person, is the dog on the left or on the right?"
    refused = session.ask(view)
    assert refused.status == "abstained"
    assert refused.reason.startswith("Headings need an orientation network")
    studio_page = pytest.importorskip("po3d.cli.studio_page")  # needs viser
    assert "Headings need an orientation network" in studio_page._answer_html(refused)
    assert "likeliest" in studio_page._answer_html(refused)
    noted = studio_page._answer_html(session.ask("Is there a man?"), session.notes)
    assert "the detector's class is person, not man" in html.unescape(noted)
    assert "may be off by a common factor" in noted
    assert "has no class" in session.ask("Is there a window?").reason


def test_a_photograph_can_be_edited_and_queried_again():
    session = photograph()
    session.remove(0)
    assert session.ask("How many people are there?").answer == "0"
    session.undo()
    assert session.ask("How many people are there?").answer == "1"
    assert len(session.states) == 1


def test_a_photograph_without_a_detector_is_refused(monkeypatch):
    monkeypatch.setattr(domain_router, "is_photograph", lambda *_: True)
    monkeypatch.setattr(domain_router, "nearest", lambda _: domain_router.DomainMatch("street", 0))
    street = SimpleNamespace(pipeline=SimpleNamespace(tables=None))
    monkeypatch.setattr(studio_session, "model", lambda world: street)
    session = Session()
    with pytest.raises(InputError, match="po3d studio --detector FILE"):
        session.open("photo.png", png(160, 120))


def test_a_pose_network_needs_a_detector():
    assert cli.main(["studio", "--pose", "pose.tflite"]) == 2
