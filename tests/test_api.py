"""What `import po3d` offers, and the notebook that shows it."""

import contextlib
import io
import json
import math

import numpy as np
import pytest
from PIL import Image

import po3d
from po3d.io.errors import InputError
from po3d.io.paths import ROOT

NOTEBOOK = ROOT / "docs" / "quickstart.ipynb"
ROOM = ROOT / "data" / "examples" / "room.json"


def test_everything_that_is_offered_is_there():
    assert set(po3d.__all__) <= set(dir(po3d))
    assert all(getattr(po3d, name) is not None for name in po3d.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'lod'"):
        _ = po3d.lod


@pytest.mark.parametrize("stands", ["bed", "desk"])
def test_moving_there_and_back_is_staying_and_what_stands_on_it_goes_along(stands):
    room = po3d.read_scene(ROOM).in_frame("The door is at the front of the room.")
    row = next(k for k, o in enumerate(room.objects) if o.value("name") == stands)
    went = room.moved(row, left=0.3, front=-0.2, turn=90)
    left, front = (np.array(room.axes[side]) for side in ("left", "front"))
    step = np.subtract(went.objects[row].position, room.objects[row].position)[:2]
    np.testing.assert_allclose(step, 0.3 * left - 0.2 * front, atol=1e-9)
    turned = math.remainder(went.objects[row].heading - room.objects[row].heading, 2 * math.pi)
    assert turned == pytest.approx(math.pi / 2)
    back = went.moved(row, turn=-90).moved(row, left=-0.3, front=0.2)
    np.testing.assert_allclose(back.positions, room.positions, atol=1e-9)
    assert went.source == "edited"


def test_a_row_that_is_not_there_is_reported():
    room = po3d.read_scene(ROOM)
    with pytest.raises(InputError, match="no object 99"):
        room.moved(99)


def test_a_change_that_can_not_be_built_is_reported():
    room = po3d.read_scene(ROOM)
    with pytest.raises(
        InputError,
        match="the change cannot be applied to this room: not found: there are no pianos",
    ):
        po3d.change(room, "The piano was moved next to the bed.")


def test_files_pixels_and_pil_images_give_one_table():
    model, path = po3d.load("street"), ROOT / "data" / "examples" / "street.jpg"
    with Image.open(path) as picture:
        tables = [
            model.look(supplied) for supplied in (path, picture, np.asarray(picture.convert("RGB")))
        ]
    assert len({tuple(o.position for o in t.objects) for t in tables}) == 1
    for odd in (np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3))):
        with pytest.raises(
            InputError, match=r"should be an array of shape \(H, W, 3\) and dtype uint8"
        ):
            model.look(odd)
    # The same question of the table and of the picture, and of the table in a pipeline's hands.
    question = "How many cars are there?"
    assert model.ask(tables[0], question).answer == model.ask(path, question).answer


@pytest.mark.parametrize(
    ("world", "picture", "question", "looking"),
    [
        (
            "photographs",
            "3dsrbench/images/000001_common.jpg",
            "Which object is closer to the camera, the trash can or the mirror?",
            {},
        ),
        (
            "orbit",
            "scope/images/scope_000000_000.jpg",
            "From the camera's perspective, where is the mug relative to the bowl?",
            {},
        ),
        (
            "rooms",
            "hypo3d/2D_VLM_data/top_view_no_label_rotated/room_test_457_000000.jpg",
            "How many beds are there?",
            {"metres_per_pixel": 0.01},
        ),
    ],
)
def test_every_world_looks_at_a_picture_and_answers(world, picture, question, looking):
    model = po3d.load(world)
    scene = model.look(ROOT / "data" / "mini" / picture, **looking)
    assert scene.source == "predicted"
    assert len(scene) > 2
    answer = model.ask(scene, question)
    assert answer.status in ("ok", "failed")
    assert answer.trace or answer.reason
    assert answer.program in str(answer)
    json.dumps(answer.record())
    if world == "rooms":
        with pytest.raises(InputError, match="a top-view map needs its scale"):
            model.look(ROOT / "data" / "mini" / picture)


def test_an_answer_says_what_counts_as_a_car_where_words_do_not():
    model, street = po3d.load("street"), po3d.read_scene(ROOT / "data" / "examples" / "street.json")
    assert "car includes SUV, wagon, minivan, sedan and truck" in str(
        model.ask(street, "How many cars are there?")
    )
    for question in ("How many sedans are there?", "How many buses are there?"):
        assert " includes " not in str(model.ask(street, question))


@pytest.mark.parametrize("what", ["change", "frame"])
def test_a_very_long_change_or_frame_is_refused(what):
    room, text = po3d.read_scene(ROOM), "The chair was moved. " * 60
    with pytest.raises(InputError, match=f"the {what} has 1260 characters; the limit is 1000"):
        po3d.load("rooms").ask(room, "How many beds are there?", **{what: text})


def test_a_world_that_there_is_not_is_reported():
    with pytest.raises(InputError, match="known: street, rooms, photographs, orbit"):
        po3d.load("moon")


def test_an_unknown_option_of_a_model_is_an_error_that_lists_the_options():
    with pytest.raises(InputError, match=r"unknown option 'sample' of street; known: .*samples"):
        po3d.load("street", sample=8)


def test_the_notebook_runs_and_holds_no_output(monkeypatch):
    """Cell by cell, as a kernel would: jupyter is not needed."""
    monkeypatch.chdir(ROOT)
    book, names = json.loads(NOTEBOOK.read_text()), {}
    assert NOTEBOOK.stat().st_size < 20_000
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            with contextlib.redirect_stdout(io.StringIO()):
                exec("".join(cell["source"]), names)
    assert names["answer"].status == "ok"


def test_the_notebook_runs_in_a_kernel():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    nbclient.NotebookClient(
        book, timeout=120, resources={"metadata": {"path": str(ROOT)}}
    ).execute()
