"""Cleaning of a model's response for `po3d.systems.answers`.

Removes thinking, stop tokens, invisible characters and markup.
"""

import re
import unicodedata
from collections.abc import Iterator

from po3d.language.grammar import load

BEGINNING, END = 2000, 10_000  # characters kept of a longer response
_I = re.IGNORECASE
SHORT = 8  # words of a short line; the longest answers of the benchmarks have about six
LAST = 8  # number of statements tried, from the last one back


def expressions(keys: str) -> Iterator[re.Pattern[str]]:
    """Yield the expressions with these names, separated by spaces."""
    wordings = load("answers", "patterns")
    return (wordings.expression(key, _I) for key in keys.split())


ARTICLE, NO_ANSWER, PREFACE, CORRECTED, CONCLUDING, HOWEVER = expressions(
    "article no_answer preface corrected concluding however"
)
BOLD = re.compile(r"\*\*([^*\n]+?)\*\*(?!\s*:)")
LABEL = re.compile(
    r"(?:[(\[]([A-Za-z])[)\]]|([A-Z])[.):]|([a-h])[.)])(?:\s*(?![\w.\\/])|\s+)(.*)$", re.DOTALL
)
AROUND = " \t\r\n*_`\"'.,;:!?¡¿<>~|…"
_BULLET = re.compile(r"^(?:[-–—•·●▪◦‣]|->|=>|→|⇒|#{1,6}|=+)\s+")
_RULE = re.compile(r"\s+(?:#+|={2,})$")  # after a heading

