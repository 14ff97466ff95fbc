"""Releases as training data: by default train scenes alone, and cards and reports say which scenes
were trained on."""

import importlib.util
import json
import os

import pytest
from tiny_trainings import NETWORK, SIZES, few_words

from po3d.benchmarks import scene_ids
from po3d.io.config import ROOT, build, compose, run_hydra
from po3d.io.errors import InputError
from po3d.io.ranges import numbers_of, ranges_text
from po3d.training import parser, questions
from po3d.training.data import StreetData
from po3d.training.estimator import EstimatorModule
from po3d.training.questions import QuestionData
from po3d.training.run import train

MINI = ROOT / "data" / "mini"
WIDTH, HEIGHT = SIZES["street"]
TRAINER = {
    "accelerator": "cpu",
    "max_steps": 1,
    "max_epochs": -1,
    "num_sanity_val_steps": 0,
    "limit_val_batches": 1,
    "enable_progress_bar": False,
}


def name(number):
    return f"superCLEVR_new_{number:06d}.png"


def released(root, numbers, file="superCLEVR_scenes.json", official=name):
    """A made-up release whose scenes have these numbers: pictures, true tables and questions of the
    shipped twin."""
    (root / "images").mkdir(parents=True)
    source = json.loads((MINI / "pulsecheck457" / "scenes.json").read_text())["scenes"]
    scenes = []
    for k, number in enumerate(numbers):
        old = source[k % len(source)]
        scenes.append({**old, "image_filename": official(number), "image_index": number})
        picture = MINI / "pulsecheck457" / "images" / old["image_filename"]
        os.symlink(picture, (root / "images" / official(number)).with_suffix(".jpg"))
    if "/" in file:
        (root / "scenes").mkdir()
        for scene in scenes:
            (root / "scenes" / f"{scene['image_index']}.json").write_text(json.dumps(scene))
    else:
        (root / file).write_text(json.dumps({"info": {}, "scenes": scenes}))
    return root


THREE_HUNDRED = [*range(200), *range(20_000, 20_050), *range(25_000, 25_050)]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return released(tmp_path_factory.mktemp("release"), THREE_HUNDRED)


def data_of(root, **options):
    return StreetData("superclevr", str(root), width=WIDTH, height=HEIGHT, batch=2, **options)


def numbers(subset):
    return [int(subset.dataset.records[k][1]["image_filename"][-10:-4]) for k in subset.indices]


def test_ranges_are_read_as_they_are_written():
    for wanted in ({1}, {0, 1, 2, 7}, {5, 9, 10, 11}, set()):
        assert numbers_of(ranges_text(wanted)) == wanted
    assert ranges_text({0, 1, 2, 7}) == "0-2, 7"
    for wrong in ("3-1", "a-b", "-4", "1-2-3"):
        with pytest.raises(InputError, match="not a list of ranges"):
            numbers_of(wrong)


@pytest.mark.parametrize(
    "file", ["superCLEVR_scenes.json", "scenes/*.json", "spatial457_scenes_21k.json"]
)
def test_the_default_trains_on_train_scenes_alone(file, tmp_path):
    data = data_of(released(tmp_path, THREE_HUNDRED, file), validation=30)
    data.setup("fit")
    trained, validated = numbers(data.train.scenes), numbers(data.validation)
    if file.startswith(
        "spatial457"
    ):  # no part of it is for validation, and its test scenes begin at 20,000
        assert trained == list(range(180))
        assert validated == list(range(180, 200))
    else:
        assert trained == list(range(200))
        assert validated == list(range(20_000, 20_030))
    assert data.scenes() == {"superCLEVR_new_#": set(trained)}


@pytest.mark.parametrize(
    ("split", "wanted"),
    [
        ("val", range(20_000, 20_045)),
        ("test", range(25_000, 25_050)),
        (["train", "val"], [*range(200), *range(20_000, 20_025)]),
    ],
)
def test_other_parts_are_trained_on_by_name(split, wanted, release):
    data = data_of(release, split=split)
    data.setup("fit")
    assert numbers(data.train.scenes) == list(wanted)
    assert not set(numbers(data.validation)) & set(wanted)


