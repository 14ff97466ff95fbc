"""Responses of language models in the forms that they have today, each with its right value by
construction.

A form is a function of a random generator; FORMS has them by kind. Every piece of text that names
an option is placed by the form itself, so that the right value (None: no answer) never comes from
reading.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from po3d.io.seeding import rng


class Form(NamedTuple):
    """A response, the options of its question (() for a free answer) and the answer that it
    gives.
    """

    response: str
    options: tuple[str, ...]
    want: str | None
    question: str = ""


Draw = np.random.Generator
OPTIONS = (
    ("left", "right", "front", "back"),
    ("in front of", "behind"),
    ("on the left", "on the right"),
    ("yes", "no"),
    ("parallel", "perpendicular"),
    ("the white van", "the traffic light"),
    ("next to each other", "far away from each other"),
    ("First Image", "Second Image", "Third Image", "Fourth Image"),
    ("front-left", "front-right", "behind-left", "behind-right"),
    ("front", "behind", "left", "right"),
)
FREE = (
    "cyan",
    "school bus",
    "scooter",
    "4",
    "0",
    "yes",
    "no",
    "left",
    "front left",
    "large",
    "wooden chair",
)
REASONS = (
    "it stands closer",
    "the other one is much too far away",
    "nothing else fits",
    "that is what the shadow shows",
)
PRAISE = (
    "Okay.",
    "Sure!",
    "Certainly!",
    "Of course.",
    "Alright,",
    "Hmm.",
    "Got it.",
    "I see.",
    "Good question!",
    "Let me think.",
    "Looking at the scene:",
    "Let's see...",
    "Thanks for the picture!",
    "Here is my answer:",
    "Based on the picture:",
    "Sure, here you go:",
    "Understood.",
    "I will look closely.",
)
HEADINGS = (
    "**Final Answer**",
    "### Answer",
    "# Final answer",
    "**Answer**",
    "__Answer__",
    "Final Answer",
    "## Conclusion",
    "**ANSWER**",
    "### **Final Answer**",
    "**Final Answer:**",
    "=== Answer ===",
    "Answer:",
)
STOPS = (
    "<|im_end|>",
    "<|endoftext|>",
    "</s>",
    "<eos>",
    "<end_of_turn>",
    "<|eot_id|>",
    "<｜end▁of▁sentence｜>",
    "<|end|>",
)
CLOSINGS = (
    "</think>",
    "</thinking>",
    "</thought>",
    "</reasoning>",
    "</THINK>",
    "◁/think▷",
    "[/THINK]",
)
LONG = (
    "Everything in the picture has been compared with everything else before this was written down."
)


def one(draw: Draw, values):
    return values[int(draw.integers(len(values)))]


def choice(draw: Draw) -> tuple[tuple[str, ...], int, int]:
    """Options, the number of the right one and of another one."""
    options = one(draw, OPTIONS)
    right = int(draw.integers(len(options)))
    other = (right + 1 + int(draw.integers(len(options) - 1))) % len(options)
    return options, right, other


def bare(draw: Draw, options, k: int) -> str:
    """An option by letter, or letter and text, or text."""
    letter, text = "ABCDEFGH"[k], options[k]
    forms = (
        "{0}",
        "({0})",
        "{0}.",
        "**{0}**",
        "{0}. {1}",
        "({0}) {1}",
        "{0}) {1}",
        "**{0}. {1}**",
        "{0}: {1}",
        "{1}",
        "[{0}]",
        "*{1}*",
        "`{0}`",
        "{1}.",
        "{1} ({0})",
        "Option {0}",
        "$\\boxed{{{0}}}$",
        "\\boxed{{\\text{{{0}}}}}",
    )
    return one(draw, forms).format(letter, text)


def text_of(draw: Draw, answer: str) -> str:
    """A free answer in some marks."""
    forms = (
        "{}",
        "{}.",
        "**{}**",
        "*{}*",
        "`{}`",
        "({})",
        "\\boxed{{{}}}",
        "- {}",
        '"{}"',
        "“{}”",
        "The answer is {}.",
        "Answer: {}",
        "Final answer: **{}**",
        "[{}]",
        "\\({}\\)",
        "<answer>{}</answer>",
        "• {}",
        "→ {}",
        "{}。",
        "<b>{}</b>",
    )
    return one(draw, forms).format(answer)


def ask_question(draw: Draw, share: float = 0.5) -> tuple[str, str, tuple[str, ...], str]:
    """An answer in some dress, the text of a wrong one, the options and the right value."""
    if draw.random() < share:
        options, right, other = choice(draw)
        return bare(draw, options, right), options[other], options, options[right]
    answer = one(draw, FREE)
    other = one(draw, [a for a in FREE if a != answer])
    return text_of(draw, answer), other, (), answer


def thinking(draw: Draw) -> Form:
    text, other, options, want = ask_question(draw)
    thought = one(
        draw,
        (
            "It might be {}.",
            "The answer is {}? No.",
            "I should count.\n\n{}",
            "So <answer>{}</answer>, hm",
        ),
    )
    opening = one(draw, ("", "", "<think>"))
    closing = "</think>" if opening else one(draw, CLOSINGS)
    return Form(
        opening + thought.format(other) + "\n" + closing + one(draw, ("", "\n", "\n\n")) + text,
        options,
        want,
    )


def heading(draw: Draw) -> Form:
    text, other, options, want = ask_question(draw)
    before = one(
        draw,
        (
            "",
            f"The {other} side was looked at, too, and so was the rest of the picture.\n\n",
            f"{LONG}\n\n",
        ),
    )
    return Form(before + one(draw, HEADINGS) + one(draw, ("\n", "\n\n")) + text, options, want)


def chatty(draw: Draw) -> Form:
    text, _, options, want = ask_question(draw)
    return Form(one(draw, PRAISE) + one(draw, ("\n", "\n\n")) + text, options, want)


def no_letter(draw: Draw) -> Form:
    options = one(draw, [o for o in OPTIONS if "no" not in o])
    text = one(
        draw,
        (
            "N/A",
            "n/a",
            "None of the above (N/A)",
            "R&D department",
            "A/C unit",
            "error code: B",
            "vitamin C",
            "U.S.A.",
            "Grade: A",
            "AC/DC",
            "B&W",
            "C#",
            "C++",
            "A4 paper",
            "Plan B",
            "B-side",
            "Q&A",
            "Answer: N/A",
            "<answer>N/A</answer>",
            "{'Answer': 'N/A'}",
            "\\boxed{N/A}",
            "All of the above",
            "None of these",
            "Option G",
            "H",
            "Answer: F. none of the above",
            "The answer is unclear.",
            "I can't tell.",
            "Cannot be determined",
            "It is impossible to say.",
            "Sorry, I can't help with that.",
            "See Fig. B",
            "The image is not visible to me.",
            "A or B",
            "A and B",
            "(A) or (B)?",
            "A/B",
            "Both A and B",
            "either A or B",
            "A, B",
            "Not A",
            "(B) is wrong.",
            "B is incorrect",
            "It's neither A nor B.",
            "I'm torn between A and B",
            "\\boxed{A, B}",
            '{"answer": ["A", "B"]}',
            "",
            "<think>The answer is A",
            "A: {0}, B: {1}",
            "A. {0}\nB. {1}",
            "{0} or {1}",
            "{0}, {1}",
            "not {0}",
            "It isn't {0}.",
            "Can you upload the picture?",
            "I won't answer whether it is {0}.",
        ),
    )
    return Form(text.replace("{0}", options[0]).replace("{1}", options[1]), options, None)


def letter_with_reason(draw: Draw) -> Form:
    options, right, other = choice(draw)
    letter, wrong, text = "ABCDEFGH"[right], "ABCDEFGH"[other], options[other]
    reason = one(
        draw,
        (
            f"{wrong} is too far",
            f"it is not {text}",
            f"{text} would be wrong",
            f"{wrong} hides it",
            *REASONS,
        ),
    )
    head = one(
        draw,
        (
            "{0}",
            "({0})",
            "**{0}**",
            "Option {0}",
            "The answer is {0}",
            "Answer: {0}",
            "I choose {0}",
            "It is {0}",
            "{1}",
        ),
    )
    head = head.format(letter, options[right])
    glue = one(
        draw,
        (
            " - because ",
            " — ",
            ", as ",
            ", since ",
            " because ",
            "; ",
            " – ",
            ", because ",
            ". Note that ",
        ),
    )
    if head == options[right]:
        glue, reason = (
            one(draw, (", as ", " because ", ", since ")),
            one(draw, (f"the {text} one is too far", *REASONS)),
        )
    return Form(head + glue + reason, options, options[right])


def search_goes_on(draw: Draw) -> Form:
    options, right, _ = choice(draw)
    empty = one(
        draw,
        (
            "<answer>see below</answer>\n",
            "\\boxed{\\langle Q\\rangle} ",
            "\\boxed{?} ",
            '{"Answer": "see below"}\n',
            "<answer>N/A</answer>\n",
            "The answer is as follows.\n",
            "<answer></answer>\n",
            "Answer: see the last line\n",
            "The answer is clear.\n",
            "\\boxed{\\alpha}\n",
        ),
    )
    letter = "ABCDEFGH"[right]
    last = one(
        draw,
        (
            "{0}",
            "The answer is ({0}).",
            "**Answer: {0}**",
            "So the answer is {0}",
            "{0}. {1}",
            "Answer: {1}",
        ),
    )
    last = last.format(letter, options[right])
    return Form(empty + last, options, options[right])


def free_marks(draw: Draw) -> Form:
    answer = one(draw, FREE)
    text = text_of(draw, answer)
    if answer in ("yes", "no"):
        tail = one(
            draw,
            (
                ", there is",
                " – as far as I can see",
                " (at the back)",
                "; that much is sure",
                ", it is so",
                " — it stands there",
            ),
        )
        text = (
            one(draw, (answer.capitalize(), f"**{answer.capitalize()}**", answer, f'"{answer}"'))
            + tail
        )
    elif draw.random() < 0.5:
        text = one(draw, ("The answer is {}", "Answer: {}", "{}")).format(answer) + one(
            draw,
            (
                ", as it seems.",
                " because of its shape.",
                ", since nothing else fits.",
                " (as seen from here)",
                ", which is clear.",
            ),
        )
    return Form(text + (one(draw, STOPS) if draw.random() < 0.4 else ""), (), answer)


def nearly_json(draw: Draw) -> Form:
    free = draw.random() < 0.6
    if free:
        options, want, other, value = (), one(draw, FREE), "blue", None
        value = want
    else:
        options, right, wrong = choice(draw)
        want, other = options[right], options[wrong]
        value = one(draw, ("ABCDEFGH"[right], f"{'ABCDEFGH'[right]}. {want}", want))
    text = one(
        draw,
        (
            '{{"Reasoning": "not {1}", "Answer": "{0}"}}',
            "{{'Reasoning': 'not {1}', 'Answer': '{0}'}}",
            '{{"Answer": ["{0}"]}}',
            '{{"Reasoning": "r", "Final Answer": "{0}"}}',
            "{{“Answer”: “{0}”}}",
            "{{‘Answer’: ‘{0}’}}",
            "{{Reasoning: it is seen, Answer: {0}}}",
            '{{"answer": "{0}",}}',
            '```json\n{{"Reasoning": "x",\n "Answer": "{0}"}}\n```',
            '{{"Reasoning": "a "{1}" b", "Answer": "{0}"}}',
            "{{'Reasoning': 'it's {1}?', 'Answer': '{0}'}}",
            '{{"Reasoning": "cut", "Answer": "{0}',
            '{{"answer": {{"value": "{0}"}}}}',
            '[{{"Answer": "{0}"}}]',
            '{{"final_answer": "{0}", "confidence": 0.8}}',
            '{{"Answer" : "{0}"}} Hope this helps!',
            "{{“Answer”：“{0}”}}",
            '{{"Answer": "{0}", "Reasoning": "It is not {1}."}}',
            '"Answer": "{0}"',
            '{{{{"Answer": "{0}"}}}}',
            "{{'Reasoning': 'x', 'Answer': \"{0}\"}}",
        ),
    )
    return Form(text.format(value, other), options, want)


def statements(draw: Draw) -> Form:
    options, right, other = choice(draw)
    letter, text, wrong = "ABCDEFGH"[right], options[right], "ABCDEFGH"[other]
    body = one(
        draw,
        (
            "The correct answer is {0}.",
            "The correct option is **{0}**.",
            "My final answer: ({0})",
            "answer: {2}",
            "Option {0} is the best choice.",
            "I'd go with {0}.",
            "Therefore: {0}",
            "So the answer must be ({0}).",
            "The answer is {3}... no wait, it's {0}",
            "The answer is {3}. Wait, no, the answer is {0}.",
            "Between A and B, I pick {0}.",
            "Option {3} is wrong. Option {0} is correct.",
            "({3}) is wrong, so ({0}).",
            "答案：{0}",
            "答案是{0}。",
            "（{0}）",
            "{4}",
            "({2})",
            "{2}.",
            "{2}",
            "option {2}",
            "ANSWER: {0}",
            "{0}\n\nExplanation: the answer is not {3} because it is hidden.",
            "{1}",
            "The answer is {1}.",
            "=> {0}",
            "Choice {0}",
            "{0} is correct.",
            "**Answer:** {0}) {1}",
            "$\\text{{{0}}}$",
            "<|begin_of_box|>{0}<|end_of_box|>",
            "<CONCLUSION>{0}</CONCLUSION>",
            "{0}</answer>",
            "I think it's {0}",
            "\\textbf{{{0}}}",
            "{0}!",
            "The best answer is {0}: {1}",
            "{0}\n\nQuestion: what else?\nAnswer: {3}",
        ),
    )
    wide = chr(ord("Ａ") + right)
    text = body.format(letter, text, letter.lower(), wrong, wide)
    if draw.random() < 0.3 and "\n" not in text:
        text = f"{LONG} It took a while.\n\n{text}"
    return Form(text, options, options[right])


NUMBERS = ("no", "one", "two", "three", "four", "five")
COUNTED = ("red cars", "tiny purple bicycles", "metal objects", "armchairs", "jets")
PLACES = ("to the left of the bus", "behind the large sedan", "in front of the small minivan")
BEFORE = (
    "",
    "",
    "Looking at the image, ",
    "After the change, ",
    "From the picture, ",
    "Based on the image, ",
    "So, ",
    "I think ",
)
STEPS = (
    "",
    "Let me look at the scene.\n\n1. The bus is near the centre.\n2. A jet is beside it.\n\n",
    "First, I locate the bus. It is at the right.\n\n",
    "<think>Is it 7? No.</think>\n",
    "**Analysis:**\n- The scene shows vehicles.\n\n",
)


def counted(draw: Draw) -> Form:
    n, things, place = int(draw.integers(6)), one(draw, COUNTED), one(draw, PLACES)
    noun = things if n != 1 else things[:-1]
    word = one(draw, (NUMBERS[n], str(n), f"**{n}**")) if n else "no"
    verb = "is" if n == 1 else "are"
    body = one(
        draw,
        (
            f"there {verb} {word} {noun} {place}.",
            f"there {verb} {word} {noun}.",
            f"{word} {noun} {verb} {place}.",
            f"{word} {noun} can be seen {place}.",
            f"the number of {things} {place} is {n}.",
            f"the scene has {word} {noun} {place}.",
            f"I count {n or 'zero'} {noun} {place}.",
            f"the answer is {n}.",
            f"there {verb} {'only ' if n else ''}{word} {noun} {place}, as far as I can see.",
            f"there {verb} {word} {noun} {place}; all others are elsewhere.",
            *((f"there aren't any {things} {place}.", "none.", "zero.") if n == 0 else ()),
            *((f"{word} {noun} {verb} {place}: the blue one is not.",) if n > 1 else ()),
        ),
    )
    lead = one(draw, BEFORE)
    text = lead + body if lead else body[0].upper() + body[1:]
    question = one(draw, ("How many {} are {}?", "What number of {} are {}?"))
    return Form(one(draw, STEPS) + text, (), str(n), question.format(things, place))


def no_count(draw: Draw) -> Form:
    a, things = 1 + int(draw.integers(4)), one(draw, COUNTED)
    text = one(
        draw,
        (
            f"There are {a} or {a + 1} {things}.",
            f"{a}-{a + 1}",
            f"Between {a} and {a + 2} {things}.",
            f"There are at least {a} {things}, maybe more.",
            f"I can't tell how many {things} there are.",
            "I can't see any image.",
            f"The number of {things} cannot be determined.",
            f"It is unclear whether there are {a} {things}.",
            f"Several {things}.",
            f"There are either {NUMBERS[a]} or {NUMBERS[a + 1]} {things}.",
        ),
    )
    return Form(text, (), None, f"How many {things} are in the room?")


def verdict(draw: Draw) -> Form:
    yes, things, place = draw.random() < 0.5, one(draw, COUNTED), one(draw, PLACES)
    single = things[:-1]
    want = "yes" if yes else "no"
    body = one(
        draw,
        (
            f"there is a {single} {place}.",
            f"there are two {things} {place}.",
            "yes.",
            "yes, there is.",
            f"yes, I see one {place}.",
            f"**yes**, a {single} is {place}.",
            "the answer is yes.",
            "true.",
        )
        if yes
        else (
            f"there are no {things} {place}.",
            f"no {things} are {place}.",
            f"there is no {single} {place}.",
            f"I don't see any {things} {place}.",
            "no.",
            f"no, all {things} are elsewhere.",
            "the answer is **no**.",
            "false.",
            f"there aren't any {things} {place}.",
        ),
    )
    lead = one(draw, BEFORE) if len(body.split()) > 4 else ""
    text = lead + body if lead else body[0].upper() + body[1:]
    return Form(one(draw, STEPS) + text, (), want, f"Are there any {things} {place}?")


def agreement(draw: Draw) -> Form:
    yes = draw.random() < 0.5
    body = one(
        draw,
        ("It does.", "The bus has the same material as the jet.", "Both are metal. So, yes.")
        if yes
        else (
            "It does not.",
            "The bus does not have the same material as the jet.",
            "It doesn't.",
            "One is rubber and the other one is metal. Therefore, no.",
        ),
    )
    question = "Does the bus have the same material as the jet?"
    return Form(one(draw, STEPS) + body, (), "yes" if yes else "no", question)


def value(draw: Draw) -> Form:
    question, subject, values = one(
        draw,
        (
            ("What is the color of the large bus?", "the large bus", ("red", "cyan", "gray")),
            ("There is a jet; what size is it?", "the jet", ("small", "large")),
            ("What material is the thing behind it?", "the thing behind it", ("metal", "rubber")),
            ("Which direction is the chopper facing?", "the chopper", ("left", "front", "back")),
            ("What shape is the red object?", "the red object", ("school bus", "scooter", "jet")),
            ("What is left of the bed?", "the object left of the bed", ("floor lamp", "chair")),
        ),
    )
    want = one(draw, values)
    written = one(draw, (want, f"**{want}**", want))
    article = "a " if values[-1] in ("jet", "chair") else ""
    if "chopper" in question:
        body = one(
            draw,
            (f"{subject} is facing {written}.", f"it faces {written}.", f"{written}.",
             f"{subject} is facing to the {written}."),
        )  # fmt: skip
    else:
        body = one(
            draw,
            (
                f"{subject} is {article}{written}.",
                f"it is {article}{written}.",
                f"it appears to be {article}{written}.",
                f"{subject} in the image is {article}{written}.",
                f"{written}.",
                f"the answer is {written}.",
            ),
        )
    lead = one(draw, (*BEFORE[:5], "I believe "))
    text = lead + body if lead else body[0].upper() + body[1:]
    return Form(text, (), want, question)


def comparison(draw: Draw) -> Form:
    options = one(draw, (("black desk", "yellow guitar"), ("monitor", "nightstand")))
    right = int(draw.integers(2))
    a, b = options[right], options[1 - right]
    body = one(
        draw,
        (
            "The {a} is further away from the camera than the {b}.",
            "The {a} is farther away than the {b}.",
            "Between the {a} and the {b}, the {a} is further away.",
            "The {b} is closer to the camera, so the {a} is further away.",
            "The {head} is further away.",
            "It's the {head}.",
        ),
    )
    text = body.format(a=a, b=b, head=a.split()[-1])
    question = "Which object is further away from the camera?"
    return Form(text, options, a, question)


def undecided(draw: Draw) -> Form:
    options = ("black desk", "yellow guitar")
    text = one(
        draw,
        (
            "The black desk and the yellow guitar are equally far away.",
            "It could be the desk or the guitar.",
            "Neither the desk nor the guitar.",
            "The desk is not visible, and neither is the guitar.",
            "I can't tell whether the desk is further away.",
            "The desk? The guitar? Hard to say.",
        ),
    )
    return Form(text, options, None, "Which object is further away from the camera?")


FORMS: dict[str, Callable[[Draw], Form]] = {
    "thinking": thinking,
    "heading": heading,
    "chatty first line": chatty,
    "no letter": no_letter,
    "letter with a reason": letter_with_reason,
    "search goes on": search_goes_on,
    "free marks": free_marks,
    "nearly JSON": nearly_json,
    "statements": statements,
    "count in a sentence": counted,
    "no count": no_count,
    "yes or no in a sentence": verdict,
    "agreement": agreement,
    "value in a sentence": value,
    "comparison": comparison,
    "undecided": undecided,
}


def variants(seed: int, count: int, forms=FORMS) -> list[tuple[str, Form]]:
    """`count` responses of all kinds in turn."""
    kinds = list(forms)
    names = [kinds[k % len(kinds)] for k in range(count)]
    return [(name, forms[name](rng(seed, f"answers/{name}", k))) for k, name in enumerate(names)]
