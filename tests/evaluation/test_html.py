"""The report of a run: what its one file holds, and that nothing in it can do anything else."""

import base64
import hashlib
import json
import re
import tracemalloc
from collections import Counter
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from finished_runs import READY, finished, other_system, with_grid
from hypothesis import given
from hypothesis import strategies as st

from po3d.benchmarks.registry import BENCHMARKS
from po3d.cli import main as cli
from po3d.evaluation.compare import compare, read_entry
from po3d.evaluation.provenance import provenance
from po3d.evaluation.report import svg
from po3d.evaluation.report.html import data_block
from po3d.evaluation.report.html_items import IMAGE, sample_questions
from po3d.evaluation.report.html_traces import CHANGED
from po3d.evaluation.run_report import log_to_wandb, read_run, run_page
from po3d.evaluation.run_tables import ReportedRun, run_tables
from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction, Question, read_predictions, write_predictions
from tools.scale import copies

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u2028&amp;"


class Page(HTMLParser):
    """The elements of a page, and the text of its script elements by id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.scripts: dict[str | None, str] = {}
        self._inside: str | None = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self._inside = dict(attrs).get("id", "")

    def handle_endtag(self, tag):
        self._inside = None if tag == "script" else self._inside

    def handle_data(self, data):
        if self._inside is not None:
            self.scripts[self._inside] = self.scripts.get(self._inside, "") + data

    def data(self, name: str):
        return json.loads(self.scripts[name])


@pytest.fixture(scope="module")
def street(tmp_path_factory):
    """(run folder, split, another system's file and predictions)"""
    folder = tmp_path_factory.mktemp("street")
    split = finished(folder, "pulsecheck457", 2, keep=True)
    other = folder / "other.jsonl"
    return folder, split, other, other_system(other, split.questions)


@pytest.fixture(scope="module")
def page(street) -> Page:
    folder, _, other, _ = street
    return Page(run_page(read_run(folder, [str(other)], ["someone else"]), folder))


@pytest.mark.parametrize("benchmark", READY)
def test_every_benchmark_has_a_page_that_fetches_nothing(benchmark, tmp_path):
    split = finished(tmp_path, benchmark, 2)
    page = Page(run_page(read_run(tmp_path), tmp_path))
    query = [
        value
        for _, attributes in page.elements
        for key, value in attributes.items()
        if key in ("src", "href")
    ]
    assert [a for a in query if not a.startswith(("data:", "#"))] == []
    items = page.data("index")["items"]
    assert [item[0] for item in items] == [q.id for q in split.questions]
    records = [page.data(f"image-{k}") for k in range(len(page.data("index")["images"]))]
    own = {i: about for record in records for i, about in record["items"].items()}
    assert own.keys() == {q.id for q in split.questions}
    for record in records:
        for about in record["items"].values():
            for _, view in about["views"]:
                assert all(
                    0 <= o < len(record["objects"]) for o in record["views"][view]["objects"]
                )
    traced = [about for about in own.values() if about["steps"]]
    assert len(traced) > 0.9 * len(own)
    assert sum(about["note"] == CHANGED for about in own.values()) == 0
    assert any(about["flip"].startswith("closest call: ") for about in own.values())


def test_the_index_says_who_answered_what_and_whether_it_is_right(street, page):
    _, split, _, predictions = street
    index = page.data("index")
    assert index["systems"] == ["gold", "someone else"]
    assert [item[4] for item in index["items"]] == [q.answer for q in split.questions]
    assert all(item[5][0][3] == 1 for item in index["items"])
    for item, q, p in zip(index["items"], split.questions, predictions):
        assert item[5][1] == [
            p.answer,
            p.status,
            p.probability,
            int(p.status == "ok" and p.answer == q.answer),
        ]


def test_steps_end_in_the_answer_and_name_objects_of_the_table(street, page):
    _, split, _, _ = street
    for k in range(2):
        record = page.data(f"image-{k}")
        for q in split.questions:
            if q.id in record["items"]:
                about = record["items"][q.id]
                call, words, *_ = about["steps"][-1]
                assert words == q.answer, (call, q.text)
                sizes = [len(record["views"][view]["objects"]) for _, view in about["views"]]
                assert all(
                    i < sizes[view] for _, _, result, _ in about["steps"] for view, i, _ in result
                )
        assert record["picture"].startswith("data:image/jpeg;base64,/9j/")
        boxes = [o["box"] for o in record["objects"]]
        assert all(
            len(box) == 20 for box in boxes
        )  # eight corners, and a heading from the middle to the nose


def test_boxes_and_headings_stand_where_the_true_camera_sees_them(street, page):
    """Centres of the drawn boxes lie within those of the objects' true boxes in the picture."""
    _, split, _, _ = street
    record = page.data("image-0")
    name = page.data("index")["images"][0]
    scene = split.truth(name)
    camera = scene.camera.resized(*record["size"])
    for at, state in zip(record["views"][0]["objects"], scene.objects):
        box = record["objects"][at]["box"]
        (u, v), *_ = camera.project([[*state.position[:2], state.extent[2] / 2]])[0]
        assert min(box[0:16:2]) < u < max(box[0:16:2])
        assert min(box[1:16:2]) < v < max(box[1:16:2])
        assert box[16:18] == pytest.approx([u, v], abs=0.06)


def test_an_answer_that_the_program_does_not_give_is_noted(tmp_path):
    split = finished(tmp_path, "pulsecheck457", 1)
    file = tmp_path / "predictions.jsonl"
    first, *rest = read_predictions(file)
    write_predictions(file, [Prediction(first.id, "ok", "nonsense", 0.9, first.program), *rest])
    items = Page(run_page(read_run(tmp_path), tmp_path)).data("image-0")["items"]
    assert [i for i, about in items.items() if about["note"] == CHANGED] == [split.questions[0].id]


def test_hostile_texts_stay_texts(street, tmp_path):
    folder, split, _, _ = street
    file = tmp_path / "hostile.jsonl"
    write_predictions(
        file, [Prediction(q.id, "ok", HOSTILE, 0.5, HOSTILE, HOSTILE) for q in split.questions]
    )
    page = Page(run_page(read_run(folder, [str(file)], [HOSTILE]), folder))
    images = [attributes for tag, attributes in page.elements if tag == "img"]
    assert all(a["class"] == "figure" and a["src"].startswith("data:image/svg") for a in images)
    assert not any("onerror" in attributes for _, attributes in page.elements)
    run = [
        (t, a) for t, a in page.elements if t == "script" and a.get("type") != "application/json"
    ]
    assert run == [("script", {})]
    index = page.data("index")
    assert index["systems"][1] == HOSTILE
    assert index["items"][0][5][1][0] == HOSTILE


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
    )
)
def test_data_come_back_as_they_were_and_end_no_element(value):
    block = data_block("x", value)
    inside = block.removeprefix('<script type="application/json" id="x">').removesuffix("</script>")
    assert not set("<>&\u2028\u2029") & set(inside)
    assert json.loads(inside) == value


