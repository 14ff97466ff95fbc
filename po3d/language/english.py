"""Words of a sentence, plurals and singulars, and which words mean the same to a reader of rooms.

Generators and parsers of rooms share this little English. `words_of` leaves out words that never change a meaning
("gently", "lovely"); `plain` gives many words one stand-in ("hauled", "slid", "relocate": all "moved"), which is what
the parser's network sees. Names and values are copied from the sentence as they were written.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from itertools import chain

_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?|'s|[?]")
_SHORT = (  # contractions, undone before words are counted
    (re.compile(r"\bcan(?:'t|not)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\b(what|where|who|how|that|there|here)s\b"), r"\1's"),  # written without its apostrophe
    (re.compile(r"(?<=[a-z])n't\b"), " not"),
    (re.compile(r"'(?:re|ve|ll|d|m)\b"), ""),
    (re.compile(r"(\d)\s*(cm|m|ft|in)\b"), r"\1 \2"),
)

# Words that change no meaning here: politeness, manner, and what a table of things knows nothing about.
_IDLE = """
    please kindly simply gently carefully quickly slowly quietly swiftly neatly hastily eventually recently apparently
    suddenly actually really basically literally finally already accidentally luckily sadly unfortunately clumsily lazily
    somehow exactly precisely definitely probably possibly obviously clearly certainly perhaps maybe roughly approximately
    very quite pretty fairly totally completely entirely fully freshly properly temporarily permanently deliberately proudly
    um uh er hmm hm oh hey hello hi well okay ok alright thanks thank honestly frankly briefly overall
    lovely nice comfy cosy cozy heavy shiny antique modern wobbly rickety fancy cheap expensive beautiful ugly cute sturdy vintage
    elegant stylish trendy handy funny silly odd strange dusty precious favourite favorite splendid charming gorgeous rustic
    ah oops gosh wow phew yeah yep nope ha haha eh huh lol btw dear darling mate sir madam mister absolutely truly indeed
    surely presumably supposedly merely purely straightaway meanwhile anyhow anyway nicely cleverly bravely happily cheerfully
    bloody damn darned blasted nasty horrible awful stupid dreadful boring
    designer hideous unused ordinary regular simple poor beloved squeaky creaky secondhand
