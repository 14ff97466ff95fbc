"""The benchmark's own way of speaking, odd grammar included ("buss", "if it moving forward").

Phrases follow the published questions of Super-CLEVR and PulseCheck457; the templates are ours.
"""

from po3d.language.say.street.grammar import Grammar
from po3d.scene.vocabulary import COLORS, SHAPES, SUPER_CATEGORIES

_SURFACE = {
    "articulated": "articulated bus",
    "regular": "regular bus",
    "double": "double bus",
    "school": "school bus",
    "road": "road bike",
    "utility": "utility bike",
    "mountain": "mountain bike",
    "tandem": "tandem bike",
}
SURFACE_NAMES: dict[str, str] = {s: _SURFACE.get(s, s) for s in (*SHAPES, *SUPER_CATEGORIES)}

NOUNS = {shape: (name,) for shape, name in SURFACE_NAMES.items()} | {"thing": ("thing", "object")}

WORDS = {
    "large": ("large", "big"),
    "small": ("small", "tiny"),
    "metal": ("metal", "metallic", "shiny"),
    "rubber": ("rubber", "matte"),
    "attr.color": ("color",),
    "attr.size": ("size",),
    "attr.material": ("material",),
    "attr.shape": ("shape",),
    "other": ("other",),
    "material.rubber": ("made of rubber",),
    "material.metal": ("made of metal",),
    **{color: (color,) for color in COLORS},
}

DIRECTION = {
    "left": ("left of", "to the left of", "on the left side of"),
    "right": ("right of", "to the right of", "on the right side of"),
    "front": ("in front of",),
    "behind": ("behind",),
}

_COLLIDE = "[moving|moves]"
_WHAT = {
    "color": ("what color is {the}", "what is the color of {the}", "{the} [is what|has what] color"),
    "size": (
        "what size is {the}",
        "what is the size of {the}",
        "how big is {the}",
        "{the} [is what|has what] size",
    ),
    "material": (
        "what material is {the}",
        "what is {the} made of",
        "what is the material of {the}",
        "{the} is made of what material",
    ),
    "shape": ("what shape is {the}", "what is the [shape|name] of {the}", "{the} [is what|has what] shape"),
    "facing": ("which direction {the} is facing",),
}
_TAIL = {
    "color": ("[what color is it|what is its color]",),
    "size": ("[what size is it|how big is it|what is its size]",),
    "material": ("[what material is it|what is it made of|what is its material]",),
    "shape": ("[what shape is it|what is its shape]",),
    "facing": ("which direction it is facing",),
}

ASK = {
    "count.whole": ("[how many|what number of] {things} are there",),
    "count.be": ("[how many|what number of] {things0} are {be}",),
    "count.vp": ("[how many|what number of] {things0} {vp}",),
    "count.inv": ("[how many|what number of] {things0} {inv}",),
    "count.union": ("[how many|what number of] {things0} are [either|] {left} or {right}",),
    "exist.whole": ("are there any {things}", "is there {a}"),
    "exist.plain": ("are any {things} visible",),
    "exist.union": ("are there any {things0} that are [either|] {left} or {right}",),
    "equal": (
        "is the {attr} of {one} the same as {two}",
        "does {one} have the same {attr} as {two}",
        "do {one} and {two} have the same {attr}",
    ),
    "equal.it": (
        "does it have the same {attr} as {two}",
        "is it the same {attr} as {two}",
        "is its {attr} the same as {two}",
    ),
    "equal_integer": (
        "are there [the same number of|an equal number of] {one} and {two}",
        "is the number of {one} the same as the number of {two}",
    ),
    "less_than": ("are there fewer {one} than {two}", "is the number of {one} less than the number of {two}"),
    "greater_than": (
        "are there more {one} than {two}",
        "is the number of {one} greater than the number of {two}",
    ),
    **{f"query.{a}.whole": templates for a, templates in _WHAT.items()},
    **{f"query.{a}.it": templates for a, templates in _TAIL.items()},
}

LINK = {
    "facing": {"vp": ("face{s} {direction}",)},
    "occlusion.occluded": {"be": ("occluded",)},
    "occlusion.occluding": {"vp": ("occlude{s} something",)},
    "occlusion.unoccluded": {"be": ("not occluded",)},
    "relate": {"be": ("{direction} {ref}",)},
    "relate.camera": {"be": ("as seen from the camera {direction} {ref}",)},
    "relate.object": {"be": ("{front} as seen from {ref}",)},
    "same": {
        "be": ("the same {attr} as {ref}", "of the same {attr} as {ref}"),
        "vp": ("{has} the same {attr} as {ref}",),
    },
    "aligned.same": {"vp": ("face{s} the same direction as {ref}",)},
    "aligned.opposite": {"vp": ("face{s} the opposite direction as {ref}",)},
    "aligned.vertical": {"vp": ("face{s} the vertical direction as {ref}",)},
    "aligned.parallel": {"be": ("parallel to {ref}",)},
    "occludees": {"be": ("occluded by {ref}",)},
    "occluder": {"vp": ("occlude{s} {ref}",)},
    "collide": {
        "vp": ("will be collided [with|] by {ref} {travel}",),
        "gap": ("{ref} will collide [with|] {travel}",),
        "inv": ("will {ref} collide [with|] {obj} {travel}",),
    },
}

GRAMMAR = Grammar(
    nouns=NOUNS,
    plural=lambda noun: noun + "s",
    words=WORDS,
    direction=DIRECTION,
    facing={d: (f"to the {d}",) for d in ("left", "right", "front", "back")},
    travel={t: (f"if it {_COLLIDE} {t}",) for t in ("forward", "backward")},
    link=LINK,
    ask=ASK,
    opening={"there": ("there is {a}",)},
    relative=("which", "that"),
)
