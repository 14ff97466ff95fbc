"""What a model is given: the papers' settings, and a scene table as text, in an export and over
HTTP alike.
"""

import base64
import importlib.util
import json

import pytest
from endpoints import completion, orbit, room, scripted, street

from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.cli import main as cli
from po3d.evaluation.run import predict
from po3d.io.config import ROOT, run_hydra
from po3d.io.errors import InputError
from po3d.io.files import write_jsonl
from po3d.io.images import decode_image
from po3d.io.run_names import row_name
from po3d.scene.table import to_json
from po3d.systems.lmm import Lmm
from po3d.systems.pipeline import Context
from po3d.systems.prompts import COT, Prompter, PromptSetting

BUILT = {"pulsecheck457": street, "hypo3d": room, "scope": orbit}


def opened_split(name, folder):
    BUILT[name](folder)
    return opened(name, folder)


def exported(name, root, out, *options):
    command = ["export", "--benchmark", name, "--data", str(root), "--format", "openai", "--inline"]
    assert cli.main([*command, "--out", str(out), *options]) == 0
    with open(out / "messages.jsonl") as file:
        return [json.loads(line)["messages"] for line in file]


def ask_question(name, split, out, **settings):
    """The messages that system=lmm sends, by the question's place."""
    with scripted(lambda k, body: completion("A")) as endpoint:
        system = Lmm(name, endpoint.base_url, "m", concurrency=1, **settings)
        predict(split, system, out, {})
        return [body["messages"] for body in endpoint.requests]


def words(messages):
    return "\n".join(part["text"] for part in messages[0]["content"] if part["type"] == "text")


def display(messages):
    urls = [
        part["image_url"]["url"] for part in messages[0]["content"] if part["type"] == "image_url"
    ]
    return [decode_image(base64.b64decode(url.split("base64,")[1]), "") for url in urls]


SETTINGS = [
    ("hypo3d", {"frame": "none"}),
    ("hypo3d", {"frame": "camera"}),
    ("hypo3d", {"show": "labelled"}),
    ("hypo3d", {"show": "captions"}),
    ("hypo3d", {"show": "none"}),
    ("hypo3d", {"change": "without"}),
    ("scope", {"style": "cot"}),
    ("scope", {"style": "ego_to_allo"}),
    ("scope", {"show": "none"}),
    ("pulsecheck457", {"style": "cot"}),
    ("hypo3d", {"show": "none", "scenes": "ground_truth"}),
]


@pytest.mark.parametrize(("name", "setting"), SETTINGS)
def test_an_export_and_a_run_give_a_model_the_same(name, setting, tmp_path):
    split = opened_split(name, tmp_path / "release")
    options = [part for key, value in setting.items() for part in (f"--{key}", value)]
    written = exported(name, tmp_path / "release", tmp_path / "out", *options)
    plain = exported(name, tmp_path / "release", tmp_path / "plain")
    sent = ask_question(name, split, tmp_path / "run", **setting)
    assert sorted(map(json.dumps, sent)) == sorted(set(map(json.dumps, written)))
    assert written != plain
    for question, messages in zip(split.questions, written, strict=True):
        assert question.text in words(messages)


def test_hypo3d_is_provided_in_the_forms_of_its_paper(tmp_path):
    split = opened_split("hypo3d", tmp_path / "release")
    question = next(q for q in split.questions if q.change and q.frame)
    context = Context.of(split, question.image)

    def made(**setting):
        return Prompter("hypo3d", PromptSetting(**setting)).prompt(question, context)

    assert question.frame in made().text
    assert question.frame not in made(frame="none").text
    camera = made(frame="camera")
    assert len(camera.pictures) == 2
    assert context.picture(camera.pictures[1]).shape == (480, 640, 3)
    assert question.change not in made(change="without").text
    captions = made(show="captions")
    assert captions.pictures == ()
    assert all(text in captions.text for _, text in context.inputs.captions())
    labelled = context.picture(made(show="labelled").pictures[0])
    assert (labelled == 255).all(-1).any(), "no label is written on white"
    assert made(show="labelled").pictures != made().pictures


