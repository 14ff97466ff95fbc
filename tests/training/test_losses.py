"""The flip loss: it ranks the ground-truth half of the headings above the opposite half."""

import math

import pytest
import torch

from po3d.perception.network import HEADING_BINS
from po3d.training.losses import flip_loss


def peak(index: int, height: float = 5.0) -> torch.Tensor:
    logits = torch.zeros(1, HEADING_BINS)
    logits[0, index % HEADING_BINS] = height
    return logits


def value(logits: torch.Tensor, index: int) -> float:
    return float(flip_loss(logits, torch.tensor([index])).sum)


@pytest.mark.parametrize("true", range(HEADING_BINS))
def test_flip_loss_depends_on_the_half_alone(true: int) -> None:
    assert value(torch.zeros(1, HEADING_BINS), true) == pytest.approx(math.log(2))
    near = {round(value(peak(true + k), true), 5) for k in range(-3, 4)}
    far = {round(value(peak(true + k), true), 5) for k in range(5, 12)}
    sides = {round(value(peak(true + k), true), 5) for k in (-4, 4)}
    assert len(near) == len(far) == 1
    assert near.pop() < math.log(2) < far.pop()
    assert sides == {round(math.log(2), 5)}


def test_flip_loss_pushes_the_opposite_half_down() -> None:
    logits = torch.zeros(1, HEADING_BINS, requires_grad=True)
    flip_loss(logits, torch.tensor([3])).sum.backward()
    slope = logits.grad[0]
    assert (slope[[0, 1, 2, 3, 4, 5, 6]] < 0).all()
    assert (slope[[8, 9, 10, 11, 12, 13, 14]] > 0).all()
    assert (slope[[7, 15]] == 0).all()
