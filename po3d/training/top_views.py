"""Training pictures of rooms from above: rendered once into folders, then read with every quarter turn.

Every data set maps an index to {"image": (h, w, 3) uint8, **RoomLabels}, as `po3d.training.data` does for streets.
"""

from pathlib import Path

import numpy as np
from torch.utils.data import Dataset
from tqdm import tqdm

from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.io.images import read_image
from po3d.perception.detection import resize
from po3d.perception.top_view import WIDTH
from po3d.scene.table import from_json
from po3d.training.data import PictureData
from po3d.training.labels import RoomLabels, quarter_turned, room_labels

TURNS = 4  # items a room: a map has no up of its own


class MapFolder(Dataset):
    """The rooms of a set of top views (`po3d.synthesis.rooms.top_views`); item TURNS k + q is room k after q quarter turns."""

    def __init__(self, folder: str | Path, count: int, width: int, turns: int = TURNS) -> None:
        self.folder, self.width, self.turns = Path(folder) / "rooms", width, turns
        self.labels = [self._read(k) for k in tqdm(range(count), "reading labels", unit="room", delay=1)]

    def _read(self, k: int) -> RoomLabels:
        path = self.folder / f"{k:06d}.json"
        record = read_json(path, "room of a set of top views")
        return room_labels(from_json(record["scene"], str(path)), record["visible"])

    def __len__(self) -> int:
        return self.turns * len(self.labels)

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        room, quarters = divmod(index, self.turns)
        image = resize(read_image(self.folder / f"{room:06d}.jpg"), self.width, self.width)
        image = np.ascontiguousarray(np.rot90(image, quarters))
        return {"image": image, **quarter_turned(self.labels[room], quarters)._asdict()}


class TopViewData(PictureData):
    """Rooms of the twin rendered into `cache`, training and validation apart in rooms and in models. `furniture`: the folder
    of the .sh3f libraries; None: where the Debian package puts them."""

    def __init__(
        self,
        cache: str = "runs/cache",
        rooms: int = 4000,
        validation: int = 200,
        width: int = WIDTH,
        batch: int = 8,
        workers: int = 2,
        loaders: int = 0,
        seed: int = 1,
        furniture: str | None = None,
    ) -> None:
        super().__init__()
        if rooms < 1 or validation < 1:
            raise InputError(
                f"data.rooms and data.validation should be at least 1, not {rooms} and {validation}"
            )
        self.save_hyperparameters()

    def _folder(self, split: str) -> Path:
        return Path(self.hparams.cache) / f"top_views_{split}_seed{self._seed(split)}"

    def _seed(self, split: str) -> int:
        return self.hparams.seed + (split != "train")

    def prepare_data(self) -> None:
        from po3d.synthesis.furniture.libraries import FOLDER
        from po3d.synthesis.rooms.top_views import SetSpec, generate  # the renderer is an extra

        h = self.hparams
        for split, count in (("train", h.rooms), ("val", h.validation)):
            spec = SetSpec(self._seed(split), split, count)
            generate(self._folder(split), spec, h.furniture or FOLDER, Path(h.cache) / "models", h.workers)

    def models(self) -> set[str]:
        rooms = self._folder("train") / "rooms"
        records = (read_json(rooms / f"{k:06d}.json", "room of a set") for k in range(self.hparams.rooms))
        return {model for record in records for model in record["models"]}

    def setup(self, stage: str) -> None:
        h = self.hparams
        self.train = MapFolder(self._folder("train"), h.rooms, h.width)
        self.validation = MapFolder(self._folder("val"), h.validation, h.width, turns=1)
