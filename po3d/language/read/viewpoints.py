"""Sides and viewpoints, spelled out: every way of naming a side, who looks from where, and the words of the network.

"on its left-hand side" -> on its left      "if I were driving" -> seen_from      "as seen in the photo" -> camera_view
"""

from itertools import product

from po3d.language.read.synonyms import split

_VIEW = split("point of view|points of view|perspective|viewpoint|standpoint|vantage point|point of sight")
_WATCHER = split("camera|viewer|observer|photographer|onlooker|spectator")
PICTURE = split("picture|image|photo|photograph|scene|frame|shot|render|view")


_IF = split("if|when|as|suppose|supposing|imagine|imagine that|suppose that|say|pretend|assuming|with")
_AT_THE_WHEEL = split(
    "driving|riding|riding on|flying|steering|piloting|sitting in|sitting on|sat in|sat on|seated in|seated on|"
    "at the wheel of|behind the wheel of|at the controls of|in the driver 's seat of|in the driving seat of|"
    "in the pilot 's seat of|in the cockpit of|in the cab of|in the saddle of|in the seat of|on the seat of|on board|"
    "aboard|inside|the driver of|the pilot of|the rider of|the man in|the woman in|the person in|the one driving|"
    "a passenger of|a passenger in|the captain of|in|on"
)
PEOPLE = split("i|you|we|someone|somebody|he|she|they|its driver|the driver")


def sides() -> dict[str, str]:
    table = {}
    for side in ("left", "right"):
        for lead, the, form in product(
            (
                "",
                "to ",
                "on ",
                "at ",
                "off to ",
                "over to ",
                "towards ",
                "look to ",
                "looking to ",
                "if you look to ",
                "look ",
            ),
            ("", "the "),
            (f"{side}", f"{side} side", f"{side} hand side", f"{side} hand", f"{side}hand side"),
        ):
            table[f"{lead}{the}{form} of"] = f"{side}_of"
        forms = (f"{side} hand side", f"{side}hand side", f"{side} hand", f"{side} side")
        for part in split("wing|flank|door|shoulder|fender|wing tip|wingtip|elbow|window|mirror|headlight"):
            forms += (f"{side} {part}",)
        table |= dict.fromkeys(forms, side)
        for lead, own, form in product(
            ("on", "to", "at", "off to", "over to", "off", "by", "over on"),
            ("its", "his", "her", "their", "my", "your", "its own", "his own", "their own"),
            (side, *forms),
        ):
            table[f"{lead} {own} {form}"] = f"on its own {side}" if "own" in own else f"on its {side}"
        for lead, picture in product(("to the", "towards the", "toward the", "the"), PICTURE):
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


def viewpoints() -> dict[str, str]:
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
        PICTURE,
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
        "in view of the camera|from where i am|from where i am standing|from where we are standing|from where you are|"
        "from where i sit|from my seat|from this side|from our side|from this angle|from this view|from this position|"
        "as we look at it|as i look at it|as you look at it|as we look at the picture|as i look at the picture|"
        "as you look at the picture|when you look at it|when i look at it|when we look at it|as it looks to us|"
        "as it looks to me|as it looks from here|as things look from here|as things stand in the picture|"
        "seen from where we stand|as seen from where we stand|seen from where i stand|as seen from where i stand|"
        "seen from where we are|as seen from where we are|viewed from where we stand|on the picture plane|"
        "from in front of the picture|from where the photo was taken|from where the picture was taken|"
        "from the place of the camera|from where the photographer stands|from where the photographer stood|"
        "the way we see it|the way i see it|the way you see it|the way we look at it|as we are looking at it|"
        "as i am looking at it|going by what we see|in our eyes|to our eyes|to my eyes|to the eye of the camera|"
        "as the photographer sees it|as the photographer saw it|as the viewer sees it|as the observer sees it|"
        "for the viewer|for the camera|for the observer|for the photographer|to the viewer|to the observer"
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
    be = [f"{if_} {one}" for if_, one in product(_IF, split("i were|i was|i am|you were|you are|we were|one were|one is|"
                                                           "someone is|someone were"))]  # fmt: skip
    be += ["i am", "you are", "imagine being", "imagine yourself", "put yourself"]
    seats += [f"{lead} {how}" for lead, how in product(be, _AT_THE_WHEEL)]
    places = [how for how in _AT_THE_WHEEL if len(how.split()) > 2]  # "sitting in front of" is no seat
    seats += [f"{sit} {how}" for sit, how in product(("sitting", "seated", "sat"), places)]
    seats += [how for how in _AT_THE_WHEEL if how.split()[0] in ("at", "behind")]
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
