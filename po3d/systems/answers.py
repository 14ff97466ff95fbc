"""The short answer inside what a language model wrote: one extractor for every model, so that rows compare.

A response is read by the first of these rules that finds something; the rule's name is kept beside the answer:

refusal     nothing is said, an error message of the harness, or "Sorry, I can't ...": no answer
tag         <answer>...</answer>, the last one; what stands in <think>...</think> is never looked at
boxed       \\boxed{...}, the last one
field       a field "Answer" of JSON or of what looks like it, the last one
stated      "the answer is ...", "Answer: ...", the last one, up to the end of its sentence
short       a response of one line, or whose first or else last line has at most SHORT words: that line
whole       everything; the scorers will hardly find it right

Then it is tidied: marks, quotes and markup around it, a leading article; "(B) left" and "B. left" become "left";
"Yes, there is one" becomes "yes" and a lone number word its digits. With options (multiple choice) it becomes the
option that it means: by its letter, by its content, by a letter in brackets or behind "option", "choose" and the like, by
the only one that it mentions, or by the only letter that stands alone in a few words ("So it is B."); else there is no
answer. Where the harnesses read a choice otherwise is told by examples in docs/compare.md.

Nothing here knows the right answer.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from po3d.language.grammar import load
from po3d.reasoning.questions import Prediction, Question

SHORT = 8  # words; the longest answers of the benchmarks have about six
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL | re.IGNORECASE)
_EMPTY_TAG = re.compile(r"</?answer>", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}")
_FIELD = re.compile(
    r"""["']\w*answer["']\s*:\s*(?:"((?:[^"\\]|\\.)*)"|'(.*?)'\s*(?:[,}\n]|\Z)|([^\s,}"']+))""", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<!\b[A-H])[.;!?](?=\s|$)")  # not the dot of "B. left"
_LABEL = re.compile(r"(?:[(\[]([A-Ha-h])[)\]]|([A-H])[.):])(?:\s+(.*)|\s*)$", re.DOTALL)
_BRACKETED = re.compile(r"[(\[]([A-H])[)\]]")
_LATEX_TEXT = re.compile(r"\\(?:text|mathrm|mathbf)\{([^{}]*)\}")
_WORDINGS = load("answers", "patterns")
_NUMBERS = _WORDINGS.wordings("number")
_REFUSAL, _STATED, _DENIED, _YES_NO, _ARTICLE = (
    _WORDINGS.expression(key, re.IGNORECASE) for key in ("refusal", "stated", "denied", "yes_no", "article")
)
_LETTER, _ALONE, _NAMED = map(_WORDINGS.expression, ("letter", "chosen", "named"))
_AROUND = " \t\r\n*_`\"'“”‘’.,;:!?"


class Extracted(NamedTuple):
    """An answer, or None, and the rule that found it, or found none."""

    answer: str | None
    rule: str


def extract(response: str, options: Sequence[str] = ()) -> Extracted:
    """The answer of a response by the rules above; `options` are the texts of A, B, C ..."""
    text = _THINKING.sub(" ", response)
    if _REFUSAL.match(text):
        return Extracted(None, "refusal")
    found, rule = _found(text)
    answer = _choice(found, text if rule == "whole" else found, options) if options else _tidy(found)
    return Extracted(answer or None, rule if answer else "refusal" if not options else "no option")


def predicted(question: Question, response: str, cut: bool = False) -> Prediction:
    """The prediction that a model's response is; `cut`: the response was too long and ends in the middle."""
    found = extract(response, [str(option) for option in question.options])
    if found.answer is None:
        why = f"no answer in the response: {found.rule}{', cut off at max_tokens' if cut else ''}"
        return Prediction(question.id, "abstained", reason=why)
    return Prediction(question.id, "ok", found.answer)


def _found(text: str) -> tuple[str, str]:
    for rule, pattern in (("tag", _TAG), ("boxed", _BOXED), ("field", _FIELD)):
        groups = [next((g for g in m.groups() if g is not None), "") for m in pattern.finditer(text)]
        if groups := [g for g in groups if g.strip(_AROUND)]:
            return groups[-1], rule
    text = _EMPTY_TAG.sub(" ", text)
    if stated := [m.end() for m in _STATED.finditer(text)]:
        line = text[stated[-1] :].lstrip("* \t\r\n").partition("\n")[0]
        return _SENTENCE_END.split(line)[0], "stated"
    lines = [line for line in text.splitlines() if line.strip(_AROUND)]
    if len(lines) == 1:
        return lines[0], "short"
    for line in (lines[0], lines[-1]) if lines else ():
        if len(line.split()) <= SHORT:
            return line, "short"
    return text, "whole"


def _tidy(found: str) -> str:
    text = _stripped(_LATEX_TEXT.sub(r"\1", found))
    label = _LABEL.match(text + ("." if len(text) == 1 else ""))
    if label and (label[3] or "").strip(_AROUND):
        text = _stripped(label[3])
    elif label:
        return (label[1] or label[2]).upper()
    if yes_no := _YES_NO.match(text):
        return yes_no[1].lower()
    text = _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text
    return str(_NUMBERS.index(text.lower())) if text.lower() in _NUMBERS else text


def _choice(found: str, everything: str, options: Sequence[str]) -> str | None:
    """The option that is meant; None for none of them or several."""
    letters, everything = "ABCDEFGH"[: len(options)], " ".join(everything.split())
    text = _stripped(_LATEX_TEXT.sub(r"\1", found))
    label = _LABEL.match(text + ("." if len(text) == 1 else ""))
    letter = (label[1] or label[2]).upper() if label else text.upper() if len(text) == 1 else ""
    if letter and letter in letters:
        return options[letters.index(letter)]
    plain = [_plain(option) for option in options]
    if _plain(text) in plain:
        return options[plain.index(_plain(text))]
    for read in (text, everything):
        if letter := _only(_BRACKETED, read, letters):
            return options[letters.index(letter)]
    said_so = not _DENIED.search(everything)
    if said_so and (letter := _only(_NAMED, everything, letters)):
        return options[letters.index(letter)]
    mentioned = [
        k for k, option in enumerate(plain) if re.search(rf"\b{re.escape(option)}\b", _plain(everything))
    ]
    # An option inside another one ("bus" in "school bus") is not mentioned by itself.
    mentioned = [k for k in mentioned if not any(plain[k] in plain[j] for j in mentioned if j != k)]
    few = said_so and not mentioned and len(text.split()) <= SHORT
    if few and _only(_LETTER, text, letters) and (letter := _only(_ALONE, text, letters)):
        return options[letters.index(letter)]
    return options[mentioned[0]] if len(mentioned) == 1 else None


def _only(pattern: re.Pattern[str], text: str, letters: str) -> str | None:
    """The one of the letters that the pattern finds; None for none of them or several."""
    found = {letter for letter in pattern.findall(text) if letter in letters}
    return found.pop() if len(found) == 1 else None


def _stripped(text: str) -> str:
    """The text without what stands around it; a bracket of "(B) left" stays."""
    return " ".join(text.strip(_AROUND).split())


def _plain(text: str) -> str:
    return (
        _ARTICLE.sub("", _stripped(text.lower()), count=1)
        if _ARTICLE.match(_stripped(text))
        else _stripped(text.lower())
    )
