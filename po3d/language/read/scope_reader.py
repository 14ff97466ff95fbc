"""Reads SCOPE's questions into programs: the paper's wordings, and other ways of saying the same.

A question is read piece by piece, each by its own table of patterns: is it about several images, who looks (FRAMES), is
the observer moved (the turn), and what is asked (ASKED). A piece that is not understood makes the question unparsed, with
the reason; nothing is guessed. Nouns are open text.
"""

import re

from po3d.io.spelling import too_long
from po3d.language.program import Call, ProgramError
from po3d.language.programs.scope import CAMERA, call
from po3d.language.read.parse import Parse
from po3d.scene.orbit import LABELS

_NEVER_FIRST = "the a an you me it them him her"  # words that begin no noun, and words that end one
_NEVER_IN = "and is was lies stands in on at from to then now relative with compared would be as when you appear appears of"
NOUN = (
    rf"(?:the |an? |that |this |your |my )?(?P<{{0}}>(?!(?:{_NEVER_FIRST.replace(' ', '|')})\b)[a-z0-9][a-z0-9'-]*"
    rf"(?: (?!(?:{_NEVER_IN.replace(' ', '|')})\b)[a-z0-9'-]+){{{{0,4}}}}?)"
)
_SELF = r"(?:you|yourself|me|him|her|it|them)"
_TO = r"(?:relative to|with respect to|in relation to|compared (?:with|to)|as seen from|from|of)"


def _noun(pattern: str) -> re.Pattern[str]:
    """A pattern whose <a>, <b> ... are nouns."""
    return re.compile(re.sub(r"<(\w)>", lambda m: NOUN.format(m.group(1)), pattern))


# The direction of a turn, and where it is about: the middle of two things.
_MIDDLE = _noun(
    r"(?:point|spot|place|midpoint|middle|half ?way|midway)(?: [a-z]+){0,5}? between <x> and <y>(?=[.,;]|$| and )"
)
_DEGREES = re.compile(r"\b(\d{1,3}) ?(?:°|degrees?\b|deg\b)")
_FRACTIONS = {
    "a quarter": 90,
    "quarter": 90,
    "half": 180,
    "half a": 180,
    "three quarter": 270,
    "three quarters of a": 270,
}
_FRACTION = re.compile(r"\b(three quarters of a|three quarter|a quarter|quarter|half a|half) turn\b")
_COUNTER = re.compile(r"\bcounter ?-?clockwise\b|\banti ?-?clockwise\b")
_MOVED = re.compile(
    r"\b(?:rotat|turn|walk|went|go|mov|swing|swung|circl|orbit|revolv|travel|step|imagin)\w*\b"
)

# Who looks. <r> is a thing that lends its eyes.
FRAMES: tuple[re.Pattern[str], ...] = tuple(
    _noun(pattern)
    for pattern in (
        r"\b(?:are |be |were |you )?(?:sitting|seated|sit|sat)(?: down)? (?:on|in) <r>(?=[.,:;?]|$| and )",
        r"\b(?:take|took|taking|have|had) a seat (?:on|in) <r>(?=[.,:;?]|$| and | in your mind)",
        r"\b(?:stand|standing|sit|sitting) where <r> (?:is|stands|sits)(?=[.,:;?]|$| and )",
        r"\bfrom the (?:perspective|point of view|viewpoint|standpoint) of <r>(?=[.,:;?]|$)",
        r"\b(?:seen )?through the eyes of <r>(?=[.,:;?]|$)",
        r"\bfrom <r>'s (?:perspective|point of view|viewpoint|standpoint|side|eyes)(?=[.,:;?]|$)",
        r"\bas <r> (?:sees it|does|would see it)(?=[.,:;?]|$)",
        r"\b(?:put|imagine|think|place) yourself (?:in the place of|in the position of|into|as|in the shoes of) <r>(?=[.,:;?]|$| and )",
        r"\b(?:be|are|were|become) <r>(?: for a moment)?(?=[.,:;?]|$| and )",
    )
)
_VIEWERS = {"camera", "viewer", "observer", "photographer", "robot", "picture", "image", "photo"}
_CAMERA = re.compile(
    r"\b(?:camera|viewer|observer|photographer)(?:'s)?\b|\bin this (?:view|image|picture|photo)\b|\bpicture was taken\b"
)
_YOURS = re.compile(r"\bfrom your (?:perspective|point of view|viewpoint)\b,?")

