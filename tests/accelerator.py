"""An accelerator that is none: tensors that say they are elsewhere (device "meta") and compute on
the CPU. An operation on tensors here and there raises, as it would with a real one. Lists as
indices (x[:, [2, 1]]) lose their numbers: torch makes
them tensors on x's device where nothing of this is seen."""

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

AWAY = torch.device("meta")
ATEN = torch.ops.aten
MOVES = {ATEN._to_copy.default, ATEN.copy_.default}
INDEXED = {
    ATEN.index.Tensor,
    ATEN.index_put_.default,
    ATEN.index_put.default,
}  # their indices may be on the CPU


class Away(torch.Tensor):
    """A tensor elsewhere; `here`: its values."""

    @staticmethod
    def __new__(cls, here: torch.Tensor) -> "Away":
        return torch.Tensor._make_wrapper_subclass(
            cls,
            here.size(),
            strides=here.stride(),
            storage_offset=here.storage_offset(),
            dtype=here.dtype,
            device=AWAY,
        )

    def __init__(self, here: torch.Tensor) -> None:
        self.here = here

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(func, args, kwargs or {})


class _Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(func, args, kwargs or {})


def _run(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    target = kwargs.get("device")
    leaves, _ = tree_flatten((args, kwargs))
    tensors = [x for x in leaves if isinstance(x, torch.Tensor)]
    away = any(isinstance(x, Away) for x in tensors)
    here = [x for x in tensors if not isinstance(x, Away) and x.ndim]
    if away and here and func not in MOVES and not (func in INDEXED and isinstance(args[0], Away)):
        raise AssertionError(
            f"{func} gets tensors here and there: {[tuple(x.shape) for x in here]}"
        )
    if target is not None:
        away = torch.device(target).type == AWAY.type
        kwargs = {**kwargs, "device": torch.device("cpu")}
    elif func is ATEN.copy_.default:
        away = isinstance(args[0], Away)
    plain_args, plain_kwargs = tree_map(
        lambda x: x.here if isinstance(x, Away) else x, (args, kwargs)
    )
    out = func(*plain_args, **plain_kwargs)
    if func._schema.name.endswith("_") and isinstance(args[0], Away):  # in place
        return args[0]
    return tree_map(lambda x: Away(x) if away and isinstance(x, torch.Tensor) else x, out)


def moved(module: torch.nn.Module) -> torch.nn.Module:
    """The module with its weights elsewhere."""
    for part in module.modules():
        for name, value in part._parameters.items():
            if value is not None:
                part._parameters[name] = torch.nn.Parameter(
                    Away(value.detach()), value.requires_grad
                )
        for name, value in part._buffers.items():
            if value is not None:
                part._buffers[name] = Away(value)
    return module


@contextlib.contextmanager
def accelerator() -> Iterator[None]:
    """In it tensors can be made and moved elsewhere (device "meta")."""
    plain = torch.tensor

    def tensor(data: Any, *, device: Any = None, **options: Any) -> torch.Tensor:
        """torch's own moves its numbers where no mode sees it."""
        return plain(data, **options).to(device or "cpu")

    def as_tensor(data: Any, *, device: Any = None, **options: Any) -> torch.Tensor:
        return (
            data.to(device or data.device, **options)
            if isinstance(data, torch.Tensor)
            else tensor(data, device=device, **options)
        )

    def new_tensor(self: torch.Tensor, data: Any) -> torch.Tensor:
        return tensor(data, device=self.device, dtype=self.dtype)

    with (
        _Mode(),
        mock.patch.multiple(torch, tensor=tensor, as_tensor=as_tensor),
        mock.patch.object(torch.Tensor, "new_tensor", new_tensor),
    ):
        yield
