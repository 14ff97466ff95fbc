"""The kind of answer that a question asks for, from its wording."""

import re

from po3d.language.grammar import load
from po3d.language.programs.street import FILTER_VALUES
from po3d.scene.vocabulary import SHAPES

# Answer types and their answers.
ANSWERS: dict[str, tuple[str, ...]] = {
    "boolean": ("yes", "no"),
    "integer": tuple(map(str, range(11))),
    "shape": SHAPES,
    **{kind: FILTER_VALUES[kind] for kind in ("color", "size", "material", "facing")},
}
_YES_OR_NO, _NUMBER, _ATTRIBUTE_QUESTION = map(
    load("answers", "patterns").expression, ("boolean", "integer", "attribute")
)


def queried_kind(text: str) -> str:
    """Return the answer type of a question, from its last clause: a key of ANSWERS ("boolean",
    "integer" or an attribute)."""
    clause = re.split(r"[;.]\s*", text.lower().strip(" ?.;"))[-1]
    if _YES_OR_NO.match(clause):
        return "boolean"
    if _NUMBER.search(clause):
        return "integer"
    match = _ATTRIBUTE_QUESTION.search(clause)
    return match.lastgroup if match and match.lastgroup else "shape"
