"""Whether a reading of a change keeps that some of several things are meant, not all: "one of the chairs"."""

import re
from collections.abc import Iterator

from po3d.language.program import Call

# Not a place ("to one of the corners"), and not all of so many ("all three of the chairs", "every one of the doors").
PARTLY = re.compile(
    r"(?<!all )(?<!every )(?<!each )(?<!every single )(?<!to )(?<!in )(?<!on )(?<!at )(?<!by )(?<!near )(?<!beside )(?<!against )(?<!under )"
    r"\b(?:(?:one|two|three|four|five|some|half|most|any|a few|a couple|several) of (?:the|these|those|them|my|our|your|his|her|their|its)"
    r"|half the|all but|either)\b",
    re.IGNORECASE,
)
PARTS = ("some", "exclude", "group")  # what leaves some of a set, or names each
EDITS = ("move", "turn", "face", "remove", "set", "replace")


def forgets_how_many(text: str, change: Call) -> bool:
    """Whether the text says that a part of several things changed, and the program changes all of every set that it speaks of."""
    if not PARTLY.search(text):
        return False
    changed = [next(_sets(call)) for call in change.calls() if call.op in EDITS]
    return bool(changed) and not any(part.op in PARTS for one in changed for part in _chain(one))


def _sets(call: Call) -> Iterator[Call]:
    return (a for a in call.args if isinstance(a, Call) and a.output == "objects")


def _chain(objects: Call) -> Iterator[Call]:
    """A set and those that it is taken from; not what it is told by."""
    yield objects
    for inner in _sets(objects):
        yield from _chain(inner)
