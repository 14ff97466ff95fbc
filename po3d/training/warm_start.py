"""Training that starts from a shipped parser, whose words may be fewer or in another order."""

from collections.abc import Sequence

from torch import nn

from po3d import checkpoint


def take_over(network: nn.Module, words: Sequence[str], name: str, kind: str) -> None:
    """Load the weights of checkpoint pair `name` into a parser network whose embedding rows are `words`; words that the
    pair does not know keep their random vectors."""
    weights, record = checkpoint.load(checkpoint.locate(name), kind)
    index = {word: k for k, word in enumerate(record["config"]["words"])}
    embedding = network.embed.weight.detach().clone()
    for k, word in enumerate(words):
        if word in index:
            embedding[k] = weights["embed.weight"][index[word]]
    network.load_state_dict({**weights, "embed.weight": embedding})
