"""The room world: what stands in rooms, how large it is, where it stands and what it is for.

Rooms are scene tables like streets, in metres: z = 0 is the floor, an object's position is the centre of its box,
its extent is (depth, width, height) and its heading points out of its front, away from the wall behind it. Beliefs
are about "name", "color", "material" and "state". Names are open: a table may hold names that are not listed here.

Sizes and heights are medians over 88 scanned rooms (doors, windows and 31 more categories) and, for what those
rooms lack, over the models of the Sweet Home 3D furniture catalogue. `PURPOSES` follows the everyday definitions of
WordNet 3.0 ("furniture that is designed for sitting on", "a furnishing with a mattress for sleeping" ...).
"""

from functools import lru_cache
from typing import NamedTuple

COLORS = (
    "white", "black", "gray", "brown", "red", "blue", "green", "yellow", "orange", "pink", "purple", "beige",
)  # fmt: skip
MATERIALS = ("wooden", "metal", "plastic", "leather", "fabric", "glass", "ceramic", "paper")
STATES = ("open", "closed", "on", "off", "empty", "full", "clean", "dirty", "folded", "broken")
UNKNOWN_SIZE = (0.45, 0.45, 0.5)  # metres (depth, width, height), of a thing whose kind is not listed
ATTRIBUTES: dict[str, tuple[str, ...]] = {"color": COLORS, "material": MATERIALS, "state": STATES}

# What a thing is for, by the word that programs use.
PURPOSES: dict[str, tuple[str, ...]] = {
    "sitting": ("chair", "armchair", "office chair", "sofa", "stool", "bench", "ottoman"),
    "sleeping": ("bed", "sofa", "crib"),
    "storage": (
        "cabinet", "bookshelf", "shelf", "nightstand", "dresser", "wardrobe", "closet", "box", "basket", "suitcase",
    ),
    "lighting": ("lamp", "floor lamp"),
    "washing": ("sink", "bathtub", "shower", "washing machine"),
    "drying": ("towel",),
    "cooking": ("stove", "oven", "microwave"),
    "cooling": ("refrigerator", "fan"),
    "heating": ("radiator", "fireplace"),
    "printing": ("printer",),
    "typing": ("keyboard", "laptop"),
    "viewing": ("tv", "monitor", "laptop"),
    "reflection": ("mirror",),
    "telling time": ("clock",),
    "reading": ("book",),
    "drinking": ("cup", "bottle"),
    "waste": ("trash can",),
    "calling": ("telephone",),
    "music": ("guitar", "piano"),
    "carrying": ("backpack", "suitcase"),
    "decoration": ("picture", "vase", "plant"),
    "writing": ("whiteboard",),
    "eating": ("table", "dining table"),
    "working": ("desk",),
}  # fmt: skip


class Category(NamedTuple):
    """A kind of thing. Lengths in metres."""

    depth: float
    width: float
    height: float
    stands: str  # "floor", "back" (on the floor, its back to a wall), "wall", "flat" (a rug), "top" (on furniture)
    bottom: float  # height of its underside where it hangs on a wall
    carries: bool  # other things are put on it
    weight: float  # how often a room has it, relative to the others
    most: int  # of it in one room
    materials: tuple[str, ...]
    states: tuple[str, ...]


def _table(text: str) -> dict[str, Category]:
    table = {}
    for line in text.strip().splitlines():
        name, size, stands, carries, often, materials, states = (part.strip() for part in line.split("|"))
        depth, width, height, *bottom = map(float, size.split())
        weight, most = often.split()
        table[name] = Category(
            depth, width, height, stands, bottom[0] if bottom else 0.0, carries == "carries", float(weight), int(most),
            tuple(materials.split()), tuple(states.split()),
        )  # fmt: skip
    return table


