"""The feature maps of RegNetX in plain PyTorch, with timm's parameter names.

Importing timm takes seconds (all its models, torchvision, torch.compile). Networks that are trained
are timm's; a checkpoint with one of BACKBONES is loaded into these modules instead, whose outputs
are equal.
"""

from collections.abc import Iterator

from torch import Tensor, nn
from torch.nn import functional as F

STEM = 32  # channels


# channels and blocks of each stage, and channels of a group
BACKBONES = {"regnetx_004": ((32, 64, 160, 384), (1, 2, 7, 12), 16)}


class ConvNorm(nn.Module):
    """A convolution with batch norm and, if `active`, a ReLU."""

    def __init__(self, inputs: int, out: int, size: int, active: bool = True, **conv: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, out, size, padding=size // 2, bias=False, **conv)
        self.bn = nn.BatchNorm2d(out)
        self.active = active

    def forward(self, x: Tensor) -> Tensor:
        x = self.bn(self.conv(x))
        return F.relu(x) if self.active else x


class Block(nn.Module):
    """A residual block with a grouped convolution."""

    def __init__(self, inputs: int, out: int, stride: int, group: int) -> None:
        super().__init__()
        self.conv1 = ConvNorm(inputs, out, 1)
        self.conv2 = ConvNorm(out, out, 3, stride=stride, groups=out // group)
        self.conv3 = ConvNorm(out, out, 1, active=False)
        same = inputs == out and stride == 1
        self.downsample = (
            nn.Identity() if same else ConvNorm(inputs, out, 1, active=False, stride=stride)
        )

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.conv3(self.conv2(self.conv1(x))) + self.downsample(x))


class RegNetFeatures(nn.Module):
    """Maps (B, C, H, W) images to their feature maps at strides 2, 4, 8, 16 and 32."""

    def __init__(self, name: str, in_chans: int = 3) -> None:
        super().__init__()
        channels, depths, group = BACKBONES[name]
        self.stem = ConvNorm(in_chans, STEM, 3, stride=2)
        self.feature_info = [{"num_chs": STEM, "reduction": 2}]  # as in timm
        self.stages = len(channels)
        inputs = STEM
        for k, (out, blocks) in enumerate(zip(channels, depths), 1):
            stage = nn.Sequential()
            for i in range(blocks):
                stage.add_module(f"b{i + 1}", Block(inputs, out, 1 + (i == 0), group))
                inputs = out
            self.add_module(f"s{k}", stage)
            self.feature_info.append({"num_chs": out, "reduction": 2 ** (k + 1)})

    def forward(self, x: Tensor) -> list[Tensor]:
        return list(self._maps(x))

    def _maps(self, x: Tensor) -> Iterator[Tensor]:
        x = self.stem(x)
        yield x
        for k in range(self.stages):
            x = self.get_submodule(f"s{k + 1}")(x)
            yield x
