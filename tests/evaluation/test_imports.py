"""po3d import: harness files, made here in their documented formats, become predictions files of
ours.
"""

import csv
import io
import json
import tracemalloc
import zipfile

import openpyxl
import pytest

from po3d.benchmarks.hypo3d import data as hypo3d
from po3d.benchmarks.pulsecheck457.report import FILES
from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.benchmarks.superclevr.names import surface
from po3d.cli import main as cli
from po3d.evaluation.harness.harness_files import CELL, ResponseRow, iterate_rows
from po3d.evaluation.harness.imports import import_rows
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.reasoning.questions import Prediction, read_predictions
from po3d.scene.vocabulary import SUPER_CATEGORIES
from po3d.systems.answers import extract

HYPO3D, PULSECHECK457 = BENCHMARKS["hypo3d"], BENCHMARKS["pulsecheck457"]
SPLIT = opened("pulsecheck457").first(5)
DRESSES = (
    "{}",
    "The answer is {}.",
    "{{'Reasoning': 'I looked.', 'Answer': '{}'}}",
    "<think>Hm.</think>\n**{}**",
)


def answered(questions=SPLIT.questions, share=0.7):
    """What a model might have said: the right answer, sometimes another vehicle of its kind,
    sometimes nonsense.
    """
    reply = {}
    for k, q in enumerate(questions):
        r = rng(9, "answered", k)
        kind = next(
            (leaves for leaves in SUPER_CATEGORIES.values() if q.answer in leaves), ("paisley",) * 2
        )
        wrong = kind[0] if q.answer != kind[0] else kind[1]
        reply[q.id] = surface(q.answer) if r.random() < share else surface(wrong)
    return reply


TEXT = answered()
PREDICTIONS = [Prediction(q.id, "ok", TEXT[q.id]) for q in SPLIT.questions]


def expected(scorer):
    rows = PULSECHECK457.score(SPLIT.questions, PREDICTIONS, scorer)["rows"]
    return {row["name"]: row["value"] for row in rows}


def vlmevalkit_rows():
    """The columns of <model>_Spatial457.xlsx with its judge's `hit`."""
    hits = PULSECHECK457.correct(SPLIT.questions, PREDICTIONS, "vlmevalkit")
    for k, (q, hit) in enumerate(zip(SPLIT.questions, hits)):
        yield {
            "index": q.number,
            "question": q.text,
            "answer": surface(q.answer).capitalize(),
            "category": FILES[q.category],
            "prediction": DRESSES[k % 4].format(TEXT[q.id]),
            "hit": int(hit),
        }


def write_xlsx(path, rows):
    book = openpyxl.Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    book.save(path)
    return path