# name | depth width height [bottom] | stands | carries | weight most | materials | states
CATEGORIES: dict[str, Category] = _table(
    """
chair            | 0.55 0.50 0.86      | floor |         | 9 6 | wooden plastic metal fabric | 
armchair         | 0.82 0.73 0.86      | floor |         | 4 2 | leather fabric              | 
office chair     | 0.62 0.62 0.95      | floor |         | 4 2 | leather fabric plastic      | 
stool            | 0.38 0.38 0.50      | floor |         | 3 3 | wooden plastic metal        | 
bench            | 0.45 1.20 0.45      | back  |         | 1 1 | wooden metal                | 
ottoman          | 0.55 0.55 0.42      | floor |         | 2 2 | leather fabric              | 
sofa             | 0.90 1.95 0.85      | back  |         | 5 2 | leather fabric              | clean dirty
bed              | 1.95 1.50 0.60      | back  |         | 5 2 | wooden metal                | clean dirty
crib             | 0.73 1.24 1.00      | back  |         | 1 1 | wooden                      | 
table            | 0.85 1.15 0.74      | floor | carries | 6 2 | wooden glass plastic        | clean dirty
coffee table     | 0.64 1.10 0.45      | floor | carries | 4 1 | wooden glass                | clean dirty
desk             | 0.62 1.20 0.73      | back  | carries | 5 2 | wooden metal                | clean dirty
nightstand       | 0.45 0.50 0.58      | back  | carries | 4 2 | wooden                      | open closed
dresser          | 0.52 1.20 0.81      | back  | carries | 3 1 | wooden                      | open closed
cabinet          | 0.45 0.80 0.90      | back  | carries | 5 3 | wooden metal                | open closed
bookshelf        | 0.36 0.95 1.78      | back  |         | 4 2 | wooden metal                | empty full
shelf            | 0.36 0.80 1.10      | back  | carries | 3 2 | wooden metal                | empty full
wardrobe         | 0.60 1.30 2.00      | back  |         | 3 1 | wooden                      | open closed
closet           | 0.55 1.10 1.95      | back  |         | 1 1 | wooden                      | open closed
counter          | 0.60 1.60 0.90      | back  | carries | 2 1 | wooden ceramic              | clean dirty
refrigerator     | 0.70 0.75 1.55      | back  |         | 3 1 | metal                       | open closed
washing machine  | 0.57 0.60 0.86      | back  | carries | 1 1 | metal                       | open closed on off
oven             | 0.58 0.60 0.89      | back  |         | 1 1 | metal                       | open closed on off
stove            | 0.60 0.60 0.88      | back  |         | 2 1 | metal                       | on off
sink             | 0.50 0.60 0.85      | back  |         | 3 1 | ceramic metal               | clean dirty empty full
toilet           | 0.60 0.38 0.75      | back  |         | 2 1 | ceramic                     | open closed clean dirty
bathtub          | 0.80 1.60 0.58      | back  |         | 1 1 | ceramic                     | empty full clean dirty
radiator         | 0.16 0.90 0.60      | back  |         | 3 2 | metal                       | on off
fireplace        | 0.40 1.18 1.10      | back  |         | 1 1 | ceramic metal               | on off
piano            | 0.67 1.45 1.08      | back  |         | 1 1 | wooden                      | open closed
plant            | 0.40 0.40 0.80      | floor |         | 4 2 | ceramic                     | 
floor lamp       | 0.35 0.35 1.55      | floor |         | 3 2 | metal                       | on off
fan              | 0.35 0.37 1.06      | floor |         | 1 1 | plastic metal               | on off
trash can        | 0.33 0.33 0.45      | floor |         | 6 2 | plastic metal               | empty full
box              | 0.38 0.48 0.34      | floor |         | 4 3 | paper plastic wooden        | open closed empty full
basket           | 0.42 0.45 0.40      | floor |         | 2 2 | fabric plastic              | empty full
backpack         | 0.30 0.40 0.45      | floor |         | 3 2 | fabric leather              | open closed empty full
suitcase         | 0.30 0.48 0.68      | floor |         | 2 1 | plastic fabric leather      | open closed empty full
guitar           | 0.20 0.38 1.02      | floor |         | 1 1 | wooden                      | 
rug              | 1.40 1.90 0.02      | flat  |         | 3 1 | fabric                      | clean dirty folded
door             | 0.10 0.95 2.02 0    | wall  |         | 0 0 | wooden metal glass          | open closed
window           | 0.12 1.15 1.10 0.90 | wall  |         | 0 0 | glass                       | open closed clean dirty
curtain          | 0.12 1.10 1.60 0.50 | wall  |         | 2 2 | fabric                      | open closed
mirror           | 0.05 0.70 0.90 0.90 | wall  |         | 3 1 | glass                       | clean dirty broken
picture          | 0.04 0.60 0.50 1.35 | wall  |         | 4 3 | paper                       | 
whiteboard       | 0.04 1.40 0.95 0.95 | wall  |         | 2 1 | plastic                     | clean dirty
clock            | 0.06 0.32 0.32 1.75 | wall  |         | 2 1 | plastic metal wooden        | broken
tv               | 0.14 1.00 0.62      | top   |         | 4 1 | plastic                     | on off
monitor          | 0.18 0.54 0.44      | top   |         | 4 2 | plastic                     | on off
keyboard         | 0.17 0.45 0.03      | top   |         | 2 1 | plastic                     | 
laptop           | 0.25 0.34 0.22      | top   |         | 3 1 | metal plastic               | open closed on off
printer          | 0.38 0.46 0.30      | top   |         | 2 1 | plastic                     | on off
lamp             | 0.28 0.28 0.48      | top   |         | 4 2 | metal ceramic               | on off
microwave        | 0.38 0.50 0.30      | top   |         | 2 1 | metal plastic               | open closed on off
telephone        | 0.18 0.20 0.10      | top   |         | 2 1 | plastic                     | 
vase             | 0.20 0.20 0.36      | top   |         | 3 2 | ceramic glass               | empty full
book             | 0.24 0.18 0.04      | top   |         | 4 3 | paper                       | open closed
cup              | 0.09 0.09 0.10      | top   |         | 3 3 | ceramic plastic             | empty full clean dirty
bottle           | 0.08 0.08 0.26      | top   |         | 2 2 | glass plastic               | empty full
pillow           | 0.42 0.50 0.16      | top   |         | 4 3 | fabric                      | clean dirty
towel            | 0.35 0.45 0.08      | top   |         | 2 2 | fabric                      | clean dirty folded
"""
)

