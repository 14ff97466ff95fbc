"""The program dialect of streets: steps in execution order, and the spellings of files and parser.

The last step is the answer. Names of colours, shapes and directions are arguments, never
operations, so new vocabulary is data. Three spellings of one program:

* steps    (Step("scene"), Step("filter", ("color", "red"), (0,)), Step("count", (), (1,)))
* text     count(filter[color=red](scene))
* tokens   ["count", "filter[color=red]", "scene"]     prefix order, the parser's output
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from po3d.language.dialects import Dialect
from po3d.language.program import Call, Language, OperationRow, ProgramError, Signature, Tree, rows
from po3d.scene.vocabulary import (
    COLORS,
    DIRECTIONS,
    FACINGS,
    MATERIALS,
    SHAPES,
    SIZES,
    SUPER_CATEGORIES,
    UNSEEN_COLORS,
    UNSEEN_SHAPES,
)

# Values of filters, by attribute. A shape may be a leaf ("sedan") or a super-category ("car").
FILTER_VALUES: dict[str, tuple[str, ...]] = {
    "shape": (*SHAPES, *SUPER_CATEGORIES, *UNSEEN_SHAPES),
    "color": (*COLORS, *UNSEEN_COLORS),
    "size": SIZES,
    "material": MATERIALS,
    "facing": FACINGS,
    "occlusion": ("occluded", "occluding", "unoccluded"),
}
QUERY_ATTRIBUTES = ("shape", "color", "size", "material", "facing")
SAME_ATTRIBUTES = ("shape", "color", "size", "material")
# "task": the question leaves the reference frame open; the executor's task decides (2d: the
# camera's, 6d: the object's own).
FRAMES = ("task", "camera", "object")
# Arguments of `aligned` -> the corresponding relation of the language.
ALIGNMENTS = {
    "same": "same_direction",
    "opposite": "opposite_direction",
    "vertical": "perpendicular",
    "parallel": "parallel",
}
TRAVELS = ("forward", "backward")


OPERATIONS = rows("programs/street.txt")
# The possible arguments of each operation; most take none.
ARGUMENTS: dict[str, tuple[tuple[str, ...], ...]] = {row.op: ((),) for row in OPERATIONS} | {
    "filter": sum((tuple(product([a], values)) for a, values in FILTER_VALUES.items()), ()),
    "relate": tuple(product(DIRECTIONS, FRAMES)),
    "same": tuple(product(SAME_ATTRIBUTES)),
    "aligned": tuple(product(ALIGNMENTS)),
    "collide": tuple(product(TRAVELS)),
    "query": tuple(product(QUERY_ATTRIBUTES)),
    "equal": tuple(product(QUERY_ATTRIBUTES)),
}
ANSWER_TYPES = ("integer", "boolean", *QUERY_ATTRIBUTES)


@dataclass(frozen=True)
class Step:
    """An operation with its arguments; `inputs` are indices of earlier steps."""

    op: str
    args: tuple[str, ...] = ()
    inputs: tuple[int, ...] = ()

    @property
    def token(self) -> str:
        """Return the parser token: filter[color=red], relate[left,task], count."""
        if not self.args:
            return self.op
        return f"{self.op}[{'='.join(self.args) if self.op == 'filter' else ','.join(self.args)}]"

    @property
    def types(self) -> Signature:
        """Return (input types, output type), arguments filled in: query[color] gives "color"."""
        return token_types(self.token)


_STEPS: dict[str, tuple[OperationRow, tuple[str, ...]]] = {}
_SIGNATURES: dict[str, tuple[Signature, ...]] = {}  # by token
_MEANINGS: dict[str, str] = {}  # token -> call of the language
for _row in OPERATIONS:
    for _args in ARGUMENTS[_row.op]:
        _token = Step(_row.op, _args).token
        _STEPS[_token] = _row, _args
        _inputs = tuple(t.format(*_args) for t in _row.signature.inputs)
        _SIGNATURES[_token] = (Signature(_inputs, _row.signature.output.format(*_args)),)
        _words = [ALIGNMENTS[a] for a in _args] if _row.op == "aligned" else _args
        _MEANINGS[_token] = _row.meaning.format(*_words)
# The output classes of the parser's network, in a fixed order.
_UNSEEN = {*map("filter[shape={}]".format, UNSEEN_SHAPES)}
_UNSEEN.update(map("filter[color={}]".format, UNSEEN_COLORS))
TOKENS: tuple[str, ...] = tuple(token for token in _STEPS if token not in _UNSEEN)


class StreetProgram(Tree):
    """A program in the tokens of street files."""

    language = Language(_SIGNATURES, {}, frozenset())

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Return the operations, each after its inputs, as in the official node lists."""
        collected: list[Step] = []

        def add(program: "StreetProgram") -> int:
            inputs = tuple(map(add, program.args))
            row, args = _STEPS[program.op]
            collected.append(Step(row.op, args, inputs))
            return len(collected) - 1

        add(self)
        return tuple(collected)

    @property
    def call(self) -> Call:
        """Return the corresponding call of the language."""
        return STREET.to_core(self)


STREET = Dialect("the language of streets", StreetProgram, _MEANINGS, answers=ANSWER_TYPES)


def token_types(token: str) -> Signature:
    """Return input and output types of a token; raise ProgramError for an unknown token."""
    try:
        return StreetProgram.language.signatures[token][0]
    except KeyError:
        raise StreetProgram.language.unknown(token) from None


def asking(program: StreetProgram) -> StreetProgram:
    """Return the program if its output is an answer; else raise ProgramError."""
    if program.output not in ANSWER_TYPES:
        raise ProgramError(
            f"the last step {program.op} returns a {program.output}, which is not an answer"
        )
    return program


def from_tokens(tokens: Sequence[str]) -> StreetProgram:
    """Build the program of a prefix token list."""
    return asking(StreetProgram.from_tokens(tokens))


def parse_text(text: str) -> StreetProgram:
    """Parse the output of `StreetProgram.text`; raise ProgramError for other text."""
    return asking(StreetProgram.parse(text))


def chain(*steps: tuple[str, ...]) -> StreetProgram:
    """Build a linear program from (op, *args) tuples in execution order.

    Example: chain(("scene",), ("filter", "color", "red"), ("count",)).
    """
    return from_tokens([Step(op, tuple(args)).token for op, *args in reversed(steps)])
