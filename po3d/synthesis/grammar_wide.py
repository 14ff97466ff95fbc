"""The wide way of speaking: many verbs, voices and clause orders for the programs of the benchmark.

Single words that only replace others (automobile, grey, huge, crash into) are the tokenizer's business
(po3d/parsing/synonyms.py); here is what changes the structure of a sentence.
"""

from po3d.synthesis.grammar import Grammar
from po3d.synthesis.grammar_benchmark import NOUNS
from po3d.vocabulary import COLORS

_NOUNS = NOUNS | {
    "thing": ("thing", "object", "vehicle", "one"),
    "articulated": ("articulated bus", "articulated"),
    "double": ("double bus", "double decker"),
    "road": ("road bike", "road bicycle"),
    "tandem": ("tandem bike", "tandem"),
    "fighter": ("fighter", "fighter jet"),
    "dirtbike": ("dirtbike", "dirt bike"),
}


def _plural(noun: str) -> str:
    return noun + ("es" if noun.endswith("s") else "s")


WORDS = {
    "large": ("large", "big"),
    "small": ("small", "little"),
    "metal": ("metal", "shiny"),
    "rubber": ("rubber", "matte"),
    "attr.color": ("color", "colour"),
    "attr.size": ("size",),
    "attr.material": ("material",),
    "attr.shape": ("shape", "kind", "type"),
    "material.rubber": ("made of rubber",),
    "material.metal": ("made of metal",),
    "early.occluded": ("hidden", "occluded", "partly hidden", "blocked"),
    "early.unoccluded": ("fully visible", "unoccluded"),
    **{color: (color,) for color in COLORS},
}

DIRECTION = {
    "left": ("left of", "to the left of", "on the left side of", "on the left-hand side of"),
    "right": ("right of", "to the right of", "on the right side of", "on the right-hand side of"),
    "front": ("in front of", "ahead of"),
    "behind": ("behind", "at the back of"),
}

FACING = {
    "left": ("left", "to the left", "towards the left"),
    "right": ("right", "to the right", "towards the right"),
    "front": ("to the front", "the camera", "towards the camera", "towards us"),
    "back": ("to the back", "away from the camera", "away from us", "away"),
}

TRAVEL = {
    "forward": (
        "if it [moves|moved|drives|drove|goes|went|rolled|were to move|keeps moving] [forward|ahead]",
        "when it [moves|drives] forward",
        "[when|while|by] [moving|driving|going] forward",
        "moving forward",
        "if it advanced",
        "if it [drives|drove] straight ahead",
    ),
    "backward": (
        "if it [moves|moved|drives|drove|goes|went|rolled|were to move] [backward|backwards|back]",
        "if it [reverses|reversed|backs up|backed up]",
        "when it [reverses|backs up]",
        "[when|while|by] [reversing|backing up|moving backward]",
        "moving backward",
        "if it [moves|drove|went] in reverse",
    ),
}

_VIEW = "[point of view|perspective]"
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
    "[would|will] {ref} [hit|collide with] {obj} {travel}",
    "[would|will] {ref} [hit|collide with] {obj} {travel}",
    "does {ref} [hit|collide with] {obj} {travel}",
    "is {ref} going to hit {obj} {travel}",
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
            "{front} [from the " + _VIEW + " of|as seen from|seen from] {ref}",
            "{front} as seen from {ref} [itself|]",
        )
    },
    "relate.object.near": {
        "be": (
            "{direction} {ref} from its own " + _VIEW,
            "{direction} {ref}, from its " + _VIEW,
            "{direction} {ref} from [the|that] {noun}'s [own|] " + _VIEW,
            "{direction} {ref} as [the {noun}|it] sees it",
            "{direction} {ref} from the driver's " + _VIEW,
            "{direction} {ref} as {its} driver sees it",
        )
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
        "be": (f"facing {_OPPOSITE}", "opposite to {ref} in direction"),
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
        "inv": ("does {ref} [hide|occlude] {obj}", "is {ref} [hiding|occluding] {obj}"),
    },
    "occluder": {
        "be": ("[hiding|occluding] {ref}", "hiding {ref}"),
        "vp": ("[hide{s}|occlude{s}] {ref}",),
        "gap": ("{ref} is hidden [by|behind]",),
        "inv": ("is {ref} [hidden|occluded] [by|behind] {obj}",),
    },
    "collide": {
        "be": ("in the path of {ref} {travel}", "going to be hit by {ref} {travel}"),
        "vp": (
            "[would|will] be hit by {ref} {travel}",
            "[would|will] be collided with by {ref} {travel}",
            "[gets|get] hit by {ref} {travel}",
            "[would be|will be|gets] hit {cond}",
            "[would be|gets] hit {cond}",
        ),
        "gap": ("{ref} [would|will] [hit|collide with] {travel}", "{ref} hits {travel}"),
        "inv": _HITS,
    },
    "collide.named": {
        "be": ("in the path of {ref} {travel}", "going to be hit by {ref} {travel}"),
        "vp": ("[would|will] be hit by {ref} {travel}", "[gets|get] hit by {ref} {travel}"),
        "gap": ("{ref} [would|will] [hit|collide with] {travel}", "{ref} hits {travel}"),
        "inv": _HITS,
    },
}