# What is usually put on what; anything else that "stands on top" goes on tables, desks and the like.
CARRIERS: dict[str, tuple[str, ...]] = {
    "pillow": ("bed", "sofa", "armchair"),
    "towel": ("bed", "counter", "dresser", "chair"),
}

# Other words for a category, as people say them; the plural follows the usual rules.
SYNONYMS: dict[str, str] = {
    "couch": "sofa", "loveseat": "sofa", "settee": "sofa", "chesterfield": "sofa", "sofa bed": "sofa", "divan": "sofa",
    "bin": "trash can", "garbage can": "trash can", "trash bin": "trash can", "wastebasket": "trash can", "waste bin": "trash can",
    "dustbin": "trash can", "rubbish bin": "trash can", "wastepaper basket": "trash can", "waste paper basket": "trash can",
    "garbage bin": "trash can", "paper basket": "trash can", "waste basket": "trash can", "litter bin": "trash can",
    "paper bin": "trash can", "recycling bin": "trash can", "trashcan": "trash can", "garbage pail": "trash can",
    "television": "tv", "tv set": "tv", "television set": "tv", "telly": "tv", "flatscreen": "tv", "flat screen": "tv",
    "fridge": "refrigerator", "icebox": "refrigerator", "freezer": "refrigerator", "fridge freezer": "refrigerator",
    "bookcase": "bookshelf", "book shelf": "bookshelf", "book case": "bookshelf", "bookrack": "bookshelf", "book rack": "bookshelf",
    "shelving unit": "shelf", "rack": "shelf", "bedside table": "nightstand", "night stand": "nightstand",
    "bedside cabinet": "nightstand", "night table": "nightstand", "computer monitor": "monitor", "computer screen": "monitor",
    "screen": "monitor", "computer display": "monitor", "display": "monitor", "potted plant": "plant", "houseplant": "plant",
    "house plant": "plant", "plant pot": "plant", "pot plant": "plant", "flower pot": "plant", "flowerpot": "plant", "fern": "plant",
    "painting": "picture", "photo": "picture", "poster": "picture", "photograph": "picture", "framed picture": "picture",
    "artwork": "picture", "carpet": "rug", "mat": "rug", "area rug": "rug", "phone": "telephone", "landline": "telephone",
    "rucksack": "backpack", "school bag": "backpack", "schoolbag": "backpack", "knapsack": "backpack", "bag": "backpack",
    "swivel chair": "office chair", "desk chair": "office chair", "computer chair": "office chair",
    "easy chair": "armchair", "arm chair": "armchair", "recliner": "armchair", "wing chair": "armchair", "lounge chair": "armchair",
    "cupboard": "cabinet", "sideboard": "cabinet", "filing cabinet": "cabinet", "file cabinet": "cabinet", "locker": "cabinet",
    "chest of drawers": "dresser", "commode": "dresser", "bureau": "dresser", "armoire": "wardrobe",
    "bath": "bathtub", "tub": "bathtub", "bath tub": "bathtub", "footstool": "ottoman", "pouf": "ottoman", "foot stool": "ottoman",
    "pouffe": "ottoman", "hassock": "ottoman", "bar stool": "stool", "barstool": "stool", "heater": "radiator", "heating": "radiator",
    "standing lamp": "floor lamp", "standard lamp": "floor lamp", "table lamp": "lamp", "desk lamp": "lamp", "light": "lamp",
    "reading lamp": "lamp", "bedside lamp": "lamp", "mug": "cup", "teacup": "cup", "coffee cup": "cup", "coffee mug": "cup",
    "tea cup": "cup", "notebook computer": "laptop", "portable computer": "laptop", "laptop computer": "laptop", "notebook": "laptop",
    "carton": "box", "cardboard box": "box", "crate": "box", "packing box": "box", "drape": "curtain", "blind": "curtain",
    "washer": "washing machine", "laundry machine": "washing machine", "clothes washer": "washing machine", "bedstead": "bed",
    "work desk": "desk", "writing desk": "desk", "worktable": "desk", "dining table": "table", "kitchen table": "table",
    "white board": "whiteboard", "board": "whiteboard", "cooker": "stove", "hob": "stove", "stovetop": "stove", "range": "stove",
    "looking glass": "mirror", "wash basin": "sink", "washbasin": "sink", "basin": "sink", "hand basin": "sink", "wash hand basin": "sink",
    "cot": "crib", "baby bed": "crib", "baby cot": "crib", "trunk": "suitcase", "luggage": "suitcase",
    "travel case": "suitcase", "trolley case": "suitcase", "ventilator": "fan", "electric fan": "fan", "microwave oven": "microwave",
    "loo": "toilet", "lavatory": "toilet", "wc": "toilet", "worktop": "counter", "countertop": "counter", "kitchen counter": "counter",
    "cushion": "pillow", "hamper": "basket", "laundry basket": "basket", "wicker basket": "basket", "flower vase": "vase",
    "wall clock": "clock", "novel": "book", "paperback": "book", "upright piano": "piano", "acoustic guitar": "guitar",
    "flask": "bottle", "water bottle": "bottle", "hand towel": "towel", "bath towel": "towel", "built in closet": "closet",
    "doorway": "door", "fire place": "fireplace", "whatnot": "shelf",
}  # fmt: skip


