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
ALIGNMENTS = ("same", "opposite", "vertical", "parallel")  # parallel = same or opposite
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
# How a call names what `aligned` takes.
_ALIGNED = {"same": "same_direction", "opposite": "opposite_direction", "vertical": "perpendicular"}


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


class StreetTree(Tree):
    """A program by its tokens."""

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


STREET = Dialect(
    "the language of streets",
    StreetTree,
    {
        token: row.meaning.format(*(_ALIGNED.get(a, a) if row.op == "aligned" else a for a in args))
        for token, (row, args) in _STEPS.items()
    },
)


def token_types(token: str) -> Signature:
    """Input and output types of a token; ProgramError for one that is not in the language."""
    try:
        return StreetTree.language.signatures[token][0]
    except KeyError:
        raise StreetTree.language.unknown(token) from None


@dataclass(frozen=True)
class Program:
    """A well-typed program; construction checks it."""

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not self.steps:
            raise ProgramError("an empty program")
        outputs: list[str] = []
        used: list[int] = []
        for k, step in enumerate(self.steps):
            types = token_types(step.token)
            if any(not 0 <= i < k for i in step.inputs):
                raise ProgramError(f"step {k} {step.token}: its inputs {step.inputs} are not earlier steps")
            got = tuple(outputs[i] for i in step.inputs)
            if got != types.inputs:
                raise ProgramError(f"step {k} {step.token}: takes {types.inputs}, got {got}")
            outputs.append(types.output)
            used += step.inputs
        if sorted(used) != list(range(len(self.steps) - 1)):
            raise ProgramError("every step but the last must be used exactly once")
        if outputs[-1] not in ANSWER_TYPES:
            raise ProgramError(
                f"the last step {self.steps[-1].token} gives a {outputs[-1]}, which is no answer"
            )

    def tokens(self) -> list[str]:
        """Prefix order: every token before its inputs, the first input first."""
        return [token for _, token in self.tree.tokens()]

    def text(self) -> str:
        """count(filter[color=red](scene)); `parse_text` reads it back."""
        return self.tree.text()

    @cached_property
    def tree(self) -> StreetTree:
        """The last step with what it is made of."""
        made: list[StreetTree] = []
        for step in self.steps:
            made.append(StreetTree(step.token, tuple(made[i] for i in step.inputs)))
        return made[-1]

    @cached_property
    def call(self) -> Call:
        """What it means."""
        return STREET.meant(self.tree)

    def __str__(self) -> str:
        return self.text()


def from_tree(tree: StreetTree) -> Program:
    """The steps of a tree, depth first."""
    steps: list[Step] = []

    def build(call: StreetTree) -> int:
        inputs = tuple(build(arg) for arg in call.args)
        row, args = _STEPS[call.op]
        steps.append(Step(row.op, args, inputs))
        return len(steps) - 1

    build(tree)
    program = Program(tuple(steps))
    program.__dict__["tree"] = tree
    return program


def from_tokens(tokens: Sequence[str]) -> Program:
    """The program of a prefix token list."""
    return from_tree(StreetTree.from_tokens(tokens))


def parse_text(text: str) -> Program:
    """The program of the spelling that `Program.text` writes; ProgramError when it is none."""
    return from_tree(StreetTree.parse(text))


def chain(*steps: tuple[str, ...]) -> Program:
    """A linear program from (op, *args) tuples in execution order: chain(("scene",), ("filter", "color", "red"), ("count",))."""
    return Program(tuple(Step(op, tuple(args), (k - 1,) if k else ()) for k, (op, *args) in enumerate(steps)))
