"""How hard the street twin is: what `po3d generate` and `split=fresh` can be asked for beyond the benchmark's own rules.

As they stand by default, the dials change no byte of a twin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from po3d.errors import InputError
from po3d.synthesis.layouts import MAX_OBJECTS, MIN_OBJECTS

MOST_OBJECTS = 14  # more than that seldom find room on the ground, each showing its share of pixels
HOPS = (1, 2, 3)


@dataclass(frozen=True)
class Dials:
    """The benchmark's own difficulty, or another."""

    objects: tuple[int, int] = (
        MIN_OBJECTS,
        MAX_OBJECTS,
    )  # a scene's number is uniform from the first to the second
    occluded: float | None = None  # share of objects that another partly hides; None: as it comes
    hops: tuple[int, ...] | None = (
        None  # L3 and L5-6D ask chains of so many relations alone; None: all templates
    )
    # Share of questions, in the columns that geometry decides, whose answer one typical error of perception would
    # change (po3d.reasoning.margins); None: as it comes.
    near: float | None = None

    def __post_init__(self) -> None:
        low, high = self.objects
        if not 1 <= low <= high <= MOST_OBJECTS:
            raise InputError(
                f"dials.objects={[low, high]} should be two numbers that rise, 1 to {MOST_OBJECTS}"
            )
        for name in ("occluded", "near"):
            share = getattr(self, name)
            if share is not None and not 0 <= share <= 1:
                raise InputError(f"dials.{name}={share} should be a share, 0 to 1, or null")
        if self.hops is not None and (not self.hops or set(self.hops) - set(HOPS)):
            raise InputError(f"dials.hops={list(self.hops)} should be some of {list(HOPS)}, or null")

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


DEFAULT = Dials()


def dials_of(options: Mapping[str, Any] | None) -> Dials:
    """The dials that a config or a twin's description says; InputError for what is none."""
    given = dict(options or {})
    if unknown := set(given) - {f.name for f in fields(Dials)}:
        known = ", ".join(f.name for f in fields(Dials))
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
    return Dials(**given)