def write_table(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def lmms_rows():
    """<date>_samples_<task>.jsonl: no doc, the prompt as input, what the metric said one level
    down.
    """
    right = PULSECHECK457.correct(SPLIT.questions, PREDICTIONS, "strict")
    for k, (q, hit) in enumerate(zip(SPLIT.questions, right)):
        response = DRESSES[k % 4].format(TEXT[q.id])
        reply = {
            "question_index": q.number,
            "category": FILES[q.category],
            "gt_answer": q.answer,
            "pred_answer": TEXT[q.id],
            "response": response,
            "is_correct": bool(hit),
        }
        prompt = f"Look at the picture.\n{q.text}\nWrite your response into this json template: ..."
        yield {
            "doc_id": k,
            "input": prompt,
            "target": surface(q.answer),
            "doc_hash": "0",
            "token_counts": None,
            ("resps" if k % 2 else "filtered_resps"): [[response]] if k % 2 else response,
            "spatial457_accuracy": reply,
        }


def run(tmp_path, path, *options):
    out = tmp_path / "out.jsonl"
    # The split has more images than the four: the rest is missing.
    code = cli.main(["import", str(path), "--out", str(out), *options])
    sidecar = json.loads((tmp_path / "out.jsonl.import.json").read_text()) if code == 0 else None
    return code, out, sidecar


@pytest.fixture
def release(tmp_path):
    """The first images of the mini split as a release of its own."""
    root = tmp_path / "release" / "questions"
    root.mkdir(parents=True)
    retained = {q.image for q in SPLIT.questions}
    for path in (PULSECHECK457.mini / "questions").glob("*.json"):
        records = [
            r for r in json.loads(path.read_text())["questions"] if r["image_filename"] in retained
        ]
        (root / path.name).write_text(json.dumps({"questions": records}))
    return root.parent


@pytest.mark.parametrize("format", ["xlsx", "tsv", "json", "columns.json"])
def test_vlmevalkit_files_score_to_the_right_figure_under_both_scorers(
    tmp_path, release, capsys, format
):
    rows, path = list(vlmevalkit_rows()), tmp_path / f"model_Spatial457.{format}"
    if format == "xlsx":
        write_xlsx(path, rows)
    elif format == "tsv":
        write_table(path, rows)
    elif format == "json":
        path.write_text(json.dumps(rows))
    else:  # pandas.DataFrame.to_json()
        path.write_text(
            json.dumps({c: {str(k): row[c] for k, row in enumerate(rows)} for c in rows[0]})
        )
    code, out, sidecar = run(tmp_path, path, "--data", str(release))
    assert code == 0
    printed = capsys.readouterr().out
    for scorer in ("strict", "vlmevalkit"):
        result = {row["name"]: row["value"] for row in sidecar["scores"][scorer]}
        assert result == pytest.approx(expected(scorer))
    assert expected("strict")["mean"] < expected("vlmevalkit")["mean"]
    own = sum(row["hit"] for row in rows) / len(rows) * 100
    assert sidecar["harness"] == {"column": "hit", "percent": pytest.approx(own), "rows": len(rows)}
    assert f"the harness's score: {own:.1f}" in printed
    assert (
        sidecar["missing"],
        sidecar["unmatched"],
        sidecar["duplicates"],
        sidecar["other_gold"],
    ) == ([], [], [], [])
    assert [p.id for p in read_predictions(out)] == [q.id for q in SPLIT.questions]
    assert cli.main(["compare", str(out), "--data", str(release), "--json"]) == 0


def test_an_lmms_eval_file_scores_to_the_right_figure(tmp_path, release):
    path = write_jsonl(tmp_path / "20260101_120000_samples_spatial457_L1.jsonl", list(lmms_rows()))
    code, _, sidecar = run(tmp_path, path, "--data", str(release))
    # Rows name their response by either key, as lmms-eval leaves resps out when they are the
    # filtered ones.
    assert code == 0
    assert {r["name"]: r["value"] for r in sidecar["scores"]["strict"]} == pytest.approx(
        expected("strict")
    )
    assert sidecar["harness"]["column"] == "is_correct"
    micro = (
        100 * sum(PULSECHECK457.correct(SPLIT.questions, PREDICTIONS, "strict")) / len(PREDICTIONS)
    )
    assert sidecar["harness"]["percent"] == pytest.approx(micro)


def test_po3ds_own_answers_score_the_same_through_a_harness_file(tmp_path, release):
    rows = [
        {"index": q.number, "question": q.text, "prediction": surface(TEXT[q.id])}
        for q in SPLIT.questions
    ]
    _, out, sidecar = run(
        tmp_path, write_xlsx(tmp_path / "po3d_Spatial457.xlsx", rows), "--data", str(release)
    )
    again = PULSECHECK457.score(SPLIT.questions, list(read_predictions(out)), "strict")["rows"]
    assert {r["name"]: r["value"] for r in again} == expected("strict")
    assert sidecar["scores"]["strict"] == again


def test_hypo3ds_official_result_file_is_read(tmp_path):
    split = opened("hypo3d").first(2)
    path = tmp_path / "contextvqa_model.json"
    hypo3d.write_results(
        path, split.questions, [Prediction(q.id, "ok", q.answer) for q in split.questions]
    )
    result = import_rows(list(iterate_rows(path)), split.questions, HYPO3D, "official")
    assert (result.missing, result.unmatched, result.other_gold) == ([], [], [])
    right = HYPO3D.correct(split.questions, result.predictions, "official")
    assert 0 not in right


def test_the_summary_names_the_scorer_and_the_data_that_were_used(tmp_path, capsys):
    questions = opened("hypo3d", None, 1).questions
    results, out = tmp_path / "model.jsonl", tmp_path / "out.jsonl"
    results.write_text(
        "".join(json.dumps({"id": q.id, "response": q.answer or "x"}) + "\n" for q in questions)
    )
    options = ["--benchmark", "hypo3d", "--size", "1", "--out", str(out)]
    assert cli.main(["import", str(results), *options]) == 0
    printed = capsys.readouterr().out
    assert "official" not in printed
    assert "paper's script" in printed
    assert "measured on po3d's twin of Hypo3D (mini split, 1 room)" in printed
    data = json.loads((tmp_path / "out.jsonl.import.json").read_text())["data"]
    assert (data["benchmark"], data["split"], data["size"]) == ("hypo3d", "mini", 1)
    assert cli.main(["compare", str(out), str(out), "--names", "a,b", "--json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert compared["clusters"] == 1
    assert [model["absent"] for model in compared["models"]] == [0, 0]


def test_plain_files_align_by_image_and_question_where_ids_say_nothing(tmp_path):
    query = {}
    for q in SPLIT.questions:
        query.setdefault((q.image, q.text), q)
    unique = [
        q
        for (image, text), q in query.items()
        if sum(o.image == image and o.text == text for o in SPLIT.questions) == 1
    ]
    rows = [
        {
            "index": k,
            "image_path": f"/somewhere/{q.image}",
            "question": q.text.upper() + " ",
            "output": q.answer,
        }
        for k, q in enumerate(unique)
    ]
    for path in (write_table(tmp_path / "a.csv", rows), write_jsonl(tmp_path / "a.jsonl", rows)):
        result = import_rows(list(iterate_rows(path)), SPLIT.questions, PULSECHECK457, "strict")
        assert result.matched_by == {"image and question": len(unique)}
        assert [p.answer for p in result.predictions if p.id == unique[0].id] == [unique[0].answer]
        assert len(result.missing) == len(SPLIT.questions) - len(unique)


def test_nothing_is_dropped_in_silence(tmp_path, release, capsys):
    rows = list(vlmevalkit_rows())[3:]  # three questions have no row
    rows.append({**rows[0]})  # one has two
    rows.append({**rows[1], "index": 999999, "question": "Is it?"})  # a row of another benchmark
    rows.append(
        {**rows[2], "index": rows[3]["index"], "question": "How are you?"}
    )  # an id with another question's text
    rows[4]["answer"] = "purple rain"  # another gold answer
    rows[5]["prediction"] = ""
    code, out, sidecar = run(
        tmp_path, write_table(tmp_path / "m.tsv", rows), "--data", str(release)
    )
    printed, ids = capsys.readouterr().out, [q.id for q in SPLIT.questions]
    assert code == 0
    assert sidecar["missing"] == ids[:3]
    assert sidecar["duplicates"] == [{"row": len(rows) - 2, "id": ids[3]}]
    assert [u["row"] for u in sidecar["unmatched"]] == [len(rows) - 1, len(rows)]
    assert [g["id"] for g in sidecar["other_gold"]] == [ids[7]]
    for reply in (
        "questions without a row, counted as wrong: 3",
        "rows without a question, ignored: 2",
        "duplicate rows of a question, ignored: 1: row",
        "gold answer differs from po3d's: 1: row",
    ):
        assert reply in printed
    written = {p.id: p for p in read_predictions(out)}
    assert (written[ids[8]].status, written[ids[8]].answer) == ("abstained", None)
    assert not set(ids[:3]) & set(written)
    *_, few = run(
        tmp_path, write_table(tmp_path / "m.tsv", rows), "--data", str(release), "--size", "1"
    )
    assert len(few["missing"]) + sum(few["matched_by"].values()) < len(ids)


def test_multiple_choice_rows_become_the_texts_of_their_options():
    from po3d.evaluation.harness.harness_files import ResponseRow
    from po3d.reasoning.questions import Question

    questions = [Question("VIN6-1", "a.jpg", "Which is higher?", "2d", "height", "a red hat")]
    rows = [
        ResponseRow(
            1,
            {
                "qid": "VIN6-1",
                "question": "Which is higher?",
                "A": "glove",
                "B": "a red hat",
                "C": None,
                "D": "",
                "answer": "B",
                "prediction": "Answer: (B)",
            },
        )
    ]
    result = import_rows(rows, questions, PULSECHECK457, "strict")
    assert result.predictions[0].answer == "a red hat"
    assert result.other_gold == []


# --- what result files hold that is no fault of the model -----------------------------------------

SCORED = {q.number: q for q in SPLIT.questions if q.category == "L1-Single"}
FOUR = list(SCORED.values())[:4]


def imported(path):
    return import_rows(list(iterate_rows(path)), SPLIT.questions, PULSECHECK457, "strict")


def answers(result):
    return {p.id: p.answer for p in result.predictions if p.status == "ok"}


RIGHT = {q.id: q.answer for q in FOUR}


@pytest.mark.parametrize("suffix", ["tsv", "csv", "xlsx", "jsonl", "json"])
def test_a_cell_that_begins_with_an_equals_sign_is_text(tmp_path, suffix):
    forms = ("=== Answer ===\n{}", "= {}", "{}", "=> {}")
    rows = [
        {"index": q.number, "prediction": form.format(q.answer)} for q, form in zip(FOUR, forms)
    ]
    path = tmp_path / f"m.{suffix}"
    if suffix == "xlsx":
        write_xlsx(path, rows)
    elif suffix == "json":
        path.write_text(json.dumps(rows))
    else:
        (write_jsonl if suffix == "jsonl" else write_table)(path, rows)
    assert answers(imported(path)) == RIGHT
    rows[0]["prediction"] = '=HYPERLINK("http://x")'
    if suffix != "json":
        {"xlsx": write_xlsx, "jsonl": write_jsonl}.get(suffix, write_table)(path, rows)
        cells = [row.cells["prediction"] for row in list(iterate_rows(path))]
        assert cells[0] == '=HYPERLINK("http://x")'


@pytest.mark.parametrize("spelling", ["{}.0", " {}", "0{}", "{}.00"])
def test_ids_that_a_spreadsheet_changed_are_detected(tmp_path, spelling):
    rows = [{"index": spelling.format(q.number), "prediction": q.answer} for q in FOUR]
    assert answers(imported(write_table(tmp_path / "m.csv", rows))) == RIGHT


@pytest.mark.parametrize(
    "names",
    [
        ("Index", "Prediction"),
        (" INDEX ", "PREDICTION"),
        ("Question ID", "Model Answer"),
        ("QID", " Response"),
    ],
)
def test_headers_in_any_case_and_with_blanks(tmp_path, names):
    rows = [{names[0]: q.number, names[1]: q.answer} for q in FOUR]
    assert answers(imported(write_table(tmp_path / "m.csv", rows))) == RIGHT
    assert answers(imported(write_jsonl(tmp_path / "m.jsonl", rows))) == RIGHT


BROKEN = [
    ("m.jsonl", b'{"qid": 1,', "not valid JSON"),
    ("m.jsonl", b"[1]", "a row should be an object, not list"),
    ("m.jsonl", b'{"qid": "x", "prediction": "gr\xfcn"}', "is not UTF-8"),
    (
        "m.jsonl",
        b'{"qid": "x", "prediction": "' + b"a" * (CELL + 1) + b'"}',
        "the cell has 1,000,001 characters",
    ),
    ("m.csv", b"only one cell", "1 cells in 2 columns"),
    ("m.csv", b"1,gr\xfcn", "is not UTF-8"),
    ("m.csv", b'1,"a"b', "expected after"),
    ("m.csv", b"1," + b"a" * (CELL + 1), "a cell is longer than the limit of 1,000,000 characters"),
    ("m.csv", b"1,a\0b", "NUL"),
]


@pytest.mark.parametrize(("name", "line", "says"), BROKEN)
def test_a_bad_row_costs_one_row_and_is_named(tmp_path, capsys, release, name, line, says):
    path = tmp_path / name
    whole = [{"qid": q.id, "prediction": q.answer} for q in FOUR]
    (write_jsonl if name.endswith("jsonl") else write_table)(path, whole)
    lines = path.read_bytes().splitlines(keepends=True)
    lines.insert(len(lines) - 2, line + b"\n")
    path.write_bytes(b"".join(lines))
    code, out, sidecar = run(tmp_path, path, "--data", str(release))
    assert code == 0
    (bad,) = sidecar["damaged"]
    assert bad["row"] == 3
    assert says in bad["reason"]
    assert "unreadable rows, ignored: 1: row 3" in capsys.readouterr().out
    assert {p.id: p.answer for p in read_predictions(out)} == RIGHT


def test_half_a_surrogate_pair_is_replaced_and_named(tmp_path):
    path = tmp_path / "m.jsonl"
    rows = [json.dumps({"qid": q.id, "prediction": q.answer}) for q in FOUR]
    rows[1] = rows[1].replace(FOUR[1].answer, FOUR[1].answer + r" \udc00")
    rows[3] = rows[3].replace(FOUR[3].answer, FOUR[3].answer + r" \ud83d")
    rows[2] = rows[2].replace(FOUR[2].answer, FOUR[2].answer + r" \ud83d\ude00")  # a whole one
    path.write_text("\n".join(rows))
    result = imported(path)
    assert answers(result) == RIGHT
    assert [r["row"] for r in result.repaired] == [2, 4]
    path.write_text(f"[{','.join(rows)}]")
    assert answers(imported(path.rename(tmp_path / "m.json"))) == RIGHT


def test_rows_without_an_id_are_reported_to_lack_one(tmp_path, capsys, release):
    query = [q for q in SPLIT.questions if sum(o.text == q.text for o in SPLIT.questions) == 1][:3]
    rows = [{"question": q.text, "prediction": q.answer} for q in query] + [
        {"question": "?", "prediction": "x"}
    ]
    path = write_table(tmp_path / "m.csv", rows)
    _, _, sidecar = run(tmp_path, path, "--data", str(release))
    assert sidecar["without_id"] == 4
    assert "rows without an id (columns qid, " in capsys.readouterr().out
    assert "an id, which the row lacks (columns qid, " in sidecar["unmatched"][0]["reason"]
    bare = write_table(tmp_path / "m.csv", [{"prediction": "x"}])
    with pytest.raises(InputError, match="no row has an id"):
        imported(bare)


@pytest.mark.parametrize("gap", ["", "nan", "NaN", " "])
def test_an_empty_option_column_does_not_shift_the_letters(tmp_path, gap):
    rows = [
        {
            "index": q.number,
            "A": gap,
            "B": q.answer,
            "C": "jet fighter",
            "D": "purple",
            "prediction": "(B)",
        }
        for q in FOUR
    ]
    assert answers(imported(write_table(tmp_path / "m.tsv", rows))) == RIGHT
    rows = [dict(row, prediction="A") for row in rows]
    assert answers(imported(write_table(tmp_path / "m.tsv", rows))) == {}


# --- hostile files --------------------------------------------------------------------------------


def bomb(path, size=400_000_000):
    """A workbook whose sheet unpacks to `size` bytes of blanks."""
    write_xlsx(path, [{"index": 1, "prediction": "x"}])
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/extra.xml", "w") as part,
    ):
        for _ in range(size // 10_000_000):
            part.write(b" " * 10_000_000)


def laughs(path):
    """A workbook one cell of which expands a billion times."""
    write_xlsx(path, [{"index": 1, "prediction": "x"}])
    entities = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 10))
    head = f"<!DOCTYPE worksheet [<!ENTITY a0 'ha'>{entities}]>"
    buffer = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(buffer, "w") as new:
        for part in old.namelist():
            xml = old.read(part).decode()
            if part.endswith("sheet1.xml"):
                xml = head + xml.replace("<t>x</t>", "<t>&a9;</t>")
                assert "&a9;" in xml
            new.writestr(part, xml)
    path.write_bytes(buffer.getvalue())


HOSTILE = [
    ("missing.xlsx", None, "not found"),
    ("m.pkl", b"cos\nsystem\n(S'false'\ntR.", "pickled files are not supported"),
    ("m.parquet", b"PAR1", "unknown format"),
    (
        "m.tsv",
        b"index\tprediction\n1\t" + b"a" * (CELL + 1) + b"\n",
        "a cell is longer than the limit of 1,000,000 characters",
    ),
    (
        "m.jsonl",
        b'{"id": "1", "prediction": "' + b"a" * (CELL + 1) + b'"}',
        "the cell has 1,000,001 characters",
    ),
    (
        "m.json",
        json.dumps([{"id": "1", "resps": [["a" * (CELL + 1)]]}]).encode(),
        "the cell has 1,000,001",
    ),
    ("m.tsv", "index\tprediction\n1\tgrün\n".encode("latin-1"), "is not UTF-8"),
    ("m.csv", "index,prediction\n1,left\n".encode("utf-16-le"), "NUL characters"),
    ("m.csv", b"index,prediction\n1\n", "1 cells in 2 columns"),
    ("m.csv", b'index,prediction\n1,"left\n', "unexpected end of data"),
    ("m.csv", b"", "contains no rows"),
    ("m.csv", b"index,answer\n1,left\n", "no column with responses"),
    ("m.csv", b"index,prediction\n1,left\n", "no row of 1 matches any of"),
    ("m.json", b"{", "not valid JSON"),
    ("m.json", b"[" + b"[]," * 7_000_000 + b"[]]", "more than 10,000,000 small values"),
    ("m.json", b"[" * 100_000, "not valid JSON"),
    ("m.json", b"[1]", "a row should be an object, not int"),
    ("m.json", b'{"a": 1}', "should hold a list of rows"),
    ("m.jsonl", b"9" * 10_000, "not valid JSON"),
    ("m.xlsx", b"PK\x03\x04 and then nothing", "not a readable .xlsx"),
    ("m.xlsx", bomb, "unpacks from"),
    ("m.xlsx", laughs, "not a readable .xlsx"),
]


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".xlsx"])
def test_a_formula_is_its_text(tmp_path, suffix):
    rows = [
        {"index": 1, "prediction": '=HYPERLINK("http://x")'},
        {"index": 2, "prediction": "=== Answer ===\nleft"},
    ]
    path = tmp_path / f"m{suffix}"
    write_xlsx(path, rows) if suffix == ".xlsx" else write_table(path, rows)
    assert [row.cells["prediction"] for row in list(iterate_rows(path))] == [
        row["prediction"] for row in rows
    ]


