"""Families of special files, and of records with one changed field: labelled maps, annotated
photographs, training checkpoints, requests of chat completions. MATLAB files.
"""

import base64
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from families import ASKED, Hostile, family, picture
from photographs import _file, _packed, damaged
from scipy.io import savemat
from spoiling import GONE, _with, written

from po3d.benchmarks.hypo3d.inputs import _map_camera, _scene_captions
from po3d.benchmarks.pulsecheck457.annotations import read_annotations
from po3d.cli import main as cli
from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.io.seeding import rng
from po3d.perception import semantic_map
from po3d.systems.chat_requests import Refusal, read_request
from po3d.training.checkpointing import SafetensorsCheckpointIO
from po3d.training.run import _earlier

EYE = np.eye(3).tolist()
VALUES = (GONE, None, "x", [], {}, [[1]], 10**400, float("nan"), float("inf"), -(10**18))


def _paths(value: object, path: tuple = ()) -> Iterator[tuple]:
    parts = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for key, part in parts:
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from _paths(part, (*path, key))


RIGHT: list[Hostile] = []


def _changed(name: str, record: dict, read: Callable[[Path], object], count: int) -> list[Hostile]:
    """`count` changes of one field of a record, drawn by the name of the file that has it. RIGHT
    gets the record itself."""
    changes = [(path, value) for path in _paths(record) for value in VALUES]
    chosen = [changes[k] for k in rng(43, name, 0).permutation(len(changes))[:count]]
    run = _file(name, read)
    RIGHT.append(Hostile(name, run(written(record))))
    return [
        Hostile(f"{name}: {path} {value!r:.20}", run(written(_with(record, path, value))))
        for path, value in chosen
    ]


@family("devices, pipes, sparse files")
def special_files() -> list[Hostile]:
    def asked(make: Callable[[Path], object], name: str) -> Callable[[Path], int]:
        def run(folder: Path) -> int:
            make(folder / name)
            return cli.main(["ask", str(folder / name), ASKED])

        return run

    def sparse(path: Path) -> None:
        with open(path, "wb") as file:
            file.truncate(3 * 2**30)

    def pipe(path: Path) -> None:
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=(b"{}",), daemon=True).start()

    built = {
        "/dev/zero": lambda path: path.symlink_to("/dev/zero"),
        "/dev/urandom": lambda path: path.symlink_to("/dev/urandom"),
        "/dev/null": lambda path: path.symlink_to("/dev/null"),
        "a link to itself": lambda path: path.symlink_to(path.name),
        "a socket": lambda path: socket.socket(socket.AF_UNIX).bind(str(path)),
        "3 GB of nothing": sparse,
        "a pipe": pipe,
    }
    return [
        Hostile(f"{what} as {name}", asked(make, name))
        for what, make in built.items()
        for name in ("a.png", "a.json")
    ]


MAP = {
    "format": semantic_map.FORMAT,
    "size": [4.0, 3.0],
    "metres_per_unit": 1.0,
    "labels": [{"label": "bed", "center": [1.0, 1.0]}],
}
CAMERAS = {"a": {"metres_per_pixel": 0.01, "center": [1.0, 2.0]}}


@family("labelled maps, captions and scales of maps", refused=False)
def maps() -> list[Hostile]:
    def labelled(path: Path) -> None:
        semantic_map.table(semantic_map.from_json(read_json(path), "map"))

    pixels = np.zeros((30, 40, 3), np.uint8)
    return [
        *_changed("map.json", MAP, labelled, 40),
        *_changed("cameras.json", CAMERAS, lambda path: _map_camera(path, "a", pixels), 20),
        *_changed("captions.json", {"a": {"captions": ["a bed"]}}, _scene_captions, 20),
    ]


def _photograph(basis: object = EYE) -> dict:
    size = {"centroid": [0.0, 2.0, 0.0], "coeffs": [0.3, 0.3, 0.5], "orientation": [0.0, -1.0, 0.0]}
    lens = [[500.0, 0.0, 320.0], [0.0, 500.0, 240.0], [0.0, 0.0, 1.0]]
    things = [{"classname": "chair", "basis": basis, **size}]
    return {"image": "a.jpg", "K": lens, "Rtilt": basis, "width": 640, "objects": things}


def _outlines(path: Path) -> None:
    for photograph in read_annotations(path):
        for thing in photograph.things:
            photograph.outline(thing)


@family("annotated photographs", refused=False)
def annotations() -> list[Hostile]:
    return _changed("a.jsonl", {**_photograph(), "height": 480}, _outlines, 60)


@family("MATLAB files", refused=False)
def matlab_files() -> list[Hostile]:
    plain = _photograph()
    entry = {"rgbname": "a.jpg", "K": plain["K"], "Rtilt": EYE, "groundtruth3DBB": plain["objects"]}
    content = _mat([entry, entry])
    built = [(name, b) for name, b in damaged(content, 60) if "other" in name][:12]
    built.append(("160 MB of zeros", _mat(np.zeros((20_000, 8_000), np.uint8))))
    built.append(("no structures", _mat(np.zeros(3))))
    return [Hostile(name, _file("a.mat", _outlines)(content)) for name, content in built]


def _mat(value: object) -> bytes:
    return _packed(lambda file: savemat(file, {"SUNRGBDMeta": value}, do_compression=True))


@family("training checkpoints", refused=False)
def trainings() -> list[Hostile]:
    options = {"steps": 3, "data": {"sizes": [1, 2]}}
    network = SimpleNamespace(state_dict=lambda: {"w": torch.ones(2, 3)})
    state = {"state_dict": {"w": torch.ones(2, 3)}, "optimizer_states": [], "loops": {}}
    saver = SafetensorsCheckpointIO()

    def resume(file: str) -> Callable[[Path], object]:
        def read(path: Path) -> None:
            changed, last = path.read_bytes(), path.parent / "last.ckpt"
            saver.save_checkpoint({**state, "global_step": 1, "global_batch": 8}, last)
            (path.parent / "config.json").write_bytes(written(options))
            (path.parent / file).write_bytes(changed)
            _earlier(saver, last, options, network)

        return read

    pairs = [["state_dict", {"dict": [["w", {"tensor": "0"}]]}], ["global_step", 1]]
    pairs += [["global_batch", 8], ["optimizer_states", {"list": []}], ["loops", {"dict": []}]]
    return [
        *_changed("state", {"dict": pairs}, resume("last.ckpt/state.json"), 30),
        *_changed("options", options, resume("config.json"), 20),
    ]


@family("requests of chat completions", refused=False)
def requests() -> list[Hostile]:
    address = "data:image/png;base64," + base64.b64encode(picture("PNG")).decode()
    parts = [{"type": "text", "text": "How many cars?"}]
    parts.append({"type": "image_url", "image_url": {"url": address}})
    extras = {"frame": "x", "focal": 1.0, "views": [0.0]}
    body = {"model": "po3d", "messages": [{"role": "user", "content": parts}], "po3d": extras}

    def read(path: Path) -> None:
        try:
            read_request(path.read_bytes()).question("How many cars?")
        except Refusal as error:
            raise InputError(json.dumps(error.as_json())) from None

    return _changed("request", body, read, 40)


def right() -> list[Hostile]:
    """What these families change, as it was."""
    RIGHT.clear()
    for make in (maps, annotations, trainings, requests):
        make()
    return RIGHT
