"""Extract the short answer from a language model's response.

There is one extractor for all models, so that their results are comparable.

A response is cleaned (thinking, stop tokens, invisible characters), then the rules below are tried
in this order. A rule without a result does not end the search; the name of the successful rule is
returned with the answer.

tag         `<answer>...</answer>` and similar tags, the last one
boxed       `\\boxed{...}`, the last one
field       a field "Answer" of JSON or similar text, the last one
stated      "the answer is ...", "Answer: ...", the line below a heading "Answer", the last one
refusal     no text, an error message of the harness, or "Sorry, I can't ...": no answer
short       a response of one line; else a short first line, or the last line
whole       the whole response

With options (multiple choice) a text refers to an option by its letter, its exact content, a letter
in brackets or after "option", "choose" and the like, by content at its start, or by the only option
that it mentions and does not negate. "N/A", "none of the above", letters without an option and
letters with the content of another option are explicit answers that match no option: after them
only the following text is searched. docs/lmm.md has the rules as a
table with examples. The gold answer is never used.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from po3d.benchmarks.choices import LETTERS, gapped
from po3d.language.grammar import load
from po3d.reasoning.questions import Prediction, Question
from po3d.systems.chinese_answers import in_chinese, translated
from po3d.systems.response_text import (
    AROUND,
    cleaned,
    normal,
    plain_text,
    rest_after,
    unlatexed,
    unmarked,
)
from po3d.systems.typed_answers import VALUE, question_kind, simple, typed, without_question

SHORT = 8  # words of a short line; the longest answers of the benchmarks have about six
SENTENCE = 3  # words of a count or a verdict beyond which it is a sentence without one
LONGEST = 2000  # characters of a candidate
NEAR = 200  # characters beside a letter that may name its content
LAST = 8  # number of statements tried, from the last one back
UNDECIDED = "no option"  # rule name if the response matches no option, or several
YES_NO = ("yes", "no")
NO_OPTION = -1  # an explicit answer that matches no option

_I, _IS = re.IGNORECASE, re.IGNORECASE | re.DOTALL
_WORDINGS = load("answers", "patterns")
_NUMBERS = _WORDINGS.wordings("number")
_REFUSAL, _STATED, _DENIED, _YES_NO, _ARTICLE, _NO_ANSWER, _PREFACE, _HEADING, _SECTION, _REASON = (
    _WORDINGS.expression(key, _I)
    for key in (
        "refusal",
        "stated",
        "denied",
        "yes_no",
        "article",
        "no_answer",
        "preface",
        "heading",
        "section",
        "reason",
    )
)
(
    _VAGUE,
    _CORRECTED,
    _CONCLUDING,
    _COUNT,
    _GOVERNED,
    _REJECTED,
    _JOINED,
    _OPEN,
    _HOWEVER,
    _LABELLED,
    _REASON_NEXT,
    _GOES_ON,
    _LIST_END,
    _WRONG_BEHIND,
    _ADVERBIAL,
) = (
    _WORDINGS.expression(key, _I)
    for key in (
        "vague",
        "corrected",
        "concluding",
        "count",
        "governed",
        "rejected",
        "joined",
        "open",
        "however",
        "labelled",
        "reason_next",
        "goes_on",
        "list_end",
        "wrong_behind",
        "adverbial",
    )
)
_NAMED, _RIGHT, _GUESS, _WRONG, _REMAINING, _LETTER = map(
    _WORDINGS.expression, ("named", "right", "guess", "wrong", "remaining", "letter")
)

_BRACES = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_NEXT_TURN = re.compile(r"\n\s*(?:question|q|user|human|instruction)\s*:", _I)

# --- positions of answers -------------------------------------------------------------------------

_ANSWER_TAG = r"(?:(?:final|short)?[ _-]*answer|ans|conclusion|choice|option|final|solution)"
_TAG = re.compile(
    rf"<{_ANSWER_TAG}>(.*?)(?:</{_ANSWER_TAG}>|\Z)|\[answer\](.*?)(?:\[/answer\]|\Z)"
    r"|<\|begin_of_box\|>(.*?)(?:<\|end_of_box\|>|\Z)",
    _IS,
)
_ANY_TAG = re.compile(rf"</?{_ANSWER_TAG}>|\[/?answer\]|<\|(?:begin|end)_of_box\|>", _I)
_BOXED = re.compile(r"(?:\\|\x08)?boxed\s*" + _BRACES + r"|\\framebox\s*" + _BRACES)
_KEY = (
    r"[\"']?[\w -]{0,20}\banswer[\w"
    r" ]{0,12}[\"']?|[\"'](?:choice|option|prediction|letter|result|response|output)[\"']"
)
_FIELD = re.compile(
    rf"(?:[{{,\n]\s*|(?=[\"']))(?<!\w)(?:{_KEY})\s*:\s*"
    r"(?:\[?\s*\"((?:[^\"\\]|\\.)*)(?:\"|\Z)|\[?\s*'(.*?)'\s*(?:[\],}\n]|\Z)|([^\s,}\"'\[{][^,}\"'\n]*)(?=[,}\n]|\Z))",
    _I,
)
_JSON = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
_ANSWER_KEY = re.compile(
    r"(?:.*[_ -])?answer(?:[_ -].*)?"
    r"|(?:(?:final|selected|chosen|correct|best|my|predicted)[_ -]?)?"
    r"(?:choice|option|prediction|letter|result|response|output)",
    _I,
)
_REASON_KEY = re.compile(
    r".*(?:reason|explan|analy|thought|think|confiden|probab|descri|justif|step|evidence).*", _I
)
_NUMBERED = re.compile(r"^1[.)]\s+(?=[a-z]+(?:\s[a-z]+){0,2}$)")  # a list with a single item
_BOLD = re.compile(r"\*\*([^*\n]+?)\*\*(?!\s*:)")
# excludes the dots in "B. left" and "i.e."
_SENTENCE_END = re.compile(r"(?<!\b[A-H])(?<!\.\.)(?<!\bi\.e)(?<!\be\.g)[.;!?](?=\s|$)")
_JSON_START = re.compile(r"\s*[\[(]?\s*\{\s*[\"'][\w -]+[\"']\s*:")  # a line of JSON is no answer
_FIRST_SENTENCE = re.compile(r"([^.!?;]{1,40})[.!?;]\s+(?=\S)")

# --- letters --------------------------------------------------------------------------------------

_LABEL = re.compile(
    r"(?:[(\[]([A-Za-z])[)\]]|([A-Z])[.):]|([a-h])[.)])(?:\s*(?![\w.\\/])|\s+)(.*)$", re.DOTALL
)
_LEADING = re.compile(
    r"([A-H])(?:\s*[,;!?(]|\s*\.{2,}|\s+[-–—]|\s*[–—]|\s+(?=(?:because|as|since)\b))\s*(.*)$",
    re.DOTALL,
)
_SPACED_LETTER = re.compile(r"[A-H]\s")
_BRACKETED = re.compile(r"(?<![\w)])[(\[]([A-H])[)\]]")
_SEVERAL = re.compile(r"[,;]\s*(?:(?:and|or)\s+)?[(\[]?[A-H][)\].:]\s")  # a list of options
_TWO = re.compile(
    r"(?<![\w'])[A-H](?:\s*(?:,|/|&|\+|\band\b|\bor\b)\s*[A-H](?![\w'])|\s+or\b)|\bor\s+[A-H](?![\w'])"
)
_MORE = re.compile(
    r"\W*(?:(?:and|or|nor|maybe|perhaps|possibly)\b|[/&+]|(?:[(\[])?[A-H](?:[)\]?]|\W*$|\s*(?:,|and\b|or\b|/)))"
)
_CLAUSE = re.compile(r"[,.!?;:\n]|\bbut\b", _I)
_THAT_IS = _WORDINGS.expression("that_is", _IS)
_COMPARISON, _SO, _BETWEEN = (
    _WORDINGS.expression(key, _I) for key in ("comparison", "so", "between")
)
_NO_NOUN = _WORDINGS.expression("no_noun").pattern
_PLACES = _WORDINGS.wordings("place_word")  # options of places have no head noun
_NO_COMPARATIVES = _WORDINGS.wordings("no_comparative")
_COMPARATIVES = {"farther": "further", "nearer": "closer"}
# "Image 3", "the 3rd image" for options such as "Third Image"
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_ORDINAL_OPTION = re.compile(rf"({'|'.join(_ORDINALS)}) (\w+)", _I)
# "behind and to the left" for options such as "behind-left"
_DIAGONAL_OPTION = re.compile(r"(front|behind)[ -](left|right)", _I)
_DIAGONAL = _WORDINGS.expression("diagonal", _I)
_CJK_NUMBERS = "零一二三四五六七八九十"
_LISTED_LINE = re.compile(r"\d{1,2}[.)]\s+\S")
_ITEM = re.compile(  # "- First Image: right"
    r"[-*•–]\s{1,4}[*_\"']{0,3}(?!(?:\w+ )?(?:answer|choice|option|conclusion|verdict|result)\b)"
    r"\w[\w' -]{0,39}[*_\"')]{0,3}:[*_]{0,3}\s{1,4}\S",
    _I,
)
_COMPLETE = re.compile(r".*[.!?)*\]}]\s*|\S+(?:\s+\S+){0,2}\s*", re.DOTALL)
_DANGLING = re.compile(r"\b(?:is|are|the|an?|of|to|and|or|by|because|as)\s*$", _I)


class Extracted(NamedTuple):
    """An answer, or None, and the name of the rule that decided."""

    answer: str | None
    rule: str


def extract(
    response: str, options: Sequence[str] = (), cut: bool = False, question: str = ""
) -> Extracted:
    """Return the answer in a response by the rules above. `options`: texts of A, B, C ..., "" for a
    gap. `cut`: the response was truncated at the length limit, so only an answer that it states or
    begins with counts. `question`: its text, by which sentences are read (`typed_answers`)."""
    text = cleaned(response)
    found = _extract(text, options, cut, question)
    unread = found.rule == UNDECIDED if options else in_chinese(found.answer)
    if unread and in_chinese(text) and not (cut and "\n" in text):
        english = translated(text, options)
        return found if english is None else _extract(english, options, cut, question)
    return found


def _extract(text: str, options: Sequence[str], cut: bool, question: str) -> Extracted:
    """Return the answer in a cleaned response."""
    if not text.strip(AROUND):
        return Extracted(None, "refusal")
    head = _NEXT_TURN.split(text)[0]  # the model continued with a question of its own
    if head != text and len(head.split()) <= SHORT and unmarked(head):
        text = head
    if len(set(text.split())) == 1:  # one word, over and over
        text = text.split()[0]
    text = _spelled_as_options(text, options)
    for _ in range(LAST):
        matched = _matched(text, options, cut, question)
        if not isinstance(matched, int):
            return matched
        text = text[matched:]
    return Extracted(None, UNDECIDED)


def _spelled_as_options(text: str, options: Sequence[str]) -> str:
    """Return the text with "Image 3" and "behind and to the left" spelled like the options, if all
    options are ordinals of one noun, or diagonal directions."""
    filled = [option for option in options if option]
    ordinals = [_ORDINAL_OPTION.fullmatch(option) for option in filled]
    if filled and all(ordinals) and len(nouns := {m[2].lower() for m in ordinals if m}) == 1:
        noun = nouns.pop()
        number = rf"\b{noun}s? ?(?:no\.? ?|number |#)?([1-{len(options)}])\b(?!°)"
        place = rf"\b([1-{len(options)}])(?:st|nd|rd|th) {noun}\b"
        listed = rf"\b{noun}s ((?:[1-{len(options)}],? ?(?:and |or |& ?)?)+)"
        text = re.sub(listed, lambda m: re.sub(r"(\d)", rf"{noun} \1", m[1]), text, flags=_I)
        return re.sub(
            rf"{number}|{place}",
            lambda m: f"{_ORDINALS[int(m[1] or m[2]) - 1]} {noun}",
            text,
            flags=_I,
        )
    if filled and all(map(_DIAGONAL_OPTION.fullmatch, filled)):
        return _DIAGONAL.sub(r"\1-\2", text)
    return text


def _matched(text: str, options: Sequence[str], cut: bool, question: str) -> Extracted | int:
    """Return the answer in a cleaned text, or the position after an explicit answer that matches no
    option."""
    kind = question_kind(question) if question else VALUE
    candidates = list(_candidates(text, bool(options)))
    if not options and kind != VALUE and (result := _typed(text, kind, question, cut, candidates)):
        return result
    offered = [plain_text(normal(option)) for option in options]
    for end, candidate, rule in candidates:
        if rule == "refusal":
            return Extracted(None, rule)
        if cut and (rule == "whole" or (rule == "short" and not options and not _bare(candidate))):
            continue
        if cut and rule == "short" and _incomplete(candidate, "\n" in text):
            continue
        if rule in ("first", "short", "whole") and _JSON_START.match(candidate):
            continue
        rule = "first" if cut and rule == "short" else rule
        name = "short" if rule == "first" else rule
        if not options:
            answer = _free(candidate)
            if answer and question:
                answer = without_question(answer, question)
            if answer and kind != VALUE and len(answer.split()) > SENTENCE:
                continue
            if answer and not _NO_ANSWER.fullmatch(answer):
                return Extracted(answer, name)
            continue
        number = _choice(candidate, offered, rule, question)
        if number == NO_OPTION and rule == "first":
            continue
        if number == NO_OPTION:
            return max(end, 1) if rule != "whole" else Extracted(None, UNDECIDED)
        if number is not None:
            return Extracted(options[number], name)
    return Extracted(None, UNDECIDED if options else "refusal")


def _incomplete(line: str, last: bool) -> bool:
    """Whether the last line of a truncated response, or its only one, is part of a sentence."""
    return bool(_DANGLING.search(line)) or (last and not _COMPLETE.fullmatch(line))


def _typed(
    text: str, kind: str, question: str, cut: bool, candidates: Sequence[tuple[int, str, str]]
) -> Extracted | None:
    """Return the count, "yes" or "no" in a cleaned text; None if no rule finds one."""
    for _, candidate, rule in candidates:
        listed = rule == "short" and "\n" in text and _LISTED_LINE.match(candidate)
        value = None if listed or rule == "whole" else simple(_free(candidate), kind)
        if value is None and rule != "short" and not (cut and rule == "whole"):
            candidate = text if rule == "refusal" else candidate
            value = typed(candidate, kind, question)
        if rule == "refusal" and value not in ("0", "no"):
            return Extracted(None, rule)
        if value is not None:
            name = "sentence" if rule in ("whole", "refusal") else rule
            return Extracted(value, name) if value else Extracted(None, UNDECIDED)
    return None


def predicted(question: Question, response: str, cut: bool = False) -> Prediction:
    """Return a response as a prediction; `cut` as in `extract`."""
    extracted = extract(response, gapped(question), cut, question.text)
    if extracted.answer is None:
        why = (
            f"no answer in the response: {extracted.rule}{', cut off at max_tokens' if cut else ''}"
        )
        return Prediction(question.id, "abstained", reason=why)
    return Prediction(question.id, "ok", extracted.answer)


# --- candidates -----------------------------------------------------------------------------------


def _candidates(text: str, choice: bool) -> Iterator[tuple[int, str, str]]:
    """Yield (end, text, rule) of candidates, most explicit first; `end` is the position after the
    candidate."""
    plain = text
    for rule, pattern in (("tag", _TAG), ("boxed", _BOXED)):
        result = [
            (m, next((g for g in m.groups() if g is not None), "")) for m in pattern.finditer(text)
        ]
        filled = [(m, group) for m, group in result if group.strip(AROUND)]
        if filled:
            m, group = filled[-1]
            yield m.end(), _ANY_TAG.sub(" ", group[:LONGEST]), rule
        plain = pattern.sub(_blank, plain)
    end, value = _field(text)
    if value is not None:
        yield end, value[:LONGEST], "field"
    plain = _ANY_TAG.sub(_blank, plain)
    for end, value in _statements(plain)[:LAST]:
        yield end, value[:LONGEST], "stated"
    if _REFUSAL.match(plain):
        rest = _HOWEVER.split(plain)
        if len(rest) > 1 and len(rest[-1].split()) <= SHORT // 2:
            yield len(plain), rest[-1], "first"
        yield len(plain), "", "refusal"
    for line in _lines(plain, choice):
        yield len(plain), *line
    yield len(plain), "\n".join(_without_items(plain.split("\n"))), "whole"


def _blank(result: re.Match[str]) -> str:
    """Return a line break and spaces of equal length, to keep the positions."""
    return "\n" + " " * (len(result[0]) - 1)


def _field(text: str) -> tuple[int, str | None]:
    """Return the end and the value of the last answer field."""
    if "{" not in text and "'" not in text and '"' not in text:
        return 0, None
    for result in reversed(list(_JSON.finditer(text))[-LAST:]):
        try:
            content = json.loads(result[0])
        except (ValueError, RecursionError):
            continue
        keys = [key for key in content if _ANSWER_KEY.fullmatch(key.strip())]
        others = [key for key in content if not _REASON_KEY.fullmatch(key)]
        keys = keys or (others if len(others) == 1 else [])  # {"count": 3}
        keys.sort(key=_rank)
        if keys:
            value = _value(content[keys[-1]])
            texts = [
                _value(content[k]) for k in keys if k.lower().endswith(("text", "content", "value"))
            ]
            if len(value) == 1 and value.isalpha() and len(texts) == 1:
                value = f"{value}. {texts[0]}"  # a letter and the content of its option
            return result.end(), value
    fields = list(_FIELD.finditer(text))
    if not fields:
        return 0, None
    result = fields[-1]
    value = next((g for g in result.groups() if g is not None), "")
    if result[3] is not None:
        value = {"true": "yes", "false": "no", "null": ""}.get(value.strip().lower(), value)
    return result.end(), value or None


def _rank(key: str) -> tuple[bool, ...]:
    """Return the sorting key of a field's name: the last one is the answer."""
    key = key.lower()
    return "answer" in key, not key.endswith(("text", "content", "value")), "final" in key


