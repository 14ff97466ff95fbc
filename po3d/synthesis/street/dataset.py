"""Rendered street scenes with labels, each a pure function of (seed, index, split).

    sample_layout ─► compose ─► masks (are all objects visible?) ─► labels ─► true_scene
                        └─────────────────────────────────────────► colour image

`scene_record` has the layout of Super-CLEVR's scene files, for the files of twins and shards.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.reasoning import relations
from po3d.reasoning.relations import NO_FACING
from po3d.reasoning.rules import STREET_RULES
from po3d.scene.geometry import Camera
from po3d.scene.street import AXES, HEIGHT, WIDTH, extent, origin_height, rotation_from_heading
from po3d.scene.table import ObjectState, Scene, sure
from po3d.scene.vocabulary import DIRECTIONS, FACINGS
from po3d.synthesis.difficulty import DEFAULT, Difficulty
from po3d.synthesis.official_vehicles import OfficialVehicles
from po3d.synthesis.render.blender import camera_matrix
from po3d.synthesis.render.environment import RenderStyle
from po3d.synthesis.render.official import OFFICIAL_LOOKS
from po3d.synthesis.render.photographs import under_sky
from po3d.synthesis.render.renderer import PlacedMesh, Renderer
from po3d.synthesis.street.compose import compose, parts_painted
from po3d.synthesis.street.labels import ObjectLabel, State
from po3d.synthesis.street.layouts import (
    LOOKS,
    MAX_OBJECTS,
    MIN_OBJECTS,
    TOYS,
    Layout,
    LayoutObject,
    LookKind,
    Split,
    sample_layout,
)
from po3d.synthesis.vehicles import Mesh

# visible pixels required of every object, otherwise the scene is sampled again (Super-CLEVR)
MIN_VISIBLE_PX = 200
MAX_SCENES = 500  # attempts per index; nearly all succeed at once
# Number of valid scenes among which the best match of the wanted occlusion is chosen.
OCCLUSION_SCENES = 20

# as in Super-CLEVR-3D's scene files
_STATES: dict[State, int] = {"none": 0, "partial": 1, "full": 2}


@dataclass(frozen=True)
class RenderableScene:
    """A scene in which every object is visible."""

    layout: Layout
    objects: tuple[PlacedMesh, ...]
    camera: Camera
    look: RenderStyle
    labels: tuple[ObjectLabel, ...]


def make_scene(
    seed: int,
    index: int,
    split: Split,
    renderer: Renderer,
    look: LookKind | None = None,
    difficulty: Difficulty = DEFAULT,
    vehicles: OfficialVehicles | None = None,
) -> RenderableScene:
    """Sample scene `index` of a seed, with official `vehicles` where available.

    The number of objects is drawn once, so that rejection by visibility does not favour sparse
    scenes. Layouts are drawn until every object has MIN_VISIBLE_PX visible pixels and, if
    `difficulty` asks for it, the wanted number of objects is occluded. Raise InputError after
    MAX_SCENES attempts.
    """
    generator = rng(seed, f"scene/{split}", index)
    low, high = difficulty.objects or (MIN_OBJECTS, MAX_OBJECTS)
    count = int(generator.integers(low, high + 1))
    wanted = None
    if difficulty.occluded is not None:
        wanted = int(difficulty.occluded * count + generator.random())
    nearest: tuple[int, RenderableScene] | None = None
    visible = 0
    for _ in range(MAX_SCENES):
        layout = sample_layout(generator, count, split, look)
        objects, view, style = compose(layout, rng(layout.look_seed, "compose"), vehicles)
        labels = renderer.render_masks(objects, view).labels
        if min(label.visible_px for label in labels) >= MIN_VISIBLE_PX:
            scene = RenderableScene(layout, tuple(objects), view, style, labels)
            off = 0
            if wanted is not None:
                off = abs(sum(label.occluder is not None for label in labels) - wanted)
            if nearest is None or off < nearest[0]:
                nearest = off, scene
            visible += 1
            if not nearest[0] or visible == OCCLUSION_SCENES:
                return nearest[1]
    if nearest is not None:
        return nearest[1]
    raise InputError(
        f"seed {seed}, scene {index}: no layout of {count} objects, out of {MAX_SCENES}, "
        f"shows all of them (at {renderer.width} x {renderer.height} pixels)"
    )


def picture(
    scene: RenderableScene, renderer: Renderer, skies: str | None = None
) -> NDArray[np.uint8]:
    """Render the picture, (H, W, 3) sRGB. Outdoors, `skies` is a folder of photographs used as
    sky."""
    look = scene.look
    if skies is not None:
        look = under_sky(look, skies, scene.layout.look_seed)
    # make_scene has computed the masks
    return renderer.render(scene.objects, scene.camera, look, amodal=False).rgb


def render_example(
    seed: int,
    index: int,
    split: Split,
    samples: int = 1,
    look: LookKind | None = None,
    skies: str | None = None,
    looks: Mapping[LookKind, float] | None = None,
) -> tuple[NDArray[np.uint8], Scene]:
    """Return the picture (480, 640, 3) and the ground truth of scene `index`. The renderer is
    opened once per process. `looks`: weights of the rendering styles to draw from, instead of one
    `look`."""
    renderer = open_renderer(samples)
    if looks:
        look = mixed_look(seed, index, looks)
    scene = make_scene(seed, index, split, renderer, look)
    return picture(scene, renderer, skies), true_scene(scene, index)


def mixed_look(seed: int, index: int, looks: Mapping[LookKind, float]) -> LookKind:
    """Draw the rendering style of scene `index` with the weights `looks`."""
    unknown = set(looks) - {*LOOKS, *OFFICIAL_LOOKS}
    if unknown or min(looks.values()) < 0 or sum(looks.values()) <= 0:
        raise InputError(
            f"looks={dict(looks)}: expected weights of {', '.join((*LOOKS, *OFFICIAL_LOOKS))}"
        )
    kinds = sorted(looks)
    weights = np.array([looks[kind] for kind in kinds], float)
    return kinds[rng(seed, "looks", index).choice(len(kinds), p=weights / weights.sum())]


@functools.cache
def open_renderer(samples: int = 1) -> Renderer:
    """Return this process's renderer for the benchmark's image size."""
    return Renderer(WIDTH, HEIGHT, samples)


# --- ground truth ---------------------------------------------------------------------------------


def image_name(index: int, suffix: str = "jpg") -> str:
    """Return the benchmark's name of an image."""
    return f"superCLEVR_new_{index:06d}.{suffix}"


