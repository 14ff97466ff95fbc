"""NumPy files from outside."""

from pathlib import Path

import numpy as np

from po3d.io.errors import InputError
from po3d.io.files import unreadable


def read_npy(path: str | Path, what: str, most: int) -> np.ndarray:
    """Return the array of numbers in a .npy file, mapped into memory. `what` names the file in
    error messages.

    Raise InputError for another file (an .npz, objects, fewer bytes than its header says), and for
    more than `most` values.
    """
    try:
        with open(path, "rb"):
            pass
    except (OSError, ValueError) as error:
        raise InputError(f"{unreadable(path, what, error)}, so it can't be read") from None
    try:
        with np.errstate(over="ignore"):  # sides whose product overflows are refused below
            values = np.lib.format.open_memmap(path, mode="r")
    except Exception as error:  # numpy's parser of headers raises errors of many classes
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise InputError(f"{what} {path} can't be read as a .npy file ({reason})") from None
    if values.dtype.kind not in "buif" or values.size > most:
        raise InputError(
            f"{what} {path}: {values.dtype} of {values.shape} should be at most {most:,} numbers"
        )
    return np.asarray(values)
