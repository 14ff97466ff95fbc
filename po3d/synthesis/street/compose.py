"""The renderer's input for a street layout: meshes, paints and finishes of its vehicles."""

import functools
from dataclasses import replace

import numpy as np

from po3d.io.files import rows_beside
from po3d.scene.geometry import Camera
from po3d.scene.street import box_middle, camera
from po3d.scene.vocabulary import PARENT, SIZE_SCALE
from po3d.synthesis.official_vehicles import OfficialVehicles
from po3d.synthesis.render.environment import RGB, Finish, RenderStyle
from po3d.synthesis.render.instances import PlacedMesh
from po3d.synthesis.render.looks import paint, sample_finish, sample_look
from po3d.synthesis.render.official import (
    OFFICIAL_LOOKS,
    official_finish,
    official_paint,
    sample_official_look,
)
from po3d.synthesis.street.layouts import TOYS, Layout, LayoutObject, LookKind
from po3d.synthesis.vehicles import Mesh, vehicle

STUDIO_TINT = (0.7, 1.0)  # Super-CLEVR's vehicles are toys of one colour: see `PlacedMesh.tint`
# share of official toys whose tyres, seats and lamps are exactly as bright as their paint
ONE_COLOR = 0.7
WINDOW = (0.15, 0.6)  # opacity of such a toy's glass over a hollow cabin
# Opacity over a solid body, so that the pane looks as dark as the interior behind official panes
PANE = (0.5, 0.95)
# weight of a large part relative to a small one when parts are chosen for recolouring
LARGE_LOTS = 2
# Parts with the object's colour
HULLS = frozenset(("body", "body_rear", "frame", "left_frame", "right_frame", "fuselage"))


def compose(
    layout: Layout, rng: np.random.Generator, vehicles: OfficialVehicles | None = None
) -> tuple[list[PlacedMesh], Camera, RenderStyle]:
    """Return the renderer's input: the layout's objects with meshes and paints, its camera, and its
    rendering style. In official styles, `vehicles` replace our own models where available."""
    official = layout.look in OFFICIAL_LOOKS
    place, draw = (_place_official, sample_official_look) if official else (_place, sample_look)
    objects = [place(o, layout.look, rng) for o in layout.objects]
    if official and vehicles is not None:
        for k, o in enumerate(layout.objects):
            objects[k] = _official_form(objects[k], o, layout.look, vehicles, rng)
    style = draw(layout.look, np.random.default_rng(layout.look_seed))
    return objects, camera(layout.jitter), style


def _official_form(
    placed: PlacedMesh,
    o: LayoutObject,
    look: LookKind,
    vehicles: OfficialVehicles,
    rng: np.random.Generator,
) -> PlacedMesh:
    """Replace the mesh of a placed vehicle by the official one: with transparent glass, and with
    parts recoloured as in the layout or, outdoors, in the colours of its files."""
    toy = look in TOYS
    vehicle_form = vehicles.get(o.shape, toy)
    if vehicle_form is None:
        return placed
    mesh, own_colors = vehicle_form
    colors, finishes = _official_parts(o, mesh, look, rng)
    window = 0.0 if toy else 1.0
    return replace(
        placed, mesh=mesh, colors=colors | own_colors, finishes=finishes, even=True, window=window
    )


def _official_parts(
    o: LayoutObject, mesh: Mesh, look: LookKind, rng: np.random.Generator
) -> tuple[dict[str, RGB], dict[str, Finish]]:
    """Return colours and finishes of a vehicle's recoloured parts: all colours are drawn first."""
    painted = parts_painted(o, mesh, look)
    colors = {name: official_paint(look, part.color, rng) for name, part in painted.items()}
    finishes = {name: official_finish(look, part.material, rng) for name, part in painted.items()}
    return colors, finishes


def _place_official(o: LayoutObject, look: LookKind, rng: np.random.Generator) -> PlacedMesh:
    """Place a vehicle like the official pictures: at the official mesh's origin. In Super-CLEVR's
    studio it has one colour, transparent windows, and recoloured parts with their own materials."""
    mesh, toy = vehicle(o.shape, o.mesh_seed, o.forms), look in TOYS
    color, finish = official_paint(look, o.color, rng), official_finish(look, o.material, rng)
    colors, finishes = _official_parts(o, mesh, look, rng)
    even, window = toy and rng.random() < ONE_COLOR, 1.0
    if toy:
        window = float(rng.uniform(*(WINDOW if PARENT[o.shape] == "car" else PANE)))
    return PlacedMesh(
        mesh,
        SIZE_SCALE[o.size],
        box_middle(o.shape, o.size, (o.x, o.y), o.heading),
        o.heading,
        color,
        finish,
        colors,
        finishes=finishes,
        tint=1.0 if toy else 0.0,
        even=even,
        window=window,
    )


def _place(o: LayoutObject, look: LookKind, rng: np.random.Generator) -> PlacedMesh:
    mesh, studio = vehicle(o.shape, o.mesh_seed), look == "studio"
    color = paint(o.color, rng)
    finish = sample_finish(o.material if studio else "paint", rng)
    painted = parts_painted(o, mesh, look)
    colors = {name: paint(part.color, rng) for name, part in painted.items()}
    tint = float(rng.uniform(*STUDIO_TINT)) if studio else 0.0
    return PlacedMesh(
        mesh, SIZE_SCALE[o.size], (o.x, o.y), o.heading, color, finish, colors, tint=tint
    )


def parts_painted(o: LayoutObject, mesh: Mesh, look: LookKind) -> dict:
    """Return part name -> PartPaint; if two slots select one part, the later one counts. As in
    Super-CLEVR, only certain parts of official toys are recoloured; large parts are drawn more
    often, because our models have few of them, and a part of a region with its region."""
    names = sorted({p.name for p in mesh.parts if p.material != "glass"} - HULLS)
    if look not in OFFICIAL_LOOKS:
        return {names[int(part.slot * len(names))]: part for part in o.parts} if names else {}
    rows, large = [], []
    for row in _repaintable(PARENT[o.shape]):
        if row["part"] in names:
            rows.append(row)
            if row["large"] == "1":
                large.append(row)
    weighted = sorted(rows + large * (LARGE_LOTS - 1), key=lambda row: row["part"])
    painted = {}
    for part in o.parts:
        candidates = large if part.region and large else weighted
        if not candidates:
            continue
        first = candidates[int(part.slot * len(candidates))]
        for row in rows:
            same = part.region and first["region"] and row["region"] == first["region"]
            if row is first or same:
                painted[row["part"]] = part
    return painted


@functools.cache
def _repaintable(category: str) -> list[dict[str, str]]:
    """Return the rows of parts.csv of a category."""
    rows = [row for row in rows_beside(__file__, "parts.csv") if row["category"] == category]
    return sorted(rows, key=lambda row: row["part"])
