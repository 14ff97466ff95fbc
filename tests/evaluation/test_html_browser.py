"""The report in a real browser: no complaint on its console, filters that count right, every
question opens.
"""

import importlib.resources
from pathlib import Path

import pytest
from finished_runs import READY, finished, other_system, with_grid
from headless import Browser, executable
from PIL import Image

from po3d.evaluation.run_report import read_run, write_page
from po3d.reasoning.questions import Prediction, write_predictions

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        executable() is None, reason="no chromium on this machine: apt-get install chromium"
    ),
]

HOSTILE = "</script><img src=x onerror='window.hacked = 1'>"
WALK = """(() => { const rows = document.querySelectorAll("#rows .item"); let steps = 0;
  for (const row of rows) { row.click(); steps += document.querySelectorAll("#detail .steps li").length; }
  return [rows.length, steps]; })()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="module")
def street(tmp_path_factory):
    """(address, questions, the second system's predictions, blamed modules by question id)"""
    folder = tmp_path_factory.mktemp("street")
    questions = finished(folder, "pulsecheck457", 4, keep=True).questions
    predictions = other_system(folder / "other.jsonl", questions)
    hostile = [Prediction(q.id, "ok", HOSTILE, None, HOSTILE, HOSTILE) for q in questions]
    write_predictions(folder / "hostile.jsonl", hostile)
    blamed = with_grid(folder, "pulsecheck457", questions)
    others = [str(folder / "other.jsonl"), str(folder / "hostile.jsonl")]
    page = write_page(read_run(folder, others, ["other", HOSTILE]), folder)
    return page.as_uri(), questions, predictions, blamed


def choose(browser: Browser, name: str, value: str) -> None:
    event = "input" if name == "words" else "change"
    browser.ask(
        f"(() => {{ const e = document.getElementById({name!r}); e.value = {value!r};"
        f" e.dispatchEvent(new Event({event!r})); }})()"
    )


def display(browser: Browser) -> int:
    """How many questions the list says it has."""
    return int(browser.ask("document.getElementById('count').textContent").split()[0])


@pytest.mark.parametrize("benchmark", READY)
def test_every_question_of_every_benchmark_opens_without_complaint(browser, benchmark, tmp_path):
    split = finished(tmp_path, benchmark, 1)
    browser.open(write_page(read_run(tmp_path), tmp_path).as_uri())
    while browser.ask("document.querySelector('#rows .more') !== null"):
        browser.ask("document.querySelector('#rows .more').click()")
    rows, steps = browser.ask(WALK)
    assert rows == len(split.questions) == display(browser)
    assert steps > rows
    assert browser.ask("document.querySelector('#detail svg') !== null")
    assert browser.complaints() == []
    assert browser.ask("document.getElementById('problem').textContent") == ""


def test_nothing_but_the_file_is_fetched_and_texts_do_nothing(browser, street):
    address, *_ = street
    browser.open(address)
    assert browser.fetched() == [address]
    assert browser.ask(
        "window.hacked === undefined && document.querySelector('img[src=x]') === null"
    )
    assert browser.ask("document.querySelector('#detail .answers').textContent").count(HOSTILE) >= 2
    assert browser.complaints() == []


def test_filters_keep_the_questions_that_they_should(browser, street):
    address, questions, predictions, blamed = street
    right = {
        q.id: p.status == "ok" and p.answer == q.answer for q, p in zip(questions, predictions)
    }
    browser.open(address)
    assert display(browser) == len(questions)
    choose(browser, "outcome", "wrong")
    assert display(browser) == 0  # of the run's own system
    choose(browser, "system", "other")
    assert display(browser) == len(questions) - sum(right.values())
    task = questions[-1].category
    choose(browser, "task", task)
    assert display(browser) == sum(q.category == task and not right[q.id] for q in questions)
    choose(browser, "blamed", "pose")
    wanted = [
        q.id
        for q in questions
        if q.category == task and not right[q.id] and blamed.get(q.id) == "pose"
    ]
    assert display(browser) == len(wanted) > 0
    browser.ask("document.querySelector('#rows .item').click()")
    assert browser.ask("decodeURIComponent(location.hash)") == "#" + wanted[0]
    for name in ("outcome", "blamed", "task"):
        choose(browser, name, "")
    choose(browser, "outcome", "right")
    assert display(browser) == sum(right.values())
    choose(browser, "outcome", "")
    choose(browser, "status", "unparsed")
    assert display(browser) == sum(p.status == "unparsed" for p in predictions)
    choose(browser, "status", "")
    choose(browser, "words", questions[3].text.upper())
    assert display(browser) == sum(questions[3].text.lower() in q.text.lower() for q in questions)
    choose(browser, "words", "no such words")
    assert display(browser) == 0
    assert browser.complaints() == []


def test_an_address_names_filters_and_a_question(browser, street):
    address, questions, _, blamed = street
    q = next(q for q in questions if blamed.get(q.id) == "parsing")
    browser.open(f"{address}?blamed=parsing#{q.id}")
    assert display(browser) == sum(module == "parsing" for module in blamed.values())
    assert browser.ask("document.querySelector('#detail .question').textContent") == q.text
    assert "parsing 1.00" in browser.ask("document.querySelector('#detail').textContent")
    assert browser.complaints() == []


def test_one_click_opens_the_surest_errors(browser, street):
    address, questions, predictions, _ = street
    browser.open(address + "?system=other")
    choose(browser, "task", questions[0].category)
    browser.ask("document.getElementById('errors').click()")
    assert display(browser) == 0  # the run's own system errs nowhere
    choose(browser, "system", "other")
    wrong = {
        q.id: p for q, p in zip(questions, predictions) if p.status != "ok" or p.answer != q.answer
    }
    opened = "(row.click(), decodeURIComponent(location.hash.slice(1)))"
    ids = browser.ask(f"[...document.querySelectorAll('#rows .item')].map(row => {opened})")
    assert len(ids) == len(wrong) == len(set(ids) & set(wrong))
    sure = [p.probability if p.status == "ok" else -1 for p in map(wrong.get, ids)]
    assert sure == sorted(sure, reverse=True)
    assert len(set(sure)) > 2
    browser.open(address + "?system=other&outcome=surest")
    assert browser.ask("document.querySelector('#detail .top').textContent").find(ids[0]) >= 0
    assert browser.complaints() == []


def test_an_address_of_a_question_that_is_not_listed_says_so(browser, street):
    browser.open(street[0] + "#elsewhere%201")
    assert "elsewhere 1 is not listed" in browser.ask(
        "document.querySelector('#detail').textContent"
    )
    assert browser.complaints() == []


def test_keys_walk_and_steps_light_up_what_they_detected(browser, street):
    address, questions, *_ = street
    browser.open(address)
    browser.key("j")
    assert (
        browser.ask("document.querySelector('#detail .question').textContent") == questions[1].text
    )
    browser.key("k")
    assert (
        browser.ask("document.querySelector('#detail .question').textContent") == questions[0].text
    )
    lit = "document.querySelectorAll('#detail .lit').length"
    assert browser.ask(lit) == 0
    named = browser.ask(
        "(() => { const s = document.querySelectorAll('#detail .steps li')[0]; s.click();"
        " return s.querySelectorAll('.thing').length; })()"
    )
    # Each in the picture, and from above with its label.
    assert browser.ask(lit) == 3 * named > 0
    hidden = "document.querySelector('#detail .under').getAttribute('visibility')"
    assert browser.ask(hidden) == "hidden"
    browser.ask("document.querySelector('#detail .switches input').click()")
    assert browser.ask(hidden) == "visible"
    assert browser.complaints() == []


def test_the_page_is_painted(browser, street, tmp_path):
    """Each of the pictures, tables and plots shows: a blank page has one colour."""
    browser.open(street[0])
    browser.screenshot(tmp_path / "page.png")
    with Image.open(tmp_path / "page.png") as image:
        assert image.height > 1500
        parts = [
            image.crop((0, y, image.width, y + 300)) for y in range(0, image.height - 300, 300)
        ]
        assert min(len(part.convert("RGB").getcolors(1 << 20)) for part in parts[:-1]) > 20
    narrow = browser.ask(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert narrow, "the page scrolls sideways"


def test_a_script_that_was_changed_is_refused_and_noticed(browser, street, tmp_path):
    """Else the tests above could not fail."""
    page = Path(street[0].removeprefix("file://")).read_text(encoding="utf-8")
    changed = tmp_path / "page.html"
    changed.write_text(page.replace('"use strict";', '"use strict"; ', 1), encoding="utf-8")
    browser.open(changed.as_uri())
    assert "Content Security Policy" in " ".join(browser.complaints())


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1400), ("dark", 1400), ("light", 400), ("dark", 400)]
)
@pytest.mark.parametrize("benchmark", READY)
def test_everybody_can_read_it(browser, street, tmp_path, benchmark, scheme, width):
    """axe-core finds no violation of WCAG 2.1 A and AA, in neither scheme, and nothing but tables
    scrolls sideways.
    """
    axe = importlib.resources.files("axe_core_python") / "axe.min.js"
    address = street[0]
    if benchmark != "pulsecheck457":
        finished(tmp_path, benchmark, 1)
        address = write_page(read_run(tmp_path), tmp_path).as_uri()
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.call("Emulation.setEmulatedMedia", features=features)
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=900,
        deviceScaleFactor=1,
        mobile=False,
    )
    try:
        browser.open(address)
        browser.call("Runtime.evaluate", expression=axe.read_text(encoding="utf-8"))
        rules = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}"
        result = browser.ask(
            f"axe.run(document, {rules}).then(r => r.violations.map(v => [v.id, v.nodes[0].html]))"
        )
        assert result == []
        assert browser.ask("document.documentElement.scrollWidth <= innerWidth")
        wide = (  # what a drawing holds is cut at its frame
            "[...document.querySelectorAll('main *, header *')].filter(e => !e.closest('.table') &&"
            " !e.ownerSVGElement && e.getBoundingClientRect().right > innerWidth + 1)"
        )
        assert browser.ask(f"{wide}.map(e => e.outerHTML.slice(0, 200))") == []
    finally:
        browser.call("Emulation.setEmulatedMedia", features=[])
        browser.call("Emulation.clearDeviceMetricsOverride")


