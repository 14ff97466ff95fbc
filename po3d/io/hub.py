"""Download and upload of folders on hubs of models and data sets.

Uses huggingface_hub with its HF_ENDPOINT and HF_TOKEN.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from po3d.io.cli_errors import needed
from po3d.io.errors import InputError, visible

SCHEME = "hf://"
# Files of a model that are downloaded: no code, no pickle.
FILES = ("config.json", "model.safetensors")


def fetch(address: str) -> Path:
    """Return the folder of hf://ORG/NAME or hf://ORG/NAME@REVISION, downloaded into the hub's cache
    if it is not there; InputError if there is none."""
    name, _, revision = address.removeprefix(SCHEME).partition("@")
    with _hub_errors(address):
        from huggingface_hub import snapshot_download

        folder = Path(snapshot_download(name, revision=revision or None, allow_patterns=FILES))
    if missing := [file for file in FILES if not (folder / file).is_file()]:
        raise InputError(f"{address} is not a po3d model: it lacks {' and '.join(missing)}")
    return folder


def push(
    folder: Path,
    name: str,
    message: str,
    *,
    private: bool | None,
    branch: str | None,
    token: str | None,
) -> str:
    """Upload the files of `folder` to the model ORG/NAME, created if missing, as one commit; return
    its URL."""
    with _hub_errors(name):
        from huggingface_hub import HfApi

        api = HfApi(token=token)
        api.create_repo(name, private=private, exist_ok=True)
        if branch is not None:
            api.create_branch(name, branch=branch, exist_ok=True)
        return str(
            api.upload_folder(
                repo_id=name, folder_path=folder, commit_message=message, revision=branch
            )
        )


@contextmanager
def _hub_errors(name: str) -> Iterator[None]:
    """Return an error of the hub or the network as one line."""
    needed("huggingface_hub", "hub", "a hub needs")
    import httpx
    from huggingface_hub.errors import HFValidationError

    try:
        yield
    except HFValidationError:
        raise InputError(f"{visible(name)} is not a hub address; expected hf://ORG/NAME") from None
    # Rejected, not found, no network, or not in the cache.
    except (httpx.HTTPError, OSError) as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"no access to {visible(name)} on the hub: {visible(why)}") from None
