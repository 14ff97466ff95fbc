"""The mean of several readers' weights, shipped in few bits.

    python -m tools.reader_average OUT READER=SHARE READER=SHARE...

A reader that went on learning from another forgets some of what that knew; between the two lies one that is better than both (Wortsman et
al., Robust fine-tuning of zero-shot models, CVPR 2022). Readers are paths of checkpoint pairs, or names of shipped ones, with the same tokens.
"""

import argparse
from pathlib import Path

from po3d.io import checkpoint
from po3d.io.errors import InputError
from po3d.io.guard import guarded
from po3d.language.read.reader import KIND, encoder_folder, encoder_weights, export, whole
from po3d.language.read.reader_network import ReaderNetwork, Shape
from po3d.training.reader import vocabulary


def average(out: Path, shares: dict[str, float]) -> Path:
    """Write the pair; the path of its weights."""
    if abs(sum(shares.values()) - 1) > 1e-6:
        raise InputError(f"shares sum up to {sum(shares.values()):g}, not 1")
    tokens = {name: vocabulary(name) for name in shares}
    first = next(iter(shares))
    if any(own != tokens[first] for own in tokens.values()):
        raise InputError("the readers have different tokens")
    base, mean = encoder_weights(encoder_folder()), {}
    for name, share in shares.items():
        stored, record = checkpoint.load(checkpoint.locate(name), KIND)
        for key, value in whole(stored, base).items():
            mean[key] = mean.get(key, 0) + share * value
    network = ReaderNetwork(tokens[first], Shape(**record["config"]["shape"]))
    network.load_state_dict(mean)
    return export(out, network, tokens[first], base, {"mean of": shares}, {})


def main() -> int:
    """The exit code: 2 where something is wrong."""
    parser = argparse.ArgumentParser(
        "python -m tools.reader_average", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("out", type=Path, help="the new pair, without suffix")
    parser.add_argument("shares", nargs="+", metavar="READER=SHARE")
    a = parser.parse_args()

    def run() -> None:
        try:
            shares = {name: float(share) for name, _, share in (text.rpartition("=") for text in a.shares)}
        except ValueError:
            raise InputError(f"shares are READER=NUMBER, not {' '.join(a.shares)}") from None
        print(average(a.out, shares))

    return guarded(run)


if __name__ == "__main__":
    raise SystemExit(main())
