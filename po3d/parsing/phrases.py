"""Spells out the synonym tables: every phrase the parser knows -> the tokens that the network reads.

Verbs take their forms, nouns their plurals, and the ways of naming a viewpoint or a movement are combined.
"""

from itertools import product

from po3d.parsing.synonyms import (
    ADJECTIVES,
    FILLERS,
    MISSPELT,
    NOUNS,
    PLAIN,
    WORDINGS,
    WORDS,
    split,
)
from po3d.vocabulary import PARENT

# Shape values that are no nouns of their own; the token is the benchmark's surface name.
_TOKENS = {s: f"{s}_bus" for s in ("articulated", "regular", "double", "school")}
_TOKENS |= {s: f"{s}_bike" for s in ("road", "utility", "mountain", "tandem")}
_NO_NOUNS = ("road", "utility", "mountain", "regular", "school", "double")

_VIEW = split("point of view|points of view|perspective|viewpoint|standpoint|vantage point|point of sight")
_WATCHER = split("camera|viewer|observer|photographer|onlooker|spectator")
_PICTURE = split("picture|image|photo|photograph|scene|frame|shot|render|view")


def _verbs(*verbs: str) -> dict[str, tuple[str, str, str, str]]:
    """verb -> (base, -s, -ing, -ed) by the spelling rules of English."""
    table = {}
    for verb in verbs:
        stem = verb[:-1] if verb.endswith("e") else verb
        third = verb + ("es" if verb.endswith(("sh", "ss", "ch")) else "s")
        table[verb] = (verb, third, stem + "ing", stem + "ed")
    return table


