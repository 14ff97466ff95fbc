"""Safe reading of pickles of plain data: no code in them is executed.

A pickle can name and call any callable. Here `find_class` admits only the names that numpy needs to
store arrays and scalars and that old protocols need for bytes, sets and ordered dicts, and returns
our own replacements for them. Any other name aborts reading before anything is called.

A malicious file of a few bytes can still demand much time and memory, e.g. by nested tuples as keys
or by a large memo index. Therefore a subprocess reads each file first, with limits on both in
proportion to the file size; only then it is read here.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np

from po3d.io.errors import InputError
from po3d.io.files import unreadable
from po3d.io.trials import exceeds
from po3d.scene.geometry import Array

MAX_BYTES = 4 * 2**30  # EmbodiedScan's largest info file stays far below
SECONDS_PER_MB = 0.2  # typical files take a tenth of it
MEMORY_PER_BYTE = 64  # a list of empty lists takes 40 per byte of the file
_NUMBERS = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}


class PickledArray:
    """A numeric array of a pickle: `values`, of any shape."""

    values: Array = np.zeros(0)

    def __setstate__(self, state: tuple) -> None:
        _, shape, dtype, fortran, data = state
        self.values = np.frombuffer(data, dtype.numpy).reshape(shape, order="F" if fortran else "C")

    def tolist(self) -> Any:
        return self.values.tolist()


class _Dtype:
    def __init__(self, code: str, *flags: object) -> None:
        if code not in _NUMBERS:
            raise ValueError(f"array of type {str(code)[:20]!r}; only numeric arrays are supported")
        self.code, self.order = code, "="

    def __setstate__(self, state: tuple) -> None:
        self.order = {"<": "<", ">": ">", "|": "|"}[state[1]]

    @property
    def numpy(self) -> np.dtype:
        return np.dtype(self.order + self.code)


def _encode(text: str, encoding: str) -> bytes:  # how protocol 2 and older store bytes
    if encoding != "latin1":
        raise ValueError(f"unsupported encoding of bytes: {str(encoding)[:20]!r}")
    return text.encode("latin1")


def _from_buffer(data: bytes, dtype: _Dtype, shape: tuple, order: str) -> PickledArray:
    array = PickledArray()
    array.__setstate__((1, shape, dtype, order == "F", data))
    return array


_CALLS: dict[str, Callable] = {
    "_reconstruct": lambda *ignored: PickledArray(),
    "scalar": lambda dtype, data: np.frombuffer(data, dtype.numpy, 1)[0].item(),
    "_frombuffer": _from_buffer,
    "dtype": _Dtype,
    "ndarray": lambda *ignored: PickledArray(),
    "encode": _encode,
    "bytes": lambda *empty: b"",
    "set": lambda items=(): set(items),
    "OrderedDict": lambda items=(): dict(items),
}
_ADMITTED = {("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")}
_ADMITTED |= {("collections", "OrderedDict")}
for _core in ("numpy.core", "numpy._core"):
    _ADMITTED |= {(f"{_core}.multiarray", "_reconstruct"), (f"{_core}.multiarray", "scalar")}
    _ADMITTED.add((f"{_core}.numeric", "_frombuffer"))
for _builtins in ("builtins", "__builtin__"):  # protocols below 4
    _ADMITTED |= {(_builtins, "bytes"), (_builtins, "set")}


class _StandIn:
    """Replaces an admitted class or function while unpickling, so that the pickle cannot modify the
    real one: it has no attributes except its key."""

    __slots__ = ("_key",)

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, *args: object) -> object:
        return _CALLS[self._key](*args)


class _InertUnpickler(pickle.Unpickler):
    def __init__(self, file: IO[bytes], where: str) -> None:
        super().__init__(file)
        self.where = where

    def find_class(self, module: str, name: str) -> _StandIn:
        if (module, name) not in _ADMITTED:
            requested = f"{module}.{name}"[:80]
            raise InputError(
                f"{self.where}: rejected; the pickle refers to {requested!r}, but only "
                "containers, numbers and numeric numpy arrays are allowed"
            )
        return _StandIn(name)


def trial(path: str) -> None:
    with open(path, "rb") as file:
        _InertUnpickler(file, path).load()


def read_pickle(path: str | Path, what: str = "pickle file") -> object:
    """Read the plain data of a pickle: containers, strings, numbers; numpy scalars become Python
    numbers, numeric arrays `PickledArray`.

    Raise InputError if the file is missing, damaged, too large, or names any other class or
    function.
    """
    path = Path(path)
    try:
        with open(path, "rb") as file:
            if path.stat().st_size > MAX_BYTES:
                raise InputError(f"{what} {path} is larger than the limit of {MAX_BYTES >> 30} GiB")
            if exceeds(f"{__name__}:trial", path, SECONDS_PER_MB, MEMORY_PER_BYTE):
                raise InputError(
                    f"{what} {path}: rejected; loading it takes far more time or memory "
                    "than its size justifies"
                )
            return _InertUnpickler(file, f"{what} {path}").load()
    except InputError:
        raise
    except (FileNotFoundError, IsADirectoryError) as error:
        raise InputError(unreadable(path, what, error)) from None
    except Exception as error:  # a damaged pickle can raise any error
        reason = " ".join(str(error).split())[:120]
        raise InputError(
            f"{what} {path} is not a readable pickle ({type(error).__name__}: {reason})"
        ) from None
