"""Training pairs of the general parser: questions with programs in the common language, from the
question generators of all domains, the sentence bank, and paraphrases of generated sentences.

    generators (streets, rooms, photographs, orbits, frames) ─┐
    sentence bank, paraphrases (data/wording) ────────────────┴─► Pair ─► shown(pair, random)

A generated sentence has no scene; `reader_augmentation.with_table` makes one up, a new one each
time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from po3d.io.seeding import rng
from po3d.language.program import Call, call
from po3d.language.programs.rooms import ROOMS
from po3d.language.programs.rooms import RoomCall as RoomCall
from po3d.language.programs.scope import SCOPE
from po3d.language.programs.street import from_tokens
from po3d.language.programs.threedsrbench import OPERATIONS, THREEDSRBENCH, PhraseCall
from po3d.language.read.reader_tokens import STREET_NAMES, ParserInput, Sort
from po3d.language.read.reader_vocabulary import REFUSALS
from po3d.language.say.scope import say
from po3d.language.say.threedsrbench import STYLES, speak
from po3d.scene.frames import SIDE_TURNS, frame_text_anchors
from po3d.scene.orbit import LABELS
from po3d.scene.rooms import COLORS
from po3d.systems.general_parser import rewritten
from po3d.training.bank import BANK, records, tables
from po3d.training.reader_tables import pick, room_names, size_of, with_things

SENTENCE_SORTS = ("question", "change", "frame")
SEATS = ("chair", "armchair", "sofa", "bench", "stool", "bed")


@dataclass(frozen=True)
class TrainingPair:
    """A sentence of kind `sort` (question, change or frame) with its program, or the reason why it
    has none.

    `source`: a generator's name, "bank" or "paraphrase". `table`: id of the scene that the sentence
    refers to, for the bank and paraphrases. `also`: the accompanying sentences whose programs are
    known, with their programs.
    """

    inputs: ParserInput
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
        things = sum(len(word) + 1 for thing in self.inputs.things for word in thing)
        return len(all_text(self.inputs)) + things + written

    def calls(self) -> dict[Sort, Call | str]:
        return {
            sort: text if text in REFUSALS else Call.parse(text)
            for sort, text in self.programs.items()
        }

    def call(self) -> Call | str:
        return self.calls()[self.sort]


def all_text(inputs: ParserInput) -> str:
    """Return the sentences and options in lower case."""
    return f"{inputs.change} {inputs.frame} {inputs.question} {' '.join(inputs.options)}".lower()


# --- the bank -------------------------------------------------------------------------------------


def left_out(part: str, folder: Path = BANK) -> set[int]:
    """Return the numbers of the lines that are excluded from training because one of their
    sentences also occurs in the development or test part.
    """
    path = folder / f"left_out_{part}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {int(line) for line in lines if line and not line.startswith("#")}


def bank(part: str, folder: Path = BANK) -> list[list[TrainingPair]]:
    """Return the pairs of each annotated line of a part: the question first, then change and
    frame.
    """
    scenes, lines = tables(part, folder), records("sentences", part, folder)
    pairs, without = [], left_out(part, folder)
    for record in records("programs", part, folder):
        if record["n"] not in without:
            line = lines[record["n"]]
            pairs.append(pairs_of_line(line, record, scenes[line["scene"]]))
    return pairs


def reworded(folder: Path = BANK) -> list[TrainingPair]:
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
        line = dict(lines[record["n"]])
        for sort in SENTENCE_SORTS:
            line[sort] = record.get(sort, line[sort])
        pairs.append(pairs_of_line(line, programs[record["n"]], scenes[line["scene"]])[0])
    return pairs


def parser_input_of_line(line: dict, scene: dict) -> ParserInput:
    """Convert a line of the bank and its scene to the parser's input."""
    inputs = ParserInput(
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
    return with_things(inputs, things)


def pairs_of_line(line: dict, record: dict, scene: dict) -> list[TrainingPair]:
    """Return the pairs of a line from its annotated programs."""
    inputs, about = parser_input_of_line(line, scene), ("bank", line["scene"])
    refusal = (record.get("note") or "none").partition(":")[0].split()[0]
    pairs = [
        TrainingPair(
            inputs,
            "question",
            record["question"] or (refusal if refusal in REFUSALS else "beyond"),
            *about,
        )
    ]
    if line["change"] and (record["change"] or record["question"]):
        pairs.append(TrainingPair(inputs, "change", record["change"] or "none", *about))
    if line["frame"] and record["frame"]:
        pairs.append(TrainingPair(inputs, "frame", record["frame"], *about))
    known = tuple((pair.sort, pair.program) for pair in pairs)
    return [replace(p, also=known[:k] + known[k + 1 :]) for k, p in enumerate(pairs)]


def paraphrases(
    folder: Path = BANK, what: Literal["paraphrases", "stories"] = "paraphrases"
) -> list[TrainingPair]:
    """Return paraphrases of generated sentences: one pair per wording, with its accompanying
    sentences, and with the scene for rooms.

    The list is empty if the folder has no such file. `what`: "paraphrases" were written from
    generated sentences; for "stories" the free sentence came first.
    """
    if not (folder / f"{what}_train.jsonl.bz2").exists():
        return []
    pairs = []
    for record in records(what, "train", folder):
        table = with_things(ParserInput(kind=record["kind"]), record["things"])
        name = record["table"] if record["things"] else ""
        for sort, program, options, wordings, *beside in record["said"]:
            inputs, also = replace(table, options=tuple(options)), ()
            for of, text, known in beside[0] if beside else ():
                inputs = replace(inputs, **{of: text})
                also += ((of, known),) if known else ()
            about = (sort, program, "paraphrase", name, also)
            for wording in wordings:
                pairs.append(TrainingPair(replace(inputs, **{sort: wording}), *about))
    return pairs


# --- question generators --------------------------------------------------------------------------


def street_pair(seed: int, stage: str, index: int) -> TrainingPair:
    from po3d.training.parser import pair

    text, tokens = pair(seed, stage, index)
    program = from_tokens(tokens).call
    program = change_texts(
        program, lambda attribute, t: STREET_NAMES.get(t, t) if attribute == "shape" else t
    )
    return TrainingPair(ParserInput(text, kind="street"), "question", program.text(), "street")


def room_pairs(index: int, seed: int, stage: str) -> list[TrainingPair]:
    """Return all sentences of a generated room."""
    from po3d.training.room_parser import SORTS, pairs_of_room

    pairs = []
    for pair in pairs_of_room(index, seed, stage, 1):
        program, sort = _tidy(ROOMS.to_core(RoomCall.parse(pair.source))), SORTS[pair.sort]
        pairs.append(TrainingPair(ParserInput(**{sort: pair.text}), sort, program.text(), "room"))
    return pairs


def photo_pair(seed: int, stage: str, index: int) -> TrainingPair:
    random = rng(seed, f"{stage}-photo", index)
    op = pick(random, tuple(OPERATIONS))
    things = tuple(_thing(random) for _ in OPERATIONS[op].inputs)
    program = PhraseCall(op, things)
    spoken = speak(program, pick(random, STYLES), random)
    core_program = _chosen(THREEDSRBENCH.to_core(program), spoken.text)
    options = (
        spoken.options
        if core_program != THREEDSRBENCH.to_core(program) or random.random() < 0.7
        else ()
    )
    return TrainingPair(
        ParserInput(spoken.text, kind="photo", options=options),
        "question",
        core_program.text(),
        "photo",
    )


def orbit_pair(seed: int, stage: str, index: int) -> TrainingPair:
    random = rng(seed, f"{stage}-orbit", index)
    a, b = _thing(random), _thing(random)
    task = pick(
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
        b = pick(random, SEATS)
    thing = lambda name: SCOPE.call("thing", name)  # noqa: E731
    frame = SCOPE.call("own", thing(b)) if "allo" in task else SCOPE.call("camera")
    if task == "integration_ego":
        program = SCOPE.call("which_view", pick(random, LABELS), thing(a), thing(b))
    elif task == "integration_allo":
        program = SCOPE.parse('name(nearest(toward("behind", thing("person"))))')
    else:
        program = SCOPE.call("where", thing(a), thing(b), frame)
        if "updating" in task:
            program = SCOPE.call(
                "turned",
                str(pick(random, (45, 90, 135, 180, 225, 270, 315))),
                thing(a),
                thing(b),
                program,
            )
    wording = None if random.random() < 0.4 else random
    angles = [pick(random, range(0, 360, 45)) for _ in range(4)]
    choices = [_thing(random) for _ in range(4)]
    text = say(program, task, wording, sitting, angles, choices)
    options: tuple[str, ...] = ()
    # the options imply the number of directions
    if program.op == "direction" and random.random() < 0.7:
        straight = random.random() < 0.5
        options = tuple(map(str, random.permutation(LABELS[::2] if straight else LABELS[1::2])))
        program = Call("direction", (*program.args[:3], "four" if straight else "eight"))
    program = _own_frame(program)
    return TrainingPair(
        ParserInput(text, kind="orbit", options=options), "question", program.text(), "orbit"
    )


def frame_pair(seed: int, stage: str, index: int) -> TrainingPair:
    random = rng(seed, f"{stage}-frame", index)
    anchors = [
        (pick(random, room_names()), pick(random, tuple(SIDE_TURNS)))
        for _ in range(int(random.integers(1, 3)))
    ]
    name, side = anchors[0]
    program = call(
        "frame",
        {"back": "behind"}.get(side, side),
        call("unique", call("filter", "name", name, call("scene"))),
    )
    return TrainingPair(
        ParserInput(frame=frame_text_anchors(anchors)), "frame", program.text(), "frame"
    )


def speakers(
    seed: int, stage: str, streets: int, rooms: int, photos: int, orbits: int, frames: int
) -> Iterator[TrainingPair]:
    """Yield the given number of pairs of each generator (for rooms: the number of rooms).
    Deterministic in (seed, stage).
    """
    for make, number in (
        (street_pair, streets),
        (photo_pair, photos),
        (orbit_pair, orbits),
        (frame_pair, frames),
    ):
        for index in range(number):
            yield make(seed, stage, index)
    for index in range(rooms):
        yield from room_pairs(index, seed, stage)


def _thing(random: np.random.Generator) -> str:
    """Return a random name, with a colour in 30 % of the cases."""
    name = pick(random, room_names())
    return f"{pick(random, COLORS)} {name}" if random.random() < 0.3 else name


def change_texts(program: Call, change: Callable[[str, str], str]) -> Call:
    """Replace each text of the program by `change(attribute, text)`, where attribute is the one
    whose value it is.
    """
    attribute = program.args[0] if program.signature.inputs[:1] == ("attribute",) else "name"
    args: list[Call | str] = []
    for kind, arg in zip(program.signature.inputs, program.args, strict=True):
        if isinstance(arg, Call):
            args.append(change_texts(arg, change))
        else:
            args.append(change(attribute, arg) if kind == "text" else arg)
    return Call(program.op, tuple(args))


def _tidy(program: Call) -> Call:
    """Remove filters for the name "object", which match everything."""
    args = rewritten(_tidy, program)
    return (
        args[2]
        if program.op == "filter" and args[:2] == ("name", "object")
        else Call(program.op, args)
    )


def _chosen(program: Call, text: str) -> Call:
    """Replace a group of objects that the text does not name by `choices`, the question's answer
    options.
    """
    if program.op == "group" and not all(p.args[0] in text for p in program.args):
        return call("choices")
    return Call(program.op, rewritten(lambda part: _chosen(part, text), program))


def _own_frame(program: Call) -> Call:
    """Write frame(object) if a direction's frame is that of the first object of the direction."""
    args = rewritten(_own_frame, program)
    if program.op == "direction" and args[2] == Call("frame", (args[0],)):
        args = (*args[:2], call("frame", "object"), args[3])
    return Call(program.op, args)