HIDE = _verbs(*split("hide|occlude|cover|block|obscure|obstruct|mask|conceal|screen|shield|veil"))
HIDE["hide"] = ("hide", "hides", "hiding", "hidden")
HIT = _verbs(*split("collide|crash|bump|strike|smash|bang|touch|knock|slam|impact")) | {
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
FACE = _verbs(*split("face|point|head|look|aim|orient|direct|turn|angle|orientate"))


def _sides() -> dict[str, str]:
    table = {}
    for side in ("left", "right"):
        for lead, the, form in product(
            ("", "to ", "on ", "at ", "off to ", "over to ", "towards "),
            ("", "the "),
            (f"{side}", f"{side} side", f"{side} hand side", f"{side} hand", f"{side}hand side"),
        ):
            table[f"{lead}{the}{form} of"] = f"{side}_of"
        for form in (f"{side} hand side", f"{side}hand side", f"{side} hand", f"{side} side"):
            table[form] = side
        for lead, picture in product(("to the", "towards the", "toward the", "the"), _PICTURE):
            table[f"{lead} {side} of the {picture}"] = table[f"{lead} {side} side of the {picture}"] = (
                f"to {side}"
            )
        for form in (f"{side}ward", f"{side}wards", f"{side} ward"):
            table[form] = side
    for table_of, word in (
        (
            split(
                "in front of|at the front of|to the front of|on the front side of|in the front of|"
                "ahead of|up ahead of|in front side of|before"
            ),
            "front_of",
        ),
        (
            split(
                "behind|at the back of|in back of|to the back of|to the rear of|at the rear of|"
                "in the back of|in the rear of|on the back side of|in rear of|beyond|behind of|"
                "to the back side of"
            ),
            "behind",
        ),
    ):
        for phrase in table_of:
            table[phrase] = table[f"right {phrase}"] = word
    table["in front"] = "front"
    return table


def _viewpoints() -> dict[str, str]:
    table = {}
    leads = ("", "as ", "when ", "if ")
    seen = split("seen |viewed |looking |judged |looked at |observed |")
    for lead, verb, who in product(
        leads, seen, split("the camera|the viewer|the observer|the photographer|camera")
    ):
        if lead and not verb:
            continue
        for tail in (
            "",
            *(
                f" 's {v}"
                for v in (*_VIEW, "view", "angle", "side", "position", "eyes", "eye", "location", "place")
            ),
            *(f" {v}" for v in (*_VIEW, "view", "angle", "position")),
        ):
            table[f"{lead}{verb}from {who}{tail}"] = "camera_view"
        table[f"{lead}{verb}by {who}"] = (
            "camera_view" if verb else table.get(f"{lead}{verb}by {who}", "by camera")
        )
    for lead, verb, whose, view in product(
        leads, seen, ("our", "my", "your"), (*_VIEW, "view", "angle", "side", "position", "eyes")
    ):
        if not (lead and not verb):
            table[f"{lead}{verb}from {whose} {view}"] = "camera_view"
    for who, view in product(
        (f"the {w}" for w in _WATCHER), (*_VIEW, "view", "frame", "eyes", "frame of reference")
    ):
        table[f"from the {view} of {who}"] = "camera_view"
        table[f"in {who} 's {view}"] = "camera_view"
        table[f"through {who} 's {view}"] = "camera_view"
    for picture, verb in product(
        _PICTURE,
        split(
            "seen|viewed|shown|it appears|you see it|we see it|it is|depicted|appearing|it is seen|"
            "it looks|visible|pictured"
        ),
    ):
        for the in ("the", "this"):
            table[f"as {verb} in {the} {picture}"] = "camera_view"
    for phrase in split(
        "as we see it|as i see it|as you see it|as seen by us|as seen from here|from here|"
        "from where we stand|from where we are|from where i stand|from where the camera is|"
        "from where the camera stands|as the camera sees it|as the camera sees them|"
        "the way the camera sees it|relative to the camera|with respect to the camera|"
        "in camera coordinates|as seen from our position|in the camera frame|"
        "in the camera 's frame of reference|from the picture 's point of view|"
        "looking at the picture|when looking at the picture|going by the picture|"
        "as it appears to the camera|as seen by me|as seen by you|in image terms|"
        "in the picture 's frame|to us|for us|to the viewer 's eye|from behind the camera|"
        "in view of the camera"
    ):
        table[phrase] = "camera_view"
    table.pop("to us")  # "facing to us"
    for view in (*_VIEW, "frame of reference", "reference frame"):
        table[view] = "view"
        for own in split("its own|its|that vehicle 's own|their own|the vehicle 's own"):
            table[f"from {own} {view}"] = table[f"in {own} {view}"] = "own_view"
        for who in ("driver", "pilot", "rider"):
            table[f"from the {who} 's {view}"] = table[f"from its {who} 's {view}"] = "own_view"
            table[f"from the {view} of its {who}"] = "own_view"
    for who in ("driver", "pilot", "rider"):
        for phrase in (
            f"from the {who} 's seat",
            f"for its {who}",
            f"for the {who}",
            f"as its {who} sees it",
            f"as the {who} sees it",
            f"from the seat of its {who}",
        ):
            table[phrase] = "own_view"
    seats = list(
        split(
            "from the cockpit of|from the cabin of|from the saddle of|from behind the wheel of|"
            "from inside|from the inside of|seen from the cockpit of|from on board|from aboard"
        )
    )
    for who in ("driver", "pilot", "rider"):
        seats += [
            f"from the {who} 's seat of",
            f"from the {who} 's seat in",
            f"from the seat of the {who} of",
            f"for the {who} of",
            f"to the {who} of",
            f"as seen by the {who} of",
            f"seen by the {who} of",
            f"from the {who} 's seat on",
            f"for a {who} of",
            f"for a {who} in",
            f"for the {who} in",
            f"for the {who} on",
        ]
    for person, how in product(
        split("someone|somebody|a person|a passenger|anyone|anybody"),
        split(
            "riding|riding on|driving|in|on|sitting in|sitting on|inside|seated in|seated on|"
            "piloting|flying|steering|who rides|who drives"
        ),
    ):
        seats += [
            f"for {person} {how}",
            f"to {person} {how}",
            f"as seen by {person} {how}",
            f"from the view of {person} {how}",
        ]
    for view, lead in product(_VIEW, ("from the", "taking the", "in the", "adopting the")):
        for who in ("driver", "pilot", "rider"):
            seats.append(f"{lead} {view} of the {who} of")
    table |= dict.fromkeys(seats, "seen_from")
    for phrase in split(
        "as seen from|seen from|viewed from|as viewed from|looking from|when seen from|"
        "as judged from|looking out from"
    ):
        table[phrase] = "seen_from"
    for phrase in split(
        "relative to its own heading|relative to its heading|relative to its own direction|"
        "in its own frame|as it sees it|from where it stands|with respect to its own heading|"
        "going by its own heading"
    ):
        table[phrase] = "own_view"
    for near, word in product(("closer", "nearer"), ("nearer_than",)):
        for who in split("the camera|the viewer|us|the observer|you|me|the photographer|the foreground"):
            table[f"{near} to {who} than"] = table[f"{near} {who} than"] = word
    for far in split("farther|further|farther away|further away|farther off|further back"):
        for who in split("the camera|the viewer|us|the observer|you|me|the photographer"):
            table[f"{far} from {who} than"] = "farther_than"
    return table


def _actions() -> dict[str, str]:
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
            if name not in ("hit", "touch", "struck", "ram", "run into", "drive into"):
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
    ahead = split(
        "forward|forwards|ahead|straight ahead|straight on|straight forward|onward|onwards|"
        "straight|on ahead|further ahead|on|off|on forward|further forward|frontward|frontwards|"
        "in a straight line|nose first"
    )
    back = split(
        "backward|backwards|back|in reverse|rearward|rearwards|straight back|straight backward|"
        "straight backwards|in the reverse direction|tail first"
    )
    starts = split(
        "|start |started |starts |keep |keeps |kept |keep on |kept on |were to |was to |begin |"
        "begins |began |had |is |were |was |should |starts to |started to |decided to |is to |"
        "just "
    )
    for start, verb in product(starts, move):
        for where in ahead:
            table[f"{start}{verb} {where}"] = "go forward"
        for where in back:
            table[f"{start}{verb} {where}"] = "go backward"
    for start in starts:
        for form in split(
            "advance|advances|advanced|advancing|pulled forward|pull forward|pulls forward|"
            "pulling forward|set off|sets off"
        ):
            table[f"{start}{form}"] = "go forward"
        for form in split(
            "reverse|reverses|reversed|reversing|back up|backs up|backed up|backing up|back|backs|"
            "backed|backing|back out|backed out|backs out|go into reverse|went into reverse"
        ):
            if form != "back" or start in ("were to ", "was to ", "should "):
                table[f"{start}{form}"] = "go backward"
    table |= dict.fromkeys(move, "go")
    table |= {"push": "push", "pushes": "push"}
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
    table |= {
        "has its nose": "face",
        "with its nose": "face",
        "has its front": "face",
        "have their noses": "face",
    }
    for side in ("left", "right"):
        table[f"{side} facing"] = f"{side} face"
        for _, _, ing, _ in FACE.values():
            table[f"{ing} {side} of the picture"] = table[f"{ing} {side} of the image"] = f"face {side}"
    return table


def _function_words() -> dict[str, str]:
    table = {variant: word for word, variants in WORDS.items() for variant in variants.split()}
    table |= {variant: words for words, variants in WORDINGS.items() for variant in variants.split("|")}
    table |= MISSPELT
    for the, picture, verb in product(
        ("the", "this", "that"), _PICTURE, split("show|contain|have|include|hold|feature|depict|display")
    ):
        table[f"does {the} {picture} {verb}"] = "is there"
    for target in ("going to", "about to"):
        table[f"is {target}"] = table[f"are {target}"] = "would"
    table |= {
        "going to be": "would be",
        "is going to be": "would be",
        "are going to be": "would be",
        "about to be": "would be",
    }
    return table


def plurals(phrase: str) -> set[str]:
    """The plurals that people write, the benchmark's "buss" among them."""
    if phrase.endswith(("ss", "ch", "sh", "x")):
        return {phrase + "es"}
    if phrase.endswith("s"):
        return {phrase + "s", phrase + "es", phrase + "ses"}
    if phrase.endswith("y") and phrase[-2] not in "aeiou":
        return {phrase[:-1] + "ies"}
    return {phrase + "s"}


def _nouns() -> dict[str, str]:
    table = {}
    for value, variants in NOUNS.items():
        token = _TOKENS.get(value, value)
        singular = set(variants) | (set() if value in _NO_NOUNS else {value})
        if value in PARENT:  # "sedan automobile", "road push bike"
            names = {value} if value in _NO_NOUNS else singular
            singular = singular | {f"{a} {b}" for a in names for b in (PARENT[value], *NOUNS[PARENT[value]])}
        for phrase in singular:
            for form in {phrase} | plurals(phrase):
                table[form] = token
    return table


def build_phrases() -> dict[str, str]:
    """phrase -> tokens (blank-separated; "" drops the phrase)."""
    table = {filler.strip(): "" for filler in FILLERS if filler.strip()}
    table |= {word: word for word in PLAIN}
    table |= _function_words()
    table |= _actions()
    table |= _sides()
    table |= _viewpoints()
    table |= _nouns()
    for value, variants in ADJECTIVES.items():
        table |= dict.fromkeys((value, *variants), value)
    for adjective in (word for value in ("large", "small") for word in (value, *ADJECTIVES[value])):
        table[f"how {adjective}"] = "how big"
        table[f"as {adjective} as"] = "as big as"
    for side in ("left", "right"):
        table[side] = side
    return table


PHRASES: dict[str, str] = build_phrases()
