"""The clauses of 3DSRBench's questions as patterns, in the order in which they are tried.

Written with a few abbreviations, in capitals:

    X, Y     a description, the first and second thing of the program
    OR, AND  two descriptions joined so: the last two things of the program
    WHICH    the question word of a choice ("which object", "what", "which of the two")
    BE       a copula with what may follow it ("is", "was located", "are")
    ME       the one who stands there ("me", "my", "it", "him")
"""

import itertools
import re

OPENING = re.compile(
    r"^(?:please\s+)?(?:(?:consider|think about|look at|imagine the real|bear in mind)\b[^?]*?[.!]\s*$"
    r"|(?:consider(?:ing)?|comparing|judging|in|within|given|based on|thinking of|going by"
    r"|from)\s+(?:the\s+|their\s+)?"
    r"(?:real|actual|true|3d|world|scene|space|photo(?:graph)?|picture|image|locations?|positions?"
    r"|heights?|orientations?)\b"
    r"[^,?]*,\s*|(?:considering|comparing|judging|regarding|thinking of)\b[^,?]*,\s*(?=which|what|is|are))",
    re.IGNORECASE,
)
# What may stand behind a question and says nothing new.
TAIL = re.compile(
    r",? (?:from (?:its|his|her|their)(?: own)? (?:perspective|point of view|viewpoint|standpoint)"
    r"|in (?:the )?(?:real |actual )?(?:3d |three-dimensional )?(?:world|space|scene|reality|picture|image|photo)(?: space)?)$",
    re.IGNORECASE,
)
POLITE = re.compile(
    r"^(?:(?:would|do|could|can) you (?:say|think|call the orientations of|tell(?: me)?"
    r"|please tell(?: me)?)|tell me|please tell me|is it true|i wonder)"
    r"(?: that| whether| if|,|:)? ",
    re.IGNORECASE,
)
TRAILER = re.compile(r"(?:please\s+)?(?:answer|select|choose|reply|respond|pick)\b[^?]*$", re.IGNORECASE)
CAMERA = re.compile(
    r"(?:(?:the )?(?:camera|viewer|photographer|observer|lens|us|me)|(?:the )?camera's (?:position"
    r"|location))",
    re.IGNORECASE,
)

_NEAR = r"(?:(?:the )?(?:closer|nearer|closest|nearest)(?: one| object)?|less far|less distant)"
_FAR = (
    r"(?:farther|further|farthest|furthest|the farthest|the furthest|more distant|more remote|farther off"
    r"|further off)(?: away| off)?"
)
_LAST = r"(?! .*\b(?:closer|nearer|farther|further) (?:to|from|away)\b)"  # nothing is compared behind it
_HIGH = r"(?:higher|highest|the higher one|the highest)"
_LOW = r"(?:lower|lowest|the lower one|the lowest)"
# What may stand before "directly above", but no thing: beds and paintings are what is asked about.
_HELD = r"(?:(?!\w*bed\b)\w{4,}ed|hung|hanging|sitting|standing|lying|laying|resting|leaning|floating|hovering|flying)"
_WHERE = (  # what may stand behind "higher"
    r"(?: up| down| off the (?:ground|floor)| above the (?:ground|floor)| from the (?:ground|floor))?"
    r"(?:,? (?:in|of) (?:the )?(?:real |actual )?(?:3d |three-dimensional )?(?:world|space|scene"
    r"|reality)(?: space)?)?"
)
_PLACE = r"(?:location|position|place|elevation|altitude|height|point|level|spot)"
# A description: no clause of the question inside it, and no word at its end that something must follow.
_CHARS = r"(?:(?!,? (?:is|are|does|do|would|which|what) (?:the|it|I|we|you)\b).)+?"
_END = "".join(
    rf"(?<!\b{word})"
    for word in ("the", "that", "who", "which", "of", "a", "an", "or", "and", "with", "without")
)
_SHORTHAND = {
    "X": rf"(?!(?:is|are|was|were)\b)(?P<x>{_CHARS}){_END}",
    "Y": rf"(?P<y>{_CHARS}){_END}",
    "OR": rf"(?P<pair>{_CHARS}\s+or\s+{_CHARS}){_END}",
    "AND": rf"(?P<pair>{_CHARS}\s+and\s+{_CHARS}){_END}",
    "WHICH": r"(?:which|what)(?: (?:object|thing|item|one))?(?:,? (?:of|out of|among) (?:the|these|those"
    r"|them) ?(?:two|2|both)?(?: objects| things| items)?)?",
    "BE": (
        r"(?:'s|is|are|was|were|sits?|stands?|lies?|hangs?|be|appears?|looks?)"
        r"(?: (?:located|positioned|placed|situated|standing|sitting|lying|hanging|found|to be))*"
    ),
    "ISARE": r"(?:is|are|was|were|does|do|did|would|will|can|could)",
    "ME": r"(?:me|my|it|its|him|his|her|them|their|myself|itself|you|your)",
    "ANDWHICH": r"(?:of|between|out of|among|comparing|given) AND,? (?:which|what)(?: (?:one|object|thing|item))?",
    "SEP": r"\s*[,:;–-]+\s*",
}
_WORD = re.compile(r"\b(" + "|".join(sorted(_SHORTHAND, key=len, reverse=True)) + r")\b")

