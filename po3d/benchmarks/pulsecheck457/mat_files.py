"""Reading of MATLAB files; imported only for one, as importing scipy.io takes a second."""

from pathlib import Path
from typing import Any

from scipy.io import loadmat

from po3d.io.errors import InputError
from po3d.io.trials import exceeds

META = "SUNRGBDMeta"
# scipy makes an object of each field: 0.15 s per megabyte and 7 bytes per byte for 600 photographs
SECONDS_PER_MB, MEMORY_PER_BYTE = 20.0, 200


def trial(path: str | Path) -> dict[str, Any]:
    return loadmat(path, squeeze_me=True, struct_as_record=False, variable_names=[META])


def metadata(path: Path) -> Any:
    """Return the variable META of a .mat file (MATLAB 5 to 7.2); InputError for a file that is
    damaged, expands without limit or ends scipy with a signal."""
    if not path.is_file():
        raise InputError(f"annotations not found: {path}")
    if exceeds(f"{__name__}:trial", path, SECONDS_PER_MB, MEMORY_PER_BYTE):
        raise InputError(
            f"{path} is damaged, or takes far more time or memory than its size justifies"
        )
    try:
        content = trial(path)
    except NotImplementedError:
        raise InputError(f"{path} is in MATLAB's v7.3 format; save it with -v7") from None
    except Exception as error:  # a damaged file raises various errors of zlib, struct and scipy
        raise InputError(
            f"{path} is not a readable .mat file ({type(error).__name__}: {error})"
        ) from None
    if META not in content:
        raise InputError(f"{path} contains no {META}")
    return content[META]