# What is asked; <a> from <b>, or from whoever looks. The first that fits decides.
_FROM = rf"(?:<b>|(?P<self>{_SELF}))"
_BE = r"(?: now| then)?(?: be| lie| stand| sit| appear)?"
_IS = r"(?:is|would|will|does|do you see|would you say|can you see)"
_END = r"(?: now| then)?(?=[.,:;?]|$)"
_SIDES = r"(?:in front|behind|(?:to |on )?(?:the )?(?:left|right))(?: of)?"
ASKED: tuple[re.Pattern[str], ...] = tuple(
    _noun(pattern)
    for pattern in (
        rf"\bwhere {_IS} <a>(?: is)?{_BE} {_TO} {_FROM}{_END}",
        rf"\bwhere <a> (?:is|lies|stands|sits|would be) {_TO} {_FROM}{_END}",
        rf"\b(?:which|what) side of {_FROM} {_IS} <a>{_BE}(?: on)?{_END}",
        rf"\b(?:which|what) (?:direction|way) (?:from|of) {_FROM} (?:{_IS}|lies) <a>{_BE}{_END}",
        rf"\b(?:which|what) (?:direction|way|side) {_IS} <a>{_BE} {_TO} {_FROM}{_END}",
        rf"\bis <a> (?:{_SIDES})(?:,? (?:or )?(?:{_SIDES}))+ {_FROM}{_END}",
        rf"\b(?:where|which side|which direction|what direction) {_IS} <a>(?: is)?{_BE}(?: on)?{_END}",
    )
)
_DIRECTION = {
    "in front of": "front", "to the front of": "front", "behind": "behind", "to the behind of": "behind", "to the back of": "behind",
    "at the back of": "behind", "to the left of": "left", "left of": "left", "on the left of": "left",
    "to the right of": "right", "right of": "right", "on the right of": "right",
} | {
    f"{lead}{one}{join}{side} of": f"{one}-{side}"
    for one in ("front", "behind") for side in ("left", "right") for join in ("-", " ") for lead in ("to the ", "")
}  # fmt: skip
_RELATION = "|".join(sorted(map(re.escape, _DIRECTION), key=len, reverse=True))
_STATEMENT = _noun(rf"(?:^|,|sees?|shows|\bis|\bare|that) ?<a>(?: is)? (?P<rel>{_RELATION}) <b>(?=[.,:;?]|$)")
_IMAGES = re.compile(r"\b(?:(?:two|three|four|these|all) )+(?:images|views|pictures|photos|scenes)\b")
_WHICH = re.compile(
    r"\bwhich (?:scene|image|view|picture|one|of them|of the)\b|\bthe (?:one|image|view|picture) in which\b"
)
_NEAREST = re.compile(r"\b(?:nearest|closest)\b")
_BEHIND_SOMEONE = (
    _noun(rf"from <r>'s perspective, there is (?:an? )?(?:object|thing|something) (?P<rel>{_RELATION}|behind|in front of) (?:them|him|her|it)"),
    _noun(rf"\b(?:something|object|thing)(?: that)?(?: (?:is|stands|lies))? (?P<rel>{_RELATION}) <r>(?=[.,:;?]|$)"),
)  # fmt: skip
_TAIL = re.compile(r"\b(?:answer with .*|choices: .*)$", re.DOTALL)
_ORDER = re.compile(r"\((?:first|image 1|1st)[^)]*\)")


def read(text: str) -> Parse:
    """The program of a question."""
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
    except (_NotRead, ProgramError) as failure:
        return Parse("unparsed", reason=str(failure))


class _NotRead(Exception):
    """A piece of the question that no pattern fits."""


def _clean(text: str) -> str:
    text = text.replace("’", "'").replace("‘", "'").replace("º", "°")
    text = re.sub(
        r"\b(where|you|what|which)'(?:s|re)\b", lambda m: f"{m[1]} {'are' if m[1] == 'you' else 'is'}", text
    )
    text = _ORDER.sub("", text)
    return re.sub(r"\s+", " ", re.sub(r"\s+([,.?])", r"\1", text)).strip()


