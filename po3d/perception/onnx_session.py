"""Networks as ONNX files, run by OpenVINO or, if only that is installed, by ONNX Runtime."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from po3d.io.errors import InputError
from po3d.scene.geometry import Array

LONGEST = 4096  # pixels of a side of a network's input
SUFFIXES = (".onnx", ".xml")  # .xml: OpenVINO's own form
LITE = ".tflite"  # only OpenVINO reads it
NEEDED = "a network as an ONNX file needs openvino or onnxruntime: pip install 'po3d[openvino]'"


class Port(NamedTuple):
    """An input or output of a network; sizes that are not fixed are -1."""

    name: str
    shape: tuple[int, ...]


class OnnxNetwork(NamedTuple):
    """A loaded network."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    run: Callable[[dict[str, Array]], list[Array]]  # arrays by input -> outputs in order


def check_file(
    path: str | Path, role: str, page: str, suffixes: tuple[str, ...] = SUFFIXES
) -> None:
    """Raise InputError if a network's file is missing or has another kind of name."""
    if Path(path).suffix.lower() not in suffixes:
        raise InputError(f"{role} {path}: the name should end in {' or '.join(suffixes)}")
    if not Path(path).is_file():
        raise InputError(f"{role} {path} is not a file; {page} says how to get one")


def session(path: str | Path, role: str = "detector") -> OnnxNetwork:
    """Load a network file with OpenVINO or, if only that is installed, with ONNX Runtime."""
    path = Path(path)
    if importlib.util.find_spec("openvino"):
        load = _openvino
    elif importlib.util.find_spec("onnxruntime"):
        load = _onnxruntime
    else:
        raise InputError(NEEDED)
    try:
        return load(path)
    except Exception as error:  # errors of the runtimes are of classes of their own
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise InputError(f"{role} {path} can't be loaded ({reason})") from None


def _openvino(path: Path) -> OnnxNetwork:
    import openvino

    core = openvino.Core()
    model = core.read_model(path)
    compiled = core.compile_model(
        model, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    )

    def port(node: Any) -> Port:
        sizes = tuple(d.get_length() if d.is_static else -1 for d in node.get_partial_shape())
        return Port(node.get_any_name() if node.get_names() else "", sizes)

    def run(arrays: dict[str, Array]) -> list[Array]:
        result = compiled(arrays)
        return [np.asarray(result[k]) for k in range(len(compiled.outputs))]

    return OnnxNetwork(tuple(map(port, compiled.inputs)), tuple(map(port, compiled.outputs)), run)


def _onnxruntime(path: Path) -> OnnxNetwork:
    import onnxruntime

    network = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])

    def port(node: Any) -> Port:
        return Port(node.name, tuple(d if isinstance(d, int) else -1 for d in node.shape))

    return OnnxNetwork(
        tuple(map(port, network.get_inputs())),
        tuple(map(port, network.get_outputs())),
        lambda arrays: network.run(None, arrays),
    )


def run_network(network: OnnxNetwork, arrays: dict[str, Array], what: str) -> list[Array]:
    """Return the outputs of a network; InputError if it fails."""
    try:
        return network.run(arrays)
    except Exception as error:  # errors of the runtimes are of classes of their own
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise InputError(f"{what} can't be run ({reason})") from None
