"""Locate the weights of pretrained networks: a folder, or a Hugging Face name in the local cache.

Only safetensors are accepted; folders with pickles only (.bin, .pt) are refused, and pickles are
never downloaded. Nothing is downloaded unless `download` is set.
"""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from po3d.io.errors import InputError, malformed
from po3d.io.files import read_json

PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".msgpack", ".h5")
WANTED = ("*.json", "*.txt", "*.model", "*.safetensors")
WEIGHTS, INDEX, CONFIG = "model.safetensors", "model.safetensors.index.json", "config.json"
# head weights of an orientation network, beside its backbone's weights
HEAD = "orientation.safetensors"
NEEDED = "photographs need transformers: pip install 'po3d[foundation]'"


@dataclass(frozen=True)
class Weights:
    """Where the weights of one third-party network are: a local folder or the hub."""

    role: str  # "detector", "depth", "orientation": its key in the config
    name: str  # a folder, or OWNER/NAME on the hub
    revision: str | None = None  # branch, tag or commit on the hub; None: the main branch
    more: tuple[str, ...] = ()  # required in addition to the usual files

    def folder(self, download: bool = False) -> Path | str:
        """Return the folder with all files, or the reason why there is none."""
        path = Path(self.name)
        if not path.is_dir():
            location = self._cached(download)
            if isinstance(location, str):
                return location
            path = location
        return self._lacks(path) or path

    def _cached(self, download: bool) -> Path | str:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError

        label = f"{self.role}: {self.name}"
        if self.name.startswith((".", "/")) or self.name.count("/") != 1:
            return f"{label} is not a folder (see docs/foundation.md)"
        try:
            return Path(
                snapshot_download(
                    self.name,
                    revision=self.revision,
                    local_files_only=not download,
                    allow_patterns=WANTED,
                )
            )
        except HFValidationError:
            return f"{label} is neither a folder nor a name on the hub"
        # not in the cache, no network, or unknown name
        except (OSError, ValueError, RuntimeError) as error:
            if download:
                return f"{label} cannot be downloaded ({type(error).__name__})"
        revision = f" --revision {self.revision}" if self.revision else ""
        return f"{label} (to download it: hf download {self.name}{revision})"

    def _lacks(self, folder: Path) -> str:
        """Describe a folder's problem; "" if it is complete."""
        files = [WEIGHTS]
        if not (folder / WEIGHTS).is_file() and (folder / INDEX).is_file():
            index = read_json(folder / INDEX, "index of weights")
            with malformed(f"{folder / INDEX} is not an index of weights"):
                files = sorted(set(map(str, index["weight_map"].values())))
        missing = [name for name in (CONFIG, *files, *self.more) if not (folder / name).is_file()]
        if not missing:
            return ""
        pickled = [p.name for p in sorted(folder.glob("*")) if p.suffix in PICKLES]
        if pickled and missing[0] != CONFIG:
            return (
                f"{self.role}: {folder} contains pickles ({pickled[0]}), which are not "
                f"supported, but no {missing[0]}"
            )
        return f"{self.role}: {folder} has no {missing[0]}"


def folders(weights: Sequence[Weights], download: bool = False) -> dict[str, Path]:
    """Return {role: folder}.

    Raise InputError, in one line, naming all missing weights and how to get them, or if
    transformers is not installed.
    """
    if None in map(importlib.util.find_spec, ("transformers", "huggingface_hub")):
        raise InputError(NEEDED)
    paths, missing = {}, []
    for w in weights:
        folder = w.folder(download)
        if isinstance(folder, str):
            missing.append(folder)
        else:
            paths[w.role] = folder
    if missing:
        raise InputError(
            f"weights for photographs are missing: {'; '.join(missing)}; folders can be "
            "set, for example perception.depth.transformers=DIR"
        )
    return paths
