"""The command line: what it prints, and one clear line with exit code 2 for everything that can't
be used.
"""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from generators import random_scene
from PIL import Image
from untrained import untrained_estimator, untrained_parser

from po3d.cli import ask
from po3d.cli import main as cli
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.programs.street import parse_text
from po3d.language.read.parse import Parse
from po3d.language.read.street_parser import Parser
from po3d.perception.street import StreetEstimator
from po3d.reasoning.execute import execute
from po3d.scene.table import from_json, to_json
from po3d.systems.image_inputs import ImageInputs

SCENE = random_scene(rng(3, "cli"), 5)
COUNT = "count(scene)"
PIXELS = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)
RECORD = {
    "image_filename": "a.png",
    "objects": [
        {"shape": "sedan", "size": "large", "color": "red", "material": "metal", "rotation": 20.0,
         "3d_coords": [1.0, -1.0, 0.4]},
        {"shape": "road", "size": "small", "color": "gray", "material": "rubber", "rotation": 90.0,
         "3d_coords": [-1.0, 2.0, 0.4]},
    ],
}  # fmt: skip


class Reads:
    """A parser for questions that are written as programs."""

    def parse(self, texts):
        return [
            (
                Parse("ok", parse_text(t), 0.5)
                if "(" in t
                else Parse("unparsed", None, 0.0, f"unknown words: {t}")
            )
            for t in texts
        ]


@pytest.fixture
def reads(monkeypatch):
    monkeypatch.setattr(Parser, "from_checkpoint", lambda path, device: Reads())


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(to_json(SCENE)))
    return str(path)


def encoded(format: str) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(PIXELS).save(buffer, format)
    return buffer.getvalue()


def test_ask_prints_answer_program_trace_and_table(reads, table, capsys):
    color = SCENE.objects[0].value("color")
    question = f"count(filter[color={color}](scene))"
    assert cli.main(["ask", table, question]) == 0
    printed = capsys.readouterr().out
    answer = execute(parse_text(question), SCENE).answer
    assert printed.startswith(f"answer: {answer} (probability 0.50)\n")
    assert f"program: {question}" in printed
    assert f"filter[color={color}] -> {answer} of 5" in printed
    rows = printed.rstrip().splitlines()[-5:]
    assert [row.split()[0] for row in rows] == list("01234")
    assert color in rows[0]


