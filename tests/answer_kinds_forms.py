"""More responses by construction: kinds that fixed responses showed to be misread."""

from answer_forms import Draw, Form, one

COLORS = {"red": "红色", "blue": "蓝色", "green": "绿色", "gray": "灰色", "purple": "紫色"}
WAYS = {"left": "左边", "right": "右侧", "front": "前面", "back": "后方"}
LETTERS = "ABCD"
COLOR = "There is a small jet behind the large bus; what is its color?"
EQUAL = "Is the number of red cars the same as the number of tiny jets?"
SAME = "Does the bus have the same material as the jet?"
IMAGES = ("First Image", "Second Image", "Third Image", "Fourth Image")


def two(draw: Draw, values):
    """Return two different values."""
    first = one(draw, list(values))
    return first, one(draw, [value for value in values if value != first])


def chinese(draw: Draw) -> Form:
    free = draw.random() < 0.5
    words = COLORS if free else WAYS
    right, other = two(draw, words)
    letter, wrong = (LETTERS[list(WAYS).index(way)] if not free else "" for way in (right, other))
    a, b = words[right], words[other]
    none = [f"不是{a}", f"{a}或{b}", f"可能是{a}，也可能是{b}", "无法判断。", "不知道"]
    if not free:
        none += [f"不是{letter}。", f"{letter}或{wrong}", f"{letter}图中没有物体。"]
    if draw.random() < 0.3:
        return Form(one(draw, none), () if free else tuple(WAYS), None, COLOR if free else "")
    forms = [a, f"{a}。", f"不是{b}，而是{a}。", f"是{a}"]
    if free:
        forms += [f"它是{a}的。", f"这个物体的颜色是{a}。", f"颜色为{a}"]
        return Form(one(draw, forms), (), right, COLOR)
    forms += [
        f"选{letter}",
        f"我选{letter}。",
        f"应该选择{letter}，因为它更近。",
        f"答案应该是{letter}",
    ]
    forms += [f"因此，正确选项为 **{letter}**。", f"它在{a}", f"不是{wrong}，是{letter}。"]
    return Form(one(draw, forms), tuple(WAYS), right)


def corrected(draw: Draw) -> Form:
    free = draw.random() < 0.5
    right, other = two(draw, COLORS if free else WAYS)
    change = (
        "On closer inspection, it's",
        "Let me look again. It is",
        "Looking more closely, it's",
    )
    text = f"It's {other}. {one(draw, change)} {right}."
    if free and draw.random() < 0.5:
        text = f"It was {other} before, but now it is {right}."
    return Form(text, () if free else tuple(WAYS), right, COLOR if free else "")


def open_value(draw: Draw) -> Form:
    a, b = two(draw, COLORS)
    texts = (
        f"The bus is {a}.",
        f"The large bus is {a}.",
        f"{a} and {b}",
        f"{a} or {b}",
        f"{a}/{b}",
        f"either {a} or {b}",
        f"The jet was {a} before.",
        f"Originally, it was {a}.",
        f"not {a}",
        f"The bus is {a}. The jet is not visible.",
    )
    return Form(one(draw, texts), (), None, COLOR)


def stated_value(draw: Draw) -> Form:
    want, other = two(draw, COLORS)
    texts = (
        f"The color of the small jet that is behind the large bus is {want}.",
        f"The jet that is behind the bus is {want}.",
        f"It must be {want}.",
        f"The small jet is {want}.",
        f"It would most likely be {want}.",
        f"The object is {want}, not {other}.",
    )
    return Form(one(draw, texts), (), want, COLOR)


def of_others(draw: Draw) -> Form:
    n = 2 + int(draw.integers(5))
    noun = one(draw, ("possibilities", "more details", "questions", "clues", "options"))
    texts = (f"There are {n} {noun}.", f"I need {n} {noun}.", f"至少{n}个", f"{n}或{n + 1}个")
    wheels = f"The bus has {n} wheels and {n + 1} doors."
    return Form(one(draw, (*texts, wheels)), (), None, "How many red cars are behind the bus?")


def compared(draw: Draw) -> Form:
    n = 1 + int(draw.integers(4))
    texts = {
        f"There are {n} red cars and there are {n + 1} tiny jets.": None,
        f"I see {n} red cars and {n} tiny jets.": None,
        "They are equal.": "yes",
        "The numbers are the same.": "yes",
        "They are not equal.": "no",
        "They are different.": "no",
        f"There are {n} red cars and {n + 1} jets, so the numbers are not equal.": "no",
    }
    text = one(draw, list(texts))
    return Form(text, (), texts[text], EQUAL)


def pronoun(draw: Draw) -> Form:
    texts = {
        "They don't have the same material.": "no",
        "They do not have the same material.": "no",
        "They have the same material.": "yes",
        "Probably not.": "no",
        "Not that I can see.": "no",
        "I think not.": "no",
        "Yes. On closer inspection, one is rubber. So no.": "no",
        "I doubt that anyone could say yes here.": None,
        "Yes and no are equally plausible without the picture.": None,
    }
    text = one(draw, list(texts))
    return Form(text, (), texts[text], SAME)


def listed(draw: Draw) -> Form:
    k = int(draw.integers(4))
    lines = "\n".join(f"{one(draw, '-*')} {name}: it is there" for name in IMAGES)
    numbers = f"Images {k + 1} and {(k + 1) % 4 + 1}"
    ends = {f"So it is this one → {LETTERS[k]}": k, f"**{LETTERS[k]}**": k, "": None}
    end = one(draw, list(ends))
    if draw.random() < 0.3:
        return Form(numbers, IMAGES, None)
    want = None if ends[end] is None else IMAGES[ends[end]]
    return Form(f"{lines}\n\n{end}".strip(), IMAGES, want)


FORMS = {
    "Chinese": chinese,
    "corrected": corrected,
    "open value": open_value,
    "stated value": stated_value,
    "count of others": of_others,
    "compared numbers": compared,
    "pronoun": pronoun,
    "list of remarks": listed,
}
