"""Materials of the Blender worker, built from nodes; needs only `bpy`, like the worker."""

import math


def surface_material(bpy, settings: dict) -> object:
    """Build the material of a part: rubber, metal, a pane, or a painted surface."""
    material = bpy.data.materials.new(settings["kind"])
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    color = (*settings["color"], 1)
    if settings["kind"] == "rubber":
        out = _rubber(nodes, links, color)
    elif settings["kind"] == "metal":
        out = _metal(nodes, links, color)
    elif settings["kind"] == "pane":
        out = _pane(nodes, links, color, settings["opacity"])
    else:
        surface = nodes["Principled BSDF"]
        for name, key in (
            ("Metallic", "metallic"),
            ("Roughness", "roughness"),
            ("Coat Weight", "coat"),
        ):
            surface.inputs[name].default_value = settings[key]
        surface.inputs["Base Color"].default_value = color
        out = surface.outputs[0]
    if settings.get("texture"):
        out = _textured(nodes, links, out, color, settings)
    links.new(out, nodes["Material Output"].inputs["Surface"])
    return material


def _mixed(nodes, links, factor: object, first: object, two: object) -> object:
    mix = nodes.new("ShaderNodeMixShader")
    if isinstance(factor, float):
        mix.inputs[0].default_value = factor
    else:
        links.new(factor, mix.inputs[0])
    links.new(first, mix.inputs[1])
    links.new(two, mix.inputs[2])
    return mix.outputs[0]


def _rubber(nodes, links, color: tuple) -> object:
    """Diffuse with sheen towards the rim, below a faint rough gloss; fitted to Super-CLEVR's
    Rubber.
    """
    diffuse = nodes.new("ShaderNodeBsdfDiffuse")
    sheen = nodes.new("ShaderNodeBsdfSheen")
    sheen.distribution = "ASHIKHMIN"
    sheen.inputs["Roughness"].default_value = 0.6
    gloss = nodes.new("ShaderNodeBsdfAnisotropic")
    gloss.distribution = "BECKMANN"
    gloss.inputs["Color"].default_value, gloss.inputs["Roughness"].default_value = (
        (0.8, 0.8, 0.8, 1),
        0.59,
    )
    rims = []
    for ior in (1.45, 1.25):
        rim = nodes.new("ShaderNodeFresnel")
        rim.inputs["IOR"].default_value = ior
        rims.append(rim.outputs[0])
    diffuse.inputs["Color"].default_value = sheen.inputs["Color"].default_value = color
    matt = _mixed(nodes, links, rims[0], diffuse.outputs[0], sheen.outputs[0])
    return _mixed(nodes, links, rims[1], matt, gloss.outputs[0])


def _metal(nodes, links, color: tuple) -> object:
    """Two glossy lobes without a diffuse one; fitted to Super-CLEVR's MyMetal."""
    lobes = []
    for roughness in (math.sqrt(0.2), 0.1):
        lobe = nodes.new("ShaderNodeBsdfAnisotropic")
        lobe.distribution = "GGX"
        lobe.inputs["Color"].default_value = color
        lobe.inputs["Roughness"].default_value, lobe.inputs["Anisotropy"].default_value = (
            roughness,
            0.25,
        )
        lobes.append(lobe.outputs[0])
    return _mixed(nodes, links, 0.4, *lobes)


def _pane(nodes, links, color: tuple, opacity: float) -> object:
    """Coloured transparent glass; the share `opacity` of it is a dark, shiny surface."""
    clear = nodes.new("ShaderNodeBsdfTransparent")
    clear.inputs["Color"].default_value = color
    if not opacity:
        return clear.outputs[0]
    dark = nodes["Principled BSDF"]
    dark.inputs["Base Color"].default_value = (*(0.3 * c for c in color[:3]), 1)
    dark.inputs["Roughness"].default_value = 0.1
    return _mixed(nodes, links, float(opacity), clear.outputs[0], dark.outputs[0])


def _textured(nodes, links, shader: object, color: tuple, settings: dict) -> object:
    """Mix the surface's own shading with a pattern of two colours, half each."""
    second = (*settings["second"], 1)
    printed = nodes.new("ShaderNodeBsdfPrincipled")
    printed.inputs["Roughness"].default_value = 0.5
    place = nodes.new("ShaderNodeTexCoord").outputs["Generated"]
    if settings["texture"] == "dotted":
        cells = nodes.new("ShaderNodeTexVoronoi")
        cells.inputs["Scale"].default_value = 15
        links.new(place, cells.inputs["Vector"])
        ramp = nodes.new("ShaderNodeValToRGB")
        ramp.color_ramp.elements[0].color, ramp.color_ramp.elements[1].color = color, second
        ramp.color_ramp.interpolation = "CONSTANT"
        ramp.color_ramp.elements[1].position = 0.5
        links.new(cells.outputs["Color"], ramp.inputs["Fac"])
        links.new(ramp.outputs["Color"], printed.inputs["Base Color"])
    else:
        check = nodes.new("ShaderNodeTexChecker")
        check.inputs["Color1"].default_value, check.inputs["Color2"].default_value = color, second
        check.inputs["Scale"].default_value = 30 if settings["texture"] == "checkered" else 25
        if settings["texture"] in ("stripped", "vstripped"):
            axes = nodes.new("ShaderNodeSeparateXYZ")
            links.new(place, axes.inputs[0])
            place = axes.outputs[1 if settings["texture"] == "stripped" else 2]
        links.new(place, check.inputs["Vector"])
        links.new(check.outputs["Color"], printed.inputs["Base Color"])
    return _mixed(nodes, links, 0.5, shader, printed.outputs[0])