_COUNT = "[how many|how many|what number of]"
_SEE = "[are there|are there|can you see|do you see|]"

ASK = {
    "count.whole": (
        _COUNT + " {things} " + _SEE,
        "what is the number of {things}",
        "count the {things}",
        "[what|give] the number of {things}",
        "how many {things} there are",
        "number of {things}",
        "there are how many {things}",
    ),
    "count.be": (
        _COUNT + " {things0} are {be}",
        _COUNT + " {things0} are there {be}",
        "how many of the {things0} are {be}",
        "what number of the {things0} are {be}",
        "of the {things0}, how many are {be}",
    ),
    "count.be.bare": ("how many {things0} are {be}", "how many are {be}"),
    "count.vp": (
        _COUNT + " {things0} {vp}",
        "how many of the {things0} {vp}",
        "of the {things0}, how many {vp}",
    ),
    "count.vp.bare": ("how many {things0} {vp}",),
    "count.inv": (_COUNT + " {things0} {inv}", "how many of the {things0} {inv}"),
    "count.inv.bare": ("how many {things0} {inv}",),
    "count.union": (
        _COUNT + " {things0} are [either|] {left} or {right}",
        "how many of the {things0} are {left} or {right}",
    ),
    "count.union.bare": (
        _COUNT + " {left} or {right} are there",
        "how many {left} and {right} are there",
        "how many {left} and {right} are there [in total|altogether]",
        "how many {left} or {right}",
    ),
    "count.pair": (_COUNT + " {topthings} {pair}", "how many of the {topthings} {pair}"),
    "count.stated": ("how many {rests} are {many}", "how many of the {rests} are {many}"),
    "count.stated.bare": (
        "how many [things|of the things|objects|vehicles] are {many}",
        "how many are {many}",
    ),
    "count.stated.bare.vp": ("how many [things|objects|vehicles] {many}",),
    "count.stated.vp": ("how many {rests} {many}", "how many of the {rests} {many}"),
    "exist.whole": (
        "are there any {things}",
        "is there {a}",
        "is there {any}",
        "do you see {any}",
        "can you see {a}",
        "does [the picture|it] [show|contain] {a}",
        "is {a} [visible|there]",
        "are any {things} there",
        "whether there is {a}",
    ),
    "exist.plain": ("are any {things} visible", "any {things}"),
    "exist.be": (
        "is {a0} {be}",
        "are any {things0} {be}",
        "are any of the {things0} {be}",
        "is any of the {things0} {be}",
        "is there {a0} {be}",
    ),
    "exist.be.bare": (
        "is [anything|something] {be}",
        "are any {things0} {be}",
        "is there [anything|something] {be}",
    ),
    "exist.be.the": ("is {the0} {be}", "is {the0} {be}", "is {the0} [also|] {be}", "{the0} is {be}"),
    "exist.vp": ("do any {things0} {vp}", "does {a0} {vp}", "do any of the {things0} {vp}"),
    "exist.vp.bare": ("does [anything|something] {vp}", "do any {things0} {vp}"),
    "exist.vp.the": ("does {the0} {vp}",),
    "exist.inv": ("{inv}",),
    "exist.inv.bare": ("{inv}",),
    "exist.collide": (
        "[would|will] {ref} and {the0} collide {cond}",
        "[would|will] {the0} and {ref} collide {cond}",
        "[would|will] {the0} be hit {cond}",
    ),
    "exist.aligned.same": (
        "[do|] {the0} and {ref} face [the same way|in the same direction|the same direction]",
        "are {the0} and {ref} facing [the same way|the same direction|in the same direction]",
        "do {the0} and {ref} have the same orientation",
        "are {the0} and {ref} aligned",
    ),
    "exist.aligned.opposite": (
        "do {the0} and {ref} face [opposite ways|in opposite directions|opposite directions]",
        "are {the0} and {ref} facing [opposite ways|opposite directions|in opposite directions]",
    ),
    "exist.aligned.vertical": (
        "are {the0} and {ref} [perpendicular|at right angles|perpendicular to each other]",
        "do {the0} and {ref} face in perpendicular directions",
    ),
    "exist.aligned.parallel": ("are {the0} and {ref} parallel [to each other|]",),
    "less_than.contrast": (
        "are there [fewer|less] {one} than [there are|] {two}",
        "do you see fewer {one} than {two}",
        "are fewer {one} than {two}",
    ),
    "greater_than.contrast": (
        "are there more {one} than [there are|] {two}",
        "do you see more {one} than {two}",
        "are more {one} than {two}",
    ),
    "equal_integer.contrast": (
        "are there [the same number of|an equal number of|as many] {one} [and|as] {two}",
        "are there as many {one} as there are {two}",
    ),
    "less_than.collide": (
        "[would|will|does] {one} hit fewer {things} {travel1} than {two} [would|does|] {travel2}",
        "[would|will] {one} collide with fewer {things} {travel1} than {two} {travel2}",
    ),
    "greater_than.collide": (
        "[would|will|does] {one} hit more {things} {travel1} than {two} [would|does|] {travel2}",
        "[would|will] {one} collide with more {things} {travel1} than {two} {travel2}",
    ),
    "equal_integer.collide": (
        "[would|will|does] {one} hit [as many|the same number of] {things} {travel1} "
        "as {two} [would|does|] {travel2}",
    ),
    "query.shape.near": ("what is {thes} [shape|type|kind]", "{thes} [shape|type]"),
    "query.color.near": ("what is {thes} color", "{thes} color"),
    "query.size.near": ("what is {thes} size", "{thes} size"),
    "query.material.near": ("what is {thes} material", "{thes} material"),
    "query.facing.near": (
        "what is {thes} [direction|orientation|facing direction]",
        "[which|what] [way|direction] is {thes} nose pointing",
        "where is {thes} nose pointing",
    ),
    "exist.crash": (
        "[any|is there a|is there any|would there be a|will there be a] [collision|crash] {cond}",
        "would it hit [anything|something] {cond}",
    )[:1],
    "exist.union": (
        "are there any {things0} that are [either|] {left} or {right}",
        "are any {things0} {left} or {right}",
    ),
    "exist.union.bare": ("is there {a_left} or {a_right}", "are there any {left} or {right}"),
    "exist.pair": ("are any {topthings} {pair}",),
    "exist.stated": (
        "is {rest} {one}",
        "is {rest} {one}",
        "are any {rests} {many}",
        "are any of the {rests} {many}",
    ),
    "exist.stated.bare": (
        "is [anything|something|any thing] {one}",
        "are any things {many}",
        "is there [anything|something] {one}",
    ),
    "exist.stated.bare.vp": ("does [anything|something] {one}", "do any things {many}"),
    "exist.stated.vp": ("does {rest} {one}", "do any {rests} {many}", "do any of the {rests} {many}"),
    "equal": (
        "is the {attr} of {one} the same as {two}",
        "is the {attr} of {one} the same as [that|the {attr}] of {two}",
        "does {one} have the same {attr} as {two}",
        "do {one} and {two} have the same {attr}",
        "do {one} and {two} share the same {attr}",
        "are {one} and {two} [of|] the same {attr}",
        "is {one} [of|] the same {attr} as {two}",
        "do {one} and {two} match in {attr}",
        "does the {attr} of {one} match [that|the {attr}] of {two}",
        "is {one} identical in {attr} to {two}",
        "are {one} and {two} identical in {attr}",
    ),
    "equal.size": ("is {one} as [big|large] as {two}", "are {one} and {two} equally [big|large]"),
    "equal.material": (
        "are {one} and {two} made of the same [material|stuff]",
        "is {one} made of the same [material|stuff] as {two}",
    ),
    "equal.it": (
        "does it have the same {attr} as {two}",
        "is it [of|] the same {attr} as {two}",
        "is its {attr} the same as [that of|] {two}",
    ),
    "equal.size.it": ("is it as [big|large] as {two}",),
    "equal_integer": (
        "are there [the same number of|an equal number of|as many] {one} [and|as] {two}",
        "is the number of {one} [the same as|equal to] the number of {two}",
        "are there as many {one} as there are {two}",
        "is the number of {one} and {two} the same",
        "is there an equal number of {one} and {two}",
    ),
    "less_than": (
        "are there [fewer|less] {one} than [there are|] {two}",
        "is the number of {one} [less|smaller] than the number of {two}",
        "do you see fewer {one} than {two}",
        "are {one} less numerous than {two}",
    ),
    "greater_than": (
        "are there more {one} than [there are|] {two}",
        "is the number of {one} [greater|larger] than the number of {two}",
        "do you see more {one} than {two}",
        "do the {one} outnumber the {two}",
        "are {one} more numerous than {two}",
    ),
    "query.shape.whole": (
        "what is {the}",
        "what [shape|kind|type] is {the}",
        "what is the [shape|name|type|kind] of {the}",
        "what kind of [vehicle|thing|object] is {the}",
        "what type of [vehicle|thing|object] is {the}",
        "{the} is what",
        "what {the} is",
        "what kind of vehicle {the} is",
        "[shape|type] of {the}",
    ),
    "query.shape.kind": (
        "what [kind|type] of {noun} is {rest}",
        "what kind of {noun} {rest} is",
        "[which|what] {noun} is {rest}",
    ),
    "query.shape.gap.bare": ("what {gap}",),
    "query.shape.gap": ("[what|which] {thing0} {gap}",),
    "query.shape.be": (
        "[which|what] {thing0} is {be}",
        "what [kind|type] of {thing0} is {be}",
        "which of the {things0} is {be}",
    ),
    "query.shape.be.bare": ("what is {be}", "[which|what] {thing0} is {be}", "what kind of {thing0} is {be}"),
    "query.shape.vp": (
        "[which|what] {thing0} {vp}",
        "what kind of {thing0} {vp}",
        "which of the {things0} {vp}",
    ),
    "query.shape.vp.bare": ("what {vp}", "[which|what] {thing0} {vp}", "what kind of {thing0} {vp}"),
    "query.shape.inv": ("[which|what] {thing0} {inv}", "what kind of {thing0} {inv}"),
    "query.shape.inv.bare": (
        "what {inv}",
        "what {inv}",
        "[which|what] {thing0} {inv}",
        "what kind of {thing0} {inv}",
    ),
    "query.shape.stated": ("[which|what] {rest1} is {one}", "which of the {rests} is {one}"),
    "query.shape.stated.vp": ("[which|what] {rest1} {one}",),
    "query.shape.stated.bare": ("what is {one}", "[which|what] [thing|object|vehicle] is {one}"),
    "query.shape.stated.bare.vp": ("what {one}", "[which|what] [thing|object|vehicle] {one}"),
    "query.color.stated": ("[which|what] color {rest1} is {one}",),
    "query.color.stated.vp": ("what color {rest1} {one}",),
    "query.color.stated.bare": ("what color thing is {one}",),
    "query.color.stated.bare.vp": ("what color thing {one}",),
    "query.shape.pair": ("[which|what] {thing0} {pair1}", "what kind of {thing0} {pair1}"),
    "query.shape.it": (
        "[what shape is it|what kind of vehicle is it|what is it|what type is it|what is its shape]",
    ),
    "query.color.whole": (
        "what [color|colour] is {the}",
        "what color is {the}",
        "what is the color of {the}",
        "in what color is {the}",
        "{the} [is what|has what] color",
        "what color does {the} have",
        "what color [has|have] {the}",
        "what color {the} is",
        "[the|] color of {the}",
        "what color would {the} be",
    ),
    "query.color.be": ("[what|which] color {thing0} is {be}",),
    "query.color.inv": ("what color {thing0} {inv}",),
    "query.color.it": ("[what color is it|what is its color|which color is it|what color does it have]",),
    "query.size.whole": (
        "what size is {the}",
        "what is the size of {the}",
        "how [big|large] is {the}",
        "is {the} [large or small|small or large|big or small]",
        "would {the} be [large or small|small or large]",
        "whether {the} is [large or small|small or large]",
        "what size would {the} be",
        "[what size|how big] {the} is",
        "[the|] size of {the}",
        "{the} is large or small",
        "{the} [is what|has what] size",
    ),
    "query.size.be": ("what size {thing0} is {be}",),
    "query.size.inv": ("what size {thing0} {inv}",),
    "query.size.it": ("[what size is it|how big is it|what is its size|is it large or small]",),
    "query.material.whole": (
        "what material is {the}",
        "what is {the} made of",
        "what material is {the} made of",
        "what is the material of {the}",
        "is {the} [made of|] [metal or rubber|rubber or metal]",
        "{the} is made of what [material|]",
        "what [material|] {the} is made of",
        "[the|] material of {the}",
        "would {the} be [metal or rubber|rubber or metal]",
    ),
    "query.material.it": (
        "[what material is it|what is it made of|what is its material|is it metal or rubber]",
    ),
    "query.facing.whole": (
        "[which|what] direction {the} is facing",
        "[which|what] [way|direction] is {the} facing",
        "[which|what] [way|direction] does {the} face",
        "where is {the} facing",
        "in [which|what] direction is {the} facing",
        "what is the [direction|orientation|facing direction] of {the}",
        "{the} is facing [which|what] [way|direction]",
        "where does {the} face",
        "[facing direction|direction|orientation] of {the}",
        "[which|what] [way|direction] {the} faces",
        "does {the} face [left, right, towards us or away from us|left, right, front or back|left or right]",
        "does {the} face [towards us or away from us]",
        "is {the} facing [left, right, towards us or away from us|left or right|left, right, front or back]",
    ),
    "query.facing.it": (
        "[which way|what direction|which direction] [is it facing|does it face]",
        "where is it facing",
    ),
}