def test_scope_has_the_steps_where_its_paper_has_them(tmp_path):
    split = opened_split("scope", tmp_path / "release")
    prompter = Prompter("scope", PromptSetting(style="ego_to_allo"))
    for question in split.questions:
        text = prompter.prompt(question, Context.of(split, question.image)).text
        assert ("three steps" in text) is question.category.startswith("integration")


def test_3dsrbench_can_ask_for_boxes_first():
    split = opened("3dsrbench", None, 1)
    question = split.questions[0]
    context = Context.of(split, question.image)
    plain, boxes = (
        Prompter("3dsrbench", PromptSetting(style=s)).prompt(question, context)
        for s in ("plain", "boxes")
    )
    assert "3D bounding box" in boxes.text
    assert "3D bounding box" not in plain.text
    assert plain.pictures == boxes.pictures
    assert len(boxes.pictures) == 1
    assert boxes.text.startswith(plain.text.splitlines()[0])


def test_a_table_is_the_true_one_or_that_of_a_run(tmp_path):
    split = opened_split("hypo3d", tmp_path / "release")
    question = split.questions[0]
    context = Context.of(split, question.image)
    scene = context.truth()
    true = Prompter("hypo3d", PromptSetting(scenes="ground_truth")).prompt(question, context)
    assert all(o.value("name") in true.text for o in scene.objects)
    write_jsonl(
        tmp_path / "scenes.jsonl",
        [to_json(split.truth(name)) | {"image": name} for name in split.images],
    )
    setting = PromptSetting(scenes="predicted")
    assert Prompter("hypo3d", setting, tmp_path / "scenes.jsonl").prompt(question, context) == true
    write_jsonl(tmp_path / "scenes.jsonl", [])
    with pytest.raises(InputError, match="has no scene for"):
        Prompter("hypo3d", setting, tmp_path / "scenes.jsonl").prompt(question, context)


@pytest.mark.parametrize(
    ("name", "setting", "says"),
    [
        ("scope", {"frame": "none"}, "frame of scope"),
        ("pulsecheck457", {"show": "captions"}, "show of pulsecheck457"),
        ("hypo3d", {"style": "ego_to_allo"}, "style of hypo3d"),
        ("hypo3d", {"scenes": "predicted"}, "needs scenes_file=FILE"),
    ],
)
def test_a_setting_that_a_benchmark_lacks_is_refused(name, setting, says):
    with pytest.raises(InputError, match=says):
        Prompter(name, PromptSetting(**setting))


def test_every_benchmark_keeps_its_plain_prompt():
    for name in BENCHMARKS:
        split = opened(name, None, 1)
        question = split.questions[0]
        result = Prompter(name).prompt(question, Context.of(split, question.image))
        assert COT not in result.text
        assert question.text in result.text


COMMANDS = [
    (["benchmark=hypo3d", "benchmark.frame=none"], "m, no frame"),
    (
        ["benchmark=hypo3d", "benchmark.frame=camera", "system.show=labelled"],
        "m, camera frame, labelled maps",
    ),
    (["benchmark=scope", "system.style=ego_to_allo"], "m, ego to allo"),
    (["benchmark=superclevr", "system=lmm_parser", "system.scenes=ground_truth"], "m, true tables"),
]


@pytest.mark.parametrize(("options", "row"), COMMANDS)
def test_a_command_runs_a_setting_to_a_row_of_the_report(options, row, tmp_path):
    with scripted(lambda k, body: completion("The answer is A.")) as endpoint:
        own = [
            "size=1",
            f"system.base_url={endpoint.base_url}",
            "system.model=m",
            f"out={tmp_path / 'out'}",
        ]
        system = [] if any(o.startswith("system=") for o in options) else ["system=lmm"]
        assert evaluate(*system, *options, *own) == 0
        assert endpoint.requests
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert row_name(report) == row
    assert report["usage"]["requests"] > 0


def evaluate(*arguments):
    """evaluate.py in this process."""
    spec = importlib.util.spec_from_file_location("evaluate", ROOT / "evaluate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return run_hydra(script.main, "evaluate", "", list(arguments))
