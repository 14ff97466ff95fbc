"""How hard a twin is: what `po3d generate` and `split=fresh` can be asked for beyond the benchmark's own rules.

Each benchmark has those of the dials that make sense there; equal names mean the same. As they stand by default, they
change no byte of a twin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from po3d.io.errors import InputError
from po3d.synthesis.street.layouts import MAX_OBJECTS, MIN_OBJECTS

HOPS = (1, 2, 3)
ROOM_HOPS = (1, 2)
PARTLY_HIDDEN = 0.75  # of a thing is seen, or less, in the view that shows least of it


class _Dials:
    """Checks and spellings of all; each class below names its fields, and what its numbers may be."""

    RANGE: ClassVar[tuple[int, int]]  # of `objects`: more seldom find room
    HOPS: ClassVar[tuple[int, ...]] = ()

    def __post_init__(self) -> None:
        least, most = self.RANGE
        if self.objects is not None:
            low, high = self.objects
            if not least <= low <= high <= most:
                raise InputError(
                    f"dials.objects={[low, high]} should be two numbers that rise, {least} to {most}"
                )
        for name in ("occluded", "near"):
            share = getattr(self, name, None)
            if share is not None and not 0 <= share <= 1:
                raise InputError(f"dials.{name}={share} should be a share, 0 to 1, or null")
        hops = getattr(self, "hops", None)
        if hops is not None and (not hops or set(hops) - set(self.HOPS)):
            raise InputError(f"dials.hops={list(hops)} should be some of {list(self.HOPS)}, or null")

    def changed(self) -> dict[str, Any]:
        """What differs from the benchmark's own difficulty, ready for JSON; `dials_of` reads it back."""
        different = {
            f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default
        }
        return {k: list(v) if isinstance(v, tuple) else v for k, v in different.items()}

    @property
    def tag(self) -> str:
        """A part of a folder's name that tells twins apart: "-objects3_6-near0.5", "" for the defaults."""
        words = {k: "_".join(map(str, v)) if isinstance(v, list) else v for k, v in self.changed().items()}
        return "".join(f"-{k}{v}" for k, v in words.items())


@dataclass(frozen=True)
class Dials(_Dials):
    """Of street scenes: the benchmark's own difficulty, or another."""

    RANGE = (1, 14)
    HOPS = HOPS
    # A scene's number is uniform from the first to the second
    objects: tuple[int, int] = (MIN_OBJECTS, MAX_OBJECTS)
    occluded: float | None = None  # share of objects that another partly hides; None: as it comes
    # L3 and L5-6D ask chains of so many relations alone; None: all templates
    hops: tuple[int, ...] | None = None
    # Share of questions, in the columns that geometry decides, whose answer one typical error of perception would
    # change (po3d.reasoning.margins); None: as it comes.
    near: float | None = None


@dataclass(frozen=True)
class RoomDials(_Dials):
    """Of Hypo3D's rooms, which nobody draws from inside: nothing is hidden there."""

    RANGE = (4, 30)
    HOPS = ROOM_HOPS
    # Things besides doors and windows, where they find room; None: by the room's size, 9 to 22.
    objects: tuple[int, int] | None = None
    # Questions are chains of so many relations; None: as it comes, 0 to 2.
    hops: tuple[int, ...] | None = None
    # Share of questions that one typical error would flip (po3d.reasoning.margins); None: as it comes.
    near: float | None = None


@dataclass(frozen=True)
class InsideDials(_Dials):
    """Of 3DSRBench's rooms from inside."""

    RANGE = (4, 30)
    # As of RoomDials.
    objects: tuple[int, int] | None = None
    # Share of questions about a thing of which others hide a quarter in one of the two views; None: as it comes.
    occluded: float | None = None
    # Share of questions whose answer is nearer to a boundary than others keep (inside_questions); None: none is.
    near: float | None = None


@dataclass(frozen=True)
class OrbitDials(_Dials):
    """Of SCOPE's scenes. Their cameras look down, so that what is asked about is never hidden to speak of."""

    RANGE = (6, 9)
    # Things of a scene; None: 6 to 8, sometimes with doubles.
    objects: tuple[int, int] | None = None
    # Share of the pairs that are asked about from the cameras within 10 degrees of a sector's border; None: none is.
    near: float | None = None


DEFAULT = Dials()
ROOM_DEFAULT, INSIDE_DEFAULT, ORBIT_DEFAULT = RoomDials(), InsideDials(), OrbitDials()


Kind = TypeVar("Kind", bound=_Dials)


def dials_of(options: Mapping[str, Any] | None, kind: type[Kind] = Dials) -> Kind:
    """The dials of a benchmark that a config or a twin's description says; InputError for what is none."""
    given = dict(options or {})
    if unknown := set(given) - {f.name for f in fields(kind)}:
        known = ", ".join(f.name for f in fields(kind))
        raise InputError(f"dials: unknown key {sorted(unknown)[0]!r}; known: {known}")
    for name, whole in (("objects", 2), ("hops", None)):
        value = given.get(name)
        if value is None:
            given.pop(name, None)
            continue
        right = (
            isinstance(value, Sequence) and not isinstance(value, str) and all(type(v) is int for v in value)
        )
        if not right or (whole is not None and len(value) != whole):
            raise InputError(f"dials.{name}={value!r} should be a list of {whole or 'whole'} numbers")
        given[name] = tuple(value)
    for name in ("occluded", "near"):
        if isinstance(given.get(name), bool | str):
            raise InputError(f"dials.{name}={given[name]!r} should be a share, 0 to 1, or null")
    return kind(**given)