def test_the_policy_lets_this_script_run_and_no_other(page):
    digest = base64.b64encode(hashlib.sha256(page.scripts[""].encode()).digest()).decode()
    policy = next(a["content"] for t, a in page.elements if t == "meta" and "http-equiv" in a)
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A run of made-up answers, a tenth of them wrong, to 100,000 questions on pictures that are
    shown 23 times.
    """
    folder = tmp_path_factory.mktemp("many")
    split = copies(BENCHMARKS["pulsecheck457"].load(BENCHMARKS["pulsecheck457"].mini), 100_000)
    benchmark, scorer = BENCHMARKS["pulsecheck457"], "strict"
    rows = [
        Prediction(q.id, "ok", "nothing" if k % 10 == 3 else q.answer, 0.9, q.program)
        for k, q in enumerate(split.questions)
    ]
    write_predictions(folder / "predictions.jsonl", rows)
    about = {
        "benchmark": "pulsecheck457",
        "split": "copies",
        "system": "made up",
        "settings": {},
        "images": 3310,
        "provenance": provenance({}, {}, {"root": "x", "images": 3310}, ""),
        "scorer": scorer,
    }
    entries = [read_entry(folder / "predictions.jsonl", split.questions, "made up")]
    report = {
        **about,
        **benchmark.score(split.questions, rows, scorer),
        "statuses": {"ok": len(rows)},
    }
    compared = compare(benchmark, split.questions, entries, scorer)
    return folder, ReportedRun(report, benchmark, split, entries, compared)


@pytest.mark.slow
def test_the_page_of_many_questions_is_small_and_has_some_of_every_task_right_and_wrong(many):
    folder, run = many
    tracemalloc.start()
    text = run_page(run, folder, items=280)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(text) < 4e6
    assert most < 3e8  # beside the questions and answers
    page = Page(text)
    index = page.data("index")
    assert len(index["items"]) == 280
    assert (
        len(index["images"])
        == sum(name.startswith("image-") for name in page.scripts if name)
        <= 28
    )
    result = Counter((index["categories"][item[2]], item[5][0][3]) for item in index["items"])
    assert set(result) == {(c, right) for c in index["categories"] for right in (0, 1)}
    assert len(index["categories"]) == 7
    assert min(result.values()) > 5
    assert "280 of the 100,000 questions are listed" in text
    assert "100000 questions" in text  # what the figures are of
    assert run_page(run, folder, items=280) == text


def test_named_questions_have_a_page_of_their_own(many):
    folder, run = many
    wanted = [run.split.questions[k].id for k in (77_777, 5)]
    index = Page(run_page(run, folder, ids=wanted)).data("index")
    assert [item[0] for item in index["items"]] == wanted[::-1]
    with pytest.raises(InputError, match="no question 'elsewhere'"):
        run_page(run, folder, ids=["elsewhere"])
    with pytest.raises(InputError, match="at least 1"):
        run_page(run, folder, items=0)


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 30), st.sampled_from([0.0, 1.0])),
        min_size=1,
    ),
    st.integers(1, 200),
)
def test_a_page_lists_all_questions_or_some_of_each_task_and_outcome(rows, items):
    questions = [
        Question(str(k), str(image), "", "2d", task) for k, (task, image, _) in enumerate(rows)
    ]
    right = [mark for *_, mark in rows]
    chosen = sample_questions(questions, right, items)
    assert chosen == sorted(set(chosen)) == sample_questions(questions, right, items)
    room = max(1, items // IMAGE)
    images = {questions[k].image for k in chosen}
    assert len(chosen) <= items
    assert len(images) <= room
    everywhere = {q.image for q in questions}
    if len(questions) <= items and len(everywhere) <= room:
        assert chosen == list(range(len(questions)))
    strata = {(q.category, mark) for q, mark in zip(questions, right)}
    if len(strata) <= min(items, room):
        assert {(questions[k].category, right[k]) for k in chosen} == strata


def test_blame_is_in_the_index(tmp_path):
    split = finished(tmp_path, "pulsecheck457", 1)
    blamed = with_grid(tmp_path, "pulsecheck457", split.questions)
    text = run_page(read_run(tmp_path), tmp_path)
    index = Page(text).data("index")
    assert {
        i[0]: max(i[6]["shares"], key=i[6]["shares"].get) for i in index["items"] if i[6]
    } == blamed
    assert "Error attribution" in text
    with_grid(tmp_path, "hypo3d", split.questions)
    with pytest.raises(InputError, match=r"grid\.json is not an oracle grid of pulsecheck457"):
        run_page(read_run(tmp_path), tmp_path)


def test_other_systems_stand_between_the_run_and_the_published(street):
    folder, _, other, predictions = street
    title, table = run_tables(read_run(folder, [str(other)], ["someone else"]))[0]
    first = [str(row[0]) for row in table.rows]
    at = first.index("someone else")
    assert first[0] == "gold (strict)"
    assert table.rules == (at + 2,)
    assert first[at + 2].endswith(" *")
    assert not any(name.endswith(" *") for name in first[:at])
    assert title == "pulsecheck457, mini split (%)"
    run = read_run(folder, [str(other)])
    right = [
        p.status == "ok" and p.answer == q.answer for p, q in zip(predictions, run.split.questions)
    ]
    assert run.compared["pairs"][0]["difference"] == pytest.approx(
        100 * (1 - sum(right) / len(right))
    )


def test_tables_are_printed_for_papers_and_readmes(street, capsys, tmp_path):
    folder, _, other, _ = street
    arguments = ["report", str(folder), "--imported", str(other), "--names", "GPT_4 & co"]
    assert cli.main([*arguments, "--latex"]) == 0
    latex = capsys.readouterr().out
    assert r"GPT\_4 \& co & " in latex
    assert latex.count(r"\begin{table}") == latex.count(r"\bottomrule") > 2
    assert re.search(r"\d--\d", latex)
    assert cli.main([*arguments, "--markdown", "--out", str(tmp_path / "t.md")]) == 0
    assert "| GPT_4 & co |" in (tmp_path / "t.md").read_text()
    write_predictions(tmp_path / "few.jsonl", list(read_predictions(other))[:5])
    few = ["report", str(folder), "--with", str(tmp_path / "few.jsonl"), "--markdown"]
    assert cli.main(few) == 0
    assert "| few, answers to 5 of " in capsys.readouterr().out
    assert cli.main([*few, "--items", "3"]) == 2
    assert "--items and --question apply to the HTML report" in capsys.readouterr().err
    assert cli.main([*arguments, "--out", str(tmp_path / "r.html")]) == 0
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")


def test_what_is_no_run_is_refused_in_one_line(street, tmp_path):
    folder, _, other, _ = street
    with pytest.raises(InputError, match="is not a finished run"):
        read_run(tmp_path)
    (tmp_path / "report.json").write_text("[]")
    with pytest.raises(InputError, match=r"report\.json is not a report of a run"):
        read_run(tmp_path)
    with pytest.raises(InputError, match="1 names for 2 files"):
        read_run(folder, [str(other), str(other)], ["one"])
    write_predictions(tmp_path / "foreign.jsonl", [Prediction("elsewhere", "ok", "1")])
    with pytest.raises(InputError, match="has no answer to any of the"):
        read_run(folder, [str(tmp_path / "foreign.jsonl")])


def test_plots_are_well_formed_and_stay_inside():
    rows = [
        {"name": "<L1> & co", "value": 50.0, "ci_low": -3.0, "ci_high": 120.0},
        {"name": "none", "value": None},
    ]
    curve = [{"sigma": s, "value": 100 - 50 * s, "ci_low": 40.0, "ci_high": 100.0} for s in (0, 1)]
    figures = {
        "bins": [
            {"n": 4, "confidence": 0.9, "accuracy": 1.0},
            {"n": 1, "confidence": 0.3, "accuracy": 0.0},
        ]
    }
    share = {"error": 10.0, "shares": {"pose": 4.0, "shape": 6.0}}
    plots = [
        svg.intervals([("a", rows), ("b", rows)], [{"model": "x", "<L1> & co": 20.0}]),
        svg.reliability(figures),
        svg.risk_coverage([0.1, 1.0], [0.0, 0.3]),
        svg.noise_curves({"heading": curve}, {"heading": "degrees"})[0][1],
        svg.shares({"all": share, "L1": share}),
    ]
    for plot in plots:
        root = ElementTree.fromstring(plot)
        _, _, width, height = map(float, root.get("viewBox").split())
        for dot in root.iter("{http://www.w3.org/2000/svg}circle"):
            assert 0 <= float(dot.get("cx")) <= width
            assert 0 <= float(dot.get("cy")) <= height
    ticks = [
        e.text for e in ElementTree.fromstring(plots[3]).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert "100" in ticks
    bars = [
        float(e.get("width"))
        for e in ElementTree.fromstring(plots[4]).iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert bars[2] / bars[3] == pytest.approx(4 / 6, rel=0.01)  # the first two are the legend


def test_wandb_gets_the_tables_and_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    finished(tmp_path, "scope", 1)
    log_to_wandb(tmp_path, {"project": "po3d"})
    logged = list((tmp_path / "wandb").glob("offline-run-*/files/media/html/*.html"))
    assert [file.read_bytes() for file in logged] == [(tmp_path / "report.html").read_bytes()]
    tables = [
        json.loads(f.read_text())
        for f in (tmp_path / "wandb").glob("offline-run-*/files/media/table/*")
    ]
    display = [table for _, table in run_tables(read_run(tmp_path))]
    assert sorted(len(t["data"]) for t in tables) == sorted(len(t.rows) for t in display)
