"""How the wide language says that one thing stands in a relation to another, and from whose point of view."""

VIEW = "[point of view|perspective]"
CAMERA = (
    "as seen from the camera",
    "from the camera's point of view",
    "as seen in the picture",
    "from the camera",
    "from our point of view",
)
_CAMERA = "[" + "|".join(CAMERA) + "]"
_SAME_WAY = "[the same way as {ref}|in the same direction as {ref}|the same direction as {ref}]"
_OPPOSITE = (
    "[the opposite way to {ref}|in the opposite direction to {ref}|the opposite direction as {ref}|"
    "the opposite way from {ref}|opposite to {ref}]"
)
_ACROSS = (
    "[in a perpendicular direction to {ref}|the vertical direction as {ref}|perpendicular to {ref}|"
    "at a right angle to {ref}]"
)

_HITS = (
    "[could|would|will|might] {ref} [go|move|drive] {ahead} and hit {obj}",
    "[would|will] {ref} [hit|collide with] {obj} {travel}",
    "[would|will] {ref} [hit|collide with] {obj} {travel}",
    "does {ref} [hit|collide with] {obj} {travel}",
    "is {ref} going to hit {obj} {travel}",
    "[would|will] {ref} {travel} hit {obj}",
    "{travel} [would|will|does] {ref} hit {obj}",
    "[would|will] {ref} run into {obj} {travel}",
    "will {ref} hit {obj} [going|driving|moving] {ahead}",
)

