"""Checkpoint pairs: NAME.safetensors (fp16 weights) and NAME.json (network, hash, provenance).

A compact pair stores large matrices as int8 with one scale per output channel (the tensor's name
and SCALE), in half the size; `python -m po3d.training.quantize` writes it. Matrices of fewer bits
are packed, and the number of bits is a suffix of their name ("weight:3"). A model folder, as on
model hubs, holds several pairs in one: config.json and model.safetensors, whose tensor names are
prefixed with the kind of the pair. No pickle is read.
"""

import os
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from safetensors.torch import save as serialise
from torch import nn
from torch.nn.modules.module import register_module_parameter_registration_hook
from torch.overrides import TorchFunctionMode

from po3d import __version__
from po3d.io import hub, paths
from po3d.io.deprecated_names import new_settings
from po3d.io.errors import InputError, printable, visible
from po3d.io.files import read_json, sha256, write_file, write_json
from po3d.io.quantized import (
    LARGE,
    along,
    best_steps,
    codes,
    leveled,
    packed,
    takes_few_bits,
    unpacked,
)

Network = TypeVar("Network", bound=torch.nn.Module)
FORMAT, FOLDER = "po3d-checkpoint-1", "po3d-model-1"
CONFIG, WEIGHTS = "config.json", "model.safetensors"  # files of a model folder
SCALE = ":scale"  # suffix of the scale of a tensor that is stored as int8
# limit on the parameters of a network while it is built: REPLACED * values + SPARE
REPLACED, SPARE = 4, 20_000_000
SHIPPED = paths.CHECKPOINTS
OTHER_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR")
# errors of a network's class for a description of another version
_UNFIT = (RuntimeError, ValueError, TypeError, LookupError, AttributeError, AssertionError)
INITIALISERS = torch.Tensor.normal_, torch.Tensor.uniform_  # beside the functions of torch.nn.init


