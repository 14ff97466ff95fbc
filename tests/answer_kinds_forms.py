"""More responses by construction: kinds that fixed responses showed to be misread.

A kind is a question, options and templates by their right value: "a" stands for {a}. Capitals are
Chinese words, {x} and {y} letters of a and b, {n} and {m} numbers.
"""

from answer_forms import Draw, Form, one

COLORS = {"red": "红色", "blue": "蓝色", "green": "绿色", "gray": "灰色", "purple": "紫色"}
WAYS = {"left": "左边", "right": "右侧", "front": "前面", "back": "后方"}
IMAGES = {"First Image": "", "Second Image": "", "Third Image": "", "Fourth Image": ""}
COLOR = "There is a small jet behind the large bus; what is its color?"
EQUAL = "Is the number of red cars the same as the number of tiny jets?"
SAME = "Does the bus have the same material as the jet?"
ITEMS = "- First Image: seen\n- Second Image: hidden\n* Third Image: seen"
KINDS = {
    "Chinese value": (COLOR, COLORS, {
        "a": "{A}|{A}。|不是{B}，而是{A}。|它是{A}的。|这个物体的颜色是{A}。|颜色为{A}",
        None: "不是{A}|{A}或{B}|可能是{A}，也可能是{B}|无法判断。|不知道"}),
    "Chinese choice": ("", WAYS, {
        "a": "{A}。|选{x}|我选{x}。|应该选择{x}，因为它更近。|答案应该是{x}|它在{A}|不是{y}，是{x}。"
        "|因此，正确选项为 **{x}**。",
        None: "不是{A}|{A}或{B}|不是{x}。|{x}或{y}|{x}图中没有物体。"}),
    "choice": ("", WAYS, {
        "a": "It's {b}. On closer inspection, it's {a}.|It's {b}. Let me look again. It is {a}."
        "|If the car were turned, the answer would be {y}. As it is, the answer is {x}."
        "|Had the picture been mirrored, I would have said {b}. It is {a}.|I'm leaning towards {x}."
        "|I'm not completely sure, but I believe it's the {a}.|It's hard to tell, but {x} fits best."
        "|If it were {b}, we would see its lamps. So it is {a}.|I'd lean towards {x}.",
        None: "{x} is tempting, but wrong.|If the car were turned, the answer would be {x}."
        "|The answer would be {x} if the car were turned around.|Hard to tell, but {a} or {b}."}),
    "value": (COLOR, COLORS, {
        "a": "The color of the small jet that is behind the large bus is {a}.|It must be {a}."
        "|It was {b}. On closer inspection, it's {a}.|It was {b} before, but now it is {a}."
        "|The jet that is behind the bus is {a}.|The small jet is {a}.|The object is {a}, not {b}."
        "|The jet is not {b} but {a}.|The jet, which was {b}, is now {a}."
        "|It's hard to say, but the jet seems to be {a}.|The bus is {b}; the small jet is {a}.",
        None: "The bus is {a}.|The large bus is {a}.|{a} and {b}|{a} or {b}|{a}/{b}|not {a}"
        "|either {a} or {b}|The jet was {a} before.|Originally, it was {a}."}),
    "count": ("How many red cars are behind the bus?", {"": "", " ": ""}, {
        "4": "I count {n} red cars. Actually, there are 4.|I see {n} of them. Actually, I count 4.",
        None: "There are {n} possibilities.|I need {n} more details.|至少{n}个|{n}或{m}个"
        "|The bus has {n} wheels and {m} doors."}),
    "compared numbers": (EQUAL, {"": "", " ": ""}, {
        "yes": "They are equal.|The numbers are the same.",
        "no": "They are not equal.|There are {n} red cars and {m} jets, so they are not equal.",
        None: "There are {n} red cars and there are {m} tiny jets.|I see {n} cars and {n} jets."}),
    "verdict": (SAME, {"": "", " ": ""}, {
        "yes": "They have the same material.",
        "no": "They don't have the same material.|Probably not.|Not that I can see.|I think not."
        "|Yes. On closer inspection, one is rubber. So no.",
        None: "I doubt that anyone could say yes here.|Yes and no are equally plausible here."}),
    "list of remarks": ("", IMAGES, {
        "a": ITEMS + "\n\n→ {x}|" + ITEMS + "\n\n**{x}**",
        None: ITEMS + "|Images {n} and {m}"}),
}  # fmt: skip


def form(kind: str, draw: Draw) -> Form:
    """Return a response of a kind."""
    question, words, texts = KINDS[kind]
    names, want = list(words), one(draw, list(texts))
    i, n = int(draw.integers(len(names))), 2 + int(draw.integers(2))
    j = (i + 1) % len(names)
    slots = {"a": names[i], "b": names[j], "A": words[names[i]], "B": words[names[j]]}
    slots |= {"x": "ABCDE"[i], "y": "ABCDE"[j], "n": n, "m": n + 1}
    text = one(draw, texts[want].split("|")).format(**slots)
    return Form(text, () if question else tuple(words), names[i] if want == "a" else want, question)


FORMS = {kind: (lambda draw, kind=kind: form(kind, draw)) for kind in KINDS}
