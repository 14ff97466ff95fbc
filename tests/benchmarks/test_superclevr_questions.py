"""Super-CLEVR: its questions read back, its release, and po3d's systems on it."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from generators import random_scene
from test_superclevr import record

from po3d.benchmarks.registry import BENCHMARKS
from po3d.benchmarks.superclevr.benchmark import PARTS, load
from po3d.benchmarks.superclevr.files import scene_from_superclevr
from po3d.benchmarks.superclevr.nodes import nodes_from_program, program_from_nodes
from po3d.benchmarks.superclevr.score import correct, score
from po3d.benchmarks.superclevr.twin import WITH_MATERIAL
from po3d.benchmarks.superclevr.wording import program_of
from po3d.evaluation.audit import audit
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.programs.street import TOKENS, ProgramError, parse_text
from po3d.language.read.parse import Parse
from po3d.language.read.street_parser import _renamed, _stand_ins
from po3d.language.say.street.language import canonical, realise
from po3d.reasoning.execute import execute
from po3d.reasoning.questions import Prediction
from po3d.scene.vocabulary import PARENT, UNSEEN_SHAPES
from po3d.synthesis.street.question_world import SceneBitsets
from po3d.synthesis.street.questions import SampledQuestionProgram, ask
from po3d.systems.pipeline import Context, oracle

OFFICIAL = Path(__file__).parents[3] / "shared" / "examples"
Q = "superCLEVR_questions_own.json"


def drawn(scenes: int) -> list[SampledQuestionProgram]:
    balance = Counter()
    worlds = [
        SceneBitsets(random_scene(rng(5, "superclevr", k), 7), "2d", materials=True)
        for k in range(scenes)
    ]
    return [
        q
        for k, world in enumerate(worlds)
        for q in ask(world, WITH_MATERIAL, balance, rng(6, "superclevr", k))
    ]


def test_what_our_speaker_says_in_the_benchmarks_words_is_read_back():
    query = drawn(30)
    assert {q.template.split("/")[0] for q in query} == {
        "zero_hop",
        "one_hop",
        "two_hop",
        "three_hop",
        "same_relate",
        "single_and",
        "single_or",
        "compare_integer",
        "comparison",
    }
    assert any("material" in q.program.text() for q in query)
    apart = re.compile(
        r"(?<! is)(?<!are)(?<! of)(?<!has)(?<!ave) the same \w+ as"
    )  # "a bus the same size as": ours alone
    texts = [realise(q.program, rng(7, "said", k), "benchmark") for k, q in enumerate(query)]
    read = [(text, q) for text, q in zip(texts, query) if not apart.search(text)]
    assert len(read) > 0.9 * len(query)
    for text, q in read:
        assert canonical(program_of(text)) == canonical(q.program), text


@pytest.mark.parametrize(
    ("text", "program"),
    [
        (
            "What is the small matte object made of?",
            "query[material](unique(filter[material=rubber](filter[size=small](scene))))",
        ),
        (
            "How big is the thing that is both behind the bus and left of the jet?",
            (
                "query[size](unique(intersect(relate[behind,task](unique(filter[shape=bus](scene))),"
                " relate[left,task](unique(filter[shape=jet](scene))))))"
            ),
        ),
        (
            (
                "There is another tiny thing that is made of the same material as the wagon; what"
                " is its color?"
            ),
            "query[color](unique(filter[size=small](same[material](unique(filter[shape=wagon](scene))))))",
        ),
        (
            "Are there more green matte things than regular cars?",
            (
                "greater_than(count(filter[material=rubber](filter[color=green](scene))),"
                " count(filter[shape=addi](scene)))"
            ),
        ),
        (
            "Are the jet and the road bike made of the same material?",
            (
                "equal[material](query[material](unique(filter[shape=jet](scene))),"
                " query[material](unique(filter[shape=road](scene))))"
            ),
        ),
    ],
)
def test_a_wording_is_one_program(text, program):
    assert program_of(text).text() == program


@pytest.mark.parametrize(
    "text",
    [
        "What color is the left door of the bus?",
        "How many",
        "",
        "Is the bus that",
        "Paint the bus red.",
        "What color is it?",
        "There is a bus that is left of it; what color is it?",
    ],
)
def test_other_words_are_refused_with_the_place(text):
    with pytest.raises(ProgramError, match="no wording of the benchmark matches at"):
        program_of(text)


def test_a_question_without_end_is_refused():
    with pytest.raises(ProgramError, match="too many others"):
        program_of("What color is the bus " + "left of a bus " * 2000)


@pytest.fixture
def release(tmp_path):
    """Three vehicles, one of them of the 22nd type."""
    scene = record()
    scene["objects"][0]["shape"] = "addi"
    query = [
        ("How many regular cars are there?", 1, "zero_hop.json"),
        ("How many cars are there?", 1, "zero_hop.json"),
        ("What shape is the red thing?", "regular car", "zero_hop.json"),
        ("Are there any sedans?", False, "zero_hop.json"),
        (
            "Are there any other things that have the same shape as the regular car?",
            False,
            "same_relate.json",
        ),
        ("What color is the trunk of the regular car?", "blue", "part.json"),
    ]
    records = [
        {
            "image_filename": "superCLEVR_new_000000.png",
            "question": text,
            "answer": answer,
            "question_index": k,
            "template_filename": template,
        }
        for k, (text, answer, template) in enumerate(query)
    ]
    records[1]["program"] = nodes_from_program(parse_text("count(filter[shape=car](scene))"))
    (tmp_path / "superCLEVR_scenes.json").write_text(json.dumps({"scenes": [scene]}))
    (tmp_path / Q).write_text(json.dumps({"questions": records}))
    return tmp_path


def test_the_22nd_type_is_a_car_with_its_own_name_on_true_tables(release):
    split = load(release)
    answers = oracle("street").answer(
        split.questions, Context(None, lambda: split.truth(split.images[0]))
    )
    assert [(p.status, p.answer) for p in answers] == [
        ("ok", "1"),
        ("ok", "1"),
        ("ok", "addi"),
        ("ok", "no"),
        ("ok", "no"),
        ("unparsed", None),
    ]
    assert answers[-1].reason == PARTS
    assert correct(split.questions, answers, "strict") == [True] * 5 + [False]
    for mode in ("marginal", "samples"):
        for q, p in zip(split.questions[:5], answers):
            result = execute(parse_text(q.program), split.truth(q.image), "2d", mode)
            assert (result.answer, result.probability) == (p.answer, 1.0)
    (erratum,) = audit("superclevr", split)
    assert (erratum.verdict, erratum.reason) == ("unvouched", PARTS)
    assert PARENT["addi"] == "car"
    assert not any(shape in token for shape in UNSEEN_SHAPES for token in TOKENS)


def test_a_parser_that_lacks_its_word_reads_it_as_another_car():
    stood_in, text = _stand_ins("Are there more regular cars than SUVs?")
    assert (stood_in, text) == ({"wagon": "addi"}, "Are there more wagons than SUVs?")
    parse = Parse("ok", program_of(text), 0.9)
    assert _renamed(parse, stood_in).program == program_of("Are there more regular cars than suvs?")
    assert _stand_ins("How many regular buses are there?") == (
        {},
        "How many regular buses are there?",
    )


def test_strict_scores_take_spellings_for_the_answer_and_nothing_else(release):
    questions = load(release).questions[:4]
    reply = [
        Prediction(q.id, "ok", a) for q, a in zip(questions, ("01", "2", "Regular Car", "False"))
    ]
    assert correct(questions, reply, "strict") == [True, False, True, True]
    rows = {row["name"]: row["value"] for row in score(questions, reply)["rows"]}
    assert rows == {"zero_hop": 75.0, "overall": 75.0}
    with pytest.raises(InputError, match="unknown scorer"):
        correct(questions, reply, "lenient")


def test_a_folder_without_questions_or_with_broken_ones_is_one_line(tmp_path, release):
    with pytest.raises(InputError, match="no Super-CLEVR data in"):
        load(tmp_path / "nowhere")
    for content, reply in (
        ({}, "not contain a list of questions"),
        ({"questions": [{}]}, "question 0: missing"),
        ([3], "should be an object"),
    ):
        (release / Q).write_text(json.dumps(content))
        with pytest.raises(InputError, match=reply):
            load(release)


def test_functions_on_parts_are_named():
    nodes = [
        {"type": "scene", "inputs": []},
        {"type": "partfilter_color", "inputs": [0], "value_inputs": ["red"]},
    ]
    with pytest.raises(ProgramError, match="partfilter_color is about parts of objects"):
        program_from_nodes(nodes)


def test_the_shipped_split_is_right_by_its_programs_and_by_its_words():
    split = BENCHMARKS["superclevr"].load(BENCHMARKS["superclevr"].mini, "mini").first(5)
    assert audit("superclevr", split) == []
    for q in split.questions:
        assert execute(program_of(q.text), split.truth(q.image), "2d").answer == q.answer
    assert split.image(split.images[0]).shape == (480, 640, 3)


@pytest.mark.skipif(not OFFICIAL.is_dir(), reason="official examples are not in the repository")
def test_official_questions_agree_with_the_official_answers():
    split = load(OFFICIAL)
    assert len(split.questions) == 46
    assert all(q.program for q in split.questions)
    assert audit("superclevr", split) == []
    assert scene_from_superclevr(
        json.loads((OFFICIAL / "superCLEVR_new_000000.json").read_text())
    ).camera
