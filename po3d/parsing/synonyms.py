"""The committed table of wordings: every phrase the parser knows, by the word or words that stand for it.

`PHRASES` maps what people write to what the network reads. Lower case, no punctuation, hyphens are blanks, "'s" is a
word of its own. The longest phrase wins. Words of the benchmark that need no change are in `PLAIN`. Traps kept apart
on purpose: "chopper" is a motorbike here and "helicopter" is not in this world, so it stays unknown; "bike" is a
bicycle; "hidden behind" hides, "behind" alone does not; "bigger" compares, which no program can, so it stays unknown.
"""

from itertools import product

_BENCHMARK_SURFACE = {
    "articulated": "articulated bus",
    "regular": "regular bus",
    "double": "double bus",
    "school": "school bus",
    "road": "road bike",
    "utility": "utility bike",
    "mountain": "mountain bike",
    "tandem": "tandem bike",
}

# shape value -> what people call it. Plurals are added to every phrase.
NOUNS: dict[str, tuple[str, ...]] = {
    "thing": ("object", "item", "vehicle", "one", "entity"),
    "car": ("automobile", "auto", "motorcar", "motor car", "passenger car"),
    "suv": ("sport utility vehicle", "sports utility vehicle", "off roader", "four by four", "4x4", "jeep", "suv car"),
    "wagon": ("station wagon", "estate car", "estate", "wagon car"),
    "minivan": ("mini van", "van", "people carrier", "mpv", "people mover", "minivan car"),
    "sedan": ("saloon", "saloon car", "sedan car"),
    "truck": ("pickup", "pickup truck", "pick up truck", "pick up", "lorry"),
    "bus": ("coach", "omnibus", "autobus"),
    "articulated": ("articulated bus", "bendy bus", "accordion bus", "articulated coach", "bendybus"),
    "regular": ("regular bus", "normal bus", "ordinary bus", "standard bus", "single decker", "single decker bus", "city bus"),
    "double": ("double bus", "double decker", "double decker bus", "doubledecker", "two story bus", "double deck bus"),
    "school": ("school bus", "schoolbus", "school coach"),
    "motorbike": ("motorcycle", "motor bike", "motor cycle"),
    "chopper": ("chopper bike", "chopper motorbike", "chopper motorcycle"),
    "dirtbike": ("dirt bike", "motocross bike", "enduro", "off road motorbike", "off road motorcycle", "dirt motorcycle"),
    "scooter": ("motor scooter", "moped", "vespa"),
    "cruiser": ("cruiser bike", "cruiser motorbike", "cruiser motorcycle"),
    "aeroplane": ("airplane", "plane", "aircraft", "flying machine"),
    "jet": ("jet plane", "jet airplane", "jet aeroplane", "private jet", "business jet"),
    "fighter": ("fighter jet", "jet fighter", "fighter plane", "warplane", "fighter aircraft", "combat aircraft", "fighter aeroplane"),
    "biplane": ("double winged plane", "bi plane", "two winged plane"),
    "airliner": ("passenger plane", "jetliner", "airline plane", "passenger jet", "commercial plane", "air liner", "passenger aircraft"),
    "bicycle": ("bike", "push bike", "pushbike", "cycle", "pedal bike", "push bicycle"),
    "road": ("road bike", "road bicycle", "racing bike", "racing bicycle", "race bike", "roadbike"),
    "utility": ("utility bike", "utility bicycle", "city bike", "commuter bike", "utilitarian bike", "cargo bike"),
    "mountain": ("mountain bike", "mountain bicycle", "mtb", "mountainbike"),
    "tandem": ("tandem bike", "tandem bicycle", "two seater bike", "bicycle built for two"),
}  # fmt: skip

# value -> adjectives
ADJECTIVES: dict[str, tuple[str, ...]] = {
    "large": ("big", "huge", "giant", "enormous", "massive", "gigantic", "bulky", "oversized", "hulking", "sizable", "large sized", "big sized"),
    "small": ("tiny", "little", "miniature", "mini", "compact", "petite", "wee", "minuscule", "undersized", "small sized"),
    "metal": ("metallic", "shiny", "glossy", "polished", "chrome", "steel", "gleaming", "reflective"),
    "rubber": ("matte", "rubbery", "matt", "dull", "rubberized", "rubberised"),
    "gray": ("grey", "greyish", "grayish", "ash colored"),
    "red": ("crimson", "scarlet", "reddish"),
    "blue": ("navy", "navy blue", "bluish", "dark blue", "royal blue"),
    "green": ("emerald", "dark green", "greenish"),
    "brown": ("tan", "chestnut", "brownish", "chocolate brown"),
    "purple": ("violet", "lilac", "purplish"),
    "cyan": ("turquoise", "aqua", "teal", "light blue", "sky blue"),
    "yellow": ("yellowish", "lemon yellow", "golden yellow"),
}  # fmt: skip