def _value(value: object) -> str:
    """Return a JSON value as text; several values as a list."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        value = list(value.values())[:1]
    if isinstance(value, list):
        return ", ".join(_value(part) for part in value)
    return "N/A" if value is None or value == "" else str(value)


def _statements(text: str) -> list[tuple[int, str]]:
    """Return (end, text) of the statements of an answer, the last one first."""
    result: list[tuple[int, int, str]] = []
    for m in _STATED.finditer(text):
        whole = text[m.end() : m.end() + LONGEST]
        rest = whole.lstrip("* \t\r\n:")
        line = rest.partition("\n")[0]
        value = _SENTENCE_END.split(line)[0] if not _CORRECTED.search(line) else line
        if not _VAGUE.match(value.lstrip(AROUND)):
            result.append((m.end() + len(whole) - len(rest) + len(value), m.start(), value))
    place, heading = 0, False
    for line in text.splitlines(keepends=True):
        if heading and line.strip(AROUND + "-="):
            result.append((place + len(line), place, line))
            heading = False
        if len(line) < 60 and _HEADING.fullmatch(line.strip()):
            heading = True
        place += len(line)
    return [(end, value) for end, _, value in sorted(result, reverse=True)]


def _lines(text: str, choice: bool) -> Iterator[tuple[str, str]]:
    """Yield the lines that may be the answer: the only one, a short first one, the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip(AROUND + "-=")]
    bare = [line.replace("**", "").strip("*_ ") + " " for line in lines]
    labels = [m for line in bare if (m := _LABEL.match(line)) and (m[4] or "").strip(AROUND)]
    if len({(m[1] or m[2] or m[3]).upper() for m in labels}) > 1:  # the options are repeated
        again = {m.string for m in labels}
        lines = [line for line, b in zip(lines, bare) if b not in again] or lines
    lines = _without_items(lines) or ([] if choice else lines)
    if not choice and sum(bool(_LISTED_LINE.match(line)) for line in lines) > 1:
        lines = [line for line in lines if not _LISTED_LINE.match(line)] or lines
    retained = [line for line in lines if not _prefatory(line)]
    while (
        len(retained) > 1
        and retained[0].endswith(("...", "!"))
        and _bare(retained[-1])
        and not _sentence(retained[-1])
    ):
        retained = retained[1:]
    if not retained:
        if (rest := rest_after(_ADVERBIAL, lines[-1] if lines else "")) and rest != lines[-1]:
            yield rest, "short"
        elif any(not _PREFACE.fullmatch(line) for line in lines) and (choice or len(lines) == 1):
            yield lines[-1], "short"
        return
    if len(retained) == 1:
        yield retained[0], "short"
        return
    first, last = retained[0], retained[-1]
    bold = _BOLD.findall(last)
    if len(bold) == 1:
        last = bold[0]
    if choice:
        yield from _ends(first, last)
        return
    if _bare(first) and not (_sentence(first) and _bare(last)):
        yield first, "short"
    elif _bare(last) or bold:
        yield last, "short"


