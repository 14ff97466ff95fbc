"""Quantization-aware training: the matrices are rounded as the checkpoint will store them."""

from collections.abc import Callable, Mapping

from torch import Tensor, nn

from po3d.io.quantized import best_steps, in_few_bits, takes_few_bits

REFITTED = 50  # training steps between two updates of the quantization scales


class QuantizedWeights:
    """Matrices of a network quantized to `bits` (by name); those in `base` are stored as the
    difference from `base`.

    The optimizer updates the exact matrix: the gradient passes through the rounding unchanged
    (straight-through estimator).
    """

    def __init__(
        self,
        parameters: Mapping[str, nn.Parameter],
        bits: Callable[[str], int],
        base: Mapping[str, Tensor],
    ) -> None:
        self.matrices = {}
        for name, weights in parameters.items():
            if takes_few_bits(weights):
                self.matrices[name] = weights
        self.bits, self.base = bits, dict(base)
        self.steps: dict[str, Tensor] = {}

    def weights(self, step: int) -> dict[str, Tensor]:
        """Return the quantized matrices by name, for `torch.func.functional_call`, at a training
        step."""
        refit = not self.steps or step % REFITTED == 0
        rounded = {}
        for name, matrix in self.matrices.items():
            masked = self._unmasked(name, matrix)
            if refit:
                self.steps[name] = best_steps(masked, self.bits(name))
            error = in_few_bits(masked, self.steps[name], self.bits(name)) - masked
            rounded[name] = matrix + error
        return rounded

    def _unmasked(self, name: str, matrix: Tensor) -> Tensor:
        """Return the dequantized value of a matrix as the checkpoint stores it, without
        gradient."""
        matrix = matrix.detach()
        if (base := self.base.get(name)) is None:
            return matrix
        self.base[name] = base = base.to(matrix.device)
        return matrix - base
