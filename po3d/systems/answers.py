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

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from po3d.benchmarks.choices import gapped
from po3d.language.grammar import load
from po3d.reasoning.questions import Prediction, Question
from po3d.systems.answer_choice import NO_OPTION, option_of, spelled_as_options
from po3d.systems.answer_fields import answer_field
from po3d.systems.chinese_answers import in_chinese, translated
from po3d.systems.response_text import (
    AROUND,
    BOLD,
    CORRECTED,
    HOWEVER,
    LABEL,
    LAST,
    NO_ANSWER,
    PREFACE,
    SHORT,
    cleaned,
    expressions,
    normal,
    plain_text,
    rest_after,
    unmarked,
)
from po3d.systems.typed_answers import (
    VALUE,
    free_answer,
    question_kind,
    simple,
    typed,
    without_question,
)

SENTENCE = 3  # words of a count or a verdict beyond which it is a sentence without one
LONGEST = 2000  # characters of a candidate
UNDECIDED = "no option"  # rule name if the response matches no option, or several

_I, _IS = re.IGNORECASE, re.IGNORECASE | re.DOTALL
_WORDINGS = load("answers", "patterns")
_REFUSAL, _STATED, _HEADING, _SECTION, _VAGUE, _ADVERBIAL = expressions(
    "refusal stated heading section vague adverbial"
)
_HYPOTHETICAL, _SUPPOSED, _OF_OTHERS, _DOUBT = expressions("hypothetical supposed of_others doubt")
_VERDICT = _WORDINGS.expression("option_verdict", _I)

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
# excludes the dots in "B. left" and "i.e."
_SENTENCE_END = re.compile(r"(?<!\b[A-H])(?<!\.\.)(?<!\bi\.e)(?<!\be\.g)[.;!?](?=\s|$)")
_JSON_START = re.compile(
    r"\s*[\[(]?\s*\{\s*[\"'][\w -]+[\"']\s*:"
)  # a line of JSON is not an answer

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
    extracted = _extract(text, options, cut, question)
    unread = extracted.rule == UNDECIDED if options else in_chinese(extracted.answer)
    if unread and in_chinese(text) and not (cut and "\n" in text):
        english = translated(text, options)
        return extracted if english is None else _extract(english, options, cut, question)
    return extracted


def _extract(text: str, options: Sequence[str], cut: bool, question: str) -> Extracted:
    """Return the answer in a cleaned response."""
    if not text.strip(AROUND):
        return Extracted(None, "refusal")
    head = _NEXT_TURN.split(text)[0]  # the model continued with a question of its own
    if head != text and len(head.split()) <= SHORT and unmarked(head):
        text = head
    if len(set(text.split())) == 1:  # one word, over and over
        text = text.split()[0]
    text = _DOUBT.sub("", text)
    if options:
        text = _OF_OTHERS.sub(" ", text)
        text = text if _SUPPOSED.search(question) else _HYPOTHETICAL.sub(" ", text)
        if not text.strip(AROUND):
            return Extracted(None, UNDECIDED)
    text = spelled_as_options(text, options)
    for _ in range(LAST):
        matched = _matched(text, options, cut, question)
        if not isinstance(matched, int):
            return matched
        text = text[matched:]
    return Extracted(None, UNDECIDED)


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
            answer = free_answer(candidate)
            if answer and question:
                answer = without_question(answer, question)
            if answer and kind != VALUE and len(answer.split()) > SENTENCE:
                continue
            if answer and not NO_ANSWER.fullmatch(answer):
                return Extracted(answer, name)
            continue
        number = option_of(candidate, offered, rule, question)
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
        value = None if listed or rule == "whole" else simple(free_answer(candidate), kind)
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
        last = None
        for m in pattern.finditer(text):
            if (m[m.lastindex] if m.lastindex else "").strip(AROUND):
                last = m
        if last is not None:
            yield last.end(), _ANY_TAG.sub(" ", last[last.lastindex][:LONGEST]), rule
        plain = pattern.sub(_blank, plain)
    end, value = answer_field(text)
    if value is not None:
        yield end, value[:LONGEST], "field"
    plain = _ANY_TAG.sub(_blank, plain)
    for end, value in _statements(plain)[:LAST]:
        yield end, value[:LONGEST], "stated"
    judged, true, others = set(), set(), []
    for line in plain.split("\n"):
        verdict = _VERDICT.match(line) if choice else None
        if verdict is None:
            others.append(line)
            continue
        judged.add(verdict[1].upper())
        if verdict["yes"]:
            true.add(verdict[1].upper())
    if len(judged) > 1:  # "A: incorrect", "B: correct"
        if len(true) == 1:
            yield len(plain), true.pop(), "stated"
        plain = "\n".join(others)
    if _REFUSAL.match(plain):
        rest = HOWEVER.split(plain)
        if len(rest) > 1 and len(rest[-1].split()) <= SHORT // 2:
            yield len(plain), rest[-1], "first"
        yield len(plain), "", "refusal"
    for line in _lines(plain, choice):
        yield len(plain), *line
    yield len(plain), "\n".join(_without_items(plain.split("\n"))), "whole"