def _without_items(lines: list[str]) -> list[str]:
    """Remove a list of remarks on several things ("- First Image: ..."), if more is left."""
    rest = [line for line in lines if not _ITEM.match(line.strip())]
    return rest if len(lines) > len(rest) + 1 else lines


def _ends(first: str, last: str) -> Iterator[tuple[str, str]]:
    """Yield the first line, if its letter or content is an answer by itself, and the last one; two
    different letters are no answer."""
    letters = [_letter(line) for line in (first, last)]
    if None not in letters and letters[0] != letters[1]:
        yield "", "short"
        return
    if len(first.split()) <= SHORT:
        yield first, "first"
    yield last, "short"


def _letter(line: str) -> str | None:
    label = _LABEL.match(unmarked(line) + ("." if len(unmarked(line)) == 1 else ""))
    return (label[1] or label[2] or label[3]).upper() if label else None


def _prefatory(line: str) -> bool:
    """Whether a line only introduces an answer: a heading, "Okay.", "Looking at the image:"."""
    bare = line.strip("*_# ")
    return (
        line.endswith(":")
        or bare.endswith(":")
        or bool(_SECTION.fullmatch(line) or _PREFACE.fullmatch(line))
    )


def _bare(line: str) -> bool:
    return len(line.split()) <= SHORT


