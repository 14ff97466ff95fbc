"""Training pairs of the general parser: questions with programs in the common language, from the
question generators of all domains, the sentence bank, and paraphrases of generated sentences.

    generators (streets, rooms, photographs, orbits, frames) ─┐
    sentence bank, paraphrases (data/wording) ────────────────┴─► Pair ─► shown(pair, random)

A generated sentence has no scene. `shown` makes one up (`reader_tables`), a new one each time:
objects that match the program and some distractors, or no scene at all; objects are then free-text
phrases (`refer`). It also replaces words by others of their kind.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from po3d.io.files import read_jsonl
from po3d.io.seeding import rng
from po3d.io.shipped import ROOT
from po3d.language.english import plural
from po3d.language.program import Call, call
from po3d.language.programs.rooms import ROOMS
from po3d.language.programs.rooms import Call as RoomCall
from po3d.language.programs.scope import SCOPE
from po3d.language.programs.street import from_tokens
from po3d.language.programs.threedsrbench import OPERATIONS, THREEDSRBENCH, PhraseCall
from po3d.language.read.reader_tokens import REFUSALS, STREET_NAMES, Asked, Sort
from po3d.language.say.scope import say
from po3d.language.say.threedsrbench import STYLES, speak
from po3d.scene.frames import SIDE_TURNS, frame_text_anchors
from po3d.scene.orbit import LABELS
from po3d.scene.rooms import COLORS, SYNONYMS
from po3d.training.reader_tables import made_up, mixed, one, room_names, shuffled, size_of, with_things

BANK = ROOT / "data" / "wording"
# probabilities: the scene uses an object's name as in the question; there is no scene
SYNONYM, BARE = 0.7, 0.25
OTHER_WORDS, OTHER_COLORS, WITH_OTHER = (
    0.4,
    0.3,
    0.4,
)  # probabilities: objects renamed; colours permuted; a change added to a question
MIXED, ANEW = (
    0.6,
    0.3,
)  # probabilities: objects added to or removed from the scene; sentences of other lines added
SEATS = ("chair", "armchair", "sofa", "bench", "stool", "bed")


@dataclass(frozen=True)
class Pair:
    """A sentence of kind `sort` (question, change or frame) with its program, or the reason why it
    has none.

    `source`: a generator's name, "bank" or "paraphrase". `table`: id of the scene that the sentence
    refers to, for the bank and paraphrases. `also`: the accompanying sentences whose programs are
    known, with their programs.
    """

    asked: Asked
    sort: Sort
    program: str  # a program's text, or one of REFUSALS
    source: str
    table: str = ""
    also: tuple[tuple[Sort, str], ...] = ()

    @property
    def programs(self) -> dict[Sort, str]:
        """The known programs of the sentence and its accompanying sentences, by kind."""
        return {self.sort: self.program, **dict(self.also)}

    @property
    def length(self) -> int:
        """Number of characters that the network reads and writes; pairs of similar length share a
        batch.
        """
        written = max(map(len, self.programs.values()))
        things = sum(len(word) + 1 for thing in self.asked.things for word in thing)
        return len(_said(self.asked)) + things + written

    def calls(self) -> dict[Sort, Call | str]:
        return {sort: text if text in REFUSALS else Call.parse(text) for sort, text in self.programs.items()}

    def call(self) -> Call | str:
        return self.calls()[self.sort]


# --- the bank -------------------------------------------------------------------------------------


def records(
    what: Literal["tables", "sentences", "programs", "blind", "paraphrases", "stories", "reworded"],
    part: str,
    folder: Path = BANK,
) -> list[dict]:
    """Return the records of one of the bank's files, which may be compressed."""
    path = folder / f"{what}_{part}.jsonl"
    return list(read_jsonl(path if path.exists() else path.with_suffix(".jsonl.bz2"), what))


def tables(part: str, folder: Path = BANK) -> dict[str, dict]:
    """Return the scenes of a part of the bank by their id."""
    return {scene["id"]: scene for scene in records("tables", part, folder)}