def true_scene(scene: RenderableScene, index: int) -> Scene:
    """Return the ground truth: objects with their image boxes, the camera, and the dominant
    occluder of each object. It equals `scene_record` read by `scene_from_superclevr`, up to the
    rounding of degrees."""
    toys = scene.layout.look in TOYS  # other vehicles have no material
    objects, occluders = [], []
    for o, label in zip(scene.layout.objects, scene.labels):
        values = {"shape": o.shape, "color": o.color, "size": o.size}
        if toys:
            values["material"] = o.material
        position = (o.x, o.y, origin_height(o.shape, o.size))
        size = tuple(map(float, extent(o.shape, o.size)))
        box = None if label.amodal_box is None else tuple(map(float, label.amodal_box))
        objects.append(ObjectState(sure(**values), position, o.heading, size, box=box))
        occluders.append({} if label.occluder is None else {label.occluder: 1.0})
    return Scene(tuple(objects), AXES, "gt", scene.camera, tuple(occluders), image_name(index))


def scene_record(scene: RenderableScene, index: int, split: str) -> dict:
    """Return the scene in the layout of Super-CLEVR's files, with the additional keys of
    Super-CLEVR-3D and PulseCheck457.

    Masks are omitted. Data without a place in the official layout (boxes x0, y0, x1, y1; visible
    fractions; mesh and style seeds) is under "po3d".
    """
    layout, labels = scene.layout, scene.labels
    positions = np.array([(o.x, o.y) for o in layout.objects])
    headings = np.array([o.heading for o in layout.objects])
    axes = np.array([AXES[d] for d in DIRECTIONS])
    pairs = relations.Pairs(*positions.T, headings, axes, layout.extents, STREET_RULES)
    objects = []
    for k, o in enumerate(layout.objects):
        record = _object_record(o, scene.objects[k].mesh, scene)
        facing = pairs.facings[k]
        record["pose"] = "None" if facing == NO_FACING else f"{FACINGS[facing]}_pose"
        record["pose_degree"] = float(pairs.degrees[k])
        objects.append(record)

    def related(direction: str) -> list[list[int]]:
        return [np.flatnonzero(row).tolist() for row in pairs.truth(direction, "camera")]

    def hit(travel: str) -> list[list[dict]]:
        rows: list[list[dict]] = [[] for _ in objects]
        for i, j in np.argwhere(pairs.truth(f"collides_{travel}")).tolist():
            rows[i].append({"obj_id": j})
        return rows

    directions = {direction: [*axis, 0.0] for direction, axis in AXES.items()}
    directions |= {"above": [0.0, 0.0, 1.0], "below": [0.0, 0.0, -1.0]}
    occlusion, boxes, visible_boxes, fractions = {}, [], [], []
    for i, label in enumerate(labels):
        occlusion[str(i)] = {"obj": _occlusion_entry(label)}
        boxes.append(list(label.amodal_box))
        visible_boxes.append(list(label.visible_box))
        fractions.append(round(label.visible_fraction, 4))
    return {
        "split": split,
        "image_index": index,
        "image_filename": image_name(index),
        "directions": directions,
        "objects": objects,
        "relationships": {d: related(d) for d in DIRECTIONS},
        "collision_relationships": {t: hit(t) for t in ("forward", "backward")},
        "occlusion": occlusion,
        "camera_location": scene.camera.position.tolist(),
        "matrix_world": camera_matrix(scene.camera),
        "hdri_id": None if layout.look in TOYS else str(layout.look_seed),
        "po3d": {
            "look": layout.look,
            "look_seed": layout.look_seed,
            "mesh_seeds": [o.mesh_seed for o in layout.objects],
            "boxes": boxes,
            "visible_boxes": visible_boxes,
            "visible_fractions": fractions,
        },
    }


def _object_record(o: LayoutObject, mesh: Mesh, scene: RenderableScene) -> dict:
    origin = (o.x, o.y, origin_height(o.shape, o.size))
    pixel, depth = scene.camera.project(origin)
    painted = parts_painted(o, mesh, scene.layout.look)
    return {
        "shape": o.shape,
        "size": o.size,
        "color": o.color,
        "material": o.material if scene.layout.look in TOYS else None,
        "3d_coords": list(origin),
        "rotation": rotation_from_heading(o.shape, o.heading),
        "pixel_coords": [[round(pixel[0]), round(pixel[1]), float(depth)], [WIDTH, HEIGHT]],
        "parts": {
            name: {"color": p.color, "material": p.material, "size": o.size}
            for name, p in painted.items()
        },
    }


def _occlusion_entry(label: ObjectLabel) -> list:
    """Return [state, mask (omitted), is occluded, occluder]; the occluder only if there is one."""
    if label.occluder is None:
        return [0, "", "False"]
    return [_STATES[label.state], "", "True", str(label.occluder)]
