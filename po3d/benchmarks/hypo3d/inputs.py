"""What Hypo3D's systems may be given instead of a table: labelled maps, captions, the camera of the camera frame.

    2D_VLM_data/top_view_with_label_rotated   {scene_id}.json (po3d.perception.semantic_map), else {scene_id}.png, read
                                              by OCR
    semantic_maps.jsonl                       the same records, one a line: a twin's
    LLM_data/scanrefer_captions_by_scene.pkl  {scene_id: [(key, caption), ...]}, captions with one key about one thing
    LLM_data/3rscan_scene_cap.json            {scene_id: {"captions": [...]}}, each about a thing of its own
    captions.json                             the same with "objects", the keys: a twin's
    2D_VLM_data/top_view_no_label_rotated     {scene_id}.png or .jpg, and cameras.json, which the release lacks:
                                              {scene_id: {"metres_per_pixel": 0.011, "center": [2.4, 3.1]}}, the map's
                                              scale and what lies in its middle (default 0, 0)

A room without any of these, but with a true table, gets its labelled map, its captions and its plain map from that
table, as the twin writes them: they say no more than such files do (names and centres; sentences; a picture), so they
are no table in disguise.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.hypo3d.inert_pickle import read_pickle
from po3d.io.errors import InputError
from po3d.io.files import read_json, read_jsonl, write_file, write_json, write_jsonl
from po3d.io.images import ImageError, read_image
from po3d.io.progress import progress
from po3d.io.seeding import rng
from po3d.perception import semantic_map
from po3d.perception.semantic_map import LabelReader, SemanticMap
from po3d.scene.frames import frame_from_text, room_centre, with_front
from po3d.scene.geometry import Camera, down, look_at
from po3d.scene.table import Scene
from po3d.synthesis.rooms.captions import captions
from po3d.synthesis.splits import Split

MAPS, CAMERAS = Path("2D_VLM_data") / "top_view_no_label_rotated", "cameras.json"
LABELLED = Path("2D_VLM_data") / "top_view_with_label_rotated"
MAP_FILE, CAPTION_FILE = "semantic_maps.jsonl", "captions.json"
SCANREFER = Path("LLM_data") / "scanrefer_captions_by_scene.pkl"
SCENE_CAPTIONS = Path("LLM_data") / "3rscan_scene_cap.json"
VIEWS = Path("2D_VLM_data") / "camera_view"  # pictures from the middle of a room to its front
LABELS, CAMERA_VIEW = "#labelled", "#camera"  # behind a room's name: these pictures of it
EYE = 1.6  # metres above the floor
VIEW = (640, 480, 420.0)  # pixels, and focal length: some 75 degrees across
Captions = list[tuple[str, str]]  # key of the thing, text


class TopView(NamedTuple):
    """A map without labels."""

    picture: NDArray[np.uint8]  # (H, W, 3), the map's top is the world's +y
    camera: Camera  # looks straight down


class InputFiles:
    """The inputs in the folder `root`; `truth` gives a room's true table or raises InputError; `furniture`: the folder
    of the models that maps are drawn with (None: the Debian package's)."""

    def __init__(self, root: Path, truth: Callable[[str], Scene], furniture: Path | None = None) -> None:
        self.root, self.truth, self.furniture = root, truth, furniture

    def labelled_map(self, scene_id: str) -> SemanticMap:
        """The room's labelled map; InputError when there is none and no true table either."""
        beside = self.root / LABELLED / f"{scene_id}.json"
        if beside.is_file():
            return semantic_map.from_json(read_json(beside, "semantic map"), str(beside))
        if scene_id in self._maps:
            return self._maps[scene_id]
        picture = beside.with_suffix(".png")
        if picture.is_file():
            return self._reader.read(read_image(picture), scene_id)
        return semantic_map.semantic_map(self._true(scene_id, f"labelled map ({beside}, or .png)"))

    def captions(self, scene_id: str) -> Captions:
        """(key, text) of the room's captions; InputError as above."""
        if scene_id not in self._captions:
            scene = self._true(scene_id, f"captions ({SCANREFER}, {SCENE_CAPTIONS} or {CAPTION_FILE})")
            self._captions[scene_id] = twin_captions(scene)
        return self._captions[scene_id]

    def top_view(self, scene_id: str) -> TopView:
        """The room's plain map with its camera; drawn now when there is a true table but no file."""
        path = self._map(scene_id)
        if path is None:
            return self._drawn(scene_id)
        picture = read_image(path, whole=True)  # its scale is in metres a pixel
        return TopView(picture, _map_camera(path.with_name(CAMERAS), scene_id, picture))

    def picture(self, scene_id: str) -> NDArray[np.uint8]:
        """(H, W, 3) pixels of the plain map, for which no scale is needed."""
        path = self._map(scene_id)
        return self._drawn(scene_id).picture if path is None else read_image(path)

    def other_picture(self, name: str, frame: str) -> NDArray[np.uint8]:
        """(H, W, 3) pixels of a labelled map or a camera view, by the room's name and LABELS or CAMERA_VIEW: the file, else drawn
        from the true table. `frame`: where the room's anchors stood, in words."""
        scene_id, _, what = name.partition("#")
        folder = LABELLED if f"#{what}" == LABELS else VIEWS
        paths = (self.root / folder / f"{scene_id}{suffix}" for suffix in (".png", ".jpg"))
        if path := next((path for path in paths if path.is_file()), None):
            return read_image(path)
        scene = self._true(scene_id, f"{what} picture ({folder})")
        from po3d.synthesis.rooms.top_views import labelled_map, view_of  # the renderer is an extra

        if folder == LABELLED:
            scaled = (
                self.root / MAPS / CAMERAS
            ).is_file()  # without, where things are on the file is not known
            return labelled_map(scene, self.top_view(scene_id) if scaled else self._drawn(scene_id))
        return view_of(scene, self.camera(scene_id, frame), self.furniture)

    def _map(self, scene_id: str) -> Path | None:
        paths = (self.root / MAPS / f"{scene_id}{suffix}" for suffix in (".png", ".jpg"))
        return next((path for path in paths if path.is_file()), None)

    def _drawn(self, scene_id: str) -> TopView:
        scene = self._true(scene_id, f"map ({MAPS})")
        from po3d.synthesis.rooms.top_views import map_of  # the renderer is an extra

        return TopView(*map_of(scene, self.furniture))

    def camera(self, scene_id: str, frame: str) -> Camera:
        """The paper's camera frame: an eye in the middle of the room that looks at its front, which is where the frame's
        sentences say on the true table, the map's top without sentences. InputError without a table: the release's
        camera views come without poses."""
        scene = self._true(scene_id, "camera with a pose")
        scene = frame_from_text(scene, frame) if frame else with_front(scene, (0.0, 1.0))
        x, y = room_centre(scene)
        front = scene.axes["front"]
        width, height, focal = VIEW
        return Camera(width, height, focal, look_at((x, y, EYE), (x + front[0], y + front[1], EYE)))

    def files(self, scene_ids: Iterable[str]) -> list[Path]:
        """The files that the inputs of these rooms come from, as far as they are there."""
        shared = [self.root / f for f in (MAP_FILE, SCANREFER, SCENE_CAPTIONS, CAPTION_FILE, MAPS / CAMERAS)]
        labelled = [self.root / LABELLED / f"{s}{suffix}" for s in scene_ids for suffix in (".json", ".png")]
        maps = [path for s in scene_ids if (path := self._map(s)) is not None]
        return [path for path in (*shared, *labelled, *maps) if path.is_file()]

    def _true(self, scene_id: str, missing: str) -> Scene:
        try:
            return self.truth(scene_id)
        except InputError as error:
            raise ImageError(f"{scene_id}: no {missing} under {self.root}, and no table: {error}") from None

    @cached_property
    def _maps(self) -> Mapping[str, SemanticMap]:
        path = self.root / MAP_FILE
        if not path.is_file():
            return {}
        records = enumerate(read_jsonl(path, "semantic maps"))
        maps = [semantic_map.from_json(record, f"{path}, record {k}") for k, record in records]
        return {m.image: m for m in maps}

    @cached_property
    def _reader(self) -> LabelReader:
        return LabelReader()

    @cached_property
    def _captions(self) -> dict[str, Captions]:
        found: dict[str, Captions] = {}
        for name in (SCENE_CAPTIONS, CAPTION_FILE):
            if (self.root / name).is_file():
                found |= _scene_captions(self.root / name)
        if (self.root / SCANREFER).is_file():
            found |= _scanrefer(self.root / SCANREFER)
        return found


class RoomInputs(NamedTuple):
    """What one room comes with: what a `Context` of Hypo3D has as inputs."""

    files: InputFiles
    name: str
    frame: str  # where the room's anchors stood, in words

    def image(self, name: str) -> NDArray[np.uint8]:
        """(H, W, 3) pixels of the room's labelled map or camera view."""
        return self.files.other_picture(name, self.frame)

    def semantic_map(self) -> SemanticMap:
        return self.files.labelled_map(self.name)

    def captions(self) -> Captions:
        return self.files.captions(self.name)

    def top_view(self) -> TopView:
        return self.files.top_view(self.name)

    def camera(self) -> Camera:
        return self.files.camera(self.name, self.frame)


def write_plain_maps(
    folder: Path, scenes: Sequence[Scene], furniture: Path | None = None, split: Split = "test"
) -> None:
    """Write the plain maps of true tables, drawn with the models of a split, and their scales into a twin's folder;
    needs the extra "synthesis"."""
    from po3d.synthesis.picture_sets import jpeg  # the renderer is an extra
    from po3d.synthesis.rooms.top_views import map_of, metres_per_pixel

    cameras = {}
    for scene in progress(scenes, "maps", unit="room"):
        picture, camera = map_of(scene, furniture, split)
        write_file(folder / MAPS / f"{scene.image}.jpg", jpeg(picture))
        x, y, _ = camera.position.tolist()
        cameras[scene.image] = {"metres_per_pixel": metres_per_pixel(camera), "center": [x, y]}
    write_json(folder / MAPS / CAMERAS, cameras)


def _map_camera(path: Path, scene_id: str, picture: NDArray[np.uint8]) -> Camera:
    cameras = read_json(path, "scales of the maps")
    try:
        record = cameras[scene_id]
        scale, (x, y) = float(record["metres_per_pixel"]), record.get("center", (0.0, 0.0))
        if not 0 < scale < 1:
            raise ValueError(f"metres_per_pixel {scale}")
        return down(float(x), float(y), scale, *picture.shape[1::-1])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: {scene_id!r} should be {{'metres_per_pixel': 0.01, 'center': [x, y]}} "
            f"({type(error).__name__}: {error})"
        ) from None


