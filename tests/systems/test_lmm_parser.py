"""system=lmm_parser: an endpoint writes programs, po3d runs them."""

import re

import pytest
from endpoints import completion, scripted

from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.evaluation.run import predict
from po3d.io.errors import InputError
from po3d.io.files import write_jsonl
from po3d.scene.table import to_json
from po3d.systems.lmm_parser import LmmParser, _words, language
from po3d.systems.pipeline import DOMAIN_MODULES, oracle

SIZES = {"pulsecheck457": 1, "hypo3d": 1, "3dsrbench": 1, "scope": 1, "superclevr": 1}


def words(body):
    return body["messages"][0]["content"][-1]["text"]


def gold(question):
    change = f"change: {question.change_program}\n" if question.change else ""
    program = re.sub(
        r'"#\d+ ', '"', question.program
    )  # things by what they are called, not by their rows
    return f"Here it is.\n\n{change}**program:** `{program}`"


def known(split):
    """Of the last part of a prompt the gold programs that answer it."""
    from po3d.systems.lmm_parser import english_question

    return {english_question(q): q for q in split.questions}


def run(name, split, out, reply, **settings):
    with scripted(reply) as endpoint:
        system = LmmParser(name, endpoint.base_url, "m", **{"scenes": "ground_truth", **settings})
        supplied = predict(split, system, out, {})
        return supplied, system, endpoint.requests


@pytest.mark.parametrize("name", sorted(SIZES))
def test_correct_programs_on_true_tables_are_the_oracle(name, tmp_path):
    split = opened(name, None, SIZES[name])
    by_text = known(split)
    supplied, system, _ = run(
        name, split, tmp_path, lambda k, body: completion(gold(by_text[words(body)])), concurrency=1
    )
    rows = BENCHMARKS[name].score(split.questions, supplied, BENCHMARKS[name].scorers[0])["rows"]
    assert {row["value"] for row in rows if row["n"]} == {100.0}
    assert {p.status for p in supplied} == {"ok"}
    counts = system.measures["programs"](split.questions, supplied)
    assert counts == {"written": len(by_text), "sent_back": 0, "malformed": 0} or name in (
        "3dsrbench",
        "hypo3d",
    )


def test_a_malformed_program_is_sent_back_once_and_then_counted(tmp_path):
    split = opened("pulsecheck457", None, 1)
    split_of = known(split)
    query = {}

    def reply(number, body):
        question = split_of[words({"messages": body["messages"][:1]})]
        again = len(body["messages"]) > 1
        query.setdefault(question.id, []).append(body["messages"])
        k = int(question.number or 0) % 3
        if k == 0 or (k == 1 and again):
            return completion(gold(question))
        return completion("program: count(red(scene)" if k == 1 else "I cannot say.")

    supplied, system, _ = run(
        "pulsecheck457", split, tmp_path / "run", reply, concurrency=1, log=tmp_path / "log.jsonl"
    )
    for q, p in zip(split.questions, supplied, strict=True):
        k = int(q.number or 0) % 3
        assert p.status == ("unparsed" if k == 2 else "ok")
        assert len(query[q.id]) == (1 if k == 0 else 2)
        if k == 2:
            assert p.reason == "malformed program: invalid syntax in the program at 'I cannot say.'"
        if k == 1:
            assert "That cannot be run: " in query[q.id][1][-1]["content"]
    counts = system.measures["programs"](split.questions, supplied)
    assert counts["malformed"] == sum(p.status == "unparsed" for p in supplied) > 0
    assert counts["sent_back"] > counts["malformed"]
    with open(tmp_path / "log.jsonl") as file:
        assert sum(1 for _ in file) == counts["written"] + counts["sent_back"]


def test_predicted_tables_come_from_a_run(tmp_path):
    split = opened("superclevr", None, 1)
    by_text = known(split)
    path = tmp_path / "scenes.jsonl"
    write_jsonl(path, [to_json(split.truth(name)) | {"image": name} for name in split.images])
    settings = {"scenes": "predicted", "scenes_file": str(path)}
    supplied, *_ = run(
        "superclevr",
        split,
        tmp_path / "out",
        lambda k, body: completion(gold(by_text[words(body)])),
        **settings,
    )
    rows = BENCHMARKS["superclevr"].score(split.questions, supplied, "strict")["rows"]
    assert {row["value"] for row in rows if row["n"]} == {100.0}


@pytest.mark.parametrize("world", sorted(DOMAIN_MODULES))
def test_the_language_that_a_model_is_provided_is_the_executors(world):
    executor = oracle(world).domain
    for _, _, program, *edit in _words()[world]["examples"]:
        executor.dialect.parse(program)
        if edit:
            executor.dialect.parse(edit[0])
        assert program in language(world)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"scenes": "none"}, "predicted or ground_truth"),
        ({"scenes": "predicted"}, "needs scenes_file=FILE"),
        ({"show": "none"}, "has no effect"),
        ({"frame": "none", "scenes": "ground_truth"}, "needs scenes=predicted"),
    ],
)
def test_settings_that_it_lacks_are_refused(settings, says):
    with pytest.raises(InputError, match=says):
        LmmParser("hypo3d", "http://127.0.0.1:1/v1", "m", **settings)
