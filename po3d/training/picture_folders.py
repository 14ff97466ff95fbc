"""Folders of rendered training pictures with their labels: indoor and orbit views, and top views.

Each maps an index to {"image": (h, w, 3) uint8, **labels}.
"""

from collections.abc import Callable
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


Labels = RoomLabels | ViewLabels


class PictureFolder(Dataset):
    """The pictures of a set (`po3d.synthesis.picture_sets`), resized to `size` (width, height).

    `labels`: the function of a picture's ground-truth scene and its record that returns its labels.
    `turns`: item turns k + q of top views is picture k after q quarter turns.
    """

    def __init__(
        self,
        folder: Path,
        count: int,
        size: tuple[int, int],
        labels: Callable[[Scene, dict], Labels],
        turns: int = 1,
    ) -> None:
        self.folder, self.size, self.turns = folder, size, turns
        numbers = progress(range(count), "reading labels", unit="picture")
        self.labels = [labels(*self.truth(k)) for k in numbers]

    def truth(self, k: int) -> tuple[Scene, dict]:
        """Return the ground-truth scene of picture k, and its record."""
        path = self.folder / f"{k:06d}.json"
        record = read_json(path, "picture of a set")
        return from_json(record["scene"], str(path)), record

    def picture(self, k: int) -> np.ndarray:
        return read_image(self.folder / f"{k:06d}.jpg")

    def __len__(self) -> int:
        return self.turns * len(self.labels)

    def __getitem__(self, index: int) -> dict[str, np.ndarray]:
        k, quarters = divmod(index, self.turns)
        image, labels = resize(self.picture(k), *self.size), self.labels[k]
        if isinstance(labels, RoomLabels):
            image = np.ascontiguousarray(np.rot90(image, quarters))
            labels = quarter_turned(labels, quarters)
        return {"image": image, **labels._asdict()}


def view_folder(folder: str | Path, count: int, width: int, height: int) -> PictureFolder:
    """Return the views of a set (`po3d.synthesis.view_sets`)."""

    def labels(scene: Scene, record: dict) -> ViewLabels:
        return view_labels(scene, record["visible"], record["pixels"])

    return PictureFolder(Path(folder) / "views", count, (width, height), labels)


def map_folder(folder: str | Path, count: int, width: int, turns: int = TURNS) -> PictureFolder:
    """Return the top views of a set (`po3d.synthesis.top_view.top_views`)."""

    def labels(scene: Scene, record: dict) -> RoomLabels:
        return room_labels(scene, record["visible"])

    return PictureFolder(Path(folder) / "rooms", count, (width, width), labels, turns)
