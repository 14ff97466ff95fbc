"""Hiding, hitting, moving and facing, spelled out: verbs in all their forms, and the words of the network for them.

"being obscured by" -> hidden by      "ploughs into" -> hit      "if it kept on rolling" -> if it go forward
"""

import re
from itertools import product

from po3d.language.read.synonyms import split
from po3d.language.read.viewpoints import PEOPLE

_SHORT = re.compile("[^aeiou]+[aeiou][bdgkmnpt]$")  # doubles its last letter: "slamming"


def _verbs(*verbs: str) -> dict[str, tuple[str, str, str, str]]:
    """verb -> (base, -s, -ing, -ed) by the spelling rules of English."""
    table = {}
    for verb in verbs:
        stem = verb[:-1] if verb.endswith("e") else verb + verb[-1] if _SHORT.match(verb) else verb
        third = verb + ("es" if verb.endswith(("sh", "ss", "ch")) else "s")
        table[verb] = (verb, third, stem + "ing", stem + "ed")
        if verb.endswith("y"):
            table[verb] = (verb, verb[:-1] + "ies", verb + "ing", verb[:-1] + "ied")
    return table


HIDE = _verbs(*split("hide|occlude|cover|block|obscure|obstruct|mask|conceal|screen|shield|veil"))
HIDE["hide"] = ("hide", "hides", "hiding", "hidden")
HIT = _verbs(
    *split(
        "collide|crash|bump|strike|smash|bang|touch|knock|slam|impact|ding|clobber|flatten|dent|crush|wallop|thump|whack|"
        "smack|bash|clip|nudge|graze|scrape|bonk|clash|crunch|prang|meet|encounter|reach|contact|damage|demolish|wreck|"
        "squash|dash|squish|shunt|clout|bust|destroy|hurt|harm|plow|plough|barge|careen|cannon|jolt|brush|butt|clatter|menace"
    )
) | {
    "met": ("met",) * 4,
    "bumps": ("bump", "bumps", "bumping", "bumped"),
    "hit": ("hit", "hits", "hitting", "hit"),
    "ram": ("ram", "rams", "ramming", "rammed"),
    "run into": ("run into", "runs into", "running into", "ran into"),
    "drive into": ("drive into", "drives into", "driving into", "driven into"),
    "struck": ("struck",) * 4,
}
MOVE = _verbs(*split("move|drive|push|roll|travel|taxi|continue|proceed|pedal|steer|cruise")) | {
    "drive": ("drive", "drives", "driving", "driven"),
    "go": ("go", "goes", "going", "gone"),
    "ride": ("ride", "rides", "riding", "ridden"),
}
PAST = ("drove", "went", "rode")
# Said of driving, too, but with fewer of the words that go before it.
DRIFT = _verbs(
    *split(
        "lurch|coast|glide|inch|speed|accelerate|surge|race|rush|march|sail|trundle|dart|jerk|leap|jump|edge|carry|head|"
        "zoom|charge|plod|rocket|shift"
    )
) | {
    "run": ("run", "runs", "running", "ran"),
    "slide": ("slide", "slides", "sliding", "slid"),
    "creep": ("creep", "creeps", "creeping", "crept"),
    "shoot": ("shoot", "shoots", "shooting", "shot forward"),
    "fly": ("fly", "flies", "flying", "flew"),
    "keep": ("keep", "keeps", "keeping", "kept"),
    "come": ("come", "comes", "coming", "came"),
}
_DRIFT_STARTS = ("", "were to ", "was to ", "is ", "was ", "should ", "starts to ", "had ")
FACE = _verbs(*split("face|point|head|look|aim|orient|direct|turn|angle|orientate|gaze|stare"))


