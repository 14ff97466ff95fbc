"""The answers that a question offers: in its options, in its words ("left or right?"), or in the frame that a harness put around it; and
which answer is the likeliest of several readings'."""

import re
from collections.abc import Sequence
from dataclasses import replace

from po3d.language.grammar import load
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
_OR, _HEADED = (_WORDINGS.expression(key, re.IGNORECASE) for key in ("either", "headed"))
_HARNESS = _WORDINGS.expression("harness", re.IGNORECASE | re.DOTALL)
_LETTER = re.compile(r"(?:^|\s)\(?([A-H])[.):]\s*")


def unframed(question: Question) -> Question:
    """The question without a harness's frame ("Question: ... Options: A. ... B. ..."), its options read from there, and without a change
    that did not happen."""
    if question.change and (not question.change.strip() or DENIED.fullmatch(question.change)):
        question = replace(question, change="")
    found = None if question.options else _HARNESS.match(question.text)
    if not found:
        text = _HEADED.sub("", question.text)
        return question if text == question.text else replace(question, text=text)
    options = tuple(o.strip(" ,;.\n") for o in _LETTER.split(found["options"])[2::2])
    return replace(question, text=found["text"], options=options) if options else question


def words(answer: str) -> frozenset[str]:
    """What an answer says, whichever way it is spelled."""
    found = [_SAME.get(w, w) for w in re.findall(r"[a-z0-9.]+", answer.lower())]
    return frozenset(w for w in found if w not in _EMPTY) or frozenset(found)


def chosen(answer: str, options: Sequence[str]) -> str | None:
    """The only option that says an answer; None for none, or several. Of a direction it says all, or a part where no other does ("left",
    of left and right, for "back left"); of other answers it may say more ("the red chair" of "chair")."""
    said, offered = words(answer), [(option, words(option)) for option in options]
    fits = [option for option, of in offered if of == said]
    if not fits:
        ways_of = [(option, of & _WAYS) for option, of in offered]
        if said & _WAYS:
            return _only([option for option, of in ways_of if of and of <= said])
        fits = [option for option, of in offered if of and (of <= said or said <= of)]
    return _only(fits)


def _only(fits: Sequence[str]) -> str | None:
    return fits[0] if len(fits) == 1 else None


def ways(question: Question) -> tuple[str, ...]:
    """The directions, or heights, that a question offers, each alone: in its options, or in its words."""
    offered = tuple(map(str, question.options))
    if not offered and (found := _OR.search(question.text)):
        offered = found[1].lower(), found[2].lower()
    said = [words(option) & (_WAYS | _HEIGHTS) for option in offered]
    return offered if said and all(len(each) == 1 for each in said) else ()


def narrowed(program: Call, question: Question) -> Call:
    """A question for a direction, asking for one of those that are offered."""
    if program.op != "direction" or program.args[3] not in ("eight", "four"):
        return program
    said = {way for option in ways(question) for way in words(option) & _WAYS}
    sectors = "four" if len(said) == 4 else _SECTORS.get(tuple(sorted(said)))
    return program if sectors is None else Call("direction", (*program.args[:3], sectors))


REFUSED = "refused"  # in place of the answer of a reading that says that there is none


def likeliest(answers: Sequence[str | None], weights: Sequence[float]) -> tuple[int, float]:
    """Of readings with their answers: the first one of those whose answer has most weight together, and the share of it in all weight.
    None is no answer on the table: it has its share, and is taken where no reading has any. Two readings may say the same."""
    together: dict[str | None, float] = {}
    for answer, weight in zip(answers, weights, strict=True):
        together[answer] = together.get(answer, 0.0) + weight
    said = {answer: weight for answer, weight in together.items() if answer is not None} or together
    best = max(said, key=said.__getitem__)
    return answers.index(best), said[best] / max(sum(together.values()), 1e-12)
