"""Networks that know nothing, as checkpoint pairs: enough to run everything around them."""

from pathlib import Path

import torch

from po3d.io import checkpoint
from po3d.language.read.seq2seq import Seq2Seq
from po3d.language.read.street_parser import KIND as PARSER
from po3d.language.read.street_parser import LANGUAGE
from po3d.perception.street import KIND as ESTIMATOR
from po3d.perception.street import StreetEstimator

WORDS = ("<pad>", "how", "many", "car", "?")


def untrained_estimator(folder: Path) -> Path:
    """The path, without suffix, of a small street estimator."""
    torch.manual_seed(0)
    net = StreetEstimator.build(
        backbone="regnetx_002", width=160, height=120, fold=1, neck=16, hidden=32
    )
    return _saved(folder / "estimator", ESTIMATOR, net, {"network": net.config})


def untrained_parser(folder: Path) -> Path:
    """The path, without suffix, of a small parser."""
    torch.manual_seed(0)
    config = {"width": 16, "dilations": [1], "heads": 2}
    return _saved(
        folder / "parser",
        PARSER,
        Seq2Seq(len(WORDS), LANGUAGE, **config),
        {"words": WORDS, "network": config},
    )


def _saved(path: Path, kind: str, net: torch.nn.Module, config: dict) -> Path:
    checkpoint.save(path, kind, net.state_dict(), config, {}, {})
    return path
