"""Rendering of the images of SCOPE's twin, and visibility of its objects from rendered masks.

  draw     -> OUT/images/*.jpg, temporary OUT/masks/<scene>.json   any number of processes
  picture  -> one view, on demand, for a twin without images

Needs the extra "synthesis" and furniture models (Debian package sweethome3d-furniture). A twin of
split "test" only uses test models (`po3d.synthesis.splits`).
"""

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks import room_pictures
from po3d.benchmarks.room_pictures import Studio
from po3d.benchmarks.scope.views import IMAGES, SceneViews, image_name, scene_name
from po3d.io.errors import InputError
from po3d.io.files import read_json, write_file, write_json
from po3d.io.images import jpeg
from po3d.scene.geometry import Array
from po3d.scene.orbit import READING, VIEWS, OrbitConvention
from po3d.synthesis.difficulty import ORBIT, difficulty_of
from po3d.synthesis.multi_view.pictures import StyledScene, draw_views, styled_scene, visible_shares
from po3d.synthesis.multi_view.scenes import (
    LEAST_AREA,
    LEAST_VISIBLE,
    OrbitScene,
    sample_orbit_scene,
)

MASKS = "masks"
FILLED = 0.5  # approximate fraction of its box that a silhouette fills; LEAST_AREA refers to boxes


# --- all views ------------------------------------------------------------------------------------


def draw(
    out: Path, size: int, studio: Studio, reading: OrbitConvention = READING, workers: int = 1
) -> None:
    """Write the missing images and masks of `size` scenes."""
    todo = [k for k in range(size) if not _masks(out, k).is_file()]
    work = functools.partial(_draw, out=out, studio=studio, reading=reading)
    room_pictures.draw(work, todo, studio, out / IMAGES, workers, "scene", 1)


def _draw(index: int, out: Path, studio: Studio, reading: OrbitConvention) -> None:
    orbit_scene = sample_orbit_scene(studio.seed, index, studio.split, reading, studio.objects)
    placed_meshes = styled_scene(orbit_scene, studio.seed, index, studio.split)
    renderer = studio.renderer(orbit_scene.orbit.width, orbit_scene.orbit.tall)
    shots = draw_views(renderer, placed_meshes)
    for angle, shot in zip(VIEWS, shots):
        name = image_name(scene_name(index), angle)
        write_file(out / IMAGES / name, jpeg(shot.rgb, room_pictures.QUALITY))
    visible, area = visible_shares(shots, len(orbit_scene.scene))
    shares = {"visible": visible.tolist(), "area": area.tolist()}
    write_json(_masks(out, index), shares, indent=None)


def _masks(out: Path, index: int) -> Path:
    return out / MASKS / f"{scene_name(index)}.json"


def with_rendered_visibility(orbit_scene: OrbitScene, out: Path, index: int) -> OrbitScene:
    """Replace the visibilities of a scene, computed from boxes, by those of its rendered masks."""
    record = read_json(_masks(out, index), "masks of a scene")
    return judged(orbit_scene, np.array(record["visible"]), np.array(record["area"]))


def judged(orbit_scene: OrbitScene, visible: Array, area: Array) -> OrbitScene:
    """Set the visibilities of a scene and keep the object pairs that are visible in all views.

    `visible`: (8, n) visible fraction of each of n objects in each of 8 views. `area`: (8, n)
    fraction of the image that its visible part covers.
    """
    visible_enough = (visible >= LEAST_VISIBLE) & (area >= FILLED * LEAST_AREA)
    always = visible_enough.all(0)
    own_pairs = tuple(p for p in orbit_scene.own_pairs if always[p.target] and always[p.reference])
    return replace(orbit_scene, visible=visible, visible_enough=visible_enough, own_pairs=own_pairs)


# --- one view -------------------------------------------------------------------------------------


def picture(twin: dict, view: SceneViews, angle: int, furniture: Path | None) -> NDArray[np.uint8]:
    """Render a view of the twin described by `twin` (its twin.json), (H, W, 3); identical to the
    twin's image before JPEG compression.

    Raise InputError if this version of po3d generates a different scene.
    """
    index = int(view.scene.image.rpartition("_")[2])
    objects = difficulty_of(twin.get("dials"), ORBIT).objects
    studio = Studio(twin["seed"], twin["split"], furniture, None, objects)
    placed_meshes = _scene(studio, view.orbit.reading, index)
    ground = placed_meshes.scene.positions[: len(view.scene), :2]
    if len(ground) != len(view.scene) or not np.allclose(
        ground, view.scene.positions[:, :2], atol=1e-6
    ):
        raise InputError(
            f"{view.scene.image} belongs to a twin of another version, whose images can no longer"
            " be rendered"
        )
    renderer = studio.renderer(placed_meshes.orbit.width, placed_meshes.orbit.tall)
    return renderer.shoot(placed_meshes.scene, placed_meshes.camera(angle), placed_meshes.look).rgb


@functools.lru_cache(2)
def _scene(studio: Studio, reading: OrbitConvention, index: int) -> StyledScene:
    orbit_scene = sample_orbit_scene(studio.seed, index, studio.split, reading, studio.objects)
    return styled_scene(orbit_scene, studio.seed, index, studio.split)