# How one takes somebody's place; X is who. What follows is a clause about where something is.
_TAKES = (
    r"(?:if|when|suppose|supposing|imagine|say|assume)(?: that)? (?:I|you|we|one|someone)(?:'m| am| were| was| are)? "
    r"(?:stand|stood|standing|take|took|taking|be|am|were|placed|located|sit|sitting|sat)(?: at| in| where| on)?"
    r"(?: (?:the )?(?:location|position|place|spot|shoes) of)? X(?:'s?)?(?: own)?(?: position| location"
    r"| place| spot| seat| is| stands| shoes| sits)?"
    r"(?:,?(?: and)? (?:fac(?:e|ing|ed)|look(?:ing|ed)?)(?: in)?(?: where| the way| the direction"
    r"| the same direction as| the same way as| the same way| the same direction)?(?: that)?"
    r"(?: (?:it|he|she|they|this|that one)(?:'s| is| are)?)?(?: facing| faces?| looks?| looking"
    r"| do(?:es)?| is)*)?[,:.]? "
)
_VIEW = (
    r"(?:(?:seen|viewed|looking|judged) )?(?:from|in|with respect to|relative to|according to) "
    r"(?:the (?:perspective|point of view|viewpoint|view|position|standpoint|place) of X"
    r"|X's(?: own)? (?:perspective|point of view|viewpoint|view|standpoint|position|place)"
    r"|where X (?:is|stands|sits)(?:,? (?:and )?looking (?:where|the way) (?:it|he|she) (?:looks|faces))?"
    r"|the (?:way|direction)(?: that| in which)? X (?:is |are )?(?:fac(?:es?|ing)|look(?:s|ing)?)(?: in)?"
    r"|X(?:,? (?:in|along) the (?:direction|way)(?: that)? (?:it|he|she) (?:is )?(?:fac(?:es|ing)|look(?:s|ing))))"
    r"(?: in| to)?,? "
)
_FACING_AS = (
    r"(?:facing|looking) (?:the way|where|in the direction|the direction|the same way as"
    r"|in the same direction as)(?: that)? X"
    r"(?: is| are)?(?: fac(?:es?|ing)| look(?:s|ing)?| does)?,? "
)
_STANDING = (
    r"(?:standing|sitting|placed)(?: at| in| where| on)? X(?:'s (?:position|place|location)| is"
    r"| stands)?(?:,?(?: and)? "
    r"(?:facing|looking)(?: in)?(?: the direction| where| the way)?(?: that)?(?: it| he| she| they)?(?:'s"
    r"| is| are)?(?: fac(?:es?|ing)| look(?:s|ing)?)?)?,? "
)
_SEEN = r"(?:(?:seen|viewed) from|relative to) X,? "
_WHERE_IS = (
    r"(?:ISARE|would|will|do|could) (?:I |you |we )?(?:see |find |have )?Y (?:lie |stand |be |sit "
    r"|located |positioned |placed |lying |standing )?"
)
_FRONT_BACK = (
    r"(?:in front(?: of)?|ahead(?: of)?|before|to the front(?: of)?)(?: ME)?,? or (?:is it |be )?"
    r"(?:behind|in back(?: of)?|at the back(?: of)?|to the rear(?: of)?|after)(?: ME)?"
)
_LEFT_RIGHT = (
    r"(?:(?:to|on|at) )?(?:the |ME )?left(?:-hand)?(?: side)?(?: of ME)?,? or (?:(?:is it )?(?:to|on"
    r"|at) )?(?:the |ME )?right"
    r"(?:-hand)?(?: side)?(?: of ME)?"
)
_OTHER = r"(?: (?:to|with|from|of) (?:each other|one another))?"
_SAME = (
    r"(?:in |into )?(?:the )?(?:same|similar|same or similar|identical)(?: or similar)?(?: (?:directions?"
    r"|ways?))?"
)
_DIFFERENT = (
    r"(?:in |into |to |towards )?(?:the |a )?(?:very |quite |completely )?(?:different|opposite|differing"
    r"|another)(?: (?:directions?|ways?|ones?))?"
)
_POINT = (
    r"(?:fac(?:es?|ing)|look(?:s|ing)?|point(?:s|ing)?|head(?:s|ed|ing)?|turn(?:s|ed)?|orient(?:ed|ated)"
    r"|directed|aim(?:s|ed|ing)?|going|moving)"
)
_TOWARD = r"(?:towards?|to|at|in the direction of|into|onto)"
_SIDE_SEEN = (
    r"(?:(?:BE|can be|can|do (?:we|I|you)|would (?:we|I|you)) (?:fac(?:e|ing)|turned|pointing|pointed"
    r"|directed|closest|nearest|closer|nearer"
    r"|visible|seen|see|looking|oriented|shown|showing|exposed|aimed|opposite)|faces|points|looks|shows)"
)
_EYE = r"(?:the )?(?:camera|viewer|photographer|observer|lens|us|me)"
_HOW = (
    r"(?:standing |oriented |aligned |placed |arranged |parked |running |run |lying |stand |lie "
    r"|positioned |facing |going )?"
)

