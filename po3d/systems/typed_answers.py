"""Read a free answer as the kind that its question asks for: a count, yes or no, or a value.

The kind comes from the wording of the question, never from the gold answer.

count       "There are no cars." is 0, "I see three cars: ..." is 3, "2 or 3 cars" is no answer
yes or no   "There are no jets." is no, "It does." is yes, a sentence that repeats the question is
            yes, and its negation no
value       "The large bus is red." is "red": what repeats the question's words is removed
"""

import itertools
import re
from collections.abc import Iterator

from po3d.benchmarks.choices import LETTERS
from po3d.language.grammar import load
from po3d.language.programs.street import FILTER_VALUES
from po3d.systems.answer_kinds import ANSWERS, queried_kind
from po3d.systems.response_text import (
    AROUND,
    ARTICLE,
    BOLD,
    CONCLUDING,
    CORRECTED,
    HOWEVER,
    LABEL,
    NO_ANSWER,
    PREFACE,
    expressions,
    rest_after,
    unlatexed,
    unmarked,
)

COUNT, YES_NO, VALUE = "integer", "boolean", "value"
ATTRIBUTES = ("color", "size", "material", "facing")  # their values are known
LONGEST = 400  # characters of a sentence that is read
PHRASE = 3  # words of a value in which a known one is searched: "a bright red"

_I = re.IGNORECASE
_WORDINGS = load("answers", "patterns")
# fmt: off
(
    _AMOUNT, _UNCOUNTED, _ZERO, _RANGE, _COUNTED, _CONCLUSION, _VERDICT, _EXISTS, _LACKING,
    _STUB, _NEGATION, _COPULA, _PADDING, _ADVERBIAL, _OPINION, _DIRECTIONS, _OPEN,
    _REVISED, _ASKS,
) = expressions(
    "amount uncounted zero range counted conclusion verdict exists lacking stub negation "
    "copula padding adverbial opinion directions open revised asks"
)
# fmt: on
_YES_NO, _COUNT, _REASON, _LABELLED = expressions("yes_no count reason labelled")
_NUMBER_WORDS = _WORDINGS.wordings("number")
_HANZI = {**{c: k for k, c in enumerate("零一二三四五六七八九十")}, "两": 2}
_NUMBERED = re.compile(r"^1[.)]\s+(?=[a-z]+(?:\s[a-z]+){0,2}$)")  # a list with a single item
_FIRST_SENTENCE = re.compile(r"([^.!?;]{1,40})[.!?;]\s+(?=\S)")
_CJK_NUMBERS = "零一二三四五六七八九十"
_EXPLAINED = re.compile(r"\s*[:;–—]\s*|\s+-\s+|,\s+(?!(?:but|though|however)\b)")
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")
_LISTED = re.compile(r"^\s*\d{1,2}[.)]\s+", re.MULTILINE)
_WORD = re.compile(r"[a-z]+")
_ASIDE, _BOTH, _VAGUE, _THAN = expressions("aside both_verdicts uncertain_amount than")
(
    _COMPARED, _PREDICATE, _FORMERLY, _ABSENT, _ALTERNATIVES, _TWO_COLORS, _EQUAL, _NOT_BUT,
) = expressions(
    "compared predicate formerly absent alternatives two_colors equal_numbers not_but"
)  # fmt: skip
# "front of the image"
_AND_SO_ON = _WORDINGS.expression("and_so_on").pattern
_NOT_THIS = re.compile(r"(?:\bnot|n't)\s+(?:exactly\s+|just\s+)?$", _I)
# Words that carry no meaning when a sentence repeats its question.
_EMPTY = frozenset(_WORDINGS.wordings("empty_word"))
_WAY = re.compile(r"^((?:front|back|left|right)(?: left| right)?) (?:direction|side)$", _I)
_ENDING = re.compile(r"(?:ing|es|ed|e|s)$")
_SIZES = {"tiny": "small", "big": "large"}
_KNOWN = frozenset((*ANSWERS["color"], *ANSWERS["size"], *ANSWERS["material"]))
# Nouns of street questions with the words before them; a subject that is only a noun.
_NOUNS = rf"(?P<noun>object|thing|{'|'.join(FILTER_VALUES['shape'])})(?:e?s)?"
_NOUN = re.compile(rf"\b(?P<before>(?:[\w-]+ ){{0,4}}?){_NOUNS}\b", _I)
_SUBJECT = re.compile(rf"(?:the )?(?:(?:{'|'.join(sorted({*_KNOWN, *_SIZES}))}) )*{_NOUNS}", _I)


