"""Difficulty settings of twins: options of `po3d generate` and `split=fresh` beyond the benchmark's
own rules.

Each benchmark has the settings that apply to it (`STREET`, `ROOM`, `INDOOR`, `ORBIT`); equal names
have equal meanings. With the defaults, a twin is byte-identical to one without settings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from po3d.io.errors import InputError

HOPS = (1, 2, 3)
# an object counts as occluded if at most this fraction of it is visible in the worse of two views
PARTLY_HIDDEN = 0.75
SHARE = (0, 1)

# The settings of each kind of twin: the range of `objects` (more objects seldom fit), the allowed
# `hops`, the range of shares.
Limits = Mapping[str, tuple[int, ...]]
STREET: Limits = {"objects": (1, 14), "occluded": SHARE, "hops": HOPS, "near": SHARE}
ROOM: Limits = {"objects": (4, 30), "hops": (1, 2), "near": SHARE}  # nothing is occluded in maps
INDOOR: Limits = {"objects": (4, 30), "occluded": SHARE, "near": SHARE}
# SCOPE's cameras look down, so the objects in questions are hardly ever occluded
ORBIT: Limits = {"objects": (6, 9), "near": SHARE}


@dataclass(frozen=True)
class Difficulty:
    """Difficulty of a twin; None: the benchmark's own rule."""

    # Smallest and largest number of objects. Streets: uniformly distributed, by default 3 to 10.
    # Rooms and indoor views: besides doors and windows, if they fit; by default 9 to 22 by the
    # room's size. Orbits: by default 6 to 8, sometimes with duplicates.
    objects: tuple[int, int] | None = None
    # Streets: fraction of partly occluded objects. Indoor views: fraction of questions about an
    # object of which a quarter is occluded in one of the two views.
    occluded: float | None = None
    # Lengths of the relation chains. Streets: in L3 and L5-6D, by default all templates. Rooms: by
    # default 0 to 2.
    hops: tuple[int, ...] | None = None
    # Streets and rooms: fraction of questions whose answer a typical perception error would change
    # (po3d.reasoning.counterfactuals); in streets, of those that depend on geometry. Indoor views:
    # fraction of questions closer to a decision boundary than other questions allow
    # (`po3d.synthesis.indoor_view.questions`). Orbits: fraction of the pairs asked about in the
    # cameras' frames that are within 10 degrees of a sector's border.
    near: float | None = None

    def changed(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, ready for JSON; `difficulty_of` reads
        them back."""
        different = {}
        for name, value in asdict(self).items():
            if value is not None:
                different[name] = list(value) if isinstance(value, tuple) else value
        return different

    @property
    def tag(self) -> str:
        """A part of a folder's name that distinguishes twins: "-objects3_6-near0.5", "" for the
        defaults."""
        tag = ""
        for name, value in self.changed().items():
            tag += f"-{name}{'_'.join(map(str, value)) if isinstance(value, list) else value}"
        return tag


DEFAULT = Difficulty()


def difficulty_of(options: Mapping[str, Any] | None, limits: Limits = STREET) -> Difficulty:
    """Return the difficulty given in a config or a twin's description. Raise InputError for
    settings that are invalid, or not among those of the kind of twin."""
    values = dict(options or {})
    if unknown := set(values) - set(limits):
        raise InputError(
            f"difficulty: unknown key {sorted(unknown)[0]!r}; known: {', '.join(limits)}"
        )
    for name, value in values.items():
        if value is None:
            continue
        if name in ("objects", "hops"):
            values[name] = _whole_numbers(name, value, limits[name])
        elif type(value) not in (int, float) or not 0 <= value <= 1:
            raise InputError(
                f"difficulty.{name}={value!r} should be a fraction between 0 and 1, or null"
            )
    return Difficulty(**values)


def _whole_numbers(name: str, value: Any, limits: tuple[int, ...]) -> tuple[int, ...]:
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    right = listed and set(map(type, value)) <= {int}
    if not right or (name == "objects" and len(value) != 2):
        kind = "2" if name == "objects" else "whole"
        raise InputError(f"difficulty.{name}={value!r} should be a list of {kind} numbers")
    if name == "hops" and (not value or set(value) - set(limits)):
        raise InputError(
            f"difficulty.hops={list(value)} should contain some of {list(limits)}, or be null"
        )
    if name == "objects" and not limits[0] <= value[0] <= value[1] <= limits[1]:
        raise InputError(
            f"difficulty.objects={list(value)} should be two increasing numbers between"
            f" {limits[0]} and {limits[1]}"
        )
    return tuple(value)
