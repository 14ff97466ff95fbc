"""Int8 inference with OpenVINO (`device=openvino`), for CPUs with 8-bit products.

    ranges(net, pictures) ─► checkpoint ─► rounded(net, ranges)
                                       ─► on_openvino(net, ranges): equal outputs, twice as fast

Such CPUs have AVX512-VNNI, AMX or NEON. Post-training quantisation after Jacob et al. (2018) of
every convolution except the last: activations in 8 bits within the measured range, weights in 8
bits with one scale per channel. Sums are exact, so the result for an image does not depend on its
batch. The decoding of boxes, the box head and the fit are not quantised.
"""

import copy
import threading
import warnings
from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from po3d.io.errors import InputError
from po3d.perception.network import Dense, SceneNet

# Convolution name -> smallest and largest input value.
Ranges = Mapping[str, tuple[float, float]]
LAST = "dense"  # not quantised: its few outputs decide which boxes exist
MAPS = ("heat", "box", "features", "detail", "context")
STEPS = 255


def _convolutions(net: SceneNet) -> dict[str, nn.Conv2d]:
    """Return the convolutions of the feature maps except the last, by name."""
    at_boxes = ("detail_conv.", "box_convs.", "hold_convs.", "context_conv.")
    convolutions = {}
    for name, part in net.named_modules():
        if isinstance(part, nn.Conv2d) and name != LAST and not name.startswith(at_boxes):
            convolutions[name] = part
    return convolutions


@torch.inference_mode()
def ranges(net: SceneNet, batches: Iterable[Tensor]) -> dict[str, tuple[float, float]]:
    """Measure the input ranges of a fused network's convolutions on batches from `input.pixels`.

    Return the smallest and largest value of each, averaged over the batches.
    """
    observed: dict[str, list[tuple[float, float]]] = {}

    def observe(_: nn.Module, inputs: tuple[Tensor], values: list) -> None:
        values.append((float(inputs[0].amin()), float(inputs[0].amax())))

    hooks = []
    for name, part in _convolutions(net).items():
        observed[name] = values = []
        hooks.append(part.register_forward_pre_hook(partial(observe, values=values)))
    for images in batches:
        net(images)
    for hook in hooks:
        hook.remove()
    return {
        name: tuple(np.mean(per_batch, 0).round(4).tolist()) for name, per_batch in observed.items()
    }


class Rounded(nn.Module):
    """A convolution with simulated 8-bit inputs and weights."""

    def __init__(self, conv: nn.Conv2d, low: float, high: float) -> None:
        super().__init__()
        self.conv = conv
        low, high = min(low, 0.0), max(high, 0.0)  # 0, the padding value, is exactly representable
        self.scale = max(high - low, 1e-6) / STEPS
        self.zero = round(-low / self.scale)
        top = conv.weight.abs().amax((1, 2, 3)).clamp(min=1e-8)
        self.register_buffer("scales", top / 127)
        self.register_buffer("zeros", torch.zeros(len(top), dtype=torch.int32))

    def forward(self, x: Tensor) -> Tensor:
        x = torch.fake_quantize_per_tensor_affine(x, self.scale, self.zero, 0, STEPS)
        weight = torch.fake_quantize_per_channel_affine(
            self.conv.weight, self.scales, self.zeros, 0, -127, 127
        )
        c = self.conv
        return nn.functional.conv2d(x, weight, c.bias, c.stride, c.padding, c.dilation, c.groups)


def rounded(net: SceneNet, ranges: Ranges) -> SceneNet:
    """Return a copy of a fused network with simulated quantisation, the reference for OpenVINO.

    Raise InputError if the ranges belong to another network.
    """
    net = copy.deepcopy(net)
    convolutions = _convolutions(net)
    if ranges.keys() != convolutions.keys():
        raise InputError(
            "device=openvino needs a checkpoint with the input ranges of its convolutions, written "
            "by `python -m po3d.training.calibrate` (streets), `view_figures` or `map_figures "
            "--calibrate` (rooms)"
        )
    for name, conv in convolutions.items():
        parent, _, child_name = name.rpartition(".")
        setattr(net.get_submodule(parent), child_name, Rounded(conv, *ranges[name]))
    return net


class _Maps(nn.Module):
    def __init__(self, net: SceneNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, images: Tensor) -> tuple[Tensor, ...]:
        dense = self.net(images.permute(0, 3, 1, 2))
        return tuple(_channels_last(getattr(dense, name)) for name in MAPS)


def _channels_last(maps: Tensor) -> Tensor:
    return maps.permute(0, 2, 3, 1) if maps.dim() == 4 else maps


def on_openvino(net: SceneNet, ranges: Ranges) -> SceneNet:
    """Return a copy of a fused network whose feature maps are computed in int8 by OpenVINO.

    Raise InputError if OpenVINO is not installed.
    """
    try:
        import openvino
    except ImportError:
        raise InputError("device=openvino needs OpenVINO: pip install 'po3d[openvino]'") from None
    example = torch.zeros(2, net.height, net.width, 3)
    with torch.inference_mode():
        maps = _Maps(rounded(net, ranges)).eval()
        with warnings.catch_warnings():  # torch warns that its tracer is deprecated
            warnings.simplefilter("ignore")
            model = openvino.convert_model(
                maps, example_input=example, input=[(-1, *example.shape[1:])]
            )
    core, requests, one_at_a_time, stride = openvino.Core(), {}, threading.Lock(), net.stride
    layers = net.layers
    options = {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1}

    def forward(images: Tensor) -> Dense:
        size = len(images)
        with one_at_a_time:
            if size not in requests:  # kernels for a static batch size are 1.5 times as fast
                model.reshape([size, *example.shape[1:]])
                threads = {"INFERENCE_NUM_THREADS": torch.get_num_threads()}
                compiled = core.compile_model(model, "CPU", options | threads)
                requests[size] = compiled.create_infer_request()
            request = requests[size]
            request.infer([images.permute(0, 2, 3, 1).contiguous().numpy()], share_inputs=True)
            maps = {}
            for k, name in enumerate(MAPS):
                values = torch.from_numpy(request.get_output_tensor(k).data.copy())
                maps[name] = values.permute(0, 3, 1, 2) if values.dim() == 4 else values
        return Dense(stride=stride, layers=layers, **maps)

    net = copy.deepcopy(net)
    net.forward = forward
    return net
