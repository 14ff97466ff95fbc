"""The committed table of wordings: what people write, and the word of the network that stands for it.

Lower case, no punctuation, hyphens are blanks, "'s" is a word of its own; `po3d.language.read.phrases` spells the
tables out and the longest phrase wins. Traps kept apart on purpose: "chopper" is a motorbike here and
"helicopter" is not in this world, so it stays unknown; "bike" is a bicycle; "hidden behind" hides, "behind"
alone does not; "bigger" compares, which no program can, so it stays unknown, as do "exactly", "only" and
numbers.
"""


def split(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


# shape value -> what people call it. Plurals are added to every phrase.
NOUNS: dict[str, tuple[str, ...]] = {
    "thing": split(
        "object|item|vehicle|one|entity|thingy|thingie|machine|unit|means of transport|conveyance|"
        "contraption|machinery|means of transportation|article|piece|vehicule|gadget"
    ),
    "car": split(
        "automobile|auto|motorcar|motor car|passenger car|motor vehicle|four wheeler|motor|road car|"
        "family car"
    ),
    "suv": split(
        "sport utility vehicle|sports utility vehicle|off roader|four by four|4x4|jeep|suv car|"
        "off road car|off road vehicle|four wheel drive|4 by 4|4wd|crossover|soft roader|"
        "all terrain car"
    ),
    "wagon": split(
        "station wagon|estate car|estate|wagon car|station waggon|waggon|estate wagon|shooting brake|"
        "estate vehicle"
    ),
    "minivan": split(
        "mini van|van|people carrier|mpv|people mover|minivan car|family van|multi purpose vehicle|"
        "minibus van|mini van car|mum van|soccer mom van"
    ),
    "sedan": split(
        "saloon|saloon car|sedan car|four door saloon|saloon automobile|notchback|four door sedan|"
        "saloon type car"
    ),
    "truck": split(
        "pickup|pickup truck|pick up truck|pick up|lorry|pick up lorry|pick up van|ute|camion|"
        "pick up vehicle|truck car|flatbed truck|flatbed"
    ),
    "bus": split("coach|omnibus|autobus|omni bus|motor bus|motor coach|motorcoach|charabanc"),
    "articulated": split(
        "articulated bus|bendy bus|accordion bus|articulated coach|bendybus|bendy|articulated omnibus|"
        "concertina bus|bus with a bend|bendy coach|jointed bus|two section bus|two part bus"
    ),
    "regular": split(
        "regular bus|normal bus|ordinary bus|standard bus|single decker|single decker bus|city bus|"
        "plain bus|single deck bus|one deck bus|usual bus|typical bus|public bus|single deck|"
        "municipal bus|town bus|transit bus|simple bus"
    ),
    "double": split(
        "double bus|double decker|double decker bus|doubledecker|two story bus|double deck bus|"
        "two deck bus|two decker|two decker bus|two level bus|two storey bus|two floor bus|double deck|"
        "double decked bus|twin deck bus|doubledecker bus|decker|london bus"
    ),
    "school": split(
        "school bus|schoolbus|school coach|pupils bus|school children 's bus|"
        "kids school bus|student bus|pupil bus|schoolchildren bus"
    ),
    "motorbike": split(
        "motorcycle|motor bike|motor cycle|motor cycle bike|motorized bike|motorised bike|"
        "motorized bicycle|motorised bicycle|bike with an engine|bike with a motor|motor powered bike|"
        "motorcyle"
    ),
    "chopper": split(
        "chopper bike|chopper motorbike|chopper motorcycle|chopper style bike|custom bike|"
        "easy rider bike|chopped bike|long fork bike"
    ),
    "dirtbike": split(
        "dirt bike|motocross bike|enduro|off road motorbike|off road motorcycle|dirt motorcycle|mx bike|"
        "off roader bike|trail bike|scrambler|enduro bike|dirt motorbike|motocrosser|cross bike|"
        "trials bike"
    ),
    "scooter": split(
        "motor scooter|moped|vespa|motor scooter bike|motorscooter|scooty|lambretta|scooter bike|moto scooter"
    ),
    "cruiser": split(
        "cruiser bike|cruiser motorbike|cruiser motorcycle|cruising bike|cruiser style bike|"
        "touring motorbike|touring motorcycle|cruising motorcycle|harley"
    ),
    "aeroplane": split(
        "airplane|plane|aircraft|flying machine|airplane thing|aero plane|air plane|air vehicle|"
        "flying vehicle|flyer|plane thing|aeroplane thing|winged thing|winged vehicle"
    ),
    "jet": split(
        "jet plane|jet airplane|jet aeroplane|private jet|business jet|jet aircraft|executive jet|"
        "corporate jet|learjet|small jet plane"
    ),
    "fighter": split(
        "fighter jet|jet fighter|fighter plane|warplane|fighter aircraft|combat aircraft|"
        "fighter aeroplane|combat plane|combat jet|military jet|military plane|military aircraft|"
        "war plane|fighting jet|attack jet|fighter airplane|fighting plane|air force jet"
    ),
    "biplane": split(
        "double winged plane|bi plane|two winged plane|double decker plane|two wing plane|"
        "double wing plane|twin winged plane|old timey plane|double wing aircraft|twin wing plane|"
        "plane with two wings|old double winged aircraft"
    ),
    "airliner": split(
        "passenger plane|jetliner|airline plane|passenger jet|commercial plane|air liner|"
        "passenger aircraft|liner plane|passenger airplane|passenger aeroplane|commercial airplane|"
        "commercial aircraft|commercial jet|commercial airliner|airline jet|jumbo jet|jumbo|"
        "big passenger jet|airbus|civil aircraft|airline aircraft|civil airliner"
    ),
    "bicycle": split(
        "bike|push bike|pushbike|cycle|pedal bike|push bicycle|pedal cycle|pedal bicycle|push cycle|"
        "two wheeled bike|pushbicycle"
    ),
    "road": split(
        "road bike|road bicycle|racing bike|racing bicycle|race bike|roadbike|racer bike|racing cycle|"
        "road racing bike|racing style bike|road cycle|drop handlebar bike|racer bicycle|"
        "road racer bike"
    ),
    "utility": split(
        "utility bike|utility bicycle|city bike|commuter bike|utilitarian bike|cargo bike|city bicycle|"
        "commuter bicycle|cargo bicycle|town bike|shopping bike|everyday bike|utility cycle|"
        "commuting bike|workhorse bike|delivery bike"
    ),
    "mountain": split(
        "mountain bike|mountain bicycle|mtb|mountainbike|mtb bike|mountain cycle|all terrain bike|"
        "off road bicycle|trail bicycle|mountainbicycle|off road bike"
    ),
    "tandem": split(
        "tandem bike|tandem bicycle|two seater bike|bicycle built for two|two seat bike|"
        "two seater bicycle|two person bike|two person bicycle|bike for two|bicycle for two|double bike|"
        "double bicycle|twin bike|bike made for two|two rider bike"
    ),
}

# value -> adjectives
ADJECTIVES: dict[str, tuple[str, ...]] = {
    "large": split(
        "big|huge|giant|enormous|massive|gigantic|bulky|oversized|hulking|sizable|large sized|big sized|"
        "biggish|sizeable|largish|humongous|ginormous|colossal|immense|hefty|grand|whopping|king sized|"
        "king size|jumbo sized|supersized|full size|full sized|on the large side|on the big side|"
        "on the larger side|of large size|of big size|great big|outsize|mammoth|towering|in large size|"
        "whopping big|large size|big size"
    ),
    "small": split(
        "tiny|little|miniature|mini|compact|petite|wee|minuscule|undersized|small sized|teeny|"
        "teeny tiny|tiny little|smallish|itty bitty|dinky|diminutive|pint sized|toy sized|mini sized|"
        "pocket sized|bite sized|teensy|weeny|titchy|puny|minute|on the small side|on the smaller side|"
        "of small size|baby|scaled down|tiny sized|little sized|in small size|small size|runty"
    ),
    "metal": split(
        "metallic|shiny|glossy|polished|chrome|steel|gleaming|reflective|lustrous|glinting|sparkling|"
        "chromed|mirror like|iron|aluminium|aluminum|metal looking|metallic looking|metal made|shining|"
        "glittering|metalic|metal like|brushed metal|burnished|glistening|with a metallic finish|"
        "with a shiny finish|of metal|in metal"
    ),
    "rubber": split(
        "matte|rubbery|matt|dull|rubberized|rubberised|rubbery looking|non shiny|non reflective|"
        "lusterless|lustreless|flat finished|rubber like|rubber made|rubber looking|with a matte finish|"
        "with a dull finish|matted|non metallic|of rubber|in rubber|unpolished|mat"
    ),
    "gray": split(
        "grey|greyish|grayish|ash colored|slate|slate gray|slate grey|charcoal|charcoal gray|"
        "charcoal grey|dark gray|dark grey|light gray|light grey|ashen|ash gray|ash grey|mouse gray|"
        "mouse grey|steel gray|steel grey"
    ),
    "red": split(
        "crimson|scarlet|reddish|ruby|ruby red|cherry red|cherry|bright red|dark red|blood red|"
        "brick red|fire engine red|tomato red|deep red|ruddy|vermilion"
    ),
    "blue": split(
        "navy|navy blue|bluish|dark blue|royal blue|cobalt|cobalt blue|sapphire|deep blue|bright blue|"
        "ocean blue|marine blue|sea blue|medium blue|mid blue|midnight blue"
    ),
    "green": split(
        "emerald|dark green|greenish|forest green|lime|lime green|olive|olive green|bright green|"
        "light green|leaf green|grass green|bottle green|pea green|jade|emerald green|apple green"
    ),
    "brown": split(
        "tan|chestnut|brownish|chocolate brown|dark brown|light brown|hazel|coffee colored|"
        "coffee coloured|coffee brown|chocolate|chocolate colored|chocolate coloured|nut brown|mahogany|"
        "tawny|umber|earth brown"
    ),
    "purple": split(
        "violet|lilac|purplish|mauve|lavender|plum|plum colored|plum coloured|aubergine|amethyst|"
        "dark purple|light purple|deep purple|grape colored|grape coloured|royal purple|lilac colored|"
        "lilac coloured|violet colored|violet coloured"
    ),
    "cyan": split(
        "turquoise|aqua|teal|light blue|sky blue|aquamarine|cyan blue|greenish blue|blue green|"
        "bluish green|turquoise blue|pale blue|baby blue|aqua blue|azure|cerulean|aqua colored|"
        "aqua coloured"
    ),
    "yellow": split(
        "yellowish|lemon yellow|golden yellow|bright yellow|canary yellow|mustard|mustard yellow|lemon|"
        "sunny yellow|light yellow|pale yellow|sunflower yellow|banana yellow|golden|gold colored|"
        "gold coloured|yellow colored"
    ),
}

# word of the network -> words read as it
WORDS: dict[str, str] = {
    "is": "is are was were am stands sits lies stand sit lie remains rests seem seems",
    "do": "do does did",
    "have": "have has had having",
    "the": "the my our",
    "come": "come comes",
    "for": "for",
    "call": "call called",
    "outnumbered": "outnumbered",
    "sure": "sure",
    "heading": "heading",
    "a": "a an any some",
    "other": "another other others else further additional different",
    "if": "if when once while suppose supposing imagine imagining assuming assume provided whenever",
    "would": "would will could might may shall 'd 'll can",
    "be": "be being get gets got getting",
    "color": "color colour colors colours colored coloured hue shade tint paint colouring coloring tone tones coloration colouration colorway kolor",
    "size": "size sizes sized dimensions scale proportions magnitude bulk",
    "material": "material materials stuff substance makeup substances",
    "shape": "shape shapes shaped kind kinds type types sort sorts model models category categories class "
    "form name make style manner variety varieties brand breed species version versions classification description",
    "direction": "direction directions way orientation orientations bearing ways",
    "camera": "camera viewer observer photographer us me lens onlooker spectator you photographers cameraman cameras onlookers spectators",
    "to": "to toward towards into at",
    "same": "same identical alike equal matching similar selfsame",
    "share": "share shares sharing",
    "see": "see sees views find finds",
    "driver": "driver pilot rider drivers pilots riders motorist motorists cyclist cyclists biker "
    "bikers aviator aviators chauffeur chauffeurs captain captains cabbie trucker motorcyclist "
    "motorcyclists bicyclist bicyclists",
    "from": "from taking",
    "push": "push pushes",
    "match": "match matches matched",
    "less": "fewer less smaller lower",
    "more": "more greater higher larger",
    "outnumber": "outnumber outnumbers exceed exceeds",
    "many": "many much",
    "perpendicular": "perpendicular vertical orthogonal crosswise crossways sideways perpendicularly orthogonally",
    "parallel": "parallel",
    "opposite": "opposite opposing reverse contrary opposed",
    "aligned": "aligned lined",
    "forward": "forward forwards ahead onward",
    "backward": "backward backwards rearward rearwards",
    "front": "front",
    "back": "back rear backside",
    "made": "made built constructed composed consisting",
    "that": "that who whichever",
    "which": "which",
    "as": "as like",
    "it": "it he she him them",
    "they": "they",
    "its": "its his her their",
    "and": "and plus",
    "or": "or",
    "equally": "equally",
    "numerous": "numerous plentiful",
}

# Words as people misspell them, that `slips` does not mend -> the word meant.
MISSPELT: dict[str, str] = {
    "coulor": "color",
    "coulour": "color",
    "colur": "color",
    "coler": "color",
    "vehical": "vehicle",
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
    "purpel": "purple",
    "wot": "what",
    "wat": "what",
    "hwat": "what",
    "menny": "many",
    "teh": "the",
    "hte": "the",
    "ther": "there",
    "thier": "their",
    "tings": "things",
    "thign": "thing",
    "thigns": "things",
    "objets": "objects",
    "vehicel": "vehicle",
    "vehicels": "vehicles",
    "vehicals": "vehicles",
    "rite": "right",
    "rigth": "right",
    "lefft": "left",
    "befor": "before",
    "hided": "hidden",
    "veiw": "view",
    "hidding": "hiding",
    "colr": "color",
    "colos": "color",
    "collor": "color",
    "matirial": "material",
    "materiel": "material",
    "lorrys": "lorries",
    "busses": "buses",
    "airplans": "airplanes",
    "motercycle": "motorbike",
    "motorcyle": "motorbike",
    "scoter": "scooter",
    "sedane": "sedan",
    "grean": "green",
}

# Words that the network reads as they are.
PLAIN: tuple[str, ...] = split(
    "what|how|where|of|in|on|by|from|than|there|'s|not|hit|go|face|hide|hiding|hidden|unhidden|own|with|there"
)
