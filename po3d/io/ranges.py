"""Sets of integers as text: "0-31, 40"."""

from collections.abc import Iterable

from po3d.io.errors import InputError, printable


def ranges_text(numbers: Iterable[int]) -> str:
    """Return the numbers as inclusive ranges in ascending order: "0-31, 40"."""
    runs: list[list[int]] = []
    for k in sorted(set(numbers)):
        if runs and k == runs[-1][1] + 1:
            runs[-1][1] = k
        else:
            runs.append([k, k])
    result = []
    for low, high in runs:
        result.append(str(low) if low == high else f"{low}-{high}")
    return ", ".join(result)


def parsed_ranges(text: str) -> list[range]:
    """Parse a text such as "0-5,7" into ranges, in its order; InputError if it is invalid."""
    result = []
    for part in filter(None, map(str.strip, str(text).split(","))):
        low, _, high = part.partition("-")
        if not (low.isdecimal() and (high or low).isdecimal() and int(low) <= int(high or low)):
            raise InputError(f"{printable(text)} is not a list of ranges such as 0-31, 40")
        result.append(range(int(low), int(high or low) + 1))
    return result


def numbers_of(text: str) -> set[int]:
    """Return the numbers in a text such as "0-5,7"."""
    return set().union(*parsed_ranges(text))
