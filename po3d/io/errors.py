"""The one exception that an entry point turns into a clear line and exit code 2, and how values from outside are shown."""

import json
import re
import reprlib
from collections.abc import Collection

# What moves a terminal's cursor, turns its text around or can't be printed: control characters but line breaks, marks
# of direction, halves of surrogate pairs.
_UNPRINTABLE = re.compile(
    "[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SHOWN = 60  # characters of a value in an error
_short = reprlib.Repr()
_short.maxlevel, _short.maxdict, _short.maxlist, _short.maxtuple, _short.maxstring = 2, 3, 5, 5, 30


class InputError(ValueError):
    """What the user gave can't be used. The message is one line: what was wrong, with which value, what to do."""


def known(what: str, value: str, among: Collection[str], where: str = "") -> None:
    """InputError for a value that is none of those known; `where` it stands begins its message."""
    if value not in among:
        raise InputError(f"{where}unknown {what} {value!r}; known: {', '.join(among)}")


def visible(text: str) -> str:
    """`text` with what a terminal would obey instead of print written as escapes: "\\u001b[2J" for the bytes that clear a
    screen. Line breaks stay, and JSON stays the same JSON."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shown(value: object) -> str:
    """A value from outside as an error shows it: short, on one line, printable."""
    if isinstance(value, str):
        text = repr(value[: _SHOWN + 1])
    elif value is None or isinstance(value, bool):
        text = json.dumps(value)
    elif isinstance(value, int) and value.bit_length() > 200:
        return f"a number of some {int(value.bit_length() * 0.30103) + 1} digits"
    else:
        text = _short.repr(value)
    text = visible(" ".join(text.split()))
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