_SPEC: tuple[tuple[str, str], ...] = (
    # --- which is higher, which is lower ------------------------------------------------------------------------
    *(
        (op, pattern.replace("<MORE>", more))
        for op, more in (("higher", _HIGH), ("lower", _LOW))
        for pattern in (
            rf"WHICH (?:has|have|is (?:at|in)|BE at|occupies|takes) (?:a|the) <MORE> {_PLACE}{_WHERE}(?:SEPOR)?",
            rf"WHICH (?:BE )?<MORE>{_WHERE}(?:SEPOR)?",
            rf"ANDWHICH (?:BE )?(?:(?:at )?(?:the |a )?)?<MORE>(?: {_PLACE})?{_WHERE}",
            rf"ANDWHICH has (?:a|the) <MORE> {_PLACE}{_WHERE}",
            rf"(?:is|are) (?:it )?OR (?:that is |that are |which is )?(?:at the |at a )?<MORE>(?: {_PLACE})?{_WHERE}",
            r"(?:is|are) the <MORE> (?:one|object|thing|of the two) OR",
        )
    ),
    *(
        (op, pattern.replace("<SIZE>", size))
        for op, size in (("higher", "(?:greater|larger|higher|bigger)"), ("lower", "(?:smaller|lesser|lower)"))
        for pattern in (
            rf"WHICH BE at (?:a|the) <SIZE> {_PLACE}{_WHERE}SEPOR",
            rf"ANDWHICH BE at (?:a|the) <SIZE> {_PLACE}{_WHERE}",
        )
    ),
    # --- directly above, directly underneath --------------------------------------------------------------------
    *(
        (op, rf"(?:.*, (?:that is|i\.e\.|so),? )?(?:(?:ISARE|BE) )?X (?:BE )?{straight}(?:located |placed |positioned )?{word}Y")
        for op, word in (
            ("above", "(?:above|over|on top of|overhead of) "),
            ("underneath", "(?:underneath|under|below|beneath) "),
        )
        for straight in (f"(?:{_HELD} )?(?:directly |right |straight |vertically |just |exactly )",)
    ),
    # --- parallel or perpendicular ------------------------------------------------------------------------------
    ("parallel",
        r"what is the relation(?:ship)? between the (?:orientations?|directions?) of AND, ?parallel (?:or"
        r"|of) .+"),
    ("parallel",
        rf"(?:ISARE|BE|how are|how BE) AND {_HOW}(?:to (?:each other"
        rf"|one another)[,:]? )?(?:in )?parallel{_OTHER},? (?:or|of) .*?(?:perpendicular|right angles?"
        r"|orthogonal).*"),
    ("parallel",
        r"(?:is|are) the (?:orientation|direction|heading)s? of X parallel (?:to |with )?or (?:perpendicular|at right angles"
        r"|orthogonal)(?: to| with)?(?: (?:that|those) of)? Y"),
    ("parallel", r"AND parallel or (?:perpendicular|at right angles|orthogonal)"),
    ("parallel", rf"how (?:are|BE) AND {_HOW}.*?parallel (?:or|of) .+"),
    ("parallel",
        rf"(?:ISARE|BE) X {_HOW}(?:in )?parallel(?: to| with)?,? (?:or|of) (?:is it )?(?:perpendicular"
        r"|at right angles|at a right angle|orthogonal)(?: to| with) Y"),
    ("parallel",
        rf"(?:ISARE|BE) X {_HOW}parallel (?:to|with) Y,? or (?:is it )?(?:perpendicular|at right angles"
        r"|at a right angle|orthogonal)(?: (?:to|with) it)?"),
    # --- same direction -----------------------------------------------------------------------------------------
    ("same_direction", rf"(?:ISARE|BE) AND (?:both )?{_POINT},? {_SAME},? or (?:rather )?{_DIFFERENT}"),
    ("same_direction", rf"(?:ISARE|BE) AND (?:both )?{_POINT} {_SAME}"),
    ("same_direction", rf"(?:ISARE|BE) X {_POINT} {_SAME} as Y(?:,? or {_DIFFERENT})?"),
    ("same_direction", rf"(?:ISARE|BE) X and Y {_POINT} {_SAME},? or {_DIFFERENT}"),
    # --- where something is, of somebody's own ------------------------------------------------------------------
    *(
        (op, lead + _WHERE_IS + where)
        for op, where in (("in_front_of", _FRONT_BACK), ("on_the_left", _LEFT_RIGHT))
        for lead in (_TAKES, _FACING_AS, _VIEW, _STANDING, _SEEN)
    ),
    ("in_front_of",
        rf"(?:ISARE|BE) Y (?:{_HELD} )?(?:in front(?: of)?|ahead(?: of)?) or (?:behind|in back of"
        r"|at the back of) X"),
    ("in_front_of", rf"(?:ISARE|BE) Y (?:{_HELD} )?(?:in front of|ahead of) X or (?:behind|in back of)(?: ME)?"),
    ("on_the_left",
        r"(?:ISARE|BE) Y (?:to|on) (?:the )?left(?:-hand)?(?: side)? or (?:(?:to"
        r"|on) )?(?:the )?right(?:-hand)?(?: side)? of X"),
    ("on_the_left",
        r"(?:ISARE|BE) Y (?:to|on) X's (?:own )?left(?:-hand)?(?: side)? or (?:(?:to|on) )?(?:X's |its "
        r"|the )?(?:own )?right(?:-hand)?(?: side)?".replace("(?:X's |", "(?:")),
    # --- next to or far -----------------------------------------------------------------------------------------
    ("next_to",
        r"(?:(?:ISARE|BE) )?AND (?:BE )?(?:right |placed |located )?(?:next to|beside|adjacent|close to|near"
        r"|near to|close|together|neighbou?rs|side by side)(?: together)?(?: each other"
        r"| one another)?,? or (?:are they |BE )?(?:far|well|a long way|wide|apart|distant).*"),
    ("next_to",
        r"(?:(?:ISARE|BE) )?X (?:BE )?(?:right |placed |located )?(?:next to|beside|close to|near|near to"
        r"|by)(?:,)? or (?:is it )?(?:far|well away|a long way|distant)(?: away)? from Y"),
    ("next_to",
        r"(?:(?:ISARE|BE) )?X (?:BE )?(?:right |placed |located )?(?:next to|beside|close to|near|near to"
        r"|by) Y,? or (?:is it |are they )?(?:far|well|a long way|distant).*"),
    ("next_to", r"(?:is|are) X (?:right )?next to Y"),
    # --- the side that a picture shows, when nothing says who sees it --------------------------------------------
    ("side_to_camera",
        r"(?:which|what) side of X (?:do (?:we|I|you) see|can (?:we|I|you) see|are (?:we|you) (?:looking at"
        r"|seeing)|is visible|is seen|can be seen|is shown|is in view|is showing)(?: (?:in|on) (?:this"
        r"|the) (?:picture|image|photo|photograph))?"),
    # --- which side ---------------------------------------------------------------------------------------------
    ("side_to_camera", rf"(?:which|what) side of X {_SIDE_SEEN}(?: {_TOWARD}| from| by| in)? {_EYE}"),
    ("side_to_camera",
        r"(?:which|what)(?: of its)? sides? (?:does|do|is) X (?:turn|show|present|have|point|face|facing"
        rf"|turning|showing)(?: {_TOWARD})? {_EYE}"),
    ("side_to", rf"(?:which|what) side of X {_SIDE_SEEN}(?: {_TOWARD}| from| by| in)? Y"),
    ("side_to",
        r"(?:which|what)(?: of its)? sides? (?:does|do|is) X (?:turn|show|present|have|point|face|facing"
        rf"|turning|showing)(?: {_TOWARD})? Y"),
    ("side_to",
        r"(?:seen|viewed|looking) from Y,? (?:which|what) side of X (?:is it|is visible|is seen|do (?:we|I"
        r"|you) see|can be seen|is this|BE in view|shows?)"),
    ("side_to", r"on (?:which|what) side of X (?:is|are|BE) Y(?:[,:] ?.*)?"),
    # --- which of two is faced, nearer, farther -----------------------------------------------------------------
    ("facing", rf"(?:does|is) the front of X {_POINT}(?: {_TOWARD})? OR"),
    ("facing", rf"WHICH (?:is|are|does|do) X (?:\w+ly )?{_POINT}(?: {_TOWARD})?SEPOR"),
    ("facing", rf"{_TOWARD} WHICH (?:is|are|does|do) X (?:\w+ly )?{_POINT}SEPOR"),
    ("facing", rf"(?:ISARE) X (?:\w+ly )?{_POINT}(?: {_TOWARD})? OR"),
    ("facing", rf"is it OR (?:that|which) X (?:is |are )?{_POINT}(?: {_TOWARD})?"),
    ("facing", rf"ANDWHICH (?:is|are|does|do) X (?:\w+ly )?{_POINT}(?: {_TOWARD})?"),
    *(
        (op, pattern.replace("<MORE>", more))
        for op, more in (("closer_to", rf"{_NEAR}(?: to)?{_LAST}"), ("farther_from", rf"{_FAR}(?: from| of)?{_LAST}"))
        for pattern in (
            r"WHICH (?:BE )?(?:the one )?<MORE> X SEPOR",
            r"WHICH (?:BE )?(?:the one )?<MORE> X",
            r"ANDWHICH (?:BE )?(?:the one )?<MORE> X",
            r"(?:what|which) BE X <MORE>SEPOR",
        )
    ),
    *(
        (op, rf"(?:is|are|does|do) (?:it )?OR (?:that is |that BE |BE )?{more} X")
        for op, more in (
            ("closer_to", r"(?:closer|nearer)(?: to)?"),
            ("farther_from", r"(?:farther|further)(?: away| off)? from"),
        )
    ),
    *(
        (op,
            r"(?:seen )?from (?:the )?(?:camera|viewer|photographer|observer)(?:'s (?:position|place|location"
            rf"|perspective|point of view))?,? WHICH BE {more}SEPOR")
        for op, more in (("nearer_camera", _NEAR), ("farther_camera", _FAR))
    ),
)  # fmt: skip


