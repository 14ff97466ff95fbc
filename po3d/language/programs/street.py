"""Programs of streets as steps in execution order, and how their files and their parser spell them.

The last step is the answer. Names of colours, shapes and directions are arguments, never operations, so new vocabulary is
data. Three spellings of one program:

* steps    (Step("scene"), Step("filter", ("color", "red"), (0,)), Step("count", (), (1,)))
* text     count(filter[color=red](scene))
* tokens   ["count", "filter[color=red]", "scene"]     prefix order, what the parser writes
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from po3d.language.dialects import Dialect
from po3d.language.program import Call, Language, ProgramError, Signature, Tree, rows
from po3d.scene.vocabulary import (
    COLORS,
    DIRECTIONS,
    FACINGS,
    MATERIALS,
    SHAPES,
    SIZES,
    SUPER_CATEGORIES,
    UNSEEN_SHAPES,
)

# Values a program can name, by attribute. A shape may be a leaf ("sedan") or a super-category ("car").
FILTER_VALUES: dict[str, tuple[str, ...]] = {
    "shape": (*SHAPES, *SUPER_CATEGORIES, *UNSEEN_SHAPES),
    "color": COLORS,
    "size": SIZES,
    "material": MATERIALS,
    "facing": FACINGS,
    "occlusion": ("occluded", "occluding", "unoccluded"),
}
QUERY_ATTRIBUTES = ("shape", "color", "size", "material", "facing")
SAME_ATTRIBUTES = ("shape", "color", "size", "material")
# "task": the words do not say whose left it is; the executor's task decides (2d: the camera's, 6d: the object's own).
FRAMES = ("task", "camera", "object")
# What `aligned` takes, and the relation of the language that it means.
ALIGNMENTS = {
    "same": "same_direction",
    "opposite": "opposite_direction",
    "vertical": "perpendicular",
    "parallel": "parallel",
}
TRAVELS = ("forward", "backward")


OPERATIONS = rows("programs/street.txt")
_ATTRIBUTES = tuple((a,) for a in QUERY_ATTRIBUTES)
# The arguments that an operation takes; the others take none.
ARGUMENTS: dict[str, tuple[tuple[str, ...], ...]] = {row.op: ((),) for row in OPERATIONS} | {
    "filter": tuple((a, v) for a, values in FILTER_VALUES.items() for v in values),
    "relate": tuple((d, f) for d in DIRECTIONS for f in FRAMES),
    "same": tuple((a,) for a in SAME_ATTRIBUTES),
    "aligned": tuple((a,) for a in ALIGNMENTS),
    "collide": tuple((t,) for t in TRAVELS),
    "query": _ATTRIBUTES,
    "equal": _ATTRIBUTES,
}
ANSWER_TYPES = ("integer", "boolean", *QUERY_ATTRIBUTES)


@dataclass(frozen=True)
class Step:
    """One operation with its arguments; `inputs` are indices of earlier steps."""

    op: str
    args: tuple[str, ...] = ()
    inputs: tuple[int, ...] = ()

    @property
    def token(self) -> str:
        """The step without its inputs, as the parser writes it: filter[color=red], relate[left,task], count."""
        if not self.args:
            return self.op
        return f"{self.op}[{'='.join(self.args) if self.op == 'filter' else ','.join(self.args)}]"

    @property
    def types(self) -> Signature:
        """(input types, output type) with the argument filled in: query[color] gives "color"."""
        return token_types(self.token)


_STEPS = {Step(row.op, args).token: (row, args) for row in OPERATIONS for args in ARGUMENTS[row.op]}
# Every token that the parser's network has a class for, in a fixed order.
TOKENS: tuple[str, ...] = tuple(t for t in _STEPS if t not in {f"filter[shape={s}]" for s in UNSEEN_SHAPES})


class Program(Tree):
    """A program by its tokens, as the files of streets spell it."""

    language = Language(
        {
            token: (
                Signature(
                    tuple(t.format(*args) for t in row.signature.inputs), row.signature.output.format(*args)
                ),
            )
            for token, (row, args) in _STEPS.items()
        },
        {},
        frozenset(),
    )

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Each operation after its inputs, as the official node lists have them."""
        made: list[Step] = []

        def add(program: "Program") -> int:
            inputs = tuple(map(add, program.args))
            row, args = _STEPS[program.op]
            made.append(Step(row.op, args, inputs))
            return len(made) - 1

        add(self)
        return tuple(made)

    @property
    def call(self) -> Call:
        """What it means."""
        return STREET.meant(self)


STREET = Dialect(
    "the language of streets",
    Program,
    {
        token: row.meaning.format(*(ALIGNMENTS[a] if row.op == "aligned" else a for a in args))
        for token, (row, args) in _STEPS.items()
    },
)


def token_types(token: str) -> Signature:
    """Input and output types of a token; ProgramError for one that is not in the language."""
    try:
        return Program.language.signatures[token][0]
    except KeyError:
        raise Program.language.unknown(token) from None


def asking(program: Program) -> Program:
    """The program, where it gives an answer; else ProgramError."""
    if program.output not in ANSWER_TYPES:
        raise ProgramError(f"the last step {program.op} gives a {program.output}, which is no answer")
    return program


def from_tokens(tokens: Sequence[str]) -> Program:
    """The program of a prefix token list."""
    return asking(Program.from_tokens(tokens))


def parse_text(text: str) -> Program:
    """The program of the spelling that `Program.text` writes; ProgramError when it is none."""
    return asking(Program.parse(text))


def chain(*steps: tuple[str, ...]) -> Program:
    """A linear program from (op, *args) tuples in execution order: chain(("scene",), ("filter", "color", "red"), ("count",))."""
    return from_tokens([Step(op, tuple(args)).token for op, *args in reversed(steps)])