def test_half_a_surrogate_pair_costs_one_character(tmp_path):
    path = tmp_path / "m.jsonl"
    texts = [r"yes \ud83d", r"\ude97 yes", r"\ud83d\ude97", r"\\ud83d", r"\u00e9 \\\ud83d"]
    path.write_text("".join(f'{{"id": "1", "prediction": "{text}"}}\n' for text in texts))
    result = [row.cells["prediction"] for row in list(iterate_rows(path))]
    assert result == ["yes \ufffd", "\ufffd yes", "\U0001f697", r"\ud83d", "\u00e9 \\\ufffd"]


@pytest.mark.parametrize(("name", "content", "says"), HOSTILE)
def test_a_hostile_file_is_one_line_and_writes_nothing(tmp_path, capsys, name, content, says):
    path = tmp_path / name
    if callable(content):
        content(path)
    elif content is not None:
        path.write_bytes(content)
    code, out, _ = run(tmp_path, path)
    error = capsys.readouterr().err
    assert code == 2
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert len(error) < 600
    assert says in error
    assert not out.exists()


def test_reading_a_table_leaves_the_csv_module_as_it_was(tmp_path):
    before = csv.field_size_limit()
    list(iterate_rows(write_table(tmp_path / "a.csv", [{"id": "1", "prediction": "x"}])))
    (tmp_path / "b.csv").write_text("id,prediction\n1," + "a" * (CELL + 1))
    with pytest.raises(InputError):
        list(iterate_rows(tmp_path / "b.csv"))
    assert csv.field_size_limit() == before