def _sentence(line: str) -> bool:
    return len(line.split()) >= 4 and line.rstrip("*_ ")[-1:] in ".!?"


# --- free-form answers ----------------------------------------------------------------------------


def _free(result: str) -> str | None:
    """Strip punctuation, label, article, preface and reason from an answer; None if nothing
    remains."""
    text = unlatexed(result)
    bold = _BOLD.findall(text)
    phrase = re.fullmatch(r"\W*\*\*[^*]+\*\*\s+\w+(?:\s\w+)?\W*", text)  # "**red** car"
    if (
        len(bold) == 1
        and not phrase
        and (text.lstrip(" -").startswith("**") or len(text.split()) > 3)
    ):
        text = bold[0]
    text = unmarked(text.replace("**", ""))
    text = (
        unmarked(rest_after(_LABELLED, rest_after(_CONCLUDING, rest_after(_PREFACE, text)))) or text
    )
    text = _NUMBERED.sub("", text)
    if corrected := unmarked(_CORRECTED.split(text)[-1]):
        text = unmarked(rest_after(_CONCLUDING, corrected)) if corrected != text else text
    if _NO_ANSWER.fullmatch(text) or _PREFACE.fullmatch(text):
        return None
    label = _LABEL.match(text + ("." if len(text) == 1 else ""))
    if label and (label[1] or label[2] or label[3]).upper() in LETTERS:
        rest = unmarked(label[4] or "")
        if not rest:
            return (label[1] or label[2] or label[3]).upper()
        text = rest
    if yes_no := _YES_NO.match(text):
        return "no" if yes_no[1].lower()[0] == "n" else "yes"
    if count := _COUNT.fullmatch(text):
        text = next(group for group in count.groups() if group)
    first = _FIRST_SENTENCE.match(text)
    if first and len(first[1].split()) <= 3:
        text = first[1]
    reason = _REASON.search(text)
    if reason and reason.start():
        text = text[: reason.start()]
    text = unmarked(text)
    text = _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text
    if re.fullmatch(r"\d+\.0+", text):
        return text.partition(".")[0]
    if text in tuple(_CJK_NUMBERS):
        return str(_CJK_NUMBERS.index(text))
    if text.lower() == "dozen":
        return "12"
    return str(_NUMBERS.index(text.lower())) if text.lower() in _NUMBERS else text or None