def _compiled(pattern: str) -> re.Pattern[str]:
    pattern = re.sub(" ?SEPOR", r"SEP(?:is it )?OR", pattern).replace("SEP", _SHORTHAND["SEP"])
    for _ in range(2):  # abbreviations hold abbreviations
        pattern = _WORD.sub(lambda m: _SHORTHAND[m[1]], pattern)
    count = itertools.count()  # a description may stand in several alternatives; names of groups are unique
    pattern = re.sub(r"\(\?P<(\w+)>", lambda m: f"(?P<{m[1]}{next(count)}>", pattern)
    return re.compile(pattern, re.IGNORECASE)


# A word without which no question asks for the operation: most patterns are skipped for its lack.
_HEIGHTS, _FRONTS = r"higher|highest|greater|larger|bigger|lower|lowest|smaller|lesser", r"front|ahead|before"
_KEYS: dict[str, str] = {
    "higher": _HEIGHTS,
    "lower": _HEIGHTS,
    "above": r"above|over|top",
    "underneath": r"under|underneath|below|beneath",
    "next_to": r"next|near|beside|adjacent|close|together|neighbou?rs?|side by side|by",
    "in_front_of": _FRONTS,
    "on_the_left": r"left",
    "side_to_camera": r"sides?",
    "side_to": r"sides?",
    "parallel": r"parallel",
    "same_direction": r"same|similar|identical",
    "closer_to": r"closer|closest|nearer|nearest|less far|less distant",
    "nearer_camera": r"closer|closest|nearer|nearest|less far|less distant",
    "farther_from": r"farther|further|farthest|furthest|more distant|more remote",
    "farther_camera": r"farther|further|farthest|furthest|more distant|more remote",
    "facing": r"fac\w+|look\w*|point\w*|head\w*|turn\w*|orient\w+|directed|aim\w*|going|moving",
}
KEYS: dict[str, re.Pattern[str]] = {op: re.compile(rf"\b(?:{k})\b", re.IGNORECASE) for op, k in _KEYS.items()}
PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple((op, _compiled(p)) for op, p in _SPEC)