def _blank(result: re.Match[str]) -> str:
    """Return a line break and spaces of equal length, to keep the positions."""
    return "\n" + " " * (len(result[0]) - 1)


def _statements(text: str) -> list[tuple[int, str]]:
    """Return (end, text) of the statements of an answer, the last one first."""
    result: list[tuple[int, int, str]] = []
    for m in _STATED.finditer(text):
        whole = text[m.end() : m.end() + LONGEST]
        rest = whole.lstrip("* \t\r\n:")
        line = rest.partition("\n")[0]
        value = _SENTENCE_END.split(line)[0] if not CORRECTED.search(line) else line
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
    lines = []
    for line in text.splitlines():
        if line.strip(AROUND + "-="):
            lines.append(line.strip())
    labels, unlabelled = set(), []
    for line in lines:
        label = LABEL.match(line.replace("**", "").strip("*_ ") + " ")
        if label and (label[4] or "").strip(AROUND):
            labels.add((label[1] or label[2] or label[3]).upper())
        else:
            unlabelled.append(line)
    if len(labels) > 1:  # the options are repeated
        lines = unlabelled or lines
    lines = _without_items(lines) or ([] if choice else lines)
    unlisted = list(itertools.filterfalse(_LISTED_LINE.match, lines))
    if not choice and len(lines) > len(unlisted) + 1:
        lines = unlisted or lines
    retained = list(itertools.filterfalse(_prefatory, lines))
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
        elif any(not PREFACE.fullmatch(line) for line in lines) and (choice or len(lines) == 1):
            yield lines[-1], "short"
        return
    if len(retained) == 1:
        yield retained[0], "short"
        return
    first, last = retained[0], retained[-1]
    bold = BOLD.findall(last)
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
    rest = []
    for line in lines:
        if not _ITEM.match(line.strip()):
            rest.append(line)
    return rest if len(lines) > len(rest) + 1 else lines


def _ends(first: str, last: str) -> Iterator[tuple[str, str]]:
    """Yield the first line, if its letter or content is an answer by itself, and the last one; two
    different letters do not count as an answer."""
    letters = list(map(_letter, (first, last)))
    if None not in letters and letters[0] != letters[1]:
        yield "", "short"
        return
    if len(first.split()) <= SHORT:
        yield first, "first"
    yield last, "short"


def _letter(line: str) -> str | None:
    label = LABEL.match(unmarked(line) + ("." if len(unmarked(line)) == 1 else ""))
    return (label[1] or label[2] or label[3]).upper() if label else None


def _prefatory(line: str) -> bool:
    """Whether a line only introduces an answer: a heading, "Okay.", "Looking at the image:"."""
    bare = line.strip("*_# ")
    return (
        line.endswith(":")
        or bare.endswith(":")
        or bool(_SECTION.fullmatch(line) or PREFACE.fullmatch(line))
    )


def _bare(line: str) -> bool:
    return len(line.split()) <= SHORT


def _sentence(line: str) -> bool:
    return len(line.split()) >= 4 and line.rstrip("*_ ")[-1:] in ".!?"