_VIEW = ("point of view", "points of view", "perspective", "viewpoint", "standpoint", "vantage point", "point of sight")
_WATCHER = ("camera", "viewer", "observer", "photographer", "onlooker", "spectator")
_PICTURE = ("picture", "image", "photo", "photograph", "scene", "frame", "shot", "render", "view")


def _verbs(*verbs: str) -> dict[str, tuple[str, str, str, str]]:
    """verb -> (base, -s, -ing, -ed) by the spelling rules of English."""
    table = {}
    for verb in verbs:
        stem = verb[:-1] if verb.endswith("e") else verb
        third = verb + ("es" if verb.endswith(("sh", "ss", "ch")) else "s")
        table[verb] = (verb, third, stem + "ing", stem + "ed")
    return table


HIDE = _verbs("hide", "occlude", "cover", "block", "obscure", "obstruct", "mask", "conceal", "screen", "shield", "veil")
HIDE["hide"] = ("hide", "hides", "hiding", "hidden")
HIT = _verbs("collide", "crash", "bump", "strike", "smash", "bang", "touch", "knock", "slam", "impact") | {
    "hit": ("hit", "hits", "hitting", "hit"),
    "ram": ("ram", "rams", "ramming", "rammed"),
    "run into": ("run into", "runs into", "running into", "ran into"),
    "drive into": ("drive into", "drives into", "driving into", "driven into"),
    "struck": ("struck",) * 4,
}
MOVE = _verbs("move", "drive", "roll", "travel", "taxi", "continue", "proceed", "pedal", "steer", "cruise") | {
    "drive": ("drive", "drives", "driving", "driven"),
    "go": ("go", "goes", "going", "gone"),
    "ride": ("ride", "rides", "riding", "ridden"),
}
PAST = ("drove", "went", "rode")
FACE = _verbs("face", "point", "head", "look", "aim", "orient", "direct", "turn", "angle", "orientate")


def _sides() -> dict[str, str]:
    table = {}
    for side in ("left", "right"):
        for lead, the, form in product(("", "to ", "on ", "at ", "off to ", "over to ", "towards "), ("", "the "), (
            f"{side}", f"{side} side", f"{side} hand side", f"{side} hand", f"{side}hand side")):  # fmt: skip
            table[f"{lead}{the}{form} of"] = f"{side}_of"
        for form in (f"{side} hand side", f"{side}hand side", f"{side} hand", f"{side} side"):
            table[form] = side
        for lead, picture in product(("to the", "towards the", "toward the", "the"), _PICTURE):
            table[f"{lead} {side} of the {picture}"] = table[f"{lead} {side} side of the {picture}"] = f"to {side}"
        for form in (f"{side}ward", f"{side}wards", f"{side} ward"):
            table[form] = side
    for table_of, word in ((("in front of", "at the front of", "to the front of", "on the front side of", "in the front of", "ahead of", "up ahead of", "in front side of", "before"), "front_of"),
                           (("behind", "at the back of", "in back of", "to the back of", "to the rear of", "at the rear of", "in the back of", "in the rear of", "on the back side of", "in rear of", "beyond", "behind of", "to the back side of"), "behind")):  # fmt: skip
        for phrase in table_of:
            table[phrase] = table[f"right {phrase}"] = word
    table["in front"] = "front"
    return table


