"""The device that networks run on, as the user names it."""

import torch

from po3d.io.errors import InputError

OPENVINO = "openvino"  # the CPU, where estimators make their maps in 8 bits (`perception.int8`)


def device_of(name: str | torch.device) -> torch.device:
    """The torch device of that name (cpu, cuda, cuda:1, mps, openvino); InputError when there is no such thing here."""
    try:
        device = torch.device("cpu" if name == OPENVINO else name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:  # torch built without CUDA asserts
        reason = str(error).split("\n")[0]
        raise InputError(
            f"device {str(name)!r} can't be used here ({reason}); device=cpu works everywhere"
        ) from None
    return device
