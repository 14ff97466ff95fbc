"""Multiple choice: the option that a text refers to, for `po3d.systems.answers`."""

import itertools
import re
from collections.abc import Sequence

from po3d.benchmarks.choices import LETTERS
from po3d.language.grammar import load
from po3d.systems.response_text import (
    ARTICLE,
    CONCLUDING,
    CORRECTED,
    HOWEVER,
    LABEL,
    LAST,
    NO_ANSWER,
    PREFACE,
    SHORT,
    expressions,
    plain_text,
    rest_after,
    unlatexed,
    unmarked,
)

NEAR = 200  # characters beside a letter that may name its content
YES_NO = ("yes", "no")
NO_OPTION = -1  # an explicit answer that matches no option

_I, _IS = re.IGNORECASE, re.IGNORECASE | re.DOTALL
_WORDINGS = load("answers", "patterns")
# fmt: off
(
    _DENIED, _GOVERNED, _REJECTED, _JOINED, _OPEN, _REASON_NEXT, _GOES_ON, _LIST_END, _WRONG_BEHIND,
) = expressions(
    "denied governed rejected joined open reason_next goes_on list_end wrong_behind"
)
# fmt: on
_NAMED, _RIGHT, _GUESS, _WRONG, _REMAINING, _LETTER = map(
    _WORDINGS.expression, ("named", "right", "guess", "wrong", "remaining", "letter")
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
_COMPARISON, _COMPARATIVE, _SO, _BETWEEN = (
    _WORDINGS.expression(key, _I) for key in ("comparison", "comparative", "so", "between")
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


def spelled_as_options(text: str, options: Sequence[str]) -> str:
    """Return the text with "Image 3" and "behind and to the left" spelled like the options, if all
    options are ordinals of one noun, or diagonal directions."""
    filled = list(filter(None, options))
    ordinals = list(map(_ORDINAL_OPTION.fullmatch, filled))
    if filled and all(ordinals) and len(nouns := {m[2].lower() for m in ordinals}) == 1:
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


def option_of(answer: str, options: Sequence[str], rule: str, question: str) -> int | None:
    """Return the index of the option that a text refers to; NO_OPTION for an explicit answer that
    matches none, None if none or several match. `options`: plain texts. With the rule "first" a
    mere mention does not count."""
    text = unmarked(unlatexed(answer).replace("**", "").replace("__", ""))
    if rule != "whole":
        text = unmarked(rest_after(PREFACE, text)) or text
    text = _without_list(text, options)
    if (offer := _BETWEEN.match(text)) and len(_named(plain_text(offer[0]), options)) > 1:
        text = text[offer.end() :]
    if (number := _compared(plain_text(text), options, question)) is not None:
        return number
    parts = CORRECTED.split(text)
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
    listed = []
    for letter, option in zip(LETTERS, options):
        label = rf"(?<!\w)[(\[]?{letter}[)\].:]\s*(?:the |an? )?{_spaced(option)}(?!\w)[,;.]?"
        if option and re.search(label, text, _I):
            listed.append(label)
    return re.sub("|".join(listed), " ", text, flags=_I) if len(listed) > 1 else text


def _named(plain: str, options: Sequence[str]) -> list[int]:
    """Return the options whose content occurs in a text."""
    return [k for k, o in enumerate(options) if o and re.search(rf"\b{re.escape(o)}\b", plain)]


def _comparative(word: str) -> str:
    return _COMPARATIVES.get(word, word)


def _compared(plain: str, options: Sequence[str], question: str) -> int | None:
    """Return the option of "X is further away than Y" if the question asks which one is further."""
    comparison = _COMPARISON.fullmatch(plain)
    named = _named(plain, options)
    question_words = set(map(_comparative, re.findall(r"\w+", question.lower())))
    if (alone := _COMPARATIVE.fullmatch(plain)) and len(named) == 1:  # "The mug is closer."
        if _comparative(alone[2]) not in question_words:
            return NO_OPTION if question else None
        asserted = named == _named(alone[1], options) and not _DENIED.search(plain)
        return named[0] if asserted else None
    if not comparison or len(named) != 2 or _SO.search(plain):
        return None
    words = {_comparative(word) for word in comparison[2].split() if word.endswith("er")}
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
    concluded = unmarked(rest_after(CONCLUDING, text))
    for message in (text, concluded):
        number = _label(message, options)
        if number is not None:
            return number
    if _OPEN.search(text):
        *_, rest = HOWEVER.split(text)
        if rest == text or _OPEN.search(rest):
            return NO_OPTION if rule != "whole" else None
        text = concluded = unmarked(rest)
    wrong = set()
    for m in _WRONG.finditer(text):
        wrong.update(_LETTER.findall(m[0]))
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
    if NO_ANSWER.fullmatch(text) or NO_ANSWER.fullmatch(plain):
        return NO_OPTION
    letter, rest = "", ""
    if len(text.rstrip("/")) == 1 and text.isascii() and text[0].isalpha():
        letter = text[0].upper()
    elif label := LABEL.match(text):
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
    """Whether the content of another option follows a letter, or precedes a letter in brackets."""
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
    rest = rest_after(ARTICLE, plain[len(options[best]) :].lstrip(" ,;:.!?(-–—"))
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
    several = len({k for _, _, k in itertools.chain(*groups)}) > 1
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
    words = list(map(str.split, options))
    result = []
    for k, own in enumerate(words):
        others = set(itertools.chain(*words[:k], *words[k + 1 :]))
        if len(own) > 1 and own[0] not in _PLACES and own[-1] not in others:
            for m in re.finditer(rf"(?<!\w){re.escape(own[-1])}(?!\w){_NO_NOUN}", plain):
                result.append((m.start(), -m.end(), k))
    return result


def _mentioned(plain: str, options: Sequence[str], rule: str) -> int | None:
    """Return the only option that a text mentions and does not negate; for a short text, the only
    option that contains it."""
    mentions = []
    for k, option in enumerate(options):
        end = r"(?=\s*(?:[,.;:!?)]|$))" if option in YES_NO else r"(?!\w)"
        if option:
            for m in re.finditer(rf"(?<!\w)(?:{_wordings(option)}){end}", plain):
                mentions.append((m.start(), -m.end(), k))
    if not mentions:
        mentions = _head_nouns(plain, options)
    asserted, denied = _split_mentions(plain, sorted(mentions))
    # An option inside another one ("bus" in "school bus") does not count as a mention.
    for k, other in list(itertools.permutations(asserted, 2)):
        if options[k] in options[other]:
            asserted.discard(k)
    if len(asserted) == 1 and not asserted & denied:
        return asserted.pop()
    if mentions or rule == "whole" or len(plain.split()) > SHORT or _DENIED.search(plain):
        return None
    parts = [k for k, o in enumerate(options) if re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", o)]
    return parts[0] if len(parts) == 1 and len(plain) > 2 else None