def _viewpoints() -> dict[str, str]:
    table = {}
    leads = ("", "as ", "when ", "if ")
    seen = ("seen ", "viewed ", "looking ", "judged ", "looked at ", "observed ", "")
    for lead, verb, who in product(leads, seen, ("the camera", "the viewer", "the observer", "the photographer", "camera")):
        if lead and not verb:
            continue
        for tail in ("", *(f" 's {v}" for v in (*_VIEW, "view", "angle", "side", "position", "eyes", "eye", "location", "place")), *(f" {v}" for v in (*_VIEW, "view", "angle", "position"))):  # fmt: skip
            table[f"{lead}{verb}from {who}{tail}"] = "camera_view"
        table[f"{lead}{verb}by {who}"] = "camera_view" if verb else table.get(f"{lead}{verb}by {who}", "by camera")
    for lead, verb, whose, view in product(leads, seen, ("our", "my", "your"), (*_VIEW, "view", "angle", "side", "position", "eyes")):
        if not (lead and not verb):
            table[f"{lead}{verb}from {whose} {view}"] = "camera_view"
    for who, view in product((f"the {w}" for w in _WATCHER), (*_VIEW, "view", "frame", "eyes", "frame of reference")):
        table[f"from the {view} of {who}"] = "camera_view"
        table[f"in {who} 's {view}"] = "camera_view"
        table[f"through {who} 's {view}"] = "camera_view"
    for picture, verb in product(_PICTURE, ("seen", "viewed", "shown", "it appears", "you see it", "we see it", "it is", "depicted", "appearing", "it is seen", "it looks", "visible", "pictured")):  # fmt: skip
        for the in ("the", "this"):
            table[f"as {verb} in {the} {picture}"] = "camera_view"
    for phrase in ("as we see it", "as i see it", "as you see it", "as seen by us", "as seen from here", "from here", "from where we stand",
                   "from where we are", "from where i stand", "from where the camera is", "from where the camera stands", "as the camera sees it", "as the camera sees them",
                   "the way the camera sees it", "relative to the camera", "with respect to the camera", "in camera coordinates", "as seen from our position",
                   "in the camera frame", "in the camera 's frame of reference", "from the picture 's point of view", "looking at the picture", "when looking at the picture",
                   "going by the picture", "as it appears to the camera", "as seen by me", "as seen by you", "in image terms", "in the picture 's frame",
                   "to us", "for us", "to the viewer 's eye", "from behind the camera", "in view of the camera"):  # fmt: skip
        table[phrase] = "camera_view"
    table.pop("to us")  # "facing to us"
    for view in (*_VIEW, "frame of reference", "reference frame"):
        table[view] = "view"
        for own in ("its own", "its", "that vehicle 's own", "their own", "the vehicle 's own"):
            table[f"from {own} {view}"] = table[f"in {own} {view}"] = "own_view"
        for who in ("driver", "pilot", "rider"):
            table[f"from the {who} 's {view}"] = table[f"from its {who} 's {view}"] = "own_view"
            table[f"{who} 's {view}"] = "view"
            table[f"from the {view} of its {who}"] = "own_view"
    for who in ("driver", "pilot", "rider"):
        for phrase in (f"from the {who} 's seat", f"for its {who}", f"for the {who}", f"as its {who} sees it", f"as the {who} sees it", f"from the seat of its {who}"):  # fmt: skip
            table[phrase] = "own_view"
    for phrase in ("as seen from", "seen from", "viewed from", "as viewed from", "looking from", "when seen from", "as judged from", "looking out from"):
        table[phrase] = "seen_from"
    for phrase in ("relative to its own heading", "relative to its heading", "relative to its own direction", "in its own frame", "as it sees it", "from where it stands", "with respect to its own heading", "going by its own heading"):  # fmt: skip
        table[phrase] = "own_view"
    for near, word in product(("closer", "nearer"), ("nearer_than",)):
        for who in ("the camera", "the viewer", "us", "the observer", "you", "me", "the photographer", "the foreground"):
            table[f"{near} to {who} than"] = table[f"{near} {who} than"] = word
    for far in ("farther", "further", "farther away", "further away", "farther off", "further back"):
        for who in ("the camera", "the viewer", "us", "the observer", "you", "me", "the photographer"):
            table[f"{far} from {who} than"] = "farther_than"
    return table


