"""Blender worker: renders scenes with Cycles. A separate program that needs only `bpy` and the
standard library, so it runs under any interpreter (started by po3d.synthesis.render.blender). It
imports nothing from po3d but `blender_materials`, which lies beside it.

It reads one JSON object per line and answers each with one line: {"ok": ...} or {"error": "..."}.

    {"do": "draw", ...}
        renders a scene (fields: see `draw`) into a PNG file
    {"do": "read", "file": X.blend, "out": FILE}
        writes the triangles of a .blend's meshes; no script in it is run

Mesh files are plain little-endian arrays: vertices (3 x float32 each), triangles (3 x int32), and
one part number (int32) per triangle.
"""

import array
import json
import math
import os
import sys

_OWN_SKIES = "datafiles/studiolights/world"  # relative to Blender's own folder
_ROWS = 64  # rows sampled of a photograph when its light is measured


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # messages printed by Blender must not mix with the answers
    try:
        import bpy
    except ImportError as error:
        answers.write(json.dumps({"missing": str(error)}) + "\n")
        return
    answers.write(json.dumps({"ok": bpy.app.version_string}) + "\n")
    answers.flush()
    for line in sys.stdin:
        try:
            request = json.loads(line)
            answer = {"ok": {"draw": draw, "read": read}[request["do"]](bpy, request)}
        except Exception as error:  # damaged files may raise anything
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:500]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


# --- rendering ------------------------------------------------------------------------------------


def draw(bpy, scene: dict) -> str:
    """Render the picture `out`.

    `width`, `height`, `samples`, `denoise`, `bounces`, `clamp`, `threads`, `seed`: settings of
    Cycles. `camera`: {matrix: camera to world in Blender's convention, lens: in sensor widths}.
    `lamps`: [{kind: AREA or SUN, place, energy, color, size or angle}], pointing at the world's
    origin. `world`: {color} or {files, pick, turn, light}. `ground`: {kind: sheet, albedo} or
    {kind: photograph, height, albedo, roughness, specular}. `objects`: [{mesh, vertices, triangles,
    matrix, materials: one per part}].
    """
    from blender_materials import surface_material  # a script's own folder is on the path

    bpy.ops.wm.read_factory_settings(use_empty=True)
    blender = bpy.context.scene
    _settings(blender, scene)
    data = bpy.data.cameras.new("camera")
    data.sensor_width, data.lens = 32.0, 32.0 * scene["camera"]["lens"]
    camera = _linked(bpy, "camera", data)
    camera.matrix_world = _matrix(scene["camera"]["matrix"])
    blender.camera = camera
    for k, lamp in enumerate(scene["lamps"]):
        _lamp(bpy, f"lamp{k}", lamp)
    image, below = _world(bpy, blender, scene["world"])
    _ground(bpy, scene["ground"], scene["world"], image, below)
    meshes: dict[str, object] = {}
    for k, item in enumerate(scene["objects"]):
        thing = _linked(bpy, f"object{k}", _mesh(bpy, meshes, item).copy())
        thing.matrix_world = _matrix(item["matrix"])
        for number, material in enumerate(item["materials"]):
            thing.data.materials[number] = surface_material(bpy, material)
    blender.render.filepath = scene["out"]
    bpy.ops.render.render(write_still=True)
    return scene["out"]


def _settings(blender, scene: dict) -> None:
    blender.render.engine = "CYCLES"
    render, cycles, view = blender.render, blender.cycles, blender.view_settings
    render.resolution_x, render.resolution_y, render.resolution_percentage = (
        scene["width"],
        scene["height"],
        100,
    )
    render.image_settings.file_format, render.image_settings.color_mode = "PNG", "RGB"
    render.image_settings.compression = 15
    render.threads_mode, render.threads = "FIXED", scene["threads"]
    render.dither_intensity = 0.0
    cycles.device, cycles.samples, cycles.seed = "CPU", scene["samples"], scene["seed"]
    cycles.use_adaptive_sampling = False
    cycles.use_denoising = scene["denoise"]
    if scene["denoise"]:
        cycles.denoiser, cycles.denoising_prefilter, cycles.denoising_quality = (
            "OPENIMAGEDENOISE",
            "FAST",
            "FAST",
        )
    cycles.max_bounces = scene["bounces"]
    cycles.diffuse_bounces = cycles.glossy_bounces = min(scene["bounces"], 4)
    cycles.transparent_max_bounces, cycles.blur_glossy = 8, 2.0
    cycles.sample_clamp_indirect = scene["clamp"]
    view.view_transform, view.look = "Standard", "None"


def _matrix(rows: list) -> object:
    from mathutils import Matrix

    return Matrix(rows)


