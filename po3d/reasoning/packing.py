"""Street programs as arrays of steps, for the batched executor.

Packing is done once; a packed batch can be executed any number of times.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from po3d.io.errors import InputError, known
from po3d.language.program import Call, ProgramError
from po3d.language.programs.street import ANSWER_TYPES, STREET, token_types
from po3d.reasoning.questions import FRAME_OF_TASK, Task
from po3d.scene import vocabulary
from po3d.scene.vocabulary import FACINGS

if TYPE_CHECKING:
    import torch  # takes seconds to import, so only batched execution imports it

# The code of a value is its index in these tuples.
VALUES: dict[str, tuple[str, ...]] = {**vocabulary.VALUES, "facing": FACINGS}


def spelling(kind: str, size: int) -> tuple[str, ...]:
    """Return the answer strings of a type's codes; for numbers, of the first `size`."""
    if kind == "integer":
        return tuple(map(str, range(size)))
    return ("no", "yes") if kind == "boolean" else VALUES[kind]


# Operations on registers, in their order within a level: the operations of the language, with all
# those from an object to a set combined as "lookup".
OPERATIONS = (
    "scene", "filter", "unique", "lookup", "union", "intersect",
    "count", "exist", "query", "equal", "less_than", "greater_than",
)  # fmt: skip
Key = tuple[str, ...]  # the words of a call that identify the table column of a step


OCCLUSION = ("occlusion", "occluded_by", "occluding")  # first words of steps about occlusion


class PackedStep(NamedTuple):
    """A call as a step in running order; `inputs` are indices of earlier steps."""

    call: Call
    words: Key  # words of the call and of its frame
    token: str  # street token of the call
    kind: str  # type of the result: "set", "object", or a kind of answer
    inputs: tuple[int, ...]


# Street token of a call, by its operation and words.
_TOKENS: dict[Key, str] = {}
for _token, (_op, _args) in STREET.meanings.items():
    _words, _frames = [_op], []
    for _arg in _args:
        if isinstance(_arg, str):
            _words.append(_arg)
        elif isinstance(_arg, tuple) and _arg[0] == "frame":
            _frames.append(_arg[1][0])
    _TOKENS[(*_words, *_frames)] = _token
_ALL = Call("scene")  # the set that street relations select from; not a step of its own


def steps(program: Call) -> tuple[PackedStep, ...]:
    """Return a program's steps in topological order, cached on the call.

    () for a program that cannot be expressed in street tokens.
    """
    cached = program.__dict__.get("steps")
    if cached is None:
        collected: list[PackedStep] = []
        whole = _add(program, collected) is not None and collected[-1].kind in ANSWER_TYPES
        cached = program.__dict__["steps"] = tuple(collected) if whole else ()
    return cached


def _add(call: Call, collected: list[PackedStep]) -> int | None:
    """Append the steps of a call and its arguments to `collected`; return the index of the call's
    step, or None if street tokens cannot express it."""
    inner, words = [], ()
    for arg in call.args:
        if isinstance(arg, Call):
            inner.append(arg)
        else:
            words += (arg,)
    if call.op in ("relate", "same") and inner.pop() != _ALL:
        return None
    if inner and inner[-1].op == "frame":
        words += inner.pop().args
    token = _TOKENS.get((call.op, *words))
    inputs = tuple(_add(arg, collected) for arg in inner) if token else (None,)
    if None in inputs or token_types(token).inputs != tuple(collected[k].kind for k in inputs):
        return None
    collected.append(PackedStep(call, words, token, token_types(token).output, inputs))
    return len(collected) - 1


def meaning(op: str, words: Key, task: Task = "2d") -> tuple[str, Key]:
    """Return the operation of a step and the key of its column.

    The key is (attribute, value) for a filter, (attribute,) for a query, and ("same", attribute),
    (relation,) or (direction, "camera" or "object") for a lookup.
    """
    key = tuple(FRAME_OF_TASK[task] if word == "task" else word for word in words)
    return "lookup" if op in ("relate", "same") else op, ("same", *key) if op == "same" else key


# Columns of the tables that steps read, by operation; a batch only computes those that it uses.
COLUMNS: dict[str, tuple[Key, ...]] = {"filter": (), "lookup": (), "query": ()}
_COLUMN: dict[tuple[str, Key], int] = {}
for _task in FRAME_OF_TASK:
    for _op, *_words in _TOKENS:
        _operation, _key = meaning(_op, _words, _task)
        if _operation in COLUMNS and (_operation, _key) not in _COLUMN:
            _COLUMN[_operation, _key] = len(COLUMNS[_operation])
            COLUMNS[_operation] += (_key,)


