"""Families of what belongs to photographs: depth maps, intrinsics, boxes, detectors. Right files
are damaged at random, so some of them can still be read.
"""

import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from families import Hostile, family
from onnx_files import field, with_tensor, write_constant
from PIL import Image

from po3d.cli import main as cli
from po3d.io.cli_errors import guarded
from po3d.io.seeding import rng
from po3d.perception.depth_files import read_depth, read_intrinsics
from po3d.perception.onnx_detector import OnnxDetector

LENS = [[700, 0, 300], [0, 700, 200], [0, 0, 1]]
PICTURE = np.full((64, 64, 3), 90, np.uint8)
SHAPE = "{'descr': '<f8', 'fortran_order': False, 'shape': (100000, 100000), }"


def damaged(content: bytes, count: int) -> list[tuple[str, bytes]]:
    """Return copies that end early, or of which a few bytes are others, mostly of the header."""
    result = []
    for k in range(count):
        random = rng(7, "hostile/photographs", k)
        if k % 3 == 0:
            end = int(random.integers(len(content)))
            result.append((f"the first {end} bytes", content[:end]))
            continue
        most = min(len(content), 200) if k % 3 == 1 else len(content)
        places, changed = random.integers(0, most, 3), bytearray(content)
        for place in places:
            changed[place] = int(random.integers(256))
        result.append((f"other bytes at {places.tolist()}", bytes(changed)))
    return result


def _file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], Callable]:
    def of(content: bytes) -> Callable[[Path], int]:
        def run(folder: Path) -> int:
            (folder / name).write_bytes(content)
            return guarded(lambda: read(folder / name))

        return run

    return of


def _packed(save: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


@family("depth maps", refused=False)
def depth_maps() -> list[Hostile]:
    npy = _packed(lambda file: np.save(file, np.full((20, 30), 2.0)))
    counts = Image.fromarray(np.full((20, 30), 2000, np.uint16))
    png = _packed(lambda file: counts.save(file, "PNG"))
    large = _packed(lambda file: Image.new("I;16", (12_000, 12_000)).save(file, "PNG"))
    zipped = _packed(lambda file: np.savez(file, a=np.ones((20, 30))))
    header = SHAPE.ljust(117).encode() + b"\n"
    claims = b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header
    of_npy, of_png = _file("a.npy", read_depth), _file("a.png", read_depth)
    return [
        *(Hostile(f".npy, {name}", of_npy(content)) for name, content in damaged(npy, 24)),
        *(Hostile(f".png, {name}", of_png(content)) for name, content in damaged(png, 12)),
        Hostile("80 GB in a header", of_npy(claims + b"\0" * 4000)),
        Hostile("an archive", of_npy(zipped)),
        Hostile("half an archive", of_npy(zipped[:90])),
        Hostile("144 megapixels", of_png(large)),
    ]


@family("intrinsics", refused=False)
def intrinsics() -> list[Hostile]:
    texts = {
        "a.json": json.dumps({"K": LENS}).encode(),
        "b.json": b'{"fx": 700, "fy": 700, "cx": 300, "cy": 200}',
        "c.txt": b"700 0 300\n0 700 200\n0 0 1",
        "d.calib": b"P0: 1\nP2: 700 0 300 0 0 700 200 0 0 0 1 0\n",
        "e.npy": _packed(lambda file: np.save(file, np.array(LENS))),
    }
    built = [
        Hostile(f"{file}, {name}", _file(file, read_intrinsics)(content))
        for file, right in texts.items()
        for name, content in damaged(right, 9)
    ]
    of_json = _file("a.json", read_intrinsics)
    endless = Hostile("/dev/zero", lambda _: guarded(lambda: read_intrinsics("/dev/zero")))
    return [*built, Hostile("brackets", of_json(b"[" * 10**5)), endless]


def _labels(content: bytes) -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        photographs = folder / "photographs"
        photographs.mkdir()
        Image.fromarray(PICTURE).save(photographs / "a.png")
        Image.fromarray(PICTURE).save(folder / "b.png")
        (folder / "a.json").write_bytes(content)
        code = cli.main(
            [
                "generate", "benchmark=3dsrbench", f"photographs={photographs}",
                f"labels={folder / 'a.json'}", f"out={folder / 'out' / 'split'}",
            ]
        )  # fmt: skip
        assert not list((folder / "out").glob("*.png")), "a file outside of OUT is written"
        return code

    return run


@family("labels of photographs", refused=False)
def labels() -> list[Hostile]:
    box = {"image_id": 1, "dimensions": [1, 1, 1], "R_cam": np.eye(3).tolist()}
    boxes = [
        {**box, "category_name": name, "center_cam": [x, 0, z], "bbox2D_proj": [0, 0, 9, 9]}
        for name, x, z in (("chair", -1, 3), ("table", 1, 5))
    ]
    right = {"images": [{"id": 1, "file_path": "a.png", "K": LENS}], "annotations": boxes}
    outside = {**right, "images": [{"id": 1, "file_path": "../../b.png", "K": LENS}]}
    named = damaged(json.dumps(right).encode(), 18)
    return [
        *(Hostile(name, _labels(content)) for name, content in named),
        Hostile("brackets", _labels(b"[" * 10**5)),
        Hostile("a path to another folder", _labels(json.dumps(outside).encode())),
    ]


@family("detector files", refused=False)
def detectors() -> list[Hostile]:
    rows = np.zeros((1, 5, 6), np.float32)

    def detect(path: Path) -> None:
        OnnxDetector(path)(PICTURE)

    def network(folder: Path, side: int) -> bytes:
        path = write_constant(folder / "net.onnx", {"images": (1, 3, side, side)}, {"out": rows})
        return path.read_bytes()

    def run(content: Callable[[Path], bytes]) -> Callable[[Path], int]:
        return lambda folder: _file("a.onnx", detect)(content(folder))(folder)

    def changed(k: int) -> Callable[[Path], bytes]:
        return lambda folder: damaged(network(folder, 64), 18)[k][1]

    def given(tensor: bytes, opset: int = 13) -> Callable[[Path], bytes]:
        return lambda folder: with_tensor(tensor, opset)

    elsewhere = field(13, field(1, "location") + field(2, "../../../../etc/passwd")) + field(14, 1)
    sides = field(1, 1) + field(1, 5) + field(1, 6)
    tensors = {
        "weights in a file of another folder": given(sides + field(2, 1) + elsewhere),
        "2**60 weights": given(field(1, 2**30) + field(1, 2**30) + field(2, 1) + field(9, b"0000")),
        "weights of an unknown type": given(sides + field(2, 999) + field(9, b"0" * 120)),
        "weights that are too few": given(sides + field(2, 1) + field(9, b"0")),
        "operators of the year 10,000": given(sides + field(2, 1) + field(9, b"0" * 120), 10**6),
        "an empty file": lambda folder: b"",
        "a pickle": lambda folder: b"\x80\x04cos\nsystem\n(S'true'\ntR.",
    }
    return [
        *(Hostile(name, run(content)) for name, content in tensors.items()),
        *(Hostile(f"damaged, number {k}", run(changed(k))) for k in range(18)),
        Hostile("an input of 10 gigapixels", run(lambda folder: network(folder, 100_000))),
    ]