def _linked(bpy, name: str, data: object) -> object:
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def _lamp(bpy, name: str, lamp: dict) -> None:
    from mathutils import Vector

    data = bpy.data.lights.new(name, lamp["kind"])
    data.energy, data.color = lamp["energy"], lamp["color"]
    if lamp["kind"] == "AREA":
        data.size = lamp["size"]
    else:
        data.angle = lamp["angle"]
    thing = _linked(bpy, name, data)
    thing.location = lamp["place"]
    thing.rotation_euler = (-Vector(lamp["place"])).to_track_quat("-Z", "Y").to_euler()


def _world(bpy, blender, world: dict) -> tuple:
    """Set up the world. Return its photograph, if any, and the photograph's mean colour below the
    horizon.
    """
    blender.world = bpy.data.worlds.new("world")
    blender.world.use_nodes = True
    tree = blender.world.node_tree
    background = tree.nodes["Background"]
    if "files" not in world:
        background.inputs["Color"].default_value = (*world["color"], 1)
        return None, None
    files = world["files"] or _own_skies(bpy)
    image = bpy.data.images.load(files[world["pick"] % len(files)])
    image.colorspace_settings.name = "Linear Rec.709"
    above, below = _measured(image)
    sky = tree.nodes.new("ShaderNodeTexEnvironment")
    sky.image = image
    turn = tree.nodes.new("ShaderNodeMapping")
    turn.inputs["Rotation"].default_value = (0, 0, world["turn"])
    tree.links.new(tree.nodes.new("ShaderNodeTexCoord").outputs["Generated"], turn.inputs["Vector"])
    tree.links.new(turn.outputs["Vector"], sky.inputs["Vector"])
    tree.links.new(sky.outputs["Color"], background.inputs["Color"])
    background.inputs["Strength"].default_value = world["light"] / max(above, 1e-6)
    # Blender's default is a map sixteen times as large as the photograph, which costs seconds per
    # picture.
    blender.world.cycles.sampling_method, blender.world.cycles.sample_map_resolution = "MANUAL", 512
    return image, below


def _own_skies(bpy) -> list:
    folder = os.path.join(bpy.utils.resource_path("LOCAL"), _OWN_SKIES)
    names = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".exr"):
            names.append(os.path.join(folder, name))
    if not names:
        raise ValueError(f"no images in {folder}; set skies=DIR to a folder of .exr files")
    return names


def _measured(image) -> tuple:
    """Return, for an equirectangular photograph, the radiance of white open ground (mean of the
    channels), and the mean colour below the horizon without its brightest spots.
    """
    width, height = image.size
    pixels = array.array("f", bytes(4 * width * height * 4))
    image.pixels.foreach_get(pixels)
    light, ground, weights = 0.0, [0.0, 0.0, 0.0], 0.0
    for row in range(_ROWS):  # from the bottom row up
        polar = math.pi * (row + 0.5) / _ROWS
        y = min(int((row + 0.5) / _ROWS * height), height - 1)
        size = math.sin(polar) * (math.pi / _ROWS) ** 2
        for column in range(2 * _ROWS):
            at = 4 * (y * width + min(int((column + 0.5) / (2 * _ROWS) * width), width - 1))
            color = pixels[at : at + 3]
            if polar > math.pi / 2:
                light += sum(color) / 3 * -math.cos(polar) * size
            elif polar > math.pi / 8:  # skips the tripod directly below the camera
                weights += size
                for k in range(3):
                    ground[k] += min(color[k], 20.0) * size
    return light / math.pi, [value / weights for value in ground]


def _ground(bpy, ground: dict, world: dict, image: object, below: list) -> None:
    """Build the ground: a sheet that rises far behind the scene, as seen from the street's camera;
    or a plane textured with the photograph's part below the horizon, projected from `height` above
    the middle.
    """
    points = []
    if ground["kind"] == "sheet":  # along `away`, which points from the camera's side to the back
        away, across = (-0.7545, 0.6563), (0.6563, 0.7545)
        for k in range(61):
            d = -30 + k
            rise = 0.03 * max(0.0, d - 7) ** 2
            for s in (-45, 45):
                points.append((d * away[0] + s * across[0], d * away[1] + s * across[1], rise))
    else:
        points = [(-150, -150, 0.0), (150, -150, 0.0), (-150, 150, 0.0), (150, 150, 0.0)]
    mesh = bpy.data.meshes.new("ground")
    faces = [(k, k + 1, k + 3, k + 2) for k in range(0, len(points) - 2, 2)]
    mesh.from_pydata(points, [], faces)
    for face in mesh.polygons:
        face.use_smooth = True
    material = bpy.data.materials.new("ground")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    if ground["kind"] == "sheet":
        surface = nodes.new("ShaderNodeBsdfDiffuse")
        surface.inputs["Color"].default_value = (*ground["albedo"], 1)
    else:
        surface = _projected(nodes, links, ground, world["turn"], image, below)
    links.new(surface.outputs[0], nodes["Material Output"].inputs["Surface"])
    mesh.materials.append(material)
    _linked(bpy, "ground", mesh)


