"""Resumable training without pickle: Lightning's checkpoint as safetensors (tensors) and JSON
(everything else).

A checkpoint is a folder NAME.ckpt/ with tensors.safetensors and state.json. It is written under a
temporary name and then renamed, so after an interruption either the old or the new checkpoint is
complete.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pytorch_lightning.plugins.io import CheckpointIO
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from po3d.io.errors import InputError
from po3d.io.files import read_json, remove_torn


class SafetensorsCheckpointIO(CheckpointIO):
    """Lightning plugin: `Trainer(plugins=[SafetensorsCheckpointIO()])`."""

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: str | Path, storage_options: Any = None
    ) -> None:
        path = Path(path)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        shutil.rmtree(temporary, ignore_errors=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_torn(path.parent)
        temporary.mkdir(parents=True)
        tensors: dict[str, torch.Tensor] = {}
        state = _encode(checkpoint, tensors)
        save_file(tensors, str(temporary / "tensors.safetensors"))
        (temporary / "state.json").write_text(json.dumps(state), encoding="utf-8")
        for file in (*temporary.iterdir(), temporary):
            descriptor = os.open(file, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)
        if path.exists():  # a folder cannot be replaced in one step: move the old one aside first
            old = path.with_name(f".{path.name}.old")
            shutil.rmtree(old, ignore_errors=True)
            os.replace(path, old)
            os.replace(temporary, path)
            shutil.rmtree(old)
        else:
            os.replace(temporary, path)

    def load_checkpoint(
        self, path: str | Path, map_location: Any = None, weights_only: bool | None = None
    ) -> dict:
        path = Path(path)
        if not path.exists() and (old := path.with_name(f".{path.name}.old")).exists():
            path = old  # interrupted between the two renames
        if not (path / "state.json").is_file():
            raise InputError(
                f"{path} is not a training checkpoint of po3d (a folder with state.json)"
            )
        try:
            tensors = load_file(str(path / "tensors.safetensors"))
            return _decode(read_json(path / "state.json", "training checkpoint"), tensors)
        except (SafetensorError, OSError, KeyError, ValueError, TypeError, AttributeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                f"{path} is damaged ({type(error).__name__}: {error}); delete it to start over"
            ) from None

    def remove_checkpoint(self, path: str | Path) -> None:
        shutil.rmtree(path, ignore_errors=True)


def _encode(value: Any, tensors: dict[str, torch.Tensor]) -> Any:
    """Encode `value` as JSON. Tensors are added to `tensors`; types that JSON lacks (tuples, keys
    that are not strings) are tagged."""
    if isinstance(value, torch.Tensor):
        key = str(len(tensors))
        tensors[key] = value.detach().cpu().contiguous().clone()
        return {"channels_last" if _channels_last(value) else "tensor": key}
    if isinstance(value, dict):
        return {"dict": [[_encode(k, tensors), _encode(v, tensors)] for k, v in value.items()]}
    if isinstance(value, (tuple, list)):
        kind = "list" if type(value) is list else "tuple"
        return {kind: [_encode(v, tensors) for v in value]}
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"a training checkpoint cannot store a {type(value).__name__}: {value!r}")


def _channels_last(value: torch.Tensor) -> bool:
    """Return whether a tensor is in channels-last order. The memory order is preserved, because
    sums over another order differ in their last bits."""
    return (
        value.ndim == 4
        and value.is_contiguous(memory_format=torch.channels_last)
        and not value.is_contiguous()
    )


def _decode(value: Any, tensors: dict[str, torch.Tensor]) -> Any:
    if not isinstance(value, dict):
        return value
    (kind, content), = value.items()  # fmt: skip
    if kind == "tensor":
        return tensors[content]
    if kind == "channels_last":
        return tensors[content].contiguous(memory_format=torch.channels_last)
    if kind == "dict":
        return {_decode(k, tensors): _decode(v, tensors) for k, v in content}
    items = [_decode(v, tensors) for v in content]
    return items if kind == "list" else tuple(items)