_THINK = r"(?:(?:seed:)?think(?:ing)?|thoughts?|reason(?:ing)?|scratchpad|\|begin_of_thought\|)"
_THINK_OPEN = re.compile(rf"<{_THINK}>|◁think▷|\[THINK\]", _I)
_THINK_CLOSE = re.compile(
    rf"</{_THINK}>|<\|end_of_thought\|>|◁/think▷|\[/THINK\]", _I
)  # the opening tag is often missing, as it is part of the prompt
_FINAL_CHANNEL = re.compile(r"<\|channel\|>final[^<]*<\|message\|>", _I)
_STOP = re.compile(
    r"<\|?(?:im_end|im_start|endoftext|end_of_text|eot_id|eot|eos|end|return|end_of_turn|end_of_utterance"
    r"|end_of_sentence|end▁of▁sentence|assistant|user|pad)\|?>|</?s>|\[/?INST\]|\[EOS\]",
    _I,
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u20e3\ufe0e\ufe0f\ufeff]")
_FENCE = re.compile(r"^[ \t]*(?:```|'''|~~~)[\w-]*[ \t]*$", re.MULTILINE)
_HTML = re.compile(r"</?(?:b|i|u|em|strong|p|br|span|div|code|mark|h[1-6])(?:\s[^<>]*)?/?>", _I)
_LATEX_TEXT = re.compile(
    r"\\(?:text\w*|math\w+|operatorname|mbox|bf|underline|fbox)\s*\{([^{}]*)\}"
)
_LATEX_MARK = re.compile(
    r"\\[()\[\],;:! ]|\$|\\(?:langle|rangle|left|right|quad|displaystyle)(?![a-z])"
)
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»「」『』", '"') | dict.fromkeys("‘’‚‛`´", "'"))
# A line of a marked list of options: "- [x] B. right", "✅ B", "A ❌"
_CHOSEN_LINE = re.compile(r"^[\s>*+-]*(?:\[[xX✓✔]\]|[✅☑✓✔])\s*|\s[✅☑✓✔]\W*$")
_UNCHOSEN_LINE = re.compile(r"^[\s>*+-]*(?:\[ ?\]|[❌☐✗✘✖])\s*|\s[❌☐✗✘✖]\W*$")
_STRUCK = re.compile(r"~~(?=\S)[^~\n]+~~")
_TOOL = re.compile(
    r"<(tool_call|function_call|tool_response|function_response|tool|function)\b[^>]*>.*?(?:</\1>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_CODE = re.compile(  # `normal` has replaced the backticks
    r"^'''(?:python|py|javascript|js|bash|sh)\b.*?(?:^'''|\Z)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_FRENCH_SPACE = re.compile(r"(?<=\b[A-H]) (?=:\s)")  # "D : on voit"
_PUNCTUATION = str.maketrans({"。": ".", "、": ",", "【": "[", "】": "]", "〈": "(", "〉": ")"})


def normal(text: str) -> str:
    """Return the text with plain quotes, ASCII for full-width characters and for the digits of all
    scripts, and without invisible characters."""
    text = unicodedata.normalize(
        "NFKC", _INVISIBLE.sub("", text).replace("\N{NO-BREAK SPACE}", " ")
    )
    digits = {}
    for c in set(text):
        if c.isdecimal() and not c.isascii():
            digits[c] = str(unicodedata.decimal(c))
    text = text.translate(str.maketrans(digits))
    text = text.translate(_QUOTES).translate(_PUNCTUATION)
    return _FRENCH_SPACE.sub("", text)


def cleaned(response: str) -> str:
    """Return the response without thinking, stop tokens and the text after them, HTML, code, calls
    of tools, struck-out text, and lines of options that are marked as not chosen."""
    text = normal(response)
    if channels := list(_FINAL_CHANNEL.finditer(text)):
        text = text[channels[-1].end() :]
    text = _without_thinking(text)
    parts = []
    for part in _STOP.split(text):
        if part.strip(AROUND):
            parts.append(part)
    text = parts[0] if parts else ""
    text = _CODE.sub("\n", _TOOL.sub("\n", text))
    text = _HTML.sub(" ", _FENCE.sub("", text))
    text = _STRUCK.sub(" ", text) if _STRUCK.sub("", text).strip(AROUND) else text
    text = _without_unchosen(text).strip()
    return text if len(text) <= BEGINNING + END else f"{text[:BEGINNING]}\n{text[-END:]}"


def _without_unchosen(text: str) -> str:
    """Return the text without the lines marked as not chosen, if other lines are marked as chosen;
    the marks are removed."""
    lines = text.split("\n")
    if not any(map(_CHOSEN_LINE.search, lines)) or not any(map(_UNCHOSEN_LINE.search, lines)):
        return text
    result = []
    for line in lines:
        if not _UNCHOSEN_LINE.search(line):
            result.append(_CHOSEN_LINE.sub("", line))
    return "\n".join(result)


def _without_thinking(text: str) -> str:
    """Return the text after the last closing tag, else before the first opening one."""
    closing = list(_THINK_CLOSE.finditer(text))
    behind = text[closing[-1].end() :] if closing else text
    opening = _THINK_OPEN.search(behind)
    retained = behind[: opening.start()] if opening else behind
    if closing and not retained.strip(AROUND):
        first = _THINK_OPEN.search(text)
        retained = text[: first.start()] if first else ""
    return retained


def unlatexed(text: str) -> str:
    """Return the text without LaTeX markup; arguments of text commands are kept."""
    while (plain := _LATEX_TEXT.sub(r" \1 ", text)) != text:
        text = plain
    return _LATEX_MARK.sub(" ", text)


def unmarked(text: str) -> str:
    """Return the text without surrounding punctuation, bullets, symbols and one pair of brackets;
    the bracket in "(B) left" is kept."""
    text = " ".join(text.split())
    before = None
    while text != before:
        before = text
        text = _RULE.sub("", _BULLET.sub("", text.strip(AROUND), count=1))
        while text and text[0] != "°" and unicodedata.category(text[0]) == "So":
            text = text[1:]
        while text and text[-1] != "°" and unicodedata.category(text[-1]) == "So":
            text = text[:-1]
        for pair in ("()", "[]", "{}"):
            if text[-1:] == pair[1] and pair[0] not in text:
                text = text[:-1]
            inner = text[1:-1]
            if (
                text[:1] == pair[0]
                and text[-1:] == pair[1]
                and not (len(inner) == 1 and inner.isalpha() and pair != "{}")
                and not set(pair) & set(inner)
            ):
                text = inner
    return text


def rest_after(pattern: re.Pattern[str], text: str) -> str:
    """Return the text after a prefix that matches the pattern; all of it if there is no match."""
    result = pattern.match(text)
    return text[result.end() :] if result else text


def plain_text(text: str) -> str:
    """Return the text in lower case, without surrounding punctuation and a leading article."""
    text = re.sub(r"(?<=\w)[-‐‑](?=\w)", " ", unmarked(text.lower()))
    return ARTICLE.sub("", text, count=1) if ARTICLE.match(text) else text
