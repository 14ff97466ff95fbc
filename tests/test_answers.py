"""The rules by which an answer is found in a response."""

import itertools
import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from answer_forms import FORMS, variants
from answer_kinds_forms import FORMS as MORE
from hypothesis import given
from hypothesis import strategies as st

from po3d.reasoning.questions import Question
from po3d.systems import typed_answers
from po3d.systems.answers import extract, predicted

SIDES = ("in front of", "behind")
FOUR = ("left", "right", "front", "back")
DOCS = Path(__file__).parents[1] / "docs"
GOLDEN = Path(__file__).parent / "golden" / "answers.jsonl"
ASKED = Path(__file__).parent / "golden" / "answers_asked.jsonl"
ATTACK = Path(__file__).parent / "golden" / "answers_attack.jsonl"
VEHICLES = ("the bus", "the school bus", "a red car")


@pytest.mark.parametrize(
    ("response", "answer", "rule"),
    [
        ("left", "left", "short"),
        ("Left.", "Left", "short"),
        ("The answer is (B) left.", "left", "stated"),
        ("The answer is B. left", "left", "stated"),
        ("**Answer:** the red bus", "red bus", "stated"),
        ("Answer: 3. There are two more behind it.", "3", "stated"),
        ("The answer is yes, but the answer is no.", "no", "stated"),
        ("First I count the cars.\nSo the final answer is: three.", "3", "stated"),
        ("<think>The answer is 4.</think>5", "5", "short"),
        ("<think>I never stop", None, "refusal"),
        ("<answer> Yes </answer>", "yes", "tag"),
        ("<answer>1</answer> no: <answer>2</answer>", "2", "tag"),
        (r"Thus \boxed{\text{road bike}}", "road bike", "boxed"),
        ("{'Reasoning': 'It is red, the answer is no', 'Answer': 'Yes'}", "yes", "field"),
        ('```json\n{"Reasoning": "x", "Answer": 4}\n```', "4", "field"),
        ('{"reasoning": "a \\"b\\"", "answer": "school bus"}', "school bus", "field"),
        ("Yes, there is one behind the jet.", "yes", "short"),
        ("No", "no", "short"),
        ("Nothing", "Nothing", "short"),
        ("no parking sign", "no parking sign", "short"),
        ("An airliner", "airliner", "short"),
        ("two", "2", "short"),
        ("two chairs", "two chairs", "short"),
        ("A", "A", "short"),
        (
            (
                "The sedan\nIt stands beside the bus and is the only one of its kind in the whole"
                " picture."
            ),
            "sedan",
            "short",
        ),
        (
            "I look at all of the vehicles in this picture, one by one and carefully.\n2",
            "2",
            "short",
        ),
        ("", None, "refusal"),
        ("  \n ", None, "refusal"),
        ("Sorry, I can't help with images of people yet.", None, "refusal"),
        ("Failed to obtain answer via API.", None, "refusal"),
        ("<answer></answer>", None, "refusal"),
        ("***", None, "refusal"),
    ],
)
def test_free_answers(response, answer, rule):
    assert extract(response) == (answer, rule)


@pytest.mark.parametrize(
    ("response", "options", "answer"),
    [
        ("B", SIDES, "behind"),
        ("(b)", SIDES, "behind"),
        ("A. in front of", SIDES, "in front of"),
        ("The answer is (B) in front of.", SIDES, None),
        ("Behind.", SIDES, "behind"),
        (
            "If I stand there and look where it looks, the car stands behind me, I would say.",
            SIDES,
            "behind",
        ),
        (
            "It is not in front of me but behind me, I would say, as far as I can see.",
            SIDES,
            "behind",
        ),
        ("C", SIDES, None),
        ("", SIDES, None),
        (
            "Looking closely at this picture, I would say that it is the school bus.",
            VEHICLES,
            "the school bus",
        ),
        ("red car", VEHICLES, "a red car"),
        (
            "I have thought about this for quite a while, and I choose option (C).",
            VEHICLES,
            "a red car",
        ),
    ],
)
def test_multiple_choice(response, options, answer):
    assert extract(response, options).answer == answer


