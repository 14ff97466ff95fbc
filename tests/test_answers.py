"""The rules by which an answer is found in a response."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.systems.answers import extract

SIDES = ("in front of", "behind")
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
            "The sedan\nIt stands beside the bus and is the only one of its kind in the whole picture.",
            "sedan",
            "short",
        ),
        ("I look at all of the vehicles in this picture, one by one and carefully.\n2", "2", "short"),
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
        ("The answer is (B) in front of.", SIDES, "behind"),  # the letter is what was asked for
        ("Behind.", SIDES, "behind"),
        ("If I stand there and look where it looks, the car stands behind me, I would say.", SIDES, "behind"),
        ("It is not in front of me but behind me, I would say, as far as I can see.", SIDES, None),
        ("C", SIDES, None),
        ("", SIDES, None),
        (
            "Looking closely at this picture, I would say that it is the school bus.",
            VEHICLES,
            "the school bus",
        ),
        ("red car", VEHICLES, "a red car"),
        ("I have thought about this for quite a while, and I choose option (C).", VEHICLES, "a red car"),
    ],
)
def test_multiple_choice(response, options, answer):
    assert extract(response, options).answer == answer


CHOICES = (
    SIDES, VEHICLES, ("yes", "no"), ("front", "left", "back", "right"), ("on the left", "on the right"),
    ("parallel", "perpendicular"), ("A person", "B road sign"), ("next to each other", "far away from each other"),
    ("red hat of the person in the back", "baseball glove"), ("front-left", "front-right", "back-left", "back-right"),
)  # fmt: skip
# {letter} and {text} are of one option. VLMEvalKit's rules or lmms-eval's, or both, find the letter in each.
DRESSES = (
    "{letter}", "({letter})", "[{letter}]", "{letter}.", "{letter})", "{letter}:", "**{letter}**", "`{letter}`",
    "{letter}. {text}", "({letter}) {text}", "{letter}: {text}", "{letter} {text}", "{text} ({letter})", "{text}", "It is {text}.",
    "Answer {letter}", "Answer: ({letter})", "Answer: {letter}. {text}", "The answer is {letter}.", "My answer is {letter}",
    "The correct answer is **{letter}. {text}**.", "The correct answer is option {letter}.", "The answer is {text} ({letter}).",
    "Option {letter}", "Option ({letter})", "option {letter}.", "Option {letter}: {text}", "Choice {letter}",
    "Correct option: {letter}", "The right option is {letter}", "Final Answer: Option {letter}", "The best choice is {letter}",
    "Therefore, option {letter} is correct.", "{letter} is correct", "{letter} is the correct answer.", "I choose {letter}.",
    "I would choose option {letter}.", "So it is {letter}.", "{letter}, because it stands there.",
    "{letter}\n\nBecause it stands there.", "Between A and B, I choose {letter}.", '{{"answer": "{letter}"}}',
)  # fmt: skip


@pytest.mark.parametrize("dress", DRESSES)
def test_a_choice_is_found_where_the_harnesses_find_it(dress):
    for options in CHOICES:
        for letter, text in zip("ABCD", options):
            assert extract(dress.format(letter=letter, text=text), options).answer == text, (letter, options)


def test_where_the_harnesses_read_a_choice_otherwise_the_documentation_says_what_is_read_here():
    lines = (Path(__file__).parents[1] / "docs" / "compare.md").read_text(encoding="utf-8").splitlines()
    start = lines.index("| response, of A. in front of, B. behind | po3d | VLMEvalKit | lmms-eval |") + 2
    rows = [
        line.strip("| ").split(" | ")
        for line in itertools.takewhile(lambda line: line.startswith("|"), lines[start:])
    ]
    assert len(rows) >= 10
    for response, ours, *theirs in rows:
        found = extract(response.strip("`"), SIDES).answer
        assert {"in front of": "A", "behind": "B", None: "none"}[found] == ours
        assert set(theirs) != {ours}


@given(st.text(max_size=300))
def test_any_text_gives_an_answer_or_none_and_says_which_rule(response):
    for options in ((), SIDES):
        answer, rule = extract(response, options)
        assert rule in {"refusal", "tag", "boxed", "field", "stated", "short", "whole", "no option"}
        assert answer is None or (answer.strip() == answer and answer and (not options or answer in options))


@given(st.sampled_from(["yes", "no", "3", "school bus", "left", "cyan"]))
def test_an_answer_survives_every_dress(answer):
    dresses = ("{}", "{}.", "The answer is {}.", "<answer>{}</answer>", '{{"Answer": "{}"}}', r"\boxed{{{}}}",
               "**{}**", "Final answer: {}", "(B) {}", "The answer is (C) {}.")  # fmt: skip
    assert {extract(dress.format(answer)).answer for dress in dresses} == {answer}


def test_long_hostile_texts_take_no_time():
    for hostile in ("answer is " * 20_000, "<think>" * 20_000, r"\boxed{" * 20_000, '"answer":"' * 20_000, "(A) " * 20_000,
                    "answer:" + " " * 50_000 + "x", "\\boxed{" + "{}" * 20_000, "option" + " " * 50_000 + "\nx" * 3,
                    "option is " * 20_000, "A " * 50_000):  # fmt: skip
        extract(hostile)
        extract(hostile, SIDES)