def _actions() -> dict[str, str]:
    table = {}
    for base, third, ing, past in HIDE.values():
        table |= {base: "hide", third: "hide", ing: "hiding", past: "hidden"}
        for view in ("the view of", "our view of", "the camera 's view of", "our sight of", "the view to", "the line of sight to", "the sight of", "the camera 's view to"):
            table |= {f"{base} {view}": "hide", f"{third} {view}": "hide", f"{ing} {view}": "hiding"}
        for how in ("partly", "partially", "half", "somewhat", "in part", "partially or fully", "at least partly"):
            table |= {f"{how} {past}": "hidden", f"{how} {ing}": "hiding", f"{how} {third}": "hide", f"{how} {base}": "hide"}
        for from_ in ("from view", "from sight", "from the camera", "from us", "from the viewer", "from our view", "from the camera 's view"):
            table[f"{past} {from_}"] = "hidden"
            table[f"partly {past} {from_}"] = table[f"partially {past} {from_}"] = "hidden"
        for no in ("not", "un", "not at all", "never", "nowhere", "in no way"):
            for tail in ("", " from view", " by anything", " at all", " by any object", " by anything else", " by something"):
                table[f"{no} {past}{tail}"] = "unhidden"
        table[f"un{past}"] = "unhidden"
        table[f"{ing} behind"] = "hidden behind"
        table[f"{past} up"] = "hidden"
        table[f"partly {ing} behind"] = table[f"partially {ing} behind"] = "hidden behind"
    table |= {"not hidden": "unhidden"}
    for phrase in ("peeking out from behind", "peeking from behind", "tucked behind", "tucked away behind", "partly behind", "partially behind", "disappearing behind", "sticking out from behind"):
        table[phrase] = "hidden behind"
    for how, see in product(("fully", "completely", "entirely", "totally", "wholly", "perfectly"), ("visible", "seen", "in view", "unobstructed", "exposed", "unhidden", "in sight")):
        table[f"{how} {see}"] = "unhidden"
    for how, past in product(("fully", "completely", "entirely", "totally"), ("not hidden", "not occluded", "unoccluded", "unblocked")):
        table[f"{how} {past}"] = "unhidden"
    table |= {p: "unhidden" for p in ("in full view", "in plain sight", "in plain view", "unimpeded", "clearly visible in full")}
    table |= {p: "hidden" for p in ("not fully visible", "not completely visible", "not entirely visible", "only partly visible", "only partially visible", "partly visible", "partially visible", "partly out of sight", "out of sight", "not fully in view")}
    for name, forms in HIT.items():
        for form in forms:
            table[form] = "hit"
            if name not in ("hit", "touch", "struck", "ram", "run into", "drive into"):
                for into in ("into", "with", "against", "onto", "in to"):
                    table[f"{form} {into}"] = "hit"
            table[f"{form} by"] = "hit by"
            table[f"{form} with by"] = table[f"{form} into by"] = "hit by"
    for phrase in ("have a collision with", "be in a collision with", "has a collision with", "come into contact with", "make contact with", "have an accident with", "end up hitting", "cause a collision with", "get into a collision with"):
        table[phrase] = "hit"
    move = {form for forms in MOVE.values() for form in forms} | set(PAST)
    ahead = ("forward", "forwards", "ahead", "straight ahead", "straight on", "straight forward", "onward", "onwards", "straight", "on ahead", "further ahead", "on", "off", "on forward", "further forward", "frontward", "frontwards", "in a straight line", "nose first")
    back = ("backward", "backwards", "back", "in reverse", "rearward", "rearwards", "straight back", "straight backward", "straight backwards", "in the reverse direction", "tail first")
    starts = ("", "start ", "started ", "starts ", "keep ", "keeps ", "kept ", "keep on ", "kept on ", "were to ", "was to ", "begin ", "begins ", "began ", "had ", "is ", "were ", "was ", "should ", "starts to ", "started to ", "decided to ", "is to ", "just ")
    for start, verb in product(starts, move):
        for where in ahead:
            table[f"{start}{verb} {where}"] = "go forward"
        for where in back:
            table[f"{start}{verb} {where}"] = "go backward"
    for start in starts:
        for form in ("advance", "advances", "advanced", "advancing", "pulled forward", "pull forward", "pulls forward", "pulling forward", "set off", "sets off"):
            table[f"{start}{form}"] = "go forward"
        for form in ("reverse", "reverses", "reversed", "reversing", "back up", "backs up", "backed up", "backing up", "back", "backs", "backed", "backing", "back out", "backed out", "backs out", "go into reverse", "went into reverse"):
            if form != "back" or start in ("were to ", "was to ", "should "):
                table[f"{start}{form}"] = "go backward"
    table |= {form: "go" for form in move}
    for start in ("keep going", "keeps going", "kept going", "keep driving", "keeps driving", "kept driving", "keep moving", "keeps moving", "kept moving", "started driving", "starts driving", "started moving", "starts moving", "start moving", "start driving", "drove off", "drives off", "kept rolling", "keeps rolling"):
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
        table |= {form: "face" for form in (base, third, ing, past)}
        table |= {f"{form} at": "face to" for form in (base, third, ing, past)}
        for noun in ("nose", "front", "front end"):
            for own in ("its", "their", "the", "with its", "has its", "have their", "having its"):
                table |= {f"{own} {noun} {form}": "face" for form in (third, ing, past, f"is {ing}", f"is {past}", base)}
    table |= {"has its nose": "face", "with its nose": "face", "has its front": "face", "have their noses": "face"}
    for side in ("left", "right"):
        table[f"{side} facing"] = f"{side} face"
        for base, third, ing, past in FACE.values():
            table[f"{ing} {side} of the picture"] = table[f"{ing} {side} of the image"] = f"face {side}"
    return table