def test_labels_lie_on_no_other_and_inside_their_drawing(browser, tmp_path):
    finished(tmp_path, "hypo3d", 1)
    browser.open(write_page(read_run(tmp_path), tmp_path).as_uri())
    boxes = browser.ask(
        """[...document.querySelectorAll(".drawings svg")].map(svg => {
      const frame = svg.getBoundingClientRect(), of = r => [r.left, r.top, r.right, r.bottom];
      return [of(frame), [...svg.querySelectorAll("text.tag")].map(t => of(t.getBoundingClientRect()))]; })"""
    )
    assert boxes
    for (left, top, right, bottom), labels in boxes:
        assert len(labels) > 3
        for k, (x0, y0, x1, y1) in enumerate(labels):
            assert left - 1 <= x0, (x0, left)
            assert top - 1 <= y0
            assert x1 <= right + 1
            assert y1 <= bottom + 1
            for a0, b0, a1, b1 in labels[:k]:
                over = min(x1, a1) - max(x0, a0), min(y1, b1) - max(y0, b0)
                assert min(over) < 5, over  # a box of text has empty rims


def test_reset_and_steps_work_by_keys_alone(browser, street):
    browser.open(f"{street[0]}?outcome=wrong&words=bus")
    few = display(browser)
    browser.ask("document.getElementById('reset').focus()")
    browser.ask("document.getElementById('reset').click()")
    assert display(browser) > few
    assert "?" not in browser.ask("location.href")
    choose(browser, "outcome", "right")
    assert "outcome=right" in browser.ask("location.search")
    browser.ask("""[...document.querySelectorAll("#rows .item")].some(row => {
      row.click(); return document.querySelector("#detail .steps li[tabindex]"); })""")
    browser.ask("document.querySelector('#detail .steps li[tabindex]').focus()")
    lit = browser.ask("document.querySelectorAll('#detail .lit').length")
    assert lit > 0
    browser.key("Enter")
    browser.ask("document.activeElement.blur()")
    assert browser.ask("document.querySelectorAll('#detail .lit').length") == lit