def left_out(part: str, folder: Path = BANK) -> set[int]:
    """Return the numbers of the lines that are excluded from training because one of their
    sentences also occurs in the development or test part.
    """
    path = folder / f"left_out_{part}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {int(line) for line in lines if line and not line.startswith("#")}


def bank(part: str, folder: Path = BANK) -> list[list[Pair]]:
    """Return the pairs of each annotated line of a part: the question first, then change and
    frame.
    """
    scenes, lines, without = tables(part, folder), records("sentences", part, folder), left_out(part, folder)
    return [
        pairs_of_line(lines[record["n"]], record, scenes[lines[record["n"]]["scene"]])
        for record in records("programs", part, folder)
        if record["n"] not in without
    ]


def reworded(folder: Path = BANK) -> list[Pair]:
    """Return the questions of the training part in rewordings, with reworded changes and frames.
    The list is empty if the folder has no rewordings.
    """
    if not (folder / "reworded_train.jsonl.bz2").exists():
        return []
    scenes, lines = tables("train", folder), records("sentences", "train", folder)
    programs = {record["n"]: record for record in records("programs", "train", folder)}
    pairs, without = [], left_out("train", folder)
    for record in records("reworded", "train", folder):
        if record["n"] in without:
            continue
        line = lines[record["n"]] | {sort: record[sort] for sort in SORTS_SAID if sort in record}
        pairs.append(pairs_of_line(line, programs[record["n"]], scenes[line["scene"]])[0])
    return pairs


def asked_of_line(line: dict, scene: dict) -> Asked:
    """Convert a line of the bank and its scene to the parser's input."""
    asked = Asked(
        line["question"],
        line["change"] or "",
        line["frame"] or "",
        line["kind"],
        line["task"] == "own",
        tuple(line["options"] or ()),
    )
    things = []
    for t in scene["objects"]:
        size = size_of(t["name"], t["size"][0]) if line["kind"] == "street" else None
        things.append([t["name"], t["color"], t["material"], t["state"], size])
    return with_things(asked, things)


def pairs_of_line(line: dict, record: dict, scene: dict) -> list[Pair]:
    """Return the pairs of a line from its annotated programs."""
    asked, about = asked_of_line(line, scene), ("bank", line["scene"])
    refusal = (record.get("note") or "none").partition(":")[0].split()[0]
    pairs = [
        Pair(asked, "question", record["question"] or (refusal if refusal in REFUSALS else "beyond"), *about)
    ]
    if line["change"] and (record["change"] or record["question"]):
        pairs.append(Pair(asked, "change", record["change"] or "none", *about))
    if line["frame"] and record["frame"]:
        pairs.append(Pair(asked, "frame", record["frame"], *about))
    known = [(pair.sort, pair.program) for pair in pairs]
    return [replace(p, also=tuple(k for k in known if k[0] != p.sort)) for p in pairs]


def paraphrases(folder: Path = BANK, what: Literal["paraphrases", "stories"] = "paraphrases") -> list[Pair]:
    """Return paraphrases of generated sentences: one pair per wording, with its accompanying
    sentences, and with the scene for rooms.

    The list is empty if the folder has no such file. `what`: "paraphrases" were written from
    generated sentences; for "stories" the free sentence came first.
    """
    if not (folder / f"{what}_train.jsonl.bz2").exists():
        return []
    pairs = []
    for record in records(what, "train", folder):
        table = with_things(Asked(kind=record["kind"]), record["things"])
        name = record["table"] if record["things"] else ""
        for sort, program, options, wordings, *beside in record["said"]:
            others = beside[0] if beside else []
            asked = replace(table, options=tuple(options), **{of: text for of, text, _ in others})
            also = tuple((of, known) for of, _, known in others if known)
            pairs += [
                Pair(replace(asked, **{sort: w}), sort, program, "paraphrase", name, also) for w in wordings
            ]
    return pairs


