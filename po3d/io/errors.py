"""InputError, and the display of values from outside.

An entry point turns InputError into a one-line message and exit code 2.
"""

import contextlib
import json
import re
import reprlib
from collections.abc import Collection, Iterator

# Characters that move a terminal's cursor, change its text direction or cannot be printed: control
# characters except for line breaks, direction marks, unpaired surrogates.
_UNPRINTABLE = re.compile(
    "[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_VALUE_LENGTH = 60  # maximal number of characters of a value in an error
_short = reprlib.Repr()
_short.maxlevel, _short.maxdict, _short.maxlist, _short.maxtuple, _short.maxstring = 2, 3, 5, 5, 30


class InputError(ValueError):
    """Invalid input by the user. The message is one line: what is wrong, with which value, and what
    to do."""


# raised by code that reads a record's fields, if one is missing, of another type or too large
_OF_FIELDS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


@contextlib.contextmanager
def malformed(where: str) -> Iterator[None]:
    """Within this context, an error of reading the fields of a record becomes an InputError that
    begins with `where`, which names the record."""
    try:
        yield
    except InputError:
        raise
    except _OF_FIELDS as error:
        reason = " ".join(str(error).split())[:120]
        raise InputError(f"{where} ({type(error).__name__}: {visible(reason)})") from None


def known(what: str, value: str, choices: Collection[str], where: str = "") -> None:
    """Raise InputError if a value is not one of the options; `where` begins the message."""
    if value not in choices:
        raise InputError(f"{where}unknown {what} {value!r}; known: {', '.join(choices)}")


def visible(text: str) -> str:
    """Return `text` with characters that control a terminal as escapes: "\\u001b[2J" for the bytes
    that clear a screen. Line breaks are kept, and JSON stays equivalent JSON."""
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def printable(value: object) -> str:
    """Return a value from outside for an error message: short, on one line, printable."""
    if isinstance(value, str):
        text = repr(value[: _VALUE_LENGTH + 1])
    elif value is None or isinstance(value, bool):
        text = json.dumps(value)
    elif isinstance(value, int) and value.bit_length() > 200:
        return f"a number with about {int(value.bit_length() * 0.30103) + 1} digits"
    else:
        text = _short.repr(value)
    text = visible(" ".join(text.split()))
    return text if len(text) <= _VALUE_LENGTH else f"{text[: _VALUE_LENGTH - 3]}..."
