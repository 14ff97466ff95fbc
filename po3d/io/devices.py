"""The device of the networks, from its name."""

import torch

from po3d.io.errors import InputError

OPENVINO = "openvino"  # the CPU; estimators compute their maps in int8 (`perception.int8`)


def device_of(name: str | torch.device) -> torch.device:
    """Return the torch device of that name (cpu, cuda, cuda:1, mps, openvino); InputError if it is
    not available."""
    try:
        device = torch.device("cpu" if name == OPENVINO else name)
        torch.empty(0, device=device)
    # Torch without CUDA raises AssertionError.
    except (RuntimeError, AssertionError, TypeError) as error:
        reason = str(error).split("\n")[0]
        raise InputError(
            f"device {str(name)!r} is not available ({reason}); device=cpu always is"
        ) from None
    return device
