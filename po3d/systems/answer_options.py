"""The answers that a question offers, and the most probable answer over several parses.

Answers are offered in the question's options, in its words ("left or right?"), or in a harness's
prompt around it.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from po3d.language.descriptions import describe
from po3d.language.grammar import load
from po3d.language.lexicon import ABOVE, same
from po3d.language.lexicon import fits as noun_fits
from po3d.language.program import Call
from po3d.language.read.omissions import DENIED
from po3d.reasoning.questions import Question

_WORDINGS = load("answers", "patterns")
_SAME = {word: str(n) for n, word in enumerate(_WORDINGS.wordings("number"))}
_SAME |= {word: pattern.op for word, pattern in _WORDINGS.meanings("same")}
_EMPTY = frozenset(_WORDINGS.wordings("empty"))
_WAYS = frozenset(["front", "behind", "left", "right"])
_HEIGHTS = frozenset(["higher", "lower"])
_SECTORS = {("behind", "front"): "front_or_behind", ("left", "right"): "left_or_right"}
_OR, _LISTED, _WAY, _ON_OR_UNDER, _UNDER_OR_ON, _ON, _HEADED, _ALTERNATIVES = (
    _WORDINGS.expression(key, re.IGNORECASE)
    for key in (
        "either",
        "listed",
        "way",
        "on_or_under",
        "under_or_on",
        "upon",
        "headed",
        "names_alternatives",
    )
)
_HARNESS = _WORDINGS.expression("harness", re.IGNORECASE | re.DOTALL)
_LETTER = re.compile(r"(?:^|\s)\(?([A-H])[.):]\s*")


def strip_prompt_template(question: Question) -> Question:
    """Remove a harness's prompt ("Question: ... Options: A. ... B. ..."), whose options become the
    question's, and a change that denies any change."""
    if question.change and (not question.change.strip() or DENIED.fullmatch(question.change)):
        question = replace(question, change="")
    match = None if question.options else _HARNESS.match(question.text)
    if not match:
        text = _HEADED.sub("", question.text)
        return question if text == question.text else replace(question, text=text)
    options = []
    for option in _LETTER.split(match["options"])[2::2]:
        options.append(option.strip(" ,;.\n"))
    return replace(question, text=match["text"], options=tuple(options)) if options else question


def words(answer: str) -> frozenset[str]:
    """Return the words of an answer in normal form."""
    tokens = set()
    for w in re.findall(r"(?<!\S)-[0-9.]+|[a-z0-9.]+", answer.lower()):
        tokens.add(_SAME.get(w, w))
    return frozenset(tokens - _EMPTY) or frozenset(tokens)


def chosen(answer: str, options: Sequence[str]) -> str | None:
    """Return the only option that matches an answer; None if there is none, or several.

    A direction matches an option with all its parts, or, if there is none, with one of them
    ("left", of left and right, for "back left"). Another answer may match an option with more words
    ("the red chair" for "chair"), or a synonym ("the couch" for "sofa")."""
    answer_words, offered = words(answer), [(option, words(option)) for option in options]
    fits = []
    for option, of in offered:
        if of == answer_words:
            fits.append(option)
    if not fits:
        if answer_words & _WAYS:
            for option, of in offered:
                if of & _WAYS and of & _WAYS <= answer_words:
                    fits.append(option)
            return _only(fits)
        if answer_words <= _HEIGHTS:
            for option, height in zip(options, heights(options)):
                if height in answer_words:
                    fits.append(option)
            return _only(fits)
        for option, of in offered:
            if of and (of <= answer_words or answer_words <= of):
                fits.append(option)
    return _only(fits or _naming(answer, options))


def _naming(answer: str, options: Sequence[str]) -> list[str]:
    """Return the options whose noun matches the answer best, by the lexicon."""
    if answer.lstrip("-")[:1].isdigit():  # 1200 is not a misspelling of 120
        return []
    scores = [noun_fits(describe(option).noun, answer) for option in options]
    result = []
    for option, fit in zip(options, scores):
        if fit == max(scores) >= ABOVE:
            result.append(option)
    return result


def _only(fits: Sequence[str]) -> str | None:
    return fits[0] if len(fits) == 1 else None


def heights(options: Sequence[str]) -> list[str]:
    """Return the height of each option, "higher", "lower" or "". "On the bench" counts as higher if
    another option is "underneath it" and none says higher."""
    height_words = [words(option) & (_HEIGHTS | _WAYS) for option in options]
    height_names = []
    for of in height_words:
        height_names.append("".join(of & _HEIGHTS) if len(of & _HEIGHTS) == 1 else "")
    if "lower" not in height_names or "higher" in height_names:
        return height_names
    result = []
    for option, of, height in zip(options, height_words, height_names):
        result.append("higher" if not of and _ON.match(option) else height)
    return result


def ways(question: Question) -> tuple[str, ...]:
    """Return the directions or heights that a question offers in its options or its text; () unless
    each option names exactly one."""
    offered = tuple(map(str, question.options))
    pairs = (pattern.search(question.text) for pattern in (_OR, _ON_OR_UNDER, _UNDER_OR_ON))
    if not offered and (listed := _LISTED.search(question.text)):
        offered = tuple(_WAY.findall(listed[0].lower()))
    elif not offered and (pair := next(filter(None, pairs), None)):
        offered = pair[1].lower(), pair[2].lower()
    option_ways = []
    for option, height in zip(offered, heights(offered)):
        option_ways.append(words(option) & _WAYS | {height} - {""})
    return offered if option_ways and all(len(each) == 1 for each in option_ways) else ()


def offered_answers(answer: str, question: Question) -> Sequence[str]:
    """Return the options of a question; without options, and if the answer is a direction or a
    height, the alternatives in the question's text."""
    return question.options or (ways(question) if words(answer) <= _WAYS | _HEIGHTS else ())


def named_in(question: Question, answer: str) -> tuple[str, ...]:
    """Return the synonym of an answer among the alternatives of a question ("the soccer ball or the
    desk?", for a football); () if there is none, or the answer itself is named."""
    text, answer = question.text.lower(), answer.lower()
    if not _ALTERNATIVES.search(text) or answer in text:
        return ()
    spoken = re.findall(r"[a-z]+", text)
    for count in (3, 2, 1):
        for start in range(len(spoken) - count + 1):
            phrase = " ".join(spoken[start : start + count])
            if same(phrase, answer):
                return (phrase,)
    return ()


def restrict_to_options(program: Call, question: Question) -> Call:
    """Restrict a program that asks for a direction to the directions that the question offers."""
    if program.op != "direction" or program.args[3] not in ("eight", "four"):
        return program
    option_ways = set()
    for option in ways(question):
        for way in words(option) & _WAYS:
            option_ways.add(way)
    sectors = "four" if len(option_ways) == 4 else _SECTORS.get(tuple(sorted(option_ways)))
    return program if sectors is None else Call("direction", (*program.args[:3], sectors))


REFUSED = "refused"  # stands for the answer of a parse that refuses


def likeliest(answers: Sequence[str | None], weights: Sequence[float]) -> tuple[int, float]:
    """Add up the weights of parses by answer; return the index of the first parse with the answer
    of the largest sum, and the share of that sum in the total. None stands for no answer on the
    scene."""
    together: dict[str | None, float] = {}
    for answer, weight in zip(answers, weights, strict=True):
        together[answer] = together.get(answer, 0.0) + weight
    best = max(together, key=together.__getitem__)
    return answers.index(best), together[best] / max(sum(together.values()), 1e-12)
