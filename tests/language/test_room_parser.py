"""The room parser: copied names, its types, and what it refuses. Figures are in docs/results.md."""

import re
from types import SimpleNamespace

import pytest
import torch

from po3d.io.checkpoint import locate
from po3d.language.programs.rooms import RoomCall, parse_text
from po3d.language.read.room_meaning import agreeing
from po3d.language.read.room_parser import LANGUAGE, RoomParser, _text
from po3d.language.read.seq2seq import Seq2Seq
from po3d.training import room_parser as training
from po3d.training.room_parser import RoomParserData, collate, example, ids, sentences

WORDS = ("", "<unknown>", "the", "chair", "has", "been", "removed", "is", "where", "desk", "?")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("sort", "types"),
    [("question", ("integer", "boolean", "words", "heading", "comparison")), ("change", ("edit",))],
)
def test_random_weights_still_write_valid_programs_of_the_wanted_sort(seed, sort, types):
    torch.manual_seed(seed)
    network = Seq2Seq(len(WORDS), LANGUAGE, width=16, heads=2, dilations=(1, 2), longest=30)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter)
    parser = RoomParser(network, WORDS, least_probability=0.0)
    for parse in parser.parse(
        ["the chair has been removed", "where is the desk ?", "the canoe is the chair"], sort
    ):
        assert isinstance(parse.program, RoomCall)  # the constructor checks the types
        assert parse.program.output in types


@pytest.mark.parametrize("sort", ["question", "change"])
def test_what_is_read_does_not_depend_on_the_company(sort):
    torch.manual_seed(3)
    network = Seq2Seq(len(WORDS), LANGUAGE, width=16, heads=2, dilations=(1, 2), longest=30)
    parser = RoomParser(network, WORDS, least_probability=0.0)
    texts = [
        " ".join(WORDS[2 + (k * n) % (len(WORDS) - 2)] for n in range(1, 2 + k % 12))
        for k in range(40)
    ]
    together = parser.parse(texts, sort)
    assert [parser.parse([text], sort)[0] for text in texts] == together


def test_what_cannot_be_read_is_unparsed_with_a_reason():
    parser = RoomParser(Seq2Seq(len(WORDS), LANGUAGE, width=16, heads=2, dilations=(1,)), WORDS)
    empty, foreign, long = parser.parse(["?", "quelle zzyzx est la plus proche", "the chair " * 40])
    assert "empty" in empty.reason
    assert "unknown words: quelle, zzyzx" in foreign.reason
    assert "the limit is 60" in long.reason
    assert {p.status for p in (empty, foreign, long)} == {"unparsed"}


def test_a_misspelt_word_is_read_as_the_known_one():
    parser = RoomParser(Seq2Seq(len(WORDS), LANGUAGE, width=16, heads=2, dilations=(1,)), WORDS)
    assert parser._spelt("remvoed") == "removed"
    assert parser._spelt("chairs") == "chairs"
    assert parser._spelt("chiar") == "chair"
    assert parser._spelt("canoe") == "canoe"


@pytest.mark.parametrize(
    ("program", "meant"),
    [
        (
            'count(having(color, "running", all("tv")))',
            'count(having(state, "running", all("tv")))',
        ),
        ('set(state, "oak", all("desk"))', 'set(material, "oak", all("desk"))'),
        (
            'add(1, thing("cup", trait(material, "pink", plain)), centre)',
            'add(1, thing("cup", trait(color, "pink", plain)), centre)',
        ),
        ('count(having(color, "mauve", all("tv")))', 'count(having(color, "mauve", all("tv")))'),
    ],
)
def test_a_value_tells_its_attribute(program, meant):
    assert agreeing(parse_text(program)) == parse_text(meant)


@pytest.mark.parametrize(
    ("token", "words", "text"),
    [
        ("name:", "the chair with the leather", "chair"),
        ("name:", "two coffee tables", "two coffee table"),
        ("name:", "ones", "object"),
        ("name:", "everything", "object"),
        ("name:", "chest of drawers", "chest of drawers"),
        ("value:", "dark green", "dark green"),
        ("name:", "the", "the"),
        ("number:2", "", "2"),
        ("count", "", "count"),
    ],
)
def test_a_copied_name_ends_where_names_end(token, words, text):
    assert _text(token, words.split(), [0, len(words.split()) - 1]) == text


@pytest.fixture(scope="module")
def pairs():
    return sentences(3, "test", rooms=2, wordings=1, workers=1)


def test_every_name_of_a_program_stands_in_its_sentence(pairs):
    assert len(pairs) > 40
    for pair in pairs:
        for token, (first, last) in zip(pair.program, pair.spans, strict=True):
            if LANGUAGE.tokens[token] in LANGUAGE.copies:
                assert 0 <= first <= last < len(pair.words)


def test_a_network_learns_a_handful_of_sentences(pairs):
    torch.manual_seed(0)
    few = [
        p
        for p in pairs
        if all(
            reply in p.text.lower()
            for reply in re.findall('"([^"]+)"', p.source)
            if reply != "object"
        )
    ][:12]
    words = ("", "<unknown>", *sorted({w for p in few for w in p.words}))
    index = {w: k for k, w in enumerate(words)}
    network = Seq2Seq(len(words), LANGUAGE, width=48, heads=2, dropout=0.0)
    optimizer = torch.optim.Adam(network.parameters(), 4e-3)
    batch = collate([example(p, ids(p, index)) for p in few])
    for _ in range(120):
        optimizer.zero_grad()
        network(*batch).mean().backward()
        optimizer.step()
    parser = RoomParser(network, words)
    for sort, name in ((0, "question"), (1, "change")):
        mine = [p for p in few if p.sort == sort]
        result = parser.parse([p.text for p in mine], name)
        assert [str(f.program) for f in result] == [p.source for p in mine]


def test_batches_of_the_data_module(monkeypatch):
    monkeypatch.setattr(training, "vocabulary", lambda seed: ("", "<unknown>", "the", "chair"))
    data = RoomParserData(rooms=1, wordings=1, validation=1, workers=1)
    data.setup()
    data.trainer = SimpleNamespace(
        max_steps=1, global_step=0, accumulate_grad_batches=1, global_rank=0, world_size=1
    )
    words, program, sorts, spans = next(iter(data.train_dataloader()))
    assert words.shape[0] == program.shape[0] == sorts.shape[0] == spans.shape[0]
    assert words.max() <= 3
    assert (words == 1).any()  # most words are unknown to so small a vocabulary


def test_amounts_are_not_read_as_something_else():
    """The program language of these sentences has no sizes in metres; "how tall is the lamp" was
    read as "how many lamps".
    """
    parser = RoomParser.from_checkpoint(locate("room_parser"))
    query = ["How tall is the lamp?", "how far is the bed from the door", "How heavy is the bed?"]
    assert [p.program for p in parser.parse(query)] == [None] * 3
    read = ["How high is the number of sofas?", "How many lamps are there?",
            "How large is the bed compared to the desk, bigger or smaller?"]  # fmt: skip
    assert [p.program.op for p in parser.parse(read)] == ["count", "count", "size"]
    (report,) = parser.parse(["The chair has been removed, who knows how old it was."], "change")
    assert report.program is not None