# --- multiple choice ------------------------------------------------------------------------------


def _choice(answer: str, options: Sequence[str], rule: str, question: str) -> int | None:
    """Return the index of the option that a text refers to; NO_OPTION for an explicit answer that
    matches none, None if none or several match. `options`: plain texts. With the rule "first" a
    mere mention does not count."""
    text = unmarked(unlatexed(answer).replace("**", "").replace("__", ""))
    if rule != "whole":
        text = unmarked(rest_after(_PREFACE, text)) or text
    text = _without_list(text, options)
    if (offer := _BETWEEN.match(text)) and len(_named(plain_text(offer[0]), options)) > 1:
        text = text[offer.end() :]
    if (number := _compared(plain_text(text), options, question)) is not None:
        return number
    parts = _CORRECTED.split(text)
    for k in range(len(parts) - 1, max(len(parts) - LAST, 0) - 1, -1):
        number = _meant(unmarked(parts[k]), options, rule)
        if number is not None:
            return number
        if len(behind := _SO.split(parts[k])) > 1:  # "A is higher, so B is lower"
            return _meant(unmarked(behind[-1]), options, "first" if rule == "first" else "short")
        if _DENIED.search(parts[k]) or _WRONG.search(parts[k]):
            return None
    return None


def _without_list(text: str, options: Sequence[str]) -> str:
    """Remove a list of the options from the text, if it has at least two of them with their
    letters."""
    labels = [
        rf"(?<!\w)[(\[]?{letter}[)\].:]\s*(?:the |an? )?{_spaced(option)}(?!\w)[,;.]?"
        for letter, option in zip(LETTERS, options)
        if option
    ]
    listed = [label for label in labels if re.search(label, text, _I)]
    return re.sub("|".join(listed), " ", text, flags=_I) if len(listed) > 1 else text


