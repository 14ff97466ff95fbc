"""Development and held-out part of the questions about photographs."""

from po3d.io.files import read_jsonl
from tools.photograph_bank import BANK, part_of


def test_the_parts_share_no_picture_and_together_are_all():
    records = list(read_jsonl(BANK, "question bank"))
    dev, held_out = part_of(records, "dev"), part_of(records, "held_out")
    assert (len(dev), len(held_out)) == (107, 104)
    assert {r["image"] for r in dev}.isdisjoint(r["image"] for r in held_out)
    assert part_of(records, "all") == records
    assert len({r["image"] for r in dev}) == 30