@dataclass(frozen=True, eq=False)
class ProgramBatch:
    """P programs as T steps in running order; can be executed any number of times."""

    programs: tuple[Call, ...]
    tables: int  # number of tables that the programs need
    scene: "torch.Tensor"  # (P,) index of each program's table
    groups: tuple[tuple[str, int, int], ...]  # (operation, first, end) in running order
    first: "torch.Tensor"  # (T,) position of the step's first input in running order
    second: "torch.Tensor"  # (T,) position of its second input
    # (T,) row of the operation's table: scene x columns + column; the scene index if it reads none
    row: "torch.Tensor"
    columns: dict[str, tuple[Key, ...]]  # the used part of COLUMNS
    slot: "torch.Tensor"  # (T,) position in running order of every step, program by program
    offset: "torch.Tensor"  # (P + 1,) start of each program's steps in `slot`

    def __len__(self) -> int:
        return len(self.programs)

    def to(self, device: "str | torch.device") -> "ProgramBatch":
        """Return the batch with its tensors on `device`."""
        import torch

        tensors = {}
        for name, value in self.__dict__.items():
            if isinstance(value, torch.Tensor):
                tensors[name] = value.to(device)
        return replace(self, **tensors)


def pack_programs(
    programs: Sequence[Call], scene_index: Sequence[int], tasks: Task | Sequence[Task] = "2d"
) -> ProgramBatch:
    """Pack programs; program p is asked about scene `scene_index[p]` under task `tasks[p]`.

    One task may be given for all. Raise ProgramError for a program that cannot be expressed in
    street tokens, InputError if the numbers of entries differ.
    """
    import torch

    if isinstance(tasks, str):
        tasks = [tasks] * len(programs)
    if not len(programs) == len(scene_index) == len(tasks):
        sizes = f"{len(programs)} programs, {len(scene_index)} scene indices and {len(tasks)} tasks"
        raise InputError(f"{sizes}; these three numbers should be equal")
    scene = np.asarray(scene_index, np.int64).reshape(-1)
    if scene.min(initial=0) < 0:
        raise InputError(f"scene index {scene.min()} is negative")

    number: dict[tuple[Call, Task], int] = {}
    which = np.zeros(len(programs), np.int64)
    for k, key in enumerate(zip(programs, tasks)):
        which[k] = number.setdefault(key, len(number))
    compiled = list(itertools.starmap(_compile, number))
    sizes = np.array(list(map(len, compiled)), np.int64)
    rows = np.array(list(itertools.chain.from_iterable(compiled)), np.int64).reshape(-1, 5)
    columns, widths = _used_columns(rows)

    # Copy the steps of each distinct program to every question that uses it.
    length = sizes[which]
    offset = np.concatenate([[0], np.cumsum(length)])
    begin = np.concatenate([[0], np.cumsum(sizes)])[which]
    source = np.arange(offset[-1]) + np.repeat(begin - offset[:-1], length)
    operation, column, first, second, level = rows[source].T
    base = np.repeat(offset[:-1], length)
    row = np.repeat(scene, length) * widths[operation] + column

    key = (level * len(OPERATIONS) + operation).astype(np.int16)
    order = np.argsort(key, kind="stable")
    slot = np.empty_like(order)
    slot[order] = np.arange(len(order))
    edges, groups = np.flatnonzero(np.diff(key[order], prepend=-1, append=-1)).tolist(), []
    for low, high in itertools.pairwise(edges):
        groups.append((OPERATIONS[operation[order[low]]], low, high))
    arrays = {
        "scene": scene,
        "first": slot[(base + first)[order]],
        "second": slot[(base + second)[order]],
        "row": row[order],
        "slot": slot,
        "offset": offset,
    }
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    count = int(scene.max(initial=-1)) + 1
    return ProgramBatch(tuple(programs), count, groups=tuple(groups), columns=columns, **tensors)


def _used_columns(rows: np.ndarray) -> tuple[dict[str, tuple[Key, ...]], np.ndarray]:
    """Renumber the columns (`rows[:, 1]`) among those that are used; return the used columns of
    each table, and the number of columns that each operation reads."""
    columns, widths = {}, np.ones(len(OPERATIONS), np.int64)
    for name, keys in COLUMNS.items():
        operation = OPERATIONS.index(name)
        reads = rows[:, 0] == operation
        used, rows[reads, 1] = np.unique(rows[reads, 1], return_inverse=True)
        columns[name] = tuple(keys[k] for k in used)
        widths[operation] = len(used)
    return columns, widths


def _compile(program: Call, task: Task) -> list[tuple[int, int, int, int, int]]:
    """Return (operation, column, first input, second input, level) of each step."""
    known("task", task, FRAME_OF_TASK)
    rows: list[tuple[int, int, int, int, int]] = []
    for step in steps(program):
        name, key = meaning(step.call.op, step.words, task)
        inputs = step.inputs or (0,)
        level = 1 + max((rows[i][4] for i in step.inputs), default=-1)
        column = _COLUMN.get((name, key), 0)
        rows.append((OPERATIONS.index(name), column, inputs[0], inputs[-1], level))
    if not rows:
        raise ProgramError(f"street tokens cannot express {str(program)[:60]}")
    return rows