def _named(plain: str, options: Sequence[str]) -> list[int]:
    """Return the options whose content occurs in a text."""
    return [k for k, o in enumerate(options) if o and re.search(rf"\b{re.escape(o)}\b", plain)]


def _compared(plain: str, options: Sequence[str], question: str) -> int | None:
    """Return the option of "X is further away than Y" if the question asks which one is further."""
    comparison = _COMPARISON.fullmatch(plain)
    named = _named(plain, options)
    if not comparison or len(named) != 2 or _SO.search(plain):
        return None
    question_words = {
        _COMPARATIVES.get(word, word) for word in re.findall(r"\w+", question.lower())
    }
    words = {_COMPARATIVES.get(word, word) for word in comparison[2].split() if word.endswith("er")}
    words.difference_update(_NO_COMPARATIVES)
    if not words:
        return None
    begun = _named(comparison[1], options)
    if len(begun) != 1 or not words & question_words:
        return NO_OPTION
    denied = _DENIED.search(f"{comparison[1]} {comparison[2]}")
    return sum(named) - begun[0] if denied else begun[0]


def _spaced(option: str) -> str:
    """Return a regular expression for an option whose words are separated by spaces or hyphens."""
    return r"[\s-]+".join(map(re.escape, option.split()))


def _meant(text: str, options: Sequence[str], rule: str) -> int | None:
    """Return the option that a text without corrections refers to."""
    concluded = unmarked(rest_after(_CONCLUDING, text))
    for message in (text, concluded):
        number = _label(message, options)
        if number is not None:
            return number
    if _OPEN.search(text):
        *_, rest = _HOWEVER.split(text)
        if rest == text or _OPEN.search(rest):
            return NO_OPTION if rule != "whole" else None
        text = concluded = unmarked(rest)
    wrong = {letter[1] for m in _WRONG.finditer(text) for letter in _LETTER.finditer(m[0])}
    for pattern in (_BRACKETED, _RIGHT, _NAMED, _GUESS, *([_REMAINING] if wrong else [])):
        letters = set()
        for m in pattern.finditer(text):
            start, end = m.span(m.lastindex or 0)
            clause = _CLAUSE.split(text[max(0, start - 100) : start])[-1]
            if pattern is _REMAINING or not _DENIED.search(clause):
                letters.add(text[start:end].upper())
                if _conflicts(text[start:end], text[:start], text[end:], options):
                    return NO_OPTION
        letters -= wrong
        numbers = {n for n in map(LETTERS.index, letters) if n < len(options) and options[n]}
        if len(numbers) == 1:
            return numbers.pop()
        if letters and not numbers and rule != "whole":
            return NO_OPTION
    if rule == "first":
        return _begins(plain_text(concluded), options)
    number = _begins(plain_text(concluded), options)
    if number is None and len(text.split()) <= 2 * SHORT and _TWO.search(text):
        return None
    return _mentioned(plain_text(text), options, rule) if number is None else number


