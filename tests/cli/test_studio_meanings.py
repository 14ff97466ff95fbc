"""Where the studio asks back, each meaning is a button that shows its answer."""

from types import SimpleNamespace

import pytest

from po3d.systems.api import Answer

pytest.importorskip("viser")

from po3d.cli.studio_page import StudioPage
from po3d.cli.studio_session import Session


def test_meanings_are_buttons():
    intended = tuple(
        Answer("x", "ok", reply, 0.5, program=f"count({reply})") for reply in ("1", "2")
    )
    back = Answer(
        "x",
        "abstained",
        reason="two interpretations",
        understood=(("How many beds?", "1"), ("How many desks?", "2")),
        choices=intended,
    )
    session = Session()
    session.open_example("room.json")
    page = StudioPage(session, port=0)
    try:
        page._draw = lambda: None
        assert [button.visible for button in page.interpretations] == [False, False]
        page._tell(back)
        assert [button.label for button in page.interpretations] == [
            "1. How many beds?",
            "2. How many desks?",
        ]
        assert all(button.visible for button in page.interpretations)
        for callback in page.interpretations[1]._impl.update_cb:
            callback(SimpleNamespace(client=object()))
        assert "count(2)" in page.answer.content
        assert not any(button.visible for button in page.interpretations)
    finally:
        page.server.stop()
