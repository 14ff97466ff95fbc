"""Split a clause about the viewer from a question: "If I'm sitting on the bed, is the lamp on my
left?" has the frame sentence "I'm sitting on the bed".
"""

import re

from po3d.language.grammar import load

_CLAUSE = load("viewpoints", "patterns").expression("clause", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|its|it['’]s|them|they|their)\b", re.IGNORECASE)
_DIRECTION = re.compile(
    r"\b(?:left|right|front|behind|ahead|side|hand|way|direction|back)\b", re.IGNORECASE
)
SHORTEST_REST = 3  # words of the question that remains


def split_viewpoint(text: str) -> tuple[str, str]:
    """Return the frame sentence at the beginning of a question about a direction, and the rest; the
    frame is "" if the question has no such clause."""
    match = _CLAUSE.match(text)
    if match is None or len(match["rest"].split()) < SHORTEST_REST:
        return "", text
    # a pronoun refers to an object that the clause names
    if _PRONOUN.search(match["rest"]) or not _DIRECTION.search(match["rest"]):
        return "", text
    clause, rest = match["clause"].strip(), match["rest"].strip()
    return f"{clause[0].upper()}{clause[1:]}.", f"{rest[0].upper()}{rest[1:]}"