"""
IDLE = frozenset(_IDLE.split())
_GROUPS = {  # stand-in: the words that it stands for
    "moved": """move moves moving relocate relocates relocated relocating shift shifts shifted shifting reposition repositioned
        repositions push pushes pushed pushing pull pulls pulled pulling drag drags dragged dragging slide slides slid sliding shove
        shoves shoved shoving roll rolls rolled rolling kick kicks kicked transfer transfers transferred haul hauls hauled hauling
        lug lugs lugged tow towed nudge nudges nudged scoot scoots scooted wheel wheels wheeled budge budged displace displaced heave
        heaved tug tugged hoist hoisted shunt shunted steer steered rearranged rearrange migrated scooped maneuvered manoeuvred
        edged inched dislocated transported transport transports shuffled shuffle wrestled""",
    "carried": "carry carries carrying bring brings brought bringing take takes took taken taking fetch fetched deliver delivered",
    "put": """puts putting set sets setting lay lays laid laying leave
        leaves drop drops dropped park parks parked stick sticks stuck deposit deposits deposited pop pops popped plop
        plopped rested resting lean leans leaned leant prop propped install installs installed mount mounted dump dumps
        dumped stow stowed lodge lodged settle settled
        arrange arranged station stationed perch perched balance balanced stuffed wedge wedged plonk plonked
        plunk plunked land lands landed situate situated shelved rests tuck tucked stash stashed""",
    "removed": """remove removes removing discard discards discarded eliminate eliminated delete deleted scrap scrapped donate donates
        donated sell sells sold steal steals stole stolen ditch ditched disposed dispose junked trashed confiscated demolished
        dismantled evicted recycled vanish vanished vanishes disappear disappeared disappears withdrawn extracted cleared clear clears
        evacuated binned pawned lent loaned""",
    "painted": """paint paints painting repaint repaints repainted recolor recolored recolour recoloured dye dyes dyed tint tinted
        spray sprayed lacquered varnished stained coat coated colored coloured recovered""",
    "replaced": "replace replaces replacing supplanted",
    "substituted": "substitute substitutes substituting",
    "swapped": """swap swaps swapping exchange exchanges exchanged exchanging trade trades traded trading interchange interchanged""",
    "switched": "switch switches switching",
    "turned": "turn turns turning",
    "rotated": "rotate rotates rotating spin spins spun pivot pivoted swivel swiveled swivelled twist twisted revolved",
    "added": """add adds adding introduce introduces introduced appear appears appeared buy buys bought purchase purchased acquire
        acquired get-in order ordered supply supplied provided arrived arrive arrives""",
    "someone": """somebody anyone mother father dad mom mum mummy daddy sister brother daughter son uncle aunt auntie cousin grandma
        grandpa grandmother grandfather granny grandson granddaughter husband wife girlfriend boyfriend neighbour neighbor neighbours
        neighbors landlord landlady cleaner cleaners friend friends tenant tenants kids kid children child toddler baby he she we
        janitor caretaker roommate flatmate housemate colleague coworker boss owner mover movers worker workers helper helpers
        decorator decorators burglar burglars thief thieves visitor visitors man woman guy boy girl nephew niece plumber electrician
        carpenter handyman student students teacher nurse parents cat dog puppy guest guests person nobody everybody
        gran nan nana sis bro mama papa folks inlaws stepfather stepmother godmother lads fellow gentleman lady
        secretary maid housekeeper intern robot technician painter couple family""",
    "thrown": "throw throws threw toss tosses tossed chuck chucked fling flung hurl hurled",
    "stand": "stands stood standing",
    "sit": "sits sat",
    "lie": "lies lying",
    "my": "our your his her their",
    "would": "will could can might may should shall",
    "now": "currently presently nowadays afterwards afterward thereafter thereupon henceforth",
    "color": "colour colours colors hue shade",
    "meter": "meters metre metres m",
    "centimeter": "centimeters centimetre centimetres cm",
    "foot": "feet ft",
    "center": "centre middle",
    "closest": "nearest",
    "closer": "nearer",
    "farther": "further",
    "farthest": "furthest remotest",
    "next": "beside alongside adjacent",
    "near": "nearby",
    "under": "underneath beneath below",
    "on": "onto upon atop",
    "larger": "bigger greater",
    "largest": "biggest greatest bulkiest hugest",
    "smallest": "tiniest littlest",
    "big": "large huge enormous giant massive bulky sizeable sizable",
    "small": "little tiny mini compact petite",
    "remain": "remains remaining remained",
    "direction": "directions",
    "walk": "walks walking walked go goes going went head heads headed heading travel travels stroll proceed",
    "blocked": "block blocks blocking obstruct obstructs obstructed obstructing impede impedes impeded barred",
    "fit": "fits fitting fitted squeeze squeezed",
    "space": "gap spot hole area opening",
    "facing": "face faces faced look looks looking looked gaze gazing gazes watching",
    "gives": "give gave given giving",
    "piece": "pieces bit bits",
    "object": "objects item items thing things stuff",
    "front": "forward forwards",
    "back": "rear backward backwards backside",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "half": "0.5",
    "if": "suppose supposing assuming assume imagine imagining pretend presume",
    "between": "inbetween amid betwixt",
    "toward": "towards",
    "tell": "telling inform",
    
    "is": "are am",
    "was": "were",
    "has": "have had having",
    "got": "get gets getting",
    "counterclockwise": "anticlockwise",
}  # fmt: skip
_STAND_IN = {word: stand_in for stand_in, words in _GROUPS.items() for word in words.split()}
KNOWN = frozenset(chain(_STAND_IN, _GROUPS))  # words that are no misspelling of others


# What a noun's ending becomes, the first that fits; what these miss is in plurals.txt.
_PLURALS = (
    (r"(ceps|fish|deer|sheep|craft)", r"\1"),
    (r"([csx])is", r"\1es"),
    (r"(ss|ch|sh|zz|us|x)", r"\1es"),
    (r"person", "people"),
    (r"man", "men"),
    (r"mouse", "mice"),
    (r"goose", "geese"),
    (r"tooth", "teeth"),
    (r"foot", "feet"),
    (r"((?:\b|[^d])ea|[eao]l|ar)f", r"\1ves"),
    (r"(ni|li|wi)fe", r"\1ves"),
    (r"([^aeiou])y", r"\1ies"),
    (r"([^aeiou])o", r"\1oes"),
    (r"([^z])z", r"\1zzes"),
    (r"", "s"),
)
_SINGULARS = (
    (r"people", "person"),
    (r"men", "man"),
    (r"mice", "mouse"),
    (r"geese", "goose"),
    (r"teeth", "tooth"),
    (r"feet", "foot"),
    (r"(ceps|fish|deer|sheep|craft)", r"\1"),
    (r"(house|shoe)s", r"\1"),
    (r"((?:\b|[^d])ea|[eao]l|ar)ves", r"\1f"),
    (r"(ni|li|wi)ves", r"\1fe"),
    (r"ies", "y"),
    (r"zzes", "z"),
    (r"(ss|ch|sh|x|o|bus)es", r"\1"),
    (r"([^s])s", r"\1"),
    (r"", ""),
)
_PREPOSITION = re.compile(
    r" (?:about|above|across|after|among|around|at|before|behind|below|beneath|beside|besides|between|by|for|from|in|into"
    r"|near|of|off|on|onto|out|over|to|under|until|upon|with) "
)


def words_of(text: str) -> list[str]:
    """Lower-case words of a sentence without the idle ones; contractions are undone, hyphens part words, punctuation
    other than the question mark is dropped."""
    text = text.lower().replace("\u2019", "'").replace("-", " ")
    for pattern, replacement in _SHORT:
        text = pattern.sub(replacement, text)
    return [word for word in _WORD.findall(text) if word not in IDLE]


def plain(word: str) -> str:
    """The stand-in of a word: one for all words that mean the same here; most words stand for themselves."""
    return _STAND_IN.get(word, word)


@functools.lru_cache(maxsize=10_000)
def plural(noun: str) -> str:
    """Of a noun or a compound: "coffee tables", "chests of drawers"."""
    return _inflected(noun, _irregular()[0], _PLURALS)


@functools.lru_cache(maxsize=10_000)
def singular(noun: str) -> str:
    """The singular; the noun itself when it is one already and does not end like a plural."""
    return _inflected(noun, _irregular()[1], _SINGULARS)


def _inflected(noun: str, irregular: Mapping[str, str], endings: Sequence[tuple[str, str]]) -> str:
    """The noun with another ending on the last word before a preposition."""
    found = _PREPOSITION.search(noun, 1)
    end = found.start() if found else len(noun)
    start = noun.rfind(" ", 0, end) + 1
    word = noun[start:end]
    other = irregular.get(word)
    if other is None:
        other = next(
            word[: m.start()] + m.expand(new) for old, new in endings if (m := re.search(rf"{old}\Z", word))
        )
    return noun[:start] + other + noun[end:]


@functools.cache
def _irregular() -> tuple[dict[str, str], dict[str, str]]:
    """plurals.txt: singular -> plural, and plural -> singular."""
    plurals, singulars = {}, {}
    for line in (resources.files("po3d.language") / "plurals.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            one, *many = line.split()
            plurals[one] = many[0]
            singulars |= dict.fromkeys(many, one)
    return plurals, singulars