def test_ranges_of_one_s_own_go_before_the_release_s(release):
    data = data_of(
        release, ranges={"train": "0-9, 20000-20004", "val": "100-109", "test": "25000-25049"}
    )
    data.setup("fit")
    assert numbers(data.train.scenes) == [*range(10), *range(20_000, 20_005)]
    assert numbers(data.validation) == list(range(100, 110))
    for wrong, message in (
        ({"train": "0-9", "test": "5"}, "5 is in train and in test"),
        ({"training": "0-9"}, "unknown part"),
        ({"train": "all"}, "not a list of ranges"),
    ):
        with pytest.raises(InputError, match=message):
            data_of(release, ranges=wrong).setup("fit")


def test_test_scenes_alone_are_refused_in_one_line(tmp_path):
    root = released(tmp_path, range(25_000, 25_012))
    with pytest.raises(
        InputError, match=r"none of its 12 scenes is in data\.split=train \(test 12\)"
    ) as error:
        data_of(root).setup("fit")
    assert "\n" not in str(error.value)
    with pytest.raises(
        InputError, match=r"none of its 150 scenes is in data\.split=train \(test 150\)"
    ):
        data_of(MINI / "pulsecheck457").setup("fit")  # a twin says its part itself
    with pytest.raises(InputError, match=r"unknown data\.split"):
        data_of(root, split="dev")


def test_a_set_of_one_s_own_is_for_training(tmp_path):
    root = released(tmp_path, range(30), "scenes.json", lambda n: f"street {n:04d}.png")
    data = data_of(root)
    data.setup("fit")
    assert len(data.train.scenes) == 27
    assert data.scenes() == {"street #": set(range(27))}


def test_two_scene_files_want_one_of_them_named(tmp_path):
    root = released(tmp_path, range(4))
    (root / "spatial457_scenes_21k.json").write_bytes(
        (root / "superCLEVR_scenes.json").read_bytes()
    )
    with pytest.raises(InputError, match="set the root to one of them"):
        data_of(root).setup("fit")
    data = data_of(root / "superCLEVR_scenes.json")
    data.setup("fit")
    assert data.train[0]["present"].any()


def test_mixed_in_pictures_obey_the_same_rule(release):
    options = [
        "data=online",
        f"data.root={release}",
        "data.share=0.5",
        "data.replay_dir=unused",
        "data.width=96",
        "data.height=64",
    ]
    data = build(dict(compose("train", options).data))
    data.validation = None
    data.read_training()
    assert numbers(data.train.scenes.datasets[0]) == list(range(200))
    assert data.scenes() == {"superCLEVR_new_#": set(range(200))}
    with pytest.raises(InputError, match=r"none of its 150 scenes"):
        build(
            dict(compose("train", [*options, f"data.root={MINI / 'pulsecheck457'}"]).data)
        ).scenes()


def trained_on(root, out, export="", split="train", ranges=None, init_from=""):
    data = data_of(root, split=split, ranges=ranges)
    module = EstimatorModule(NETWORK | {"width": WIDTH, "height": HEIGHT}, init_from=init_from)
    train(module, data, out, {}, TRAINER, export=str(export), ema=0)
    return json.loads(export.with_suffix(".json").read_text())["training"].get("scenes")