def actions() -> dict[str, str]:
    table = {}
    for base, third, ing, past in HIDE.values():
        table |= {base: "hide", third: "hide", ing: "hiding", past: "hidden"}
        for view in split(
            "the view of|our view of|the camera 's view of|our sight of|the view to|"
            "the line of sight to|the sight of|part of|parts of|some of|a part of|half of|"
            "a portion of|the camera 's view to"
        ):
            table |= {f"{base} {view}": "hide", f"{third} {view}": "hide", f"{ing} {view}": "hiding"}
        for how in split("partly|partially|half|somewhat|in part|partially or fully|at least partly"):
            table |= {
                f"{how} {past}": "hidden",
                f"{how} {ing}": "hiding",
                f"{how} {third}": "hide",
                f"{how} {base}": "hide",
            }
        for from_ in split(
            "from view|from sight|from the camera|from us|from the viewer|from our view|"
            "from the camera 's view"
        ):
            table[f"{past} {from_}"] = "hidden"
            table[f"{base} {from_}"] = table[f"{third} {from_}"] = "hide"
            table[f"{ing} {from_}"] = "hiding"
            table[f"partly {past} {from_}"] = table[f"partially {past} {from_}"] = "hidden"
        for no in ("not", "un", "not at all", "never", "nowhere", "in no way"):
            for tail in split(
                "| from view| by anything| at all| by any object| by anything else| by something"
            ):
                table[f"{no} {past}{tail}"] = "unhidden"
        for it in ("it", "them", "the view", "our view", "the view of it"):
            for other in ("", "else "):
                table[f"with nothing {other}{ing} {it}"] = "unhidden"
                table[f"with something {other}{ing} {it}"] = "hidden"
        table[f"un{past}"] = "unhidden"
        table[f"{ing} behind"] = "hidden behind"
        table[f"{past} up"] = "hidden"
        table[f"partly {ing} behind"] = table[f"partially {ing} behind"] = "hidden behind"
    table |= {"not hidden": "unhidden"}
    for phrase in split(
        "peeking out from behind|peeking from behind|tucked behind|tucked away behind|"
        "partly behind|partially behind|disappearing behind|sticking out from behind"
    ):
        table[phrase] = "hidden behind"
    for how, see in product(
        ("fully", "completely", "entirely", "totally", "wholly", "perfectly"),
        split("visible|seen|in view|unobstructed|exposed|unhidden|in sight"),
    ):
        table[f"{how} {see}"] = "unhidden"
    for how, past in product(
        ("fully", "completely", "entirely", "totally"),
        ("not hidden", "not occluded", "unoccluded", "unblocked"),
    ):
        table[f"{how} {past}"] = "unhidden"
    table |= dict.fromkeys(
        split("in full view|in plain sight|in plain view|unimpeded|clearly visible in full"), "unhidden"
    )
    table |= dict.fromkeys(
        split(
            "not fully visible|not completely visible|not entirely visible|only partly visible|"
            "only partially visible|partly visible|partially visible|partly out of sight|"
            "out of sight|not fully in view"
        ),
        "hidden",
    )
    for name, forms in HIT.items():
        for form in forms:
            table[form] = "hit"
            if name not in ("hit", "touch", "struck", "ram", "run into", "drive into", "met"):
                for into in ("into", "with", "against", "onto", "in to"):
                    table[f"{form} {into}"] = "hit"
            table[f"{form} by"] = "hit by"
            table[f"{form} with by"] = table[f"{form} into by"] = "hit by"
    for phrase in split(
        "have a collision with|be in a collision with|has a collision with|"
        "come into contact with|make contact with|have an accident with|end up hitting|"
        "cause a collision with|get into a collision with"
    ):
        table[phrase] = "hit"
    move = {form for forms in MOVE.values() for form in forms} | set(PAST)
    drift = {form for forms in DRIFT.values() for form in forms}
    ahead = split(
        "forward|forwards|ahead|straight ahead|straight on|straight forward|onward|onwards|"
        "straight|on ahead|further ahead|on|off|on forward|further forward|frontward|frontwards|front|"
        "in a straight line|nose first|on going|on driving|straight on ahead|on its way|to the front|dead ahead"
    )
    back = split(
        "backward|backwards|back|in reverse|rearward|rearwards|straight back|straight backward|"
        "straight backwards|in the reverse direction|tail first|in reverse gear|into reverse|out backwards|to the back"
    )
    starts = split(
        "|start |started |starts |keep |keeps |kept |keep on |kept on |were to |was to |begin |"
        "begins |began |had |is |were |was |should |starts to |started to |decided to |is to |"
        "just "
    )
    for start, verb in (*product(starts, move), *product(_DRIFT_STARTS, drift)):
        for where in ahead:
            table[f"{start}{verb} {where}"] = "go forward"
        for where in back:
            table[f"{start}{verb} {where}"] = "go backward"
    for start in starts:
        for form in split(
            "advance|advances|advanced|advancing|pulled forward|pull forward|pulls forward|"
            "pulling forward|set off|sets off|setting off|take off|takes off|pull away|pulls away|pulled away"
        ):
            table[f"{start}{form}"] = "go forward"
        for form in split(
            "reverse|reverses|reversed|reversing|back up|backs up|backed up|backing up|back|backs|"
            "backed|backing|back out|backed out|backs out|go into reverse|went into reverse"
        ):
            if form != "back" or start in ("were to ", "was to ", "should "):
                table[f"{start}{form}"] = "go backward"
    table |= dict.fromkeys(move | (drift - {"shot forward", "come", "comes", "coming", "came"}), "go")
    table |= {"push": "push", "pushes": "push"}
    shoves = split(
        "push|pushes|pushed|move|moves|moved|drive|drives|drove|roll|rolls|rolled|shove|shoves|shoved|ride|rides|rode|"
        "send|sends|sent|pull|pulls|pulled|steer|steers|throw|throws|slide|slides|slid|let|lets|put|puts|"
        "am driving|is driving|are driving|am pushing|is pushing|are pushing|am moving|is moving|were driving"
    )
    backs = split("reverse|reverses|reversed|back|backs|backed|am reversing|are reversing|is reversing|am backing|"
                  "is backing|are backing|back up|backs up|backed up|back out|backs out|backed out|reverse out")  # fmt: skip
    table |= {f"{who} {shove}": "push" for who, shove in product(PEOPLE, shoves)}
    table |= {f"{who} {way}": "push back" for who, way in product(PEOPLE, backs)}
    for start in split(
        "keep going|keeps going|kept going|keep driving|keeps driving|kept driving|keep moving|"
        "keeps moving|kept moving|started driving|starts driving|started moving|starts moving|"
        "start moving|start driving|drove off|drives off|kept rolling|keeps rolling"
    ):
        table[start] = "go forward"
    for by in ("by", "while", "when", "on", "upon", "after", "in"):
        for form in ("reversing", "backing up"):
            table[f"{by} {form}"] = "if go backward"
        for form in [forms[2] for forms in MOVE.values()]:
            for where in ahead:
                table[f"{by} {form} {where}"] = "if go forward"
            for where in back:
                table[f"{by} {form} {where}"] = "if go backward"
        table[f"{by} advancing"] = "if go forward"
    for base, third, ing, past in FACE.values():
        table |= dict.fromkeys((base, third, ing, past), "face")
        table |= {f"{form} at": "face to" for form in (base, third, ing, past)}
        for noun in split("nose|front|front end|front wheel|front wheels|head|cockpit"):
            for own in split("its|their|the|with its|has its|have their|having its"):
                table |= {
                    f"{own} {noun} {form}": "face"
                    for form in (third, ing, past, f"is {ing}", f"is {past}", base)
                }
    for part, has in product(
        split(
            "nose|noses|front|fronts|face|faces|head|heads|bonnet|bonnets|front wheel|handlebars|front end|muzzle"
        ),
        split("has its|have their|have its|with its|with their|having its|has the|have the|with the"),
    ):
        table[f"{has} {part}"] = "face"
        for base, third, ing, _ in FACE.values():
            for form in (base, third, ing, f"is {ing}", f"are {ing}"):
                table[f"whose {part} {form}"] = "that face"
        table[f"whose {part} is"] = table[f"whose {part} are"] = "that face"
    for side in ("left", "right"):
        for _, _, ing, _ in FACE.values():
            table[f"{side} {ing}"] = f"{side} face"
            table[f"{ing} {side} of the picture"] = table[f"{ing} {side} of the image"] = f"face {side}"
    return table
