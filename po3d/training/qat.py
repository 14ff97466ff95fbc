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
        self.matrices = {name: w for name, w in parameters.items() if takes_few_bits(w)}
        self.bits, self.base = bits, dict(base)
        self.steps: dict[str, Tensor] = {}

    def weights(self, step: int) -> dict[str, Tensor]:
        """Return the quantized matrices by name, for `torch.func.functional_call`, at a training
        step.
        """
        if not self.steps or step % REFITTED == 0:
            self.steps = {
                name: best_steps(self._unmasked(name, w), self.bits(name))
                for name, w in self.matrices.items()
            }
        rounded = {}
        for name, matrix in self.matrices.items():
            masked = self._unmasked(name, matrix)
            error = in_few_bits(masked, self.steps[name], self.bits(name)) - masked
            rounded[name] = matrix + error
        return rounded

    def _unmasked(self, name: str, matrix: Tensor) -> Tensor:
        """Return the dequantized value of a matrix as the checkpoint stores it, without
        gradient.
        """
        matrix = matrix.detach()
        if (base := self.base.get(name)) is None:
            return matrix
        self.base[name] = base = base.to(matrix.device)
        return matrix - base
