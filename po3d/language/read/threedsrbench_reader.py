"""Rule-based parser of 3DSRBench's questions: clause patterns over free text.

    "Consider the real-world 3D locations of the objects.
     Which is closer to the sofa, the dog or the cat?"
        ─► opening dropped ─► one pattern of `threedsrbench_patterns` matches
        ─► closer_to("sofa", "dog", "cat")

Programs are those of `programs.threedsrbench`. Descriptions are kept as written, without their
article. Options supply what a question omits ("Which object has a higher location?" names its two
objects only there) and decide where "X or Y" is split. A question that no pattern matches, or whose
options match no answer, is "unparsed" with a reason.
"""

import re
from collections.abc import Sequence

from po3d.io.fuzzy import too_long
from po3d.language.descriptions import describe
from po3d.language.lexicon import fits
from po3d.language.program import ProgramError
from po3d.language.programs.threedsrbench import OPERATIONS, PhraseCall
from po3d.language.read.parse import Parse
from po3d.language.read.threedsrbench_patterns import (
    ARTICLE,
    CAMERA,
    CHOICE_WORDS,
    GROUND,
    KEYS,
    LED,
    OPENING,
    PARTED,
    PATTERNS,
    POLITE,
    TAIL,
    TRAILER,
    compiled,
)

_QUOTED = re.compile(r'["“”«][^"“”»]*["“”»]')
_HOLE = re.compile(r"QUOTE(\d+)")
_SENTENCES = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_TO_CAMERA = {
    "closer_to": "nearer_camera",
    "farther_from": "farther_camera",
    "side_to": "side_to_camera",
}
_TO_GROUND = {"closer_to": "lower", "farther_from": "higher"}


def read(text: str, options: Sequence[str] = ()) -> Parse:
    """Parse a question. Without options, `option_of` maps every answer to itself."""
    if reason := too_long(text, "question"):
        return Parse("unparsed", reason=reason)
    question, quotes = _cleaned(text)
    if not question:
        return Parse("unparsed", reason="the text contains no question")
    reason = f"no pattern matches {question!r}"
    operations = [op for op, key in KEYS.items() if key.search(question)]
    for op, pattern in PATTERNS:
        match = compiled(pattern).fullmatch(question) if op in operations else None
        if not match:
            continue
        try:
            program = _program(op, match.groupdict(), quotes, options)
        except ProgramError as error:
            reason = str(error)
            continue
        chosen = fit_options(program, options)
        if chosen is None:
            reason = f"no option in {', '.join(options)} matches an answer of {program}"
            continue
        return Parse("ok", program, option_of=chosen)
    return Parse("unparsed", reason=reason)


def _cleaned(text: str) -> tuple[str, list[str]]:
    """Return the question without introductions, and its quotations as placeholders.

    The second value lists the quotations.
    """
    quotes: list[str] = []

    def hole(match: re.Match) -> str:
        quotes.append(match[0])
        return f"QUOTE{len(quotes) - 1}"

    text = _QUOTED.sub(hole, " ".join(text.replace("’", "'").split()))
    sentences = [s for s in _SENTENCES.split(text) if not TRAILER.match(s)]
    while len(sentences) > 1 and OPENING.match(sentences[0]):
        sentences = sentences[1:]
    question = " ".join(sentences).strip(" ?.!")
    question = POLITE.sub("", OPENING.sub("", question)).strip(" ,?.!")
    return TAIL.sub("", question), quotes


def _program(
    op: str, parts: dict[str, str | None], quotes: list[str], options: Sequence[str]
) -> PhraseCall:
    """Build the program from a match.

    Groups: x, y (objects in the program's order), pair ("X or Y", "X and Y"), each with a numeric
    suffix.
    """
    groups = {name.rstrip("0123456789"): text for name, text in parts.items() if text}
    things = list(filter(None, map(groups.get, ("x", "y"))))
    if "pair" in groups:
        things += _parted(groups["pair"], options)
    elif len(things) < len(OPERATIONS[op].inputs) and OPERATIONS[op].output == "object":
        things += list(options)
    if op in _TO_CAMERA and CAMERA.fullmatch(_bare(things[-1] if op == "side_to" else things[0])):
        things = things[:1] if op == "side_to" else things[1:]
        op = _TO_CAMERA[op]
    elif op in _TO_GROUND and GROUND.fullmatch(_bare(things[0])):
        op, things = _TO_GROUND[op], things[1:]
    things = [_HOLE.sub(lambda m: quotes[int(m[1])], _bare(thing)) for thing in things]
    return PhraseCall(op, tuple(things))


def _bare(thing: str) -> str:
    return ARTICLE.sub("", thing.strip(" ,:;")).strip()


def _parted(pair: str, options: Sequence[str]) -> list[str]:
    """Split "X or Y" into two objects.

    It is split where both parts are options, else where the second has an article, else at the
    first place.
    """
    parts = [[pair[: m.start()], LED.sub("", pair[m.end() :])] for m in PARTED.finditer(pair)]
    if not parts:
        raise ProgramError(f"{pair!r} names one object, not two")
    known = set(map(_same, options))
    for two in parts:
        if known.issuperset(map(_same, two)):
            return two
    return next((two for two in parts if ARTICLE.match(two[1])), parts[0])


def _same(text: str) -> str:
    """Normalise for comparison: no case, article or punctuation.

    Placeholders of quotations stay, so a quoted option never equals one.
    """
    return re.sub(r"[^\w\s]", "", _bare(text).lower()).strip()


def fit_options(program: PhraseCall, options: Sequence[str]) -> dict[str, str] | None:
    """Match answers of a program to options one to one; None if they do not match."""
    if not options:
        return dict(zip(program.answers, program.answers))
    if len(options) != len(program.answers):
        return None
    if program.candidates:
        return _things(program.answers, options)
    words = CHOICE_WORDS[program.output]
    chosen: dict[str, str] = {}
    for option in options:
        fitting = [a for a, pattern in words.items() if pattern.search(option.lower())]
        if len(fitting) != 1 or fitting[0] in chosen:
            return None
        chosen[fitting[0]] = option
    return chosen


def _things(answers: Sequence[str], options: Sequence[str]) -> dict[str, str] | None:
    """Match two objects to two options; None on a tie.

    The pairing that shares more words is chosen or, if equal, the one whose nouns fit better.
    """

    def shared(a: str, b: str) -> float:
        first, second = set(_same(a).split()), set(_same(b).split())
        return len(first & second) / max(len(first | second), 1)

    def named(a: str, b: str) -> float:
        first, second = describe(a).noun, describe(b).noun
        return max(fits(first, second), fits(second, first))

    for similarity in (shared, named):
        straight = similarity(answers[0], options[0]) + similarity(answers[1], options[1])
        crossed = similarity(answers[0], options[1]) + similarity(answers[1], options[0])
        if straight != crossed:
            pairs = options if straight > crossed else options[::-1]
            return dict(zip(answers, pairs, strict=True))
    return None
