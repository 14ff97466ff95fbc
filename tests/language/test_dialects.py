"""One language: every program of every benchmark is a call of it, and reads back from either
spelling.
"""

import csv
import json
import pickle
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from generators import random_tree
from hypothesis import given, settings
from hypothesis import strategies as st

from po3d.io.files import read_jsonl
from po3d.language.program import (
    ANSWERS,
    DEEPEST,
    DIRECTIONS,
    LEAVES,
    LONGEST,
    OPERATIONS,
    SIGNATURES,
    Call,
    ProgramError,
    call,
    read_leaves,
)
from po3d.language.programs.rooms import ROOMS
from po3d.language.programs.scope import SCOPE
from po3d.language.programs.street import STREET
from po3d.language.programs.threedsrbench import THREEDSRBENCH
from po3d.language.read import reader_vocabulary

ROOT = Path(__file__).parents[2]
DIALECTS = {d.name: d for d in (STREET, ROOMS, THREEDSRBENCH, SCOPE)}
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
CUP = call("refer", "cup")


def test_the_table_has_at_most_40_operations_and_the_documents_list_them():
    assert len(SIGNATURES) <= 40
    listed = (ROOT / "docs" / "programs.md").read_text()
    for op, (inputs, output), _, note in OPERATIONS:
        assert f"| `{op}({', '.join(inputs)}) -> {output}` | {note} |" in listed


def test_a_word_has_one_meaning():
    """Overloads are told apart by their leaves, and a bare word that stands alone is an operation
    or a leaf, never either.
    """
    words = [w for words in LEAVES.values() if isinstance(words, tuple) for w in words]
    assert len(words) == len(set(words))
    assert not {
        op for op, several in SIGNATURES.items() if any(not s.inputs for s in several)
    } & set(words)


def test_a_word_after_a_bar_is_untrained():
    leaves, untrained = read_leaves(["sense most", "relation on under | far_from"])
    assert leaves == {"sense": ("most",), "relation": ("on", "under", "far_from")}
    assert untrained == {("relation", "far_from")}


def test_an_untrained_word_has_no_output_class_of_the_reader(monkeypatch):
    monkeypatch.setattr(reader_vocabulary, "UNTRAINED", {("relation", "on")})
    tokens = reader_vocabulary.Vocabulary().tokens
    assert "relation:on" not in tokens
    assert "relation:under" in tokens


UNSEEN_COLOR = """
import importlib.util, json, sys
spec = importlib.util.find_spec("po3d.scene.vocabulary")
module = importlib.util.module_from_spec(spec)
text = open(spec.origin).read()
empty = "UNSEEN_COLORS: tuple[str, ...] = ()"
assert empty in text
exec(text.replace(empty, 'UNSEEN_COLORS: tuple[str, ...] = ("orange",)'), module.__dict__)
sys.modules[spec.name] = module
from po3d.language.program import Call
from po3d.language.programs.street import TOKENS, StreetProgram
from po3d.reasoning.execute import execute
from po3d.systems.api import read_scene
scene = json.load(open(sys.argv[1]))
scene["objects"][0]["color"] = "orange"
json.dump(scene, open(sys.argv[2], "w"))
program = StreetProgram.parse("count(filter[color=orange](scene))")
modes = ("argmax", "marginal", "samples")
print([execute(program.call, read_scene(sys.argv[2]), mode=mode).answer for mode in modes])
print("filter[color=red]" in TOKENS, "filter[color=orange]" in TOKENS)
print("orange" in module.ATTRIBUTES["color"])
"""


