"""Names of values as Super-CLEVR and PulseCheck457 write them: "articulated bus"."""

from po3d.scene.vocabulary import SHAPE_NAMES

# Written names of the shapes where they differ from the ids; "suv" is written in lower case.
_WRITTEN = {shape: name for shape, name in SHAPE_NAMES.items() if name.lower() != shape}
_READ = {written: leaf for leaf, written in _WRITTEN.items()}


def surface(value: str) -> str:
    """Return the written name of a value: "articulated" -> "articulated bus"; other words are
    unchanged.
    """
    return _WRITTEN.get(value, value)


def identifier(name: str) -> str:
    """Return the id of a written name: "road bike" -> "road"; other words are unchanged."""
    return _READ.get(name, name)


def written(answer: str) -> str:
    """Return an answer as the benchmarks' tables spell it: "yes" -> "Yes", "road" -> "road bike";
    others are unchanged.
    """
    return answer.capitalize() if answer in ("yes", "no") else surface(answer)
