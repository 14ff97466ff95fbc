"""Scenes to write about, and what is kept of what was said about them."""

import json
from types import SimpleNamespace

import pytest

from po3d.io.errors import InputError
from po3d.io.files import read_jsonl
from po3d.io.seeding import rng
from po3d.language.program import Call
from po3d.language.read.reader import Reading
from tools.wording_stories import read, scene, told, words

SCENE = {
    "kind": "photo",
    "objects": [{"name": "dog"}, {"name": "cup", "color": "red"}, {"name": "cup", "color": "blue"}],
}
COUNT, COLOR = 'count(filter(name, "cup", scene))', 'query(color, unique(filter(name, "cup", scene)))'


@pytest.mark.parametrize("kind", ["room", "street", "photo"])
def test_scenes_are_told_to_people_with_all_their_things(kind):
    for k in range(5):
        made = scene(kind, rng(7, "stories", k))
        assert made == scene(kind, rng(7, "stories", k))
        lines = told(k, made).strip().split("\n")
        assert lines[0] == f"== scene {k}: {kind}"
        assert len(lines) == 1 + len(made["objects"]) > 4
        for line, thing in zip(lines[1:], made["objects"], strict=True):
            assert set(" ".join(words(thing)).split()) <= set(line.replace(",", "").split())


def test_things_of_one_name_in_a_photograph_are_told_apart_by_a_colour():
    for k in range(30):
        things = scene("photo", rng(3, "stories", k))["objects"]
        names = [thing["name"] for thing in things]
        assert all("color" in thing for thing in things if names.count(thing["name"]) > 1)


def reader(**programs):
    """One that reads a plain sentence as what is given for its first word, with this probability."""

    def together(asked):
        for one in asked:
            said = {sort: text for sort in ("change", "frame", "question") if (text := getattr(one, sort))}
            yield {
                sort: [Reading(Call.parse(program), p)]
                for sort, text in said.items()
                for program, p in [programs[text.split()[0]]]
            }

    return SimpleNamespace(together=lambda asked: list(together(asked)))


def stories(folder, *lines):
    (folder / "scenes_1.json").write_text(json.dumps([SCENE]))
    (folder / "said_1.jsonl").write_text("".join(json.dumps({"scene": 0, **line}) + "\n" for line in lines))
    return folder


def test_lines_are_kept_whose_plain_sentences_are_surely_read(tmp_path):
    known, unsure = ["how many  mugs", "How many cups are there?"], ["and the mug?", "What color is the cup?"]
    gone = ["the pup ran off, no, he didn't", "Nothing changed."]
    folder = stories(
        tmp_path,
        {"question": known, "voice": "short", "options": [2, 3]},
        {"change": gone, "question": unsure},
        {"question": unsure},
    )
    counts = read(folder, reader(How=(COUNT, 0.9), What=(COLOR, 0.1), Nothing=(COUNT, 0.1)))
    assert counts == {"question, kept": 1, "question, not sure": 2, "change, kept": 1}
    first, second = read_jsonl(folder / "prompts_1.jsonl", "prompts")
    assert (first["program"], first["sort"], first["options"], first["beside"]) == (
        COUNT,
        "question",
        ["2", "3"],
        [],
    )
    assert (second["program"], second["sort"]) == ("none", "change")
    assert second["beside"] == [["question", "and the mug?", ""]]
    assert (first["table"], first["things"]) == ("story-1-0", [["dog"], ["cup", "red"], ["cup", "blue"]])
    voices = list(read_jsonl(folder / "written_1.jsonl", "wordings"))
    assert voices[0] == {"n": 0, "voice": "short", "says": "how many mugs"}
    assert [v["n"] for v in voices] == [0, 1]


@pytest.mark.parametrize(
    "line", [{"question": "what?"}, {"voice": "mute"}, {"scene": 1, "question": ["a", "b"]}]
)
def test_what_is_said_about_no_scene_is_refused(tmp_path, line):
    with pytest.raises(InputError, match="nothing said about a scene"):
        read(stories(tmp_path, line), reader())