def test_the_dresses_of_these_tests_come_off():
    assert {extract(dress.format("school bus")).answer for dress in DRESSES} == {"school bus"}


@pytest.mark.parametrize("suffix", [".tsv", ".jsonl"])
def test_rows_of_a_large_file_are_not_retained_in_memory(tmp_path, suffix):
    path = tmp_path / f"large{suffix}"
    with open(path, "w", encoding="utf-8") as file:
        for k in range(20_001):
            cells = (
                ("id", "prediction")
                if not k and suffix == ".tsv"
                else (str(k), "a longer response " * 5)
            )
            row = (
                json.dumps(dict(zip(("id", "prediction"), cells)))
                if suffix == ".jsonl"
                else "\t".join(cells)
            )
            file.write(row + "\n")
    tracemalloc.start()
    count = sum(not row.fault for row in iterate_rows(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count in (20_000, 20_001)
    assert peak < 1_200_000 < path.stat().st_size


def test_a_file_is_read_once_row_by_row():
    rows = iter([ResponseRow(1, {"qid": SPLIT.questions[0].id, "prediction": "yes", "hit": 1})])
    result = import_rows(rows, SPLIT.questions, PULSECHECK457, "strict")
    assert (result.rows, len(result.predictions)) == (1, 1)
    assert result.harness_scores == {"column": "hit", "percent": 100.0, "rows": 1}