GRAMMAR = Grammar(
    nouns=_NOUNS,
    plural=_plural,
    words=WORDS,
    direction=DIRECTION,
    facing=FACING,
    travel=TRAVEL,
    link=LINK,
    ask=ASK,
    opening={
        "there": ("there is {a}", "[I see|you see] {a}"),
        "if.forward": (
            "if {ref} [moves|moved|drives|drove|went|were to go|rolled|keeps moving] [forward|ahead]",
            "[suppose|imagine] {ref} [moves|drives|drove] forward",
            "when {ref} [moves|drives] forward",
            "if {ref} advances",
            "if I push {ref} forward",
        ),
        "travel.forward": ("[going|moving|driving] forward", "when moving forward", "by driving forward"),
        "travel.backward": ("[going|moving|driving] backward", "[when|while|] reversing", "by backing up"),
        "if.backward": (
            "if {ref} [moves|moved|drives|drove|went] [backward|backwards|back]",
            "if {ref} [reverses|reversed|backs up|backed up|went in reverse]",
            "[suppose|imagine] {ref} [reverses|backs up|moves backward]",
            "when {ref} [reverses|backs up]",
            "if I push {ref} [back|backward]",
        ),
        "view": (
            "from {its} [own|] " + _VIEW,
            "as {its} driver sees it",
            "from the driver's " + _VIEW + " of {ref}",
            "from the " + _VIEW + " of {ref}",
            "[as seen|seen|looking] from {ref}",
        ),
        "camera": CAMERA[:3] + ("from our point of view", "from the camera"),
        "polite": ("can you tell me", "tell me", "please tell me", "I would like to know", "do you know"),
    },
    relative=("that", "that", "which"),
    free=True,
)