def _function_words() -> dict[str, str]:
    table = {}
    groups = {
        "is": "is are was were 's been 'm",
        "do": "do does did",
        "have": "have has had having",
        "a": "a an any some",
        "other": "another other others else further additional different",
        "if": "if when once while suppose supposing imagine imagining assuming assume provided whenever",
        "would": "would will could might may shall 'd 'll can",
        "be": "be being get gets got getting",
        "color": "color colour colors colours colored coloured hue shade tint paint colouring coloring",
        "size": "size sizes sized dimensions scale",
        "material": "material materials stuff substance",
        "shape": "shape shapes shaped kind kinds type types sort sorts model models category categories class form name make style",
        "direction": "direction directions way orientation orientations bearing ways",
        "camera": "camera viewer observer photographer us me lens onlooker spectator you",
        "to": "to toward towards into at",
        "same": "same identical alike equal matching",
        "share": "share shares sharing",
        "see": "see sees",
        "match": "match matches matched",
        "less": "fewer less smaller lower",
        "more": "more greater higher larger",
        "outnumber": "outnumber outnumbers exceed exceeds",
        "many": "many much",
        "perpendicular": "perpendicular vertical orthogonal crosswise crossways sideways",
        "parallel": "parallel",
        "opposite": "opposite opposing reverse contrary opposed",
        "aligned": "aligned lined",
        "forward": "forward forwards ahead onward",
        "backward": "backward backwards rearward",
        "front": "front",
        "back": "back rear backside",
        "made": "made built constructed composed consisting",
        "that": "that who whichever",
        "which": "which",
        "it": "it",
        "and": "and plus",
        "or": "or",
        "equally": "equally",
    }
    for word, variants in groups.items():
        table |= {v: word for v in variants.split()}
    phrases = {
        "the same": "exactly the same|the very same|an identical|an equal|one and the same",
        "a thing": "anything|something|any thing|a thing|some thing",
        "a other thing": "anything else|something else|any other thing|another thing|another one",
        "thing": "everything|everything that is|stuff that is|all things|all objects|all the things|all the objects|all vehicles|all the vehicles|all",
        "how_many": "how many|what number of|what is the number of|what is the total number of|what is the count of|what is the amount of|"
        "the total number of|how much|count|count the|count up|count up the|give the number of|what the number of|the number of|number of|amount of|quantity of|total number of|what quantity of|what amount of|count of|the count of|"
        "give me the number of|state the number of|how large is the number of|what 's the number of|what is the total count of|what total number of|give the count of|the total count of",
        "is there": "are there|is there|can you see|do you see|can we see|do we see|can i see|do you spot|can you spot|can you find|can you make out|do you notice|can be seen|can be found|may be seen|are visible|is visible|is seen|are seen|exist|exists|"
        "does the picture show|does the picture contain|does the image show|does the image contain|does the scene contain|does the scene show|does it show|does it contain|does the scene have|does the picture have|does the image have|does the photo show|does this picture show|does this image show|does this scene contain|does the scene include|does the picture include|does the image include",
        "there is": "there is|there are|i see|you see|we see|i can see|you can see|we can see|there exists|i spot|there stands|there sits|i have|we have|there lies",
        "made of": "made of|made out of|made from|built of|built from|built out of|consist of|consists of|consisting of|composed of|constructed of|constructed from|formed of|fashioned from|crafted from",
        "right_angle": "a right angle|right angles|90 degrees|ninety degrees|a 90 degree angle|a ninety degree angle",
        "how big": "how big|how large|how small|how huge|how sized|how tall",
        "as big as": "as big as|as large as|as small as|as huge as|just as big as|just as large as",
        "the same number of": "the same number of|an equal number of|an identical number of|equal numbers of|the same amount of|an equal amount of|just as many|as many|the same count of|equally many|exactly as many",
        "away": "away from the camera|away from us|away from the viewer|away from me|away from you|away|away from the observer|away from the photographer|off into the distance|into the distance|into the background|towards the background|away from the lens|to the background",
        "camera": "the camera|the viewer|the observer|the photographer|the lens|us|me|our way|our direction|the foreground|the spectator|the front of the picture",
        "left": "the left|the left side|the left of the picture|the left of the image|the left edge|the left side of the picture|the left side of the image|the left edge of the picture|the left hand side|picture left|image left|left edge",
        "right": "the right|the right side|the right of the picture|the right of the image|the right edge|the right side of the picture|the right side of the image|the right edge of the picture|the right hand side|picture right|image right|right edge",
        "in_path": "in the path of|in the way of|on the path of|in the road of|along the path of|blocking the way of",
        "is going to": "is going to|are going to|is about to|are about to|is bound to|would end up|will end up",
        "opposite direction": "the other way|the other direction|the opposite way|the opposite direction|opposite directions|opposite ways|the reverse direction|contrary directions",
        "same direction": "the same way|the same direction|the same heading|the same orientation",
    }
    for words, variants in phrases.items():
        for variant in variants.split("|"):
            table[variant] = words
    for target in ("going to", "about to"):
        table[f"is {target}"] = table[f"are {target}"] = "would"
    table |= {"going to be": "would be", "is going to be": "would be", "are going to be": "would be", "about to be": "would be"}
    return table


