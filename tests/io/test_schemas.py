"""What is let in is what was written, what is refused is told in one printable line, and neither
costs much.
"""

import json

import numpy as np
import pytest
from generators import random_scene
from hypothesis import given
from hypothesis import strategies as st
from study_room import study

from po3d.io.errors import InputError, printable, visible
from po3d.io.files import parse_json
from po3d.io.schemas import OBJECTS
from po3d.io.seeding import rng
from po3d.io.text_tables import Table, text
from po3d.scene.table import from_json, to_json


def rewritten(scene):
    return json.loads(json.dumps(to_json(scene)))


@given(number=st.integers(0, 10**6), certain=st.booleans())
def test_every_table_that_we_write_is_read_back_the_same(number, certain):
    record = rewritten(random_scene(rng(number, "schemas", 0), certain=certain))
    read = rewritten(from_json(record))
    for old, new in zip(record["objects"], read["objects"]):  # degrees become radians
        assert abs(new.pop("heading_deg") - old.pop("heading_deg")) < 1e-9
    assert read == record


@given(number=st.integers(0, 10**6), slip=st.floats(-1e-7, 1e-7))
def test_the_rounding_of_floats_is_let_in_and_a_possible_table_is_no_less(number, slip):
    """Covariances as networks and inverses make them: in fp32, symmetric and without negative
    variance but for rounding.
    """
    random = rng(number, "covariance", 0)
    root = random.normal(size=(3, random.integers(1, 4))) * 10.0 ** random.integers(-3, 3)
    matrix = (root @ root.T).astype(np.float32).astype(float)
    matrix[0, 1] *= 1 + slip
    record = rewritten(study())
    record["objects"][0] |= {"covariance": matrix.tolist(), "existence": 1 + abs(slip)}
    assert from_json(record).objects[0].covariance[0][0] == matrix[0, 0]
    matrix[0, 0] = -0.1 * np.abs(matrix).max()
    record["objects"][0]["covariance"] = matrix.tolist()
    with pytest.raises(InputError, match=r"objects\[0\]\.covariance: .* should"):
        from_json(record)


def test_500_objects_are_read_and_501_refused():
    record = rewritten(study())
    few = [*record["objects"]] * 200
    assert len(from_json({**record, "objects": few[:OBJECTS]})) == OBJECTS
    with pytest.raises(InputError, match=r"objects: .* has too many entries; the limit is 500"):
        from_json({**record, "objects": few[: OBJECTS + 1]})


def test_an_error_names_record_field_value_and_what_would_be_right():
    record = rewritten(study())
    record["objects"][2]["existence"] = -1
    with pytest.raises(InputError) as caught:
        from_json(record, "a.json, record 7")
    assert str(caught.value) == "a.json, record 7: objects[2].existence: -1 should be at least 0"


def test_an_object_of_a_room_has_a_name_and_one_of_another_table_need_not():
    record = rewritten(study())
    del record["objects"][2]["beliefs"]["name"]
    record["objects"][2]["beliefs"]["color"] = {"red": 1.0}
    with pytest.raises(
        InputError, match=r"^a\.json: objects\[2\]: .* should have the belief 'name'"
    ):
        from_json(record, "a.json")
    assert len(from_json({**record, "outline": None})) == len(record["objects"])


@given(
    value=st.recursive(
        st.none() | st.floats() | st.integers() | st.text(),
        lambda s: st.lists(s) | st.dictionaries(st.text(), s),
    )
)
def test_any_value_is_displayed_short_on_one_printable_line(value):
    reply = printable(value)
    assert len(reply) <= 60
    assert reply.isprintable() or not any(c in reply for c in "\x1b\x9b\n\r\u202e")


def test_what_a_terminal_would_obey_is_printed_as_an_escape_and_json_stays_the_same():
    name = "\x1b[2Jb\u202e\x9bus\x00\ud800"
    assert visible(name) == r"\u001b[2Jb\u202e\u009bus\u0000\ud800"
    assert "\x1b" not in text(Table(("name",), [[name]]))
    words = json.dumps(["ü\x9b🚗\u202e"], ensure_ascii=False)
    assert json.loads(visible(words)) == json.loads(words)
    assert printable(10**5000) == "a number with about 5001 digits"


@given(depth=st.integers(1, 400), opening=st.sampled_from(["[", '{"a":']))
def test_nesting_is_capped_at_200(depth, opening):
    closing = "]" if opening == "[" else "}"
    content = opening * depth + "1" + closing * depth
    if depth <= 200:
        assert parse_json(content, "x") == json.loads(content)
    else:
        with pytest.raises(InputError, match="nested too deep"):
            parse_json(content, "x")


@given(
    value=st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(st.characters(exclude_categories=("Cs",))),
        lambda s: (
            st.lists(s) | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), s)
        ),
    )
)
def test_json_is_read_as_python_reads_it(value):
    written = json.dumps(value)
    assert repr(parse_json(written, "x")) == repr(json.loads(written))
