"""Inference-only copy of the network: convolutions include batch norm and input normalisation."""

import copy

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_weights

from po3d.perception.network import MEAN, STD, SceneNet

SMALL = 64  # pixels (blocks, if the network folds) of the sides of a traced image


class FusedInput(nn.Module):
    """Replaces `network.Input` if the first convolution includes normalisation and folding.

    Only the mean colour is subtracted.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("row", 255 * torch.tensor(MEAN).repeat(width), persistent=False)

    def pixels(self, pictures: Tensor) -> Tensor:
        """Convert (B, h, w, 3) uint8 to centred pixels (B, 3, h, w), channels last."""
        # subtract whole rows: an inner dimension of three channels is slow
        centred = pictures.flatten(2).float().sub_(self.row)
        return centred.unflatten(2, (-1, 3)).permute(0, 3, 1, 2)

    def scaled(self, images: Tensor, gain: Tensor) -> Tensor:
        mean = self.row[:3].view(1, 3, 1, 1)
        return torch.addcmul(mean * (gain - 1), images, gain).minimum(255 - mean)

    def colours(self, images: Tensor) -> Tensor:
        return (images + self.row[:3].view(1, 3, 1, 1)) / 255

    def forward(self, images: Tensor) -> Tensor:
        return images


def folded(net: SceneNet, half: bool = False) -> SceneNet:
    """Return a faster copy of the network with equal outputs in evaluation mode.

    `half`: convert convolutions and linear layers to bf16, for use under autocast.
    """
    return fold_in_place(copy.deepcopy(net), half)


def fold_in_place(net: SceneNet, half: bool = False) -> SceneNet:
    """Change the network itself into the fused one, and return it: as `folded`, in less memory."""
    net.eval().requires_grad_(False)
    order, pairs = _walked(net)
    places = {}
    for parent in net.modules():
        for name, part in parent.named_children():
            places[part] = parent, name
    for conv, norm in pairs:
        statistics = norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias
        conv.weight, conv.bias = fuse_conv_bn_weights(conv.weight, conv.bias, *statistics)
        parent, name = places[norm]
        # timm's norm layers include the activation
        setattr(parent, name, getattr(norm, "act", nn.Identity()))
    if _plain(order[0]) and order[0].groups == 1 and order[0].dilation == (1, 1):
        _take_pixels(order[0], net.fold)
        net.input = FusedInput(net.width).to(order[0].weight.device)
    if half:
        for part in net.modules():
            if isinstance(part, nn.Conv2d | nn.Linear):
                part.bfloat16()
    return net.to(memory_format=torch.channels_last)


@torch.no_grad()
def _walked(net: SceneNet) -> tuple[list[nn.Conv2d], list[tuple[nn.Conv2d, nn.BatchNorm2d]]]:
    """Trace the network: return convolutions in execution order, and (conv, norm) pairs to fuse.

    A pair is a convolution whose output goes directly into a batch norm. The trace is of a small
    blank image, which takes little memory; on the meta device, PyTorch's operations would import
    torch.compile, which takes seconds.
    """
    order: list[nn.Conv2d] = []
    pairs: list[tuple[nn.Conv2d, nn.BatchNorm2d]] = []
    outputs: list[tuple[Tensor, nn.Conv2d]] = []

    def convolved(conv: nn.Conv2d, _: tuple, output: Tensor) -> None:
        order.append(conv)
        outputs.append((output, conv))

    def normed(norm: nn.BatchNorm2d, inputs: tuple, _: Tensor) -> None:
        for output, conv in outputs:
            if output is inputs[0]:
                pairs.append((conv, norm))

    hooks = []
    for part in net.modules():
        if isinstance(part, nn.Conv2d):
            hooks.append(part.register_forward_hook(convolved))
        elif isinstance(part, nn.BatchNorm2d):
            hooks.append(part.register_forward_hook(normed))
    device, side = next(net.parameters()).device, SMALL * net.fold
    dense = net(torch.zeros((1, 3, side, side), device=device))
    one = torch.zeros(1, dtype=torch.long, device=device)
    net.describe(dense, torch.zeros((1, 4), device=device), one)
    if hasattr(net, "hold_convs"):
        net.hold_convs(dense.context)
    for hook in hooks:
        hook.remove()
    return order, pairs


def _plain(conv: nn.Conv2d) -> bool:
    """Return whether a convolution pads symmetrically with zeros (timm has other variants)."""
    return (
        type(conv) is nn.Conv2d and isinstance(conv.padding, tuple) and conv.padding_mode == "zeros"
    )


def _take_pixels(conv: nn.Conv2d, fold: int) -> None:
    """Rewrite a convolution over blocks of normalised pixels as one over centred pixels.

    The sums are equal: the blocks become a larger kernel, and the division by the deviation moves
    into the weights.
    """
    out, _, rows, columns = conv.weight.shape
    std = 255 * torch.tensor(STD, device=conv.weight.device).view(3, 1, 1)
    # channels in the order of pixel_unshuffle
    blocks = conv.weight.view(out, 3, fold, fold, rows, columns)
    weight = blocks.permute(0, 1, 4, 2, 5, 3).reshape(out, 3, rows * fold, columns * fold) / std
    conv.weight = nn.Parameter(weight, requires_grad=False)
    conv.in_channels, conv.kernel_size = 3, tuple(weight.shape[2:])
    conv.stride = tuple(fold * n for n in conv.stride)
    conv.padding = tuple(fold * n for n in conv.padding)
