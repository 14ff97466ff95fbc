"""Difficulty settings of twins: options of `po3d generate` and `split=fresh` beyond the benchmark's
own rules.

Each benchmark has the settings that apply to it; equal names have equal meanings. With the
defaults, a twin is byte-identical to one without settings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from po3d.io.errors import InputError
from po3d.synthesis.street.layouts import MAX_OBJECTS, MIN_OBJECTS

HOPS = (1, 2, 3)
ROOM_HOPS = (1, 2)
# an object counts as occluded if at most this fraction of it is visible in the worse of two views
PARTLY_HIDDEN = 0.75


class _Difficulty:
    """Validation and serialization shared by all settings; subclasses define the fields and their
    ranges."""

    RANGE: ClassVar[tuple[int, int]]  # range of `objects`; more objects seldom fit
    HOPS: ClassVar[tuple[int, ...]] = ()

    def __post_init__(self) -> None:
        least, most = self.RANGE
        if self.objects is not None:
            low, high = self.objects
            if not least <= low <= high <= most:
                raise InputError(
                    f"difficulty.objects={[low, high]} should be two increasing numbers between"
                    f" {least} and {most}"
                )
        for name in ("occluded", "near"):
            share = getattr(self, name, None)
            if share is not None and not 0 <= share <= 1:
                raise InputError(
                    f"difficulty.{name}={share} should be a fraction between 0 and 1, or null"
                )
        hops = getattr(self, "hops", None)
        if hops is not None and (not hops or set(hops) - set(self.HOPS)):
            raise InputError(
                f"difficulty.hops={list(hops)} should contain some of {list(self.HOPS)}, or be null"
            )

    def changed(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, ready for JSON; `difficulty_of` reads
        them back."""
        different = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if value != f.default:
                different[f.name] = list(value) if isinstance(value, tuple) else value
        return different

    @property
    def tag(self) -> str:
        """A part of a folder's name that distinguishes twins: "-objects3_6-near0.5", "" for the
        defaults."""
        tag = ""
        for name, value in self.changed().items():
            tag += f"-{name}{'_'.join(map(str, value)) if isinstance(value, list) else value}"
        return tag


@dataclass(frozen=True)
class Difficulty(_Difficulty):
    """Difficulty of street scenes."""

    RANGE = (1, 14)
    HOPS = HOPS
    # Smallest and largest number of objects; uniformly distributed
    objects: tuple[int, int] = (MIN_OBJECTS, MAX_OBJECTS)
    occluded: float | None = None  # fraction of partly occluded objects; None: not controlled
    # Lengths of the relation chains in L3 and L5-6D; None: all templates
    hops: tuple[int, ...] | None = None
    # Fraction of questions, in the columns that depend on geometry, whose answer a typical
    # perception error would change (po3d.reasoning.counterfactuals); None: not controlled.
    near: float | None = None


@dataclass(frozen=True)
class RoomDifficulty(_Difficulty):
    """Difficulty of Hypo3D's rooms. They are shown in top views only, where nothing is occluded."""

    RANGE = (4, 30)
    HOPS = ROOM_HOPS
    # Number of objects besides doors and windows, if they fit; None: by the room's size, 9 to 22.
    objects: tuple[int, int] | None = None
    # Lengths of the relation chains in questions; None: not controlled, 0 to 2.
    hops: tuple[int, ...] | None = None
    # Fraction of questions whose answer a typical perception error would change
    # (po3d.reasoning.counterfactuals); None: not controlled.
    near: float | None = None


@dataclass(frozen=True)
class IndoorDifficulty(_Difficulty):
    """Difficulty of 3DSRBench's indoor views."""

    RANGE = (4, 30)
    # As in RoomDifficulty.
    objects: tuple[int, int] | None = None
    # Fraction of questions about an object of which a quarter is occluded in one of the two views;
    # None: not controlled.
    occluded: float | None = None
    # Fraction of questions whose answer is closer to a decision boundary than other questions allow
    # (`po3d.synthesis.indoor_view.questions`); None: none.
    near: float | None = None


@dataclass(frozen=True)
class OrbitDifficulty(_Difficulty):
    """Difficulty of SCOPE's scenes. Their cameras look down, so the objects in questions are hardly
    ever occluded."""

    RANGE = (6, 9)
    # Objects per scene; None: 6 to 8, sometimes with duplicates.
    objects: tuple[int, int] | None = None
    # Fraction of the pairs asked about in the cameras' frames that are within 10 degrees of a
    # sector's border; None: none.
    near: float | None = None


DEFAULT = Difficulty()
ROOM_DEFAULT, INSIDE_DEFAULT = RoomDifficulty(), IndoorDifficulty()
ORBIT_DEFAULT = OrbitDifficulty()
Kind = TypeVar("Kind", bound=_Difficulty)


def difficulty_of(options: Mapping[str, Any] | None, kind: type[Kind] = Difficulty) -> Kind:
    """Return the difficulty given in a config or a twin's description. Raise InputError for invalid
    settings."""
    values, names = dict(options or {}), [f.name for f in fields(kind)]
    if unknown := set(values) - set(names):
        raise InputError(
            f"difficulty: unknown key {sorted(unknown)[0]!r}; known: {', '.join(names)}"
        )
    for name, whole in (("objects", 2), ("hops", None)):
        value = values.get(name)
        if value is None:
            values.pop(name, None)
            continue
        listed = isinstance(value, Sequence) and not isinstance(value, str)
        right = listed and set(map(type, value)) <= {int}
        if not right or (whole is not None and len(value) != whole):
            raise InputError(
                f"difficulty.{name}={value!r} should be a list of {whole or 'whole'} numbers"
            )
        values[name] = tuple(value)
    for name in ("occluded", "near"):
        if isinstance(values.get(name), bool | str):
            raise InputError(
                f"difficulty.{name}={values[name]!r} should be a fraction between 0 and 1, or null"
            )
    return kind(**values)
