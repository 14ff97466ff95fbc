"""Check the installation: what is installed and works, and how to fix the rest.

    po3d doctor           a line each: package, extras, renderer, devices, checkpoints
    po3d doctor --json    as JSON, for a bug report

Extras are named as in `pip install 'po3d[NAME]'`. The exit code is 1 if something that every user
needs is missing.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

NEEDED = "needed"  # states of a check; `absent` is fine if the feature is not used
STATES = {True: "ok", False: "absent", NEEDED: "MISSING"}


class Check(NamedTuple):
    what: str
    state: bool | str  # true: present; false: absent; NEEDED: absent and required by everything
    result: str
    remedy: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    checks = [*packages(), *devices(), *checkpoints()]
    if arguments.json:
        rows = [c._asdict() | {"state": STATES[c.state]} for c in checks]
        print(json.dumps({"ok": _healthy(checks), "checks": rows}, indent=1))
    else:
        width = max(len(c.what) for c in checks)
        for c in checks:
            line = f"{STATES[c.state]:8}{c.what:{width}}  {c.result}"
            print(f"{line}: {c.remedy}" if c.remedy else line)
    return 0 if _healthy(checks) else 1


def _healthy(checks: list[Check]) -> bool:
    return all(c.state != NEEDED for c in checks)


def packages() -> Iterator[Check]:
    """Check Python, po3d, and the versions of the requirements of the core and each extra."""
    yield Check(
        "python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    )
    try:
        distribution = importlib.metadata.distribution("po3d")
    except importlib.metadata.PackageNotFoundError:
        yield Check("po3d", NEEDED, "not installed", "pip install -e . in the checkout")
        return
    if missing := _missing(distribution.requires or [], None):
        lacks = f"{distribution.version}, lacks {', '.join(missing)}"
        yield Check("po3d", NEEDED, lacks, "pip install po3d")
    else:
        yield Check("po3d", True, distribution.version)
    for extra in distribution.metadata.get_all("Provides-Extra") or []:
        if missing := _missing(distribution.requires or [], extra):
            remedy = f"pip install 'po3d[{extra}]'"
            yield Check(f"extra {extra}", False, f"lacks {', '.join(missing)}", remedy)
        else:
            yield Check(f"extra {extra}", True, "complete")


def _missing(requirements: list[str], extra: str | None) -> list[str]:
    """Return the requirements of the core (None) or of one extra that are not installed in a
    suitable version."""
    from packaging.requirements import Requirement

    missing = []
    for wanted in map(Requirement, requirements):
        chosen = wanted.marker is None or wanted.marker.evaluate({"extra": extra or ""})
        core = wanted.marker is None or wanted.marker.evaluate({"extra": ""})
        if not chosen or (extra is not None and core) or wanted.name == "po3d":
            continue
        try:
            version = importlib.metadata.version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            version = None
        if version is None or not wanted.specifier.contains(version, prereleases=True):
            missing.append(f"{wanted.name}{wanted.specifier}")
    return missing


RENDERER_SECONDS = 120  # limit on the start of the renderer
# In a process of its own: a broken driver may crash, and the LLVM of a software renderer conflicts
# with that of some torch versions.
_RENDERER = """
from po3d.io.errors import InputError
from po3d.synthesis.render.device import open_context
try:
    print(open_context(1).info["GL_RENDERER"])
except InputError as error:
    raise SystemExit(str(error))
"""


def _renderer() -> Check:
    limits = {"capture_output": True, "text": True, "timeout": RENDERER_SECONDS, "check": False}
    try:
        process = subprocess.run([sys.executable, "-c", _RENDERER], **limits)
    except subprocess.TimeoutExpired:
        why = f"the renderer did not start within {RENDERER_SECONDS} s"
        return Check("renderer (EGL)", False, "twins and training cannot render", why)
    if process.returncode == 0:
        return Check("renderer (EGL)", True, process.stdout.strip())
    lines = process.stderr.strip().splitlines()
    ended = f"the renderer's process ended with exit code {process.returncode}"
    why = lines[-1] if lines else ended
    return Check("renderer (EGL)", False, "twins and training cannot render", why)


def devices() -> Iterator[Check]:
    """Check the renderer, a GPU, and the furniture catalogue."""
    if importlib.util.find_spec("moderngl"):
        yield _renderer()
    else:
        yield Check("renderer (EGL)", False, "no moderngl", "pip install 'po3d[synthesis]'")
    yield _cuda()
    from po3d.synthesis.furniture import FOLDER

    there, remedy = FOLDER.is_dir(), ""
    if not there:
        remedy = "install the Debian package sweethome3d-furniture, or set furniture=DIR; needed"
        remedy += " only for new room twins"
    yield Check("furniture catalogue", there, str(FOLDER), remedy)


def _cuda() -> Check:
    if not importlib.util.find_spec("torch"):
        return Check("CUDA", NEEDED, "no torch", "pip install po3d")
    import torch

    if torch.cuda.is_available():
        name = torch.cuda.get_device_name()
        return Check("CUDA", True, f"{name}, torch {torch.__version__}: trainer=gpu")
    return Check("CUDA", False, f"none, torch {torch.__version__}: everything runs on the CPU")


def checkpoints() -> Iterator[Check]:
    """Check that the shipped checkpoints are complete and match their recorded hashes."""
    from po3d.io import paths
    from po3d.io.files import read_json, sha256

    for card in sorted(paths.CHECKPOINTS.glob("*.json")):
        record, weights = (
            read_json(card, "checkpoint description"),
            card.with_suffix(".safetensors"),
        )
        what, restore = f"checkpoint {card.stem}", f"restore {weights.name}"
        if not weights.is_file():
            yield Check(what, NEEDED, "no weights", restore)
        elif sha256(weights) != record.get("sha256"):
            why = "it may be a Git LFS pointer or an incomplete download"
            remedy = f"{restore} from the release ({why})"
            yield Check(what, NEEDED, "checksum differs from the card's", remedy)
        else:
            size = weights.stat().st_size / 1e6
            yield Check(what, True, f"{record.get('parameters', 0):,} parameters, {size:.1f} MB")
