"""Average the weights of several checkpoints and quantize them like the shipped ones.

    python -m tools.average OUT CHECKPOINT=SHARE CHECKPOINT=SHARE...

A fine-tuned network forgets part of what the original network had learned; an interpolation of both
can be better than either (Wortsman et al., Robust fine-tuning of zero-shot models, CVPR 2022).
Checkpoints are paths of pairs or names of shipped ones, of one kind and with equal vocabularies. An
estimator's calibration and picture statistics must be fitted again (`po3d.training.calibrate`,
`tools.domain`).
"""

import argparse
import tempfile
from pathlib import Path

from po3d.benchmarks.scene_ids import from_list, joined, listed
from po3d.io import checkpoint
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.language.read import reader
from po3d.synthesis.splits import NOTHING, names_of, summary

SAME = (
    "network",
    "attributes",
    "texts",
    "amounts",
    "shape",
    "words",
)  # config entries that determine the meaning of weights


def average(out: Path, shares: dict[str, float]) -> Path:
    """Write the pair; return the path of its weights."""
    if abs(sum(shares.values()) - 1) > 1e-6:
        raise InputError(f"the shares add up to {sum(shares.values()):g}, not 1")
    pairs = {name: checkpoint.load(checkpoint.locate(name)) for name in shares}
    _, first = next(iter(pairs.values()))
    for name, (_, record) in pairs.items():
        about = [(record["kind"], record["config"].get(k)) for k in SAME]
        if about != [(first["kind"], first["config"].get(k)) for k in SAME]:
            raise InputError(f"{name} has another architecture or vocabulary")
    mean = dict(pairs[next(iter(shares))][0])
    for key, value in mean.items():
        if value.is_floating_point():
            mean[key] = sum(share * pairs[name][0][key].float() for name, share in shares.items())
    training = {
        "mean of": {
            name: {"share": share, **pairs[name][1]["training"]} for name, share in shares.items()
        }
    }
    names = (names_of(record["training"].get("models", NOTHING)) for _, record in pairs.values())
    training["models"] = summary(set().union(*names))
    scenes = joined(from_list(record["training"].get("scenes", {})) for _, record in pairs.values())
    if scenes:
        training["scenes"] = listed(scenes)
    config = {k: v for k, v in first["config"].items() if k in SAME}
    bits = reader.bits if first["kind"] == reader.KIND else lambda _: 8
    with tempfile.TemporaryDirectory() as folder:
        whole = checkpoint.save(Path(folder) / "pair", first["kind"], mean, config, training, {})
        return checkpoint.compact(whole, out, bits)


def main() -> int:
    """Run the command line; return the exit code: 2 on an error."""
    parser = argparse.ArgumentParser(
        "python -m tools.average", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("out", type=Path, help="path of the new checkpoint, without suffix")
    parser.add_argument("shares", nargs="+", metavar="CHECKPOINT=SHARE")
    a = parser.parse_args()

    def run() -> None:
        try:
            pairs = [text.rpartition("=") for text in a.shares]
            shares = {name: float(share) for name, _, share in pairs}
        except ValueError:
            raise InputError(
                f"shares should have the form CHECKPOINT=NUMBER, not {' '.join(a.shares)}"
            ) from None
        print(average(a.out, shares))

    return guarded(run)


if __name__ == "__main__":
    raise SystemExit(main())
