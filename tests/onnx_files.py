"""Tiny ONNX files, encoded by hand: networks whose outputs are constants."""

from pathlib import Path

import numpy as np

TYPES = {"float32": 1, "int64": 7}


def _varint(number: int) -> bytes:
    result = b""
    while number > 127:
        result += bytes([number & 127 | 128])
        number >>= 7
    return result + bytes([number])


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _tensor(name: str, values: np.ndarray) -> bytes:
    dims = b"".join(_field(1, side) for side in values.shape)
    return (
        dims + _field(2, TYPES[values.dtype.name]) + _field(8, name) + _field(9, values.tobytes())
    )


def _value(name: str, dtype: str, shape: tuple[int, ...]) -> bytes:
    dims = b"".join(_field(1, _field(1, side)) for side in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, TYPES[dtype]) + _field(2, dims)))


def write_constant(
    path: Path, inputs: dict[str, tuple[int, ...]], outputs: dict[str, np.ndarray]
) -> Path:
    """Write a network with float inputs of these shapes that always gives these outputs."""
    graph = _field(2, "constant")
    for name, values in outputs.items():
        node = _field(1, f"{name}_value") + _field(2, name) + _field(4, "Identity")
        graph += _field(1, node) + _field(5, _tensor(f"{name}_value", values))
        graph += _field(12, _value(name, values.dtype.name, values.shape))
    for name, shape in inputs.items():
        graph += _field(11, _value(name, "float32" if len(shape) == 4 else "int64", shape))
    opset = _field(1, "") + _field(2, 13)
    path.write_bytes(_field(1, 8) + _field(7, graph) + _field(8, opset))
    return path
