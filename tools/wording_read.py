"""How well readers read the bank: their programs are run on the tables, and the answers compared with the hands'.

    python -m tools.wording read dev --reader checkpoints/reader --reader old [--calibrate]

"old" are the four readers of the benchmarks' wording. A line is right where its programs give the hand's answer, or, where there is none,
where the reader refuses or the programs fail. A reading's probability is the product of those of question, change and frame; the answers
of several readings are added up.
"""

import itertools
import json
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from po3d.io.checkpoint import locate
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, write_json
from po3d.language.program import Call, ProgramError
from po3d.language.programs.rooms import ROOMS
from po3d.language.programs.street import STREET
from po3d.language.programs.threedsrbench import THREEDSRBENCH
from po3d.language.read.reader import Reader, Reading, logit
from po3d.language.read.reader_tokens import SORTS, STREET_NAMES
from po3d.scene.frames import read_anchors
from po3d.systems.choices import REFUSED, likeliest
from po3d.systems.learned import TRIED
from po3d.training.reader_pairs import asked_of_line
from tools.wording_run import NoAnswer, Table, called

WIDTH = 4  # readings of a sentence that are tried on the table
TEMPERATURES = (0.7, 1.0, 1.5, 2.0, 3.0)  # of readings' probabilities, that calibration tries
SURE = 0.9  # at this probability an answer should be right 19 times of 20
SURELY, WRONG = 0.95, 0.04  # shares that `coverage` is told for


class Programs(NamedTuple):
    """What a reader made of a line; None where it refuses, or there is no sentence of the sort."""

    question: Call | None
    change: Call | None
    frame: Call | None
    probability: float


class Judged(NamedTuple):
    """A line's outcome: "right", "wrong" or "no answer"; whether it has an answer; the reader's probability; what it answered."""

    outcome: str
    answerable: bool
    probability: float
    answer: str | None


def by_network(
    lines: Sequence[dict], scenes: dict[str, dict], reader: Reader, width: int = WIDTH
) -> list[list[Programs]]:
    """Readings, likeliest first: of each line so many as `width` for each of its sentences give together."""
    asked = [asked_of_line(line, scenes[line["scene"]]) for line in lines]
    nothing = [Reading(None, 1.0, "none")]
    things = [scenes[line["scene"]]["objects"] for line in lines]
    return [
        _together([found.get(sort, nothing) for sort in SORTS])
        for found in reader.together(asked, width, things)
    ]


def _together(several: Sequence[Sequence[Reading]]) -> list[Programs]:
    """All readings of a line's sentences together, likeliest first. A change that says nothing happened is none; any other sentence
    that is refused leaves the question without a program."""
    programs = []
    for each in itertools.product(*several):
        question, *others = each
        unread = any(r.program is None and r.refusal != "none" for r in others)
        probability = math.prod(r.probability for r in each)
        programs.append(
            Programs(None if unread else question.program, *(r.program for r in others), probability)
        )
    return sorted(programs, key=lambda p: -p.probability)[:TRIED]


def by_annotators(records: Sequence[dict]) -> list[list[Programs]]:
    """The bank's own programs: what can be reached."""
    calls = [[r[sort] and Call.parse(r[sort]) for sort in SORTS] for r in records]
    return [[Programs(*each, 1.0)] for each in calls]


def by_old_readers(lines: Sequence[dict], scenes: dict[str, dict]) -> list[list[Programs]]:
    """The readings of the four readers that there were: a network for rooms, one for streets, patterns for the others."""
    from po3d.language.read import scope_reader, threedsrbench_reader
    from po3d.language.read.room_parser import RoomParser
    from po3d.language.read.street_parser import Parser

    room, street = (
        RoomParser.from_checkpoint(locate("room_parser")),
        Parser.from_checkpoint(locate("street_parser")),
    )

    def of(line: dict) -> Programs:
        table = scenes[line["scene"]]
        probability, change, frame = 1.0, None, None
        if line["kind"] == "street":
            (parse,) = street.parse([line["question"]])
            question = None if parse.program is None else _street(STREET.meant(parse.program.tree()))
            return Programs(question, None, None, parse.probability)
        if line["kind"] == "photo":
            reading = threedsrbench_reader.read(line["question"], line["options"] or ())
            return Programs(
                _of_table(THREEDSRBENCH.meant(reading.program), table) if reading.program else None,
                None,
                None,
                1.0,
            )
        if line["kind"] == "orbit":
            program = scope_reader.read(line["question"]).program
            return Programs(_of_table(program, table) if program else None, None, None, 1.0)
        (parse,) = room.parse([line["question"]], "question")
        question, probability = parse.program and ROOMS.meant(parse.program), parse.probability
        if line["change"]:
            (told,) = room.parse([line["change"]], "change")
            probability *= told.probability
            if told.program is None:
                return Programs(None, None, None, 0.0)
            change = ROOMS.meant(told.program)
        if line["frame"]:
            frame = _frame(line["frame"], table)
            if frame is None:
                return Programs(None, None, None, 0.0)
        return Programs(question, change, frame, probability)

    return [[of(line)] for line in lines]