def _label(text: str, options: Sequence[str]) -> int | None:
    """Return the option that equals the text, or whose letter begins it."""
    plain = plain_text(text)
    if plain and plain in options:
        return options.index(plain)
    joined = [option.replace(" ", "") for option in options]
    if plain and joined.count(plain.replace(" ", "")) == 1:  # "mail box"
        return joined.index(plain.replace(" ", ""))
    if _NO_ANSWER.fullmatch(text) or _NO_ANSWER.fullmatch(plain):
        return NO_OPTION
    letter, rest = "", ""
    if len(text.rstrip("/")) == 1 and text.isascii() and text[0].isalpha():
        letter = text[0].upper()
    elif label := _LABEL.match(text):
        letter, rest = (label[1] or label[2] or label[3]).upper(), label[4] or ""
    elif leading := _LEADING.match(text):
        letter, rest = leading[1], leading[2]
    elif _SPACED_LETTER.match(text) and plain_text(text[2:]) in options:
        letter = text[0]
    if not letter or _MORE.match(rest) or _SEVERAL.search(rest) or _WRONG.match(text):
        return None
    if _conflicts(letter, "", rest, options):
        return NO_OPTION
    if letter in LETTERS and (number := LETTERS.index(letter)) < len(options) and options[number]:
        return number
    return NO_OPTION