CHOICES = (
    SIDES,
    VEHICLES,
    ("yes", "no"),
    ("front", "left", "back", "right"),
    ("on the left", "on the right"),
    ("parallel", "perpendicular"),
    ("A person", "B road sign"),
    ("next to each other", "far away from each other"),
    ("red hat of the person in the back", "baseball glove"),
    ("front-left", "front-right", "back-left", "back-right"),
)
# {letter} and {text} are of one option. VLMEvalKit's rules or lmms-eval's, or both, find the letter
# in each.
DRESSES = (
    "{letter}",
    "({letter})",
    "[{letter}]",
    "{letter}.",
    "{letter})",
    "{letter}:",
    "**{letter}**",
    "`{letter}`",
    "{letter}. {text}",
    "({letter}) {text}",
    "{letter}: {text}",
    "{letter} {text}",
    "{text} ({letter})",
    "{text}",
    "It is {text}.",
    "Answer {letter}",
    "Answer: ({letter})",
    "Answer: {letter}. {text}",
    "The answer is {letter}.",
    "My answer is {letter}",
    "The correct answer is **{letter}. {text}**.",
    "The correct answer is option {letter}.",
    "The answer is {text} ({letter}).",
    "Option {letter}",
    "Option ({letter})",
    "option {letter}.",
    "Option {letter}: {text}",
    "Choice {letter}",
    "Correct option: {letter}",
    "The right option is {letter}",
    "Final Answer: Option {letter}",
    "The best choice is {letter}",
    "Therefore, option {letter} is correct.",
    "{letter} is correct",
    "{letter} is the correct answer.",
    "I choose {letter}.",
    "I would choose option {letter}.",
    "So it is {letter}.",
    "{letter}, because it stands there.",
    "{letter}\n\nBecause it stands there.",
    "Between A and B, I choose {letter}.",
    '{{"answer": "{letter}"}}',
)


@pytest.mark.parametrize("dress", DRESSES)
def test_a_choice_is_detected_where_the_harnesses_find_it(dress):
    for options in CHOICES:
        for letter, text in zip("ABCD", options):
            assert extract(dress.format(letter=letter, text=text), options).answer == text, (
                letter,
                options,
            )


def test_where_the_harnesses_read_a_choice_otherwise_the_documentation_says_what_is_read_here():
    lines = (
        (Path(__file__).parents[1] / "docs" / "compare.md").read_text(encoding="utf-8").splitlines()
    )
    start = (
        lines.index("| response, of A. in front of, B. behind | po3d | VLMEvalKit | lmms-eval |")
        + 2
    )
    rows = [
        line.strip("| ").split(" | ")
        for line in itertools.takewhile(lambda line: line.startswith("|"), lines[start:])
    ]
    assert len(rows) >= 10
    for response, ours, *theirs in rows:
        result = extract(response.strip("`"), SIDES).answer
        assert {"in front of": "A", "behind": "B", None: "none"}[result] == ours
        assert set(theirs) != {ours}


@given(st.text(max_size=300))
def test_any_text_gives_an_answer_or_none_and_says_which_rule(response):
    for options in ((), SIDES):
        answer, rule = extract(response, options)
        assert rule in {"refusal", "tag", "boxed", "field", "stated", "short", "whole", "no option"}
        assert answer is None or (
            answer.strip() == answer and answer and (not options or answer in options)
        )


@given(st.sampled_from(["yes", "no", "3", "school bus", "left", "cyan"]))
def test_an_answer_survives_every_dress(answer):
    dresses = (
        "{}",
        "{}.",
        "The answer is {}.",
        "<answer>{}</answer>",
        '{{"Answer": "{}"}}',
        r"\boxed{{{}}}",
        "**{}**",
        "Final answer: {}",
        "(B) {}",
        "The answer is (C) {}.",
    )
    assert {extract(dress.format(answer)).answer for dress in dresses} == {answer}


