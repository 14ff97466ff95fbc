"""Training that starts from a shipped pair whose network is not quite the one that is trained."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from po3d.io import checkpoint
from po3d.io.errors import InputError
from po3d.perception.network import SceneNet


def take_over(network: nn.Module, words: Sequence[str], name: str, kind: str) -> None:
    """Load the weights of checkpoint pair `name` into a parser network whose embedding rows are `words`, which the pair may
    know in another order; words that it does not know keep their random vectors."""
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
    parts = [
        dict(zip(net.sizes, weights[f"output.{kind}"].split(rows), strict=True))
        for kind in ("weight", "bias")
    ]
    said = [name for name in net.sizes if name not in net.of_pose]
    weight, bias = parts
    grown["output.weight"] = torch.cat([weight[name] for name in said])
    grown["output.bias"] = torch.cat([bias[name] for name in said])
    heard = torch.zeros_like(own["pose_output.weight"])
    heard[:, :hidden] = torch.cat([weight[name] for name in net.of_pose])
    grown["pose_output.weight"] = heard
    grown["pose_output.bias"] = torch.cat([bias[name] for name in net.of_pose])
    return grown
