"""The oracle grid of changed rooms: their modules, and what a cell answers to the questions on one room.

    the table's modules   see `po3d.systems.room_substitution`
    frame                 true: the axes that the sentences give on the true table; else on the cell's table
    edit                  true: the gold program of the change; else what the parser read of its text. Where it puts
                          things follows from the cell's table in both
    parsing               the same of the question

Looks (color, material, state) count where a program asks for them alone, so cells share some of their work.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from po3d.io.errors import InputError
from po3d.language.program import ProgramError
from po3d.language.programs.rooms import Call, parse_text
from po3d.reasoning.questions import Prediction, Question
from po3d.reasoning.room_world import RoomRules
from po3d.scene.table import Scene
from po3d.systems.mixtures import PREDICTED, TRUTH, Setting, kept_table
from po3d.systems.noise import lost
from po3d.systems.room_substitution import BELIEFS, MODULES, TABLE, UNITS, noisy, substitute
from po3d.systems.rooms import Room, RoomPipeline, framed, room

LOOKS = tuple(m for m in BELIEFS if m != "shape")


class _Unread:
    """Stands for the program of a text that could not be read."""


UNREAD = _Unread()
Read = Call | _Unread | None  # None: there is no change


@dataclass(frozen=True)
class RoomKind:
    """`po3d.systems.mixtures.Kind` of a `RoomPipeline` whose tables are predicted; InputError for other frames than the anchors',
    in which true modules do not give the true answers."""

    pipeline: RoomPipeline
    modules = MODULES
    units = UNITS
    headline = "overall"
    grouped = False

    def __post_init__(self) -> None:
        if self.pipeline.frame != "anchors":
            raise InputError(f"the grid of rooms needs benchmark.frame=anchors, not {self.pipeline.frame}")

    def image(
        self,
        questions: Sequence[Question],
        predictions: Mapping[str, Prediction],
        predicted: Mapping[str, Scene],
        truth: Callable[[str], Scene],
        seed: int,
    ) -> "RoomAnswers":
        # Where one of a question's two texts was not read, its prediction lacks the other's program too.
        lacking = [q for q in questions if not predictions[q.id].program]
        again = dict(zip((q.id for q in lacking), self.pipeline.read(lacking), strict=True))
        read = [
            tuple(p and (p.program or UNREAD) for p in again[q.id])
            if q.id in again
            else _split(predictions[q.id].program, q)
            for q in questions
        ]
        gold = [(_gold(q.meta.get("change_program"), q.meta["change"]), _gold(q.program)) for q in questions]
        name, pipeline = questions[0].image, self.pipeline
        return RoomAnswers(
            kept_table(predicted, name),
            truth(name),
            questions,
            read,
            gold,
            pipeline.samples,
            pipeline.rules,
            pipeline.draw,
            seed,
        )


@dataclass
class RoomAnswers:
    """The answers of cells to one room's questions, each mixture that matters worked out once. `read` and `gold`: the
    programs of each question's change and text."""

    predicted: Scene
    truth: Scene
    questions: Sequence[Question]
    read: Sequence[tuple[Read, Read]]
    gold: Sequence[tuple[Read, Read]]
    samples: int
    rules: RoomRules
    draw: Sequence[str]
    seed: int = 0
    _rooms: dict[tuple, Room | None] = field(default_factory=dict)
    _answers: dict[tuple, str | None] = field(default_factory=dict)

    def answers(self, settings: Sequence[Setting]) -> list[str | None]:
        """As `po3d.systems.mixtures.Asked`."""
        named = dict(zip(MODULES, settings))
        edit, parsing = named.pop("edit"), named.pop("parsing")
        image = self.questions[0].image
        changes = list(dict.fromkeys(q.meta["change"] for q in self.questions))
        no_change = dict(zip(changes, self._lost(f"changes of {image}", len(changes), edit)))
        no_program = self._lost(image, len(self.questions), parsing)
        before, self._rooms = self._rooms, {}
        found = []
        for q, read, gold, gone in zip(self.questions, self.read, self.gold, no_program):
            change = (read if edit == PREDICTED else gold)[0]
            program = (read if parsing == PREDICTED else gold)[1]
            readable = isinstance(program, Call) and not isinstance(change, _Unread)
            if gone or (change is not None and no_change[q.meta["change"]]) or not readable:
                found.append(None)
                continue
            mixture = _relevant(named, change, program)
            key = (q.meta["frame"], tuple(mixture.items()))
            answered = (key, change, program)
            if answered not in self._answers:
                if (
                    key not in self._rooms
                ):  # cells that share a table stand together: those of the last are kept
                    self._rooms[key] = before[key] if key in before else self._room(*key)
                answering = self._rooms[key]
                self._answers[answered] = answering and answering.answer(q, change, program).answer
            elif key in before:
                self._rooms[key] = before[key]
            found.append(self._answers[answered])
        return found

    def _room(self, frame: str, mixture: Sequence[tuple[str, Setting]]) -> Room | None:
        """What answers in a mixture of table and frame; None when the true frame cannot be told."""
        scene = self.table(dict(mixture))
        axes = dict(mixture)["frame"]
        if axes == PREDICTED:
            return room(scene, "anchors", self.samples, self.rules, draw=self.draw)
        try:
            scene = replace(scene, axes=framed(self.truth, frame).axes)
        except InputError:
            return None
        if not isinstance(axes, str):
            scene = noisy(scene, "frame", axes, self.seed)
        return room(scene, "given", self.samples, self.rules, draw=self.draw)

    def table(self, mixture: Mapping[str, Setting]) -> Scene:
        """The table of a mixture of its modules."""
        own = [(m, mixture[m]) for m in TABLE]
        scene = substitute(self.predicted, self.truth, [m for m, s in own if s != PREDICTED], self.seed)
        for module, sigma in own:
            if not isinstance(sigma, str):
                scene = noisy(scene, module, sigma, self.seed)
        return scene

    def _lost(self, name: str, count: int, how: Setting) -> list[bool]:
        return [False] * count if isinstance(how, str) else lost(name, count, how, self.seed)


def _relevant(mixture: Mapping[str, Setting], change: Call | None, program: Call) -> dict[str, Setting]:
    """The mixture with the looks that no program asks for as the rest is, so that a table without any other doubt has
    none of these either."""
    asked = {text for p in (change, program) if p for kind, text in p.tokens() if kind == "attribute"}
    kept = {m: s for m, s in mixture.items() if m not in LOOKS or BELIEFS[m] in asked}
    rest = PREDICTED if any(kept[m] == PREDICTED for m in TABLE if m in kept) else TRUTH
    return {m: kept.get(m, rest) for m in mixture}


def _split(text: str, question: Question) -> tuple[Read, Read]:
    """The programs of change and question in a prediction's."""
    change, _, program = text.rpartition(" ; ")
    return (parse_text(change) if question.meta["change"] else None), parse_text(program)


def _gold(program: str | None, text: str = "a question's") -> Read:
    """The gold program of a text; None when there is no text."""
    try:
        return (parse_text(program) if program else UNREAD) if text else None
    except ProgramError:
        return UNREAD