# Dropped: politeness, where the looking is done, how a thing rests, adverbs that change no answer.
FILLERS: tuple[str, ...] = tuple(
    """please|kindly|can you tell me|could you tell me|can you please tell me|could you please tell me|would you tell me|will you tell me|
tell me|let me know|do you know|i want to know|i would like to know|i 'd like to know|i need to know|i wonder|i am wondering|i was wondering|wondering|
please tell me|can you say|could you say|can you say what|say|hey|hello|hi|ok|okay|so|well|now|then|thanks|thank you|just|simply|actually|really|
currently|at the moment|right now|here|exactly|also|too|both|either|altogether|in total|overall|in all|as well|each|directly|immediately|
in the picture|in the image|in the photo|in the photograph|in the scene|in this picture|in this image|in this photo|in this scene|in the frame|in view|
in the shot|on the street|on the road|on the ground|on the floor|in the render|of the picture|of the scene|in the picture here|around|around here|
visible|shown|present|parked|standing|standing still|sitting|located|situated|positioned|placed|stationed|waiting|stopped|stationary|found|lying|resting|stands|
sits|lies|stand|sit|lie|is located at|seen|stood|going by|itself|themselves|possibly|perhaps|maybe|ever|at all|up|of them|of these|of those|
given this picture|looking at the scene|given the scene|according to the picture|according to the image|in the given picture|in the given image|from the picture|from the image|whether|
displayed|depicted|pictured|appearing|particular|specific|certain|driver|pilot|rider|somewhere|anywhere|out there|over there|over|if possible|do tell|in there|together""".replace("\n", "").split("|")
)

# Content-free words and the benchmark's own that the network reads as they are.
PLAIN: tuple[str, ...] = tuple(
    "what how where the of in on by from than there as its 's not hit go face hide hiding hidden unhidden view own with see".split()
)


def _plural(phrase: str) -> set[str]:
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
        # A leaf like "road" is no noun alone; its token must not clash with other words.
        token = f"{value}_{'bus' if value in ('articulated', 'regular', 'double', 'school') else 'bike'}" if value in _BENCHMARK_SURFACE else value
        singular = set(variants) | ({value} if value not in ("road", "utility", "mountain", "regular", "school", "double") else set())
        for phrase in singular:
            for form in {phrase} | _plural(phrase):
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
        table |= {word: value for word in (value, *variants)}
    for side in ("left", "right"):
        table[side] = side
    return table


PHRASES: dict[str, str] = build_phrases()