# Nouns for whatever serves a purpose: "the seat next to the sink" may be a chair or a sofa.
NOUNS_OF_USE: dict[str, str] = {
    "seat": "sitting", "place to sit": "sitting", "sitting place": "sitting", "place to sleep": "sleeping", "sleeping place": "sleeping",
    "light source": "lighting", "source of light": "lighting", "storage furniture": "storage",
    "piece of storage furniture": "storage", "storage unit": "storage",
    "decoration": "decoration", "ornament": "decoration", "decorative thing": "decoration", "decorative object": "decoration",
    "musical instrument": "music", "instrument": "music", "cooking appliance": "cooking", "kitchen appliance": "cooking",
}  # fmt: skip

# Other words for looks and states, as people write them.
VALUE_WORDS: dict[str, str] = {
    "grey": "gray", "greyish": "gray", "violet": "purple", "lilac": "purple", "cream": "beige", "tan": "beige", "crimson": "red",
    "scarlet": "red", "turquoise": "blue", "navy": "blue", "golden": "yellow", "rose": "pink", "wood": "wooden", "timber": "wooden",
    "oak": "wooden", "cloth": "fabric", "textile": "fabric", "upholstered": "fabric", "metallic": "metal", "steel": "metal",
    "iron": "metal", "aluminium": "metal", "aluminum": "metal", "brass": "metal", "cardboard": "paper", "ceramics": "ceramic",
    "porcelain": "ceramic", "shut": "closed", "shutting": "closed", "close": "closed", "closing": "closed", "opened": "open",
    "opening": "open", "ajar": "open", "emptied": "empty", "emptying": "empty", "drained": "empty", "unloaded": "empty", "nothing": "empty",
    "filled": "full", "filling": "full", "fill": "full", "loaded": "full", "stuffed": "full", "packed": "full",
    "cleaned": "clean", "cleaning": "clean", "spotless": "clean", "tidy": "clean", "washed": "clean", "wiped": "clean", "scrubbed": "clean",
    "polished": "clean", "dusted": "clean", "soiled": "dirty", "spilled": "dirty", "muddied": "dirty",
    "unclean": "dirty", "filthy": "dirty", "stained": "dirty", "grubby": "dirty", "messy": "dirty",
    "smashed": "broken", "damaged": "broken", "cracked": "broken", "shattered": "broken", "wrecked": "broken", "broke": "broken",
    "running": "on", "lit": "on", "activated": "on", "working": "on", "deactivated": "off", "unplugged": "off", "unlit": "off",
    "fold": "folded", "folding": "folded",
}  # fmt: skip