def test_cards_and_reports_say_which_scenes_were_trained_on(release, tmp_path, monkeypatch, capsys):
    """Also of the weights that a training starts from; a twin of the same names is another set."""
    ranges = {"train": "0-4", "test": "25000-25011"}
    first, second = tmp_path / "first", tmp_path / "second"
    assert trained_on(release, tmp_path / "a", first, ranges=ranges) == {"superCLEVR_new_#": "0-3"}
    result = trained_on(release, tmp_path / "b", second, "test", ranges, str(first))
    assert result == {"superCLEVR_new_#": "0-3, 25000-25010"}

    tested = released(tmp_path / "tested", range(25_005, 25_020), "spatial457_scenes_21k.json")
    query = json.loads((MINI / "pulsecheck457" / "questions" / "L1_single.json").read_text())
    query["questions"] = [
        {**q, "image_filename": name(25_005 + k)} for k, q in enumerate(query["questions"][:15])
    ]
    (tested / "questions").mkdir()
    (tested / "questions" / "L1_single.json").write_text(json.dumps(query))
    monkeypatch.chdir(tmp_path)
    script = loaded("evaluate")
    for pair, scenes in ((second, 6), (first, 0)):
        options = [
            "benchmark=pulsecheck457",
            f"data.root={tested}",
            f"perception.checkpoint={pair}",
            f"out={tmp_path / pair.name}-out",
        ]
        assert run_hydra(script.main, "evaluate", None, options) == 0
        line = f"perception {pair} was trained on {scenes} of these 15 scenes"
        report = json.loads((tmp_path / f"{pair.name}-out" / "report.json").read_text())
        assert line in report["notes"]
        assert report["trained_on"]["perception"]["scenes"] == scenes
        assert line in (tmp_path / f"{pair.name}-out" / "report.md").read_text()
        assert line in capsys.readouterr().out
    assert scene_ids.scene_ids(MINI / "pulsecheck457", [name(3)]).keys() == {
        "twin look=None seed=457 split=test superCLEVR_new_#"
    }


def loaded(script):
    spec = importlib.util.spec_from_file_location(f"{script}_script", ROOT / f"{script}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- questions ------------------------------------------------------------------------------------


@pytest.fixture
def few(monkeypatch):
    words, _ = few_words()
    monkeypatch.setattr(parser, "vocabulary", words)


def question_file(root, numbers, part="pulsecheck457/questions/L3_2D_spatial.json"):
    stored = json.loads((MINI / part).read_text())
    stored["questions"] = [
        {**q, "image_filename": name(numbers[k % len(numbers)])}
        for k, q in enumerate(stored["questions"])
    ]
    path = root / part.partition("/")[2]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(stored))
    return root


def test_the_parser_trains_on_official_questions_of_train_scenes(few, tmp_path, capsys):
    root = question_file(tmp_path, [*range(40), *range(20_000, 20_020)])
    data = QuestionData(str(root), batch=2, generated=5)
    data.setup("fit")
    assert data.scenes() == {"superCLEVR_new_#": set(range(36))}
    assert len(data.train) > 200
    assert len(data.validation) > 10
    printed = capsys.readouterr().out
    assert "questions for training:" in printed
    assert "0 without a valid program" in printed
    pair = tmp_path / "pair"
    train(
        parser.ParserModule(width=16, warmup=2),
        data,
        tmp_path / "out",
        {},
        TRAINER,
        export=str(pair),
        ema=0,
    )
    card = json.loads(pair.with_suffix(".json").read_text())
    assert card["training"]["scenes"] == {"superCLEVR_new_#": "0-35"}
    # Programs are those of the files: what the trained tokens spell is what evaluation reads.
    gold = {q.program for q in questions.questions_of(root)}
    written = {
        " ".join(parser.TOKENS[t] for t in e.program) for e in data.train[: len(data.train) - 5]
    }
    assert len(written) <= len(gold)


def test_questions_on_test_scenes_alone_are_refused(few, tmp_path):
    root = question_file(
        tmp_path, range(25_000, 25_020), "superclevr/superCLEVR_questions_twin.json"
    )
    with pytest.raises(InputError, match=r"data\.split=train \(test 20\)"):
        QuestionData(str(root)).scenes()
    with pytest.raises(InputError, match=r"data\.root=DIR"):
        build(dict(compose("train", ["model=street_parser", "data=questions"]).data))