def twin_captions(scene: Scene) -> Captions:
    """The captions of a room of the twin: a pure function of its table and its name."""
    return captions(scene, rng(0, f"captions/{scene.image}", 0))


def write_inputs(folder: Path, scenes: Sequence[Scene]) -> None:
    """Write the labelled maps and captions of true tables into a twin's folder."""
    maps = (semantic_map.to_json(semantic_map.semantic_map(scene)) for scene in scenes)
    write_jsonl(folder / MAP_FILE, maps, compact=True)
    stored = {}
    for scene in scenes:
        said = twin_captions(scene)
        stored[scene.image] = {"captions": [t for _, t in said], "objects": [key for key, _ in said]}
    write_json(folder / CAPTION_FILE, stored, indent=None)


def _scene_captions(path: Path) -> dict[str, Captions]:
    content = read_json(path, "captions")
    try:
        found = {}
        for scene_id, record in content.items():
            texts = [str(text) for text in record["captions"]]
            keys = [str(key) for key in record.get("objects", range(len(texts)))]
            found[scene_id] = list(zip(keys, texts, strict=True))
        return found
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"captions {path}: expected {{scene_id: {{'captions': [text, ...]}}}} ({type(error).__name__}: {error})"
        ) from None


def _scanrefer(path: Path) -> dict[str, Captions]:
    content = read_pickle(path, "captions")
    try:
        return {
            scene_id: [(str(item[0]), str(item[1])) for item in items] for scene_id, items in content.items()
        }
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise InputError(
            f"captions {path}: expected {{scene_id: [(key, text), ...]}} ({type(error).__name__}: {error})"
        ) from None