def attribute_of(value: str) -> str | None:
    """Which attribute a word for a look or state tells; None for a word that is not listed."""
    value = VALUE_WORDS.get(value, value)
    return next((attribute for attribute, values in ATTRIBUTES.items() if value in values), None)


@lru_cache(4096)
def category_of(name: str) -> Category | None:
    """The listed category of a name, its synonym or, for a compound, its last words; None for an unknown thing."""
    name = SYNONYMS.get(name, name)
    if name in CATEGORIES:
        return CATEGORIES[name]
    return next((c for n, c in CATEGORIES.items() if name.endswith(" " + n)), None)


@lru_cache(4096)
def hangs(name: str) -> bool:
    """Whether things of this name hang on walls: they rest on nothing and carry nothing."""
    category = category_of(name)
    return category is not None and category.stands == "wall"


def stands_on_top(name: str) -> bool:
    """Whether things of this name are small enough to stand on furniture; False for unlisted ones."""
    category = category_of(name)
    return category is not None and category.stands == "top"


@lru_cache(4096)
def purposes_of(name: str) -> tuple[str, ...]:
    """What a thing of this name is for; a compound counts as its last words ("folding chair": as "chair")."""
    return tuple(purpose for purpose, names in PURPOSES.items() if any(is_a(name, n) for n in names))


def is_a(name: str, noun: str) -> bool:
    """Whether a thing called `name` is meant by `noun`: the same, or a compound that ends in it ("office chair" is a
    chair, "coffee table" a table), or "object" and the like, which mean anything."""
    return name == noun or name.endswith(" " + noun) or noun in ANYTHING


ANYTHING = ("object", "item", "thing", "furniture")