def test_ask_json_is_one_object_that_holds_everything(reads, table, capsys):
    assert cli.main(["ask", table, COUNT, "--json", "--task", "6d", "--mode", "marginal"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["status"], record["answer"], record["probability"], record["task"]) == (
        "ok",
        "5",
        0.5,
        "6d",
    )
    assert record["program"] == COUNT
    assert [step["token"] for step in record["trace"]] == ["scene", "count"]
    assert from_json(record["scene"]).objects[0].beliefs == SCENE.objects[0].beliefs


def test_ask_says_what_was_near_and_what_would_flip_the_answer(reads, tmp_path, capsys):
    path = tmp_path / "one.json"
    nearly = {
        **RECORD["objects"][1],
        "rotation": 140.0 - 90.0 + 32.5,
        "color": "green",
    }  # 2.5 degrees from facing right
    path.write_text(json.dumps({**RECORD, "objects": [*RECORD["objects"], nearly]}))
    question = "count(filter[facing=right](filter[color=green](scene)))"
    assert cli.main(["ask", str(path), question]) == 0
    printed = capsys.readouterr().out
    assert (
        "filter[facing=right] -> 0 of 3   [nearest: #2 small green rubber road bike is 2.5° from"
        " facing right]" in printed
    )
    assert (
        "  closest call: #2 small green rubber road bike is 2.5° from facing right (else: 1)\n"
        in printed
    )
    assert cli.main(["ask", str(path), question, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["margins"]
    assert (result["answer"], result["flip"]["answer"], result["flip"]["object"]) == ("0", "1", 2)
    assert [len(step) for step in result["steps"]] == [0, 0, 1, 0]


def test_ask_reads_super_clevr(reads, tmp_path, capsys):
    for name, content in (("one.json", RECORD), ("file.json", {"info": {}, "scenes": [RECORD]})):
        path = tmp_path / name
        path.write_text(json.dumps(content))
        question = "query[shape](unique(filter[color=gray](scene)))"
        assert cli.main(["ask", str(path), question, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["answer"] == "road"


def test_ask_saves_a_picture(reads, table, tmp_path):
    target = tmp_path / "new" / "drawn.png"
    assert cli.main(["ask", table, COUNT, "--save", str(target)]) == 0
    with Image.open(target) as picture:
        assert picture.size == (480, 480)


def test_ask_looks_at_an_image(reads, tmp_path, monkeypatch, capsys):
    path, visible = tmp_path / "street.webp", []
    path.write_bytes(encoded("PNG"))

    class Sees:
        def estimate(self, images, names):
            visible.append((images[0], names))
            return [replace(SCENE, source="predicted")]

    monkeypatch.setattr(StreetEstimator, "from_checkpoint", lambda path, device, mirror: Sees())
    query = [
        "ask",
        str(path),
        COUNT,
        "--perception",
        "street",
        "--save",
        str(tmp_path / "drawn.jpg"),
    ]
    assert cli.main(query) == 0
    np.testing.assert_array_equal(visible[0][0], PIXELS)
    assert (tmp_path / "drawn.jpg").stat().st_size > 1000


def test_a_question_without_an_answer_is_no_error(reads, table, capsys):
    assert cli.main(["ask", table, "query[color](unique(scene))"]) == ask.NO_ANSWER
    assert capsys.readouterr().out.startswith("no answer: ambiguous: there are 5 things, not one")


def broken(**changes) -> bytes:
    record = to_json(SCENE)
    for key, value in changes.items():
        (
            record["objects"][0].pop(key)
            if value is None
            else record["objects"][0].update({key: value})
        )
    return json.dumps(record).encode()


BAD_INPUTS = [
    ("missing", "none.png", None, "not found"),
    ("missing table", "none.json", None, "not found"),
    ("empty file", "a.png", b"", "empty"),
    ("truncated", "a.png", encoded("PNG")[:3000], "truncated"),
    ("no image", "a.jpg", b"hello there", "not a PNG"),
    ("gif", "a.gif", encoded("GIF"), "not a PNG"),
    ("no JSON", "a.json", b"{", "not valid JSON"),
    ("a list", "a.json", b"[]", "a scene should be in po3d's format"),
    ("no objects", "a.json", b"{}", "a scene should be in po3d's format"),
    (
        "two scenes",
        "a.json",
        json.dumps({"scenes": [RECORD, RECORD]}).encode(),
        "contains 2 scenes",
    ),
    ("missing field", "a.json", broken(heading_deg=None), "'objects[0].heading_deg' is missing"),
    ("wrong numbers", "a.json", broken(position=[0, 1]), "'objects[0].position[2]' is missing"),
    ("bad beliefs", "a.json", broken(beliefs={"color": {"red": 0.4}}), "sum to 1"),
    (
        "Super-CLEVR without a field",
        "a.json",
        json.dumps(
            {"objects": [{"shape": "jet", "size": "large", "3d_coords": [0, 0, 0], "color": "red"}]}
        ).encode(),
        "rotation",
    ),
    (
        "Super-CLEVR with a new shape",
        "a.json",
        json.dumps({"objects": [RECORD["objects"][0] | {"shape": "tank"}]}).encode(),
        "unknown shape 'tank'",
    ),
]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ask", "none.png", COUNT, "--json"], "not found: none.png"),
        (["ask", "BROKEN", COUNT, "--json"], "not a PNG"),
        (["ask", "TABLE", COUNT, "--json", "--task", "3d"], "invalid choice: '3d'"),
        (["ask", "TABLE", "--json"], "required: question"),
        (["ask", "TABLE", "flying saucers?", "--json"], "unknown words: flying saucers?"),
        (
            ["compare", "none.jsonl", "other.jsonl", "--json", "--benchmark", "pulsecheck457"],
            "none.jsonl",
        ),
        (["doctor", "--json", "--loud"], "unrecognized arguments: --loud"),
    ],
)
def test_with_json_an_error_is_one_object_too(reads, table, tmp_path, capsys, arguments, says):
    broken = tmp_path / "a.jpg"
    broken.write_bytes(b"hello there")
    assert cli.main([{"TABLE": table, "BROKEN": str(broken)}.get(a, a) for a in arguments]) == 2
    record = json.loads(capsys.readouterr().out)
    assert record["status"] in ("error", "unparsed")
    assert says in record["reason"]


@pytest.mark.parametrize(
    ("name", "content", "says"), [b[1:] for b in BAD_INPUTS], ids=[b[0] for b in BAD_INPUTS]
)
def test_a_bad_file_is_one_line_and_exit_code_2(reads, name, content, says, tmp_path, capsys):
    path, target = tmp_path / name, tmp_path / "drawn.png"
    if content is not None:
        path.write_bytes(content)
    assert cli.main(["ask", str(path), COUNT, "--save", str(target)]) == 2
    refused(capsys, says)
    assert not target.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ask", "TABLE", "  "], "the question is empty"),
        (["ask", "TABLE", "flying saucers?"], "no answer: unknown words: flying saucers?"),
        (["ask", "TABLE"], "required: question"),
        (["ask", "TABLE", COUNT, "--task", "3d"], "invalid choice: '3d'"),
        (["ask", "TABLE", COUNT, "--save", "picture.bmp"], "should end in one of .png"),
        (["ask", "TABLE", COUNT, "--save", "."], "argument --save: . is a folder, not a file"),
        (["audit", "--out", "."], "argument --out: . is a folder"),
        (["import", "nothing.xlsx", "--out", "."], "argument --out: . is a folder"),
        (["report", "nothing", "--out", "."], "argument --out: . is a folder"),
        (
            ["ask", "TABLE", COUNT, "--focal", "2"],
            "--focal applies to rooms, orbit, photo; this input is a street's table",
        ),
        (
            ["ask", "TABLE", COUNT, "--room-parser-checkpoint", "x"],
            "applies to map, a room's table; this input is a street's",
        ),
        (["answer", "TABLE"], "invalid choice: 'answer'"),
        (["serve", "--timeout", "nan"], "--timeout and --max-megabytes should be positive"),
        (
            ["generate", "benchmark=hypo3d", "benchmark.scenes=ground_truth", "out=x"],
            "benchmark.scenes is set, but has no effect on this twin",
        ),
        (
            ["generate", "blender.width=7", "out=x"],
            "blender is set, but has no effect on this twin",
        ),
        (
            ["generate", "engine=ray", "engine.workers=-3", "out=x"],
            "engine.workers=-3 should be at least 1",
        ),
        ([], "required: COMMAND"),
        (["generate", "size=3"], "the option out has no value"),
        (["generate", "sise=3", "out=x"], "did you mean size"),
        (["generate", "size=0", "out=x"], "size=0 should be at least 1"),
        (["generate", "size=abc", "out=x"], "size='abc' should be a whole number"),
        (["generate", "size=1.5", "out=x"], "size=1.5 should be a whole number"),
        (["generate", "workers=-1", "out=x"], "workers=-1 should be at least 1"),
        (["generate", "seed=-1", "out=x"], "seed=-1 should be at least 0"),
        (["generate", "images=perhaps", "out=x"], "images='perhaps' should be true or false"),
        (
            ["generate", "look=night", "out=x"],
            "look='night' should be 'studio', 'outdoor', 'superclevr' or 'hdri'",
        ),
    ],
)
def test_bad_arguments_are_one_line_and_exit_code_2(
    reads, table, arguments, says, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert cli.main([table if a == "TABLE" else a for a in arguments]) == 2
    refused(capsys, says)
    assert sorted(tmp_path.rglob("*")) == before


def refused(capsys, says: str) -> None:
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert says in error


def test_a_checkpoint_with_another_hash_is_refused(table, tmp_path, capsys):
    path = untrained_parser(tmp_path)
    weights = path.with_suffix(".safetensors")
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0\0")
    assert cli.main(["ask", table, "How many cars?", "--parser-checkpoint", str(path)]) == 2
    refused(capsys, "its sha256 is")


def test_a_checkpoint_of_another_kind_or_none_is_refused(table, tmp_path, capsys):
    for path, says in (
        (untrained_estimator(tmp_path), "holds a street_estimator, not a parser"),
        (tmp_path / "nowhere", "not found"),
        ("no_such_name", "not found"),
        (tmp_path / "weights.pt", "pickled files are not supported"),
    ):
        assert cli.main(["ask", table, "How many cars?", "--parser-checkpoint", str(path)]) == 2
        refused(capsys, says)


@pytest.mark.parametrize("command", [["--help"], ["ask", "--help"], ["generate", "--help"]])
def test_help_helps(command, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(command)
    assert left.value.code == 0
    assert "usage: po3d" in capsys.readouterr().out


def test_generate_without_egl_is_one_line_and_writes_nothing(tmp_path, monkeypatch, capsys):
    moderngl = pytest.importorskip("moderngl")
    from po3d.synthesis.street.dataset import open_renderer

    def no_egl(**options):
        raise OSError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setattr(moderngl, "create_context", no_egl)
    open_renderer.cache_clear()
    out = tmp_path / "twin"
    assert cli.main(["generate", "size=1", f"out={out}", "workers=1"]) == 2
    refused(capsys, "libegl1")
    assert not out.exists()


@pytest.mark.render
def test_generate_writes_a_twin_that_can_be_queried(reads, tmp_path, capsys):
    out = tmp_path / "twin"
    assert (
        cli.main(
            ["generate", "benchmark=pulsecheck457", "size=1", "seed=5", f"out={out}", "workers=1"]
        )
        == 0
    )
    assert cli.main(["ask", str(out / "scenes.json"), COUNT, "--json"]) == 0
    record = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert int(record["answer"]) == len(record["scene"]["objects"])
    assert len(list((out / "images").iterdir())) == 1


@pytest.mark.parametrize(("size", "noted"), [((64, 48), False), ((64, 64), True), ((48, 64), True)])
def test_a_picture_of_a_street_that_is_not_4_to_3_is_noted(reads, tmp_path, capsys, size, noted):
    Image.new("RGB", size).save(tmp_path / "a.png")
    cli.main(
        [
            "ask",
            str(tmp_path / "a.png"),
            "count(scene)",
            "--perception-checkpoint",
            str(untrained_estimator(tmp_path)),
        ]
    )
    reply = f"note: a.png is not 4:3 ({size[0]} x {size[1]})"
    assert (reply in capsys.readouterr().err) == noted


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_a_lens_and_a_scale_are_positive_and_finite(value):
    for name, key in (("lens", "focal"), ("scale", "metres_per_pixel")):
        with pytest.raises(InputError, match=f"{key}=.*should be a number between 0 and 1,000"):
            ImageInputs({}, **{name: value})
    assert ImageInputs({}, lens=1.2, scale=0.01).focal() == 1.2


def test_an_argument_with_nul_is_one_line(capsys):
    assert cli.main(["export", "--format", "openai", "--out", "a\0b"]) == 2
    assert capsys.readouterr().err == "error: the argument 'a\\x00b' contains a NUL character\n"