def question_kind(question: str) -> str:
    """Return COUNT, YES_NO or VALUE; VALUE for a question that offers alternatives."""
    kind = queried_kind(question)
    if kind == YES_NO and re.search(r"\bor\b", question, _I):
        return VALUE
    return kind if kind in (COUNT, YES_NO) else VALUE


def simple(answer: str | None, kind: str) -> str | None:
    """Return an answer that is a number, yes or no by itself; None for any other text, and for "no"
    where a count is asked."""
    if answer == "no" and kind == COUNT:
        return None
    return answer if answer in ("yes", "no") or (answer or "").isdigit() else None


def typed(text: str, kind: str, question: str) -> str | None:
    """Return the count, "yes" or "no" that a text states; "" if it leaves several open, None if it
    states none."""
    read = _count if kind == COUNT else _verdict
    if kind == YES_NO and _BOTH.search(text):
        return ""
    sentences = list(_sentences(text))
    for revised in (True, False):
        values = []
        for s in filter(_CONCLUSION.match, sentences) if revised else sentences:
            if (value := read(s, question)) is not None:
                values.append(value)
        if not values:
            continue
        if revised or len(set(values)) == 1:
            return values[-1]
    return None


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences, plain; of a corrected statement the part after the correction."""
    text = unlatexed(text).replace("**", "").replace("__", "")
    text = _REVISED.split(text)[-1]
    if len(_LISTED.findall(text)) > 1:
        text = _LISTED.sub("", text)
    for sentence in _SENTENCES.split(text):
        plain = unmarked(sentence)
        if plain.strip(AROUND) and len(plain) <= LONGEST and not sentence.rstrip().endswith("?"):
            yield plain


def _count(sentence: str, question: str) -> str | None:
    """Return the count that a sentence states; "" if it leaves several open."""
    text = _UNCOUNTED.sub(" ", rest_after(_OPINION, rest_after(_ADVERBIAL, sentence)))
    zeros = list(_ZERO.finditer(text))
    every = list(_AMOUNT.finditer(text))
    numbers = []
    for m in every:
        if not _NOT_THIS.search(text[: m.start()]):
            numbers.append((text[: m.start()], _number(m)))
    if every and not numbers:
        return ""
    if zeros and not numbers:
        return "0"
    if _OPEN.search(text):
        *_, rest = HOWEVER.split(text)
        return "" if rest == text else _count(rest, question)
    if _VAGUE.match(text) or _RANGE.search(text):
        return ""
    stated, summed = [], []
    for before, n in numbers:
        if _COUNTED.search(before):
            stated.append(n)
        if before.rstrip().endswith("="):
            summed.append(n)
    if summed or stated:
        return summed[-1] if summed else stated[0]
    distinct = {n for _, n in numbers}
    return distinct.pop() if len(distinct) == 1 and not zeros else None


def _number(match: re.Match[str]) -> str:
    if match["digits"]:
        return str(int(match["digits"]))
    if match["hanzi"]:
        return str(_HANZI[match["hanzi"]])
    word = match["word"].lower()
    return str(_NUMBER_WORDS.index(word)) if word in _NUMBER_WORDS else "1"


def _verdict(sentence: str, question: str) -> str | None:
    """Return the "yes" or "no" that a sentence states; "" if it states both."""
    text = rest_after(_OPINION, rest_after(_ADVERBIAL, sentence.replace("’", "'")))
    verdicts = {"yes" if m["yes"] else "no" for m in _VERDICT.finditer(text)}
    if verdicts:
        return verdicts.pop() if len(verdicts) == 1 else ""
    if _OPEN.search(text):
        return ""
    head, *rest = _EXPLAINED.split(text, maxsplit=1)
    if (stub := _STUB.fullmatch(head)) and (stub["no"] or not _NEGATION.search(" ".join(rest))):
        return "no" if stub["no"] else "yes"
    words, question_words = _meaning(text), _meaning(question)
    short = words <= question_words and (not words or 2 * len(words) >= len(question_words))
    equality = _COMPARED.search(question) and re.search(r"\b(?:equal|same)\b", question, _I)
    if equality and (equal := _EQUAL.search(text)):
        return "no" if bool(equal["no"]) != bool(equal["unequal"]) else "yes"
    if words and _COMPARED.search(question) and not _COMPARED.search(text):
        return None  # the numbers are still to be compared
    if (stated := _PREDICATE.fullmatch(text)) and stated["same"].lower() in question.lower():
        return "no" if stated["no"] else "yes"
    if lacking := _LACKING.search(text) or _EXISTS.search(text):
        if not short and not question_words <= words:
            return None  # about other objects
        if lacking.re is _LACKING:
            return "no"
        return None if _NEGATION.search(text) else "yes"
    # A statement repeats most of its question; a name that stands in the question says nothing.
    if len(words) > 1 and short:
        return "no" if _NEGATION.search(text) else "yes"
    return None


def _meaning(text: str) -> set[str]:
    """Return the words of a text without endings; stop words and single letters are left out."""
    words = set()
    for word in _WORD.findall(text.lower()):
        if len(word) > 1 and word not in _EMPTY:
            words.add(_ENDING.sub("", word) if len(word) > 3 else word)
    return words


# --- values ---------------------------------------------------------------------------------------


def free_answer(result: str) -> str | None:
    """Strip punctuation, label, article, preface and reason from an answer; None if nothing
    remains."""
    text = unlatexed(result)
    bold = BOLD.findall(text)
    phrase = re.fullmatch(r"\W*\*\*[^*]+\*\*\s+\w+(?:\s\w+)?\W*", text)  # "**red** car"
    if (
        len(bold) == 1
        and not phrase
        and (text.lstrip(" -").startswith("**") or len(text.split()) > 3)
    ):
        text = bold[0]
    text = unmarked(text.replace("**", ""))
    text = (
        unmarked(rest_after(_LABELLED, rest_after(CONCLUDING, rest_after(PREFACE, text)))) or text
    )
    text = _NUMBERED.sub("", text)
    if corrected := unmarked(CORRECTED.split(text)[-1]):
        text = unmarked(rest_after(CONCLUDING, corrected)) if corrected != text else text
    if NO_ANSWER.fullmatch(text) or PREFACE.fullmatch(text):
        return None
    label = LABEL.match(text + ("." if len(text) == 1 else ""))
    if label and (label[1] or label[2] or label[3]).upper() in LETTERS:
        rest = unmarked(label[4] or "")
        if not rest:
            return (label[1] or label[2] or label[3]).upper()
        text = rest
    if yes_no := _YES_NO.match(text):
        return "no" if yes_no[1].lower()[0] == "n" else "yes"
    if count := _COUNT.fullmatch(text):
        text = next(filter(None, count.groups()))
    first = _FIRST_SENTENCE.match(text)
    if first and len(first[1].split()) <= 3:
        text = first[1]
    reason = _REASON.search(text)
    if reason and reason.start():
        text = text[: reason.start()]
    text = unmarked(text)
    text = ARTICLE.sub("", text, count=1) if ARTICLE.match(text) else text
    if re.fullmatch(r"\d+\.0+", text):
        return text.partition(".")[0]
    if text in tuple(_CJK_NUMBERS):
        return str(_CJK_NUMBERS.index(text))
    if text.lower() == "dozen":
        return "12"
    return str(_NUMBER_WORDS.index(text.lower())) if text.lower() in _NUMBER_WORDS else text or None


def without_question(answer: str, question: str) -> str | None:
    """Return an answer without the words that repeat its question: "red" for "The bus is red".
    None if only a negation is left."""
    if question_kind(question) != VALUE or len(answer) > LONGEST or answer in ("yes", "no"):
        return answer
    answer = _NOT_BUT.sub("", answer) or answer
    sentences, others, kind = [], [], queried_kind(question)
    for s in _SENTENCES.split(answer):
        if s := s.strip(" .!?;"):
            sentences.append(s)
            if kind in ATTRIBUTES and not _of_landmark(s, question):
                others.append(s)
    if others and len(others) < len(sentences):  # "The bus is red; the jet is gray."
        value = without_question(". ".join(others), question)
        return value if value and value.lower() in ANSWERS[kind] else None
    if _ASKS.match(answer) or _undecided(answer, question):
        return None
    if len(sentences) > 1:
        values, known = {}, {}
        for s in sentences:
            if (value := _value(s, question)) not in (None, s):
                values[value.lower()] = value
                if kind in ATTRIBUTES and value.lower() in ANSWERS[kind]:
                    known[value.lower()] = value
        values = known or values
        return next(iter(values.values())) if len(values) == 1 else _value(sentences[0], question)
    return _value(answer, question)


def _undecided(answer: str, question: str) -> bool:
    """Whether an answer leaves the value open, states an earlier value, or states the value of an
    object that the question names only as a landmark."""
    *before, last = HOWEVER.split(answer)
    if _OPEN.search(last) or (_OPEN.search(answer) and not before):
        return True
    if _ALTERNATIVES.search(answer) or (
        _FORMERLY.search(answer) and not _FORMERLY.search(question)
    ):
        return True
    if any(_meaning(m["thing"]) <= _meaning(question) for m in _ABSENT.finditer(answer)):
        return True
    return queried_kind(question) in ATTRIBUTES and _of_landmark(answer, question)


def _of_landmark(answer: str, question: str) -> bool:
    """Whether the subject of an answer is an object that a street question mentions, but does not
    ask about: "the bus is red" for the color of "the thing behind the bus"."""
    copula = _COPULA.search(answer)
    subject = _SUBJECT.fullmatch(answer[: copula.start()].strip()) if copula else None
    clauses = list(filter(None, map(_described, question.split(";"))))
    if not subject or not clauses:
        return False
    noun, attributes = _described(subject[0])[0]
    asked, own = clauses[-1][0]
    if noun == asked and attributes <= own:
        return False
    objects = itertools.chain.from_iterable(clauses)
    return any(noun == n and attributes <= of for n, of in objects)


def _described(text: str) -> list[tuple[str, set[str]]]:
    """Return the nouns of a text, each with the known attributes before it."""
    result = []
    for m in _NOUN.finditer(text):
        attributes = {_SIZES.get(word, word) for word in m["before"].lower().split()} & _KNOWN
        result.append((m["noun"].lower().replace("thing", "object"), attributes))
    return result


def _value(sentence: str, question: str) -> str | None:
    text = rest_after(_OPINION, rest_after(_ADVERBIAL, _ASIDE.sub("", sentence) or sentence))
    if (led := rest_after(_DIRECTIONS, text)) != text:
        return _bare(led, question)
    question_words = _meaning(question)
    for m in reversed(list(_COPULA.finditer(text))):
        before, behind = text[: m.start()], text[m.end() :].strip()
        if behind and _meaning(before) <= question_words and not _meaning(behind) <= question_words:
            return None if _NEGATION.match(behind) else _bare(behind, question)
        if (
            before.strip()
            and _meaning(behind) <= question_words
            and not _meaning(before) <= question_words
        ):
            return None if _NEGATION.search(text) else _bare(before, question)
        offered = rest_after(ARTICLE, _THAN.split(behind)[0])
        if not offered or not _meaning(before) <= question_words:
            continue
        if _either(offered, question):
            return offered
        subject = rest_after(ARTICLE, before.strip())
        compared = offered.split()[0].endswith("er") and _meaning(offered) <= question_words
        if compared and _either(subject, question) and not _NEGATION.search(text):
            return subject
    if queried_kind(question) in ATTRIBUTES:
        return _bare(text, question)
    if _NEGATION.search(text) and _meaning(text) <= question_words:
        return None
    return rest_after(ARTICLE, text) or None


def _either(text: str, question: str) -> bool:
    """Whether a question offers the text as an alternative: "higher or lower"."""
    text = re.escape(text)
    return bool(
        re.search(
            rf"\b{text}(?:, (?!the |an? )[\w ]+)*,? or\b|\bor (?:is it )?(?:\w+ ){{0,2}}{text}\b",
            question,
            _I,
        )
    )


def _bare(text: str, question: str) -> str | None:
    """Return a value without padding; of an attribute with known values, the one at the start or
    the only one in a short phrase."""
    text = unmarked(rest_after(_PADDING, text + " ").strip() or text)
    text = _WAY.sub(r"\1", rest_after(ARTICLE, text))
    kind = queried_kind(question)
    if kind not in ATTRIBUTES or not text:
        return text or None
    if kind == "color" and _TWO_COLORS.match(text):
        return None
    known = []
    for v in ANSWERS[kind]:
        if re.search(rf"(?<![\w-]){v}(?![\w-])", text, _I):
            known.append(v)
    begins = re.match(rf"([a-z]+)(?:\s*[,;:(–—]|{_AND_SO_ON})", text, _I)
    if begins and begins[1].lower() in ANSWERS[kind]:
        return begins[1]
    short = len(text.split()) <= PHRASE
    if len(known) == 1 and short and not _NEGATION.search(text):
        return known[0]
    several = len(known) > 1 and short and kind != "facing"
    return None if several or _OPEN.search(text) or _NEGATION.match(text) else text
