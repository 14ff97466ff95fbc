"""Rule-based parser of SCOPE's questions, for the paper's wordings and paraphrases.

A question is parsed in parts, each with its own table of patterns (grammars/scope.patterns):
whether it is about several images, the viewer (FRAMES), an imagined rotation of the observer, and
the question itself (_DIRECTION_QUESTIONS). If a part is not matched, the question is unparsed, with
the reason. Nouns are open text.
"""

import re
from collections.abc import Iterable

from po3d.io.fuzzy import too_long
from po3d.language.grammar import load
from po3d.language.program import Call, ProgramError
from po3d.language.programs.scope import CAMERA, call
from po3d.language.read.parse import Parse
from po3d.scene.orbit import LABELS

_WORDINGS = load("scope", "patterns")
# Fraction of a full turn -> degrees; words between two objects -> direction.
_FRACTIONS = {text: int(degrees) for text, degrees in _WORDINGS.words("turn").items()}
_DIRECTION = _WORDINGS.words("lies")
assert set(_DIRECTION.values()) == set(LABELS)


def _either(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def _patterns(key: str) -> tuple[re.Pattern[str], ...]:
    """Compile the patterns of a key; <a>, <b> ... match nouns."""
    (noun,) = _WORDINGS.wordings("noun")
    patterns = []
    for pattern in map(_WORDINGS.with_pieces, _WORDINGS.wordings(key)):
        named = re.sub(
            r"(?<!\?P)<(\w)>", lambda m: _WORDINGS.with_pieces(noun).replace("NAME", m[1]), pattern
        )
        patterns.append(re.compile(named.replace("RELATION", _either(_DIRECTION))))
    return tuple(patterns)


FRAMES, _DIRECTION_QUESTIONS, _BEHIND_SOMEONE = map(_patterns, ("frame", "asked", "behind_someone"))
(_MIDDLE,), (_STATEMENT,) = map(_patterns, ("middle", "statement"))
_DEGREES, _COUNTER, _MOVED, _CAMERA, _CAMERA_PHRASE, _YOURS = map(
    _WORDINGS.expression, ("degrees", "counter", "moved", "camera", "camera_phrase", "yours")
)
_IMAGES, _WHICH, _NEAREST, _TAIL, _ORDER, _PICTURED, _VIEWED, _ARTICLE = map(
    _WORDINGS.expression,
    ("images", "which", "nearest", "tail", "order", "pictured", "viewed", "article"),
)
_FRACTION = re.compile(rf"\b({_either(_FRACTIONS)}) turn\b")
_VIEWERS = {"camera", "viewer", "observer", "photographer", "robot", "picture", "image", "photo"}


def read(text: str) -> Parse:
    """Parse a question."""
    text = _TAIL.sub("", " ".join(text.lower().split())).replace("-quarter", " quarter")
    if reason := too_long(text, "question"):
        return Parse("unparsed", reason=reason)
    clean = _clean(text)
    if not clean:
        return Parse("unparsed", reason="the question is empty")
    try:
        if _IMAGES.search(clean):
            return Parse("ok", _several(clean))
        return Parse("ok", _one(clean))
    except ProgramError as failure:  # no pattern matches a part of the question
        return Parse("unparsed", reason=str(failure))


def _clean(text: str) -> str:
    text = text.replace("’", "'").replace("‘", "'").replace("º", "°")
    text = re.sub(
        r"\b(where|you|what|which)'(?:s|re)\b",
        lambda m: f"{m[1]} {'are' if m[1] == 'you' else 'is'}",
        text,
    )
    text = _ORDER.sub("", text)
    return re.sub(r"\s+", " ", re.sub(r"\s+([,.?])", r"\1", text)).strip()


def _several(text: str) -> Call:
    """Parse a question about several images."""
    if _NEAREST.search(text):
        for pattern in _BEHIND_SOMEONE:
            if match := pattern.search(text):
                person = call("thing", _bare(match["r"]))
                return call(
                    "name", call("nearest", call("toward", _DIRECTION[match["rel"]], person))
                )
        raise ProgramError("not understood: the location to which something is nearest")
    if _WHICH.search(text):
        bare = _CAMERA_PHRASE.sub(" ", text)
        for match in _STATEMENT.finditer(re.sub(r"\s+(?=[?.,])", "", re.sub(r"\s+", " ", bare))):
            things = (call("thing", _bare(match[k])) for k in "ab")
            return call("which_view", _DIRECTION[match["rel"]], *things)
        raise ProgramError("not understood: the statement that is true in one of the images")
    raise ProgramError("not understood: the question about these images")


def _one(text: str) -> Call:
    """Parse a question about one image."""
    turn, rest = _turn(text)
    owner, rest = _frame(rest)
    if owner is None and not turn and not _CAMERA.search(text):
        raise ProgramError("not understood: the perspective")
    a, b = _direction_target(rest)
    if owner is None:
        if b is None:
            raise ProgramError(f"not understood: the reference point for the {a}")
        inner = call("where", call("thing", a), call("thing", b), CAMERA)
    else:
        eyes = call("thing", owner)
        inner = call(
            "where",
            call("thing", a),
            eyes if b in (None, owner) else call("thing", b),
            call("own", eyes),
        )
    for angle, first, second in turn:
        inner = call("turned", angle, call("thing", first), call("thing", second), inner)
    return inner


def _turn(text: str) -> tuple[list[tuple[str, str, str]], str]:
    """Extract an imagined rotation: [(angle, first, second)] or [], and the remaining text."""
    match = _MIDDLE.search(text)
    if not match:
        if _DEGREES.search(text) and _MOVED.search(text):
            raise ProgramError("not understood: the point around which the observer moves")
        return [], text
    degrees, fraction = _DEGREES.search(text), _FRACTION.search(text)
    if not degrees and not fraction:
        raise ProgramError("not understood: the angle by which the observer turns")
    angle = int(degrees[1]) if degrees else _FRACTIONS[fraction[1]]
    if not _COUNTER.search(text):
        if "clockwise" not in text and angle != 180:
            raise ProgramError("not understood: the direction in which the observer turns")
        angle = -angle
    if angle % 360 == 0 or angle % 45:
        raise ProgramError(f"a turn of {abs(angle)} degrees is not a multiple of 45")
    rest = text[: match.start()] + text[match.end() :]
    return [(str(angle % 360), _bare(match["x"]), _bare(match["y"]))], rest


def _frame(text: str) -> tuple[str | None, str]:
    """Extract the object whose viewpoint is used (None: the camera), and the remaining text."""
    for pattern in FRAMES:
        for match in pattern.finditer(text):
            if not _VIEWERS & set(re.split(r"[ ']", match["r"])):
                rest = text[: match.start()] + " " + text[match.end() :]
                return _bare(match["r"]), _YOURS.sub(" ", rest)
    return None, _CAMERA_PHRASE.sub(" ", text)


def _direction_target(text: str) -> tuple[str, str | None]:
    """Extract the target, and the object that its direction is relative to (None: the viewer)."""
    text = re.sub(r"\s+", " ", text).replace(" ?", "?").replace(" ,", ",")
    text = _VIEWED.sub("", _PICTURED.sub("", text)).replace(" ?", "?").replace(" .", ".")
    text = re.sub(r"\s+(?=[?.,]|$)", "", re.sub(r"\s+", " ", text))
    for pattern in _DIRECTION_QUESTIONS:
        if match := pattern.search(text):
            groups = match.groupdict()
            return _bare(match["a"]), _bare(groups["b"]) if groups.get("b") else None
    raise ProgramError("not understood: the target and the reference of the relation")


def _bare(noun: str) -> str:
    """Remove an article, or a possessive ending."""
    return _ARTICLE.sub("", noun.strip()).removesuffix("'s")