def test_an_unseen_color_is_in_tables_and_programs_and_no_class(tmp_path):
    scene = ROOT / "data" / "examples" / "street.json"
    command = [sys.executable, "-c", UNSEEN_COLOR, scene, tmp_path / "orange.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split("\n") == ["['1', '1', '1']", "True False", "False", ""], done.stderr


@pytest.mark.parametrize("output", [*ANSWERS, "edit"])
@settings(max_examples=50, deadline=None)
@given(rng=seeds)
def test_the_text_of_a_call_is_read_back(output, rng):
    program = random_tree(rng, Call, output)
    assert Call.parse(program.text()) == program


def outputs(dialect):
    """What its programs give: the outputs that no operation takes."""
    signatures = [s for several in dialect.tree.language.signatures.values() for s in several]
    taken = {kind for s in signatures for kind in s.inputs}
    return sorted(
        {s.output for s in signatures} - taken | {"edit", "label"} & {s.output for s in signatures}
    )


@pytest.mark.parametrize(
    ("name", "output"), [(n, o) for n, d in DIALECTS.items() for o in outputs(d)]
)
@settings(max_examples=20, deadline=None)
@given(rng=seeds)
def test_every_spelling_has_one_call_and_every_call_that_spelling(name, output, rng):
    dialect = DIALECTS[name]
    tree = random_tree(rng, dialect.tree, output)
    intended = dialect.to_core(tree)
    assert dialect.from_core(intended) == tree
    assert dialect.tree.parse(tree.text()) == tree
    assert Call.parse(intended.text()) == intended
    assert intended.output in (*ANSWERS, "edit")


@pytest.mark.parametrize("name", DIALECTS)
def test_equal_programs_are_one_and_the_same_call(name):
    dialect = DIALECTS[name]
    for output in outputs(dialect):
        text = random_tree(np.random.default_rng(5), dialect.tree, output).text()
        one, other = (dialect.to_core(dialect.tree.parse(text)) for _ in range(2))
        assert one is other
        assert hash(one) == hash(Call.parse(one.text()))
        again = pickle.loads(pickle.dumps(one))
        assert again == one
        assert all("hash" not in call.__dict__ for call in again.calls())


@pytest.mark.parametrize("name", DIALECTS)
def test_operations_of_a_dialect_mean_different_calls(name):
    meanings = list(DIALECTS[name].meanings.values())
    assert len(set(meanings)) == len(meanings)


def gold():
    """(dialect, text) of every program in data/."""
    for path in sorted((ROOT / "data" / "natural").glob("*.jsonl.bz2")):
        for record in read_jsonl(path):
            for key in ("program", "change_program"):
                if text := record.get(key):
                    yield (STREET if path.name.startswith("pulsecheck457") else ROOMS), text
    for line in (ROOT / "data/mini/scope/items.jsonl").read_text().splitlines():
        yield SCOPE, json.loads(line)["program"]
    with (ROOT / "data/mini/3dsrbench/3dsrbench.tsv").open(newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            yield THREEDSRBENCH, row["program"]


def test_all_gold_programs_translate_both_ways():
    programs = sorted({(dialect.name, text) for dialect, text in gold()})
    assert {name for name, _ in programs} == set(DIALECTS)
    for name, text in programs:
        dialect = DIALECTS[name]
        assert dialect.text(Call.parse(dialect.parse(text).text())) == text


def test_what_a_dialect_cannot_say_is_refused():
    room = call("direction", CUP, CUP, call("frame", "room"), "eight")
    with pytest.raises(ProgramError, match="no words"):
        STREET.text(room)
    with pytest.raises(ProgramError, match="no words"):
        STREET.text(call("count", call("filter", "color", "pink", call("scene"))))
    with pytest.raises(ProgramError, match="no words"):
        SCOPE.text(room)
    with pytest.raises(ProgramError, match="'100' is not an angle; known: 45, 90"):
        SCOPE.text(
            call(
                "direction",
                CUP,
                CUP,
                call("frame", 100.0, CUP, CUP, call("frame", "camera")),
                "eight",
            )
        )
    with pytest.raises(ProgramError, match="'up' is not a direction; known: front"):
        ROOMS.call("corner", "up")


def test_the_same_question_of_two_benchmarks_is_the_same_call():
    assert STREET.parse("count(scene)") == Call.parse("count(scene)")
    nearest = 'best(distance, least, refer("dog"), choices)'
    assert SCOPE.parse('name(nearest(thing("dog")))') == Call.parse(f"query(name, {nearest})")
    assert {d.replace("_", "-") for d in DIRECTIONS} == set(SCOPE.words["direction"])
    assert set(ROOMS.words["direction"].values()) == set(DIRECTIONS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "operation"),
        ("count", "takes 1 or 2 arguments, got 0"),
        ("count(scene) scene", "unexpected text after the program"),
        ("count(scene", "unbalanced"),
        ("count(scene,)", "before"),
        ("fly(scene)", "unknown operation"),
        ("count(refer(cup))", "should be quoted"),
        ('count(filter("color", "red", scene))', "should be bare"),
        ('filter(colour, "red", scene)', "'colour' is not an attribute; known: name"),
        ('filter(color, " ", scene)', "the text is empty"),
        ("exist(unique(scene))", "exist takes objects, got unique"),
        ("turn(scene, 1234567)", "is not an amount"),
        ('turn(scene, "90")', "'90' is not an amount"),
        ('refer("\\x")', "invalid string"),
        ("count(scene) !", "invalid syntax"),
        ("count(" * (DEEPEST + 1), "nested calls"),
        ("x" * (LONGEST + 1), "characters"),
    ],
)
def test_what_is_no_program_is_reported_in_one_line(text, said):
    with pytest.raises(ProgramError, match=said) as failure:
        Call.parse(text)
    assert len(str(failure.value)) < 1000
    assert "\n" not in str(failure.value)


@given(st.text('count(scene,unique"\\ 1.[]=', max_size=60))
def test_any_text_is_a_program_or_refused(text):
    for tree in (Call, *(d.tree for d in DIALECTS.values())):
        try:
            assert tree.parse(tree.parse(text).text()) == tree.parse(text)
        except ProgramError:
            continue


def test_the_longest_texts_take_no_time():
    start = time.process_time()
    for text in (
        "(" * LONGEST,
        "count(" * 2000,
        '"' * LONGEST,
        "a " * 5000,
        "1." * 5000,
        "union(scene, " * 700,
    ):
        for tree in (Call, *(d.tree for d in DIALECTS.values())):
            with pytest.raises(ProgramError):
                tree.parse(text)
    assert time.process_time() - start < 5


def test_the_deepest_program_is_read_and_written():
    deep = "exist(" + "intersect(scene, " * (DEEPEST - 2) + "scene" + ")" * (DEEPEST - 1)
    program = STREET.parse(deep)
    assert STREET.text(program) == program.text() == deep
