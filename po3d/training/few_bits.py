"""Training a network whose checkpoint has its matrices in few bits: with them rounded as the checkpoint will have them."""

from collections.abc import Callable, Mapping

from torch import Tensor, nn

from po3d.io.checkpoint import best_steps, in_few_bits, takes_few_bits

REFITTED = 50  # steps of training after which the steps between levels are looked for anew


class FewBits:
    """The matrices of a network, rounded to so many `bits` (by name), those in `base` as their difference from what is there. What is
    learned is the exact matrix: rounding passes gradients on as if it were not there (straight-through estimator)."""

    def __init__(
        self, parameters: Mapping[str, nn.Parameter], bits: Callable[[str], int], base: Mapping[str, Tensor]
    ) -> None:
        self.matrices = {name: w for name, w in parameters.items() if takes_few_bits(w)}
        self.bits, self.base = bits, dict(base)
        self.steps: dict[str, Tensor] = {}

    def weights(self, step: int) -> dict[str, Tensor]:
        """The rounded matrices by name, for `torch.func.functional_call`, at a step of training."""
        if not self.steps or step % REFITTED == 0:
            self.steps = {
                name: best_steps(self._kept(name, w), self.bits(name)) for name, w in self.matrices.items()
            }
        rounded = {}
        for name, matrix in self.matrices.items():
            kept = self._kept(name, matrix)
            error = in_few_bits(kept, self.steps[name], self.bits(name)) - kept
            rounded[name] = matrix + error
        return rounded

    def _kept(self, name: str, matrix: Tensor) -> Tensor:
        """What the checkpoint keeps of a matrix, without gradient."""
        matrix = matrix.detach()
        if (base := self.base.get(name)) is None:
            return matrix
        self.base[name] = base = base.to(matrix.device)
        return matrix - base