def _conflicts(letter: str, before: str, behind: str, options: Sequence[str]) -> bool:
    """Whether the content of another option stands behind a letter, or before a letter in
    brackets.
    """
    number = LETTERS.find(letter.upper())
    own = options[number] if 0 <= number < len(options) else ""
    rest = plain_text(behind[:NEAR])
    if own and re.match(rf"{re.escape(own)}(?!\w)", rest):
        return False
    if rest in options or _begins(rest, options) is not None:
        return bool(rest)
    if meaning := _THAT_IS.match(rest):
        return _mentioned(meaning[1], options, "first") not in (None, number)
    if not before.endswith(("(", "[")):
        return False
    head = " " + plain_text(before[-NEAR:-1])
    ends = [option for option in options if option and head.endswith(" " + option)]
    return bool(ends) and own not in ends


def _begins(plain: str, options: Sequence[str]) -> int | None:
    """Return the option whose content begins the text, followed by a reason or punctuation."""
    best = None
    for k, option in enumerate(options):
        begins = option and plain.startswith(option) and _REASON_NEXT.match(plain, len(option))
        if begins and (best is None or len(option) > len(options[best])):
            best = k
    if best is None:
        return None
    rest = rest_after(_ARTICLE, plain[len(options[best]) :].lstrip(" ,;:.!?(-–—"))
    if _GOES_ON.match(rest):
        return None
    for k, option in enumerate(options):
        if k != best and option and rest.startswith(option) and _LIST_END.match(rest, len(option)):
            return None
    return best


def _split_mentions(
    plain: str, mentions: Sequence[tuple[int, int, int]]
) -> tuple[set[int], set[int]]:
    """Return the options that are asserted and those that are denied. `mentions`: sorted (start,
    -end, option)."""
    groups: list[list[tuple[int, int, int]]] = []  # "left, right or front" is a group
    for start, minus_end, k in mentions:
        last = groups[-1][-1][1] if groups else 0
        if groups and -minus_end <= last:
            continue
        if groups and _JOINED.fullmatch(plain, last, start):
            groups[-1].append((start, -minus_end, k))
        else:
            groups.append([(start, -minus_end, k)])
    several = len({k for group in groups for _, _, k in group}) > 1
    result: tuple[set[int], set[int]] = (set(), set())
    for n, group in enumerate(groups):
        start, end = group[0][0], group[-1][1]
        limit = groups[n + 1][0][0] if n + 1 < len(groups) else len(plain)
        before, behind = plain[max(0, start - 60) : start], plain[end : min(end + 30, limit)]
        pattern = _REJECTED if several else _GOVERNED
        denied = pattern.search(before) or _WRONG_BEHIND.match(behind)
        result[bool(denied)].update(k for _, _, k in group)
    return result


def _wordings(option: str) -> str:
    """Return a regular expression for an option or, of "same or similar directions", one of its
    alternatives."""
    both = re.fullmatch(r"(\w+) or (\w+) (\w+)", option)
    parts = (option, f"{both[1]} {both[3]}", f"{both[2]} {both[3]}") if both else (option,)
    return "|".join(map(re.escape, parts))


def _head_nouns(plain: str, options: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the mentions of options by a last word that only one option has: "guitar" for "yellow
    guitar"."""
    words = [option.split() for option in options]
    result = []
    for k, own in enumerate(words):
        others = {word for j, other in enumerate(words) if j != k for word in other}
        if len(own) > 1 and own[0] not in _PLACES and own[-1] not in others:
            found = re.finditer(rf"(?<!\w){re.escape(own[-1])}(?!\w){_NO_NOUN}", plain)
            result += [(m.start(), -m.end(), k) for m in found]
    return result


def _mentioned(plain: str, options: Sequence[str], rule: str) -> int | None:
    """Return the only option that a text mentions and does not negate; for a short text, the only
    option that contains it."""
    mentions = []
    for k, option in enumerate(options):
        end = r"(?=\s*(?:[,.;:!?)]|$))" if option in YES_NO else r"(?!\w)"
        if option:
            occurrences = re.finditer(rf"(?<!\w)(?:{_wordings(option)}){end}", plain)
            mentions += [(m.start(), -m.end(), k) for m in occurrences]
    if not mentions:
        mentions = _head_nouns(plain, options)
    asserted, denied = _split_mentions(plain, sorted(mentions))
    # An option inside another one ("bus" in "school bus") does not count as a mention.
    asserted = {k for k in asserted if not any(options[k] in options[j] for j in asserted - {k})}
    if len(asserted) == 1 and not asserted & denied:
        return asserted.pop()
    if mentions or rule == "whole" or len(plain.split()) > SHORT or _DENIED.search(plain):
        return None
    parts = [k for k, o in enumerate(options) if re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", o)]
    return parts[0] if len(parts) == 1 and len(plain) > 2 else None
