"""Matrices of few bits in compact checkpoint pairs: levels, packing into bytes, scales."""

import numpy as np
import torch

LARGE = 4096  # least number of values of a matrix that a compact pair quantises


def best_steps(matrix: torch.Tensor, bits: int) -> torch.Tensor:
    """Return the step between the levels of each row (rows,), rounded to fp16: the one of 17
    candidates with the least squared error. With few levels, clipping the largest values costs less
    than a coarser step in the middle of the row."""
    full = 2 * matrix.abs().amax(1).clamp(min=1e-4) / (2**bits - 1)
    steps = (full * torch.linspace(0.2, 1, 17, device=matrix.device)[:, None]).half().float()
    errors = torch.stack(
        [(in_few_bits(matrix, step, bits) - matrix).square().sum(1) for step in steps]
    )
    return steps.gather(0, errors.argmin(0)[None])[0]


def in_few_bits(matrix: torch.Tensor, step: torch.Tensor, bits: int) -> torch.Tensor:
    """Return a matrix rounded to the nearest levels, as a compact pair restores it."""
    return leveled(codes(matrix, step, bits), step, bits)


def takes_few_bits(value: torch.Tensor) -> bool:
    """Whether a compact pair may store a tensor in fewer than eight bits."""
    return value.ndim == 2 and value.numel() >= LARGE and value.shape[1] % 8 == 0


def codes(matrix: torch.Tensor, step: torch.Tensor, bits: int) -> torch.Tensor:
    top = 2**bits - 1
    return (matrix / step[:, None] + top / 2).round().clamp(0, top).to(torch.uint8)


def leveled(codes: torch.Tensor, step: torch.Tensor, bits: int) -> torch.Tensor:
    """Return the values of codes; the levels are `step` apart and symmetric about zero."""
    return (codes.float() - (2**bits - 1) / 2) * step[:, None]


def packed(codes: torch.Tensor, bits: int) -> torch.Tensor:
    """Pack codes (rows, columns) of `bits` each into bytes (rows, columns * bits / 8)."""
    each = np.unpackbits(codes.numpy()[..., None], axis=-1)[..., 8 - bits :]
    return torch.from_numpy(np.packbits(each.reshape(len(codes), -1), axis=1))


def unpacked(packed: torch.Tensor, bits: int) -> torch.Tensor:
    """Inverse of `packed`; ValueError for an invalid input."""
    if (
        not 2 <= bits < 8
        or packed.dtype != torch.uint8
        or packed.ndim != 2
        or packed.shape[1] % bits
    ):
        raise ValueError(
            f"{tuple(packed.shape)} values of {packed.dtype} are not codes of {bits} bits"
        )
    # eight codes in so many bytes, as one number
    eight = np.zeros((len(packed), packed.shape[1] // bits), np.uint32 if bits <= 4 else np.uint64)
    for byte in np.moveaxis(packed.numpy().reshape(*eight.shape, bits), -1, 0):
        eight = eight << eight.dtype.type(8) | byte
    codes = np.empty((*eight.shape, 8), np.uint8)
    for k in range(8):
        codes[..., k] = (eight >> eight.dtype.type(bits * (7 - k))) & ((1 << bits) - 1)
    return torch.from_numpy(codes.reshape(len(packed), -1))


def along(scale: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    """Reshape one scale per row to multiply `matrix`."""
    return scale.view(-1, *[1] * (matrix.ndim - 1))