# --- question generators --------------------------------------------------------------------------


def street_pair(seed: int, stage: str, index: int) -> Pair:
    from po3d.training.parser import pair

    text, tokens = pair(seed, stage, index)
    program = from_tokens(tokens).call
    program = _texts(program, lambda attribute, t: STREET_NAMES.get(t, t) if attribute == "shape" else t)
    return Pair(Asked(text, kind="street"), "question", program.text(), "street")


def room_pairs(index: int, seed: int, stage: str) -> list[Pair]:
    """Return all sentences of a generated room."""
    from po3d.training.room_parser import SORTS, pairs_of_room

    found = []
    for pair in pairs_of_room(index, seed, stage, 1):
        program, sort = _tidy(ROOMS.meant(RoomCall.parse(pair.source))), SORTS[pair.sort]
        found.append(Pair(Asked(**{sort: pair.text}), sort, program.text(), "room"))
    return found


def photo_pair(seed: int, stage: str, index: int) -> Pair:
    random = rng(seed, f"{stage}-photo", index)
    op = one(random, tuple(OPERATIONS))
    things = tuple(_thing(random) for _ in OPERATIONS[op].roles)
    program = PhraseCall(op, things)
    spoken = speak(program, one(random, STYLES), random)
    meant = _chosen(THREEDSRBENCH.meant(program), spoken.text)
    options = spoken.options if meant != THREEDSRBENCH.meant(program) or random.random() < 0.7 else ()
    return Pair(Asked(spoken.text, kind="photo", options=options), "question", meant.text(), "photo")


def orbit_pair(seed: int, stage: str, index: int) -> Pair:
    random = rng(seed, f"{stage}-orbit", index)
    a, b = _thing(random), _thing(random)
    task = one(
        random,
        (
            "consistency_ego",
            "consistency_allo",
            "updating_ego",
            "updating_allo",
            "integration_ego",
            "integration_allo",
        ),
    )
    sitting = task.endswith("allo") and task != "integration_allo" and random.random() < 0.4
    if sitting:
        b = one(random, SEATS)
    thing = lambda name: SCOPE.call("thing", name)  # noqa: E731
    frame = SCOPE.call("own", thing(b)) if "allo" in task else SCOPE.call("camera")
    if task == "integration_ego":
        program = SCOPE.call("which_view", one(random, LABELS), thing(a), thing(b))
    elif task == "integration_allo":
        program = SCOPE.parse('name(nearest(toward("behind", thing("person"))))')
    else:
        program = SCOPE.call("where", thing(a), thing(b), frame)
        if "updating" in task:
            program = SCOPE.call(
                "turned", str(one(random, (45, 90, 135, 180, 225, 270, 315))), thing(a), thing(b), program
            )
    wording = None if random.random() < 0.4 else random
    angles = [one(random, range(0, 360, 45)) for _ in range(4)]
    choices = [_thing(random) for _ in range(4)]
    text = say(program, task, wording, sitting, angles, choices)
    options: tuple[str, ...] = ()
    # the options imply the number of directions
    if program.op == "direction" and random.random() < 0.7:
        straight = random.random() < 0.5
        options = tuple(str(o) for o in random.permutation(LABELS[::2] if straight else LABELS[1::2]))
        program = Call("direction", (*program.args[:3], "four" if straight else "eight"))
    program = _own(program)
    return Pair(Asked(text, kind="orbit", options=options), "question", program.text(), "orbit")


def frame_pair(seed: int, stage: str, index: int) -> Pair:
    random = rng(seed, f"{stage}-frame", index)
    anchors = [
        (one(random, room_names()), one(random, tuple(SIDE_TURNS))) for _ in range(int(random.integers(1, 3)))
    ]
    name, side = anchors[0]
    program = call(
        "frame",
        {"back": "behind"}.get(side, side),
        call("unique", call("filter", "name", name, call("scene"))),
    )
    return Pair(Asked(frame=frame_text_anchors(anchors)), "frame", program.text(), "frame")


