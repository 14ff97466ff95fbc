"""The wide way of speaking: many verbs, voices and clause orders for the programs of the benchmark.

Single words that only replace others (automobile, grey, huge, crash into) are the tokenizer's business
(po3d/language/read/synonyms.py); here is what changes the structure of a sentence. This module has the words and
the first clauses; relations and questions have modules of their own.
"""

from po3d.language.say.street.benchmark_grammar import NOUNS
from po3d.language.say.street.grammar import Grammar
from po3d.language.say.street.wide_counts import COUNTS
from po3d.language.say.street.wide_queries import QUERIES
from po3d.language.say.street.wide_relations import CAMERA, LINK, VIEW
from po3d.scene.vocabulary import COLORS

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
        "if it [moves|drives|goes|moved]",
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

GRAMMAR = Grammar(
    nouns=_NOUNS,
    plural=_plural,
    words=WORDS,
    direction=DIRECTION,
    facing=FACING,
    travel=TRAVEL,
    link=LINK,
    ask=COUNTS | QUERIES,
    opening={
        "there": ("there is {a}", "[I see|you see] {a}"),
        "if.forward": (
            "if {ref} [moves|moved|drives|drove|went|were to go|rolled|keeps moving] [forward|ahead]",
            "[suppose|imagine] {ref} [moves|drives|drove] forward",
            "when {ref} [moves|drives] forward",
            "if {ref} advances",
            "if I push {ref} forward",
        ),
        "travel.forward": (
            "[going|moving|driving] forward",
            "when moving forward",
            "by driving forward",
            "if it [goes|moves|drives] forward",
        ),
        "travel.backward": (
            "[going|moving|driving] backward",
            "[when|while|] reversing",
            "by backing up",
            "if it [goes|moves|drives] backward",
        ),
        "if.backward": (
            "if {ref} [moves|moved|drives|drove|went] [backward|backwards|back]",
            "if {ref} [reverses|reversed|backs up|backed up|went in reverse]",
            "[suppose|imagine] {ref} [reverses|backs up|moves backward]",
            "when {ref} [reverses|backs up]",
            "if I push {ref} [back|backward]",
            "if I [reverse|back up] {ref}",
        ),
        "do.forward": ("[push|move|drive] {ref} forward", "let {ref} drive forward"),
        "do.backward": ("[push|move|drive] {ref} [back|backward]", "[reverse|back up] {ref}"),
        "about.occluder": (
            "{ref} is [hidden|partly hidden|occluded] by {a}",
            "{a} [hides|is hiding|occludes] {ref}",
            "there is {a} hiding {ref}",
        ),
        "about.occludees": ("{ref} [hides|is hiding|occludes] {a}", "{a} is hidden [by|behind] {ref}"),
        "about.collide": ("{ref} would hit {a} {travel}", "{a} would be hit by {ref} {travel}"),
        "view": (
            "from {its} [own|] " + VIEW,
            "as {its} driver sees it",
            "from the driver's " + VIEW + " of {ref}",
            "from the " + VIEW + " of {ref}",
            "[as seen|seen|looking] from {ref}",
        ),
        "camera": CAMERA[:3] + ("from our point of view", "from the camera"),
        "polite": ("can you tell me", "tell me", "please tell me", "I would like to know", "do you know"),
    },
    relative=("that", "that", "which"),
    free=True,
)
