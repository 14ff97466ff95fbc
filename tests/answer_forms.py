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


def said(draw: Draw, answer: str) -> str:
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


def asked(draw: Draw, share: float = 0.5) -> tuple[str, str, tuple[str, ...], str]:
    """An answer in some dress, the text of a wrong one, the options and the right value."""
    if draw.random() < share:
        options, right, other = choice(draw)
        return bare(draw, options, right), options[other], options, options[right]
    answer = one(draw, FREE)
    other = one(draw, [a for a in FREE if a != answer])
    return said(draw, answer), other, (), answer


def thinking(draw: Draw) -> Form:
    text, other, options, want = asked(draw)
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
    text, other, options, want = asked(draw)
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
    text, _, options, want = asked(draw)
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
    text = said(draw, answer)
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
}


def variants(seed: int, count: int) -> list[tuple[str, Form]]:
    """`count` responses of all kinds in turn."""
    kinds = list(FORMS)
    names = [kinds[k % len(kinds)] for k in range(count)]
    return [(name, FORMS[name](rng(seed, f"answers/{name}", k))) for k, name in enumerate(names)]