def speakers(
    seed: int, stage: str, streets: int, rooms: int, photos: int, orbits: int, frames: int
) -> Iterator[Pair]:
    """Yield the given number of pairs of each generator (for rooms: the number of rooms).
    Deterministic in (seed, stage).
    """
    for make, number in (
        (street_pair, streets),
        (photo_pair, photos),
        (orbit_pair, orbits),
        (frame_pair, frames),
    ):
        yield from (make(seed, stage, index) for index in range(number))
    for index in range(rooms):
        yield from room_pairs(index, seed, stage)


def _thing(random: np.random.Generator) -> str:
    """Return a random name, with a colour in 30 % of the cases."""
    name = one(random, room_names())
    return f"{one(random, COLORS)} {name}" if random.random() < 0.3 else name


def _texts(program: Call, change: Callable[[str, str], str]) -> Call:
    """Replace each text of the program by `change(attribute, text)`, where attribute is the one
    whose value it is.
    """
    attribute = program.args[0] if program.signature.inputs[:1] == ("attribute",) else "name"
    args = [
        _texts(arg, change) if isinstance(arg, Call) else change(attribute, arg) if kind == "text" else arg
        for kind, arg in zip(program.signature.inputs, program.args, strict=True)
    ]
    return Call(program.op, tuple(args))


def _tidy(program: Call) -> Call:
    """Remove filters for the name "object", which match everything."""
    args = tuple(_tidy(a) if isinstance(a, Call) else a for a in program.args)
    return args[2] if program.op == "filter" and args[:2] == ("name", "object") else Call(program.op, args)


def _chosen(program: Call, text: str) -> Call:
    """Replace a group of objects that the text does not name by `choices`, the question's answer
    options.
    """
    if program.op == "group" and not all(p.args[0] in text for p in program.args):
        return call("choices")
    return Call(program.op, tuple(_chosen(a, text) if isinstance(a, Call) else a for a in program.args))


def _own(program: Call) -> Call:
    """Write frame(object) if a direction's frame is that of the first object of the direction."""
    args = tuple(_own(a) if isinstance(a, Call) else a for a in program.args)
    if program.op == "direction" and args[2] == Call("frame", (args[0],)):
        args = (*args[:2], call("frame", "object"), args[3])
    return Call(program.op, args)


# --- augmentation ---------------------------------------------------------------------------------


def shown(pair: Pair, random: np.random.Generator, others: Sequence[Pair] = ()) -> Pair:
    """Augment a pair: make up a scene if it has none, add another sentence, and replace words
    consistently in sentence, scene and program.

    `others`: candidates for the added sentence; they refer to the same scene if the pair has one.
    """
    if not pair.table:
        pair = _tabled(pair, random)
    elif random.random() < 0.5:  # the order of objects carries no information
        pair = replace(pair, asked=with_things(pair.asked, shuffled(pair.asked.things, random)))
    pair = _beside(pair, random, others)
    if pair.table and pair.asked.kind == "room" and random.random() < MIXED:
        # an added object might change the answer
        closed = any(text in REFUSALS for text in pair.programs.values())
        meant = _quoted(*pair.programs.values())
        pair = replace(pair, asked=mixed(pair.asked, _said(pair.asked), meant, closed, random))
    if random.random() < OTHER_COLORS:
        order = [COLORS[k] for k in random.permutation(len(COLORS))]
        pair = renamed(pair, dict(zip(COLORS, order, strict=True)))
    if pair.asked.kind != "street" and random.random() < OTHER_WORDS:
        said = _said(pair.asked)
        names = [
            n for n in dict.fromkeys(_quoted(*pair.programs.values())) if n in pair.asked.names and n in said
        ]
        known = room_names()
        fresh = [known[int(k)] for k in random.choice(len(known), len(names), replace=False)]
        pair = renamed(pair, {n: f for n, f in zip(names, fresh) if f not in pair.asked.names})
    return pair


