"""Folders of rendered training pictures with their labels: indoor and orbit views, and top views.

Each maps an index to {"image": (h, w, 3) uint8, **labels}.
"""

from pathlib import Path

import numpy as np
from torch.utils.data import Dataset

from po3d.io.files import read_json
from po3d.io.images import read_image
from po3d.io.progress import progress
from po3d.perception.detection import resize
from po3d.scene.table import Scene, from_json
from po3d.training.labels import RoomLabels, quarter_turned, room_labels
from po3d.training.view_labels import ViewLabels, view_labels

TURNS = 4  # items per top view, one for each quarter turn: a map has no preferred direction


class PictureFolder(Dataset):
    """The pictures of a set (`po3d.synthesis.picture_sets`), resized to `size` (width, height)."""

    def __init__(self, folder: Path, count: int, size: tuple[int, int]) -> None:
        self.folder, self.size = folder, size
        self.labels = [
            self._labels(k) for k in progress(range(count), "reading labels", unit="picture")
        ]

    def _labels(self, k: int) -> RoomLabels | ViewLabels:
        raise NotImplementedError

    def truth(self, k: int) -> tuple[Scene, dict]:
        """Return the ground-truth scene of picture k, and its record."""
        path = self.folder / f"{k:06d}.json"
        record = read_json(path, "picture of a set")
        return from_json(record["scene"], str(path)), record

    def picture(self, k: int) -> np.ndarray:
        return read_image(self.folder / f"{k:06d}.jpg")

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        return {"image": resize(self.picture(index), *self.size), **self.labels[index]._asdict()}


class ViewFolder(PictureFolder):
    """The views of a set (`po3d.synthesis.view_sets`)."""

    def __init__(self, folder: str | Path, count: int, width: int, height: int) -> None:
        super().__init__(Path(folder) / "views", count, (width, height))

    def _labels(self, k: int) -> ViewLabels:
        scene, record = self.truth(k)
        return view_labels(scene, record["visible"], record["pixels"])


class MapFolder(PictureFolder):
    """The top views of a set (`po3d.synthesis.top_view.top_views`); item TURNS k + q is room k
    after q quarter turns.
    """

    def __init__(self, folder: str | Path, count: int, width: int, turns: int = TURNS) -> None:
        super().__init__(Path(folder) / "rooms", count, (width, width))
        self.turns = turns

    def _labels(self, k: int) -> RoomLabels:
        scene, record = self.truth(k)
        return room_labels(scene, record["visible"])

    def __len__(self) -> int:
        return self.turns * len(self.labels)

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        room, quarters = divmod(index, self.turns)
        image = np.ascontiguousarray(np.rot90(resize(self.picture(room), *self.size), quarters))
        return {"image": image, **quarter_turned(self.labels[room], quarters)._asdict()}
