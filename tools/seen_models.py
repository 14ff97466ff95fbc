"""Share of a fresh twin's objects whose 3D models the shipped weights were trained on.

    python tools/seen_models.py --seed 11 --size 40

One row per twin: number of objects, the share with a model listed in the estimator's JSON
(including the models of its initial weights), and the share with our own parametric shapes; the
others are catalogue models. Needs the extra "synthesis" and the Debian package
sweethome3d-furniture; renders nothing.
"""

import argparse
from collections.abc import Iterator

from po3d.io.checkpoint import SHIPPED
from po3d.io.files import read_json
from po3d.io.seeding import rng
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.multi_view.scenes import sample_orbit_scene
from po3d.synthesis.splits import OWN, names_of
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.looks import sample_room_look


def scope(seed: int, size: int, models: RoomModels) -> Iterator[str]:
    for index in range(size):
        yield from sample_orbit_scene(seed, index).models


def inside(seed: int, size: int, models: RoomModels) -> Iterator[str]:
    for index in range(size):
        look = sample_room_look(
            sample_room(seed, index, "test"), models, "test", rng(seed, "inside look/test", index)
        )
        yield from (dress.model for dress in look.dresses)


def maps(seed: int, size: int, models: RoomModels) -> Iterator[str]:
    for index in range(size):
        room = sample_room(seed, index, "test")
        look = sample_room_look(room, models, "test", rng(0, f"map/{room.image}"))
        yield from (dress.model for dress in look.dresses)


TWINS = {
    "scope": (scope, "room_view_estimator"),
    "3dsrbench": (inside, "room_view_estimator"),
    "hypo3d, maps": (maps, "top_view_estimator"),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--size", type=int, default=40, help="number of scenes or rooms")
    options = parser.parse_args()
    models = RoomModels()
    print(f"{'twin':<14}{'things':>8}{'models':>8}{'seen':>8}{'our own':>9}")
    for twin, (model_names, estimator) in TWINS.items():
        card = read_json(SHIPPED / f"{estimator}.json", "checkpoint description")
        training_names = names_of(card["training"]["models"])
        names = list(model_names(options.seed, options.size, models))
        share, own_share = (
            100 * sum(map(test, names)) / len(names) for test in (training_names.__contains__, _own)
        )
        print(f"{twin:<14}{len(names):>8}{len(set(names)):>8}{share:>7.1f}%{own_share:>8.1f}%")


def _own(name: str) -> bool:
    return name.startswith(OWN)


if __name__ == "__main__":
    main()