def _street(program: Call) -> Call:
    """With the shapes as the bank's tables call them."""
    args = tuple(_street(a) if isinstance(a, Call) else a for a in program.args)
    if program.args[:1] == ("shape",) and len(args) == 3 and isinstance(args[1], str):
        args = (args[0], STREET_NAMES.get(args[1], args[1]), args[2])
    return Call(program.op, args)


def _of_table(program: Call, table: dict) -> Call | None:
    """With the things of the table that phrases mean; None where one means none."""
    if program.op == "refer":
        words = program.args[0].lower().split()
        for k in range(len(words)):
            name = " ".join(words[k:])
            if any(called(o["name"], name) for o in table["objects"]):
                found = Call("filter", ("name", name, Call("scene")))
                for word in words[:k]:
                    for attribute in ("color", "material", "state"):
                        if any(o[attribute] == word for o in table["objects"]):
                            found = Call("filter", (attribute, word, found))
                return Call("unique", (found,))
        return None
    args = [_of_table(a, table) if isinstance(a, Call) else a for a in program.args]
    return None if None in args else Call(program.op, tuple(args))


def _frame(text: str, table: dict) -> Call | None:
    try:
        anchors = read_anchors(text)
    except InputError:
        return None
    for name, side in anchors:
        fits = [o["name"] for o in table["objects"] if called(o["name"], name)]
        if len(fits) == 1:
            found = Call("unique", (Call("filter", ("name", fits[0], Call("scene"))),))
            return Call("frame", ({"back": "behind"}.get(side, side), found))
    return None


def told(line: dict, several: Sequence[Programs], scene: dict) -> list[str | None]:
    """What each reading of a line answers, REFUSED where it says that there is no answer; None where it fails, or finds nothing."""
    found = [REFUSED if p.question is None else answer(line, p, scene) for p in several]
    return [None if a == "nothing" else a for a in found]


def chosen(several: Sequence[Programs], answers: Sequence[str | None], temperature: float = 1.0) -> Programs:
    """The first of the readings whose answer, or refusal, is the likeliest of all together, with its share of all weight."""
    if len(several) == 1:
        return several[0]
    k, share = likeliest(answers, [p.probability ** (1 / temperature) for p in several])
    return several[k]._replace(probability=share)


def answer(line: dict, programs: Programs, scene: dict) -> str | None:
    """What the programs answer; None where they fail. Relations are read narrowly first, then widely."""
    if programs.question is None:
        return None
    for wide in (False, True):
        table = Table(scene, line["task"], line["options"], wide)
        try:
            if programs.frame is not None:
                table.room = table.frame(programs.frame)
            if programs.change is not None:
                table.edit(programs.change)
            return " / ".join(dict.fromkeys(a for a in table.answers(programs.question) if a))
        except (NoAnswer, ProgramError, RecursionError, IndexError) as failure:
            if str(failure).startswith("nothing") and wide:
                return "nothing"
    return None


def judged(line: dict, programs: Programs, scene: dict, agrees: Callable[[str, str], bool]) -> Judged:
    """The outcome of a line."""
    said = answer(line, programs, scene)
    wanted = line["answer"]
    if wanted is None:
        silent = said is None or said == "nothing"
        return Judged("right" if silent else "wrong", False, programs.probability, said)
    if said is None or (said == "nothing" and not agrees("nothing", wanted) and wanted not in ("0", "no")):
        return Judged("no answer", True, programs.probability, None)
    right = any(agrees(one, wanted) for one in said.split(" / ")) or (
        said == "nothing" and wanted in ("0", "no")
    )
    return Judged("right" if right else "wrong", True, programs.probability, said)