LINK = {
    "facing": {"be": ("facing {direction}",), "vp": ("face{s} {direction}",)},
    "occlusion.occluded": {
        "be": (
            "hidden",
            "occluded",
            "partly hidden",
            "hidden [by|behind] [something|anything|another object|something else]",
        )
    },
    "occlusion.occluding": {
        "be": ("occluding [something|anything]", "hiding [something|another object]"),
        "vp": ("hide{s} [something|another object|anything]", "occlude{s} [something|anything]"),
    },
    "occlusion.unoccluded": {"be": ("fully visible", "not occluded", "not hidden", "not hidden by anything")},
    "relate": {"be": ("{direction} {ref}",)},
    "relate.side": {"be": ("[on|to] {its} {own}", "on {its} {own} side")},
    "relate.it": {"be": ("[to|on] its {own}", "on its {own} side", "{direction} it")},
    "relate.view": {"be": ("[{front}|{direction} it]", "{front}", "{front} of it")},
    "relate.camera": {"be": (_CAMERA + " {direction} {ref}",)},
    "relate.camera.near": {"be": ("{direction} {ref} " + _CAMERA, "{direction} {ref}, " + _CAMERA)},
    "relate.camera.front": {"be": ("[nearer to|closer to] [the camera|us|the viewer] than {ref}",)},
    "relate.camera.behind": {
        "be": ("[farther from|further from|farther away from] [the camera|us] than {ref}",)
    },
    "relate.object": {
        "be": (
            "{front} [from the " + VIEW + " of|as seen from|seen from] {ref}",
            "{front} as seen from {ref} [itself|]",
        )
    },
    "relate.object.near": {
        "be": (
            "{direction} {ref} from its own " + VIEW,
            "{direction} {ref}, from its " + VIEW,
            "{direction} {ref} from [the|that] {noun}'s [own|] " + VIEW,
            "{direction} {ref} as [the {noun}|it] sees it",
            "{direction} {ref} from the driver's " + VIEW,
            "{direction} {ref} as {its} driver sees it",
        )
    },
    "relate.object.driver": {
        "be": (
            "on the {own} of {its} driver",
            "[on|to] {its} driver's {own} [side|hand|]",
            "on the {own}-hand side of {its} driver",
            "on the driver's {own} in {ref}",
            "{front} for {its} driver",
            "{front} for the driver of {ref}",
        ),
        "gap": (
            "the driver of {ref} [has|sees|would see|would have] {front}",
            "the driver of {ref} [has|sees|would find] [on|to] [his|its|their] {own}",
            "{its} driver [has|sees|would see] [on|to] his {own}",
        ),
        "inv": (
            "[does|would] the driver of {ref} [have|see|find] {obj} [on|to] [his|its] {own}",
            "[does|would] {its} driver [have|see|find] {obj} [on|to] his {own}",
            "[does|would] the driver of {ref} [have|see|find] {obj} {front}",
            "[does|would] {its} driver [have|see] {obj} {front}",
        ),
    },
    "relate.object.ahead": {
        "be": (
            "{front} for {its} driver",
            "{front} for the driver of {ref}",
            "{front} from the driver's seat of {ref}",
        ),
        "gap": (
            "the driver of {ref} [has|sees|would see|would have] {front} [of him|of it|]",
            "{its} driver [has|sees|would see] {front} [of him|]",
        ),
        "inv": (
            "[does|would] the driver of {ref} [have|see|find] {obj} {front} [of him|of it|]",
            "[does|would] {its} driver [have|see|find] {obj} {front} [of him|]",
        ),
    },
    "relate.has": {
        "be": ("[on|to] {its} {own}",),
        "gap": ("{ref} has [on|to] its {own}", "{ref} [has|is having] {front}"),
        "inv": ("does {ref} have {obj} [on|to] its {own}", "[has|have] {ref} got {obj} on its {own}"),
    },
    "relate.object.side": {"be": ("[on|to] {its} own {own} [side|]",)},
    "same": {
        "be": ("the same {attr} as {ref}", "of the same {attr} as {ref}", "identical in {attr} to {ref}"),
        "vp": (
            "{has} the same {attr} as {ref}",
            "share{s} the {attr} of {ref}",
            "share{s} [its|the] {attr} with {ref}",
        ),
    },
    "same.near": {
        "vp": (
            "match {ref} in {attr}",
            "match the {attr} of {ref}",
            "match {its} {attr}",
            "[has|have] {its} {attr}",
        )
    },
    "same.size": {
        "be": ("as [big|large] as {ref}", "the same size as {ref}"),
        "vp": ("{has} the same size as {ref}",),
    },
    "same.color": {
        "vp": ("match the color of {ref}", "{has} the color of {ref}", "{has} the same color as {ref}")
    },
    "same.material": {
        "be": (
            "made of the same material as {ref}",
            "made of the same stuff as {ref}",
            "made of what {ref} is made of",
        )
    },
    "aligned.same": {
        "be": (f"facing {_SAME_WAY}", f"facing {_SAME_WAY}", "aligned with {ref}"),
        "vp": (f"face{{s}} {_SAME_WAY}", "{has} the same orientation as {ref}"),
    },
    "aligned.opposite": {
        "be": (
            f"facing {_OPPOSITE}",
            "opposite to {ref} in direction",
            "facing the opposite direction from {ref}",
        ),
        "vp": (f"face{{s}} {_OPPOSITE}", "{has} the opposite orientation to {ref}"),
    },
    "aligned.vertical": {
        "be": (f"facing {_ACROSS}", "perpendicular to {ref}", "at [a right angle|right angles] to {ref}"),
        "vp": (f"face{{s}} {_ACROSS}",),
    },
    "aligned.parallel": {
        "be": ("parallel to {ref}", "facing parallel to {ref}"),
        "vp": ("face{s} parallel to {ref}",),
    },
    "occludees": {
        "be": ("[hidden|occluded] by {ref}", "hidden behind {ref}", "occluded by {ref}"),
        "gap": ("{ref} [hides|is hiding|occludes]",),
        "inv": (
            "does {ref} [hide|occlude] {obj}",
            "is {ref} [hiding|occluding] {obj}",
            "[does|would] {ref} be hiding {obj}",
        ),
    },
    "occluder": {
        "be": ("[hiding|occluding] {ref}", "hiding {ref}"),
        "vp": ("[hide{s}|occlude{s}] {ref}",),
        "gap": ("{ref} is hidden [by|behind]",),
        "inv": ("is {ref} [hidden|occluded] [by|behind] {obj}",),
    },
    "collide": {
        "be": ("in the path of {ref} {travel}", "going to be hit by {ref} {travel}", "in its path {cond}"),
        "vp": (
            "[would|will] be hit by {ref} {travel}",
            "[would|will] be collided with by {ref} {travel}",
            "[gets|get] hit by {ref} {travel}",
            "[would be|will be|gets] hit {cond}",
            "[would be|gets] hit {cond}",
            "[would|will] get it {cond}",
        ),
        "gap": ("{ref} [would|will] [hit|collide with] {travel}", "{ref} hits {travel}"),
        "inv": _HITS,
    },
    "collide.onward": {
        "be": ("in the path of {ref}", "going to be hit by {ref}"),
        "vp": ("[will|would] be hit by {ref}",),
        "gap": ("{ref} [will hit|is going to hit|is about to hit]",),
        "inv": (
            "[will|would] {ref} hit {obj}",
            "is {ref} [going|about] to hit {obj}",
            "does {ref} hit {obj}",
        ),
    },
    "collide.named": {
        "be": ("in the path of {ref} {travel}", "going to be hit by {ref} {travel}"),
        "vp": ("[would|will] be hit by {ref} {travel}", "[gets|get] hit by {ref} {travel}"),
        "gap": ("{ref} [would|will] [hit|collide with] {travel}", "{ref} hits {travel}"),
        "inv": _HITS,
    },
}
