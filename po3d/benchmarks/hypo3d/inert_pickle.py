"""Pickles of plain data, read so that nothing in them runs.

A pickle may name any callable and have it called; here `find_class` admits the few names by which numpy stores
arrays and scalars, and old protocols bytes, sets and ordered dicts, and hands out stand-ins of our own for them. Any
other name ends the reading before anything is called. A crafted file can still ask for much memory; it can't do anything with it.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np

from po3d.io.errors import InputError
from po3d.io.files import unreadable
from po3d.scene.geometry import Array

MAX_BYTES = 4 * 2**30  # EmbodiedScan's largest info file stays far below
_NUMBERS = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}


class PickledArray:
    """A numeric array of a pickle: `values`, any shape."""

    values: Array = np.zeros(0)

    def __setstate__(self, state: tuple) -> None:
        _, shape, dtype, fortran, data = state
        self.values = np.frombuffer(data, dtype.numpy).reshape(shape, order="F" if fortran else "C")

    def tolist(self) -> Any:
        return self.values.tolist()


class _Dtype:
    def __init__(self, code: str, *flags: object) -> None:
        if code not in _NUMBERS:
            raise ValueError(f"an array of type {str(code)[:20]!r}; only numbers are read")
        self.code, self.order = code, "="

    def __setstate__(self, state: tuple) -> None:
        self.order = {"<": "<", ">": ">", "|": "|"}[state[1]]

    @property
    def numpy(self) -> np.dtype:
        return np.dtype(self.order + self.code)


def _encode(text: str, encoding: str) -> bytes:  # how protocol 2 and older spell bytes
    if encoding != "latin1":
        raise ValueError(f"bytes in the encoding {str(encoding)[:20]!r}")
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
_ADMITTED = {
    *(
        (f"numpy.{core}.{name[0]}", name[1])
        for core in ("core", "_core")
        for name in (("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))
    ),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("_codecs", "encode"),
    # Protocols below 4.
    *((module, name) for module in ("builtins", "__builtin__") for name in ("bytes", "set")),
    ("collections", "OrderedDict"),
}


class _StandIn:
    """What an admitted name becomes. A pickle can set attributes on what it is given; here it finds but a key."""

    __slots__ = ("_key",)

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, *args: object) -> object:
        return _CALLS[self._key](*args)


class _Reader(pickle.Unpickler):
    def __init__(self, file: IO[bytes], where: str) -> None:
        super().__init__(file)
        self.where = where

    def find_class(self, module: str, name: str) -> _StandIn:
        if (module, name) not in _ADMITTED:
            asked = f"{module}.{name}"[:80]
            raise InputError(
                f"{self.where}: refused, the pickle asks for {asked!r}; only containers, numbers and numpy "
                "arrays of numbers are read"
            )
        return _StandIn(name)


def read_pickle(path: str | Path, what: str = "pickle file") -> object:
    """The plain data of a pickle: containers, strings, numbers; numpy scalars become Python numbers, numeric arrays
    `PickledArray`. InputError when it is missing, damaged, huge, or names any other class or function."""
    path = Path(path)
    try:
        with open(path, "rb") as file:
            if path.stat().st_size > MAX_BYTES:
                raise InputError(f"{what} {path} is larger than {MAX_BYTES >> 30} GiB")
            return _Reader(file, f"{what} {path}").load()
    except InputError:
        raise
    except (FileNotFoundError, IsADirectoryError) as error:
        raise InputError(unreadable(path, what, error)) from None
    except Exception as error:  # a damaged pickle raises whatever its opcodes stumble over
        reason = " ".join(str(error).split())[:120]
        raise InputError(f"{what} {path} is no readable pickle ({type(error).__name__}: {reason})") from None
