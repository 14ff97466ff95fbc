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


def field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _tensor(name: str, values: np.ndarray) -> bytes:
    dims = b"".join(field(1, side) for side in values.shape)
    return dims + field(2, TYPES[values.dtype.name]) + field(8, name) + field(9, values.tobytes())


def _value(name: str, dtype: str, shape: tuple[int, ...]) -> bytes:
    dims = b"".join(field(1, field(1, side)) for side in shape)
    return field(1, name) + field(2, field(1, field(1, TYPES[dtype]) + field(2, dims)))


def write_constant(
    path: Path, inputs: dict[str, tuple[int, ...]], outputs: dict[str, np.ndarray]
) -> Path:
    """Write a network with float inputs of these shapes that always gives these outputs."""
    graph = b""
    for name, values in outputs.items():
        graph += _identity(name) + field(5, _tensor(f"{name}_value", values))
        graph += field(12, _value(name, values.dtype.name, values.shape))
    for name, shape in inputs.items():
        graph += field(11, _value(name, "float32" if len(shape) == 4 else "int64", shape))
    path.write_bytes(_model(graph))
    return path


def with_tensor(tensor: bytes, opset: int = 13) -> bytes:
    """Return a network whose output of (1, 5, 6) is this tensor, encoded but for its name."""
    graph = _identity("out") + field(5, tensor + field(8, "out_value"))
    graph += field(12, _value("out", "float32", (1, 5, 6)))
    return _model(graph + field(11, _value("images", "float32", (1, 3, 64, 64))), opset)


def _identity(name: str) -> bytes:
    return field(1, field(1, f"{name}_value") + field(2, name) + field(4, "Identity"))


def _model(graph: bytes, opset: int = 13) -> bytes:
    version = field(1, "") + field(2, opset)
    return field(1, 8) + field(7, field(2, "constant") + graph) + field(8, version)
