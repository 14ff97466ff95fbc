"""The program dialect of 3DSRBench: one operation on one to three described objects.

    higher("cyclist in orange suit", "yellow board")   which of the two is higher
    closer_to("coffee table", "TV", "surfboard")       which of the last two is closer to the first
    side_to("dog", "speakers")                         which side of the first faces the second

Objects are open text, as annotators describe them, or "#3 brown chair": object 3 of the scene,
whatever its name. The answer of an operation is one of its type's words (`ANSWERS`) or, for
"object", one of its candidates.
"""

from po3d.language.dialects import Dialect
from po3d.language.program import Language, Tree, meanings, rows, signatures

_TABLE = rows("programs/threedsrbench.txt")


OPERATIONS = {row.op: row.signature for row in _TABLE}
CATEGORY = {row.op: row.note for row in _TABLE}  # operation -> the benchmark's question type
ANSWERS: dict[str, tuple[str, ...]] = {  # the benchmark's own words
    "boolean": ("yes", "no"),
    "nearness": ("next to each other", "far away from each other"),
    "depth": ("in front of", "behind"),
    "side": ("on the left", "on the right"),
    "quarter": ("front", "left", "back", "right"),
    "alignment": ("parallel", "perpendicular"),
    "agreement": ("same or similar directions", "very different directions"),
}


class PhraseCall(Tree):
    """A question: an operation on objects."""

    language = Language(signatures(_TABLE), {"thing": str}, frozenset({"thing"}))

    @property
    def things(self) -> tuple[str, ...]:
        return self.args

    @property
    def candidates(self) -> tuple[int, ...]:
        """Return the indices of the objects that may be the answer; () if the answer is a word."""
        count = len(self.args)  # the last two may be the answer
        return (count - 2, count - 1) if self.output == "object" else ()

    @property
    def answers(self) -> tuple[str, ...]:
        """Return all possible answers."""
        if self.output == "object":
            return tuple(self.things[k] for k in self.candidates)
        return ANSWERS[self.output]


THREEDSRBENCH = Dialect("3DSRBench's language", PhraseCall, meanings(_TABLE))
ask, parse_text = PhraseCall.of, PhraseCall.parse