def git_revision() -> str:
    """Return the commit of the source tree, with "+" if files differ from it, or the commit that
    the wheel was built from; "" if neither is known. Waits for git without a limit: a revision that
    is missing on a busy machine would make equal runs differ."""
    root = paths.ROOT
    if paths.INSTALLED:
        return (root / "revision").read_text(encoding="utf-8")
    if not (root / ".git").exists():  # a repository around the source tree is another project's
        return ""
    # Hooks of git set GIT_DIR and others. Without locks, a killed process leaves no index.lock.
    own = {}
    for k, v in os.environ.items():
        if k not in OTHER_REPOSITORY:
            own[k] = v
    command = ["git", "-C", str(root), "describe", "--match=", "--always", "--abbrev=40"]
    options = {"capture_output": True, "text": True, "check": True}
    env = {**own, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        return subprocess.run([*command, "--dirty=+"], **options, env=env).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def save(
    path: str | Path,
    kind: str,
    weights: Mapping[str, torch.Tensor],
    config: dict,
    training: dict,
    metrics: dict,
) -> Path:
    """Write `path`.safetensors and `path`.json, and return the path of the weights. The JSON file
    has the hash of the weights and is written last, so a pair with a matching hash is complete."""
    half = {}
    for name, value in weights.items():
        value = value.half() if value.is_floating_point() else value
        half[name] = value.contiguous().cpu()
    record = {
        "format": FORMAT,
        "kind": kind,
        "config": config,
        "training": training,
        "metrics": metrics,
        "parameters": sum(v.numel() for v in half.values()),
    }
    return _write(_stem(path), half, record, {"po3d": __version__, "git": git_revision()})


def compact(path: str | Path, out: str | Path, bits: Callable[[str], int] = lambda _: 8) -> Path:
    """Write the pair `path` again as `out` (without suffix), with matrices of `bits` bits (2 to 8,
    by name); return the path of the weights."""
    weights, record = load(path)
    stored: dict[str, torch.Tensor] = {}
    for name, value in weights.items():
        if not (value.is_floating_point() and value.ndim > 1 and value.numel() >= LARGE):
            stored[name] = value.half() if value.is_floating_point() else value
        elif bits(name) < 8 and takes_few_bits(value):
            step = best_steps(value, bits(name))
            stored[name + SCALE] = step.half()
            stored[f"{name}:{bits(name)}"] = packed(codes(value, step, bits(name)), bits(name))
        else:
            scale = (value.abs().flatten(1).amax(1).clamp(min=1e-4) / 127).half()
            levels = (value / along(scale.float(), value)).round().clamp(-127, 127)
            stored[name] = levels.to(torch.int8).contiguous()
            stored[name + SCALE] = scale
    origin = {key: record.pop(key) for key in ("po3d", "git")}
    record.pop("sha256")
    return _write(Path(out), stored, record, origin)


def _write(stem: Path, tensors: dict[str, torch.Tensor], record: dict, origin: dict) -> Path:
    target = stem.with_name(stem.name + ".safetensors")
    write_file(target, serialise(tensors))
    meta = {**record, "sha256": sha256(target), **origin}
    write_json(stem.with_name(stem.name + ".json"), meta, indent=None)
    return target


def combine(pairs: Iterable[str | Path], folder: Path, about: Mapping[str, Any]) -> dict:
    """Write the pairs (paths without suffix) as one model folder, with identical tensors; return
    its config, which begins with `about`."""
    tensors, parts = {}, {}
    for pair in pairs:
        _, record = load(pair)
        kind = record["kind"]
        parts[kind] = record
        for name, value in load_file(_files(pair)[0]).items():
            tensors[f"{kind}.{name}"] = value
    target = folder / WEIGHTS
    write_file(target, serialise(tensors, metadata={"format": "pt"}))
    config = {"format": FOLDER, **about, "parts": parts, "sha256": sha256(target)}
    write_json(folder / CONFIG, config)
    return config


def load(path: str | Path, kind: str | None = None) -> tuple[dict[str, torch.Tensor], dict]:
    """Return (weights in fp32, the JSON record) of a checkpoint pair of `kind` (None: any).
    InputError if a file is missing, of another kind, or the weights do not match the hash in the
    JSON file."""
    path = Path(path)
    if path.suffix in (".ckpt", ".pt", ".pth", ".pkl", ".bin"):
        raise InputError(
            f"checkpoint {path}: pickled files are not supported; use the .safetensors "
            "file of an exported pair"
        )
    weights, description = _files(path)
    if description.name == CONFIG and kind is None:
        raise InputError(f"{path} is a folder of several networks; name the file of one of them")
    meta = _description(description, kind)
    if kind is not None and meta["kind"] != kind:
        raise InputError(f"checkpoint {weights} holds a {visible(meta['kind'])}, not a {kind}")
    if not weights.is_file():
        raise InputError(f"checkpoint weights not found: {weights}")
    if (actual := sha256(weights)) != meta["sha256"]:
        raise InputError(
            f"checkpoint {weights}: its sha256 is {actual[:12]}..., but {description.name}"
            f" expects {meta['sha256'][:12]}...; download the pair again or export it anew"
        )
    return _tensors(weights, f"{kind}." if description.name == CONFIG else ""), meta


def description(path: str | Path) -> dict:
    """Return the JSON record of a pair, or of a model folder."""
    return read_json(_files(path)[1], "checkpoint description")


def digest(path: str | Path) -> str:
    """Return the SHA-256 of a checkpoint's weights, as stored in its description."""
    return description(path)["sha256"]


def _files(path: str | Path) -> tuple[Path, Path]:
    """Return the paths of weights and description of a pair, or of a model folder."""
    path = Path(path)
    if (path / CONFIG).is_file():
        return path / WEIGHTS, path / CONFIG
    stem = _stem(path)
    return stem.with_name(stem.name + ".safetensors"), stem.with_name(stem.name + ".json")


def _stem(path: str | Path) -> Path:
    path = Path(path)
    return path.with_suffix("") if path.suffix in (".safetensors", ".json") else path


def folder_config(folder: Path) -> dict:
    """Return config.json of a model folder; InputError if it is not a model folder of po3d."""
    from po3d.io.checkpoint_schemas import ModelFolder
    from po3d.io.schemas import checked

    config = read_json(folder / CONFIG, "model folder's config")
    where = f"model folder {folder}, {CONFIG}"
    if not isinstance(config, dict) or config.get("format") != FOLDER:
        raise InputError(f"{where} is not of format {FOLDER!r}")
    if isinstance(config.get("options"), dict):
        config = {**config, "options": new_settings(config["options"])}
    checked(ModelFolder, config, where)
    return config


def _description(path: Path, kind: str | None) -> dict:
    """Return the record of a pair, or of the part of that kind of a model folder."""
    from po3d.io.checkpoint_schemas import CONFIGS, CheckpointRecord
    from po3d.io.schemas import checked

    where = f"checkpoint description {path}"
    if path.name == CONFIG:
        config = folder_config(path.parent)
        meta = config["parts"].get(kind)
        if meta is None:
            there = ", ".join(map(printable, config["parts"]))
            raise InputError(f"{where} contains no {kind}; it contains {there}")
        meta = {**meta, "sha256": config["sha256"]}
    else:
        meta = read_json(path, "checkpoint description")
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise InputError(f"{where} is not of format {FORMAT!r}")
    kind = checked(CheckpointRecord, meta, where).kind
    if kind in CONFIGS:
        checked(CONFIGS[kind], meta["config"], f"{where}, config")
    return meta


def _tensors(path: Path, prefix: str = "") -> dict[str, torch.Tensor]:
    """Return the tensors whose names begin with `prefix`, in fp32, dequantised."""
    values: dict[str, torch.Tensor] = {}
    try:
        # read one tensor at a time: a quantised one is in memory only once
        with safe_open(path, "pt") as file:
            names = [*file.keys()]
            keys = {name.removeprefix(prefix) for name in names if name.startswith(prefix)}
            for key in sorted(keys):
                if key.endswith(SCALE):
                    continue
                tensor, (name, _, bits) = file.get_tensor(prefix + key), key.partition(":")
                if name + SCALE not in keys:
                    values[key] = tensor.float() if tensor.is_floating_point() else tensor
                    continue
                scale = file.get_tensor(prefix + name + SCALE).float()
                # It would broadcast to more values than are stored.
                if scale.shape != tensor.shape[:1]:
                    raise ValueError(
                        f"a scale of shape {tuple(scale.shape)} does not fit a tensor of "
                        f"shape {tuple(tensor.shape)}"
                    )
                if bits:
                    values[name] = leveled(unpacked(tensor, int(bits)), scale, int(bits))
                else:
                    values[name] = tensor.float().mul_(along(scale, tensor))
    except (SafetensorError, OSError, RuntimeError, ValueError) as error:
        raise InputError(f"checkpoint {path} cannot be read ({_first_line(error)})") from None
    for key, value in values.items():
        if value.is_floating_point() and not value.isfinite().all():
            raise InputError(
                f"checkpoint {path}: the tensor {printable(key)} contains non-finite values"
            )
    return values


def restored(
    make: Callable[[], Network], weights: Mapping[str, torch.Tensor], path: str | Path
) -> Network:
    """Build a network by `make` and load `weights` into it; `path` names the checkpoint in errors.
    InputError if they do not fit. The network is built without memory (on the meta device) until
    names and shapes have been compared with the weights."""
    try:
        with _without_values(sum(value.numel() for value in weights.values())):
            network = make()
        _compare(network.state_dict(), weights)
        network.load_state_dict(weights, assign=any(p.is_meta for p in network.parameters()))
    except (*_UNFIT, MemoryError) as error:
        raise InputError(
            f"checkpoint {path}: the weights or the description do not fit this version "
            f"of po3d ({_first_line(error)})"
        ) from None
    return network


@contextmanager
def _without_values(most: int) -> Iterator[None]:
    """Within this context, this thread's modules get parameters on the meta device. ValueError if
    they have far more than `most` values; some are replaced while a network is built."""
    thread, count = threading.get_ident(), 0

    def shape(module: nn.Module, name: str, parameter: nn.Parameter | None) -> nn.Parameter | None:
        nonlocal count
        if parameter is None or threading.get_ident() != thread:
            return None
        count += parameter.numel()
        if count > REPLACED * most + SPARE:
            raise ValueError(
                f"the description has far more parameters than the {most:,} values of the weights"
            )
        return nn.Parameter(torch.empty_like(parameter, device="meta"), parameter.requires_grad)

    hook = register_module_parameter_registration_hook(shape)
    try:
        with _NoInitialisation():
            yield
    finally:
        hook.remove()


class _NoInitialisation(TorchFunctionMode):
    """Within this mode, random initialisation of tensors on the meta device does nothing. It has no
    effect there, but torch imports its compiler for it, which takes seconds."""

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        module = getattr(function, "__module__", "")
        initialises = function in INITIALISERS or module == nn.init.__name__
        if initialises and (tensor := args[0] if args else kwargs["tensor"]).is_meta:
            return tensor
        return function(*args, **(kwargs or {}))


def _compare(own: Mapping[str, torch.Tensor], weights: Mapping[str, torch.Tensor]) -> None:
    """Raise ValueError naming the first tensor that is missing, superfluous, or of another shape or
    type."""
    for name in sorted(own.keys() ^ weights.keys()):
        raise ValueError(f"{'missing' if name in own else 'unexpected'} tensor {printable(name)}")
    for name, value in own.items():
        result = weights[name]
        if result.shape != value.shape or result.is_floating_point() != value.is_floating_point():
            wanted = f"{tuple(value.shape)} of {value.dtype}"
            raise ValueError(
                f"tensor {printable(name)} has shape {tuple(result.shape)} and type "
                f"{result.dtype}, expected {wanted}"
            )


def _first_line(error: Exception) -> str:
    return visible(" ".join(str(error).split())[:200])


def locate(name: str | Path) -> Path:
    """Return the path of a checkpoint. `name`: a path (with or without suffix), a model folder, an
    address on a hub (hf://ORG/NAME), or the bare name of one in the working directory, in
    checkpoints/ or among the shipped ones."""
    if str(name).startswith(hub.SCHEME):
        return hub.fetch(str(name))
    if Path(name).name != str(name) or Path(name).suffix:
        return Path(name)
    for folder in (Path(), paths.EXPORTS):
        if (folder / f"{name}.json").is_file():
            return folder / name
    return SHIPPED / name
