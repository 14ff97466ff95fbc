"""Rule-based parser of people's questions about photographs: `grammars/photographs.patterns`.

    "Which is nearer: the skater or the bench?", () ─►
        query(name, best(distance, least, viewer, group(refer("skater"), refer("bench"))))

Descriptions are kept as written, without their article, and are grounded by best match. A question
that no pattern matches is left to the other parsers.
"""

import functools
import re
from collections.abc import Mapping, Sequence

from po3d.language.descriptions import describe
from po3d.language.grammar import load
from po3d.language.lexicon import kinds_of
from po3d.language.program import Call, ProgramError
from po3d.language.read.by_grammar import instantiated
from po3d.language.read.parse import Parse

_WORDINGS = load("photographs", "patterns")
_SHORTHAND = _WORDINGS.shorthand()
_TOKEN = re.compile(rf"(?<!\?P<)(?:{'|'.join(sorted(_SHORTHAND, key=len, reverse=True))})")
OPENING, TAIL, VIEWPOINT = _WORDINGS.expressions("opening", "tail", "viewpoint")
refer = functools.partial(Call.of, "refer")
MOST = 4  # things in a list
LONGEST = 300  # characters of a question
_ARTICLE = re.compile(r"^(?:the|an?|any|some|to|this|that|these|those)\s+", re.IGNORECASE)
_THE = re.compile(r"the\s", re.IGNORECASE)
_PARTED = re.compile(r"\s*,\s*(?:or|and)\s+|\s*,\s*|\s+or\s+")
_NUMBER = re.compile(r"^(?:two|three|four|five|both|several)\s+(?=\w)", re.IGNORECASE)
_ONE = re.compile(r"\bones?\b", re.IGNORECASE)
# "the bunch on the left", of bananas
_SEVERAL = re.compile(r"^(?:bunch|group|pair|pile|row|herd|flock|stack|set)\b", re.IGNORECASE)
_AWAY = re.compile(r"\b(?:away|backs?)\b", re.IGNORECASE)
_KIND_OF = re.compile(r"\b(?:some|any|a|an) (?:kind|sort|type)s? of\b(?: an?\b)?", re.IGNORECASE)


@functools.cache
def _compiled(wording: str) -> re.Pattern[str]:
    wording = _WORDINGS.with_pieces(wording)
    return re.compile(_TOKEN.sub(lambda m: _SHORTHAND[m[0]], wording), re.IGNORECASE)


@functools.lru_cache(maxsize=256)
def read(text: str, options: Sequence[str] = ()) -> Parse | None:
    """Parse a question with the options that it offers; None if no rule matches."""
    question = " ".join(text.replace("’", "'").split()).strip(" ?.!")
    if len(question) > LONGEST or VIEWPOINT.search(question):
        return None
    question = TAIL.sub("", OPENING.sub("", question)).strip(" ,?.!")
    for rule in _WORDINGS.of["asks"]:
        for match in filter(None, (_compiled(text).fullmatch(question) for text in rule.wordings)):
            try:
                bound, listed = _bound(match.groupdict(), question)
                program = instantiated(rule.pattern, bound)
            except ProgramError:
                continue
            if program.op == "direction" and program.args[1] == Call("viewer"):
                return Parse("ok", program, option_of=_facing_options(program, options))
            return Parse("ok", program, option_of=_options_of(listed, options))
    return None


def _bound(
    groups: Mapping[str, str | None], question: str
) -> tuple[dict[str, Call], Sequence[str]]:
    """Return the calls of the captured groups, and the descriptions of a list of candidates."""
    bound, listed = {}, ()
    for name, text in groups.items():
        if text is None or name == "W":
            continue
        if name == "L":
            listed = _listed(text, question)
            bound[name] = _union(list(map(refer, listed)))
        elif name == "S":
            phrase = _bare(" ".join(filter(None, (text, groups.get("W")))))
            if not kinds_of(describe(phrase).noun):
                raise ProgramError(f"no noun of the lexicon in {phrase!r}")
            article = _THE.match(text) if groups.get("W") else None
            definite = article[0].lower() if article else ""
            bound[name] = Call("filter", ("name", definite + phrase, Call("scene")))
        else:
            bound[name] = Call("refer", (_bare(text),))
    if "Y" in bound and _ONE.search(phrase := str(bound["Y"].args[0])):  # "of the blue one"
        noun = _kind_words(describe(groups.get("X") or "").noun)
        bound["Y"] = Call("refer", (_ONE.sub(noun, phrase),)) if noun else bound["Y"]
    return bound, listed


def _kind_words(noun: str) -> str:
    """Return the shortest end of a noun that names a kind: "bird" of "flying bird"."""
    words, end = noun.split(), ""
    while words and not kinds_of(end):
        end = f"{words.pop()} {end}".strip()
    return end if kinds_of(end) else noun


def _listed(text: str, question: str) -> list[str]:
    """Return the descriptions of a list; "the white one" gets the noun of the first description, or
    of "which bear"."""
    parts = list(filter(None, _PARTED.split(text)))
    if " or " not in text:
        parts = [*parts[:-1], *re.split(r"\s+and\s+", parts[-1])]
    parts = list(map(_bare, parts))
    if not 2 <= len(parts) <= MOST or len(set(parts)) < len(parts) or not all(parts):
        raise ProgramError(f"{text!r} does not name two to {MOST} objects")
    which = re.match(r"(?:which|what) ([a-z]+) ", question, re.IGNORECASE)
    noun = which[1] if which and kinds_of(which[1]) else describe(parts[0]).noun
    for k, part in enumerate(parts if noun else ()):
        if which and kinds_of(which[1]) and " of " not in part:
            part = _SEVERAL.sub(noun, part)
        parts[k] = _ONE.sub(noun, part)
    return parts


def _union(objects: Sequence[Call]) -> Call:
    pairs = [Call("group", tuple(objects[k : k + 2])) for k in range(0, len(objects), 2)]
    return functools.reduce(lambda a, b: Call("union", (a, b)), pairs)


def _bare(text: str) -> str:
    text = _KIND_OF.sub("a", text).strip(" ,:;")
    while (shorter := _NUMBER.sub("", _ARTICLE.sub("", text))) != text:
        text = shorter
    if not text:
        raise ProgramError("a description is empty")
    return text


def _facing_options(program: Call, options: Sequence[str]) -> dict[str, str]:
    """Return the option of "facing us" and of "facing away"; {} if the options are others."""
    away = list(filter(_AWAY.search, options))
    if program.args[3] != "front_or_behind" or len(options) != 2 or len(away) != 1:
        return {}
    (toward,) = set(options) - set(away)
    return {"front": toward, "in front of": toward, "behind": away[0]}


def _options_of(listed: Sequence[str], options: Sequence[str]) -> dict[str, str]:
    """Return the option of each description: by shared words, else by order."""
    if len(listed) != len(options):
        return {}
    words = lambda text: set(re.findall(r"\w+", text.lower()))  # noqa: E731
    of: dict[str, str] = {}
    for k, one in enumerate(listed):
        shared = [len(words(option) & words(one)) for option in options]
        best = shared.index(max(shared))
        of[one] = options[k if shared[k] == shared[best] else best]
    return of if len(set(of.values())) == len(listed) else dict(zip(listed, options))
