"""The committed table of wordings: what people write, and the word of the network that stands for it.

Lower case, no punctuation, hyphens are blanks, "'s" is a word of its own; `po3d.parsing.phrases` spells the
tables out and the longest phrase wins. Traps kept apart on purpose: "chopper" is a motorbike here and
"helicopter" is not in this world, so it stays unknown; "bike" is a bicycle; "hidden behind" hides, "behind"
alone does not; "bigger" compares, which no program can, so it stays unknown, as do "exactly", "only" and
numbers.
"""


def split(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


# shape value -> what people call it. Plurals are added to every phrase.
NOUNS: dict[str, tuple[str, ...]] = {
    "thing": ("object", "item", "vehicle", "one", "entity"),
    "car": ("automobile", "auto", "motorcar", "motor car", "passenger car"),
    "suv": split("sport utility vehicle|sports utility vehicle|off roader|four by four|4x4|jeep|suv car"),
    "wagon": ("station wagon", "estate car", "estate", "wagon car"),
    "minivan": split("mini van|van|people carrier|mpv|people mover|minivan car"),
    "sedan": ("saloon", "saloon car", "sedan car"),
    "truck": ("pickup", "pickup truck", "pick up truck", "pick up", "lorry"),
    "bus": ("coach", "omnibus", "autobus"),
    "articulated": split("articulated bus|bendy bus|accordion bus|articulated coach|bendybus"),
    "regular": split(
        "regular bus|normal bus|ordinary bus|standard bus|single decker|single decker bus|city bus"
    ),
    "double": split("double bus|double decker|double decker bus|doubledecker|two story bus|double deck bus"),
    "school": ("school bus", "schoolbus", "school coach"),
    "motorbike": ("motorcycle", "motor bike", "motor cycle"),
    "chopper": ("chopper bike", "chopper motorbike", "chopper motorcycle"),
    "dirtbike": split(
        "dirt bike|motocross bike|enduro|off road motorbike|off road motorcycle|dirt motorcycle"
    ),
    "scooter": ("motor scooter", "moped", "vespa"),
    "cruiser": ("cruiser bike", "cruiser motorbike", "cruiser motorcycle"),
    "aeroplane": ("airplane", "plane", "aircraft", "flying machine"),
    "jet": split("jet plane|jet airplane|jet aeroplane|private jet|business jet"),
    "fighter": split(
        "fighter jet|jet fighter|fighter plane|warplane|fighter aircraft|combat aircraft|fighter aeroplane"
    ),
    "biplane": ("double winged plane", "bi plane", "two winged plane"),
    "airliner": split(
        "passenger plane|jetliner|airline plane|passenger jet|commercial plane|air liner|passenger aircraft"
    ),
    "bicycle": split("bike|push bike|pushbike|cycle|pedal bike|push bicycle"),
    "road": split("road bike|road bicycle|racing bike|racing bicycle|race bike|roadbike"),
    "utility": split("utility bike|utility bicycle|city bike|commuter bike|utilitarian bike|cargo bike"),
    "mountain": ("mountain bike", "mountain bicycle", "mtb", "mountainbike"),
    "tandem": split("tandem bike|tandem bicycle|two seater bike|bicycle built for two"),
}

# value -> adjectives
ADJECTIVES: dict[str, tuple[str, ...]] = {
    "large": split(
        "big|huge|giant|enormous|massive|gigantic|bulky|oversized|hulking|sizable|large sized|big sized"
    ),
    "small": split("tiny|little|miniature|mini|compact|petite|wee|minuscule|undersized|small sized"),
    "metal": split("metallic|shiny|glossy|polished|chrome|steel|gleaming|reflective"),
    "rubber": ("matte", "rubbery", "matt", "dull", "rubberized", "rubberised"),
    "gray": ("grey", "greyish", "grayish", "ash colored"),
    "red": ("crimson", "scarlet", "reddish"),
    "blue": ("navy", "navy blue", "bluish", "dark blue", "royal blue"),
    "green": ("emerald", "dark green", "greenish"),
    "brown": ("tan", "chestnut", "brownish", "chocolate brown"),
    "purple": ("violet", "lilac", "purplish"),
    "cyan": ("turquoise", "aqua", "teal", "light blue", "sky blue"),
    "yellow": ("yellowish", "lemon yellow", "golden yellow"),
}

# word of the network -> words read as it
WORDS: dict[str, str] = {
    "is": "is are was were stands sits lies stand sit lie remains rests",
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
    "shape": "shape shapes shaped kind kinds type types sort sorts model models category categories class "
    "form name make style",
    "direction": "direction directions way orientation orientations bearing ways",
    "camera": "camera viewer observer photographer us me lens onlooker spectator you",
    "to": "to toward towards into at",
    "same": "same identical alike equal matching",
    "share": "share shares sharing",
    "see": "see sees views",
    "driver": "driver pilot rider drivers pilots riders",
    "from": "from taking",
    "push": "push pushes",
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
    "numerous": "numerous plentiful",
}

# words of the network -> phrases read as them
WORDINGS: dict[str, str] = {
    "what is": "identify|what would be|what might be|what could be",
    "what is the": "name the|give the|give me the|state the|report the|specify the|what would be the",
    "face away": "with its back to us|with its back to the camera|has its back to us|"
    "has its back to the camera|"
    "have their backs to us|have their backs to the camera|have its back to us|have its back to the camera|"
    "with its back turned to us|with its back turned to the camera|showing its back|"
    "turned away|its back to the camera",
    "face camera": "head on|coming towards us|coming toward us|coming our way|"
    "driving towards us|driving toward us|"
    "face on",
    "to camera": "in our direction|in the direction of the camera|straight at the camera|"
    "straight at us|at the camera|"
    "in the camera 's direction|in the viewer 's direction",
    "in": "in terms of|when it comes to|with regard to",
    "hide": "blocks my view of|block my view of|blocks the view on|in front of and hiding",
    "hiding": "blocking my view of|blocking the view on",
    "other thing": "other one|other ones",
    "the same": "exactly the same|the very same|an identical|an equal|one and the same",
    "a": "at least one|any of|some of",
    "there is a": "there is one|i see one",
    "is there": "would i find|could i find|do i see|would you find|will i find|can i find|could you find|"
    "do i find|is there at all|are there|is there|can you see|do you see|can we see|do we see|"
    "can i see|do you spot|can you spot|can you find|can you make out|do you notice|can be seen|"
    "can be found|may be seen|are visible|is visible|is seen|are seen|exist|exists|does it show|"
    "does it contain",
    "push": "i push|you push|we push|someone pushes|one pushes|somebody pushes|i pushed|you pushed|"
    "we pushed|someone pushed|i move|you move|we move|i drive|you drive|we drive|someone moves|"
    "someone drives|i moved|you moved|i drove|you drove|i roll|we moved|we drove|i rolled|"
    "you rolled|you roll",
    "hit": "collision|crash|collisions|crashes|an accident|accident",
    "a thing": "anything|something|any thing|a thing|some thing",
    "a other thing": "anything else|something else|any other thing|another thing|another one",
    "thing": "everything|everything that is|stuff that is|all things|all objects|all the things|"
    "all the objects|all vehicles|all the vehicles|all",
    "how_many": "how many|what number of|what is the number of|what is the total number of|"
    "what is the count of|what is the amount of|the total number of|how much|count|count the|"
    "count up|count up the|give the number of|what the number of|the number of|number of|amount of|"
    "quantity of|total number of|what quantity of|what amount of|count of|the count of|"
    "give me the number of|state the number of|how large is the number of|what 's the number of|"
    "what is the total count of|what total number of|give the count of|the total count of",
    "there is": "there is|there are|i see|you see|we see|i can see|you can see|we can see|"
    "there exists|i spot|"
    "there stands|there sits|i have|we have|there lies",
    "made of": "made of|made out of|made from|built of|built from|built out of|consist of|consists of|"
    "consisting of|composed of|constructed of|constructed from|formed of|fashioned from|"
    "crafted from",
    "right_angle": "a right angle|right angles|90 degrees|ninety degrees|a 90 degree angle|"
    "a ninety degree angle",
    "how big": "how big|how large|how small|how huge|how sized|how tall",
    "as big as": "as big as|as large as|as small as|as huge as|just as big as|just as large as",
    "the same number of": "the same number of|an equal number of|an identical number of|equal numbers of|"
    "the same amount of|an equal amount of|just as many|as many|the same count of|equally many|"
    "exactly as many",
    "away": "away from the camera|away from us|away from the viewer|away from me|away from you|away|"
    "away from the observer|away from the photographer|off into the distance|into the distance|"
    "into the background|towards the background|away from the lens|to the background",
    "camera": "the camera|the viewer|the observer|the photographer|the lens|us|me|our way|our direction|"
    "the foreground|the spectator|the front of the picture",
    "left": "the left|the left side|the left of the picture|the left of the image|the left edge|"
    "the left side of the picture|the left side of the image|the left edge of the picture|"
    "the left hand side|picture left|image left|left edge",
    "right": "the right|the right side|the right of the picture|the right of the image|the right edge|"
    "the right side of the picture|the right side of the image|the right edge of the picture|"
    "the right hand side|picture right|image right|right edge",
    "in_path": "in the path of|in the way of|on the path of|in the road of|along the path of|"
    "blocking the way of",
    "is going to": "is going to|are going to|is about to|are about to|is bound to|would end up|will end up",
    "opposite direction": "the other way|the other direction|the opposite way|"
    "the opposite direction|opposite directions|"
    "opposite ways|the reverse direction|contrary directions",
    "same direction": "the same way|the same direction|the same heading|the same orientation",
}

MISSPELT: dict[str, str] = {
    "coulor": "color",
    "coulour": "color",
    "colur": "color",
    "coler": "color",
    "vehical": "thing",
    "bycicle": "bicycle",
    "bycycle": "bicycle",
    "bicyle": "bicycle",
    "motorcicle": "motorbike",
    "airplain": "aeroplane",
    "aeroplan": "aeroplane",
    "behing": "behind",
    "wich": "which",
    "shap": "shape",
    "matterial": "material",
    "yelow": "yellow",
    "grean": "green",
}

# Dropped: politeness, where the looking is done, how a thing rests, adverbs that change no answer.
FILLERS: tuple[str, ...] = split(
    "single|"
    "is it true that|is it the case that|is it right that|is it correct that|as each other|"
    "to each other|with each other|"
    "'s nose|'s front end|any part of|some part of|parts of|a part of|part of|our view of|"
    "the view of|my view of|"
    "for a start|if you look|"
    "please|kindly|can you tell me|could you tell me|can you please tell me|could you please tell me|"
    "would you tell me|will you tell me|tell me|let me know|do you know|i want to know|"
    "i would like to know|i 'd like to know|i need to know|i wonder|i am wondering|i was wondering|"
    "wondering|please tell me|can you say|could you say|can you say what|say|hey|hello|hi|ok|okay|so|"
    "well|now|then|thanks|thank you|just|simply|actually|really|currently|at the moment|right now|here|"
    "also|too|both|either|altogether|in total|overall|in all|as well|each|directly|immediately|"
    "in the picture|in the image|in the photo|in the photograph|in the scene|in this picture|"
    "in this image|in this photo|in this scene|in the frame|in view|in the shot|on the street|"
    "on the road|on the ground|on the floor|in the render|of the picture|of the scene|"
    "in the picture here|around|around here|visible|shown|present|parked|standing|standing still|sitting|"
    "located|situated|positioned|placed|stationed|waiting|stopped|stationary|found|lying|resting|stands|"
    "is located at|seen|been|painted|taking a look|would you say|i say|do you think|do you believe|"
    "the nose of|at least|stood|going by|itself|themselves|possibly|perhaps|maybe|ever|at all|up|of them|"
    "of these|of those|given this picture|looking at the scene|given the scene|according to the picture|"
    "according to the image|in the given picture|in the given image|from the picture|from the image|"
    "whether|displayed|depicted|pictured|appearing|particular|specific|certain|somewhere|anywhere|"
    "out there|over there|over|if possible|do tell|in there|together"
)

# Words that the network reads as they are.
PLAIN: tuple[str, ...] = split(
    "what|how|where|the|of|in|on|by|from|than|there|as|its|'s|not|hit|go|face|hide|hiding|hidden|unhidden|own|with|there"
)