# Of each type of answer, how an option says it.
CHOICE_WORDS: dict[str, dict[str, re.Pattern[str]]] = {
    output: {answer: re.compile(words) for answer, words in table.items()}
    for output, table in {
        "boolean": {"yes": r"^\W*(?:yes|true)\b", "no": r"^\W*(?:no|false)\b"},
        "nearness": {
            "next to each other":
                r"^(?!.*\bfar\b)(?!\W*no\b).*(?:next|near|close|beside|side by side|together|neighbou?r|adjacent"
                r"|^\W*yes\b)",
            "far away from each other": r"\b(?:far|apart|distant|away)\b|^\W*no\b",
        },
        "depth": {"in front of": r"\b(?:front|ahead|before)\b", "behind": r"\b(?:behind|back|rear)\b"},
        "side": {"on the left": r"\bleft\b", "on the right": r"\bright\b"},
        "quarter": {
            "front": r"\bfront\b", "left": r"\bleft\b", "back": r"\b(?:back|rear|behind)\b", "right": r"\bright\b",
        },
        "alignment": {"parallel": r"\bparallel\b", "perpendicular": r"\b(?:perpendicular|right angles?|orthogonal)\b"},
        "agreement": {
            "same or similar directions": r"^(?!.*\b(?:different|opposite)\b).*\b(?:same|similar|yes)\b",
            "very different directions": r"\b(?:different|opposite|no)\b",
        },
    }.items()
}  # fmt: skip
