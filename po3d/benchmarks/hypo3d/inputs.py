"""Inputs of Hypo3D's systems other than scenes: labelled maps, captions, and the camera of the
camera frame.

  2D_VLM_data/top_view_with_label_rotated   {scene_id}.json (po3d.perception.semantic_map), else
                                            {scene_id}.png, read by OCR
  semantic_maps.jsonl                       these records, one per line; twins only
  LLM_data/scanrefer_captions_by_scene.pkl  {scene_id: [(key, caption), ...]}; captions with equal
                                            key describe one object
  LLM_data/3rscan_scene_cap.json            {scene_id: {"captions": [...]}}, one object per caption
  captions.json                             the 3RScan layout with "objects", the keys; twins only
  2D_VLM_data/top_view_no_label_rotated     {scene_id}.png or .jpg, and cameras.json (not in the
                                            release): {scene_id: {"metres_per_pixel": 0.011,
                                            "center": [2.4, 3.1]}}, the map's scale and the point
                                            at its centre (default 0, 0)

If a room has none of these files but a ground-truth scene, its labelled map, captions and plain map
are derived from that scene, as in the twin. They contain no more than such files do (names and
centres; sentences; an image), so they do not leak the scene.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.hypo3d.inert_pickle import read_pickle
from po3d.benchmarks.splits import existing, first_file
from po3d.io.errors import InputError, malformed
from po3d.io.files import read_json, read_jsonl, write_file, write_json, write_jsonl
from po3d.io.images import ImageError, read_image
from po3d.io.progress import progress
from po3d.io.seeding import rng
from po3d.perception import semantic_map
from po3d.perception.semantic_map import SemanticMap
from po3d.scene.frames import frame_from_text, room_centre, with_front
from po3d.scene.geometry import Camera, down, look_at
from po3d.scene.table import Scene
from po3d.synthesis.splits import Split
from po3d.synthesis.top_view.captions import captions

MAPS, CAMERAS = Path("2D_VLM_data") / "top_view_no_label_rotated", "cameras.json"
LABELLED = Path("2D_VLM_data") / "top_view_with_label_rotated"
MAP_FILE, CAPTION_FILE = "semantic_maps.jsonl", "captions.json"
SCANREFER = Path("LLM_data") / "scanrefer_captions_by_scene.pkl"
SCENE_CAPTIONS = Path("LLM_data") / "3rscan_scene_cap.json"
VIEWS = Path("2D_VLM_data") / "camera_view"  # images from the middle of a room to its front
LABELS, CAMERA_VIEW = "#labelled", "#camera"  # suffixes of a room's name for these images
FARTHEST = 10_000.0  # metres of a map's centre
EYE = 1.6  # eye height, metres above the floor
# width, height and focal length in pixels: a field of view of about 75 degrees
VIEW = (640, 480, 420.0)
Captions = list[tuple[str, str]]  # (object key, text)


# A map without labels (H, W, 3), its top +y of the world, and its camera, looking straight down.
UnlabelledMap = tuple[NDArray[np.uint8], Camera]


class InputFiles:
    """The inputs in the folder `root`.

    `truth` returns a room's ground truth or raises InputError; `furniture` is the folder of the
    models for rendering maps (None: the Debian package's).
    """

    def __init__(
        self, root: Path, truth: Callable[[str], Scene], furniture: Path | None = None
    ) -> None:
        self.root, self.truth, self.furniture = root, truth, furniture

    def labelled_map(self, scene_id: str) -> SemanticMap:
        """Return the room's labelled map; raise InputError if it has neither a map nor a
        ground-truth scene."""
        beside = self.root / LABELLED / f"{scene_id}.json"
        if beside.is_file():
            return semantic_map.from_json(read_json(beside, "semantic map"), str(beside))
        if scene_id in self._maps:
            return self._maps[scene_id]
        picture = beside.with_suffix(".png")
        if picture.is_file():
            return semantic_map.read_labels(read_image(picture), scene_id)
        return semantic_map.semantic_map(self._true(scene_id, f"labelled map ({beside}, or .png)"))

    def captions(self, scene_id: str) -> Captions:
        """Return (key, text) of the room's captions; raise InputError if it has neither captions
        nor a ground-truth scene."""
        if scene_id not in self._captions:
            missing = f"captions ({SCANREFER}, {SCENE_CAPTIONS} or {CAPTION_FILE})"
            scene = self._true(scene_id, missing)
            self._captions[scene_id] = twin_captions(scene)
        return self._captions[scene_id]

    def top_view(self, scene_id: str) -> UnlabelledMap:
        """Return the room's plain map with its camera, rendered from ground truth if there is no
        file."""
        path = self._map(scene_id)
        if path is None:
            return self._render(scene_id)
        # unscaled, because the map's scale is in metres per pixel
        picture = read_image(path, whole=True)
        return picture, _map_camera(path.with_name(CAMERAS), scene_id, picture)

    def picture(self, scene_id: str) -> NDArray[np.uint8]:
        """Return (H, W, 3) pixels of the plain map; its scale is not needed."""
        path = self._map(scene_id)
        return self._render(scene_id)[0] if path is None else read_image(path)

    def other_picture(self, name: str, frame: str) -> NDArray[np.uint8]:
        """Return (H, W, 3) pixels of a labelled map or camera view, named by the room and LABELS or
        CAMERA_VIEW: the file, else rendered from ground truth.

        `frame` is the description of the room's reference frame.
        """
        scene_id, _, what = name.partition("#")
        folder = LABELLED if f"#{what}" == LABELS else VIEWS
        if path := self._picture(folder, scene_id):
            return read_image(path)
        scene = self._true(scene_id, f"{what} picture ({folder})")
        # the renderer is an optional dependency
        from po3d.synthesis.top_view.top_views import labelled_map, view_of

        if folder == LABELLED:
            # without a scale, object positions in the image file are unknown
            scaled = (self.root / MAPS / CAMERAS).is_file()
            plain = self.top_view(scene_id) if scaled else self._render(scene_id)
            return labelled_map(scene, plain)
        return view_of(scene, self.camera(scene_id, frame), self.furniture)

    def _picture(self, folder: Path, scene_id: str) -> Path | None:
        return first_file(self.root / folder / f"{scene_id}{end}" for end in (".png", ".jpg"))

    def _map(self, scene_id: str) -> Path | None:
        return self._picture(MAPS, scene_id)

    def _render(self, scene_id: str) -> UnlabelledMap:
        scene = self._true(scene_id, f"map ({MAPS})")
        # the renderer is an optional dependency
        from po3d.synthesis.top_view.top_views import map_of

        return map_of(scene, self.furniture)

    def camera(self, scene_id: str, frame: str) -> Camera:
        """Return the camera of the paper's camera frame: in the middle of the room, looking at its
        front.

        The front is given by the description `frame` applied to ground truth, or the top of the map
        if it is empty. Raise InputError without ground truth: the release's camera views have no
        poses.
        """
        scene = self._true(scene_id, "camera pose")
        scene = frame_from_text(scene, frame) if frame else with_front(scene, (0.0, 1.0))
        x, y = room_centre(scene)
        front = scene.axes["front"]
        width, height, focal = VIEW
        return Camera(width, height, focal, look_at((x, y, EYE), (x + front[0], y + front[1], EYE)))

    def files(self, scene_ids: Iterable[str]) -> list[Path]:
        """Return the existing files of these rooms' inputs."""
        names = (MAP_FILE, SCANREFER, SCENE_CAPTIONS, CAPTION_FILE, MAPS / CAMERAS)
        paths: list[Path | None] = [self.root / name for name in names]
        for scene_id in scene_ids:
            labelled = self.root / LABELLED / f"{scene_id}.json"
            paths += [labelled, labelled.with_suffix(".png")]
        return existing([*paths, *map(self._map, scene_ids)])

    def _true(self, scene_id: str, missing: str) -> Scene:
        try:
            return self.truth(scene_id)
        except InputError as error:
            problem = f"no {missing} in {self.root}, and no scene: {error}"
            raise ImageError(f"{scene_id}: {problem}") from None

    @cached_property
    def _maps(self) -> Mapping[str, SemanticMap]:
        path = self.root / MAP_FILE
        if not path.is_file():
            return {}
        maps = {}
        for k, record in enumerate(read_jsonl(path, "semantic maps")):
            labelled = semantic_map.from_json(record, f"{path}, record {k}")
            maps[labelled.image] = labelled
        return maps

    @cached_property
    def _captions(self) -> dict[str, Captions]:
        captions: dict[str, Captions] = {}
        for name in (SCENE_CAPTIONS, CAPTION_FILE):
            if (self.root / name).is_file():
                captions |= _scene_captions(self.root / name)
        if (self.root / SCANREFER).is_file():
            captions |= _scanrefer(self.root / SCANREFER)
        return captions


class RoomInputs(NamedTuple):
    """The additional inputs of one room: the `inputs` of a Hypo3D `Context`."""

    files: InputFiles
    name: str
    frame: str  # description of the room's reference frame

    def image(self, name: str) -> NDArray[np.uint8]:
        """Return (H, W, 3) pixels of the room's labelled map or camera view."""
        return self.files.other_picture(name, self.frame)

    def semantic_map(self) -> SemanticMap:
        return self.files.labelled_map(self.name)

    def captions(self) -> Captions:
        return self.files.captions(self.name)

    def top_view(self) -> UnlabelledMap:
        return self.files.top_view(self.name)

    def camera(self) -> Camera:
        return self.files.camera(self.name, self.frame)


def write_plain_maps(folder: Path, scenes: Sequence[Scene], split: Split) -> None:
    """Write the plain maps of true scenes, rendered with the models of a split, and their scales to
    a twin's folder.

    Needs the extra "synthesis".
    """
    from po3d.synthesis.picture_sets import jpeg  # the renderer is an optional dependency
    from po3d.synthesis.top_view.top_views import map_of, metres_per_pixel

    cameras = {}
    for scene in progress(scenes, "maps", unit="room"):
        picture, camera = map_of(scene, None, split)
        write_file(folder / MAPS / f"{scene.image}.jpg", jpeg(picture))
        x, y, _ = camera.position.tolist()
        cameras[scene.image] = {"metres_per_pixel": metres_per_pixel(camera), "center": [x, y]}
    write_json(folder / MAPS / CAMERAS, cameras)


def _map_camera(path: Path, scene_id: str, picture: NDArray[np.uint8]) -> Camera:
    cameras = read_json(path, "scales of the maps")
    expected = f"{path}: {scene_id!r} should be {{'metres_per_pixel': 0.01, 'center': [x, y]}}"
    with malformed(expected):
        record = cameras[scene_id]
        scale, (x, y) = float(record["metres_per_pixel"]), record.get("center", (0.0, 0.0))
        if not 0 < scale < 1:
            raise ValueError(f"metres_per_pixel {scale}")
        if not (abs(x) < FARTHEST and abs(y) < FARTHEST):
            raise ValueError(f"center {x}, {y}")
        return down(float(x), float(y), scale, *picture.shape[1::-1])


def twin_captions(scene: Scene) -> Captions:
    """Return the captions of a room of the twin, a pure function of its scene and name."""
    return captions(scene, rng(0, f"captions/{scene.image}", 0))


def write_inputs(folder: Path, scenes: Sequence[Scene]) -> None:
    """Write the labelled maps and captions of true scenes to a twin's folder."""
    maps, stored = [], {}
    for scene in scenes:
        maps.append(semantic_map.to_json(semantic_map.semantic_map(scene)))
        texts, keys = [], []
        for key, text in twin_captions(scene):
            texts.append(text)
            keys.append(key)
        stored[scene.image] = {"captions": texts, "objects": keys}
    write_jsonl(folder / MAP_FILE, maps, compact=True)
    write_json(folder / CAPTION_FILE, stored, indent=None)


def _scene_captions(path: Path) -> dict[str, Captions]:
    content = read_json(path, "captions")
    captions = {}
    with malformed(f"captions {path}: expected {{scene_id: {{'captions': [text, ...]}}}}"):
        for scene_id, record in content.items():
            texts = list(map(str, record["captions"]))
            keys = list(map(str, record.get("objects", range(len(texts)))))
            captions[scene_id] = list(zip(keys, texts, strict=True))
    return captions


def _scanrefer(path: Path) -> dict[str, Captions]:
    content = read_pickle(path, "captions")
    captions = {}
    with malformed(f"captions {path}: expected {{scene_id: [(key, text), ...]}}"):
        for scene_id, items in content.items():
            captions[scene_id] = [(str(item[0]), str(item[1])) for item in items]
    return captions