def table_of(found: Sequence[Judged], kinds: Sequence[str]) -> str:
    """By kind: right, wrong and unanswered shares of what has an answer; how often what has none was answered; and of answers at SURE
    and above the share that is right."""
    rows = [
        f"{'':8}{'n':>6}{'right':>8}{'wrong':>8}{'silent':>8}   no answer: n, answered   at p >= {SURE}: n, right"
    ]
    for kind in (*dict.fromkeys(kinds), "all"):
        part = [j for j, k in zip(found, kinds, strict=True) if kind in (k, "all")]
        there, none = [j for j in part if j.answerable], [j for j in part if not j.answerable]
        right, wrong, silent = (
            _share(j.outcome == o for j in there) for o in ("right", "wrong", "no answer")
        )
        sure = [j for j in part if j.probability >= SURE and j.answer not in (None, "nothing")]
        answered = _share(j.outcome == "wrong" for j in none)
        good = _share(j.outcome == "right" for j in sure)
        rows.append(
            f"{kind:8}{len(there):6}{right:8.1f}{wrong:8.1f}{silent:8.1f}   {len(none):13}{answered:10.1f}   {len(sure):13}{good:7.1f}"
        )
    return "\n".join(rows)


def _share(flags: Iterable[bool]) -> float:
    """Per cent of them that are so."""
    listed = list(flags)
    return 100 * sum(listed) / max(len(listed), 1)


def certainty(found: Sequence[Judged]) -> tuple[float, float]:
    """(slope, offset) of the readings' logit in that of the answer's being right: logistic regression over the lines answered, with a weak
    pull towards none of it."""
    part = [j for j in found if j.answer not in (None, "nothing")]
    x = np.array([[logit(j.probability), 1.0] for j in part])
    y = np.array([float(j.outcome == "right") for j in part])
    w = np.zeros(2)
    for _ in range(50):  # Newton's method
        p = 1 / (1 + np.exp(-x @ w))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(2)
        w += np.linalg.solve(hessian, x.T @ (y - p) - 1e-3 * w)
    return float(w[0]), float(w[1])


def calibrated(
    outcomes_at: Callable[[float], tuple[list, list[Judged]]],
) -> tuple[float, tuple[float, float]]:
    """The temperature at which most lines can be answered, in sum, by both of `coverage`'s measures, and the certainty there."""
    tried = {}
    for temperature in TEMPERATURES:
        outcomes = outcomes_at(temperature)[1]
        answered = len(_surest(outcomes)) + len(_surest(outcomes, surely=True))
        tried[temperature] = (answered, certainty(outcomes))
    best = max(tried, key=lambda t: tried[t][0])
    return best, tried[best][1]


def write(path: Path, lines: Sequence[dict], found: Sequence[Programs], outcomes: Sequence[Judged]) -> None:
    """One record a line: the sentences, the programs, what came of them."""
    with atomic_write(path) as file:
        for line, programs, outcome in zip(lines, found, outcomes, strict=True):
            said = {s: str(p) for s in SORTS if (p := getattr(programs, s)) is not None}
            told = {k: line[k] for k in ("kind", *SORTS, "options", "answer")}
            file.write(json.dumps({**told, "programs": said, **outcome._asdict()}, ensure_ascii=False) + "\n")


def coverage(found: Sequence[Judged]) -> str:
    """How much is answered, from the surest on, where SURELY of the answers are right, and where WRONG of all lines get a wrong one."""
    told = []
    for what, answered in (
        (f"{SURELY:.0%} of the answers right", _surest(found, surely=True)),
        (f"{WRONG:.0%} of all lines answered wrongly", _surest(found)),
    ):
        least = answered[-1].probability if answered else 1.0
        share = len(answered) / max(len(found), 1)
        told.append(f"{what}: {share:.1%} of all lines answered, those at p >= {least:.3f}")
    return "\n".join(told)


def _surest(found: Sequence[Judged], surely: bool = False) -> list[Judged]:
    """The answers, surest first, so many that WRONG of all lines are answered wrongly; or that SURELY of the answers are right."""
    answered = sorted((j for j in found if j.answer not in (None, "nothing")), key=lambda j: -j.probability)
    right = np.cumsum([j.outcome == "right" for j in answered])
    number = np.arange(1, len(answered) + 1)
    fits = right >= SURELY * number if surely else number - right <= WRONG * len(found)
    return answered[: int(np.flatnonzero(fits)[-1]) + 1] if fits.any() else []


def keep_certainty(path: str, found: tuple[float, float], temperature: float) -> None:
    """Writes a certainty, and the temperature that it was found at, into the description of a checkpoint."""
    record = locate(path).with_suffix(".json")
    about = read_json(record, "description of a checkpoint")
    about["config"]["certainty"] = [round(value, 4) for value in found]
    about["config"]["temperature"] = temperature
    write_json(record, about)