def _several(text: str) -> Call:
    """A question on several images."""
    if _NEAREST.search(text):
        for pattern in _BEHIND_SOMEONE:
            if found := pattern.search(text):
                person = call("thing", _bare(found["r"]))
                return call("name", call("nearest", call("toward", _DIRECTION[found["rel"]], person)))
        raise _NotRead("not understood: what stands where, that something is nearest to")
    if _WHICH.search(text):
        bare = _CAMERA_PHRASE.sub(" ", text)
        for found in _STATEMENT.finditer(re.sub(r"\s+(?=[?.,])", "", re.sub(r"\s+", " ", bare))):
            things = (call("thing", _bare(found[k])) for k in "ab")
            return call("which_view", _DIRECTION[found["rel"]], *things)
        raise _NotRead("not understood: the statement that holds in one of the images")
    raise _NotRead("not understood: what is asked about these images")


_CAMERA_PHRASE = re.compile(
    r"\b(?:from|as|in) (?:the |your )?(?:camera|viewer|observer)(?:'s)?(?: (?:perspective|point of view|viewpoint|view|sees it|does|side))?\b,?"
)


def _one(text: str) -> Call:
    """A question on one image."""
    turn, rest = _turn(text)
    owner, rest = _frame(rest)
    if owner is None and not turn and not _CAMERA.search(text):
        raise _NotRead("not understood: from whose perspective")
    a, b = _asked(rest)
    if owner is None:
        if b is None:
            raise _NotRead(f"not understood: relative to what the {a} is asked for")
        inner = call("where", call("thing", a), call("thing", b), CAMERA)
    else:
        eyes = call("thing", owner)
        inner = call(
            "where", call("thing", a), eyes if b in (None, owner) else call("thing", b), call("own", eyes)
        )
    for angle, first, second in turn:
        inner = call("turned", angle, call("thing", first), call("thing", second), inner)
    return inner


def _turn(text: str) -> tuple[list[tuple[str, str, str]], str]:
    """[(angle, first, second)] of an imagined turn, or [], and the text without what says it."""
    found = _MIDDLE.search(text)
    if not found:
        if _DEGREES.search(text) and _MOVED.search(text):
            raise _NotRead("not understood: the point that the observer goes around")
        return [], text
    degrees, fraction = _DEGREES.search(text), _FRACTION.search(text)
    if not degrees and not fraction:
        raise _NotRead("not understood: by how much the observer is turned")
    angle = int(degrees[1]) if degrees else _FRACTIONS[fraction[1]]
    if not _COUNTER.search(text):
        if "clockwise" not in text and angle != 180:
            raise _NotRead("not understood: which way the observer is turned")
        angle = -angle
    if angle % 360 == 0 or angle % 45:
        raise _NotRead(f"a turn of {abs(angle)} degrees is not a multiple of 45")
    rest = text[: found.start()] + text[found.end() :]
    return [(str(angle % 360), _bare(found["x"]), _bare(found["y"]))], rest


def _frame(text: str) -> tuple[str | None, str]:
    """The thing that lends its eyes (None: the camera), and the text without the words that say so."""
    for pattern in FRAMES:
        for found in pattern.finditer(text):
            if not _VIEWERS & set(re.split(r"[ ']", found["r"])):
                rest = text[: found.start()] + " " + text[found.end() :]
                return _bare(found["r"]), _YOURS.sub(" ", rest)
    return None, _CAMERA_PHRASE.sub(" ", text)


def _asked(text: str) -> tuple[str, str | None]:
    """The thing whose direction is asked for, and the one that it is told from (None: whoever looks)."""
    text = re.sub(r"\s+", " ", text).replace(" ?", "?").replace(" ,", ",")
    text = re.sub(r"\b(?:as|from|in) (?:seen from )?(?:this view|the picture|the image)\b", "", text)
    text = (
        re.sub(r"\b(?:as seen from the camera|in this view|as seen)\b", "", text)
        .replace(" ?", "?")
        .replace(" .", ".")
    )
    text = re.sub(r"\s+(?=[?.,]|$)", "", re.sub(r"\s+", " ", text))
    for pattern in ASKED:
        if found := pattern.search(text):
            groups = found.groupdict()
            return _bare(found["a"]), _bare(groups["b"]) if groups.get("b") else None
    raise _NotRead("not understood: where what is relative to what")


def _bare(noun: str) -> str:
    """The noun without an article, or the possessive it was caught with."""
    noun = re.sub(r"^(?:the|an?|that|this|your|my) ", "", noun.strip())
    return noun.removesuffix("'s")


assert set(_DIRECTION.values()) == set(LABELS)