def _projected(nodes, links, ground: dict, angle: float, image: object, below: list) -> object:
    """Build a surface with the photograph `image`, turned by `angle` and scaled from its mean
    colour `below` the horizon to the ground's albedo.
    """
    surface = nodes["Principled BSDF"]
    surface.inputs["Roughness"].default_value = ground["roughness"]
    surface.inputs["Specular IOR Level"].default_value = ground["specular"]
    place = nodes.new("ShaderNodeNewGeometry").outputs["Position"]
    down = nodes.new("ShaderNodeVectorMath")
    down.operation = "SUBTRACT"
    down.inputs[1].default_value = (0, 0, ground["height"])
    links.new(place, down.inputs[0])
    turn = nodes.new("ShaderNodeMapping")
    turn.inputs["Rotation"].default_value = (0, 0, angle)
    links.new(down.outputs[0], turn.inputs["Vector"])
    unit = nodes.new("ShaderNodeVectorMath")
    unit.operation = "NORMALIZE"
    links.new(turn.outputs[0], unit.inputs[0])
    picture = nodes.new("ShaderNodeTexEnvironment")
    picture.image, picture.interpolation = image, "Cubic"
    links.new(unit.outputs[0], picture.inputs["Vector"])
    gain = nodes.new("ShaderNodeMix")
    gain.data_type, gain.blend_type, gain.clamp_result = "RGBA", "MULTIPLY", True
    gain.inputs["Factor"].default_value = 1.0
    links.new(picture.outputs["Color"], gain.inputs["A"])
    mean = max(sum(below) / 3, 1e-6)
    gain.inputs["B"].default_value = (*[ground["albedo"] / mean] * 3, 1)
    links.new(gain.outputs["Result"], surface.inputs["Base Color"])
    return surface


def _mesh(bpy, known: dict, item: dict) -> object:
    if item["mesh"] in known:
        return known[item["mesh"]]
    vertices, triangles = array.array("f"), array.array("i")
    parts = array.array("i")
    with open(item["mesh"], "rb") as file:
        vertices.fromfile(file, 3 * item["vertices"])
        triangles.fromfile(file, 3 * item["triangles"])
        parts.fromfile(file, item["triangles"])
    mesh = bpy.data.meshes.new("mesh")
    mesh.vertices.add(item["vertices"])
    mesh.vertices.foreach_set("co", vertices)
    mesh.loops.add(3 * item["triangles"])
    mesh.loops.foreach_set("vertex_index", triangles)
    mesh.polygons.add(item["triangles"])
    mesh.polygons.foreach_set("loop_start", array.array("i", range(0, 3 * item["triangles"], 3)))
    for _ in item["materials"]:
        mesh.materials.append(None)  # must precede the numbers, which Blender would otherwise clip
    mesh.polygons.foreach_set("material_index", parts)
    mesh.polygons.foreach_set("use_smooth", [True] * item["triangles"])
    mesh.update(calc_edges=True)
    known[item["mesh"]] = mesh
    return mesh


# --- reading --------------------------------------------------------------------------------------


def read(bpy, request: dict) -> dict:
    """Write all mesh triangles of a .blend, in its world frame, to `out`; return {vertices,
    triangles, materials: [{name, color, clear}]}. Raise if there are more than `most` triangles.
    """
    bpy.ops.wm.open_mainfile(filepath=request["file"], load_ui=False, use_scripts=False)
    graph = bpy.context.evaluated_depsgraph_get()
    vertices, triangles, parts = array.array("f"), array.array("i"), array.array("i")
    materials: list[dict] = []
    for thing in bpy.data.objects:
        if thing.type != "MESH":
            continue
        mesh = thing.evaluated_get(graph).to_mesh()
        mesh.calc_loop_triangles()
        if len(triangles) // 3 + len(mesh.loop_triangles) > request["most"]:
            raise ValueError(f"more than {request['most']} triangles")
        start, world = len(vertices) // 3, thing.matrix_world
        for vertex in mesh.vertices:
            vertices.extend(world @ vertex.co)
        base = len(materials)
        materials += [_described(slot.material) for slot in thing.material_slots] or [
            _described(None)
        ]
        for triangle in mesh.loop_triangles:
            triangles.extend(start + v for v in triangle.vertices)
            parts.append(base + min(triangle.material_index, len(materials) - base - 1))
    with open(request["out"], "wb") as file:
        for values in (vertices, triangles, parts):
            values.tofile(file)
    return {"vertices": len(vertices) // 3, "triangles": len(parts), "materials": materials}


def _described(material: object) -> dict:
    if material is None:
        return {"name": "", "color": [0.8, 0.8, 0.8], "clear": False}
    nodes = material.node_tree.nodes if material.use_nodes and material.node_tree else ()
    clear = any(n.bl_idname in ("ShaderNodeBsdfTransparent", "ShaderNodeBsdfGlass") for n in nodes)
    return {"name": material.name, "color": list(material.diffuse_color)[:3], "clear": clear}


if __name__ == "__main__":
    main()