def test_long_hostile_texts_take_no_time():
    for hostile in (
        "answer is " * 20_000,
        "<think>" * 20_000,
        r"\boxed{" * 20_000,
        '"answer":"' * 20_000,
        "(A) " * 20_000,
        "answer:" + " " * 50_000 + "x",
        "\\boxed{" + "{}" * 20_000,
        "option" + " " * 50_000 + "\nx" * 3,
        "option is " * 20_000,
        "A " * 50_000,
        "there are " * 20_000,
        "1 or " * 20_000,
        "The bus is " * 20_000,
        "if the bus were " * 20_000,
        "would be it if the " * 20_000,
        "A: a : | " * 20_000,
        "\nsome might say A" * 20_000,
    ):
        extract(hostile)
        extract(hostile, SIDES)
        for question in QUESTIONS.values():
            extract(hostile, question=question)


@pytest.mark.parametrize("form", ["{}", "<answer>{}</answer>", "The answer is {}."])
def test_the_answers_of_the_shipped_questions_about_rooms_are_read(form):
    path = DOCS.parent / "data" / "mini" / "hypo3d" / "contextvqa.json"
    changes = itertools.chain(*json.loads(path.read_text()).values())
    pairs = [pair for change in changes for pair in change["questions_answers"]]
    query = {(pair["question"], pair["answer"]) for pair in pairs}
    read = {(q, extract(form.format(a), question=q).answer) for q, a in query}
    assert not read ^ query


# --- the rules, as docs/lmm.md states them --------------------------------------------------------


def documented():
    """(rule, response, options, answer) of each row of the table of rules."""
    lines = (DOCS / "lmm.md").read_text(encoding="utf-8").splitlines()
    start = lines.index("| rule | what it does | response | kind | answer |") + 2
    for line in itertools.takewhile(lambda line: line.startswith("|"), lines[start:]):
        rule, _, response, kind, answer = re.split(r"(?<!\\) \| ", line.strip("| "))
        response = response.strip("`").replace("\\n", "\n").replace("\\|", "|")
        options = FOUR if kind == "choice" else ()
        yield rule, response, options, QUESTIONS.get(kind, ""), None if answer == "none" else answer


QUESTIONS = {
    "count": "How many cars are behind the bus?",
    "yes or no": "Is there a red car behind the bus?",
    "value": "What is the color of the large bus?",
}


@pytest.mark.parametrize(("rule", "response", "options", "question", "answer"), documented())
def test_a_documented_rule_reads_its_example(rule, response, options, question, answer):
    result = extract(response, options, question=question)
    assert result.answer == answer
    if (
        rule in ("tag", "boxed", "field", "stated", "refusal", "short", "whole")
        and answer is not None
    ):
        assert result.rule == rule


class Row(NamedTuple):
    """A response with the right answer (None: no answer), or wrong ones that it does not give."""

    response: str
    want: str | list[str] | None
    options: tuple[str, ...]
    question: str
    cut: bool
    never: bool

    def found(self):
        return extract(self.response, self.options, self.cut, self.question).answer

    def wrong(self):
        result = (self.found() or "").lower()
        if self.never:
            return result in self.want
        return result != (self.want or "").lower()


def golden(path=GOLDEN):
    """The rows of a golden file: lines of [response, want] below a line with what they share."""
    rows, shared = [], {}
    for line in path.read_text(encoding="utf-8").splitlines():
        content = json.loads(line)
        if isinstance(content, dict):
            shared = {"options": (), "question": "", "cut": False, "never": False, **content}
        else:
            rows.append(Row(*content, **shared))
    return rows


@pytest.mark.parametrize(("path", "count"), [(GOLDEN, 500), (ATTACK, 290), (ASKED, 320)])
def test_golden_responses_have_their_answers(path, count):
    """All right values were written before the extractor ran on the responses."""
    rows = golden(path)
    assert not [(row, row.found()) for row in rows if row.wrong()]
    assert len(rows) >= count


