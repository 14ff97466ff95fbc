"""Estimators of photographs from a config: detector, depth and orientation, each a network or a
file (docs/photographs.md, docs/foundation.md).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from po3d.io.errors import InputError
from po3d.perception.depth_files import DepthFile, read_intrinsics
from po3d.perception.foundation_estimator import FoundationEstimator, KnownSize
from po3d.perception.foundation_weights import HEAD, Weights, folders
from po3d.perception.onnx_detector import OnnxDetector, read_names
from po3d.perception.onnx_session import check_file
from po3d.perception.people_facing import PeopleFacing
from po3d.perception.photo_detections import Choice

DETECTOR = "IDEA-Research/grounding-dino-base"
DEPTH = "depth-anything/Depth-Anything-V2-Metric-Outdoor-Small-hf"
ORIENTATION = "./weights/orient-anything-large"
NO_DEPTH = "none"
LEAST_HEIGHT = 0.001  # metres of an object of known height
# Thresholds of detectors with a fixed list of classes, which confuse classes more often than they
# overlook objects.
OF_CLASSES = {"asked": 0.25, "same": 0.75}


def parse_known(text: str) -> KnownSize:
    """Parse "mug: 0.1 m"; InputError for another form."""
    name, _, size = str(text).partition(":")
    try:
        metres = float(size.strip().removesuffix("m").strip())
    except ValueError:
        metres = 0.0
    if not name.strip() or not (LEAST_HEIGHT <= metres < 1000):
        raise InputError(f'{text!r} should be a thing and its height, as in "mug: 0.1 m"')
    return name.strip().lower(), metres


def foundation(
    detector: Mapping[str, Any],
    depth: Mapping[str, Any] | str | None = None,
    orientation: Mapping[str, Any] | None = None,
    device: str = "cpu",
    download: bool = False,
    phrases_at_once: int = 20,
    choice: Mapping[str, float] | None = None,
    intrinsics: str | None = None,
    known: str | None = None,
    **settings: Any,
) -> FoundationEstimator:
    """Build the estimator of a config.

    `detector`: `transformers` (a folder or hub name) with `revision`, or `onnx` (a file) with
    `names`, `temperature` and `tiles`. `depth`: `transformers`, or `file` with `unit`; "none" or
    None: size priors. `orientation`: `weights` (a folder) with `revision`, or `onnx` (Orient
    Anything V2), and `pose`, a file that gives the facing of people. Depth and orientation that are
    not given are the default networks if the detector
    is one of transformers, and none with an ONNX file.

    Raise InputError naming all missing weights. Networks are loaded with the first image.
    """
    onnx = detector.get("onnx")
    given = {key: value for key, value in (choice or {}).items() if value is not None}
    _one_of("perception.detector", detector, "transformers", "onnx")
    by_file = {} if depth in (None, NO_DEPTH) else depth
    if isinstance(by_file, str):
        raise InputError(f"perception.depth={depth} should be none, or give transformers= or file=")
    _one_of("perception.depth", by_file, "transformers", "file")
    nodes: dict[str, Mapping[str, Any]] = {}
    if onnx is None:
        nodes["detector"] = {"name": detector.get("transformers") or DETECTOR, **detector}
        _only_onnx(detector)
    file = by_file.get("file")
    if by_file.get("unit") is not None and file is None:
        raise InputError("perception.depth.unit is for perception.depth.file")
    if by_file and file is None and (by_file.get("transformers") or onnx is None):
        nodes["depth"] = {"name": by_file.get("transformers") or DEPTH, **by_file}
    facing, pose = (orientation or {}).get("onnx"), (orientation or {}).get("pose")
    _one_of("perception.orientation", orientation or {}, "weights", "onnx")
    if facing is not None:
        check_file(facing, "orientation", "docs/foundation.md")
    elif orientation is not None and (orientation.get("weights") or onnx is None):
        nodes["orientation"] = {"name": orientation.get("weights") or ORIENTATION, **orientation}
    wanted = []
    for role, node in nodes.items():
        more = (HEAD,) if role == "orientation" else ()
        wanted.append(Weights(role, str(node["name"]), node.get("revision"), more))
    at = folders(wanted, download) if wanted else {}

    def later(role: str, name: str, *more: Any) -> Callable[..., Any]:
        """Return a network that is loaded at its first call."""

        @cache
        def network() -> Callable[..., Any]:
            import po3d.perception.foundation_networks as networks  # imports torch
            import po3d.perception.foundation_orientation as orientations

            module = orientations if role == "orientation" else networks
            return getattr(module, name)(at[role], device, *more)

        return lambda *arguments: network()(*arguments)

    classes: Sequence[str] = ()
    if onnx is None:
        detect = later("detector", "detector", phrases_at_once)
    else:
        names = detector.get("names")
        options = {
            key: detector[key] for key in ("temperature", "tiles") if detector.get(key) is not None
        }
        detect = OnnxDetector(onnx, None if names is None else read_names(names), **options)
        detect.check_file()
        classes = detect.names
    measure = None
    if file is not None:
        measure = DepthFile(file, by_file.get("unit"))
    elif "depth" in nodes:
        measure = later("depth", "DepthMap")
    source = (
        Path(file).name if file else nodes["depth"]["name"] if "depth" in nodes else "size priors"
    )
    face = later("orientation", "Orientation") if "orientation" in nodes else None
    head = nodes["orientation"]["name"] if "orientation" in nodes else "none"
    if facing is not None:
        face, head = _orientation_v2(facing), Path(facing).name
    people = None
    if pose is not None:
        people, head = PeopleFacing(pose), f"{head}, pose {Path(pose).name}"
    return FoundationEstimator(
        detect,
        measure,
        face,
        choice=Choice(**{**(OF_CLASSES if onnx else {}), **given}),
        classes=classes,
        intrinsics=None if intrinsics is None else read_intrinsics(intrinsics),
        known=None if known is None else parse_known(known),
        pose=people,
        version=(
            f"detector {Path(onnx).name if onnx else nodes['detector']['name']}, depth {source},"
            f" orientation {head}"
        ),
        checkpoint=onnx,
        **settings,
    )


def _orientation_v2(path: str) -> Callable[..., Any]:
    @cache
    def network() -> Callable[..., Any]:
        from po3d.perception.foundation_orientation import OrientationV2  # imports torch

        return OrientationV2(path)

    return lambda crops: network()(crops)


def _one_of(where: str, node: Mapping[str, Any], *keys: str) -> None:
    given = [key for key in keys if node.get(key) is not None]
    if len(given) > 1:
        raise InputError(f"{where} is given twice: {' and '.join(f'{key}=' for key in given)}")


def _only_onnx(detector: Mapping[str, Any]) -> None:
    for key, default in (("names", None), ("temperature", 1.0), ("tiles", True)):
        if detector.get(key, default) not in (None, default):
            raise InputError(f"perception.detector.{key} is for perception.detector.onnx")