def _said(asked: Asked) -> str:
    return f"{asked.change} {asked.frame} {asked.question} {' '.join(asked.options)}".lower()


def _tabled(pair: Pair, random: np.random.Generator) -> Pair:
    """Return the pair with a made-up scene, or without any."""
    kind, program = pair.asked.kind, pair.call()
    if pair.source != "paraphrase":
        if random.random() < BARE:
            return pair
        assert isinstance(program, Call)
        if kind in ("photo", "orbit"):
            program = in_names(program)
        elif kind == "room":
            program = _texts(program, lambda attribute, t: _table_name(attribute, t, random))
        pair = replace(pair, program=program.text())
    things = made_up(kind, program if isinstance(program, Call) else None, random)
    return replace(pair, asked=with_things(pair.asked, things))


def _table_name(attribute: str, text: str, random: np.random.Generator) -> str:
    """Return a synonym of an object's name with probability SYNONYM, as the scene's name for it."""
    return SYNONYMS.get(text, text) if attribute == "name" and random.random() < SYNONYM else text


def in_names(program: Call) -> Call:
    """Replace phrases by filters for name and colour."""
    if program.op == "refer":
        first, _, rest = program.args[0].partition(" ")
        found = call("filter", "name", rest if first in COLORS and rest else program.args[0], call("scene"))
        return call("unique", call("filter", "color", first, found) if first in COLORS and rest else found)
    return Call(program.op, tuple(in_names(a) if isinstance(a, Call) else a for a in program.args))


def _beside(pair: Pair, random: np.random.Generator, others: Sequence[Pair]) -> Pair:
    """Add a random change to a room's question, or a question to a change, and a frame. A pair of
    the bank usually keeps its own sentences, and always if the question refers back to them.
    """
    if pair.asked.kind != "room" or not others:
        return pair
    own = pair.source == "bank"
    if own and (
        random.random() > ANEW
        or pair.program in REFUSALS
        or _BOUND.search(f"{pair.program} {getattr(pair.asked, pair.sort)}")
    ):
        return pair
    asked, also = pair.asked, dict(pair.also)
    for other in (one(random, others), one(random, others)):
        sort = other.sort
        if sort != pair.sort and (own or (random.random() < WITH_OTHER and not getattr(asked, sort))):
            asked = replace(asked, **{sort: getattr(other.asked, sort)})
            if pair.table:  # another generated sentence has no program in this scene's names
                also[sort] = other.program
    return replace(pair, asked=asked, also=tuple(also.items()))


# Words that may refer back to another sentence.
_BOUND = re.compile(
    r"\b(changed|before|it|its|they|them|their|that one|this|these|those|he|she|him|her|there|now|still|anymore|again)\b",
    re.I,
)


def renamed(pair: Pair, words: dict[str, str]) -> Pair:
    """Replace `words` in all texts of the pair; plurals are replaced as well."""
    words = {old: new for old, new in words.items() if old != new}
    if not words:
        return pair
    forms = {plural(old): plural(new) for old, new in words.items()} | words
    found = re.compile(
        rf"\b({'|'.join(map(re.escape, sorted(forms, key=len, reverse=True)))})\b", re.IGNORECASE
    )
    swap = lambda text: found.sub(lambda m: forms.get(m[0].lower(), m[0]), text)  # noqa: E731
    a = pair.asked
    several = {"options": tuple(map(swap, a.options)), "things": tuple(tuple(map(swap, t)) for t in a.things)}
    single = {part: swap(getattr(a, part)) for part in SORTS_SAID}
    quoted = lambda program: re.sub(r'"[^"]*"', lambda m: swap(m[0]), program)  # noqa: E731
    also = tuple((sort, quoted(program)) for sort, program in pair.also)
    return replace(pair, asked=replace(a, **single, **several), program=quoted(pair.program), also=also)


SORTS_SAID = ("question", "change", "frame")


def _quoted(*programs: str) -> list[str]:
    return [text for program in programs for text in re.findall(r'"([^"]*)"', program)]