@pytest.mark.parametrize(("seed", "forms"), [(37, FORMS), (38, FORMS), (39, FORMS), (40, MORE)])
def test_generated_variants_are_read_right_and_give_no_false_credit(seed, forms):
    built = variants(seed, 400, forms)
    wrong = []
    for kind, form in built:
        result = extract(form.response, form.options, question=form.question).answer
        if (result if form.options or result is None else result.lower()) != form.want:
            wrong.append((kind, form, result))
    assert len(wrong) <= 0.01 * len(built), wrong
    assert not [w for w in wrong if w[2] is not None], "an answer that the response does not give"


def vlmevalkit_letter(response, options):
    """VLMEvalKit's rules without a judge: a lone letter near the end, "answer is X", the only
    option mentioned.
    """
    letters = "ABCD"[: len(options)]
    words = re.sub(r"[.()\[\],:;!*#{}]", " ", response).split()
    result = {word for word in words if word in letters}
    if len(result) == 1:
        (letter,) = result
        if not (letter == "A" and len(words) > 3) and words.index(letter) > len(words) - 5:
            return letter
    if stated := re.search(r"(?i)(?:correct\s+)?answer\s+is\s+\**([ABCD])\**", response):
        return stated[1].upper()
    reply = response.lower()
    if len(reply) > 2 * sum(map(len, options)):
        return None
    mentioned = [k for k, option in enumerate(options) if option.lower() in reply]
    return letters[mentioned[0]] if len(mentioned) == 1 else None


LMMS_EVAL = (
    r"^([A-D])[\.\s\)]",
    r"^([A-D])$",
    r"[Aa]nswer[:\s]+([A-D])",
    r"[Tt]he answer is[:\s]+([A-D])",
    r"\(([A-D])\)",
    r"([A-D])\.",
    r"\b([A-D])\b",
)


def lmms_eval_letter(response):
    """lmms-eval's rules: the first pattern that matches."""
    result = (re.search(pattern, response.strip()) for pattern in LMMS_EVAL)
    return next((m[1] for m in result if m), None)


def test_where_both_harnesses_find_the_same_right_letter_so_does_the_extractor():
    rows = [(r.response, r.options, r.want, "") for r in golden()]
    rows += [tuple(f) for seed in range(5) for _, f in variants(seed, 400)]
    agreed = 0
    for response, options, want, question in rows:
        if len(options) < 2 or "" in options:
            continue
        letters = {vlmevalkit_letter(response, options), lmms_eval_letter(response)}
        if len(letters) > 1 or None in letters:
            continue
        k = "ABCD".index(letters.pop())
        if k < len(options) and options[k] == want:  # else both misread it
            agreed += 1
            assert extract(response, options, question=question).answer == want, response
    assert agreed > 300


def test_a_response_that_was_cut_off_counts_only_what_it_states():
    question = Question("q", "i.png", "Which side?", "6d", "orientation_viewpoint", options=FOUR)
    text = (
        "I begin with the outline of the lamp, which shows in the picture how the left side of it"
        " and the"
    )
    assert predicted(question, text).answer == "left"
    assert predicted(question, text, cut=True).status == "abstained"
    assert predicted(question, "The answer is B. I say so because the", cut=True).answer == "right"


def test_a_gap_in_the_options_keeps_its_letter():
    options = ("left", "", "front", "back")
    assert [extract(letter, options).answer for letter in "ABCD"] == ["left", None, "front", "back"]
    assert extract("The answer is (C).", options).answer == "front"
    assert extract("front", options).answer == "front"


def test_a_name_that_stands_in_the_question_is_no_verdict():
    question = "Does the book rack sit behind the moved coffee table?"
    assert typed_answers.typed("Coffee table.", typed_answers.YES_NO, question) is None
    assert (
        typed_answers.typed(
            "The book rack is behind the coffee table.", typed_answers.YES_NO, question
        )
        == "yes"
    )
